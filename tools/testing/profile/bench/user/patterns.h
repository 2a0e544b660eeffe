/* SPDX-License-Identifier: GPL-2.0-only */
/* Hits to feed profilers with: recorded ones, and ones made up. */
#ifndef BENCH_PATTERNS_H
#define BENCH_PATTERNS_H

#include "shim.h"

#define RECORDED_CPUS	4
#define SHIFT		2	/* of the slots that are made up */

/* Offsets from _stext: @n for each of the recorded CPUs, one CPU after the other */
struct pattern {
	char		*name;
	bool		recorded;
	unsigned int	before;		/* so many of @n only fill the table */
	unsigned int	n;
	u32		*offset;
};

extern struct pattern patterns[];
extern unsigned int nr_patterns;

void die(const char *why, const char *what);
u32 random_u32(void);

void patterns_read(char **paths);
void patterns_make(void);
void patterns_change(void);
const struct pattern *pattern_find(const char *name);

/* More CPUs than were recorded start at other places of the recordings. */
static inline u32 pattern_offset(const struct pattern *p, unsigned int cpu,
				 unsigned int i)
{
	unsigned int from = cpu % RECORDED_CPUS, skip = cpu / RECORDED_CPUS * 7919;

	return p->offset[from * p->n + (i + skip) % p->n];
}

#endif /* BENCH_PATTERNS_H */
