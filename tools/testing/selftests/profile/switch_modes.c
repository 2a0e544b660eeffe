// SPDX-License-Identifier: GPL-2.0-only
/* Off, and then another mode, while all that can be done to one goes on. */

#include "profile_module.h"
#include "profile_helpers.h"

#define ROUNDS		200
#define WARM_UP		20
#define LEAK_BYTES	1024	/* less than that a round is noise */

/* Neighbours differ in their step, so that the header tells them apart. */
struct profiler {
	const char *text;
	int mode;
	unsigned int shift;
};

static const struct profiler profilers[] = {
	{ "cpu,2",	MODE_CPU,	2 },
	{ "schedule,4",	MODE_SCHEDULE,	4 },
	{ "sleep,3",	MODE_SLEEP,	3 },
	{ "kvm,6",	MODE_KVM,	6 },
	{ "schedule,0",	MODE_SCHEDULE,	0 },
	{ "cpu,12",	MODE_CPU,	12 },
	{ "kvm,1",	MODE_KVM,	1 },
	{ "sleep,8",	MODE_SLEEP,	8 },
};

static struct profiler taken[ARRAY_SIZE(profilers)];
static size_t nr_taken;

static const struct profiler *profiler_of(int round)
{
	return &taken[round % nr_taken];
}

/* A kernel may refuse modes, but not the two that need nothing. */
static void find_taken(void)
{
	const struct profiler *p;
	int err;

	for (p = profilers; p < profilers + ARRAY_SIZE(profilers); p++) {
		err = put_text(SYSFS_FILE, p->text);
		require(!err || (err == -EINVAL && p->mode > MODE_SCHEDULE),
			"\"%s\": %s", p->text, strerror(-err));
		if (!err)
			taken[nr_taken++] = *p;
		stop();
	}
	ksft_print_msg("%zu of %zu profilers are to be had\n", nr_taken,
		       ARRAY_SIZE(profilers));
}

static void expect_off(const char *when)
{
	expect(profiling_mode() == MODE_OFF, "%s: mode is %d", when,
	       profiling_mode());
	expect(!exists(PROFILE_FILE), "%s: %s exists", when, PROFILE_FILE);
	expect(!exists(MASK_FILE), "%s: %s exists", when, MASK_FILE);
}

/* Sysfs and the header agree on what was asked for. */
static void expect_on(const struct profiler *p)
{
	__u32 step = 0;
	int fd;

	expect(profiling_mode() == p->mode, "\"%s\": mode is %d", p->text,
	       profiling_mode());
	fd = open_profile(O_RDONLY);
	expect(read(fd, &step, 4) == 4 && step == 1U << p->shift,
	       "\"%s\": the step is %u", p->text, step);
	close(fd);
	expect(exists(MASK_FILE), "\"%s\": no %s", p->text, MASK_FILE);
}

/* ---- Open files of a profiler that is gone ------------------------------ */

static void expect_gone(int fd, const char *file, const char *when)
{
	static const off_t at[] = { 0, 1, 4, 4096, 100000 };
	static char buf[65536];
	ssize_t n;
	size_t i;

	for (i = 0; i <= ARRAY_SIZE(at); i++) {
		n = i < ARRAY_SIZE(at) ? pread(fd, buf, sizeof(buf), at[i]) :
					 read(fd, buf, 1);
		expect(!n || (n < 0 && errno == EIO), "%s of %s: %zd, %s", file,
		       when, n, n < 0 ? strerror(errno) : "data");
	}
	n = write(fd, "0", 1);
	expect(n < 0 && errno == EIO, "%s of %s: a write: %zd, %s", file, when,
	       n, n < 0 ? strerror(errno) : "taken");
}

/* One of them was never read, one is in the middle of a pass. */
struct held {
	int fresh;
	int begun;
	int mask;
};

static struct held hold_files(void)
{
	struct held h = { .fresh = open_profile(O_RDWR),
			  .begun = open_profile(O_RDWR),
			  .mask = open(MASK_FILE, O_RDWR) };
	char buf[100];

	require(h.mask >= 0, "%s: %s", MASK_FILE, strerror(errno));
	require(read(h.begun, buf, 100) == 100, "read");
	return h;
}

static void expect_held_gone(const struct held *h, const char *when)
{
	expect_gone(h->fresh, PROFILE_FILE, when);
	expect_gone(h->begun, PROFILE_FILE, when);
	expect_gone(h->mask, MASK_FILE, when);
}

