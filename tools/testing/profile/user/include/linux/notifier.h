/* SPDX-License-Identifier: GPL-2.0-only */
/* Chains of notifiers, one kind that sleeps and one that is read under RCU. */
#ifndef SHIM_LINUX_NOTIFIER_H
#define SHIM_LINUX_NOTIFIER_H

#include <linux/rcupdate.h>
#include <pthread.h>

#define NOTIFY_DONE		0
#define NOTIFY_OK		1
#define NOTIFY_STOP_MASK	0x8000

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long action,
			     void *data);
	struct notifier_block *next;
};

struct blocking_notifier_head {
	pthread_rwlock_t lock;		/* held by callers, and to change it */
	struct notifier_block *head;
};

struct atomic_notifier_head {
	pthread_mutex_t lock;		/* held to change it */
	struct notifier_block *head;
};

#define BLOCKING_NOTIFIER_HEAD(name)					\
	struct blocking_notifier_head name = { PTHREAD_RWLOCK_INITIALIZER }
#define ATOMIC_NOTIFIER_HEAD(name)					\
	struct atomic_notifier_head name = { PTHREAD_MUTEX_INITIALIZER }

int blocking_notifier_chain_register(struct blocking_notifier_head *chain,
				     struct notifier_block *nb);
int blocking_notifier_chain_unregister(struct blocking_notifier_head *chain,
				       struct notifier_block *nb);
int blocking_notifier_call_chain(struct blocking_notifier_head *chain,
				 unsigned long action, void *data);
int atomic_notifier_chain_register(struct atomic_notifier_head *chain,
				   struct notifier_block *nb);
int atomic_notifier_chain_unregister(struct atomic_notifier_head *chain,
				     struct notifier_block *nb);

#endif /* SHIM_LINUX_NOTIFIER_H */
