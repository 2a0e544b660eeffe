# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Booting guests; sourced after lib.sh.

# gen_init_cpio's lines for file $2 of the host as $1, directories included.
cpio_file()
{
	local dir=

	while [[ ${1#"$dir"/} == */* ]]; do
		dir=$dir/$(cut -d / -f 1 <<<"${1#"$dir"/}")
		echo "dir $dir 755 0 0"
	done
	echo "file $1 $(realpath "$2") $([ -x "$2" ] && echo 755 || echo 644) 0 0"
}

# A program of the host with the shared libraries it asks for.
cpio_program()
{
	local lib

	cpio_file "$1" "$1"
	{ ldd "$1" 2>/dev/null || true; } |
		sed -n 's,^[^/]*\(/[^ ]*\) (0x.*,\1,p' |
		while read -r lib; do
			cpio_file "$lib" "$lib"
		done
}

# All that guests of kernel $1 have in common.
cpio_list()
{
	local out=$HOME_DIR/$1 path name

	echo "dir /dev 755 0 0"
	echo "nod /dev/console 600 0 0 c 5 1"
	cpio_program /bin/busybox
	cpio_program /usr/sbin/readprofile
	cpio_file /boot/System.map "$out/System.map"
	cpio_file /init "$RIG/init"
	for name in show load; do
		cpio_file "/rig/$name" "$RIG/$name"
	done
}

# The tests that guests of kernel $1 are given: the named programs, or all of
# them if none is, and what programs need besides.
cpio_tests()
{
	local dir=$HOME_DIR/$1/selftests path name

	cpio_file /tests/load-on-top "$RIG/load-on-top"
	[ ! -d "$dir" ] || find "$dir" -type f | while read -r path; do
		name=${path#"$dir/"}
		[[ $# -eq 1 || $name == *.* || " ${*:2} " == *" $name "* ]] ||
			continue
		cpio_file "/tests/$name" "$path"
	done
}

# Each directory once, each before what is in it.
make_initramfs()
{
	cpio_list "$1" | awk '!seen[$0]++' >"$HOME_DIR/$1/initramfs.list"
	"$HOME_DIR/$1/usr/gen_init_cpio" "$HOME_DIR/$1/initramfs.list" \
		>"$HOME_DIR/$1/initramfs.cpio"
}

# Their modules, for a kernel that takes any; the sources are of all kernels.
make_test_modules()
{
	local out=$HOME_DIR/$1

	grep -qx CONFIG_MODULES=y "$out/.config" || return 0
	rm -rf "$out/test_modules"
	cp -r "$TREE/tools/testing/selftests/profile/test_modules" \
		"$out/test_modules"
	kmake "$1" -s M="$out/test_modules" modules 2>&1 | progress
	cp "$out"/test_modules/*.ko "$out/selftests"
}

# The selftests as kselftest builds and installs them.
make_selftests()
{
	local out=$HOME_DIR/$1

	rm -rf "$out/selftests"
	mkdir -p "$out/selftests-build"
	make -s -C "$TREE/tools/testing/selftests/profile" \
		OUTPUT="$out/selftests-build" INSTALL_PATH="$out/selftests" \
		CC="${CROSS_COMPILE}gcc" TEST_GEN_MODS_DIR= all install 2>&1 |
		progress
	make_test_modules "$1"
}

MEMORY=1024

# Programs of the host that a guest gets besides.
GUEST_PROGRAMS=()

# What makes a machine of QEMU, see guests. Only its own emulator has host
# threads to choose from, and only that can count instructions.
machine()
{
	local accel=$ACCEL

	SOCKETS=1
	MACHINE_APPEND=
	[ "$ACCEL" != tcg ] || accel=tcg,thread=multi
	case $1 in
	single) MACHINE=(-accel "${accel/%=multi/=single}") ;;
	multi) MACHINE=(-accel "$accel") ;;
	nested) MACHINE=(-accel "$accel" "${QEMU_NESTED[@]}") ;;
	numa)
		MACHINE=(-accel "$accel"
			-object "memory-backend-ram,id=all,size=${MEMORY}M"
			-numa "node,nodeid=0,memdev=all,cpus=0-1"
			-numa "node,nodeid=1,cpus=2-3")
		SOCKETS=2
		;;
	counted)
		MACHINE=(-accel tcg,thread=single -icount "shift=0,sleep=off"
			-rtc "base=2026-01-01T00:00:00,clock=vm")
		# To init and all that it starts, by way of the kernel.
		MACHINE_APPEND=STEADY_CLOCK=1
		;;
	*) die "there is no machine '$1'" ;;
	esac
}

# boot NAME KERNEL CPUS MACHINE APPEND [PROGRAM...]: run the job on stdin in a
# guest that has these tests, or all of them.
# Console and verdict go to $GUEST/console and $GUEST/verdict; $SERIAL, if
# set, is where the console goes instead. Fails if QEMU does or if the time
# is over.
boot()
{
	local out=$HOME_DIR/$2 line=() status=0 program

	machine "$4"
	line=("${BOOT_ARGS[@]}" panic_on_warn=1 panic=-1 kunit.enable=0
		"$MACHINE_APPEND" "$5")
	GUEST=$HOME_DIR/guests/$1
	rm -rf "$GUEST"
	mkdir -p "$GUEST"
	{
		cat
		echo "VERDICT_PORT=$VERDICT_PORT"
	} >"$GUEST/job"
	{
		cpio_tests "$2" "${@:6}"
		for program in "${GUEST_PROGRAMS[@]}"; do
			cpio_program "$program"
		done
		echo "file /job $GUEST/job 644 0 0"
	} | awk '!seen[$0]++' >"$GUEST/job.list"
	"$out/usr/gen_init_cpio" "$GUEST/job.list" |
		cat "$out/initramfs.cpio" - >"$GUEST/initrd"

	timeout --foreground -k 10 "$TIMEOUT" "$QEMU" "${QEMU_ARGS[@]}" \
		"${MACHINE[@]}" -smp "$3,sockets=$SOCKETS" -m "$MEMORY" \
		-nodefaults -no-reboot -display none -kernel "$out/$IMAGE" \
		-initrd "$GUEST/initrd" -append "${line[*]}" \
		-serial "${SERIAL:-file:$GUEST/console}" \
		-serial "file:$GUEST/verdict" <&4 &
	guest_pid=$!
	wait "$guest_pid" || status=$?
	guest_pid=
	rm -f "$GUEST/initrd"
	[ "$status" -ne 124 ] || echo "the guest was stopped after $TIMEOUT s"
	return "$status"
}

finished()
{
	grep -qx DONE "$GUEST/verdict" 2>/dev/null
}

end_guests()
{
	local pid

	for pid in $guest_pid $(jobs -p); do
		kill "$pid" 2>/dev/null || true
	done
}

# Whatever ends the script ends its guests; what it has in the background calls
# this for itself.
own_guests()
{
	guest_pid=
	trap end_guests EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

exec 4<&0
own_guests
