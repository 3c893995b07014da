# SPDX-License-Identifier: Apache-2.0
"""The cases of make_op_cases.py: operators, types, shapes, attributes, quantisations."""

import dataclasses
import itertools
import zlib

import numpy as np

RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767),
          "int32": (-1000, 1000), "uint32": (0, 1000), "int64": (-1000, 1000)}


@dataclasses.dataclass
class Tensor:
    dtype: str
    shape: tuple
    q: tuple = None  # (scale, zero point) or ([scales], [zero points], axis)
    data: object = None  # a constant's values
    value: np.ndarray = None  # an input's


@dataclasses.dataclass
class Case:
    op: str
    name: str
    version: int
    inputs: list
    outputs: list
    options: tuple = None


class Cases:
    """Collects the cases of one op. Values are drawn from a generator seeded by the case's name."""

    def __init__(self):
        self.by_op = {}

    def add(self, op, name, inputs, outputs, options=None, version=1, span=2.0):
        random = np.random.default_rng(zlib.crc32(f"{op} {name}".encode()))
        for tensor in inputs:
            if tensor is None:
                continue
            if tensor.data is None and tensor.value is None:
                tensor.value = draw(random, tensor, span)
            elif callable(tensor.data):
                tensor.data = tensor.data(random)
        case = Case(op, name, version, inputs, outputs, options)
        assert name not in [c.name for c in self.by_op.setdefault(op, [])], (op, name)
        self.by_op[op].append(case)


def draw(random, tensor, span):
    if tensor.dtype in ("float32", "float16"):
        return random.normal(0, span, tensor.shape).astype(tensor.dtype)
    if tensor.dtype == "bool":
        return random.random(tensor.shape) < 0.5
    low, high = RANGES[tensor.dtype]
    value = random.integers(low, high + 1, tensor.shape)
    flat = value.reshape(-1)
    if flat.size > 3:  # the ends of the range are where kernels go wrong
        flat[0], flat[1] = low, high
    return value.astype(tensor.dtype)


def normal(shape, scale=1.0):
    return lambda random: random.normal(0, scale, shape)


def integers(shape, low, high):
    return lambda random: random.integers(low, high + 1, shape)


def channel_scales(random, channels, scale):
    return [float(scale * s) for s in random.uniform(0.3, 1.7, channels)]


FULL = {"int8": (0.05, -7), "uint8": (0.04, 121), "int16": (0.0003, 0)}
OUT = {"int8": (0.11, 5), "uint8": (0.09, 110), "int16": (0.0011, 0)}
SAME, VALID = 0, 1


def sum_tensors(kind, in_shape, filter_shape, channels, channel_dim, bias):
    """Input, filter, bias and output of an op that sums products. kind: float32, uint8, int8,
    int8c (one scale a channel), int16, int16c, int16b (32-bit bias)."""
    base = kind.rstrip("cb")
    if base == "float32":
        return ([Tensor(base, in_shape), Tensor(base, filter_shape, data=normal(filter_shape)),
                 Tensor(base, (channels,), data=normal((channels,))) if bias else None],
                Tensor(base, ()))
    filter_type = "uint8" if base == "uint8" else "int8"
    low, high = RANGES[filter_type]
    if kind.endswith("c"):
        scales = channel_scales(np.random.default_rng(channels), channels, 0.02)
        q = (scales, [0] * channels, channel_dim)
    else:
        scales = [0.02] * channels
        q = (0.02, 133 if base == "uint8" else 0)
    bias_type = "int64" if base == "int16" and not kind.endswith("b") else "int32"
    bias_q = ([s * FULL[base][0] for s in scales], [0] * channels, 0)
    if not kind.endswith("c"):
        bias_q = (scales[0] * FULL[base][0], 0)
    filter_tensor = Tensor(filter_type, filter_shape, q,
                           integers(filter_shape, max(low, -127), high))
    bias_tensor = Tensor(bias_type, (channels,), bias_q, integers((channels,), -4000, 4000))
    return ([Tensor(base, in_shape, FULL[base]), filter_tensor, bias_tensor if bias else None],
            Tensor(base, (), OUT[base]))


