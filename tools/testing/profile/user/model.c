// SPDX-License-Identifier: GPL-2.0-only
/* The reference model, and the steps; see model.h. */

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <asm/sections.h>
#include <linux/notifier.h>
#include <linux/profile.h>

#include "profile_internal.h"

#include "expect.h"
#include "model.h"
#include "shim.h"

#define NR_FILES	4
#define NR_CHAINS	3
#define NR_BLOCKS	3	/* of each chain */
#define MAX_DURING	256

struct model_stats model_stats;

static struct {
	int mode;
	unsigned int shift;
	size_t slots;
	u64 *given;		/* to each slot, since the start or a reset */
	u64 *seen;		/* of them, what the last flush has seen */
	bool mask[SHIM_CPUS];
	bool parked[SHIM_CPUS];
	u32 period;		/* of the sampling timers, 0: the tick's */

	int boot_mode;		/* what the command lines so far ask for */
	unsigned int boot_shift;
} model;

/* While a start or a stop is on its way, the probe may be there or not. */
static bool changing;

/* The CPU that comes or goes, if one does. */
static unsigned int moving_cpu = SHIM_CPUS;

/* Hits given by the hook, thus while a call was on its way. */
static struct {
	u32 slot;
	u64 hits;
} during[MAX_DURING];
static size_t nr_during;

static struct {
	struct file *file;
	bool stale;		/* open since before the last stop */
	loff_t next;		/* a read from here continues the last one */
} files[NR_FILES];

#define expect(cond, ...)						\
	do {								\
		if (!(cond))						\
			fail(__LINE__, #cond, __VA_ARGS__);		\
	} while (0)

static void fail(int line, const char *what, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "model.c:%d: step %lu: not so: %s: ", line,
		model_stats.steps, what);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
	abort();
}

static struct profile *live(void)
{
	struct proc_dir_entry *entry = shim_find("profile");

	return entry ? shim_data(entry) : NULL;
}

/* A counter stops where its type does. */
static u32 shown(u64 hits)
{
	return hits < U32_MAX ? hits : U32_MAX;
}

static u64 given_during(u32 slot)
{
	u64 hits = 0;
	size_t i;

	for (i = 0; i < nr_during; i++)
		if (during[i].slot == slot)
			hits += during[i].hits;
	return hits;
}

/* ---- Hits --------------------------------------------------------------- */

static u32 slot_of(unsigned long pc)
{
	unsigned long start = (unsigned long)_stext;
	size_t slot;

	if (pc < start)
		return model.slots - 1;
	slot = (pc - start) / (1UL << model.shift);
	return slot < model.slots ? slot : model.slots - 1;
}

static unsigned long pick_pc(void)
{
	unsigned long start = (unsigned long)_stext;

	switch (pick(16)) {
	case 1:
		return start - 1 - pick(5000);
	case 2:
		return start + shim_text_bytes - 2 + pick(4);
	case 3:
		return pick(2) ? 0 : -1UL;
	case 4:
	case 5:
	case 6:
		return start + pick(shim_text_bytes < 64 ? shim_text_bytes : 64);
	default:
		return start + pick(shim_text_bytes);
	}
}

static u32 pick_hits(void)
{
	switch (pick(256)) {
	case 1:
		return U32_MAX - pick(3);
	case 2:
		return 0x80000000;
	case 3:
		return 0;
	default:
		return 1 + pick(9);
	}
}

/* The profiler was given hits: account for them, if they count. */
static void count(int type, unsigned long pc, u32 hits)
{
	u32 slot;

	if (prof_on != type)
		return;
	slot = slot_of(pc);
	model.given[slot] += hits;
	model_stats.hits++;
	if (shim_hook && nr_during < MAX_DURING) {
		during[nr_during].slot = slot;
		during[nr_during++].hits = hits;
	}
}

static int pick_type(void)
{
	if (pick(8) != 1)
		return prof_on ? prof_on : CPU_PROFILING;
	return 1 + pick(4);
}

static void give_hit(void)
{
	unsigned long pc = pick_pc();
	int type = pick_type();
	u32 hits = pick_hits();

	if (pick(4) == 1) {
		profile_hit(type, (void *)pc);
		hits = 1;
	} else {
		profile_hits(type, (void *)pc, hits);
	}
	count(type, pc, hits);
}

/* The timer hook, one of two. */
static struct pt_regs *hook_regs;
static unsigned long hook_calls[2];
static int hook_registered = -1;

static int timer_hook_0(struct pt_regs *regs)
{
	hook_regs = regs;
	hook_calls[0]++;
	return 0;
}

static int timer_hook_1(struct pt_regs *regs)
{
	hook_regs = regs;
	hook_calls[1]++;
	return 0;
}

static int (* const timer_hooks[])(struct pt_regs *regs) = {
	timer_hook_0, timer_hook_1
};

/* A CPU that comes or goes is at some point in between. */
static bool tick_counts(unsigned int cpu)
{
	if (!live())
		return model.mask[cpu];
	if (cpu == moving_cpu)
		return !live()->cpus[cpu].muted &&
		       !live()->cpus[cpu].sampler.period;
	return model.mask[cpu] && !live()->cpus[cpu].sampler.period;
}

