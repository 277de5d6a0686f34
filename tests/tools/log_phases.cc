// `garner report --phases`: the sums of a log made by hand, their cells and their limits against figures that can be worked out by hand; what a log does not tell has none.
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "log_phases.h"
#include "observe/log.h"

namespace garner::tool {
namespace {

constexpr u64 kMs = 1'000'000;
constexpr MemoryRates kRates = {2, 5, 150}; // 5 GB/s, 150 million lines a second

class Phases : public ::testing::Test {
 protected:
  template <class Payload> void add(EventId id, const Payload& payload) {
    Line line;
    ASSERT_TRUE(json_record(line, id, &payload, {0, 0, 7}));
    text_ += line.c_str();
    text_ += "\n";
  }
  void ready(const char* door = "dotnet") {
    HeapReady heap{};
    heap.workers = 2, heap.nodes = 1, heap.door = door;
    add(EventId::heap_ready, heap);
  }
  void worker(u64 index, Phase phase, u32 number, WorkerStats stats) {
    stats.start_ns = 1, stats.end_ns = 2;
    add(EventId::worker_phase, WorkerPhase{index, phase, number, 0, &stats});
  }
  static CycleEnd cycle(u64 index, Kind kind, Cause cause, u64 pause_ms) {
    CycleEnd end{};
    end.index = index, end.kind = kind, end.cause = cause;
    end.start_ns = index * 1000 * kMs, end.pause_ns = pause_ms * kMs, end.stop_ns = kMs;
    return end;
  }
  // Two young collections of 10 ms, each with 100,000 objects of 48 bytes copied in 5 ms by two workers, and 300 roots.
  void two_young() {
    for (u64 index : {1, 2}) {
      worker(index, Phase::evacuate, 0, {.roots = 300, .objects_copied = 60'000, .bytes_copied = 2'880'000, .slots = 150'000, .cards = 40});
      worker(index, Phase::evacuate, 1, {.objects_copied = 40'000, .bytes_copied = 1'920'000, .slots = 50'000, .cards = 10});
      CycleEnd end = cycle(index, index == 1 ? Kind::young0 : Kind::young1, Cause::eden_full, 10);
      end.roots = 300, end.gather_ns = 300'000, end.evacuate_ns = 5 * kMs, end.weak_ns = kMs, end.finish_ns = 200'000;
      add(EventId::cycle_end, end);
    }
  }
  // A full one of 100 ms that marks a million objects of 64 bytes in 40 ms, and slides half of them in 30.
  void one_full() {
    worker(3, Phase::mark, 0, {.roots = 200, .objects_marked = 600'000, .bytes_marked = 38'400'000, .slots = 2'000'000});
    worker(3, Phase::mark, 1, {.roots = 100, .objects_marked = 400'000, .bytes_marked = 25'600'000, .slots = 1'000'000});
    CycleEnd end = cycle(3, Kind::full, Cause::induced, 100);
    end.roots = 300, end.gather_ns = kMs, end.mark_ns = 40 * kMs, end.compact_ns = 30 * kMs, end.slid = 32'000'000, end.compacted = true;
    add(EventId::cycle_end, end);
  }
  LogData read() {
    std::istringstream lines(text_);
    return read_log(lines, "log");
  }
  // The row of the kind and phase, as words that two spaces or more divide; empty without one.
  static std::vector<std::string> cells(const std::string& table, const std::string& kind, const std::string& phase) {
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> words;
      for (size_t at = 0; at < line.size();) {
        const size_t end = std::min(line.find("  ", at), line.size());
        words.push_back(line.substr(at, end - at));
        at = std::min(line.find_first_not_of(' ', end), line.size());
      }
      if (words.size() > 1 && words[0] == kind && words[1] == phase) return words;
    }
    return {};
  }
  static PhaseRow row(const LogData& log, const std::string& kind, const std::string& phase) {
    for (const PhaseRow& r : phase_rows(log))
      if (r.kind == kind && r.phase == phase) return r;
    return {};
  }
  std::string text_;
};

TEST_F(Phases, CellsAreTheSumsOfTheRecordsAndTheirLimits) {
  ready();
  two_young();
  one_full();
  const std::string table = phases_text(read(), kRates, false, false);
  using Cells = std::vector<std::string>;
  EXPECT_EQ(table.substr(0, table.find('\n')).substr(0, 11), "collections");
  EXPECT_EQ(cells(table, "young", "stopping threads"), (Cells{"young", "stopping threads", "2", "2", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"}));
  EXPECT_EQ(cells(table, "young", "gather"), (Cells{"young", "gather", "2", "0.60", "600", "-", "-", "-", "-", "-", "1000", "-", "-", "-"}));
  // 1.5 x 200,000 lines at 150 a microsecond are 2 ms, and 9.6 MB at 5 GB/s are 1.92.
  EXPECT_EQ(cells(table, "young", "evacuate"), (Cells{"young", "evacuate", "2", "10", "-", "200000", "400000", "100", "9.16", "9.16", "50", "0.96", "3.92", "39 %"}));
  EXPECT_EQ(cells(table, "young", "weak"), (Cells{"young", "weak", "2", "2", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"}));
  EXPECT_EQ(cells(table, "young", "the rest")[3], "5") << "10 - 1 - 0.3 - 5 - 1 - 0.2, twice";
  EXPECT_EQ(cells(table, "young", "pause")[3], "20");
  EXPECT_TRUE(cells(table, "young", "mark").empty());
  EXPECT_EQ(cells(table, "full", "gather"), (Cells{"full", "gather", "1", "1", "300", "-", "-", "-", "-", "-", "3333", "-", "-", "-"}));
  EXPECT_EQ(cells(table, "full", "mark"), (Cells{"full", "mark", "1", "40", "-", "1000000", "3000000", "-", "61.0", "-", "40", "1.60", "10", "25 %"}));
  // 32 MB copied and 32 MB read: 48 MB at 5 GB/s.
  EXPECT_EQ(cells(table, "full", "compact"), (Cells{"full", "compact", "1", "30", "-", "1000000", "-", "-", "61.0", "30.5", "30", "2.13", "9.60", "32 %"}));
  EXPECT_NE(table.find("copies 5 GB/s and reads 150 million lines of 64 bytes at random a second, measured now with 2 threads\n"), std::string::npos) << table;
  EXPECT_NE(table.find(kLimitWords), std::string::npos);
}

TEST_F(Phases, TimesOfAKindAddUpToItsPauses) {
  ready();
  two_young();
  one_full();
  std::map<std::string, double> sums, pauses;
  for (const PhaseRow& r : phase_rows(read())) (r.phase == "pause" ? pauses : sums)[r.kind] += r.ns;
  EXPECT_EQ(sums, pauses);
  EXPECT_EQ(pauses, (std::map<std::string, double>{{"young", 20e6}, {"full", 100e6}}));
}

TEST_F(Phases, TheEndOfAMarkingIsAKindOfItsOwnAndHasRootsTwice) {
  ready();
  worker(1, Phase::evacuate, 0, {.roots = 300, .objects_copied = 10, .bytes_copied = 480});
  worker(1, Phase::mark, 0, {.roots = 310, .objects_marked = 20, .bytes_marked = 960});
  CycleEnd end = cycle(1, Kind::full, Cause::marked, 10);
  end.roots = 300, end.gather_ns = 2 * kMs, end.evacuate_ns = kMs, end.mark_ns = kMs, end.compact_ns = kMs;
  add(EventId::cycle_end, end);
  const LogData log = read();
  EXPECT_EQ(row(log, "marked", "gather").roots, 610);
  EXPECT_EQ(row(log, "marked", "evacuate").objects, 10);
  EXPECT_EQ(row(log, "marked", "mark").objects, 20);
  EXPECT_EQ(row(log, "marked", "compact").limit_ns(kRates), 0) << "old space is swept where it lies";
  EXPECT_EQ(row(log, "full", "mark").count, 0u);
}

TEST_F(Phases, WhatYoungCollectionsMoveIsCopied) {
  ready();
  CycleEnd end = cycle(1, Kind::young1, Cause::eden_full, 10);
  end.gather_ns = end.compact_ns = kMs, end.moved = 1'000'000;
  add(EventId::cycle_end, end);
  EXPECT_DOUBLE_EQ(row(read(), "young", "compact").limit_ns(kRates), 200'000);
}

TEST_F(Phases, WithoutRatesOrInASimulationThereIsNoLimit) {
  ready("simulated");
  two_young();
  const std::string table = phases_text(read(), std::nullopt, false, false);
  EXPECT_EQ(cells(table, "young", "evacuate").size(), 12u);
  EXPECT_EQ(table.substr(0, table.find('\n')).find("limit"), std::string::npos);
  EXPECT_NE(table.find("\ntimes are the simulated machine's"), std::string::npos);
  EXPECT_EQ(table.find("measured now"), std::string::npos);
}

TEST_F(Phases, OfALogWithoutWhatSlidCompactionHasNoLimit) {
  ready();
  one_full();
  const std::string key = ",\"slid\":32000000";
  text_.erase(text_.find(key), key.size());
  const std::string table = phases_text(read(), kRates, false, false);
  const std::vector<std::string> compact = cells(table, "full", "compact");
  ASSERT_EQ(compact.size(), 14u) << table;
  EXPECT_EQ(compact[9], "-");
  EXPECT_EQ(compact[13], "-");
  EXPECT_EQ(cells(table, "full", "mark")[13], "25 %");
}

TEST_F(Phases, ALogWithoutDurationsHasNoRows) {
  text_ = R"({"event":"cycle_end","pid":7,"index":1,"start_ns":1000,"pause_ns":100,"stop_ns":1,"kind":"young1"})" "\n";
  EXPECT_TRUE(phase_rows(read()).empty());
}

TEST_F(Phases, NumbersThatNoMachineHasGiveATableStill) {
  text_ = R"({"event":"worker_phase","pid":7,"index":1,"phase":"evacuate","worker":0,"node":0,"start_ns":1,"end_ns":2,"objects_copied":18446744073709551615,"bytes_copied":18446744073709551615})" "\n"
          R"({"event":"cycle_end","pid":7,"index":1,"start_ns":1,"pause_ns":1,"evacuate_ns":1e19,"kind":"|</td>","cause":"marked","slid":1e19})" "\n"
          R"({"event":"cycle_end","pid":7,"index":2,"start_ns":1,"pause_ns":1,"evacuate_ns":1e-300,"compact_ns":1e-5,"kind":"young1","moved":18446744073709551615})" "\n";
  const std::string table = phases_text(read(), kRates, true, false);
  EXPECT_EQ(table.find("nan"), std::string::npos);
  EXPECT_EQ(table.find("inf"), std::string::npos);
}

TEST_F(Phases, TheMachineIsMeasured) {
  const MemoryRates rates = memory_rates(2, 0.01);
  EXPECT_EQ(rates.threads, 2u);
  for (double rate : {rates.copied_gb, rates.lines_per_us}) {
    EXPECT_TRUE(std::isfinite(rate));
    EXPECT_GT(rate, 0);
  }
}

} // namespace
} // namespace garner::tool
