// SPDX-License-Identifier: Apache-2.0
// Resources of an interpreter: variables, hash tables and what else ops keep behind a RESOURCE
// tensor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heddle/heddle_plugin.h"
#include "runtime/base/status.h"

namespace heddle {

// Used by one run at a time.
class ResourceStore {
 public:
  ResourceStore() = default;
  ResourceStore(const ResourceStore&) = delete;
  ResourceStore& operator=(const ResourceStore&) = delete;
  ~ResourceStore() { Clear(); }

  // Equal names have equal ids, for the life of the store.
  int32_t IdOf(std::string_view container, std::string_view name);
  Status Open(heddle_op_call* call, int32_t id, const heddle_resource_type& type, bool create,
              void* argument, void** object);
  // Destroys all objects; ids stay.
  void Clear();
  uint64_t bytes() const;

 private:
  struct Resource {
    std::string name;  // for messages
    void* object = nullptr;
    heddle_resource_type type = {};
  };
  std::unordered_map<std::string, int32_t> ids_;
  std::vector<Resource> resources_;
};

}  // namespace heddle
