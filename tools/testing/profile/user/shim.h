/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a test may do to the world around kernel/profile.c: be a CPU, take one
 * away, open files, let things fail, look at the log.
 *
 * Any number of threads may run on a CPU. Interrupts are on unless a thread
 * turns them off; then all others wait. A CPU that goes waits for all of them.
 */
#ifndef SHIM_H
#define SHIM_H

#include <asm/irq_regs.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/sched.h>

/* ---- Threads and CPUs --------------------------------------------------- */

/* Start to run on a CPU; false if it is offline. */
bool shim_cpu_enter(unsigned int cpu);
void shim_cpu_leave(void);

bool shim_cpu_online(unsigned int cpu);
int shim_cpu_up(unsigned int cpu);
int shim_cpu_down(unsigned int cpu);

/* Boot with this many possible CPUs, of which some are online. */
void shim_boot_cpus(unsigned int nr, unsigned int nr_online);

/* On the CPU that the thread runs on: a timer tick, and all timers now due. */
void shim_tick(int type, struct pt_regs *regs);
unsigned int shim_fire_timers(struct pt_regs *regs);

/* Let time pass. */
void shim_sleep(u64 ns);

/* A task that was blocked is woken. */
void shim_blocked(struct task_struct *task, u64 ns);

/* If set, called wherever a task may lose its CPU. */
extern void (*shim_hook)(void);

/* ---- Boot --------------------------------------------------------------- */

extern int (*const shim_setup)(char *text);
extern int (*const shim_early_initcall)(void);
extern int (*const shim_subsys_initcall)(void);
extern size_t shim_text_bytes;

/* ---- Failures ----------------------------------------------------------- */

/* Let the n-th thing from now that can fail do so; 0: none. */
void shim_fail_at(unsigned int n);

/* Let the first thing of this kind do so; 0: none. */
void shim_fail_first(unsigned int fault);

/* What has failed since then: SHIM_FAULT_* */
unsigned int shim_failed(void);

/* Allocations that were not freed yet. */
long shim_allocations(void);

/* Where the mapped memory of this thread's user ends; NULL: nowhere. */
extern __thread const char *shim_user_end;

/* ---- Log ---------------------------------------------------------------- */

/* Lines so far, backtraces so far, and the last line of this thread. */
extern unsigned int shim_infos, shim_warnings, shim_backtraces;
extern __thread char shim_log[512];

/* ---- Files -------------------------------------------------------------- */

struct proc_dir_entry *shim_find(const char *name);
struct file *shim_open(const char *name);
int shim_close(struct file *file);
ssize_t shim_read(struct file *file, char *buf, size_t count, loff_t *pos);
ssize_t shim_write(struct file *file, const char *buf, size_t count);
loff_t shim_lseek(struct file *file, loff_t offset, int whence);
mode_t shim_mode(const struct proc_dir_entry *entry);
void *shim_data(const struct proc_dir_entry *entry);

#endif /* SHIM_H */
