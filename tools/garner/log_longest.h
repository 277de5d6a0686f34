// The longest pauses of a log, and what each was: kind and cause, where its time went, what it moved and what the heap was before and after; and when memory was at its most.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "log_data.h"

namespace garner::tool {

struct PauseSeen {
  uint64_t process, index; // the collection's number in its process
  const CycleSeen* cycle;  // the log's
};

// At most `count`, the longest first; equal ones in the log's order. Points into the log.
std::vector<PauseSeen> longest_pauses(const LogData& log, size_t count);

// "mark 27.2, compact 2.5": where a pause went, in ms, the largest part first, without parts below a twentieth of it.
std::string parts_text(const CycleSeen& cycle);

// A table of them, a row each, and below it when memory was at its most.
std::string longest_text(const LogData& log, size_t count, bool markdown, bool colour);

} // namespace garner::tool
