// SPDX-License-Identifier: GPL-2.0-only
/* Who may read and write the three files. */

#include "profile_test.h"

static void modes(void)
{
	static const struct {
		const char *path;
		unsigned int mode;
	} files[] = {
		{ SYSFS_FILE, 0644 }, { PROFILE_FILE, 0644 }, { MASK_FILE, 0600 },
	};
	struct stat st;
	size_t i;

	start("4");
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		require(!stat(files[i].path, &st), "%s: %s", files[i].path,
			strerror(errno));
		expect(st.st_mode == (S_IFREG | files[i].mode),
		       "%s: mode %o, not %o", files[i].path, st.st_mode,
		       S_IFREG | files[i].mode);
		expect(!st.st_uid && !st.st_gid, "%s: owner %d:%d",
		       files[i].path, st.st_uid, st.st_gid);
	}
}

static void nobody(void)
{
	static const struct {
		const char *path;
		int flags;
		int error;
	} rows[] = {
		{ SYSFS_FILE,	O_RDONLY, 0 },
		{ SYSFS_FILE,	O_WRONLY, EACCES },
		{ PROFILE_FILE,	O_RDONLY, 0 },
		{ PROFILE_FILE,	O_WRONLY, EACCES },
		{ PROFILE_FILE,	O_RDWR,   EACCES },
		{ MASK_FILE,	O_RDONLY, EACCES },
		{ MASK_FILE,	O_WRONLY, EACCES },
	};
	__u32 step;
	size_t i;
	int fd;

	start("4");
	become_nobody();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		fd = open(rows[i].path, rows[i].flags);
		expect((fd < 0 ? errno : 0) == rows[i].error,
		       "open %s with flags %d: %s", rows[i].path, rows[i].flags,
		       fd < 0 ? strerror(errno) : "success");
		close(fd);
	}
	fd = open_profile(O_RDONLY);
	expect(read(fd, &step, 4) == 4 && step == 16, "%s can't be read", PROFILE_FILE);
}

/* ---- Somebody who means harm -------------------------------------------- */

static int harm_open_trunc(const char *path)
{
	return open(path, O_WRONLY | O_TRUNC);
}

static int harm_open_append(const char *path)
{
	return open(path, O_RDWR | O_APPEND);
}

static int harm_truncate(const char *path)
{
	return truncate(path, 0);
}

static int harm_chmod(const char *path)
{
	return chmod(path, 0666);
}

static int harm_chown(const char *path)
{
	return chown(path, NOBODY, NOBODY);
}

static int harm_unlink(const char *path)
{
	return unlink(path);
}

/* In the same directory: elsewhere it would fail for another reason. */
static int harm_rename(const char *path)
{
	char other[64];

	snprintf(other, sizeof(other), "%s-other", path);
	return rename(path, other);
}

static int harm_link(const char *path)
{
	char other[64];

	snprintf(other, sizeof(other), "%s-other", path);
	return link(path, other);
}

/* A rate, a reset and an option, by way of a file that is open for reading. */
static int harm_write(const char *path)
{
	static const int rate = 10;
	int fd = open(path, O_RDONLY);
	int ret = fd < 0 ? -1 : write(fd, &rate, sizeof(rate)) < 0 &&
		  write(fd, "off\n", 5) < 0 ? -1 : 0;

	if (fd >= 0)
		close(fd);
	return ret;
}

static int harm_map(const char *path)
{
	int fd = open(path, O_RDONLY);
	void *mem = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	close(fd);
	return mem == MAP_FAILED ? -1 : 0;
}

static int (* const harms[])(const char *path) = {
	harm_open_trunc, harm_open_append, harm_truncate, harm_chmod,
	harm_chown, harm_unlink, harm_rename, harm_link, harm_write, harm_map,
};

static void expect_harmless(void *arg)
{
	static const char * const paths[] = {
		SYSFS_FILE, PROFILE_FILE, MASK_FILE,
	};
	size_t i, j;

	become_nobody();
	for (i = 0; i < ARRAY_SIZE(paths); i++)
		for (j = 0; j < ARRAY_SIZE(harms); j++)
			expect(harms[j](paths[i]) < 0, "%s: harm %zu is done",
			       paths[i], j);
	*(int *)arg = 1;
}

static void no_harm(void)
{
	int *tried = shared_memory(sizeof(*tried));
	__u64 mask;

	start("schedule,4");
	mask = get_mask();
	yield_on(0, 1000);
	join(spawn(expect_harmless, tried));
	expect(*tried, "nothing was tried");
	expect(profiling_mode() == MODE_SCHEDULE, "mode is %d",
	       profiling_mode());
	expect(get_mask() == mask, "mask is %llx", get_mask());
	expect(total_hits() >= 1000, "hits are gone");
}

/* Without a hit, whatever is not zero is the step or should not be there. */
static void nothing_but_counters(void)
{
	struct profile prof;
	__u32 word;
	int fd;

	skip_unless_built(MODE_KVM);
	load_symbols();
	start("kvm,2");
	become_nobody();
	prof = read_profile();
	expect(prof.slots == text_bytes() >> 2, "%zu slots", prof.slots);
	expect(!sum_hits(&prof), "%llu hits", sum_hits(&prof));
	fd = open_profile(O_RDONLY);
	expect(!pread(fd, &word, 4, 4 * (prof.slots + 1)), "there is more");
	expect(!pread(fd, &word, 4, 1LL << 40), "there is more, far away");
	close(fd);
}

/* What an administrator does who wants nobody to read it. */
static void closed_by_mode(void)
{
	start("4");
	require(!chmod(PROFILE_FILE, 0400), "chmod: %s", strerror(errno));
	total_hits();
	reset();
	become_nobody();
	expect(open(PROFILE_FILE, O_RDONLY) < 0 && errno == EACCES,
	       "it is still open to everybody");
}

static const struct test tests[] = {
	{ "modes", modes },
	{ "nobody", nobody },
	{ "no_harm", no_harm },
	{ "nothing_but_counters", nothing_but_counters },
	{ "closed_by_mode", closed_by_mode },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
