# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that reduce dimensions, or work along one. MEAN's are in op_cases_layout.

Left out, LiteRT being wrong there: extremes of infinities along some dimensions (the greatest
float), quantised products of nothing (not written). The reference kernel of SUM reads int8 and int16
as uint8; tests/kernels/reduce_test.cc compares those with uint8 and with real numbers.
"""

import itertools

import numpy as np
from op_case_base import FULL, OUT, Tensor

SHAPES = [((2, 3, 4, 5), (1, 2), True), ((2, 3, 4), (0,), False), ((3, 5), (-1,), True),
          ((4, 6), (0, 1), False), ((2, 2, 3, 2, 2), (0, 2, 4), False), ((7,), (0, 0), True),
          ((2, 3), (), False), ((2, 0), (1,), False), ((0, 3), (1,), True), ((), (), False),
          ((1, 1, 2, 1, 3, 1, 2), (2, -1), False)]


def reduce_cases(cases):
    numbers = "float32 int32 int64 int8 uint8 int16"
    types = {"SUM": numbers + " bool", "REDUCE_MAX": numbers + " bool",
             "REDUCE_MIN": numbers + " bool", "REDUCE_PROD": numbers + " bool",
             "REDUCE_ANY": "bool", "REDUCE_ALL": "bool"}
    for op, names in types.items():
        for dtype, (i, (shape, axes, keep)) in itertools.product(names.split(), enumerate(SHAPES)):
            if dtype != "float32" and i in (1, 5, 9, 10) and op not in ("REDUCE_ANY", "REDUCE_ALL"):
                continue
            q = [FULL.get(dtype)] * 2
            span = 2.0
            if op == "SUM" and dtype in ("int8", "int16"):
                continue
            if op == "SUM" and q[0]:
                q = [FULL[dtype], OUT[dtype]]
            elif op == "REDUCE_PROD" and dtype != "float32":
                if 0 in shape and dtype in ("int8", "int16"):
                    continue
                q = [None, None] if dtype == "uint8" else [q[0], OUT.get(dtype)]
                span = 1.0
            tensor = Tensor(dtype, shape, q[0])
            if op == "REDUCE_PROD" and dtype in ("int8", "int16"):
                count = int(np.prod([shape[a] for a in set(axes)] or [1]))
                scale = {"int8": 1.7 / 128, "int16": 1.3 / 32768}[dtype]
                tensor.q = (scale, 0 if dtype == "int16" else -4)
                q[1] = (1.4**count / (100 if dtype == "int8" else 30000), q[1][1])
            axis = Tensor("int32", (len(axes),), data=np.array(axes, np.int32))
            version = 3 if dtype == "int16" and "M" in op[7:8] else 2 if dtype in FULL else 1
            cases.add(op, f"{dtype} {i}", [tensor, axis], [Tensor(dtype, (), q[1])],
                      ("ReducerOptions", dict(keepDims=keep)), version=version, span=span)
        dtype = names.split()[0]
        cases.add(op, f"{dtype} by a computed axis",
                  [Tensor(dtype, (2, 3, 4)), Tensor("int32", (1,), value=np.array([1], np.int32))],
                  [Tensor(dtype, ())], ("ReducerOptions", dict(keepDims=False)))
    for dtype in ("int8", "int16", "uint8"):
        cases.add("REDUCE_PROD", f"{dtype} plain",
                  [Tensor(dtype, (3, 4)), Tensor("int32", (1,), data=np.array([1], np.int32))],
                  [Tensor(dtype, ())], ("ReducerOptions", {}), version=2)
        for op in ("REDUCE_MAX", "REDUCE_MIN"):
            cases.add(op, f"{dtype} plain",
                      [Tensor(dtype, (3, 4)), Tensor("int32", (1,), data=np.array([0], np.int32))],
                      [Tensor(dtype, ())], ("ReducerOptions", {}), version=3)
    for dtype in ("int8", "int16"):
        cases.add("REDUCE_PROD", f"{dtype} by a computed axis",
                  [Tensor(dtype, (2, 3), (0.02, 0)), Tensor("int32", (), value=np.int32(-1))],
                  [Tensor(dtype, (), (0.1, 0))], ("ReducerOptions", dict(keepDims=True)), version=2)


def arg_cases(cases):
    shapes = [((2, 3, 4), 1), ((2, 3, 4), -1), ((5,), 0), ((3, 1, 2, 2), 0), ((2, 1), 1),
              ((0, 3), 1)]
    for op in ("ARG_MAX", "ARG_MIN"):
        table = "ArgMaxOptions" if op == "ARG_MAX" else "ArgMinOptions"
        for dtype, (i, (shape, axis)) in itertools.product(
                ("float32", "int32", "int8", "uint8", "bool"), enumerate(shapes)):
            index, axis_type = (("int32", "int32"), ("int64", "int32"), ("int32", "int64"),
                                ("int64", "int64"))[i % 4]
            random = np.random.default_rng(i)  # few values: ties
            value = random.integers(0, 2 if dtype == "bool" else 4, shape).astype(dtype)
            cases.add(op, f"{dtype} {i}",
                      [Tensor(dtype, shape, FULL.get(dtype), value=value),
                       Tensor(axis_type, (1,) if i % 2 else (), data=np.array(axis))],
                      [Tensor(index, ())], (table, dict(outputType=2 if index == "int32" else 4)),
                      version=2 if dtype == "int8" else 3 if dtype == "bool" else 1)
        cases.add(op, "float32 by a computed axis",
                  [Tensor("float32", (2, 3, 4)),
                   Tensor("int32", (1,), value=np.array([1], np.int32))],
                  [Tensor("int64", ())], (table, dict(outputType=4)))


def cumsum_cases(cases):
    for dtype, exclusive, reverse in itertools.product(("float32", "int32", "int64"),
                                                       (False, True), (False, True)):
        for i, (shape, axis) in enumerate([((2, 3, 4), 1), ((5,), -1), ((2, 3, 1, 2), 0),
                                           ((2, 0), 1), ((0, 2), 1)]):
            axis = Tensor("int32", (1,) if i % 2 else (), data=np.array(axis))
            if i == 0 and reverse:
                axis = Tensor("int32", (1,), value=np.array([-2], np.int32))
            cases.add("CUMSUM", f"{dtype} {i} {exclusive} {reverse}", [Tensor(dtype, shape), axis],
                      [Tensor(dtype, ())],
                      ("CumsumOptions", dict(exclusive=exclusive, reverse=reverse)))
