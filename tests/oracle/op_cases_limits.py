# SPDX-License-Identifier: Apache-2.0
"""Cases in which a definition that is nearly the right one gives something else: numbers on or close
to a rounding's tie, floats that overflow or vanish."""

import numpy as np
from op_case_base import VALID, Tensor

# Scales of data, filter and output whose product differs in single and in double precision.
TIE_SCALES = [(0.25916848, 0.00122088, 117.3), (0.1234567, 0.0076543, 187.1)]


def tie_cases(cases):
    """Convolutions of UINT8 whose sums are all bias, next to halves of the output's steps."""
    for i, (data, filter_scale, output) in enumerate(TIE_SCALES):
        steps = np.arange(7, 255, 19) + 0.5
        sums = np.round(steps * output / (data * filter_scale))
        sums = (sums[:, None] + [-1, 0, 1]).reshape(-1).astype(np.int64)
        sums = sums[sums < 2**31]
        channels = len(sums)
        image = Tensor("uint8", (1, 1, 1, 1), (data, 128), value=np.full((1, 1, 1, 1), 128, np.uint8))
        bias = Tensor("int32", (channels,), (data * filter_scale, 0), data=sums)
        out = Tensor("uint8", (), (output, 0))

        def filters(*shape, scale=filter_scale):
            return Tensor("uint8", shape, (scale, 100), data=np.full(shape, 77))

        window = dict(padding=VALID, strideH=1, strideW=1)
        dilated = dict(window, dilationHFactor=1, dilationWFactor=1)
        cases.add("CONV_2D", f"uint8 near ties {i}", [image, filters(channels, 1, 1, 1), bias],
                  [out], ("Conv2DOptions", dilated))
        cases.add("DEPTHWISE_CONV_2D", f"uint8 near ties {i}",
                  [image, filters(1, 1, 1, channels), bias], [out],
                  ("DepthwiseConv2DOptions", dict(dilated, depthMultiplier=channels)))
        size = Tensor("int32", (4,), data=np.array([1, 1, 1, channels], np.int32))
        cases.add("TRANSPOSE_CONV", f"uint8 near ties {i}",
                  [size, filters(channels, 1, 1, 1), image, bias], [out],
                  ("TransposeConvOptions", window), version=4)


def overflow_cases(cases):
    """Ops that may clamp to an activation's range give the greatest number instead of infinity."""
    large = np.array([3e38, -3e38, 2.0, np.inf, -np.inf, 1e-40], np.float32)

    def values(*shape, factor=1.0):
        return Tensor("float32", shape, value=np.resize(large * np.float32(factor), shape))

    def constant(*shape):
        return Tensor("float32", shape, data=np.resize([3.0, -2.0], shape))

    out = Tensor("float32", ())
    for op, table, factor in (("ADD", "AddOptions", 1), ("SUB", "SubOptions", -1),
                              ("MUL", "MulOptions", 1)):
        for activation in (0, 1):
            cases.add(op, f"float32 overflow {activation}", [values(6), values(6, factor=factor)],
                      [out], (table, dict(fusedActivationFunction=activation)))
    window = dict(padding=VALID, strideH=1, strideW=1)
    dilated = dict(window, dilationHFactor=1, dilationWFactor=1)
    cases.add("CONV_2D", "float32 overflow", [values(1, 2, 3, 1), constant(2, 1, 1, 1), constant(2)],
              [out], ("Conv2DOptions", dilated))
    cases.add("DEPTHWISE_CONV_2D", "float32 overflow", [values(1, 2, 3, 1), constant(1, 1, 1, 2), constant(2)], [out],
              ("DepthwiseConv2DOptions", dict(dilated, depthMultiplier=2)))
    size = Tensor("int32", (4,), data=np.array([1, 2, 3, 2], np.int32))
    cases.add("TRANSPOSE_CONV", "float32 overflow",
              [size, constant(2, 1, 1, 1), values(1, 2, 3, 1)], [out],
              ("TransposeConvOptions", window), version=4)
    cases.add("FULLY_CONNECTED", "float32 overflow", [values(6, 1), constant(2, 1)], [out],
              ("FullyConnectedOptions", {}))
    cases.add("MAX_POOL_2D", "float32 overflow", [values(1, 2, 3, 1)], [out],
              ("Pool2DOptions", dict(window, filterHeight=1, filterWidth=1)))
    # This one has no activation, and gives infinity.
    cases.add("BATCH_MATMUL", "float32 overflow", [values(6, 1), values(1, 2)], [out],
              ("BatchMatMulOptions", {}))


def half_step_cases(cases):
    """Float data by integer filters: data that lies between two steps of its quantisation."""
    rows = {"positive": [0, 0.5, 1.5, 2.5, 3.5, 127.5, 255, 254.5],
            "both": [-128, -0.5, -1.5, -2.5, 3.5, 4.5, 127, -100.5]}
    for name, row in rows.items():
        size = len(row)
        unit = Tensor("int8", (size, size), (1.0, 0), data=np.eye(size, dtype=np.int8))
        data = Tensor("float32", (1, size), value=np.array([row], np.float32))
        out = Tensor("float32", ())
        asymmetric = dict(asymmetricQuantizeInputs=True)
        cases.add("FULLY_CONNECTED", f"hybrid half steps {name}",
                  [data, unit, Tensor("float32", (size,), data=np.zeros(size))], [out],
                  ("FullyConnectedOptions", asymmetric), version=9)
        cases.add("BATCH_MATMUL", f"hybrid half steps {name}", [data, unit], [out],
                  ("BatchMatMulOptions", asymmetric), version=4)
        image = Tensor("float32", (1, 1, 1, size), value=data.value.reshape(1, 1, 1, size))
        ones = Tensor("int8", (1, 1, 1, size), ([1.0] * size, [0] * size, 3),
                      data=np.ones((1, 1, 1, size)))
        cases.add("DEPTHWISE_CONV_2D", f"hybrid half steps {name}",
                  [image, ones, Tensor("float32", (size,), data=np.zeros(size))], [out],
                  ("DepthwiseConv2DOptions", dict(padding=VALID, strideH=1, strideW=1,
                                                  dilationHFactor=1, dilationWFactor=1,
                                                  depthMultiplier=1)), version=6)


def logistic_cases(cases):
    """Alone, each result is its own range."""
    for value in (-100, -20, -9.8, -9, -8.9, 16.7):
        cases.add("LOGISTIC", f"float32 of {value}",
                  [Tensor("float32", (1,), value=np.array([value], np.float32))],
                  [Tensor("float32", ())])
