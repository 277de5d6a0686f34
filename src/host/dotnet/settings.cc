// Start of the .NET host: which settings are in force, how large the heap may be, and the write barrier.
//
// Our own options come from the runtime property System.GC.Garner (DOTNET_GCGarner) and from the environment variable GARNER, which wins
// item by item. Stock settings are read under their public names; what is not supported says so once. A limit in which .NET cannot start is
// refused. Of two settings for one thing our own wins, whatever its value.
#include <sched.h>
#include <sys/sysinfo.h>
#include <cstdlib>

#include "base/print.h"
#include "host/dotnet/host.h"
#include "host/dotnet/known_settings.h"

namespace garner::dotnet {
namespace {

alignas(TheCycle) char cycle_storage[sizeof(TheCycle)];

struct Spawn { void (*entry)(void*); void* arg; const CpuSet* processors; };

} // namespace

i64 DotNet::number(const char* private_key, const char* public_key, i64 otherwise) {
  i64 value;
  return ee->GetIntConfigValue(private_key, public_key, &value) ? value : otherwise;
}

u64 DotNet::bounded(const Bounded& setting) {
  const i64 value = number(setting.private_key, setting.public_key, 0);
  return within(setting, value) ? u64(value) : 0;
}

bool DotNet::flag(const char* private_key, const char* public_key, bool otherwise) {
  bool value;
  return ee->GetBooleanConfigValue(private_key, public_key, &value) ? value : otherwise;
}

clr::Hresult DotNet::refuse(const char* sentence) {
  Line line;
  line.text("garner: ").text(sentence);
  ee->LogErrorToHost(line.c_str());
  return clr::kFail;
}

bool DotNet::read_settings() {
  const char* text = nullptr;
  bool good = true;
  if (ee->GetStringConfigValue("GCGarner", "System.GC.Garner", &text)) {
    good = settings.parse(text);
    ee->FreeStringConfigValue(text);
  }
  if (const char* own = getenv("GARNER"); good && own != nullptr) good = settings.parse(own);
  if (!good) {
    refuse(settings.error());
    return false;
  }
  if (const IllegalPair* pair = settings.illegal(); pair != nullptr) {
    refuse(pair->sentence);
    return false;
  }
  return true;
}

// Whether old objects are marked beside the program. Our own option says so most explicitly. Else gcConcurrent=0, which nobody has who did not set it, says no; and where
// it is 1, set or not, the option's default decides.
bool DotNet::wants_beside(bool gc_concurrent) const {
  const bool own = settings.as<MarkingWhen>(Opt::marking) != MarkingWhen::stopped;
  return own && (gc_concurrent || settings.given(Opt::marking));
}

StockSettings DotNet::read_stock() {
  StockSettings s;
  s.server = flag("gcServer", "System.GC.Server", false);
  const bool concurrent = flag("gcConcurrent", "System.GC.Concurrent", true);
  s.beside = wants_beside(concurrent);
  s.concurrent = concurrent || s.beside;
  s.retain = flag("GCRetainVM", "System.GC.RetainVM", false);
  s.large_pages = flag("GCLargePages", "System.GC.LargePages", false);
  s.no_affinitize = flag("GCNoAffinitize", "System.GC.NoAffinitize", false);
  s.conservative = flag("gcConservative", nullptr, false);
  s.numa_aware = number("GCNumaAware", nullptr, 1) != 0;
  s.heap_count = u32(max_of<i64>(number("GCHeapCount", "System.GC.HeapCount", 0), 0));
  s.conserve = u32(clamp_to<i64>(number("GCConserveMemory", "System.GC.ConserveMemory", 0), 0, 9));
  s.gen0_size = bounded(kGen0Size);
  s.gen0_max = u64(max_of<i64>(number("GCGen0MaxBudget", "System.GC.Gen0MaxBudget", 0), 0));
  s.loh_threshold = max_of<u64>(u64(max_of<i64>(number("GCLOHThreshold", "System.GC.LOHThreshold", 0), 0)), clr::kLargeObjectBytes);
  s.given_high_percent = u32(clamp_to<i64>(number("GCHighMemPercent", "System.GC.HighMemoryPercent", 0), 0, 99));

  MemoryFacts facts = memory_facts();
  if (facts.known || facts_.physical == 0) facts_ = facts;
  else facts = facts_; // what was known last: a limit does not go because a file could not be opened
  u64 memory = facts.container != 0 ? facts.container : facts.physical;
  const u64 given = bounded(kTotalMemory);
  if (given != 0) memory = given;
  s.total_memory = memory;
  s.given_memory = given;
  s.high_memory_percent = s.given_high_percent != 0 ? s.given_high_percent : high_memory_percent(memory, ee->GetCurrentProcessCpuCount());
  s.contained = facts.container != 0;
  struct sysinfo system{};
  if (sysinfo(&system) == 0) s.swap = u64(system.totalswap) * system.mem_unit;
  s.hard_limit = u64(max_of<i64>(number("GCHeapHardLimit", "System.GC.HeapHardLimit", 0), 0));
  u64 parts = 0, part_percent = 0;
  const char* names[3][4] = {{"GCHeapHardLimitSOH", "System.GC.HeapHardLimitSOH", "GCHeapHardLimitSOHPercent", "System.GC.HeapHardLimitSOHPercent"},
                             {"GCHeapHardLimitLOH", "System.GC.HeapHardLimitLOH", "GCHeapHardLimitLOHPercent", "System.GC.HeapHardLimitLOHPercent"},
                             {"GCHeapHardLimitPOH", "System.GC.HeapHardLimitPOH", "GCHeapHardLimitPOHPercent", "System.GC.HeapHardLimitPOHPercent"}};
  for (auto& n : names) {
    parts += u64(max_of<i64>(number(n[0], n[1], 0), 0));
    part_percent += u64(clamp_to<i64>(number(n[2], n[3], 0), 0, 100));
  }
  s.limit_by_heap = parts != 0 || part_percent != 0;
  if (parts != 0) s.hard_limit = parts;
  else if (part_percent != 0) s.hard_limit = memory / 100 * min_of<u64>(part_percent, 100);
  if (s.hard_limit == 0) s.hard_limit = memory / 100 * bounded(kLimitPercent);
  if (settings.given(Opt::limit) && settings.get(Opt::limit) != 0) s.hard_limit = settings.bytes(Opt::limit);
  else if (settings.get(Opt::limit_percent) != 0) s.hard_limit = memory / 100 * u64(settings.get(Opt::limit_percent));
  s.limit_from_config = s.hard_limit != 0;
  // A memory that is given is one to live in, as a container's.
  if (s.hard_limit == 0 && (facts.container != 0 || given != 0)) s.hard_limit = limit_in_container(facts.container != 0 ? min_of(facts.container, memory) : memory);
  return s;
}

void DotNet::note_unsupported() {
  if (!settings.on(Opt::notices)) return;
  if (stock.limit_by_heap) say("GCHeapHardLimitSOH, LOH and POH are honoured as one limit, their sum");
  if (number("GCRegionRange", "System.GC.RegionRange", 0) > 0 || number("GCRegionSize", "System.GC.RegionSize", 0) > 0)
    say("GCRegionRange and GCRegionSize are not supported; heap.reserve and heap.region are the settings here");
  if (flag("GCCpuGroup", "System.GC.CpuGroup", false)) say("GCCpuGroup has no meaning on Linux");
  for (const Bounded* setting : kBounded)
    if (i64 asked = number(setting->private_key, setting->public_key, 0); asked != 0 && !within(*setting, asked)) say(Line().text(setting->private_key).text(" ").text(setting->why).c_str());
  Line line;
  for (const Ignored& key : kIgnored)
    if (number(key.private_key, key.public_key, key.harmless) != key.harmless)
      line.text(line.size() == 0 ? "settings without effect here: " : ", ").text(key.private_key);
  if (line.size() != 0) say(line.c_str());
  if (const char* profiling = getenv("CORECLR_ENABLE_PROFILING"); profiling != nullptr && strcmp(profiling, "1") == 0)
    say(Line().text("CORECLR_ENABLE_PROFILING: ").text(kOfProfilers).c_str());
}

// GCHeapAffinitizeMask and GCHeapAffinitizeRanges ("0,2,4-7"): where collector threads may run. False when malformed. With GCNoAffinitize
// they say nothing, as on stock.
bool DotNet::read_affinity() {
  CpuSet set{};
  if (i64 mask = number("GCHeapAffinitizeMask", "System.GC.HeapAffinitizeMask", 0); mask != 0) set.bits[0] = u64(mask);
  const char* ranges = nullptr;
  if (ee->GetStringConfigValue("GCHeapAffinitizeRanges", "System.GC.HeapAffinitizeRanges", &ranges)) {
    CpuSet named = set;
    const bool good = parse_processors(ranges, named.bits);
    ee->FreeStringConfigValue(ranges);
    if (good) set = named;
    else if (stock.server) return false; // as stock's, which does not read it otherwise
    else if (settings.on(Opt::notices)) say(Line().text("GCHeapAffinitizeRanges is ").text(kRangesMalformed).text("; it is ignored").c_str());
  }
  bool asked = set.count() != 0;
  if (asked && stock.no_affinitize) {
    if (settings.on(Opt::notices)) say("GCNoAffinitize is set: GCHeapAffinitizeMask and GCHeapAffinitizeRanges are ignored");
    set = {};
    asked = false;
  }
  cpu_set_t allowed;
  static_assert(sizeof(cpu_set_t) == sizeof(CpuSet));
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    CpuSet mine;
    memcpy(&mine, &allowed, sizeof mine);
    for (u32 i = 0; i < 16; i++) set.bits[i] &= mine.bits[i];
  }
  if (asked && set.count() == 0 && settings.on(Opt::notices))
    say("GCHeapAffinitizeMask or GCHeapAffinitizeRanges names no processor that this process may use, and is ignored");
  worker_processors_ = set;
  return true;
}

