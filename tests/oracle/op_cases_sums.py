# SPDX-License-Identifier: Apache-2.0
"""Cases of ops that sum products, beside those of op_cases_network.py: transposed convolutions,
hybrid sums (float data, integer filters), filters smaller than a byte."""

import itertools

import numpy as np
from op_case_base import FULL, OUT, SAME, VALID, Tensor, channel_scales, integers, normal, sum_tensors

LIMITS = {"int8": 127, "int4": 7, "int2": 1, "uint8": 255}


def transpose_conv_cases(cases):
    # batch, h, w, in, out, filter h, filter w, stride h, stride w, padding, output h, output w,
    # activation, bias
    geometries = [
        (1, 3, 4, 2, 3, 3, 3, 2, 2, SAME, 6, 8, 0, True),
        (2, 3, 2, 3, 5, 2, 3, 1, 2, VALID, 4, 5, 1, True),
        (1, 4, 4, 1, 1, 3, 3, 1, 1, SAME, 4, 4, 3, False),
        (1, 2, 3, 4, 2, 1, 1, 3, 3, VALID, 4, 7, 2, True),
        (1, 2, 2, 2, 6, 5, 4, 2, 3, SAME, 3, 5, 0, False),
        (1, 1, 5, 2, 2, 1, 4, 1, 2, VALID, 1, 12, 0, True),
    ]
    for kind, (i, g) in itertools.product(
            ["float32", "uint8", "int8", "int8c", "int16", "int16c", "int16b"],
            enumerate(geometries)):
        b, h, w, ci, co, fh, fw, sh, sw, padding, oh, ow, activation, bias = g
        if kind == "int16b" and not bias:
            continue
        tensors, out = sum_tensors(kind, (b, h, w, ci), (co, fh, fw, ci), co, 0, bias)
        fields = dict(padding=padding, strideH=sh, strideW=sw, fusedActivationFunction=activation)
        if kind == "int16b":
            fields["quantizedBiasType"] = 2
        shape = np.array([b, oh, ow, co], np.int32)
        size = Tensor("int32", (4,), data=shape) if i != 1 else Tensor("int32", (4,), value=shape)
        inputs = [size, tensors[1], tensors[0]] + ([tensors[2]] if bias else [])
        cases.add("TRANSPOSE_CONV", f"{kind} {i}", inputs, [out], ("TransposeConvOptions", fields),
                  version=4)
    for i, (per_channel, shape) in enumerate([(True, (2, 3, 2, 3)), (False, (1, 2, 2, 4))]):
        inputs, out = hybrid_tensors("int8", shape, (4, 3, 2, shape[3]), 4, 0, per_channel, True)
        size = Tensor("int32", (4,), data=np.array([shape[0], 5 - i, 4, 4], np.int32))
        cases.add("TRANSPOSE_CONV", f"hybrid {i}", [size, inputs[1], inputs[0], inputs[2]], [out],
                  ("TransposeConvOptions", dict(padding=SAME, strideH=2, strideW=2,
                                                fusedActivationFunction=i)), version=4)


def hybrid_tensors(filter_type, in_shape, filter_shape, channels, channel_dim, per_channel, bias):
    limit = min(LIMITS[filter_type], 127)
    scale = 2.5 / limit
    q = (scale, 0)
    if per_channel:
        scales = channel_scales(np.random.default_rng(channels), channels, scale)
        q = (scales, [0] * channels, channel_dim)
    low, high = (0, 255) if filter_type == "uint8" else (-limit, limit)
    return ([Tensor("float32", in_shape),
             Tensor(filter_type, filter_shape, q, integers(filter_shape, low, high)),
             Tensor("float32", (channels,), data=normal((channels,))) if bias else None],
            Tensor("float32", ()))


def small_filter(tensors, dtype):
    """The filter of sum_tensors with elements of fewer bits."""
    limit = LIMITS[dtype]
    shape = tensors[1].shape
    tensors[1] = Tensor(dtype, shape, tensors[1].q, integers(shape, -limit - 1, limit))


