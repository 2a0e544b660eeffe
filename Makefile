# SPDX-License-Identifier: GPL-2.0
# Everything one does with this repository; the work is in tools/testing/profile.

KVER    ?= 6.12
KSRC    ?=
PROFILE ?= 2
CPUS    ?= 4
LOAD    ?= $(or $(strip $(foreach mode,schedule sleep kvm,\
		$(if $(filter $(mode)%,$(PROFILE)),$(LOAD_$(mode))))),mixed)
GUESTS  ?=
SECONDS ?=
CONFIG  ?= plain kasan kcsan lockdep
ARCH    ?= x86_64
ACCEL   ?= tcg
TIMEOUT ?= 1800
JOBS    ?= $(shell nproc)
BUILD   ?= $(CURDIR)/build

# What makes hits in each mode.
LOAD_schedule := switches
LOAD_sleep    := waits
LOAD_kvm      := guests

export KVER KSRC PROFILE CPUS LOAD ARCH ACCEL TIMEOUT JOBS BUILD

RIG := tools/testing/profile

.PHONY: help apply run shell test stress fuzz coverage check model bench clean distclean

help:
	@echo 'Goals:'
	@echo '  make apply KSRC=DIR  put the profiler into the kernel tree DIR'
	@echo '  make run             boot a profiled kernel in QEMU, run a load, show its profile'
	@echo '  make shell           a prompt in the same guest'
	@echo '  make test            user-space, unit and guest tests, on SMP, UP, KASAN and lockdep kernels'
	@echo '  make stress          exact counts under load, hotplug, resets and stops, with sanitizers'
	@echo '  make fuzz            kernel/profile.c in user space, for SECONDS, with a new seed'
	@echo '  make coverage        the lines of kernel/profile.c that user space reaches'
	@echo '  make check           checkpatch, sparse, W=1, kernel-doc, shellcheck, odd configurations'
	@echo '  make model           search all states of a model of the locking, refute its broken twins'
	@echo '  make bench           what the profiler costs, beside those of stock kernels'
	@echo '  make clean           remove what was built, keep the unpacked kernel sources'
	@echo '  make distclean       remove all that was made'
	@echo
	@echo 'Variables:'
	@echo '  KVER=$(KVER)          kernel source package of Debian: 6.12 or 6.1'
	@echo '  KSRC=$(KSRC)              a kernel tree to take instead; only make apply writes to it'
	@echo '  PROFILE=$(PROFILE)          profile= of the kernel command line; empty: no profiling (run, shell)'
	@echo '  CPUS=$(CPUS)             CPUs of the guest, up to 64 (run, shell)'
	@echo '  LOAD=$(LOAD)         mixed, files, pipes, processes, compression, switches, waits, guests,'
	@echo '                     none, or a command; by default what suits the mode (run)'
	@echo '  GUESTS=$(GUESTS)            only these: apply, user, kunit-smp, kunit-up, names in $(RIG)/guests (test)'
	@echo '  ARCH=$(ARCH)        architecture of the guest: $(patsubst $(RIG)/configs/%.arch,%,$(wildcard $(RIG)/configs/*.arch))'
	@echo '  ACCEL=$(ACCEL)          accelerator of QEMU'
	@echo '  TIMEOUT=$(TIMEOUT)       seconds after which a guest counts as hung'
	@echo '  SECONDS=$(SECONDS)            how long, 300 if empty (fuzz), or how long at least (stress)'
	@echo '  CONFIG=...           kernels of make stress: $(CONFIG)'
	@echo '  PARTS=...            of make bench, all if empty: hot-path, irqs-off, reading, off, static,'
	@echo '                     peer, user, system'
	@echo '  JOBS=$(JOBS)             parallel jobs of a kernel build, and guests at a time (test)'
	@echo '  BUILD=$(BUILD)  where everything is built'

apply:
	@$(RIG)/deps apply
	@$(RIG)/apply "$$KSRC"

run shell:
	@$(RIG)/deps run
	@$(RIG)/run $@

test:
	@$(RIG)/deps test
	@$(RIG)/test $(GUESTS)

stress:
	@$(RIG)/deps test
	@STRESS_HITS=10000000 STRESS_SECONDS="$(SECONDS)" \
		TIMEOUT="$$((TIMEOUT * 4 + $(or $(SECONDS),0)))" \
		$(RIG)/test $(foreach config,$(CONFIG),$(addprefix stress-$(config)-,4 16))

fuzz:
	@$(RIG)/deps fuzz
	@$(RIG)/user/run fuzz $(SECONDS)

coverage:
	@$(RIG)/deps coverage
	@$(RIG)/user/run coverage

check:
	@$(RIG)/deps check
	@$(RIG)/check

model:
	@$(RIG)/deps model
	@$(RIG)/model/check

bench:
	@$(RIG)/deps bench
	@$(RIG)/bench/run $(PARTS)

clean:
	@$(RIG)/clean

distclean:
	rm -rf "$$BUILD"
