// SPDX-License-Identifier: GPL-2.0-only
/*
 * What pending tables of other makes would do: other hashes, groups, victims and
 * sizes, on recorded and on made-up hits, and that of the profiler on many CPUs.
 * The make of the profiler is proved by giving the same hits to the profiler.
 *
 * usage: simulate RECORDING...		one choice varied at a time
 *        simulate all RECORDING...	each hash with each group and each victim
 *
 * Writes lines NAME<TAB>SUBJECT<TAB>VALUE, the subject being what varies:
 *
 *	simulate/QUESTION/evict/PATTERN	atomics on shared counters, in percent of hits
 *	simulate/QUESTION/look/PATTERN	entries looked at for a hit
 *	simulate/QUESTION/move/PATTERN	entries that go to another place for a hit
 *	simulate/in-step/evict/N-cpus/PATTERN
 *	simulate/in-step/crowd/N-cpus/PATTERN	the most atomics of one tick that meet
 *						on one cache line
 */

#include "patterns.h"

/* The profiler itself, for the proof; its atomics are counted. */
static int (*shim_setup)(char *text);
#include SOURCE

#define PAGE_ENTRIES	(PAGE_SIZE / sizeof(struct profile_entry))
#define LINE_COUNTERS	16

__thread struct shim_cpu shim_cpu;
unsigned long shim_atomics;

/* ---- Hashes -------------------------------------------------------------- */

static unsigned int hash_low(u32 slot, unsigned int bits)
{
	return slot & ((1U << bits) - 1);
}

static unsigned int hash_mult(u32 slot, unsigned int bits)
{
	return hash_32(slot, bits);
}

static unsigned int hash_fold(u32 slot, unsigned int bits)
{
	return hash_low(slot ^ slot >> bits, bits);
}

static unsigned int hash_fold3(u32 slot, unsigned int bits)
{
	return hash_low(slot ^ slot >> bits ^ slot >> 2 * bits, bits);
}

static const struct hash {
	const char *name;
	unsigned int (*group)(u32 slot, unsigned int bits);
} hashes[] = {
	{ "low", hash_low },
	{ "mult", hash_mult },
	{ "fold", hash_fold },
	{ "fold3", hash_fold3 },
};

/* ---- Victims ------------------------------------------------------------- */

struct group {
	struct profile_entry	*entry;
	unsigned int		n;
	unsigned int		turn;	/* evictions of its table so far */
};

/* Brings entry @from to place @to, those between go back by one; returns how many. */
static unsigned int move(struct group *g, unsigned int from, unsigned int to)
{
	struct profile_entry moved = g->entry[from];

	memmove(g->entry + to + 1, g->entry + to, (from - to) * sizeof(moved));
	g->entry[to] = moved;
	return from - to;
}

static unsigned int stay(struct group *g, unsigned int i)
{
	return 0;
}

static unsigned int to_front(struct group *g, unsigned int i)
{
	return move(g, i, 0);
}

static unsigned int to_middle(struct group *g, unsigned int i)
{
	return move(g, i, g->n / 2);
}

static unsigned int one_up(struct group *g, unsigned int i)
{
	return i ? move(g, i, i - 1) : 0;
}

static unsigned int one_up_if_more(struct group *g, unsigned int i)
{
	return i && g->entry[i].hits > g->entry[i - 1].hits ? one_up(g, i) : 0;
}

static unsigned int fewest(struct group *g)
{
	unsigned int i, min = 0;

	for (i = 1; i < g->n; i++)
		if (g->entry[i].hits < g->entry[min].hits)
			min = i;
	return min;
}

static unsigned int last(struct group *g)
{
	return g->n - 1;
}

static unsigned int by_turns(struct group *g)
{
	return g->turn % g->n;
}

static unsigned int by_chance(struct group *g)
{
	return random_u32() % g->n;
}

/* Who leaves a full group, and where entry @i goes on what occasion. */
static const struct victim {
	const char *name;
	unsigned int (*choose)(struct group *g);
	unsigned int (*found)(struct group *g, unsigned int i);
	unsigned int (*added)(struct group *g, unsigned int i);
	unsigned int (*replaced)(struct group *g, unsigned int i);
} victims[] = {
	{ "count", fewest, stay, stay, stay },
	{ "sorted", last, one_up_if_more, stay, stay },
	{ "transpose", last, one_up, stay, stay },
	{ "front", last, to_front, to_front, to_front },
	{ "middle", last, one_up, to_front, to_middle },
	{ "turns", by_turns, stay, stay, stay },
	{ "chance", by_chance, stay, stay, stay },
};

