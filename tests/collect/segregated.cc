// N23: segregated spaces: an object is copied by workers of its own node, so it never changes node; references to other nodes' objects
// travel as scan requests, none is lost, and a heap with fewer workers than nodes is refused. N24: the named configurations.
#include <map>

#include "by_node.h"

namespace garner::test {
namespace {

constexpr const char* kSegregated = "preset=segregated,workers=8,";
constexpr u32 kNodes = 4, kObjects = 3000;

// Objects on all nodes, each with two references to any others. Returns the home of each by identity.
std::map<u32, u32> tangle(SimHeap& heap, u32 nodes, u32 objects = kObjects) {
  usize root = heap.root(heap.array(objects));
  Random random(11);
  for (u32 i = 0; i < objects; i++) {
    if (i % 100 == 0) move_to(heap, i / 100 % nodes);
    heap.set(heap.at(root), i, heap.node(2, 40));
  }
  std::map<u32, u32> homes;
  for (u32 i = 0; i < objects; i++) {
    Ref one = heap.get(heap.at(root), i);
    for (u32 slot = 0; slot < 2; slot++) heap.set(one, slot, heap.get(heap.at(root), random.below(objects)));
    homes[SimHeap::id(one)] = home_of(heap, one);
  }
  return homes;
}

void check_homes(SimHeap& heap, const std::map<u32, u32>& homes, Role role) {
  u32 seen = 0;
  heap.each_object([&](Ref ref) {
    auto found = heap.host.filler(ref) ? homes.end() : homes.find(SimHeap::id(ref));
    if (found == homes.end()) return;
    seen++;
    EXPECT_EQ(heap.role(ref), role);
    EXPECT_EQ(home_of(heap, ref), found->second) << "object " << found->first << " changed node";
  });
  EXPECT_EQ(seen, homes.size());
}

TEST(Segregated, N23ObjectsNeverChangeNode) {
  for (const char* batch : {"request_batch=1", "request_batch=32", "request_batch=7,root_capacity=8,queue_capacity=8"})
    on_sim(nodes_of_cores(kNodes, 2), kSegregated + std::string("tenure_age=3,") + batch, [&](SimHeap& heap) {
      std::map<u32, u32> homes = tangle(heap, kNodes);
      for (u32 i = 0; i < 3; i++) {
        heap.young();
        check_homes(heap, homes, Role::survivor);
        WorkerStats sum = sums(heap);
        EXPECT_GT(sum.requests_sent, kObjects / 2) << "three quarters of the references lead elsewhere";
        EXPECT_EQ(sum.requests_sent, sum.requests_served);
        EXPECT_EQ(sum.steals_remote, 0u);
      }
      heap.young(); // promoted: old space is interleaved
      EXPECT_EQ(heap.objects(), kObjects + 1u);
    });
}

// Workers fall behind, wake for nothing and are switched anywhere, so inboxes stand full while everybody else is idle: no request is lost.
TEST(Segregated, N23NothingIsLostWhereInboxesAreServedLate) {
  u64 delays = 0;
  for (u64 seed = 1; seed <= 12; seed++) {
    SimConfig config = nodes_of_cores(kNodes, 2);
    config.picker = sim::Picker::seeded;
    config.seed = seed;
    config.faults.delay_one_in = 40;
    config.faults.delay_ps_max = seed % 2 == 0 ? 1'000'000 : 200'000'000;
    config.faults.storm_one_in = 100;
    on_sim(config, kSegregated + std::string(seed % 3 == 0 ? "tenure_age=3,request_batch=1" : "tenure_age=3,request_batch=32,root_capacity=8"), [&](SimHeap& heap) {
      tangle(heap, kNodes, 600);
      for (u32 i = 0; i < 2; i++) {
        heap.young();
        EXPECT_EQ(heap.objects(), 601u);
        EXPECT_GT(sums(heap).requests_sent, 300u);
        EXPECT_EQ(sums(heap).requests_sent, sums(heap).requests_served);
      }
      delays += heap.machine.faults(sim::Fault::delay);
    });
  }
  EXPECT_GT(delays, 1000u);
}

TEST(Segregated, N23OneRequestOneLockOrABatch) {
  u64 flushes[2];
  for (u32 i = 0; i < 2; i++)
    on_sim(nodes_of_cores(kNodes, 2), kSegregated + std::string(i == 0 ? "request_batch=1" : "request_batch=32"), [&](SimHeap& heap) {
      tangle(heap, kNodes);
      heap.young();
      WorkerStats sum = sums(heap);
      flushes[i] = sum.flushes;
      if (i == 0) EXPECT_EQ(sum.flushes, sum.requests_sent);
    });
  EXPECT_LT(flushes[1], flushes[0] / 4);
}

// With late join, stealing by distance, our task queue: the same, once the node's workers have come.
TEST(Segregated, N23MixesWithOurOwnSynchronisation) {
  on_sim(nodes_of_cores(kNodes, 2), "workers=8,woken_per=0,space_eden=segregated,space_survivor=segregated,victim=nearest,steal_half=on,pin=rr,scheme=aggressive",
         [&](SimHeap& heap) {
           tangle(heap, kNodes);
           for (u32 i = 0; i < 4; i++) {
             heap.young();
             EXPECT_EQ(sums(heap).requests_sent, sums(heap).requests_served);
             EXPECT_EQ(sums(heap).roots_posted, sums(heap).roots_taken);
           }
           heap.full();
           EXPECT_EQ(heap.objects(), kObjects + 1u);
         });
}

TEST(Segregated, N23FewerWorkersThanNodesIsRefused) {
  Sim machine(nodes_of_cores(kNodes, 2));
  for (u32 workers : {1u, 3u, 4u}) {
    Synthetic<Sim> host(machine, settings_of("preset=segregated,workers=" + std::to_string(workers)), {});
    EXPECT_EQ(host.start(SimHeap::roomy()), workers == 4);
  }
}

TEST(Segregated, N23LiteralExitIsRefused) {
  for (const char* text : {"preset=segregated,term_exit=literal", "preset=ps,space_survivor=segregated", "preset=ps,scheme=hybrid", "preset=org,scheme=relaxed"}) {
    Settings settings;
    EXPECT_TRUE(settings.parse(text)) << settings.error();
    ASSERT_NE(settings.illegal(), nullptr) << text;
    EXPECT_NE(std::string(settings.illegal()->sentence).find("queues per node"), std::string::npos);
  }
  Settings settings;
  EXPECT_FALSE(settings.parse("space_old=segregated")) << "old space is never segregated";
}

TEST(Presets, N24NamedConfigurations) {
  struct Row { const char *name, *eden, *survivor, *old, *queue, *sync, *scheme; };
  const Row rows[] = {
    {"ps", "firsttouch", "firsttouch", "firsttouch", "monitor", "monitor", "org"},
    {"interleaved", "interleaved", "interleaved", "interleaved", "monitor", "monitor", "org"},
    {"fragmented", "fragmented", "fragmented", "interleaved", "monitor", "monitor", "org"},
    {"segregated", "segregated", "segregated", "interleaved", "monitor", "monitor", "org"},
    {"naps", "fragmented", "fragmented", "interleaved", "msqueue", "futex", "org"},
    {"ps_fragopt", "fragmented_hotspot", "fragmented_hotspot", "firsttouch", "monitor", "monitor", "org"},
    {"org", "interleaved", "interleaved", "interleaved", "monitor", "monitor", "org"},
    {"aggressive", "interleaved", "interleaved", "interleaved", "monitor", "monitor", "aggressive"},
    {"hybrid", "interleaved", "interleaved", "interleaved", "monitor", "monitor", "hybrid"},
    {"relaxed", "interleaved", "interleaved", "interleaved", "monitor", "monitor", "relaxed"},
  };
  for (const Row& row : rows) {
    Settings settings;
    ASSERT_TRUE(settings.parse((std::string("preset=") + row.name).c_str()));
    EXPECT_EQ(settings.illegal(), nullptr) << row.name;
    auto is = [&](Opt option, const char* value) {
      char text[Settings::kTextBytes];
      settings.print(option, text, sizeof text);
      EXPECT_STREQ(text, value) << row.name;
    };
    is(Opt::space_eden, row.eden), is(Opt::space_survivor, row.survivor), is(Opt::space_old, row.old);
    is(Opt::task_queue, row.queue), is(Opt::sync, row.sync), is(Opt::scheme, row.scheme);
    on_sim(nodes_of_cores(kNodes, 2), std::string("workers=8,preset=") + row.name, [&](SimHeap& heap) {
      tangle(heap, 1);
      heap.young();
      heap.young();
      heap.full();
      EXPECT_EQ(heap.objects(), kObjects + 1u) << row.name;
    });
  }
  on_sim(nodes_of_cores(kNodes, 2), "workers=8,preset=ps,term_exit=count_only,sync=futex,task_queue=msqueue", [&](SimHeap& heap) { // not in the paper
    tangle(heap, kNodes);
    heap.young();
    EXPECT_EQ(heap.objects(), kObjects + 1u);
  });
}

} // namespace
} // namespace garner::test
