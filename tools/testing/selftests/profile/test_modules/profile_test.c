// SPDX-License-Identifier: GPL-2.0-only
/*
 * For the guest tests of the kernel profiler: something to register with it.
 *
 * All is done by way of /sys/module/profile_test/parameters:
 *
 *	register, unregister	write a name of the tables below; the error
 *				code is the kernel's answer
 *	do			write the name of an action
 *	watch			events of tasks of this name (comm) count
 *	keep			whether handed-off tasks are kept
 *	linger			microseconds that each call takes longer
 *	events, ticks		the counts
 */

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/profile.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>

static char watch[TASK_COMM_LEN];
module_param_string(watch, watch, sizeof(watch), 0644);

static bool keep;
module_param(keep, bool, 0644);

static unsigned int linger;
module_param(linger, uint, 0644);

static unsigned int hz = HZ;
module_param(hz, uint, 0444);

static bool watched(const struct task_struct *task)
{
	return !strncmp(task->comm, watch, TASK_COMM_LEN);
}

/* ---- Events ------------------------------------------------------------- */

/**
 * struct event - something to be told of
 * @name: as user space calls it
 * @nb: what is registered
 * @attach: registers it
 * @detach: unregisters it
 * @open: it is registered, and not by way of a failed test
 * @calls: of watched tasks
 * @wrong: calls that are not as they should be
 * @late: calls that were not over when the unregistration was
 * @sum: of all addresses, of munmaps alone
 */
struct event {
	const char		*name;
	struct notifier_block	nb;
	int			(*attach)(struct notifier_block *nb);
	int			(*detach)(struct notifier_block *nb);
	bool			open;
	atomic_t		calls;
	atomic_t		wrong;
	atomic_t		late;
	atomic_long_t		sum;
};

static void event_called(struct event *event, struct task_struct *task,
			 bool right)
{
	if (!right)
		atomic_inc(&event->wrong);
	if (watched(task))
		atomic_inc(&event->calls);
	udelay(linger);
	if (!READ_ONCE(event->open))
		atomic_inc(&event->late);
}

static int exit_call(struct notifier_block *nb, unsigned long zero, void *data)
{
	might_sleep();
	event_called(container_of(nb, struct event, nb), data,
		     data == current && !(current->flags & PF_EXITING));
	return NOTIFY_DONE;
}

static int munmap_call(struct notifier_block *nb, unsigned long zero,
		       void *data)
{
	struct event *event = container_of(nb, struct event, nb);

	might_sleep();
	if (watched(current))
		atomic_long_add((unsigned long)data, &event->sum);
	event_called(event, current, true);
	return NOTIFY_DONE;
}

/* Tasks that were taken over, in the order of their end. */
static LIST_HEAD(kept);
static DEFINE_SPINLOCK(kept_lock);
static atomic_t nr_kept, nr_freed;

/* What is left of a task no longer needs the list of its siblings. */
static void keep_task(struct task_struct *task)
{
	unsigned long flags;

	spin_lock_irqsave(&kept_lock, flags);
	list_add_tail(&task->sibling, &kept);
	spin_unlock_irqrestore(&kept_lock, flags);
	atomic_inc(&nr_kept);
}

static int handoff_call(struct notifier_block *nb, unsigned long zero,
			void *data)
{
	struct task_struct *task = data;
	bool take = READ_ONCE(keep) && watched(task);

	event_called(container_of(nb, struct event, nb), task,
		     task->exit_state && !refcount_read(&task->usage));
	if (take)
		keep_task(task);
	return take ? NOTIFY_OK : NOTIFY_DONE;
}

static void free_kept(void)
{
	struct task_struct *task, *next;
	LIST_HEAD(list);

	spin_lock_irq(&kept_lock);
	list_splice_init(&kept, &list);
	spin_unlock_irq(&kept_lock);
	list_for_each_entry_safe(task, next, &list, sibling) {
		free_task(task);
		atomic_inc(&nr_freed);
	}
}

static int exit_attach(struct notifier_block *nb)
{
	return profile_event_register(PROFILE_TASK_EXIT, nb);
}

static int exit_detach(struct notifier_block *nb)
{
	return profile_event_unregister(PROFILE_TASK_EXIT, nb);
}

static int munmap_attach(struct notifier_block *nb)
{
	return profile_event_register(PROFILE_MUNMAP, nb);
}

static int munmap_detach(struct notifier_block *nb)
{
	return profile_event_unregister(PROFILE_MUNMAP, nb);
}

static int unknown_attach(struct notifier_block *nb)
{
	return profile_event_register(PROFILE_MUNMAP + 1, nb);
}

static int unknown_detach(struct notifier_block *nb)
{
	return profile_event_unregister(PROFILE_MUNMAP + 1, nb);
}

static int negative_attach(struct notifier_block *nb)
{
	return profile_event_register(-1, nb);
}

static int negative_detach(struct notifier_block *nb)
{
	return profile_event_unregister(-1, nb);
}

