// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/interpreter.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/dtype.h"
#include "runtime/base/strings.h"
#include "runtime/sync/fp_state.h"

namespace heddle {
namespace {

void* AllocateForOps(void* context, size_t bytes, size_t alignment) {
  return static_cast<Allocator*>(context)->Allocate(bytes, alignment);
}

void DeallocateForOps(void* context, void* pointer, size_t bytes, size_t alignment) {
  static_cast<Allocator*>(context)->Deallocate(pointer, bytes, alignment);
}

Status ApiError(heddle_reason reason, std::string message) {
  return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, reason, std::move(message));
}

const char* TensorName(const SubgraphDef& def, int32_t tensor) {
  const std::string_view name = def.tensors[static_cast<size_t>(tensor)].name;
  return name.data() != nullptr ? name.data() : "";
}

}  // namespace

StatusOr<std::shared_ptr<Interpreter>> Interpreter::Make(std::shared_ptr<Environment> environment,
                                                         std::shared_ptr<const Model> model,
                                                         std::shared_ptr<WeightStore> weights,
                                                         const OpResolver& resolver,
                                                         const InterpreterOptions& options) {
  HEDDLE_RETURN_IF_ERROR(environment->CheckProcess());
  std::shared_ptr<Interpreter> interpreter(new Interpreter);
  interpreter->environment_ = std::move(environment);
  interpreter->model_ = std::move(model);
  interpreter->weights_ = std::move(weights);
  HEDDLE_RETURN_IF_ERROR(interpreter->Init(resolver, options));
  return interpreter;
}

Interpreter::~Interpreter() = default;

Status Interpreter::Init(const OpResolver& resolver, const InterpreterOptions& options) {
  // Misses are kept: a delegate may claim such ops, and only then it is known whether the model can
  // run.
  for (const OperatorCode& code : model_->operator_codes()) {
    registrations_.push_back(resolver.FindOp(code));
    misses_.push_back(registrations_.back() != nullptr ? Status() : resolver.ExplainMiss(code));
  }
  HEDDLE_RETURN_IF_ERROR(CheckSlots(options.slots));
  for (int32_t i = 0; i < options.slots; ++i) HEDDLE_RETURN_IF_ERROR(MakeSlot(options));
  return SelectSignature({}, true);
}

Status Interpreter::CheckSlots(int32_t slots) const {
  if (slots < 1 || slots > 256) {
    return ApiError(HEDDLE_REASON_BAD_ARGUMENT,
                    StrCat("slots is ", slots, ", allowed are 1 to 256"));
  }
  if (slots == 1) return {};
  const auto refuse = [&](std::string message) {
    return Status(HEDDLE_UNSUPPORTED, HEDDLE_PHASE_API, HEDDLE_REASON_SLOTS_NEED_STATELESS,
                  std::move(message));
  };
  for (size_t i = 0; i < model_->subgraphs().size(); ++i) {
    const SubgraphDef& subgraph = model_->subgraphs()[i];
    for (const TensorDef& tensor : subgraph.tensors) {
      if (tensor.is_variable || tensor.dtype == HEDDLE_DTYPE_RESOURCE ||
          tensor.dtype == HEDDLE_DTYPE_VARIANT) {
        return refuse(
            StrCat(slots, " slots: tensor \"", tensor.name, "\" of subgraph ", i, " keeps state"));
      }
    }
    for (const OperatorDef& op : subgraph.operators) {
      const OpRegistrationRef& registration = registrations_[op.code];
      if (registration != nullptr && registration->has_flag(HEDDLE_OP_STATEFUL)) {
        return refuse(
            StrCat(slots, " slots: op ", registration->name(), " of subgraph ", i, " keeps state"));
      }
    }
  }
  return {};
}

Status Interpreter::MakeSlot(const InterpreterOptions& options) {
  auto slot = std::make_unique<Slot>();
  Instance& instance = slot->instance;
  instance.environment = environment_;
  instance.model = model_;
  instance.weights = weights_;
  instance.allocator = {sizeof(heddle_allocator), environment_->allocator().get(), AllocateForOps,
                        DeallocateForOps};
  instance.num_threads = options.num_threads;
  instance.reference = options.reference;
  instance.preserve_all = options.preserve_all;
  instance.max_plan_cache_bytes = options.max_plan_cache_bytes;
  instance.max_dynamic_bytes = options.max_dynamic_bytes;
  instance.misses = &misses_;
  for (size_t i = 0; i < model_->subgraphs().size(); ++i) {
    HEDDLE_ASSIGN_OR_RETURN(std::unique_ptr<Subgraph> subgraph,
                            Subgraph::Make(&instance, static_cast<int32_t>(i), registrations_));
    instance.subgraphs.push_back(std::move(subgraph));
  }
  slots_.push_back(std::move(slot));
  return {};
}

