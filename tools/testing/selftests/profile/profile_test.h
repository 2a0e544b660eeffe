/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the guest tests of the kernel profiler.
 *
 * Each program is a table of tests. Every test runs in a process group of its
 * own: a failed require() just exits, and whatever a test leaves behind is
 * killed before the state found at the start is put back: the CPUs online, the
 * schedstats switch, the profiler with its mode, shift and mask. The counts of
 * a profiler that was running are lost, as it has to be stopped in between.
 */
#ifndef PROFILE_TEST_H
#define PROFILE_TEST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
/* __u64 is unsigned long long, for printf(), on every architecture. */
#define __SANE_USERSPACE_TYPES__

#include <fcntl.h>
#include <fnmatch.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include <linux/types.h>

#include "../kselftest.h"

#ifndef __printf
#define __printf(a, b)	__attribute((format(printf, a, b)))
#endif

#define SYSFS_FILE	"/sys/kernel/profiling"
#define PROFILE_FILE	"/proc/profile"
#define MASK_FILE	"/proc/irq/prof_cpu_mask"
#define CPU_DIR		"/sys/devices/system/cpu"
#define SCHEDSTATS_FILE	"/proc/sys/kernel/sched_schedstats"

#define BAD_ADDRESS	((void *)-4096L)	/* nothing is mapped there */

#define MAX_CPUS	64

/* A test this old hangs; none is slow, but kernels may be. */
static double hang_seconds = 1200;

enum { MODE_OFF, MODE_CPU, MODE_SCHEDULE, MODE_SLEEP, MODE_KVM };

struct test {
	const char *name;
	void (*run)(void);
};

/* ---- Verdicts ----------------------------------------------------------- */

static bool failed;		/* of the test in this process */
static char *skip_reason;	/* shared with the process of the test */

/* Prints why and goes on; the test fails in the end. */
static inline __printf(2, 3) bool
expect(bool good, const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (good)
		return true;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	ksft_print_msg("%s\n", text);
	failed = true;
	return false;
}

/* Prints why and ends the process: without this the test makes no sense. */
static inline __printf(2, 3) void
require(bool good, const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (good)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	ksft_print_msg("%s\n", text);
	_exit(KSFT_FAIL);
}

static inline __printf(2, 3) void
skip_if(bool skip, const char *fmt, ...)
{
	va_list args;

	if (!skip)
		return;
	va_start(args, fmt);
	vsnprintf(skip_reason, 256, fmt, args);
	va_end(args);
	_exit(KSFT_SKIP);
}

/* ---- Small files -------------------------------------------------------- */

/* One write(); 0 or a negative error code, -EIO for a part of it. */
static inline int put_bytes(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY);
	ssize_t n;
	int ret;

	if (fd < 0)
		return -errno;
	n = write(fd, data, len);
	ret = n < 0 ? -errno : n == (ssize_t)len ? 0 : -EIO;
	close(fd);
	return ret;
}

static inline int put_text(const char *path, const char *text)
{
	return put_bytes(path, text, strlen(text));
}

/* The first line without its newline; 0 or a negative error code. */
static inline int get_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	close(fd);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

static inline bool exists(const char *path)
{
	return !access(path, F_OK);
}

/* ---- CPUs --------------------------------------------------------------- */

/* A list such as "0-2,5" of the lowest MAX_CPUS CPUs, as bits. */
static inline __u64 cpu_list(const char *name)
{
	char path[256], text[256], *pos = text;
	unsigned long from, to;
	__u64 bits = 0;

	snprintf(path, sizeof(path), CPU_DIR "/%s", name);
	if (get_text(path, text, sizeof(text)))
		return 1;
	while (*pos) {
		from = strtoul(pos, &pos, 10);
		to = *pos == '-' ? strtoul(pos + 1, &pos, 10) : from;
		for (; from <= to && from < MAX_CPUS; from++)
			bits |= 1ULL << from;
		if (*pos++ != ',')
			break;
	}
	return bits;
}

static inline bool has_cpu(__u64 bits, int cpu)
{
	return bits >> cpu & 1;
}