u32 DotNet::worker_count() {
  if (settings.get(Opt::workers) != 0) return u32(settings.get(Opt::workers));
  u32 processors = max_of(ee->GetCurrentProcessCpuCount(), 1u);
  if (u32 n = worker_processors_.count(); n != 0) processors = min_of(processors, n);
  if (stock.heap_count != 0) processors = min_of(stock.heap_count, processors);
  return min_of(processors, kWorkersMax);
}

// Eden's size and bounds: our own option, else the stock setting, else what cache and limit suggest. GCgen0size is the budget, not a start:
// eden stays there, as GCGen0MaxBudget or the limit allow, unless cycle.resize or cycle.eden says otherwise.
void DotNet::eden_config(PaceConfig& pace) {
  u64 cache = clamp_to<u64>(last_cache_bytes(), 4 * MiB, 16 * MiB), limit = pace.limit;
  u64 own = settings.bytes(Opt::eden), size = own != 0 ? own : stock.gen0_size;
  u64 most = settings.bytes(Opt::eden_max) != 0 ? settings.bytes(Opt::eden_max) : stock.gen0_max;
  bool stays = stock.gen0_size != 0 && own == 0 && !settings.given(Opt::resize);
  pace.adaptive = settings.as<Resize>(Opt::resize) == Resize::adaptive && !stays;
  pace.eden_max = most != 0 ? most : max_of(limit != 0 ? limit : max_of<u64>(64 * MiB, 4 * cache), size);
  pace.lean = pace.adaptive && settings.on(Opt::lean) && most == 0; // who says how large eden may be has said what memory is worth, and likewise
  pace.lean_growth = settings.on(Opt::lean) && pace.adaptive && !settings.given(Opt::old_growth);
  pace.eden_start = min_of(size != 0 ? size : pace.lean && limit == 0 ? settings.bytes(Opt::eden_min) : cache, pace.eden_max);
  if (limit != 0) pace.eden_start = min_of(pace.eden_start, max_of<u64>(limit / (stays ? 2 : 8), 512 * KiB));
  pace.eden_min = settings.bytes(Opt::eden_min);
  if (size != 0 || limit != 0) pace.eden_min = min_of(pace.eden_min, pace.eden_start);
}

