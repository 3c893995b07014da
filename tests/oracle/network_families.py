# SPDX-License-Identifier: Apache-2.0
"""The small networks of make_networks.py that TensorFlow converts: one function a family. Weights are
drawn at random, for what is compared is arithmetic; those of some layers have the 1024 elements from
which the converter quantises them alone (dynamic range)."""

import tensorflow as tf
import tf_keras as keras

L = keras.layers


def conv(filters, size=3, strides=1, activation=None, **options):
    return L.Conv2D(filters, size, strides, "same", activation=activation,
                    bias_initializer=keras.initializers.RandomNormal(stddev=0.1), **options)


def depthwise(strides=1):
    return L.DepthwiseConv2D(3, strides, "same", activation=tf.nn.relu6,
                             bias_initializer=keras.initializers.RandomNormal(stddev=0.1))


def image(side=16, channels=3):
    return keras.Input(batch_shape=(1, side, side, channels))


def plain_cnn():
    x = image()
    y = conv(12, strides=2, activation="relu")(x)
    y = L.MaxPool2D()(y)
    y = L.Conv2D(16, 3, padding="valid", activation=tf.nn.relu6)(y)
    y = L.Dense(32, activation="tanh")(L.Flatten()(y))
    return keras.Model(x, L.Dense(10, activation="softmax")(y))


def residual():
    x = image()
    y = conv(12, strides=2, activation="relu")(x)
    for _ in range(2):
        y = L.ReLU()(L.Add()([y, conv(12)(conv(12, activation="relu")(y))]))
    y = conv(16, 1, 2)(y)
    y = L.PReLU(keras.initializers.RandomNormal(0.2, 0.1), shared_axes=[1, 2])(y)
    return keras.Model(x, L.Dense(10)(L.GlobalAveragePooling2D()(y)))


def depthwise_separable():
    x = image()
    y = conv(8, strides=2, activation=tf.nn.relu6)(x)
    for filters, strides in ((32, 1), (36, 2)):
        y = conv(filters, 1, activation=tf.nn.relu6)(depthwise(strides)(y))
    y = L.ZeroPadding2D(1)(y)
    y = L.AveragePooling2D(3, 2)(y)
    return keras.Model(x, L.Dense(10, activation="softmax")(L.Flatten()(y)))


def squeeze_excite():
    x = image()
    y = conv(16, strides=2)(x)
    y = y * tf.nn.relu6(y + 3.0) * (1 / 6)  # becomes HARD_SWISH
    squeezed = L.GlobalAveragePooling2D(keepdims=True)(y)
    gate = conv(16, 1, activation="sigmoid")(conv(4, 1, activation="relu")(squeezed))
    y = conv(16, activation=tf.nn.leaky_relu)(L.Multiply()([y, gate]))
    return keras.Model(x, L.Dense(10)(L.GlobalMaxPooling2D()(y)))


def detector_head():
    x = image(32)
    fine = conv(12, strides=4, activation="relu")(x)
    coarse = conv(16, strides=2, activation="relu")(fine)
    raised = L.UpSampling2D(2, interpolation="nearest")(coarse)
    fine = conv(16, activation="relu")(L.Concatenate()([fine, raised]))
    boxes, scores = [], []
    for level in (fine, coarse):
        cells = level.shape[1] * level.shape[2]
        boxes.append(tf.reshape(conv(8)(level), (1, 2 * cells, 4)))
        scores.append(tf.reshape(conv(6)(level), (1, 2 * cells, 3)))
    boxes, scores = tf.concat(boxes, 1), tf.concat(scores, 1)
    center, size = boxes[:, :, :2], boxes[:, :, 2:]
    corners = tf.concat([center - size * 0.5, center + size * 0.5], 2)
    return keras.Model(x, [corners, tf.sigmoid(scores)])


def lstm():
    x = keras.Input(batch_shape=(1, 4, 26))
    y = L.LSTM(40, return_sequences=True,
               bias_initializer=keras.initializers.RandomNormal(stddev=0.2))(x)
    return keras.Model(x, L.Dense(6)(y))


def attention():
    x = keras.Input(batch_shape=(1, 8, 32))
    q, k, v = (L.Dense(32)(x) for _ in range(3))
    weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * 32 ** -0.5)
    y = x + L.Dense(32)(tf.matmul(weights, v))
    centred = y - tf.reduce_mean(y, -1, keepdims=True)
    variance = tf.reduce_mean(centred * centred, -1, keepdims=True)
    y = centred * tf.math.rsqrt(variance + 1e-3) * tf.linspace(0.5, 1.5, 32) + 0.1
    return keras.Model(x, y + L.Dense(32)(L.Dense(48, activation="relu")(y)))


def segmentation():
    x = image(16)
    first = conv(8, strides=2, activation="relu")(x)
    deep = conv(16, activation="relu", dilation_rate=2)(conv(16, strides=2, activation="relu")(first))
    raised = L.Conv2DTranspose(8, 3, 2, "same")(deep)
    y = conv(16, activation="relu")(L.Concatenate()([first, raised]))
    y = L.UpSampling2D(2, interpolation="bilinear")(conv(4)(y))
    return keras.Model(x, [y, tf.argmax(y, -1)])


FAMILIES = (plain_cnn, residual, depthwise_separable, squeeze_excite, detector_head, lstm, attention,
            segmentation)