static inline int first_cpu(__u64 bits)
{
	return bits ? __builtin_ctzll(bits) : -1;
}

static inline int nr_cpus(__u64 bits)
{
	return __builtin_popcountll(bits);
}

static inline int cpu_set_online(int cpu, bool online)
{
	char path[128];

	snprintf(path, sizeof(path), CPU_DIR "/cpu%d/online", cpu);
	return put_text(path, online ? "1" : "0");
}

/* Those that are online, can go offline, and leave at least one behind. */
static inline __u64 hotplug_cpus(void)
{
	__u64 online = cpu_list("online"), bits = 0;
	char path[128];
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		snprintf(path, sizeof(path), CPU_DIR "/cpu%d/online", cpu);
		if (has_cpu(online, cpu) && exists(path))
			bits |= 1ULL << cpu;
	}
	return bits == online ? bits & (bits - 1) : bits;
}

static inline __u64 require_hotplug(void)
{
	__u64 cpus = hotplug_cpus();

	skip_if(!cpus, "no CPU can go offline");
	return cpus;
}

static inline void set_cpus_online(__u64 cpus, bool online)
{
	int cpu, err;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!has_cpu(cpus, cpu))
			continue;
		err = cpu_set_online(cpu, online);
		require(!err, "cpu%d: going %s: %s", cpu,
			online ? "online" : "offline", strerror(-err));
	}
}

static inline void pin_to(__u64 cpus)
{
	cpu_set_t set;
	int cpu;

	CPU_ZERO(&set);
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (has_cpu(cpus, cpu))
			CPU_SET(cpu, &set);
	require(!sched_setaffinity(0, sizeof(set), &set),
		"pin to %#llx: %s", cpus, strerror(errno));
}

static inline void pin(int cpu)
{
	pin_to(1ULL << cpu);
}

/* What the kernel says that a CPU did, in units of USER_HZ. */
struct cpu_time {
	long user;
	long kernel;
	long idle;
};

static inline struct cpu_time cpu_time(int cpu)
{
	long user, nice, system, idle, iowait, irq, softirq;
	FILE *file = fopen("/proc/stat", "r");
	char line[1024], name[16];
	bool seen = false;

	require(file, "/proc/stat: %s", strerror(errno));
	snprintf(name, sizeof(name), "cpu%d ", cpu);
	while (!seen && fgets(line, sizeof(line), file))
		seen = !strncmp(line, name, strlen(name)) &&
			sscanf(line + strlen(name), "%ld %ld %ld %ld %ld %ld %ld",
			       &user, &nice, &system, &idle, &iowait, &irq,
			       &softirq) == 7;
	fclose(file);
	require(seen, "/proc/stat: no cpu%d", cpu);
	return (struct cpu_time){
		.user = user + nice,
		.kernel = system + irq + softirq,
		.idle = idle + iowait,
	};
}

/* ---- Processes ---------------------------------------------------------- */

static inline void *shared_memory(size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	require(mem != MAP_FAILED, "mmap: %s", strerror(errno));
	return mem;
}

static inline pid_t spawn(void (*run)(void *arg), void *arg)
{
	pid_t pid = fork();

	require(pid >= 0, "fork: %s", strerror(errno));
	if (pid)
		return pid;
	failed = false;
	run(arg);
	_exit(failed ? KSFT_FAIL : KSFT_PASS);
}

static inline void join(pid_t pid)
{
	int status;

	require(waitpid(pid, &status, 0) == pid, "waitpid: %s",
		strerror(errno));
	expect(!status, "a helper process ended with status %#x", status);
}

static inline void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static inline double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static inline void sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

#define NOBODY	65534

static inline void become_nobody(void)
{
	int err = setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		  setresuid(NOBODY, NOBODY, NOBODY);

	skip_if(err, "setresuid: %s", strerror(errno));
}

/* ---- Profiler ----------------------------------------------------------- */

static inline int profiling_mode(void)
{
	char text[32];
	int err = get_text(SYSFS_FILE, text, sizeof(text));

	require(!err, "%s: %s", SYSFS_FILE, strerror(-err));
	return atoi(text);
}

