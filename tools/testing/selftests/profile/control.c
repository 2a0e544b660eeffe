// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/profiling: the text it takes, what it answers, what it leaves. */

#include "profile_test.h"

#define WRITERS	16

struct good_text {
	const char *text;
	int mode;
	unsigned int shift;
};

static const struct good_text good_texts[] = {
	{ "cpu",		MODE_CPU,	0 },
	{ "cpu\n",		MODE_CPU,	0 },
	{ "cpu,",		MODE_CPU,	0 },
	{ "cpu,\n",		MODE_CPU,	0 },
	{ "cpu,3",		MODE_CPU,	3 },
	{ "cpu3",		MODE_CPU,	3 },
	{ "cpu,0",		MODE_CPU,	0 },
	{ "cpu0x4",		MODE_CPU,	4 },
	{ "cpu,0xa\n",		MODE_CPU,	10 },
	{ "0",			MODE_CPU,	0 },
	{ "2",			MODE_CPU,	2 },
	{ "2\n",		MODE_CPU,	2 },
	{ "12",			MODE_CPU,	12 },
	{ "0x4",		MODE_CPU,	4 },
	{ "0xC",		MODE_CPU,	12 },
	{ "schedule",		MODE_SCHEDULE,	0 },
	{ "schedule\n",		MODE_SCHEDULE,	0 },
	{ "schedule,",		MODE_SCHEDULE,	0 },
	{ "schedule,2",		MODE_SCHEDULE,	2 },
	{ "schedule,2\n",	MODE_SCHEDULE,	2 },
	{ "schedule2",		MODE_SCHEDULE,	2 },
	{ "schedule,0x7",	MODE_SCHEDULE,	7 },
	{ "schedule0x7",	MODE_SCHEDULE,	7 },
};

struct bad_text {
	const char *text;
	size_t len;
};

#define BAD(text)	{ text, sizeof(text) - 1 }

static const struct bad_text option_texts[] = {
	BAD("\n"), BAD(" "), BAD(","), BAD(",2"), BAD(",\n"), BAD("\n2"),
	BAD("2x"), BAD("x2"), BAD("2 "), BAD(" 2"), BAD("2\t"), BAD("2\r\n"),
	BAD("2,"), BAD("2,2"), BAD("2.0"), BAD("2\n\n"), BAD("2\n3"),
	BAD("0x"), BAD("0x2g"), BAD("x4"),
	BAD("schedules"), BAD("scheduler"), BAD("sched"), BAD("schedul"),
	BAD("Schedule"), BAD("SCHEDULE"), BAD("s"), BAD("c"), BAD("cp"),
	BAD("CPU"), BAD("cpus"), BAD("cpux4"), BAD("cpu 2"), BAD("cpu,,2"),
	BAD("cpu, 2"), BAD("cpu,2 "), BAD("cpu,2,"), BAD("cpu,x"), BAD("cpu\n2"),
	BAD("cpu,schedule"), BAD("schedule,cpu"), BAD("schedule2x"),
	BAD("sleeps"), BAD("slee"), BAD("Sleep"), BAD("sleep2x"), BAD("kvms"),
	BAD("kv"), BAD("KVM"), BAD("kvm,,3"), BAD("kvm,sleep"), BAD("sleep,kvm"),
	BAD("schedule,0x"), BAD("schedule schedule"), BAD("on"), BAD("offx"),
	BAD("2\0003"), BAD("schedule\0"), BAD("\0002"), BAD("2\0"),
};

static const struct bad_text shift_texts[] = {
	BAD("-1"), BAD("+1"), BAD("-0"), BAD("cpu,-1"), BAD("cpu,+1"),
	BAD("cpu-1"), BAD("31"), BAD("32"), BAD("63"), BAD("64"), BAD("256"),
	BAD("258"), BAD("65538"), BAD("cpu,31"), BAD("cpu,32"),
	BAD("schedule,31"), BAD("schedule,32"), BAD("schedule64"),
	BAD("sleep,31"), BAD("sleep,-1"), BAD("kvm,32"), BAD("kvm-1"),
	BAD("0x1f"), BAD("0x20"), BAD("2147483648"), BAD("-2147483648"),
	BAD("4294967296"), BAD("4294967298"), BAD("18446744073709551618"),
	BAD("99999999999"), BAD("0xffffffffffffffffff"),
};

