// A program in a few numbers, played against Pace alone as Cycle would ask it: when eden is full what is due is done, young collection, full one, or marking beside the program.
//
// What must hold in every world is checked at each step of it, whatever a test looks at in the end (World::check):
//   limit     old space, its holes, survivors, eden and the copies that are expected of it fit into what the limit is then. Eden alone does where it has its least size, 512 KiB, or what is left
//   no limit  old space and its holes have at most twice what the last full collection left alive, or growth_min more; beside the first marking twice as much again, beside others a quarter; and what one
//             collection promotes
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/random.h"
#include "cycle/pace.h"

namespace garner::test {

// What a world is at its `n`-th collection.
struct Weather {
  double survival = 0.05;      // of eden
  double promoted = 0.02;      // of eden, into old space
  double old_dies = 0;         // share of what is promoted that is dead when a full collection looks
  double old_ends = 0;         // share of what lived in old space until now
  u64 alloc_ns_per_mib = 2'000'000, pause_ns_per_live_mib = 1'000'000, limit = 0;
  u64 pause_ns = 50'000;       // of each, whatever lives
};

struct World {
  PaceConfig config;
  u64 live = 0;                                      // old bytes that stay for ever
  std::function<Weather(u32 n)> weather;
  u32 rounds = 200;
  bool beside = false;                               // old space may be marked beside the program
  u64 stop_ns_per_mib = 0, mark_ns_per_mib = 2'000'000; // of what lives: a full collection that stops, beside a millisecond; a marking, while the program runs
};

struct Story {
  u32 full = 0, marked = 0, stopped_marking = 0, en_masse = 0; // stopped_marking: those of `marked` that the program was stopped for, as they were overdue
  u64 eden_first = 0, eden_last = 0, eden_least = ~u64(0), eden_most = 0, old_last = 0, biggest_pause = 0, pause_last = 0;
  u64 most = 0, most_live = 0; // bytes that were ever charged, in pauses too; that ever lived in old space
  u64 stayed = 0;              // bytes of copies that found no room and stayed where they were
  double share = 0;
  bool out_of_memory = false;  // what lives does not fit the limit
};

class Played {
 public:
  explicit Played(const World& world) : world_(world), limit_(world.config.limit), old_(double(world.live)), alive_(double(world.live)), found_(world.live) { pace_.init(world.config); }

  Story live() {
    for (u32 n = 0; n < world_.rounds && !story_.out_of_memory && !testing::Test::HasFailure(); n++) {
      round(world_.weather(n));
      if (n == 0) story_.eden_first = pace_.eden(); // the one before is a look
      story_.eden_least = min_of(story_.eden_least, pace_.eden());
      story_.eden_most = max_of(story_.eden_most, pace_.eden());
      check(n);
    }
    story_.eden_last = pace_.eden();
    story_.old_last = u64(old_);
    story_.share = paused_ / (paused_ + ran_);
    return story_;
  }

 private:
  static constexpr u64 kNoLimit = ~u64(0) >> 2, kLittle = 64 * KiB;
  u64 held() const { return u64(old_ + holes_) + waiting_; }
  u64 left() const { return limit_ == 0 ? kNoLimit : limit_ - min_of(limit_, held()); }
  u64 room() const { return left() - (limit_ == 0 ? 0 : min_of(left(), waiting_)); } // survivors are copied once more

