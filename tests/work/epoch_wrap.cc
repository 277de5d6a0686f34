// N16, N17: phase numbers come round after 2^24; odd and even keep alternating, and nothing is lost or run twice on the way.
#include "crew.h"

namespace garner::test {
namespace {

TEST(EpochWrap, N17NumbersComeRound) {
  EXPECT_EQ(next_epoch(1), 2u);
  EXPECT_EQ(next_epoch(kEpochMax - 1), kEpochMax);
  EXPECT_EQ(next_epoch(kEpochMax) % 2, (kEpochMax + 1) % 2);
  EXPECT_NE(next_epoch(kEpochMax), 0u);
  for (GangConfig config : all_configs(3)) {
    SCOPED_TRACE(describe(config));
    config.first_epoch = kEpochMax - 20;
    Crew<Real> crew(config);
    crew.conduct([&](Real::Self& self) {
      Trees<Real> body(crew.gang, 50);
      for (u32 i = 0; i < 60; i++) {
        crew.gang.run(self, Phase::mark, 3, 4, body);
        ASSERT_EQ(body.leaves(), (i + 1) * 200u);
      }
    });
  }
}

} // namespace
} // namespace garner::test
