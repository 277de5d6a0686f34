// What System.GC asks: collections on request, generations, memory figures, limits. Figures come from the records of collections.
#include "host/dotnet/host.h"
#include "host/dotnet/known_settings.h"

namespace garner::dotnet {

clr::Hresult DotNet::collect(int generation, bool low_memory, int mode) {
  Request request;
  request.kind = generation < 0 || generation >= int(clr::kMaxGeneration) ? Kind::full : generation == 0 ? Kind::young0 : Kind::young1;
  // Survivors that have piled up through such requests would never be looked at by them: the runtime's own collector takes generation 1 too then.
  if (request.kind == Kind::young0 && cycle->last_any().after.bytes[1] > cycle->pace().eden() / 2) request.kind = Kind::young1;
  const bool beside = request.kind == Kind::full && !low_memory && (mode & clr::kCollectNonBlocking) != 0 && begins_beside();
  request.cause = low_memory ? Cause::low_memory : Cause::induced;
  request.seen = cycle->count();
  request.may_widen = false;
  request.compact_all = (mode & clr::kCollectCompacting) != 0;
  request.give_back = (mode & clr::kCollectAggressive) != 0 || low_memory;
  request.shared = !request.compact_all && !request.give_back;
  // Optimized: only when the budget says so; half a budget, what has come since the collection before, is where it begins to pay.
  request.when_due = (mode & clr::kCollectOptimized) != 0;
  auto due = [&] { return request.kind == Kind::full ? cycle->pace().half_due(cycle->old_bytes()) : cycle->spaces().eden.used() >= cycle->spaces().eden.limit() / 2; };
  if (request.when_due && !due()) return clr::kOk;
  if (const u32 region = no_gc_region(); region != 0) end_region(region, NoGc::induced); // before any wait: while a region lasts no marking ends
  if (request.when_due && request.kind == Kind::full && cycle->marking()) return (mode & clr::kCollectNonBlocking) != 0 ? clr::kOk : wait_marking(-1); // what is due is on its way
  if (beside) return collect_beside();
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

// Of the container, or of the machine, whatever the heap's own limit is: programs shed load by it. Any thread, and often by programs that ask for each request: files of the system are
// read at most ten times a second.
u32 DotNet::memory_load() {
  const u64 now = machine.now(), seen = load_ns_.load_relaxed();
  if (seen != 0 && now - seen < 100'000'000) return load_.load_relaxed(); // of two readers one may see the other's new time with the old load: of a moment before
  const MemoryFacts facts = memory_facts();
  if (!facts.known) return load_.load_relaxed(); // what was known last
  const u64 used = facts.container != 0 ? facts.cgroup_used : facts.physical - min_of(facts.available, facts.physical);
  const u32 load = stock.total_memory == 0 ? 0 : u32(min_of<u64>(100, used * 100 / stock.total_memory));
  load_.store_relaxed(load);
  load_ns_.store_relaxed(now);
  return load;
}

// A limit says how much is the heap's, and only what else uses a container can be too much then.
bool DotNet::memory_short() {
  if (heap().budget().limit() == 0) return memory_load() >= stock.high_memory_percent;
  if (!stock.contained) return false;
  if (u64 now = machine.now(); looked_ns == 0 || now - looked_ns > 100'000'000) {
    looked_ns = now;
    const MemoryFacts facts = memory_facts();
    if (facts.known) was_short = facts.container != 0 && facts.cgroup_used / stock.high_memory_percent >= facts.container / 100;
  }
  return was_short;
}

void DotNet::memory_info(u64* out[11], u32* generation, u32* pause_percent, bool* compacting, bool* concurrent, u64* generations, u64* pauses, int kind) {
  CycleRecord record{};
  switch (clr::GcKind(kind)) {
    case clr::GcKind::any: record = cycle->last_any(); break;
    case clr::GcKind::ephemeral: record = cycle->last(Kind::young1); break;
    case clr::GcKind::full_blocking: record = cycle->last(Kind::full); break;
    case clr::GcKind::background: record = cycle->last_beside(); break;
  }
  const CycleEnd& end = record.end;
  bool known = end.index != 0;
  u64 limit = heap().budget().limit(), total = limit != 0 ? limit : stock.total_memory;
  u64 values[11] = {
      stock.total_memory / 100 * stock.high_memory_percent, total, known ? stock.total_memory / 100 * max_of(memory_load(), 1u) : 0, record.after.total(), end.fragmented, // the size includes the holes
      end.committed, end.kind == Kind::full ? end.heap_after : end.copied + end.kept, end.pinned, end.finalize_pending, record.number, 0};
  for (u32 i = 0; i < 10; i++) *out[i] = values[i];
  *generation = record.generation;
  const u64 since = known ? end.start_ns + end.pause_ns - cycle->start_ns() : 0; // as it was when that one ended
  *pause_percent = since != 0 ? u32(min_of<u64>(10000, record.total_pause_ns / max_of<u64>(since / 10000, 1))) : 0;
  *compacting = end.compacted || (known && end.kind != Kind::full && !end.en_masse);
  *concurrent = record.beside;
  for (u32 g = 0; g < 5; g++) {
    generations[g * 4 + 0] = record.before.bytes[g];
    generations[g * 4 + 1] = record.before.holes[g];
    generations[g * 4 + 2] = record.after.bytes[g];
    generations[g * 4 + 3] = record.after.holes[g];
  }
  pauses[0] = (record.beside ? record.first_pause_ns : end.pause_ns) / 100;
  pauses[1] = record.beside ? end.pause_ns / 100 : 0;
}

CycleRecord DotNet::last_full() const {
  CycleRecord blocking = cycle->last(Kind::full), beside = cycle->last_beside();
  return beside.end.index > blocking.end.index ? beside : blocking;
}

int DotNet::refresh_limit() {
  StockSettings now = read_stock();
  if (now.hard_limit > heap().reserved()) {
    now.hard_limit = heap().reserved(); // nothing lies beyond that, and what TotalAvailableMemoryBytes tells is to be true
    if (settings.on(Opt::notices)) say("RefreshMemoryLimit: the heap cannot grow beyond the addresses that it has had since its start; heap.reserve is the setting");
  }
  const u64 limit = now.hard_limit, before = heap().budget().limit();
  // A region without collections was promised memory of the limit that there is: neither may it be collected for a lower one nor that take the promise back.
  const bool lower = limit != 0 && (before == 0 || limit < before);
  auto may = [](void* self) { return !static_cast<DotNet*>(self)->no_gc_near(); };
  if (lower && !may(this)) return int(clr::RefreshLimitStatus::hard_limit_too_low);
  if (limit != 0 && limit < kLeastLimit) return int(clr::RefreshLimitStatus::hard_limit_too_low); // as at start
  if (limit != 0 && limit < heap().budget().committed()) {
    // The heap may shrink below the new limit: try before refusing.
    Request request;
    request.kind = Kind::full;
    request.cause = Cause::low_memory;
    request.may_widen = false;
    request.compact_all = request.give_back = true;
    cycle->collect(request);
    if (limit < heap().budget().committed()) return int(clr::RefreshLimitStatus::hard_limit_too_low);
  }
  if (limit != before) {
    if (!cycle->set_limit(pace_config(limit), lower ? +may : nullptr, this)) return int(clr::RefreshLimitStatus::hard_limit_too_low); // a region has begun meanwhile
    hold_back();
  }
  stock = now; // what is read beside the program is single words
  return int(clr::RefreshLimitStatus::success);
}

// Stock's names and types. What exists here answers with the value in effect, the rest with stock's default.
void DotNet::configuration_values(void* data, clr::ConfigurationFn visit) {
  using enum clr::ConfigurationType;
  const PaceConfig& pace = cycle->pace().config();
  struct Row { const char* name; const char* public_key; clr::ConfigurationType type; i64 value; };
  auto asked = [&](const char* name, const char* public_key) { return Row{name, public_key, int64, number(name, public_key, 0)}; };
  const Row rows[] = {
      {"ServerGC", "System.GC.Server", boolean, stock.server},
      {"ConcurrentGC", "System.GC.Concurrent", boolean, stock.concurrent},
      {"RetainVM", "System.GC.RetainVM", boolean, settings.on(Opt::retain)},
      {"GCCpuGroup", "System.GC.CpuGroup", boolean, flag("GCCpuGroup", "System.GC.CpuGroup", false)},
      {"GCHeapAffinitizeMask", "System.GC.HeapAffinitizeMask", int64, i64(worker_processors_.bits[0])},
      {"HeapCount", "System.GC.HeapCount", int64, i64(workers_)},
      {"MaxHeapCount", "System.GC.MaxHeapCount", int64, 0},
      {"GCHeapHardLimit", "System.GC.HeapHardLimit", int64, i64(heap().budget().limit())},
      asked("GCHeapHardLimitPercent", "System.GC.HeapHardLimitPercent"),
      asked("GCHeapHardLimitSOH", "System.GC.HeapHardLimitSOH"),
      asked("GCHeapHardLimitLOH", "System.GC.HeapHardLimitLOH"),
      asked("GCHeapHardLimitPOH", "System.GC.HeapHardLimitPOH"),
      asked("GCHeapHardLimitSOHPercent", "System.GC.HeapHardLimitSOHPercent"),
      asked("GCHeapHardLimitLOHPercent", "System.GC.HeapHardLimitLOHPercent"),
      asked("GCHeapHardLimitPOHPercent", "System.GC.HeapHardLimitPOHPercent"),
      {"NoAffinitize", "System.GC.NoAffinitize", boolean, stock.no_affinitize},
      {"GCHighMemPercent", "System.GC.HighMemoryPercent", int64, i64(stock.high_memory_percent)},
      {"GCGen0MaxBudget", "System.GC.Gen0MaxBudget", int64, i64(pace.eden_max)},
      {"GCLargePages", "System.GC.LargePages", boolean, stock.large_pages},
      {"GCRegionRange", "System.GC.RegionRange", int64, i64(heap().reserved())},
      {"GCRegionSize", "System.GC.RegionSize", int64, i64(heap().region_bytes())},
      {"LOHThreshold", "System.GC.LOHThreshold", int64, i64(stock.loh_threshold)},
      {"GCConserveMem", "System.GC.ConserveMemory", int64, i64(pace.conserve)},
      {"GCDynamicAdaptationMode", "System.GC.DynamicAdaptationMode", int64, 1},
      {"GCDTargetTCP", "System.GC.DTargetTCP", int64, 0},
      {"GCDGen0GrowthPercent", "System.GC.DGen0GrowthPercent", int64, 0},
      {"GCDGen0GrowthMinFactor", "System.GC.DGen0GrowthMinFactor", int64, 0},
      {"GCDGen0GrowthMaxFactor", "System.GC.DGen0GrowthMaxFactor", int64, 0},
      {"UOHWaitBGCSizeIncPercent", "System.GC.UOHWaitBGCSizeIncPercent", int64, 200},
  };
  for (const Row& row : rows) visit(data, row.name, row.public_key, row.type, row.value);
  const char* texts[][2] = {{"GCHeapAffinitizeRanges", "System.GC.HeapAffinitizeRanges"}, {"GCName", "System.GC.Name"}, {"GCPath", "System.GC.Path"}};
  for (auto& text : texts) {
    const char* value = nullptr;
    bool given = ee->GetStringConfigValue(text[0], text[1], &value);
    visit(data, text[0], text[1], string_utf8, i64(given ? value : ""));
    if (given) ee->FreeStringConfigValue(value);
  }
  // Our own settings, as one text: it also tells a program which collector it runs on.
  char text[Settings::kTextBytes];
  settings.print(Opt::preset, text, sizeof text);
  visit(data, "GarnerPreset", "System.GC.Garner", string_utf8, i64(text));
}

} // namespace garner::dotnet
