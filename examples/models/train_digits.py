#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the digit classifiers that Heddle ships, and writes all that is beside this script.

Rerun by hand only; nothing in the build runs it. Setting up takes a minute or two and some 2 GB of
disk for TensorFlow, the run itself under a minute on one core. With Python 3.11, from the root of
the repository:

    venv="${XDG_CACHE_HOME:-$HOME/.cache}/heddle/train-digits"
    python3 -m venv "$venv"
    "$venv/bin/pip" install -r examples/models/requirements.txt
    "$venv/bin/python" examples/models/train_digits.py

Seeds are fixed, TensorFlow's ops are deterministic and run on one thread, so the same versions on
the same kind of processor write the same bytes. Another processor may round differently, and then
gives other weights of the same quality: the script stops if a model misses its accuracy.
"""

import os
import pathlib
import random
import sys
import tempfile

# Read by TensorFlow when it is imported. oneDNN would choose kernels by processor.
os.environ.update(CUDA_VISIBLE_DEVICES="-1", TF_CPP_MIN_LOG_LEVEL="2", TF_ENABLE_ONEDNN_OPTS="0")

import keras
import numpy as np
import PIL.Image
import tensorflow as tf
from ai_edge_litert import interpreter as litert
from sklearn import datasets, model_selection

import digits_metadata
import digits_readme

HERE = pathlib.Path(__file__).resolve().parent
SEED = 20240229
EPOCHS = 80
BATCH = 32
MIN_FLOAT_ACCURACY = 0.975
MAX_INT8_LOSS = 0.01
MAX_MODEL_BYTES = 80 * 1000

RESOLVERS = {
    "reference": litert.OpResolverType.BUILTIN_REF,
    "default": litert.OpResolverType.AUTO,
}


def pixels(raw):
    """Grey values 0..255 of the data set's 0..16, halves rounded up: exact in integers."""
    return (raw.astype(np.int32) * 255 + 8) // 16


def image_input(raw):
    """The model's float input [N, 8, 8, 1] in 0..1."""
    return (pixels(raw).astype(np.float32) / np.float32(255))[..., np.newaxis]


def split():
    digits = datasets.load_digits()
    return model_selection.train_test_split(
        digits.images.astype(np.uint8),
        digits.target.astype(np.uint8),
        test_size=0.25,
        stratify=digits.target,
        random_state=SEED,
    )


class Flatten(keras.layers.Layer):
    """One RESHAPE to [-1, 128]; Keras' own would compute the batch with SHAPE and PACK."""

    def call(self, x):
        return tf.reshape(x, [-1, 128])

    def compute_output_shape(self, input_shape):
        return (input_shape[0], 128)


def build():
    layers = keras.layers
    image = keras.Input((8, 8, 1), name="image")
    stem = layers.Conv2D(16, 3, padding="same", activation="relu")(image)
    x = layers.DepthwiseConv2D(3, padding="same", activation="relu")(stem)
    x = layers.Conv2D(16, 1)(x)
    x = layers.ReLU()(layers.Add()([stem, x]))
    x = layers.MaxPooling2D(2)(x)
    x = layers.Conv2D(32, 3, padding="same", activation="relu")(x)
    x = layers.MaxPooling2D(2)(x)
    x = layers.Dropout(0.3)(Flatten()(x))
    return keras.Model(image, layers.Dense(10, activation="softmax")(x))


def shifted(images, rng):
    """Each image moved by at most one pixel either way: the digits are not quite centred."""
    padded = np.pad(images, ((0, 0), (1, 1), (1, 1), (0, 0)))
    moves = rng.integers(0, 3, size=(len(images), 2))
    return np.stack([p[y : y + 8, x : x + 8] for p, (y, x) in zip(padded, moves)])


