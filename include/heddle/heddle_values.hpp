// SPDX-License-Identifier: Apache-2.0
//
// What heddle.hpp's functions take and return: borrowed ranges, errors as values, element types.
#ifndef HEDDLE_HEDDLE_VALUES_HPP_
#define HEDDLE_HEDDLE_VALUES_HPP_

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "heddle/heddle.h"

// The inline namespace keeps these names apart from the library's own where it is linked
// statically; programs write heddle::Model.
namespace heddle {
inline namespace cpp {

// ---- Span: a pointer and a count, borrowed

template <typename T>
class Span {
 public:
  constexpr Span() = default;
  constexpr Span(T* data, size_t size) : data_(data), size_(size) {}
  template <size_t Size>
  constexpr Span(T (&array)[Size]) : data_(array), size_(Size) {}
  // Of anything with data() and size(): std::vector, std::array, std::string, another span.
  template <typename Container,
            typename Element = std::remove_pointer_t<decltype(std::declval<Container&>().data())>,
            typename = std::enable_if_t<std::is_convertible_v<Element (*)[], T (*)[]>>>
  constexpr Span(Container& container) : data_(container.data()), size_(container.size()) {}
  template <typename Other,
            typename = std::enable_if_t<std::is_convertible_v<Other (*)[], T (*)[]>>>
  constexpr Span(Span<Other> other) : data_(other.data()), size_(other.size()) {}

  constexpr T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T& operator[](size_t index) const { return data_[index]; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size_; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

// ---- Errors

// Success, or a failure with its faults. Cheap to copy.
class [[nodiscard]] Status {
 public:
  Status() = default;
  // Takes `error` over; it may be null.
  Status(heddle_status code, heddle_error* error)
      : code_(code), error_(error, &heddle_error_destroy) {}
  // A failure that no library call reported.
  Status(heddle_status code, heddle_reason reason, std::string message)
      : code_(code), reason_(reason), message_(std::move(message)) {}

  bool ok() const { return code_ == HEDDLE_OK; }
  explicit operator bool() const { return ok(); }
  heddle_status code() const { return code_; }
  heddle_reason reason() const { return fault_count() > 0 ? fault(0).reason : reason_; }
  heddle_phase phase() const { return fault_count() > 0 ? fault(0).phase : HEDDLE_PHASE_NONE; }
  // All faults, one a line, with place and next step. Never null.
  const char* message() const {
    if (error_) return heddle_error_get_message(error_.get());
    return message_.empty() ? heddle_status_get_name(code_) : message_.c_str();
  }
  // The faults one by one; the first is the first cause. Strings live as long as this status.
  size_t fault_count() const { return error_ ? heddle_error_get_count(error_.get()) : 0; }
  heddle_error_info fault(size_t index) const {
    heddle_error_info info = {};
    info.struct_size = sizeof(info);
    (void)heddle_error_get_info(error_.get(), index, &info);
    return info;
  }

 private:
  heddle_status code_ = HEDDLE_OK;
  heddle_reason reason_ = HEDDLE_REASON_NONE;
  std::shared_ptr<heddle_error> error_;
  std::string message_;
};

// A value, or the status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status error) : error_(std::move(error)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status& error() const { return error_; }
  T& value() & { return *Checked(); }
  const T& value() const& { return *const_cast<Result*>(this)->Checked(); }
  // By value, so that `for (float& x : *interpreter.input<float>(0))` does not outlive its span.
  T value() && { return std::move(*Checked()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return Checked(); }
  const T* operator->() const { return const_cast<Result*>(this)->Checked(); }

 private:
  T* Checked() {
    if (!value_) {
      std::fprintf(stderr, "heddle: use of a failed result: %s\n", error_.message());
      std::abort();
    }
    return &*value_;
  }

  std::optional<T> value_;
  Status error_;
};

// ---- Element types

template <typename T>
struct DTypeOf;  // the heddle_dtype of a C++ type
#define HEDDLE_DTYPE_OF_(type, dtype)            \
  template <>                                    \
  struct DTypeOf<type> {                         \
    static constexpr heddle_dtype value = dtype; \
  }
HEDDLE_DTYPE_OF_(float, HEDDLE_DTYPE_FLOAT32);
HEDDLE_DTYPE_OF_(double, HEDDLE_DTYPE_FLOAT64);
HEDDLE_DTYPE_OF_(bool, HEDDLE_DTYPE_BOOL);
HEDDLE_DTYPE_OF_(int8_t, HEDDLE_DTYPE_INT8);
HEDDLE_DTYPE_OF_(int16_t, HEDDLE_DTYPE_INT16);
HEDDLE_DTYPE_OF_(int32_t, HEDDLE_DTYPE_INT32);
HEDDLE_DTYPE_OF_(int64_t, HEDDLE_DTYPE_INT64);
HEDDLE_DTYPE_OF_(uint8_t, HEDDLE_DTYPE_UINT8);
HEDDLE_DTYPE_OF_(uint16_t, HEDDLE_DTYPE_UINT16);
HEDDLE_DTYPE_OF_(uint32_t, HEDDLE_DTYPE_UINT32);
HEDDLE_DTYPE_OF_(uint64_t, HEDDLE_DTYPE_UINT64);
#undef HEDDLE_DTYPE_OF_

// Dimensions of a tensor; empty for a scalar and for an unknown rank (info.rank tells).
inline Span<const int32_t> Dims(const heddle_tensor_info& info) {
  return {info.dims, info.dims != nullptr && info.rank > 0 ? static_cast<size_t>(info.rank) : 0};
}

namespace internal {

// Owns a C object.
template <typename T, void (*DestroyObject)(T*)>
class Owner {
 public:
  explicit Owner(T* handle) : handle_(handle) {}  // takes it over
  T* get() const { return handle_.get(); }
  T* release() { return handle_.release(); }  // gives it up

 private:
  struct Destroy {
    void operator()(T* object) const { DestroyObject(object); }
  };
  std::unique_ptr<T, Destroy> handle_;
};

// Runs a C call that takes the error last.
template <typename Function>
Status Call(Function function) {
  heddle_error* error = nullptr;
  const heddle_status status = function(&error);
  return status == HEDDLE_OK ? Status() : Status(status, error);
}

// The same for one that makes an object.
template <typename Object, typename Handle, typename Function>
Result<Object> Make(Function function) {
  Handle* handle = nullptr;
  Status status = Call([&](heddle_error** error) { return function(&handle, error); });
  if (!status.ok()) return status;
  return Object(handle);
}

template <typename Info>
Info Sized() {
  Info info = {};
  info.struct_size = sizeof(info);
  return info;
}

// For a call that fills a struct and fails only for an index that does not exist.
template <typename Info, typename Function>
Result<Info> Fill(const char* what, size_t index, Info info, Function function) {
  const heddle_status status = function(&info);
  if (status == HEDDLE_OK) return info;
  return Status(status, HEDDLE_REASON_BAD_ARGUMENT,
                std::string("there is no ") + what + " " + std::to_string(index));
}

}  // namespace internal
}  // namespace cpp
}  // namespace heddle

#endif  // HEDDLE_HEDDLE_VALUES_HPP_
