// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer hook: one call for each tick, whatever the profiler does. The
 * independent figure is the time in /proc/stat, to which the same tick of a
 * busy CPU adds one period, as user or as system time.
 */

#include "profile_module.h"

#define TICKS		2000	/* on each CPU */
#define LOOP_ROUNDS	100

struct ticks {
	long user;
	long kernel;
};

static bool busy_kernel(int cpu)
{
	return cpu & 1;
}

/* ---- Ticks as the module and as the kernel count them ------------------- */

/* Those of one CPU; those of -1 are wrong and late calls. */
static struct ticks hook_ticks(int cpu)
{
	FILE *file = open_parameter("ticks");
	struct ticks t = { -1, -1 };
	int nr;

	while (fscanf(file, "%d %ld %ld", &nr, &t.user, &t.kernel) == 3 &&
	       nr != cpu)
		;
	fclose(file);
	require(nr == cpu, "no ticks of cpu%d", cpu);
	return t;
}

static __u64 all_hook_ticks(void)
{
	__u64 cpus = cpu_list("online"), sum = 0;
	struct ticks t;
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (has_cpu(cpus, cpu)) {
			t = hook_ticks(cpu);
			sum += t.user + t.kernel;
		}
	return sum;
}

static void expect_right_calls(const char *when)
{
	struct ticks bad = hook_ticks(-1);

	expect(!bad.user, "%s: %ld calls are wrong", when, bad.user);
	expect(!bad.kernel, "%s: %ld calls came late", when, bad.kernel);
}

/* In ticks; a field is cut off to a unit of USER_HZ. */
static long ticks_per_unit(void)
{
	char text[16];
	int err = get_text(PARAMETERS "hz", text, sizeof(text));

	require(!err, "hz: %s", strerror(-err));
	return atoi(text) / sysconf(_SC_CLK_TCK);
}

static struct ticks stat_ticks(int cpu)
{
	struct cpu_time t = cpu_time(cpu);

	return (struct ticks){
		.user = t.user * ticks_per_unit(),
		.kernel = t.kernel * ticks_per_unit(),
	};
}

/* ---- Busy CPUs ---------------------------------------------------------- */

/* Never idle; on every other CPU nearly all in user mode, on the rest not. */
static void be_busy(void *arg)
{
	struct endless *load = arg;
	int cpu = first_cpu(load->cpus);
	unsigned long n;

	pin(cpu);
	for (;;) {
		count_done(load);
		if (busy_kernel(cpu))
			noise(1);
		else
			for (n = 0; n < 1000000; n++)
				__asm__ __volatile__("");
	}
}

static struct endless *loads[MAX_CPUS];
static __u64 busy;

static void make_all_busy(void)
{
	int cpu;

	busy = cpu_list("online");
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!has_cpu(busy, cpu))
			continue;
		loads[cpu] = new_endless(1ULL << cpu);
		spawn(be_busy, loads[cpu]);
		wait_done(loads[cpu], 1);
	}
}

/* All have had so many more ticks. */
static void wait_ticks(long ticks)
{
	struct ticks from[MAX_CPUS], t;
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (has_cpu(busy, cpu))
			from[cpu] = stat_ticks(cpu);
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!has_cpu(busy, cpu))
			continue;
		do {
			sleep_ms(20);
			t = stat_ticks(cpu);
		} while (t.user - from[cpu].user + t.kernel -
			 from[cpu].kernel < ticks);
	}
}

/* ---- As many calls as ticks --------------------------------------------- */

/* What one CPU had when, between two looks at /proc/stat around each. */
struct bracket {
	struct ticks before, after;	/* the look at the module */
	struct ticks at;
};

static struct bracket look(int cpu)
{
	struct bracket b;

	b.before = stat_ticks(cpu);
	b.at = hook_ticks(cpu);
	b.after = stat_ticks(cpu);
	return b;
}

