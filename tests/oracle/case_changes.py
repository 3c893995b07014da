# SPDX-License-Identifier: Apache-2.0
"""Random changes to the cases of op_case_list, for fuzz_ops.py. Each keeps a case plausible, so that
most changed cases still run: equal sizes change together, equal types change together."""

import copy

import numpy as np
from op_case_base import RANGES

# Types that ops have variants for, in groups within which a swap may still make sense.
SWAPS = {"float32": ["int8", "uint8", "int16", "int32", "float16", "bfloat16"],
         "int8": ["uint8", "int16", "float32"], "uint8": ["int8", "int16", "float32"],
         "int16": ["int8", "uint8", "int32"], "int32": ["int64", "int8", "float32", "uint32"],
         "int64": ["int32"], "bool": ["int8", "int32"], "uint32": ["int32"],
         "int4": ["int8"], "int2": ["int8"]}
QUANTIZED = {"int8", "uint8", "int16"}
# No NaN: where numbers are ordered, LiteRT's answer depends on how a loop is written.
SPECIAL = [0.0, -0.0, 1e-40, -1e-40, 3e38, -3e38, np.inf, -np.inf, 0.5, -0.5, 2.5, 1e9]
FEW_BITS = {"int4": (-8, 7), "int2": (-2, 1)}


def tensors_of(case):
    return [t for t in case.inputs + case.outputs if t is not None]


def is_feed(tensor):
    return tensor is not None and tensor.value is not None


def is_list(tensor):
    """A constant or input that says sizes, axes or indices rather than data."""
    return tensor.dtype in ("int32", "int64") and tensor.q is None


def redraw(random, tensor, name):
    """New values for the tensor's type and shape, like the old ones in span."""
    old = getattr(tensor, name)
    if old is None:
        return  # a variable
    shape, dtype = tensor.shape, tensor.dtype
    if dtype in ("float32", "float16", "bfloat16", "float64", "complex64"):
        old = np.abs(np.nan_to_num(np.asarray(old, np.complex64).astype(np.complex64)))
        span = float(min(np.max(old), 1e4)) / 2 if old.size else 1.0
        value = random.normal(0, span or 1.0, shape)
    elif dtype == "bool":
        value = random.random(shape) < 0.5
    elif is_list(tensor):
        value = np.resize(np.asarray(old), shape) if np.size(old) else np.zeros(shape)
    else:
        low, high = FEW_BITS.get(dtype) or RANGES.get(dtype, (0, 100))
        if dtype == "int8" and name == "data":
            low = -127  # of filters; LiteRT's sums with floats are wrong for -128
        value = random.integers(low, high + 1, shape)
    kept = {"int4": "int8", "int2": "int8", "bfloat16": "float32"}.get(dtype, dtype)
    setattr(tensor, name, np.asarray(value).astype(kept))


def redraw_all(random, case, feeds_only=False):
    for tensor in case.inputs:
        if is_feed(tensor):
            if not is_list(tensor):
                redraw(random, tensor, "value")
        elif tensor is not None and tensor.data is not None and not feeds_only:
            redraw(random, tensor, "data")


def change_size(random, case):
    """One size becomes another, wherever it stands."""
    sizes = sorted({d for t in case.inputs if t is not None for d in t.shape})
    if not sizes:
        return False
    old, new = int(random.choice(sizes)), int(random.integers(0 if random.random() < 0.1 else 1, 10))
    alone = random.random() < 0.2
    for tensor in case.inputs:
        if tensor is None or old not in tensor.shape or tensor.sparse or tensor.block:
            continue
        tensor.shape = tuple(new if d == old else d for d in tensor.shape)
        if tensor.q and not np.isscalar(tensor.q[0]) and len(tensor.q) > 2:
            count = tensor.shape[tensor.q[2]]
            tensor.q = (list(np.resize(tensor.q[0], count)), list(np.resize(tensor.q[1], count)),
                        tensor.q[2])
        redraw(random, tensor, "value" if is_feed(tensor) else "data")
        if alone:
            break
    return True


def change_rank(random, case):
    """An input gets a dimension of 1 in front, loses its first, or has one stretched from 1."""
    feeds = [t for t in case.inputs if is_feed(t) and not is_list(t)]
    if not feeds:
        return False
    tensor = feeds[random.integers(len(feeds))]
    kind = random.integers(3)
    if kind == 0:
        tensor.shape = (1,) + tuple(tensor.shape)
    elif kind == 1 and tensor.shape:
        tensor.shape = tuple(tensor.shape)[1:]
    elif tensor.shape:
        shape = list(tensor.shape)
        shape[random.integers(len(shape))] = 1
        tensor.shape = tuple(shape)
    if len(tensor.shape) > 8:
        return False
    redraw(random, tensor, "value")
    return True


