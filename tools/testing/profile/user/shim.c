// SPDX-License-Identifier: GPL-2.0-only
/* The kernel around kernel/profile.c, as far as it is more than a macro. */

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/profile.h>

#include "shim.h"

void (*shim_hook)(void);

void shim_pause(void)
{
	if (shim_hook && !shim_irqs_off())
		shim_hook();
}

/* ---- Failures ----------------------------------------------------------- */

static unsigned int fail_at, fail_first, failed;
static long allocations;

void shim_fail_at(unsigned int n)
{
	fail_at = n;
	failed = 0;
}

void shim_fail_first(unsigned int fault)
{
	fail_first = fault;
}

unsigned int shim_failed(void)
{
	return failed;
}

/* Only tests with a single thread let things fail. */
static bool fails(enum shim_fault fault)
{
	if (fault & fail_first)
		fail_first = 0;
	else if (!fail_at || --fail_at)
		return false;
	failed |= fault;
	return true;
}

/* ---- Memory ------------------------------------------------------------- */

long shim_allocations(void)
{
	return __atomic_load_n(&allocations, __ATOMIC_RELAXED);
}

void *shim_alloc(size_t size, bool zero, enum shim_fault fault)
{
	void *ptr;

	shim_assert(!shim_irqs_off(), "memory is allocated with interrupts on");
	if (fails(fault))
		return NULL;
	ptr = malloc(size);
	shim_assert(ptr, "the host has memory");
	memset(ptr, zero ? 0 : 0xa5, size);
	__atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
	return ptr;
}

void shim_free(const void *ptr)
{
	if (ptr)
		__atomic_sub_fetch(&allocations, 1, __ATOMIC_RELAXED);
	free((void *)ptr);
}

__thread const char *shim_user_end;

static size_t user_bytes(const char *from, size_t n)
{
	if (!shim_user_end || from + n <= shim_user_end)
		return n;
	return from < shim_user_end ? shim_user_end - from : 0;
}

size_t copy_to_user(void *to, const void *from, size_t n)
{
	size_t good = user_bytes(to, n);

	memcpy(to, from, good);
	return n - good;
}

size_t copy_from_user(void *to, const void *from, size_t n)
{
	size_t good = user_bytes(from, n);

	memcpy(to, from, good);
	return n - good;
}

void *memdup_user_nul(const void *from, size_t n)
{
	char *text = kmalloc(n + 1, GFP_KERNEL);

	if (!text)
		return ERR_PTR(-ENOMEM);
	if (user_bytes(from, n) < n) {
		kfree(text);
		return ERR_PTR(-EFAULT);
	}
	memcpy(text, from, n);
	text[n] = '\0';
	return text;
}

/* ---- Text --------------------------------------------------------------- */

/* Base 0: the text tells. A sign and a newline are taken, as in the kernel. */
int kstrtouint(const char *text, unsigned int base, unsigned int *result)
{
	unsigned long long value;
	const char *digits = text + (*text == '+');
	char *end;

	if (!isdigit((unsigned char)*digits))
		return -EINVAL;
	errno = 0;
	value = strtoull(digits, &end, base);
	end += *end == '\n';
	if (*end)
		return -EINVAL;
	if (errno || value > UINT_MAX)
		return -ERANGE;
	*result = value;
	return 0;
}

/* Words of up to 8 digits from the right, no more than the CPUs need. */
int cpumask_parse(const char *text, struct cpumask *mask)
{
	const char *end = strchrnul(text, '\n'), *word;
	unsigned int bit, i, first = 0;

	cpumask_clear(mask);
	for (; end > text; end = word - (word > text)) {
		word = end;
		while (word > text && word[-1] != ',')
			word--;
		if (end - word > 8 || first >= nr_cpu_ids)
			return -EOVERFLOW;
		for (i = 0; i < 4 * (end - word); i++) {
			char digit[2] = { end[-1 - (int)i / 4] };

			bit = strtoul(digit, NULL, 16) >> i % 4 & 1;
			if (bit && first + i >= nr_cpu_ids)
				return -EOVERFLOW;
			if (bit)
				mask->cpu[first + i] = true;
		}
		first += 32;
	}
	return 0;
}