static void give_tick(unsigned int cpu)
{
	struct pt_regs regs = { .pc = pick_pc(), .user = pick(4) == 1 };
	unsigned long calls[2] = { hook_calls[0], hook_calls[1] };
	bool none = pick(16) == 1;
	int i;

	hook_regs = NULL;
	shim_tick(CPU_PROFILING, none ? NULL : &regs);
	model_stats.ticks++;
	for (i = 0; i < 2; i++)
		expect(hook_calls[i] - calls[i] ==
			(!none && i == hook_registered), "hook %d", i);
	expect(hook_regs == (none || hook_registered < 0 ? NULL : &regs),
	       "the registers of the hook");
	if (!none && !regs.user && tick_counts(cpu))
		count(CPU_PROFILING, regs.pc, 1);
}

/* A task is woken that waited for this long. */
static void give_blocked(void)
{
	struct task_struct task = {
		.sched_contributes_to_load = pick(4) != 1,
		.wchan = pick_pc(),
	};
	u64 weight = pick(64) == 1 ? (1ULL << 43) + pick(9) : pick_hits();

	shim_blocked(&task, weight << 20 | pick(1 << 20));
	model_stats.blocked++;
	if (task.sched_contributes_to_load && weight)
		count(SLEEP_PROFILING, task.wchan, shown(weight));
}

/* A CPU at work; nothing if that one is offline. */
static void run_cpu(u32 max)
{
	unsigned int cpu = pick(nr_cpu_ids);
	u32 n = 1 + pick(max);

	if (!shim_cpu_enter(cpu))
		return;
	while (n--) {
		if (pick(4) == 1 && (live() || cpu != moving_cpu))
			give_tick(cpu);
		else if (model.mode == SLEEP_PROFILING && !changing && pick(2))
			give_blocked();
		else
			give_hit();
	}
	shim_cpu_leave();
}

static void step_hits(void)
{
	run_cpu(64);
}

/* Time passes, on all CPUs; the timers of each fire once in a period. */
static void step_time(void)
{
	unsigned int quarters = 1 + pick(80), i, cpu, fired;
	unsigned int fires[SHIM_CPUS] = { 0 };
	struct pt_regs regs = { .pc = pick_pc(), .user = pick(4) == 1 };

	for (i = 0; i < quarters; i++) {
		shim_sleep(model.period ? model.period / 4 : 1000000);
		for_each_possible_cpu(cpu) {
			if (!shim_cpu_enter(cpu))
				continue;
			fired = shim_fire_timers(&regs);
			shim_cpu_leave();
			fires[cpu] += fired;
			if (!regs.user && model.mask[cpu])
				count(CPU_PROFILING, regs.pc, fired);
		}
	}
	for_each_possible_cpu(cpu) {
		model_stats.fires += fires[cpu];
		if (!model.period || !shim_cpu_online(cpu))
			expect(!fires[cpu], "%u fires", fires[cpu]);
		else
			expect(fires[cpu] + 2 >= quarters / 4 &&
			       fires[cpu] <= quarters / 4 + 2,
				"%u fires in %u / 4", fires[cpu], quarters);
	}
}

/* More slots in one go than a table has entries for. */
static void step_flood(void)
{
	unsigned int cpu = pick(nr_cpu_ids), n = 1 + pick(2048);
	size_t slot = pick(model.slots), stride = 1 + pick(64);
	unsigned long pc;

	if (!shim_cpu_enter(cpu))
		return;
	for (; n; n--, slot = (slot + stride) % model.slots) {
		pc = (unsigned long)_stext + (slot << model.shift);
		profile_hits(model.mode, (void *)pc, 1);
		count(model.mode, pc, 1);
	}
	shim_cpu_leave();
}

/* The rest of the machine goes on while a call waits. */
static void hook(void)
{
	if (nr_during + 4 <= MAX_DURING && pick(4) == 1) {
		run_cpu(4);
		model_stats.during++;
	}
}

/* If not 0: which thing fails in the next call, instead of a random one. */
static unsigned int fail_turn;

/* What failed in the last call. */
static unsigned int last_failed;

/* Around each call that may sleep; it may fail, too. */
static void begin_call(void)
{
	nr_during = 0;
	shim_hook = pick(2) ? hook : NULL;
	if (fail_turn) {
		shim_fail_at(fail_turn);
		return;
	}
	shim_fail_first(pick(16) == 1 ? 1 << pick(6) : 0);
	shim_fail_at(pick(4) == 1 ? 1 + pick(pick(2) ? 4 : 20) : 0);
}

static unsigned int end_call(void)
{
	unsigned int failed = shim_failed();

	shim_hook = NULL;
	shim_fail_first(0);
	shim_fail_at(0);
	last_failed = failed;
	model_stats.failures += !!failed;
	return failed;
}

/* ---- /proc/profile ------------------------------------------------------ */

