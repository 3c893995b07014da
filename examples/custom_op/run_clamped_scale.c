// SPDX-License-Identifier: Apache-2.0
// run_clamped_scale PLUGIN MODEL: runs a model that uses the plugin's op beside builtin ones, and
// compares its output with the same formula in float64.
//
// The model (clamped_scale.json): y = clamp(x * 2 - 1, -3, 3) + 10.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "heddle/heddle.h"

enum { kRows = 1000, kColumns = 100 };

// Prints what went wrong; 1 if something did.
static int Failed(const char* what, heddle_status status, heddle_error* error) {
  if (status == HEDDLE_OK) return 0;
  fprintf(stderr, "%s: %s\n", what, heddle_error_get_message(error));
  heddle_error_destroy(error);
  return 1;
}

// Resolvers form a chain: ours has the plugin's ops, and passes on to the library's for the rest.
static heddle_op_resolver* MakeResolver(const char* plugin) {
  heddle_error* error = NULL;
  heddle_op_resolver* resolver = NULL;
  heddle_op_resolver* builtins = NULL;
  int failed = Failed("resolver", heddle_op_resolver_create(&resolver, &error), error) ||
               Failed("builtin ops", heddle_op_resolver_create_default(&builtins, &error), error) ||
               Failed("plugin", heddle_op_resolver_add_plugin(resolver, plugin, &error), error) ||
               Failed("chain", heddle_op_resolver_chain(resolver, builtins, &error), error);
  heddle_op_resolver_destroy(builtins);  // the chain holds a copy
  if (!failed) return resolver;
  heddle_op_resolver_destroy(resolver);
  return NULL;
}

static int Run(heddle_interpreter* interpreter) {
  heddle_error* error = NULL;
  const int32_t dims[2] = {kRows, kColumns};
  if (Failed("resize", heddle_interpreter_resize_input(interpreter, 0, dims, 2, 0, &error), error))
    return 1;
  if (Failed("prepare", heddle_interpreter_prepare(interpreter, &error), error)) return 1;

  // -5 ... 5, so that both bounds are met.
  float* x = (float*)heddle_interpreter_get_input_data(interpreter, 0);
  for (int i = 0; i < kRows * kColumns; ++i)
    x[i] = -5.0f + 10.0f * (float)i / (float)(kRows * kColumns);
  if (Failed("run", heddle_interpreter_invoke(interpreter, NULL, &error), error)) return 1;

  const float* y = (const float*)heddle_interpreter_get_output_data(interpreter, 0);
  double largest_error = 0;
  for (int i = 0; i < kRows * kColumns; ++i) {
    const double expected = fmin(fmax((double)x[i] * 2 - 1, -3), 3) + 10;
    largest_error = fmax(largest_error, fabs(y[i] - expected));
  }
  printf("%d values, largest difference from float64: %.3g\n", kRows * kColumns, largest_error);
  return largest_error <= 1e-6 ? 0 : 1;  // two roundings, of values up to 4 and up to 13
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s PLUGIN MODEL\n", argv[0]);
    return 2;
  }
  heddle_error* error = NULL;
  heddle_environment* environment = NULL;
  heddle_model* model = NULL;
  heddle_interpreter* interpreter = NULL;
  heddle_environment_options environment_options = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;

  heddle_op_resolver* resolver = MakeResolver(argv[1]);
  options.resolver = resolver;
  const int failed =
      resolver == NULL ||
      Failed("environment", heddle_environment_create(&environment_options, &environment, &error),
             error) ||
      Failed(
          "model",
          heddle_model_create_from_file(environment, argv[2], HEDDLE_MODEL_DEFAULT, &model, &error),
          error) ||
      Failed("interpreter",
             heddle_interpreter_create(environment, model, &options, &interpreter, &error),
             error) ||
      Run(interpreter);
  // Any order will do.
  heddle_op_resolver_destroy(resolver);
  heddle_model_destroy(model);
  heddle_environment_destroy(environment);
  heddle_interpreter_destroy(interpreter);
  return failed;
}