/* Each word with as many digits as it has CPUs for. */
static size_t print_mask(char *to, const struct cpumask *mask, unsigned int nr)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int digit, cpu, value;
	char *start = to;

	for (digit = DIV_ROUND_UP(nr, 4); digit--;) {
		value = 0;
		for (cpu = 4 * digit; cpu < nr && cpu < 4 * digit + 4; cpu++)
			value |= mask->cpu[cpu] << cpu % 4;
		*to++ = digits[value];
		if (digit && digit % 8 == 0)
			*to++ = ',';
	}
	return to - start;
}

static size_t print_escaped(char *to, const char *text, int len)
{
	char *start = to;

	for (; len > 0; len--, text++)
		if (isprint((unsigned char)*text) && *text != '\\')
			*to++ = *text;
		else
			to += sprintf(to, "\\%o", (unsigned char)*text);
	return to - start;
}

/* %s %d %u %*pE %*pb; the caller gives room enough. */
static size_t print(char *to, const char *fmt, va_list args)
{
	char *start = to;
	int width;

	while (*fmt) {
		if (*fmt != '%') {
			*to++ = *fmt++;
		} else if (!strncmp(fmt, "%*p", 3)) {
			width = va_arg(args, int);
			if (fmt[3] == 'E')
				to += print_escaped(to, va_arg(args, char *),
						    width);
			else
				to += print_mask(to, va_arg(args, void *),
						 width);
			fmt += 4;
		} else {
			if (fmt[1] == 's')
				to += sprintf(to, "%s", va_arg(args, char *));
			else if (fmt[1] == 'd')
				to += sprintf(to, "%d", va_arg(args, int));
			else
				to += sprintf(to, "%u", va_arg(args, int));
			fmt += 2;
		}
	}
	*to = '\0';
	return to - start;
}

unsigned int shim_infos, shim_warnings, shim_backtraces;
__thread char shim_log[512];

void pr_info(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print(shim_log, fmt, args);
	va_end(args);
	__atomic_add_fetch(&shim_infos, 1, __ATOMIC_RELAXED);
}

void pr_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print(shim_log, fmt, args);
	va_end(args);
	__atomic_add_fetch(&shim_warnings, 1, __ATOMIC_RELAXED);
}

bool shim_warn_on(bool cond)
{
	if (cond)
		__atomic_add_fetch(&shim_backtraces, 1, __ATOMIC_RELAXED);
	return cond;
}

/* ---- Mutexes ------------------------------------------------------------ */

static __thread char self;	/* its address is the name of a thread */

void mutex_init(struct mutex *mutex)
{
	pthread_mutex_init(&mutex->lock, NULL);
	mutex->owner = NULL;
}

void mutex_lock(struct mutex *mutex)
{
	shim_assert(!shim_irqs_off(), "a task sleeps with interrupts on");
	shim_pause();
	pthread_mutex_lock(&mutex->lock);
	WRITE_ONCE(mutex->owner, &self);
}

int mutex_lock_killable(struct mutex *mutex)
{
	if (fails(SHIM_FAULT_KILL))
		return -EINTR;
	mutex_lock(mutex);
	return 0;
}

void mutex_unlock(struct mutex *mutex)
{
	shim_assert(lockdep_is_held(mutex), "who unlocks has locked");
	WRITE_ONCE(mutex->owner, NULL);
	pthread_mutex_unlock(&mutex->lock);
}

bool lockdep_is_held(const struct mutex *mutex)
{
	return READ_ONCE(mutex->owner) == &self;
}

/* ---- CPUs --------------------------------------------------------------- */

unsigned int nr_cpu_ids = 4;
const struct cpumask shim_all_cpus = { { [0 ... SHIM_CPUS - 1] = true } };
size_t shim_text_bytes = 4096;
bool shim_proc_fs = true;
enum system_states system_state = SYSTEM_RUNNING;

