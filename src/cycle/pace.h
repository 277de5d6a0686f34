// Pace: when to collect and how large the young space is. Decisions only: plain numbers in, plain numbers out, no heap.
//
// Adaptive (N12): eden grows while young pauses take more than their share of time, shrinks while they take less than a third of that and longer than a third of the goal (of a large eden as much as makes such a pause is enough then, see Soon), or are too long
// and much survives, and always fits what the limit leaves: eden + what may survive of it <= room, and at least a fifth is kept for that: a
// failed promotion costs a full collection, a smaller eden next to nothing. Fixed: eden stays, but for the limit.
// A full collection is due when old space has grown by its allowance since the last one (under a limit that is twice as much, and up to eight times while full collections take
// more than twice their share of time or longer than a pause should, as long as it takes no more than three quarters of what the limit leaves: memory that may be used saves full collections), or when it has taken so much of eden's room
// that collecting eden more often has cost as much as a full collection.
// Where old space can be marked beside the program, that is begun when a full collection would be due, less, without a limit, what such a marking has let it grow by, and a little later where regions are still
// being emptied behind the last one; or when the limit leaves little more room than that; and whether it is (collect.marking=auto) depends on how long a stop would take, as stops have, or as the marking itself tells; of a heap larger than any that was looked at, as long as it may. What became old
// meanwhile nobody has looked at: without a limit it counts as alive as far as it takes for as much to live as before, or for what was looked at to go on growing. Where the pauses about a marking are about as long as a
// stop, or not much shorter and together much more, the program is stopped for a while instead. Where it leaves holes, and eden next to nothing, a full collection compacts.
// Where nearly all that waited in survivor space is promoted anyway, waiting only costs a second copy, and a second look at every card of what refers to it: where much
// survives, or pauses are too long while memory is not short, eden's survivors are promoted at once for some collections, then those of one wait again, to see.
// Where nearly all of eden survives, collecting it finds little: then it is promoted en masse where it lies, and every so often one is looked at again; the first
// eden is such a look. What dies with it
// is left to the next full collection, which comes sooner by that; so it is done only where that costs less than half of the pause that it saves, and not where memory is short.
// Lean: memory has its price. Eden grows only where twice as much is worth it, beyond what is cheap only after a while (may_grow). Without a limit, too, old space may grow by a quarter to a whole of its
// allowance, by what a full collection takes more than a young one (judge_growth).
// Where memory is short on the machine as a whole, or in a container, full collections come sooner, and eden does not grow.
// Near the limit it degrades step by step: smaller eden, full collection, and only then out of memory.
// Same inputs, same decisions (a table of worlds tests it). Called under the collection lock, but for what says "any-thread".
#pragma once
#include "base/atomic.h"
#include "options/parse.h"

namespace garner {

struct PaceConfig {
  bool adaptive = true, adapt_tenure = true, en_masse = true;
  u64 eden_start = 16 * MiB, eden_min = 4 * MiB, eden_max = 256 * MiB;
  u64 pause_goal_ns = 10'000'000;
  u32 gc_share_percent = 5, old_growth_percent = 100, conserve = 0;
  u64 limit = 0;       // bytes, 0 none
  u64 growth_min = 24 * MiB; // old space may always grow by this much
  bool lean = false, lean_growth = false; // memory has its price, eden's (Pace::resize, may_grow), and without a limit that of what old space grows by (judge_growth), which then takes a quarter of growth_min, too
};

struct YoungFacts {
  u64 pause_ns, interval_ns;   // this pause, and the time the program ran before it
  u64 eden_used, survived, promoted;
  u64 waited;                  // bytes in survivor spaces before; 0 when they were not collected
  u64 old_bytes;               // old, large and pinned in use afterwards
  u64 room;                    // bytes the budget leaves for eden and survivors, ~0/2 without a limit
  u64 beside_ns = 0;           // of pause_ns: what a marking beside the program added
  u64 fresh = eden_used;       // of eden_used: allocated since the collection before; the rest was kept among pins
};

class Pace {
 public:
  void init(const PaceConfig& config);
  const PaceConfig& config() const { return config_; }
  void set_limit(const PaceConfig& config); // its limit, and what is derived from one
  void set_limit(u64 limit) {
    PaceConfig config = config_;
    config.limit = limit;
    set_limit(config);
  }
  // The memory of the machine, or of a container, is nearly used up: old space may grow little before a full collection.
  void set_short(bool is);
  bool is_short() const { return short_; }
  // Old space may grow while it is marked beside the program, however long that takes: but for a machine that is short, and up to seven eighths of a limit.
  void set_patient(bool is);
  void set_eden_floor(u64 bytes) { eden_floor_.store_relaxed(bytes); } // a promise to the program (no-GC region); 0 ends it. Any-thread; the next collection goes by it

