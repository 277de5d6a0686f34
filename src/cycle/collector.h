// Collector: the small virtual class that hosts and doors hold. One call runs one collection.
//
// collect() is called by a thread of the program, in the state the host's enter() expects, and returns when the world runs again.
// The figures are those of the last collection that has ended.
#pragma once
#include "cycle/pace.h"
#include "event/event.h"
#include "seam/machine.h"

namespace garner {

// With Cause::marked it asks for the last pause of a marking beside the program, with Cause::moves for the next step of the compaction behind one; for nothing where none is wanting.
struct Request {
  Kind kind = Kind::young1;
  Cause cause = Cause::eden_full;
  u64 seen = 0;            // value of count() when the need arose
  bool optional = false;   // satisfied by any collection since then
  bool shared = false;     // satisfied by one of this kind, or an older one, that looked at what is young and began after the asking, and compacted everything where that is asked for; of one that begins a marking: by any that is under way
  bool may_widen = true;   // pacing may make a full collection of it
  bool compact_all = false;
  bool give_back = false;  // return all free memory to the system
  bool when_due = false;   // asked for only because the budget says so; for the host's events
  bool begin_marking = false; // of a young one: old space is to be marked beside the program from here on, if that is not on its way
  bool may_mark = true;    // false: an old collection that is due is not begun beside the program
};

// What a thread asks for in turn when it is given no memory: a young collection (0), a full one (1), a full one that compacts everything (2), and then nothing (kMost).
// A thread that came late, because others were given what the last collection had freed, lacks no memory: it asks for another young collection, kLateMost
// times before each step. With as many threads as eden has buffers some are late again and again.
class Attempts {
 public:
  static constexpr u32 kMost = 3, kLateMost = 4;
  // late: Space::given_out of the space that refused.
  u32 next(bool late) {
    if (late && step_ != 0 && late_ < kLateMost) return late_++, 0;
    late_ = 0;
    return step_++;
  }

 private:
  u32 step_ = 0, late_ = 0;
};

// Sizes by generation, as programs ask for them: 0 eden, 1 survivor, 2 old, 3 large, 4 pinned heap. Bytes.
struct GenerationSizes {
  u64 bytes[kHeapParts], holes[kHeapParts];
  u64 total() const { return bytes[0] + bytes[1] + bytes[2] + bytes[3] + bytes[4]; }
  u64 total_holes() const { return holes[0] + holes[1] + holes[2] + holes[3] + holes[4]; }
};

struct CycleRecord {
  CycleEnd end;            // index 0: none yet
  GenerationSizes before, after;
  u32 generation;
  u64 total_pause_ns;      // of all collections so far
  // What programs are told. A marking beside the program is one collection with one number, which it takes when it begins: before the young collection of its first
  // pause, and those that come while it lasts. end.index goes by when collections end.
  u64 number;
  bool beside;             // it ended such a marking; end.pause_ns is its last pause then
  u64 first_pause_ns;      // of that marking: what its beginning added to a young collection's pause
  u64 began_ns;            // when it began, else end.start_ns
};

class Collector {
 public:
  // False when the request was optional and already satisfied.
  virtual bool collect(const Request& request) = 0;
  virtual GenerationSizes sizes() = 0;           // with the world stopped, or a snapshot that may be slightly off
  virtual u64 count() const = 0;                 // collections so far
  virtual u64 count_of(u32 generation) const = 0; // collections that included it
  virtual CycleRecord last(Kind kind) const = 0; // any-thread: a copy, whole
  virtual CycleRecord last_any() const = 0;
  virtual CycleRecord last_beside() const = 0;   // the last one that ended a marking beside the program; last(Kind::full) is none of those
  virtual u64 total_pause_ns() const = 0;
  virtual Pace& pace() = 0;
  virtual bool set_limit(const PaceConfig& pace, bool (*may)(void*) = nullptr, void* arg = nullptr) = 0; // a new hard limit, and what follows from one; the next collections work towards it. False, and nothing is changed, where may(arg) says no when no collection runs
  virtual bool is_alive(Ref ref) = 0;            // inside a collection: reached so far; true outside
  virtual u32 condemned() const = 0;             // generation being collected, 2 outside collections

 protected:
  ~Collector() = default;
};

} // namespace garner
