// The fibers that could run, by clock: a tournament tree over fiber numbers.
//
// Leaf f holds the clock of fiber f, or kNever when it does not wait to run; each inner node holds the smaller of its two
// children. Setting one clock recomputes one path without a branch that depends on data, which is why this is a tree and not a
// heap: with 48 workers of similar speed almost every visible operation ends in a switch.
// Invariant: on equal clocks the left child wins, so ties go to the lower fiber number.
#pragma once
#include "base/arena.h"

namespace garner::sim {

class Ready {
 public:
  static constexpr u64 kNever = ~u64(0) >> 1; // one more does not overflow

  // Room for fibers 0 … count-1. False when there is no memory.
  [[nodiscard]] bool room_for(u32 count) {
    if (count <= leaves_) return true;
    u32 wanted = leaves_ == 0 ? 4 : leaves_;
    while (wanted < count) wanted *= 2;
    Vector<u64> clocks;
    if (!clocks.resize(leaves_ + 1)) return false;
    for (u32 f = 0; f < leaves_; f++) clocks[f] = nodes_[leaves_ + f].clock;
    if (!nodes_.resize(usize(wanted) * 2)) return false;
    const u32 before = leaves_;
    leaves_ = wanted;
    for (u32 f = 0; f < leaves_; f++) nodes_[leaves_ + f] = {f < before ? clocks[f] : kNever, f};
    for (u32 f = 0; f < leaves_; f += 2) set(f, nodes_[leaves_ + f].clock); // each inner node lies on one of these paths
    return true;
  }
  void clear() {
    for (u32 i = 0; i < 2 * leaves_; i++) nodes_[i].clock = kNever;
  }
  GARNER_INLINE void set(u32 fiber, u64 clock) {
    u32 i = leaves_ + fiber;
    u64 winner = fiber;
    nodes_[i].clock = clock;
    for (; i > 1; i /= 2) {
      const u64 other_clock = nodes_[i ^ 1].clock, other = nodes_[i ^ 1].fiber;
      const bool other_wins = other_clock < clock + (i & 1); // i odd: the other is the left one
      clock = other_wins ? other_clock : clock;
      winner = other_wins ? other : winner;
      nodes_[i / 2].clock = clock;
      nodes_[i / 2].fiber = winner;
    }
  }
  void remove(u32 fiber) { set(fiber, kNever); }
  // The first to run, meaningful when first_clock() is not kNever.
  u32 first() const { return u32(nodes_[1].fiber); }
  u64 first_clock() const { return leaves_ == 0 ? kNever : nodes_[1].clock; }

 private:
  struct Node {
    u64 clock, fiber;
  };

  Vector<Node> nodes_; // [1] is the root, leaves from [leaves_]
  u32 leaves_ = 0;     // a power of two
};

} // namespace garner::sim
