// DotNet: the Host of an unmodified .NET 10 program (seam/host.h), and what the door's calls are answered from.
//
// One per process, in static storage, never destroyed: threads may still run when the process exits.
// Modes: the runtime's threads are cooperative (stopped by us) or preemptive (never stopped, must not touch objects). Whoever waits here
// does so in preemptive mode, but for short locks that no stopped thread holds. A collection runs on the thread that needed it: enter() goes preemptive and takes the collection
// lock, stop() suspends the others and comes back cooperative.
// Split: world.cc stop and resume; events.cc what tools are told; roots.cc stacks; alloc.cc buffers and large objects; settings.cc configuration; api.cc System.GC;
// background.cc marking beside the program; idle.cc memory of a program at rest; no_gc.cc regions without collections and notifications; walks.cc tools; recording.cc the heap as a file; handles.cc handle manager; frozen.cc memory that is not ours.
#pragma once
#include "base/portions.h"
#include "cycle/cycle.h"
#include "heap/finalizers.h"
#include "heap/handles.h"
#include "host/dotnet/clr.h"
#include "host/dotnet/frozen.h"
#include "host/dotnet/mutex.h"
#include "host/dotnet/objects.h"
#include "host/dotnet/recording.h"
#include "machine/linux/linux.h"
#include "observe/live.h"
#include "observe/log.h"

namespace garner::dotnet {

class DotNet;
struct Bounded; // known_settings.h
struct CpuSet {
  u64 bits[16]; // processors 0 to 1023
  u32 count() const {
    u32 n = 0;
    for (u64 b : bits) n += set_bits(b);
    return n;
  }
};
using TheCycle = Cycle<DotNet, Linux>;

// What the stock settings ask for, in bytes and counts; 0 is "not set".
struct StockSettings {
  u64 hard_limit = 0;
  bool limit_from_config = false, limit_by_heap = false;
  bool contained = false;      // a container has a limit, whether the heap's comes from it or not
  u64 total_memory = 0;        // that percentages refer to
  u64 swap = 0;                // of the machine
  u64 gen0_size = 0, gen0_max = 0;
  u64 loh_threshold = clr::kLargeObjectBytes;
  u64 given_memory = 0;        // instead of the machine's; 0: none is given
  u32 heap_count = 0, high_memory_percent = 90, given_high_percent = 0, conserve = 0;
  bool server = false, concurrent = true, beside = false, retain = false, large_pages = false, no_affinitize = false, conservative = false, numa_aware = true;
};

class DotNet {
 public:
  explicit DotNet(clr::IGCToCLR* runtime) : ee(runtime) {}

  // -- start (settings.cc) --
  clr::Hresult initialize();

  // -- Objects --
  static constexpr bool needs_gathered = true;
  GARNER_INLINE usize size(Ref ref) const { return size_of(ref); }
  GARNER_INLINE bool leaf(Ref ref) const { return (type_of(ref)->flags & (clr::kTypeHasReferences | clr::kTypeCollectible)) == 0; }
  bool divides(Ref ref) const { return dotnet::divides(ref); }
  template <class F> GARNER_INLINE void each_slot(Ref ref, const F& fn) const { dotnet::each_slot(ref, fn); }
  template <class F> GARNER_INLINE void each_slot_in(Ref ref, word low, word high, const F& fn) const { dotnet::each_slot_in(ref, low, high, fn); }
  GARNER_INLINE Ref hidden_edge(Ref ref) const {
    if (GARNER_LIKELY(!type_of(ref)->collectible())) return {0};
    return {word(ee->GetLoaderAllocatorObjectForGC(reinterpret_cast<clr::Object*>(ref.at)))};
  }
  void fill(word at, usize bytes) const {
    while (bytes != 0) {
      usize piece = min_of(bytes, usize(2) * GiB); // a filler's length has 32 bits
      if (bytes - piece != 0 && bytes - piece < kMinObjectBytes) piece -= kMinObjectBytes;
      store_word(at, 0);
      store_word(at + 8, word(free_type_));
      store_word(at + 16, piece - kMinObjectBytes);
      at += piece;
      bytes -= piece;
    }
  }
  bool filler(Ref ref) const { return type_of(ref) == free_type_; }
  bool plausible(Ref ref) const {
    const clr::MethodTable* type = type_of(ref);
    return word(type) >= kPageBytes && is_aligned(word(type), kWordBytes) && (load_word(ref.at) & clr::kMethodTableBits) == 0 && type->base_bytes >= 22;
  }