static loff_t file_size(void)
{
	return 4 * ((loff_t)model.slots + 1);
}

/* Has this file open, or finds that it can't be opened. */
static bool have_file(size_t i)
{
	unsigned int failed;
	struct file *file;

	if (files[i].file)
		return true;
	begin_call();
	file = shim_open("profile");
	failed = end_call();
	if (IS_ERR(file)) {
		expect(failed ? PTR_ERR(file) == -ENOMEM :
			PTR_ERR(file) == -ENOENT && !shim_find("profile"),
			"open: error %ld", PTR_ERR(file));
		return false;
	}
	expect(!failed && model.mode, "the file was opened");
	expect(shim_lseek(file, 0, SEEK_END) == file_size(), "the size");
	files[i].file = file;
	files[i].stale = false;
	files[i].next = -1;
	return true;
}

static void close_file(size_t i)
{
	if (files[i].file)
		shim_close(files[i].file);
	files[i].file = NULL;
}

static loff_t pick_pos(size_t i)
{
	switch (pick(8)) {
	case 0:
		return 0;
	case 1:
		return file_size() - pick(9);
	case 2:
		return file_size() + pick(3);
	case 3:
		return 1ULL << (32 + pick(31));
	case 4:
	case 5:
		return pick(file_size());
	default:
		return files[i].next < 0 ? 0 : files[i].next;
	}
}

static size_t pick_length(void)
{
	switch (pick(8)) {
	case 0:
		return 0;
	case 1:
		return file_size();
	case 2:
		return file_size() + pick(1 << 20);
	case 3:
	case 4:
		return pick(9);
	default:
		return pick(5000);
	}
}

/* Bytes of a word are what they must be, or within what hits leave open. */
static void check_word(const unsigned char *bytes, size_t n, loff_t pos,
		       u32 low, u32 high)
{
	size_t skip = pos % 4;
	u32 word;

	if (n == 4) {
		memcpy(&word, bytes, 4);
		expect(word >= low && word <= high,
		       "the word at %lld is %u, not %u to %u",
			(long long)pos, word, low, high);
	} else if (low == high) {
		expect(!memcmp(bytes, (char *)&low + skip, n),
		       "bytes at %lld of %u", (long long)pos, low);
	}
}

static void check_bytes(const unsigned char *bytes, size_t n, loff_t pos,
			bool fresh)
{
	size_t part, slot;
	u64 low, high;

	for (; n; n -= part, bytes += part, pos += part) {
		part = min_t(size_t, n, 4 - pos % 4);
		if (pos < 4) {
			check_word(bytes, part, pos, 1U << model.shift,
				   1U << model.shift);
			continue;
		}
		slot = pos / 4 - 1;
		high = model.given[slot];
		low = fresh ? high - given_during(slot) : model.seen[slot];
		check_word(bytes, part, pos, shown(low), shown(high));
	}
}

/* Everything but the hits of right now has been seen. */
static void flushed(void)
{
	size_t i;

	memcpy(model.seen, model.given, model.slots * sizeof(*model.seen));
	for (i = 0; i < nr_during; i++)
		model.seen[during[i].slot] -= during[i].hits;
	model_stats.fresh++;
}

static void read_file(size_t i, loff_t pos, size_t len, size_t good)
{
	unsigned int active = live() ? live()->active : 0, failed;
	bool fresh = pos != files[i].next;
	unsigned char *bytes = malloc(len + 1);
	size_t expected = 0;
	loff_t after = pos;
	ssize_t n;

	if (pos < file_size())
		expected = min_t(u64, len, file_size() - pos);
	begin_call();
	shim_user_end = good < len ? (char *)bytes + good : NULL;
	n = shim_read(files[i].file, (char *)bytes, len, &after);
	shim_user_end = NULL;
	failed = end_call();
	model_stats.reads++;

	if (files[i].stale) {
		expect(n == -EIO, "a stale file: %zd", n);
	} else if (!expected) {
		expect(!n && after == pos, "nothing to read: %zd", n);
	} else if (failed) {
		expect(n == -EINTR, "killed: %zd", n);
	} else {
		expect(live()->active == (active ^ fresh), "a pass is a flip");
		if (good < expected) {
			expect(n == -EFAULT, "bad buffer: %zd", n);
			files[i].next = -1;
		} else {
			expect(n == (ssize_t)expected, "read: %zd", n);
			check_bytes(bytes, n, pos, fresh);
			files[i].next = pos + n;
		}
		if (fresh)
			flushed();
	}
	expect(after == (n > 0 ? pos + n : pos), "the position");
	free(bytes);
}

static void step_read(void)
{
	size_t i = pick(NR_FILES), len;
	loff_t pos;

	if (!have_file(i))
		return;
	pos = pick_pos(i);
	len = pick_length();
	read_file(i, pos, len, pick(16) == 1 ? pick(len + 1) : len);
	if (pick(16) == 1 || files[i].stale)
		close_file(i);
}

