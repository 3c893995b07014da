// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/weight_store.h"

namespace heddle {

WeightStore::Entry::~Entry() {
  if (!made_) return;
  destroy_(object_);
  total_->fetch_sub(bytes_, std::memory_order_relaxed);
}

StatusOr<WeightStore::Ref> WeightStore::GetOrMake(std::string_view key,
                                                  FunctionRef<Status(Made*)> make) {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::weak_ptr<Entry>& held = entries_[std::string(key)];
    entry = held.lock();
    if (entry == nullptr) {
      // Entries whose objects are gone are swept when new ones come.
      std::erase_if(entries_,
                    [&](const auto& item) { return item.second.expired() && item.first != key; });
      entry = std::make_shared<Entry>();
      entry->total_ = total_;
      entries_[std::string(key)] = entry;
    }
  }
  const std::lock_guard<std::mutex> lock(entry->mutex_);
  if (!entry->made_) {
    Made made;
    HEDDLE_RETURN_IF_ERROR(make(&made));
    entry->object_ = made.object;
    entry->destroy_ = made.destroy;
    entry->bytes_ = made.bytes;
    entry->made_ = true;
    total_->fetch_add(made.bytes, std::memory_order_relaxed);
  }
  return Ref(entry);
}

}  // namespace heddle
