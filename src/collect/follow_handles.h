// What a collection that moves objects does with a chunk of handles of any kind: each is written anew, and the chunk's age with it.
//
// T says where an object is now (now_at) and of which generation it will be (generation_now). Owners may free handles meanwhile: a handle that has become zero stays so.
// One worker for each chunk; weak things were cleared before.
#pragma once
#include "heap/handles.h"

namespace garner {

template <class T> void follow_handles(const T& tracer, HandleChunk& chunk) {
  u32 youngest = 3;
  chunk.each([&](word* slot) {
    Ref ref{__atomic_load_n(slot, __ATOMIC_RELAXED)};
    if (ref.at == 0) return;
    Ref now = tracer.now_at(ref);
    youngest = min_of(youngest, tracer.generation_now(ref));
    if (now.at != ref.at) {
      word expected = ref.at;
      __atomic_compare_exchange_n(slot, &expected, now.at, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    if (chunk.kind == HandleKind::dependent) {
      Ref second{__atomic_load_n(slot + 1, __ATOMIC_RELAXED)};
      if (second.at == 0) return;
      youngest = min_of(youngest, tracer.generation_now(second));
      __atomic_store_n(slot + 1, tracer.now_at(second).at, __ATOMIC_RELAXED);
    } else if (chunk.kind == HandleKind::weak_interior) {
      move_native_word(slot, now.at - ref.at);
    }
  });
  chunk.youngest.store_relaxed(u8(youngest));
}

} // namespace garner
