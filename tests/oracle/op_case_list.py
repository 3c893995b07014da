# SPDX-License-Identifier: Apache-2.0
"""The cases of make_op_cases.py: operators, types, shapes, attributes, quantisations."""

import op_cases_elementwise as elementwise
import op_cases_indices as indices
import op_cases_layout as layout
import op_cases_network as network
import op_cases_pads as pads
import op_cases_parts as parts
import op_cases_select as select
import op_cases_views as views
from op_case_base import Cases

MAKERS = (
    network.conv_cases, network.depthwise_cases, network.fully_connected_cases,
    network.pool_cases, network.softmax_cases, network.quantize_cases,
    elementwise.binary_cases, elementwise.compare_cases, elementwise.unary_cases,
    elementwise.cast_cases, layout.shape_cases, layout.concatenation_cases, layout.mean_cases,
    layout.layout_cases, views.strided_slice_cases, views.slice_cases, views.repeat_cases,
    views.block_cases, parts.pack_cases, parts.split_cases, parts.rank_cases, indices.gather_cases,
    indices.scatter_cases, indices.lookup_cases, indices.order_cases, pads.pad_cases,
    pads.batch_cases, pads.update_cases, pads.diagonal_cases, select.select_cases,
    select.made_cases)


def all_cases():
    """Lists of cases by the name of their op."""
    cases = Cases()
    for make in MAKERS:
        make(cases)
    return cases.by_op
