# SPDX-License-Identifier: Apache-2.0
"""What the comparisons want to know of a model: what its inputs may hold, how its outputs come about,
and each of its operators as a model of its own."""

import copy

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TYPE_NAMES = {v: k for k, v in vars(schema.TensorType).items() if not k.startswith("_")}
OP_NAMES = {v: k for k, v in vars(schema.BuiltinOperator).items() if not k.startswith("_")}
FLOATS = {schema.TensorType.FLOAT32, schema.TensorType.FLOAT16, schema.TensorType.FLOAT64,
          schema.TensorType.BFLOAT16, schema.TensorType.COMPLEX64, schema.TensorType.COMPLEX128}
# Their numbers depend on more than the operator and its inputs, or they have no one-operator form.
WHOLE_ONLY = {"IF", "WHILE", "CALL", "CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE",
              "HASHTABLE", "HASHTABLE_FIND", "HASHTABLE_IMPORT", "HASHTABLE_SIZE",
              "STABLEHLO_COMPOSITE", "STABLEHLO_WHILE", "STABLEHLO_REDUCE", "STABLEHLO_SCATTER",
              "STABLEHLO_REDUCE_WINDOW", "STABLEHLO_SORT", "RANDOM_UNIFORM",
              "RANDOM_STANDARD_NORMAL", "MULTINOMIAL", "STABLEHLO_RNG_BIT_GENERATOR"}
ARITHMETIC = {"ADD", "SUB", "MUL", "DIV", "FLOOR_DIV", "FLOOR_MOD", "MAXIMUM", "MINIMUM", "NEG",
              "ABS", "SQUARE", "SQUARED_DIFFERENCE", "EQUAL", "LESS", "GREATER", "SIGN", "CAST",
              "LESS_EQUAL", "GREATER_EQUAL", "NOT_EQUAL", "SUM", "REDUCE_MAX", "REDUCE_MIN",
              "CONCATENATION", "PACK", "ARG_MAX", "ARG_MIN", "TOPK_V2", "RELU", "CUMSUM"}
WORDS = ["the quick brown fox", "Heddle", "a", "", "naïve café", "what a wonderful day"]


