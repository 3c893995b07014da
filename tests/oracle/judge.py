# SPDX-License-Identifier: Apache-2.0
"""When two tensors agree: integers exactly, floats within 1e-5 of the expected values' range."""

import dataclasses

import numpy as np

FLOAT_BOUND = 1e-5


@dataclasses.dataclass
class Difference:
    agrees: bool
    worst: float = 0.0  # floats: relative to the range; integers: steps
    is_float: bool = False
    note: str = ""

    def text(self):
        if self.note:
            return self.note
        if self.worst == 0:
            return "0"
        return f"{self.worst:.1e}" if self.is_float else f"{self.worst:.0f} steps"


def compare(actual, expected):
    if actual.shape != expected.shape:
        return Difference(False, np.inf, note=f"shape {actual.shape}, not {expected.shape}")
    if actual.dtype != expected.dtype:
        return Difference(False, np.inf, note=f"type {actual.dtype}, not {expected.dtype}")
    if expected.dtype == object:
        same = actual.reshape(-1).tolist() == expected.reshape(-1).tolist()
        return Difference(same, note="" if same else "other strings")
    if expected.dtype.kind not in "fc":
        if expected.dtype == bool:
            actual, expected = actual.astype(np.int8), expected.astype(np.int8)
        if np.array_equal(actual, expected):
            return Difference(True)
        return Difference(False, float(np.max(np.abs(actual.astype(np.float64) -
                                                     expected.astype(np.float64)))))
    if expected.dtype.kind == "c":
        expected, actual = (v.view(v.real.dtype) for v in map(np.ascontiguousarray,
                                                              (expected, actual)))
    actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(expected)
    if not np.array_equal(actual[~finite], expected[~finite], equal_nan=True):
        return Difference(False, np.inf, True, "infinities or NaN elsewhere")
    if not np.all(np.isfinite(actual[finite])):
        return Difference(False, np.inf, True, "infinities or NaN elsewhere")
    if not finite.any():
        return Difference(True, 0.0, True)
    error = float(np.max(np.abs(actual[finite] - expected[finite])))
    span = float(np.max(np.abs(expected[finite])))
    if error == 0:
        return Difference(True, 0.0, True)
    worst = error / span if span > 0 else np.inf
    return Difference(worst <= FLOAT_BOUND, worst, True)


def snr_db(actual, reference):
    """Signal-to-noise in dB, at most 120."""
    if actual.shape != reference.shape:
        return -np.inf
    actual, reference = actual.astype(np.float64), reference.astype(np.float64)
    known = np.isfinite(actual) & np.isfinite(reference)
    noise = np.sum((actual[known] - reference[known]) ** 2)
    signal = np.sum(reference[known] ** 2)
    if noise == 0:
        return 120.0
    return float(min(120.0, 10 * np.log10(signal / noise))) if signal > 0 else -np.inf
