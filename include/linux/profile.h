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

/* The modes, as /sys/kernel/profiling shows them; 0 is off. */
#define CPU_PROFILING	1	/* timer ticks in kernel text */
#define SCHED_PROFILING	2	/* calls of schedule() */
#define KVM_PROFILING	4	/* exits of KVM guests */

#ifdef CONFIG_PROFILING

DECLARE_STATIC_KEY_FALSE(profile_key);
extern int prof_on;

int profile_init(void);
ssize_t profile_control(const char *text, size_t len);
void profile_hits(int type, void *ip, unsigned int nr_hits);
void __profile_tick(int type);

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
 * CONTEXT: hard interrupt of the timer, interrupts off.
 */
static __always_inline void profile_tick(int type)
{
	if (profile_enabled(type))
		__profile_tick(type);
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

#endif /* CONFIG_PROFILING */

#endif /* _LINUX_PROFILE_H */
