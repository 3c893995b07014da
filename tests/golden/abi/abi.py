# SPDX-License-Identifier: Apache-2.0
"""What a set of public headers promises to binaries, read from the preprocessor's output.

abi.py FOLDER prints FOLDER/layout.inc for the headers in FOLDER/heddle: the offset and size of every
field, the size of every struct and the value of every enumerator, as the compiler has them. layout_test.c
asserts them. Run it once, when a release's headers are frozen.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HEADERS = ["heddle/heddle.h", "heddle/heddle_plugin.h", "heddle/heddle_attributes.h"]


def _flat(text):
    return re.sub(r"\s*([(),*;{}])\s*", r"\1", re.sub(r"\s+", " ", text)).strip()


def _preprocess(folders, *options):
    source = "".join(f"#include <{name}>\n" for name in HEADERS)
    command = ["cc", "-E", "-P", "-x", "c", *options, *(f"-I{folder}" for folder in folders), "-"]
    return subprocess.run(command, input=source, check=True, capture_output=True, text=True).stdout


def _number(expression):
    value = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+", r"\1", expression)
    if not re.fullmatch(r"[-0-9a-fA-Fx<>()~|& ]+", value):
        raise ValueError(f"no number: {expression}")
    return eval(value)  # digits and operators only, as checked above


class Headers:
    """structs: name -> [(field, declaration)]; enums: enumerator -> value; functions: name ->
    declaration; macros: attribute key -> value. Declarations have no superfluous white space."""

    def __init__(self, *folders):
        text = _preprocess(folders)
        self.structs, self.enums, self.functions, self.macros = {}, {}, {}, {}
        for name, body in re.findall(r"\bstruct (heddle_\w+)\s*\{(.*?)\}", text, re.DOTALL):
            self.structs[name] = [self._field(part) for part in body.split(";") if part.strip()]
        for body in re.findall(r"\benum heddle_\w+\s*\{(.*?)\}", text, re.DOTALL):
            for entry in filter(str.strip, body.split(",")):
                name, _, value = entry.partition("=")
                self.enums[name.strip()] = _number(value.strip())
        declaration = r"__attribute__\s*\(\(visibility\(\"default\"\)\)\)\s*([^;{}]*?\b(heddle_\w+)\s*\([^;{}]*\));"
        for text_of, name in re.findall(declaration, text):
            self.functions[name] = _flat(text_of)
        macros = _preprocess(folders, "-dM")
        for name, value in re.findall(r"^#define (HEDDLE_(?:ATTR|OPTIONS)_\w+) (\S+)$", macros, re.MULTILINE):
            self.macros[name] = _number(value)

    @staticmethod
    def _field(text):
        name = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", text) or re.search(r"(\w+)\s*(?:\[\w*\])?\s*$", text)
        return name.group(1), _flat(text)


def breaks(old, new):
    """What a binary built with `old` would find changed in `new`, one line each."""
    found = []
    for name, fields in old.structs.items():
        kept = new.structs.get(name, [])[:len(fields)]
        for position, field in enumerate(fields):
            if position >= len(kept) or kept[position] != field:
                found.append(f"struct {name}, field {position}: was `{field[1]}`, is "
                             f"`{kept[position][1] if position < len(kept) else ''}`")
    for kind in ("enums", "functions", "macros"):
        before, after = getattr(old, kind), getattr(new, kind)
        for name, value in before.items():
            if after.get(name) != value:
                found.append(f"{kind[:-1]} {name}: was `{value}`, is `{after.get(name, '')}`")
    return found


def layout(folder):
    """The text of layout.inc."""
    headers = Headers(folder)
    lines, prints = [], []
    for struct, fields in headers.structs.items():
        prints += [f'printf("HEDDLE_SIZE({struct}, %zu)\\n", sizeof(struct {struct}));']
        prints += [f'printf("HEDDLE_FIELD({struct}, {field}, %zu, %zu)\\n", offsetof(struct {struct}, {field}), '
                   f"sizeof(((struct {struct}*)0)->{field}));" for field, _ in fields]
    lines = [f"HEDDLE_VALUE({name}, {value})" for name, value in headers.enums.items()]
    includes = "".join(f"#include <{name}>\n" for name in ["stdio.h", *HEADERS])
    with tempfile.TemporaryDirectory() as temporary:
        program = pathlib.Path(temporary) / "layout"
        subprocess.run(["cc", "-x", "c", f"-I{folder}", "-o", program, "-"], check=True, text=True,
                       input=includes + "int main(void) {\n" + "\n".join(prints) + "\n}\n")
        lines += subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    head = "// SPDX-License-Identifier: Apache-2.0\n// Made by abi.py when these headers were frozen, on a 64-bit machine.\n"
    return head + "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(layout(sys.argv[1]), end="")
