// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>

#include "runtime/base/checked_math.h"
#include "runtime/base/strings.h"
#include "runtime/model/verify.h"

namespace heddle {
namespace {

struct Range {
  int64_t low;
  int64_t high;
};

// Zero points are values of the tensor's own type; those of wider types must still fit the 32 bits
// that kernels compute in.
Range ZeroPointRange(heddle_dtype dtype) {
  switch (dtype) {
    case HEDDLE_DTYPE_INT2:
      return {-2, 1};
    case HEDDLE_DTYPE_INT4:
      return {-8, 7};
    case HEDDLE_DTYPE_UINT4:
      return {0, 15};
    case HEDDLE_DTYPE_INT8:
      return {INT8_MIN, INT8_MAX};
    case HEDDLE_DTYPE_UINT8:
      return {0, UINT8_MAX};
    case HEDDLE_DTYPE_INT16:
      return {INT16_MIN, INT16_MAX};
    case HEDDLE_DTYPE_UINT16:
      return {0, UINT16_MAX};
    default:
      return {INT32_MIN, INT32_MAX};
  }
}

class Checker {
 public:
  Checker(const Model& model, const Site& site, const TensorDef& tensor)
      : model_(model), site_(site), tensor_(tensor), quantization_(tensor.quantization) {}

  Status Affine() const {
    const size_t count = quantization_.count;
    const size_t zero_points = quantization_.zero_point_count;
    if (count > 1) HEDDLE_RETURN_IF_ERROR(CountFitsAxis());
    if (zero_points > 1 && zero_points != count) {
      return Bad("zero_point", StrCat("has ", count, " scales but ", zero_points, " zero points"));
    }
    for (size_t i = 0; i < count; ++i) {
      const float scale = quantization_.scales[i];
      if (!std::isfinite(scale) || scale < 0) {
        return Bad(StrCat("scale[", i, "]"), StrCat("has the scale ", scale));
      }
    }
    const auto [low, high] = ZeroPointRange(tensor_.dtype);
    for (size_t i = 0; i < zero_points; ++i) {
      const int64_t zero_point = quantization_.zero_points[i];
      if (zero_point < low || zero_point > high) {
        return Bad(StrCat("zero_point[", i, "]"),
                   StrCat("has the zero point ", zero_point, ", outside ", low, " to ", high));
      }
    }
    return {};
  }

  Status Blockwise() const {
    HEDDLE_RETURN_IF_ERROR(SideTensors());
    int64_t block = quantization_.block_size;
    if (!tensor_.block_shape.empty()) {
      if (tensor_.has_rank && tensor_.block_shape.size() != tensor_.dims.size()) {
        return Bad("details.block_shape",
                   StrCat("has the shape ", ShapeText(tensor_.dims), " but blocks of shape ",
                          ShapeText(tensor_.block_shape)));
      }
      if (!ElementCount(tensor_.block_shape, &block)) block = -1;
    }
    if (block <= 0) return Bad("details.block_size", StrCat("has blocks of size ", block));
    HEDDLE_RETURN_IF_ERROR(AxisInRange(quantization_.axis, "quantized_dimension"));
    int64_t elements;
    if (!tensor_.has_rank || !ElementCount(tensor_.dims, &elements)) return {};
    if (elements % block != 0) {
      return Bad("details.block_size", StrCat("has the shape ", ShapeText(tensor_.dims),
                                              ", which blocks of ", block, " do not divide"));
    }
    return ScaleCountIs(elements / block);
  }

  Status MultiAxis() const {
    HEDDLE_RETURN_IF_ERROR(SideTensors());
    if (quantization_.block_size < 0) {
      return Bad("details.block_size", StrCat("has blocks of size ", quantization_.block_size));
    }
    int64_t scales = 1;
    int32_t last = -1;
    for (size_t i = 0; i < quantization_.axis_count; ++i) {
      const int32_t axis = quantization_.axes[i];
      const std::string below = StrCat("details.quantized_dimensions[", i, "]");
      HEDDLE_RETURN_IF_ERROR(AxisInRange(axis, below));
      // Ascending, hence each at most once.
      if (axis <= last) return Bad(below, "has quantised dimensions out of order");
      last = axis;
      if (tensor_.has_rank) scales *= tensor_.dims[static_cast<size_t>(axis)];
    }
    // How a block divides the dimensions is for the kernel to say.
    return tensor_.has_rank && quantization_.block_size == 0 ? ScaleCountIs(scales) : Status();
  }

 private:
  Status Bad(std::string_view below, std::string_view sentence) const {
    return BadModel(model_, HEDDLE_REASON_BAD_QUANTIZATION, site_, StrCat("quantization.", below),
                    sentence);
  }

  Status AxisInRange(int32_t axis, std::string_view below) const {
    const auto rank = static_cast<int64_t>(tensor_.dims.size());
    if (axis < 0 || (tensor_.has_rank && axis >= rank)) {
      return Bad(below, StrCat("is quantised along dimension ", axis, " of ", rank));
    }
    return {};
  }

  Status CountFitsAxis() const {
    HEDDLE_RETURN_IF_ERROR(AxisInRange(quantization_.axis, "quantized_dimension"));
    const auto axis = static_cast<size_t>(quantization_.axis);
    if (!tensor_.has_rank) return {};
    if (!tensor_.shape_signature.empty() && tensor_.shape_signature[axis] == -1) return {};
    const auto want = static_cast<size_t>(tensor_.dims[axis]);
    if (quantization_.count == want) return {};
    return Bad("scale", StrCat("has ", quantization_.count, " scales for dimension ", axis,
                               " of size ", want));
  }

  const std::vector<TensorDef>& Tensors() const {
    return model_.subgraphs()[static_cast<size_t>(site_.subgraph)].tensors;
  }

  Status SideTensors() const {
    const auto count = static_cast<int64_t>(Tensors().size());
    const int32_t scales = quantization_.scales_tensor;
    const int32_t zero_points = quantization_.zero_points_tensor;
    const auto out_of_range = [&](std::string_view below, int32_t index) {
      return BadModel(model_, HEDDLE_REASON_INDEX_OUT_OF_RANGE, site_,
                      StrCat("quantization.details.", below),
                      StrCat("names tensor ", index, " as its ", below, ", but there are ", count));
    };
    if (scales < 0 || scales >= count) return out_of_range("scales", scales);
    if (zero_points < -1 || zero_points >= count) return out_of_range("zero_points", zero_points);
    return {};
  }

  Status ScaleCountIs(int64_t want) const {
    const TensorDef& scales = Tensors()[static_cast<size_t>(quantization_.scales_tensor)];
    int64_t have;
    if (!scales.has_rank || !ElementCount(scales.dims, &have) || have == want) return {};
    return Bad("details.scales",
               StrCat("needs ", want, " scales, but tensor ", quantization_.scales_tensor,
                      " has the shape ", ShapeText(scales.dims)));
  }

  const Model& model_;
  const Site& site_;
  const TensorDef& tensor_;
  const heddle_quantization& quantization_;
};

}  // namespace

Status VerifyQuantization(const Model& model, const Site& site, const TensorDef& tensor) {
  const Checker checker(model, site, tensor);
  switch (tensor.quantization.kind) {
    case HEDDLE_QUANTIZATION_AFFINE:
      return checker.Affine();
    case HEDDLE_QUANTIZATION_BLOCKWISE:
      return checker.Blockwise();
    case HEDDLE_QUANTIZATION_MULTI_AXIS:
      return checker.MultiAxis();
    default:
      return {};
  }
}

}  // namespace heddle
