#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes from model.fbs what the runtime knows of it beyond the bytes.

  gen_attributes.py model.fbs --inc FILE --header FILE

--inc: C++ rows for runtime/model: fields of the options tables, names of enum values, names of
builtin ops, which options an op carries. --header: heddle/heddle_attributes.h, the same numbers as
C names. Only the part of the schema language that model.fbs uses is understood; anything else is
an error. Standard library only.
"""

import argparse
import dataclasses
import os
import re
import sys

# name -> (bytes, signed, float)
SCALARS = {
    "bool": (1, False, False),
    "byte": (1, True, False),
    "ubyte": (1, False, False),
    "short": (2, True, False),
    "ushort": (2, False, False),
    "int": (4, True, False),
    "int32": (4, True, False),
    "uint": (4, False, False),
    "long": (8, True, False),
    "ulong": (8, False, False),
    "float": (4, True, True),
}
OPTION_UNIONS = ("BuiltinOptions", "BuiltinOptions2")


@dataclasses.dataclass
class Field:
    name: str
    type: str  # element type of an array
    is_array: bool
    default: str  # as written, "" if not
    id: int
    attributes: dict

    @property
    def deprecated(self):
        return "deprecated" in self.attributes


@dataclasses.dataclass
class Table:
    name: str
    attributes: dict
    fields: list


@dataclasses.dataclass
class Enum:
    name: str
    base: str
    values: dict  # name -> number, in order


@dataclasses.dataclass
class Schema:
    tables: dict
    enums: dict
    unions: dict  # name -> member names; a member's number is its index + 1


class SchemaError(Exception):
    pass


def parse_attributes(text):
    """The inside of "(a: 1, b, c: "x y")" as a dict."""
    attributes = {}
    for part in filter(None, (p.strip() for p in (text or "").split(","))):
        name, _, value = part.partition(":")
        attributes[name.strip()] = value.strip().strip('"')
    return attributes


FIELD = re.compile(
    r"^(\w+)\s*:\s*(\[?)\s*(\w+)\s*\]?\s*(?:=\s*([\w.+-]+))?\s*(?:\(([^)]*)\))?$", re.A
)


def parse_fields(table, body):
    fields = []
    for text in filter(None, (t.strip() for t in body.split(";"))):
        match = FIELD.match(text)
        if not match:
            raise SchemaError(f"{table}: cannot read the field '{text}'")
        name, array, kind, default, attributes = match.groups()
        attributes = parse_attributes(attributes)
        if "id" not in attributes:
            raise SchemaError(f"{table}.{name} has no id")
        fields.append(
            Field(name, kind, bool(array), default or "", int(attributes.pop("id")), attributes)
        )
    return fields


DECLARATION = re.compile(
    r"(table|union|enum)\s+(\w+)\s*(?::\s*(\w+))?\s*(?:\(([^)]*)\))?\s*\{([^}]*)\}", re.A
)


def parse(text):
    text = re.sub(r"//[^\n]*", "", text)
    schema = Schema({}, {}, {})
    for kind, name, base, attributes, body in DECLARATION.findall(text):
        if kind == "table":
            schema.tables[name] = Table(name, parse_attributes(attributes), parse_fields(name, body))
        elif kind == "union":
            schema.unions[name] = [m.strip() for m in body.split(",") if m.strip()]
        else:
            pairs = (v.split("=") for v in body.split(",") if v.strip())
            schema.enums[name] = Enum(name, base, {n.strip(): int(v) for n, v in pairs})
    rest = DECLARATION.sub("", text)
    known = r"\s*(namespace|attribute|file_identifier|file_extension|root_type)\b[^;]*;"
    rest = re.sub(known, "", rest).strip()
    if rest:
        raise SchemaError(f"cannot read '{rest[:60]}'")
    return schema


def parse_file(path):
    with open(path, encoding="utf-8") as file:
        return parse(file.read())


def default_value(schema, field):
    """A scalar field's default as a number."""
    if not field.default:
        return 0
    if field.type in schema.enums:
        return schema.enums[field.type].values[field.default]
    if field.type == "bool":
        return int(field.default == "true")
    return float(field.default) if SCALARS[field.type][2] else int(field.default)


def upper_snake(name):
    """Conv2D -> CONV_2D, LSHProjection -> LSH_PROJECTION, TopKV2 -> TOP_K_V2."""
    name = name.replace("StableHLO", "Stablehlo")
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    name = re.sub(r"([a-z])([A-Z0-9])", r"\1_\2", name)
    return name.upper()


def short_name(table):
    return upper_snake(table.removesuffix("Options"))


def option_tables(schema):
    """(union number, table number, Table) of all options tables."""
    for union, name in enumerate(OPTION_UNIONS, start=1):
        for number, member in enumerate(schema.unions[name], start=1):
            yield union, number, schema.tables[member]


def table_key(union, number):
    return union << 24 | number << 8


def kind_of(schema, field):
    """(AttributeKind, width, is_signed, enum name) of an option field."""
    if field.type == "string":
        return ("kStrings" if field.is_array else "kString"), 1, False, None
    enum = field.type if field.type in schema.enums else None
    base = schema.enums[enum].base if enum else field.type
    width, signed, is_float = SCALARS[base]
    if field.is_array:
        kind = "kFloats" if is_float else "kBytes" if base == "ubyte" else "kInts"
    else:
        kind = "kFloat" if is_float else "kBool" if base == "bool" else "kInt"
    return kind, width, signed, enum


