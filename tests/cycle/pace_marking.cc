// N12, N1: pacing where old space may be marked beside the program: when that is due, overdue, worth it, and what is learned from it; worlds that are marked so.
#include "cycle/pace_world.h"

namespace garner::test {
namespace {

// N1: a program that is promised short pauses has its old space marked beside it to the end, as long as there is memory.
TEST(PaceMarking, N1WhoIsPatientIsOverdueOnlyWhereMemoryEnds) {
  Pace pace;
  pace.init(config());
  u64 live = 400 * MiB;
  pace.after_full(live, live, ~u64(0) >> 2, 1'000'000);
  EXPECT_TRUE(pace.overdue(4 * live + 1));
  pace.set_patient(true);
  EXPECT_FALSE(pace.overdue(1000 * live));
  pace.set_short(true);
  EXPECT_TRUE(pace.overdue(4 * live)) << "the machine is short of memory";
  pace.set_short(false);
  pace.set_limit(4 * live);
  EXPECT_FALSE(pace.overdue(4 * live / 8 * 7));
  EXPECT_TRUE(pace.overdue(4 * live / 8 * 7 + 1)) << "the limit is near";
  pace.set_limit(8 * live);
  EXPECT_FALSE(pace.overdue(7 * live));
  pace.set_patient(false);
  EXPECT_TRUE(pace.overdue(7 * live));
}

// N12: there is time to mark beside the program after that is due, under a roomy limit too.
TEST(PaceMarking, N12DueIsNotOverdue) {
  const u64 live = 100 * MiB;
  for (u64 limit : {u64(0), 250 * MiB, 300 * MiB, 400 * MiB, 1000 * MiB}) {
    Pace pace;
    pace.init(config(true, limit));
    pace.after_full(live, live, limit == 0 ? ~u64(0) >> 2 : limit - live, 1'000'000);
    EXPECT_FALSE(pace.overdue(pace.old_threshold() + 4 * MiB)) << limit / MiB;
    EXPECT_TRUE(pace.overdue(max_of(pace.old_threshold() + (limit == 0 ? 2 * live : live / 2) + limit / 8, limit / 4 * 3) + MiB)) << limit / MiB;
    if (limit == 0) continue;
    EXPECT_FALSE(pace.overdue(limit / 4 * 3)) << "memory that may be used is no reason to stop the program";
    pace.set_short(true);
    EXPECT_EQ(pace.overdue(limit / 4 * 3), pace.old_threshold() + live / 2 < limit / 4 * 3) << "but where the machine has none";
    PaceConfig careful = config(true, limit);
    careful.conserve = 9;
    Pace saving;
    saving.init(careful);
    saving.after_full(live, live, limit - live, 1'000'000);
    EXPECT_TRUE(saving.overdue(limit / 4 * 3)) << "or where it is asked to be saved";
  }
}

// N12: what is marked beside the program needs room meanwhile: it is begun when the limit leaves little more than old space grew by the last time.
TEST(PaceMarking, N12MarkingBesideBeginsWhileThereIsRoom) {
  const u64 live = 100 * MiB, limit = 400 * MiB;
  auto after = [&](Pace& pace, u64 grown) {
    pace.init(config(true, limit));
    pace.after_full(live, live, limit - live, 30'000'000);
    pace.after_marking(grown);
  };
  auto due = [&](Pace& pace, u64 old_bytes) { return pace.marking_due(old_bytes, 16 * MiB, limit - old_bytes - 16 * MiB); };
  Pace slow, quick, little;
  after(slow, 150 * MiB);
  after(quick, 10 * MiB);
  after(little, 290 * MiB);
  EXPECT_FALSE(due(slow, 150 * MiB));
  EXPECT_TRUE(due(slow, 220 * MiB));
  EXPECT_FALSE(slow.full_due(220 * MiB)) << "the threshold would have waited: nothing is tested";
  EXPECT_FALSE(due(quick, 220 * MiB));
  EXPECT_TRUE(due(quick, 380 * MiB));
  EXPECT_FALSE(due(little, 110 * MiB)) << "there is little to be found";
  for (u32 n = 0; n < 20; n++) slow.after_marking(5 * MiB);
  EXPECT_FALSE(due(slow, 220 * MiB)) << "it has become quick";
  slow.set_limit(0);
  EXPECT_FALSE(due(slow, 390 * MiB));
}

// N12: where a marking beside the program leaves its room in holes, and eden next to nothing, there is no time for another.
TEST(PaceMarking, N12NextToNoEdenBesideHolesIsPressed) {
  const u64 live = 100 * MiB, limit = 250 * MiB;
  for (u64 holes : {u64(0), 120 * MiB}) {
    Pace pace;
    pace.init(config(true, limit));
    pace.after_full(live, live, limit - live, 30'000'000);
    pace.after_full(live, live, 6 * MiB, 10'000'000, 0, holes);
    EXPECT_FALSE(pace.pressed());
    pace.after_young({.pause_ns = 1'000'000, .interval_ns = 10'000'000, .eden_used = 4 * MiB, .survived = 3 * MiB, .promoted = 3 * MiB, .waited = 0, .old_bytes = live + 3 * MiB, .room = 3 * MiB});
    EXPECT_EQ(pace.pressed(), holes != 0) << "without holes this is what there is";
    EXPECT_EQ(pace.overdue(live + 3 * MiB), holes != 0);
    pace.after_full(live, live, limit - live, 30'000'000);
    EXPECT_FALSE(pace.pressed());
  }
}

// What a program that replaces what it has, `grown` bytes while old space is marked, does with `live` bytes: all markings but for the first find half of those alive that came meanwhile.
struct Floating {
  Pace pace;
  u64 first = 0, most = 0; // that old space held at the end of the first marking, and ever behind it
  explicit Floating(u64 live, u64 grown, u32 markings) {
    pace.init(config());
    pace.after_full(live, live, ~u64(0) >> 2, 30'000'000);
    for (u32 n = 0; n < markings; n++) {
      const u64 end = min_of(pace.old_threshold() + grown, [&] { u64 at = pace.old_threshold(); while (!pace.overdue(at)) at += MiB; return at; }()), grew = end - pace.old_threshold();
      if (n == 0) first = end;
      else most = max_of(most, end);
      pace.after_marking(grew);
      pace.after_full(live + grew / 2, live + grew / 2, ~u64(0) >> 2, 10'000'000, 0, grew / 2);
    }
  }
};

// N12: what became old while old space was marked floats, and does not count as alive, or each marking would begin later than the one before, and take longer.
TEST(PaceMarking, N12WhatFloatsIsNotTakenForLiving) {
  const u64 live = 300 * MiB;
  for (u64 grown : {20 * MiB, 100 * MiB, 200 * MiB, 400 * MiB}) {
    Floating world(live, grown, 50);
    EXPECT_LE(world.first, 4 * live) << grown / MiB;
    EXPECT_LE(world.most, 2 * live + live / 2 + live / 4) << grown / MiB;
    EXPECT_GE(world.pace.old_threshold(), live + grown / 4) << "it never ends: " << grown / MiB;
    if (grown <= 100 * MiB) EXPECT_LE(world.most, 2 * live + grown) << grown / MiB; // the first did not know; the others end where a stop would be
  }
  // One that grows is believed.
  Pace pace;
  pace.init(config());
  pace.after_full(100 * MiB, 100 * MiB, ~u64(0) >> 2, 30'000'000);
  pace.after_marking(100 * MiB);
  pace.after_full(300 * MiB, 300 * MiB, ~u64(0) >> 2, 10'000'000);
  EXPECT_GE(pace.old_threshold(), 450 * MiB);
  EXPECT_FALSE(pace.half_due(300 * MiB));
  EXPECT_TRUE(pace.half_due(pace.old_threshold()));
}

// N12: stops that took long in a bad moment are not held against all that come: what marking took tells how long they would be.
TEST(PaceMarking, N12AMarkingTeachesHowLongAStopWouldBe) {
  Pace pace;
  PaceConfig c = config();
  c.pause_goal_ns = 10'000'000;
  pace.init(c);
  for (u32 n = 0; n < 8; n++) {
    pace.after_stop(400'000'000, 100 * MiB); // 4 ns a byte
    pace.after_full(100 * MiB, 100 * MiB, ~u64(0) >> 2, 400'000'000);
  }
  ASSERT_TRUE(pace.long_to_stop(100 * MiB));
  for (u32 n = 0; n < 16; n++) pace.after_marking(MiB, 10'000'000, 100 * MiB);
  pace.after_full(100 * MiB, 100 * MiB, ~u64(0) >> 2, 10'000'000);
  EXPECT_FALSE(pace.long_to_stop(200 * MiB));
  for (u32 n = 0; n < 16; n++) pace.after_marking(MiB, 4'000'000'000, 100 * MiB); // the thread had no processor: that teaches nothing
  EXPECT_FALSE(pace.long_to_stop(200 * MiB));
}

// N12: where the pauses about a marking are as long as a stop, there is nothing in it for the program, which is stopped then for some time; not where stops are unbearable.
TEST(PaceMarking, N12AMarkingThatSavesNothingIsLeft) {
  for (u64 live : {300 * MiB, 3000 * MiB}) {
    Pace pace;
    PaceConfig c = config();
    c.pause_goal_ns = 10'000'000;
    pace.init(c);
    const u64 stop = live / MiB * 400'000; // ns
    auto stopped = [&] {
      pace.after_stop(stop, live);
      pace.after_full(live, live, ~u64(0) >> 2, stop);
    };
    auto marked = [&](u64 ns) {
      pace.after_marking(MiB);
      pace.after_full(live, live, ~u64(0) >> 2, ns);
    };
    for (u32 n = 0; n < 8; n++) stopped();
    ASSERT_TRUE(pace.long_to_stop(2 * live));
    marked(stop / 4);
    EXPECT_TRUE(pace.long_to_stop(2 * live)) << "it was worth it";
    marked(stop);
    EXPECT_EQ(pace.long_to_stop(2 * live), live > 1000 * MiB);
    for (u32 n = 0; n < 3; n++) stopped();
    EXPECT_EQ(pace.long_to_stop(2 * live), live > 1000 * MiB);
    stopped();
    EXPECT_TRUE(pace.long_to_stop(2 * live)) << "it is tried again";
  }
}

// N12: a heap that has grown beyond all that was looked at is marked beside the program, as a stop may be long; less so the more stops were short, if they met small objects.
TEST(PaceMarking, N12WhatNobodyHasLookedAtMayBeAChain) {
  Pace pace;
  PaceConfig c = config();
  c.pause_goal_ns = 10'000'000;
  pace.init(c);
  const u64 room = ~u64(0) >> 2;
  auto stopped = [&](u64 live, u64 large) {
    pace.after_stop(live / MiB * 300'000, live, large); // 0.3 ns a byte
    pace.after_full(live, live, room, live / MiB * 300'000);
  };
  stopped(24 * MiB, 24 * MiB);
  stopped(57 * MiB, 45 * MiB);
  EXPECT_FALSE(pace.long_to_stop(90 * MiB));
  EXPECT_TRUE(pace.long_to_stop(120 * MiB)) << "two arrays said nothing of what else there is";
  pace.after_en_masse(50'000, 10'000'000, 200 * MiB, room);
  stopped(80 * MiB, 50 * MiB);
  EXPECT_FALSE(pace.long_to_stop(200 * MiB)) << "so much has been looked at";
  EXPECT_TRUE(pace.long_to_stop(260 * MiB));
  YoungFacts facts{};
  facts.interval_ns = 10'000'000;
  facts.old_bytes = 240 * MiB;
  facts.room = room;
  pace.after_young(facts);
  stopped(110 * MiB, 0);
  EXPECT_FALSE(pace.long_to_stop(330 * MiB)) << "small objects cost little, too";
  EXPECT_TRUE(pace.long_to_stop(400 * MiB));
}

// N12: collect.marking=auto stops the program where that is short, as full collections before have shown, and not where it is long.
TEST(PaceMarking, N12ALongStopIsForeseen) {
  Pace pace;
  PaceConfig c = config();
  c.pause_goal_ns = 10'000'000;
  pace.init(c);
  auto full = [&](u64 live, u64 ns) {
    for (u32 n = 0; n < 8; n++) {
      pace.after_stop(ns, live);
      pace.after_full(live, live, ~u64(0) >> 2, ns);
    }
  };
  EXPECT_FALSE(pace.long_to_stop(35 * MiB)) << "before the first";
  EXPECT_TRUE(pace.long_to_stop(45 * MiB)) << "it may be a chain";
  full(70 * MiB, 28'000'000);
  pace.after_full(100 * MiB, 100 * MiB, ~u64(0) >> 2, 40'000'000);
  EXPECT_FALSE(pace.long_to_stop(350 * MiB));
  EXPECT_TRUE(pace.long_to_stop(450 * MiB)) << "more and more lives: half of it may";
  full(100 * MiB, 40'000'000);
  EXPECT_FALSE(pace.long_to_stop(450 * MiB)) << "as much lives as lived before";
  EXPECT_TRUE(pace.long_to_stop(850 * MiB));
  full(300 * MiB, 120'000'000);
  EXPECT_TRUE(pace.long_to_stop(300 * MiB));
  full(1000 * MiB, 10'000'000); // large objects without references
  EXPECT_FALSE(pace.long_to_stop(2000 * MiB));
  for (u32 n = 0; n < 200; n++) full(1000 * MiB, 0); // a clock that stands
  EXPECT_FALSE(pace.long_to_stop(2000 * MiB));
  EXPECT_TRUE(pace.long_to_stop(~u64(0) >> 4));
  pace.set_patient(true);
  EXPECT_TRUE(pace.long_to_stop(0)) << "short pauses have been promised";
  pace.set_patient(false);
  EXPECT_FALSE(pace.long_to_stop(2000 * MiB));
}

// N1: while old space is marked beside the program it may grow beyond its threshold, by what is promoted en masse too.
TEST(PaceMarking, N1WhileOldSpaceIsMarkedEdenIsPromotedBeyondTheThreshold) {
  const u64 live = 100 * MiB, room = ~u64(0) >> 2;
  Pace pace;
  pace.init(config());
  pace.after_full(live, live, room, 30'000'000);
  const u64 eden = pace.eden(), old_bytes = pace.old_threshold() + MiB;
  pace.after_young({.pause_ns = eden, .interval_ns = 10'000'000, .eden_used = eden, .survived = eden - eden / 20, .promoted = 0, .waited = 0, .old_bytes = live, .room = room});
  EXPECT_FALSE(pace.promotes_en_masse(eden, old_bytes, room));
  EXPECT_TRUE(pace.promotes_en_masse(eden, old_bytes, room, true));
  EXPECT_TRUE(pace.overdue(old_bytes + 2 * live));
  EXPECT_TRUE(pace.promotes_en_masse(eden, old_bytes + 2 * live, room, true)) << "the last pause comes with the next collection, and copying would make that longer";
  EXPECT_FALSE(pace.promotes_en_masse(eden, old_bytes, eden / 4, true)) << "the limit leaves it no room";
}

// N12: worlds whose old space is marked beside the program, without a limit: a program that allocates no faster than it is marked is hardly stopped for that, one that does is, and neither
// has more than two and a quarter of what lives in old space, and what is young (World::check; pace_worlds.cc plays them under limits).
TEST(PaceMarking, N12MarkedWorldsAreStoppedSeldomAndStayBounded) {
  PaceConfig c = config();
  c.eden_max = 64 * MiB;
  for (const KindOfWorld& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    Story s = live({c, 1000 * MiB, kind.weather, 2000, true, 1'000'000});
    ASSERT_FALSE(HasFailure());
    EXPECT_LE(s.most, s.most_live * 5 / 2 + 2 * c.eden_max);
    const std::string name = kind.name;
    if (name == "idle") {
      EXPECT_LE(s.marked + s.full, 1u) << "but for the one that learns what lives";
    } else if (name != "half ends") { // what is left of that is stopped for, soon
      EXPECT_GE(s.marked, 3u) << "nothing is tested";
      EXPECT_LE(s.full, 1u) << "stops are long, and markings were possible";
    }
    if (name == "steady" || name == "leak") EXPECT_LE(s.stopped_marking, 1u + s.marked / 10);
    if (name == "dear") EXPECT_GT(s.stopped_marking, 0u) << "it allocates faster than it is marked: nothing is tested";
  }
}

// N12: a leak that is marked beside the program uses what the limit grants, and stops only where little is left.
TEST(PaceMarking, N12AMarkedLeakUsesItsLimit) {
  Story s = live({config(true, 1024 * MiB), 256 * MiB, [](u32) { return Weather{.survival = 0.1, .promoted = 0.05, .old_dies = 0.5}; }, 6000, true, 1'000'000});
  EXPECT_TRUE(s.out_of_memory) << "it is played to its end";
  EXPECT_GT(s.most_live, 1024 * MiB / 8 * 7);
  EXPECT_LE(s.most, 1024 * MiB);
  EXPECT_GE(s.marked, 3u);
  EXPECT_LT(s.eden_least, MiB) << "eden makes room for what leaks";
}

} // namespace
} // namespace garner::test
