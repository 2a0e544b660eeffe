// SPDX-License-Identifier: GPL-2.0-only
/*
 * What profile= on the kernel command line has led to. The facts are gathered
 * before the first test, as tests stop the profiler. Of the log, only what came
 * before the first process counts.
 */

#include "profile_test.h"

/*
 * NULL for no option at all; rows that are not good leave the profiler off. So
 * do those of a mode that is not in this kernel.
 */
static const struct boot_text {
	const char *text;
	bool good;
	int mode;
	unsigned int shift;
} boot_texts[] = {
	{ NULL,			true,	MODE_OFF,	0 },
	{ "off",		true,	MODE_OFF,	0 },
	{ "0",			true,	MODE_CPU,	0 },
	{ "1",			true,	MODE_CPU,	1 },
	{ "2",			true,	MODE_CPU,	2 },
	{ "0x4",		true,	MODE_CPU,	4 },
	{ "12",			true,	MODE_CPU,	12 },
	{ "cpu",		true,	MODE_CPU,	0 },
	{ "cpu,",		true,	MODE_CPU,	0 },
	{ "cpu,3",		true,	MODE_CPU,	3 },
	{ "cpu3",		true,	MODE_CPU,	3 },
	{ "schedule",		true,	MODE_SCHEDULE,	0 },
	{ "schedule,",		true,	MODE_SCHEDULE,	0 },
	{ "schedule,2",		true,	MODE_SCHEDULE,	2 },
	{ "schedule2",		true,	MODE_SCHEDULE,	2 },
	{ "schedule,0x3",	true,	MODE_SCHEDULE,	3 },
	{ "sleep",		true,	MODE_SLEEP,	0 },
	{ "sleep,2",		true,	MODE_SLEEP,	2 },
	{ "kvm",		true,	MODE_KVM,	0 },
	{ "kvm,3",		true,	MODE_KVM,	3 },
	{ "",			false,	MODE_OFF,	0 },
	{ ",2",			false,	MODE_OFF,	0 },
	{ "-1",			false,	MODE_OFF,	0 },
	{ "+1",			false,	MODE_OFF,	0 },
	{ "2x",			false,	MODE_OFF,	0 },
	{ "2,",			false,	MODE_OFF,	0 },
	{ "31",			false,	MODE_OFF,	0 },
	{ "32",			false,	MODE_OFF,	0 },
	{ "64",			false,	MODE_OFF,	0 },
	{ "4294967298",		false,	MODE_OFF,	0 },
	{ "cpu,31",		false,	MODE_OFF,	0 },
	{ "cpu,schedule",	false,	MODE_OFF,	0 },
	{ "sched",		false,	MODE_OFF,	0 },
	{ "Schedule",		false,	MODE_OFF,	0 },
	{ "scheduler",		false,	MODE_OFF,	0 },
	{ "schedules",		false,	MODE_OFF,	0 },
	{ "schedule,64",	false,	MODE_OFF,	0 },
	{ "schedule,2x",	false,	MODE_OFF,	0 },
};

static struct {
	const char *text;	/* NULL without the option */
	int options;		/* how often it is on the command line */
	int mode;
	bool file, mask;
	size_t slots;
	unsigned int shift;
	__u64 hits;
} facts;

static struct {
	bool complete;		/* nothing has fallen out of the ring */
	char enabled[128];	/* the last line that says so */
	int nr_enabled;
	int nr_warnings;
} boot_log;

/* ---- Facts -------------------------------------------------------------- */

