// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a read must have seen, and what it must no longer see after a reset.
 * A known number of hits per CPU, pending there, makes both exact.
 */

#include "profile_test.h"

#include <limits.h>

#define YIELDS	2000

/* ---- Freshness ---------------------------------------------------------- */

/* The words of the file in which the yields show up. */
struct place {
	off_t at;
	size_t words;
};

static struct place find_yields(void)
{
	struct profile prof = read_profile();
	size_t i, from = prof.slots, to = 0;

	load_symbols();
	for (i = 0; i + 1 < nr_symbols; i++) {
		if (!name_fits(symbols[i].name, YIELD_GLOBS) ||
		    !symbol_hits(&prof, i))
			continue;
		from = (symbols[i].addr - text_start) >> prof.shift;
		to = (symbols[i + 1].addr - text_start) >> prof.shift;
		if (symbol_hits(&prof, i) > YIELDS / 2)
			break;
	}
	free_profile(&prof);
	require(from < to && to - from < 1024, "yields show up nowhere");
	return (struct place){ (from + 1) * 4, to - from };
}

static __u64 sum_words(const __u32 *words, size_t n)
{
	__u64 sum = 0;

	while (n--)
		sum += *words++;
	return sum;
}

static __u64 pread_place(int fd, struct place place)
{
	__u32 words[1024];
	ssize_t n = pread(fd, words, place.words * 4, place.at);

	require(n == (ssize_t)place.words * 4, "pread: %zd", n);
	return sum_words(words, place.words);
}

/* Each way to read gives another reason why a read continues no other one. */
static __u64 new_open(int fd, struct place place)
{
	int fresh = open_profile(O_RDONLY);
	__u64 hits = pread_place(fresh, place);

	(void)fd;
	close(fresh);
	return hits;
}

static __u64 same_offset(int fd, struct place place)
{
	return pread_place(fd, place);
}

static __u64 seek_back(int fd, struct place place)
{
	__u32 words[1024];
	ssize_t n;

	lseek(fd, place.at, SEEK_SET);
	n = read(fd, words, place.words * 4);
	require(n == (ssize_t)place.words * 4, "read: %zd", n);
	return sum_words(words, place.words);
}

/* The position of the file takes part in a pass, the read does not. */
static __u64 skip_ahead(int fd, struct place place)
{
	__u32 word;

	require(pread(fd, &word, 4, place.at - 8) == 4, "no word before");
	return pread_place(fd, place);
}

static __u64 from_the_start(int fd, struct place place)
{
	static __u32 *words;
	size_t n = place.at / 4 + place.words;
	ssize_t got;

	words = realloc(words, n * 4);
	require(words, "no memory");
	lseek(fd, 0, SEEK_SET);
	got = read(fd, words, n * 4);
	require(got == (ssize_t)n * 4, "read: %zd", got);
	return sum_words(words + place.at / 4, place.words);
}

/* Tiny reads from the header on; the yields were before the first of them. */
static __u64 tiny_reads(int fd, struct place place)
{
	char *bytes = malloc(place.at + place.words * 4);
	size_t i, end = place.at + place.words * 4;
	__u64 hits;

	require(bytes, "no memory");
	lseek(fd, 0, SEEK_SET);
	for (i = 0; i < end; i += 509)
		require(read(fd, bytes + i, end - i < 509 ? end - i : 509) > 0,
			"read at %zu", i);
	hits = sum_words((__u32 *)(bytes + place.at), place.words);
	free(bytes);
	return hits;
}

static void freshness(void)
{
	static const struct {
		const char *name;
		__u64 (*read)(int fd, struct place place);
	} ways[] = {
		{ "new open file", new_open },
		{ "pread at the same offset", same_offset },
		{ "lseek back", seek_back },
		{ "skip ahead", skip_ahead },
		{ "whole file again", from_the_start },
		{ "new pass of tiny reads", tiny_reads },
	};
	__u64 cpus = cpu_list("online"), made, seen;
	struct place place;
	size_t i, round;
	int fd;

	start("schedule,2");
	made = yield_on_each(cpus, YIELDS);
	place = find_yields();
	fd = open_profile(O_RDONLY);
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		for (round = 0; round < 3; round++) {
			made += yield_on_each(cpus, YIELDS);
			seen = ways[i].read(fd, place);
			expect(seen >= made, "%s: %llu of %llu hits",
			       ways[i].name, seen, made);
		}
}

/* How far one open file has come means nothing to another one. */
static void freshness_two_files(void)
{
	__u64 cpus = cpu_list("online"), made, seen;
	struct place place;
	__u32 word;
	int pass, other;

	start("schedule,2");
	made = yield_on_each(cpus, YIELDS);
	place = find_yields();
	pass = open_profile(O_RDONLY);
	other = open_profile(O_RDONLY);
	require(pread(pass, &word, 4, place.at - 4) == 4, "pread");
	require(pread(other, &word, 4, 0) == 4, "pread");
	made += yield_on_each(cpus, YIELDS);
	seen = pread_place(other, place);
	expect(seen >= made, "%llu of %llu hits", seen, made);
}

/* ---- Reset -------------------------------------------------------------- */

