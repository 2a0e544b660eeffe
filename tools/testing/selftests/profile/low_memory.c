// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel that was booted with profile=0, and without the memory that takes:
 * it says so, runs on, and takes what fits. Nobody is killed for a profile.
 */

#include "profile_module.h"

#define REFUSAL	"profile: can't start: error -12"

static bool asked_at_boot(void)
{
	char line[4096] = "";

	get_text("/proc/cmdline", line, sizeof(line));
	return strstr(line, "profile=0");
}

static void at_boot(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);

	skip_if(!asked_at_boot(), "was booted without profile=0");
	require(log >= 0, "/dev/kmsg: %s", strerror(errno));
	expect(found.mode == MODE_OFF, "there was enough: mode %d", found.mode);
	expect(count_records(log, REFUSAL) == 1, "the log says nothing of it");
	close(log);
}

static void at_run_time(void)
{
	int log = open_log(), err;

	skip_if(!asked_at_boot() || found.mode != MODE_OFF, "needs a small guest");
	err = put_text(SYSFS_FILE, "0");
	expect(err == -ENOMEM, "\"0\": %s", strerror(-err));
	expect(profiling_mode() == MODE_OFF, "mode is %d", profiling_mode());
	expect(!exists(PROFILE_FILE) && !exists(MASK_FILE), "a file is left");
	expect(!count_records(log, "oom"), "somebody was killed");
	close(log);
	start("schedule,6");
	yield_on(0, 1000);
	expect(total_hits() >= 1000, "hits are lost");
}

static const struct test tests[] = {
	{ "at_boot", at_boot },
	{ "at_run_time", at_run_time },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
