/* SPDX-License-Identifier: Apache-2.0 */
/* Classifies one handwritten digit through Heddle's C API: minimal_c digits_float.tflite */
#include <heddle/heddle.h>
#include <stdio.h>

/* Grey values 0 to 255: a three. */
static const unsigned char kDigit[8 * 8] = {
    0, 0, 64,  255, 255, 255, 112, 0, /* ..####.. */
    0, 0, 128, 143, 48,  207, 191, 0, /* ..#..##. */
    0, 0, 0,   0,   80,  255, 128, 0, /* ....##.. */
    0, 0, 0,   128, 239, 255, 64,  0, /* ...###.. */
    0, 0, 0,   96,  207, 239, 191, 0, /* ...####. */
    0, 0, 0,   0,   0,   128, 239, 0, /* .....##. */
    0, 0, 80,  64,  80,  223, 191, 0, /* ..#..##. */
    0, 0, 128, 255, 255, 191, 32,  0, /* ..####.. */
};

static int Fail(heddle_error* error) {
  fprintf(stderr, "%s\n", heddle_error_get_message(error));
  heddle_error_destroy(error);
  return 1;
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "digits_float.tflite";
  const heddle_environment_options options = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
  heddle_environment* environment = NULL;
  heddle_model* model = NULL;
  heddle_interpreter* interpreter = NULL;
  heddle_error* error = NULL;
  if (heddle_environment_create(&options, &environment, &error)) return Fail(error);
  if (heddle_model_create_from_file(environment, path, 0, &model, &error)) return Fail(error);
  if (heddle_interpreter_create(environment, model, NULL, &interpreter, &error)) return Fail(error);

  float image[64], probability[10];
  for (int i = 0; i < 64; ++i) image[i] = kDigit[i] / 255.0f;
  if (heddle_interpreter_set_input(interpreter, 0, image, sizeof(image), &error) ||
      heddle_interpreter_invoke(interpreter, NULL, &error) ||
      heddle_interpreter_get_output(interpreter, 0, probability, sizeof(probability), &error)) {
    return Fail(error);
  }
  int best = 0;
  for (int i = 1; i < 10; ++i) best = probability[i] > probability[best] ? i : best;
  printf("%d (%.1f %%)\n", best, 100 * probability[best]);

  heddle_interpreter_destroy(interpreter);
  heddle_model_destroy(model);
  heddle_environment_destroy(environment);
  return 0;
}
