// `garner report --longest`: which pauses come first, what a row tells of one, and when memory was at its most, of a log made by hand.
#include <sstream>

#include <gtest/gtest.h>

#include "log_longest.h"
#include "observe/log.h"

namespace garner::tool {
namespace {

constexpr u64 kMs = 1'000'000, kMB = MiB;

class Longest : public ::testing::Test {
 protected:
  template <class Payload> void add(EventId id, const Payload& payload, u32 process = 7) {
    Line line;
    ASSERT_TRUE(json_record(line, id, &payload, {0, 0, process}));
    text_ += line.c_str();
    text_ += "\n";
  }
  void ready(u32 process = 7) {
    HeapReady heap{};
    heap.workers = 2, heap.nodes = 1, heap.door = "dotnet";
    add(EventId::heap_ready, heap, process);
  }
  static CycleEnd cycle(u64 index, Kind kind, Cause cause, u64 pause_ms) {
    CycleEnd end{};
    end.index = index, end.kind = kind, end.cause = cause;
    end.start_ns = index * 1000 * kMs, end.pause_ns = pause_ms * kMs, end.stop_ns = kMs;
    return end;
  }
  LogData read() {
    std::istringstream lines(text_);
    return read_log(lines, "log");
  }
  std::string text_;
};

TEST_F(Longest, TheLongestComeFirstAndEqualOnesInTheirOrder) {
  ready();
  for (auto [index, ms] : {std::pair<u64, u64>{1, 5}, {2, 30}, {3, 5}, {4, 40}}) add(EventId::cycle_end, cycle(index, Kind::young1, Cause::eden_full, ms));
  const LogData log = read();
  std::vector<u64> order;
  for (const PauseSeen& pause : longest_pauses(log, 10)) order.push_back(pause.index);
  EXPECT_EQ(order, (std::vector<u64>{4, 2, 1, 3}));
  EXPECT_EQ(longest_pauses(log, 2).size(), 2u);
}

TEST_F(Longest, ARowTellsWhereItsTimeWentAndWhatMoved) {
  ready();
  CycleEnd end = cycle(1, Kind::full, Cause::old_growth, 100);
  end.gather_ns = 2 * kMs, end.mark_ns = 40 * kMs, end.compact_ns = 50 * kMs, end.slid = 32 * kMB, end.compacted = true;
  end.heap_before = 300 * kMB, end.heap_after = 120 * kMB, end.young_before = 16 * kMB, end.committed = 350 * kMB;
  add(EventId::cycle_end, end);
  end = cycle(2, Kind::young1, Cause::eden_full, 1);
  end.promoted = 16 * kMB, end.en_masse = true, end.heap_before = 200 * kMB, end.heap_after = 190 * kMB, end.committed = 400 * kMB, end.young_before = 16 * kMB;
  add(EventId::cycle_end, end);
  const LogData log = read();
  EXPECT_EQ(parts_text(log.longest()), "compact 50, mark 40, the rest 7") << "stopping and gathering are less than a twentieth";
  const std::string table = longest_text(log, 5, true, false);
  EXPECT_NE(table.find("| 1 | 1 | 100 | full | old_growth | compact 50, mark 40, the rest 7 | 300, 120 | 16 | 0 | 32 | 0 |\n"), std::string::npos) << table;
  EXPECT_NE(table.find("| 2 | 2 | 1 | young1 | eden_full | stopping threads 1 | 200, 190 | 16 | 0 | 0 | 16 where it lay |\n"), std::string::npos) << table;
  EXPECT_NE(table.find("- memory at its most: 400 MB committed after collection 2, of them 200 in the heap before it, 16 young; the most that a full collection left: 120 MB, by collection 1\n"), std::string::npos) << table;
}

TEST_F(Longest, OfSeveralProcessesEachIsNamedAndSizesThatTheLogLacksAreNotMadeUp) {
  for (u32 process : {7u, 8u}) {
    ready(process);
    add(EventId::cycle_end, cycle(1, Kind::young1, Cause::eden_full, process), process);
  }
  const std::string table = longest_text(read(), 1, false, false);
  EXPECT_NE(table.find("1 of process 8"), std::string::npos) << table;
  EXPECT_EQ(table.find("process 7"), std::string::npos) << "one was asked for";
  EXPECT_EQ(table.find("at its most"), std::string::npos);
}

} // namespace
} // namespace garner::tool
