// SPDX-License-Identifier: GPL-2.0-only
// File: mm/mmap.c
// Proof: profile_munmap\(addr\)
//
// PROFILE_MUNMAP: munmap(2) alone, before the memory map is locked.

@@
identifier addr, len;
expression unlock;
@@
 addr = untagged_addr(addr);
+profile_munmap(addr);
 return __vm_munmap(addr, len, unlock);
