/* SPDX-License-Identifier: GPL-2.0-only */
/* Mutexes that know their owner, for lockdep_is_held(). */
#ifndef SHIM_LINUX_MUTEX_H
#define SHIM_LINUX_MUTEX_H

#include <linux/rcupdate.h>
#include <pthread.h>

struct mutex {
	pthread_mutex_t lock;
	const void *owner;
};

#define DEFINE_MUTEX(name)						\
	struct mutex name = { .lock = PTHREAD_MUTEX_INITIALIZER }

void mutex_init(struct mutex *mutex);
void mutex_lock(struct mutex *mutex);
int mutex_lock_killable(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);
bool lockdep_is_held(const struct mutex *mutex);

#define lockdep_assert_held(mutex)					\
	shim_assert(lockdep_is_held(mutex), #mutex " is held")

#endif /* SHIM_LINUX_MUTEX_H */
