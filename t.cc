#include "pace_world_dbg.h"
using namespace garner; using namespace garner::test;
TEST(A,B){
  auto chain = [](u32) { return Weather{.survival = 0.9, .promoted = 0.9, .old_dies = 1, .alloc_ns_per_mib = 3'000'000}; };
  const Story s = live({config(), 300 * MiB, chain, 60, true, 8'000'000, 2'800'000});
  printf("marked %u stopped %u full %u\n", s.marked, s.stopped_marking, s.full);
}
