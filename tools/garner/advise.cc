// `garner advise`: which preset suits a recorded heap on a machine, with how many workers, and why, from what was measured in replays (docs/recordings.md).
//
// A preset stands for its shortest pause, since the number of workers is chosen together with it; the mean over all numbers is told beside it. Why one is
// slower than the best is accounted for, at the number of workers where it is best and at that where the best is: a pause is the time outside of tracing
// and what the average worker did within it, so the parts in which a preset takes longer or shorter add up to what it loses. Each part is told with the
// figures that belong to it, and those of the best preset, with as many workers, in brackets.
#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "json_text.h"
#include "replay.h"
#include "say.h"
#include "table.h"

namespace garner::tool {
namespace {

constexpr double kAsGood = 0.02;    // of the pause: less is no reason to choose one or the other
constexpr double kWorthAWord = 0.15; // of what a preset loses; of five parts one has a fifth or more

struct AdviseArgs {
  ReplayArgs replay;
  bool json = false;
};

struct Ranked {
  std::string preset;
  double mean_ms = 0;
  std::vector<const ReplayRow*> rows; // by number of workers, as given
  const ReplayRow& with(u32 workers) const { return **std::find_if(rows.begin(), rows.end(), [workers](const ReplayRow* row) { return row->workers == workers; }); }
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
  std::stable_sort(all.begin(), all.end(), [](const Ranked& a, const Ranked& b) { return a.shortest().pause_ms < b.shortest().pause_ms; });
  return all;
}

// Where numbers of workers were not asked for: the best preset with those between, too.
std::vector<ReplayRow> more_workers(const ReplayPlan& plan, const std::string& preset, const std::vector<ReplayRow>& rows) {
  std::vector<ReplayRow> all;
  for (const ReplayRow& row : rows)
    if (row.preset == preset) all.push_back(row);
  std::vector<u32> wanted = {plan.machine.threads()};
  for (u32 n = 2; n < plan.machine.cores(); n *= 2) wanted.push_back(n);
  for (u32 n : wanted) {
    const bool done = std::any_of(all.begin(), all.end(), [n](const ReplayRow& row) { return row.workers == n; });
    if (!done && n >= *std::min_element(plan.workers.begin(), plan.workers.end())) all.push_back(replay(plan, preset, n, false));
  }
  return all;
}

const ReplayRow& shortest_of(const std::vector<ReplayRow>& rows) {
  return *std::min_element(rows.begin(), rows.end(), [](const ReplayRow& a, const ReplayRow& b) { return a.pause_ms < b.pause_ms; });
}
// The fewest that are as good.
const ReplayRow& fewest_of(const std::vector<ReplayRow>& rows) {
  const double most = shortest_of(rows).pause_ms * (1 + kAsGood);
  return *std::find_if(rows.begin(), rows.end(), [most](const ReplayRow& row) { return row.pause_ms <= most; });
}

// ---- why ----

std::string workers_text(u32 workers) { return fmt::format("{} worker{}", workers, workers == 1 ? "" : "s"); }
double outside_ms(const ReplayRow& row) { return row.pause_ms - row.trace_ms; }
double moved_mb(const ReplayRow& row) { return row.copied_gb_per_s * row.pause_ms * 1e6 / kMegabyte; }
double worker_gb_per_s(const ReplayRow& row) { return row.work_ms <= 0 || row.worked == 0 ? 0 : row.copied_gb_per_s * row.pause_ms / row.work_ms / row.worked; }

u64 sum_of(const ReplayRow& row, u64 WorkerStats::*field) {
  u64 sum = 0;
  for (const simulation::WorkerLine& line : row.measures.collections[0].workers) sum += line.stats.*field;
  return sum;
}

// What stands behind a longer time of work, said where it is worse.
std::string behind_work(const ReplayRow& worse, const ReplayRow& better) {
  std::string text = fmt::format("{:.2g} GB/s a worker ({:.2g})", worker_gb_per_s(worse), worker_gb_per_s(better));
  if (worse.worked < better.worked) text += fmt::format(", {} workers took part ({})", worse.worked, better.worked);
  if (moved_mb(worse) > moved_mb(better) * 1.02) text += fmt::format(", {:.2f} MB moved ({:.2f})", moved_mb(worse), moved_mb(better));
  if (worse.remote > better.remote + 0.03) text += fmt::format(", {:.1f} % of bytes from other nodes ({:.1f} %)", worse.remote * 100, better.remote * 100);
  if (worse.imbalance > better.imbalance + 0.15) text += fmt::format(", memory used unevenly, imbalance {:.2f} ({:.2f})", worse.imbalance, better.imbalance);
  if (worse.steals > better.steals + better.steals / 4) text += fmt::format(", {} thefts ({})", worse.steals, better.steals);
  if (const u64 mine = sum_of(worse, &WorkerStats::roots_posted), theirs = sum_of(better, &WorkerStats::roots_posted); mine > theirs + theirs / 4)
    text += fmt::format(", {} roots handed to other workers ({})", mine, theirs);
  return text;
}

std::string behind_idle(const ReplayRow& worse, const ReplayRow& better) {
  std::string text = fmt::format("{:.1f} % of workers' time ({:.1f} %)", worse.idle * 100, better.idle * 100);
  if (worse.uneven > better.uneven * 1.1) text += fmt::format(", the busiest worker moves {:.2f} times the mean ({:.2f})", worse.uneven, better.uneven);
  return text;
}

// The parts of the pause in which `worse` loses, the largest first.
std::string parts_text(const ReplayRow& worse, const ReplayRow& better) {
  const double loss = worse.pause_ms - better.pause_ms;
  if (loss <= kAsGood * better.pause_ms) return loss < -kAsGood * better.pause_ms ? "faster there" : "as good there";
  struct Part { double ms; std::string text; };
  auto synchronising = [](double a, double b) { return fmt::format("{:.3f} ms ({:.3f} ms)", a, b); };
  std::vector<Part> parts = {
    {worse.work_ms - better.work_ms, "work: " + behind_work(worse, better)},
    {worse.idle_ms - better.idle_ms, "idle workers: " + behind_idle(worse, better)},
    {worse.enter_ms - better.enter_ms, "synchronisation, until workers are in: " + synchronising(worse.enter_ms, better.enter_ms)},
    {worse.lock_ms - better.lock_ms, "synchronisation, at the lock: " + synchronising(worse.lock_ms, better.lock_ms)},
    {outside_ms(worse) - outside_ms(better), "outside of tracing: " + synchronising(outside_ms(worse), outside_ms(better))},
  };
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.ms > b.ms; });
  std::string text;
  for (const Part& part : parts)
    if (part.ms >= kWorthAWord * loss) text += fmt::format("{}+{:.3f} ms {}", text.empty() ? "" : "; ", part.ms, part.text);
  return text;
}

