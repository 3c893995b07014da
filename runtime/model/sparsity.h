// SPDX-License-Identifier: Apache-2.0
// How the elements of a sparse constant are stored: as a tree with one level for each dimension in
// traversal order, then one for each dimension inside a block. A dense level has `size` children
// under every node of the level above; a compressed one lists the children of node i in
// indices[segments[i]] ... indices[segments[i + 1] - 1]. The leaves are the tensor's data, in
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "runtime/model/model.h"

namespace heddle {

// An array of unsigned numbers of 1, 2 or 4 bytes.
struct SparseIndices {
  const uint8_t* data = nullptr;
  size_t count = 0;
  uint8_t width = 4;

  int64_t operator[](size_t index) const {
    if (width == 1) return data[index];
    if (width == 2) {
      uint16_t value;
      std::memcpy(&value, data + index * 2, 2);
      return value;
    }
    int32_t value;
    std::memcpy(&value, data + index * 4, 4);
    return value;
  }
};

struct SparseLevel {
  int32_t dimension = 0;  // of the tensor; from the rank on: of the block
  bool is_dense = true;
  int64_t size = 0;        // extent of the dimension, in blocks where it is cut into blocks
  SparseIndices segments;  // compressed levels only
  SparseIndices indices;
};

struct SparsityView {
  std::vector<SparseLevel> levels;
  std::span<const int32_t> block_map;  // [b]: the dimension that block dimension b cuts
  std::vector<int32_t> block_sizes;    // [b]
};

// What is wrong with sparsity parameters; null if nothing.
struct SparsityFault {
  const char* below = nullptr;  // field at fault
  std::string sentence;
};

// Decodes tensor.sparsity. False, with the fault, if the parameters contradict the shape in what
// decoding follows; segments and indices are checked by the loader only.
[[nodiscard]] bool ReadSparsity(const TensorDef& tensor, SparsityView* view, SparsityFault* fault);

// Writes the elements of a sparse constant where they belong in `dense`, which has DenseBytes of
// zeros. False if the parameters are not right, or of a kind that nobody writes: more than 16
// levels, two blocks that cut the same dimension, elements smaller than a byte.
[[nodiscard]] bool Densify(const TensorDef& tensor, std::span<uint8_t> dense);

}  // namespace heddle
