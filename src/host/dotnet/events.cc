// Events of the runtime's own provider: what EventListener, EventPipe sessions and everything built on them are told of a collection.
//
// The order is stock's: triggered, (suspended: the runtime's), start, end, statistics, global history, history of each heap, (restarted). There is one
// heap here, whatever the number of workers. Analysers read histories by position, so all fields are there: what has no counterpart is 0.
#include "host/dotnet/host.h"

namespace garner::dotnet {

// Of an induced collection the request tells what kind of asking it was. A young one that failed and became full keeps its first reason, with which its start was told.
clr::GcReason DotNet::reason(Cause cause) const {
  using enum clr::GcReason;
  const Request& asked = cycle->asked();
  switch (cause) {
    case Cause::induced: return asked.give_back ? induced_aggressive : asked.compact_all ? induced_compacting : asked.when_due ? induced_no_force : induced;
    case Cause::large_budget: return alloc_loh;
    case Cause::low_memory:
    case Cause::memory_limit: return low_memory;
    case Cause::stress: return stress;
    default: return alloc_soh;
  }
}

void DotNet::fire_triggered(Cause cause) {
  if (wants(clr::EventKeyword::gc, clr::EventLevel::information)) ee->EventSink()->FireGCTriggered(u32(reason(cause)));
}

void DotNet::fire_start(Kind kind, Cause cause, u64 index) {
  told_ = kind;
  if (wants(clr::EventKeyword::gc, clr::EventLevel::information)) ee->EventSink()->FireGCStart_V2(u32(index), u32(kind), u32(reason(cause)), 0);
}

void DotNet::fire_end(Kind kind, Cause cause, u64 index) {
  if (!wants(clr::EventKeyword::gc, clr::EventLevel::information)) return;
  clr::IGCToCLREventSink* sink = ee->EventSink();
  sink->FireGCEnd_V1(u32(index), u32(told_)); // as on stock, where no collection changes its generation once its start was told: analysers pair them by both
  const GenerationSizes& s = cycle->current().after;
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
                           finalizing, finalize_queue.ready_count(), u32(cycle->current().end.pinned), ee->GetActiveSyncBlockCount(), handle_table.in_use());
  fire_histories(kind, cause, survived);
}

void DotNet::fire_histories(Kind kind, Cause cause, const u64 survived[5]) {
  clr::IGCToCLREventSink* sink = ee->EventSink();
  const CycleRecord& now = cycle->current();
  auto micros = [](u64 from, u64 to) { return u32(min_of<u64>(to > from ? (to - from) / 1000 : 0, ~0u)); };
  // Copying is marking in a young collection. Afterwards come the weak things and, in a full one, measuring, planning and sliding.
  u32 times[clr::kGcTimes] = {};
  times[usize(clr::GcTime::begin)] = micros(begun_ns_, roots_ns_);
  times[usize(clr::GcTime::mark_roots)] = micros(roots_ns_, marked_ns_);
  times[usize(kind == Kind::full ? clr::GcTime::compact : clr::GcTime::mark_long_weak)] = micros(marked_ns_, machine.now());
  sink->FireGCGlobalHeapHistory_V4(cycle->pace().eden(), 1, u32(told_), 0, u32(reason(cause)), clr::kMechanismCompaction | clr::kMechanismPromotion,
                                   u32(latency_mode.load_relaxed()), memory_load(), 0, 0, clr::kGcTimes, sizeof times[0], times);

  clr::GcGenerationData generations[5] = {};
  const u64 budgets[] = {cycle->pace().eden(), cycle->pace().expected_survivors(), cycle->pace().old_threshold()};
  for (u32 g = 0; g < 5; g++) {
    clr::GcGenerationData& data = generations[g];
    data.size_before = now.before.bytes[g];
    data.free_list_before = now.before.holes[g];
    data.size_after = now.after.bytes[g];
    data.free_list_after = now.after.holes[g];
    data.survived_moved = survived[g];
    data.budget = budgets[min_of(g, 2u)];
  }
  if (kind != Kind::full) {
    generations[1].came_in = survived[0];
    generations[2].came_in = survived[1];
  }
  bool asked = cause == Cause::induced;
  u32 generation = u32(told_), reasons = generation << 2 * u32(clr::CondemnReason::decided);
  reasons |= generation << 2 * u32(asked ? clr::CondemnReason::asked : clr::CondemnReason::budget);
  u32 conditions = asked && told_ == Kind::full ? clr::kConditionInducedFull : 0;
  sink->FireGCPerHeapHistory_V3(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0, reasons, conditions, 0, 0, 0, nullptr, 5, sizeof generations[0], generations);
}

} // namespace garner::dotnet
