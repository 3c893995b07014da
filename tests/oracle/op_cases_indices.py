# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that pick or place elements by indices."""

import numpy as np
from op_case_base import FULL, MOVED, Tensor, integers, ints, late_ints


def picks(shape, limit, dtype="int32"):
    """Indices below a limit that come as data."""
    values = np.random.default_rng(limit).integers(0, max(limit, 1), shape)
    return late_ints(values.tolist() if np.size(values) else np.zeros(shape), dtype)


def gather_cases(cases):
    # shape, shape of the indices, axis, batch_dims
    gathers = [((4,), (3,), 0, 0), ((3, 4), (2,), 0, 0), ((3, 4), (2, 2), 1, 0),
               ((3, 4), (2, 2), -1, 0), ((2, 3, 4), (), 1, 0), ((2, 3, 4), (2, 2), 1, 1),
               ((2, 3, 2), (2, 3, 2), 2, 2), ((2, 3, 4), (2, 1), 2, 1), ((2, 3, 2, 2), (2, 2), 2, 1),
               ((3, 4), (0,), 0, 0), ((2, 3, 4), (2, 2), 1, -1), ((3, 0), (2,), 0, 0),
               ((2, 1, 3, 2, 2), (2, 1, 2), 2, 2)]
    for i, (shape, indices, axis, batch_dims) in enumerate(gathers):
        kind = ("int32", "int64", "int16")[i % 3]
        for dtype in MOVED + ("float16",) if i in (1, 5) else ("float32", "int8"):
            cases.add("GATHER", f"{dtype} {i}",
                      [Tensor(dtype, shape, FULL.get(dtype)), picks(indices, shape[axis], kind)],
                      [Tensor(dtype, (), FULL.get(dtype))],
                      ("GatherOptions", dict(axis=axis, batchDims=batch_dims)), version=5)
    cases.add("GATHER", "float32 by constant indices",
              [Tensor("float32", (3, 4)), ints([2, 0, 2, 1])], [Tensor("float32", ())],
              ("GatherOptions", {}))
    # shape, rows of indices. Empty rows, which mean the whole, the runtime refuses.
    gathers = [((4,), [[1], [3]]), ((3, 4), [[1], [0]]), ((3, 4), [[1, 2], [0, 3], [2, 0]]),
               ((2, 3, 4), [[[1], [0]], [[0], [0]]]), ((2, 3, 4), [[1, 2], [0, 0]]),
               ((2, 3, 2, 2), [1, 2, 0]), ((2, 1, 2, 2, 2), [[1, 0], [0, 0]])]
    for i, (shape, rows) in enumerate(gathers):
        kind = ("int32", "int64", "int16")[i % 3]
        for dtype in MOVED if i in (1, 2) else ("float32", "int8"):
            cases.add("GATHER_ND", f"{dtype} {i}",
                      [Tensor(dtype, shape, FULL.get(dtype)), late_ints(rows, kind)],
                      [Tensor(dtype, (), FULL.get(dtype))], ("GatherNdOptions", {}), version=4)


def scatter_cases(cases):
    # rows of indices, shape
    scatters = [([[1], [3]], [5]), ([[1], [0], [1]], [3]), ([[1], [0]], [3, 2]),
                ([[1, 2], [0, 0], [1, 2]], [2, 3]), ([[[1], [0]], [[1], [1]]], [2, 2, 2]),
                ([[0, 1]], [2, 3, 2])]
    for i, (rows, shape) in enumerate(scatters):
        depth = np.shape(rows)[-1]
        updates = np.shape(rows)[:-1] + tuple(shape[depth:])
        for dtype in ("float32", "int8", "uint8", "int32", "int64", "bool"):
            cases.add("SCATTER_ND", f"{dtype} {i}",
                      [late_ints(rows), Tensor(dtype, updates), ints(shape)],
                      [Tensor(dtype, ())], ("ScatterNdOptions", {}))
        cases.add("SCATTER_ND", f"float32 {i} by a computed shape",
                  [late_ints(rows), Tensor("float32", updates), late_ints(shape)],
                  [Tensor("float32", ())], ("ScatterNdOptions", {}))
    # indices, shape
    sparse = [([1, 3], [5]), (2, [4]), ([[0, 1], [2, 3]], [3, 4]), ([[1], [0]], [2]),
              ([[0, 0, 1], [1, 1, 0]], [2, 2, 2]), ([[0, 1, 0, 1], [1, 0, 1, 0]], [2, 2, 2, 2])]
    for i, (indices, shape) in enumerate(sparse):
        kinds = (("int32", "int32"), ("int64", "int64"), ("int64", "int32"))[i % 3]
        count = np.shape(indices)[:1]
        for dtype in ("float32", "int8", "uint8", "int32", "int64"):
            for j, values in enumerate([(), count]):
                # A scalar index counts as no index at all in the runtime.
                if np.shape(indices) == ():
                    continue
                # One value for all must stand alone: the runtime compares the counts.
                if j == 0 and len(indices) != 1:
                    continue
                cases.add("SPARSE_TO_DENSE", f"{dtype} {i} {j}",
                          [late_ints(indices, kinds[0]), ints(shape, kinds[1]),
                           Tensor(dtype, values), Tensor(dtype, ())],
                          [Tensor(dtype, ())], ("SparseToDenseOptions", {}), version=3)
    for values in ((), (1,)):
        cases.add("SPARSE_TO_DENSE", f"float32 one value {values} in a computed shape",
                  [late_ints([[1, 2]]), late_ints([2, 3]), Tensor("float32", values),
                   Tensor("float32", ())], [Tensor("float32", ())], ("SparseToDenseOptions", {}))


