// SPDX-License-Identifier: Apache-2.0
#include "runtime/exec/resource_store.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/strings.h"
#include "runtime/op/host.h"

namespace heddle {

int32_t ResourceStore::IdOf(std::string_view container, std::string_view name) {
  std::string key(container);
  key += '\0';
  key += name;
  const auto it = ids_.find(key);
  if (it != ids_.end()) return it->second;
  const auto id = static_cast<int32_t>(resources_.size());
  Resource resource;
  resource.name = name;
  resources_.push_back(std::move(resource));
  ids_.emplace(std::move(key), id);
  return id;
}

Status ResourceStore::Open(heddle_op_call* call, int32_t id, const heddle_resource_type& type,
                           bool create, void* argument, void** object) {
  if (id < 0 || static_cast<size_t>(id) >= resources_.size()) {
    return Status(HEDDLE_KERNEL_FAILED, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_RESOURCE_UNKNOWN,
                  StrCat("resource id ", id, " does not exist"));
  }
  Resource& resource = resources_[static_cast<size_t>(id)];
  if (resource.object != nullptr) {
    if (std::strcmp(resource.type.name, type.name) != 0) {
      return Status(HEDDLE_KERNEL_FAILED, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_RESOURCE_TYPE,
                    StrCat("resource \"", resource.name, "\" is a ", resource.type.name,
                           ", wanted is a ", type.name));
    }
    *object = resource.object;
    return {};
  }
  if (!create) {
    return Status(HEDDLE_KERNEL_FAILED, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_RESOURCE_UNKNOWN,
                  StrCat("resource \"", resource.name, "\" is read before it was assigned"));
  }
  void* made = nullptr;
  const heddle_status code = type.create(call, argument, &made);
  if (code != HEDDLE_OK) return TakeReported(call, code, ContextOf(call).stage);
  resource.object = made;
  std::memcpy(&resource.type, &type, std::min(type.struct_size, sizeof(resource.type)));
  *object = made;
  return {};
}

void ResourceStore::Clear() {
  for (Resource& resource : resources_) {
    if (resource.object != nullptr) resource.type.destroy(resource.object);
    resource.object = nullptr;
    resource.type = {};
  }
}

uint64_t ResourceStore::bytes() const {
  uint64_t sum = 0;
  for (const Resource& resource : resources_) {
    if (resource.object != nullptr && resource.type.bytes != nullptr)
      sum += resource.type.bytes(resource.object);
  }
  return sum;
}

}  // namespace heddle
