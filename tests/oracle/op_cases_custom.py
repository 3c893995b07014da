# SPDX-License-Identifier: Apache-2.0
"""Cases of the custom ops that LiteRT has too."""

import itertools

import numpy as np
from op_case_base import Tensor


def detection_tensors(random, kind, boxes, columns, spread, ties):
    """Offsets, scores, anchors. Few anchors' places: boxes cover each other. `ties`: of scores."""
    offsets = random.normal(0, spread, (1, boxes, 4))
    scores = random.uniform(0, 1, (1, boxes, columns))
    if ties:
        scores = np.round(scores * 4) / 4
    anchors = np.concatenate([random.integers(0, 3, (boxes, 2)) / 4 + 0.2,
                              random.uniform(0.1, 0.5, (boxes, 2))], 1)
    if kind == "float32":
        return [Tensor("float32", a.shape, value=[a.astype(np.float32)])
                for a in (offsets, scores)] + [Tensor("float32", anchors.shape, data=anchors)]
    tensors = []
    for values, scale, zero_point in ((offsets, 0.06, 121), (scores, 1 / 255, 0), (anchors, 0.005, 3)):
        bytes_ = np.clip(np.round(values / scale) + zero_point, 0, 255).astype(np.uint8)
        tensors.append(Tensor("uint8", values.shape, (scale, zero_point), value=[bytes_]))
    return tensors


def zero_unset_detections(classes_given, per_box):
    """LiteRT leaves what lies behind the last detection, or its last class, as the memory was."""
    def tidy(outputs):
        boxes, classes, scores, count = outputs
        is_set = np.zeros(classes.shape, bool).reshape(-1, per_box)
        is_set[:int(count[0]), :classes_given] = True
        for output in (boxes, classes, scores):
            output[~is_set.reshape(classes.shape)] = 0
    return tidy


def detection_cases(cases):
    # boxes, classes, background, wanted boxes, classes a box, of a class, score, overlap
    geometries = [
        (12, 3, 1, 4, 1, 100, 0.0, 0.5), (20, 5, 1, 6, 3, 100, 0.3, 0.4),
        (10, 1, 0, 5, 1, 2, 0.2, 0.6), (16, 4, 0, 1, 2, 3, 0.5, 1.0),
        (30, 6, 1, 10, 2, 4, 0.6, 0.1), (5, 2, 1, 8, 4, 1, 0.95, 0.5), (3, 7, 0, 0, 1, 1, 0.1, 0.5),
    ]
    for kind, regular, (i, geometry) in itertools.product(
            ("float32", "uint8"), (False, True), enumerate(geometries)):
        boxes, classes, background, wanted, per_box, per_class, score, overlap = geometry
        if regular and wanted == 0:
            continue  # LiteRT refuses it
        random = np.random.default_rng(1000 * i + (kind == "uint8"))
        options = dict(max_detections=wanted, max_classes_per_detection=per_box,
                       nms_score_threshold=score, nms_iou_threshold=overlap, num_classes=classes,
                       y_scale=10.0, x_scale=10.0, h_scale=5.0, w_scale=5.0)
        if regular:
            options.update(use_regular_nms=True, detections_per_class=per_class)
        count = wanted * per_box
        tidy = zero_unset_detections(min(per_box, classes), per_box)
        if regular:  # one class a box, one after the other
            tidy = zero_unset_detections(1, 1)
        cases.add("TFLite_Detection_PostProcess",
                  f"{kind} {'regular' if regular else 'fast'} {i}",
                  detection_tensors(random, kind, boxes, classes + background, 2.0, i % 2 == 1),
                  [Tensor("float32", shape) for shape in
                   ((1, count, 4), (1, count), (1, count), (1,))], custom=options, tidy=tidy)


def spectrogram_cases(cases):
    # samples, channels, window, stride, squared
    geometries = [(64, 1, 16, 8, True), (50, 2, 10, 7, False), (100, 1, 33, 50, True),
                  (9, 1, 10, 3, True), (10, 3, 10, 3, False), (5, 1, 2, 1, True), (7, 1, 3, 9, False)]
    for i, (samples, channels, window, stride, squared) in enumerate(geometries):
        size = 1 << (window - 1).bit_length()
        rows = 0 if samples < window else 1 + (samples - window) // stride
        cases.add("AudioSpectrogram", f"float32 {i}", [Tensor("float32", (samples, channels))],
                  [Tensor("float32", (channels, rows, 1 + size // 2))], span=0.5,
                  custom=dict(window_size=window, stride=stride, magnitude_squared=squared))


def mfcc_cases(cases):
    # channels, windows, frequencies, rate, lower, upper, bands, coefficients
    geometries = [(1, 3, 65, 16000, 20, 4000, 10, 5), (2, 2, 33, 8000, 0, 4000, 8, 8),
                  (1, 1, 257, 44100, 300, 12000, 40, 13), (1, 2, 9, 16000, 20, 4000, 20, 4),
                  (1, 0, 9, 16000, 20, 4000, 4, 4), (1, 1, 2, 8000, 100, 3000, 1, 1)]
    for i, geometry in enumerate(geometries):
        channels, windows, frequencies, rate, lower, upper, bands, coefficients = geometry
        random = np.random.default_rng(i)
        squares = random.normal(0, 3, (channels, windows, frequencies)).astype(np.float32) ** 2
        if i == 0:
            squares[0, 1] = 0
        rates = Tensor("int32", (1,), value=[np.array([rate], np.int32)])
        cases.add("Mfcc", f"float32 {i}",
                  [Tensor("float32", squares.shape, value=[squares]), rates],
                  [Tensor("float32", (channels, windows, coefficients))],
                  custom=dict(upper_frequency_limit=float(upper), lower_frequency_limit=float(lower),
                              filterbank_channel_count=bands, dct_coefficient_count=coefficients))
