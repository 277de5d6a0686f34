#include "marks_rows.h"

#include <algorithm>
#include <strings.h>

#include <fmt/format.h>

#include "errors.h"
#include "report.h"
#include "stats.h"
#include "table.h"

namespace garner::tool {
namespace {

const std::vector<Mode> kStock = {Mode::workstation, Mode::concurrent, Mode::server, Mode::server_datas};
// Beside whom a pause is long. Server has its own setting of gcConcurrent, so it may mark beside the program too: where it does, it is the harder one to be compared with.
const std::vector<Mode> kNotConcurrent = {Mode::workstation, Mode::server};
const std::vector<Mode> kButConcurrent = {Mode::workstation, Mode::server, Mode::server_datas};
constexpr int kHelloRuns = 15, kOwnRuns = 3; // where a figure is of one workload only, chance has more room than in a mean over many
constexpr int kAgainRuns = 3;
constexpr const char* kTight = "1.3";
constexpr double kMuchLives = 60 * kMegabyte; // where less lives the runtime and the least eden alone are more than that
constexpr const char* kKinds[] = {"weak", "finalizable", "conditional", "syncblocks", "pinned"};
constexpr const char* kShares[] = {" quarter", " half", ""}; // of all entries: what is flat is flat at each

std::string text_of(const std::string& at) { return at == "unlimited" ? "unlimited" : "at " + at; }

std::vector<Entrant> ours_and(const std::vector<Mode>& modes, const std::string& options = {}) {
  std::vector<Entrant> all = {{Mode::garner, options, options}};
  for (Mode mode : modes) all.push_back({mode});
  return all;
}

// ---- rows over many workloads ----

void note(std::vector<std::string>& names, const std::string& name) { // once
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// Of all sizes of the heap, or of one.
std::vector<double> values_of(const Compared& all, const std::string& at = "") {
  std::vector<double> values;
  for (const Ratio& ratio : all.ratios)
    if (at.empty() || ratio.at == at) values.push_back(ratio.value);
  return values;
}

PartPlan heap_part(const Selection& selection, const std::string& workload, const std::string& at, const std::vector<Mode>& with) {
  return {fmt::format("{} {}", workload, text_of(at)), {workload}, at, ours_and(with), selection.runs > 0 ? selection.runs : 1};
}

template <class Wanted> std::vector<PartPlan> heap_parts(const Selection& selection, Wanted wanted) {
  std::vector<PartPlan> all;
  for (const std::string& workload : selection.workloads)
    for (const std::string& at : selection.at)
      if (wanted(at)) all.push_back(heap_part(selection, workload, at, kStock));
  return all;
}
bool limit(const std::string& at) { return at != "unlimited"; }
std::vector<PartPlan> every_size(const Selection& selection) { return heap_parts(selection, [](const std::string&) { return true; }); }
std::vector<PartPlan> with_limit(const Selection& selection) { return heap_parts(selection, limit); }
std::vector<PartPlan> without_limit(const Selection& selection) { return heap_parts(selection, [](const std::string& at) { return !limit(at); }); }

// With one kind of marking whatever the size of the heap, beside the stock modes that mark so.
std::vector<PartPlan> forced(const Selection& selection, const std::string& options, const std::vector<Mode>& with) {
  std::vector<PartPlan> all = every_size(selection);
  for (PartPlan& part : all) part.name += ", " + options, part.entrants = ours_and(with, options);
  return all;
}
std::vector<PartPlan> always_stopped(const Selection& selection) { return forced(selection, "collect.marking=stopped", kNotConcurrent); }
std::vector<PartPlan> always_beside(const Selection& selection) { return forced(selection, "collect.marking=concurrent", {Mode::concurrent}); }

// Where every stock mode has less room than it needs only this collector and the reference run.
std::vector<PartPlan> tight(const Selection& selection) {
  std::vector<PartPlan> all;
  if (std::find(selection.at.begin(), selection.at.end(), kTight) != selection.at.end()) return all;
  for (const std::string& workload : selection.workloads) all.push_back(heap_part(selection, workload, kTight, {}));
  return all;
}

std::vector<PartPlan> every_size_and_tight(const Selection& selection) {
  std::vector<PartPlan> all;
  const std::vector<PartPlan> usual = every_size(selection), narrow = tight(selection);
  for (const std::string& workload : selection.workloads) // all of one workload together: its minimum heap is searched when the first is measured
    for (const std::vector<PartPlan>* some : {&usual, &narrow})
      for (const PartPlan& part : *some)
        if (part.piece.workload == workload) all.push_back(part);
  return all;
}

// By the collector's own log, so beside nobody.
std::vector<PartPlan> alone(const Selection& selection) {
  std::vector<PartPlan> all = every_size(selection);
  for (PartPlan& part : all) part.name += ", alone", part.entrants = ours_and({});
  return all;
}

// The figure's bench tables, with this collector and those modes only.
std::vector<TitledTable> bench_tables_of(const std::vector<PartPlan>& plans, const Parts& parts, const char* figure, const std::vector<Mode>& with) {
  std::vector<BenchResult> results;
  for (const PartPlan& plan : plans) {
    auto at = parts.find(plan.name);
    if (at == parts.end()) continue;
    BenchResult result = at->second;
    std::erase_if(result.contenders, [&](const Contender& contender) {
      return contender.plan.mode != Mode::garner && std::find(with.begin(), with.end(), contender.plan.mode) == with.end();
    });
    results.push_back(std::move(result));
  }
  return bench_tables(results, figure_named(figure));
}

// This collector's figure as a ratio to that of whichever of the modes has least of it, workload by workload.
TitledTable ratio_table(const std::vector<PartPlan>& plans, const Compared& all, const Figure& figure, const std::vector<Mode>& modes) {
  std::vector<std::string> workloads, sizes, head = {"workload"};
  for (const PartPlan& plan : plans) note(workloads, plan.piece.workload), note(sizes, plan.at);
  head.insert(head.end(), sizes.begin(), sizes.end());
  Table table(head);
  for (const std::string& workload : workloads) {
    std::vector<std::string> cells = {workload};
    for (const std::string& at : sizes) {
      auto found = std::find_if(all.ratios.begin(), all.ratios.end(), [&](const Ratio& ratio) { return ratio.workload == workload && ratio.at == at; });
      cells.push_back(ratio_text(found == all.ratios.end() ? -1 : found->value));
    }
    table.row(cells);
  }
  std::vector<std::string> means = {"geometric mean"};
  for (const std::string& at : sizes) {
    const std::vector<double> values = values_of(all, at);
    means.push_back(ratio_text(values.empty() ? -1 : geometric_mean(values)));
  }
  table.row(means);
  return {fmt::format("{}, of {}", figure.title, modes.size() == 1 ? name_of(modes[0]) : "the best of them"), table};
}

// The figure as a ratio to each stock mode's, and to that of whichever has least of it: means by size of the heap, over those with a limit, and over all.
TitledTable mode_table(const std::vector<PartPlan>& plans, const Parts& parts, const Figure& figure) {
  std::vector<std::string> sizes, head = {"of"};
  for (const PartPlan& plan : plans) note(sizes, plan.at);
  head.insert(head.end(), sizes.begin(), sizes.end());
  head.insert(head.end(), {"with a limit", "all"});
  Table table(head);
  std::vector<std::vector<Mode>> against;
  for (Mode mode : kStock) against.push_back({mode});
  against.push_back(kStock);
  for (const std::vector<Mode>& modes : against) {
    const Compared all = compared(plans, parts, figure, modes);
    std::vector<std::string> cells = {modes.size() == 1 ? name_of(modes[0]) : "the best of them"};
    auto mean = [&](const std::vector<double>& values) { cells.push_back(ratio_text(values.empty() ? -1 : geometric_mean(values))); };
    std::vector<double> limited;
    for (const Ratio& ratio : all.ratios)
      if (limit(ratio.at)) limited.push_back(ratio.value);
    for (const std::string& at : sizes) mean(values_of(all, at));
    mean(limited), mean(values_of(all));
    table.row(cells);
  }
  return {fmt::format("{}, of each stock mode", figure.title), table};
}

// `tables`, behind the one by modes over every size.
std::vector<TitledTable> and_modes(const Selection& selection, const Parts& parts, const char* figure, std::vector<TitledTable> tables) {
  tables.insert(tables.begin(), mode_table(every_size(selection), parts, figure_named(figure)));
  return tables;
}

// The figure's ratios by workload to each of `against`, where there are any, then its bench tables.
std::vector<TitledTable> heap_tables(const std::vector<PartPlan>& plans, const Parts& parts, const char* figure, const std::vector<Mode>& with, const std::vector<std::vector<Mode>>& against) {
  std::vector<TitledTable> all;
  for (const std::vector<Mode>& modes : against)
    if (const Compared some = compared(plans, parts, figure_named(figure), modes); !some.ratios.empty()) all.push_back(ratio_table(plans, some, figure_named(figure), modes));
  for (TitledTable& table : bench_tables_of(plans, parts, figure, with)) all.push_back(std::move(table));
  return all;
}
std::vector<TitledTable> heap_tables(const std::vector<PartPlan>& plans, const Parts& parts, const char* figure, const std::vector<Mode>& with) {
  return heap_tables(plans, parts, figure, with, {with});
}

Verdict finish_verdict(const std::string& figure, const std::vector<PartPlan>& plans, const Parts& parts) {
  Verdict verdict{figure, "all"};
  size_t measured = 0, wanted = 0, finished = 0;
  for (const PartPlan& plan : plans) {
    auto at = parts.find(plan.name);
    if (at == parts.end()) continue;
    const std::vector<Contender>& all = at->second.contenders;
    bool stock = all.size() == 1; // alone it stands against the reference run
    for (size_t other = 1; other < all.size(); other++) stock |= all[other].failure.empty();
    measured++;
    if (!stock) continue;
    wanted++;
    const std::string trouble = at->second.trouble();
    finished += trouble.empty();
    if (!trouble.empty()) verdict.losses.push_back(fmt::format("{}: {}", plan.name, trouble));
  }
  if (measured > 0) verdict.reached = fmt::format("{} of {}{}", finished, wanted, measured < plans.size() ? fmt::format(" ({} of {} parts)", measured, plans.size()) : "");
  if (wanted > 0) verdict.value = double(finished) / double(wanted);
  verdict.holds = !verdict.losses.empty() ? Holds::no : measured == plans.size() && measured > 0 ? Holds::yes : Holds::unmeasured;
  return verdict;
}

std::vector<Verdict> judge_finishing(const Selection& selection, const Parts& parts) {
  std::vector<Verdict> all = {finish_verdict("finishes with stock's result where any stock mode finishes", every_size(selection), parts)};
  if (const std::vector<PartPlan> narrow = tight(selection); !narrow.empty()) all.push_back(finish_verdict("the same at 1.3x the minimum heap", narrow, parts));
  return all;
}

std::vector<TitledTable> tables_of_finishing(const Selection& selection, const Parts& parts) {
  std::vector<std::string> sizes = selection.at;
  if (!tight(selection).empty()) sizes.insert(sizes.begin(), kTight);
  std::vector<std::string> head = {"workload"};
  for (const std::string& at : sizes) head.push_back(at);
  Table table(head);
  for (const std::string& workload : selection.workloads) {
    std::vector<std::string> cells = {workload};
    for (const std::string& size : sizes) {
      auto at = parts.find(heap_part(selection, workload, size, {}).name);
      cells.push_back(at == parts.end() ? "-" : !at->second.contenders[0].failure.empty() ? "failed" : at->second.difference.empty() ? "equal" : "differs");
    }
    table.row(cells);
  }
  return {{"result, by heap size", table}};
}

// A figure that is told, and has no mark.
Verdict unmarked(Verdict verdict) {
  verdict.mark = "-", verdict.holds = Holds::unmarked;
  return verdict;
}

Compared cpu_beside(const std::vector<PartPlan>& plans, const Parts& parts, const std::vector<Mode>& modes) { return compared(plans, parts, figure_named("cpu_s"), modes); }

// What one run of each says of a single part may be chance, so every part that was about as slow as stock-workstation or slower, whether above the mark or not, is told by more.
constexpr double kAboutAsSlow = 0.95;
std::vector<PartPlan> slower_again(const Selection& selection, const Parts& parts) {
  std::vector<PartPlan> all;
  if (selection.runs >= kAgainRuns) return all;
  for (const Ratio& ratio : cpu_beside(every_size(selection), parts, {Mode::workstation}).ratios) {
    if (ratio.value <= kAboutAsSlow) continue;
    all.push_back(heap_part(selection, ratio.workload, ratio.at, {Mode::workstation}));
    all.back().name += ", again", all.back().runs = kAgainRuns;
  }
  return all;
}

// `all`, with what was measured again in the place of what it was measured for.
Compared with_again(Compared all, const Compared& again) {
  for (Ratio& ratio : all.ratios)
    for (const Ratio& other : again.ratios)
      if (other.workload == ratio.workload && other.at == ratio.at) ratio = other;
  all.failed.insert(all.failed.end(), again.failed.begin(), again.failed.end());
  all.wanted += again.wanted, all.measured += again.measured;
  return all;
}

std::vector<Verdict> judge_cpu(const Selection& selection, const Parts& parts) {
  const Compared workstation = cpu_beside(every_size(selection), parts, {Mode::workstation}), best = cpu_beside(every_size(selection), parts, kStock);
  const Compared single = with_again(workstation, cpu_beside(slower_again(selection, parts), parts, {Mode::workstation}));
  return {mean_verdict("processor time, of stock-workstation", 0.85, workstation), mean_verdict("processor time, of the best stock mode", 0.95, best),
          most_verdict("processor time, none above, of stock-workstation", 1.10, single),
          unmarked(most_verdict("processor time, none above, of the best stock mode", 1.10, best))}; // of another mode in each part
}
std::vector<Verdict> judge_stopped(const Selection& selection, const Parts& parts) {
  return {mean_verdict("stopped time with a limit, of the best stock mode", 0.5, compared(with_limit(selection), parts, figure_named("pause_total_ms"), kStock))};
}
std::vector<Verdict> judge_longest(const Selection& selection, const Parts& parts) {
  const auto beside = [&](const std::vector<Mode>& modes) { return compared(every_size(selection), parts, figure_named("pause_max_ms"), modes); };
  return {mean_verdict("longest pause, of the better of stock-workstation and stock-server", 0.5, beside(kNotConcurrent)),
          unmarked(mean_verdict("longest pause, stock-server-datas among them", 0.5, beside(kButConcurrent)))};
}
std::vector<Verdict> beside_concurrent(const std::vector<PartPlan>& plans, const Parts& parts, const std::string& how) {
  return {mean_verdict("longest pause" + how + ", of stock-concurrent", 0.5, compared(plans, parts, figure_named("pause_max_ms"), {Mode::concurrent})),
          mean_verdict("processor time" + how + ", of stock-concurrent", 1.0, compared(plans, parts, figure_named("cpu_s"), {Mode::concurrent}))};
}
std::vector<Verdict> judge_concurrent(const Selection& selection, const Parts& parts) { return beside_concurrent(every_size(selection), parts, ""); }
std::vector<Verdict> judge_always_beside(const Selection& selection, const Parts& parts) { return beside_concurrent(always_beside(selection), parts, ", marking=concurrent"); }
std::vector<Verdict> judge_always_stopped(const Selection& selection, const Parts& parts) {
  return {mean_verdict("longest pause, marking=stopped, of the better of stock-workstation and stock-server", 0.5, compared(always_stopped(selection), parts, figure_named("pause_max_ms"), kNotConcurrent))};
}

// The peak over the limit has no mark: the limit is of the managed heap, and the runtime comes on top.
Verdict peak_over_limit(const Selection& selection, const Parts& parts) {
  Verdict verdict{"peak memory with a limit, of the limit", "-"};
  Compared all;
  for (const PartPlan& plan : with_limit(selection)) {
    auto at = parts.find(plan.name);
    if (at == parts.end() || !at->second.contenders[0].failure.empty()) continue;
    const Contender& ours = at->second.contenders[0];
    if (ours.plan.limit_bytes) all.ratios.push_back({plan.piece.workload, plan.at, "the limit", ratio_of(ours.median_of(figure_named("peak_bytes")), double(*ours.plan.limit_bytes))});
  }
  all.wanted = all.measured = all.ratios.size();
  Verdict mean = mean_verdict(verdict.figure, 0, all);
  verdict.value = mean.value, verdict.reached = mean.reached;
  verdict.holds = Holds::unmarked;
  return verdict;
}

std::vector<Verdict> judge_memory(const Selection& selection, const Parts& parts) {
  return {mean_verdict("peak memory without a limit, of the smallest stock mode", 1.0, compared(without_limit(selection), parts, figure_named("peak_bytes"), kStock)),
          unmarked(mean_verdict("peak memory with a limit, of the smallest stock mode", 0, compared(with_limit(selection), parts, figure_named("peak_bytes"), kStock))), peak_over_limit(selection, parts)};
}

// What this collector's log has of each part, over what it is held against there: the limit, or what lives.
struct Own { double most_committed, most_left, peak, limit; };
template <class Value> Compared owned(const std::vector<PartPlan>& plans, const Parts& parts, const char* of, Value value) {
  Compared all;
  for (const PartPlan& plan : plans) {
    all.wanted++;
    auto at = parts.find(plan.name);
    if (at == parts.end()) continue;
    all.measured++;
    const Contender& ours = at->second.contenders[0];
    if (const std::string trouble = at->second.trouble(); !trouble.empty()) {
      all.failed.push_back(fmt::format("{}: {}", plan.name, trouble));
      continue;
    }
    for (const Sample& sample : ours.samples) // each run must hold
      if (const double ratio = value(Own{sample.most_committed, sample.most_left, sample.peak_bytes, double(ours.plan.limit_bytes.value_or(0))}); ratio > 0)
        all.ratios.push_back({plan.piece.workload, plan.at, of, ratio});
  }
  return all;
}
std::vector<PartPlan> alone_where(const Selection& selection, bool limited) {
  std::vector<PartPlan> all = alone(selection);
  std::erase_if(all, [limited](const PartPlan& plan) { return limit(plan.at) != limited; });
  return all;
}
std::vector<Verdict> judge_heap(const Selection& selection, const Parts& parts) {
  const std::vector<PartPlan> limited = alone_where(selection, true), unlimited = alone_where(selection, false);
  const Compared committed = owned(limited, parts, "the limit", [](const Own& own) { return own.limit > 0 && own.most_committed > 0 ? own.most_committed / own.limit : -1; });
  auto over_live = [&](double least) { return owned(unlimited, parts, "what lives", [least](const Own& own) { return own.most_left > least ? own.peak / own.most_left : -1; }); };
  return {most_verdict("committed by the heap, of its limit", 1.0, committed), most_verdict("peak memory without a limit, of what lives", 2.0, over_live(0)),
          unmarked(most_verdict("the same where more than 60 MB live", 2.0, over_live(kMuchLives))), unmarked(mean_verdict("the same, the mean", 2.0, over_live(kMuchLives)))};
}
std::vector<TitledTable> tables_of_heap(const Selection& selection, const Parts& parts) {
  Table table({"workload", "at", "limit MB", "committed MB", "left by a full collection MB", "peak MB", "committed of limit", "peak of what lives"});
  table.left(1);
  for (const PartPlan& plan : alone(selection)) {
    auto at = parts.find(plan.name);
    if (at == parts.end() || !at->second.trouble().empty() || at->second.contenders[0].samples.empty()) continue;
    const Contender& ours = at->second.contenders[0];
    const Sample& sample = ours.samples[0];
    const double limit_bytes = ours.plan.limit_bytes ? double(*ours.plan.limit_bytes) : -1;
    auto over = [](double a, double b) { return ratio_text(a > 0 && b > 0 ? a / b : -1); };
    table.row({plan.piece.workload, plan.at, megabytes_text(limit_bytes), megabytes_text(sample.most_committed), megabytes_text(sample.most_left), megabytes_text(sample.peak_bytes), over(sample.most_committed, limit_bytes), over(sample.peak_bytes, sample.most_left)});
  }
  return {{"The heap, by the collector's log; the first run of each part", table}};
}

// ---- rows of one workload each ----

PartPlan own_part(const Selection& selection, const std::string& name, const std::vector<Entrant>& entrants, int runs = kOwnRuns) {
  return {name, piece_named(name), "unlimited", entrants, selection.runs > 0 ? selection.runs : runs};
}

// A part that is measured, and in which this collector finished; else null, with what the verdict is then.
const BenchResult* good_part(const Parts& parts, const std::string& name, Verdict& verdict) {
  auto at = parts.find(name);
  if (at == parts.end()) return nullptr;
  const std::string trouble = at->second.trouble();
  if (trouble.empty()) return &at->second;
  verdict.holds = Holds::no;
  verdict.losses = {fmt::format("{}: {}", name, trouble)};
  return nullptr;
}

// Three digits also of what is less than 1: the wall time of a program that only starts.
std::string number_text(double value) { return value > 0 && value < 1 ? fmt::format("{:.3f}", value) : milliseconds_text(value); }

// A key of figures(), or a path of the JSON line.
double median_of(const Contender& contender, const std::string& what) {
  if (!contender.failure.empty()) return -1;
  for (const Figure& figure : figures())
    if (what == figure.key) return contender.median_of(figure);
  return contender.median_at(what);
}

double median_of(const BenchResult& part, Mode mode, const std::string& what) {
  for (const Contender& contender : part.contenders)
    if (contender.plan.mode == mode) return median_of(contender, what);
  return -1;
}

struct Best {
  double value = -1;
  std::string of;
};
Best best_stock(const BenchResult& part, const std::string& what) {
  Best best;
  for (size_t other = 1; other < part.contenders.size(); other++) {
    const Contender& contender = part.contenders[other];
    const double mine = contender.plan.mode == Mode::garner ? -1 : median_of(contender, what);
    if (mine >= 0 && (best.value < 0 || mine < best.value)) best = {mine, contender.name()};
  }
  return best;
}

// "21.1 stock-workstation, 20.4 stock-server"
std::string others_text(const BenchResult& part, const std::string& what) {
  std::string all;
  for (size_t other = 1; other < part.contenders.size(); other++)
    all += fmt::format("{}{} {}", all.empty() ? "" : ", ", number_text(median_of(part.contenders[other], what)), part.contenders[other].name());
  return all;
}

// What stands in the tables of such rows: titles, and keys or paths.
using Columns = std::vector<OwnFigure>;

TitledTable part_table(const std::string& title, const std::vector<PartPlan>& plans, const Parts& parts, const Columns& columns) {
  std::vector<std::string> head = {"part", "collector"};
  for (const OwnFigure& column : columns) head.push_back(column.title);
  Table table(head);
  table.left(1);
  for (const PartPlan& plan : plans) {
    auto at = parts.find(plan.name);
    if (at == parts.end()) continue;
    for (const Contender& contender : at->second.contenders) {
      std::vector<std::string> cells = {plan.name, contender.name()};
      for (const OwnFigure& column : columns)
        cells.push_back(!contender.failure.empty() ? "failed"
                        : column.path == "peak_bytes" ? megabytes_text(median_of(contender, column.path))
                                                      : number_text(median_of(contender, column.path)));
      table.row(cells);
    }
  }
  return {title, table};
}

std::vector<PartPlan> parts_of_survivors(const Selection& selection) {
  return {own_part(selection, "survivors", ours_and(kNotConcurrent)), own_part(selection, "surviving-arrays", ours_and(kNotConcurrent))};
}
std::vector<Verdict> judge_survivors(const Selection&, const Parts& parts) {
  Verdict nodes{"survivors of 48 bytes, ns each", "≤ 18"}, arrays{"surviving arrays of 8 KB, of the rate of copying", "≥ 0.50"};
  if (const BenchResult* part = good_part(parts, "survivors", nodes)) {
    const std::string path = "figures/ns_per_object";
    const double ns = median_of(part->contenders[0], path);
    nodes = at_most(nodes.figure, nodes.mark, ns, 18, fmt::format("{:.1f} ({})", ns, others_text(*part, path)));
    if (Best best = best_stock(*part, path); best.value >= 0 && ns > best.value) nodes.losses = {fmt::format("survivors: {:.1f} ns, {} has {:.1f}", ns, best.of, best.value)};
  }
  if (const BenchResult* part = good_part(parts, "surviving-arrays", arrays)) {
    const double rate = median_of(part->contenders[0], "figures/mb_per_s"), copying = median_of(part->contenders[0], "figures/copying_mb_per_s");
    arrays = at_least(arrays.figure, arrays.mark, ratio_of(rate, copying), 0.5, fmt::format("{:.2f}: {:.0f} of {:.0f} MB/s", ratio_of(rate, copying), rate, copying));
  }
  return {nodes, arrays};
}
std::vector<TitledTable> tables_of_survivors(const Selection& selection, const Parts& parts) {
  return {part_table("Young collections of what survives", parts_of_survivors(selection), parts,
                     {{"pause ms", "figures/pause_ms/median"}, {"ns each", "figures/ns_per_object"}, {"MB/s", "figures/mb_per_s"}, {"copying MB/s", "figures/copying_mb_per_s"}})};
}

std::vector<PartPlan> parts_of_full(const Selection& selection) {
  std::vector<Entrant> all = ours_and(kNotConcurrent);
  all.push_back({Mode::garner, "workers=1", "garner, one thread"});
  return {own_part(selection, "random-graph", all)};
}
Verdict full_verdict(const std::string& what, const std::string& path, Mode mode, double mark, const Parts& parts) {
  Verdict verdict{fmt::format("full collection, {}, rate over {}", what, name_of(mode)), fmt::format("≥ {:.1f}", mark)};
  const BenchResult* part = good_part(parts, "random-graph", verdict);
  if (part == nullptr) return verdict;
  const double ours = median_of(part->contenders[0], path), theirs = median_of(*part, mode, path), ratio = ratio_of(theirs, ours);
  verdict = at_least(verdict.figure, verdict.mark, ratio, mark, fmt::format("{:.2f}: {} and {} ms", ratio, number_text(ours), number_text(theirs)));
  if (ratio >= 0 && ratio < 1) verdict.losses = {fmt::format("random-graph, {}: {} ms, {} has {}", what, number_text(ours), name_of(mode), number_text(theirs))};
  return verdict;
}
std::vector<Verdict> judge_full(const Selection&, const Parts& parts) {
  const std::string sweeping = "figures/sweeping_ms/median", compacting = "figures/compacting_ms/median";
  return {full_verdict("not compacting", sweeping, Mode::workstation, 2, parts), full_verdict("not compacting", sweeping, Mode::server, 1.3, parts),
          full_verdict("compacting", compacting, Mode::workstation, 4, parts), full_verdict("compacting", compacting, Mode::server, 2, parts)};
}
std::vector<TitledTable> tables_of_full(const Selection& selection, const Parts& parts) {
  return {part_table("Full collections of 8 M nodes", parts_of_full(selection), parts,
                     {{"not compacting ms", "figures/sweeping_ms/median"}, {"compacting ms", "figures/compacting_ms/median"}})};
}

std::vector<PartPlan> parts_of_old(const Selection& selection) {
  std::vector<PartPlan> all = {own_part(selection, "old-entries none", ours_and({Mode::workstation}))};
  for (const char* kind : kKinds)
    for (const char* share : kShares) all.push_back(own_part(selection, fmt::format("old-entries {}{}", kind, share), ours_and({Mode::workstation})));
  return all;
}
// Of a line over the shares of all entries: its highest point is what has the mark.
Verdict old_verdict(const std::string& kind, const Parts& parts) {
  const std::string path = "figures/young_pause_ms/median";
  Verdict verdict{fmt::format("young pause beside old entries, {}, over none", kind), "≤ +1 ms"};
  const BenchResult* none = good_part(parts, "old-entries none", verdict);
  if (none == nullptr) return verdict;
  const double least = median_of(none->contenders[0], path);
  bool known = true;
  std::string line, others;
  for (const char* share : kShares) {
    const std::string name = fmt::format("old-entries {}{}", kind, share);
    const BenchResult* part = good_part(parts, name, verdict);
    if (verdict.holds == Holds::no) return verdict;
    const double ours = part != nullptr ? median_of(part->contenders[0], path) : -1;
    if (least < 0 || ours < 0) {
      known = false;
      continue;
    }
    verdict.value = std::max(verdict.value.value_or(ours - least), ours - least);
    line += fmt::format("{}{:.2f}", line.empty() ? "" : ", ", ours);
    others = others_text(*part, path);
    if (const Best best = best_stock(*part, path); best.value >= 0 && ours > best.value) verdict.losses.push_back(fmt::format("{}: {:.2f} ms, {} has {:.2f}", name, ours, best.of, best.value));
  }
  if (!verdict.value) return verdict;
  verdict.reached = fmt::format("{:+.2f} ms at most: {:.2f} beside none, then {} ({})", *verdict.value, least, line, others);
  verdict.holds = *verdict.value > 1 ? Holds::no : known ? Holds::yes : Holds::unmeasured;
  return verdict;
}
std::vector<Verdict> judge_old(const Selection&, const Parts& parts) {
  std::vector<Verdict> all;
  for (const char* kind : kKinds) all.push_back(old_verdict(kind, parts));
  return all;
}
std::vector<TitledTable> tables_of_old(const Selection& selection, const Parts& parts) {
  return {part_table("Young pauses beside old entries", parts_of_old(selection), parts, {{"median ms", "figures/young_pause_ms/median"}, {"longest ms", "figures/young_pause_ms/max"}})};
}

std::vector<PartPlan> parts_of_requests(const Selection& selection) { return {own_part(selection, "request-server", ours_and(kStock))}; }
// A figure of one part against the best stock mode's.
Verdict part_verdict(const std::string& figure, double mark, const std::string& name, const std::string& what, const Parts& parts) {
  Verdict verdict{figure, fmt::format("≤ {:.2f}", mark)};
  const BenchResult* part = good_part(parts, name, verdict);
  if (part == nullptr) return verdict;
  const Best best = best_stock(*part, what);
  const double ours = median_of(part->contenders[0], what), ratio = ratio_of(ours, best.value);
  verdict = at_most(figure, verdict.mark, ratio, mark, fmt::format("{:.2f}: {} and {} ({})", ratio, number_text(ours), number_text(best.value), best.of));
  if (ratio > 1) verdict.losses = {fmt::format("{}: {:.2f} of {}", name, ratio, best.of)};
  return verdict;
}
std::vector<Verdict> judge_requests(const Selection&, const Parts& parts) {
  return {part_verdict("request-server, p99.9 in us, of the best stock mode", 0.5, "request-server", "latency_us/p99.9", parts)};
}
std::vector<TitledTable> tables_of_requests(const Selection& selection, const Parts& parts) {
  return {part_table("Latency of requests", parts_of_requests(selection), parts,
                     {{"p50 us", "latency_us/p50"}, {"p99 us", "latency_us/p99"}, {"p99.9 us", "latency_us/p99.9"}, {"p99.99 us", "figures/late_us/p99.99"}, {"longest us", "latency_us/max"}, {"CPU s", "cpu_s"}, {"peak MB", "peak_bytes"}})};
}

std::vector<PartPlan> parts_of_start(const Selection& selection) {
  return {own_part(selection, "hello", ours_and(kStock), kHelloRuns), own_part(selection, "hello-20", ours_and(kStock), kHelloRuns)};
}
Verdict peak_verdict(const std::string& figure, const std::string& name, const Parts& parts) {
  Verdict verdict{figure, "≤ +2 MB"};
  const BenchResult* part = good_part(parts, name, verdict);
  if (part == nullptr) return verdict;
  const Best best = best_stock(*part, "peak_bytes");
  const double ours = median_of(part->contenders[0], "peak_bytes"), more = (ours - best.value) / kMegabyte;
  const bool known = ours >= 0 && best.value >= 0;
  if (known) verdict.value = more;
  verdict.reached = known ? fmt::format("{:+.1f} MB: {} and {} ({})", more, megabytes_text(ours), megabytes_text(best.value), best.of) : "-";
  verdict.holds = !known ? Holds::unmeasured : more <= 2 ? Holds::yes : Holds::no;
  if (known && more > 0) verdict.losses = {fmt::format("{}: {:.1f} MB more than {}", name, more, best.of)};
  return verdict;
}
std::vector<Verdict> judge_start(const Selection&, const Parts& parts) {
  return {part_verdict("start and end of a program, wall s, of the fastest stock mode", 1.0, "hello", "wall_s", parts),
          peak_verdict("its peak memory, over the smallest stock mode", "hello", parts),
          part_verdict("a short program of 20 MB, wall s, of the fastest stock mode", 1.0, "hello-20", "wall_s", parts),
          peak_verdict("its peak memory, over the smallest stock mode (20 MB)", "hello-20", parts)};
}
std::vector<TitledTable> tables_of_start(const Selection& selection, const Parts& parts) {
  return {part_table("Short programs", parts_of_start(selection), parts, {{"wall s", "wall_s"}, {"CPU s", "cpu_s"}, {"stopped ms", "pause_total_ms"}, {"peak MB", "peak_bytes"}})};
}

// ---- arithmetic ----

// "0.83: 0.84 at 1.5, 0.82 unlimited", then what is missing.
std::string mean_text(const Compared& all) {
  std::vector<std::string> sizes;
  for (const Ratio& ratio : all.ratios) note(sizes, ratio.at);
  std::string text = fmt::format("{:.2f}", geometric_mean(values_of(all)));
  if (sizes.size() < 2) return text;
  for (size_t i = 0; i < sizes.size(); i++) text += fmt::format("{}{:.2f} {}", i == 0 ? ": " : ", ", geometric_mean(values_of(all, sizes[i])), text_of(sizes[i]));
  return text;
}

std::string missing_text(const Compared& all) { return all.measured == all.wanted ? "" : fmt::format(" ({} of {} parts)", all.measured, all.wanted); }

std::vector<std::string> losses_of(const Compared& all, double above) {
  std::vector<Ratio> worse;
  std::copy_if(all.ratios.begin(), all.ratios.end(), std::back_inserter(worse), [above](const Ratio& ratio) { return ratio.value > above; });
  std::stable_sort(worse.begin(), worse.end(), [](const Ratio& a, const Ratio& b) { return a.value > b.value; });
  std::vector<std::string> losses = all.failed;
  losses.insert(losses.end(), all.only_we.begin(), all.only_we.end());
  for (const Ratio& ratio : worse) losses.push_back(fmt::format("{} {}: {:.2f} of {}", ratio.workload, text_of(ratio.at), ratio.value, ratio.of));
  return losses;
}

} // namespace

const char* word_of(Holds holds) {
  switch (holds) {
    case Holds::yes: return "yes";
    case Holds::no: return "no";
    case Holds::unmeasured: return "not measured";
    case Holds::unmarked: return "-";
  }
  return "";
}

const Figure& figure_named(const std::string& key) {
  for (const Figure& figure : figures())
    if (key == figure.key) return figure;
  throw std::logic_error("no figure " + key);
}

Compared compared(const std::vector<PartPlan>& plans, const Parts& parts, const Figure& figure, const std::vector<Mode>& with) {
  Compared all;
  all.wanted = plans.size();
  for (const PartPlan& plan : plans) {
    auto at = parts.find(plan.name);
    if (at == parts.end()) continue;
    all.measured++;
    std::vector<Contender> some = {at->second.contenders[0]};
    bool finished = false;
    for (const Contender& contender : at->second.contenders)
      if (std::find(with.begin(), with.end(), contender.plan.mode) != with.end()) {
        some.push_back(contender);
        finished |= contender.failure.empty();
      }
    if (!some[0].failure.empty() && finished) all.failed.push_back(fmt::format("{}: {} failed", plan.name, some[0].name()));
    if (some[0].failure.empty() && !at->second.difference.empty()) { // who is fast and wrong is not fast
      all.failed.push_back(fmt::format("{}: {}", plan.name, at->second.difference));
      continue;
    }
    const Contender* best = best_of_others(some, figure);
    if (!some[0].failure.empty() || best == nullptr) continue;
    const double ours = some[0].median_of(figure), theirs = best->median_of(figure);
    if (const double ratio = ratio_of(ours, theirs); ratio >= 0) all.ratios.push_back({plan.piece.workload, plan.at, best->name(), ratio});
    else if (ours > 0 && theirs == 0) all.only_we.push_back(fmt::format("{}: {} where {} has none", plan.name, figure.show(ours), best->name()));
  }
  return all;
}

Verdict mean_verdict(const std::string& figure, double mark, const Compared& all) {
  Verdict verdict{figure, fmt::format("≤ {:.2f}", mark)};
  verdict.losses = losses_of(all, 1);
  if (!all.ratios.empty()) {
    verdict.value = geometric_mean(values_of(all));
    verdict.reached = mean_text(all) + missing_text(all);
  }
  if (!all.failed.empty()) verdict.holds = Holds::no;
  else if (all.measured == all.wanted && !all.ratios.empty()) verdict.holds = *verdict.value <= mark ? Holds::yes : Holds::no;
  return verdict;
}

Verdict most_verdict(const std::string& figure, double mark, const Compared& all) {
  Verdict verdict{figure, fmt::format("≤ {:.2f}", mark)};
  verdict.losses = losses_of(all, mark);
  if (!all.ratios.empty()) {
    verdict.value = maximum(values_of(all));
    const size_t above = size_t(std::count_if(all.ratios.begin(), all.ratios.end(), [mark](const Ratio& ratio) { return ratio.value > mark; }));
    verdict.reached = fmt::format("{:.2f} at most, {} of {} above{}", *verdict.value, above, all.ratios.size(), missing_text(all));
    if (above > 0) verdict.holds = Holds::no;
    else if (all.measured == all.wanted) verdict.holds = Holds::yes;
  }
  if (!all.failed.empty()) verdict.holds = Holds::no;
  return verdict;
}

Verdict at_most(const std::string& figure, const std::string& mark, double value, double most, const std::string& reached) {
  if (value < 0) return {figure, mark, "-"};
  return {figure, mark, reached, value, value <= most ? Holds::yes : Holds::no};
}

Verdict at_least(const std::string& figure, const std::string& mark, double value, double least, const std::string& reached) {
  if (value < 0) return {figure, mark, "-"};
  return {figure, mark, reached, value, value >= least ? Holds::yes : Holds::no};
}

std::vector<std::string> workloads_of_rows() {
  return {"binary-trees", "gcbench", "warehouse", "lru-cache", "xml-transform", "finalizers", "pinned-buffers",
          "large-objects", "dictionary", "page-rank", "inverted-index", "kestrel", "roslyn",
          "k-means", "components", "rmat-paths", "actors", "path-tracer", "hostile", "aes", "documents", "linear-algebra"};
}
std::vector<std::string> sizes_of_rows() { return {"1.5", "2", "3", "unlimited"}; }

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
    {"R1", "finishes", "Every workload finishes with stock's result wherever a stock mode does.", every_size_and_tight, judge_finishing, tables_of_finishing},
    {"R2", "cpu", "Processor seconds over workloads and heap sizes.", every_size, judge_cpu,
     [](const Selection& s, const Parts& p) { return and_modes(s, p, "cpu_s", heap_tables(every_size(s), p, "cpu_s", kStock, {{Mode::workstation}, kStock})); }, slower_again},
    {"R3", "stopped", "Time in which the program stands still, in all, with a limit.", with_limit, judge_stopped,
     [](const Selection& s, const Parts& p) { return and_modes(s, p, "pause_total_ms", heap_tables(with_limit(s), p, "pause_total_ms", kStock)); }},
    {"R4", "longest", "The longest pause beside stock-workstation, which stops for all it does, and stock-server; the collector has its defaults (collect.marking=auto).", every_size, judge_longest,
     [](const Selection& s, const Parts& p) { return and_modes(s, p, "pause_max_ms", heap_tables(every_size(s), p, "pause_max_ms", kNotConcurrent)); }},
    {"R5", "concurrent", "The longest pause and the processor time beside the stock mode that collects beside the program.", every_size, judge_concurrent,
     [](const Selection& s, const Parts& p) { return heap_tables(every_size(s), p, "pause_max_ms", {Mode::concurrent}); }},
    {"R4s", "longest-stopped", "As R4, with collect.marking=stopped.", always_stopped, judge_always_stopped,
     [](const Selection& s, const Parts& p) { return heap_tables(always_stopped(s), p, "pause_max_ms", kNotConcurrent); }},
    {"R5c", "concurrent-always", "As R5, with collect.marking=concurrent.", always_beside, judge_always_beside,
     [](const Selection& s, const Parts& p) { return heap_tables(always_beside(s), p, "pause_max_ms", {Mode::concurrent}); }},
    {"R6", "memory", "Peak resident memory of the largest process.", every_size, judge_memory,
     [](const Selection& s, const Parts& p) { return and_modes(s, p, "peak_bytes", heap_tables(every_size(s), p, "peak_bytes", kStock, {kStock, {Mode::workstation}})); }},
    {"R6h", "heap", "What the heap takes by the collector's own log: of its limit, and without one of what lives.", alone, judge_heap, tables_of_heap},
    {"R7", "survivors", "A young collection in which nearly all survives, for each object.", parts_of_survivors, judge_survivors, tables_of_survivors},
    {"R8", "full", "A full collection of objects linked at random, as a rate.", parts_of_full, judge_full, tables_of_full},
    {"R9", "old-entries", "What a quarter of a million old entries of one kind, half a million and a million (of pinned ones a tenth) add to a young pause.", parts_of_old, judge_old, tables_of_old},
    {"R10", "request-server", "Latency under an open load beside 1 GB of sessions.", parts_of_requests, judge_requests, tables_of_requests},
    {"R11", "start", "A program that says hello, and one that keeps 20 MB for a short while.", parts_of_start, judge_start, tables_of_start},
  };
  return all;
}

std::vector<Row> rows_named(const std::vector<std::string>& names) {
  if (names.empty()) return rows();
  std::vector<Row> chosen;
  std::string known;
  for (const Row& row : rows()) known += fmt::format("{}{} {}", known.empty() ? "" : ", ", row.id, row.name);
  auto means = [](const std::string& name, const Row& row) { return strcasecmp(name.c_str(), row.id) == 0 || strcasecmp(name.c_str(), row.name) == 0; };
  for (const std::string& name : names)
    if (std::none_of(rows().begin(), rows().end(), [&](const Row& row) { return means(name, row); })) throw UsageError(fmt::format("no row '{}': {}", name, known));
  for (const Row& row : rows())
    if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return means(name, row); })) chosen.push_back(row);
  return chosen;
}

} // namespace garner::tool
