#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs randomly changed op cases in Heddle and in LiteRT and reports where Heddle gives another
answer without a word. Run by hand, with the Python that scripts/setup --oracle makes:

  fuzz_ops.py [--seconds N] [--seed N] [--heddle LIBRARY] [--repeat OP:SEED] [OP ...]

What LiteRT computes only by reading beyond its tensors differs between two runs of its own and is
left out, and so are the faults of LiteRT that known_fault() lists. Exit status 0 without differences and crashes."""

import argparse
import collections
import os
import pathlib
import re
import sys
import time
import zlib

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

import case_changes  # noqa: E402
import heddle_capi  # noqa: E402
import isolate  # noqa: E402
import judge  # noqa: E402
import make_op_cases  # noqa: E402
import op_case_list  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
REFERENCE = make_op_cases.litert.OpResolverType.BUILTIN_REF
PLAIN = make_op_cases.litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
heddle_capi.DTYPES.setdefault(18, ml_dtypes.bfloat16)
COMPARISONS = ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
SUMS = ("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED")
BATCH = 200  # cases a process: LiteRT may have spoilt its memory without a crash
REFUSALS_SHOWN = 100


def changed_case(cases, op, seed):
    random = np.random.default_rng(seed)
    case = cases[op][random.integers(len(cases[op]))]
    return case_changes.changed(case, seed)


def known_fault(case):
    """Why LiteRT's own answer is no measure of this case, or None."""
    tensors = case_changes.tensors_of(case)
    quantized = any(t.q is not None for t in tensors)
    scales = [t.q[0] for t in tensors if t.q is not None and np.isscalar(t.q[0])]
    types = {t.dtype for t in tensors}
    if case.op in COMPARISONS and any(scale >= 1 for scale in scales):
        return "it compares as if scales were below 1"
    if case.op == "DIV" and quantized:
        return "it shifts a small quotient by more than 31 bits"
    if case.op.startswith("REDUCE_M") and "float32" in types:
        return "it begins with the greatest finite number, not infinity"
    if case.op in ("EXP", "RSQRT") and "int16" in types:
        return "its table overflows"
    listed = any(t.q is not None and not np.isscalar(t.q[0]) for t in tensors)
    if case.op == "BATCH_MATMUL" and listed and types & {"int8", "int16"} and "float32" not in types:
        return "it takes one scale for each column as 0"
    if case.op in ("MATRIX_DIAG", "MATRIX_SET_DIAG") and types & {"float16", "bfloat16"}:
        return "it moves such elements by another size"
    if case.op == "POW" and "int32" in types:
        return "it overflows by way of double"
    if case.op == "SUM" and types & {"int8", "int16"}:
        return "its reference kernel sums only UINT8 rightly"
    if case.op in SUMS and "int16" in types and len(case.inputs) > 2 and "int32" in types:
        return "it may read a bias of 32 bits as one of 64"
    return None


def feeds_of(case):
    feeds = []
    for tensor in case.inputs:
        if tensor is not None and tensor.is_input():
            value = tensor.value
            if tensor.dtype == "bfloat16":
                value = value.astype(ml_dtypes.bfloat16)
            feeds.append(value)
    return feeds


def run_heddle(library, model, feeds):
    with heddle_capi.Interpreter(library, model) as interpreter:
        interpreter.prepare()
        for i, value in enumerate(feeds):
            interpreter.set_input(i, value)
        interpreter.invoke()
        return [np.array(interpreter.output(i)) for i in range(interpreter.output_count())]


def run_litert(case, model, feeds):
    """Outputs, and "!" where others than its reference kernels were asked."""
    if case.name.endswith("!"):
        return make_op_cases.run(model, [feeds], PLAIN), "!"
    try:
        return make_op_cases.run(model, [feeds], REFERENCE), ""
    except ValueError as error:
        if "find op" not in str(error):
            raise
    return make_op_cases.run(model, [feeds], PLAIN), "!"


def describe(case, done):
    def tensor(t):
        if t is None:
            return "-"
        text = f"{t.dtype}{list(t.shape)}".replace(" ", "")
        if t.data is not None:
            text += "c"
            if case_changes.is_list(t) and np.size(t.data) <= 6:
                text += str(np.ravel(t.data).tolist()).replace(" ", "")
        if t.q is not None and np.isscalar(t.q[0]):
            text += f"@{t.q[0]:.4g}/{t.q[1]}"
        return text

    options = case.options[1] if case.options else ""
    return (f"{case.name} ({', '.join(done)}): {' '.join(tensor(t) for t in case.inputs)} -> "
            f"{' '.join(tensor(t) for t in case.outputs)} {options} v{case.version}")


