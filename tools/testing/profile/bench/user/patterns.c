// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits to feed profilers with: recorded ones, ones made up, and changes from one
 * to the other. A recording holds as many 32-bit offsets from _stext for each of
 * 4 CPUs.
 */

#include "patterns.h"

#define RECORDED_MAX	0x100000	/* bytes of a recording */
#define MADE_UP		10000		/* hits of each CPU */
#define SLOTS		(TEXT_BYTES >> SHIFT)

struct pattern patterns[32];
unsigned int nr_patterns;

void die(const char *why, const char *what)
{
	fprintf(stderr, "error: %s: %s\n", why, what);
	exit(1);
}

u32 random_u32(void)
{
	static u64 state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 16;
}

/* Room for @n offsets of each CPU. */
static struct pattern *pattern_new(char *name, unsigned int n)
{
	struct pattern *p = &patterns[nr_patterns++];

	if (nr_patterns > ARRAY_SIZE(patterns))
		die("too many patterns", name);
	p->name = name;
	p->n = n;
	p->offset = malloc(RECORDED_CPUS * n * sizeof(u32));
	return p;
}

const struct pattern *pattern_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_patterns; i++)
		if (!strcmp(patterns[i].name, name))
			return &patterns[i];
	die("no such pattern", name);
	return NULL;
}

/* ---- Recorded ------------------------------------------------------------- */

static void pattern_read(const char *path)
{
	static u32 words[RECORDED_MAX / sizeof(u32)];
	const char *name = strrchr(path, '/');
	FILE *file = fopen(path, "r");
	struct pattern *p;
	size_t n, i;

	if (!file)
		die("cannot open", path);
	n = fread(words, sizeof(u32), ARRAY_SIZE(words), file);
	fclose(file);
	if (!n || n == ARRAY_SIZE(words) || n % RECORDED_CPUS)
		die("not a recording of 4 CPUs", path);
	p = pattern_new(strdup(name ? name + 1 : path), n / RECORDED_CPUS);
	p->recorded = true;
	/* What is outside the text, modules for example, is all one slot. */
	for (i = 0; i < n; i++)
		p->offset[i] = min(words[i], TEXT_BYTES - 1);
}

void patterns_read(char **paths)
{
	while (*paths)
		pattern_read(*paths++);
}

/* ---- Made up -------------------------------------------------------------- */

/* Which of @n: each as often as any other, or the i-th 1/i as often. */
static unsigned int choose(unsigned int n, bool skewed)
{
	unsigned int i;

	do {
		i = random_u32() % n;
	} while (skewed && random_u32() % (i + 1));
	return i;
}

static void pattern_make(const char *name, const u32 *slots, unsigned int n,
			 bool skewed)
{
	struct pattern *p = pattern_new(strdup(name), MADE_UP);
	unsigned int i;

	for (i = 0; i < RECORDED_CPUS * MADE_UP; i++)
		p->offset[i] = slots[choose(n, skewed)] << SHIFT;
}

/* No slot 0, as the entries that are free hold that. */
void patterns_make(void)
{
	static u32 slots[4096];
	unsigned int n;
	u32 slot;

	for (n = 0; n < ARRAY_SIZE(slots); n++)
		slots[n] = 1 + random_u32() % (SLOTS - 1);
	pattern_make("one", slots, 1, false);
	pattern_make("16", slots, 16, false);
	pattern_make("64", slots, 64, false);
	pattern_make("400", slots, 400, false);
	pattern_make("1000-skewed", slots, 1000, true);
	for (n = 0; n < ARRAY_SIZE(slots); n++)
		slots[n] = n + 1;
	pattern_make("uniform", slots, ARRAY_SIZE(slots), false);
	/* One group in each profiler: that of 6.1 goes by the low bits. */
	for (n = 0, slot = 64; n < 128; slot += 64)
		if (!hash_32(slot, 6))
			slots[n++] = slot;
	pattern_make("one-group", slots, n, false);
}

/* ---- Changes -------------------------------------------------------------- */

#define LONG	10	/* times that the first load is repeated */

static void pattern_change(const struct pattern *first, const struct pattern *then)
{
	unsigned int cpu, i;
	struct pattern *p;
	char *name;
	u32 *to;

	if (asprintf(&name, "%s-then-%s", first->name, then->name) < 0)
		die("no memory for", "a name");
	p = pattern_new(name, LONG * first->n + then->n);
	p->before = LONG * first->n;
	to = p->offset;
	for (cpu = 0; cpu < RECORDED_CPUS; cpu++) {
		for (i = 0; i < p->before; i++)
			*to++ = pattern_offset(first, cpu, i);
		for (i = 0; i < then->n; i++)
			*to++ = pattern_offset(then, cpu, i);
	}
}

/* Loads that follow another one for which the table is not emptied. */
void patterns_change(void)
{
	static const char *const then[] = {
		"ticks-switches", "ticks-files", "400", "1000-skewed",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(then); i++)
		pattern_change(pattern_find("ticks-mixed"), pattern_find(then[i]));
}
