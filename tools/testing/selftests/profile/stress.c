// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hits that are known beforehand, on all CPUs at once, under all that can be
 * done to a profiler: each slot has what it was given, no hit more or less.
 *
 * Environment: STRESS_HITS, how many calls to compare, and STRESS_SECONDS, how long
 * at least.
 */

#define MODULE_NAME	"profile_stress"

#include "profile_module.h"
#include "profile_helpers.h"
#include "test_modules/profile_stress.h"

#define STRESS_HITS	2000000
#define PHASES		6	/* in the life of a profiler */

/*
 * Text that nobody runs while tests do, so that all its hits are ours: what
 * KUnit needs to run suites. No slot of this size has a part of anything else.
 */
#define QUIET_FROM	"kunit_run_tests"
#define QUIET_TO	"kunit_run_all_tests"
#define QUIET_SHIFT	6

static const char * const texts[] = {
	"cpu,2", "schedule,2", "sleep,4", "kvm,2", "cpu,6", "schedule,1", "kvm,0",
};

static struct helper helpers[] = {
	{ .name = "masks", .run = write_masks },
	{ .name = "ticks", .run = make_noise },
	{ .name = "schedule load", .run = yield_endlessly },
	{ .name = "sleep load", .run = block },
	{ .name = "CPU toggler", .run = toggle },
	{ .name = "reader, 1 byte", .run = read_across, .len = 1 },
	{ .name = "reader, 7 bytes", .run = read_across, .len = 7 },
	{ .name = "reader, 4096 bytes", .run = read_across, .len = 4096 },
	{ .name = "reader, all bytes", .run = read_across, .len = ALL_BYTES },
};

/* ---- The text ----------------------------------------------------------- */

static __u64 quiet_from;
static __u32 quiet_bytes;

static __u64 address_of(const char *name)
{
	size_t i;

	for (i = 0; i < nr_symbols; i++)
		if (!strcmp(symbols[i].name, name))
			return symbols[i].addr;
	return 0;
}

static void find_quiet_text(void)
{
	__u64 from, to, step = 1ULL << QUIET_SHIFT;

	load_symbols();
	from = address_of(QUIET_FROM);
	to = address_of(QUIET_TO);
	skip_if(!from || !to, "needs the text from %s to %s", QUIET_FROM, QUIET_TO);
	from = text_start + (from - text_start + step - 1) / step * step;
	to = text_start + (to - text_start) / step * step;
	require(to >= from + 2048, "%llu bytes of quiet text", to - from);
	quiet_from = from;
	quiet_bytes = to - from;
	ksft_print_msg("%u bytes of text for hits\n", quiet_bytes);
}

/* ---- The module --------------------------------------------------------- */

/* By CPU; rounds that begin with it have a larger number. */
struct rounds {
	__u32 of[MAX_CPUS];
};

static struct rounds read_rounds(void)
{
	FILE *file = open_parameter("rounds");
	struct rounds r = { };
	unsigned int rounds;
	int cpu;

	while (fscanf(file, "%d %u", &cpu, &rounds) == 2)
		if (cpu < MAX_CPUS)
			r.of[cpu] = rounds;
	fclose(file);
	return r;
}

static void set_running(bool on)
{
	tell_module("running", on ? "1" : "0");
}

static void load_injectors(void)
{
	char text[32];

	need_module();
	snprintf(text, sizeof(text), "%llu", quiet_from);
	tell_module("from", text);
	snprintf(text, sizeof(text), "%u", quiet_bytes);
	tell_module("bytes", text);
}

/* ---- What was given ----------------------------------------------------- */

/* Since the last reset; the two differ if it happened while hits were given. */
static struct rounds surely_before, surely_after;

static void add_rounds(__u32 *hits, unsigned int shift, int cpu, __u32 from,
		       __u32 to)
{
	__u32 number, context;
	struct stress_hit hit;

	for (context = 0; context < STRESS_CONTEXTS; context++)
		for (number = from * STRESS_BURST; number != to * STRESS_BURST;
		     number++) {
			hit = stress_hit(cpu, context, number, quiet_bytes);
			hits[hit.offset >> shift] += hit.count;
		}
}

/* One behind the last slot is room for the sum of all. */
static __u32 *hits_of_rounds(unsigned int shift, const struct rounds *from,
			     const struct rounds *to)
{
	size_t slots = quiet_bytes >> shift, i;
	__u32 *hits = calloc(slots + 1, sizeof(*hits));
	int cpu;

	require(hits, "no memory for %zu slots", slots);
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (from->of[cpu] < to->of[cpu])
			add_rounds(hits, shift, cpu, from->of[cpu],
				   to->of[cpu]);
	for (i = 0; i < slots; i++)
		hits[slots] += hits[i];
	return hits;
}

