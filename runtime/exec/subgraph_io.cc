// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of an entry point: shapes, memory, bindings.
#include <algorithm>
#include <cstring>

#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"
#include "runtime/base/strings.h"
#include "runtime/exec/subgraph.h"

namespace heddle {
namespace {

bool RangesOverlap(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  const auto a_start = reinterpret_cast<uintptr_t>(a);
  const auto b_start = reinterpret_cast<uintptr_t>(b);
  return a_start < b_start + b_bytes && b_start < a_start + a_bytes;
}

Status TooSmall(heddle_phase phase, const Buffer& buffer, const char* what, size_t index,
                std::string_view name, size_t bytes) {
  return Status(HEDDLE_INVALID_ARGUMENT, phase, HEDDLE_REASON_BUFFER_TOO_SMALL,
                StrCat("the buffer bound to ", what, " ", index, " (\"", name, "\") has ",
                       buffer.bytes(), " bytes, the tensor has ", bytes));
}

}  // namespace

Status Subgraph::EnsureInputBlock(size_t input, int set, size_t bytes) {
  Block& block = inputs_[input].blocks[set];
  if (block && block.bytes() >= bytes) return {};
  Block larger = Block::Make(instance_->environment->allocator(), bytes);
  if (!larger) return Status::OutOfMemory();
  std::memset(larger.data(), 0, bytes);
  block = std::move(larger);
  rebind_ = true;
  return {};
}

StatusOr<void*> Subgraph::InputData(size_t input, size_t bytes) {
  InputSlot& slot = inputs_[input];
  const TensorDef& def = def_.tensors[static_cast<size_t>(def_.inputs[input])];
  if (slot.bound != nullptr) {
    if (def.dtype != HEDDLE_DTYPE_STRING && !DenseBytes(def.dtype, input_dims_[input], &bytes))
      bytes = SIZE_MAX;
    if (slot.bound->bytes() >= bytes) return static_cast<void*>(slot.bound->data());
    return TooSmall(HEDDLE_PHASE_MEMORY, *slot.bound, "input", input, def.name, bytes);
  }
  if (def.dtype == HEDDLE_DTYPE_STRING) {
    if (bytes == 0) bytes = slot.string_bytes;
    if (bytes == 0) {
      // Nobody set it: as many empty strings as the shape has.
      int64_t count = 0;
      if (!ElementCount(input_dims_[input], &count) || count > INT32_MAX / 8) {
        return Status(
            HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_MEMORY, HEDDLE_REASON_SIZE_OVERFLOW,
            StrCat("input ", input, " of shape ", ShapeText(input_dims_[input]), " is too large"));
      }
      bytes = static_cast<size_t>(count + 2) * sizeof(int32_t);
      HEDDLE_RETURN_IF_ERROR(EnsureInputBlock(input, 0, bytes));
      auto* header = reinterpret_cast<int32_t*>(slot.blocks[0].data());
      header[0] = static_cast<int32_t>(count);
      for (int64_t i = 0; i <= count; ++i) header[i + 1] = static_cast<int32_t>(bytes);
    }
    if (slot.string_bytes != bytes) rebind_ = true;
    slot.string_bytes = bytes;
  } else if (!DenseBytes(def.dtype, input_dims_[input], &bytes)) {
    return Status(
        HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_MEMORY, HEDDLE_REASON_SIZE_OVERFLOW,
        StrCat("input ", input, " of shape ", ShapeText(input_dims_[input]), " is too large"));
  }
  HEDDLE_RETURN_IF_ERROR(EnsureInputBlock(input, 0, bytes));
  return static_cast<void*>(slot.blocks[0].data());
}

void Subgraph::BindInput(size_t input, std::shared_ptr<Buffer> buffer) {
  inputs_[input].bound = std::move(buffer);
  ForgetBindings();
}

void Subgraph::BindOutput(size_t output, std::shared_ptr<Buffer> buffer) {
  bound_outputs_[output] = std::move(buffer);
  ForgetBindings();
}

void Subgraph::SwapBindings(std::vector<std::shared_ptr<Buffer>>& inputs,
                            std::vector<std::shared_ptr<Buffer>>& outputs) {
  for (size_t i = 0; i < inputs_.size(); ++i) std::swap(inputs_[i].bound, inputs[i]);
  for (size_t i = 0; i < bound_outputs_.size(); ++i) std::swap(bound_outputs_[i], outputs[i]);
  ForgetBindings();
}

void Subgraph::ForgetBindings() {
  rebind_ = true;
  if (current_ == nullptr || !io_bound_) return;
  io_bound_ = false;
  // The caller may give the buffers back now: nothing may point there any more.
  for (const int32_t input : def_.inputs) {
    heddle_tensor& view = current_->views[static_cast<size_t>(input)];
    if (!Owns(view.data)) view.data = nullptr;
  }
  current_->BindArena(arena_.data());
}

bool Subgraph::FitsInPlace(const Buffer& buffer, const heddle_tensor& view, const char* what,
                           size_t i) {
  const size_t element = std::clamp<size_t>(DtypeBits(view.dtype) / 8, 1, 8);
  const bool aligned = reinterpret_cast<uintptr_t>(buffer.data()) % element == 0;
  const bool padded = is_overread_[static_cast<size_t>(view.index)] == 0 ||
                      buffer.padded_bytes() >= view.bytes + kTensorPadding;
  if (aligned && padded) return true;
  Log(HEDDLE_SEVERITY_WARNING, aligned ? HEDDLE_REASON_COPY_PADDING : HEDDLE_REASON_COPY_ALIGNMENT,
      StrCat("the buffer bound to ", what, " ", i, " (\"", view.name, "\") is copied at each run"));
  return false;
}

Status Subgraph::BindInputs(ShapePlan& plan) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const auto tensor = static_cast<size_t>(def_.inputs[i]);
    InputSlot& slot = inputs_[i];
    heddle_tensor& view = plan.views[tensor];
    slot.copy_bound = false;
    if (slot.bound == nullptr) {
      HEDDLE_ASSIGN_OR_RETURN(view.data, InputData(i, 0));
      if (view.dtype == HEDDLE_DTYPE_STRING) view.bytes = slot.string_bytes;
      continue;
    }
    const Buffer& buffer = *slot.bound;
    if (view.dtype == HEDDLE_DTYPE_STRING) view.bytes = buffer.bytes();
    if (buffer.bytes() < view.bytes)
      return TooSmall(HEDDLE_PHASE_MEMORY, buffer, "input", i, view.name, view.bytes);
    view.data = buffer.data();
    if (FitsInPlace(buffer, view, "input", i)) continue;
    HEDDLE_RETURN_IF_ERROR(EnsureInputBlock(i, 0, view.bytes));
    slot.copy_bound = true;
    view.data = slot.blocks[0].data();
  }
  return {};
}

