// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/case_mutator.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"
#include "runtime/base/strings.h"
#include "runtime/model/builtin_names.h"
#include "schema/model_generated.h"
#include "tests/support/model_builder.h"

namespace heddle::testing {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 16;

// Bytes for `dims`, made of those there are, again and again.
std::vector<uint8_t> FitBytes(heddle_dtype dtype, const std::vector<int32_t>& dims,
                              const std::vector<uint8_t>& bytes) {
  if (dtype == HEDDLE_DTYPE_STRING) {
    int64_t count = 0;
    if (!ElementCount(dims, &count)) count = 0;
    return StringTensorBytes(std::vector<std::string>(static_cast<size_t>(count), "word"));
  }
  size_t size = 0;
  if (!DenseBytes(dtype, dims, &size)) size = 0;
  std::vector<uint8_t> fitted(size);
  for (size_t i = 0; i < size; ++i) fitted[i] = bytes.empty() ? 0 : bytes[i % bytes.size()];
  return fitted;
}

bool IsSmall(const std::vector<int32_t>& dims) {
  size_t size = 0;
  return DenseBytes(HEDDLE_DTYPE_INT64, dims, &size) && size <= kMaxBytes;
}

void WriteScalar(FlatBufferBuilder& fbb, const AttributeField& field, int64_t value, double real) {
  // A table's fields follow each other by twos, behind two of its own.
  const auto at = static_cast<flatbuffers::voffset_t>(4 + 2 * (field.key & 0xff));
  if (field.kind == AttributeKind::kFloat) {
    fbb.AddElement<float>(at, static_cast<float>(real));
  } else if (field.width == 1) {
    fbb.AddElement<int8_t>(at, static_cast<int8_t>(value));
  } else if (field.width == 2) {
    fbb.AddElement<int16_t>(at, static_cast<int16_t>(value));
  } else if (field.width == 4) {
    fbb.AddElement<int32_t>(at, static_cast<int32_t>(value));
  } else {
    fbb.AddElement<int64_t>(at, value);
  }
}

}  // namespace

CaseMutator::CaseMutator(const OpCase& one) {
  const schema::Model& model = *schema::GetModel(one.model.data());
  const schema::SubGraph& graph = *model.subgraphs()->Get(0);
  const schema::Operator& node = *graph.operators()->Get(0);
  const schema::OperatorCode& code = *model.operator_codes()->Get(0);
  code_ = std::max(static_cast<int32_t>(code.builtin_code()),
                   static_cast<int32_t>(code.deprecated_builtin_code()));
  version_ = code.version();
  if (code.custom_code() != nullptr) custom_name_ = code.custom_code()->str();
  if (node.custom_options() != nullptr) {
    custom_options_.assign(node.custom_options()->begin(), node.custom_options()->end());
  }

  const auto operand = [&](int32_t index) {
    Operand result;
    result.is_absent = index < 0;
    if (result.is_absent) return result;
    const schema::Tensor& tensor = *graph.tensors()->Get(static_cast<uint32_t>(index));
    result.dtype = static_cast<heddle_dtype>(tensor.type());
    if (tensor.shape() != nullptr) {
      result.dims.assign(tensor.shape()->begin(), tensor.shape()->end());
    }
    const schema::QuantizationParameters* q = tensor.quantization();
    if (q != nullptr && q->scale() != nullptr) {
      result.scales.assign(q->scale()->begin(), q->scale()->end());
      result.axis = q->quantized_dimension();
      if (q->zero_point() != nullptr) {
        result.zero_points.assign(q->zero_point()->begin(), q->zero_point()->end());
      }
    }
    const auto* data = model.buffers()->Get(tensor.buffer())->data();
    result.is_constant = data != nullptr;
    result.is_variable = tensor.is_variable();
    if (data != nullptr) result.bytes.assign(data->begin(), data->end());
    return result;
  };
  for (const int32_t index : *node.inputs()) {
    inputs_.push_back(operand(index));
    for (uint32_t i = 0; i < graph.inputs()->size() && index >= 0; ++i) {
      if (graph.inputs()->Get(i) == index) inputs_.back().bytes = one.inputs[i];
    }
  }
  for (const int32_t index : *node.outputs()) outputs_.push_back(operand(index));
  if (node.intermediates() != nullptr) {
    for (const int32_t index : *node.intermediates()) intermediates_.push_back(operand(index));
  }

  if (node.builtin_options() == nullptr) return;
  const AttributeView view(static_cast<const uint8_t*>(node.builtin_options()), 1,
                           static_cast<uint8_t>(node.builtin_options_type()));
  options_key_ = view.table_key();
  for (const AttributeField& field : FieldsOfTable(options_key_)) {
    Attribute attribute = {&field, 0, 0, {}};
    AttributeArray array;
    if (view.GetArray(field.key, &array) == AttributeError::kNone && array.width == 4) {
      for (size_t i = 0; i < array.count; ++i) {
        int32_t value;
        std::memcpy(&value, static_cast<const uint8_t*>(array.data) + 4 * i, sizeof(value));
        attribute.integers.push_back(value);
      }
    } else if (view.GetInt(field.key, &attribute.integer) != AttributeError::kNone &&
               view.GetFloat(field.key, &attribute.real) != AttributeError::kNone) {
      continue;  // strings and such stay out
    }
    attributes_.push_back(std::move(attribute));
  }
}