static struct event events[] = {
	{
		.name	= "exit",
		.nb	= { .notifier_call = exit_call },
		.attach	= exit_attach,
		.detach	= exit_detach,
	}, {
		.name	= "munmap",
		.nb	= { .notifier_call = munmap_call },
		.attach	= munmap_attach,
		.detach	= munmap_detach,
	}, {
		.name	= "handoff",
		.nb	= { .notifier_call = handoff_call },
		.attach	= task_handoff_register,
		.detach	= task_handoff_unregister,
	}, {
		.name	= "unknown",
		.nb	= { .notifier_call = munmap_call },
		.attach	= unknown_attach,
		.detach	= unknown_detach,
	}, {
		.name	= "negative",
		.nb	= { .notifier_call = munmap_call },
		.attach	= negative_attach,
		.detach	= negative_detach,
	},
};

static int event_register(struct event *event)
{
	bool was_open = event->open;
	int err;

	WRITE_ONCE(event->open, true);
	err = event->attach(&event->nb);
	if (err)
		WRITE_ONCE(event->open, was_open);
	return err;
}

static int event_unregister(struct event *event)
{
	int err = event->detach(&event->nb);

	if (!err)
		WRITE_ONCE(event->open, false);
	return err;
}

/* ---- Timer hook --------------------------------------------------------- */

struct ticks {
	unsigned long	user;
	unsigned long	kernel;
};

/* Written by their own CPU, in the hook. */
static DEFINE_PER_CPU(struct ticks, ticks);

static bool hook_open;
static atomic_t hook_wrong, hook_late;

static int hook(struct pt_regs *regs)
{
	struct ticks *mine = this_cpu_ptr(&ticks);

	if (!regs || !irqs_disabled() || !in_hardirq())
		atomic_inc(&hook_wrong);
	else if (user_mode(regs))
		WRITE_ONCE(mine->user, mine->user + 1);
	else
		WRITE_ONCE(mine->kernel, mine->kernel + 1);
	udelay(linger);
	if (!READ_ONCE(hook_open))
		atomic_inc(&hook_late);
	return 0;
}

/* Never to be called: the place is taken, or it was never registered. */
static int other_hook(struct pt_regs *regs)
{
	atomic_inc(&hook_wrong);
	return 0;
}

static int hook_register(void)
{
	bool was_open = hook_open;
	int err;

	WRITE_ONCE(hook_open, true);
	err = register_timer_hook(hook);
	if (err)
		WRITE_ONCE(hook_open, was_open);
	return err;
}

/* Only if it is registered; what else happens is what "other" is for. */
static int hook_unregister(void)
{
	if (!hook_open)
		return -ENOENT;
	unregister_timer_hook(hook);
	WRITE_ONCE(hook_open, false);
	return 0;
}

static int other_register(void)
{
	return register_timer_hook(other_hook);
}

static int other_unregister(void)
{
	unregister_timer_hook(other_hook);
	return 0;
}

static const struct timer {
	const char *name;
	int (*attach)(void);
	int (*detach)(void);
} timers[] = {
	{ "hook", hook_register, hook_unregister },
	{ "other_hook", other_register, other_unregister },
};

/* ---- Faults for sanitizers to find -------------------------------------- */

static int read_behind_the_end(void)
{
	char *mem = kmalloc(8, GFP_KERNEL);
	size_t size = 8;

	if (!mem)
		return -ENOMEM;
	OPTIMIZER_HIDE_VAR(size);
	mem[0] = READ_ONCE(mem[size]);
	kfree(mem);
	return 0;
}

static DEFINE_MUTEX(fault_a);
static DEFINE_MUTEX(fault_b);

static int lock_in_both_orders(void)
{
	mutex_lock(&fault_a);
	mutex_lock(&fault_b);
	mutex_unlock(&fault_b);
	mutex_unlock(&fault_a);
	mutex_lock(&fault_b);
	mutex_lock(&fault_a);
	mutex_unlock(&fault_a);
	mutex_unlock(&fault_b);
	return 0;
}

static int sleep_while_atomic(void)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
	return 0;
}

/* The pointer is overwritten: the first ones of a few are surely lost. */
static int lose_memory(void)
{
	static void *mem;
	int i;

	for (i = 0; i < 8; i++)
		mem = kmalloc(1000, GFP_KERNEL);
	kfree(mem);
	mem = NULL;
	return 0;
}

static void timer_is_late(struct timer_list *timer)
{
}

static int free_an_active_timer(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return -ENOMEM;
	timer_setup(timer, timer_is_late, 0);
	timer->expires = jiffies + 3600 * HZ;
	add_timer(timer);
	kfree(timer);
	return 0;
}

static int shift_too_far(void)
{
	unsigned int bits = 8 * sizeof(int), value = 1;

	OPTIMIZER_HIDE_VAR(bits);
	value <<= bits;
	OPTIMIZER_HIDE_VAR(value);
	return 0;
}

static int raced_for;

static void race(void *unused)
{
	int i;

	for (i = 0; i < 100000; i++) {
		raced_for++;
		barrier();
	}
}

