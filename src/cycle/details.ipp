// Bodies of details.h, in the order of a collection. N27 T15.
#pragma once
#include "base/print.h"
#include "cycle/details.h"
#include "heap/starts.h"

namespace garner {

template <class H, class M> void Details<H, M>::start(Collecting<M>* workers, u32 count, bool notices) {
  started_ = true;
  count_ = count;
  u32 nodes = heap_.nodes();
  if (nodes < 2) return;
  u64 row[kMostNodes];
  for (u32 n = 0; n < nodes; n++) {
    for (u32 m = 0; m < nodes; m++) row[m] = machine_.distance(n, m);
    emitter_.emit(EventId::node_distances, NodeDistances{n, nodes, row});
  }
  if (heap_.page_nodes().started() || heap_.start_page_nodes()) uses_ = static_cast<NodeUse*>(map_own(count * sizeof(NodeUse)));
  if (uses_ != nullptr && emitter_.detail() == Detail::roots) locality_ = static_cast<u64(*)[kMostNodes]>(map_own(kMostNodes * sizeof(*locality_)));
  if (uses_ == nullptr || (emitter_.detail() == Detail::roots && locality_ == nullptr)) {
    if (notices) say("no memory for figures by node; the log does without");
    return;
  }
  for (u32 i = 0; i < count; i++) workers[i].uses = &uses_[i];
}

// ---- before anything moves ----

template <class H, class M> void Details<H, M>::begin(u64 index, Kind kind, Collecting<M>* workers, u32 count, bool notices) {
  if (emitter_.detail() == Detail::plain) return;
  if (!started_) start(workers, count, notices);
  if (!gang_.keep_timelines(true) && notices && index == 1) say("no memory for workers' timelines; the log does without");
  if (uses_ == nullptr) return;
  memset(uses_, 0, count_ * sizeof(NodeUse));
  for (SpaceKind space : {SpaceKind::eden, SpaceKind::from, SpaceKind::old}) tell_bytes(index, space);
  if (locality_ != nullptr) tell_locality(index, kind);
}

template <class H, class M> void Details<H, M>::tell_bytes(u64 index, SpaceKind space) {
  u64 bytes[kMostNodes] = {}, untold_pages = 0, all = 0, asked = 0, unknown = 0;
  auto each = [&](auto fn) {
    heap_.each_region([&](u32 i, auto& r) {
      SpaceKind of = r.role == Role::eden ? SpaceKind::eden : r.role == Role::survivor ? SpaceKind::from : SpaceKind::old;
      if (of == space) fn(heap_.begin_of(i), r.role == Role::large ? heap_.begin_of(i) + r.object_bytes : r.top.load_relaxed());
    });
  };
  each([&](word begin, word end) {
    all += end - begin;
    for (word page = begin; page < end; page += kPageBytes) {
      u8 node = heap_.node_at(page);
      if (node < heap_.nodes()) bytes[node] += min_of<u64>(end - page, kPageBytes);
      else untold_pages++;
    }
  });
  if (all == 0) return;
  // First touch: every step-th page speaks for its neighbours.
  u64 step = untold_pages / kPagesAsked + 1, at = 0;
  each([&](word begin, word end) {
    for (word page = begin; page < end; page += kPageBytes) {
      if (heap_.node_at(page) < heap_.nodes() || at++ % step != step / 2) continue;
      u8 node = heap_.page_nodes().node(page, calls_);
      asked++;
      (node < heap_.nodes() ? bytes[node] : unknown) += step * min_of<u64>(end - page, kPageBytes);
    }
  });
  emitter_.emit(EventId::node_bytes, NodeBytes{index, space, heap_.nodes(), asked, unknown, bytes});
}

// ---- T15: every root is followed through the objects that will be collected; who reaches an object first has it ----

template <class H, class M> bool Details<H, M>::collected(Ref ref, Kind kind) const {
  if (!heap_.contains(ref.at)) return false;
  Role role = heap_.region_of(ref).role;
  return role == Role::eden || (role == Role::survivor && kind != Kind::young0) || ((role == Role::old || role == Role::pinned) && kind == Kind::full);
}

template <class H, class M> void Details<H, M>::meet(Ref ref, Kind kind, u8 root_node) {
  if (!collected(ref, kind) || heap_.marks().is_marked(block_of(ref))) return;
  heap_.marks().mark(block_of(ref), host_.size(ref));
  u8 node = heap_.node_of(block_of(ref), calls_);
  if (root_node < heap_.nodes() && node < heap_.nodes()) locality_[root_node][node]++;
  if (!to_follow_.push(ref.at)) short_of_memory_ = true;
}

template <class H, class M> void Details<H, M>::follow_root(Ref ref, Kind kind) {
  if (!collected(ref, kind) || short_of_memory_) return;
  u8 home = heap_.node_of(block_of(ref), calls_);
  meet(ref, kind, home);
  while (!to_follow_.empty()) {
    Ref holder{to_follow_.back()};
    to_follow_.pop();
    host_.each_slot(holder, [&](Slot slot) { meet(Ref{load_word(slot.at)}, kind, home); });
    meet(host_.hidden_edge(holder), kind, home);
  }
}

// The order is the collector's: references from what is not collected, then what the host reports, then handles. The table of marks
// tells what has been met, as it does for the verifier; it is clear before and after.
template <class H, class M> void Details<H, M>::tell_locality(u64 index, Kind kind) {
  struct Reported {
    Details& details;
    Kind kind;
    void root(Slot, word value, RootKind how) {
      Ref object{value};
      if (how == RootKind::interior || how == RootKind::pinned_interior) object = object_containing(details.heap_, details.host_, value);
      details.follow_root(object, kind);
    }
  };
  memset(locality_, 0, kMostNodes * sizeof(*locality_));
  short_of_memory_ = false;
  heap_.each_region([&](u32 i, auto& r) {
    if (r.role == Role::large) return host_.each_slot(ref_of(heap_.begin_of(i)), [&](Slot slot) { follow_root(Ref{load_word(slot.at)}, kind); });
    if (collected(ref_of(heap_.begin_of(i)), kind)) return;
    for (word block = heap_.begin_of(i), top = r.top.load_relaxed(); block < top; block += host_.size(ref_of(block)))
      host_.each_slot(ref_of(block), [&](Slot slot) { follow_root(Ref{load_word(slot.at)}, kind); });
  });
  Self self(machine_, 0);
  host_.before_roots(Kind::full); // a walk of its own
  Reported sink{*this, kind};
  host_.gather(self, sink, Kind::full);
  host_.after_walk();
  for (HandleKind strong : {HandleKind::strong, HandleKind::counted, HandleKind::sized, HandleKind::variable, HandleKind::cross_reference})
    for (u32 i = 0; i < host_.handles().chunks(strong); i++)
      host_.handles().chunk(strong, i)->each([&](word* slot) { follow_root(Ref{__atomic_load_n(slot, __ATOMIC_RELAXED)}, kind); });
  forget_marks();
  if (short_of_memory_) {
    to_follow_.clear();
    return;
  }
  for (u32 n = 0; n < heap_.nodes(); n++) {
    u64 row = 0;
    for (u32 m = 0; m < heap_.nodes(); m++) row += locality_[n][m];
    if (row != 0) emitter_.emit(EventId::locality, NodeLocality{index, n, heap_.nodes(), locality_[n]});
  }
}

template <class H, class M> void Details<H, M>::forget_marks() {
  heap_.each_region([&](u32 i, auto& r) {
    if (r.role != Role::large) heap_.marks().clear(heap_.begin_of(i), heap_.end_of(i));
  });
}

// ---- afterwards ----

template <class H, class M> void Details<H, M>::end(u64 index) {
  if (emitter_.detail() == Detail::plain) return;
  tell_spans(index);
  if (uses_ == nullptr) return;
  tell_uses(index);
  tell_steals(index);
}

template <class H, class M> void Details<H, M>::tell_spans(u64 index) {
  for (u32 i = 0; i < gang_.workers(); i++) {
    const Timeline* line = gang_.timeline(i);
    if (line == nullptr || line->count() == 0) continue;
    for (u32 from = 0; from < line->count(); from += kSpansAtOnce)
      emitter_.emit(EventId::spans, WorkerSpans{index, i, gang_.node(i), line->total_ns(), line->spans() + from, min_of(line->count() - from, kSpansAtOnce)});
  }
}

template <class H, class M> void Details<H, M>::tell_steals(u64 index) {
  for (u32 n = 0; n < heap_.nodes(); n++) {
    u64 from[kMostNodes] = {};
    bool any = false;
    for (u32 i = 0; i < gang_.workers(); i++) {
      if (gang_.node(i) != n || gang_.timeline(i) == nullptr) continue;
      for (u32 m = 0; m < heap_.nodes(); m++) any |= (from[m] += gang_.timeline(i)->taken_from()[m]) != 0;
    }
    if (any) emitter_.emit(EventId::steals, Steals{index, n, heap_.nodes(), from});
  }
}

template <class H, class M> void Details<H, M>::tell_uses(u64 index) {
  for (u32 n = 0; n < heap_.nodes(); n++)
    for (u32 s = 0; s < kSpaceKinds; s++) {
      u64 accesses[kMostNodes] = {}, bytes[kMostNodes] = {};
      bool any = false;
      for (u32 i = 0; i < count_; i++) {
        if (uses_[i].node != n) continue;
        for (u32 m = 0; m < heap_.nodes(); m++) {
          any |= (accesses[m] += uses_[i].accesses[s][m]) != 0;
          bytes[m] += uses_[i].bytes[s][m];
        }
      }
      if (any) emitter_.emit(EventId::node_uses, NodeUses{index, SpaceKind(s), n, heap_.nodes(), accesses, bytes});
    }
}

} // namespace garner
