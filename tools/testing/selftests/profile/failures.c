// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every allocation fails in turn, by the fault injection of the kernel: what is
 * asked for is refused and nothing of it is left, or it works without.
 */

#include "profile_module.h"

#define FAIL_NTH	"/proc/thread-self/fail-nth"
#define STATES_FILE	CPU_DIR "/hotplug/states"
#define MOST_ALLOCATIONS	2000
#define YIELDS		1000

/* ---- Injection ---------------------------------------------------------- */

/* Allocations that may sleep and those of one page are spared otherwise. */
static void spare_none(void)
{
	static const struct {
		const char *file;
		const char *text;
	} settings[] = {
		{ "failslab/ignore-gfp-wait", "N" },
		{ "failslab/verbose", "0" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" },
		{ "fail_page_alloc/ignore-gfp-highmem", "N" },
		{ "fail_page_alloc/min-order", "0" },
		{ "fail_page_alloc/verbose", "0" },
	};
	char path[128];
	size_t i;
	int err;

	skip_if(!exists(FAIL_NTH) || !has_debugfs("failslab") ||
		!has_debugfs("fail_page_alloc"), "needs fault injection");
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		snprintf(path, sizeof(path), "/sys/kernel/debug/%s",
			 settings[i].file);
		err = put_text(path, settings[i].text);
		require(!err, "%s: %s", path, strerror(-err));
	}
}

struct attempt {
	int nth;	/* the allocation that fails, from 1 */
	bool failed;	/* there was one */
	int err;	/* what the operation said */
};

/* Let an operation run into the next failing allocation. */
static void try_next(struct attempt *a, int (*run)(const void *arg),
		     const void *arg)
{
	int fd = open(FAIL_NTH, O_RDWR);
	char text[16] = "";

	require(fd >= 0, "%s: %s", FAIL_NTH, strerror(errno));
	require(++a->nth < MOST_ALLOCATIONS, "there is no end of allocations");
	snprintf(text, sizeof(text), "%d", a->nth);
	require(pwrite(fd, text, strlen(text), 0) > 0, "%s", FAIL_NTH);
	a->err = run(arg);
	memset(text, 0, sizeof(text));
	require(pread(fd, text, sizeof(text) - 1, 0) > 0, "%s", FAIL_NTH);
	a->failed = atoi(text) == 0;
	require(pwrite(fd, "0", 1, 0) == 1, "%s", FAIL_NTH);
	close(fd);
	expect(!a->err || (a->failed && a->err == -ENOMEM),
	       "allocation %d: %s", a->nth, strerror(-a->err));
}

/* ---- Starts ------------------------------------------------------------- */

/* Opened beforehand, so that nothing but the write can fail. */
static int option_fd = -1;

static int put_option(const void *text)
{
	if (option_fd < 0)
		option_fd = open(SYSFS_FILE, O_WRONLY);
	require(option_fd >= 0, "%s: %s", SYSFS_FILE, strerror(errno));
	return pwrite(option_fd, text, strlen(text), 0) < 0 ? -errno : 0;
}

static void expect_nothing_left(const struct attempt *a)
{
	char line[256];
	FILE *file = fopen(STATES_FILE, "r");

	expect(profiling_mode() == MODE_OFF, "allocation %d: mode is %d",
	       a->nth, profiling_mode());
	expect(!exists(PROFILE_FILE) && !exists(MASK_FILE),
	       "allocation %d: a file is left", a->nth);
	while (file && fgets(line, sizeof(line), file))
		expect(!strstr(line, "profile:"), "allocation %d: %s is left",
		       a->nth, line);
	if (file)
		fclose(file);
}

static void expect_yields_count(const char *when, int cpu)
{
	__u64 hits;

	reset();
	yield_on(cpu, YIELDS);
	hits = read_hits_of(YIELD_GLOBS);
	expect(hits >= YIELDS && hits <= YIELDS + YIELDS / 20,
	       "%s: %llu hits, not %d", when, hits, YIELDS);
}

/* Hits that a small shift would tell from those of others. */
static void expect_some_count(const char *text)
{
	__u64 hits;

	reset();
	yield_on(0, YIELDS);
	hits = total_hits();
	expect(hits >= YIELDS, "\"%s\": %llu hits, not %d", text, hits, YIELDS);
}

/* Only a write that does not get as far as the profiler is not in its log. */
static int refusals_of(const char *text)
{
	struct attempt a = { };
	int refused = 0, silent = 0, log = open_log();

	put_option("off");
	do {
		try_next(&a, put_option, text);
		if (a.err) {
			refused++;
			silent += !count_records(log, "profile: can't start");
			expect_nothing_left(&a);
			start(text);
		}
		if (profiling_mode() == MODE_SCHEDULE)
			expect_some_count(text);
		stop();
		expect_nothing_left(&a);
	} while (a.failed);
	close(log);
	ksft_print_msg("\"%s\": %d allocations, %d of them needed\n", text,
		       a.nth - 1, refused);
	expect(silent <= 1, "%d failures are not in the log", silent);
	return refused - silent;
}

