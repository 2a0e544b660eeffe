// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a hit costs, in instructions: no more than it did when the figures below
 * were written down, and a twentieth on top, which is for compilers. Only where
 * the clock counts instructions, and for the one architecture that has figures.
 */

#define MODULE_NAME	"profile_bench"

#include "profile_module.h"

/* With interrupts off already, as in a tick. */
static const struct cost {
	const char *pattern;	/* of profile_bench */
	double mean;
	double longest;		/* two looks at the clock included */
} costs[] = {
	{ "1",			34.1,	38 },
	{ "16",			34.6,	50 },
	{ "64",			37.2,	50 },
	{ "400",		48.0,	80 },
	{ "400-in-a-row",	46.2,	60 },
	{ "1000-skewed",	44.9,	80 },
	{ "4096",		71.9,	80 },
	{ "one-group",		71.6,	80 },
};

static double parameter(const char *name)
{
	FILE *file = open_parameter(name);
	double value;

	require(fscanf(file, "%lf", &value) == 1, "%s", name);
	fclose(file);
	return value;
}

static void hit_cost(void)
{
	const struct cost *c;
	char run[64];
	double mean, longest;

	skip_if(!getenv("STEADY_CLOCK"), "needs a clock that counts instructions");
#ifndef __x86_64__
	skip_if(true, "no figures for this architecture");
#endif
	need_module();
	for (c = costs; c < costs + ARRAY_SIZE(costs); c++) {
		start("2");
		snprintf(run, sizeof(run), "tick %s", c->pattern);
		tell_module("run", run);
		stop();
		mean = parameter("mean") / 100;
		longest = parameter("longest");
		ksft_print_msg("%s: %.2f instructions, at most %.0f\n",
			       c->pattern, mean, longest);
		expect(mean <= 1.05 * c->mean, "%s: %.2f instructions, not %.2f",
		       c->pattern, mean, c->mean);
		expect(longest <= 1.05 * c->longest,
		       "%s: at most %.0f instructions, not %.0f", c->pattern,
		       longest, c->longest);
	}
	unload_module();
}

static const struct test tests[] = {
	{ "hit_cost", hit_cost },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
