# SPDX-License-Identifier: Apache-2.0
"""Tests of cmake/HeddleSelectOps.cmake, the filter of a selective build."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("HEDDLE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
LIST = """// SPDX-License-Identifier: Apache-2.0
// A comment that speaks of HEDDLE_BUILTIN_OP(NOTHING).
HEDDLE_BUILTIN_OP(ADD)
HEDDLE_BUILTIN_OP(CONV_2D)
HEDDLE_BUILTIN_OP(CONV_3D)
HEDDLE_BUILTIN_OP(SOFTMAX)
"""


class SelectOps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.output = self.folder / "made" / "list.inc"
        (self.folder / "list.inc").write_text(LIST)

    def select(self, ops, op_list=None):
        if ops is not None:
            (self.folder / "ops.txt").write_text(ops)
        return subprocess.run(
            ["cmake", f"-DLIST={op_list or self.folder / 'list.inc'}", f"-DOPS={self.folder / 'ops.txt'}",
             f"-DOUTPUT={self.output}", "-P", ROOT / "cmake" / "HeddleSelectOps.cmake"],
            capture_output=True, text=True)

    def assertSelected(self, ops, lines):
        result = self.select(ops)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.output.read_text(), "".join(f"HEDDLE_BUILTIN_OP({name})\n" for name in lines))

    def assertRefused(self, ops, words):
        result = self.select(ops)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(words, " ".join(result.stderr.split()))
        self.assertFalse(self.output.exists())

    def test_names_in_any_order_with_comments(self):
        self.assertSelected("# of digits.tflite\nSOFTMAX  # version 1, 1 operator\n\n  CONV_2D\nSOFTMAX\n",
                            ["CONV_2D", "SOFTMAX"])

    def test_custom_ops_of_heddle_ops_are_comments(self):
        self.assertSelected("ADD  # version 1, 2 operators\n# custom:My;Op[1], version 1\n", ["ADD"])

    def test_custom_ops(self):
        lists = [self.folder / "list.inc", self.folder / "custom.inc"]
        lists[1].write_text("HEDDLE_BUILTIN_CUSTOM_OP(Add)\nHEDDLE_BUILTIN_CUSTOM_OP(My_Op)\n")
        outputs = [self.folder / "made" / file.name for file in lists]
        (self.folder / "ops.txt").write_text("custom:My_Op  # version 1\nADD\n")
        command = ["cmake", f"-DLIST={lists[0]};{lists[1]}", f"-DOPS={self.folder / 'ops.txt'}",
                   f"-DOUTPUT={outputs[0]};{outputs[1]}", "-P", ROOT / "cmake" / "HeddleSelectOps.cmake"]
        result = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([file.read_text() for file in outputs],
                         ["HEDDLE_BUILTIN_OP(ADD)\n", "HEDDLE_BUILTIN_CUSTOM_OP(My_Op)\n"])

    def test_a_custom_op_that_is_not_there(self):
        self.assertRefused("ADD\ncustom:CONV_2D\n", "no kernel for custom:CONV_2D")

    def test_no_name_is_taken_for_a_part_of_another(self):
        self.assertRefused("CONV\n", "no kernel for CONV")

    def test_all_unknown_names_are_told(self):
        self.assertRefused("ADD\nFOO\nUNKNOWN_9999\n", "ops.txt: Heddle has no kernel for FOO, UNKNOWN_9999")

    def test_what_is_no_name(self):
        self.assertRefused("ADD CONV_2D\n", '"ADD CONV_2D" is no op\'s name')
        self.assertRefused("add\n", '"add" is no op\'s name')

    def test_an_empty_list_is_a_mistake(self):
        self.assertRefused("# nothing\n\n", "names no op")

    def test_a_missing_file(self):
        self.assertRefused(None, "HEDDLE_OPS: no file")

    def test_the_real_list(self):
        (self.folder / "ops.txt").write_text("ADD\nSOFTMAX\n")
        result = self.select(None, ROOT / "kernels" / "builtin_ops.inc")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.output.read_text(), "HEDDLE_BUILTIN_OP(ADD)\nHEDDLE_BUILTIN_OP(SOFTMAX)\n")

    def test_an_unchanged_selection_leaves_the_file_alone(self):
        self.assertSelected("ADD\n", ["ADD"])
        before = self.output.stat().st_mtime_ns
        self.assertSelected("ADD  # again\n", ["ADD"])
        self.assertEqual(self.output.stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
