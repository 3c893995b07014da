# SPDX-License-Identifier: Apache-2.0
"""One model in LiteRT and in Heddle. Generators for isolate.py: they yield dictionaries, first where
they are ("stage"), so that a crash has a culprit."""

import dataclasses
import time
import zlib

import numpy as np
from ai_edge_litert import interpreter as litert

import heddle_capi
import judge
import model_graph

REFERENCE = litert.OpResolverType.BUILTIN_REF
PLAIN = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
OPTIMISED = litert.OpResolverType.AUTO
INVOKES_OF_STATEFUL = 3


@dataclasses.dataclass
class Request:
    path: str
    library: str
    kernels: str = "ref"
    signature: str = None
    skip_ops: tuple = ()


class Oracle:
    """LiteRT's reference kernels; where they lack an op its others, without delegates. `graph`: of
    which the reference leaves scales of blocks out, and gives zeros."""

    def __init__(self, content, graph, shapes, signature=None, resolver=None, preserve=False):
        self.marked = resolver is None and graph.has_blocks()
        try:
            self._make(content, shapes, signature,
                       resolver or (PLAIN if self.marked else REFERENCE), preserve)
        except (ValueError, RuntimeError) as error:
            if resolver or "find op" not in str(error):
                raise
            self.marked = True
            self._make(content, shapes, signature, PLAIN, preserve)

    def _make(self, content, shapes, signature, resolver, preserve):
        self.interpreter = litert.Interpreter(
            model_content=content, num_threads=1, experimental_op_resolver_type=resolver,
            experimental_preserve_all_tensors=preserve)
        self.runner = self.interpreter.get_signature_runner(signature) if signature else None
        if self.runner:
            self.input_names = list(self.runner.get_input_details())
            self.output_names = list(self.runner.get_output_details())
            return
        for detail, shape in zip(self.interpreter.get_input_details(), shapes):
            if tuple(detail["shape"]) != shape:
                self.interpreter.resize_tensor_input(detail["index"], shape)
        self.interpreter.allocate_tensors()

    def run(self, inputs):
        if self.runner:
            outputs = self.runner(**dict(zip(self.input_names, inputs)))
            return [np.array(outputs[name]) for name in self.output_names]
        for detail, value in zip(self.interpreter.get_input_details(), inputs):
            self.interpreter.set_tensor(detail["index"], value)
        self.interpreter.invoke()
        return [np.array(self.interpreter.get_tensor(d["index"]))
                for d in self.interpreter.get_output_details()]


def _signature_tensors(graph, key):
    """Tensors of a signature by name: inputs, outputs."""
    for s in graph.model.signatureDefs or []:
        if model_graph._text(s.signatureKey) == key:
            return tuple({model_graph._text(m.name): m.tensorIndex for m in maps or []}
                         for maps in (s.inputs, s.outputs))
    raise KeyError(key)


class Entry:
    """What is fed and read: subgraph 0's inputs and outputs, or a signature's by name."""

    def __init__(self, graph, path, signature):
        self.subgraph = graph.signatures[signature] if signature else 0
        self.seed = zlib.crc32(path.rsplit("/", 1)[-1].encode())
        self.graph = graph
        self.shapes = graph.input_shapes(self.subgraph)
        exact = graph.integer_outputs(self.subgraph)
        sub = graph.subgraph(self.subgraph)
        self.outputs = [sub.tensors[t] for t in sub.outputs]
        self.exact = exact
        self.order = None
        if signature:
            inputs, outputs = _signature_tensors(graph, signature)
            places = list(sub.inputs)
            self.order = {name: places.index(t) for name, t in inputs.items()}
            results = list(sub.outputs)
            self.results = {name: results.index(t) for name, t in outputs.items()}

    def inputs(self, run, names=None):
        values = self.graph.random_inputs(self.seed + run, self.subgraph)
        return values if names is None else [values[self.order[n]] for n in names]

    def output_places(self, names=None):
        return list(range(len(self.outputs))) if names is None else [self.results[n] for n in names]


