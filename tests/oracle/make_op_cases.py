#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/op_cases/OP.cases: models of one operator with seeded inputs, and the outputs
that LiteRT's reference kernels compute. Rerun by hand when cases are added:

  python3 -m venv venv && venv/bin/pip install -r tests/oracle/requirements.txt
  venv/bin/python tests/oracle/make_op_cases.py [OP ...]

The file: "HEDDLEOC", then for each case, all numbers little-endian: uint32 length and bytes of its
name; the same of the .tflite model; uint32 count of inputs, each uint32 length and bytes, in the
order of the subgraph; uint32 count of outputs, each uint32 rank, int32 dimensions, uint32 length
and bytes. Several times as many inputs as the subgraph has: that many invokes in a row, whose
inputs and outputs follow each other; variables keep their values. A name that ends in "!" says that
the reference resolver lacks the op and LiteRT's other kernels, without delegates, were asked.
"""

import pathlib
import struct
import sys

import flatbuffers
import flatbuffers.flexbuffers
import ml_dtypes
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import op_case_list  # noqa: E402
from op_case_base import Tensor  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "tests/golden/op_cases"
TYPES = {
    "float32": ("FLOAT32", np.float32), "float16": ("FLOAT16", np.float16),
    "int8": ("INT8", np.int8), "uint8": ("UINT8", np.uint8), "int16": ("INT16", np.int16),
    "int32": ("INT32", np.int32), "uint32": ("UINT32", np.uint32), "int64": ("INT64", np.int64),
    "bool": ("BOOL", np.bool_), "bfloat16": ("BFLOAT16", ml_dtypes.bfloat16),
    "float64": ("FLOAT64", np.float64), "complex64": ("COMPLEX64", np.complex64),
    "int4": ("INT4", np.int8), "int2": ("INT2", np.int8),
}
BITS = {"int4": 4, "int2": 2}  # packed from the low bits up


def quantization(q):
    if q is None:
        return None
    scale, zero_point, *axis = q
    params = schema.QuantizationParametersT()
    params.scale = np.atleast_1d(np.asarray(scale, np.float32))
    params.zeroPoint = np.atleast_1d(np.asarray(zero_point, np.int64))
    params.quantizedDimension = axis[0] if axis else 0
    return params


def pack_bits(values, bits):
    per_byte = 8 // bits
    values = np.asarray(values, np.uint8).reshape(-1) & ((1 << bits) - 1)
    values = np.pad(values, (0, -len(values) % per_byte)).reshape(-1, per_byte)
    return (values << (np.arange(per_byte) * bits)).sum(axis=1).astype(np.uint8)


def sparse(dense, run):
    """Sparsity parameters and the stored elements of a matrix: every row lists its runs that are
    not all zero."""
    rows, columns = dense.shape
    runs = dense.reshape(rows, columns // run, run)
    kept = (runs != 0).any(axis=2)
    params = schema.SparsityParametersT()
    params.traversalOrder = [0, 1] + ([2] if run > 1 else [])
    params.blockMap = [1] if run > 1 else None
    params.dimMetadata = [schema.DimensionMetadataT() for _ in params.traversalOrder]
    params.dimMetadata[0].denseSize = rows
    compressed = params.dimMetadata[1]
    compressed.format = schema.DimensionType.SPARSE_CSR
    compressed.arraySegmentsType = schema.SparseIndexVector.Int32Vector
    compressed.arraySegments = schema.Int32VectorT()
    compressed.arraySegments.values = [0] + [int(n) for n in kept.sum(axis=1).cumsum()]
    compressed.arrayIndicesType = schema.SparseIndexVector.Uint8Vector
    compressed.arrayIndices = schema.Uint8VectorT()
    compressed.arrayIndices.values = [int(c) for c in np.nonzero(kept)[1]]
    if run > 1:
        params.dimMetadata[2].denseSize = run
    return params, np.ascontiguousarray(runs[kept])


def build_model(case):
    """A model whose only operator is the case's."""
    model = schema.ModelT()
    model.version = 3
    model.buffers = [schema.BufferT()]
    graph = schema.SubGraphT()
    graph.tensors, graph.inputs, graph.outputs = [], [], []

    def add(spec, name):
        if spec is None:
            return -1
        tensor = schema.TensorT()
        tensor.name = name
        tensor.type = getattr(schema.TensorType, TYPES[spec.dtype][0])
        tensor.shape = list(spec.shape)
        tensor.hasRank = True
        tensor.quantization = quantization(spec.q)
        tensor.isVariable = spec.variable
        tensor.buffer = 0
        if spec.block is not None:
            add_block_scales(tensor, spec)
        if spec.data is not None:
            buffer = schema.BufferT()
            data = np.asarray(spec.data, TYPES[spec.dtype][1]).reshape(spec.shape)
            if spec.sparse:
                tensor.sparsity, data = sparse(data, spec.sparse)
            if spec.dtype in BITS:
                data = pack_bits(data, BITS[spec.dtype])
            buffer.data = np.frombuffer(data.tobytes(), np.uint8)
            tensor.buffer = len(model.buffers)
            model.buffers.append(buffer)
        graph.tensors.append(tensor)
        return len(graph.tensors) - 1

    def add_block_scales(tensor, spec):
        size, scales = spec.block
        details = schema.BlockwiseQuantizationT()
        details.scales = add(Tensor("float16", scales.shape, data=scales), "scales")
        details.zeroPoints = -1
        details.blockSize = size
        tensor.quantization = schema.QuantizationParametersT()
        tensor.quantization.detailsType = schema.QuantizationDetails.BlockwiseQuantization
        tensor.quantization.details = details

    op = schema.OperatorT()
    op.inputs = [add(spec, f"i{i}") for i, spec in enumerate(case.inputs)]
    op.outputs = [add(spec, f"o{i}") for i, spec in enumerate(case.outputs)]
    op.intermediates = [add(spec, f"m{i}") for i, spec in enumerate(case.intermediates)] or None
    graph.inputs = [op.inputs[i] for i, s in enumerate(case.inputs) if s and s.is_input()]
    graph.outputs = list(op.outputs)
    if case.options is not None:
        table, fields = case.options
        op.builtinOptionsType = getattr(schema.BuiltinOptions, table)
        op.builtinOptions = getattr(schema, table + "T")()
        for name, value in fields.items():
            assert hasattr(op.builtinOptions, name), (table, name)
            setattr(op.builtinOptions, name, value)
    if case.custom is not None:
        options = flatbuffers.flexbuffers.Dumps(case.custom)
        op.customOptions = np.frombuffer(options, np.uint8)
    graph.operators = [op]
    model.subgraphs = [graph]
    code = schema.OperatorCodeT()
    if case.custom is None:
        code.builtinCode = getattr(schema.BuiltinOperator, case.op)
    else:
        code.builtinCode = schema.BuiltinOperator.CUSTOM
        code.customCode = case.op
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    code.version = case.version
    model.operatorCodes = [code]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def run(model, inputs, resolver):
    """The outputs of each invoke; `inputs` has a list for each."""
    interpreter = litert.Interpreter(
        model_content=model, num_threads=1, experimental_op_resolver_type=resolver)
    interpreter.allocate_tensors()
    outputs = []
    for values in inputs:
        for detail, value in zip(interpreter.get_input_details(), values):
            interpreter.set_tensor(detail["index"], value)
        interpreter.invoke()
        outputs += [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]
    return outputs


