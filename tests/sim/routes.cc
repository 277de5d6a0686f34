// Ways through a machine: the shortest, of several by the lowest-numbered neighbour, or the file's own; what has no way is refused.
#include <gtest/gtest.h>

#include "shapes.h"

namespace garner {
namespace {

void link(sim::Shape& s, u32 a, u32 b) {
  s.link[s.links++] = {u8(a), u8(b), 1000};
  s.link[s.links++] = {u8(b), u8(a), 1000};
}

TEST(Routes, TwoHopsPassTheLowestNumberedCommonNeighbour) {
  sim::Shape s{};
  s.nodes = 5;
  memset(s.step, sim::kNoStep, sizeof s.step);
  link(s, 0, 3), link(s, 0, 2), link(s, 2, 4), link(s, 3, 4), link(s, 0, 1);
  u32 from, to;
  ASSERT_TRUE(sim::find_routes(s, from, to));
  EXPECT_EQ(s.step[0][4], 2u);
  EXPECT_EQ(s.step[4][0], 2u);
  EXPECT_EQ(s.step[1][4], 0u);
  EXPECT_EQ(s.step[0][3], 3u);
}

TEST(Routes, AGivenStepIsKept) {
  sim::Shape s{};
  s.nodes = 5;
  memset(s.step, sim::kNoStep, sizeof s.step);
  link(s, 0, 3), link(s, 0, 2), link(s, 2, 4), link(s, 3, 4), link(s, 0, 1);
  s.step[0][4] = 3;
  u32 from, to;
  ASSERT_TRUE(sim::find_routes(s, from, to));
  EXPECT_EQ(s.step[0][4], 3u);
  EXPECT_EQ(s.step[1][4], 0u);
}

TEST(Routes, WhatHasNoWayOrACircleIsRefused) {
  sim::Shape s{};
  s.nodes = 3;
  memset(s.step, sim::kNoStep, sizeof s.step);
  link(s, 0, 1);
  u32 from = 9, to = 9;
  EXPECT_FALSE(sim::find_routes(s, from, to));
  EXPECT_TRUE((from == 2) != (to == 2));
  link(s, 1, 2);
  memset(s.step, sim::kNoStep, sizeof s.step);
  s.step[0][2] = 1;
  s.step[1][2] = 0;
  EXPECT_FALSE(sim::find_routes(s, from, to));
}

TEST(Routes, ShapesThatCannotBeAreNamed) {
  sim::Shape good = line_of_nodes(3, 2);
  EXPECT_EQ(sim::check_shape(good), nullptr);
  auto wrong = [&](auto change) {
    sim::Shape s = good;
    change(s);
    return sim::check_shape(s) != nullptr;
  };
  EXPECT_TRUE(wrong([](sim::Shape& s) { s.nodes = 0; }));
  EXPECT_TRUE(wrong([](sim::Shape& s) { s.nodes = 65; }));
  EXPECT_TRUE(wrong([](sim::Shape& s) { s.links = 0; }));
  EXPECT_TRUE(wrong([](sim::Shape& s) { s.step[0][2] = 2; }));
  EXPECT_TRUE(wrong([](sim::Shape& s) { s.distance_of[1][2] = 7; }));
  EXPECT_TRUE(wrong([](sim::Shape& s) { s.memory[0].read_ps_per_kib = 0; }));
  EXPECT_TRUE(wrong([](sim::Shape& s) { s.memory[0].granule = 96; }));
  EXPECT_TRUE(wrong([](sim::Shape& s) { s.memory[0].tier = 1; }));
  EXPECT_TRUE(wrong([](sim::Shape& s) { s.page_bytes = 5000; }));
  EXPECT_TRUE(wrong([](sim::Shape& s) { s.prefetch_lines = 65; }));
}

} // namespace
} // namespace garner
