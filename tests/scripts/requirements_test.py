# SPDX-License-Identifier: Apache-2.0
"""The tests that docs/requirements names exist, and pages about errors name every reason."""

import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(os.environ.get("HEDDLE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
NAME = re.compile(r"[a-z]\w*(\.\w+){1,2}")


def rows(page):
    """(number, last cell) of each row of a page."""
    for line in page.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and re.fullmatch(r"\d{3}-\d{2}", cells[0]):
            yield cells[0], cells[-1]


def exists(name, method=None):
    """Whether ctest has a test of this name, judged by the sources."""
    parts = name.split(".")
    if len(parts) == 3:
        pattern = re.compile(rf"\bTEST(_F|_P)?\(\s*{parts[1]}\s*,\s*{parts[2]}\s*\)")
        return any(pattern.search(file.read_text(encoding="utf-8")) for file in (ROOT / "tests" / parts[0]).glob("*.cc"))
    folder, test = parts
    script = ROOT / "tests" / folder / (test if test.endswith("_test") else test + "_test")
    script = script.with_suffix(".py")
    if method is not None:
        class_name, function = method.split(".")
        text = script.read_text(encoding="utf-8") if script.exists() else ""
        _, _, body = text.partition(f"\nclass {class_name}(")
        return f"    def {function}(self" in body.partition("\nclass ")[0]
    if script.exists():
        return True
    if folder == "docs":
        return (ROOT / "docs" / "howto" / f"{test}.md").exists()
    lists = [*(ROOT / "tests").rglob("CMakeLists.txt"), *(ROOT / "examples").rglob("CMakeLists.txt")]
    return any(re.search(rf"\bNAME {re.escape(name)}\s", file.read_text(encoding="utf-8")) for file in lists)


class Requirements(unittest.TestCase):
    pages = sorted((ROOT / "docs" / "requirements").glob("*.md"))

    def test_each_row_has_a_test_or_says_what_is_missing(self):
        self.assertTrue(self.pages)
        for page in self.pages:
            numbers = [number for number, _ in rows(page)]
            self.assertEqual(numbers, sorted(set(numbers)), page.name)
            for number, cell in rows(page):
                with self.subTest(row=number):
                    self.assertTrue("`" in cell or re.search(r"\blater: \S", cell), cell)

    def test_named_tests_exist(self):
        for page in self.pages:
            for number, cell in rows(page):
                for name, method in re.findall(r"`([\w.]+)`(?: \(`([\w.]+)`\))?", cell):
                    with self.subTest(row=number, name=name):
                        self.assertTrue(NAME.fullmatch(name) and exists(name, method or None), f"no test {name} {method}")

    def test_missing_tests_are_noticed(self):
        self.assertFalse(exists("op.Resolver.NoSuchTest"))
        self.assertFalse(exists("op.no_such_test"))
        self.assertFalse(exists("scripts.requirements_test", "Requirements.test_that_is_not_there"))
        self.assertFalse(exists("scripts.requirements_test", "Pages.test_named_tests_exist"))
        self.assertTrue(exists("scripts.requirements_test", "Pages.test_unresolved_ops"))


class Pages(unittest.TestCase):
    def test_unresolved_ops(self):
        header = (ROOT / "include" / "heddle" / "heddle.h").read_text(encoding="utf-8")
        group = header.partition("/* resolving ops */")[2].partition("/* shapes, kernels */")[0]
        reasons = re.findall(r"\bX\((\w+), \d+,", group)
        self.assertGreaterEqual(len(reasons), 8)
        page = (ROOT / "docs" / "howto" / "unresolved_ops.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"^\| ([A-Z_]+) \|", page, re.MULTILINE), reasons)


if __name__ == "__main__":
    unittest.main()
