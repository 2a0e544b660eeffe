/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks, as far as somebody wants to know where they are blocked. */
#ifndef SHIM_LINUX_SCHED_H
#define SHIM_LINUX_SCHED_H

#include <linux/kernel.h>

struct task_struct {
	bool sched_contributes_to_load;
	unsigned long wchan;
};

static inline unsigned long __get_wchan(struct task_struct *task)
{
	return task->wchan;
}

void force_schedstat_enabled(void);

/* ---- The tracepoint: one probe at most ---------------------------------- */

int register_trace_sched_stat_blocked(void (*probe)(void *data,
						    struct task_struct *task,
						    u64 ns), void *data);
int unregister_trace_sched_stat_blocked(void (*probe)(void *data,
						      struct task_struct *task,
						      u64 ns), void *data);

#define tracepoint_synchronize_unregister()	synchronize_rcu()

#endif /* SHIM_LINUX_SCHED_H */
