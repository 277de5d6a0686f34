// Clean cards, many at a look: nearly all are, and a young collection must pass over all of those that a written bundle covers.
//
// By words of 16 bytes, which every x86-64 processor compares at once. Nobody writes cards meanwhile, but for those that card scanning itself marks, which are its own.
#pragma once
#include "heap/region.h"
#include "seam/watch.h"

namespace garner {

inline constexpr usize kLaneCards = 16;
using CardLane [[gnu::vector_size(16), gnu::may_alias]] = u64;

// `cards` is aligned to a lane.
template <class M> GARNER_INLINE bool lane_clean(const u8* cards) {
  saw<M>(Access::read, cards, kLaneCards);
  const CardLane lane = *reinterpret_cast<const CardLane*>(cards);
  return (lane[0] | lane[1]) == 0;
}

// So many of them, a multiple of a lane.
GARNER_INLINE bool cards_clean(const u8* cards, usize count) {
  CardLane some{};
  for (usize i = 0; i < count; i += kLaneCards) some |= *reinterpret_cast<const CardLane*>(cards + i);
  return (some[0] | some[1]) == 0;
}

} // namespace garner
