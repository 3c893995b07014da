#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libheddle exports what its headers declare, and nothing else: what tests/golden/abi/exported_symbols.txt lists."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(os.environ["HEDDLE_SOURCE_DIR"])
LIBRARY = sys.argv.pop() if len(sys.argv) > 1 else ""


class ExportedSymbols(unittest.TestCase):
    def setUp(self):
        self.golden = (ROOT / "tests/golden/abi/exported_symbols.txt").read_text().split()

    def test_library(self):
        table = subprocess.run(["nm", "--dynamic", "--defined-only", LIBRARY], capture_output=True, text=True, check=True)
        names = sorted({line.split()[-1].split("@")[0] for line in table.stdout.splitlines()})
        self.assertEqual(names, self.golden)

    def test_header(self):
        text = (ROOT / "include/heddle/heddle.h").read_text()
        declared = re.findall(r"^HEDDLE_API [^(;]*?(heddle_\w+)\(", text, re.MULTILINE)
        self.assertEqual(sorted(declared), self.golden)
        self.assertEqual(len(declared), len(re.findall(r"^HEDDLE_API ", text, re.MULTILINE)))


if __name__ == "__main__":
    unittest.main()
