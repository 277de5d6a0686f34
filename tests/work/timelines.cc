// A worker's timeline is bounded, and what is joined loses names, not time.
#include <gtest/gtest.h>

#include "work/timeline.h"

namespace garner {
namespace {

TEST(Timelines, ChangesAreSpansAndTheSameIsNone) {
  Timeline line;
  line.clear();
  line.enter(Activity::roots, 100);
  line.enter(Activity::roots, 110);
  line.enter(Activity::copies, 150);
  line.enter(Activity::steals, 150); // nothing in between
  line.close(190);
  line.close(200); // once
  ASSERT_EQ(line.count(), 2u);
  EXPECT_EQ(line.spans()[0].what, Activity::roots);
  EXPECT_EQ(line.spans()[0].end_ns, 150u);
  EXPECT_EQ(line.spans()[1].what, Activity::steals);
  EXPECT_EQ(line.total_ns()[u8(Activity::roots)], 50u);
  EXPECT_EQ(line.total_ns()[u8(Activity::copies)], 0u);
  line.clear();
  EXPECT_EQ(line.count() + line.total_ns()[u8(Activity::roots)], 0u);
}

TEST(Timelines, AFullListIsJoinedAndKeepsTheTime) {
  Timeline line;
  line.clear();
  u64 now = 1000, copies = 0, steals = 0;
  for (u32 i = 0; i < 10000; i++) {
    line.enter(Activity::copies, now);
    now += 30, copies += 30;
    line.enter(Activity::steals, now);
    now += 10, steals += 10;
  }
  line.close(now);
  EXPECT_LE(line.count(), Timeline::kMost);
  EXPECT_EQ(line.total_ns()[u8(Activity::copies)], copies);
  EXPECT_EQ(line.total_ns()[u8(Activity::steals)], steals);
  u64 shown = 0;
  for (u32 i = 0; i < line.count(); i++) {
    if (i != 0) EXPECT_EQ(line.spans()[i].begin_ns, line.spans()[i - 1].end_ns);
    shown += line.spans()[i].end_ns - line.spans()[i].begin_ns;
  }
  EXPECT_EQ(shown, now - 1000);
}

TEST(Timelines, WhatStandsApartIsNotJoined) {
  Timeline line;
  line.clear();
  u64 now = 0;
  for (u32 i = 0; i < 2 * Timeline::kMost; i++, now += 100) {
    line.enter(Activity::roots, now);
    line.close(now + 10);
  }
  EXPECT_EQ(line.count(), Timeline::kMost);
  for (u32 i = 0; i < line.count(); i++) EXPECT_EQ(line.spans()[i].end_ns - line.spans()[i].begin_ns, 10u);
  EXPECT_EQ(line.total_ns()[u8(Activity::roots)], 20u * Timeline::kMost) << "sums go on";
}

} // namespace
} // namespace garner