  u64 eden_floor() const { return eden_floor_.load_relaxed(); } // any-thread
  // The promise is over before a collection would have seen it: what the next one's copies need is theirs again. room: bytes that the budget leaves.
  void end_eden_floor(u64 room);

  void after_young(const YoungFacts& facts);
  void after_en_masse(u64 pause_ns, u64 interval_ns, u64 old_bytes, u64 room);
  // since_ns: the time since the full collection before; 0: this one was asked for, and says nothing of how often they are due. holes: bytes in old space that a marking beside the
  // program has left, which only what is promoted can fill.
  void after_full(u64 live_bytes, u64 old_bytes, u64 room, u64 pause_ns, u64 since_ns = 0, u64 holes = 0);
  // Before it: what a full collection has seen of an eden, which may have been collected instead of promoted en masse.
  void after_full_look(u64 eden_used, u64 survived);

  u64 eden() const { return eden_.load_relaxed(); } // bytes of the next eden. Any-thread
  // As many are enough where the program takes longer than so many ns for them: collecting them costs next to nothing, and makes a shorter pause.
  struct Soon {
    u64 bytes, ns;
  };
  Soon soon() const { return {eden_floor() != 0 ? eden() : clamp_to(soon_bytes_, min_of(config_.eden_min, eden()), eden()), soon_ns()}; }
  u64 old_threshold() const { return threshold_.load_relaxed(); }
  u64 old_after_full() const { return old_after_full_; } // old, large and pinned bytes that the last full collection left
  bool full_due(u64 old_bytes) const { return old_bytes >= old_threshold() || squeezed_; }
  // `young` bytes would be promoted en masse had they room below the threshold and in the budget. To copy them first, and to collect all soon after, is worse where the part of a full collection
  // that is wasted by its coming early, which is what old space might still grow by, costs no more than the copying.
  bool full_due_instead(u64 old_bytes, u64 young, u64 room) const;
  // Of one that is due, or due instead: whether old space has reached its threshold, or would have with what is young. Else what is left for eden speaks for it.
  bool due_by_growth(u64 old_bytes, u64 young) const { return old_bytes + (squeezed_ ? 0 : young) >= old_threshold(); }
  // Marking beside the program takes a while, in which old space grows as it did the last time: it is due when the limit leaves little more than that. room: what the limit leaves,
  // `young` bytes not counted.
  bool marking_due(u64 old_bytes, u64 young, u64 room) const;
  // Whether a full collection now would, or might, take several times as long as a pause should; always while the program asks for patience. Any-thread.
  bool long_to_stop(u64 old_bytes) const { return old_bytes >= long_from_.load_relaxed(); } // and markings have been worth it
  void after_stop(u64 pause_ns, u64 live_bytes, u64 large_bytes = 0); // of a full collection that stopped the program; before after_full. large_bytes: of those that live, in large objects
  // grown_bytes: by how much old space has grown from its first pause to its last. trace_ns: what all workers would have taken to mark live_bytes; 0: nobody knows. Before after_full, which takes that growth for
  // what nobody has looked at.
  void after_marking(u64 grown_bytes, u64 trace_ns = 0, u64 live_bytes = 0);
  // While it was being marked beside the program old space has grown a quarter as much again as it may, the first time twice as much again; under a limit half of what it may without one, but to three quarters of the
  // limit, or has left next to nothing for eden: that is too slow.
  bool overdue(u64 old_bytes) const { return old_bytes > overdue_.load_relaxed() || pressed(); } // any-thread
  // Without a limit another marking that is due may wait, a quarter of what old space may grow by, for the regions that are emptied behind the last one: their holes are nobody's until then, and were they left
  // as they are each time, memory that nobody uses would grow from marking to marking. It may take as long as one that began in time. Under a limit what old space takes meanwhile is eden's. may_wait: any-thread
  bool may_wait(u64 old_bytes) const { return old_bytes <= wait_end_.load_relaxed(); }
  void begins_late(u64 old_bytes);
  // Next to nothing is left for eden, of what it might have were old space compact. Nothing that takes its time will do.
  bool pressed() const { return pressed_.load_relaxed() != 0; } // any-thread
  // Large allocations count before they happen. Any-thread.
  bool large_due(u64 old_bytes, u64 asked) const { return old_bytes + asked > old_threshold(); }
  bool half_due(u64 old_bytes) const { return old_bytes >= half_.load_relaxed(); } // old space has grown by half of what it may. Any-thread
  u64 expected_survivors() const { return u64(survival_ * double(eden())); }
  // By how much the next one will let old space grow where it promotes en masse.
  u64 expected_growth() const { return goes_unseen() ? eden() : 0; }
  // What the next collection will copy, as far as one can tell, where `waiting` bytes of survivors wait: nothing where it promotes en masse, or a full one comes instead; may_go_unseen: as far as
  // Pace does not know of it nothing speaks against that. And what of the waiting ones will come through, which may find holes in old space.
  u64 expected_copies(u64 waiting, u64 old_bytes, bool may_go_unseen = true) const;
  u64 expected_to_come_through(u64 waiting) const { return u64(double(waiting) * came_through_); }
  bool promotes_at_once() const { return at_once_ != 0; }
  // Whether `young` bytes are promoted where they lie. Nobody knows how many of them live; if none do, the next full collection has come early, once.
  // room: bytes that the budget leaves.
  // marking: beside the program, or about to begin, or waiting for that; then old space may grow as far as that may take.
  bool promotes_en_masse(u64 young, u64 old_bytes, u64 room, bool marking = false) const;
  bool goes_unseen() const { return unseen_ != 0 && !short_; } // the next eden is one of those that are promoted en masse, where they have room
  // Holes of old space, which copies would fill, are passed over where filling them costs more than the full collections that come sooner for it. They count as full then.
  bool passes_over(u64 holes, u64 old_bytes) const;
  void remember_survival(double share) { survival_ = share; } // of a heap that is made anew: what its earlier collections would have taught