static struct {
	pthread_rwlock_t run;	/* held by threads that run there */
	pthread_mutex_t irq;	/* held by the one with interrupts off */
	bool online;		/* [run] */
	struct hrtimer *timers;	/* [irq] */
} cpus[SHIM_CPUS] = {
	[0 ... SHIM_CPUS - 1] = {
		.run = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP,
		.irq = PTHREAD_MUTEX_INITIALIZER,
	}
};

static __thread int this_cpu = -1;
static __thread int outer_cpu = -1;	/* where the hook came in between */
static __thread struct pt_regs *irq_regs;

unsigned int shim_cpu(void)
{
	shim_assert(this_cpu >= 0, "the thread runs on a CPU");
	shim_assert(shim_irqs_off(), "the thread stays on its CPU");
	return this_cpu;
}

bool shim_cpu_enter(unsigned int cpu)
{
	pthread_rwlock_rdlock(&cpus[cpu].run);
	if (!cpus[cpu].online) {
		pthread_rwlock_unlock(&cpus[cpu].run);
		return false;
	}
	outer_cpu = this_cpu;
	this_cpu = cpu;
	return true;
}

void shim_cpu_leave(void)
{
	pthread_rwlock_unlock(&cpus[this_cpu].run);
	this_cpu = outer_cpu;
}

void shim_cpu_lock(void)
{
	if (this_cpu >= 0)
		pthread_mutex_lock(&cpus[this_cpu].irq);
}

void shim_cpu_unlock(void)
{
	if (this_cpu >= 0)
		pthread_mutex_unlock(&cpus[this_cpu].irq);
}

static void set_online(unsigned int cpu, bool online)
{
	pthread_rwlock_wrlock(&cpus[cpu].run);
	cpus[cpu].online = online;
	pthread_rwlock_unlock(&cpus[cpu].run);
}

bool shim_cpu_online(unsigned int cpu)
{
	bool online;

	pthread_rwlock_rdlock(&cpus[cpu].run);
	online = cpus[cpu].online;
	pthread_rwlock_unlock(&cpus[cpu].run);
	return online;
}

void shim_boot_cpus(unsigned int nr, unsigned int nr_online)
{
	unsigned int cpu;

	nr_cpu_ids = nr;
	for (cpu = 0; cpu < SHIM_CPUS; cpu++)
		set_online(cpu, cpu < nr_online);
}

struct pt_regs *get_irq_regs(void)
{
	return irq_regs;
}

void shim_tick(int type, struct pt_regs *regs)
{
	unsigned long flags = shim_irq_save();

	irq_regs = regs;
	profile_tick(type);
	irq_regs = NULL;
	shim_irq_restore(flags);
}

/* ---- Timers ------------------------------------------------------------- */

unsigned int hrtimer_resolution = 1;
static ktime_t clock_now = NSEC_PER_SEC;

ktime_t ktime_get(void)
{
	return READ_ONCE(clock_now);
}

void shim_sleep(u64 ns)
{
	__atomic_add_fetch(&clock_now, ns, __ATOMIC_RELAXED);
}

void hrtimer_start(struct hrtimer *timer, ktime_t expires,
		   enum hrtimer_mode mode)
{
	unsigned int cpu = shim_cpu();

	shim_assert(!timer->queued, "the timer is idle");
	timer->expires = expires;
	timer->queued = true;
	timer->next = cpus[cpu].timers;
	cpus[cpu].timers = timer;
}

void hrtimer_cancel(struct hrtimer *timer)
{
	struct hrtimer **link = &cpus[shim_cpu()].timers;

	if (!timer->queued)
		return;
	while (*link && *link != timer)
		link = &(*link)->next;
	shim_assert(*link, "the timer is on its own CPU");
	*link = timer->next;
	timer->queued = false;
}

