/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU hotplug: one state before a CPU runs, and one for when it does. */
#ifndef SHIM_LINUX_CPUHOTPLUG_H
#define SHIM_LINUX_CPUHOTPLUG_H

#include <linux/kernel.h>

enum cpuhp_state {
	CPUHP_BP_PREPARE_DYN,
	CPUHP_AP_ONLINE_DYN,
	SHIM_CPUHP_STATES
};

int cpuhp_setup_state(enum cpuhp_state state, const char *name,
		      int (*startup)(unsigned int cpu),
		      int (*teardown)(unsigned int cpu));
int cpuhp_setup_state_nocalls(enum cpuhp_state state, const char *name,
			      int (*startup)(unsigned int cpu),
			      int (*teardown)(unsigned int cpu));
void cpuhp_remove_state_nocalls(enum cpuhp_state state);

void cpus_read_lock(void);
void cpus_read_unlock(void);

/* Run a function on each CPU that is online, with interrupts off. */
void on_each_cpu(void (*run)(void *info), void *info, bool wait);

#endif /* SHIM_LINUX_CPUHOTPLUG_H */
