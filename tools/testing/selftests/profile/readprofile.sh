#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# readprofile of util-linux, and that of BusyBox if it is compiled in, against
# /proc/profile: exit status, and the numbers against those of an own reader.
#
# shellcheck disable=SC2317 # the tests are called from a table

DIR=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=profile_test.sh
. "$DIR/profile_test.sh"

SHIFT=7
MAP=$(profile_map)
TMP=$(mktemp -d)

# ---- What is right ---------------------------------------------------------

# readprofile gives a function the words from where the function before it
# ended to below the word that its own end falls into, counting the header.
# Only differences of addresses matter, thus their lower 32 bits do.
own_listing() {
	profile_words >"$TMP/words"
	awk '
	function low(hex,	i, v) {
		hex = tolower(substr(hex, length(hex) - 7))
		for (i = 1; i <= 8; i++)
			v = v * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
		return v
	}
	function flush(to,	sum) {
		while (idx < int((to - start) / word[0]))
			sum += word[idx++]
		total += sum
		if (sum && to != from)
			print sum + 0, name
	}
	NR == FNR { word[n++] = $1; next }
	$3 == "_stext" { start = from = low($1); name = $3; idx = 1; next }
	!idx || done { next }
	$2 ~ /^[A?]$/ && !total { next }
	$3 != "_etext" && $2 !~ /^[TtWw]$/ { done = 1; next }
	{ flush(low($1)); from = low($1); name = $3; done = $3 == "_etext" }
	END { print word[n - 1], "*unknown*"; print total + 0, "total" }
	' "$TMP/words" "$MAP"
}

# ---- What readprofile says, as "hits name" lines ---------------------------

plain() {
	awk '{ print $1, $2 }'
}

verbose() {
	awk '$2 == "*unknown*" { print $1, $2; next } { print $3, $2 }'
}

non_zero() {
	awk '$1 || $2 == "*unknown*" || $2 == "total" { print $1, $2 }'
}

functions_only() {
	awk '!/^\t/ { print $1, $2 }'
}

# Bins come as "name:", then address and hits, then their total.
bins() {
	awk '
	/^[^ \t].*:$/ { name = substr($1, 1, length($1) - 1); sum = 0; next }
	/^\t/ { sum += $2; next }
	/^  total/ { print ($2 == sum ? sum : "wrong"), name; next }
	{ print $1, $2 }'
}

# ---- Tests -----------------------------------------------------------------

run_readprofile() {
	# shellcheck disable=SC2086 # a list of options
	readprofile -m "$MAP" $1 >"$TMP/out" 2>"$TMP/err"
}

show_difference() {
	diff "$1" "$2" | head -n 10 | sed 's/^/# /'
}

# check_listing FILTER [OPTIONS]
check_listing() {
	own_listing >"$TMP/own"
	if ! run_readprofile "$2"; then
		sed 's/^/# /' "$TMP/err"
		return 1
	fi
	"$1" <"$TMP/out" >"$TMP/theirs"
	cmp -s "$TMP/own" "$TMP/theirs" && return 0
	show_difference "$TMP/own" "$TMP/theirs"
	return 1
}

check_info() {
	run_readprofile "-i" && grep -qx "Sampling_step: $((1 << SHIFT))" "$TMP/out"
}

# All hits are in its total or in its last line.
check_total() {
	run_readprofile "" || return 1
	all=$(awk '$2 == "*unknown*" || $2 == "total" { n += $1 } END { print n }' \
		"$TMP/out")
	sum=$(profile_sum)
	echo "# readprofile has $all hits, the file $sum"
	[ "$all" -eq "$sum" ]
}

check_reset() {
	[ "$(profile_sum)" -gt 0 ] && run_readprofile "-r" &&
		[ "$(profile_sum)" -eq 0 ]
}

# Success resets, and then nothing may count: the mask is empty.
check_multiplier() {
	[ "$(profile_sum)" -gt 0 ] && run_readprofile "-M $1" &&
		[ "$(profile_sum)" -eq 0 ]
}

