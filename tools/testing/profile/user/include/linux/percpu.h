/* SPDX-License-Identifier: GPL-2.0-only */
/* Per-CPU memory: an array. The CPU that a thread runs on is shim_cpu(). */
#ifndef SHIM_LINUX_PERCPU_H
#define SHIM_LINUX_PERCPU_H

#include <linux/cpumask.h>

unsigned int shim_cpu(void);

#define alloc_percpu(type)	kzalloc(nr_cpu_ids * sizeof(type), GFP_KERNEL)
#define free_percpu(ptr)		kfree(ptr)
#define per_cpu_ptr(ptr, cpu)		(&(ptr)[cpu])
#define this_cpu_ptr(ptr)		per_cpu_ptr(ptr, shim_cpu())

static inline int cpu_to_mem(int cpu)
{
	return 0;
}

#endif /* SHIM_LINUX_PERCPU_H */
