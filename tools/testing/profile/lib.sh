# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the scripts of the rig share. Sourced, never run.

set -euo pipefail

# The rig starts other builds; what was given to its own make is not for them.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

# The rest of the environment is what the top Makefile exports.
RIG=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
TOP=$(cd "$RIG/../../.." && pwd -P)

die()
{
	printf 'error: %s\n' "$*" >&2
	exit 1
}

say()
{
	printf '== %s\n' "$*"
}

[[ ${KVER-6.12} =~ ^[0-9]+\.[0-9]+$ ]] ||
	die "KVER=$KVER is not a kernel version like 6.12"

# The files of this repository, NUL-terminated, relative to $TOP.
repo_files()
{
	local git=(git -C "$TOP" -c safe.directory="$TOP") path

	if [ "$("${git[@]}" rev-parse --show-toplevel 2>/dev/null)" = "$TOP" ]; then
		"${git[@]}" ls-files -z --cached --others --exclude-standard
	else
		find "$TOP" -path "$TOP/build" -prune -o -type f -printf '%P\0'
	fi | sort -z | while IFS= read -r -d '' path; do
		# The index may still name a file that was deleted.
		[ ! -f "$TOP/$path" ] || printf '%s\0' "$path"
	done
}

# Those of them that go into a kernel tree.
kernel_files()
{
	local path

	repo_files | while IFS= read -r -d '' path; do
		case $path in
		Makefile | README | COPYING | .git* | .ci/* | hooks/*) ;;
		*) printf '%s\0' "$path" ;;
		esac
	done
}

# The kernel files that hook $1 edits, one a line.
hook_files()
{
	case $1 in
	*.cocci) sed -n 's,^// File: *,,p' "$1" ;;
	*.patch) sed -n 's,^+++ b/\([^[:blank:]]*\).*,\1,p' "$1" ;;
	esac
}

# Results: one line a test, "pass NAME", "fail NAME" or "skip NAME", each
# with an optional ": REASON". The file of this run is $RESULTS.
results_start()
{
	RESULTS=$1
	mkdir -p "$(dirname "$RESULTS")"
	: >"$RESULTS"
}

result()
{
	printf '%s %s\n' "$1" "$2" >>"$RESULTS"
}

count()
{
	grep -c "^$1 " "$RESULTS" || true
}

# Name what failed, then the one line that sums up. Fails if anything did,
# or if nothing passed: a run without tests proves nothing.
results_end()
{
	local passed failed skipped

	passed=$(count pass)
	failed=$(count fail)
	skipped=$(count skip)
	sed -n 's/^fail /FAILED /p' "$RESULTS"
	if [ "$skipped" -gt 0 ]; then
		echo "$passed passed, $failed failed, $skipped skipped"
	else
		echo "$passed passed, $failed failed"
	fi
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

# The facts of one architecture.
load_arch()
{
	# shellcheck disable=SC2153
	[ -f "$RIG/configs/$ARCH.arch" ] || die "ARCH=$ARCH is not one of:$(
		cd "$RIG/configs" && printf ' %s' *.arch | sed 's/\.arch//g')"
	# shellcheck source=tools/testing/profile/configs/x86_64.arch
	. "$RIG/configs/$ARCH.arch"
}

# Where a kernel of this run lives: NAME is the Debian version or, for a
# tree of the user's own, its directory's name and a sum of its path. With
# STOCK=yes it is the kernel without the profiler of this repository.
kernel_paths()
{
	local name=$KVER

	load_arch
	[[ $BUILD != *[[:space:]]* ]] ||
		die "the kernel cannot be built below '$BUILD': a space in the path"
	if [ -n "$KSRC" ]; then
		[ -d "$KSRC" ] || die "$KSRC is not a directory"
		PRISTINE=$(cd "$KSRC" && pwd -P)
		name=$(basename "$PRISTINE" | tr -c '[:alnum:].\n-' _)
		name=ksrc-$name-$(cksum <<<"$PRISTINE" | cut -d ' ' -f 1)
	else
		PRISTINE=$BUILD/src/linux-source-$KVER
	fi
	# shellcheck disable=SC2034
	NAME=$name
	HOME_DIR=$BUILD/$name
	TREE=$HOME_DIR/tree
	if [ -n "${STOCK-}" ]; then
		HOME_DIR=$BUILD/stock-$name
		TREE=$PRISTINE
	fi
}

# The fragments that make up kernel $1 of this architecture.
fragments()
{
	case $1 in
	kasan | kcsan | lockdep)
		fragments smp
		echo "$1"
		;;
	bench) echo base "$ARCH" bench ;;
	irqsoff) echo base "$ARCH" bench irqsoff ;;
	*)
		echo base "$ARCH" kunit "$1"
		[ ! -f "$RIG/configs/$ARCH-$1.config" ] || echo "$ARCH-$1"
		;;
	esac
}

# make in the applied tree, output in $HOME_DIR/$1, the rest as given.
kmake()
{
	local out=$1

	shift
	make -C "$TREE" O="$HOME_DIR/$out" ARCH="$KARCH" \
		CROSS_COMPILE="$CROSS_COMPILE" KBUILD_BUILD_USER=profile \
		KBUILD_BUILD_HOST=rig --no-print-directory "$@"
}

# Pass on what a kernel build says, but only count its steps.
progress()
{
	local step='^  [A-Z][A-Z0-9_+]+ ' line steps=0 clear=

	[ ! -t 1 ] || clear=$'\r\e[K'
	while IFS= read -r line; do
		if [[ $line =~ $step ]]; then
			steps=$((steps + 1))
			if [ -n "$clear" ]; then
				printf '%s  %5d%.60s' "$clear" "$steps" "$line"
			elif [ $((steps % 250)) -eq 0 ]; then
				echo "  $steps steps"
			fi
		elif [[ ! $line =~ ^make.*:\ (Entering|Leaving)\  ]]; then
			printf '%s%s\n' "$clear" "$line"
		fi
	done
	printf '%s' "$clear"
}