HeapConfig DotNet::heap_config() {
  HeapConfig config{};
  u64 limit = stock.hard_limit;
  config.door = "dotnet";
  config.workers = worker_count();
  config.by_node = stock.numa_aware;
  HeapShape& shape = config.shape;
  shape.region_bytes = settings.bytes(Opt::region);
  shape.limit = limit;
  shape.least_bytes = 256 * MiB;
  shape.reserve_bytes = settings.bytes(Opt::reserve);
  if (shape.reserve_bytes == 0) {
    // The operator guide publishes this: 8 times the limit between 2 and 256 GiB, or 256 GiB and at least 4 times the memory.
    u64 sane = min_of<u64>(limit, 64 * 1024 * GiB); // a limit beyond any machine is none
    shape.reserve_bytes = limit != 0 ? clamp_to<u64>(8 * sane, 2 * GiB, max_of<u64>(256 * GiB, 2 * sane)) : max_of<u64>(256 * GiB, 4 * min_of<u64>(stock.total_memory, 64 * 1024 * GiB));
    if (u64 left = address_space_left(); left != ~u64(0)) shape.reserve_bytes = min_of<u64>(shape.reserve_bytes, left / 2);
  }
  if (stock.large_pages) {
    shape.large_pages = true;
    shape.reserve_bytes = shape.least_bytes = align_up(limit, 2 * MiB); // all of it is taken at start
  }
  if (!stock.large_pages && settings.as<HugePages>(Opt::huge_pages) == HugePages::automatic) shape.huge_from = 64 * MiB;
  shape.hold = settings.on(Opt::hold) && !stock.large_pages;
  shape.poison = settings.on(Opt::poison);
  shape.notices = settings.on(Opt::notices);
  shape.beside = stock.beside;

  config.pace = pace_config(limit);
  return config;
}

