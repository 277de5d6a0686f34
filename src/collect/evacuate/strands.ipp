// Evacuation: the closure by strands (strands.h says why, and the invariants). N7.
#pragma once
#include "collect/evacuate/evacuation.h"

namespace garner {

// Work for later: the strand that is being followed keeps it, else it waits in the worker's queue.
template <class H, class M> GARNER_INLINE void Evacuation<H, M>::put(Self& self, Worker& w, u64 entry, Ref ref) {
  Strand* on = w.on;
  if (on == nullptr) return gang_.queue(self.index).push(entry);
  if (GARNER_UNLIKELY(on->count == Strand::kKept)) give_older(self, *on);
  on->kept[on->count++] = {entry, ref};
}

// The older half of what a strand keeps goes to the worker's queue, oldest first: what is taken from there next is what the strand would have come to next.
template <class H, class M> [[gnu::noinline]] void Evacuation<H, M>::give_older(Self& self, Strand& strand) {
  const u32 given = (strand.count + 1) / 2;
  auto& queue = gang_.queue(self.index);
  for (u32 i = 0; i < given; i++) queue.push(strand.kept[i].entry);
  for (u32 i = given; i < strand.count; i++) strand.kept[i - given] = strand.kept[i];
  strand.count -= given;
  strand.fresh -= min_of(strand.fresh, given);
}

// The next slot that waits in the worker's queue; parts of arrays are opened on the way, into the queue again.
template <class H, class M> bool Evacuation<H, M>::next_queued(Self& self, Worker& w, Strand::Step& step) {
  auto& queue = gang_.queue(self.index);
  w.on = nullptr;
  while (queue.pop(step.entry)) {
    if (GARNER_UNLIKELY(is_part(step.entry))) {
      open_part(self, w, step.entry);
      continue;
    }
    step.ref = self.load(Slot{step.entry & ~kCheckCard});
    return true;
  }
  return false;
}

template <class H, class M> void Evacuation<H, M>::begin_strand(Self& self, Worker& w, const Strand::Step& step, bool apart) {
  ask_for(self, step.ref);
  Strand& strand = w.strands[w.turn[w.live++]];
  strand.next = step;
  strand.apart = apart;
  strand.beside = false;
}

// What a strand does after its next object: asks for one more, of its own if it has one. False when there is none.
template <class H, class M> GARNER_INLINE bool Evacuation<H, M>::go_on(Self& self, Worker& w, Strand& strand) {
  strand.apart = strand.count == 0;
  if (!strand.apart) strand.next = strand.kept[--strand.count];
  else if (!next_queued(self, w, strand.next)) return false;
  ask_for(self, strand.next.ref);
  return true;
}

// Thieves see the queue only. One that is empty gets something while this worker has more than one thing to do, from the strand that has most.
// False: there is nothing to take.
template <class H, class M> [[gnu::noinline]] bool Evacuation<H, M>::show(Self& self, Worker& w) {
  auto& queue = gang_.queue(self.index);
  if (queue.empty()) {
    Strand* fullest = &w.strands[w.turn[0]];
    for (u32 i = 1; i < w.live; i++)
      if (Strand& strand = w.strands[w.turn[i]]; strand.count > fullest->count) fullest = &strand;
    if (fullest->count < 2) return false;
    give_older(self, *fullest);
  }
  queue.show();
  return true;
}

template <class H, class M> void Evacuation<H, M>::drain_strands(Self& self) {
  constexpr u32 kShowEvery = 64;
  Worker& w = workers_[self.index];
  u32 to_show = kShowEvery, at = 0;
  for (;;) {
    if (at >= w.live) { // a round: strands begin with what is in the queue, and on the way with what others keep
      at = 0;
      for (Strand::Step step; w.live < strands_ && next_queued(self, w, step);) begin_strand(self, w, step, true);
      if (w.live == 0) break;
    }
    Strand& strand = w.strands[w.turn[at]];
    w.on = &strand;
    w.into = strand.apart ? w.buffers : strand.chunks;
    strand.fresh = strand.count;
    const Ref from = strand.next.ref;
    const u64 copied = w.copied_objects;
    follow(self, w, strand.next.entry, from);
    if (w.copied_objects == copied) w.met[set_of(from)] = {from, self.load(Slot{strand.next.entry & ~kCheckCard})};
    strand.in_order();
    if (GARNER_UNLIKELY(--to_show == 0)) {
      to_show = kShowEvery;
      if (!show(self, w)) strand.beside = false; // a long run of one strand would keep the others, which would find more, from their turns
    }
    if (w.live < strands_ && strand.count > 1 && !within(strand.kept[0].ref, from, Strand::kAround)) {
      begin_strand(self, w, strand.kept[0], false);
      strand.count--;
      for (u32 i = 0; i < strand.count; i++) strand.kept[i] = strand.kept[i + 1];
    }
    if (GARNER_LIKELY(go_on(self, w, strand))) {
      const bool beside = within(strand.next.ref, from, Strand::kBeside);
      if (!beside || !strand.beside) at++; // once is chance: lists whose nodes lie at random within a page would wait for each
      strand.beside = beside;
      continue;
    }
    swap_values(w.turn[at], w.turn[--w.live]);
  }
  w.on = nullptr;
  w.into = w.buffers;
}

} // namespace garner
