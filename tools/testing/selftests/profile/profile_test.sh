# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Shared by the guest test scripts of the kernel profiler: KTAP, the state of
# the profiler, and a reader of /proc/profile that owes nothing to readprofile.

SYSFS_FILE=/sys/kernel/profiling
PROFILE_FILE=/proc/profile
MASK_FILE=/proc/irq/prof_cpu_mask

KSFT_PASS=0
KSFT_FAIL=1
KSFT_SKIP=4

# ---- KTAP ------------------------------------------------------------------

ktap_nr=0
ktap_passed=0
ktap_failed=0

ktap_header() {
	[ -n "$KSFT_TAP_LEVEL" ] || echo "TAP version 13"
}

ktap_skip_all() {
	echo "1..0 # SKIP $1"
	exit $KSFT_SKIP
}

# ktap_result NAME STATUS [REASON]
ktap_result() {
	ktap_nr=$((ktap_nr + 1))
	case $2 in
	"$KSFT_PASS")
		ktap_passed=$((ktap_passed + 1))
		echo "ok $ktap_nr $1" ;;
	"$KSFT_SKIP")
		echo "ok $ktap_nr $1 # SKIP $3" ;;
	*)
		ktap_failed=$((ktap_failed + 1))
		echo "not ok $ktap_nr $1" ;;
	esac
}

ktap_exit() {
	echo "# Totals: pass:$ktap_passed fail:$ktap_failed of $ktap_nr"
	[ "$ktap_failed" -eq 0 ] || exit $KSFT_FAIL
	[ "$ktap_passed" -gt 0 ] || exit $KSFT_SKIP
	exit $KSFT_PASS
}

# ---- State -----------------------------------------------------------------

# The step in bytes, from the header word.
profile_step() {
	head -c 4 "$PROFILE_FILE" | od -An -v -t u4 | tr -d ' '
}

profile_save() {
	found_mode=$(cat "$SYSFS_FILE")
	[ "$found_mode" -ne 0 ] || return 0
	found_mask=$(cat "$MASK_FILE")
	found_shift=0
	step=$(profile_step)
	while [ "$step" -gt 1 ]; do
		step=$((step / 2))
		found_shift=$((found_shift + 1))
	done
}

profile_stop() {
	echo off >"$SYSFS_FILE"
}

profile_start() {
	echo "$1" >"$SYSFS_FILE"
}

profile_restore() {
	profile_stop
	case $found_mode in
	1) profile_start "cpu,$found_shift" ;;
	2) profile_start "schedule,$found_shift" ;;
	3) profile_start "sleep,$found_shift" ;;
	4) profile_start "kvm,$found_shift" ;;
	*) return ;;
	esac
	echo "$found_mask" >"$MASK_FILE"
}

# ---- Numbers ---------------------------------------------------------------

profile_map() {
	for map in "$PROFILE_MAP" /System.map "/boot/System.map-$(uname -r)" \
		   /boot/System.map; do
		[ ! -r "$map" ] || break
	done
	echo "$map"
}

# All words of the file, the header among them, one a line.
profile_words() {
	od -An -v -t u4 "$PROFILE_FILE" |
		awk '{ for (i = 1; i <= NF; i++) print $i }'
}

profile_sum() {
	profile_words | awk 'NR > 1 { sum += $1 } END { printf "%d\n", sum }'
}

# profile_fill HITS: kernel work until there are so many hits.
profile_fill() {
	until [ "$(profile_sum)" -ge "$1" ]; do
		dd if=/dev/zero of=/dev/null bs=65536 count=2000 2>/dev/null
		dd if=/dev/urandom of=/dev/null bs=65536 count=50 2>/dev/null
	done
}
