// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel profiler: profile=, /sys/kernel/profiling, /proc/profile
 *
 * Model
 * -----
 * The kernel text is cut into slots of 1 << shift bytes. A hit gives a slot a
 * number of counts. Each possible CPU has a pair of pending tables, of which
 * one is active and the other one retired; all CPUs share the hit buffer, an
 * atomic counter for each slot.
 *
 *	tick or sampling timer, schedule(), blocked wake-up, KVM exit
 *	      | pc
 *	      v
 *	CPU n: active table --(evicted entry)--> hit buffer --> /proc/profile
 *	      ^ flip                                  ^
 *	      v                                       |
 *	CPU n: retired table ------(flush)------------+
 *
 * A hit looks at one group of entries, a cache line of the active table: it adds
 * to the entry of its slot, which moves one place forward, or it makes a new
 * entry and the last of the group moves to the buffer by one atomic add. That
 * bounds its cost. Where there is no table, the hit goes straight into the
 * buffer: on a single CPU, early in the boot, after a failed allocation.
 *
 * Invariants:
 *  - hits given = sum of the buffer + sum of what is pending in tables;
 *  - while nobody holds L, every retired table is empty;
 *  - counters and entries stop at UINT_MAX, they never wrap.
 *
 * Flip
 * ----
 * One index, struct profile.active, says for all CPUs which table of a pair is
 * the active one. A hit reads it and finishes with interrupts off, which makes
 * it an RCU reader. So a flip writes the index and waits for a grace period;
 * then no CPU uses the retired tables, and they can be flushed to the buffer
 * or discarded without an interrupt to anybody. They were left empty by the
 * flip before, so a flip never makes old hits active again.
 *
 * Lifetime
 * --------
 * A start makes a new struct profile and publishes it in profile_live; from
 * then on hits count. Then it attaches to CPU hotplug and creates the files. A
 * stop goes back the same way, waits for a grace period and frees everything.
 * Nothing of one profiler is seen by the next. Tables come when a CPU first
 * comes up and stay when it dies, its pending hits do not: they are folded into
 * the buffer.
 *
 * Serialization
 * -------------
 *  C	profile_control_mutex: start and stop
 *  L	struct profile.lock: flips, retired tables, table pointers, the mask, the
 *	period of the sampling timers
 *  I	interrupts off on the owning CPU: its active table, its sampling timer
 *  RCU	profile_live, table pointers; a region with interrupts off is a reader
 *
 * Order: C -> cpu_hotplug_lock -> L. Readers of the files take L alone, since a
 * stop waits for them under C.
 *
 * File format
 * -----------
 * /proc/profile is an array of native 32-bit words. Word 0 is the step, 1 <<
 * shift; word 1 + n is the counter of slot n. A pc outside the text, or behind
 * its last whole slot, counts in the last slot.
 */

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kcsan-checks.h>
#include <linux/kstrtox.h>
#include <linux/notifier.h>
#include <linux/proc_fs.h>
#include <linux/profile.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/stat.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <asm/irq_regs.h>
#include <asm/sections.h>

#include <trace/events/sched.h>

#include "profile_internal.h"

/* ---- Data --------------------------------------------------------------- */

/* The mode that runs, 0 while off; a copy of profile_live->mode [set under C]. */
int prof_on __read_mostly;
EXPORT_SYMBOL_GPL(prof_on);

/* Opens the call sites while a profiler is live or a timer hook registered. */
DEFINE_STATIC_KEY_FALSE(profile_key);
EXPORT_SYMBOL_GPL(profile_key);

/* Stands in for a profiler while there is none: no call site is of its mode. */
static struct profile profile_none = { .mode = INT_MIN };

/* The profiler [RCU; set under C]. */
static struct profile __rcu *profile_live = RCU_INITIALIZER(&profile_none);

static DEFINE_MUTEX(profile_control_mutex);

/* What the hotplug core named our two dynamic states [C]. */
static enum cpuhp_state profile_prepare_state;
static enum cpuhp_state profile_online_state;

/* Opens the call sites of events: how many notifiers are registered. */
DEFINE_STATIC_KEY_FALSE(profile_event_key);

static BLOCKING_NOTIFIER_HEAD(profile_exit_chain);
static BLOCKING_NOTIFIER_HEAD(profile_munmap_chain);
static ATOMIC_NOTIFIER_HEAD(profile_handoff_chain);

/* Called at each tick, NULL if there is none [RCU; set by cmpxchg()]. */
static int (*profile_timer_hook)(struct pt_regs *regs);

/* What the boot command line asks for. */
static struct profile_options profile_boot_options __initdata;

/* ---- Options ------------------------------------------------------------ */

#define PROFILE_USAGE	"[cpu|schedule|sleep|kvm][,][shift]"
#define PROFILE_TEXT_MAX	32

#define PROFILE_CAN_SLEEP	(IS_ENABLED(CONFIG_SCHEDSTATS) && \
				 IS_ENABLED(CONFIG_TRACEPOINTS))
#define PROFILE_CAN_KVM		(IS_ENABLED(CONFIG_KVM) && IS_ENABLED(CONFIG_X86))

/* A mode that this kernel can't run is refused, not accepted and dead. */
static const struct profile_mode {
	const char	*word;		/* in the option */
	const char	*log;		/* in the log line, with its space */
	int		mode;
	const char	*lacking;	/* what it needs and can't have */
} profile_modes[] = {
	{ "cpu",	"",		CPU_PROFILING },
	{ "schedule",	"schedule ",	SCHED_PROFILING },
	{ "sleep",	"sleep ",	SLEEP_PROFILING, PROFILE_CAN_SLEEP ? NULL :
	  "sleep needs CONFIG_SCHEDSTATS and CONFIG_TRACEPOINTS" },
	{ "kvm",	"KVM ",		KVM_PROFILING, PROFILE_CAN_KVM ? NULL :
	  "kvm needs CONFIG_KVM on x86" },
	{ "off",	NULL,		PROFILE_OFF },
};

static const struct profile_mode *profile_mode_find(const char *word,
						    size_t len)
{
	const struct profile_mode *m;

	for (m = profile_modes; m < profile_modes + ARRAY_SIZE(profile_modes); m++)
		if (strlen(m->word) == len && !memcmp(m->word, word, len))
			return m;
	return NULL;
}

