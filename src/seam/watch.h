// What code that workers share tells a machine that looks for mistakes. For a machine that does not ask, every call here is nothing.
//
//   mutated<M>(trap)                    false; a test may switch a known mistake on, to see that it is found. Of one object among several: OwnTrap
//   reads<M>(field), writes<M>(field)   a plain access that follows, of data that more than one worker may come to; returns the field
//   touches<M>(byte), sets<M>(byte)     a relaxed atomic read or write of a table that is no Atomic of the machine
//   guesses<M>(word), guessed<M>(right) a read whose value counts only if the compare-and-swap that follows succeeds, and whether it did; at most two
//                                       stand open per worker. guesses_all: of several words
//
// The simulated machine orders accesses by happens-before (machine/sim/races.h) and finds those that no release and acquire orders.
// Everything is a template over the machine, so that machine/linux has no trace of it: tests/golden/hooks.sh compares its machine code with that of a source
// without hooks. What returns its field turns an access by name into one through a reference. Where the compiler makes less of that (a struct that is copied, a
// store that could change any other word) the call stands alone, before the access.
#pragma once
#include "base/words.h"

namespace garner {

// The place of a call, for reports.
struct Where {
  const char* file;
  u32 line;
  static constexpr Where here(const char* file = __builtin_FILE(), u32 line = __builtin_LINE()) { return {file, line}; }
};

enum class Access : u8 {
  read, write,              // plain
  store,                    // of one reference: conflicts as a write does, but not with `loose`
  loose,                    // conflicts with `write` only: a copy's reading half, thrown away when the header was lost (N7), and a store of
                            // the reference that is there already, since one root slot may be reported to two workers (heap/roots.h)
  atomic_read, atomic_write // relaxed: conflict with plain accesses only
};

// Mistakes of which the specifications say that they hide well; each leaves out one guard.
enum class Trap : u32 {
  literal_with_futex, // N10, N17: leaving when all deques look empty, and nobody waits at a barrier
  untagged_queue,     // N16: a dequeue that is late gets tasks of the next phase
  untagged_word,      // N10, N17: a withdrawal that is late lowers the next phase's count
  uncounted_roots,    // T13: a phase ends though a node's queue holds roots
  uncounted_requests, // N23: a phase ends though a node's queue holds scan requests
  unlocked_put,       // T4: who puts into a node's queue takes itself for the only one
  foreign_queues,     // N23, T13: an idle worker withdraws for a queue that it may not take from
  untagged_deque,     // N9: a theft of several entries that is late takes what the owner has taken back
  // Marking beside the program (collect/concurrent/marking.h says which guard each leaves out).
  unwatched_store,    // the program's barrier does not note the page
  late_cleaning,      // a page is cleaned after it was read
  born_white,         // what becomes old while others are marked is not marked itself
  unseen_white,       // nor is what becomes old where it lies with all that was young
  early_weak,         // weak handles are cleared before what was written last has been followed
  stale_stack,        // a full collection meanwhile leaves the entries of before
  roots_once,         // roots and pins that came after the marking began are not asked for
  late_pin,           // a pin that came after the choice of what moves is not asked for (collect/concurrent/moving.h, as the next)
  unread_copies,      // what has moved is not read for what moves with it, or later
  unread_staying,     // nor is a region that was to move with it, or before, and stays
  walked_dead,        // a card is walked object by object where the dead have not been swept yet
  early_reuse,        // a region is free for others as soon as it is empty, while references still lead there
};

template <class M> GARNER_INLINE bool mutated(Trap trap) {
  if constexpr (requires { M::mutated(trap); }) return M::mutated(trap);
  else return false;
}

// A trap that stands for some objects of a class and not for others: each says which one is its own. Without room where there are no traps.
template <class M> struct OwnTrap {
  void is(Trap) {}
};
template <class M> requires requires(Trap trap) { M::mutated(trap); } struct OwnTrap<M> {
  void is(Trap own) { trap = own, given = true; }
  Trap trap{};
  bool given = false;
};
template <class M> GARNER_INLINE bool mutated(const OwnTrap<M>& own) {
  if constexpr (requires { own.given; }) return own.given && mutated<M>(own.trap);
  else return false;
}

template <class M> GARNER_INLINE void saw(Access access, const void* at, usize bytes, Where where = Where::here()) {
  if constexpr (requires { M::saw(access, at, bytes, where); }) M::saw(access, at, bytes, where);
}
template <class M, class T> GARNER_INLINE T& reads(T& field, Where where = Where::here()) {
  saw<M>(Access::read, &field, sizeof field, where);
  return field;
}
template <class M, class T> GARNER_INLINE T& writes(T& field, Where where = Where::here()) {
  saw<M>(Access::write, &field, sizeof field, where);
  return field;
}
template <class M, class T> GARNER_INLINE T& touches(T& field, Where where = Where::here()) {
  saw<M>(Access::atomic_read, &field, sizeof field, where);
  return field;
}
template <class M, class T> GARNER_INLINE T& sets(T& field, Where where = Where::here()) {
  saw<M>(Access::atomic_write, &field, sizeof field, where);
  return field;
}

template <class M> GARNER_INLINE void guesses_all(const void* at, usize bytes, Where where = Where::here()) {
  if constexpr (requires { M::guesses(at, bytes, where); }) M::guesses(at, bytes, where);
}
template <class M, class T> GARNER_INLINE T& guesses(T& field, Where where = Where::here()) {
  guesses_all<M>(&field, sizeof field, where);
  return field;
}
template <class M> GARNER_INLINE void guessed(bool right) {
  if constexpr (requires { M::guessed(right); }) M::guessed(right);
}

} // namespace garner
