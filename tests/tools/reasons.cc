// Every reason that a report gives belongs to a claim: one that was renamed would silently become "not tested".
#include <gtest/gtest.h>

#include "reproduce.h"

namespace garner::tool {
namespace {

TEST(Reasons, EachBelongsToAClaim) {
  std::map<std::pair<std::string, std::string>, bool> claims;
  for (const auto* list : {&naps_experiments(), &topology_experiments()})
    for (const Experiment& e : *list)
      for (const Claim& c : e.judge(Results(), Scale{false}).claims) {
        EXPECT_EQ(c.outcome, Outcome::unavailable) << e.id << " " << c.text << ": judged without results";
        claims[{e.id, c.text}] = true;
      }
  EXPECT_GT(claims.size(), 80u);
  for (const auto& [key, why] : reasons()) EXPECT_TRUE(claims[key]) << key.first << " has no claim '" << key.second << "'";
}

} // namespace
} // namespace garner::tool
