// N12: pacing as a table of worlds (pace_world.h); each row says what must come of it. And what Pace alone decides about eden, thresholds, waiting and looking.
#include "cycle/pace_world.h"

namespace garner::test {
namespace {

TEST(PaceWorlds, N12SteadyCheapWorldKeepsItsEden) {
  Story s = live({config(), 10 * MiB, [](u32) { return Weather{.promoted = 0}; }});
  EXPECT_EQ(s.eden_last, s.eden_first);
  EXPECT_EQ(s.full, 0u);
}

TEST(PaceWorlds, N12DearPausesGrowEdenUntilTheShareIsRight) {
  Story s = live({config(), 0, [](u32) { return Weather{.survival = 0.02, .promoted = 0, .alloc_ns_per_mib = 20'000}; }}); // 50 us + per 320 us
  EXPECT_GT(s.eden_last, s.eden_first);
  EXPECT_LE(s.eden_most, config().eden_max);
}

TEST(PaceWorlds, N12LongPausesWithTimeToSpareShrinkEden) {
  Story s = live({config(), 0, [](u32) { return Weather{.survival = 0.5, .promoted = 0, .alloc_ns_per_mib = 1'000'000'000, .pause_ns_per_live_mib = 10'000'000}; }});
  EXPECT_LT(s.eden_last, s.eden_first);
  EXPECT_GE(s.eden_least, config().eden_min);
}

TEST(PaceWorlds, N12AStepIsFollowedBothWays) {
  auto step = [](u32 n) { return n < 60 || n >= 160 ? Weather{.survival = 0.5, .promoted = 0, .alloc_ns_per_mib = 1'000'000'000, .pause_ns_per_live_mib = 10'000'000}
                                                    : Weather{.survival = 0.02, .promoted = 0, .alloc_ns_per_mib = 10'000}; };
  World world{config(), 0, step, 60};
  u64 calm = live(world).eden_last;
  world.rounds = 160;
  u64 busy = live(world).eden_last;
  world.rounds = 300;
  u64 calm_again = live(world).eden_last;
  EXPECT_GT(busy, calm);
  EXPECT_LT(calm_again, busy);
}

// A server that has set itself up at full speed, and then waits for requests, until there is a rush once more. What collections took then is forgotten as soon as the next one has taken much
// longer to come, and none waits for as much as a rush leaves eden.
TEST(PaceWorlds, N12AfterARushPausesAreAtOnceAThirdOfTheGoal) {
  constexpr u32 kRush = 20, kCalm = 400;
  auto served = [](u32 n) {
    const bool calm = n >= kRush && n < kRush + kCalm;
    return Weather{.survival = 0.02, .promoted = 0, .alloc_ns_per_mib = calm ? 18'000'000u : 1'000'000u, .pause_ns_per_live_mib = 10'000'000};
  };
  World world{config(), 0, served, kRush};
  world.config.eden_max = 64 * MiB;
  const u64 goal = world.config.pause_goal_ns;
  EXPECT_EQ(live(world).eden_last, world.config.eden_max);
  EXPECT_GT(live(world).pause_last, goal);
  for (world.rounds = kRush + 1; world.rounds < kRush + kCalm; world.rounds = 2 * world.rounds - kRush) {
    EXPECT_LE(live(world).pause_last, goal * 2 / 5) << world.rounds;
    EXPECT_GE(live(world).pause_last, goal / 6) << "no further than that, " << world.rounds;
  }
  world.rounds = kRush + 8;
  EXPECT_LE(live(world).eden_last, world.config.eden_max / 2) << "what is not used is not kept";
  world.rounds = kRush + kCalm + 10;
  EXPECT_EQ(live(world).eden_last, world.config.eden_max);
  EXPECT_GT(live(world).pause_last, goal) << "a smaller eden is not enough in a rush";
}

// Pauses that no smaller eden makes shorter: they stay as few as they cost.
TEST(PaceWorlds, N12WhereEdenIsNotWhatTakesLongItIsNotCollectedSooner) {
  for (u64 alloc_ns : {10'000'000, 18'000'000, 100'000'000}) {
    auto slow = [&](u32) { return Weather{.survival = 0.001, .promoted = 0, .alloc_ns_per_mib = alloc_ns, .pause_ns = 8'000'000}; };
    World world{config(), 0, slow, 400};
    world.config.eden_start = world.config.eden_max = 64 * MiB;
    EXPECT_LT(live(world).share, 0.02) << alloc_ns;
  }
}

TEST(PaceWorlds, N12AFixedEdenStaysButForTheLimit) {
  auto dear = [](u32) { return Weather{.survival = 0.3, .promoted = 0, .alloc_ns_per_mib = 1000}; };
  Story s = live({config(false), 0, dear});
  EXPECT_EQ(s.eden_least, s.eden_first);
  EXPECT_EQ(s.eden_most, s.eden_first);
  Story tight = live({config(false, 24 * MiB), 14 * MiB, dear});
  EXPECT_LT(tight.eden_most, 10 * MiB);
}

TEST(PaceWorlds, N12ALeakIsCollectedNowAndThenAndNotAllTheTime) {
  Story s = live({config(), 30 * MiB, [](u32) { return Weather{.promoted = 0.1, .old_dies = 0.9}; }, 400});
  EXPECT_GT(s.full, 3u);
  EXPECT_LT(s.full, 60u);
  EXPECT_LT(s.old_last, 300 * MiB);
}

TEST(PaceWorlds, N12ALeakUnderALimitDegradesStepByStep) {
  PaceConfig c = config(true, 64 * MiB);
  Story s = live({c, 8 * MiB, [](u32) { return Weather{.survival = 0.1, .promoted = 0.02}; }, 150});
  EXPECT_GT(s.full, 0u);
  EXPECT_LT(s.eden_last, s.eden_first) << "eden must make room for what leaks";
}

TEST(PaceWorlds, N12ABurstPasses) {
  auto burst = [](u32 n) { return n >= 50 && n < 55 ? Weather{.survival = 0.9, .promoted = 0} : Weather{.promoted = 0}; };
  PaceConfig c = config(true, 64 * MiB);
  World world{c, 8 * MiB, burst, 50};
  u64 before = live(world).eden_last;
  world.rounds = 55;
  u64 during = live(world).eden_last;
  world.rounds = 120;
  u64 after = live(world).eden_last;
  EXPECT_LT(during + during * 9 / 10, 56 * MiB) << "copies of such an eden would not fit";
  EXPECT_GE(after, before * 9 / 10) << "the fear of survivors stayed";
}

TEST(PaceWorlds, N12AShrinkingLimitIsObeyedAndAGrowingOneUsed) {
  auto limits = [](u32 n) { return Weather{.promoted = 0, .limit = n < 50 ? 128 * MiB : n < 100 ? 24 * MiB : 128 * MiB}; };
  World world{config(true, 128 * MiB), 12 * MiB, limits, 50};
  u64 wide = live(world).eden_last;
  world.rounds = 100;
  Story narrow = live(world);
  world.rounds = 200;
  u64 wide_again = live(world).eden_last;
  EXPECT_LT(narrow.eden_last, 12 * MiB);
  EXPECT_LT(narrow.eden_last, wide);
  EXPECT_EQ(wide_again, wide);
}

// A limit that comes later brings what follows from one: an eden of its size, and how little old space may always grow by.
TEST(PaceWorlds, N12ALimitSetLaterBringsItsBounds) {
  PaceConfig limited = config(true, 100 * MiB);
  limited.eden_min = MiB, limited.eden_max = 8 * MiB, limited.growth_min = 2 * MiB;
  Pace pace;
  pace.init(config());
  auto dear = [&] {
    for (u32 n = 0; n < 20; n++)
      pace.after_young({.pause_ns = 10'000'000, .interval_ns = 20'000'000, .eden_used = pace.eden(), .survived = pace.eden() / 20, .promoted = 0, .waited = 0, .old_bytes = MiB, .room = 90 * MiB});
    return pace.eden();
  };
  EXPECT_GT(dear(), limited.eden_max) << "nothing is tested";
  pace.set_limit(limited);
  EXPECT_EQ(dear(), limited.eden_max);
  pace.after_full(MiB, MiB, 99 * MiB, 1'000'000);
  EXPECT_EQ(pace.old_threshold(), 3 * MiB) << "its least growth";
}

// What a marking beside the program adds to pauses is no price of a smaller eden's, and speaks for no full collection.
TEST(PaceWorlds, N12WhatAMarkingAddsToPausesIsNoDebt) {
  for (u64 beside_ns : {u64(0), u64(8'000'000)}) {
    Pace pace;
    pace.init(config(false, 256 * MiB));
    pace.after_full(50 * MiB, 50 * MiB, 200 * MiB, 20'000'000);
    auto young = [&](u64 pause_ns, u64 added_ns, u64 room) {
      pace.after_young({.pause_ns = pause_ns, .interval_ns = 1'000'000'000, .eden_used = pace.eden(), .survived = MiB, .promoted = MiB, .waited = 0, .old_bytes = 60 * MiB, .room = room, .beside_ns = added_ns});
    };
    for (u32 n = 0; n < 3; n++) young(1'000'000, 0, 190 * MiB); // what a byte costs
    EXPECT_EQ(pace.eden(), config().eden_start);
    for (u32 n = 0; n < 6; n++) young(9'000'000, beside_ns, 12 * MiB); // old space has taken some of eden's room
    EXPECT_LT(pace.eden(), config().eden_start);
    EXPECT_GT(pace.eden(), config().eden_start / 6);
    EXPECT_EQ(pace.full_due(60 * MiB), beside_ns == 0);
  }
}

// N12: in every world, at every step, what is held and what is promised fits the limit (World::check); and copies have room but where the weather turns, or memory ends.
TEST(PaceWorlds, N12NoWorldPassesItsLimit) {
  for (bool adaptive : {true, false})
    for (bool beside : {false, true})
      for (u64 limit : {16 * MiB, 64 * MiB, 256 * MiB, 1024 * MiB})
        for (const KindOfWorld& kind : kKinds) {
          SCOPED_TRACE(testing::Message() << kind.name << ", " << limit / MiB << " MiB" << (beside ? ", beside" : "") << (adaptive ? "" : ", fixed"));
          PaceConfig c = config(adaptive, limit);
          c.eden_start = min_of(c.eden_start, limit / 8);
          Story s = live({c, limit / 4, kind.weather, 600, beside, beside ? 1'000'000u : 0u});
          ASSERT_FALSE(HasFailure());
          EXPECT_LE(s.most, limit);
          const std::string name = kind.name;
          if (name == "leak") EXPECT_TRUE(!s.out_of_memory || s.most_live > limit / 8 * 7) << "there was memory";
          else EXPECT_FALSE(s.out_of_memory);
          if (name == "steady" || name == "dear" || name == "half ends" || name == "idle") EXPECT_EQ(s.stayed, 0u);
        }
}

// The limit moves in the middle of everything.
TEST(PaceWorlds, N12NoWorldPassesALimitThatMoves) {
  for (bool beside : {false, true})
    for (const KindOfWorld& kind : kKinds) {
      SCOPED_TRACE(testing::Message() << kind.name << (beside ? ", beside" : ""));
      auto weather = [&](u32 n) {
        Weather w = kind.weather(n);
        w.limit = (n / 37) % 3 == 0 ? 512 * MiB : (n / 37) % 3 == 1 ? 320 * MiB : 900 * MiB;
        return w;
      };
      live({config(true, 512 * MiB), 128 * MiB, weather, 600, beside, beside ? 1'000'000u : 0u});
      ASSERT_FALSE(HasFailure());
    }
}

// N12: without a limit old space is full at twice what lives, and what is young comes on top: an eden, what survives of it, what that becomes. The bound of 64 MiB is the .NET host's, without a
// limit; so a heap of 300 MiB and more has at most two and a half times what lives, and a small one cannot have less than its floor, growth_min and an eden.
TEST(PaceWorlds, N12WithoutALimitThePeakIsTwiceWhatLivesAndAnEden) {
  PaceConfig c = config();
  c.eden_max = 64 * MiB;
  for (u64 live_bytes : {u64(0), 20 * MiB, 100 * MiB, 300 * MiB, 1000 * MiB})
    for (const KindOfWorld& kind : kKinds) {
      SCOPED_TRACE(testing::Message() << kind.name << ", " << live_bytes / MiB << " MiB");
      double survival = 0;
      auto weather = [&](u32 n) {
        Weather w = kind.weather(n);
        survival = max_of(survival, w.survival + w.promoted);
        return w;
      };
      Story s = live({c, live_bytes, weather, 4000});
      ASSERT_FALSE(HasFailure());
      const u64 old = max_of(2 * s.most_live, s.most_live + c.growth_min), young = u64(double(s.eden_most) * (1 + 3 * survival)); // those that wait count as alive, too
      EXPECT_LE(s.most, old + young);
      if (s.most_live >= 300 * MiB) EXPECT_LE(s.most, s.most_live * 5 / 2);
      const std::string name = kind.name;
      if (name == "idle") EXPECT_LE(s.most, s.most_live + c.eden_start + MiB) << "it grew for nothing";
      else if (s.most_live <= 300 * MiB) EXPECT_GT(s.full, 1u) << "old space was never full: nothing is tested";
    }
}

// N1: nothing is known at first, so the first eden is a small one: where nearly all of it lives the next are promoted unseen, else they have their full size.
TEST(PaceWorlds, N1TheFirstEdenIsALook) {
  for (double alive : {0.1, 0.95}) {
    Pace pace;
    pace.init(config());
    const u64 first = pace.eden(), survived = u64(double(first) * alive);
    EXPECT_LE(first, config().eden_start / 4);
    pace.after_young({.pause_ns = 2'000'000, .interval_ns = 50'000'000, .eden_used = first, .survived = survived, .promoted = 0, .waited = 0, .old_bytes = 0, .room = ~u64(0) >> 2});
    EXPECT_EQ(pace.eden(), config().eden_start);
    EXPECT_EQ(pace.promotes_en_masse(config().eden_start, 0, ~u64(0) >> 2), alive > 0.5);
  }
  Pace fixed;
  fixed.init(config(false));
  EXPECT_EQ(fixed.eden(), config().eden_start) << "whoever fixes eden means the first too";
  for (u32 i = 0; i < 20; i++) {
    fixed.after_en_masse(1'000'000, 100'000'000, 100 * MiB, ~u64(0) >> 1);
    EXPECT_EQ(fixed.eden(), config().eden_start) << "and those that are looked at";
  }
}

// An idle program: collections far apart, almost nothing in them. No full collection for nothing, no eden that runs away.
TEST(PaceWorlds, N12IdleWorldsAreLeftAlone) {
  Story s = live({config(), 50 * MiB, [](u32) { return Weather{.survival = 0.001, .promoted = 0, .alloc_ns_per_mib = 3'600'000'000'000}; }, 100});
  EXPECT_LE(s.full, 1u) << "but for the one that learns what lives";
  EXPECT_LE(s.eden_most, s.eden_first);
}

TEST(PaceWorlds, N12NoFullCollectionIsDueRightAfterOne) {
  Random random(2);
  for (u32 i = 0; i < 2000; i++) {
    Pace pace;
    PaceConfig c = config(random.one_in(2), random.one_in(2) ? (16 + random.below(200)) * MiB : 0);
    c.conserve = u32(random.below(10));
    c.old_growth_percent = u32(5 + random.below(200));
    pace.init(c);
    u64 old = random.below(c.limit != 0 ? c.limit : 500 * MiB);
    pace.after_full(old, old, c.limit != 0 ? c.limit - old : ~u64(0) >> 2, 1000);
    ASSERT_FALSE(pace.full_due(old)) << "it would collect for ever";
    ASSERT_TRUE(c.limit == 0 || pace.eden() <= c.limit - old);
  }
}

// The machine's memory is nearly used up: the next full collection is due sooner, and as before when the shortage has passed.
TEST(PaceWorlds, N12AShortageBringsFullCollectionsForward) {
  Pace pace;
  pace.init(config());
  u64 live = 400 * MiB;
  pace.after_full(live, live, ~u64(0) >> 2, 1'000'000);
  EXPECT_FALSE(pace.full_due(live + live / 2));
  pace.set_short(true);
  EXPECT_TRUE(pace.full_due(live + live / 2));
  EXPECT_FALSE(pace.full_due(live + live / 16)) << "it would collect for ever";
  pace.after_full(live, live, ~u64(0) >> 2, 1'000'000);
  EXPECT_FALSE(pace.full_due(live));
  pace.set_short(false);
  EXPECT_FALSE(pace.full_due(live + live / 2));
}

TEST(PaceWorlds, N12EdenDoesNotGrowWhereMemoryIsShort) {
  for (bool is_short : {false, true}) {
    Pace pace;
    pace.init(config());
    pace.set_short(is_short);
    const u64 first = config().eden_start;
    for (u32 n = 0; n < 20; n++) pace.after_young({.pause_ns = 10'000'000, .interval_ns = 20'000'000, .eden_used = pace.eden(), .survived = pace.eden() / 10, .promoted = 0, .waited = 0, .old_bytes = 0, .room = ~u64(0) >> 2});
    if (is_short) EXPECT_LE(pace.eden(), first);
    else EXPECT_GE(pace.eden(), 4 * first);
  }
}

// N12: memory that a limit grants saves full collections, up to three quarters of what it leaves; without a limit old space doubles.
TEST(PaceWorlds, N12UnderARoomyLimitOldSpaceGrowsFurther) {
  const u64 live = 100 * MiB;
  auto threshold = [&](u64 limit) {
    Pace pace;
    pace.init(config(true, limit));
    pace.after_full(live, live, limit == 0 ? ~u64(0) >> 2 : limit - live, 1'000'000);
    return pace.old_threshold();
  };
  EXPECT_EQ(threshold(0), 2 * live);
  EXPECT_EQ(threshold(1000 * MiB), 3 * live);
  EXPECT_EQ(threshold(400 * MiB), 3 * live);
  EXPECT_EQ(threshold(300 * MiB), live + 150 * MiB);
  EXPECT_EQ(threshold(200 * MiB), 2 * live);
}

// N12: while full collections take much of the time, memory that may be used is used to have fewer; where they take little it is not. Without a limit nothing changes.
TEST(PaceWorlds, N12FullCollectionsThatTakeMuchTimeComeSeldomerWhereThereIsRoom) {
  const u64 live = 100 * MiB;
  Pace pace, without;
  pace.init(config(true, 1500 * MiB));
  without.init(config());
  auto full = [&](Pace& its, u64 room, u64 since_ns) {
    its.after_full(live, live, room, 10'000'000, since_ns);
    return its.old_threshold() - live;
  };
  const u64 much = 20'000'000, right = 150'000'000, little = 2'000'000'000, room = 1400 * MiB;
  EXPECT_EQ(full(pace, room, right), 2 * live);
  EXPECT_EQ(full(pace, room, much), 4 * live);
  EXPECT_EQ(full(pace, room, much), 8 * live);
  EXPECT_EQ(full(pace, room, much), 8 * live) << "there is an end to it";
  EXPECT_EQ(full(pace, room, right), 8 * live);
  EXPECT_EQ(full(pace, room, 0), 8 * live) << "one that was asked for changes nothing";
  EXPECT_EQ(full(pace, room, little), 4 * live);
  EXPECT_EQ(full(pace, room, 0), 4 * live);
  EXPECT_EQ(full(pace, room, little), 2 * live);
  EXPECT_EQ(full(pace, room, little), 2 * live);
  for (u32 n = 0; n < 5; n++) EXPECT_EQ(full(without, ~u64(0) >> 2, much), live);
  Pace tight;
  tight.init(config(true, 300 * MiB));
  for (u32 n = 0; n < 5; n++) EXPECT_LE(full(tight, 200 * MiB, much), 150 * MiB) << "no more than three quarters of what is left";
}

// N1: where what waits in survivor space comes through anyway, eden's survivors do not wait; the look back comes, but seldom.
TEST(PaceWorlds, N1WaitingEndsWhereItIsInVainAndComesBackWhereItIsNot) {
  Pace pace;
  pace.init(config());
  u64 eden = 16 * MiB, waiting = 0, waited = 0, second_copies = 0, in_vain = 0;
  auto round = [&](double survival, double second) {
    bool at_once = pace.promotes_at_once();
    u64 first = u64(double(eden) * survival), again = u64(double(waiting) * second);
    waited += waiting;
    second_copies += again;
    YoungFacts facts{.pause_ns = 10'000'000, .interval_ns = 10'000'000, .eden_used = eden, .survived = first + again, .promoted = at_once ? first + again : again,
                     .waited = waiting, .old_bytes = 0, .room = ~u64(0) >> 2};
    waiting = at_once ? 0 : first;
    in_vain += at_once && survival < 0.2 ? 1 : 0;
    pace.after_young(facts);
  };
  for (u32 n = 0; n < 100; n++) round(0.8, 1.0); // a live set is being built
  EXPECT_GT(waited, 0u) << "nothing was learnt: the test is void";
  EXPECT_LT(second_copies, 100 * eden * 8 / 10 / 4) << "most were copied twice";
  second_copies = in_vain = 0;
  for (u32 n = 0; n < 100; n++) round(0.1, 1.0); // few survive: those wait, whatever becomes of them
  EXPECT_LE(in_vain, 1u);
  waited = 0;
  for (u32 n = 0; n < 100; n++) round(0.6, 0.3); // half-built things that die soon after
  EXPECT_GT(waited, 90 * eden * 6 / 10) << "promoted at once though most that waits dies";
  Pace fixed;
  PaceConfig c = config();
  c.adapt_tenure = false;
  fixed.init(c);
  for (u32 n = 0; n < 10; n++) fixed.after_young({.pause_ns = 1, .interval_ns = 1, .eden_used = eden, .survived = 2 * eden, .promoted = eden, .waited = eden, .old_bytes = 0, .room = ~u64(0) >> 2});
  EXPECT_FALSE(fixed.promotes_at_once());
}

// N1: little survives, but all of that stays, and the cards of what refers to it make pauses long: it does not wait to be found on them twice. A look back comes, but seldom.
TEST(PaceWorlds, N1WaitingEndsWhereItMakesPausesTooLong) {
  auto looks = [](u64 pause_ns, double second) { // of 100 collections, how many looked at cards of what waited
    Pace pace;
    pace.init(config());
    const u64 eden = 64 * MiB, first = 2 * MiB;
    u64 waiting = 0;
    u32 twice = 0;
    for (u32 n = 0; n < 100; n++) {
      const bool at_once = pace.promotes_at_once();
      const u64 again = u64(double(waiting) * second);
      twice += waiting != 0;
      pace.after_young({.pause_ns = waiting != 0 || !at_once ? pause_ns : pause_ns / 2, .interval_ns = 1'000'000'000, .eden_used = eden, .survived = first + again,
                        .promoted = at_once ? first + again : again, .waited = waiting, .old_bytes = 0, .room = ~u64(0) >> 2});
      waiting = at_once ? 0 : first;
    }
    return twice;
  };
  EXPECT_LT(looks(60'000'000, 1.0), 15u);
  EXPECT_GE(looks(60'000'000, 1.0), 3u) << "it never looked again";
  EXPECT_GE(looks(10'000'000, 1.0), 98u) << "pauses are short enough";
  EXPECT_GE(looks(60'000'000, 0.5), 98u) << "half of what waits dies";

  auto left = [](u64 pause_ns, u64 survived, bool is_short) { // whether that ends it
    Pace pace;
    pace.init(config());
    YoungFacts facts{.pause_ns = 60'000'000, .interval_ns = 1'000'000'000, .eden_used = 64 * MiB, .survived = 4 * MiB, .promoted = 2 * MiB, .waited = 2 * MiB, .old_bytes = 0, .room = ~u64(0) >> 2};
    pace.after_young(facts);
    EXPECT_TRUE(pace.promotes_at_once());
    pace.set_short(is_short);
    facts.pause_ns = pause_ns, facts.survived = facts.promoted = survived, facts.waited = 0;
    pace.after_young(facts);
    return !pace.promotes_at_once();
  };
  EXPECT_FALSE(left(30'000'000, 2 * MiB, false));
  EXPECT_FALSE(left(8'000'000, 2 * MiB, false)) << "it has brought that";
  EXPECT_TRUE(left(3'000'000, 2 * MiB, false)) << "pauses are short without it";
  EXPECT_TRUE(left(30'000'000, 6 * MiB, false)) << "more survives than before: nobody knows whether it stays";
  EXPECT_TRUE(left(30'000'000, 2 * MiB, true)) << "what is dead in old space takes memory";
}

// N1: while nearly all of eden survives, most edens are promoted unseen; looks come, small ones; where much dies none is, and a change costs few edens.
TEST(PaceWorlds, N1NearlyAllSurvivesAndMostIsPromotedEnMasse) {
  struct Tally { u32 unseen = 0, looked = 0; u64 looked_bytes = 0, unseen_bytes = 0; };
  Pace pace, never;
  u64 old_bytes = 400 * MiB;
  auto rounds = [&](Pace& its, u32 count, double survival) {
    Tally tally;
    for (u32 n = 0; n < count; n++) {
      const u64 eden = its.eden(), room = ~u64(0) >> 2;
      if (its.full_due(old_bytes)) its.after_full(old_bytes, old_bytes, room, 300'000'000);
      if (its.promotes_en_masse(eden, old_bytes, room)) {
        tally.unseen++;
        tally.unseen_bytes += eden;
        old_bytes += eden;
        its.after_en_masse(50'000, 10'000'000, old_bytes, room);
        continue;
      }
      tally.looked++;
      tally.looked_bytes += eden;
      const u64 survived = u64(double(eden) * survival);
      old_bytes += survived;
      its.after_young({.pause_ns = 50'000 + survived, .interval_ns = 10'000'000, .eden_used = eden, .survived = survived, .promoted = its.promotes_at_once() ? survived : 0, .waited = 0, .old_bytes = old_bytes, .room = room});
    }
    return tally;
  };
  pace.init(config());
  pace.after_full(old_bytes, old_bytes, ~u64(0) >> 2, 300'000'000);
  Tally growth = rounds(pace, 60, 0.95);
  EXPECT_GE(growth.unseen, 40u);
  EXPECT_GE(growth.looked, 4u) << "it never looked again";
  EXPECT_LT(growth.looked_bytes, growth.unseen_bytes / 4);
  Tally change = rounds(pace, 60, 0.1);
  EXPECT_LE(change.unseen, 16u);
  EXPECT_EQ(rounds(pace, 60, 0.5).unseen, 0u);
  PaceConfig c = config();
  c.en_masse = false;
  never.init(c);
  EXPECT_EQ(rounds(never, 30, 0.95).unseen, 0u);
}

// N1: near the end of what the limit leaves eden is promoted as long as half of it has room again, no look is taken before the full collection that sees as much, and one that finds a little
// eden does not make the next one be looked at.
TEST(PaceWorlds, N1NearAFullCollectionNothingIsLookedAt) {
  const u64 limit = 400 * MiB, live = 200 * MiB;
  auto after_two = [&](Pace& pace, u64 room) { // edens promoted unseen, the second of which leaves that much room
    pace.init(config(true, limit));
    pace.after_full(live, live, limit - live, 30'000'000);
    const u64 eden = pace.eden();
    pace.after_young({.pause_ns = eden, .interval_ns = 10'000'000, .eden_used = eden, .survived = eden - eden / 20, .promoted = 0, .waited = 0, .old_bytes = live, .room = limit - live});
    pace.after_en_masse(50'000, 10'000'000, live + eden, limit - live - eden);
    EXPECT_TRUE(pace.promotes_en_masse(MiB, live, limit - live));
    pace.after_en_masse(50'000, 10'000'000, live + 2 * eden, room);
    return eden;
  };
  Pace far, near;
  u64 eden = after_two(far, limit - live);
  EXPECT_FALSE(far.promotes_en_masse(MiB, live, limit - live)) << "a look is due";
  EXPECT_LT(far.eden(), eden / 2) << "and its eden is small";
  after_two(near, 2 * eden);
  EXPECT_TRUE(near.promotes_en_masse(MiB, live, limit - live));
  EXPECT_EQ(near.eden(), eden);

  EXPECT_TRUE(near.promotes_en_masse(30 * MiB, live, 15 * MiB)) << "half of it has room again";
  EXPECT_FALSE(near.promotes_en_masse(30 * MiB, live, 14 * MiB));

  far.after_full_look(MiB, MiB / 2);
  far.after_full(live, live, limit - live, 30'000'000);
  EXPECT_TRUE(far.promotes_en_masse(MiB, live, limit - live)) << "a little eden says little, and what was known is believed once more";
  Pace unknown;
  unknown.init(config(true, limit));
  unknown.after_full_look(MiB, MiB);
  EXPECT_FALSE(unknown.promotes_en_masse(MiB, live, limit - live));
}

// Looks at eden that find all of it alive, and what goes unseen between them; the last look is believed as much as one can be.
void find_alive(Pace& pace, u64 limit, u64 live) {
  for (u32 n = 0; n < 8; n++) {
    while (pace.goes_unseen()) pace.after_en_masse(50'000, 10'000'000, live, limit - live);
    const u64 eden = pace.eden();
    pace.after_young({.pause_ns = eden, .interval_ns = 10'000'000, .eden_used = eden, .survived = eden, .promoted = 0, .waited = 0, .old_bytes = live, .room = limit - live});
  }
}

// N1: full collections that find little eden are no proof that it lives: what was known is believed less each time, and then it is looked at. Else a program whose edens die, and whose limit leaves them next to
// nothing, is collected in full for ever.
TEST(PaceWorlds, N1WhatIsKnownOfEdenIsNotBelievedForEver) {
  const u64 limit = 60 * MiB, live = 30 * MiB, room = 15 * MiB;
  Pace pace;
  pace.init(config(true, limit));
  find_alive(pace, limit, live);
  while (pace.goes_unseen()) pace.after_en_masse(50'000, 10'000'000, live, limit - live);
  u32 believed = 0;
  for (; believed < 100; believed++) {
    pace.after_full_look(MiB, 0);
    pace.after_full(live, live, room, 8'000'000, 10'000'000);
    if (!pace.goes_unseen()) break;
    while (pace.goes_unseen() && pace.eden() > 2 * MiB) pace.after_en_masse(50'000, 2'000'000, live + room - 2 * pace.eden(), pace.eden() / 2); // until next to nothing is left
  }
  EXPECT_GE(believed, 2u);
  EXPECT_LE(believed, 4u);
}

// N1: where every full collection is the end of a marking that promotes eden too, none of them sees what lives of it: a look that is left to one is made after it.
TEST(PaceWorlds, N1ALookThatIsLeftToAMarkingIsMadeAfterIt) {
  const u64 limit = 60 * MiB, live = 30 * MiB, room = 15 * MiB;
  Pace pace;
  pace.init(config(true, limit));
  find_alive(pace, limit, live);
  u32 believed = 0;
  for (; believed < 100 && pace.goes_unseen(); believed++) {
    for (u32 n = 0; n < 4 && pace.goes_unseen(); n++) pace.after_en_masse(50'000, 2'000'000, live + room - 2 * pace.eden(), pace.eden() / 2); // until next to nothing is left
    pace.after_marking(10 * MiB, 2'000'000, live);
    pace.after_full(live, live, room, 8'000'000, 10'000'000);
  }
  EXPECT_GE(believed, 2u);
  EXPECT_LE(believed, 5u);
}

// N13: a marking that is due waits for what is still being emptied behind the last one, but not for ever; and then it may take as long as one that began in time.
TEST(PaceWorlds, N13AMarkingThatBeginsLateMayTakeAsLong) {
  const u64 live = 200 * MiB, room = ~u64(0) >> 2;
  Pace pace;
  pace.init(config());
  pace.after_full(live, live, room, 100'000'000);
  pace.after_marking(50 * MiB, 100'000'000, live);
  pace.after_full(live, live, room, 10'000'000);
  EXPECT_TRUE(pace.may_wait(pace.old_threshold()));
  u64 late = pace.old_threshold();
  while (late < 2 * pace.old_threshold() && pace.may_wait(late)) late += MiB;
  EXPECT_LE(late, pace.old_threshold() + 50 * MiB + live / 4 + MiB) << "what the last marking let it grow by, and a quarter of what it may";
  EXPECT_TRUE(pace.overdue(late));
  pace.begins_late(late);
  EXPECT_FALSE(pace.overdue(late + 50 * MiB));
  EXPECT_TRUE(pace.overdue(late + 50 * MiB + live / 4 + MiB));
  pace.after_full(live, live, room, 10'000'000);
  EXPECT_TRUE(pace.overdue(late)) << "of that marking only";
  Pace limited;
  limited.init(config(true, 400 * MiB));
  limited.after_full(live, live, room, 100'000'000);
  EXPECT_FALSE(limited.may_wait(limited.old_threshold())) << "what old space takes meanwhile is eden's";
}

// N1: that most of eden lives was learned while the program built what it keeps. When it takes much longer for an eden it does something else, and one look tells.
TEST(PaceWorlds, N1ASlowerProgramIsLookedAtAnew) {
  auto unseen_after = [](u64 slower) { // edens of garbage that go unseen after the program has built what it keeps
    Pace pace;
    u64 old_bytes = 400 * MiB;
    const u64 room = ~u64(0) >> 2;
    auto fill = [&](u64 ns_per_mib, double survival) {
      const u64 eden = pace.eden(), interval = eden / MiB * ns_per_mib, survived = u64(double(eden) * survival);
      if (pace.full_due(old_bytes)) pace.after_full(old_bytes, old_bytes, room, 300'000'000);
      const bool unseen = pace.promotes_en_masse(eden, old_bytes, room);
      old_bytes += unseen ? eden : survived;
      if (unseen) pace.after_en_masse(50'000, interval, old_bytes, room);
      else pace.after_young({.pause_ns = 50'000 + survived, .interval_ns = interval, .eden_used = eden, .survived = survived, .promoted = 0, .waited = 0, .old_bytes = old_bytes, .room = room});
      return unseen;
    };
    pace.init(config());
    pace.after_full(old_bytes, old_bytes, room, 300'000'000);
    for (u32 n = 0, row = 0; n < 200 && row < 9; n++) row = fill(2'000'000, 0.97) ? row + 1 : 0; // several in a row: most of sixteen are to come
    u32 unseen = 0;
    while (unseen < 100 && fill(2'000'000 * slower, 0.01)) unseen++;
    return unseen;
  };
  EXPECT_LE(unseen_after(8), 1u);
  EXPECT_GE(unseen_after(1), 3u) << "a program that builds on is believed";
}

// N12: a full collection leaves no room at once where pins that lie young have taken all regions: how much eden has then is told by the collections after it, and what these take of it by what they allocate, not by
// what lies among pins and is counted as eden each time. Else such a program has an eden of next to nothing, which no full collection ever widens.
TEST(PaceWorlds, N12EdenThatPinsGiveBackIsTakenAgain) {
  Pace pace;
  const u64 limit = 60 * MiB;
  pace.init(config(true, limit));
  u32 full = 0;
  for (u32 cycle = 0; cycle < 6; cycle++) {
    pace.after_full(30 * MiB, 6 * MiB, 0, 5'000'000); // 24 MiB of pins that lie young
    u64 old_bytes = 20 * MiB, room = 17 * MiB;
    for (u32 n = 0; n < 100; n++) {
      const u64 fresh = n == 0 ? 0 : pace.eden();
      pace.after_young({.pause_ns = 2'000'000, .interval_ns = 4'000'000, .eden_used = 21 * MiB, .survived = 200 * KiB, .promoted = 100 * KiB, .waited = 0, .old_bytes = old_bytes, .room = room, .fresh = fresh});
      if (pace.full_due(old_bytes)) {
        EXPECT_GE(pace.eden(), MiB) << "before next to nothing is left";
        full++;
        break;
      }
      old_bytes += room / 16;
      room -= room / 16;
    }
  }
  EXPECT_EQ(full, 6u);
}

// N12: the collection after a full one that ages what lay among pins is long, and little of its eden is new: what eden's bytes cost is told by those that follow, so that a small eden's debt is seen
// before next to nothing is left.
TEST(PaceWorlds, N12TheDebtOfASmallEdenIsSeenAfterALongFirstCollection) {
  Pace pace;
  pace.init(config(true, 60 * MiB));
  pace.after_full(30 * MiB, 6 * MiB, 0, 5'000'000);
  auto young = [&](u64 pause_ns, u64 fresh, u64 room) {
    pace.after_young({.pause_ns = pause_ns, .interval_ns = 40'000'000, .eden_used = 20 * MiB, .survived = 200 * KiB, .promoted = 100 * KiB, .waited = 0, .old_bytes = 20 * MiB, .room = room, .fresh = fresh});
    return pace.full_due(20 * MiB);
  };
  young(20'000'000, 0, 16 * MiB);
  for (u32 n = 0; n < 3; n++) EXPECT_FALSE(young(2'000'000, 8 * MiB, 16 * MiB));
  const u64 had = pace.eden();
  u32 small = 1;
  while (!young(2'000'000, 2 * MiB, 6 * MiB) && small < 50) small++;
  EXPECT_GT(pace.eden(), had / 6);
  EXPECT_LE(small, 6u) << "each costs 1.5 ms more than 2 MiB of the first did, a full collection 5";
}

// N12: eden has lost its room to survivors that wait, of a burst, and not to old space: the next collection gives it back, a full one is not due for it.
TEST(PaceWorlds, N12SurvivorsThatWaitAreNoReasonForAFullCollection) {
  for (u64 grown : {1 * MiB, 10 * MiB}) {
    Pace pace;
    pace.init(config(true, 100 * MiB));
    pace.after_full(50 * MiB, 40 * MiB, 40 * MiB, 5'000'000);
    const u64 had = pace.eden(), old_bytes = 40 * MiB + grown;
    pace.after_young({.pause_ns = 5'000'000, .interval_ns = 40'000'000, .eden_used = had, .survived = had / 8 * 7, .promoted = MiB, .waited = 0, .old_bytes = old_bytes, .room = 3 * MiB});
    ASSERT_LT(pace.eden(), had / 6);
    EXPECT_EQ(pace.pressed(), grown > MiB);
    EXPECT_EQ(pace.full_due(old_bytes), grown > MiB);
  }
}

// N1: holes that copies would fill are passed over where filling them costs more than the full collections that come sooner: where the look took long beside them.
TEST(PaceWorlds, N1HolesArePassedOverWhereCopiesAreDear) {
  const u64 room = ~u64(0) >> 2, live = 100 * MiB;
  auto after_a_look = [&](Pace& pace, u64 look_ns, double survival, u64 limit = 0) {
    pace.init(config(true, limit));
    pace.after_full(live, live, room, 30'000'000);
    const u64 eden = pace.eden(), survived = u64(double(eden) * survival);
    pace.after_young({.pause_ns = look_ns, .interval_ns = 10'000'000, .eden_used = eden, .survived = survived, .promoted = 0, .waited = 0, .old_bytes = live, .room = room});
  };
  Pace dear, cheap, dying;
  after_a_look(dear, 20'000'000, 0.95); // all of the growth: half a second
  EXPECT_TRUE(dear.passes_over(40 * MiB, live));
  EXPECT_FALSE(dear.passes_over(98 * MiB, live)) << "nothing is left to grow by";
  dear.set_short(true);
  EXPECT_FALSE(dear.passes_over(40 * MiB, live)) << "memory is short";
  after_a_look(cheap, 4'000'000, 0.95); // 25 ms for all of it, a full collection takes 40
  EXPECT_FALSE(cheap.passes_over(40 * MiB, live));
  after_a_look(dying, 20'000'000, 0.3);
  EXPECT_FALSE(dying.passes_over(40 * MiB, live)) << "most of eden is dead";
  Pace wide, narrow;
  after_a_look(wide, 20'000'000, 0.95, 400 * MiB);
  EXPECT_TRUE(wide.passes_over(40 * MiB, live));
  after_a_look(narrow, 20'000'000, 0.95, 170 * MiB);
  ASSERT_GE(narrow.old_threshold(), 2 * live);
  EXPECT_FALSE(narrow.passes_over(40 * MiB, live)) << "the limit comes before the threshold, and takes what holes do not";
}

// N1: what is dead in an eden that nobody looks at brings the next full collection nearer, by a share of what old space grows by, which a limit ends.
TEST(PaceWorlds, N1ALimitMakesWhatIsPromotedUnseenDearer) {
  const u64 room = ~u64(0) >> 2, live = 100 * MiB, full_ns = 30'000'000;
  auto goes_unseen_under = [&](u64 limit) {
    Pace pace;
    pace.init(config(true, limit));
    pace.after_full(live, live, room, full_ns);
    const u64 eden = pace.eden(), dead = eden / 5; // the look takes twice as much as they cost where old space grows by 75 MiB
    pace.after_young({.pause_ns = 2 * full_ns * (dead / KiB) / (75 * MiB / KiB), .interval_ns = 10'000'000, .eden_used = eden, .survived = eden - dead, .promoted = 0, .waited = 0, .old_bytes = live, .room = room});
    EXPECT_GE(pace.old_threshold(), 2 * live);
    return pace.goes_unseen();
  };
  EXPECT_TRUE(goes_unseen_under(0));
  EXPECT_TRUE(goes_unseen_under(400 * MiB));
  EXPECT_FALSE(goes_unseen_under(170 * MiB)) << "which leaves it 49 MiB";
  EXPECT_FALSE(goes_unseen_under(90 * MiB)) << "a limit that has shrunk leaves it none";
}

// N12: a promise that ends before a collection would see it leaves the next one's copies their room.
TEST(PaceWorlds, N12APromiseThatEndsGivesTheRoomBack) {
  const u64 live = 100 * MiB, room = 80 * MiB;
  Pace pace;
  pace.init(config(true, 200 * MiB));
  pace.set_eden_floor(150 * MiB);
  pace.after_full(live, live, room, 10'000'000);
  ASSERT_EQ(pace.eden(), room);
  pace.end_eden_floor(room);
  EXPECT_EQ(pace.eden_floor(), 0u);
  EXPECT_LE(pace.eden(), room / 6 * 5);
}

// N1: what would be promoted en masse and has no room is not copied first and collected with everything then, where a full collection is cheap; one that finds eden dead
// ends it.
TEST(PaceWorlds, N1AFullCollectionComesInsteadOfACopyAndOne) {
  const u64 room = ~u64(0) >> 2, old_bytes = 100 * MiB;
  auto after_a_look = [&](Pace& pace, u64 full_ns, double survival) {
    pace.init(config());
    pace.after_full(old_bytes, old_bytes, room, full_ns);
    const u64 eden = pace.eden(), survived = u64(double(eden) * survival);
    pace.after_young({.pause_ns = survived, .interval_ns = 10'000'000, .eden_used = eden, .survived = survived, .promoted = 0, .waited = 0, .old_bytes = old_bytes, .room = room});
  };
  Pace cheap, dear, dying;
  after_a_look(cheap, 30'000'000, 0.95);
  EXPECT_FALSE(cheap.full_due_instead(old_bytes, 50 * MiB, room)) << "it has room";
  EXPECT_TRUE(cheap.full_due_instead(old_bytes, 120 * MiB, room));
  EXPECT_TRUE(cheap.full_due_instead(old_bytes, 50 * MiB, 20 * MiB)) << "the limit leaves it none";
  EXPECT_FALSE(cheap.full_due_instead(old_bytes + 4 * MiB, 24 * MiB, 20 * MiB)) << "most of what the limit grants is left";
  EXPECT_TRUE(cheap.full_due_instead(old_bytes + 40 * MiB, 24 * MiB, 10 * MiB));
  EXPECT_FALSE(cheap.full_due(old_bytes));
  EXPECT_TRUE(cheap.promotes_en_masse(16 * MiB, old_bytes, room));
  cheap.set_short(true);
  EXPECT_FALSE(cheap.promotes_en_masse(MiB, old_bytes, room)) << "what is dead in it takes memory that is short";
  EXPECT_FALSE(cheap.full_due_instead(old_bytes, 120 * MiB, room));
  cheap.set_short(false);
  after_a_look(dear, 300'000'000, 0.95);
  EXPECT_FALSE(dear.full_due_instead(old_bytes, 120 * MiB, room)) << "copying it is cheaper";
  after_a_look(dying, 30'000'000, 0.3);
  EXPECT_FALSE(dying.full_due_instead(old_bytes, 120 * MiB, room)) << "it would not be promoted en masse";
  EXPECT_EQ(cheap.expected_copies(8 * MiB, old_bytes), 0u);
  EXPECT_GT(cheap.expected_copies(8 * MiB, old_bytes, false), 8 * MiB) << "finalizers, say, keep it from that";
  EXPECT_EQ(cheap.expected_copies(8 * MiB, 2 * old_bytes), 0u) << "a full collection will come";
  EXPECT_GT(dear.expected_copies(8 * MiB, old_bytes + 85 * MiB), 8 * MiB) << "there is no room to promote it en masse";
  EXPECT_GT(dying.expected_copies(8 * MiB, old_bytes), 8 * MiB);
  cheap.after_full_look(cheap.eden(), cheap.eden() / 10 * 9);
  EXPECT_TRUE(cheap.full_due_instead(old_bytes, 120 * MiB, room));
  cheap.after_full_look(cheap.eden(), cheap.eden() / 10);
  EXPECT_FALSE(cheap.full_due_instead(old_bytes, 120 * MiB, room)) << "full collections for ever, though eden dies";
}

TEST(PaceWorlds, N12SameInputsSameDecisions) {
  World world{config(true, 100 * MiB), 20 * MiB, [](u32 n) { return Weather{.survival = double(mix64(n) % 100) / 200, .promoted = double(mix64(n) % 7) / 100, .old_dies = 0.5}; }, 300};
  Story a = live(world), b = live(world);
  EXPECT_EQ(a.full, b.full);
  EXPECT_EQ(a.eden_last, b.eden_last);
  EXPECT_EQ(a.eden_most, b.eden_most);
}

} // namespace
} // namespace garner::test
