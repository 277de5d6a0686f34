// Pauses from the runtime's trace files: a file as the event pipe writes it, put together here byte by byte.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "paths.h"
#include "pause_trace.h"

namespace garner::tool {
namespace {

template <class T> std::string raw(T value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); }
std::string wide(const std::string& text) {
  std::string all;
  for (char c : text + '\0') all += raw(char16_t(c));
  return all;
}
std::string variable(uint64_t value) {
  std::string all;
  for (; value >= 0x80; value >>= 7) all += char(0x80 | (value & 0x7f));
  return all + char(value);
}

class TraceFile {
 public:
  TraceFile() : bytes_("Nettrace" + raw(uint32_t(20)) + "!FastSerialization.1") {
    begin("Trace");
    bytes_ += std::string(16, '\0') + raw(uint64_t(5)) + raw(uint64_t(1000)) + std::string(16, '\0'); // 1000 ticks a second
    bytes_ += '\x06';
  }
  void block(const std::string& type, const std::string& events) {
    begin(type);
    std::string block = raw(uint16_t(20)) + raw(uint16_t(1)) + std::string(16, '\0') + events;
    bytes_ += raw(uint32_t(block.size()));
    while (bytes_.size() % 4 != 0) bytes_ += '\0';
    bytes_ += block + '\x06';
  }
  std::string done() const { return bytes_ + '\x01'; }
  const std::string& bytes() const { return bytes_; }

 private:
  void begin(const std::string& type) {
    bytes_ += std::string("\x05\x05\x01") + raw(uint32_t(2)) + raw(uint32_t(2)) + raw(uint32_t(type.size())) + type + '\x06';
  }
  std::string bytes_;
};

std::string meaning(uint32_t number, const std::string& provider, uint32_t event) {
  std::string payload = raw(number) + wide(provider) + raw(event) + wide("") + std::string(20, '\0');
  return char(0x80) + variable(0) + variable(payload.size()) + payload;
}
// All header fields, so that each is skipped rightly.
std::string event(uint32_t number, uint64_t after, const std::string& payload) {
  return char(0xff) + variable(number) + variable(7) + variable(1ull << 63) + variable(3) + variable(300) + variable(2) + variable(after) +
         std::string(32, 'x') + variable(payload.size()) + payload;
}
std::string suspend(uint64_t after, uint32_t reason) { return event(1, after, raw(reason) + raw(uint32_t(0)) + raw(uint16_t(0))); }
std::string restart(uint64_t after) { return event(2, after, raw(uint16_t(0))); }

constexpr const char* kRuntime = "Microsoft-Windows-DotNETRuntime";
std::string meanings() { return meaning(1, kRuntime, 9) + meaning(2, kRuntime, 3) + meaning(3, kRuntime, 1) + meaning(4, "Another", 9); }

std::vector<double> pauses_of(const std::string& bytes) {
  std::vector<double> pauses;
  EXPECT_TRUE(read_pause_trace(bytes, pauses));
  return pauses;
}

TEST(PauseTraces, StopsForCollectionsAreMeasured) {
  TraceFile file;
  file.block("MetadataBlock", meanings());
  file.block("EventBlock", suspend(1000, 1) + event(3, 1, "") + restart(4) + suspend(100, 6) + restart(20));
  EXPECT_EQ(pauses_of(file.done()), (std::vector<double>{5, 20}));
}

TEST(PauseTraces, OtherStopsAndOtherProvidersAreNot) {
  TraceFile file;
  file.block("MetadataBlock", meanings());
  file.block("EventBlock", suspend(1000, 0) + restart(4) + event(4, 5, raw(uint32_t(1))) + restart(9) + event(99, 1, "") + suspend(1, 1) + restart(2));
  EXPECT_EQ(pauses_of(file.done()), (std::vector<double>{2}));
}

TEST(PauseTraces, BlocksOfDifferentThreadsAreSortedByTime) {
  TraceFile file;
  file.block("MetadataBlock", meanings());
  file.block("EventBlock", restart(1010) + restart(90));
  file.block("StackBlock", "");
  file.block("EventBlock", suspend(1000, 1) + suspend(97, 1));
  EXPECT_EQ(pauses_of(file.done()), (std::vector<double>{10, 3}));
}

TEST(PauseTraces, ACutFileIsReadUpToTheCut) {
  TraceFile file;
  file.block("MetadataBlock", meanings());
  file.block("EventBlock", suspend(1000, 1) + restart(5));
  size_t whole = file.bytes().size();
  file.block("EventBlock", suspend(2000, 1) + restart(5));
  EXPECT_EQ(pauses_of(file.bytes().substr(0, whole)), (std::vector<double>{5}));
  for (size_t size = 100; size < file.bytes().size(); size++) {
    std::vector<double> pauses;
    read_pause_trace(file.bytes().substr(0, size), pauses);
    EXPECT_LE(pauses.size(), 2u);
  }
}

TEST(PauseTraces, WhatIsNoTrace) {
  std::vector<double> pauses;
  EXPECT_FALSE(read_pause_trace("", pauses));
  EXPECT_FALSE(read_pause_trace("Nettrace", pauses));
  EXPECT_FALSE(read_pause_trace(std::string(5000, 'x'), pauses));
}

TEST(PauseTraces, AllProcessesOfADirectory) {
  TempDirectory temporary;
  std::vector<double> pauses;
  EXPECT_FALSE(read_pause_traces(temporary.path(), pauses));
  TraceFile file;
  file.block("MetadataBlock", meanings());
  file.block("EventBlock", suspend(1000, 1) + restart(5));
  std::ofstream(temporary.path() / "1.nettrace", std::ios::binary) << file.done();
  std::ofstream(temporary.path() / "2.nettrace", std::ios::binary) << file.done();
  std::ofstream(temporary.path() / "other.txt") << "text";
  EXPECT_TRUE(read_pause_traces(temporary.path(), pauses));
  EXPECT_EQ(pauses, (std::vector<double>{5, 5}));
}

} // namespace
} // namespace garner::tool
