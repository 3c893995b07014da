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


def lstm_gates(make, has_input_gate=True):
    """One tensor for each gate: input, forget, cell, output."""
    return [make() if has_input_gate or gate else None for gate in range(4)]


def float_lstm(kind, batch, inputs, cells, outputs, cifg, peephole, projection, norm, diagonal):
    """Inputs 1 to 23 of a FULL kernel on float data."""
    stored = kind.rstrip("a")
    vector = lambda scale=0.5: Tensor("float32", (cells,), data=normal((cells,), scale))
    recurrent = ((lambda: vector()) if diagonal else
                 (lambda: weights(stored, (cells, outputs))))
    tensors = lstm_gates(lambda: weights(stored, (cells, inputs)), not cifg)
    tensors += lstm_gates(recurrent, not cifg)
    peepholes = [weights(stored, (cells,)) if peephole else None for _ in range(3)]
    tensors += [None if cifg else peepholes[0]] + peepholes[1:]
    tensors += lstm_gates(vector, not cifg)
    tensors += [weights(stored, (outputs, cells)) if projection else None,
                Tensor("float32", (outputs,), data=normal((outputs,))) if projection > 1 else None]
    tensors += [Tensor("float32", (batch, outputs), variable=True),
                Tensor("float32", (batch, cells), variable=True)]
    tensors += lstm_gates(vector, not cifg) if norm else [None] * 4
    return tensors


def integer_lstm(batch, inputs, cells, outputs, cifg, peephole, projection, norm):
    """Inputs 1 to 23 and intermediates of a FULL kernel on int8 data with 16-bit gates."""
    def matrix(rows, columns, scale):
        return Tensor("int8", (rows, columns), (scale, 0), integers((rows, columns), -127, 127))

    def vector(dtype, scale, size):
        return Tensor(dtype, (cells,), (scale, 0), integers((cells,), -size, size))
    tensors = lstm_gates(lambda: matrix(cells, inputs, 0.01), not cifg)
    tensors += lstm_gates(lambda: matrix(cells, outputs, 0.015), not cifg)
    peepholes = [vector("int16", 0.0001, 32767) if peephole else None for _ in range(3)]
    tensors += [None if cifg else peepholes[0]] + peepholes[1:]
    tensors += lstm_gates(lambda: vector("int32", 0.0005, 2000), not cifg)
    tensors += [matrix(outputs, cells, 0.02) if projection else None,
                Tensor("int32", (outputs,), (0.0001, 0), integers((outputs,), -900, 900))
                if projection > 1 else None]
    tensors += [Tensor("int8", (batch, outputs), (0.012, 3), variable=True),
                Tensor("int16", (batch, cells), (2.0 ** -11, 0), variable=True)]
    tensors += (lstm_gates(lambda: vector("int16", 0.00004, 32767), not cifg) if norm
                else [None] * 4)
    middle = [Tensor("int16", (1,), (0.0007 + 0.0001 * i, 0)) for i in range(4)]
    return tensors, middle + [Tensor("int8", (1,), (0.009, -4))]


# Batch, inputs, cells, outputs, no input gate, peephole, projection (2: with bias), norm, diagonal,
# cell clip, projection clip, activation. LiteRT's peephole on int8 stops at cell `outputs`.
LSTM_FORMS = [
    (1, 3, 4, 4, False, False, 0, False, False, 0.0, 0.0, TANH),
    (2, 2, 3, 3, True, True, 0, False, False, 0.6, 0.0, TANH),
    (3, 4, 5, 2, False, False, 1, True, False, 0.0, 0.4, TANH),
    (2, 5, 4, 4, False, True, 2, True, False, 1.5, 0.7, TANH),
    (1, 2, 6, 3, True, False, 2, True, False, 0.0, 0.0, TANH),
    (2, 3, 4, 4, False, False, 0, False, True, 0.0, 0.0, TANH),
    (1, 1, 2, 2, False, True, 0, False, False, 0.0, 0.0, RELU6),
]


def lstm_cases(cases):
    for op, kind, (i, form) in itertools.product(
            ["LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM"],
            ["float32", "int8", "int8a", "uint8", "integer"], enumerate(LSTM_FORMS)):
        batch, inputs, cells, outputs, *parts, diagonal, clip, projection_clip, activation = form
        sequence = op != "LSTM"
        if diagonal and (not sequence or kind not in ("float32", "int8")):
            continue  # LSTM has none; int8 refuses it
        if i not in {"uint8": (3,), "int8a": (2, 3), "int8": range(1, 6)}.get(kind, range(7)):
            continue  # much the same as other cases; keeps the file small
        fields = dict(fusedActivationFunction=activation, cellClip=clip, projClip=projection_clip,
                      asymmetricQuantizeInputs=kind == "int8a")
        time_major = sequence and i % 2 == 0
        if sequence:
            fields["timeMajor"] = time_major
        lead = ((5, batch) if time_major else (batch, 5)) if sequence else (batch,)
        if kind == "integer":
            if activation != TANH:
                continue  # always TANH
            tensors, middle = integer_lstm(batch, inputs, cells, outputs, *parts)
            data = Tensor("int8", lead + (inputs,), (0.02, -5))
            out = Tensor("int8", lead + (outputs,), (0.012, 3))
        else:
            tensors, middle = float_lstm(kind, batch, inputs, cells, outputs, *parts, diagonal), []
            data = Tensor("float32", lead + (inputs,))
            out = Tensor("float32", lead + (outputs,))
        table = "UnidirectionalSequenceLSTMOptions" if sequence else "LSTMOptions"
        cases.add(op, f"{kind} {i}", [data] + tensors, [out], (table, fields),
                  version=4 if sequence else 3, invokes=2 if sequence else 4, intermediates=middle)
    add_basic_lstm(cases)


