// SPDX-License-Identifier: GPL-2.0-only
/*
 * For measurements of the kernel profiler: what a call of profile_hits() costs.
 * It asks nothing of the profiler but that it counts ticks, so that those of
 * other kernels can be measured, too.
 *
 * All is done by way of /sys/module/profile_bench/parameters:
 *
 *	run	write the name of a pattern, "tick" or "process" before it; the
 *		calls are made before the write returns
 *	mean	cycles of a call, in hundredths, the loop around it not included
 *	longest	cycles of the longest call, the two looks at the clock included
 *	code	write an address of kernel text, read the eight bytes there
 *
 * Where each instruction takes one cycle, as in a guest that counts them,
 * cycles are instructions.
 */

#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/prandom.h>
#include <linux/profile.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/timex.h>
#include <linux/vmalloc.h>

#define CALLS		100000
#define BATCH		100	/* calls between two looks at the clock */
#define STEP		4	/* bytes of a slot, shift 2 */

static unsigned int mean;
module_param(mean, uint, 0444);

static unsigned int longest;
module_param(longest, uint, 0444);

static DEFINE_MUTEX(lock);

/* ---- Patterns ----------------------------------------------------------- */

/* Offsets of some slots, in slots; addresses that each call is given. */
static u32 slots[4096];
static unsigned long ips[CALLS];

static void slots_in_a_row(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		slots[i] = i;
}

/* Distinct ones, from wherever they may be. */
static void slots_anywhere(unsigned int n)
{
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < n; i++)
		slots[i] = i * 64 + prandom_u32_state(&rnd) % 64;
}

/* In a hash of 64 groups: those that share one. */
static void slots_of_a_product(unsigned int n)
{
	unsigned int i;
	u32 slot = 0;

	for (i = 0; i < n; slot++)
		if (!hash_32(slot, 6))
			slots[i++] = slot;
}

static void slots_of_low_bits(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		slots[i] = i * 64;
}

/* Every one as often as the others. */
static u32 pick_evenly(struct rnd_state *rnd, unsigned int n)
{
	return prandom_u32_state(rnd) % n;
}

/* Each half of the slots as often as the other one, and so on: few are hot. */
static u32 pick_skewed(struct rnd_state *rnd, unsigned int n)
{
	u64 square = (u64)pick_evenly(rnd, n) * pick_evenly(rnd, n);

	return div_u64(square * pick_evenly(rnd, n), n * n);
}

static const struct pattern {
	const char	*name;
	unsigned int	n;
	void		(*slots)(unsigned int n);
	u32		(*pick)(struct rnd_state *rnd, unsigned int n);
} patterns[] = {
	{ "1",			1,	slots_anywhere,		pick_evenly },
	{ "16",			16,	slots_anywhere,		pick_evenly },
	{ "64",			64,	slots_anywhere,		pick_evenly },
	{ "400",		400,	slots_anywhere,		pick_evenly },
	{ "400-in-a-row",	400,	slots_in_a_row,		pick_evenly },
	{ "1000-skewed",	1000,	slots_anywhere,		pick_skewed },
	{ "4096",		4096,	slots_in_a_row,		pick_evenly },
	{ "one-group",		64,	slots_of_a_product,	pick_evenly },
	{ "one-group-low",	64,	slots_of_low_bits,	pick_evenly },
};

/* Wherever the module was loaded, a built-in function is near to others. */
static void prepare(const struct pattern *p)
{
	unsigned long text = (unsigned long)profile_hits & PAGE_MASK;
	struct rnd_state rnd;
	unsigned int i;

	p->slots(p->n);
	prandom_seed_state(&rnd, 2);
	for (i = 0; i < CALLS; i++)
		ips[i] = text + slots[p->pick(&rnd, p->n)] * STEP;
}

/* ---- Measurements ------------------------------------------------------- */

/* What a batch takes besides its calls. */
static noinline u64 time_loop(const unsigned long *ip)
{
	const unsigned long *end = ip + BATCH;
	u64 start = get_cycles();

	for (; ip < end; ip++)
		OPTIMIZER_HIDE_VAR(ip);
	return get_cycles() - start;
}

static noinline u64 time_batch(const unsigned long *ip)
{
	const unsigned long *end = ip + BATCH;
	u64 start = get_cycles();

	for (; ip < end; ip++)
		profile_hits(CPU_PROFILING, (void *)*ip, 1);
	return get_cycles() - start;
}

static noinline u64 time_longest(const unsigned long *ip)
{
	const unsigned long *end = ip + BATCH;
	u64 start, worst = 0;

	for (; ip < end; ip++) {
		start = get_cycles();
		profile_hits(CPU_PROFILING, (void *)*ip, 1);
		worst = max(worst, get_cycles() - start);
	}
	return worst;
}

/* One batch; U64_MAX if the tick came in between. */
static u64 measure(u64 (*time)(const unsigned long *ip),
		   const unsigned long *ip, bool irqs_off)
{
	unsigned long flags;
	u64 before = get_jiffies_64();
	u64 cycles;

	if (irqs_off) {
		local_irq_save(flags);
		cycles = time(ip);
		local_irq_restore(flags);
		return cycles;
	}
	cycles = time(ip);
	return time_after64(get_jiffies_64(), before) ? U64_MAX : cycles;
}

static void run_pattern(const struct pattern *p, bool irqs_off)
{
	u64 loop = time_loop(ips), sum = 0, worst = 0, cycles;
	unsigned int i, batches = 0;

	prepare(p);
	for (i = 0; i < CALLS; i += BATCH) {
		cycles = measure(time_batch, ips + i, irqs_off);
		if (cycles == U64_MAX)
			continue;
		sum += cycles - loop;
		batches++;
	}
	for (i = 0; i < CALLS; i += BATCH) {
		cycles = measure(time_longest, ips + i, irqs_off);
		if (cycles != U64_MAX)
			worst = max(worst, cycles);
	}
	mean = batches ? div_u64(sum * 100, batches * BATCH) : 0;
	longest = worst;
}

/* "tick PATTERN" or "process PATTERN". */
static int run_set(const char *text, const struct kernel_param *kp)
{
	bool irqs_off = !strncmp(text, "tick ", 5);
	const struct pattern *p;

	if (!irqs_off && strncmp(text, "process ", 8))
		return -EINVAL;
	if (READ_ONCE(prof_on) != CPU_PROFILING)
		return -ENODATA;
	text = strchr(text, ' ') + 1;
	for (p = patterns; p < patterns + ARRAY_SIZE(patterns); p++) {
		if (!sysfs_streq(text, p->name))
			continue;
		mutex_lock(&lock);
		run_pattern(p, irqs_off);
		mutex_unlock(&lock);
		return 0;
	}
	return -EINVAL;
}

static const struct kernel_param_ops run_ops = { .set = run_set };
module_param_cb(run, &run_ops, NULL, 0200);

/* ---- Code --------------------------------------------------------------- */

#define CODE_BYTES	8

static unsigned long code_at;

static int code_set(const char *text, const struct kernel_param *kp)
{
	unsigned long address;
	int err = kstrtoul(text, 16, &address);

	if (!err)
		code_at = address;
	return err;
}

static int code_get(char *buf, const struct kernel_param *kp)
{
	return code_at ? sysfs_emit(buf, "%*ph\n", CODE_BYTES, (void *)code_at) :
			 -EINVAL;
}

static const struct kernel_param_ops code_ops = {
	.set = code_set,
	.get = code_get,
};
module_param_cb(code, &code_ops, NULL, 0600);

MODULE_DESCRIPTION("Measurements of the kernel profiler");
MODULE_LICENSE("GPL");
