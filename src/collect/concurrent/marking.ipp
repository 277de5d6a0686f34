// Marking beside the program: the thread, and the tasks of the first and the last pause (marking.h says what each does, and why it is right).
#pragma once
#include "collect/concurrent/marking.h"
#include "collect/concurrent/moving.ipp"

namespace garner {

// ---- following ----

template <class H, class M> template <class Q> GARNER_INLINE void Marking<H, M>::mark(Q& queue, Ref ref) {
  if (heap_.old_marks().claim(block_of(ref))) queue.push(ref.at);
}

template <class H, class M> template <class Q> GARNER_INLINE void Marking<H, M>::mark_later(Self& self, Worker& w, Q& queue, Ref ref) {
  self.touch(word(&heap_.old_marks().entry_of(block_of(ref))));
  if (u64 due; w.ahead.pass(ref.at, due)) mark(queue, Ref{due});
}

template <class H, class M> template <class Q> GARNER_INLINE void Marking<H, M>::visit(Self& self, Worker& w, Q& queue, Slot slot) {
  if (Ref ref = self.load(slot); old(ref)) mark_later(self, w, queue, ref);
}

template <class H, class M> template <class Q> GARNER_INLINE void Marking<H, M>::follow_edge(Q& queue, Ref ref) {
  if (Ref edge = host_.hidden_edge(ref); old(edge)) mark(queue, edge);
}

// An object that was white when the marking began, or that has been put on the stack otherwise: its region has not changed since.
template <class H, class M> template <class Q> GARNER_INLINE void Marking<H, M>::open(Self& self, Worker& w, Q& queue, Ref ref) {
  const usize bytes = host_.size(ref);
  w.marked_objects++;
  w.marked_bytes += bytes;
  if (const u32 index = heap_.index_of(ref); GARNER_LIKELY(bytes <= kPartBytes) || !large(index)) {
    heap_.old_marks().extend(block_of(ref), bytes);
    note_start(heap_, index, block_of(ref), block_of(ref) + bytes);
  }
  if (host_.leaf(ref)) return;
  if (GARNER_UNLIKELY(bytes > kPartBytes)) {
    for (u64 part = div_up(bytes, part_bytes(bytes)); part-- > 0;) queue.push(ref.at | kPart | part << kPartShift);
    return;
  }
  host_.each_slot(ref, [&](Slot slot) { visit(self, w, queue, slot); });
  follow_edge(queue, ref);
}

template <class H, class M> template <class Q> GARNER_INLINE void Marking<H, M>::take(Self& self, Worker& w, Q& queue, u64 entry) {
  if (GARNER_UNLIKELY((entry & kPart) != 0)) {
    u64 part = entry >> kPartShift;
    Ref ref{entry & ((u64(1) << kPartShift) - 2)};
    const usize each = part_bytes(host_.size(ref));
    host_.each_slot_in(ref, ref.at + part * each, ref.at + (part + 1) * each, [&](Slot slot) { visit(self, w, queue, slot); });
    if (part == 0) follow_edge(queue, ref);
    return;
  }
  ask_for(self, Ref{entry});
  if (u64 due; w.opening.pass(entry, due)) open(self, w, queue, Ref{due});
}

// Calls fn(ref, low, high) for every marked object with slots of which some may lie in [low, high), the page.
template <class H, class M> template <class F> GARNER_INLINE void Marking<H, M>::each_on_page(word page, F fn) {
  auto part = [&](word block) {
    Ref ref = ref_of(block);
    // Born marked a moment ago: it has no type yet, so nothing was stored into it before its page was cleaned. Acquire: pairs with the store of the type, the last of what
    // makes an object; of an array only its length comes later, and an array of none has no slots.
    if (__atomic_load_n(reinterpret_cast<const word*>(ref.at), __ATOMIC_ACQUIRE) == 0) return;
    if (!host_.leaf(ref)) fn(ref, page, page + kWrittenBytes);
  };
  const u32 index = heap_.index_at(page);
  if (!large(index)) return heap_.old_marks().each_touching(page, page + kWrittenBytes, heap_.begin_of(index), part);
  word block = heap_.begin_of(heap_.head_of(index));
  if (heap_.old_marks().is_marked(block)) part(block);
}

template <class H, class M> template <class Q> void Marking<H, M>::read_page(Self& self, Worker& w, Q& queue, word page) {
  each_on_page(page, [&](Ref ref, word low, word high) {
    host_.each_slot_in(ref, low, high, [&](Slot slot) { visit(self, w, queue, slot); });
    if (ref.at >= low && ref.at < high) follow_edge(queue, ref); // the page that its type lies on: there the barrier notes it
  });
}

// ---- the thread ----

template <class H, class M> bool Marking<H, M>::ensure_thread(typename Gang<M>::Spawn spawn, void* spawn_arg) {
  if (!thread_) thread_ = spawn != nullptr ? spawn(&thread_entry, this, spawn_arg) : machine_.start(&thread_entry, this);
  return thread_;
}

template <class H, class M> void Marking<H, M>::stop_thread(Self& self) {
  if (!thread_) return;
  turns_.hold();
  turns_.end(self);
  while (gone_.load_acquire() == 0) self.yield();
  thread_ = false;
}

template <class H, class M> void Marking<H, M>::thread_entry(void* marking) {
  Marking& m = *static_cast<Marking*>(marking);
  Self self(m.machine_, 0);
  m.live(self);
  m.gone_.store_release(1); // the last touch; pairs with stop_thread
}

template <class H, class M> void Marking<H, M>::live(Self& self) {
  while (turns_.begin(self)) {
    bool left = true;
    const u64 began = machine_.now();
    while (left && !turns_.wanted()) left = step(self);
    if (state_ == State::running) marked_for_ns_ += machine_.now() - began;
    if (!left) state_ = state_ == State::running ? State::ready : state_ == State::sweeping ? State::swept : State::found;
    turns_.finish(!left);
    if constexpr (requires { host_.marking_rests(); })
      if (!left) host_.marking_rests();
  }
}

// It comes while one is read: pages downwards, an object at a time, are nothing that a processor foresees. Not on the simulated machine, whose requests are all for writing.
template <class H, class M> void Marking<H, M>::ask_for_next_page(Self& self) {
  if constexpr (requires { self.touch_to_read(word()); })
    if (!pages_.empty() && !large(heap_.index_at(pages_.back())))
      for (usize line = 0; line < kWrittenBytes; line += kLineBytes) self.touch_to_read(pages_.back() + line);
}

// A few entries or pages, whatever is there. False: nothing is.
template <class H, class M> bool Marking<H, M>::step(Self& self) {
  if (state_ == State::sweeping) return sweep_some();
  u64 entry;
  for (u32 n = 0; n < kPerLook; n++) {
    if (!stack_.entries.empty()) {
      entry = stack_.entries.back();
      stack_.entries.pop();
      take(self, own_, stack_, entry);
    } else if (own_.ahead.rest(entry)) {
      mark(stack_, Ref{entry});
    } else if (own_.opening.rest(entry)) {
      open(self, own_, stack_, Ref{entry});
    } else if (!pages_.empty()) {
      word page = pages_.back();
      pages_.pop();
      ask_for_next_page(self);
      if (state_ == State::finding) find_on(self, page);
      else read_page(self, own_, stack_, page);
      if (mutated<M>(Trap::late_cleaning)) GARNER_CHECK(read_.push(page), "no memory");
    } else {
      for (; !read_.empty(); read_.pop()) heap_.written().clean(read_.back());
      return revise();
    }
  }
  return true;
}

// A page for moving.h: what refers into a region that is to be emptied.
template <class H, class M> void Marking<H, M>::find_on(Self& self, word page) {
  each_on_page(page, [&](Ref ref, word low, word high) {
    host_.each_slot_in(ref, low, high, [&](Slot slot) {
      if (Ref to = self.load(slot); heap_.contains(to.at)) moving_.found(slot, to);
    });
  });
}

// What the next round would find, about: by so many regions as can be looked at in some microseconds, for which a collection may have to wait.
template <class H, class M> usize Marking<H, M>::written_now() const {
  usize pages = 0;
  const usize each = div_up(regions_.size(), usize(kCountedAtOnce));
  for (usize i = 0; i < regions_.size(); i += each) heap_.written().each(heap_.begin_of(regions_[i]), heap_.end_of(regions_[i]), [&](word) { pages += each; });
  return pages;
}

// Cleans the pages of some regions, to be read. False: this was the last round.
template <class H, class M> bool Marking<H, M>::revise() {
  if (rounds_ == 0) return false;
  if (to_find_ == 0) to_find_ = written_now();
  if (cursor_ == regions_.size()) {
    const usize again = written_now();
    rounds_ = again < kFewPages || again > to_find_ / 4 * 3 ? 0 : rounds_ - 1; // nearly as many as when it began: the program writes as fast as they are read
    to_find_ = again;
    cursor_ = 0;
    return rounds_ != 0;
  }
  bool good = true;
  for (u32 n = 0; n < kRevisedAtOnce && cursor_ < regions_.size() && good; n++, cursor_++)
    heap_.written().each(heap_.begin_of(regions_[cursor_]), heap_.end_of(regions_[cursor_]), [&](word page) {
      good = good && pages_.push(page);
      if (good && !mutated<M>(Trap::late_cleaning)) heap_.written().clean(page); // one that is not listed stays written
    });
  if constexpr (requires { machine_.order_all(); })
    if (!pages_.empty() && !machine_.order_all()) {
      for (; !pages_.empty(); pages_.pop()) heap_.written().note(pages_.back()); // without the barrier they cannot be read beside the program: the pause does
      good = false;
    }
  if (!good) rounds_ = 0, cursor_ = regions_.size();
  return true;
}

// ---- pauses ----

template <class H, class M> void Marking<H, M>::begin() {
  state_ = State::running;
  marked_for_ns_ = 0;
  stack_.lost = false;
  own_.reset();
  own_.ahead.set_depth(ahead_);
  own_.opening.set_depth(ahead_);
  rounds_ = kRounds;
  to_find_ = 0;
  moving_.forget();
  if constexpr (requires { machine_.order_all(); })
    ordered_ = machine_.order_all();
  if (!ordered_) rounds_ = 0; // what is written is read in the last pause only
  heap_.written().clean_all(heap_.base(), heap_.begin_of(heap_.high_water()));
  heap_.set_marking(true);
  seeding_ = true;
  for (u32 i = 0; i < worker_count_; i++) {
    workers_[i].reset();
    workers_[i].ahead.set_depth(ahead_);
    workers_[i].opening.set_depth(ahead_);
  }
  gang_.set_rules({});
}

// What roots lead to in old space. Young objects are followed as a whole.
template <class H, class M> void Marking<H, M>::gather_task(Self& self, Kind kind) {
  struct Gathered {
    Marking& m;
    Worker& w;
    GARNER_INLINE void root(Slot, word value, RootKind how) {
      w.roots.reported++;
      if (!m.heap_.contains(value)) return;
      Ref object{value};
      if (how == RootKind::interior || how == RootKind::pinned_interior) {
        if (m.heap_.label(m.heap_.index_at(value - kHeadBytes)) != kLabelOld) return;
        object = object_containing(m.heap_, m.host_, value);
        if (object.at == 0) return;
      }
      if (m.old(object)) GARNER_CHECK(w.roots.records.push({0, object, 0}), "no memory to record a root");
    }
  };
  Gathered sink{*this, workers_[self.index]};
  if (sink.w.gathered) return; // once per worker: the host divides itself among those who ask
  sink.w.gathered = true;
  host_.gather(self, sink, kind);
}

template <class H, class M> u32 Marking<H, M>::root_tasks() {
  root_parts_.clear();
  late_.clear();
  list_young();
  bool good = true;
  for (u32 i = 0; i < worker_count_ && (seeding_ || !mutated<M>(Trap::roots_once)); i++)
    for (u32 first = 0; first < workers_[i].roots.records.size(); first += root_batch_) good = root_parts_.push({i, first}) && good;
  GARNER_CHECK(good, "no memory for the list of tasks");
  HandleTable& handles = host_.handles();
  u32 strong = 0;
  for (u32 k = 0; k < kMarkedKindCount; k++) strong += strong_tasks_[k] = u32(div_up(handles.chunks(kMarkedKinds[k]), kChunksPerTask));
  written_tasks_ = seeding_ ? 0 : u32(div_up(regions_.size(), kRegionsPerTask));
  if (mutated<M>(Trap::early_weak)) {
    for (u32 i = 0; i < written_tasks_; i++) GARNER_CHECK(late_.push(i), "no memory for the list of tasks");
    written_tasks_ = 0;
  }
  left_tasks_ = seeding_ ? 0 : u32(div_up(left_.size(), kLeftPerTask));
  return left_tasks_ + u32(root_parts_.size()) + u32(div_up(young_.size(), kYoungPerTask)) + written_tasks_ + strong + 2; // counted handles, and objects ready for finalization
}

template <class H, class M> void Marking<H, M>::late_task(Self& self, u32 task) {
  Worker& w = workers_[self.index];
  for (usize i = usize(task) * kRegionsPerTask; i < min_of(regions_.size(), usize(task + 1) * kRegionsPerTask); i++)
    heap_.written().each(heap_.begin_of(regions_[i]), heap_.end_of(regions_[i]), [&](word page) { read_page(self, w, gang_.queue(self.index), page); });
}

template <class H, class M> void Marking<H, M>::root_task(Self& self, u32 task) {
  Worker& w = workers_[self.index];
  auto& queue = gang_.queue(self.index);
  auto mark_if_old = [&](Ref ref) {
    if (old(ref)) mark_later(self, w, queue, ref);
  };
  if (task < left_tasks_) {
    for (usize i = usize(task) * kLeftPerTask; i < min_of(left_.size(), usize(task + 1) * kLeftPerTask); i++) queue.push(left_[i]);
    return;
  }
  task -= left_tasks_;
  if (task < root_parts_.size()) {
    Part part = root_parts_[task];
    Vector<RootRecord>& records = workers_[part.worker].roots.records;
    for (usize i = part.first; i < min_of(records.size(), usize(part.first) + root_batch_); i++) mark_later(self, w, queue, records[i].object);
    return;
  }
  task -= u32(root_parts_.size());
  const u32 young = u32(div_up(young_.size(), kYoungPerTask));
  if (task < young) {
    for (usize i = usize(task) * kYoungPerTask; i < min_of(young_.size(), usize(task + 1) * kYoungPerTask); i++)
      for (word block = heap_.begin_of(young_[i]), top = heap_.region(young_[i]).top.load_relaxed(); block < top;) {
        Ref ref = ref_of(block);
        block += host_.size(ref);
        if (host_.leaf(ref)) continue;
        host_.each_slot(ref, [&](Slot slot) { visit(self, w, queue, slot); });
        follow_edge(queue, ref);
      }
    return;
  }
  task -= young;
  if (task < written_tasks_) return late_task(self, task);
  task -= written_tasks_;
  HandleTable& handles = host_.handles();
  for (u32 k = 0; k < kMarkedKindCount; k++) {
    if (task < strong_tasks_[k]) {
      for (u32 i = task * kChunksPerTask; i < min_of(handles.chunks(kMarkedKinds[k]), (task + 1) * kChunksPerTask); i++)
        handles.chunk(kMarkedKinds[k], i)->each([&](word* slot) { mark_if_old({__atomic_load_n(slot, __ATOMIC_RELAXED)}); });
      return;
    }
    task -= strong_tasks_[k];
  }
  if (task == 0) {
    for (u32 i = 0; i < handles.chunks(HandleKind::counted); i++)
      handles.chunk(HandleKind::counted, i)->each([&](word* slot) {
        Ref ref{__atomic_load_n(slot, __ATOMIC_RELAXED)};
        if (old(ref) && host_.counted_alive(ref)) mark(queue, ref);
      });
    return;
  }
  host_.finalizers().each_ready([&](Ref ref) { mark_if_old(ref); });
}

// While seeding, what was marked is handed to the thread instead of being followed.
template <class H, class M> void Marking<H, M>::drain(Self& self) {
  auto& queue = gang_.queue(self.index);
  Worker& w = workers_[self.index];
  for (u64 entry;;) {
    if (w.ahead.rest(entry)) {
      mark(queue, Ref{entry});
    } else if (seeding_) {
      if (!queue.pop(entry)) return;
      Locked<typename M::Lock> guard(lock_);
      do stack_.push(entry);
      while (queue.pop(entry));
    } else if (queue.pop(entry)) {
      take(self, w, queue, entry);
    } else if (w.opening.rest(entry)) {
      open(self, w, queue, Ref{entry});
    } else {
      return;
    }
  }
}

template <class H, class M> void Marking<H, M>::seeded() {
  seeding_ = false;
  list_old();
}

template <class H, class M> void Marking<H, M>::note_old() {
  const u32 next = cursor_ < regions_.size() ? regions_[cursor_] : heap_.high_water();
  list_old();
  while (cursor_ < regions_.size() && regions_[cursor_] < next) cursor_++;
}

// A round begins with the first of them.
template <class H, class M> void Marking<H, M>::list_old() {
  if (stack_.lost) return abandon();
  regions_.clear();
  cursor_ = 0;
  bool good = true;
  heap_.each_region([&](u32 index, auto& r) {
    if (heap_.label(index) != kLabelOld) return;
    for (u32 i = 0; i < r.run; i++) good = regions_.push(index + i) && good;
  });
  GARNER_CHECK(good, "no memory for the list of old regions");
}

template <class H, class M> u32 Marking<H, M>::grow_tasks() {
  list_young();
  return u32(div_up(young_.size(), kYoungPerTask));
}

// As if each had been promoted by a copy. Nobody knows which of them live: those that do not float.
template <class H, class M> void Marking<H, M>::grow_task(u32 task) {
  if (mutated<M>(Trap::unseen_white)) return;
  for (usize i = usize(task) * kYoungPerTask; i < min_of(young_.size(), usize(task + 1) * kYoungPerTask); i++)
    for (word block = heap_.begin_of(young_[i]), top = heap_.region(young_[i]).top.load_relaxed(); block < top;) {
      Ref ref = ref_of(block);
      const usize bytes = host_.size(ref);
      if (!host_.filler(ref)) heap_.grown_old(block, bytes);
      note_start(heap_, young_[i], block, block + bytes);
      block += bytes;
    }
}

template <class H, class M> void Marking<H, M>::list_young() {
  young_.clear();
  bool good = true;
  heap_.each_region([&](u32 index, auto&) { if (heap_.label(index) != kLabelOld) good = young_.push(index) && good; });
  GARNER_CHECK(good, "no memory for the list of young regions");
}

template <class H, class M> void Marking<H, M>::abandon() {
  if (state_ == State::idle) return;
  if (!mutated<M>(Trap::stale_stack)) forget();
  rest();
  heap_.each_region([&](u32 index, auto&) { clear_marks(index); });
}

template <class H, class M> void Marking<H, M>::forget() {
  moving_.forget();
  stack_.entries.clear();
  pages_.clear();
  own_.ahead = own_.opening = {};
}

// Of a large object only the first bit is set, or its run where it is small.
template <class H, class M> void Marking<H, M>::clear_marks(u32 index) {
  auto& r = heap_.region(index);
  const word begin = heap_.begin_of(index);
  if (r.role == Role::large) heap_.old_marks().clear(begin, begin + align_up(min_of(r.object_bytes, kPartBytes), kMarkBlockBytes));
  else if (heap_.label(index) == kLabelOld) heap_.old_marks().clear(begin, heap_.end_of(index));
}

template <class H, class M> void Marking<H, M>::close() {
  for (u32 i = 0; i < worker_count_; i++) {
    workers_[i].reset();
    workers_[i].ahead.set_depth(ahead_);
    workers_[i].opening.set_depth(ahead_);
  }
  gang_.set_rules({});
  list_old();
  stack_.lost = false; // the pause marks all from the roots then
  take_over();
  GARNER_CHECK(holes_.resize(heap_.high_water()), "no memory for what is left to sweep");
  spaces_.old.abandon();
  spaces_.old.forget_holes();
  spaces_.pinned.abandon();
  spaces_.pinned.forget_holes();
}

// What the thread has not come to, when the last pause cannot wait for it.
template <class H, class M> void Marking<H, M>::take_over() {
  left_.clear();
  left_.swap(stack_.entries);
  bool good = true;
  u64 entry;
  while (own_.ahead.rest(entry))
    if (heap_.old_marks().claim(block_of(Ref{entry}))) good = left_.push(entry) && good;
  while (own_.opening.rest(entry)) good = left_.push(entry) && good;
  GARNER_CHECK(good, "no memory for what is left to mark");
  taken_over_ += left_.size();
  for (word page : pages_) heap_.written().note(page);
  pages_.clear();
}

// ---- sweeping ----

// All of this by the marks alone: what lives is not read, and costs nothing where nothing beside it is dead.
template <class H, class M> void Marking<H, M>::measure_task(u32 task) {
  each_swept(task, [&](u32 index, auto& r) {
    const auto measure = heap_.old_marks().measure(heap_.begin_of(index), carved_end(heap_, index), Space<M>::kLeastHole / kWordBytes);
    r.live_bytes = measure.live_bytes;
    holes_[index] = r.live_bytes != 0 ? u32(measure.gap_bytes) : 0;
  });
}

template <class H, class M> void Marking<H, M>::choose() {
  if (ordered_) moving_.choose();
}

template <class H, class M> void Marking<H, M>::sweep_beside() {
  state_ = State::sweeping;
  heap_.set_marking(moving_.any()); // what becomes old has no need of marks, but for the search that follows
  list_old();
}

template <class H, class M> void Marking<H, M>::sweep_task(u32 task) {
  each_swept(task, [&](u32 index, auto& r) {
    if (r.unswept) sweep(index);
  });
}

template <class H, class M> void Marking<H, M>::all_swept() {
  unswept_bytes_[0] = unswept_bytes_[1] = 0;
  state_ = State::swept;
}

// By the thread. False: nothing is left.
template <class H, class M> bool Marking<H, M>::sweep_some() {
  for (u32 n = 0, passed = 0; n < kSweptAtOnce && passed < kPassedAtOnce; cursor_++, passed++) {
    if (cursor_ == regions_.size()) return false;
    const u32 index = regions_[cursor_];
    auto& r = heap_.region(index);
    if (!r.unswept) continue;
    if (!moving_.leaves(index)) unswept_bytes_[r.role == Role::pinned] -= holes_[index];
    sweep(index);
    n++;
  }
  return true;
}

// A region of which something is dead and something lives.
template <class H, class M> void Marking<H, M>::sweep(u32 index) {
  auto& r = heap_.region(index);
  Space<M>& space = r.role == Role::pinned ? spaces_.pinned : spaces_.old;
  const bool offers = !moving_.leaves(index);
  r.unswept = false;
  typename Space<M>::Found found(space);
  fill_gaps(heap_, heap_.old_marks(), index, [&](word from, word to) {
    if (offers) found.add(from, to);
  });
}

template <class H, class M> void Marking<H, M>::finish() {
  dead_.clear();
  left_.clear(); // it is marked; what follows may take long, and all of it would count
  left_.fit(kKept);
  unswept_bytes_[0] = unswept_bytes_[1] = 0;
  bool good = true;
  heap_.each_region([&](u32 index, auto& r) {
    if (heap_.label(index) != kLabelOld) return;
    if (r.role == Role::large ? !heap_.old_marks().is_marked(heap_.begin_of(index)) : r.live_bytes == 0) {
      good = dead_.push(index) && good;
    } else if (r.role != Role::large) {
      const word until = carved_end(heap_, index);
      r.clean = false;
      r.unswept = r.live_bytes != until - heap_.begin_of(index);
      if (!r.unswept) return;
      r.top.store_relaxed(until); // what was never carved is part of the last hole
      r.scan_top = until;
      if (!moving_.leaves(index)) unswept_bytes_[r.role == Role::pinned] += holes_[index];
    }
  });
  GARNER_CHECK(good, "no memory for the list of dead regions");
}

template <class H, class M> void Marking<H, M>::rest() {
  state_ = State::idle;
  heap_.set_marking(false);
  // A chain's values, or one burst of writes, make lists large once; a limit would count that for ever.
  left_.clear();
  stack_.entries.fit(kKept);
  left_.fit(kKept);
  pages_.fit(kKept);
}

// Every page counts as written, so the thread reads all of old space as in a revision, and then what is written meanwhile.
template <class H, class M> void Marking<H, M>::find() {
  state_ = State::finding;
  heap_.set_marking(true); // a pause whose stack was lost on the way has taken it back, and what becomes old from here on must be found too
  heap_.written().note_all(heap_.base(), heap_.begin_of(heap_.high_water()));
  rounds_ = kRounds;
  to_find_ = 0;
  list_old();
}

template <class H, class M> void Marking<H, M>::stay() {
  moving_.stay();
  forget();
  rest();
}

template <class H, class M> void Marking<H, M>::clean_task(u32 task) {
  const u32 high = heap_.high_water();
  for (u32 index = task * kRegionsPerTask; index < min_of(high, (task + 1) * kRegionsPerTask); index++)
    if (heap_.region(index).role != Role::large_tail) clear_marks(index);
}

template <class H, class M> void Marking<H, M>::free_dead() {
  typename Heap<M>::Freeing empty(heap_);
  for (u32 index : dead_) empty.release(index);
}

} // namespace garner