/* ---- Tables -------------------------------------------------------------- */

struct make {
	const struct hash	*hash;
	const struct victim	*victim;
	unsigned int		group;	/* entries */
	unsigned int		pages;
};

/* The profiler's own. */
static const struct make real = { &hashes[1], &victims[4], 8, 1 };

struct table {
	struct profile_entry	*entry;
	unsigned int		n;
	unsigned int		turn;
};

struct counts {
	unsigned long hits, evicted, looked, moved;
};

static void table_init(struct table *t, const struct make *make)
{
	t->n = make->pages * PAGE_ENTRIES;
	t->entry = calloc(t->n, sizeof(*t->entry));
	t->turn = 0;
}

/* The entry of this slot, or the first free one, or none. */
static unsigned int find(const struct group *g, u32 slot)
{
	unsigned int i;

	for (i = 0; i < g->n; i++)
		if (!g->entry[i].hits || g->entry[i].slot == slot)
			break;
	return i;
}

/* Returns the slot that had to leave, or -1. */
static long hit(const struct make *make, struct table *t, u32 slot, struct counts *c)
{
	unsigned int i, bits = ilog2(t->n / make->group);
	struct group g = {
		.entry = t->entry + make->hash->group(slot, bits) * make->group,
		.n = make->group,
		.turn = t->turn,
	};
	long left = -1;

	i = find(&g, slot);
	c->hits++;
	c->looked += min(i + 1, g.n);
	if (i < g.n && g.entry[i].hits) {
		g.entry[i].hits++;
		c->moved += make->victim->found(&g, i);
		return -1;
	}
	if (i < g.n) {
		g.entry[i] = (struct profile_entry){ slot, 1 };
		c->moved += make->victim->added(&g, i);
		return -1;
	}
	i = make->victim->choose(&g);
	left = g.entry[i].slot;
	g.entry[i] = (struct profile_entry){ slot, 1 };
	c->moved += make->victim->replaced(&g, i);
	c->evicted++;
	t->turn++;
	return left;
}

/* ---- Few CPUs ------------------------------------------------------------- */

/* What a CPU adds to the counts, and the table it leaves. */
static void run_cpu(const struct pattern *pat, unsigned int cpu,
		    const struct make *make, unsigned int shift,
		    struct counts *c, struct table *t)
{
	struct counts ignored;
	unsigned int i;

	for (i = 0; i < pat->n; i++)
		hit(make, t, pattern_offset(pat, cpu, i) >> shift,
		    i < pat->before ? &ignored : c);
}

/* The same by the profiler itself: atomics that count. */
static unsigned long run_real(const struct pattern *pat, unsigned int cpu,
			      unsigned int shift, struct profile_table *table)
{
	struct profile_buffer buf = { .hits = calloc(TEXT_BYTES, sizeof(*buf.hits)) };
	unsigned int i;

	memset(table, 0, sizeof(*table));
	for (i = 0; i < pat->n; i++) {
		if (i == pat->before)
			shim_atomics = 0;
		profile_table_hit(table, &buf, pattern_offset(pat, cpu, i) >> shift, 1);
	}
	free(buf.hits);
	return shim_atomics;
}

/* As many evictions, and each entry in the same place with the same hits. */
static void prove(const struct pattern *pat, unsigned int shift)
{
	static struct profile_table table;
	unsigned int cpu;
	struct counts c;
	struct table t;

	for (cpu = 0; cpu < RECORDED_CPUS; cpu++) {
		memset(&c, 0, sizeof(c));
		table_init(&t, &real);
		run_cpu(pat, cpu, &real, shift, &c, &t);
		if (run_real(pat, cpu, shift, &table) != c.evicted ||
		    memcmp(t.entry, &table, sizeof(table)))
			die("the profiler does something else on", pat->name);
		free(t.entry);
	}
}

