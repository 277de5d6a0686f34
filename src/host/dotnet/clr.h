// The call half of CoreCLR's GC interface: the virtual tables over which the .NET 10 runtime and a collector talk. The data that
// crosses is in clr_types.h.
//
// Versions: runtimes that announce EE interface 4 (.NET 10), answered with GC interface 5.5; linux-x64, Itanium C++ ABI. Runtimes
// of other majors must be refused: they have other slots.
//
// Invariants
//   - A slot is its position, 0-based. Order and parameter widths are the ABI; method names are the public ones, for search;
//     everything else is ours. tests/golden/clr_vtables.golden holds class, slot and name; a later interface appends.
//   - No overload or inherited method may be added to these classes, no virtual destructor, no data.
//   - No operator delete and no C++ runtime library is needed to implement these classes. Unoptimized code may name
//     __cxa_pure_virtual, with GCC as a weak symbol, so nothing has to define it.
//
// Thread rules. A mark speaks for its method and for the unmarked ones after it in the same numbered group; before the first mark
// of a group a method may come as [any].
//   [coop]   a managed thread in cooperative mode. No wait, no lock that is held across a stop, unless in preemptive mode meanwhile
//   [pre]    preemptive mode: a collection may be running. May wait; must not look into objects
//   [any]    any thread, either mode, perhaps a thread the runtime does not know: as careful as coop, and lock-free towards a stop
//   [stop]   the world stands: inside a collection of ours, or inside a suspension of the runtime's own. Neither lock nor allocate
//   [start]  once, while the runtime starts and no managed thread runs
//
// Where the facts come from: the public interface of .NET 10's GC, dotnet/runtime src/coreclr: gc/gcinterface.h and
// gc/gcinterface.ee.h for slots and types; vm/gcenv.ee.cpp and vm/comutilnative.cpp for what the runtime does around a call and in
// which mode.
#pragma once
#include "host/dotnet/clr_types.h"

namespace garner::clr {

// ---- the runtime's events: we call ----------------------------------------------------------------------------------------

// Any thread. Each method tests for itself whether somebody listens; testing first saves the arguments. Sizes and counts are of
// bytes and objects. heap numbers: 0 for a collector with one heap. Pointer arguments of the two histories are numbers.
class IGCToCLREventSink {
 public:
  virtual void FireDynamicEvent(const char* name, void* payload, u32 payload_bytes) = 0;
  virtual void FireGCStart_V2(u32 count, u32 depth, u32 reason, u32 type) = 0; // count from 1, depth = generation, type 0 = blocking
  virtual void FireGCEnd_V1(u32 count, u32 depth) = 0;                         // before the restart
  virtual void FireGCGenerationRange(u8 generation, void* start, u64 used, u64 reserved) = 0;
  virtual void FireGCHeapStats_V2(u64 size0, u64 promoted0, u64 size1, u64 promoted1, u64 size2, u64 promoted2, u64 size3,
                                  u64 promoted3, u64 size4, u64 promoted4, u64 finalize_promoted_bytes,
                                  u64 finalize_promoted_count, u32 pinned_count, u32 sync_block_count, u32 handle_count) = 0;
  virtual void FireGCCreateSegment_V1(void* address, usize bytes, u32 type) = 0; // 0 small, 1 large, 2 frozen, 3 pinned
  virtual void FireGCFreeSegment_V1(void* address) = 0;
  virtual void FireGCCreateConcurrentThread_V1() = 0;
  virtual void FireGCTerminateConcurrentThread_V1() = 0;
  virtual void FireGCTriggered(u32 reason) = 0;
  virtual void FireGCMarkWithType(u32 heap, u32 root_type, u64 promoted_bytes) = 0;
  virtual void FireGCJoin_V2(u32 heap, u32 time, u32 type, u32 id) = 0;
  virtual void FireGCGlobalHeapHistory_V4(u64 final_youngest_desired, i32 heaps, u32 condemned, u32 gen0_reduction_count, u32 reason,
                                          u32 mechanisms, u32 pause_mode, u32 memory_pressure, u32 condemn_reasons0,
                                          u32 condemn_reasons1, u32 count, u32 value_bytes, void* values) = 0;
  virtual void FireGCAllocationTick_V1(u32 amount, u32 kind) = 0; // obsolete: never call
  virtual void FireGCAllocationTick_V4(u64 amount, u32 kind, u32 heap, void* object, u64 object_bytes) = 0; // [coop], inside Alloc
  virtual void FirePinObjectAtGCTime(void* object, u8** slot) = 0;
  virtual void FirePinPlugAtGCTime(u8* start, u8* end, u8* gap_before) = 0;
  virtual void FireGCPerHeapHistory_V3(void* free_list_allocated, void* free_list_rejected, void* end_of_segment_allocated,
                                       void* condemned_allocated, void* pinned_allocated, void* pinned_allocated_advance,
                                       u32 free_list_efficiency, u32 condemn_reasons0, u32 condemn_reasons1, u32 compact_mechanisms,
                                       u32 expand_mechanisms, u32 heap, void* extra_gen0_commit, u32 count, u32 value_bytes,
                                       void* values) = 0;
  virtual void FireGCLOHCompact(u16 count, u32 value_bytes, void* values) = 0;
  virtual void FireGCFitBucketInfo(u16 bucket_kind, usize bytes, u16 count, u32 value_bytes, void* values) = 0;

