// SPDX-License-Identifier: GPL-2.0-only
/* profile=cpu: zero at the start, hits where the CPU is. */

#include "profile_test.h"

#include <linux/futex.h>

#define HZ_MAX	1000

/* Fill memory with what must not be seen, and give it back to the kernel. */
static void soil_memory(void)
{
	size_t size = 48 << 20;
	void *mem = malloc(size);

	require(mem, "no memory");
	memset(mem, 0xa5, size);
	free(mem);
}

/* One shift for each way in which a buffer may be allocated. */
static void unzeroed_buffer(void)
{
	static const unsigned int shifts[] = { 0, 2, 5, 8, 12, 16, 31 };
	unsigned int shift;
	double begin;
	__u64 sum, most;
	char text[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shifts); i++) {
		shift = shifts[i] < max_shift() ? shifts[i] : max_shift();
		soil_memory();
		begin = now();
		snprintf(text, sizeof(text), "%u", shift);
		start(text);
		sum = total_hits();
		/* All that ticks can have made since, and some slack. */
		most = (now() - begin + 0.1) * HZ_MAX * nr_cpus(cpu_list("online"));
		expect(sum <= most, "shift %u: %llu hits at once, %llu at most",
		       shift, sum, most);
		stop();
	}
}

static void up_no_hits(void)
{
	__u64 online = cpu_list("online");
	int cpu;

	start("4");
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!has_cpu(online, cpu))
			continue;
		pin(cpu);
		set_mask(1ULL << cpu);
		reset();
		while (total_hits() < 10)
			noise(16);
	}
}

/* The load shows itself: on its CPU, nothing has more hits. */
static void hot_function(void)
{
	int cpu = first_cpu(cpu_list("online"));
	struct profile prof;
	struct symbol *top;
	__u64 hits;

	start("2");
	pin(cpu);
	set_mask(1ULL << cpu);
	reset();
	noise_until(100);
	prof = read_profile();
	top = top_function(&prof, "", &hits);
	require(top, "no function has hits");
	ksft_print_msg("%s has %llu of %llu hits\n", top->name, hits,
		       sum_hits(&prof));
	expect(name_fits(top->name, NOISE_GLOBS), "%s is on top", top->name);
}

/* ---- Eviction ----------------------------------------------------------- */

static void do_nothing(void *arg)
{
	(void)arg;
}

/* A bit of everything: ticks find the kernel in very many places. */
static void wander(void)
{
	char text[4096];
	int fds[2], i;
	void *mem;

	for (i = 0; i < 8; i++) {
		get_text("/proc/self/maps", text, sizeof(text));
		get_text("/proc/interrupts", text, sizeof(text));
		mem = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (mem != MAP_FAILED)
			munmap(mem, 65536);
		require(!pipe(fds) && write(fds[1], text, 4096) == 4096 &&
			read(fds[0], text, 4096) == 4096, "pipe");
		close(fds[0]);
		close(fds[1]);
	}
	join(spawn(do_nothing, NULL));
}

/*
 * Hits for each unit of system time on one CPU, read once at the end: the
 * kernel's own account of the ticks that found the CPU in the kernel.
 */
static double hits_per_unit(unsigned int shift, int cpu, size_t *places)
{
	struct profile prof;
	long begin, spent;
	char text[16];
	size_t i;

	snprintf(text, sizeof(text), "%u", shift);
	start(text);
	set_mask(1ULL << cpu);
	reset();
	begin = cpu_time(cpu).kernel;
	do {
		wander();
		spent = cpu_time(cpu).kernel - begin;
	} while (spent < 1000);
	prof = read_profile();
	stop();
	for (*places = 0, i = 0; i < prof.slots; i++)
		*places += prof.hits[i] != 0;
	ksft_print_msg("shift %u: %llu hits in %zu slots, %ld units of time\n",
		       shift, sum_hits(&prof), *places, spent);
	return (double)sum_hits(&prof) / spent;
}

/*
 * With a slot or two nothing is ever evicted, with one for each byte nearly
 * everything is. The same time must have the same number of hits.
 */
static void evicted_hits(void)
{
	int cpu = first_cpu(cpu_list("online"));
	double few, many;
	size_t places;

	pin(cpu);
	few = hits_per_unit(max_shift(), cpu, &places);
	many = hits_per_unit(0, cpu, &places);
	expect(many > 0.95 * few && many < 1.05 * few,
	       "%.3f hits a unit, but %.3f with few slots", many, few);
}

/* ---- Many CPUs ---------------------------------------------------------- */

static void noise_endlessly(void *arg)
{
	struct endless *load = arg;

	pin_to(load->cpus);
	for (;;) {
		noise(1);
		count_done(load);
	}
}

/* All CPUs in one function: the machine makes progress, each CPU counts. */
static void livelock(void)
{
	__u64 online = cpu_list("online"), hits;
	struct endless *loads[MAX_CPUS];
	pid_t pids[MAX_CPUS];
	int cpu;

	start("2");
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!has_cpu(online, cpu))
			continue;
		loads[cpu] = new_endless(1ULL << cpu);
		pids[cpu] = spawn(noise_endlessly, loads[cpu]);
	}
	while (read_hits_of(NOISE_GLOBS) < 100UL * nr_cpus(online))
		sleep_ms(20);
	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (!has_cpu(online, cpu))
			continue;
		wait_done(loads[cpu], 100);
		end(pids[cpu]);
	}
	hits = read_hits_of(NOISE_GLOBS);
	expect(hits >= 100UL * nr_cpus(online), "hits are lost");
}

/* ---- Locks -------------------------------------------------------------- */

#define LOCK_GLOBS	"*spin_lock*"

/* The value is never the one that is waited for; looking takes a lock. */
static void contend(void *arg)
{
	struct endless *load = arg;
	static const unsigned int never = 1;

	for (;;) {
		syscall(SYS_futex, &load->len, FUTEX_WAIT, never, NULL, NULL, 0);
		count_done(load);
	}
}

/* A tick that finds a lock counts for the lock, not for what is on the stack. */
static void stack_guess(void)
{
	__u64 online = cpu_list("online");
	struct endless *load = new_endless(online);
	__u64 locked, all;
	int i;

	skip_if(nr_cpus(online) == 1, "needs two CPUs");
	start("2");
	for (i = 0; i < 2 * nr_cpus(online); i++)
		spawn(contend, load);
	do {
		sleep_ms(50);
		locked = read_hits_of(LOCK_GLOBS);
		all = read_hits_of("*");
	} while (locked < 20 && all < 4000);
	expect(locked >= 20, "%llu of %llu hits are those of locks", locked, all);
}

static const struct test tests[] = {
	{ "unzeroed_buffer", unzeroed_buffer },
	{ "up_no_hits", up_no_hits },
	{ "hot_function", hot_function },
	{ "evicted_hits", evicted_hits },
	{ "livelock", livelock },
	{ "stack_guess", stack_guess },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