CONV_KINDS = ["float32", "uint8", "int8", "int8c", "int16", "int16c", "int16b"]


def conv_cases(cases):
    # batch, h, w, in, out, filter h, filter w, stride h, stride w, dilation h, dilation w, padding,
    # activation, groups, bias (LiteRT wants one)
    geometries = [
        (1, 5, 6, 3, 4, 3, 3, 1, 1, 1, 1, SAME, 0, 1, True),
        (2, 4, 5, 2, 3, 2, 3, 2, 1, 1, 1, VALID, 1, 1, True),
        (1, 7, 7, 4, 6, 3, 3, 2, 2, 1, 1, SAME, 3, 2, True),
        (1, 8, 6, 2, 2, 3, 2, 1, 1, 2, 3, SAME, 0, 1, True),
        (1, 1, 1, 8, 5, 1, 1, 1, 1, 1, 1, VALID, 2, 1, True),
        (1, 3, 9, 1, 2, 5, 5, 1, 3, 1, 1, SAME, 0, 1, True),
        (1, 9, 9, 1, 1, 3, 3, 1, 1, 4, 4, VALID, 0, 1, True),
        (0, 3, 3, 1, 1, 2, 2, 1, 1, 1, 1, SAME, 0, 1, True),
    ]
    for kind, (i, g) in itertools.product(CONV_KINDS, enumerate(geometries)):
        b, h, w, ci, co, fh, fw, sh, sw, dh, dw, padding, activation, groups, bias = g
        if groups > 1 and not kind.startswith(("float32", "int8")):
            continue
        tensors, out = sum_tensors(kind, (b, h, w, ci), (co, fh, fw, ci // groups), co, 0, bias)
        fields = dict(padding=padding, strideH=sh, strideW=sw, dilationHFactor=dh,
                      dilationWFactor=dw, fusedActivationFunction=activation)
        if kind == "int16b":
            fields["quantizedBiasType"] = 2
        cases.add("CONV_2D", f"{kind} {i}", tensors, [out],
                  ("Conv2DOptions", fields))


def depthwise_cases(cases):
    geometries = [
        (1, 5, 6, 3, 1, 3, 3, 1, 1, 1, SAME, 0, True),
        (2, 4, 5, 2, 3, 2, 3, 2, 2, 1, VALID, 1, True),
        (1, 8, 6, 4, 1, 3, 2, 1, 1, 2, SAME, 3, True),
        (1, 9, 9, 1, 4, 3, 3, 1, 1, 3, VALID, 2, True),
        (1, 6, 1, 5, 2, 3, 1, 2, 2, 1, SAME, 0, True),
    ]
    for kind, (i, g) in itertools.product(CONV_KINDS[:-1], enumerate(geometries)):
        b, h, w, c, m, fh, fw, sh, sw, d, padding, activation, bias = g
        tensors, out = sum_tensors(kind, (b, h, w, c), (1, fh, fw, c * m), c * m, 3, bias)
        cases.add("DEPTHWISE_CONV_2D", f"{kind} {i}", tensors, [out],
                  ("DepthwiseConv2DOptions",
                   dict(padding=padding, strideH=sh, strideW=sw, dilationHFactor=d,
                        dilationWFactor=d, depthMultiplier=m,
                        fusedActivationFunction=activation)))


def fully_connected_cases(cases):
    shapes = [((1, 8), 8, 4, False, 0, True), ((3, 5), 5, 7, False, 1, True),
              ((2, 3, 6), 6, 5, True, 3, True), ((2, 2, 4), 8, 3, False, 0, True),
              ((4, 1), 1, 1, False, 2, False), ((2, 0, 4), 4, 3, True, 0, True)]
    for kind, (i, s) in itertools.product(CONV_KINDS, enumerate(shapes)):
        shape, depth, units, keep, activation, bias = s
        if kind == "int16b" and not bias:
            continue
        tensors, out = sum_tensors(kind, shape, (units, depth), units, 0, bias)
        fields = dict(keepNumDims=keep, fusedActivationFunction=activation)
        if kind == "int16b":
            fields["quantizedBiasType"] = 2
        cases.add("FULLY_CONNECTED", f"{kind} {i}", tensors, [out],
                  ("FullyConnectedOptions", fields), version=4)
    tensors, out = sum_tensors("int8", (2, 6), (3, 6), 3, 0, True)
    tensors[1].q = (0.02, 11)
    cases.add("FULLY_CONNECTED", "int8 filter with a zero point", tensors, [out],
              ("FullyConnectedOptions", {}), version=4)


def pool_cases(cases):
    geometries = [(1, 4, 4, 2, 2, 2, 2, 2, VALID, 0), (2, 5, 7, 3, 3, 2, 1, 2, SAME, 0),
                  (1, 6, 3, 1, 3, 3, 1, 1, SAME, 1), (1, 7, 7, 2, 7, 7, 1, 1, VALID, 3),
                  (1, 5, 5, 2, 2, 2, 3, 3, SAME, 2), (1, 2, 2, 0, 2, 2, 1, 1, SAME, 0)]
    types = ["float32", "int8", "uint8", "int16"]
    for op, dtype, (i, g) in itertools.product(
            ["AVERAGE_POOL_2D", "MAX_POOL_2D"], types, enumerate(geometries)):
        b, h, w, c, fh, fw, sh, sw, padding, activation = g
        q = FULL.get(dtype)
        cases.add(op, f"{dtype} {i}", [Tensor(dtype, (b, h, w, c), q)], [Tensor(dtype, (), q)],
                  ("Pool2DOptions", dict(padding=padding, strideH=sh, strideW=sw, filterHeight=fh,
                                         filterWidth=fw, fusedActivationFunction=activation)),
                  version={"int16": 3, "int8": 2}.get(dtype, 1))


def softmax_cases(cases):
    out = {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)}
    inputs = {"int8": [(0.1, 3), (0.003, 0), (1.7, -20)], "uint8": [(0.1, 128), (0.9, 0)],
              "int16": [(0.0003, 0), (0.004, 0)], "float32": [None]}
    shapes = [(1, 10), (3, 5), (2, 2, 3, 4), (7,), (2, 1), (2, 0), (4, 130)]
    for dtype, shape, beta in itertools.product(inputs, shapes, (1.0, 0.6)):
        for i, q in enumerate(inputs[dtype]):
            if beta != 1.0 and (len(shape) != 2 or i):
                continue
            cases.add("SOFTMAX", f"{dtype} {shape} {beta} {i}", [Tensor(dtype, shape, q)],
                      [Tensor(dtype, shape, out.get(dtype))], ("SoftmaxOptions", dict(beta=beta)),
                      version={"int16": 3, "int8": 2}.get(dtype, 1))


def quantize_cases(cases):
    floats = np.array([0, -0.0, 0.05, 0.15, -0.25, 1e5, -1e5, 6.349999, 12.75, -12.85, 3, 2.5],
                      np.float32)
    for dtype in ("int8", "uint8", "int16"):
        for i, q in enumerate([(0.1, 0), FULL[dtype], (1e-3, 17 if dtype != "int16" else 0)]):
            cases.add("QUANTIZE", f"float32 to {dtype} {i}",
                      [Tensor("float32", (12,), value=floats)], [Tensor(dtype, (12,), q)])
        cases.add("QUANTIZE", f"float32 to {dtype} by channel", [Tensor("float32", (2, 3, 4))],
                  [Tensor(dtype, (2, 3, 4), ([0.02, 0.3, 0.011], [0, 4, 9], 1))], version=3)
        for i, q in enumerate([FULL[dtype], (0.1, 0)]):
            cases.add("DEQUANTIZE", f"{dtype} {i}", [Tensor(dtype, (3, 7), q)],
                      [Tensor("float32", (3, 7))], version=3)
    cases.add("QUANTIZE", "float32 scalar", [Tensor("float32", ())], [Tensor("int8", (), (0.1, 0))])
    cases.add("QUANTIZE", "float32 empty", [Tensor("float32", (2, 0))],
              [Tensor("int8", (2, 0), (0.1, 0))])
    pairs = [("int8", "int8"), ("int8", "uint8"), ("uint8", "int8"), ("uint8", "uint8"),
             ("int16", "int8"), ("int16", "int16"), ("int16", "int32"), ("int32", "int8"),
             ("int32", "int16")]
    for a, b in pairs:
        for ratio in (0.4, 1.0, 2.6):
            qa = FULL.get(a, (0.01, 0))
            qb = (qa[0] * ratio, OUT.get(b, (0, 0))[1])
            cases.add("QUANTIZE", f"{a} to {b} times {ratio}", [Tensor(a, (2, 33), qa)],
                      [Tensor(b, (2, 33), qb)], version=2)
    for dtype in ("int8", "uint8"):
        cases.add("DEQUANTIZE", f"{dtype} by channel",
                  [Tensor(dtype, (2, 3, 4), ([0.02, 0.3, 0.011], [0, 4, 9], 1))],
                  [Tensor("float32", (2, 3, 4))], version=5)
    halves = np.array([0, 1, -1, 65504, 6e-8, -6e-5, np.inf, 0.333], np.float16)
    cases.add("DEQUANTIZE", "float16", [Tensor("float16", (8,), data=halves)],
              [Tensor("float32", (8,))], version=3)


PAIRS = [((2, 3), (2, 3)), ((2, 3, 4), (4,)), ((3, 1, 2), (1, 4, 1)), ((), (5,)), ((1,), (2, 2)),
         ((), ()), ((2, 1, 3, 1, 2), (1, 2, 1, 3, 1)), ((0, 3), (1, 3)), ((6, 1), (1, 7))]


def binary_cases(cases):
    for op, options in (("ADD", "AddOptions"), ("SUB", "SubOptions"), ("MUL", "MulOptions")):
        for dtype in ("float32", "int32", "int64", "int8", "uint8", "int16"):
            for i, (a, b) in enumerate(PAIRS):
                if dtype in ("int64", "int32") and i not in (0, 2, 3):
                    continue
                qa, qb, qo = FULL.get(dtype), OUT.get(dtype), None
                if qa:
                    qo = (qa[0] * 2.3, qa[1] + (9 if qa[1] else 0))
                    if op == "MUL" and dtype != "int16":
                        qo = (0.35, qo[1])
                    elif op == "MUL":
                        qo = (0.002, 0)
                version = {"int64": 5 if op == "MUL" else 4, "int8": 2,
                           "int16": {"ADD": 3, "SUB": 5, "MUL": 4}[op]}.get(dtype, 1)
                if op == "SUB" and max(len(a), len(b)) > 4:
                    version = max(version, 3)
                fields = dict(fusedActivationFunction=(0, 1, 3, 2)[i % 4])
                if dtype == "int64":
                    fields = {}
                if op != "MUL":
                    fields["potScaleInt16"] = False
                cases.add(op, f"{dtype} {i}", [Tensor(dtype, a, qa), Tensor(dtype, b, qb)],
                          [Tensor(dtype, (), qo)], (options, fields), version=version)
        if op == "MUL":
            continue
        for i, (a, b, out) in enumerate([(-12, -14, -12), (-13, -11, -11), (-12, -12, -12)]):
            cases.add(op, f"int16 powers of two {i}",
                      [Tensor("int16", (3, 9), (2.0**a, 0)), Tensor("int16", (3, 9), (2.0**b, 0))],
                      [Tensor("int16", (), (2.0**out, 0))], (options, dict(potScaleInt16=True)))
    cases.add("MUL", "int8 factor above 1",
              [Tensor("int8", (40,), (0.5, 3)), Tensor("int8", (40,), (0.4, -3))],
              [Tensor("int8", (), (0.1, 0))], ("MulOptions", {}), version=3)


def compare_cases(cases):
    for op in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"):
        types = ["float32", "int32", "int64", "int8", "uint8"]
        for dtype in types + (["bool"] if "EQUAL" in (op, op[4:]) and "_E" not in op[4:] else []):
            for i in (0, 2, 3, 4):
                a, b = PAIRS[i]
                random = np.random.default_rng(i)
                values = [random.integers(0, 3, s) for s in (a, b)]
                if dtype in FULL:
                    values = [random.integers(60, 70, s) for s in (a, b)]
                tensors = [Tensor(dtype, s, q, value=v.astype(dtype)) for s, q, v in
                           zip((a, b), (FULL.get(dtype), OUT.get(dtype)), values)]
                if i in (0, 4) and dtype in FULL:  # the same scale: equal numbers occur
                    tensors[1].q = tensors[0].q
                name = "".join(p.capitalize() for p in op.split("_")) + "Options"
                cases.add(op, f"{dtype} {i}", tensors, [Tensor("bool", ())], (name, {}),
                          version=2 if dtype == "int8" else 1)
    for op in ("LOGICAL_AND", "LOGICAL_OR"):
        for i, (a, b) in enumerate(PAIRS):
            if max(len(a), len(b)) > 4:
                continue
            name = "LogicalAndOptions" if op == "LOGICAL_AND" else "LogicalOrOptions"
            cases.add(op, f"{i}", [Tensor("bool", a), Tensor("bool", b)], [Tensor("bool", ())],
                      (name, {}))
    for shape in ((5,), (), (2, 0)):
        cases.add("LOGICAL_NOT", f"{shape}", [Tensor("bool", shape)], [Tensor("bool", ())],
                  ("LogicalNotOptions", {}))


def shape_cases(cases):
    for i, (shape, new) in enumerate([((2, 6), (3, 4)), ((4,), (2, -1)), ((1, 1), ()), ((), (1, 1)),
                                      ((2, 0, 3), (0, 5)), ((2, 3, 4), (-1,))]):
        for dtype in ("float32", "int8", "int64"):
            q = FULL.get(dtype)
            new_shape = Tensor("int32", (len(new),), data=np.array(new, np.int32))
            cases.add("RESHAPE", f"{dtype} {i} by input", [Tensor(dtype, shape, q), new_shape],
                      [Tensor(dtype, (), q)], ("ReshapeOptions", dict(newShape=[])))
        cases.add("RESHAPE", f"float32 {i} by a computed input",
                  [Tensor("float32", shape),
                   Tensor("int32", (len(new),), value=np.array(new, np.int32))],
                  [Tensor("float32", ())])
        if new:
            cases.add("RESHAPE", f"float32 {i} by attribute", [Tensor("float32", shape)],
                      [Tensor("float32", ())], ("ReshapeOptions", dict(newShape=list(new))))
    cases.add("RESHAPE", "float32 scalar by attribute [0]", [Tensor("float32", (1, 1))],
              [Tensor("float32", ())], ("ReshapeOptions", dict(newShape=[0])))
    for shape in ((2, 3, 4), (7,), (0, 2)):
        for dtype, number in (("int32", 2), ("int64", 4)):
            cases.add("SHAPE", f"{shape} {dtype}", [Tensor("float32", shape)], [Tensor(dtype, ())],
                      ("ShapeOptions", dict(outType=number)))
    for dtype in ("bool", "float32", "int32", "int64", "uint8", "int8", "uint32"):
        for shape in ((6,), (3, 4), (2, 2, 3)):
            value = (np.random.default_rng(len(shape)).random(shape) < 0.4).astype(dtype)
            cases.add("WHERE", f"{dtype} {shape}", [Tensor(dtype, shape, value=value)],
                      [Tensor("int64", ())], ("WhereOptions", {}))


def unary_cases(cases):
    ramp = np.linspace(-12, 12, 97).astype(np.float32)
    every = {"int8": np.arange(-128, 128, dtype=np.int8), "uint8": np.arange(256, dtype=np.uint8),
             "int16": np.arange(-32768, 32768, 61).astype(np.int16), "float32": ramp}
    out = {"LOGISTIC": {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)},
           "TANH": {"int8": (1 / 128, 0), "uint8": (1 / 128, 128), "int16": (1 / 32768, 0)}}
    scales = {"int8": [(0.05, -7), (0.4, 3)], "uint8": [(0.05, 121), (0.4, 3)],
              "int16": [(2.0**-12, 0), (2.0**-11, 0), (0.0003, 0), (0.0011, 0), (7e-6, 0)],
              "float32": [None]}
    for op in ("RELU", "RELU6", "LOGISTIC", "TANH"):
        for dtype, value in every.items():
            for i, q in enumerate(scales[dtype]):
                target = out[op].get(dtype) if op in out else None
                if op not in out and q:
                    target = (q[0] * 1.3, q[1])
                version = 3 if dtype == "int16" else 2 if dtype in ("int8", "uint8") else 1
                cases.add(op, f"{dtype} {i}", [Tensor(dtype, value.shape, q, value=value)],
                          [Tensor(dtype, value.shape, target)], version=version)
        cases.add(op, "float32 scalar", [Tensor("float32", ())], [Tensor("float32", ())])
        cases.add(op, "float32 shape", [Tensor("float32", (2, 3, 4))], [Tensor("float32", ())])


