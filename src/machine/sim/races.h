// Who may have met whom: a happens-before race detector for the fibers of one run.
//
// Interleavings of the simulated machine are sequentially consistent, so a missing release never shows as a wrong value. Here the declared
// orders count instead: each fiber has a vector clock, each atomic word the clock that a reader with acquire takes over.
//   store   release: the word's clock becomes the fiber's; relaxed: it becomes that of the fiber's last release fence, or nothing
//   change  (read-modify-write) the same, joined to what the word has: a release sequence goes on through it
//   load    acquire: the fiber takes the word's clock over; relaxed: it keeps it for its next acquire fence
//   fences  release and acquire, as above. seq_cst is acquire and release; its total order gives no edge
//   locks   are atomic words. Starting a fiber is an edge. A futex's wake is none: Linux promises nothing to who did not read the word again
// Plain accesses (seam/watch.h, and the verbs) are kept by word, the last few each: two of different fibers that share a byte, one of
// which writes, without an edge between them are a race. Words are host addresses; they find entries and reach no result.
//
// Invariants: a fiber's own component grows at each of its releases, so an access is ordered before another fiber's moment exactly when that
// fiber's clock has reached the access's component. What was done outside run() is ordered with everything.
// Deviates: four accesses are kept per word, so that a race with an older one may be missed, never invented; a compare-and-swap of a
// header leaves its clock with the address when the memory is used anew, an edge too many. At most 64 fibers.
#pragma once
#include "base/arena.h"
#include "base/print.h"
#include "seam/watch.h"

namespace garner::sim {

enum class Order : u8 { relaxed, acquire, release, acq_rel, seq_cst };
enum class Effect : u8 { load, store, change, undecided }; // undecided: a compare-and-swap, until its comparison

struct Race {
  struct Side {
    Access access;
    u32 fiber;
    u64 ns; // virtual, of that fiber
    Where where;
  } earlier, later;
  word at;
  u32 bytes; // that both touch
};

class Races {
 public:
  static constexpr u32 kFibersMost = 64;

  ~Races();
  void forget(); // as if new; keeps memory
  void begin_run(); // what was done so far is ordered with everything that follows
  // `parent`: kNoFiber from outside.
  void born(u32 fiber, u32 parent);
  void enter(u32 fiber) { me_ = fiber; }

  void atomic(word at, Order order, Effect effect);
  void fence(Order order);
  void renew(word at); // an atomic is constructed there
  void forget(word at, usize bytes); // memory is mapped or dropped

  // False: a race, described by race().
  bool access(Access access, word at, usize bytes, u64 ns, Where where);
  void guess(word at, usize bytes, u64 ns, Where where);
  bool guessed(bool right);
  const Race& race() const { return race_; }

 private:
  static constexpr u32 kKept = 4, kGuesses = 2;
  struct Kept {
    u32 clock;    // the fiber's own component; 0: empty
    u8 fiber, mask;
    Access access;
    u8 spare;
    u32 where;
    u64 ns;
  };
  struct Cell {
    Kept kept[kKept];
  };
  struct Page {
    u64 valid[kPageBytes / kWordBytes / 64]; // cells that hold something of this run
    Cell cells[kPageBytes / kWordBytes];
  };
  struct Guess {
    word at;
    usize bytes;
    u64 ns;
    Where where;
    u32 clock;
    u32 seen[kFibersMost];
  };
  struct Fiber {
    u32 now[kFibersMost];     // the vector clock
    u32 fenced[kFibersMost];  // now at the last release fence
    u32 pending[kFibersMost]; // what relaxed loads found, until an acquire fence
    Guess guesses[kGuesses];
    u32 guess_count;
  };
  struct Sync {
    u32 clock[kFibersMost];
  };
  template <class V> struct Table { // address -> V, open addressing
    struct Entry {
      word at;
      V value;
    };
    Vector<Entry> entries;
    usize used = 0;
    V* find(word at);
    V& put(word at, V value);
    void clear();
  };

  static void join(u32* to, const u32* from, u32 width) {
    for (u32 i = 0; i < width; i++) to[i] = max_of(to[i], from[i]);
  }
  Page& page_of(word at);
  Cell& cell_of(word at);
  bool meet(Cell& cell, word at, const Kept& mine, const u32* seen);
  bool note(Access access, word at, usize bytes, u64 ns, Where where, u32 clock, const u32* seen);
  u32 number_of(Where where);
  void release(u32* sync, const u32* what, bool keep);

  Vector<Fiber> fibers_;
  u32 count_ = 0, me_ = 0;
  Vector<Sync> syncs_;
  Table<u32> sync_of_; // number in syncs_ + 1
  Table<Page*> page_at_;
  Vector<Page*> pages_;
  usize pages_used_ = 0;
  word last_page_ = 0;
  Page* last_ = nullptr;
  Vector<Where> places_;
  Where last_place_{nullptr, 0};
  u32 last_number_ = 0;
  Race race_{};
};

const char* name_of(Access access);

} // namespace garner::sim
