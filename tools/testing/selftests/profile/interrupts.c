// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a reader does to others and to itself. It interrupts no other CPU, and
 * a sequential pass waits for one grace period. Each such wait puts the reader
 * to sleep, and its voluntary context switches count that; that it is exactly
 * one flip, whatever a flip does, is left to the unit tests.
 */

#include "profile_test.h"

#include <dirent.h>

#define READS	200
#define PASS	65536

/* ---- Function call interrupts ------------------------------------------- */

/* Sum of a row over the columns of some CPUs; -1 without a row. */
static __s64 interrupts_of(const char *row, __u64 cpus)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[8192], *pos, *end;
	__s64 sum = -1, n;
	int columns[MAX_CPUS], nr = 0, i;

	require(file && fgets(line, sizeof(line), file), "/proc/interrupts");
	for (pos = line; nr < MAX_CPUS && (pos = strstr(pos, "CPU")); pos += 3)
		columns[nr++] = atoi(pos + 3);
	while (sum < 0 && fgets(line, sizeof(line), file)) {
		if (!strstr(line, row))
			continue;
		pos = strchr(line, ':') + 1;
		for (sum = 0, i = 0; i < nr; i++, pos = end) {
			n = strtoll(pos, &end, 10);
			sum += has_cpu(cpus, columns[i]) ? n : 0;
		}
	}
	fclose(file);
	return sum;
}

static __s64 call_interrupts_elsewhere(int cpu)
{
	return interrupts_of("Function call interrupts", ~(1ULL << cpu));
}

/*
 * A wake-up across CPUs is a function call interrupt too, and grace periods
 * wake kernel threads: have all that can be moved on the reader's CPU.
 */
struct moved {
	pid_t pid;
	cpu_set_t cpus;
};

static struct moved moved[4096];
static size_t nr_moved;

static void move_all_to(int cpu)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct moved *m;
	cpu_set_t set;

	require(dir, "/proc: %s", strerror(errno));
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	while (nr_moved < ARRAY_SIZE(moved) && (entry = readdir(dir))) {
		m = &moved[nr_moved];
		m->pid = atoi(entry->d_name);
		if (m->pid &&
		    !sched_getaffinity(m->pid, sizeof(m->cpus), &m->cpus) &&
		    !sched_setaffinity(m->pid, sizeof(set), &set))
			nr_moved++;
	}
	closedir(dir);
}

static void move_all_back(void)
{
	while (nr_moved--)
		sched_setaffinity(moved[nr_moved].pid,
				  sizeof(moved[nr_moved].cpus),
				  &moved[nr_moved].cpus);
}

struct read_kind {
	const char *name;
	size_t len;
	bool sequential;
};

static __s64 interrupts_of_reads(const struct read_kind *kind, int cpu)
{
	static char buf[65536];
	__s64 before;
	int fd, i;

	fd = open_profile(O_RDONLY);
	before = call_interrupts_elsewhere(cpu);
	for (i = 0; i < READS; i++)
		if ((kind->sequential ? read(fd, buf, kind->len) :
		     pread(fd, buf, kind->len, 0)) <= 0)
			lseek(fd, 0, SEEK_SET);
	close(fd);
	return call_interrupts_elsewhere(cpu) - before;
}

static void ipi_storm(void)
{
	static const struct read_kind kinds[] = {
		{ "one byte at the start", 1, false },
		{ "4 KiB at the start", 4096, false },
		{ "64 KiB at the start", 65536, false },
		{ "one byte after the other", 1, true },
		{ "4 KiB after 4 KiB", 4096, true },
	};
	__s64 calls[ARRAY_SIZE(kinds)];
	int cpu = first_cpu(cpu_list("online"));
	size_t i;

	skip_if(nr_cpus(cpu_list("online")) == 1, "needs two CPUs");
	skip_if(call_interrupts_elsewhere(cpu) < 0,
		"/proc/interrupts does not count function calls");
	start("schedule,2");
	pin(cpu);
	move_all_to(cpu);
	/* Whatever was in flight settles first. */
	sleep_ms(500);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		calls[i] = interrupts_of_reads(&kinds[i], cpu);
	move_all_back();
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		ksft_print_msg("%s: %lld interrupts, %d reads\n",
			       kinds[i].name, calls[i], READS);
		/* The idle balancer sends a few now and then. */
		expect(calls[i] < READS / 4, "the reader interrupts others");
	}
}

/* ---- A crowd of readers ------------------------------------------------- */

#define CROWD	20

static void read_as_nobody(void *arg)
{
	struct endless *load = arg;
	static char buf[65536];
	int fd;

	pin_to(load->cpus);
	become_nobody();
	fd = open_profile(O_RDONLY);
	for (;;) {
		require(pread(fd, buf, sizeof(buf), 0) > 0, "read: %s",
			strerror(errno));
		count_done(load);
	}
}