static inline void stop(void)
{
	int err = put_text(SYSFS_FILE, "off");

	require(!err, "off: %s", strerror(-err));
}

static inline void start(const char *text)
{
	int err = put_text(SYSFS_FILE, text);

	require(!err, "\"%s\": %s", text, strerror(-err));
}

/* What the log says of a start. */
static inline void enabled_line(char *line, size_t size, int mode,
				unsigned int shift)
{
	static const char * const names[] = {
		"", "", "schedule ", "sleep ", "KVM ",
	};

	snprintf(line, size, "kernel %sprofiling enabled (shift: %u)",
		 names[mode], shift);
}

static inline void set_mask(__u64 cpus)
{
	char text[32];
	int err;

	snprintf(text, sizeof(text), "%llx", cpus);
	err = put_text(MASK_FILE, text);
	require(!err, "mask %s: %s", text, strerror(-err));
}

/* Without the commas that the kernel puts between words of 32 bits. */
static inline __u64 get_mask(void)
{
	char text[256], digits[256], *to = digits;
	const char *from;
	int err = get_text(MASK_FILE, text, sizeof(text));

	require(!err, "%s: %s", MASK_FILE, strerror(-err));
	for (from = text; *from; from++)
		if (*from != ',')
			*to++ = *from;
	*to = '\0';
	return strtoull(digits, NULL, 16);
}

static inline void reset(void)
{
	int err = put_text(PROFILE_FILE, "r");

	require(!err, "%s: %s", PROFILE_FILE, strerror(-err));
}

static inline int open_profile(int flags)
{
	int fd = open(PROFILE_FILE, flags);

	require(fd >= 0, "open %s: %s", PROFILE_FILE, strerror(errno));
	return fd;
}

static inline size_t profile_bytes(int fd)
{
	off_t end = lseek(fd, 0, SEEK_END);

	require(end >= 8 && lseek(fd, 0, SEEK_SET) == 0,
		"%s: bad size %lld", PROFILE_FILE, (long long)end);
	return end;
}

/* ---- Profile: a copy of the file ---------------------------------------- */

struct profile {
	size_t slots;
	unsigned int shift;
	__u32 *hits;		/* behind the header, in the same allocation */
};

static inline struct profile read_profile_fd(int fd)
{
	size_t bytes = profile_bytes(fd);
	struct profile prof = { .slots = bytes / 4 - 1 };
	__u32 *words = malloc(bytes);
	ssize_t n;

	require(words, "no memory for %zu bytes", bytes);
	n = pread(fd, words, bytes, 0);
	require(n == (ssize_t)bytes, "%s: %zd of %zu bytes: %s", PROFILE_FILE,
		n, bytes, n < 0 ? strerror(errno) : "short read");
	require(words[0] && !(words[0] & (words[0] - 1)),
		"header word %#x is no step", words[0]);
	prof.shift = __builtin_ctz(words[0]);
	prof.hits = words + 1;
	return prof;
}

static inline struct profile read_profile(void)
{
	int fd = open_profile(O_RDONLY);
	struct profile prof = read_profile_fd(fd);

	close(fd);
	return prof;
}

static inline void free_profile(struct profile *prof)
{
	free(prof->hits - 1);
}

static inline __u64 sum_slots(const struct profile *prof, size_t from,
			      size_t to)
{
	__u64 sum = 0;

	for (; from < to && from < prof->slots; from++)
		sum += prof->hits[from];
	return sum;
}

static inline __u64 sum_hits(const struct profile *prof)
{
	return sum_slots(prof, 0, prof->slots);
}

static inline __u64 total_hits(void)
{
	struct profile prof = read_profile();
	__u64 sum = sum_hits(&prof);

	free_profile(&prof);
	return sum;
}

/* ---- Symbols ------------------------------------------------------------ */

struct symbol {
	__u64 addr;
	char name[64];
};

static struct symbol *symbols;	/* of the text, by address */
static size_t nr_symbols;
static __u64 text_start, text_end;