  // Background collections, 20 to 32.
  virtual void FireBGCBegin() = 0;
  virtual void FireBGC1stNonConEnd() = 0;
  virtual void FireBGC1stConEnd() = 0;
  virtual void FireBGC1stSweepEnd(u32 generation) = 0;
  virtual void FireBGC2ndNonConBegin() = 0;
  virtual void FireBGC2ndNonConEnd() = 0;
  virtual void FireBGC2ndConBegin() = 0;
  virtual void FireBGC2ndConEnd() = 0;
  virtual void FireBGCDrainMark(u64 objects) = 0;
  virtual void FireBGCRevisit(u64 pages, u64 objects, u32 large) = 0;
  virtual void FireBGCOverflow_V1(u64 low, u64 high, u64 objects, u32 large, u32 generation) = 0;
  virtual void FireBGCAllocWaitBegin(u32 reason) = 0;
  virtual void FireBGCAllocWaitEnd(u32 reason) = 0;

  // Notifications and handles, 33 to 37. The Prv forms go to the private provider.
  virtual void FireGCFullNotify_V1(u32 generation, u32 is_alloc) = 0;
  virtual void FireSetGCHandle(void* handle, void* object, u32 type, u32 generation) = 0;
  virtual void FirePrvSetGCHandle(void* handle, void* object, u32 type, u32 generation) = 0;
  virtual void FireDestroyGCHandle(void* handle) = 0;
  virtual void FirePrvDestroyGCHandle(void* handle) = 0;

 protected:
  ~IGCToCLREventSink() = default;
};

// ---- the runtime: we call -------------------------------------------------------------------------------------------------

// Marks here say how we must call.
class IGCToCLR {
 public:
  // 0 to 10: one collection. All on the thread that stopped the world, except GcScanRoots and RefCountedHandleCallbacks. The order
  // of .NET 10's own collector: SuspendEE, GcEnumAllocContexts, DiagGCStart, GcStartWork, UpdateGCEventStatus, BeforeGcScanRoots,
  // GcScanRoots, AfterGcScanRoots, DiagWalkFReachableObjects, SyncBlockCacheWeakPtrScan, DiagWalkSurvivors, (moving: GcScanRoots and
  // SyncBlockCacheWeakPtrScan again), SyncBlockCachePromotionsGranted, GcDone, DiagGCEnd, RestartEE, EnableFinalization.
  // [pre], or a thread made with CreateThread(…, false, …). Returns with every managed thread stopped and the thread store locked.
  // Calls back SetGCInProgress, ResetWaitForGCEvent, GetGcCount, IsGCInProgressHelper. Another collection may have come between.
  virtual void SuspendEE(SuspendReason reason) = 0;
  virtual void RestartEE(bool finished_gc) = 0; // [stop] calls back SetGCInProgress(false), SetWaitForGCEvent
  // Reports the roots of every thread t with IsThreadUsingAllocationContextHeap(context of t, scan->thread_number). Workers
  // may scan at once, each with its own context, on the stopping thread or threads made with CreateThread.
  virtual void GcScanRoots(PromoteFn promote, int condemned, int max_generation, ScanContext* scan) = 0;
  virtual void GcStartWork(int condemned, int max_generation) = 0;
  virtual void BeforeGcScanRoots(int condemned, bool background, bool concurrent) = 0;
  virtual void AfterGcScanRoots(int condemned, int max_generation, ScanContext* scan) = 0;
  virtual void GcDone(int condemned) = 0;
  virtual bool RefCountedHandleCallbacks(Object* object) = 0; // any worker: does the handle keep its object alive
  // The sync blocks' weak words, one thread. Null in the slot drops the entry. data1 must be a ScanContext*. Below a full
  // collection only entries whose object answers IsEphemeral at that moment are shown, and those that no longer do leave the set.
  virtual void SyncBlockCacheWeakPtrScan(HandleScanFn scan, word data1, word data2) = 0;
  virtual void SyncBlockCacheDemote(int max_generation) = 0; // after a full collection that left objects below the oldest
  virtual void SyncBlockCachePromotionsGranted(int max_generation) = 0;
  virtual u32 GetActiveSyncBlockCount() = 0; // [any]

