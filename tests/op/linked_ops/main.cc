// SPDX-License-Identifier: Apache-2.0
// Runs a model with the ops that are linked: three by name, or with ALL_OPS the whole list. The
// two programs differ in nothing else, so that their sizes can be compared.
//
//   program MODEL    y = relu(conv(x, 1x1, weight 2, bias -3) + x), x = 0, 1, 2, 3
#include <cstdio>

#include "heddle/heddle.h"
#include "kernels/builtin_ops.h"

namespace {

heddle_status AddOps(heddle_op_resolver** resolver) {
#ifdef ALL_OPS
  return heddle_op_resolver_create_default(resolver, nullptr);
#else
  heddle_status status = heddle_op_resolver_create(resolver, nullptr);
  for (const heddle_op* op : {heddle_op_ADD(), heddle_op_CONV_2D(), heddle_op_RELU()}) {
    if (status == HEDDLE_OK) status = heddle_op_resolver_add(*resolver, op, nullptr);
  }
  return status;
#endif
}

heddle_status Run(const char* path, float* y, heddle_error** error) {
  heddle_environment* environment = nullptr;
  heddle_op_resolver* resolver = nullptr;
  heddle_model* model = nullptr;
  heddle_interpreter* interpreter = nullptr;
  heddle_environment_options environment_options = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
  environment_options.num_threads = 1;
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  const float x[4] = {0, 1, 2, 3};

  heddle_status status = heddle_environment_create(&environment_options, &environment, error);
  if (status == HEDDLE_OK) status = AddOps(&resolver);
  options.resolver = resolver;
  if (status == HEDDLE_OK)
    status = heddle_model_create_from_file(environment, path, HEDDLE_MODEL_DEFAULT, &model, error);
  if (status == HEDDLE_OK)
    status = heddle_interpreter_create(environment, model, &options, &interpreter, error);
  if (status == HEDDLE_OK) status = heddle_interpreter_prepare(interpreter, error);
  if (status == HEDDLE_OK)
    status = heddle_interpreter_set_input(interpreter, 0, x, sizeof(x), error);
  if (status == HEDDLE_OK) status = heddle_interpreter_invoke(interpreter, nullptr, error);
  if (status == HEDDLE_OK)
    status = heddle_interpreter_get_output(interpreter, 0, y, sizeof(x), error);
  heddle_interpreter_destroy(interpreter);
  heddle_model_destroy(model);
  heddle_op_resolver_destroy(resolver);
  heddle_environment_destroy(environment);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const float expected[4] = {0, 0, 3, 6};
  float y[4] = {};
  heddle_error* error = nullptr;
  if (Run(argv[1], y, &error) != HEDDLE_OK) {
    std::fprintf(stderr, "%s\n", error != nullptr ? heddle_error_get_message(error) : "failed");
    heddle_error_destroy(error);
    return 1;
  }
  for (int i = 0; i < 4; ++i) {
    if (y[i] == expected[i]) continue;
    std::fprintf(stderr, "y[%d] is %g, expected %g\n", i, static_cast<double>(y[i]),
                 static_cast<double>(expected[i]));
    return 1;
  }
  return 0;
}