static inline FILE *open_map(char *path, size_t size)
{
	struct utsname uts;
	char release[128];
	const char * const paths[] = {
		getenv("PROFILE_MAP"), "/System.map", release,
		"/boot/System.map", "/proc/kallsyms",
	};
	FILE *file = NULL;
	size_t i;

	uname(&uts);
	snprintf(release, sizeof(release), "/boot/System.map-%s", uts.release);
	for (i = 0; i < ARRAY_SIZE(paths) && !file; i++) {
		if (!paths[i])
			continue;
		snprintf(path, size, "%s", paths[i]);
		file = fopen(path, "r");
	}
	return file;
}

static inline int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static inline void add_symbol(__u64 addr, const char *name)
{
	if (!(nr_symbols & (nr_symbols - 1))) {
		symbols = realloc(symbols, sizeof(*symbols) *
				  (nr_symbols ? 2 * nr_symbols : 1));
		require(symbols, "no memory for symbols");
	}
	symbols[nr_symbols].addr = addr;
	snprintf(symbols[nr_symbols++].name, sizeof(symbols->name), "%.63s",
		 name);
	if (!strcmp(name, "_stext"))
		text_start = addr;
	if (!strcmp(name, "_etext"))
		text_end = addr;
}

static inline void load_symbols(void)
{
	char path[256], line[512], type, name[256];
	__u64 addr;
	FILE *file;

	if (nr_symbols)
		return;
	file = open_map(path, sizeof(path));
	require(file, "%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		/* The names of modules stand in brackets behind theirs. */
		if (strchr(line, '[') ||
		    sscanf(line, "%llx %c %255s", &addr, &type, name) != 3)
			continue;
		if (strchr("tTwW", type) || !strcmp(name, "_etext"))
			add_symbol(addr, name);
	}
	fclose(file);
	require(text_start && text_end > text_start,
		"%s: no _stext and _etext", path);
	qsort(symbols, nr_symbols, sizeof(*symbols), compare_symbols);
}

static inline size_t text_bytes(void)
{
	load_symbols();
	return text_end - text_start;
}

static inline unsigned int max_shift(void)
{
	return 63 - __builtin_clzll(text_bytes());
}

/* Whether a name, without the tail that gcc gives to clones, fits "a|b*". */
static inline bool name_fits(const char *name, const char *globs)
{
	char plain[64], copy[256], *glob, *rest;

	snprintf(plain, sizeof(plain), "%s", name);
	plain[strcspn(plain, ".")] = '\0';
	snprintf(copy, sizeof(copy), "%s", globs);
	for (glob = strtok_r(copy, "|", &rest); glob;
	     glob = strtok_r(NULL, "|", &rest))
		if (!fnmatch(glob, plain, 0))
			return true;
	return false;
}

static inline bool has_symbol(const char *globs)
{
	size_t i;

	load_symbols();
	for (i = 0; i < nr_symbols; i++)
		if (name_fits(symbols[i].name, globs))
			return true;
	return false;
}

/* Told by what a mode needs; cpu and schedule are always there. */
static inline bool mode_is_built(int mode)
{
	switch (mode) {
	case MODE_SLEEP:
		return has_symbol("__traceiter_sched_stat_blocked");
	case MODE_KVM:
		return has_symbol("kvm_arch_vcpu_ioctl_run");
	default:
		return true;
	}
}

static inline void skip_unless_built(int mode)
{
	skip_if(!mode_is_built(mode), "not in this kernel");
}

/*
 * Exact while a slot is no larger than the alignment of functions, thus for
 * shifts up to 2. Symbols of one address own it together; the last one counts.
 */
static inline __u64 symbol_hits(const struct profile *prof, size_t i)
{
	__u64 from = symbols[i].addr, to;

	if (i + 1 == nr_symbols || from < text_start || from >= text_end)
		return 0;
	to = symbols[i + 1].addr < text_end ? symbols[i + 1].addr : text_end;
	return sum_slots(prof, (from - text_start) >> prof->shift,
			 (to - text_start) >> prof->shift);
}