void CaseMutator::MutateDims(Dice& dice, Operand& operand) {
  std::vector<int32_t> dims = operand.dims;
  switch (dice.Between(0, 5)) {
    case 0:
      if (!dims.empty()) dims.erase(dims.begin() + dice.Between(0, 1) * (std::ssize(dims) - 1));
      break;
    case 1:
      dims.insert(dims.begin() + dice.Between(0, 1) * std::ssize(dims), dice.Between(0, 3));
      break;
    case 2:
      dims.assign(dice.Index(9), dice.Between(0, 2));
      break;
    case 3:  // An empty tensor may have any other dimensions.
      if (dims.size() < 2) break;
      dice.Of(dims) = 0;
      dice.Of(dims) = dice.Pick({INT32_MAX, 1 << 20, 65536});
      break;
    default:
      if (!dims.empty()) dice.Of(dims) = dice.OneIn(4) ? dice.Between(0, 9) : dice.Between(1, 3);
  }
  if (IsSmall(dims)) operand.dims = dims;
}

void CaseMutator::MutateType(Dice& dice, Operand& operand) {
  operand.dtype = dice.Pick({HEDDLE_DTYPE_FLOAT32, HEDDLE_DTYPE_INT8, HEDDLE_DTYPE_UINT8,
                             HEDDLE_DTYPE_INT16, HEDDLE_DTYPE_INT32, HEDDLE_DTYPE_INT64,
                             HEDDLE_DTYPE_BOOL, HEDDLE_DTYPE_FLOAT16, HEDDLE_DTYPE_INT4,
                             HEDDLE_DTYPE_STRING, HEDDLE_DTYPE_COMPLEX64, HEDDLE_DTYPE_UINT32});
}

void CaseMutator::MutateQuantization(Dice& dice, Operand& operand) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  switch (dice.Between(0, 4)) {
    case 0:
      operand.scales.clear();
      operand.zero_points.clear();
      break;
    case 1: {
      size_t count = dice.Index(5);
      operand.axis = dice.Between(-1, 4);
      if (operand.axis >= 0 && operand.axis < std::ssize(operand.dims) && !dice.OneIn(4)) {
        count = static_cast<size_t>(operand.dims[static_cast<size_t>(operand.axis)]) % 1000;
      }
      operand.scales.assign(count, 0.05f);
      operand.zero_points.assign(dice.OneIn(5) ? 1 : count, 0);
      break;
    }
    case 2:
      if (operand.zero_points.empty()) break;
      dice.Of(operand.zero_points) =
          dice.Pick({INT64_MIN, INT64_MAX, int64_t{1000}, int64_t{-128}, int64_t{127}});
      break;
    default:
      if (operand.scales.empty()) operand.scales = {1};
      dice.Of(operand.scales) =
          dice.Pick({0.0f, -1.0f, 1e-38f, 1e38f, 1e-8f, 1e8f, kNan, kInf, 1.0f / 256, 0.7f});
  }
}

