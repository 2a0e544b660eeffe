// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unit tests of what the kernel profiler offers to other code, notifiers and
 * the timer hook, and of its sampling timer.
 *
 * There is one chain for each event in the kernel, so that real tasks pass by
 * while a test listens. Tests make events of their own, about things that do
 * not exist, and disregard all others.
 */

#include <kunit/test.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/notifier.h>
#include <linux/profile.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include <asm/irq_regs.h>

#include "../../../kernel/profile_internal.h"

/* ---- Events ------------------------------------------------------------- */

/**
 * struct listener - a notifier that counts
 * @nb: the notifier
 * @thing: the task or the address that it waits for
 * @answer: what it returns for that, NOTIFY_DONE for anything else
 * @calls: how often it was called for that
 * @inside: how many are in it now, about anything
 */
struct listener {
	struct notifier_block	nb;
	void			*thing;
	int			answer;
	atomic_t		calls;
	atomic_t		inside;
};

/* What no task and no mapping is at. */
static char fake_things[2];

static int listener_call(struct notifier_block *nb, unsigned long action,
			 void *thing)
{
	struct listener *l = container_of(nb, struct listener, nb);
	int answer = NOTIFY_DONE;

	atomic_inc(&l->inside);
	if (thing == l->thing) {
		atomic_inc(&l->calls);
		answer = l->answer;
	}
	atomic_dec(&l->inside);
	return answer;
}

static void listener_init(struct listener *l, void *thing, int answer)
{
	memset(l, 0, sizeof(*l));
	l->nb.notifier_call = listener_call;
	l->thing = thing;
	l->answer = answer;
}

/* The three events behind one face. */
enum { EVENT_EXIT, EVENT_MUNMAP, EVENT_HANDOFF, NR_EVENTS };

static int event_register(int event, struct notifier_block *nb)
{
	switch (event) {
	case EVENT_EXIT:
		return profile_event_register(PROFILE_TASK_EXIT, nb);
	case EVENT_MUNMAP:
		return profile_event_register(PROFILE_MUNMAP, nb);
	}
	return task_handoff_register(nb);
}

static int event_unregister(int event, struct notifier_block *nb)
{
	switch (event) {
	case EVENT_EXIT:
		return profile_event_unregister(PROFILE_TASK_EXIT, nb);
	case EVENT_MUNMAP:
		return profile_event_unregister(PROFILE_MUNMAP, nb);
	}
	return task_handoff_unregister(nb);
}

static bool event_fire(int event, void *thing)
{
	switch (event) {
	case EVENT_EXIT:
		profile_task_exit(thing);
		return false;
	case EVENT_MUNMAP:
		profile_munmap((unsigned long)thing);
		return false;
	}
	return profile_handoff_task(thing);
}

static const struct profile_event_row {
	const char	*name;
	int		event;
} profile_event_rows[] = {
	{ "task exit",	EVENT_EXIT },
	{ "munmap",	EVENT_MUNMAP },
	{ "handoff",	EVENT_HANDOFF },
};

static void profile_event_describe(const struct profile_event_row *row,
				   char *desc)
{
	strscpy(desc, row->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(profile_event, profile_event_rows, profile_event_describe);

static const struct profile_event_type_row {
	int		type;
	int		err;
} profile_event_type_rows[] = {
	{ PROFILE_TASK_EXIT,	0 },
	{ PROFILE_MUNMAP,	0 },
	{ PROFILE_MUNMAP + 1,	-EINVAL },
	{ -1,			-EINVAL },
	{ INT_MIN,		-EINVAL },
	{ INT_MAX,		-EINVAL },
};

static void profile_event_type_describe(const struct profile_event_type_row *row,
					char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "type %d", row->type);
}

KUNIT_ARRAY_PARAM(profile_event_type, profile_event_type_rows,
		  profile_event_type_describe);

static void event_type(struct kunit *test)
{
	const struct profile_event_type_row *row = test->param_value;
	struct listener l;

	listener_init(&l, fake_things, NOTIFY_OK);
	KUNIT_EXPECT_EQ(test, profile_event_register(row->type, &l.nb), row->err);
	KUNIT_EXPECT_EQ(test, profile_event_unregister(row->type, &l.nb), row->err);
}

/* Each listener hears of its own event alone, and of nothing when it is gone. */
static void event_reaches(struct kunit *test)
{
	const struct profile_event_row *row = test->param_value;
	struct listener l;
	int event;

	listener_init(&l, fake_things, NOTIFY_DONE);
	KUNIT_ASSERT_EQ(test, event_register(row->event, &l.nb), 0);
	for (event = 0; event < NR_EVENTS; event++)
		event_fire(event, fake_things);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.calls), 1);
	KUNIT_EXPECT_EQ(test, event_unregister(row->event, &l.nb), 0);

	for (event = 0; event < NR_EVENTS; event++)
		event_fire(event, fake_things);
	KUNIT_EXPECT_EQ(test, atomic_read(&l.calls), 1);
}

