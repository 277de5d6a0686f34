// The data half of CoreCLR's GC interface: what crosses the border between the .NET 10 runtime and a collector, byte by byte.
// The calls are in clr.h.
//
// Versions: runtimes that announce EE interface 4 (.NET 10), answered with GC interface 5.5; linux-x64 only.
//
// Invariants
//   - Every struct here is laid out by the runtime, not by us; its static_asserts are the contract. Field names are ours.
//   - bool is one byte, an enum four. A number the runtime sends may be one that no enumerator names.
//   - An object reference is the address of the object's MethodTable word. Its header word lies before that, and every size in
//     the interface counts it: an object of n bytes at p owns [p - 8, p - 8 + n). Sizes may arrive unaligned.
//   - The runtime only ever appends: fields after the last one of 5.5 belong to newer runtimes and must not be written.
//
// Where the facts come from: the public interface of .NET 10's GC, that is dotnet/runtime src/coreclr, in
//   gc/gcinterface.h            versions, structs, enums, flags, callbacks
//   gc/gcinterface.ee.h         root kinds and root flags
//   gc/gcinterface.dacvars.def  GcDacVars
//   gc/gc.h                     reasons for a collection
//   gc/env/gcenv.object.h       method table flags, object layout
//   vm/syncblk.h                header bits
#pragma once
#include "base/words.h"

namespace garner::clr {

// ---- versions and results -------------------------------------------------------------------------------------------------

inline constexpr u32 kGcInterfaceMajor = 5; // what we report; the runtime refuses a lower one
inline constexpr u32 kGcInterfaceMinor = 5;
inline constexpr u32 kEeInterfaceMajor = 4; // what .NET 10 announces; decides which IGCToCLR slots exist

using Hresult = i32;
inline constexpr Hresult kOk = 0; // the only success GC_Initialize may return
inline constexpr Hresult kFail = Hresult(0x80004005u);
inline constexpr Hresult kOutOfMemory = Hresult(0x8007000Eu);

// Both ways. In: the EE interface the runtime implements (minor and build 0, no name). Out: the GC interface we implement and a
// name that lives as long as the process.
struct VersionInfo {
  u32 major;
  u32 minor;
  u32 build;
  const char* name;
};
static_assert(sizeof(VersionInfo) == 0x18);
static_assert(offsetof(VersionInfo, major) == 0x0);
static_assert(offsetof(VersionInfo, minor) == 0x4);
static_assert(offsetof(VersionInfo, build) == 0x8);
static_assert(offsetof(VersionInfo, name) == 0x10);

// ---- objects --------------------------------------------------------------------------------------------------------------

struct Object; // opaque: a pointer to one is an object reference
struct Thread; // opaque: the runtime's managed thread

inline constexpr i64 kHeaderAt = -4;               // u32 header, see the bits below; the four bytes before it are padding
inline constexpr usize kMethodTableAt = 0;         // word
inline constexpr usize kLengthAt = 8;              // u32 component count, when the type has components
inline constexpr usize kFirstFieldAt = 8;          // when it has none
inline constexpr usize kStringDataAt = 12;         // UTF-16 units
inline constexpr usize kArrayDataAt = 16;          // one dimension; the bounds of more dimensions lie before the data
inline constexpr usize kObjectAlignment = 8;       // no object asks for more on x64
inline constexpr usize kHeaderBytes = 8;           // the header's share of an object's size
inline constexpr usize kMinObjectBytes = 0x18;     // header, MethodTable, one field
inline constexpr usize kArrayBaseBytes = 0x18;     // one dimension; also the base of a free object, whose components are bytes and
                                                   // whose type, unlike an array's, has no category
inline constexpr usize kLargeObjectBytes = 85'000; // the runtime never asks for the large heap below this
inline constexpr word kMethodTableBits = 7;        // low bits of the MethodTable word the runtime ignores while it is suspended

// Header word bits. The word moves with its object; a new object's is zero.
inline constexpr u32 kHeaderUnused = 0x80000000;
inline constexpr u32 kHeaderFinalizerRun = 0x40000000; // finalization suppressed or already done
inline constexpr u32 kHeaderGcReserve = 0x20000000;    // free for a collector; clear whenever the runtime runs
inline constexpr u32 kHeaderSpinLock = 0x10000000;
inline constexpr u32 kHeaderIsHashOrIndex = 0x08000000; // else the low 22 bits are a thin lock: 16 of thread, 6 of recursion
inline constexpr u32 kHeaderIsHash = 0x04000000;        // with the former: a hash; without: a sync block index
inline constexpr u32 kHeaderValueMask = 0x03FFFFFF;     // hash or index
inline constexpr u32 kHeaderLockThreadMask = 0x0000FFFF;
inline constexpr u32 kHeaderLockRecursionMask = 0x003F0000;

// MethodTable flag bits. These are the ones of .NET 9 and later; .NET 8 had Collectible and HasCriticalFinalizer elsewhere.
inline constexpr u32 kTypeHasComponents = 0x80000000;
inline constexpr u32 kTypeHasReferences = 0x01000000;
inline constexpr u32 kTypeCollectible = 0x00200000;
inline constexpr u32 kTypeHasFinalizer = 0x00100000;
inline constexpr u32 kTypeCategoryMask = 0x000C0000;
inline constexpr u32 kTypeCategoryArray = 0x00080000;
inline constexpr u32 kTypeCategoryValue = 0x00040000;
inline constexpr u32 kTypeAlign8 = 0x00001000;            // never matters on x64
inline constexpr u32 kTypeCriticalFinalizer = 0x00000002; // inside the component size: only without kTypeHasComponents
inline constexpr u32 kTypeComponentMask = 0x0000FFFF;

// The head of a runtime type. Written by the runtime before the first instance exists, constant afterwards: any thread, any mode.
// The map of its references (GCDesc) lies below it and grows downwards; read it only when has_references().
struct MethodTable {
  u32 flags;
  u32 base_bytes; // header included, components not; for strings not a multiple of 8

