// What a sink that asks for details is told of a collection by node and by worker, on a simulated machine of four nodes: N27, T15. The sums are those
// that the collector itself and the heap know.
#include <map>
#include <numeric>

#include "by_node.h"

namespace garner::test {
namespace {

constexpr u32 kNodes = 4;
const std::string kEight = "workers=8,woken_per=0,join=fixed,conductor=waits,pin=rr,tenure=fixed,space_eden=fragmented,space_survivor=fragmented,space_old=fragmented,";

using Row = std::vector<u64>;
struct SpansSeen { u32 worker, node; Row total; std::vector<Span> spans; };
struct Told {
  std::vector<Row> distances = std::vector<Row>(kNodes), steals = std::vector<Row>(kNodes, Row(kNodes)), locality = std::vector<Row>(kNodes, Row(kNodes));
  std::map<SpaceKind, Row> held;
  std::map<SpaceKind, std::vector<Row>> accesses, bytes;
  std::vector<SpansSeen> spans;
  u64 stolen = 0, unknown = 0, asked = 0;
  bool ended = false;

  void clear() { *this = Told(); }
  static void receive(void* self, EventId id, const void* payload) {
    Told& told = *static_cast<Told*>(self);
    switch (id) {
      case EventId::node_distances: told.take(told.distances, *static_cast<const NodeDistances*>(payload), static_cast<const NodeDistances*>(payload)->to); break;
      case EventId::steals: told.take(told.steals, *static_cast<const Steals*>(payload), static_cast<const Steals*>(payload)->from); break;
      case EventId::locality: told.take(told.locality, *static_cast<const NodeLocality*>(payload), static_cast<const NodeLocality*>(payload)->objects); break;
      case EventId::node_bytes: {
        const auto& space = *static_cast<const NodeBytes*>(payload);
        told.held[space.space].assign(space.bytes, space.bytes + space.nodes);
        told.unknown += space.unknown, told.asked += space.asked;
        break;
      }
      case EventId::node_uses: {
        const auto& row = *static_cast<const NodeUses*>(payload);
        told.accesses[row.space].resize(kNodes, Row(kNodes));
        told.bytes[row.space].resize(kNodes, Row(kNodes));
        told.take(told.accesses[row.space], row, row.accesses);
        told.take(told.bytes[row.space], row, row.bytes);
        break;
      }
      case EventId::spans: {
        const auto& line = *static_cast<const WorkerSpans*>(payload);
        EXPECT_LE(line.count, kSpansAtOnce);
        told.spans.push_back({line.worker, line.node, Row(line.total_ns, line.total_ns + kActivities), {line.spans, line.spans + line.count}});
        break;
      }
      case EventId::worker_phase: told.stolen += static_cast<const WorkerPhase*>(payload)->stats->steals; break;
      case EventId::cycle_begin: told.ended = false; break;
      case EventId::cycle_end: told.ended = true; break;
      default: break;
    }
    EXPECT_FALSE(told.ended && id != EventId::cycle_end) << "a collection's records stand before its end";
  }
  template <class Payload> void take(std::vector<Row>& rows, const Payload& one, const u64* values) {
    ASSERT_LT(one.node, kNodes);
    EXPECT_EQ(one.nodes, kNodes);
    rows[one.node].assign(values, values + one.nodes);
  }
  u64 all(const std::vector<Row>& rows) const {
    u64 sum = 0;
    for (const Row& row : rows)
      for (u64 v : row) sum += v;
    return sum;
  }
};

void told_on_four(const std::string& options, Detail detail, const std::function<void(SimHeap&, Told&)>& body, u32 nodes = kNodes) {
  Told told;
  on_sim(nodes_of_cores(nodes, 2), kEight + options, [&](SimHeap& heap) {
    ASSERT_TRUE(heap.host.cycle->emitter().add({&Told::receive, &told, detail}));
    body(heap, told);
  });
}

void chains_on_nodes(SimHeap& heap, u32 each, u32 length) {
  for (u32 node = 0; node < kNodes; node++) {
    move_to(heap, node);
    for (u32 i = 0; i < each; i++) chain(heap, length);
  }
}

// A reference that a worker follows is one access where the object is; a copy is its bytes there and where it goes.
TEST(Details, N27UsesByNodeAreWhatWasCopied) {
  for (const char* scheme : {"scheme=org", "scheme=aggressive", "scheme=relaxed"})
    told_on_four(scheme, Detail::full, [&](SimHeap& heap, Told& told) {
      chains_on_nodes(heap, 6, 50);
      heap.close_buffers();
      Row eden(kNodes);
      heap.heap().each_region([&](u32 index, auto& r) { eden[heap.heap().home(index)] += r.top.load_relaxed() - heap.heap().begin_of(index); });
      heap.young();
      EXPECT_EQ(told.held[SpaceKind::eden], eden);
      EXPECT_EQ(told.unknown + told.asked, 0u) << "addresses tell it";
      const u64 objects = kNodes * 6 * 50, copied = heap.last().copied;
      EXPECT_EQ(told.all(told.accesses[SpaceKind::eden]), objects);
      EXPECT_EQ(told.all(told.bytes[SpaceKind::eden]), copied);
      EXPECT_EQ(told.all(told.accesses[SpaceKind::to]), objects);
      EXPECT_EQ(told.all(told.bytes[SpaceKind::to]), copied);
      for (u32 n = 0; n < kNodes; n++)
        for (u32 m = 0; m < kNodes; m++) {
          if (n == m) continue;
          EXPECT_EQ(told.bytes[SpaceKind::to][n][m], 0u) << "copies are fragmented";
          if (std::string(scheme) == "scheme=aggressive") EXPECT_EQ(told.accesses[SpaceKind::eden][n][m], 0u) << "chains are followed on their node";
        }
      told.clear();
      heap.young();
      EXPECT_EQ(told.all(told.bytes[SpaceKind::from]), heap.last().promoted);
      EXPECT_EQ(told.all(told.bytes[SpaceKind::old]), heap.last().promoted);
      told.clear();
      heap.full();
      u64 old = 0;
      for (u64 v : told.held[SpaceKind::old]) old += v;
      EXPECT_GE(old, copied);
    });
}

// Workers steal from all. With fragmented survivors nobody writes a copy on another node, and each node's workers copy their share, within a fifth;
// where all of eden is on one node, that node's are nearer to it and copy a little more.
TEST(Details, N20T11CopiesGoToTheCopiersNodeAndEachNodeMakesItsShare) {
  struct Case { const char *eden, *survivors; bool local; double apart; };
  for (const Case& c : {Case{"interleaved", "naps.space.survivor=fragmented", true, 0.2}, Case{"interleaved", "topo.plab=node_local", true, 0.2},
                        Case{"fragmented", "naps.space.survivor=fragmented", true, 0.3}, Case{"interleaved", "topo.plab=os_interleave", false, 0.2}})
    told_on_four(std::string("scheme=org,space_eden=") + c.eden + "," + c.survivors, Detail::full, [&](SimHeap& heap, Told& told) {
      usize root = heap.root(heap.array(8000)); // eden fragmented: on node 0, all of it
      for (usize i = 0; i < 8000; i++) heap.set(heap.at(root), i, heap.node(1, 64));
      heap.young();
      u64 near = 0;
      for (u32 n = 0; n < kNodes; n++) {
        const Row& row = told.bytes[SpaceKind::to][n];
        const double made = double(std::accumulate(row.begin(), row.end(), u64(0))), share = double(heap.last().copied) / kNodes;
        EXPECT_NEAR(made, share, c.apart * share) << c.eden << ", " << c.survivors << ", node " << n;
        near += row[n];
      }
      EXPECT_GT(told.stolen, 20u);
      if (c.local) EXPECT_EQ(near, heap.last().copied) << c.survivors;
      else EXPECT_LT(near, heap.last().copied / 2) << c.survivors;
    });
}

// Three quarters of the references lead to other nodes. In segregated spaces they are followed there, and nobody reads or copies an object of another node.
TEST(Details, N23NobodyTouchesAnotherNodesYoungObjects) {
  for (const char* spaces : {"segregated", "fragmented"})
    told_on_four(std::string("scheme=org,tenure_age=3,space_eden=") + spaces + ",space_survivor=" + spaces, Detail::full, [&](SimHeap& heap, Told& told) {
      constexpr u32 kObjects = 1200;
      usize root = heap.root(heap.array(kObjects));
      Random random(11);
      for (u32 i = 0; i < kObjects; i++) {
        if (i % 100 == 0) move_to(heap, i / 100 % kNodes);
        heap.set(heap.at(root), i, heap.node(2, 40));
      }
      for (u32 i = 0; i < kObjects; i++)
        for (u32 slot = 0; slot < 2; slot++) heap.set(SimHeap::get(heap.at(root), i), slot, SimHeap::get(heap.at(root), random.below(kObjects)));
      const bool segregated = spaces[0] == 's';
      for (SpaceKind from : {SpaceKind::eden, SpaceKind::from}) {
        told.clear();
        heap.young();
        for (SpaceKind space : {from, SpaceKind::to}) {
          u64 far = 0;
          for (u32 n = 0; n < kNodes; n++)
            for (u32 m = 0; m < kNodes; m++)
              if (n != m) far += told.bytes[space][n][m] + (space == from ? told.accesses[space][n][m] : 0);
          if (segregated) EXPECT_EQ(far, 0u) << name_of(space);
          else if (space == from) EXPECT_GT(far, 0u) << "nobody ever left his node: the test shows nothing";
        }
        EXPECT_GE(told.all(told.accesses[from]), u64(kObjects));
        EXPECT_EQ(sums(heap).requests_sent > kObjects, segregated);
      }
    });
}

TEST(Details, N27PagesOfFirstTouchAreAskedFor) {
  told_on_four("space_eden=firsttouch", Detail::full, [](SimHeap& heap, Told& told) {
    for (u32 i = 0; i < 12000; i++) heap.root(heap.node(1, 64));
    heap.close_buffers();
    u64 all = 0;
    heap.heap().each_region([&](u32 index, auto& r) {
      all += r.top.load_relaxed() - heap.heap().begin_of(index);
      heap.self.write(heap.heap().begin_of(index), r.top.load_relaxed() - heap.heap().begin_of(index)); // the program's writes pass the machine by
    });
    const u32 here = heap.self.node;
    heap.young();
    EXPECT_GT(told.asked, 100u);
    EXPECT_LE(told.asked, 256u);
    EXPECT_EQ(told.unknown, 0u);
    EXPECT_NEAR(double(told.held[SpaceKind::eden][here]), double(all), double(all) / 20) << "all of it on the node of the thread that wrote it";
    for (u32 n = 0; n < kNodes; n++)
      if (n != here) EXPECT_EQ(told.held[SpaceKind::eden][n], 0u);
  });
}

TEST(Details, StealsByNodeAreThoseOfTheWorkers) {
  told_on_four("scheme=org,queue_capacity=64", Detail::full, [](SimHeap& heap, Told& told) {
    usize root = heap.root(heap.array(4000));
    for (usize i = 0; i < 4000; i++) heap.set(heap.at(root), i, heap.node(1, 64));
    heap.young();
    EXPECT_GT(told.stolen, 0u);
    EXPECT_EQ(told.all(told.steals), told.stolen);
    for (u32 n = 0; n < kNodes; n++) {
      ASSERT_EQ(told.distances[n].size(), kNodes);
      for (u32 m = 0; m < kNodes; m++)
        if (m != n) EXPECT_LT(told.distances[n][n], told.distances[n][m]);
    }
  });
}

TEST(Details, SpansOfAWorkerFollowEachOtherWithinThePause) {
  for (const char* options : {"scheme=org", "join=late,conductor=works", "preset=ps,woken_per=0"})
    told_on_four(options, Detail::full, [&](SimHeap& heap, Told& told) {
      for (Kind kind : {Kind::young1, Kind::full}) {
        told.clear();
        chains_on_nodes(heap, 6, 200);
        usize root = heap.root(heap.array(3000));
        for (usize i = 0; i < 3000; i++) heap.set(heap.at(root), i, heap.node(1, 64));
        heap.collect(kind);
        const CycleEnd end = heap.last();
        std::map<u32, u64> last;
        std::map<u32, Row> sums;
        for (const SpansSeen& line : told.spans) {
          sums[line.worker].resize(kActivities);
          for (const Span& span : line.spans) {
            EXPECT_GE(span.begin_ns, std::max(last[line.worker], end.start_ns)) << options;
            EXPECT_LT(span.begin_ns, span.end_ns);
            EXPECT_LE(span.end_ns, end.start_ns + end.pause_ns);
            last[line.worker] = span.end_ns;
            sums[line.worker][u8(span.what)] += span.end_ns - span.begin_ns;
          }
        }
        EXPECT_EQ(sums.size(), 8u) << options << ": every worker has a record";
        u64 copying = 0, rooting = 0;
        for (const SpansSeen& line : told.spans) {
          u64 total = 0, shown = 0;
          for (u32 i = 0; i < kActivities; i++) total += line.total[i], shown += sums[line.worker][i];
          EXPECT_EQ(total, shown) << "joining spans loses no time";
          copying += line.total[u8(Activity::copies)], rooting += line.total[u8(Activity::roots)];
        }
        EXPECT_GT(copying, 0u);
        EXPECT_GT(rooting, 0u);
      }
    });
}

// T15: two chains begin on node 1; the second goes on on node 3. One object hangs on both and counts once.
TEST(Details, T15LocalityIsWhereObjectsBelowARootLie) {
  told_on_four("", Detail::roots, [](SimHeap& heap, Told& told) {
    move_to(heap, 1);
    usize first = chain(heap, 10), second = chain(heap, 20);
    Ref last = heap.at(second);
    while (SimHeap::get(last, 0).at != 0) last = SimHeap::get(last, 0);
    move_to(heap, 3);
    for (u32 i = 0; i < 30; i++) {
      Ref next = heap.node(1, 40);
      heap.set(last, 0, next);
      last = next;
    }
    Ref end = heap.at(first);
    while (SimHeap::get(end, 0).at != 0) end = SimHeap::get(end, 0);
    heap.set(end, 0, last); // the last of the 30 hangs on the first chain too
    heap.young();
    EXPECT_EQ(told.locality, (std::vector<Row>{{0, 0, 0, 0}, {0, 30, 0, 30}, {0, 0, 0, 0}, {0, 0, 0, 0}}));
    told.clear();
    heap.young();
    EXPECT_EQ(told.all(told.locality), 60u) << "the table of marks was left clear, and survivors are followed too";
    heap.full();
    EXPECT_EQ(heap.objects(), 60u);
  });
}

TEST(Details, WhoDoesNotAskIsToldNothingAndNothingIsKept) {
  told_on_four("scheme=org", Detail::plain, [](SimHeap& heap, Told& told) {
    chains_on_nodes(heap, 6, 50);
    heap.young();
    EXPECT_TRUE(told.spans.empty() && told.held.empty() && told.accesses.empty());
    EXPECT_EQ(heap.host.cycle->gang().timeline(0), nullptr);
    EXPECT_EQ(heap.host.cycle->collecting(0).uses, nullptr);
    EXPECT_FALSE(heap.heap().page_nodes().started());
  });
}

TEST(Details, OneNodeHasSpansOnly) {
  Told told;
  SmallHeap heap("workers=3,woken_per=0");
  ASSERT_TRUE(heap.host.cycle->emitter().add({&Told::receive, &told, Detail::roots}));
  heap.root(heap.node(3));
  heap.young();
  EXPECT_FALSE(told.spans.empty());
  if (heap.machine.nodes() == 1) EXPECT_TRUE(told.held.empty() && told.accesses.empty() && told.distances[0].empty());
}

} // namespace
} // namespace garner::test
