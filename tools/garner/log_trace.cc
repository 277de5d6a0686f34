#include "log_trace.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "table.h"

namespace garner::tool {
namespace {

using json = nlohmann::ordered_json;

constexpr uint64_t kPids = 1 << 22; // Linux has no more, and viewers know a process by its number alone
constexpr unsigned kCollections = 1, kFirstWorker = 2; // tracks of a process; 0 is no thread

struct Slice { double begin_ns, end_ns; std::string name; json args; };

// In order and none upon another: where two meet, the later one begins when the earlier one has ended. What lies outside is cut off.
std::vector<Slice> in_turn(std::vector<Slice> slices, double begin_ns, double end_ns) {
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.begin_ns < b.begin_ns; });
  std::vector<Slice> all;
  for (Slice& s : slices) {
    s.begin_ns = std::max(s.begin_ns, begin_ns), s.end_ns = std::min(s.end_ns, end_ns);
    if (s.end_ns <= s.begin_ns) continue;
    begin_ns = s.end_ns;
    all.push_back(std::move(s));
  }
  return all;
}

// Slices in two where an edge of `outer` lies in them, so that each piece is within one of those or in none.
std::vector<Slice> divided(const std::vector<Slice>& slices, const std::vector<Slice>& outer) {
  std::vector<double> edges;
  for (const Slice& o : outer) edges.push_back(o.begin_ns), edges.push_back(o.end_ns);
  std::vector<Slice> all;
  for (Slice s : slices) {
    for (auto edge = std::upper_bound(edges.begin(), edges.end(), s.begin_ns); edge != edges.end() && *edge < s.end_ns; ++edge) {
      if (*edge == s.begin_ns) continue;
      all.push_back({s.begin_ns, *edge, s.name, s.args});
      s.begin_ns = *edge;
    }
    all.push_back(std::move(s));
  }
  return all;
}

class Trace {
 public:
  explicit Trace(double first_ns) : first_ns_(first_ns) {}

  void name(const char* what, uint64_t pid, unsigned track, const std::string& text) { add({{"ph", "M"}, {"name", what}, {"pid", pid}, {"tid", track}, {"args", {{"name", text}}}}); }
  void order(uint64_t pid, unsigned track) { add({{"ph", "M"}, {"name", "thread_sort_index"}, {"pid", pid}, {"tid", track}, {"args", {{"sort_index", track}}}}); }
  void slices(const char* category, uint64_t pid, unsigned track, const std::vector<Slice>& all) {
    for (const Slice& s : all) {
      const double begin = whole(s.begin_ns), ns = whole(s.end_ns) - begin;
      if (ns <= 0) continue;
      add({{"ph", "X"}, {"cat", category}, {"name", s.name}, {"pid", pid}, {"tid", track}, {"ts", begin / 1000}, {"dur", ns / 1000}});
      if (!s.args.empty()) last_["args"] = s.args;
    }
  }
  void count(uint64_t pid, double at_ns, const char* what, u64 bytes) { add({{"ph", "C"}, {"name", what}, {"pid", pid}, {"ts", whole(at_ns) / 1000}, {"args", {{"MB", double(bytes) / kMegabyte}}}}); }
  std::string text(const json& more) {
    add(nullptr);
    return fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[\n{}\n]}}\n", more.dump(), events_);
  }

 private:
  double whole(double ns) const { return std::max(0.0, std::round(ns - first_ns_)); }
  void add(json event) { // a line each
    if (!last_.is_null()) events_ += (events_.empty() ? "" : ",\n") + last_.dump();
    last_ = std::move(event);
  }
  const double first_ns_;
  std::string events_;
  json last_; // not yet among them
};

double first_ns(const LogData& log) {
  double first = log.cycles.begin()->second.start_ns;
  for (const auto& [name, c] : log.cycles) first = std::min(first, c.start_ns);
  for (uint64_t pid : log.processes)
    if (const auto made = log.made_ns.find(pid); made != log.made_ns.end()) first = std::min(first, made->second);
  return first;
}

json args_of(uint64_t index, const CycleSeen& c) {
  json args = {{"index", index}, {"kind", c.kind}, {"cause", c.cause}, {"stop_ns", u64(std::min(c.stop_ns, 1e18))}};
  for (const CycleKey& key : kCycleKeys) args[key.name] = c.figures.*key.at;
  return args;
}

json args_of(const WorkerStats& stats) {
  json args = json::object();
  for (const WorkerKey& key : kWorkerKeys)
    if (stats.*key.at != 0) args[key.name] = stats.*key.at;
  return args;
}