std::vector<std::string> reasons(const Ranked& one, const Ranked& best) {
  std::vector<std::string> why;
  const u32 mine = one.shortest().workers, theirs = best.shortest().workers;
  for (u32 workers : {mine, theirs})
    if (why.empty() || mine != theirs) why.push_back(fmt::format("with {} {:.3f} ms ({:.3f} ms): {}", workers_text(workers), one.with(workers).pause_ms, best.with(workers).pause_ms, parts_text(one.with(workers), best.with(workers))));
  return why;
}

// ---- output ----

std::string workers_line(const ReplayPlan& plan, const std::vector<ReplayRow>& curve) {
  const ReplayRow &best = shortest_of(curve), &fewest = fewest_of(curve);
  std::string text = fmt::format("best number of workers on {}: {}", plan.machine.name, best.workers);
  if (fewest.workers != best.workers) text += fmt::format("; {} are as good (within {:.0f} %)", fewest.workers, kAsGood * 100);
  text += fmt::format("; {} by workers, ms:", best.preset);
  for (const ReplayRow& row : curve) text += fmt::format(" {}: {:.3f}{}", row.workers, row.pause_ms, &row == &curve.back() ? "\n" : ",");
  return text;
}

void print(const ReplayPlan& plan, const std::vector<Ranked>& ranking, const std::vector<ReplayRow>& curve) {
  const Ranked& best = ranking.front();
  std::vector<std::string> head = {"rank", "preset", "pause", "with workers", "mean"};
  for (const ReplayRow* row : best.rows) head.push_back(fmt::format("ms, {} workers", row->workers));
  Table table(head);
  table.left(1);
  double least_mean = best.mean_ms;
  for (const Ranked& one : ranking) least_mean = std::min(least_mean, one.mean_ms);
  for (usize i = 0; i < ranking.size(); i++) {
    const ReplayRow& mine = ranking[i].shortest();
    std::vector<std::string> cells = {std::to_string(i + 1), ranking[i].preset, fmt::format("{:.2f} x", mine.pause_ms / best.shortest().pause_ms), std::to_string(mine.workers),
                                      fmt::format("{:.2f} x", ranking[i].mean_ms / least_mean)};
    for (const ReplayRow* row : ranking[i].rows) cells.push_back(fmt::format("{:.3f}", row->pause_ms));
    table.row(cells);
  }
  say_out("{}{}\n", plan_line(plan), table.text(colours_on(1)));
  say_out("best: {}; its shortest pause is {:.3f} ms, with {}\n{}", best.preset, shortest_of(curve).pause_ms, workers_text(shortest_of(curve).workers), workers_line(plan, curve));
  if (ranking.size() > 1) say_out("why the others are slower, with the number of workers that suits each and with the best preset's; what that one has with as many stands in brackets\n"
                                 "(work, idle workers, synchronisation: the average worker's time while tracing; outside of it: roots gathered, weak handles, phases begun and ended)\n");
  for (usize i = 1; i < ranking.size(); i++) {
    say_out("{}: {:.2f} x\n", ranking[i].preset, ranking[i].shortest().pause_ms / best.shortest().pause_ms);
    for (const std::string& why : reasons(ranking[i], best)) say_out("  {}\n", why);
  }
  std::vector<ReplayRow> shortest;
  for (const Ranked& one : ranking) shortest.push_back(one.shortest());
  say_out("{}", unused_line(shortest));
}

