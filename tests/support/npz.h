// SPDX-License-Identifier: Apache-2.0
// Arrays of .npz files whose members are stored, not compressed.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace heddle::testing {

struct NpyArray {
  std::string descr;  // "<f4", "|i1", "|u1"
  std::vector<int64_t> dims;
  std::vector<uint8_t> data;

  template <typename T>
  std::vector<T> As() const {
    std::vector<T> values(data.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), data.data(), values.size() * sizeof(T));
    return values;
  }
};

// By name, without ".npy". Fails the running test if the file is not of this kind.
std::map<std::string, NpyArray> ReadNpz(const std::string& path);

}  // namespace heddle::testing