unsigned int shim_fire_timers(struct pt_regs *regs)
{
	unsigned long flags = shim_irq_save();
	struct hrtimer *timer = cpus[shim_cpu()].timers;
	unsigned int fired = 0;

	irq_regs = regs;
	while (timer) {
		if (timer->expires > ktime_get()) {
			timer = timer->next;
			continue;
		}
		fired++;
		shim_assert(timer->function(timer) == HRTIMER_RESTART,
			    "the timer goes on");
	}
	irq_regs = NULL;
	shim_irq_restore(flags);
	return fired;
}

/* ---- Tracepoint --------------------------------------------------------- */

static bool schedstats;
static void (*blocked_probe)(void *data, struct task_struct *task, u64 ns);

void force_schedstat_enabled(void)
{
	WRITE_ONCE(schedstats, true);
}

int register_trace_sched_stat_blocked(void (*probe)(void *data,
						    struct task_struct *task,
						    u64 ns), void *data)
{
	if (fails(SHIM_FAULT_TRACE))
		return -ENOMEM;
	shim_assert(READ_ONCE(schedstats), "the kernel takes the times");
	shim_assert(!blocked_probe, "there is no probe");
	rcu_assign_pointer(blocked_probe, probe);
	return 0;
}

int unregister_trace_sched_stat_blocked(void (*probe)(void *data,
						      struct task_struct *task,
						      u64 ns), void *data)
{
	shim_assert(blocked_probe == probe, "there is this probe");
	RCU_INIT_POINTER(blocked_probe, NULL);
	return 0;
}

void shim_blocked(struct task_struct *task, u64 ns)
{
	void (*probe)(void *data, struct task_struct *task, u64 ns);

	rcu_read_lock();
	probe = rcu_dereference(blocked_probe);
	if (probe)
		probe(NULL, task, ns);
	rcu_read_unlock();
}

/* ---- Notifiers ---------------------------------------------------------- */

static int chain_add(struct notifier_block **link, struct notifier_block *nb)
{
	for (; *link; link = &(*link)->next)
		if (*link == nb)
			return -EEXIST;
	WRITE_ONCE(nb->next, NULL);
	rcu_assign_pointer(*link, nb);
	return 0;
}

static int chain_del(struct notifier_block **link, struct notifier_block *nb)
{
	for (; *link; link = &(*link)->next)
		if (*link == nb) {
			rcu_assign_pointer(*link, nb->next);
			return 0;
		}
	return -ENOENT;
}

int blocking_notifier_chain_register(struct blocking_notifier_head *chain,
				     struct notifier_block *nb)
{
	int err;

	pthread_rwlock_wrlock(&chain->lock);
	err = chain_add(&chain->head, nb);
	pthread_rwlock_unlock(&chain->lock);
	return err;
}

int blocking_notifier_chain_unregister(struct blocking_notifier_head *chain,
				       struct notifier_block *nb)
{
	int err;

	pthread_rwlock_wrlock(&chain->lock);
	err = chain_del(&chain->head, nb);
	pthread_rwlock_unlock(&chain->lock);
	return err;
}

int blocking_notifier_call_chain(struct blocking_notifier_head *chain,
				 unsigned long action, void *data)
{
	struct notifier_block *nb;
	int ret = NOTIFY_DONE;

	pthread_rwlock_rdlock(&chain->lock);
	for (nb = chain->head; nb; nb = nb->next) {
		ret = nb->notifier_call(nb, action, data);
		if (ret & NOTIFY_STOP_MASK)
			break;
	}
	pthread_rwlock_unlock(&chain->lock);
	return ret;
}

int atomic_notifier_chain_register(struct atomic_notifier_head *chain,
				   struct notifier_block *nb)
{
	int err;

	pthread_mutex_lock(&chain->lock);
	err = chain_add(&chain->head, nb);
	pthread_mutex_unlock(&chain->lock);
	return err;
}

int atomic_notifier_chain_unregister(struct atomic_notifier_head *chain,
				     struct notifier_block *nb)
{
	int err;

	pthread_mutex_lock(&chain->lock);
	err = chain_del(&chain->head, nb);
	pthread_mutex_unlock(&chain->lock);
	synchronize_rcu();
	return err;
}

