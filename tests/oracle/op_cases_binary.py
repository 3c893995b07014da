# SPDX-License-Identifier: Apache-2.0
"""Cases of ops on two numbers, beside ADD, SUB and MUL of the common types.

Left out, LiteRT being wrong or undefined there: MAXIMUM, MINIMUM, FLOOR_DIV, FLOOR_MOD of numbers
that are quantised by different scales (the raw numbers are taken), quotients of the least integer
by -1, integer powers that overflow; 8-bit quotients so small that a shift by more than 31 bits is
wanted.
"""

import math

import numpy as np
from op_case_base import FULL, OUT, Tensor
from op_cases_elementwise import PAIRS

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0], np.float32)
TYPES = {
    "DIV": "float32 int32 int8 uint8 int16",
    "MAXIMUM": "float32 float16 bfloat16 int8 uint8 int16 int32 int64",
    "MINIMUM": "float32 float16 bfloat16 int8 uint8 int16 int32 int64",
    "SQUARED_DIFFERENCE": "float32 int32 int8",
    "POW": "float32 int32",
    "FLOOR_DIV": "float32 int8 int16 int32",
    "FLOOR_MOD": "float32 int8 int16 int32 int64",
    "ATAN2": "float32 float16 bfloat16 float64",
}
OPTIONS = {"MAXIMUM": "MaximumMinimumOptions", "MINIMUM": "MaximumMinimumOptions",
           "DIV": "DivOptions", "SQUARED_DIFFERENCE": "SquaredDifferenceOptions",
           "POW": "PowOptions", "FLOOR_DIV": "FloorDivOptions", "FLOOR_MOD": "FloorModOptions"}


def draw_pair(op, dtype, shapes, zero_point, random):
    a, b = shapes
    if dtype.startswith(("float", "bfloat")):
        x = random.normal(0, 3, a)
        y = random.normal(0, 2, b)
        if op == "POW":
            x = abs(x) + 0.1
        return x.astype(dtype), y.astype(dtype)
    info = np.iinfo(dtype)
    low, high = max(info.min, -1000), min(info.max, 1000)
    if op == "POW":
        return (random.integers(-6, 7, a).astype(dtype), random.integers(0, 9, b).astype(dtype))
    x = random.integers(low, high + 1, a)
    y = random.integers(low, high + 1, b)
    if op in ("DIV", "FLOOR_DIV", "FLOOR_MOD"):
        y = np.where(y == zero_point, zero_point + 1, y)
    return x.astype(dtype), y.astype(dtype)


def with_sane_shifts(inputs, out_scale):
    """Makes divisors smaller where DIV would shift by more than 31 bits."""
    (scale_a, zero_a), (scale_b, zero_b) = inputs[0].q, inputs[1].q
    shift = math.frexp(scale_a / (scale_b * out_scale))[1]
    a = inputs[0].value.astype(int) - zero_a
    b = inputs[1].value.astype(int) - zero_b
    if a.size == 0 or b.size == 0:
        return
    least = abs(a).min() if a.shape != b.shape else abs(a)
    headroom = 31 - np.ceil(np.log2(np.maximum(least, 1))).astype(int)
    bits = np.maximum(31 + shift - headroom, 0)  # of the divisor at most
    small = np.sign(b) * np.minimum(abs(b), 2**(bits + 1) - 1)
    inputs[1].value = (small + zero_b).astype(inputs[1].value.dtype)
    assert ((small != 0) & (bits >= 0)).all()