nlohmann::ordered_json ranking_json(const ReplayPlan& plan, const std::vector<Ranked>& ranking, const std::vector<ReplayRow>& curve) {
  nlohmann::ordered_json all = plan_json(plan);
  const Ranked& best = ranking.front();
  all["best_workers"] = shortest_of(curve).workers;
  all["fewest_workers"] = fewest_of(curve).workers;
  for (const ReplayRow& row : curve) all["best_by_workers"].push_back({{"workers", row.workers}, {"pause_ms", row.pause_ms}});
  all["ranking"] = nlohmann::ordered_json::array();
  for (const Ranked& one : ranking) {
    const ReplayRow& mine = one.shortest();
    nlohmann::ordered_json item = {{"preset", one.preset}, {"shortest_pause_ms", mine.pause_ms}, {"best_workers", mine.workers}, {"over_best", mine.pause_ms / best.shortest().pause_ms},
                                   {"mean_pause_ms", one.mean_ms}, {"reasons", reasons(one, best)}};
    item["rows"] = nlohmann::ordered_json::array();
    for (const ReplayRow* row : one.rows) {
      nlohmann::ordered_json cell = row_json(*row);
      cell.erase("by_worker");
      cell.erase("memory_bytes");
      item["rows"].push_back(cell);
    }
    all["ranking"].push_back(item);
  }
  return all;
}

int advise(const AdviseArgs& args) {
  ReplayPlan plan;
  make_plan(args.replay, plan);
  const std::vector<ReplayRow> rows = replay_all(plan, false);
  const std::vector<Ranked> ranking = rank(plan, rows);
  std::vector<ReplayRow> curve;
  if (args.replay.workers.empty()) curve = more_workers(plan, ranking.front().preset, rows);
  else
    for (const ReplayRow* row : ranking.front().rows) curve.push_back(*row);
  std::sort(curve.begin(), curve.end(), [](const ReplayRow& a, const ReplayRow& b) { return a.workers < b.workers; }); // whatever the order of --workers
  if (args.json) say_out("{}\n", json_text(ranking_json(plan, ranking, curve), 1));
  else print(plan, ranking, curve);
  return 0;
}

} // namespace

Command add_advise(CLI::App& root) {
  CLI::App* app = root.add_subcommand("advise", "Rank the presets for a recorded heap on a machine, and say why");
  auto args = std::make_shared<AdviseArgs>();
  add_replay_args(*app, args->replay);
  app->add_flag("--json", args->json, "Print the ranking as one JSON object");
  app->footer("Ranked by the shortest pause over the numbers of workers; the geometric mean over them is told beside it. Where --workers is not given, the best preset is\n"
              "tried with powers of two too. Figures are simulated; docs/simulator.md says when to trust them.");
  return {app, [args](const Invocation&) { return advise(*args); }};
}

} // namespace garner::tool
