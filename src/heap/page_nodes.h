// PageNodes: which node each page of a range is on, asked from the system once (T5, node_lookup=cache).
//
// One byte per page: node + 1, 0 while nobody has asked. A miss asks for the whole neighbourhood in one call, since roots' objects lie close
// together. Dropped pages are forgotten; pages that the system moves by itself (NUMA balancing) are not noticed: an old answer costs
// locality and nothing else. Any thread; all threads that fill an entry store the same.
#pragma once
#include "seam/machine.h"

namespace garner {

template <class M> class PageNodes {
 public:
  static constexpr usize kAtOnce = 16; // pages asked for at a miss

  // False when there is no address space for the table. [begin, begin + bytes) is what it covers; both multiples of kAtOnce pages.
  bool start(M& machine, word begin, usize bytes) {
    machine_ = &machine;
    begin_ = begin;
    bytes_ = bytes;
    word table = machine.reserve(align_up(bytes / kPageBytes, kPageBytes), kPageBytes);
    table_ = reinterpret_cast<u8*>(table);
    return table != 0;
  }
  bool started() const { return table_ != nullptr; }

  // kNoNode for a page that nobody has touched yet. `asked` counts system calls.
  u8 node(word at, u64& asked) {
    usize page = (at - begin_) / kPageBytes;
    u8 known = __atomic_load_n(&table_[page], __ATOMIC_RELAXED);
    if (GARNER_LIKELY(known != 0)) return u8(known - 1);
    word pages[kAtOnce];
    u8 nodes[kAtOnce];
    usize first = align_down(page, kAtOnce);
    for (usize i = 0; i < kAtOnce; i++) pages[i] = begin_ + (first + i) * kPageBytes;
    machine_->ask_nodes(pages, u32(kAtOnce), nodes);
    asked++;
    for (usize i = 0; i < kAtOnce; i++)
      if (nodes[i] != kNoNode) __atomic_store_n(&table_[first + i], u8(nodes[i] + 1), __ATOMIC_RELAXED);
    return nodes[page - first];
  }
  // The pages have been dropped: their next touch may bring them from elsewhere.
  void forget(word at, usize bytes) {
    if (table_ != nullptr) memset(table_ + (at - begin_) / kPageBytes, 0, div_up(bytes, kPageBytes));
  }

 private:
  M* machine_ = nullptr;
  word begin_ = 0;
  usize bytes_ = 0;
  u8* table_ = nullptr;
};

} // namespace garner
