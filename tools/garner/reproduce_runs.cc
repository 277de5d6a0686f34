// One run of `garner reproduce` (reproduce.h): the simulation, and its measures as JSON.
#include "machine_file.h"
#include "paths.h"
#include "placement_bench.h"
#include "replay.h"
#include "reproduce.h"
#include "sim/simulation.h"
#include "sim/workloads.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace garner::tool {

using json = nlohmann::ordered_json;
using namespace simulation;

namespace {

json spaces_json(const Traffic& traffic) {
  json all = json::object();
  for (usize s = 0; s < kSpaceKinds && !traffic.empty(); s++) {
    const SpaceKind space = SpaceKind(s);
    all[name_of(space)] = {{"accesses", traffic.accesses(space)},
                           {"non_locality", traffic.non_locality(space)},
                           {"reads_non_locality", traffic.non_locality(space, Traffic::Way::reads)},
                           {"writes_non_locality", traffic.non_locality(space, Traffic::Way::writes)},
                           {"imbalance", traffic.imbalance(space)},
                           {"by_home", traffic.by_home(space)}};
  }
  return all;
}

json matrix_json(const LocalityMatrix& matrix) {
  json rows = json::array();
  for (u32 i = 0; i < matrix.nodes(); i++) {
    json row = json::array();
    for (u32 j = 0; j < matrix.nodes(); j++) row.push_back(std::round(matrix.share(i, j) * 100) / 100);
    rows.push_back(row);
  }
  return {{"locality", matrix.locality()}, {"trace", matrix.trace()}, {"rows", matrix.rows_used()}, {"matrix", rows}};
}

json locality_json(const Measures& m) {
  Locality sum;
  for (const Collection& c : m.collections) sum.add(c.locality);
  json all = {{"all", matrix_json(sum.all)}};
  for (usize s = 0; s < kRootSources; s++) all[kRootSourceNames[s]] = matrix_json(sum.by_source[s]);
  all["crossing_edges"] = sum.edges == 0 ? 0 : double(sum.crossing) / double(sum.edges);
  return all;
}

json measures_json(const Measures& m, const sim::Shape& shape) {
  u64 evacuate = 0, gather = 0, finish = 0, cards = 0, dirty = 0, slots = 0, requests = 0;
  for (const Collection& c : m.collections) {
    evacuate += c.end.evacuate_ns, gather += c.end.gather_ns, finish += c.end.finish_ns, cards += c.end.cards_ns;
    for (const WorkerLine& w : c.workers) slots += w.stats.slots, dirty += w.stats.cards, requests += w.stats.requests_sent;
  }
  json all = {{"collections", m.collections.size()}, {"mean_pause_ms", m.mean_pause_ms()}, {"pause_ns", m.pause_ns}, {"wall_ns", m.wall_ns}, {"app_ns", m.app_ns()},
              {"allocated", m.allocated}, {"gc_gb_s", m.gc_throughput()}, {"gc_share", m.wall_ns == 0 ? 0 : double(m.pause_ns) / double(m.wall_ns)},
              {"program_gb_s", m.wall_ns == 0 ? 0 : double(m.allocated) / double(m.wall_ns)}, {"resize_share", m.pause_ns == 0 ? 0 : double(m.resize_ns) / double(m.pause_ns)},
              {"copied_bytes", m.copied_bytes()}, {"copied_objects", m.copied_objects()}, {"remote_share", m.remote_share()}, {"gather_ns", gather}, {"evacuate_ns", evacuate},
              {"finish_ns", finish}, {"cards_ns", cards}, {"dirty_cards", dirty}, {"slots", slots}, {"requests_sent", requests}, {"steals_by_distance", m.steals_by_distance(shape)}, {"gc_lock_taken", m.gc_lock_taken},
              {"gc_lock_wait_ns", m.gc_lock_wait_ns}, {"eden_pages_first", m.eden_pages_first()}, {"spaces", spaces_json(m.traffic())}, {"digest", fmt::format("{:016x}", m.digest)}};
  if (!m.collections.empty() && m.collections[0].locality.all.nodes() != 0) all["locality"] = locality_json(m);
  return all;
}

json run_micro_benchmark(const Run& run, const MachineFile& file) {
  const std::string name = run.workload.substr(run.workload.find(':') + 1);
  for (Placement placement : kPlacements)
    if (name == placement_name(placement)) {
      const PlacementPoint point = run_placement(file.config(), placement, run.workers, u64(run.percent) * MiB);
      return {{"gb_s", point.gb_per_s()}, {"ns", point.ns}, {"bytes", point.bytes}, {"digest", fmt::format("{:016x}", point.digest)}};
    }
  return {{"error", "no such placement"}};
}

} // namespace

// Options are "preset=NAME" and what comes after it.
json run_recording(const Run& run) {
  ReplayArgs args;
  args.file = find_recording(run.workload.substr(run.workload.find(':') + 1));
  args.machine = run.machine;
  const usize begin = run.options.find('=') + 1, end = std::min(run.options.find(','), run.options.size());
  args.presets = run.options.substr(begin, end - begin);
  args.options = run.options.substr(std::min(end + 1, run.options.size()));
  args.workers = std::to_string(run.workers);
  args.seed = kReproduceSeed;
  ReplayPlan plan;
  make_plan(args, plan);
  return measures_json(replay(plan, args.presets, run.workers, false).measures, plan.machine.shape);
}

json execute(const Run& run) {
  const MachineFile file = find_machine(run.machine);
  if (run.workload.starts_with("recording:")) return run_recording(run);
  if (run.workload.starts_with("placement:")) return run_micro_benchmark(run, file);
  const Pattern* found = find_pattern(run.workload);
  if (found == nullptr) return {{"error", "no workload is called " + run.workload}};
  Pattern pattern = scaled(*found, run.percent, run.graph_percent, run.eden_percent);
  if (run.collections != 0) pattern.collections = run.collections;
  Spec spec = spec_of(pattern, run.from_start);
  spec.machine = file.config();
  spec.options = run.options;
  spec.workers = run.workers;
  spec.seed = kReproduceSeed;
  spec.eden_min = pattern.eden * run.eden_min_percent / 100;
  spec.eden_max = pattern.eden * run.eden_max_percent / 100;
  spec.locality = run.locality;
  Transactions program(pattern, run.from_start);
  const Measures m = simulate(spec, program);
  if (!m.error.empty()) return {{"error", m.error}};
  json result = measures_json(m, file.shape);
  result["transactions"] = program.transactions();
  return result;
}

std::string Run::key() const {
  return fmt::format("{} {} {} workers={} percent={} collections={} graph={} eden={} from_start={} locality={} eden_sizes={}-{}", machine, workload, options, workers, percent, collections,
                     graph_percent, eden_percent, from_start, locality, eden_min_percent, eden_max_percent);
}

const json* Results::good(const Run& run) const {
  const auto found = all_.find(run.key());
  return found == all_.end() || found->second.contains("error") ? nullptr : &found->second;
}

std::string Results::error(const Run& run) const {
  const auto found = all_.find(run.key());
  return found == all_.end() ? "not run" : found->second.value("error", "");
}

double Results::number(const Run& run, const std::string& path) const {
  const json* at = good(run);
  if (at == nullptr) return kNone;
  const json::json_pointer pointer("/" + path);
  return at->contains(pointer) && (*at)[pointer].is_number() ? (*at)[pointer].get<double>() : kNone;
}

} // namespace garner::tool
