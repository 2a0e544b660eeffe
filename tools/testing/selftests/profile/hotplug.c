// SPDX-License-Identifier: GPL-2.0-only
/* Hits and tables of CPUs that go offline and come back. */

#include "profile_test.h"

#define YIELDS	5000
#define ROUNDS	40

#define NODE_DIR	"/sys/devices/system/node"

static void expect_hits(__u64 made, const char *when)
{
	__u64 seen = read_hits_of(YIELD_GLOBS);

	expect(seen >= made, "%s: %llu of %llu hits", when, seen,
	       made);
	expect(seen <= made + made / 20 + 100,
	       "%s: %llu hits, only %llu were made", when, seen,
	       made);
}

/* Hits wait in the tables of CPUs that then die with nobody having read. */
static void hotplug_lost_hits(void)
{
	static const char * const texts[] = {
		"schedule", "schedule,2", "schedule,1",
	};
	__u64 cpus = require_hotplug(), made;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		start(texts[i]);
		made = yield_on_each(cpus, YIELDS);
		set_cpus_online(cpus, false);
		expect_hits(made, "offline");
		set_cpus_online(cpus, true);
		expect_hits(made, "online again");
		made += yield_on_each(cpus, YIELDS);
		set_cpus_online(cpus, false);
		set_cpus_online(cpus, true);
		expect_hits(made, "down and up again");
		stop();
	}
}

/* As many flips while the CPU is away as it takes to get them out of step. */
static void hotplug_parity(void)
{
	__u64 bit = 1ULL << first_cpu(require_hotplug());
	__u64 left;
	int flips, i;

	start("schedule,2");
	for (flips = 0; flips < 4; flips++) {
		set_cpus_online(bit, false);
		for (i = 0; i < flips; i++)
			total_hits();
		set_cpus_online(bit, true);
		reset();
		yield_on_each(bit, YIELDS);
		expect_hits(YIELDS, "after the return");
		yield_on_each(bit, YIELDS);
		reset();
		left = read_hits_of(YIELD_GLOBS);
		expect(left < YIELDS / 100,
		       "%d flips: a reset missed %llu hits", flips, left);
	}
}

/* Those that are away when the profiler starts take part once they are back. */
static void hotplug_window(void)
{
	__u64 cpus = require_hotplug(), made;

	set_cpus_online(cpus, false);
	start("schedule,2");
	expect_hits(0, "start");
	set_cpus_online(cpus, true);
	made = yield_on_each(cpus, YIELDS);
	set_cpus_online(cpus, false);
	expect_hits(made, "offline");
	stop();
	set_cpus_online(cpus, true);
	start("schedule,2");
	made = yield_on_each(cpus, YIELDS);
	expect_hits(made, "next profiler");
}

/* Of nodes that have CPUs and no memory of their own. */
static __u64 memoryless_cpus(void)
{
	char path[128], line[256];
	unsigned long long total;
	__u64 bits = 0;
	FILE *file;
	int node;

	for (node = 0; node < MAX_CPUS; node++) {
		snprintf(path, sizeof(path), NODE_DIR "/node%d/meminfo", node);
		file = fopen(path, "r");
		total = 1;
		while (file && fgets(line, sizeof(line), file))
			sscanf(line, "Node %*d MemTotal: %llu", &total);
		if (file)
			fclose(file);
		snprintf(path, sizeof(path), "../node/node%d/cpulist", node);
		if (!total)
			bits |= cpu_list(path);
	}
	return bits;
}

/* A read that continues a pass sees hits in the buffer, and none in a table. */
static void expect_table(int cpu)
{
	int fd = open_profile(O_RDONLY);
	struct profile prof = read_profile_fd(fd);
	size_t bytes = prof.slots * sizeof(__u32);
	__u64 before = hits_of(&prof, YIELD_GLOBS), made;

	require(pread(fd, prof.hits - 1, 4, 0) == 4, "the header");
	yield_on(cpu, YIELDS);
	require(pread(fd, prof.hits, bytes, 4) == (ssize_t)bytes, "the rest");
	made = hits_of(&prof, YIELD_GLOBS) - before;
	expect(made < YIELDS / 2, "cpu%d has no table: %llu hits at once", cpu,
	       made);
	free_profile(&prof);
	close(fd);
}

