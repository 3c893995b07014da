#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden/networks: small networks of every family in every scheme of numbers, with seeded
inputs and the outputs that LiteRT's reference kernels compute. Rerun by hand:

  python3 -m venv venv && venv/bin/pip install -r tests/oracle/networks_requirements.txt
  venv/bin/python tests/oracle/make_networks.py [FAMILY ...]

FAMILY_SCHEME.tflite, and FAMILY_SCHEME.npz with `runINoutputJ`, `runIinputJ` for runs that follow each
other, and `bounds`: for each output what a difference may be, relative to the range of the expected
values. 0 where integers are compared; 1e-5 where only floats lead to it; 0.01 for floats that have
been integers on the way, where the last bit of a float can become a step.
Schemes: float32, float16 (weights), int8 (weights by channel), uint8 (int8 by tensor, rewritten),
int16x8, dynamic (range). A family lacks a scheme where the converter or LiteRT lacks it.
"""

import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import flatbuffers  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
import tf_keras as keras  # noqa: E402
from ai_edge_litert import interpreter as litert  # noqa: E402
from ai_edge_litert import schema_py_generated as schema  # noqa: E402

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import model_graph  # noqa: E402
import network_families  # noqa: E402
import network_svdf  # noqa: E402

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/networks"
SCHEMES = ("float32", "float16", "int8", "uint8", "int16x8", "dynamic")
# LiteRT has no such kernels: BATCH_MATMUL of uint8; LSTM of uint8, which the converter refuses in int16x8.
LACKING = {("attention", "uint8"), ("lstm", "uint8"), ("lstm", "int16x8")}
PER_CHANNEL_OFF = ("_experimental_disable_per_channel",
                   "_experimental_disable_per_channel_quantization_for_dense_layers")


def convert(model, scheme):
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    if scheme != "float32":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if scheme == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if scheme in ("int8", "uint8", "int16x8"):
        shape = model.inputs[0].shape

        def examples():
            for seed in range(16):
                yield [np.random.default_rng(seed).normal(0, 1, shape).astype(np.float32)]

        converter.representative_dataset = examples
        ops = tf.lite.OpsSet
        sixteen = ops.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
        converter.target_spec.supported_ops = ([sixteen, ops.TFLITE_BUILTINS] if scheme == "int16x8"
                                               else [ops.TFLITE_BUILTINS_INT8])
        converter.inference_input_type = tf.int16 if scheme == "int16x8" else tf.int8
        converter.inference_output_type = converter.inference_input_type
        for name in PER_CHANNEL_OFF if scheme == "uint8" else ():
            setattr(converter, name, True)
    content = converter.convert()
    return to_uint8(content) if scheme == "uint8" else content


def to_uint8(content):
    """The same numbers with 128 added to all that is int8."""
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    done = set()
    for tensor in (t for graph in model.subgraphs for t in graph.tensors):
        if tensor.type != schema.TensorType.INT8:
            continue
        tensor.type = schema.TensorType.UINT8
        tensor.quantization.zeroPoint = [int(z) + 128 for z in tensor.quantization.zeroPoint]
        buffer = model.buffers[tensor.buffer]
        if buffer.data is not None and tensor.buffer not in done:
            buffer.data = np.asarray(buffer.data, np.uint8) ^ 0x80
            done.add(tensor.buffer)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def bounds_of(graph):
    floats_only = not any(
        model_graph.TYPE_NAMES[t.type] in ("INT8", "UINT8", "INT16") for t in graph.subgraph().tensors)
    return [0.0 if graph.subgraph().tensors[t].type not in model_graph.FLOATS
            else 1e-5 if floats_only else 0.01 for t in graph.subgraph().outputs]


def run(content, graph):
    """Runs that follow each other: more than one where something is kept between them."""
    interpreter = litert.Interpreter(model_content=content, num_threads=1,
                                     experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    arrays = {"bounds": np.asarray(bounds_of(graph), np.float32)}
    for r in range(4 if graph.is_stateful() else 1):
        for i, (detail, value) in enumerate(zip(interpreter.get_input_details(),
                                                graph.random_inputs(100 + r))):
            interpreter.set_tensor(detail["index"], value)
            arrays[f"run{r}input{i}"] = value
        interpreter.invoke()
        for i, detail in enumerate(interpreter.get_output_details()):
            arrays[f"run{r}output{i}"] = interpreter.get_tensor(detail["index"])
    return arrays


def networks():
    """(family, scheme, bytes) of all."""
    for family in network_families.FAMILIES:
        keras.utils.set_random_seed(7)
        model = family()
        for scheme in SCHEMES:
            if (family.__name__, scheme) not in LACKING:
                yield family.__name__, scheme, lambda m=model, s=scheme: convert(m, s)
    for scheme in network_svdf.SCHEMES:
        yield "svdf", scheme, lambda s=scheme: network_svdf.svdf(s)


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    total = 0
    for family, scheme, make in networks():
        if sys.argv[1:] and family not in sys.argv[1:]:
            continue
        content = make()
        graph = model_graph.Graph(content)
        arrays = run(content, graph)
        path = OUT / f"{family}_{scheme}"
        path.with_suffix(".tflite").write_bytes(content)
        np.savez(path.with_suffix(".npz"), **arrays)
        size = sum(path.with_suffix(s).stat().st_size for s in (".tflite", ".npz"))
        total += size
        print(f"{path.name}: {size} bytes; {' '.join(graph.op_names())}", flush=True)
    print(f"{total} bytes")


if __name__ == "__main__":
    main()