class Graph:
    """A model by its schema objects; subgraph 0 unless a signature names another."""

    def __init__(self, content):
        self.model = schema.ModelT.InitFromPackedBuf(content, 0)
        self.content = content
        self.signatures = {}
        for s in self.model.signatureDefs or []:
            self.signatures[_text(s.signatureKey)] = s.subgraphIndex
        for sub in self.model.subgraphs or []:
            for tensor in sub.tensors:
                tensor.shape = [] if tensor.shape is None else [int(d) for d in tensor.shape]
            for name in ("inputs", "outputs", "operators"):
                setattr(sub, name, _list(getattr(sub, name)))
            for op in sub.operators:
                op.inputs, op.outputs = _list(op.inputs), _list(op.outputs)

    def subgraph(self, index=0):
        return self.model.subgraphs[index]

    def op_name(self, op):
        code = self.model.operatorCodes[op.opcodeIndex]
        number = max(code.builtinCode, code.deprecatedBuiltinCode)
        if number == schema.BuiltinOperator.CUSTOM:
            return _text(code.customCode) or "CUSTOM"
        return OP_NAMES.get(number, f"UNKNOWN_{number}")

    def op_version(self, op):
        return self.model.operatorCodes[op.opcodeIndex].version

    def op_names(self):
        return sorted({self.op_name(op) for sub in self.model.subgraphs for op in sub.operators})

    def is_stateful(self):
        return "VAR_HANDLE" in self.op_names() or any(
            t.isVariable for sub in self.model.subgraphs for t in sub.tensors)

    def is_constant(self, tensor):
        buffer = self.model.buffers[tensor.buffer]
        return buffer.offset > 1 or (buffer.data is not None and len(buffer.data) > 0)

    def has_blocks(self):
        """Whether a scale belongs to a block of elements."""
        return any(_blocks(t) for sub in self.model.subgraphs for t in sub.tensors)

    def oracle_gap(self, sub, op):
        """Why LiteRT's answer for an operator is none; docs/compatibility.md has these."""
        types = [TYPE_NAMES[sub.tensors[t].type] for t in op.inputs if t >= 0]
        if self.op_name(op) == "BATCH_MATMUL" and types[:2] == ["INT16", "INT8"]:
            return "LiteRT's BATCH_MATMUL of INT16 by INT8 leaves its output unwritten"
        return None

    def oracle_gaps(self):
        gaps = (self.oracle_gap(sub, op) for sub in self.model.subgraphs for op in sub.operators)
        return next((gap for gap in gaps if gap), None)

    def integer_outputs(self, index=0):
        """For each output: whether all that leads to it is integer."""
        sub = self.subgraph(index)
        producer = {t: op for op in sub.operators for t in op.outputs}
        calls = {"IF", "WHILE", "CALL", "STABLEHLO_COMPOSITE", "READ_VARIABLE"}

        def all_integer(output):
            seen, todo = set(), [output]
            while todo:
                t = todo.pop()
                if t < 0 or t in seen:
                    continue
                seen.add(t)
                if sub.tensors[t].type in FLOATS:
                    return False
                if t in producer:
                    if self.op_name(producer[t]) in calls and self._has_floats():
                        return False
                    todo.extend(producer[t].inputs)
            return True

        return [all_integer(t) for t in sub.outputs]

    def _has_floats(self):
        return any(t.type in FLOATS for sub in self.model.subgraphs for t in sub.tensors)

    def input_shapes(self, index=0):
        """Shapes to try: the file's, but more than one element where an image's sides are open."""
        sub = self.subgraph(index)
        shapes = []
        for t in sub.inputs:
            tensor = sub.tensors[t]
            shape = [max(d, 1) for d in tensor.shape]
            signature = tensor.shapeSignature
            if signature is not None and len(signature) == len(shape) == 4:
                shape[1:3] = [20 if s < 0 and d <= 1 else d
                              for s, d in zip(signature[1:3], shape[1:3])]
            shapes.append(tuple(int(d) for d in shape))
        return shapes

    def random_inputs(self, seed, index=0):
        random = np.random.default_rng(seed)
        sub = self.subgraph(index)
        return [self._random_input(random, sub, t, shape)
                for t, shape in zip(sub.inputs, self.input_shapes(index))]

    def _random_input(self, random, sub, index, shape):
        kind = TYPE_NAMES[sub.tensors[index].type]
        if kind in ("FLOAT32", "FLOAT16", "FLOAT64"):
            is_image = len(shape) == 4 and shape[-1] in (1, 3, 4)
            value = random.uniform(0, 1, shape) if is_image else random.normal(0, 1, shape)
            return value.astype(kind.lower())
        if kind in ("COMPLEX64", "COMPLEX128"):
            return (random.normal(0, 1, shape) + 1j * random.normal(0, 1, shape)).astype(kind.lower())
        if kind == "STRING":
            value = np.empty(shape, object)
            value.reshape(-1)[:] = [WORDS[i % len(WORDS)].encode() for i in range(value.size)]
            return value
        if kind == "BOOL":
            return random.random(shape) < 0.5
        if kind in ("INT8", "UINT8", "INT16", "UINT16"):
            limits = np.iinfo(kind.lower())
            return random.integers(limits.min, limits.max + 1, shape).astype(kind.lower())
        low, high = self._integer_range(sub, index)
        return random.integers(low, high, shape).astype(kind.lower())

    def _integer_range(self, sub, index, depth=0):
        """Ids stay within the table that they select from."""
        for op in sub.operators:
            inputs = list(op.inputs)
            if index not in inputs:
                continue
            name = self.op_name(op)
            if name == "EMBEDDING_LOOKUP" and inputs[0] == index:
                return 0, max(sub.tensors[inputs[1]].shape[0], 1)
            if name == "GATHER" and inputs[1] == index:
                params = sub.tensors[inputs[0]].shape
                axis = op.builtinOptions.axis if op.builtinOptions else 0
                return 0, max(params[axis], 1) if params else 1
            if name in ("CAST", "RESHAPE", "EXPAND_DIMS", "SQUEEZE") and depth < 8:
                low, high = self._integer_range(sub, op.outputs[0], depth + 1)
                if (low, high) != (0, 4):
                    return low, high
            if name in ARITHMETIC:
                return -100, 100
        return 0, 4

    def one_op_model(self, sub, op, values):
        """The model of one operator: bytes, and the tensors that are its inputs. Constants stay; other
        inputs get the shape of the value that they had."""
        model = schema.ModelT()
        model.version = 3
        model.buffers = [schema.BufferT()]
        model.operatorCodes = [self.model.operatorCodes[op.opcodeIndex]]
        graph = schema.SubGraphT()
        graph.tensors, graph.inputs, places = [], [], {}

        def add(index):
            if index < 0:
                return -1
            if index in places:
                return places[index]
            old = sub.tensors[index]
            tensor = copy.copy(old)
            tensor.buffer, tensor.shapeSignature = 0, None
            tensor.name = _text(old.name)
            if self.is_constant(old):
                tensor.buffer = len(model.buffers)
                tensor.hasRank = True  # a scalar's shape is empty, but known
                model.buffers.append(self._buffer(old.buffer))
            else:
                if index in values:
                    tensor.shape = list(values[index].shape)
                    tensor.hasRank = True
                if index not in op.outputs and not old.isVariable:
                    graph.inputs.append(len(graph.tensors))
                    feeds.append(index)
            place = places[index] = len(graph.tensors)
            graph.tensors.append(tensor)
            if _blocks(tensor):  # its scales and zero points are tensors that no operator names
                tensor.quantization = copy.copy(old.quantization)
                details = tensor.quantization.details = copy.copy(old.quantization.details)
                details.scales = add(details.scales)
                details.zeroPoints = add(details.zeroPoints)
            return place

        feeds = []
        cut = copy.copy(op)
        cut.opcodeIndex = 0
        cut.inputs = [add(t) for t in op.inputs]
        cut.outputs = [add(t) for t in op.outputs]
        if op.intermediates is not None:
            cut.intermediates = [add(t) for t in op.intermediates]
            # They hold only scales: nothing is to be fed.
            for t in op.intermediates:
                if t in feeds:
                    graph.inputs.remove(places[t])
                    feeds.remove(t)
        graph.outputs = list(cut.outputs)
        graph.operators = [cut]
        model.subgraphs = [graph]
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output()), feeds

    def _buffer(self, index):
        old = self.model.buffers[index]
        if old.offset <= 1:
            return old
        buffer = schema.BufferT()
        buffer.data = np.frombuffer(self.content, np.uint8, int(old.size), int(old.offset))
        return buffer


def _blocks(tensor):
    return (tensor.quantization is not None and
            tensor.quantization.detailsType == schema.QuantizationDetails.BlockwiseQuantization)


def _list(values):
    return [] if values is None else list(values)


def _text(value):
    return value.decode(errors="replace") if isinstance(value, bytes) else value