Status Interpreter::MakeEntry(std::string_view key, bool use_default, Entry* entry) const {
  const auto& signatures = model_->signatures();
  const auto signature = std::find_if(signatures.begin(), signatures.end(),
                                      [&](const SignatureDef& s) { return s.key == key; });
  if (use_default) {
    entry->subgraph = 0;
    const SubgraphDef& def = model_->subgraphs()[0];
    // The names of a signature are what people know, if exactly one speaks of this subgraph.
    const SignatureDef* names = nullptr;
    size_t candidates = 0;
    for (const SignatureDef& candidate : signatures) {
      if (candidate.subgraph != 0) continue;
      names = &candidate;
      ++candidates;
    }
    if (candidates != 1) names = nullptr;
    const auto name_of = [&](int32_t tensor, bool is_output) {
      if (names != nullptr) {
        for (const auto& item : is_output ? names->outputs : names->inputs) {
          if (item.tensor == tensor && item.name.data() != nullptr) return item.name.data();
        }
      }
      return TensorName(def, tensor);
    };
    for (size_t i = 0; i < def.inputs.size(); ++i) {
      entry->inputs.push_back(i);
      entry->input_names.push_back(name_of(def.inputs[i], false));
    }
    for (size_t i = 0; i < def.outputs.size(); ++i) {
      entry->outputs.push_back(i);
      entry->output_names.push_back(name_of(def.outputs[i], true));
    }
    return {};
  }
  if (signature == signatures.end()) {
    std::string message = StrCat("the model has no signature \"", key, "\"; it has ");
    if (signatures.empty()) message += "none";
    for (size_t i = 0; i < signatures.size(); ++i) {
      StrAppend(message, i == 0 ? "" : ", ", "\"", signatures[i].key, "\"");
    }
    return Status(HEDDLE_NOT_FOUND, HEDDLE_PHASE_API, HEDDLE_REASON_NAME_UNKNOWN,
                  std::move(message));
  }
  entry->subgraph = static_cast<int32_t>(signature->subgraph);
  const SubgraphDef& def = model_->subgraphs()[signature->subgraph];
  const auto map = [](std::span<const int32_t> tensors,
                      const std::vector<SignatureDef::Entry>& items, std::vector<size_t>* positions,
                      std::vector<const char*>* names) {
    for (const SignatureDef::Entry& item : items) {
      // The loader has checked that it is there.
      const auto at = std::find(tensors.begin(), tensors.end(), item.tensor);
      if (at == tensors.end()) continue;
      positions->push_back(static_cast<size_t>(at - tensors.begin()));
      names->push_back(item.name.data() != nullptr ? item.name.data() : "");
    }
  };
  map(def.inputs, signature->inputs, &entry->inputs, &entry->input_names);
  map(def.outputs, signature->outputs, &entry->outputs, &entry->output_names);
  return {};
}

Status Interpreter::SelectSignature(std::string_view key, bool use_default) {
  Entry entry;
  HEDDLE_RETURN_IF_ERROR(MakeEntry(key, use_default, &entry));
  const std::vector<Lease> others = TryTakeOthers();
  if (others.size() + 1 != slots_.size()) return ConcurrentUse();
  entry_ = std::move(entry);
  for (size_t i = 0; i < slots_.size(); ++i) {
    slots_[i]->inputs.resize(Target(i).def().inputs.size());
    slots_[i]->outputs.resize(Target(i).def().outputs.size());
  }
  return {};
}

int32_t Interpreter::InputTensor(size_t index) const {
  return Target().def().inputs[entry_.inputs[index]];
}
int32_t Interpreter::OutputTensor(size_t index) const {
  return Target().def().outputs[entry_.outputs[index]];
}

int32_t Interpreter::FindInput(std::string_view name) const {
  for (size_t i = 0; i < input_count(); ++i) {
    if (name == InputName(i)) return static_cast<int32_t>(i);
  }
  for (size_t i = 0; i < input_count(); ++i) {
    if (name == TensorName(Target().def(), InputTensor(i))) return static_cast<int32_t>(i);
  }
  return -1;
}

