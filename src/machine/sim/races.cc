// Vector clocks, the clocks of atomic words, and the accesses kept for each word of plain data (races.h).
#include "machine/sim/races.h"

#include "base/check.h"
#include "base/random.h"

namespace garner::sim {

namespace {

constexpr bool writes(Access a) { return a == Access::write || a == Access::store || a == Access::atomic_write; }
constexpr bool is_atomic(Access a) { return a == Access::atomic_read || a == Access::atomic_write; }

constexpr bool conflict(Access a, Access b) {
  if (!writes(a) && !writes(b)) return false;
  if (is_atomic(a) && is_atomic(b)) return false;
  if (a == Access::loose) return b == Access::write;
  if (b == Access::loose) return a == Access::write;
  return true;
}

// Whoever would race with `before`, which is ordered before `after`, races with `after` as well.
constexpr bool covers(Access after, Access before) { return after == before || after == Access::write; }

constexpr bool acquires(Order o) { return o != Order::relaxed && o != Order::release; }
constexpr bool releases(Order o) { return o != Order::relaxed && o != Order::acquire; }

template <class T> void add(Vector<T>& list, const T& item) { GARNER_CHECK(list.push(item), "the race detector is out of memory"); }

} // namespace

const char* name_of(Access access) {
  const char* names[] = {"read", "write", "store", "copy from it, or the same store again,", "atomic read", "atomic write"};
  return names[u32(access)];
}

template <class V> V* Races::Table<V>::find(word at) {
  if (used == 0) return nullptr;
  const usize mask = entries.size() - 1;
  for (usize i = usize(mix64(at)) & mask; entries[i].at != 0; i = (i + 1) & mask)
    if (entries[i].at == at) return &entries[i].value;
  return nullptr;
}

template <class V> V& Races::Table<V>::put(word at, V value) {
  if (2 * (used + 1) > entries.size()) {
    Vector<Entry> old;
    const usize size = entries.size();
    GARNER_CHECK(old.resize(size), "the race detector is out of memory");
    if (size != 0) memcpy(static_cast<void*>(old.begin()), entries.begin(), size * sizeof(Entry));
    GARNER_CHECK(entries.resize(max_of<usize>(64, 2 * size)), "the race detector is out of memory");
    clear();
    for (const Entry& one : old)
      if (one.at != 0) put(one.at, one.value);
  }
  const usize mask = entries.size() - 1;
  usize i = usize(mix64(at)) & mask;
  while (entries[i].at != 0) i = (i + 1) & mask;
  used++;
  entries[i] = {at, value};
  return entries[i].value;
}

template <class V> void Races::Table<V>::clear() {
  if (entries.size() != 0) memset(static_cast<void*>(entries.begin()), 0, entries.size() * sizeof(Entry));
  used = 0;
}

Races::~Races() {
  for (Page* page : pages_) unmap_own(page, sizeof(Page));
}

void Races::forget() {
  count_ = 0;
  fibers_.clear();
  begin_run();
}

void Races::begin_run() {
  syncs_.clear();
  sync_of_.clear();
  page_at_.clear();
  pages_used_ = 0;
  last_page_ = 0;
  last_ = nullptr;
}

void Races::born(u32 fiber, u32 parent) {
  GARNER_CHECK(fiber < kFibersMost, "the race detector knows at most 64 fibers");
  while (fibers_.size() <= fiber) {
    add(fibers_, Fiber{});
    count_ = u32(fibers_.size());
  }
  Fiber& child = fibers_[fiber];
  child = {};
  if (parent < count_ && parent != fiber) {
    Fiber& from = fibers_[parent];
    join(child.now, from.now, count_);
    from.now[parent]++;
  }
  child.now[fiber] = 1;
}

// What a word hands on from now. `keep`: it is a change, so what it had stays.
void Races::release(u32* sync, const u32* what, bool keep) {
  if (keep) join(sync, what, count_);
  else memcpy(sync, what, count_ * sizeof(u32));
}

void Races::atomic(word at, Order order, Effect effect) {
  Fiber& me = fibers_[me_];
  u32* number = sync_of_.find(at);
  if (number != nullptr && *number != 0 && effect != Effect::store) {
    const u32* clock = syncs_[*number - 1].clock;
    join(acquires(order) ? me.now : me.pending, clock, count_);
  }
  if (effect == Effect::load) return;
  if (number == nullptr || *number == 0) {
    if (!releases(order) && me.fenced[me_] == 0) return; // nothing to hand on, and nothing to take away
    if (number == nullptr) number = &sync_of_.put(at, 0);
    add(syncs_, Sync{});
    *number = u32(syncs_.size());
  }
  release(syncs_[*number - 1].clock, releases(order) ? me.now : me.fenced, effect == Effect::change);
  if (releases(order)) me.now[me_]++;
}

void Races::fence(Order order) {
  Fiber& me = fibers_[me_];
  if (acquires(order)) join(me.now, me.pending, count_);
  if (!releases(order)) return;
  memcpy(me.fenced, me.now, sizeof me.fenced);
  me.now[me_]++;
}

void Races::renew(word at) {
  if (u32* number = sync_of_.find(at)) *number = 0;
  forget(at & ~word(7), kWordBytes);
}

void Races::forget(word at, usize bytes) {
  for (word end = at + bytes; at < end;) {
    const word page_at = align_down(at, kPageBytes), part = min_of(end, page_at + kPageBytes);
    if (Page** page = page_at_.find(page_at))
      for (word w = align_down(at, kWordBytes); w < part; w += kWordBytes) {
        const usize i = (w - page_at) / kWordBytes;
        (*page)->valid[i / 64] &= ~(u64(1) << (i % 64));
      }
    at = part;
  }
}

Races::Page& Races::page_of(word at) {
  const word page_at = align_down(at, kPageBytes);
  if (page_at == last_page_) return *last_;
  Page** found = page_at_.find(page_at);
  if (found == nullptr) {
    if (pages_used_ == pages_.size()) {
      Page* fresh = static_cast<Page*>(map_own(sizeof(Page)));
      GARNER_CHECK(fresh != nullptr, "the race detector is out of memory");
      add(pages_, fresh);
    }
    Page* page = pages_[pages_used_++];
    memset(page->valid, 0, sizeof page->valid);
    found = &page_at_.put(page_at, page);
  }
  last_page_ = page_at;
  last_ = *found;
  return *last_;
}

Races::Cell& Races::cell_of(word at) {
  Page& page = page_of(at);
  const usize i = at % kPageBytes / kWordBytes;
  u64& valid = page.valid[i / 64];
  if ((valid >> (i % 64) & 1) == 0) {
    valid |= u64(1) << (i % 64);
    page.cells[i] = {};
  }
  return page.cells[i];
}

u32 Races::number_of(Where where) {
  if (where.file == last_place_.file && where.line == last_place_.line) return last_number_;
  u32 n = 0;
  while (n < places_.size() && (places_[n].line != where.line || places_[n].file != where.file)) n++;
  if (n == places_.size()) add(places_, where);
  last_place_ = where;
  return last_number_ = n;
}

// Compares with what is kept of a word and keeps `mine`. `seen`: the vector clock at its moment.
bool Races::meet(Cell& cell, word at, const Kept& mine, const u32* seen) {
  Kept* place = nullptr;
  for (Kept& old : cell.kept) {
    if (old.clock == 0) {
      if (place == nullptr) place = &old;
      continue;
    }
    const bool ordered = old.fiber == mine.fiber || old.clock <= seen[old.fiber];
    if (!ordered && (old.mask & mine.mask) != 0 && conflict(old.access, mine.access)) {
      const u32 shared = old.mask & mine.mask;
      race_ = {{old.access, old.fiber, old.ns, places_[old.where]}, {mine.access, mine.fiber, mine.ns, places_[mine.where]},
               at + u32(__builtin_ctz(shared)), u32(__builtin_popcount(shared))};
      return false;
    }
    if (ordered && (old.mask & ~mine.mask) == 0 && covers(mine.access, old.access)) {
      if (place == nullptr || place->clock == 0) place = &old;
      else old.clock = 0;
    }
  }
  *(place != nullptr ? place : &cell.kept[mine.clock % kKept]) = mine;
  return true;
}

bool Races::note(Access access, word at, usize bytes, u64 ns, Where where, u32 clock, const u32* seen) {
  Kept mine{clock, u8(me_), 0xff, access, 0, number_of(where), ns};
  for (word w = align_down(at, kWordBytes), end = at + bytes; w < end; w += kWordBytes) {
    u32 mask = 0xff;
    if (w < at) mask &= 0xffu << (at - w);
    if (w + kWordBytes > end) mask &= 0xffu >> (w + kWordBytes - end);
    mine.mask = u8(mask);
    if (!meet(cell_of(w), w, mine, seen)) return false;
  }
  return true;
}

bool Races::access(Access access, word at, usize bytes, u64 ns, Where where) {
  const Fiber& me = fibers_[me_];
  return note(access, at, bytes, ns, where, me.now[me_], me.now);
}

void Races::guess(word at, usize bytes, u64 ns, Where where) {
  Fiber& me = fibers_[me_];
  GARNER_CHECK(me.guess_count < kGuesses, "a guess was never decided");
  Guess& one = me.guesses[me.guess_count++];
  one = {at, bytes, ns, where, me.now[me_], {}};
  memcpy(one.seen, me.now, sizeof one.seen);
}

bool Races::guessed(bool right) {
  Fiber& me = fibers_[me_];
  const u32 count = me.guess_count;
  me.guess_count = 0;
  bool good = true;
  for (u32 i = 0; i < count && right && good; i++) {
    const Guess& one = me.guesses[i];
    good = note(Access::read, one.at, one.bytes, one.ns, one.where, one.clock, one.seen);
  }
  return good;
}

} // namespace garner::sim