  // 12 to 16: this thread. Mode changes do nothing on a thread the runtime does not know.
  virtual bool IsPreemptiveGCDisabled() = 0; // is it cooperative
  virtual bool EnablePreemptiveGC() = 0;     // to preemptive; did the mode change
  virtual void DisablePreemptiveGC() = 0;    // to cooperative; waits while the world stands, unless this thread stopped it
  virtual Thread* GetThread() = 0;           // null before the first managed thread and on threads made not suspendable
  virtual gc_alloc_context* GetAllocContext() = 0; // null when GetThread is
  // [stop] The callback may set pointer and limit to zero, both or neither; any other change leaves the combined limit behind.
  virtual void GcEnumAllocContexts(EnumAllocContextFn visit, void* data) = 0;
  // What keeps a collectible type's instance's code alive, or null. It has no slot: the runtime finds it by a long weak handle.
  virtual u8* GetLoaderAllocatorObjectForGC(Object* object) = 0;
  // [start] or [pre]. Waits until the thread runs. Not suspendable: GetThread is null there, and it may stop the world and scan.
  virtual bool CreateThread(ThreadEntryFn entry, void* arg, bool suspendable, const char* name) = 0;

  // 20 to 26: tools and profilers. [stop] Each may walk the heap through our Diag methods before it returns.
  virtual void DiagGCStart(int generation, bool induced) = 0; // may walk generation 0: contexts are covered before
  virtual void DiagUpdateGenerationBounds() = 0;
  virtual void DiagGCEnd(usize index, int generation, int reason, bool concurrent) = 0; // addresses final, MethodTable words clean
  virtual void DiagWalkFReachableObjects(void* gc_data) = 0;
  virtual void DiagWalkSurvivors(void* gc_data, bool compacting) = 0; // destinations known, sources still readable
  virtual void DiagWalkUOHSurvivors(void* gc_data, int generation) = 0;
  virtual void DiagWalkBGCSurvivors(void* gc_data) = 0;

  // 27 to 31.
  // initialize: once, inside IGCHeap::Initialize; it chooses the barrier for good. stomp_ephemeral: [stop]. stomp_resize: also
  // with the world running, and then the old tables stay in use until the next stop.
  virtual void StompWriteBarrier(WriteBarrierParameters* parameters) = 0;
  virtual void EnableFinalization(bool found_work) = 0;      // [any] after RestartEE, always: the runtime adds work of its own
  virtual void HandleFatalError(unsigned exit_code) = 0;     // [any] does not return
  // [stop] For a dead object that is due for finalization: true when the runtime did it on the spot. May destroy handles.
  virtual bool EagerFinalized(Object* object) = 0;
  virtual MethodTable* GetFreeObjectMethodTable() = 0; // [any] from GC_Initialize on; components are bytes

  // 32 to 35: settings, from GC_Initialize on. Any private key works: environment DOTNET_<key>, integers in hex. The public key, that of
  // runtimeconfig.json (numbers in decimal), may be null. False: not set, value unchanged.
  virtual bool GetBooleanConfigValue(const char* private_key, const char* public_key, bool* value) = 0;
  virtual bool GetIntConfigValue(const char* private_key, const char* public_key, i64* value) = 0;
  virtual bool GetStringConfigValue(const char* private_key, const char* public_key, const char** value) = 0;
  virtual void FreeStringConfigValue(const char* value) = 0;

