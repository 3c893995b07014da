# SPDX-License-Identifier: Apache-2.0
"""What the lists of cases for make_op_cases.py share."""

import dataclasses
import zlib

import ml_dtypes  # noqa: F401: numpy knows bfloat16 by it
import numpy as np

RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767),
          "int32": (-1000, 1000), "uint32": (0, 1000), "int64": (-1000, 1000)}


@dataclasses.dataclass
class Tensor:
    dtype: str
    shape: tuple
    q: tuple = None  # (scale, zero point) or ([scales], [zero points], axis)
    data: object = None  # a constant's values
    value: np.ndarray = None  # an input's; with several invokes, a list
    variable: bool = False  # keeps state: neither input nor constant
    block: tuple = None  # (size, float16 scales in row-major order): in place of q
    sparse: int = None  # a constant [rows, columns] stored sparsely by runs of this many columns

    def is_input(self):
        return self.data is None and not self.variable


@dataclasses.dataclass
class Case:
    op: str
    name: str
    version: int
    inputs: list
    outputs: list
    options: tuple = None
    intermediates: list = dataclasses.field(default_factory=list)
    invokes: int = 1
    custom: dict = None  # options of a custom op, whose name `op` then is
    tidy: object = None  # sets the elements of LiteRT's outputs that it leaves unset


class Cases:
    """Collects the cases of one op. Values are drawn from a generator seeded by the case's name."""

    def __init__(self):
        self.by_op = {}

    def add(self, op, name, inputs, outputs, options=None, version=1, span=2.0,
            intermediates=(), invokes=1, custom=None, tidy=None):
        random = np.random.default_rng(zlib.crc32(f"{op} {name}".encode()))
        for tensor in inputs:
            if tensor is None:
                continue
            if tensor.is_input() and tensor.value is None:
                tensor.value = [draw(random, tensor, span) for _ in range(invokes)]
            elif callable(tensor.data):
                tensor.data = tensor.data(random)
        case = Case(op, name, version, inputs, outputs, options, list(intermediates), invokes,
                    custom, tidy)
        assert name not in [c.name for c in self.by_op.setdefault(op, [])], (op, name)
        self.by_op[op].append(case)


def draw(random, tensor, span):
    if tensor.dtype in ("float32", "float16"):
        return random.normal(0, span, tensor.shape).astype(tensor.dtype)
    if tensor.dtype == "bool":
        return random.random(tensor.shape) < 0.5
    low, high = RANGES[tensor.dtype]
    value = random.integers(low, high + 1, tensor.shape)
    flat = value.reshape(-1)
    if flat.size > 3:  # the ends of the range are where kernels go wrong
        flat[0], flat[1] = low, high
    return value.astype(tensor.dtype)


def normal(shape, scale=1.0):
    return lambda random: random.normal(0, scale, shape)


def integers(shape, low, high):
    return lambda random: random.integers(low, high + 1, shape)


def channel_scales(random, channels, scale):
    return [float(scale * s) for s in random.uniform(0.3, 1.7, channels)]


FULL = {"int8": (0.05, -7), "uint8": (0.04, 121), "int16": (0.0003, 0)}
OUT = {"int8": (0.11, 5), "uint8": (0.09, 110), "int16": (0.0011, 0)}
SAME, VALID = 0, 1


def sum_tensors(kind, in_shape, filter_shape, channels, channel_dim, bias):
    """Input, filter, bias and output of an op that sums products. kind: float32, uint8, int8,
    int8c (one scale a channel), int16, int16c, int16b (32-bit bias)."""
    base = kind.rstrip("cb")
    if base == "float32":
        return ([Tensor(base, in_shape), Tensor(base, filter_shape, data=normal(filter_shape)),
                 Tensor(base, (channels,), data=normal((channels,))) if bias else None],
                Tensor(base, ()))
    filter_type = "uint8" if base == "uint8" else "int8"
    low, high = RANGES[filter_type]
    if kind.endswith("c"):
        scales = channel_scales(np.random.default_rng(channels), channels, 0.02)
        q = (scales, [0] * channels, channel_dim)
    else:
        scales = [0.02] * channels
        q = (0.02, 133 if base == "uint8" else 0)
    bias_type = "int64" if base == "int16" and not kind.endswith("b") else "int32"
    bias_q = ([s * FULL[base][0] for s in scales], [0] * channels, 0)
    if not kind.endswith("c"):
        bias_q = (scales[0] * FULL[base][0], 0)
    filter_tensor = Tensor(filter_type, filter_shape, q,
                           integers(filter_shape, max(low, -127), high))
    bias_tensor = Tensor(bias_type, (channels,), bias_q, integers((channels,), -4000, 4000))
    return ([Tensor(base, in_shape, FULL[base]), filter_tensor, bias_tensor if bias else None],
            Tensor(base, (), OUT[base]))


# Types of ops that only move elements.
MOVED = ("float32", "int8", "uint8", "int16", "int32", "int64", "bool")


def ints(values, dtype="int32"):
    """A constant list."""
    return Tensor(dtype, np.shape(values), data=np.array(values, dtype))


def late_ints(values, dtype="int32"):
    """The same, known only while running."""
    return Tensor(dtype, np.shape(values), value=np.array(values, dtype))