static inline __u64 hits_of(const struct profile *prof, const char *globs)
{
	__u64 sum = 0;
	size_t i;

	load_symbols();
	for (i = 0; i < nr_symbols; i++)
		if (name_fits(symbols[i].name, globs))
			sum += symbol_hits(prof, i);
	return sum;
}

static inline __u64 read_hits_of(const char *globs)
{
	struct profile prof = read_profile();
	__u64 hits = hits_of(&prof, globs);

	free_profile(&prof);
	return hits;
}

/* The function with the most hits, other than some; NULL without any hit. */
static inline struct symbol *top_function(const struct profile *prof,
					  const char *except, __u64 *hits)
{
	struct symbol *top = NULL;
	__u64 n;
	size_t i;

	load_symbols();
	*hits = 0;
	for (i = 0; i < nr_symbols; i++) {
		n = symbol_hits(prof, i);
		if (n > *hits && !name_fits(symbols[i].name, except)) {
			*hits = n;
			top = &symbols[i];
		}
	}
	return top;
}

/* The functions with the most hits, n of them. */
static inline void print_tops(const struct profile *prof, int n)
{
	char shown[1024] = "";
	struct symbol *top;
	size_t len;
	__u64 hits;
	int i;

	for (i = 0; i < n; i++) {
		top = top_function(prof, shown, &hits);
		if (!top)
			return;
		ksft_print_msg("%8llu %s\n", hits, top->name);
		len = strlen(shown);
		snprintf(shown + len, sizeof(shown) - len, "%s%.*s",
			 i ? "|" : "", (int)strcspn(top->name, "."), top->name);
	}
}

/* ---- Load --------------------------------------------------------------- */

/*
 * In schedule mode sched_yield() is a hit on demand: one call, one hit, and
 * the caller is known. Next to nothing else in the system calls it.
 */
#define YIELD_GLOBS	"*sched_yield*"

struct yield_order {
	int cpu;
	unsigned long times;
};

static inline void yield_times(void *arg)
{
	struct yield_order *order = arg;
	unsigned long i;

	pin(order->cpu);
	for (i = 0; i < order->times; i++)
		sched_yield();
}

/* Returns when it is done. */
static inline void yield_on(int cpu, unsigned long times)
{
	struct yield_order order = { cpu, times };

	join(spawn(yield_times, &order));
}

/* On each of some CPUs; returns how many in all. */
static inline __u64 yield_on_each(__u64 cpus, unsigned long times)
{
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (has_cpu(cpus, cpu))
			yield_on(cpu, times);
	return nr_cpus(cpus) * (__u64)times;
}

struct endless {
	__u64 cpus;
	size_t len;		/* of a read */
	__u64 done;		/* calls that have returned; atomic */
};

static inline __u64 done_by(const struct endless *load)
{
	return __atomic_load_n(&load->done, __ATOMIC_SEQ_CST);
}

static inline void count_done(struct endless *load)
{
	__atomic_fetch_add(&load->done, 1, __ATOMIC_SEQ_CST);
}

static inline void yield_endlessly(void *arg)
{
	struct endless *load = arg;

	pin_to(load->cpus);
	for (;;) {
		sched_yield();
		count_done(load);
	}
}

static inline struct endless *new_endless(__u64 cpus)
{
	struct endless *load = shared_memory(sizeof(*load));

	load->cpus = cpus;
	return load;
}

static inline void wait_done(const struct endless *load, __u64 done)
{
	while (done_by(load) < done)
		sleep_ms(1);
}

/*
 * In cpu mode: kernel work whose function can be told from everything else.
 * A lump is 64 KiB of it.
 */
#define NOISE_GLOBS	"*chacha*"

static inline void noise(__u64 lumps)
{
	static char buf[65536];

	while (lumps--)
		require(syscall(SYS_getrandom, buf, sizeof(buf),
				GRND_INSECURE) == sizeof(buf),
			"getrandom: %s", strerror(errno));
}

/* Returns how many lumps it took to see this many hits. */
static inline __u64 noise_until(__u64 hits)
{
	__u64 lumps = 0;

	while (read_hits_of(NOISE_GLOBS) < hits) {
		noise(32);
		lumps += 32;
	}
	return lumps;
}

