// SPDX-License-Identifier: GPL-2.0-only
/* Notifiers of exits, of munmap(2), and of tasks that are about to be freed. */

#include "profile_module.h"

#include <pthread.h>

#define ROUNDS		50
#define THREADS		8
#define PAGES		16
#define FIRE_ROUNDS	40
#define KEPT		500
#define KEPT_BYTES	1024	/* a task is larger */

static const char * const names[] = { "exit", "munmap", "handoff" };

struct counts {
	int calls;
	int wrong;
	int late;
	unsigned long sum;
};

static struct counts counts_of(const char *name)
{
	FILE *file = open_parameter("events");
	struct counts c;
	char line[32];
	bool found = false;

	while (!found && fscanf(file, "%31s %d %d %d %lu", line, &c.calls,
				&c.wrong, &c.late, &c.sum) == 5)
		found = !strcmp(line, name);
	fclose(file);
	require(found, "no counts of %s", name);
	return c;
}

/*
 * Children and threads inherit the name that makes them count. It is a new one
 * each time: tasks that went before may still be on their way out.
 */
static char watched[16];

static void rename_me(void)
{
	static unsigned char times;

	snprintf(watched, sizeof(watched), "watch-%hu-%hhu",
		 (unsigned short)getpid(), ++times);
	prctl(PR_SET_NAME, watched);
}

static void watch_me(void)
{
	rename_me();
	tell_module("watch", watched);
}

static void expect_calls(const char *name, int calls, const char *when)
{
	struct counts c = counts_of(name);

	expect(c.calls == calls, "%s: %d calls of %s, not %d", when, c.calls,
	       name, calls);
	expect(!c.wrong, "%s: %d calls of %s are wrong", when, c.wrong, name);
	expect(!c.late, "%s: %d calls of %s came late", when, c.late, name);
}

/* ---- Exits -------------------------------------------------------------- */

static void *return_at_once(void *arg)
{
	return arg;
}

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static void make_threads(void *(*run)(void *arg), pthread_t *threads)
{
	int i, err;

	for (i = 0; i < THREADS; i++) {
		err = pthread_create(&threads[i], NULL, run, NULL);
		require(!err, "pthread_create: %s", strerror(err));
	}
}

static void just_exit(void)
{
}

static void abort_signal(void)
{
	raise(SIGABRT);
}

