/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of the kernel as kernel/profile.c needs to count hits, no dearer than
 * there: per-CPU data is reached by one thread-local address, interrupts go off
 * by one thread-local store, atomics are those of the processor. Every header of
 * the kernel that the sources under test include is this one. The rest (files,
 * hotplug, notifiers) only has to compile; its functions do nothing.
 */
#ifndef BENCH_SHIM_H
#define BENCH_SHIM_H

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* ---- Types and annotations ------------------------------------------------ */

typedef uint8_t u8;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;
typedef int64_t s64;
typedef s64 ktime_t;

#define U32_MAX		UINT32_MAX
#define BITS_PER_LONG	64
#define PAGE_SIZE	4096UL
#define SZ_64K		65536
#define HZ		1000
#define NSEC_PER_SEC	1000000000L
#define GOLDEN_RATIO_32	0x61C88647U

#define __init
#define __initdata
#define __ref
#define __percpu
#define __rcu
#define __user
#define __read_mostly
#define __weak			__attribute__((weak))
#define noinline		__attribute__((noinline))
#undef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#define EXPORT_SYMBOL_GPL(s)	extern typeof(s) s
#undef static_assert
#define static_assert(e)	_Static_assert(e, #e)

/* Only what the kernels are configured with is 1. */
#define CONFIG_PROFILING	1
#define CONFIG_SMP		1
#define CONFIG_PROC_FS		1
#define CONFIG_TRACEPOINTS	0
#define CONFIG_KVM		0
#define CONFIG_X86		1
/* An option that is not defined is off, and so is what asks for it. */
#define SHIM_ON_1		0,
#define shim_second(a, b, ...)	(b)
#define shim_pick(x)		shim_second(x 1, 0)
#define shim_paste(v)		shim_pick(SHIM_ON_##v)
#define IS_ENABLED(option)	shim_paste(option)

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof(*(a)))
#define likely(c)		__builtin_expect(!!(c), 1)
#define unlikely(c)		__builtin_expect(!!(c), 0)
#define ilog2(n)		(63 - __builtin_clzl(n))
#define check_add_overflow(a, b, sum)	__builtin_add_overflow(a, b, sum)
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define min_t(type, a, b) ({ type _a = (a), _b = (b); _a < _b ? _a : _b; })
#define max_t(type, a, b) ({ type _a = (a), _b = (b); _a > _b ? _a : _b; })
#define min(a, b)		min_t(typeof(a), a, b)
#define max(a, b)		max_t(typeof(a), a, b)
#define clamp(v, lo, hi)	min_t(typeof(v), max_t(typeof(v), v, lo), hi)

static inline u32 hash_32(u32 value, unsigned int bits)
{
	return value * GOLDEN_RATIO_32 >> (32 - bits);
}

/* ---- Accesses -------------------------------------------------------------- */

#define barrier()		asm volatile("" ::: "memory")
#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile typeof(x) *)&(x) = (v))
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define cmpxchg(p, old, new)	__sync_val_compare_and_swap(p, old, new)

struct shim_atomic {
	int counter;
};

typedef struct shim_atomic atomic_t;

/* Of a build that counts what it measures elsewhere. */
#ifdef COUNT_ATOMICS
extern unsigned long shim_atomics;
#define shim_count()		(shim_atomics++)
#else
#define shim_count()		((void)0)
#endif

static inline int atomic_read(const atomic_t *v)
{
	return READ_ONCE(v->counter);
}

static inline void atomic_set(atomic_t *v, int i)
{
	WRITE_ONCE(v->counter, i);
}

static inline void atomic_add(int i, atomic_t *v)
{
	shim_count();
	asm volatile("lock addl %1,%0" : "+m" (v->counter) : "ir" (i) : "memory");
}

static inline bool atomic_try_cmpxchg_relaxed(atomic_t *v, int *old, int new)
{
	shim_count();
	return __atomic_compare_exchange_n(&v->counter, old, new, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* ---- CPUs ------------------------------------------------------------------ */

#define SHIM_CPUS		2

/* All a CPU needs: its number, the distance of its data, its interrupt flag. */
extern __thread struct shim_cpu {
	unsigned long	distance;
	unsigned int	number;
	unsigned int	irqs_off;
} shim_cpu __attribute__((tls_model("local-exec")));

#define SHIM_PERCPU_BYTES	4096UL

/* Of a variable, an address that is computed; the kernel loads it. */
#define DEFINE_PER_CPU(per, name)					\
	struct {							\
		typeof(per) value;					\
	} __attribute__((aligned(64))) name[SHIM_CPUS]
#define per_cpu(var, cpu)	((var)[cpu].value)

#define shim_at(ptr, distance)	((typeof(ptr))((unsigned long)(ptr) + (distance)))
#define this_cpu_ptr(ptr)	shim_at(ptr, shim_cpu.distance)
#define per_cpu_ptr(ptr, cpu)	shim_at(ptr, (cpu) * SHIM_PERCPU_BYTES)
#define alloc_percpu(t)		calloc(SHIM_CPUS, SHIM_PERCPU_BYTES)
#define free_percpu(ptr)	free(ptr)

#define smp_processor_id()	(shim_cpu.number)
#define get_cpu()		({ barrier(); shim_cpu.number; })
#define put_cpu()		barrier()

#define local_irq_save(flags) do {					\
	(flags) = shim_cpu.irqs_off;					\
	shim_cpu.irqs_off = 1;						\
	barrier();							\
} while (0)
#define local_irq_restore(flags) do {					\
	barrier();							\
	shim_cpu.irqs_off = (flags);					\
} while (0)