def change_type(random, case):
    present = sorted({t.dtype for t in tensors_of(case) if t.dtype in SWAPS and not t.block})
    if not present:
        return False
    old = str(random.choice(present))
    new = str(random.choice(SWAPS[old]))
    for tensor in tensors_of(case):
        if tensor.dtype != old or (is_list(tensor) and random.random() < 0.5):
            continue
        tensor.dtype = new
        if new in QUANTIZED and tensor.q is None and old == "float32":
            zero = 0 if new == "int16" else int(random.integers(*RANGES[new]))
            tensor.q = (float(random.uniform(0.001, 0.1)), zero)
        elif new in QUANTIZED and tensor.q is not None and np.isscalar(tensor.q[0]):
            low, high = RANGES[new]
            tensor.q = (tensor.q[0], 0 if new == "int16" else int(np.clip(tensor.q[1], low, high)))
        elif new not in QUANTIZED:
            tensor.q = None
        if tensor.value is not None:
            redraw(random, tensor, "value")
        elif tensor.data is not None:
            redraw(random, tensor, "data")
    return True


def change_quantization(random, case):
    quantized = [t for t in tensors_of(case) if t.q is not None]
    if not quantized:
        return False
    tensor = quantized[random.integers(len(quantized))]
    factor = float(2.0 ** random.uniform(-6, 6))
    if random.random() < 0.3:  # and all the others' alike
        for other in quantized:
            other.q = (scaled(other.q[0], factor),) + tuple(other.q[1:])
    else:
        tensor.q = (scaled(tensor.q[0], factor),) + tuple(tensor.q[1:])
    if np.isscalar(tensor.q[0]) and tensor.dtype in ("int8", "uint8") and random.random() < 0.5:
        low, high = RANGES[tensor.dtype]
        tensor.q = (tensor.q[0], int(random.choice([low, high, random.integers(low, high + 1)])))
    return True


def scaled(scale, factor):
    return float(scale * factor) if np.isscalar(scale) else [float(s * factor) for s in scale]


def change_attribute(random, case):
    if not case.options or not case.options[1]:
        return False
    table, fields = case.options
    name = str(random.choice(sorted(fields)))
    value = fields[name]
    if isinstance(value, (bool, np.bool_)):
        value = not value
    elif isinstance(value, (int, np.integer)):
        value = int(random.choice([0, 1, 2, 3, 4, -1, value + 1, value - 1]))
        if "ctivation" in name:
            value = int(random.integers(0, 6))
    elif isinstance(value, float):
        value = float(random.choice([0.0, 1.0, -1.0, 0.5, value * 2, value / 3, 100.0]))
    elif isinstance(value, (list, tuple)) and len(value):
        value = list(value)
        value[random.integers(len(value))] = int(random.integers(-2, 6))
    else:
        return False
    case.options = (table, dict(fields, **{name: value}))
    return True


def change_list(random, case):
    """An element of a list of sizes, axes or indices."""
    lists = [t for t in case.inputs
             if t is not None and is_list(t) and np.prod(t.shape) and not t.variable]
    if not lists:
        return False
    tensor = lists[random.integers(len(lists))]
    name = "value" if is_feed(tensor) else "data"
    value = np.array(getattr(tensor, name)).reshape(-1)
    at = random.integers(value.size)
    value[at] = random.choice([0, 1, 2, 3, -1, -2, 5, value[at] + 1, value[at] - 1])
    setattr(tensor, name, value.reshape(tensor.shape))
    return True


def change_constancy(random, case):
    """A constant becomes an input."""
    constants = [t for t in case.inputs if t is not None and t.data is not None
                 and t.dtype not in FEW_BITS and not t.sparse and not t.block]
    if not constants:
        return False
    tensor = constants[random.integers(len(constants))]
    dtype = np.float32 if tensor.dtype == "bfloat16" else tensor.dtype
    tensor.value, tensor.data = np.asarray(tensor.data).astype(dtype).reshape(tensor.shape), None
    return True


def change_floats(random, case):
    """Special values among the floats; not where they are quantised, which cannot hold them."""
    if any(t.q is not None or t.block for t in tensors_of(case)):
        return False
    feeds = [t for t in case.inputs if is_feed(t) and t.dtype == "float32" and np.prod(t.shape)]
    if not feeds:
        return False
    tensor = feeds[random.integers(len(feeds))]
    value = np.array(tensor.value, np.float32).reshape(-1)
    for _ in range(min(value.size, 4)):
        value[random.integers(value.size)] = random.choice(SPECIAL)
    tensor.value = value.reshape(tensor.shape)
    return True


CHANGES = [change_size, change_size, change_rank, change_type, change_quantization,
           change_quantization, change_attribute, change_list, change_constancy, change_floats]


def changed(case, seed):
    """A copy with one to three changes, and their names. `seed` decides all of it."""
    random = np.random.default_rng(seed)
    case = copy.deepcopy(case)
    case.invokes = 1
    for tensor in case.inputs:
        if tensor is not None and isinstance(tensor.value, list):
            tensor.value = tensor.value[0]
    redraw_all(random, case, feeds_only=True)
    done = []
    for _ in range(random.integers(1, 4)):
        change = CHANGES[random.integers(len(CHANGES))]
        if change(random, case):
            done.append(change.__name__.removeprefix("change_"))
    for tensor in case.inputs:
        if is_feed(tensor):
            dtype = {"bfloat16": "float32"}.get(tensor.dtype, tensor.dtype)
            tensor.value = np.asarray(tensor.value).astype(dtype)
    return case, done
