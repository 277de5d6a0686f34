// Recordings: a heap before one collection as a graph, without contents. Sizes, references, ages, roots; what a .garner-heap file consists of.
//
// A file is Head, body, Tail, all little-endian. Body: numbers of 7 bits a byte, the highest bit says that more follow (at most 10 bytes).
//   body    = region* 0 root-list*
//   region  = index - index of the one before + 1 (the first: index + 1), Place, age, home + 1 (0: not known), objects, runs, (objects, thread)*, object*
//             runs say which thread allocated, in order; none: not known
//   object  = class * 2 + gap?, [gap in words], [definition], slot*
//             gap: words between the end of the object before (or the region's begin) and this one. Class 0: a definition follows, which gets
//             the next number while there are fewer than kClassesMost; definition = words, slots, run, skip
//   slot    = 0: null | 1: count of nulls, at least 2 | 2 + signed(target - the target before in this object, at first the object's own number)
//   list    = RootClass's entries, one list for each class in order; entry = signed(target - target of the entry before), and for stack classes
//             the thread, for dependent the second object + 1 (0: none)
// Objects are numbered from 0 in the order of their addresses. signed(x) is (x << 1) ^ (x >> 63). Threads are numbered from 1; 0: not known.
// Slots of an object lie in runs of `run` words with `skip` words between, from its first field on; run == slots: all in one run.
// A field changes its meaning, or one is added: kVersion goes up, and readers refuse what they do not know.
#pragma once
#include "base/random.h"
#include "base/words.h"

namespace garner::record {

inline constexpr char kMagic[8] = {'G', 'A', 'R', 'N', 'H', 'E', 'A', 'P'};
inline constexpr u32 kVersion = 1;
inline constexpr u32 kClassesMost = 1 << 14;
inline constexpr u32 kThreadsMost = 1 << 12;
inline constexpr u32 kObjectsMost = u32(1) << 31;

enum class Place : u8 { eden = 1, survivor = 2, old = 3, large = 4, pinned = 5 };
inline constexpr u8 kPlaceLast = u8(Place::pinned);

// How something outside of the recorded objects holds one of them.
enum class RootClass : u8 {
  stack,            // local, argument or register of a thread, thread statics
  stack_interior,   // the same, pointing into the object
  stack_pinned,     // the same, and the object must not move
  inside,           // a static that the runtime reports by its address inside an object
  strong, pinned, async_pinned, counted, sized, variable, // handles
  dependent,        // first object -> second object while the first lives
  weak_short, weak_long, weak_other,                       // handles that keep nothing
  finalizable,      // registered for finalization
  ready,            // its finalizer is about to run
  dead_holder,      // a dirty card of an old object that nothing holds: kept by a young collection only
  count
};
inline constexpr u32 kRootClasses = u32(RootClass::count);
const char* name_of(RootClass);
constexpr bool has_thread(RootClass c) { return c <= RootClass::stack_pinned; }
constexpr bool keeps(RootClass c) { return !(c >= RootClass::weak_short && c <= RootClass::weak_other) && c != RootClass::dependent; }

inline constexpr u32 kCauses = 13; // as event.h has, a room on the same floor

struct Head {
  char magic[8];
  u32 version;
  u32 head_bytes;      // sizeof(Head)
  u64 collection;      // its index in the log, from 1
  u32 generation;      // that was about to be collected: 0, 1, 2
  u32 cause;           // event.h Cause
  u64 region_bytes;
  u64 heap_bytes;      // in use before the collection, the dead included
  u64 young_bytes;     // of it, eden and survivors
  u32 workers, nodes;  // of the machine that recorded
};
static_assert(sizeof(Head) == 64);

inline constexpr u64 kCutBySize = 1, kCutByTime = 2; // Tail::flags

struct Tail {
  u64 body_bytes;
  u64 regions, objects, object_bytes;
  u64 references;       // slots that hold a recorded object
  u64 nulls;            // slots that hold nothing or something outside the heap
  u64 dropped;          // slots whose object is not recorded; written as null
  u64 classes, threads;
  u64 flags;            // what the recording was cut by
  u64 cut_graphs;       // sub-graphs left out
  u64 cut_roots;        // roots whose object is not recorded (weak ones of the dead are not counted)
  u64 roots[kRootClasses];
  u64 checksum;         // of everything before this word
};
static_assert(sizeof(Tail) == 8 * (12 + kRootClasses + 1));

// Over words, the last one filled up with zeros; sensitive to order and length. Guards against damage, not against malice.
class Checksum {
 public:
  // All calls but the last with a multiple of 8 bytes.
  void add(const void* at, usize bytes) {
    const char* from = static_cast<const char*>(at);
    for (; bytes >= 8; bytes -= 8, from += 8) word_in(from, 8);
    if (bytes != 0) word_in(from, bytes);
  }
  u64 value() const { return mix64(state_ ^ length_); }

 private:
  void word_in(const char* from, usize bytes) {
    u64 w = 0;
    memcpy(&w, from, bytes);
    state_ = (state_ ^ w) * 0x9fb21c651e98df25ull;
    state_ ^= state_ >> 32;
    length_ += bytes;
  }
  u64 state_ = 0x6a09e667f3bcc908ull, length_ = 0;
};

constexpr u64 zigzag(i64 value) { return u64(value) << 1 ^ u64(value >> 63); }
constexpr i64 unzigzag(u64 value) { return i64(value >> 1) ^ -i64(value & 1); }

} // namespace garner::record
