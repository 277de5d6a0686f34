// Evacuation: the phases of a young collection in the order they run (evacuation.h says it and the deviations).
// N1 N2 N3 N7 in gathering, cards and copying; N14 at every place where an object finds no room and stays.
#pragma once
#include "collect/evacuate/evacuation.h"

namespace garner {

namespace {
// Kinds of handles that are roots of every collection. Counted ones are asked for; pinned ones are found while roots are gathered.
inline constexpr HandleKind kStrongKinds[] = {HandleKind::strong, HandleKind::counted, HandleKind::sized, HandleKind::variable, HandleKind::cross_reference};
inline constexpr u32 kStrongKindCount = sizeof(kStrongKinds) / sizeof(kStrongKinds[0]);
} // namespace

template <class H, class M> void Evacuation<H, M>::begin(Self& self, u32 condemned, bool at_once) {
  condemned_ = condemned;
  bool spread = scheme_ != Scheme::org, own = segregated_ != 0 || (spread && scheme_ != Scheme::relaxed);
  gang_.set_rules({.mail = spread || segregated_ != 0, .local = own, .take_any = scheme_ == Scheme::relaxed || (scheme_ == Scheme::hybrid && root_take_ == RootTake::any)});
  failed_.store_relaxed(0);
  pinned_.clear();
  for (u32 i = 0; i < worker_count_; i++) {
    workers_[i].reset();
    workers_[i].ahead.set_depth(ahead_);
    for (u32 k = 0; k < strands_; k++) {
      workers_[i].turn[k] = u8(k);
      workers_[i].strands[k].chunk = Strand::kLeastChunk;
    }
  }
  // Collected regions get a destination; what goes on being filled is set apart from what will be scanned.
  spaces_.eden.abandon();
  spaces_.last_resort.abandon();
  spaces_.eden.forget_holes();
  if (condemned >= 1)
    for (Space<M>& survivor : spaces_.survivor) survivor.abandon();
  else
    for (Space<M>& survivor : spaces_.survivor) survivor.align_to_card();
  spaces_.old.align_to_card();
  spaces_.pinned.align_to_card();
  u64 collected = 0;
  heap_.each_region(self, [&](u32 index, auto& r) {
    r.scan_top = r.top.load_relaxed();
    r.kept = false;
    r.dirty.store_relaxed(0);
    u8 c = 0;
    if (r.role == Role::eden) c = u8(1 + (tenure_age_ == 0 || at_once ? kOldClass : 0));
    else if (r.role == Role::survivor && condemned >= 1) c = u8(1 + (r.age >= tenure_age_ ? kOldClass : r.age));
    heap_.set_cset(index, c);
    if (r.role == Role::eden) r.pins = 0;
    if (c != 0) collected += r.scan_top - heap_.begin_of(index);
  });
  // Half buffers, chunks and regions of every worker and class, and rests that no object fits, come on top of what is copied.
  u64 room = heap_.budget().room() + heap_.free_charged();
  u64 waste = collected / 8 + u64(worker_count_) * (plab_young_ + plab_old_ + strands_ * Strand::kMostChunk / 2) + 4 * heap_.region_bytes();
  short_ = room < collected + waste;
  eden_kept_ = keep_ && short_;
}

// ---- gathering ----

template <class H, class M> u32 Evacuation<H, M>::gather_tasks(u32 host_calls) const {
  u32 regions_per_task = kBundlesPerTask << (kBundleShift - heap_.region_shift());
  return host_calls + u32(div_up(heap_.high_water(), regions_per_task));
}

template <class H, class M> void Evacuation<H, M>::gather_task(Self& self, u32 task, u32 host_calls, Kind kind) {
  struct Gathered {
    Evacuation& e;
    Worker& w;
    GARNER_INLINE void root(Slot slot, word value, RootKind how) {
      w.roots.reported++;
      Ref object{value};
      if (how == RootKind::interior || how == RootKind::pinned_interior) {
        if (!e.heap_.contains(value) || e.heap_.cset_of(value) == 0) return;
        object = object_containing(e.heap_, e.host_, value);
        if (object.at == 0) return;
      }
      if (e.heap_.cset_of(object.at) == 0) return;
      bool good = true;
      if (how == RootKind::pinned || how == RootKind::pinned_interior) good = w.roots.pins.push(object);
      else good = w.roots.records.push({slot.at, object, value - object.at});
      GARNER_CHECK(good, "no memory to record a root");
    }
  };
  Worker& w = workers_[self.index];
  Gathered sink{*this, w};
  if (task >= host_calls) return list_dirty(self, w, task - host_calls);
  if (w.gathered) return; // once per worker: the host divides itself among those who ask
  w.gathered = true;
  host_.gather(self, sink, kind);
}

// Lists uncollected regions with dirty cards; clears bundles that cover none, and the cards of collected regions.
// Nobody marks cards while roots are gathered, so a bundle found clean is clean.
// Not inline, nor is Compaction::plan_task: the bodies of run_task they are called from compile alike with the hooks of simulated machines and without (tests/golden/hooks.sh).
template <class H, class M> [[gnu::noinline]] void Evacuation<H, M>::list_dirty(Self& self, Worker& w, u32 task) {
  u32 per_bundle = 1u << (kBundleShift - heap_.region_shift()), high = heap_.high_water();
  for (u32 b = task * kBundlesPerTask; b < (task + 1) * kBundlesPerTask; b++) {
    u32 first = b * per_bundle;
    if (first >= high) return;
    u8& bundle = *heap_.bundle_of(heap_.begin_of(first));
    if (bundle == 0) continue;
    self.read(reinterpret_cast<word>(heap_.card_of(heap_.begin_of(first))), usize(1) << (kBundleShift - kCardShift));
    if (!list_written(w, first, min_of(first + per_bundle, high))) bundle = 0;
  }
}

// Of the regions below a bundle that was written to; whether any is listed.
template <class H, class M> bool Evacuation<H, M>::list_written(Worker& w, u32 first, u32 last) {
  bool any = false;
  for (u32 i = first; i < last; i++) {
    auto& r = heap_.region(i);
    if (r.role == Role::free || cards_clean(heap_.card_of(heap_.begin_of(i)), heap_.region_bytes() >> kCardShift)) continue;
    if (heap_.cset(i) != 0) {
      heap_.clear_cards(heap_.begin_of(i), heap_.end_of(i));
      continue;
    }
    any = true;
    r.dirty.store_relaxed(1);
    GARNER_CHECK(w.dirty_regions.push(i), "no memory to list a dirty region");
  }
  return any;
}

template <class H, class M> void Evacuation<H, M>::freeze() {
  for (u32 i = 0; i < worker_count_; i++)
    for (usize k = 0; k < workers_[i].roots.pins.size(); k++) {
      if (k + kAhead < workers_[i].roots.pins.size()) __builtin_prefetch(reinterpret_cast<void*>(workers_[i].roots.pins[k + kAhead].at), 1);
      Ref ref = workers_[i].roots.pins[k];
      word* header = reinterpret_cast<word*>(header_of(ref).at);
      if (is_forward(*header)) continue; // pinned twice
      GARNER_CHECK(pinned_.push({ref, *header}), "no memory to record a pin");
      *header = forward_to(ref);
      auto& r = heap_.region_of(ref);
      r.kept = true;
      if (r.role != Role::eden) continue;
      r.pins++;
      eden_kept_ = true; // nothing has been copied yet
    }
  pinned_count_ = pinned_.size();
  if (!short_ && pinned_count_ >= pins_of_many()) choose_ageing();
}

// Sequential, before anything asks for future labels.
template <class H, class M> void Evacuation<H, M>::choose_ageing() {
  const u64 limit = heap_.budget().limit();
  const usize most = limit == 0 ? kAgedHoles : min_of<usize>(kAgedHoles, limit / 32);
  usize holes = spaces_.old.hole_bytes();
  heap_.each_region([&](u32, auto& r) {
    if (r.age < kPinnedBefore || !many_pins(r)) return;
    holes += heap_.region_bytes() - min_of(r.live_bytes, heap_.region_bytes()); // as the last collection found it
    if (holes <= most) r.pins = kAgesNow;
  });
}

// ---- the evacuate phase's tasks ----

template <class H, class M> u32 Evacuation<H, M>::evacuate_tasks() {
  root_parts_.clear();
  card_parts_.clear();
  if (!apart_) list_cards();
  bool good = true;
  for (u32 i = 0; i < worker_count_; i++) {
    for (u32 first = 0; first < workers_[i].roots.records.size(); first += root_batch_) good = root_parts_.push({i, first}) && good;
    for (u32 first = 0; first < workers_[i].card_roots.size(); first += root_batch_) good = card_parts_.push({i, first}) && good;
  }
  GARNER_CHECK(good, "no memory for the list of tasks");
  kept_tasks_ = u32(div_up(pinned_.size(), kKeptPerTask));
  u32 strong = 0;
  for (u32 k = 0; k < kStrongKindCount; k++) strong += strong_tasks_[k] = u32(handle_tasks(kStrongKinds[k]));
  if (apart_) card_tasks_ = u32(card_parts_.size());
  return u32(root_parts_.size()) + kept_tasks_ + strong + card_tasks_ + 1; // the last: objects ready for finalization
}

template <class H, class M> void Evacuation<H, M>::evacuate_task(Self& self, u32 task) {
  Worker& w = workers_[self.index];
  find_roots(self, w, task, gang_.parted());
  if (w.asking_count != 0) ask(self, w); // T6: nothing is kept back at the end of a task
}

// With `parted` a root is handed to found(), which decides where it goes; without, it is processed here and now.
template <class H, class M> void Evacuation<H, M>::find_roots(Self& self, Worker& w, u32 task, bool parted) {
  if (apart_ && task < card_tasks_) return card_batch(self, w, card_parts_[task].worker, card_parts_[task].first);
  if (task < card_tasks_) { // cards first: they are the largest and least even piece
    scan_batch(self, w, task);
    return;
  }
  task -= card_tasks_;
  if (task < root_parts_.size()) {
    Part part = root_parts_[task];
    Vector<RootRecord>& records = workers_[part.worker].roots.records;
    usize end = min_of(records.size(), usize(part.first) + root_batch_);
    for (usize i = part.first; i < end; i++) {
      if (parted) {
        found(self, w, word(&records[i]) | kRecordEntry, records[i].object, false);
        continue;
      }
      if (GARNER_UNLIKELY(counting_)) {
        count_around(self, w, word(&records[i]) | kRecordEntry);
        continue;
      }
      if (i + ahead_ < end) ask_for(self, records[i + ahead_].object);
      update_root(self, w, reads<M>(records[i]));
    }
    return;
  }
  task -= u32(root_parts_.size());
  if (task < kept_tasks_) {
    const usize end = min_of(pinned_.size(), usize(task + 1) * kKeptPerTask);
    for (usize i = usize(task) * kKeptPerTask; i < end; i++) {
      if (i + kAhead < end) __builtin_prefetch(reinterpret_cast<const void*>(pinned_[i + kAhead].ref.at));
      Ref ref = pinned_[i].ref;
      u8 label = future_label(heap_.index_of(ref));
      host_.each_slot(ref, [&](Slot slot) {
        if (parted && heap_.cset_of(load_word(slot.at)) != 0) found_slot(self, w, slot.at, kCheckCard);
        else process(self, w, slot, label);
      });
      hidden(self, w, ref);
    }
    return;
  }
  task -= kept_tasks_;
  for (u32 k = 0; k < kStrongKindCount; k++) {
    if (task < strong_tasks_[k]) {
      HandleTable& handles = host_.handles();
      for (u32 i = task * kChunksPerTask; i < min_of(handles.chunks(kStrongKinds[k]), (task + 1) * kChunksPerTask); i++)
        strong_chunk(self, w, *handles.chunk(kStrongKinds[k], i));
      return;
    }
    task -= strong_tasks_[k];
  }
  host_.finalizers().each_ready([&](Ref& ref) {
    if (parted) found_slot(self, w, word(&ref.at), 0);
    else ref = keep(self, ref);
  });
}

// A batch of what was found on cards, in a phase of their own (T16).
template <class H, class M> void Evacuation<H, M>::card_batch(Self& self, Worker& w, u32 worker, u32 first) {
  Vector<u64>& entries = workers_[worker].card_roots;
  for (usize i = first; i < min_of(entries.size(), usize(first) + root_batch_); i++) {
    if (gang_.parted()) found(self, w, entries[i], target_of(self, entries[i]), true);
    else if ((entries[i] & kKindBits) == 0) gang_.queue(self.index).push(entries[i]);
    else perform(self, w, entries[i]);
  }
}

template <class H, class M> void Evacuation<H, M>::update_root(Self& self, Worker& w, RootRecord& record) {
  Ref now = evacuate(self, w, record.object, heap_.cset_of(record.object.at));
  if (record.slot != 0) self.store(Slot{record.slot}, Ref{now.at + record.inside});
}

// Slots may be zeroed by their owners meanwhile, who do not stop for us: hence the compare-and-swap.
template <class H, class M> void Evacuation<H, M>::strong_chunk(Self& self, Worker& w, HandleChunk& chunk) {
  if (chunk.youngest.load_relaxed() > condemned_) return;
  u32 youngest = 3;
  chunk.each([&](word* slot) {
    Ref ref{__atomic_load_n(slot, __ATOMIC_RELAXED)};
    if (ref.at == 0) return;
    if (u8 c = heap_.cset_of(ref.at); c != 0) {
      if (chunk.kind == HandleKind::counted && !host_.counted_alive(ref)) {
        youngest = 0; // weak this time: visited again with the weak ones
        return;
      }
      if (gang_.parted()) {
        found(self, w, word(slot) | kHandleEntry, ref, false);
        youngest = min_of(youngest, generation_to_be(c));
        return;
      }
      Ref now = evacuate(self, w, ref, c);
      word expected = ref.at;
      __atomic_compare_exchange_n(slot, &expected, now.at, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
      ref = now;
    }
    youngest = min_of(youngest, generation_now(ref));
  });
  chunk.youngest.store_relaxed(u8(youngest));
}

// ---- cards ----

// Cards that the program has written to lie anywhere in old space, often fewer than one in a region. So each would wait for its memory three times: for where the walk begins, for
// the object there, and until the processor sees what follows. Hence several regions are one task, and a card passes two stages on its way. They lie far apart: neighbours
// are often dirty all over together.
template <class H, class M> void Evacuation<H, M>::scan_batch(Self& self, Worker& w, u32 task) {
  CardsAhead ahead;
  ahead.starts.set_depth(ahead_ != 0 ? kStartsAhead : 0);
  ahead.lines.set_depth(ahead_ != 0 ? kCardsAhead : 0);
  const usize count = dirty_.size(), stride = card_tasks_;
  for (usize i = task; i < count; i += stride) {
    if (ahead_ != 0 && i + kRegionsAhead * stride < count) ask_for_region(dirty_[i + kRegionsAhead * stride].region);
    scan_cards(self, w, ahead, dirty_[i]);
  }
  for (u64 low; ahead.starts.rest(low);) ask_for_card(self, w, ahead, low);
  for (u64 low; ahead.lines.rest(low);) scan_card(self, w, low);
}

template <class H, class M> GARNER_INLINE void Evacuation<H, M>::ask_for_region(u32 index) {
  __builtin_prefetch(&heap_.region(index));
  const u8* cards = heap_.card_of(heap_.begin_of(index));
  for (usize line = 0; line < heap_.region_bytes() >> kCardShift; line += kLineBytes) __builtin_prefetch(cards + line, 1);
}

// Where the objects of a region end whose cards are looked at.
template <class H, class M> GARNER_INLINE word Evacuation<H, M>::scan_limit(u32 index) {
  auto& r = heap_.region(index);
  if (GARNER_LIKELY(!is_large(r.role))) return r.scan_top;
  const u32 head = heap_.head_of(index);
  return min_of(heap_.end_of(index), heap_.begin_of(head) + heap_.region(head).object_bytes);
}

template <class H, class M> void Evacuation<H, M>::scan_cards(Self& self, Worker& w, CardsAhead& ahead, CardPart part) {
  const u32 index = part.region;
  const word begin = heap_.begin_of(index), limit = scan_limit(index);
  u8* cards = heap_.card_of(begin);
  usize count = (limit - begin + kCardBytes - 1) >> kCardShift, stripe = (heap_.region_bytes() >> kCardShift) / part.stripes;
  if (part.stripe + 1u < part.stripes) count = min_of(count, (part.stripe + 1) * stripe);
  if (usize first = part.stripe * stripe; first < count) self.read(reinterpret_cast<word>(cards + first), count - first);
  const bool asks = !is_large(heap_.region(index).role);
  for (usize i = part.stripe * stripe; i < count; i++) {
    if (i % kLaneCards == 0 && i + kLaneCards <= count && lane_clean<M>(cards + i)) {
      i += kLaneCards - 1;
      continue;
    }
    if (reads<M>(cards[i]) == 0) continue;
    writes<M>(cards[i]) = 0; // marked again below by every slot that needs it
    w.cards++;
    const word low = begin + (i << kCardShift);
    if (!asks) {
      scan_card(self, w, low);
      continue;
    }
    __builtin_prefetch(&heap_.starts_of(index)[i]);
    if (u64 due; ahead.starts.pass(low, due)) ask_for_card(self, w, ahead, due);
  }
}

template <class H, class M> GARNER_INLINE void Evacuation<H, M>::ask_for_card(Self& self, Worker& w, CardsAhead& ahead, word low) {
  if (ahead_ != 0) {
    const word block = start_before(heap_, heap_.index_at(low), low);
    for (word line = block; line < low + kCardLines * kLineBytes; line += kLineBytes) __builtin_prefetch(reinterpret_cast<const void*>(line));
  }
  if (u64 due; ahead.lines.pass(low, due)) scan_card(self, w, due);
}

// Objects on cards are many and small, and next to none of their slots leads to what is collected: so what a slot is compared with stays in registers, and nothing is called.
template <class H, class M> void Evacuation<H, M>::scan_card(Self& self, Worker& w, word low) {
  const u32 index = heap_.index_at(low);
  const word high = min_of(low + kCardBytes, scan_limit(index));
  const u8 label = heap_.label(index);
  const auto at = heap_.lookup();
  u32 looked_at = 0;
  auto look = [&](Slot slot) GARNER_INLINED {
    const Ref ref = self.load(slot);
    const bool ours = at.contains(ref);
    if (ours && at.cset[at.index_of(ref)] != 0) return process_later(self, w, slot, ref);
    looked_at++;
    if (ours && at.label(at.index_of(ref)) < label) heap_.mark_card(slot.at);
  };
  if (is_large(heap_.region(index).role)) {
    const Ref ref = ref_of(heap_.begin_of(heap_.head_of(index)));
    host_.each_slot_in(ref, low, high, look);
    if (ref.at >= low && ref.at < high) hidden(self, w, ref);
  } else if (GARNER_UNLIKELY(heap_.region(index).unswept) && !mutated<M>(Trap::walked_dead)) {
    scan_marked(self, w, index, low, high, look);
  } else {
    for (word block = block_covering(heap_, host_, index, low), next; block < high; block = next) {
      const Ref ref = ref_of(block);
      next = block + host_.size(ref);
      if (host_.leaf(ref)) continue;
      if (block >= low && next <= high && next - block <= kSmallOnCard) host_.each_slot(ref, look);
      else host_.each_slot_in(ref, low, high, look);
      if (ref.at >= low && ref.at < high) hidden(self, w, ref);
    }
  }
  w.slots += looked_at;
}

// A card where the dead have not been swept yet: they refer to what may be gone, and are passed over.
template <class H, class M> template <class F> [[gnu::noinline]] void Evacuation<H, M>::scan_marked(Self& self, Worker& w, u32 index, word low, word high, F look) {
  heap_.old_marks().each_touching(low, low + kCardBytes, heap_.begin_of(index), [&](word block) {
    const Ref ref = ref_of(block);
    if (block >= high || host_.leaf(ref)) return;
    host_.each_slot_in(ref, low, high, look);
    if (ref.at >= low && ref.at < high) hidden(self, w, ref);
  });
}

// ---- copying ----

template <class H, class M> GARNER_INLINE void Evacuation<H, M>::process(Self& self, Worker& w, Slot slot, u8 holder_label) {
  w.slots++;
  Ref ref = self.load(slot);
  if (u8 c = heap_.cset_of(ref.at); c != 0) {
    ref = evacuate(self, w, ref, c);
    self.store(slot, ref);
  } else if (!heap_.contains(ref.at)) {
    return;
  }
  mark_card_if_younger(slot, ref, holder_label);
}

// A slot found on a card, whose object must be copied: there are many, and scattered, so it waits its turn in the queue.
template <class H, class M> GARNER_INLINE void Evacuation<H, M>::process_later(Self& self, Worker& w, Slot slot, Ref ref) {
  if (GARNER_UNLIKELY(discovering_)) return discovered(w, slot.at | kCheckCard);
  if (GARNER_UNLIKELY(scheme_ != Scheme::org) && gang_.parted()) return found(self, w, slot.at | kCheckCard, ref, true);
  gang_.queue(self.index).push(slot.at | kCheckCard);
}

template <class H, class M> GARNER_INLINE void Evacuation<H, M>::mark_card_if_younger(Slot slot, Ref ref, u8 holder_label) {
  if (heap_.label_of(ref) < holder_label && future_label(heap_.index_of(ref)) < holder_label) heap_.mark_card(slot.at);
}

// The edge without a slot (a collectible type's loader): the holder's own card remembers it.
template <class H, class M> GARNER_INLINE void Evacuation<H, M>::hidden(Self& self, Worker& w, Ref holder) {
  if (const Ref ref = host_.hidden_edge(holder); GARNER_UNLIKELY(ref.at != 0)) follow_hidden(self, w, holder, ref);
}

template <class H, class M> void Evacuation<H, M>::follow_hidden(Self& self, Worker& w, Ref holder, Ref ref) {
  if (!heap_.contains(ref.at)) return;
  if (u8 c = heap_.cset_of(ref.at); c != 0) {
    if (discovering_) return discovered(w, holder.at | kHolderEntry);
    if (gang_.parted() && foreign(self, ref)) return gang_.post(self, Mail::request, heap_.home(heap_.index_of(ref)), holder.at | kHolderEntry);
    ref = evacuate(self, w, ref, c);
  }
  if (future_label(heap_.index_of(ref)) < future_label(heap_.index_of(holder))) heap_.mark_card(holder.at);
}

template <class H, class M> GARNER_INLINE word Evacuation<H, M>::allocate(Self& self, Worker& w, u32& cls, usize bytes) {
  CopyBuffer& buffer = w.into[cls];
  if (fits(buffer, bytes)) {
    word at = buffer.top;
    buffer.top += bytes;
    if (w.into != w.buffers) self.touch(buffer.top + Strand::kLinesAhead * kLineBytes); // the strand's next copies lie there
    return at;
  }
  word at = allocate_slow(self, w, cls, bytes);
  if (at == 0 && cls != kOldClass) at = allocate_slow(self, w, cls = kOldClass, bytes);
  return at;
}

template <class H, class M> GARNER_COLD word Evacuation<H, M>::allocate_slow(Self& self, Worker& w, u32 cls, usize bytes) {
  CopyBuffer& to = w.into[cls];
  if (fits(to, bytes)) { // that of old space, reached from a full young one
    word at = to.top;
    to.top += bytes;
    return at;
  }
  word at = refill(self, w, cls, bytes);
  if (at == 0 || w.into == w.buffers || bytes > Strand::kInChunks) return at;
  // A chunk of the strand begins with this object.
  CopyBuffer& buffer = w.buffers[cls];
  heap_.fill(to.top, to.end - to.top);
  to.top = buffer.top;
  to.end = min_of(at + w.on->chunk, buffer.end);
  w.on->chunk = min_of(w.on->chunk * 2, Strand::kMostChunk);
  if (buffer.end - to.end < kMinObjectBytes) to.end = buffer.end;
  buffer.top = to.end;
  for (usize line = 1; line <= Strand::kLinesAhead; line++) self.touch(to.top + line * kLineBytes);
  self.touch(buffer.top);
  self.touch(buffer.top + kLineBytes);
  return at;
}

// From the worker's own buffer, or a new one.
template <class H, class M> GARNER_COLD word Evacuation<H, M>::refill(Self& self, Worker& w, u32 cls, usize bytes) {
  CopyBuffer& buffer = w.buffers[cls];
  usize want = cls == kOldClass ? plab_old_ : plab_young_;
  Space<M>& space = spaces_.of_class(cls);
  if (fits(buffer, bytes)) {
    word at = buffer.top;
    buffer.top += bytes;
    return at;
  }
  if (bytes >= w.lacking[cls]) return 0;
  w.buffers_taken++;
  const bool by_itself = alone(cls, bytes);
  // A buffer must leave room for a filler behind its last object; asking for both at once keeps that simple.
  const Range range = by_itself ? space.take(bytes, bytes, self.node) : space.take(bytes + kMinObjectBytes, want, self.node);
  if (range.begin == 0) w.lacking[cls] = bytes <= kCardBytes ? 0 : bytes; // asking again for every object would cost more than the collection
  if (range.begin == 0 || by_itself) return range.begin;
  heap_.fill(buffer.top, buffer.end - buffer.top);
  buffer.top = range.begin + bytes;
  buffer.end = range.end;
  return range.begin;
}

template <class H, class M> Ref Evacuation<H, M>::evacuate(Self& self, Worker& w, Ref ref, u8 c) {
  if (c == 0) return ref;
  Header at = header_of(ref);
  word header = self.header(at); // acquire: pairs with the release of forward() by whoever copied it
  if (is_forward(header)) return forward_target(header);
  usize bytes = host_.size(ref);
  u32 cls = u32(c - 1);
  word block = allocate(self, w, cls, bytes);
  if (GARNER_UNLIKELY(block == 0)) return stay(self, w, ref, header);
  Ref copy = ref_of(block);
  self.copy(copy.at, ref.at, bytes - kHeadBytes);
  store_word(block, header);
  word found = self.forward(at, header, forward_to(copy));
  if (GARNER_UNLIKELY(found != header)) { // somebody else copied it: the space goes back
    w.lost_races++;
    CopyBuffer& buffer = w.into[cls];
    // Not for one that may lie elsewhere: it can end, in another region, where an emptied buffer or chunk begins.
    if (buffer.top == block + bytes && !(w.into == w.buffers ? alone(cls, bytes) : bytes > Strand::kInChunks)) buffer.top = block;
    else heap_.fill(block, bytes);
    return forward_target(found);
  }
  w.copied_objects++;
  w.copied_bytes += bytes;
  if (cls == kOldClass) {
    w.promoted_objects++;
    w.promoted_bytes += bytes;
    if (GARNER_UNLIKELY(heap_.marking())) heap_.grown_old(block, bytes);
  }
  if (!host_.leaf(copy)) push_slots(self, w, copy, bytes, cls == kOldClass || eden_kept_);
  return copy;
}

// N14: no memory for a copy. The object stays where it is, and either goes on there as a pinned one would (its region is swept in finish)
// or a full collection follows under the same stop (needs_full).
template <class H, class M> GARNER_COLD Ref Evacuation<H, M>::stay(Self& self, Worker& w, Ref ref, word header) {
  word found = self.forward(header_of(ref), header, forward_to(ref));
  if (found != header) return forward_target(found);
  failed_.store_relaxed(1);
  __atomic_store_n(&heap_.region_of(ref).kept, true, __ATOMIC_RELAXED); // racing workers store the same value
  usize bytes = host_.size(ref);
  heap_.marks().mark(block_of(ref), bytes);
  // Most headers are empty, and there may be many such objects when there is no memory to remember them in.
  if (header != 0) GARNER_CHECK(w.kept.push({ref, header}), "no memory to remember a header");
  w.kept_bytes += bytes;
  if (!host_.leaf(ref)) push_slots(self, w, ref, bytes, eden_kept_); // without it cards do not matter: the full collection makes them anew
  return ref;
}

template <class H, class M> GARNER_INLINE void Evacuation<H, M>::push_slot(Self& self, Worker& w, Slot slot, u8 label, bool check) {
  Ref ref = self.load(slot);
  if (heap_.cset_of(ref.at) == 0) {
    if (check && heap_.contains(ref.at) && heap_.label_of(ref) < label) heap_.mark_card(slot.at);
  } else if (const Met& met = w.met[set_of(ref)]; met.from == ref) {
    w.slots++;
    self.store(slot, met.to);
    if (check) mark_card_if_younger(slot, met.to, label);
  } else {
    put(self, w, slot.at | (check ? kCheckCard : 0), ref);
  }
}

template <class H, class M> GARNER_INLINE void Evacuation<H, M>::push_slots(Self& self, Worker& w, Ref copy, usize bytes, bool check) {
  if (GARNER_UNLIKELY(bytes > part_bytes_) && part_bytes_ != 0 && host_.divides(copy)) {
    push_parts(self, copy, bytes, check);
  } else {
    u8 label = check ? future_label(heap_.index_of(copy)) : kLabelEden;
    host_.each_slot(copy, [&](Slot slot) GARNER_INLINED { push_slot(self, w, slot, label, check); });
  }
  hidden(self, w, copy);
}

// An array of references is work for many, and a thief who takes one reference to a leaf comes back at once. So such a copy is queued by parts;
// whoever takes a part queues its references. The first part on top: its lines are still near.
template <class H, class M> GARNER_COLD void Evacuation<H, M>::push_parts(Self& self, Ref copy, usize bytes, bool check) {
  for (u64 part = div_up(bytes, part_bytes_); part > 0; part--) gang_.queue(self.index).push(copy.at | (check ? kCheckCard : 0) | part << kPartShift);
}

template <class H, class M> GARNER_COLD void Evacuation<H, M>::open_part(Self& self, Worker& w, u64 entry) {
  Ref copy{entry & kAddressBits & ~kEntryBits};
  bool check = (entry & kCheckCard) != 0;
  u8 label = check ? future_label(heap_.index_of(copy)) : kLabelEden;
  word low = copy.at + ((entry >> kPartShift) - 1) * part_bytes_;
  host_.each_slot_in(copy, low, low + part_bytes_, [&](Slot slot) { push_slot(self, w, slot, label, check); });
}

template <class H, class M> void Evacuation<H, M>::take(Self& self, u64 entry) {
  Worker& w = workers_[self.index];
  if (GARNER_UNLIKELY(is_part(entry))) open_part(self, w, entry);
  else if (GARNER_UNLIKELY(counting_)) count_around(self, w, entry);
  else if (gang_.parted()) perform(self, w, entry);
  else follow(self, w, entry);
}

// `ref`: what the entry's slot holds.
template <class H, class M> void Evacuation<H, M>::follow(Self& self, Worker& w, u64 entry, Ref ref) {
  Slot slot{entry & ~kCheckCard};
  w.slots++;
  ref = evacuate(self, w, ref, heap_.cset_of(ref.at));
  self.store(slot, ref);
  if ((entry & kCheckCard) != 0) mark_card_if_younger(slot, ref, future_label(heap_.index_at(slot.at)));
}

template <class H, class M> void Evacuation<H, M>::drain(Self& self) {
  if (GARNER_UNLIKELY(gang_.parted() || counting_)) return drain_slowly(self);
  if (strands_ != 0) return drain_strands(self);
  if (batches_) return drain_batches(self);
  auto& queue = gang_.queue(self.index);
  Worker& w = workers_[self.index];
  Ahead& ahead = w.ahead;
  for (u64 entry, due;;) {
    if (queue.pop(entry)) {
      if (GARNER_UNLIKELY(is_part(entry))) {
        open_part(self, w, entry);
        continue;
      }
      ask_for(self, self.load(Slot{entry & ~kCheckCard}));
      if (!ahead.pass(entry, due)) continue;
    } else if (!ahead.rest(due)) {
      return;
    }
    follow(self, w, due);
  }
}

// The other way to ask ahead: so many are asked for at once, and then all of them are looked at.
template <class H, class M> void Evacuation<H, M>::drain_batches(Self& self) {
  auto& queue = gang_.queue(self.index);
  Worker& w = workers_[self.index];
  for (u64 entry, due;;) {
    while (!w.ahead.full() && queue.pop(entry)) {
      if (GARNER_UNLIKELY(is_part(entry))) {
        open_part(self, w, entry);
        continue;
      }
      ask_for(self, self.load(Slot{entry & ~kCheckCard}));
      w.ahead.pass(entry, due);
    }
    if (w.ahead.empty()) return;
    while (w.ahead.rest(due)) follow(self, w, due);
  }
}

// ---- the same, counted by node (N27) ----

// Performs an entry and counts what that did: a look at the object where it was, and, if it was ours to copy, its bytes there and at its new place.
template <class H, class M> GARNER_COLD void Evacuation<H, M>::count_around(Self& self, Worker& w, u64 entry) {
  Ref ref = target_of(self, entry);
  u8 label = heap_.contains(ref.at) ? heap_.label_of(ref) : u8(kLabelNone);
  bool elsewhere = segregated_ != 0 && gang_.parted() && foreign(self, ref); // perform() sends it on, and whoever gets it counts it
  u64 copied = w.copied_bytes;
  perform(self, w, entry);
  if (elsewhere || label == kLabelNone || heap_.cset_of(ref.at) == 0) return;
  u64 asked = 0;
  w.uses->node = self.node;
  auto count = [&](SpaceKind space, Ref at, u64 bytes) {
    u8 node = heap_.node_of(block_of(at), asked);
    if (node >= heap_.nodes()) return;
    w.uses->accesses[u8(space)][node]++;
    w.uses->bytes[u8(space)][node] += bytes;
  };
  u64 bytes = w.copied_bytes - copied;
  count(label == kLabelEden ? SpaceKind::eden : SpaceKind::from, ref, bytes);
  if (bytes == 0) return;
  Ref now = now_at(ref);
  count(heap_.label_of(now) == kLabelSurvivor ? SpaceKind::to : SpaceKind::old, now, bytes);
}

// ---- the end ----

template <class H, class M> void Evacuation<H, M>::retire_buffers() {
  auto close = [&](CopyBuffer& buffer) {
    heap_.fill(buffer.top, buffer.end - buffer.top);
    buffer.top = buffer.end = 0;
  };
  for (u32 i = 0; i < worker_count_; i++) {
    for (u32 k = 0; k < strands_; k++)
      for (CopyBuffer& chunk : workers_[i].strands[k].chunks) close(chunk);
    for (CopyBuffer& buffer : workers_[i].buffers) close(buffer);
  }
}

// What is alive in a kept region stays; the rest becomes fillers that later buffers are cut from. By one of several threads.
template <class H, class M> void Evacuation<H, M>::sweep_kept(u32 index) {
  auto& r = heap_.region(index);
  const bool was_survivor = r.role == Role::survivor, aged = ages(r), many = many_pins(r);
  Space<M>& space = was_survivor ? spaces_.old : spaces_.eden;
  word top = r.top.load_relaxed(), hole = heap_.begin_of(index);
  typename Space<M>::Found found(space);
  auto close = [&](word end) {
    if (end == hole) return;
    heap_.fill(hole, end - hole);
    note_start(heap_, index, hole, end);
    if (!aged) found.add(hole, end); // holes of survivors are of no use until their region is old
  };
  usize live = 0;
  heap_.marks().each(hole, align_up(top, kMarkBlockBytes), [&](word block, usize bytes) { // not the dead: they may be many
    close(block);
    note_start(heap_, index, block, block + bytes);
    hole = block + bytes;
    live += bytes;
    if (GARNER_UNLIKELY(heap_.marking()) && was_survivor) heap_.grown_old(block, bytes);
  });
  if (top < heap_.end_of(index)) {
    // The part never carved joins the last hole, so that it is not lost.
    if (usize rest = heap_.end_of(index) - top; rest >= kMinObjectBytes) {
      r.top.store_relaxed(heap_.end_of(index));
      top = heap_.end_of(index);
    }
  }
  close(top);
  heap_.marks().clear(heap_.begin_of(index), heap_.end_of(index));
  r.live_bytes = live;
  heap_.set_cset(index, 0);
  if (was_survivor || aged) {
    r.role = was_survivor ? Role::old : Role::survivor;
    r.age = 1;
    heap_.set_label(index, was_survivor ? kLabelOld : kLabelSurvivor);
  } else {
    r.age = many ? u8(r.age + 1) : u8(0);
  }
}

template <class H, class M> void Evacuation<H, M>::put_back(const Vector<typename Worker::Kept>& list, usize first, usize last) {
  for (usize i = first; i < last; i++) {
    if (i + kAhead < last) {
      const word ahead = list[i + kAhead].ref.at;
      __builtin_prefetch(reinterpret_cast<void*>(header_of({ahead}).at), 1);
      __builtin_prefetch(&heap_.marks().entry_of(ahead), 1);
    }
    const word block = block_of(list[i].ref);
    store_word(header_of(list[i].ref).at, list[i].header);
    const usize bytes = host_.size(list[i].ref);
    heap_.marks().mark(block, bytes); // no change for those that found no memory
    __builtin_prefetch(reinterpret_cast<void*>(block + bytes), 1); // where sweeping writes next, but for neighbours
  }
}

template <class H, class M> void Evacuation<H, M>::put_back_task(u32 task) { put_back(pinned_, usize(task) * kPinsPerTask, min_of(pinned_.size(), usize(task + 1) * kPinsPerTask)); }

template <class H, class M> void Evacuation<H, M>::put_back() {
  if (failed())
    heap_.each_region([&](u32 index, auto& r) {
      if (!r.kept) return;
      heap_.marks().each(heap_.begin_of(index), align_up(r.top.load_relaxed(), kMarkBlockBytes), [&](word block, usize) {
        store_word(header_of(ref_of(block)).at, 0); // those that were not empty are put back next
      });
    });
  if (!shares_pins()) put_back(pinned_, 0, pinned_.size()); // else put_back_task() has been there
  pinned_.clear();
  for (u32 i = 0; i < worker_count_; i++) {
    put_back(workers_[i].kept, 0, workers_[i].kept.size());
    workers_[i].kept.clear();
  }
}

template <class H, class M> u32 Evacuation<H, M>::sweep_tasks() {
  swept_.clear();
  if (!shares_pins()) return 0;
  heap_.each_region([&](u32 index, auto& r) {
    if (heap_.cset(index) != 0 && r.kept) (void)swept_.push(index); // without memory for the list finish() does it
  });
  return u32(div_up(swept_.size(), kSweptPerTask));
}

template <class H, class M> void Evacuation<H, M>::sweep_task(u32 task) {
  for (usize i = usize(task) * kSweptPerTask; i < min_of(swept_.size(), usize(task + 1) * kSweptPerTask); i++) sweep_kept(swept_[i]);
}

template <class H, class M> void Evacuation<H, M>::finish(Self& self) {
  retire_buffers();
  typename Heap<M>::Freeing empty(heap_);
  heap_.each_region(self, [&](u32 index, auto& r) {
    if (r.dirty.load_relaxed() != 0) r.dirty.store_relaxed(0); // most are clean, and a store would take the entry from whoever filled the region
    if (heap_.cset(index) == 0) return;
    if (r.kept) sweep_kept(index);
    else empty.release(index);
  });
}

} // namespace garner

#include "collect/evacuate/distribution.ipp"
#include "collect/evacuate/strands.ipp"
