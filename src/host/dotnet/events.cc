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
    case Cause::induced: return asked.give_back ? induced_aggressive : asked.compact_all ? induced_compacting : asked.when_due || asked.begin_marking ? induced_no_force : induced;
    case Cause::large_budget: return alloc_loh;
    case Cause::low_memory:
    case Cause::memory_limit: return low_memory;
    case Cause::stress: return stress;
    case Cause::marked:
    case Cause::moves: return beside_reason_;
    case Cause::idle: return induced_no_force; // the collector asked, without need
    case Cause::no_gc_region: return induced;
    default: return alloc_soh;
  }
}

void DotNet::fire_triggered(Cause cause) {
  if (wants(clr::EventKeyword::gc, clr::EventLevel::information)) ee->EventSink()->FireGCTriggered(u32(reason(cause)));
}

// A marking beside the program is a background collection. It starts with its first pause, before that pause's young collection; young ones that come while it lasts are
// foreground collections. Its last pause starts nothing, as on stock.
void DotNet::fire_start(Kind kind, Cause cause, u64 number) {
  told_ = kind;
  if (!wants(clr::EventKeyword::gc, clr::EventLevel::information) || cycle->ended_marking()) return;
  if (cycle->marks_beside()) fire_triggered(cause);
  clr::IGCToCLREventSink* sink = ee->EventSink();
  using enum clr::GcType;
  clr::GcType type = cycle->marking_number() != 0 && kind != Kind::full ? foreground : blocking;
  if (cycle->begins_marking()) {
    sink->FireGCStart_V2(u32(cycle->marking_number()), clr::kMaxGeneration, u32(reason(cause)), u32(background));
    type = blocking; // stock's young collection before a background one is an ordinary one
  }
  sink->FireGCStart_V2(u32(number), u32(kind), u32(reason(cause)), u32(type));
}

DotNet::Ended DotNet::ended(Kind kind, clr::GcReason reason, bool asked, bool beside, u64 number) {
  Ended end{number, kind, reason, asked, beside, {}, 0, 0, {}};
  // What survived, by generation. A young collection of both young generations knows what went to old space, not where each object came from:
  // that counts as of generation 1. A full one counts what is in old space afterwards.
  const GenerationSizes& s = cycle->current().after;
  if (kind == Kind::full) {
    for (u32 g = 2; g < 5; g++) end.survived[g] = s.bytes[g] - min_of(s.holes[g], s.bytes[g]);
  } else {
    const CycleEnd& sums = cycle->current().end; // the workers' own are those of what followed the young collection: a marking, or what moves
    end.survived[1] = kind == Kind::young1 ? sums.promoted : 0;
    end.survived[0] = sums.copied + sums.kept - end.survived[1];
  }
  finalize_queue.each_ready([&](Ref ref) { end.finalizing += size(ref); }); // the objects themselves, not what they alone keep
  end.ready = finalize_queue.ready_count();
  if (!beside) end.kind = told_; // as on stock, where no collection changes its generation once its start was told: analysers pair them by both
  auto micros = [](u64 from, u64 to) { return u32(min_of<u64>(to > from ? (to - from) / 1000 : 0, ~0u)); };
  // Copying is marking in a young collection. Afterwards come the weak things and, in a full one, measuring, planning and sliding.
  if (marked_ns_ == 0) return end; // promoted en masse: there was nothing of the kind, and roots only for a marking or for what moves
  end.times[usize(clr::GcTime::begin)] = micros(begun_ns_, roots_ns_);
  end.times[usize(clr::GcTime::mark_roots)] = micros(roots_ns_, marked_ns_);
  end.times[usize(kind == Kind::full ? clr::GcTime::compact : clr::GcTime::mark_long_weak)] = micros(marked_ns_, machine.now());
  return end;
}

// Of a background collection the histories come first, as on stock: analysers take what follows its statistics for the next collection's.
void DotNet::fire_end(const Ended& end) {
  if (end.beside) fire_histories(end);
  ee->EventSink()->FireGCEnd_V1(u32(end.number), u32(end.kind));
  fire_statistics(end);
  if (!end.beside) fire_histories(end);
}

void DotNet::fire_statistics(const Ended& end) {
  const GenerationSizes& s = cycle->current().after;
  ee->EventSink()->FireGCHeapStats_V2(s.bytes[0], end.survived[0], s.bytes[1], end.survived[1], s.bytes[2], end.survived[2], s.bytes[3], end.survived[3], s.bytes[4],
                                      end.survived[4], end.finalizing, end.ready, u32(cycle->current().end.pinned), ee->GetActiveSyncBlockCount(), handle_table.in_use());
}

void DotNet::fire_histories(const Ended& end) {
  clr::IGCToCLREventSink* sink = ee->EventSink();
  const CycleRecord& now = cycle->current();
  const Kind kind = end.kind;
  u32 times[clr::kGcTimes];
  memcpy(times, end.times, sizeof times);
  const u32 mechanisms = clr::kMechanismPromotion | (end.beside ? clr::kMechanismConcurrent : clr::kMechanismCompaction);
  sink->FireGCGlobalHeapHistory_V4(cycle->pace().eden(), 1, u32(kind), 0, u32(end.reason), mechanisms, u32(latency_mode.load_relaxed()), memory_load(), 0, 0, clr::kGcTimes,
                                   sizeof times[0], times);

  clr::GcGenerationData generations[5] = {};
  const u64 budgets[] = {cycle->pace().eden(), cycle->pace().expected_survivors(), cycle->pace().old_threshold()};
  for (u32 g = 0; g < 5; g++) {
    clr::GcGenerationData& data = generations[g];
    data.size_before = now.before.bytes[g];
    data.free_list_before = now.before.holes[g];
    data.size_after = now.after.bytes[g];
    data.free_list_after = now.after.holes[g];
    data.survived_moved = end.survived[g];
    data.budget = budgets[min_of(g, 2u)];
  }
  if (kind != Kind::full) {
    generations[1].came_in = end.survived[0];
    generations[2].came_in = end.survived[1];
  }
  u32 generation = u32(kind), reasons = generation << 2 * u32(clr::CondemnReason::decided);
  reasons |= generation << 2 * u32(end.asked ? clr::CondemnReason::asked : clr::CondemnReason::budget);
  u32 conditions = end.asked && !end.beside && kind == Kind::full ? clr::kConditionInducedFull : 0;
  sink->FireGCPerHeapHistory_V3(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 0, reasons, conditions, 0, 0, 0, nullptr, 5, sizeof generations[0], generations);
}

} // namespace garner::dotnet
