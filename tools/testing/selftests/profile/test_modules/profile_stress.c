// SPDX-License-Identifier: GPL-2.0-only
/*
 * For the stress test of the kernel profiler: hits on every CPU at once, each
 * of them known beforehand.
 *
 * A round of a CPU is one burst of hits from its thread, one from a softirq and
 * one from a hard interrupt, each for all modes. They fall into a piece of text
 * that nobody runs. By way of /sys/module/profile_stress/parameters:
 *
 *	from, bytes	the piece of text
 *	running		whether rounds begin; once a 0 is written, none is on
 *	rounds		a line for each CPU: its number, rounds it has finished
 */

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/profile.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/smpboot.h>

#include "profile_stress.h"

static unsigned long from;
module_param(from, ulong, 0600);

static unsigned int bytes;
module_param(bytes, uint, 0600);

/**
 * struct injector - who gives the hits of a CPU
 * @thread: of that CPU, parked while it is offline
 * @softirq: gives a burst
 * @hardirq: gives a burst
 * @done: the softirq has
 * @cpu: which one
 * @rounds: finished ones; only the thread writes it
 */
struct injector {
	struct task_struct	*thread;
	struct tasklet_struct	softirq;
	struct irq_work		hardirq;
	struct completion	done;
	unsigned int		cpu;
	u32			rounds;
};

static DEFINE_PER_CPU(struct injector, injectors);

/* A round holds it as a reader, so its writer sees no round half done. */
static DECLARE_RWSEM(gate);
static bool running;

static void burst(const struct injector *inj, unsigned int context)
{
	u32 number = inj->rounds * STRESS_BURST, end = number + STRESS_BURST;
	struct stress_hit hit;
	int mode;

	for (; number != end; number++) {
		hit = stress_hit(inj->cpu, context, number, bytes);
		for (mode = CPU_PROFILING; mode <= KVM_PROFILING; mode++)
			profile_hits(mode, (void *)(from + hit.offset),
				     hit.count);
	}
}

static void softirq_burst(struct tasklet_struct *softirq)
{
	struct injector *inj = container_of(softirq, struct injector, softirq);

	burst(inj, STRESS_SOFTIRQ);
	complete(&inj->done);
}

static void hardirq_burst(struct irq_work *hardirq)
{
	burst(container_of(hardirq, struct injector, hardirq), STRESS_HARDIRQ);
}

static int round_due(unsigned int cpu)
{
	return READ_ONCE(running);
}

/* The interrupts fall into the thread's burst when they do. */
static void do_round(unsigned int cpu)
{
	struct injector *inj = per_cpu_ptr(&injectors, cpu);

	down_read(&gate);
	if (running) {
		tasklet_schedule(&inj->softirq);
		irq_work_queue(&inj->hardirq);
		burst(inj, STRESS_THREAD);
		irq_work_sync(&inj->hardirq);
		wait_for_completion(&inj->done);
		WRITE_ONCE(inj->rounds, inj->rounds + 1);
	}
	up_read(&gate);
	cond_resched();
}

static struct smp_hotplug_thread threads = {
	.store			= &injectors.thread,
	.thread_should_run	= round_due,
	.thread_fn		= do_round,
	.thread_comm		= "profile_stress/%u",
};

/* ---- Parameters --------------------------------------------------------- */

static void wake_all(void)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		wake_up_process(per_cpu(injectors, cpu).thread);
	cpus_read_unlock();
}

static int running_set(const char *text, const struct kernel_param *kp)
{
	bool on;
	int err = kstrtobool(text, &on);

	if (err)
		return err;
	if (on && !bytes)
		return -EINVAL;
	down_write(&gate);
	WRITE_ONCE(running, on);
	up_write(&gate);
	if (on)
		wake_all();
	return 0;
}

static int rounds_get(char *buf, const struct kernel_param *kp)
{
	int cpu, n = 0;

	for_each_possible_cpu(cpu)
		n += scnprintf(buf + n, PAGE_SIZE - n, "%d %u\n", cpu,
			       READ_ONCE(per_cpu(injectors, cpu).rounds));
	return n;
}

static const struct kernel_param_ops running_ops = { .set = running_set };
static const struct kernel_param_ops rounds_ops = { .get = rounds_get };

module_param_cb(running, &running_ops, NULL, 0200);
module_param_cb(rounds, &rounds_ops, NULL, 0400);

/* ---- Module ------------------------------------------------------------- */

static int __init profile_stress_init(void)
{
	struct injector *inj;
	int cpu;

	for_each_possible_cpu(cpu) {
		inj = per_cpu_ptr(&injectors, cpu);
		inj->cpu = cpu;
		tasklet_setup(&inj->softirq, softirq_burst);
		inj->hardirq = IRQ_WORK_INIT_HARD(hardirq_burst);
		init_completion(&inj->done);
	}
	return smpboot_register_percpu_thread(&threads);
}
module_init(profile_stress_init);

static void __exit profile_stress_exit(void)
{
	smpboot_unregister_percpu_thread(&threads);
}
module_exit(profile_stress_exit);

MODULE_DESCRIPTION("Gives the kernel profiler hits that are known beforehand");
MODULE_LICENSE("GPL");