  bool has_components() const { return (flags & kTypeHasComponents) != 0; }
  u32 component_bytes() const { return has_components() ? flags & kTypeComponentMask : 0; }
  bool has_references() const { return (flags & kTypeHasReferences) != 0; }
  bool collectible() const { return (flags & kTypeCollectible) != 0; }
  bool is_array() const { return (flags & kTypeCategoryMask) == kTypeCategoryArray; }
  bool is_value_type() const { return (flags & kTypeCategoryMask) == kTypeCategoryValue; }
  bool has_finalizer() const { return (flags & kTypeHasFinalizer) != 0; }
  bool has_critical_finalizer() const { return !has_components() && (flags & kTypeCriticalFinalizer) != 0; }
};
static_assert(offsetof(MethodTable, flags) == 0x0);
static_assert(offsetof(MethodTable, base_bytes) == 0x4);

// ---- generations ----------------------------------------------------------------------------------------------------------

inline constexpr unsigned kMaxGeneration = 2;         // libraries and tools count on three
inline constexpr int kLargeHeap = 3, kPinnedHeap = 4; // only where sizes or ranges per generation are asked for or reported
inline constexpr unsigned kNoGeneration = 0x7FFFFFFF; // the answer for an object that is in no collected heap

// ---- allocation -----------------------------------------------------------------------------------------------------------

// One thread's allocation buffer. Compiled code bumps alloc_ptr without a call. Its own thread writes it in cooperative mode; a
// collector may write any of them while the world stands, and pointer and limit only by setting both to zero.
struct gc_alloc_context {
  u8* alloc_ptr;
  u8* alloc_limit;
  i64 alloc_bytes;     // handed out to this thread so far, an unused rest included
  i64 alloc_bytes_uoh; // the same for the large and the pinned heap
  void* gc_reserved_1; // ours
  void* gc_reserved_2; // ours
  int alloc_count;
};
static_assert(sizeof(gc_alloc_context) == 0x38);
static_assert(offsetof(gc_alloc_context, alloc_ptr) == 0x0);
static_assert(offsetof(gc_alloc_context, alloc_limit) == 0x8);
static_assert(offsetof(gc_alloc_context, alloc_bytes) == 0x10);
static_assert(offsetof(gc_alloc_context, alloc_bytes_uoh) == 0x18);
static_assert(offsetof(gc_alloc_context, gc_reserved_1) == 0x20);
static_assert(offsetof(gc_alloc_context, gc_reserved_2) == 0x28);
static_assert(offsetof(gc_alloc_context, alloc_count) == 0x30);

// The word before a context is the limit compiled code compares with. The runtime alone writes it: it follows alloc_limit after
// each slow call (or lies below it, while allocations are sampled), and is zeroed with a context that an enumeration zeroed.
inline constexpr i64 kCombinedLimitAt = -8;

// Flags of IGCHeap::Alloc.
inline constexpr u32 kAllocFinalize = 1;         // register before returning; when that fails, return null
inline constexpr u32 kAllocContainsRef = 2;      // a hint
inline constexpr u32 kAllocAlign8Bias = 4;       // never on x64
inline constexpr u32 kAllocAlign8 = 8;           // never on x64
inline constexpr u32 kAllocZeroingOptional = 16; // the body may be dirty; header, MethodTable word and tail padding may not
inline constexpr u32 kAllocLargeHeap = 32;
inline constexpr u32 kAllocPinnedHeap = 64;      // never moves; may contain references
inline constexpr u32 kAllocUserOldHeap = kAllocLargeHeap | kAllocPinnedHeap;

// ---- roots ----------------------------------------------------------------------------------------------------------------

enum class RootKind : i32 { stack = 0, finalizer = 1, handle = 2, other = 3 };

// Flags that a promote callback receives; nothing else is passed.
inline constexpr u32 kCallInterior = 1; // may point anywhere into an object, also one past its last element, or outside the heap
inline constexpr u32 kCallPinned = 2;   // must not move

// Flags that a handle callback receives.
inline constexpr u32 kRootPinning = 1, kRootWeak = 2, kRootInterior = 4, kRootRefCounted = 8;

// What one scan says about itself, to the runtime and back to our callback. One per scanning thread.
struct ScanContext {
  Thread* thread_under_crawl = nullptr; // the runtime's
  int thread_number = -1;               // ours: which part of the threads to scan, see IsThreadUsingAllocationContextHeap
  int thread_count = -1;                // ours: how many parts there are
  word stack_limit = 0;                 // the runtime's
  bool promotion = false;               // ours: true reports transient slots too, false only those that outlive the call
  bool concurrent = false;
  void* gc_data = nullptr;              // ours: the runtime never looks at it
  void* method = nullptr;               // the runtime's
  RootKind root_kind = RootKind::other; // the runtime's
};
static_assert(sizeof(ScanContext) == 0x38);
static_assert(offsetof(ScanContext, thread_under_crawl) == 0x0);
static_assert(offsetof(ScanContext, thread_number) == 0x8);
static_assert(offsetof(ScanContext, thread_count) == 0xc);
static_assert(offsetof(ScanContext, stack_limit) == 0x10);
static_assert(offsetof(ScanContext, promotion) == 0x18);
static_assert(offsetof(ScanContext, concurrent) == 0x19);
static_assert(offsetof(ScanContext, gc_data) == 0x20);
static_assert(offsetof(ScanContext, method) == 0x28);
static_assert(offsetof(ScanContext, root_kind) == 0x30);

// ---- handles --------------------------------------------------------------------------------------------------------------

// A handle is the address of a word that holds a reference; compiled code loads that word directly, in cooperative mode. So the
// word never moves. Its address is a multiple of 8 (callers keep flags in the low bits). Null is no handle.
using ObjectHandle = Object**;

enum class HandleType : i32 {
  weak_short = 0, // cleared before finalization is decided
  weak_long = 1,  // cleared when the object is gone for good
  strong = 2,
  pinned = 3,
  variable = 4,    // not created by .NET 10, like 7, 8 and 9
  ref_counted = 5, // strong while the runtime's callback says so, else as weak_long
  dependent = 6,   // the primary is weak_long; while it lives, so does the secondary (extra information)
  async_pinned = 7,
  sized_ref = 8,
  weak_native_com = 9,
  weak_interior = 10,   // as weak_long; extra information is the address of a word pointing into the object, which moves with it
  cross_reference = 11, // bridge to another collector's heap, not on linux
};
inline constexpr u32 kHandleTypes = 12;

// ---- stopping and collecting ----------------------------------------------------------------------------------------------

enum class SuspendReason : i32 { gc = 1, gc_prep = 6 };

// A bit set in the mode of IGCHeap::GarbageCollect.
inline constexpr int kCollectNonBlocking = 1;
inline constexpr int kCollectBlocking = 2;
inline constexpr int kCollectOptimized = 4;   // may decide that nothing is to be done
inline constexpr int kCollectCompacting = 8;
inline constexpr int kCollectAggressive = 16; // give back as much memory as possible

// Why a collection ran: DiagGCEnd and the reason of events.
enum class GcReason : i32 {
  alloc_soh = 0,
  induced = 1,
  low_memory = 2,
  empty = 3,
  alloc_loh = 4,
  out_of_space_soh = 5,
  out_of_space_loh = 6,
  induced_no_force = 7,
  stress = 8,
  low_memory_blocking = 9,
  induced_compacting = 10,
  low_memory_host = 11,
  provisional_full = 12,
  low_memory_host_blocking = 13,
  bgc_tuning_soh = 14,
  bgc_tuning_loh = 15,
  bgc_stepping = 16,
  induced_aggressive = 17,
};

// Fields of the two histories of a collection, which analysers read by position.
enum class GcTime : u32 { begin, mark_roots, mark_short_weak, mark_finalization, mark_long_weak, plan, relocate, compact }; // microseconds
inline constexpr u32 kGcTimes = 8; // of a collection that compacts; sweeping ones have seven
enum class GcType : u32 { blocking = 0, background = 1, foreground = 2 }; // of the start event
inline constexpr u32 kMechanismConcurrent = 1, kMechanismCompaction = 2, kMechanismPromotion = 4;
enum class CondemnReason : u32 { asked, decided, budget, time }; // two bits each: a generation
inline constexpr u32 kConditionInducedFull = 1;
struct GcGenerationData { // bytes; sizes include what is free inside
  usize size_before, free_list_before, free_objects_before, size_after, free_list_after, free_objects_after;
  usize came_in, survived_pinned, survived_moved, budget;
};
static_assert(sizeof(GcGenerationData) == 0x50);
static_assert(offsetof(GcGenerationData, size_after) == 0x18);
static_assert(offsetof(GcGenerationData, budget) == 0x48);

enum class GcKind : i32 { any = 0, ephemeral = 1, full_blocking = 2, background = 3 }; // which record GetMemoryInfo asks for
enum class LatencyMode : i32 { batch = 0, interactive = 1, low_latency = 2, sustained_low_latency = 3, no_gc_region = 4 };
enum class SetLatencyStatus : i32 { ok = 0, no_gc_in_progress = 1 };
enum class LohCompaction : i32 { normal = 1, once = 2 };
enum class WaitFullGcStatus : i32 { success = 0, failed = 1, cancelled = 2, timeout = 3, not_applicable = 4 };
enum class StartNoGcStatus : i32 { success = 0, no_memory = 1, too_large = 2, in_progress = 3 };
enum class EndNoGcStatus : i32 { success = 0, not_in_progress = 1, induced = 2, alloc_exceeded = 3 };
enum class NoGcCallbackStatus : i32 { succeeded = 0, not_started = 1, insufficient_budget = 2, already_registered = 3 };
enum class RefreshLimitStatus : i32 { success = 0, hard_limit_too_low = 1, hard_limit_invalid = 2 };
enum class SurvivorWalk : i32 { gc = 1, bgc = 2, uoh = 3 };

// Work that the finalizer thread takes from GetExtraWorkForFinalization and runs in preemptive mode; the owner keeps the memory.
struct FinalizerWorkItem {
  FinalizerWorkItem* next;
  void (*callback)(FinalizerWorkItem*);
};
static_assert(sizeof(FinalizerWorkItem) == 0x10);
static_assert(offsetof(FinalizerWorkItem, next) == 0x0);
static_assert(offsetof(FinalizerWorkItem, callback) == 0x8);

// The runtime's item for GC.RegisterNoGCRegionCallback. Each accepted item must reach the work list once, since running it is
// what frees it: when the threshold is passed, or else, marked abandoned, when the region ends.
struct NoGCRegionCallbackFinalizerWorkItem {
  FinalizerWorkItem item;
  bool scheduled; // ours: on the work list
  bool abandoned; // ours: free only, do not tell the program
};
static_assert(sizeof(NoGCRegionCallbackFinalizerWorkItem) == 0x18);
static_assert(offsetof(NoGCRegionCallbackFinalizerWorkItem, item) == 0x0);
static_assert(offsetof(NoGCRegionCallbackFinalizerWorkItem, scheduled) == 0x10);
static_assert(offsetof(NoGCRegionCallbackFinalizerWorkItem, abandoned) == 0x11);

// ---- write barrier --------------------------------------------------------------------------------------------------------

enum class WriteBarrierOp : i32 { stomp_resize = 0, stomp_ephemeral = 1, initialize = 2, to_write_watch = 3, from_write_watch = 4 };

// How far an address is shifted to index a table, and what the barrier stores there. Tables are passed biased: the byte for
// address a is at table + (a >> shift), for every a in [lowest_address, highest_address).
inline constexpr u32 kCardByteShift = 11;
inline constexpr u32 kCardBundleByteShift = 21;
inline constexpr u8 kCardDirty = 0xFF;

struct WriteBarrierParameters {
  WriteBarrierOp operation;
  bool is_runtime_suspended;
  bool requires_upper_bounds_check; // stomp_resize only
  u32* card_table;                  // biased
  u32* card_bundle_table;           // biased; written whenever a card is
  u8* lowest_address;
  u8* highest_address;
  u8* ephemeral_low;
  u8* ephemeral_high;
  u8* write_watch_table;          // to_write_watch only
  u8* region_to_generation_table; // biased, one byte per region, read live by the barrier; 0 stands for young
  u8 region_shr;                  // 0: no region table; else log2 of the region size
  bool region_use_bitwise_write_barrier;
};
static_assert(sizeof(WriteBarrierParameters) == 0x50);
static_assert(offsetof(WriteBarrierParameters, operation) == 0x0);
static_assert(offsetof(WriteBarrierParameters, is_runtime_suspended) == 0x4);
static_assert(offsetof(WriteBarrierParameters, requires_upper_bounds_check) == 0x5);
static_assert(offsetof(WriteBarrierParameters, card_table) == 0x8);
static_assert(offsetof(WriteBarrierParameters, card_bundle_table) == 0x10);
static_assert(offsetof(WriteBarrierParameters, lowest_address) == 0x18);
static_assert(offsetof(WriteBarrierParameters, highest_address) == 0x20);
static_assert(offsetof(WriteBarrierParameters, ephemeral_low) == 0x28);
static_assert(offsetof(WriteBarrierParameters, ephemeral_high) == 0x30);
static_assert(offsetof(WriteBarrierParameters, write_watch_table) == 0x38);
static_assert(offsetof(WriteBarrierParameters, region_to_generation_table) == 0x40);
static_assert(offsetof(WriteBarrierParameters, region_shr) == 0x48);
static_assert(offsetof(WriteBarrierParameters, region_use_bitwise_write_barrier) == 0x49);

// ---- frozen segments ------------------------------------------------------------------------------------------------------

// Memory of the runtime with objects that are never collected. Everything after the base is an offset from it, in bytes.
struct segment_info {
  void* base;
  usize first_object; // address of its MethodTable word, so 8 and not 0
  usize allocated;
  usize committed;
  usize reserved;
};
static_assert(sizeof(segment_info) == 0x28);
static_assert(offsetof(segment_info, base) == 0x0);
static_assert(offsetof(segment_info, first_object) == 0x8);
static_assert(offsetof(segment_info, allocated) == 0x10);
static_assert(offsetof(segment_info, committed) == 0x18);
static_assert(offsetof(segment_info, reserved) == 0x20);

struct FrozenSegment; // ours to define: what RegisterFrozenSegment returns is opaque to the runtime
using segment_handle = FrozenSegment*;

// ---- events and tools -----------------------------------------------------------------------------------------------------

enum class EventLevel : i32 { none = 0, fatal = 1, error = 2, warning = 3, information = 4, verbose = 5, max = 6, always = 255 };

// A set; each call that carries one replaces the former set.
enum class EventKeyword : u32 {
  none = 0,
  gc = 0x1, // on the private provider too
  handle = 0x2,
  handle_private = 0x4000,
  heap_dump = 0x100000,
  sampled_allocation_high = 0x200000,
  survival_and_movement = 0x400000,
  managed_heap_collect = 0x800000,
  heap_and_type_names = 0x1000000,
  sampled_allocation_low = 0x2000000,
};

// Filled by us, whole, for the event in which the runtime describes itself. Sizes are bytes; zero stands for "not configured".
struct EtwGCSettingsInfo {
  usize heap_hard_limit;
  usize loh_threshold;
  usize physical_memory_from_config;
  usize gen0_min_budget_from_config;
  usize gen0_max_budget_from_config;
  u32 high_mem_percent_from_config;
  bool concurrent_gc;
  bool use_large_pages;
  bool use_frozen_segments;
  bool hard_limit_from_config; // false: there is none, or a container set it
  bool no_affinitize;
};
static_assert(sizeof(EtwGCSettingsInfo) == 0x38);
static_assert(offsetof(EtwGCSettingsInfo, heap_hard_limit) == 0x0);
static_assert(offsetof(EtwGCSettingsInfo, loh_threshold) == 0x8);
static_assert(offsetof(EtwGCSettingsInfo, physical_memory_from_config) == 0x10);
static_assert(offsetof(EtwGCSettingsInfo, gen0_min_budget_from_config) == 0x18);
static_assert(offsetof(EtwGCSettingsInfo, gen0_max_budget_from_config) == 0x20);
static_assert(offsetof(EtwGCSettingsInfo, high_mem_percent_from_config) == 0x28);
static_assert(offsetof(EtwGCSettingsInfo, concurrent_gc) == 0x2c);
static_assert(offsetof(EtwGCSettingsInfo, use_large_pages) == 0x2d);
static_assert(offsetof(EtwGCSettingsInfo, use_frozen_segments) == 0x2e);
static_assert(offsetof(EtwGCSettingsInfo, hard_limit_from_config) == 0x2f);
static_assert(offsetof(EtwGCSettingsInfo, no_affinitize) == 0x30);

enum class ConfigurationType : i32 { int64 = 0, string_utf8 = 1, boolean = 2 };

// Where a debugger finds the globals of the runtime's own collector, in that collector's private layouts. The version arrives as
// the GC interface that the runtime knows (5, 5), which says how far the struct goes; that collector replaces it with the version
// of its layouts (2, 4). A null pointer among them ends createdump with a fault. Each void* points to a global of that name.
struct GcDacVars {
  u8 major_version_number;
  u8 minor_version_number;
  usize generation_size;
  usize total_generation_count;
  void* build_variant;
  void* built_with_svr;
  void* gc_global_mechanisms;
  void* generation_table;
  void* max_gen;
  void* mark_array;
  void* current_c_gc_state;
  void* ephemeral_heap_segment;
  void* saved_sweep_ephemeral_seg;
  void* saved_sweep_ephemeral_start;
  void* background_saved_lowest_address;
  void* background_saved_highest_address;
  void* alloc_allocated;
  void* next_sweep_obj;
  void* oom_info;
  void* finalize_queue;
  void* internal_root_array;
  void* internal_root_array_index;
  void* heap_analyze_success;
  void* n_heaps;
  void* g_heaps;
  void* gc_structures_invalid_cnt;
  void* interesting_data_per_heap;
  void* compact_reasons_per_heap;
  void* expand_mechanisms_per_heap;
  void* interesting_mechanism_bits_per_heap;
  void* handle_table_map;
  void* gc_heap_field_offsets;
  void* generation_field_offsets;
  void* bookkeeping_start;
  void* global_regions_to_decommit;
  void* global_free_huge_regions;
  void* free_regions;
  void* freeable_soh_segment; // from 5.2
  void* freeable_uoh_segment;
  int total_bookkeeping_elements; // values, not addresses, down to card_table_info_size
  int count_free_region_kinds;
  usize card_table_info_size;
  void* dynamic_adaptation_mode; // from 5.4; the last one in .NET 10
};
static_assert(sizeof(GcDacVars) == 0x148);
static_assert(offsetof(GcDacVars, minor_version_number) == 0x1);
static_assert(offsetof(GcDacVars, generation_size) == 0x8);
static_assert(offsetof(GcDacVars, total_generation_count) == 0x10);
static_assert(offsetof(GcDacVars, build_variant) == 0x18);
static_assert(offsetof(GcDacVars, max_gen) == 0x38);
static_assert(offsetof(GcDacVars, n_heaps) == 0xb0);
static_assert(offsetof(GcDacVars, free_regions) == 0x118);
static_assert(offsetof(GcDacVars, total_bookkeeping_elements) == 0x130);
static_assert(offsetof(GcDacVars, card_table_info_size) == 0x138);
static_assert(offsetof(GcDacVars, dynamic_adaptation_mode) == 0x140);

struct MarkCrossReferencesArgs; // opaque: the bridge to another collector's heap is never built on linux
struct StressLogMsg;            // opaque: checked builds only

// ---- callbacks ------------------------------------------------------------------------------------------------------------

// Ours: the runtime calls them inside a call of ours, on the same thread, while the world stands, unless a line says otherwise.
using PromoteFn = void (*)(Object** slot, ScanContext* scan, u32 call_flags);
using EnumAllocContextFn = void (*)(gc_alloc_context* context, void* data);
using HandleScanFn = void (*)(Object** slot, word* extra, word data1, word data2); // also the runtime's, in TraceRefCountedHandles
using AsyncPinFn = void (*)(Object* from, Object* to, void* data);
using ReportBoundsFn = void (*)();
using ThreadEntryFn = void (*)(void* arg); // on the new thread

// The runtime's: we call them. A walk ends when a walk function answers false.
using WalkFn = bool (*)(Object* object, void* data);
using WalkSlotFn = bool (*)(Object* object, u8** slot, void* data);
using GenerationWalkFn = void (*)(void* data, int generation, u8* start, u8* allocated, u8* reserved);
using SurvivorFn = void (*)(u8* start, u8* end, i64 moved_by, void* data, bool compacting, bool background); // one run of survivors
using FinalizerWalkFn = void (*)(bool critical, void* object);
using FinalizerScanFn = void (*)(Object** slot, ScanContext* scan, u32 call_flags);
using HandleRootFn = void (*)(Object** slot, Object* secondary, u32 root_flags, ScanContext* scan, bool dependent);
using ConfigurationFn = void (*)(void* data, const char* name, const char* public_key, ConfigurationType type, i64 value);

} // namespace garner::clr
