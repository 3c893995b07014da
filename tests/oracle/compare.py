#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs models in Heddle and in LiteRT with the same seeded inputs and prints how far they agree.
scripts/compare runs it with the Python that has LiteRT.

Verdicts with --kernels ref:
  agreed         integer outputs equal exactly, floats within 1e-5 of the output's range
  agreed per op  an output behind floats differs by more, yet every operator agrees alone on LiteRT's
                 own inputs
  MISMATCH       neither
  refused        Heddle says what it cannot do
  oracle cannot  LiteRT cannot run the model: nothing to compare with
A "!" behind the verdict: LiteRT's reference kernels lack an op of the model; its others were asked,
without delegates. With --kernels default: signal-to-noise against our reference kernels, which must
be no more than 1 dB below LiteRT's with its default delegate.
"""

import argparse
import collections
import json
import os
import pathlib
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import isolate  # noqa: E402
import trial  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BAD = ("MISMATCH", "CRASHED")


def collect(generator, request, seconds):
    """All that a trial said, and how it ended."""
    said, stage, items = {}, {"stage": "start"}, []
    for item in isolate.isolated(generator, (request,), seconds):
        if isinstance(item, isolate.Ending):
            return said, items, stage, item
        if "stage" in item:
            stage = item
        items.append(item)
        said.update(item)
    raise AssertionError("a trial without an ending")


def judge_ops(request, seconds):
    """Results by operator; an operator at which the process ends is skipped the next time."""
    results, skip = {}, set()
    while True:
        request.skip_ops = tuple(skip | set(results))
        _, items, stage, ending = collect(trial.try_ops, request, seconds)
        results.update({item["op"]: item for item in items if "op" in item})
        operator = stage.get("operator")
        if ending.error is None or operator is None or operator in results:
            break
        culprit = "CRASHED" if stage["stage"] == "heddle" else "oracle cannot"
        results[operator] = {"op": operator, "name": "?", "verdict": culprit, "text": ending.error}
    if ending.error is not None and not results:
        return [{"op": -1, "name": "", "verdict": "oracle cannot", "text": ending.error}]
    return [results[i] for i in sorted(results)]


def verdict_of(said, stage, ending):
    if ending.error is not None:
        if stage["stage"] != "oracle":
            return "CRASHED" if ending.crashed else "too slow"
        said.setdefault("oracle_error", ending.error)
    if "refused" in said:
        return "refused"
    if "oracle_error" in said:
        return "oracle cannot"
    if all(o["agrees"] for o in said["outputs"]):
        return "agreed"
    return "MISMATCH"


def try_one(path, args, signature=None):
    request = trial.Request(str(path), str(args.heddle), args.kernels, signature)
    said, _, stage, ending = collect(trial.try_model, request, args.limit_seconds)
    said["verdict"] = verdict_of(said, stage, ending)
    if said["verdict"] in ("CRASHED", "too slow"):
        said["error"] = ending.error
    undecided = said["verdict"] == "MISMATCH" and args.kernels == "ref" and not any(
        o["must_be_exact"] and not o["agrees"] for o in said["outputs"])
    wanted = args.per_op and said["verdict"] not in ("oracle cannot", "too slow")
    if signature is None and (undecided or wanted):
        said["per_op"] = judge_ops(request, args.limit_seconds)
        verdicts = {r["verdict"] for r in said["per_op"]}
        if undecided and verdicts == {"agreed"}:
            said["verdict"] = "agreed per op"
        if verdicts & {"mismatch", "CRASHED"} and said["verdict"] not in BAD:
            said["verdict"] = "MISMATCH"
    return said


def notes_of(said):
    """What the row has to say at its end."""
    if said["verdict"] in ("CRASHED", "too slow"):
        return said["error"]
    if said["verdict"] == "refused":
        ops = ", ".join(said["refused_ops"])
        return (f"{ops}: " if ops else "") + said["refused"]
    if said["verdict"] == "oracle cannot":
        return said["oracle_error"]
    return ""


def worst_of(said):
    outputs = said.get("outputs", [])
    if said["verdict"] in ("refused", "oracle cannot") or not outputs:
        return "-"
    if "snr" in outputs[0] or "worst" not in outputs[0]:
        return min(outputs, key=lambda o: o.get("snr", 0) - o.get("litert_snr", 0))["text"]
    return max(outputs, key=lambda o: (not o["agrees"], o["worst"]))["text"]


def print_row(name, said):
    def milliseconds(key):
        return f"{said[key]:.1f}" if key in said else "-"

    ratio = f"{said['arena'] / said['bound']:.3f}" if said.get("bound") else "-"
    verdict = said["verdict"] + ("!" if said.get("marked") else "")
    print(f"{name:<58} {said.get('ops', '-'):>5} {verdict:<15} {worst_of(said):<24} "
          f"{milliseconds('heddle_ms'):>9} {milliseconds('oracle_ms'):>9} {said.get('arena', '-'):>10} "
          f"{ratio:>7} {notes_of(said)[:200]}".rstrip(), flush=True)


def print_ops(said, everything):
    for r in said.get("per_op", []):
        if everything or r["verdict"] != "agreed":
            tensor = f" tensor '{r['tensor']}'" if "tensor" in r else ""
            print(f"    operator {r['op']} {r['name']}{tensor}: {r['verdict']} {r.get('text', '')}")
    if said["verdict"] == "MISMATCH":
        for o in said.get("outputs", []):
            if not o["agrees"]:
                exact = ", all of it integer" if o.get("must_be_exact") else ""
                print(f"    output {o['index']}{exact}: {o['text']}")


def models_of(paths):
    for path in paths:
        if path.is_dir():
            yield from ((p, str(p.relative_to(path))) for p in sorted(path.rglob("*.tflite")))
        else:
            yield path, path.name


def summary(rows):
    counts = collections.Counter(said["verdict"] for said in rows.values())
    refusing = collections.Counter(
        op for said in rows.values() if said["verdict"] == "refused"
        for op in said["refused_ops"] or ["(no op)"])
    ran = sum("heddle_ms" in said for said in rows.values())
    parts = [f"{len(rows)} models", f"{ran} ran"]
    parts += [f"{counts[v]} {v}" for v in ("agreed", "agreed per op", "MISMATCH", "CRASHED", "too slow",
                                           "refused", "oracle cannot") if counts[v]]
    ratios = sorted(said["arena"] / said["bound"] for said in rows.values() if said.get("bound"))
    if ratios:
        parts.append(f"arena / bound: median {ratios[len(ratios) // 2]:.3f}, worst {ratios[-1]:.3f}")
    line = "; ".join(parts)
    if refusing:
        line += "; refused by " + ", ".join(f"{op} ({n})" for op, n in refusing.most_common())
    return line


def is_bad(said, strict):
    if said["verdict"] in BAD:
        return True
    return strict and (said["verdict"] == "too slow" or
                       said["verdict"] == "refused" and "oracle_error" not in said)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=pathlib.Path, metavar="PATH",
                        help="a model, or a folder of them")
    parser.add_argument("--heddle", type=pathlib.Path, metavar="LIBRARY",
                        default=ROOT / "build/release/bundle/libheddle.so",
                        help="libheddle.so; default: %(default)s")
    parser.add_argument("--kernels", choices=("ref", "default"), default="ref")
    parser.add_argument("--per-op", action="store_true",
                        help="judge every operator alone, also where the outputs agree")
    parser.add_argument("--strict", action="store_true",
                        help="a refusal of what LiteRT runs is as bad as a mismatch")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write all figures here")
    parser.add_argument("--limit-seconds", type=int, default=120, metavar="N",
                        help="give up on a step that takes longer; default: %(default)s")
    args = parser.parse_args()
    if not args.heddle.exists():
        sys.exit(f"compare: there is no {args.heddle}; scripts/compare builds it")
    for path in args.paths:
        if not path.exists():
            sys.exit(f"compare: there is no {path}")
    models = list(models_of(args.paths))
    if not models:
        sys.exit("compare: no .tflite files there")
    print(f"{'model':<58} {'ops':>5} {'verdict':<15} {'worst difference':<24} {'heddle ms':>9} "
          f"{'LiteRT ms':>9} {'arena':>10} {'/ bound':>7}")
    rows = {}
    for path, name in models:
        said = try_one(path, args)
        entries = [(name, said)]
        entries += [(f"{name} [{key}]", try_one(path, args, key)) for key in said.get("signatures", [])]
        for row_name, row in entries:
            rows[row_name] = row
            print_row(row_name, row)
            print_ops(row, args.per_op)
    print(summary(rows))
    if args.json:
        args.json.write_text(json.dumps({k: {n: v for n, v in r.items() if n != "stage"}
                                         for k, r in rows.items()}, indent=1, default=str) + "\n")
    sys.exit(1 if any(is_bad(said, args.strict) for said in rows.values()) else 0)


if __name__ == "__main__":
    main()
