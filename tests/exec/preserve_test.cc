// SPDX-License-Identifier: Apache-2.0
// With preserve_all_tensors every tensor holds its value after a run: each op, run alone on the
// inputs that are found there, gives the outputs that are found there.
#include <gtest/gtest.h>

#include "runtime/capi/objects.h"
#include "runtime/op/run_single_op.h"
#include "tests/support/environment.h"
#include "tests/support/rig.h"

namespace heddle::testing {
namespace {

struct Found {
  heddle_tensor_info info = {};
  const void* data = nullptr;
};

Found Find(Rig& rig, int32_t tensor) {
  Found found;
  found.info.struct_size = sizeof(found.info);
  EXPECT_EQ(heddle_interpreter_get_tensor(rig.get(), 0, static_cast<size_t>(tensor), &found.info,
                                          &found.data),
            HEDDLE_OK);
  return found;
}

OpTensor ToOpTensor(const Found& found) {
  OpTensor tensor;
  tensor.dtype = found.info.dtype;
  tensor.dims.assign(found.info.dims, found.info.dims + found.info.rank);
  tensor.quantization = *found.info.quantization;
  tensor.is_constant = found.info.is_constant != 0;
  return tensor;
}

void CheckOp(Rig& rig, const Model& model, const OperatorDef& def, const OpResolver& resolver) {
  const OperatorCode& code = model.CodeOf(def);
  SCOPED_TRACE(code.name);
  SingleOp op;
  op.registration = resolver.FindOp(code);
  op.version = code.version;
  op.attributes = def.attributes;
  op.custom_options = def.custom_options;
  op.reference = true;
  std::vector<OpTensor> inputs;
  for (const int32_t index : def.inputs) {
    if (index < 0) {
      inputs.emplace_back().is_absent = true;
      continue;
    }
    const Found found = Find(rig, index);
    ASSERT_NE(found.data, nullptr) << "tensor " << index;
    inputs.push_back(ToOpTensor(found));
    inputs.back().data = {static_cast<const uint8_t*>(found.data),
                          static_cast<size_t>(found.info.bytes)};
  }
  std::vector<Found> wanted;
  std::vector<OpTensor> outputs;
  for (const int32_t index : def.outputs) {
    wanted.push_back(Find(rig, index));
    outputs.push_back(ToOpTensor(wanted.back()));
  }
  const Status status = RunSingleOp(op, inputs, outputs);
  ASSERT_TRUE(status.ok()) << status.message();
  for (size_t i = 0; i < outputs.size(); ++i) {
    ASSERT_NE(wanted[i].data, nullptr);
    ASSERT_EQ(outputs[i].bytes, wanted[i].info.bytes);
    EXPECT_EQ(std::memcmp(outputs[i].storage.data(), wanted[i].data, outputs[i].bytes), 0);
  }
}

void CheckModel(const std::string& path, const std::vector<int32_t>& dims) {
  SCOPED_TRACE(path);
  Rig rig;
  rig.LoadFile(path);
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  options.kernels = HEDDLE_KERNELS_REFERENCE;
  options.preserve_all_tensors = 1;
  rig.Start(&options);
  ASSERT_EQ(rig.Resize(0, dims), HEDDLE_OK);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK) << rig.error.text();
  heddle_tensor_info info = {};
  info.struct_size = sizeof(info);
  ASSERT_EQ(heddle_interpreter_get_input_info(rig.get(), 0, &info), HEDDLE_OK);
  const auto bytes = static_cast<size_t>(info.bytes);
  auto* input = static_cast<uint8_t*>(heddle_interpreter_get_input_data(rig.get(), 0));
  ASSERT_NE(input, nullptr);
  for (size_t i = 0; i < bytes; ++i) input[i] = static_cast<uint8_t>(i * 37 % 251);
  if (info.dtype == HEDDLE_DTYPE_FLOAT32) {
    auto* floats = reinterpret_cast<float*>(input);
    for (size_t i = 0; i < bytes / 4; ++i) floats[i] = static_cast<float>(i * 37 % 17) / 16;
  }
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();

  const Model& model = *rig.model->model;
  for (const OperatorDef& def : model.subgraphs()[0].operators)
    CheckOp(rig, model, def, rig.resolver->resolver);

  // The memory plan changes nothing about results.
  std::vector<uint8_t> preserved(static_cast<size_t>(rig.OutputInfo(0).bytes));
  ASSERT_EQ(
      heddle_interpreter_get_output(rig.get(), 0, preserved.data(), preserved.size(), nullptr),
      HEDDLE_OK);
  const std::vector<uint8_t> given(input, input + bytes);
  options.preserve_all_tensors = 0;
  rig.Start(&options);
  ASSERT_EQ(rig.Resize(0, dims), HEDDLE_OK);
  rig.Set(0, given);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(rig.Get<uint8_t>(0), preserved);
}

TEST(PreserveAll, DigitsOpByOp) {
  for (const char* name : {"digits_float", "digits_int8"}) {
    const std::string path = SourceFolder() + "/examples/models/" + name + ".tflite";
    CheckModel(path, {1, 8, 8, 1});
    CheckModel(path, {5, 8, 8, 1});
  }
}

TEST(PreserveAll, OtherwiseInnerTensorsHaveNoData) {
  Rig rig;
  rig.LoadFile(SourceFolder() + "/examples/models/digits_int8.tflite");
  rig.Start();
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  const int32_t inner = rig.model->model->subgraphs()[0].operators[0].outputs[0];
  EXPECT_EQ(Find(rig, inner).data, nullptr) << "its memory may hold something else by now";
  EXPECT_EQ(Find(rig, inner).info.bytes, 8u * 8 * 16);
  const int32_t output = rig.model->model->subgraphs()[0].outputs[0];
  EXPECT_NE(Find(rig, output).data, nullptr);
}

}  // namespace
}  // namespace heddle::testing
