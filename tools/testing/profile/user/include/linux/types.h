/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's names of integers, and annotations that only sparse reads. */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H

#include_next <linux/types.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef __u8 u8;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;

#define U32_MAX		UINT32_MAX

#define __init
#define __initdata
#define __percpu
#define __rcu
#define __read_mostly
#define __user
#define __weak		__attribute__((weak))

#endif /* SHIM_LINUX_TYPES_H */
