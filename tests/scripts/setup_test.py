# SPDX-License-Identifier: Apache-2.0
"""Tests of scripts/setup and scripts/setup_xnnpack on a machine whose apt fails, whatever this one's does."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("HEDDLE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])


class Setup(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        self.calls = self.folder / "calls"
        self.cache = self.folder / "cache/heddle"
        (self.folder / "bin").mkdir()

    def fake(self, name, script):
        file = self.folder / "bin" / name
        file.write_text(f"#!/bin/bash\necho {name} \"$@\" >> '{self.calls}'\n{script}\n")
        file.chmod(0o755)

    def run_script(self, *command):
        environment = {**os.environ, "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
                       "XDG_CACHE_HOME": str(self.folder / "cache")}
        environment.pop("CC", None)
        return subprocess.run([str(ROOT / command[0]), *command[1:]], env=environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)

    def test_no_mirror_says_how_to_go_on_without(self):
        self.fake("apt-get", "exit 100")
        run = self.run_script("scripts/setup_xnnpack")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("XNNPACK failed at: finding a Debian mirror", run.stderr)
        self.assertIn("-DHEDDLE_XNNPACK=OFF", run.stderr)
        self.assertIn("-DHEDDLE_XNNPACK_ROOT=", run.stderr)
        self.assertEqual([path.name for path in self.cache.iterdir()], [".xnnpack.lock"], "leftovers")

    @unittest.skipUnless(pathlib.Path("/usr/share/keyrings/debian-archive-keyring.gpg").exists(), "not Debian")
    def test_a_failing_download_names_the_package(self):
        codename = subprocess.run(["bash", "-c", ". /etc/os-release; echo $VERSION_CODENAME"], capture_output=True,
                                  text=True, check=True).stdout.strip()
        self.fake("apt-get", f"""
case "$*" in
  *--print-uris*) echo "'http://mirror.invalid/debian/dists/{codename}/InRelease' x 0" ;;
  *update*) ;;
  *) echo "no such source here"; exit 100 ;;
esac""")
        run = self.run_script("scripts/setup_xnnpack")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("XNNPACK failed at: fetching the source of xnnpack", run.stderr)
        self.assertIn("no such source here", run.stderr)
        self.assertEqual([path.name for path in self.cache.iterdir()], [".xnnpack.lock"], "leftovers")

    def test_a_tarball_that_is_not_the_pinned_one_is_refused(self):
        self.test_a_failing_download_names_the_package()
        script = (self.folder / "bin/apt-get").read_text()
        (self.folder / "bin/apt-get").write_text(script.replace(
            'echo "no such source here"; exit 100', "echo tampered > xnnpack_1.orig.tar.xz"))
        run = self.run_script("scripts/setup_xnnpack")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("is not what cmake/xnnpack/pins expects", run.stderr)

    def test_with_every_package_installed_apt_is_not_started(self):
        self.fake("dpkg-query", "echo -n installed")
        self.fake("apt-get", "exit 100")
        run = self.run_script("scripts/setup", "--no-xnnpack")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("apt-get", self.calls.read_text())

    def test_without_root_it_says_what_to_run(self):
        self.fake("dpkg-query", 'case "$*" in *ninja-build) exit 1 ;; *) echo -n installed ;; esac')
        self.fake("id", "echo 1000")
        self.fake("sudo", "exit 1")
        self.fake("apt-get", "exit 100")
        run = self.run_script("scripts/setup", "--no-xnnpack")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("apt-get install --no-install-recommends ninja-build\n", run.stderr)
        self.assertNotIn("apt-get ", self.calls.read_text())

    def test_an_unknown_option_is_named(self):
        run = self.run_script("scripts/setup", "--no-such-thing")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("unknown option --no-such-thing", run.stderr)

    def test_cmake_says_what_to_do_without_xnnpack(self):
        build = self.folder / "build"
        run = subprocess.run(
            ["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DHEDDLE_XNNPACK=ON"],
            env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "nothing")}, capture_output=True, text=True)
        self.assertNotEqual(run.returncode, 0)
        for word in ["libXNNPACK.a", "scripts/setup", "-DHEDDLE_XNNPACK=OFF", "-DHEDDLE_XNNPACK_ROOT="]:
            self.assertIn(word, run.stderr)

    def test_scripts_parse(self):
        for file in [*(ROOT / "scripts").iterdir(), ROOT / ".ci/run"]:
            if file.suffix in ("", ".sh") and file.is_file():
                run = subprocess.run(["bash", "-n", str(file)], capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main()
