// SPDX-License-Identifier: Apache-2.0
// Status: success, or a failure with code, phase, reason, place in the model and a sentence.
#pragma once

#include <cassert>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/heddle.h"

namespace heddle {

// One fault. Indices are -1 where they do not apply.
struct Fault {
  heddle_status code = HEDDLE_INTERNAL;
  heddle_phase phase = HEDDLE_PHASE_NONE;
  heddle_reason reason = HEDDLE_REASON_NONE;
  std::string message;
  std::string place;
  std::string op_name;
  std::string tensor_name;
  int32_t op_version = -1;
  int32_t subgraph = -1;
  int32_t operator_index = -1;
  int32_t plan_position = -1;
  int32_t tensor = -1;
};

// A pointer: null is success, so that passing one costs nothing. The out-of-memory value allocates
// nothing.
class [[nodiscard]] Status {
 public:
  Status() = default;
  explicit Status(Fault fault) : faults_(new std::vector<Fault>) {
    // The vector exists already, so that a failing push_back leaks nothing.
    Guard guard{this};
    faults_->push_back(std::move(fault));
    guard.status = nullptr;
  }
  Status(heddle_status code, heddle_phase phase, heddle_reason reason, std::string message)
      : Status(MakeFault(code, phase, reason, std::move(message))) {}
  static Status OutOfMemory() {
    Status status;
    status.out_of_memory_ = true;
    return status;
  }

  Status(Status&& other) noexcept
      : faults_(std::exchange(other.faults_, nullptr)),
        out_of_memory_(std::exchange(other.out_of_memory_, false)) {}
  Status& operator=(Status&& other) noexcept {
    if (this != &other) {
      delete faults_;
      faults_ = std::exchange(other.faults_, nullptr);
      out_of_memory_ = std::exchange(other.out_of_memory_, false);
    }
    return *this;
  }
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;
  ~Status() { delete faults_; }

  Status Clone() const {
    Status copy;
    if (faults_ != nullptr) copy.faults_ = new std::vector<Fault>(*faults_);
    copy.out_of_memory_ = out_of_memory_;
    return copy;
  }

  bool ok() const { return faults_ == nullptr && !out_of_memory_; }
  bool is_out_of_memory() const { return out_of_memory_; }
  heddle_status code() const {
    if (out_of_memory_) return HEDDLE_RESOURCE_EXHAUSTED;
    return faults_ == nullptr ? HEDDLE_OK : faults_->front().code;
  }
  heddle_reason reason() const {
    if (out_of_memory_) return HEDDLE_REASON_OUT_OF_MEMORY;
    return faults_ == nullptr ? HEDDLE_REASON_NONE : faults_->front().reason;
  }
  std::string_view message() const {
    if (out_of_memory_) return "out of memory";
    return faults_ == nullptr ? std::string_view() : std::string_view(faults_->front().message);
  }
  // Null for success and for the out-of-memory value.
  const std::vector<Fault>* faults() const { return faults_; }
  // Applies `edit` to every fault: callers add what they know (place, op, plan position) on the way
  // up.
  template <typename Edit>
  Status Annotate(Edit&& edit) && {
    if (faults_ != nullptr) {
      for (Fault& fault : *faults_) edit(fault);
    }
    return std::move(*this);
  }
  // Adds the faults of `other` behind ours; an out-of-memory value wins.
  void Append(Status other) {
    if (other.ok() || out_of_memory_) return;
    if (other.out_of_memory_ || faults_ == nullptr) {
      *this = std::move(other);
      return;
    }
    for (Fault& fault : *other.faults_) faults_->push_back(std::move(fault));
  }

 private:
  struct Guard {
    Status* status;
    ~Guard() {
      if (status != nullptr) delete std::exchange(status->faults_, nullptr);
    }
  };
  static Fault MakeFault(heddle_status code, heddle_phase phase, heddle_reason reason,
                         std::string message) {
    Fault fault;
    fault.code = code;
    fault.phase = phase;
    fault.reason = reason;
    fault.message = std::move(message);
    return fault;
  }

  std::vector<Fault>* faults_ = nullptr;
  bool out_of_memory_ = false;
};

// A value or a failed Status.
template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr(Status status) : status_(std::move(status)) { assert(!status_.ok()); }
  StatusOr(T value) : value_(std::move(value)) {}
  bool ok() const { return value_.has_value(); }
  Status& status() & { return status_; }
  Status&& status() && { return std::move(status_); }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

#define HEDDLE_CONCAT_INNER_(a, b) a##b
#define HEDDLE_CONCAT_(a, b) HEDDLE_CONCAT_INNER_(a, b)

#define HEDDLE_RETURN_IF_ERROR(expression)                     \
  do {                                                         \
    ::heddle::Status heddle_status_local = (expression);       \
    if (!heddle_status_local.ok()) return heddle_status_local; \
  } while (0)

#define HEDDLE_ASSIGN_OR_RETURN_IMPL_(temporary, target, expression) \
  auto temporary = (expression);                                     \
  if (!temporary.ok()) return std::move(temporary).status();         \
  target = std::move(temporary).value()

// HEDDLE_ASSIGN_OR_RETURN(auto model, Load(path));
#define HEDDLE_ASSIGN_OR_RETURN(target, expression) \
  HEDDLE_ASSIGN_OR_RETURN_IMPL_(HEDDLE_CONCAT_(heddle_result_, __LINE__), target, expression)

}  // namespace heddle
