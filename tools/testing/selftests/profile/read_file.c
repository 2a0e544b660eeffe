// SPDX-License-Identifier: GPL-2.0-only
/* Reading /proc/profile: layout, sizes, offsets, lengths, bad buffers. */

#include "profile_test.h"

/* Counters that stand still, some of them not zero. */
static void start_paused(const char *text)
{
	char noise[4096];
	int i;

	start(text);
	while (total_hits() < 20)
		for (i = 0; i < 64; i++)
			require(!get_text("/proc/stat", noise, sizeof(noise)),
				"/proc/stat cannot be read");
	set_mask(0);
	/* A tick that was under way is over once a read has come back. */
	total_hits();
}

static void step_header(void)
{
	static const unsigned int shifts[] = { 0, 1, 2, 3, 4, 7, 12, 16, 31 };
	unsigned int shift;
	struct profile prof;
	char text[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shifts); i++) {
		shift = shifts[i] < max_shift() ? shifts[i] : max_shift();
		snprintf(text, sizeof(text), "%u", shift);
		start(text);
		prof = read_profile();
		expect(prof.hits[-1] == 1U << shift,
		       "shift %u: header word is %u", shift, prof.hits[-1]);
		expect(prof.slots == text_bytes() >> shift,
		       "shift %u: %zu slots, not %zu", shift, prof.slots,
		       text_bytes() >> shift);
		free_profile(&prof);
		stop();
	}
}

static void wrong_size(void)
{
	struct stat st;
	size_t bytes;
	int fd;

	start("4");
	bytes = 4 * ((text_bytes() >> 4) + 1);
	fd = open_profile(O_RDONLY);
	require(!fstat(fd, &st), "fstat: %s", strerror(errno));
	expect((size_t)st.st_size == bytes, "st_size is %lld, not %zu",
	       (long long)st.st_size, bytes);
	expect(profile_bytes(fd) == bytes, "SEEK_END gives %zu, not %zu",
	       profile_bytes(fd), bytes);
}

/* As util-linux reads it: the length asked for is the size of the file. */
static void short_read(void)
{
	size_t bytes, i;
	char *buf;
	ssize_t n;
	int fd;

	for (i = 0; i < 3; i++) {
		start(i == 0 ? "0" : i == 1 ? "2" : "schedule,8");
		fd = open_profile(O_RDONLY);
		bytes = profile_bytes(fd);
		buf = malloc(bytes + 100);
		require(buf, "no memory");
		n = read(fd, buf, bytes);
		expect(n == (ssize_t)bytes, "%zd of %zu bytes", n, bytes);
		expect(read(fd, buf, 1) == 0, "data behind the end");
		n = pread(fd, buf, bytes + 100, 0);
		expect(n == (ssize_t)bytes, "%zd of %zu bytes, asked for more",
		       n, bytes);
		free(buf);
		close(fd);
		stop();
	}
}

/* ---- Offsets and lengths ------------------------------------------------ */

static void check_part(int fd, const char *whole, size_t bytes, size_t at,
		       size_t len)
{
	size_t expected = at >= bytes ? 0 : len < bytes - at ? len : bytes - at;
	char part[64];
	ssize_t n;

	memset(part, 0x5a, sizeof(part));
	n = pread(fd, part, len, at);
	expect(n == (ssize_t)expected, "%zu bytes at %zu: %zd, not %zu", len, at,
	       n, expected);
	expect(n <= 0 || !memcmp(part, whole + at, n),
	       "%zu bytes at %zu differ from the whole file", len, at);
	expect(part[expected] == 0x5a, "%zu bytes at %zu: too much is written",
	       len, at);
}

static void odd_offsets(void)
{
	struct profile prof;
	size_t at, len, bytes;
	int fd;

	start_paused("3");
	prof = read_profile();
	fd = open_profile(O_RDONLY);
	bytes = profile_bytes(fd);
	for (at = 0; at <= 12; at++)
		for (len = 0; len <= 17; len++)
			check_part(fd, (char *)(prof.hits - 1), bytes, at, len);
	for (at = bytes - 12; at <= bytes + 4; at++)
		for (len = 0; len <= 17; len++)
			check_part(fd, (char *)(prof.hits - 1), bytes, at, len);
}

