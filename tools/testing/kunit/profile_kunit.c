// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unit tests of the kernel profiler, on private instances of its objects.
 *
 * The reference model is a plain array: the hits that each slot was given.
 * What a profiler made of them is checked against it through one identity, for
 * each slot: hits given = counter in the buffer + hits pending in tables, both
 * stopped at UINT_MAX. Cases are named after the kinds of fault they look for.
 */

#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/profile.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../../../kernel/profile_internal.h"

/* ---- A fake text -------------------------------------------------------- */

/*
 * Room for addresses below and above it on 32 and 64 bits; so many slots that
 * any group is overfull; and a tail that is no whole slot.
 */
#define FAKE_START	(3UL << (BITS_PER_LONG - 2))
#define FAKE_SHIFT	4
#define FAKE_STEP	BIT(FAKE_SHIFT)
#define FAKE_SLOTS	(32 * PROFILE_NR_GROUPS)
#define FAKE_END	(FAKE_START + FAKE_SLOTS * FAKE_STEP)
#define FAKE_TAIL	(FAKE_STEP / 2)
#define FAKE_BYTES	(FAKE_SLOTS * FAKE_STEP + FAKE_TAIL)
#define FAKE_LAST	((u32)(FAKE_SLOTS - 1))

static unsigned long fake_pc(u32 slot)
{
	return FAKE_START + ((unsigned long)slot << FAKE_SHIFT);
}

static const struct profile_pc_row {
	const char	*name;
	unsigned long	pc;
	u32		slot;
} profile_pc_rows[] = {
	{ "first byte",			FAKE_START,			0 },
	{ "end of the first slot",	FAKE_START + FAKE_STEP - 1,	0 },
	{ "second slot",		FAKE_START + FAKE_STEP,		1 },
	{ "end of the last but one",	FAKE_END - FAKE_STEP - 1,
	  FAKE_LAST - 1 },
	{ "last whole slot",		FAKE_END - FAKE_STEP,	FAKE_LAST },
	{ "end of the last whole slot",	FAKE_END - 1,		FAKE_LAST },
	{ "tail",			FAKE_END,		FAKE_LAST },
	{ "end of the tail",		FAKE_END + FAKE_TAIL - 1, FAKE_LAST },
	{ "first byte above",		FAKE_END + FAKE_TAIL,	FAKE_LAST },
	{ "a module far above",		FAKE_END + SZ_16M,	FAKE_LAST },
	{ "last address",		ULONG_MAX,		FAKE_LAST },
	{ "first byte below",		FAKE_START - 1,		FAKE_LAST },
	{ "a slot below",		FAKE_START - FAKE_STEP,	FAKE_LAST },
	{ "far below",			FAKE_START - SZ_16M,	FAKE_LAST },
	{ "a user address",		0x401000,		FAKE_LAST },
	{ "no address",			0,			FAKE_LAST },
};

