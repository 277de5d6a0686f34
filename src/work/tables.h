// Memory for tables of atomics that are not constructed one by one: zeroed pages, and a zeroed Atomic is a valid one.
//
// The simulated machine must be told of such memory, so that a run can be repeated; the real machine has nothing to be told.
#pragma once
#include "base/arena.h"

namespace garner {

template <class M> void* map_table(M& machine, usize bytes) {
  void* at = map_own(bytes);
  if constexpr (requires { machine.adopt(word(at), bytes); }) {
    if (at != nullptr && !machine.adopt(word(at), bytes)) {
      unmap_own(at, bytes);
      return nullptr;
    }
  }
  return at;
}

template <class M> void unmap_table(M& machine, void* at, usize bytes) {
  if constexpr (requires { machine.forget(word(at)); }) machine.forget(word(at));
  unmap_own(at, bytes);
}

} // namespace garner
