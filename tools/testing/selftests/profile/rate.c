// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampling rate, readprofile -M: HZ times N hits in each second that a CPU
 * spends in the kernel. Exact only where a second of the guest is not one of a
 * busy host.
 */

#include "profile_test.h"

#include <limits.h>

#define SECONDS		0.3	/* of the guest; a counted one is slow */
#define TOLERANCE	0.05

/* ---- The rate ----------------------------------------------------------- */

/* The coarse clocks go from tick to tick. */
static int tick_rate(void)
{
	struct timespec ts;

	require(!clock_getres(CLOCK_MONOTONIC_COARSE, &ts), "clock_getres: %s",
		strerror(errno));
	return 1000000000 / ts.tv_nsec;
}

static int max_multiplier(void)
{
	return 100000 / tick_rate();
}

static int put_rate(int multiplier)
{
	return put_bytes(PROFILE_FILE, &multiplier, sizeof(multiplier));
}

static void set_rate(int multiplier)
{
	int err = put_rate(multiplier);

	require(!err, "multiplier %d: %s", multiplier, strerror(-err));
}

/* ---- What comes of it --------------------------------------------------- */

/* Of this process. */
static double user_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6;
}

/* Timer interrupts of one CPU so far: the rows of the local and the other one. */
static __u64 timer_interrupts(int cpu)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[8192], *pos, *end;
	int column = 0, i;
	__u64 sum = 0, n;

	require(file && fgets(line, sizeof(line), file), "/proc/interrupts");
	for (pos = line; (pos = strstr(pos, "CPU")); pos += 3, column++)
		if (atoi(pos + 3) == cpu)
			break;
	while (fgets(line, sizeof(line), file)) {
		if (!strstr(line, "timer"))
			continue;
		pos = strchr(line, ':') + 1;
		for (i = 0, n = 0; i <= column; i++, pos = end)
			n = strtoull(pos, &end, 10);
		sum += n;
	}
	fclose(file);
	return sum;
}

struct sample {
	double hits;		/* each second in the kernel */
	double interrupts;	/* each second */
};

/* One CPU, busy in the kernel; outside the loop it is masked. */
static struct sample sample(int cpu)
{
	double begin, user, spent;
	struct sample sample;
	__u64 interrupts;

	pin(cpu);
	set_mask(0);
	reset();
	interrupts = timer_interrupts(cpu);
	user = user_seconds();
	set_mask(1ULL << cpu);
	begin = now();
	do {
		noise(1);
		spent = now() - begin;
	} while (spent < SECONDS);
	set_mask(0);
	user = user_seconds() - user;
	require(user < 0.02 * spent, "%.3f of %.3f seconds in user space",
		user, spent);
	sample.interrupts = (timer_interrupts(cpu) - interrupts) / spent;
	sample.hits = total_hits() / spent;
	return sample;
}

static void expect_rate(int cpu, int multiplier)
{
	double right = (double)tick_rate() * multiplier;
	struct sample found = sample(cpu);

	ksft_print_msg("cpu%d: %d times %d: %.1f hits, %.1f interrupts\n", cpu,
		       tick_rate(), multiplier, found.hits, found.interrupts);
	expect(found.hits > right * (1 - TOLERANCE) &&
	       found.hits < right * (1 + TOLERANCE),
	       "cpu%d: %.1f hits a second, not %.1f", cpu, found.hits, right);
	/* A timer that goes on unseen shows here. */
	expect(found.interrupts < right * (1 + TOLERANCE) + tick_rate(),
	       "cpu%d: %.1f timer interrupts a second", cpu, found.interrupts);
}

/*
 * The rate is bound by what timers can do, and that is little while the machine
 * still boots.
 */
static void start_cpu(void)
{
	double begin = now();
	struct timespec ts;

	do {
		require(!clock_getres(CLOCK_MONOTONIC, &ts), "clock_getres: %s",
			strerror(errno));
		skip_if(now() - begin > 60, "no high resolution timers");
		sleep_ms(10);
	} while (ts.tv_sec || ts.tv_nsec > 1000);
	start("cpu,2");
}

