// SPDX-License-Identifier: Apache-2.0
// A user's program: runs MODEL once on zeros.
#include <heddle/heddle.h>
#include <stdio.h>

int main(int argc, char** argv) {
  heddle_error* error = NULL;
  heddle_environment* environment = NULL;
  heddle_model* model = NULL;
  heddle_interpreter* interpreter = NULL;
  heddle_environment_options options = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
  if (argc != 2 || heddle_environment_create(&options, &environment, &error) ||
      heddle_model_create_from_file(environment, argv[1], 0, &model, &error) ||
      heddle_interpreter_create(environment, model, NULL, &interpreter, &error) ||
      heddle_interpreter_invoke(interpreter, NULL, &error)) {
    fprintf(stderr, "%s\n", error ? heddle_error_get_message(error) : "usage: consumer MODEL");
    return 1;
  }
  printf("%zu outputs\n", heddle_interpreter_get_output_count(interpreter));
  return 0;
}
