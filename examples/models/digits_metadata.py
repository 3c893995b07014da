# SPDX-License-Identifier: Apache-2.0
"""Rewrites a converted digits model: readable tensor names, model metadata and a label file.

The converter names tensors after its own passes. Here each operator of the known graph gives its
name to its output and its constants, the signature and the metadata follow, and the labels are
appended to the model as a zip archive, the way TFLite's metadata convention packs associated files.
"""

import io
import zipfile

import flatbuffers
from tensorflow.lite.python import schema_py_generated as schema

LABEL_FILE = "labels.txt"
LABELS = [str(digit) for digit in range(10)]
METADATA_NAME = b"TFLITE_METADATA"

# The operators of the graph in execution order: name of the operator and its builtin code.
GRAPH = [
    ("conv1", "CONV_2D"),
    ("depthwise", "DEPTHWISE_CONV_2D"),
    ("pointwise", "CONV_2D"),
    ("residual", "ADD"),
    ("pool1", "MAX_POOL_2D"),
    ("conv2", "CONV_2D"),
    ("pool2", "MAX_POOL_2D"),
    ("flatten", "RESHAPE"),
    ("logits", "FULLY_CONNECTED"),
    ("probabilities", "SOFTMAX"),
]

# Facts of TFLite's metadata schema (file identifier M001): values of its enumerations.
_TENSOR_AXIS_LABELS = 2
_GRAYSCALE = 2
_IMAGE_PROPERTIES = 2
_NORMALIZATION_OPTIONS = 1
_BUFFER_ALIGNMENT = 16


class _AlignedBuffer(schema.BufferT):
    """A buffer whose bytes start at a multiple of 16, which the Python packer does not see to."""

    def __init__(self, data):
        super().__init__()
        self.data = bytes(data)

    def Pack(self, builder):
        builder.StartVector(1, len(self.data), _BUFFER_ALIGNMENT)
        builder.head -= len(self.data)
        builder.Bytes[builder.head : builder.head + len(self.data)] = self.data
        data = builder.EndVector()
        schema.BufferStart(builder)
        schema.BufferAddData(builder, data)
        return schema.BufferEnd(builder)


def load(model_bytes):
    """The object tree of a model."""
    return schema.ModelT.InitFromObj(schema.Model.GetRootAs(model_bytes, 0))


def op_list(model):
    """[(name, version)] of the operators of the main subgraph, in execution order."""
    names = {value: name for name, value in vars(schema.BuiltinOperator).items() if name.isupper()}
    codes = [model.operatorCodes[op.opcodeIndex] for op in model.subgraphs[0].operators]
    return [(names[max(c.builtinCode, c.deprecatedBuiltinCode)], c.version) for c in codes]


def finish(model_bytes, name, description):
    """The converted model with names, signature, metadata and labels: the bytes of the file."""
    model = load(model_bytes)
    converted = [op for op, _ in op_list(model)]
    if len(model.subgraphs) != 1 or converted != [op for _, op in GRAPH]:
        raise SystemExit(f"the converter gave another graph than expected: {converted}")
    graph = model.subgraphs[0]
    graph.name = b"main"
    _name_tensors(graph)
    _check_signature(model)
    model.description = description.encode()
    model.buffers = [
        schema.BufferT() if buffer.data is None else _AlignedBuffer(buffer.data)
        for buffer in model.buffers
    ]
    entry = schema.MetadataT()
    entry.name = METADATA_NAME
    entry.buffer = len(model.buffers)
    model.buffers.append(_AlignedBuffer(_metadata(name, description)))
    model.metadata = (model.metadata or []) + [entry]

    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(model.Pack(builder), b"TFL3")
    return _append_archive(bytes(builder.Output()))


def _name_tensors(graph):
    tensors = graph.tensors
    tensors[graph.inputs[0]].name = b"image"
    for (name, op_name), op in zip(GRAPH, graph.operators):
        tensors[op.outputs[0]].name = name.encode()
        constants = {"RESHAPE": ["shape"], "ADD": []}.get(op_name, ["weights", "bias"])
        for index, role in zip(op.inputs[1:], constants):
            tensors[index].name = f"{name}/{role}".encode()
    names = [tensor.name for tensor in tensors]
    if len(set(names)) != len(names):
        raise SystemExit(f"two tensors share a name: {names}")


