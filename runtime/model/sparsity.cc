// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/sparsity.h"

#include "runtime/base/dtype.h"
#include "runtime/base/strings.h"
#include "schema/model_generated.h"

namespace heddle {
namespace {

// False for a member of the union that the schema does not know, or a missing array.
bool ReadIndices(schema::SparseIndexVector type, const void* table, SparseIndices* indices) {
  if (table == nullptr) return false;
  const auto take = [&](const auto* values, uint8_t width) {
    if (values == nullptr) return false;
    *indices = {reinterpret_cast<const uint8_t*>(values->data()), values->size(), width};
    return true;
  };
  switch (type) {
    case schema::SparseIndexVector::Int32Vector:
      return take(static_cast<const schema::Int32Vector*>(table)->values(), 4);
    case schema::SparseIndexVector::Uint16Vector:
      return take(static_cast<const schema::Uint16Vector*>(table)->values(), 2);
    case schema::SparseIndexVector::Uint8Vector:
      return take(static_cast<const schema::Uint8Vector*>(table)->values(), 1);
    case schema::SparseIndexVector::NONE:
      return false;
  }
  return false;
}

class Decoder {
 public:
  Decoder(const TensorDef& tensor, SparsityView* view, SparsityFault* fault)
      : source_(*static_cast<const schema::SparsityParameters*>(tensor.sparsity)),
        dims_(tensor.dims),
        view_(*view),
        fault_(*fault) {}

  bool Decode() {
    view_ = SparsityView();
    return CheckSizes() && ReadOrder() && ReadBlocks() && ReadLevels();
  }

 private:
  bool Fail(const char* below, std::string sentence) {
    fault_ = {below, std::move(sentence)};
    return false;
  }

  bool CheckSizes() {
    if (source_.traversal_order() == nullptr || source_.dim_metadata() == nullptr) {
      return Fail("traversal_order", "lacks the order or the levels of its sparse storage");
    }
    const size_t blocks = source_.block_map() == nullptr ? 0 : source_.block_map()->size();
    const size_t levels = source_.traversal_order()->size();
    if (levels != dims_.size() + blocks) {
      return Fail("traversal_order", StrCat("has ", levels, " sparse levels for ", dims_.size(),
                                            " dimensions and ", blocks, " of blocks"));
    }
    if (source_.dim_metadata()->size() != levels) {
      return Fail("dim_metadata", StrCat("describes ", source_.dim_metadata()->size(),
                                         " sparse levels of ", levels));
    }
    return true;
  }

  // The tensor's dimensions come first, those of the block behind them, each once.
  bool ReadOrder() {
    const auto& order = *source_.traversal_order();
    const auto rank = static_cast<int32_t>(dims_.size());
    const auto count = static_cast<int32_t>(order.size());
    std::vector<bool> seen(order.size(), false);
    for (int32_t i = 0; i < count; ++i) {
      const int32_t dimension = order.Get(static_cast<flatbuffers::uoffset_t>(i));
      const int32_t low = i < rank ? 0 : rank;
      const int32_t high = i < rank ? rank : count;
      if (dimension < low || dimension >= high || seen[static_cast<size_t>(dimension)]) {
        return Fail("traversal_order", StrCat("has dimension ", dimension, " at sparse level ", i));
      }
      seen[static_cast<size_t>(dimension)] = true;
      view_.levels.push_back({dimension, true, 0, {}, {}});
    }
    return true;
  }

  // Blocks are always dense inside.
  bool ReadBlocks() {
    sizes_.assign(dims_.begin(), dims_.end());
    if (source_.block_map() == nullptr) return true;
    const auto& map = *source_.block_map();
    view_.block_map = {map.data(), map.size()};
    view_.block_sizes.resize(map.size());
    sizes_.resize(view_.levels.size());
    for (size_t level = dims_.size(); level < view_.levels.size(); ++level) {
      const auto& metadata = *source_.dim_metadata()->Get(static_cast<uint32_t>(level));
      const size_t block = static_cast<size_t>(view_.levels[level].dimension) - dims_.size();
      const int32_t size = metadata.dense_size();
      const int32_t cut = map.Get(static_cast<flatbuffers::uoffset_t>(block));
      if (metadata.format() != schema::DimensionType::DENSE || size <= 0) {
        return Fail("dim_metadata", StrCat("has a block dimension of size ", size));
      }
      if (cut < 0 || static_cast<size_t>(cut) >= dims_.size()) {
        return Fail("block_map", StrCat("has blocks that cut dimension ", cut));
      }
      int64_t& cut_size = sizes_[static_cast<size_t>(cut)];
      if (cut_size % size != 0) {
        return Fail("block_map", StrCat("has blocks of ", size, " that do not divide dimension ",
                                        cut, " of size ", cut_size));
      }
      cut_size /= size;
      sizes_[static_cast<size_t>(view_.levels[level].dimension)] = size;
      view_.block_sizes[block] = size;
    }
    return true;
  }

