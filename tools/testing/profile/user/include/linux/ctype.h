/* SPDX-License-Identifier: GPL-2.0-only */
/* In the kernel, a byte above 0xbf is a letter of Latin-1, but for two. */
#ifndef SHIM_LINUX_CTYPE_H
#define SHIM_LINUX_CTYPE_H

#include <linux/types.h>

static inline int isdigit(int c)
{
	return c >= '0' && c <= '9';
}

/* Of a char, which may be negative. */
static inline int isalpha(int c)
{
	c &= 0xff;
	return ((c | 32) >= 'a' && (c | 32) <= 'z') ||
	       (c >= 0xc0 && c != 0xd7 && c != 0xf7);
}

static inline int isalnum(int c)
{
	return isalpha(c) || isdigit(c);
}

static inline int isxdigit(int c)
{
	return isdigit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
}

#endif /* SHIM_LINUX_CTYPE_H */
