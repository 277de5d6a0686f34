// N13: the mark table, against a naive list of objects: every layout of a small block exhaustively, larger ones at random.
//
// An object of n words is a run of n - 1 ones and a zero; sizes, starts and new addresses are read off the bits alone.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <functional>
#include <vector>

#include "heap/marks.h"
#include "machine/linux/linux.h"

namespace garner::test {
namespace {

struct Object { usize first, words; bool marked; }; // in words from the table's begin

constexpr usize kBlockWords = kMarkBlockBytes / kWordBytes;

// By the processor's instruction, by steps and when the compiler does it.
TEST(SetBits, N13AreCountedAlike) {
  static_assert(set_bits(0) == 0 && set_bits(~u64(0)) == 64 && set_bits(0x8000000000000001) == 2);
  u64 value = 1;
  for (u32 i = 0; i < 10000; i++, value = value * 6364136223846793005 + 1442695040888963407) {
    u32 bits = 0;
    for (u64 rest = value; rest != 0; rest &= rest - 1) bits++;
    ASSERT_EQ(set_bits(value), bits) << value;
    ASSERT_EQ(set_bits_by_steps(value), bits) << value;
  }
}

class MarksRunLength : public ::testing::Test {
 protected:
  static constexpr usize kBlocks = 64;
  MarksRunLength() {
    marks_.attach(entries_.data(), kBase);
    targets_.attach(target_entries_.data(), kBase);
  }
  static constexpr word kBase = word(1) << 32;
  static word at(usize words) { return kBase + words * kWordBytes; }

  void mark_all(const std::vector<Object>& objects) {
    marks_.clear(at(0), at(kBlocks * kBlockWords));
    for (const Object& o : objects) {
      if (!o.marked) continue;
      ASSERT_TRUE(marks_.mark(at(o.first), o.words * kWordBytes));
      ASSERT_FALSE(marks_.mark(at(o.first), o.words * kWordBytes)) << "marked twice";
    }
  }

  // Plans as the collector does it: a target for each block beside what lives there; all objects go to `to`.
  void plan(usize words, word to) {
    u64 carry = 0;
    for (usize b = 0; b < div_up(words, kBlockWords); b++) {
      const u64 bits = marks_.entry_of(at(b * kBlockWords)).bits.load_relaxed(), live = Marks<Linux>::live(bits, carry);
      targets_.entry_of(at(b * kBlockWords)) = {live, to};
      to += kWordBytes * u64(__builtin_popcountll(live));
      carry = bits >> 63;
    }
  }

  void check(const std::vector<Object>& objects, usize words) {
    word end = align_up(at(words), kMarkBlockBytes);
    std::vector<std::pair<word, usize>> expected, found;
    for (const Object& o : objects) {
      ASSERT_EQ(marks_.is_marked(at(o.first)), o.marked);
      if (!o.marked) continue;
      expected.push_back({at(o.first), o.words * kWordBytes});
      ASSERT_EQ(marks_.size_at(at(o.first), end), o.words * kWordBytes);
    }
    marks_.each(at(0), end, [&](word block, usize bytes) { found.push_back({block, bytes}); });
    ASSERT_EQ(found, expected);
    std::vector<std::pair<word, word>> dead, gaps;
    word open = at(0);
    usize live = 0;
    for (const auto& [block, bytes] : expected) {
      if (open != block) dead.push_back({open, block});
      open = block + bytes;
      live += bytes / kWordBytes;
    }
    if (open != at(words)) dead.push_back({open, at(words)});
    marks_.each_gap(at(0), at(words), [&](word from, word to) { gaps.push_back({from, to}); });
    ASSERT_EQ(gaps, dead);
    for (u32 least : {32u, 33u, 47u, 64u}) {
      usize bytes = 0;
      for (const auto& [from, to] : dead) bytes += to - from >= least * kWordBytes ? to - from : 0;
      const auto measure = marks_.measure(at(0), at(words), least);
      ASSERT_EQ(measure.live_bytes, live * kWordBytes);
      ASSERT_EQ(measure.gap_bytes, bytes);
    }
    for (const auto& [from, to] : dead)
      for (word inside : {from, align_down((from + to) / 2, kWordBytes), to - kWordBytes}) ASSERT_EQ(marks_.gap_begin(inside, at(0)), from);
    word target = kBase - MiB;
    plan(words, target);
    for (const Object& o : objects) {
      if (!o.marked) continue;
      ASSERT_EQ(targets_.target_of(at(o.first)), target);
      target += o.words * kWordBytes;
    }
  }

