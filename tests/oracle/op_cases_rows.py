# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that normalise rows, of PRELU, and of what the newest comparisons take.

Left out, LiteRT being wrong there: NOT_EQUAL of int16 without quantisation (not written), orders of
int16 numbers of different scales (the raw numbers are compared), PRELU of int16 factors (read as
int8).
"""

import itertools

import numpy as np
from op_case_base import FULL, OUT, Tensor
from op_cases_elementwise import PAIRS

SHAPES = [(1, 10), (3, 5), (2, 2, 3, 4), (7,), (2, 1), (2, 0), (2, 130)]


def normalization_cases(cases):
    outputs = {"L2_NORMALIZATION": {"int8": (1 / 128, 0), "uint8": (1 / 128, 128)},
               "LOG_SOFTMAX": {"int8": (16 / 256, 127), "uint8": (16 / 256, 255)}}
    inputs = {"int8": [(0.1, 3), (0.003, 0), (1.7, -20)], "uint8": [(0.1, 128), (0.9, 0)],
              "float32": [None]}
    for op, table in (("L2_NORMALIZATION", "L2NormOptions"), ("LOG_SOFTMAX", "LogSoftmaxOptions")):
        for dtype, shape in itertools.product(inputs, SHAPES):
            for i, q in enumerate(inputs[dtype]):
                cases.add(op, f"{dtype} {shape} {i}", [Tensor(dtype, shape, q)],
                          [Tensor(dtype, shape, outputs[op].get(dtype))], (table, {}),
                          version=2 if dtype == "int8" else 1)
        for dtype in ("int8", "uint8"):
            zero_point = inputs[dtype][0][1]
            value = np.full((3, 4), zero_point)
            value[1, 2] += 1
            value[2] = [90, 60, 110, 100]
            cases.add(op, f"{dtype} zeros", [Tensor(dtype, (3, 4), (0.1, zero_point),
                                                    value=value.astype(dtype))],
                      [Tensor(dtype, (), outputs[op][dtype])], (table, {}), version=2)
    for i, (radius, bias, alpha, beta) in enumerate([(2, 1.0, 1.0, 0.5), (1, 2.0, 4.0, 0.75),
                                                     (20, 9.0, 0.3, 1.0), (0, 1.0, 1.0, 0.5)]):
        for shape in ((1, 2, 2, 6), (2, 1, 3, 1), (1, 0, 1, 3)):
            cases.add("LOCAL_RESPONSE_NORMALIZATION", f"{shape} {i}", [Tensor("float32", shape)],
                      [Tensor("float32", shape)],
                      ("LocalResponseNormalizationOptions",
                       dict(radius=radius, bias=bias, alpha=alpha, beta=beta)))


def softmax_cases(cases):
    """Beside those of op_cases_network."""
    for dtype, q in (("int8", (0.07, 2)), ("int8", (1.7, -20)), ("uint8", (0.1, 128))):
        for shape in ((1, 10), (2, 2, 3), (3, 40)):
            cases.add("SOFTMAX", f"{dtype} to int16 {shape} {q[0]}", [Tensor(dtype, shape, q)],
                      [Tensor("int16", shape, (1 / 65536, -32768))],
                      ("SoftmaxOptions", dict(beta=1.0)), version=2)
    for shape in ((1, 10), (2, 3, 4)):
        cases.add("SOFTMAX", f"float16 {shape}", [Tensor("float16", shape)],
                  [Tensor("float16", shape)], ("SoftmaxOptions", dict(beta=0.7)), version=4)


def prelu_cases(cases):
    pairs = [((2, 3), (2, 3)), ((2, 3, 4), (4,)), ((1, 2, 3, 2), (1, 1, 2)), ((5,), ()), ((), ()),
             ((3, 1, 2), (1, 1, 2)), ((0, 3), (3,)), ((2, 3, 2, 3), (3, 1, 3))]
    for dtype, (i, (shape, alpha)) in itertools.product(("float32", "int8", "uint8", "int16"),
                                                        enumerate(pairs)):
        q = [FULL.get(dtype), OUT.get(dtype)]
        out = q[0] and (q[0][0] * (1.7 if i % 2 else 0.8), q[0][1])
        alpha_type = dtype
        if dtype == "int16":
            alpha_type, q[1] = "int8", (1 / 128, 0)
        cases.add("PRELU", f"{dtype} {i}",
                  [Tensor(dtype, shape, q[0]), Tensor(alpha_type, alpha, q[1])],
                  [Tensor(dtype, (), out)])


def newest_compare_cases(cases):
    types = {"EQUAL": "float16 int16", "NOT_EQUAL": "float16 int16",
             "LESS": "float16 bfloat16 int16", "LESS_EQUAL": "float16 int16",
             "GREATER": "float16 bfloat16 int16", "GREATER_EQUAL": "float16 int16"}
    newest = {"EQUAL": 5, "NOT_EQUAL": 4, "LESS": 3, "GREATER_EQUAL": 3}
    for op, names in types.items():
        table = "".join(p.capitalize() for p in op.split("_")) + "Options"
        for dtype, i in itertools.product(names.split(), (0, 2, 3)):
            random = np.random.default_rng(i)
            for q in ([None] if dtype != "int16" else [None, (0.1, 0), (0.003, 0)]):
                if op == "NOT_EQUAL" and dtype == "int16" and q is None:
                    continue
                values = [random.integers(-3, 4, s).astype(dtype) for s in PAIRS[i]]
                other = (0.2, 0) if q and q[0] == 0.1 and "NOT_EQUAL EQUAL".find(op) >= 0 else q
                cases.add(op, f"{dtype} {i} {q and q[0]}",
                          [Tensor(dtype, s, qi, value=v)
                           for s, qi, v in zip(PAIRS[i], (q, other), values)],
                          [Tensor("bool", ())], (table, {}), version=newest.get(op, 2))
