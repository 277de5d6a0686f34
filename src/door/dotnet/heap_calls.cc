// Those slots of IGCHeap that take more than a line (heap_calls.h).
#include "door/dotnet/heap_calls.h"

namespace garner::dotnet {

bool HeapCalls::RegisterForFinalization(int, clr::Object* object) {
  if ((__atomic_load_n(header(object), __ATOMIC_RELAXED) & clr::kHeaderFinalizerRun) != 0) {
    __atomic_fetch_and(header(object), ~clr::kHeaderFinalizerRun, __ATOMIC_RELAXED);
    return true;
  }
  return host_.add_finalizable(object, Reach::all); // no collection: its caller holds on to the object by its address
}

u32 HeapCalls::WaitUntilGCComplete(bool) {
  while (host_.gc_done.load_acquire() == 0) futex_wait(host_.gc_done, 0); // pairs with SetWaitForGCEvent
  return 0;
}

void HeapCalls::SetWaitForGCEvent() {
  host_.gc_done.store_release(1);
  if (!host_.wakes_later) futex_wake_all(host_.gc_done);
  host_.wakes_later = false; // the next suspension may be the runtime's own
}

clr::Object* HeapCalls::NextObj(clr::Object* object) {
  Ref ref{word(object)};
  Heap<Linux>& heap = host_.heap();
  if (!heap.contains(ref.at) || heap.region_of(ref).role == Role::large) return nullptr;
  word next = block_of(ref) + host_.size(ref);
  if (heap.region_of(ref).unswept) each_block(heap, host_, heap.index_of(ref), [&](word block) { return next = block, block <= block_of(ref); });
  return next > block_of(ref) && next < heap.region_of(ref).top.load_relaxed() ? DotNet::object(ref_of(next)) : nullptr;
}

void HeapCalls::DiagWalkObject(clr::Object* object, clr::WalkFn visit, void* data) {
  bool go_on = true;
  Ref edge = host_.hidden_edge({word(object)});
  if (edge.at != 0) go_on = visit(DotNet::object(edge), data);
  host_.each_slot({word(object)}, [&](Slot slot) {
    if (word value = load_word(slot.at); go_on && value != 0) go_on = visit(reinterpret_cast<clr::Object*>(value), data);
  });
}

void HeapCalls::DiagWalkObject2(clr::Object* object, clr::WalkSlotFn visit, void* data) {
  bool go_on = true;
  if (Ref edge = host_.hidden_edge({word(object)}); edge.at != 0) {
    u8* value = reinterpret_cast<u8*>(edge.at);
    go_on = visit(object, &value, data);
  }
  host_.each_slot({word(object)}, [&](Slot slot) {
    if (go_on && load_word(slot.at) != 0) go_on = visit(object, reinterpret_cast<u8**>(slot.at), data);
  });
}

void HeapCalls::DiagWalkFinalizeQueue(void*, clr::FinalizerWalkFn visit) {
  for (u32 critical = 0; critical < 2; critical++)
    for (FinalizeQueue::Part part = host_.finalize_queue.ready(critical != 0); part.to != part.from;) visit(critical != 0, DotNet::object(*--part.to)); // the oldest is the last
}

void HeapCalls::DiagScanFinalizeQueue(clr::FinalizerScanFn visit, clr::ScanContext* scan) {
  host_.finalize_queue.each_ready([&](Ref& ref) { visit(reinterpret_cast<clr::Object**>(&ref), scan, 0); });
}

void HeapCalls::DiagScanHandles(clr::HandleRootFn visit, int, clr::ScanContext* scan) {
  HandleTable& table = host_.handle_table;
  auto report = [&](HandleKind kind, u32 flags) {
    for (u32 i = 0; i < table.chunks(kind); i++)
      table.chunk(kind, i)->each([&](word* slot) {
        u32 more = kind == HandleKind::counted && *slot != 0 && !host_.counted_alive({*slot}) ? clr::kRootWeak : 0;
        if (*slot != 0) visit(reinterpret_cast<clr::Object**>(slot), nullptr, flags | more, scan, false);
      });
  };
  report(HandleKind::strong, 0);
  report(HandleKind::sized, 0);
  report(HandleKind::pinned, clr::kRootPinning);
  report(HandleKind::async_pinned, clr::kRootPinning);
  report(HandleKind::counted, clr::kRootRefCounted);
  report(HandleKind::weak_short, clr::kRootWeak);
  report(HandleKind::weak_long, clr::kRootWeak);
}

void HeapCalls::DiagScanDependentHandles(clr::HandleRootFn visit, int, clr::ScanContext* scan) {
  HandleTable& table = host_.handle_table;
  for (u32 i = 0; i < table.chunks(HandleKind::dependent); i++)
    table.chunk(HandleKind::dependent, i)->each([&](word* slot) {
      if (slot[0] != 0 && slot[1] != 0) visit(reinterpret_cast<clr::Object**>(slot), reinterpret_cast<clr::Object*>(slot[1]), 0, scan, true);
    });
}

void HeapCalls::DiagGetGCSettings(clr::EtwGCSettingsInfo* settings) {
  *settings = {};
  settings->heap_hard_limit = host_.stock.hard_limit;
  settings->loh_threshold = host_.stock.loh_threshold;
  settings->gen0_min_budget_from_config = host_.stock.gen0_size;
  settings->gen0_max_budget_from_config = host_.stock.gen0_max;
  settings->physical_memory_from_config = host_.stock.given_memory;
  settings->high_mem_percent_from_config = host_.stock.given_high_percent;
  settings->concurrent_gc = host_.stock.concurrent;
  settings->use_large_pages = host_.stock.large_pages;
  settings->use_frozen_segments = true;
  settings->hard_limit_from_config = host_.stock.limit_from_config;
  settings->no_affinitize = host_.stock.no_affinitize;
}

u64 HeapCalls::GetGenerationBudget(int generation) {
  switch (generation) {
    case 0: return host_.cycle->pace().eden();
    case 1: return host_.cycle->pace().expected_survivors();
    default: return host_.cycle->pace().old_threshold();
  }
}

// The runtime stopped the world by itself: buffers are in use. They are closed for the walk, as for a collection.
void HeapCalls::DiagWalkHeapWithACHandling(clr::WalkFn visit, void* data, int generation, bool with_large) {
  host_.cycle->hold_beside();
  host_.close_contexts();
  host_.walk_heap(visit, data, generation, with_large);
  host_.cycle->let_beside_go();
}

} // namespace garner::dotnet
