// garner_simulations: a line of simulations.golden, simulated, in full on stdout. Built twice, as everything else is and without
// optimisation, collector and all: simulations.sh compares what both print.
//
//   garner_simulations FILE.garner-heap MACHINE PRESETS WORKERS KIND [OPTIONS]   what `garner simulate --json` prints of it
//   garner_simulations WORKLOAD MACHINE PERCENT WORKERS OPTIONS                  its collections as a log, with timelines and locality, then its clocks; the
//                                                                                collector may make eden a quarter or four times as large
#include <cstdio>
#include <string>
#include <vector>

#include "errors.h"
#include "replay.h"
#include "sim/log_lines.h"
#include "sim/workloads.h"

namespace garner::test {
namespace {

using namespace simulation;

std::string replayed(const std::vector<std::string>& args) {
  tool::ReplayArgs wanted;
  wanted.file = args[0], wanted.machine = args[1], wanted.presets = args[2], wanted.workers = args[3], wanted.kind = args[4];
  if (args.size() > 5) wanted.options = args[5];
  tool::ReplayPlan plan;
  make_plan(wanted, plan);
  return replays_json(plan, replay_all(plan, true)).dump(1) + "\n";
}

std::string run(const std::vector<std::string>& args) {
  const Pattern* found = find_pattern(args[0]);
  if (found == nullptr) throw tool::UsageError("no workload is called " + args[0]);
  const Pattern pattern = scaled(*found, u32(std::stoul(args[2])));
  const tool::MachineFile file = tool::find_machine(args[1]);
  Spec spec = spec_of(pattern, false);
  spec.machine = file.config();
  spec.workers = u32(std::stoul(args[3]));
  spec.options = args[4];
  spec.eden_min = spec.eden / 4, spec.eden_max = spec.eden * 4;
  spec.timeline = spec.locality = true;
  Transactions program(pattern);
  const Measures m = simulate(spec, program);
  if (!m.error.empty()) throw tool::UsageError(m.error);
  std::string out = log_lines(m, args[4]);
  for (const u64 value : {m.wall_ns, m.pause_ns, m.resize_ns, m.allocated, m.asked().all, m.asked().remote, program.transactions(), m.digest}) out += std::to_string(value) + "\n";
  return out;
}

} // namespace
} // namespace garner::test

int main(int count, char** values) {
  const std::vector<std::string> args(values + 1, values + count);
  try {
    if (args.size() < 5) throw garner::tool::UsageError("arguments: see the head of simulations.cc");
    std::fputs((args[0].ends_with(".garner-heap") ? garner::test::replayed(args) : garner::test::run(args)).c_str(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "garner_simulations: %s\n", error.what());
    return 1;
  }
}