/* Each field may hide most of a unit, and the tick itself has an order. */
static void expect_between(const char *when, int cpu, const char *what,
			   long calls, long least, long most, int fields)
{
	long slack = fields * ticks_per_unit() + 2;

	ksft_print_msg("%s: cpu%d, %s: %ld calls, %ld to %ld ticks\n", when,
		       cpu, what, calls, least, most);
	expect(calls >= least - slack && calls <= most + slack,
	       "the calls are not the ticks");
}

static void compare_cpu(const char *when, int cpu, const struct bracket *from,
			const struct bracket *to)
{
	struct ticks t = { to->at.user - from->at.user,
			   to->at.kernel - from->at.kernel };

	expect_between(when, cpu, "user", t.user,
		       to->before.user - from->after.user,
		       to->after.user - from->before.user, 2);
	expect_between(when, cpu, "kernel", t.kernel,
		       to->before.kernel - from->after.kernel,
		       to->after.kernel - from->before.kernel, 3);
	expect(busy_kernel(cpu) ? t.kernel > t.user : t.user > t.kernel,
	       "cpu%d: %ld user and %ld kernel ticks are mixed up", cpu,
	       t.user, t.kernel);
}

static void compare_ticks(const char *when)
{
	struct bracket from[MAX_CPUS], to;
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (has_cpu(busy, cpu))
			from[cpu] = look(cpu);
	wait_ticks(TICKS);
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!has_cpu(busy, cpu))
			continue;
		to = look(cpu);
		compare_cpu(when, cpu, &from[cpu], &to);
	}
	expect_right_calls(when);
}

static void hook_while_off(void)
{
	need_module();
	make_all_busy();
	tell_module("register", "hook");
	compare_ticks("off");
}

static void hook_in_every_mode(void)
{
	static const char * const texts[] = { "cpu,2", "schedule", "sleep", "kvm" };
	size_t i;
	int err;

	need_module();
	make_all_busy();
	tell_module("register", "hook");
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		err = put_text(SYSFS_FILE, texts[i]);
		expect(!err || (i > 1 && err == -EINVAL), "\"%s\": %s",
		       texts[i], strerror(-err));
		if (err)
			continue;
		compare_ticks(texts[i]);
		stop();
	}
}

/* Registered before, kept over starts, stops and an empty mask. */
static void hook_over_starts(void)
{
	int i;

	need_module();
	make_all_busy();
	tell_module("register", "hook");
	for (i = 0; i < 20; i++) {
		start(i & 1 ? "schedule" : "cpu,4");
		stop();
	}
	start("cpu,2");
	set_mask(0);
	compare_ticks("empty mask");
	stop();
	compare_ticks("stopped");
}

/* Samples come at a rate of their own; the hook keeps to the tick. */
static void hook_at_rate(void)
{
	static const int rates[] = { 10, 1 };
	size_t i;
	int err;

	need_module();
	make_all_busy();
	tell_module("register", "hook");
	start("cpu,2");
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		err = put_bytes(PROFILE_FILE, &rates[i], sizeof(rates[i]));
		require(!err, "rate %d: %s", rates[i], strerror(-err));
		compare_ticks(rates[i] == 1 ? "rate 1" : "rate 10");
	}
}

static long kernel_calls(void)
{
	long calls = 0;
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (has_cpu(busy, cpu))
			calls += hook_ticks(cpu).kernel;
	return calls;
}

/*
 * The profiler's own ticks are not the worse for a hook: as many hits as calls
 * in kernel mode, but for a tick of each CPU that either look falls into.
 */
static void hook_and_hits(void)
{
	long least, most, slack;
	__u64 hits;

	need_module();
	make_all_busy();
	start("cpu,2");
	tell_module("register", "hook");
	most = -kernel_calls();
	reset();
	least = -kernel_calls();
	wait_ticks(TICKS);
	least += kernel_calls();
	hits = total_hits();
	most += kernel_calls();
	slack = 2 * nr_cpus(busy);
	ksft_print_msg("%llu hits, %ld to %ld calls in kernel mode\n", hits,
		       least, most);
	expect((long)hits >= least - slack && (long)hits <= most + slack,
	       "the hits are not the calls");
}

