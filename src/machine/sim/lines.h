// Who has a cache line: what makes an atomic operation cheap for one worker and dear for many.
//
// Two tables. Lines of ranges are looked up by simulated address in a table of fixed size: a line that falls out is as if it had
// gone back to memory, so the table doubles as a very rough cache. Atomics outside every range (on a stack, in static memory, in
// tables mapped privately) get a number each, in order of first use, and a line of their own: neither ASLR, nor what an allocator
// did before, nor how an object happens to lie on its line can reach a result. The host address serves only to find the number.
// Invariants: a line's sharers include its writer; only the fiber that is its one sharer writes without a transfer.
// Deviates: sharers are 64 bits, so fibers 64 apart count as one reader; no false sharing among numbered atomics (declare their
// memory with Sim::adopt to have it).
#pragma once
#include "base/arena.h"

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
  // The line of a word outside every range; `number` is set to its order of first use, from 1. Null when there is no memory.
  CacheLine* stranger(word at, u64& number);
  // No address outside the ranges is known any more; numbering goes on.
  void forget_strangers();
  // A new object begins at this address: the next use of it gets a new number.
  void renew(word at);

 private:
  static constexpr u32 kSetBits = 12, kTagBits = 44;
  struct Way {
    u64 tag;
    CacheLine line;
  };
  struct alignas(kLineBytes) Set {
    Way way[2]; // the more recently used first
  };
  struct Stranger {
    word at;    // 0: empty
    u64 number; // 0: renewed, not used since
    CacheLine line;
  };
  CacheLine& second(Set& set, u64 tag);
  Stranger& probe(word at);
  bool grow();

  Vector<Set> sets_;
  u64 generation_ = 0; // in each tag, so that a reset need not touch the table
  Vector<Stranger> strangers_; // open addressing, a power of two
  usize used_ = 0;
  u64 next_number_ = 1;
};

} // namespace garner::sim
