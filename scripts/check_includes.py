#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes go one way and that the headers of libraries stay in their folders.

check_includes.py [ROOT] prints one line a violation and exits 1 if there is any. The two tables below
are the rule; a folder or a library that is new gets its line there.
"""

import pathlib
import re
import sys

_RUNTIME = ["runtime/base", "runtime/model", "runtime/op", "runtime/memory", "runtime/sync"]
_CONTRACTS = _RUNTIME + ["runtime/profile", "runtime/delegate"]
_ANY = ["*"]

# Folder -> the folders that it may include besides itself. The longest folder that holds a file decides,
# so that a subfolder may be allowed more than its parent; a parent may not include such a subfolder.
# Everybody may include heddle/*.h, whose own place is include/heddle.
LAYERS = {
    "include/heddle": [],
    "runtime/base": [],
    "runtime/model": ["runtime/base"],
    "runtime/sync": ["runtime/base"],
    "runtime/memory": ["runtime/base", "runtime/model"],
    "runtime/op": ["runtime/base", "runtime/model", "runtime/memory", "runtime/sync"],
    "runtime/profile": _RUNTIME,
    "runtime/delegate": _RUNTIME + ["runtime/profile"],
    "runtime/exec": _CONTRACTS,
    "runtime/capi": _CONTRACTS + ["runtime/exec"],
    "kernels": ["runtime/base", "runtime/op", "runtime/sync"],
    "npu_program": ["runtime/base"],
    "compiler": ["runtime/base", "runtime/model", "runtime/op", "npu_program"],
    "delegate/cpu": _CONTRACTS + ["kernels"],
    "delegate/npu": _CONTRACTS + ["npu_program"],
    "delegate/npu/jit": _CONTRACTS + ["npu_program", "delegate/npu", "compiler"],
    "delegate/npu/driver/vnpu": ["runtime/base", "runtime/sync", "npu_program", "kernels/ref"],
    # What joins the parts into one library.
    "bundle": ["runtime", "kernels", "delegate", "compiler"],
    # Users of the public headers.
    "gates": ["compiler"],
    "tools": ["compiler", "gates"],
    "examples": [],
    "tests": _ANY,
    "bench": _ANY,
}

_SERIALISED = ["runtime/model", "compiler/import", "compiler/export", "npu_program", "tests"]
_PROGRAMS = ["tools", "gates", "tests", "bench"]

# Header of a library, or made during the build -> the folders that may include it.
CONFINED = {
    r"heddle/heddle_attributes\.h": _ANY,
    r"(.*/)?\w+_generated\.h": _SERIALISED,
    r"schema/\w+\.inc": ["runtime/model", "tests"],
    r"flatbuffers/flexbuffers\.h": ["kernels/custom", "tests"],  # options of custom ops
    r"flatbuffers/.*": _SERIALISED,
    r"(xnnpack|pthreadpool)\.h": ["kernels/opt/xnn", "tests"],
    r"hwy/.*": ["kernels", "delegate/cpu", "bench"],
    r"(google/protobuf|onnx|protozero)/.*": ["compiler/import/onnx", "tests/compiler"],
    r"CLI/.*": _PROGRAMS,
    r"nlohmann/.*": _PROGRAMS + ["compiler"],
    r"(stb/)?stb_\w+\.h": _PROGRAMS,
    r"(sndfile|zlib)\.h": _PROGRAMS,
    r"(gtest|gmock)/.*": ["tests"],
    r"benchmark/.*": ["bench"],
}

# What comes with the compiler and the system: C++ has no dot, these have.
_SYSTEM = re.compile(
    r"[a-z_]+|[a-z0-9]*intrin\.h|arm_(neon|sve)\.h|(sys|linux|sanitizer)/\w+\.h|"
    r"(assert|cpuid|ctype|dirent|dlfcn|elf|errno|fcntl|fenv|float|getopt|glob|inttypes|limits|link|locale|malloc|"
    r"math|poll|pthread|sched|setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|"
    r"stdlib|string|strings|syscall|time|unistd|wchar|windows)\.h"
)
_INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
_SUFFIXES = {".cc", ".c", ".h", ".hpp", ".inc"}


def _under(folder, parents):
    return any(parent == "*" or folder == parent or folder.startswith(parent + "/") for parent in parents)


def _layer(path):
    """The longest entry of LAYERS that holds `path`, or None."""
    holders = [folder for folder in LAYERS if path.startswith(folder + "/")]
    return max(holders, key=len, default=None)


def _violation(root, path, quote, name):
    """Says what is wrong with file `path` including `name`, or returns None."""
    folder = str(pathlib.PurePosixPath(path).parent)
    for pattern, allowed in CONFINED.items():
        if re.fullmatch(pattern, name):
            return None if _under(folder, allowed) else f"only {', '.join(allowed)} may include it"
    if name.startswith("heddle/"):
        name = "include/" + name
    elif quote == "<":
        return None if _SYSTEM.fullmatch(name) else "unknown header; a new library gets a line in CONFINED"
    if not (root / name).is_file():
        return "no such file from the repository's top or include/, where every path starts"
    source, target = _layer(path), _layer(name)
    if target is None:
        return "its folder has no line in LAYERS"
    folder = str(pathlib.PurePosixPath(name).parent)
    if target in (source, "include/heddle") or _under(folder, LAYERS[source]):
        return None
    return f"{source} may include {', '.join(LAYERS[source]) or 'nothing else'}, not {target}"


def check(root):
    """Returns the violations under `root`, each as 'file:line: include: what is wrong'."""
    root = pathlib.Path(root)
    found = []
    for top in sorted({folder.split("/")[0] for folder in LAYERS} | {"schema", "delegate", "runtime"}):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in _SUFFIXES:
                continue
            path = file.relative_to(root).as_posix()
            if _layer(path) is None:
                found.append(f"{path}: its folder has no line in LAYERS of scripts/check_includes.py")
                continue
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = _INCLUDE.match(line)
                wrong = match and _violation(root, path, *match.groups())
                if wrong:
                    found.append(f"{path}:{number}: {match.group(2)}: {wrong}")
    return found


def main(arguments):
    root = arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent
    found = check(root)
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
