// Stopping and resuming a .NET program, and the calls that the runtime expects between, in the order of its own collector:
// SuspendEE, contexts closed, DiagGCStart, GcStartWork, start event, UpdateGCEventStatus, BeforeGcScanRoots, (roots),
// AfterGcScanRoots, (weak things, side tables), PromotionsGranted or Demote, GcDone, DiagGCEnd, end event, RestartEE, EnableFinalization.
#include "host/dotnet/host.h"

namespace garner::dotnet {
namespace {

clr::GcReason reason_of(Cause cause) {
  switch (cause) {
    case Cause::induced: return clr::GcReason::induced;
    case Cause::large_budget: return clr::GcReason::alloc_loh;
    case Cause::low_memory:
    case Cause::memory_limit: return clr::GcReason::low_memory;
    case Cause::stress: return clr::GcReason::stress;
    case Cause::promotion_failed: return clr::GcReason::out_of_space_soh;
    default: return clr::GcReason::alloc_soh;
  }
}

} // namespace

void DotNet::enter() {
  bool cooperative = ee->EnablePreemptiveGC(); // a thread that waits must not hold up another's stop
  collection_lock_.lock();
  was_cooperative_ = cooperative;
}

void DotNet::leave() {
  bool found = finalize_queue.ready_count() != 0 || work_ != nullptr;
  bool cooperative = was_cooperative_;
  collection_lock_.unlock();
  ee->EnableFinalization(found); // always: the runtime adds work of its own
  if (cooperative) ee->DisablePreemptiveGC();
}

void DotNet::stop(Cause cause) {
  if (wants(clr::EventKeyword::gc, clr::EventLevel::information)) ee->EventSink()->FireGCTriggered(u32(reason_of(cause)));
  stop_began_ns_ = machine.now();
  ee->SuspendEE(clr::SuspendReason::gc);
  if (was_cooperative_) ee->DisablePreemptiveGC(); // does not wait: this thread stopped the world
}

void DotNet::begin(Kind kind, Cause cause, u64 index) {
  ee->GcEnumAllocContexts([](clr::gc_alloc_context* context, void* self) { static_cast<DotNet*>(self)->close_context(context, false); }, this);
  finalize_queue.compact();
  int generation = int(kind);
  ee->DiagGCStart(generation, cause == Cause::induced);
  ee->GcStartWork(generation, clr::kMaxGeneration);
  fire_start(kind, cause, index);
  ee->UpdateGCEventStatus(int(event_level.load_relaxed()), int(event_keywords.load_relaxed()), int(private_level.load_relaxed()),
                          int(private_keywords.load_relaxed()));
  if (recording.on()) record_heap(kind, cause, index);
}

void DotNet::before_roots(Kind kind) {
  ee->BeforeGcScanRoots(int(kind), false, false);
  scan_epoch_++;
  pinned_claimed_.store_relaxed(0);
  gathering_ = true;
}

void DotNet::after_strong(Kind kind) {
  gathering_ = false;
  clr::ScanContext scan;
  scan.promotion = true;
  ee->AfterGcScanRoots(int(kind), clr::kMaxGeneration, &scan);
}

void DotNet::finish(Kind kind, Cause cause, u64 index) {
  if (kind == Kind::full) ee->SyncBlockCacheDemote(clr::kMaxGeneration); // some objects are younger than the oldest
  else ee->SyncBlockCachePromotionsGranted(clr::kMaxGeneration);
  ee->GcDone(int(kind));
  ee->DiagGCEnd(index, int(kind), int(reason_of(cause)), false); // tools may walk the whole heap here
  fire_end(kind, cause, index);
  notify_full(kind);
  if (kind == Kind::full) loh_compaction = i32(clr::LohCompaction::normal); // "compact once" is over
  recording.forget();
}

void DotNet::resume() {
  ee->RestartEE(true);
  u64 now = machine.now(), before = resumed_ns_ != 0 ? resumed_ns_ : cycle->start_ns();
  last_share_.store_relaxed(u32(min_of<u64>(100, (now - stop_began_ns_) * 100 / max_of<u64>(now - before, 1))));
  resumed_ns_ = now;
  if (was_cooperative_) ee->EnablePreemptiveGC();
}

bool DotNet::take_suppressed(Ref ref) {
  u32* header = reinterpret_cast<u32*>(ref.at + clr::kHeaderAt);
  if ((*header & clr::kHeaderFinalizerRun) == 0) return false;
  *header &= ~clr::kHeaderFinalizerRun;
  return true;
}

// ---- events of the runtime's own provider ----

void DotNet::fire_start(Kind kind, Cause cause, u64 index) {
  if (wants(clr::EventKeyword::gc, clr::EventLevel::information)) ee->EventSink()->FireGCStart_V2(u32(index), u32(kind), u32(reason_of(cause)), 0);
}

void DotNet::fire_end(Kind kind, Cause cause, u64 index) {
  if (!wants(clr::EventKeyword::gc, clr::EventLevel::information)) return;
  clr::IGCToCLREventSink* sink = ee->EventSink();
  sink->FireGCEnd_V1(u32(index), u32(kind));
  GenerationSizes s = cycle->sizes();
  // What survived, by generation. A young collection of both young generations knows what went to old space, not where each object came from:
  // that counts as of generation 1. A full one counts what is in old space afterwards.
  u64 survived[5] = {};
  if (kind == Kind::full) {
    for (u32 g = 2; g < 5; g++) survived[g] = s.bytes[g] - min_of(s.holes[g], s.bytes[g]);
  } else {
    for (u32 i = 0; i < workers_; i++) {
      const auto& w = cycle->collecting(i);
      u64 grew_old = kind == Kind::young1 ? w.promoted_bytes : 0;
      survived[0] += w.copied_bytes + w.kept_bytes - grew_old;
      survived[1] += grew_old;
    }
  }
  u64 finalizing = 0; // the objects themselves, not what they alone keep
  for (auto& list : finalize_queue.ready)
    for (Ref ref : list) finalizing += size(ref);
  sink->FireGCHeapStats_V2(s.bytes[0], survived[0], s.bytes[1], survived[1], s.bytes[2], survived[2], s.bytes[3], survived[3], s.bytes[4], survived[4],
                           finalizing, finalize_queue.ready_count(), 0, ee->GetActiveSyncBlockCount(), handle_table.in_use());
  sink->FireGCGlobalHeapHistory_V4(cycle->pace().eden(), 1, u32(kind), 0, u32(reason_of(cause)), kind == Kind::full ? 2 : 0, 0, memory_load(), 0, 0, 0, 0, nullptr);
}

} // namespace garner::dotnet
