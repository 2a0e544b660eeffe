/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RCU, on liburcu. A region with interrupts off is its read side, as it is in
 * the kernel. Grace periods are liburcu's, shim.c tells ThreadSanitizer.
 */
#ifndef SHIM_LINUX_RCUPDATE_H
#define SHIM_LINUX_RCUPDATE_H

#include <linux/kernel.h>

#define local_irq_save(flags)		((flags) = shim_irq_save())
#define local_irq_restore(flags)	shim_irq_restore(flags)
#define lockdep_assert_irqs_disabled()					\
	shim_assert(shim_irqs_off(), "interrupts are off")

void rcu_read_lock(void);
void rcu_read_unlock(void);
bool shim_rcu_reader(void);
void synchronize_rcu(void);

#define rcu_assign_pointer(p, value)	smp_store_release(&(p), value)
#define RCU_INITIALIZER(value)		(value)
#define RCU_INIT_POINTER(p, value)	WRITE_ONCE(p, value)
#define rcu_access_pointer(p)		READ_ONCE(p)
#define rcu_dereference_protected(p, cond) ({				\
	shim_assert(cond, #cond);					\
	(p);								\
})
#define rcu_dereference(p) ({						\
	shim_assert(shim_rcu_reader(), "this is an RCU reader");	\
	__atomic_load_n(&(p), __ATOMIC_CONSUME);			\
})
#define rcu_dereference_sched(p) ({					\
	lockdep_assert_irqs_disabled();					\
	__atomic_load_n(&(p), __ATOMIC_CONSUME);			\
})

#endif /* SHIM_LINUX_RCUPDATE_H */