static int first_online(void)
{
	return first_cpu(cpu_list("online"));
}

/* ---- Tests -------------------------------------------------------------- */

static void rate_multiplier(void)
{
	static const int multipliers[] = { 1, 4, 10 };
	size_t i;

	start_cpu();
	for (i = 0; i < ARRAY_SIZE(multipliers); i++) {
		set_rate(multipliers[i]);
		expect_rate(first_online(), multipliers[i]);
	}
}

static void rate_every_cpu(void)
{
	__u64 online = cpu_list("online");
	int cpu;

	skip_if(nr_cpus(online) == 1, "needs two CPUs");
	start_cpu();
	set_rate(4);
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (has_cpu(online, cpu))
			expect_rate(cpu, 4);
}

/* Down at one rate and up at the same, or at another one. */
static void rate_hotplug(void)
{
	static const int rates[][2] = {
		{ 1, 1 }, { 4, 4 }, { 10, 10 }, { 1, 4 }, { 10, 1 },
	};
	int cpu = first_cpu(require_hotplug());
	__u64 online = cpu_list("online");
	size_t i;

	start_cpu();
	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		set_rate(rates[i][0]);
		expect_rate(cpu, rates[i][0]);
		pin_to(online & ~(1ULL << cpu));
		set_cpus_online(1ULL << cpu, false);
		set_rate(rates[i][1]);
		expect_rate(first_cpu(online & ~(1ULL << cpu)), rates[i][1]);
		set_cpus_online(1ULL << cpu, true);
		expect_rate(cpu, rates[i][1]);
	}
}

/* An empty mask pauses samples as it does ticks. */
static void rate_mask(void)
{
	start_cpu();
	set_rate(4);
	pin(first_online());
	set_mask(0);
	reset();
	noise(64);
	expect(!total_hits(), "%llu hits with an empty mask", total_hits());
	expect_rate(first_online(), 4);
}

static void rate_back_to_ticks(void)
{
	start_cpu();
	set_rate(10);
	expect_rate(first_online(), 10);
	set_rate(1);
	expect_rate(first_online(), 1);
}

static void rate_off_on(void)
{
	start_cpu();
	set_rate(10);
	noise(16);
	stop();
	start("cpu,2");
	expect_rate(first_online(), 1);
	set_rate(10);
	expect_rate(first_online(), 10);
	stop();
	start("schedule,2");
	stop();
	start("cpu,2");
	expect_rate(first_online(), 1);
}

/* With a profile that stands still. */
static __u64 fill_and_pause(void)
{
	pin(first_online());
	noise_until(20);
	set_mask(0);
	return total_hits();
}

static void rate_range(void)
{
	const int bad[] = {
		0, -1, max_multiplier() + 1, INT_MAX, INT_MIN, 0x0a333231,
	};
	__u64 hits;
	size_t i;
	int err;

	start_cpu();
	set_rate(4);
	hits = fill_and_pause();
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		err = put_rate(bad[i]);
		expect(err == -EINVAL, "%d: %s, not EINVAL", bad[i],
		       strerror(-err));
		expect(total_hits() == hits, "%d: %llu hits, not %llu", bad[i],
		       total_hits(), hits);
	}
	expect_rate(first_online(), 4);
}

/* The highest one is only tried for an instant. */
static void rate_resets(void)
{
	const int good[] = { 1, 2, 1, 1, max_multiplier(), 1 };
	size_t i;

	start_cpu();
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		set_mask(1ULL << first_online());
		require(fill_and_pause() >= 20, "no hits");
		set_rate(good[i]);
		expect(!total_hits(), "%d: %llu hits are left", good[i],
		       total_hits());
	}
}

