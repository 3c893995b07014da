# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that map each element by itself.

Left out, LiteRT being wrong there: tables of int8 EXP whose numbers pass 2^31 output steps become
the type's minimum; int8 and int16 NEG with a zero point or of two scales negates the raw numbers.
"""

import numpy as np
from op_case_base import Tensor

REALS = np.concatenate([
    np.linspace(-12, 12, 97), [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, 100, -100, 3e5]
]).astype(np.float32)
POSITIVE = np.concatenate([np.linspace(0.01, 30, 60), [1e-10, 1e10]]).astype(np.float32)
EVERY = {"int8": np.arange(-128, 128, dtype=np.int8), "uint8": np.arange(256, dtype=np.uint8),
         "int16": np.arange(-32768, 32768, 97).astype(np.int16)}
WHOLE = np.array([0, 1, -1, 7, -7, 2**31 - 1, -2**31 + 1, 1000, -1000, 12345], np.int64)
INPUTS = {"int8": [(0.05, -7), (0.4, 3), (0.003, -128)], "uint8": [(0.05, 121), (0.4, 3)],
          "int16": [(0.0003, 0), (0.0011, 0), (2.0**-12, 0)]}
# Op: options, versions by type (others 1), types, whether only positive numbers are defined, output
# scales by the input's.
ROWS = {
    "ABS": ("AbsOptions", {"int8": 2, "int16": 2, "int32": 4}, "float32 int8 int16 int32", False),
    "CEIL": (None, {}, "float32", False),
    "COS": ("CosOptions", {"float16": 2}, "float32 float16", False),
    "ELU": (None, {}, "float32 int8", False),
    "EXP": ("ExpOptions", {"int8": 2, "int16": 2}, "float32 int8 int16", False),
    "FLOOR": (None, {}, "float32 float16 bfloat16", False),
    "GELU": ("GeluOptions", {"int16": 2, "float16": 3},
             "float32 float16 int8 uint8 int16", False),
    "HARD_SWISH": ("HardSwishOptions", {}, "float32 int8 uint8", False),
    "LEAKY_RELU": ("LeakyReluOptions", {"int8": 2, "uint8": 2, "int16": 2},
                   "float32 int8 uint8 int16", False),
    "LOG": (None, {"int8": 2, "int16": 2}, "float32 int8 int16", True),
    "LOGISTIC": (None, {}, "float16 bfloat16", False),
    "NEG": ("NegOptions", {}, "float32 float16 bfloat16 int32 int64", False),
    "RELU_0_TO_1": (None, {}, "float32 int8 uint8", False),
    "RELU_N1_TO_1": (None, {}, "float32 int8 uint8", False),
    "ROUND": (None, {}, "float32 float16 bfloat16", False),
    "RSQRT": (None, {"int8": 2, "int16": 3}, "float32 int8 int16", True),
    "SIGN": ("SignOptions", {"int32": 2}, "float32 float64 int32", False),
    "SIN": (None, {"float16": 2}, "float32 float16", False),
    "SQRT": (None, {"int8": 2, "int16": 2}, "float32 int8 int16", True),
    "SQUARE": ("SquareOptions", {}, "float32", False),
    "TANH": (None, {}, "float16 bfloat16", False),
}
FIELDS = {"GELU": [dict(approximate=False), dict(approximate=True)],
          "LEAKY_RELU": [dict(alpha=0.3), dict(alpha=1.7), dict(alpha=-0.2)]}


def values(op, dtype, positive):
    if dtype in EVERY:
        return EVERY[dtype]
    if dtype.startswith("int"):
        return WHOLE
    reals = POSITIVE if positive else REALS
    if dtype == "float16" or op in ("SIN", "COS"):
        reals = reals[abs(reals) < 60]
    return reals


def unary_cases(cases):
    for op, (table, versions, types, positive) in ROWS.items():
        for j, fields in enumerate(FIELDS.get(op, [{}])):
            options = (table, fields) if table else None
            for dtype in types.split():
                for i, q in enumerate(INPUTS.get(dtype, [None])):
                    value = values(op, dtype, positive)
                    if op in ("SQRT", "RSQRT") and q:
                        value = value[value >= q[1]]
                    target = q and (q[0] * (1.3 if op != "EXP" else 2 if dtype == "int16" else 9),
                                    q[1])
                    cases.add(op, f"{dtype} {i} {j}",
                              [Tensor(dtype, value.shape, q, value=value.astype(dtype))],
                              [Tensor(dtype, value.shape, target)], options,
                              version=versions.get(dtype, 1))
            if j:
                continue
            dtype = types.split()[0]
            for shape in ((), (2, 3, 4), (2, 0, 3), (1, 2, 1, 2, 1, 2)):
                tensor = Tensor(dtype, shape)
                if positive:
                    tensor.value = np.full(shape, 0.7, np.float32)
                cases.add(op, f"{dtype} {shape}", [tensor], [Tensor(dtype, ())], options,
                          version=versions.get(dtype, 1))
    same(cases)


def same(cases):
    """Without quantisation, or with the same."""
    value = np.array([5, -5, 32767, -32767, 0], np.int16)
    cases.add("ABS", "int16 plain", [Tensor("int16", (5,), value=value)], [Tensor("int16", ())],
              ("AbsOptions", {}), version=2)
    for i, q in enumerate([None, (0.1, 0)]):
        for dtype, value in EVERY.items():
            if dtype == "uint8":
                continue
            cases.add("NEG", f"{dtype} {i}", [Tensor(dtype, value.shape, q, value=value)],
                      [Tensor(dtype, (), q)], ("NegOptions", {}))
    for op in ("ABS", "LEAKY_RELU"):
        for dtype in ("int8", "int16"):
            q = INPUTS[dtype][0]
            cases.add(op, f"{dtype} same scale",
                      [Tensor(dtype, EVERY[dtype].shape, q, value=EVERY[dtype])],
                      [Tensor(dtype, (), q)], (ROWS[op][0], FIELDS.get(op, [{}])[0]), version=2)
    # The gate's factor has a shift of either sign.
    for i, scales in enumerate([(0.0002, 0.0001), (0.02, 0.015), (1.5, 0.7), (12.0, 30.0)]):
        for dtype in ("int8", "uint8"):
            zero_points = (3, -4) if dtype == "int8" else (130, 7)
            cases.add("HARD_SWISH", f"{dtype} scales {i}",
                      [Tensor(dtype, (256,), (scales[0], zero_points[0]), value=EVERY[dtype])],
                      [Tensor(dtype, (), (scales[1], zero_points[1]))], ("HardSwishOptions", {}))