# A refusal changes nothing.
check_bad_multiplier() {
	before=$(profile_sum)
	run_readprofile "-M $1" && return 1
	grep -q 'Invalid argument' "$TMP/err" && [ "$before" -gt 0 ] &&
		[ "$(profile_sum)" -eq "$before" ]
}

# Only ticks have a rate.
check_multiplier_schedule() {
	profile_stop
	profile_start "schedule,$SHIFT" || return 1
	profile_step >"$TMP/step"
	before=$(profile_sum)
	run_readprofile "-M 4" && return 1
	grep -q 'Invalid argument' "$TMP/err" && [ "$before" -gt 0 ] &&
		[ "$(profile_sum)" -ge "$before" ]
}

check_missing_map() {
	! readprofile -m "$TMP/missing" >/dev/null 2>&1
}

check_off() {
	profile_stop
	! run_readprofile ""
}

check_busybox() {
	busybox readprofile -m "$MAP" >"$TMP/out" || return 1
	own_listing >"$TMP/own"
	plain <"$TMP/out" >"$TMP/theirs"
	grep ' total$' "$TMP/own" >"$TMP/own.total"
	grep ' total$' "$TMP/theirs" | cmp -s - "$TMP/own.total"
}

# Counters that stand still, not all of them zero; they may be there already.
start_paused() {
	[ ! -e "$PROFILE_FILE" ] || [ "$(profile_sum)" -eq 0 ] || return 0
	profile_stop
	profile_start "cpu,$SHIFT" || return 1
	profile_fill 100
	echo 0 >"$MASK_FILE"
	# A tick that was under way is over once a read has come back.
	profile_step >"$TMP/step"
}

# name | command, its words separated by blanks
tests() {
	cat <<-END
	readprofile_default|check_listing plain
	readprofile_verbose|check_listing verbose -v
	readprofile_all|check_listing non_zero -a
	readprofile_counters|check_listing functions_only -s
	readprofile_histbin|check_listing bins -b
	readprofile_no_auto|check_listing plain -n
	readprofile_info|check_info
	readprofile_total|check_total
	readprofile_reset|check_reset
	readprofile_multiplier_1|check_multiplier 1
	readprofile_multiplier_10|check_multiplier 10
	readprofile_multiplier_back|check_multiplier 1
	readprofile_multiplier_0|check_bad_multiplier 0
	readprofile_multiplier_minus_1|check_bad_multiplier -1
	readprofile_multiplier_100001|check_bad_multiplier 100001
	readprofile_multiplier_schedule|check_multiplier_schedule
	readprofile_missing_map|check_missing_map
	readprofile_off|check_off
	END
}

run_test() {
	if ! start_paused; then
		echo "# the profiler does not start"
		ktap_result "$1" $KSFT_FAIL
		return
	fi
	test_name=$1
	shift
	"$@"
	ktap_result "$test_name" $?
}

run_busybox() {
	if busybox --list 2>/dev/null | grep -qx readprofile; then
		run_test busybox_readprofile check_busybox
	else
		ktap_result busybox_readprofile $KSFT_SKIP "not compiled in"
	fi
}

cleanup() {
	profile_restore
	rm -rf "$TMP"
}

ktap_header
if [ "$(id -u)" -ne 0 ] || [ ! -e "$SYSFS_FILE" ]; then
	ktap_skip_all "needs root and $SYSFS_FILE"
fi
readprofile --version >/dev/null 2>&1 ||
	ktap_skip_all "needs readprofile of util-linux"
[ -r "$MAP" ] || ktap_skip_all "needs $MAP"

profile_save
profile_stop
trap cleanup EXIT
trap 'exit 1' INT TERM
echo "1..$(($(tests | wc -l) + 1))"
tests >"$TMP/tests"
while IFS='|' read -r name command; do
	# shellcheck disable=SC2086 # a command and its words
	run_test "$name" $command
done <"$TMP/tests"
run_busybox
ktap_exit
