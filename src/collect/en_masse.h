// En masse: promotes all that is young where it lies, without looking at any of it (heap.en_masse). What is dead in it stays until the next full collection.
//
// Regions of eden and survivors become old ones: a role, an age and a label each, and nothing else. No root, card, handle or object is looked at, because nothing moves and
// nothing is found dead. Cycle decides when (Cycle::promotes_en_masse), Pace whether it pays.
// Invariants: nothing is young afterwards, so no reference from old to young is left to be remembered, and what is dead here refers to nothing young ever: all cards are
// clean afterwards. Tables that keep ages (handles, finalizable objects, the host's) may go on taking these objects for young ones: then they look
// at them once more than they would have to.
// Deviation from N1: nothing waits in survivor space. World stopped, buffers of the program closed; where old space is being marked
// beside the program, all that is young has been marked too (Marking::grow_task).
#pragma once
#include "collect/evacuate/evacuation.h"

namespace garner {

// Bytes promoted, the dead among them.
template <class M> u64 promote_en_masse(typename M::Self& self, Heap<M>& heap, Spaces<M>& spaces) {
  spaces.eden.abandon();
  spaces.last_resort.abandon();
  for (Space<M>& survivor : spaces.survivor) survivor.abandon();
  spaces.eden.give_holes(spaces.old);
  u64 promoted = 0;
  heap.each_region(self, [&](u32 index, Region<M>& r) {
    if (r.role != Role::eden && r.role != Role::survivor) return;
    word begin = heap.begin_of(index), top = r.top.load_relaxed(), end = heap.end_of(index);
    promoted += top - begin;
    r.live_bytes = top - begin; // as far as anybody knows
    if (end - top >= kMinObjectBytes) { // what was never carved is old space's to fill
      heap.fill(top, end - top);
      note_start(heap, index, top, end);
      r.top.store_relaxed(end);
      spaces.old.add_hole(top, end);
    }
    r.kept = false;
    r.age = 0;
    r.role = Role::old;
    heap.set_label(index, kLabelOld);
  });
  heap.clear_cards();
  return promoted;
}

} // namespace garner
