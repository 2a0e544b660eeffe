/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel profiler: what its callers may use.
 *
 * While profiling is off, each call site is one NOP. While it is on, a site
 * whose mode is not the one that runs costs a load and a compare.
 */
#ifndef _LINUX_PROFILE_H
#define _LINUX_PROFILE_H

#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include <asm/errno.h>

struct notifier_block;
struct pt_regs;
struct task_struct;

/* The modes, as /sys/kernel/profiling shows them; 0 is off. */
#define CPU_PROFILING	1	/* timer ticks in kernel text */
#define SCHED_PROFILING	2	/* calls of schedule() */
#define SLEEP_PROFILING	3	/* time blocked, by where it was blocked */
#define KVM_PROFILING	4	/* exits of KVM guests */

/* Events that one can hear of, whether or not profiling is on. */
enum profile_type {
	PROFILE_TASK_EXIT,
	PROFILE_MUNMAP,
};

/**
 * create_prof_cpu_mask - once made /proc/irq/prof_cpu_mask
 *
 * The profiler makes that file itself when it starts.
 *
 * CONTEXT: any.
 * RETURN: 0.
 */
static inline int create_prof_cpu_mask(void)
{
	return 0;
}

#ifdef CONFIG_PROFILING

DECLARE_STATIC_KEY_FALSE(profile_key);
DECLARE_STATIC_KEY_FALSE(profile_event_key);
extern int prof_on;

int profile_init(void);
ssize_t profile_control(const char *text, size_t len);
void profile_hits(int type, void *ip, unsigned int nr_hits);
void __profile_tick(int type);
void __profile_task_exit(struct task_struct *task);
bool __profile_handoff_task(struct task_struct *task);
void __profile_munmap(unsigned long addr);

int register_timer_hook(int (*hook)(struct pt_regs *regs));
void unregister_timer_hook(int (*hook)(struct pt_regs *regs));
int task_handoff_register(struct notifier_block *nb);
int task_handoff_unregister(struct notifier_block *nb);
int profile_event_register(enum profile_type type, struct notifier_block *nb);
int profile_event_unregister(enum profile_type type, struct notifier_block *nb);

/* Architectures with a profiling timer of their own define this. */
int setup_profiling_timer(unsigned int multiplier);

/**
 * profile_enabled - is this mode running?
 * @type: a mode, CPU_PROFILING and so on
 *
 * CONTEXT: any.
 * RETURN: true if a hit of this mode counts now. A mode that stops at the same
 * time may still be reported; profile_hits() has the last word.
 */
static __always_inline bool profile_enabled(int type)
{
	return static_branch_unlikely(&profile_key) &&
	       READ_ONCE(prof_on) == type;
}

/**
 * profile_hit - count one hit
 * @type: the mode that this call site belongs to
 * @ip: kernel text address to charge
 *
 * CONTEXT: any but NMI.
 */
static __always_inline void profile_hit(int type, void *ip)
{
	if (profile_enabled(type))
		profile_hits(type, ip, 1);
}

/**
 * profile_tick - count a timer tick where it interrupted the kernel
 * @type: CPU_PROFILING
 *
 * Calls the timer hook, too.
 *
 * CONTEXT: hard interrupt of the timer, interrupts off.
 */
static __always_inline void profile_tick(int type)
{
	if (static_branch_unlikely(&profile_key))
		__profile_tick(type);
}

/**
 * profile_task_exit - tell those who asked that a task exits
 * @task: the current task
 *
 * CONTEXT: may sleep.
 */
static __always_inline void profile_task_exit(struct task_struct *task)
{
	if (static_branch_unlikely(&profile_event_key))
		__profile_task_exit(task);
}

/**
 * profile_handoff_task - offer a task that is about to be freed
 * @task: a task that nobody uses any more
 *
 * CONTEXT: any but NMI.
 * RETURN: true if somebody took it and will call free_task().
 */
static __always_inline bool profile_handoff_task(struct task_struct *task)
{
	return static_branch_unlikely(&profile_event_key) &&
	       __profile_handoff_task(task);
}

/**
 * profile_munmap - tell those who asked of munmap(2)
 * @addr: the address it was given
 *
 * CONTEXT: may sleep.
 */
static __always_inline void profile_munmap(unsigned long addr)
{
	if (static_branch_unlikely(&profile_event_key))
		__profile_munmap(addr);
}

#else /* !CONFIG_PROFILING */

#define prof_on 0

static inline int profile_init(void)
{
	return 0;
}

static inline bool profile_enabled(int type)
{
	return false;
}

static inline void profile_hits(int type, void *ip, unsigned int nr_hits)
{
}

static inline void profile_hit(int type, void *ip)
{
}

static inline void profile_tick(int type)
{
}

static inline void profile_task_exit(struct task_struct *task)
{
}

static inline bool profile_handoff_task(struct task_struct *task)
{
	return false;
}

static inline void profile_munmap(unsigned long addr)
{
}

static inline int register_timer_hook(int (*hook)(struct pt_regs *regs))
{
	return -EOPNOTSUPP;
}

static inline void unregister_timer_hook(int (*hook)(struct pt_regs *regs))
{
}

static inline int task_handoff_register(struct notifier_block *nb)
{
	return -EOPNOTSUPP;
}

static inline int task_handoff_unregister(struct notifier_block *nb)
{
	return -EOPNOTSUPP;
}

static inline int profile_event_register(enum profile_type type,
					 struct notifier_block *nb)
{
	return -EOPNOTSUPP;
}

static inline int profile_event_unregister(enum profile_type type,
					   struct notifier_block *nb)
{
	return -EOPNOTSUPP;
}

#endif /* CONFIG_PROFILING */

#endif /* _LINUX_PROFILE_H */
