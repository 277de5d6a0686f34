// What marking beside the program adds, as pieces: the turns of its thread and of collections, pages that are cleaned while they are written, runs of marks that are
// looked at while they grow, and objects that are born old (collect/concurrent/marking.h).
#pragma once
#include "heap/marks.h"
#include "heap/written.h"
#include "piece.h"
#include "work/turns.h"

namespace garner::pieces {

// While a collection holds, and while a slice runs, a cell is theirs alone; nothing that is left undone is forgotten; the thread ends.
struct TurnsAreTaken {
  static constexpr u64 kSlices = 3, kCollections = 2;
  explicit TurnsAreTaken(Sim& s) : sim(s) {
    turns.start(s);
    launch<TurnsAreTaken, &TurnsAreTaken::thread, 0>(sim, this);
    launch<TurnsAreTaken, &TurnsAreTaken::collections, 1>(sim, this);
  }
  void thread(Sim::Self& self) {
    while (turns.begin(self)) {
      while (work.value != 0 && !turns.wanted()) {
        own(done);
        writes<Sim>(work.value)--;
      }
      turns.finish(work.value == 0);
    }
    ended = true;
  }
  void collections(Sim::Self& self) {
    for (u64 i = 0; i < kCollections; i++) {
      if (i != 0) turns.call(); // before the program is stopped, or not
      turns.hold();
      own(done);
      writes<Sim>(work.value) += kSlices;
      turns.go(self, true);
    }
    while (true) {
      turns.hold();
      if (look(work) == 0) break;
      turns.go(self, true);
      self.pause();
    }
    turns.end(self);
  }
  bool ok() { return ended && done.value == kSlices * kCollections + kCollections; }
  Sim& sim;
  Turns<Sim> turns;
  Cell work, done;
  bool ended = false;
};

// Whoever cleans a page and reads it then misses no reference that is not noted again.
struct WrittenPageIsReadAgain {
  static constexpr word kBase = 1 << 20;
  explicit WrittenPageIsReadAgain(Sim& s) : sim(s) {
    pages.attach(table, kBase);
    launch<WrittenPageIsReadAgain, &WrittenPageIsReadAgain::program, 0>(sim, this);
    launch<WrittenPageIsReadAgain, &WrittenPageIsReadAgain::program, 1>(sim, this);
    launch<WrittenPageIsReadAgain, &WrittenPageIsReadAgain::cleaner, 2>(sim, this);
  }
  void program(Sim::Self& self) {
    for (u32 value = 1; value <= 2; value++) {
      slots[self.index].store_relaxed(value);
      pages.note(kBase + self.index * kWordBytes);
    }
  }
  void cleaner(Sim::Self&) {
    for (u32 round = 0; round < 3; round++) read(true);
  }
  void read(bool clean) {
    pages.each(kBase, kBase + 8 * kWrittenBytes, [&](word page) {
      if (clean) pages.clean(page);
      for (u32 i = 0; i < 2; i++) seen[i] = slots[i].load_relaxed();
    });
  }
  bool ok() {
    read(false); // as the last pause does
    return seen[0] == 2 && seen[1] == 2;
  }
  Sim& sim;
  alignas(8) u8 table[8] = {};
  WrittenPages<Sim> pages;
  Sim::Atomic<u32> slots[2];
  u32 seen[2] = {};
};

// Who looks at marks while an object's run grows over three entries finds that object or none, whichever of the entries it looks at.
struct RunIsSeenWhole {
  static constexpr word kBase = 1 << 20, kAt = kBase + kMarkBlockBytes - 3 * kWordBytes;
  static constexpr usize kSize = kMarkBlockBytes + 9 * kWordBytes;
  explicit RunIsSeenWhole(Sim& s) : sim(s) {
    marks.attach(entries, kBase);
    launch<RunIsSeenWhole, &RunIsSeenWhole::marker, 0>(sim, this);
    launch<RunIsSeenWhole, &RunIsSeenWhole::looker, 1>(sim, this);
    launch<RunIsSeenWhole, &RunIsSeenWhole::looker, 2>(sim, this);
  }
  void marker(Sim::Self&) { good = marks.mark(kAt, kSize) && good; }
  void looker(Sim::Self& self) {
    marks.each_touching(kBase + self.index * kMarkBlockBytes, kBase + 3 * kMarkBlockBytes, kBase, [&](word block) { good = good && block == kAt; });
  }
  bool ok() {
    u32 found = 0;
    marks.each_touching(kBase + 2 * kMarkBlockBytes, kBase + 3 * kMarkBlockBytes, kBase, [&](word) { found++; });
    return good && found == 1;
  }
  Sim& sim;
  MarkWord<Sim> entries[3] = {};
  Marks<Sim> marks;
  bool good = true;
};

// Whoever finds the mark of an object that is born old finds its memory as its birth left it: no type, or the type and behind it the slots.
struct BornOldIsPublished {
  static constexpr word kBase = 1 << 20, kAt = kBase + kMarkBlockBytes - 3 * kWordBytes;
  static constexpr usize kSize = 9 * kWordBytes;
  explicit BornOldIsPublished(Sim& s) : sim(s) {
    marks.attach(entries, kBase);
    launch<BornOldIsPublished, &BornOldIsPublished::program, 0>(sim, this);
    launch<BornOldIsPublished, &BornOldIsPublished::looker, 1>(sim, this);
    launch<BornOldIsPublished, &BornOldIsPublished::looker, 2>(sim, this);
  }
  void program(Sim::Self&) {
    own(cleared); // what lay there is no type any more
    marks.publish(kAt);
    marks.extend(kAt, kSize);
    own(slots);
    type.store_release(1); // pairs with look_at
  }
  void look_at(word block) {
    good = good && block == kAt && look(cleared) == 1;
    if (type.load_acquire() != 0) good = good && look(slots) == 1;
  }
  void looker(Sim::Self& self) {
    marks.each_touching(kBase + (self.index - 1) * kMarkBlockBytes, kBase + 2 * kMarkBlockBytes, kBase, [&](word block) { look_at(block); });
  }
  bool ok() { return good && type.load_relaxed() == 1; }
  Sim& sim;
  MarkWord<Sim> entries[2] = {};
  Marks<Sim> marks;
  Sim::Atomic<u64> type;
  Cell cleared, slots;
  bool good = true;
};

} // namespace garner::pieces