/* What was not registered can't be taken away, nor can it close the sites. */
static void event_unknown(struct kunit *test)
{
	const struct profile_event_row *row = test->param_value;
	struct listener here, nowhere;

	listener_init(&here, fake_things, NOTIFY_DONE);
	listener_init(&nowhere, fake_things, NOTIFY_DONE);
	KUNIT_ASSERT_EQ(test, event_register(row->event, &here.nb), 0);
	KUNIT_EXPECT_EQ(test, event_unregister(row->event, &nowhere.nb), -ENOENT);
	event_fire(row->event, fake_things);
	KUNIT_EXPECT_EQ(test, atomic_read(&here.calls), 1);
	KUNIT_EXPECT_EQ(test, event_unregister(row->event, &here.nb), 0);
	KUNIT_EXPECT_EQ(test, event_unregister(row->event, &here.nb), -ENOENT);
}

/* The call sites are open exactly while somebody listens to any event. */
static void event_sites(struct kunit *test)
{
	struct listener l[NR_EVENTS];
	bool before = static_key_enabled(&profile_event_key);
	int event;

	for (event = 0; event < NR_EVENTS; event++) {
		listener_init(&l[event], fake_things, NOTIFY_DONE);
		KUNIT_EXPECT_EQ(test, event_register(event, &l[event].nb), 0);
		KUNIT_EXPECT_TRUE(test, static_key_enabled(&profile_event_key));
	}
	for (event = 0; event < NR_EVENTS; event++) {
		KUNIT_EXPECT_TRUE(test, static_key_enabled(&profile_event_key));
		KUNIT_EXPECT_EQ(test, event_unregister(event, &l[event].nb), 0);
	}
	KUNIT_EXPECT_EQ(test, static_key_enabled(&profile_event_key), before);
}

static const struct profile_handoff_row {
	const char	*name;
	int		answers[2];	/* of two owners, -1: there is none */
	bool		taken;
	int		calls[2];
} profile_handoff_rows[] = {
	{ "nobody",	{ -1, -1 },				false,	{ 0, 0 } },
	{ "let go",	{ NOTIFY_DONE, -1 },			false,	{ 1, 0 } },
	{ "taken",	{ NOTIFY_OK, -1 },			true,	{ 1, 0 } },
	{ "taken, stop", { NOTIFY_STOP, -1 },			true,	{ 1, 0 } },
	{ "bad",	{ NOTIFY_BAD, -1 },			false,	{ 1, 0 } },
	{ "first",	{ NOTIFY_OK, NOTIFY_DONE },		true,	{ 1, 0 } },
	{ "second",	{ NOTIFY_DONE, NOTIFY_OK },		true,	{ 1, 1 } },
	{ "only one",	{ NOTIFY_OK, NOTIFY_OK },		true,	{ 1, 0 } },
	{ "neither",	{ NOTIFY_DONE, NOTIFY_DONE },		false,	{ 1, 1 } },
};

