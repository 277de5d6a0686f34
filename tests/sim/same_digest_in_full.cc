// The machine in full repeats itself to the last picosecond: in one process, in another, and in a build without optimisation.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "base/atomic.h"
#include "full_digest.h"

namespace garner {
namespace {

std::string output_of(const char* program) {
  FILE* pipe = popen(program, "r");
  std::string all;
  char block[512];
  while (pipe != nullptr && fgets(block, sizeof block, pipe) != nullptr) all += block;
  EXPECT_TRUE(pipe != nullptr && pclose(pipe) == 0) << program;
  return all;
}

TEST(SameDigestInFull, TwiceInOneProcess) {
  for (sim::Picker picker : {sim::Picker::earliest, sim::Picker::seeded, sim::Picker::priority}) EXPECT_EQ(full_digest(5, picker), full_digest(5, picker));
  EXPECT_NE(full_digest(5), full_digest(6));
}

TEST(SameDigestInFull, AtAnyOptimisation) {
  std::string mine;
  for (u64 seed = 1; seed <= 6; seed++) mine += std::to_string(full_digest(seed, picker_of(seed))) + " ";
  mine += "\n";
  EXPECT_EQ(output_of(GARNER_DIGEST), mine);
  EXPECT_EQ(output_of(GARNER_DIGEST_O0), mine);
}

} // namespace
} // namespace garner
