/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel profiler: its objects and their arithmetic, for kernel/profile.c and
 * its unit tests. The model is told at the top of kernel/profile.c.
 */
#ifndef _KERNEL_PROFILE_INTERNAL_H
#define _KERNEL_PROFILE_INTERNAL_H

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

struct proc_dir_entry;
struct profile;

/* ---- Options ------------------------------------------------------------ */

#define PROFILE_OFF		0	/* beside CPU_PROFILING and so on */
#define PROFILE_SHIFT_MAX	31	/* the step is a 32-bit word */

/**
 * struct profile_options - what a profile= text asks for
 * @mode: PROFILE_OFF, CPU_PROFILING, ...
 * @shift: a slot covers 1 << @shift bytes of text
 */
struct profile_options {
	int		mode;
	unsigned int	shift;
};

const char *profile_options_parse(struct profile_options *opt,
				  const char *text, size_t len,
				  size_t text_bytes);

/* ---- Counters ----------------------------------------------------------- */

/* A full counter stays full: true as a bound, where a wrapped one would lie. */
static inline u32 profile_saturating_add(u32 a, u32 b)
{
	u32 sum;

	return check_add_overflow(a, b, &sum) ? U32_MAX : sum;
}

/* ---- Hit buffer --------------------------------------------------------- */

/**
 * struct profile_buffer - one counter for each slot of a text
 * @start: first address of the text
 * @shift: a slot covers 1 << @shift bytes
 * @last: the last slot; every pc that belongs to no other counts here
 * @hits: the counters, @last + 1 of them
 */
struct profile_buffer {
	unsigned long	start;
	unsigned int	shift;
	u32		last;
	atomic_t	*hits;
};

/* Whole slots in a text of this many bytes. */
static inline size_t profile_nr_slots(size_t text_bytes, unsigned int shift)
{
	return text_bytes >> shift;
}

/* Below the text the difference wraps, so that one compare clamps both ends. */
static inline u32 profile_slot(const struct profile_buffer *buf,
			       unsigned long pc)
{
	return min_t(unsigned long, (pc - buf->start) >> buf->shift, buf->last);
}

/* Exact at every instant: no reader sees a counter that has wrapped. */
static inline void profile_buffer_add(struct profile_buffer *buf, u32 slot,
				      u32 hits)
{
	atomic_t *counter = &buf->hits[slot];
	int old = atomic_read(counter);

	while (!atomic_try_cmpxchg_relaxed(counter, &old,
					   profile_saturating_add(old, hits)))
		;
}

int profile_buffer_init(struct profile_buffer *buf, unsigned long start,
			size_t text_bytes, unsigned int shift);
void profile_buffer_destroy(struct profile_buffer *buf);
void profile_buffer_clear(struct profile_buffer *buf);

/* ---- The file: a word with the step, then the counters ------------------ */

static inline loff_t profile_file_size(const struct profile_buffer *buf)
{
	return ((loff_t)buf->last + 2) * sizeof(u32);
}

void profile_file_words(const struct profile_buffer *buf, u64 first,
			u32 *words, size_t n);

/* ---- Pending table ------------------------------------------------------ */

/**
 * struct profile_entry - hits that have not reached the buffer yet
 * @slot: where they go
 * @hits: how many; 0 marks an entry that is free
 */
struct profile_entry {
	u32	slot;
	u32	hits;
};

#define PROFILE_GROUP_SIZE	64	/* bytes: a cache line, or half of one */
#define PROFILE_GROUP_ENTRIES	(PROFILE_GROUP_SIZE / sizeof(struct profile_entry))
#define PROFILE_NR_GROUPS	(PAGE_SIZE / PROFILE_GROUP_SIZE)
#define PROFILE_GROUP_BITS	ilog2(PROFILE_NR_GROUPS)

/**
 * struct profile_group - the entries among which a slot may stand
 * @entry: the hot ones in front; no two with hits share a slot
 */
struct profile_group {
	struct profile_entry entry[PROFILE_GROUP_ENTRIES];
};

/**
 * struct profile_table - a page of groups; belongs to one CPU while active
 * @group: each slot hashes to one of them
 */
struct profile_table {
	struct profile_group group[PROFILE_NR_GROUPS];
};

static_assert(sizeof(struct profile_group) == PROFILE_GROUP_SIZE);
static_assert(sizeof(struct profile_table) == PAGE_SIZE);

/* Multiplicative: neighbours, which a hot loop hits in turn, spread out. */
static inline unsigned int profile_group_index(u32 slot)
{
	return hash_32(slot, PROFILE_GROUP_BITS);
}

/* WRITE_ONCE() keeps the rare case out of the way of the other one. */
static __always_inline void profile_entry_add(struct profile_entry *entry,
					      u32 hits)
{
	if (unlikely(check_add_overflow(entry->hits, hits, &entry->hits)))
		WRITE_ONCE(entry->hits, U32_MAX);
}

