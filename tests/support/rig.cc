// SPDX-License-Identifier: Apache-2.0
#include "tests/support/rig.h"

#include <algorithm>
#include <cstring>

namespace heddle::testing {
namespace {

TestOp& OpOf(void* user_data) { return *static_cast<TestOp*>(user_data); }

heddle_status Init(heddle_op_call* call, void** state) {
  TestOp& op = OpOf(call->user_data);
  const heddle_status status = op.on_init ? op.on_init(call) : HEDDLE_OK;
  if (status != HEDDLE_OK) return status;
  ++op.inits;
  *state = &op;
  return HEDDLE_OK;
}

void Free(void* user_data, void*) { ++OpOf(user_data).frees; }

heddle_status Infer(heddle_op_call* call) {
  TestOp& op = OpOf(call->user_data);
  ++op.infers;
  return op.on_infer ? op.on_infer(call) : InferLikeInput(call);
}

heddle_status Prepare(heddle_op_call* call, void** state) {
  TestOp& op = OpOf(call->user_data);
  const heddle_status status = op.on_prepare ? op.on_prepare(call) : HEDDLE_OK;
  if (status != HEDDLE_OK) return status;
  ++op.prepares;
  *state = &op;
  return HEDDLE_OK;
}

void Release(void* user_data, void*) { ++OpOf(user_data).releases; }

heddle_status Invoke(heddle_op_call* call) {
  TestOp& op = OpOf(call->user_data);
  ++op.invokes;
  return op.on_invoke ? op.on_invoke(call) : CopyInput(call);
}

void Log(void* context, heddle_severity severity, heddle_reason reason, const char* message) {
  Rig& rig = *static_cast<Rig*>(context);
  const std::lock_guard<std::mutex> lock(rig.log_mutex);
  rig.log.push_back({severity, reason, message});
}

}  // namespace

heddle_status InferLikeInput(heddle_op_call* call) {
  for (size_t i = 0; i < call->output_count; ++i) {
    const heddle_tensor& like = *call->inputs[0];
    const heddle_status status =
        call->host->set_output(call, i, call->outputs[i]->dtype, like.dims, like.rank);
    if (status != HEDDLE_OK) return status;
  }
  return HEDDLE_OK;
}

heddle_status CopyInput(heddle_op_call* call) {
  for (size_t i = 0; i < call->output_count; ++i) {
    const size_t bytes = std::min(call->inputs[0]->bytes, call->outputs[i]->bytes);
    if (bytes != 0) std::memmove(call->outputs[i]->data, call->inputs[0]->data, bytes);
  }
  return HEDDLE_OK;
}

void TestOp::AddTo(heddle_op_resolver* resolver) {
  heddle_op op = {};
  op.struct_size = sizeof(op);
  op.builtin_code = builtin_code;
  op.min_version = min_version;
  op.max_version = max_version;
  op.flags = flags;
  op.custom_name = name.c_str();
  op.user_data = this;
  op.init = Init;
  op.free = Free;
  op.infer = has_infer ? Infer : nullptr;
  op.prepare = Prepare;
  op.release = Release;
  op.invoke = Invoke;
  op.in_place = in_place.data();
  op.in_place_count = in_place.size();
  ErrorHolder error;
  ASSERT_EQ(heddle_op_resolver_add(resolver, &op, error.out()), HEDDLE_OK) << error.text();
}

Rig::Rig(const RigOptions& given) {
  heddle_environment_options options = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
  heddle_log_sink sink = {sizeof(heddle_log_sink), this, HEDDLE_SEVERITY_DEBUG, Log};
  options.num_threads = given.threads;
  options.allocator = given.allocator;
  options.log_sink = &sink;
  options.max_log_lines = given.max_log_lines;
  heddle_environment* made_environment = nullptr;
  EXPECT_EQ(heddle_environment_create(&options, &made_environment, error.out()), HEDDLE_OK);
  environment.reset(made_environment);
  heddle_op_resolver* made_resolver = nullptr;
  EXPECT_EQ(heddle_op_resolver_create_default(&made_resolver, error.out()), HEDDLE_OK);
  resolver.reset(made_resolver);
}

TestOp& Rig::AddOp(const std::string& name, const std::function<void(TestOp&)>& setup) {
  TestOp& op = ops.emplace_back();
  op.name = name;
  if (setup) setup(op);
  op.AddTo(resolver.get());
  return op;
}

void Rig::Load(const ModelBuilder& builder) { LoadBytes(builder.Build()); }

void Rig::LoadBytes(std::vector<uint8_t> model_bytes) {
  interpreter.reset();
  bytes = std::move(model_bytes);
  heddle_model* made = nullptr;
  ASSERT_EQ(heddle_model_create_from_memory(environment.get(), bytes.data(), bytes.size(),
                                            HEDDLE_MODEL_COPY, &made, error.out()),
            HEDDLE_OK)
      << error.text();
  model.reset(made);
}

void Rig::LoadFile(const std::string& path) {
  interpreter.reset();
  heddle_model* made = nullptr;
  ASSERT_EQ(heddle_model_create_from_file(environment.get(), path.c_str(), 0, &made, error.out()),
            HEDDLE_OK)
      << error.text();
  model.reset(made);
}

heddle_status Rig::Create(const heddle_interpreter_options* given) {
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  if (given != nullptr) options = *given;
  if (options.resolver == nullptr) options.resolver = resolver.get();
  interpreter.reset();
  heddle_interpreter* made = nullptr;
  const heddle_status status =
      heddle_interpreter_create(environment.get(), model.get(), &options, &made, error.out());
  interpreter.reset(made);
  return status;
}

void Rig::Start(const heddle_interpreter_options* options) {
  ASSERT_NE(model, nullptr);
  ASSERT_EQ(Create(options), HEDDLE_OK) << error.text();
}

BufferPtr Rig::Buffer(size_t size) {
  heddle_buffer* made = nullptr;
  EXPECT_EQ(heddle_buffer_create(environment.get(), size, &made, error.out()), HEDDLE_OK)
      << error.text();
  return BufferPtr(made);
}

BufferPtr Rig::Borrow(void* data, size_t size, size_t padded, heddle_release_callback release,
                      void* context) {
  heddle_buffer* made = nullptr;
  EXPECT_EQ(heddle_buffer_create_borrowed(environment.get(), data, size, padded, release, context,
                                          &made, error.out()),
            HEDDLE_OK)
      << error.text();
  return BufferPtr(made);
}

size_t Rig::CountLog(heddle_reason reason) {
  const std::lock_guard<std::mutex> lock(log_mutex);
  return static_cast<size_t>(
      std::count_if(log.begin(), log.end(), [&](const LogLine& l) { return l.reason == reason; }));
}

}  // namespace heddle::testing