int32_t Interpreter::FindOutput(std::string_view name) const {
  for (size_t i = 0; i < output_count(); ++i) {
    if (name == OutputName(i)) return static_cast<int32_t>(i);
  }
  for (size_t i = 0; i < output_count(); ++i) {
    if (name == TensorName(Target().def(), OutputTensor(i))) return static_cast<int32_t>(i);
  }
  return -1;
}

std::span<const int32_t> Interpreter::InputDims(size_t index) const {
  return Target().InputDims(entry_.inputs[index]);
}

Status Interpreter::ResizeInput(size_t index, std::span<const int32_t> dims, bool strict) {
  const TensorDef& def = Target().def().tensors[static_cast<size_t>(InputTensor(index))];
  if (strict) {
    const std::span<const int32_t> allowed =
        def.shape_signature.empty() ? def.dims : def.shape_signature;
    bool fits = allowed.size() == dims.size();
    for (size_t i = 0; fits && i < dims.size(); ++i)
      fits = allowed[i] == -1 || allowed[i] == dims[i];
    if (!fits) {
      return ApiError(HEDDLE_REASON_NOT_RESIZABLE,
                      StrCat("input ", index, " \"", InputName(index), "\" allows ",
                             ShapeText(allowed), ", not ", ShapeText(dims)));
    }
  }
  const std::vector<Lease> others = TryTakeOthers();
  if (others.size() + 1 != slots_.size()) return ConcurrentUse();
  for (size_t slot = 0; slot < slots_.size(); ++slot) {
    HEDDLE_RETURN_IF_ERROR(Target(slot).ResizeInput(entry_.inputs[index], dims));
  }
  return {};
}

Status Interpreter::Prepare() {
  HEDDLE_RETURN_IF_ERROR(environment_->CheckProcess());
  // Constants are folded with the arithmetic that the run would use.
  const ScopedFlushDenormals flush(!slots_[0]->instance.reference);
  return Target(0).Prepare();
}

Status Interpreter::InvokeSlot(size_t slot, const RunRequest& request) {
  struct ClearControl {
    RunControl* control;
    ~ClearControl() { *control = {}; }
  };
  Instance& instance = slots_[slot]->instance;
  const ScopedFlushDenormals flush(!instance.reference);
  instance.control = request.control;
  const ClearControl clear{&instance.control};
  return Target(slot).Invoke();
}

Status Interpreter::Invoke(const RunRequest& request) {
  HEDDLE_RETURN_IF_ERROR(environment_->CheckProcess());
  return InvokeSlot(0, request);
}

std::atomic<bool>* Interpreter::TryTake(size_t slot) {
  std::atomic<bool>& busy = slots_[slot]->busy;
  bool expected = false;
  return busy.compare_exchange_strong(expected, true, std::memory_order_acquire) ? &busy : nullptr;
}

std::vector<Interpreter::Lease> Interpreter::TryTakeOthers() {
  std::vector<Lease> leases;
  leases.reserve(slots_.size());
  for (size_t slot = 1; slot < slots_.size(); ++slot) {
    Lease lease(TryTake(slot));
    if (!lease) return {};
    leases.push_back(std::move(lease));
  }
  return leases;
}

Status Interpreter::ConcurrentUse() {
  return Status(HEDDLE_FAILED_PRECONDITION, HEDDLE_PHASE_API, HEDDLE_REASON_CONCURRENT_USE,
                "the interpreter is in use by another thread or by a run in the background");
}

Status Interpreter::Run(const RunRequest& request, size_t input_count, BufferOf input,
                        size_t output_count, BufferOf output) {
  HEDDLE_RETURN_IF_ERROR(environment_->CheckProcess());
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Lease lease(TryTake(i));
    if (!lease) continue;
    // The entry point changes only while nobody has a slot.
    if (input_count != entry_.inputs.size() || output_count != entry_.outputs.size()) {
      return ApiError(
          HEDDLE_REASON_BAD_ARGUMENT,
          StrCat("run with ", input_count, " inputs and ", output_count, " outputs, the model has ",
                 entry_.inputs.size(), " and ", entry_.outputs.size()));
    }
    return RunInSlot(i, request, input, output);
  }
  return ConcurrentUse();
}