  bool ReadLevels() {
    for (size_t i = 0; i < view_.levels.size(); ++i) {
      SparseLevel& level = view_.levels[i];
      const auto& metadata = *source_.dim_metadata()->Get(static_cast<uint32_t>(i));
      level.size = sizes_[static_cast<size_t>(level.dimension)];
      level.is_dense = metadata.format() == schema::DimensionType::DENSE;
      if (level.is_dense) {
        if (metadata.dense_size() != level.size) {
          return Fail("dim_metadata", StrCat("has sparse level ", i, " of size ",
                                             metadata.dense_size(), " instead of ", level.size));
        }
        continue;
      }
      if (metadata.format() != schema::DimensionType::SPARSE_CSR) {
        return Fail("dim_metadata",
                    StrCat("has sparse level ", i, " of unknown format ", metadata.format()));
      }
      if (!ReadIndices(metadata.array_segments_type(), metadata.array_segments(),
                       &level.segments) ||
          !ReadIndices(metadata.array_indices_type(), metadata.array_indices(), &level.indices)) {
        return Fail("dim_metadata", StrCat("has sparse level ", i, " without its arrays"));
      }
    }
    return true;
  }

  const schema::SparsityParameters& source_;
  std::span<const int32_t> dims_;
  SparsityView& view_;
  SparsityFault& fault_;
  std::vector<int64_t> sizes_;  // extents of the levels by dimension
};

// Walks the tree of stored elements.
class Scatterer {
 public:
  Scatterer(const TensorDef& tensor, std::span<uint8_t> dense)
      : tensor_(tensor), dense_(dense), width_(DtypeBits(tensor.dtype) / 8) {}

  bool Run() {
    SparsityFault fault;
    if (width_ == 0 || !ReadSparsity(tensor_, &view_, &fault)) return false;
    if (view_.levels.size() > kMaxLevels || !MakeSteps()) return false;
    return Walk(0, 0, 0);
  }

 private:
  static constexpr size_t kMaxLevels = 16;

  // Distance in elements between neighbours of each level.
  bool MakeSteps() {
    const size_t rank = tensor_.dims.size();
    std::vector<int64_t> strides(rank, 1);
    for (size_t d = rank; d-- > 1;) strides[d - 1] = strides[d] * tensor_.dims[d];
    std::vector<int64_t> block_sizes(rank, 1);
    for (size_t b = 0; b < view_.block_map.size(); ++b) {
      int64_t& size = block_sizes[static_cast<size_t>(view_.block_map[b])];
      if (size != 1) return false;
      size = view_.block_sizes[b];
    }
    for (const SparseLevel& level : view_.levels) {
      const auto d = static_cast<size_t>(level.dimension);
      steps_.push_back(d < rank ? strides[d] * block_sizes[d]
                                : strides[static_cast<size_t>(view_.block_map[d - rank])]);
    }
    return true;
  }

  // Node `node` of the level above, whose elements begin at `offset`. Segments and indices are
  // checked again: a model may be loaded as trusted.
  bool Walk(size_t depth, int64_t node, int64_t offset) {
    if (depth == view_.levels.size()) return Put(node, offset);
    const SparseLevel& level = view_.levels[depth];
    const int64_t step = steps_[depth];
    if (level.is_dense) {
      for (int64_t i = 0; i < level.size; ++i) {
        if (!Walk(depth + 1, node * level.size + i, offset + i * step)) return false;
      }
      return true;
    }
    const auto parent = static_cast<size_t>(node);
    if (parent + 1 >= level.segments.count) return false;
    const int64_t end = level.segments[parent + 1];
    for (int64_t k = level.segments[parent]; k < end; ++k) {
      if (k < 0 || static_cast<size_t>(k) >= level.indices.count) return false;
      const int64_t index = level.indices[static_cast<size_t>(k)];
      if (index < 0 || index >= level.size) return false;
      if (!Walk(depth + 1, k, offset + index * step)) return false;
    }
    return true;
  }

  bool Put(int64_t element, int64_t offset) {
    const size_t from = static_cast<size_t>(element) * width_;
    const size_t to = static_cast<size_t>(offset) * width_;
    if (from + width_ > tensor_.data.size() || to + width_ > dense_.size()) return false;
    std::memcpy(dense_.data() + to, tensor_.data.data() + from, width_);
    return true;
  }

  const TensorDef& tensor_;
  std::span<uint8_t> dense_;
  const size_t width_;
  SparsityView view_;
  std::vector<int64_t> steps_;
};

}  // namespace

bool Densify(const TensorDef& tensor, std::span<uint8_t> dense) {
  return Scatterer(tensor, dense).Run();
}

bool ReadSparsity(const TensorDef& tensor, SparsityView* view, SparsityFault* fault) {
  return Decoder(tensor, view, fault).Decode();
}

}  // namespace heddle