static void profile_handoff_describe(const struct profile_handoff_row *row,
				     char *desc)
{
	strscpy(desc, row->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(profile_handoff, profile_handoff_rows,
		  profile_handoff_describe);

/* Two owners of one task would free it twice. */
static void handoff_owner(struct kunit *test)
{
	const struct profile_handoff_row *row = test->param_value;
	struct listener l[2];
	int i;

	for (i = 0; i < 2; i++) {
		listener_init(&l[i], fake_things, row->answers[i]);
		l[i].nb.priority = -i;
		if (row->answers[i] >= 0)
			KUNIT_EXPECT_EQ(test, task_handoff_register(&l[i].nb), 0);
	}
	KUNIT_EXPECT_EQ(test, profile_handoff_task((void *)fake_things),
			row->taken);
	KUNIT_EXPECT_FALSE(test, profile_handoff_task((void *)&fake_things[1]));
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, atomic_read(&l[i].calls), row->calls[i]);
		if (row->answers[i] >= 0)
			KUNIT_EXPECT_EQ(test, task_handoff_unregister(&l[i].nb), 0);
	}
}

/* ---- Unregistering while events fire ------------------------------------ */

#define STORM_ROUNDS	200

/**
 * struct storm - threads that fire events without pause
 * @event: which event
 * @thread: the threads
 */
struct storm {
	int		event;
	struct task_struct *thread[2];
};

static int storm_thread(void *data)
{
	struct storm *storm = data;

	while (!kthread_should_stop()) {
		event_fire(storm->event, fake_things);
		cond_resched();
	}
	return 0;
}

static void storm_start(struct kunit *test, struct storm *storm)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(storm->thread); i++) {
		storm->thread[i] = kthread_run(storm_thread, storm,
					       "profile_storm");
		KUNIT_EXPECT_FALSE(test, IS_ERR(storm->thread[i]));
	}
}

static void storm_stop(struct storm *storm)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(storm->thread); i++)
		if (!IS_ERR(storm->thread[i]))
			kthread_stop(storm->thread[i]);
}

/* Each round waits for a call, so that it ends amid calls. */
static void event_unregister_under_fire(struct kunit *test)
{
	const struct profile_event_row *row = test->param_value;
	struct storm storm = { .event = row->event };
	struct listener l;
	int i, calls;

	storm_start(test, &storm);
	for (i = 0; i < STORM_ROUNDS; i++) {
		listener_init(&l, fake_things, NOTIFY_DONE);
		if (event_register(row->event, &l.nb))
			break;
		while (!atomic_read(&l.calls))
			cond_resched();
		if (event_unregister(row->event, &l.nb))
			break;
		calls = atomic_read(&l.calls);
		if (atomic_read(&l.inside))
			break;
		cond_resched();
		if (atomic_read(&l.calls) != calls)
			break;
	}
	KUNIT_EXPECT_EQ(test, i, STORM_ROUNDS);
	storm_stop(&storm);
}

static struct kunit_case profile_event_cases[] = {
	KUNIT_CASE_PARAM(event_type, profile_event_type_gen_params),
	KUNIT_CASE_PARAM(event_reaches, profile_event_gen_params),
	KUNIT_CASE_PARAM(event_unknown, profile_event_gen_params),
	KUNIT_CASE(event_sites),
	KUNIT_CASE_PARAM(handoff_owner, profile_handoff_gen_params),
	KUNIT_CASE_PARAM(event_unregister_under_fire, profile_event_gen_params),
	{ }
};

static struct kunit_suite profile_event_suite = {
	.name = "profile_event",
	.test_cases = profile_event_cases,
};

/* ---- Timer hook --------------------------------------------------------- */

static atomic_t hook_calls;
static struct pt_regs *hook_regs;

static int count_hook(struct pt_regs *regs)
{
	WRITE_ONCE(hook_regs, regs);
	atomic_inc(&hook_calls);
	return 0;
}

static int other_hook(struct pt_regs *regs)
{
	return 0;
}

