// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an option and a mask mean: a regular expression and a row of bits, so
 * that no mistake is likely to be made twice.
 */

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/cpumask.h>
#include <linux/profile.h>

#include "expect.h"

static const struct {
	const char *word;
	int mode;
} modes[] = {
	{ "cpu", CPU_PROFILING },
	{ "schedule", SCHED_PROFILING },
	{ "sleep", SLEEP_PROFILING },
	{ "kvm", KVM_PROFILING },
};

/* The C library takes the numbers that the kernel takes, if they look so. */
#define NUMBER	"0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*"

static bool matches(const char *text, regmatch_t *part, size_t parts)
{
	static regex_t *option;

	if (!option) {
		option = malloc(sizeof(*option));
		if (regcomp(option, "^((cpu|schedule|sleep|kvm),?)?(" NUMBER ")?$",
			    REG_EXTENDED))
			abort();
	}
	return !regexec(option, text, parts, part, 0);
}

bool expect_option(const char *text, size_t len, size_t text_bytes,
		   int *mode, unsigned int *shift)
{
	char copy[34] = "";
	unsigned long value;
	regmatch_t part[4];
	size_t i;

	if (len && text[len - 1] == '\n')
		len--;
	if (!len || len > 32 || memchr(text, 0, len))
		return false;
	memcpy(copy, text, len);
	*mode = 0;
	*shift = 0;
	if (!strcmp(copy, "off"))
		return true;
	if (!matches(copy, part, 4))
		return false;

	*mode = CPU_PROFILING;
	for (i = 0; part[2].rm_so >= 0 && i < ARRAY_SIZE(modes); i++)
		if (!strncmp(copy, modes[i].word, part[2].rm_eo))
			*mode = modes[i].mode;
	if (*mode == KVM_PROFILING && !IS_ENABLED(CONFIG_X86))
		return false;
	if (part[3].rm_so < 0)
		return true;
	errno = 0;
	value = strtoul(copy + part[3].rm_so, NULL, 0);
	*shift = value;
	return !errno && value < 32 && text_bytes >> value;
}

/*
 * The digits, commas left out, are bits of a number that is as long as it
 * likes, as long as it needs no word of 32 bits more than there are CPUs for.
 */
int expect_mask(const char *text, size_t len, bool *mask)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	size_t words = 1, word = 0, i, cpu, bit;
	const char *digit;
	bool overflow = false;

	if (len && text[len - 1] == '\n')
		len--;
	if (!len || text[0] == ',' || text[len - 1] == ',')
		return -EINVAL;
	for (i = 0; i < len; i++) {
		if (!text[i] || !strchr("0123456789abcdefABCDEF,", text[i]))
			return -EINVAL;
		if (text[i] == ',' && text[i - 1] == ',')
			return -EINVAL;
	}

	memset(mask, 0, nr_cpu_ids);
	for (i = len; i--;) {
		if (text[i] == ',') {
			words++;
			word = 0;
			continue;
		}
		if (word == 8)
			overflow = true;
		digit = strchr(digits, text[i]);
		for (bit = 0; bit < 4; bit++) {
			cpu = 32 * (words - 1) + 4 * word + bit;
			if (!((digit - digits) >> bit & 1))
				continue;
			if (cpu < nr_cpu_ids)
				mask[cpu] = true;
			else
				overflow = true;
		}
		word++;
	}
	return overflow || words > (nr_cpu_ids + 31) / 32 ? -EOVERFLOW : 0;
}
