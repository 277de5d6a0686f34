#include "counsel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "log_pauses.h"
#include "options/parse.h"
#include "options/table.h"
#include "stats.h"
#include "table.h"

namespace garner::tool {
namespace {

constexpr double kMuchStopped = 0.05; // of the time: what cycle.gc_share aims at for young collections
constexpr double kMuchOfPauses = 0.25; // of all stopped time
constexpr double kRoom = 2;            // times what lives: below it collections become frequent
constexpr double kIdle = 0.6;          // of the workers' time
constexpr double kFragmented = 0.25;   // of the heap
constexpr double kTightLimit = 4;      // times what lives: below it the limit keeps old space from growing as it may
constexpr double kLongPause = 4;       // times cycle.pause_goal
constexpr size_t kSeveral = 5;         // pauses; fewer may be the machine's doing
constexpr uint64_t kWorthMarking = 200 << 20; // of a smaller heap the pauses about a marking beside the program are no shorter than a stop (bench/dotnet/designs.md)

// A young collection that copied: its pause without the stopping of threads, which does not depend on eden, and what was young.
struct Copying { double ns; uint64_t young; };
// Of full collections the longest pause, and what one would need to know of it.
struct Longest { double ns = 0; std::string cause; uint64_t heap = 0; };

struct Sums {
  double ran_ns = 0, stopped_ns = 0, stopping_ns = 0, longest_stop_ns = 0;
  double work_ns = 0, idle_ns = 0; // of collections with several workers
  size_t collections = 0, full = 0;
  uint64_t live = 0, limit = 0; // after the full collection that left the largest share of its limit: programs that share a log have limits of their own
  uint64_t fragmented = 0, heap = 0, pinned = 0, finalize_pending = 0; // as last seen
  std::map<std::string, std::pair<size_t, double>> full_by_cause;
  Longest longest_full;
  std::vector<Copying> copying;
  unsigned workers = 0;
  double share(double ns) const { return ran_ns > 0 ? ns / ran_ns : 0; } // of the time; none of a log with one collection, which tells no time
  double stopped() const { return share(stopped_ns); }
};

Sums sums_of(const LogData& log) {
  Sums sums;
  sums.workers = log.workers;
  for (const RunSeen& run : runs_of(log)) {
    sums.ran_ns += run.ns();
    sums.stopped_ns += run.stopped_ns();
  }
  for (const auto& [number, cycle] : log.cycles) {
    const CycleEnd& f = cycle.figures;
    sums.collections++;
    sums.stopping_ns += cycle.stop_ns;
    sums.longest_stop_ns = std::max(sums.longest_stop_ns, cycle.stop_ns);
    sums.fragmented = f.fragmented, sums.heap = f.heap_after, sums.pinned = f.pinned, sums.finalize_pending = f.finalize_pending;
    if (cycle.work.size() > 1)
      for (const auto& [index, worker] : cycle.work) {
        sums.work_ns += worker.sum.end_ns > worker.sum.start_ns ? double(worker.sum.end_ns - worker.sum.start_ns) : 0;
        sums.idle_ns += double(worker.sum.idle_ns);
      }
    if (cycle.kind != "full") {
      if (f.copied != 0 && cycle.cause != "moves") // what is young, and how much of it there may be, has no part in that
        sums.copying.push_back({std::max(cycle.pause_ns - cycle.stop_ns, 0.0), f.young_before});
      continue;
    }
    if (cycle.pause_ns > sums.longest_full.ns) sums.longest_full = {cycle.pause_ns, cycle.cause, f.heap_after};
    sums.full++;
    if (f.limit != 0 && double(f.heap_after) * double(sums.limit) >= double(sums.live) * double(f.limit)) sums.live = f.heap_after, sums.limit = f.limit;
    auto& [count, ns] = sums.full_by_cause[cycle.cause];
    count++, ns += cycle.pause_ns;
  }
  return sums;
}

std::string percent(double share) { return fmt::format("{:.0f} %", share * 100); }
std::string ms(double ns) { return milliseconds_text(ns / 1e6) + " ms"; }
std::string full_text(size_t count) { return count_text(count, "full collection", "full collections"); }
std::string mb(uint64_t bytes) { return megabytes_text(double(bytes)) + " MB"; }

// Advice with the stopped time it is about.
struct Weighed { double ns; Counsel counsel; };

void about_limit(const Sums& s, std::vector<Weighed>& all) {
  if (s.limit == 0 || s.live == 0 || double(s.limit) >= kRoom * double(s.live) || s.stopped() < kMuchStopped) return;
  const uint64_t enough = uint64_t(std::min(kRoom * 1.25 * double(s.live), 0x1p62)); // whatever the log says
  const auto lack = s.full_by_cause.find("memory_limit");
  all.push_back({s.stopped_ns, {"DOTNET_GCHeapHardLimit", fmt::format("{:#x} ({}) or more, or more memory for the container: {} live in a limit of {}, and {} of the time is stopped; {} of {} full collections for lack of memory",
                                                             enough, mb(enough), mb(s.live), mb(s.limit), percent(s.stopped()), lack == s.full_by_cause.end() ? 0 : lack->second.first, s.full)}});
}

// Without a limit old space grows by a quarter to twice what lives, as its full collections take much of the time (cycle.lean), and what is set is in the place of that.
std::string more_growth(const Sums& s) { return s.limit != 0 ? "GARNER=old_growth=200" : "GARNER=old_growth=400"; }

void about_causes(const Sums& s, std::vector<Weighed>& all) {
  auto share_of = [&](const char* cause) -> const std::pair<size_t, double>* {
    const auto it = s.full_by_cause.find(cause);
    return it != s.full_by_cause.end() && it->second.second > kMuchOfPauses * s.stopped_ns && s.stopped() > kMuchStopped / 5 ? &it->second : nullptr;
  };
  if (const auto* induced = share_of("induced"))
    all.push_back({induced->second, {"the program", fmt::format("leave out GC.Collect: {} that it asked for took {} of {} stopped", full_text(induced->first), ms(induced->second), ms(s.stopped_ns))}});
  if (const auto* large = share_of("large_budget"))
    all.push_back({large->second, {fmt::format("the program, or {}", more_growth(s)), fmt::format("use large arrays again (ArrayPool), or let old space grow where memory allows: {} because of large objects took {} of {} stopped",
                                                                                   full_text(large->first), ms(large->second), ms(s.stopped_ns))}});
  if (const auto* low = share_of("low_memory"))
    all.push_back({low->second, {"DOTNET_GCHeapHardLimit", fmt::format("less than what the machine can spare: {} because its memory ran short took {} of {} stopped", full_text(low->first), ms(low->second), ms(s.stopped_ns))}});
}

// Full collections that the heap's growth brought, and nobody asked for. A limit near what lives is about_limit's.
void about_growth(const Sums& s, std::vector<Weighed>& all) {
  size_t count = 0;
  double ns = 0;
  std::string causes;
  for (const auto& [cause, seen] : s.full_by_cause) {
    if (cause == "induced" || cause == "large_budget" || cause == "low_memory" || cause == "idle" || cause == "no_gc_region" || cause == "stress") continue;
    count += seen.first, ns += seen.second;
    causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", cause, seen.first);
  }
  const bool near = s.limit != 0 && s.live != 0 && double(s.limit) < kRoom * double(s.live), tight = s.limit != 0 && double(s.limit) < kTightLimit * double(s.live);
  if (count == 0 || near || s.share(ns) < kMuchStopped) return;
  const std::string why = fmt::format("{} ({}) took {} of {} stopped, {} of the time", full_text(count), causes, ms(ns), ms(s.stopped_ns), percent(s.share(ns)));
  if (tight) all.push_back({ns, {"DOTNET_GCHeapHardLimit", fmt::format("{0:#x} ({1}) or more, or more memory for the container: {2}; {3} live in a limit of {4}", uint64_t(1.25 * kTightLimit * double(s.live)),
                                                                     mb(uint64_t(1.25 * kTightLimit * double(s.live))), why, mb(s.live), mb(s.limit))}});
  else all.push_back({ns, {more_growth(s), fmt::format("where memory allows: {}; old space then grows by {} what lives before the next one", why, s.limit != 0 ? "at least twice" : "four times")}});
}

// A full pause far above the goal that the program's settings have if they do not name another.
void about_longest(const Sums& s, std::vector<Weighed>& all) {
  const double goal = double(Settings().get(Opt::pause_goal)) * 1e6;
  const Longest& full = s.longest_full;
  if (full.ns > kLongPause * goal && full.heap >= kWorthMarking && full.cause != "marked") // who marks beside the program already has no more to set
    all.push_back({full.ns, {"GARNER=marking=concurrent", fmt::format("the longest pause of a full collection ({}), {}, is {:.1f} times cycle.pause_goal ({} unless set); old objects, of a heap of {}, are then marked beside the program; the price is processor time, and memory, as what dies meanwhile is found later",
                                                             full.cause, ms(full.ns), full.ns / goal, ms(goal), mb(full.heap))}});
}

// Young pauses that are long one after another, by what they copy. A smaller eden is collected more often, and where even the smallest is near what was young it gains nothing.
void about_eden(const Sums& s, std::vector<Weighed>& all) {
  const double goal = double(Settings().get(Opt::pause_goal)) * 1e6;
  std::vector<double> pauses, young; // young: of those that are too long
  for (const Copying& one : s.copying) {
    pauses.push_back(one.ns);
    if (one.ns > kLongPause * goal) young.push_back(double(one.young));
  }
  const double most = percentile(pauses, 95), had = median(young);
  if (young.size() < kSeveral || most <= kLongPause * goal) return;
  const uint64_t size = std::max(uint64_t(had * goal / most), uint64_t(Settings().get(Opt::eden_min))) >> 20;
  const double often = had / double(size << 20);
  if (often < 2) return;
  all.push_back({most, {fmt::format("GARNER=eden_max={}m", size), fmt::format("of {} that copied, {} stopped the program for more than {} beside the stopping of threads, and the 95th percentile, {}, is {:.1f} times cycle.pause_goal ({} unless set), with {} of young objects; "
                                                      "the price is collections about {:.0f} times as often", count_text(pauses.size(), "young collection", "young collections"), young.size(), ms(kLongPause * goal), ms(most), most / goal, ms(goal), mb(uint64_t(had)), often)}});
}

void about_stopping(const Sums& s, std::vector<Weighed>& all) {
  if (s.collections == 0 || s.stopping_ns < kMuchOfPauses * s.stopped_ns || s.stopping_ns / double(s.collections) < 1e6) return;
  all.push_back({s.stopping_ns, {"processors", fmt::format("more of them, or fewer threads: to bring the program's threads to a stop took {} of {}, the longest {}; who has no processor cannot stop (a cpu quota, another program, long native calls do not matter)",
                                                           ms(s.stopping_ns), ms(s.stopped_ns), ms(s.longest_stop_ns))}});
}

void about_workers(const Sums& s, std::vector<Weighed>& all) {
  if (s.work_ns == 0 || s.workers < 2 || s.idle_ns < kIdle * s.work_ns || s.stopped() < kMuchStopped) return;
  if (s.idle_ns > s.work_ns) return; // a log of before: what it calls idle is no part of the rest
  all.push_back({s.stopped_ns * kMuchOfPauses, {fmt::format("GARNER=workers={}", std::max(unsigned(std::ceil(s.workers * (1 - s.idle_ns / s.work_ns))), 1u)), fmt::format("instead of {}: of the time of collections with several threads they found nothing to do for {}; lists and large objects cannot be shared, or others hold their processors",
                                                                              s.workers, percent(s.idle_ns / s.work_ns))}});
}

void about_heap(const Sums& s, std::vector<Weighed>& all) {
  if (s.heap != 0 && double(s.fragmented) > kFragmented * double(s.heap) && s.pinned >= 1000)
    all.push_back({0, {"the program", fmt::format("pinned buffers from GC.AllocateArray(pinned: true) or from a pool: {} pinned objects, {} in holes beside a heap of {}", s.pinned, mb(s.fragmented), mb(s.heap))}});
  if (s.finalize_pending >= 100'000)
    all.push_back({0, {"the program", fmt::format("Dispose and GC.SuppressFinalize: {} objects wait for their finalizer, which one thread runs", s.finalize_pending)}});
}

} // namespace

std::vector<Counsel> counsel_of(const LogData& log) {
  const Sums sums = sums_of(log);
  std::vector<Weighed> all;
  for (auto rule : {about_limit, about_causes, about_growth, about_longest, about_eden, about_stopping, about_workers, about_heap}) rule(sums, all);
  std::stable_sort(all.begin(), all.end(), [](const Weighed& a, const Weighed& b) { return a.ns > b.ns; });
  std::vector<Counsel> out;
  for (Weighed& one : all) out.push_back(std::move(one.counsel));
  return out;
}

std::vector<Counsel> counsel_of(const CgroupFacts& cgroups, const std::string& huge, const std::string& settings) {
  std::vector<Counsel> all;
  if (cgroups.memory_high && (!cgroups.memory || cgroups.memory_high->value < cgroups.memory->value)) {
    const uint64_t sane = cgroups.memory_high->value / 4 * 3;
    all.push_back({"DOTNET_GCHeapHardLimit", fmt::format("{:#x} ({}), three quarters of memory.high: the runtime knows of memory.max only, and above memory.high the system slows the program down", sane, mb(sane))});
  }
  Settings parsed;
  if (!parsed.parse(settings.c_str())) return all;
  if (huge == "never" && parsed.as<HugePages>(Opt::huge_pages) != HugePages::off)
    all.push_back({"/sys/kernel/mm/transparent_hugepage/enabled", fmt::format("madvise: {} asks for pages of 2 MB and gets none", kTable[size_t(Opt::huge_pages)].name)});
  for (auto [option, off, why] : {std::tuple(Opt::verify, int64_t(0), "walks the whole heap around every collection"), {Opt::poison, 0, "fills what is freed"}, {Opt::stress_every, 0, "collects without need"}})
    if (parsed.get(option) != off) all.push_back({"GARNER", fmt::format("without {}, but to find a fault: it {}", kTable[size_t(option)].name, why)});
  return all;
}

std::string sum_text(const LogData& log) {
  const Sums s = sums_of(log);
  std::string text = fmt::format("{}, {} full", count_text(s.collections, "collection", "collections"), s.full);
  if (s.ran_ns > 0) text += fmt::format(", {} stopped of {} s: {:.1f} %", ms(s.stopped_ns), seconds_text(s.ran_ns / 1e9), s.stopped() * 100);
  return text;
}

} // namespace garner::tool
