// What the phases of a log's collections did and how long they took, by kind of collection, and how near that is to what a machine's memory allows.
//
// Times are those of the pause: all workers together. What is done beside the program has no time here.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host_probes.h"
#include "log_data.h"

namespace garner::tool {

struct PhaseRow {
  std::string kind, phase;
  uint64_t count = 0; // collections that had the phase
  double ns = 0;
  double roots = 0, objects = 0, slots = 0, cards = 0;
  double bytes = 0; // of these objects
  double moved = 0; // of these, bytes that got another place
  bool moved_known = true;

  double limit_ns(const MemoryRates& rates) const; // 0: none is known
};

// Kinds are young, full, and marked: full collections that ended a marking beside the program. Of each that occurs a row for each phase that took time, from
// `stopping threads` to `the rest`, and then one for the whole `pause`. Empty for a log without durations of phases.
std::vector<PhaseRow> phase_rows(const LogData& log);

// The table, and below it how to read it. Without rates there are no limits.
std::string phases_text(const LogData& log, const std::optional<MemoryRates>& rates, bool markdown, bool colour);

// How limits are computed, in words.
extern const char* const kLimitWords;

} // namespace garner::tool