 private:
  void fit(u64 room);
  bool lean() const { return config_.lean; }
  bool lean_growth() const { return config_.lean_growth && config_.limit == 0; }
  u64 eden_free() const { return max_of(kEdenFree, live_ / 8); } // so much a program may have for the asking
  bool may_grow(u64 eden) const;
  u64 copied_of_eden(const YoungFacts& facts) const;
  void learn_copies(const YoungFacts& facts);
  void resize(const YoungFacts& facts, double survived);
  u64 calm_ns() const { return u64(kCalm * double(config_.pause_goal_ns)); }
  u64 soon_ns() const { return u64(double(max_of(calm_ns(), soon_pause_ns_)) * (100 * kSeldom / max_of(config_.gc_share_percent, 1u) - 1)); } // so that it is seldom
  void begin_look();
  u64 eden_in(u64 room) const { return u64(double(room) / (1.0 + clamp_to(survival_ * 1.25 + 0.02, kLeastReserve, 1.0))); } // it and the copies of what survives of it
  void aim(const YoungFacts& facts);
  void count_debt(const YoungFacts& facts);
  void judge_waiting(const YoungFacts& facts);
  void judge_looking(const YoungFacts& facts);
  // As much of what is young may become old where it lies. That takes no memory, but the next eden and its copies do; half of it will do for them.
  u64 left_for_young(u64 growth_left, u64 room) const { return min_of(growth_left, 2 * min_of(room, ~u64(0) >> 2)); }
  u64 growth_left(u64 old_bytes) const { return old_threshold() - min_of(old_threshold(), old_bytes); }
  double full_cost(double copying_ns, u64 old_bytes) const;
  void count_share(u64 pause_ns, u64 interval_ns);
  void squeeze(u64 old_bytes, u64 room);
  void judge_marking(u64 pause_ns);
  void judge_growth(u64 pause_ns, u64 since_ns);
  void set_threshold();

