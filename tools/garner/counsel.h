// What one would set, and why: from a program's log, and from what the machine and the environment say. `garner doctor` prints it.
//
// Rules look at sums over all collections of a log and speak only where the figure behind them is large; each names its figures. Nothing is promised: what a
// setting gains is for `garner compare` to tell. Sizes are bytes as the log has them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "host_facts.h"
#include "log_data.h"

namespace garner::tool {

struct Counsel {
  std::string what; // a setting, or whose affair it is
  std::string text; // to what, and why
};

// By the weight of what they are about, the heaviest first. Empty: nothing stands out.
std::vector<Counsel> counsel_of(const LogData& log);

// `settings`: the text of GARNER, already known to parse; `huge`: the chosen word of the system's setting for huge pages, empty if unknown.
std::vector<Counsel> counsel_of(const CgroupFacts& cgroups, const std::string& huge, const std::string& settings);

// A line of what the log shows at all: how long, how much of it stopped, which collections.
std::string sum_text(const LogData& log);

} // namespace garner::tool