def function_cases(cases):
    for op, types in TYPES.items():
        options = OPTIONS.get(op) and (OPTIONS[op], {})
        version = {"MAXIMUM": 4, "MINIMUM": 4, "DIV": 2, "SQUARED_DIFFERENCE": 2, "FLOOR_DIV": 3,
                   "FLOOR_MOD": 2}.get(op, 1)
        for dtype in types.split():
            for i, shapes in enumerate(PAIRS):
                if op == "ATAN2":
                    shapes = (shapes[0], shapes[0])
                if dtype != "float32" and not FULL.get(dtype) and i not in (0, 2, 4, 7):
                    continue
                random = np.random.default_rng([i, len(op), len(dtype)])
                q = [None] * 3
                if dtype in FULL and op in ("DIV", "SQUARED_DIFFERENCE"):
                    q = [FULL[dtype], OUT[dtype], (FULL[dtype][0] * 7, FULL[dtype][1])]
                    if dtype == "int16":
                        q[2] = (0.003, 0)
                elif dtype in FULL and op in ("MAXIMUM", "MINIMUM"):
                    q = [FULL[dtype]] * 3
                pair = draw_pair(op, dtype, shapes, q[1][1] if q[1] else 0, random)
                inputs = [Tensor(dtype, s, qi, value=v) for s, qi, v in zip(shapes, q, pair)]
                if op == "DIV":
                    if q[0]:
                        with_sane_shifts(inputs, q[2][0])
                    options = ("DivOptions", dict(fusedActivationFunction=(0, 1, 3, 2)[i % 4]))
                cases.add(op, f"{dtype} {i}", inputs, [Tensor(dtype, (), q[2])], options,
                          version=version)
        if op != "POW":  # LiteRT takes powers by another way if there is one exponent
            a, b = np.meshgrid(SPECIAL, SPECIAL)
            if op == "FLOOR_DIV":
                a, b = a[b != 0], b[b != 0]
            cases.add(op, "float32 special", [Tensor("float32", (a.size,), value=a.reshape(-1)),
                                              Tensor("float32", (a.size,), value=b.reshape(-1))],
                      [Tensor("float32", ())], options and (options[0], {}))
    signs = np.array([[7, 2], [-7, 2], [7, -2], [-7, -2], [6, 3], [-6, 3], [0, -5]], np.int32)
    for op in ("DIV", "FLOOR_DIV", "FLOOR_MOD"):
        cases.add(op, "int32 signs", [Tensor("int32", (7,), value=signs[:, 0]),
                                      Tensor("int32", (7,), value=signs[:, 1])],
                  [Tensor("int32", ())], (OPTIONS[op], {}))
    numbers = np.arange(-128, 128, dtype=np.int8)
    for i, (a, b, out) in enumerate([((0.1, 0), (0.01, 3), (0.02, 0)), ((3.0, 5), (3.0, -1), (1.0, 0)),
                                     ((1e-4, 0), (2.0, 9), (1e-5, -3))]):
        other = np.where(numbers[::-1] == b[1], 100, numbers[::-1]).astype(np.int8)
        inputs = [Tensor("int8", (256,), a, value=numbers), Tensor("int8", (256,), b, value=other)]
        with_sane_shifts(inputs, out[0])
        cases.add("DIV", f"int8 scales {i}", inputs, [Tensor("int8", (), out)], ("DivOptions", {}),
                  version=2)
        cases.add("SQUARED_DIFFERENCE", f"int8 scales {i}",
                  [Tensor("int8", (256,), a, value=numbers),
                   Tensor("int8", (256,), b, value=other)],
                  [Tensor("int8", (), (max(out[0] * 99, 4 * b[0]**2 / 2**13), out[1]))], None,
                  version=2)


def arithmetic_cases(cases):
    """What the newest versions of ADD and MUL bring."""
    for op, types in (("ADD", {"int16": 5, "float16": 6}),
                      ("MUL", {"int16": 5, "uint32": 6, "complex64": 7, "float16": 8})):
        for dtype, version in types.items():
            for i in (0, 2, 3, 6):
                activation = (0, 0, 3, 1)[i % 4] if dtype != "complex64" else 0
                random = np.random.default_rng(i)
                pair = [random.normal(0, 3, s) for s in PAIRS[i]]
                if dtype == "complex64":
                    pair = [v + 1j * random.normal(0, 3, v.shape) for v in pair]
                elif "int" in dtype:
                    top = 40000 if dtype == "uint32" else 30000
                    pair = [random.integers(0, top, s) for s in PAIRS[i]]
                    if dtype == "int16":
                        pair[1] = random.integers(-1000, 1000, PAIRS[i][1])
                cases.add(op, f"{dtype} plain {i}",
                          [Tensor(dtype, s, value=np.asarray(v).astype(dtype))
                           for s, v in zip(PAIRS[i], pair)], [Tensor(dtype, ())],
                          (op.capitalize() + "Options",
                           dict(fusedActivationFunction=activation)), version=version)
