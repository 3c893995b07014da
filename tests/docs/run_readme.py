# SPDX-License-Identifier: Apache-2.0
"""run_readme.py: builds the C and the C++ program of README.md against the library that is tested, and runs them.

The number that both must print is LiteRT's for an image of zeros (its reference kernels, ai-edge-litert 2.3.0).
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

LITERT = 0.37979004
COMPILERS = {"c": ["cc", "-std=c99", "-pedantic"], "cpp": ["c++", "-std=c++17", "-fno-exceptions", "-fno-rtti"]}


def main():
    source = pathlib.Path(os.environ["HEDDLE_SOURCE_DIR"])
    build = pathlib.Path(os.environ["HEDDLE_BINARY_DIR"])
    text = (source / "README.md").read_text(encoding="utf-8")
    for language, compiler in COMPILERS.items():
        (program,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"readme.{language}"
            path.write_text(program, encoding="utf-8")
            binary = path.with_suffix(".bin")
            library = build / "bundle"
            subprocess.run(
                [*compiler, "-Wall", "-Wextra", "-Werror", f"-I{source}/include", f"-I{build}/generated", str(path),
                 "-o", str(binary), f"-L{library}", "-lheddle", f"-Wl,-rpath,{library}"], check=True)
            printed = subprocess.run([str(binary)], cwd=source, check=True, capture_output=True, text=True).stdout
        value = float(printed.rpartition(":")[2])
        if abs(value - LITERT) > 1e-5:
            sys.exit(f"the {language} program printed {printed!r}")


if __name__ == "__main__":
    main()
