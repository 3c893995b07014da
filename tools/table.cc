// SPDX-License-Identifier: Apache-2.0
#include "tools/table.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace heddle::tools {
namespace {

constexpr size_t kLineWidth = 100;
constexpr size_t kGap = 2;
constexpr size_t kNarrowest = 12;  // a flexible column is not cut below this

}  // namespace

Table::Table(std::vector<std::pair<std::string, Align>> columns) : columns_(std::move(columns)) {}

void Table::Add(std::vector<std::string> row) {
  row.resize(columns_.size());
  for (std::string& cell : row) cell = Printable(std::move(cell));
  rows_.push_back(std::move(row));
}

std::string Table::Text() const {
  std::vector<size_t> widths;
  size_t line = kGap;
  for (size_t c = 0; c < columns_.size(); ++c) {
    size_t width = columns_[c].first.size();
    for (const auto& row : rows_) width = std::max(width, row[c].size());
    widths.push_back(width);
    line += width + (c > 0 ? kGap : 0);
  }
  for (size_t c = 0; c < columns_.size() && line > kLineWidth; ++c) {
    if (columns_[c].second != kFlexible) continue;
    const size_t rest = line - widths[c];
    const size_t wanted = rest < kLineWidth ? kLineWidth - rest : 0;
    widths[c] = std::min(widths[c], std::max(kNarrowest, wanted));
    line = rest + widths[c];
  }

  std::string text;
  const auto add = [&](const auto& cell_of) {
    std::string out;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = Shorten(cell_of(c), widths[c]);
      out.append(kGap, ' ');
      if (columns_[c].second == kRight) out.append(widths[c] - cell.size(), ' ');
      out += cell;
      if (columns_[c].second != kRight) out.append(widths[c] - cell.size(), ' ');
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + '\n';
  };
  add([&](size_t c) { return columns_[c].first; });
  for (const auto& row : rows_) {
    add([&](size_t c) { return row[c]; });
  }
  return text;
}

std::string Printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
  }
  return text;
}

std::string Wrapped(const std::string& text, size_t indent) {
  std::string result;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = std::min(text.size(), at + kLineWidth - indent);
    if (end < text.size()) {
      const size_t blank = text.rfind(' ', end);
      if (blank != std::string::npos && blank > at) end = blank;
    }
    result += std::string(indent, ' ') + text.substr(at, end - at) + '\n';
    at = end < text.size() && text[end] == ' ' ? end + 1 : end;
  }
  return result;
}

std::string Shorten(const std::string& text, size_t longest) {
  if (text.size() <= longest || longest < 4) return text.substr(0, longest);
  const size_t head = (longest - 2) / 2;
  return text.substr(0, head) + ".." + text.substr(text.size() - (longest - 2 - head));
}

std::string Grouped(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string BytesText(uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  const char* const units[] = {"KB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(units); ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g %s", value, units[unit]);
  return text;
}

std::string Counted(size_t count, const std::string& noun) {
  return Grouped(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string Fixed(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, value);
  return text;
}

}  // namespace heddle::tools