static void switch_pair(const struct profiler *from, const struct profiler *to)
{
	char when[64];
	struct held h;

	snprintf(when, sizeof(when), "\"%s\" under \"%s\"", from->text,
		 to->text);
	start(from->text);
	expect_on(from);
	h = hold_files();
	stop();
	expect_off(from->text);
	expect_held_gone(&h, from->text);
	start(to->text);
	expect_on(to);
	expect_held_gone(&h, when);
	expect_on(to);
	stop();
	close(h.fresh);
	close(h.begun);
	close(h.mask);
}

static void switch_held_open(void)
{
	size_t i, j;

	find_taken();
	for (i = 0; i < nr_taken; i++)
		for (j = 0; j < nr_taken; j++)
			switch_pair(&taken[i], &taken[j]);
	expect_off("in the end");
}

/* ---- Everything at once ------------------------------------------------- */

static struct helper helpers[] = {
	{ .name = "rates", .run = write_rates },
	{ .name = "resets", .run = write_resets },
	{ .name = "masks", .run = write_masks },
	{ .name = "ticks", .run = make_noise },
	{ .name = "schedule load", .run = yield_endlessly },
	{ .name = "sleep load", .run = block },
	{ .name = "CPU toggler", .run = toggle },
	{ .name = "reader, 1 byte", .run = read_across, .len = 1 },
	{ .name = "reader, 4096 bytes", .run = read_across, .len = 4096 },
	{ .name = "reader, all bytes", .run = read_across, .len = ALL_BYTES },
};

static void switch_all_at_once(void)
{
	int i;

	find_taken();
	start_helpers(helpers, ARRAY_SIZE(helpers));
	for (i = 0; i < ROUNDS; i++) {
		start(profiler_of(i)->text);
		expect_on(profiler_of(i));
		sleep_ms(10);
		stop();
		expect_off(profiler_of(i)->text);
	}
	end_helpers(helpers, ARRAY_SIZE(helpers));
	expect_off("in the end");
}

/* ---- Leaks -------------------------------------------------------------- */

/* In kB, of what a profiler is made of. */
static long memory(void)
{
	static const char * const names[] = {
		"SUnreclaim:", "Percpu:", "VmallocUsed:",
	};
	FILE *file = fopen("/proc/meminfo", "r");
	char line[256], name[64];
	long sum = 0, kb;
	size_t i;

	require(file, "/proc/meminfo");
	while (fgets(line, sizeof(line), file))
		for (i = 0; i < ARRAY_SIZE(names); i++)
			if (sscanf(line, "%63s %ld", name, &kb) == 2 &&
			    !strcmp(name, names[i]))
				sum += kb;
	fclose(file);
	return sum;
}

/* With all that a profiler may come to own in its life. */
static void live_a_life(const struct profiler *p)
{
	static const int rate = 4;
	__u64 cpus = hotplug_cpus();
	struct held h;

	start(p->text);
	h = hold_files();
	put_bytes(PROFILE_FILE, &rate, sizeof(rate));
	if (cpus) {
		cpus &= -cpus;
		set_cpus_online(cpus, false);
		set_cpus_online(cpus, true);
	}
	set_mask(1);
	total_hits();
	stop();
	close(h.fresh);
	close(h.begun);
	close(h.mask);
}

static void switch_leak(void)
{
	long before, after;
	int i;

	skip_if(has_kasan(), "KASAN keeps freed memory back");
	find_taken();
	for (i = 0; i < WARM_UP; i++)
		live_a_life(profiler_of(i));
	sleep_ms(1000);
	before = memory();
	for (i = 0; i < ROUNDS; i++)
		live_a_life(profiler_of(i));
	sleep_ms(1000);
	after = memory();
	ksft_print_msg("%ld kB, %ld kB after %d rounds\n", before, after,
		       ROUNDS);
	expect(after - before < ROUNDS * LEAK_BYTES / 1024,
	       "memory leaks away");
}

static void switch_kmemleak(void)
{
	int i, leaks;

	skip_if(!has_debugfs("kmemleak"), "needs kmemleak");
	find_taken();
	for (i = 0; i < 2 * (int)nr_taken; i++)
		live_a_life(profiler_of(i));
	leaks = count_leaks("profile_");
	expect(!leaks, "%d pieces of memory have leaked", leaks);
}

static const struct test tests[] = {
	{ "switch_held_open", switch_held_open },
	{ "switch_all_at_once", switch_all_at_once },
	{ "switch_leak", switch_leak },
	{ "switch_kmemleak", switch_kmemleak },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
