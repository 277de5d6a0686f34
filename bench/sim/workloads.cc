// garner_sim_workloads: one workload (tools/sim/workloads.h) on a simulated machine, for a list of option texts and worker counts.
//
//   garner_sim_workloads WORKLOAD [--machine FILE|NAME] [--workers N,N,…] [--options LIST]… [--percent P] [--graph-percent P] [--eden-percent P] [--from-start] [--lines] [--log FILE]
//
// --lines tells below each at which places of the source the workers spent their time with atomic operations, in collections, the dearest eight.
// --log writes the last simulation's collections as a JSON log, with timelines and the locality matrix: garner report FILE.
//
// A line for each: pauses and throughput, MB that a collection copied and asked of memories, in virtual time, which repeat to the last digit; "host s" is this program's processor time.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "machine_file.h"
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

int usage() {
  fprintf(stderr, "usage: garner_sim_workloads WORKLOAD [--machine FILE|NAME] [--workers N,N,…] [--options LIST]… [--percent P] [--graph-percent P] [--eden-percent P] [--from-start] [--lines] [--log FILE]\n");
  return 2;
}

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

int bench(const Options& options) {
  const Pattern* found = find_pattern(options.workload);
  if (found == nullptr) {
    fprintf(stderr, "garner_sim_workloads: no workload is called %s; there are", options.workload.c_str());
    for (const Pattern& p : patterns()) fprintf(stderr, " %s", p.name);
    fprintf(stderr, "\n");
    return 2;
  }
  tool::MachineFile file;
  std::string trouble;
  if (!tool::find_machine(options.machine, file, trouble)) {
    fprintf(stderr, "garner_sim_workloads: %s\n", trouble.c_str());
    return 2;
  }
  const Pattern pattern = scaled(*found, options.percent, options.graph_percent, options.eden_percent);
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
      if (!m.error.empty()) fprintf(stderr, "garner_sim_workloads: %s: %s\n", text.c_str(), m.error.c_str());
      else print(text, workers, m);
      for (usize i = 0; i < m.lines.size() && i < 8; i++)
        printf("  %-24s %10llu times %10.1f us of each worker, %5.1f %% of the pauses\n", m.lines[i].place.c_str(), static_cast<unsigned long long>(m.lines[i].visits), double(m.lines[i].ps) / 1e6 / workers,
               100 * double(m.lines[i].ps) / 1e3 / workers / double(max_of<u64>(m.pause_ns, 1)));
      if (options.log.empty()) continue;
      FILE* file = fopen(options.log.c_str(), "w");
      const std::string lines = log_lines(m);
      if (file == nullptr || fwrite(lines.data(), 1, lines.size(), file) != lines.size() || fclose(file) != 0) {
        fprintf(stderr, "garner_sim_workloads: %s cannot be written\n", options.log.c_str());
        return 1;
      }
    }
  return 0;
}

bool read_options(int count, char** args, Options& options) {
  if (count < 2) return false;
  options.workload = args[1];
  for (int i = 2; i < count; i++) {
    if (bool* flag = strcmp(args[i], "--from-start") == 0 ? &options.from_start : strcmp(args[i], "--lines") == 0 ? &options.lines : nullptr; flag != nullptr) {
      *flag = true;
      continue;
    }
    if (i + 1 == count) return false;
    const std::string value = args[++i];
    if (strcmp(args[i - 1], "--machine") == 0) options.machine = value;
    else if (strcmp(args[i - 1], "--log") == 0) options.log = value;
    else if (strcmp(args[i - 1], "--options") == 0) options.options.push_back(value);
    else if (strcmp(args[i - 1], "--percent") == 0) options.percent = u32(clamp_to<u64>(strtoull(value.c_str(), nullptr, 10), 1, 10000));
    else if (strcmp(args[i - 1], "--graph-percent") == 0) options.graph_percent = u32(clamp_to<u64>(strtoull(value.c_str(), nullptr, 10), 1, 10000));
    else if (strcmp(args[i - 1], "--eden-percent") == 0) options.eden_percent = u32(clamp_to<u64>(strtoull(value.c_str(), nullptr, 10), 1, 10000));
    else if (strcmp(args[i - 1], "--workers") == 0) {
      options.workers.clear();
      for (usize at = 0; at < value.size(); at = value.find(',', at) == std::string::npos ? value.size() : value.find(',', at) + 1)
        options.workers.push_back(u32(clamp_to<u64>(strtoull(value.c_str() + at, nullptr, 10), 1, 1024)));
    } else return false;
  }
  if (options.options.empty()) options.options = {"preset=ps", "preset=naps"};
  return !options.workers.empty();
}

} // namespace
} // namespace garner::bench

int main(int count, char** args) {
  garner::bench::Options options;
  return garner::bench::read_options(count, args, options) ? garner::bench::bench(options) : garner::bench::usage();
}