void add_sizes(Trace& trace, uint64_t pid, const CycleEnd& sizes, const Slice& pause) {
  if (sizes.heap_before + sizes.heap_after == 0) return;
  trace.count(pid, pause.begin_ns, "heap", sizes.heap_before);
  trace.count(pid, pause.begin_ns, "young", sizes.young_before);
  trace.count(pid, pause.end_ns, "heap", sizes.heap_after);
  trace.count(pid, pause.end_ns, "young", sizes.young_after);
  trace.count(pid, pause.end_ns, "old", sizes.old_after);
  trace.count(pid, pause.end_ns, "large", sizes.large_after);
  trace.count(pid, pause.end_ns, "committed", sizes.committed);
  trace.count(pid, pause.end_ns, "promoted", sizes.promoted);
  if (sizes.limit != 0) trace.count(pid, pause.end_ns, "limit", sizes.limit);
}

void add_phases(Trace& trace, uint64_t pid, const CycleSeen& c, const Slice& pause) {
  std::vector<Slice> phases;
  if (c.stop_ns > 0) phases.push_back({c.start_ns, c.start_ns + c.stop_ns, "stopping threads", nullptr});
  for (const PhaseTime& p : phases_of(c)) phases.push_back({c.start_ns + p.begin_ns, c.start_ns + p.end_ns, p.name, nullptr});
  trace.slices("phase", pid, kCollections, in_turn(std::move(phases), pause.begin_ns, pause.end_ns));
}

void add_workers(Trace& trace, uint64_t pid, const CycleSeen& c, const Slice& pause) {
  std::map<unsigned, std::vector<Slice>> phases, activities;
  for (const auto& [worker, seen] : c.work)
    for (const PhaseSeen& one : seen.records) phases[worker].push_back({double(one.stats.start_ns), double(one.stats.end_ns), one.phase, args_of(one.stats)});
  for (auto& [worker, all] : phases) {
    all = in_turn(std::move(all), pause.begin_ns, pause.end_ns);
    trace.slices("phase", pid, kFirstWorker + worker, all);
  }
  for (const SpanSeen& s : c.spans)
    if (s.what < kActivities) activities[s.worker].push_back({s.begin_ns, s.end_ns, name_of(Activity(s.what)), nullptr});
  for (auto& [worker, all] : activities) trace.slices("activity", pid, kFirstWorker + worker, divided(in_turn(std::move(all), pause.begin_ns, pause.end_ns), phases[worker]));
}

void add_names(Trace& trace, const LogData& log, uint64_t process, uint64_t pid) {
  trace.name("process_name", pid, kCollections, fmt::format("Garner{}{}{}", log.preset.empty() ? "" : ", preset " + log.preset, log.simulated ? ", simulated" : "", pid_of(process) == process ? "" : ", process " + process_name(process)));
  trace.name("thread_name", pid, kCollections, "collections");
  trace.order(pid, kCollections);
  std::map<unsigned, std::string> workers;
  for (auto c = log.cycles.lower_bound({process, 0}); c != log.cycles.end() && c->first.first == process; ++c) {
    for (const auto& [worker, seen] : c->second.work) workers.emplace(worker, fmt::format("worker {}, node {}", worker, seen.node));
    for (const SpanSeen& s : c->second.spans) workers.emplace(s.worker, fmt::format("worker {}", s.worker));
  }
  for (const auto& [worker, text] : workers) trace.name("thread_name", pid, kFirstWorker + worker, text), trace.order(pid, kFirstWorker + worker);
}

} // namespace

std::string trace_of(const LogData& log) {
  const double first = first_ns(log);
  Trace trace(first);
  for (uint64_t process : log.processes) {
    const uint64_t pid = (log.simulated ? 1 : pid_of(process)) + (process >> 32) * kPids; // a simulation's is 0, which viewers take for the idle process
    add_names(trace, log, process, pid);
    std::vector<std::pair<uint64_t, const CycleSeen*>> cycles;
    for (auto c = log.cycles.lower_bound({process, 0}); c != log.cycles.end() && c->first.first == process; ++c) cycles.push_back({c->first.second, &c->second});
    std::stable_sort(cycles.begin(), cycles.end(), [](const auto& a, const auto& b) { return a.second->start_ns < b.second->start_ns; });
    double end = first;
    for (const auto& [index, c] : cycles) {
      const Slice pause{std::max(end, c->start_ns), c->start_ns + c->pause_ns, c->kind.empty() ? "collection" : c->kind, args_of(index, *c)};
      if (pause.end_ns <= pause.begin_ns) continue;
      end = pause.end_ns;
      trace.slices("pause", pid, kCollections, {pause});
      add_phases(trace, pid, *c, pause);
      add_workers(trace, pid, *c, pause);
      add_sizes(trace, pid, c->figures, pause);
    }
  }
  return trace.text({{"simulated", log.simulated}, {"began_ns", u64(std::min(first, 1e18))}});
}

} // namespace garner::tool
