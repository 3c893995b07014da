# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that put a tensor, or parts of it, elsewhere into another one."""

from op_case_base import FULL, MOVED, Tensor, ints, late_ints


def pad_cases(cases):
    pads = [((2, 3), [[1, 1], [2, 0]]), ((1, 2, 2, 3), [[0, 0], [1, 2], [0, 1], [0, 0]]),
            ((4,), [[0, 3]]), ((1, 2, 1, 2, 2), [[0, 0], [1, 0], [0, 1], [2, 0], [0, 2]]),
            ((2, 0), [[1, 0], [0, 2]])]
    for i, (shape, paddings) in enumerate(pads):
        kind = "int64" if i == 1 else "int32"
        for dtype in ("float32", "int8", "uint8", "int16", "int32", "int64", "bool"):
            q = FULL.get(dtype)
            inputs = [Tensor(dtype, shape, q), ints(paddings, kind)]
            cases.add("PADV2", f"{dtype} {i}", inputs + [Tensor(dtype, (), q)],
                      [Tensor(dtype, (), q)], ("PadV2Options", {}), version=4)
    cases.add("PADV2", "int8 of no scale",
              [Tensor("int8", (2, 2)), ints([[1, 0], [0, 2]]), Tensor("int8", (1,))],
              [Tensor("int8", ())], ("PadV2Options", {}), version=2)
    cases.add("PADV2", "float32 by computed paddings and a constant",
              [Tensor("float32", (2, 2)), late_ints([[1, 0], [0, 2]]), Tensor(
                  "float32", (), data=[2.5])], [Tensor("float32", ())], ("PadV2Options", {}))
    cases.add("PADV2", "float16", [Tensor("float16", (2, 2)), ints([[1, 0], [0, 2]]),
                                   Tensor("float16", ())], [Tensor("float16", ())],
              ("PadV2Options", {}), version=6)
    cases.add("PADV2", "float32 without a value",
              [Tensor("float32", (2, 2)), ints([[1, 0], [0, 2]])], [Tensor("float32", ())],
              ("PadV2Options", {}))
    for kind in ("int8", "int16", "bool"):
        cases.add("PADV2", f"float32 by paddings of {kind}",
                  [Tensor("float32", (2, 2)), ints([[1, 0], [0, 1]], kind), Tensor("float32", ())],
                  [Tensor("float32", ())], ("PadV2Options", {}), version=5)
    mirrors = [((3,), [[2, 1]]), ((2, 3), [[1, 1], [2, 0]]), ((2, 3), [[0, 1], [0, 2]]),
               ((1, 3, 2, 2), [[0, 0], [2, 1], [1, 0], [0, 0]]), ((2, 2, 1, 3, 2),
                                                                [[0, 0], [1, 1], [0, 0], [0, 2],
                                                                 [1, 0]]), ((2, 2), [[0, 0]] * 2)]
    for mode in (0, 1):
        for i, (shape, paddings) in enumerate(mirrors):
            kind = ("int32", "int64")[i % 2]
            for dtype in MOVED if i in (1, 3) else ("float32", "int8"):
                q = FULL.get(dtype)
                cases.add("MIRROR_PAD", f"{dtype} {i} {mode}",
                          [Tensor(dtype, shape, q), ints(paddings, kind)], [Tensor(dtype, (), q)],
                          ("MirrorPadOptions", dict(mode=mode)), version=2)
            cases.add("MIRROR_PAD", f"float32 {i} {mode} by computed paddings",
                      [Tensor("float32", shape), late_ints(paddings, kind)],
                      [Tensor("float32", ())], ("MirrorPadOptions", dict(mode=mode)))
    # As far as an image can be mirrored with its border.
    cases.add("MIRROR_PAD", "float32 symmetric, all of it",
              [Tensor("float32", (2, 3)), ints([[2, 2], [3, 3]])], [Tensor("float32", ())],
              ("MirrorPadOptions", dict(mode=1)))


