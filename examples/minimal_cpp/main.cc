// SPDX-License-Identifier: Apache-2.0
// Classifies one handwritten digit through Heddle's C++ wrapper: minimal_cpp digits_float.tflite
#include <algorithm>
#include <cstdio>
#include <heddle/heddle.hpp>

// Shades 0 to 9: a seven.
constexpr char kDigit[] =
    "00589900"
    "05999900"
    "04204900"
    "00469950"
    "00999830"
    "00159100"
    "00096000"
    "00062000";

static int Fail(const heddle::Status& error) {
  std::fprintf(stderr, "%s\n", error.message());
  return 1;
}

int main(int argc, char** argv) {
  auto environment = heddle::Environment::Create();
  if (!environment) return Fail(environment.error());
  auto model = heddle::Model::FromFile(*environment, argc > 1 ? argv[1] : "digits_float.tflite");
  if (!model) return Fail(model.error());
  auto interpreter = heddle::Interpreter::Create(*environment, *model);
  if (!interpreter) return Fail(interpreter.error());
  if (auto status = interpreter->Prepare(); !status) return Fail(status);

  auto image = interpreter->input<float>(0);
  if (!image) return Fail(image.error());
  const size_t size = std::min(image->size(), sizeof(kDigit) - 1);
  for (size_t i = 0; i < size; ++i) (*image)[i] = float(kDigit[i] - '0') / 9;
  if (auto status = interpreter->Invoke(); !status) return Fail(status);

  auto probability = interpreter->output<float>(0);
  if (!probability) return Fail(probability.error());
  const float* best = std::max_element(probability->begin(), probability->end());
  std::printf("%d (%.1f %%)\n", int(best - probability->begin()), 100 * *best);
}
