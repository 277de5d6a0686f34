// Budget: how much memory the heap's pages and the collector's own tables may use, and how much they do.
//
// Equation: charged = sum of Region::charged. A request is granted iff pages(charged + request) + own <= limit, where
// pages(x) = x + 3x/64 (the share of marks and targets, touched by full collections; x + 4x/64 with marks of their own for a heap that has been marked beside the program) and own is a fixed amount for what the collector maps at start
// and touches little of, and what its lists (finalizable objects, handles, roots) have grown by since. limit 0 means no limit. Not in it: cards, starts and descriptions of regions, 1/512 of x.
// Any-thread; grants are compare-and-swap, so pages never exceed the limit (but for the moment in which a list has grown beside a grant, which is taken back then). The list of finalizable objects asks before it grows (Heap::lend; until lent() it counts twice)
// and can be refused; handles ask and are never refused, and what a collection lists grows without asking: by as much the limit may be exceeded until the next grant. What lists have taken of
// what is kept back free memory makes up for at the next collection (over).
#pragma once
#include "base/arena.h"

namespace garner {

// How much of what is kept back a request may use.
enum class Reach : u8 { ordinary, quarter, all };

template <class M> class Budget {
 public:
  void set_limit(u64 bytes) { limit_.store_relaxed(bytes); }
  u64 limit() const { return limit_.load_relaxed(); }
  // Whether the limit has room for the second table of marks, were `less` bytes given back.
  bool may_mark_twice(u64 less) const {
    if (twice()) return true;
    const u64 now = charged() - min_of(less, charged());
    return within(with_tables(now) + now / 64, Reach::ordinary);
  }
  // From now on it counts. False where there is no room. With the world stopped.
  bool mark_twice() {
    if (!may_mark_twice(0)) return false;
    __atomic_store_n(&twice_, true, __ATOMIC_RELAXED);
    return true;
  }
  u64 with_tables(u64 charged) const { return charged + charged / 64 * (twice() ? 4 : 3); }
  u64 charged() const { return charged_.load_relaxed(); }
  u64 committed() const { return with_tables(charged()) + own(); }

  // From now on growth of the collector's own memory counts. Not called where many heaps share a process.
  void count_own() { own_at_start_ = max_of<u64>(list_bytes(), 1); }

  // A part of the limit that is kept back: all of it for threads that must throw because memory ran out, and before that a quarter for what finds no other place.
  // Any-thread; relaxed.
  void hold(u64 bytes) { held_.store_relaxed(bytes); }
  // Bytes of it that were taken and not repaid. Whatever is free next repays it: would such memory go to whoever asks first, none were kept back the next time
  // that memory runs out. Lists that have grown are no debt: no free memory repays them.
  u64 borrowed() const { return __atomic_load_n(&borrowed_, __ATOMIC_RELAXED); }
  // The other half is for who must throw.
  bool half_kept() const { return borrowed() <= held_.load_relaxed() / 2; }
  void repay(u64 bytes) {
    for (u64 now = borrowed(); now != 0 && !__atomic_compare_exchange_n(&borrowed_, &now, now - min_of(now, bytes), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);) {}
  }

  // By how much what is used and what is kept back are more than the limit: free memory goes back for it.
  u64 over() const {
    const u64 cap = limit(), all = committed() + held(Reach::ordinary);
    return cap != 0 && all > cap ? all - cap : 0;
  }
  // Whether there would be room, were `less` charged bytes given back.
  bool could(u64 bytes, u64 less, Reach reach) const {
    const u64 now = charged();
    return within(with_tables(now - min_of(less, now) + bytes), reach);
  }
  // A grant that leaves no debt. `after`: what is charged then.
  bool grant(u64 bytes, Reach reach, u64* after = nullptr) {
    u64 now = charged_.load_relaxed(), before;
    do {
      before = own();
      if (!within(with_tables(now + bytes), reach)) return false;
    } while (!charged_.cas_relaxed(now, now + bytes)); // relaxed: a count, it publishes nothing
    // A list has grown meanwhile, and what it was lent is given back: the swap does not see that.
    if (GARNER_UNLIKELY(own() > before) && !within(with_tables(charged()), reach)) {
      give(bytes);
      return false;
    }
    if (after != nullptr) *after = now + bytes;
    return true;
  }
  bool take(u64 bytes, Reach reach = Reach::ordinary) {
    u64 after;
    if (!grant(bytes, reach, &after)) return false;
    const u64 cap = limit();
    if (reach != Reach::ordinary && cap != 0)
      if (const u64 need = with_tables(after) + own() + held(Reach::ordinary); need > cap) __atomic_fetch_add(&borrowed_, min_of(bytes, need - cap), __ATOMIC_RELAXED);
    return true;
  }
  void give(u64 bytes) { charged_.fetch_sub_relaxed(bytes); }
  // Bytes that may still be taken.
  u64 room() const {
    u64 cap = limit();
    if (cap == 0) return ~u64(0) >> 1;
    u64 kept = own() + held_.load_relaxed(), now = charged();
    u64 most = cap > kept ? ((cap - kept) / (twice() ? 68 : 67) * 64) : 0;
    return most > now ? most - now : 0;
  }

 private:
  static constexpr u64 kOwnAtStart = 512 * KiB;
  u64 held(Reach reach) const {
    u64 bytes = held_.load_relaxed();
    return reach == Reach::all ? 0 : reach == Reach::quarter ? bytes - bytes / 4 : bytes;
  }
  // Whether so many bytes of pages and their tables leave what a request of this reach must not use.
  bool within(u64 pages, Reach reach) const {
    const u64 cap = limit();
    return cap == 0 || pages + own() + held(reach) <= cap;
  }
  bool twice() const { return __atomic_load_n(&twice_, __ATOMIC_RELAXED); }
  u64 own() const {
    u64 now = own_at_start_ == 0 ? 0 : list_bytes();
    return kOwnAtStart + (now > own_at_start_ ? now - own_at_start_ : 0);
  }
  typename M::template Atomic<u64> charged_;
  typename M::template Atomic<u64> limit_;
  typename M::template Atomic<u64> held_;
  bool twice_ = false; // relaxed, pairs with nothing: a second table of marks has been used; it stays charged
  u64 borrowed_ = 0;     // relaxed, pairs with nothing: a count
  u64 own_at_start_ = 0; // 0: not counted; set once, before others ask
};

} // namespace garner
