// SPDX-License-Identifier: GPL-2.0-only
// File: kernel/exit.c
// Proof: profile_task_exit\(tsk\)
//
// PROFILE_TASK_EXIT: the task is still whole, it has its memory and its files.

@done@
@@
 profile_task_exit(...)

@depends on !done@
identifier tsk;
@@
+profile_task_exit(tsk);
 kcov_task_exit(tsk);