def train(images, labels):
    model = build()
    steps = EPOCHS * -(-len(images) // BATCH)
    rate = keras.optimizers.schedules.CosineDecay(3e-3, steps)
    model.compile(keras.optimizers.Adam(rate), "sparse_categorical_crossentropy")
    rng = np.random.default_rng(SEED)
    for _ in range(EPOCHS):
        # Half the images stay in place, as those to be classified are.
        stay = rng.random(len(images)) < 0.5
        batch = np.where(stay[:, None, None, None], images, shifted(images, rng))
        model.fit(batch.astype(np.float32), labels, batch_size=BATCH, verbose=0)
    return model


def convert(model, representative=None):
    """The .tflite bytes; int8 throughout when representative images are given."""

    # Weights as constants, since the converter would keep the model's variables as variables.
    weights = [tf.constant(v.numpy()) for v in model.trainable_variables]
    others = [tf.constant(v.numpy()) for v in model.non_trainable_variables]

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 1], tf.float32, name="image")])
    def serve(image):
        return {"probabilities": model.stateless_call(weights, others, image, training=False)[0]}

    module = tf.Module()
    module.serve = serve
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, signatures={"serving_default": serve})
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        if representative is not None:
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
            converter.representative_dataset = lambda: (
                {"image": image[np.newaxis]} for image in representative
            )
            converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
            converter.inference_input_type = tf.int8
            converter.inference_output_type = tf.int8
        return converter.convert()


def litert_outputs(model_bytes, images, resolver):
    """LiteRT's outputs for float images, one at a time; a resized batch must give the same."""
    runtime = litert.Interpreter(
        model_content=model_bytes, experimental_op_resolver_type=resolver, num_threads=1
    )
    runner = runtime.get_signature_runner("serving_default")
    detail = runner.get_input_details()["image"]
    if detail["dtype"] == np.int8:
        scale, zero_point = detail["quantization"]
        quantised = np.rint(images / np.float32(scale)) + zero_point
        images = np.clip(quantised, -128, 127).astype(np.int8)
    one = [runner(image=image[np.newaxis])["probabilities"][0].copy() for image in images]
    together = runner(image=images)["probabilities"]
    slack = 1 if detail["dtype"] == np.int8 else 1e-5
    if np.abs(np.stack(one).astype(np.float64) - together).max() > slack:
        raise SystemExit("LiteRT's outputs depend on the batch")
    return np.stack(one)


def write_images(raw, labels):
    """The first held-out image of each digit as PNG; returns their indices in the split."""
    folder = HERE / "images"
    folder.mkdir(exist_ok=True)
    chosen = [int(np.flatnonzero(labels == digit)[0]) for digit in range(10)]
    for digit, index in enumerate(chosen):
        grey = pixels(raw[index]).astype(np.uint8)
        PIL.Image.fromarray(grey, "L").save(folder / f"digit_{digit}.png", optimize=True)
    return chosen


def main():
    random.seed(SEED)
    tf.keras.utils.set_random_seed(SEED)
    tf.config.experimental.enable_op_determinism()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)

    train_raw, test_raw, train_labels, test_labels = split()
    model = train(image_input(train_raw), train_labels)
    models = {
        "float": digits_metadata.finish(
            convert(model), "Heddle digits", "Handwritten digits, float32."
        ),
        "int8": digits_metadata.finish(
            convert(model, image_input(train_raw)), "Heddle digits", "Handwritten digits, int8."
        ),
    }

    test_images = image_input(test_raw)
    outputs = {
        f"{kind}_{name}": litert_outputs(model_bytes, test_images, resolver)
        for kind, model_bytes in models.items()
        for name, resolver in RESOLVERS.items()
    }
    accuracy = {
        key: float(np.mean(np.argmax(values, axis=1) == test_labels))
        for key, values in outputs.items()
    }

    for kind, model_bytes in models.items():
        (HERE / f"digits_{kind}.tflite").write_bytes(model_bytes)
    # Not compressed, so that a test can read them without inflate.
    np.savez(HERE / "digits_test.npz", images=test_raw, labels=test_labels)
    np.savez(HERE / "digits_litert.npz", **outputs)
    chosen = write_images(test_raw, test_labels)
    readme = digits_readme.text(models, accuracy, outputs, chosen, len(train_raw), len(test_raw))
    (HERE / "README.md").write_text(readme)
    print(readme)

    failures = [
        key
        for key, value in accuracy.items()
        if value < MIN_FLOAT_ACCURACY - (MAX_INT8_LOSS if key.startswith("int8") else 0)
        or value < accuracy["float_reference"] - MAX_INT8_LOSS
    ]
    failures += [
        f"{key} on images/digit_{digit}.png"
        for key, values in outputs.items()
        for digit, index in enumerate(chosen)
        if np.argmax(values[index]) != digit
    ]
    if sum(map(len, models.values())) > MAX_MODEL_BYTES:
        failures.append("size of the models")
    if failures:
        sys.exit("not good enough: " + ", ".join(failures))


if __name__ == "__main__":
    main()
