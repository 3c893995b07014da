# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that choose between tensors or make one of a few values."""

from op_case_base import FULL, MOVED, Tensor, ints, late_ints


def select_cases(cases):
    equal = [((3,), (3,)), ((2, 3), (2, 3)), ((2,), (2, 3)), ((), (2, 3)), ((2,), (2, 1, 2)),
             ((0, 2), (0, 2)), ((1, 2, 2, 1, 2), (1, 2, 2, 1, 2))]
    for i, (condition, shape) in enumerate(equal):
        for dtype in MOVED + ("uint32", "float16") if i in (1, 2) else ("float32", "int8"):
            q = FULL.get(dtype)
            cases.add("SELECT", f"{dtype} {i}",
                      [Tensor("bool", condition), Tensor(dtype, shape, q), Tensor(dtype, shape, q)],
                      [Tensor(dtype, (), q)], ("SelectOptions", {}))
    cases.add("SELECT", "float32 one of each",
              [Tensor("bool", (1, 1)), Tensor("float32", (1,)), Tensor("float32", (1,))],
              [Tensor("float32", (1,))], ("SelectOptions", {}))
    stretched = [((2, 3), (2, 3), (2, 3)), ((3,), (2, 3), (2, 3)), ((2, 1), (2, 3), (3,)),
                 ((), (2, 2), (2, 2)), ((2, 2), (), (1,)), ((2, 1, 1), (1, 3, 1), (1, 1, 2)),
                 ((1, 2, 1, 2), (3, 1, 1, 2), (1, 1, 2, 1)), ((1,), (2, 0), (2, 0)),
                 ((2, 1, 1, 1, 2), (1, 2, 1, 2, 1), (1, 1, 2, 1, 1))]
    for i, shapes in enumerate(stretched):
        for dtype in MOVED + ("uint32",) if i in (1, 2) else ("float32", "int8"):
            q = FULL.get(dtype)
            cases.add("SELECT_V2", f"{dtype} {i}",
                      [Tensor("bool", shapes[0]), Tensor(dtype, shapes[1], q),
                       Tensor(dtype, shapes[2], q)],
                      [Tensor(dtype, (), q)], ("SelectV2Options", {}))


def made_cases(cases):
    for i, shape in enumerate(([2, 3], [4], [], [2, 0], [1, 2, 1, 2, 2])):
        kind = ("int32", "int64")[i % 2]
        for dtype in MOVED + ("float16",) if i < 1 else ("float32", "int8"):
            q = FULL.get(dtype)
            cases.add("FILL", f"{dtype} {i}", [ints(shape, kind), Tensor(dtype, (), q)],
                      [Tensor(dtype, (), q)], ("FillOptions", {}), version=3)
        if 0 in shape:  # the runtime's Python cannot fetch empty results of unknown shape
            continue
        cases.add("FILL", f"float32 {i} by a computed shape",
                  [late_ints(shape, kind), Tensor("float32", ())], [Tensor("float32", ())],
                  ("FillOptions", {}))
    ranges = [(0, 5, 1), (2, 11, 3), (5, -4, -2), (-3, 3, 2)]
    for dtype in ("int32", "int64", "float32"):
        for i, numbers in enumerate(ranges):
            for make in (ints, late_ints):
                cases.add("RANGE", f"{dtype} {i} {make.__name__}",
                          [make(number, dtype) for number in numbers], [Tensor(dtype, ())],
                          ("RangeOptions", {}))
    for i, numbers in enumerate([(0, 1, 0.1), (0.3, -2.2, -0.37), (1e6, 1e6 + 3, 0.7),
                                 (-1.5, 0.25, 0.25)]):
        cases.add("RANGE", f"float32 of fractions {i}", [late_ints(n, "float32") for n in numbers],
                  [Tensor("float32", ())], ("RangeOptions", {}))
    for dtype in ("int32", "int64"):
        for a, b in (([2, 1], [3]), ([1], [4, 1, 2]), ([2, 1, 5], [2, 3, 1]), ([], [2, 3]), ([4], [4])):
            cases.add("BROADCAST_ARGS", f"{dtype} {a} {b}",
                      [late_ints(a, dtype), late_ints(b, dtype)], [Tensor(dtype, ())])
        cases.add("BROADCAST_ARGS", f"{dtype} constant", [ints([2, 1], dtype), ints([3], dtype)],
                  [Tensor(dtype, ())])
