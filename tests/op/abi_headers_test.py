# SPDX-License-Identifier: Apache-2.0
"""The public headers keep what each release's headers promised: declarations here, numbers in layout_test.c."""

import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("HEDDLE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
BUILD = pathlib.Path(os.environ.get("HEDDLE_BINARY_DIR") or ROOT / "build" / "release")
GOLDEN = ROOT / "tests" / "golden" / "abi"
sys.path.insert(0, str(GOLDEN))
import abi  # noqa: E402

RELEASES = sorted(GOLDEN.glob("v*"))


def numbers(text):
    """struct -> size, and (struct, field) -> (offset, size), of a layout.inc."""
    sizes = {name: int(size) for name, size in re.findall(r"HEDDLE_SIZE\((\w+), (\d+)\)", text)}
    fields = {(name, field): (int(offset), int(size)) for name, field, offset, size in
              re.findall(r"HEDDLE_FIELD\((\w+), (\w+), (\d+), (\d+)\)", text)}
    return sizes, fields


class AbiHeaders(unittest.TestCase):
    def test_nothing_released_has_changed(self):
        current = abi.Headers(ROOT / "include", BUILD / "generated")
        self.assertTrue(RELEASES)
        for release in RELEASES:
            self.assertEqual(abi.breaks(abi.Headers(release), current), [], release.name)

    def test_layouts_are_complete(self):
        # layout_test.c asserts every line of layout.inc; here: nothing is missing there.
        for release in RELEASES:
            headers = abi.Headers(release)
            text = (release / "layout.inc").read_text()
            sizes, fields = numbers(text)
            self.assertEqual(set(sizes), set(headers.structs))
            self.assertEqual(set(fields), {(name, field) for name, list_ in headers.structs.items() for field, _ in list_})
            values = {name: int(value) for name, value in re.findall(r"HEDDLE_VALUE\((\w+), (-?\d+)\)", text)}
            self.assertEqual(values, headers.enums)

    def test_new_fields_do_not_lie_in_old_padding(self):
        # There struct_size could not tell whether the maker of a struct knew them.
        with tempfile.TemporaryDirectory() as folder:
            headers = pathlib.Path(folder) / "heddle"
            shutil.copytree(ROOT / "include" / "heddle", headers)
            shutil.copy(BUILD / "generated" / "heddle" / "heddle_attributes.h", headers)
            _, current = numbers(abi.layout(folder))
        for release in RELEASES:
            sizes, known = numbers((release / "layout.inc").read_text())
            for (name, field), (offset, _) in current.items():
                if name in sizes and (name, field) not in known:
                    self.assertGreaterEqual(offset, sizes[name], f"{release.name}: {name}.{field}")

    def test_every_public_symbol_is_seen(self):
        for release in RELEASES:
            headers = abi.Headers(release)
            text = (release / "heddle" / "heddle.h").read_text() + (release / "heddle" / "heddle_plugin.h").read_text()
            declared = len(re.findall(r"^HEDDLE_(?:API|PLUGIN_EXPORT) ", text, re.MULTILINE))
            self.assertEqual(len(headers.functions), declared)


class AbiBreaks(unittest.TestCase):
    """Each kind of break is noticed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        shutil.copytree(RELEASES[0] / "heddle", self.folder / "heddle")
        self.old = abi.Headers(RELEASES[0])

    def breaks(self, header, before, after):
        path = self.folder / "heddle" / header
        text = path.read_text()
        self.assertIn(before, text)
        path.write_text(text.replace(before, after, 1))
        return abi.breaks(self.old, abi.Headers(self.folder))

    def assertNoticed(self, header, before, after, words):
        found = self.breaks(header, before, after)
        self.assertTrue(found)
        self.assertIn(words, found[0])

    def test_growth_is_none(self):
        self.assertEqual(self.breaks("heddle_plugin.h", "  size_t in_place_count;\n",
                                     "  size_t in_place_count;\n  void* more;\n"), [])
        self.assertEqual(self.breaks("heddle.h", "HEDDLE_INTERNAL = 14,", "HEDDLE_INTERNAL = 14, HEDDLE_NEW = 15,"), [])

    def test_a_field_in_the_middle(self):
        self.assertNoticed("heddle_plugin.h", "  uint32_t flags;          /* heddle_op_flags",
                           "  uint32_t more;\n  uint32_t flags;          /* heddle_op_flags", "struct heddle_op, field 4")

    def test_a_field_that_goes(self):
        self.assertNoticed("heddle_plugin.h", "  size_t in_place_count;\n", "", "struct heddle_op")

    def test_a_callback_with_another_parameter(self):
        self.assertNoticed("heddle_plugin.h", "(*invoke)(heddle_op_call* call)", "(*invoke)(heddle_op_call* call, int more)",
                           "struct heddle_op")

    def test_a_number_that_moves(self):
        self.assertNoticed("heddle.h", "HEDDLE_INTERNAL = 14,", "HEDDLE_INTERNAL = 15,", "enum HEDDLE_INTERNAL: was `14`")
        self.assertNoticed("heddle_attributes.h", "#define HEDDLE_ATTR_RESHAPE_NEW_SHAPE 0x01001100u",
                           "#define HEDDLE_ATTR_RESHAPE_NEW_SHAPE 0x01001101u", "enum HEDDLE_INTERNAL")

    def test_a_function_that_goes_or_changes(self):
        self.assertNoticed("heddle.h", "HEDDLE_API void heddle_model_destroy(heddle_model* model);", "",
                           "function heddle_model_destroy")


if __name__ == "__main__":
    unittest.main()