/* ---- The log ------------------------------------------------------------ */

static int open_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);

	require(fd >= 0, "/dev/kmsg: %s", strerror(errno));
	lseek(fd, 0, SEEK_END);
	return fd;
}

/* How many new records begin with this text, or are it when whole is set. */
static int log_count(int fd, const char *text, bool whole)
{
	char record[8192], *line;
	int count = 0;
	ssize_t n;

	while ((n = read(fd, record, sizeof(record) - 1)) >= 0 || errno == EPIPE) {
		if (n < 0)
			continue;
		record[n] = '\0';
		line = strchr(record, ';');
		if (!line++)
			continue;
		line[strcspn(line, "\n")] = '\0';
		count += whole ? !strcmp(line, text) :
				 !strncmp(line, text, strlen(text));
	}
	return count;
}

/* ---- Texts that are taken ----------------------------------------------- */

static void check_running(const char *text, int mode, unsigned int shift)
{
	struct profile prof;

	expect(profiling_mode() == mode, "\"%s\": mode is %d, not %d", text,
	       profiling_mode(), mode);
	prof = read_profile();
	expect(prof.shift == shift, "\"%s\": shift is %u, not %u", text,
	       prof.shift, shift);
	expect(prof.slots == text_bytes() >> shift,
	       "\"%s\": %zu slots, not %zu", text, prof.slots,
	       text_bytes() >> shift);
	expect(exists(MASK_FILE), "\"%s\": no %s", text, MASK_FILE);
	free_profile(&prof);
}

static void check_off(const char *text)
{
	expect(profiling_mode() == MODE_OFF, "\"%s\": mode is %d, not 0", text,
	       profiling_mode());
	expect(!exists(PROFILE_FILE), "\"%s\": %s exists", text, PROFILE_FILE);
	expect(!exists(MASK_FILE), "\"%s\": %s exists", text, MASK_FILE);
}

static void check_good(const struct good_text *good)
{
	int log = open_log(), err = put_text(SYSFS_FILE, good->text), lines;
	char line[128];

	if (!expect(!err, "\"%s\": %s", good->text, strerror(-err)))
		return;
	enabled_line(line, sizeof(line), good->mode, good->shift);
	lines = log_count(log, line, true);
	expect(lines == 1, "\"%s\": \"%s\" is in the log %d times", good->text,
	       line, lines);
	check_running(good->text, good->mode, good->shift);
	stop();
	check_off(good->text);
	close(log);
}

static void option_good(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good_texts); i++)
		check_good(&good_texts[i]);
}

/* The largest shift leaves one slot or more, the next one leaves none. */
static void shift_limit(void)
{
	char text[16];
	struct good_text good = { text, MODE_CPU, max_shift() };
	int err;

	snprintf(text, sizeof(text), "%u", good.shift);
	check_good(&good);
	snprintf(text, sizeof(text), "%u", good.shift + 1);
	err = put_text(SYSFS_FILE, text);
	expect(err == -EINVAL, "\"%s\": %s", text, strerror(-err));
	check_off(text);
}

/* ---- Texts that are refused --------------------------------------------- */

static void check_bad(const struct bad_text *bad)
{
	int log = open_log(), err = put_bytes(SYSFS_FILE, bad->text, bad->len);
	int lines = log_count(log, "profile: ", false);

	expect(err == -EINVAL, "\"%s\": %s, not EINVAL", bad->text,
	       strerror(-err));
	expect(lines == 1, "\"%s\": %d warnings, not 1", bad->text, lines);
	check_off(bad->text);
	if (!err)
		stop();
	close(log);
}

static void check_bad_texts(const struct bad_text *bad, size_t n)
{
	for (; n--; bad++)
		check_bad(bad);
}

static void option_parser(void)
{
	check_bad_texts(option_texts, ARRAY_SIZE(option_texts));
}

static void shift(void)
{
	check_bad_texts(shift_texts, ARRAY_SIZE(shift_texts));
}

