# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that work on single elements."""

import itertools

import numpy as np
from op_case_base import FULL, OUT, Tensor

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
