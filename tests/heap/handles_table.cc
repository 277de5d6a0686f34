// Handles: slots keep their address and kind, freed ones are used again, and a chunk knows the youngest generation it may hold.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "heap/handles.h"
#include "machine/linux/linux.h"

namespace garner::test {
namespace {

TEST(HandlesTable, KindOwnerAndExtraFollowFromTheAddress) {
  HandleTable table;
  HandleOwner owner;
  for (usize k = 0; k < kHandleKinds; k++) {
    Handle handle = table.create(owner, HandleKind(k), Ref{0x1000 + k * 8}, 77);
    ASSERT_NE(handle, nullptr);
    EXPECT_EQ(chunk_of(handle)->kind, HandleKind(k));
    EXPECT_EQ(chunk_of(handle)->owner, &owner);
    EXPECT_EQ(*handle, 0x1000 + k * 8);
    EXPECT_EQ(HandleTable::extra(handle), handle_has_extra(HandleKind(k)) ? 77u : 0u);
  }
  EXPECT_EQ(table.in_use(), kHandleKinds);
}

// A limit on the heap counts them (heap/budget.h).
TEST(HandlesTable, TheirMemoryIsCounted) {
  HandleTable table;
  HandleOwner owner;
  const usize before = list_bytes();
  constexpr usize kMany = 200000;
  for (usize i = 0; i < kMany; i++) ASSERT_NE(table.create(owner, HandleKind::strong, Ref{8}, 0), nullptr);
  EXPECT_GE(list_bytes() - before, kMany * kWordBytes);
  EXPECT_LE(list_bytes() - before, kMany * kWordBytes * 5 / 4);
}

TEST(HandlesTable, FreedSlotsAreUsedAgainAndChunksDoNotGrow) {
  HandleTable table;
  HandleOwner owner;
  std::vector<Handle> handles;
  std::set<Handle> seen;
  for (u32 i = 0; i < 5000; i++) handles.push_back(table.create(owner, HandleKind::strong, Ref{8}, 0));
  for (Handle h : handles) EXPECT_TRUE(seen.insert(h).second) << "one slot given out twice";
  u32 chunks = table.chunks(HandleKind::strong);
  for (u32 round = 0; round < 20; round++) {
    for (usize i = round % 3; i < handles.size(); i += 3) table.destroy(handles[i]);
    for (usize i = round % 3; i < handles.size(); i += 3) {
      handles[i] = table.create(owner, HandleKind::strong, Ref{8}, 0);
      EXPECT_TRUE(seen.count(handles[i])) << "a new slot while old ones are free";
    }
  }
  EXPECT_EQ(table.chunks(HandleKind::strong), chunks);
  EXPECT_EQ(table.in_use(), 5000u);
}

TEST(HandlesTable, FreeingTwiceChangesNothing) {
  HandleTable table;
  HandleOwner owner;
  Handle a = table.create(owner, HandleKind::weak_short, Ref{8}, 0), b = table.create(owner, HandleKind::weak_short, Ref{16}, 0);
  table.destroy(a);
  table.destroy(a);
  EXPECT_EQ(table.in_use(), 1u);
  EXPECT_EQ(*b, 16u);
  Handle c = table.create(owner, HandleKind::weak_short, Ref{24}, 0), d = table.create(owner, HandleKind::weak_short, Ref{32}, 0);
  EXPECT_NE(c, d);
  EXPECT_NE(c, b);
}

TEST(HandlesTable, EveryStoreMakesItsChunkYoung) {
  HandleTable table;
  HandleOwner owner;
  Handle handle = table.create(owner, HandleKind::dependent, Ref{8}, 0);
  HandleChunk* chunk = chunk_of(handle);
  auto old_again = [&] { chunk->youngest.store_relaxed(2); };
  old_again();
  table.store(handle, Ref{16});
  EXPECT_EQ(chunk->youngest.load_relaxed(), 0);
  old_again();
  Ref expected{16};
  EXPECT_TRUE(table.compare_exchange(handle, expected, Ref{24}));
  EXPECT_EQ(chunk->youngest.load_relaxed(), 0);
  old_again();
  table.set_extra(handle, 32);
  EXPECT_EQ(chunk->youngest.load_relaxed(), 0);
  old_again();
  table.create(owner, HandleKind::dependent, Ref{8}, 0);
  EXPECT_EQ(chunk->youngest.load_relaxed(), 0);
}

TEST(HandlesTable, AnUprootedStoreHoldsNothingAndADeadOnesChunksLiveOn) {
  HandleTable table;
  HandleOwner owner, store;
  std::vector<Handle> mine;
  for (u32 i = 0; i < 1000; i++) {
    table.create(store, HandleKind::strong, Ref{8 + i * 8}, 0);
    mine.push_back(table.create(owner, HandleKind::strong, Ref{16}, 0));
  }
  Handle pair = table.create(store, HandleKind::dependent, Ref{8}, 24);
  table.uproot(store);
  EXPECT_EQ(*pair, 0u);
  EXPECT_EQ(HandleTable::extra(pair), 0u);
  u64 held = 0;
  for (u32 i = 0; i < table.chunks(HandleKind::strong); i++) table.chunk(HandleKind::strong, i)->each([&](word* slot) { held += *slot != 0; });
  EXPECT_EQ(held, mine.size());
  u32 chunks = table.chunks(HandleKind::strong);
  table.destroy_all(store);
  EXPECT_EQ(table.in_use(), mine.size());
  HandleOwner next;
  for (u32 i = 0; i < 900; i++) table.create(next, HandleKind::strong, Ref{8}, 0);
  EXPECT_EQ(table.chunks(HandleKind::strong), chunks) << "the dead store's chunks were not used";
  for (Handle h : mine) EXPECT_EQ(*h, 16u);
}

// Each processor's handles lie in chunks of their own; but before a chunk is mapped one is taken from a processor that has two with room.
TEST(HandlesTable, ProcessorsShareNoChunkAndLeaveLittleRoom) {
  HandleTable table;
  HandleOwner owner, other;
  std::set<HandleChunk*> chunks[3];
  std::vector<Handle> handles[3];
  const u32 capacity = chunk_of(table.create(owner, HandleKind::pinned, Ref{8}, 0))->capacity, many = 3 * capacity - 1;
  for (u32 i = 0; i < many; i++)
    for (u32 p = 0; p < 3; p++) {
      handles[p].push_back(table.create(owner, HandleKind::pinned, Ref{8}, 0, p));
      chunks[p].insert(chunk_of(handles[p].back()));
    }
  for (u32 p = 0; p < 3; p++)
    for (HandleChunk* chunk : chunks[p]) EXPECT_FALSE(chunks[(p + 1) % 3].count(chunk)) << "processors " << p << " and " << (p + 1) % 3;
  const u32 had = table.chunks(HandleKind::pinned);
  EXPECT_EQ(had, 9u);
  for (Handle h : handles[1]) table.destroy(h);
  for (u32 i = 0; i < 2 * capacity + 1; i++) ASSERT_NE(table.create(owner, HandleKind::pinned, Ref{16}, 0, 2), nullptr);
  EXPECT_EQ(table.chunks(HandleKind::pinned), had) << "a chunk was mapped while another processor's had room";
  EXPECT_EQ(table.in_use(), 1 + 2 * many + 2 * capacity + 1);
  for (Handle h : handles[0]) EXPECT_EQ(*h, 8u);
  table.create(other, HandleKind::pinned, Ref{24}, 0, 1);
  EXPECT_EQ(table.chunks(HandleKind::pinned), had + 1) << "room of another owner's is not taken";
  table.destroy_all(owner);
  EXPECT_EQ(table.in_use(), 1u);
}

// Threads that create and destroy at once, on processors that change, what others have created, too: under the thread sanitizer, and no slot is anybody else's.
TEST(HandlesTable, ManyThreads) {
  struct Team {
    HandleTable table;
    HandleOwner owner;
    Atomic<u32> number, wrong, gone;
    Atomic<word> left[64]; // handles that whoever finds them frees; acquire and release: what was created is seen
  } team;
  Linux machine;
  for (u32 t = 0; t < 4; t++)
    ASSERT_TRUE(machine.start([](void* arg) {
      Team& all = *static_cast<Team*>(arg);
      word me = 8 * (1 + all.number.fetch_add_relaxed(1));
      Random random(me);
      std::vector<Handle> mine;
      for (u32 i = 0; i < 4000; i++) {
        if (mine.size() < 1200 && random.below(5) < 3) {
          mine.push_back(all.table.create(all.owner, HandleKind::weak_long, Ref{me}, 0, u32(random.below(kHandleStripes + 3))));
        } else if (!mine.empty() && random.one_in(4)) {
          const word found = all.left[random.below(64)].exchange_acq_rel(word(mine.back()));
          mine.pop_back();
          if (found != 0) all.table.destroy(Handle(found));
        } else if (!mine.empty()) {
          usize k = random.below(mine.size());
          if (*mine[k] != me) all.wrong.fetch_add_relaxed(1);
          all.table.destroy(mine[k]);
          mine[k] = mine.back();
          mine.pop_back();
        }
      }
      for (Handle h : mine) all.table.destroy(h);
      all.gone.fetch_add_acq_rel(1);
    }, &team));
  Linux::Self self(machine, 0);
  while (team.gone.load_acquire() != 4) self.yield();
  EXPECT_EQ(team.wrong.load_relaxed(), 0u);
  for (Atomic<word>& each : team.left)
    if (const word found = each.load_acquire(); found != 0) team.table.destroy(Handle(found));
  EXPECT_EQ(team.table.in_use(), 0u);
  u32 used = 0;
  for (u32 i = 0; i < team.table.chunks(HandleKind::weak_long); i++) used += team.table.chunk(HandleKind::weak_long, i)->used;
  EXPECT_EQ(used, 0u);
}

} // namespace
} // namespace garner::test