static void expect_reset(const char *what, size_t len, __u64 made)
{
	__u64 left = read_hits_of(YIELD_GLOBS);

	expect(left < made / 100, "%s of %zu bytes left %llu of %llu hits",
	       what, len, left, made);
}

/* Once with all hits pending in the tables, once with them in the buffer. */
static void reset_lengths(void)
{
	static const size_t lengths[] = { 1, 2, 3, 5, 6, 7, 8, 4096, 65536 };
	static char data[65536];
	__u64 cpus = cpu_list("online"), made;
	size_t i;
	int err;

	start("schedule,2");
	memset(data, '\n', sizeof(data));
	for (i = 0; i < 2 * ARRAY_SIZE(lengths); i++) {
		made = yield_on_each(cpus, YIELDS);
		if (i & 1)
			expect(read_hits_of(YIELD_GLOBS) >= made, "hits are lost");
		err = put_bytes(PROFILE_FILE, data, lengths[i / 2]);
		expect(!err, "a write of %zu bytes: %s", lengths[i / 2],
		       strerror(-err));
		expect_reset("a write", lengths[i / 2], made);
	}
}

/*
 * Resets against a running load. The load counts a yield when it is done, so
 * what a read sees after a reset lies between the counts around the two.
 */
static void check_reset(struct endless *load, unsigned int loads)
{
	__u64 before, between, after, end, seen, most;

	wait_done(load, done_by(load) + 20000);
	before = done_by(load);
	reset();
	between = done_by(load);
	wait_done(load, between + 100);
	after = done_by(load);
	seen = read_hits_of(YIELD_GLOBS);
	end = done_by(load);
	most = end - before + loads;
	expect(seen <= most + most / 50,
	       "%llu hits are back, %llu were made", seen, most);
	expect(seen + loads >= after - between,
	       "%llu of %llu hits after a reset", seen,
	       after - between);
}

static void reset_race(void)
{
	__u64 cpus = cpu_list("online");
	struct endless *load;
	int cpu, i;
	pid_t pid;

	start("schedule,2");
	load_symbols();
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!has_cpu(cpus, cpu))
			continue;
		load = new_endless(1ULL << cpu);
		pid = spawn(yield_endlessly, load);
		for (i = 0; i < 10; i++)
			check_reset(load, 1);
		end(pid);
		/* The next load must not see what this one leaves behind. */
		reset();
	}
}

/* Resets, readers, and hits on all CPUs at once; nothing is left in the end. */
static void reset_endlessly(void *arg)
{
	(void)arg;
	for (;;)
		reset();
}

static void read_endlessly(void *arg)
{
	(void)arg;
	for (;;)
		total_hits();
}

static void reset_many(void)
{
	__u64 cpus = cpu_list("online");
	struct endless *load = new_endless(cpus);
	pid_t pids[6];
	size_t i;

	start("schedule,4");
	for (i = 0; i < ARRAY_SIZE(pids); i++)
		pids[i] = spawn(i < 2 ? yield_endlessly : i < 4 ? reset_endlessly :
				read_endlessly, load);
	wait_done(load, 50000);
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		expect(!waitpid(pids[i], NULL, WNOHANG), "a process gave up");
		end(pids[i]);
	}
	reset();
	expect_reset("the last write", 1, done_by(load));
}

/* ---- Four bytes: the sampling rate -------------------------------------- */

static void bad_multiplier(void)
{
	static const struct {
		const char *name;
		int value;
	} rows[] = {
		{ "0", 0 }, { "-1", -1 }, { "INT_MIN", INT_MIN },
		{ "INT_MAX", INT_MAX }, { "100001", 100001 },
	};
	__u64 made;
	size_t i;
	int err;

	start("schedule,2");
	made = yield_on_each(cpu_list("online"), YIELDS);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		err = put_bytes(PROFILE_FILE, &rows[i].value, 4);
		expect(err == -EINVAL, "%s: %s", rows[i].name, strerror(-err));
	}
	err = put_text(PROFILE_FILE, "123\n");
	expect(err == -EINVAL, "\"123\\n\": %s", strerror(-err));
	err = put_bytes(PROFILE_FILE, BAD_ADDRESS, 4);
	expect(err == -EFAULT || err == -EINVAL, "a bad buffer: %s",
	       strerror(-err));
	expect(read_hits_of(YIELD_GLOBS) >= made,
	       "a refused multiplier changed the counters");
}

/* A multiplier is taken, and resets, or is refused, and changes nothing. */
static void one_as_multiplier(void)
{
	int err, value = 1;
	__u64 made;

	start("schedule,2");
	made = yield_on_each(cpu_list("online"), YIELDS);
	err = put_bytes(PROFILE_FILE, &value, 4);
	if (!err) {
		expect_reset("a multiplier", 4, made);
		return;
	}
	expect(err == -EINVAL, "1: %s", strerror(-err));
	expect(read_hits_of(YIELD_GLOBS) >= made,
	       "a refused multiplier changed the counters");
}

static const struct test tests[] = {
	{ "freshness", freshness },
	{ "freshness_two_files", freshness_two_files },
	{ "reset_lengths", reset_lengths },
	{ "reset_race", reset_race },
	{ "reset_many", reset_many },
	{ "bad_multiplier", bad_multiplier },
	{ "multiplier", one_as_multiplier },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
