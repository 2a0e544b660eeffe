// SPDX-License-Identifier: GPL-2.0-only
/*
 * profile=sleep: where tasks block and for how long, compared with the clock
 * of those that block.
 *
 * By hand, as a load: sleep_mode MILLISECONDS, once in each place.
 */

#include "profile_test.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ptrace.h>

#define HITS_A_SECOND	(1e9 / 1048576)
#define LONG_FILE	(96L << 20)	/* it takes a while to make one */

/* ---- Places in which a task blocks -------------------------------------- */

/* The parent waits until its child, which has its memory, is gone. */
static double block_in_vfork(double seconds)
{
	double begin = now(), *end = shared_memory(sizeof(*end));
	pid_t pid = vfork();

	if (!pid) {
		sleep_ms(seconds * 1000);
		*end = now();
		_exit(KSFT_PASS);
	}
	require(pid > 0, "vfork: %s", strerror(errno));
	join(pid);
	return *end - begin;
}

struct exec_order {
	pid_t thread;		/* atomic, as the next one */
	int traced;
	double begin;
};

static void *be_traced(void *arg)
{
	struct exec_order *order = arg;

	__atomic_store_n(&order->thread, syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	for (;;)
		pause();
	return NULL;
}

static void exec_when_traced(void *arg)
{
	struct exec_order *order = arg;
	pthread_t thread;

	require(!pthread_create(&thread, NULL, be_traced, order),
		"pthread_create");
	while (!__atomic_load_n(&order->traced, __ATOMIC_SEQ_CST))
		sleep_ms(1);
	order->begin = now();
	execl("/proc/self/exe", "sleep_mode", "0", NULL);
	require(false, "exec: %s", strerror(errno));
}

/*
 * exec() kills the other threads and waits until they are gone. A thread that
 * is traced goes when its tracer has asked for it.
 */
static double block_in_exec(double seconds)
{
	struct exec_order *order = shared_memory(sizeof(*order));
	pid_t pid = spawn(exec_when_traced, order), thread;
	double end;

	while (!(thread = __atomic_load_n(&order->thread, __ATOMIC_SEQ_CST)))
		sleep_ms(1);
	require(!ptrace(PTRACE_SEIZE, thread, NULL, NULL), "ptrace: %s",
		strerror(errno));
	__atomic_store_n(&order->traced, 1, __ATOMIC_SEQ_CST);
	sleep_ms(seconds * 1000);
	end = now();
	require(waitpid(thread, NULL, __WALL) == thread, "waitpid: %s",
		strerror(errno));
	join(pid);
	return end - order->begin;
}

struct lock_order {
	int fd;
	__u64 held;		/* atomic, as the next one */
	int over;
};

static void hold_lock(void *arg)
{
	struct lock_order *order = arg;

	while (!__atomic_load_n(&order->over, __ATOMIC_SEQ_CST)) {
		require(!fallocate(order->fd, 0, 0, LONG_FILE) &&
			!ftruncate(order->fd, 0), "fallocate: %s",
			strerror(errno));
		__atomic_fetch_add(&order->held, 1, __ATOMIC_SEQ_CST);
		sleep_ms(5);
	}
}

static int open_unnamed(void)
{
	char path[] = "/tmp/profile_test.XXXXXX";
	int fd = mkstemp(path);

	require(fd >= 0, "%s: %s", path, strerror(errno));
	unlink(path);
	return fd;
}

/*
 * What writes to a file, or makes it longer, takes its lock. On the CPU of the
 * one who holds it, there is no use in spinning, and once he lets go of it, he
 * leaves the CPU as well.
 */
static double block_on_lock(double seconds)
{
	struct lock_order *order = shared_memory(sizeof(*order));
	double begin, spent = 0;
	pid_t pid;

	order->fd = open_unnamed();
	pin(first_cpu(cpu_list("online")));
	pid = spawn(hold_lock, order);
	while (!__atomic_load_n(&order->held, __ATOMIC_SEQ_CST))
		sleep_ms(1);
	while (spent < seconds) {
		begin = now();
		require(pwrite(order->fd, "x", 1, 0) == 1, "write: %s",
			strerror(errno));
		spent += now() - begin;
		sleep_ms(10);
	}
	__atomic_store_n(&order->over, 1, __ATOMIC_SEQ_CST);
	join(pid);
	close(order->fd);
	return spent;
}

static const struct place {
	const char *name;
	const char *globs;	/* outside the scheduler and the locks */
	double (*block)(double seconds);
	double seconds;		/* roughly */
} places[] = {
	{ "vfork", "wait_for_vfork_done|kernel_clone", block_in_vfork, 3 },
	{ "exec", "de_thread|begin_new_exec", block_in_exec, 1.5 },
	{ "lock", "*file_write_iter", block_on_lock, 1 },
};

#define NR_PLACES	ARRAY_SIZE(places)

struct blocking {
	const struct place *place;
	double spent;
};

static void block(void *arg)
{
	struct blocking *blocking = arg;

	blocking->spent = blocking->place->block(blocking->place->seconds);
}

static void start_sleep(const char *text)
{
	skip_unless_built(MODE_SLEEP);
	start(text);
}

/* ---- Right ones --------------------------------------------------------- */

static bool near(double a, double b, double part)
{
	return a >= b * (1 - part) && a <= b * (1 + part);
}

static __u64 expect_place(const struct profile *prof,
			  const struct blocking *blocking)
{
	const struct place *place = blocking->place;
	__u64 hits = hits_of(prof, place->globs);
	double right = blocking->spent * HITS_A_SECOND;

	ksft_print_msg("%s: %.1f ms are %.1f hits, found %llu\n", place->name,
		       blocking->spent * 1000, right, hits);
	expect(near(hits, right, 0.05), "%s: %llu hits, not %.1f", place->name,
	       hits, right);
	return hits;
}

/* All at once; next to nothing else in the system blocks. */
static void sleep_shares(void)
{
	struct blocking *blocking;
	pid_t pids[NR_PLACES];
	struct profile prof;
	__u64 known = 0, sum;
	size_t i;

	blocking = shared_memory(NR_PLACES * sizeof(*blocking));
	start_sleep("sleep,2");
	for (i = 0; i < NR_PLACES; i++) {
		blocking[i].place = &places[i];
		pids[i] = spawn(block, &blocking[i]);
	}
	for (i = 0; i < NR_PLACES; i++)
		join(pids[i]);
	prof = read_profile();
	print_tops(&prof, 8);
	for (i = 0; i < NR_PLACES; i++)
		known += expect_place(&prof, &blocking[i]);
	sum = sum_hits(&prof);
	expect(near(known, sum, 0.05), "%llu of %llu hits are elsewhere",
	       sum - known, sum);
}

/* One place, in a profiler that runs already. */
static void check_place(const struct place *place)
{
	struct blocking blocking = { place, 0 };
	struct profile prof;

	block(&blocking);
	prof = read_profile();
	expect_place(&prof, &blocking);
	free_profile(&prof);
}

/* The mode brings the scheduler's statistics along. */
static void sleep_without_schedstats(void)
{
	put_text(SCHEDSTATS_FILE, "0");
	start_sleep("sleep,2");
	check_place(&places[0]);
}

static void sleep_real_time(void)
{
	struct sched_param param = { .sched_priority = 1 };
	int err = sched_setscheduler(0, SCHED_FIFO, &param) ? errno : 0;

	require(!err, "SCHED_FIFO: %s", strerror(err));
	start_sleep("sleep,2");
	check_place(&places[0]);
}

/* Only ticks heed the mask. */
static void sleep_mask(void)
{
	start_sleep("sleep,2");
	set_mask(0);
	check_place(&places[0]);
}

static void sleep_shift_0(void)
{
	start_sleep("sleep");
	check_place(&places[1]);
}

/* Nothing from before, while off or while in another mode; then again. */
static void sleep_off_on(void)
{
	static const char * const between[] = { "", "cpu,2", "schedule,2" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(between); i++) {
		start_sleep("sleep,2");
		block_in_vfork(0.3);
		expect(read_hits_of(places[0].globs), "no hits");
		stop();
		if (between[i][0])
			start(between[i]);
		block_in_vfork(0.3);
		stop();
		start_sleep("sleep,2");
		expect(!read_hits_of(places[0].globs),
		       "hits from before the start");
		check_place(&places[0]);
		stop();
	}
}

/* ---- Sleeps that are none of it ----------------------------------------- */

static void read_nothing(void *arg)
{
	int fds[2];
	char c;

	(void)arg;
	require(!pipe(fds), "pipe");
	require(read(fds[0], &c, 1) < 0, "pipe: there is something");
}

static void poll_nothing(void *arg)
{
	(void)arg;
	poll(NULL, 0, 2000);
}

static void nap(void *arg)
{
	(void)arg;
	sleep_ms(2000);
}

static void await_nap(void *arg)
{
	join(spawn(nap, arg));
}

/* The read never ends by itself. */
static void sleep_interruptible(void)
{
	void (* const kinds[])(void *) = { poll_nothing, nap, await_nap };
	pid_t pids[ARRAY_SIZE(kinds)], reader;
	struct profile prof;
	__u64 hits;
	size_t i;

	start_sleep("sleep,2");
	reader = spawn(read_nothing, NULL);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		pids[i] = spawn(kinds[i], NULL);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		join(pids[i]);
	end(reader);
	prof = read_profile();
	hits = hits_of(&prof, "*pipe_read|*nanosleep|do_wait|kernel_wait*|*poll*");
	expect(!hits, "%llu hits of sleeps that a signal can end", hits);
	if (!expect(sum_hits(&prof) < 100, "%llu hits in all",
		    sum_hits(&prof)))
		print_tops(&prof, 8);
}

/* How often kernel threads that are idle now went to sleep. */
static __s64 idle_sleeps(void)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	char path[300], line[256];
	bool idle;
	__s64 sum = 0, n;
	FILE *file;

	require(dir, "/proc: %s", strerror(errno));
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%s/status", entry->d_name);
		file = fopen(path, "r");
		for (idle = false; file && fgets(line, sizeof(line), file); ) {
			idle |= !strncmp(line, "State:\tI", 8);
			if (idle && sscanf(line, "voluntary_ctxt_switches: %lld",
					   &n) == 1)
				sum += n;
		}
		if (file)
			fclose(file);
	}
	closedir(dir);
	return sum;
}