static void option_long(void)
{
	static char text[4000];
	struct bad_text bad = { text, sizeof(text) - 1 };

	memset(text, 'x', bad.len);
	check_bad(&bad);
	memset(text, '0', bad.len);
	text[0] = '9';
	check_bad(&bad);
	memset(text + 1, ' ', bad.len - 1);
	check_bad(&bad);
}

/* Each refused text carries something that must not be remembered. */
static void stale_option(void)
{
	static const char * const bad[] = {
		"schedule,99", "99", "-3", "5x", "schedule,5x", "31", "cpu,5,",
	};
	static const struct good_text good[] = {
		{ "cpu", MODE_CPU, 0 }, { "schedule", MODE_SCHEDULE, 0 },
		{ "schedule,", MODE_SCHEDULE, 0 }, { "6", MODE_CPU, 6 },
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		for (j = 0; j < ARRAY_SIZE(good); j++) {
			expect(put_text(SYSFS_FILE, bad[i]) == -EINVAL,
			       "\"%s\" is not refused", bad[i]);
			check_good(&good[j]);
		}
}

/* ---- On and off --------------------------------------------------------- */

static void switch_off(void)
{
	stop();
	stop();
	check_off("off");
	start("schedule,4");
	expect(!put_text(SYSFS_FILE, "off\n"), "\"off\\n\" is refused");
	check_off("off");
}

static void write_while_on(void)
{
	static const char * const texts[] = {
		"cpu", "schedule", "schedule,4", "0", "7", "99", "rubbish",
	};
	size_t i;
	int err;

	start("schedule,4");
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		err = put_text(SYSFS_FILE, texts[i]);
		expect(err == -EEXIST, "\"%s\" while on: %s, not EEXIST",
		       texts[i], strerror(-err));
		check_running(texts[i], MODE_SCHEDULE, 4);
	}
}

/* The warning tells what the kernel lacks. */
static void check_refused(const struct good_text *refused, const char *why)
{
	static const struct good_text good = { "cpu,4", MODE_CPU, 4 };
	char line[256];
	int log = open_log(), err = put_text(SYSFS_FILE, refused->text), lines;

	expect(err == -EINVAL, "\"%s\": %s, not EINVAL", refused->text,
	       strerror(-err));
	snprintf(line, sizeof(line), "profile: refused '%s': %s", refused->text,
		 why);
	lines = log_count(log, line, false);
	expect(lines == 1, "\"%s\": \"%s\" is in the log %d times",
	       refused->text, line, lines);
	check_off(refused->text);
	if (!err)
		stop();
	check_good(&good);
	close(log);
}

/* Modes that a kernel may lack: they run, or they are refused. */
static void other_modes(void)
{
	static const struct good_text texts[] = {
		{ "sleep", MODE_SLEEP, 0 }, { "sleep,", MODE_SLEEP, 0 },
		{ "sleep,2", MODE_SLEEP, 2 }, { "sleep0x5", MODE_SLEEP, 5 },
		{ "kvm", MODE_KVM, 0 }, { "kvm,", MODE_KVM, 0 },
		{ "kvm3", MODE_KVM, 3 }, { "kvm,0x7", MODE_KVM, 7 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++)
		if (mode_is_built(texts[i].mode))
			check_good(&texts[i]);
		else
			check_refused(&texts[i],
				      texts[i].mode == MODE_KVM ? "kvm needs " :
				      "sleep needs ");
}

/* ---- Two writers -------------------------------------------------------- */

struct race {
	int next;		/* atomic, as the next two */
	int ready;
	int go;
	int error[WRITERS];
};

static void race_to_start(void *arg)
{
	struct race *race = arg;
	int me = __atomic_fetch_add(&race->next, 1, __ATOMIC_SEQ_CST);
	int fd = open(SYSFS_FILE, O_WRONLY);
	ssize_t n;

	require(fd >= 0, "%s: %s", SYSFS_FILE, strerror(errno));
	__atomic_fetch_add(&race->ready, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&race->go, __ATOMIC_SEQ_CST))
		sched_yield();
	n = write(fd, me & 1 ? "4" : "schedule", me & 1 ? 1 : 8);
	race->error[me] = n < 0 ? errno : 0;
}

