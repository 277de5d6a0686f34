// A seed is played twice and both plays are the same, operation by operation; another seed is another play.
#include <gtest/gtest.h>

#include <set>

#include "draw.h"

namespace garner::test {
namespace {

Result play_seed(u64 seed) {
  Script script = draw_script(seed, false);
  script.operations = min_of(script.operations, 150u);
  Sim machine(draw_machine(seed));
  return play(machine, script);
}

TEST(SeedsReplay, SameSeedSameDigest) {
  std::set<u64> digests;
  for (u64 seed = 900; seed < 925; seed++) {
    Result first = play_seed(seed);
    // Something in between that moves addresses about: nothing of this process may leak in.
    std::vector<std::unique_ptr<char[]>> noise;
    for (u32 i = 0; i < 50; i++) noise.push_back(std::make_unique<char[]>(100'000 + i * 777));
    Result second = play_seed(seed);
    EXPECT_EQ(first.trouble, "");
    EXPECT_EQ(first.digest, second.digest) << "seed " << seed;
    digests.insert(first.digest);
  }
  EXPECT_EQ(digests.size(), 25u);
}

} // namespace
} // namespace garner::test