/* Passes whose reads all have one length give the file, byte for byte. */
static void sequential_lengths(void)
{
	static const size_t lengths[] = { 1, 2, 3, 4, 5, 7, 61, 4095, 4096, 65537 };
	struct profile prof;
	char *whole, *buf;
	size_t i, at, bytes;
	ssize_t n;
	int fd;

	start_paused("6");
	prof = read_profile();
	whole = (char *)(prof.hits - 1);
	buf = malloc(65537);
	fd = open_profile(O_RDONLY);
	bytes = profile_bytes(fd);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		lseek(fd, 0, SEEK_SET);
		for (at = 0; (n = read(fd, buf, lengths[i])) > 0; at += n)
			if (!expect(at + n <= bytes &&
				    !memcmp(buf, whole + at, n),
				    "reads of %zu bytes differ at %zu",
				    lengths[i], at))
				break;
		expect(n || at == bytes, "reads of %zu bytes end at %zu of %zu",
		       lengths[i], at, bytes);
	}
}

static void past_end(void)
{
	struct row {
		long long at;
		size_t len;
	} rows[] = {
		{ 0, 1 }, { 0, 4096 }, { 1, 1 }, { 3, 8 }, { 4096, 4096 },
		{ 0x7fffffffLL, 4 }, { 0x80000000LL, 4 }, { 0xfffffffcLL, 8 },
		{ 0x100000000LL, 4 }, { 0x100000001LL, 4096 },
		{ 0x10000000000LL, 4 }, { 0x7fffffff00000000LL, 4096 },
	};
	size_t i, bytes;
	char buf[4096];
	ssize_t n;
	int fd;

	start("4");
	fd = open_profile(O_RDONLY);
	bytes = profile_bytes(fd);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		/* The first rows count from the end of the file. */
		if (i < 5)
			rows[i].at += bytes;
		n = pread(fd, buf, rows[i].len, rows[i].at);
		expect(n == 0, "%zu bytes at %lld: %zd", rows[i].len,
		       rows[i].at, n);
	}
}

static void negative_seek(void)
{
	int fd;

	start("4");
	fd = open_profile(O_RDONLY);
	lseek(fd, 100, SEEK_SET);
	expect(lseek(fd, -1, SEEK_SET) == -1 && errno == EINVAL,
	       "SEEK_SET to -1: %s", strerror(errno));
	expect(lseek(fd, -101, SEEK_CUR) == -1 && errno == EINVAL,
	       "SEEK_CUR to -1: %s", strerror(errno));
	expect(lseek(fd, 0, SEEK_CUR) == 100, "a refused seek moved");
	expect(pread(fd, &fd, 4, -1) == -1 && errno == EINVAL,
	       "pread at -1: %s", strerror(errno));
}

/* ---- Bad buffers -------------------------------------------------------- */

static void check_fault(int fd, off_t at, void *buf, size_t len,
			const char *what)
{
	ssize_t n;

	lseek(fd, at, SEEK_SET);
	n = read(fd, buf, len);
	expect(n == -1 && errno == EFAULT,
	       "%s, %zu bytes at %lld: %zd, not EFAULT", what, len,
	       (long long)at, n);
	expect(lseek(fd, 0, SEEK_CUR) == at,
	       "%s, %zu bytes at %lld: position moved to %lld", what, len,
	       (long long)at, (long long)lseek(fd, 0, SEEK_CUR));
}

static void bad_buffer(void)
{
	static const off_t offsets[] = { 0, 1, 2, 3, 4, 5, 8, 100, 4096 };
	static const size_t lengths[] = { 1, 2, 3, 4, 5, 8, 4096, 8192 };
	size_t i, j;
	int fd;

	start("4");
	fd = open_profile(O_RDONLY);
	for (i = 0; i < ARRAY_SIZE(offsets); i++)
		for (j = 0; j < ARRAY_SIZE(lengths); j++) {
			check_fault(fd, offsets[i], NULL, lengths[j], "NULL");
			check_fault(fd, offsets[i], BAD_ADDRESS, lengths[j],
				    "bad address");
		}
}

/* The first bytes fit, the others do not. */
static void half_mapped_buffer(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t fit, len;
	off_t at;
	int fd;

	require(mem != MAP_FAILED && !munmap(mem + page, page), "mmap: %s",
		strerror(errno));
	start("4");
	fd = open_profile(O_RDONLY);
	for (at = 0; at <= 9; at++)
		for (fit = 1; fit <= 9; fit++)
			for (len = fit + 1; len <= fit + 8; len++)
				check_fault(fd, at, mem + page - fit, len,
					    "half mapped");
	check_fault(fd, 0, mem, 2 * page, "half mapped");
	check_fault(fd, 6, mem + 1, 2 * page, "half mapped");
}

static const struct test tests[] = {
	{ "header", step_header },
	{ "wrong_size", wrong_size },
	{ "short_read", short_read },
	{ "odd_offsets", odd_offsets },
	{ "sequential_lengths", sequential_lengths },
	{ "past_end", past_end },
	{ "negative_seek", negative_seek },
	{ "bad_buffer", bad_buffer },
	{ "half_mapped_buffer", half_mapped_buffer },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