/* The whole file, in reads of one size. */
static void step_pass(void)
{
	size_t i = pick(NR_FILES), step = 1 + pick(8192);
	loff_t pos;

	if (!have_file(i) || files[i].stale)
		return;
	if (step < model.slots / 16)
		step = model.slots / 16;
	for (pos = 0; pos < file_size(); pos += step) {
		read_file(i, pos, step, step);
		/* A read that was killed is made again. */
		if (files[i].next <= pos)
			pos -= step;
	}
}

/* What arrived during the reset counts, or doesn't: one or the other. */
static void settle_reset(void)
{
	struct profile *prof = live();
	struct profile_entry *entry;
	unsigned int cpu;
	size_t i, k;

	memset(model.given, 0, model.slots * sizeof(*model.given));
	memset(model.seen, 0, model.slots * sizeof(*model.seen));
	for (i = 0; i < nr_during; i++)
		model.given[during[i].slot] =
			(u32)atomic_read(&prof->buffer.hits[during[i].slot]);
	for_each_possible_cpu(cpu) {
		if (!nr_during || !prof->cpus[cpu].table[prof->active])
			continue;
		entry = prof->cpus[cpu].table[prof->active]->group[0].entry;
		for (k = 0; k < PAGE_SIZE / sizeof(*entry); k++)
			if (entry[k].hits)
				model.given[entry[k].slot] += entry[k].hits;
	}
	for (i = 0; i < nr_during; i++)
		expect(shown(model.given[during[i].slot]) <=
			shown(given_during(during[i].slot)),
			"hits of slot %u have come back", during[i].slot);
}

static int pick_multiplier(void)
{
	static const int multipliers[] = {
		1, 1, 2, 2, 3, 7, 100, 399, 400, 401, 0, -1, INT_MIN, INT_MAX
	};
	int text;

	if (pick(8) == 1) {
		memcpy(&text, "123\n", 4);
		return text;
	}
	return multipliers[pick(ARRAY_SIZE(multipliers))];
}

/* The rate changes, if the mode, the limits and the timers allow for it. */
static int expect_multiply(int multiplier)
{
	u32 period;

	if (model.mode != CPU_PROFILING)
		return -EINVAL;
	if (multiplier < 1 || multiplier > 400)
		return -EINVAL;
	period = multiplier == 1 ? 0 : 4000000 / multiplier;
	if (period && period < hrtimer_resolution)
		return -EINVAL;
	model.period = period;
	model_stats.rates++;
	return 0;
}

static void step_write(void)
{
	size_t i = pick(NR_FILES);
	size_t len = pick(2) ? 4 : pick(9);
	char text[8] = { 0 };
	int multiplier = pick_multiplier(), err = 0;
	bool bad = len == 4 && pick(16) == 1;
	ssize_t n;

	if (!have_file(i))
		return;
	memcpy(text, &multiplier, sizeof(multiplier));
	begin_call();
	shim_user_end = bad ? text + pick(4) : NULL;
	n = shim_write(files[i].file, text, len);
	shim_user_end = NULL;
	end_call();
	if (files[i].stale) {
		expect(n == -EIO, "a stale file: %zd", n);
		close_file(i);
		return;
	}
	if (bad)
		err = -EFAULT;
	else if (len == 4)
		err = expect_multiply(multiplier);
	expect(n == (err ?: (ssize_t)len), "write: %zd, not %d", n, err);
	if (err)
		return;
	settle_reset();
	model_stats.resets++;
}

/* The way of 2010: no reset. */
static void step_setup_timer(void)
{
	int multiplier = pick_multiplier(), err;

	/* Without files there is nothing to see the timers by. */
	if (model.mode && !live())
		return;
	if (pick(4) == 1)
		system_state = SYSTEM_BOOTING;
	begin_call();
	err = setup_profiling_timer(multiplier);
	end_call();
	if (system_state == SYSTEM_RUNNING)
		expect(err == expect_multiply(multiplier), "rate: %d", err);
	else
		expect(err == -EINVAL, "rate: %d", err);
	system_state = SYSTEM_RUNNING;
}

/* ---- CPU hotplug -------------------------------------------------------- */

static unsigned int nr_online(void)
{
	unsigned int cpu, n = 0;

	for_each_possible_cpu(cpu)
		n += shim_cpu_online(cpu);
	return n;
}

static void step_hotplug(void)
{
	unsigned int cpu = pick(nr_cpu_ids);
	bool online = shim_cpu_online(cpu);
	int err;

	if (online && nr_online() == 1)
		return;
	moving_cpu = cpu;
	begin_call();
	err = online ? shim_cpu_down(cpu) : shim_cpu_up(cpu);
	end_call();
	moving_cpu = SHIM_CPUS;
	expect(!err, "CPU %u: %d", cpu, err);
	model_stats.hotplugs++;
	if (online) {
		model.parked[cpu] |= model.mask[cpu];
		model.mask[cpu] = false;
	} else {
		model.mask[cpu] |= model.parked[cpu];
		model.parked[cpu] = false;
	}
}

/* ---- CPU mask ----------------------------------------------------------- */

