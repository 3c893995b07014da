# SPDX-License-Identifier: Apache-2.0
"""Cases of SVDF, which keeps a state: several invokes in a row."""

import itertools

import numpy as np
from op_case_base import Tensor, integers, normal

# batch, depth, units, rank, memory, bias, activation
GEOMETRIES = [
    (1, 3, 4, 1, 10, True, 1), (2, 5, 3, 2, 4, False, 0), (3, 2, 2, 3, 1, True, 3),
    (2, 4, 5, 1, 3, True, 4), (1, 1, 1, 1, 2, True, 2), (1, 8, 2, 2, 6, True, 1),
    (2, 0, 2, 1, 2, True, 0),
]  # Without batches or filters LiteRT crashes.


def svdf_cases(cases):
    for kind, (i, geometry) in itertools.product(
            ("float32", "int8 hybrid", "uint8 hybrid", "int8 asymmetric"), enumerate(GEOMETRIES)):
        batch, depth, units, rank, memory, bias, activation = geometry
        if kind != "float32" and depth == 0:
            continue
        filters = units * rank
        feature, time = (filters, depth), (filters, memory)
        weights_type = kind.split()[0]
        if kind == "float32":
            weights = [Tensor("float32", shape, data=normal(shape)) for shape in (feature, time)]
        else:
            low, high = (0, 255) if weights_type == "uint8" else (-127, 127)
            weights = [Tensor(weights_type, shape, (scale, 0), integers(shape, low, high))
                       for shape, scale in ((feature, 0.013), (time, 0.008))]
        values = None
        if i == 1:  # a row of zeros, then all zeros: nothing to quantise
            values = [np.array([[0] * 5, [1.1, -2, 3.3, 0.5, 4]], np.float32),
                      np.zeros((2, 5), np.float32),
                      np.array([[1e-30, 0, 0, 0, 0], [5, 5, 5, 5, 5]], np.float32)]
        inputs = [Tensor("float32", (batch, depth), value=values), *weights,
                  Tensor("float32", (units,), data=normal((units,))) if bias else None,
                  Tensor("float32", (batch, filters * memory), variable=True)]
        cases.add("SVDF", f"{kind} {i}", inputs, [Tensor("float32", (batch, units))],
                  ("SVDFOptions", dict(rank=rank, fusedActivationFunction=activation,
                                       asymmetricQuantizeInputs=kind.endswith("asymmetric"))),
                  version=4, invokes=3)
    # input, feature, time, state and output scale; input and output zero point
    scales = [(0.05, 0.01, 0.0003, 0.0005, 0.05, -7, -128), (0.5, 0.02, 0.001, 0.0001, 0.3, 127, 3),
              (1.0, 1.0, 1.0, 0.001, 0.01, -128, 127), (1e-6, 1e-3, 1e-3, 0.5, 10.0, 0, 0)]
    for (s, quantization), (i, geometry) in itertools.product(
            enumerate(scales), enumerate(GEOMETRIES)):
        batch, depth, units, rank, memory, bias, _ = geometry
        filters = units * rank
        of_input, of_feature, of_time, of_state, of_output, zero_in, zero_out = quantization
        inputs = [
            Tensor("int8", (batch, depth), (of_input, zero_in)),
            Tensor("int8", (filters, depth), (of_feature, 0),
                   integers((filters, depth), -128, 127)),
            Tensor("int16", (filters, memory), (of_time, 0),
                   integers((filters, memory), -32768, 32767)),
            Tensor("int32", (units,), (of_state * of_time, 0),
                   integers((units,), -40000, 40000)) if bias else None,
            Tensor("int16", (batch, filters * memory), (of_state, 0), variable=True)]
        cases.add("SVDF", f"int8 {s} {i}", inputs,
                  [Tensor("int8", (batch, units), (of_output, zero_out))],
                  ("SVDFOptions", dict(rank=rank, fusedActivationFunction=1)), version=4,
                  invokes=3)