def try_cases(cases, path, plan):
    """Yields the stage before, and the result after, of each (op, seed) of `plan`."""
    library = heddle_capi.Library(path)
    for at, (op, seed) in enumerate(plan):
        case, done = changed_case(cases, op, seed)
        try:
            model, feeds = make_op_cases.build_model(case), feeds_of(case)
        except Exception as error:  # a change that no model can express
            yield {"at": at, "result": "not a model", "text": str(error)}
            continue
        yield {"at": at, "stage": "heddle", "what": describe(case, done)}
        ours = refusal = None
        try:
            ours = run_heddle(library, model, feeds)
        except heddle_capi.Refused as error:
            refusal = error.message
        except KeyError as error:
            refusal = f"no type {error} in numpy"
        yield {"at": at, "stage": "litert", "what": describe(case, done)}
        try:
            theirs, mark = run_litert(case, model, feeds)
            again, _ = run_litert(case, model, feeds)
            for outputs in (theirs, again):
                if case.tidy is not None:
                    case.tidy(outputs)
        except Exception as error:
            yield {"at": at, "result": "both refuse" if refusal else "only LiteRT refuses",
                   "text": str(error).splitlines()[0] if str(error) else ""}
            continue
        if refusal:
            yield {"at": at, "result": "refused", "text": refusal}
            continue
        result = compare(ours, theirs, again, mark)
        fault = known_fault(case)
        if result["result"] == "DIFFERS" and fault:
            result = {"result": "LiteRT's fault", "text": fault}
        yield {"at": at, **result, "what": describe(case, done)}


def compare(ours, theirs, again, mark):
    for i, (a, b, c) in enumerate(zip(ours, theirs, again)):
        if not judge.compare(c, b).agrees:
            return {"result": "LiteRT differs from itself"}
        difference = judge.compare(a, b)
        # Halves may be rounded otherwise in the last place.
        few_bits = b.dtype.itemsize == 2 and b.dtype.kind in "fV"
        if not difference.agrees and not (few_bits and difference.worst < 1e-2):
            return {"result": "DIFFERS", "text": f"output {i}{mark}: {difference.text()}"}
    return {"result": "agrees"}


def run_plan(cases, path, plan, seconds, take):
    """Goes through the plan, in a new process after each one that ended."""
    while plan:
        last, over = {"at": -1}, False
        for item in isolate.isolated(try_cases, (cases, path, plan), seconds):
            if isinstance(item, isolate.Ending):
                over = item.error is None
                if not over:
                    stage = last.get("stage", "?")
                    result = "LiteRT crashes" if stage == "litert" else "CRASHES"
                    take(*plan[max(last["at"], 0)], {"result": result, "text": item.error,
                                                     "what": last.get("what", "")})
                break
            last = item
            if "result" in item:
                take(*plan[item["at"]], item)
        if over:
            return
        plan = plan[max(last["at"], 0) + 1:]


class Tally:
    def __init__(self):
        self.by_op = collections.defaultdict(collections.Counter)
        self.refusals = collections.defaultdict(list)
        self.suspects = []

    def take(self, op, seed, item):
        result = item["result"]
        if result in ("DIFFERS", "CRASHES"):
            self.suspects.append((op, seed))
            return
        self.by_op[op][result] += 1
        if result == "refused":
            kind = re.sub(r"'[^']*'|\"[^\"]*\"|-?\d+(\.\d+)?(e[+-]?\d+)?", "#", item["text"])
            self.refusals[op, kind].append((seed, item["text"]))


def confirm(cases, path, suspects, tally):
    """Each suspect again, in a process of its own; the confirmed ones."""
    confirmed = []

    def take(op, seed, item):
        tally.by_op[op][item["result"]] += 1
        if item["result"] in ("DIFFERS", "CRASHES"):
            confirmed.append((op, seed, item))

    for op, seed in suspects:
        run_plan(cases, path, [(op, seed)], 30, take)
    return confirmed


def report(tally, confirmed):
    results = sorted({r for c in tally.by_op.values() for r in c})
    print(f"{'op':26}" + "".join(f"{r:>28}" for r in results))
    for op in sorted(tally.by_op):
        print(f"{op:26}" + "".join(f"{tally.by_op[op][r]:>28}" for r in results))
    refused = sorted(tally.refusals.items(), key=lambda entry: -len(entry[1]))
    print("\nrefused, though LiteRT runs it (count, op, example):")
    for (op, _), examples in refused[:REFUSALS_SHOWN]:
        print(f"{len(examples):6} {op}:{examples[0][0]} {examples[0][1][:180]}")
    print("\nconfirmed differences and crashes (op:seed):")
    for op, seed, item in confirmed:
        print(f"  {op}:{seed} {item['result']} {item.get('text', '')} | {item.get('what', '')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ops", nargs="*", metavar="OP")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--repeat", metavar="OP:SEED", help="this case alone")
    parser.add_argument("--heddle", type=pathlib.Path,
                        default=ROOT / "build/release/bundle/libheddle.so")
    args = parser.parse_args()
    cases = op_case_list.all_cases()
    tally = Tally()
    if args.repeat:
        op, seed = args.repeat.split(":")
        suspects = [(op, int(seed))]
    else:
        print(f"seed {args.seed}")
        ops, end, number = args.ops or sorted(cases), time.monotonic() + args.seconds, args.seed
        unknown = [op for op in ops if op not in cases]
        if unknown:
            sys.exit(f"fuzz_ops: no cases of {', '.join(unknown)}")
        while time.monotonic() < end:
            plan = []
            for i in range(BATCH):
                op = ops[(number + i) % len(ops)]
                plan.append((op, zlib.crc32(f"{op} {number + i}".encode())))
            number += BATCH
            run_plan(cases, args.heddle, plan, 30, tally.take)
        suspects = tally.suspects
    confirmed = confirm(cases, args.heddle, suspects, tally)
    report(tally, confirmed)
    return int(bool(confirmed))


if __name__ == "__main__":
    sys.exit(main())