def _run_heddle(library, content, entry, request, reference, runs):
    """Outputs by run, in the order of the oracle's, milliseconds a run, arena and bound."""
    with heddle_capi.Interpreter(library, content, reference, request.signature) as interpreter:
        names = None
        if request.signature:
            names = [interpreter.name("input", i) for i in range(interpreter.input_count())]
        all_outputs, seconds = [], 0.0
        for run in range(runs):
            for i, value in enumerate(entry.inputs(run, names)):
                if run == 0:
                    interpreter.resize(i, value.shape)
                    if i + 1 == interpreter.input_count():
                        interpreter.prepare()
            for i, value in enumerate(entry.inputs(run, names)):
                interpreter.set_input(i, value)
            begin = time.perf_counter()
            interpreter.invoke()
            seconds += time.perf_counter() - begin
            outputs = [interpreter.output(i) for i in range(interpreter.output_count())]
            if request.signature:
                by_name = {interpreter.name("output", i): v for i, v in enumerate(outputs)}
                outputs = [by_name[n] for n in sorted(by_name)]
            all_outputs.append(outputs)
        return all_outputs, 1e3 * seconds / runs, interpreter.memory()


def _run_oracle(content, entry, request, runs, resolver=None):
    oracle = Oracle(content, entry.graph, entry.shapes, request.signature, resolver)
    names = oracle.input_names if request.signature else None
    all_outputs, seconds = [], 0.0
    for run in range(runs):
        inputs = entry.inputs(run, names)
        begin = time.perf_counter()
        outputs = oracle.run(inputs)
        seconds += time.perf_counter() - begin
        if request.signature:
            outputs = [v for _, v in sorted(zip(oracle.output_names, outputs))]
        all_outputs.append(outputs)
    return all_outputs, 1e3 * seconds / runs, oracle.marked


def _words(error):
    if isinstance(error, heddle_capi.Refused):
        return error.message
    text = str(error).strip().splitlines()
    return text[0][:160] if text else type(error).__name__


def try_model(request):
    yield {"stage": "parse"}
    content = open(request.path, "rb").read()
    yield {"stage": "heddle"}
    library = heddle_capi.Library(request.library)
    entry, runs = None, 1
    try:
        graph = model_graph.Graph(content)
        yield {"ops": sum(len(s.operators) for s in graph.model.subgraphs),
               "signatures": [k for k, s in graph.signatures.items() if s != 0]}
        entry = Entry(graph, request.path, request.signature)
        runs = INVOKES_OF_STATEFUL if graph.is_stateful() else 1
    except Exception as error:
        yield {"oracle_error": f"the file does not parse: {_words(error)}"}
    ours = None
    try:
        if entry is None:
            heddle_capi.Interpreter(library, content)
            raise heddle_capi.Refused(0, "loads, though the schema's own reader refuses it", [])
        ours, ms, (arena, bound) = _run_heddle(library, content, entry, request,
                                               request.kernels == "ref", runs)
        yield {"heddle_ms": ms, "arena": arena, "bound": bound}
    except heddle_capi.Refused as refusal:
        yield {"refused": refusal.message, "refused_ops": refusal.ops}
    if entry is None:
        return
    if graph.oracle_gaps():
        yield {"oracle_error": graph.oracle_gaps()}
        return
    yield {"stage": "oracle"}
    try:
        theirs, ms, marked = _run_oracle(content, entry, request, runs)
        yield {"oracle_ms": ms, "marked": marked}
    except Exception as error:
        yield {"oracle_error": _words(error)}
        return
    if ours is None:
        return
    yield {"stage": "judge"}
    if request.kernels == "ref":
        yield {"outputs": _judge(entry, request, ours, theirs)}
    else:
        yield {"stage": "heddle"}
        reference = _run_heddle(library, content, entry, request, True, runs)[0]
        yield {"stage": "oracle"}
        optimised = _run_oracle(content, entry, request, runs, OPTIMISED)[0]
        yield {"outputs": _judge_noise(entry, request, ours, reference, optimised)}


def _places(entry, request):
    return entry.output_places(sorted(entry.results) if request.signature else None)


