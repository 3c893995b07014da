// SPDX-License-Identifier: Apache-2.0
// What --json prints: one object.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "heddle/heddle.hpp"
#include "tools/array.h"

namespace heddle::tools {

using Json = nlohmann::ordered_json;

// One line on stdout; text that is no UTF-8 has its bad bytes replaced.
Status PrintJson(const Json& json);

Json ShapeJson(const heddle_tensor_info& info);
// {"kind": "affine", "axis": 0, "scales": [...], "zero_points": [...]}, null if there is none.
Json QuantizationJson(const heddle_quantization& quantization);
// name, dtype, shape, shape_signature, bytes, quantization.
Json TensorJson(const heddle_tensor_info& info);
// Faults with status, phase, reason, message, next_step, place and what they name.
Json FaultsJson(const Status& status);

// The same for people: "scale 0.0039 zero point -128", "per channel: 32 scales along axis 0".
std::string QuantizationText(const heddle_quantization& quantization);
// "[1,8,8,1]", and "[?]" for an unknown rank.
std::string ShapeText(const heddle_tensor_info& info);

}  // namespace heddle::tools
