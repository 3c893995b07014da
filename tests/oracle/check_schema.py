#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares schema/model.fbs with LiteRT's generated Python schema classes: every table's slots,
scalar types and defaults, every enum's and union's numbers. Rerun by hand when the schema moves:

  python3 -m venv venv && venv/bin/pip install -r tests/oracle/requirements.txt
  venv/bin/python tests/oracle/check_schema.py
"""

import inspect
import pathlib
import re
import sys

from ai_edge_litert import schema_py_generated as litert

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "schema"))
sys.dont_write_bytecode = True
import gen_attributes  # noqa: E402

PYTHON_TYPES = {
    "bool": "Bool", "byte": "Int8", "ubyte": "Uint8", "ushort": "Uint16", "int": "Int32",
    "int32": "Int32", "uint": "Uint32", "long": "Int64", "ulong": "Uint64", "float": "Float32",
}


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def expected_slots(schema, table):
    """Slot number -> (accessor name, Python type, default) as model.fbs has them."""
    slots = {}
    for field in table.fields:
        if field.deprecated:
            continue
        name = camel(field.name)
        if field.type in schema.unions:
            slots[field.id - 1] = (name + "Type", "Uint8", 0)
            slots[field.id] = (name, "UOffsetTRelative", 0)
        elif field.is_array or field.type == "string" or field.type in schema.tables:
            slots[field.id] = (name, "UOffsetTRelative", 0)
        else:
            default = gen_attributes.default_value(schema, field)
            slots[field.id] = (name, PYTHON_TYPES[base_type(schema, field)], default)
    return slots


def base_type(schema, field):
    return schema.enums[field.type].base if field.type in schema.enums else field.type


def expected_target(schema, field):
    """What an array's element, a string or a sub-table is to the Python class."""
    if field.type == "string":
        return "String"
    if field.type in schema.tables or field.type in schema.unions:
        return "Table" if field.type in schema.unions else field.type
    return PYTHON_TYPES[base_type(schema, field)]


def actual_target(table, name):
    source = inspect.getsource(getattr(getattr(litert, table), name))
    match = re.search(r"obj = (\w+)\(", source)
    if match:
        return match.group(1)
    return "String" if "_tab.String(" in source else re.search(r"(\w+)Flags, [ao]", source)[1]


ADD = re.compile(r"builder\.Prepend(\w+)Slot\((\d+), [^\n]*, ([^\n,)]+)\)\n")
CONSTANTS = {"True": 1, "False": 0}


def actual_slots(table):
    slots = {}
    prefix = table + "Add"
    for name, function in vars(litert).items():
        if name.startswith(prefix) and inspect.isfunction(function):
            kind, slot, default = ADD.search(inspect.getsource(function)).groups()
            default = CONSTANTS.get(default, None) if default in CONSTANTS else float(default)
            slots[int(slot)] = (name.removeprefix(prefix), kind, default)
    return slots


def slot_count(table):
    """Slots of the table, deprecated ones included."""
    source = inspect.getsource(getattr(litert, table + "Start"))
    return int(re.search(r"StartObject\((\d+)\)", source).group(1))


def main():
    schema = gen_attributes.parse_file(ROOT / "schema/model.fbs")
    faults = []
    fields = 0

    def compare(what, ours, theirs):
        if ours != theirs:
            faults.append(f"{what}: ours {ours}, LiteRT's {theirs}")

    starts = {n.removesuffix("Start") for n in vars(litert) if n.endswith("Start")}
    compare("tables", sorted(schema.tables), sorted(starts & set(vars(litert))))
    for table in schema.tables.values():
        if not hasattr(litert, table.name + "Start"):
            continue
        ours, theirs = expected_slots(schema, table), actual_slots(table.name)
        fields += len(ours)
        compare(table.name, sorted(ours.items()), sorted(theirs.items()))
        for field in table.fields:
            if not field.deprecated:
                target = actual_target(table.name, camel(field.name))
                compare(f"{table.name}.{field.name}", expected_target(schema, field), target)
        top = max((f.id for f in table.fields), default=-1) + 1
        compare(f"{table.name} slots", top, slot_count(table.name))
    for enum in schema.enums.values():
        theirs = {k: v for k, v in vars(getattr(litert, enum.name)).items() if k[0] != "_"}
        compare(enum.name, enum.values, theirs)
    for name, members in schema.unions.items():
        theirs = {k: v for k, v in vars(getattr(litert, name)).items() if k[0] != "_"}
        ours = {"NONE": 0} | {member: i for i, member in enumerate(members, start=1)}
        compare(name, ours, theirs)

    print("\n".join(faults) or "no difference")
    print(f"{len(schema.tables)} tables, {fields} fields, {len(schema.enums)} enums, "
          f"{len(schema.unions)} unions compared")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
