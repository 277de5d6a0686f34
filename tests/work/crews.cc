// N10 by node: what the words of nodes and the common word allow and refuse together.
#include "crew.h"

#include <thread>

namespace garner::test {
namespace {

using Term = Termination<Linux>;

struct Counted {
  Linux machine{1};
  Term term;
  Crews<Linux> crews;
  // As a gang opens a phase: the conductor on node 0 is active, all other nodes are idle.
  void open(u32 epoch, u32 nodes) {
    crews.open(epoch, nodes, 0);
    term.open(epoch, nodes, nodes - 1);
  }
  bool arrive(u32 epoch, u32 node) { return crews.arrive(machine, term, epoch, node); }
  bool leave(u32 node) { return Term::over(crews.leave(term, node)); }
  bool over() const { return Term::over(term.look()); }
};

TEST(Crews, N10OverWhenTheLastNodeIsIdle) {
  Counted c;
  c.open(5, 3);
  EXPECT_TRUE(c.arrive(5, 1));
  EXPECT_TRUE(c.arrive(5, 1));
  EXPECT_TRUE(c.arrive(5, 2));
  EXPECT_FALSE(c.leave(0));
  EXPECT_FALSE(c.leave(1));
  EXPECT_FALSE(c.leave(2));
  EXPECT_FALSE(c.over()) << "a worker of node 1 is active";
  EXPECT_TRUE(c.arrive(5, 2)) << "an idle node comes back";
  EXPECT_FALSE(c.leave(1));
  EXPECT_TRUE(c.leave(2));
  EXPECT_TRUE(c.over());
}

TEST(Crews, N10OverIsSticky) {
  Counted c;
  c.open(5, 2);
  EXPECT_TRUE(c.leave(0));
  u64 end = c.term.look();
  for (u32 node : {0u, 1u}) EXPECT_FALSE(c.arrive(5, node)) << "a straggler re-opened a finished phase";
  EXPECT_EQ(c.term.look(), end);
}

TEST(Crews, N10OtherEpochsAreLeftAlone) {
  Counted c;
  c.open(6, 2);
  EXPECT_TRUE(c.arrive(6, 1));
  u64 before = c.term.look();
  for (u32 epoch : {5u, 7u})
    for (u32 node : {0u, 1u}) EXPECT_FALSE(c.arrive(epoch, node));
  EXPECT_EQ(c.term.look(), before);
  EXPECT_FALSE(c.leave(1));
  EXPECT_TRUE(c.leave(0)) << "a refused arrival was counted";
}

// Only a node's first and last worker touch the common word.
TEST(Crews, N10TheCommonWordRests) {
  Counted c;
  c.open(1, 2);
  EXPECT_TRUE(c.arrive(1, 1));
  u64 before = c.term.look();
  for (u32 i = 0; i < 10; i++) EXPECT_TRUE(c.arrive(1, 1));
  for (u32 i = 0; i < 10; i++) EXPECT_FALSE(c.leave(1));
  EXPECT_EQ(c.term.look(), before);
  EXPECT_FALSE(c.leave(1));
  EXPECT_NE(c.term.look(), before);
}

// Threads of two nodes come and go while the conductor is there; the count is right in the end, and nobody comes in afterwards.
TEST(Crews, N10StressComeAndGo) {
  for (u32 round = 1; round <= 200; round++) {
    Counted c;
    c.open(round, 2);
    std::atomic<u32> ended{0};
    std::vector<std::thread> threads;
    for (u32 t = 0; t < 4; t++)
      threads.emplace_back([&, t] {
        for (u32 i = 0; i < 200 && c.arrive(round, t % 2); i++) ended += c.leave(t % 2);
      });
    ended += c.leave(0);
    for (auto& thread : threads) thread.join();
    ASSERT_TRUE(c.over()) << "round " << round;
    ASSERT_EQ(ended.load(), 1u) << "a phase ends once; round " << round;
    ASSERT_FALSE(c.arrive(round, 0) || c.arrive(round, 1));
  }
}

} // namespace
} // namespace garner::test
