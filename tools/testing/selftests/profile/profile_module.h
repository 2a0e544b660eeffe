/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the guest tests of the kernel profiler that need a module, one of those
 * in test_modules, whose first comments tell what can be done with them.
 */
#ifndef PROFILE_MODULE_H
#define PROFILE_MODULE_H

#include "profile_test.h"

#include <sys/mount.h>

#ifndef MODULE_NAME
#define MODULE_NAME	"profile_test"
#endif
#define PARAMETERS	"/sys/module/" MODULE_NAME "/parameters/"
#define PANIC_FILE	"/proc/sys/kernel/panic_on_warn"

/* Around what makes the kernel warn on purpose, for readers of its log. */
#define WARNINGS_BEGIN	"profile_test: warnings are wanted from here"
#define WARNINGS_END	"profile_test: warnings are no longer wanted"

/* ---- The log ------------------------------------------------------------ */

static inline int open_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);

	require(fd >= 0, "/dev/kmsg: %s", strerror(errno));
	lseek(fd, 0, SEEK_END);
	return fd;
}

/* The text of the next record, on one line; false at the end. */
static inline bool next_record(int fd, char *text, size_t size)
{
	char record[8192], *line;
	ssize_t n;

	do {
		n = read(fd, record, sizeof(record) - 1);
	} while (n < 0 && errno == EPIPE);
	if (n < 0)
		return false;
	record[n] = '\0';
	line = strchr(record, ';');
	line = line ? line + 1 : record;
	line[strcspn(line, "\n")] = '\0';
	snprintf(text, size, "%.*s", (int)size - 1, line);
	return true;
}

/* How many of the new records contain a text. */
static inline int count_records(int fd, const char *text)
{
	char line[1024];
	int count = 0;

	while (next_record(fd, line, sizeof(line)))
		count += !!strstr(line, text);
	return count;
}

static char found_panic[16];

static inline void begin_warnings(void)
{
	get_text(PANIC_FILE, found_panic, sizeof(found_panic));
	put_text("/dev/kmsg", WARNINGS_BEGIN);
	put_text(PANIC_FILE, "0");
}

static inline void end_warnings(void)
{
	put_text(PANIC_FILE, found_panic);
	put_text("/dev/kmsg", WARNINGS_END);
}

/* ---- The module --------------------------------------------------------- */

static inline bool module_loaded(void)
{
	return exists("/sys/module/" MODULE_NAME);
}

static inline int unload_module(void)
{
	return syscall(SYS_delete_module, MODULE_NAME, O_NONBLOCK) ? -errno : 0;
}

/* Built beside the tests, or installed with them. */
static inline int open_module(void)
{
	int fd = open(MODULE_NAME ".ko", O_RDONLY);

	return fd < 0 ? open("test_modules/" MODULE_NAME ".ko", O_RDONLY) : fd;
}

static inline void load_module(void)
{
	int fd, err;

	skip_if(!exists("/proc/modules"), "the kernel takes no modules");
	fd = open_module();
	require(fd >= 0, "%s.ko: %s", MODULE_NAME, strerror(errno));
	err = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	require(!err, "load %s: %s", MODULE_NAME, strerror(err));
	close(fd);
}

/* A fresh one, whatever the test before has left. */
static inline void need_module(void)
{
	int err = module_loaded() ? unload_module() : 0;

	require(!err, "unload %s: %s", MODULE_NAME, strerror(-err));
	load_module();
}

/* The kernel's answer, 0 or a negative error code. */
static inline int try_module(const char *parameter, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), PARAMETERS "%s", parameter);
	return put_text(path, text);
}

static inline void tell_module(const char *parameter, const char *text)
{
	int err = try_module(parameter, text);

	require(!err, "%s %s: %s", parameter, text, strerror(-err));
}

static inline void expect_answer(const char *parameter, const char *text,
				 int answer)
{
	int err = try_module(parameter, text);

	expect(err == answer, "%s %s: %s, not %s", parameter, text,
	       strerror(-err), strerror(-answer));
}

static inline FILE *open_parameter(const char *name)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	file = fopen(path, "r");
	require(file, "%s: %s", path, strerror(errno));
	return file;
}

/* ---- Debug kernels ------------------------------------------------------ */

static inline bool has_kasan(void)
{
	return has_symbol("kasan_report");
}

/* A mount that is there already is fine. */
static inline bool has_debugfs(const char *name)
{
	char path[128];

	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	snprintf(path, sizeof(path), "/sys/kernel/debug/%s", name);
	return exists(path);
}

#define KMEMLEAK_FILE	"/sys/kernel/debug/kmemleak"

/*
 * Leaks whose trace has a function of this name, since the boot; memory is
 * reported when it is 5 s old and two scans have missed it.
 */
static inline int count_leaks(const char *name)
{
	char line[512];
	int leaks = 0;
	bool seen = true;
	FILE *file;

	put_text(KMEMLEAK_FILE, "scan");
	sleep_ms(6000);
	put_text(KMEMLEAK_FILE, "scan");
	put_text(KMEMLEAK_FILE, "scan");
	file = fopen(KMEMLEAK_FILE, "r");
	require(file, "%s: %s", KMEMLEAK_FILE, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "unreferenced object", 19))
			seen = false;
		if (!seen && strstr(line, name)) {
			seen = true;
			leaks++;
		}
		if (leaks)
			ksft_print_msg("%s", line);
	}
	fclose(file);
	return leaks;
}

#endif /* PROFILE_MODULE_H */
