# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/check_includes.py: this tree passes, and each kind of violation is caught."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("HEDDLE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
sys.path.insert(0, str(ROOT / "scripts"))
import check_includes  # noqa: E402


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.root = pathlib.Path(self._folder.name)
        for path in ["include/heddle/heddle.h", "runtime/base/status.h", "runtime/model/model.h", "runtime/exec/plan.h",
                     "kernels/ref/add.h", "kernels/opt/gemm.h", "compiler/ir/graph.h", "delegate/npu/jit/jit.h",
                     "npu_program/reader.h", "tests/support/files.h"]:
            self.write(path, "#pragma once\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def violations(self, path, *includes):
        self.write(path, "".join(f"#include {name}\n" for name in includes))
        found = check_includes.check(self.root)
        (self.root / path).unlink()
        return found

    def assertAllowed(self, path, *includes):
        self.assertEqual(self.violations(path, *includes), [])

    def assertCaught(self, path, include, words=""):
        found = self.violations(path, "<vector>", include)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith(f"{path}:2: {include[1:-1]}: "), found[0])
        self.assertIn(words, found[0])

    def test_this_tree_passes(self):
        self.assertEqual(check_includes.check(ROOT), [])

    def test_downward_is_allowed(self):
        self.assertAllowed("runtime/exec/a.cc", '"runtime/exec/plan.h"', '"runtime/model/model.h"', '"heddle/heddle.h"')
        self.assertAllowed("kernels/ops/add.cc", '"kernels/ref/add.h"', '"runtime/base/status.h"', "<cmath>", "<math.h>")
        self.assertAllowed("bundle/defaults.cc", '"kernels/ref/add.h"', '"runtime/exec/plan.h"')

    def test_upward_is_caught(self):
        self.assertCaught("runtime/base/a.cc", '"runtime/model/model.h"', "runtime/base may include nothing else")
        self.assertCaught("runtime/model/a.h", '"runtime/exec/plan.h"')

    def test_kernels_do_not_know_the_model(self):
        self.assertCaught("kernels/ops/a.cc", '"runtime/model/model.h"')

    def test_programs_stay_on_public_headers(self):
        self.assertCaught("tools/a.cc", '"runtime/base/status.h"')

    def test_examples_stay_on_public_headers(self):
        self.assertCaught("examples/minimal_c/a.c", '"tests/support/files.h"')

    def test_public_headers_stand_alone(self):
        self.assertCaught("include/heddle/heddle.hpp", '"runtime/base/status.h"')

    def test_a_subfolder_may_have_more_than_its_parent(self):
        self.assertAllowed("delegate/npu/jit/a.cc", '"compiler/ir/graph.h"')
        self.assertCaught("delegate/npu/a.cc", '"compiler/ir/graph.h"')

    def test_a_subfolder_with_more_is_closed_to_its_parent(self):
        self.assertCaught("delegate/npu/a.cc", '"delegate/npu/jit/jit.h"')

    def test_part_of_a_folder_may_be_allowed(self):
        self.assertAllowed("delegate/npu/driver/vnpu/a.cc", '"kernels/ref/add.h"')
        self.assertCaught("delegate/npu/driver/vnpu/a.cc", '"kernels/opt/gemm.h"')

    def test_flatbuffers_is_confined(self):
        self.assertAllowed("runtime/model/a.cc", '"schema/model_generated.h"', '"flatbuffers/verifier.h"')
        self.assertCaught("runtime/exec/a.cc", '"flatbuffers/flatbuffers.h"', "only runtime/model")

    def test_the_generated_header_is_confined(self):
        self.assertCaught("kernels/ops/a.cc", '"schema/model_generated.h"', "only runtime/model")

    def test_xnnpack_is_confined(self):
        self.assertAllowed("kernels/opt/xnn/conv.cc", "<xnnpack.h>", "<pthreadpool.h>")
        self.assertCaught("kernels/ops/conv.cc", "<xnnpack.h>", "only kernels/opt/xnn")

    def test_an_unknown_library_is_caught(self):
        self.assertCaught("runtime/base/a.cc", "<absl/strings/string_view.h>", "CONFINED")

    def test_a_path_that_starts_elsewhere_is_caught(self):
        self.assertCaught("runtime/base/a.cc", '"status.h"', "no such file")

    def test_a_folder_without_a_rule_is_caught(self):
        self.write("runtime/novel/a.cc", "")
        self.assertEqual(len(check_includes.check(self.root)), 1)
        self.assertIn("runtime/novel/a.cc: its folder has no line", check_includes.check(self.root)[0])

    def test_the_table_itself_goes_one_way(self):
        done, doing = set(), []

        def visit(folder):
            self.assertNotIn(folder, doing, "a circle in LAYERS")
            if folder in done or folder not in check_includes.LAYERS:
                return
            doing.append(folder)
            for below in check_includes.LAYERS[folder]:
                visit(below)
            doing.pop()
            done.add(folder)

        for folder in check_includes.LAYERS:
            visit(folder)

    def test_as_a_program_it_fails_naming_the_line(self):
        self.write("kernels/a.cc", "\n#include <xnnpack.h>\n")
        run = subprocess.run([sys.executable, str(ROOT / "scripts/check_includes.py"), str(self.root)],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 1)
        self.assertIn("kernels/a.cc:2: xnnpack.h", run.stderr)


if __name__ == "__main__":
    unittest.main()
