/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The small change of kernel code: limits, errors in pointers, marked
 * accesses, log lines. Headers that have nothing else to say are this one.
 */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include <errno.h>
#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "../../rcu.h"

/* A CONFIG_ symbol is 0 or 1, from the Makefile; one is up to the test. */
#define IS_ENABLED(option)	(option)
#define CONFIG_PROC_FS		shim_proc_fs
extern bool shim_proc_fs;

#define EXPORT_SYMBOL_GPL(symbol)	extern typeof(symbol) symbol

#undef static_assert
#define static_assert(expr)	_Static_assert(expr, #expr)

/* ---- Arithmetic --------------------------------------------------------- */

#define SZ_64K			65536
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof(*(array)))
#define DIV_ROUND_UP(n, d)	(((n) - 1) / (d) + 1)
#define likely(cond)		__builtin_expect(!!(cond), 1)
#define unlikely(cond)		__builtin_expect(!!(cond), 0)
#define noinline		__attribute__((noinline))
#define ilog2(n)		(8 * sizeof(long) - 1 - __builtin_clzl(n))
#define check_add_overflow(a, b, sum)	__builtin_add_overflow(a, b, sum)

#define min_t(type, a, b) ({						\
	type min_a = (a), min_b = (b);					\
									\
	min_a < min_b ? min_a : min_b;					\
})
#define min(a, b)	min_t(typeof(b), a, b)

#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))

/* Multiplicative, from the top bits, by 2^32 over the golden ratio. */
#define GOLDEN_RATIO_32		2654435769U

static inline u32 hash_32(u32 value, unsigned int bits)
{
	return value * GOLDEN_RATIO_32 >> (32 - bits);
}

int kstrtouint(const char *text, unsigned int base, unsigned int *result);

/* ---- Errors in pointers ------------------------------------------------- */

static inline void *ERR_PTR(long err)
{
	return (void *)err;
}

static inline long PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool IS_ERR(const void *ptr)
{
	return (unsigned long)ptr >= (unsigned long)-4095;
}

/* ---- Accesses that the compiler must leave alone ------------------------ */

#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELAXED)
#define smp_load_acquire(ptr)	__atomic_load_n(ptr, __ATOMIC_ACQUIRE)
#define smp_store_release(ptr, value)					\
	__atomic_store_n(ptr, value, __ATOMIC_RELEASE)

#define cmpxchg(ptr, old, new) ({					\
	typeof(*(ptr)) cmpxchg_old = (old);				\
									\
	__atomic_compare_exchange_n(ptr, &cmpxchg_old, new, false,	\
				    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
	cmpxchg_old;							\
})

/* What it would tell KCSAN, ThreadSanitizer finds from the accesses. */
#define ASSERT_EXCLUSIVE_ACCESS(object)	((void)&(object))

/* ---- Surroundings ------------------------------------------------------- */

/* Understand %s %d %u %*pE %*pb, as that is what the profiler uses. */
void pr_info(const char *fmt, ...);
void pr_warn(const char *fmt, ...);

/* A warning that something is not as it should be, with a backtrace. */
bool shim_warn_on(bool cond);

#define WARN_ON(cond)	shim_warn_on(cond)

/* How far the boot has come. */
enum system_states {
	SYSTEM_BOOTING,
	SYSTEM_RUNNING,
};

extern enum system_states system_state;

static inline void cond_resched(void)
{
	shim_pause();
}

/* What the boot would call; there is one of each. */
#define __setup(name, handler)						\
	int (*const shim_setup)(char *text) = handler
#define early_initcall(call)						\
	int (*const shim_early_initcall)(void) = call
#define subsys_initcall(call)						\
	int (*const shim_subsys_initcall)(void) = call

#endif /* SHIM_LINUX_KERNEL_H */
