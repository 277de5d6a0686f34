// Weak things: what a collection does between "everything strongly reachable is known" and "dead means dead".
//
// One code for both collections: T is the Evacuation or the Compaction, asked through alive(), keep_in(), keep_second(), now_at(), generation_now().
// The order is the contract that programs see:
//   1 ephemerons to a fixpoint      a pair's second object lives if its first does
//   2 short weak handles cleared    before finalization, so they do not see the resurrected
//   3 finalization                  dead registered objects become ready and are kept with all they reach
//   4 ephemerons again              what finalization kept may be a first object
//   5 long weak, counted, interior and dependent handles of the dead cleared
//   6 the host's side tables        (sync blocks), by the conductor alone
// Chunks whose youngest object is older than what is collected are skipped: a young collection never visits old entries.
// When objects have moved already (T::moves_now) a visit also writes the new address; the slide phase does it otherwise.
#pragma once
#include "collect/compact/compaction.h"

namespace garner {

template <class H, class M, class T> class WeakThings {
 public:
  using Self = typename M::Self;
  static constexpr u32 kChunksPerTask = 16, kReadyPerTask = 64;

  WeakThings(H& host, T& tracer) : host_(host), tracer_(tracer) {}

  // run(tasks, fn(self, task)) runs a tracing phase: after each fn the closure of what it kept is drained.
  template <class Run> void ephemerons(Run run) {
    HandleTable& handles = host_.handles();
    u32 tasks = u32(div_up(handles.chunks(HandleKind::dependent), kChunksPerTask));
    if (tasks == 0) return;
    do {
      progress_.store_relaxed(0);
      run(tasks, [&](Self& self, u32 task) {
        visit(HandleKind::dependent, task, [&](HandleChunk&, word* slot) {
          Ref first = load(slot), second = load(slot + 1);
          if (first.at == 0 || second.at == 0 || !tracer_.alive(first) || tracer_.alive(second)) return;
          tracer_.keep_second(self, slot + 1, second);
          progress_.store_relaxed(1); // read after the phase's end, which publishes it
        });
      });
    } while (progress_.load_relaxed() != 0);
  }

  template <class Run> void clear_short(Run run) { clear(HandleKind::weak_short, run); }

  template <class Run> void clear_long(Run run) {
    for (HandleKind kind : {HandleKind::weak_long, HandleKind::weak_native, HandleKind::counted, HandleKind::weak_interior, HandleKind::dependent}) clear(kind, run);
  }

  // Finds dead registered objects of the collected generations, sequentially; keeps them in a tracing phase. Returns how many.
  template <class Run> usize finalize(Run run) {
    FinalizeQueue& queue = host_.finalizers();
    fresh_.clear();
    survivors_.clear();
    bool good = true;
    for (u32 g = 0; g <= tracer_.condemned(); g++) {
      Vector<Ref>& list = queue.registered[g];
      for (Ref ref : list) {
        if (tracer_.alive(ref)) good = survivors_.push(ref) && good;
        else if (host_.drop_eagerly(ref) || host_.take_suppressed(ref)) continue;
        else good = fresh_.push(ref) && good;
      }
      list.clear();
    }
    if (fresh_.size() != 0)
      run(u32(div_up(fresh_.size(), kReadyPerTask)), [&](Self& self, u32 task) {
        for (usize i = usize(task) * kReadyPerTask; i < min_of(fresh_.size(), usize(task + 1) * kReadyPerTask); i++) {
          tracer_.keep_in(self, fresh_[i]);
        }
      });
    for (Ref ref : fresh_) good = queue.ready[host_.critical(ref) ? 1 : 0].push(ref) && good;
    if (T::moves_now) good = resort() && good;
    GARNER_CHECK(good, "no memory for the finalization queue");
    return fresh_.size();
  }

  // Puts registered objects that live on into the list of their new generation, at their new address. For a full collection this
  // needs the plan, and the ready ones follow it too.
  [[nodiscard]] bool resort() {
    FinalizeQueue& queue = host_.finalizers();
    bool good = true;
    for (Ref ref : survivors_) good = queue.registered[tracer_.generation_now(T::moves_now ? tracer_.now_at(ref) : ref)].push(tracer_.now_at(ref)) && good;
    survivors_.clear();
    if (!T::moves_now)
      for (Vector<Ref>& list : queue.ready)
        for (Ref& ref : list) ref = tracer_.now_at(ref);
    return good;
  }

 private:
  static Ref load(word* slot) { return {__atomic_load_n(slot, __ATOMIC_RELAXED)}; }

  template <class F> void visit(HandleKind kind, u32 task, F fn) {
    HandleTable& handles = host_.handles();
    for (u32 i = task * kChunksPerTask; i < min_of(handles.chunks(kind), (task + 1) * kChunksPerTask); i++) {
      HandleChunk& chunk = *handles.chunk(kind, i);
      if (chunk.youngest.load_relaxed() > tracer_.condemned()) continue;
      chunk.each([&](word* slot) { fn(chunk, slot); });
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
        chunk.each([&](word* slot) { youngest = min_of(youngest, clear_one(kind, slot)); });
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
  typename M::template Atomic<u32> progress_;
  Vector<Ref> fresh_, survivors_;
};

} // namespace garner
