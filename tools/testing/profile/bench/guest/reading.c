// SPDX-License-Identifier: GPL-2.0-only
/*
 * In the guest: what it takes to read a profile, and what the other CPUs hear
 * of it; and a piece of work for what is measured otherwise.
 *
 * Its name says what to do:
 *
 *	cost	where the clock counts instructions: those of a reader, and the
 *		nanoseconds until it has what it wants
 *	quiet	interrupts and softirqs of other CPUs, while somebody reads and
 *		while nobody does
 *	alone	the same of the last CPU, which runs a program that asks nothing
 *		of the kernel
 *	work	the nanoseconds that a fixed piece of work takes
 */

#define _GNU_SOURCE

#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PROFILE_FILE	"/proc/profile"
#define READS		50

typedef long long s64;

static s64 nanoseconds(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		err(1, "clock_gettime");
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "pin to CPU %d", cpu);
}

/* ---- Readers ------------------------------------------------------------ */

/* All of the file, by reads of this length. */
static void read_all(size_t len)
{
	int fd = open(PROFILE_FILE, O_RDONLY);
	char *buf = malloc(len);
	ssize_t n;

	if (fd < 0 || !buf)
		err(1, PROFILE_FILE);
	do {
		n = read(fd, buf, len);
	} while (n > 0);
	if (n < 0)
		err(1, PROFILE_FILE);
	close(fd);
	free(buf);
}

static void read_at_once(void)
{
	read_all(64 << 20);
}

static void read_4k(void)
{
	read_all(4096);
}

static void run(char *const argv[])
{
	int status, null;
	pid_t pid = fork();

	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		errx(1, "%s failed", argv[0]);
}

static void run_cat(void)
{
	run((char *[]){ "cat", PROFILE_FILE, NULL });
}

static void run_dd(void)
{
	run((char *[]){ "dd", "if=" PROFILE_FILE, "of=/dev/null", "bs=4k", NULL });
}

static void run_readprofile(void)
{
	run((char *[]){ "readprofile", "-m", "/boot/System.map", NULL });
}

static void run_nothing(void)
{
	run((char *[]){ "true", NULL });
}

static const struct reader {
	const char	*name;
	void		(*read)(void);
} readers[] = {
	{ "one-read",		read_at_once },
	{ "reads-of-4k",	read_4k },
	{ "true",		run_nothing },
	{ "cat",		run_cat },
	{ "dd-4k",		run_dd },
	{ "readprofile",	run_readprofile },
};

#define NR_READERS	(sizeof(readers) / sizeof(*readers))

/* ---- What it costs ------------------------------------------------------ */

/* Of this process and of its children that have ended, to the microsecond. */
static s64 cpu_time(void)
{
	struct rusage usage[2];
	s64 us = 0;
	int i;

	getrusage(RUSAGE_SELF, &usage[0]);
	getrusage(RUSAGE_CHILDREN, &usage[1]);
	for (i = 0; i < 2; i++)
		us += (usage[i].ru_utime.tv_sec + usage[i].ru_stime.tv_sec) *
		      1000000LL + usage[i].ru_utime.tv_usec +
		      usage[i].ru_stime.tv_usec;
	return us * 1000;
}

static void cost(void)
{
	const struct reader *r;
	s64 cpu, wall;
	int i;

	for (r = readers; r < readers + NR_READERS; r++) {
		r->read();
		cpu = cpu_time();
		wall = nanoseconds(CLOCK_MONOTONIC);
		for (i = 0; i < READS; i++)
			r->read();
		wall = nanoseconds(CLOCK_MONOTONIC) - wall;
		cpu = cpu_time() - cpu;
		printf("read/instructions/%s\t%lld\n", r->name, cpu / READS);
		printf("read/time/%s\t%lld\n", r->name, wall / READS);
	}
}

/* ---- What others hear --------------------------------------------------- */