def cast_cases(cases):
    numbers = {"bool": 6, "float32": 0, "float16": 1, "int8": 9, "uint8": 3, "int16": 7,
               "int32": 2, "uint32": 15, "int64": 4}
    real = np.array([0, 1, -1, 2.5, -2.5, 126.9, 100, 3, 0.3, 55], np.float32)
    for a, b in itertools.product(numbers, numbers):
        value = real
        if b.startswith("u") or a.startswith("u"):
            value = abs(real)
        cases.add("CAST", f"{a} to {b}", [Tensor(a, (10,), value=value.astype(a))],
                  [Tensor(b, (10,))],
                  ("CastOptions", dict(inDataType=numbers[a], outDataType=numbers[b])),
                  version=5 if "float16" in (a, b) else 1)
    huge = np.array([3e9, -3e9, 1e20, np.inf, -np.inf, np.nan, 300, -300], np.float32)
    for b in ("int8", "uint8", "int16", "int32", "int64", "float16"):
        cases.add("CAST", f"float32 out of range to {b}", [Tensor("float32", (8,), value=huge)],
                  [Tensor(b, (8,))], ("CastOptions", dict(inDataType=0, outDataType=numbers[b])))


def concatenation_cases(cases):
    shapes = [(0, [(2, 3), (1, 3)]), (1, [(2, 3), (2, 1), (2, 4)]), (-1, [(2, 2, 2), (2, 2, 5)]),
              (2, [(1, 2, 0, 3), (1, 2, 4, 3)]), (0, [(4,)])]
    for dtype in ("float32", "int8", "uint8", "int16", "int32", "int64", "bool"):
        for i, (axis, parts) in enumerate(shapes):
            q = FULL.get(dtype)
            version = {"int8": 2, "int16": 3}.get(dtype, 1)
            cases.add("CONCATENATION", f"{dtype} {i}", [Tensor(dtype, s, q) for s in parts],
                      [Tensor(dtype, (), q)], ("ConcatenationOptions", dict(axis=axis)),
                      version=version)
    cases.add("CONCATENATION", "uint8 of different scales",
              [Tensor("uint8", (64,), (0.05, 121)), Tensor("uint8", (64,), (0.11, 3)),
               Tensor("uint8", (64,), (0.013, 200))],
              [Tensor("uint8", (), (0.07, 90))], ("ConcatenationOptions", dict(axis=0)))