/* Tables come from another node then; the CPU has them all the same. */
static void hotplug_memoryless_node(void)
{
	__u64 cpus = memoryless_cpus() & hotplug_cpus(), made = 0;
	int i, cpu;

	skip_if(!cpus, "no CPU is on a node without memory");
	for (i = 0; i < 4; i++) {
		if (i % 2)
			start("schedule,2");
		set_cpus_online(cpus, false);
		if (i % 2 == 0)
			start("schedule,2");
		set_cpus_online(cpus, true);
		made = yield_on_each(cpus, YIELDS);
		expect_hits(made, "up");
		set_cpus_online(cpus, false);
		expect_hits(made, "down");
		set_cpus_online(cpus, true);
		made += yield_on_each(cpus, YIELDS);
		expect_hits(made, "up again");
		for (cpu = 0; cpu < MAX_CPUS; cpu++)
			if (has_cpu(cpus, cpu))
				expect_table(cpu);
		stop();
	}
}

/* ---- Everything at once ------------------------------------------------- */

static void toggle_endlessly(void *arg)
{
	struct endless *loop = arg;

	for (;;) {
		set_cpus_online(loop->cpus, false);
		set_cpus_online(loop->cpus, true);
		count_done(loop);
	}
}

/* No reset runs, so no sum may ever fall. */
static void read_monotone(void *arg)
{
	struct endless *loop = arg;
	__u64 sum = 0, next;

	for (;;) {
		next = total_hits();
		require(next >= sum, "the sum fell from %llu to %llu",
			sum, next);
		sum = next;
		count_done(loop);
	}
}

static void end_alive(pid_t pid, const char *name)
{
	expect(!waitpid(pid, NULL, WNOHANG), "the %s gave up", name);
	end(pid);
}

/* Every yield that has returned is in the file, wherever it was made. */
static void hotplug_reader(void)
{
	__u64 cpus = require_hotplug();
	struct endless *toggler = new_endless(cpus), *loads[2];
	struct endless *reader = new_endless(cpu_list("online"));
	pid_t toggle, read, yield[2];
	size_t i;

	start("schedule,2");
	load_symbols();
	for (i = 0; i < 2; i++) {
		loads[i] = new_endless(cpu_list("online"));
		yield[i] = spawn(yield_endlessly, loads[i]);
	}
	read = spawn(read_monotone, reader);
	toggle = spawn(toggle_endlessly, toggler);
	wait_done(toggler, ROUNDS);
	wait_done(reader, ROUNDS);
	end_alive(toggle, "CPU toggler");
	end_alive(read, "reader");
	for (i = 0; i < 2; i++)
		end_alive(yield[i], "load");
	expect_hits(done_by(loads[0]) + done_by(loads[1]), "in the end");
}

/* Starts and stops while CPUs come and go. */
static void hotplug_start_stop(void)
{
	__u64 cpus = require_hotplug(), hits;
	struct endless *toggler = new_endless(cpus);
	pid_t toggle = spawn(toggle_endlessly, toggler);
	int i;

	for (i = 0; i < ROUNDS || done_by(toggler) < ROUNDS / 4; i++) {
		start(i & 1 ? "schedule,4" : "6");
		yield_on(first_cpu(cpu_list("online")), 100);
		hits = total_hits();
		if (i & 1)
			expect(hits >= 100, "%llu of 100 hits", hits);
		stop();
	}
	end_alive(toggle, "CPU toggler");
}

static const struct test tests[] = {
	{ "hotplug_lost_hits", hotplug_lost_hits },
	{ "hotplug_parity", hotplug_parity },
	{ "hotplug_window", hotplug_window },
	{ "hotplug_memoryless_node", hotplug_memoryless_node },
	{ "hotplug_reader", hotplug_reader },
	{ "hotplug_start_stop", hotplug_start_stop },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
