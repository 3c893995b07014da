#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/golden/schema/ with LiteRT's generated Python schema classes. Rerun by hand:

  python3 -m venv venv && venv/bin/pip install -r tests/oracle/requirements.txt
  venv/bin/python tests/oracle/make_schema_golden.py

options.tflite    one operator for each options table, every field with a value of its own
defaults.tflite   the same operators with tables that leave every field out
*.txt             what the fields hold: table, field, kind, value, separated by tabs
base.tflite       everything else of the format; tests/model/golden_test.cc says what is in it

tests/model reads these files back through the runtime's own getters.
"""

import pathlib
import sys

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as litert

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "schema"))
sys.dont_write_bytecode = True
import gen_attributes  # noqa: E402

FOLDER = ROOT / "tests/golden/schema"
SUBGRAPHS = 8  # beside the first, for options that name subgraphs


def attribute_name(field):
    head, *tail = field.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in tail)


def value_of(schema, table, field):
    """A value that no other field of the table has, and that is not the default."""
    place = field.id + 1
    if "subgraph" in field.attributes:
        return np.array([place, place + 1], np.int32) if field.is_array else place
    if field.type == "string":
        return f"{table.name}.{field.name}"
    if field.is_array:
        if field.type == "float":
            return np.array([place + 0.25, -place, 1e-3], np.float32)
        if field.type == "bool":
            return np.array([True, False, True])
        if field.type in schema.enums:
            return np.array(list(schema.enums[field.type].values.values()), np.uint32)
        if field.type == "ubyte":
            return np.array([place, 200 + place, 255], np.uint8)
        if field.type == "long":
            return np.array([-place, place << 40, 7], np.int64)
        return np.array([-place, place * 1000, 7], np.int32)
    default = gen_attributes.default_value(schema, field)
    if field.type == "TensorType":
        return max(schema.enums[field.type].values.values()) - field.id
    if field.type in schema.enums:
        highest = max(schema.enums[field.type].values.values())
        return highest if highest != default else 7
    if field.type == "bool":
        return not default
    if field.type == "float":
        return float(np.float32(place + 0.1))
    return (place << 40) + 3 if field.type == "long" else -place * 11


def text_of(value):
    """Kind and value as a line of the .txt file has them."""
    if value is None:
        return "absent\t"
    if isinstance(value, np.ndarray):
        if value.dtype == np.float32:
            return "floats\t" + ",".join(repr(float(v)) for v in value)
        return "ints\t" + ",".join(str(int(v)) for v in value)
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, str):
        return "string\t" + value
    if isinstance(value, float):
        return "float\t" + repr(value)
    return "int\t" + str(int(value))


def write(name, model):
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    (FOLDER / name).write_bytes(bytes(builder.Output()))


def empty_subgraph(name):
    subgraph = litert.SubGraphT()
    subgraph.name = name
    subgraph.tensors, subgraph.operators = [], []
    subgraph.inputs, subgraph.outputs = [], []
    return subgraph


def new_model(subgraphs):
    model = litert.ModelT()
    model.version = 3
    model.subgraphs = subgraphs
    model.operatorCodes = []
    model.buffers = [litert.BufferT()]
    return model


def operator_code(code, version=1, custom=None):
    entry = litert.OperatorCodeT()
    entry.deprecatedBuiltinCode = min(code, 127)
    entry.builtinCode = code
    entry.version = version
    entry.customCode = custom
    return entry


def write_options(schema, name, fill):
    main = empty_subgraph("main")
    model = new_model([main] + [empty_subgraph(f"callee{i}") for i in range(SUBGRAPHS)])
    codes = schema.enums["BuiltinOperator"].values
    lines = []
    for union, number, table in gen_attributes.option_tables(schema):
        options = getattr(litert, table.name + "T")()
        for field in sorted(table.fields, key=lambda f: f.id):
            if field.deprecated:
                continue
            attribute = attribute_name(field.name)
            # A default of 0 would make the first subgraph call itself.
            if fill or "subgraph" in field.attributes:
                setattr(options, attribute, value_of(schema, table, field))
            value = getattr(options, attribute)
            lines.append(f"{table.name}\t{field.name}\t{text_of(value)}\n")
        op = litert.OperatorT()
        op.inputs, op.outputs = [], []
        op.opcodeIndex = len(model.operatorCodes)
        if union == 1:
            op.builtinOptionsType, op.builtinOptions = number, options
        else:
            op.builtinOptions2Type, op.builtinOptions2 = number, options
        main.operators.append(op)
        model.operatorCodes.append(operator_code(codes[table.attributes["ops"].split()[0]]))
    write(name + ".tflite", model)
    (FOLDER / (name + ".txt")).write_text("".join(lines))


def tensor(name, dtype, shape, buffer=0):
    entry = litert.TensorT()
    entry.name, entry.type, entry.shape, entry.buffer = name, dtype, shape, buffer
    entry.hasRank = True
    return entry


def add_buffer(model, data):
    buffer = litert.BufferT()
    buffer.data = np.frombuffer(data, np.uint8)
    model.buffers.append(buffer)
    return len(model.buffers) - 1


def details(kind, table):
    quantization = litert.QuantizationParametersT()
    quantization.detailsType = getattr(litert.QuantizationDetails, kind)
    quantization.details = table
    return quantization


def quantized_tensors(model):
    """Tensors 3 to 7: the five kinds of quantisation; their scales are tensors 1 and 2."""
    types = litert.TensorType
    per_axis = tensor("per_axis", types.INT8, [2, 3], add_buffer(model, bytes(range(6))))
    per_axis.quantization = litert.QuantizationParametersT()
    per_axis.quantization.scale = [0.5, 0.25, 0.125]
    per_axis.quantization.zeroPoint = [1, -2, 3]
    per_axis.quantization.quantizedDimension = 1

    blockwise = tensor("blockwise", types.INT4, [2, 8], add_buffer(model, bytes(range(8))))
    table = litert.BlockwiseQuantizationT()
    table.scales, table.zeroPoints, table.blockSize, table.blockShape = 1, 2, 4, [1, 4]
    blockwise.quantization = details("BlockwiseQuantization", table)
    blockwise.quantization.quantizedDimension = 1

    multi_axis = tensor("multi_axis", types.INT8, [2, 2, 3], add_buffer(model, bytes(range(12))))
    table = litert.MultiAxisQuantizationT()
    table.scales, table.zeroPoints, table.blockSize, table.quantizedDimensions = 1, -1, 0, [0, 1]
    multi_axis.quantization = details("MultiAxisQuantization", table)

    custom = tensor("custom", types.UINT8, [2], add_buffer(model, b"\x01\x02"))
    table = litert.CustomQuantizationT()
    table.custom = np.array([9, 8, 7], np.uint8)
    custom.quantization = details("CustomQuantization", table)
    return [per_axis, blockwise, multi_axis, custom]


def sparse_tensor(model):
    """[[1, 0, 2, 3], [0, 4, 0, 0], [0, 0, 5, 0]] by rows, the columns compressed."""
    entry = tensor("sparse", litert.TensorType.INT8, [3, 4], add_buffer(model, bytes([1, 2, 3, 4, 5])))
    rows = litert.DimensionMetadataT()
    rows.format, rows.denseSize = litert.DimensionType.DENSE, 3
    columns = litert.DimensionMetadataT()
    columns.format = litert.DimensionType.SPARSE_CSR
    segments = litert.Uint16VectorT()
    segments.values = np.array([0, 3, 4, 5], np.uint16)
    indices = litert.Uint8VectorT()
    indices.values = np.array([0, 2, 3, 1, 2], np.uint8)
    vector = litert.SparseIndexVector
    columns.arraySegmentsType, columns.arraySegments = vector.Uint16Vector, segments
    columns.arrayIndicesType, columns.arrayIndices = vector.Uint8Vector, indices
    entry.sparsity = litert.SparsityParametersT()
    entry.sparsity.traversalOrder = [0, 1]
    entry.sparsity.dimMetadata = [rows, columns]
    return entry


def string_bytes(values):
    offsets = [4 * (len(values) + 2)]
    for value in values:
        offsets.append(offsets[-1] + len(value))
    return np.array([len(values)] + offsets, np.int32).tobytes() + b"".join(values)


def variant_tensor():
    entry = tensor("variant", litert.TensorType.VARIANT, [])
    subtype = litert.VariantSubTypeT()
    subtype.shape, subtype.type, subtype.hasRank = [2, 3], litert.TensorType.INT32, True
    entry.variantTensors = [subtype]
    return entry


def signature(key, inputs, outputs):
    entry = litert.SignatureDefT()
    entry.signatureKey, entry.subgraphIndex = key, 0
    for names, maps in ((inputs, "inputs"), (outputs, "outputs")):
        tensors = []
        for name, index in names.items():
            item = litert.TensorMapT()
            item.name, item.tensorIndex = name, index
            tensors.append(item)
        setattr(entry, maps, tensors)
    return entry


def add_metadata(model, name, data):
    entry = litert.MetadataT()
    entry.name, entry.buffer = name, add_buffer(model, data)
    model.metadata = (model.metadata or []) + [entry]


def write_base():
    types = litert.TensorType
    main = empty_subgraph("main")
    model = new_model([main])
    model.description = "every part of the format"
    dynamic = tensor("input", types.FLOAT32, [1, 4])
    dynamic.shapeSignature = [-1, 4]
    unranked = tensor("unranked", types.FLOAT32, [])
    unranked.hasRank = False
    state = tensor("state", types.FLOAT32, [2])
    state.isVariable = True
    external = tensor("external", types.FLOAT32, [4])
    external.externalBuffer = 77
    scales = np.array([0.5, 0.25, 0.125, 2], np.float32).tobytes()
    main.tensors = [
        dynamic,
        tensor("scales", types.FLOAT32, [2, 2], add_buffer(model, scales)),
        tensor("zero_points", types.INT32, [2, 2], add_buffer(model, bytes(16))),
        *quantized_tensors(model),  # 3 to 6
        sparse_tensor(model),  # 7
        tensor("strings", types.STRING, [2], add_buffer(model, string_bytes([b"ab", b"cde"]))),
        variant_tensor(),  # 9
        unranked,  # 10
        state,  # 11
        external,  # 12
        tensor("scratch", types.INT16, [3]),
        tensor("output", types.FLOAT32, [1, 4]),
    ]
    main.inputs, main.outputs = [0], [14, 9]
    model.operatorCodes = [operator_code(32, 5, "MyOp"), operator_code(136, 2)]
    op = litert.OperatorT()
    op.inputs, op.outputs, op.intermediates = [0, -1, 3, 12], [14, 10], [13, -1]
    op.customOptions = np.array([4, 5, 6], np.uint8)
    hashtable = litert.OperatorT()
    hashtable.opcodeIndex = 1
    hashtable.inputs, hashtable.outputs = [], [9]
    hashtable.debugMetadataIndex = 3
    main.operators = [op, hashtable]
    model.signatureDefs = [
        signature("serving_default", {"x": 0}, {"y": 14, "table": 9}),
        signature("other", {"x": 0}, {"only": 14}),
    ]
    group = litert.ExternalBufferGroupT()
    group.name = "weights.bin"
    buffer = litert.ExternalBufferT()
    buffer.id, buffer.group, buffer.offset, buffer.length, buffer.packing = 77, 0, 1 << 33, 16, "raw"
    model.externalBufferGroups, model.externalBuffers = [group], [buffer]
    add_metadata(model, "min_runtime_version", b"2.17.0".ljust(16, b"\0"))
    add_metadata(model, "notes", b"hello")
    # Version 1; one subgraph; one pair: operator 0 before operator 1.
    add_metadata(model, "model_control_dependencies", bytes([1, 1, 1, 0, 2]))
    write("base.tflite", model)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    schema = gen_attributes.parse_file(ROOT / "schema/model.fbs")
    write_options(schema, "options", fill=True)
    write_options(schema, "defaults", fill=False)
    write_base()


if __name__ == "__main__":
    main()