def _judge(entry, request, ours, theirs):
    """The worst run of each output."""
    found = []
    for i, place in enumerate(_places(entry, request)):
        differences = [judge.compare(a[i], b[i]) for a, b in zip(ours, theirs)]
        worst = max(differences, key=lambda d: (not d.agrees, d.worst))
        found.append({"index": i, "must_be_exact": entry.exact[place], "agrees": worst.agrees,
                      "worst": worst.worst, "is_float": worst.is_float, "text": worst.text()})
    return found


def _judge_noise(entry, request, ours, reference, optimised):
    """Signal-to-noise against our reference kernels, ours beside LiteRT's with its delegate."""
    found = []
    for i, place in enumerate(_places(entry, request)):
        zero = _zero_point(entry.outputs[place])
        if reference[0][i].dtype.kind not in "fiu":
            same = all(judge.compare(a[i], b[i]).agrees for a, b in zip(ours, reference))
            found.append({"index": i, "agrees": same, "text": "same" if same else "differs"})
            continue
        values = [np.concatenate([np.ravel(run[i]).astype(np.float64) - zero for run in runs])
                  for runs in (ours, reference, optimised)]
        mine, other = judge.snr_db(values[0], values[1]), judge.snr_db(values[2], values[1])
        found.append({"index": i, "agrees": mine >= other - 1, "snr": mine, "litert_snr": other,
                      "text": f"{mine:.0f} dB, LiteRT {other:.0f} dB"})
    return found


def _zero_point(tensor):
    q = tensor.quantization
    if q is None or q.zeroPoint is None or len(q.zeroPoint) != 1:
        return 0
    return int(q.zeroPoint[0])


def try_ops(request):
    """Each operator of subgraph 0 alone, on the inputs that LiteRT gave it."""
    yield {"stage": "oracle"}
    content = open(request.path, "rb").read()
    graph = model_graph.Graph(content)
    entry = Entry(graph, request.path, None)
    oracle = Oracle(content, entry.graph, entry.shapes, preserve=True)
    oracle.run(entry.inputs(0))
    library = heddle_capi.Library(request.library)
    sub = graph.subgraph()
    for i, op in enumerate(sub.operators):
        name = graph.op_name(op)
        if i in request.skip_ops:
            continue
        yield {"stage": "oracle", "operator": i}
        if name in model_graph.WHOLE_ONLY:
            yield {"op": i, "name": name, "verdict": "whole only"}
            continue
        if graph.oracle_gap(sub, op):
            yield {"op": i, "name": name, "verdict": "oracle cannot", "text": graph.oracle_gap(sub, op)}
            continue
        values = {}
        for t in {*op.inputs, *op.outputs} - {-1}:
            try:
                values[t] = np.array(oracle.interpreter.get_tensor(t))
            except ValueError:
                pass  # no data: a resource, a variable before its first use
        try:
            model, feeds = graph.one_op_model(sub, op, values)
        except Exception as error:
            yield {"op": i, "name": name, "verdict": f"cannot be cut out: {_words(error)}"}
            continue
        yield {"stage": "heddle", "operator": i}
        yield _try_op(library, request, i, name, op, sub, model, feeds, values)


def _try_op(library, request, i, name, op, sub, model, feeds, values):
    result = {"op": i, "name": name, "verdict": "agreed"}
    try:
        with heddle_capi.Interpreter(library, model, request.kernels == "ref") as interpreter:
            interpreter.prepare()
            for position, t in enumerate(feeds):
                interpreter.set_input(position, values[t])
            interpreter.invoke()
            for position, t in enumerate(op.outputs):
                if t not in values:
                    continue
                difference = judge.compare(interpreter.output(position), values[t])
                if difference.worst >= result.get("worst", 0):
                    result.update(worst=difference.worst, text=difference.text(),
                                  is_float=difference.is_float)
                if not difference.agrees:
                    result.update(verdict="mismatch", tensor=model_graph._text(sub.tensors[t].name))
    except heddle_capi.Refused as refusal:
        result.update(verdict="refused", text=refusal.message)
    except KeyError as missing:
        result.update(verdict=f"LiteRT gives no data of input {missing}")
    return result