def hybrid_conv_cases(cases):
    # shape, filter, stride, dilation, padding, activation
    geometries = [
        ((2, 4, 5, 3), (4, 3, 2, 3), 1, 1, SAME, 0), ((1, 6, 6, 2), (3, 3, 3, 2), 2, 1, VALID, 1),
        ((1, 7, 6, 1), (2, 2, 3, 1), 1, 2, SAME, 3), ((2, 1, 1, 7), (5, 1, 1, 7), 1, 1, VALID, 2)]
    for kind, (i, g) in itertools.product(["int8", "int8c", "int4c"], enumerate(geometries)):
        if i not in {"int8": (1, 3), "int8c": (0, 2), "int4c": (1,)}[kind]:
            continue
        shape, filter_shape, stride, dilation, padding, activation = g
        inputs, out = hybrid_tensors(kind.rstrip("c"), shape, filter_shape, filter_shape[0], 0,
                                     kind.endswith("c"), True)
        cases.add("CONV_2D", f"hybrid {kind} {i}", inputs, [out], ("Conv2DOptions", dict(
            padding=padding, strideH=stride, strideW=stride, dilationHFactor=dilation,
            dilationWFactor=dilation, fusedActivationFunction=activation)), version=5)
    inputs, out = hybrid_tensors("int8", (2, 3, 4, 4), (6, 2, 2, 2), 6, 0, True, True)
    cases.add("CONV_2D", "hybrid int8c groups", inputs, [out],
              ("Conv2DOptions", dict(padding=SAME, strideH=1, strideW=1)), version=5)
    inputs, out = hybrid_tensors("int8", (1, 3, 4, 2), (3, 2, 2, 2), 3, 0, False, True)
    inputs[1].q = ([0.02] * 3, [0] * 3, 0)
    cases.add("CONV_2D", "hybrid int8 equal scales", inputs, [out],
              ("Conv2DOptions", dict(padding=SAME, strideH=1, strideW=1)), version=5)
    for kind in ("int8c", "int16c"):
        tensors, out = sum_tensors(kind, (1, 4, 3, 3), (4, 3, 3, 3), 4, 0, True)
        small_filter(tensors, "int4")
        cases.add("CONV_2D", f"{kind} by int4", tensors, [out],
                  ("Conv2DOptions", dict(padding=SAME, strideH=1, strideW=1)), version=7)

    # LiteRT wants a scale for each channel, and reads int4 filters only with int8 data.
    for i, (shape, filter_shape, stride, dilation, activation) in enumerate([
            ((2, 4, 5, 3), (1, 3, 2, 3), 1, 1, 0), ((1, 6, 6, 2), (1, 3, 3, 6), 2, 1, 1),
            ((1, 7, 7, 1), (1, 2, 3, 4), 1, 2, 3)]):
        channels = filter_shape[3]
        fields = dict(padding=SAME, strideH=stride, strideW=stride, dilationHFactor=dilation,
                      dilationWFactor=dilation, depthMultiplier=channels // shape[3],
                      fusedActivationFunction=activation)
        inputs, out = hybrid_tensors("int8", shape, filter_shape, channels, 3, True, True)
        cases.add("DEPTHWISE_CONV_2D", f"hybrid {i}", inputs, [out],
                  ("DepthwiseConv2DOptions", fields), version=6)
        tensors, out = sum_tensors("int8c", shape, filter_shape, channels, 3, True)
        small_filter(tensors, "int4")
        cases.add("DEPTHWISE_CONV_2D", f"int8 by int4 {i}", tensors, [out],
                  ("DepthwiseConv2DOptions", fields), version=7)


def hybrid_fully_connected_cases(cases):
    shapes = [((1, 8), 8, 4, False, 0, True), ((3, 5), 5, 7, False, 1, True),
              ((2, 3, 6), 6, 5, True, 3, False), ((2, 2, 4), 8, 3, False, 2, True)]
    for (k, kind), (i, s) in itertools.product(
            enumerate(["int8", "int8c", "int4c", "int2"]), enumerate(shapes)):
        shape, depth, units, keep, activation, bias = s
        asymmetric = (i + k) % 2 == 1
        inputs, out = hybrid_tensors(kind.rstrip("c"), shape, (units, depth), units, 0,
                                     kind.endswith("c"), bias)
        cases.add("FULLY_CONNECTED", f"hybrid {kind} {i} {'a' * asymmetric}symmetric", inputs,
                  [out], ("FullyConnectedOptions", dict(
                      keepNumDims=keep, fusedActivationFunction=activation,
                      asymmetricQuantizeInputs=asymmetric)), version=9)
    inputs, out = hybrid_tensors("int8", (2, 6), (3, 6), 3, 0, True, True)
    inputs[0].value = np.zeros((2, 6), np.float32)
    cases.add("FULLY_CONNECTED", "hybrid zeros", inputs, [out], ("FullyConnectedOptions", {}),
              version=9)
    inputs, out = hybrid_tensors("uint8", (2, 6), (3, 6), 3, 0, False, True)
    cases.add("FULLY_CONNECTED", "hybrid uint8, which is int8 in fact", inputs, [out],
              ("FullyConnectedOptions", {}), version=3)
    inputs, out = hybrid_tensors("int8", (3, 40), (6, 40), 6, 0, True, True)
    inputs[0].value = np.random.default_rng(5).uniform(3, 9, (3, 40)).astype(np.float32)
    cases.add("FULLY_CONNECTED", "hybrid above zero", inputs, [out],
              ("FullyConnectedOptions", dict(asymmetricQuantizeInputs=True)), version=9)
    for kind, small in itertools.product(("int8", "int8c", "int16", "int16c"), ("int4", "int2")):
        tensors, out = sum_tensors(kind, (3, 7), (5, 7), 5, 0, True)
        small_filter(tensors, small)
        cases.add("FULLY_CONNECTED", f"{kind} by {small}", tensors, [out],
                  ("FullyConnectedOptions", {}), version=10)


