// G1 and G2: the default preset against the papers' on every machine file, and what each of its ingredients gives. Not of a paper.
//
// A case is a machine, a workload and a number of collector threads that the machine has processors for; its figure is what a byte that the program allocates costs in
// pauses, for a recording the pause of its one collection. Not the mean pause: buffers of 64 KiB, the papers', fill eden sooner, and with more, shorter collections the
// mean is less while the program stands longer.
// Workloads are the three recordings that come with the tree and generators of both papers, at a quarter of their size; xalan whole, a quarter of whose eden would
// be less than a buffer for each of its threads.
// A small change of an option shifts who steals what from whom: single cases differ by a tenth or two for no other reason. Geometric means over all cases say more.
#include "reproduce.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "machine_file.h"

namespace garner::tool {
namespace {

struct Case { std::string machine, workload; unsigned workers; };

const std::vector<std::string> kPapers = {"ps", "naps", "org", "aggressive", "hybrid", "relaxed"};
const std::vector<std::string> kRecorded = {"recording:warehouse", "recording:xml-transform", "recording:roslyn"};

std::vector<Case> cases_of(const std::vector<std::string>& machines, const std::vector<std::string>& workloads, const std::vector<unsigned>& workers) {
  std::vector<Case> all;
  for (const std::string& m : machines) {
    const MachineFile file = find_machine(m);
    for (const std::string& w : workloads)
      for (unsigned n : workers)
        if (n <= file.threads()) all.push_back({m, w, n});
  }
  return all;
}

std::vector<Case> all_cases(const Scale& scale) {
  if (scale.quick) return cases_of({"amd48", "epyc-2s"}, {"recording:warehouse", "recording:roslyn", "tradesoap"}, {1, 8, 48});
  std::vector<std::string> workloads = kRecorded;
  for (const char* name : {"jbb", "tradesoap", "xalan"}) workloads.push_back(name);
  return cases_of({"amd48", "amd48a", "amd64", "xeon-2s", "epyc-2s", "epyc-2s-nps1", "cxl-box", "optane-server"}, workloads, {1, 8, 16, 32, 48, 64, 128, 192});
}

Run run_of(const Case& one, const std::string& options) {
  Run run;
  run.machine = one.machine;
  run.workload = one.workload;
  run.options = options;
  run.workers = one.workers;
  run.percent = one.workload == "xalan" ? 100 : 25;
  run.collections = 4;
  return run;
}
// The schemes with the lock of X1 to X7: the spinning one is the other paper's, and would decide everything (reproduce_topology.cc).
std::string preset(const std::string& name) {
  const char* const more = name == "garner" ? "" : name == "ps" || name == "naps" ? ",work.root_batch=16" : ",work.root_batch=16,work.lock=posix";
  return "preset=" + name + ",cycle.resize=fixed" + more;
}

struct Mean {
  double logs = 0, squares = 0;
  unsigned n = 0;
  void add(double ratio) {
    if (!std::isnan(ratio) && ratio > 0) logs += std::log(ratio), squares += std::log(ratio) * std::log(ratio), n++;
  }
  double value() const { return n == 0 ? kNone : std::exp(logs / n); }
  // Twice the standard error of the mean's logarithm: what single cases differ by lets the mean be so much off.
  double off() const { return n < 2 ? kNone : 2 * std::sqrt(std::max(squares / n - logs / n * (logs / n), 0.0) / (n - 1)); }
};
// Milliseconds: of a recording's collection, else for each 64 MiB that were allocated.
double pause(const Results& results, const Case& one, const std::string& options) {
  const Run run = run_of(one, options);
  const double ms = results.number(run, "pause_ns") / 1e6, allocated = results.number(run, "allocated");
  return allocated == 0 ? ms : ms * 64 * 1024 * 1024 / allocated;
}
std::string name_of_case(const Case& one) { return fmt::format("{} {} {}", one.machine, one.workload.substr(one.workload.find(':') + 1), one.workers); }

// ---- G1 ----

std::vector<Run> runs_g1(const Scale& scale) {
  std::vector<Run> all;
  for (const Case& one : all_cases(scale)) {
    all.push_back(run_of(one, preset("garner")));
    for (const std::string& p : kPapers) all.push_back(run_of(one, preset(p)));
  }
  return all;
}

Section judge_g1(const Results& results, const Scale& scale) {
  Section section;
  std::map<std::string, Mean> by_preset;
  std::map<std::string, std::map<std::string, Mean>> by_machine;
  std::map<unsigned, std::map<std::string, Mean>> by_workers;
  std::vector<std::string> machines;
  std::vector<unsigned> workers;
  unsigned below = 0, known = 0, cases = 0;
  double worst = 9;
  std::string worst_case, losses;
  section.table.push_back({"machine", "workload", "threads", "garner ms", "best other", "its ms", "best other / garner"});
  for (const Case& one : all_cases(scale)) {
    cases++;
    const double own = pause(results, one, preset("garner"));
    double best = 1e99;
    bool whole = !std::isnan(own);
    std::string best_name;
    for (const std::string& p : kPapers) {
      const double other = pause(results, one, preset(p));
      whole = whole && !std::isnan(other);
      by_preset[p].add(other / own), by_machine[one.machine][p].add(other / own), by_workers[one.workers][p].add(other / own);
      if (other < best) best = other, best_name = p;
    }
    if (std::find(machines.begin(), machines.end(), one.machine) == machines.end()) machines.push_back(one.machine);
    if (std::find(workers.begin(), workers.end(), one.workers) == workers.end()) workers.push_back(one.workers);
    if (!whole) continue; // what failed is told by run_all; a claim about the rest would be another claim
    known++;
    const double ratio = best / own;
    if (ratio < 0.97) below++, losses += fmt::format("{}{} {:.2f} ({})", losses.empty() ? "" : "; ", name_of_case(one), ratio, best_name);
    if (ratio < worst) worst = ratio, worst_case = name_of_case(one);
    section.table.push_back({one.machine, one.workload, std::to_string(one.workers), fmt::format("{:.3f}", own), best_name, fmt::format("{:.3f}", best), fmt::format("{:.2f}", ratio)});
  }
  std::sort(workers.begin(), workers.end());
  Plot machine_bars{Plot::Kind::bars, "Pauses against the default preset, by machine", "machine", "preset / garner (above 1: garner is shorter)", machines, {}, true};
  Plot worker_bars{Plot::Kind::bars, "Pauses against the default preset, by threads", "collector threads", "preset / garner (above 1: garner is shorter)", {}, {}, true};
  for (unsigned n : workers) worker_bars.xs.push_back(std::to_string(n));
  for (const std::string& p : {"ps", "naps"}) {
    Series of_machines{p, {}}, of_workers{p, {}};
    for (const std::string& m : machines) of_machines.values.push_back(by_machine[m][p].value());
    for (unsigned n : workers) of_workers.values.push_back(by_workers[n][p].value());
    machine_bars.series.push_back(of_machines), worker_bars.series.push_back(of_workers);
  }
  section.figures = {machine_bars, worker_bars};
  std::string nearest;
  double least = 1e99;
  std::string all_means;
  for (const std::string& p : kPapers) {
    const double mean = by_preset[p].value();
    all_means += fmt::format("{}{} {:.2f}", all_means.empty() ? "" : ", ", p, mean);
    if (mean < least) least = mean, nearest = p;
  }
  section.claims.push_back(claim("geometric mean of the pauses: better than the best single preset", ">= 1.15", fmt::format("{:.2f} ({}); {}", least, nearest, all_means), least >= 1.15, known == cases));
  section.claims.push_back(claim("in no case worse than the best of all six", ">= 0.97", fmt::format("{} of {} below; least {:.2f} ({})", below, known, worst, worst_case), below == 0, known == cases, losses));
  return section;
}

// ---- G2 ----

struct Ingredient { const char *what, *without; };
const std::vector<Ingredient> kIngredients = {
  {"pages near their threads", "heap.space_eden=firsttouch,heap.space_survivor=firsttouch,heap.space_old=firsttouch"},
  {"old pages near who promotes (else interleaved)", "heap.space_old=interleaved"},
  {"threads pinned to nodes", "work.pin=none"},
  {"victims by distance, few scouts of each node", "work.victim=random"},
  {"thefts of half, one thief at a time", "work.steal_half=off"},
  {"arrays by parts (else each reference is an entry)", "collect.part=0"},
  {"few entries are held back", "work.share_from=2"},
  {"termination by node", "work.term_count=flat"},
  {"tasks by addition (else a list)", "work.task_queue=msqueue"},
  {"late join (else a phase waits for all wanted)", "work.join=fixed"},
  {"futex (else monitors; with fixed join)", "work.join=fixed,work.sync=monitor"},
  {"the conductor works", "work.conductor=waits"},
  {"objects asked for ahead", "collect.ahead=0"},
  {"workers by work found (else all are woken)", "cycle.woken_per=0"},
  {"cards among the other roots (else a phase apart)", "collect.card_phase=apart"},
  // What the papers have and the default has not: a row above 1 says that it was right to leave it out.
  {"roots go to who finds them (else to their object's node)", "collect.scheme=aggressive"},
  {"same (else to that node, and others help after 20 us)", "collect.scheme=aggressive,work.last_resort=20"},
  {"same (else to that node, by a system call for each)", "collect.scheme=aggressive,collect.node_lookup=syscall,collect.lookup_batch=1"},
  {"same (else to a node at random)", "collect.scheme=hybrid"},
  {"who finds an object copies it (else its node, asked in batches)", "heap.space_eden=segregated,heap.space_survivor=segregated"},
  {"same (else its node, asked one by one)", "heap.space_eden=segregated,heap.space_survivor=segregated,work.request_batch=1"},
};

std::vector<Case> ablation_cases(const Scale& scale) {
  if (scale.quick) return cases_of({"epyc-2s"}, {"recording:warehouse", "tradesoap"}, {8, 48});
  std::vector<std::string> workloads = kRecorded;
  for (const char* name : {"jbb", "tradesoap"}) workloads.push_back(name);
  return cases_of({"amd48", "epyc-2s", "xeon-2s"}, workloads, {8, 48, 192});
}
std::string without(const Ingredient& i) { return preset("garner") + "," + i.without; }

std::vector<Run> runs_g2(const Scale& scale) {
  std::vector<Run> all;
  for (const Case& one : ablation_cases(scale)) {
    all.push_back(run_of(one, preset("garner")));
    for (const Ingredient& i : kIngredients) all.push_back(run_of(one, without(i)));
  }
  return all;
}

Section judge_g2(const Results& results, const Scale& scale) {
  Section section;
  const std::vector<unsigned> groups = scale.quick ? std::vector<unsigned>{8, 48} : std::vector<unsigned>{8, 48, 192};
  section.table.push_back({"without", "option"});
  for (unsigned n : groups) section.table[0].push_back(fmt::format("{} threads", n));
  section.table[0].push_back("all");
  Plot figure{Plot::Kind::bars, "Pauses without an ingredient over those with all", "instead of the ingredient", "without / with (above 1: it helps)", {}, {{"all cases", {}}}, true};
  unsigned helpful = 0;
  bool known = true;
  std::string losses;
  for (const Ingredient& i : kIngredients) {
    Mean all;
    std::map<unsigned, Mean> by_workers;
    for (const Case& one : ablation_cases(scale)) {
      const double ratio = pause(results, one, without(i)) / pause(results, one, preset("garner"));
      all.add(ratio), by_workers[one.workers].add(ratio);
    }
    std::vector<std::string> row = {i.what, i.without};
    for (unsigned n : groups) row.push_back(fmt::format("{:.2f}", by_workers[n].value()));
    row.push_back(fmt::format("{:.2f} \u00b1 {:.2f}", all.value(), all.off()));
    section.table.push_back(row);
    figure.xs.push_back(std::string(i.without).substr(std::string(i.without).rfind('.') + 1));
    figure.series[0].values.push_back(all.value());
    known = known && !std::isnan(all.value()) && all.n == ablation_cases(scale).size();
    if (all.value() * (1 + all.off()) >= 0.99) helpful++;
    else losses += (losses.empty() ? "" : "; ") + std::string(i.what);
  }
  section.figures.push_back(figure);
  section.claims.push_back(claim("no ingredient is a loss on the whole", ">= 0.99 each, within the error", fmt::format("{} of {}", helpful, kIngredients.size()), helpful == kIngredients.size(), known, losses));
  return section;
}

} // namespace

const std::vector<Experiment>& own_experiments() {
  static const std::vector<Experiment> kAll = {
      {"ours/G1", "The default preset against the papers' presets on every machine", "of no paper", "", runs_g1, judge_g1},
      {"ours/G2", "What each ingredient of the default preset gives", "of no paper", "", runs_g2, judge_g2},
  };
  return kAll;
}

} // namespace garner::tool