Status Subgraph::BindOutputs(ShapePlan& plan) {
  for (size_t i = 0; i < bound_outputs_.size(); ++i) {
    copy_output_[i] = 0;
    if (bound_outputs_[i] == nullptr) continue;
    const Buffer& buffer = *bound_outputs_[i];
    const auto tensor = static_cast<size_t>(def_.outputs[i]);
    heddle_tensor& view = plan.views[tensor];
    copy_output_[i] = 1;
    if (plan.tensors[tensor].storage != Storage::kArena) continue;
    if (buffer.bytes() < view.bytes)
      return TooSmall(HEDDLE_PHASE_MEMORY, buffer, "output", i, view.name, view.bytes);
    bool in_place = FitsInPlace(buffer, view, "output", i);
    // An op may write this output before another has read that input or output.
    for (const int32_t input : def_.inputs) {
      const heddle_tensor& other = plan.views[static_cast<size_t>(input)];
      if (RangesOverlap(buffer.data(), view.bytes, other.data, other.bytes)) in_place = false;
    }
    for (size_t j = 0; j < i; ++j) {
      if (def_.outputs[j] == def_.outputs[i]) in_place = false;
      if (bound_outputs_[j] == nullptr) continue;
      const heddle_tensor& other = plan.views[static_cast<size_t>(def_.outputs[j])];
      if (RangesOverlap(buffer.data(), view.bytes, bound_outputs_[j]->data(), other.bytes))
        in_place = false;
    }
    if (!in_place) continue;
    view.data = buffer.data();
    copy_output_[i] = 0;
  }
  return {};
}