/*
 * The profiler, its two files, and its masks where they are allocated. How many
 * allocations vmalloc() needs is not always the same, so that with a small
 * shift some may be missed.
 */
static void failed_start(void)
{
	static const struct {
		const char *text;
		int mode;
		int needed;
	} rows[] = {
		{ "cpu,12", MODE_CPU, 3 },
		{ "schedule,12", MODE_SCHEDULE, 3 },
		{ "sleep,12", MODE_SLEEP, 3 },
		{ "kvm,12", MODE_KVM, 3 },
		{ "cpu,2", MODE_CPU, 1 },
		{ "schedule,2", MODE_SCHEDULE, 1 },
	};
	int refusals;
	size_t i;

	spare_none();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!mode_is_built(rows[i].mode))
			continue;
		refusals = refusals_of(rows[i].text);
		expect(refusals >= rows[i].needed, "%d failures were met",
		       refusals);
	}
}

/* ---- Counters start at zero, wherever they come from -------------------- */

static void dirty_memory(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	require(mem != MAP_FAILED, "mmap: %s", strerror(errno));
	memset(mem, 0x5a, bytes);
	munmap(mem, bytes);
}

/* Old memory would show as counts that nobody can have made. */
static void unzeroed_fallback(void)
{
	static const char * const texts[] = {
		"schedule,2", "schedule,6", "schedule,12",
	};
	struct profile prof;
	struct attempt a;
	size_t i, slot;

	spare_none();
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		memset(&a, 0, sizeof(a));
		put_option("off");
		do {
			dirty_memory(16 << 20);
			try_next(&a, put_option, texts[i]);
			if (a.err)
				continue;
			prof = read_profile();
			for (slot = 0; slot < prof.slots; slot++)
				require(prof.hits[slot] < 1000000,
					"\"%s\", allocation %d: slot %zu has %u hits",
					texts[i], a.nth, slot, prof.hits[slot]);
			free_profile(&prof);
			stop();
		} while (a.failed);
	}
}

/* ---- CPUs that come up -------------------------------------------------- */

static int put_online(const void *arg)
{
	return cpu_set_online(*(const int *)arg, true);
}

/* What fails may be anything that a CPU needs; if it comes up, it counts. */
static void failed_bring_up(void)
{
	struct attempt a = { };
	int cpu = first_cpu(require_hotplug()), refused = 0;

	spare_none();
	do {
		set_cpus_online(1ULL << cpu, false);
		start("schedule,2");
		try_next(&a, put_online, &cpu);
		if (a.err) {
			refused++;
			set_cpus_online(1ULL << cpu, true);
		}
		expect_yields_count("up", cpu);
		set_cpus_online(1ULL << cpu, false);
		set_cpus_online(1ULL << cpu, true);
		expect_yields_count("up again", cpu);
		stop();
	} while (a.failed);
	ksft_print_msg("cpu%d: %d allocations, %d of them needed\n", cpu,
		       a.nth - 1, refused);
	expect(a.nth - 1 - refused >= 2, "the tables were not among them");
}

/* ---- Files -------------------------------------------------------------- */

static int put_mask(const void *text)
{
	return put_text(MASK_FILE, text);
}

static void failed_mask(void)
{
	struct attempt a = { };
	__u64 all;

	spare_none();
	start("cpu,2");
	all = get_mask();
	do {
		try_next(&a, put_mask, "1");
		expect(get_mask() == (a.err ? all : 1),
		       "allocation %d: mask is %llx", a.nth, get_mask());
		set_mask(all);
	} while (a.failed);
	expect(a.nth > 1, "a mask needs no memory");
}

static int read_once(const void *path)
{
	static char buf[8192];
	int fd = open(path, O_RDONLY), err = 0;

	if (fd < 0)
		return -errno;
	if (read(fd, buf, sizeof(buf)) != (ssize_t)sizeof(buf))
		err = -errno;
	close(fd);
	return err;
}

static void failed_read(void)
{
	struct attempt a = { };

	spare_none();
	start("schedule,2");
	do {
		try_next(&a, read_once, PROFILE_FILE);
		expect_yields_count("after a failed read", 0);
	} while (a.failed);
	expect(a.nth > 1, "a reader needs no memory");
}

static const struct test tests[] = {
	{ "failed_start", failed_start },
	{ "unzeroed_fallback", unzeroed_fallback },
	{ "failed_bring_up", failed_bring_up },
	{ "failed_mask", failed_mask },
	{ "failed_read", failed_read },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