static const char *pick_text(char *text, const char * const *words, size_t nr,
			     size_t *len)
{
	size_t n = 1 + pick(5), i, k;

	*len = 0;
	for (i = 0; i < n; i++) {
		k = pick(nr);
		memcpy(text + *len, words[k], strlen(words[k]));
		*len += strlen(words[k]);
	}
	return text;
}

static void pick_mask(char *text, size_t *len)
{
	static const char * const words[] = {
		"1", "f", "5", "0", "3c", "ff", "FF", ",", ",", "00000001",
		"12345678", "\n", " ", "g", "x", "",
	};
	unsigned int cpu;

	/* One of all CPUs, or anything. */
	if (pick(4) == 1) {
		*len = 0;
		for (cpu = DIV_ROUND_UP(nr_cpu_ids, 4); cpu--;) {
			*len += sprintf(text + *len, "%x",
					pick(cpu ? 16 : 1 << (nr_cpu_ids - 1) % 4));
			if (cpu && cpu % 8 == 0)
				text[(*len)++] = ',';
		}
	} else {
		pick_text(text, words, ARRAY_SIZE(words), len);
	}
	/* Larger than the kernel looks at. */
	if (pick(64) == 1) {
		memset(text, '1', PAGE_SIZE);
		*len = PAGE_SIZE + pick(2);
		text[PAGE_SIZE] = '1';
	}
}

static struct file *open_mask(void)
{
	unsigned int failed;
	struct file *file;

	begin_call();
	file = shim_open("irq/prof_cpu_mask");
	failed = end_call();
	if (!IS_ERR(file))
		return file;
	expect(failed ? PTR_ERR(file) == -ENOMEM :
		PTR_ERR(file) == -ENOENT && !live(),
		"open: error %ld", PTR_ERR(file));
	return NULL;
}

static void step_mask_write(void)
{
	char text[PAGE_SIZE + 16];
	bool mask[SHIM_CPUS];
	struct file *file = open_mask();
	unsigned int failed;
	int expected;
	bool bad;
	size_t len;
	ssize_t n;

	if (!file)
		return;
	pick_mask(text, &len);
	bad = pick(16) == 1 && len;
	begin_call();
	shim_user_end = bad ? text + pick(len) : NULL;
	n = shim_write(file, text, len);
	shim_user_end = NULL;
	failed = end_call();

	expected = expect_mask(text, len, mask);
	if (len > PAGE_SIZE)
		expect(n == -EINVAL, "too long: %zd", n);
	else if (failed)
		expect(n == -ENOMEM || (bad && n == -EFAULT) ||
		       (n == expected && expected == -EINVAL), "failed: %zd", n);
	else if (bad)
		expect(n == -EFAULT, "bad buffer: %zd", n);
	else
		expect(n == (expected ?: (ssize_t)len),
		       "mask '%.*s': %zd, not %d", (int)len, text, n, expected);
	if (n == (ssize_t)len) {
		memcpy(model.mask, mask, nr_cpu_ids);
		memset(model.parked, 0, sizeof(model.parked));
		model_stats.masks++;
	}
	shim_close(file);
}

static void step_mask_read(void)
{
	char text[64] = "", text2[64] = "";
	struct file *file = open_mask();
	bool mask[SHIM_CPUS];
	loff_t pos = 0;
	ssize_t n, k;

	if (!file)
		return;
	n = shim_read(file, text, sizeof(text), &pos);
	expect(n > 1 && text[n - 1] == '\n', "a line: %zd", n);
	expect(!expect_mask(text, n, mask), "what is read is good");
	expect(!memcmp(mask, model.mask, nr_cpu_ids), "mask %s", text);
	expect(!shim_read(file, text, sizeof(text), &pos), "the end");
	expect(!shim_lseek(file, 0, SEEK_SET), "seek");
	pos = 0;
	for (k = 0; k < n; k++)
		expect(shim_read(file, text2 + k, 1, &pos) == 1, "a byte");
	expect(!memcmp(text, text2, n), "byte by byte it is the same");
	shim_close(file);
}

/* ---- Start and stop ----------------------------------------------------- */

static void pick_option(char *text, size_t *len)
{
	static const char * const words[] = {
		"cpu", "cpu", "schedule", "sleep", "off", "sleep", "kvm",
		",", ",", "0", "1", "2", "3", "5", "16", "31", "32", "0x",
		"0x2", "01", "08", "\n", " ", "-1", "99999999999", "CPU",
		"\xe4", "\xd7", "", "\x01", "123456789012345678901234567890",
	};
	static const char * const good[] = {
		"0", "cpu", "schedule", "2", "schedule,1\n", "cpu0", "cpu,",
		"3\n", "sleep", "sleep,0x1", "kvm", "kvm02", "off", "off",
		"off", "off\n",
	};
	const char *text2 = good[pick(ARRAY_SIZE(good))];

	if (pick(2)) {
		*len = strlen(text2);
		memcpy(text, text2, *len + 1);
	} else {
		pick_text(text, words, ARRAY_SIZE(words), len);
	}
}