void CaseMutator::MutateValues(Dice& dice, Operand& operand) {
  if (operand.bytes.empty() || operand.dtype == HEDDLE_DTYPE_STRING) return;
  const size_t bits = DtypeBits(operand.dtype);
  const size_t width = std::max<size_t>(1, bits / 8);
  const size_t at = dice.Index(operand.bytes.size()) / width * width;
  const auto put = [&](auto value) {
    if (at + sizeof(value) <= operand.bytes.size()) {
      std::memcpy(operand.bytes.data() + at, &value, sizeof(value));
    }
  };
  if (operand.dtype == HEDDLE_DTYPE_FLOAT32) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    put(dice.Pick({0.0f, -0.0f, kInf, -kInf, std::numeric_limits<float>::quiet_NaN(), 1e38f, -1e38f,
                   1e-40f, 3.5f}));
  } else if (width == 8) {
    put(dice.Pick({int64_t{-1}, INT64_MIN, INT64_MAX, int64_t{1} << 32, int64_t{2}}));
  } else if (width == 4) {
    put(dice.Pick({0, -1, INT32_MIN, INT32_MAX, 7, 1 << 20, 1}));
  } else {
    operand.bytes[at] = static_cast<uint8_t>(dice.Between(0, 255));
  }
}

void CaseMutator::MutateAttribute(Dice& dice) {
  if (!custom_options_.empty()) {
    // A byte of the last third is often a number's, further ahead are the names.
    const size_t size = custom_options_.size();
    const size_t at = dice.OneIn(4) ? dice.Index(size) : size - 1 - dice.Index(size / 3 + 1);
    custom_options_[at] =
        static_cast<uint8_t>(dice.OneIn(2) ? dice.Between(0, 4) : dice.Between(0, 255));
    if (dice.OneIn(10)) custom_options_.resize(dice.Index(size) + 1);
  }
  if (attributes_.empty()) return;
  Attribute& attribute = dice.Of(attributes_);
  const int64_t number =
      dice.OneIn(3) ? dice.Pick({0, -1, -2, INT32_MIN, INT32_MAX, 1 << 30}) : dice.Between(0, 4);
  if (!attribute.integers.empty()) {
    if (dice.OneIn(3)) {
      attribute.integers.resize(dice.Index(6));
    } else {
      dice.Of(attribute.integers) = number;
    }
  } else if (attribute.field->kind == AttributeKind::kFloat) {
    attribute.real = dice.Pick({0.0, -1.0, 1e38, 0.5, std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()});
  } else if (attribute.field->kind == AttributeKind::kBool) {
    attribute.integer = attribute.integer == 0 ? 1 : 0;
  } else {
    attribute.integer = number;
  }
}

void CaseMutator::MutateOperands(Dice& dice) {
  switch (dice.Between(0, 3)) {
    case 0:
      inputs_.push_back(dice.Of(inputs_));
      break;
    case 1:
      if (inputs_.size() > 1) inputs_.pop_back();
      break;
    case 2:
      dice.Of(inputs_).is_absent = true;
      break;
    default:
      std::swap(dice.Of(inputs_), dice.Of(inputs_));
  }
}

void CaseMutator::Mutate(Dice& dice) {
  if (inputs_.empty()) return MutateAttribute(dice);
  Operand& operand = dice.OneIn(5) && !outputs_.empty()         ? dice.Of(outputs_)
                     : dice.OneIn(8) && !intermediates_.empty() ? dice.Of(intermediates_)
                                                                : dice.Of(inputs_);
  switch (dice.Between(0, 9)) {
    case 0:
    case 1:
    case 2: {
      const std::vector<int32_t> before = operand.dims;
      MutateDims(dice, operand);
      // Operands of one shape often must stay so, for the op to run at all.
      if (dice.OneIn(2)) return;
      const std::vector<int32_t> after = operand.dims;
      for (Operand& other : inputs_) {
        if (other.dims == before) other.dims = after;
      }
      return;
    }
    case 3:
      return MutateType(dice, operand);
    case 4:
      return MutateQuantization(dice, operand);
    case 5:
      return MutateOperands(dice);
    case 6:
    case 7:
      return MutateValues(dice, operand);
    case 8:
      if (operand.is_variable || dice.OneIn(8)) operand.is_variable = !operand.is_variable;
      operand.is_constant = !operand.is_constant;
      return;
    default:
      return MutateAttribute(dice);
  }
}

