// SPDX-License-Identifier: Apache-2.0
// Objects shared by all interpreters of a model, by key: packed weights, unpacked constants. Made
// once, gone with the last user.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/base/function_ref.h"
#include "runtime/base/status.h"

namespace heddle {

// Thread-safe. References may outlive the store.
class WeightStore {
 public:
  class Entry {
   public:
    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry();
    void* object() const { return object_; }

   private:
    friend class WeightStore;
    std::mutex mutex_;  // held while the object is made, so that a second caller waits for it
    bool made_ = false;
    void* object_ = nullptr;
    void (*destroy_)(void*) = nullptr;
    uint64_t bytes_ = 0;
    std::shared_ptr<std::atomic<uint64_t>> total_;
  };
  using Ref = std::shared_ptr<const Entry>;

  struct Made {
    void* object = nullptr;
    void (*destroy)(void*) = nullptr;
    uint64_t bytes = 0;
  };
  // The object of this key, made by `make` if nobody holds one. A failed `make` leaves nothing
  // behind.
  StatusOr<Ref> GetOrMake(std::string_view key, FunctionRef<Status(Made*)> make);

  // Bytes that the objects alive report.
  uint64_t bytes() const { return total_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<uint64_t>> total_ = std::make_shared<std::atomic<uint64_t>>(0);
  std::mutex mutex_;
  std::unordered_map<std::string, std::weak_ptr<Entry>> entries_;
};

}  // namespace heddle