def lookup_cases(cases):
    for shape in ((4, 3), (3, 2, 2), (4, 1)):
        for dtype in ("float32", "int8", "uint8", "int32", "int64"):
            q = FULL.get(dtype)
            cases.add("EMBEDDING_LOOKUP", f"{dtype} {shape}",
                      [picks((3,), shape[0]), Tensor(dtype, shape, q)], [Tensor(dtype, (), q)],
                      version=2)
        for dtype, low, high in (("int8", -128, 127), ("uint8", 0, 255)):
            table = Tensor(dtype, shape, (0.013, 0), integers(shape, low, high))
            cases.add("EMBEDDING_LOOKUP", f"{dtype} {shape} as float32",
                      [picks((4,), shape[0]), table], [Tensor("float32", ())], version=3)
        cases.add("EMBEDDING_LOOKUP", f"int8 {shape} as float16",
                  [picks((2,), shape[0]),
                   Tensor("int8", shape, (0.013, 0), integers(shape, -128, 127))],
                  [Tensor("float16", ())], version=5)
        scales = [0.01 * (k + 1) for k in range(shape[0])]
        table = Tensor("int8", shape, (scales, [0] * shape[0], 0), integers(shape, -128, 127))
        cases.add("EMBEDDING_LOOKUP", f"int8 {shape} as float32 by scales of rows",
                  [picks((5,), shape[0]), table], [Tensor("float32", ())], version=3)
    for i, (shape, depth, axis) in enumerate([((3,), 4, -1), ((2, 3), 3, 0), ((2, 3), 2, 1),
                                              ((), 3, -1), ((2, 0), 2, -1), ((3,), 0, 0),
                                              ((1, 2, 2), 3, 2)]):
        kind = ("int32", "int64")[i % 2]
        indices = np.random.default_rng(i).integers(-1, depth + 1, shape)
        for dtype in ("float32", "int8", "uint8", "int32", "int64", "bool"):
            # An index off the end and one below 0 give no element that is on.
            cases.add("ONE_HOT", f"{dtype} {i}",
                      [Tensor(kind, shape, value=np.asarray(indices, kind)), ints(depth),
                       Tensor(dtype, ()), Tensor(dtype, ())], [Tensor(dtype, ())],
                      ("OneHotOptions", dict(axis=axis)))
    cases.add("ONE_HOT", "float32 of a computed depth",
              [late_ints([1, 0, 2]), late_ints(3), Tensor("float32", ()), Tensor("float32", ())],
              [Tensor("float32", ())], ("OneHotOptions", dict(axis=0)))


def order_cases(cases):
    for i, (shape, k) in enumerate([((5,), 2), ((2, 4), 4), ((2, 3, 6), 1), ((3, 8), 5), ((4,), 0),
                                    ((0, 3), 2)]):
        for dtype in ("float32", "int8", "uint8", "int16", "int32", "int64"):
            q = FULL.get(dtype)
            value = Tensor(dtype, shape, q)
            if i == 3:  # many equal ones
                value.value = np.random.default_rng(i).integers(0, 3, shape).astype(dtype)
            cases.add("TOPK_V2", f"{dtype} {i}", [value, ints(k)],
                      [Tensor(dtype, (), q), Tensor("int32", ())], ("TopKV2Options", {}), version=2)
    cases.add("TOPK_V2", "float32 by int16",
              [Tensor("float32", (2, 5)), ints(3, "int16")],
              [Tensor("float32", ()), Tensor("int16", ())], ("TopKV2Options", {}), version=3)
    cases.add("TOPK_V2", "float32 by a computed k", [Tensor("float32", (2, 5)), late_ints([2])],
              [Tensor("float32", ()), Tensor("int32", ())], ("TopKV2Options", {}))
    for dtype in ("float32", "int8", "uint8", "int16", "int32", "int64"):
        for kind, number in (("int32", 2), ("int64", 4)):
            for count in (1, 7, 20):
                value = np.random.default_rng(count).integers(0, 6, (count,)).astype(dtype)
                cases.add("UNIQUE", f"{dtype} {kind} {count}", [Tensor(dtype, (count,), value=value)],
                          [Tensor(dtype, ()), Tensor(kind, ())],
                          ("UniqueOptions", dict(idxOutType=number)))
