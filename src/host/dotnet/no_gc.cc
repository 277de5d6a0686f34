// Regions without collections, their callbacks, and notifications of full collections.
//
// A region is a promise: so many bytes can be allocated before the next collection. It is kept by an eden of that size, and a quarter more for what the ends of buffers lose,
// and by memory that was free when the region began. With a limit the ends of heap regions may use that up too soon (of objects of 65 KB a quarter); without one there is more. It ends when the program says so, when it allocates more, or when it asks for a collection.
#include "host/dotnet/host.h"

namespace garner::dotnet {
namespace {

constexpr u32 kStarts = 8; // of one region, where threads that end the one before come between: each can do so once

} // namespace

// Of all that can be had at best.
clr::StartNoGcStatus DotNet::possible_no_gc(u64 total, bool large_known, u64 large) {
  const u64 limit = heap().budget().limit(), most = limit != 0 ? limit : min_of<u64>(heap().reserved() / 2, stock.total_memory);
  if (large_known && large > total) return clr::StartNoGcStatus::too_large;
  return total > most ? clr::StartNoGcStatus::no_memory : clr::StartNoGcStatus::success; // false, as on stock, which has no segments either that it could be too large for
}

int DotNet::start_no_gc(u64 total, bool large_known, u64 large, bool disallow_full) {
  // Before it counts as begun: who ends another region leaves eden's floor to one that begins.
  if (const clr::StartNoGcStatus possible = possible_no_gc(total, large_known, large); possible != clr::StartNoGcStatus::success && !no_gc_active()) return int(possible);
  // One start at a time: a second one sees the first in progress, as if it had succeeded already. Pairs with the releases below.
  if (no_gc_active() || no_gc_starting_.exchange_acq_rel(1) != 0) return int(clr::StartNoGcStatus::in_progress);
  int status = no_gc_active() ? int(clr::StartNoGcStatus::in_progress) : try_no_gc(total, large_known, large, disallow_full);
  no_gc_starting_.store_release(0);
  look_again();
  return status;
}

int DotNet::try_no_gc(u64 total, bool large_known, u64 large, bool disallow_full) {
  u64 small = large_known ? total - large : total;
  u64 needed = total + total / 16 + 4 * heap().region_bytes();
  auto enough = [&] { return heap().budget().room() + heap().free_charged() >= needed; };
  const u64 floor = small + small / 4 + 64 * settings.bytes(Opt::tlab);
  auto made = [&](Kind kind) {
    Request request;
    request.cause = Cause::no_gc_region;
    request.kind = kind;
    request.may_widen = false;
    u32 tries = 0;
    do {
      cycle->pace().set_eden_floor(floor);
      cycle->collect(request);
    } while (cycle->pace().eden_floor() != floor && ++tries < kStarts); // a thread that ends the region before may be late, and take this floor for that one's
    return cycle->pace().eden_floor() == floor && enough();
  };
  bool begun = (disallow_full || enough()) && made(Kind::young1); // all that lives is looked at only for memory that there is not
  if (!begun && !disallow_full) begun = made(Kind::full);
  if (!begun) {
    cycle->end_eden_floor();
    return int(clr::StartNoGcStatus::no_memory);
  }
  cycle->spaces().eden.set_limit(cycle->spaces().eden.used() + floor);
  no_gc_total_ = total;
  no_gc_most_ = total + (floor - small); // open buffers count as allocated
  no_gc_start_allocated_ = total_allocated();
  const u32 next = (no_gc_.load_relaxed() >> kNoGcShift) + 1; // only who starts one counts
  no_gc_.store_release(max_of(next << kNoGcShift, 1u << kNoGcShift) | u32(NoGc::active)); // with what stands above
  return int(clr::StartNoGcStatus::success);
}

// The region's callback, if one is registered, is next for the finalizer thread. False: there is none, or not yet. Called with work_lock_ held.
bool DotNet::schedule_callback(bool abandoned) {
  clr::NoGCRegionCallbackFinalizerWorkItem* item = no_gc_callback_;
  if (item == nullptr || (!abandoned && total_allocated() < no_gc_callback_at_.load_relaxed())) return false; // a later region's
  no_gc_callback_ = nullptr;
  no_gc_callback_at_.store_relaxed(0);
  item->scheduled = true;
  item->abandoned = abandoned;
  item->item.next = work_;
  work_ = &item->item;
  return true;
}

void DotNet::reach_callback() {
  work_lock_.lock();
  const bool scheduled = schedule_callback(false);
  work_lock_.unlock();
  if (scheduled) ee->EnableFinalization(true);
}

// Who waits for a marking's end, as none ends while a region lasts (wait_marking), and who is held up by one (marking_rests). Any thread; waits for nobody.
void DotNet::look_again() {
  ends_.fetch_add_acq_rel(1);
  futex_wake_all(ends_);
}

// By the program, which asks for a collection or allocates more. Another may have been faster, and have begun one more.
void DotNet::end_region(u32 region, NoGc how) {
  u32 active = region << kNoGcShift | u32(NoGc::active);
  bool scheduled;
  {
    Locked<SpinLock> guard(work_lock_); // a later region's callback is registered behind this
    if (!no_gc_.cas_acq_rel(active, region << kNoGcShift | u32(how))) return;
    scheduled = schedule_callback(true);
  }
  cycle->pace().set_eden_floor(0);
  if (scheduled) ee->EnableFinalization(true);
  look_again();
}

int DotNet::end_no_gc() {
  u32 before = no_gc_.load_relaxed();
  bool scheduled;
  {
    Locked<SpinLock> guard(work_lock_); // as in end_region
    while (!no_gc_.cas_acq_rel(before, before & ~kNoGcBits)) {}
    scheduled = schedule_callback(true); // never reached: it still has to run once
  }
  // Also of one that has ended by itself: of large objects alone no collection has come since. Another may have begun meanwhile, whose floor it is then: one of the two is seen (no_gc_near).
  auto still = [](void* self) { return !static_cast<DotNet*>(self)->no_gc_near(); };
  if ((before & kNoGcBits) != u32(NoGc::none)) cycle->end_eden_floor(still, this);
  if (scheduled) ee->EnableFinalization(true);
  look_again();
  constexpr clr::EndNoGcStatus kTold[] = {clr::EndNoGcStatus::not_in_progress, clr::EndNoGcStatus::success, clr::EndNoGcStatus::induced, clr::EndNoGcStatus::alloc_exceeded}; // by NoGc
  return int(kTold[before & kNoGcBits]);
}

clr::NoGcCallbackStatus DotNet::register_no_gc_callback(clr::NoGCRegionCallbackFinalizerWorkItem* item, u64 threshold) {
  Locked<SpinLock> guard(work_lock_); // whoever ends the region looks for a callback under it, after the region has ended
  if (!no_gc_active()) return clr::NoGcCallbackStatus::not_started;
  if (threshold > no_gc_total_) return clr::NoGcCallbackStatus::insufficient_budget;
  if (no_gc_callback_ != nullptr) return clr::NoGcCallbackStatus::already_registered;
  item->scheduled = item->abandoned = false;
  no_gc_callback_ = item;
  no_gc_callback_at_.store_relaxed(no_gc_start_allocated_ + max_of<u64>(threshold, 1));
  return clr::NoGcCallbackStatus::succeeded;
}

clr::FinalizerWorkItem* DotNet::take_work() {
  Locked<SpinLock> guard(work_lock_);
  clr::FinalizerWorkItem* list = work_;
  work_ = nullptr;
  return list;
}

// ---- notifications of full collections ----

bool DotNet::register_full_notification(u32 old_percent, u32) {
  if (old_percent == 0 || old_percent > 99) return false;
  approached_.store_relaxed(0);
  completed_.store_relaxed(0);
  notify_percent_.store_relaxed(old_percent);
  return true;
}

bool DotNet::cancel_full_notification() {
  notify_percent_.store_relaxed(0);
  cancel_.fetch_add_acq_rel(1); // these three pair with the loads in wait_full
  approach_.fetch_add_acq_rel(1);
  complete_.fetch_add_acq_rel(1);
  futex_wake_all(approach_);
  futex_wake_all(complete_);
  return true;
}

// Called with the world stopped, after every collection: near a full one, and after one that was announced; one that the program asks for is not. Whoever asks for the completion late
// still learns of it, until another approaches.
void DotNet::notify_full(Kind kind) {
  u32 percent = notify_percent_.load_relaxed();
  if (percent == 0) return;
  if (kind == Kind::full) {
    if (approached_.load_relaxed() == 0) return;
    approached_.store_relaxed(0);
    completed_.store_relaxed(1);
    complete_.fetch_add_acq_rel(1);
    futex_wake_all(complete_);
  } else {
    note_approach(cycle->pace().expected_growth());
  }
}

// Old space, with what will soon be in it, is so near its threshold that whoever waits for the approach of a full collection is told. Any thread.
void DotNet::note_approach(u64 coming) {
  u32 percent = notify_percent_.load_relaxed();
  if (percent != 0 && cycle->old_bytes() + coming >= cycle->pace().old_threshold() / 100 * (100 - percent)) announce_full();
}

// Also at the beginning of one that could not be foreseen.
void DotNet::announce_full() {
  if (notify_percent_.load_relaxed() == 0 || approached_.load_relaxed() != 0) return;
  completed_.store_relaxed(0);
  approached_.store_relaxed(1);
  approach_.fetch_add_acq_rel(1);
  futex_wake_all(approach_);
}

int DotNet::wait_full(bool complete, int timeout_ms) {
  Atomic<u32>& word = complete ? complete_ : approach_;
  // First: who cancels clears the percentage before it changes these two, so whoever reads them changed finds it cleared, and who finds it set sees them change.
  const u32 cancelled = cancel_.load_acquire(), before = word.load_acquire();
  if (notify_percent_.load_relaxed() == 0) return int(clr::WaitFullGcStatus::not_applicable);
  if ((complete ? completed_ : approached_).load_relaxed() != 0) return int(clr::WaitFullGcStatus::success);
  bool cooperative = ee->EnablePreemptiveGC();
  const u64 deadline = timeout_ms < 0 ? ~u64(0) : machine.now() + u64(timeout_ms) * 1'000'000;
  while (word.load_acquire() == before && machine.now() < deadline) futex_wait_until(word, before, deadline); // pairs with the bumps above
  if (cooperative) ee->DisablePreemptiveGC();
  if (cancel_.load_acquire() != cancelled) return int(clr::WaitFullGcStatus::cancelled);
  return int(word.load_acquire() != before ? clr::WaitFullGcStatus::success : clr::WaitFullGcStatus::timeout);
}

} // namespace garner::dotnet