  // -- Roots (roots.cc) --
  template <class Self, class Sink> void gather(Self& self, Sink& sink, Kind kind) {
    scan_threads(self.index, kind, &sink, [](void* to, Slot slot, word value, RootKind how) { static_cast<Sink*>(to)->root(slot, value, how); });
    if (pinned_claimed_.exchange_acq_rel(1) == 0) { // whoever comes first: pinned handles
      for (HandleKind pins : {HandleKind::pinned, HandleKind::async_pinned})
        for (u32 i = 0; i < handle_table.chunks(pins); i++) pinned_chunk(*handle_table.chunk(pins, i), kind, sink);
    }
  }
  bool claims(clr::gc_alloc_context* context, u32 worker); // IsThreadUsingAllocationContextHeap

  // -- Weak --
  HandleTable& handles() { return handle_table; }
  FinalizeQueue& finalizers() { return finalize_queue; }
  bool counted_alive(Ref ref) { return ee->RefCountedHandleCallbacks(object(ref)); }
  bool drop_eagerly(Ref ref) { return ee->EagerFinalized(object(ref)); }
  bool take_suppressed(Ref ref);
  bool critical(Ref ref) { return type_of(ref)->has_critical_finalizer(); }

  // -- World (world.cc) --
  void enter();
  void leave();
  void stop(Cause cause);
  void begin(Kind kind, Cause cause, u64 number);
  void before_roots(Kind kind);
  void after_strong(Kind kind);
  void after_walk() { gathering_ = false; }
  template <class F> void side_tables(F resolve) {
    struct Bridge {
      F& resolve;
      static void visit(clr::Object** slot, word*, word, word data) {
        Ref now = reinterpret_cast<Bridge*>(data)->resolve(Ref{word(*slot)});
        *slot = reinterpret_cast<clr::Object*>(now.at);
      }
    } bridge{resolve};
    clr::ScanContext scan;
    scan.promotion = true;
    ee->SyncBlockCacheWeakPtrScan(&Bridge::visit, word(&scan), word(&bridge));
  }
  void watch_writes(bool on);
  void finish(Kind kind, Cause cause, u64 number);
  void resume();
  void release();

  // -- allocation (alloc.cc) --
  clr::Object* next_finalizable(); // null: none is ready. By the thread that runs finalizers
  clr::Object* allocate(clr::gc_alloc_context* context, usize bytes, u32 flags);
  bool add_finalizable(clr::Object* object, Reach reach); // false: as below. No collection comes meanwhile
  void close_context(clr::gc_alloc_context* context, bool thread_dies);
  void close_contexts(); // of all threads, while the world stands
  u64 total_allocated() const; // any-thread; where others allocate meanwhile, of some moment for each processor

  // -- marking beside the program (background.cc) --
  bool begins_beside() const;  // may an old collection begin beside the program now? Any-thread
  clr::Hresult collect_beside();
  bool records() const { return recording.on(); } // heaps may be recorded, which is done at the begin of any collection
  void marking_rests();        // by the marking thread, between slices, when only a collection can go on: sees to it that one comes
  clr::Hresult wait_marking(int timeout_ms); // until none is under way; -1 is for ever
  void hold_concurrent(bool held) { concurrent_held_.store_relaxed(held ? 1 : 0); } // the runtime, for a profiler
  int set_latency(int mode);
  int collections_of(int generation, bool beside_only) const;

  // -- a program at rest (idle.cc) --
  void ensure_idle_watch();

