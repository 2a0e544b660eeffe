#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Call sites of static keys: their addresses in the text of a kernel.

usage: sites.py VMLINUX KEY

A line for each site: its address, the function around it.
"""

import bisect
import struct
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def symbols(vmlinux):
    """Address and name of each symbol, sorted."""
    lines = (line.split() for line in output("nm", "-n", vmlinux).decode().splitlines())
    return [(int(words[0], 16), words[-1]) for words in lines if len(words) == 3]


def contents(vmlinux, start, end):
    """What lies at these addresses."""
    for line in output("objdump", "-h", vmlinux).decode().splitlines():
        words = line.split()
        if len(words) < 6 or not words[0].isdigit():
            continue
        size, address, offset = (int(words[i], 16) for i in (2, 3, 5))
        if address <= start and end <= address + size:
            with open(vmlinux, "rb") as file:
                file.seek(offset + start - address)
                return file.read(end - start)
    sys.exit(f"{vmlinux}: nothing at {start:x}")


def sites(vmlinux, key):
    """Entries of a jump table with relative addresses, as x86-64 has it."""
    table = symbols(vmlinux)
    named = {name: address for address, name in table}
    starts = [address for address, _ in table]
    base = named["__start___jump_table"]
    data = contents(vmlinux, base, named["__stop___jump_table"])
    for offset in range(0, len(data), 16):
        code, _, of = struct.unpack_from("<iiq", data, offset)
        if (base + offset + 8 + of) & ~3 == named[key]:
            address = base + offset + code
            name = table[bisect.bisect_right(starts, address) - 1][1]
            yield address, name


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for address, name in sites(*sys.argv[1:]):
        print(f"{address:x} {name}")


if __name__ == "__main__":
    main()
