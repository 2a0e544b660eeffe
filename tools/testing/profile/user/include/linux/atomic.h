/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic counters, on those of the compiler. */
#ifndef SHIM_LINUX_ATOMIC_H
#define SHIM_LINUX_ATOMIC_H

#include <linux/kernel.h>

struct shim_atomic {
	int counter;
};

typedef struct shim_atomic atomic_t;

static inline int atomic_read(const atomic_t *v)
{
	return READ_ONCE(v->counter);
}

static inline void atomic_set(atomic_t *v, int i)
{
	WRITE_ONCE(v->counter, i);
}

static inline bool atomic_try_cmpxchg_relaxed(atomic_t *v, int *old, int new)
{
	return __atomic_compare_exchange_n(&v->counter, old, new, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#endif /* SHIM_LINUX_ATOMIC_H */
