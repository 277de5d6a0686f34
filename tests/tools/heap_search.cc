// The search for the least heap: right to 5 %, with few tries, also where nothing works; and the file that keeps what was found.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "min_heap.h"
#include "paths.h"

namespace garner::tool {
namespace {

TEST(HeapSearch, FindsTheLeastToFivePercent) {
  for (uint64_t least : {uint64_t(3) << 20, uint64_t(44) << 20, uint64_t(1000) << 20, uint64_t(5) << 30})
    for (uint64_t start : {uint64_t(2) << 20, uint64_t(200) << 20, uint64_t(8) << 30}) {
      int tries = 0;
      std::optional<uint64_t> found = least_working(start, 1.05, [&](uint64_t bytes) { return tries++, bytes >= least; });
      if (!found) {
        EXPECT_LT(start << 8, least) << "only a start that is far too small is given up";
        continue;
      }
      EXPECT_GE(*found, least);
      EXPECT_LE(double(*found), double(least) * 1.05);
      EXPECT_LE(tries, 20);
    }
}

TEST(HeapSearch, NothingWorks) {
  int tries = 0;
  EXPECT_FALSE(least_working(1 << 20, 1.05, [&](uint64_t) { return tries++, false; }));
  EXPECT_EQ(tries, 9);
}

TEST(HeapSearch, EverythingWorksDownToTheSmallest) {
  std::optional<uint64_t> found = least_working(100 << 20, 1.05, [](uint64_t) { return true; });
  ASSERT_TRUE(found);
  EXPECT_LT(*found, uint64_t(4) << 20);
}

TEST(HeapSearch, NoSizeIsTriedTwice) {
  std::vector<uint64_t> tried;
  least_working(64 << 20, 1.05, [&](uint64_t bytes) { return tried.push_back(bytes), bytes >= (37 << 20); });
  std::sort(tried.begin(), tried.end());
  EXPECT_EQ(std::adjacent_find(tried.begin(), tried.end()), tried.end());
}

// What was the least once is asked for first, then what lies below it: two answers where it still is, and the search goes on where it is not.
TEST(HeapSearch, WhatWasFoundBefore) {
  for (uint64_t least : {uint64_t(96) << 20, uint64_t(40) << 20, uint64_t(300) << 20}) {
    int tries = 0;
    std::optional<uint64_t> found = least_working(100 << 20, 1.05, [&](uint64_t bytes) { return tries++, bytes >= least; }, true);
    ASSERT_TRUE(found);
    EXPECT_GE(*found, least);
    EXPECT_LE(double(*found), double(least) * 1.05);
    if (least == uint64_t(96) << 20) {
      EXPECT_EQ(*found, uint64_t(100) << 20);
      EXPECT_EQ(tries, 2);
    }
  }
}

Plan shell_plan(const std::string& script) {
  Plan plan;
  plan.program = {"sh", "-c", script};
  return plan;
}

TEST(HeapSearch, AWorkloadIsTriedWithItsLimit) {
  Plan plan = shell_plan("[ $((0x${DOTNET_GCHeapHardLimit:-ffffffff})) -ge 9000000 ] && echo '{\"checksum\":\"5f\"}'");
  Sample reference = reference_run(plan);
  EXPECT_EQ(reference.checksum, "checksum 5f");
  uint64_t found = search_min_heap(plan, reference, Progress(), "shell");
  EXPECT_GE(found, 9000000u);
  EXPECT_LE(found, 9450000u);
}

TEST(HeapSearch, AWorkloadThatWasSearchedBefore) {
  TempDirectory temporary;
  const std::string file = (temporary.path() / "runs").string();
  Plan plan = shell_plan("echo >>" + file + "; [ $((0x${DOTNET_GCHeapHardLimit:-ffffffff})) -ge 9000000 ] && echo '{\"checksum\":\"5f\"}'");
  Sample reference = reference_run(plan);
  EXPECT_EQ(search_min_heap(plan, reference, Progress(), "shell", 9100000), 9100000u);
  std::string runs;
  ASSERT_TRUE(read_file(file, runs));
  EXPECT_EQ(runs.size(), 4u) << "the reference, two proofs, and one that fails";
}

// Below 9 MB every second run finishes, the first of each two.
TEST(HeapSearch, FinishingByLuckIsNotEnough) {
  TempDirectory temporary;
  const std::string file = (temporary.path() / "runs").string();
  Plan plan = shell_plan("[ $((0x${DOTNET_GCHeapHardLimit:-ffffffff})) -ge 9000000 ] || { echo >>" + file + "; [ $(($(wc -l <" + file + ") % 2)) = 1 ]; }");
  EXPECT_GE(search_min_heap(plan, reference_run(plan), Progress(), "shell"), 9000000u);
}

TEST(HeapSearch, DamagedObjectsAreNotASmallHeap) {
  Plan plan = shell_plan("[ -z \"$DOTNET_GCHeapHardLimit\" ] || exit 4");
  EXPECT_THROW(search_min_heap(plan, reference_run(plan), Progress(), "shell"), std::runtime_error);
}

TEST(HeapSearch, AWorkloadThatFailsOnStockIsNotSearched) { EXPECT_THROW(reference_run(shell_plan("exit 3")), std::runtime_error); }

TEST(HeapSearch, BaselinesAreKept) {
  TempDirectory temporary;
  fs::path file = temporary.path() / "deep" / "baselines.json";
  Baseline baseline;
  baseline.min_heap_bytes = 123456789;
  baseline.reference.wall_s = 1.5;
  baseline.reference.peak_bytes = 99;
  baseline.reference.checksum = "checksum 5f, operations 3";
  baseline.reference.files = {"a: 3 bytes, 00"};
  const BaselineFile another(file); // of a command that began before
  { BaselineFile(file).keep("key one", baseline); }
  another.keep("key three", baseline);
  std::optional<Baseline> read = BaselineFile(file).find("key one");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->min_heap_bytes, 123456789u);
  EXPECT_EQ(read->reference.wall_s, 1.5);
  EXPECT_EQ(difference_of(read->reference, baseline.reference), "");
  EXPECT_FALSE(BaselineFile(file).find("key two"));
}

TEST(HeapSearch, ADamagedFileIsBegunAnew) {
  TempDirectory temporary;
  fs::path file = temporary.path() / "baselines.json";
  std::ofstream(file) << "{\"key\": {\"min_heap_bytes\": ";
  EXPECT_FALSE(BaselineFile(file).find("key"));
  std::ofstream(file) << "{\"key\": {\"min_heap_bytes\": \"many\"}}";
  EXPECT_FALSE(BaselineFile(file).find("key"));
  BaselineFile(file).keep("key", Baseline{});
  EXPECT_TRUE(BaselineFile(file).find("key"));
  nlohmann::ordered_json older = object_in(file);
  older["key"].erase("proofs");
  std::ofstream(file) << older.dump();
  EXPECT_FALSE(BaselineFile(file).find("key")) << "found with one run each";
}

} // namespace
} // namespace garner::tool
