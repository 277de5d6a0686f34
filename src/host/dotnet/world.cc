// Stopping and resuming a .NET program, and the calls that the runtime expects between, in the order of its own collector:
// SuspendEE, contexts closed, DiagGCStart, GcStartWork, start event, UpdateGCEventStatus, BeforeGcScanRoots, (roots),
// AfterGcScanRoots, (weak things, side tables), PromotionsGranted or Demote, GcDone, DiagGCEnd, end event, RestartEE, EnableFinalization.
// A marking beside the program is told to have ended after the RestartEE of its last pause.
#include "host/dotnet/host.h"

namespace garner::dotnet {
namespace {

// By the program, through a call.
bool asked_for(Cause cause) { return cause == Cause::induced || cause == Cause::low_memory || cause == Cause::no_gc_region; }

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
  ensure_idle_watch();
  ee->EnableFinalization(found); // always: the runtime adds work of its own
  if (cooperative) ee->DisablePreemptiveGC();
}

void DotNet::stop(Cause cause) {
  if (!cycle->marks_beside()) fire_triggered(cause); // else when it is known whether this collection begins anything
  stop_began_ns_ = machine.now();
  ee->SuspendEE(cause == Cause::marked ? clr::SuspendReason::gc_prep : clr::SuspendReason::gc);
  if (was_cooperative_) ee->DisablePreemptiveGC(); // does not wait: this thread stopped the world
  cycle->pace().set_patient(latency_mode.load_relaxed() == i32(clr::LatencyMode::sustained_low_latency));
}

void DotNet::begin(Kind kind, Cause cause, u64 number) {
  close_contexts();
  finalize_queue.compact();
  if (kind == Kind::full) ended_before_full_ = finalize_queue.progress().ended;
  int generation = int(kind);
  ee->DiagGCStart(generation, cause == Cause::induced || cause == Cause::no_gc_region);
  ee->GcStartWork(generation, clr::kMaxGeneration);
  // One that was asked for before a region without collections began comes inside it: the promise is over.
  if (const u32 region = no_gc_region(); region != 0) end_region(region, asked_for(cause) ? NoGc::induced : NoGc::exceeded);
  begun_ns_ = machine.now();
  roots_ns_ = marked_ns_ = 0;
  ends_beside_ = cycle->ended_marking();
  if (cycle->begins_marking()) {
    beside_reason_ = reason(cause);
    beside_asked_ = cause == Cause::induced;
  }
  if (kind == Kind::full && !asked_for(cause)) announce_full();
  fire_start(kind, cause, number);
  ee->UpdateGCEventStatus(int(event_level.load_relaxed()), int(event_keywords.load_relaxed()), int(private_level.load_relaxed()),
                          int(private_keywords.load_relaxed()));
  if (!recording.on()) return;
  record_heap(kind, cause, cycle->count() + 1); // its index in the log, where a marking beside the program is no collection of its own
  roots_ns_ = 0; // its walk is not the collection's
}

void DotNet::before_roots(Kind kind) {
  ee->BeforeGcScanRoots(int(kind), false, false);
  if (roots_ns_ == 0) roots_ns_ = machine.now(); // a full collection may follow a young one under the same stop
  scan_epoch_++;
  pinned_claimed_.store_relaxed(0);
  gathering_ = true;
}

void DotNet::after_strong(Kind kind) {
  gathering_ = false;
  marked_ns_ = machine.now();
  clr::ScanContext scan;
  scan.promotion = true;
  ee->AfterGcScanRoots(int(kind), clr::kMaxGeneration, &scan);
}

// The runtime's own barrier does it, in a second version that it switches to and from while all threads stand.
void DotNet::watch_writes(bool on) {
  clr::WriteBarrierParameters barrier{};
  barrier.operation = on ? clr::WriteBarrierOp::to_write_watch : clr::WriteBarrierOp::from_write_watch;
  barrier.is_runtime_suspended = true;
  barrier.write_watch_table = on ? heap().written().by_address() : nullptr;
  ee->StompWriteBarrier(&barrier);
}

void DotNet::finish(Kind kind, Cause cause, u64 number) {
  if (kind == Kind::full) ee->SyncBlockCacheDemote(clr::kMaxGeneration); // some objects are younger than the oldest
  else ee->SyncBlockCachePromotionsGranted(clr::kMaxGeneration);
  ee->GcDone(int(kind));
  ee->DiagGCEnd(number, int(kind), int(reason(cause)), false); // tools may walk the whole heap here
  const bool listens = wants(clr::EventKeyword::gc, clr::EventLevel::information);
  if (!ends_beside_ && listens) fire_end(ended(kind, reason(cause), cause == Cause::induced, false, number));
  if (ends_beside_ || cycle->gave_up_marking()) {
    beside_counts_[2].fetch_add_relaxed(1);
    tells_beside_ = listens;
    if (listens) beside_ended_ = ended(Kind::full, beside_reason_, beside_asked_, true, cycle->marking_number());
  } else if (cycle->marking_number() != 0 && !cycle->begins_marking()) {
    for (u32 g = 0; g <= u32(kind); g++) beside_counts_[g].fetch_add_relaxed(1);
  }
  notify_full(kind);
  if (kind == Kind::full && !ends_beside_) loh_compaction = i32(clr::LohCompaction::normal); // "compact once" is of the next that stops the program, and over
  recording.forget();
}

// Who sleeps until the program runs again is woken last: the system prefers a thread that has slept to the one that wakes it and has collected all the while. That one
// would be put aside inside RestartEE for the length of a time slice or two, with the runtime's list of threads locked, and stops would look that much longer.
void DotNet::resume() {
  wakes_later = true;
  ee->RestartEE(true);
  u64 now = machine.now(), before = resumed_ns_ != 0 ? resumed_ns_ : cycle->start_ns();
  last_share_.store_relaxed(u32(min_of<u64>(100, (now - stop_began_ns_) * 100 / max_of<u64>(now - before, 1))));
  resumed_ns_ = now;
}

void DotNet::release() {
  futex_wake_all(gc_done);
  if (was_cooperative_) ee->EnablePreemptiveGC();
  if (tells_beside_) fire_end(beside_ended_);
  tells_beside_ = false;
  if (idle_sleeps_.exchange_acq_rel(0) != 0) futex_wake_all(idle_sleeps_);
  if (!cycle->marks_beside()) return;
  ends_.fetch_add_acq_rel(1);
  futex_wake_all(ends_);
}

bool DotNet::take_suppressed(Ref ref) {
  u32* header = reinterpret_cast<u32*>(ref.at + clr::kHeaderAt);
  if ((__atomic_load_n(header, __ATOMIC_RELAXED) & clr::kHeaderFinalizerRun) == 0) return false;
  return (__atomic_fetch_and(header, ~clr::kHeaderFinalizerRun, __ATOMIC_RELAXED) & clr::kHeaderFinalizerRun) != 0; // registered twice: one of two workers takes it
}

} // namespace garner::dotnet