static void profile_pc_describe(const struct profile_pc_row *row, char *desc)
{
	strscpy(desc, row->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(profile_pc, profile_pc_rows, profile_pc_describe);

/* ---- Fixture and model -------------------------------------------------- */

#define FIXTURE_SEED	0x70726f66696c65ULL
#define FIXTURE_CROWD	12	/* more than a group holds */

/**
 * struct fixture - a private profiler and the model of it
 * @prof: the profiler, of the fake text, without tables
 * @table: a table that belongs to no CPU
 * @given: the model: hits given to each slot
 * @found: scratch: hits found for each slot
 * @crowd: slots of the first group, even ones and odd ones; slot 0 is among
 *	them, which free entries seem to stand for
 * @rnd: the source of all that is random here
 */
struct fixture {
	struct profile		*prof;
	struct profile_table	*table;
	u64			*given;
	u64			*found;
	u32			crowd[2][FIXTURE_CROWD];
	struct rnd_state	rnd;
};

static u32 random_below(struct rnd_state *rnd, u32 ceil)
{
	return ((u64)prandom_u32_state(rnd) * ceil) >> 32;
}

static int fixture_find_crowd(struct fixture *fx)
{
	unsigned int n[2] = { };
	u32 slot;

	for (slot = 0; slot < FAKE_SLOTS; slot++)
		if (!profile_group_index(slot) && n[slot & 1] < FIXTURE_CROWD)
			fx->crowd[slot & 1][n[slot & 1]++] = slot;
	return n[0] + n[1] == 2 * FIXTURE_CROWD ? 0 : -ERANGE;
}

static int fixture_create(struct fixture *fx)
{
	static const struct profile_options opt = {
		.mode = CPU_PROFILING,
		.shift = FAKE_SHIFT,
	};

	prandom_seed_state(&fx->rnd, FIXTURE_SEED);
	fx->prof = profile_create(&opt, FAKE_START, FAKE_BYTES);
	if (IS_ERR(fx->prof))
		return PTR_ERR(fx->prof);
	return fixture_find_crowd(fx);
}

static int fixture_init(struct kunit *test)
{
	struct fixture *fx = kunit_kzalloc(test, sizeof(*fx), GFP_KERNEL);

	test->priv = fx;
	if (!fx)
		return -ENOMEM;
	fx->table = kunit_kzalloc(test, sizeof(*fx->table), GFP_KERNEL);
	fx->given = kunit_kcalloc(test, FAKE_SLOTS, sizeof(*fx->given),
				  GFP_KERNEL);
	fx->found = kunit_kcalloc(test, FAKE_SLOTS, sizeof(*fx->found),
				  GFP_KERNEL);
	if (!fx->table || !fx->given || !fx->found)
		return -ENOMEM;
	return fixture_create(fx);
}

static void fixture_exit(struct kunit *test)
{
	struct fixture *fx = test->priv;

	if (fx && !IS_ERR_OR_NULL(fx->prof))
		profile_destroy(fx->prof);
}

/* Nobody but the test gives a private profiler its tables. */
static struct profile_table *cpu_table(struct profile *prof, int cpu,
				       unsigned int index)
{
	return rcu_dereference_protected(per_cpu_ptr(prof->cpus, cpu)->table[index],
					 true);
}

static u64 table_sum(const struct profile_table *table)
{
	unsigned int i, j;
	u64 sum = 0;

	for (i = 0; table && i < PROFILE_NR_GROUPS; i++)
		for (j = 0; j < PROFILE_GROUP_ENTRIES; j++)
			sum += table->group[i].entry[j].hits;
	return sum;
}

static u64 cpu_pending(struct profile *prof, int cpu)
{
	return table_sum(cpu_table(prof, cpu, 0)) +
	       table_sum(cpu_table(prof, cpu, 1));
}

static u64 all_pending(struct profile *prof)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += cpu_pending(prof, cpu);
	return sum;
}

/* Hits in tables that are to be empty while nobody holds L. */
static u64 retired_pending(struct profile *prof)
{
	u64 sum = 0;
	int cpu;

	mutex_lock(&prof->lock);
	for_each_possible_cpu(cpu)
		sum += table_sum(cpu_table(prof, cpu, !prof->active));
	mutex_unlock(&prof->lock);
	return sum;
}

static u32 buffer_hits(const struct profile_buffer *buf, u32 slot)
{
	return atomic_read(&buf->hits[slot]);
}

/* The counters of every @step-th slot from @first on. */
static u64 buffer_sum_of(const struct profile_buffer *buf, u32 first, u32 step)
{
	u64 sum = 0;
	u32 slot;

	for (slot = first; slot <= buf->last; slot += step)
		sum += buffer_hits(buf, slot);
	return sum;
}

static u64 buffer_sum(const struct profile_buffer *buf)
{
	return buffer_sum_of(buf, 0, 1);
}

static void fixture_find_table(struct fixture *fx,
			       const struct profile_table *table)
{
	const struct profile_entry *entry;
	unsigned int i, j;

	for (i = 0; table && i < PROFILE_NR_GROUPS; i++) {
		for (j = 0; j < PROFILE_GROUP_ENTRIES; j++) {
			entry = &table->group[i].entry[j];
			fx->found[min(entry->slot, FAKE_LAST)] += entry->hits;
		}
	}
}

static void fixture_find(struct fixture *fx)
{
	u32 slot;
	int cpu;

	for (slot = 0; slot < FAKE_SLOTS; slot++)
		fx->found[slot] = buffer_hits(&fx->prof->buffer, slot);
	fixture_find_table(fx, fx->table);
	for_each_possible_cpu(cpu) {
		fixture_find_table(fx, cpu_table(fx->prof, cpu, 0));
		fixture_find_table(fx, cpu_table(fx->prof, cpu, 1));
	}
}

/* How many slots break the identity. */
static unsigned int fixture_wrong_slots(struct fixture *fx)
{
	unsigned int wrong = 0;
	u32 slot;

	fixture_find(fx);
	for (slot = 0; slot < FAKE_SLOTS; slot++)
		wrong += min_t(u64, fx->given[slot], U32_MAX) !=
			 min_t(u64, fx->found[slot], U32_MAX);
	return wrong;
}

static void fixture_check(struct kunit *test, const char *step)
{
	KUNIT_ASSERT_EQ_MSG(test, fixture_wrong_slots(test->priv), 0u,
			    "slots whose hits are wrong after %s", step);
}

static void fixture_forget(struct fixture *fx)
{
	memset(fx->given, 0, FAKE_SLOTS * sizeof(*fx->given));
}

/* Half of the hits crowd into one group. */
static u32 fixture_slot(struct fixture *fx)
{
	u32 i = random_below(&fx->rnd, 4 * FIXTURE_CROWD);

	if (i < 2 * FIXTURE_CROWD)
		return fx->crowd[i & 1][i / 2];
	return random_below(&fx->rnd, FAKE_SLOTS);
}

/* Mostly small, at times none, now and then enough to fill a counter. */
static u32 fixture_weight(struct fixture *fx)
{
	u32 kind = random_below(&fx->rnd, 64);

	if (!kind)
		return U32_MAX - random_below(&fx->rnd, 4);
	return random_below(&fx->rnd, kind < 8 ? 1000 : 4);
}

/* Names a row after its text; what %pE lets through of Latin-1 is masked. */
static int text_describe(char *desc, const char *text, size_t len)
{
	int i, n;

	n = scnprintf(desc, KUNIT_PARAM_DESC_SIZE, "'%*pE'", (int)len, text);
	for (i = 0; i < n; i++)
		if (!isascii(desc[i]))
			desc[i] = '?';
	return n;
}

/* ---- Suite profile_option ----------------------------------------------- */

struct profile_option_row {
	const char	*text;
	size_t		len;
	size_t		bytes;	/* of the text to profile */
	int		mode;
	unsigned int	shift;
};

#define GOOD_OF(bytes, text, mode, shift) \
	{ text, sizeof(text) - 1, bytes, mode, shift }
#define GOOD(text, mode, shift) GOOD_OF(SZ_16M, text, mode, shift)
#define BAD_OF(bytes, text) { text, sizeof(text) - 1, bytes }
#define BAD(text) BAD_OF(SZ_2G, text)

static const struct profile_option_row profile_option_good_rows[] = {
	GOOD("0", CPU_PROFILING, 0),
	GOOD("2", CPU_PROFILING, 2),
	GOOD("2\n", CPU_PROFILING, 2),
	GOOD("04", CPU_PROFILING, 4),
	GOOD("010", CPU_PROFILING, 8),
	GOOD("0x4", CPU_PROFILING, 4),
	GOOD("0X14", CPU_PROFILING, 20),
	GOOD("24", CPU_PROFILING, 24),
	GOOD("cpu", CPU_PROFILING, 0),
	GOOD("cpu\n", CPU_PROFILING, 0),
	GOOD("cpu,", CPU_PROFILING, 0),
	GOOD("cpu3", CPU_PROFILING, 3),
	GOOD("cpu,3", CPU_PROFILING, 3),
	GOOD("cpu,3\n", CPU_PROFILING, 3),
	GOOD("cpu,0x10", CPU_PROFILING, 16),
	GOOD("schedule", SCHED_PROFILING, 0),
	GOOD("schedule\n", SCHED_PROFILING, 0),
	GOOD("schedule,", SCHED_PROFILING, 0),
	GOOD("schedule0", SCHED_PROFILING, 0),
	GOOD("schedule5", SCHED_PROFILING, 5),
	GOOD("schedule,5", SCHED_PROFILING, 5),
	GOOD("schedule,24\n", SCHED_PROFILING, 24),
	GOOD("off", PROFILE_OFF, 0),
	GOOD("off\n", PROFILE_OFF, 0),
	GOOD("00000000000000000000000000000002", CPU_PROFILING, 2),
	GOOD("00000000000000000000000000000002\n", CPU_PROFILING, 2),
	GOOD_OF(1, "0", CPU_PROFILING, 0),
	GOOD_OF(1000, "9", CPU_PROFILING, 9),
	GOOD_OF(1024, "10", CPU_PROFILING, 10),
	GOOD_OF(2047, "schedule,10", SCHED_PROFILING, 10),
	GOOD_OF(SZ_2G, "31", CPU_PROFILING, 31),
	GOOD_OF(UINT_MAX, "31", CPU_PROFILING, 31),
};

static const struct profile_option_row profile_option_bad_rows[] = {
	BAD(""),
	BAD("\n"),
	BAD("\n\n"),
	BAD(" "),
	BAD(","),
	BAD(",2"),
	BAD(",,2"),
	BAD("2,"),
	BAD("2,2"),
	BAD("2\n\n"),
	BAD("\n2"),
	BAD(" 2"),
	BAD("2 "),
	BAD("2\r\n"),
	BAD("2\0"),
	BAD("2\0\n"),
	BAD("\0002"),
	BAD("2x"),
	BAD("2cpu"),
	BAD("0x"),
	BAD("08"),
	BAD("1e1"),
	BAD("+2"),
	BAD("2.0"),
	BAD("c"),
	BAD("cp"),
	BAD("cpus"),
	BAD("CPU"),
	BAD("Cpu,2"),
	BAD("cpu 2"),
	BAD("cpu=2"),
	BAD("cpu,,2"),
	BAD("cpu,2,"),
	BAD("cpu,2,3"),
	BAD("cpu,cpu"),
	BAD("cpu,schedule"),
	BAD("cpu\n,2"),
	BAD("cpu,\0002"),
	BAD("cpu,x"),
	BAD("cpu,-1"),
	BAD("s"),
	BAD("sched"),
	BAD("schedul,2"),
	BAD("schedules"),
	BAD("schedule,,"),
	BAD("schedule;2"),
	BAD("scheduleschedule"),
	BAD("of"),
	BAD("offs"),
	BAD("off,"),
	BAD("off,2"),
	BAD("off2"),
	BAD("OFF"),
	BAD("on"),
	BAD("no"),
	BAD("profile=2"),
	BAD("\xe9"),
	BAD("cpu\xff"),
	BAD("000000000000000000000000000000002"),
	BAD("cpu,00000000000000000000000000002"),
};

/* No shift that can be, or one that leaves no slot. */
static const struct profile_option_row profile_option_shift_rows[] = {
	BAD("-1"),
	BAD("-31"),
	BAD("-2147483648"),
	BAD("32"),
	BAD("0x20"),
	BAD("040"),
	BAD("63"),
	BAD("64"),
	BAD("65"),
	BAD("schedule,32"),
	BAD("schedule,64"),
	BAD("2147483647"),
	BAD("4294967295"),
	BAD("4294967296"),
	BAD("4294967298"),
	BAD("18446744073709551616"),
	BAD("18446744073709551618"),
	BAD("99999999999999999999999999999999"),
	BAD_OF(0, "0"),
	BAD_OF(1, "1"),
	BAD_OF(1, "cpu1"),
	BAD_OF(1023, "10"),
	BAD_OF(1024, "11"),
	BAD_OF(SZ_16M, "25"),
	BAD_OF(SZ_16M, "31"),
	BAD_OF(SZ_16M, "schedule,31"),
	BAD_OF(SZ_2G - 1, "31"),
};

static void profile_option_describe(const struct profile_option_row *row,
				    char *desc)
{
	int n = text_describe(desc, row->text, row->len);

	scnprintf(desc + n, KUNIT_PARAM_DESC_SIZE - n, " in %zu bytes",
		  row->bytes);
}

KUNIT_ARRAY_PARAM(profile_option_good, profile_option_good_rows,
		  profile_option_describe);
KUNIT_ARRAY_PARAM(profile_option_bad, profile_option_bad_rows,
		  profile_option_describe);
KUNIT_ARRAY_PARAM(profile_option_shift, profile_option_shift_rows,
		  profile_option_describe);

/* What no text can ask for. */
static const struct profile_options profile_option_stale = {
	.mode = -1,
	.shift = UINT_MAX,
};

static void option_parser(struct kunit *test)
{
	const struct profile_option_row *row = test->param_value;
	struct profile_options opt = profile_option_stale;
	const char *why;

	why = profile_options_parse(&opt, row->text, row->len, row->bytes);
	KUNIT_EXPECT_STREQ(test, why ?: "", "");
	KUNIT_EXPECT_EQ(test, opt.mode, row->mode);
	KUNIT_EXPECT_EQ(test, opt.shift, row->shift);
}

static void expect_refused(struct kunit *test)
{
	const struct profile_option_row *row = test->param_value;
	struct profile_options opt = profile_option_stale;
	const char *why;

	why = profile_options_parse(&opt, row->text, row->len, row->bytes);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, why);
	KUNIT_EXPECT_GT(test, strlen(why), (size_t)0);
	KUNIT_EXPECT_EQ(test, opt.mode, profile_option_stale.mode);
	KUNIT_EXPECT_EQ(test, opt.shift, profile_option_stale.shift);
}

static void option_parser_refuses(struct kunit *test)
{
	expect_refused(test);
}

static void shift(struct kunit *test)
{
	expect_refused(test);
}

/* After any refusal, a correct text means what it says and nothing more. */
static void stale_option(struct kunit *test)
{
	const struct profile_option_row *row = profile_option_shift_rows;
	struct profile_options opt = { .mode = SCHED_PROFILING, .shift = 7 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(profile_option_shift_rows); i++, row++) {
		profile_options_parse(&opt, row->text, row->len, row->bytes);
		KUNIT_EXPECT_EQ(test, opt.shift, 7u);
	}
	KUNIT_EXPECT_EQ(test, opt.mode, SCHED_PROFILING);
	KUNIT_EXPECT_NULL(test, profile_options_parse(&opt, "cpu", 3, SZ_1M));
	KUNIT_EXPECT_EQ(test, opt.mode, CPU_PROFILING);
	KUNIT_EXPECT_EQ(test, opt.shift, 0u);
}

/* The length counts, not what stands behind it. */
static void option_parser_length(struct kunit *test)
{
	struct profile_options opt = profile_option_stale;

	KUNIT_EXPECT_NULL(test, profile_options_parse(&opt, "12junk", 2, SZ_1M));
	KUNIT_EXPECT_EQ(test, opt.shift, 12u);
	KUNIT_EXPECT_NULL(test, profile_options_parse(&opt, "12", 1, SZ_1M));
	KUNIT_EXPECT_EQ(test, opt.shift, 1u);
	KUNIT_EXPECT_NOT_NULL(test, profile_options_parse(&opt, "2", 0, SZ_1M));
}

/* A mode either runs or is refused in words that say what it lacks. */
static void dead_mode(struct kunit *test)
{
	struct profile_options opt = profile_option_stale;
	const char *why;

	why = profile_options_parse(&opt, "sleep,3", 7, SZ_1M);
	if (IS_ENABLED(CONFIG_SCHEDSTATS) && IS_ENABLED(CONFIG_TRACEPOINTS))
		KUNIT_EXPECT_EQ(test, opt.mode, SLEEP_PROFILING);
	else
		KUNIT_EXPECT_NOT_NULL(test, strstr(why ?: "", "CONFIG_SCHEDSTATS"));

	opt = profile_option_stale;
	why = profile_options_parse(&opt, "kvm3", 4, SZ_1M);
	if (IS_ENABLED(CONFIG_KVM) && IS_ENABLED(CONFIG_X86))
		KUNIT_EXPECT_EQ(test, opt.mode, KVM_PROFILING);
	else
		KUNIT_EXPECT_NOT_NULL(test, strstr(why ?: "", "CONFIG_KVM"));
}

