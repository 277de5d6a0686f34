// T7, T14: victims by distance: a node's own workers first, then ring by ring, each worker once; empty nodes make no ring.
#include <set>

#include <gtest/gtest.h>

#include "work/neighbours.h"

namespace garner::test {
namespace {

TEST(Neighbours, T7RingsByDistance) {
  // Four nodes in a row; nobody works on node 2.
  auto node_of = [](u32 w) { return w % 3 == 2 ? 3u : w % 3; };
  auto distance = [](u32 a, u32 b) { return 10 + 5 * (a > b ? a - b : b - a); };
  for (u32 workers : {1u, 2u, 3u, 10u, 1024u}) {
    Neighbours neighbours;
    ASSERT_TRUE(neighbours.make(workers, 4, node_of, distance));
    for (u32 n = 0; n < 4; n++) {
      std::set<u32> seen;
      u32 before = 0;
      for (u32 r = 0; r < neighbours.rings(n); r++) {
        Neighbours::Ring ring = neighbours.ring(n, r);
        ASSERT_GT(ring.count, 0u);
        u32 far = distance(n, node_of(ring.workers[0]));
        EXPECT_GT(far, before);
        before = far;
        for (u32 i = 0; i < ring.count; i++) {
          EXPECT_EQ(distance(n, node_of(ring.workers[i])), far);
          EXPECT_TRUE(seen.insert(ring.workers[i]).second);
        }
      }
      EXPECT_EQ(seen.size(), workers);
      for (u32 i = 0; i < 4; i++)
        if (i > 0) EXPECT_LE(distance(n, neighbours.node(n, i - 1)), distance(n, neighbours.node(n, i)));
      EXPECT_EQ(neighbours.node(n, 0), n);
    }
    if (workers == 1024) { // node 0: itself, 1, 3
      EXPECT_EQ(neighbours.rings(0), 3u);
      EXPECT_EQ(neighbours.rings(2), 2u) << "1 and 3 are as far, 0 is farther, nobody is here";
    }
  }
}

} // namespace
} // namespace garner::test
