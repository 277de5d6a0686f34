// The page of `garner compare --html`: for each heap size its table, and for each figure every run of every mode with the median's confidence interval; one file that
// asks the network for nothing.
#pragma once
#include <string>
#include <vector>

#include "report.h"

namespace garner::tool {

// At least one comparison; all of the same modes in the same order. `made`: when and where, and how, a line each.
std::string draw_comparisons(const std::vector<Comparison>& all, const std::vector<std::string>& program, const std::vector<std::string>& made = {});

} // namespace garner::tool
