# SPDX-License-Identifier: Apache-2.0
"""The cases of make_op_cases.py: operators, types, shapes, attributes, quantisations."""

import op_cases_elementwise as elementwise
import op_cases_layout as layout
import op_cases_network as network
import op_cases_recurrent as recurrent
from op_case_base import Cases

MAKERS = (
    network.conv_cases, network.depthwise_cases, network.fully_connected_cases,
    network.pool_cases, network.softmax_cases, network.quantize_cases,
    elementwise.binary_cases, elementwise.compare_cases, elementwise.unary_cases,
    elementwise.cast_cases, layout.shape_cases, layout.concatenation_cases, layout.mean_cases,
    layout.layout_cases,
    recurrent.svdf_cases, recurrent.lstm_cases, recurrent.rnn_cases,
    recurrent.bidirectional_cases)


def all_cases():
    """Lists of cases by the name of their op."""
    cases = Cases()
    for make in MAKERS:
        make(cases)
    return cases.by_op
