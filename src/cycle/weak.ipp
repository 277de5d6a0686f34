// Weak things: what a collection does between "everything strongly reachable is known" and "dead means dead".
//
// One code for both collections: T is the Evacuation or the Compaction, asked through alive(), keep_in(), keep_second(), now_at(), generation_now(); its workers' lists are used.
// The order is the contract that programs see:
//   1 ephemerons to a fixpoint      a pair's second object lives if its first does
//   2 short weak handles cleared    before finalization, so they do not see the resurrected
//   3 finalization                  dead registered objects become ready and are kept with all they reach
//   4 ephemerons again              what finalization kept may be a first object
//   5 long weak, counted, interior and dependent handles of the dead cleared
//   6 the host's side tables        (sync blocks), by the conductor alone
// Chunks whose youngest object is older than what is collected are skipped: a young collection never visits old entries.
// Ephemerons are visited once; pairs whose first object is not known to live are written down, and what comes after looks at those only.
// Whether an object lives its header or its mark tells, which is far from the last one asked: each is asked for some entries ahead (T::expect).
// When objects have moved already (T::moves_now) a visit also writes the new address; the slide phase does it otherwise.
#pragma once
#include "collect/compact/compaction.h"

namespace garner {

template <class H, class M, class T> class WeakThings {
 public:
  using Self = typename M::Self;
  static constexpr u32 kChunksPerTask = 16, kReadyPerTask = 64;
  static constexpr usize kEntriesPerTask = 2048, kAhead = 8;

  WeakThings(H& host, T& tracer) : host_(host), tracer_(tracer) {}
  ~WeakThings() {
    for (u32 i = 0; i < tracer_.worker_count(); i++)
      if (list_of(i).capacity() > kUndecidedKept) list_of(i).release();
  }

  // run(tasks, fn(self, task)) runs a tracing phase: after each fn the closure of what it kept is drained.
  template <class Run> void ephemerons(Run run) {
    if (host_.handles().chunks(HandleKind::dependent) == 0) return;
    for (bool again = true; again; again = progress_.load_relaxed() != 0) {
      progress_.store_relaxed(0);
      all_listed_ ? visit_undecided(run) : visit_pairs(run);
    }
  }

  template <class Run> void clear_short(Run run) { clear(HandleKind::weak_short, run); }

  template <class Run> void clear_long(Run run) {
    for (HandleKind kind : {HandleKind::weak_long, HandleKind::weak_native, HandleKind::counted, HandleKind::weak_interior, HandleKind::dependent}) clear(kind, run);
  }

  // Finds dead registered objects of the collected generations; keeps them in a tracing phase. Returns how many.
  template <class Run> usize finalize(Run run) {
    FinalizeQueue& queue = host_.finalizers();
    look_at(queue.registered_up_to(tracer_.condemned()), run);
    fresh_ = queue.gather(tracer_.condemned());
    const usize found = fresh_.size();
    if (found != 0) run(u32(div_up(found, kReadyPerTask)), [this](Self& self, u32 task) { keep_fresh(self, task); });
    bool critical = false;
    for (Ref& ref : fresh_)
      if (host_.critical(ref)) critical = true, ref.at |= FinalizeQueue::kCritical;
    if (critical) queue.part(fresh_);
    if (T::moves_now) resort();
    return found;
  }

  // Puts registered objects that live on into the part of their new generation, at their new address. For a full collection this
  // needs the plan, and the ready ones follow it too.
  // Not inline, as tracing_phase is not.
  [[gnu::noinline]] void resort() {
    FinalizeQueue& queue = host_.finalizers();
    const FinalizeQueue::Part all = queue.registered_up_to(tracer_.condemned());
    for (usize i = 0; i < all.size(); i++) {
      if (i + kAhead < all.size()) tracer_.expect(all[i + kAhead]);
      const Ref ref = all[i], now = tracer_.now_at(ref);
      all[i] = {now.at | FinalizeQueue::tag_of(tracer_.generation_now(T::moves_now ? now : ref))};
    }
    queue.file(tracer_.condemned());
    if (!T::moves_now) queue.each_ready([&](Ref& ref) { ref = tracer_.now_at(ref); });
  }

 private:
  // Tells the dead of registered objects, in place. The living are where they are now; who needs no finalization is null.
  template <class Run> void look_at(FinalizeQueue::Part list, Run run) {
    if (list.size() <= kEntriesPerTask) return look_at_part(list, 0);
    run(u32(div_up(list.size(), kEntriesPerTask)), [this, list](Self&, u32 task) { look_at_part(list, task); });
  }
  [[gnu::noinline]] void look_at_part(FinalizeQueue::Part list, u32 task) {
    const usize end = min_of(list.size(), usize(task + 1) * kEntriesPerTask);
    for (usize at = usize(task) * kEntriesPerTask; at < end; at++) {
      if (at + kAhead < end) tracer_.expect(list[at + kAhead]);
      Ref ref = list[at];
      if (tracer_.alive(ref)) list[at] = T::moves_now ? tracer_.now_at(ref) : ref;
      else list[at] = host_.drop_eagerly(ref) || host_.take_suppressed(ref) ? Ref{0} : Ref{ref.at | FinalizeQueue::kDead};
    }
  }

  // The oldest is the last.
  [[gnu::noinline]] void keep_fresh(Self& self, u32 task) {
    const usize found = fresh_.size(), end = min_of(found, usize(task + 1) * kReadyPerTask);
    for (usize i = usize(task) * kReadyPerTask; i < end; i++) {
      if (i + kAhead < end) tracer_.expect(fresh_[found - 1 - i - kAhead]);
      tracer_.keep_in(self, fresh_[found - 1 - i]);
    }
  }

  using Undecided = Vector<word*>;
  static constexpr usize kUndecidedKept = 64 * KiB / sizeof(word*); // of a worker's list, for the next collection

  // Keeps the second object of a pair whose first lives; true where that is not known of the first.
  bool undecided(Self& self, word* slot) {
    Ref first = load(slot), second = load(slot + 1);
    if (first.at == 0 || second.at == 0 || tracer_.alive(second)) return false;
    if (!tracer_.alive(first)) return true;
    tracer_.keep_second(self, slot + 1, second);
    progress_.store_relaxed(1); // read after the phase's end, which publishes it
    return false;
  }

  // All of them. Where there is no memory for the list of the undecided, every visit is one of all.
  template <class Run> void visit_pairs(Run run) {
    for (u32 i = 0; i < tracer_.worker_count(); i++) {
      list_of(i).clear();
      tracer_.workers()[i].unlisted = false;
    }
    run(u32(div_up(host_.handles().chunks(HandleKind::dependent), kChunksPerTask)), [&](Self& self, u32 task) {
      visit(HandleKind::dependent, task, [&](HandleChunk&, word* slot) {
        if (undecided(self, slot) && !list_of(self.index).push(slot)) tracer_.workers()[self.index].unlisted = true;
      });
    });
    all_listed_ = true;
    for (u32 i = 0; i < tracer_.worker_count(); i++) all_listed_ = all_listed_ && !tracer_.workers()[i].unlisted;
  }

  // An entry that is decided becomes null; who has freed his handle meanwhile has left null in its slot.
  template <class Run> void visit_undecided(Run run) {
    u32 tasks = 0;
    for (u32 i = 0; i < tracer_.worker_count(); i++) tasks += u32(div_up(list_of(i).size(), kEntriesPerTask));
    if (tasks == 0) return;
    run(tasks, [&](Self& self, u32 task) {
      u32 worker = 0;
      for (usize parts; (parts = div_up(list_of(worker).size(), kEntriesPerTask)) <= task; worker++) task -= u32(parts);
      Undecided& list = list_of(worker);
      const usize end = min_of(list.size(), usize(task + 1) * kEntriesPerTask);
      for (usize i = usize(task) * kEntriesPerTask; i < end; i++) {
        if (i + kAhead < end && list[i + kAhead] != nullptr) expect(HandleKind::dependent, list[i + kAhead]);
        if (list[i] != nullptr && !undecided(self, list[i])) list[i] = nullptr;
      }
    });
  }
  Undecided& list_of(u32 worker) { return tracer_.workers()[worker].undecided; }

  static Ref load(word* slot) { return {__atomic_load_n(slot, __ATOMIC_RELAXED)}; }

  void expect(HandleKind kind, word* slot) {
    if (Ref ref = load(slot); ref.at != 0) tracer_.expect(ref);
    if (kind != HandleKind::dependent) return;
    if (Ref second = load(slot + 1); second.at != 0) tracer_.expect(second);
  }

  template <class F> void visit(HandleKind kind, u32 task, F fn) {
    HandleTable& handles = host_.handles();
    for (u32 i = task * kChunksPerTask; i < min_of(handles.chunks(kind), (task + 1) * kChunksPerTask); i++) {
      HandleChunk& chunk = *handles.chunk(kind, i);
      if (chunk.youngest.load_relaxed() > tracer_.condemned()) continue;
      chunk.each([&](word* slot) { expect(kind, slot); }, [&](word* slot) { fn(chunk, slot); });
    }
  }

  template <class Run> void clear(HandleKind kind, Run run) {
    HandleTable& handles = host_.handles();
    u32 tasks = u32(div_up(handles.chunks(kind), kChunksPerTask));
    if (tasks == 0) return;
    run(tasks, [&](Self&, u32 task) {
      for (u32 i = task * kChunksPerTask; i < min_of(handles.chunks(kind), (task + 1) * kChunksPerTask); i++) {
        HandleChunk& chunk = *handles.chunk(kind, i);
        if (chunk.youngest.load_relaxed() > tracer_.condemned()) continue;
        u32 youngest = 3;
        chunk.each([&](word* slot) { expect(kind, slot); }, [&](word* slot) { youngest = min_of(youngest, clear_one(kind, slot)); });
        if (T::moves_now) chunk.youngest.store_relaxed(u8(youngest));
      }
    });
  }

  // Returns the generation of the youngest object the handle holds afterwards, 3 for none.
  u32 clear_one(HandleKind kind, word* slot) {
    Ref ref = load(slot);
    if (ref.at == 0) {
      if (kind == HandleKind::dependent) __atomic_store_n(slot + 1, word(0), __ATOMIC_RELAXED); // nobody can ask for it any more
      return 3;
    }
    Ref now = tracer_.alive(ref) ? tracer_.now_at_if_moved(ref) : Ref{0};
    if (now.at != ref.at) {
      word expected = ref.at; // the owner may free the handle meanwhile: then it stays zero
      __atomic_compare_exchange_n(slot, &expected, now.at, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    if (kind == HandleKind::dependent) {
      Ref second = load(slot + 1);
      if (now.at == 0) second = {0};
      else if (second.at != 0) second = tracer_.now_at_if_moved(second);
      __atomic_store_n(slot + 1, second.at, __ATOMIC_RELAXED);
      if (T::moves_now && second.at != 0 && now.at != 0) return min_of(tracer_.generation_now(now), tracer_.generation_now(second));
    } else if (kind == HandleKind::weak_interior && now.at != 0) {
      move_native_word(slot, now.at - ref.at);
    }
    return now.at == 0 || !T::moves_now ? 3 : tracer_.generation_now(now);
  }

  H& host_;
  T& tracer_;
  typename M::template Atomic<u32> progress_; // a second object was kept by this visit
  bool all_listed_ = false; // the undecided are all in the workers' lists
  FinalizeQueue::Part fresh_ = {}; // what has become ready
};

} // namespace garner
