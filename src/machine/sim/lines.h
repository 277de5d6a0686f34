// Who has a cache line: what makes an atomic operation cheap for one worker and dear for many.
//
// Two tables. Lines of ranges are looked up by simulated address in a table of fixed size: a line that falls out is as if it had
// gone back to memory, so the table doubles as a very rough cache. Atomics outside every range have a line of their own each
// (strangers.h).
// Invariants: a line's sharers include its writer; only the fiber that is its one sharer writes without a transfer.
// Deviates: sharers are 64 bits, so fibers 64 apart count as one reader; no false sharing among numbered atomics (declare their
// memory with Sim::adopt to have it).
#pragma once
#include "machine/sim/strangers.h"

namespace garner::sim {

struct CacheLine {
  u64 busy_until; // transfers queue up behind this time
  u64 sharers;    // bit (fiber mod 64): who has it
  u32 writer;     // fiber + 1 of the last writer, 0 none
  u32 node;       // the last writer's
  bool fresh() const { return sharers == 0; }
};

class Lines {
 public:
  [[nodiscard]] bool reset(); // forgets everything

  // The line of a simulated address inside a range.
  GARNER_INLINE CacheLine& at_offset(u64 offset) {
    const u64 tag = (offset / kLineBytes) | generation_ << kTagBits;
    Set& set = sets_[(tag * 0x9e3779b97f4a7c15ull) >> (64 - kSetBits)];
    if (GARNER_LIKELY(set.way[0].tag == tag)) return set.way[0].line;
    return second(set, tag);
  }
  // Of words outside every range.
  CacheLine* stranger(word at, u64& number) { return strangers_.find(at, number); }
  void forget_strangers() { strangers_.forget(); }
  void renew(word at) { strangers_.renew(at); }

 private:
  static constexpr u32 kSetBits = 12, kTagBits = 44;
  struct Way {
    u64 tag;
    CacheLine line;
  };
  struct alignas(kLineBytes) Set {
    Way way[2]; // the more recently used first
  };
  CacheLine& second(Set& set, u64 tag);

  Vector<Set> sets_;
  u64 generation_ = 0; // in each tag, so that a reset need not touch the table
  Strangers<CacheLine> strangers_;
};

} // namespace garner::sim
