// `garner simulate`: a recorded heap collected on a machine one does not have (docs/recordings.md).
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "errors.h"
#include "heap_file.h"
#include "json_text.h"
#include "paths.h"
#include "replay.h"
#include "say.h"
#include "simulate_page.h"
#include "sim/log_lines.h"
#include "table.h"

namespace garner::tool {
namespace {

struct SimulateArgs {
  ReplayArgs replay;
  std::string log, page;
  bool json = false, describe = false;
};

int simulate(const SimulateArgs& args) {
  if (args.describe) {
    record::Recording recording;
    read_heap(args.replay.file, recording);
    nlohmann::ordered_json all = heap_json(recording);
    all["shapes"] = shapes_json(recording, 50);
    if (args.json) say_out("{}\n", json_text(all));
    else say_out("{}\n{}\n", heap_line(recording), json_text(all, 1));
    return 0;
  }
  ReplayPlan plan;
  make_plan(args.replay, plan);
  const bool logs = !args.log.empty();
  if (logs && plan.presets.size() * plan.workers.size() != 1) throw UsageError("--log: a log is of one run; give one --preset and one number of --workers");
  want_places_for(args.page, args.log);
  const std::vector<ReplayRow> rows = replay_all(plan, args.json || logs || !args.page.empty(), logs);
  if (!args.page.empty()) write_file(args.page, draw_replays(plan, rows));
  if (logs) write_file(args.log, simulation::log_lines(rows[0].measures, rows[0].preset));
  if (args.json) {
    say_out("{}\n", json_text(replays_json(plan, rows), 1));
    return 0;
  }
  Table table(row_head());
  for (const ReplayRow& row : rows) table.row(row_cells(row));
  say_out("{}{}{}", plan_line(plan), table.text(colours_on(1)), unused_line(rows));
  return 0;
}

} // namespace

Command add_simulate(CLI::App& root) {
  CLI::App* app = root.add_subcommand("simulate", "Collect a recorded heap on a simulated machine, with several presets and numbers of workers");
  auto args = std::make_shared<SimulateArgs>();
  add_replay_args(*app, args->replay);
  app->add_option("--log", args->log, "Write the run as a log, for 'garner report'; of one preset and one number of workers")->type_name("FILE");
  app->add_option("-o,--output", args->page, "Draw a page: pause, throughput, remote share and imbalance by threads, and what each preset's workers did")->type_name("FILE");
  app->add_flag("--json", args->json, "Print everything, and what each worker did when, as one JSON object");
  app->add_flag("--describe", args->describe, "Only tell what the recording holds");
  app->footer("GB/s: bytes copied or marked per time of the pause. remote: share of bytes from other nodes' memories. imbalance: of bytes by node of the memory,\n"
              "0 when all are equal. uneven: the busiest worker's share over the mean. idle, lock wait: shares of workers' time. Figures are virtual and repeat exactly.");
  return {app, [args](const Invocation&) { return simulate(*args); }};
}

} // namespace garner::tool
