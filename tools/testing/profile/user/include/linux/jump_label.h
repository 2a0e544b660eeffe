/* SPDX-License-Identifier: GPL-2.0-only */
/* Static keys: variables. */
#ifndef SHIM_LINUX_JUMP_LABEL_H
#define SHIM_LINUX_JUMP_LABEL_H

#include <linux/kernel.h>

struct static_key_false {
	bool on;
};

#define DECLARE_STATIC_KEY_FALSE(name)	extern struct static_key_false name
#define DEFINE_STATIC_KEY_FALSE(name)	struct static_key_false name
#define static_branch_unlikely(key)	READ_ONCE((key)->on)
#define static_branch_enable(key)	WRITE_ONCE((key)->on, true)
#define static_branch_disable(key)	WRITE_ONCE((key)->on, false)

#endif /* SHIM_LINUX_JUMP_LABEL_H */
