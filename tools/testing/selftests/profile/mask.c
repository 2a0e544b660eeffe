// SPDX-License-Identifier: GPL-2.0-only
/* /proc/irq/prof_cpu_mask: its text, CPUs that come and go, what heeds it. */

#include "profile_test.h"

#define HITS	60

static __u64 all_cpus(void)
{
	__u64 possible = cpu_list("possible");

	skip_if(has_cpu(possible, MAX_CPUS - 1), "too many CPUs");
	return possible;
}

static void expect_mask(__u64 cpus, const char *when)
{
	__u64 mask = get_mask();

	expect(mask == cpus, "%s: mask is %#llx, not %#llx", when,
	       mask, cpus);
}

/* ---- Text --------------------------------------------------------------- */

static void mask_default(void)
{
	__u64 cpus = all_cpus();
	struct stat st;

	start("4");
	expect_mask(cpus, "cpu mode");
	expect(!stat(MASK_FILE, &st) && (st.st_mode & 07777) == 0600,
	       "mode is %o, not 0600", st.st_mode & 07777);
	set_mask(0);
	stop();
	expect(!exists(MASK_FILE), "the file is there while off");
	start("schedule,4");
	expect_mask(cpus, "after another start");
}

static void mask_read_back(void)
{
	__u64 cpus = all_cpus(), mask;

	start("4");
	for (mask = 0; mask <= cpus && mask < 256; mask++) {
		if (mask & ~cpus)
			continue;
		set_mask(mask);
		expect_mask(mask, "read back");
	}
	set_mask(cpus);
	expect_mask(cpus, "read back");
	expect(!put_text(MASK_FILE, "1\n"), "a newline is refused");
	expect_mask(1, "with a newline");
	expect(!put_text(MASK_FILE, "00000001"), "leading zeros are refused");
	expect_mask(1, "with leading zeros");
}

static void check_refused(const char *name, const void *text, size_t len)
{
	__u64 before = get_mask();
	int err = put_bytes(MASK_FILE, text, len);

	expect(err == -EINVAL || err == -EOVERFLOW,
	       "%s: %s, not EINVAL or EOVERFLOW", name, strerror(-err));
	expect_mask(before, name);
}

/* A legal mask buried in text that is too long for any machine. */
static void check_too_long(size_t len)
{
	char name[64], *text = malloc(len);

	require(text, "no memory");
	snprintf(name, sizeof(name), "%zu zeros", len);
	memset(text, '0', len);
	check_refused(name, text, len);
	text[0] = '1';
	check_refused("1 and zeros", text, len);
	free(text);
}

static void mask_bad_input(void)
{
	static const char * const texts[] = {
		"xyz", "\n", " ", ",", "-1", "0x1", "1x", "1,,1", "g", "1 x",
		"fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
		"1000000000000000000000000000000000000000000000000000000000000000",
		"100000000,00000000,00000000,00000000,00000000,00000000",
	};
	__u64 cpus = all_cpus();
	char beyond[32];
	size_t i;

	start("4");
	set_mask(1);
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		check_refused(texts[i], texts[i], strlen(texts[i]));
	check_refused("NUL", "1\0x", 3);
	snprintf(beyond, sizeof(beyond), "%llx", (cpus << 1 | 1) ^ cpus);
	check_refused(beyond, beyond, strlen(beyond));
	snprintf(beyond, sizeof(beyond), "%llx", cpus << 1 | 1);
	check_refused(beyond, beyond, strlen(beyond));
	check_too_long(1 << 20);
	check_too_long(16 << 20);
	expect(put_bytes(MASK_FILE, BAD_ADDRESS, 2) == -EFAULT,
	       "a bad buffer is taken");
	expect_mask(1, "in the end");
}

/* ---- CPUs that come and go ---------------------------------------------- */