def _check_signature(model):
    """The converter takes the signature from the saved model; the files promise this one."""
    (signature,) = model.signatureDefs
    graph = model.subgraphs[0]
    found = (
        signature.signatureKey,
        [(t.name, t.tensorIndex) for t in signature.inputs],
        [(t.name, t.tensorIndex) for t in signature.outputs],
    )
    wanted = (
        b"serving_default",
        [(b"image", graph.inputs[0])],
        [(b"probabilities", graph.outputs[0])],
    )
    if found != wanted:
        raise SystemExit(f"the model's signature is {found}, wanted {wanted}")


def _table(builder, slots, fields):
    """A table of `slots` fields; `fields` maps a field id to an offset or (writer, value)."""
    builder.StartObject(slots)
    for slot, value in fields.items():
        if isinstance(value, tuple):
            writer, scalar = value
            writer(builder, slot, scalar, 0)
        else:
            builder.PrependUOffsetTRelativeSlot(slot, value, 0)
    return builder.EndObject()


def _offsets(builder, offsets):
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    return builder.EndVector()


def _floats(builder, values):
    builder.StartVector(4, len(values), 4)
    for value in reversed(values):
        builder.PrependFloat32(value)
    return builder.EndVector()


def _metadata(name, description):
    """The metadata flatbuffer: what the input and output mean, and which file has the labels."""
    b = flatbuffers.Builder(1024)
    text = b.CreateString
    byte = flatbuffers.Builder.PrependUint8Slot
    signed_byte = flatbuffers.Builder.PrependInt8Slot
    uint32 = flatbuffers.Builder.PrependUint32Slot

    size = _table(b, 2, {0: (uint32, 8), 1: (uint32, 8)})
    image = _table(b, 2, {0: (signed_byte, _GRAYSCALE), 1: size})
    content = _table(b, 3, {0: (byte, _IMAGE_PROPERTIES), 1: image})
    # (pixel - mean) / std, for the float value; an int8 input is that value quantised.
    normalization = _table(b, 2, {0: _floats(b, [0.0]), 1: _floats(b, [255.0])})
    unit = _table(b, 2, {0: (byte, _NORMALIZATION_OPTIONS), 1: normalization})
    stats = _table(b, 2, {0: _floats(b, [1.0]), 1: _floats(b, [0.0])})
    image_tensor = _table(b, 7, {
        0: text("image"),
        1: text("Handwritten digit, 8x8 grey pixels, white on black, as pixel / 255."),
        3: content,
        4: _offsets(b, [unit]),
        5: stats,
    })

    labels = _table(b, 5, {
        0: text(LABEL_FILE),
        1: text("The digit that each output stands for."),
        2: (signed_byte, _TENSOR_AXIS_LABELS),
    })
    stats = _table(b, 2, {0: _floats(b, [1.0]), 1: _floats(b, [0.0])})
    probabilities = _table(b, 7, {
        0: text("probabilities"),
        1: text("Probability of each digit."),
        5: stats,
        6: _offsets(b, [labels]),
    })

    subgraph = _table(b, 10, {
        0: text("main"),
        2: _offsets(b, [image_tensor]),
        3: _offsets(b, [probabilities]),
    })
    root = _table(b, 8, {
        0: text(name),
        1: text(description),
        2: text("1"),
        3: _offsets(b, [subgraph]),
        4: text("The Heddle authors"),
        5: text("Apache-2.0"),
        7: text("1.0.0"),
    })
    b.Finish(root, b"M001")
    return bytes(b.Output())


def _append_archive(model_bytes):
    stream = io.BytesIO(model_bytes)
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_STORED) as archive:
        # A ZipInfo of its own has a fixed date, so that the same model gives the same bytes.
        archive.writestr(zipfile.ZipInfo(LABEL_FILE), "".join(f"{label}\n" for label in LABELS))
    return stream.getvalue()