/* A tick of this CPU alone, with registers of our choice; returns its calls. */
static int fake_tick(struct pt_regs *regs)
{
	struct pt_regs *old;
	unsigned long flags;
	int calls;

	local_irq_save(flags);
	calls = atomic_read(&hook_calls);
	old = set_irq_regs(regs);
	profile_tick(CPU_PROFILING);
	set_irq_regs(old);
	calls = atomic_read(&hook_calls) - calls;
	local_irq_restore(flags);
	return calls;
}

/* Real ticks of other CPUs may call, too: there is at least one call then. */
static void hook_each_tick(struct kunit *test)
{
	struct pt_regs *regs = kunit_kzalloc(test, sizeof(*regs), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, regs);
	KUNIT_EXPECT_EQ(test, fake_tick(regs), 0);
	KUNIT_ASSERT_EQ(test, register_timer_hook(count_hook), 0);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_GE(test, fake_tick(regs), 1);
	unregister_timer_hook(count_hook);
	KUNIT_EXPECT_EQ(test, fake_tick(regs), 0);
}

/* A call without registers would be an oops in the hook. */
static void null_regs(struct kunit *test)
{
	int i;

	fake_tick(NULL);
	KUNIT_ASSERT_EQ(test, register_timer_hook(count_hook), 0);
	for (i = 0; i < 10; i++) {
		fake_tick(NULL);
		KUNIT_EXPECT_FALSE(test, atomic_read(&hook_calls) &&
				   !READ_ONCE(hook_regs));
	}
	unregister_timer_hook(count_hook);
}

static void hook_busy(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, register_timer_hook(count_hook), 0);
	KUNIT_EXPECT_EQ(test, register_timer_hook(other_hook), -EBUSY);
	KUNIT_EXPECT_EQ(test, register_timer_hook(count_hook), -EBUSY);
	unregister_timer_hook(count_hook);
	KUNIT_EXPECT_EQ(test, register_timer_hook(other_hook), 0);
	unregister_timer_hook(other_hook);
}

/* Each round sees a call by a tick of this machine, and none later. */
static void hook_unregister_under_ticks(struct kunit *test)
{
	int i, calls;

	for (i = 0; i < 20; i++) {
		calls = atomic_read(&hook_calls);
		KUNIT_ASSERT_EQ(test, register_timer_hook(count_hook), 0);
		while (atomic_read(&hook_calls) == calls)
			cond_resched();
		unregister_timer_hook(count_hook);
		calls = atomic_read(&hook_calls);
		schedule_timeout_uninterruptible(2);
		KUNIT_EXPECT_EQ(test, atomic_read(&hook_calls), calls);
	}
}

/* ---- Sampling timer ----------------------------------------------------- */

#define PRIVATE_START	((unsigned long)PAGE_SIZE)
#define PRIVATE_BYTES	PAGE_SIZE

static struct profile *private_profiler(int mode)
{
	struct profile_options opt = { .mode = mode, .shift = 4 };

	return profile_create(&opt, PRIVATE_START, PRIVATE_BYTES);
}

static const struct profile_multiplier_row {
	int		multiplier;
	bool		valid;
} profile_multiplier_rows[] = {
	{ INT_MIN, false }, { -1, false }, { 0, false },
	{ 1, true }, { 2, true }, { 3, true }, { 10, true },
	{ 100000 / HZ - 1, true }, { 100000 / HZ, true },
	{ 100000 / HZ + 1, false }, { 100001, false },
	{ 0x0a333231, false },		/* echo 123 */
	{ INT_MAX, false },
};

static void profile_multiplier_describe(const struct profile_multiplier_row *row,
					char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "multiplier %d", row->multiplier);
}

KUNIT_ARRAY_PARAM(profile_multiplier, profile_multiplier_rows,
		  profile_multiplier_describe);

/* HZ * N samples a second, to the nanosecond that a period may lack. */
static void multiplier(struct kunit *test)
{
	const struct profile_multiplier_row *row = test->param_value;
	u32 period;

	KUNIT_EXPECT_EQ(test, profile_multiplier_valid(row->multiplier),
			row->valid);
	if (!row->valid || row->multiplier == 1)
		return;
	period = profile_multiplier_period(row->multiplier);
	KUNIT_EXPECT_LE(test, (u64)period * HZ * row->multiplier,
			(u64)NSEC_PER_SEC);
	KUNIT_EXPECT_GT(test, ((u64)period + 1) * HZ * row->multiplier,
			(u64)NSEC_PER_SEC);
}