/* Interrupts of some CPUs that are none of their own ticks, or with them. */
static s64 count(const char *path, bool ticks, int from, int to)
{
	FILE *file = fopen(path, "r");
	char line[4096], *pos, *end;
	s64 sum = 0, n;
	int cpu;

	if (!file || !fgets(line, sizeof(line), file))
		err(1, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		pos = strchr(line, ':');
		if (!pos || (!ticks && (strstr(line, "LOC:") ||
					strstr(line, "TIMER:") ||
					strstr(line, "timer"))))
			continue;
		for (cpu = 0, pos++; cpu <= to; cpu++, pos = end) {
			n = strtoll(pos, &end, 10);
			if (end == pos)
				break;
			sum += cpu >= from ? n : 0;
		}
	}
	fclose(file);
	return sum;
}

/* Printed in hundredths of one for each read. */
struct counts {
	s64 interrupts;
	s64 softirqs;
};

static struct counts count_all(bool ticks, int from, int to)
{
	return (struct counts){
		.interrupts = count("/proc/interrupts", ticks, from, to),
		.softirqs = count("/proc/softirqs", ticks, from, to),
	};
}

static void print_counts(const char *name, struct counts before,
			 struct counts after)
{
	printf("%s/interrupts\t%.2f\n", name,
	       (double)(after.interrupts - before.interrupts) / READS);
	printf("%s/softirqs\t%.2f\n", name,
	       (double)(after.softirqs - before.softirqs) / READS);
}

static void sleep_until(s64 when)
{
	struct timespec ts = { when / 1000000000, when % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

/* Beside each reader: nothing, for as long as that took. */
static void listen_to(const char *what, const struct reader *r, bool ticks,
		      int from, int to)
{
	struct counts start, read, idle;
	char name[128];
	s64 begin, end;
	int i;

	r->read();
	begin = nanoseconds(CLOCK_MONOTONIC);
	start = count_all(ticks, from, to);
	for (i = 0; i < READS; i++)
		r->read();
	read = count_all(ticks, from, to);
	end = nanoseconds(CLOCK_MONOTONIC);
	sleep_until(2 * end - begin);
	idle = count_all(ticks, from, to);

	snprintf(name, sizeof(name), "%s/%s", what, r->name);
	print_counts(name, start, read);
	snprintf(name, sizeof(name), "%s/%s-not", what, r->name);
	print_counts(name, read, idle);
}

/*
 * A reader waits for a grace period, and the threads of the kernel that bring
 * one about are woken up wherever they are.
 */
static void move_threads_to(int cpu)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	cpu_set_t set;
	pid_t pid;

	if (!dir)
		err(1, "/proc");
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	while ((entry = readdir(dir))) {
		pid = atoi(entry->d_name);
		if (pid)
			sched_setaffinity(pid, sizeof(set), &set);
	}
	closedir(dir);
}

static void quiet(void)
{
	int last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	const struct reader *r;

	run_on(0);
	listen_to("woken", &readers[0], false, 1, last);
	move_threads_to(0);
	sleep(1);
	for (r = readers; r < readers + NR_READERS; r++)
		listen_to("quiet", r, false, 1, last);
}

static void alone(void)
{
	int last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	pid_t pid = fork();

	if (!pid) {
		run_on(last);
		for (;;)
			;
	}
	run_on(0);
	sleep(2);
	listen_to("alone", &readers[0], true, last, last);
	listen_to("alone", &readers[1], true, last, last);
	kill(pid, SIGKILL);
}

/* System calls, page faults and a loop, in about a second of each. */
static void work(void)
{
	s64 begin = nanoseconds(CLOCK_MONOTONIC);
	unsigned int i;
	char *mem;

	for (i = 0; i < 300; i++) {
		mem = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (mem == MAP_FAILED)
			err(1, "mmap");
		memset(mem, 1, 1 << 20);
		munmap(mem, 1 << 20);
	}
	for (i = 0; i < 1000000; i++)
		syscall(SYS_getppid);
	for (i = 0; i < 200000000; i++)
		asm volatile("" : : "r" (i));
	printf("%lld\n", nanoseconds(CLOCK_MONOTONIC) - begin);
}

int main(int argc, char *argv[])
{
	const char *what = argc ? basename(argv[0]) : "";

	if (!strcmp(what, "cost"))
		cost();
	else if (!strcmp(what, "quiet"))
		quiet();
	else if (!strcmp(what, "alone"))
		alone();
	else if (!strcmp(what, "work"))
		work();
	else
		errx(2, "there is no '%s'", what);
	return 0;
}
