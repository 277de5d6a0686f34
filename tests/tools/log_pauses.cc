// What `garner report` makes of a log's pauses: percentiles, lengths, causes, and the least that windows of time leave to the program, against cases that can be
// worked out by hand and against every window of short runs.
#include <random>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "log_pauses.h"

namespace garner::tool {
namespace {

constexpr double kMs = 1e6;

class Pauses : public ::testing::Test {
 protected:
  void made(u64 pid, double ms, const char* door = "dotnet") { text_ += fmt::format(R"({{"event":"heap_ready","pid":{},"start_ns":{:.0f},"door":"{}"}})" "\n", pid, ms * kMs, door); }
  void pause(u64 pid, u64 index, double at_ms, double ms, const char* kind = "young1", const char* cause = "eden_full") {
    text_ += fmt::format(R"({{"event":"cycle_end","pid":{},"index":{},"start_ns":{:.0f},"pause_ns":{:.0f},"kind":"{}","cause":"{}"}})" "\n", pid, index, at_ms * kMs, ms * kMs, kind, cause);
  }
  LogData read() {
    std::istringstream lines(text_);
    return read_log(lines, "log");
  }
  std::string text_;
};

RunSeen run_of(double ms, std::vector<std::pair<double, double>> pauses) {
  for (auto& [from, to] : pauses) from *= kMs, to *= kMs;
  return {7, 0, ms * kMs, pauses};
}

TEST_F(Pauses, PercentilesOfAThousandAreTheirRanksForEachKindAndForBoth) {
  for (u64 i = 1; i <= 1000; i++) pause(7, i, double(i) * 2000, double(i * 7 % 1000 == 0 ? 1000 : i * 7 % 1000), i * 7 % 1000 > 900 ? "full" : "young1"); // 1 to 1000, each once
  const std::vector<PauseRow> rows = pause_rows(read());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].kind, "young");
  EXPECT_EQ(rows[1].kind, "full");
  EXPECT_EQ(rows[2].kind, "together");
  EXPECT_EQ(rows[0].count + rows[1].count, 1000u);
  EXPECT_EQ(rows[1].count, 99u) << "901 to 999; 1000 is a young one";
  EXPECT_DOUBLE_EQ(rows[1].p50_ms, 950);
  const PauseRow& all = rows[2];
  EXPECT_EQ(all.count, 1000u);
  for (auto [is, value] : {std::pair{all.p50_ms, 500.}, {all.p90_ms, 900.}, {all.p99_ms, 990.}, {all.p999_ms, 999.}, {all.longest_ms, 1000.}, {all.total_ms, 500500.}}) EXPECT_DOUBLE_EQ(is, value);
}

TEST_F(Pauses, ALogOfOneKindHasOneRowAndOnePauseIsEachPercentile) {
  pause(7, 1, 10, 3, "full");
  const std::vector<PauseRow> rows = pause_rows(read());
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].kind, "full");
  for (double is : {rows[0].p50_ms, rows[0].p90_ms, rows[0].p99_ms, rows[0].p999_ms, rows[0].longest_ms, rows[0].total_ms}) EXPECT_DOUBLE_EQ(is, 3);
}

TEST_F(Pauses, ABucketHoldsWhatItsEdgesSayAndEmptyOnesAreThereToo) {
  const double lengths[] = {0.63, 0.99, 1, 1.59, 1.6, 6.299, 6.3};
  u64 index = 0;
  for (double ms : lengths) index++, pause(7, index, double(index) * 100, ms, ms == 1 ? "full" : "young0");
  const std::vector<PauseBucket> buckets = pause_buckets(read());
  struct Wanted { double from, to; size_t young, full; };
  const Wanted wanted[] = {{0.63, 1, 2, 0}, {1, 1.6, 1, 1}, {1.6, 2.5, 1, 0}, {2.5, 4, 0, 0}, {4, 6.3, 1, 0}, {6.3, 10, 1, 0}};
  ASSERT_EQ(buckets.size(), std::size(wanted));
  for (size_t i = 0; i < buckets.size(); i++) {
    EXPECT_DOUBLE_EQ(buckets[i].from_ms, wanted[i].from);
    EXPECT_DOUBLE_EQ(buckets[i].to_ms, wanted[i].to);
    EXPECT_EQ(buckets[i].young, wanted[i].young) << buckets[i].from_ms;
    EXPECT_EQ(buckets[i].full, wanted[i].full) << buckets[i].from_ms;
  }
}

