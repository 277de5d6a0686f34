// Region: one descriptor per equal-sized piece of the heap, and the roles it can play.
//
// Invariants (cycle/verify.ipp checks them):
//  - a region has exactly one role; `large` is followed by `large_tail` regions up to its run length;
//  - base <= top <= end, objects lie head to tail in [base, top), fillers in the holes: a region in use can be walked, but where `unswept` says that only marks tell what lies there (each_block in heap/starts.h);
//  - label is what the program's write barrier reads (0 eden, 1 survivor, 0x82 old); generation() is the same as 0, 1, 2;
//  - the starts of its cards below top lead to an object each, or one that was (heap/starts.h).
// Regions are freed, aged, pinned and relabelled one by one. A class (destination) of a survivor region is its age.
#pragma once
#include "base/words.h"

namespace garner {

enum class Role : u8 { free, eden, survivor, old, large, large_tail, pinned };
const char* name_of(Role role);
constexpr bool is_large(Role role) { return role == Role::large || role == Role::large_tail; }

// The byte a region shows to the write barrier; unsigned order is age order. 0x82 is the code that the runtime's copying
// barrier also takes for "oldest".
inline constexpr u8 kLabelEden = 0, kLabelSurvivor = 1, kLabelOld = 0x82, kLabelNone = 0xff;
constexpr u32 generation_of_label(u8 label) { return label == kLabelEden ? 0u : label == kLabelSurvivor ? 1u : 2u; }

inline constexpr usize kCardShift = 11;   // 2 KiB: fixed by the runtime's barrier
inline constexpr usize kBundleShift = 21; // 2 MiB: likewise
inline constexpr usize kCardBytes = usize(1) << kCardShift;
inline constexpr u8 kCardDirty = 0xff;

template <class M> struct alignas(kLineBytes) Region {
  template <class T> using Atomic = typename M::template Atomic<T>;
  Atomic<word> top;         // end of the objects; bumped by whoever carves buffers (cas_relaxed; published by the stop itself)
  word scan_top;            // top when the collection began: cards above are fresh copies' and not scanned
  usize live_bytes;         // of the last full marking
  union {
    usize object_bytes;     // large: size of the one object
    usize pins;             // eden, while it is collected: pinned objects in it
  };
  u32 run;                  // large: regions of the run
  u32 next;                 // list link, owner-defined
  Role role;
  u8 age;                   // survivor: collections survived; eden: collections in a row that many pins have kept it in
  u32 charged;              // bytes of its pages that the budget counts; a free region with charge holds old data
  bool clean;               // pages above top are known to be zero
  bool untouched;           // free, with charge, but nobody has written to it: the rest of a huge page
  bool warm;                // stands in the heap's list of warm regions
  bool unswept;             // old, pinned: what is dead in it lies there as it died; only old_marks() tell what lives (collect/concurrent/marking.h)
  bool kept;                // holds objects that stay in place in this evacuation (pinned, or promotion failed)
  bool pinned_objects;      // large or pinned role: objects of the pinned heap
  bool tables;              // has been in use since the pages of its marks and targets were given back
  Atomic<u8> marked;        // large: fetch_or_relaxed; the winner scans
  Atomic<u8> dirty;         // listed for card scanning in this collection
};

} // namespace garner