/* ---- Registration ------------------------------------------------------- */

static void expect_calls(bool called, const char *when)
{
	__u64 was = all_hook_ticks(), end;

	wait_ticks(50);
	end = all_hook_ticks();
	expect(called == (end > was), "%s: %llu calls", when, end - was);
}

static void second_hook(void)
{
	need_module();
	make_all_busy();
	expect_answer("register", "hook", 0);
	expect_answer("register", "other_hook", -EBUSY);
	expect_answer("register", "hook", -EBUSY);
	expect_calls(true, "registered");
	expect_answer("unregister", "hook", 0);
	expect_calls(false, "unregistered");
	expect_answer("register", "other_hook", 0);
	expect_answer("register", "hook", -EBUSY);
	expect_answer("unregister", "other_hook", 0);
	expect_answer("register", "hook", 0);
	expect_calls(true, "registered again");
}

static void unregister_wrongly(const char *when)
{
	int log;

	begin_warnings();
	log = open_log();
	try_module("unregister", "other_hook");
	expect(count_records(log, "WARNING:") == 1,
	       "%s: a wrong unregistration does not warn", when);
	close(log);
	end_warnings();
}

/* It warns and changes nothing, with a hook, without one, with a profiler. */
static void wrong_unregister(void)
{
	need_module();
	make_all_busy();
	unregister_wrongly("none registered");
	tell_module("register", "hook");
	unregister_wrongly("another one registered");
	expect_calls(true, "after a wrong unregistration");
	expect_answer("register", "other_hook", -EBUSY);
	compare_ticks("after a wrong unregistration");
	start("cpu,2");
	unregister_wrongly("profiling");
	compare_ticks("after another one");
	tell_module("unregister", "hook");
	expect_calls(false, "unregistered");
	unregister_wrongly("unregistered");
}

/* No call is left when an unregistration returns, however long calls take. */
static void unregister_loop(void)
{
	int i;

	need_module();
	make_all_busy();
	tell_module("linger", "50");
	for (i = 0; i < LOOP_ROUNDS; i++) {
		if (i == LOOP_ROUNDS / 2)
			start("cpu,2");
		tell_module("register", "hook");
		if (i & 1)
			sleep_ms(5);
		tell_module("unregister", "hook");
		expect_right_calls("unregistered");
	}
	expect_calls(false, "unregistered");
	tell_module("linger", "0");
	tell_module("register", "hook");
	expect_calls(true, "registered again");
}

/* Who still called the hook would run into memory that is gone. */
static void unload_loop(void)
{
	int i, err;

	make_all_busy();
	for (i = 0; i < LOOP_ROUNDS / 4; i++) {
		need_module();
		tell_module("linger", "50");
		tell_module("register", "hook");
		sleep_ms(5);
		err = unload_module();
		require(!err, "unload: %s", strerror(-err));
	}
}

/* CPUs that come back have ticks, and these have the hook. */
static void hook_over_hotplug(void)
{
	__u64 cpus = require_hotplug();

	need_module();
	tell_module("register", "hook");
	set_cpus_online(cpus, false);
	set_cpus_online(cpus, true);
	make_all_busy();
	compare_ticks("back");
}

static const struct test tests[] = {
	{ "hook_while_off", hook_while_off },
	{ "hook_in_every_mode", hook_in_every_mode },
	{ "hook_over_starts", hook_over_starts },
	{ "hook_at_rate", hook_at_rate },
	{ "hook_and_hits", hook_and_hits },
	{ "hook_over_hotplug", hook_over_hotplug },
	{ "second_hook", second_hook },
	{ "wrong_unregister", wrong_unregister },
	{ "unregister_loop", unregister_loop },
	{ "unload_loop", unload_loop },
};

int main(void)
{
	int ret = run_tests(tests, ARRAY_SIZE(tests));

	unload_module();
	return ret;
}