static void threads_return(void)
{
	pthread_t threads[THREADS];
	int i;

	make_threads(return_at_once, threads);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void exit_with_threads(void)
{
	pthread_t threads[THREADS];

	make_threads(wait_for_ever, threads);
}

static void kill_with_threads(void)
{
	pthread_t threads[THREADS];

	make_threads(wait_for_ever, threads);
	raise(SIGKILL);
}

static void leader_goes_first(void)
{
	pthread_t threads[THREADS];

	make_threads(return_at_once, threads);
	syscall(SYS_exit, 0);
}

static void vfork_child(void)
{
	pid_t pid = vfork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static const struct way {
	const char *name;
	void (*run)(void);
	int tasks;
} ways[] = {
	{ "_exit()", just_exit, 1 },
	{ "a signal", abort_signal, 1 },
	{ "threads that return", threads_return, 1 + THREADS },
	{ "_exit() with threads", exit_with_threads, 1 + THREADS },
	{ "SIGKILL with threads", kill_with_threads, 1 + THREADS },
	{ "the first thread goes first", leader_goes_first, 1 + THREADS },
	{ "vfork()", vfork_child, 2 },
};

static void go_this_way(const struct way *way)
{
	pid_t pid = fork();

	require(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		way->run();
		_exit(0);
	}
	require(waitpid(pid, NULL, 0) == pid, "waitpid: %s", strerror(errno));
}

static void exit_exact(void)
{
	const struct way *way;
	int i;

	need_module();
	watch_me();
	tell_module("register", "exit");
	for (way = ways; way < ways + ARRAY_SIZE(ways); way++) {
		tell_module("do", "clear");
		for (i = 0; i < ROUNDS; i++)
			go_this_way(way);
		expect_calls("exit", ROUNDS * way->tasks, way->name);
	}
	expect_calls("handoff", 0, "not registered");
	expect_calls("munmap", 0, "not registered");
}

/* ---- munmap(2) ---------------------------------------------------------- */

static char *map_pages(void)
{
	char *mem = mmap(NULL, PAGES * getpagesize(), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	require(mem != MAP_FAILED, "mmap: %s", strerror(errno));
	return mem;
}

/* Every call counts, with its address, whatever becomes of it. */
static void munmap_exact(void)
{
	unsigned long page = getpagesize();
	const struct {
		const char *name;
		unsigned long at, len;
		int error;
	} calls[] = {
		{ "a part", page, page, 0 },
		{ "a part that is gone", page, page, 0 },
		{ "the whole", 0, PAGES * page, 0 },
		{ "nothing there", 0, PAGES * page, 0 },
		{ "no length", 0, 0, EINVAL },
		{ "no page", 1, page, EINVAL },
		{ "no page and no length", 3, 0, EINVAL },
		{ "an odd length", 0, page / 2, 0 },
		{ "more than there can be", 0, -page, EINVAL },
	};
	char *mem = map_pages();
	unsigned long sum;
	struct counts c;
	size_t i;
	long ret;
	int n;

	need_module();
	watch_me();
	tell_module("register", "munmap");
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		tell_module("do", "clear");
		for (sum = 0, n = 0; n < ROUNDS; n++) {
			ret = syscall(SYS_munmap, mem + calls[i].at,
				      calls[i].len);
			sum += (unsigned long)mem + calls[i].at;
			expect((ret ? errno : 0) == calls[i].error,
			       "%s: %s", calls[i].name, strerror(errno));
		}
		expect_calls("munmap", ROUNDS, calls[i].name);
		c = counts_of("munmap");
		expect(c.sum == sum, "%s: addresses sum up to %#lx, not %#lx",
		       calls[i].name, c.sum, sum);
	}
}

/* Memory that goes otherwise is no munmap(2). */
static void munmap_alone(void)
{
	size_t bytes = PAGES * getpagesize();
	char *mem = map_pages(), *brk;

	need_module();
	watch_me();
	tell_module("register", "munmap");
	require(mmap(mem, bytes, PROT_READ, MAP_FIXED | MAP_PRIVATE |
		     MAP_ANONYMOUS, -1, 0) == mem, "mmap: %s", strerror(errno));
	require(mremap(mem, bytes, bytes / 2, 0) == mem, "mremap: %s",
		strerror(errno));
	brk = (char *)syscall(SYS_brk, 0);
	syscall(SYS_brk, brk + bytes);
	syscall(SYS_brk, brk);
	go_this_way(&ways[0]);
	expect_calls("munmap", 0, "no munmap(2)");
}

/* ---- Handoff ------------------------------------------------------------ */

/* The last reference to a task goes after its parent has seen it end. */
static void wait_handoffs(int calls)
{
	while (counts_of("handoff").calls < calls)
		sleep_ms(1);
	tell_module("do", "settle");
}

/* "tasks" has what is kept in place of calls and what is freed in the next. */
static void expect_tasks(int kept, int freed, const char *when)
{
	struct counts c = counts_of("tasks");

	expect(c.calls == kept && c.wrong == freed,
	       "%s: %d tasks kept and %d freed, not %d and %d", when,
	       c.calls, c.wrong, kept, freed);
}

static void handoff_exact(void)
{
	const struct way *way;
	int i, tasks, keep;

	need_module();
	watch_me();
	tell_module("register", "handoff");
	for (keep = 0; keep < 2; keep++) {
		tell_module("keep", keep ? "1" : "0");
		for (way = ways; way < ways + ARRAY_SIZE(ways); way++) {
			tell_module("do", "clear");
			tasks = ROUNDS * way->tasks;
			for (i = 0; i < ROUNDS; i++)
				go_this_way(way);
			wait_handoffs(tasks);
			expect_calls("handoff", tasks, way->name);
			expect_tasks(keep * tasks, 0, way->name);
			tell_module("do", "free");
			expect_tasks(keep * tasks, keep * tasks, way->name);
		}
	}
	expect_calls("exit", 0, "not registered");
}

/* In kB. */
static long slab_memory(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[256];
	long kb = -1;

	require(file, "/proc/meminfo");
	while (kb < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "SUnreclaim: %ld", &kb);
	fclose(file);
	return kb;
}

/* What is kept takes memory until it is freed, after the unregistration too. */
static void handoff_memory(void)
{
	long before, with, after;
	int i;

	skip_if(has_kasan(), "KASAN keeps freed memory back");
	need_module();
	watch_me();
	tell_module("keep", "1");
	tell_module("register", "handoff");
	before = slab_memory();
	for (i = 0; i < KEPT; i++)
		go_this_way(&ways[0]);
	wait_handoffs(KEPT);
	tell_module("unregister", "handoff");
	with = slab_memory();
	tell_module("do", "free");
	tell_module("do", "settle");
	after = slab_memory();
	expect_tasks(KEPT, KEPT, "in the end");
	ksft_print_msg("%ld kB of slab, %ld kB with %d tasks, %ld kB without\n",
		       before, with, KEPT, after);
	expect(with - before >= KEPT * KEPT_BYTES / 1024,
	       "tasks that were kept have been freed");
	expect(with - after >= (with - before) / 2,
	       "tasks that were freed are still there");
}

/* ---- Under fire --------------------------------------------------------- */

static void storm(void *arg)
{
	struct endless *load = arg;
	pid_t pid;

	pin_to(load->cpus);
	for (;;) {
		pid = fork();
		require(pid >= 0, "fork: %s", strerror(errno));
		if (!pid)
			_exit(0);
		munmap(map_pages(), PAGES * getpagesize());
		waitpid(pid, NULL, 0);
		count_done(load);
	}
}

static struct endless *storms[MAX_CPUS];
static pid_t storm_pids[MAX_CPUS];

static void start_storms(void)
{
	__u64 cpus = cpu_list("online");
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!has_cpu(cpus, cpu))
			continue;
		storms[cpu] = new_endless(1ULL << cpu);
		storm_pids[cpu] = spawn(storm, storms[cpu]);
	}
}