  // -- System.GC (api.cc, no_gc.cc) --
  clr::Hresult collect(int generation, bool low_memory, int mode);
  void memory_info(u64* out[11], u32* generation, u32* pause_percent, bool* compacting, bool* concurrent, u64* generations, u64* pauses, int kind);
  CycleRecord last_full() const; // whether it stopped the program or marked beside it
  u64 bytes_in_use();
  u32 memory_load();
  bool memory_short(); // looks at most ten times a second
  // Percent of the time between the ends of the last two collections that the last one took. Any-thread.
  u32 last_share_percent() const { return last_share_.load_relaxed(); }
  unsigned generation_of(Ref ref) const;
  int start_no_gc(u64 total, bool large_known, u64 large, bool disallow_full);
  clr::StartNoGcStatus possible_no_gc(u64 total, bool large_known, u64 large);
  int try_no_gc(u64 total, bool large_known, u64 large, bool disallow_full);
  int end_no_gc();
  clr::NoGcCallbackStatus register_no_gc_callback(clr::NoGCRegionCallbackFinalizerWorkItem* item, u64 threshold);
  clr::FinalizerWorkItem* take_work();
  u32 no_gc_region() const { // its number; 0: there is none
    const u32 now = no_gc_.load_acquire(); // with the release in try_no_gc: what was promised
    return (now & kNoGcBits) == u32(NoGc::active) ? now >> kNoGcShift : 0;
  }
  bool no_gc_active() const { return no_gc_region() != 0; }
  bool no_gc_near() const { return no_gc_starting_.load_acquire() != 0 || no_gc_active(); } // a start is seen until its region is: acquire, with the releases in start_no_gc
  bool register_full_notification(u32 old_percent, u32 large_percent);
  bool cancel_full_notification();
  int wait_full(bool complete, int timeout_ms);
  int refresh_limit();
  void configuration_values(void* data, clr::ConfigurationFn visit);

  // -- walks (walks.cc): the world stands --
  void walk_heap(clr::WalkFn visit, void* data, int generation, bool with_large);
  void describe_generations(clr::GenerationWalkFn visit, void* data);
  unsigned generation_with_range(Ref ref, u8** start, u8** allocated, u8** reserved);
  void trace_segments();

  static clr::Object* object(Ref ref) { return reinterpret_cast<clr::Object*>(ref.at); }
  Heap<Linux>& heap() { return cycle->heap(); }
  u64 now_ms() const { return machine.now() / 1'000'000; }

  clr::IGCToCLR* ee;
  Linux machine;
  TheCycle* cycle = nullptr;
  HandleTable handle_table;
  HandleOwner global_owner;
  FinalizeQueue finalize_queue;
  Mutex growing_; // of finalize_queue; waited for in cooperative mode, as its caller has an object by its address: who holds it runs our code only, which nobody suspends
  FrozenSegments frozen;
  Settings settings;
  StockSettings stock;
  MemoryFacts facts_{}; // as read_stock knew them last
  Log log;
  Live live;
  Recording recording;
  Atomic<i32> latency_mode{1};
  Atomic<u64> load_ns_{0}; // when memory_load() has looked, and what it found; relaxed, each by itself
  Atomic<u32> load_{0};
  u64 looked_ns = 0; // memory_short's, of a container: by whoever collects
  bool was_short = false;
  i32 loh_compaction = 1;
  // Event masks: relaxed, set by the runtime at any time.
  Atomic<u32> event_keywords{0}, event_level{0}, private_keywords{0}, private_level{0};
  bool wants(clr::EventKeyword keyword, clr::EventLevel level) const {
    return (event_keywords.load_relaxed() & u32(keyword)) != 0 && event_level.load_relaxed() >= u32(level);
  }
  // The runtime's suspension state, set from inside SuspendEE and RestartEE.
  Atomic<u32> in_progress{0};
  Atomic<u32> gc_done{1};      // futex: 0 while a suspension lasts; waiters in WaitUntilGCComplete
  bool wakes_later = false;    // from resume() to its SetWaitForGCEvent, by one thread and with the runtime's threads locked: release() wakes those waiters

  bool initialized() const { return cycle != nullptr; }

 private:
  using ReportFn = void (*)(void* to, Slot slot, word value, RootKind how);
  void scan_threads(u32 worker, Kind kind, void* to, ReportFn report);
  template <class Sink> void pinned_chunk(HandleChunk& chunk, Kind kind, Sink& sink) {
    if (chunk.youngest.load_relaxed() > u32(kind)) return;
    u32 youngest = 3;
    chunk.each([&](word* slot) {
      Ref ref{__atomic_load_n(slot, __ATOMIC_RELAXED)};
      if (ref.at == 0 || !heap().contains(ref.at)) return;
      youngest = min_of(youngest, generation_of_label(heap().label_of(ref)));
      sink.root(Slot{0}, ref.at, RootKind::pinned);
    });
    if (kind != Kind::full) chunk.youngest.store_relaxed(u8(youngest)); // a full collection makes it anew when labels are final
  }

