// The page of `garner report`: every figure is there, drawn and as JSON, and its numbers are the sums of the log's records. N27, T15. A log that is cut off, of
// another kind, or malicious is told of in one line, or its lines are counted and passed over.
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "errors.h"
#include "log_page.h"
#include "log_series.h"
#include "observe/log.h"

namespace garner::tool {
namespace {

using json = nlohmann::ordered_json;

class ALog : public ::testing::Test {
 protected:
  void TearDown() override { remove(path_.c_str()); }
  template <class Payload> void add(EventId id, const Payload& payload, u32 pid = 7) {
    Line line;
    ASSERT_TRUE(json_record(line, id, &payload, {5'000'000, 0, pid}));
    text_ += line.c_str();
    text_ += "\n";
  }
  void add_cycle(u64 index, u64 start, u64 pause, Kind kind = Kind::young0, u32 pid = 7) {
    CycleEnd end{};
    end.index = index, end.start_ns = start, end.pause_ns = pause, end.stop_ns = 40'000, end.gather_ns = pause / 10, end.evacuate_ns = pause / 2, end.weak_ns = pause / 10, end.kind = kind;
    add(EventId::cycle_end, end, pid);
  }
  LogData read() {
    std::ofstream(path_, std::ios::binary) << text_;
    return read_log(path_);
  }
  static json figure(const json& all, const std::string& title) {
    for (const json& one : all)
      if (one["title"].get<std::string>().rfind(title, 0) == 0) return one;
    return nullptr;
  }
  static json element(const std::string& page, const std::string& id) {
    const std::string open = "<script type=\"application/json\" id=\"" + id + "\">";
    const size_t begin = page.find(open) + open.size();
    return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  }
  static double sum(const json& numbers) {
    double all = 0;
    for (const json& v : numbers.flatten()) all += v.is_number() ? v.get<double>() : 0;
    return all;
  }
  std::string refused() {
    try {
      read();
    } catch (const UsageError& error) {
      return error.what();
    }
    return "(read)";
  }
  std::string path_ = ::testing::TempDir() + "garner-log-page-" + std::to_string(getpid());
  std::string text_;
};

// Two collections on two nodes, three workers.
class TwoNodes : public ALog {
 protected:
  void SetUp() override {
    HeapReady ready{};
    ready.nodes = 2, ready.workers = 3, ready.door = "dotnet", ready.preset = "naps";
    add(EventId::heap_ready, ready);
    const u64 near[] = {10, 21}, far[] = {21, 10};
    add(EventId::node_distances, NodeDistances{0, 2, near});
    add(EventId::node_distances, NodeDistances{1, 2, far});
    for (u64 index : {1, 2}) {
      const u64 start = index * 1'000'000'000, held[] = {3 * MiB, MiB}, accesses[] = {30, 10}, bytes[] = {3000, 1000}, from[] = {4, 6}, objects[] = {80, 20};
      add(EventId::node_bytes, NodeBytes{index, SpaceKind::eden, 2, 0, 0, held});
      add(EventId::locality, NodeLocality{index, 1, 2, objects});
      for (u32 worker : {0u, 1u, 2u}) {
        WorkerStats stats{};
        stats.start_ns = start + 100, stats.end_ns = start + 900, stats.bytes_copied = MiB * (worker + 1), stats.steals = 5, stats.steals_remote = 2;
        add(EventId::worker_phase, WorkerPhase{index, Phase::evacuate, worker, worker % 2, &stats});
        const u64 total[] = {100'000, 200'000, 300'000, 50'000, 150'000};
        const Span spans[] = {{Activity::roots, start + 100'000, start + 300'000}, {Activity::copies, start + 300'000, start + 600'000}, {Activity::terminates, start + 700'000, start + 850'000}};
        add(EventId::spans, WorkerSpans{index, worker, worker % 2, total, spans, 3});
      }
      for (u32 node : {0u, 1u}) {
        add(EventId::node_uses, NodeUses{index, SpaceKind::eden, node, 2, accesses, bytes});
        add(EventId::steals, Steals{index, node, 2, from});
      }
      add_cycle(index, start, 1'000'000 * index, index == 2 ? Kind::full : Kind::young0);
    }
  }
};

TEST_F(TwoNodes, N27TheFiguresAreTheSumsOfTheRecords) {
  const LogData log = read();
  EXPECT_EQ(log.bad_lines, 0u);
  const json all = figures_of(log);
  EXPECT_EQ(figure(all, "Pauses")["points"].size(), 2u);
  EXPECT_DOUBLE_EQ(figure(all, "Pauses")["points"][1]["ms"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(figure(all, "Pauses")["points"][1]["s"].get<double>(), 1);
  EXPECT_EQ(figure(all, "Pauses")["points"][1]["kind"], "full");
  const json times = figure(all, "What workers' time");
  ASSERT_EQ(times["by_worker"].size(), 3u);
  for (const json& worker : times["by_worker"]) EXPECT_DOUBLE_EQ(sum(worker["ms"]), 2 * 0.8);
  EXPECT_DOUBLE_EQ(times["by_worker"][2]["ms"][u32(Activity::copies)].get<double>(), 0.6);
  const json line = figure(all, "Workers in the longest");
  EXPECT_EQ(line["workers"], 3u);
  ASSERT_EQ(line["spans"].size(), 9u) << "the spans, not the whole phases";
  double copying = 0;
  for (const json& span : line["spans"]) copying += span[1] == u32(Activity::copies) ? span[3].get<double>() - span[2].get<double>() : 0;
  EXPECT_DOUBLE_EQ(copying, 900'000);
  EXPECT_EQ(line["phases"], (json{{"gather", 40'000.0, 240'000.0}, {"evacuate", 240'000.0, 1'240'000.0}, {"weak", 1'240'000.0, 1'440'000.0}}));
  EXPECT_EQ(line["stop_ns"], 40'000.0);
  const json moved = figure(all, "Bytes copied or marked");
  EXPECT_EQ(moved["series"]["moved"], (json{8.0, 4.0}));
  EXPECT_NEAR(moved["imbalance"].get<double>(), 1.0 / 3, 1e-9) << "shares 2/3 and 1/3: their deviation 1/6 over the mean 1/2";
  EXPECT_EQ(figure(all, "Bytes of each space")["series"]["eden"], (json{3.0, 1.0})) << "the mean of two collections";
  EXPECT_EQ(figure(all, "Accesses by workers")["series"]["eden"], (json{120.0, 40.0}));
  EXPECT_EQ(figure(all, "Bytes read or written")["series"]["eden"], (json{12000.0 / MiB, 4000.0 / MiB}));
  const json space = figure(all, "Each space")["rows"][0];
  EXPECT_EQ(space["accesses"], 160);
  EXPECT_DOUBLE_EQ(space["remote_accesses"].get<double>(), 0.5);
  EXPECT_NEAR(space["imbalance"].get<double>(), 0.5, 1e-9);
  EXPECT_EQ(figure(all, "Accesses to eden")["rows"], (json{{60.0, 20.0}, {60.0, 20.0}}));
  const json distance = figure(all, "Steals by distance");
  EXPECT_EQ(distance["xs"], (json{"10 (same node)", "21"}));
  EXPECT_EQ(distance["series"]["steals"], (json{20.0, 20.0}));
  EXPECT_EQ(figure(all, "Steals by node")["rows"], (json{{8.0, 12.0}, {8.0, 12.0}}));
  const json locality = figure(all, "Locality");
  EXPECT_EQ(locality["rows"][1], (json{160.0, 40.0}));
  EXPECT_DOUBLE_EQ(locality["remote"].get<double>(), 0.8) << "T15: off the diagonal";
}

TEST_F(TwoNodes, OneRecordForEachWorkerAndCollectionHasTheSumsOfItsPhases) {
  // A second phase of worker 1 in the second collection, with another number in every field.
  WorkerStats stats{};
  u64 next = 1000;
  for (const WorkerKey& key : kWorkerKeys) stats.*key.at = next += 7;
  stats.start_ns = 2'000'000'050, stats.end_ns = 2'000'000'080, stats.steals_remote = 3;
  add(EventId::worker_phase, WorkerPhase{2, Phase::cards, 1, 1, &stats});
  std::vector<json> lines;
  each_worker(read(), [&](const std::string& line) { lines.push_back(json::parse(line)); });
  ASSERT_EQ(lines.size(), 6u);
  for (size_t i = 0; i < 6; i++) {
    EXPECT_EQ(lines[i]["event"], "worker");
    EXPECT_EQ(lines[i]["pid"], 7);
    EXPECT_EQ(lines[i]["index"], i / 3 + 1);
    EXPECT_EQ(lines[i]["worker"], i % 3);
    EXPECT_EQ(lines[i]["node"], i % 3 % 2);
    EXPECT_EQ(lines[i]["kind"], i < 3 ? "young0" : "full");
    EXPECT_EQ(lines[i]["pause_ns"], 1'000'000 * (i / 3 + 1));
    EXPECT_EQ(lines[i]["activity_ns"], (json{{"wait", 100'000}, {"roots", 200'000}, {"copy", 300'000}, {"steal", 50'000}, {"termination", 150'000}}));
    EXPECT_EQ(lines[i].begin().key(), "event");
  }
  EXPECT_EQ(lines[2]["bytes_copied"], 3 * MiB);
  EXPECT_EQ(lines[2]["steals_near"], 3);
  EXPECT_EQ(lines[2]["phase_ns"], (json{{"evacuate", 800}}));
  const json& both = lines[4];
  EXPECT_EQ(both["phase_ns"], (json{{"cards", 30}, {"evacuate", 800}}));
  EXPECT_EQ(both["start_ns"], 2'000'000'050);
  EXPECT_EQ(both["end_ns"], 2'000'000'900);
  WorkerStats first{};
  first.bytes_copied = 2 * MiB, first.steals = 5, first.steals_remote = 2;
  for (const WorkerKey& key : kWorkerKeys) EXPECT_EQ(both[key.name].get<u64>(), stats.*key.at + first.*key.at) << key.name;
  EXPECT_EQ(both["steals_near"].get<u64>(), stats.steals + 5 - stats.steals_remote - 2);
  // Whatever the log's record of a worker has stands in it by the same name.
  Line record;
  const WorkerPhase phase{2, Phase::cards, 1, 1, &stats};
  ASSERT_TRUE(json_record(record, EventId::worker_phase, &phase, {0, 0, 7}));
  const json told = json::parse(record.c_str());
  for (const auto& [key, value] : told.items())
    if (key != "phase") EXPECT_TRUE(both.contains(key)) << key;
}

TEST_F(TwoNodes, ThePageHoldsEveryFigureAndAsksForNothing) {
  const LogData log = read();
  const std::string page = draw_log(log);
  const json all = figures_of(log);
  const auto count = [&](const std::string& what) {
    size_t times = 0;
    for (size_t at = 0; (at = page.find(what, at)) != std::string::npos; at++) times++;
    return times;
  };
  size_t tables = 0;
  for (const json& one : all) tables += !one.contains("points") && !one.contains("series") && !one.contains("spans") && !one.contains("by_worker");
  EXPECT_EQ(count("<section>"), all.size());
  EXPECT_EQ(count("<table"), tables);
  EXPECT_EQ(count("<canvas "), all.size() - tables);
  EXPECT_EQ(count("<script>"), 1u) << "the library and what uses it";
  EXPECT_EQ(element(page, "figures"), all);
  const json charts = element(page, "charts");
  ASSERT_EQ(charts.size(), all.size() - tables);
  EXPECT_EQ(charts[0]["title"], "Pauses");
  EXPECT_EQ(charts[0]["data"]["datasets"][0]["label"], "full");
  EXPECT_EQ(charts[0]["data"]["datasets"][0]["data"][0]["y"], 2.0);
  size_t spans = 0;
  const json line = figure(charts, "Workers in the longest");
  for (const json& set : line["data"]["datasets"]) spans += set["data"].size();
  EXPECT_EQ(spans, 9u + 4) << "what workers did; the phases, and how long threads took to stop";
  for (const char* outside : {"src=", "href=", "@import", "url("}) EXPECT_EQ(page.substr(0, page.find("<script>")).find(outside), std::string::npos) << outside;
  EXPECT_NE(page.find("prefers-color-scheme:dark"), std::string::npos);
  const std::string name = path_.substr(path_.rfind('/') + 1);
  EXPECT_NE(page.find("<code>" + name + "</code>: last written 20"), std::string::npos);
  EXPECT_NE(page.find("process 7; host dotnet; preset naps; no limit; 3 workers; 2 nodes; 2 collections in 1.00 s</p>"), std::string::npos);
  EXPECT_NE(page.find("<title>Garner: " + name), std::string::npos);
}

TEST_F(TwoNodes, ACutLogIsReadAsFarAsItGoes) {
  const std::string whole = text_;
  text_.resize(whole.find("\"index\":2") - 10); // in the middle of the second collection's first record
  const LogData log = read();
  EXPECT_EQ(log.cycles.size(), 1u);
  EXPECT_EQ(log.bad_lines, 1u);
  EXPECT_EQ(damage_of(log), "1 line of the log is no record");
  EXPECT_NE(draw_log(log).find("1 line of the log is no record. "), std::string::npos);
  for (size_t size = 0; size < whole.size(); size += 97) { // wherever it is cut
    text_ = whole.substr(0, size);
    if (refused() == "(read)") EXPECT_FALSE(draw_log(read()).empty());
  }
}

TEST_F(ALog, OneNodeHasNoFiguresByNode) {
  WorkerStats stats{};
  stats.start_ns = 100, stats.end_ns = 900, stats.steals = 3;
  add(EventId::worker_phase, WorkerPhase{1, Phase::evacuate, 0, 0, &stats});
  add_cycle(1, 50, 1000);
  const json all = figures_of(read());
  for (const json& one : all) EXPECT_EQ(one["title"].get<std::string>().find("node"), std::string::npos) << one["title"];
  EXPECT_EQ(figure(all, "Workers in the longest")["spans"], (json{{0, kActivities, 50.0, 850.0}})) << "without details a worker's phase is one span";
  EXPECT_EQ(figure(all, "Workers in the longest")["phases"], (json{{"evacuate", 50.0, 850.0}})) << "of durations that are no part of the pause: what was seen at workers";
  EXPECT_TRUE(figure(all, "Steals").is_null()) << "all within the node";
  EXPECT_EQ(figure(all, "Workers in the longest")["plain"], true);
  const std::string page = draw_log(read());
  EXPECT_NE(page.find("<b>3</b><span>steals</span>"), std::string::npos);
  EXPECT_NE(page.find("run with -o log_detail=full for that"), std::string::npos);
}

// Of a process: two young collections and a full one; of another only one, which takes longest.
class TwoProcesses : public ALog {
 protected:
  void add_sizes(u64 index, u64 start, u64 pause, Kind kind, Cause cause, u64 before, u64 after, u32 pid = 7) {
    CycleEnd end{};
    end.index = index, end.start_ns = start, end.pause_ns = pause, end.kind = kind, end.cause = cause;
    end.heap_before = before, end.heap_after = after, end.young_before = before / 2, end.young_after = after / 4, end.old_after = after / 2, end.committed = 40'000'000, end.limit = limit_;
    if (kind != Kind::full) end.copied = after / 2, end.promoted = after / 8;
    add(EventId::cycle_end, end, pid);
  }
  void SetUp() override {
    HeapReady ready{};
    ready.door = "dotnet", ready.preset = "garner";
    add(EventId::heap_ready, ready); // at 5 ms
    add_sizes(1, 105'000'000, 2'000'000, Kind::young1, Cause::eden_full, 16 * MiB, 8 * MiB);
    add_sizes(2, 205'000'000, 4'000'000, Kind::young1, Cause::eden_full, 24 * MiB, 16 * MiB);
    add_sizes(3, 405'000'000, 100'000'000, Kind::full, Cause::induced, 30 * MiB, 4 * MiB);
  }
  u64 limit_ = 50 * MiB;
};

TEST_F(TwoProcesses, PercentilesAndWhatPausesLeaveStandInTheFigures) {
  const json all = element(draw_log(read()), "figures");
  const json percentiles = figure(all, "Percentiles");
  ASSERT_EQ(percentiles["rows"].size(), 3u);
  EXPECT_DOUBLE_EQ(percentiles["logged_s"].get<double>(), 0.5);
  EXPECT_EQ(percentiles["rows"][0], (json{{"kind", "young"}, {"count", 2}, {"p50_ms", 2.0}, {"p90_ms", 4.0}, {"p99_ms", 4.0}, {"p99_9_ms", 4.0}, {"longest_ms", 4.0}, {"total_ms", 6.0}, {"share", 0.012}}));
  EXPECT_EQ(percentiles["rows"][1]["share"], 0.2);
  EXPECT_EQ(percentiles["rows"][2]["p50_ms"], 4.0);
  const json lengths = figure(all, "Collections by length");
  EXPECT_EQ(lengths["xs"][0], "1.6 to 2.5");
  EXPECT_EQ(lengths["xs"].back(), "100 to 160");
  EXPECT_EQ(lengths["series"]["young"], (json{1, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(lengths["series"]["full"], (json{0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
  const json least = figure(all, "Minimum mutator");
  EXPECT_DOUBLE_EQ(least["xs"][0].get<double>(), 1);
  EXPECT_DOUBLE_EQ(least["xs"].back().get<double>(), 500);
  EXPECT_DOUBLE_EQ(least["series"]["program runs"][20][1].get<double>(), 0) << "the full collection fills a window of 100 ms";
  EXPECT_NEAR(least["series"]["program runs"].back()[1].get<double>(), 100 * (1 - 106 / 500.), 1e-9);
  const json causes = figure(all, "Why collections");
  EXPECT_EQ(causes["rows"][0], (json{{"cause", "induced"}, {"count", 1}, {"full", 1}, {"total_ms", 100.0}, {"longest_ms", 100.0}}));
  EXPECT_EQ(causes["rows"][1]["count"], 2);
}

TEST_F(TwoProcesses, TheHeapIsDrawnBeforeAndAfterEachCollectionAndWhatSurvivedItOnce) {
  const json all = figures_of(read()), heap = figure(all, "Heap over time"), survivors = figure(all, "Copied and promoted");
  EXPECT_EQ(heap["xs"], (json{0.0, 0.002, 0.1, 0.104, 0.3, 0.4}));
  EXPECT_EQ(heap["series"]["heap"], (json{{0.0, 16.0}, {0.002, 8.0}, {0.1, 24.0}, {0.104, 16.0}, {0.3, 30.0}, {0.4, 4.0}}));
  EXPECT_EQ(heap["series"]["young"], (json{{0.0, 8.0}, {0.002, 2.0}, {0.1, 12.0}, {0.104, 4.0}, {0.3, 15.0}, {0.4, 1.0}}));
  EXPECT_EQ(heap["series"]["old"], (json{{0.002, 4.0}, {0.104, 8.0}, {0.4, 2.0}})) << "what it held before is not in the log";
  EXPECT_EQ(heap["series"]["limit"], (json{{0.002, 50.0}, {0.104, 50.0}, {0.4, 50.0}}));
  EXPECT_FALSE(heap["series"].contains("large")) << "nothing ever";
  EXPECT_EQ(survivors["index"], (json{1, 2})) << "a full collection copies nothing";
  EXPECT_EQ(survivors["series"]["copied"], (json{{0.0, 4.0}, {0.1, 8.0}}));
  EXPECT_EQ(survivors["series"]["promoted"], (json{{0.0, 1.0}, {0.1, 2.0}}));
}

TEST_F(TwoProcesses, SecondsAreNotToldAsThousandsOfMilliseconds) {
  add_sizes(4, 600'000'000, 37'404'000'000, Kind::full, Cause::induced, 30 * MiB, 4 * MiB);
  EXPECT_NE(draw_log(read()).find("<b>37.5 s</b><span>paused in all</span>"), std::string::npos);
}

TEST_F(TwoProcesses, ALimitFarAwayIsToldInWords) {
  text_.clear();
  limit_ = 64'000 * MiB;
  SetUp();
  const LogData log = read();
  EXPECT_FALSE(figure(figures_of(log), "Heap over time")["series"].contains("limit"));
  EXPECT_NE(draw_log(log).find("limit 64,000 MB"), std::string::npos);
}

TEST_F(TwoProcesses, TheHeapIsThatOfTheProcessWhichTheLogFollowsLongest) {
  add_sizes(1, 300'000'000, 150'000'000, Kind::young1, Cause::eden_full, 1'000'000, 500'000, 8);
  const LogData log = read();
  const json all = figures_of(log), heap = figure(all, "Heap over time"), percentiles = figure(all, "Percentiles");
  EXPECT_EQ(heap["pid"], 7);
  EXPECT_EQ(heap["xs"].size(), 6u);
  EXPECT_EQ(percentiles["rows"].back()["count"], 4);
  EXPECT_FALSE(percentiles["rows"].back().contains("share")) << "how long the other one ran is not known";
  EXPECT_NE(draw_log(log).find("process 7, which the log follows longest"), std::string::npos);
}

TEST_F(ALog, WhatWasPromotedEnMasseStandsApartAsItsDeadAreInIt) {
  CycleEnd end{};
  end.index = 1, end.start_ns = 100, end.pause_ns = 1000, end.copied = 3 * MiB, end.promoted = MiB;
  add(EventId::cycle_end, end);
  end.index = 2, end.start_ns = 5000, end.copied = 0, end.promoted = end.kept = 26 * MiB, end.en_masse = true;
  add(EventId::cycle_end, end);
  const LogData log = read();
  const json survivors = figure(figures_of(log), "Copied and promoted")["series"];
  EXPECT_EQ(survivors["promoted"][0][1], 1.0);
  EXPECT_EQ(survivors["promoted"][1][1], 0.0);
  EXPECT_EQ(survivors["promoted en masse"][0][1], 0.0);
  EXPECT_EQ(survivors["promoted en masse"][1][1], 26.0);
  EXPECT_NE(draw_log(log).find("these bytes include what is dead in them"), std::string::npos);
}

TEST_F(ALog, MarkingAndSlidingAreNotCalledCopying) {
  WorkerStats stats{};
  const auto phase = [&](Phase which, u64 from, u64 to) { stats.start_ns = from, stats.end_ns = to, add(EventId::worker_phase, WorkerPhase{1, which, 0, 0, &stats}); };
  phase(Phase::mark, 1000, 5000);
  phase(Phase::compact, 6000, 9000);
  const u64 total[] = {0, 100, 7000, 0, 0};
  const Span spans[] = {{Activity::roots, 1000, 1100}, {Activity::copies, 1100, 5000}, {Activity::copies, 6000, 9000}};
  add(EventId::spans, WorkerSpans{1, 0, 0, total, spans, 3});
  add_cycle(1, 900, 9000, Kind::full);
  const LogData log = read();
  const json all = figures_of(log), ms = figure(all, "What workers' time")["by_worker"][0]["ms"];
  EXPECT_EQ(figure(all, "Workers in the longest")["spans"], (json{{0, 1, 100.0, 200.0}, {0, kMarking, 200.0, 4100.0}, {0, kSliding, 5100.0, 8100.0}}));
  EXPECT_EQ(ms[u32(Activity::copies)], 0.0);
  EXPECT_NEAR(ms[kMarking].get<double>(), 7e-3 * 3900 / 6900, 1e-9) << "the total, by what spans say of it";
  EXPECT_NEAR(ms[kSliding].get<double>(), 7e-3 * 3000 / 6900, 1e-9);
  const json chart = figure(element(draw_log(log), "charts"), "Workers in the longest");
  std::set<std::string> names;
  for (const json& set : chart["data"]["datasets"]) names.insert(set["label"]);
  EXPECT_TRUE(names.count("mark") == 1 && names.count("slide") == 1 && names.count("copy") == 0);
}

// Of more collections than a screen shows: young ones of 0.1 ms, every 500th a full one of 60 ms.
class ManyCollections : public ALog {
 protected:
  static constexpr u64 kMany = 12'000;
  void SetUp() override {
    for (u64 i = 1; i <= kMany; i++) {
      const bool full = i % 500 == 0;
      WorkerStats stats{};
      stats.start_ns = i * 100'000'000 + 100, stats.end_ns = stats.start_ns + 50'000;
      add(EventId::worker_phase, WorkerPhase{i, full ? Phase::mark : Phase::evacuate, 0, 0, &stats});
      const u64 total[] = {1000, 2000, 40'000, 0, 0};
      const Span spans[] = {{Activity::copies, stats.start_ns, stats.end_ns}};
      add(EventId::spans, WorkerSpans{i, 0, 0, total, spans, 1});
      CycleEnd end{};
      end.index = i, end.start_ns = i * 100'000'000, end.pause_ns = full ? 60'000'000 : 100'000 + i, end.kind = full ? Kind::full : Kind::young1;
      end.heap_before = 20 * MiB, end.heap_after = 10 * MiB + i % 7, end.young_before = 16 * MiB, end.young_after = MiB, end.old_after = i * 1000, end.committed = 32 * MiB;
      if (!full) end.copied = 2 * MiB, end.promoted = MiB / 2;
      add(EventId::cycle_end, end);
    }
  }
};

TEST_F(ManyCollections, AreDrawnInBinsThatKeepTheLongestTheLowestAndTheHighest) {
  const LogData log = read();
  const std::string page = draw_log(log);
  EXPECT_LT(page.size(), 1'000'000u) << "however long the log is";
  const json all = element(page, "figures"), pauses = figure(all, "Pauses"), heap = figure(all, "Heap over time"), sums = figure(all, "Copied and promoted over time");
  EXPECT_EQ(pauses["log_y"], true);
  size_t full = 0, count = 0;
  for (const json& p : pauses["points"]) full += p["kind"] == "full", count += p["count"].get<size_t>();
  EXPECT_EQ(full, kMany / 500) << "each of them is one of its bin, where young ones cannot hide it";
  EXPECT_EQ(count, kMany);
  EXPECT_LE(pauses["points"].size(), full + kBins);
  EXPECT_EQ(heap["xs"].size(), kBins);
  for (const json& value : heap["series"]["young"]) EXPECT_EQ(value[1].get<double>() - value[2].get<double>(), 15.0);
  EXPECT_EQ(heap["series"]["old"][0].size(), 2u) << "no band: young and heap have one";
  EXPECT_EQ(heap["series"]["old"].back()[1], kMany * 1000.0 / MiB);
  double copied = 0;
  for (const json& value : sums["series"]["copied"]) copied += value[1].get<double>();
  EXPECT_NEAR(copied, double(kMany - full) * 2, 1e-6) << "sums, not a choice";
  EXPECT_EQ(figure(all, "Percentiles")["rows"].back()["count"], kMany) << "of all";
  EXPECT_EQ(figure(all, "Collections by length")["log_y"], true);
  const json charts = element(page, "charts"), drawn = figure(charts, "Heap over time")["data"]["datasets"];
  EXPECT_EQ(drawn[1]["label"], "old") << "what comes first is drawn above the others";
  EXPECT_EQ(drawn.back()["lower"], true);
  EXPECT_EQ(figure(charts, "Pauses")["options"]["scales"]["y"]["type"], "logarithmic");
}

TEST_F(ManyCollections, ThePageIsTheSameWhereOnlyTheLongestKeepsItsDetails) {
  std::istringstream once(text_), again(text_);
  const LogData all = read_log(once, "log"), lean = read_log(again, "log", Keep::longest);
  EXPECT_EQ(draw_log(all), draw_log(lean));
  size_t kept = 0;
  for (const auto& [name, c] : lean.cycles) kept += !c.work.empty() || !c.spans.empty();
  EXPECT_EQ(kept, kMany / 500) << "all that are as long as the longest";
}

TEST_F(ManyCollections, ReadingTellsHowFarItIs) {
  std::istringstream lines(text_);
  std::vector<uint64_t> told;
  read_log(lines, "log", Keep::longest, [&](uint64_t bytes) { told.push_back(bytes); });
  ASSERT_GE(told.size(), 3u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_GT(told.back(), text_.size() - (2 << 20));
  EXPECT_LE(told.back(), text_.size());
}

TEST_F(ALog, ALogWithoutSizesHasNoFiguresOfThem) {
  add_cycle(1, 100, 1000);
  const json all = figures_of(read());
  for (const char* title : {"Heap over time", "Copied and promoted", "Minimum mutator"}) EXPECT_TRUE(figure(all, title).is_null()) << title;
  EXPECT_FALSE(figure(all, "Percentiles").is_null());
}

TEST_F(ALog, ProcessesAreKeptApart) {
  add_cycle(1, 100, 1000, Kind::young0, 7);
  add_cycle(1, 100, 3000, Kind::young0, 8);
  const LogData log = read();
  EXPECT_EQ(log.cycles.size(), 2u);
  const std::string page = draw_log(log);
  EXPECT_NE(page.find("2 processes wrote to this log"), std::string::npos);
  EXPECT_NE(page.find("processes 7, 8; "), std::string::npos);
  const json sets = element(page, "charts")[0]["data"]["datasets"];
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[0]["label"], "young, process 7");
  EXPECT_EQ(sets[1]["label"], "young, process 8");
  EXPECT_NE(sets[0]["colour"], sets[1]["colour"]);
}

// Of containers that append to one log, each process is number 1.
TEST_F(ALog, AHeapOfAKnownProcessIsAnothersFromThereOn) {
  WorkerStats stats{};
  stats.start_ns = 1, stats.end_ns = 2;
  for (u64 start : {100, 9000}) {
    add(EventId::heap_ready, HeapReady{.door = "dotnet", .preset = "garner"}, 1);
    add(EventId::worker_phase, WorkerPhase{1, Phase::evacuate, 0, 0, &stats}, 1);
    for (u64 index : {1, 2, 3}) add_cycle(index, start + index * 1000, 10 * index, Kind::young0, 1);
  }
  const LogData log = read();
  EXPECT_EQ(log.cycles.size(), 6u);
  EXPECT_EQ(log.processes.size(), 2u);
  EXPECT_EQ(damage_of(log), "");
  EXPECT_NE(draw_log(log).find("processes 1, 1#2; "), std::string::npos);
  std::vector<json> lines;
  each_worker(log, [&](const std::string& line) { lines.push_back(json::parse(line)); });
  ASSERT_EQ(lines.size(), 2u);
  for (const json& line : lines) EXPECT_EQ(line["pid"], 1);
  EXPECT_FALSE(lines[0].contains("process"));
  EXPECT_EQ(lines[1]["process"], 2);
  add_cycle(2, 20'000, 10, Kind::young0, 1); // of the first one, which has not ended: nothing tells
  EXPECT_EQ(damage_of(read()), "1 collection is told again, as by processes of one pid at the same time");
}

TEST_F(ALog, WhatIsNoLogIsRefusedInOneLine) {
  EXPECT_NE(refused().find("no collection in it"), std::string::npos) << "empty";
  for (int i = 0; i < 100000; i++) text_.push_back(char(i * 7919 >> 3)); // anything, with line ends and zeros
  EXPECT_NE(refused().find("no collection in it"), std::string::npos);
  EXPECT_EQ(refused().find('\n'), std::string::npos);
  text_.assign(1 << 20, '[');
  EXPECT_NE(refused().find("no collection in it"), std::string::npos) << "deep, and one line";
  EXPECT_THROW(read_log(::testing::TempDir()), UsageError);
  EXPECT_THROW(read_log(path_ + ".none"), UsageError);
}

TEST_F(ALog, NumbersThatNoMachineHasAreNoRecords) {
  add_cycle(1, 100, 1000);
  const char* const bad[] = {
      R"({"event":"steals","index":1,"node":4000000000,"from":[1]})", R"({"event":"steals","index":1,"node":-1,"from":[1]})",   R"({"event":"steals","index":1,"node":0,"from":["x"]})",
      R"({"event":"locality","index":1,"node":0,"objects":{"a":1}})", R"({"event":"spans","index":1,"worker":99999,"total_ns":[],"spans":[]})", R"({"event":"spans","index":1,"worker":0,"total_ns":[1],"spans":[["copy",1]]})",
      R"({"event":"worker_phase","index":1,"node":64,"worker":0,"start_ns":1,"end_ns":2})", R"({"event":"cycle_end","index":"1","start_ns":1,"pause_ns":2})", R"({"event":"cycle_end","index":2,"start_ns":1e999,"pause_ns":2})",
      R"({"event":7})", R"([])", R"("text")", R"({"event":"node_uses","index":1,"space":"eden","node":0,"accesses":[-5],"bytes":[]})",
  };
  for (const char* line : bad) text_ += std::string(line) + "\n";
  text_ += R"({"event":"cycle_end","index":3,"start_ns":1,"pause_ns":2,"kind":"</script><b>","cause":"<i>"})" "\n";
  const LogData log = read();
  EXPECT_EQ(log.bad_lines, sizeof bad / sizeof bad[0]);
  EXPECT_EQ(log.cycles.size(), 2u);
  const std::string page = draw_log(log);
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  EXPECT_EQ(page.find("<i>"), std::string::npos);
}

} // namespace
} // namespace garner::tool
