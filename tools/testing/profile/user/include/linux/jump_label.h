/* SPDX-License-Identifier: GPL-2.0-only */
/* Static keys: counters. */
#ifndef SHIM_LINUX_JUMP_LABEL_H
#define SHIM_LINUX_JUMP_LABEL_H

#include <linux/kernel.h>

struct static_key_false {
	int count;
};

#define DECLARE_STATIC_KEY_FALSE(name)	extern struct static_key_false name
#define DEFINE_STATIC_KEY_FALSE(name)	struct static_key_false name
#define static_branch_unlikely(key)	(!!READ_ONCE((key)->count))

static inline void static_branch_inc(struct static_key_false *key)
{
	__atomic_add_fetch(&key->count, 1, __ATOMIC_RELAXED);
}

static inline void static_branch_dec(struct static_key_false *key)
{
	__atomic_sub_fetch(&key->count, 1, __ATOMIC_RELAXED);
}

#endif /* SHIM_LINUX_JUMP_LABEL_H */