def resize_cases(cases):
    # shape, new height, new width
    geometries = [((1, 3, 4, 2), 6, 8), ((2, 5, 7, 3), 3, 2), ((1, 4, 4, 1), 9, 5),
                  ((1, 1, 1, 2), 3, 4), ((1, 6, 3, 1), 1, 1), ((1, 2, 9, 2), 2, 9)]
    modes = [(False, False), (True, False), (False, True)]
    for dtype, (i, g), (corners, half) in itertools.product(
            ("float32", "uint8", "int8", "int16"), enumerate(geometries), modes):
        shape, height, width = g
        size = np.array([height, width], np.int32)
        second = Tensor("int32", (2,), data=size) if i else Tensor("int32", (2,), value=size)
        q = FULL.get(dtype)
        name = f"{dtype} {i} {'corners' if corners else 'centres' if half else ''}"
        for op, options in (("RESIZE_BILINEAR", "ResizeBilinearOptions"),
                            ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions")):
            cases.add(op, name, [Tensor(dtype, shape, q), second], [Tensor(dtype, (), q)],
                      (options, dict(alignCorners=corners, halfPixelCenters=half)), version=3)
    for dtype, q in (("float32", None), ("uint8", FULL["uint8"])):
        size = Tensor("int32", (2,), data=np.array([4, 9], np.int32))
        cases.add("RESIZE_NEAREST_NEIGHBOR", f"{dtype} corners and centres",
                  [Tensor(dtype, (1, 3, 5, 2), q), size], [Tensor(dtype, (), q)],
                  ("ResizeNearestNeighborOptions",
                   dict(alignCorners=True, halfPixelCenters=True)), version=3)


def transposed(shape, swap):
    return shape[:-2] + (shape[-1], shape[-2]) if swap else shape


def batch_matmul_cases(cases):
    # x, y as the product wants them; adj_x, adj_y transpose the tensors
    shapes = [((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 2)), ((2, 1, 2, 3), (1, 3, 3, 4)),
              ((5, 2, 3), (3, 1)), ((1, 6), (2, 6, 3)), ((2, 0, 3), (2, 3, 4)),
              ((2, 1, 2, 3, 2), (1, 2, 1, 2, 5))]
    kinds = {"float32": ("float32", "float32", "float32"), "int8": ("int8", "int8", "int8"),
             "int8 to int32": ("int8", "int8", "int32"), "int16": ("int16", "int16", "int16"),
             "int16 by int8": ("int16", "int8", "int16")}
    for (k, (kind, types)), (i, (x, y)) in itertools.product(enumerate(kinds.items()),
                                                             enumerate(shapes)):
        x_type, y_type, out_type = types
        adj_x, adj_y = (i + k) % 2 == 1, (i + k) // 2 % 2 == 1
        qx, qy, qo = FULL.get(x_type), OUT.get(y_type), OUT.get(out_type)
        if kind == "int16 by int8":
            qy = (qy[0], 0)
        cases.add("BATCH_MATMUL", f"{kind} {i}",
                  [Tensor(x_type, transposed(x, adj_x), qx), Tensor(y_type, transposed(y, adj_y), qy)],
                  [Tensor(out_type, (), qo)], ("BatchMatMulOptions", dict(adjX=adj_x, adjY=adj_y)),
                  version={"float32": 1, "int8": 2}.get(kind, 3))
    # LiteRT confuses the rows' scales where there is more than one dimension of batches.
    for (i, (x, y)), asymmetric in itertools.product(
            enumerate([((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 2)), ((1, 6), (6, 3))]),
            (False, True)):
        adj_y = (i + asymmetric) % 2 == 1
        shape = transposed(y, adj_y)
        q = (0.02, 0)
        if i != 1:
            scales = channel_scales(np.random.default_rng(i), y[-1], 0.02)
            q = (scales, [0] * y[-1], len(y) - (2 if adj_y else 1))
        cases.add("BATCH_MATMUL", f"hybrid {i} {'a' * asymmetric}symmetric",
                  [Tensor("float32", x), Tensor("int8", shape, q, integers(shape, -127, 127))],
                  [Tensor("float32", ())],
                  ("BatchMatMulOptions", dict(adjY=adj_y, asymmetricQuantizeInputs=asymmetric)),
                  version=4)


def with_zeros(shape, run, dtype):
    """Values of which half of the runs are zero."""
    def make(random):
        values = random.integers(-127, 128, shape).astype(dtype)
        runs = values.reshape(shape[0], -1, run)
        runs[random.random(runs.shape[:2]) < 0.5] = 0
        return values
    return make


def sparse_cases(cases):
    for dtype in ("float32", "float16", "int8"):
        for run in (1, 4):
            shape = (5, 8)
            cases.add("DENSIFY", f"{dtype} runs of {run}",
                      [Tensor(dtype, shape, data=with_zeros(shape, run, dtype), sparse=run)],
                      [Tensor(dtype, shape)], ("DensifyOptions", {}))
    # LiteRT reads int8 filters only by runs of 16, with one scale for each unit.
    for name, run, kind in (("float32", 1, "float32"), ("float32", 4, "float32"),
                            ("int8", 16, "int8c")):
        tensors, out = sum_tensors(kind, (3, 32), (4, 32), 4, 0, True)
        tensors[1].data = with_zeros((4, 32), run, name)
        tensors[1].sparse = run
        cases.add("FULLY_CONNECTED", f"{name} sparse by runs of {run}", tensors, [out],
                  ("FullyConnectedOptions", {}), version=8)


def blockwise_cases(cases):
    # Only LiteRT's optimised kernel knows blocks, and it forgets the activation.
    for i, (rows, units, depth, size, bias) in enumerate([(3, 4, 64, 32, True),
                                                         (1, 8, 128, 64, False)]):
        scales = np.random.default_rng(i).uniform(0.01, 0.2, (units, depth // size))
        cases.add("FULLY_CONNECTED", f"blocks of {size}!",
                  [Tensor("float32", (rows, depth)),
                   Tensor("int4", (units, depth), data=integers((units, depth), -8, 7),
                          block=(size, scales.astype(np.float16))),
                   Tensor("float32", (units,), data=normal((units,))) if bias else None],
                  [Tensor("float32", ())], ("FullyConnectedOptions", {}), version=12)


def conv_3d_cases(cases):
    # d, h, w, in, out; filter; strides; dilations; padding; activation, bias
    geometries = [((3, 4, 5), 2, 3, (2, 2, 3), (1, 1, 1), (1, 1, 1), SAME, 0, True),
                  ((4, 5, 6), 1, 4, (2, 3, 2), (2, 1, 2), (1, 1, 1), VALID, 1, False),
                  ((5, 4, 7), 3, 2, (2, 2, 2), (1, 1, 1), (2, 1, 3), SAME, 3, True),
                  ((2, 2, 2), 2, 40, (1, 1, 1), (1, 2, 1), (1, 1, 1), VALID, 2, True)]
    for i, g in enumerate(geometries):
        size, ci, co, window, strides, dilations, padding, activation, bias = g
        fields = dict(padding=padding, fusedActivationFunction=activation)
        for axis, stride, dilation in zip("DHW", strides, dilations):
            fields[f"stride{axis}"] = stride
            fields[f"dilation{axis}Factor"] = dilation
        small = []
        for n, f, s, d in zip(size, window, strides, dilations):
            covered = (f - 1) * d + 1
            small.append(-(-n // s) if padding == SAME else (n + s - covered) // s)
        biases = [Tensor("float32", (co,), data=normal((co,)))] if bias else []
        cases.add("CONV_3D", f"{i}",
                  [Tensor("float32", (2,) + size + (ci,)),
                   Tensor("float32", window + (ci, co), data=normal(window + (ci, co)))] + biases,
                  [Tensor("float32", ())], ("Conv3DOptions", fields))
        shape = np.array((2,) + size + (co,), np.int32)
        shape = dict(value=shape) if i == 1 else dict(data=shape)
        cases.add("CONV_3D_TRANSPOSE", f"{i}",
                  [Tensor("int32", (5,), **shape),
                   Tensor("float32", window + (co, ci), data=normal(window + (co, ci))),
                   Tensor("float32", (2,) + tuple(small) + (ci,))] + biases,
                  [Tensor("float32", ())], ("Conv3DOptions", fields))
