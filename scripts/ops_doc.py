#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/ops.md: what each op can do, from the registry of a build and the cases of the op tests.

  scripts/ops_doc.py [--check] [BUILD_DIR]

BUILD_DIR, build/release by default, has tests/docs/heddle_list_ops (target heddle_list_ops), which
prints what is registered. --check changes nothing and fails if the page is not current.
"""

import difflib
import pathlib
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/ops.md"
CASES = ROOT / "tests/golden/op_cases"
NARROW = {"INT8", "INT4", "INT2", "UINT8", "UINT4", "FLOAT16", "BFLOAT16"}

HEAD = """# Operators

Written by `scripts/ops_doc.py` from the registry and from the cases of `tests/golden/op_cases`, whose
outputs LiteRT computed. Do not edit: a test compares it with a new one.

- *Versions*: what the registry holds; a model that asks for another is refused with the range.
- *Types*: of the cases, by the main output. `INT16×INT8` has constants (weights) of the second type,
  `INT8→FLOAT32` makes one type from another.
- *Cases*: models of this one op, run through the reference kernels and compared with LiteRT's: integers
  exactly, floats within 1e-5 of the output's range, 16-bit floats within one step more. `!`: that many
  of them were computed by LiteRT's other kernels without delegates, since its reference resolver lacks
  the op, the version or the type.
- *Runs in*: the file of the kernel.
- *Notes*: where numbers differ by more than that, or where LiteRT is wrong, is said in
  [compatibility.md](compatibility.md).

"""
# Tested through models of more than one op, which the case files cannot hold.
GRAPH_TESTS = {
    "IF": "tests/kernels/control_flow_test.cc", "WHILE": "tests/kernels/control_flow_test.cc",
    "CALL_ONCE": "tests/kernels/control_flow_test.cc",
    "VAR_HANDLE": "tests/kernels/control_flow_test.cc",
    "READ_VARIABLE": "tests/kernels/control_flow_test.cc",
    "ASSIGN_VARIABLE": "tests/kernels/control_flow_test.cc"}


def enum_of_schema(name):
    text = (ROOT / "schema/model.fbs").read_text()
    body = re.search(rf"enum {name} : \w+ {{(.*?)}}", text, re.DOTALL).group(1)
    values, following = {}, 0
    for entry in re.sub(r"//.*", "", body).split(","):
        if not entry.strip():
            continue
        key, _, number = (part.strip() for part in entry.partition("="))
        following = int(number) if number else following
        values[following] = key
        following += 1
    return values


class Table:
    """A flatbuffers table: enough of the format to read the types of a one-op model."""

    def __init__(self, data, position):
        self.data, self.position = data, position
        self.vtable = position - self._number("<i", position)

    def _number(self, kind, position):
        return struct.unpack_from(kind, self.data, position)[0]

    def _field(self, index):
        size = self._number("<H", self.vtable)
        at = 4 + 2 * index
        offset = self._number("<H", self.vtable + at) if at < size else 0
        return self.position + offset if offset else None

    def scalar(self, index, kind, default):
        at = self._field(index)
        return default if at is None else self._number(kind, at)

    def _vector(self, index):
        at = self._field(index)
        if at is None:
            return 0, 0
        start = at + self._number("<I", at)
        return start + 4, self._number("<I", start)

    def numbers(self, index):
        start, count = self._vector(index)
        return list(struct.unpack_from(f"<{count}i", self.data, start))

    def count(self, index):
        return self._vector(index)[1]

    def tables(self, index):
        start, count = self._vector(index)
        return [Table(self.data, start + 4 * i + self._number("<I", start + 4 * i))
                for i in range(count)]


class OneOpModel:
    """Version and types of the case's operator. Field numbers are those of schema/model.fbs."""

    def __init__(self, data, types):
        model = Table(data, struct.unpack_from("<I", data)[0])
        code = model.tables(1)[0]
        graph, buffers = model.tables(2)[0], model.tables(4)
        op, tensors = graph.tables(3)[0], graph.tables(0)
        self.version = code.scalar(2, "<i", 1)

        def type_of(index):
            return types[tensors[index].scalar(1, "<b", 0)]

        inputs = [i for i in op.numbers(1) if i >= 0]
        constant = {i for i in inputs if buffers[tensors[i].scalar(2, "<I", 0)].count(0) > 0}
        self.data_types = [type_of(i) for i in inputs if i not in constant]
        self.weights = {type_of(i) for i in constant if len(tensors[i].numbers(0)) > 1}
        self.first = type_of(inputs[0]) if inputs else None
        self.output = type_of(op.numbers(2)[0])

    def kind(self):
        if self.output in self.data_types:
            narrow = sorted((self.weights & NARROW) - {self.output})
            return f"{self.output}×{narrow[0]}" if narrow else self.output
        made_from = self.data_types[0] if self.data_types else self.first
        if made_from in (None, self.output):
            return self.output
        return f"{made_from}→{self.output}"


