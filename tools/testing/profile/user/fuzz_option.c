// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any text as the option. The first byte says how large the kernel text is,
 * the rest is what was written.
 */

#include <stdlib.h>
#include <string.h>

#include <asm/sections.h>
#include <linux/profile.h>

#include "profile_internal.h"

#include "expect.h"
#include "shim.h"

static void check_parse(const char *text, size_t len)
{
	struct profile_options opt = { .mode = 77, .shift = 77 };
	unsigned int shift;
	const char *why;
	int mode;
	bool good;

	good = expect_option(text, len, shim_text_bytes, &mode, &shift);
	why = profile_options_parse(&opt, text, len, shim_text_bytes);
	shim_assert(good == !why, "a good text has no complaint");
	if (good)
		shim_assert(opt.mode == mode && opt.shift == shift,
			    "the option means what it should");
	else
		shim_assert(opt.mode == 77 && opt.shift == 77,
			    "what is refused leaves nothing behind");
}

static void check_control(const char *text, size_t len)
{
	unsigned int shift;
	ssize_t n = profile_control(text, len);
	int mode;

	if (expect_option(text, len, shim_text_bytes, &mode, &shift)) {
		shim_assert(n == (ssize_t)len, "a good text is taken");
		shim_assert(prof_on == mode, "its mode runs");
	} else {
		shim_assert(n == -EINVAL, "a bad text is refused");
		shim_assert(!prof_on, "nothing runs");
	}
	shim_assert(profile_control("off", 3) == 3, "off");
	shim_assert(!shim_allocations(), "nothing is left");
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	shim_text_bytes = 1 << data[0] % 13;
	size--;
	/* A copy of its own, for the sanitizer to see the ends. */
	text = malloc(size);
	memcpy(text, data + 1, size);
	check_parse(text, size);
	check_control(text, size);
	free(text);
	return 0;
}