/* ---- CPU hotplug -------------------------------------------------------- */

static DEFINE_MUTEX(hotplug_lock);

void cpus_read_lock(void)
{
	mutex_lock(&hotplug_lock);
}

void cpus_read_unlock(void)
{
	mutex_unlock(&hotplug_lock);
}

/* As another task on that CPU would. */
static int run_on(unsigned int cpu, int (*run)(unsigned int cpu))
{
	int was = this_cpu, ret;

	this_cpu = cpu;
	ret = run(cpu);
	this_cpu = was;
	return ret;
}

void on_each_cpu(void (*run)(void *info), void *info, bool wait)
{
	int was = this_cpu;
	unsigned long flags;
	unsigned int cpu;

	shim_assert(lockdep_is_held(&hotplug_lock), "no CPU comes or goes");
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (!shim_cpu_online(cpu))
			continue;
		this_cpu = cpu;
		flags = shim_irq_save();
		run(info);
		shim_irq_restore(flags);
	}
	this_cpu = was;
}

static struct {
	int (*startup)(unsigned int cpu);
	int (*teardown)(unsigned int cpu);
} states[SHIM_CPUHP_STATES];	/* [hotplug_lock] */

/* Of the state of running CPUs, the calls are made on the CPU itself. */
static int call_state(enum cpuhp_state state, int (*call)(unsigned int cpu),
		      unsigned int cpu)
{
	if (!call)
		return 0;
	return state == CPUHP_AP_ONLINE_DYN ? run_on(cpu, call) : call(cpu);
}

static int start_state(enum cpuhp_state state, unsigned int cpu)
{
	return call_state(state, states[state].startup, cpu);
}

static void stop_state(enum cpuhp_state state, unsigned int cpu)
{
	shim_assert(!call_state(state, states[state].teardown, cpu),
		    "a CPU may go");
}

int shim_cpu_up(unsigned int cpu)
{
	int err = 0;

	mutex_lock(&hotplug_lock);
	if (!shim_cpu_online(cpu)) {
		err = start_state(CPUHP_BP_PREPARE_DYN, cpu);
		if (!err) {
			set_online(cpu, true);
			err = start_state(CPUHP_AP_ONLINE_DYN, cpu);
		}
	}
	mutex_unlock(&hotplug_lock);
	return err;
}

int shim_cpu_down(unsigned int cpu)
{
	mutex_lock(&hotplug_lock);
	if (shim_cpu_online(cpu)) {
		stop_state(CPUHP_AP_ONLINE_DYN, cpu);
		set_online(cpu, false);
		stop_state(CPUHP_BP_PREPARE_DYN, cpu);
	}
	mutex_unlock(&hotplug_lock);
	return 0;
}

static int setup_state(enum cpuhp_state state,
		       int (*startup)(unsigned int cpu),
		       int (*teardown)(unsigned int cpu), bool call)
{
	unsigned int cpu;

	if (fails(SHIM_FAULT_HOTPLUG))
		return -ENOSPC;
	mutex_lock(&hotplug_lock);
	shim_assert(!states[state].startup, "the state is free");
	states[state].startup = startup;
	states[state].teardown = teardown;
	for (cpu = 0; call && cpu < nr_cpu_ids; cpu++)
		if (shim_cpu_online(cpu))
			shim_assert(!startup(cpu), "the CPUs start");
	mutex_unlock(&hotplug_lock);
	return state;
}

int cpuhp_setup_state(enum cpuhp_state state, const char *name,
		      int (*startup)(unsigned int cpu),
		      int (*teardown)(unsigned int cpu))
{
	return setup_state(state, startup, teardown, true);
}

int cpuhp_setup_state_nocalls(enum cpuhp_state state, const char *name,
			      int (*startup)(unsigned int cpu),
			      int (*teardown)(unsigned int cpu))
{
	return setup_state(state, startup, teardown, false);
}

