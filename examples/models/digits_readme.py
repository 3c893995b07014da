# SPDX-License-Identifier: Apache-2.0
"""The README of this folder, written from what train_digits.py measured."""

import platform
from importlib import metadata

import numpy as np

import digits_metadata

_PACKAGES = ["tensorflow-cpu", "keras", "ai-edge-litert", "scikit-learn", "numpy"]

_HEAD = """\
# Digit classifiers

Two small convolutional networks that tell handwritten digits, the default models of Heddle's demo
and tests: one in float32, one in int8 throughout (int8 input and output; weights per channel, those
of FULLY_CONNECTED too). `train_digits.py` makes everything here, this file included; its header
says how to run it.

| file | what |
|---|---|
| `digits_float.tflite`, `digits_int8.tflite` | the models |
| `digits_test.npz` | held-out split: uint8 `images` [{test}, 8, 8], raw 0..16, and `labels` [{test}] |
| `digits_litert.npz` | LiteRT's outputs for that split, see below |
| `images/digit_<d>.png` | one held-out image per digit, 8x8, 8-bit grey |

The .npz members are stored, not compressed.

## Input and output

Signature `serving_default`: input `image` [batch, 8, 8, 1], output `probabilities` [batch, 10]. The
batch is 1 in the file and may be resized. The labels `0`..`9` are in `{labels}`, in a zip archive
appended to each model and named by its metadata.

A raw value v (0..16) is the grey pixel p = (255 v + 8) / 16 in integers, which is what the PNG
files hold; the float input is p / 255. The int8 input is that value quantised: round(x / scale) +
zero point, held to -128..127, which is p - 128. The metadata says so as well (mean 0, standard
deviation 255).

| model | tensor | type | scale | zero point |
|---|---|---|---|---|
"""

_DATA = """
## Data

scikit-learn's `load_digits`: a copy of the test set of "Optical Recognition of Handwritten Digits"
by E. Alpaydin and C. Kaynak (1998), UCI Machine Learning Repository, licensed CC BY 4.0.
{train} images are for training, {test} (a stratified quarter) are held out and were not used to
train, to calibrate the quantisation or to choose among runs.

The PNG files are the first image of each digit in the held-out split, at these positions from 0:
{positions}.
"""


def _quantisation_rows(models):
    for kind, model_bytes in models.items():
        graph = digits_metadata.load(model_bytes).subgraphs[0]
        for index in (graph.inputs[0], graph.outputs[0]):
            tensor = graph.tensors[index]
            name = tensor.name.decode()
            if kind == "float":
                yield f"| float | `{name}` | float32 | | |"
            else:
                scale, zero = tensor.quantization.scale[0], tensor.quantization.zeroPoint[0]
                yield f"| int8 | `{name}` | int8 | {np.float32(scale)} | {zero} |"


def _operator_rows(models):
    lists = [digits_metadata.op_list(digits_metadata.load(m)) for m in models.values()]
    for (name, _), (op, float_version), (_, int8_version) in zip(digits_metadata.GRAPH, *lists):
        yield f"| `{name}` | {op} | {float_version} | {int8_version} |"


def text(models, accuracy, outputs, chosen, train_count, test_count):
    lines = [_HEAD.format(test=test_count, labels=digits_metadata.LABEL_FILE).rstrip()]
    lines += _quantisation_rows(models)
    lines += ["", "## Operators", ""]
    lines += ["| operator | op | version, float | version, int8 |", "|---|---|---|---|"]
    lines += _operator_rows(models)
    lines += ["", "## Size and accuracy", ""]
    lines += ["| model | bytes | held-out accuracy (LiteRT, reference) | (LiteRT, default) |"]
    lines += ["|---|---|---|---|"]
    for kind, model_bytes in models.items():
        cells = [
            f"{accuracy[f'{kind}_{name}']:.2%} ({round(accuracy[f'{kind}_{name}'] * test_count)}"
            f" of {test_count})"
            for name in ("reference", "default")
        ]
        lines.append(f"| {kind} | {len(model_bytes)} | {cells[0]} | {cells[1]} |")
    lines += ["", "## LiteRT's outputs", ""]
    lines += [
        f"`digits_litert.npz`, made with ai-edge-litert {metadata.version('ai-edge-litert')}, one"
        " image at a time, one thread:",
        "",
        "| array | type | interpreter |",
        "|---|---|---|",
        "| `float_reference` | float32 [N, 10] | `OpResolverType.BUILTIN_REF`: reference kernels |",
        "| `float_default` | float32 [N, 10] | `OpResolverType.AUTO`: as it comes, XNNPACK |",
        "| `int8_reference` | int8 [N, 10] | `OpResolverType.BUILTIN_REF` |",
        "| `int8_default` | int8 [N, 10] | `OpResolverType.AUTO` |",
        "",
    ]
    for kind, unit in (("float", ""), ("int8", " steps")):
        pair = [outputs[f"{kind}_{name}"].astype(np.float64) for name in ("reference", "default")]
        difference = np.abs(pair[0] - pair[1])
        lines.append(
            f"- {kind}: the two differ by at most {difference.max():.3g}{unit}, in"
            f" {np.count_nonzero(difference)} of {difference.size} values."
        )
    positions = ", ".join(f"{digit}: {index}" for digit, index in enumerate(chosen))
    lines.append(
        _DATA.format(train=train_count, test=test_count, positions=positions).rstrip()
    )
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in _PACKAGES)
    lines += ["", f"Made with Python {platform.python_version()},", f"{versions}.", ""]
    return "\n".join(lines)
