/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory: malloc(), so that sanitizers watch it. All of it is counted, and a
 * test can let any one allocation fail. What isn't zeroed is garbage.
 */
#ifndef SHIM_LINUX_SLAB_H
#define SHIM_LINUX_SLAB_H

#include <linux/kernel.h>

#define PAGE_SIZE		4096UL

#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0
#define __GFP_NOWARN		0
#define __GFP_RETRY_MAYFAIL	0

/* What may be made to fail. */
enum shim_fault {
	SHIM_FAULT_MEMORY	= 1 << 0,
	SHIM_FAULT_NODE		= 1 << 1,	/* memory of a node */
	SHIM_FAULT_PROC		= 1 << 2,	/* proc_create() */
	SHIM_FAULT_HOTPLUG	= 1 << 3,	/* cpuhp_setup_state() */
	SHIM_FAULT_KILL		= 1 << 4,	/* mutex_lock_killable() */
	SHIM_FAULT_TRACE	= 1 << 5,	/* register_trace_...() */
};

void *shim_alloc(size_t size, bool zero, enum shim_fault fault);
void shim_free(const void *ptr);

static inline void *kmalloc(size_t size, unsigned int gfp)
{
	return shim_alloc(size, false, SHIM_FAULT_MEMORY);
}

static inline void *kzalloc(size_t size, unsigned int gfp)
{
	return shim_alloc(size, true, SHIM_FAULT_MEMORY);
}

static inline void *kzalloc_node(size_t size, unsigned int gfp, int node)
{
	return shim_alloc(size, true, SHIM_FAULT_NODE);
}

static inline void *kvcalloc(size_t n, size_t size, unsigned int gfp)
{
	return shim_alloc(n * size, true, SHIM_FAULT_MEMORY);
}

static inline void kfree(const void *ptr)
{
	shim_free(ptr);
}

static inline void kvfree(const void *ptr)
{
	shim_free(ptr);
}

#endif /* SHIM_LINUX_SLAB_H */
