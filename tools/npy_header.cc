// SPDX-License-Identifier: Apache-2.0
#include "tools/npy_header.h"

#include <optional>

#include "tools/files.h"

namespace heddle::tools {
namespace {

constexpr size_t kMostDims = 32;

// Reads the few Python literals that numpy writes.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool Eat(char c) {
    SkipBlanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool AtEnd() {
    SkipBlanks();
    return at_ == text_.size();
  }

  std::optional<std::string> String() {
    SkipBlanks();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return std::nullopt;
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  std::optional<bool> Bool() {
    SkipBlanks();
    if (EatWord("True")) return true;
    if (EatWord("False")) return false;
    return std::nullopt;
  }

  // Not negative, as sizes are; an 'L' of Python 2 may follow.
  std::optional<int64_t> Integer() {
    SkipBlanks();
    const size_t begin = at_;
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
          __builtin_add_overflow(value, int64_t{text_[at_] - '0'}, &value)) {
        return std::nullopt;
      }
    }
    if (at_ == begin) return std::nullopt;
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }

  std::optional<std::vector<int64_t>> Tuple() {
    std::vector<int64_t> values;
    if (!Eat('(')) return std::nullopt;
    while (!Eat(')')) {
      const std::optional<int64_t> value = Integer();
      if (!value || values.size() == kMostDims) return std::nullopt;
      values.push_back(*value);
      if (!Eat(',')) {
        if (!Eat(')')) return std::nullopt;
        break;
      }
    }
    return values;
  }

 private:
  void SkipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool EatWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

bool ParseDescr(std::string_view descr, NpyHeader* header) {
  if (descr.size() < 3) return false;
  header->byte_order = descr[0] == '=' ? '<' : descr[0];
  header->kind = descr[1];
  Parser size(descr.substr(2));
  const std::optional<int64_t> bytes = size.Integer();
  if (!bytes || !size.AtEnd()) return false;
  header->item_bytes = *bytes;
  // The size of text counts characters, of four bytes each.
  if (header->kind == 'U' && __builtin_mul_overflow(*bytes, int64_t{4}, &header->item_bytes)) {
    return false;
  }
  return std::string_view("<>|").find(header->byte_order) != std::string_view::npos;
}

}  // namespace

Result<NpyHeader> ParseNpyHeader(std::string_view text, const std::string& path) {
  const auto malformed = [&](std::string_view what) {
    return BadFile(path, "damaged .npy header: " + std::string(what));
  };
  NpyHeader header;
  bool has_descr = false;
  bool has_order = false;
  bool has_shape = false;
  Parser parser(text);
  if (!parser.Eat('{')) return malformed("it is not a dictionary");
  while (!parser.Eat('}')) {
    const std::optional<std::string> key = parser.String();
    if (!key || !parser.Eat(':')) return malformed("a key is missing");
    if (*key == "descr") {
      if (parser.Eat('[')) return BadFile(path, "structured arrays are not supported");
      const std::optional<std::string> descr = parser.String();
      if (!descr || !ParseDescr(*descr, &header)) return malformed("'descr' is no element type");
      has_descr = true;
    } else if (*key == "fortran_order") {
      const std::optional<bool> order = parser.Bool();
      if (!order) return malformed("'fortran_order' is neither True nor False");
      header.fortran_order = *order;
      has_order = true;
    } else if (*key == "shape") {
      std::optional<std::vector<int64_t>> shape = parser.Tuple();
      if (!shape) return malformed("'shape' is no tuple of sizes");
      header.shape = *std::move(shape);
      has_shape = true;
    } else {
      return malformed("unknown key '" + *key + "'");
    }
    if (!parser.Eat(',')) {
      if (!parser.Eat('}')) return malformed("it is not closed");
      break;
    }
  }
  if (!parser.AtEnd()) return malformed("text follows the dictionary");
  if (!has_descr || !has_order || !has_shape) {
    return malformed("it lacks 'descr', 'fortran_order' or 'shape'");
  }
  return header;
}

}  // namespace heddle::tools