static struct counts run(const struct pattern *pat, const struct make *make,
			 unsigned int shift)
{
	struct counts c = { 0 };
	unsigned int cpu;
	struct table t;

	for (cpu = 0; cpu < RECORDED_CPUS; cpu++) {
		table_init(&t, make);
		run_cpu(pat, cpu, make, shift, &c, &t);
		free(t.entry);
	}
	return c;
}

static void print(const char *question, const char *what, const struct pattern *pat,
		  const char *subject, double value)
{
	printf("simulate/%s/%s/%s\t%s\t%.3g\n", question, what, pat->name, subject, value);
}

/* ---- The best that entries can do ------------------------------------------ */

/* When each of the hits of a CPU comes again, or UINT_MAX. */
static unsigned int *next_hits(const struct pattern *pat, unsigned int cpu)
{
	unsigned int *next = malloc(pat->n * sizeof(*next));
	unsigned int *seen = malloc(TEXT_BYTES * sizeof(*seen));
	unsigned int i = pat->n;
	u32 slot;

	memset(seen, 0xff, TEXT_BYTES * sizeof(*seen));
	while (i--) {
		slot = pattern_offset(pat, cpu, i) >> SHIFT;
		next[i] = seen[slot];
		seen[slot] = i;
	}
	free(seen);
	return next;
}

/*
 * One group of all entries, and a victim that is not hit again for the longest
 * time: that needs to know the future, and no other choice evicts less.
 */
static unsigned int best_of_cpu(const struct pattern *pat, unsigned int cpu,
				unsigned int entries)
{
	u32 *slots = calloc(entries, sizeof(*slots));
	unsigned int *until = calloc(entries, sizeof(*until));
	unsigned int *next = next_hits(pat, cpu);
	unsigned int i, j, far, used = 0, evicted = 0;

	for (i = 0; i < pat->n; i++) {
		u32 slot = pattern_offset(pat, cpu, i) >> SHIFT;

		for (j = far = 0; j < used && slots[j] != slot; j++)
			if (until[j] > until[far])
				far = j;
		if (j == used && used < entries) {
			used++;
		} else if (j == used) {
			j = far;
			evicted += i >= pat->before;
		}
		slots[j] = slot;
		until[j] = next[i];
	}
	free(slots);
	free(until);
	free(next);
	return evicted;
}

static double best(const struct pattern *pat, unsigned int entries)
{
	unsigned int cpu, evicted = 0;

	for (cpu = 0; cpu < RECORDED_CPUS; cpu++)
		evicted += best_of_cpu(pat, cpu, entries);
	return 100.0 * evicted / RECORDED_CPUS / (pat->n - pat->before);
}

/* ---- One choice at a time --------------------------------------------------- */

static struct counts answer(const char *question, const struct pattern *pat,
			    const char *subject, const struct make *make)
{
	struct counts c = run(pat, make, SHIFT);

	print(question, "evict", pat, subject, 100.0 * c.evicted / c.hits);
	return c;
}

static void ask_hash(const struct pattern *pat)
{
	struct make make = real;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hashes); i++) {
		make.hash = &hashes[i];
		answer("hash", pat, hashes[i].name, &make);
	}
}

static void ask_group(const struct pattern *pat)
{
	struct make make = real;
	struct counts c;
	char subject[8];

	for (make.group = 4; make.group <= 16; make.group *= 2) {
		snprintf(subject, sizeof(subject), "%u", make.group);
		c = answer("group", pat, subject, &make);
		print("group", "look", pat, subject, 1.0 * c.looked / c.hits);
	}
}

static void ask_victim(const struct pattern *pat)
{
	struct make make = real;
	struct counts c;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(victims); i++) {
		make.victim = &victims[i];
		c = answer("victim", pat, victims[i].name, &make);
		print("victim", "look", pat, victims[i].name, 1.0 * c.looked / c.hits);
		print("victim", "move", pat, victims[i].name, 1.0 * c.moved / c.hits);
	}
	print("victim", "evict", pat, "best", best(pat, PAGE_ENTRIES));
}

static void ask_pages(const struct pattern *pat)
{
	struct make make = real;
	char subject[8];

	for (make.pages = 1; make.pages <= 8; make.pages *= 2) {
		snprintf(subject, sizeof(subject), "%u", make.pages);
		answer("pages", pat, subject, &make);
	}
}

