// Medians, percentiles, means, and how figures and tables are printed.
#include <gtest/gtest.h>

#include "stats.h"
#include "table.h"

namespace garner::tool {
namespace {

TEST(Figures, Median) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({9, 1, 5, 3}), 4);
}

TEST(Figures, PercentileIsANearestRank) {
  std::vector<double> hundred;
  for (int i = 100; i > 0; i--) hundred.push_back(i);
  EXPECT_EQ(percentile(hundred, 50), 50);
  EXPECT_EQ(percentile(hundred, 99), 99);
  EXPECT_EQ(percentile(hundred, 99.5), 100);
  EXPECT_EQ(percentile(hundred, 100), 100);
  EXPECT_EQ(percentile({3, 1, 2}, 50), 2);
  EXPECT_EQ(percentile({3, 1, 2}, 0.001), 1);
  EXPECT_EQ(percentile({4}, 99), 4);
  EXPECT_EQ(percentile({}, 50), 0);
}

TEST(Figures, GeometricMeanLeavesOutWhatIsUnknown) {
  EXPECT_DOUBLE_EQ(geometric_mean({2, 8}), 4);
  EXPECT_DOUBLE_EQ(geometric_mean({2, -1, 8, 0}), 4);
  EXPECT_EQ(geometric_mean({}), 0);
  EXPECT_EQ(geometric_mean({-1}), 0);
}

TEST(Figures, SumAndEnds) {
  EXPECT_EQ(sum({1, 2, 3.5}), 6.5);
  EXPECT_EQ(maximum({1, 9, 3}), 9);
  EXPECT_EQ(minimum({4, 2, 3}), 2);
  EXPECT_EQ(maximum({}), 0);
}

TEST(Figures, ThreeDigitsOrADash) {
  EXPECT_EQ(seconds_text(1.234), "1.23");
  EXPECT_EQ(seconds_text(12.34), "12.3");
  EXPECT_EQ(milliseconds_text(1234.5), "1234");
  EXPECT_EQ(milliseconds_text(0), "0.00");
  EXPECT_EQ(milliseconds_text(-1), "-");
  EXPECT_EQ(megabytes_text(1.5 * (1 << 20)), "1.50");
  EXPECT_EQ(megabytes_text(-1), "-");
  EXPECT_EQ(ratio_text(0.904), "0.90");
  EXPECT_EQ(ratio_text(-1), "-");
}

TEST(Figures, TableAlignsByCharactersNotBytes) {
  Table table({"mode", "CPU s"});
  table.row({"größer", "1.50"});
  table.row({"a"});
  EXPECT_EQ(table.text(false),
            "mode    CPU s\n"
            "größer   1.50\n"
            "a\n");
  EXPECT_EQ(table.text(true).substr(0, 4), "\x1b[1m");
}

TEST(Figures, TableAsMarkdown) {
  Table table({"option", "values"});
  table.row({"x", "a|b"});
  EXPECT_EQ(table.markdown(), "| option | values |\n|---|---:|\n| x | a\\|b |\n");
}

} // namespace
} // namespace garner::tool