static struct kunit_case profile_option_cases[] = {
	KUNIT_CASE_PARAM(option_parser, profile_option_good_gen_params),
	KUNIT_CASE_PARAM(option_parser_refuses, profile_option_bad_gen_params),
	KUNIT_CASE_PARAM(shift, profile_option_shift_gen_params),
	KUNIT_CASE(stale_option),
	KUNIT_CASE(option_parser_length),
	KUNIT_CASE(dead_mode),
	{ }
};

static struct kunit_suite profile_option_suite = {
	.name = "profile_option",
	.test_cases = profile_option_cases,
};

/* ---- Suite profile_slot ------------------------------------------------- */

static void slot_of_pc(struct kunit *test)
{
	const struct profile_pc_row *row = test->param_value;
	const struct profile_buffer buf = {
		.start = FAKE_START,
		.shift = FAKE_SHIFT,
		.last = FAKE_LAST,
	};

	KUNIT_EXPECT_EQ(test, profile_slot(&buf, row->pc), row->slot);
}

/* As many slots as this shift leaves room for, up to 64. */
static struct profile_buffer slot_buffer(unsigned int shift)
{
	unsigned int bits = min(6u, BITS_PER_LONG - 2 - shift);

	return (struct profile_buffer) {
		.start = FAKE_START,
		.shift = shift,
		.last = (1U << bits) - 1,
	};
}

static void slot_edges(struct kunit *test, const struct profile_buffer *buf)
{
	unsigned long pc = buf->start;
	u32 slot;

	for (slot = 0; slot <= buf->last; slot++, pc += 1UL << buf->shift) {
		KUNIT_EXPECT_EQ(test, profile_slot(buf, pc), slot);
		KUNIT_EXPECT_EQ(test,
				profile_slot(buf, pc + (1UL << buf->shift) - 1),
				slot);
	}
	KUNIT_EXPECT_EQ(test, profile_slot(buf, buf->start - 1), buf->last);
}

static void shift_all(struct kunit *test)
{
	struct profile_buffer buf;
	unsigned int shift;

	for (shift = 0; shift < min(PROFILE_SHIFT_MAX + 1, BITS_PER_LONG - 2);
	     shift++) {
		buf = slot_buffer(shift);
		slot_edges(test, &buf);
	}
}

static void shift_slots(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, profile_nr_slots(FAKE_BYTES, FAKE_SHIFT),
			(size_t)FAKE_SLOTS);
	KUNIT_EXPECT_EQ(test, profile_nr_slots(1023, 10), (size_t)0);
	KUNIT_EXPECT_EQ(test, profile_nr_slots(1024, 10), (size_t)1);
	KUNIT_EXPECT_EQ(test, profile_nr_slots(2047, 10), (size_t)1);
	KUNIT_EXPECT_EQ(test, profile_nr_slots(SZ_2G, PROFILE_SHIFT_MAX),
			(size_t)1);
}

static void group_in_table(struct kunit *test)
{
	u32 slot = 0;
	unsigned int i;

	for (i = 0; i < 32; i++) {
		KUNIT_EXPECT_LT(test, profile_group_index(1U << i),
				(unsigned int)PROFILE_NR_GROUPS);
		KUNIT_EXPECT_LT(test, profile_group_index(~(1U << i)),
				(unsigned int)PROFILE_NR_GROUPS);
	}
	while (slot < FAKE_SLOTS && profile_group_index(slot) < PROFILE_NR_GROUPS)
		slot++;
	KUNIT_EXPECT_EQ(test, slot, (u32)FAKE_SLOTS);
}

/* A hot loop the size of the table's groups fits, wherever it lies. */
static void group_neighbours(struct kunit *test)
{
	struct fixture *fx = test->priv;
	u32 first, i;

	for (first = 0; first < FAKE_SLOTS; first += PROFILE_NR_GROUPS / 2) {
		profile_table_discard(fx->table);
		for (i = 0; i < PROFILE_NR_GROUPS; i++)
			profile_table_hit(fx->table, &fx->prof->buffer,
					  min(first + i, FAKE_LAST), 1);
		KUNIT_ASSERT_EQ(test, table_sum(fx->table),
				(u64)PROFILE_NR_GROUPS);
	}
}

static struct kunit_case profile_slot_cases[] = {
	KUNIT_CASE_PARAM(slot_of_pc, profile_pc_gen_params),
	KUNIT_CASE(shift_all),
	KUNIT_CASE(shift_slots),
	KUNIT_CASE(group_in_table),
	KUNIT_CASE(group_neighbours),
	{ }
};

static struct kunit_suite profile_slot_suite = {
	.name = "profile_slot",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = profile_slot_cases,
};

/* ---- Suite profile_table ------------------------------------------------ */

static void fixture_hit(struct fixture *fx, u32 slot, u32 hits)
{
	profile_table_hit(fx->table, &fx->prof->buffer, slot, hits);
	fx->given[slot] += hits;
}

static void fixture_flush(struct fixture *fx)
{
	profile_table_flush(fx->table, &fx->prof->buffer);
}

/* Back to the start: no hits anywhere. */
static void fixture_empty(struct fixture *fx)
{
	profile_table_discard(fx->table);
	profile_buffer_clear(&fx->prof->buffer);
	fixture_forget(fx);
}

/* All entries of the lone table that stand for a slot. */
static unsigned int fixture_entries(struct fixture *fx, u32 slot, u32 *hits)
{
	struct profile_group *group = &fx->table->group[profile_group_index(slot)];
	unsigned int i, n = 0;

	*hits = 0;
	for (i = 0; i < PROFILE_GROUP_ENTRIES; i++) {
		if (group->entry[i].slot != slot || !group->entry[i].hits)
			continue;
		*hits += group->entry[i].hits;
		n++;
	}
	return n;
}

static void hit_adds(struct kunit *test)
{
	struct fixture *fx = test->priv;
	u32 hits;

	fixture_hit(fx, 5, 1);
	fixture_hit(fx, 5, 41);
	KUNIT_EXPECT_EQ(test, fixture_entries(fx, 5, &hits), 1u);
	KUNIT_EXPECT_EQ(test, hits, 42u);
	KUNIT_EXPECT_EQ(test, buffer_sum(&fx->prof->buffer), 0ULL);
	fixture_check(test, "two hits");
}

/* A group takes as many slots as it has entries before anything is evicted. */
static void group_fills(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;
	u32 hits;

	for (i = 0; i < PROFILE_GROUP_ENTRIES; i++)
		fixture_hit(fx, fx->crowd[0][i], i + 1);
	KUNIT_EXPECT_EQ(test, buffer_sum(&fx->prof->buffer), 0ULL);
	for (i = 0; i < PROFILE_GROUP_ENTRIES; i++)
		KUNIT_EXPECT_EQ(test,
				fixture_entries(fx, fx->crowd[0][i], &hits), 1u);
	fixture_check(test, "filling a group");
}

/* Slot 0 looks like a free entry, at each degree of fullness. */
static void slot_zero(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int before, i;
	u32 hits;

	for (before = 0; before < FIXTURE_CROWD - 1; before++) {
		fixture_empty(fx);
		for (i = 0; i < before; i++)
			fixture_hit(fx, fx->crowd[0][1 + i], 1);
		fixture_hit(fx, 0, 2);
		fixture_hit(fx, 0, 3);
		KUNIT_EXPECT_EQ(test, fixture_entries(fx, 0, &hits), 1u);
		KUNIT_EXPECT_EQ(test, hits, 5u);
		fixture_check(test, "hits at slot 0");
	}
}

/* A weight of nothing takes an entry at most, and gives nobody a hit. */
static void hit_of_nothing(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;

	for (i = 0; i < FIXTURE_CROWD; i++) {
		fixture_hit(fx, fx->crowd[0][i], 0);
		fixture_hit(fx, fx->crowd[1][i], i);
		fixture_hit(fx, fx->crowd[0][i], 0);
		fixture_check(test, "a hit of nothing");
	}
	fixture_flush(fx);
	fixture_check(test, "a flush");
}

struct profile_order_row {
	const char *name;
	const char *hits;	/* one each to slots a, b, ... of a group */
	const char *order;	/* how they stand in it afterwards */
	const char *evicted;	/* those that reached the buffer */
};

static const struct profile_order_row profile_order_rows[] = {
	{ "newcomers", "abc", "cba", "" },
	{ "a full group", "abcdefgh", "hgfedcba", "" },
	{ "a hit in front", "abcc", "cba", "" },
	{ "a hit on the second", "abcb", "bca", "" },
	{ "a hit on the last", "abcdefgha", "hgfedcab", "" },
	{ "one too many", "abcdefghi", "hgfeidcb", "a" },
	{ "many hits give way", "aaaaaaabcdefghij", "hgfejidc", "ab" },
	{ "hits that are not enough", "abcdefghaaijkl", "hgfelkji", "abcd" },
	{ "hits that are enough", "abcdefghaaaaijkl", "hgfalkji", "bcde" },
	{ "a burst", "abcdefghijkl", "hgfelkji", "abcd" },
};

