// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/fake_host.h"

#include <gtest/gtest.h>

#include "kernels/builtin_ops.h"

namespace heddle::testing {
namespace {

const heddle_quantization kNone = NoQuantization();

Status NotUsed(const char* what) {
  return Status(HEDDLE_INTERNAL, HEDDLE_PHASE_NONE, HEDDLE_REASON_INTERNAL, what);
}

Value ValueOf(const heddle_tensor& tensor) {
  Value value;
  value.dtype = tensor.dtype;
  value.dims.assign(tensor.dims, tensor.dims + tensor.rank);
  const auto* data = static_cast<const uint8_t*>(tensor.data);
  value.bytes.assign(data, data + tensor.bytes);
  return value;
}

}  // namespace

FakeResources::FakeResources()
    : c_allocator_{sizeof(heddle_allocator), &allocator_,
                   [](void* context, size_t bytes, size_t alignment) {
                     return static_cast<Allocator*>(context)->Allocate(bytes, alignment);
                   },
                   [](void* context, void* pointer, size_t bytes, size_t alignment) {
                     static_cast<Allocator*>(context)->Deallocate(pointer, bytes, alignment);
                   }} {}

FakeResources::~FakeResources() {
  for (auto& [id, entry] : entries) {
    if (entry.object != nullptr) entry.type->destroy(entry.object);
  }
}

int32_t FakeResources::IdOf(const std::string& name) {
  return ids_.try_emplace(name, static_cast<int32_t>(ids_.size()) + 100).first->second;
}

FakeHost::FakeHost(int32_t builtin_code, std::shared_ptr<FakeResources> resources)
    : resources_(resources != nullptr ? std::move(resources) : std::make_shared<FakeResources>()) {
  OpResolver resolver;
  EXPECT_TRUE(kernels::AddBuiltinOps(resolver).ok());
  registration_ = resolver.FindOp(builtin_code, 1);
}

FakeHost::~FakeHost() {
  const heddle_op& op = registration_->op();
  if (call_.plan_state != nullptr) op.release(op.user_data, call_.plan_state);
  if (call_.node_state != nullptr) op.free(op.user_data, call_.node_state);
}

heddle_tensor* FakeHost::Views::Add(heddle_dtype dtype, const std::vector<int32_t>* shape) {
  heddle_tensor& view = tensors.emplace_back();
  view = {};
  view.struct_size = sizeof(view);
  view.dtype = dtype;
  view.index = -1;
  view.name = "";
  view.quantization = &kNone;
  view.rank = -1;
  view.flags = HEDDLE_TENSOR_DYNAMIC;
  if (shape != nullptr) {
    dims.push_back(*shape);
    view.rank = static_cast<int32_t>(shape->size());
    view.dims = dims.back().data();
    view.flags = HEDDLE_TENSOR_SHAPE_KNOWN;
    if (!DenseBytes(dtype, *shape, &view.bytes)) view.bytes = 0;
  }
  pointers.push_back(&view);
  const_pointers.push_back(&view);
  return &view;
}

Status FakeHost::MakeOptions() {
  if (!spec_.options) return {};
  ModelBuilder model;
  OperatorSpec& node = model.AddSubgraph().Op(context_.info.builtin_code, {}, {});
  node.options = spec_.options;
  node.options_type = spec_.options_type;
  model_ = model.Build();
  const auto* op = schema::GetModel(model_.data())->subgraphs()->Get(0)->operators()->Get(0);
  context_.attributes = AttributeView(static_cast<const uint8_t*>(op->builtin_options()), 1,
                                      static_cast<uint8_t>(op->builtin_options_type()));
  return {};
}

Status FakeHost::Plan() {
  InitNodeContext(this, registration_.get(), 1, 0, 7, true, &context_, &call_);
  HEDDLE_RETURN_IF_ERROR(MakeOptions());
  for (Value& input : inputs) {
    heddle_tensor* view = input_views_.Add(input.dtype, &input.dims);
    view->data = input.bytes.data();
    view->bytes = input.bytes.size();
  }
  for (const Shape& output : outputs) {
    output_views_.Add(output.dtype, output.dims ? &*output.dims : nullptr);
  }
  call_.inputs = input_views_.const_pointers.data();
  call_.input_count = inputs.size();
  call_.outputs = output_views_.pointers.data();
  call_.output_count = outputs.size();
  results_.resize(outputs.size());
  HEDDLE_RETURN_IF_ERROR(CallInit(&call_));
  HEDDLE_RETURN_IF_ERROR(CallInfer(&call_));
  for (size_t i = 0; i < outputs.size(); ++i) {
    heddle_tensor& view = *output_views_.pointers[i];
    if (view.rank < 0) continue;
    results_[i].bytes.resize(view.bytes);
    view.data = results_[i].bytes.data();
  }
  return CallPrepare(&call_, &call_.plan_state);
}

Status FakeHost::Invoke() {
  calls_.clear();
  HEDDLE_RETURN_IF_ERROR(CallInvoke(&call_));
  for (size_t i = 0; i < outputs.size(); ++i) results_[i] = ValueOf(*output_views_.pointers[i]);
  for (size_t i = 0; i < outputs.size(); ++i) {
    output_views_.pointers[i]->data = results_[i].bytes.data();
  }
  return {};
}

Status FakeHost::SetOutput(heddle_op_call*, size_t output, heddle_dtype dtype,
                           std::span<const int32_t> dims) {
  outputs[output] = {dtype, std::vector<int32_t>(dims.begin(), dims.end())};
  heddle_tensor& view = *output_views_.pointers[output];
  view.dtype = dtype;
  view.flags = HEDDLE_TENSOR_SHAPE_KNOWN;
  view.rank = static_cast<int32_t>(dims.size());
  view.dims = outputs[output].dims->data();
  EXPECT_TRUE(DenseBytes(dtype, dims, &view.bytes));
  return {};
}

Status FakeHost::SetOutputDataDependent(heddle_op_call*, size_t output, heddle_dtype dtype) {
  outputs[output] = {dtype, std::nullopt};
  heddle_tensor& view = *output_views_.pointers[output];
  view.dtype = dtype;
  view.flags = HEDDLE_TENSOR_DYNAMIC;
  view.rank = -1;
  return {};
}

Status FakeHost::AllocateOutput(heddle_op_call*, size_t output, std::span<const int32_t> dims,
                                size_t bytes, void** data) {
  EXPECT_FALSE(outputs[output].dims.has_value()) << "output " << output << " is not dynamic";
  heddle_tensor& view = *output_views_.pointers[output];
  output_views_.dims.emplace_back(dims.begin(), dims.end());
  view.rank = static_cast<int32_t>(dims.size());
  view.dims = output_views_.dims.back().data();
  view.bytes = bytes;
  if (view.dtype != HEDDLE_DTYPE_STRING) {
    EXPECT_TRUE(DenseBytes(view.dtype, dims, &view.bytes));
  }
  results_[output].bytes.resize(view.bytes);
  *data = view.data = results_[output].bytes.data();
  return {};
}

Status FakeHost::ParallelFor(int64_t count, int64_t, void (*function)(void*, int64_t, int64_t),
                             void* argument) {
  if (count > 0) function(argument, 0, count);
  return {};
}

Status FakeHost::RequestScratch(heddle_op_call*, size_t, int32_t*) { return NotUsed("scratch"); }
Status FakeHost::GetShared(heddle_op_call*, const SharedRequest&, void**) {
  return NotUsed("shared objects");
}

Status FakeHost::GetResourceId(std::string_view container, std::string_view name, int32_t* id) {
  *id = resources_->IdOf(std::string(container) + "/" + std::string(name));
  return {};
}

Status FakeHost::OpenResource(heddle_op_call* call, int32_t id, const heddle_resource_type& type,
                              bool create, void* argument, void** object) {
  FakeResources::Entry& entry = resources_->entries[id];
  if (entry.object == nullptr) {
    if (!create) {
      return Status(HEDDLE_FAILED_PRECONDITION, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_RESOURCE_UNKNOWN,
                    "no such resource");
    }
    const heddle_status code = type.create(call, argument, &entry.object);
    if (code != HEDDLE_OK) return TakeReported(call, code, Stage::kInvoke);
    entry.type = &type;
  }
  if (std::string_view(entry.type->name) != type.name) {
    return Status(HEDDLE_INVALID_MODEL, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_RESOURCE_TYPE,
                  "another type");
  }
  *object = entry.object;
  return {};
}

Status FakeHost::GetSubgraphIo(int32_t index, size_t* subgraph_inputs, size_t* subgraph_outputs) {
  if (index < 0 || static_cast<size_t>(index) >= subgraphs.size()) {
    return Status(HEDDLE_INVALID_MODEL, HEDDLE_PHASE_PLAN, HEDDLE_REASON_INDEX_OUT_OF_RANGE,
                  "no such subgraph");
  }
  *subgraph_inputs = subgraphs[static_cast<size_t>(index)].inputs;
  *subgraph_outputs = subgraphs[static_cast<size_t>(index)].outputs;
  return {};
}

Status FakeHost::InferSubgraph(heddle_op_call*, int32_t index,
                               std::span<const heddle_tensor* const> values,
                               std::span<const heddle_tensor* const>* views) {
  std::vector<Shape> shapes;
  for (const heddle_tensor* value : values) {
    shapes.push_back({value->dtype, std::vector<int32_t>(value->dims, value->dims + value->rank)});
  }
  // What was returned before becomes invalid, as the contract allows.
  Views& mine = subgraph_views_[index] = Views();
  for (const Shape& shape : subgraphs[static_cast<size_t>(index)].infer(shapes)) {
    mine.Add(shape.dtype, shape.dims ? &*shape.dims : nullptr);
  }
  *views = mine.const_pointers;
  return {};
}

Status FakeHost::InvokeSubgraph(heddle_op_call*, int32_t index,
                                std::span<const heddle_tensor* const> values,
                                std::span<const heddle_tensor* const>* views) {
  calls_.push_back(index);
  std::vector<Value> arguments;
  for (const heddle_tensor* value : values) arguments.push_back(ValueOf(*value));
  std::vector<Value> computed = subgraphs[static_cast<size_t>(index)].run(arguments);
  Views& mine = subgraph_views_[index] = Views();
  mine.values = std::move(computed);
  for (Value& value : mine.values) {
    heddle_tensor* view = mine.Add(value.dtype, &value.dims);
    view->data = value.bytes.data();
    view->bytes = value.bytes.size();
  }
  *views = mine.const_pointers;
  return {};
}

}  // namespace heddle::testing