  bool read_settings();
  bool wants_beside(bool gc_concurrent) const;
  StockSettings read_stock();
  void note_unsupported();
  HeapConfig heap_config();
  PaceConfig pace_config(u64 limit);
  void eden_config(PaceConfig& pace);
  bool read_affinity();
  u32 worker_count();
  static bool spawn_worker(void (*entry)(void*), void* arg, void* self);
  i64 number(const char* private_key, const char* public_key, i64 otherwise);
  u64 bounded(const Bounded& setting); // 0: not set, or outside of its bounds
  bool flag(const char* private_key, const char* public_key, bool otherwise);
  clr::Hresult refuse(const char* sentence);
  clr::Object* allocate_small(clr::gc_alloc_context* context, usize bytes, u32 flags);
  clr::Object* allocate_large(clr::gc_alloc_context* context, usize bytes, u32 flags);
  Range take_eden(usize least, usize want);
  usize most_small() { return heap().region_bytes() / 8 * 7; } // larger objects get regions of their own
  void account(clr::gc_alloc_context* context, usize bytes, u32 heap, clr::Object* object, usize object_bytes, u64 unused = 0);
  void count_allocated(u64 bytes);
  u64 close_buffer(clr::gc_alloc_context* context, bool thread_dies);
  Range take_from_batch(word& next, usize least);
  clr::Object* from_buffer(clr::gc_alloc_context* context, usize bytes);
  word take_run(usize bytes, bool zero, bool pinned, Reach reach);
  clr::Object* place_last(clr::gc_alloc_context* context, usize bytes, bool pinned);
  clr::Object* grown_old(clr::gc_alloc_context* context, word block, usize bytes, bool pinned, bool told);
  bool leaves_reserve(usize bytes, u32 share);
  u64 kept_from(u32 share); // bytes of the limit that an object leaves to others
  bool large_due(usize bytes);
  bool marked_beside(u64 seen, usize bytes); // seen: before the look for a region without collections
  bool beyond_memory(usize bytes);
  static constexpr usize kThrowingBytes = 128 * KiB, kWaitingBytes = 8 * KiB;
  static constexpr word kLent = 1;
  clr::Object* out_of_memory(clr::gc_alloc_context* context, usize bytes);
  static word part(const clr::gc_alloc_context* context);
  static void set_part(clr::gc_alloc_context* context, usize bytes);
  static void give_up_part(clr::gc_alloc_context* context);
  clr::Object* from_reserve(clr::gc_alloc_context* context, usize bytes);
  bool relieve(u32 attempt, Cause cause, u64 seen, usize bytes, clr::gc_alloc_context* context);
  clr::Object* allocate_finalizable(clr::gc_alloc_context* context, usize bytes, u32 flags);
  bool make_places(Reach reach); // growing_ held
  bool grow_finalizers(FinalizeQueue::Growth growth, Reach reach); // false: the limit has no room, or the system no memory
  bool finalizers_give(usize bytes, clr::gc_alloc_context* context);
  void maybe_stress();
  clr::GcReason reason(Cause cause) const;
  // What the end of a collection is told from, as long as cycle->current() is that collection. Taken while the world stands.
  struct Ended {
    u64 number;
    Kind kind;
    clr::GcReason reason;
    bool asked, beside; // beside: of a marking beside the program
    u64 survived[5], finalizing, ready;
    u32 times[clr::kGcTimes];
  };
  void fire_triggered(Cause cause);
  void fire_start(Kind kind, Cause cause, u64 number);
  Ended ended(Kind kind, clr::GcReason reason, bool asked, bool beside, u64 number);
  void fire_end(const Ended& end);
  void fire_statistics(const Ended& end);
  void fire_histories(const Ended& end);
  void notify_full(Kind kind);
  void note_approach(u64 coming = 0);
  void announce_full();
  void record_heap(Kind kind, Cause cause, u64 index);
  void bound_deques();
  void hold_back();
  static void make_way(void* self, usize bytes, bool begins); // HandleTable::Grows
  bool made_way_ = false;                                      // by the one that is going on
  bool schedule_callback(bool abandoned);
  void reach_callback(); // of the region, if so much has been allocated
  enum class NoGc : u8 { none, active, induced, exceeded }; // what became of the last region
  void end_region(u32 region, NoGc how);
  void look_again();
  void watch_idleness();
  bool collect_at_rest(u64 count); // whether it has
  Request request_at_rest();
  u64 finalizers_ended();
  bool resting_held() const; // nothing is collected now that need not be