/* Each has done some more. */
static void let_storms_rage(int rounds)
{
	__u64 done[MAX_CPUS];
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (storms[cpu])
			done[cpu] = done_by(storms[cpu]);
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (storms[cpu])
			wait_done(storms[cpu], done[cpu] + rounds);
}

static void end_storms(void)
{
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!storms[cpu])
			continue;
		expect(!waitpid(storm_pids[cpu], NULL, WNOHANG),
		       "the storm on cpu%d gave up", cpu);
		end(storm_pids[cpu]);
	}
}

static void quiet_after_unregister(const char *name)
{
	struct counts was = counts_of(name);

	let_storms_rage(2);
	expect_calls(name, was.calls, "unregistered");
}

static void unregister_under_fire(void)
{
	size_t n;
	int i;

	need_module();
	watch_me();
	tell_module("keep", "1");
	tell_module("linger", "50");
	start_storms();
	for (i = 0; i < FIRE_ROUNDS; i++) {
		for (n = 0; n < ARRAY_SIZE(names); n++)
			tell_module("register", names[n]);
		let_storms_rage(1);
		for (n = 0; n < ARRAY_SIZE(names); n++)
			tell_module("unregister", names[n]);
		for (n = 0; n < ARRAY_SIZE(names); n++)
			quiet_after_unregister(names[n]);
		tell_module("do", "free");
	}
	end_storms();
	for (n = 0; n < ARRAY_SIZE(names); n++)
		expect(counts_of(names[n]).calls >= FIRE_ROUNDS,
		       "%s: %d calls in all", names[n],
		       counts_of(names[n]).calls);
	expect(counts_of("tasks").calls == counts_of("handoff").calls,
	       "not all tasks were kept");
	expect(counts_of("tasks").calls == counts_of("tasks").wrong,
	       "not all tasks that were kept were freed");
}