PaceConfig DotNet::pace_config(u64 limit) {
  PaceConfig pace{};
  pace.adapt_tenure = settings.as<Tenure>(Opt::tenure) == Tenure::adaptive;
  pace.en_masse = settings.as<EnMasse>(Opt::en_masse) == EnMasse::adaptive;
  pace.limit = limit;
  if (limit != 0) pace.growth_min = min_of<u64>(pace.growth_min, limit / 8);
  eden_config(pace);
  pace.pause_goal_ns = u64(settings.get(Opt::pause_goal)) * 1'000'000;
  pace.gc_share_percent = u32(settings.get(Opt::gc_share));
  pace.old_growth_percent = u32(settings.get(Opt::old_growth));
  pace.conserve = u32(settings.given(Opt::conserve) ? settings.get(Opt::conserve) : stock.conserve);
  return pace;
}

// Collector threads are the runtime's: only those may call it while the world stands.
bool DotNet::spawn_worker(void (*entry)(void*), void* arg, void* self) {
  DotNet& host = *static_cast<DotNet*>(self);
  if (host.worker_processors_.count() == 0) return host.ee->CreateThread(entry, arg, false, ".NET GC Worker");
  auto* spawn = static_cast<Spawn*>(map_own(sizeof(Spawn))); // a page for ever per thread that is made: the thread never ends either
  if (spawn == nullptr) return false;
  *spawn = {entry, arg, &host.worker_processors_};
  const bool made = host.ee->CreateThread([](void* p) {
    Spawn& s = *static_cast<Spawn*>(p);
    sched_setaffinity(0, sizeof(CpuSet), reinterpret_cast<const cpu_set_t*>(s.processors));
    s.entry(s.arg);
  }, spawn, false, ".NET GC Worker");
  if (!made) unmap_own(spawn, sizeof(Spawn)); // each collection asks again
  return made;
}

// Deques lie beside what a limit counts, a megabyte for each thread: of many threads they would be a large part of a small one. What does not fit is spilled.
void DotNet::bound_deques() {
  constexpr u64 kLeast = 4096, kPart = 32;
  if (stock.hard_limit == 0 || settings.given(Opt::queue_capacity)) return;
  u64 entries = u64(settings.get(Opt::queue_capacity));
  while (entries > kLeast && entries * sizeof(u64) * worker_count() > stock.hard_limit / kPart) entries /= 2;
  settings.set(Opt::queue_capacity, i64(entries));
}

// Of whatever limit there is: what threads that must throw find, when memory has run out.
void DotNet::hold_back() {
  const u64 limit = heap().budget().limit(), region = heap().region_bytes();
  heap().budget().hold(limit == 0 ? 0 : clamp_to<u64>(limit / 32, 2 * region, 8 * region));
}