void cpuhp_remove_state_nocalls(enum cpuhp_state state)
{
	mutex_lock(&hotplug_lock);
	shim_assert(states[state].startup, "the state is in use");
	states[state].startup = NULL;
	states[state].teardown = NULL;
	mutex_unlock(&hotplug_lock);
}

/* ---- /proc -------------------------------------------------------------- */

/* proc_lock guards the tree, the lists of open files, and references. */
static pthread_mutex_t proc_lock = PTHREAD_MUTEX_INITIALIZER;
static struct proc_dir_entry *tree;

struct proc_dir_entry {
	const char *name;
	mode_t mode;
	const struct proc_ops *ops;
	void *data;
	struct inode inode;
	struct file *files;
	unsigned int refs;
	pthread_rwlock_t calls;		/* held by each call, and to remove */
	bool removed;			/* [calls] */
	struct proc_dir_entry *next;
};

static struct proc_dir_entry *find(const char *name)
{
	struct proc_dir_entry *entry = tree;

	while (entry && strcmp(entry->name, name))
		entry = entry->next;
	return entry;
}

struct proc_dir_entry *shim_find(const char *name)
{
	struct proc_dir_entry *entry;

	pthread_mutex_lock(&proc_lock);
	entry = find(name);
	pthread_mutex_unlock(&proc_lock);
	return entry;
}

mode_t shim_mode(const struct proc_dir_entry *entry)
{
	return entry->mode;
}

void *shim_data(const struct proc_dir_entry *entry)
{
	return entry->data;
}

void *pde_data(const struct inode *inode)
{
	return inode->entry->data;
}

/* Removal goes first: readers that never pause must not keep it waiting. */
static void init_calls(pthread_rwlock_t *calls)
{
	pthread_rwlockattr_t attr;

	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr,
				      PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(calls, &attr);
	pthread_rwlockattr_destroy(&attr);
}

struct proc_dir_entry *proc_create_data(const char *name, mode_t mode,
					struct proc_dir_entry *parent,
					const struct proc_ops *ops,
					void *data)
{
	struct proc_dir_entry *entry;

	if (fails(SHIM_FAULT_PROC))
		return NULL;
	entry = calloc(1, sizeof(*entry));
	entry->name = name;
	entry->mode = mode;
	entry->ops = ops;
	entry->data = data;
	entry->refs = 1;
	entry->inode.entry = entry;
	mutex_init(&entry->inode.lock);
	init_calls(&entry->calls);

	pthread_mutex_lock(&proc_lock);
	shim_assert(!find(name), "no file has that name");
	entry->next = tree;
	tree = entry;
	pthread_mutex_unlock(&proc_lock);
	shim_pause();
	return entry;
}

/* As there: what is open by now keeps the size that it has. */
void proc_set_size(struct proc_dir_entry *entry, loff_t size)
{
	pthread_mutex_lock(&proc_lock);
	if (!entry->files)
		WRITE_ONCE(entry->inode.size, size);
	pthread_mutex_unlock(&proc_lock);
}

static void put_entry(struct proc_dir_entry *entry)
{
	unsigned int refs;

	pthread_mutex_lock(&proc_lock);
	refs = --entry->refs;
	pthread_mutex_unlock(&proc_lock);
	if (refs)
		return;
	pthread_rwlock_destroy(&entry->calls);
	free(entry);
}

static void release(struct proc_dir_entry *entry, struct file *file)
{
	if (!file->released)
		entry->ops->proc_release(&entry->inode, file);
	file->released = true;
}

void proc_remove(struct proc_dir_entry *entry)
{
	struct proc_dir_entry **link = &tree;
	struct file *file;

	if (!entry)
		return;
	pthread_mutex_lock(&proc_lock);
	while (*link != entry)
		link = &(*link)->next;
	*link = entry->next;
	pthread_mutex_unlock(&proc_lock);

	shim_pause();
	pthread_rwlock_wrlock(&entry->calls);
	entry->removed = true;
	for (file = entry->files; file; file = file->next)
		release(entry, file);
	pthread_rwlock_unlock(&entry->calls);
	put_entry(entry);
}