TEST_F(Pauses, EachPauseOfAnyLengthIsInOneBucket) {
  u64 index = 0;
  for (double ms = 1e-6; ms < 1e12; ms *= 1.37) index++, pause(7, index, 1, ms);
  text_ += R"({"event":"cycle_end","pid":7,"index":1000,"start_ns":1,"pause_ns":1e-320})" "\n"; // none that a clock tells
  index++;
  size_t held = 0;
  double before = 0;
  for (const PauseBucket& bucket : pause_buckets(read())) {
    held += bucket.young;
    EXPECT_LT(bucket.from_ms, bucket.to_ms);
    if (before != 0) EXPECT_DOUBLE_EQ(bucket.from_ms, before);
    before = bucket.to_ms;
  }
  EXPECT_EQ(held, index);
}

TEST_F(Pauses, CausesAreCountedAndTheCostliestComesFirst) {
  pause(7, 1, 10, 2, "young1", "eden_full");
  pause(7, 2, 20, 3, "full", "eden_full");
  pause(7, 3, 30, 9, "full", "induced");
  const std::vector<CauseRow> rows = cause_rows(read());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].cause, "induced");
  EXPECT_EQ(rows[1].cause, "eden_full");
  EXPECT_EQ(rows[1].count, 2u);
  EXPECT_EQ(rows[1].full, 1u);
  EXPECT_DOUBLE_EQ(rows[1].total_ms, 5);
  EXPECT_DOUBLE_EQ(rows[1].longest_ms, 3);
}

TEST_F(Pauses, ARunBeginsWithItsHeapOrWhereTheLogBegins) {
  made(7, 5), made(8, 6);
  pause(7, 1, 10, 2), pause(7, 2, 40, 10);
  pause(8, 3, 20, 4), pause(8, 4, 30, 4); // the first two are not in the log
  pause(9, 1, 20, 4);                     // never seen to run
  const std::vector<RunSeen> runs = runs_of(read());
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].pid, 7u);
  EXPECT_DOUBLE_EQ(runs[0].begin_ns, 5 * kMs);
  EXPECT_DOUBLE_EQ(runs[0].ns(), 45 * kMs);
  EXPECT_DOUBLE_EQ(runs[0].stopped_ns(), 12 * kMs);
  EXPECT_DOUBLE_EQ(runs[1].begin_ns, 20 * kMs);
  EXPECT_DOUBLE_EQ(runs[1].end_ns, 34 * kMs);
}

TEST_F(Pauses, OfASimulatedHeapNoProgramRuns) {
  made(0, 0, "simulated");
  pause(0, 1, 10, 2);
  EXPECT_TRUE(runs_of(read()).empty());
}

TEST_F(Pauses, PausesThatMeetAreOneWhateverTheirOrder) {
  made(7, 0);
  pause(7, 1, 30, 10), pause(7, 2, 10, 5), pause(7, 3, 12, 6), pause(7, 4, 18, 2), pause(7, 5, 31, 1);
  const std::vector<RunSeen> runs = runs_of(read());
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].pauses, (std::vector<std::pair<double, double>>{{10 * kMs, 20 * kMs}, {30 * kMs, 40 * kMs}}));
}

TEST(LeastRunning, WithoutPausesTheProgramRunsInEveryWindow) {
  for (double ms : {0.001, 1., 99., 100.}) EXPECT_DOUBLE_EQ(least_running(run_of(100, {}), ms * kMs), 1);
}

