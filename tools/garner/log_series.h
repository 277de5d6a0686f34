// The figures of `garner report` that follow time: pauses, the heap, what was copied and promoted. A chart shows so many points as a screen has room for: of more
// collections than that, each figure has a value or a band for each of so many equal parts of the time. What a log's pauses come to (log_pauses.h) is of all of them.
#pragma once
#include <nlohmann/json.hpp>

#include "log_data.h"

namespace garner::tool {

inline constexpr size_t kCollectionsShown = 1000; // one by one; of more, bins
inline constexpr size_t kBins = 500;
inline constexpr size_t kProcessesShown = 5; // with a colour of their own; others share one
inline constexpr double kFarApart = 20;      // from this ratio on between the largest and the smallest, an axis is logarithmic

double first_start(const LogData& log);

// Curves or points, each a list of [x, y], or [x, highest, lowest], in order; "xs" has each x.
nlohmann::ordered_json series_figure(const char* title, const char* draw, const char* x, const std::string& y, const char* unit);
// Each collection, or of each bin the longest of its kind and process, with their "count".
nlohmann::ordered_json pauses_figure(const LogData& log);
// What the heap held when each collection began, and when it ended, or between what it was in each bin.
nlohmann::ordered_json heap_figure(const LogData& log);
// Of each collection, or of each bin their sum.
nlohmann::ordered_json survivors_figure(const LogData& log);

} // namespace garner::tool
