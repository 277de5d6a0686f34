// The log's records, byte for byte, in both formats. A change here is a change of the documented format (src/observe/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "observe/log.h"

namespace garner {
namespace {

constexpr RecordContext kContext = {1'000'000'000, 0, 4711};

template <class Payload> std::string line_of(EventId id, const Payload& payload, RecordContext context = kContext) {
  Line out;
  return line_record(out, id, &payload, context) ? out.c_str() : "(none)";
}
template <class Payload> std::string json_of(EventId id, const Payload& payload, RecordContext context = kContext) {
  Line out;
  return json_record(out, id, &payload, context) ? out.c_str() : "(none)";
}

CycleEnd a_cycle() {
  CycleEnd cycle = {};
  cycle.index = 7;
  cycle.start_ns = 2'204'567'890;
  cycle.pause_ns = 2'318'999;
  cycle.stop_ns = 41'000;
  cycle.kind = Kind::young0;
  cycle.cause = Cause::eden_full;
  cycle.workers = 2;
  cycle.heap_before = 96 * MiB;
  cycle.heap_after = 31 * MiB + 512 * KiB;
  cycle.young_before = 70 * MiB;
  cycle.young_after = 1536;
  cycle.old_after = 3 * GiB;
  cycle.large_after = 900;
  cycle.committed = 101;
  cycle.limit = 102;
  cycle.fragmented = 103;
  cycle.promoted = 104;
  cycle.copied = 105;
  cycle.pinned = 3;
  cycle.roots = 106;
  cycle.finalize_pending = 107;
  cycle.allocated_total = 108;
  cycle.eden_next = 109;
  cycle.gather_ns = 110;
  cycle.evacuate_ns = 111;
  cycle.weak_ns = 112;
  cycle.mark_ns = 113;
  cycle.compact_ns = 114;
  cycle.finish_ns = 115;
  cycle.resize_ns = 116;
  cycle.cards_ns = 117;
  cycle.slid = 118;
  return cycle;
}

TEST(LogRecords, CycleAsLine) {
  EXPECT_EQ(line_of(EventId::cycle_end, a_cycle()),
            "garner: [1.204 s] gc 7 young0 eden_full: paused 2.318 ms (stopping 0.041), heap 96.0m -> 31.5m, young 70.0m -> 1.5k, old 3.0g, large 900, "
            "copied 105, promoted 104, pinned 3, workers 2");
}

TEST(LogRecords, WhatHappenedEndsTheLine) {
  CycleEnd cycle = a_cycle();
  cycle.compacted = cycle.promotion_failed = true;
  std::string line = line_of(EventId::cycle_end, cycle, {0, 12, 1});
  EXPECT_TRUE(line.ends_with(", workers 2, compacted, promotion failed, kept 0, 12 records lost before this one")) << line;
}

TEST(LogRecords, PromotionEnMasseIsTold) {
  CycleEnd cycle = a_cycle();
  cycle.en_masse = true;
  EXPECT_TRUE(line_of(EventId::cycle_end, cycle).ends_with(", workers 2, en masse"));
  EXPECT_NE(json_of(EventId::cycle_end, cycle).find(R"("en_masse":true)"), std::string::npos);
}

TEST(LogRecords, WhatWasMovedIsTold) {
  CycleEnd cycle = a_cycle();
  cycle.moved = 8 * 1024 * 1024;
  EXPECT_TRUE(line_of(EventId::cycle_end, cycle).ends_with(", workers 2, moved 8.0m")) << line_of(EventId::cycle_end, cycle);
}

TEST(LogRecords, CycleAsJson) {
  EXPECT_EQ(json_of(EventId::cycle_end, a_cycle()),
            R"({"event":"cycle_end","pid":4711,"index":7,"start_ns":2204567890,"pause_ns":2318999,"stop_ns":41000,"kind":"young0","cause":"eden_full",)"
            R"("compacted":false,"promotion_failed":false,"en_masse":false,"workers":2,"heap_before":100663296,"heap_after":33030144,"young_before":73400320,"young_after":1536,)"
            R"("old_after":3221225472,"large_after":900,"committed":101,"limit":102,"fragmented":103,"promoted":104,"copied":105,"kept":0,"moved":0,"slid":118,"pinned":3,"roots":106,)"
            R"("finalize_pending":107,"allocated_total":108,"eden_next":109,"gather_ns":110,"evacuate_ns":111,"weak_ns":112,"mark_ns":113,"compact_ns":114,"finish_ns":115,"cards_ns":117,"resize_ns":116})");
}

TEST(LogRecords, EveryFieldOfACycleIsInTheJson) {
  std::string json = json_of(EventId::cycle_end, CycleEnd{});
  auto keys = size_t(std::count(json.begin(), json.end(), ':'));
  // Event and pid; then a key a word, but for one word that kind, cause, two flags and workers share.
  EXPECT_EQ(keys, 2 + (sizeof(CycleEnd) / sizeof(u64) - 1) + 5) << "a field was added to CycleEnd: it needs a row in records.cc and in README.md";
}

TEST(LogRecords, HeapReady) {
  HeapReady ready = {256 * GiB, 512 * MiB, 256 * KiB, 2, 1, "dotnet", "garner"};
  EXPECT_EQ(line_of(EventId::heap_ready, ready),
            "garner: heap ready: door dotnet, preset garner, limit 512.0m, reserved 256.0g, regions of 256.0k, workers 2, nodes 1");
  EXPECT_EQ(json_of(EventId::heap_ready, ready),
            R"({"event":"heap_ready","pid":4711,"format":1,"start_ns":1000000000,"reserved_bytes":274877906944,"limit_bytes":536870912,"region_bytes":262144,)"
            R"("workers":2,"nodes":1,"door":"dotnet","preset":"garner"})");
}

TEST(LogRecords, MissingNamesAndNoLimit) {
  HeapReady ready = {0, 0, 0, 1, 1, nullptr, nullptr};
  EXPECT_EQ(line_of(EventId::heap_ready, ready), "garner: heap ready: door ?, preset ?, limit none, reserved 0, regions of 0, workers 1, nodes 1");
  EXPECT_NE(json_of(EventId::heap_ready, ready).find(R"("door":"","preset":"")"), std::string::npos);
}

TEST(LogRecords, LimitChanged) {
  LimitChanged change = {0, 256 * MiB};
  EXPECT_EQ(line_of(EventId::limit_changed, change), "garner: limit changed: none -> 256.0m");
  EXPECT_EQ(json_of(EventId::limit_changed, change), R"({"event":"limit_changed","pid":4711,"before":0,"after":268435456})");
}

TEST(LogRecords, OutOfMemory) {
  OutOfMemory out = {64 * MiB, 250 * MiB, 256 * MiB};
  EXPECT_EQ(line_of(EventId::out_of_memory, out), "garner: out of memory: asked 64.0m, committed 250.0m, limit 256.0m");
  EXPECT_EQ(json_of(EventId::out_of_memory, out, {0, 2, 1}), R"({"event":"out_of_memory","pid":1,"asked":67108864,"committed":262144000,"limit":268435456,"lost_before":2})");
}

TEST(LogRecords, WorkerPhaseIsForPrograms) {
  WorkerStats stats = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                       23, 24, 25, 26, 27, 28, 29, 30};
  WorkerPhase phase = {7, Phase::evacuate, 1, 0, &stats};
  EXPECT_EQ(line_of(EventId::worker_phase, phase), "(none)");
  EXPECT_EQ(json_of(EventId::worker_phase, phase),
            R"({"event":"worker_phase","pid":4711,"index":7,"phase":"evacuate","worker":1,"node":0,"start_ns":1,"end_ns":2,"idle_ns":3,"tasks":4,"roots":5,)"
            R"("objects_copied":6,"bytes_copied":7,"objects_promoted":8,"bytes_promoted":9,"objects_marked":10,"bytes_marked":11,"slots":12,"cards":13,"steals":14,)"
            R"("steals_remote":15,"steal_attempts":16,"overflows":17,"lost_races":18,"buffers":19,"offers":20,"withdrawals":21,"waits_ns":22,)"
            R"("roots_posted":23,"roots_taken":24,"roots_remote":25,"requests_sent":26,"requests_served":27,"flushes":28,"lookups":29,"lookup_calls":30})");
}

TEST(LogRecords, N27DetailsAreForPrograms) {
  const u64 some[] = {10, 20, 30}, total[kActivities] = {1, 2, 3, 4, 5};
  const Span spans[] = {{Activity::roots, 100, 200}, {Activity::terminates, 200, 250}};
  const WorkerSpans line = {7, 3, 1, total, spans, 2};
  EXPECT_EQ(json_of(EventId::node_distances, NodeDistances{1, 3, some}), R"({"event":"node_distances","pid":4711,"node":1,"to":[10,20,30]})");
  EXPECT_EQ(json_of(EventId::node_bytes, NodeBytes{7, SpaceKind::eden, 3, 256, 4096, some}),
            R"({"event":"node_bytes","pid":4711,"index":7,"space":"eden","asked":256,"unknown":4096,"bytes":[10,20,30]})");
  EXPECT_EQ(json_of(EventId::node_uses, NodeUses{7, SpaceKind::from, 1, 2, some, some + 1}), R"({"event":"node_uses","pid":4711,"index":7,"space":"from","node":1,"accesses":[10,20],"bytes":[20,30]})");
  EXPECT_EQ(json_of(EventId::steals, Steals{7, 2, 3, some}), R"({"event":"steals","pid":4711,"index":7,"node":2,"from":[10,20,30]})");
  EXPECT_EQ(json_of(EventId::locality, NodeLocality{7, 0, 1, some}), R"({"event":"locality","pid":4711,"index":7,"node":0,"objects":[10]})");
  EXPECT_EQ(json_of(EventId::spans, line), R"({"event":"spans","pid":4711,"index":7,"worker":3,"node":1,"total_ns":[1,2,3,4,5],"spans":[["roots",100,200],["termination",200,250]]})");
  EXPECT_EQ(line_of(EventId::spans, line), "(none)");
}

TEST(LogRecords, TheLongestDetailsFit) {
  u64 most[64];
  Span spans[kSpansAtOnce];
  memset(most, 0xff, sizeof most);
  for (Span& span : spans) span = {Activity::terminates, ~0ull, ~0ull};
  const RecordContext context = {0, ~0ull, ~0u};
  for (const std::string& json : {json_of(EventId::node_uses, NodeUses{~0ull, SpaceKind::eden, 63, 64, most, most}, context),
                                  json_of(EventId::spans, WorkerSpans{~0ull, 1023, 63, most, spans, kSpansAtOnce}, context)}) {
    EXPECT_EQ(json.back(), '}');
    EXPECT_LT(json.size(), Line::kCapacity - 2);
  }
}

TEST(LogRecords, OtherEventsHaveNoRecord) {
  Notice notice = {"text"};
  EXPECT_EQ(line_of(EventId::notice, notice), "(none)");
  EXPECT_EQ(json_of(EventId::notice, notice), "(none)");
}

TEST(LogRecords, TheLargestNumbersFit) {
  CycleEnd cycle;
  memset(&cycle, 0xff, sizeof cycle);
  cycle.kind = Kind::full;
  cycle.cause = Cause::promotion_failed;
  cycle.compacted = cycle.promotion_failed = cycle.en_masse = true;
  std::string json = json_of(EventId::cycle_end, cycle, {0, ~0ull, ~0u});
  EXPECT_EQ(json.back(), '}');
  EXPECT_LT(json.size(), Line::kCapacity - 2);
  EXPECT_NE(json.find("18446744073709551615"), std::string::npos);
}

} // namespace
} // namespace garner
