// `garner advise`: which preset suits a recorded heap on a machine, and why, from what was measured in replays (docs/recordings.md).
//
// Presets are ranked by the geometric mean of their pauses over the numbers of workers. A reason is a figure in which a preset is worse than the
// best by more than the margin beside it, in the row with the most workers; where there is none, that is said.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "replay.h"
#include "say.h"
#include "table.h"

namespace garner::tool {
namespace {

struct AdviseArgs {
  ReplayArgs replay;
  bool json = false;
};

struct Ranked {
  std::string preset;
  double mean_ms = 0;
  std::vector<const ReplayRow*> rows; // by number of workers, as given
  const ReplayRow& most() const { return **std::max_element(rows.begin(), rows.end(), [](const ReplayRow* a, const ReplayRow* b) { return a->workers < b->workers; }); }
  const ReplayRow& shortest() const { return **std::min_element(rows.begin(), rows.end(), [](const ReplayRow* a, const ReplayRow* b) { return a->pause_ms < b->pause_ms; }); }
};

std::vector<Ranked> rank(const ReplayPlan& plan, const std::vector<ReplayRow>& rows) {
  std::vector<Ranked> all;
  for (const std::string& preset : plan.presets) {
    Ranked one;
    one.preset = preset;
    double logs = 0;
    for (const ReplayRow& row : rows)
      if (row.preset == preset) {
        one.rows.push_back(&row);
        logs += std::log(std::max(row.pause_ms, 1e-6));
      }
    one.mean_ms = std::exp(logs / double(one.rows.size()));
    all.push_back(one);
  }
  std::stable_sort(all.begin(), all.end(), [](const Ranked& a, const Ranked& b) { return a.mean_ms < b.mean_ms; });
  return all;
}

// In what `worse` is worse than `better`, with both figures; the weightiest first is not claimed.
std::vector<std::string> reasons(const ReplayRow& worse, const ReplayRow& better) {
  std::vector<std::string> why;
  auto share = [&](double a, double b, double margin, const char* what) {
    if (a > b + margin) why.push_back(fmt::format("{:.1f} % {} ({:.1f} %)", a * 100, what, b * 100));
  };
  if (worse.worked < better.worked) why.push_back(fmt::format("only {} workers took part ({})", worse.worked, better.worked));
  share(worse.remote, better.remote, 0.03, "of bytes come from other nodes");
  if (worse.imbalance > better.imbalance + 0.15) why.push_back(fmt::format("memory is used unevenly, imbalance {:.2f} ({:.2f})", worse.imbalance, better.imbalance));
  if (worse.uneven > better.uneven * 1.15) why.push_back(fmt::format("the busiest worker copies {:.2f} times the mean ({:.2f})", worse.uneven, better.uneven));
  share(worse.idle, better.idle, 0.03, "of workers' time is idle");
  share(worse.lock_wait, better.lock_wait, 0.01, "of workers' time is spent waiting for the lock");
  const double outside = worse.pause_ms - worse.trace_ms, other = better.pause_ms - better.trace_ms;
  if (outside > other + 0.05 * better.pause_ms) why.push_back(fmt::format("{:.3f} ms pass outside of tracing ({:.3f} ms)", outside, other));
  return why;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

std::string why_text(const Ranked& one, const Ranked& best) {
  const std::vector<std::string> why = reasons(one.most(), best.most());
  return why.empty() ? "no figure measured here tells it from the best" : joined(why);
}

void print(const ReplayPlan& plan, const std::vector<Ranked>& ranking) {
  const Ranked& best = ranking.front();
  std::vector<std::string> head = {"rank", "preset", "pause"};
  for (const ReplayRow* row : best.rows) head.push_back(fmt::format("ms, {} workers", row->workers));
  Table table(head);
  table.left(1);
  for (usize i = 0; i < ranking.size(); i++) {
    std::vector<std::string> cells = {std::to_string(i + 1), ranking[i].preset, fmt::format("{:.2f} x", ranking[i].mean_ms / best.mean_ms)};
    for (const ReplayRow* row : ranking[i].rows) cells.push_back(fmt::format("{:.3f}", row->pause_ms));
    table.row(cells);
  }
  say_out("{}{}\n", plan_line(plan), table.text(colours_on(1)));
  say_out("best: {}; its shortest pause is {:.3f} ms, with {} workers\n", best.preset, best.shortest().pause_ms, best.shortest().workers);
  say_out("with {} workers, against the best (its figure in brackets):\n", best.most().workers);
  for (usize i = 1; i < ranking.size(); i++) say_out("  {}: {}\n", ranking[i].preset, why_text(ranking[i], best));
}

int advise(const AdviseArgs& args) {
  ReplayPlan plan;
  make_plan(args.replay, plan);
  const std::vector<ReplayRow> rows = replay_all(plan, false);
  const std::vector<Ranked> ranking = rank(plan, rows);
  if (!args.json) {
    print(plan, ranking);
    return 0;
  }
  nlohmann::ordered_json all = plan_json(plan);
  all["ranking"] = nlohmann::ordered_json::array();
  for (const Ranked& one : ranking) {
    nlohmann::ordered_json item = {{"preset", one.preset}, {"mean_pause_ms", one.mean_ms}, {"over_best", one.mean_ms / ranking.front().mean_ms}, {"best_workers", one.shortest().workers},
                                   {"reasons", reasons(one.most(), ranking.front().most())}};
    item["rows"] = nlohmann::ordered_json::array();
    for (const ReplayRow* row : one.rows) {
      nlohmann::ordered_json cell = row_json(*row);
      cell.erase("by_worker");
      cell.erase("memory_bytes");
      item["rows"].push_back(cell);
    }
    all["ranking"].push_back(item);
  }
  say_out("{}\n", all.dump(1));
  return 0;
}

} // namespace

Command add_advise(CLI::App& root) {
  CLI::App* app = root.add_subcommand("advise", "Rank the presets for a recorded heap on a machine, and say why");
  auto args = std::make_shared<AdviseArgs>();
  add_replay_args(*app, args->replay);
  app->add_flag("--json", args->json, "Print the ranking as one JSON object");
  app->footer("Ranked by the geometric mean of the pauses over the numbers of workers. Figures are simulated; docs/simulator.md says when to trust them.");
  return {app, [args](const Invocation&) { return advise(*args); }};
}

} // namespace garner::tool
