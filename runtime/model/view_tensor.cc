// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <map>

#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"
#include "runtime/base/half.h"
#include "runtime/base/strings.h"
#include "runtime/model/view.h"

namespace heddle {
namespace {

void ReadBlockwise(const schema::BlockwiseQuantization& source, TensorDef* tensor) {
  heddle_quantization& quantization = tensor->quantization;
  quantization.kind = HEDDLE_QUANTIZATION_BLOCKWISE;
  quantization.scales_tensor = source.scales();
  quantization.zero_points_tensor = source.zero_points();
  quantization.block_size = source.block_size();
  tensor->block_shape = SpanOf(source.block_shape());
}

void ReadMultiAxis(const schema::MultiAxisQuantization& source, TensorDef* tensor) {
  heddle_quantization& quantization = tensor->quantization;
  quantization.kind = HEDDLE_QUANTIZATION_MULTI_AXIS;
  quantization.scales_tensor = source.scales();
  quantization.zero_points_tensor = source.zero_points();
  quantization.block_size = source.block_size();
  const auto axes = SpanOf(source.quantized_dimensions());
  quantization.axes = axes.data();
  quantization.axis_count = axes.size();
}

// The numbers of a FLOAT16 or FLOAT32 constant; empty if it is none.
std::vector<float> RealNumbers(const TensorDef& tensor) {
  std::vector<float> numbers;
  int64_t elements = 0;
  if (!tensor.is_constant || tensor.is_sparse || !ElementCount(tensor.dims, &elements)) return {};
  const auto count = static_cast<uint64_t>(elements);
  if (tensor.dtype == HEDDLE_DTYPE_FLOAT32 && count == tensor.data.size() / sizeof(float)) {
    numbers.resize(count);
    std::memcpy(numbers.data(), tensor.data.data(), count * sizeof(float));
  } else if (tensor.dtype == HEDDLE_DTYPE_FLOAT16 && count == tensor.data.size() / 2) {
    numbers.resize(count);
    for (size_t i = 0; i < numbers.size(); ++i) {
      uint16_t half;
      std::memcpy(&half, tensor.data.data() + i * sizeof(half), sizeof(half));
      numbers[i] = HalfToFloat(half);
    }
  }
  return numbers;
}

}  // namespace

Status ModelBuilderAccess::BuildTensor(const Site& site, const schema::Tensor& source,
                                       TensorDef* tensor) {
  tensor->name = ViewOf(source.name());
  HEDDLE_RETURN_IF_ERROR(BuildType(site, source.type(), "type", &tensor->dtype));
  tensor->dims = SpanOf(source.shape());
  tensor->shape_signature = SpanOf(source.shape_signature());
  // Only files that set has_rank at all tell a scalar from an unknown rank by it.
  tensor->has_rank = !file_tells_rank_ || source.has_rank() || !tensor->dims.empty();
  tensor->is_variable = source.is_variable();
  tensor->buffer = source.buffer();
  tensor->external_buffer = source.external_buffer();
  tensor->is_sparse = source.sparsity() != nullptr;
  tensor->sparsity = source.sparsity();
  HEDDLE_RETURN_IF_ERROR(BufferBytes(tensor->buffer, site, "buffer", &tensor->data));
  tensor->is_constant = !tensor->data.empty();
  if (std::any_of(tensor->dims.begin(), tensor->dims.end(), [](int32_t dim) { return dim < 0; })) {
    // Some writers put the signature's -1 here.
    if (tensor->shape_signature.empty()) tensor->shape_signature = tensor->dims;
    tensor->dims = {};
    tensor->has_rank = false;
  }
  if (!budget_.Spend(tensor->dims.size() + tensor->shape_signature.size())) {
    return budget_.Exhausted(model_, site);
  }
  if (const auto* variants = source.variant_tensors()) {
    if (!budget_.Spend(variants->size())) return budget_.Exhausted(model_, site);
    for (flatbuffers::uoffset_t i = 0; i < variants->size(); ++i) {
      const schema::VariantSubType& variant = *variants->Get(i);
      VariantType& type = tensor->variant_types.emplace_back();
      type.has_rank = variant.has_rank();
      type.dims = SpanOf(variant.shape());
      HEDDLE_RETURN_IF_ERROR(
          BuildType(site, variant.type(), StrCat("variant_tensors[", i, "].type"), &type.dtype));
    }
  }
  tensor->quantization.struct_size = sizeof(heddle_quantization);
  tensor->quantization.scales_tensor = -1;
  tensor->quantization.zero_points_tensor = -1;
  if (source.quantization() == nullptr) return {};
  return BuildQuantization(site, *source.quantization(), tensor);
}

Status ModelBuilderAccess::BuildType(const Site& site, schema::TensorType source,
                                     std::string_view below, heddle_dtype* dtype) {
  const auto number = static_cast<int32_t>(source);
  if (!IsKnownDtype(number)) {
    return BadModel(model_, HEDDLE_REASON_BAD_TYPE, site, below,
                    StrCat("has the unknown type ", number));
  }
  *dtype = static_cast<heddle_dtype>(number);
  return {};
}

Status ModelBuilderAccess::BuildQuantization(const Site& site,
                                             const schema::QuantizationParameters& source,
                                             TensorDef* tensor) {
  heddle_quantization& quantization = tensor->quantization;
  quantization.axis = source.quantized_dimension();
  // Details replace the plain arrays.
  if (const auto* blockwise = source.details_as_BlockwiseQuantization()) {
    ReadBlockwise(*blockwise, tensor);
    return {};
  }
  if (const auto* multi_axis = source.details_as_MultiAxisQuantization()) {
    ReadMultiAxis(*multi_axis, tensor);
    return {};
  }
  if (source.details_type() != schema::QuantizationDetails::NONE) {
    quantization.kind = HEDDLE_QUANTIZATION_CUSTOM;
    return {};
  }
  const auto scales = SpanOf(source.scale());
  if (scales.empty()) return {};  // only a range seen while training, or nothing
  if (!budget_.Spend(scales.size())) return budget_.Exhausted(model_, site);
  std::span<const int64_t> zero_points;
  if (source.zero_point() != nullptr) {
    if (!budget_.Spend(source.zero_point()->size())) return budget_.Exhausted(model_, site);
    zero_points = Aligned(*source.zero_point());
  }
  quantization.kind = HEDDLE_QUANTIZATION_AFFINE;
  quantization.count = scales.size();
  quantization.scales = scales.data();
  quantization.zero_points = zero_points.data();
  quantization.zero_point_count = zero_points.size();
  // Where there is only one choice, files may say anything: some give a bias the axis of its
  // filter.
  if (scales.size() == 1 || tensor->dims.size() == 1) quantization.axis = 0;
  return {};
}

Status ModelBuilderAccess::ReadBlockScales(int32_t index, SubgraphDef* subgraph) {
  std::map<int32_t, std::span<const float>> read;  // by tensor: several may use the same
  for (size_t i = 0; i < subgraph->tensors.size(); ++i) {
    heddle_quantization& quantization = subgraph->tensors[i].quantization;
    const int32_t scales = quantization.scales_tensor;
    if (quantization.kind != HEDDLE_QUANTIZATION_BLOCKWISE || scales < 0 ||
        static_cast<size_t>(scales) >= subgraph->tensors.size()) {
      continue;  // verification names the fault
    }
    const auto [entry, is_new] = read.try_emplace(scales);
    if (is_new) {
      std::vector<float> numbers = RealNumbers(subgraph->tensors[static_cast<size_t>(scales)]);
      if (!budget_.Spend(numbers.size())) {
        return budget_.Exhausted(model_, {index, -1, static_cast<int32_t>(i)});
      }
      entry->second = model_.block_scales_.emplace_back(std::move(numbers));
    }
    quantization.count = entry->second.size();
    quantization.scales = entry->second.data();
  }
  return {};
}

std::span<const int64_t> ModelBuilderAccess::Aligned(const flatbuffers::Vector<int64_t>& vector) {
  if (vector.size() == 0) return {};
  const uint8_t* data = vector.Data();
  if (reinterpret_cast<uintptr_t>(data) % alignof(int64_t) == 0) {
    return {reinterpret_cast<const int64_t*>(data), vector.size()};
  }
  auto& copy = model_.realigned_.emplace_back(vector.size());
  std::memcpy(copy.data(), data, copy.size() * sizeof(int64_t));
  return copy;
}

}  // namespace heddle