static const char *profile_shift_parse(const char *text, size_t text_bytes,
				       unsigned int *shift)
{
	if (!isdigit(*text) || kstrtouint(text, 0, shift))
		return "the shift is not a number";
	if (*shift > PROFILE_SHIFT_MAX)
		return "the shift is above 31";
	if (!profile_nr_slots(text_bytes, *shift))
		return "the shift leaves no slot in the kernel text";
	return NULL;
}

/* A word of letters, then a comma if any, then the shift if any. */
static const char *profile_words_parse(struct profile_options *opt,
				       const char *text, size_t text_bytes)
{
	const struct profile_mode *m;
	size_t len = 0;

	while (isalpha(text[len]))
		len++;
	if (len) {
		m = profile_mode_find(text, len);
		if (!m)
			return "unknown mode";
		if (m->lacking)
			return m->lacking;
		opt->mode = m->mode;
		text += len;
		if (!*text)
			return NULL;
		if (m->mode == PROFILE_OFF)
			return "off stands alone";
		if (*text == ',' && !*++text)
			return NULL;
	}
	return profile_shift_parse(text, text_bytes, &opt->shift);
}

/**
 * profile_options_parse - read the text of profile= and /sys/kernel/profiling
 * @opt: result; untouched unless the whole text is good
 * @text: `[cpu|schedule|sleep|kvm][,][shift]` or `off`, one newline may follow
 * @len: its length in bytes
 * @text_bytes: size of the text to profile, which bounds the shift
 *
 * CONTEXT: any.
 * RETURN: NULL, or what is wrong with the text, in words for the log.
 */
const char *profile_options_parse(struct profile_options *opt,
				  const char *text, size_t len,
				  size_t text_bytes)
{
	struct profile_options new = { .mode = CPU_PROFILING };
	char buf[PROFILE_TEXT_MAX + 1] = "";
	const char *why;
	size_t i;

	if (len && text[len - 1] == '\n')
		len--;
	if (!len)
		return "no mode and no shift";
	if (len > PROFILE_TEXT_MAX)
		return "too long";
	for (i = 0; i < len; i++)
		if (!isalnum(text[i]) && text[i] != ',')
			return "a character that belongs to no option";
	memcpy(buf, text, len);

	why = profile_words_parse(&new, buf, text_bytes);
	if (!why)
		*opt = new;
	return why;
}

/* Control characters from the user would garble the log: escape them. */
static void profile_options_refuse(const char *text, size_t len,
				   const char *why)
{
	pr_warn("profile: refused '%*pE': %s; accepted is " PROFILE_USAGE ", or off\n",
		(int)min_t(size_t, len, PROFILE_TEXT_MAX), text, why);
}

/* ---- Hit buffer --------------------------------------------------------- */

/**
 * profile_buffer_init - allocate the counters of a text, all zero
 * @buf: the buffer
 * @start: first address of the text
 * @text_bytes: its size
 * @shift: a slot covers 1 << @shift bytes
 *
 * From 4 bytes to 100 MB and more: slab if that has it, vmalloc otherwise. It
 * is refused rather than that others are killed for its memory.
 *
 * CONTEXT: may sleep; at boot, once slab and vmalloc work.
 * RETURN: 0, -EINVAL if not even one slot fits, or -ENOMEM.
 */
