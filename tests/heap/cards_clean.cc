// Cards by many at a look: one that is dirty is seen wherever it stands, and clean ones are clean whatever lies beside them.
#include <gtest/gtest.h>

#include "heap/cards.h"
#include "machine/linux/linux.h"

namespace garner::test {
namespace {

TEST(CardsClean, OneDirtyCardIsSeenWhereverItStands) {
  constexpr usize kCards = 128;
  alignas(64) u8 cards[kCards + 2 * kLaneCards];
  memset(cards, 0xff, sizeof cards); // what lies beside the range is dirty
  u8* range = cards + kLaneCards;
  memset(range, 0, kCards);
  EXPECT_TRUE(cards_clean(range, kCards));
  for (usize i = 0; i < kCards; i++)
    for (u8 value : {u8(1), u8(0x80), u8(0xff)}) {
      range[i] = value;
      EXPECT_FALSE(cards_clean(range, kCards)) << i;
      for (usize lane = 0; lane < kCards; lane += kLaneCards) EXPECT_EQ(lane_clean<Linux>(range + lane), i / kLaneCards != lane / kLaneCards) << i;
      range[i] = 0;
    }
  EXPECT_TRUE(cards_clean(range, 0));
}

} // namespace
} // namespace garner::test
