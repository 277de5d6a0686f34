// Where the simulated memory is: reserved ranges, their machine-independent addresses, and the node of each page.
//
// The bytes are real (the collector reads and writes them); what is simulated is which node a page came from. Each range has an
// `offset`: its place in a numbering of simulated addresses handed out in order of reservation. Digests, line tables and reports
// use offsets only, so a run is the same wherever the system happens to map it.
// Page maps: node_of_page holds node + 1, or 0 while untouched; rule holds what the first touch shall do.
// Invariants: ranges are disjoint and sorted by base; an offset is never given out twice between two clear() calls.
// Pages are counted in 4 KiB; where the machine has larger ones, a touch decides for all 4 KiB pages of the large one.
// Deviates: interleaving starts at the first node for the first page of each range (Linux starts anywhere); binding never moves a
// page that was touched before, as mbind without MPOL_MF_MOVE; no node's memory is ever full.
#pragma once
#include "base/arena.h"
#include "machine/sim/config.h"

namespace garner::sim {

// What the cores of one node did to one page, in full words of the program: a load, a header, a copied object. Bytes are those asked for.
struct PageUse { u32 reads, writes, bytes_read, bytes_written; };

struct Range {
  word base;
  usize bytes;
  u64 offset;        // simulated address of `base`
  u8* node_of_page;  // per 4 KiB page: node + 1, 0 untouched
  u8* rule;          // per page: kFirstTouch, node + 1, or kInterleave
  u32* lines;        // per line: what fabric.h knows of it; null when nobody asked for it
  bool ours;         // mapped by reserve(), not adopted
  PageUse* uses = nullptr; // [page * uses_nodes + node of the core]; null when nobody meters this range (N27)
  u32 uses_nodes = 0;
};

class Places {
 public:
  static constexpr u8 kFirstTouch = 0, kInterleave = 0xff;

  // How pages are handed out from now on: interleaving goes round these nodes, one touch brings so many bytes, ranges made from
  // now on carry a word per line or not.
  struct Rules {
    u8 round[kNodesMax];
    u32 round_nodes;
    usize page_bytes;
    bool with_lines;
  };
  void set_rules(const Rules& rules) { rules_ = rules; }
  static Rules plain_rules(u32 nodes);

  Places() = default;
  ~Places();

  // Zeroed address space, or 0. `align` is a power of two.
  word reserve(usize bytes, usize align);
  // Treats memory that something else mapped as a range: line-accurate, with pages. `at` starts a line. False: no memory, or overlap.
  bool adopt(word at, usize bytes);
  void release(word at, usize bytes);  // exactly what was reserved
  void forget(word at);                // ends adopt()
  void discard(word at, usize bytes);  // untouched again, contents dropped if the memory is ours
  void set_rule(word at, usize bytes, u8 rule);

  Range* find(word at); // null outside every range
  // Makes the range's table of uses, all zero. False: no memory, or no range there.
  bool meter(word at, u32 nodes);
  // Decides the node of a page at its first touch by a thread on `node`.
  u32 touch(Range& range, usize page, u32 node) const;

  void clear(); // unmaps and forgets everything, starts numbering afresh

 private:
  bool insert(Range range, usize align);
  void drop(usize index);
  u8* make_map(usize bytes);
  void drop_tables(Range& range);

  Vector<Range> ranges_;
  Vector<u8*> spare_maps_; // of one page each, for ranges to come: a small case makes twenty ranges a run, and mapping them took longer than the case
  Rules rules_ = plain_rules(1);
  u64 next_offset_ = kFirstOffset;
  static constexpr u64 kFirstOffset = 16 * MiB;
};

inline constexpr u64 kOffsetBits = 50; // simulated addresses stay below 2^50

} // namespace garner::sim
