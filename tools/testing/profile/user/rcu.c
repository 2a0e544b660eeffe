// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts and grace periods. Interrupts off are a read side of liburcu.
 *
 * ThreadSanitizer does not look into the library, so it is told what RCU says:
 *  - what readers did that a grace period has waited for, it comes before the
 *    end of that;
 *  - what was done before a grace period began, comes before readers that
 *    began after its end.
 * That is all; in particular, readers do not order each other.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <urcu/urcu-mb.h>

#include "rcu.h"

#ifdef SHIM_TSAN
#include <sanitizer/tsan_interface.h>
#else
#define __tsan_acquire(addr)	((void)(addr))
#define __tsan_release(addr)	((void)(addr))
#endif

#define NR_PERIODS	64	/* more than there are at a time */

static char readers, periods[NR_PERIODS];
static unsigned int started, ended;

static __thread unsigned int depth;		/* of interrupts off */
static __thread unsigned int read_depth;

void rcu_read_lock(void)
{
	unsigned int last;

	if (!read_depth++) {
		urcu_mb_read_lock();
		last = __atomic_load_n(&ended, __ATOMIC_RELAXED);
		__tsan_acquire(&periods[last % NR_PERIODS]);
	}
}

void rcu_read_unlock(void)
{
	if (!--read_depth) {
		__tsan_release(&readers);
		urcu_mb_read_unlock();
	}
}

bool shim_rcu_reader(void)
{
	return read_depth;
}

unsigned long shim_irq_save(void)
{
	if (!depth) {
		shim_cpu_lock();
		rcu_read_lock();
	}
	return depth++;
}

void shim_irq_restore(unsigned long flags)
{
	shim_assert(depth == flags + 1, "interrupts are restored in turn");
	depth = flags;
	if (!depth) {
		rcu_read_unlock();
		shim_cpu_unlock();
	}
}

bool shim_irqs_off(void)
{
	return depth;
}

void synchronize_rcu(void)
{
	unsigned int this = __atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);

	shim_assert(!read_depth, "a reader does not wait for itself");
	shim_pause();
	__tsan_release(&periods[this % NR_PERIODS]);
	urcu_mb_synchronize_rcu();
	__tsan_acquire(&readers);
	__atomic_store_n(&ended, this, __ATOMIC_RELAXED);
	shim_pause();
}

void shim_thread_begin(void)
{
	urcu_mb_register_thread();
}

void shim_thread_end(void)
{
	urcu_mb_unregister_thread();
}

__attribute__((constructor)) static void first_thread(void)
{
	shim_thread_begin();
}

void shim_assert(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "BUG: not so: %s\n", what);
	abort();
}
