// Synthetic: start, roots, weak things, the stopped world, and the mutators' program (synthetic.h).
#pragma once
#include <new>

#include "host/synthetic/synthetic.h"

namespace garner {

// ---- start ----

template <class M> HeapConfig Synthetic<M>::heap_config(const SyntheticShape& shape) const {
  HeapConfig config{};
  config.door = "synthetic";
  config.workers = u32(max_of<i64>(settings.get(Opt::workers), 1));
  config.shape.region_bytes = settings.bytes(Opt::region);
  config.shape.limit = shape.limit;
  config.shape.least_bytes = 4 * MiB;
  config.shape.reserve_bytes = shape.reserve;
  config.shape.hold = settings.given(Opt::hold) && settings.on(Opt::hold); // a simulated machine's memory costs nothing to bring, but has caches
  config.shape.poison = settings.on(Opt::poison);
  config.shape.beside = settings.as<MarkingWhen>(Opt::marking) == MarkingWhen::concurrent; // auto stops: who simulates a collection wants to see a whole one
  config.shape.notices = settings.on(Opt::notices);
  PaceConfig& pace = config.pace;
  pace.adaptive = settings.as<Resize>(Opt::resize) == Resize::adaptive;
  pace.adapt_tenure = settings.as<Tenure>(Opt::tenure) == Tenure::adaptive;
  pace.en_masse = settings.given(Opt::en_masse) && settings.as<EnMasse>(Opt::en_masse) == EnMasse::adaptive; // who simulates a collection wants to see one
  pace.lean = pace.lean_growth = pace.adaptive && settings.given(Opt::lean) && settings.on(Opt::lean); // what is simulated has the eden that was asked for
  pace.limit = shape.limit;
  pace.eden_min = shape.eden_min != 0 ? shape.eden_min : settings.bytes(Opt::eden_min);
  pace.eden_max = shape.eden_max != 0 ? shape.eden_max : max_of<u64>(settings.bytes(Opt::eden_max), 4 * MiB);
  pace.eden_start = shape.eden != 0 ? shape.eden : max_of<u64>(settings.bytes(Opt::eden), 256 * KiB);
  pace.eden_min = min_of(pace.eden_min, pace.eden_start);
  pace.eden_max = max_of(pace.eden_max, pace.eden_start);
  pace.growth_min = shape.limit != 0 ? shape.limit / 8 : 2 * MiB;
  pace.pause_goal_ns = u64(settings.get(Opt::pause_goal)) * 1'000'000;
  pace.gc_share_percent = u32(settings.get(Opt::gc_share));
  pace.old_growth_percent = u32(settings.get(Opt::old_growth));
  pace.conserve = u32(settings.get(Opt::conserve));
  return config;
}

template <class M> bool Synthetic<M>::start(const SyntheticShape& shape) {
  struct AnySink { void root(Slot, word, RootKind) {} };
  static_assert(Objects<Synthetic, Self> && Roots<Synthetic, Self, AnySink> && Weak<Synthetic> && World<Synthetic>);
  shape_ = shape;
  if (!settings.given(Opt::ahead)) settings.set(Opt::ahead, kAhead);
  if (!settings.given(Opt::ahead_by)) settings.set(Opt::ahead_by, i64(AheadBy::queue));
  void* memory = map_own(sizeof(TheCycle));
  if (memory == nullptr) return false;
  cycle = new (memory) TheCycle(machine, *this, settings);
  program.start(machine);
  collecting.start(machine, LockKind::posix);
  return loaders.push({nullptr}) && cycle->init(heap_config(shape), nullptr, nullptr);
}

template <class M> Synthetic<M>::~Synthetic() {
  if (cycle == nullptr) return;
  if (heap().reserved() != 0) machine.release(heap().base(), heap().reserved());
  unmap_own(cycle, sizeof(TheCycle));
}

// ---- roots ----

// The roots are cut into parts: each mutator's cells, statics and passing roots, each mutator's late pins, ambiguous words, pinned handles.
// Whoever is free takes the next, so with late pins another worker may be the one that learns of the pin.
template <class M> template <class Sink> void Synthetic<M>::gather(Self& self, Sink& sink, Kind kind) {
  u32 threads = u32(mutators.size());
  if (manners.shared_slots)
    for (word& slot : statics) sink.root(Slot{word(&slot)}, slot, RootKind::exact);
  for (u32 part; (part = next_part_.fetch_add_relaxed(1)) < 2 * threads + 3;) { // relaxed: the phase's start published everything
    if (manners.slow_gather)
      for (u32 i = 0; i < 200; i++) self.yield();
    if (part < threads) {
      report(*mutators[part], sink, false);
    } else if (part == threads) {
      if (!manners.shared_slots)
        for (word& slot : statics) sink.root(Slot{word(&slot)}, slot, RootKind::exact);
      for (word value : passing) sink.root(Slot{0}, value, RootKind::value);
    } else if (part <= 2 * threads) {
      report(*mutators[part - threads - 1], sink, true);
    } else if (part == 2 * threads + 1) {
      for (word value : ambiguous) sink.root(Slot{0}, value, RootKind::pinned_interior);
    } else {
      for (HandleKind pins : {HandleKind::pinned, HandleKind::async_pinned})
        for (u32 i = 0; i < table.chunks(pins); i++) report_pinned_handles(*table.chunk(pins, i), sink, kind);
    }
  }
}

template <class M> template <class Sink> void Synthetic<M>::report(Mutator& mutator, Sink& sink, bool pins) {
  for (auto& cell : mutator.cells) {
    bool pinned = cell.kind == RootKind::pinned || cell.kind == RootKind::pinned_interior;
    if (!pinned) {
      if (!pins) sink.root(Slot{word(&cell.value)}, cell.value, cell.kind);
    } else if (pins == manners.late_pins) {
      sink.root(Slot{word(&cell.value)}, cell.value, cell.kind);
    } else if (manners.late_pins) { // unpinned and without a slot first
      sink.root(Slot{0}, cell.value, cell.kind == RootKind::pinned ? RootKind::value : RootKind::interior);
    }
  }
}

template <class M> template <class Sink> void Synthetic<M>::report_pinned_handles(HandleChunk& chunk, Sink& sink, Kind kind) {
  if (chunk.youngest.load_relaxed() > u32(kind)) return;
  u32 youngest = 3;
  chunk.each([&](word* slot) {
    Ref ref{__atomic_load_n(slot, __ATOMIC_RELAXED)};
    if (ref.at == 0 || !heap().contains(ref.at)) return;
    youngest = min_of(youngest, generation_of(ref));
    sink.root(Slot{0}, ref.at, RootKind::pinned);
  });
  if (kind != Kind::full) chunk.youngest.store_relaxed(u8(youngest)); // a full collection makes it anew when labels are final
}

// ---- weak things ----

template <class M> bool Synthetic<M>::drop_eagerly(Ref ref) {
  if ((synthetic::flags_of(synthetic::type_of(ref)) & synthetic::kEager) == 0) return false;
  table.destroy(reinterpret_cast<Handle>(load_word(synthetic::body_of(ref))));
  Locked<typename M::Lock> guard(told_);
  GARNER_CHECK(dropped.push(synthetic::id_of(ref)), "no memory");
  return true;
}

template <class M> bool Synthetic<M>::take_suppressed(Ref ref) {
  word at = header_of(ref).at;
  if ((__atomic_load_n(reinterpret_cast<word*>(at), __ATOMIC_RELAXED) & synthetic::kSuppressed) == 0) return false;
  if ((__atomic_fetch_and(reinterpret_cast<word*>(at), ~word(synthetic::kSuppressed), __ATOMIC_RELAXED) & synthetic::kSuppressed) == 0) return false; // another worker's
  Locked<typename M::Lock> guard(told_);
  GARNER_CHECK(unsuppressed.push(synthetic::id_of(ref)), "no memory");
  return true;
}

// ---- world ----

template <class M> void Synthetic<M>::follow(Step from, Step to) {
  GARNER_CHECK(step_ == from, "the hooks of a collection came in another order");
  step_ = to;
}

template <class M> void Synthetic<M>::leave() {
  GARNER_CHECK(step_ == Step::resumed || step_ == Step::entered, "the hooks of a collection came in another order");
  step_ = Step::apart;
}

template <class M> void Synthetic<M>::stop(Cause) {
  follow(Step::entered, Step::stopped);
  GARNER_CHECK(cycle->beside_is_called(), "the program is stopped while the marking's thread may take a processor from it");
  Self self(machine, 0);
  program.stop(self);
}

template <class M> void Synthetic<M>::begin(Kind kind, Cause, u64) {
  follow(Step::stopped, Step::begun);
  GARNER_CHECK(program.stands(), "a thread of the program runs");
  for (Mutator* mutator : mutators) mutator->close_buffer();
  finalize_queue.compact();
  dropped.clear();
  unsuppressed.clear();
  asked_ = kind;
  if (observer.before != nullptr) observer.before(observer.self, kind);
}

template <class M> void Synthetic<M>::before_roots(Kind) {
  GARNER_CHECK(step_ == Step::begun || step_ == Step::tables, "the hooks of a collection came in another order");
  before_walk_ = step_;
  step_ = Step::roots;
  next_part_.store_relaxed(0);
}

template <class M> void Synthetic<M>::after_walk() { follow(Step::roots, before_walk_); }

template <class M> void Synthetic<M>::after_strong(Kind) { follow(Step::roots, Step::strong); }

template <class M> void Synthetic<M>::finish(Kind kind, Cause, u64) {
  follow(step_ == Step::begun ? Step::begun : Step::tables, Step::finished); // nothing is asked for when all is promoted en masse
  passing.clear();
  if (observer.after != nullptr) observer.after(observer.self, asked_, kind);
  if (manners.tight_eden) cycle->spaces().eden.set_limit(shape_.tight_eden);
}

template <class M> void Synthetic<M>::resume() {
  follow(Step::finished, Step::resumed);
  Self self(machine, 0);
  program.go(self);
}

// Nobody sleeps here, but the order is part of the contract.
template <class M> void Synthetic<M>::release() { follow(Step::resumed, Step::resumed); }

// ---- the program ----

template <class M> void Synthetic<M>::add(Mutator& mutator) {
  Locked<typename M::Lock> guard(lock_);
  GARNER_CHECK(mutators.push(&mutator), "no memory");
}

template <class M> void Synthetic<M>::write(Slot slot, Ref value) {
  __atomic_store_n(reinterpret_cast<word*>(slot.at), value.at, __ATOMIC_RELEASE);
  Heap<M>& h = heap();
  if (watched_ && !mutated<M>(Trap::unwatched_store)) h.written().note(slot.at);
  const u8* labels = h.labels();
  auto label = [&](word at) { return __atomic_load_n(labels + ((at - h.base()) >> h.region_shift()), __ATOMIC_RELAXED); };
  u8 holder = label(slot.at);
  if (holder == kLabelEden) return;
  if (value.at < h.base() || value.at >= h.end()) return;
  if (label(value.at) >= holder) return;
  h.mark_card(slot.at);
}

template <class M> void Synthetic<M>::wrote_type(Ref ref) {
  heap().mark_card(ref.at);
  if (watched_ && !mutated<M>(Trap::unwatched_store)) heap().written().note(ref.at);
}

template <class M> void Synthetic<M>::write_range(word to, word from, usize slots) {
  // Whole words, as the runtime's copy of references: they are read while old objects are marked. Relaxed: what they refer to was published when they were first stored.
  auto move = [&](usize i) { __atomic_store_n(reinterpret_cast<word*>(to) + i, load_word(from + i * kWordBytes), __ATOMIC_RELAXED); };
  if (to <= from) for (usize i = 0; i < slots; i++) move(i);
  else for (usize i = slots; i-- > 0;) move(i);
  for (word at = align_down(to, kCardBytes); at < to + slots * kWordBytes; at += kCardBytes) heap().mark_card(max_of(at, to));
  if (watched_ && !mutated<M>(Trap::unwatched_store)) heap().written().note(to, slots * kWordBytes);
}

template <class M> void Synthetic<M>::doom(Handle handle) {
  Locked<typename M::Lock> guard(lock_);
  GARNER_CHECK(doomed_.push(handle), "no memory");
}

template <class M> bool Synthetic<M>::destroy_doomed() {
  Locked<typename M::Lock> guard(lock_);
  if (doomed_.empty()) return false;
  table.destroy(doomed_.back());
  doomed_.pop();
  return true;
}

template <class M> bool Synthetic<M>::doomed_left() {
  Locked<typename M::Lock> guard(lock_);
  return !doomed_.empty();
}

namespace synthetic {

// ---- a mutator ----

template <class M> void Mutator<M>::close_buffer() {
  if (top_ != end_) fill(top_, end_ - top_);
  top_ = end_ = 0;
}

template <class M> void Mutator<M>::check_zero(const Range& range) {
  if (!range.zeroed) return;
  word any = 0;
  for (word at = range.begin; at < range.end; at += kWordBytes) any |= load_word(at);
  GARNER_CHECK(any == 0, "memory that was said to be zero is not");
}

template <class M> Ref Mutator<M>::allocate(Self& self, const New& what) {
  host_.program.safepoint(self);
  usize bytes = bytes_of(what.type);
  bool apart = what.pinned_heap || bytes > host_.heap().region_bytes() / 2;
  word block = apart ? allocate_apart(self, bytes, what.pinned_heap) : allocate_small(self, bytes);
  if (block == 0) return {0};
  Ref ref = format(block, what.type, what.id, what.loader);
  // An object born old may have a young loader, or one that is not marked: the runtime stores the type of such an object through its barrier.
  if (what.loader != 0 && apart) host_.wrote_type(ref);
  return ref;
}

template <class M> word Mutator<M>::allocate_small(Self& self, usize bytes) {
  usize most = host_.settings.bytes(Opt::tlab);
  for (Attempts tries;;) {
    if (usize room = end_ - top_; room == bytes || room >= bytes + kMinObjectBytes) {
      top_ += bytes;
      return top_ - bytes;
    }
    u64 seen = host_.cycle->count();
    Space<M>& eden = host_.cycle->spaces().eden;
    if (bytes > most / 2) { // alone, so that the buffer's rest is not lost
      Range range = eden.take(bytes, bytes, self.node);
      GARNER_CHECK(range.begin == 0 || range.bytes() == bytes, "more than was asked for: nobody fills the rest");
      check_zero(range);
      if (range.begin != 0) return range.begin;
    } else {
      usize least = bytes + kMinObjectBytes;
      Range range = eden.take(least, max_of(most, least), self.node);
      if (range.begin != 0) {
        check_zero(range);
        close_buffer();
        top_ = range.begin;
        end_ = range.end;
        refills_++;
        continue;
      }
    }
    if (!relieve(self, tries.next(eden.given_out(self.node)), Cause::eden_full, seen)) return 0;
  }
}

template <class M> word Mutator<M>::allocate_apart(Self& self, usize bytes, bool pinned) {
  auto& cycle = *host_.cycle;
  for (u32 attempt = 0;; attempt++) {
    u64 seen = cycle.count();
    if (attempt != 0 || !cycle.pace().large_due(cycle.old_bytes(), bytes)) {
      word block = 0;
      if (pinned && bytes <= host_.heap().region_bytes() / 2) {
        Range range = cycle.spaces().pinned.take(bytes, bytes, self.node);
        GARNER_CHECK(range.begin == 0 || range.bytes() == bytes, "more than was asked for: nobody fills the rest");
        check_zero(range);
        block = range.begin;
      } else if (u32 region = host_.heap().take_large(bytes, true, pinned, cycle.spaces().old.home(self.node)); region != kNoRegion) {
        block = host_.heap().begin_of(region);
        check_zero({block, block + bytes, true});
      }
      if (block != 0) {
        cycle.grew_old(bytes);
        store_word(ref_of(block).at, 0); // a hole is a filler, and what lies behind the last object may be an object of long ago; published by born_old
        host_.heap().born_old(block, bytes);
        return block;
      }
    }
    if (!relieve(self, max_of(attempt, 1u), Cause::large_budget, seen)) return 0; // only a full collection frees these
  }
}

// One step against a lack of memory. False when there is none left.
template <class M> bool Mutator<M>::relieve(Self& self, u32 attempt, Cause cause, u64 seen) {
  if (attempt >= Attempts::kMost) return false;
  Request request;
  request.seen = seen;
  request.optional = true;
  request.cause = attempt == 0 || cause == Cause::large_budget ? cause : Cause::memory_limit;
  request.kind = attempt == 0 ? Kind::young1 : Kind::full;
  request.compact_all = attempt >= 2;
  collect(self, request);
  return true;
}

template <class M> bool Mutator<M>::collect(Self& self, const Request& request) {
  host_.program.go_out(self);
  host_.collecting.lock(self);
  bool done = host_.cycle->collect(request);
  host_.collecting.unlock(self);
  host_.program.come_in(self);
  return done;
}

} // namespace synthetic

} // namespace garner