static void run_race(struct race *race)
{
	int i, wins = 0, refused = 0;
	pid_t pids[WRITERS];

	memset(race, 0, sizeof(*race));
	for (i = 0; i < WRITERS; i++)
		pids[i] = spawn(race_to_start, race);
	while (__atomic_load_n(&race->ready, __ATOMIC_SEQ_CST) < WRITERS)
		sleep_ms(1);
	__atomic_store_n(&race->go, 1, __ATOMIC_SEQ_CST);
	for (i = 0; i < WRITERS; i++)
		join(pids[i]);
	for (i = 0; i < WRITERS; i++) {
		wins += race->error[i] == 0;
		refused += race->error[i] == EEXIST;
	}
	expect(wins == 1 && refused == WRITERS - 1,
	       "of %d writers %d won and %d had EEXIST", WRITERS, wins, refused);
}

static void two_writers(void)
{
	struct race *race = shared_memory(sizeof(*race));
	int i;

	for (i = 0; i < 20; i++) {
		run_race(race);
		expect(exists(PROFILE_FILE) && exists(MASK_FILE),
		       "files are missing after the race");
		stop();
		check_off("race");
	}
}

/* ---- Files held open across a stop -------------------------------------- */

/* An error or end of file; never data. */
static void check_gone(int fd, const char *file)
{
	__u32 word;
	ssize_t n = pread(fd, &word, sizeof(word), 0);

	expect(!n || (n < 0 && errno == EIO), "%s of a dead profiler: %zd, %s",
	       file, n, n < 0 ? strerror(errno) : "data");
	n = write(fd, "0", 1);
	expect(n < 0 && errno != EFAULT,
	       "%s of a dead profiler: a write is taken", file);
}

static void held_open(void)
{
	int i, profile, mask;

	for (i = 0; i < 50; i++) {
		start(i & 1 ? "schedule,4" : "6");
		profile = open_profile(O_RDWR);
		mask = open(MASK_FILE, O_RDWR);
		require(mask >= 0, "%s: %s", MASK_FILE, strerror(errno));
		stop();
		check_gone(profile, PROFILE_FILE);
		check_gone(mask, MASK_FILE);
		start(i & 1 ? "6" : "schedule,4");
		check_gone(profile, PROFILE_FILE);
		check_gone(mask, MASK_FILE);
		check_running("after", i & 1 ? MODE_CPU : MODE_SCHEDULE,
			      i & 1 ? 6 : 4);
		stop();
		close(profile);
		close(mask);
	}
}

/* Reads whatever is there; each open file belongs to one profiler only. */
static void read_across(void *arg)
{
	__u32 word, step;
	int fd;

	(void)arg;
	for (;;) {
		fd = open(PROFILE_FILE, O_RDONLY);
		if (fd < 0)
			continue;
		if (pread(fd, &step, 4, 0) == 4)
			while (pread(fd, &word, 4, 0) == 4)
				require(word == step,
					"the step went from %u to %u", step,
					word);
		close(fd);
	}
}

static void start_stop_readers(void)
{
	pid_t pids[4];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pids); i++)
		pids[i] = spawn(read_across, NULL);
	for (i = 0; i < 50; i++) {
		start(i & 1 ? "schedule,4" : "6");
		check_running("loop", i & 1 ? MODE_SCHEDULE : MODE_CPU,
			      i & 1 ? 4 : 6);
		stop();
		check_off("loop");
	}
	for (i = 0; i < ARRAY_SIZE(pids); i++) {
		expect(!waitpid(pids[i], NULL, WNOHANG), "a reader gave up");
		end(pids[i]);
	}
}

static const struct test tests[] = {
	{ "option_good", option_good },
	{ "option_parser", option_parser },
	{ "option_long", option_long },
	{ "shift", shift },
	{ "shift_limit", shift_limit },
	{ "stale_option", stale_option },
	{ "off", switch_off },
	{ "write_while_on", write_while_on },
	{ "other_modes", other_modes },
	{ "two_writers", two_writers },
	{ "held_open", held_open },
	{ "start_stop_readers", start_stop_readers },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
