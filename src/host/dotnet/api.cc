// What System.GC asks: collections on request, generations, memory figures, limits. Figures come from the records of collections.
#include "host/dotnet/host.h"

namespace garner::dotnet {

clr::Hresult DotNet::collect(int generation, bool low_memory, int mode) {
  if (no_gc_active()) {
    no_gc_induced_ = true;
    end_region(false);
  }
  Request request;
  request.kind = generation < 0 || generation >= int(clr::kMaxGeneration) ? Kind::full : generation == 0 ? Kind::young0 : Kind::young1;
  request.cause = low_memory ? Cause::low_memory : Cause::induced;
  request.seen = cycle->count();
  request.may_widen = false;
  request.compact_all = (mode & clr::kCollectCompacting) != 0;
  request.give_back = (mode & clr::kCollectAggressive) != 0 || low_memory;
  // Optimized: only when the budget says so; half a budget is where it begins to pay.
  if ((mode & clr::kCollectOptimized) != 0) {
    bool due = request.kind == Kind::full ? cycle->pace().large_due(cycle->old_bytes(), cycle->pace().eden() / 2)
                                          : cycle->spaces().eden.used() >= cycle->spaces().eden.limit() / 2;
    if (!due) return clr::kOk;
  }
  cycle->collect(request);
  return clr::kOk;
}

unsigned DotNet::generation_of(Ref ref) const {
  Heap<Linux>& h = cycle->heap();
  if (ref.at == 0 || !h.contains(ref.at)) return clr::kNoGeneration;
  return generation_of_label(h.label_of(ref));
}

u64 DotNet::bytes_in_use() {
  // Eden's used bytes are counted as they are handed out; the rest is known since the last collection, but for what grew old.
  CycleRecord last = cycle->last_any();
  u64 young = cycle->spaces().eden.used();
  return young + (last.end.index == 0 ? 0 : last.after.bytes[1] + last.after.bytes[0] - last.after.holes[0]) + cycle->old_bytes();
}

u32 DotNet::memory_load() {
  MemoryFacts facts = memory_facts();
  u64 total = stock.total_memory, used;
  if (facts.container != 0) used = facts.cgroup_used;
  else used = facts.physical > facts.available ? facts.physical - facts.available : 0;
  if (stock.hard_limit != 0 && heap().budget().limit() != 0) {
    total = heap().budget().limit();
    used = heap().budget().committed();
  }
  return total == 0 ? 0 : u32(min_of<u64>(100, used * 100 / total));
}

bool DotNet::memory_short() {
  if (heap().budget().limit() != 0) return false;
  if (u64 now = machine.now(); looked_ns == 0 || now - looked_ns > 100'000'000) {
    looked_ns = now;
    was_short = memory_load() >= stock.high_memory_percent;
  }
  return was_short;
}

void DotNet::memory_info(u64* out[11], u32* generation, u32* pause_percent, bool* compacting, bool* concurrent, u64* generations, u64* pauses, int kind) {
  CycleRecord record{};
  switch (clr::GcKind(kind)) {
    case clr::GcKind::any: record = cycle->last_any(); break;
    case clr::GcKind::ephemeral: record = cycle->last(Kind::young1); break;
    case clr::GcKind::full_blocking: record = cycle->last(Kind::full); break;
    case clr::GcKind::background: break;
  }
  const CycleEnd& end = record.end;
  bool known = end.index != 0;
  u64 limit = heap().budget().limit(), total = limit != 0 ? limit : stock.total_memory;
  u64 values[11] = {
      total / 100 * stock.high_memory_percent, total, known ? total / 100 * max_of(memory_load(), 1u) : 0, record.after.total(), end.fragmented, // the size includes the holes
      end.committed, kind == int(clr::GcKind::full_blocking) ? end.heap_after : end.copied, end.pinned, end.finalize_pending, end.index, 0};
  for (u32 i = 0; i < 10; i++) *out[i] = values[i];
  *generation = record.generation;
  u64 since = machine.now() - cycle->start_ns();
  *pause_percent = known && since != 0 ? u32(min_of<u64>(10000, record.total_pause_ns * 10000 / since)) : 0;
  *compacting = end.compacted || (known && end.kind != Kind::full);
  *concurrent = false;
  for (u32 g = 0; g < 5; g++) {
    generations[g * 4 + 0] = record.before.bytes[g];
    generations[g * 4 + 1] = record.before.holes[g];
    generations[g * 4 + 2] = record.after.bytes[g];
    generations[g * 4 + 3] = record.after.holes[g];
  }
  pauses[0] = end.pause_ns / 100;
  pauses[1] = 0;
}

int DotNet::refresh_limit() {
  StockSettings before = stock;
  read_stock();
  u64 limit = stock.hard_limit;
  if (limit != 0 && limit < heap().budget().committed()) {
    // The heap may shrink below the new limit: try before refusing.
    Request request;
    request.kind = Kind::full;
    request.cause = Cause::low_memory;
    request.may_widen = false;
    request.compact_all = request.give_back = true;
    cycle->collect(request);
    if (limit < heap().budget().committed()) {
      stock = before;
      return int(clr::RefreshLimitStatus::hard_limit_too_low);
    }
  }
  if (limit != heap().budget().limit()) cycle->set_limit(limit);
  return int(clr::RefreshLimitStatus::success);
}

void DotNet::configuration_values(void* data, clr::ConfigurationFn visit) {
  visit(data, "ServerGC", "System.GC.Server", clr::ConfigurationType::boolean, stock.server);
  visit(data, "ConcurrentGC", "System.GC.Concurrent", clr::ConfigurationType::boolean, stock.concurrent);
  visit(data, "RetainVM", "System.GC.RetainVM", clr::ConfigurationType::boolean, stock.retain);
  visit(data, "NoAffinitize", "System.GC.NoAffinitize", clr::ConfigurationType::boolean, stock.no_affinitize);
  visit(data, "HeapCount", "System.GC.HeapCount", clr::ConfigurationType::int64, i64(cycle->gang().workers()));
  visit(data, "HeapHardLimit", "System.GC.HeapHardLimit", clr::ConfigurationType::int64, i64(heap().budget().limit()));
  visit(data, "LOHThreshold", "System.GC.LOHThreshold", clr::ConfigurationType::int64, i64(stock.loh_threshold));
  visit(data, "ConserveMem", "System.GC.ConserveMemory", clr::ConfigurationType::int64, i64(stock.conserve));
  // Our own settings, as one text: it also tells a program which collector it runs on.
  char text[Settings::kTextBytes];
  settings.print(Opt::preset, text, sizeof text);
  visit(data, "GarnerPreset", "System.GC.Garner", clr::ConfigurationType::string_utf8, i64(text));
}

} // namespace garner::dotnet
