// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that are CPUs, hit the profiler at once, and count what they give.
 * Meanwhile others read, take CPUs away, change the mask, reset, stop and
 * start. At the end of each round, what the file shows is what was given.
 *
 * Time is cut into spans, and each span has a region of the text: all hits of
 * a span fall in its region. A span ends when all CPUs have begun the next.
 * Thus the hits of a span that has ended are known while those of the next
 * keep coming. A round has three spans:
 *
 *	| before | exact | after |
 *	    ^ reset, or stop and start: only the region of "before" may show
 *	      hits, and not more than were given
 *	           ^ "exact" begins later than that and ends earlier than the
 *	             read in "after": each of its hits must show
 *
 * usage: threads SEED ROUNDS
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <asm/sections.h>
#include <linux/notifier.h>
#include <linux/profile.h>

#include "shim.h"

#define CPUS		4
#define HITTERS		(CPUS + 1)	/* CPU 0 has two tasks */
#define READERS		2
#define REGIONS		4		/* more than spans that matter */
#define REGION_SLOTS	1500		/* more than a table has entries */
#define SLOTS		(REGIONS * REGION_SLOTS)
#define WORDS		(SLOTS + 2)	/* the step; hits that nobody counts */
#define SPAN_HITS	2000		/* at least, of each hitter */

