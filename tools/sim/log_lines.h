// A simulation's collections as lines of the collector's JSON log (src/observe/README.md), for `garner report`: cycle_end and worker_phase
// as every log has them, and what only the simulated machine knows: spans, node_uses, steals, locality.
#pragma once
#include <string>

#include "sim/simulation.h"

namespace garner::simulation {

std::string log_lines(const Measures& measures);

} // namespace garner::simulation
