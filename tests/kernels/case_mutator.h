// SPDX-License-Identifier: Apache-2.0
// An op case taken apart into plain values, so that a test can change some and run it again.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "runtime/model/attributes.h"
#include "tests/kernels/op_case.h"
#include "tests/kernels/single_op_model.h"

namespace heddle::testing {

class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  int32_t Between(int32_t low, int32_t high) {
    return std::uniform_int_distribution<int32_t>(low, high)(engine_);
  }
  bool OneIn(int32_t n) { return Between(1, n) == 1; }
  size_t Index(size_t count) {
    return static_cast<size_t>(Between(0, static_cast<int32_t>(count) - 1));
  }
  template <typename T>
  T Pick(std::initializer_list<T> values) {
    return values.begin()[Index(values.size())];
  }
  template <typename Container>
  auto& Of(Container& values) {
    return values[Index(values.size())];
  }

 private:
  std::mt19937_64 engine_;
};

class CaseMutator {
 public:
  explicit CaseMutator(const OpCase& one);

  // One change: a dimension, a type, a quantisation, an attribute, values, an operand left out or
  // added. Half of them plausible, the others hostile.
  void Mutate(Dice& dice);

  StatusOr<std::vector<Value>> Run(const RunOptions& options) const;

  // All of it in words, to be shown when something fails.
  std::string Text() const;

 private:
  struct Operand {
    bool is_absent = false;
    bool is_constant = false;
    bool is_variable = false;
    heddle_dtype dtype = HEDDLE_DTYPE_FLOAT32;
    std::vector<int32_t> dims;
    std::vector<float> scales;
    std::vector<int64_t> zero_points;
    int32_t axis = 0;
    std::vector<uint8_t> bytes;
  };
  struct Attribute {
    const AttributeField* field;
    int64_t integer = 0;
    double real = 0;
    std::vector<int64_t> integers;
  };

  void MutateDims(Dice& dice, Operand& operand);
  void MutateType(Dice& dice, Operand& operand);
  void MutateQuantization(Dice& dice, Operand& operand);
  void MutateValues(Dice& dice, Operand& operand);
  void MutateAttribute(Dice& dice);
  void MutateOperands(Dice& dice);

  int32_t code_ = 0;
  int32_t version_ = 1;
  std::string custom_name_;
  std::vector<uint8_t> custom_options_;
  uint32_t options_key_ = 0;  // of the options table; 0 without one
  std::vector<Attribute> attributes_;
  std::vector<Operand> inputs_;
  std::vector<Operand> outputs_;
  std::vector<Operand> intermediates_;
};

}  // namespace heddle::testing
