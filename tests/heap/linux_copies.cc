// The real machine's copies of small objects go from both ends to the middle: every word of every size arrives, and no other is written.
#include <gtest/gtest.h>

#include "machine/linux/linux.h"

namespace garner::test {
namespace {

TEST(LinuxCopies, MoveEveryWordAndNoOther) {
  constexpr usize kWords = 64, kGuard = 8; // beyond the sizes that are copied by hand, and around them
  Linux machine;
  Linux::Self self(machine, 0);
  for (usize words = 2; words <= kWords; words++) {
    for (usize shift = 0; shift < 8; shift++) { // objects begin at any word of a line
      alignas(64) word from[kWords + 2 * kGuard], to[kWords + 2 * kGuard];
      for (usize i = 0; i < kWords + 2 * kGuard; i++) from[i] = 0x1000 + i, to[i] = 0x2000 + i;
      self.copy(word(to + kGuard - shift), word(from + shift), words * kWordBytes);
      for (usize i = 0; i < kWords + 2 * kGuard; i++) {
        const usize at = i - (kGuard - shift); // wraps below
        ASSERT_EQ(to[i], at < words ? from[shift + at] : 0x2000 + i) << words << " words, shift " << shift << ", word " << i;
      }
    }
  }
}

} // namespace
} // namespace garner::test
