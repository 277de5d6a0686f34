// `garner report --trace`: what it writes is JSON, slices of a track follow each other or lie within each other, no time is before 0, and each pause, phase and
// activity of the log is in it as long as it lasted, also of logs that contradict themselves.
#include <cmath>
#include <random>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "log_trace.h"
#include "observe/log.h"

namespace garner::tool {
namespace {

using json = nlohmann::ordered_json;

class ATrace : public ::testing::Test {
 protected:
  template <class Payload> void add(EventId id, const Payload& payload, u32 pid = 7) {
    Line line;
    ASSERT_TRUE(json_record(line, id, &payload, {1'000'000, 0, pid}));
    text_ += line.c_str();
    text_ += "\n";
  }
  void add_phase(u64 index, u32 worker, Phase phase, u64 begin, u64 end, u32 pid = 7) {
    WorkerStats stats{};
    stats.start_ns = begin, stats.end_ns = end, stats.bytes_copied = 12345;
    add(EventId::worker_phase, WorkerPhase{index, phase, worker, worker % 2, &stats}, pid);
  }
  void add_cycle(u64 index, u64 start, u64 pause, Kind kind = Kind::young1, u32 pid = 7) {
    CycleEnd end{};
    end.index = index, end.start_ns = start, end.pause_ns = pause, end.stop_ns = pause / 10, end.gather_ns = pause / 10, end.evacuate_ns = pause / 2, end.kind = kind, end.cause = Cause::induced;
    end.heap_before = 9 * MiB, end.heap_after = 4 * MiB, end.young_before = 8 * MiB, end.young_after = 3 * MiB / 2, end.old_after = 5 * MiB / 2, end.committed = 20 * MiB, end.limit = 64 * MiB, end.promoted = MiB / 2;
    add(EventId::cycle_end, end, pid);
  }
  json trace() {
    std::istringstream lines(text_);
    return json::parse(trace_of(read_log(lines, "log")))["traceEvents"];
  }
  // Of events, those that `key` names so.
  static json such(const json& events, const char* key, const std::string& value) {
    json all = json::array();
    for (const json& e : events)
      if (e.value(key, "") == value) all.push_back(e);
    return all;
  }
  static long ns(const json& us) { return std::lround(us.get<double>() * 1000); }
  // The number of slices; a failure where two of a track overlap without one being within the other, or a time is none.
  static size_t nested(const json& events) {
    std::map<std::pair<u64, u64>, std::vector<std::pair<long, long>>> tracks; // begin, and the end below 0: of slices that begin together the longest first
    size_t slices = 0;
    for (const json& e : events) {
      if (e["ph"] == "M") continue;
      EXPECT_GE(e["ts"].get<double>(), 0) << e;
      if (e["ph"] != "X") continue;
      slices++;
      EXPECT_GT(ns(e["dur"]), 0) << e;
      tracks[{e["pid"], e["tid"]}].push_back({ns(e["ts"]), -ns(e["ts"]) - ns(e["dur"])});
    }
    for (auto& [track, all] : tracks) {
      std::sort(all.begin(), all.end());
      std::vector<long> open;
      for (const auto& [begin, minus_end] : all) {
        while (!open.empty() && open.back() <= begin) open.pop_back();
        if (!open.empty()) EXPECT_LE(-minus_end, open.back()) << "track " << track.second << " at " << begin;
        open.push_back(-minus_end);
      }
    }
    return slices;
  }
  std::string text_;
};

TEST_F(ATrace, APauseIsASliceWithItsPhasesBelowItAndTheSizesOfTheHeapAsCounters) {
  HeapReady ready{};
  ready.door = "dotnet", ready.preset = "naps";
  add(EventId::heap_ready, ready);
  add_phase(1, 3, Phase::evacuate, 3'200'100, 3'700'100);
  add_cycle(1, 3'000'100, 1'000'000);
  const json events = trace();
  EXPECT_EQ(nested(events), 1u + 3 + 1);
  const json pause = such(events, "cat", "pause")[0];
  EXPECT_EQ(pause["name"], "young1");
  EXPECT_EQ(pause["pid"], 7);
  EXPECT_DOUBLE_EQ(pause["ts"].get<double>(), 2000.1) << "microseconds since the heap was made, at 1 ms of the log's clock";
  EXPECT_DOUBLE_EQ(pause["dur"].get<double>(), 1000);
  EXPECT_EQ(pause["args"]["cause"], "induced");
  EXPECT_EQ(pause["args"]["heap_before"], 9 * MiB);
  EXPECT_EQ(pause["args"]["promoted"], MiB / 2);
  std::vector<std::string> phases;
  for (const json& e : such(events, "cat", "phase"))
    if (e["tid"] == pause["tid"]) phases.push_back(fmt::format("{} {:.1f} {:.1f}", e["name"].get<std::string>(), e["ts"].get<double>(), e["dur"].get<double>()));
  EXPECT_EQ(phases, (std::vector<std::string>{"stopping threads 2000.1 100.0", "gather 2100.1 100.0", "evacuate 2200.1 500.0"}));
  const json worker = such(events, "name", "evacuate")[1];
  EXPECT_NE(worker["tid"], pause["tid"]);
  EXPECT_EQ(worker["args"], (json{{"bytes_copied", 12345}}));
  std::set<std::string> names;
  for (const json& e : events)
    if (e["ph"] == "M" && e["args"].contains("name")) names.insert(e["args"]["name"]);
  EXPECT_EQ(names, (std::set<std::string>{"Garner, preset naps", "collections", "worker 3, node 1"}));
  std::map<std::string, std::vector<double>> counted;
  for (const json& e : such(events, "ph", "C")) counted[e["name"]].push_back(e["args"]["MB"]);
  EXPECT_EQ(counted, (std::map<std::string, std::vector<double>>{{"heap", {9, 4}}, {"young", {8, 1.5}}, {"old", {2.5}}, {"large", {0}}, {"committed", {20}}, {"limit", {64}}, {"promoted", {0.5}}}));
}

TEST_F(ATrace, AnActivityThatCrossesTheEdgeOfAPhaseIsTwoSlicesOfItsLength) {
  add_phase(1, 0, Phase::evacuate, 1'300'000, 1'600'000);
  const u64 total[] = {0, 0, 0, 0, 0};
  const Span spans[] = {{Activity::waits, 1'100'000, 1'400'000}, {Activity::copies, 1'400'000, 1'600'000}, {Activity::terminates, 1'600'000, 1'700'000}};
  add(EventId::spans, WorkerSpans{1, 0, 0, total, spans, 3});
  add_cycle(1, 1'000'000, 1'000'000);
  const json events = trace(), activities = such(events, "cat", "activity");
  nested(events);
  ASSERT_EQ(activities.size(), 4u);
  EXPECT_EQ(activities[0]["name"], "wait");
  EXPECT_EQ(activities[1]["name"], "wait");
  EXPECT_EQ(ns(activities[0]["dur"]), 200'000);
  EXPECT_EQ(ns(activities[1]["dur"]), 100'000);
  EXPECT_EQ(ns(activities[2]["dur"]), 200'000);
  EXPECT_EQ(activities[3]["name"], "termination");
}

TEST_F(ATrace, ProcessesHaveTracksOfTheirOwnOnOneClock) {
  add_cycle(1, 5'000'000, 1000, Kind::young0, 8);
  add_cycle(1, 4'000'000, 2000, Kind::full, 9);
  const json pauses = such(trace(), "cat", "pause");
  ASSERT_EQ(pauses.size(), 2u);
  EXPECT_EQ(pauses[0]["pid"], 8);
  EXPECT_EQ(ns(pauses[0]["ts"]), 1'000'000);
  EXPECT_EQ(ns(pauses[1]["ts"]), 0);
}

TEST_F(ATrace, ProcessesOfOnePidHaveTracksOfTheirOwnToo) {
  for (u64 start : {4'000'000, 5'000'000}) {
    add(EventId::heap_ready, HeapReady{.door = "dotnet", .preset = ""}, 1);
    add_cycle(1, start, 1000, Kind::young0, 1);
  }
  const json events = trace(), pauses = such(events, "cat", "pause");
  ASSERT_EQ(pauses.size(), 2u);
  EXPECT_EQ(pauses[0]["pid"], 1);
  EXPECT_NE(pauses[1]["pid"], 1);
  EXPECT_EQ(such(events, "name", "process_name")[1]["args"]["name"], "Garner, process 1#2");
}

TEST_F(ATrace, ASimulationSaysThatItIsOne) {
  HeapReady ready{};
  ready.door = "simulated", ready.preset = "ps";
  add(EventId::heap_ready, ready, 0);
  add_cycle(3, 5'000'000, 1000, Kind::young0, 0);
  const json events = trace();
  EXPECT_EQ(such(events, "name", "process_name")[0]["args"]["name"], "Garner, preset ps, simulated");
  for (const json& e : events) EXPECT_EQ(e["pid"], 1) << "0 would be the idle process";
}

TEST_F(ATrace, RecordsThatContradictEachOtherAreCutUntilTheyFit) {
  std::mt19937_64 random(1);
  const auto any = [&](u64 below) { return u64(random() % below); };
  for (int round = 0; round < 50; round++) {
    text_.clear();
    for (u64 index = 1; index <= 6; index++) {
      for (u32 worker = 0; worker < 3; worker++) {
        for (Phase phase : {Phase::evacuate, Phase::weak, Phase::evacuate}) add_phase(index, worker, phase, any(10'000), any(10'000));
        Span spans[20];
        for (Span& s : spans) s = {Activity(any(kActivities)), any(10'000), any(10'000)};
        const u64 total[] = {1, 2, 3, 4, 5};
        add(EventId::spans, WorkerSpans{index, worker, worker, total, spans, 20});
      }
      add_cycle(index, any(8'000), 1 + any(4'000), Kind(any(3)));
    }
    EXPECT_GT(nested(trace()), 5u) << "round " << round;
  }
}

} // namespace
} // namespace garner::tool