int profile_buffer_init(struct profile_buffer *buf, unsigned long start,
			size_t text_bytes, unsigned int shift)
{
	size_t nr_slots = profile_nr_slots(text_bytes, shift);

	if (!nr_slots)
		return -EINVAL;
	buf->hits = kvcalloc(nr_slots, sizeof(*buf->hits),
			     GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (!buf->hits)
		return -ENOMEM;
	buf->start = start;
	buf->shift = shift;
	buf->last = nr_slots - 1;
	return 0;
}

/**
 * profile_buffer_destroy - free the counters
 * @buf: the buffer; one that was only zeroed is fine
 *
 * CONTEXT: may sleep; nobody adds any more.
 */
void profile_buffer_destroy(struct profile_buffer *buf)
{
	kvfree(buf->hits);
	buf->hits = NULL;
}

/**
 * profile_buffer_clear - set all counters to zero
 * @buf: the buffer
 *
 * CONTEXT: may sleep; hits that arrive meanwhile count before or after.
 */
void profile_buffer_clear(struct profile_buffer *buf)
{
	size_t slot;

	for (slot = 0; slot <= buf->last; slot++) {
		atomic_set(&buf->hits[slot], 0);
		if (!(slot % SZ_64K))
			cond_resched();
	}
}

/**
 * profile_file_words - words of /proc/profile, in native byte order
 * @buf: the buffer that the file shows
 * @first: index of the first word
 * @words: result
 * @n: how many; all must lie inside the file
 *
 * CONTEXT: any.
 */
void profile_file_words(const struct profile_buffer *buf, u64 first,
			u32 *words, size_t n)
{
	const atomic_t *counter = &buf->hits[first ? first - 1 : 0];

	if (!first && n) {
		*words++ = 1U << buf->shift;
		n--;
	}
#pragma GCC unroll 8
	for (; n; n--)
		*words++ = atomic_read(counter++);
}

/* ---- Pending table ------------------------------------------------------ */

/* Make room for an entry: those from there on move back, the last one leaves. */
static __always_inline void profile_group_insert(struct profile_group *group,
						 unsigned int at,
						 struct profile_entry new)
{
	unsigned int i;

#pragma GCC unroll 8
	for (i = PROFILE_GROUP_ENTRIES - 1; i > at; i--)
		group->entry[i] = group->entry[i - 1];
	group->entry[at] = new;
}

/**
 * profile_group_replace - put a slot in the place of the last of its group
 * @group: the group, in which it does not stand
 * @buf: where the hits of the last entry go, unless that is free
 * @slot: the newcomer
 * @hits: its hits
 *
 * In a full group it starts in the middle, so that a burst of slots that are hit
 * once leaves the hot ones in front alone.
 *
 * CONTEXT: interrupts off, or nobody else uses the table.
 */
noinline void profile_group_replace(struct profile_group *group,
				    struct profile_buffer *buf,
				    u32 slot, u32 hits)
{
	struct profile_entry last = group->entry[PROFILE_GROUP_ENTRIES - 1];
	struct profile_entry new = { slot, hits };

	if (!last.hits) {
		profile_group_insert(group, 0, new);
		return;
	}
	profile_group_insert(group, PROFILE_GROUP_ENTRIES / 2, new);
	profile_buffer_add(buf, last.slot, last.hits);
}

/**
 * profile_table_flush - move all hits of a table to the buffer
 * @table: a table that no CPU uses
 * @buf: where they go
 *
 * CONTEXT: any; the caller keeps the table from becoming active.
 */
void profile_table_flush(struct profile_table *table,
			 struct profile_buffer *buf)
{
	struct profile_entry *entry = table->group[0].entry;
	struct profile_entry *end = (struct profile_entry *)(table + 1);

	ASSERT_EXCLUSIVE_ACCESS(*table);
	for (; entry < end; entry++)
		if (entry->hits)
			profile_buffer_add(buf, entry->slot, entry->hits);
	profile_table_discard(table);
}

/**
 * profile_table_discard - forget all hits of a table
 * @table: a table that no CPU uses
 *
 * CONTEXT: any; the caller keeps the table from becoming active.
 */
void profile_table_discard(struct profile_table *table)
{
	ASSERT_EXCLUSIVE_ACCESS(*table);
	memset(table, 0, sizeof(*table));
}

/* ---- Pairs and the flip ------------------------------------------------- */

/* Interrupts off keep the table from being retired under the caller. */
static __always_inline struct profile_table *
profile_active_table(struct profile *prof)
{
	unsigned int active;

	lockdep_assert_irqs_disabled();
	/* Pairs with profile_flip(): sees the table as empty as it left it. */
	active = smp_load_acquire(&prof->active);
	return rcu_dereference_sched(this_cpu_ptr(prof->cpus)->table[active]);
}

/* Under L, tables neither come nor change sides. */
static struct profile_table *profile_locked_table(struct profile *prof,
						  unsigned int cpu,
						  unsigned int index)
{
	return rcu_dereference_protected(per_cpu_ptr(prof->cpus, cpu)->table[index],
					 lockdep_is_held(&prof->lock));
}

/* Returns the index of the tables that are retired now, quiet on all CPUs. */
static unsigned int profile_flip(struct profile *prof)
{
	unsigned int retired = prof->active;

	lockdep_assert_held(&prof->lock);
	/* Pairs with profile_active_table(): hands over tables that are empty. */
	smp_store_release(&prof->active, !retired);
	synchronize_rcu();
	return retired;
}

/**
 * profile_flush - bring every hit made so far into the buffer
 * @prof: the profiler
 *
 * CONTEXT: may sleep, takes L, waits for a grace period.
 */
void profile_flush(struct profile *prof)
{
	struct profile_table *table;
	unsigned int retired;
	int cpu;

	mutex_lock(&prof->lock);
	retired = profile_flip(prof);
	for_each_possible_cpu(cpu) {
		table = profile_locked_table(prof, cpu, retired);
		if (table)
			profile_table_flush(table, &prof->buffer);
		cond_resched();
	}
	mutex_unlock(&prof->lock);
}

/**
 * profile_reset - forget every hit made so far
 * @prof: the profiler
 *
 * When this returns, no hit from before the call can be seen again.
 *
 * CONTEXT: may sleep, takes L, waits for a grace period.
 */
void profile_reset(struct profile *prof)
{
	struct profile_table *table;
	unsigned int retired;
	int cpu;

	mutex_lock(&prof->lock);
	retired = profile_flip(prof);
	for_each_possible_cpu(cpu) {
		table = profile_locked_table(prof, cpu, retired);
		if (table)
			profile_table_discard(table);
		cond_resched();
	}
	profile_buffer_clear(&prof->buffer);
	mutex_unlock(&prof->lock);
}

/**
 * profile_cpu_prepare - give a CPU its pair of tables, unless it has one
 * @prof: the profiler
 * @cpu: a possible CPU, on whose memory node they are allocated
 *
 * What can't be allocated stays away, and hits go to the buffer instead.
 *
 * CONTEXT: may sleep, takes L.
 */
void profile_cpu_prepare(struct profile *prof, unsigned int cpu)
{
	struct profile_cpu *pcpu = per_cpu_ptr(prof->cpus, cpu);
	struct profile_table *table;
	int i;

	mutex_lock(&prof->lock);
	for (i = 0; i < 2; i++) {
		if (profile_locked_table(prof, cpu, i))
			continue;
		table = kzalloc_node(sizeof(*table), GFP_KERNEL | __GFP_NOWARN,
				     cpu_to_mem(cpu));
		/* Pairs with profile_active_table(): the table is zeroed. */
		rcu_assign_pointer(pcpu->table[i], table);
	}
	mutex_unlock(&prof->lock);
}

/**
 * profile_cpu_fold - bring the hits of a dead CPU into the buffer
 * @prof: the profiler
 * @cpu: a CPU that does not run
 *
 * CONTEXT: may sleep, takes L.
 */
void profile_cpu_fold(struct profile *prof, unsigned int cpu)
{
	struct profile_table *table;
	int i;

	mutex_lock(&prof->lock);
	for (i = 0; i < 2; i++) {
		table = profile_locked_table(prof, cpu, i);
		if (table)
			profile_table_flush(table, &prof->buffer);
	}
	mutex_unlock(&prof->lock);
}

/* The path of every hit. */
static __always_inline void profile_charge_inline(struct profile *prof,
						  unsigned long pc, u32 hits)
{
	u32 slot = profile_slot(&prof->buffer, pc);
	struct profile_table *table = profile_active_table(prof);

	if (likely(table))
		profile_table_hit(table, &prof->buffer, slot, hits);
	else
		profile_buffer_add(&prof->buffer, slot, hits);
}

/**
 * profile_charge - give a slot hits
 * @prof: the profiler
 * @pc: any address; outside the text it means the last slot
 * @hits: how many
 *
 * CONTEXT: interrupts off.
 */
void profile_charge(struct profile *prof, unsigned long pc, u32 hits)
{
	profile_charge_inline(prof, pc, hits);
}

/* ---- CPU mask ----------------------------------------------------------- */

/* Ticks test a flag of their own CPU and never touch the mask. */
static void profile_mask_apply(struct profile *prof, unsigned int cpu)
{
	lockdep_assert_held(&prof->lock);
	WRITE_ONCE(per_cpu_ptr(prof->cpus, cpu)->muted,
		   !cpumask_test_cpu(cpu, prof->mask));
}

/*
 * cpumask_parse() stops at a newline and forgives stray separators: insist on
 * hexadecimal digits, single commas between them, at most one newline behind.
 */
static bool profile_mask_valid(const char *text, size_t len)
{
	bool digit = false;
	size_t i;

	if (len && text[len - 1] == '\n')
		len--;
	for (i = 0; i < len; i++) {
		if (!isxdigit(text[i]) && !(text[i] == ',' && digit))
			return false;
		digit = text[i] != ',';
	}
	return digit;
}

/**
 * profile_mask_store - take a new mask of CPUs whose ticks count
 * @prof: the profiler
 * @text: a hexadecimal mask, as in cpumask_parse(), NUL-terminated
 * @len: its length in bytes
 *
 * A mask is the whole truth: CPUs that are away forget the bit they had.
 *
 * CONTEXT: may sleep, takes L.
 * RETURN: 0, -EINVAL for what is no mask, -EOVERFLOW for CPUs that can't be,
 * -ENOMEM. Nothing changes on error.
 */
int profile_mask_store(struct profile *prof, const char *text, size_t len)
{
	cpumask_var_t mask;
	unsigned int cpu;
	int err;

	if (!profile_mask_valid(text, len))
		return -EINVAL;
	if (!alloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	err = cpumask_parse(text, mask);
	if (!err) {
		mutex_lock(&prof->lock);
		cpumask_copy(prof->mask, mask);
		cpumask_clear(prof->parked);
		for_each_possible_cpu(cpu)
			profile_mask_apply(prof, cpu);
		mutex_unlock(&prof->lock);
	}
	free_cpumask_var(mask);
	return err;
}

/**
 * profile_mask_park - clear the bit of a CPU that goes, and remember it
 * @prof: the profiler
 * @cpu: the CPU
 *
 * CONTEXT: may sleep, takes L.
 */
void profile_mask_park(struct profile *prof, unsigned int cpu)
{
	mutex_lock(&prof->lock);
	if (cpumask_test_and_clear_cpu(cpu, prof->mask))
		cpumask_set_cpu(cpu, prof->parked);
	profile_mask_apply(prof, cpu);
	mutex_unlock(&prof->lock);
}

/**
 * profile_mask_unpark - give a CPU that returns the bit it had
 * @prof: the profiler
 * @cpu: the CPU
 *
 * CONTEXT: may sleep, takes L.
 */
void profile_mask_unpark(struct profile *prof, unsigned int cpu)
{
	mutex_lock(&prof->lock);
	if (cpumask_test_and_clear_cpu(cpu, prof->parked))
		cpumask_set_cpu(cpu, prof->mask);
	profile_mask_apply(prof, cpu);
	mutex_unlock(&prof->lock);
}

/* ---- Sampling ----------------------------------------------------------- */

/* Charge where an interrupt found this CPU, if that was in the kernel. */
static void profile_sample(struct profile *prof, struct pt_regs *regs)
{
	if (!regs || user_mode(regs))
		return;
	if (!READ_ONCE(this_cpu_ptr(prof->cpus)->muted))
		profile_charge(prof, profile_pc(regs), 1);
}

static enum hrtimer_restart profile_sampler_fire(struct hrtimer *timer)
{
	struct profile_sampler *sampler =
		container_of(timer, struct profile_sampler, timer);

	profile_sample(sampler->prof, get_irq_regs());
	hrtimer_set_expires(timer, profile_sampler_next(sampler, ktime_get()));
	return HRTIMER_RESTART;
}

/* The first phase of a CPU is its own, and so all CPUs stay apart. */
static void profile_sampler_init(struct profile *prof, unsigned int cpu)
{
	struct profile_sampler *sampler = &per_cpu_ptr(prof->cpus, cpu)->sampler;

	sampler->prof = prof;
	sampler->phase = cpu * GOLDEN_RATIO_32;
	hrtimer_init(&sampler->timer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_ABS_PINNED_HARD);
	sampler->timer.function = profile_sampler_fire;
}

/* Interrupts off keep ticks and the timer of this CPU out meanwhile. */
static void profile_sampler_set(struct profile *prof, u32 period)
{
	struct profile_sampler *sampler;
	unsigned long flags;

	local_irq_save(flags);
	sampler = &this_cpu_ptr(prof->cpus)->sampler;
	hrtimer_cancel(&sampler->timer);
	sampler->period = period;
	sampler->start = ktime_get();
	if (period)
		hrtimer_start(&sampler->timer,
			      profile_sampler_next(sampler, sampler->start),
			      HRTIMER_MODE_ABS_PINNED_HARD);
	local_irq_restore(flags);
}

static void profile_sampler_follow(void *prof)
{
	profile_sampler_set(prof, ((struct profile *)prof)->period);
}

/**
 * profile_multiply - set the sampling rate
 * @prof: the profiler
 * @multiplier: samples per tick period; 1 leaves sampling to the tick
 *
 * Interrupts each CPU that is online, once.
 *
 * CONTEXT: may sleep, takes cpu_hotplug_lock and L.
 * RETURN: 0, or -EINVAL if that is out of range, if @prof does not count ticks
 * or if the timers of this machine can't do it; then nothing has changed.
 */
int profile_multiply(struct profile *prof, int multiplier)
{
	u32 period;

	if (prof->mode != CPU_PROFILING || !profile_multiplier_valid(multiplier))
		return -EINVAL;
	period = profile_multiplier_period(multiplier);
	if (period && period < hrtimer_resolution)
		return -EINVAL;

	cpus_read_lock();
	mutex_lock(&prof->lock);
	prof->period = period;
	on_each_cpu(profile_sampler_follow, prof, true);
	mutex_unlock(&prof->lock);
	cpus_read_unlock();
	return 0;
}

/* A CPU that comes joins in. It runs this itself. */
static void profile_sampler_join(struct profile *prof)
{
	mutex_lock(&prof->lock);
	profile_sampler_set(prof, prof->period);
	mutex_unlock(&prof->lock);
}

/* ---- Profiler ----------------------------------------------------------- */

/**
 * profile_create - make a profiler that nobody sees yet
 * @opt: a mode other than PROFILE_OFF, and a shift
 * @start: first address of the text
 * @text_bytes: its size
 *
 * CONTEXT: may sleep; at boot, once slab, vmalloc and per-CPU memory work.
 * RETURN: the profiler, ERR_PTR(-EINVAL) if the shift leaves no slot, or
 * ERR_PTR(-ENOMEM).
 */
struct profile *profile_create(const struct profile_options *opt,
			       unsigned long start, size_t text_bytes)
{
	struct profile *prof;
	int cpu, err = -ENOMEM;

	prof = kzalloc(sizeof(*prof), GFP_KERNEL);
	if (!prof)
		return ERR_PTR(-ENOMEM);
	prof->mode = opt->mode;
	mutex_init(&prof->lock);
	prof->cpus = alloc_percpu(struct profile_cpu);
	if (!prof->cpus ||
	    !zalloc_cpumask_var(&prof->mask, GFP_KERNEL) ||
	    !zalloc_cpumask_var(&prof->parked, GFP_KERNEL))
		goto fail;
	cpumask_copy(prof->mask, cpu_possible_mask);
	for_each_possible_cpu(cpu)
		profile_sampler_init(prof, cpu);
	err = profile_buffer_init(&prof->buffer, start, text_bytes, opt->shift);
	if (err)
		goto fail;
	return prof;
fail:
	profile_destroy(prof);
	return ERR_PTR(err);
}

/**
 * profile_destroy - free a profiler that nobody sees any more
 * @prof: the profiler, its rate 1; a half-made one is fine
 *
 * CONTEXT: may sleep.
 */
void profile_destroy(struct profile *prof)
{
	struct profile_cpu *pcpu;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		if (!prof->cpus)
			break;
		pcpu = per_cpu_ptr(prof->cpus, cpu);
		for (i = 0; i < 2; i++)
			kfree(rcu_access_pointer(pcpu->table[i]));
	}
	free_percpu(prof->cpus);
	free_cpumask_var(prof->mask);
	free_cpumask_var(prof->parked);
	profile_buffer_destroy(&prof->buffer);
	kfree(prof);
}

/* ---- Hits --------------------------------------------------------------- */

/**
 * profile_hits - count hits at an address
 * @type: the mode that the call site belongs to; others do not count
 * @ip: kernel text address to charge
 * @nr_hits: how many
 *
 * CONTEXT: any but NMI.
 */
void profile_hits(int type, void *ip, unsigned int nr_hits)
{
	struct profile *prof;
	unsigned long flags;

	local_irq_save(flags);
	prof = rcu_dereference_sched(profile_live);
	if (likely(prof->mode == type))
		profile_charge_inline(prof, (unsigned long)ip, nr_hits);
	local_irq_restore(flags);
}
EXPORT_SYMBOL_GPL(profile_hits);

/**
 * __profile_tick - count a timer tick, see profile_tick()
 * @type: CPU_PROFILING
 *
 * Some timers call without interrupt registers: there is nothing to charge and
 * nothing to show to a hook. A CPU whose sampling timer runs has no use for the
 * tick.
 *
 * CONTEXT: hard interrupt of the timer, interrupts off.
 */
void __profile_tick(int type)
{
	struct pt_regs *regs = get_irq_regs();
	struct profile *prof = rcu_dereference_sched(profile_live);
	int (*hook)(struct pt_regs *regs);

	if (!regs)
		return;
	/* Pairs with unregister_timer_hook(), which waits for this to end. */
	hook = READ_ONCE(profile_timer_hook);
	if (hook)
		hook(regs);
	if (prof->mode == type && !this_cpu_ptr(prof->cpus)->sampler.period)
		profile_sample(prof, regs);
}

/* ---- Sleep mode --------------------------------------------------------- */

#ifdef CONFIG_SCHEDSTATS

#define PROFILE_BLOCKED_SHIFT	20	/* weight 1: about a millisecond */

/*
 * The waker holds task->pi_lock: get_wchan(), which takes it, would hang here.
 * Kernel threads that idle are blocked too, but nothing holds them up.
 */
static void profile_blocked(void *unused, struct task_struct *task, u64 ns)
{
	u64 weight = ns >> PROFILE_BLOCKED_SHIFT;

	if (weight && task->sched_contributes_to_load)
		profile_hits(SLEEP_PROFILING, (void *)__get_wchan(task),
			     min_t(u64, weight, U32_MAX));
}

static int profile_sleep_attach(void)
{
	force_schedstat_enabled();
	return register_trace_sched_stat_blocked(profile_blocked, NULL);
}

/* The probes that run see a profiler that is live until they are done. */
static void profile_sleep_detach(void)
{
	unregister_trace_sched_stat_blocked(profile_blocked, NULL);
	tracepoint_synchronize_unregister();
}

#else

static int profile_sleep_attach(void)
{
	return -EOPNOTSUPP;
}

static void profile_sleep_detach(void)
{
}

#endif

/* ---- Timer hook --------------------------------------------------------- */

/**
 * register_timer_hook - have a function called at each tick
 * @hook: gets the registers that the tick interrupted, in kernel or user mode,
 * whether or not profiling is on; runs with interrupts off
 *
 * CONTEXT: may sleep.
 * RETURN: 0, or -EBUSY if there is one already.
 */
int register_timer_hook(int (*hook)(struct pt_regs *regs))
{
	if (cmpxchg(&profile_timer_hook, NULL, hook))
		return -EBUSY;
	static_branch_inc(&profile_key);
	return 0;
}
EXPORT_SYMBOL_GPL(register_timer_hook);

/**
 * unregister_timer_hook - have it called no more
 * @hook: the function that is registered; any other is left out with a warning
 *
 * When this returns, no CPU is in the hook.
 *
 * CONTEXT: may sleep, waits for a grace period.
 */
void unregister_timer_hook(int (*hook)(struct pt_regs *regs))
{
	if (WARN_ON(!hook || cmpxchg(&profile_timer_hook, hook, NULL) != hook))
		return;
	static_branch_dec(&profile_key);
	/* Pairs with __profile_tick(), a reader since interrupts are off. */
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(unregister_timer_hook);

/* ---- Events ------------------------------------------------------------- */

static int profile_event_added(int err)
{
	if (!err)
		static_branch_inc(&profile_event_key);
	return err;
}

static int profile_event_removed(int err)
{
	if (!err)
		static_branch_dec(&profile_event_key);
	return err;
}

/**
 * task_handoff_register - be asked before the memory of a task is freed
 * @nb: returns NOTIFY_OK to take the task (its data) over, and has to give it to
 * free_task() then; NOTIFY_DONE to let it go
 *
 * CONTEXT: may sleep. @nb is called in atomic context, from any.
 * RETURN: 0, or -EEXIST for one that is registered.
 */
int task_handoff_register(struct notifier_block *nb)
{
	struct atomic_notifier_head *chain = &profile_handoff_chain;

	return profile_event_added(atomic_notifier_chain_register(chain, nb));
}
EXPORT_SYMBOL_GPL(task_handoff_register);

/**
 * task_handoff_unregister - be asked no more
 * @nb: what was registered; nobody is in it when this returns
 *
 * CONTEXT: may sleep, waits for a grace period.
 * RETURN: 0, or -ENOENT for one that is not registered.
 */
int task_handoff_unregister(struct notifier_block *nb)
{
	struct atomic_notifier_head *chain = &profile_handoff_chain;

	return profile_event_removed(atomic_notifier_chain_unregister(chain, nb));
}
EXPORT_SYMBOL_GPL(task_handoff_unregister);

static struct blocking_notifier_head *profile_event_chain(enum profile_type type)
{
	switch (type) {
	case PROFILE_TASK_EXIT:
		return &profile_exit_chain;
	case PROFILE_MUNMAP:
		return &profile_munmap_chain;
	}
	return NULL;
}

/**
 * profile_event_register - hear of tasks that exit, or of munmap(2)
 * @type: PROFILE_TASK_EXIT, data is the task; PROFILE_MUNMAP, data is the address
 * @nb: called in the task it is about, may sleep
 *
 * CONTEXT: may sleep.
 * RETURN: 0, -EINVAL for another @type, -EEXIST for one that is registered.
 */
int profile_event_register(enum profile_type type, struct notifier_block *nb)
{
	struct blocking_notifier_head *chain = profile_event_chain(type);

	if (!chain)
		return -EINVAL;
	return profile_event_added(blocking_notifier_chain_register(chain, nb));
}
EXPORT_SYMBOL_GPL(profile_event_register);

/**
 * profile_event_unregister - hear no more
 * @type: as it was registered
 * @nb: as it was registered; nobody is in it when this returns
 *
 * CONTEXT: may sleep, waits for callers that are in the chain; not from @nb.
 * RETURN: 0, -EINVAL for another @type, -ENOENT for one that is not registered.
 */
int profile_event_unregister(enum profile_type type, struct notifier_block *nb)
{
	struct blocking_notifier_head *chain = profile_event_chain(type);

	if (!chain)
		return -EINVAL;
	return profile_event_removed(blocking_notifier_chain_unregister(chain, nb));
}
EXPORT_SYMBOL_GPL(profile_event_unregister);

/**
 * __profile_task_exit - tell that a task exits, see profile_task_exit()
 * @task: the current task
 *
 * CONTEXT: may sleep.
 */
void __profile_task_exit(struct task_struct *task)
{
	blocking_notifier_call_chain(&profile_exit_chain, 0, task);
}

/**
 * __profile_handoff_task - offer a task, see profile_handoff_task()
 * @task: a task that nobody uses any more
 *
 * The first who takes it is the last who is asked: two would free it twice.
 *
 * CONTEXT: any but NMI.
 * RETURN: true if somebody took it.
 */
bool __profile_handoff_task(struct task_struct *task)
{
	struct notifier_block *nb;
	bool taken = false;

	rcu_read_lock();
	for (nb = rcu_dereference(profile_handoff_chain.head); nb && !taken;
	     nb = rcu_dereference(nb->next))
		taken = (nb->notifier_call(nb, 0, task) & ~NOTIFY_STOP_MASK) ==
			NOTIFY_OK;
	rcu_read_unlock();
	return taken;
}

/**
 * __profile_munmap - tell of munmap(2), see profile_munmap()
 * @addr: the address it was given
 *
 * CONTEXT: may sleep.
 */
void __profile_munmap(unsigned long addr)
{
	blocking_notifier_call_chain(&profile_munmap_chain, 0, (void *)addr);
}

/* ---- CPU hotplug -------------------------------------------------------- */

/* The callbacks exist only while a profiler is live: it can't go meanwhile. */
static struct profile *profile_attached(void)
{
	return rcu_dereference_protected(profile_live, true);
}

/* A single CPU shares the buffer with nobody and needs no tables. */
static int profile_hotplug_prepare(unsigned int cpu)
{
	if (num_possible_cpus() > 1)
		profile_cpu_prepare(profile_attached(), cpu);
	return 0;
}

static int profile_hotplug_dead(unsigned int cpu)
{
	profile_cpu_fold(profile_attached(), cpu);
	return 0;
}

/* This one and the next run on the CPU they are about. */
static int profile_hotplug_online(unsigned int cpu)
{
	profile_mask_unpark(profile_attached(), cpu);
	profile_sampler_join(profile_attached());
	return 0;
}

static int profile_hotplug_offline(unsigned int cpu)
{
	profile_sampler_set(profile_attached(), 0);
	profile_mask_park(profile_attached(), cpu);
	return 0;
}

/* Nothing is parked yet, so the online CPUs need not hear of the second state. */
static int profile_hotplug_attach(void)
{
	int state;

	state = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "profile:prepare",
				  profile_hotplug_prepare, profile_hotplug_dead);
	if (state < 0)
		return state;
	profile_prepare_state = state;

	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "profile:online",
					  profile_hotplug_online,
					  profile_hotplug_offline);
	if (state < 0) {
		cpuhp_remove_state_nocalls(profile_prepare_state);
		return state;
	}
	profile_online_state = state;
	return 0;
}

