# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that move, select or sum up elements."""

import numpy as np
from op_case_base import FULL, OUT, Tensor


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
