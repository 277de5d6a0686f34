// Words, sizes and bit tricks that every floor uses.
//
// An address is a `word`; sizes are bytes unless a name says otherwise. Nothing here knows an object or an operating system.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace garner {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i32 = int32_t;
using i64 = int64_t;
using usize = size_t;
using word = uintptr_t;

inline constexpr usize kWordBytes = sizeof(word);
inline constexpr usize kLineBytes = 64;   // what two workers must not share when both write
inline constexpr usize kPageBytes = 4096; // the smallest unit the system hands out; larger pages are multiples
inline constexpr usize KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

static_assert(sizeof(word) == 8, "the heap layout (tags in bit 63, marks per 8 bytes) is written for 64-bit addresses");

#define GARNER_LIKELY(x) __builtin_expect(!!(x), 1)
#define GARNER_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define GARNER_INLINE inline __attribute__((always_inline))
#define GARNER_INLINED __attribute__((always_inline)) // of a lambda, behind its parameters
#define GARNER_COLD __attribute__((noinline, cold))

template <class T> constexpr T align_up(T value, usize to) { return (value + T(to - 1)) & ~T(to - 1); }
template <class T> constexpr T align_down(T value, usize to) { return value & ~T(to - 1); }
constexpr bool is_aligned(word value, usize to) { return (value & (to - 1)) == 0; }
constexpr bool is_power_of_two(u64 value) { return value != 0 && (value & (value - 1)) == 0; }
// Set bits, for processors that do not count them.
constexpr u32 set_bits_by_steps(u64 value) {
  value -= value >> 1 & 0x5555555555555555;
  value = (value & 0x3333333333333333) + (value >> 2 & 0x3333333333333333);
  return u32(((value + (value >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}
// Set bits. What is built for all processors of a kind may not use an instruction that some lack, and to call a library costs more than either: so this asks each time, a load that is always near.
GARNER_INLINE constexpr u32 set_bits(u64 value) {
#ifdef __x86_64__
  if (!__builtin_is_constant_evaluated() && GARNER_LIKELY(__builtin_cpu_supports("popcnt"))) {
    u64 count = 0;
    asm("popcnt %1, %0" : "=r"(count) : "r"(value) : "cc");
    return u32(count);
  }
#endif
  return set_bits_by_steps(value);
}
constexpr u32 log2_floor(u64 value) { return 63u - u32(__builtin_clzll(value | 1)); }
constexpr u64 div_up(u64 a, u64 b) { return (a + b - 1) / b; }

template <class T> constexpr T min_of(T a, T b) { return b < a ? b : a; }
template <class T> constexpr T max_of(T a, T b) { return a < b ? b : a; }
template <class T> constexpr T clamp_to(T value, T low, T high) { return value < low ? low : (high < value ? high : value); }
template <class T> constexpr void swap_values(T& a, T& b) {
  T held = a;
  a = b;
  b = held;
}

GARNER_INLINE word load_word(word at) { return *reinterpret_cast<const word*>(at); }
GARNER_INLINE void store_word(word at, word value) { *reinterpret_cast<word*>(at) = value; }

} // namespace garner
