/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timers: each CPU has a list, and fires those that are due when the test says
 * so. The clock is the test's, too.
 */
#ifndef SHIM_LINUX_HRTIMER_H
#define SHIM_LINUX_HRTIMER_H

#include <linux/kernel.h>
#include <time.h>

#define HZ		250
#define NSEC_PER_SEC	1000000000L

typedef s64 ktime_t;

enum hrtimer_restart {
	HRTIMER_RESTART,
};

enum hrtimer_mode {
	HRTIMER_MODE_ABS_PINNED_HARD,
};

struct hrtimer {
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	ktime_t expires;
	bool queued;		/* on the list of its CPU */
	struct hrtimer *next;
};

extern unsigned int hrtimer_resolution;

ktime_t ktime_get(void);

/* Of this CPU, with interrupts off. */
void hrtimer_start(struct hrtimer *timer, ktime_t expires,
		   enum hrtimer_mode mode);
void hrtimer_cancel(struct hrtimer *timer);

static inline void hrtimer_init(struct hrtimer *timer, clockid_t clock,
				enum hrtimer_mode mode)
{
	memset(timer, 0, sizeof(*timer));
}

static inline void hrtimer_set_expires(struct hrtimer *timer, ktime_t expires)
{
	timer->expires = expires;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 b, unsigned int shift)
{
	return (__uint128_t)a * b >> shift;
}

#endif /* SHIM_LINUX_HRTIMER_H */