  // 36 to 40.
  virtual bool IsGCThread() = 0;                  // this thread stopped the world, or:
  virtual bool WasCurrentThreadCreatedByGC() = 0; // CreateThread made it
  virtual void WalkAsyncPinnedForPromotion(Object* object, ScanContext* scan, PromoteFn promote) = 0; // does nothing in .NET 10
  virtual void WalkAsyncPinned(Object* object, void* data, AsyncPinFn visit) = 0;                     // does nothing in .NET 10
  virtual IGCToCLREventSink* EventSink() = 0; // never null

  // 41 to 45.
  virtual u32 GetTotalNumSizedRefHandles() = 0; // 0
  // [stop] Requested: before DiagGCStart. Finished: after marking, when requested; may walk the heap and calls report, so not null.
  virtual bool AnalyzeSurvivorsRequested(int condemned) = 0;
  virtual void AnalyzeSurvivorsFinished(usize index, int condemned, u64 promoted_bytes, ReportBoundsFn report) = 0;
  virtual void VerifySyncTableEntry() = 0;
  // Re-reads who listens; calls ControlEvents or ControlPrivateEvents when it differs from what we pass.
  virtual void UpdateGCEventStatus(int public_level, int public_keywords, int private_level, int private_keywords) = 0;

  // 46 to 51.
  virtual void LogStressMsg(unsigned level, unsigned facility, const StressLogMsg& message) = 0;
  virtual u32 GetCurrentProcessCpuCount() = 0; // honours affinity, container quota and DOTNET_PROCESSOR_COUNT
  virtual void DiagAddNewRegion(int generation, u8* start, u8* end, u8* reserved) = 0;
  virtual void LogErrorToHost(const char* message) = 0; // from EE interface 1; the host prints it when initialization fails
  virtual u64 GetThreadOSThreadId(Thread* thread) = 0;  // from EE interface 3
  virtual void TriggerClientBridgeProcessing(MarkCrossReferencesArgs* references) = 0; // from EE interface 4; not on linux

 protected:
  ~IGCToCLR() = default;
};

// ---- the collector: the runtime calls -------------------------------------------------------------------------------------

class IGCHeap {
 public:
  // 0 to 3: sizes of segments, for hosts and MemoryFailPoint. Bytes.
  virtual bool IsValidSegmentSize(usize bytes) = 0;
  virtual bool IsValidGen0MaxSize(usize bytes) = 0;
  virtual usize GetValidSegmentSize(bool large) = 0; // [coop]
  virtual void SetReservedVMLimit(usize bytes) = 0;

  // 4 to 9: concurrent collections.
  virtual void WaitUntilConcurrentGCComplete() = 0; // [any]
  virtual bool IsConcurrentGCInProgress() = 0;
  virtual void TemporaryEnableConcurrentGC() = 0;
  virtual void TemporaryDisableConcurrentGC() = 0;
  virtual bool IsConcurrentGCEnabled() = 0;
  virtual Hresult WaitUntilConcurrentGCCompleteAsync(int timeout_ms) = 0; // [pre]

  // 10, 11: the finalizer thread.
  virtual usize GetNumberOfFinalizable() = 0;
  virtual Object* GetNextFinalizable() = 0; // [coop] null when there is none; critical finalizers last

