#include "placement_bench.h"

#include <algorithm>
#include <deque>

#include "errors.h"
#include "machine/sim/sim.h"

namespace garner::tool {
namespace {

struct Reader {
  Sim* machine;
  u32 worker;
  word at;
  u64 pages;
};

void touch_all(void* arg) {
  const Reader& reader = *static_cast<Reader*>(arg);
  Sim::Self self(*reader.machine, reader.worker);
  for (u64 p = 0; p < reader.pages; p++) self.load(Slot{reader.at + p * kPageBytes});
}

void read_all(void* arg) {
  const Reader& reader = *static_cast<Reader*>(arg);
  Sim::Self self(*reader.machine, reader.worker);
  for (u64 p = 0; p < reader.pages; p++) self.read(reader.at + (p + reader.worker) % reader.pages * kPageBytes, kPageBytes);
}

u64 run_all(Sim& machine, std::deque<Reader>& readers, void (*body)(void*)) {
  const u64 before = machine.now();
  for (Reader& reader : readers)
    if (!machine.start(body, &reader)) throw std::runtime_error("no memory for the simulated machine's threads");
  machine.run();
  return machine.now() - before;
}

} // namespace

const char* placement_name(Placement placement) {
  switch (placement) {
    case Placement::unbalanced_remote: return "unbalanced-remote";
    case Placement::balanced_remote: return "balanced-remote";
    case Placement::balanced_local: return "balanced-local";
    case Placement::unbalanced_local: return "unbalanced-local";
  }
  return "";
}

PlacementPoint run_placement(const sim::Config& config, Placement placement, u32 threads, u64 bytes) {
  Sim machine(config);
  const bool one_node = placement == Placement::unbalanced_local;
  u32 working = 0; // workers of node 0 come in turn with those of the others
  std::vector<u32> workers;
  for (u32 w = 0; w < machine.processors() && working < threads; w++)
    if (!one_node || machine.node_of_worker(w) == 0) workers.push_back(w), working++;
  if (working == 0) throw UsageError("this machine has no threads for that");
  const u64 pages = bytes / kPageBytes / workers.size();
  std::deque<Reader> readers;
  for (u32 w : workers) {
    const word at = machine.reserve(pages * kPageBytes, 2 * MiB);
    if (at == 0) throw std::runtime_error("no memory for the simulated machine's buffers");
    if (placement == Placement::balanced_remote) machine.interleave(at, pages * kPageBytes);
    else machine.bind(at, pages * kPageBytes, placement == Placement::balanced_local ? machine.node_of_worker(w) : 0);
    readers.push_back({&machine, w, at, pages});
  }
  run_all(machine, readers, &touch_all);
  const u64 ns = run_all(machine, readers, &read_all);
  std::vector<u64> where(usize(machine.nodes()) * machine.nodes());
  for (const Reader& reader : readers)
    for (u64 p = 0; p < pages; p++) where[machine.node_of_worker(reader.worker) * machine.nodes() + machine.node_of_page(reader.at + p * kPageBytes)]++;
  return {threads, ns, pages * kPageBytes * workers.size(), machine.digest(), where};
}

u32 knee_of(const std::vector<PlacementPoint>& curve, u32 percent) {
  for (size_t i = 0; i + 1 < curve.size(); i++) {
    double best = 0; // of what comes later
    for (size_t k = i + 1; k < curve.size(); k++) best = std::max(best, curve[k].gb_per_s());
    if (best * 100 < curve[i].gb_per_s() * (100 + percent)) return curve[i].threads;
  }
  return curve.empty() ? 0 : curve.back().threads;
}

} // namespace garner::tool