/* All of it as fast as it goes, with nobody waiting for a call in between. */
static void register_in_a_loop(void)
{
	size_t n;
	int i;

	need_module();
	watch_me();
	tell_module("linger", "50");
	start_storms();
	for (i = 0; i < 10 * FIRE_ROUNDS; i++) {
		n = i % ARRAY_SIZE(names);
		tell_module("register", names[n]);
		tell_module("unregister", names[n]);
	}
	for (n = 0; n < ARRAY_SIZE(names); n++)
		quiet_after_unregister(names[n]);
	end_storms();
}

/* Who still called the module would run into memory that is gone. */
static void unload_under_fire(void)
{
	int i, err;
	size_t n;

	rename_me();
	start_storms();
	for (i = 0; i < FIRE_ROUNDS; i++) {
		need_module();
		tell_module("watch", watched);
		tell_module("keep", "1");
		tell_module("linger", "50");
		for (n = 0; n < ARRAY_SIZE(names); n++)
			tell_module("register", names[n]);
		let_storms_rage(1);
		err = unload_module();
		require(!err, "unload: %s", strerror(-err));
	}
	let_storms_rage(1);
	end_storms();
}

/* ---- Answers ------------------------------------------------------------ */

static void unknown_event(void)
{
	static const char * const unknown[] = { "unknown", "negative" };
	size_t i;

	need_module();
	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		expect_answer("register", unknown[i], -EINVAL);
		expect_answer("unregister", unknown[i], -EINVAL);
	}
}

/* The first registration outlives the second one, and is the only one. */
static void double_registration(void)
{
	size_t n;
	int log;

	need_module();
	for (n = 0; n < ARRAY_SIZE(names); n++) {
		watch_me();
		expect_answer("unregister", names[n], -ENOENT);
		expect_answer("register", names[n], 0);
		begin_warnings();
		log = open_log();
		expect_answer("register", names[n], -EEXIST);
		expect(count_records(log, "WARNING:") == 1,
		       "%s: a second registration does not warn", names[n]);
		close(log);
		end_warnings();
		munmap(map_pages(), PAGES * getpagesize());
		go_this_way(&ways[0]);
		if (!strcmp(names[n], "handoff"))
			wait_handoffs(1);
		expect_calls(names[n], 1, "registered twice");
		expect_answer("unregister", names[n], 0);
		expect_answer("unregister", names[n], -ENOENT);
	}
}

static void nothing_registered(void)
{
	size_t n;

	need_module();
	watch_me();
	for (n = 0; n < ARRAY_SIZE(names); n++) {
		tell_module("register", names[n]);
		tell_module("unregister", names[n]);
	}
	tell_module("do", "clear");
	start_storms();
	let_storms_rage(ROUNDS);
	end_storms();
	for (n = 0; n < ARRAY_SIZE(names); n++)
		expect_calls(names[n], 0, "nothing is registered");
}

/* Kept tasks that were freed, notifiers, modules: nothing stays behind. */
static void event_leak(void)
{
	skip_if(!has_debugfs("kmemleak"), "needs kmemleak");
	need_module();
	watch_me();
	tell_module("keep", "1");
	tell_module("register", "handoff");
	go_this_way(&ways[0]);
	wait_handoffs(1);
	tell_module("unregister", "handoff");
	tell_module("do", "free");
	unload_module();
	expect(!count_leaks("profile_"), "memory has leaked");
	expect(!count_leaks("copy_process"), "a task has leaked");
}

static const struct test tests[] = {
	{ "exit_exact", exit_exact },
	{ "munmap_exact", munmap_exact },
	{ "munmap_alone", munmap_alone },
	{ "handoff_exact", handoff_exact },
	{ "handoff_memory", handoff_memory },
	{ "unregister_under_fire", unregister_under_fire },
	{ "register_in_a_loop", register_in_a_loop },
	{ "unload_under_fire", unload_under_fire },
	{ "unknown_event", unknown_event },
	{ "double_registration", double_registration },
	{ "nothing_registered", nothing_registered },
	{ "event_leak", event_leak },
};

int main(void)
{
	int ret = run_tests(tests, ARRAY_SIZE(tests));

	unload_module();
	return ret;
}
