/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which hits the stress module gives: the module and its test program each work
 * them out from these lines, and the kernel must have counted the same.
 */
#ifndef PROFILE_STRESS_H
#define PROFILE_STRESS_H

#include <linux/types.h>

#define STRESS_BURST	64	/* hits of one context in one round */

enum { STRESS_THREAD, STRESS_SOFTIRQ, STRESS_HARDIRQ, STRESS_CONTEXTS };

struct stress_hit {
	__u32 offset;
	__u32 count;
};

/* Far apart for numbers that are close. */
static inline __u32 stress_mix(__u32 x)
{
	x ^= x >> 16;
	x *= 0x7feb352d;
	x ^= x >> 15;
	x *= 0x846ca68b;
	return x ^ x >> 16;
}

/*
 * Half of the hits fall into eight hot places, the rest anywhere in the text
 * of so many bytes; one of 64 hits counts for many.
 */
static inline struct stress_hit stress_hit(__u32 cpu, __u32 context,
					   __u32 number, __u32 bytes)
{
	__u32 dice = stress_mix(number + (cpu * STRESS_CONTEXTS + context) *
				0x9e3779b9);
	struct stress_hit hit = { .count = dice >> 26 ? 1 : 16 };

	hit.offset = dice & 1 ? (dice >> 1 & 7) * (bytes / 8) :
				(dice >> 1 & 0xffffff) % bytes;
	return hit;
}

#endif /* PROFILE_STRESS_H */
