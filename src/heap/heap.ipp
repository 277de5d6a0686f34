// Heap: reservation and tables, regions found, taken and given back, and their commitment (heap.h).
#pragma once
#include "base/print.h"
#include "heap/heap.h"

namespace garner {

template <class M> bool Heap<M>::init(M& machine, const HeapShape& shape, Filler filler) {
  machine_ = &machine;
  shape_ = shape;
  filler_ = filler;
  shift_ = log2_floor(shape.region_bytes);
  usize alignment = max_of(shape.region_bytes, usize(1) << kBundleShift);
  usize least = align_up(max_of(shape.least_bytes, 16 * shape.region_bytes), alignment);
  for (bytes_ = align_up(max_of(shape.reserve_bytes, least), alignment);; bytes_ = align_up(bytes_ / 2, alignment)) {
    constexpr usize kTables = 11;
    usize tables[kTables] = {(bytes_ >> shift_) * sizeof(RegionT), bytes_ >> shift_, bytes_ >> shift_, bytes_ >> kCardShift,
                             bytes_ >> kBundleShift, (bytes_ >> kCardShift) * sizeof(u16), bytes_ / kMarkBlockBytes * sizeof(MarkWord<M>),
                             div_up(bytes_ >> shift_, kSlabRegions), bytes_ / kMarkBlockBytes * sizeof(Targets::Entry),
                             shape.beside ? bytes_ / kMarkBlockBytes * sizeof(MarkWord<M>) : 0, shape.beside ? bytes_ >> kWrittenShift : 0};
    word at[kTables] = {};
    static_assert(kBundleShift == 21, "a large page is as aligned as the heap");
    base_ = shape.large_pages ? machine.reserve_large(bytes_) : machine.reserve(bytes_, alignment);
    bool good = base_ != 0;
    for (usize i = 0; i < kTables && good; i++) good = tables[i] == 0 || (at[i] = machine.reserve(align_up(tables[i], kPageBytes), (i == 6 || i == 8) && shape.huge_from != ~usize(0) ? kHugePageBytes : kPageBytes)) != 0;
    for (usize i : {1, 2, 4, 7}) good = good && machine.open(at[i], tables[i]); // the small ones at once
    if (good) {
      count_ = u32(bytes_ >> shift_);
      table_ = reinterpret_cast<RegionT*>(at[0]);
      labels_ = reinterpret_cast<u8*>(at[1]);
      cset_ = reinterpret_cast<u8*>(at[2]);
      cards_ = reinterpret_cast<u8*>(at[3]);
      bundles_ = reinterpret_cast<u8*>(at[4]);
      starts_ = reinterpret_cast<u16*>(at[5]);
      marks_.attach(reinterpret_cast<MarkWord<M>*>(at[6]), base_);
      homes_ = reinterpret_cast<u8*>(at[7]);
      targets_.attach(reinterpret_cast<Targets::Entry*>(at[8]), base_);
      if (shape.beside) {
        old_marks_.attach(reinterpret_cast<MarkWord<M>*>(at[9]), base_);
        written_.attach(reinterpret_cast<u8*>(at[10]), base_);
      }
      memset(homes_, kHomeNone, tables[7]);
      break;
    }
    for (usize i = 0; i < kTables; i++)
      if (at[i] != 0) machine.release(at[i], align_up(tables[i], kPageBytes));
    if (base_ != 0) machine.release(base_, bytes_);
    if (bytes_ / 2 < least || shape.large_pages) return false;
  }
  budget_.set_limit(shape.limit);
  nodes_ = min_of(machine.nodes(), kMostNodes);
  return true;
}

// Makes everything up to region `last` usable. False when the system refuses. Called with lock_ held.
template <class M> bool Heap<M>::open_through(u32 last) {
  const usize needed = end_of(last) - base_;
  if (needed <= opened_) return true;
  const usize most = min_of(align_up(needed, kOpenedAtOnce), bytes_);
  if (open_to(most)) return true;
  // Near the system's own limit (RLIMIT_DATA, overcommit) there may be room for so much. What a collection needs for its lists comes from there, too.
  void* spare = most != needed ? map_own(kSpareBytes) : nullptr;
  if (spare == nullptr) return false;
  const bool good = open_to(needed);
  unmap_own(spare, kSpareBytes);
  return good;
}

template <class M> bool Heap<M>::open_to(usize to) {
  const usize from = opened_;
  auto part = [&](const void* table, usize per, usize unit) { // of a table with `unit` bytes for every `per` bytes of heap
    return machine_->open(word(table) + from / per * unit, (to - from) / per * unit);
  };
  if (!part(table_, region_bytes(), sizeof(RegionT)) || !part(cards_, kCardBytes, 1) ||
      !part(starts_, kCardBytes, sizeof(u16)) || !part(&marks_.entry_of(base_), kMarkBlockBytes, sizeof(MarkWord<M>)) || !part(&targets_.entry_of(base_), kMarkBlockBytes, sizeof(Targets::Entry)) ||
      (shape_.beside && (!part(&old_marks_.entry_of(base_), kMarkBlockBytes, sizeof(MarkWord<M>)) || !part(written_.of_heap(), kWrittenBytes, 1))) ||
      !machine_->open(base_ + from, to - from)) // last: what is open is charged by a system that does not overcommit, used or not
    return false;
  __atomic_store_n(&opened_, to, __ATOMIC_RELAXED);
  return true;
}

// Only asked: where the system has none at hand pages are small. The simulated machine's pages are as its file says.
template <class M> void Heap<M>::ask_huge(word at, usize bytes, bool huge) {
  if constexpr (requires { machine_->want_huge_pages(at, bytes); }) {
    if (huge) machine_->want_huge_pages(at, bytes);
    else machine_->want_small_pages(at, bytes);
  }
}

// The first touch of a region whose neighbours are as fresh brings a huge page, if the budget has room for all of it. The rest stands among the warm ones, to be
// taken next. `index` has just been taken. Whether there is one, whose first touch is to be timed. Called with lock_ held.
template <class M> bool Heap<M>::take_huge(u32 index) {
  const u32 regions = u32(kHugePageBytes >> shift_);
  const u8 here = home(index);
  if (huge_slow_ >= kSlowHuge || (usize(index) << shift_) < shape_.huge_from || index % regions != 0 || index + regions > count_) return false;
  if (here == kHomeInterleaved || (touched_first(here) && nodes_ > 1)) return false; // 2 MB of one node
  for (u32 i = index + 1; i < index + regions; i++)
    if (!unused(i)) return false;
  if (!open_through(index + regions - 1) || !budget_.take((regions - 1) * region_bytes())) return false;
  ask_huge(begin_of(index), kHugePageBytes, true);
  for (u32 i = index + regions; --i > index;) {
    table_[i].charged = u32(region_bytes());
    table_[i].untouched = true;
    untouched_bytes_ += region_bytes();
    free_charged_.fetch_add_relaxed(region_bytes());
    list_warm(i);
  }
  high_water_.store_relaxed(max_of(high_water_.load_relaxed(), index + regions)); // trim looks below it
  return huge_asked_ = true;
}

// Touches what was just taken. A huge page is dear where the system must look for it: where a virtual machine's host has taken free memory back (3 ms a megabyte on one, six times what small
// pages take there, which come from what is at hand), or where memory must be compacted first. When two in a row are, or soon if one in three is, no more are asked for. Called without lock_,
// for which others would wait.
template <class M> void Heap<M>::judge_huge(word at) {
  if constexpr (requires { machine_->want_huge_pages(at, bytes_); }) {
    const u64 before = machine_->now();
    __atomic_store_n(reinterpret_cast<u8*>(at), u8(0), __ATOMIC_RELAXED); // it is zero
    const bool slow = machine_->now() - before > kSlowHugeNs;
    Locked<typename M::Lock> guard(lock_);
    huge_slow_ = slow ? huge_slow_ + kSlowHuge / 2 : huge_slow_ - min_of(huge_slow_, 1u);
    if (slow) return;
    if (usize from = max_of(huge_marks_, shape_.huge_from); from < opened_) {
      const usize blocks = (opened_ - from) / kMarkBlockBytes;
      ask_huge(word(&marks_.entry_of(base_ + from)), blocks * sizeof(MarkWord<M>), true);
      ask_huge(word(&targets_.entry_of(base_ + from)), blocks * sizeof(Targets::Entry), true);
    }
    huge_marks_ = opened_;
  }
}

template <class M> void Heap<M>::bring_marks(u32 from, u32 to) {
  if constexpr (brings) {
    auto used = [&](u32 i) { return table_[i].role != Role::free && !is_large(table_[i].role); };
    for (u32 first = from, end; first < to; first = end) {
      for (end = first; end < to && used(end); end++) {}
      if (end == first) end++; // of a large object one mark is written
      else machine_->bring(word(&marks_.entry_of(begin_of(first))), (end - first) * (region_bytes() / kMarkBlockBytes) * sizeof(MarkWord<M>));
    }
  }
}

// Gives a slab that nobody has used its home. False when it has another. Called with lock_ held.
template <class M> bool Heap<M>::claim(u32 slab, u8 home) {
  if (homes_[slab] != kHomeNone) return homes_[slab] == home;
  homes_[slab] = home;
  word begin = begin_of(slab * kSlabRegions);
  usize bytes = min_of(usize(kSlabRegions) << shift_, base_ + bytes_ - begin);
  Placed placed = touched_first(home) ? Placed::yes : home == kHomeInterleaved ? machine_->interleave(begin, bytes) : machine_->bind(begin, bytes, home);
  if (placed == Placed::refused && !refused_) {
    refused_ = true;
    if (shape_.notices) say("the system refuses memory policies here (mbind); pages are placed where they are first touched");
  }
  return true;
}

// The lowest free region of a home without charge, so that the used range stays dense. Called with lock_ held.
template <class M> u32 Heap<M>::find_fresh(u8 home) {
  u32& cursor = cursor_[list_of(home)];
  for (u32 i = cursor; i < count_;) {
    if (homes_[i / kSlabRegions] != home && homes_[i / kSlabRegions] != kHomeNone) {
      i = (i / kSlabRegions + 1) * kSlabRegions;
      continue;
    }
    if (unused(i) && claim(i / kSlabRegions, home)) {
      cursor = i;
      return i;
    }
    i++;
  }
  return kNoRegion;
}

// Free regions in a row whose slabs have the home or none yet, `last` bytes of the last of them needed: those whose pages are there and few more. What is missing must be brought, and what is
// beyond is of no use while the object lives, and missing for an eden that comes for it: regions that objects of one size have left are for others of that size. Below `end`. Called with
// lock_ held.
template <class M> u32 Heap<M>::find_run(u32 regions, usize last, u8 home, u32 end) {
  const u32 had = free_charged_.load_relaxed() == 0 ? 0 : high_water_.load_relaxed(); // beyond it nothing is charged
  const u64 room = budget_.room(); // where it does not hold what is missing another region's pages are given up
  auto charged = [&](u32 i) { return i < had ? usize(table_[i].charged) : 0; };
  auto gap = [&](u32 i) { return region_bytes() - charged(i); };
  u32 length = 0, best = kNoRegion;
  usize gaps = 0, least = ~usize(0); // gaps: of the regions before i that are of one run with it
  while (first_free_ < end && !is_free(first_free_)) first_free_++;
  for (u32 i = first_free_, looked = 0; i < end && looked < kRunsCompared && (best == kNoRegion || i < had + regions); i++) {
    const u8 h = homes_[i / kSlabRegions];
    looked += best != kNoRegion;
    if (!is_free(i) || (h != home && h != kHomeNone)) {
      length = 0, gaps = 0;
      continue;
    }
    if (length == regions) gaps -= gap(i - regions);
    else length++;
    if (length == regions) {
      const usize there = charged(i), missing = gaps + (last - min_of(last, there)), cost = missing + (there - min_of(last, there)) + (missing > room ? region_bytes() : 0);
      if (cost < least) least = cost, best = i + 1 - regions;
      if (cost <= last / kNearMatch) break;
    }
    gaps += gap(i);
  }
  if (best != kNoRegion)
    for (u32 slab = best / kSlabRegions; slab <= (best + regions - 1) / kSlabRegions; slab++) claim(slab, home);
  return best;
}

template <class M> void Heap<M>::enter(u32 index, Role role, u8 label, u8 age) {
  RegionT& r = table_[index];
  word begin = begin_of(index);
  r.top.store_relaxed(begin);
  r.scan_top = begin;
  r.live_bytes = r.object_bytes = 0;
  r.run = 1;
  r.next = kNoRegion;
  r.age = age;
  if (r.untouched) untouched_bytes_ -= region_bytes();
  r.kept = r.pinned_objects = r.untouched = r.unswept = false;
  r.tables = true;
  r.marked.store_relaxed(0);
  r.dirty.store_relaxed(0);
  writes<M>(r.role) = role;
  set_label(index, label);
  cset_[index] = 0;
  if (index >= high_water_.load_relaxed()) high_water_.store_relaxed(index + 1);
}

// A region of the list in its new role, or none. Called with lock_ held.
template <class M> typename Heap<M>::Taken Heap<M>::take_warm(Vector<u32>& list, Role role, u8 label, u8 age) {
  while (!list.empty()) {
    u32 index = pop_warm(list);
    RegionT& r = table_[index];
    if (r.role != Role::free || r.charged == 0) continue; // taken meanwhile as part of a run, or trimmed
    usize missing = region_bytes() - r.charged;
    if (missing != 0 && &list != &partial_[list_of(this->home(index))]) { // it was listed when all of it was there
      list_warm(index);
      continue;
    }
    if (missing != 0 && !budget_.take(missing)) {
      drop_pages(index);
      continue;
    }
    free_charged_.fetch_sub_relaxed(r.charged);
    r.charged = u32(region_bytes());
    writes<M>(r.clean) = r.untouched;
    enter(index, role, label, age);
    return {index, region_bytes() - missing, false};
  }
  return {};
}

// Not where eden's regions never become others': pages that stay with who touched them first. Nor where the budget is nearly spent: what is held would only be
// dropped for the next large object. Called with lock_ held.
template <class M> bool Heap<M>::holds(Role role, u8 home) const {
  return held_ != 0 && role == Role::eden && (nodes_ == 1 || !touched_first(home)) && free_charged_.load_relaxed() - untouched_bytes_ <= held_ && budget_.room() >= 2 * held_;
}

template <class M> u32 Heap<M>::take_region(Role role, u8 label, u8 age, u8 home, Reach reach, Unbrought* later, usize soon) {
  Taken taken;
  const u8 settled = settle(home);
  {
    Locked<typename M::Lock> guard(lock_);
    taken = take_locked(role, label, age, settled, reach, nodes_ == 1);
  }
  if (taken.index == kNoRegion) return kNoRegion;
  if (taken.huge) {
    judge_huge(begin_of(taken.index));
    return taken.index;
  }
  const usize first = later != nullptr ? min_of(align_up(soon, kPageBytes), region_bytes()) : region_bytes();
  const u8 placed = this->home(taken.index);
  bring_small(taken.index, taken.there, first, placed);
  if (first < region_bytes()) *later = {taken.index, max_of(taken.there, first), placed};
  return taken.index;
}

// Soon all of it is written to, a page at a time, each with an interrupt that costs more than the page does. Not of the first regions, which a program that soon ends uses a part of; nor
// where the node of the first touch counts; nor of pages that are there from the start. Called without lock_.
template <class M> void Heap<M>::bring_small(u32 index, usize from, usize to, u8 home) {
  if constexpr (brings)
    if (from < to && (usize(index) << shift_) >= kTouchedSingly && !shape_.large_pages && (nodes_ == 1 || !touched_first(home))) machine_->bring(begin_of(index) + from, to - from);
}

// No addresses of this home are left, as slabs keep theirs: another's do, whose pages lie elsewhere. Called with lock_ held.
template <class M> typename Heap<M>::Taken Heap<M>::take_elsewhere(Role role, u8 label, u8 age, u8 home, Reach reach) {
  Taken taken;
  each_other_home(home, [&](u8 other) { return (taken = take_locked(role, label, age, other, reach, true)).index != kNoRegion; });
  return taken;
}

// here: of this home only. Called with lock_ held.
template <class M> typename Heap<M>::Taken Heap<M>::take_locked(Role role, u8 label, u8 age, u8 home, Reach reach, bool here) {
  const u32 list = list_of(home);
  bool charged = false;
  Taken taken;
  auto found = [&](Vector<u32>& in) { return (taken = take_warm(in, role, label, age)).index != kNoRegion; };
  if (GARNER_LIKELY(!holds(role, home))) {
    if (found(warm_[list]) || found(untouched_[list])) return taken;
  } else {
    if (found(untouched_[list])) return taken;
    charged = budget_.take(region_bytes());
    if (!charged && found(warm_[list])) return taken;
  }
  if (!charged && found(partial_[list])) return taken;
  taken = {find_fresh(home), 0, false};
  const bool none = taken.index == kNoRegion;
  if (none || !open_through(taken.index) || !(charged || find_budget(region_bytes(), 0, 0, reach))) {
    if (charged) budget_.give(region_bytes());
    if (charged && (found(warm_[list]) || found(partial_[list]))) return taken;
    return none && !here ? take_elsewhere(role, label, age, home, reach) : Taken{};
  }
  table_[taken.index].charged = u32(region_bytes());
  enter(taken.index, role, label, age);
  writes<M>(table_[taken.index].clean) = true;
  taken.huge = take_huge(taken.index);
  return taken;
}

// Until it is granted free regions give up their pages, but not those of the run [first, first + regions). Called with lock_ held.
template <class M> template <class F> bool Heap<M>::give_way(u32 first, u32 regions, F granted) {
  while (!granted())
    if (!drop_one(first, regions)) return false;
  return true;
}

template <class M> bool Heap<M>::find_budget(usize bytes, u32 first, u32 regions, Reach reach) {
  return give_way(first, regions, [&] { return budget_.take(bytes, reach); });
}

template <class M> bool Heap<M>::lend(usize bytes, Reach reach) {
  if (budget_.grant(bytes, reach)) return true;
  Locked<typename M::Lock> guard(lock_);
  if (bytes > region_bytes() && !budget_.could(bytes, free_charged_.load_relaxed(), reach)) return false; // pages that come back at once are not given up for nothing; less is to be had
  return give_way(0, 0, [&] { return budget_.grant(bytes, reach); });
}

template <class M> bool Heap<M>::mark_twice() {
  Locked<typename M::Lock> guard(lock_);
  if (!budget_.may_mark_twice(free_charged_.load_relaxed())) return false; // pages that come back at once are not given up for nothing
  return give_way(0, 0, [&] { return budget_.mark_twice(); });
}

// A free region of any home gives up its pages, or, where there is none, large objects do. False: nothing is left. Called with lock_ held.
template <class M> bool Heap<M>::drop_one(u32 first, u32 regions) {
  u32 victim = kNoRegion;
  for (Vector<u32>* lists : {untouched_, partial_, warm_})
    for (u32 i = 0; i < kLists; i++)
      while (!lists[i].empty() && victim == kNoRegion) {
        u32 w = pop_warm(lists[i]);
        if (table_[w].role == Role::free && table_[w].charged != 0 && (w < first || w >= first + regions)) victim = w;
      }
  if (victim == kNoRegion) return find_beyond();
  drop_pages(victim);
  return true;
}

// Large objects give up the pages behind them, all at once: there is nothing else left. False: there are none. Called with lock_ held.
template <class M> bool Heap<M>::find_beyond() {
  const usize before = budget_.charged();
  if (free_charged_.load_relaxed() != 0)
    each_region([&](u32 index, RegionT& r) {
      if (r.role == Role::large) drop_beyond(index);
    });
  return budget_.charged() < before;
}

// Each region stands in one of the lists at most once, whatever became of it meanwhile: who pops it looks. Called with lock_ held.
template <class M> void Heap<M>::list_warm(u32 index) {
  RegionT& r = table_[index];
  if (r.warm) return;
  r.warm = (r.untouched ? untouched_ : r.charged < region_bytes() ? partial_ : warm_)[list_of(home(index))].push(index);
  if (!r.warm) drop_pages(index);
}
template <class M> u32 Heap<M>::pop_warm(Vector<u32>& list) {
  u32 index = list.back();
  list.pop();
  table_[index].warm = false;
  return index;
}

// The bytes of these regions of one home read as zero afterwards; large pages stay ours. Called with lock_ held.
template <class M> void Heap<M>::drop_pages(u32 index, u32 regions) {
  if (shape_.large_pages) {
    memset(reinterpret_cast<void*>(begin_of(index)), 0, regions * region_bytes());
  } else {
    machine_->discard(begin_of(index), regions * region_bytes());
    page_nodes_.forget(begin_of(index), regions * region_bytes());
    // The next touch must not bring more than is charged then.
    if (usize offset = usize(index) << shift_; offset >= shape_.huge_from && huge_asked_) ask_huge(base_ + align_down(offset, kHugePageBytes), kHugePageBytes, false);
  }
  for (u32 i = index; i < index + regions; i++) {
    RegionT& r = table_[i];
    if (r.untouched) untouched_bytes_ -= r.charged;
    budget_.give(r.charged);
    free_charged_.fetch_sub_relaxed(r.charged);
    r.charged = 0;
    r.untouched = false;
  }
  u32& cursor = cursor_[list_of(home(index))];
  cursor = min_of(cursor, index);
}

template <class M> u32 Heap<M>::take_large(usize bytes, bool zero, bool pinned, u8 home, Reach reach) {
  usize room = region_bytes();
  u32 regions = u32(div_up(bytes, room));
  const u8 settled = settle(home);
  u32 first;
  usize old_data = 0; // bytes from the start of the run that may hold stale data
  usize there = 0;    // of its first region, charged before
  bool again = false; // it has been in use before
  {
    Locked<typename M::Lock> guard(lock_);
    const usize last = align_up(bytes - (regions - 1) * room, kPageBytes);
    first = find_run(regions, last, settled, count_);
    if (first == kNoRegion && nodes_ > 1) each_other_home(settled, [&](u8 other) { return (first = find_run(regions, last, other, count_)) != kNoRegion; });
    if (first != kNoRegion && !open_through(first + regions - 1)) first = find_run(regions, last, this->home(first), u32(opened_ >> shift_)); // the system grants no more
    if (first == kNoRegion) return kNoRegion;
    usize need = 0, had = 0, beyond = 0; // beyond: what the run's last region has and the object does not need
    for (u32 i = 0; i < regions; i++) {
      usize want = align_up(min_of(room, bytes - i * room), kPageBytes), charged = table_[first + i].charged;
      need += want > charged ? want - charged : 0;
      beyond = charged > want ? charged - want : 0;
      had += charged;
    }
    if (!find_budget(need, first, regions, reach)) { // other free regions' pages could not make it
      for (u32 i = 0; i < regions; i++)       // their entries may have been popped
        if (table_[first + i].charged != 0) list_warm(first + i);
      return kNoRegion;
    }
    free_charged_.fetch_sub_relaxed(had - beyond);
    there = table_[first].charged;
    again = first < high_water_.load_relaxed();
    for (u32 i = 0; i < regions; i++) {
      RegionT& r = table_[first + i];
      usize want = align_up(min_of(room, bytes - i * room), kPageBytes);
      want = max_of(want, usize(r.charged)); // what is there beyond the need stays with the run until somebody lacks it (drop_beyond)
      if (r.charged != 0 && !r.untouched) old_data = min_of(bytes, i * room + r.charged);
      r.charged = u32(want);
      enter(first + i, i == 0 ? Role::large : Role::large_tail, kLabelOld, 0);
      r.next = first;
    }
    RegionT& head = table_[first];
    head.run = regions;
    head.object_bytes = bytes;
    head.pinned_objects = pinned;
    head.top.store_relaxed(begin_of(first) + bytes);
    head.scan_top = begin_of(first) + bytes;
  }
  // What was charged may never have been touched: of much, dropping the pages costs less than clearing them and takes no memory.
  if (old_data > kClearedByHand && !shape_.large_pages) {
    machine_->discard(begin_of(first), align_up(old_data, kPageBytes));
    page_nodes_.forget(begin_of(first), align_up(old_data, kPageBytes));
  }
  else if (zero && old_data != 0) memset(reinterpret_cast<void*>(begin_of(first)), 0, old_data);
  else if (old_data != 0) memset(reinterpret_cast<void*>(begin_of(first)), 0, 2 * kWordBytes); // header and type word always
  // Where objects of one region come and go their pages do, and what replaces one is written to as an eden's region is. Of the first ones nobody knows: a program may have thousands of buffers of
  // which it touches little. Nor of larger ones: much of an array that grows by doubling stays untouched.
  if (regions == 1 && again) bring_small(first, there, align_up(bytes, kPageBytes), this->home(first));
  return first;
}

template <class M> usize Heap<M>::beyond(u32 head) const {
  const RegionT& r = table_[head];
  return table_[head + r.run - 1].charged - align_up(r.object_bytes - (r.run - 1) * region_bytes(), kPageBytes);
}

// Called with lock_ held.
template <class M> void Heap<M>::drop_beyond(u32 head) {
  const usize bytes = beyond(head);
  if (bytes == 0) return;
  RegionT& last = table_[head + table_[head].run - 1];
  const word at = begin_of(head + table_[head].run - 1) + last.charged - bytes;
  if (shape_.large_pages) {
    memset(reinterpret_cast<void*>(at), 0, bytes);
  } else {
    machine_->discard(at, bytes);
    page_nodes_.forget(at, bytes);
  }
  last.charged -= u32(bytes);
  budget_.give(bytes);
  free_charged_.fetch_sub_relaxed(bytes);
}

template <class M> void Heap<M>::free_locked(u32 index) {
  u32 regions = table_[index].role == Role::large ? table_[index].run : 1;
  if (table_[index].role == Role::large)
    if (usize counted = beyond(index); counted != 0) free_charged_.fetch_sub_relaxed(counted); // all of it is counted below
  clear_cards(begin_of(index), begin_of(index) + regions * region_bytes());
  // Of a large object only the first region: a program may have 28 GB of arrays that it never touched, on a machine that has less.
  if (shape_.poison) memset(reinterpret_cast<void*>(begin_of(index)), 0xdb, min_of(usize(table_[index].charged), region_bytes()));
  for (u32 i = index; i < index + regions; i++) {
    RegionT& r = table_[i];
    writes<M>(r.role) = Role::free;
    r.top.store_relaxed(begin_of(i));
    r.clean = false;
    first_free_ = min_of(first_free_, i);
    set_label(i, kLabelEden); // an address in a free region must never look old to the barrier
    cset_[i] = 0;
    free_charged_.fetch_add_relaxed(r.charged);
    if (budget_.borrowed() == 0 || r.charged == 0) {
      list_warm(i);
    } else {
      budget_.repay(r.charged);
      drop_pages(i);
    }
  }
}

template <class M> void Heap<M>::rebind(usize bytes, u8 node) {
  Locked<typename M::Lock> guard(lock_);
  Vector<u32>& warm = warm_[list_of(node)];
  for (usize done = 0; done < bytes && !warm.empty(); done += region_bytes()) {
    u32 index = pop_warm(warm);
    if (table_[index].role != Role::free) continue;
    if (table_[index].charged != 0) drop_pages(index);
    machine_->bind(begin_of(index), region_bytes(), node);
  }
}

// Whole pages of what full collections and markings need of these regions, which are free: marks are zero, and targets are written before they are read. Called with lock_ held.
template <class M> void Heap<M>::drop_tables(u32 index, u32 regions) {
  bool used = false; // by any of them: regions of less than 256 KB share a page
  for (u32 i = index; i < index + regions; i++) {
    used |= table_[i].tables;
    table_[i].tables = false;
  }
  if (!used) return;
  auto drop = [&](const auto& table, usize unit) {
    const word first = word(&table.entry_of(begin_of(index)));
    const word begin = align_up(first, kPageBytes), end = align_down(first + regions * region_bytes() / kMarkBlockBytes * unit, kPageBytes);
    if (begin >= end) return;
    if constexpr (requires { machine_->spare(begin, end - begin); }) machine_->spare(begin, end - begin);
    else machine_->discard(begin, end - begin);
  };
  drop(marks_, sizeof(MarkWord<M>));
  drop(targets_, sizeof(Targets::Entry));
  if (shape_.beside) drop(old_marks_, sizeof(MarkWord<M>));
}

template <class M> u32 Heap<M>::trim_some(usize keep, u32 from, bool tables) {
  Locked<typename M::Lock> guard(lock_);
  const usize before = budget_.charged();
  auto full = [&](u32 first, u32 regions) {
    for (u32 i = first; i < first + regions; i++)
      if (table_[i].role != Role::free || table_[i].charged == 0) return false;
    return true;
  };
  const u32 huge = u32(kHugePageBytes >> shift_);
  u32 i = from, end = from; // free ones from i to end have their tables, and some may have lost their pages before
  auto tables_go = [&] {
    if (tables && i < end) drop_tables(i, end - i);
    end = i;
  };
  while (i > 0 && (tables || free_charged_.load_relaxed() > keep)) {
    if (budget_.charged() + kTrimmedAtOnce <= before || usize(from - i) << shift_ >= kTrimmedOf) {
      tables_go();
      return i;
    }
    // A huge page whole, so that the system need not break it up and the next touch may bring another.
    const u32 regions = (usize(i) << shift_) > shape_.huge_from && i % huge == 0 && full(i - huge, huge) ? huge : 1;
    if (regions == 1 && table_[i - 1].role != Role::free) {
      tables_go();
      end = --i;
      if (table_[i].role == Role::large && free_charged_.load_relaxed() > keep) drop_beyond(i);
      continue;
    }
    i -= regions;
    if ((regions > 1 || table_[i].charged != 0) && free_charged_.load_relaxed() > keep) drop_pages(i, regions);
  }
  tables_go();
  return 0;
}

} // namespace garner