static void profile_order_name(const struct profile_order_row *row, char *desc)
{
	strscpy(desc, row->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(profile_order, profile_order_rows, profile_order_name);

/* What stands in front is what was hit lately and often. */
static void group_order(struct kunit *test)
{
	const struct profile_order_row *row = test->param_value;
	struct fixture *fx = test->priv;
	u32 *crowd = fx->crowd[1];
	const char *c;
	u32 hits;

	for (c = row->hits; *c; c++)
		fixture_hit(fx, crowd[*c - 'a'], 1);
	for (c = row->order; *c; c++)
		KUNIT_EXPECT_EQ(test, crowd[*c - 'a'],
				fx->table->group[0].entry[c - row->order].slot);
	for (c = row->evicted; *c; c++)
		KUNIT_EXPECT_EQ(test, 0u,
				fixture_entries(fx, crowd[*c - 'a'], &hits));
	fixture_check(test, row->name);
}

static unsigned int entries_moved(const struct profile_table *a,
				  const struct profile_table *b,
				  unsigned int group)
{
	const struct profile_entry *old = a->group[group].entry;
	const struct profile_entry *new = b->group[group].entry;
	unsigned int i, n = 0;

	for (i = 0; i < PROFILE_GROUP_ENTRIES; i++)
		n += !!memcmp(&old[i], &new[i], sizeof(*old));
	return n;
}

/* Counts the slots of the buffer that are not as in @old, and updates that. */
static unsigned int counters_moved(const struct profile_buffer *buf, u64 *old)
{
	unsigned int n = 0;
	u32 slot;

	for (slot = 0; slot <= buf->last; slot++) {
		n += old[slot] != buffer_hits(buf, slot);
		old[slot] = buffer_hits(buf, slot);
	}
	return n;
}

static void expect_bounded(struct kunit *test, struct profile_table *old,
			   u64 *counters)
{
	struct fixture *fx = test->priv;
	u32 slot = fixture_slot(fx);
	unsigned int i, others = 0;

	memcpy(old, fx->table, sizeof(*old));
	fixture_hit(fx, slot, 1 + random_below(&fx->rnd, 9));
	for (i = 0; i < PROFILE_NR_GROUPS; i++)
		if (i != profile_group_index(slot))
			others += entries_moved(old, fx->table, i);
	KUNIT_ASSERT_EQ(test, others, 0u);
	KUNIT_ASSERT_NE(test, 0u,
			entries_moved(old, fx->table, profile_group_index(slot)));
	KUNIT_ASSERT_LE(test, counters_moved(&fx->prof->buffer, counters), 1u);
}

/* One hit changes entries of one group and at most one counter. */
static void livelock_group_bound(struct kunit *test)
{
	struct profile_table *old;
	u64 *counters;
	unsigned int i;

	old = kunit_kzalloc(test, sizeof(*old), GFP_KERNEL);
	counters = kunit_kcalloc(test, FAKE_SLOTS, sizeof(*counters),
				 GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, old);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, counters);
	for (i = 0; i < 2000; i++)
		expect_bounded(test, old, counters);
	fixture_check(test, "2000 hits");
}

static void flush_moves_all(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;

	for (i = 0; i < 1000; i++)
		fixture_hit(fx, fixture_slot(fx), 1);
	fixture_flush(fx);
	KUNIT_EXPECT_NULL(test, memchr_inv(fx->table, 0, sizeof(*fx->table)));
	KUNIT_EXPECT_EQ(test, buffer_sum(&fx->prof->buffer), 1000ULL);
	fixture_check(test, "a flush");
}

static void discard_forgets_all(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;

	for (i = 0; i < PROFILE_GROUP_ENTRIES; i++)
		fixture_hit(fx, fx->crowd[0][i], 1 + i);
	profile_table_discard(fx->table);
	KUNIT_EXPECT_NULL(test, memchr_inv(fx->table, 0, sizeof(*fx->table)));
	fixture_forget(fx);
	fixture_check(test, "a discard");
}

static void counter_wrap_entry(struct kunit *test)
{
	static const u32 weights[] = { U32_MAX - 1, 1, 1, U32_MAX, 0 };
	struct fixture *fx = test->priv;
	unsigned int i;
	u32 hits;

	for (i = 0; i < ARRAY_SIZE(weights); i++) {
		fixture_hit(fx, 7, weights[i]);
		fixture_entries(fx, 7, &hits);
		KUNIT_EXPECT_EQ(test, hits, i ? U32_MAX : U32_MAX - 1);
	}
	fixture_check(test, "hits at a full entry");
}

/* The counter is all but full when the entry comes. */
static void counter_wrap_flush(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct profile_buffer *buf = &fx->prof->buffer;
	unsigned int round;

	fixture_hit(fx, 7, U32_MAX - 2);
	for (round = 0; round < 4; round++) {
		fixture_flush(fx);
		KUNIT_EXPECT_EQ(test, buffer_hits(buf, 7),
				round < 2 ? U32_MAX - 2 + round : U32_MAX);
		fixture_check(test, "a flush");
		fixture_hit(fx, 7, round < 2 ? 1 : U32_MAX);
	}
}

static void counter_wrap_eviction(struct kunit *test)
{
	struct fixture *fx = test->priv;
	u32 *crowd = fx->crowd[0];
	unsigned int i, round;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < FIXTURE_CROWD; i++) {
			fixture_hit(fx, crowd[i], U32_MAX - i);
			fixture_check(test, "a hit of nearly all there is");
		}
	}
	for (i = 0; i < PROFILE_GROUP_ENTRIES; i++)
		KUNIT_EXPECT_GE(test, fx->table->group[0].entry[i].hits,
				U32_MAX - FIXTURE_CROWD);
	fixture_flush(fx);
	for (i = 0; i < FIXTURE_CROWD; i++)
		KUNIT_EXPECT_EQ(test, U32_MAX,
				buffer_hits(&fx->prof->buffer, crowd[i]));
}

/* Two tables that change sides by hand, as those of a CPU do. */
static const char *table_model_step(struct fixture *fx,
				    struct profile_table **spare)
{
	switch (random_below(&fx->rnd, 100)) {
	case 0:
		fixture_empty(fx);
		return "a discard";
	case 1:
		fixture_flush(fx);
		return "a flush";
	case 2:
		swap(fx->table, *spare);
		profile_table_flush(*spare, &fx->prof->buffer);
		return "a flip and a flush";
	default:
		fixture_hit(fx, fixture_slot(fx), fixture_weight(fx));
		return "a hit";
	}
}

static void table_model(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct profile_table *spare;
	unsigned int i;

	spare = kunit_kzalloc(test, sizeof(*spare), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, spare);
	for (i = 0; i < 3000; i++)
		fixture_check(test, table_model_step(fx, &spare));
}

static struct kunit_case profile_table_cases[] = {
	KUNIT_CASE(hit_adds),
	KUNIT_CASE(group_fills),
	KUNIT_CASE(slot_zero),
	KUNIT_CASE(hit_of_nothing),
	KUNIT_CASE_PARAM(group_order, profile_order_gen_params),
	KUNIT_CASE(livelock_group_bound),
	KUNIT_CASE(flush_moves_all),
	KUNIT_CASE(discard_forgets_all),
	KUNIT_CASE(counter_wrap_entry),
	KUNIT_CASE(counter_wrap_flush),
	KUNIT_CASE(counter_wrap_eviction),
	KUNIT_CASE(table_model),
	{ }
};

static struct kunit_suite profile_table_suite = {
	.name = "profile_table",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = profile_table_cases,
};

/* ---- Suite profile_buffer ----------------------------------------------- */

static bool buffer_is_zero(const struct profile_buffer *buf)
{
	return !memchr_inv(buf->hits, 0,
			   ((size_t)buf->last + 1) * sizeof(*buf->hits));
}

/* Leave the allocator with used memory of that size to give out again. */
static void dirty_memory(size_t size)
{
	void *p = kvmalloc(size, GFP_KERNEL);

	if (p)
		memset(p, 0x5a, size);
	kvfree(p);
}

static void unzeroed_buffer_small(struct kunit *test)
{
	struct profile_buffer buf;
	size_t slots;
	int err;

	for (slots = 1; slots <= SZ_64K; slots *= 2) {
		dirty_memory(slots * sizeof(atomic_t));
		err = profile_buffer_init(&buf, FAKE_START, slots, 0);
		KUNIT_ASSERT_EQ(test, err, 0);
		KUNIT_EXPECT_TRUE(test, buffer_is_zero(&buf));
		KUNIT_EXPECT_EQ(test, (size_t)buf.last + 1, slots);
		profile_buffer_destroy(&buf);
	}
}

/* More than slab has. */
static void unzeroed_buffer_large(struct kunit *test)
{
	size_t bytes = (size_t)KMALLOC_MAX_SIZE + PAGE_SIZE;
	struct profile_buffer buf;
	int err;

	if (KMALLOC_MAX_SIZE > SZ_32M)
		kunit_skip(test, "slab has up to %lu bytes",
			   (unsigned long)KMALLOC_MAX_SIZE);
	dirty_memory(bytes);
	err = profile_buffer_init(&buf, FAKE_START, bytes, 2);
	KUNIT_ASSERT_EQ(test, err, 0);
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(buf.hits));
	KUNIT_EXPECT_TRUE(test, buffer_is_zero(&buf));
	profile_buffer_add(&buf, buf.last, 1);
	KUNIT_EXPECT_EQ(test, buffer_sum(&buf), 1ULL);
	profile_buffer_destroy(&buf);
}

/* What nobody can allocate is an error and no warning; nothing stays behind. */
static void failed_start(struct kunit *test)
{
	const struct profile_options opt = { .mode = CPU_PROFILING };
	struct profile_buffer buf = { };

	KUNIT_EXPECT_EQ(test, -ENOMEM,
			profile_buffer_init(&buf, 0, SIZE_MAX, 0));
	KUNIT_EXPECT_EQ(test, -ENOMEM,
			profile_buffer_init(&buf, 0, SIZE_MAX / 4, 0));
	KUNIT_EXPECT_NULL(test, buf.hits);
	profile_buffer_destroy(&buf);
	KUNIT_EXPECT_EQ(test, (long)-ENOMEM,
			PTR_ERR_OR_ZERO(profile_create(&opt, 0, SIZE_MAX)));
}