def add_basic_lstm(cases):
    for dtype, (batch, inputs, cells) in itertools.product(["float32", "uint8"],
                                                           [(1, 3, 2), (3, 2, 4), (2, 5, 8)]):
        real = dtype == "float32"
        data, state = (None, None) if real else ((1 / 128, 128), (2.0 ** -11, 0))
        wide = "float32" if real else "int16"
        shape, depth = (4 * cells, inputs + cells), inputs + cells
        matrix = (weights("float32", shape) if real else
                  Tensor("uint8", shape, (0.02, 117), integers(shape, 0, 255)))
        bias = (Tensor("float32", (4 * cells,), data=normal((4 * cells,))) if real else
                Tensor("int32", (4 * cells,), (0.02 / 128, 0), integers((4 * cells,), -9000, 9000)))
        cases.add("LSTM", f"basic {dtype} {batch}",
                  [Tensor(dtype, (batch, inputs), data),
                   Tensor(dtype, (batch, cells), data, variable=True), matrix, bias,
                   Tensor(wide, (batch, cells), state, variable=True)],
                  [Tensor(dtype, (batch, cells), data), Tensor(wide, (batch, cells), state),
                   Tensor(dtype, (batch, depth), data),
                   Tensor(wide, (batch, 4 * cells), None if real else (2.0 ** -12, 0))],
                  ("LSTMOptions", dict(fusedActivationFunction=TANH, kernelType=1)),
                  version=2, invokes=3)


def rnn_cases(cases):
    forms = [(1, 3, 4, TANH), (2, 2, 3, RELU), (3, 5, 1, NONE), (2, 4, 4, RELU6),
             (1, 2, 2, RELU_N1_TO_1)]
    for op, kind, (i, form) in itertools.product(
            ["RNN", "UNIDIRECTIONAL_SEQUENCE_RNN"], ["float32", "int8", "int8a", "uint8"],
            enumerate(forms)):
        batch, inputs, units, activation = form
        stored = kind.rstrip("a")
        fields = dict(fusedActivationFunction=activation,
                      asymmetricQuantizeInputs=kind == "int8a")
        sequence = op != "RNN"
        time_major = sequence and i % 2 == 0
        if sequence:
            fields["timeMajor"] = time_major
        lead = ((4, batch) if time_major else (batch, 4)) if sequence else (batch,)
        cases.add(op, f"{kind} {i}",
                  [Tensor("float32", lead + (inputs,)), weights(stored, (units, inputs)),
                   weights(stored, (units, units), 0.3),
                   Tensor("float32", (units,), data=normal((units,))),
                   Tensor("float32", (batch, units), variable=True)],
                  [Tensor("float32", lead + (units,))],
                  ("SequenceRNNOptions" if sequence else "RNNOptions", fields),
                  version=3, invokes=2 if sequence else 4)


# No auxiliary input; one with weights; one that is the backward direction's input.
AUX = ("none", "weights", "stacked")


def bidirectional_cases(cases):
    for op, kind, (i, aux) in itertools.product(
            ["BIDIRECTIONAL_SEQUENCE_RNN", "BIDIRECTIONAL_SEQUENCE_LSTM"],
            ["float32", "int8", "int8a"], enumerate(AUX)):
        lstm = op.endswith("LSTM")
        # LiteRT mixes up the LSTM's states of batches if outputs are merged and batches come first.
        # Its RNN ignores a stacked input there, runs hybrid sequences several times where time
        # comes first, steps through the auxiliary input as if it were as wide as the input, and
        # crashes with int8 and merged outputs.
        for merge in (False, True):
            if kind == "int8" and merge:
                continue
            time_major = merge or (aux == "stacked" and not lstm)
            steps = 1 if time_major and kind != "float32" and not lstm else 3
            batch, inputs, stored = 2, 3, kind.rstrip("a")
            forward, backward = (3, 3) if lstm else (2, 4)  # LiteRT's LSTM wants equal numbers
            others = 0 if aux == "none" else 2 if aux == "weights" and lstm else inputs
            lead = (steps, batch) if time_major else (batch, steps)

            def extra(units):
                return weights(stored, (units, others)) if aux == "weights" else None
            tensors = [Tensor("float32", lead + (inputs,))]
            side = Tensor("float32", lead + (others,)) if others else None
            if lstm:
                sides = [float_lstm(kind, batch, inputs, units, units, i == 1, i == 2, 0, False,
                                    False) for units in (forward, backward)]
                tensors += sides[0][:17] + sides[1][:17] + sides[0][17:19] + sides[1][17:19]
                tensors += [side]
                for units in (forward, backward):
                    tensors += lstm_gates(lambda units=units: extra(units), i != 1)
                table = "BidirectionalSequenceLSTMOptions"
            else:
                for units in (forward, backward):
                    tensors += [weights(stored, (units, inputs)), weights(stored, (units, units)),
                                Tensor("float32", (units,), data=normal((units,))),
                                Tensor("float32", (batch, units), variable=True)]
                tensors += [side, extra(forward), extra(backward)]
                table = "BidirectionalSequenceRNNOptions"
            widths = [forward + backward] if merge else [forward, backward]
            cases.add(op, f"{kind} {aux} {'merged' if merge else 'apart'}", tensors,
                      [Tensor("float32", lead + (width,)) for width in widths],
                      (table, dict(fusedActivationFunction=TANH, mergeOutputs=merge,
                                   timeMajor=time_major, asymmetricQuantizeInputs=kind == "int8a")),
                      version=3, invokes=2)
