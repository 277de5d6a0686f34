// collect.by_place: what waits in very great numbers to be looked at is given place by place; nothing is lost on the way, and where there is no room for it deques take it.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "collect/by_place.h"
#include "small_heap.h"

namespace garner::test {
namespace {

constexpr word kBase = word(1) << 32;
constexpr usize kPlace = 512 * KiB, kPlaces = 16, kSpan = kPlaces * kPlace;
constexpr u32 kFull = ~u32(0); // of a deque that has no room for more

std::vector<Ref> some_objects(usize count, u64 seed) {
  std::vector<Ref> refs(count);
  for (usize i = 0; i < count; i++) refs[i] = Ref{kBase + (i * (kSpan / count) & ~usize(7)) + kHeadBytes};
  std::shuffle(refs.begin(), refs.end(), std::mt19937_64(seed));
  return refs;
}

std::vector<Ref> batch_of(ByPlace& waiting) {
  std::vector<Ref> batch;
  waiting.next([&](Ref ref) { batch.push_back(ref); });
  return batch;
}

u64 place_of(Ref ref) { return (ref.at - kBase) / kPlace; }

TEST(ByPlaceLists, N13GiveEachObjectOnceABatchFromOnePlaceRoundAndRound) {
  ByPlace waiting;
  waiting.start(kBase, kSpan, kSpan, 100);
  EXPECT_FALSE(waiting.wants(99));
  EXPECT_TRUE(waiting.wants(100));
  std::vector<Ref> refs = some_objects(40000, 3), given;
  for (Ref ref : refs) ASSERT_TRUE(waiting.put(ref, kFull));
  EXPECT_TRUE(waiting.wants(0)) << "as long as any wait here the next ones do";
  u64 moves = 0, last = 0;
  for (std::vector<Ref> batch; !(batch = batch_of(waiting)).empty();) {
    EXPECT_GT(batch.size(), 1u);
    for (Ref ref : batch) ASSERT_EQ(place_of(ref), place_of(batch.front()));
    moves += place_of(batch.front()) != last;
    last = place_of(batch.front());
    given.insert(given.end(), batch.begin(), batch.end());
  }
  EXPECT_EQ(moves, kPlaces - 1) << "a place is left when it has none";
  auto less = [](Ref a, Ref b) { return a.at < b.at; };
  std::sort(refs.begin(), refs.end(), less);
  std::sort(given.begin(), given.end(), less);
  ASSERT_EQ(given.size(), refs.size());
  for (usize i = 0; i < refs.size(); i++) ASSERT_EQ(given[i].at, refs[i].at);
  EXPECT_FALSE(waiting.wants(99));
  EXPECT_TRUE(batch_of(waiting).empty());
}

// A run of neighbours has its place in a deque, as long as there is room in it.
TEST(ByPlaceLists, N13LeaveRunsToADequeThatIsNotThreeQuartersFull) {
  ByPlace waiting;
  for (u32 in_deque : {100u, 299u, 300u, kFull}) {
    waiting.start(kBase, kSpan, kSpan, 100);
    u32 runs = 0, scattered = 0;
    for (word at = kBase; at < kBase + kSpan; at += 64) runs += waiting.put(Ref{at + kHeadBytes}, in_deque);
    EXPECT_EQ(runs, in_deque < 300 ? kPlaces : kSpan / 64) << in_deque;
    for (word at = kBase; at < kBase + kPlace; at += 64) // one after the other in two places
      for (word place : {word(0), word(kPlace)}) scattered += waiting.put(Ref{at + place + kHeadBytes}, in_deque);
    EXPECT_EQ(scattered, 2 * kPlace / 64) << in_deque;
    while (waiting.next([](Ref) {})) {}
  }
}

// What comes meanwhile for the place that is being given from is given before the next place's; the first and the last word of a place are in it.
TEST(ByPlaceLists, N13StayWithAPlaceAsLongAsAnyComeForIt) {
  ByPlace waiting;
  waiting.start(kBase, kSpan, kSpan, 1);
  const Ref first{kBase + 3 * kPlace}, last{kBase + 4 * kPlace - kWordBytes}, beyond{kBase + 4 * kPlace};
  for (Ref ref : {beyond, first}) ASSERT_TRUE(waiting.put(ref, kFull));
  EXPECT_EQ(batch_of(waiting).at(0).at, first.at);
  ASSERT_TRUE(waiting.put(last, kFull));
  EXPECT_EQ(batch_of(waiting).at(0).at, last.at);
  ASSERT_TRUE(waiting.put(first, kFull));
  EXPECT_EQ(batch_of(waiting).at(0).at, first.at);
  EXPECT_EQ(batch_of(waiting).at(0).at, beyond.at);
}

TEST(ByPlaceLists, N13TakeNoMoreThanTheyMayAndGiveItBack) {
  ByPlace waiting;
  const usize before = list_bytes();
  for (usize most : {usize(0), usize(64), usize(64 * KiB)}) {
    waiting.start(kBase, kSpan, most, 1);
    usize put = 0;
    for (Ref ref : some_objects(200000, 5)) put += waiting.put(ref, kFull);
    if (most < KiB) EXPECT_EQ(put, 0u) << most;
    else EXPECT_GT(put, 10000u);
    EXPECT_LE(put * sizeof(u16), most);
    EXPECT_LE(list_bytes() - before, max_of<usize>(most, kPageBytes));
    while (waiting.next([](Ref) {})) {}
    EXPECT_EQ(waiting.wants(1), most > KiB) << "who has no room for the lists asks no more";
  }
  waiting.trim(MiB);
  EXPECT_GT(list_bytes() - before, kPageBytes);
  waiting.trim(0);
  EXPECT_LE(list_bytes() - before, kPageBytes); // that of the lists
  waiting.start(kBase, kSpan, kSpan, 1);
  for (Ref ref : some_objects(2000, 7)) ASSERT_TRUE(waiting.put(ref, kFull));
  usize given = 0;
  while (waiting.next([&](Ref) { given++; })) {}
  EXPECT_EQ(given, 2000u);
}

// What has been given makes room for what comes; so does a start with other sizes.
TEST(ByPlaceLists, N13ChunksAreUsedAgain) {
  ByPlace waiting;
  std::mt19937_64 random(9);
  for (usize span : {kSpan / 2 + 4096, kSpan, kSpan / 4}) {
    waiting.start(kBase, span, 64 * KiB, 1);
    u64 put = 0, given = 0;
    for (u32 round = 0; round < 300; round++) {
      for (u32 i = 0; i < 500; i++, put++) ASSERT_TRUE(waiting.put(Ref{kBase + random() % (span / kWordBytes) * kWordBytes}, kFull)) << put;
      for (u32 least = 0; least < 400;) {
        const usize batch = batch_of(waiting).size();
        ASSERT_NE(batch, 0u);
        least += u32(batch), given += batch;
      }
    }
    while (waiting.next([&](Ref) { given++; })) {}
    EXPECT_EQ(given, put);
  }
}

// Where memory is short some wait by place and the others in the deque; with a deque that has no room for a batch they overflow, too. Nothing is lost.
TEST(ByPlaceMarking, N13WithLittleRoomNothingIsLost) {
  for (const char* options : {"queue_capacity=64", "queue_capacity=8,workers=3,woken_per=0", "queue_capacity=64,order=fifo"})
    for (u64 limit : {u64(5) * MiB, u64(5) * MiB + 512 * KiB, u64(8) * MiB}) {
      SyntheticShape shape = SmallHeap::roomy();
      shape.limit = limit;
      SmallHeap heap(options, shape);
      constexpr usize kWide = 30000;
      const usize wide = heap.root(heap.array(kWide));
      std::vector<usize> order(kWide);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
      for (usize i : order) heap.set(heap.at(wide), i, heap.node(1, 64));
      for (usize i = 0; i < kWide; i++) heap.set(heap.get(heap.at(wide), i), 0, heap.get(heap.at(wide), order[i]));
      for (u32 round = 0; round < 3; round++) {
        heap.full();
        EXPECT_EQ(heap.objects(), 1 + kWide);
      }
      EXPECT_LE(heap.heap().budget().committed(), limit);
    }
}

// Memory for what waits is kept for the next collection, a little of it, and given back when all is.
TEST(ByPlaceMarking, N13GivesItsMemoryBack) {
  SmallHeap heap("queue_capacity=64");
  constexpr usize kWide = 150000;
  const usize wide = heap.root(heap.array(kWide));
  for (usize i = 0; i < kWide; i++) heap.set(heap.at(wide), i, heap.leaf());
  heap.full();
  const usize kept = list_bytes();
  heap.collect(Kind::full, true, true);
  EXPECT_LE(list_bytes() + 200 * KiB, kept);
}

// A graph wider than any deque: with by_place nothing overflows, as it waits elsewhere; without it a great deal does.
TEST(ByPlaceMarking, N13TakesWhatADequeHasNoRoomFor) {
  for (const char* workers : {"workers=1", "workers=3,woken_per=0"})
    for (bool on : {true, false}) {
      SmallHeap heap(std::string("queue_capacity=4096,by_place=") + (on ? "on," : "off,") + workers);
      static SmallHeap* watched;
      static u64 overflows;
      watched = &heap, overflows = 0;
      ASSERT_TRUE(heap.host.cycle->emitter().add({[](void*, EventId id, const void*) {
        auto& gang = watched->host.cycle->gang();
        if (id != EventId::phase) return;
        for (u32 w = 0; w < gang.workers(); w++)
          if (gang.took_part(w)) overflows += gang.stats(w).overflows;
      }, nullptr}));
      constexpr usize kWide = 20000;
      const usize wide = heap.root(heap.array(kWide));
      std::vector<usize> order(kWide);
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
      for (usize i : order) heap.set(heap.at(wide), i, heap.node(1, 200)); // so large that there may be memory for all of them
      for (usize i = 0; i < kWide; i++) heap.set(heap.get(heap.at(wide), i), 0, heap.get(heap.at(wide), order[i]));
      for (u32 round = 0; round < 3; round++) {
        heap.full();
        EXPECT_EQ(heap.objects(), 1 + kWide);
      }
      if (on) EXPECT_EQ(overflows, 0u) << workers;
      else EXPECT_GT(overflows, 0u) << workers;
    }
}

} // namespace
} // namespace garner::test
