// SPDX-License-Identifier: GPL-2.0-only
/* profile=schedule: how many hits, compared with the scheduler's own count. */

#include "profile_test.h"

#define ROUNDS		60000	/* two switches each, if not more */
#define CHILDREN	200

/* ---- The scheduler's count ---------------------------------------------- */

/*
 * A line of /proc/schedstat begins "cpuN yld_count 0 sched_count". Counters of
 * the CPUs wrap at 32 bits, and so must their difference.
 */
struct sched_counts {
	__u32 cpu[MAX_CPUS];
};

static struct sched_counts read_sched_counts(void)
{
	struct sched_counts counts = { 0 };
	FILE *file = fopen("/proc/schedstat", "r");
	char line[4096];
	unsigned int cpu, count;

	require(file, "/proc/schedstat: %s", strerror(errno));
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "cpu%u %*u %*u %u", &cpu, &count) == 2 &&
		    cpu < MAX_CPUS)
			counts.cpu[cpu] = count;
	fclose(file);
	return counts;
}

static __u64 switches_since(const struct sched_counts *before)
{
	struct sched_counts after = read_sched_counts();
	__u64 sum = 0;
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		sum += after.cpu[cpu] - before->cpu[cpu];
	return sum;
}

/* ---- Load --------------------------------------------------------------- */

struct ping_pong {
	__u64 cpus;
	int there[2];
	int back[2];
	int rounds;
};

static void answer(void *arg)
{
	struct ping_pong *pp = arg;
	int i;
	char c;

	pin_to(pp->cpus);
	for (i = 0; i < pp->rounds; i++)
		require(read(pp->there[0], &c, 1) == 1 &&
			write(pp->back[1], &c, 1) == 1, "pipe: %s",
			strerror(errno));
}

static void ask(void *arg)
{
	struct ping_pong *pp = arg;
	char c = 'x';
	pid_t pid;
	int i;

	pin_to(pp->cpus);
	pid = spawn(answer, pp);
	for (i = 0; i < pp->rounds; i++)
		require(write(pp->there[1], &c, 1) == 1 &&
			read(pp->back[0], &c, 1) == 1, "pipe: %s",
			strerror(errno));
	join(pid);
}

static void ping_pong(__u64 cpus, int rounds)
{
	struct ping_pong pp = { .cpus = cpus, .rounds = rounds };

	require(!pipe(pp.there) && !pipe(pp.back), "pipe: %s", strerror(errno));
	join(spawn(ask, &pp));
	close(pp.there[0]);
	close(pp.there[1]);
	close(pp.back[0]);
	close(pp.back[1]);
}

/* ---- Agreement ---------------------------------------------------------- */

static void check_agreement(const char *text, __u64 cpus)
{
	struct sched_counts before;
	__u64 hits, switches, apart;
	int err = put_text(SCHEDSTATS_FILE, "1\n");

	skip_if(err, "%s: %s", SCHEDSTATS_FILE, strerror(-err));
	start(text);
	before = read_sched_counts();
	hits = total_hits();
	ping_pong(cpus, ROUNDS);
	hits = total_hits() - hits;
	switches = switches_since(&before);
	apart = hits > switches ? hits - switches : switches - hits;
	ksft_print_msg("%llu hits, %llu switches\n", hits, switches);
	require(switches >= 100000, "the load is too small");
	expect(apart <= switches / 100, "%llu apart", apart);
}

static void schedule_exact_pinned(void)
{
	check_agreement("schedule,2", 1ULL << first_cpu(cpu_list("online")));
}

static void schedule_exact_unpinned(void)
{
	check_agreement("schedule,2", cpu_list("online"));
}

/*
 * One byte for each slot. Callers of schedule() are too few to push each other
 * out of a table: evicted_hits of cpu_mode does that.
 */
static void schedule_exact_shift_0(void)
{
	check_agreement("schedule", cpu_list("online"));
}

static void useless_schedule_mode(void)
{
	struct profile prof;
	__u64 self, sum;

	start("schedule,2");
	ping_pong(cpu_list("online"), ROUNDS / 10);
	prof = read_profile();
	self = hits_of(&prof, "schedule|__schedule");
	sum = sum_hits(&prof);
	print_tops(&prof, 12);
	expect(self <= sum / 100, "%llu of %llu hits in schedule()",
	       self, sum);
}

/* ---- Callers ------------------------------------------------------------ */

static void expect_caller(const char *globs, __u64 least)
{
	struct profile prof = read_profile();
	__u64 hits = hits_of(&prof, globs);

	if (!expect(hits >= least, "%s: %llu hits, not %llu", globs,
		    hits, least))
		print_tops(&prof, 12);
	free_profile(&prof);
}

/* Of the two, one sleeps for the other at least once in two rounds. */
static void schedule_caller_pipe_read(void)
{
	start("schedule,2");
	ping_pong(1ULL << first_cpu(cpu_list("online")), 1000);
	expect_caller("*pipe_read", 500);
}

/* Ends only when its parent was seen asleep: it has to be waited for. */
static void end_when_awaited(void *arg)
{
	char path[64], text[512], *state;

	(void)arg;
	snprintf(path, sizeof(path), "/proc/%d/stat", getppid());
	do {
		require(!get_text(path, text, sizeof(text)), "%s", path);
		state = strrchr(text, ')');
	} while (!state || state[2] != 'S');
}

static void schedule_caller_do_wait(void)
{
	int i;

	start("schedule,2");
	for (i = 0; i < CHILDREN; i++)
		join(spawn(end_when_awaited, NULL));
	expect_caller("do_wait|kernel_wait4", CHILDREN);
}

/*
 * A vfork() waits for a completion, and that in schedule_timeout(). On the same
 * CPU the child can't be over before its parent comes to wait.
 */
static void schedule_caller_schedule_timeout(void)
{
	pid_t pid;
	int i;

	start("schedule,2");
	pin(first_cpu(cpu_list("online")));
	for (i = 0; i < CHILDREN; i++) {
		pid = vfork();
		if (!pid)
			_exit(KSFT_PASS);
		require(pid > 0, "vfork: %s", strerror(errno));
		join(pid);
	}
	expect_caller("schedule_timeout", CHILDREN / 2);
}

static void schedule_caller_sched_yield(void)
{
	__u64 cpus = cpu_list("online");

	start("schedule,2");
	expect_caller(YIELD_GLOBS, 0);
	expect_caller(YIELD_GLOBS, yield_on_each(cpus, 5000));
}

/* Each nap on a CPU of its own leaves and enters the idle loop once. */
static void schedule_caller_idle(void)
{
	int i;

	start("schedule,2");
	for (i = 0; i < 200; i++)
		sleep_ms(5);
	expect_caller("do_idle|cpu_startup_entry", 100);
}

static const struct test tests[] = {
	{ "schedule_exact_pinned", schedule_exact_pinned },
	{ "schedule_exact_unpinned", schedule_exact_unpinned },
	{ "schedule_exact_shift_0", schedule_exact_shift_0 },
	{ "useless_schedule_mode", useless_schedule_mode },
	{ "schedule_caller_pipe_read", schedule_caller_pipe_read },
	{ "schedule_caller_do_wait", schedule_caller_do_wait },
	{ "schedule_caller_schedule_timeout", schedule_caller_schedule_timeout },
	{ "schedule_caller_sched_yield", schedule_caller_sched_yield },
	{ "schedule_caller_idle", schedule_caller_idle },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
