// Reading the collector's JSON log: while it grows, with damage, of several processes, and without keeping it on disk.
#include <gtest/gtest.h>

#include <fstream>
#include <sys/stat.h>

#include "log_reader.h"
#include "paths.h"

namespace garner::tool {
namespace {

std::string ready(int pid) {
  return "{\"event\":\"heap_ready\",\"pid\":" + std::to_string(pid) +
         ",\"format\":1,\"limit_bytes\":5,\"workers\":2,\"door\":\"dotnet\",\"preset\":\"garner\"}\n";
}
std::string cycle(int pid, const std::string& kind, int pause_us, int after) {
  return "{\"event\":\"cycle_end\",\"pid\":" + std::to_string(pid) + ",\"kind\":\"" + kind + "\",\"pause_ns\":" + std::to_string(pause_us) +
         "000,\"heap_after\":" + std::to_string(after) + ",\"committed\":" + std::to_string(after + 5) + "}\n";
}

class LogReading : public testing::Test {
 protected:
  void append(const std::string& text) { std::ofstream(path_, std::ios::app | std::ios::binary) << text; }
  TempDirectory temporary_;
  fs::path path_ = temporary_.path() / "log";
};

TEST_F(LogReading, NoFileIsNoCollector) {
  LogReader log(path_, 0, true);
  log.more();
  EXPECT_FALSE(log.loaded());
}

TEST_F(LogReading, FiguresOfARun) {
  append(ready(1) + cycle(1, "young0", 1500, 100) + cycle(1, "full", 500, 70) +
         "{\"event\":\"worker_phase\",\"pid\":1}\n{\"event\":\"out_of_memory\",\"pid\":1,\"lost_before\":3}\n");
  LogReader log(path_, 0, false);
  log.more();
  ASSERT_TRUE(log.loaded());
  EXPECT_EQ(log.heaps().at(1).door, "dotnet");
  EXPECT_EQ(log.heaps().at(1).workers, 2u);
  EXPECT_EQ(log.pauses_ms(), (std::vector<double>{1.5, 0.5}));
  EXPECT_EQ(log.kinds().at("young0"), 1u);
  EXPECT_EQ(log.heap_after(), 70u);
  EXPECT_EQ(log.most_committed(), 105u);
  EXPECT_EQ(log.most_left(), 70u) << "by a full collection";
  EXPECT_EQ(log.out_of_memory(), 1u);
  EXPECT_EQ(log.lost_records(), 3u);
  EXPECT_EQ(log.bad_lines(), 0u);
}

TEST_F(LogReading, OnlyOneRunsProcesses) {
  auto of_run = [](int pid, const std::string& run) { return "{\"event\":\"heap_ready\",\"pid\":" + std::to_string(pid) + ",\"run\":\"" + run + "\"}\n"; };
  append(cycle(9, "full", 1, 1) + of_run(1, "mine") + cycle(1, "young0", 1500, 100) + of_run(2, "other") + cycle(2, "full", 500, 70) + ready(3) + cycle(3, "full", 500, 70) + cycle(1, "young1", 1500, 100));
  LogReader log(path_, 0, false);
  log.only("mine");
  log.more();
  EXPECT_EQ(log.collections(), 2u);
  EXPECT_EQ(log.heaps().size(), 1u);
  append(of_run(1, "other") + cycle(1, "full", 500, 70)); // the process's number again
  log.more();
  EXPECT_EQ(log.collections(), 2u);
}

TEST_F(LogReading, AHalfLineWaitsForItsEnd) {
  LogReader log(path_, 0, true);
  std::string record = cycle(1, "young0", 1000, 5);
  append(ready(1) + record.substr(0, 20));
  log.more();
  EXPECT_EQ(log.collections(), 0u);
  append(record.substr(20));
  log.more();
  EXPECT_EQ(log.collections(), 1u);
  EXPECT_EQ(log.bad_lines(), 0u);
}

TEST_F(LogReading, ACutRecordCostsItsLineOnly) {
  append(ready(1) + "{\"event\":\"cycle_e\n" + cycle(1, "young0", 1000, 5) + "\n[1]\n");
  LogReader log(path_, 0, true);
  log.more();
  EXPECT_EQ(log.collections(), 1u);
  EXPECT_EQ(log.bad_lines(), 2u);
}

TEST_F(LogReading, ALastLineWithoutAnEndIsALostRecord) {
  append(ready(1) + cycle(1, "young0", 1000, 5) + cycle(1, "young0", 1000, 5).substr(0, 30));
  LogReader log(path_, 0, false);
  log.more();
  EXPECT_EQ(log.collections(), 1u);
  EXPECT_EQ(log.bad_lines(), 1u);
}

TEST_F(LogReading, SeveralProcesses) {
  append(ready(1) + ready(2) + cycle(1, "young0", 1000, 10) + cycle(2, "young0", 2000, 20) + cycle(1, "young0", 1000, 30));
  LogReader log(path_, 0, true);
  log.more();
  EXPECT_EQ(log.heaps().size(), 2u);
  EXPECT_EQ(log.heap_after(), 50u);
}

TEST_F(LogReading, BeginsWhereItIsTold) {
  append(ready(1) + cycle(1, "full", 9000, 10));
  uint64_t size = fs::file_size(path_);
  append(ready(2));
  LogReader log(path_, size, false);
  log.more();
  EXPECT_EQ(log.heaps().count(1), 0u);
  EXPECT_EQ(log.collections(), 0u);
}

TEST_F(LogReading, WhatWasReadTakesNoDisk) {
  LogReader log(path_, 0, true);
  append(ready(1));
  for (int round = 0; round < 4; round++) {
    std::string block;
    for (int i = 0; i < 5000; i++) block += cycle(1, "young0", 1, i);
    append(block);
    log.more();
  }
  EXPECT_EQ(log.collections(), 20000u);
  struct stat status = {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_GT(status.st_size, 1 << 20);
  EXPECT_LT(status.st_blocks * 512, 64 * 1024) << "holes are not punched on this file system";
}

} // namespace
} // namespace garner::tool