/* Begin a call into an entry; false if it has gone. */
static bool enter(struct proc_dir_entry *entry)
{
	pthread_rwlock_rdlock(&entry->calls);
	if (!entry->removed)
		return true;
	pthread_rwlock_unlock(&entry->calls);
	return false;
}

static void leave(struct proc_dir_entry *entry)
{
	pthread_rwlock_unlock(&entry->calls);
}

struct file *shim_open(const char *name)
{
	struct proc_dir_entry *entry;
	struct file *file;
	int err = -ENOENT;

	pthread_mutex_lock(&proc_lock);
	entry = find(name);
	if (entry)
		entry->refs++;
	pthread_mutex_unlock(&proc_lock);
	if (!entry)
		return ERR_PTR(-ENOENT);

	file = calloc(1, sizeof(*file));
	file->inode = &entry->inode;
	if (enter(entry)) {
		err = entry->ops->proc_open(&entry->inode, file);
		if (!err) {
			pthread_mutex_lock(&proc_lock);
			file->next = entry->files;
			entry->files = file;
			pthread_mutex_unlock(&proc_lock);
		}
		leave(entry);
	}
	if (!err)
		return file;
	free(file);
	put_entry(entry);
	return ERR_PTR(err);
}

int shim_close(struct file *file)
{
	struct proc_dir_entry *entry = file->inode->entry;
	struct file **link = &entry->files;

	pthread_rwlock_rdlock(&entry->calls);
	release(entry, file);
	pthread_mutex_lock(&proc_lock);
	while (*link != file)
		link = &(*link)->next;
	*link = file->next;
	pthread_mutex_unlock(&proc_lock);
	pthread_rwlock_unlock(&entry->calls);
	put_entry(entry);
	free(file);
	return 0;
}

ssize_t shim_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	struct proc_dir_entry *entry = file->inode->entry;
	ssize_t n;

	if (!enter(entry))
		return -EIO;
	n = entry->ops->proc_read(file, buf, count, pos);
	leave(entry);
	return n;
}

ssize_t shim_write(struct file *file, const char *buf, size_t count)
{
	struct proc_dir_entry *entry = file->inode->entry;
	ssize_t n;

	if (!enter(entry))
		return -EIO;
	n = entry->ops->proc_write(file, buf, count, &file->pos);
	leave(entry);
	return n;
}

loff_t shim_lseek(struct file *file, loff_t offset, int whence)
{
	struct proc_dir_entry *entry = file->inode->entry;
	loff_t n;

	if (!enter(entry))
		return -EIO;
	n = entry->ops->proc_lseek(file, offset, whence);
	leave(entry);
	return n;
}

loff_t default_llseek(struct file *file, loff_t offset, int whence)
{
	if (whence == SEEK_END)
		offset += READ_ONCE(file->inode->size);
	else if (whence == SEEK_CUR)
		offset += file->pos;
	if (offset < 0)
		return -EINVAL;
	file->pos = offset;
	return offset;
}

/* ---- Text files --------------------------------------------------------- */

int single_open(struct file *file, int (*show)(struct seq_file *m, void *v),
		void *private)
{
	struct seq_file *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return -ENOMEM;
	m->show = show;
	m->private = private;
	file->private_data = m;
	return 0;
}

int single_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

void seq_printf(struct seq_file *m, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	m->len += print(m->text + m->len, fmt, args);
	va_end(args);
}

/* The text is made at the start of the file. */
ssize_t seq_read(struct file *file, char *ubuf, size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	size_t n;

	if (!*pos) {
		m->len = 0;
		m->show(m, NULL);
	}
	if (*pos >= (loff_t)m->len)
		return 0;
	n = min_t(size_t, count, m->len - *pos);
	if (copy_to_user(ubuf, m->text + *pos, n))
		return -EFAULT;
	*pos += n;
	return n;
}

loff_t seq_lseek(struct file *file, loff_t offset, int whence)
{
	return default_llseek(file, offset, whence);
}