static void profile_hotplug_detach(void)
{
	cpuhp_remove_state_nocalls(profile_online_state);
	cpuhp_remove_state_nocalls(profile_prepare_state);
}

/* ---- /proc/irq/prof_cpu_mask -------------------------------------------- */

static int profile_mask_show(struct seq_file *m, void *v)
{
	struct profile *prof = m->private;

	mutex_lock(&prof->lock);
	seq_printf(m, "%*pb\n", cpumask_pr_args(prof->mask));
	mutex_unlock(&prof->lock);
	return 0;
}

static int profile_mask_open(struct inode *inode, struct file *file)
{
	return single_open(file, profile_mask_show, pde_data(inode));
}

static ssize_t profile_mask_write(struct file *file, const char __user *ubuf,
				  size_t count, loff_t *ppos)
{
	char *text;
	int err;

	if (count > PAGE_SIZE)
		return -EINVAL;
	text = memdup_user_nul(ubuf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = profile_mask_store(pde_data(file_inode(file)), text, count);
	kfree(text);
	return err ?: count;
}

static const struct proc_ops profile_mask_ops = {
	.proc_open	= profile_mask_open,
	.proc_read	= seq_read,
	.proc_write	= profile_mask_write,
	.proc_lseek	= seq_lseek,
	.proc_release	= single_release,
};

/* ---- /proc/profile ------------------------------------------------------ */

#define PROFILE_READER_WORDS	256

/**
 * struct profile_reader - an open /proc/profile
 * @lock: one read at a time, for pread() does not take the lock of the offset
 * @next: where a read continues the one before [@lock]
 * @words: the part of the file that is being copied [@lock]
 */
struct profile_reader {
	struct mutex	lock;	/* serializes reads */
	loff_t		next;
	u32		words[PROFILE_READER_WORDS];
};

/* A lookup between proc_create() and proc_set_size() has kept a size of 0. */
static void profile_file_fix_size(struct inode *inode)
{
	struct profile *prof = pde_data(inode);

	inode_lock(inode);
	i_size_write(inode, profile_file_size(&prof->buffer));
	inode_unlock(inode);
}

static int profile_file_open(struct inode *inode, struct file *file)
{
	struct profile_reader *reader;

	profile_file_fix_size(inode);
	reader = kmalloc(sizeof(*reader), GFP_KERNEL_ACCOUNT);
	if (!reader)
		return -ENOMEM;
	mutex_init(&reader->lock);
	reader->next = -1;
	file->private_data = reader;
	return 0;
}

static int profile_file_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static int profile_file_copy(const struct profile_buffer *buf,
			     struct profile_reader *reader, char __user *ubuf,
			     size_t count, loff_t pos)
{
	size_t skip, n;

	for (; count; count -= n, ubuf += n, pos += n) {
		skip = pos % sizeof(u32);
		n = min(count, sizeof(reader->words) - skip);
		profile_file_words(buf, pos / sizeof(u32), reader->words,
				   DIV_ROUND_UP(skip + n, sizeof(u32)));
		if (copy_to_user(ubuf, (char *)reader->words + skip, n))
			return -EFAULT;
		cond_resched();
	}
	return 0;
}

/* A pass costs one flush: reads that continue it show what the first one saw. */
static ssize_t profile_file_read(struct file *file, char __user *ubuf,
				 size_t count, loff_t *ppos)
{
	struct profile *prof = pde_data(file_inode(file));
	struct profile_reader *reader = file->private_data;
	loff_t pos = *ppos, size = profile_file_size(&prof->buffer);
	int err;

	if (!count || pos >= size)
		return 0;
	count = min_t(loff_t, count, size - pos);

	if (mutex_lock_killable(&reader->lock))
		return -EINTR;
	if (pos != reader->next)
		profile_flush(prof);
	err = profile_file_copy(&prof->buffer, reader, ubuf, count, pos);
	reader->next = err ? -1 : pos + count;
	mutex_unlock(&reader->lock);
	if (err)
		return err;
	*ppos = pos + count;
	return count;
}

/* Four bytes are a rate, which starts from zero; all else is a reset. */
static ssize_t profile_file_write(struct file *file, const char __user *ubuf,
				  size_t count, loff_t *ppos)
{
	struct profile *prof = pde_data(file_inode(file));
	int multiplier, err;

	if (count == sizeof(multiplier)) {
		if (copy_from_user(&multiplier, ubuf, count))
			return -EFAULT;
		err = profile_multiply(prof, multiplier);
		if (err)
			return err;
	}
	profile_reset(prof);
	return count;
}

static const struct proc_ops profile_file_ops = {
	.proc_open	= profile_file_open,
	.proc_read	= profile_file_read,
	.proc_write	= profile_file_write,
	.proc_lseek	= default_llseek,
	.proc_release	= profile_file_release,
};

static void profile_files_remove(struct profile *prof)
{
	proc_remove(prof->file);
	proc_remove(prof->mask_file);
}

static int profile_files_create(struct profile *prof)
{
	if (!IS_ENABLED(CONFIG_PROC_FS))
		return 0;
	prof->mask_file = proc_create_data("irq/prof_cpu_mask", 0600, NULL,
					   &profile_mask_ops, prof);
	if (!prof->mask_file)
		return -ENOMEM;
	prof->file = proc_create_data("profile", 0644, NULL,
				      &profile_file_ops, prof);
	if (!prof->file) {
		proc_remove(prof->mask_file);
		return -ENOMEM;
	}
	proc_set_size(prof->file, profile_file_size(&prof->buffer));
	return 0;
}

/* ---- Start and stop ----------------------------------------------------- */

static struct profile *profile_controlled(void)
{
	return rcu_dereference_protected(profile_live,
					 lockdep_is_held(&profile_control_mutex));
}

static void profile_publish(struct profile *prof)
{
	rcu_assign_pointer(profile_live, prof);
	WRITE_ONCE(prof_on, prof->mode);
	static_branch_inc(&profile_key);
}

/* When this returns, no hit is on its way to the profiler. */
static void profile_unpublish(void)
{
	static_branch_dec(&profile_key);
	WRITE_ONCE(prof_on, PROFILE_OFF);
	RCU_INIT_POINTER(profile_live, &profile_none);
	synchronize_rcu();
}

/* First step of a start: from here on, hits count. */
static int profile_begin(const struct profile_options *opt)
{
	struct profile *prof;

	prof = profile_create(opt, (unsigned long)_stext, _etext - _stext);
	if (IS_ERR(prof))
		return PTR_ERR(prof);
	profile_publish(prof);
	return 0;
}

static void profile_end(void)
{
	struct profile *prof = profile_controlled();

	profile_unpublish();
	profile_destroy(prof);
}

/* Undoes the second step; no file is left that could set the rate again. */
static void profile_detach(void)
{
	struct profile *prof = profile_controlled();

	if (prof->mode == SLEEP_PROFILING)
		profile_sleep_detach();
	if (prof->period)
		profile_multiply(prof, 1);
	profile_hotplug_detach();
}

/* Second step: tables for the CPUs. On error nothing is left of the first. */
static int profile_attach(void)
{
	int err = profile_hotplug_attach();

	if (!err && profile_controlled()->mode == SLEEP_PROFILING) {
		err = profile_sleep_attach();
		if (err)
			profile_hotplug_detach();
	}
	if (err)
		profile_end();
	return err;
}

static const char *profile_mode_log(int mode)
{
	const struct profile_mode *m = profile_modes;

	while (m->mode != mode)
		m++;
	return m->log;
}

/* Third step: the files. On error nothing is left of the first two. */
static int profile_expose(void)
{
	struct profile *prof = profile_controlled();
	int err = profile_files_create(prof);

	if (err) {
		profile_detach();
		profile_end();
		return err;
	}
	pr_info("kernel %sprofiling enabled (shift: %u)\n",
		profile_mode_log(prof->mode), prof->buffer.shift);
	return 0;
}

static int profile_start(const struct profile_options *opt)
{
	int err;

	err = profile_begin(opt);
	if (!err)
		err = profile_attach();
	if (!err)
		err = profile_expose();
	return err;
}

/* Readers may be in the files until they are gone, callbacks until detached. */
static void profile_stop(void)
{
	profile_files_remove(profile_controlled());
	profile_detach();
	profile_end();
	pr_info("kernel profiling disabled\n");
}

/* Passes a start's error on, once the log knows it. */
static int profile_start_error(int err)
{
	if (err)
		pr_warn("profile: can't start: error %d\n", err);
	return err;
}

/**
 * profile_control - start or stop profiling: a write to /sys/kernel/profiling
 * @text: as in profile_options_parse()
 * @len: its length in bytes
 *
 * CONTEXT: may sleep, takes C.
 * RETURN: @len, -EEXIST if profiling is on and @text is not `off`, -EINVAL for
 * a text that is refused, or what kept the profiler from starting. On error
 * nothing has changed.
 */
ssize_t profile_control(const char *text, size_t len)
{
	struct profile_options opt;
	const char *why;
	int err = 0;

	why = profile_options_parse(&opt, text, len, _etext - _stext);
	mutex_lock(&profile_control_mutex);
	if (!why && opt.mode == PROFILE_OFF) {
		if (prof_on)
			profile_stop();
	} else if (prof_on) {
		err = -EEXIST;
	} else if (why) {
		profile_options_refuse(text, len, why);
		err = -EINVAL;
	} else {
		err = profile_start_error(profile_start(&opt));
	}
	mutex_unlock(&profile_control_mutex);
	return err ? err : len;
}

/**
 * setup_profiling_timer - set the sampling rate, for those who did so in 2010
 * @multiplier: as in profile_multiply()
 *
 * An architecture's own definition takes the place of this one.
 *
 * CONTEXT: may sleep, takes C.
 * RETURN: 0, or -EINVAL, also while profiling is off or the kernel boots.
 */
int __weak setup_profiling_timer(unsigned int multiplier)
{
	struct profile *prof;
	int err = -EINVAL;

	mutex_lock(&profile_control_mutex);
	prof = profile_controlled();
	if (prof != &profile_none && system_state == SYSTEM_RUNNING)
		err = profile_multiply(prof, multiplier);
	mutex_unlock(&profile_control_mutex);
	return err;
}

/* ---- Boot --------------------------------------------------------------- */

/* A text that is refused leaves an earlier profile= of the line in force. */
static int __init profile_boot_option(char *text)
{
	size_t len = strlen(text);
	const char *why;

	why = profile_options_parse(&profile_boot_options, text, len,
				    _etext - _stext);
	if (why)
		profile_options_refuse(text, len, why);
	return 1;
}
__setup("profile=", profile_boot_option);

/**
 * profile_init - start what the command line asks for
 *
 * CONTEXT: boot, with interrupts still off.
 * RETURN: 0 if that runs now or nothing was asked for, -ENOMEM otherwise.
 */
int __init profile_init(void)
{
	int err = 0;

	mutex_lock(&profile_control_mutex);
	if (profile_boot_options.mode != PROFILE_OFF)
		err = profile_start_error(profile_begin(&profile_boot_options));
	mutex_unlock(&profile_control_mutex);
	return err;
}

static int __init profile_boot_step(int (*step)(void))
{
	int err = 0;

	mutex_lock(&profile_control_mutex);
	if (prof_on)
		err = profile_start_error(step());
	mutex_unlock(&profile_control_mutex);
	return err;
}

/* Before the other CPUs come up, so that they do so with tables. */
static int __init profile_boot_attach(void)
{
	return profile_boot_step(profile_attach);
}
early_initcall(profile_boot_attach);

/* Once /proc/irq exists. */
static int __init profile_boot_expose(void)
{
	return profile_boot_step(profile_expose);
}
subsys_initcall(profile_boot_expose);