def read_cases(path, types):
    """[(name, OneOpModel)] of a file of tests/oracle/make_op_cases.py."""
    data, position, cases = path.read_bytes(), 8, []

    def number():
        nonlocal position
        position += 4
        return struct.unpack_from("<I", data, position - 4)[0]

    def chunk():
        nonlocal position
        size = number()
        position += size
        return data[position - size:position]

    while position < len(data):
        name, model = chunk().decode(), chunk()
        for _ in range(number()):
            chunk()
        for _ in range(number()):
            rank = number()
            position += 4 * rank
            chunk()
        cases.append((name, OneOpModel(model, types)))
    return cases


def kernel_files():
    files = {}
    for path in sorted((ROOT / "kernels").glob("*/*.cc")):
        for op in re.findall(r"^HEDDLE_(?:CUSTOM_)?OP\((\w+),", path.read_text(), re.MULTILINE):
            files[op] = str(path.relative_to(ROOT))
    return files


def noted_ops():
    """Ops that compatibility.md has a line for: "- `OP`: ..."."""
    text = (ROOT / "docs/compatibility.md").read_text()
    return {op for names in re.findall(r"^- ((?:`\w+`(?:, )?)+)", text, re.MULTILINE)
            for op in re.findall(r"`(\w+)`", names)}


def kinds_text(kinds):
    """Many kinds are told by their ends."""
    if len(kinds) <= 16:
        return ", ".join(sorted(kinds))
    pairs = [(kind.split("→")[0], kind.split("→")[-1]) for kind in kinds]
    made_from, made = ({pair[i] for pair in pairs} for i in (0, 1))
    return f"each of {', '.join(sorted(made_from))} → each of {', '.join(sorted(made))}"


def row(op, versions, cases, file, noted):
    kinds = {model.kind() for _, model in cases}
    marked = sum(name.endswith("!") for name, _ in cases)
    count = f"{len(cases)}" + (f" ({marked}!)" if marked else "")
    notes = ["[compatibility](compatibility.md)"] if op in noted else []
    if not cases:
        count = f"[graphs](../{GRAPH_TESTS[op]})" if op in GRAPH_TESTS else "none"
    low, high = versions
    return (f"| {op} | {low if low == high else f'{low}–{high}'} | {kinds_text(kinds)} | {count} "
            f"| [{pathlib.Path(file).name}](../{file}) | {', '.join(notes)} |\n")


def make_page(list_ops):
    names, types = enum_of_schema("BuiltinOperator"), enum_of_schema("TensorType")
    registered = {}
    for line in subprocess.run([list_ops], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        op, low, high = line.split()
        registered[names[int(op)] if op.isdigit() else op] = (int(low), int(high))
    files, noted = kernel_files(), noted_ops()
    total, body = 0, ""
    for op, versions in sorted(registered.items()):
        path = CASES / f"{op}.cases"
        cases = read_cases(path, types) if path.exists() else []
        total += len(cases)
        body += row(op, versions, cases, files[op], noted)
    return (HEAD + f"{len(registered)} ops, {total} cases.\n\n"
            "| Op | Versions | Types | Cases | Runs in | Notes |\n|---|---|---|---|---|---|\n" + body)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--check"]
    if any(a.startswith("-") for a in arguments) or len(arguments) > 1:
        sys.exit(__doc__)
    build = pathlib.Path(arguments[0]) if arguments else ROOT / "build/release"
    list_ops = build / "tests/docs/heddle_list_ops"
    if not list_ops.exists():
        sys.exit(f"ops_doc: there is no {list_ops}: cmake --build {build} --target heddle_list_ops")
    page = make_page(list_ops)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page)
        return
    current = PAGE.read_text() if PAGE.exists() else ""
    if current != page:
        sys.stdout.writelines(difflib.unified_diff(
            current.splitlines(True), page.splitlines(True), "docs/ops.md", "what it should be", n=0))
        sys.exit("ops_doc: docs/ops.md is not current: run scripts/ops_doc.py and commit it")


if __name__ == "__main__":
    main()
