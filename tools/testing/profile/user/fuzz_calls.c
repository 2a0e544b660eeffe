// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a sequence of calls: they take the place of the dice of the
 * property test, until there are no more.
 */

#include "model.h"

static const u8 *next, *end;

/* Beyond the end it is always 0, so that the last step soon comes to its end. */
u32 pick(u32 n)
{
	u32 bytes = n <= 1 << 8 ? 1 : n <= 1 << 16 ? 2 : 4, value = 0;

	if (n == 1)
		return 0;
	for (; bytes && next < end; bytes--)
		value = value << 8 | *next++;
	return value % n;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	next = data;
	end = data + size;
	model_begin();
	while (next < end) {
		model_step();
		model_check();
	}
	model_end();
	return 0;
}