/* Calls of profile_hits() that counted, at least. */
static __u64 calls_of_rounds(const struct rounds *from, const struct rounds *to)
{
	__u64 rounds = 0;
	int cpu;

	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		if (from->of[cpu] < to->of[cpu])
			rounds += to->of[cpu] - from->of[cpu];
	return rounds * STRESS_CONTEXTS * STRESS_BURST;
}

/* Hits have stopped: compares each slot, returns how many calls that were. */
static __u64 compare(const char *when)
{
	struct rounds now = read_rounds();
	struct profile prof = read_profile();
	size_t first = (quiet_from - text_start) >> prof.shift;
	size_t slots = quiet_bytes >> prof.shift, i;
	__u32 *least = hits_of_rounds(prof.shift, &surely_after, &now);
	__u32 *most = hits_of_rounds(prof.shift, &surely_before, &now);
	__u32 sum = 0, wrong = 0;

	for (i = 0; i < slots; i++) {
		sum += prof.hits[first + i];
		if (prof.hits[first + i] >= least[i] &&
		    prof.hits[first + i] <= most[i])
			continue;
		if (!wrong++)
			expect(false, "%s: slot %zu has %u hits, not %u to %u",
			       when, i, prof.hits[first + i], least[i], most[i]);
	}
	expect(!wrong, "%s: %u slots are wrong; %u hits of %u to %u", when,
	       wrong, sum, least[slots], most[slots]);
	free(least);
	free(most);
	free_profile(&prof);
	return calls_of_rounds(&surely_after, &now);
}

/* ---- Phases ------------------------------------------------------------- */

/* A rate that is taken resets, too; other modes than cpu have none. */
static void reset_somehow(int phase)
{
	int rate = phase % 3 ? phase * 3 : 1;

	if (phase % 2 || put_bytes(PROFILE_FILE, &rate, sizeof(rate)))
		reset();
}

/* What was done before the call is gone, what begins after it is not. */
static void reset_under_fire(int phase)
{
	int cpu;

	surely_before = read_rounds();
	reset_somehow(phase);
	surely_after = read_rounds();
	for (cpu = 0; cpu < MAX_CPUS; cpu++)
		surely_after.of[cpu]++;
}

static void reset_in_silence(int phase)
{
	surely_before = read_rounds();
	surely_after = surely_before;
	reset_somehow(phase);
}

static double until;
static __u64 compared, wanted;

static __u64 number_from_env(const char *name, __u64 otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static void set_goals(void)
{
	wanted = number_from_env("STRESS_HITS", STRESS_HITS);
	until = now() + number_from_env("STRESS_SECONDS", 0);
}

static bool goals_reached(void)
{
	return compared >= wanted && now() >= until;
}

/* Started and stopped under fire, and exact from the first reset on. */
static void live_under_fire(const char *text)
{
	char when[64];
	int phase, err;

	err = put_text(SYSFS_FILE, text);
	if (err == -EINVAL)
		return;		/* a mode that this kernel does not have */
	require(!err, "\"%s\": %s", text, strerror(-err));
	reset_under_fire(0);
	for (phase = 0; phase < PHASES; phase++) {
		sleep_ms(200);
		snprintf(when, sizeof(when), "\"%s\", phase %d", text, phase);
		set_running(false);
		compared += compare(when);
		if (phase % 3 == 1) {
			set_running(true);
			reset_under_fire(phase);
		} else {
			reset_in_silence(phase);
			set_running(true);
		}
	}
	stop();
}

static void exact_under_fire(void)
{
	size_t i;

	find_quiet_text();
	load_injectors();
	set_goals();
	start_helpers(helpers, ARRAY_SIZE(helpers));
	set_running(true);
	do {
		for (i = 0; i < ARRAY_SIZE(texts); i++)
			live_under_fire(texts[i]);
	} while (!failed && !goals_reached());
	set_running(false);
	end_helpers(helpers, ARRAY_SIZE(helpers));
	ksft_print_msg("%llu calls were compared\n", compared);
}

static const struct test tests[] = {
	{ "exact_under_fire", exact_under_fire },
};

int main(void)
{
	int ret;

	hang_seconds = 3600 + number_from_env("STRESS_SECONDS", 0);
	ret = run_tests(tests, ARRAY_SIZE(tests));
	unload_module();
	return ret;
}
