// What a log's pauses come to: how long they are, how many of each length, and how much of any window of time they leave to the program.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "log_data.h"

namespace garner::tool {

// How long a process ran as far as the log tells: from its heap's making to the end of its last collection, as nothing tells when it ended. Of a log that lacks
// its first collections, from the first one that is there.
struct RunSeen {
  uint64_t pid = 0;
  double begin_ns = 0, end_ns = 0;
  std::vector<std::pair<double, double>> pauses; // begin and end, in order; none touches another

  double stopped_ns() const;
  double ns() const { return end_ns - begin_ns; }
};
// Of a process that was never seen to run between its pauses nothing is known, and of a simulated heap no program runs: they have none.
std::vector<RunSeen> runs_of(const LogData& log);

// Minimum mutator utilisation: the least share of any window of this length, within the run, in which the program ran.
double least_running(const RunSeen& run, double window_ns);
struct LeastRunning { double window_ns, share; };
// For windows from 1 ms on, ten for each power of ten, to the longest run. Of several processes the worst; a process counts as far as it ran.
std::vector<LeastRunning> least_running(const std::vector<RunSeen>& runs);

struct PauseRow {
  std::string kind; // "young", "full", "together"
  size_t count = 0;
  double total_ms = 0, p50_ms = 0, p90_ms = 0, p99_ms = 0, p999_ms = 0, longest_ms = 0; // percentiles by nearest rank
};
// A row for each of the two kinds that occurs, and one for both where both do.
std::vector<PauseRow> pause_rows(const LogData& log);

// From `from_ms` to less than `to_ms`: of the lengths 1, 1.6, 2.5, 4, 6.3, 10, … two neighbours.
struct PauseBucket { double from_ms, to_ms; size_t young = 0, full = 0; };
// All buckets from the shortest pause's to the longest one's, also empty ones.
std::vector<PauseBucket> pause_buckets(const LogData& log);

struct CauseRow { std::string cause; size_t count = 0, full = 0; double total_ms = 0, longest_ms = 0; };
std::vector<CauseRow> cause_rows(const LogData& log); // by the time they took, the most first

} // namespace garner::tool
