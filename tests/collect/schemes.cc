// The four schemes of handing roots out, on a simulated machine of four nodes. T1 T2 T3 T5 T6 T7 T8 T9 T11 T12 T14 T16.
#include <array>
#include <map>

#include "by_node.h"

namespace garner::test {
namespace {

constexpr u32 kNodes = 4, kWorkers = 8;
const std::string kEight = "workers=8,woken_per=0,join=fixed,conductor=waits,pin=rr,space_eden=fragmented,space_survivor=fragmented,";

void on_four(const std::string& options, const std::function<void(SimHeap&)>& body) { on_sim(nodes_of_cores(kNodes, 2), kEight + options, body); }

// Chains on every node, each behind a root. Cells by node.
std::vector<usize> chains_on_nodes(SimHeap& heap, u32 each, u32 length) {
  std::vector<usize> cells;
  for (u32 node = 0; node < kNodes; node++) {
    move_to(heap, node);
    for (u32 i = 0; i < each; i++) cells.push_back(chain(heap, length));
  }
  return cells;
}

// The synthetic program writes its objects past the machine: charges what it wrote, so that pages have nodes.
void touch_all(SimHeap& heap) {
  heap.heap().each_region([&](u32 index, auto& r) { heap.self.write(heap.heap().begin_of(index), r.top.load_relaxed() - heap.heap().begin_of(index)); });
}

void wide_graph(SimHeap& heap, usize width) {
  usize root = heap.root(heap.array(width));
  for (usize i = 0; i < width; i++) heap.set(heap.at(root), i, heap.node(1, 64));
}

TEST(Schemes, T1OrgKeepsRootsWithTheFinderAndStealsFromAll) {
  on_four("scheme=org", [](SimHeap& heap) {
    wide_graph(heap, 4000);
    heap.young();
    WorkerStats sum = sums(heap);
    EXPECT_EQ(sum.roots_posted + sum.lookups, 0u);
    EXPECT_GT(sum.steals_remote, 0u);
  });
}

// T2, T5, T11: what hangs on a root is copied by workers of the root's node, from buffers of that node.
TEST(Schemes, T2T11AggressiveKeepsWhatHangsTogetherOnItsNode) {
  for (const char* lookup : {"node_lookup=address", "node_lookup=cache", "node_lookup=syscall,lookup_batch=1", "topo.node_lookup=syscall"})
    on_four("topo.scheme=aggressive," + std::string(lookup), [&](SimHeap& heap) {
      std::vector<usize> cells = chains_on_nodes(heap, 6, 50);
      touch_all(heap);
      heap.young();
      for (usize i = 0; i < cells.size(); i++) {
        u32 length = 0;
        for (Ref ref = heap.at(cells[i]); ref.at != 0; ref = SimHeap::get(ref, 0), length++)
          ASSERT_EQ(home_of(heap, ref), i / 6) << lookup << ": chain " << i;
        EXPECT_EQ(length, 50u);
      }
      WorkerStats sum = sums(heap);
      EXPECT_EQ(sum.lookups, cells.size()) << "T5: one for each root";
      EXPECT_EQ(sum.roots_posted, cells.size()) << "T3: roots, and nothing else";
      EXPECT_EQ(sum.roots_taken, cells.size());
      EXPECT_EQ(sum.roots_remote, 0u);
    });
}

TEST(Schemes, T5WhatALookupCosts) {
  std::map<std::string, u64> calls;
  for (const char* options : {"aggressive,node_lookup=address", "aggressive,node_lookup=cache", "aggressive,node_lookup=syscall,lookup_batch=1",
                              "aggressive,node_lookup=syscall,lookup_batch=100", "hybrid", "relaxed"})
    on_four(std::string("root_batch=65536,scheme=") + options, [&](SimHeap& heap) {
      chains_on_nodes(heap, 100, 2);
      touch_all(heap);
      heap.young();
      EXPECT_EQ(sums(heap).lookups, options[0] == 'a' ? 400u : 0u) << options;
      calls[options] = sums(heap).lookup_calls;
    });
  EXPECT_EQ(calls["aggressive,node_lookup=address"], 0u);
  EXPECT_EQ(calls["aggressive,node_lookup=syscall,lookup_batch=1"], 400u);
  EXPECT_EQ(calls["aggressive,node_lookup=syscall,lookup_batch=100"], 4u);
  EXPECT_GT(calls["aggressive,node_lookup=cache"], 0u);
  EXPECT_LT(calls["aggressive,node_lookup=cache"], 40u) << "neighbouring pages are asked for together, once";
  EXPECT_EQ(calls["hybrid"] + calls["relaxed"], 0u);
}

// T6: 99 roots are handed over at the task's end, 100 at once; nothing is left.
TEST(Schemes, T6RootsGoOverByTheHundred) {
  for (auto [roots, flushes] : {std::pair{1u, 1u}, {99u, 1u}, {100u, 1u}, {101u, 2u}, {1000u, 10u}})
    on_sim(nodes_of_cores(1, 4), "workers=4,woken_per=0,join=fixed,root_batch=65536,topo.scheme=hybrid,topo.flush_threshold=100", [&, roots = roots, flushes = flushes](SimHeap& heap) {
      for (u32 i = 0; i < roots; i++) heap.root(heap.leaf());
      heap.young();
      WorkerStats sum = sums(heap);
      EXPECT_EQ(sum.flushes, flushes) << roots << " roots";
      EXPECT_EQ(sum.roots_posted, roots);
      EXPECT_EQ(sum.roots_taken, roots);
    });
}

// T7, T8: whose roots and whose references.
TEST(Schemes, T7T8WhoTakesWhat) {
  for (auto [options, steals_far, roots_far] : {std::tuple{"scheme=org", true, false}, {"scheme=aggressive", false, false}, {"scheme=hybrid", false, false},
                                                {"scheme=relaxed", true, true}, {"scheme=hybrid,topo.hybrid_root_take=any", false, true}}) {
    u64 remote_steals = 0, remote_roots = 0;
    on_four(options, [&](SimHeap& heap) {
      for (u32 round = 0; round < 4; round++) {
        heap.drop_roots();
        wide_graph(heap, 2500); // one root: everybody else must steal, if they may
        heap.young();
        remote_steals += sums(heap).steals_remote;
        heap.drop_roots();
        chains_on_nodes(heap, 30, 1 + 40 * round); // many roots of uneven size
        heap.young();
        remote_roots += sums(heap).roots_remote;
        EXPECT_EQ(sums(heap).roots_posted, sums(heap).roots_taken);
      }
      heap.full();
      EXPECT_EQ(heap.objects(), 30u * kNodes * 121) << options;
    });
    EXPECT_EQ(remote_steals > 0, steals_far) << options;
    EXPECT_EQ(remote_roots > 0, roots_far) << options;
  }
}

// Roots taken, by the node of the worker that took them.
std::array<u64, kNodes> taken_by_node(SimHeap& heap) {
  std::array<u64, kNodes> taken{};
  auto& gang = heap.host.cycle->gang();
  for (u32 w = 0; w < kWorkers; w++) taken[gang.node(w)] += gang.stats(w).roots_taken;
  return taken;
}

// T9: roots on cards go anywhere, although all their objects are on node 2. T16: the same when cards are a phase of their own.
TEST(Schemes, T9RootsOnCardsGoToRandomNodes) {
  for (const char* phase : {"card_phase=fused", "card_phase=apart"})
    for (const char* o2y : {"topo.o2y=random", "topo.o2y=home"})
      on_four(std::string("topo.scheme=aggressive,") + phase + "," + o2y, [&](SimHeap& heap) {
        usize root = heap.root(heap.array(4000));
        heap.young();
        heap.young();
        ASSERT_EQ(heap.role(heap.at(root)), Role::old);
        move_to(heap, 2);
        for (usize i = 0; i < 4000; i++) heap.set(heap.at(root), i, heap.leaf());
        heap.young();
        std::array<u64, kNodes> taken = taken_by_node(heap);
        EXPECT_EQ(taken[0] + taken[1] + taken[2] + taken[3], 4000u);
        for (u32 n = 0; n < kNodes; n++) {
          if (o2y[9] == 'h') EXPECT_EQ(taken[n], n == 2 ? 4000u : 0u) << phase;
          else EXPECT_NEAR(double(taken[n]), 1000, 150) << phase; // binomial: a standard deviation of 27
        }
      });
}

// T12: eden's pages under the three policies of the paper, by their names there.
TEST(Schemes, T12AllocationBuffers) {
  for (auto [policy, expect] : {std::pair{"os_firsttouch", 0}, {"os_interleave", 1}, {"node_local", 2}})
    on_sim(nodes_of_cores(kNodes, 2), std::string("topo.tlab=") + policy, [&, expect = expect](SimHeap& heap) {
      move_to(heap, 3); // asks for buffers as a thread of node 3, touches as the thread of node 0 that it is
      for (u32 i = 0; i < 4000; i++) heap.leaf(256);
      std::array<u64, kNodes> pages{};
      u64 all = 0;
      heap.close_buffers();
      heap.heap().each_region([&](u32 index, auto& r) {
        word begin = heap.heap().begin_of(index), top = r.top.load_relaxed();
        heap.machine.current_node();
        heap.self.write(begin, top - begin);
        for (word at = begin; at < top; at += kPageBytes) pages[heap.machine.node_of_page(at)]++, all++;
      });
      ASSERT_GT(all, 200u);
      u32 toucher = heap.machine.current_node();
      if (expect == 0) EXPECT_GT(pages[toucher] * 10, all * 9);
      if (expect == 1)
        for (u64 n : pages) EXPECT_NEAR(double(n), double(all) / kNodes, 2);
      if (expect == 2) EXPECT_GT(pages[3] * 10, all * 9);
    });
}

// T14: two workers on two of four nodes: roots whose home has no worker are the nearest one's; nothing is lost.
TEST(Schemes, T14NodesWithoutWorkers) {
  for (const char* join : {"join=fixed", "join=late"})
    for (const char* scheme : {"org", "aggressive", "hybrid", "relaxed"})
      for (u32 workers : {1u, 2u, 3u})
        on_sim(nodes_of_cores(kNodes, 2), "woken_per=0,space_eden=fragmented,space_survivor=fragmented,workers=" + std::to_string(workers) + "," + join + ",scheme=" + scheme,
               [&](SimHeap& heap) {
                 chains_on_nodes(heap, 20, 30);
                 heap.young();
                 EXPECT_EQ(sums(heap).roots_posted, sums(heap).roots_taken);
                 heap.full();
                 EXPECT_EQ(heap.objects(), 20u * kNodes * 30) << scheme << " " << workers << " " << join;
               });
}

// T16: finding roots on cards is a phase with a time of its own. It grows with what is dirty. The paper's collector looks at every card, so that its time grows
// with old space; here regions of clean cards are passed over whole.
TEST(Schemes, T16CardsAreATimedPhase) {
  struct Case { u32 arrays, dirty; u64 ns; };
  Case cases[] = {{0, 0, 0}, {4, 4, 0}, {400, 4, 0}, {40, 40, 0}};
  for (Case& one : cases)
    on_sim(nodes_of_cores(kNodes, 2), "card_phase=apart", [&](SimHeap& heap) { // one worker: the work is the time
      for (u32 i = 0; i < one.arrays; i++) heap.root(heap.array(4000));
      heap.young();
      heap.young();
      for (u32 i = 0; i < one.dirty; i++)
        for (usize k = 0; k < 4000; k += 16) heap.set(heap.at(i), k, heap.leaf());
      heap.young();
      one.ns = heap.last().cards_ns;
      EXPECT_LE(heap.last().cards_ns, heap.last().pause_ns);
    });
  EXPECT_LT(cases[0].ns, cases[1].ns);
  EXPECT_LE(cases[1].ns, cases[2].ns + cases[1].ns / 100) << "a hundred times the old space"; // but for where its regions lie
  EXPECT_LT(cases[2].ns, 2 * cases[1].ns) << "clean regions are looked at card by card";
  EXPECT_LT(3 * cases[1].ns, cases[3].ns);
}

// All roots on one node. Without the last resort the others must not help (T7); with it they take whole roots.
TEST(Schemes, T7LastResortTakesWholeRootsOfOtherNodes) {
  for (const char* join : {"join=fixed", "join=late"})
    for (u32 us : {0u, 1u})
      on_four(std::string("scheme=aggressive,") + join + ",last_resort=" + std::to_string(us), [&](SimHeap& heap) {
        move_to(heap, 1);
        for (u32 i = 0; i < 100; i++) chain(heap, 60);
        heap.young();
        EXPECT_EQ(sums(heap).steals_remote, 0u) << "interior references stay";
        if (us == 0 && join[5] == 'f') EXPECT_EQ(sums(heap).roots_remote, 0u);
        if (us != 0) EXPECT_GT(sums(heap).roots_remote, 10u);
        EXPECT_EQ(heap.last().copied, 100u * 60 * 72);
      });
}

TEST(Schemes, T7VictimsByDistanceN9HalfOfWhatIsThere) {
  WorkerStats with[3];
  u32 at = 0;
  for (const char* options : {"victim=random,steal_half=off", "topo.victim=nearest,steal_half=off", "victim=nearest"})
    on_four(options, [&](SimHeap& heap) {
      for (u32 i = 0; i < kNodes; i++) wide_graph(heap, 2000); // several workers have something
      heap.young();
      with[at++] = sums(heap);
      EXPECT_EQ(heap.last().copied, 4 * (2000 * (24 + 8 + 64) + 24 + 16000u));
    });
  auto far = [](const WorkerStats& s) { return double(s.steals_remote) / double(s.steals); };
  EXPECT_LT(far(with[1]), far(with[0]));
  EXPECT_LT(with[2].steals, with[1].steals);
}

} // namespace
} // namespace garner::test
