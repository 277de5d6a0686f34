// What a collection does for a marking beside the program, and for the compaction that follows it: first and last pause, sweeping that is left, a portion of what moves
// (collect/concurrent/marking.h and moving.h say what each step is, and why it is right; Cycle::decide, which is due).
#pragma once
#include "collect/concurrent/marking.ipp"
#include "cycle/bodies.h"
#include "cycle/cycle.h"

namespace garner {

template <class H, class M> void Cycle<H, M>::hold_beside() {
  if (beside_) beside().hold(); // the state is the thread's else
}

template <class H, class M> void Cycle<H, M>::let_beside_go() {
  if (!beside_) return;
  Self self(machine_, 0);
  beside().go(self);
}

template <class H, class M> void Cycle<H, M>::stop_marking(Self& self) {
  if (beside_) beside().stop_thread(self);
}

template <class H, class M> void Cycle<H, M>::begin_marking(Self& self, CycleEnd& end) {
  auto& m = beside();
  const u32 most = gang_.workers();
  marking_began_ns_ = machine_.now();
  marking_began_old_ = old_bytes();
  if (m.sweeps()) end.compact_ns += sweep_rest(self);
  if (m.state() != State::idle) {
    m.stay();
    end.compact_ns += clean_marks(self);
  }
  host_.before_roots(Kind::full);
  m.begin();
  TaskBody gather{[&](Self& s, u32) { m.gather_task(s, Kind::full); }};
  end.gather_ns += phase(self, Phase::gather, most, most, gather);
  end.mark_ns += tracing_phase(self, Phase::mark, most, m.root_tasks(), m, [&](Self& s, u32 task) { m.root_task(s, task); });
  host_.after_walk();
  m.seeded();
  watch_program(m.state() != State::idle); // else there was no memory for it, and nobody would end the watching
}

// What this collection does for a marking, behind its young one.
template <class H, class M> void Cycle<H, M>::do_beside(Self& self, CycleEnd& end) {
  if (step_ == Step::first) begin_marking(self, end);
  else if (step_ == Step::last) end_marking(self, end);
  else if (step_ == Step::move) move(self, end);
  else if (beside_ && beside().state() != State::idle) go_on_marking(self, end);
}

template <class H, class M> void Cycle<H, M>::go_on_marking(Self& self, CycleEnd& end) {
  if (beside().state() == State::swept) return settle(self, end);
  beside().note_old();
  if (beside().state() == State::idle) watch_program(false); // there was no memory for it
}

template <class H, class M> void Cycle<H, M>::give_up_marking() {
  beside().abandon();
  watch_program(false);
}

template <class H, class M> void Cycle<H, M>::watch_program(bool on) {
  if (on != watches_) host_.watch_writes(on);
  watches_ = on;
}

// The last pause, after its young collection, one line for each phase.
template <class H, class M> void Cycle<H, M>::end_marking(Self& self, CycleEnd& end) {
  auto& m = beside();
  const u32 most = gang_.workers();
  condemned_ = 2;
  end.cause = Cause::marked;
  host_.before_roots(Kind::full);
  m.close();
  tracing_ = Tracing::marking;
  TaskBody gather{[&](Self& s, u32) { m.gather_task(s, Kind::full); }};
  end.gather_ns += phase(self, Phase::gather, most, most, gather);
  end.mark_ns += tracing_phase(self, Phase::mark, most, m.root_tasks(), m, [&](Self& s, u32 task) { m.root_task(s, task); });
  WeakThings<H, M, Marking<H, M>> weak(host_, m);
  weak_things(self, m, weak, Kind::full, end);
  if (m.late_tasks() != 0) tracing_phase(self, Phase::mark, most, m.late_tasks(), m, [&](Self& s, u32 task) { m.late_task(s, task); });
  weak.resort();
  host_.side_tables([&](Ref ref) { return m.alive(ref) ? ref : Ref{0}; });
  TaskBody measure{[&](Self&, u32 task) { m.measure_task(task); }};
  end.compact_ns += phase(self, Phase::compact, most, m.sweep_tasks(), measure);
  m.choose();
  m.finish();
  m.free_dead();
  if (may_sweep_beside()) {
    m.sweep_beside();
    return watch_program(false);
  }
  end.compact_ns += sweep_rest(self);
  settle(self, end);
}

// What waits to be swept is memory that nothing else can have. Details of the log and recordings walk through old space at any collection.
template <class H, class M> bool Cycle<H, M>::may_sweep_beside() {
  if constexpr (requires { host_.records(); })
    if (host_.records()) return false;
  if (details_.counts()) return false;
  return settings_.on(Opt::sweep_beside) && !pace_.is_short() && !pace_.pressed() && room() / 2 > pace_.eden();
}

// What a marking has left to be swept beside the program: before anything walks through old space, or uses its marks.
template <class H, class M> u64 Cycle<H, M>::sweep_rest(Self& self) {
  auto& m = beside();
  TaskBody sweep{[&](Self&, u32 task) { m.sweep_task(task); }};
  const u64 ns = phase(self, Phase::compact, gang_.workers(), m.sweep_tasks(), sweep);
  m.all_swept();
  return ns;
}

// All is swept.
template <class H, class M> void Cycle<H, M>::settle(Self& self, CycleEnd& end) {
  auto& m = beside();
  if (m.moving().any()) {
    m.find();
  } else {
    end.compact_ns += clean_marks(self);
    m.rest();
  }
  watch_program(m.state() != State::idle);
}

template <class H, class M> u64 Cycle<H, M>::clean_marks(Self& self) {
  TaskBody clean{[&](Self&, u32 task) { beside().clean_task(task); }};
  return phase(self, Phase::clean, gang_.workers(), beside().clean_tasks(), clean);
}

// After a young collection: a portion of what is to move (collect/concurrent/moving.h), one line for each phase.
template <class H, class M> void Cycle<H, M>::move(Self& self, CycleEnd& end) {
  auto& m = beside();
  auto& moving = m.moving();
  const u32 most = gang_.workers();
  if (!moving.begin()) { // there is no memory for its lists, and who asks again would ask for ever
    m.stay();
    end.compact_ns += clean_marks(self);
    return watch_program(false);
  }
  condemned_ = 2; // hosts pass over what only old objects have, by this
  host_.before_roots(Kind::full);
  TaskBody gather{[&](Self& s, u32) { moving.gather_task(s, Kind::full); }};
  end.gather_ns += phase(self, Phase::gather, most, most, gather);
  host_.after_walk();
  moving.plan(most * 2, m.written_now());
  TaskBody copy{[&](Self& s, u32 task) { moving.copy_task(s, task); }};
  end.compact_ns += phase(self, Phase::compact, most, moving.copy_tasks(), copy);
  if (moving.copy_tasks() != 0) {
    TaskBody update{[&](Self& s, u32 task) { m.move_task(s, task); }};
    end.compact_ns += phase(self, Phase::update, most, moving.update_tasks(), update);
  }
  host_.side_tables([&](Ref ref) { return moving.now_at(ref); });
  moving.finish();
  end.moved = moving.moved_bytes();
  if (moving.any()) return m.note_old();
  end.compact_ns += clean_marks(self);
  m.rest();
  watch_program(false);
}

} // namespace garner
