// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records what the profiler is given: for each CPU, in order, the offsets from
 * _stext that ticks (kind=1) or schedule() (kind=2) charge.
 *
 * /proc/profile_record is one array of 32-bit words after the other, in order of
 * the CPUs. A read waits until all of them are full.
 */

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/profile.h>
#include <linux/ptrace.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

static unsigned int kind = CPU_PROFILING;
module_param(kind, uint, 0400);

static unsigned int samples = 10000;
module_param(samples, uint, 0400);

static unsigned long stext;
module_param(stext, ulong, 0400);

static u32 *record;
static DEFINE_PER_CPU(unsigned int, filled);

/* Interrupts are off. */
static void take(unsigned long pc)
{
	unsigned int i = __this_cpu_read(filled);

	if (i < samples) {
		record[smp_processor_id() * samples + i] = pc - stext;
		WRITE_ONCE(*this_cpu_ptr(&filled), i + 1);
	}
}

static int take_tick(struct pt_regs *regs)
{
	if (!user_mode(regs))
		take(profile_pc(regs));
	return 0;
}

static int take_hit(struct kprobe *probe, struct pt_regs *regs)
{
	if (regs_get_kernel_argument(regs, 0) == kind)
		take(regs_get_kernel_argument(regs, 1));
	return 0;
}

static struct kprobe hits_probe = {
	.symbol_name = "profile_hits",
	.pre_handler = take_hit,
};

static bool full(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (READ_ONCE(*per_cpu_ptr(&filled, cpu)) < samples)
			return false;
	return true;
}

static ssize_t record_read(struct file *file, char __user *buf, size_t count,
			   loff_t *pos)
{
	while (!full())
		if (msleep_interruptible(100))
			return -EINTR;
	return simple_read_from_buffer(buf, count, pos, record,
				       num_online_cpus() * samples * sizeof(*record));
}

static const struct proc_ops record_ops = {
	.proc_read	= record_read,
	.proc_lseek	= default_llseek,
};

static int start(void)
{
	if (kind == CPU_PROFILING)
		return register_timer_hook(take_tick);
	return register_kprobe(&hits_probe);
}

static void stop(void)
{
	if (kind == CPU_PROFILING)
		unregister_timer_hook(take_tick);
	else
		unregister_kprobe(&hits_probe);
}

static int __init recorder_init(void)
{
	int err;

	record = vzalloc(nr_cpu_ids * samples * sizeof(*record));
	if (!record)
		return -ENOMEM;
	err = start();
	if (err)
		goto fail;
	err = -ENOMEM;
	if (proc_create("profile_record", 0400, NULL, &record_ops))
		return 0;
	stop();
fail:
	vfree(record);
	return err;
}
module_init(recorder_init);

static void __exit recorder_exit(void)
{
	remove_proc_entry("profile_record", NULL);
	stop();
	vfree(record);
}
module_exit(recorder_exit);

MODULE_DESCRIPTION("Recorder of what the kernel profiler is given");
MODULE_LICENSE("GPL");
