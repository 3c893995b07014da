// SPDX-License-Identifier: Apache-2.0
#include "tools/json_out.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tools/files.h"
#include "tools/numbers.h"

namespace heddle::tools {
namespace {

const char* KindName(heddle_quantization_kind kind) {
  switch (kind) {
    case HEDDLE_QUANTIZATION_AFFINE:
      return "affine";
    case HEDDLE_QUANTIZATION_BLOCKWISE:
      return "blockwise";
    case HEDDLE_QUANTIZATION_MULTI_AXIS:
      return "multi_axis";
    case HEDDLE_QUANTIZATION_CUSTOM:
      return "custom";
    default:
      return "none";
  }
}

template <typename T>
Json List(const T* values, size_t count) {
  Json list = Json::array();
  for (size_t i = 0; i < count; ++i) list.push_back(values[i]);
  return list;
}

std::string FloatText(float value) { return NumberText(Number::Of(double{value})); }

}  // namespace

Status PrintJson(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    return BadFile("stdout", "cannot be written");
  }
  return {};
}

Json ShapeJson(const heddle_tensor_info& info) {
  if (info.rank < 0) return nullptr;
  return List(Dims(info).data(), Dims(info).size());
}

Json QuantizationJson(const heddle_quantization& quantization) {
  if (quantization.kind == HEDDLE_QUANTIZATION_NONE) return nullptr;
  Json json = {{"kind", KindName(quantization.kind)}};
  if (quantization.kind == HEDDLE_QUANTIZATION_CUSTOM) return json;
  json["axis"] = quantization.axis;
  if (quantization.kind == HEDDLE_QUANTIZATION_MULTI_AXIS) {
    json["axes"] = List(quantization.axes, quantization.axis_count);
  }
  if (quantization.kind == HEDDLE_QUANTIZATION_BLOCKWISE) {
    json["block_size"] = quantization.block_size;
    json["scales_tensor"] = quantization.scales_tensor;
    json["zero_points_tensor"] = quantization.zero_points_tensor;
    return json;
  }
  json["scales"] = List(quantization.scales, quantization.count);
  json["zero_points"] = List(quantization.zero_points, quantization.zero_point_count);
  return json;
}

Json TensorJson(const heddle_tensor_info& info) {
  Json json = {{"name", info.name},        {"dtype", heddle_dtype_get_name(info.dtype)},
               {"shape", ShapeJson(info)}, {"shape_signature", nullptr},
               {"bytes", info.bytes},      {"quantization", QuantizationJson(*info.quantization)}};
  if (info.shape_signature != nullptr) {
    json["shape_signature"] = List(info.shape_signature, Dims(info).size());
  }
  return json;
}

Json FaultsJson(const Status& status) {
  Json faults = Json::array();
  for (size_t i = 0; i < status.fault_count(); ++i) {
    const heddle_error_info fault = status.fault(i);
    Json json = {{"status", heddle_status_get_name(fault.status)},
                 {"phase", heddle_phase_get_name(fault.phase)},
                 {"reason", heddle_reason_get_name(fault.reason)},
                 {"message", fault.message},
                 {"next_step", fault.next_step},
                 {"place", fault.place}};
    if (fault.subgraph >= 0) json["subgraph"] = fault.subgraph;
    if (fault.operator_index >= 0) json["operator"] = fault.operator_index;
    if (fault.op_name != nullptr && fault.op_name[0] != '\0') {
      json["op"] = fault.op_name;
      json["version"] = fault.op_version;
    }
    if (fault.tensor >= 0) json["tensor"] = fault.tensor;
    faults.push_back(std::move(json));
  }
  return faults;
}

std::string QuantizationText(const heddle_quantization& quantization) {
  const float* scales = quantization.scales;
  switch (quantization.kind) {
    case HEDDLE_QUANTIZATION_NONE:
      return "";
    case HEDDLE_QUANTIZATION_CUSTOM:
      return "custom";
    case HEDDLE_QUANTIZATION_BLOCKWISE:
      return "blocks of " + std::to_string(quantization.block_size) + " along axis " +
             std::to_string(quantization.axis);
    case HEDDLE_QUANTIZATION_MULTI_AXIS:
      return std::to_string(quantization.count) + " scales along axes " +
             ShapeText(Span<const int32_t>(quantization.axes, quantization.axis_count));
    default:
      break;
  }
  if (quantization.count == 1) {
    const int64_t zero = quantization.zero_point_count > 0 ? quantization.zero_points[0] : 0;
    return "scale " + FloatText(scales[0]) + " zero " + std::to_string(zero);
  }
  const auto range = std::minmax_element(scales, scales + quantization.count);
  return std::to_string(quantization.count) + " scales " + FloatText(*range.first) + ".." +
         FloatText(*range.second) + " axis " + std::to_string(quantization.axis);
}

std::string ShapeText(const heddle_tensor_info& info) {
  return info.rank < 0 ? "[?]" : ShapeText(Dims(info));
}

}  // namespace heddle::tools
