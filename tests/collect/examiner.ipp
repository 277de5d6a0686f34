#pragma once
#include <cstdio>
#include <cstdlib>

#include "examiner.h"

namespace garner::test {

template <class M> void Examiner<M>::fail(const char* what, u64 a, u64 b, u64 c) {
  fprintf(stderr, "shadow: collection %llu%s: %s (%llu, 0x%llx, 0x%llx) %s\n", (unsigned long long)(host_.cycle->count()), full_ ? ", full" : "", what,
          (unsigned long long)(a), (unsigned long long)(b), (unsigned long long)(c), context.c_str());
  abort();
}

template <class M> Ref Examiner<M>::covering(word pointer) {
  Heap<M>& heap = host_.heap();
  if (!heap.contains(pointer)) return {0};
  word at = pointer - kHeadBytes;
  u32 index = heap.index_at(at);
  Role role = heap.region(index).role;
  if (role == Role::free) return {0};
  if (role == Role::large || role == Role::large_tail) {
    while (heap.region(index).role == Role::large_tail) index--;
    word block = heap.begin_of(index);
    return at - block < heap.region(index).object_bytes ? ref_of(block) : Ref{0};
  }
  Ref found{0};
  each_block(heap, host_, index, [&](word block) {
    if (block > at) return false;
    found = at - block < host_.size(ref_of(block)) && !host_.filler(ref_of(block)) ? ref_of(block) : Ref{0};
    return true;
  });
  return found;
}

template <class M> void Examiner<M>::before(Kind kind) {
  full_ = kind == Kind::full;
  pins_.clear();
  hit_.clear();
  for (auto* mutator : host_.mutators)
    for (auto& cell : mutator->cells)
      if (cell.kind == RootKind::pinned || cell.kind == RootKind::pinned_interior) pins_.push_back({cell.tag, cell.object().at});
  for (const Shadow::HandleNote& note : shadow_.handles)
    if ((note.kind == HandleKind::pinned || note.kind == HandleKind::async_pinned) && !note.doomed && note.first != 0) pins_.push_back({note.first, *note.handle});
  for (word value : host_.ambiguous)
    if (Ref ref = covering(value); ref.at != 0) {
      hit_.push_back(synthetic::id_of(ref));
      pins_.push_back({hit_.back(), ref.at});
    }
  if (on_before != nullptr) on_before(on_before_self);
}

template <class M> std::vector<Id> Examiner<M>::roots(bool may) {
  std::vector<Id> ids;
  for (auto* mutator : host_.mutators)
    for (auto& cell : mutator->cells) ids.push_back(cell.tag);
  ids.insert(ids.end(), static_ids.begin(), static_ids.end());
  if (may || !twice_) ids.insert(ids.end(), passing_ids.begin(), passing_ids.end()); // they last for one tracing
  if (may) ids.insert(ids.end(), hit_.begin(), hit_.end());
  for (const Shadow::HandleNote& note : shadow_.handles) {
    bool counted = note.kind == HandleKind::counted && shadow_[note.first].held;
    if ((Shadow::strong(note.kind) || counted) && (may || !note.doomed)) ids.push_back(note.first);
  }
  for (Id id = 1; id < shadow_.count(); id++)
    if (shadow_[id].ready != 0 || shadow_[id].outside_at != 0) ids.push_back(id);
  return ids;
}

template <class M> void Examiner<M>::after(Kind asked, Kind done) {
  full_ = done == Kind::full && !host_.cycle->ended_marking(); // what died while it was marked may float
  twice_ = host_.cycle->passes() > 1;
  collections_[u32(done)]++;
  failed_promotions_ += asked != done;
  marked_beside_ += host_.cycle->ended_marking();
  en_masse_ += host_.cycle->current().end.en_masse;
  moves_ += host_.cycle->current().end.moved != 0;
  walk_heap();
  shadow_.start_marks();
  // Handles of objects dropped eagerly hold until finalization; in the first of two passes that is no promise for the second.
  shadow_.reach(roots(true), Shadow::kMayStrong, true);
  if (twice_) forget_dropped();
  shadow_.reach(roots(false), Shadow::kMustStrong, false);
  check_finalizers();
  forget_dropped();
  for (u8 strong : {Shadow::kMustStrong, Shadow::kMayStrong}) {
    std::vector<Id> kept = fresh_;
    for (Id id = 1; id < shadow_.count(); id++)
      if (shadow_.marked(id, strong)) kept.push_back(id);
    shadow_.reach(kept, strong << 1, strong == Shadow::kMayStrong);
  }
  check_alive();
  check_roots();
  check_handles();
  check_chunks();
  check_charges();
  passing_ids.clear();
  fold(host_.cycle->count() << 8 | u64(asked) << 4 | u64(done));
}

// Finds every object, dead ones too but for those that wait to be swept, and looks at each by itself; then at its edges.
template <class M> void Examiner<M>::walk_heap() {
  Heap<M>& heap = host_.heap();
  heap_at_.assign(shadow_.count(), 0);
  std::vector<Ref> found;
  heap.each_region([&](u32 index, auto& r) {
    auto look = [&](word block) {
      Ref ref = ref_of(block);
      if (host_.filler(ref)) return true;
      Id id = synthetic::id_of(ref);
      if (id == 0 || id >= shadow_.count()) fail("an object nobody made", id, ref.at);
      if (shadow_[id].type != synthetic::type_of(ref)) fail("an object changed its type", id, ref.at);
      if (heap_at_[id] != 0) fail("two copies of one object", id, ref.at);
      if (!synthetic::intact(ref)) fail("header or payload is damaged", id, ref.at);
      if (synthetic::held(ref) != shadow_[id].held) fail("an object lost a flag", id, ref.at);
      heap_at_[id] = ref.at;
      found.push_back(ref);
      return true;
    };
    if (r.role == Role::large) look(heap.begin_of(index));
    else each_block(heap, host_, index, look);
  });
  objects_ = found.size();
  most_objects_ = max_of<u64>(most_objects_, objects_);
  fold(objects_);
  for (Id id = 1; id < shadow_.count(); id++)
    if (shadow_[id].outside_at != 0) heap_at_[id] = shadow_[id].outside_at;
  for (Ref ref : found) check_edges(ref);
}

template <class M> void Examiner<M>::check_edges(Ref ref) {
  Id id = synthetic::id_of(ref);
  const Shadow::Node& node = shadow_[id];
  usize i = 0;
  synthetic::each_slot(ref, [&](Slot slot) {
    word value = load_word(slot.at);
    Id to = node.slots[i++];
    if (value != (to == 0 ? 0 : heap_at_[to])) fail("an edge leads elsewhere", id, value);
  });
  if (i != node.slots.size()) fail("an object lost slots", id, ref.at);
}

template <class M> void Examiner<M>::check_alive() {
  for (Id id = 1; id < shadow_.count(); id++) {
    if (heap_at_[id] == 0) {
      if (shadow_.marked(id, Shadow::kMust)) fail("an object is lost", id);
    } else if (full_ && shadow_[id].outside_at == 0 && !shadow_.marked(id, Shadow::kMay)) {
      fail("a dead object survived a full collection", id, heap_at_[id]);
    }
  }
}

template <class M> void Examiner<M>::check_roots() {
  for (auto* mutator : host_.mutators)
    for (auto& cell : mutator->cells)
      if (cell.object().at != heap_at_[cell.tag]) fail("a root holds something else", cell.tag, cell.value);
  for (usize i = 0; i < host_.statics.size(); i++)
    if (host_.statics[i] != (static_ids[i] == 0 ? 0 : heap_at_[static_ids[i]])) fail("a static holds something else", static_ids[i], host_.statics[i]);
  for (const Placed& pin : pins_)
    if (heap_at_[pin.id] != pin.at) fail("a pinned object moved", pin.id, pin.at);
  for (auto& entry : host_.side_table) {
    if (entry.tag == 0) continue;
    if (entry.ref.at == 0) {
      if (shadow_.marked(entry.tag, Shadow::kMust)) fail("a side entry was taken for dead", entry.tag);
      entry.tag = 0;
    } else if (entry.ref.at != heap_at_[entry.tag] || (full_ && shadow_[entry.tag].outside_at == 0 && !shadow_.marked(entry.tag, Shadow::kMay))) {
      fail("a side entry holds something else", entry.tag, entry.ref.at);
    }
  }
}

template <class M> void Examiner<M>::check_finalizers() {
  FinalizeQueue& queue = host_.finalize_queue;
  std::vector<u32> registered(shadow_.count()), ready(shadow_.count()), excused(shadow_.count());
  for (u32 g = 0; g < FinalizeQueue::kGenerations; g++)
    for (Ref ref : queue.registered(g)) {
      Id id = synthetic::id_of(ref);
      if (heap_at_[id] != ref.at) fail("a registration holds something else", id, ref.at);
      if (g > host_.generation_of(ref)) fail("a registration is filed as older than its object", id, g);
      registered[id]++;
    }
  for (u32 c = 0; c < 2; c++)
    for (Ref ref : queue.ready(c == 1)) {
      Id id = synthetic::id_of(ref);
      if (heap_at_[id] != ref.at) fail("a ready entry holds something else", id, ref.at);
      if (host_.critical(ref) != (c == 1)) fail("a ready entry is in the wrong list", id, c);
      ready[id]++;
    }
  for (u32 id : host_.dropped) excused[id]++;
  for (u32 id : host_.unsuppressed) {
    excused[id]++;
    shadow_[id].suppressed = false;
  }
  fresh_.clear();
  for (Id id = 1; id < shadow_.count(); id++) {
    Shadow::Node& node = shadow_[id];
    if (node.registered == 0 && registered[id] == 0 && ready[id] == node.ready) continue;
    if (ready[id] < node.ready) fail("a ready object is lost", id);
    u32 became = ready[id] - node.ready;
    if (node.registered != registered[id] + became + excused[id]) fail("a registration is lost", id, node.registered);
    if (became + excused[id] != 0 && shadow_.marked(id, Shadow::kMustStrong)) fail("a live object was finalized", id);
    if (full_ && !twice_ && registered[id] != 0 && !shadow_.marked(id, Shadow::kMayStrong)) fail("a dead object was not finalized", id);
    if (became != 0) fresh_.push_back(id);
    resurrected_ += became;
    node.registered = registered[id];
    node.ready = ready[id];
  }
  fold(fresh_.size());
}

// Handles that died with their objects, in the middle of the collection.
template <class M> void Examiner<M>::forget_dropped() {
  for (u32 id : host_.dropped) {
    Shadow::HandleNote& note = shadow_.handles[shadow_[id].owned];
    note.kind = HandleKind::count;
    note.first = note.second = 0;
  }
}

template <class M> void Examiner<M>::check_handles() {
  for (Shadow::HandleNote& note : shadow_.handles)
    if (!note.doomed && note.kind != HandleKind::count && note.first != 0) check_handle(note);
}

template <class M> void Examiner<M>::check_handle(Shadow::HandleNote& note) {
  Id id = note.first;
  word value = *note.handle;
  bool is_short = note.kind == HandleKind::weak_short;
  if (value != 0) {
    if (value != heap_at_[id]) fail("a handle holds something else", id, value, heap_at_[id]);
    bool dead = full_ && !shadow_.marked(id, is_short && !twice_ ? Shadow::kMayStrong : Shadow::kMay) && shadow_[id].outside_at == 0;
    if (dead) fail("a weak handle holds a dead object", id, u64(note.kind));
    if (note.kind == HandleKind::dependent && note.handle[1] != (note.second == 0 ? 0 : heap_at_[note.second])) fail("an ephemeron holds something else", note.second, note.handle[1]);
    if (note.interior != nullptr && *note.interior != value + note.inside) fail("a native word was not moved with its object", id, *note.interior);
    return;
  }
  bool counted = note.kind == HandleKind::counted && shadow_[id].held;
  if (Shadow::strong(note.kind) || counted) fail("a strong handle was cleared", id, u64(note.kind));
  if (shadow_.marked(id, is_short ? Shadow::kMustStrong : Shadow::kMust)) fail("a weak handle was cleared, its object lives", id, u64(note.kind));
  if (note.kind == HandleKind::dependent && note.handle[1] != 0) fail("an ephemeron kept its second object", note.second, note.handle[1]);
  note.first = note.second = 0;
}

template <class M> void Examiner<M>::check_chunks() {
  HandleTable& table = host_.table;
  for (usize k = 0; k < kHandleKinds; k++)
    for (u32 i = 0; i < table.chunks(HandleKind(k)); i++) {
      HandleChunk& chunk = *table.chunk(HandleKind(k), i);
      chunk.each([&](word* slot) {
        word first = __atomic_load_n(slot, __ATOMIC_RELAXED); // handles may be destroyed right now
        auto generation = [&](word at) { return host_.heap().contains(at) ? host_.generation_of({at}) : 3; };
        u32 youngest = generation(first);
        if (chunk.kind == HandleKind::dependent && first != 0)
          if (word second = __atomic_load_n(slot + 1, __ATOMIC_RELAXED); second != 0) youngest = min_of(youngest, generation(second));
        if (youngest < chunk.youngest.load_relaxed()) fail("a chunk of handles is filed as older than its objects", k, youngest);
      });
    }
}

template <class M> void Examiner<M>::check_charges() {
  Heap<M>& heap = host_.heap();
  u64 charged = 0, idle = 0;
  for (u32 i = 0; i < heap.high_water(); i++) {
    auto& r = heap.region(i);
    charged += r.charged;
    if (r.role == Role::free) idle += r.charged;
    if (r.role == Role::large) { // what its last region has beyond the object
      const auto& last = heap.region(i + r.run - 1);
      idle += last.charged - align_up(r.object_bytes - (r.run - 1) * heap.region_bytes(), kPageBytes);
    }
    if (heap.cset(i) != 0) fail("a region is still condemned", i);
  }
  if (charged != heap.budget().charged()) fail("the budget and the regions' charges differ", charged, heap.budget().charged());
  if (idle != heap.free_charged()) fail("the free regions' charges do not add up", idle, heap.free_charged());
  fold(charged);
}

} // namespace garner::test
