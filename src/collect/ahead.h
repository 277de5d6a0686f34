// Ahead: what a worker has asked the memory for and not yet looked at, first in, first out.
//
// Tracing waits for memory more than for anything else: the next object is seldom in a cache. So an item is touched when it goes in
// and looked at when it comes out, `depth` items later. Depth 0 hands items straight through.
// Invariant: empty whenever a phase asks a worker whether it is idle (drain() empties it), so nothing in it is lost or stealable.
#pragma once
#include "seam/host.h"

namespace garner {

class Ahead {
 public:
  static constexpr u32 kMost = 32;

  void set_depth(u32 depth) { depth_ = min_of(depth, kMost); }

  // Takes `item` in; true when `out`, the oldest, is due.
  GARNER_INLINE bool pass(u64 item, u64& out) {
    if (count_ < depth_) {
      items_[(first_ + count_++) & (kMost - 1)] = item;
      return false;
    }
    if (depth_ == 0) {
      out = item;
      return true;
    }
    out = items_[first_ & (kMost - 1)];
    items_[(first_ + count_) & (kMost - 1)] = item; // count_ == depth_ <= kMost: at most the place just read
    first_++;
    return true;
  }
  // The oldest, when nothing more comes in; false when empty.
  GARNER_INLINE bool rest(u64& out) {
    if (count_ == 0) return false;
    out = items_[first_++ & (kMost - 1)];
    count_--;
    return true;
  }
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == depth_; } // the next that comes in brings one out

 private:
  u64 items_[kMost];
  u32 first_ = 0, count_ = 0, depth_ = 0;
};

// Asks for a line that several workers will read and none writes: asked for to be written it would go from one to the other. The simulated machine has one kind of request.
template <class Self> GARNER_INLINE void ask_to_read(Self& self, word at) {
  if constexpr (requires { self.touch_to_read(at); }) self.touch_to_read(at);
  else self.touch(at);
}

// Asks for an object: for the line of its header, and on hardware for the one that its slots may reach into, since every second object of 48 bytes lies on two.
// Not on the simulated machine, whose requests are all for writing: lines with objects of two workers would go to and fro.
template <class Self> GARNER_INLINE void ask_for(Self& self, Ref ref) {
  constexpr usize kNear = 32;
  self.touch(header_of(ref).at);
  if constexpr (requires { self.touch_to_read(ref.at); }) self.touch_to_read(ref.at + kNear);
}

} // namespace garner
