// Dice: where a script gets its choices from: a seeded generator, or the bytes a fuzzer made.
#pragma once
#include <cstddef>

#include "base/random.h"

namespace garner::test {

class Dice {
 public:
  explicit Dice(u64 seed) : random_(seed) {}
  Dice(const u8* bytes, usize count) : random_(1), at_(bytes), end_(bytes + count), from_bytes_(true) {}

  // Uniform in [0, n), n > 0; from bytes: 0 when they are used up.
  u64 below(u64 n) {
    if (!from_bytes_) return random_.below(n);
    u64 value = 0;
    for (u64 span = 1; span < n && span < (u64(1) << 32); span <<= 8) value = value << 8 | byte();
    return value % n;
  }
  bool one_in(u64 n) { return below(n) == 0; }
  u64 between(u64 low, u64 high) { return low + below(high - low + 1); }
  // Small values likely, `most` possible.
  u64 skewed(u64 most) { return below(most + 1) >> below(12); }
  bool over() const { return from_bytes_ && at_ == end_; } // a script from bytes ends with them

 private:
  u8 byte() { return at_ == end_ ? 0 : *at_++; }
  Random random_;
  const u8 *at_ = nullptr, *end_ = nullptr;
  bool from_bytes_ = false;
};

} // namespace garner::test
