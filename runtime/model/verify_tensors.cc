// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"
#include "runtime/base/strings.h"
#include "runtime/model/verify.h"

namespace heddle {
namespace {

Status VerifyShape(const Model& model, const Site& site, const TensorDef& tensor) {
  const auto signature = tensor.shape_signature;
  if (std::any_of(signature.begin(), signature.end(), [](int32_t dim) { return dim < -1; })) {
    return BadModel(model, HEDDLE_REASON_BAD_SHAPE, site, "shape_signature",
                    StrCat("has the shape signature ", ShapeText(signature)));
  }
  if (tensor.has_rank && !signature.empty() && signature.size() != tensor.dims.size()) {
    return BadModel(model, HEDDLE_REASON_BAD_SHAPE, site, "shape_signature",
                    StrCat("has the shape ", ShapeText(tensor.dims), " but the signature ",
                           ShapeText(signature)));
  }
  size_t bytes;
  // Elements of a type without fixed size take no less than a byte.
  const heddle_dtype dtype = tensor.dtype == HEDDLE_DTYPE_STRING ? HEDDLE_DTYPE_INT8 : tensor.dtype;
  if (tensor.has_rank && !DenseBytes(dtype, tensor.dims, &bytes)) {
    return BadModel(model, HEDDLE_REASON_BAD_SHAPE, site, "shape",
                    StrCat("has the shape ", ShapeText(tensor.dims), ", whose size overflows"));
  }
  return {};
}

Status VerifyData(const Model& model, const Site& site, const TensorDef& tensor,
                  WorkBudget* budget) {
  if (!tensor.is_constant) return {};
  if (tensor.is_variable) {
    return BadModel(model, HEDDLE_REASON_BUFFER_SIZE_MISMATCH, site, "buffer",
                    "is a variable and has constant data, too");
  }
  if (tensor.external_buffer != 0) {
    return BadModel(model, HEDDLE_REASON_BUFFER_SIZE_MISMATCH, site, "external_buffer",
                    "has data both in this file and in another");
  }
  if (!tensor.has_rank) {
    return BadModel(model, HEDDLE_REASON_BAD_SHAPE, site, "shape",
                    "is a constant without a definite shape");
  }
  if (tensor.is_sparse) return VerifySparsity(model, site, tensor, budget);
  if (tensor.dtype == HEDDLE_DTYPE_STRING) return VerifyStrings(model, site, tensor, budget);
  size_t bytes;
  if (!DenseBytes(tensor.dtype, tensor.dims, &bytes) || bytes != tensor.data.size()) {
    return BadModel(model, HEDDLE_REASON_BUFFER_SIZE_MISMATCH, site, "buffer",
                    StrCat("of type ", DtypeName(tensor.dtype), " and shape ",
                           ShapeText(tensor.dims), " takes ", bytes, " bytes, but buffer ",
                           tensor.buffer, " has ", tensor.data.size()));
  }
  return {};
}

}  // namespace

Status VerifyStrings(const Model& model, const Site& site, const TensorDef& tensor,
                     WorkBudget* budget) {
  const auto bad = [&](std::string_view sentence) {
    return BadModel(model, HEDDLE_REASON_BAD_STRING_TENSOR, site, "buffer", sentence);
  };
  const auto bytes = static_cast<int64_t>(tensor.data.size());
  const auto number_at = [&](int64_t index) {
    int32_t number;
    std::memcpy(&number, tensor.data.data() + index * 4, 4);
    return int64_t{number};
  };
  if (bytes < 4) return bad("has fewer bytes than its count of strings takes");
  const int64_t count = number_at(0);
  if (count < 0 || (count + 2) * 4 > bytes) {
    return bad(StrCat("holds ", count, " strings by its count, but has only ", bytes, " bytes"));
  }
  int64_t elements;
  if (!ElementCount(tensor.dims, &elements) || elements != count) {
    return bad(StrCat("holds ", count, " strings, but its shape is ", ShapeText(tensor.dims)));
  }
  if (!budget->Spend(static_cast<uint64_t>(count))) return budget->Exhausted(model, site);
  int64_t end = (count + 2) * 4;
  for (int64_t i = 0; i <= count; ++i) {
    const int64_t offset = number_at(i + 1);
    if (offset < end || offset > bytes) {
      return bad(StrCat("has string ", i, " at offset ", offset, ", outside ", end, " to ", bytes));
    }
    end = offset;
  }
  return {};
}

Status VerifyTensors(const Model& model, WorkBudget* budget) {
  for (size_t s = 0; s < model.subgraphs().size(); ++s) {
    const SubgraphDef& subgraph = model.subgraphs()[s];
    for (size_t t = 0; t < subgraph.tensors.size(); ++t) {
      const TensorDef& tensor = subgraph.tensors[t];
      const Site site{static_cast<int32_t>(s), -1, static_cast<int32_t>(t)};
      HEDDLE_RETURN_IF_ERROR(VerifyShape(model, site, tensor));
      HEDDLE_RETURN_IF_ERROR(VerifyQuantization(model, site, tensor));
      HEDDLE_RETURN_IF_ERROR(VerifyData(model, site, tensor, budget));
    }
  }
  return {};
}

}  // namespace heddle