static void mask_offline(void)
{
	__u64 cpus = require_hotplug(), all = all_cpus(), bit;
	int cpu;

	start("4");
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!has_cpu(cpus, cpu))
			continue;
		bit = 1ULL << cpu;
		set_mask(all);
		set_cpus_online(bit, false);
		expect_mask(all & ~bit, "offline, was on");
		set_cpus_online(bit, true);
		expect_mask(all, "back, was on");
		set_mask(all & ~bit);
		set_cpus_online(bit, false);
		expect_mask(all & ~bit, "offline, was off");
		set_cpus_online(bit, true);
		expect_mask(all & ~bit, "back, was off");
	}
	set_mask(all);
	set_cpus_online(cpus, false);
	expect_mask(all & ~cpus, "many offline");
	set_cpus_online(cpus, true);
	expect_mask(all, "many back");
}

/* What is written while a CPU is away is the truth, for that CPU too. */
static void mask_written_offline(void)
{
	__u64 all = all_cpus(), bit = 1ULL << first_cpu(require_hotplug());
	const struct {
		__u64 before, written;
	} rows[] = {
		{ all, all }, { all, all & ~bit }, { all, 0 }, { all, bit },
		{ 0, all }, { 0, bit }, { all & ~bit, all }, { bit, all & ~bit },
	};
	size_t i;

	start("4");
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		set_mask(rows[i].before);
		set_cpus_online(bit, false);
		expect_mask(rows[i].before & ~bit, "offline");
		set_mask(rows[i].written);
		expect_mask(rows[i].written, "written while offline");
		set_cpus_online(bit, true);
		expect_mask(rows[i].written, "back");
		set_cpus_online(bit, false);
		expect_mask(rows[i].written & ~bit, "offline again");
		set_cpus_online(bit, true);
		expect_mask(rows[i].written, "back again");
	}
}

/* A refused write does not touch what the CPU will find when it is back. */
static void mask_refused_offline(void)
{
	__u64 all = all_cpus(), bit = 1ULL << first_cpu(require_hotplug());

	start("4");
	set_cpus_online(bit, false);
	check_refused("xyz", "xyz", 3);
	set_cpus_online(bit, true);
	expect_mask(all, "back");
}

/* ---- Effect ------------------------------------------------------------- */

static void mask_ticks(void)
{
	__u64 all = all_cpus(), online = cpu_list("online"), lumps, hits;
	int cpu;

	start("2");
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!has_cpu(online, cpu))
			continue;
		pin(cpu);
		set_mask(1ULL << cpu);
		reset();
		lumps = noise_until(HITS);
		set_mask(all & ~(1ULL << cpu));
		reset();
		noise(lumps);
		hits = read_hits_of(NOISE_GLOBS);
		expect(hits < HITS / 10,
		       "cpu%d: %llu hits, but it is not in the mask",
		       cpu, hits);
	}
}

static void mask_pause(void)
{
	__u64 lumps, hits;

	start("2");
	lumps = noise_until(HITS);
	set_mask(0);
	total_hits();
	reset();
	noise(lumps);
	hits = total_hits();
	expect(!hits, "%llu hits with an empty mask", hits);
	set_mask(all_cpus());
	noise_until(HITS);
}

static void mask_schedule_ignores(void)
{
	__u64 made, seen;

	start("schedule,2");
	set_mask(0);
	made = yield_on_each(cpu_list("online"), 1000);
	seen = read_hits_of(YIELD_GLOBS);
	expect(seen >= made, "%llu of %llu hits", seen, made);
}

static const struct test tests[] = {
	{ "mask_default", mask_default },
	{ "mask_read_back", mask_read_back },
	{ "mask_bad_input", mask_bad_input },
	{ "mask_offline", mask_offline },
	{ "mask_written_offline", mask_written_offline },
	{ "mask_refused_offline", mask_refused_offline },
	{ "mask_ticks", mask_ticks },
	{ "mask_pause", mask_pause },
	{ "mask_schedule_ignores", mask_schedule_ignores },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
