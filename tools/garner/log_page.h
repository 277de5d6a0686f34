// The page of `garner report`: charts (charts.h), heat maps as tables, for light and dark screens; one file that asks the network for nothing. The numbers of every
// figure stand in it once more as JSON, in the element with the id "figures", in the log's terms.
#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include "charts.h"
#include "log_data.h"

namespace garner::tool {

// Every figure's numbers, in the order of the page; a figure for which the log holds nothing is not there.
nlohmann::ordered_json figures_of(const LogData& log);
std::string draw_log(const LogData& log);
Chart workers_chart(const LogData& log); // who did what when in the longest collection

} // namespace garner::tool