  // 12 to 33: System.GC.
  // [coop] The out pointers lie inside a managed object: no mode change, no collection, before the last one is written. Zeros when
  // no collection of that GcKind has been recorded. pause_time_percent is a hundredfold. generations: 5 x {bytes before, fragmented
  // before, bytes after, fragmented after}. pauses: 2, in 100 ns.
  virtual void GetMemoryInfo(u64* high_memory_load_threshold_bytes, u64* total_available_bytes, u64* memory_load_bytes,
                             u64* heap_bytes, u64* fragmented_bytes, u64* committed_bytes, u64* promoted_bytes, u64* pinned_count,
                             u64* finalization_pending_count, u64* index, u32* generation, u32* pause_time_percent,
                             bool* compacting, bool* concurrent, u64* generations, u64* pauses, int kind) = 0;
  virtual u32 GetMemoryLoad() = 0; // percent of physical memory, at the last collection
  virtual int GetGcLatencyMode() = 0;              // LatencyMode
  virtual int SetGcLatencyMode(int mode) = 0;      // SetLatencyStatus. No mode change: the caller has no frame that a stack walk could begin at
  virtual int GetLOHCompactionMode() = 0;          // LohCompaction
  virtual void SetLOHCompactionMode(int mode) = 0; // the caller checked the value
  virtual bool RegisterForFullGCNotification(u32 gen2_percent, u32 large_percent) = 0; // false: refused
  virtual bool CancelFullGCNotification() = 0;
  virtual int WaitForFullGCApproach(int timeout_ms) = 0; // [coop] may wait, in preemptive mode; -1 is for ever; WaitFullGcStatus
  virtual int WaitForFullGCComplete(int timeout_ms) = 0; // the same
  // [any] Also asked by the runtime while the world stands. 2 for large and pinned objects, kNoGeneration outside the heap.
  virtual unsigned WhichGeneration(Object* object) = 0;
  // Collections of that generation, those of older ones included. With special, only what background collection brings about: its
  // own number for generation 2, that of collections which interrupted it below.
  virtual int CollectionCount(int generation, int special) = 0;
  // [coop] May collect first. StartNoGcStatus.
  virtual int StartNoGCRegion(u64 total_bytes, bool large_known, u64 large_bytes, bool disallow_full_blocking) = 0;
  virtual int EndNoGCRegion() = 0;            // [pre] EndNoGcStatus
  virtual usize GetTotalBytesInUse() = 0;     // [coop]
  virtual u64 GetTotalAllocatedBytes() = 0;   // [coop] since start, whole buffers as handed out; the runtime subtracts unused rests
  // [coop] Returns when a collection that began after the call has ended, unless the mode says otherwise. generation -1: all.
  virtual Hresult GarbageCollect(int generation, bool low_memory, int mode) = 0;
  virtual unsigned GetMaxGeneration() = 0;             // [any] kMaxGeneration
  virtual void SetFinalizationRun(Object* object) = 0; // [coop] sets kHeaderFinalizerRun
  // [coop] When kHeaderFinalizerRun is set, clears it and is done. generation is -1 when unknown. False: out of memory.
  virtual bool RegisterForFinalization(int generation, Object* object) = 0;
  virtual int GetLastGCPercentTimeInGC() = 0;                // 0 to 100
  virtual usize GetLastGCGenerationSize(int generation) = 0; // 0 to kPinnedHeap, bytes

  // 34 to 49: the runtime's own questions.
  virtual Hresult Initialize() = 0;            // [start] after the handle manager's; CreateThread and StompWriteBarrier work
  virtual bool IsPromoted(Object* object) = 0; // [stop] alive as far as known; true for null and all that is not being collected
  virtual bool IsHeapPointer(void* address, bool small_only) = 0; // [any]
  virtual unsigned GetCondemnedGeneration() = 0;                  // [stop]
  virtual bool IsGCInProgressHelper(bool consider_start) = 0;     // [any]
  virtual unsigned GetGcCount() = 0;
  // [stop] On the scanning worker, for each context in turn: is it this part's? Over the parts of one scan exactly one may say so.
  virtual bool IsThreadUsingAllocationContextHeap(gc_alloc_context* context, int thread_number) = 0;
  virtual bool IsEphemeral(Object* object) = 0;             // [stop] could a collection that is not full take it
  virtual u32 WaitUntilGCComplete(bool consider_start) = 0; // [pre] waits until SetWaitForGCEvent; 0
  // [coop] A thread dies (data and heap null): cover the buffer's rest and forget the context. The thread store is locked.
  virtual void FixAllocContext(gc_alloc_context* context, void* data, void* heap) = 0;
  virtual usize GetCurrentObjSize() = 0; // [any] live bytes, roughly: AddMemoryPressure compares with it
  virtual void SetGCInProgress(bool in_progress) = 0; // on the suspending thread, inside SuspendEE and RestartEE, whoever called
  virtual bool RuntimeStructuresValid() = 0;          // [any] may the heap be walked
  virtual void SetSuspensionPending(bool pending) = 0;
  virtual void SetYieldProcessorScalingFactor(float factor) = 0;
  virtual void Shutdown() = 0; // never seen to come

  // 50 to 52: AddMemoryPressure. Milliseconds of one clock. [any]
  virtual usize GetLastGCStartTime(int generation) = 0;
  virtual usize GetLastGCDuration(int generation) = 0;
  virtual usize GetNow() = 0;

