/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What goes on beside a test, until it ends: processes that read, write, load
 * CPUs and unplug them. A program puts those it wants into a table of its own.
 */
#ifndef PROFILE_HELPERS_H
#define PROFILE_HELPERS_H

#include "profile_test.h"

/* ---- Readers ------------------------------------------------------------ */

#define ALL_BYTES	SIZE_MAX	/* as many as the file has */

/* An open file shows the one step, whole, until it shows nothing at all. */
static inline void read_while_it_lives(int fd, struct endless *load)
{
	off_t end = lseek(fd, 0, SEEK_END);
	__u32 *words, first = 0, step;
	size_t len = load->len;
	ssize_t n;

	if (len == ALL_BYTES)
		len = end < 0 ? 0 : end;
	words = malloc(len + 4);
	require(words, "no memory for %zu bytes", len);
	while (pread(fd, &step, 4, 0) == 4) {
		if (!first)
			first = step;
		require(step && !(step & (step - 1)), "step %#x", step);
		require(step == first, "the step went from %u to %u", first,
			step);
		lseek(fd, 0, SEEK_SET);
		n = read(fd, words, len);
		require(n < 4 || words[0] == first,
			"the step went from %u to %u", first, words[0]);
		n = read(fd, words, len);
		require(n >= 0 || errno == EIO, "read: %s", strerror(errno));
		count_done(load);
	}
	n = pread(fd, &step, 4, 0);
	require(!n || (n < 0 && errno == EIO), "a dead file: %zd, %s", n,
		strerror(errno));
	free(words);
}

static inline void read_across(void *arg)
{
	struct endless *load = arg;
	int fd;

	for (;;) {
		fd = open(PROFILE_FILE, O_RDONLY);
		if (fd < 0) {
			require(errno == ENOENT, "open: %s", strerror(errno));
			sleep_ms(1);
			continue;
		}
		read_while_it_lives(fd, load);
		close(fd);
	}
}

/* ---- Writers ------------------------------------------------------------ */

/* Files that are gone, or that belong to a mode that has no rate. */
static inline bool fair_error(int err)
{
	return !err || err == -ENOENT || err == -EIO || err == -EINVAL;
}

static inline void write_rates(void *arg)
{
	static const int rates[] = { 1, 2, 4, 10, 0, -1, 1 << 30 };
	struct endless *load = arg;
	size_t i;
	int err;

	for (i = 0;; i = (i + 1) % ARRAY_SIZE(rates)) {
		err = put_bytes(PROFILE_FILE, &rates[i], sizeof(rates[i]));
		require(fair_error(err), "rate %d: %s", rates[i],
			strerror(-err));
		require(err || (rates[i] >= 1 && rates[i] <= 10),
			"rate %d is taken", rates[i]);
		sleep_ms(2);
		count_done(load);
	}
}

static inline void write_resets(void *arg)
{
	struct endless *load = arg;
	int err;

	for (;;) {
		err = put_text(PROFILE_FILE, "r");
		require(!err || err == -ENOENT || err == -EIO, "reset: %s",
			strerror(-err));
		sleep_ms(3);
		count_done(load);
	}
}

static inline void write_masks(void *arg)
{
	struct endless *load = arg;
	char text[32];
	int err;

	for (;;) {
		snprintf(text, sizeof(text), "%llx",
			 done_by(load) & cpu_list("possible"));
		err = put_text(MASK_FILE, text);
		require(!err || err == -ENOENT || err == -EIO, "mask %s: %s",
			text, strerror(-err));
		sleep_ms(3);
		count_done(load);
	}
}

/* ---- Loads -------------------------------------------------------------- */

static inline void toggle(void *arg)
{
	struct endless *load = arg;

	for (;;) {
		set_cpus_online(load->cpus, false);
		set_cpus_online(load->cpus, true);
		sleep_ms(20);
		count_done(load);
	}
}

static inline void make_noise(void *arg)
{
	struct endless *load = arg;

	for (;;) {
		noise(1);
		count_done(load);
	}
}

/* The parent of a vfork() sleeps uninterruptibly until the child is done. */
static inline void block(void *arg)
{
	struct endless *load = arg;
	pid_t pid;

	for (;;) {
		pid = vfork();
		if (!pid) {
			sleep_ms(3);
			_exit(0);
		}
		require(pid > 0, "vfork: %s", strerror(errno));
		waitpid(pid, NULL, 0);
		count_done(load);
	}
}

/* ---- Tables of them ----------------------------------------------------- */

struct helper {
	const char *name;
	void (*run)(void *arg);
	size_t len;		/* of a read */
	struct endless *load;
	pid_t pid;
};

static inline void start_helpers(struct helper *helpers, size_t n)
{
	__u64 cpus = cpu_list("online"), toggled = hotplug_cpus();
	struct helper *h;

	for (h = helpers; h < helpers + n; h++) {
		if (h->run == toggle && !toggled)
			continue;
		h->load = new_endless(h->run == toggle ? toggled : cpus);
		h->load->len = h->len;
		h->pid = spawn(h->run, h->load);
	}
}

static inline void end_helpers(struct helper *helpers, size_t n)
{
	struct helper *h;

	for (h = helpers; h < helpers + n; h++) {
		if (!h->load)
			continue;
		ksft_print_msg("%s: %llu rounds\n", h->name, done_by(h->load));
		expect(!waitpid(h->pid, NULL, WNOHANG), "the %s gave up",
		       h->name);
		expect(done_by(h->load), "the %s did nothing", h->name);
		end(h->pid);
	}
}

#endif /* PROFILE_HELPERS_H */
