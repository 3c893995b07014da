// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace heddle::kernels::ref {

// A number as another type. Floats outside an integer type saturate and NaN becomes its maximum;
// integers wrap; anything but 0 is true.
template <typename To, typename From>
To Cast(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(value)) return std::numeric_limits<To>::max();
    // The maximum itself may not be a float; the power of two above it is.
    const From above = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    if (value >= above) return std::numeric_limits<To>::max();
    if (value < static_cast<From>(std::numeric_limits<To>::lowest())) {
      return std::numeric_limits<To>::lowest();
    }
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace heddle::kernels::ref