// Free regions give up their pages for a block of handles, or else it comes out of what is kept back, or else the limit is passed until the next collection: who cannot have a handle
// may be the runtime itself.
void DotNet::make_way(void* self, usize bytes, bool begins) {
  DotNet& host = *static_cast<DotNet*>(self);
  if (begins) host.made_way_ = host.heap().lend(bytes, Reach::ordinary) || host.heap().lend(bytes, Reach::all);
  else if (host.made_way_) host.heap().lent(bytes);
}

clr::Hresult DotNet::initialize() {
  if (!read_settings()) return clr::kFail;
  machine.set_seed(u64(settings.get(Opt::seed)));
  stock = read_stock();
  if (!read_affinity()) return refuse(Line().text("GCHeapAffinitizeRanges is ").text(kRangesMalformed).c_str());
  const char* trouble = nullptr;
  if (!recording.init(settings, trouble)) return refuse(trouble);
  note_unsupported();
  if (stock.hard_limit != 0 && stock.hard_limit < kLeastLimit) return refuse("a memory limit below 4 MB (GCHeapHardLimit, heap.limit) is too small for .NET");
  if (stock.large_pages && !stock.limit_from_config) return refuse("GCLargePages needs a limit (GCHeapHardLimit, GCHeapHardLimitPercent): its pages are taken at start");
  if ((stock.retain || stock.large_pages) && !settings.given(Opt::retain)) settings.set(Opt::retain, 1); // large pages would only be cleared
  if (stock.no_affinitize && !settings.given(Opt::seats)) settings.set(Opt::seats, 0);
  bound_deques();
  latency_mode.store_relaxed(stock.concurrent ? i32(clr::LatencyMode::interactive) : i32(clr::LatencyMode::batch));
  free_type_ = ee->GetFreeObjectMethodTable();
  machine.bring(word(cycle_storage), sizeof cycle_storage); // most of its 32 pages are written now: one call instead of 20 interrupts
  auto* made = new (cycle_storage) TheCycle(machine, *this, settings);
  if (log.open(settings, machine.now())) made->emitter().add(log.sink());
  if (live.open(settings, machine.now())) made->emitter().add(live.sink());
  HeapConfig config = heap_config();
  workers_ = config.workers;
  if (!made->init(config, &spawn_worker, this)) return refuse("the heap could not be made");
  Heap<Linux>& h = made->heap();
  h.budget().count_own();
  // Where transparent huge pages are on for everybody (`always`): what one brings would not be charged.
  if (!stock.large_pages && settings.as<HugePages>(Opt::huge_pages) != HugePages::on) machine.want_small_pages(h.base(), h.reserved());
  else if (!stock.large_pages && !machine.want_huge_pages(h.base(), h.reserved(), true) && settings.on(Opt::notices))
    say("the system refuses transparent huge pages here; heap.huge_pages has no effect");
  cycle = made;
  hold_back();
  handle_table.tell_growth(make_way, this);

  clr::WriteBarrierParameters barrier{};
  barrier.operation = clr::WriteBarrierOp::initialize;
  barrier.is_runtime_suspended = true;
  barrier.card_table = reinterpret_cast<u32*>(h.cards() - (h.base() >> kCardShift));
  barrier.card_bundle_table = reinterpret_cast<u32*>(h.bundles() - (h.base() >> kBundleShift));
  barrier.lowest_address = barrier.ephemeral_low = reinterpret_cast<u8*>(h.base());
  barrier.highest_address = barrier.ephemeral_high = reinterpret_cast<u8*>(h.end());
  barrier.region_to_generation_table = h.labels() - (h.base() >> h.region_shift());
  barrier.region_shr = u8(h.region_shift());
  barrier.region_use_bitwise_write_barrier = false;
  ee->StompWriteBarrier(&barrier);
  ee->UpdateGCEventStatus(int(event_level.load_relaxed()), int(event_keywords.load_relaxed()), int(private_level.load_relaxed()), int(private_keywords.load_relaxed()));
  return clr::kOk;
}

} // namespace garner::dotnet
