// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/shape_plan.h"

#include <algorithm>

#include "runtime/memory/arena_planner.h"

namespace heddle {

void Step::ReleasePlanState() {
  if (plan_state != nullptr) {
    const heddle_op& op = owner->registration->op();
    op.release(op.user_data, plan_state);
    plan_state = nullptr;
  }
  shared.clear();
  own_scratch.clear();
  scratch.clear();
  prepared = false;
}

ShapePlan::~ShapePlan() {
  for (Step& step : steps) step.ReleasePlanState();
}

void ShapePlan::ShareInPlace(const Step& step, std::span<const uint8_t> is_output) {
  const heddle_op& op = step.owner->registration->op();
  std::vector<const heddle_tensor*> taken;  // one output a buffer
  for (size_t i = 0; i < op.in_place_count; ++i) {
    const heddle_in_place_pair& pair = op.in_place[i];
    if (static_cast<size_t>(pair.input) >= step.input_views.size() ||
        static_cast<size_t>(pair.output) >= step.output_views.size()) {
      continue;
    }
    const heddle_tensor* input = step.input_views[static_cast<size_t>(pair.input)];
    const heddle_tensor* output = step.output_views[static_cast<size_t>(pair.output)];
    if (input == nullptr || output == nullptr) continue;
    PlanTensor& from = tensors[static_cast<size_t>(input->index)];
    PlanTensor& to = tensors[static_cast<size_t>(output->index)];
    if (from.storage != Storage::kArena || to.storage != Storage::kArena || to.buffer >= 0)
      continue;
    // The input must die here, and be read by this operand alone.
    if (from.last != step.position || is_output[static_cast<size_t>(input->index)] != 0) continue;
    if (std::count(step.input_views.begin(), step.input_views.end(), input) != 1) continue;
    if (std::find(taken.begin(), taken.end(), input) != taken.end()) continue;
    BufferRange& shared_range = buffers[static_cast<size_t>(from.buffer)];
    if (output->bytes != input->bytes) continue;  // a broadcast input is read more than once
    taken.push_back(input);
    to.buffer = from.buffer;
    shared_range.last = std::max(shared_range.last, to.last);
  }
}

Status ShapePlan::PlanMemory(std::span<const int32_t> outputs, bool preserve_all) {
  const auto end = static_cast<int32_t>(steps.size());
  std::vector<uint8_t> is_output(tensors.size(), 0);
  for (const int32_t tensor : outputs) is_output[static_cast<size_t>(tensor)] = 1;

  for (PlanTensor& tensor : tensors) tensor.first = tensor.last = tensor.buffer = -1;
  for (Step& step : steps) {
    step.release_after.clear();
    for (const heddle_tensor* input : step.input_views) {
      if (input != nullptr) tensors[static_cast<size_t>(input->index)].last = step.position;
    }
    for (const int32_t index : step.output_indices) {
      if (index < 0) continue;
      PlanTensor& tensor = tensors[static_cast<size_t>(index)];
      tensor.first = step.position;
      tensor.last = std::max(tensor.last, step.position);
    }
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (is_output[i] != 0 || preserve_all) tensors[i].last = end;
  }

  // So far `buffers` holds the scratch that prepare asked for.
  for (Step& step : steps) {
    if (step.is_folded) continue;
    if (!preserve_all && step.owner->registration != nullptr) ShareInPlace(step, is_output);
    for (const int32_t index : step.output_indices) {
      if (index < 0) continue;
      PlanTensor& tensor = tensors[static_cast<size_t>(index)];
      if (tensor.storage != Storage::kArena || tensor.buffer >= 0) continue;
      tensor.buffer = static_cast<int32_t>(buffers.size());
      buffers.push_back({views[static_cast<size_t>(index)].bytes, tensor.first, tensor.last, 0});
    }
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].storage != Storage::kDynamic || tensors[i].last >= end || tensors[i].last < 0)
      continue;
    steps[static_cast<size_t>(tensors[i].last)].release_after.push_back(static_cast<int32_t>(i));
  }

  std::vector<ArenaBuffer> ranges;
  ranges.reserve(buffers.size());
  for (const BufferRange& range : buffers) ranges.push_back({range.bytes, range.first, range.last});
  const ArenaPlan placed = PlanArena(ranges);
  if (placed.overflow) {
    return Status(HEDDLE_UNSUPPORTED, HEDDLE_PHASE_MEMORY, HEDDLE_REASON_SIZE_OVERFLOW,
                  "the tensors of this plan do not fit the address space");
  }
  for (size_t i = 0; i < buffers.size(); ++i) buffers[i].offset = placed.offsets[i];
  arena_bytes = placed.bytes;
  lower_bound = placed.lower_bound;
  bound_base = nullptr;
  cost_bytes_ =
      views.size() * (sizeof(heddle_tensor) + sizeof(PlanTensor)) + steps.size() * sizeof(Step);
  for (const PlanTensor& tensor : tensors) cost_bytes_ += tensor.folded.bytes();
  return {};
}

void ShapePlan::BindArena(uint8_t* base) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].buffer >= 0)
      views[i].data = base + buffers[static_cast<size_t>(tensors[i].buffer)].offset;
  }
  for (Step* step : to_run) {
    if (step->dynamic_inputs) continue;  // owns its scratch
    for (size_t i = 0; i < step->scratch_buffers.size(); ++i) {
      step->scratch[i] = base + buffers[static_cast<size_t>(step->scratch_buffers[i])].offset;
    }
  }
  bound_base = base;
}

}  // namespace heddle
