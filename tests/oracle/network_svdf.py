# SPDX-License-Identifier: Apache-2.0
"""A network of SVDF layers, which no converter makes, in the schemes that the op has."""

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

INPUTS, UNITS, MEMORY, CLASSES = 24, 12, 5, 4
TYPES = {np.dtype(np.float32): schema.TensorType.FLOAT32, np.dtype(np.float16): schema.TensorType.FLOAT16,
         np.dtype(np.int8): schema.TensorType.INT8, np.dtype(np.int16): schema.TensorType.INT16,
         np.dtype(np.int32): schema.TensorType.INT32}
IN, STATE, OUT = (0.03, 3), (0.0007, 0), (0.05, -4)  # scale and zero point of the integer form


class Builder:
    def __init__(self, scheme):
        self.scheme = scheme
        self.random = np.random.default_rng(20)
        self.model = schema.ModelT()
        self.model.version, self.model.buffers = 3, [schema.BufferT()]
        self.model.operatorCodes = []
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.operators = [], []

    def tensor(self, name, dtype, shape, q=None, data=None, variable=False):
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.type = name, list(shape), TYPES[np.dtype(dtype)]
        tensor.hasRank, tensor.isVariable, tensor.buffer = True, variable, 0
        if q is not None:
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale, tensor.quantization.zeroPoint = [q[0]], [q[1]]
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.asarray(data, dtype).tobytes(), np.uint8)
            tensor.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def op(self, code, version, inputs, outputs, options=None):
        entry = schema.OperatorCodeT()
        entry.builtinCode = entry.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, code)
        entry.version = version
        op = schema.OperatorT()
        op.opcodeIndex, op.inputs, op.outputs = len(self.model.operatorCodes), inputs, outputs
        if options is not None:
            table, fields = options
            op.builtinOptionsType = getattr(schema.BuiltinOptions, table)
            op.builtinOptions = getattr(schema, table + "T")()
            for name, value in fields.items():
                setattr(op.builtinOptions, name, value)
        self.model.operatorCodes.append(entry)
        self.graph.operators.append(op)

    def weights(self, name, shape, integer_type, scale):
        """A constant in the scheme's form; float16 ones are dequantised in the graph."""
        values = self.random.normal(0, 0.5, shape)
        if self.scheme == "float16":
            stored = self.tensor(name + "/half", np.float16, shape, data=values)
            whole = self.tensor(name, np.float32, shape)
            self.op("DEQUANTIZE", 1, [stored], [whole])
            return whole
        if self.scheme == "float32":
            return self.tensor(name, np.float32, shape, data=values)
        if self.scheme == "dynamic":
            integer_type, scale = np.int8, 0.02
        limit = np.iinfo(integer_type).max
        whole = np.clip(np.round(values / scale), -limit, limit)
        return self.tensor(name, integer_type, shape, (scale, 0), whole)

    def svdf(self, name, source, depth, rank, q_in, q_out):
        filters = UNITS * rank
        integer = self.scheme == "int8"
        bias_scale = STATE[0] * 0.001
        inputs = [source, self.weights(name + "/feature", (filters, depth), np.int8, 0.02),
                  self.weights(name + "/time", (filters, MEMORY), np.int16, 0.001)]
        bias = self.random.normal(0, 0.1, UNITS)
        if integer:
            inputs.append(self.tensor(name + "/bias", np.int32, (UNITS,), (bias_scale, 0),
                                      np.round(bias / bias_scale)))
        else:
            inputs.append(self.tensor(name + "/bias", np.float32, (UNITS,), data=bias))
        inputs.append(self.tensor(name + "/state", np.int16 if integer else np.float32,
                                  (1, MEMORY * filters), STATE if integer else None, variable=True))
        output = self.tensor(name, np.int8 if integer else np.float32, (1, UNITS),
                             q_out if integer else None)
        self.op("SVDF", {"int8": 3, "dynamic": 2}.get(self.scheme, 1), inputs, [output],
                ("SVDFOptions", {"rank": rank, "fusedActivationFunction":
                                 schema.ActivationFunctionType.RELU}))
        return output

    def build(self):
        integer = self.scheme == "int8"
        dtype = np.int8 if integer else np.float32
        source = self.tensor("features", dtype, (1, INPUTS), IN if integer else None)
        first = self.svdf("svdf1", source, INPUTS, 2, IN, OUT)
        second = self.svdf("svdf2", first, UNITS, 1, OUT, OUT)
        logits = self.tensor("logits", dtype, (1, CLASSES), (0.1, 2) if integer else None)
        weights = self.weights("dense/weights", (CLASSES, UNITS), np.int8, 0.02)
        bias = self.random.normal(0, 0.1, CLASSES)
        bias = (self.tensor("dense/bias", np.int32, (CLASSES,), (0.02 * OUT[0], 0),
                            np.round(bias / (0.02 * OUT[0]))) if integer else
                self.tensor("dense/bias", np.float32, (CLASSES,), data=bias))
        self.op("FULLY_CONNECTED", {"int8": 4, "dynamic": 3}.get(self.scheme, 1),
                [second, weights, bias], [logits], ("FullyConnectedOptions", {}))
        output = self.tensor("probabilities", dtype, (1, CLASSES), (1 / 256, -128) if integer else None)
        self.op("SOFTMAX", 2 if integer else 1, [logits], [output], ("SoftmaxOptions", {"beta": 1.0}))
        self.graph.inputs, self.graph.outputs = [source], [output]
        self.model.subgraphs = [self.graph]
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def svdf(scheme):
    return Builder(scheme).build()


SCHEMES = ("float32", "float16", "int8", "dynamic")
