// When Cycle promotes en masse: what speaks against it, beside what Pace knows (collect/en_masse.h, docs/collection.md). N1.
#pragma once
#include "cycle/cycle.h"

namespace garner {

// Not where somebody asked for a collection, whose program may look at what became of its objects; nor where that would hold something up that waits for a young death: finalizers,
// holes between pins. Nor beside holes of old space that copies are to fill, or into another node's memory.
template <class H, class M> bool Cycle<H, M>::promotes_en_masse(const Request& request, Kind kind, const CycleEnd& end) {
  const auto mode = settings_.as<EnMasse>(Opt::en_masse);
  const bool stress = mode == EnMasse::mostly && request.cause == Cause::stress;
  const bool asked = request.cause != Cause::eden_full && request.cause != Cause::marked && request.cause != Cause::moves;
  if (mode == EnMasse::off || kind == Kind::full || (asked && !stress)) return false;
  if (!lies_well() || (!stress && many_finalizable())) return false;
  const u64 holes = holes_for(end.young_before), passed = passed_over(holes);
  if (!stress && holes != passed) return false;
  if (mode == EnMasse::mostly) return count() % 4 != 0 && room() / 2 > end.young_before;
  return pace_.promotes_en_masse(end.young_before, old_bytes() + passed, room(), step_ == Step::first || waits_ || (beside_ && beside().marks()));
}

// What is young, for that: none of it in another node's memory, among pins or in what was kept back.
template <class H, class M> bool Cycle<H, M>::lies_well() {
  return !evacuation().spreads() && spaces_.old.home(0) != kHomeInterleaved && spaces_.eden.hole_bytes() <= pace_.eden() / 8 && spaces_.last_resort.used() == 0;
}

template <class H, class M> bool Cycle<H, M>::many_finalizable() {
  const FinalizeQueue& queue = host_.finalizers();
  return queue.registered_count(0) + queue.registered_count(1) > kFewFinalizable;
}

// In old space, for copies of so many bytes; 0: few.
template <class H, class M> u64 Cycle<H, M>::holes_for(u64 young) {
  const u64 holes = spaces_.old.hole_bytes() + (beside_ ? beside().unswept_bytes(Role::old) : 0);
  return holes > young / 2 + old_bytes() / kFewHoles ? holes : 0;
}

} // namespace garner