  std::vector<MarkWord<Linux>> entries_ = std::vector<MarkWord<Linux>>(kBlocks + 1);
  Marks<Linux> marks_;
  std::vector<Targets::Entry> target_entries_ = std::vector<Targets::Entry>(kBlocks + 1);
  Targets targets_;
};

// Every way to cut 13 words into objects and gaps, each laid over a block's end.
TEST_F(MarksRunLength, N13EveryLayoutOfASmallBlock) {
  constexpr usize kWords = 13;
  u64 layouts = 0;
  for (usize start : {usize(0), kBlockWords - 6, kBlockWords - 1, kBlockWords}) {
    std::vector<Object> objects;
    std::function<void(usize)> cut = [&](usize first) {
      if (first == kWords || kWords - first < 3) {
        layouts++;
        mark_all(objects);
        check(objects, start + kWords);
        return;
      }
      for (usize words = 3; first + words <= kWords; words++)
        for (bool marked : {true, false}) {
          objects.push_back({start + first, words, marked});
          cut(first + words);
          objects.pop_back();
        }
    };
    cut(0);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(layouts, 400u);
}

TEST_F(MarksRunLength, N13LongObjectsAndManyBlocks) {
  Random random(5);
  for (u32 round = 0; round < 2000; round++) {
    usize words = 10 + random.below((kBlocks - 1) * kBlockWords - 10);
    std::vector<Object> objects;
    for (usize first = 0; words - first >= 3;) {
      usize size = 3 + (random.below(words) >> random.below(12));
      size = min_of(size, words - first);
      if (words - first - size < 3) size = words - first;
      objects.push_back({first, size, !random.one_in(3)});
      first += size;
    }
    mark_all(objects);
    check(objects, words);
    if (HasFatalFailure()) return;
  }
}

TEST_F(MarksRunLength, N13OneOfSeveralMarkersWins) {
  static constexpr u32 kThreads = 4, kObjects = 500;
  std::vector<Object> objects;
  for (u32 i = 0; i < kObjects; i++) objects.push_back({i * 7, 3 + i % 5, true});
  struct Team {
    Marks<Linux>* marks;
    Atomic<u32> won, gone;
  } team{&marks_, {}, {}};
  marks_.clear(at(0), at(kBlocks * kBlockWords));
  Linux machine;
  for (u32 t = 0; t < kThreads; t++)
    ASSERT_TRUE(machine.start([](void* arg) {
      Team& all = *static_cast<Team*>(arg);
      u32 won = 0;
      for (u32 i = 0; i < kObjects; i++) won += all.marks->mark(at(i * 7), (3 + i % 5) * kWordBytes);
      all.won.fetch_add_relaxed(won);
      all.gone.fetch_add_acq_rel(1);
    }, &team));
  Linux::Self self(machine, 0);
  while (team.gone.load_acquire() != kThreads) self.yield();
  EXPECT_EQ(team.won.load_relaxed(), kObjects);
  check(objects, kObjects * 7);
}

// What clearing leaves untouched: of a heap that was hardly marked most of the table has no memory yet, and zeros need none. Here such pages cannot be written to.
TEST(MarksCleared, OnlyWhereSomethingIsSet) {
  constexpr usize kPages = 64, kBytes = kPages * kPageBytes, kPerPage = kPageBytes / sizeof(MarkWord<Linux>) * kMarkBlockBytes;
  constexpr word kBase = word(1) << 32;
  u8* table = static_cast<u8*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(table, MAP_FAILED);
  Marks<Linux> marks;
  marks.attach(reinterpret_cast<MarkWord<Linux>*>(table), kBase);
  for (usize page = 0; page < kPages; page++) {
    const bool some = page == 3 || page == 40 || page == kPages - 1;
    if (some) ASSERT_TRUE(marks.mark(kBase + page * kPerPage + kPerPage / 2, 2 * kWordBytes)); // neither the first word nor the last
    else ASSERT_EQ(mprotect(table + page * kPageBytes, kPageBytes, PROT_READ), 0);
  }
  marks.clear(kBase, kBase + kPages * kPerPage);
  for (usize i = 0; i < kBytes; i++) ASSERT_EQ(table[i], 0) << i;
  munmap(table, kBytes);
}

} // namespace
} // namespace garner::test
