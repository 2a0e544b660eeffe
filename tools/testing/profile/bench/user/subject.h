/* SPDX-License-Identifier: GPL-2.0-only */
/* A profiler under test, and the CPU that its caller runs on. */
#ifndef BENCH_SUBJECT_H
#define BENCH_SUBJECT_H

struct subject {
	const char *name;
	void (*start)(void);	/* as the boot does for profile=2 */
	void (*hits)(int type, void *ip, unsigned int nr_hits);
};

extern const struct subject stock_6_1, stock_6_12, ours;

#endif /* BENCH_SUBJECT_H */