def batch_cases(cases):
    spaces = [((1, 2, 2, 1), [2, 2], [[0, 0], [0, 0]]), ((1, 4, 4, 2), [2, 2], [[0, 0], [0, 0]]),
              ((2, 3, 2, 2), [2, 3], [[1, 0], [0, 1]]), ((1, 3, 2, 1), [3, 1], [[0, 3], [2, 0]]),
              ((2, 4, 3), [3], [[1, 1]]), ((1, 1, 2, 2), [4, 2], [[2, 1], [1, 3]]),
              ((1, 2, 2, 3), [1, 1], [[0, 0], [0, 0]])]
    batches = [((4, 1, 1, 1), [2, 2], [[0, 0], [0, 0]]), ((4, 2, 2, 2), [2, 2], [[0, 0], [0, 0]]),
               ((12, 2, 1, 2), [2, 3], [[1, 0], [0, 1]]), ((3, 2, 4, 1), [3, 1], [[0, 3], [2, 0]]),
               ((6, 2, 3), [3], [[1, 1]]), ((8, 1, 3, 2), [4, 2], [[2, 1], [1, 3]]),
               ((1, 2, 2, 3), [1, 1], [[0, 0], [0, 0]])]
    for op, table in (("SPACE_TO_BATCH_ND", spaces), ("BATCH_TO_SPACE_ND", batches)):
        options = ("SpaceToBatchNDOptions" if op[0] == "S" else "BatchToSpaceNDOptions", {})
        for i, (shape, blocks, pads) in enumerate(table):
            for dtype in ("float32", "int8", "uint8", "int16", "int32", "int64"):
                if i not in (2, 4) and dtype not in ("float32", "int8"):
                    continue
                q = FULL.get(dtype)
                cases.add(op, f"{dtype} {i}", [Tensor(dtype, shape, q), ints(blocks), ints(pads)],
                          [Tensor(dtype, (), q)], options, version=3)
        shape, blocks, pads = table[2]
        cases.add(op, "float32 by computed blocks",
                  [Tensor("float32", shape), late_ints(blocks), late_ints(pads)],
                  [Tensor("float32", ())], options)


def update_cases(cases):
    updates = [((5,), (2,), [1]), ((3, 4), (2, 2), [1, 1]), ((3, 4), (2, 2), [5, -7]),
               ((2, 3, 4), (1, 3, 2), [1, 0, 2]), ((3, 4), (3, 4), [1, 1]), ((3, 4), (0, 2), [1, 1]),
               ((2, 2, 3, 2), (1, 1, 2, 2), [1, 0, 9, 0]), ((), (), [])]
    for i, (shape, update, start) in enumerate(updates):
        kind = ("int32", "int64")[i % 2]
        for dtype in ("float32", "int8", "int16", "int32", "int64", "bool"):
            if i not in (1, 3) and dtype not in ("float32", "int8"):
                continue
            q = FULL.get(dtype)
            cases.add("DYNAMIC_UPDATE_SLICE", f"{dtype} {i}",
                      [Tensor(dtype, shape, q), Tensor(dtype, update, q), late_ints(start, kind)],
                      [Tensor(dtype, (), q)], ("DynamicUpdateSliceOptions", {}), version=2)
    reversals = [((5,), [0]), ((2, 3), [0]), ((2, 3), [-1]), ((2, 3, 4), [1]), ((2, 3, 4), [1, 2]),
                 ((2, 3, 4), [0, 1, 2]), ((0, 3), [1]), ((2, 1, 2, 3, 2), [3])]
    for i, (shape, axes) in enumerate(reversals):
        for dtype in MOVED if i in (1, 3) else ("float32", "int8"):
            q = FULL.get(dtype)
            make = late_ints if i % 2 else ints
            cases.add("REVERSE_V2", f"{dtype} {i}", [Tensor(dtype, shape, q), make(axes)],
                      [Tensor(dtype, (), q)], ("ReverseV2Options", {}), version=3)
    sequences = [((3, 4), [0, 4, 3], 1, 0), ((4, 3), [1, 4, 2], 0, 1), ((2, 3, 2), [3, 2], 1, 0),
                 ((2, 3, 2, 2), [1, 2, 0], 3, 1), ((3, 2, 2), [1, 2], 0, 2), ((2, 3, 2), [0, 2, 1], 2, 1)]
    for i, (shape, lengths, seq_dim, batch_dim) in enumerate(sequences):
        kind = ("int32", "int64")[i % 2]
        for dtype in ("float32", "uint8", "int16", "int32", "int64"):
            q = FULL.get(dtype)
            cases.add("REVERSE_SEQUENCE", f"{dtype} {i}",
                      [Tensor(dtype, shape, q), late_ints(lengths, kind)], [Tensor(dtype, (), q)],
                      ("ReverseSequenceOptions", dict(seqDim=seq_dim, batchDim=batch_dim)))


def diagonal_cases(cases):
    for dtype in ("float32", "int8", "uint8", "int16", "int32", "int64"):
        q = FULL.get(dtype)
        for shape in ((3,), (2, 3), (2, 1, 2), (1, 1), (0, 2)):
            cases.add("MATRIX_DIAG", f"{dtype} {shape}", [Tensor(dtype, shape, q)],
                      [Tensor(dtype, (), q)], ("MatrixDiagOptions", {}))
        for shape in ((3, 3), (2, 3, 2), (2, 2, 4), (1, 2, 1, 3), (2, 0, 3)):
            diagonal = shape[:-2] + (min(shape[-2:]),)
            cases.add("MATRIX_SET_DIAG", f"{dtype} {shape}",
                      [Tensor(dtype, shape, q), Tensor(dtype, diagonal, q)],
                      [Tensor(dtype, (), q)], ("MatrixSetDiagOptions", {}))