  void round(const Weather& w) {
    if (w.limit != limit_ && w.limit != 0) pace_.set_limit(limit_ = w.limit);
    alive_ -= alive_ * w.old_ends;
    const Pace::Soon soon = pace_.soon();
    const u64 by_then = u64(double(soon.ns) / double(w.alloc_ns_per_mib) * double(MiB)); // what the program has allocated when a smaller eden is enough
    const u64 eden = min_of(min_of(pace_.eden(), max_of(soon.bytes, by_then)), left()), young = eden + waiting_; // the budget grants no more
    const u64 interval = u64(double(eden) / double(MiB) * double(w.alloc_ns_per_mib));
    marking_ns_ -= min_of(marking_ns_, interval);
    since_full_ns_ += interval;
    grown_ = 0;
    const u64 budget = limit_ == 0 ? kNoLimit : left() - eden;
    const bool due = pace_.full_due(u64(old_)), begins = world_.beside && pace_.long_to_stop(u64(old_));
    const bool instead = pace_.full_due_instead(u64(old_), young, budget);
    const bool begin = !marks_ && begins && ((due && !pace_.pressed()) || (!due && instead) || pace_.marking_due(u64(old_), young, budget));
    const bool overdue = marks_ && due && pace_.overdue(u64(old_)), end = marks_ && (overdue || marking_ns_ == 0);
    if (limit_ != 0 && eden < kLittle) return full(w, eden, interval); // nobody got any memory: all is collected, and what is not found then is not there
    if (!marks_ && !begin && (due || (instead && !begins))) return full(w, eden, interval);
    if (pace_.promotes_en_masse(young, u64(old_), budget, marks_ || begin)) en_masse(w, eden, interval);
    else this->young(w, eden, interval);
    if (begin) begin_marking();
    else if (end) end_marking(overdue);
  }

  // What a collection copies, and what of it becomes old, where there is room for it: the rest stays where it is, and is counted.
  struct Copies { u64 survived, promoted; };
  Copies copy(const Weather& w, u64 eden) {
    Copies c{u64(double(eden) * max_of(w.survival, w.promoted)), u64(double(eden) * w.promoted)};
    const u64 room = left() - min_of(left(), eden), fit = limit_ == 0 ? c.survived : min_of(c.survived, room);
    story_.stayed += c.survived - fit;
    story_.most = max_of(story_.most, held() + eden + fit);
    if (pace_.promotes_at_once()) c.promoted = c.survived;
    return c;
  }
  void grow_old(const Weather& w, u64 bytes, u64 of_them_lasting) {
    const double filled = min_of(holes_, double(bytes));
    holes_ -= filled;
    old_ += double(bytes);
    alive_ += double(of_them_lasting) * (1 - w.old_dies);
    grown_ += u64(double(bytes) - filled);
  }
  void count(u64 pause, u64 interval) {
    ran_ += double(interval), paused_ += double(pause);
    story_.pause_last = pause;
    story_.biggest_pause = max_of(story_.biggest_pause, pause);
  }

  void young(const Weather& w, u64 eden, u64 interval) {
    YoungFacts facts{};
    const Copies c = copy(w, eden);
    facts.eden_used = eden;
    facts.survived = c.survived;
    facts.promoted = c.promoted;
    facts.waited = waiting_;
    facts.interval_ns = interval;
    facts.pause_ns = w.pause_ns + u64(double(c.survived) / double(MiB) * double(w.pause_ns_per_live_mib));
    grow_old(w, c.promoted, u64(double(eden) * w.promoted));
    waiting_ = c.survived - c.promoted;
    facts.old_bytes = u64(old_);
    facts.room = room();
    count(facts.pause_ns, interval);
    pace_.after_young(facts);
  }

