// Marking beside the program, as .NET's users know it: background collections. Which ways of asking for an old collection begin one, who ends it, and who may wait for it.
//
// WHO ENDS IT. A young collection that comes anyway makes the last pause once the marking thread has nothing left to do, and later moves a portion of what is sparse. Where none comes within
// a moment the marking thread asks for it itself, as any other thread asks for a collection: enter, stop, ..., leave (seam/host.h). What moves late has to be looked for on all the pages that the
// program has written to meanwhile. It may ask, and can wait for nobody who waits for it:
//   - It is a thread that the runtime made for the collector (CreateThread, not suspendable): the runtime lets it stop the program, and never has to stop it. So whoever
//     holds the collection lock can stop the program while this thread waits for that lock, which it does outside the program.
//   - It asks between two slices of its work (marking.ipp live), so Turns::hold of somebody else's collection, or of its own, does not wait for it.
//   - It holds no other lock when it asks. Under the collection lock it is a conductor like any other: the gang's threads and the runtime's thread store do not know it otherwise.
//   - What it wants may be gone when it has the lock: a young collection was faster, or a full one gave the marking up. Then Cycle::collect returns at once (Cause::marked, Cause::moves).
// In a region without collections it asks for nothing and looks again when that has ended; nor, under GCLatencyMode.LowLatency, for what moves. A process that exits meanwhile ends it as it ends the gang's threads: anywhere.
#include "host/dotnet/host.h"

namespace garner::dotnet {
namespace {

// For so long a young collection may come by itself, which saves one. Nor longer for what moves: what the program writes meanwhile is read in that pause.
constexpr u64 kForNs = 20'000'000;
constexpr u64 kHeldNs = 1'000'000'000; // where it may not ask, between two looks
constexpr clr::Hresult kTimedOut = clr::Hresult(0x800705B4);

bool concurrent(clr::LatencyMode mode) { return mode == clr::LatencyMode::interactive || mode == clr::LatencyMode::sustained_low_latency; }

} // namespace

bool DotNet::begins_beside() const {
  return cycle->marks_beside() && concurrent(clr::LatencyMode(latency_mode.load_relaxed())) && concurrent_held_.load_relaxed() == 0;
}

// GC.Collect(2, …, blocking: false). A marking that is under way serves whoever asks for one.
clr::Hresult DotNet::collect_beside() {
  if (cycle->marking()) return clr::kOk;
  Request request;
  request.cause = Cause::induced;
  request.seen = cycle->count();
  request.may_widen = false;
  request.begin_marking = true;
  request.shared = true;
  cycle->collect(request);
  return clr::kOk;
}

void DotNet::marking_rests() {
  for (Awaits awaited; (awaited = cycle->awaits()) != Awaits::nothing;) {
    const bool last = awaited == Awaits::last_pause;
    const u64 count = cycle->count(), began = machine.now();
    auto waits = [&] { return cycle->awaits() == awaited && (last || cycle->count() == count); }; // any young collection takes the next step, not any is a last pause
    auto held = [&] { return last ? no_gc_near() : resting_held(); };
    for (;;) {
      const u32 seen = ends_.load_acquire(); // before the looks: a collection that ends later is seen to have bumped it, and so is the end of what holds this up
      const u64 until = began + (held() ? kHeldNs : kForNs);
      if (!waits() || machine.now() >= until) break;
      futex_wait_until(ends_, seen, until);
    }
    // As in maybe_stress: `seen` first, then whether a region without collections is being begun.
    Request request;
    request.seen = cycle->count();
    request.optional = true;
    if (!waits() || held()) continue;
    request.cause = last ? Cause::marked : Cause::moves;
    request.may_widen = false;
    cycle->collect(request);
  }
}

// Not beside a region without collections, in which none ends: then at once, and where one begins meanwhile then.
clr::Hresult DotNet::wait_marking(int timeout_ms) {
  if (!cycle->marking()) return clr::kOk;
  bool cooperative = ee->EnablePreemptiveGC();
  const u64 deadline = timeout_ms < 0 ? ~u64(0) : machine.now() + u64(timeout_ms) * 1'000'000;
  bool late = false;
  while (!late) {
    u32 seen = ends_.load_acquire(); // pairs with release, and with look_again
    if (!cycle->marking() || no_gc_active()) break;
    late = machine.now() >= deadline;
    if (!late) futex_wait_until(ends_, seen, deadline);
  }
  if (cooperative) ee->DisablePreemptiveGC();
  return late ? kTimedOut : clr::kOk;
}

// A mode that has no meaning here is not taken, and nothing says so, as on stock: sustained low latency without concurrent collection, low latency with the server setting.
int DotNet::set_latency(int mode) {
  if (no_gc_active()) return int(clr::SetLatencyStatus::no_gc_in_progress);
  const auto wanted = clr::LatencyMode(mode);
  if (mode < 0 || mode >= int(clr::LatencyMode::no_gc_region)) return int(clr::SetLatencyStatus::ok);
  if (wanted == clr::LatencyMode::sustained_low_latency && !stock.concurrent) return int(clr::SetLatencyStatus::ok);
  if (wanted == clr::LatencyMode::low_latency && stock.server) return int(clr::SetLatencyStatus::ok);
  latency_mode.store_relaxed(mode); // the next collection tells pacing (stop): whoever calls here must not wait, the runtime could not walk its stack
  look_again();
  return int(clr::SetLatencyStatus::ok);
}

int DotNet::collections_of(int generation, bool beside_only) const {
  if (generation < 0 || generation > int(clr::kMaxGeneration)) return 0;
  return int(beside_only ? beside_counts_[generation].load_relaxed() : cycle->count_of(u32(generation)));
}

} // namespace garner::dotnet
