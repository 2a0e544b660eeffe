// SPDX-License-Identifier: GPL-2.0-only
// File: kernel/ksysfs.c
// Proof: READ_ONCE\(prof_on\)
//
// Somebody else may start or stop the profiler meanwhile.

@@
identifier emit;
expression buf, fmt;
@@
 emit(buf, fmt,
-prof_on
+READ_ONCE(prof_on)
 )
