// N12 without a limit (PaceConfig::lean): how far eden grows for what it saves, how far old space may, and how much memory is kept for the copies to come.
#include "cycle/pace_world.h"

namespace garner::test {
namespace {

constexpr u64 kRoom = ~u64(0) >> 2;

PaceConfig lean_config() {
  PaceConfig c = config();
  c.lean = c.lean_growth = true;
  c.eden_start = 4 * MiB;
  c.eden_max = 64 * MiB;
  return c;
}

// Young collections that take so much of all time, of edens of which little survives. The eden that they end with.
u64 grown(const PaceConfig& config, double percent, u32 count, u64 pause_ns = 3'000'000, u64 live = 0, double survives = 0.1) {
  Pace pace;
  pace.init(config);
  const u64 room = config.limit != 0 ? config.limit : kRoom;
  if (live != 0) pace.after_full(live, live, room, MiB);
  for (u32 n = 0; n < count; n++) {
    const u64 eden = pace.eden();
    pace.after_young({.pause_ns = pause_ns, .interval_ns = u64(double(pause_ns) * (100 / percent - 1)), .eden_used = eden, .survived = u64(double(eden) * survives), .promoted = 0, .waited = 0, .old_bytes = live, .room = room});
  }
  return pace.eden();
}

TEST(PaceLean, N12EdenGrowsAsFarAsTheShareOfPausesIsWorth) {
  // So long pauses stay whatever eden is: a share of 5 % pays for 16 MiB, of 2.5 for 8, of 10 for 32.
  EXPECT_EQ(grown(lean_config(), 1.1, 100), 4 * MiB);
  EXPECT_EQ(grown(lean_config(), 2, 100), 8 * MiB);
  EXPECT_EQ(grown(lean_config(), 4, 100), 16 * MiB);
  EXPECT_EQ(grown(lean_config(), 7, 100), 32 * MiB);
  EXPECT_EQ(grown(lean_config(), 12, 200), 64 * MiB);
  EXPECT_EQ(grown(lean_config(), 4, 100, 11'000'000), 4 * MiB) << "a pause as long as it should be at most is made no longer";
  EXPECT_EQ(grown(lean_config(), 4, 100, 3'000'000, 0, 0.6), 4 * MiB) << "a larger eden of which most survives saves nothing";
  PaceConfig fat = lean_config();
  fat.lean = false;
  EXPECT_EQ(grown(fat, 4, 100), 4 * MiB);
  EXPECT_EQ(grown(fat, 7, 100), 64 * MiB);
}

TEST(PaceLean, N12AMomentIsNoProof) {
  EXPECT_EQ(grown(lean_config(), 30, 50, 300'000), 16 * MiB) << "50 ms";
  EXPECT_EQ(grown(lean_config(), 30, 350, 300'000), 32 * MiB) << "350 ms";
  EXPECT_EQ(grown(lean_config(), 30, 800, 300'000), 64 * MiB) << "800 ms";
  EXPECT_EQ(grown(lean_config(), 30, 50, 300'000, 0, 0.5), 16 * MiB) << "nor is it where much survives, and eden is to make a pause of a certain length";
}

// Hours of calm do not speak against a rush.
TEST(PaceLean, N12ARushIsWeighedByItself) {
  for (u32 calm : {1, 1000}) {
    Pace pace;
    pace.init(lean_config());
    auto young = [&](u64 pause_ns, u64 interval_ns) {
      const u64 eden = pace.eden();
      pace.after_young({.pause_ns = pause_ns, .interval_ns = interval_ns, .eden_used = eden, .survived = eden / 10, .promoted = 0, .waited = 0, .old_bytes = 0, .room = kRoom});
    };
    for (u32 n = 0; n < 10; n++) young(1'000'000, 9'000'000);
    EXPECT_EQ(pace.eden(), 16 * MiB);
    for (u32 n = 0; n < calm; n++) young(1'000'000, 10'000'000'000);
    for (u32 n = 0; n < 300; n++) young(1'000'000, 4'000'000);
    EXPECT_EQ(pace.eden(), 64 * MiB) << calm << " calm collections";
  }
}

// Nearly all survives, in a large heap, and each look takes long.
TEST(PaceLean, N12EdensThatArePromotedEnMasseGrowAsFarAsTheyMay) {
  for (u64 most : {6, 64}) {
    Pace pace;
    PaceConfig c = lean_config();
    c.eden_max = most * MiB;
    pace.init(c);
    const u64 live = 1000 * MiB;
    pace.after_full(live, live, kRoom, 300'000'000);
    u64 first = 0, largest = 0;
    for (u32 n = 0; n < 200; n++) {
      const u64 eden = pace.eden();
      if (pace.promotes_en_masse(eden, live, kRoom)) pace.after_en_masse(50'000, 10'000'000, live, kRoom);
      else pace.after_young({.pause_ns = 15'000'000, .interval_ns = 10'000'000, .eden_used = eden, .survived = eden / 20 * 19, .promoted = 0, .waited = 0, .old_bytes = live, .room = kRoom});
      if (n == 0) first = pace.eden();
      largest = max_of(largest, pace.eden());
    }
    EXPECT_LE(first, 8 * MiB);
    EXPECT_EQ(largest, most * MiB);
  }
}

TEST(PaceLean, N12AnEighthOfWhatLivesIsCheapWithALimitToo) {
  EXPECT_EQ(grown(lean_config(), 7, 50, 300'000, 240 * MiB), 30 * MiB);
  EXPECT_EQ(grown(lean_config(), 7, 200, 300'000, 240 * MiB), 60 * MiB);
  EXPECT_EQ(grown(lean_config(), 7, 50, 300'000, 800 * MiB), 64 * MiB);
  PaceConfig limited = lean_config();
  limited.limit = 1000 * MiB;
  EXPECT_EQ(grown(limited, 7, 50, 300'000), grown(lean_config(), 7, 50, 300'000));
  EXPECT_EQ(grown(limited, 7, 50, 300'000, 240 * MiB), 30 * MiB);
  limited.lean = false;
  EXPECT_EQ(grown(limited, 7, 50, 300'000), 64 * MiB);
}

// A full collection that comes for nearly nothing in a young one's place comes sooner; one that takes a share of its own, or makes a pause of another length, later; one that takes a fifth of the time, later still.
TEST(PaceLean, N12OldSpaceGrowsByAQuarterToTwiceItsAllowance) {
  const u64 live = 100 * MiB;
  Pace pace;
  pace.init(lean_config());
  auto full = [&](u64 pause_ns, u64 since_ns, u64 young_ns = 0, bool marked = false) { // behind one young collection of young_ns
    const u64 eden = pace.eden();
    pace.after_young({.pause_ns = young_ns, .interval_ns = since_ns, .eden_used = eden, .survived = eden / 10, .promoted = 0, .waited = 0, .old_bytes = live, .room = kRoom});
    if (marked) pace.after_marking(MiB);
    pace.after_full(live, live, kRoom, pause_ns, since_ns);
    return (pace.old_threshold() - live) / MiB;
  };
  const u64 second = 1'000'000'000;
  EXPECT_EQ(full(10'000'000, second), 50u) << "the first one says nothing: before it most of the time was the program's start";
  EXPECT_EQ(full(10'000'000, 0), 50u) << "nor does one that was asked for";
  EXPECT_EQ(full(30'000'000, second), 100u) << "a long pause, however seldom";
  EXPECT_EQ(full(10'000'000, second / 4), 100u) << "a twenty-fifth of the time is not next to nothing";
  EXPECT_EQ(full(10'000'000, second), 50u);
  EXPECT_EQ(full(10'000'000, second), 25u);
  EXPECT_EQ(full(10'000'000, second), 25u) << "there is an end to it";
  EXPECT_EQ(full(10'000'000, second / 10), 25u) << "nor is a tenth much";
  EXPECT_EQ(full(18'000'000, second / 10), 50u);
  EXPECT_EQ(full(18'000'000, second / 10), 100u);
  EXPECT_EQ(full(18'000'000, second / 10), 100u);
  EXPECT_EQ(full(18'000'000, second / 10, 16'500'000), 50u) << "the young one would have taken most of it";
  EXPECT_EQ(full(18'000'000, second / 10, 16'500'000), 25u);
  EXPECT_EQ(full(30'000'000, second), 50u) << "a longer pause, however seldom";
  EXPECT_EQ(full(45'000'000, second, 25'000'000), 25u) << "which it is not beside such young ones";
  for (u64 grown : {50, 100, 200, 200}) EXPECT_EQ(full(30'000'000, second / 10), grown) << "more than a fifth of the time";
  EXPECT_EQ(full(10'000'000, second / 10), 200u) << "half of that is what it brings";
  EXPECT_EQ(full(7'000'000, second / 10), 100u) << "and this is less";
  for (u64 grown : {50, 25}) EXPECT_EQ(full(10'000'000, second), grown);
  EXPECT_EQ(full(1'000'000, second, 0, true), 99u) << "what a marking takes no pause tells: all of it, less what old space grew by meanwhile";
  Pace little, fat, limited;
  little.init(lean_config());
  for (u32 part : {2, 4}) {
    little.after_full(4 * MiB, 4 * MiB, kRoom, 1'000'000, second);
    EXPECT_EQ(little.old_threshold(), 4 * MiB + lean_config().growth_min / part) << "the first one says nothing: before it most of the time was the program's start";
  }
  PaceConfig c = lean_config();
  c.lean_growth = false;
  fat.init(c);
  fat.after_full(live, live, kRoom, 1'000'000, second);
  EXPECT_EQ(fat.old_threshold(), 2 * live);
  c.lean_growth = true, c.limit = 1000 * MiB;
  limited.init(c);
  limited.after_full(live, live, 900 * MiB, 1'000'000, second);
  EXPECT_EQ(limited.old_threshold(), 3 * live);
  limited.set_limit(0);
  EXPECT_EQ(limited.old_threshold(), live + live / 2) << "nobody knows yet what full collections cost here";
  limited.set_limit(1000 * MiB);
  EXPECT_EQ(limited.old_threshold(), 3 * live);
}

// A marking that has begun sooner has as much room to end in, and no more where the machine is short of memory.
TEST(PaceLean, N12AMarkingHasAsMuchRoomHoweverSoonItBegan) {
  const u64 live = 400 * MiB, second = 1'000'000'000;
  for (bool is_lean : {false, true})
    for (bool is_short : {false, true}) {
      Pace pace;
      PaceConfig c = lean_config();
      c.lean_growth = is_lean;
      pace.init(c);
      for (u32 n = 0; n < 4; n++) pace.after_full(live, live, kRoom, 1'000'000, second);
      pace.set_short(is_short);
      const u64 allowance = live / (is_short ? 8 : 1);
      for (u64 late : {2 * allowance, allowance / 4}) { // the first one, and those behind it
        EXPECT_FALSE(pace.overdue(pace.old_threshold() + late));
        EXPECT_TRUE(pace.overdue(pace.old_threshold() + late + MiB + 1));
        pace.after_marking(MiB);
        pace.after_full(live, live, kRoom, 1'000'000, second);
      }
    }
}

// What the next collection is expected to copy is kept as memory that is there already, so it is neither all that might survive nor less than what does.
TEST(PaceLean, N12AsManyCopiesAreExpectedAsTheLastOnesTell) {
  auto young = [](Pace& pace, u64 survived, u64 promoted, u64 waited) {
    pace.after_young({.pause_ns = 1'000'000, .interval_ns = 100'000'000, .eden_used = pace.eden(), .survived = survived, .promoted = promoted, .waited = waited, .old_bytes = 0, .room = kRoom});
  };
  Pace pace;
  PaceConfig c = lean_config();
  c.en_masse = false;
  pace.init(c);
  young(pace, MiB, 0, 0);
  EXPECT_EQ(pace.expected_copies(0, 0), MiB);
  EXPECT_EQ(pace.expected_copies(2 * MiB, 0), 3 * MiB) << "nobody knows yet whether what waits comes through";
  young(pace, MiB / 2 + 2 * MiB, 2 * MiB, 2 * MiB);
  EXPECT_EQ(pace.expected_copies(2 * MiB, 0), 3 * MiB) << "half a MiB and all of what waited; but it was more the time before";
  young(pace, MiB / 2 + MiB / 4, MiB / 4, 2 * MiB);
  EXPECT_EQ(pace.expected_copies(2 * MiB, 0), MiB / 2 + MiB / 4) << "an eighth came through";
  young(pace, MiB / 2, 0, 0);
  EXPECT_EQ(pace.expected_copies(2 * MiB, 0), MiB / 2 + MiB / 4) << "nothing waited, which says nothing";
  const u64 eden = pace.eden();
  while (pace.eden() == eden) pace.after_young({.pause_ns = 3'000'000, .interval_ns = 3'000'000, .eden_used = eden, .survived = MiB, .promoted = 0, .waited = 0, .old_bytes = 0, .room = kRoom});
  EXPECT_EQ(pace.expected_copies(0, 0), MiB + MiB / 2) << "eden is twice as large, of which half as much more survives";
}

// Programs as in N12WithoutALimitThePeakIsTwiceWhatLivesAndAnEden: less memory in all of them, and little more time in pauses.
TEST(PaceLean, N12WorldsWithoutALimitNeedLess) {
  double most_share = 0, least = 1;
  for (u64 live_bytes : {u64(0), 20 * MiB, 100 * MiB, 300 * MiB})
    for (const KindOfWorld& kind : kKinds) {
      SCOPED_TRACE(testing::Message() << kind.name << ", " << live_bytes / MiB << " MiB");
      PaceConfig fat = lean_config();
      fat.lean = fat.lean_growth = false;
      fat.eden_start = 16 * MiB;
      const Story lean = live({lean_config(), live_bytes, kind.weather, 4000}), as_before = live({fat, live_bytes, kind.weather, 1000});
      ASSERT_FALSE(HasFailure());
      auto of_live = [](const Story& s) { return double(s.most) / double(s.most_live + 24 * MiB); };
      EXPECT_LE(of_live(lean), of_live(as_before) * 1.01);
      least = min_of(least, of_live(lean) / of_live(as_before));
      most_share = max_of(most_share, lean.share - as_before.share);
    }
  EXPECT_LE(most_share, 0.05);
  EXPECT_LE(least, 0.75);
}

} // namespace
} // namespace garner::test
