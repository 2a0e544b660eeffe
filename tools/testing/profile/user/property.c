// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random steps, with all else checked against the model.
 *
 * usage: property SEED STEPS
 */

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "model.h"

static u64 seed, state;

/* xorshift64*, by G. Marsaglia and S. Vigna */
u32 pick(u32 n)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 0x2545f4914f6cdd1dULL >> 32) * n >> 32;
}

static void tell_seed(int signal)
{
	fprintf(stderr, "seed %llu\n", (unsigned long long)seed);
}

int main(int argc, char **argv)
{
	unsigned long steps, i;

	if (argc != 3) {
		fprintf(stderr, "usage: property SEED STEPS\n");
		return 2;
	}
	seed = strtoull(argv[1], NULL, 0);
	steps = strtoul(argv[2], NULL, 0);
	state = seed * 2 + 1;
	signal(SIGABRT, tell_seed);

	printf("seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	model_begin();
	for (i = 0; i < steps; i++) {
		model_step();
		if (i % 16 == 0)
			model_check();
	}
	model_end();
	model_print_stats(stdout);
	return 0;
}