Status Subgraph::CopyBoundOutputs(ShapePlan& plan) {
  for (size_t i = 0; i < bound_outputs_.size(); ++i) {
    if (copy_output_[i] == 0) continue;
    const Buffer& buffer = *bound_outputs_[i];
    const heddle_tensor& view = plan.views[static_cast<size_t>(def_.outputs[i])];
    if (buffer.bytes() < view.bytes)
      return TooSmall(HEDDLE_PHASE_INVOKE, buffer, "output", i, view.name, view.bytes);
    if (view.bytes != 0) std::memmove(buffer.data(), view.data, view.bytes);
  }
  return {};
}

Status Subgraph::ResizeInput(size_t input, std::span<const int32_t> dims) {
  size_t bytes;
  const TensorDef& def = def_.tensors[static_cast<size_t>(def_.inputs[input])];
  int64_t count;
  const bool fits = def.dtype == HEDDLE_DTYPE_STRING ? ElementCount(dims, &count)
                                                     : DenseBytes(def.dtype, dims, &bytes);
  if (!fits) {
    return Status(
        HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_BAD_SHAPE,
        StrCat("shape ", ShapeText(dims), " for input ", input, " is negative or too large"));
  }
  if (std::equal(dims.begin(), dims.end(), input_dims_[input].begin(), input_dims_[input].end()))
    return {};
  input_dims_[input].assign(dims.begin(), dims.end());
  inputs_[input].string_bytes = 0;
  stale_ = true;
  rebind_ = true;
  return {};
}

bool Subgraph::KeepsData(size_t tensor) const {
  if (instance_->preserve_all || current_ == nullptr) return instance_->preserve_all;
  const Storage storage = current_->tensors[tensor].storage;
  if (storage == Storage::kConstant || storage == Storage::kVariable || storage == Storage::kFolded)
    return true;
  return std::find(def_.outputs.begin(), def_.outputs.end(), static_cast<int32_t>(tensor)) !=
         def_.outputs.end();
}

void Subgraph::ReleaseMemory() {
  current_.reset();
  plans_.clear();
  arena_.Reset();
  dynamic_.ReleaseAll();
  dynamic_.Trim();
  for (InputSlot& slot : inputs_) {
    for (Block& block : slot.blocks) block.Reset();
    slot.string_bytes = 0;
  }
  stale_ = true;
  rebind_ = true;
  io_bound_ = false;
}

void Subgraph::AddMemory(heddle_memory_info* info) const {
  const auto rounded = [](size_t bytes) {
    return (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
  };
  info->arena_bytes += arena_.bytes();
  if (current_ != nullptr)
    info->arena_lower_bound_bytes += std::max<uint64_t>(current_->lower_bound, kTensorAlignment);
  for (const InputSlot& slot : inputs_) {
    for (const Block& block : slot.blocks) {
      info->arena_bytes += rounded(block.bytes());
      info->arena_lower_bound_bytes += rounded(block.bytes());
    }
  }
  info->dynamic_bytes += dynamic_.held_bytes();
  for (const Block& block : variables_) info->variable_bytes += block.bytes();
  info->plan_count += plans_.size();
}

}  // namespace heddle
