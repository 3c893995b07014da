// SPDX-License-Identifier: Apache-2.0
// Text for people: tables that fit a terminal, numbers with units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::tools {

// Columns are as wide as their cells; where that passes 100 characters, the cells of the column
// marked as flexible are cut in their middle.
class Table {
 public:
  enum Align { kLeft, kRight, kFlexible };

  explicit Table(std::vector<std::pair<std::string, Align>> columns);
  void Add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }
  // Every line starts with two blanks.
  std::string Text() const;

 private:
  std::vector<std::pair<std::string, Align>> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Names come from untrusted files: control characters become '?', so that they neither break lines
// nor reach a terminal.
std::string Printable(std::string text);
// Breaks a paragraph at blanks into lines of at most 100 characters, each with this indent.
std::string Wrapped(const std::string& text, size_t indent);
// Cuts in the middle: "mobilenet/con..relu6".
std::string Shorten(const std::string& text, size_t longest);
// "12,345"
std::string Grouped(uint64_t number);
// "512 B", "12.3 KB", "1.25 MB"
std::string BytesText(uint64_t bytes);
// "1 operator", "3 operators"
std::string Counted(size_t count, const std::string& noun);
std::string Fixed(double value, int digits);

}  // namespace heddle::tools
