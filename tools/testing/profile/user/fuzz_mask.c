// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as the mask. The first byte says how many CPUs there may be, the
 * rest is what was written.
 */

#include <stdlib.h>
#include <string.h>

#include <asm/sections.h>
#include <linux/profile.h>

#include "profile_internal.h"

#include "expect.h"
#include "shim.h"

static void check_store(struct profile *prof, const char *text, size_t len)
{
	bool mask[SHIM_CPUS], was[SHIM_CPUS];
	unsigned int cpu;
	int err;

	memcpy(was, prof->mask, nr_cpu_ids);
	err = profile_mask_store(prof, text, len);
	shim_assert(err == expect_mask(text, len, mask), "the right error");
	if (err)
		memcpy(mask, was, nr_cpu_ids);
	shim_assert(!memcmp(mask, prof->mask, nr_cpu_ids), "the right mask");
	for_each_possible_cpu(cpu)
		shim_assert(per_cpu_ptr(prof->cpus, cpu)->muted == !mask[cpu],
			    "CPUs heed it");
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct profile_options opt = { .mode = CPU_PROFILING };
	struct profile *prof;
	char *text;

	if (!size)
		return 0;
	shim_boot_cpus(1 + data[0] % SHIM_CPUS, 1);
	prof = profile_create(&opt, (unsigned long)_stext, 64);
	size--;
	text = malloc(size + 1);
	memcpy(text, data + 1, size);
	text[size] = '\0';
	check_store(prof, text, size);
	free(text);
	profile_destroy(prof);
	shim_assert(!shim_allocations(), "nothing is left");
	return 0;
}
