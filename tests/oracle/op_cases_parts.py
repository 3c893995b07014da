# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that join tensors, cut them apart, or change their rank."""

from op_case_base import FULL, MOVED, Tensor, ints, late_ints


def pack_cases(cases):
    packs = [((3,), 2, 0), ((3,), 2, 1), ((2, 3), 3, 1), ((2, 3), 2, -1), ((), 3, 0),
             ((2, 1, 2), 1, -2), ((2, 0), 2, 1), ((2, 2, 1, 2), 2, 4)]
    for i, (shape, count, axis) in enumerate(packs):
        for dtype in ("float32", "int8", "uint8", "int16", "int32", "int64", "uint32"):
            if i > 3 and dtype not in ("float32", "int8"):
                continue
            q = FULL.get(dtype)
            cases.add("PACK", f"{dtype} {i}", [Tensor(dtype, shape, q) for _ in range(count)],
                      [Tensor(dtype, (), q)], ("PackOptions", dict(valuesCount=count, axis=axis)),
                      version={"int8": 2, "int16": 3}.get(dtype, 1))
    unpacks = [((3, 2), 0), ((3, 2), 1), ((2, 3, 4), -1), ((2, 3, 4), 1), ((1, 2), 0), ((4,), 0),
               ((2, 1, 2, 2, 2), -4)]
    for i, (shape, axis) in enumerate(unpacks):
        for dtype in ("float32", "int8", "uint8", "int16", "int32", "bool"):
            if i > 3 and dtype not in ("float32", "int8"):
                continue
            q = FULL.get(dtype)
            cases.add("UNPACK", f"{dtype} {i}", [Tensor(dtype, shape, q)],
                      [Tensor(dtype, (), q) for _ in range(shape[axis])],
                      ("UnpackOptions", dict(num=shape[axis], axis=axis)), version=4)


def split_cases(cases):
    splits = [((4, 3), 0, 2), ((4, 3), 1, 3), ((2, 6, 2), -2, 2), ((2, 2, 4), -1, 4),
              ((3, 2), 0, 1), ((2, 0, 4), 2, 2)]
    for i, (shape, axis, count) in enumerate(splits):
        for dtype in ("float32", "int8", "uint8", "int16", "int32"):
            q = FULL.get(dtype)
            outputs = [Tensor(dtype, (), q) for _ in range(count)]
            cases.add("SPLIT", f"{dtype} {i}", [ints(axis), Tensor(dtype, shape, q)], outputs,
                      ("SplitOptions", dict(numSplits=count)), version=4)
        if 0 in shape:  # the runtime's Python cannot fetch empty results of unknown shape
            continue
        cases.add("SPLIT", f"float32 {i} by a computed axis",
                  [late_ints(axis), Tensor("float32", shape)],
                  [Tensor("float32", ()) for _ in range(count)],
                  ("SplitOptions", dict(numSplits=count)))
    splits = [((6, 2), [1, 3, 2], 0), ((2, 5), [2, -1], 1), ((2, 4, 3), [4, 0], -2),
              ((3, 2), [-1], 0), ((5,), [1, 1, -1, 2], 0)]
    for i, (shape, sizes, axis) in enumerate(splits):
        kind = ("int32", "int64")[i % 2]
        for dtype in ("float32", "int8", "uint8", "int16", "int32", "int64"):
            q = FULL.get(dtype)
            outputs = [Tensor(dtype, (), q) for _ in sizes]
            cases.add("SPLIT_V", f"{dtype} {i}",
                      [Tensor(dtype, shape, q), ints(sizes, kind), ints(axis)], outputs,
                      ("SplitVOptions", dict(numSplits=len(sizes))), version=2)
        if 0 in sizes:
            continue
        cases.add("SPLIT_V", f"float32 {i} by computed sizes",
                  [Tensor("float32", shape), late_ints(sizes, kind), late_ints(axis)],
                  [Tensor("float32", ()) for _ in sizes],
                  ("SplitVOptions", dict(numSplits=len(sizes))))


def rank_cases(cases):
    squeezes = [((1, 3, 1, 2), []), ((1, 3, 1, 2), [0]), ((1, 3, 1, 2), [-2, 0]), ((1, 1), []),
                ((3, 2), []), ((1, 0, 1), [2, 2]), ((1,), [0]), ((1, 2, 1, 1, 2, 1, 1, 1), [-1, 2])]
    for i, (shape, axes) in enumerate(squeezes):
        for dtype in MOVED if i < 3 else ("float32", "int8"):
            cases.add("SQUEEZE", f"{dtype} {i}", [Tensor(dtype, shape, FULL.get(dtype))],
                      [Tensor(dtype, (), FULL.get(dtype))],
                      ("SqueezeOptions", dict(squeezeDims=axes)))
    expansions = [((2, 3), 0), ((2, 3), 1), ((2, 3), 2), ((2, 3), -1), ((2, 3), -3), ((), 0),
                  ((0, 2), 1), ((1, 2, 1, 2, 2), -2)]
    for i, (shape, axis) in enumerate(expansions):
        kind = ("int32", "int64")[i % 2]
        for dtype in MOVED if i < 2 else ("float32", "int8"):
            cases.add("EXPAND_DIMS", f"{dtype} {i}",
                      [Tensor(dtype, shape, FULL.get(dtype)),
                       ints([axis], kind) if i % 3 else ints(axis, kind)],
                      [Tensor(dtype, (), FULL.get(dtype))], ("ExpandDimsOptions", {}))
    cases.add("EXPAND_DIMS", "float32 by a computed axis",
              [Tensor("float32", (2, 3)), late_ints([-2])], [Tensor("float32", ())],
              ("ExpandDimsOptions", {}))
    for shape in ((2, 3), (), (4,), (0, 2, 1)):
        cases.add("RANK", f"float32 {shape}", [Tensor("float32", shape)], [Tensor("int32", ())],
                  ("RankOptions", {}))
    cases.add("RANK", "int8", [Tensor("int8", (1, 2, 1, 1), FULL["int8"])], [Tensor("int32", ())],
              ("RankOptions", {}))
    for dtype in ("float32", "int32", "int64"):
        for shape in ((2, 3), (), (0, 2)):
            cases.add("ZEROS_LIKE", f"{dtype} {shape}", [Tensor(dtype, shape)],
                      [Tensor(dtype, ())], ("ZerosLikeOptions", {}))