/* ---- All of them -------------------------------------------------------------- */

static void try_all(const struct pattern *pat)
{
	struct make make = real;
	struct counts c;
	char name[64];
	size_t h, v;

	for (h = 0; h < ARRAY_SIZE(hashes); h++)
		for (make.group = 4; make.group <= 16; make.group *= 2)
			for (v = 0; v < ARRAY_SIZE(victims); v++) {
				make.hash = &hashes[h];
				make.victim = &victims[v];
				snprintf(name, sizeof(name), "%s-%u-%s", hashes[h].name,
					 make.group, victims[v].name);
				answer("all/shift-2", pat, name, &make);
				c = run(pat, &make, 0);
				print("all/shift-0", "evict", pat, name,
				      100.0 * c.evicted / c.hits);
			}
}

/* ---- Many CPUs in step ---------------------------------------------------------- */

/* How many atomics of one tick fall on the cache line of counters that has most. */
static unsigned int crowd(const long *slot, unsigned int cpus)
{
	static unsigned int on_line[TEXT_BYTES / LINE_COUNTERS];
	unsigned int cpu, most = 0;

	for (cpu = 0; cpu < cpus; cpu++)
		if (slot[cpu] >= 0)
			most = max(most, ++on_line[slot[cpu] / LINE_COUNTERS]);
	for (cpu = 0; cpu < cpus; cpu++)
		if (slot[cpu] >= 0)
			on_line[slot[cpu] / LINE_COUNTERS] = 0;
	return most;
}

static void print_step(const char *what, const struct pattern *pat, unsigned int cpus,
		       const char *subject, double value)
{
	printf("simulate/in-step/%s/%u-cpus/%s\t%s\t%.4g\n", what, cpus, pat->name,
	       subject, value);
}

/* All CPUs take their next hit at the same time, with a table each and without. */
static void step(const struct pattern *pat, unsigned int cpus)
{
	struct table *tables = calloc(cpus, sizeof(*tables));
	long *slot = calloc(2 * cpus, sizeof(*slot)), *left = slot + cpus;
	unsigned int cpu, i, most = 0, most_without = 0;
	struct counts c = { 0 };

	for (cpu = 0; cpu < cpus; cpu++)
		table_init(&tables[cpu], &real);
	for (i = 0; i < pat->n; i++) {
		for (cpu = 0; cpu < cpus; cpu++) {
			slot[cpu] = pattern_offset(pat, cpu, i) >> SHIFT;
			left[cpu] = hit(&real, &tables[cpu], slot[cpu], &c);
		}
		most = max(most, crowd(left, cpus));
		most_without = max(most_without, crowd(slot, cpus));
	}
	for (cpu = 0; cpu < cpus; cpu++)
		free(tables[cpu].entry);
	free(tables);
	free(slot);
	print_step("evict", pat, cpus, "no-table", 100);
	print_step("evict", pat, cpus, "table", 100.0 * c.evicted / c.hits);
	print_step("crowd", pat, cpus, "no-table", most_without);
	print_step("crowd", pat, cpus, "table", most);
}

/* Only ticks are in step. */
static void ask_step(const struct pattern *pat)
{
	static const unsigned int cpus[] = { 4, 64, 512, 4096 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++)
		if (!pat->before && !strncmp(pat->name, "ticks-", 6))
			step(pat, cpus[i]);
}

/* -------------------------------------------------------------------------------- */

/* What fits into the table answers nothing. */
static void ask(void (*question)(const struct pattern *pat))
{
	unsigned int i;

	for (i = 0; i < nr_patterns; i++)
		if (run(&patterns[i], &real, SHIFT).evicted)
			question(&patterns[i]);
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && !strcmp(argv[1], "all");
	unsigned int i;

	patterns_read(argv + 1 + all);
	patterns_make();
	patterns_change();
	for (i = 0; i < nr_patterns; i++) {
		prove(&patterns[i], 0);
		prove(&patterns[i], SHIFT);
	}
	if (all) {
		ask(try_all);
		return 0;
	}
	ask(ask_hash);
	ask(ask_group);
	ask(ask_victim);
	ask(ask_pages);
	for (i = 0; i < nr_patterns; i++)
		ask_step(&patterns[i]);
	return 0;
}