#define lockdep_assert_irqs_disabled()	((void)0)
#define lockdep_assert_held(lock)	((void)0)
#define lockdep_is_held(lock)		true
#define ASSERT_EXCLUSIVE_ACCESS(obj)	((void)0)

#define RCU_INITIALIZER(p)		(p)
#define rcu_dereference(p)		READ_ONCE(p)
#define rcu_dereference_sched(p)	READ_ONCE(p)
#define rcu_dereference_protected(p, c)	(p)
#define rcu_access_pointer(p)		READ_ONCE(p)
#define rcu_assign_pointer(p, v)	__atomic_store_n(&(p), v, __ATOMIC_RELEASE)
#define RCU_INIT_POINTER(p, v)		WRITE_ONCE(p, v)
#define rcu_read_lock()			((void)0)
#define rcu_read_unlock()		((void)0)
#define synchronize_rcu()		((void)0)

/* The text, at an address that is known when it is linked. */
#define TEXT_BYTES			(4U << 20)
#define _stext				((char *)0x1000000UL)
#define _etext				(_stext + TEXT_BYTES)

/* ---- What only has to compile ---------------------------------------------- */

#define GFP_KERNEL			0
#define GFP_KERNEL_ACCOUNT		0
#define __GFP_NOWARN			0
#define __GFP_ZERO			0
#define __GFP_RETRY_MAYFAIL		0
#define CLOCK_MONOTONIC			1
#define NOTIFY_OK			1
#define NOTIFY_STOP_MASK		0x8000
#define system_state			SYSTEM_RUNNING
#define hrtimer_resolution		1U

#define cpumask_var_t			struct cpumask *

struct cpumask;
struct inode;
struct page;
struct proc_dir_entry;
struct pt_regs;
struct task_struct;

enum system_states {
	SYSTEM_RUNNING,
};

enum cpuhp_state {
	CPUHP_BP_PREPARE_DYN,
	CPUHP_AP_ONLINE_DYN,
	CPUHP_PROFILE_PREPARE,
};

enum hrtimer_mode {
	HRTIMER_MODE_ABS_PINNED_HARD,
};

enum hrtimer_restart {
	HRTIMER_RESTART,
};

struct hrtimer {
	enum hrtimer_restart (*function)(struct hrtimer *timer);
};

struct static_key_false {
	int count;
};

struct mutex {
	int unused;
};

struct file {
	void *private_data;
};

struct seq_file {
	void *private;
};

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long action,
			     void *data);
	struct notifier_block *next;
};

struct blocking_notifier_head {
	struct notifier_block *head;
};

struct atomic_notifier_head {
	struct notifier_block *head;
};

struct proc_ops {
	int (*proc_open)(struct inode *inode, struct file *file);
	ssize_t (*proc_read)(struct file *file, char *buf, size_t n, loff_t *pos);
	ssize_t (*proc_write)(struct file *file, const char *buf, size_t n,
			      loff_t *pos);
	loff_t (*proc_lseek)(struct file *file, loff_t offset, int whence);
	int (*proc_release)(struct inode *inode, struct file *file);
};

#define DEFINE_MUTEX(name)		struct mutex name
#define BLOCKING_NOTIFIER_HEAD(name)	struct blocking_notifier_head name
#define ATOMIC_NOTIFIER_HEAD(name)	struct atomic_notifier_head name
#define DECLARE_STATIC_KEY_FALSE(name)	extern struct static_key_false name
#define DEFINE_STATIC_KEY_FALSE(name)	struct static_key_false name
#define static_branch_unlikely(key)	((key)->count > 0)
#define static_branch_inc(key)		((key)->count++)
#define static_branch_dec(key)		((key)->count--)

/* The caller starts by what the boot would call. */
#define __setup(name, handler)		static int (*shim_setup)(char *text) = handler
#define early_initcall(call)		static int (*shim_attach)(void) = call
#define subsys_initcall(call)		static int (*shim_expose)(void) = call

