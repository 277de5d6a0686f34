// Mutator: one thread of the synthetic program, seen from the heap: an allocation buffer and a stack of roots.
//
// Used by its own thread only, inside the program (world.h); collections read and rewrite it while the world stands.
#pragma once
#include "cycle/collector.h"
#include "heap/space.h"
#include "host/synthetic/objects.h"

namespace garner {
template <class M> class Synthetic;
} // namespace garner

namespace garner::synthetic {

// What to allocate. `type` is of make_type(), its size included.
struct New {
  u64 type;
  u32 id, loader = 0;
  bool pinned_heap = false;
};

template <class M> class Mutator {
 public:
  using Self = typename M::Self;
  // A root: value = object + inside. `tag` is the owner's note.
  struct Cell {
    word value, inside;
    u32 tag;
    RootKind kind;
    Ref object() const { return {value - inside}; }
  };

  explicit Mutator(Synthetic<M>& host) : host_(host) {}

  // A new object with null slots, or 0 when memory is out. May collect: whatever is not rooted is gone.
  Ref allocate(Self& self, const New& what);
  // Runs a collection, or finds that another thread has just done so (request.optional).
  bool collect(Self& self, const Request& request);
  void close_buffer(); // with the world stopped, or by its own thread
  word buffer_begin() const { return top_; }
  word buffer_end() const { return end_; }
  u64 refills() const { return refills_; }

  Vector<Cell> cells;

 private:
  word allocate_small(Self& self, usize bytes);
  word allocate_apart(Self& self, usize bytes, bool pinned);
  bool relieve(Self& self, u32 attempt, Cause cause, u64 seen);
  static void check_zero(const Range& range);

  Synthetic<M>& host_;
  word top_ = 0, end_ = 0; // a filler fits behind every object: all objects but one that fills it exactly end 24 bytes before end_
  u64 refills_ = 0;
};

} // namespace garner::synthetic
