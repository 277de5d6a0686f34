// The collector's face towards the runtime: every slot of IGCHeap, one line each. No decisions here; the host makes them.
#pragma once
#include "host/dotnet/host.h"

namespace garner::dotnet {

class HeapCalls final : public clr::IGCHeap {
 public:
  explicit HeapCalls(DotNet& host) : host_(host) {}

  bool IsValidSegmentSize(usize) override { return true; }
  bool IsValidGen0MaxSize(usize bytes) override { return bytes >= 64 * KiB; }
  usize GetValidSegmentSize(bool) override { return 16 * MiB; }
  void SetReservedVMLimit(usize) override {}
  void WaitUntilConcurrentGCComplete() override { host_.wait_marking(-1); }
  bool IsConcurrentGCInProgress() override { return host_.cycle->marking(); }
  void TemporaryEnableConcurrentGC() override { host_.hold_concurrent(false); }
  void TemporaryDisableConcurrentGC() override { host_.hold_concurrent(true); }
  bool IsConcurrentGCEnabled() override { return host_.stock.concurrent; }
  clr::Hresult WaitUntilConcurrentGCCompleteAsync(int timeout_ms) override { return host_.wait_marking(timeout_ms); }
  usize GetNumberOfFinalizable() override { return host_.finalize_queue.ready_count(); }
  clr::Object* GetNextFinalizable() override { return host_.next_finalizable(); }
  void GetMemoryInfo(u64* threshold, u64* total, u64* load, u64* heap, u64* fragmented, u64* committed, u64* promoted, u64* pinned, u64* pending,
                     u64* index, u32* generation, u32* pause_percent, bool* compacting, bool* concurrent, u64* generations, u64* pauses, int kind) override {
    u64* out[11] = {threshold, total, load, heap, fragmented, committed, promoted, pinned, pending, index, nullptr};
    host_.memory_info(out, generation, pause_percent, compacting, concurrent, generations, pauses, kind);
  }
  u32 GetMemoryLoad() override { return host_.memory_load(); }
  int GetGcLatencyMode() override { return host_.no_gc_active() ? int(clr::LatencyMode::no_gc_region) : host_.latency_mode.load_relaxed(); }
  int SetGcLatencyMode(int mode) override { return host_.set_latency(mode); }
  int GetLOHCompactionMode() override { return host_.loh_compaction; }
  void SetLOHCompactionMode(int mode) override { host_.loh_compaction = mode; }
  bool RegisterForFullGCNotification(u32 old_percent, u32 large_percent) override { return host_.register_full_notification(old_percent, large_percent); }
  bool CancelFullGCNotification() override { return host_.cancel_full_notification(); }
  int WaitForFullGCApproach(int timeout_ms) override { return host_.wait_full(false, timeout_ms); }
  int WaitForFullGCComplete(int timeout_ms) override { return host_.wait_full(true, timeout_ms); }
  unsigned WhichGeneration(clr::Object* object) override { return host_.generation_of({word(object)}); }
  int CollectionCount(int generation, int special) override { return host_.collections_of(generation, special != 0); }
  int StartNoGCRegion(u64 total, bool large_known, u64 large, bool disallow_full) override { return host_.start_no_gc(total, large_known, large, disallow_full); }
  int EndNoGCRegion() override { return host_.end_no_gc(); }
  usize GetTotalBytesInUse() override { return host_.bytes_in_use(); }
  u64 GetTotalAllocatedBytes() override { return host_.total_allocated(); }
  clr::Hresult GarbageCollect(int generation, bool low_memory, int mode) override { return host_.collect(generation, low_memory, mode); }
  unsigned GetMaxGeneration() override { return clr::kMaxGeneration; }
  void SetFinalizationRun(clr::Object* object) override { __atomic_fetch_or(header(object), clr::kHeaderFinalizerRun, __ATOMIC_RELAXED); }
  bool RegisterForFinalization(int generation, clr::Object* object) override;
  int GetLastGCPercentTimeInGC() override { return int(host_.last_share_percent()); }
  usize GetLastGCGenerationSize(int generation) override {
    return generation < 0 || generation > 4 ? 0 : host_.cycle->last_any().after.bytes[generation];
  }
  clr::Hresult Initialize() override { return host_.initialize(); }
  bool IsPromoted(clr::Object* object) override { return object == nullptr || !host_.heap().contains(word(object)) || host_.cycle->is_alive({word(object)}); }
  bool IsHeapPointer(void* address, bool) override { return host_.heap().contains(word(address)) || host_.frozen.contains(word(address)); }
  unsigned GetCondemnedGeneration() override { return host_.cycle->condemned(); }
  bool IsGCInProgressHelper(bool) override { return host_.in_progress.load_acquire() != 0; }
  unsigned GetGcCount() override { return host_.cycle == nullptr ? 0 : unsigned(host_.cycle->count()); }
  bool IsThreadUsingAllocationContextHeap(clr::gc_alloc_context* context, int worker) override { return host_.claims(context, u32(worker)); }
  bool IsEphemeral(clr::Object* object) override { return host_.generation_of({word(object)}) < clr::kMaxGeneration; }
  u32 WaitUntilGCComplete(bool) override;
  void FixAllocContext(clr::gc_alloc_context* context, void*, void*) override { host_.close_context(context, true); }
  usize GetCurrentObjSize() override { return host_.bytes_in_use(); }
  void SetGCInProgress(bool in_progress) override { host_.in_progress.store_release(in_progress ? 1 : 0); }
  bool RuntimeStructuresValid() override { return true; }
  void SetSuspensionPending(bool) override {}
  void SetYieldProcessorScalingFactor(float) override {}
  void Shutdown() override {}
  // From its beginning to its end, though the program may have run meanwhile: what waits for a share of the time goes by these (GC.AddMemoryPressure).
  usize GetLastGCStartTime(int generation) override { return record(generation).began_ns / 1'000'000; }
  usize GetLastGCDuration(int generation) override {
    const CycleRecord last = record(generation);
    return (last.end.start_ns + last.end.pause_ns - last.began_ns) / 1'000'000;
  }
  usize GetNow() override { return host_.now_ms(); }
  clr::Object* Alloc(clr::gc_alloc_context* context, usize bytes, u32 flags) override { return host_.allocate(context, bytes, flags); }
  void PublishObject(u8*) override {}
  void SetWaitForGCEvent() override;
  void ResetWaitForGCEvent() override { host_.gc_done.store_release(0); }
  bool IsLargeObject(clr::Object* object) override { return host_.heap().contains(word(object)) && host_.heap().region_of({word(object)}).role == Role::large; }
  void ValidateObjectMember(clr::Object*) override {}
  clr::Object* NextObj(clr::Object* object) override;
  clr::Object* GetContainingObject(void* interior, bool) override { return DotNet::object(object_containing(host_.heap(), host_, word(interior))); }
  void DiagWalkObject(clr::Object* object, clr::WalkFn visit, void* data) override;
  void DiagWalkObject2(clr::Object* object, clr::WalkSlotFn visit, void* data) override;
  void DiagWalkHeap(clr::WalkFn visit, void* data, int generation, bool with_large) override { host_.walk_heap(visit, data, generation, with_large); }
  void DiagWalkSurvivorsWithType(void*, clr::SurvivorFn, void*, clr::SurvivorWalk, int) override {}
  void DiagWalkFinalizeQueue(void*, clr::FinalizerWalkFn visit) override;
  void DiagScanFinalizeQueue(clr::FinalizerScanFn visit, clr::ScanContext* scan) override;
  void DiagScanHandles(clr::HandleRootFn visit, int generation, clr::ScanContext* scan) override;
  void DiagScanDependentHandles(clr::HandleRootFn visit, int generation, clr::ScanContext* scan) override;
  void DiagDescrGenerations(clr::GenerationWalkFn visit, void* data) override { host_.describe_generations(visit, data); }
  void DiagTraceGCSegments() override { host_.trace_segments(); }
  void DiagGetGCSettings(clr::EtwGCSettingsInfo* settings) override;
  bool StressHeap(clr::gc_alloc_context*) override { return false; }
  clr::segment_handle RegisterFrozenSegment(clr::segment_info* info) override {
    return reinterpret_cast<clr::segment_handle>(host_.frozen.add(word(info->base), info->first_object, info->allocated, info->reserved));
  }
  void UnregisterFrozenSegment(clr::segment_handle segment) override { host_.frozen.remove(reinterpret_cast<FrozenEntry*>(segment)); }
  bool IsInFrozenSegment(clr::Object* object) override { return host_.frozen.contains(word(object)); }
  // When the runtime reads again who listens (UpdateGCEventStatus, at each collection) it tells no level to one who asked for handles alone;
  // stock's handle events end there. The runtime's Fire functions ask once more, so a level too high costs calls, never events nobody wants.
  void ControlEvents(clr::EventKeyword keywords, clr::EventLevel level) override {
    if (u32(keywords) != 0 && level == clr::EventLevel::none) level = clr::EventLevel::information;
    host_.event_keywords.store_relaxed(u32(keywords));
    host_.event_level.store_relaxed(u32(level));
  }
  void ControlPrivateEvents(clr::EventKeyword keywords, clr::EventLevel level) override {
    host_.private_keywords.store_relaxed(u32(keywords));
    host_.private_level.store_relaxed(u32(level));
  }
  unsigned GetGenerationWithRange(clr::Object* object, u8** start, u8** allocated, u8** reserved) override {
    return host_.generation_with_range({word(object)}, start, allocated, reserved);
  }
  i64 GetTotalPauseDuration() override { return i64(host_.cycle->total_pause_ns() / 100); }
  void EnumerateConfigurationValues(void* data, clr::ConfigurationFn visit) override { host_.configuration_values(data, visit); }
  void UpdateFrozenSegment(clr::segment_handle segment, u8* allocated, u8*) override {
    reinterpret_cast<FrozenEntry*>(segment)->allocated.store_relaxed(word(allocated));
  }
  int RefreshMemoryLimit() override { return host_.refresh_limit(); }
  clr::NoGcCallbackStatus EnableNoGCRegionCallback(clr::NoGCRegionCallbackFinalizerWorkItem* item, u64 threshold) override {
    return host_.register_no_gc_callback(item, threshold);
  }
  clr::FinalizerWorkItem* GetExtraWorkForFinalization() override { return host_.take_work(); }
  u64 GetGenerationBudget(int generation) override;
  usize GetLOHThreshold() override { return host_.stock.loh_threshold; }
  void DiagWalkHeapWithACHandling(clr::WalkFn visit, void* data, int generation, bool with_large) override;
  void NullBridgeObjectsWeakRefs(usize, void*) override {}

 private:
  // Changed by atomic operations only: the runtime's thin locks and hash codes are compare-and-swaps of the same word. Relaxed: one bit,
  // which publishes nothing.
  static u32* header(clr::Object* object) { return reinterpret_cast<u32*>(word(object) + clr::kHeaderAt); }
  CycleRecord record(int generation) const { return generation >= 2 ? host_.last_full() : host_.cycle->last(Kind::young1); }

  DotNet& host_;
};

} // namespace garner::dotnet
