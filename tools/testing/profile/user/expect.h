/* SPDX-License-Identifier: GPL-2.0-only */
/* What a text means, written apart from the code that reads it. */
#ifndef EXPECT_H
#define EXPECT_H

#include <linux/types.h>

/* True if the option is good; the mode is 0 for off. */
bool expect_option(const char *text, size_t len, size_t text_bytes,
		   int *mode, unsigned int *shift);

/* 0 and a mask with a byte for each CPU, -EINVAL, or -EOVERFLOW. */
int expect_mask(const char *text, size_t len, bool *mask);

#endif /* EXPECT_H */
