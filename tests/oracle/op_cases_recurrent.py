# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that keep state. Most run several invokes in a row."""

import itertools

from op_case_base import Tensor, integers, normal

NONE, RELU, RELU_N1_TO_1, RELU6, TANH, SIGN_BIT = range(6)


def weights(kind, shape, scale=0.5):
    """Float weights, or int8 ones of float data."""
    if kind == "float32":
        return Tensor("float32", shape, data=normal(shape, scale))
    return Tensor(kind, shape, (scale / 50, 0),
                  integers(shape, *((-127, 127) if kind == "int8" else (0, 255))))


def svdf_cases(cases):
    # LiteRT crashes on empty batches.
    # batch, inputs, units, rank, memory, bias, activation
    geometries = [(1, 4, 3, 1, 5, True, NONE), (2, 3, 4, 2, 4, False, RELU),
                  (3, 5, 2, 3, 1, True, TANH), 
                  (2, 1, 1, 4, 7, True, RELU6), (1, 6, 3, 2, 3, True, RELU_N1_TO_1)]
    for kind, (i, g) in itertools.product(["float32", "int8", "int8a", "uint8"],
                                          enumerate(geometries)):
        batch, inputs, units, rank, memory, bias, activation = g
        stored = kind.rstrip("a")
        filters = units * rank
        cases.add(
            "SVDF", f"{kind} weights {i}",
            [Tensor("float32", (batch, inputs)), weights(stored, (filters, inputs)),
             weights(stored, (filters, memory)),
             Tensor("float32", (units,), data=normal((units,))) if bias else None,
             Tensor("float32", (batch, memory * filters), variable=True)],
            [Tensor("float32", (batch, units))],
            ("SVDFOptions", dict(rank=rank, fusedActivationFunction=activation,
                                 asymmetricQuantizeInputs=kind == "int8a")),
            version=4, invokes=4)
    for i, (batch, inputs, units, rank, memory, bias, _) in enumerate(geometries):
        filters = units * rank
        cases.add(
            "SVDF", f"int8 {i}",
            [Tensor("int8", (batch, inputs), (0.05, -7)),
             Tensor("int8", (filters, inputs), (0.02, 0),
                    integers((filters, inputs), -127, 127)),
             Tensor("int16", (filters, memory), (0.0001, 0),
                    integers((filters, memory), -32767, 32767)),
             Tensor("int32", (units,), (0.0001 * 0.0005, 0), integers((units,), -10**6, 10**6))
             if bias else None,
             Tensor("int16", (batch, memory * filters), (0.0005, 0), variable=True)],
            [Tensor("int8", (batch, units), (0.25, 11))],
            ("SVDFOptions", dict(rank=rank, fusedActivationFunction=RELU)),
            version=3, invokes=6)