def quoted(text):
    return f'"{text}"' if text is not None else "nullptr"


def make_inc(schema):
    lines = ["// Made by schema/gen_attributes.py from schema/model.fbs.", "", "#ifdef HEDDLE_FIELD"]
    for union, number, table in option_tables(schema):
        for field in sorted(table.fields, key=lambda f: f.id):
            if field.deprecated:
                continue
            kind, width, signed, enum = kind_of(schema, field)
            value = 0 if field.is_array or field.type == "string" else default_value(schema, field)
            flags = [str(flag).lower() for flag in (signed, "subgraph" in field.attributes)]
            whole, real = (0, value) if kind == "kFloat" else (value, 0)
            lines.append(
                f"HEDDLE_FIELD(0x{table_key(union, number) | field.id:08x}u, {quoted(table.name)}, "
                f"{quoted(field.name)}, {kind}, {width}, {', '.join(flags)}, {quoted(enum)}, "
                f"{whole}, {float(real)!r})"
            )
    lines += ["#endif", "", "#ifdef HEDDLE_ENUM_VALUE"]
    for enum in schema.enums.values():
        if enum.name != "BuiltinOperator":
            for name, value in enum.values.items():
                lines.append(f"HEDDLE_ENUM_VALUE({quoted(enum.name)}, {value}, {quoted(name)})")
    lines += ["#endif", "", "#ifdef HEDDLE_OP_NAME"]
    for name, value in schema.enums["BuiltinOperator"].values.items():
        lines.append(f"HEDDLE_OP_NAME({name}, {value})")
    lines += ["#endif", "", "#ifdef HEDDLE_OP_OPTIONS"]
    codes = schema.enums["BuiltinOperator"].values
    rows = []
    for union, number, table in option_tables(schema):
        for op in table.attributes.get("ops", "").split():
            rows.append((codes[op], table_key(union, number), op))
    for code, key, op in sorted(rows):
        lines.append(f"HEDDLE_OP_OPTIONS({code}, 0x{key:08x}u)  // {op}")
    lines += ["#endif", ""]
    return "\n".join(lines)


# Enums whose names are better shortened for C.
ENUM_PREFIX = {
    "ActivationFunctionType": "ACTIVATION",
    "LSHProjectionType": "LSH_PROJECTION",
    "FullyConnectedOptionsWeightsFormat": "WEIGHTS_FORMAT",
    "LSTMKernelType": "LSTM_KERNEL",
    "CombinerType": "COMBINER",
    "StablehloPrecisionConfig": "STABLEHLO_PRECISION",
    "StablehloComparisonDirection": "STABLEHLO_COMPARISON_DIRECTION",
    "StablehloComparisonType": "STABLEHLO_COMPARISON_TYPE",
}

HEADER = """\
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of the .tflite format: builtin ops, keys of their attributes, values of enum attributes.
 * Made by schema/gen_attributes.py from schema/model.fbs; the numbers never change.
 *
 * Key of an attribute: union << 24 | table << 8 | field, named after the options table (without
 * "Options") and the field: HEDDLE_ATTR_CONV_2D_STRIDE_W. HEDDLE_OPTIONS_CONV_2D is the table's
 * first key.
 */
#ifndef HEDDLE_HEDDLE_ATTRIBUTES_H_
#define HEDDLE_HEDDLE_ATTRIBUTES_H_
"""


def make_header(schema):
    lines = [HEADER]
    codes = schema.enums["BuiltinOperator"].values
    lines.append("typedef enum heddle_builtin {")
    lines += [f"  HEDDLE_BUILTIN_{name} = {value}," for name, value in codes.items()]
    lines += ["  HEDDLE_BUILTIN_FORCE_INT32 = 0x7fffffff", "} heddle_builtin;", ""]
    lines.append(f"/* One more than the largest code above. */")
    lines += [f"#define HEDDLE_BUILTIN_COUNT {max(codes.values()) + 1}", ""]
    used = {f.type for _, _, table in option_tables(schema) for f in table.fields}
    for enum in schema.enums.values():
        if enum.name not in used or enum.name == "TensorType":  # heddle_dtype has the types
            continue
        prefix = ENUM_PREFIX.get(enum.name, upper_snake(enum.name))
        for name, value in enum.values.items():
            name = name.removeprefix(prefix + "_").upper()
            lines.append(f"#define HEDDLE_{prefix}_{name} {value}")
        lines.append("")
    for union, number, table in option_tables(schema):
        key = table_key(union, number)
        lines.append(f"#define HEDDLE_OPTIONS_{short_name(table.name)} 0x{key:08x}u")
        for field in sorted(table.fields, key=lambda f: f.id):
            if not field.deprecated:
                name = f"HEDDLE_ATTR_{short_name(table.name)}_{field.name.upper()}"
                lines.append(f"#define {name} 0x{key | field.id:08x}u")
    lines += ["", "#endif /* HEDDLE_HEDDLE_ATTRIBUTES_H_ */", ""]
    names = [line.split()[1] for line in lines if line.startswith("#define")]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SchemaError(f"names made twice: {sorted(twice)}")
    return "\n".join(lines)


def write(path, text):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("schema")
    parser.add_argument("--inc", required=True)
    parser.add_argument("--header", required=True)
    arguments = parser.parse_args()
    try:
        schema = parse_file(arguments.schema)
        write(arguments.inc, make_inc(schema))
        write(arguments.header, make_header(schema))
    except SchemaError as error:
        sys.exit(f"{arguments.schema}: {error}")


if __name__ == "__main__":
    main()