/*
 * TASK_IDLE is uninterruptible, but idle. Each read of the profile waits for a
 * grace period, for which a kernel thread is woken that sleeps like that.
 */
static void sleep_idle(void)
{
	__s64 before, sleeps = 0;
	__u64 hits;
	int i;

	start_sleep("sleep,2");
	before = idle_sleeps();
	for (i = 0; i < 500 && sleeps < 50; i++) {
		total_hits();
		sleep_ms(20);
		sleeps = idle_sleeps() - before;
	}
	ksft_print_msg("%lld sleeps of idle kernel threads\n", sleeps);
	skip_if(sleeps < 50, "kernel threads do not sleep like that");
	hits = read_hits_of("rcu_gp_*|rcu_tasks*|worker_thread|rescuer_thread");
	expect(!hits, "%llu hits of kernel threads that were idle", hits);
}

static const struct test tests[] = {
	{ "sleep_shares", sleep_shares },
	{ "sleep_without_schedstats", sleep_without_schedstats },
	{ "sleep_real_time", sleep_real_time },
	{ "sleep_mask", sleep_mask },
	{ "sleep_shift_0", sleep_shift_0 },
	{ "sleep_off_on", sleep_off_on },
	{ "sleep_interruptible", sleep_interruptible },
	{ "sleep_idle", sleep_idle },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc == 1)
		return run_tests(tests, ARRAY_SIZE(tests));
	for (i = 0; i < NR_PLACES && atoi(argv[1]); i++)
		places[i].block(atoi(argv[1]) / 1000.0);
	return KSFT_PASS;
}
