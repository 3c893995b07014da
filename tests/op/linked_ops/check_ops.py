# SPDX-License-Identifier: Apache-2.0
"""Checks which kernels a program has linked.

check_ops.py NM THREE ALL MODEL LIST: the program THREE has the three kernels that it names and no
other, ALL has those of LIST (kernels/builtin_ops.inc); both run MODEL. Prints their sizes.
"""

import os
import re
import subprocess
import sys


def kernels(nm, program):
    symbols = subprocess.run([nm, program], check=True, capture_output=True, text=True).stdout
    # Of other kinds are type names and the like.
    return set(re.findall(r"^[0-9a-f]+ [tT] heddle_op_([A-Z0-9_]+)$", symbols, re.MULTILINE))


def main(nm, three, everything, model, op_list):
    with open(op_list, encoding="utf-8") as file:
        listed = set(re.findall(r"^HEDDLE_BUILTIN_OP\((\w+)\)", file.read(), re.MULTILINE))
    for program, expected in ((three, {"ADD", "CONV_2D", "RELU"}), (everything, listed)):
        found = kernels(nm, program)
        if found != expected:
            sys.exit(f"{program}: too many {sorted(found - expected)}, missing {sorted(expected - found)}")
        if subprocess.run([program, model]).returncode != 0:
            sys.exit(f"{program} failed")
        print(f"{len(found)} kernels: {os.path.getsize(program)} bytes")
    if os.path.getsize(three) >= os.path.getsize(everything):
        sys.exit("three kernels are no smaller than all")


if __name__ == "__main__":
    main(*sys.argv[1:])