static void parse_command_line(void)
{
	static char line[4096];
	char *word, *rest;

	if (get_text("/proc/cmdline", line, sizeof(line)))
		return;
	for (word = strtok_r(line, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		if (!strncmp(word, "profile=", 8)) {
			facts.text = word + 8;
			facts.options++;
		}
}

static void gather_facts(void)
{
	struct profile prof;

	parse_command_line();
	facts.mode = profiling_mode();
	facts.file = exists(PROFILE_FILE);
	facts.mask = exists(MASK_FILE);
	if (!facts.file)
		return;
	prof = read_profile();
	facts.slots = prof.slots;
	facts.shift = prof.shift;
	facts.hits = sum_hits(&prof);
	free_profile(&prof);
}

static void note_log_line(const char *line)
{
	if (!strncmp(line, "profile: ", 9))
		boot_log.nr_warnings++;
	if (strstr(line, "profiling enabled (shift")) {
		snprintf(boot_log.enabled, sizeof(boot_log.enabled), "%s", line);
		boot_log.nr_enabled++;
	}
}

static void read_boot_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	unsigned long prio, seq;
	char record[8192], *line;
	ssize_t n;

	while ((n = read(fd, record, sizeof(record) - 1)) > 0) {
		record[n] = '\0';
		line = strchr(record, ';');
		if (!line || sscanf(record, "%lu,%lu", &prio, &seq) != 2)
			continue;
		line[strcspn(line, "\n")] = '\0';
		boot_log.complete |= !seq;
		if (strstr(line, "as init process"))
			break;
		note_log_line(line + 1);
	}
	close(fd);
}

/* ---- Tests -------------------------------------------------------------- */

static const struct boot_text *table_row(void)
{
	const struct boot_text *row = boot_texts;
	size_t i;

	skip_if(facts.options > 1, "profile= is there more than once");
	if (!facts.options)
		return row;
	for (i = 1; i < ARRAY_SIZE(boot_texts); i++)
		if (!strcmp(row[i].text, facts.text))
			return &row[i];
	skip_if(true, "profile=%s is not in the table", facts.text);
	return NULL;
}

static const struct boot_text *expected(void)
{
	static struct boot_text refused = { .mode = MODE_OFF };
	const struct boot_text *row = table_row();

	if (mode_is_built(row->mode))
		return row;
	refused.text = row->text;
	return &refused;
}

static void boot_option(void)
{
	const struct boot_text *row = expected();

	ksft_print_msg("profile=%s\n", row->text ? row->text : " is not given");
	expect(facts.mode == row->mode, "mode is %d, not %d", facts.mode,
	       row->mode);
}

/* After a failed start there must be no file to read from. */
static void boot_files(void)
{
	bool on = expected()->mode != MODE_OFF;

	expect(facts.file == on, "%s %s", PROFILE_FILE,
	       on ? "is missing" : "exists");
	expect(facts.mask == on, "%s %s", MASK_FILE,
	       on ? "is missing" : "exists");
}

static void boot_header(void)
{
	const struct boot_text *row = expected();

	skip_if(row->mode == MODE_OFF, "profiling is off");
	expect(facts.shift == row->shift, "shift is %u, not %u", facts.shift,
	       row->shift);
	expect(facts.slots == text_bytes() >> row->shift,
	       "%zu slots, not %zu", facts.slots, text_bytes() >> row->shift);
}

static void boot_log_line(void)
{
	const struct boot_text *row = expected();
	char line[128];

	skip_if(!boot_log.complete, "the log has lost its beginning");
	expect(boot_log.nr_warnings == !row->good, "%d warnings",
	       boot_log.nr_warnings);
	expect(boot_log.nr_enabled == (row->mode != MODE_OFF),
	       "%d lines say that profiling is enabled", boot_log.nr_enabled);
	if (row->mode == MODE_OFF)
		return;
	enabled_line(line, sizeof(line), row->mode, row->shift);
	expect(!strcmp(boot_log.enabled, line), "\"%s\", not \"%s\"",
	       boot_log.enabled, line);
}

/* A boot ticks, switches a lot and blocks now and then. */
static void boot_hits(void)
{
	static const __u64 least[] = {
		[MODE_CPU] = 1, [MODE_SCHEDULE] = 100, [MODE_SLEEP] = 1,
		[MODE_KVM] = 0,
	};
	const struct boot_text *row = expected();

	skip_if(row->mode == MODE_OFF, "profiling is off");
	expect(facts.hits >= least[row->mode], "%llu hits since the boot",
	       facts.hits);
	expect(row->mode != MODE_KVM || !facts.hits,
	       "%llu hits without a guest", facts.hits);
}

/* Whatever the command line said, the next start starts fresh. */
static void boot_stale_option(void)
{
	struct profile prof;

	start("schedule");
	prof = read_profile();
	expect(profiling_mode() == MODE_SCHEDULE && !prof.shift,
	       "mode %d, shift %u", profiling_mode(), prof.shift);
}

static const struct test tests[] = {
	{ "boot_option", boot_option },
	{ "boot_files", boot_files },
	{ "boot_header", boot_header },
	{ "boot_log_line", boot_log_line },
	{ "boot_hits", boot_hits },
	{ "boot_stale_option", boot_stale_option },
};

int main(void)
{
	if (!geteuid() && exists(SYSFS_FILE)) {
		read_boot_log();
		gather_facts();
	}
	return run_tests(tests, ARRAY_SIZE(tests));
}