/* What a start leads to, given what has failed meanwhile. */
static int start_error(unsigned int failed)
{
	if (failed & SHIM_FAULT_HOTPLUG)
		return -ENOSPC;
	return failed & ~SHIM_FAULT_NODE ? -ENOMEM : 0;
}

static void model_start(unsigned int shift)
{
	model.shift = shift;
	model.slots = shim_text_bytes >> shift;
	model.given = calloc(model.slots, sizeof(*model.given));
	model.seen = calloc(model.slots, sizeof(*model.seen));
	memset(model.mask, true, sizeof(model.mask));
	memset(model.parked, false, sizeof(model.parked));
	model.period = 0;
}

static void model_stop(void)
{
	size_t i;

	model.mode = 0;
	free(model.given);
	free(model.seen);
	model.given = NULL;
	model.seen = NULL;
	memset(model.mask, true, sizeof(model.mask));
	memset(model.parked, false, sizeof(model.parked));
	model.period = 0;
	for (i = 0; i < NR_FILES; i++)
		files[i].stale = true;
}

static void end_start(ssize_t got, ssize_t good, int err, int mode)
{
	expect(got == (err ?: good), "start: %zd, not %zd",
	       got, err ?: good);
	if (err) {
		model_stop();
		return;
	}
	model.mode = mode;
	model_stats.starts++;
}

static void control(const char *text, size_t len)
{
	unsigned int shift, failed, infos = shim_infos, warnings = shim_warnings;
	int mode, was = model.mode;
	bool good;
	ssize_t n;

	good = expect_option(text, len, shim_text_bytes, &mode, &shift);
	if (!was && good && mode)
		model_start(shift);
	changing = true;
	begin_call();
	n = profile_control(text, len);
	failed = end_call();
	changing = false;

	if (good && !mode) {
		expect(n == (ssize_t)len, "off: %zd", n);
		if (was)
			model_stop();
	} else if (was) {
		expect(n == -EEXIST, "on already: %zd", n);
	} else if (good) {
		end_start(n, len, start_error(failed), mode);
	} else {
		expect(n == -EINVAL, "'%.*s': %zd", (int)len, text, n);
		model_stats.refusals++;
	}
	expect(shim_infos - infos == (!model.mode != !was), "an info");
	expect(shim_warnings - warnings == (n < 0 && n != -EEXIST),
	       "a warning");
}

static void step_control(void)
{
	char text[256];
	size_t len;

	pick_option(text, &len);
	control(text, len);
}

/* Each thing that a start needs fails in its turn, until none is left. */
static void step_failed_starts(void)
{
	static const char * const texts[] = { "2", "schedule", "sleep,1", "kvm" };
	const char *text = texts[pick(ARRAY_SIZE(texts))];
	unsigned int failed, turn = 1;

	if (model.mode)
		return;
	do {
		fail_turn = turn++;
		control(text, strlen(text));
		fail_turn = 0;
		failed = last_failed;
		if (model.mode)
			control("off", 3);
	} while (failed);
}

/* Another machine: it may have one CPU, or a text that is hardly there. */
static void step_machine(void)
{
	static const size_t texts[] = {
		1, 2, 7, 64, 1000, 4096, 4099, 16384, 70001
	};
	static const unsigned int cpus[] = { 1, 2, 3, 4, 4, 8, 33, 72 };
	unsigned int nr;

	if (model.mode)
		return;
	nr = cpus[pick(ARRAY_SIZE(cpus))];
	shim_boot_cpus(nr, 1 + pick(nr));
	shim_text_bytes = texts[pick(ARRAY_SIZE(texts))];
	shim_proc_fs = pick(16) != 1;
	hrtimer_resolution = pick(4) == 1 ? 1500000 : 1;
}

static void boot_option(char *text, size_t len)
{
	unsigned int shift, warnings = shim_warnings;
	int mode;

	expect(shim_setup(text) == 1, "the option is ours");
	if (expect_option(text, len, shim_text_bytes, &mode, &shift)) {
		model.boot_mode = mode;
		model.boot_shift = shift;
		expect(shim_warnings == warnings, "'%s' is good", text);
	} else {
		expect(shim_warnings == warnings + 1, "'%s' is bad", text);
	}
}

/* The steps of a boot that starts the profiler; CPUs work between them. */
static void step_boot(void)
{
	char text[256];
	unsigned int failed, warnings;
	int err, result;
	size_t len;

	if (model.mode)
		return;
	pick_option(text, &len);
	text[len] = '\0';
	boot_option(text, len);
	/* A shift that an earlier, larger text had room for. */
	if (!(shim_text_bytes >> model.boot_shift)) {
		memcpy(text, "0", 2);
		boot_option(text, 1);
	}
	if (model.boot_mode)
		model_start(model.boot_shift);

	warnings = shim_warnings;
	changing = true;
	begin_call();
	result = profile_init();
	run_cpu(8);
	result = shim_early_initcall() ?: result;
	run_cpu(8);
	result = shim_subsys_initcall() ?: result;
	failed = end_call();
	changing = false;
	err = model.boot_mode ? start_error(failed) : 0;
	expect(shim_warnings - warnings == !!err, "a warning");
	if (model.boot_mode)
		end_start(result, 0, err, model.boot_mode);
	else
		expect(!result, "nothing to boot: %d", result);
	model_stats.boots++;
}

