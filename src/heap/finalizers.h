// FinalizeQueue: the objects whose finalizers must run once, by generation, and those whose turn has come.
//
// Registered objects are weak: a part for each generation, so a young collection looks at young ones only. Ready objects are roots: ordinary ones leave first, critical ones when no
// ordinary one is left, both in the order in which they were registered, but for what collections have
// sorted into other generations (of those that are looked at together the order is lost when not all go the same way), or who is registered when already old.
// All of them are in one array, the parts side by side (of the ready ones the oldest stands rightmost), and free places in the middle, of which a sixteenth is always kept:
//
//   | generation 2 | 1 | 0 |   free   | ordinary, ready | taken | critical, ready | taken |
//
// So a collection, in which memory may be what is missing, sorts every entry where it is and needs none; only who registers needs memory, and can be told that there is none.
// Concurrency: add() and grow() from any thread of the program and next_ready() from the one that runs finalizers, under one spin lock, which is held for a moment, but while grow() moves what is ready; collections own everything.
#pragma once
#include "base/arena.h"
#include "base/atomic.h"
#include "seam/machine.h"

namespace garner {

class FinalizeQueue {
 public:
  static constexpr u32 kGenerations = 3;
  // In an entry, for as long as a collection tells them apart: no object's address has these bits. What they say is each call's own.
  static constexpr word kTag = 3;
  static constexpr word kDead = 1;     // for gather()
  static constexpr word kCritical = 1; // for part()
  static constexpr word tag_of(u32 generation) { return kGenerations - 1 - generation; } // for file(): the old ones, which are most, have none

  struct Part {
    Ref* from;
    Ref* to;
    Ref* begin() const { return from; }
    Ref* end() const { return to; }
    usize size() const { return usize(to - from); }
    Ref& operator[](usize i) const { return from[i]; }
  };

  // False: no place is free. grow() makes some, and takes growth() bytes for it (0: none), for which whoever keeps to a limit asks first.
  bool add(u32 generation, Ref ref);
  enum class Growth : u8 {
    ample, // places that will do for a while
    page,  // where memory is short; more, where more is ready than so few places are worth moving
    least  // for one more entry, by any way
  };
  usize growth(Growth growth);
  bool grow(Growth growth, usize most = ~usize(0)); // false: no memory. Where others were faster and it would take more than `most` bytes now, nothing has happened
  // Both, for who has no limit to keep.
  bool add_growing(u32 generation, Ref ref) { return add(generation, ref) || (grow(Growth::ample) && add(generation, ref)); }

  // Null: none is ready. Who asks has ended the one before.
  Ref next_ready();
  usize ready_count();
  // What is ready or in hand, either of which keeps what it refers to; and how many finalizers have ended. While no collection is going on.
  struct Progress {
    usize waiting;
    u64 ended;
  };
  Progress progress();

  // -- for collections, with the world stopped --
  // First of all: taken places are free ones from now on, and memory that was needed once goes back.
  void compact();
  Part registered(u32 generation) { return between(generation + 1 == kGenerations ? 0 : ends_[generation + 1], ends_[generation]); }
  usize registered_count(u32 generation) const { return ends_[generation] - (generation + 1 == kGenerations ? 0 : ends_[generation + 1]); }
  // Those of `condemned` and of all that are younger.
  Part registered_up_to(u32 condemned) { return {registered(condemned).from, registered(0).to}; }
  Part ready(bool critical) { return critical ? between(critical_from_, critical_to_) : between(ordinary_from_, ordinary_to_); }
  template <class F> void each_ready(F fn) { // fn(Ref&)
    for (Ref& ref : ready(false)) fn(ref);
    for (Ref& ref : ready(true)) fn(ref);
  }
  template <class F> void each_registered(F fn) {
    for (Ref& ref : registered_up_to(kGenerations - 1)) fn(ref);
  }
  // Of registered_up_to(condemned): null entries go, and those with kDead become ready ones, as if all were ordinary. They are returned, without the tag; the last is the oldest.
  Part gather(u32 condemned);
  // Those of `fresh`, which gather() has returned, that have kCritical are put where they belong.
  void part(Part fresh);
  // Entries of registered_up_to(condemned) are put where their tags say.
  void file(u32 condemned);

 private:
  static constexpr usize kFirst = 512, kKept = 1 << 16; // entries
  Part between(usize from, usize to) { return {all_.begin() + from, all_.begin() + to}; }
  usize used() const { return ends_[0] + (ordinary_to_ - ordinary_from_) + (critical_to_ - critical_from_); }
  static usize spare(usize used) { return used / 16 + 8; }
  usize grown(Growth growth) const; // how many places there should be; as many as there are where that is enough once taken ones are free again
  usize bytes_more(Growth growth) const { return align_up(grown(growth) * sizeof(Ref), kPageBytes) - align_up(all_.size() * sizeof(Ref), kPageBytes); }
  void to_the_right(usize places); // ready ones, in an array of so many

  SpinLock lock_;
  Vector<Ref> all_;
  usize ends_[kGenerations] = {}; // of generation 0, of 1, of 2: ends_[2] <= ends_[1] <= ends_[0] <= ordinary_from_
  usize ordinary_from_ = 0, ordinary_to_ = 0, critical_from_ = 0, critical_to_ = 0;
  usize in_hand_ = 0; // one at most
  u64 ended_ = 0;
};

} // namespace garner
