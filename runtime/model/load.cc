// SPDX-License-Identifier: Apache-2.0
// From a file, a part of one, or memory to a verified Model.
#include <cstring>

#include "runtime/base/strings.h"
#include "runtime/model/model.h"
#include "runtime/model/verify.h"
#include "runtime/model/view.h"

namespace heddle {
namespace {

using Access = ModelBuilderAccess;

// Scalars of a flatbuffer are read in place, and are aligned relative to its start.
constexpr uintptr_t kModelAlignment = 16;

Status CopyBytes(Model* model, std::span<const uint8_t> bytes, const ModelOptions& options) {
  auto allocator = options.allocator != nullptr ? options.allocator : std::make_shared<Allocator>();
  Block block = Block::Make(std::move(allocator), bytes.size());
  if (!block) return Status::OutOfMemory();
  if (!bytes.empty()) std::memcpy(block.data(), bytes.data(), bytes.size());
  Access::SetBytes(*model, {block.data(), bytes.size()}, true);
  Access::Copy(*model) = std::move(block);
  return {};
}

// Uses the bytes in place if they are aligned.
Status TakeBytes(Model* model, std::span<const uint8_t> bytes, const ModelOptions& options) {
  if (options.copy) return CopyBytes(model, bytes, options);
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kModelAlignment == 0) {
    Access::SetBytes(*model, bytes, false);
    return {};
  }
  HEDDLE_RETURN_IF_ERROR(CopyBytes(model, bytes, options));
  if (options.logger != nullptr) {
    options.logger->Log(HEDDLE_SEVERITY_WARNING, HEDDLE_REASON_MISALIGNED_COPIED,
                        StrCat("the model's ", bytes.size(), " bytes start at an address that is ",
                               "no multiple of 16 and were copied"));
  }
  return {};
}

StatusOr<std::shared_ptr<const Model>> Finish(std::shared_ptr<Model> model,
                                              const ModelOptions& options) {
  const std::span<const uint8_t> bytes = model->bytes();
  HEDDLE_RETURN_IF_ERROR(VerifyBytes(*model, bytes, options.trust));
  WorkBudget budget(bytes.size());
  HEDDLE_RETURN_IF_ERROR(Access(model.get(), *schema::GetModel(bytes.data()), &budget).Build());
  if (!options.trust) {
    HEDDLE_RETURN_IF_ERROR(VerifyTensors(*model, &budget));
    HEDDLE_RETURN_IF_ERROR(VerifyOperators(*model, &budget));
    HEDDLE_RETURN_IF_ERROR(VerifyGraphs(*model, &budget));
    HEDDLE_RETURN_IF_ERROR(VerifyCalls(*model, &budget));
    HEDDLE_RETURN_IF_ERROR(VerifySignatures(*model, &budget));
  }
  return std::shared_ptr<const Model>(std::move(model));
}

StatusOr<std::shared_ptr<const Model>> FromMapping(MappedFile file, const ModelOptions& options) {
  std::shared_ptr<Model> model = Access::NewModel();
  ModelOptions in_place = options;
  in_place.copy = false;
  HEDDLE_RETURN_IF_ERROR(TakeBytes(model.get(), {file.data(), file.bytes()}, in_place));
  if (!model->copied()) Access::File(*model) = std::move(file);
  return Finish(std::move(model), options);
}

}  // namespace

Model::~Model() = default;

StatusOr<std::shared_ptr<const Model>> Model::FromFile(const char* path,
                                                       const ModelOptions& options) {
  HEDDLE_ASSIGN_OR_RETURN(MappedFile file, MappedFile::FromPath(path));
  auto model = FromMapping(std::move(file), options);
  if (!model.ok()) {
    return std::move(model).status().Annotate(
        [&](Fault& fault) { fault.message = StrCat(path, ": ", fault.message); });
  }
  return model;
}

StatusOr<std::shared_ptr<const Model>> Model::FromDescriptor(int descriptor, uint64_t offset,
                                                             uint64_t length,
                                                             const ModelOptions& options) {
  HEDDLE_ASSIGN_OR_RETURN(MappedFile file, MappedFile::FromDescriptor(descriptor, offset, length));
  return FromMapping(std::move(file), options);
}

StatusOr<std::shared_ptr<const Model>> Model::FromMemory(const void* data, size_t bytes,
                                                         const ModelOptions& options) {
  if (data == nullptr) {
    return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_LOAD, HEDDLE_REASON_NULL_ARGUMENT,
                  "no model bytes were given");
  }
  std::shared_ptr<Model> model = Access::NewModel();
  HEDDLE_RETURN_IF_ERROR(
      TakeBytes(model.get(), {static_cast<const uint8_t*>(data), bytes}, options));
  return Finish(std::move(model), options);
}

}  // namespace heddle