def run_case(case):
    model = build_model(case)
    values = [s.value if isinstance(s.value, list) else [s.value] * case.invokes
              for s in case.inputs if s and s.is_input()]
    inputs = [[value[i] for value in values] for i in range(case.invokes)]
    name = case.name
    if name.endswith("!"):  # the reference resolver has the op, but not this case
        return name, model, inputs, run(
            model, inputs, litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    try:
        outputs = run(model, inputs, litert.OpResolverType.BUILTIN_REF)
    except ValueError as error:
        if "find op" not in str(error):
            raise
        name += "!"
        outputs = run(model, inputs, litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    if case.tidy is not None:
        case.tidy(outputs)
    return name, model, sum(inputs, []), outputs


def chunk(data):
    return struct.pack("<I", len(data)) + data


def pack_case(name, model, inputs, outputs):
    parts = [chunk(name.encode()), chunk(model), struct.pack("<I", len(inputs))]
    parts += [chunk(v.tobytes()) for v in inputs]
    parts.append(struct.pack("<I", len(outputs)))
    for value in outputs:
        value = np.asarray(value)
        parts.append(struct.pack(f"<I{value.ndim}i", value.ndim, *value.shape))
        parts.append(chunk(value.tobytes()))
    return b"".join(parts)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    total = size = 0
    for op, cases in op_case_list.all_cases().items():
        if sys.argv[1:] and op not in sys.argv[1:]:
            continue
        data = b"HEDDLEOC"
        for case in cases:
            try:
                data += pack_case(*run_case(case))
            except Exception as error:
                sys.exit(f"{op} {case.name}: {error}")
        (OUT / f"{op}.cases").write_bytes(data)
        print(f"{op}: {len(cases)} cases, {len(data)} bytes")
        total, size = total + len(cases), size + len(data)
    print(f"{total} cases, {size} bytes")


if __name__ == "__main__":
    main()