  PaceConfig config_;
  u64 wanted_ = 0;
  u64 soon_bytes_ = ~u64(0), soon_pause_ns_ = 0; // an eden whose pause would be calm, by the last pause; what such a one has taken, which may be more
  Atomic<u64> eden_{0}; // relaxed, pairs with nothing: a number, stored under the collection lock, that the program's calls read without it
  Atomic<u64> threshold_{0}, half_{0}, overdue_{0}, long_from_{0}, wait_end_{0}; // relaxed: numbers, read by allocating threads while a new limit is set
  Atomic<u32> pressed_{0}; // relaxed, as those
  Atomic<u64> eden_floor_{0}; // relaxed, pairs with nothing: a number; what was collected before it is seen has an eden without it
  u64 live_ = 0, room_after_full_ = 0, marked_growth_ = 0;
  u64 allowance_ = 0; // that old space may grow by, without what a limit leaves
  u64 old_after_full_ = 0; // less than live_, by what lay young and may become old: pins
  u64 counted_ = 0; // what lived by all marks, those of what nobody looked at too
  bool marked_ = false;        // a marking beside the program has ended, and after_full is to come
  bool beside_ = false;        // the last full collection was one
  u64 became_old_ = 0;         // while it lasted
  u64 paused_ns_ = 0, ran_ns_ = 0, longest_ns_ = 0; // since the last full collection
  double price_stop_ = 0;      // stopped time of the last cycle that ended with a stop, to the time the program ran; 0: there was none
  u32 stops_ = 0, stops_next_ = kStopsFirst; // full collections left that stop though that is long; how many the next time
  u64 most_had_ = 0; // the largest eden since old space was compact
  double survival_ = 0.1, share_ = 0;
  struct Copied {
    u64 bytes = 0, of = 0;
  } copied_[2];                // of eden, in the last two collections that told
  double came_through_ = 1;    // of what had waited, the last time that something had; half where that is long ago
  u32 quarters_ = kQuarters / 2;                        // lean: so many of its allowance old space may grow by
  u64 proof_ns_ = 0, proof_paused_ns_ = 0;              // since eden's size was changed: all, and that of pauses
  u32 pauses_ = 0;                                      // young, since the last full collection
  u32 roomy_ = kRoomyLeast;                             // under a limit: how many times as much as without one old space may grow by
  u64 full_ns_ = 0;                                     // pause of the last full collection
  double base_ns_ = 0, base_bytes_ = 0, debt_ns_ = 0;   // see count_debt
  u32 base_count_ = 0;
  u32 at_once_ = 0, at_once_next_ = kAtOnceFirst;       // collections left that promote at once; how many the next time
  u64 waited_slowly_ = 0;                               // what had waited when a pause that was too long spoke for that; 0: none did
  u32 unseen_ = 0, unseen_next_ = kUnseenFirst; // edens left that are promoted en masse; how many the next time
  bool left_to_full_ = false;        // a look, to the full collection that was near; still after one: a marking's end, which saw nothing of eden
  double seen_ns_ = 0;               // of a byte of eden: the least that a look at one that nearly all survived took, forgotten slowly
  double filled_ns_ = 0;             // of a byte of that eden: what the program took for it
  bool looks_ = false;               // the next eden is looked at, and was made small for it
  double stop_ns_ = kStopNs; // of a byte that lives: what full collections have taken
  double unknown_ns_ = kUnknownNs; // of a byte that none has looked at yet, if it lives: what has to be reckoned with
  u64 most_seen_ = 0, most_old_ = 0; // old bytes: most that a full collection has looked at; most since the last one
  double copy_ns_ = 0; // of a byte: the least pause per byte seen, forgotten slowly
  static constexpr u32 kBase = 3; // so many collections tell what young ones cost while eden is large
  static constexpr u64 kMostlyKept = 4; // where less than this part of an eden has been allocated since the one before, its pause is that of what was kept
  static constexpr u64 kTakenByOld = 4; // the part of what eden has lost that old space must have grown by
  static constexpr double kSeldom = 3; // less than this part of the share that collections may have, and shorter pauses cost next to nothing
  static constexpr double kCalm = 1 / 3.0; // of the goal: what pauses are to take then
  static constexpr double kShareNs = 100e6; // after which what has been is forgotten by half, or sooner by collections
  // Where most of eden survives a larger one saves nothing: its pause grows as the collections become fewer.
  static constexpr double kMostlyAlive = 0.3;
  static constexpr double kNearlyAll = 0.9;
  static constexpr u32 kAtOnceFirst = 4, kAtOnceMost = 32;
  static constexpr u32 kShorter = 4; // a pause may become as many times shorter by promoting at once: half for the cards, half for what eden does meanwhile
  static constexpr double kSeldomDead = 0.6; // less of eden than that alive, and none is promoted en masse
  static constexpr u32 kUnseenFirst = 2, kUnseenMost = 16;
  static constexpr double kOtherWork = 4; // a program that takes so many times as long for an eden does something else than when one was looked at
  static constexpr u64 kLookAt = 4; // the part of eden that a look is content with
  static constexpr double kLeastReserve = 0.2; // of eden, for survivors
  static constexpr double kStopNs = 0.4; // until one has been measured
  static constexpr u64 kStopSeen = 4 * MiB; // of less the price of a byte says little
  static constexpr double kUnknownNs = 4; // until stops have shown what this program's objects cost: a chain takes about as much
  static constexpr u64 kUnknownSeen = 32 * MiB; // of fewer small objects that says nothing of what is still to come
  static constexpr u64 kBearable = 4; // long stops
  static constexpr u32 kStopsFirst = 4, kStopsMost = 32;
  static constexpr u64 kBetweenMarkings = 4; // the part of its growth that old space has at least from the end of a marking to the next
  static constexpr u64 kFirstMarking = 2;    // times its allowance, that old space may grow by beyond its threshold until the first marking beside the program has ended
  static constexpr u64 kLongStop = 8; // times the pause goal, of a full collection that may stop the program
  static constexpr u64 kSlow = 2; // times the pause goal: of what costs time to make shorter
  static constexpr u64 kEdenFree = 16 * MiB, kProofNs = 250'000'000;
  static constexpr u32 kRoomyLeast = 2, kRoomyMost = 8, kQuarters = 4, kQuartersMost = 8;
  static constexpr u64 kGrownToMark = 4; // the part of what lives that old space has grown by at least when a marking begins for want of room
  static constexpr u64 kShortGrowth = 8; // the part of what lives that old space may grow by then
  bool steady_ = false; // the last two full collections found about as much alive, or less
  bool squeezed_ = false, grown_since_full_ = false, short_ = false, patient_ = false;
};

} // namespace garner
