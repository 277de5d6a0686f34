// A recorded heap, collected by the real collector on a simulated machine, once for each preset and number of workers asked for.
//
// Everything here is counted or read from virtual clocks: the same recording, machine and options give the same figures to the last digit.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "machine_file.h"
#include "record/recording.h"
#include "sim/graph.h"
#include "sim/simulation.h"

namespace garner::tool {

struct ReplayArgs {
  std::string file, machine = "amd48", presets, workers, options, kind;
  u32 threads = 0;
  u64 seed = 1;
};
// The arguments that `simulate` and `advise` share.
void add_replay_args(CLI::App& app, ReplayArgs& args);

struct ReplayPlan {
  record::Recording recording;
  MachineFile machine;
  simulation::Graph graph;
  std::vector<std::string> presets;
  std::string left_out; // a line about presets that cannot be with so few workers; empty when none
  std::vector<u32> workers;
  std::string options;
  Kind kind = Kind::young1;
  u64 seed = 1;
};
// Reads and checks everything that can be wrong: UsageError with one line.
void make_plan(const ReplayArgs& args, ReplayPlan& plan);

// One cell: a preset with so many workers. Shares are of 1.
struct ReplayRow {
  std::string preset;
  u32 workers = 0;
  double pause_ms = 0, trace_ms = 0; // trace: the phase that copies or marks
  double copied_gb_per_s = 0;        // bytes moved per time of the pause
  double remote = 0;                 // share of bytes that came over links
  double imbalance = 0;              // of bytes asked, by node of the memory: 0 all equal, sqrt(nodes - 1) all on one
  double uneven = 0;                 // busiest worker's share of what was copied or marked, over the mean: 1 all equal
  double idle = 0;                   // share of workers' time in the tracing phase without work
  double lock_wait = 0;              // share of workers' time in the pause spent waiting for the gang's lock
  u32 worked = 0;                    // workers that took part
  // Where the tracing phase went for one of them on average: from its begin until it was in; without work, to the end of the phase; at the lock; the rest.
  double enter_ms = 0, idle_ms = 0, lock_ms = 0, work_ms = 0;
  u64 steals = 0, digest = 0;
  simulation::Measures measures;
};

ReplayRow replay(const ReplayPlan& plan, const std::string& preset, u32 workers, bool timeline, bool locality = false);
// All rows, presets within workers; progress on stderr where it is a terminal.
std::vector<ReplayRow> replay_all(const ReplayPlan& plan, bool timeline, bool locality = false);
// What is said about recording, machine and replay before the figures.
std::string plan_line(const ReplayPlan& plan);
// A line on the rows in which fewer workers took part than there were, and why; empty when there is none.
std::string unused_line(const std::vector<ReplayRow>& rows);
nlohmann::ordered_json plan_json(const ReplayPlan& plan);
nlohmann::ordered_json row_json(const ReplayRow& row);
// All that `simulate --json` prints: plan and rows.
nlohmann::ordered_json replays_json(const ReplayPlan& plan, const std::vector<ReplayRow>& rows);
// A row as tables show it, printed or in a page, and the head of such a table.
std::vector<std::string> row_head();
std::vector<std::string> row_cells(const ReplayRow& row);

} // namespace garner::tool
