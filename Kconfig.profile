# SPDX-License-Identifier: GPL-2.0-only

config PROFILING
	bool "Profiling support"
	help
	  Build the kernel profiler: it counts, for every few bytes of kernel
	  text, how often the timer tick found the kernel there, how often
	  schedule() was called from there, how long tasks were blocked there
	  (with SCHEDSTATS and tracepoints), or how often a KVM guest left off
	  there. It needs no performance counters, can start with the first
	  tick of the boot, and costs nothing but a few NOPs while it is off.

	  Boot with profile=2, or write 2 to /sys/kernel/profiling, and read
	  the result from /proc/profile with readprofile(8). See
	  Documentation/admin-guide/profiling.rst.

	  Tools that need the extended profiling hooks of the kernel, perf
	  among them, want this too.

config PROFILE_KUNIT_TEST
	bool "KUnit tests of the kernel profiler" if !KUNIT_ALL_TESTS
	depends on PROFILING && KUNIT=y
	default KUNIT_ALL_TESTS
	help
	  Test the parts of the profiler on private instances when the kernel
	  boots: options, slots, tables, buffers, per-CPU flips and masks. The
	  profiler that users see is left alone. The results appear in the
	  kernel log, in the format that tools/testing/kunit/kunit.py reads.

	  If unsure, say N.