/* ---- Hooks and events of others ----------------------------------------- */

static void step_timer_hook(void)
{
	unsigned int i = pick(2), backtraces = shim_backtraces;

	nr_during = 0;
	if (pick(2)) {
		expect(register_timer_hook(timer_hooks[i]) ==
			(hook_registered < 0 ? 0 : -EBUSY), "a hook");
		if (hook_registered < 0)
			hook_registered = i;
		return;
	}
	unregister_timer_hook(pick(8) == 1 ? NULL : timer_hooks[i]);
	if (shim_backtraces == backtraces) {
		expect(hook_registered == i, "that hook was not registered");
		hook_registered = -1;
	}
}

/* The chain that is called notes who is called, and with what. */
static struct event_block {
	struct notifier_block nb;
	bool registered;
	bool takes;
	unsigned int calls;
	void *data;
} blocks[NR_CHAINS][NR_BLOCKS];

static int notified(struct notifier_block *nb, unsigned long action, void *data)
{
	struct event_block *block = container_of(nb, struct event_block, nb);

	block->calls++;
	block->data = data;
	return block->takes ? NOTIFY_OK : NOTIFY_DONE;
}

static int change_event(unsigned int chain, struct notifier_block *nb, bool add)
{
	static const enum profile_type types[] = {
		PROFILE_TASK_EXIT, PROFILE_MUNMAP
	};

	if (chain == 2)
		return add ? task_handoff_register(nb) :
			     task_handoff_unregister(nb);
	return add ? profile_event_register(types[chain], nb) :
		     profile_event_unregister(types[chain], nb);
}

static void change_block(unsigned int chain, struct event_block *block,
			 bool add)
{
	int err;

	block->nb.notifier_call = notified;
	err = change_event(chain, &block->nb, add);
	if (add)
		expect(err == (block->registered ? -EEXIST : 0), "%d", err);
	else
		expect(err == (block->registered ? 0 : -ENOENT), "%d", err);
	block->registered = add;
}

static bool call_chain(unsigned int chain, void *data)
{
	if (chain == 2)
		return profile_handoff_task(data);
	if (chain)
		profile_munmap((unsigned long)data);
	else
		profile_task_exit(data);
	return false;
}

/* Everybody is told, but one task goes to one taker. */
static void check_chain(unsigned int chain)
{
	struct event_block *block;
	unsigned int calls = 0, takers = 0, registered = 0, i;
	int data;
	bool taken;

	for (i = 0; i < NR_BLOCKS; i++) {
		blocks[chain][i].calls = 0;
		blocks[chain][i].takes = chain == 2 && pick(2);
	}
	taken = call_chain(chain, &data);
	for (i = 0; i < NR_BLOCKS; i++) {
		block = &blocks[chain][i];
		expect(block->calls <= block->registered, "%u calls",
		       block->calls);
		expect(!block->calls || block->data == &data, "the data");
		registered += block->registered;
		calls += block->calls;
		takers += block->calls && block->takes;
	}
	expect(takers == taken, "%u take it", takers);
	expect(taken || calls == registered, "%u of %u are told", calls,
	       registered);
}

static void step_event(void)
{
	unsigned int chain = pick(NR_CHAINS), i = pick(NR_BLOCKS);
	struct notifier_block *nb = &blocks[chain][i].nb;

	nr_during = 0;
	model_stats.events++;
	if (pick(16) == 1) {
		expect(profile_event_register(77, nb) == -EINVAL &&
		       profile_event_unregister(77, nb) == -EINVAL,
			"there is no such event");
		return;
	}
	change_block(chain, &blocks[chain][i], pick(2));
	check_chain(pick(NR_CHAINS));
}

static void forget_hooks(void)
{
	unsigned int chain, i;

	if (hook_registered >= 0)
		unregister_timer_hook(timer_hooks[hook_registered]);
	hook_registered = -1;
	for (chain = 0; chain < NR_CHAINS; chain++)
		for (i = 0; i < NR_BLOCKS; i++)
			if (blocks[chain][i].registered)
				change_block(chain, &blocks[chain][i], false);
	expect(!static_branch_unlikely(&profile_key) &&
	       !static_branch_unlikely(&profile_event_key),
		"the call sites are closed");
}

/* ---- Invariants --------------------------------------------------------- */

static void check_off(void)
{
	expect(!prof_on && static_branch_unlikely(&profile_key) ==
		(hook_registered >= 0), "off");
	expect(!shim_find("profile") && !shim_find("irq/prof_cpu_mask"),
	       "no files");
	expect(!shim_allocations(), "%ld allocations", shim_allocations());
}

