// SPDX-License-Identifier: GPL-2.0-only
/* Who may read and write the three files. */

#include "profile_test.h"

#include <grp.h>

#define NOBODY	65534

static void become_nobody(void)
{
	int err = setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		  setresuid(NOBODY, NOBODY, NOBODY);

	skip_if(err, "setresuid: %s", strerror(errno));
}

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

static const struct test tests[] = {
	{ "modes", modes },
	{ "nobody", nobody },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