  clr::MethodTable* free_type_ = nullptr;
  CpuSet worker_processors_{};     // empty: anywhere
  u32 workers_ = 1;                // that may take part in a collection
  u64 stop_began_ns_ = 0, resumed_ns_ = 0; // of the last collection; both are written by who holds the collection lock
  Atomic<u32> last_share_{0};      // relaxed: a number to be shown
  Mutex collection_lock_;
  bool was_cooperative_ = false;   // of the thread that holds the lock
  Kind told_ = Kind::young1; // with which the start of the collection was told; it may be another at its end
  u64 begun_ns_ = 0, roots_ns_ = 0, marked_ns_ = 0; // when the collection began, first asked for roots, last had followed all strong references
  u64 scan_epoch_ = 0;             // raised before every gathering; contexts are claimed for it
  bool gathering_ = false;
  Atomic<u32> pinned_claimed_{0};
  // Marking beside the program.
  Atomic<u32> concurrent_held_{0}; // relaxed: the next collection goes by it
  Atomic<u32> ends_{0};            // futex: collections that ended; fetch_add_acq_rel by release and look_again, load_acquire by who waits for a marking's end, and by its thread, which waits for any
  Atomic<u32> beside_counts_[3];   // relaxed, of events: collections while a marking lasted, by generation; of generation 2 the markings
  clr::GcReason beside_reason_ = clr::GcReason::empty; // why the last marking began
  bool beside_asked_ = false, ends_beside_ = false, tells_beside_ = false; // it was induced; this collection was to end it; the end is to be told when the program runs
  Ended beside_ended_{};
  Atomic<u32> idle_watch_{0};      // exchange_acq_rel by who makes the thread
  Atomic<u32> finalizing_{0};      // relaxed, pairs with nothing: the thread that runs finalizers; 0 before the first
  u64 ended_before_full_ = 0;      // finalizers that had ended when the last full collection began; written with the world stopped
  Atomic<u32> idle_sleeps_{0};     // futex: 1 while the thread waits for a collection; exchange_acq_rel by it and by release, so that one of them sees the other
  static constexpr u32 kCounters = 16;
  struct alignas(kLineBytes) Counter {
    Atomic<u64> bytes{0};
  };
  Counter total_allocated_[kCounters]; // relaxed, by processor: bytes handed out minus what was handed back; only the sum, modulo 2^64, tells
  static constexpr u64 kTickBytes = 100 * 1000; // how often an allocation tick is due
  Portions<kTickBytes> ticks_[3];  // of bytes, per heap kind
  Atomic<u32> refills_{0};         // for stress
  // Regions without collections.
  static constexpr u32 kNoGcShift = 2, kNoGcBits = 3;
  Atomic<u32> no_gc_{0}; // the last region's number << kNoGcShift | NoGc. Store_release by who starts one; compare-and-swap (acq_rel) by who ends it, so that who comes late ends no later one
  Atomic<u32> no_gc_starting_{0}; // exchange_acq_rel by who starts, store_release when done
  u64 no_gc_total_ = 0, no_gc_most_ = 0, no_gc_start_allocated_ = 0; // most: that may be allocated before large objects end the region, which small ones do as eden's size
  Atomic<u64> no_gc_callback_at_; // relaxed, a number: written under work_lock_, a callback that is found late or gone is looked up under it
  clr::NoGCRegionCallbackFinalizerWorkItem* no_gc_callback_ = nullptr;
  SpinLock work_lock_;
  clr::FinalizerWorkItem* work_ = nullptr;
  // Notifications of full collections: 0 off; futexes are bumped when the thing happens.
  Atomic<u32> notify_percent_{0}, approach_{0}, complete_{0}, cancel_{0};
  Atomic<u32> approached_{0}, completed_{0}; // what those who ask later are told; relaxed: stored before the futex of the same thing is bumped
};

extern DotNet* the_host; // set by GC_Initialize

} // namespace garner::dotnet