/* ---- Runner ------------------------------------------------------------- */

static struct {
	int mode;
	char start[64];		/* what to write to get it back */
	char mask[256];
	char schedstats[16];
	__u64 online;
} found;

static pid_t test_group;

static inline void save_state(void)
{
	static const char * const names[] = { "", "cpu", "schedule", "sleep", "kvm" };
	__u32 step = 1;
	int fd;

	found.online = cpu_list("online");
	get_text(SCHEDSTATS_FILE, found.schedstats, sizeof(found.schedstats));
	found.mode = profiling_mode();
	if (found.mode == MODE_OFF)
		return;
	fd = open_profile(O_RDONLY);
	require(read(fd, &step, sizeof(step)) == sizeof(step) && step,
		"%s: no header", PROFILE_FILE);
	close(fd);
	snprintf(found.start, sizeof(found.start), "%s,%d",
		 names[found.mode], __builtin_ctz(step));
	get_text(MASK_FILE, found.mask, sizeof(found.mask));
}

/* Between tests: nothing of a test is left, and the profiler is off. */
static inline void tidy(void)
{
	int cpu;

	if (test_group) {
		kill(-test_group, SIGKILL);
		while (waitpid(-test_group, NULL, 0) > 0)
			;
		test_group = 0;
	}
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (has_cpu(found.online & ~cpu_list("online"), cpu))
			cpu_set_online(cpu, true);
	put_text(SYSFS_FILE, "off");
}

static inline void restore_state(void)
{
	tidy();
	if (found.schedstats[0])
		put_text(SCHEDSTATS_FILE, found.schedstats);
	if (found.mode == MODE_OFF)
		return;
	put_text(SYSFS_FILE, found.start);
	put_text(MASK_FILE, found.mask);
}

static inline void interrupted(int sig)
{
	restore_state();
	_exit(128 + sig);
}

static inline pid_t start_test(const struct test *test)
{
	pid_t pid = fork();

	require(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		setpgid(0, 0);
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		failed = false;
		test->run();
		_exit(failed ? KSFT_FAIL : KSFT_PASS);
	}
	setpgid(pid, pid);
	test_group = pid;
	return pid;
}

/* A process that not even SIGKILL ends must not take the verdict along. */
static inline int wait_test(pid_t pid)
{
	double limit = now() + hang_seconds;
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (now() > limit) {
			ksft_print_msg("hangs\n");
			kill(-pid, SIGKILL);
			sleep_ms(5000);
			if (waitpid(pid, NULL, WNOHANG) != pid)
				test_group = 0;
			return KSFT_FAIL;
		}
		sleep_ms(10);
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	ksft_print_msg("killed by signal %d\n", WTERMSIG(status));
	return KSFT_FAIL;
}

static inline void run_test(const struct test *test)
{
	int verdict = wait_test(start_test(test));

	tidy();
	if (verdict == KSFT_SKIP) {
		ksft_inc_xskip_cnt();
		printf("ok %u %s # SKIP %s\n", ksft_test_num(), test->name,
		       skip_reason);
	} else {
		ksft_test_result(verdict == KSFT_PASS, "%s\n", test->name);
	}
}

static inline int run_tests(const struct test *tests, unsigned int n)
{
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	ksft_print_header();
	if (geteuid() || !exists(SYSFS_FILE)) {
		printf("1..0 # SKIP needs root and %s\n", SYSFS_FILE);
		return KSFT_SKIP;
	}
	ksft_set_plan(n);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	skip_reason = shared_memory(256);
	save_state();
	signal(SIGINT, interrupted);
	signal(SIGTERM, interrupted);
	tidy();
	for (i = 0; i < n; i++)
		run_test(&tests[i]);
	restore_state();
	ksft_print_cnts();
	if (ksft_get_fail_cnt())
		return KSFT_FAIL;
	return ksft_get_xskip_cnt() == (int)n ? KSFT_SKIP : KSFT_PASS;
}

#endif /* PROFILE_TEST_H */