#define expect(cond, ...)						\
	do {								\
		if (!(cond)) {						\
			fprintf(stderr, "threads.c:%d: round %u: not so: %s: ", \
				__LINE__, nr_round, #cond);		\
			fprintf(stderr, __VA_ARGS__);			\
			fputc('\n', stderr);				\
			abort();					\
		}							\
	} while (0)

static unsigned int seed, nr_round;
static unsigned int span;	/* atomic */
static bool over;		/* atomic */
static int mode = CPU_PROFILING;	/* atomic */

struct hitter {
	pthread_t thread;
	unsigned int cpu;
	unsigned int span;		/* that it is in; atomic */
	unsigned long progress;		/* hits in this span; atomic */
	u32 random;
	u32 given[SLOTS];		/* to the regions, by their last span */
};

static struct hitter hitters[HITTERS];

#define get(ptr)	__atomic_load_n(ptr, __ATOMIC_ACQUIRE)
#define put(ptr, value)	__atomic_store_n(ptr, value, __ATOMIC_RELEASE)

static u32 next(u32 *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 17;
	*random ^= *random << 5;
	return *random;
}

static void nap(void)
{
	usleep(100);
}

/* ---- CPUs --------------------------------------------------------------- */

/*
 * While a CPU comes or goes, or the rate changes, a tick may not count: ticks
 * and timers hit the last slot, which is no region's.
 */
static void interrupt(void)
{
	struct pt_regs regs = { .pc = (unsigned long)_stext + SLOTS };

	shim_tick(CPU_PROFILING, &regs);
	shim_fire_timers(&regs);
	profile_handoff_task(NULL);
}

/* Half of the hits are in a few slots, the other half are all over. */
static void hit(struct hitter *self, unsigned int region)
{
	u32 dice = next(&self->random), slot = dice >> 8;
	u32 hits = 1 + (dice >> 2) % 3;
	struct task_struct task = { .sched_contributes_to_load = true };
	int type = get(&mode);
	unsigned long pc;

	slot = region * REGION_SLOTS + slot % (dice & 1 ? 8 : REGION_SLOTS);
	pc = (unsigned long)_stext + slot;
	task.wchan = pc;
	if (type == SLEEP_PROFILING)
		shim_blocked(&task, hits << 20);
	else
		profile_hits(type, (void *)pc, hits);
	self->given[slot] += hits;
	if (dice & 2)
		interrupt();
}

static void *hitter_run(void *arg)
{
	struct hitter *self = arg;
	unsigned int now, region, i;

	shim_thread_begin();
	while (!get(&over)) {
		now = get(&span);
		region = now % REGIONS;
		if (now != self->span) {
			memset(self->given + region * REGION_SLOTS, 0,
			       REGION_SLOTS * sizeof(*self->given));
			put(&self->progress, 0);
			put(&self->span, now);
		}
		if (!shim_cpu_enter(self->cpu)) {
			nap();
			continue;
		}
		for (i = 0; i < 64; i++)
			hit(self, region);
		shim_cpu_leave();
		__atomic_add_fetch(&self->progress, i, __ATOMIC_RELAXED);
		if (self->progress > 4 * SPAN_HITS)
			nap();
	}
	shim_thread_end();
	return NULL;
}

/* Begin the next span; when this returns, the last one is known. */
static void next_span(void)
{
	unsigned int now = span + 1, i;

	put(&span, now);
	for (i = 0; i < HITTERS; i++)
		while (get(&hitters[i].span) != now)
			nap();
}

static void let_them_hit(void)
{
	unsigned int i;

	for (i = 0; i < HITTERS; i++)
		while (__atomic_load_n(&hitters[i].progress, __ATOMIC_RELAXED) <
		       SPAN_HITS)
			nap();
}

static u64 given(unsigned int slot)
{
	u64 hits = 0;
	unsigned int i;

	for (i = 0; i < HITTERS; i++)
		hits += hitters[i].given[slot];
	return hits;
}

/* ---- Those who disturb -------------------------------------------------- */

/* A reader knows the header, and how much it gets. */
static void *reader_run(void *arg)
{
	u32 random = (uintptr_t)arg, words[WORDS];
	size_t step;
	struct file *file;
	loff_t pos;
	ssize_t n;

	shim_thread_begin();
	while (!get(&over)) {
		file = shim_open("profile");
		if (IS_ERR(file)) {
			expect(PTR_ERR(file) == -ENOENT, "%ld", PTR_ERR(file));
			nap();
			continue;
		}
		step = next(&random) & 1 ? sizeof(words) : 4096;
		pos = 0;
		do {
			n = shim_read(file, (char *)words + pos,
				      min_t(size_t, step, sizeof(words) - pos),
				      &pos);
			expect(n >= 0 || n == -EIO, "%zd", n);
		} while (n > 0);
		expect(n || words[0] == 1, "header %u", words[0]);
		expect(n || pos == sizeof(words), "%lld", (long long)pos);
		shim_close(file);
		if (next(&random) % 4 == 0)
			nap();
	}
	shim_thread_end();
	return NULL;
}

static void *hotplug_run(void *arg)
{
	u32 random = (uintptr_t)arg;
	unsigned int cpu;

	shim_thread_begin();
	while (!get(&over)) {
		cpu = 1 + next(&random) % (CPUS - 1);
		if (shim_cpu_online(cpu))
			shim_cpu_down(cpu);
		else
			shim_cpu_up(cpu);
		nap();
	}
	shim_thread_end();
	return NULL;
}

/* All CPUs, in words that differ. CPUs that are away are back by this. */
static void *mask_run(void *arg)
{
	static const char * const texts[] = { "f", "0f\n", "F", "000f" };
	u32 random = (uintptr_t)arg;
	const char *text;
	struct file *file;
	char now[16];
	loff_t pos;
	ssize_t n;

	shim_thread_begin();
	while (!get(&over)) {
		file = shim_open("irq/prof_cpu_mask");
		if (IS_ERR(file)) {
			nap();
			continue;
		}
		text = texts[next(&random) % ARRAY_SIZE(texts)];
		n = shim_write(file, text, strlen(text));
		expect(n == strlen(text) || n == -EIO, "%zd", n);
		pos = 0;
		n = shim_read(file, now, sizeof(now), &pos);
		expect(n == 2 || n == -EIO, "%zd", n);
		shim_close(file);
		nap();
	}
	shim_thread_end();
	return NULL;
}

/* The rate, the way of 2010, as a reset would spoil the count. */
static void *rate_run(void *arg)
{
	u32 random = (uintptr_t)arg;

	shim_thread_begin();
	while (!get(&over)) {
		setup_profiling_timer(1 + next(&random) % 4);
		shim_sleep(next(&random) % 4000000);
		nap();
	}
	shim_thread_end();
	return NULL;
}

/* Nobody is in a hook or a notifier once that is registered no more. */
static unsigned int *hook_data;

static int timer_hook(struct pt_regs *regs)
{
	unsigned int *data = __atomic_load_n(&hook_data, __ATOMIC_CONSUME);

	__atomic_add_fetch(data, 1, __ATOMIC_RELAXED);
	return 0;
}

static int notified(struct notifier_block *nb, unsigned long action, void *data)
{
	return NOTIFY_OK;
}

static void *hooks_run(void *arg)
{
	struct notifier_block *nb;

	shim_thread_begin();
	while (!get(&over)) {
		nb = calloc(1, sizeof(*nb));
		nb->notifier_call = notified;
		put(&hook_data, calloc(1, sizeof(*hook_data)));
		expect(!register_timer_hook(timer_hook), "hook");
		expect(!task_handoff_register(nb), "notifier");
		nap();
		unregister_timer_hook(timer_hook);
		free(hook_data);
		expect(!task_handoff_unregister(nb), "notifier");
		free(nb);
	}
	shim_thread_end();
	return NULL;
}

/* Others that try to start and stop: they find that it is on, or a bad text. */
static void *intruder_run(void *arg)
{
	u32 random = (uintptr_t)arg;
	ssize_t n;

	shim_thread_begin();
	while (!get(&over)) {
		n = next(&random) & 1 ? profile_control("cpu x", 5) :
					profile_control("0,", 2);
		expect(n == -EEXIST || n == -EINVAL, "%zd", n);
		nap();
	}
	shim_thread_end();
	return NULL;
}

/* ---- Rounds ------------------------------------------------------------- */

static void start(int type)
{
	ssize_t n;

	put(&mode, type);
	if (type == CPU_PROFILING)
		n = profile_control("0", 1);
	else if (type == SCHED_PROFILING)
		n = profile_control("schedule0", 9);
	else
		n = profile_control("sleep0", 6);
	expect(n > 0, "%zd", n);
}

static void stop(void)
{
	expect(profile_control("off", 3) == 3, "stop");
	expect(!shim_find("profile"), "the file has gone");
}

static void reset(void)
{
	struct file *file = shim_open("profile");

	expect(!IS_ERR(file), "open: %ld", PTR_ERR(file));
	expect(shim_write(file, "r", 1) == 1, "reset");
	shim_close(file);
}

static void read_counters(u32 *counters)
{
	static u32 words[WORDS];
	struct file *file = shim_open("profile");
	loff_t pos = 0;

	expect(!IS_ERR(file), "open: %ld", PTR_ERR(file));
	expect(shim_read(file, (char *)words, sizeof(words), &pos) ==
		sizeof(words), "read");
	shim_close(file);
	memcpy(counters, words + 1, SLOTS * sizeof(*counters));
}

/* What this region shows must be given; exactly, or at most. */
static void check_region(const u32 *counters, unsigned int of_span, bool exact)
{
	unsigned int slot = of_span % REGIONS * REGION_SLOTS, i;

	for (i = 0; i < REGION_SLOTS; i++, slot++)
		expect(exact ? counters[slot] == given(slot) :
			counters[slot] <= given(slot),
			"slot %u has %u of %llu hits", slot, counters[slot],
			(unsigned long long)given(slot));
}

static void check_empty(const u32 *counters, unsigned int of_span)
{
	unsigned int slot = of_span % REGIONS * REGION_SLOTS, i;

	for (i = 0; i < REGION_SLOTS; i++, slot++)
		expect(!counters[slot], "slot %u: %u hits from the past", slot,
		       counters[slot]);
}

static void play_round(u32 *random)
{
	static u32 counters[SLOTS];

	/* Before */
	next_span();
	let_them_hit();
	if (next(random) & 1) {
		reset();
	} else {
		stop();
		start(CPU_PROFILING + next(random) % 3);
	}
	/* Exact */
	next_span();
	let_them_hit();
	/* After */
	next_span();
	let_them_hit();
	read_counters(counters);
	check_region(counters, span - 1, true);
	check_region(counters, span - 2, false);
	check_empty(counters, span - 3);
}

static void tell_seed(int signal)
{
	fprintf(stderr, "seed %u\n", seed);
}

static void create(pthread_t *thread, void *(*run)(void *arg), uintptr_t arg)
{
	expect(!pthread_create(thread, NULL, run, (void *)arg), "a thread");
}

static void play(unsigned int rounds)
{
	pthread_t others[READERS + 5];
	u32 random = seed * 2 + 1;
	unsigned int i;

	for (i = 0; i < READERS; i++)
		create(&others[i], reader_run, next(&random));
	create(&others[i++], hotplug_run, next(&random));
	create(&others[i++], mask_run, next(&random));
	create(&others[i++], intruder_run, next(&random));
	create(&others[i++], rate_run, next(&random));
	create(&others[i++], hooks_run, 0);
	for (i = 0; i < HITTERS; i++) {
		hitters[i].cpu = i % CPUS;
		hitters[i].random = next(&random);
		create(&hitters[i].thread, hitter_run, (uintptr_t)&hitters[i]);
	}
	for (nr_round = 1; nr_round <= rounds; nr_round++)
		play_round(&random);
	put(&over, true);
	for (i = 0; i < HITTERS; i++)
		pthread_join(hitters[i].thread, NULL);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		pthread_join(others[i], NULL);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: threads SEED ROUNDS\n");
		return 2;
	}
	seed = strtoul(argv[1], NULL, 0);
	signal(SIGABRT, tell_seed);
	printf("seed %u\n", seed);
	fflush(stdout);
	shim_boot_cpus(CPUS, CPUS);
	shim_text_bytes = SLOTS + 1;
	start(CPU_PROFILING);
	play(strtoul(argv[2], NULL, 0));
	stop();
	expect(!shim_allocations(), "%ld allocations", shim_allocations());
	return 0;
}
