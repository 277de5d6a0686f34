// Everything at once: random sizes, wanted numbers, queue capacities, orders and sharing, in every configuration; no leaf is lost.
#include "crew.h"

namespace garner::test {
namespace {

template <class M> class RandomPhases : public ::testing::Test {};
TYPED_TEST_SUITE(RandomPhases, Machines);

TYPED_TEST(RandomPhases, NoLeafIsLost) {
  Random random(11);
  for (u32 round = 0; round < 3; round++)
    for (GangConfig config : all_configs(4)) {
      config.queue_capacity = 8u << random.below(6);
      config.order = random.one_in(3) ? Order::fifo : Order::owner_lifo;
      config.share = random.one_in(2) ? Share::lazy : Share::eager;
      config.steal = !random.one_in(6);
      SCOPED_TRACE(describe(config));
      Crew<TypeParam> crew(config);
      crew.conduct([&](auto& self) {
        Trees<TypeParam> body(crew.gang, 1);
        body.yield_one_in = random.one_in(2) ? 30 : 0;
        u64 expected = 0;
        for (u32 phase = 0; phase < 100; phase++) {
          body.size = 1 + random.below(random.one_in(10) ? 3000 : 60);
          u32 roots = u32(random.below(10)), wanted = u32(random.below(7));
          crew.gang.run(self, Phase::mark, wanted, roots, body);
          expected += body.size * roots;
          ASSERT_EQ(body.leaves(), expected) << "phase " << phase;
        }
      });
    }
}

} // namespace
} // namespace garner::test
