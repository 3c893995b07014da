// SPDX-License-Identifier: Apache-2.0
// Custom op "Heddle.ClampedScale": y = min(max(x * scale + offset, low), high), element by element,
// for float32 tensors of any rank. A NaN stays a NaN.
//
// A plugin: a shared library of its own that links nothing of Heddle. Whatever it needs comes
// through call->host.
//
// Its custom_options are 20 bytes, little-endian:
//   0  uint32  format, 1
//   4  float32 scale      8  float32 offset      finite
//  12  float32 low       16  float32 high        low <= high; infinities switch a bound off
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/heddle_plugin.h"

enum { kOptionsBytes = 20, kFormat = 1 };

// Work below this many elements is not worth a second thread.
enum { kGrain = 16384 };

typedef struct Options {
  float scale, offset, low, high;
} Options;

static uint32_t ReadUint32(const unsigned char* bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
         (uint32_t)bytes[3] << 24;
}

static float ReadFloat(const unsigned char* bytes) {
  const uint32_t bits = ReadUint32(bytes);
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

// The host copies the text of a report; so it may be made here.
static heddle_status BadOptions(heddle_op_call* call, const char* text) {
  return call->host->report(call, HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID,
                            HEDDLE_NO_OPERAND, text);
}

// Reads the options once, so that invoke finds them ready. They come from a file: check everything.
static heddle_status Init(heddle_op_call* call, void** node_state) {
  const void* data = NULL;
  size_t bytes = 0;
  const heddle_status status = call->host->get_custom_options(call, &data, &bytes);
  if (status != HEDDLE_OK) return status;

  char text[160];
  if (bytes != kOptionsBytes) {
    snprintf(text, sizeof(text), "custom_options have %zu bytes, %d are needed", bytes,
             (int)kOptionsBytes);
    return BadOptions(call, text);
  }
  const unsigned char* fields = (const unsigned char*)data;
  if (ReadUint32(fields) != kFormat) {
    snprintf(text, sizeof(text), "custom_options have format %lu, this op knows %d",
             (unsigned long)ReadUint32(fields), (int)kFormat);
    return BadOptions(call, text);
  }
  const Options read = {ReadFloat(fields + 4), ReadFloat(fields + 8), ReadFloat(fields + 12),
                        ReadFloat(fields + 16)};
  if (!isfinite(read.scale) || !isfinite(read.offset)) {
    return BadOptions(call, "scale and offset must be finite");
  }
  if (!(read.low <= read.high)) {  // catches NaN as well
    snprintf(text, sizeof(text), "low is %g, high is %g: low must not be above high",
             (double)read.low, (double)read.high);
    return BadOptions(call, text);
  }

  Options* options = (Options*)malloc(sizeof(*options));
  if (options == NULL) return HEDDLE_RESOURCE_EXHAUSTED;
  *options = read;
  *node_state = options;
  return HEDDLE_OK;
}

static void Free(void* user_data, void* node_state) {
  (void)user_data;
  free(node_state);
}

static heddle_status Infer(heddle_op_call* call) {
  if (call->input_count != 1 || call->output_count != 1 || call->outputs[0] == NULL) {
    return call->host->report(call, HEDDLE_INVALID_MODEL, HEDDLE_REASON_WRONG_OPERAND_COUNT,
                              HEDDLE_NO_OPERAND, "one input and one output are needed");
  }
  const heddle_tensor* x = call->inputs[0];
  if (x == NULL) {
    return call->host->report(call, HEDDLE_INVALID_MODEL, HEDDLE_REASON_MISSING_OPERAND, 0,
                              "the input is absent");
  }
  if (x->dtype != HEDDLE_DTYPE_FLOAT32) {
    return call->host->report(call, HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPE_NOT_SUPPORTED, 0,
                              "only FLOAT32 is supported");
  }
  return call->host->set_output(call, 0, HEDDLE_DTYPE_FLOAT32, x->dims, x->rank);
}

typedef struct Work {
  const Options* options;
  const float* x;
  float* y;
} Work;

static void ComputeRange(void* argument, int64_t begin, int64_t end) {
  const Work* work = (const Work*)argument;
  const Options options = *work->options;
  for (int64_t i = begin; i < end; ++i) {
    float value = work->x[i] * options.scale + options.offset;
    // Comparisons with NaN are false: it passes.
    if (value < options.low) value = options.low;
    if (value > options.high) value = options.high;
    work->y[i] = value;
  }
}

static heddle_status Invoke(heddle_op_call* call) {
  const heddle_tensor* x = call->inputs[0];
  Work work = {(const Options*)call->node_state, (const float*)x->data,
               (float*)call->outputs[0]->data};
  return call->host->parallel_for(call, (int64_t)(x->bytes / sizeof(float)), kGrain, ComputeRange,
                                  &work);
}

// The output may overwrite the input: each element is read before it is written.
static const heddle_in_place_pair kInPlace[] = {{0, 0}};

static const heddle_op kOps[] = {{
    .struct_size = sizeof(heddle_op),
    .builtin_code = 32,  // CUSTOM
    .min_version = 1,
    .max_version = 1,
    .custom_name = "Heddle.ClampedScale",
    .init = Init,
    .free = Free,
    .infer = Infer,
    .invoke = Invoke,
    .in_place = kInPlace,
    .in_place_count = 1,
}};

static const heddle_plugin kPlugin = {
    .struct_size = sizeof(heddle_plugin),
    .abi_version = HEDDLE_PLUGIN_ABI_VERSION,
    .name = "clamped_scale",
    .version = "1.0",
    .ops = kOps,
    .op_stride = sizeof(kOps[0]),
    .op_count = sizeof(kOps) / sizeof(kOps[0]),
};

heddle_status heddle_plugin_query(uint32_t host_abi_version, const heddle_plugin** plugin) {
  if (host_abi_version < HEDDLE_PLUGIN_ABI_VERSION) return HEDDLE_VERSION_MISMATCH;
  *plugin = &kPlugin;
  return HEDDLE_OK;
}
