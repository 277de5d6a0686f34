// Incremental compaction: the choice of regions, and the tasks of a pause (moving.h says what each does, and why it is right).
#pragma once
#include "collect/concurrent/moving.h"
#include "collect/follow_handles.h"

namespace garner {

// ---- the choice ----

template <class H, class M> bool Moving<H, M>::choose() {
  forget();
  if (at_once_ == 0) return false;
  u32 sums[kLiveClasses + 1] = {}; // counting sort: regions that live more come first
  auto class_of = [&](const Region<M>& r) { return kLiveClasses - 1 - min_of(u32(r.live_bytes * kSparse * kLiveClasses / heap_.region_bytes()), kLiveClasses - 1); };
  u64 old = 0;
  heap_.each_region([&](u32, auto& r) {
    old += r.role == Role::old ? heap_.region_bytes() : 0;
    if (candidate(r)) sums[class_of(r) + 1]++;
  });
  for (u32 i = 0; i < kLiveClasses; i++) sums[i + 1] += sums[i];
  const u32 all = sums[kLiveClasses], high = heap_.high_water();
  if (all == 0 || !leaving_.resize(all) || !going_.resize(high) || !counts_.resize(high) || !groups_.resize(high)) return forget(), false;
  heap_.each_region([&](u32 index, auto& r) {
    if (candidate(r)) leaving_[sums[class_of(r)]++] = index;
  });
  u32 first = all;
  for (u64 live = 0; first > 0 && live < kPortions * at_once_; first--) {
    const usize bytes = heap_.region(leaving_[first - 1]).live_bytes;
    live += bytes;
    hole_bytes_ += heap_.region_bytes() - bytes;
  }
  if (hole_bytes_ * kWorth < old || hole_bytes_ < kLeastRegions * heap_.region_bytes()) return forget(), false;
  for (u32 i = first; i < all; i++) leaving_[i - first] = leaving_[i];
  leaving_.truncate(all - first);
  portion_bytes_ = at_once_;
  for (u32 i = 0; i < high; i++) going_[i] = u8(Going::none), counts_[i] = groups_[i] = 0;
  u64 live = 0;
  for (usize i = leaving_.size(); i-- > 0; live += heap_.region(leaving_[i]).live_bytes) {
    groups_[leaving_[i]] = u8(live / at_once_);
    set(leaving_[i], Going::leaves);
  }
  return true;
}

template <class H, class M> void Moving<H, M>::forget() {
  leaving_.release();
  going_.release();
  counts_.release();
  groups_.release();
  for (Vector<word>& list : slots_) list.release();
  noted_ = 0;
  for (u32 i = 0; i < worker_count_; i++) workers_[i].noted.release();
  hole_bytes_ = 0;
}

template <class H, class M> void Moving<H, M>::stay() {
  for (u32 index : leaving_) offer_holes(heap_, spaces_.old, index);
  forget();
}

// ---- a pause ----

template <class H, class M> bool Moving<H, M>::begin() {
  for (Vector<u32>* list : {&portion_, &old_, &young_, &kept_}) list->clear();
  lists_.clear();
  into_.clear();
  root_parts_.clear();
  moved_.store_relaxed(0);
  for (u32 i = 0; i < worker_count_; i++) {
    workers_[i].reset();
    workers_[i].ahead.set_depth(ahead_);
  }
  bool good = true;
  heap_.each_region([&](u32 index, auto& r) {
    if (heap_.label(index) != kLabelOld) good = young_.push(index) && good;
    else
      for (u32 i = 0; i < max_of(r.run, 1u); i++) good = old_.push(index + i) && good;
  });
  return good;
}

// Only roots that refer into regions that leave. One whose slot lies in an object of this heap is found with that object; one without a slot is nobody's to rewrite.
template <class H, class M> void Moving<H, M>::gather_task(Self& self, Kind kind) {
  struct Gathered {
    Moving& m;
    Worker& w;
    GARNER_INLINE void root(Slot slot, word value, RootKind how) {
      w.roots.reported++;
      if (!m.heap_.contains(value) || !m.leaves(m.heap_.index_of(Ref{value}))) return;
      Ref object{value};
      if (how == RootKind::interior || how == RootKind::pinned_interior) {
        object = object_containing(m.heap_, m.host_, value);
        if (object.at == 0) return;
      }
      if (how == RootKind::pinned || how == RootKind::pinned_interior) {
        if (!mutated<M>(Trap::late_pin)) m.pin(object);
      } else if (slot.at != 0 && !m.heap_.contains(slot.at + kHeadBytes)) {
        GARNER_CHECK(w.roots.records.push({slot.at, object, value - object.at}), "no memory to record a root");
      }
    }
  };
  Gathered sink{*this, workers_[self.index]};
  if (sink.w.gathered) return; // once per worker: the host divides itself among those who ask
  sink.w.gathered = true;
  host_.gather(self, sink, kind);
}

// As many as take no longer than to read what was written, as each portion has to; one at least.
template <class H, class M> u32 Moving<H, M>::groups_worth(u32 first, usize written_pages) const {
  const u64 reading = written_pages * kCopiedForPage, room = heap_.budget().room() / 2;
  auto takes = [&](u32 group) { return at_once_ + slots_[group].size() * kCopiedForSlot; };
  u32 next = first + 1;
  for (u64 work = takes(first); next < kPortions && (work += takes(next)) <= reading && (next - first + 1) * at_once_ <= room;) next++;
  return next - first;
}

template <class H, class M> void Moving<H, M>::plan(u32 lists, usize written_pages) {
  HandleTable& handles = host_.handles();
  for (HandleKind kind : {HandleKind::pinned, HandleKind::async_pinned})
    for (u32 i = 0; i < handles.chunks(kind); i++)
      handles.chunk(kind, i)->each([&](word* slot) {
        Ref ref{__atomic_load_n(slot, __ATOMIC_RELAXED)};
        if (heap_.contains(ref.at) && !mutated<M>(Trap::late_pin)) pin(ref);
      });
  bool good = true;
  const u32 next = leaving_.empty() ? 0 : groups_[leaving_.back()], groups = leaving_.empty() ? 0 : groups_worth(next, written_pages);
  portion_bytes_ = groups * at_once_;
  groups_end_ = next + groups;
  for (; !leaving_.empty() && (portion_.empty() || groups_[leaving_.back()] < groups_end_); leaving_.pop()) {
    const u32 index = leaving_.back();
    groups_end_ = max_of(groups_end_, groups_[index] + 1u); // as none of those before goes
    if (state_of(index) == Going::stays) {
      good = kept_.push(index) && good;
      continue;
    }
    good = portion_.push(index) && good;
    set(index, Going::goes);
  }
  const u32 regions = u32(portion_.size()), count = min_of(lists, regions);
  for (u32 i = 0; i < count; i++) good = lists_.push({u32(u64(regions) * i / count), u32(u64(regions) * (i + 1) / count)}) && good;
  for (u32 i = 0; i < worker_count_; i++)
    for (u32 first = 0; first < workers_[i].roots.records.size(); first += root_batch_) good = root_parts_.push({i, first}) && good;
  GARNER_CHECK(good, "no memory for the compaction's plan");
}

template <class H, class M> void Moving<H, M>::copy_task(Self& self, u32 task) {
  word cursor = 0, limit = 0;
  u32 into = kNoRegion;
  u64 moved = 0;
  auto leave = [&] {
    if (into == kNoRegion) return;
    Locked<typename M::Lock> guard(lock_);
    GARNER_CHECK(into_.push({into, cursor}), "no memory for the compaction's plan");
  };
  for (u32 i = lists_[task].first; i < lists_[task].last; i++) {
    const u32 index = portion_[i];
    auto& r = heap_.region(index);
    u32 next = kNoRegion;
    if (limit - cursor < r.live_bytes) { // at most half of a region lives, so one more has room for all of it
      next = heap_.take_region(Role::old, kLabelOld, 0, spaces_.old.home(self.node));
      if (next == kNoRegion) {
        set(index, Going::stays);
        continue;
      }
    }
    heap_.old_marks().each(heap_.begin_of(index), align_up(r.top.load_relaxed(), kMarkBlockBytes), [&](word block, usize bytes) {
      if (limit - cursor < bytes) {
        leave();
        into = next;
        cursor = heap_.begin_of(into);
        limit = heap_.end_of(into);
      }
      self.copy(cursor, block, bytes);
      heap_.old_marks().mark(cursor, bytes);
      self.set_header(header_of(ref_of(block)), forward_to(ref_of(cursor)));
      note_start(heap_, into, cursor, cursor + bytes);
      cursor += bytes;
      moved += bytes;
    });
    if (mutated<M>(Trap::early_reuse)) typename Heap<M>::Freeing(heap_).release(index);
  }
  leave();
  moved_.fetch_add_relaxed(moved);
}

// ---- references ----

template <class H, class M> u32 Moving<H, M>::update_tasks() {
  bool good = true;
  for (u32 index : portion_)
    if (!goes(index)) good = kept_.push(index) && good;
  GARNER_CHECK(good, "no memory for the compaction's plan");
  written_tasks_ = u32(div_up(old_.size(), kRegionsPerTask));
  young_tasks_ = u32(div_up(young_.size(), kYoungPerTask));
  u32 tasks = written_tasks_ + young_tasks_ + u32(kept_.size() + into_.size() + root_parts_.size());
  for (u32 group = 0; group < kPortions; group++) tasks += slot_tasks_[group] = group < groups_end_ ? u32(div_up(slots_[group].size(), kSlotsPerTask)) : 0;
  for (usize k = 0; k < kHandleKinds; k++) tasks += handle_tasks_[k] = u32(div_up(host_.handles().chunks(HandleKind(k)), kChunksPerTask));
  return tasks;
}

// read_page(page, fn) calls fn(slot) for the slots of a page of old space.
template <class H, class M> template <class ReadPage> void Moving<H, M>::update_task(Self& self, u32 task, ReadPage read_page) {
  Worker& w = workers_[self.index];
  for (u32 group = 0; group < kPortions; task -= slot_tasks_[group++])
    if (task < slot_tasks_[group]) return update_slots(self, w, slots_[group], task);
  if (task < written_tasks_) {
    for (usize i = usize(task) * kRegionsPerTask; i < min_of(old_.size(), usize(task + 1) * kRegionsPerTask); i++) {
      if (goes(old_[i])) continue; // its copies are read
      heap_.written().each(heap_.begin_of(old_[i]), heap_.end_of(old_[i]), [&](word page) {
        read_page(page, [&](Slot slot) { update(self, w, slot, Holder::old); });
      });
    }
    return rewrite_rest(self, w);
  }
  task -= written_tasks_;
  if (task < young_tasks_) return update_young(self, w, task);
  task -= young_tasks_;
  if (task < kept_.size()) return update_staying(self, w, kept_[task]);
  task -= u32(kept_.size());
  if (task < into_.size()) return update_copies(self, w, task);
  task -= u32(into_.size());
  if (task < root_parts_.size()) {
    Part part = root_parts_[task];
    Vector<RootRecord>& records = workers_[part.worker].roots.records;
    for (usize i = part.first; i < min_of(records.size(), usize(part.first) + root_batch_); i++)
      if (goes(heap_.index_of(records[i].object))) self.store(Slot{records[i].slot}, Ref{now_at(records[i].object).at + records[i].inside});
    return;
  }
  task -= u32(root_parts_.size());
  for (usize k = 0; k < kHandleKinds; k++) {
    if (task < handle_tasks_[k]) {
      HandleTable& handles = host_.handles();
      for (u32 i = task * kChunksPerTask; i < min_of(handles.chunks(HandleKind(k)), (task + 1) * kChunksPerTask); i++) follow_handles(*this, *handles.chunk(HandleKind(k), i));
      return;
    }
    task -= handle_tasks_[k];
  }
}

template <class H, class M> GARNER_INLINE void Moving<H, M>::update(Self& self, Worker& w, Slot slot, Holder holder) {
  Ref ref = holder == Holder::staying ? load_noted(self, slot) : self.load(slot);
  if (!heap_.contains(ref.at)) return;
  const u32 index = heap_.index_of(ref);
  if (Going state = state_of(index); state == Going::goes) {
    follow(self, w, slot, ref);
  } else if (state == Going::leaves && holder != Holder::young) {
    if (!w.noted.push(slot.at)) set(index, Going::stays);
  } else if (holder == Holder::copy && heap_.label(index) < kLabelOld) {
    heap_.mark_card(slot.at);
  }
}

template <class H, class M> GARNER_INLINE void Moving<H, M>::follow(Self& self, Worker& w, Slot slot, Ref ref) {
  ask_for(self, ref);
  if (u64 due; w.ahead.pass(slot.at, due)) rewrite(self, Slot{due});
}

// A slot may have been noted twice, and be met by two workers: the second finds it rewritten, or fails to write the same.
template <class H, class M> GARNER_INLINE void Moving<H, M>::rewrite(Self& self, Slot slot) {
  Ref ref = load_noted(self, slot);
  if (!heap_.contains(ref.at) || !goes(heap_.index_of(ref))) return;
  const word header = self.header(header_of(ref));
  GARNER_CHECK(is_forward(header), "a reference leads to what was never found alive");
  self.forward(Header{slot.at}, ref.at, forward_target(header).at);
}

template <class H, class M> void Moving<H, M>::rewrite_rest(Self& self, Worker& w) {
  for (u64 due; w.ahead.rest(due);) rewrite(self, Slot{due});
}

template <class H, class M> void Moving<H, M>::update_slots(Self& self, Worker& w, const Vector<word>& slots, u32 task) {
  const usize first = usize(task) * kSlotsPerTask, last = min_of(slots.size(), first + kSlotsPerTask);
  for (usize i = first; i < last; i++) {
    if (i + kSlotsAhead < last) self.touch(slots[i + kSlotsAhead]);
    const Slot slot{slots[i]};
    // Its copy is read, or somebody reads the whole page.
    if (goes(heap_.index_at(slot.at)) || heap_.written().is(slot.at)) continue;
    if (Ref ref = load_noted(self, slot); heap_.contains(ref.at) && goes(heap_.index_of(ref))) follow(self, w, slot, ref);
  }
  rewrite_rest(self, w);
}

template <class H, class M> void Moving<H, M>::update_young(Self& self, Worker& w, u32 task) {
  for (usize i = usize(task) * kYoungPerTask; i < min_of(young_.size(), usize(task + 1) * kYoungPerTask); i++)
    for (word block = heap_.begin_of(young_[i]), top = heap_.region(young_[i]).top.load_relaxed(); block < top;) {
      Ref ref = ref_of(block);
      block += host_.size(ref);
      if (!host_.leaf(ref)) host_.each_slot(ref, [&](Slot slot) { update(self, w, slot, Holder::young); });
    }
  rewrite_rest(self, w);
}

template <class H, class M> void Moving<H, M>::update_copies(Self& self, Worker& w, u32 task) {
  const Into into = into_[task];
  for (word block = heap_.begin_of(into.region); block < into.top;) {
    Ref ref = ref_of(block);
    block += host_.size(ref);
    if (host_.leaf(ref)) continue;
    if (!mutated<M>(Trap::unread_copies)) host_.each_slot(ref, [&](Slot slot) { update(self, w, slot, Holder::copy); });
    if (host_.hidden_edge(ref).at != 0) heap_.mark_card(ref.at); // it may be young; a dirty card too many only costs a look
  }
  rewrite_rest(self, w);
}

// What it refers to may go now or later, and its own slots were left to the copies that there will not be. Those on written pages are read with their page, by somebody else; those that
// were noted, as what they refer to goes first, may be met by somebody else.
template <class H, class M> void Moving<H, M>::update_staying(Self& self, Worker& w, u32 index) {
  if (mutated<M>(Trap::unread_staying)) return;
  heap_.old_marks().each(heap_.begin_of(index), align_up(heap_.region(index).top.load_relaxed(), kMarkBlockBytes), [&](word block, usize) {
    Ref ref = ref_of(block);
    if (host_.leaf(ref)) return;
    host_.each_slot(ref, [&](Slot slot) {
      if (!heap_.written().is(slot.at)) update(self, w, slot, Holder::staying);
    });
  });
  rewrite_rest(self, w);
}

// ---- the end ----

template <class H, class M> void Moving<H, M>::finish() {
  follow_finalizable();
  heap_.written().clean_all(heap_.base(), heap_.begin_of(heap_.high_water())); // all of them have been read
  settle();
  join_slots();
  hole_bytes_ = 0;
  for (u32 index : leaving_) hole_bytes_ += heap_.region_bytes() - heap_.region(index).live_bytes;
  if (leaving_.empty()) forget();
}

template <class H, class M> void Moving<H, M>::follow_finalizable() {
  FinalizeQueue& queue = host_.finalizers();
  queue.each_registered([&](Ref& ref) { ref = now_at(ref); });
  queue.each_ready([&](Ref& ref) { ref = now_at(ref); });
}

template <class H, class M> void Moving<H, M>::settle() {
  for (const Into& into : into_) {
    auto& r = heap_.region(into.region);
    r.top.store_relaxed(into.top);
    r.scan_top = into.top;
    r.live_bytes = into.top - heap_.begin_of(into.region);
    r.clean = false;
    offer_holes(heap_, spaces_.old, into.region);
  }
  {
    typename Heap<M>::Freeing empty(heap_);
    for (u32 index : portion_) {
      if (!goes(index) || mutated<M>(Trap::early_reuse)) continue;
      heap_.old_marks().clear(heap_.begin_of(index), heap_.end_of(index));
      empty.release(index);
    }
  }
  for (u32 index : kept_) offer_holes(heap_, spaces_.old, index);
  for (Vector<u32>* list : {&portion_, &kept_})
    for (u32 index : *list) set(index, Going::none);
}

template <class H, class M> void Moving<H, M>::join_slots() {
  for (u32 group = 0; group < groups_end_; group++) {
    noted_ -= slots_[group].size();
    slots_[group].release();
  }
  for (u32 i = 0; i < worker_count_; i++)
    for (word slot : workers_[i].noted) {
      const Ref ref{load_word(slot)};
      if (heap_.contains(ref.at) && state_of(heap_.index_of(ref)) == Going::leaves) note(Slot{slot}, heap_.index_of(ref));
    }
}

} // namespace garner
