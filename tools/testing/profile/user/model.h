/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of the profiler, and steps that drive both of them: an array with
 * the true number of hits of each slot, a row of bits for the mask.
 *
 * A program that has steps made gives pick(), from which all that is random
 * comes. What isn't as the model says ends the program.
 */
#ifndef MODEL_H
#define MODEL_H

#include <linux/types.h>
#include <stdio.h>

/* Any number below n, as the program likes. */
u32 pick(u32 n);

void model_begin(void);		/* the profiler is off, nothing is known */
void model_step(void);
void model_check(void);		/* what must be true between any two steps */
void model_end(void);		/* off; nothing is left */

/* What the run has seen, to know that it has seen enough. */
extern struct model_stats {
	unsigned long steps, hits, ticks, reads, fresh, resets, hotplugs,
		      masks, rates, fires, blocked, events, starts, boots,
		      refusals, failures, during, saturated;
} model_stats;

void model_print_stats(FILE *to);

#endif /* MODEL_H */
