// SPDX-License-Identifier: Apache-2.0
// The example models over their whole held-out split, through the C API: accuracy, and LiteRT's
// outputs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "tools/npy.h"

namespace heddle::tools {
namespace {

constexpr size_t kPixels = 64;
constexpr size_t kClasses = 10;

std::string ModelsFolder() {
  const char* source = std::getenv("HEDDLE_SOURCE_DIR");
  return std::string(source != nullptr ? source : ".") + "/examples/models/";
}

Array ReadArray(const std::string& file, const std::string& name) {
  const Result<Bytes> bytes = ReadFile(ModelsFolder() + file);
  EXPECT_TRUE(bytes) << bytes.error().message();
  if (!bytes) return {};
  Result<NamedArrays> arrays = ParseNpz(*bytes, file);
  EXPECT_TRUE(arrays) << arrays.error().message();
  for (size_t i = 0; arrays && i < arrays->size(); ++i) {
    if ((*arrays)[i].first == name) return std::move((*arrays)[i].second);
  }
  ADD_FAILURE() << file << " has no array " << name;
  return {};
}

template <typename T>
std::vector<T> As(const Array& array) {
  std::vector<T> values(array.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}

// Fails the test with the library's own words.
void ExpectOk(heddle_status status, heddle_error* error) {
  EXPECT_EQ(status, HEDDLE_OK) << (error != nullptr ? heddle_error_get_message(error) : "");
  heddle_error_destroy(error);
}

// The split as an input: [N, 8, 8, 1] of the model's type, made as examples/models/README.md says.
template <typename T>
std::vector<T> Inputs() {
  std::vector<T> inputs;
  for (const uint8_t raw : As<uint8_t>(ReadArray("digits_test.npz", "images"))) {
    const int pixel = (255 * raw + 8) / 16;
    if constexpr (std::is_same_v<T, float>) {
      inputs.push_back(static_cast<float>(pixel) / 255.0f);
    } else {
      inputs.push_back(static_cast<int8_t>(pixel - 128));
    }
  }
  return inputs;
}

// Runs the model over all inputs, `batch` images at a time.
template <typename T>
std::vector<T> RunModel(const std::string& file, const std::vector<T>& inputs, size_t batch,
                        heddle_kernels kernels) {
  heddle_environment* environment = nullptr;
  heddle_model* model = nullptr;
  heddle_interpreter* interpreter = nullptr;
  heddle_error* error = nullptr;
  const heddle_environment_options environment_options = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  options.kernels = kernels;
  const std::string path = ModelsFolder() + file;
  heddle_status status = heddle_environment_create(&environment_options, &environment, &error);
  if (status == HEDDLE_OK) {
    status = heddle_model_create_from_file(environment, path.c_str(), 0, &model, &error);
  }
  if (status == HEDDLE_OK) {
    status = heddle_interpreter_create(environment, model, &options, &interpreter, &error);
  }
  const int32_t dims[] = {static_cast<int32_t>(batch), 8, 8, 1};
  if (status == HEDDLE_OK) {
    status = heddle_interpreter_resize_input(interpreter, 0, dims, 4, 1, &error);
  }
  const size_t count = inputs.size() / kPixels;
  std::vector<T> outputs(count * kClasses);
  for (size_t i = 0; i + batch <= count && status == HEDDLE_OK; i += batch) {
    status = heddle_interpreter_set_input(interpreter, 0, inputs.data() + i * kPixels,
                                          batch * kPixels * sizeof(T), &error);
    if (status != HEDDLE_OK) break;
    status = heddle_interpreter_invoke(interpreter, nullptr, &error);
    if (status != HEDDLE_OK) break;
    status = heddle_interpreter_get_output(interpreter, 0, outputs.data() + i * kClasses,
                                           batch * kClasses * sizeof(T), &error);
  }
  ExpectOk(status, error);
  heddle_interpreter_destroy(interpreter);
  heddle_model_destroy(model);
  heddle_environment_destroy(environment);
  return outputs;
}

template <typename T>
double Accuracy(const std::vector<T>& outputs) {
  const std::vector<uint8_t> labels = As<uint8_t>(ReadArray("digits_test.npz", "labels"));
  EXPECT_EQ(labels.size(), 450u);
  EXPECT_EQ(outputs.size(), labels.size() * kClasses);
  size_t right = 0;
  for (size_t i = 0; i < labels.size() && (i + 1) * kClasses <= outputs.size(); ++i) {
    const auto row = outputs.begin() + static_cast<ptrdiff_t>(i * kClasses);
    right += std::max_element(row, row + kClasses) - row == labels[i];
  }
  return static_cast<double>(right) / static_cast<double>(labels.size());
}

template <typename T>
double LargestDifference(const std::vector<T>& a, const std::vector<T>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return largest;
}

constexpr heddle_kernels kBothKernels[] = {HEDDLE_KERNELS_DEFAULT, HEDDLE_KERNELS_REFERENCE};

TEST(Digits, AccuracyOnTheHeldOutSplit) {
  for (const heddle_kernels kernels : kBothKernels) {
    const double of_float =
        Accuracy(RunModel("digits_float.tflite", Inputs<float>(), size_t{1}, kernels));
    const double of_int8 =
        Accuracy(RunModel("digits_int8.tflite", Inputs<int8_t>(), size_t{1}, kernels));
    EXPECT_GE(of_float, 0.97);
    EXPECT_GE(of_int8, 0.97);
    EXPECT_NEAR(of_float, of_int8, 0.01);
  }
}

TEST(Digits, FloatAgreesWithLiteRt) {
  const std::vector<float> wanted = As<float>(ReadArray("digits_litert.npz", "float_reference"));
  for (const heddle_kernels kernels : kBothKernels) {
    const std::vector<float> outputs =
        RunModel("digits_float.tflite", Inputs<float>(), size_t{1}, kernels);
    EXPECT_LE(LargestDifference(outputs, wanted), 1e-5);
  }
}

TEST(Digits, Int8EqualsLiteRtReference) {
  const std::vector<int8_t> wanted = As<int8_t>(ReadArray("digits_litert.npz", "int8_reference"));
  const std::vector<int8_t> outputs =
      RunModel("digits_int8.tflite", Inputs<int8_t>(), size_t{1}, HEDDLE_KERNELS_REFERENCE);
  EXPECT_EQ(outputs, wanted);
}

// An integer kernel other than the reference may be off by a step in each layer, as LiteRT's are.
TEST(Digits, Int8DefaultIsNearLiteRtReference) {
  const std::vector<int8_t> wanted = As<int8_t>(ReadArray("digits_litert.npz", "int8_reference"));
  const std::vector<int8_t> litert = As<int8_t>(ReadArray("digits_litert.npz", "int8_default"));
  const std::vector<int8_t> outputs =
      RunModel("digits_int8.tflite", Inputs<int8_t>(), size_t{1}, HEDDLE_KERNELS_DEFAULT);
  EXPECT_LE(LargestDifference(outputs, wanted), LargestDifference(litert, wanted));
}

TEST(Digits, OneBatchOfAllGivesTheSame) {
  for (const heddle_kernels kernels : kBothKernels) {
    const std::vector<int8_t> int8_inputs = Inputs<int8_t>();
    EXPECT_EQ(RunModel("digits_int8.tflite", int8_inputs, size_t{450}, kernels),
              RunModel("digits_int8.tflite", int8_inputs, size_t{1}, kernels));
    const std::vector<float> float_inputs = Inputs<float>();
    EXPECT_LE(LargestDifference(RunModel("digits_float.tflite", float_inputs, size_t{450}, kernels),
                                RunModel("digits_float.tflite", float_inputs, size_t{1}, kernels)),
              1e-6);
  }
}

}  // namespace
}  // namespace heddle::tools
