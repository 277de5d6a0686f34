// garner_sim_workloads: one workload (tools/sim/workloads.h) on a simulated machine, for a list of option texts and worker counts.
//
//   garner_sim_workloads WORKLOAD [--machine FILE|NAME] [--workers N,N,…] [--options LIST]… [--percent P] [--graph-percent P] [--eden-percent P] [--from-start] [--lines] [--log FILE]
//
// --lines tells below each at which places of the source the workers spent their time with atomic operations, in collections, the dearest eight.
// --log writes the last simulation's collections as a JSON log, with timelines and the locality matrix: garner report FILE.
//
// A line for each: pauses and throughput, MB that a collection copied and asked of memories, in virtual time, which repeat to the last digit; "host s" is this program's processor time.
#include <cstdio>
#include <string>
#include <vector>

#include "arguments.h"
#include "options/parse.h"
#include "paths.h"
#include "sim/log_lines.h"
#include "sim/simulation.h"
#include "sim/workloads.h"

namespace garner::bench {
namespace {

using namespace simulation;

struct Options {
  std::string workload, machine = "amd48", log;
  std::vector<std::string> options;
  std::vector<u32> workers = {1, 8, 48};
  u32 percent = 100, graph_percent = 100, eden_percent = 100; // as of an experiment's run
  bool from_start = false, lines = false;
};

void print(const std::string& options, u32 workers, const Measures& m) {
  const Traffic t = m.traffic();
  printf("%-34s %4u %4zu %9.3f %8.2f %9.2f %7.1f%% %6.2f", options.c_str(), workers, m.collections.size(), m.mean_pause_ms(), m.gc_throughput(), double(m.app_ns()) / 1e6,
         100 * m.remote_share(), double(m.copied_bytes()) / 1e6 / double(max_of<usize>(m.collections.size(), 1)));
  printf(" %6.1f", double(m.asked().all) / 1e6 / double(max_of<usize>(m.collections.size(), 1)));
  for (usize s = 0; s < kSpaceKinds && !t.empty(); s++) printf("  %s %.2f/%.2f", name_of(SpaceKind(s)), t.non_locality(SpaceKind(s)), t.imbalance(SpaceKind(s)));
  double stop = 0, gather = 0, evacuate = 0, weak = 0, finish = 0;
  for (const Collection& c : m.collections)
    stop += double(c.end.stop_ns), gather += double(c.end.gather_ns), evacuate += double(c.end.evacuate_ns), weak += double(c.end.weak_ns), finish += double(c.end.finish_ns);
  const double each = 1e6 * double(max_of<usize>(m.collections.size(), 1));
  printf("  stop %.2f gather %.2f evacuate %.2f weak %.2f finish %.2f ms", stop / each, gather / each, evacuate / each, weak / each, finish / each);
  printf("  %.2f s %016llx\n", m.host_seconds, static_cast<unsigned long long>(m.digest));
  fflush(stdout);
}

const Pattern& pattern_of(const std::string& name) {
  if (const Pattern* found = find_pattern(name); found != nullptr) return *found;
  std::string all;
  for (const Pattern& p : patterns()) all += std::string(" ") + p.name;
  throw tool::UsageError("no workload is called '" + tool::shortened(name) + "'; there are" + all);
}

int bench(const Options& options, const Pattern& found, const tool::MachineFile& file) {
  int code = 0;
  const Pattern pattern = scaled(found, options.percent, options.graph_percent, options.eden_percent);
  printf("%s: %s; %s, eden %llu MiB\n", pattern.name, pattern.like, file.name.c_str(), static_cast<unsigned long long>(pattern.eden / MiB));
  printf("%-34s %4s %4s %9s %8s %9s %8s %6s %6s  space non-locality/imbalance, host s, digest\n", "options", "wrk", "gcs", "pause ms", "GB/s", "app ms", "remote", "copied", "asked");
  for (const std::string& text : options.options)
    for (u32 workers : options.workers) {
      Spec spec = spec_of(pattern, options.from_start);
      spec.machine = file.config();
      spec.options = text;
      spec.workers = workers;
      spec.lines = options.lines;
      spec.timeline = spec.locality = !options.log.empty();
      Transactions program(pattern, options.from_start);
      const Measures m = simulate(spec, program);
      if (!m.error.empty()) fprintf(stderr, "garner_sim_workloads: %s: %s\n", text.c_str(), m.error.c_str()), code = tool::kExitFailed;
      else print(text, workers, m);
      for (usize i = 0; i < m.lines.size() && i < 8; i++)
        printf("  %-24s %10llu times %10.1f us of each worker, %5.1f %% of the pauses\n", m.lines[i].place.c_str(), static_cast<unsigned long long>(m.lines[i].visits), double(m.lines[i].ps) / 1e6 / workers,
               100 * double(m.lines[i].ps) / 1e3 / workers / double(max_of<u64>(m.pause_ns, 1)));
      if (options.log.empty()) continue;
      FILE* file = fopen(options.log.c_str(), "w");
      const std::string lines = log_lines(m);
      if (file == nullptr || fwrite(lines.data(), 1, lines.size(), file) != lines.size() || fclose(file) != 0) {
        fprintf(stderr, "garner_sim_workloads: %s cannot be written\n", options.log.c_str());
        return tool::kExitFailed;
      }
    }
  return code;
}

} // namespace
} // namespace garner::bench

int main(int count, char** args) {
  using namespace garner::bench;
  Options options;
  CLI::App app("One workload on a simulated machine, for a list of option texts and numbers of workers", "garner_sim_workloads");
  app.add_option("WORKLOAD", options.workload, "Its name; with one that there is not, all are named")->required();
  app.add_option("--machine", options.machine, "A machine file, by name ('garner machine list') or path")->type_name("NAME|FILE")->capture_default_str();
  add_workers(app, options.workers);
  app.add_option("--options", options.options, "Options of the collector; each list is tried, preset=ps and preset=naps if none is given")->type_name("LIST")->allow_extra_args(false)->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  for (const auto& [name, value, of] : {std::tuple{"--percent", &options.percent, "heap"}, {"--graph-percent", &options.graph_percent, "graph"}, {"--eden-percent", &options.eden_percent, "eden alone"}})
    app.add_option(name, *value, std::string("Of the workload's ") + of)->type_name("P")->check(CLI::Range(1, 10000))->capture_default_str();
  app.add_flag("--from-start", options.from_start, "Measure from the program's start");
  app.add_flag("--lines", options.lines, "Tell at which places of the source the workers spent their time with atomic operations");
  app.add_option("--log", options.log, "Write the last simulation's collections as a JSON log: garner report FILE")->type_name("FILE");
  return run_with(app, count, args, [&] {
    const Pattern& pattern = pattern_of(options.workload);
    const garner::tool::MachineFile file = garner::tool::find_machine(options.machine);
    check_workers(app, file, options.workers);
    if (options.options.empty()) options.options = {"preset=ps", "preset=naps"};
    for (const std::string& text : options.options) settings_of(text);
    garner::tool::want_place_for(options.log);
    return bench(options, pattern, file);
  });
}
