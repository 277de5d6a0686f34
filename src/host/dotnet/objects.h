// The object model of CoreCLR as Garner reads it: sizes and reference slots from MethodTable and GCDesc.
//
// The MethodTable word's low three bits are ignored (the runtime does so too while it is stopped). The map of references lies below
// the MethodTable: a count, then series growing downwards. A positive count: runs of slots, their length relative to the object's size. A
// negative count: one pattern of slots and gaps repeated over an array of structs. Everything here is a pure function of memory.
#pragma once
#include "host/dotnet/clr_types.h"
#include "seam/host.h"

namespace garner::dotnet {

GARNER_INLINE clr::MethodTable* type_of(Ref ref) { return reinterpret_cast<clr::MethodTable*>(load_word(ref.at) & ~clr::kMethodTableBits); }

GARNER_INLINE usize unaligned_size(Ref ref, const clr::MethodTable* type) {
  usize bytes = type->base_bytes;
  if (type->has_components()) bytes += usize(type->flags & clr::kTypeComponentMask) * *reinterpret_cast<const u32*>(ref.at + clr::kLengthAt);
  return bytes;
}
GARNER_INLINE usize size_of(Ref ref) { return align_up(unaligned_size(ref, type_of(ref)), kWordBytes); }

struct Series { usize size; usize offset; };        // size minus the type's base size; offset of the first slot
struct Repeat { u32 slots; u32 skip; };             // slots in a row, then bytes without any

inline constexpr usize kEmptyAtOnce = 8; // slots that are looked at together, a line of them

namespace detail {

// Whether so many slots hold nothing. The program may be storing to them: relaxed, as any look at a slot beside it.
GARNER_INLINE bool empty(word at) {
  word any = 0;
  for (usize k = 0; k < kEmptyAtOnce; k++) any |= __atomic_load_n(reinterpret_cast<const word*>(at) + k, __ATOMIC_RELAXED);
  return any == 0;
}

// One pattern over the elements of an array, limited to slots in [low, high).
template <class F> void repeated(Ref ref, const clr::MethodTable* type, i64 count, word low, word high, const F& fn) {
  const char* map = reinterpret_cast<const char*>(type);
  usize first = *reinterpret_cast<const usize*>(map - 16);
  const Repeat* items = reinterpret_cast<const Repeat*>(map - 24); // item i lies at items[-i]
  usize items_count = usize(-count), stride = 0;
  for (usize i = 0; i < items_count; i++) stride += items[-i64(i)].slots * kWordBytes + items[-i64(i)].skip;
  word at = ref.at + first, end = ref.at + unaligned_size(ref, type) - kHeadBytes;
  if (low > at) at += (low - at) / stride * stride; // the element that holds `low`
  end = min_of(end, high);
  while (at < end)
    for (usize i = 0; i < items_count && at < end; i++) {
      for (u32 s = 0; s < items[-i64(i)].slots; s++, at += kWordBytes)
        if (at >= low && at < end) fn(Slot{at});
      at += items[-i64(i)].skip;
    }
}

} // namespace detail

template <class F> GARNER_INLINE void each_slot(Ref ref, const F& fn) {
  const clr::MethodTable* type = type_of(ref);
  if (!type->has_references()) return;
  i64 count = reinterpret_cast<const i64*>(type)[-1];
  if (GARNER_UNLIKELY(count < 0)) return detail::repeated(ref, type, count, 0, ~word(0), fn);
  usize size = unaligned_size(ref, type);
  const Series* series = reinterpret_cast<const Series*>(reinterpret_cast<const char*>(type) - 8) - 1;
  for (i64 i = 0; i < count; i++, series--) {
    word at = ref.at + series->offset, end = at + series->size + size;
    for (; at < end; at += kWordBytes) fn(Slot{at});
  }
}

// Arrays of references and of structs, and what is one run of references for the most part. A class with many runs (an inline array of structs) would be
// looked through from its first one for each range that is asked for.
inline bool divides(Ref ref) {
  const clr::MethodTable* type = type_of(ref);
  if (!type->has_references()) return false;
  const i64 count = reinterpret_cast<const i64*>(type)[-1];
  if (count != 1) return count < 0;
  const Series* series = reinterpret_cast<const Series*>(reinterpret_cast<const char*>(type) - 8) - 1;
  const usize size = unaligned_size(ref, type);
  return 2 * (series->size + size) >= size;
}

template <class F> GARNER_INLINE void each_slot_in(Ref ref, word low, word high, const F& fn) {
  const clr::MethodTable* type = type_of(ref);
  if (!type->has_references()) return;
  i64 count = reinterpret_cast<const i64*>(type)[-1];
  if (count < 0) return detail::repeated(ref, type, count, low, high, fn);
  usize size = unaligned_size(ref, type);
  const Series* series = reinterpret_cast<const Series*>(reinterpret_cast<const char*>(type) - 8) - 1;
  for (i64 i = 0; i < count; i++, series--) {
    word at = ref.at + series->offset, end = min_of(at + series->size + size, high);
    at = max_of(at, align_up(low, kWordBytes));
    for (; at + kEmptyAtOnce * kWordBytes <= end; at += kEmptyAtOnce * kWordBytes) {
      if (detail::empty(at)) continue; // tables and half-filled lists have many such slots
      for (usize k = 0; k < kEmptyAtOnce; k++) fn(Slot{at + k * kWordBytes});
    }
    for (; at < end; at += kWordBytes) fn(Slot{at});
  }
}

} // namespace garner::dotnet
