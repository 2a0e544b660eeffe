// SPDX-License-Identifier: GPL-2.0-only
// File: kernel/fork.c
// Proof: if \(!profile_handoff_task\(tsk\)\)
//
// Whoever takes a task by handoff frees its memory in place of the kernel.

@done@
@@
 profile_handoff_task(...)

@depends on !done@
identifier tsk;
@@
 void __put_task_struct(struct task_struct *tsk)
 {
 <+...
-free_task(tsk);
+if (!profile_handoff_task(tsk))
+	free_task(tsk);
 ...+>
 }
