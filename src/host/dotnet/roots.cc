// Roots of a .NET program: thread stacks, thread statics and statics, as the runtime reports them.
//
// One walk with promotion=true serves both to find and, later, to update: each slot is recorded with the object it held. Slots that lie on the
// scanning thread's own stack below the call are locals of the runtime's scanner: they die when the callback returns, so
// only their value counts.
// Several workers may scan at once: each managed thread goes to the worker that claims its allocation context first.
#include "host/dotnet/host.h"

namespace garner::dotnet {
namespace {

struct Scan {
  void* to;
  void (*report)(void* to, Slot slot, word value, RootKind how);
  word stack_top; // frame of the call: transient slots lie below it and above the callback's own frame
};

void promote(clr::Object** slot, clr::ScanContext* context, u32 flags) {
  word value = word(*slot);
  if (value == 0) return;
  Scan* scan = static_cast<Scan*>(context->gc_data);
  bool interior = (flags & clr::kCallInterior) != 0, pinned = (flags & clr::kCallPinned) != 0;
  RootKind how = pinned ? (interior ? RootKind::pinned_interior : RootKind::pinned) : interior ? RootKind::interior : RootKind::exact;
  word at = word(slot), here = word(__builtin_frame_address(0));
  if (at >= here && at < scan->stack_top) at = 0;
  scan->report(scan->to, Slot{at}, value, how);
}

} // namespace

__attribute__((noinline)) void DotNet::scan_threads(u32 worker, Kind kind, void* to, ReportFn report) {
  Scan scan{to, report, word(__builtin_frame_address(0))};
  clr::ScanContext context;
  context.thread_number = int(worker);
  context.thread_count = int(cycle->gang().workers());
  context.promotion = true;
  context.gc_data = &scan;
  ee->GcScanRoots(&promote, int(kind), clr::kMaxGeneration, &context);
}

// The runtime may ask several times about one thread in one scan: the answer for a worker must stay the same.
bool DotNet::claims(clr::gc_alloc_context* context, u32 worker) {
  if (!gathering_) return true; // a tool's walk wants every thread
  recording.report_for(context);
  // The word is ours; it holds the epoch of the last scan that took this thread, and who did.
  word mine = scan_epoch_ << 16 | (worker + 1), seen = __atomic_load_n(reinterpret_cast<word*>(&context->gc_reserved_2), __ATOMIC_RELAXED);
  if (seen >> 16 == scan_epoch_) return seen == mine;
  return __atomic_compare_exchange_n(reinterpret_cast<word*>(&context->gc_reserved_2), &seen, mine, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

} // namespace garner::dotnet