static void spin(void *arg)
{
	struct endless *load = arg;

	pin_to(load->cpus);
	for (;;)
		count_done(load);
}

/* What happens on a CPU that is busy with its own while a crowd is at work. */
struct disturbance {
	__s64 calls;		/* interrupts */
	__s64 kicks;
	long own;		/* time */
	long not_own;
};

static struct disturbance disturb(int victim, void (*run)(void *arg))
{
	__u64 bit = 1ULL << victim, online = cpu_list("online");
	struct endless *work = new_endless(bit);
	struct endless *crowd = new_endless(online & ~bit);
	struct disturbance d;
	struct cpu_time from, to;
	pid_t pids[CROWD], pid = spawn(spin, work);
	int i;

	for (i = 0; i < CROWD; i++)
		pids[i] = spawn(run, crowd);
	wait_done(crowd, 10 * CROWD);
	from = cpu_time(victim);
	d.calls = interrupts_of("Function call interrupts", bit);
	d.kicks = interrupts_of("Rescheduling interrupts", bit);
	do {
		sleep_ms(100);
		to = cpu_time(victim);
		d.own = to.user - from.user;
	} while (d.own < 500);
	d.not_own = to.kernel - from.kernel + to.idle - from.idle;
	d.calls = interrupts_of("Function call interrupts", bit) - d.calls;
	d.kicks = interrupts_of("Rescheduling interrupts", bit) - d.kicks;
	ksft_print_msg("%d of them, %llu rounds\n", CROWD, done_by(crowd));
	ksft_print_msg("cpu%d: %lld calls, %lld kicks, %ld units its own, %ld not\n",
		       victim, d.calls, d.kicks, d.own, d.not_own);
	for (i = 0; i < CROWD; i++)
		end(pids[i]);
	end(pid);
	return d;
}

/*
 * It does not see them: no interrupt, and no more than 1 % of its time, beside
 * a crowd that does not touch the profiler at all. Time can be compared if the
 * clock of the machine does not go on while its host does something else.
 */
static void crowd_of_readers(void)
{
	__u64 online = cpu_list("online");
	int victim = 63 - __builtin_clzll(online);
	struct disturbance quiet, d;

	skip_if(nr_cpus(online) == 1, "needs two CPUs");
	start("cpu,2");
	move_all_to(first_cpu(online));
	quiet = disturb(victim, spin);
	d = disturb(victim, read_as_nobody);
	move_all_back();
	expect(d.calls + d.kicks <= quiet.calls + quiet.kicks + 10,
	       "readers interrupt others");
	expect(!getenv("STEADY_CLOCK") ||
	       d.not_own * 100 <= quiet.not_own * 100 + d.own,
	       "readers take time from others");
}

/* ---- Grace periods ------------------------------------------------------ */

static long sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

/*
 * How often the process slept in one pass over the begin of the file; the pass
 * ends early once that is beyond doubt.
 */
static long sleeps_of_pass(int fd, size_t len)
{
	static char buf[4096];
	long before = sleeps();
	size_t at;
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	for (at = 0; at < PASS && sleeps() - before < 64; at += n) {
		n = read(fd, buf, len);
		require(n > 0, "read at %zu: %zd", at, n);
	}
	return sleeps() - before;
}

static void sequential_pass(void)
{
	static const size_t lengths[] = { 1, 3, 4, 7, 512, 4096 };
	struct endless *load;
	__u32 word;
	long n, again;
	size_t i;
	int fd;

	skip_if(nr_cpus(cpu_list("online")) == 1, "needs two CPUs");
	start("schedule,2");
	load = new_endless(cpu_list("online") & ~1ULL);
	spawn(yield_endlessly, load);
	wait_done(load, 100);
	fd = open_profile(O_RDONLY);

	again = sleeps();
	for (i = 0; i < 32; i++)
		require(pread(fd, &word, 4, 0) == 4, "pread");
	again = sleeps() - again;
	ksft_print_msg("32 reads of the header: %ld sleeps\n", again);
	skip_if(again < 32, "a flip does not put the reader to sleep here");

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		n = sleeps_of_pass(fd, lengths[i]);
		ksft_print_msg("%d bytes, %zu a read: %ld sleeps\n", PASS,
			       lengths[i], n);
		/* The grace period, and a lock or two on the way to it. */
		expect(n <= 4, "a pass of %zu-byte reads sleeps %ld times",
		       lengths[i], n);
	}
}

static const struct test tests[] = {
	{ "ipi_storm", ipi_storm },
	{ "crowd_of_readers", crowd_of_readers },
	{ "sequential_pass", sequential_pass },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
