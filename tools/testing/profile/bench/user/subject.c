// SPDX-License-Identifier: GPL-2.0-only
/*
 * One profiler, straight from its source, with all of its names kept local but
 * the one of the subject. SOURCE, SUBJECT and NAME come from run.
 */

#include "shim.h"
#include "subject.h"

/* What the boot calls; there is not one of each in every kernel. */
static int (*shim_setup)(char *text);
static int (*shim_attach)(void);
static int (*shim_expose)(void);

#include SOURCE

static void start(void)
{
	char text[] = "2";

	shim_setup(text);
	if (profile_init() || (shim_attach && shim_attach()) || shim_expose())
		abort();
}

const struct subject SUBJECT = {
	.name	= NAME,
	.start	= start,
	.hits	= profile_hits,
};