static void shift_without_slot(struct kunit *test)
{
	const struct profile_options opt = { CPU_PROFILING, FAKE_SHIFT };
	struct profile_buffer buf = { };

	KUNIT_EXPECT_EQ(test, -EINVAL, profile_buffer_init(&buf, 0, 1023, 10));
	KUNIT_EXPECT_EQ(test, -EINVAL, profile_buffer_init(&buf, 0, 0, 0));
	KUNIT_EXPECT_NULL(test, buf.hits);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR_OR_ZERO(profile_create(&opt, FAKE_START,
						       FAKE_STEP - 1)));
}

/* The largest shift: a single slot takes all. */
static void shift_of_one_slot(struct kunit *test)
{
	struct profile_buffer buf;
	unsigned int i;
	u32 words[2];
	int err;

	err = profile_buffer_init(&buf, FAKE_START, FAKE_STEP * 2 - 1,
				  FAKE_SHIFT);
	KUNIT_ASSERT_EQ(test, err, 0);
	for (i = 0; i < ARRAY_SIZE(profile_pc_rows); i++)
		profile_buffer_add(&buf,
				   profile_slot(&buf, profile_pc_rows[i].pc), 1);
	profile_file_words(&buf, 0, words, 2);
	KUNIT_EXPECT_EQ(test, words[0], (u32)FAKE_STEP);
	KUNIT_EXPECT_EQ(test, words[1], (u32)ARRAY_SIZE(profile_pc_rows));
	KUNIT_EXPECT_EQ(test, profile_file_size(&buf), (loff_t)sizeof(words));
	profile_buffer_destroy(&buf);
}

static void counter_wrap_buffer(struct kunit *test)
{
	static const u32 weights[] = { U32_MAX - 1, 1, 1, U32_MAX, 0 };
	struct fixture *fx = test->priv;
	struct profile_buffer *buf = &fx->prof->buffer;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(weights); i++) {
		profile_buffer_add(buf, 1, weights[i]);
		KUNIT_EXPECT_EQ(test, buffer_hits(buf, 1),
				i ? U32_MAX : U32_MAX - 1);
	}
	KUNIT_EXPECT_EQ(test, buffer_hits(buf, 0), 0u);
	KUNIT_EXPECT_EQ(test, buffer_hits(buf, 2), 0u);
}

static void counter_wrap_sum(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, profile_saturating_add(1, 2), 3u);
	KUNIT_EXPECT_EQ(test, profile_saturating_add(U32_MAX, 0), U32_MAX);
	KUNIT_EXPECT_EQ(test, profile_saturating_add(U32_MAX - 1, 1), U32_MAX);
	KUNIT_EXPECT_EQ(test, profile_saturating_add(1, U32_MAX), U32_MAX);
	KUNIT_EXPECT_EQ(test, profile_saturating_add(U32_MAX, U32_MAX), U32_MAX);
}

static void clear_reaches_all(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct profile_buffer *buf = &fx->prof->buffer;
	u32 slot;

	for (slot = 0; slot <= buf->last; slot++)
		profile_buffer_add(buf, slot, U32_MAX - slot);
	profile_buffer_clear(buf);
	KUNIT_EXPECT_TRUE(test, buffer_is_zero(buf));
}

static void header_word(struct kunit *test)
{
	struct profile_buffer buf = { };
	u32 word;

	for (buf.shift = 0; buf.shift <= PROFILE_SHIFT_MAX; buf.shift++) {
		profile_file_words(&buf, 0, &word, 1);
		KUNIT_EXPECT_EQ(test, word, 1U << buf.shift);
	}
}

/* The file as one reads it, against what its format says. */
static unsigned int wrong_words(const struct profile_buffer *buf, u32 first,
				const u32 *words, u32 n)
{
	unsigned int wrong = 0;
	u32 i;

	for (i = 0; i < n; i++)
		wrong += words[i] != (first + i ? buffer_hits(buf, first + i - 1) :
						  FAKE_STEP);
	return wrong;
}

static void file_words(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct profile_buffer *buf = &fx->prof->buffer;
	u32 words[8], slot, first, n;

	for (slot = 0; slot <= buf->last; slot++)
		profile_buffer_add(buf, slot, prandom_u32_state(&fx->rnd));
	for (first = 0; first <= buf->last + 1; first++) {
		n = min_t(u32, 1 + first % 7, buf->last + 2 - first);
		words[n] = 0xdeadbeef;
		profile_file_words(buf, first, words, n);
		KUNIT_ASSERT_EQ(test, wrong_words(buf, first, words, n), 0u);
		KUNIT_ASSERT_EQ(test, words[n], 0xdeadbeef);
	}
	KUNIT_EXPECT_EQ(test, profile_file_size(buf),
			(loff_t)(FAKE_SLOTS + 1) * 4);
}

/* Sizes in bytes do not fit into 32 bits at the far end. */
static void file_size_large(struct kunit *test)
{
	const struct profile_buffer buf = { .last = U32_MAX };

	KUNIT_EXPECT_EQ(test, profile_file_size(&buf), (1LL << 34) + 4);
}

static struct kunit_case profile_buffer_cases[] = {
	KUNIT_CASE(unzeroed_buffer_small),
	KUNIT_CASE(unzeroed_buffer_large),
	KUNIT_CASE(failed_start),
	KUNIT_CASE(shift_without_slot),
	KUNIT_CASE(shift_of_one_slot),
	KUNIT_CASE(counter_wrap_buffer),
	KUNIT_CASE(counter_wrap_sum),
	KUNIT_CASE(clear_reaches_all),
	KUNIT_CASE(header_word),
	KUNIT_CASE(file_words),
	KUNIT_CASE(file_size_large),
	{ }
};

static struct kunit_suite profile_buffer_suite = {
	.name = "profile_buffer",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = profile_buffer_cases,
};

/* ---- Suite profile_cpu: one hit at a time ------------------------------- */

struct remote_hit {
	struct profile	*prof;
	unsigned long	pc;
	u32		hits;
};

/* On its CPU, with interrupts off. */
static void remote_hit_charge(void *info)
{
	struct remote_hit *hit = info;

	profile_charge(hit->prof, hit->pc, hit->hits);
}

static void fixture_charge_pc(struct fixture *fx, int cpu, unsigned long pc,
			      u32 hits)
{
	struct remote_hit hit = { fx->prof, pc, hits };

	smp_call_function_single(cpu, remote_hit_charge, &hit, true);
}

static void fixture_charge(struct fixture *fx, int cpu, u32 slot, u32 hits)
{
	fixture_charge_pc(fx, cpu, fake_pc(slot), hits);
	fx->given[slot] += hits;
}

/* Hits on every CPU, so many that some are evicted. */
static void fixture_charge_all(struct fixture *fx, unsigned int n)
{
	unsigned int i;
	int cpu;

	for_each_online_cpu(cpu)
		for (i = 0; i < n; i++)
			fixture_charge(fx, cpu, fixture_slot(fx), 1 + i % 3);
}

static void fixture_prepare(struct fixture *fx)
{
	int cpu;

	for_each_possible_cpu(cpu)
		profile_cpu_prepare(fx->prof, cpu);
}

static int any_cpu(void)
{
	return cpumask_first(cpu_online_mask);
}

static void no_table(struct kunit *test)
{
	struct fixture *fx = test->priv;

	fixture_charge_all(fx, 100);
	KUNIT_EXPECT_EQ(test, all_pending(fx->prof), 0ULL);
	fixture_check(test, "hits without a table");
	profile_flush(fx->prof);
	fixture_check(test, "a flush");
	profile_reset(fx->prof);
	fixture_forget(fx);
	fixture_check(test, "a reset");
}

/* A hit goes into the active table of its own CPU, and nowhere else. */
static void own_table(struct kunit *test)
{
	struct fixture *fx = test->priv;
	int cpu, i;

	fixture_prepare(fx);
	for (i = 0; i < 4; i++) {
		for_each_online_cpu(cpu) {
			fixture_charge(fx, cpu, 9, 1 + cpu);
			KUNIT_EXPECT_EQ(test, cpu_pending(fx->prof, cpu),
					1ULL + cpu);
		}
		KUNIT_EXPECT_EQ(test, retired_pending(fx->prof), 0ULL);
		fixture_check(test, "a hit on each CPU");
		profile_flush(fx->prof);
		KUNIT_EXPECT_EQ(test, all_pending(fx->prof), 0ULL);
	}
	fixture_check(test, "the flushes");
}

static void guest_pc(struct kunit *test)
{
	const struct profile_pc_row *row = test->param_value;
	struct fixture *fx = test->priv;

	fixture_charge_pc(fx, any_cpu(), row->pc, 1);
	fixture_prepare(fx);
	fixture_charge_pc(fx, any_cpu(), row->pc, 2);
	fx->given[row->slot] = 3;
	fixture_check(test, row->name);
	profile_flush(fx->prof);
	fixture_check(test, "a flush");
}

static void flip_to(struct fixture *fx, unsigned int active)
{
	if (fx->prof->active != active)
		profile_flush(fx->prof);
}

static void hotplug_lost_hits(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;
	int cpu;

	fixture_prepare(fx);
	for (i = 0; i < 4; i++) {
		flip_to(fx, i & 1);
		fixture_charge_all(fx, 100);
		for_each_online_cpu(cpu) {
			profile_cpu_fold(fx->prof, cpu);
			KUNIT_EXPECT_EQ(test, cpu_pending(fx->prof, cpu), 0ULL);
		}
		KUNIT_EXPECT_EQ(test, all_pending(fx->prof), 0ULL);
		fixture_check(test, "folding all CPUs");
	}
}

/* A dead CPU's hits are folded in; those of the others stay where they are. */
static void hotplug_fold_one(struct kunit *test)
{
	struct fixture *fx = test->priv;
	u64 pending, others;
	int cpu;

	fixture_prepare(fx);
	fixture_charge_all(fx, 50);
	for_each_online_cpu(cpu) {
		pending = cpu_pending(fx->prof, cpu);
		others = all_pending(fx->prof) - pending;
		KUNIT_EXPECT_GT(test, pending, 0ULL);
		profile_cpu_fold(fx->prof, cpu);
		KUNIT_EXPECT_EQ(test, all_pending(fx->prof), others);
		fixture_check(test, "folding a CPU");
	}
}

