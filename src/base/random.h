// A small seeded generator (xorshift64*, seeded through splitmix64). Same seed, same sequence, on any host. Not for secrets.
#pragma once
#include "base/words.h"

namespace garner {

constexpr u64 mix64(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

class Random {
 public:
  constexpr explicit Random(u64 seed = 1) : state_(mix64(seed) | 1) {}
  constexpr u64 next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dull;
  }
  // Uniform in [0, n); n > 0.
  constexpr u64 below(u64 n) { return u64((unsigned __int128)(next()) * n >> 64); }
  constexpr bool one_in(u64 n) { return below(n) == 0; }

 private:
  u64 state_;
};

} // namespace garner
