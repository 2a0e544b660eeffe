// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits on a real processor, by three profilers in turn.
 *
 * usage: bench time RECORDING...	nanoseconds per hit
 *        bench atomics RECORDING...	atomics on shared counters, in percent of hits
 *        bench names RECORDING...	what patterns there are, one a line
 *        bench once SUBJECT PATTERN RECORDING...	a pass, by counted_pass()
 *
 * Writes lines NAME<TAB>SUBJECT<TAB>VALUE, where T is 1-thread or 2-threads:
 *
 *	user/ns/T/PATTERN	median of the rounds
 *	user/ns-best/T/PATTERN	the best of them
 *	user/ns-worst/T/PATTERN	the worst
 *	user/atomics/PATTERN
 */

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "patterns.h"
#include "subject.h"

#define CPU_PROFILING	1
#define HITS		10000	/* of a pass */
#define PASSES		20	/* in a round */
#define ROUNDS		61

__thread struct shim_cpu shim_cpu;
unsigned long shim_atomics;

static const struct subject *const subjects[] = { &stock_6_1, &stock_6_12, &ours };

static const struct subject *subject_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		if (!strcmp(subjects[i]->name, name))
			return subjects[i];
	die("no such profiler", name);
	return NULL;
}

/* ---- Passes ---------------------------------------------------------------- */

/* The pattern as its callers give it. */
static void *pcs[SHIM_CPUS][HITS];

static void pattern_load(const struct pattern *pattern)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < SHIM_CPUS; cpu++)
		for (i = 0; i < HITS; i++)
			pcs[cpu][i] = _stext + pattern_offset(pattern, cpu, i);
}

static __always_inline void pass(const struct subject *subject, void *const *pc)
{
	unsigned int i;

	for (i = 0; i < HITS; i++)
		subject->hits(CPU_PROFILING, pc[i], 1);
}

/* A tool that counts instructions is told to do so in here. */
noinline void counted_pass(const struct subject *subject, void *const *pc);

noinline void counted_pass(const struct subject *subject, void *const *pc)
{
	pass(subject, pc);
}

/* ---- Threads ---------------------------------------------------------------- */

/* One measurement: whose hits, and how long each thread took for one of them. */
static struct {
	const struct subject *subject;
	unsigned int threads;
	unsigned int ready;
	double ns[SHIM_CPUS];
} job;

/* Of this thread: what others take of the processor does not count. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e9 * t.tv_sec + t.tv_nsec;
}

static void be_cpu(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	shim_cpu.number = cpu;
	shim_cpu.distance = cpu * SHIM_PERCPU_BYTES;
}

static void *work(void *arg)
{
	unsigned int cpu = (unsigned long)arg, i;
	double from;

	be_cpu(cpu);
	pass(job.subject, pcs[cpu]);
	__atomic_add_fetch(&job.ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&job.ready, __ATOMIC_SEQ_CST) < job.threads)
		;
	from = now();
	for (i = 0; i < PASSES; i++)
		pass(job.subject, pcs[cpu]);
	job.ns[cpu] = (now() - from) / PASSES / HITS;
	return NULL;
}

/* The mean of the threads. */
static double measure(const struct subject *subject, unsigned int threads)
{
	pthread_t thread[SHIM_CPUS];
	double sum = 0;
	unsigned long t;

	job.subject = subject;
	job.threads = threads;
	job.ready = 0;
	for (t = 0; t < threads; t++)
		if (pthread_create(&thread[t], NULL, work, (void *)t))
			die("cannot create", "a thread");
	for (t = 0; t < threads; t++) {
		pthread_join(thread[t], NULL);
		sum += job.ns[t];
	}
	return sum / threads;
}

/* ---- Results ----------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_ns(const char *what, unsigned int threads, const char *pattern,
		     const struct subject *subject, double value)
{
	printf("user/%s/%u-thread%s/%s\t%s\t%.4g\n", what, threads,
	       threads == 1 ? "" : "s", pattern, subject->name, value);
}

/* The profilers take turns, so that a noisy neighbour is fair to all. */
static void time_threads(const char *pattern, unsigned int threads)
{
	static double ns[ARRAY_SIZE(subjects)][ROUNDS];
	unsigned int s, r;

	for (r = 0; r < ROUNDS; r++)
		for (s = 0; s < ARRAY_SIZE(subjects); s++)
			ns[s][r] = measure(subjects[s], threads);
	for (s = 0; s < ARRAY_SIZE(subjects); s++) {
		qsort(ns[s], ROUNDS, sizeof(*ns[s]), compare);
		print_ns("ns", threads, pattern, subjects[s], ns[s][ROUNDS / 2]);
		print_ns("ns-best", threads, pattern, subjects[s], ns[s][0]);
		print_ns("ns-worst", threads, pattern, subjects[s], ns[s][ROUNDS - 1]);
	}
}

static void time_pattern(const char *pattern)
{
	time_threads(pattern, 1);
	time_threads(pattern, SHIM_CPUS);
}

static void count_atomics(const char *pattern)
{
	unsigned int s, i;

	for (s = 0; s < ARRAY_SIZE(subjects); s++) {
		pass(subjects[s], pcs[0]);
		shim_atomics = 0;
		for (i = 0; i < PASSES; i++)
			pass(subjects[s], pcs[0]);
		printf("user/atomics/%s\t%s\t%.4g\n", pattern, subjects[s]->name,
		       100.0 * shim_atomics / PASSES / HITS);
	}
}

/* ---- Commands ----------------------------------------------------------------- */

static void start(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(subjects); i++)
		subjects[i]->start();
}

/* In a process of its own, so that tables hold nothing of other patterns. */
static void apart(void (*measure_pattern)(const char *pattern),
		  const struct pattern *pattern)
{
	int status;

	fflush(stdout);
	if (!fork()) {
		start();
		pattern_load(pattern);
		measure_pattern(pattern->name);
		exit(0);
	}
	if (wait(&status) < 0 || status)
		die("failed", pattern->name);
}

static void each(void (*measure_pattern)(const char *pattern), char **recordings)
{
	unsigned int i;

	patterns_read(recordings);
	patterns_make();
	for (i = 0; i < nr_patterns; i++)
		apart(measure_pattern, &patterns[i]);
}

static void names(char **recordings)
{
	unsigned int i;

	patterns_read(recordings);
	patterns_make();
	for (i = 0; i < nr_patterns; i++)
		puts(patterns[i].name);
}

static void once(const struct subject *subject, const char *name, char **recordings)
{
	patterns_read(recordings);
	patterns_make();
	start();
	pattern_load(pattern_find(name));
	pass(subject, pcs[0]);
	counted_pass(subject, pcs[0]);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "time"))
		each(time_pattern, argv + 2);
	else if (!strcmp(what, "atomics"))
		each(count_atomics, argv + 2);
	else if (!strcmp(what, "names"))
		names(argv + 2);
	else if (!strcmp(what, "once") && argc > 3)
		once(subject_find(argv[2]), argv[3], argv + 4);
	else
		die("what to do? It is not", what);
	return 0;
}
