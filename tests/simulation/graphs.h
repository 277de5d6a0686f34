// Graphs for the tests of this folder.
#pragma once
#include "machine_file.h"
#include "sim/graph.h"
#include "sim/simulation.h"

namespace garner::simulation {

// Binary trees, one for each thread, held by its stack; `across` of a hundred inner references go to another thread's tree.
inline Graph trees(u32 threads, u32 objects, u32 across, u8 age = 0) {
  Graph graph;
  Random random(7);
  for (u32 t = 0; t < threads; t++) {
    const u32 first = graph.objects();
    for (u32 i = 0; i < objects; i++) {
      graph.bytes.push_back(56);
      graph.thread.push_back(u16(t));
      graph.age.push_back(age);
      graph.edge_begin.push_back(graph.edges.size());
      for (u32 k = 1; k <= 2; k++) graph.edges.push_back(2 * i + k < objects ? first + 2 * i + k : Graph::kNone);
      graph.edges.push_back(random.below(100) < across ? u32(random.below(threads * objects)) : Graph::kNone);
    }
    graph.roots.push_back({first, u16(t), Graph::RootFrom::stack});
  }
  graph.edge_begin.push_back(graph.edges.size());
  return graph;
}

inline Measures collect(const tool::MachineFile& machine, const Graph& graph, const std::string& options, u32 workers, bool notes = true) {
  Spec spec;
  spec.machine = machine.config();
  spec.options = options;
  spec.workers = workers;
  spec.eden = Replay::eden_for(graph);
  spec.retain = true;
  spec.by_node = spec.timeline = spec.locality = notes;
  Replay replay(graph);
  return simulate(spec, replay);
}

} // namespace garner::simulation
