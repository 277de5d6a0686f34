// What `garner top` draws, as text: made-up figures at several sizes, and whatever a hostile page may hold.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "live_process.h"
#include "top_view.h"

namespace garner::tool {
namespace {

constexpr uint64_t kMs = 1'000'000, kSecond = 1000 * kMs, kMiB = 1 << 20;

// A page after `collections` collections, one every 100 ms: every tenth full, pauses of 1 to 8 ms.
std::unique_ptr<LivePage> made_up(uint64_t collections, uint32_t workers) {
  auto page = std::make_unique<LivePage>();
  page->start = {4242, 5 * kSecond, 256 << 30, 256 << 10, workers, 1, "dotnet", "garner"};
  page->now.limit = 512 * kMiB;
  for (uint64_t i = 1; i <= collections; i++) {
    const bool full = i % 10 == 0;
    const uint64_t pause = (1 + i * 5 % 8) * kMs;
    page->cycles[(i - 1) % kLiveCycles] = {i, 5 * kSecond + i * 100 * kMs, pause, kMs / 25, full ? 2u | 2u << 8 : 0u, 96 * kMiB, 32 * kMiB, 6 * kMiB};
    page->now.kinds[full ? 2 : 0]++;
    page->now.causes[full ? 2 : 0]++;
    page->now.total_pause_ns += pause;
    page->now.longest_pause_ns = std::max(page->now.longest_pause_ns, pause);
  }
  page->now.collections = collections;
  page->now.committed = 96 * kMiB;
  page->now.eden_next = 64 * kMiB;
  page->now.allocated = 3000 * kMiB;
  const uint64_t taken[] = {kMiB, 6 * kMiB, 25 * kMiB, 12 * kMiB, kMiB / 2}, holes[] = {0, 0, 4 * kMiB, 0, kMiB / 4};
  std::memcpy(page->now.taken, taken, sizeof taken);
  std::memcpy(page->now.holes, holes, sizeof holes);
  for (uint32_t i = 0; i < std::min(workers, kLiveWorkers); i++) {
    page->workers[i].cycle = i == 1 ? collections - 1 : collections;
    page->workers[i].cycles = collections - i;
    page->workers[i].last = {1000 + i, (2 + i) * kMiB, 0, 3 + i, 100, 1000};
    page->workers[i].all = {123456 + i, (200 + i) * kMiB, 0, 300 + i, 250, 1000};
  }
  return page;
}
const TopSubject kSubject = {4242, "dotnet app.dll --size small", 18 * kSecond};
std::string drawn(const LivePage& page, const TopFrame& frame) { return plain_text(top_lines(checked(page), kSubject, frame)); }

TEST(TopView, AsWideAsATerminal) {
  EXPECT_EQ(drawn(*made_up(123, 2), {80, 24}), R"(4242 dotnet app.dll --size small                                      up 0:00:13
door dotnet, preset garner, 2 workers, regions of 256.0K, 2.9G allocated in all

heap          used   holes  after collection 123, young0 eden_full, 0.7 s ago
  eden        1.0M       0  ██  up to 64.0M when it began
  survivor    6.0M       0  ████████████
  old        21.0M    4.0M  ███████████████████████████████████████████░░░░░░░░
  large      12.0M       0  ████████████████████████
  pinned    256.0K  256.0K  █
  all        40.2M    4.2M  committed 96.0M, limit 512.0M, next eden 64.0M

pauses     last 8.00 ms (0.04 to stop), longest 8.00 ms; 4.3 % of all time
last 123   p50 5.00, p90 8.00, p99 8.00 ms; 4.3 % since collection 1
kinds      young0 111, full 12
causes     eden_full 111, induced 12
last pauses, ms                                                  █ young  █ full
   8.00 │ ▅  ▂ █  ▅  ▂ █  ▅  ▂ █  ▅  ▂ █  ▅  ▂ █  ▅  ▂ █  ▅  ▂ █  ▅  ▂ █  ▅  ▂ █
        │ █▄ █▁█▇ █▄ █▁█▇ █▄ █▁█▇ █▄ █▁█▇ █▄ █▁█▇ █▄ █▁█▇ █▄ █▁█▇ █▄ █▁█▇ █▄ █▁█
      0 │▆██▃████▆██▃████▆██▃████▆██▃████▆██▃████▆██▃████▆██▃████▆██▃████▆██▃███

worker last: objects   bytes  steals  idle  all: objects   bytes  steals  idle
     0          1000    2.0M       3  10 %          123k  200.0M     300  25 %
     1             0       0       0     -          123k  201.0M     301  25 %
q quit  space freeze                                                   every 1 s
)");
}

TEST(TopView, SmallAndWithoutBlocks) {
  EXPECT_EQ(drawn(*made_up(123, 2), {40, 12, false}), R"(4242 dotnet app.dll --size sm up 0:00:13
heap          used   holes  after 123
  eden        1.0M       0
  survivor    6.0M       0  ###
  old        21.0M    4.0M  #########..
  large      12.0M       0  #####
  pinned    256.0K  256.0K
  all        40.2M    4.2M  96.0M/512.0M
pauses   8.00, longest 8.00 ms, 4.3 %
last 123 p50 5.00 p90 8.00 p99 8.00 ms
kinds    young0 111, full 12
q quit  space freeze           every 1 s
)");
}

TEST(TopView, TheChartTakesTheHeightThatIsThere) {
  const std::string all = drawn(*made_up(123, 2), {200, 60});
  size_t lines = 0, empty = 0;
  for (size_t at = 0, end; (end = all.find('\n', at)) != std::string::npos; at = end + 1) lines++, empty += end == at;
  EXPECT_EQ(lines, 60u);
  EXPECT_LE(empty, 3u) << all;
}

TEST(TopView, TheProgramsNameStaysInTheTitle) {
  EXPECT_EQ(short_command("dotnet /opt/service/bin/Workloads.dll gcbench", 45), "dotnet /opt/service/bin/Workloads.dll gcbench");
  EXPECT_EQ(short_command("dotnet /opt/service/bin/Workloads.dll gcbench", 44), "dotnet Workloads.dll gcbench");
  EXPECT_EQ(short_command("dotnet /opt/service/bin/Workloads.dll gcbench", 20), "dotnet Workloads.dll");
  EXPECT_EQ(short_command("/a/ / /b//c", 5), "/a/ /");
  EXPECT_EQ(short_command("/ü/nïña b", 4), "nïña");
  EXPECT_EQ(short_command("", 0), "");
}

TEST(TopView, BeforeTheFirstCollection) {
  EXPECT_EQ(drawn(*made_up(0, 0), {80, 0}), R"(4242 dotnet app.dll --size small                                      up 0:00:13
door dotnet, preset garner, 0 workers, regions of 256.0K, 2.9G allocated in all

heap          used   holes  no collection yet
  eden        1.0M       0  ██
  survivor    6.0M       0  ████████████
  old        21.0M    4.0M  ███████████████████████████████████████████░░░░░░░░
  large      12.0M       0  ████████████████████████
  pinned    256.0K  256.0K  █
  all        40.2M    4.2M  committed 96.0M, limit 512.0M, next eden 64.0M

pauses     none yet
last 0     none yet
kinds      none
causes     none
)");
}

TEST(TopView, FrozenIsSaid) {
  TopFrame frame = {80, 24};
  EXPECT_EQ(drawn(*made_up(9, 2), frame).find("FROZEN"), std::string::npos);
  frame.frozen = true;
  EXPECT_NE(drawn(*made_up(9, 2), frame).find("FROZEN"), std::string::npos);
}

TEST(TopView, WorkersThatFindNoRoomAreCounted) {
  const std::string few = drawn(*made_up(20, 200), {80, 24}), all = drawn(*made_up(20, 200), {80, 0});
  EXPECT_NE(few.find(" more are not shown"), std::string::npos) << few;
  EXPECT_NE(all.find("\n   136 more are not shown\n"), std::string::npos) << all;
  EXPECT_NE(all.find("\n    63 "), std::string::npos) << all;
}

TEST(TopView, ALimitThatIsNearlyReachedIsAnAlarm) {
  auto page = made_up(20, 2);
  page->now.committed = 500 * kMiB;
  bool alarmed = false;
  for (const StyledLine& line : top_lines(checked(*page), kSubject, {80, 24}))
    for (const StyledText& piece : line) alarmed |= piece.style == Style::alarm && piece.text.find("committed 500.0M") == 0;
  EXPECT_TRUE(alarmed);
}

size_t columns(const StyledLine& line) {
  size_t all = 0;
  for (const StyledText& piece : line)
    for (char c : piece.text) all += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return all;
}
void expect_fits(const LivePage& page, const TopFrame& frame) {
  const std::vector<StyledLine> lines = top_lines(checked(page), kSubject, frame);
  ASSERT_LE(lines.size(), std::max<size_t>(frame.height, 1));
  for (const StyledLine& line : lines) ASSERT_LE(columns(line), frame.width);
}

TEST(TopView, FitsEveryTerminal) {
  const auto page = made_up(300, 70);
  for (size_t width = 1; width <= 200; width += width < 90 ? 1 : 13)
    for (size_t height = 1; height <= 100; height += height < 40 ? 1 : 7) {
      expect_fits(*page, {width, height});
      expect_fits(*page, {width, height, false});
    }
}

TEST(HostilePage, WhateverStandsInItIsDrawnInBounds) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; round++) {
    auto page = round % 2 == 0 ? std::make_unique<LivePage>() : made_up(300, 70);
    auto* words = reinterpret_cast<uint64_t*>(page.get());
    for (size_t i = 0; i < sizeof(LivePage) / 8; i++)
      if (round % 2 == 0 || random() % 20 == 0) words[i] = random() % 4 == 0 ? ~uint64_t(0) : random() >> random() % 64;
    if (round % 4 == 0) page->now.collections = ~uint64_t(0) - uint64_t(round);
    expect_fits(*page, {80, 24});
    expect_fits(*page, {40, 12, false});
    top_lines(checked(*page), kSubject, {80, 0});
  }
}