  void en_masse(const Weather& w, u64 eden, u64 interval) {
    story_.en_masse++;
    grow_old(w, eden + waiting_, u64(double(eden) * w.promoted));
    waiting_ = 0;
    story_.most = max_of(story_.most, held());
    count(50'000, interval);
    pace_.after_en_masse(50'000, interval, u64(old_), room());
  }

  u64 stop_ns() const { return 1'000'000 + u64(alive_ / double(MiB) * double(world_.stop_ns_per_mib)); }
  void full(const Weather& w, u64 eden, u64 interval) {
    story_.full++;
    const Copies c = copy(w, eden);
    grow_old(w, c.promoted, u64(double(eden) * w.promoted));
    waiting_ = c.survived - c.promoted;
    old_ = alive_;
    holes_ = 0;
    marks_ = false;
    story_.out_of_memory = limit_ != 0 && left() < kLittle;
    found_ = held();
    const u64 pause = stop_ns();
    count(pause, interval);
    pace_.after_stop(pause, found_);
    pace_.after_full_look(eden, waiting_);
    pace_.after_full(found_, u64(old_), room(), pause, since_full_ns_);
    since_full_ns_ = 0;
  }

  void begin_marking() {
    marks_ = true;
    marking_ns_ = u64(alive_ / double(MiB) * double(world_.mark_ns_per_mib));
    seen_ = min_of(alive_, old_), began_ = old_;
  }
  // What died or came while it lasted floats; of what is freed half lies in holes.
  void end_marking(bool overdue) {
    story_.marked++;
    story_.stopped_marking += overdue;
    marks_ = false;
    const double grown = old_ - began_, lives = seen_ + grown;
    holes_ += (old_ - lives) / 2;
    old_ = lives;
    found_ = held() - u64(holes_);
    const u64 pause = overdue ? stop_ns() : 1'000'000;
    count(pause, 0);
    knows_ |= u64(grown) != 0;
    pace_.after_marking(u64(grown), u64(seen_ / double(MiB) * double(world_.mark_ns_per_mib)), found_);
    pace_.after_full(found_, u64(old_), room(), pause, since_full_ns_, u64(holes_));
    since_full_ns_ = 0;
  }

  void check(u32 n) {
    story_.most = max_of(story_.most, held() + pace_.eden());
    story_.most_live = max_of(story_.most_live, u64(alive_));
    const u64 eden = pace_.eden(), least = 512 * KiB;
    if (limit_ != 0) {
      EXPECT_LE(held(), max_of(limit_, had_)) << "round " << n; // the limit may have been lowered below
      EXPECT_LE(eden, room()) << "an eden was promised that does not fit, round " << n;
      if (eden > least) EXPECT_LE(eden + pace_.expected_survivors(), room()) << "the copies of such an eden would not fit, round " << n;
    } else {
      const u64 due = found_ + max_of(found_, world_.config.growth_min), late = !world_.beside ? 0 : knows_ ? found_ / 4 : 2 * max_of(found_, world_.config.growth_min);
      EXPECT_LE(held() - waiting_, max_of(due + late + grown_, had_)) << "round " << n; // much may end at once, of which a marking leaves holes
      EXPECT_LE(eden, world_.config.eden_max) << "round " << n;
    }
    had_ = held();
  }

  const World& world_;
  Pace pace_;
  Story story_;
  u64 limit_;
  double old_, alive_, holes_ = 0, ran_ = 0, paused_ = 0;
  u64 waiting_ = 0, had_ = 0; // in survivor space; held a step ago
  u64 grown_ = 0, found_;     // by which old space and its holes grew in this collection; what the last full one found alive, or took for that
  bool marks_ = false, knows_ = false; // knows_: how long markings take
  u64 marking_ns_ = 0, since_full_ns_ = 0;
  double seen_ = 0, began_ = 0; // what lived, and what there was, when the marking began
};

inline Story live(const World& world) { return Played(world).live(); }

// Kinds of programs, of which each is to be played under limits and without. What becomes old is dead soon after, but for leaks.
struct KindOfWorld {
  const char* name;
  std::function<Weather(u32 n)> weather;
};
inline const KindOfWorld kKinds[] = {
    {"steady", [](u32) { return Weather{.survival = 0.2, .promoted = 0.1, .old_dies = 1}; }},
    {"dear", [](u32) { return Weather{.survival = 0.1, .promoted = 0.05, .old_dies = 1, .alloc_ns_per_mib = 200'000}; }},
    {"step", [](u32 n) { return n % 100 < 50 ? Weather{.old_dies = 1} : Weather{.survival = 0.4, .promoted = 0.2, .old_dies = 1, .alloc_ns_per_mib = 500'000}; }},
    {"burst", [](u32 n) { return n % 50 < 5 ? Weather{.survival = 0.9, .promoted = 0.5, .old_dies = 1} : Weather{.old_dies = 1}; }},
    {"leak", [](u32) { return Weather{.survival = 0.1, .promoted = 0.05, .old_dies = 0.5}; }},
    {"half ends", [](u32 n) { return Weather{.promoted = 0.04, .old_dies = 0.5, .old_ends = n % 100 == 99 ? 0.5 : 0.0}; }},
    {"idle", [](u32) { return Weather{.survival = 0.001, .promoted = 0, .alloc_ns_per_mib = 3'600'000'000'000}; }},
};

inline PaceConfig config(bool adaptive = true, u64 limit = 0) {
  PaceConfig c;
  c.adaptive = adaptive;
  c.limit = limit;
  if (limit != 0) c.growth_min = limit / 8;
  return c;
}

} // namespace garner::test
