// The page of `garner report`: HTML with SVG drawn here, for light and dark screens; it needs nothing else and asks the network for nothing. What is
// drawn stands in it once more as JSON, in the element with the id "figures".
#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include "log_data.h"

namespace garner::tool {

// Every figure's numbers, in the order of the page; a figure for which the log holds nothing is not there.
nlohmann::ordered_json figures_of(const LogData& log);
std::string draw_log(const LogData& log);
// For other pages: who did what when in the longest collection, and the colours and classes that this takes.
std::string draw_workers(const LogData& log);
std::string worker_style();

} // namespace garner::tool
