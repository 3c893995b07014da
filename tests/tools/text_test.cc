// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tools/files.h"
#include "tools/statistics.h"
#include "tools/table.h"

namespace heddle::tools {
namespace {

TEST(Text, TablesAlign) {
  Table table({{"name", Table::kLeft}, {"n", Table::kRight}});
  table.Add({"a", "1"});
  table.Add({"bcdef", "1000"});
  EXPECT_EQ(table.Text(), "  name      n\n  a         1\n  bcdef  1000\n");
}

TEST(Text, LongCellsAreCutToTheLine) {
  Table table({{"name", Table::kFlexible}, {"value", Table::kLeft}});
  table.Add({std::string(300, 'x'), "end"});
  const std::string text = table.Text();
  EXPECT_EQ(text.find('\n', text.find('\n') + 1) - text.find('\n') - 1, 98u);  // "end" < "value"
  EXPECT_NE(text.find("x..x"), std::string::npos);
}

TEST(Text, ParagraphsBreakAtBlanks) {
  EXPECT_EQ(Wrapped("a b", 2), "  a b\n");
  EXPECT_EQ(Wrapped(std::string(60, 'a') + " " + std::string(60, 'b'), 4),
            "    " + std::string(60, 'a') + "\n    " + std::string(60, 'b') + "\n");
  EXPECT_EQ(Wrapped(std::string(150, 'a'), 0),
            std::string(100, 'a') + "\n" + std::string(50, 'a') + "\n");
  EXPECT_EQ(Wrapped("", 2), "");
}

TEST(Text, ControlCharactersOfNamesAreNotPrinted) {
  EXPECT_EQ(Printable("a\nb\x1b[2J"), "a?b?[2J");
  Table table({{"", Table::kLeft}});
  table.Add({"a\nb"});
  EXPECT_EQ(table.Text(), "\n  a?b\n");
}

TEST(Text, NumbersWithUnits) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(1234567), "1,234,567");
  EXPECT_EQ(BytesText(999), "999 B");
  EXPECT_EQ(BytesText(1500), "1.5 KB");
  EXPECT_EQ(BytesText(999999), "1 MB");
  EXPECT_EQ(Counted(1, "run"), "1 run");
  EXPECT_EQ(Counted(2000, "run"), "2,000 runs");
}

TEST(Text, FileNamesFromTensorNames) {
  EXPECT_EQ(FileNamePart("a/b:0"), "a_b_0");
  EXPECT_EQ(FileNamePart("../../etc"), ".._.._etc");
  EXPECT_EQ(FileNamePart(std::string(1000, 'x')).size(), 80u);
}

TEST(Statistics, PercentilesAreMeasuredValues) {
  std::vector<double> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  const Statistics statistics = StatisticsOf(values);
  EXPECT_EQ(statistics.p50, 50);
  EXPECT_EQ(statistics.p90, 90);
  EXPECT_EQ(statistics.p99, 99);
  EXPECT_EQ(statistics.mean, 50.5);
  EXPECT_EQ(statistics.min, 1);
  EXPECT_EQ(statistics.max, 100);
  EXPECT_EQ(StatisticsOf({7}).p99, 7);
}

}  // namespace
}  // namespace heddle::tools