TEST(LeastRunning, OnePauseLeavesNothingOfAWindowThatItFillsAndTheRestOfALongerOne) {
  for (double begin : {0., 40., 90.}) { // also at the run's ends
    const RunSeen run = run_of(100, {{begin, begin + 10}});
    for (double ms : {1., 5., 10.}) EXPECT_DOUBLE_EQ(least_running(run, ms * kMs), 0) << ms;
    for (double ms : {11., 20., 60., 100.}) EXPECT_NEAR(least_running(run, ms * kMs), 1 - 10 / ms, 1e-12) << ms;
  }
}

TEST(LeastRunning, TwoPausesNearerThanTheWindowCountTogether) {
  const RunSeen run = run_of(1000, {{500, 502}, {506, 509}}); // 2 and 3 ms, 4 ms apart
  for (auto [window, stopped] : {std::pair{2., 2.}, {3., 3.}, {5., 3.}, {7., 3.}, {8., 4.}, {9., 5.}, {10., 5.}, {100., 5.}, {1000., 5.}}) EXPECT_NEAR(least_running(run, window * kMs), 1 - stopped / window, 1e-12) << window;
}

TEST(LeastRunning, IsTheWorstOfAllWindowsOfShortRuns) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; round++) {
    const int length = 20 + int(random() % 60);
    std::vector<bool> stopped(size_t(length), false);
    RunSeen run{7, 1000, 1000.0 + length, {}};
    for (int at = int(random() % 10); at < length;) {
      const int end = std::min(length, at + 1 + int(random() % 6));
      std::fill(stopped.begin() + at, stopped.begin() + end, true);
      run.pauses.push_back({1000 + at, 1000 + end});
      at = end + 1 + int(random() % 12);
    }
    for (int window = 1; window <= length; window++) {
      long most = 0;
      for (int from = 0; from + window <= length; from++) most = std::max(most, std::count(stopped.begin() + from, stopped.begin() + from + window, true));
      ASSERT_NEAR(least_running(run, window), 1 - double(most) / window, 1e-12) << "round " << round << ", window " << window;
    }
  }
}

TEST(LeastRunning, TheCurveGoesFromAMillisecondToTheRunInTenStepsForEachPowerOfTen) {
  const std::vector<LeastRunning> curve = least_running({run_of(250, {{100, 110}})});
  ASSERT_EQ(curve.size(), 25u); // 1 to 251.2 would be 25 steps; the last is the run
  EXPECT_DOUBLE_EQ(curve[0].window_ns, kMs);
  EXPECT_DOUBLE_EQ(curve[10].window_ns, 10 * kMs);
  EXPECT_DOUBLE_EQ(curve[20].window_ns, 100 * kMs);
  EXPECT_DOUBLE_EQ(curve[24].window_ns, 250 * kMs);
  EXPECT_DOUBLE_EQ(curve[10].share, 0);
  EXPECT_NEAR(curve[20].share, 0.9, 1e-12);
  EXPECT_NEAR(curve[24].share, 0.96, 1e-12);
  EXPECT_TRUE(least_running(std::vector<RunSeen>{}).empty());
}

TEST(LeastRunning, OfTwoProcessesTheWorseCountsAsFarAsItRan) {
  const RunSeen calm = run_of(1000, {{500, 501}}), busy = run_of(50, {{10, 30}});
  const std::vector<LeastRunning> curve = least_running({calm, busy});
  for (const LeastRunning& one : curve) {
    const double ms = one.window_ns / kMs, of_calm = std::max(0., 1 - 1 / ms), of_busy = std::max(0., 1 - 20 / ms);
    EXPECT_NEAR(one.share, ms <= 50 ? of_busy : of_calm, 1e-9) << ms;
  }
  EXPECT_DOUBLE_EQ(curve.back().window_ns, 1000 * kMs);
}

} // namespace
} // namespace garner::tool
