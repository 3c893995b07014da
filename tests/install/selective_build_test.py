# SPDX-License-Identifier: Apache-2.0
"""Builds the library with three ops (HEDDLE_OPS) and asks it which it has."""

import ctypes
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["HEDDLE_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["HEDDLE_BINARY_DIR"])
OPS = {"ADD", "CONV_2D", "SOFTMAX"}


def names_by_code():
    text = (BUILD / "generated" / "heddle" / "heddle_attributes.h").read_text()
    return {int(code): name for name, code in re.findall(r"HEDDLE_BUILTIN_(\w+) = (\d+),", text)}


def registered(library):
    """Names of the ops of the default resolver."""
    heddle = ctypes.CDLL(library)
    resolver = ctypes.c_void_p()
    assert heddle.heddle_op_resolver_create_default(ctypes.byref(resolver), None) == 0
    found = {name for code, name in names_by_code().items()
             if heddle.heddle_op_resolver_get_versions(resolver, code, None, None, None) == 0}
    heddle.heddle_op_resolver_destroy(resolver)
    return found


class SelectiveBuild(unittest.TestCase):
    def test_three_ops(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "ops.txt").write_text("# of a model\n" + "\n".join(OPS) + "\n")
            options = [f"-DHEDDLE_{part}=OFF" for part in ("TESTS", "TOOLS", "EXAMPLES", "BENCH", "XNNPACK")]
            subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", f"{folder}/build", "-DCMAKE_BUILD_TYPE=Release",
                            f"-DHEDDLE_OPS={folder}/ops.txt", *options], check=True)
            subprocess.run(["cmake", "--build", f"{folder}/build", "--target", "heddle"], check=True)
            library = f"{folder}/build/bundle/libheddle.so"
            subprocess.run(["strip", library], check=True)
            subprocess.run(["strip", "-o", f"{folder}/whole.so", BUILD / "bundle" / "libheddle.so"], check=True)
            small, whole = registered(library), registered(f"{folder}/whole.so")
            sizes = [os.path.getsize(path) for path in (library, f"{folder}/whole.so")]
            print(f"{len(small)} ops: {sizes[0]} bytes, {len(whole)} ops: {sizes[1]} bytes")
            self.assertEqual(small, OPS)
            self.assertLess(OPS, whole)
            self.assertLess(sizes[0], sizes[1])


if __name__ == "__main__":
    unittest.main()
