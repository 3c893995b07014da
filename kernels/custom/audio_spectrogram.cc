// SPDX-License-Identifier: Apache-2.0
// AudioSpectrogram: audio [samples, channels] in windows of `window_size` samples, `stride` samples
// apart, each under a Hann window and filled up with zeros to the next power of two; the magnitudes
// of their frequencies, [channels, windows, frequencies], or the squares of these.
#include <bit>

#include "kernels/custom/fft.h"
#include "kernels/custom/flexbuffer_options.h"
#include "kernels/custom/frames.h"

namespace heddle::kernels {
namespace {

using Complex = std::complex<double>;

struct AudioSpectrogram {
  struct Node {
    int32_t window = 0;
    int32_t stride = 0;
    bool squared = false;

    int64_t fft_length() const {
      return static_cast<int64_t>(std::bit_ceil(static_cast<uint32_t>(window)));
    }
    int64_t frequencies() const { return 1 + fft_length() / 2; }
    int32_t windows(int32_t samples) const {
      return samples < window ? 0 : 1 + (samples - window) / stride;
    }
  };
  struct Plan {
    int32_t windows = 0;
    std::vector<double> window;
    ref::Fft fft;
    int32_t values = 0;  // scratch
  };

  static heddle_status Init(OpContext& op, Node& node) {
    FlexbufferOptions options(op);
    HEDDLE_OP_RETURN_IF_ERROR(options.Read());
    HEDDLE_OP_RETURN_IF_ERROR(options.Get("window_size", true, &node.window));
    HEDDLE_OP_RETURN_IF_ERROR(options.Get("stride", true, &node.stride));
    HEDDLE_OP_RETURN_IF_ERROR(options.Get("magnitude_squared", false, &node.squared));
    if (node.window >= 2 && node.stride >= 1) return HEDDLE_OK;
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                   "window_size is ", node.window, " and stride ", node.stride,
                   ", wanted are at least 2 and 1");
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(0, HEDDLE_DTYPE_FLOAT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, HEDDLE_DTYPE_FLOAT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 2, 2));
    const int32_t dims[] = {op.input_dims(0)[1], node.windows(op.input_dims(0)[0]),
                            static_cast<int32_t>(node.frequencies())};
    return op.SetOutput(0, HEDDLE_DTYPE_FLOAT32, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    plan.windows = node.windows(op.input_dims(0)[0]);
    // A window longer than the audio, perhaps by far, costs no memory.
    if (op.output(0).bytes == 0) return HEDDLE_OK;
    plan.fft = ref::Fft(node.fft_length());
    for (int32_t i = 0; i < node.window; ++i) {
      plan.window.push_back(0.5 - 0.5 * std::cos(2 * std::numbers::pi * i / node.window));
    }
    return op.RequestScratch(
        static_cast<size_t>(kFrameWorkers * node.fft_length()) * sizeof(Complex), &plan.values);
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    if (op.output(0).bytes == 0) return HEDDLE_OK;
    const int64_t channels = op.input_dims(0)[1];
    return ForEachFrame(op, channels * plan.windows, [&](int64_t worker, int64_t frame) {
      const int64_t channel = frame / plan.windows;
      const int64_t first = frame % plan.windows * node.stride;
      const float* const samples = op.InputData<float>(0) + first * channels + channel;
      Complex* const values = op.Scratch<Complex>(plan.values) + worker * node.fft_length();
      for (int64_t i = 0; i < node.window; ++i) {
        values[i] = samples[i * channels] * plan.window[static_cast<size_t>(i)];
      }
      std::fill(values + node.window, values + node.fft_length(), Complex());
      plan.fft.Transform(values);
      float* const output = op.OutputData<float>(0) + frame * node.frequencies();
      for (int64_t i = 0; i < node.frequencies(); ++i) {
        const double re = values[i].real();
        const double im = values[i].imag();
        const auto square = static_cast<float>(re * re + im * im);
        output[i] = node.squared ? square : std::sqrt(square);
      }
    });
  }
};

}  // namespace

HEDDLE_CUSTOM_OP(AudioSpectrogram, 1, 1, AudioSpectrogram);

}  // namespace heddle::kernels