static void multiplier_of_tick(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, profile_multiplier_period(1), 0);
}

static void multiplier_refused(struct kunit *test)
{
	static const int modes[] = {
		SCHED_PROFILING, SLEEP_PROFILING, KVM_PROFILING,
	};
	const struct profile_multiplier_row *row;
	struct profile *prof;
	int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		prof = private_profiler(modes[i]);
		KUNIT_ASSERT_FALSE(test, IS_ERR(prof));
		KUNIT_EXPECT_EQ(test, profile_multiply(prof, 2), -EINVAL);
		KUNIT_EXPECT_EQ(test, profile_multiply(prof, 1), -EINVAL);
		profile_destroy(prof);
	}
	prof = private_profiler(CPU_PROFILING);
	KUNIT_ASSERT_FALSE(test, IS_ERR(prof));
	for (i = 0; i < ARRAY_SIZE(profile_multiplier_rows); i++) {
		row = &profile_multiplier_rows[i];
		if (!row->valid)
			KUNIT_EXPECT_EQ(test, profile_multiply(prof, row->multiplier),
					-EINVAL);
		KUNIT_EXPECT_EQ(test, prof->period, 0);
	}
	profile_destroy(prof);
}

#define SAMPLES		4096
#define SAMPLE_PERIOD	100000
#define SAMPLE_BINS	16

static void sampler_init(struct profile_sampler *sampler, unsigned int cpu)
{
	memset(sampler, 0, sizeof(*sampler));
	sampler->period = SAMPLE_PERIOD;
	sampler->phase = cpu * GOLDEN_RATIO_32;
	sampler->start = NSEC_PER_SEC;
}

/* One sample in each period, and all places of a period alike. */
static void sampler_rate(struct kunit *test)
{
	struct profile_sampler sampler;
	int i, bin[SAMPLE_BINS] = { };
	ktime_t now, start;

	sampler_init(&sampler, 3);
	start = sampler.start;
	now = start;
	for (i = 1; i <= SAMPLES; i++) {
		now = profile_sampler_next(&sampler, now);
		KUNIT_ASSERT_GE(test, now, start + (s64)i * SAMPLE_PERIOD);
		KUNIT_ASSERT_LT(test, now, start + (s64)(i + 1) * SAMPLE_PERIOD);
		bin[(now - start - (s64)i * SAMPLE_PERIOD) * SAMPLE_BINS /
		    SAMPLE_PERIOD]++;
	}
	for (i = 0; i < SAMPLE_BINS; i++) {
		KUNIT_EXPECT_GE(test, bin[i], SAMPLES / SAMPLE_BINS - 8);
		KUNIT_EXPECT_LE(test, bin[i], SAMPLES / SAMPLE_BINS + 8);
	}
}

/* CPUs that start at the same time do not fire at the same time. */
static void sampler_apart(struct kunit *test)
{
	struct profile_sampler sampler[8];
	ktime_t at[8];
	int i, j, n;

	for (i = 0; i < ARRAY_SIZE(sampler); i++)
		sampler_init(&sampler[i], i);
	for (n = 0; n < 100; n++)
		for (i = 0; i < ARRAY_SIZE(sampler); i++) {
			at[i] = profile_sampler_next(&sampler[i],
						     sampler[i].start);
			for (j = 0; j < i; j++)
				KUNIT_ASSERT_GT(test, abs(at[i] - at[j]),
						SAMPLE_PERIOD / 50);
		}
}