void profile_group_replace(struct profile_group *group,
			   struct profile_buffer *buf, u32 slot, u32 hits);

/*
 * One group, at most one eviction: the bound on the cost of a hit. Each hit
 * moves its entry one place forward, so what is hot is found at once, and what
 * was hot once gives way.
 */
static __always_inline void profile_table_hit(struct profile_table *table,
					      struct profile_buffer *buf,
					      u32 slot, u32 hits)
{
	struct profile_group *group = &table->group[profile_group_index(slot)];
	struct profile_entry *entry = group->entry;
	unsigned int i;

	if (likely(entry->slot == slot)) {
		profile_entry_add(entry, hits);
		return;
	}
#pragma GCC unroll 8
	for (i = 1; i < PROFILE_GROUP_ENTRIES; i++) {
		entry++;
		if (entry->slot == slot) {
			hits = profile_saturating_add(entry->hits, hits);
			entry[0] = entry[-1];
			entry[-1] = (struct profile_entry){ slot, hits };
			return;
		}
	}
	profile_group_replace(group, buf, slot, hits);
}

void profile_table_flush(struct profile_table *table,
			 struct profile_buffer *buf);
void profile_table_discard(struct profile_table *table);

/* ---- Sampling timer ----------------------------------------------------- */

#define PROFILE_RATE_MAX	100000	/* samples a second */

/**
 * struct profile_sampler - the timer that samples a CPU instead of its tick
 * @timer: fires once in each period
 * @prof: the profiler that it samples for [const]
 * @period: in nanoseconds; 0: the tick samples [I]
 * @phase: place of the last sample in its period, in 1 / 2^32 of it [I]
 * @start: when that period began [I]
 */
struct profile_sampler {
	struct hrtimer	timer;
	struct profile	*prof;
	u32		period;
	u32		phase;
	ktime_t		start;
};

static inline bool profile_multiplier_valid(int multiplier)
{
	return multiplier >= 1 && multiplier <= PROFILE_RATE_MAX / HZ;
}

static inline u32 profile_multiplier_period(int multiplier)
{
	return multiplier == 1 ? 0 : NSEC_PER_SEC / (HZ * multiplier);
}

/*
 * When to take the next sample: one in each period, periods that were missed
 * left out. Steps of the golden ratio spread the places evenly over the period
 * and never fall into step with the tick or with anything else that is regular.
 */
static inline ktime_t profile_sampler_next(struct profile_sampler *sampler,
					   ktime_t now)
{
	u32 period = sampler->period;

	sampler->start += period;
	if (sampler->start < now)
		sampler->start += div_u64(now - sampler->start, period) * period;
	sampler->phase += GOLDEN_RATIO_32;
	return sampler->start + mul_u64_u32_shr(period, sampler->phase, 32);
}

/* ---- Profiler ----------------------------------------------------------- */

/**
 * struct profile_cpu - what one possible CPU owns
 * @table: the pair, picked by &struct profile.active; NULL: straight into the
 *	buffer [RCU; set under L]
 * @muted: its bit in the mask is clear, ticks do not count [set under L]
 * @sampler: its sampling timer
 */
struct profile_cpu {
	struct profile_table __rcu *table[2];
	bool		muted;
	struct profile_sampler sampler;
};

/**
 * struct profile - a profiler, from its start to its stop
 * @mode: CPU_PROFILING and so on [const]
 * @active: which table of every pair takes hits [set under L]
 * @cpus: per-CPU part
 * @buffer: where all hits end up
 * @lock: L in the legend of kernel/profile.c
 * @mask: CPUs whose ticks count [L]
 * @parked: CPUs that took their bit of @mask along when they went [L]
 * @period: of the sampling timers, 0: ticks sample [L]
 * @mask_file: /proc/irq/prof_cpu_mask [C]
 * @file: /proc/profile [C]
 */
struct profile {
	int			mode;
	unsigned int		active;
	struct profile_cpu __percpu *cpus;
	struct profile_buffer	buffer;
	struct mutex		lock;		/* L */
	cpumask_var_t		mask;
	cpumask_var_t		parked;
	u32			period;
	struct proc_dir_entry	*mask_file;
	struct proc_dir_entry	*file;
};

struct profile *profile_create(const struct profile_options *opt,
			       unsigned long start, size_t text_bytes);
void profile_destroy(struct profile *prof);

void profile_charge(struct profile *prof, unsigned long pc, u32 hits);
void profile_flush(struct profile *prof);
void profile_reset(struct profile *prof);

void profile_cpu_prepare(struct profile *prof, unsigned int cpu);
void profile_cpu_fold(struct profile *prof, unsigned int cpu);

int profile_multiply(struct profile *prof, int multiplier);

int profile_mask_store(struct profile *prof, const char *text, size_t len);
void profile_mask_park(struct profile *prof, unsigned int cpu);
void profile_mask_unpark(struct profile *prof, unsigned int cpu);

#endif /* _KERNEL_PROFILE_INTERNAL_H */
