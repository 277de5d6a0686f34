// A simulation's collections as lines of the collector's JSON log (src/observe/README.md), for `garner report`: the records of a real log, counted by
// the machine instead of the collector. Uses are of all accesses to a space's pages; bytes by node are of eden alone.
#pragma once
#include <string>

#include "sim/simulation.h"

namespace garner::simulation {

std::string log_lines(const Measures& measures, const std::string& preset = "");

} // namespace garner::simulation
