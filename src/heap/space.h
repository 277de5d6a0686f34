// Space: where buffers of one kind are carved from: eden, each survivor age, old, the pinned heap.
//
// A space bumps one current region at a time and takes holes of partly used regions first when it owns any. `used` counts bytes
// handed out; a request fails exactly when used + request would pass the limit or the budget is spent, whichever region it
// comes from (N22: counters, not fragment borders, decide when a collection happens).
// Concurrency: take() from any number of threads; everything else with the world stopped.
#pragma once
#include "heap/heap.h"

namespace garner {

struct Range {
  word begin = 0, end = 0;
  bool zeroed = false; // its bytes are known to be zero
  usize bytes() const { return end - begin; }
};

template <class M> class Space {
 public:
  template <class T> using Atomic = typename M::template Atomic<T>;

  void init(Heap<M>& heap, Role role, u8 label, u8 age) {
    heap_ = &heap;
    role_ = role;
    label_ = label;
    age_ = age;
    current_.store_relaxed(kNoRegion);
    limit_.store_relaxed(~u64(0));
  }
  void set_limit(u64 bytes) { limit_.store_relaxed(bytes); }
  u64 limit() const { return limit_.load_relaxed(); }
  u64 used() const { return used_.load_relaxed(); }
  void reset_used(u64 bytes = 0) { used_.store_relaxed(bytes); }

  // At least `least` bytes, up to `want`; empty when the limit or the memory is used up. Multiples of 8, least <= region size.
  Range take(usize least, usize want) {
    u64 before = used_.fetch_add_relaxed(want);
    if (GARNER_UNLIKELY(before + want > limit())) {
      used_.fetch_sub_relaxed(want);
      if (want == least) return {};
      want = least;
      before = used_.fetch_add_relaxed(want);
      if (before + want > limit()) {
        used_.fetch_sub_relaxed(want);
        return {};
      }
    }
    Range range = take_hole(least, want);
    if (range.begin == 0) range = take_bump(least, want);
    used_.fetch_sub_relaxed(want - range.bytes());
    return range;
  }

  // A hole of a walkable region, formatted as filler; smaller ones than kLeastHole are not worth the entry.
  static constexpr usize kLeastHole = 256;
  void add_hole(word begin, word end) {
    if (end - begin >= kLeastHole && holes_[bin_of(end - begin)].push({begin, end, false})) hole_bytes_.fetch_add_relaxed(end - begin);
  }
  void forget_holes() {
    for (Vector<Range>& bin : holes_) bin.clear();
    hole_bytes_.store_relaxed(0);
  }
  usize hole_bytes() const { return hole_bytes_.load_relaxed(); }

  // Before a collection that scans cards of this space's regions: what is carved from here on shares no card with what is there.
  void align_to_card() {
    u32 index = current_.load_relaxed();
    if (index == kNoRegion) return;
    auto& r = heap_->region(index);
    word top = r.top.load_relaxed(), aligned = align_up(top, kCardBytes);
    if (aligned == top) return;
    if (aligned - top < kMinObjectBytes) aligned += kCardBytes;
    if (aligned > heap_->end_of(index)) return abandon();
    heap_->fill(top, aligned - top);
    r.top.store_relaxed(aligned);
  }
  // The next request takes a new region. The old one keeps what lies below its top.
  void abandon() {
    u32 index = current_.load_relaxed();
    if (index != kNoRegion) heap_->region(index).filling = false;
    current_.store_relaxed(kNoRegion);
  }
  u32 current() const { return current_.load_relaxed(); }

 private:
  Range take_bump(usize least, usize want) {
    while (true) {
      u32 index = current_.load_acquire(); // pairs with the release below: the region's top is initialised
      if (GARNER_LIKELY(index != kNoRegion)) {
        auto& r = heap_->region(index);
        word end = heap_->end_of(index), top = r.top.load_relaxed();
        while (end - top >= least) {
          usize bytes = min_of(want, usize(end - top));
          if (usize rest = end - top - bytes; rest != 0 && rest < kMinObjectBytes) bytes -= kMinObjectBytes; // never a rest too small for a filler
          if (bytes < least) break;
          if (r.top.cas_relaxed(top, top + bytes)) return {top, top + bytes, r.clean};
        }
      }
      Locked<typename M::Lock> guard(lock_);
      if (current_.load_relaxed() != index) continue; // somebody else fetched one
      u32 fresh = heap_->take_region(role_, label_, age_);
      if (fresh == kNoRegion) return {};
      if (index != kNoRegion) heap_->region(index).filling = false;
      heap_->region(fresh).filling = true;
      current_.store_release(fresh);
    }
  }

  // Holes stand in bins by size, each of twice the size of the one before. A single object gets the smallest hole that fits, so that
  // large holes stay; a buffer the largest, so that buffers are few.
  Range take_hole(usize least, usize want) {
    if (GARNER_LIKELY(hole_bytes_.load_relaxed() == 0)) return {}; // a hint: whoever misses a new hole bumps instead
    Locked<typename M::Lock> guard(lock_);
    u32 lowest = bin_of(least);
    for (u32 i = lowest; i < kBins; i++)
      if (Range range = take_from(want == least ? i : kBins - 1 - (i - lowest), least, want); range.begin != 0) return range;
    return {};
  }

  Range take_from(u32 number, usize least, usize want) {
    Vector<Range>& bin = holes_[number];
    usize& next = next_[number];
    for (usize tries = min_of<usize>(bin.size(), kTries); tries > 0; tries--) {
      if (next >= bin.size()) next = 0;
      Range hole = bin[next];
      u32 index = heap_->index_at(hole.begin);
      auto& r = heap_->region(index);
      usize bytes = min_of(want, hole.bytes());
      if (usize rest = hole.bytes() - bytes; rest != 0 && rest < kMinObjectBytes) bytes -= kMinObjectBytes; // never a rest too small for a filler
      if (bytes < least || r.dirty.load_relaxed() != 0) { // too small, or its cards are being scanned: another one's turn
        next++;
        continue;
      }
      bin[next] = bin.back();
      bin.pop();
      hole_bytes_.fetch_sub_relaxed(hole.bytes());
      Range out{hole.begin, hole.begin + bytes, false};
      heap_->fill(out.end, hole.end - out.end);
      r.starts_top = heap_->begin_of(index);
      add_hole(out.end, hole.end); // a rest below kLeastHole stays filler, lost until the next collection that looks at the region
      return out;
    }
    return {};
  }

  static constexpr u32 kBins = 12; // [256, 512) … [512 KiB, …)
  static constexpr usize kTries = 8;
  static u32 bin_of(usize bytes) { return min_of(u32(log2_floor(max_of(bytes, kLeastHole)) - log2_floor(kLeastHole)), kBins - 1); }

  Heap<M>* heap_ = nullptr;
  Role role_{};
  u8 label_ = 0, age_ = 0;
  Atomic<u32> current_;  // release by the fetcher, acquire by takers
  Atomic<u64> used_;     // relaxed: a count; equals bytes handed out since reset_used
  Atomic<u64> limit_;
  typename M::Lock lock_; // guards holes_ and the change of current_
  Vector<Range> holes_[kBins];
  usize next_[kBins] = {};   // where the next request looks first
  Atomic<usize> hole_bytes_; // relaxed: read without the lock as a hint only
};

} // namespace garner
