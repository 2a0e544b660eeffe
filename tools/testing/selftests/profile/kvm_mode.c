// SPDX-License-Identifier: GPL-2.0-only
/*
 * profile=kvm: the guest's address at each exit. A guest without an operating
 * system halts at a chosen address, and each halt is an exit.
 *
 * By hand, as a load: kvm_mode ADDRESS HALTS, the address in hexadecimal.
 */

#include "profile_test.h"

#include <sys/ioctl.h>

#if defined(__x86_64__)

#include <linux/kvm.h>

#define HALTS		2000
#define PAGE		4096

/* The guest's memory, by pages: its tables, level 4 first, then its code. */
enum { LEVEL_4, LEVEL_3, LEVEL_2, LEVEL_1, CODE, NR_PAGES };

#define PRESENT		3	/* and writable */
#define ENTRIES		512

#define CR0_PE_PG	0x80000001UL
#define CR4_PAE		0x20UL
#define EFER_LME_LMA	0x500UL

struct vm {
	int kvm, fd, vcpu;
	struct kvm_run *run;
	char *memory;
};

/* ---- A guest ------------------------------------------------------------ */

static int call(int fd, unsigned long request, void *arg, const char *name)
{
	int ret = ioctl(fd, request, arg);

	require(ret >= 0, "%s: %s", name, strerror(errno));
	return ret;
}

