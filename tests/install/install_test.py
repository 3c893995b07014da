# SPDX-License-Identifier: Apache-2.0
"""Installs Heddle, moves the installation, and builds a program with it: by find_package and by pkg-config."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["HEDDLE_SOURCE_DIR"])
BUILD = pathlib.Path(os.environ["HEDDLE_BINARY_DIR"])
CONSUMER = ROOT / "tests" / "install" / "consumer"
MODEL = ROOT / "examples" / "models" / "digits_float.tflite"


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run("cmake", "--install", BUILD, "--prefix", cls.folder / "first")
        cls.prefix = cls.folder / "elsewhere"
        (cls.folder / "first").rename(cls.prefix)  # nothing may remember where it was
        cls.lib = next(path.parent for path in cls.prefix.rglob("libheddle.so"))

    def test_only_what_users_need(self):
        headers = {path.name for path in (self.prefix / "include" / "heddle").iterdir()}
        self.assertEqual(headers, {path.name for path in (ROOT / "include" / "heddle").iterdir()} | {"heddle_attributes.h"})
        self.assertEqual({path.name for path in (self.prefix / "include").iterdir()}, {"heddle"})
        self.assertEqual({path.suffix for path in self.lib.glob("lib*")} & {".a"}, set())

    def test_headers_stand_alone(self):
        for header in sorted((self.prefix / "include" / "heddle").iterdir()):
            languages = [["c++", "-std=c++17"]] if header.suffix == ".hpp" else [["cc", "-std=c11"], ["c++", "-std=c++17"]]
            for compiler in languages:
                run(*compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{self.prefix / 'include'}", "-include",
                    header, "-x", "c" if compiler[0] == "cc" else "c++", os.devnull)

    def test_program_runs_where_it_lies(self):
        program = self.prefix / "bin" / "heddle"
        if not program.exists():
            self.skipTest("built without tools")
        self.assertIn("digits", run(program, "inspect", MODEL))

    def test_find_package(self):
        build = self.folder / "cmake"
        run("cmake", "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.assertEqual(run(build / "consumer", MODEL), "1 outputs\n")

    def test_find_package_refuses_another_minor_version(self):
        source = self.folder / "newer"
        shutil.copytree(CONSUMER, source)
        text = (source / "CMakeLists.txt").read_text()
        (source / "CMakeLists.txt").write_text(text.replace("heddle 0.1", "heddle 0.2"))
        with self.assertRaisesRegex(AssertionError, "0.2"):
            run("cmake", "-S", source, "-B", self.folder / "newer_build", f"-DCMAKE_PREFIX_PATH={self.prefix}")

    def test_pkg_config(self):
        if shutil.which("pkg-config") is None:
            self.skipTest("no pkg-config on this machine")
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.lib / "pkgconfig"), LD_LIBRARY_PATH=str(self.lib))
        flags = run("pkg-config", "--cflags", "--libs", "heddle", env=environment).split()
        program = self.folder / "by_pkg_config"
        run("cc", "-o", program, CONSUMER / "main.c", *flags)
        self.assertEqual(run(program, MODEL, env=environment), "1 outputs\n")


if __name__ == "__main__":
    unittest.main()