TEST(HostilePage, CollectionsThatAreNotWhatTheirPlacesSayAreLeftOut) {
  auto page = made_up(300, 2);
  page->cycles[(299) % kLiveCycles].index = 7;
  page->cycles[(298) % kLiveCycles].what = 3;        // no kind
  page->cycles[(297) % kLiveCycles].what = 200 << 8; // no cause
  page->cycles[(297 - 1) % kLiveCycles].what = 2 | u64(Cause::no_room) << 8; // the last one there is
  const LiveFigures figures = checked(*page);
  ASSERT_EQ(figures.last.size(), kLiveCycles - 3u);
  EXPECT_EQ(figures.last.front().index, 45u);
  EXPECT_EQ(figures.last.back().index, 297u);
}

TEST(HostilePage, TextIsCutAndPrintable) {
  auto page = made_up(3, 2);
  std::memset(page->start.door, 'x', sizeof page->start.door); // without an end
  std::memcpy(page->start.preset, "a\x1b[2J\xff\n", 8);
  const LiveFigures figures = checked(*page);
  EXPECT_EQ(figures.door, std::string(16, 'x'));
  EXPECT_EQ(figures.preset, "a?[2J??");
}

TEST(TopFigures, SizesAndCounts) {
  EXPECT_EQ(short_bytes(0), "0");
  EXPECT_EQ(short_bytes(1023), "1023");
  EXPECT_EQ(short_bytes(1024), "1.0K");
  EXPECT_EQ(short_bytes(kMiB - 1), "1.0M");
  EXPECT_EQ(short_bytes(~uint64_t(0)), "16.0E");
  EXPECT_EQ(short_count(99'999), "99999");
  EXPECT_EQ(short_count(123'456), "123k");
  EXPECT_EQ(short_count(1'500'000), "1.5M");
  EXPECT_EQ(short_count(~uint64_t(0)), "18.4E");
}

} // namespace
} // namespace garner::tool