#define CALL(fd, request, arg)	\
	call(fd, request, (void *)(unsigned long)(arg), #request)

static void open_vm(struct vm *vm)
{
	int size;

	vm->kvm = open("/dev/kvm", O_RDWR);
	require(vm->kvm >= 0, "/dev/kvm: %s", strerror(errno));
	vm->fd = CALL(vm->kvm, KVM_CREATE_VM, 0);
	vm->vcpu = CALL(vm->fd, KVM_CREATE_VCPU, 0);
	size = CALL(vm->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	vm->run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
		       vm->vcpu, 0);
	require(vm->run != MAP_FAILED, "mmap: %s", strerror(errno));
}

static void close_vm(struct vm *vm)
{
	close(vm->vcpu);
	close(vm->fd);
	close(vm->kvm);
}

static void map_page(struct vm *vm, int level, __u64 addr)
{
	__u64 *table = (__u64 *)(vm->memory + level * PAGE);
	unsigned int index = addr >> (12 + 9 * (LEVEL_1 - level)) & (ENTRIES - 1);

	table[index] = (level + 1) * PAGE | PRESENT;
}

/* hlt; jmp back to it: both in one slot of four bytes. */
static void fill_memory(struct vm *vm, __u64 addr)
{
	static const unsigned char code[] = { 0xf4, 0xeb, 0xfd };
	struct kvm_userspace_memory_region region = {
		.memory_size = NR_PAGES * PAGE,
	};
	int level;

	vm->memory = shared_memory(NR_PAGES * PAGE);
	for (level = LEVEL_4; level <= LEVEL_1; level++)
		map_page(vm, level, addr);
	memcpy(vm->memory + CODE * PAGE + addr % PAGE, code, sizeof(code));
	region.userspace_addr = (unsigned long)vm->memory;
	CALL(vm->fd, KVM_SET_USER_MEMORY_REGION, &region);
}

/* The registers for 64-bit code are taken only if the CPU is said to know it. */
static void set_cpuid(struct vm *vm)
{
	struct {
		struct kvm_cpuid2 head;
		struct kvm_cpuid_entry2 entries[256];
	} cpuid = { .head.nent = 256 };

	CALL(vm->kvm, KVM_GET_SUPPORTED_CPUID, &cpuid);
	CALL(vm->vcpu, KVM_SET_CPUID2, &cpuid);
}

static void set_registers(struct vm *vm, __u64 addr)
{
	struct kvm_regs regs = { .rip = addr, .rflags = 2 };
	struct kvm_sregs sregs;

	CALL(vm->vcpu, KVM_GET_SREGS, &sregs);
	sregs.cs.base = 0;
	sregs.cs.limit = 0xffffffff;
	sregs.cs.g = 1;
	sregs.cs.l = 1;
	sregs.cr0 |= CR0_PE_PG;
	sregs.cr3 = LEVEL_4 * PAGE;
	sregs.cr4 |= CR4_PAE;
	sregs.efer |= EFER_LME_LMA;
	CALL(vm->vcpu, KVM_SET_SREGS, &sregs);
	CALL(vm->vcpu, KVM_SET_REGS, &regs);
}

static void run_halts(struct vm *vm, unsigned long halts)
{
	while (halts--) {
		CALL(vm->vcpu, KVM_RUN, 0);
		require(vm->run->exit_reason == KVM_EXIT_HLT,
			"exit for reason %u", vm->run->exit_reason);
	}
}

/* KVM's own count, of all exits; it is found by its name. */
static __u64 exits_counted(struct vm *vm)
{
	int fd = CALL(vm->vcpu, KVM_GET_STATS_FD, 0);
	struct kvm_stats_header header;
	struct {
		struct kvm_stats_desc desc;
		char name[256];
	} stat = { 0 };
	__u64 value;
	__u32 i;

	require(pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
		header.name_size <= sizeof(stat.name), "statistics of KVM");
	for (i = 0; i < header.num_desc; i++) {
		ssize_t size = sizeof(stat.desc) + header.name_size;

		require(pread(fd, &stat, size, header.desc_offset + i * size) ==
			size, "statistics of KVM");
		if (!strcmp(stat.name, "exits"))
			break;
	}
	require(i < header.num_desc, "KVM does not count exits");
	require(pread(fd, &value, sizeof(value),
		      header.data_offset + stat.desc.offset) == sizeof(value),
		"statistics of KVM");
	close(fd);
	return value;
}

/* Halts at an address; returns KVM's count of exits. */
static __u64 run_guest(__u64 addr, unsigned long halts)
{
	struct vm vm;
	__u64 counted;

	open_vm(&vm);
	fill_memory(&vm, addr);
	set_cpuid(&vm);
	set_registers(&vm, addr);
	run_halts(&vm, halts);
	counted = exits_counted(&vm);
	close_vm(&vm);
	return counted;
}

/* ---- Tests -------------------------------------------------------------- */

static void start_kvm(const char *text)
{
	skip_unless_built(MODE_KVM);
	skip_if(!exists("/dev/kvm"), "no /dev/kvm");
	start(text);
}

/*
 * Each halt is a hit. So is each exit that an interrupt makes, which is where
 * the guest halts, too; how many of these there are, only KVM knows.
 */
static void expect_hits(const struct profile *prof, size_t slot, __u64 halts,
			__u64 exits, const char *name)
{
	__u64 hits = prof->hits[slot];

	ksft_print_msg("%s: slot %zu of %zu has %llu hits, %llu halts, %llu exits\n",
		       name, slot, prof->slots, hits, halts, exits);
	expect(hits >= halts && hits <= exits && hits >= exits - exits * 3 / 100,
	       "%s: %llu hits for %llu halts and %llu exits", name, hits, halts,
	       exits);
}

static const struct guest {
	const char *name;
	bool in_text;
	__s64 addr;		/* from the begin of the text, if it is there */
} guests[] = {
	{ "in the text",	true,	0x1000 },
	{ "first slot",		true,	0 },
	{ "below the text",	true,	-4 },
	{ "low",		false,	0x1000 },
	{ "user",		false,	0x400000 },
};

/* Whatever is not in the text stands in the last slot. */
static void check_guest(const struct guest *guest, unsigned int shift)
{
	__u64 addr = guest->addr + (guest->in_text ? text_start : 0);
	struct profile prof;
	__u64 counted;
	size_t slot;

	reset();
	counted = run_guest(addr, HALTS);
	prof = read_profile();
	slot = (addr - text_start) >> shift;
	if (addr < text_start || slot >= prof.slots)
		slot = prof.slots - 1;
	expect_hits(&prof, slot, HALTS, counted, guest->name);
	expect(sum_hits(&prof) == counted, "%s: %llu hits, %llu exits by KVM",
	       guest->name, sum_hits(&prof), counted);
	free_profile(&prof);
}

static void check_guests(const char *text, unsigned int shift)
{
	size_t i;

	load_symbols();
	start_kvm(text);
	for (i = 0; i < ARRAY_SIZE(guests); i++)
		check_guest(&guests[i], shift);
}

static void guest_pc(void)
{
	check_guests("kvm,2", 2);
}

static void guest_pc_shift_8(void)
{
	check_guests("kvm,8", 8);
}

struct order {
	__u64 addr;
	unsigned long halts;
	__u64 exits;
};

static void run_order(void *arg)
{
	struct order *order = arg;

	order->exits = run_guest(order->addr, order->halts);
}

static void two_guests(void)
{
	struct order *orders = shared_memory(2 * sizeof(*orders));
	struct profile prof;
	pid_t pids[2];
	int i;

	load_symbols();
	start_kvm("kvm,2");
	for (i = 0; i < 2; i++) {
		orders[i].addr = text_start + 0x2000 * (i + 1);
		orders[i].halts = HALTS * (i + 1);
		pids[i] = spawn(run_order, &orders[i]);
	}
	for (i = 0; i < 2; i++)
		join(pids[i]);
	prof = read_profile();
	for (i = 0; i < 2; i++)
		expect_hits(&prof, 0x2000 * (i + 1) >> 2, orders[i].halts,
			    orders[i].exits, "both at once");
}

/* Only exits count, and only in this mode. */
static void kvm_off_on(void)
{
	load_symbols();
	start_kvm("kvm,2");
	sleep_ms(200);
	expect(!total_hits(), "%llu hits without a guest", total_hits());
	run_guest(text_start, 100);
	expect(total_hits() >= 100, "%llu hits of 100 halts", total_hits());
	stop();
	run_guest(text_start, 100);
	start("schedule,2");
	run_guest(text_start, 100);
	expect(!read_profile().hits[0], "hits of exits in another mode");
	stop();
	start("kvm,2");
	expect(!total_hits(), "hits from before the start");
	check_guest(&guests[0], 2);
}

/* Only ticks heed the mask. */
static void kvm_mask(void)
{
	load_symbols();
	start_kvm("kvm,2");
	set_mask(0);
	check_guest(&guests[0], 2);
}

static const struct test tests[] = {
	{ "guest_pc", guest_pc },
	{ "guest_pc_shift_8", guest_pc_shift_8 },
	{ "two_guests", two_guests },
	{ "kvm_off_on", kvm_off_on },
	{ "kvm_mask", kvm_mask },
};

int main(int argc, char **argv)
{
	if (argc != 3)
		return run_tests(tests, ARRAY_SIZE(tests));
	run_guest(strtoull(argv[1], NULL, 16) & ~3ULL, strtoul(argv[2], NULL, 0));
	return KSFT_PASS;
}

#else /* !__x86_64__ */

int main(void)
{
	printf("1..0 # SKIP not for this architecture\n");
	return KSFT_SKIP;
}

#endif
