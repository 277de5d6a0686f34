// A log's collections as a trace that ui.perfetto.dev opens, in the JSON format of trace events: slices of time in tracks, and counters (docs/dotnet.md has the keys).
#pragma once
#include <string>

#include "log_data.h"

namespace garner::tool {

// In a track, slices follow each other or lie one within the other, whatever is in the log: what would not is cut. Times begin at 0.
std::string trace_of(const LogData& log);

} // namespace garner::tool
