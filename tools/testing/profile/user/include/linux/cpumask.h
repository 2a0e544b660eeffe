/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs and sets of them. Possible are those below nr_cpu_ids, which a test may
 * change while the profiler is off. A set has a byte for each.
 */
#ifndef SHIM_LINUX_CPUMASK_H
#define SHIM_LINUX_CPUMASK_H

#include <linux/slab.h>

/* As many as a test may want. */
#define SHIM_CPUS		72

struct cpumask {
	bool cpu[SHIM_CPUS];
};

#define cpumask_var_t	struct cpumask *

extern unsigned int nr_cpu_ids;
extern const struct cpumask shim_all_cpus;

#define cpu_possible_mask	(&shim_all_cpus)
#define num_possible_cpus()	nr_cpu_ids
#define for_each_possible_cpu(c)					\
	for ((c) = 0; (c) < (typeof(c))nr_cpu_ids; (c)++)

static inline bool alloc_cpumask_var(struct cpumask **mask, unsigned int gfp)
{
	*mask = kmalloc(nr_cpu_ids, gfp);
	return *mask;
}

static inline bool zalloc_cpumask_var(struct cpumask **mask, unsigned int gfp)
{
	*mask = kzalloc(nr_cpu_ids, gfp);
	return *mask;
}

static inline void free_cpumask_var(struct cpumask *mask)
{
	kfree(mask);
}

static inline bool cpumask_test_cpu(int cpu, const struct cpumask *mask)
{
	return mask->cpu[cpu];
}

static inline void cpumask_set_cpu(int cpu, struct cpumask *mask)
{
	mask->cpu[cpu] = true;
}

static inline bool cpumask_test_and_clear_cpu(int cpu, struct cpumask *mask)
{
	bool was = mask->cpu[cpu];

	mask->cpu[cpu] = false;
	return was;
}

static inline void cpumask_clear(struct cpumask *mask)
{
	memset(mask, 0, nr_cpu_ids);
}

static inline void cpumask_copy(struct cpumask *to, const struct cpumask *from)
{
	memcpy(to, from, nr_cpu_ids);
}

/* The pair that %*pb takes. */
#define cpumask_pr_args(mask)	nr_cpu_ids, mask

int cpumask_parse(const char *text, struct cpumask *mask);

#endif /* SHIM_LINUX_CPUMASK_H */
