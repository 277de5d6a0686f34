// The objects of the synthetic host: everything about one can be read from the object itself, and checked.
//
//   header     bits 0-61: a hash of the identity, so that a header that was not put back is seen; bit 62: finalization suppressed
//   type       magic:8 | shape:2 | flags:6 | detail:20 | words:28     never changes while the object lives
//   identity   id:32 | loader:16 | - | held:1                         the loader is the edge without a slot, 0 for none
//   body       slots and payload, by shape; payload words are a function of identity and position
//
// Shapes: plain (`detail` slots, then payload), ends (slots at both ends, payload between: two series), repeated (so many slots,
// so many payload words, over and over: arrays of references and of structs), filler (nothing inside matters).
// `words` counts the header. Pure functions of memory; valid on old copies too, since only the header is ever overwritten.
#pragma once
#include "base/check.h"
#include "base/random.h"
#include "seam/host.h"

namespace garner::synthetic {

enum class Shape : u8 { plain, ends, repeated, filler };
inline constexpr u8 kFinalizable = 1, kCritical = 2, kEager = 4; // eager: the first body word is a handle that dies with the object
inline constexpr u64 kMagic = 0x5a;
inline constexpr u32 kDetailBits = 20, kHalfBits = 10;
inline constexpr u64 kDetailMost = (u64(1) << kDetailBits) - 1, kHalfMost = (u64(1) << kHalfBits) - 1, kWordsMost = (u64(1) << 28) - 1;
inline constexpr word kSuppressed = word(1) << 62;
inline constexpr word kHeld = word(1) << 63; // in the identity word: a counted handle's object is wanted from outside

constexpr u64 make_type(Shape shape, u8 flags, u64 detail, usize bytes) {
  return kMagic | u64(shape) << 8 | u64(flags) << 10 | detail << 16 | u64(bytes / kWordBytes) << 36;
}
constexpr u64 both_ends(u64 first, u64 last) { return first | last << kHalfBits; }
constexpr u64 pattern(u64 slots, u64 skip) { return slots | skip << kHalfBits; }
constexpr Shape shape_of(u64 type) { return Shape((type >> 8) & 3); }
constexpr u8 flags_of(u64 type) { return u8((type >> 10) & 63); }
constexpr u64 detail_of(u64 type) { return (type >> 16) & kDetailMost; }
constexpr usize bytes_of(u64 type) { return usize(type >> 36) * kWordBytes; }
constexpr u64 low_half(u64 type) { return detail_of(type) & kHalfMost; }
constexpr u64 high_half(u64 type) { return detail_of(type) >> kHalfBits; }

inline constexpr usize kBodyAt = 2 * kWordBytes; // from the reference
constexpr usize body_words(u64 type) { return bytes_of(type) / kWordBytes - 3; }
GARNER_INLINE u64 type_of(Ref ref) { return load_word(ref.at); }
GARNER_INLINE word body_of(Ref ref) { return ref.at + kBodyAt; }
// Relaxed: a program changes kHeld while the object's loader is asked for beside it; whoever reads the rest has the object from its maker.
GARNER_INLINE u64 identity_of(Ref ref) { return __atomic_load_n(reinterpret_cast<const u64*>(ref.at + kWordBytes), __ATOMIC_RELAXED); }
GARNER_INLINE u32 id_of(Ref ref) { return u32(identity_of(ref)); }
GARNER_INLINE u32 loader_of(Ref ref) { return u32(identity_of(ref) >> 32) & 0xffff; }
GARNER_INLINE bool held(Ref ref) { return (identity_of(ref) & kHeld) != 0; }
// By one thread at a time.
GARNER_INLINE void toggle_held(Ref ref) { __atomic_store_n(reinterpret_cast<u64*>(ref.at + kWordBytes), identity_of(ref) ^ kHeld, __ATOMIC_RELAXED); }
GARNER_INLINE bool is_filler(Ref ref) { return shape_of(type_of(ref)) == Shape::filler; }
constexpr word header_for(u32 id) { return mix64(id) & (kSuppressed - 1); }

// Whether word `i` of the body is a slot. Slots are in ascending order in every shape.
constexpr bool is_slot(u64 type, usize i) {
  switch (shape_of(type)) {
    case Shape::plain: return i < detail_of(type);
    case Shape::ends: return i < low_half(type) || i >= body_words(type) - high_half(type);
    case Shape::repeated: return i % (low_half(type) + high_half(type)) < low_half(type);
    case Shape::filler: break;
  }
  return false;
}
constexpr bool has_slots(u64 type) { return shape_of(type) != Shape::filler && detail_of(type) != 0; }
constexpr usize count_slots(u64 type) {
  switch (shape_of(type)) {
    case Shape::plain: return detail_of(type);
    case Shape::ends: return low_half(type) + high_half(type);
    case Shape::repeated: {
      usize stride = low_half(type) + high_half(type), n = body_words(type);
      return n / stride * low_half(type) + min_of<usize>(n % stride, low_half(type));
    }
    case Shape::filler: break;
  }
  return 0;
}

// The body's word that is slot number `n`.
constexpr usize slot_word(u64 type, usize n) {
  u64 low = low_half(type), high = high_half(type);
  if (shape_of(type) == Shape::ends) return n < low ? n : body_words(type) - high + (n - low);
  return shape_of(type) == Shape::repeated ? n / low * (low + high) + n % low : n;
}
GARNER_INLINE Slot slot_at(Ref ref, usize n) { return {body_of(ref) + slot_word(type_of(ref), n) * kWordBytes}; }

namespace detail {
template <class F> GARNER_INLINE void run(word at, word end, word low, word high, F fn) {
  for (at = max_of(at, align_up(low, kWordBytes)), end = min_of(end, high); at < end; at += kWordBytes) fn(Slot{at});
}
} // namespace detail

// Slots with low <= address < high.
template <class F> void each_slot_in(Ref ref, word low, word high, F fn) {
  u64 type = type_of(ref);
  if (!has_slots(type)) return;
  word body = body_of(ref), end = body + body_words(type) * kWordBytes;
  switch (shape_of(type)) {
    case Shape::plain: return detail::run(body, body + detail_of(type) * kWordBytes, low, high, fn);
    case Shape::ends:
      detail::run(body, body + low_half(type) * kWordBytes, low, high, fn);
      return detail::run(end - high_half(type) * kWordBytes, end, low, high, fn);
    case Shape::repeated: {
      usize slots = low_half(type) * kWordBytes, stride = slots + high_half(type) * kWordBytes;
      word at = low > body ? body + (low - body) / stride * stride : body; // the element that holds `low`
      for (; at < end && at < high; at += stride) detail::run(at, min_of(at + slots, end), low, high, fn);
      return;
    }
    case Shape::filler: return;
  }
}
template <class F> GARNER_INLINE void each_slot(Ref ref, F fn) { each_slot_in(ref, 0, ~word(0), fn); }

GARNER_INLINE word payload_word(u32 id, usize i) { return (u64(id) + 1) * 0x9e3779b97f4a7c15ull ^ u64(i) * 0xbf58476d1ce4e5b9ull; }

// Writes a new object over [block, block + size): slots null. The memory need not be zero. The type comes last, by a release: an object that is born old may be met by
// who reads its page (Marking::read_part's acquire), and must not be taken for one before its slots are null.
inline Ref format(word block, u64 type, u32 id, u32 loader) {
  Ref ref = ref_of(block);
  store_word(block, header_for(id));
  store_word(ref.at + kWordBytes, u64(id) | u64(loader) << 32);
  for (usize i = 0, n = body_words(type); i < n; i++) store_word(body_of(ref) + i * kWordBytes, is_slot(type, i) ? 0 : payload_word(id, i));
  __atomic_store_n(reinterpret_cast<u64*>(ref.at), type, __ATOMIC_RELEASE);
  return ref;
}

// Header, and every payload word, are what format() wrote (an eager object's first is its handle).
inline bool intact(Ref ref) {
  u64 type = type_of(ref);
  u32 id = id_of(ref);
  if ((load_word(header_of(ref).at) & ~kSuppressed) != header_for(id)) return false;
  for (usize i = (flags_of(type) & kEager) != 0 ? 1 : 0, n = body_words(type); i < n; i++)
    if (!is_slot(type, i) && load_word(body_of(ref) + i * kWordBytes) != payload_word(id, i)) return false;
  return true;
}

// One dead object. Who leaves a gap too small for one has broken the heap already.
inline void fill(word at, usize bytes) {
  GARNER_CHECK(bytes >= kMinObjectBytes && bytes % kWordBytes == 0 && bytes / kWordBytes <= kWordsMost, "a gap that no filler fits");
  store_word(at, 0);
  store_word(at + kWordBytes, make_type(Shape::filler, 0, 0, bytes));
  store_word(at + 2 * kWordBytes, 0xdbdbdbdbdbdbdbdb);
}

inline bool plausible(Ref ref) {
  u64 type = type_of(ref);
  if ((type & 0xff) != kMagic || bytes_of(type) < kMinObjectBytes) return false;
  if (shape_of(type) == Shape::filler) return true;
  if (shape_of(type) == Shape::repeated && low_half(type) + high_half(type) == 0) return false;
  return count_slots(type) <= body_words(type) && id_of(ref) != 0;
}

} // namespace garner::synthetic