  // 53, 54: allocation.
  // [coop] bytes include the header and may be unaligned; flags are kAlloc… bits. Tries the given context before replacing it. The
  // header word and, but for kAllocZeroingOptional, the body are zero. Null: the runtime throws OutOfMemoryException.
  virtual Object* Alloc(gc_alloc_context* context, usize bytes, u32 flags) = 0;
  virtual void PublishObject(u8* object) = 0; // a large or pinned object is formatted now

  // 55, 56: the event behind WaitUntilGCComplete; the runtime drives it from its suspensions.
  virtual void SetWaitForGCEvent() = 0;
  virtual void ResetWaitForGCEvent() = 0;

  // 57 to 60: verification and lookup.
  virtual bool IsLargeObject(Object* object) = 0;
  virtual void ValidateObjectMember(Object* object) = 0; // [stop]
  virtual Object* NextObj(Object* object) = 0;
  virtual Object* GetContainingObject(void* interior, bool collected_only) = 0; // null when it is in no object

  // 61 to 72: profilers and traces. [stop] generation: that one and, for DiagWalkHeap, all younger ones.
  virtual void DiagWalkObject(Object* object, WalkFn visit, void* data) = 0;
  virtual void DiagWalkObject2(Object* object, WalkSlotFn visit, void* data) = 0;
  virtual void DiagWalkHeap(WalkFn visit, void* data, int generation, bool with_large) = 0; // with_large: and pinned
  virtual void DiagWalkSurvivorsWithType(void* gc_data, SurvivorFn visit, void* data, SurvivorWalk type, int generation) = 0;
  virtual void DiagWalkFinalizeQueue(void* gc_data, FinalizerWalkFn visit) = 0;
  virtual void DiagScanFinalizeQueue(FinalizerScanFn visit, ScanContext* scan) = 0;
  virtual void DiagScanHandles(HandleRootFn visit, int generation, ScanContext* scan) = 0;
  virtual void DiagScanDependentHandles(HandleRootFn visit, int generation, ScanContext* scan) = 0;
  virtual void DiagDescrGenerations(GenerationWalkFn visit, void* data) = 0;
  virtual void DiagTraceGCSegments() = 0;                           // [any] at the start of a session
  virtual void DiagGetGCSettings(EtwGCSettingsInfo* settings) = 0;  // write every field
  virtual bool StressHeap(gc_alloc_context* context) = 0;           // checked runtimes only

  // 73 to 75: frozen segments. [pre] from the runtime's frozen heap, so perhaps during a collection; [coop] from an internal API.
  virtual segment_handle RegisterFrozenSegment(segment_info* info) = 0; // info dies after the call; null: failed
  virtual void UnregisterFrozenSegment(segment_handle segment) = 0;
  virtual bool IsInFrozenSegment(Object* object) = 0; // [any]

  // 76, 77: who listens. [any] From before Initialize on, perhaps under a spin lock of the runtime.
  virtual void ControlEvents(EventKeyword keywords, EventLevel level) = 0;
  virtual void ControlPrivateEvents(EventKeyword keywords, EventLevel level) = 0;

  // 78 to 88: added later, in the order of the versions.
  // For profilers. Unlike WhichGeneration it answers kLargeHeap and kPinnedHeap, and ~0u for what it does not know.
  virtual unsigned GetGenerationWithRange(Object* object, u8** start, u8** allocated, u8** reserved) = 0;
  virtual i64 GetTotalPauseDuration() = 0;                                           // [coop] 100 ns, since start
  virtual void EnumerateConfigurationValues(void* data, ConfigurationFn visit) = 0;  // [pre] visit is managed code
  virtual void UpdateFrozenSegment(segment_handle segment, u8* allocated, u8* committed) = 0; // as RegisterFrozenSegment; addresses
  virtual int RefreshMemoryLimit() = 0; // [pre] the keys of the hard limit have new values; RefreshLimitStatus
  virtual NoGcCallbackStatus EnableNoGCRegionCallback(NoGCRegionCallbackFinalizerWorkItem* item, u64 threshold_bytes) = 0;
  virtual FinalizerWorkItem* GetExtraWorkForFinalization() = 0; // the finalizer thread takes the whole list
  virtual u64 GetGenerationBudget(int generation) = 0;          // bytes; behind an event counter that polls
  virtual usize GetLOHThreshold() = 0;                          // [any] bytes; effective from kLargeObjectBytes upwards
  // [stop] The runtime stopped the world, not a collection: buffers are in use. Cover their rests for the walk, zero them after.
  virtual void DiagWalkHeapWithACHandling(WalkFn visit, void* data, int generation, bool with_large) = 0;
  virtual void NullBridgeObjectsWeakRefs(usize count, void* handles) = 0; // not on linux

