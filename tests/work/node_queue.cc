// T4: any number of producers and consumers: what is taken is what was put in, each entry once, with a ring so small that most of it spills.
// T6: one acquisition of the lock for a batch. T13, N23: pending is raised before an entry can be seen and falls when the last is taken.
#include <algorithm>

#include "crew.h"
#include "work/node_queue.h"
#include "work/post.h"

namespace garner::test {
namespace {

TEST(NodeQueue, T4ManyProducersManyConsumers) {
  constexpr u32 kProducers = 32, kConsumers = 32, kEach = 4000;
  for (u32 capacity : {8u, 1024u, 1u << 18}) {
    Linux machine;
    NodeQueue<Linux> queue;
    Termination<Linux> term;
    term.open(1, 1);
    ASSERT_TRUE(queue.start(machine, capacity));
    std::atomic<u64> taken{0};
    std::vector<std::vector<u64>> got(kConsumers);
    std::vector<std::thread> threads;
    for (u32 p = 0; p < kProducers; p++)
      threads.emplace_back([&, p] {
        u64 batch[7];
        for (u32 next = 0; next < kEach;) {
          u32 n = 0;
          while (n < 1 + next % 7 && next < kEach) batch[n++] = u64(p) << 32 | next++;
          queue.put(term, batch, n);
        }
      });
    for (u32 c = 0; c < kConsumers; c++)
      threads.emplace_back([&, c] {
        u64 some[5];
        while (taken.load() < u64(kProducers) * kEach)
          if (u32 n = queue.take(term, some, 1 + c % 5); n != 0) {
            taken += n;
            got[c].insert(got[c].end(), some, some + n);
          } else {
            std::this_thread::yield();
          }
      });
    for (std::thread& t : threads) t.join();
    std::vector<u64> all;
    for (auto& some : got) all.insert(all.end(), some.begin(), some.end());
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), usize(kProducers) * kEach);
    for (u32 p = 0; p < kProducers; p++)
      for (u32 i = 0; i < kEach; i++) ASSERT_EQ(all[usize(p) * kEach + i], u64(p) << 32 | i);
    EXPECT_EQ(Termination<Linux>::pending_of(term.look()), 0u);
    EXPECT_FALSE(queue.looks_filled());
    if (capacity == 8) {
      EXPECT_GT(queue.spills(), 0u) << "nothing ever found the ring full";
    }
    queue.stop();
  }
}

TEST(NodeQueue, T13PendingCountsQueuesWithEntries) {
  Linux machine;
  NodeQueue<Linux> one, two;
  Termination<Linux> term;
  term.open(1, 1);
  ASSERT_TRUE(one.start(machine, 8) && two.start(machine, 8));
  u64 entries[100] = {}, out[100];
  auto pending = [&] { return Termination<Linux>::pending_of(term.look()); };
  one.put(term, entries, 100);
  EXPECT_EQ(one.batches(), 1u) << "T6: a batch, one lock";
  EXPECT_EQ(one.spills(), 92u);
  EXPECT_EQ(pending(), 1u);
  one.put(term, entries, 1);
  two.put(term, entries, 1);
  EXPECT_EQ(pending(), 2u);
  u64 idle = term.offer();
  EXPECT_FALSE(Termination<Linux>::over(idle)) << "everybody is idle, and two queues have entries";
  EXPECT_TRUE(term.withdraw(1));
  u32 got = 0;
  while (u32 n = one.take(term, out, 30)) got += n;
  EXPECT_EQ(got, 101u);
  EXPECT_EQ(pending(), 1u);
  EXPECT_EQ(two.take(term, out, 30), 1u);
  EXPECT_EQ(pending(), 0u);
  EXPECT_TRUE(Termination<Linux>::over(term.offer()));
  one.stop(), two.stop();
}

// T6: 99 roots for a node stay with who found them until it says that its task is over; the 100th takes all of them along. Each node has a desk of its own.
TEST(Post, T6NobodySeesARootBeforeTheHundredthOrTheTasksEnd) {
  Linux machine;
  Post<Linux> post;
  Termination<Linux> term;
  WorkerStats stats{};
  term.open(1, 1);
  ASSERT_TRUE(post.start(machine, 2, 2, 1024, 100, 32));
  const auto filled = [&](u32 node) { return post.queue(Mail::root, node).looks_filled(); };
  for (u32 round = 0; round < 3; round++) {
    for (u32 i = 1; i < 100; i++) {
      EXPECT_FALSE(post.add(term, 0, Mail::root, 0, i, stats));
      EXPECT_FALSE(post.add(term, 1, Mail::root, 0, 1000 + i, stats)) << "another worker's desk";
      if (i < 50) EXPECT_FALSE(post.add(term, 0, Mail::root, 1, 2000 + i, stats));
      ASSERT_FALSE(filled(0) || filled(1)) << "a root went over early, the " << i << "th";
    }
    EXPECT_TRUE(post.add(term, 0, Mail::root, 0, 100, stats));
    EXPECT_TRUE(filled(0));
    u64 got[1024];
    ASSERT_EQ(post.queue(Mail::root, 0).take(term, got, 1024), 100u);
    for (u32 i = 0; i < 100; i++) ASSERT_EQ(got[i], i + 1);
    EXPECT_FALSE(filled(1)) << "the other node's stay";
    EXPECT_TRUE(post.send(term, 1, Mail::root, 0, stats));
    EXPECT_EQ(post.queue(Mail::root, 0).take(term, got, 1024), 99u);
    EXPECT_TRUE(post.send(term, 0, Mail::root, 1, stats));
    EXPECT_EQ(post.queue(Mail::root, 1).take(term, got, 1024), 49u);
    for (u32 worker : {0u, 1u})
      for (u32 node : {0u, 1u}) EXPECT_FALSE(post.send(term, worker, Mail::root, node, stats)) << "nothing is left, nothing goes over";
  }
  EXPECT_EQ(stats.flushes, 9u);
  EXPECT_EQ(stats.roots_posted, 3u * (100 + 99 + 49));
  EXPECT_EQ(Termination<Linux>::pending_of(term.look()), 0u);
  post.stop();
}

} // namespace
} // namespace garner::test
