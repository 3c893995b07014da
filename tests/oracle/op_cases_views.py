# SPDX-License-Identifier: Apache-2.0
"""Cases of ops whose output is a view of their input: slices, repetitions, blocks."""

from op_case_base import FULL, MOVED, Tensor, ints, late_ints


def strided_slice_cases(cases):
    # shape, begin, end, strides, masks
    slices = [
        ((5,), [1], [4], [1], {}), ((5,), [-4], [-1], [2], {}), ((5,), [9], [-9], [-2], {}),
        ((2, 3), [0, 1], [2, 3], [1, 1], {}), ((4, 5), [3, 4], [0, -9], [-1, -3], {}),
        ((4, 5), [1, 1], [3, 3], [1, 1], dict(beginMask=1, endMask=2)),
        ((4, 5), [2, 2], [1, 1], [-1, -1], dict(beginMask=2, endMask=1)),
        ((3, 4, 5), [1, 2, 3], [2, 3, 5], [1, 1, 2], dict(shrinkAxisMask=3)),
        ((3, 4), [-1, -2], [0, 0], [1, 1], dict(shrinkAxisMask=3)),
        ((3, 4, 5), [0, 1], [0, 4], [1, 2], dict(ellipsisMask=1)),
        ((2, 3, 2, 2, 3), [1, 0, 0], [2, 0, 2], [1, 1, 1], dict(ellipsisMask=2)),
        ((3, 4), [0, 0, 1], [0, 2, 3], [1, 1, 1], dict(newAxisMask=1)),
        ((3, 4), [1, 0, 1], [3, 0, 3], [1, 1, 1], dict(newAxisMask=2, shrinkAxisMask=4)),
        ((2, 3, 4), [0, 0, 1], [0, 0, 3], [1, 1, 1], dict(newAxisMask=1, ellipsisMask=2)),
        ((2, 3, 4), [0, 0, 0], [0, 0, 0], [1, 1, 1], dict(newAxisMask=5, ellipsisMask=2)),
        ((2, 3, 4), [1], [2], [1], {}), ((3, 4), [2, 0], [2, 4], [1, 1], {}),
        ((3, 0), [0, 0], [2, 5], [1, 1], {}), ((2, 2, 3, 1, 2), [0, 1, 0, 0, 0],
                                              [2, 2, 3, 1, 2], [1, 1, 2, 1, 1], {}),
        ((2, 1, 2, 3, 2, 2), [0] * 6, [2, 1, 2, 3, 2, 1], [1, 1, 1, 2, 1, 1], {}),
        ((5, 6), [1, 2], [3, 2], [1, 1], dict(offset=True)),
        ((5, 6), [-3, 0], [2, 5], [1, 2], dict(offset=True))]
    for i, (shape, begin, end, strides, masks) in enumerate(slices):
        version = 8 if masks.get("offset") else 1
        for dtype in MOVED if i in (0, 7) else ("float32", "int8"):
            cases.add("STRIDED_SLICE", f"{dtype} {i}",
                      [Tensor(dtype, shape, FULL.get(dtype)), ints(begin), ints(end),
                       ints(strides)], [Tensor(dtype, (), FULL.get(dtype))],
                      ("StridedSliceOptions", masks), version=version)
        if i in (16, 17):  # the runtime's Python cannot fetch empty results of unknown shape
            continue
        cases.add("STRIDED_SLICE", f"float32 {i} by computed lists",
                  [Tensor("float32", shape), late_ints(begin), late_ints(end),
                   late_ints(strides)], [Tensor("float32", ())], ("StridedSliceOptions", masks),
                  version=version)


