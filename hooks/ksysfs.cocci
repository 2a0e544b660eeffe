// SPDX-License-Identifier: GPL-2.0-only
// File: kernel/ksysfs.c
// Proof: profile_control\(buf, count\)
//
// A write to /sys/kernel/profiling is the profiler's own business.

@@
identifier kobj, attr, buf, count;
@@
 static ssize_t profiling_store(struct kobject *kobj,
	struct kobj_attribute *attr, const char *buf, size_t count)
 {
-...
+return profile_control(buf, count);
 }
