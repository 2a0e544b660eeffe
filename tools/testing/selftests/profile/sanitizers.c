// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last program of a guest with a debug kernel: nothing was found that was
 * not planted, and every sanitizer that the kernel has finds what is planted.
 */

#include "profile_module.h"

/* ---- Up to here --------------------------------------------------------- */

/* Data races of others are theirs; the functions of the profiler say so. */
static bool is_foreign_race(const char *line)
{
	return strstr(line, "BUG: KCSAN: ") && !strstr(line, "prof") &&
	       !strstr(line, "timer_hook") && !strstr(line, "task_handoff");
}

static bool is_complaint(const char *line)
{
	static const char * const texts[] = {
		"BUG: ", "WARNING: ", "INFO: task ", "INFO: rcu", "Oops",
		"inconsistent lock state", "possible recursive locking",
		"self-detected stall", "detected stalls", "ODEBUG: ", "UBSAN: ",
	};
	size_t i;

	if (is_foreign_race(line))
		return false;
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		if (strstr(line, texts[i]))
			return true;
	return false;
}

static void log_is_clean(void)
{
	bool wanted = false, first = true;
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char line[1024];

	require(fd >= 0, "/dev/kmsg: %s", strerror(errno));
	while (next_record(fd, line, sizeof(line))) {
		if (first)
			expect(strstr(line, "Linux version"),
			       "the log has lost its begin");
		first = false;
		if (strstr(line, WARNINGS_BEGIN))
			wanted = true;
		else if (strstr(line, WARNINGS_END))
			wanted = false;
		else
			expect(wanted || !is_complaint(line), "%s", line);
	}
	close(fd);
}

/* Lockdep goes off for good when it has found something. */
static bool lockdep_on(void)
{
	char line[256];
	int on = 0;
	FILE *file = fopen("/proc/lockdep_stats", "r");

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, " debug_locks: %d", &on);
	if (file)
		fclose(file);
	return on;
}

static void lockdep_is_on(void)
{
	skip_if(!exists("/proc/lockdep"), "needs lockdep");
	expect(lockdep_on(), "lockdep is off");
}

static void nothing_has_leaked(void)
{
	skip_if(!has_debugfs("kmemleak"), "needs kmemleak");
	expect(!count_leaks("profile_"), "memory has leaked");
}

/* ---- What is planted ---------------------------------------------------- */

static void plant(const char *fault, const char *report)
{
	int log, found;

	need_module();
	begin_warnings();
	log = open_log();
	tell_module("do", fault);
	found = count_records(log, report);
	close(log);
	end_warnings();
	expect(found, "%s: no \"%s\" in the log", fault, report);
}

static void kasan_finds(void)
{
	skip_if(!has_kasan(), "needs KASAN");
	plant("read_behind_the_end", "BUG: KASAN: ");
}

static void ubsan_finds(void)
{
	skip_if(!has_symbol("__ubsan_handle_shift_out_of_bounds"),
		"needs UBSAN");
	plant("shift_too_far", "UBSAN: shift-out-of-bounds");
}

static void kcsan_finds(void)
{
	skip_if(!has_debugfs("kcsan"), "needs KCSAN");
	plant("race_on_all_cpus", "BUG: KCSAN: data-race in race");
}

static void kmemleak_finds(void)
{
	skip_if(!has_debugfs("kmemleak"), "needs kmemleak");
	need_module();
	tell_module("do", "lose_memory");
	expect(count_leaks(MODULE_NAME), "lost memory is not found");
}

static void atomic_sleep_finds(void)
{
	skip_if(!has_symbol("__might_sleep"), "needs DEBUG_ATOMIC_SLEEP");
	plant("sleep_while_atomic", "BUG: sleeping function called");
}

static void debug_objects_finds(void)
{
	skip_if(!has_debugfs("debug_objects"), "needs DEBUG_OBJECTS");
	plant("free_an_active_timer", "ODEBUG: ");
}

/* The last one: there is no lockdep afterwards. */
static void lockdep_finds(void)
{
	skip_if(!exists("/proc/lockdep"), "needs lockdep");
	plant("lock_in_both_orders", "possible circular locking dependency");
	expect(!lockdep_on(), "lockdep is still on");
}

static const struct test tests[] = {
	{ "log_is_clean", log_is_clean },
	{ "lockdep_is_on", lockdep_is_on },
	{ "nothing_has_leaked", nothing_has_leaked },
	{ "kasan_finds", kasan_finds },
	{ "ubsan_finds", ubsan_finds },
	{ "kcsan_finds", kcsan_finds },
	{ "kmemleak_finds", kmemleak_finds },
	{ "atomic_sleep_finds", atomic_sleep_finds },
	{ "debug_objects_finds", debug_objects_finds },
	{ "lockdep_finds", lockdep_finds },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
