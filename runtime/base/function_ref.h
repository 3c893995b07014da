// SPDX-License-Identifier: Apache-2.0
// FunctionRef<R(Args...)>: a borrowed callable, two pointers wide. It must not outlive what it was
// made from: meant for parameters only.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace heddle {

template <typename Signature>
class FunctionRef;

template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef> &&
                                                    std::is_object_v<std::remove_reference_t<F>> &&
                                                    std::is_invocable_r_v<R, F&, Args...>>>
  FunctionRef(F&& callable)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Args... args) -> R {
          return static_cast<R>(
              (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...));
        }) {}

  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

}  // namespace heddle
