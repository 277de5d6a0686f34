// A program that rests gives back what it does not need: its garbage, and the memory that the next eden would take (cycle.idle).
//
// A thread of the collector's looks every cycle.idle seconds. When no collection has come meanwhile and next to nothing was allocated it asks for one, if the heap is not
// small, and for another if more finalizers have ended since than end after each collection anyway (those of the runtime's pools make work for the next each time), for what they let go of. It gives all free memory back to the system; then it sleeps until something has been collected again, so that a process at rest is woken by nobody.
// Where a full collection would stop the program for long, a young one comes and old space is marked beside it (background.cc sees to what follows), and the memory goes back
// at a later look.
// The thread is made when the heap is first found to have grown: small programs have none. What it may do, and whom it can wait for: as the marking thread (background.cc).
#include "host/dotnet/host.h"

namespace garner::dotnet {
namespace {

constexpr u64 kWorthAThread = 48 * MiB;   // committed
constexpr u64 kWorthCollecting = 16 * MiB; // in use
constexpr u64 kWorthReturning = 8 * MiB;
constexpr u64 kRestful = MiB; // allocated between two looks, at most

} // namespace

// Any thread of the program, outside a collection.
void DotNet::ensure_idle_watch() {
  if (GARNER_LIKELY(idle_watch_.load_relaxed() != 0) || settings.get(Opt::idle) == 0 || heap().budget().committed() < kWorthAThread) return;
  if (idle_watch_.exchange_acq_rel(1) != 0 || settings.on(Opt::retain)) return; // one thread makes it; retained pages are not given back
  ee->CreateThread([](void* self) { static_cast<DotNet*>(self)->watch_idleness(); }, this, false, ".NET GC Idle"); // refused: as without
}

void DotNet::watch_idleness() {
  const u64 period = u64(settings.get(Opt::idle)) * 1'000'000'000;
  u64 ended = 0, usual = 0; // finalizers: before the last of these collections, and after each of them anyway
  for (u32 collected = 0;;) { // times, since the program was last at work
    const u64 count = cycle->count(), allocated = total_allocated();
    const u64 until = machine.now() + period;
    while (machine.now() < until) futex_wait_until(idle_sleeps_, 0, until); // nobody wakes it then, but a signal may
    const bool works = total_allocated() > allocated + kRestful;
    if (works) collected = 0;
    if (works || cycle->count() != count || resting_held()) continue;
    const u64 now_ended = finalizers_ended();
    if (collected == 2) {
      usual = now_ended - ended;
      collected = 3;
    }
    if ((collected == 0 || (collected == 1 && now_ended - ended > usual)) && collect_at_rest(count)) {
      ended = now_ended;
      collected++; // what it leaves is for the next look
      continue;
    }
    if (cycle->count() != count) continue; // somebody else was faster
    if (heap().free_charged() > kWorthReturning) cycle->rest();
    if (cycle->marking() || cycle->moving()) continue; // its thread sees to that; asleep until then, this would look once more, and begin another
    const u64 last = cycle->count();
    idle_sleeps_.exchange_acq_rel(1); // before the look at the count: a collection that this does not see wakes (release)
    if (cycle->count() == last) futex_wait(idle_sleeps_, 1);
    idle_sleeps_.store_relaxed(0);
    collected = 0;
  }
}

u64 DotNet::finalizers_ended() {
  enter(); // no collection is going on
  const u64 ended = finalize_queue.progress().ended;
  leave();
  return ended;
}

bool DotNet::resting_held() const {
  return no_gc_near() || latency_mode.load_relaxed() == i32(clr::LatencyMode::low_latency);
}

// How much has died is not known: it may have done so without a further allocation.
bool DotNet::collect_at_rest(u64 count) {
  if (bytes_in_use() < kWorthCollecting || cycle->marking()) return false;
  Request request = request_at_rest();
  request.seen = count;
  request.begin_marking = begins_beside() && cycle->prefers_beside();
  if (!request.begin_marking) request.kind = Kind::full;
  return cycle->collect(request);
}

Request DotNet::request_at_rest() {
  Request request;
  request.seen = cycle->count();
  request.optional = true;
  request.cause = Cause::idle;
  request.may_widen = false;
  request.give_back = true;
  return request;
}

} // namespace garner::dotnet