StatusOr<std::vector<Value>> CaseMutator::Run(const RunOptions& options) const {
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph();
  std::vector<std::vector<uint8_t>> values;
  const auto add = [&](const Operand& operand, bool is_input) {
    if (operand.is_absent) return -1;
    int32_t index;
    if (!is_input || operand.is_variable) {
      index = graph.Tensor("", operand.dtype, operand.dims);
    } else {
      std::vector<uint8_t> bytes = FitBytes(operand.dtype, operand.dims, operand.bytes);
      if (operand.is_constant) {
        index = graph.ConstantBytes("", operand.dtype, operand.dims, std::move(bytes));
      } else {
        index = graph.Input("", operand.dtype, operand.dims);
        values.push_back(std::move(bytes));
      }
    }
    graph.tensor(index).is_variable = operand.is_variable;
    if (!operand.scales.empty()) {
      graph.tensor(index).QuantizedPerAxis(operand.scales, operand.zero_points, operand.axis);
    }
    return index;
  };
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  for (const Operand& operand : inputs_) inputs.push_back(add(operand, true));
  for (const Operand& operand : outputs_) outputs.push_back(add(operand, false));
  std::vector<int32_t> intermediates;
  for (const Operand& operand : intermediates_) intermediates.push_back(add(operand, false));
  OperatorSpec& node = custom_name_.empty() ? graph.Op(code_, inputs, outputs, version_)
                                            : graph.CustomOp(custom_name_, inputs, outputs,
                                                             custom_options_, version_);
  node.intermediates = intermediates;
  if (options_key_ != 0) {
    node.options_type = static_cast<schema::BuiltinOptions>((options_key_ >> 8) & 0xff);
    node.options = [this](FlatBufferBuilder& fbb) {
      std::vector<flatbuffers::Offset<flatbuffers::Vector<int32_t>>> arrays;
      for (const Attribute& attribute : attributes_) {
        arrays.push_back(attribute.integers.empty()
                             ? 0
                             : fbb.CreateVector(std::vector<int32_t>(attribute.integers.begin(),
                                                                     attribute.integers.end())));
      }
      const auto start = fbb.StartTable();
      for (size_t i = 0; i < attributes_.size(); ++i) {
        const Attribute& attribute = attributes_[i];
        if (!arrays[i].IsNull()) {
          fbb.AddOffset(static_cast<flatbuffers::voffset_t>(4 + 2 * (attribute.field->key & 0xff)),
                        arrays[i]);
        } else if (attribute.field->kind != AttributeKind::kInts) {
          WriteScalar(fbb, *attribute.field, attribute.integer, attribute.real);
        }
      }
      return flatbuffers::Offset<void>(fbb.EndTable(start));
    };
  }
  return RunSingleOpModel(model.Build(), values, options);
}

std::string CaseMutator::Text() const {
  std::string text =
      StrCat(custom_name_.empty() ? BuiltinName(code_) : custom_name_, " version ", version_);
  for (const Attribute& attribute : attributes_) {
    text += StrCat(" ", attribute.field->name, "=");
    for (const int64_t value : attribute.integers) text += StrCat(value, ",");
    if (attribute.integers.empty()) text += StrCat(attribute.integer, "/", attribute.real);
  }
  const auto add = [&](const Operand& operand) {
    if (operand.is_absent) {
      text += "\n  absent";
      return;
    }
    text += StrCat("\n  ", DtypeName(operand.dtype), " ", ShapeText(operand.dims),
                   operand.is_constant ? " constant" : "", operand.is_variable ? " variable" : "");
    if (operand.scales.empty()) return;
    text += StrCat(" axis ", operand.axis, " scales");
    for (const float scale : operand.scales) text += StrCat(" ", scale);
    text += " zero points";
    for (const int64_t zero_point : operand.zero_points) text += StrCat(" ", zero_point);
  };
  for (const Operand& operand : inputs_) add(operand);
  text += "\n  gives";
  for (const Operand& operand : outputs_) add(operand);
  return text;
}

}  // namespace heddle::testing