/* It died with the index at one value, and returns with it at another one. */
static void expect_return(struct kunit *test, unsigned int died,
			  unsigned int returned)
{
	struct fixture *fx = test->priv;
	struct profile_table *table;
	int cpu = any_cpu();

	flip_to(fx, died);
	fixture_charge(fx, cpu, 3, 5);
	profile_cpu_fold(fx->prof, cpu);
	flip_to(fx, returned);
	table = cpu_table(fx->prof, cpu, returned);
	profile_cpu_prepare(fx->prof, cpu);
	KUNIT_EXPECT_PTR_EQ(test, cpu_table(fx->prof, cpu, returned), table);
	fixture_charge(fx, cpu, 3, 7);
	KUNIT_EXPECT_EQ(test, table_sum(table), 7ULL);
	profile_flush(fx->prof);
	KUNIT_EXPECT_EQ(test, all_pending(fx->prof), 0ULL);
	fixture_check(test, "a CPU's return");
}

static void hotplug_parity(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;

	fixture_prepare(fx);
	for (i = 0; i < 4; i++)
		expect_return(test, i & 1, i >> 1);
	fixture_charge(fx, any_cpu(), 3, 1);
	profile_reset(fx->prof);
	fixture_forget(fx);
	fixture_check(test, "a reset");
}

/* The first tables of a CPU come while the index is at either value. */
static void hotplug_first_tables(struct kunit *test)
{
	struct fixture *fx = test->priv;
	int cpu;

	for_each_online_cpu(cpu) {
		fixture_charge_all(fx, 10);
		profile_cpu_prepare(fx->prof, cpu);
		KUNIT_EXPECT_EQ(test, cpu_pending(fx->prof, cpu), 0ULL);
		fixture_charge_all(fx, 10);
		KUNIT_EXPECT_GT(test, cpu_pending(fx->prof, cpu), 0ULL);
		fixture_check(test, "the first tables");
		profile_flush(fx->prof);
		KUNIT_EXPECT_EQ(test, all_pending(fx->prof), 0ULL);
	}
	fixture_check(test, "the last flush");
}

/* No table was to be had when the CPU came: everything copes without it. */
static void drop_table(struct fixture *fx, int cpu, unsigned int index)
{
	kfree(cpu_table(fx->prof, cpu, index));
	RCU_INIT_POINTER(per_cpu_ptr(fx->prof->cpus, cpu)->table[index], NULL);
}

static void half_a_pair(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;
	int cpu = any_cpu();

	fixture_prepare(fx);
	for (i = 0; i < 4; i++) {
		flip_to(fx, i & 1);
		drop_table(fx, cpu, i >> 1);
		fixture_charge(fx, cpu, 3, 11);
		KUNIT_EXPECT_EQ(test, cpu_pending(fx->prof, cpu),
				i == 0 || i == 3 ? 0ULL : 11ULL);
		profile_flush(fx->prof);
		fixture_charge(fx, cpu, 3, 13);
		fixture_check(test, "hits on half a pair");
		profile_cpu_fold(fx->prof, cpu);
		profile_cpu_prepare(fx->prof, cpu);
		fixture_check(test, "the other half");
		KUNIT_EXPECT_NOT_NULL(test, cpu_table(fx->prof, cpu, i >> 1));
	}
}

/* Nothing comes back: not from the buffer, not from a table of either side. */
static void reset_race(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;

	fixture_prepare(fx);
	for (i = 0; i < 4; i++) {
		flip_to(fx, i & 1);
		fixture_charge_all(fx, 100);
		profile_reset(fx->prof);
		fixture_forget(fx);
		KUNIT_EXPECT_EQ(test, all_pending(fx->prof), 0ULL);
		fixture_check(test, "a reset");
		profile_flush(fx->prof);
		fixture_check(test, "a flush");
		profile_flush(fx->prof);
		fixture_check(test, "another flush");
	}
}

static void counter_wrap(struct kunit *test)
{
	static const u32 weights[] = { U32_MAX, 1, U32_MAX - 1, 2, U32_MAX };
	struct fixture *fx = test->priv;
	struct profile_buffer *buf = &fx->prof->buffer;
	unsigned int i, tables;

	for (tables = 0; tables < 2; tables++) {
		for (i = 0; i < ARRAY_SIZE(weights); i++) {
			fixture_charge(fx, any_cpu(), 3, weights[i]);
			fixture_check(test, "a hit");
			profile_flush(fx->prof);
			KUNIT_EXPECT_EQ(test, buffer_hits(buf, 3), U32_MAX);
		}
		profile_reset(fx->prof);
		fixture_forget(fx);
		fixture_prepare(fx);
	}
}

static const char *cpu_model_step(struct fixture *fx, int cpu)
{
	switch (random_below(&fx->rnd, 100)) {
	case 0:
		profile_reset(fx->prof);
		fixture_forget(fx);
		return "a reset";
	case 1:
	case 2:
		profile_flush(fx->prof);
		return "a flush";
	case 3:
		profile_cpu_fold(fx->prof, cpu);
		return "a fold";
	case 4:
		profile_cpu_prepare(fx->prof, cpu);
		return "a prepare";
	default:
		fixture_charge(fx, cpu, fixture_slot(fx), fixture_weight(fx));
		return "a hit";
	}
}

static void cpu_model(struct kunit *test)
{
	struct fixture *fx = test->priv;
	unsigned int i;
	int cpu = -1;

	for (i = 0; i < 2000; i++) {
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = any_cpu();
		fixture_check(test, cpu_model_step(fx, cpu));
		KUNIT_ASSERT_EQ(test, retired_pending(fx->prof), 0ULL);
	}
}

/* ---- Suite profile_cpu: all CPUs at once -------------------------------- */

#define TORTURE_BATCH	64	/* hits between looks at the outer world */
#define TORTURE_HITS	250000	/* of each worker, at least */
#define TORTURE_FLIPS	10	/* at least, beside those of the flipper */
#define TORTURE_RESETS	3	/* of both kinds */
#define TORTURE_DEATHS	3	/* of each CPU */

struct torture;

/**
 * struct torture_worker - a thread that gives hits on a CPU of its own
 * @torture: what it belongs to
 * @task: the thread
 * @cpu: the CPU
 * @given: its part of the model
 * @begun: hits that may have been given
 * @done: hits that have been given
 * @rnd: where it takes its slots from
 */
struct torture_worker {
	struct torture		*torture;
	struct task_struct	*task;
	unsigned int		cpu;
	u64			*given;
	unsigned long		begun;
	unsigned long		done;
	struct rnd_state	rnd;
};

/**
 * struct torture - one worker for each CPU, and a flipper, until they stop
 * @fx: with the profiler that takes the hits
 * @flipper: a thread that flushes without a pause
 * @worker: the workers
 * @nr: how many
 * @colour: 0 while even slots are hit, 1 while odd ones are; changes while all
 *	workers are parked
 * @missing: flushes that left out hits given before
 * @excess: moments at which the buffer had more hits than were given
 * @dirty: flushes that left hits in a retired table
 * @ghosts: resets after which a hit from before them was seen
 */
struct torture {
	struct fixture		*fx;
	struct task_struct	*flipper;
	struct torture_worker	*worker;
	unsigned int		nr;
	unsigned int		colour;
	unsigned int		missing;
	unsigned int		excess;
	unsigned int		dirty;
	unsigned int		ghosts;
};

/* One slot that all CPUs share, an overfull group, and mostly any slot. */
static u32 torture_slot(struct torture_worker *w, unsigned int colour)
{
	u32 kind = random_below(&w->rnd, 8);

	if (kind == 0)
		return colour;
	if (kind < 5)
		return random_below(&w->rnd, FAKE_SLOTS / 2) * 2 + colour;
	return w->torture->fx->crowd[colour][random_below(&w->rnd,
							  FIXTURE_CROWD)];
}

static void torture_hit(struct torture_worker *w, u32 slot)
{
	unsigned long flags;

	local_irq_save(flags);
	profile_charge(w->torture->fx->prof, fake_pc(slot), 1);
	local_irq_restore(flags);
	w->given[slot]++;
}

static void torture_batch(struct torture_worker *w)
{
	unsigned int i, colour = READ_ONCE(w->torture->colour);

	/* Pairs with torture_begun(): announced before they can be seen. */
	smp_store_mb(w->begun, w->begun + TORTURE_BATCH);
	for (i = 0; i < TORTURE_BATCH; i++)
		torture_hit(w, torture_slot(w, colour));
	/* Pairs with torture_done(): given before they are reported. */
	smp_store_release(&w->done, w->done + TORTURE_BATCH);
}

static int torture_thread(void *data)
{
	while (!kthread_should_stop()) {
		if (kthread_should_park())
			kthread_parkme();
		torture_batch(data);
		cond_resched();
	}
	return 0;
}

static int torture_flipper(void *data)
{
	while (!kthread_should_stop()) {
		if (kthread_should_park())
			kthread_parkme();
		profile_flush(data);
		cond_resched();
	}
	return 0;
}

/* At least so many hits have been given. */
static unsigned long torture_done(const struct torture *t)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		/* Pairs with torture_batch(). */
		sum += smp_load_acquire(&t->worker[i].done);
	return sum;
}

/* What was seen before is among this many hits. */
static unsigned long torture_begun(const struct torture *t)
{
	unsigned long sum = 0;
	unsigned int i;

	/* Pairs with torture_batch(). */
	smp_rmb();
	for (i = 0; i < t->nr; i++)
		sum += READ_ONCE(t->worker[i].begun);
	return sum;
}

/* Returns once each worker has given @hits more. */
static void torture_wait(const struct torture *t, unsigned long hits)
{
	unsigned long done;
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		done = READ_ONCE(t->worker[i].done);
		while (READ_ONCE(t->worker[i].done) - done < hits)
			schedule_timeout_uninterruptible(1);
	}
}

/* Returns as soon as any worker has given a batch more. */
static void torture_wait_any(const struct torture *t)
{
	unsigned long done = torture_done(t);

	while (torture_done(t) == done)
		cond_resched();
}

