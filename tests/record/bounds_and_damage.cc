// The bound of a recording's size is kept in the way that is promised, and whatever is wrong with a file gets one sentence.
#include "recorded.h"

namespace garner::test {
namespace {

// `tables` tables of 200 leaves each, all held by one root.
void fill(SmallHeap& heap, u32 tables) {
  heap.root(heap.array(tables));
  for (u32 t = 0; t < tables; t++) {
    heap.set(heap.at(0), t, heap.array(200));
    for (u32 i = 0; i < 200; i++) heap.set(heap.get(heap.at(0), t), i, heap.leaf());
  }
}

TEST(RecordingBounds, WholeSubGraphsAreLeftOutAndTheFileSaysSo) {
  SmallHeap heap;
  fill(heap, 60);
  Recorded whole = record_heap(heap);
  ASSERT_TRUE(whole.good);
  for (u64 most : {whole.bytes.size() / 2, whole.bytes.size() / 5, u64(4096)}) {
    SmallHeap again;
    fill(again, 60);
    Recorded cut = record_heap(again, Kind::full, most);
    ASSERT_TRUE(cut.good) << cut.trouble;
    EXPECT_LE(cut.bytes.size(), most);
    record::Recording r;
    ASSERT_EQ(read(r, cut.bytes), nullptr);
    EXPECT_EQ(r.tail().flags, record::kCutBySize);
    EXPECT_GT(r.tail().cut_graphs, 0u);
    EXPECT_GT(r.tail().dropped, 0u);
    EXPECT_GT(r.objects(), 200u) << "the table that holds everything does not cost everything";
    // Whole: a table that is recorded has all its leaves, but for the one that was taken apart.
    u32 tables = 0, torn = 0;
    for (u32 i = 0; i < r.objects(); i++)
      if (r.shape(i).slots == 200) tables++, torn += r.object(i + 1).first_edge - r.object(i).first_edge != 200;
    EXPECT_GT(tables, 0u);
    EXPECT_LE(torn, 200u / 100);
  }
}

TEST(RecordingBounds, ABoundSmallerThanTheOutlineLeavesNothing) {
  SmallHeap heap;
  fill(heap, 3);
  Recorded none = record_heap(heap, Kind::full, sizeof(record::Head));
  EXPECT_FALSE(none.good);
  EXPECT_FALSE(none.trouble.empty());
}

// Of heaps that are recorded one after the other the largest stays.
TEST(RecordingBounds, AGraphThatIsNoLargerIsNotWanted) {
  SmallHeap heap;
  fill(heap, 3);
  const Recorded first = record_heap(heap);
  ASSERT_TRUE(first.good);
  EXPECT_FALSE(first.smaller);
  const u64 bytes = first.tail.object_bytes;
  const Recorded same = record_heap(heap, Kind::full, 64 * MiB, bytes), larger = record_heap(heap, Kind::full, 64 * MiB, bytes - 1);
  EXPECT_FALSE(same.good);
  EXPECT_TRUE(same.smaller);
  EXPECT_EQ(same.trouble, "");
  EXPECT_EQ(same.tail.object_bytes, bytes);
  EXPECT_TRUE(larger.good);
}

TEST(RecordingBounds, AFileThatCannotBeWrittenLeavesNothing) {
  static record::Writer writer;
  EXPECT_FALSE(writer.open("/nowhere/at/all.garner-heap", 1 << 20));
  EXPECT_STREQ(writer.trouble(), "No such file or directory");
  EXPECT_FALSE(writer.open(std::string(800, 'x').c_str(), 1 << 20));
}

class Damaged : public ::testing::Test {
 protected:
  Damaged() {
    SmallHeap heap;
    fill(heap, 2);
    good = record_heap(heap).bytes;
  }
  std::string good;
};

TEST_F(Damaged, EveryByteAndEveryLengthMatters) {
  record::Recording r;
  ASSERT_EQ(read(r, good), nullptr);
  for (usize i = 0; i < good.size(); i++) {
    std::string bad = good;
    bad[i] = char(bad[i] ^ (1 << (i % 8)));
    EXPECT_NE(read(r, bad), nullptr) << "byte " << i;
    EXPECT_EQ(r.objects(), 0u);
    EXPECT_NE(read(r, good.substr(0, i)), nullptr) << "cut to " << i;
  }
  EXPECT_NE(read(r, good + "x"), nullptr);
  EXPECT_EQ(read(r, good), nullptr) << "the object can be used again";
}

TEST_F(Damaged, SentencesNameWhatIsWrong) {
  record::Recording r;
  auto why = [&](std::string bytes) { return std::string(read(r, bytes) == nullptr ? "" : read(r, bytes)); };
  EXPECT_NE(why("{}").find("no recording"), std::string::npos);
  EXPECT_NE(why(good.substr(0, 20)).find("too short"), std::string::npos);
  EXPECT_NE(why(good.substr(0, good.size() - 1)).find("cut off"), std::string::npos);
  std::string version = good;
  version[8] = 2;
  EXPECT_NE(why(version).find("version"), std::string::npos);
  std::string damaged = good;
  damaged[sizeof(record::Head) + 40]++;
  EXPECT_NE(why(damaged).find("checksum"), std::string::npos);
}

TEST_F(Damaged, EveryKindAndEveryCauseIsRead) {
  record::Recording r;
  auto with = [&](u32 generation, u32 cause) {
    std::string changed = good;
    memcpy(changed.data() + offsetof(record::Head, generation), &generation, sizeof generation);
    memcpy(changed.data() + offsetof(record::Head, cause), &cause, sizeof cause);
    return resigned(changed);
  };
  for (u32 generation = 0; generation < 3; generation++)
    for (u32 cause = 0; cause < kCauses; cause++) EXPECT_EQ(read(r, with(generation, cause)), nullptr) << name_of(Cause(cause));
  EXPECT_NE(read(r, with(3, 0)), nullptr);
  EXPECT_NE(read(r, with(0, kCauses)), nullptr);
}

// Sizes nobody checked would be allocated: each field of the tail set to something monstrous, with a right checksum.
TEST_F(Damaged, MonstrousCountsAreRefused) {
  record::Recording r;
  const usize fields = sizeof(record::Tail) / 8 - 1;
  for (usize f = 0; f < fields; f++) {
    if (f == 0 || (f >= 9 && f <= 11)) continue; // the body's length is set right again; flags and what was cut are facts
    for (u64 monster : {~u64(0), u64(1) << 40, u64(1) << 31, u64(0xffffffff)}) {
      std::string bad = good;
      memcpy(bad.data() + bad.size() - sizeof(record::Tail) + f * 8, &monster, 8);
      const char* trouble = read(r, resigned(bad));
      EXPECT_NE(trouble, nullptr) << "field " << f << " value " << monster;
    }
  }
  // A number of ten bytes in place of the body's first: a region, an object count, whatever it means there.
  for (usize at = sizeof(record::Head); at + 10 < good.size() - sizeof(record::Tail); at++) {
    std::string bad = good;
    for (usize i = 0; i < 9; i++) bad[at + i] = char(0xff);
    bad[at + 9] = 1;
    EXPECT_NE(read(r, resigned(bad)), nullptr) << "at " << at;
  }
}

} // namespace
} // namespace garner::test