static void check_table(const struct profile_table *table, bool empty, u64 *sum)
{
	const struct profile_entry *entry = table->group[0].entry;
	size_t i, k, of_group;

	for (i = 0; i < PAGE_SIZE / sizeof(*entry); i++) {
		if (!entry[i].hits)
			continue;
		expect(!empty, "the table is empty");
		expect(entry[i].slot < model.slots, "slot %u", entry[i].slot);
		sum[entry[i].slot] += entry[i].hits;
		of_group = i - i % PROFILE_GROUP_ENTRIES;
		for (k = of_group; k < i; k++)
			expect(!entry[k].hits || entry[k].slot != entry[i].slot,
			       "slot %u stands twice", entry[i].slot);
	}
}

static void check_cpu(const struct profile *prof, unsigned int cpu, u64 *sum)
{
	const struct profile_cpu *pcpu = &prof->cpus[cpu];
	bool empty, online = shim_cpu_online(cpu);
	int i;

	expect(pcpu->muted == !model.mask[cpu], "CPU %u", cpu);
	expect(pcpu->sampler.period == (online ? model.period : 0) &&
	       pcpu->sampler.timer.queued == !!pcpu->sampler.period,
		"CPU %u: %u", cpu, pcpu->sampler.period);
	for (i = 0; i < 2; i++) {
		if (!pcpu->table[i])
			continue;
		expect(nr_cpu_ids > 1, "a single CPU has no table");
		empty = i != (int)prof->active || !online;
		check_table(pcpu->table[i], empty, sum);
	}
}

/* Hits given are in the buffer or in a table. */
static void check_sum(const struct profile *prof, u64 *sum)
{
	unsigned int cpu;
	size_t slot;

	for_each_possible_cpu(cpu)
		check_cpu(prof, cpu, sum);
	for (slot = 0; slot < model.slots; slot++) {
		sum[slot] += (u32)atomic_read(&prof->buffer.hits[slot]);
		expect(shown(sum[slot]) == shown(model.given[slot]),
		       "slot %zu has %llu of %llu hits", slot,
			(unsigned long long)sum[slot],
			(unsigned long long)model.given[slot]);
		model_stats.saturated += model.given[slot] > U32_MAX;
	}
}

void model_check(void)
{
	struct profile *prof = live();
	u64 *sum;
	int type;

	if (!model.mode) {
		check_off();
		return;
	}
	expect(prof_on == model.mode, "mode %d", prof_on);
	for (type = CPU_PROFILING; type <= KVM_PROFILING; type++)
		expect(profile_enabled(type) == (type == model.mode),
		       "the call sites of mode %d", type);
	expect(!prof == !shim_proc_fs, "there are files");
	if (!prof)
		return;
	expect(shim_mode(shim_find("profile")) == 0644, "all may read");
	expect(shim_mode(shim_find("irq/prof_cpu_mask")) == 0600, "root may");
	expect(prof->buffer.last + 1 == model.slots, "slots");
	sum = calloc(model.slots, sizeof(*sum));
	check_sum(prof, sum);
	free(sum);
}

/* ---- Runs --------------------------------------------------------------- */

void model_step(void)
{
	static void (* const steps[])(void) = {
		step_hits, step_hits, step_hits, step_hits, step_flood,
		step_read, step_read, step_read, step_read, step_pass,
		step_write, step_hotplug, step_hotplug, step_mask_write,
		step_mask_read, step_time,
	};
	static void (* const rare[])(void) = {
		step_control, step_control, step_control, step_failed_starts,
		step_machine,
		step_boot, step_timer_hook, step_event, step_event,
		step_setup_timer,
	};

	model_stats.steps++;
	if (pick(24) == 1 || !model.mode)
		rare[pick(ARRAY_SIZE(rare))]();
	else
		steps[pick(ARRAY_SIZE(steps))]();
}

void model_begin(void)
{
	char off[] = "off";

	shim_boot_cpus(4, 4);
	shim_text_bytes = 4099;
	shim_proc_fs = true;
	expect(shim_setup(off) == 1, "the option is ours");
	model.boot_mode = 0;
	model.boot_shift = 0;
	model_stop();
}

void model_end(void)
{
	size_t i;

	model_check();
	control("off", 3);
	forget_hooks();
	for (i = 0; i < NR_FILES; i++)
		close_file(i);
	model_check();
}

void model_print_stats(FILE *to)
{
	const struct model_stats *s = &model_stats;

	fprintf(to, "%lu steps: %lu hits, %lu ticks, %lu reads, %lu fresh, ",
		s->steps, s->hits, s->ticks, s->reads, s->fresh);
	fprintf(to, "%lu resets, %lu hotplugs, %lu masks, %lu starts, ",
		s->resets, s->hotplugs, s->masks, s->starts);
	fprintf(to, "%lu rates, %lu timers, %lu blocked, %lu events, ",
		s->rates, s->fires, s->blocked, s->events);
	fprintf(to, "%lu boots, %lu refusals, %lu failures, ",
		s->boots, s->refusals, s->failures);
	fprintf(to, "%lu bursts during a call, %lu full counters\n",
		s->during, s->saturated);
}
