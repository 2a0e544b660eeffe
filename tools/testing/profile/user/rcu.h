/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What rcu.c gives to others. Apart from <linux/rcupdate.h>, as that and
 * liburcu have the same names.
 */
#ifndef SHIM_RCU_H
#define SHIM_RCU_H

#include <stdbool.h>

unsigned long shim_irq_save(void);
void shim_irq_restore(unsigned long flags);
bool shim_irqs_off(void);

/* Other threads that run on this CPU wait until they are on again. */
void shim_cpu_lock(void);
void shim_cpu_unlock(void);

/* Once around all that a thread does. The first thread need not. */
void shim_thread_begin(void);
void shim_thread_end(void);

void shim_assert(bool good, const char *what);

/* Where a task may lose its CPU: the test gets a chance here. */
void shim_pause(void);

#endif /* SHIM_RCU_H */
