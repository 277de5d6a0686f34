// Compaction: marking, planning and sliding of the full collection, in this order (compaction.h says what each does). N13.
#pragma once
#include "collect/compact/compaction.h"
#include "collect/follow_handles.h"

namespace garner {

template <class H, class M> void Compaction<H, M>::begin() {
  gang_.set_rules({}); // marking and sliding know no homes: old space is spread over all nodes
  const usize span = usize(heap_.high_water()) * heap_.region_bytes();
  for (u32 i = 0; i < worker_count_; i++) {
    workers_[i].reset();
    workers_[i].ahead.set_depth(ahead_);
    workers_[i].opening.set_depth(ahead_);
    workers_[i].by_place.start(heap_.base(), span, min_of<usize>(span / kWaitingShare, heap_.budget().room() / 4) / worker_count_, by_place_from_);
  }
  pins_.clear();
  moved_bytes_.store_relaxed(0);
  spaces_.eden.abandon();
  spaces_.last_resort.abandon();
  spaces_.eden.forget_holes();
  spaces_.old.abandon();
  spaces_.old.forget_holes();
  spaces_.pinned.abandon();
  spaces_.pinned.forget_holes();
  for (Space<M>& survivor : spaces_.survivor) survivor.abandon();
  heap_.each_region([&](u32 index, auto& r) {
    r.scan_top = r.top.load_relaxed();
    r.kept = false;
    r.marked.store_relaxed(0);
    r.dirty.store_relaxed(0);
    heap_.set_cset(index, r.role == Role::large ? kLarge : 0);
  });
}

// ---- marking ----

// A root's slot may lie in an object of this heap (the runtime reports some statics so). Such a slot is rewritten with its object, once:
// a second rewriting would take the new address for an old one.
template <class H, class M> void Compaction<H, M>::gather_task(Self& self, Kind kind) {
  struct Gathered {
    Compaction& c;
    Worker& w;
    GARNER_INLINE void root(Slot slot, word value, RootKind how) {
      w.roots.reported++;
      if (!c.heap_.contains(value)) return;
      Ref object{value};
      if (how == RootKind::interior || how == RootKind::pinned_interior) {
        object = object_containing(c.heap_, c.host_, value);
        if (object.at == 0) return;
      }
      bool good = true;
      if (how == RootKind::pinned || how == RootKind::pinned_interior) good = w.roots.pins.push(object);
      else good = w.roots.records.push({c.heap_.contains(slot.at + kHeadBytes) ? 0 : slot.at, object, value - object.at});
      GARNER_CHECK(good, "no memory to record a root");
    }
  };
  Gathered sink{*this, workers_[self.index]};
  if (sink.w.gathered) return; // once per worker: the host divides itself among those who ask
  sink.w.gathered = true;
  host_.gather(self, sink, kind);
}

template <class H, class M> u32 Compaction<H, M>::mark_tasks() {
  root_parts_.clear();
  bool good = true;
  for (u32 i = 0; i < worker_count_; i++) {
    RootBuffer& roots = workers_[i].roots;
    for (u32 first = 0; first < roots.records.size(); first += root_batch_) good = root_parts_.push({i, first}) && good;
    for (Ref pin : roots.pins) good = pins_.push(pin) && good;
  }
  HandleTable& handles = host_.handles();
  for (HandleKind kind : {HandleKind::pinned, HandleKind::async_pinned})
    for (u32 i = 0; i < handles.chunks(kind); i++)
      handles.chunk(kind, i)->each([&](word* slot) {
        Ref ref{__atomic_load_n(slot, __ATOMIC_RELAXED)};
        if (heap_.contains(ref.at)) good = pins_.push(ref) && good;
      });
  GARNER_CHECK(good, "no memory for the list of tasks");
  pin_tasks_ = u32(div_up(pins_.size(), kPinsPerTask));
  u32 strong = 0;
  for (u32 k = 0; k < kMarkedKindCount; k++) strong += strong_tasks_[k] = u32(div_up(handles.chunks(kMarkedKinds[k]), kChunksPerTask));
  return u32(root_parts_.size()) + pin_tasks_ + strong + 2; // counted handles, and objects ready for finalization
}

template <class H, class M> void Compaction<H, M>::mark_task(Self& self, u32 task) {
  Worker& w = workers_[self.index];
  auto mark_if_here = [&](Ref ref) {
    if (heap_.contains(ref.at)) mark_later(self, w, ref);
  };
  if (task < root_parts_.size()) {
    Part part = root_parts_[task];
    Vector<RootRecord>& records = workers_[part.worker].roots.records;
    for (usize i = part.first; i < min_of(records.size(), usize(part.first) + root_batch_); i++) mark_later(self, w, records[i].object);
    return;
  }
  task -= u32(root_parts_.size());
  if (task < pin_tasks_) {
    for (usize i = usize(task) * kPinsPerTask; i < min_of(pins_.size(), usize(task + 1) * kPinsPerTask); i++) mark_later(self, w, pins_[i]);
    return;
  }
  task -= pin_tasks_;
  HandleTable& handles = host_.handles();
  for (u32 k = 0; k < kMarkedKindCount; k++) {
    if (task < strong_tasks_[k]) {
      for (u32 i = task * kChunksPerTask; i < min_of(handles.chunks(kMarkedKinds[k]), (task + 1) * kChunksPerTask); i++)
        handles.chunk(kMarkedKinds[k], i)->each([&](word* slot) { mark_if_here({__atomic_load_n(slot, __ATOMIC_RELAXED)}); });
      return;
    }
    task -= strong_tasks_[k];
  }
  if (task == 0) {
    for (u32 i = 0; i < handles.chunks(HandleKind::counted); i++)
      handles.chunk(HandleKind::counted, i)->each([&](word* slot) {
        Ref ref{__atomic_load_n(slot, __ATOMIC_RELAXED)};
        if (heap_.contains(ref.at) && host_.counted_alive(ref)) mark(self, ref);
      });
    return;
  }
  host_.finalizers().each_ready([&](Ref ref) { mark_if_here(ref); });
}

// Marks what nobody has marked yet, and queues it, or has it wait by place. The object itself is not looked at: most references lead to what is marked already, and the marks are a
// sixty-fourth of the heap, so they are in a cache far more often. All that is done for those is inline, the rest is not: each slot would pay for it.
template <class H, class M> GARNER_INLINE void Compaction<H, M>::mark(Self& self, Ref ref) {
  if (GARNER_UNLIKELY(heap_.cset(heap_.index_of(ref)) == kLarge)) mark_large(self, ref);
  else if (!heap_.marks().is_marked(block_of(ref))) mark_new(self, ref);
}

template <class H, class M> [[gnu::noinline]] void Compaction<H, M>::mark_new(Self& self, Ref ref) {
  if (heap_.marks().claim_white(block_of(ref))) enqueue(self, ref);
}

template <class H, class M> GARNER_COLD void Compaction<H, M>::mark_large(Self& self, Ref ref) {
  auto& r = heap_.region_of(ref);
  if (r.marked.load_relaxed() == 0 && r.marked.fetch_or_relaxed(1) == 0) enqueue(self, ref);
}

template <class H, class M> GARNER_INLINE void Compaction<H, M>::enqueue(Self& self, Ref ref) {
  auto& queue = gang_.queue(self.index);
  // Strings that hang on lists pile up in a queue that gives the newest first. To look at each object here is to wait for it, so only when that has gone far.
  if (GARNER_UNLIKELY(queue.spilled() >= kFarOverflow) && host_.leaf(ref)) return void(count(workers_[self.index], ref));
  if (ByPlace& waiting = workers_[self.index].by_place; GARNER_UNLIKELY(waiting.wants(queue.kept())) && waiting.put(ref, queue.kept())) return;
  queue.push(ref.at);
}

// Marks once the mark has had time to come. Where few references wait nothing else keeps the memory busy, so the object is asked for too.
template <class H, class M> GARNER_INLINE void Compaction<H, M>::mark_later(Self& self, Worker& w, Ref ref) {
  self.touch(word(&heap_.marks().entry_of(block_of(ref))));
  if (u64 due; w.ahead.pass(ref.at, due)) mark(self, Ref{due});
  else ask_for(self, ref);
}

// Completes a marked object's run of bits; its size.
template <class H, class M> GARNER_INLINE usize Compaction<H, M>::count(Worker& w, Ref ref) {
  usize bytes;
  if (GARNER_UNLIKELY(heap_.cset_of(ref.at) == kLarge)) {
    bytes = heap_.region_of(ref).object_bytes;
  } else {
    bytes = host_.size(ref);
    heap_.marks().extend(block_of(ref), bytes);
  }
  w.marked_objects++;
  w.marked_bytes += bytes;
  return bytes;
}

// A marked object whose line has had time to come: its size, and what it refers to.
template <class H, class M> GARNER_INLINE void Compaction<H, M>::open(Self& self, Worker& w, Ref ref) {
  const usize bytes = count(w, ref);
  if (host_.leaf(ref)) return;
  if (GARNER_UNLIKELY(bytes > kPartBytes)) {
    auto& queue = gang_.queue(self.index);
    for (u64 part = div_up(bytes, part_bytes(bytes)); part-- > 0;) queue.push(ref.at | kPart | part << kPartShift);
    return;
  }
  host_.each_slot(ref, [&](Slot slot) GARNER_INLINED { visit(self, w, slot); });
  follow_edge(self, ref);
}

template <class H, class M> GARNER_INLINE void Compaction<H, M>::visit(Self& self, Worker& w, Slot slot) {
  w.slots++;
  Ref ref = self.load(slot);
  if (heap_.contains(ref.at)) mark_later(self, w, ref);
}

template <class H, class M> GARNER_INLINE void Compaction<H, M>::follow_edge(Self& self, Ref ref) {
  if (Ref edge = host_.hidden_edge(ref); edge.at != 0 && heap_.contains(edge.at)) mark(self, edge);
}

template <class H, class M> void Compaction<H, M>::take(Self& self, u64 entry) {
  Worker& w = workers_[self.index];
  if (GARNER_UNLIKELY((entry & kPart) != 0)) {
    u64 part = entry >> kPartShift;
    Ref ref{entry & ((u64(1) << kPartShift) - 2)};
    const usize each = part_bytes(host_.size(ref));
    host_.each_slot_in(ref, ref.at + part * each, ref.at + (part + 1) * each, [&](Slot slot) { visit(self, w, slot); });
    if (part == 0) follow_edge(self, ref);
    return;
  }
  ask_for(self, Ref{entry});
  if (u64 due; w.opening.pass(entry, due)) open(self, w, Ref{due});
}

template <class H, class M> void Compaction<H, M>::drain(Self& self) {
  auto& queue = gang_.queue(self.index);
  Worker& w = workers_[self.index];
  for (u64 entry;;) {
    if (queue.pop(entry)) take(self, entry);
    else if (w.by_place.next([&](Ref ref) { queue.push(ref.at); })) continue;
    else if (w.ahead.rest(entry)) mark(self, Ref{entry});
    else if (w.opening.rest(entry)) open(self, w, Ref{entry});
    else return;
  }
}

// ---- planning ----

template <class H, class M> void Compaction<H, M>::measure_task(Self&, u32 task) {
  u32 high = heap_.high_water();
  for (u32 index = task * kRegionsPerTask; index < min_of(high, (task + 1) * kRegionsPerTask); index++) {
    auto& r = heap_.region(index);
    if (r.role == Role::free || is_large(r.role)) continue;
    u64 words = 0, carry = 0;
    for (word at = heap_.begin_of(index), top = r.top.load_relaxed(); at < top; at += kMarkBlockBytes) {
      u64 bits = heap_.marks().entry_of(at).bits.load_relaxed();
      words += u64(set_bits(Marks<M>::live(bits, carry)));
      carry = bits >> 63;
    }
    r.live_bytes = words * kWordBytes;
  }
}

// What moving would bring is the room between what lives in the regions that would go; what it costs is a look at every slot of the heap. Where it brings little of the room there is,
// nothing moves (in place): the dead are filled by the marks alone, slots and cards stay as they are. No reference may begin to need a card: so what is young stays young, or, where nearly all
// of it lives and would only be copied by the next collection, becomes old together.
template <class H, class M> bool Compaction<H, M>::little_to_gain() const {
  u64 slots = 0, objects = 0, gain = 0, used = 0;
  for (u32 i = 0; i < worker_count_; i++) slots += workers_[i].slots, objects += workers_[i].marked_objects;
  if (slots + kSlotsPerObject * objects < many_slots_) return false;
  heap_.each_region([&](u32, auto& r) {
    if (r.role == Role::large) {
      if (r.marked.load_relaxed() != 0) used += r.run * heap_.region_bytes();
      return;
    }
    if (r.live_bytes == 0 && !r.kept) return;
    used += heap_.region_bytes();
    if (r.role != Role::pinned && !r.kept && r.live_bytes * 100 < heap_.region_bytes() * dense_percent_) gain += heap_.region_bytes() - r.live_bytes;
  });
  const u64 limit = heap_.budget().limit(), room = limit == 0 ? used : limit - min_of(limit, used);
  return gain * kLittle <= min_of(room, used); // of what is used: holes are filled by copies only, so what might be promoted en masse is copied until they are full
}

template <class H, class M> void Compaction<H, M>::judge_young() {
  u64 lived = 0, used = 0;
  eden_lived_ = 0;
  heap_.each_region([&](u32 index, auto& r) {
    if (r.role != Role::eden && r.role != Role::survivor) return;
    lived += r.live_bytes, used += r.top.load_relaxed() - heap_.begin_of(index);
    if (r.role == Role::eden) eden_lived_ += r.live_bytes;
  });
  young_ages_ = lived >= used / 4 * 3;
}

template <class H, class M> void Compaction<H, M>::choose(u32 lists_wanted, bool everything, bool may_stay) {
  u32 dense = everything ? 101 : dense_percent_;
  moving_.clear();
  lists_.clear();
  staying_.clear();
  dead_.clear();
  large_.clear();
  pinned_count_ = pins_.size();
  for (Ref ref : pins_) heap_.region_of(ref).kept = true;
  bool good = true;
  u64 limit = heap_.budget().limit();
  const bool demote = sparse_bytes() >= max_of<u64>(limit == 0 ? kDemoteFrom : min_of<u64>(kDemoteFrom, limit / 32), heap_.budget().charged() / kDemoteShare);
  in_place_ = may_stay && !everything && !all_old_ && !demote && little_to_gain();
  if (in_place_) judge_young();
  // A pass for each generation, so that its sliding regions stand together, in address order.
  for (u8 generation = 0; generation <= 2; generation++) {
    usize from = moving_.size();
    heap_.each_region([&](u32 index, auto& r) {
      const bool stays_young = r.role == Role::eden ? !(in_place_ ? young_ages_ : all_old_) : r.role == Role::survivor && in_place_ && !young_ages_;
      u8 goes_to = demote && sparse(r) ? 0 : stays_young ? 1 : 2;
      if (goes_to != generation) return;
      heap_.set_cset(index, u8(goes_to << 1));
      if (r.role == Role::large) {
        if (r.marked.load_relaxed() == 0) good = dead_.push(index) && good;
        else if (!in_place_)
          for (u32 part = 0; part < div_up(r.object_bytes, kLargeScanBytes); part++) good = large_.push({index, part}) && good;
      } else if (r.live_bytes == 0 && !r.kept) {
        good = dead_.push(index) && good;
      } else if (in_place_ || r.role == Role::pinned || r.kept || r.live_bytes * 100 >= heap_.region_bytes() * dense) {
        good = staying_.push(index) && good;
      } else {
        heap_.set_cset(index, u8(goes_to << 1 | kMoving));
        good = moving_.push(Moving{index, heap_.begin_of(index)}) && good;
      }
    });
    cut_lists(from, lists_wanted, generation);
  }
  GARNER_CHECK(good, "no memory for the compaction's plan");
}

// Free bytes between the pinned objects of regions that are to be eden again (sparse).
template <class H, class M> usize Compaction<H, M>::sparse_bytes() const {
  usize bytes = 0;
  heap_.each_region([&](u32, auto& r) {
    if (sparse(r)) bytes += heap_.region_bytes() - r.live_bytes;
  });
  return bytes;
}

// Cuts moving_[from..] into lists of about equal live bytes. Every list costs up to one partly filled region.
template <class H, class M> void Compaction<H, M>::cut_lists(usize from, u32 lists_wanted, u8 generation) {
  usize regions = moving_.size() - from;
  if (regions == 0) return;
  u64 total = 0;
  for (usize i = from; i < moving_.size(); i++) total += heap_.region(moving_[i].region).live_bytes;
  u64 lists = clamp_to<u64>(min_of<u64>(lists_wanted, regions / 8), 1, lists_wanted), share = total / lists + 1, sum = 0;
  u32 first = u32(from);
  for (usize i = from; i < moving_.size(); i++) {
    sum += heap_.region(moving_[i].region).live_bytes;
    if (sum >= share || i + 1 == moving_.size()) {
      GARNER_CHECK(lists_.push({first, u32(i + 1), generation}), "no memory for the compaction's plan");
      first = u32(i + 1);
      sum = 0;
    }
  }
}

// Words of the last object of `block` that lie in later blocks.
template <class H, class M> usize Compaction<H, M>::spill_after(word block, word region_end) const {
  if ((heap_.marks().entry_of(block).bits.load_relaxed() >> 63) == 0) return 0;
  usize words = 0;
  for (word at = block + kMarkBlockBytes; at < region_end; at += kMarkBlockBytes) {
    u64 zeros = ~heap_.marks().entry_of(at).bits.load_relaxed();
    if (zeros != 0) return words + usize(__builtin_ctzll(zeros)) + 1;
    words += 64;
  }
  return words + 1;
}

// Where the objects of one list go: the places of regions one after the other, fresh ones while there are any, then the list's own.
template <class H, class M> class Compaction<H, M>::Places {
 public:
  Places(Compaction& c, Self& self, const List& list) : c_(c), home_(c.spaces_.old.home(self.node)), list_(list), own_(list.first), fresh_(list.first), evacuates_(c.into_fresh_) {}
  ~Places() { leave(); }
  // The place of the next `bytes`, all of which go to one region, while the list's `reading`-th region is being read.
  GARNER_INLINE word take(usize bytes, u32 reading) {
    if (GARNER_UNLIKELY(cursor_ + bytes > limit_)) open(reading);
    const word at = cursor_;
    cursor_ += bytes;
    return at;
  }

 private:
  [[gnu::noinline]] void open(u32 reading) {
    leave();
    u32 index = kNoRegion;
    if (evacuates_) {
      index = c_.heap_.take_region(role_of(list_.generation), label_of(list_.generation), list_.generation == 1, home_);
      evacuates_ = index != kNoRegion;
      if (!evacuates_) own_ = reading; // all before it have left, or will have when what slides comes to where they were
    }
    if (evacuates_) {
      Moving& m = c_.moving_[fresh_++];
      m.fresh = index;
      top_ = &m.fresh_top;
      c_.heap_.set_cset(index, u8(list_.generation << 1));
    } else {
      Moving& m = c_.moving_[own_++]; // never past the one that is being read: it holds its own objects at or above where they would go
      index = m.region;
      top_ = &m.new_top;
    }
    cursor_ = c_.heap_.begin_of(index), limit_ = c_.heap_.end_of(index);
  }
  void leave() {
    if (top_ != nullptr) *top_ = cursor_;
  }

  Compaction& c_;
  const u8 home_;
  const List& list_;
  u32 own_, fresh_; // of moving_: the next ones
  bool evacuates_;
  word cursor_ = 0, limit_ = 0, *top_ = nullptr;
};

template <class H, class M> [[gnu::noinline]] void Compaction<H, M>::plan_task(Self& self, u32 task) {
  const List list = lists_[task];
  Places places(*this, self, list);
  for (u32 i = list.first; i < list.last; i++) {
    u32 index = moving_[i].region;
    word begin = heap_.begin_of(index), top = heap_.region(index).top.load_relaxed();
    u64 over = 0; // to the next block
    for (word at = begin; at < top; at += kMarkBlockBytes) {
      const u64 bits = heap_.marks().entry_of(at).bits.load_relaxed(), carry = over;
      over = bits >> 63;
      u64 firsts = Marks<M>::first_words(bits, carry);
      if (firsts == 0) continue; // nothing starts here: nobody asks for this block's target
      u64 live = Marks<M>::live(bits, carry), below = (u64(1) << __builtin_ctzll(firsts)) - 1;
      usize lead = usize(set_bits(live & below)) * kWordBytes;
      usize own = (usize(set_bits(live & ~below)) + spill_after(at, heap_.end_of(index))) * kWordBytes;
      heap_.targets().entry_of(at) = {live, places.take(own, i) - lead};
    }
  }
}

// ---- sliding ----

template <class H, class M> u32 Compaction<H, M>::slide_tasks() {
  if (in_place_) root_parts_.clear();
  if (!in_place_ || young_ages_) heap_.clear_cards(); // they are made anew while slots are rewritten; where nothing is young there are none
  u32 tasks = u32(lists_.size() + large_.size() + div_up(staying_.size(), kStayingPerTask) + root_parts_.size());
  for (usize k = 0; k < kHandleKinds; k++) tasks += handle_tasks_[k] = u32(div_up(host_.handles().chunks(HandleKind(k)), kChunksPerTask));
  return tasks;
}

template <class H, class M> void Compaction<H, M>::slide_task(Self& self, u32 task) {
  if (task < lists_.size()) return slide_list(self, lists_[task]);
  task -= u32(lists_.size());
  if (task < large_.size()) {
    LargePart part = large_[task];
    Ref ref = ref_of(heap_.begin_of(part.region));
    word low = ref.at + part.part * kLargeScanBytes;
    Worker& w = workers_[self.index];
    const Lookup heap = heap_.lookup();
    host_.each_slot_in(ref, low, low + kLargeScanBytes, [&](Slot slot) { update(self, w, heap, slot, 2); });
    rewrite_rest(self, w);
    if (part.part == 0 && host_.hidden_edge(ref).at != 0) heap_.mark_card(ref.at);
    return;
  }
  task -= u32(large_.size());
  u32 staying = u32(div_up(staying_.size(), kStayingPerTask));
  if (task < staying) {
    for (usize i = usize(task) * kStayingPerTask; i < min_of(staying_.size(), usize(task + 1) * kStayingPerTask); i++) {
      if (in_place_) fill_gaps(heap_, heap_.marks(), staying_[i], [](word, word) {});
      else sweep_staying(self, staying_[i]);
    }
    return;
  }
  task -= staying;
  if (task < root_parts_.size()) {
    Part part = root_parts_[task];
    Vector<RootRecord>& records = workers_[part.worker].roots.records;
    for (usize i = part.first; i < min_of(records.size(), usize(part.first) + root_batch_); i++)
      if (records[i].slot != 0) self.store(Slot{records[i].slot}, Ref{now_at(records[i].object).at + records[i].inside});
    return;
  }
  task -= u32(root_parts_.size());
  for (usize k = 0; k < kHandleKinds; k++) {
    if (task < handle_tasks_[k]) {
      HandleTable& handles = host_.handles();
      for (u32 i = task * kChunksPerTask; i < min_of(handles.chunks(HandleKind(k)), (task + 1) * kChunksPerTask); i++)
        follow_handles(*this, *handles.chunk(HandleKind(k), i));
      return;
    }
    task -= handle_tasks_[k];
  }
}

// Slots of one task, one after the other, each rewritten when the entry that tells the object's new address has had time to come. What a task has moved stays
// where it is, so a slot may wait while others of the list move.
template <class H, class M> GARNER_INLINE void Compaction<H, M>::update(Self& self, Worker& w, const Lookup& heap, Slot slot, u32 holder_generation) {
  const Ref ref = self.load(slot);
  if (!heap.contains(ref)) return;
  const u8 c = heap.cset[heap.index_of(ref)];
  if (GARNER_UNLIKELY(u32(c >> 1) < holder_generation)) heap_.mark_card(slot.at);
  if ((c & kMoving) == 0) return;
  ask_to_read(self, word(&heap_.targets().entry_of(block_of(ref))));
  if (u64 due; w.ahead.pass(slot.at, due)) rewrite(self, Slot{due});
}

template <class H, class M> GARNER_INLINE void Compaction<H, M>::rewrite(Self& self, Slot slot) {
  self.store(slot, ref_of(heap_.targets().target_of(block_of(self.load(slot)))));
}

// At the end of every task that updates.
template <class H, class M> void Compaction<H, M>::rewrite_rest(Self& self, Worker& w) {
  for (u64 due; w.ahead.rest(due);) rewrite(self, Slot{due});
}

template <class H, class M> GARNER_INLINE void Compaction<H, M>::update_object(Self& self, Worker& w, const Lookup& heap, Ref ref, u32 holder_generation) {
  if (host_.leaf(ref)) return;
  host_.each_slot(ref, [&](Slot slot) GARNER_INLINED { update(self, w, heap, slot, holder_generation); });
  // The edge without a slot may be on its way right now; a dirty card too many only costs a look.
  if (holder_generation != 0 && host_.hidden_edge(ref).at != 0) heap_.mark_card(ref.at);
}

template <class H, class M> void Compaction<H, M>::slide_list(Self& self, List& list) {
  Worker& w = workers_[self.index];
  const Lookup heap = heap_.lookup();
  u64 moved = 0;
  for (u32 i = list.first; i < list.last; i++) {
    u32 index = moving_[i].region;
    word begin = heap_.begin_of(index);
    heap_.marks().each(begin, align_up(heap_.region(index).top.load_relaxed(), kMarkBlockBytes), [&](word block, usize bytes) GARNER_INLINED {
      word to = heap_.targets().target_of(block);
      if (to != block) {
        self.slide(to, block, bytes);
        moved += bytes;
      }
      note_start(heap_, heap_.index_at(to), to, to + bytes);
      update_object(self, w, heap, ref_of(to), list.generation);
    });
  }
  rewrite_rest(self, w);
  moved_bytes_.fetch_add_relaxed(moved);
}

template <class H, class M> void Compaction<H, M>::sweep_staying(Self& self, u32 index) {
  Worker& w = workers_[self.index];
  auto& r = heap_.region(index);
  const Lookup heap = heap_.lookup();
  u32 generation = heap_.cset(index) >> 1;
  word hole = heap_.begin_of(index), top = r.top.load_relaxed();
  heap_.marks().each(hole, align_up(top, kMarkBlockBytes), [&](word block, usize bytes) GARNER_INLINED {
    heap_.fill(hole, block - hole);
    note_start(heap_, index, hole, block);
    note_start(heap_, index, block, block + bytes);
    hole = block + bytes;
    update_object(self, w, heap, ref_of(block), generation);
  });
  rewrite_rest(self, w);
  heap_.fill(hole, top - hole);
  note_start(heap_, index, hole, top);
}

// ---- the end ----

template <class H, class M> void Compaction<H, M>::settle(u32 index, word top, u8 generation) {
  auto& r = heap_.region(index);
  const u8 age = in_place_ && r.role == Role::survivor ? r.age : u8(1); // of survivors
  r.top.store_relaxed(top);
  r.scan_top = top;
  r.kept = false;
  r.clean = false;
  if (r.role == Role::pinned || r.role == Role::large) return;
  r.role = role_of(generation);
  r.age = generation == 1 ? age : u8(0);
  heap_.set_label(index, label_of(generation));
}

// Of a region that objects have moved into: what is left of an old one is for those that are promoted.
template <class H, class M> void Compaction<H, M>::settle_moved(u32 index, word top, u8 generation) {
  const word end = heap_.end_of(index);
  settle(index, top, generation);
  if (generation != 2 || end - top < Space<M>::kLeastHole) return;
  heap_.fill(top, end - top);
  note_start(heap_, index, top, end);
  heap_.region(index).top.store_relaxed(end);
  spaces_.old.add_hole(top, end);
}

template <class H, class M> void Compaction<H, M>::finish() {
  for (u32 index : staying_) {
    auto& r = heap_.region(index);
    u8 generation = u8(heap_.cset(index) >> 1);
    settle(index, r.top.load_relaxed(), generation);
    if (generation == 1) continue;
    // Holes are found again by walking the bits: only here is it known what the region becomes.
    Space<M>& space = generation == 0 ? spaces_.eden : r.role == Role::pinned ? spaces_.pinned : spaces_.old;
    const word top = r.top.load_relaxed(), end = carved_end(heap_, index);
    r.top.store_relaxed(end);
    heap_.marks().each_gap(heap_.begin_of(index), end, [&](word from, word to) {
      if (to > top) heap_.fill(from, to - from), note_start(heap_, index, from, to);
      space.add_hole(from, to);
    });
  }
  for (const List& list : lists_)
    for (u32 i = list.first; i < list.last; i++) {
      const Moving& m = moving_[i];
      if (m.fresh != kNoRegion) settle_moved(m.fresh, m.fresh_top, list.generation);
      if (m.new_top != heap_.begin_of(m.region)) settle_moved(m.region, m.new_top, list.generation);
      else GARNER_CHECK(dead_.push(m.region), "no memory for the compaction's plan");
    }
}

template <class H, class M> void Compaction<H, M>::free_dead() {
  typename Heap<M>::Freeing empty(heap_);
  for (u32 index : dead_) empty.release(index);
}

template <class H, class M> void Compaction<H, M>::clean_task(u32 task) {
  u32 high = heap_.high_water();
  for (u32 index = task * kRegionsPerTask; index < min_of(high, (task + 1) * kRegionsPerTask); index++) {
    Role role = heap_.region(index).role;
    if (role != Role::free && !is_large(role)) heap_.marks().clear(heap_.begin_of(index), heap_.end_of(index));
    heap_.set_cset(index, 0);
  }
}

} // namespace garner
