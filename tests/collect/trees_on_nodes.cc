// Trees behind roots, made on chosen nodes, and what the four schemes do with them: who copies a tree (T2), what lies in which queue (T3, T5), and
// that the graph is the same after all of them (T8), with fewer workers than nodes too (T14).
#include <array>
#include <map>
#include <set>

#include "by_node.h"
#include "work/config.h"

namespace garner::test {
namespace {

constexpr u32 kNodes = 4, kWorkers = 8;
const std::string kEight = "workers=8,woken_per=0,join=fixed,conductor=waits,pin=rr,space_eden=fragmented,space_survivor=fragmented,";
constexpr const char* kSchemes[] = {"org", "aggressive", "hybrid", "relaxed"};
using Row = std::array<u64, kNodes>;

void on_four(const std::string& options, const std::function<void(SimHeap&)>& body) { on_sim(nodes_of_cores(kNodes, 2), kEight + options, body); }

// A binary tree behind a root of its own.
usize tree(SimHeap& heap, u32 objects) {
  const usize list = heap.mutator.cells.size();
  for (u32 i = 0; i < objects; i++) {
    heap.root(heap.node(2, 40));
    if (i != 0) heap.set(heap.at(list + (i - 1) / 2), (i - 1) % 2, heap.at(list + i));
  }
  heap.mutator.cells.truncate(list + 1);
  return list;
}

void each_below(Ref ref, const std::function<void(Ref)>& fn) {
  fn(ref);
  for (u32 k = 0; k < 2; k++)
    if (Ref child = SimHeap::get(ref, k); child.at != 0) each_below(child, fn);
}

// Roots taken, by the node of the worker that took them.
Row taken_by_node(SimHeap& heap) {
  Row taken{};
  auto& gang = heap.host.cycle->gang();
  for (u32 w = 0; w < gang.workers(); w++)
    if (gang.took_part(w)) taken[gang.node(w)] += gang.stats(w).roots_taken;
  return taken;
}

// Trees share nothing; several workers of a node work on one. A copy lies in its copier's fragment, so a tree's homes are its copiers' nodes.
TEST(TreesOnNodes, T2ATreeIsCopiedByOneNodesWorkers) {
  for (const char* scheme : kSchemes)
    on_four(std::string("scheme=") + scheme, [&](SimHeap& heap) {
      std::map<usize, u32> made_on;
      for (u32 node = 0; node < kNodes; node++) {
        move_to(heap, node);
        for (u32 i = 0; i < 5; i++) made_on[tree(heap, i == 4 ? 3000 : 30)] = node;
      }
      heap.young();
      u32 torn = 0, moved = 0;
      for (auto [cell, node] : made_on) {
        std::set<u32> copiers;
        u32 objects = 0;
        each_below(heap.at(cell), [&](Ref ref) { copiers.insert(home_of(heap, ref)), objects++; });
        EXPECT_EQ(objects % 30, 0u);
        torn += copiers.size() > 1;
        moved += *copiers.begin() != node;
      }
      EXPECT_GT(sums(heap).steals, 0u) << "every tree was one worker's: the test shows nothing";
      EXPECT_EQ(torn > 0, scheme[0] == 'o' || scheme[0] == 'r') << scheme << ": " << torn; // there anybody steals from anybody
      if (scheme[0] == 'a') EXPECT_EQ(moved, 0u);
      if (scheme[0] == 'h') EXPECT_GT(moved, 0u) << "a random node, not the tree's";
    });
}

// At the moment a task has found its roots, and has followed none of them, its worker's deque holds nothing: roots are in queues, or kept for one.
// Where roots are followed as they are found, references of theirs are there.
TEST(TreesOnNodes, T3RootsAndReferencesHaveQueuesOfTheirOwn) {
  struct Watch {
    SimHeap& heap;
    std::array<bool, kWorkers> after_task{};
    u64 tasks = 0, mixed = 0;
    static void reached(void* self, u32 worker, u32 spot, u64) {
      Watch& w = *static_cast<Watch*>(self);
      if (Spot(spot) == Spot::tracing && w.after_task[worker]) {
        w.tasks++;
        w.mixed += !w.heap.host.cycle->gang().queue(worker).empty();
      }
      w.after_task[worker] = Spot(spot) == Spot::root;
    }
  };
  for (const char* scheme : kSchemes)
    on_four(std::string("root_batch=4,scheme=") + scheme, [&](SimHeap& heap) {
      for (u32 node = 0; node < kNodes; node++) {
        move_to(heap, node);
        for (u32 i = 0; i < 20; i++) tree(heap, 40);
      }
      Watch watch{heap};
      heap.machine.watch({&Watch::reached, nullptr, &watch});
      heap.young();
      heap.machine.watch({});
      const WorkerStats sum = sums(heap);
      EXPECT_GT(watch.tasks, 20u);
      if (scheme[0] == 'o') {
        EXPECT_GT(watch.mixed, 0u);
        EXPECT_EQ(sum.roots_posted, 0u);
      } else {
        EXPECT_EQ(watch.mixed, 0u) << scheme;
        EXPECT_EQ(sum.roots_posted, 20u * kNodes) << "roots, and none of the 3120 references below them";
        EXPECT_EQ(sum.roots_taken, sum.roots_posted);
      }
    });
}

// Workers take roots of their own node's queue only, so who took how many says what lay where: as many as there are roots whose object's page is
// on that node, says the machine. The program's pages were bound, or belong to the node whose thread touched them first.
TEST(TreesOnNodes, T5ARootGoesToTheNodeOfItsPage) {
  for (const char* eden : {"fragmented", "firsttouch"})
    for (const char* lookup : {"address", "cache", "syscall,lookup_batch=1", "syscall,lookup_batch=100"})
      on_four(std::string("scheme=aggressive,space_eden=") + eden + ",node_lookup=" + lookup, [&](SimHeap& heap) {
        for (u32 node = 0; node < kNodes; node++) {
          heap.close_buffers();
          ASSERT_TRUE(heap.machine.pin(heap.self, node));
          for (u32 i = 0; i < 5u << node; i++) {
            Ref ref = heap.at(heap.root(heap.leaf(5000))); // few to a page
            heap.self.write(block_of(ref), 5000);          // the synthetic program writes its objects past the machine
          }
        }
        heap.close_buffers();
        Row roots{};
        for (auto& cell : heap.mutator.cells) roots[heap.machine.node_of_page(block_of(cell.object()))]++;
        for (u32 node = 0; node < kNodes; node++) EXPECT_NEAR(double(roots[node]), double(5u << node), 1);
        heap.young();
        EXPECT_EQ(taken_by_node(heap), roots) << eden << ", " << lookup;
        EXPECT_EQ(sums(heap).lookups, 75u);
        EXPECT_EQ(sums(heap).roots_remote, 0u);
      });
}

// All slots of all objects that are reachable, by identity.
using Graph = std::map<u32, std::vector<u32>>;
Graph graph_of(SimHeap& heap) {
  Graph graph;
  std::vector<Ref> open;
  for (auto& cell : heap.mutator.cells) open.push_back(cell.object());
  while (!open.empty()) {
    Ref ref = open.back();
    open.pop_back();
    std::vector<u32>& slots = graph[SimHeap::id(ref)];
    if (!slots.empty()) continue;
    EXPECT_TRUE(synthetic::intact(ref));
    heap.host.each_slot(ref, [&](Slot slot) {
      Ref to{load_word(slot.at)};
      slots.push_back(to.at == 0 ? 0 : SimHeap::id(to));
      if (to.at != 0) open.push_back(to);
    });
  }
  return graph;
}

// Objects on all nodes, with references to any others; many of them are reachable from several of the roots, all of whose objects are on node 2.
constexpr u32 kRoots = 30;
Graph tangle(SimHeap& heap) {
  constexpr u32 kObjects = 1500;
  Random random(5);
  for (u32 i = 0; i < kObjects; i++) {
    if (i % kRoots == 0) move_to(heap, i == 0 ? 2 : i / kRoots % kNodes);
    heap.root(heap.node(3, 8 * random.below(6)));
  }
  for (u32 i = 0; i < kObjects; i++)
    for (u32 k = 0; k < 3; k++)
      if (random.below(3) != 0) heap.set(heap.at(i), k, heap.at(random.below(kObjects)));
  heap.mutator.cells.truncate(kRoots);
  return graph_of(heap);
}

TEST(TreesOnNodes, T8TheGraphIsTheSameUnderAllSchemesAndTheQueuesAreNot) {
  Graph first;
  for (const char* scheme : kSchemes)
    on_four(std::string("queue_capacity=64,scheme=") + scheme, [&](SimHeap& heap) {
      const Graph made = tangle(heap);
      ASSERT_GT(made.size(), 1000u);
      ASSERT_EQ(heap.host.cycle->count(), 0u);
      heap.young();
      const WorkerStats sum = sums(heap);
      const Row taken = taken_by_node(heap);
      heap.young();
      heap.full();
      EXPECT_EQ(graph_of(heap), made) << scheme;
      EXPECT_EQ(heap.objects(), made.size());
      if (first.empty()) first = made;
      EXPECT_EQ(made, first);
      const bool own = scheme[0] == 'a' || scheme[0] == 'h';
      EXPECT_EQ(sum.lookups, scheme[0] == 'a' ? kRoots : 0u) << scheme;
      EXPECT_EQ(sum.roots_posted, scheme[0] == 'o' ? 0u : kRoots) << scheme;
      if (scheme[0] == 'a') EXPECT_EQ(taken, (Row{0, 0, kRoots, 0}));
      if (scheme[0] == 'h')
        for (u64 n : taken) EXPECT_GT(n, 0u);
      EXPECT_EQ(sum.roots_remote > 0, scheme[0] == 'r') << scheme;
      EXPECT_EQ(sum.steals_remote > 0, !own) << scheme;
    });
}

TEST(TreesOnNodes, T14WithFewerWorkersThanNodesTheHeapIsThatOfOrg) {
  for (u32 workers : {1u, 2u, 3u}) {
    Graph of_org;
    u64 bytes_of_org = 0;
    for (const char* scheme : kSchemes)
      on_sim(nodes_of_cores(kNodes, 2), "woken_per=0,join=fixed,space_eden=fragmented,space_survivor=fragmented,workers=" + std::to_string(workers) + ",scheme=" + scheme, [&](SimHeap& heap) {
        tangle(heap);
        heap.young();
        const WorkerStats sum = sums(heap);
        EXPECT_EQ(sum.roots_posted, sum.roots_taken) << scheme << " left a root";
        if (workers > 1) EXPECT_EQ(sum.roots_posted, scheme[0] == 'o' ? 0u : kRoots);
        const Graph graph = graph_of(heap);
        if (scheme[0] == 'o') of_org = graph, bytes_of_org = heap.last().copied;
        EXPECT_EQ(graph, of_org) << scheme << ", " << workers << " workers";
        EXPECT_EQ(heap.last().copied, bytes_of_org);
      });
  }
}

} // namespace
} // namespace garner::test
