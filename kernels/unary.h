// SPDX-License-Identifier: Apache-2.0
// Ops that map each element by itself. A function is a struct, which is also the node's state:
//
//   struct Elu : UnaryFunction {
//     using Types = TypeList<float, int8_t>;
//     heddle_status Init(const OpContext& op);  // optional: attributes
//     float Of(float x) const;                  // for T the same, or of plain numbers of type T
//     // Optional, else tables of Of: what computes quantised numbers, with `T Of(T) const`.
//     using Quantized = ...;
//     template <typename T>
//     heddle_status Prepare(const OpContext& op, Affine in, Affine out, Quantized* quantized)
//     const;
//   };
//
// All quantised 8-bit functions are tables, filled from Of(T) of Quantized.
#pragma once

#include <limits>
#include <memory>
#include <type_traits>

#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/ref/lookup.h"
#include "kernels/window.h"

namespace heddle::kernels {

struct UnaryFunction {
  // Integers of at most 16 bits are quantised, unless a function takes them as they are
  // (kPlain), or int16 without quantisation (kPlainInt16).
  static constexpr bool kPlain = false;
  static constexpr bool kPlainInt16 = false;
  // Quantised numbers below the zero point are an error of the data.
  static constexpr bool kNotNegative = false;
  static heddle_status Init(const OpContext&) { return HEDDLE_OK; }
};

// The default: tables of a function of floats.
struct TabledFunction : UnaryFunction {
  using Quantized = ref::Table16;
};

template <typename Function>
struct Unary {
  using Node = Function;
  struct State {
    uint8_t table8[256] = {};
    typename Function::Quantized quantized = {};
    int32_t zero_point = 0;
  };
  struct Plan {
    std::unique_ptr<State> state;  // of quantised numbers
  };
  static constexpr heddle_in_place_pair kInPlace[] = {{0, 0}};

  static heddle_status Init(OpContext& op, Node& node) { return node.Init(op); }

  static heddle_status Infer(OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    return op.SetOutput(0, op.input(0).dtype, op.input_dims(0));
  }

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput(typename Function::Types(), op, 0, fn);
  }

  template <typename T>
  static constexpr bool kIsQuantized = std::is_integral_v<T> && sizeof(T) <= 2 && !Function::kPlain;

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (kIsQuantized<T>) {
        if constexpr (std::is_same_v<T, int16_t> && Function::kPlainInt16) {
          if (!IsQuantized(op.input(0))) return ExpectNoQuantization(op);
        }
        plan.state = std::make_unique<State>();
        return PrepareQuantized<T>(op, node, plan.state.get());
      } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
        return IsQuantized(op.input(0)) ? ExpectSymmetric(op) : ExpectNoQuantization(op);
      } else {
        return HEDDLE_OK;
      }
    });
  }

  // Integers as they are mean the same numbers only around 0 and at one scale.
  static heddle_status ExpectSymmetric(const OpContext& op) {
    Affine affine;
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 0, 0));
    return ExpectSameQuantization(op, &affine);
  }

  template <typename T>
  static heddle_status PrepareQuantized(const OpContext& op, const Node& node, State* state) {
    Affine in;
    Affine out;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &in));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &out));
    if constexpr (std::is_same_v<T, int16_t>) {
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 0, 0));
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, OpContext::kOutput(0), 0));
    }
    state->zero_point = in.zero_point;
    if constexpr (requires { node.template Prepare<T>(op, in, out, &state->quantized); }) {
      HEDDLE_OP_RETURN_IF_ERROR(node.template Prepare<T>(op, in, out, &state->quantized));
    }
    // A function of reals that depends on the output's range, or Of.
    const auto real = [&](float x) {
      if constexpr (requires { node.OfReal(x, 0.0f, 0.0f); }) {
        return node.OfReal(x, Real<T>(out, std::numeric_limits<T>::min()),
                           Real<T>(out, std::numeric_limits<T>::max()));
      } else {
        return node.Of(x);
      }
    };
    auto* const table = reinterpret_cast<T*>(state->table8);
    constexpr bool kTabled = std::is_same_v<typename Function::Quantized, ref::Table16>;
    if constexpr (sizeof(T) == 1 && !kTabled && requires { state->quantized.Of(T{}); }) {
      for (int32_t q = std::numeric_limits<T>::min(); q <= std::numeric_limits<T>::max(); ++q) {
        table[static_cast<uint8_t>(q)] = state->quantized.Of(static_cast<T>(q));
      }
    } else if constexpr (sizeof(T) == 1) {
      ref::FillTable8(in.scale, in.zero_point, out.scale, out.zero_point, real, table);
    } else if constexpr (kTabled) {
      ref::FillTable16(in.scale, 0, out.scale, real, state->quantized.samples);
    }
    return HEDDLE_OK;
  }

  template <typename T>
  static float Real(Affine affine, T value) {
    return static_cast<float>(int32_t{value} - affine.zero_point) * affine.scale;
  }

  template <typename T>
  static heddle_status CheckNotNegative(const OpContext& op, int32_t zero_point) {
    const T* const input = op.InputData<T>(0);
    const size_t count = op.input(0).bytes / sizeof(T);
    for (size_t i = 0; i < count; ++i) {
      if (input[i] >= zero_point) continue;
      return op.Fail(HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_DATA_OUT_OF_RANGE, 0, "element ", i,
                     " is negative");
    }
    return HEDDLE_OK;
  }

  template <typename T, typename Fn>
  static heddle_status Map(const OpContext& op, const Fn& fn) {
    const T* const input = op.InputData<T>(0);
    T* const output = op.OutputData<T>(0);
    const auto count = static_cast<int64_t>(op.input(0).bytes / sizeof(T));
    return op.ParallelFor(count, GrainFor(8), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) output[i] = fn(input[i]);
    });
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    return Dispatch(op, [&](auto tag) {
      return InvokeAs<typename decltype(tag)::type>(op, node, plan.state.get());
    });
  }
  template <typename T>
  static heddle_status InvokeAs(const OpContext& op, const Node& node, const State* state) {
    if constexpr (kIsQuantized<T>) {
      if (state != nullptr) {
        if (Function::kNotNegative) {
          HEDDLE_OP_RETURN_IF_ERROR(CheckNotNegative<T>(op, state->zero_point));
        }
        if constexpr (sizeof(T) == 1) {
          return Map<T>(
              op, [&](T x) { return static_cast<T>(state->table8[static_cast<uint8_t>(x)]); });
        } else {
          return Map<T>(op, [&](T x) { return state->quantized.Of(x); });
        }
      }
    }
    return Map<T>(op, [&](T x) { return T(node.Of(x)); });
  }
};

}  // namespace heddle::kernels
