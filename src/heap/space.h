// Space: where buffers of one kind are carved from: eden, each survivor age, old, the pinned heap.
//
// A space bumps one current region at a time, a fragmented one (N20) one per node, and takes holes of partly used regions first when it
// owns any. `used` counts bytes handed out; a request fails exactly when used + request would pass the limit (or less, from a time on: set_limit) or the budget is
// spent, whichever region it comes from (N22: counters, not fragment borders, decide when a collection happens).
// The policy is an attribute of the space (N24); eden's decides where the program's buffers come from (T12), a survivor space's where copies go (T11).
// segregated (N23) is placed like fragmented; who may touch its objects in a collection is collect/evacuate's business.
// fragmented_hotspot is the flawed baseline (N21): every fragment may hold its share of the limit only, so that one node's allocation can
// fill its fragment early, and a new limit drops and binds anew the pages between the fragments' old and new borders.
// Concurrency: take() from any number of threads; everything else with the world stopped.
#pragma once
#include "heap/starts.h"
#include "options/table.h"
#include "seam/backoff.h"

namespace garner {

struct Range {
  word begin = 0, end = 0;
  bool zeroed = false; // its bytes are known to be zero
  usize bytes() const { return end - begin; }
};

template <class M> class Space {
 public:
  template <class T> using Atomic = typename M::template Atomic<T>;

  void init(Heap<M>& heap, Role role, u8 label, u8 age, SpacePolicy policy = SpacePolicy::firsttouch, Reach reach = Reach::ordinary) {
    reach_ = reach;
    heap_ = &heap;
    role_ = role;
    label_ = label;
    age_ = age;
    policy_ = policy;
    fragments_count_ = policy == SpacePolicy::firsttouch || policy == SpacePolicy::interleaved ? 1 : heap.nodes();
    shares_ = policy == SpacePolicy::fragmented_hotspot && fragments_count_ > 1;
    for (Fragment& f : fragments_) f.current.store_relaxed(kNoRegion);
    limit_.store_relaxed(~u64(0));
    soon_.store_relaxed(~u64(0));
  }
  // The home of what a thread on `node` takes.
  u8 home(u32 node) const {
    switch (policy_) {
      case SpacePolicy::firsttouch: return role_ == Role::eden ? kHomeFirstTouch : role_ == Role::survivor ? kHomeTouchedSurvivor : kHomeTouchedOld;
      case SpacePolicy::interleaved: return kHomeInterleaved;
      default: return u8(fragment_of(node));
    }
  }
  // From soon_ns on (the machine's clock) `soon` bytes are all, where they are fewer; not with N21's shares.
  void set_limit(u64 bytes, u64 soon = ~u64(0), u64 soon_ns = 0) {
    if (shares_ && limit() != ~u64(0) && bytes != limit()) remap(limit(), bytes);
    limit_.store_relaxed(bytes);
    soon_.store_relaxed(shares_ ? bytes : min_of(soon, bytes));
    soon_ns_.store_relaxed(soon_ns);
  }
  u64 limit() const { return limit_.load_relaxed(); }
  u64 used() const { return used_.load_relaxed(); }
  void reset_used() {
    used_.store_relaxed(0);
    for (Fragment& f : fragments_) f.used.store_relaxed(0);
  }

  // At least `least` bytes, up to `want`, for a thread on `node`; empty when the limit or the memory is used up. Multiples of 8,
  // least <= region size.
  // batch: for who can use several holes one after the other. Where the range is a hole smaller than `want` it gets further ones, of `want` bytes in all with it. Between pins a hole is
  // often smaller than a buffer, and each visit here takes lines from other processors that they want back.
  struct Batch {
    static constexpr u32 kMost = 16;
    u32 count = 0;
    usize bytes = 0;
    Range ranges[kMost];
  };
  Range take(usize least, usize want, u32 node = 0, Batch* batch = nullptr) {
    Fragment& fragment = fragments_[fragment_of(node)];
    if (GARNER_LIKELY(!shares_)) return take_counted(least, want, fragment, batch);
    u64 share = align_down(limit() / fragments_count_, kWordBytes), had = fragment.used.load_relaxed();
    if (had + least > share) return {}; // a moment's excess by racing threads is harmless
    Range range = take_counted(least, min_of<u64>(want, share - had), fragment, batch);
    fragment.used.fetch_add_relaxed(range.bytes() + bytes_of(batch));
    return range;
  }

  // Whether threads on `node` have been given half of what they may have since reset_used, which is since the last collection: who gets nothing came late,
  // and it is not memory that lacks. A hint.
  bool given_out(u32 node = 0) const {
    return shares_ ? 2 * fragments_[fragment_of(node)].used.load_relaxed() >= limit() / fragments_count_ : 2 * used() >= allowed();
  }

  // A hole of a walkable region, formatted as filler; smaller ones than kLeastHole are not worth the entry.
  static constexpr usize kLeastHole = 256;
  void add_hole(word begin, word end) {
    if (end - begin >= kLeastHole && holes_[bin_of(end - begin)].push({begin, end, false})) hole_bytes_.fetch_add_relaxed(end - begin);
  }
  // The holes that one of several threads finds, added many under one lock, and the last ones when it ends.
  class Found {
   public:
    explicit Found(Space& space) : space_(space) {}
    ~Found() { give(); }
    Found(const Found&) = delete;
    Found& operator=(const Found&) = delete;
    void add(word begin, word end) {
      if (end - begin < kLeastHole) return;
      holes_[count_++] = {begin, end, false};
      if (count_ == kAtOnce) give();
    }

   private:
    static constexpr u32 kAtOnce = 64;
    void give() {
      if (count_ == 0) return;
      Locked<typename M::Lock> guard(space_.lock_);
      for (u32 i = 0; i < count_; i++) space_.add_hole(holes_[i].begin, holes_[i].end);
      count_ = 0;
    }
    Space& space_;
    u32 count_ = 0;
    Range holes_[kAtOnce];
  };
  void forget_holes() { // the world stands
    for (Vector<Range>* bins : {holes_, resting_})
      for (u32 i = 0; i < kBins; i++) {
        const usize had = bins[i].size();
        bins[i].clear();
        bins[i].ease(had, kKeptHoles); // a sparse heap makes them long
      }
    rests_ = false;
    hole_bytes_.store_relaxed(0);
  }
  // All of them go to a space that takes their regions over.
  void give_holes(Space& to) {
    for (Vector<Range>* bins : {holes_, resting_})
      for (u32 i = 0; i < kBins; i++)
        for (const Range& hole : bins[i]) to.add_hole(hole.begin, hole.end);
    forget_holes();
  }
  // Where there are more holes than will be asked for, those of the emptiest regions rest: what keeps such a region dies and nothing comes to it, so that it is
  // free again one day. `keep`: as many bytes of holes do not rest. They are given before another region is taken. The regions' live_bytes must be known.
  void rest(u64 keep) {
    usize sums[kClasses] = {}, all = 0;
    for (Vector<Range>& bin : holes_)
      for (const Range& hole : bin) {
        sums[class_of(hole)] += hole.bytes();
        all += hole.bytes();
      }
    if (all <= keep) return;
    rests_ = true;
    usize left = all - keep;
    u32 first = 0; // classes below rest whole
    while (first < kClasses && sums[first] <= left) left -= sums[first++];
    for (u32 i = 0; i < kBins; i++)
      for (usize at = 0; at < holes_[i].size();) {
        Range hole = holes_[i][at];
        u32 of = class_of(hole);
        if (of > first || (of == first && hole.bytes() > left) || !resting_[i].push(hole)) {
          at++;
          continue;
        }
        if (of == first) left -= hole.bytes();
        holes_[i][at] = holes_[i].back();
        holes_[i].pop();
      }
  }
  usize hole_bytes() const { return hole_bytes_.load_relaxed(); }

  // Before a collection that scans cards of this space's regions: what is carved from here on shares no card with what is there.
  void align_to_card() {
    for (u32 i = 0; i < fragments_count_; i++) align_to_card(fragments_[i]);
  }
  // The next request takes a new region. The old one keeps what lies below its top.
  void abandon() {
    for (u32 i = 0; i < fragments_count_; i++) abandon(fragments_[i]);
  }
  u32 current(u32 node = 0) const { return fragments_[fragment_of(node)].current.load_relaxed(); }

 private:
  // A line each: every node's threads write their own.
  struct alignas(kLineBytes) Fragment {
    Atomic<u32> current; // release by the fetcher, acquire by takers
    Atomic<u64> used;    // N21 only; relaxed: a count
    alignas(kLineBytes) typename M::Lock lock; // guards the change of current
  };

  u32 fragment_of(u32 node) const { return node < fragments_count_ ? node : 0; }

  Range take_counted(usize least, usize want, Fragment& fragment, Batch* batch) {
    u64 before = used_.fetch_add_relaxed(want);
    if (GARNER_UNLIKELY(before + want > soon_.load_relaxed()) && before + want > allowed()) {
      used_.fetch_sub_relaxed(want);
      if (want == least) return {};
      want = least;
      before = used_.fetch_add_relaxed(want);
      if (before + want > allowed()) {
        used_.fetch_sub_relaxed(want);
        return {};
      }
    }
    Range range = take_hole(holes_, least, want, fragment, batch);
    if (range.begin == 0) range = take_bump(least, want, fragment, batch);
    if (const usize got = range.bytes() + bytes_of(batch); want != got) used_.fetch_sub_relaxed(want - got);
    return range;
  }

  // What it may have in all. Asks the clock, so only of interest to who wants more than it may have soon.
  GARNER_COLD u64 allowed() const {
    const u64 soon = soon_.load_relaxed();
    return soon < limit() && heap_->machine().now() >= soon_ns_.load_relaxed() ? soon : limit();
  }

  // The resizing of N21: fragment i of a contiguous space of L bytes is [i L / K, (i + 1) L / K), so a new L moves every border but the first.
  void remap(u64 before, u64 after) {
    u64 moved = before < after ? after - before : before - after;
    for (u32 i = 1; i < fragments_count_; i++) heap_->rebind(moved * i / fragments_count_, u8(i));
  }

  void align_to_card(Fragment& fragment) {
    u32 index = fragment.current.load_relaxed();
    if (index == kNoRegion) return;
    auto& r = heap_->region(index);
    word top = r.top.load_relaxed(), aligned = align_up(top, kCardBytes);
    if (aligned == top) return;
    if (aligned - top < kMinObjectBytes) aligned += kCardBytes;
    if (aligned > heap_->end_of(index)) return abandon(fragment);
    heap_->fill(top, aligned - top);
    note_start(*heap_, index, top, aligned);
    r.top.store_relaxed(aligned);
  }
  void abandon(Fragment& fragment) { fragment.current.store_relaxed(kNoRegion); }

  Range take_bump(usize least, usize want, Fragment& fragment, Batch* batch) {
    Backoff lost;
    while (true) {
      u32 index = fragment.current.load_acquire(); // pairs with the release below: the region's top is initialised
      if (GARNER_LIKELY(index != kNoRegion)) {
        auto& r = heap_->region(index);
        word end = heap_->end_of(index), top = r.top.load_relaxed();
        while (end - top >= least) {
          usize bytes = min_of(want, usize(end - top));
          if (usize rest = end - top - bytes; rest != 0 && rest < kMinObjectBytes) bytes -= kMinObjectBytes; // never a rest too small for a filler
          if (bytes < least) break;
          if (r.top.cas_relaxed(top, top + bytes)) {
            note_start(*heap_, index, top, top + bytes);
            return {top, top + bytes, reads<M>(r.clean)};
          }
          lost.wait(heap_->machine());
          top = r.top.load_relaxed();
        }
      }
      if (GARNER_UNLIKELY(rests_))
        if (Range range = take_hole(resting_, least, want, fragment, batch); range.begin != 0) return range;
      if (!fetch(fragment, index, want)) return {};
    }
  }

  // Another region than `seen` is current. False when there is no memory. Whoever does not get the lock looks at what its holder will change, and seldom: the line
  // of a lock that n workers try for passes n times from one to the next, and each release takes it from all of them. 192 workers who found one region full
  // at once stood 8 ms at a plain lock. Nor does anybody wait until the system has brought all of a region: its first `want` bytes are there, and the fetcher goes ahead of who fills the rest.
  bool fetch(Fragment& fragment, u32 seen, usize want) {
    for (Backoff lost; fragment.current.load_relaxed() == seen;) {
      if (!fragment.lock.try_lock()) {
        lost.wait(heap_->machine());
        continue;
      }
      bool found = true;
      typename Heap<M>::Unbrought rest;
      if (fragment.current.load_relaxed() == seen) {
        u32 fresh = heap_->take_region(role_, label_, age_, home(u32(&fragment - fragments_)), reach_, &rest, want);
        found = fresh != kNoRegion;
        if (found) fragment.current.store_release(fresh);
      }
      fragment.lock.unlock();
      heap_->bring(rest);
      return found;
    }
    return true;
  }

  // Holes stand in bins by size, each of twice the size of the one before. A single object gets the smallest hole that fits, so that
  // large holes stay; a buffer the largest, so that buffers are few.
  Range take_hole(Vector<Range>* bins, usize least, usize want, Fragment& fragment, Batch* batch) {
    if (GARNER_LIKELY(hole_bytes_.load_relaxed() == 0)) return {}; // a hint: whoever misses a new hole bumps instead
    Locked<typename M::Lock> guard(lock_);
    const Range first = find_hole(bins, least, want, fragment);
    if (first.begin == 0 || batch == nullptr) return first;
    while (batch->count < Batch::kMost && first.bytes() + batch->bytes + kLeastHole <= want) {
      const Range next = find_hole(bins, kLeastHole, want - first.bytes() - batch->bytes, fragment);
      if (next.begin == 0) break;
      batch->ranges[batch->count++] = next;
      batch->bytes += next.bytes();
    }
    return first;
  }
  static usize bytes_of(const Batch* batch) { return batch == nullptr ? 0 : batch->bytes; }

  // Under the lock.
  Range find_hole(Vector<Range>* bins, usize least, usize want, Fragment& fragment) {
    u32 lowest = bin_of(least);
    for (u32 i = lowest; i < kBins; i++)
      if (u32 number = want == least ? i : kBins - 1 - (i - lowest); !bins[number].empty())
        if (Range range = take_from(bins[number], next_[number], least, want, u32(&fragment - fragments_)); range.begin != 0) return range;
    return {};
  }

  Range take_from(Vector<Range>& bin, usize& next, usize least, usize want, u32 node) {
    for (usize tries = min_of<usize>(bin.size(), kTries); tries > 0; tries--) {
      if (next >= bin.size()) next = 0;
      Range hole = bin[next];
      u32 index = heap_->index_at(hole.begin);
      auto& r = heap_->region(index);
      usize bytes = min_of(want, hole.bytes());
      if (usize rest = hole.bytes() - bytes; rest != 0 && rest < kMinObjectBytes) bytes -= kMinObjectBytes; // never a rest too small for a filler
      bool foreign = fragments_count_ > 1 && heap_->home(index) != node;
      if (bytes < least || r.dirty.load_relaxed() != 0 || foreign) { // too small, its cards are being scanned, another node's: another one's turn
        next++;
        continue;
      }
      bin[next] = bin.back();
      bin.pop();
      hole_bytes_.fetch_sub_relaxed(hole.bytes());
      Range out{hole.begin, hole.begin + bytes, false};
      heap_->fill(out.end, hole.end - out.end);
      note_start(*heap_, index, out.begin, out.end);
      note_start(*heap_, index, out.end, hole.end);
      add_hole(out.end, hole.end); // a rest below kLeastHole stays filler, lost until the next collection that looks at the region
      return out;
    }
    return {};
  }

  static constexpr u32 kBins = 12; // [256, 512) … [512 KiB, …)
  static constexpr usize kTries = 8;
  static constexpr usize kKeptHoles = 1 << 12; // of each bin
  static constexpr u32 kClasses = 64; // of regions, by how much of them lives
  u32 class_of(const Range& hole) const { return min_of(u32(heap_->region(heap_->index_at(hole.begin)).live_bytes * kClasses / heap_->region_bytes()), kClasses - 1); }
  static u32 bin_of(usize bytes) { return min_of(u32(log2_floor(max_of(bytes, kLeastHole)) - log2_floor(kLeastHole)), kBins - 1); }

  Heap<M>* heap_ = nullptr;
  Role role_{};
  u8 label_ = 0, age_ = 0;
  SpacePolicy policy_ = SpacePolicy::firsttouch;
  Reach reach_ = Reach::ordinary; // of what the budget keeps back
  bool rests_ = false;       // some holes rest, or did; changes with the world stopped
  bool shares_ = false;      // N21: a fragment has its share of the limit only
  u32 fragments_count_ = 1;
  Fragment fragments_[kMostNodes];
  Atomic<u64> used_;     // relaxed: a count; equals bytes handed out since reset_used
  Atomic<u64> limit_;
  Atomic<u64> soon_, soon_ns_; // relaxed: numbers, as limit_; changed with the world stopped, or beside the program to what is no less
  typename M::Lock lock_; // guards holes_ and resting_
  Vector<Range> holes_[kBins], resting_[kBins];
  usize next_[kBins] = {};   // where the next request looks first
  Atomic<usize> hole_bytes_; // relaxed: read without the lock as a hint only
};

} // namespace garner