def mean_cases(cases):
    shapes = [((2, 3, 4, 5), (1, 2), True), ((2, 3, 4), (0,), False), ((3, 5), (-1,), True),
              ((4, 6), (0, 1), False), ((2, 2, 3, 2, 2), (0, 2, 4), False), ((7,), (0, 0), True),
              ((2, 3), (), False), ((33, 130), (1,), False)]
    for dtype in ("float32", "int32", "int64", "int8", "uint8", "int16"):
        for i, (shape, axes, keep) in enumerate(shapes):
            axis = Tensor("int32", (len(axes),), data=np.array(axes, np.int32))
            version = {"int8": 2, "int16": 3}.get(dtype, 1)
            for j, qo in enumerate([OUT.get(dtype), FULL.get(dtype)][:2 if dtype in FULL else 1]):
                cases.add("MEAN", f"{dtype} {i} {j}", [Tensor(dtype, shape, FULL.get(dtype)), axis],
                          [Tensor(dtype, (), qo)], ("ReducerOptions", dict(keepDims=keep)),
                          version=version)
    cases.add("MEAN", "float32 by a computed axis",
              [Tensor("float32", (2, 3, 4)), Tensor("int32", (1,), value=np.array([1], np.int32))],
              [Tensor("float32", ())], ("ReducerOptions", dict(keepDims=False)))
    cases.add("MEAN", "float32 of nothing",
              [Tensor("float32", (2, 0)), Tensor("int32", (1,), data=np.array([1], np.int32))],
              [Tensor("float32", ())], ("ReducerOptions", dict(keepDims=False)))