/* Periods that nobody was there for are not made up for. */
static void sampler_late(struct kunit *test)
{
	struct profile_sampler sampler;
	ktime_t now, next;
	int periods;

	for (periods = 0; periods < 1000; periods++) {
		sampler_init(&sampler, periods);
		now = sampler.start + periods * (SAMPLE_PERIOD / 3);
		next = profile_sampler_next(&sampler, now);
		KUNIT_ASSERT_GT(test, next, now - SAMPLE_PERIOD);
		KUNIT_ASSERT_LT(test, next, now + 2 * SAMPLE_PERIOD);
	}
}

static u64 private_hits(struct profile *prof)
{
	u64 sum = 0;
	u32 slot;

	profile_flush(prof);
	for (slot = 0; slot <= prof->buffer.last; slot++)
		sum += atomic_read(&prof->buffer.hits[slot]);
	return sum;
}

static int private_timers(struct profile *prof)
{
	int cpu, n = 0;

	for_each_possible_cpu(cpu)
		n += hrtimer_active(&per_cpu_ptr(prof->cpus, cpu)->sampler.timer);
	return n;
}

/* This loop is in the kernel, and so each sample of this CPU is a hit. */
static void sampler_fires(struct kunit *test)
{
	struct profile *prof = private_profiler(CPU_PROFILING);
	unsigned long end = jiffies + 60 * HZ;
	u64 hits;
	int cpu;

	KUNIT_ASSERT_FALSE(test, IS_ERR(prof));
	if (hrtimer_resolution > NSEC_PER_SEC / HZ / 4) {
		KUNIT_EXPECT_EQ(test, profile_multiply(prof, 4), -EINVAL);
		profile_destroy(prof);
		kunit_skip(test, "no high-resolution timers");
	}
	for_each_possible_cpu(cpu)
		profile_cpu_prepare(prof, cpu);
	KUNIT_EXPECT_EQ(test, profile_multiply(prof, 4), 0);
	KUNIT_EXPECT_EQ(test, private_timers(prof), num_online_cpus());
	while (private_hits(prof) < 50 && time_before(jiffies, end))
		cond_resched();
	KUNIT_EXPECT_EQ(test, profile_multiply(prof, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, private_timers(prof), num_online_cpus());
	KUNIT_EXPECT_EQ(test, profile_multiply(prof, 1), 0);
	KUNIT_EXPECT_EQ(test, private_timers(prof), 0);
	hits = private_hits(prof);
	KUNIT_EXPECT_GE(test, hits, 50);
	schedule_timeout_uninterruptible(2);
	KUNIT_EXPECT_EQ(test, private_hits(prof), hits);
	profile_destroy(prof);
}

/* Muted CPUs are sampled and not counted. */
static void sampler_heeds_mask(struct kunit *test)
{
	struct profile *prof = private_profiler(CPU_PROFILING);
	unsigned long end;

	KUNIT_ASSERT_FALSE(test, IS_ERR(prof));
	KUNIT_EXPECT_EQ(test, profile_mask_store(prof, "0", 1), 0);
	if (!profile_multiply(prof, 4)) {
		for (end = jiffies + 5; time_before(jiffies, end);)
			cond_resched();
		KUNIT_EXPECT_EQ(test, private_hits(prof), 0);
		KUNIT_EXPECT_EQ(test, profile_multiply(prof, 1), 0);
	}
	profile_destroy(prof);
}

static struct kunit_case profile_timer_cases[] = {
	KUNIT_CASE(hook_each_tick),
	KUNIT_CASE(null_regs),
	KUNIT_CASE(hook_busy),
	KUNIT_CASE(hook_unregister_under_ticks),
	KUNIT_CASE_PARAM(multiplier, profile_multiplier_gen_params),
	KUNIT_CASE(multiplier_of_tick),
	KUNIT_CASE(multiplier_refused),
	KUNIT_CASE(sampler_rate),
	KUNIT_CASE(sampler_apart),
	KUNIT_CASE(sampler_late),
	KUNIT_CASE(sampler_fires),
	KUNIT_CASE(sampler_heeds_mask),
	{ }
};

static struct kunit_suite profile_timer_suite = {
	.name = "profile_timer",
	.test_cases = profile_timer_cases,
};

kunit_test_suites(&profile_event_suite, &profile_timer_suite);