static void torture_paint(struct torture *t, unsigned int colour)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		kthread_park(t->worker[i].task);
	WRITE_ONCE(t->colour, colour);
	for (i = 0; i < t->nr; i++)
		kthread_unpark(t->worker[i].task);
}

static void torture_stop(struct torture *t)
{
	unsigned int i;

	if (!IS_ERR_OR_NULL(t->flipper))
		kthread_stop(t->flipper);
	for (i = 0; i < t->nr; i++)
		kthread_stop(t->worker[i].task);
}

/* The model is complete once the workers are gone. */
static void torture_collect(struct torture *t)
{
	unsigned int i;
	u32 slot;

	for (i = 0; i < t->nr; i++)
		for (slot = 0; slot < FAKE_SLOTS; slot++)
			t->fx->given[slot] += t->worker[i].given[slot];
}

static int torture_add_worker(struct kunit *test, struct torture *t,
			      unsigned int cpu)
{
	struct torture_worker *w = &t->worker[t->nr];

	w->torture = t;
	w->cpu = cpu;
	prandom_seed_state(&w->rnd, FIXTURE_SEED + 1 + cpu);
	w->given = kunit_kcalloc(test, FAKE_SLOTS, sizeof(*w->given),
				 GFP_KERNEL);
	if (!w->given)
		return -ENOMEM;
	w->task = kthread_create_on_cpu(torture_thread, w, cpu, "profile/%u");
	if (IS_ERR(w->task))
		return PTR_ERR(w->task);
	t->nr++;
	return 0;
}

static int torture_add_workers(struct kunit *test, struct torture *t)
{
	unsigned int cpu;
	int err = 0;

	t->worker = kunit_kcalloc(test, num_possible_cpus(),
				  sizeof(*t->worker), GFP_KERNEL);
	if (!t->worker)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		err = torture_add_worker(test, t, cpu);
		if (err)
			break;
	}
	return err;
}

static int torture_create(struct kunit *test, struct torture *t)
{
	int err;

	t->fx = test->priv;
	err = torture_add_workers(test, t);
	if (err)
		return err;
	t->flipper = kthread_create(torture_flipper, t->fx->prof,
				    "profile_flipper");
	return PTR_ERR_OR_ZERO(t->flipper);
}

/* No assertion may fail between this and torture_stop(). */
static void torture_start(struct kunit *test, struct torture *t)
{
	unsigned int i;
	int err;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs more than one CPU");
	err = torture_create(test, t);
	if (err)
		torture_stop(t);
	KUNIT_ASSERT_EQ(test, err, 0);
	wake_up_process(t->flipper);
	for (i = 0; i < t->nr; i++)
		wake_up_process(t->worker[i].task);
}

static void torture_expect_none(struct kunit *test, const struct torture *t)
{
	KUNIT_EXPECT_EQ_MSG(test, t->missing, 0u, "flushes left out hits");
	KUNIT_EXPECT_EQ_MSG(test, t->excess, 0u, "more hits than were given");
	KUNIT_EXPECT_EQ_MSG(test, t->dirty, 0u, "retired tables with hits");
	KUNIT_EXPECT_EQ_MSG(test, t->ghosts, 0u, "hits from before a reset");
}

static void torture_flush(struct torture *t)
{
	struct profile *prof = t->fx->prof;
	unsigned long done = torture_done(t);
	u64 sum;

	profile_flush(prof);
	sum = buffer_sum(&prof->buffer);
	t->missing += sum < done;
	t->excess += sum > torture_begun(t);
	t->dirty += retired_pending(prof) != 0;
}

/* Both are bounds: without a wait in the flip, the flips alone take no time. */
static bool torture_flip_more(const struct torture *t, unsigned int flips,
			      unsigned long hits)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		if (READ_ONCE(t->worker[i].done) < hits)
			return true;
	return flips < TORTURE_FLIPS;
}

static void torture_flip(struct kunit *test, unsigned long hits)
{
	struct torture t = { };
	unsigned int flips;

	torture_start(test, &t);
	for (flips = 0; torture_flip_more(&t, flips, hits); flips++)
		torture_flush(&t);
	torture_stop(&t);
	torture_collect(&t);
	torture_expect_none(test, &t);
	fixture_check(test, "the workers' end");
	profile_flush(t.fx->prof);
	KUNIT_EXPECT_EQ(test, all_pending(t.fx->prof), 0ULL);
	fixture_check(test, "the last flush");
}

static void flip_under_hits(struct kunit *test)
{
	fixture_prepare(test->priv);
	torture_flip(test, TORTURE_HITS);
}

static void no_table_under_hits(struct kunit *test)
{
	torture_flip(test, TORTURE_HITS / 10);
}

/*
 * Hits of the old colour are given before the reset, and many of them pending
 * when it starts; those of the new colour are evicting them.
 */
static void torture_reset(struct torture *t)
{
	struct profile *prof = t->fx->prof;
	unsigned int old = t->colour;
	unsigned long done;
	u64 ghosts;

	torture_wait(t, 100 * TORTURE_BATCH);
	torture_paint(t, !old);
	torture_wait_any(t);
	done = torture_done(t);
	profile_reset(prof);
	ghosts = buffer_sum_of(&prof->buffer, old, 2);
	t->excess += buffer_sum(&prof->buffer) > torture_begun(t) - done;
	t->dirty += retired_pending(prof) != 0;
	profile_flush(prof);
	ghosts += buffer_sum_of(&prof->buffer, old, 2);
	t->excess += buffer_sum(&prof->buffer) > torture_begun(t) - done;
	t->ghosts += ghosts != 0;
}

/* Against a flipper, which leaves little pending, and without it. */
static void torture_resets(struct torture *t)
{
	unsigned int i;

	for (i = 0; i < TORTURE_RESETS; i++) {
		torture_reset(t);
		kthread_park(t->flipper);
		torture_reset(t);
		kthread_unpark(t->flipper);
	}
}

/* What was given after the last reset is there, and nothing else. */
static void reset_race_under_hits(struct kunit *test)
{
	struct torture t = { };
	unsigned long begun, done;
	u64 sum;

	fixture_prepare(test->priv);
	torture_start(test, &t);
	torture_resets(&t);
	done = torture_done(&t);
	profile_reset(t.fx->prof);
	begun = torture_begun(&t);
	torture_wait(&t, TORTURE_BATCH);
	torture_stop(&t);
	profile_flush(t.fx->prof);

	sum = buffer_sum(&t.fx->prof->buffer);
	KUNIT_EXPECT_GE(test, sum, (u64)torture_done(&t) - begun);
	KUNIT_EXPECT_LE(test, sum, (u64)torture_done(&t) - done);
	torture_expect_none(test, &t);
}

/* To the profiler, a CPU whose worker is parked is as good as dead. */
static void torture_hotplug(struct torture *t, struct torture_worker *w)
{
	struct profile *prof = t->fx->prof;

	kthread_park(w->task);
	profile_cpu_fold(prof, w->cpu);
	t->dirty += cpu_pending(prof, w->cpu) != 0;
	profile_cpu_prepare(prof, w->cpu);
	kthread_unpark(w->task);
	torture_wait(t, TORTURE_BATCH);
}

static void hotplug_lost_hits_under_hits(struct kunit *test)
{
	struct torture t = { };
	unsigned int i;

	fixture_prepare(test->priv);
	torture_start(test, &t);
	for (i = 0; i < TORTURE_DEATHS * t.nr; i++)
		torture_hotplug(&t, &t.worker[i % t.nr]);
	torture_stop(&t);
	torture_collect(&t);
	torture_expect_none(test, &t);
	fixture_check(test, "the workers' end");
	profile_flush(t.fx->prof);
	KUNIT_EXPECT_EQ(test, all_pending(t.fx->prof), 0ULL);
	fixture_check(test, "the last flush");
}

static struct kunit_case profile_cpu_cases[] = {
	KUNIT_CASE(no_table),
	KUNIT_CASE(own_table),
	KUNIT_CASE_PARAM(guest_pc, profile_pc_gen_params),
	KUNIT_CASE(hotplug_lost_hits),
	KUNIT_CASE(hotplug_fold_one),
	KUNIT_CASE(hotplug_parity),
	KUNIT_CASE(hotplug_first_tables),
	KUNIT_CASE(half_a_pair),
	KUNIT_CASE(reset_race),
	KUNIT_CASE(counter_wrap),
	KUNIT_CASE(cpu_model),
	KUNIT_CASE(flip_under_hits),
	KUNIT_CASE(no_table_under_hits),
	KUNIT_CASE(reset_race_under_hits),
	KUNIT_CASE(hotplug_lost_hits_under_hits),
	{ }
};

static struct kunit_suite profile_cpu_suite = {
	.name = "profile_cpu",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = profile_cpu_cases,
};

/* ---- Suite profile_mask ------------------------------------------------- */

static const struct profile_mask_row {
	const char	*text;
	size_t		len;
	int		err;
} profile_mask_rows[] = {
#define MASK(text, err) { text, sizeof(text) - 1, err }
	MASK("0", 0),
	MASK("1", 0),
	MASK("0\n", 0),
	MASK("1\n", 0),
	MASK("01", 0),
	MASK("00000001\n", 0),
	MASK("", -EINVAL),
	MASK("\n", -EINVAL),
	MASK("\n\n", -EINVAL),
	MASK("1\n\n", -EINVAL),
	MASK("\n1", -EINVAL),
	MASK("1\n1", -EINVAL),
	MASK(" ", -EINVAL),
	MASK(" 1", -EINVAL),
	MASK("1 ", -EINVAL),
	MASK("1\r\n", -EINVAL),
	MASK("\0", -EINVAL),
	MASK("1\0", -EINVAL),
	MASK("1\0\n", -EINVAL),
	MASK("1\0001", -EINVAL),
	MASK(",", -EINVAL),
	MASK(",\n", -EINVAL),
	MASK("1,", -EINVAL),
	MASK("1,\n", -EINVAL),
	MASK(",1", -EINVAL),
	MASK("1,,1", -EINVAL),
	MASK("0x1", -EINVAL),
	MASK("-1", -EINVAL),
	MASK("+1", -EINVAL),
	MASK("g", -EINVAL),
	MASK("1g", -EINVAL),
	MASK("0-1", -EINVAL),
	MASK("all", -EINVAL),
	MASK("\xb2", -EINVAL),
	MASK("100000000", -EOVERFLOW),
	MASK("100000000\n", -EOVERFLOW),
};