def layout_cases(cases):
    pads = [((2, 3), [[1, 1], [2, 0]]), ((1, 2, 2, 3), [[0, 0], [1, 2], [0, 1], [0, 0]]),
            ((4,), [[0, 3]]), ((1, 2, 1, 2, 2), [[0, 0], [1, 0], [0, 1], [2, 0], [0, 2]]),
            ((2, 0), [[1, 0], [0, 2]])]
    for dtype in ("float32", "int8", "uint8", "int16", "int32", "int64"):
        q = FULL.get(dtype)
        for i, (shape, paddings) in enumerate(pads):
            kind = "int64" if i == 1 else "int32"
            table = Tensor(kind, (len(shape), 2), data=np.array(paddings))
            cases.add("PAD", f"{dtype} {i}", [Tensor(dtype, shape, q), table],
                      [Tensor(dtype, (), q)], ("PadOptions", {}),
                      version=4 if len(shape) > 4 else {"int8": 2, "int16": 3}.get(dtype, 1))
    cases.add("PAD", "float32 by computed paddings",
              [Tensor("float32", (2, 2)),
               Tensor("int32", (2, 2), value=np.array([[1, 0], [0, 2]], np.int32))],
              [Tensor("float32", ())], ("PadOptions", {}))
    turns = [((2, 3), (1, 0)), ((2, 3, 4), (2, 0, 1)), ((1, 2, 3, 4), (0, 3, 1, 2)), ((5,), (0,)),
             ((2, 1, 3, 1, 2), (4, 2, 0, 1, 3)), ((2, 2, 1, 3, 2, 2), (5, 3, 1, 0, 2, 4)),
             ((3, 0), (1, 0))]
    for dtype in ("float32", "int8", "uint8", "int16", "int32", "int64", "bool"):
        q = FULL.get(dtype)
        for i, (shape, perm) in enumerate(turns):
            version = {5: 4, 6: 6}.get(len(shape), {"int8": 2, "bool": 3, "int16": 5}.get(dtype, 1))
            cases.add("TRANSPOSE", f"{dtype} {i}",
                      [Tensor(dtype, shape, q),
                       Tensor("int32", (len(perm),), data=np.array(perm, np.int32))],
                      [Tensor(dtype, (), q)], ("TransposeOptions", {}), version=version)
    cases.add("TRANSPOSE", "float32 by a computed permutation",
              [Tensor("float32", (2, 3, 4)),
               Tensor("int32", (3,), value=np.array([1, 2, 0], np.int32))],
              [Tensor("float32", ())], ("TransposeOptions", {}))


def all_cases():
    cases = Cases()
    for make in (conv_cases, depthwise_cases, fully_connected_cases, pool_cases, softmax_cases,
                 quantize_cases, binary_cases, compare_cases, shape_cases, unary_cases, cast_cases,
                 concatenation_cases, mean_cases, layout_cases):
        make(cases)
    return cases.by_op