Status Interpreter::RunInSlot(size_t index, const RunRequest& request, BufferOf input,
                              BufferOf output) {
  // The slot's own bindings come back whatever happens, and the buffers are let go.
  struct Bindings {
    Subgraph& target;
    Slot& slot;
    bool swapped = false;
    void Swap() {
      target.SwapBindings(slot.inputs, slot.outputs);
      swapped = !swapped;
    }
    ~Bindings() {
      if (swapped) Swap();
      for (auto& buffer : slot.inputs) buffer.reset();
      for (auto& buffer : slot.outputs) buffer.reset();
    }
  };
  Bindings bindings{Target(index), *slots_[index]};
  const auto null_buffer = [](const char* what, size_t i) {
    return ApiError(HEDDLE_REASON_NULL_ARGUMENT,
                    StrCat("the buffer for ", what, " ", i, " is NULL"));
  };
  for (size_t i = 0; i < entry_.inputs.size(); ++i) {
    std::shared_ptr<Buffer>& bound = bindings.slot.inputs[entry_.inputs[i]];
    bound = input(i);
    if (bound == nullptr) return null_buffer("input", i);
  }
  for (size_t i = 0; i < entry_.outputs.size(); ++i) {
    std::shared_ptr<Buffer>& bound = bindings.slot.outputs[entry_.outputs[i]];
    bound = output(i);
    if (bound == nullptr) return null_buffer("output", i);
  }
  bindings.Swap();
  return InvokeSlot(index, request);
}

StatusOr<void*> Interpreter::InputData(size_t index, size_t bytes) {
  return Target(0).InputData(entry_.inputs[index], bytes);
}

const heddle_tensor* Interpreter::OutputView(size_t index) const {
  const Subgraph& target = Target();
  return target.IsPrepared() ? target.plan()->output_views[entry_.outputs[index]] : nullptr;
}

Status Interpreter::SetInput(size_t index, const void* data, size_t bytes) {
  const TensorDef& def = Target().def().tensors[static_cast<size_t>(InputTensor(index))];
  size_t wanted = bytes;
  if (def.dtype != HEDDLE_DTYPE_STRING && !DenseBytes(def.dtype, InputDims(index), &wanted))
    wanted = 0;
  if (bytes != wanted) {
    return ApiError(
        HEDDLE_REASON_SHAPE_MISMATCH,
        StrCat("input ", index, " \"", InputName(index), "\" of shape ",
               ShapeText(InputDims(index)), " has ", wanted, " bytes, given were ", bytes));
  }
  HEDDLE_ASSIGN_OR_RETURN(void* target, InputData(index, bytes));
  if (bytes != 0) std::memcpy(target, data, bytes);
  return {};
}

Status Interpreter::GetOutput(size_t index, void* data, size_t bytes) const {
  const heddle_tensor* view = OutputView(index);
  if (view == nullptr || view->data == nullptr) {
    return Status(HEDDLE_FAILED_PRECONDITION, HEDDLE_PHASE_API, HEDDLE_REASON_NOT_PREPARED,
                  StrCat("output ", index, " \"", OutputName(index), "\" has no data yet"));
  }
  if (view->bytes != bytes) {
    return ApiError(HEDDLE_REASON_SHAPE_MISMATCH,
                    StrCat("output ", index, " \"", OutputName(index), "\" has ", view->bytes,
                           " bytes, asked for were ", bytes));
  }
  if (bytes != 0) std::memcpy(data, view->data, bytes);
  return {};
}

void Interpreter::BindInput(size_t index, std::shared_ptr<Buffer> buffer) {
  Target(0).BindInput(entry_.inputs[index], std::move(buffer));
}

void Interpreter::BindOutput(size_t index, std::shared_ptr<Buffer> buffer) {
  Target(0).BindOutput(entry_.outputs[index], std::move(buffer));
}

Status Interpreter::ResetVariables() {
  Instance& instance = slots_[0]->instance;
  instance.resources.Clear();
  for (auto& subgraph : instance.subgraphs) HEDDLE_RETURN_IF_ERROR(subgraph->ResetVariables());
  return {};
}

Status Interpreter::ReleaseMemory() {
  const std::vector<Lease> others = TryTakeOthers();
  if (others.size() + 1 != slots_.size()) return ConcurrentUse();
  for (auto& slot : slots_) {
    for (auto& subgraph : slot->instance.subgraphs) subgraph->ReleaseMemory();
  }
  return {};
}

StatusOr<heddle_memory_info> Interpreter::Memory() {
  const std::vector<Lease> others = TryTakeOthers();
  if (others.size() + 1 != slots_.size()) return ConcurrentUse();
  heddle_memory_info info = {};
  info.struct_size = sizeof(info);
  for (const auto& slot : slots_) {
    for (const auto& subgraph : slot->instance.subgraphs) subgraph->AddMemory(&info);
    info.variable_bytes += slot->instance.resources.bytes();
  }
  info.shared_weight_bytes = weights_->bytes();
  return info;
}

}  // namespace heddle