static int race_on_all_cpus(void)
{
	on_each_cpu(race, NULL, 1);
	return 0;
}

/* ---- Actions ------------------------------------------------------------ */

/* Every task whose last user let go of it by RCU has been through handoff. */
static int settle(void)
{
	rcu_barrier();
	return 0;
}

static int free_tasks(void)
{
	free_kept();
	return 0;
}

static int clear(void)
{
	struct event *event;
	int cpu;

	for (event = events; event < events + ARRAY_SIZE(events); event++) {
		atomic_set(&event->calls, 0);
		atomic_set(&event->wrong, 0);
		atomic_set(&event->late, 0);
		atomic_long_set(&event->sum, 0);
	}
	atomic_set(&nr_kept, 0);
	atomic_set(&nr_freed, 0);
	atomic_set(&hook_wrong, 0);
	atomic_set(&hook_late, 0);
	for_each_possible_cpu(cpu)
		if (!hook_open)
			memset(per_cpu_ptr(&ticks, cpu), 0, sizeof(ticks));
	return 0;
}

static const struct action {
	const char *name;
	int (*run)(void);
} actions[] = {
	{ "clear", clear },
	{ "settle", settle },
	{ "free", free_tasks },
	{ "read_behind_the_end", read_behind_the_end },
	{ "lock_in_both_orders", lock_in_both_orders },
	{ "sleep_while_atomic", sleep_while_atomic },
	{ "lose_memory", lose_memory },
	{ "free_an_active_timer", free_an_active_timer },
	{ "shift_too_far", shift_too_far },
	{ "race_on_all_cpus", race_on_all_cpus },
};

/* ---- Parameters --------------------------------------------------------- */

static int change(const char *name, bool on)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (sysfs_streq(events[i].name, name))
			return on ? event_register(&events[i]) :
				    event_unregister(&events[i]);
	for (i = 0; i < ARRAY_SIZE(timers); i++)
		if (sysfs_streq(timers[i].name, name))
			return on ? timers[i].attach() : timers[i].detach();
	return -ENXIO;
}

static int register_set(const char *text, const struct kernel_param *kp)
{
	return change(text, true);
}

static int unregister_set(const char *text, const struct kernel_param *kp)
{
	return change(text, false);
}

static int do_set(const char *text, const struct kernel_param *kp)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(actions); i++)
		if (sysfs_streq(actions[i].name, text))
			return actions[i].run();
	return -ENXIO;
}

static const struct kernel_param_ops register_ops = { .set = register_set };
static const struct kernel_param_ops unregister_ops = { .set = unregister_set };
static const struct kernel_param_ops do_ops = { .set = do_set };

module_param_cb(register, &register_ops, NULL, 0200);
module_param_cb(unregister, &unregister_ops, NULL, 0200);
module_param_cb(do, &do_ops, NULL, 0200);

/* A line for each event: name, calls, wrong, late, sum; then kept and freed. */
static int events_get(char *buf, const struct kernel_param *kp)
{
	struct event *event;
	int n = 0;

	for (event = events; event < events + ARRAY_SIZE(events); event++)
		n += scnprintf(buf + n, PAGE_SIZE - n, "%s %d %d %d %lu\n",
			       event->name, atomic_read(&event->calls),
			       atomic_read(&event->wrong),
			       atomic_read(&event->late),
			       atomic_long_read(&event->sum));
	n += scnprintf(buf + n, PAGE_SIZE - n, "tasks %d %d 0 0\n",
		       atomic_read(&nr_kept), atomic_read(&nr_freed));
	return n;
}

/* A line for each CPU: number, user, kernel; then what was wrong and late. */
static int ticks_get(char *buf, const struct kernel_param *kp)
{
	int cpu, n = 0;

	for_each_possible_cpu(cpu)
		n += scnprintf(buf + n, PAGE_SIZE - n, "%d %lu %lu\n", cpu,
			       READ_ONCE(per_cpu(ticks, cpu).user),
			       READ_ONCE(per_cpu(ticks, cpu).kernel));
	n += scnprintf(buf + n, PAGE_SIZE - n, "-1 %d %d\n",
		       atomic_read(&hook_wrong), atomic_read(&hook_late));
	return n;
}

static const struct kernel_param_ops events_ops = { .get = events_get };
static const struct kernel_param_ops ticks_ops = { .get = ticks_get };

module_param_cb(events, &events_ops, NULL, 0400);
module_param_cb(ticks, &ticks_ops, NULL, 0400);

/* ---- Module ------------------------------------------------------------- */

static int __init profile_test_init(void)
{
	return 0;
}
module_init(profile_test_init);

static void __exit profile_test_exit(void)
{
	struct event *event;

	for (event = events; event < events + ARRAY_SIZE(events); event++)
		if (event->open)
			event_unregister(event);
	hook_unregister();
	free_kept();
}
module_exit(profile_test_exit);

MODULE_DESCRIPTION("Registers with the kernel profiler for its tests");
MODULE_LICENSE("GPL");
