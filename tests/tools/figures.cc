// Medians, percentiles, means, and how figures and tables are printed.
#include <random>

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

TEST(Figures, IntervalsOfRatiosHoldTheRatioAndAreAsWideAsTheRunsDiffer) {
  EXPECT_FALSE(ratio_interval({1, 2}, {1, 2, 3}).has_value());
  EXPECT_FALSE(ratio_interval({1, 2, 3}, {1, 2}).has_value());
  EXPECT_FALSE(ratio_interval({1, 2, 3}, {0, 2, 3}).has_value());
  const auto exact = ratio_interval({2, 2, 2}, {4, 4, 4});
  ASSERT_TRUE(exact.has_value());
  EXPECT_EQ(exact->low, 0.5);
  EXPECT_EQ(exact->high, 0.5);
  const std::vector<double> near = {10, 10.1, 9.9, 10.2, 9.8}, far = {10, 14, 7, 12, 8}, by = {20, 20.2, 19.8, 20.4, 19.6};
  const auto narrow = ratio_interval(near, by), wide = ratio_interval(far, by);
  EXPECT_LT(narrow->low, 0.5);
  EXPECT_GT(narrow->high, 0.5);
  EXPECT_GT(narrow->low, 0.47);
  EXPECT_LT(narrow->high, 0.53);
  EXPECT_LT(wide->low, 0.42);
  EXPECT_GT(wide->high, 0.58);
  const auto again = ratio_interval(far, by);
  EXPECT_EQ(again->low, wide->low);
  EXPECT_EQ(again->high, wide->high);
}

// Of many experiments with samples from one distribution the true ratio lies in about 19 of 20 intervals; with few runs in fewer, as a bootstrap's are too narrow.
TEST(Figures, IntervalsOfRatiosHoldTheTruthAsOftenAsTheySay) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> noise(0, 0.2);
  for (auto [runs, least] : {std::pair(30, 0.90), {5, 0.80}}) {
    int held = 0;
    for (int experiment = 0; experiment < 200; experiment++) {
      std::vector<double> a, b;
      for (int i = 0; i < runs; i++) a.push_back(3 * noise(random)), b.push_back(4 * noise(random));
      const auto interval = ratio_interval(a, b);
      held += interval->low <= 0.75 && 0.75 <= interval->high;
    }
    EXPECT_GE(held, 200 * least) << runs;
    EXPECT_LE(held, 199) << runs;
  }
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
