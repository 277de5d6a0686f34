// What `garner doctor` says should be set: each rule speaks where its figure is large, keeps silent where it is not, and names its figures.
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "counsel.h"
#include "errors.h"

namespace garner::tool {
namespace {

struct Made {
  u64 live = 0, limit = 0, fragmented = 0, pinned = 0, finalize_pending = 0;
  double stop_ms = 0;
  u64 young = 0, copied = 0;
};

class Counselling : public ::testing::Test {
 protected:
  // A pause of `ms` at the end of each `every_ms`.
  void collections(u32 count, double every_ms, double ms, const char* kind, const char* cause, const Made& made = {}) {
    if (at_ms_ == 0) text_ += R"({"event":"heap_ready","pid":7,"start_ns":0,"door":"dotnet"})" "\n";
    for (u32 i = 0; i < count; i++) {
      at_ms_ += every_ms;
      text_ += fmt::format(R"({{"event":"cycle_end","pid":7,"index":{},"start_ns":{:.0f},"pause_ns":{:.0f},"stop_ns":{:.0f},"kind":"{}","cause":"{}","heap_after":{},"limit":{},"fragmented":{},"pinned":{},"finalize_pending":{},"young_before":{},"copied":{}}})" "\n",
                           ++index_, (at_ms_ - ms) * 1e6, ms * 1e6, made.stop_ms * 1e6, kind, cause, made.live, made.limit, made.fragmented, made.pinned, made.finalize_pending, made.young, made.copied);
    }
  }
  LogData read() const {
    std::istringstream lines(text_);
    return read_log(lines, "log");
  }
  std::string told() const {
    std::string all;
    for (const Counsel& one : counsel_of(read())) all += one.what + ": " + one.text + "\n";
    return all;
  }
  std::string text_;
  double at_ms_ = 0;
  u64 index_ = 0;
};

constexpr u64 kMB = 1'000'000;

TEST_F(Counselling, SilentWhereNothingStandsOut) {
  collections(100, 100, 2, "young1", "eden_full", {100 * kMB, 150 * kMB});
  collections(1, 1000, 10, "full", "eden_full", {100 * kMB, 150 * kMB, 1 * kMB, 100});
  EXPECT_EQ(told(), "");
  EXPECT_EQ(sum_text(read()).substr(0, 23), "101 collections, 1 full");
}

TEST_F(Counselling, ALimitNearWhatLives) {
  collections(100, 100, 20, "young1", "eden_full", {100 * kMB, 150 * kMB});
  collections(3, 1000, 100, "full", "memory_limit", {100 * kMB, 150 * kMB});
  EXPECT_NE(told().find("DOTNET_GCHeapHardLimit: 0xee6b280 ("), std::string::npos) << told(); // 250,000,000
  EXPECT_NE(told().find("3 of 3 full collections for lack of memory"), std::string::npos) << told();
  text_.clear(), at_ms_ = 0;
  collections(100, 100, 20, "young1", "eden_full", {100 * kMB, 350 * kMB});
  collections(3, 1000, 30, "full", "old_growth", {100 * kMB, 350 * kMB});
  EXPECT_EQ(told(), "") << "the limit is wide: eden's own affair";
}

// Two programs in one log: the large one has no limit, the small one enough.
TEST_F(Counselling, ALimitIsComparedWithWhatLivesInIt) {
  collections(20, 100, 20, "full", "eden_full", {2000 * kMB, 0});
  collections(20, 100, 20, "full", "eden_full", {10 * kMB, 100 * kMB});
  EXPECT_EQ(told().find("DOTNET_GCHeapHardLimit"), std::string::npos) << told();
  collections(1, 100, 20, "full", "eden_full", {~u64(0), ~u64(0)});
  EXPECT_NE(told().find("DOTNET_GCHeapHardLimit: 0x4000000000000000 ("), std::string::npos) << told();
}

TEST_F(Counselling, WhatTheProgramAskedFor) {
  for (auto [cause, words] : {std::pair("induced", "leave out GC.Collect: 20 full"), {"large_budget", "the program, or GARNER=old_growth=400: use large arrays again"}, {"low_memory", "20 full collections because its memory ran short"}}) {
    text_.clear(), at_ms_ = 0;
    collections(100, 10, 0.5, "young1", "eden_full");
    collections(20, 100, 30, "full", cause);
    EXPECT_NE(told().find(words), std::string::npos) << cause << ": " << told();
    text_.clear(), at_ms_ = 0;
    collections(1000, 10, 0.5, "young1", "eden_full");
    collections(2, 100, 30, "full", cause);
    EXPECT_EQ(told(), "") << cause << " is a small part";
  }
}

TEST_F(Counselling, FullCollectionsThatGrowthBrings) {
  collections(50, 10, 0.5, "young1", "eden_full");
  collections(3, 100, 30, "full", "old_growth", {100 * kMB});
  collections(1, 100, 30, "full", "no_room", {100 * kMB});
  EXPECT_EQ(told().rfind("GARNER=old_growth=400: where memory allows: 4 full collections (no_room 1, old_growth 3) took 120 ms of 145 ms stopped, 13 % of the time; ", 0), 0u) << told();
  text_.clear(), at_ms_ = 0;
  collections(4, 200, 30, "full", "old_growth", {100 * kMB, 900 * kMB});
  EXPECT_EQ(told().rfind("GARNER=old_growth=200: where memory allows: 4 full", 0), 0u) << "a wide limit, in which old space does not adapt: " << told();
  text_.clear(), at_ms_ = 0;
  collections(4, 200, 30, "full", "no_room", {100 * kMB, 300 * kMB});
  EXPECT_EQ(told().rfind("DOTNET_GCHeapHardLimit: 0x1dcd6500 (", 0), 0u) << told(); // five times what lives
  EXPECT_NE(told().find("95.4 MB live in a limit of 286 MB"), std::string::npos) << told();
  text_.clear(), at_ms_ = 0;
  collections(4, 1000, 30, "full", "old_growth", {100 * kMB});
  EXPECT_EQ(told(), "") << "three percent of the time";
}

TEST_F(Counselling, PausesFarAboveTheGoal) {
  collections(100, 1000, 2, "young1", "eden_full");
  collections(1, 1000, 60, "full", "old_growth", {300 * kMB});
  EXPECT_EQ(told(), "GARNER=marking=concurrent: the longest pause of a full collection (old_growth), 60.0 ms, is 6.0 times cycle.pause_goal (10.0 ms unless set); old objects, of a heap of 286 MB, are then marked beside the program; the price is processor time, and memory, as what dies meanwhile is found later\n");
  text_.clear(), at_ms_ = 0;
  collections(1, 1000, 60, "full", "old_growth", {100 * kMB});
  EXPECT_EQ(told(), "") << "of so small a heap a marking beside the program saves nothing";
  text_.clear(), at_ms_ = 0;
  collections(1, 10'000, 300, "full", "marked");
  EXPECT_EQ(told(), "");
}

TEST_F(Counselling, YoungPausesThatAreLongOneAfterAnother) {
  constexpr Made kMade = {.stop_ms = 2, .young = 100 << 20, .copied = 10 << 20};
  collections(100, 1000, 52, "young1", "eden_full", kMade);
  EXPECT_EQ(told(), "GARNER=eden_max=20m: of 100 young collections that copied, 100 stopped the program for more than 40.0 ms beside the stopping of threads, and the 95th percentile, 50.0 ms, is 5.0 times cycle.pause_goal (10.0 ms unless set), "
                    "with 100 MB of young objects; the price is collections about 5 times as often\n");
  text_.clear(), at_ms_ = 0;
  collections(100, 1000, 39, "young1", "eden_full", kMade);
  collections(4, 1000, 500, "young1", "eden_full", kMade);
  EXPECT_EQ(told(), "") << "a few of many";
  text_.clear(), at_ms_ = 0;
  collections(4, 1000, 500, "young1", "eden_full", kMade);
  EXPECT_EQ(told(), "") << "a few in all";
  collections(20, 1000, 50, "young1", "moves", {.young = 100 << 20, .copied = 10 << 20});
  EXPECT_EQ(told(), "") << "a smaller eden makes none of what moves";
}

TEST_F(Counselling, ASmallerEdenHelpsNeitherThreadsThatDoNotStopNorWhatIsAtTheLeastAlready) {
  collections(100, 1000, 52, "young1", "eden_full", {.stop_ms = 45, .young = 100 << 20, .copied = 10 << 20});
  EXPECT_EQ(told().find("eden_max"), std::string::npos) << told();
  text_.clear(), at_ms_ = 0;
  collections(100, 1000, 52, "young1", "eden_full", {.young = 100 << 20});
  EXPECT_EQ(told(), "") << "nothing was copied";
  text_.clear(), at_ms_ = 0;
  collections(100, 1000, 500, "young1", "eden_full", {.young = 20 << 20, .copied = 10 << 20});
  EXPECT_EQ(told().rfind("GARNER=eden_max=4m: ", 0), 0u) << "cycle.eden_min: " << told();
  text_.clear(), at_ms_ = 0;
  collections(100, 1000, 500, "young1", "eden_full", {.young = 6 << 20, .copied = 5 << 20});
  EXPECT_EQ(told(), "") << "cycle.eden_min is nearly reached";
}

TEST_F(Counselling, AHeapThatWasNeverCollected) {
  std::istringstream lines(R"({"event":"heap_ready","pid":7,"start_ns":0,"door":"dotnet"})" "\n"), again(lines.str());
  const LogData log = read_log(lines, "log", Keep::all, {}, Without::taken);
  EXPECT_EQ(sum_text(log), "0 collections, 0 full");
  EXPECT_TRUE(counsel_of(log).empty());
  EXPECT_THROW(read_log(again, "log"), UsageError);
}

TEST_F(Counselling, ThreadsThatDoNotStop) {
  collections(100, 100, 8, "young1", "eden_full", {.stop_ms = 5});
  EXPECT_EQ(told().rfind("processors: ", 0), 0u) << told();
  text_.clear(), at_ms_ = 0;
  collections(100, 100, 8, "young1", "eden_full", {.stop_ms = 0.5});
  EXPECT_EQ(told(), "");
}

TEST_F(Counselling, WorkersWithNothingToDo) {
  for (u64 idle : {80'000, 20'000}) {
    text_.clear(), at_ms_ = 0;
    for (u32 i = 0; i < 20; i++) {
      for (u32 worker : {0, 1})
        text_ += fmt::format(R"({{"event":"worker_phase","pid":7,"index":{},"phase":"evacuate","worker":{},"node":0,"start_ns":{},"end_ns":{},"idle_ns":{}}})" "\n", index_ + 1, worker, u64(at_ms_ * 1e6) + 1000, u64(at_ms_ * 1e6) + 101'000, idle);
      collections(1, 10, 2, "young1", "eden_full");
    }
    EXPECT_EQ(told().rfind("GARNER=workers=1: instead of 2: ", 0) == 0, idle == 80'000) << told();
  }
}

TEST_F(Counselling, PinsAndFinalizers) {
  collections(10, 100, 1, "young1", "eden_full", {100 * kMB, 0, 60 * kMB, 5000, 300'000});
  EXPECT_NE(told().find("5000 pinned objects, 57.2 MB"), std::string::npos) << told();
  EXPECT_NE(told().find("300000 objects wait for their finalizer"), std::string::npos) << told();
}

TEST_F(Counselling, TheHeaviestFirst) {
  collections(20, 100, 30, "full", "induced");
  collections(30, 100, 60, "full", "large_budget");
  EXPECT_LT(told().find("large arrays"), told().find("GC.Collect")) << told();
}

TEST(CounselOfTheMachine, EachFactThatOneWouldChange) {
  CgroupFacts cgroups;
  EXPECT_TRUE(counsel_of(cgroups, "madvise", "workers=2").empty());
  ASSERT_EQ(counsel_of(cgroups, "never", "huge_pages=auto").size(), 1u);
  EXPECT_TRUE(counsel_of(cgroups, "never", "").empty()) << "none are asked for";
  cgroups.memory = Limit<uint64_t>{uint64_t(4) << 30, "max"};
  cgroups.memory_high = Limit<uint64_t>{uint64_t(2) << 30, "high"};
  ASSERT_EQ(counsel_of(cgroups, "always", "").size(), 1u);
  EXPECT_EQ(counsel_of(cgroups, "always", "")[0].text.rfind("0x60000000 (", 0), 0u);
  cgroups.memory_high->value = uint64_t(5) << 30;
  EXPECT_TRUE(counsel_of(cgroups, "always", "").empty()) << "the limit comes first";
  EXPECT_EQ(counsel_of({}, "", "verify=both,poison=on,stress_every=10").size(), 3u);
  EXPECT_TRUE(counsel_of({}, "", "colour=blue").empty()) << "doctor tells of it as a problem";
}

} // namespace
} // namespace garner::tool