 protected:
  ~IGCHeap() = default;
};

// ---- handles: the runtime calls -------------------------------------------------------------------------------------------

// A set of handles that dies at once. Creation answers null when out of memory. Objects may be null.
class IGCHandleStore {
 public:
  virtual void Uproot() = 0; // the handles stop being roots at once; the store itself goes later
  virtual bool ContainsHandle(ObjectHandle handle) = 0;
  virtual ObjectHandle CreateHandleOfType(Object* object, HandleType type) = 0; // [coop]; with a null object [any]
  virtual ObjectHandle CreateHandleOfType(Object* object, HandleType type, int heap) = 0; // heap: a hint
  virtual ObjectHandle CreateHandleWithExtraInfo(Object* object, HandleType type, void* extra) = 0;
  virtual ObjectHandle CreateDependentHandle(Object* primary, Object* secondary) = 0;
  // The public class ends in a virtual destructor. The Itanium ABI gives one two slots where it is declared: first the complete
  // object destructor (D1), then the deleting one (D0). Both take only this, so plain methods stand in for them here: a real
  // destructor would make every implementation refer to operator delete. Stores are destroyed through DestroyHandleStore.
  virtual void CompleteDestructor() = 0;
  virtual void DeletingDestructor() = 0;

 protected:
  ~IGCHandleStore() = default;
};

// Stores and single handles. Every reference written to a handle comes through here, so a collector may keep a record of them;
// reads do not.
class IGCHandleManager {
 public:
  virtual bool Initialize() = 0; // [start] before the heap's; from here on all of the others may come
  virtual void Shutdown() = 0;
  virtual IGCHandleStore* GetGlobalHandleStore() = 0; // [any]
  virtual IGCHandleStore* CreateHandleStore() = 0;    // null: out of memory
  virtual void DestroyHandleStore(IGCHandleStore* store) = 0;
  virtual ObjectHandle CreateGlobalHandleOfType(Object* object, HandleType type) = 0; // [coop]; with a null object [any]
  virtual ObjectHandle CreateDuplicateHandle(ObjectHandle handle) = 0;                // strong, in the global store
  // [any], also from EagerFinalized on a thread of ours in the middle of a collection.
  virtual void DestroyHandleOfType(ObjectHandle handle, HandleType type) = 0;
  virtual void DestroyHandleOfUnknownType(ObjectHandle handle) = 0;
  virtual void SetExtraInfoForHandle(ObjectHandle handle, HandleType type, void* extra) = 0;
  virtual void* GetExtraInfoFromHandle(ObjectHandle handle) = 0;
  virtual void StoreObjectInHandle(ObjectHandle handle, Object* object) = 0;       // [coop]
  virtual bool StoreObjectInHandleIfNull(ObjectHandle handle, Object* object) = 0; // did it
  virtual void SetDependentHandleSecondary(ObjectHandle handle, Object* object) = 0;
  virtual Object* GetDependentHandleSecondary(ObjectHandle handle) = 0;
  virtual Object* InterlockedCompareExchangeObjectInHandle(ObjectHandle handle, Object* desired, Object* expected) = 0; // the old one
  virtual HandleType HandleFetchType(ObjectHandle handle) = 0;                                     // [any]
  virtual void TraceRefCountedHandles(HandleScanFn visit, word data1, word data2) = 0;             // [stop]

 protected:
  ~IGCHandleManager() = default;
};

// ---- exports: the runtime calls -------------------------------------------------------------------------------------------

// extern "C", default visibility, in this order, once per process, before any managed thread exists. [start]
using GcVersionInfoFn = void (*)(VersionInfo* info); // GC_VersionInfo
using GcInitializeFn = Hresult (*)(IGCToCLR* runtime, IGCHeap** heap, IGCHandleManager** handles, GcDacVars* dac); // GC_Initialize

} // namespace garner::clr