static void rate_other_modes(void)
{
	static const struct {
		const char *text;
		int mode;
	} others[] = {
		{ "schedule,2", MODE_SCHEDULE }, { "sleep,2", MODE_SLEEP },
		{ "kvm,2", MODE_KVM },
	};
	__u64 hits;
	size_t i;
	int n, err;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		if (!mode_is_built(others[i].mode))
			continue;
		start(others[i].text);
		hits = others[i].mode == MODE_SCHEDULE ?
			yield_on_each(1ULL << first_online(), 100) : 0;
		for (n = 1; n <= 4; n += 3) {
			err = put_rate(n);
			expect(err == -EINVAL, "\"%s\", %d: %s, not EINVAL",
			       others[i].text, n, strerror(-err));
		}
		expect(total_hits() >= hits, "\"%s\": hits are gone",
		       others[i].text);
		stop();
	}
}

/* ---- Phase -------------------------------------------------------------- */

#define WINDOWS	10

/* Where in the time from tick to tick, in tenths. */
static int window_now(void)
{
	struct timespec ts;
	long period = 1000000000 / tick_rate();

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_nsec % period * WINDOWS / period;
}

static void other_noise(int zero)
{
	char buf[2048];

	require(read(zero, buf, sizeof(buf)) == sizeof(buf), "/dev/zero");
}

/*
 * Percentage of hits in work that is done in one window alone. Of ticks it is
 * all or nothing; they may even find the program in user mode each time.
 */
static double share_of(int window, int zero)
{
	double begin = now();
	struct profile prof;
	double share;
	char buf[256];

	reset();
	while (now() - begin < SECONDS)
		if (window_now() != window)
			other_noise(zero);
		else
			require(syscall(SYS_getrandom, buf, sizeof(buf),
					GRND_INSECURE) == sizeof(buf),
				"getrandom: %s", strerror(errno));
	prof = read_profile();
	share = 100.0 * hits_of(&prof, NOISE_GLOBS "|*crng*|*random*") /
		(sum_hits(&prof) ?: 1);
	if (sum_hits(&prof) < 50)
		share = 0;
	free_profile(&prof);
	return share;
}

static void print_shares(int multiplier, const double *share)
{
	char text[16 * WINDOWS];
	int i, len = 0;

	for (i = 0; i < WINDOWS; i++)
		len += snprintf(text + len, sizeof(text) - len, " %.1f",
				share[i]);
	ksft_print_msg("times %d:%s\n", multiplier, text);
}

static void find_shares(int multiplier, int zero, double *least, double *most)
{
	double share[WINDOWS];
	int i;

	set_rate(multiplier);
	for (i = 0; i < WINDOWS; i++)
		share[i] = share_of(i, zero);
	print_shares(multiplier, share);
	*least = *most = share[0];
	for (i = 1; i < WINDOWS; i++) {
		*least = share[i] < *least ? share[i] : *least;
		*most = share[i] > *most ? share[i] : *most;
	}
}

/* What is done in one window has the same share whichever it is. */
static void rate_phase(void)
{
	int zero = open("/dev/zero", O_RDONLY), cpu = first_online();
	double least, most;

	require(zero >= 0, "/dev/zero: %s", strerror(errno));
	start_cpu();
	pin(cpu);
	set_mask(1ULL << cpu);
	find_shares(1, zero, &least, &most);
	skip_if(most < 50, "ticks are not in step with the clock");
	find_shares(4, zero, &least, &most);
	expect(least > most / 2, "from %.1f to %.1f %% of the hits", least, most);
}

static const struct test tests[] = {
	{ "rate_multiplier", rate_multiplier },
	{ "rate_every_cpu", rate_every_cpu },
	{ "rate_hotplug", rate_hotplug },
	{ "rate_mask", rate_mask },
	{ "rate_back_to_ticks", rate_back_to_ticks },
	{ "rate_off_on", rate_off_on },
	{ "rate_range", rate_range },
	{ "rate_resets", rate_resets },
	{ "rate_other_modes", rate_other_modes },
	{ "rate_phase", rate_phase },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
