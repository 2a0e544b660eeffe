// SPDX-License-Identifier: GPL-2.0-only
// File: kernel/sched/core.c
// Proof: profile_hit\(SCHED_PROFILING, \(void \*\)_THIS_IP_\)
//
// Each call of __schedule() counts one hit, as sched_count does. schedule()
// and its like charge their caller. Who enters the scheduler on its own
// account, a preemption or a task that dies, is charged itself.

@split@
identifier prev, preempt;
@@
 static inline void schedule_debug(struct task_struct *prev, bool preempt)
 {
 <+...
-profile_hit(SCHED_PROFILING, __builtin_return_address(0));
 ...+>
 }

@caller depends on split@
identifier fn =~ "^(schedule|__schedule_loop|schedule_idle|schedule_rtlock)$";
expression mode;
@@
 fn(...)
 {
 <...
+profile_hit(SCHED_PROFILING, __builtin_return_address(0));
 __schedule(mode);
 ...>
 }

@itself depends on split@
identifier fn !~ "^(schedule|__schedule_loop|schedule_idle|schedule_rtlock)$";
expression mode;
@@
 fn(...)
 {
 <...
+profile_hit(SCHED_PROFILING, (void *)_THIS_IP_);
 __schedule(mode);
 ...>
 }
