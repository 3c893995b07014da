// SPDX-License-Identifier: Apache-2.0
// Mfcc: mel-frequency cepstral coefficients of the squared magnitudes of a spectrogram [channels,
// windows, frequencies], whose sample rate is the second input: triangles on the mel scale, their
// logarithm, a cosine transform, of which the first coefficients are kept.
#include <cmath>
#include <numbers>

#include "kernels/custom/flexbuffer_options.h"
#include "kernels/custom/frames.h"

namespace heddle::kernels {
namespace {

constexpr int32_t kMaxBands = 1 << 16;

double Mel(double frequency) { return 1127.0 * std::log1p(frequency / 700.0); }

// A frequency's magnitude goes to two bands: `weight` of it to `band`, the rest to the next. Bands
// before the first and behind the last do not count.
struct Share {
  int32_t band;
  double weight;
};

struct Mfcc {
  struct Node {
    int32_t upper_limit = 0;
    int32_t lower_limit = 0;
    int32_t bands = 0;
    int32_t coefficients = 0;
  };
  struct Plan {
    int32_t frequencies = 0;
    int64_t frames = 0;
    int32_t shares = 0, cosines = 0, energies = 0;  // scratch
  };

  static heddle_status Init(OpContext& op, Node& node) {
    FlexbufferOptions options(op);
    HEDDLE_OP_RETURN_IF_ERROR(options.Read());
    const std::pair<const char*, int32_t*> names[] = {
        {"upper_frequency_limit", &node.upper_limit},
        {"lower_frequency_limit", &node.lower_limit},
        {"filterbank_channel_count", &node.bands},
        {"dct_coefficient_count", &node.coefficients}};
    for (const auto& [name, value] : names) {
      HEDDLE_OP_RETURN_IF_ERROR(options.Get(name, true, value));
    }
    if (node.lower_limit < 0 || node.upper_limit <= node.lower_limit) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                     "there are no frequencies from ", node.lower_limit, " to ", node.upper_limit);
    }
    if (node.bands < 1 || node.bands > kMaxBands || node.coefficients < 1 ||
        node.coefficients > node.bands) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                     "dct_coefficient_count is ", node.coefficients,
                     " and filterbank_channel_count ", node.bands,
                     ", wanted are 1 <= the first <= ", "the second <= ", kMaxBands);
    }
    return HEDDLE_OK;
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(0, HEDDLE_DTYPE_FLOAT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_INT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, HEDDLE_DTYPE_FLOAT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 3, 3));
    const auto input = op.input_dims(0);
    if (input[2] < 2) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 0,
                     "the spectrogram has shape ", ShapeText(input),
                     ", wanted are at least 2 frequencies");
    }
    if (op.input(1).bytes != sizeof(int32_t)) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 1,
                     "the sample rate has shape ", ShapeText(op.input_dims(1)),
                     ", wanted is one element");
    }
    const int32_t dims[] = {input[0], input[1], node.coefficients};
    return op.SetOutput(0, HEDDLE_DTYPE_FLOAT32, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    plan.frequencies = op.input_dims(0)[2];
    plan.frames = int64_t{op.input_dims(0)[0]} * op.input_dims(0)[1];
    const auto bands = static_cast<size_t>(node.bands);
    HEDDLE_OP_RETURN_IF_ERROR(
        op.RequestScratch(static_cast<size_t>(plan.frequencies) * sizeof(Share), &plan.shares));
    HEDDLE_OP_RETURN_IF_ERROR(op.RequestScratch(
        static_cast<size_t>(node.coefficients) * bands * sizeof(double), &plan.cosines));
    return op.RequestScratch(static_cast<size_t>(kFrameWorkers) * bands * sizeof(double),
                             &plan.energies);
  }

  // The sample rate is known only now. Frequencies outside of the limits get no band: [first, last]
  // have one.
  static heddle_status MakeShares(const OpContext& op, const Node& node, const Plan& plan,
                                  int32_t* first, int32_t* last) {
    const int32_t rate = *op.InputData<int32_t>(1);
    if (rate <= 0 || node.upper_limit > rate / 2.0) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1,
                     "the sample rate is ", rate,
                     ", wanted is at least twice upper_frequency_limit, ", node.upper_limit);
    }
    auto* const shares = op.Scratch<Share>(plan.shares);
    const double spacing = 0.5 * rate / (plan.frequencies - 1);
    const double lowest = Mel(node.lower_limit);
    const double width = (Mel(node.upper_limit) - lowest) / (node.bands + 1.0);
    const auto center = [&](int32_t band) { return lowest + width * (band + 1.0); };
    *first = static_cast<int32_t>(1.5 + node.lower_limit / spacing);
    *last = std::min(static_cast<int32_t>(node.upper_limit / spacing), plan.frequencies - 1);
    int32_t next = 0;
    for (int32_t i = *first; i <= *last; ++i) {
      const double mel = Mel(i * spacing);
      while (next < node.bands && center(next) < mel) ++next;
      shares[i].band = next - 1;
      shares[i].weight = (center(next) - mel) / width;
    }
    return HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    int32_t first = 0;
    int32_t last = 0;
    HEDDLE_OP_RETURN_IF_ERROR(MakeShares(op, node, plan, &first, &last));
    const auto* shares = op.Scratch<Share>(plan.shares);
    auto* const cosines = op.Scratch<double>(plan.cosines);
    for (int64_t c = 0; c < node.coefficients; ++c) {
      for (int64_t b = 0; b < node.bands; ++b) {
        const double angle = static_cast<double>(c) * (std::numbers::pi / node.bands) *
                             (static_cast<double>(b) + 0.5);
        cosines[c * node.bands + b] = std::sqrt(2.0 / node.bands) * std::cos(angle);
      }
    }
    return ForEachFrame(op, plan.frames, [&](int64_t worker, int64_t frame) {
      const float* const squares = op.InputData<float>(0) + frame * plan.frequencies;
      double* const energies = op.Scratch<double>(plan.energies) + worker * node.bands;
      std::fill_n(energies, node.bands, 0.0);
      for (int32_t i = first; i <= last; ++i) {
        const double magnitude = std::sqrt(double{squares[i]});
        const double part = magnitude * shares[i].weight;
        const int32_t band = shares[i].band;
        if (band >= 0) energies[band] += part;
        if (band + 1 < node.bands) energies[band + 1] += magnitude - part;
      }
      for (int32_t b = 0; b < node.bands; ++b) {
        energies[b] = std::log(energies[b] < 1e-12 ? 1e-12 : energies[b]);
      }
      float* const output = op.OutputData<float>(0) + frame * node.coefficients;
      for (int64_t c = 0; c < node.coefficients; ++c) {
        double sum = 0;
        for (int64_t b = 0; b < node.bands; ++b) sum += cosines[c * node.bands + b] * energies[b];
        output[c] = static_cast<float>(sum);
      }
    });
  }
};

}  // namespace

HEDDLE_CUSTOM_OP(Mfcc, 1, 1, Mfcc);

}  // namespace heddle::kernels
