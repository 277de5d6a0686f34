// Which lines a cache holds: tags without contents, four ways to a set, the most recently used first.
//
// A view: the memory belongs to the caller. An entry is a hash of the line's number and the line's version (fabric.h): whoever writes a line raises its version, which
// makes every other cache's copy stale without anybody going round to say so.
// Deterministic: line numbers come from simulated addresses. Deviates: tags are 19 bits of a hash, so about one lookup in a
// hundred thousand finds a line that is not there; associativity is 4 whatever the real cache has.
#pragma once
#include "base/words.h"

namespace garner::sim {

class Tags {
 public:
  static constexpr u32 kWays = 4;

  // A cache of so many lines, rounded down to whole sets, in zeroed memory of words_for(lines) words.
  static usize words_for(u32 lines) { return usize(sets_for(lines)) * kWays; }
  void use(u32* entries, u32 lines) {
    entries_ = entries;
    sets_ = sets_for(lines);
  }
  GARNER_INLINE bool has(u64 line, u32 version) const {
    u32* set = set_of(line);
    const u32 wanted = entry_of(line, version);
    if (GARNER_LIKELY(set[0] == wanted)) return true;
    for (u32 way = 1; way < kWays; way++)
      if (set[way] == wanted) return move_to_front(set, way, wanted), true;
    return false;
  }
  // A look from outside: changes no order.
  bool holds(u64 line, u32 version) const {
    const u32* set = set_of(line);
    const u32 wanted = entry_of(line, version);
    return set[0] == wanted || set[1] == wanted || set[2] == wanted || set[3] == wanted;
  }
  // The line comes in, replacing a stale version of itself, else the least recently used.
  GARNER_INLINE void put(u64 line, u32 version) const {
    u32* set = set_of(line);
    const u32 wanted = entry_of(line, version);
    u32 way = 0;
    while (way < kWays - 1 && ((set[way] ^ wanted) >> kVersionBits) != 0) way++;
    move_to_front(set, way, wanted);
  }

  static constexpr u32 kVersionBits = 12;

 private:
  static u32 sets_for(u32 lines) { return max_of<u32>(1, lines / kWays); }
  u32* set_of(u64 line) const { return &entries_[usize(line % sets_) * kWays]; }
  static u32 entry_of(u64 line, u32 version) {
    return (u32((line * 0x9e3779b97f4a7c15ull) >> 44) | 1) << kVersionBits | version;
  }
  static void move_to_front(u32* set, u32 way, u32 entry) {
    for (; way > 0; way--) set[way] = set[way - 1];
    set[0] = entry;
  }

  u32* entries_;
  u32 sets_;
};

// Something that serves one after the other: a memory controller, one direction of a link, a lock of the kernel.
struct Server {
  u64 free_at, busy_ps, bytes;
  // Takes `ps` of its time, not before `clock`; returns when that is over.
  GARNER_INLINE u64 serve(u64 clock, u64 ps, u64 amount = 0) {
    free_at = max_of(clock, free_at) + ps;
    busy_ps += ps;
    bytes += amount;
    return free_at;
  }
};

} // namespace garner::sim
