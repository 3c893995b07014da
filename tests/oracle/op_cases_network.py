# SPDX-License-Identifier: Apache-2.0
"""Cases of the ops that networks consist of: sums of products, pools, softmax, quantisation."""

import itertools

import numpy as np
from op_case_base import FULL, OUT, SAME, VALID, Tensor, sum_tensors

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