static void profile_mask_describe(const struct profile_mask_row *row,
				  char *desc)
{
	text_describe(desc, row->text, row->len);
}

KUNIT_ARRAY_PARAM(profile_mask, profile_mask_rows, profile_mask_describe);

static struct cpumask *mask_alloc(struct kunit *test)
{
	struct cpumask *mask = kunit_kzalloc(test, cpumask_size(), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mask);
	return mask;
}

static char *text_alloc(struct kunit *test)
{
	char *text = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, text);
	return text;
}

static unsigned int wrong_flags(struct profile *prof)
{
	unsigned int wrong = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		wrong += per_cpu_ptr(prof->cpus, cpu)->muted ==
			 cpumask_test_cpu(cpu, prof->mask);
	return wrong;
}

static void expect_mask(struct kunit *test, const struct cpumask *mask,
			const char *step)
{
	struct fixture *fx = test->priv;

	KUNIT_ASSERT_TRUE_MSG(test, cpumask_equal(fx->prof->mask, mask),
			      "not the mask expected after %s", step);
	KUNIT_ASSERT_EQ_MSG(test, wrong_flags(fx->prof), 0u,
			    "CPUs whose flag is wrong after %s", step);
}

static int mask_store(struct fixture *fx, const char *text)
{
	return profile_mask_store(fx->prof, text, strlen(text));
}

/* The text of a mask with one bit: groups of 32, the highest first. */
static void mask_print_bit(char *text, unsigned int bit)
{
	int n = scnprintf(text, PAGE_SIZE, "%x", 1U << bit % 32);

	for (; bit >= 32; bit -= 32)
		n += scnprintf(text + n, PAGE_SIZE - n, ",00000000");
}

static void mask_default(struct kunit *test)
{
	expect_mask(test, cpu_possible_mask, "the start");
}

/* On error nothing changes: not the mask, not a flag, not what is parked. */
static void mask_text(struct kunit *test)
{
	const struct profile_mask_row *row = test->param_value;
	struct fixture *fx = test->priv;
	struct cpumask *mask = mask_alloc(test);

	profile_mask_park(fx->prof, 0);
	KUNIT_EXPECT_EQ(test, row->err,
			profile_mask_store(fx->prof, row->text, row->len));
	if (row->err) {
		profile_mask_unpark(fx->prof, 0);
		cpumask_copy(mask, cpu_possible_mask);
	} else if (strchr(row->text, '1')) {
		cpumask_set_cpu(0, mask);
	}
	expect_mask(test, mask, "a store");
}

/* What is written is what is there, for each bit and for all of them. */
static void mask_every_bit(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct cpumask *mask = mask_alloc(test);
	char *text = text_alloc(test);
	unsigned int bit;

	for (bit = 0; bit < nr_cpu_ids; bit++) {
		mask_print_bit(text, bit);
		KUNIT_EXPECT_EQ(test, mask_store(fx, text), 0);
		cpumask_clear(mask);
		cpumask_set_cpu(bit, mask);
		expect_mask(test, mask, text);
	}
	scnprintf(text, PAGE_SIZE, "%*pb\n", cpumask_pr_args(cpu_possible_mask));
	KUNIT_EXPECT_EQ(test, mask_store(fx, text), 0);
	expect_mask(test, cpu_possible_mask, text);
}

/* Bits of CPUs that can't be, within the last group of 32 and beyond it. */
static void mask_too_large(struct kunit *test)
{
	struct fixture *fx = test->priv;
	char *text = text_alloc(test);
	unsigned int bit;

	for (bit = nr_cpu_ids; bit < nr_cpu_ids + 100; bit++) {
		mask_print_bit(text, bit);
		KUNIT_EXPECT_EQ_MSG(test, mask_store(fx, text), -EOVERFLOW,
				    "'%s'", text);
		expect_mask(test, cpu_possible_mask, text);
	}
}

static void mask_park_on(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct cpumask *mask = mask_alloc(test);
	int cpu;

	for_each_possible_cpu(cpu) {
		cpumask_copy(mask, cpu_possible_mask);
		cpumask_clear_cpu(cpu, mask);
		profile_mask_park(fx->prof, cpu);
		expect_mask(test, mask, "a CPU went");
		profile_mask_unpark(fx->prof, cpu);
		expect_mask(test, cpu_possible_mask, "it came back");
	}
}

static void mask_park_off(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct cpumask *mask = mask_alloc(test);
	int cpu;

	KUNIT_ASSERT_EQ(test, mask_store(fx, "0"), 0);
	for_each_possible_cpu(cpu) {
		profile_mask_park(fx->prof, cpu);
		expect_mask(test, mask, "a CPU went");
		profile_mask_unpark(fx->prof, cpu);
		expect_mask(test, mask, "it came back");
	}
}

/* A CPU never seen comes for the first time: it is as the mask says. */
static void mask_unpark_unseen(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct cpumask *mask = mask_alloc(test);

	profile_mask_unpark(fx->prof, 0);
	expect_mask(test, cpu_possible_mask, "a first coming");
	KUNIT_ASSERT_EQ(test, mask_store(fx, "0"), 0);
	profile_mask_unpark(fx->prof, 0);
	expect_mask(test, mask, "a first coming while paused");
}

/* CPU 0 is away with its bit; the store alone says how it returns. */
static void mask_store_while_parked(struct kunit *test)
{
	struct fixture *fx = test->priv;
	struct cpumask *mask = mask_alloc(test);

	profile_mask_park(fx->prof, 0);
	KUNIT_ASSERT_EQ(test, mask_store(fx, "0"), 0);
	profile_mask_unpark(fx->prof, 0);
	expect_mask(test, mask, "a return to a mask without it");

	profile_mask_park(fx->prof, 0);
	KUNIT_ASSERT_EQ(test, mask_store(fx, "1"), 0);
	cpumask_set_cpu(0, mask);
	expect_mask(test, mask, "a store of its bit while it is away");
	profile_mask_unpark(fx->prof, 0);
	expect_mask(test, mask, "a return to a mask with it");
}

/**
 * struct mask_model - what masks are to be, one bool for each bit
 * @on: the bit is set
 * @kept: the CPU is away and returns with its bit set
 */
struct mask_model {
	bool on[NR_CPUS];
	bool kept[NR_CPUS];
};

static void mask_model_store(struct kunit *test, struct mask_model *model,
			     char *text)
{
	struct fixture *fx = test->priv;
	struct cpumask *mask = mask_alloc(test);
	int cpu;

	memset(model, 0, sizeof(*model));
	for_each_possible_cpu(cpu) {
		model->on[cpu] = random_below(&fx->rnd, 2);
		if (model->on[cpu])
			cpumask_set_cpu(cpu, mask);
	}
	scnprintf(text, PAGE_SIZE, "%*pb", cpumask_pr_args(mask));
	KUNIT_ASSERT_EQ(test, mask_store(fx, text), 0);
	kunit_kfree(test, mask);
}

static void mask_model_park(struct fixture *fx, struct mask_model *model,
			    int cpu)
{
	profile_mask_park(fx->prof, cpu);
	model->kept[cpu] |= model->on[cpu];
	model->on[cpu] = false;
}

static void mask_model_unpark(struct fixture *fx, struct mask_model *model,
			      int cpu)
{
	profile_mask_unpark(fx->prof, cpu);
	model->on[cpu] |= model->kept[cpu];
	model->kept[cpu] = false;
}

static unsigned int mask_model_wrong(struct fixture *fx,
				     const struct mask_model *model)
{
	unsigned int wrong = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		wrong += model->on[cpu] != cpumask_test_cpu(cpu, fx->prof->mask);
	return wrong + wrong_flags(fx->prof);
}

static void mask_model_step(struct kunit *test, struct mask_model *model,
			    char *text, int cpu)
{
	struct fixture *fx = test->priv;

	switch (random_below(&fx->rnd, 8)) {
	case 0:
		mask_model_store(test, model, text);
		break;
	case 1:
		KUNIT_ASSERT_EQ(test, mask_store(fx, "1,,1"), -EINVAL);
		break;
	case 2:
	case 3:
	case 4:
		mask_model_park(fx, model, cpu);
		break;
	default:
		mask_model_unpark(fx, model, cpu);
	}
	KUNIT_ASSERT_EQ(test, mask_model_wrong(fx, model), 0u);
}

static void mask_model(struct kunit *test)
{
	struct mask_model *model;
	char *text = text_alloc(test);
	unsigned int round;
	int cpu;

	model = kunit_kzalloc(test, sizeof(*model), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, model);
	for_each_possible_cpu(cpu)
		model->on[cpu] = true;
	for (round = 0; round < 200; round++)
		for_each_possible_cpu(cpu)
			mask_model_step(test, model, text, cpu);
}

static struct kunit_case profile_mask_cases[] = {
	KUNIT_CASE(mask_default),
	KUNIT_CASE_PARAM(mask_text, profile_mask_gen_params),
	KUNIT_CASE(mask_every_bit),
	KUNIT_CASE(mask_too_large),
	KUNIT_CASE(mask_park_on),
	KUNIT_CASE(mask_park_off),
	KUNIT_CASE(mask_unpark_unseen),
	KUNIT_CASE(mask_store_while_parked),
	KUNIT_CASE(mask_model),
	{ }
};

static struct kunit_suite profile_mask_suite = {
	.name = "profile_mask",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = profile_mask_cases,
};

kunit_test_suites(&profile_option_suite, &profile_slot_suite,
		  &profile_table_suite, &profile_buffer_suite,
		  &profile_cpu_suite, &profile_mask_suite);