def slice_cases(cases):
    slices = [((5,), [1], [3]), ((3, 4), [0, 1], [2, -1]), ((2, 3, 4), [1, 0, 2], [1, 3, 2]),
              ((2, 2, 2, 3), [0, 1, 0, 1], [-1, -1, 1, 2]), ((3, 4), [3, 0], [0, 4]),
              ((2, 1, 2, 3, 2), [0, 0, 1, 1, 0], [2, 1, 1, 2, 2]), ((0, 3), [0, 1], [-1, 2]),
              ((2, 1, 2, 2, 1, 2), [1, 0, 0, 1, 0, 0], [1, 1, 2, 1, 1, 2])]
    for i, (shape, begin, size) in enumerate(slices):
        kind = ("int32", "int64")[i % 2]
        for dtype in MOVED + ("uint32",) if i < 4 else ("float32", "int8"):
            cases.add("SLICE", f"{dtype} {i}",
                      [Tensor(dtype, shape, FULL.get(dtype)), ints(begin, kind), ints(size, kind)],
                      [Tensor(dtype, (), FULL.get(dtype))], ("SliceOptions", {}), version=5)
    cases.add("SLICE", "float32 by computed lists",
              [Tensor("float32", (3, 4)), late_ints([1, 0]), late_ints([2, -1])],
              [Tensor("float32", ())], ("SliceOptions", {}))


def repeat_cases(cases):
    tiles = [((3,), [2]), ((2, 3), [1, 2]), ((2, 3), [3, 2]), ((2, 1, 3), [1, 4, 1]),
             ((2, 3), [0, 2]), ((0, 3), [2, 2]), ((1, 2, 2, 1, 2), [2, 1, 2, 3, 1])]
    for i, (shape, multiples) in enumerate(tiles):
        kind = ("int32", "int64")[i % 2]
        for dtype in MOVED if i < 4 else ("float32", "int8"):
            cases.add("TILE", f"{dtype} {i}",
                      [Tensor(dtype, shape, FULL.get(dtype)), ints(multiples, kind)],
                      [Tensor(dtype, (), FULL.get(dtype))], ("TileOptions", {}))
        if i in (4, 5):  # empty
            continue
        cases.add("TILE", f"float32 {i} by computed multiples",
                  [Tensor("float32", shape), late_ints(multiples, kind)],
                  [Tensor("float32", ())], ("TileOptions", {}))
    shapes = [((3,), [2, 3]), ((1,), [4]), ((2, 1), [2, 3]), ((1, 3, 1), [2, 3, 2]), ((), [2, 2]),
              ((2, 1, 2), [2, 0, 2]), ((1, 2, 1, 2), [2, 1, 3, 2, 2, 2]), ((2, 3), [2, 3]),
              ((1, 2), [2, 1, 1, 2, 1, 1, 3, 2])]
    for i, (shape, wanted) in enumerate(shapes):
        kind = ("int32", "int64")[i % 2]
        for dtype in MOVED if i < 4 else ("float32", "int8"):
            cases.add("BROADCAST_TO", f"{dtype} {i}",
                      [Tensor(dtype, shape, FULL.get(dtype)), ints(wanted, kind)],
                      [Tensor(dtype, (), FULL.get(dtype))], ("BroadcastToOptions", {}), version=2)
    cases.add("BROADCAST_TO", "float32 by a computed shape",
              [Tensor("float32", (2, 1)), late_ints([3, 2, 2])],
              [Tensor("float32", ())], ("BroadcastToOptions", {}), version=2)


def block_cases(cases):
    for dtype in ("float32", "int8", "uint8", "int32", "int64"):
        q = FULL.get(dtype)
        version = 2 if dtype == "int8" else 1
        for shape, size in (((1, 2, 2, 1), 2), ((2, 4, 6, 3), 2), ((1, 3, 6, 2), 3),
                            ((2, 2, 3, 2), 1), ((0, 2, 2, 3), 2)):
            cases.add("SPACE_TO_DEPTH", f"{dtype} {shape} {size}", [Tensor(dtype, shape, q)],
                      [Tensor(dtype, (), q)], ("SpaceToDepthOptions", dict(blockSize=size)),
                      version=version)
        for shape, size in (((1, 1, 1, 4), 2), ((2, 2, 3, 12), 2), ((1, 1, 2, 18), 3),
                            ((2, 2, 3, 2), 1)):
            cases.add("DEPTH_TO_SPACE", f"{dtype} {shape} {size}", [Tensor(dtype, shape, q)],
                      [Tensor(dtype, (), q)], ("DepthToSpaceOptions", dict(blockSize=size)),
                      version=version)
