// SPDX-License-Identifier: GPL-2.0-only
// File: arch/x86/kvm/x86.c
// Proof: if \(profile_enabled\(KVM_PROFILING\)\)
//
// An exit of a guest is a NOP, not a load and a compare, while profiling is off.

@@
@@
-unlikely(prof_on == KVM_PROFILING)
+profile_enabled(KVM_PROFILING)
