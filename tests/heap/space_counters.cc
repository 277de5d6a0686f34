// N2, N22: a space's counter, and nothing else, decides when a request fails; what is handed out is disjoint, and gaps can be filled.
#include <map>
#include <vector>

#include "bare_heap.h"

namespace garner::test {
namespace {

using synthetic::fill;

TEST(SpaceCounters, N22FailsExactlyAtTheLimit) {
  for (u64 limit : {64 * KiB, 200 * KiB, 1000 * KiB}) {
    BareHeap bare;
    bare.space.set_limit(limit);
    u64 taken = 0;
    while (true) {
      Range range = bare.space.take(1024, 8192);
      if (range.begin == 0) break;
      taken += range.bytes();
      fill(range.begin, range.bytes());
    }
    EXPECT_EQ(bare.space.used(), taken);
    EXPECT_LE(taken, limit);
    EXPECT_GT(taken + 1024, limit) << "refused although the request still fitted";
    bare.space.reset_used();
    EXPECT_NE(bare.space.take(1024, 1024).begin, 0u);
  }
}

TEST(SpaceCounters, WhoIsRefusedIsToldWhetherOthersHadIt) {
  BareHeap bare;
  bare.space.set_limit(256 * KiB);
  EXPECT_FALSE(bare.space.given_out());
  for (u32 i = 0; i < 3; i++) ASSERT_NE(bare.space.take(32 * KiB, 32 * KiB).begin, 0u);
  EXPECT_FALSE(bare.space.given_out());
  while (bare.space.take(32 * KiB, 32 * KiB).begin != 0) {}
  EXPECT_TRUE(bare.space.given_out());
  bare.space.reset_used();
  EXPECT_FALSE(bare.space.given_out());
}

// A part of the limit is enough from a time on; nobody asks what time it is who wants no more than that.
TEST(SpaceCounters, N12FromATimeOnLessIsAllowed) {
  BareHeap bare;
  bare.machine.slow_ns = 1;
  auto take = [&] { return bare.space.take(32 * KiB, 32 * KiB).begin != 0; };
  bare.space.set_limit(256 * KiB, 128 * KiB, 1000);
  const u64 before = bare.machine.clock;
  for (u32 i = 0; i < 3; i++) ASSERT_TRUE(take());
  EXPECT_EQ(bare.machine.clock, before) << "nobody asked the time";
  EXPECT_FALSE(bare.space.given_out()) << "half of the limit, until then";
  const u64 asked = bare.machine.clock;
  ASSERT_TRUE(take());
  EXPECT_EQ(bare.machine.clock, asked) << "nor who takes the last of them";
  EXPECT_TRUE(take()) << "it is not the time yet";
  bare.machine.clock = 1000;
  EXPECT_FALSE(take());
  EXPECT_TRUE(bare.space.given_out());
  EXPECT_EQ(bare.space.used(), 160 * KiB);
  bare.space.reset_used();
  ASSERT_TRUE(take());
  EXPECT_FALSE(bare.space.given_out());
  ASSERT_TRUE(take());
  EXPECT_TRUE(bare.space.given_out()) << "half of what is allowed by now, of which nothing has been refused";
  for (u32 i = 0; i < 2; i++) ASSERT_TRUE(take());
  EXPECT_FALSE(take());
  bare.space.set_limit(256 * KiB);
  for (u32 i = 0; i < 4; i++) ASSERT_TRUE(take()) << "a new limit is all there is until something else is said";
  bare.space.set_limit(128 * KiB, 512 * KiB, 0);
  EXPECT_FALSE(take()) << "never more than the limit";
}

TEST(SpaceCounters, N22GrowingAndShrinkingTheLimitMakesNoSystemCall) {
  BareHeap bare;
  for (u32 i = 0; i < 20; i++) bare.space.take(64 * KiB, 64 * KiB); // regions in use
  u64 calls = bare.machine.calls;
  for (u64 limit = 0; limit < 32 * MiB; limit += MiB) {
    bare.space.set_limit(limit);
    bare.space.reset_used();
    for (u32 i = 0; i < 10; i++) bare.space.take(1024, 16 * KiB);
  }
  EXPECT_EQ(bare.machine.calls, calls);
}

// More holes than will be asked for: those of the emptiest region are left alone while there are others, and given before another region is taken.
TEST(SpaceCounters, HolesOfTheEmptiestRegionsRest) {
  BareHeap bare(2 * MiB);
  u32 regions[3];
  for (u32 i = 0; i < 3; i++) {
    regions[i] = bare.heap.take_region(Role::eden, kLabelEden, 0);
    auto& r = bare.heap.region(regions[i]);
    const word begin = bare.heap.begin_of(regions[i]);
    r.top.store_relaxed(begin + 64 * KiB);
    r.live_bytes = (2 - i) * 16 * KiB;
    fill(begin, 64 * KiB);
    for (word at = begin + r.live_bytes; at < begin + 64 * KiB; at += 16 * KiB) bare.space.add_hole(at, at + 16 * KiB);
  }
  const usize keep = 32 * KiB + 40 * KiB; // all of the first region's, half of the second's
  bare.space.rest(keep);
  EXPECT_EQ(bare.space.hole_bytes(), 9 * 16 * KiB);
  u32 given[3] = {};
  auto take = [&](u32& where) {
    Range range = bare.space.take(16 * KiB, 16 * KiB);
    where = range.begin == 0 ? kNoRegion : bare.heap.index_of(ref_of(range.begin));
    return range.begin != 0;
  };
  u32 where;
  for (u32 i = 0; i < 5; i++) {
    ASSERT_TRUE(take(where));
    ASSERT_LE(where, regions[1]) << "take " << i;
    given[where]++;
  }
  EXPECT_EQ(given[regions[0]], 2u);
  EXPECT_EQ(given[regions[1]], 3u) << "of the last class no more rests than there is too much";
  u32 fresh = 0, rested = 0;
  while (take(where)) {
    (where > regions[2] ? fresh : rested)++;
    ASSERT_TRUE(where <= regions[2] || rested == 4) << "a new region while holes rest";
  }
  EXPECT_GT(fresh, 0u);
  EXPECT_EQ(rested, 4u);
  EXPECT_EQ(bare.space.hole_bytes(), 0u);
}

// Whatever sizes are asked for, ranges do not overlap and every gap between them, holes' rests included, takes a filler.
TEST(SpaceCounters, N2RangesAreDisjointAndGapsAreWalkable) {
  Random random(3);
  for (u32 round = 0; round < 300; round++) {
    BareHeap bare;
    std::map<word, word> taken;
    auto walk = [&] {
      bare.heap.each_region([&](u32 index, auto& r) {
        word at = bare.heap.begin_of(index), top = r.top.load_relaxed();
        while (at < top) {
          if (auto it = taken.find(at); it != taken.end()) at = it->second;
          else {
            ASSERT_TRUE(synthetic::plausible(ref_of(at))) << "round " << round;
            ASSERT_TRUE(synthetic::is_filler(ref_of(at)));
            at += synthetic::bytes_of(synthetic::type_of(ref_of(at)));
          }
        }
        ASSERT_EQ(at, top);
      });
    };
    for (u32 step = 0; step < 120; step++) {
      usize least = kMinObjectBytes + random.below(300) * kWordBytes, want = random.one_in(2) ? least : least + random.below(400) * kWordBytes;
      Range range = bare.space.take(least, want);
      ASSERT_NE(range.begin, 0u);
      ASSERT_GE(range.bytes(), least);
      ASSERT_LE(range.bytes(), want) << "more than was asked for: an object placed alone would leave an unfilled rest";
      auto next = taken.lower_bound(range.begin);
      ASSERT_TRUE(next == taken.end() || next->first >= range.end);
      ASSERT_TRUE(next == taken.begin() || std::prev(next)->second <= range.begin);
      taken[range.begin] = range.end;
      if (random.one_in(3) && !taken.empty()) { // something dies: a hole
        auto it = taken.begin();
        std::advance(it, i64(random.below(taken.size())));
        fill(it->first, it->second - it->first);
        bare.space.add_hole(it->first, it->second);
        taken.erase(it);
      }
      if (random.one_in(40)) bare.space.align_to_card();
      if (random.one_in(60)) bare.space.abandon();
    }
    walk();
    if (HasFatalFailure()) return;
  }
}

TEST(SpaceCounters, N2EveryHoleIsReachable) {
  BareHeap bare;
  std::vector<Range> ranges;
  for (u32 i = 0; i < 24; i++) {
    Range range = bare.space.take(2048, 2048);
    fill(range.begin, range.bytes());
    ranges.push_back(range);
  }
  for (usize i = 0; i < ranges.size(); i += 2) { // small holes first and last, large ones between
    usize bytes = i == 0 || i + 2 == ranges.size() ? 512 : 2048;
    fill(ranges[i].begin, bytes);
    if (bytes != 2048) fill(ranges[i].begin + bytes, 2048 - bytes);
    bare.space.add_hole(ranges[i].begin, ranges[i].begin + bytes);
  }
  word top = bare.heap.region(bare.space.current()).top.load_relaxed();
  u32 from_holes = 0;
  for (u32 i = 0; i < 30; i++) from_holes += bare.space.take(1504, 1504).begin < top;
  EXPECT_EQ(from_holes, 10u) << "large holes between two small ones were never tried";
}

// A buffer of several holes, for one visit: of as many bytes as were wanted at most, all of them counted, and none where none are asked for.
TEST(SpaceCounters, N2ABatchOfHolesIsABuffer) {
  using Batch = Space<CountingLinux>::Batch;
  BareHeap bare;
  constexpr u32 kHoles = 40;
  std::map<word, usize> holes;
  for (u32 i = 0; i < kHoles; i++) {
    const usize bytes = i % 4 == 0 ? 256 : 1024; // beside each a kilobyte in use
    Range range = bare.space.take(bytes + 1024, bytes + 1024);
    fill(range.begin, bytes);
    holes[range.begin] = bytes;
  }
  bare.space.reset_used();
  for (auto [begin, bytes] : holes) bare.space.add_hole(begin, begin + bytes);
  usize had = bare.space.hole_bytes(), taken = 0;
  auto is_hole = [&](const Range& range) {
    auto it = std::prev(holes.upper_bound(range.begin));
    return range.begin >= it->first && range.end <= it->first + it->second;
  };
  Range alone = bare.space.take(512, 8192);
  EXPECT_EQ(alone.bytes(), 1024u);
  taken += alone.bytes();
  had -= alone.bytes();
  for (usize want : {1024u, 1200u, 1280u, 3000u, 8192u, 65536u}) {
    Batch batch;
    Range first = bare.space.take(512, want, 0, &batch);
    ASSERT_NE(first.begin, 0u);
    usize bytes = first.bytes(), listed = 0;
    EXPECT_TRUE(is_hole(first));
    for (u32 i = 0; i < batch.count; i++) {
      EXPECT_TRUE(is_hole(batch.ranges[i]));
      EXPECT_GE(batch.ranges[i].bytes(), 256u);
      listed += batch.ranges[i].bytes();
    }
    EXPECT_EQ(listed, batch.bytes);
    bytes += batch.bytes;
    EXPECT_LE(bytes, want);
    EXPECT_EQ(batch.count == 0, want < 1280) << want << ": what is left of it is no hole that is worth an entry";
    if (want >= 3000 && batch.count < Batch::kMost) EXPECT_GT(bytes + 256, want) << "it ended early";
    taken += bytes;
    EXPECT_EQ(bare.space.used(), taken);
    EXPECT_LE(bare.space.hole_bytes(), had - bytes);
    EXPECT_GT(bare.space.hole_bytes() + 256, had - bytes) << "more was lost than the rest of the last one";
    had = bare.space.hole_bytes();
  }
  Batch rest;
  EXPECT_FALSE(is_hole(bare.space.take(4096, 8192, 0, &rest))) << "no hole has room for its first object";
  EXPECT_EQ(rest.count, 0u);
}

TEST(SpaceCounters, N2ManyThreadsNeverShareARange) {
  struct Team {
    BareHeap bare;
    Atomic<u32> number, gone;
    std::vector<Range> mine[4];
  } team;
  for (u32 i = 0; i < 40; i++) { // holes to fight for
    Range range = team.bare.space.take(4096, 4096);
    fill(range.begin, range.bytes());
    if (i % 4 == 0) team.bare.space.add_hole(range.begin, range.end);
    if (i % 4 == 2) // small ones, several for a buffer
      for (word at = range.begin; at < range.end; at += 512) {
        fill(at, 512);
        team.bare.space.add_hole(at, at + 512);
      }
  }
  for (u32 t = 0; t < 4; t++)
    ASSERT_TRUE(team.bare.machine.start([](void* arg) {
      Team& all = *static_cast<Team*>(arg);
      u32 me = all.number.fetch_add_relaxed(1);
      Random random(me);
      for (u32 i = 0; i < 1500; i++) {
        Space<CountingLinux>::Batch batch;
        all.mine[me].push_back(all.bare.space.take(24 + random.below(100) * 8, 2048, 0, random.one_in(3) ? nullptr : &batch));
        for (u32 k = 0; k < batch.count; k++) all.mine[me].push_back(batch.ranges[k]);
      }
      all.gone.fetch_add_acq_rel(1);
    }, &team));
  CountingLinux::Self self(team.bare.machine, 0);
  while (team.gone.load_acquire() != 4) self.yield();
  std::map<word, word> taken;
  for (auto& list : team.mine)
    for (Range& range : list) {
      ASSERT_NE(range.begin, 0u);
      auto next = taken.lower_bound(range.begin);
      ASSERT_TRUE(next == taken.end() || next->first >= range.end);
      ASSERT_TRUE(next == taken.begin() || std::prev(next)->second <= range.begin);
      taken[range.begin] = range.end;
    }
}

} // namespace
} // namespace garner::test
