// SPDX-License-Identifier: Apache-2.0
#include "kernels/op_kernel.h"

#include <limits>

#include "runtime/base/dtype.h"

namespace heddle::kernels {

heddle_status OpContext::Get(uint32_t key, int32_t* value) const {
  int64_t wide = 0;
  HEDDLE_OP_RETURN_IF_ERROR(Get(key, &wide));
  if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max()) {
    return Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                "attribute value ", wide, " does not fit 32 bits");
  }
  *value = static_cast<int32_t>(wide);
  return HEDDLE_OK;
}

heddle_status OpContext::Get(uint32_t key, bool* value) const {
  int64_t wide = 0;
  HEDDLE_OP_RETURN_IF_ERROR(Get(key, &wide));
  *value = wide != 0;
  return HEDDLE_OK;
}

heddle_status OpContext::Get(uint32_t key, float* value) const {
  double wide = 0;
  HEDDLE_OP_RETURN_IF_ERROR(call_->host->get_float(call_, key, &wide));
  *value = static_cast<float>(wide);
  return HEDDLE_OK;
}

heddle_status OpContext::Get(uint32_t key, std::span<const int32_t>* values) const {
  heddle_attribute_array array = {};
  array.struct_size = sizeof(array);
  HEDDLE_OP_RETURN_IF_ERROR(call_->host->get_array(call_, key, &array));
  if (array.count != 0 && (array.width != 4 || array.is_float != 0)) {
    return Fail(HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_BAD_ARGUMENT, HEDDLE_NO_OPERAND,
                "an attribute was read as int32 array but is none");
  }
  *values = {static_cast<const int32_t*>(array.data), array.count};
  return HEDDLE_OK;
}

heddle_status OpContext::ExpectOperands(size_t min_inputs, size_t max_inputs,
                                        size_t outputs) const {
  if (input_count() < min_inputs || input_count() > max_inputs || output_count() != outputs) {
    return Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_WRONG_OPERAND_COUNT, HEDDLE_NO_OPERAND, "has ",
                input_count(), " inputs and ", output_count(), " outputs, wanted are ", min_inputs,
                max_inputs != min_inputs ? StrCat(" to ", max_inputs) : std::string(), " and ",
                outputs);
  }
  for (size_t i = 0; i < min_inputs; ++i) {
    if (!HasInput(i)) {
      return Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_MISSING_OPERAND, static_cast<int32_t>(i),
                  "input ", i, " is required but absent");
    }
  }
  for (size_t i = 0; i < outputs; ++i) {
    if (!HasOutput(i)) {
      return Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_MISSING_OPERAND,
                  kOutput(static_cast<int32_t>(i)), "output ", i, " is required but absent");
    }
  }
  return HEDDLE_OK;
}

heddle_status OpContext::ExpectType(size_t i, heddle_dtype dtype) const {
  if (input(i).dtype == dtype) return HEDDLE_OK;
  return Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPES_DIFFER, static_cast<int32_t>(i), "input ", i,
              " is ", DtypeName(input(i).dtype), ", wanted is ", DtypeName(dtype));
}

heddle_status OpContext::ExpectOutputType(size_t i, heddle_dtype dtype) const {
  if (output(i).dtype == dtype) return HEDDLE_OK;
  return Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPES_DIFFER, kOutput(static_cast<int32_t>(i)),
              "output ", i, " is ", DtypeName(output(i).dtype), ", wanted is ", DtypeName(dtype));
}

heddle_status OpContext::ExpectConstant(size_t i) const {
  if (IsConstant(i)) return HEDDLE_OK;
  return Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_NOT_CONSTANT, static_cast<int32_t>(i), "input ", i,
              " must be a constant");
}

heddle_status OpContext::ExpectVariable(size_t i) const {
  if (IsVariable(i)) return HEDDLE_OK;
  return Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_BAD_ARGUMENT, static_cast<int32_t>(i), "input ",
              i, " keeps the op's state and must be a variable");
}

heddle_status OpContext::ExpectRank(size_t i, int32_t min_rank, int32_t max_rank) const {
  const int32_t rank = input(i).rank;
  if (rank >= min_rank && rank <= max_rank) return HEDDLE_OK;
  return Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, static_cast<int32_t>(i),
              "input ", i, " has shape ", ShapeText(input_dims(i)), ", wanted is rank ", min_rank,
              max_rank != min_rank ? StrCat(" to ", max_rank) : std::string());
}

heddle_status OpContext::UnsupportedType(size_t i) const {
  return Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPE_NOT_SUPPORTED, static_cast<int32_t>(i),
              "input ", i, " of type ", DtypeName(input(i).dtype), " is not supported");
}

namespace internal {

heddle_status OutOfMemory(heddle_op_call* call) {
  return call->host->report(call, HEDDLE_RESOURCE_EXHAUSTED, HEDDLE_REASON_OUT_OF_MEMORY,
                            HEDDLE_NO_OPERAND, "out of memory");
}

}  // namespace internal
}  // namespace heddle::kernels