#define pr_info(...)			((void)0)
#define pr_warn(...)			((void)0)
#define WARN_ON(cond)			(cond)
#define cond_resched()			((void)0)
#define mutex_init(m)			((void)(m))
#define mutex_lock(m)			((void)(m))
#define mutex_lock_killable(m)		((void)(m), 0)
#define mutex_unlock(m)			((void)(m))
#define cpus_read_lock()		((void)0)
#define cpus_read_unlock()		((void)0)
#define inode_lock(i)			((void)(i))
#define inode_unlock(i)			((void)(i))
#define i_size_write(i, size)		((void)(i), (void)(size))
#define pde_data(i)			((void *)(i))
#define file_inode(f)			((struct inode *)(f))
#define PTR_ERR(p)			((long)(p))
#define ERR_PTR(e)			((void *)(long)(e))
#define IS_ERR(p)			((unsigned long)(p) >= -4095UL)
#define DIV_ROUND_UP(n, d)		(((n) + (d) - 1) / (d))
#define div_u64(n, d)			((u64)(n) / (d))
/* Of two factors of 32 bits. */
#define mul_u64_u32_shr(a, b, shift)	((u64)(a) * (b) >> (shift))

#define kzalloc(n, gfp)			calloc(1, n)
#define kzalloc_node(n, gfp, node)	aligned_zero(n)
#define kmalloc(n, gfp)			malloc(n)
#define kvcalloc(n, size, gfp)		aligned_zero((n) * (size))
#define vzalloc(n)			calloc(1, n)
#define alloc_pages_exact(n, gfp)	calloc(1, n)
#define __alloc_pages_node(node, gfp, order) \
	((struct page *)aligned_zero(PAGE_SIZE << (order)))
#define page_address(page)		((void *)(page))
#define virt_to_page(ptr)		((struct page *)(ptr))
#define __free_page(page)		free(page)
#define kfree(p)			free(p)
#define kvfree(p)			free(p)

/* What a kernel gives pages to starts at one. */
static inline void *aligned_zero(size_t n)
{
	n = (n + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
	return memset(aligned_alloc(PAGE_SIZE, n), 0, n);
}

#define cpu_possible_mask		NULL
#define num_possible_cpus()		SHIM_CPUS
#define cpu_to_mem(cpu)			((void)(cpu), 0)
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < SHIM_CPUS; (cpu)++)
#define for_each_online_cpu(cpu)	for_each_possible_cpu(cpu)
#define alloc_cpumask_var(m, gfp)	true
#define zalloc_cpumask_var(m, gfp)	true
#define free_cpumask_var(m)		((void)(m))
#define cpumask_available(m)		true
#define cpumask_copy(to, from)		((void)(to))
#define cpumask_clear(m)		((void)(m))
#define cpumask_set_cpu(cpu, m)		((void)(m))
#define cpumask_clear_cpu(cpu, m)	((void)(m))
#define cpumask_test_cpu(cpu, m)	true
#define cpumask_test_and_clear_cpu(cpu, m) true
#define cpumask_parse(text, m)		0
#define cpumask_parse_user(buf, n, m)	0
#define cpumask_pr_args(m)		1, (m)

#define hrtimer_init(t, clock, mode)	((void)(t))
#define hrtimer_cancel(t)		((void)(t))
#define hrtimer_start(t, when, mode)	((void)(when))
#define hrtimer_set_expires(t, when)	((void)(when))
#define ktime_get()			0
#define on_each_cpu(run, info, wait)	(run)(info)

#define get_irq_regs()			((struct pt_regs *)NULL)
#define user_mode(regs)			true
#define profile_pc(regs)		0UL

#define kstrtouint(text, base, result)	(*(result) = strtoul(text, NULL, base), 0)
#define get_option(text, value)		(*(value) = strtoul(*(text), NULL, 0), 1)
#define copy_to_user(to, from, n)	(memcpy(to, from, n), 0)
#define copy_from_user(to, from, n)	(memcpy(to, from, n), 0)
#define put_user(value, to)		(*(to) = (value), 0)
#define memdup_user_nul(from, n)	((void)(from), (void *)NULL)
#define single_open(file, show, data)	((void)(show), 0)
#define seq_printf(m, ...)		((void)(m))
#define seq_read			NULL
#define seq_lseek			NULL
#define single_release			NULL
#define default_llseek			NULL
#define proc_create(...)		((struct proc_dir_entry *)1)
#define proc_create_data(...)		((struct proc_dir_entry *)1)
#define proc_set_size(...)		((void)0)
#define proc_remove(...)		((void)0)

#define blocking_notifier_chain_register(chain, nb)	0
#define blocking_notifier_chain_unregister(chain, nb)	0
#define blocking_notifier_call_chain(chain, action, data) ((void)(chain))
#define atomic_notifier_chain_register(chain, nb)	0
#define atomic_notifier_chain_unregister(chain, nb)	0

/* Each CPU is up: its tables are made at once. */
static inline int cpuhp_setup_state(enum cpuhp_state state, const char *name,
				    int (*startup)(unsigned int cpu),
				    int (*teardown)(unsigned int cpu))
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (startup && startup(cpu))
			return -ENOMEM;
	return 0;
}

#define cpuhp_setup_state_nocalls(state, name, up, down) \
	((void)(up), (void)(down), 0)
#define cpuhp_remove_state(state)		((void)(state))
#define cpuhp_remove_state_nocalls(state)	((void)(state))

#endif /* BENCH_SHIM_H */
