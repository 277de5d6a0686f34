// Walks of the heap for tools: the world stands, buffers are covered, no header carries a forwarding, and the marking's thread is held.
#include "host/dotnet/host.h"

namespace garner::dotnet {
namespace {

int walk_generation(Role role, u8 label, bool pinned) {
  if (role == Role::large) return pinned ? clr::kPinnedHeap : clr::kLargeHeap;
  if (role == Role::pinned) return clr::kPinnedHeap;
  return int(generation_of_label(label));
}

} // namespace

void DotNet::walk_heap(clr::WalkFn visit, void* data, int generation, bool with_large) {
  bool go_on = true;
  Heap<Linux>& h = heap();
  h.each_region([&](u32 index, auto& r) {
    int g = walk_generation(r.role, h.label(index), r.pinned_objects);
    if (!go_on || (g > 2 ? !with_large : g > generation)) return;
    auto look = [&](word block) {
      Ref ref = ref_of(block);
      if (load_word(ref.at) == 0) return false; // not formatted yet
      if (!filler(ref)) go_on = visit(object(ref), data);
      return go_on;
    };
    if (r.role == Role::large) look(h.begin_of(index));
    else each_block(h, *this, index, look);
  });
  if (generation < int(clr::kMaxGeneration)) return;
  // Literals and type objects too: objects of the heap refer to them. Stock counts them as of the oldest generation.
  frozen.each([&](const FrozenEntry& entry, word) {
    for (word at = entry.first, end = entry.allocated.load_relaxed(); at < end && go_on; at += size(Ref{at})) {
      if (!plausible(Ref{at})) break; // the runtime is at it
      go_on = visit(object(Ref{at}), data);
    }
  });
}

void DotNet::describe_generations(clr::GenerationWalkFn visit, void* data) {
  Heap<Linux>& h = heap();
  h.each_region([&](u32 index, auto& r) {
    u8* begin = reinterpret_cast<u8*>(h.begin_of(index));
    visit(data, walk_generation(r.role, h.label(index), r.pinned_objects), begin, reinterpret_cast<u8*>(r.top.load_relaxed()), begin + r.run * h.region_bytes());
  });
}

unsigned DotNet::generation_with_range(Ref ref, u8** start, u8** allocated, u8** reserved) {
  Heap<Linux>& h = heap();
  if (!h.contains(ref.at)) return ~0u;
  u32 index = h.head_of(h.index_of(ref));
  auto& r = h.region(index);
  if (r.role == Role::free) return ~0u;
  *start = reinterpret_cast<u8*>(h.begin_of(index));
  *allocated = reinterpret_cast<u8*>(r.top.load_relaxed());
  *reserved = *start + r.run * h.region_bytes();
  return unsigned(walk_generation(r.role, h.label(index), r.pinned_objects));
}

void DotNet::trace_segments() {
  if (!wants(clr::EventKeyword::gc, clr::EventLevel::information)) return;
  Heap<Linux>& h = heap();
  h.each_region([&](u32 index, auto& r) {
    int g = walk_generation(r.role, h.label(index), r.pinned_objects);
    ee->EventSink()->FireGCCreateSegment_V1(reinterpret_cast<void*>(h.begin_of(index)), r.run * h.region_bytes(), g == clr::kLargeHeap ? 1 : g == clr::kPinnedHeap ? 3 : 0);
  });
  frozen.each([&](const FrozenEntry& entry, word begin) {
    ee->EventSink()->FireGCCreateSegment_V1(reinterpret_cast<void*>(begin), entry.reserved_end.load_relaxed() - begin, 2);
  });
}

} // namespace garner::dotnet
