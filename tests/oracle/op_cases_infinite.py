# SPDX-License-Identifier: Apache-2.0
"""Infinities and NaN in ops with a fused activation, whose open ends are the largest numbers."""

import numpy as np
from op_case_base import Tensor

INF, NAN = np.inf, np.nan
A = np.array([[INF, -INF, NAN, INF, 1, 2e38, -3e38]], np.float32)
B = np.array([[1, 1, 1, -INF, INF, 3e38, 2e38]], np.float32)
IMAGE = np.array([[INF, -INF, 2], [NAN, 3e38, -1]], np.float32).reshape((1, 6, 1, 1))
ONE_BY_ONE = dict(padding=1, strideW=1, strideH=1)


def values(array):
    return Tensor("float32", array.shape, value=array)


def infinite_cases(cases):
    out = [Tensor("float32", ())]
    for activation in (0, 1):
        name, fused = f"infinities {activation}", dict(fusedActivationFunction=activation)
        for op in ("ADD", "SUB", "MUL", "DIV"):
            cases.add(op, name, [values(A), values(B)], out, (f"{op.capitalize()}Options", fused))
        cases.add("AVERAGE_POOL_2D", name, [values(IMAGE)], out,
                  ("Pool2DOptions", dict(ONE_BY_ONE, filterWidth=1, filterHeight=1, **fused)))
        image = values(IMAGE)
        bias = Tensor("float32", (1,), data=np.zeros(1))
        cases.add("CONV_2D", name, [image, Tensor("float32", (1, 1, 1, 1), data=np.full((1, 1, 1, 1), 2)),
                                    bias], out, ("Conv2DOptions", dict(ONE_BY_ONE, **fused)))
    cases.add("BATCH_MATMUL", "infinities", [values(A.reshape(7, 1)), values(np.full((1, 1), 2, np.float32))],
              out, ("BatchMatMulOptions", {}))
