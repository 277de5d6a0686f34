#include "bench_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "report.h"
#include "stats.h"

namespace garner::tool {
namespace {

using Json = nlohmann::ordered_json;

// Wall time is left out: paced workloads have none of their own, and CPU says more on a shared machine. It stands in the JSON.
bool in_tables(const Figure& figure) { return figure.at != &Sample::wall_s; }

const char* letters_of(Mode mode) { return mode_rows()[size_t(mode)].letters; }

std::vector<std::string> heap_sizes(const std::vector<BenchResult>& results) {
  std::vector<std::string> all;
  for (const BenchResult& result : results)
    if (std::find(all.begin(), all.end(), result.at) == all.end()) all.push_back(result.at);
  return all;
}

std::string size_title(const std::string& at) { return at == "unlimited" ? "no limit" : at + "x the minimum heap"; }

std::vector<const BenchResult*> rows_at(const std::vector<BenchResult>& results, const std::string& at) {
  std::vector<const BenchResult*> rows;
  for (const BenchResult& result : results)
    if (result.at == at) rows.push_back(&result);
  return rows;
}

std::string cell(const Contender& contender, const Figure& figure) {
  return contender.failure.empty() ? figure.show(contender.median_of(figure)) : "failed";
}

double ratio(const Contender& a, const Contender* b, const Figure& figure) {
  return a.failure.empty() && b != nullptr && b->failure.empty() ? ratio_of(a.median_of(figure), b->median_of(figure)) : -1;
}

// The first mode's ratio to each other one, then, of several, to the best.
std::vector<double> ratios_of(const BenchResult& result, const Figure& figure) {
  const std::vector<Contender>& modes = result.contenders;
  std::vector<double> all;
  for (size_t other = 1; other < modes.size(); other++) all.push_back(ratio(modes[0], &modes[other], figure));
  if (all.size() > 1) all.push_back(ratio(modes[0], best_of_others(modes, figure), figure));
  return all;
}

Table figure_table(const std::vector<const BenchResult*>& rows, const Figure& figure) {
  const std::vector<Contender>& modes = rows[0]->contenders;
  std::vector<std::string> head = {"workload"};
  for (const Contender& mode : modes) head.push_back(letters_of(mode.plan.mode));
  for (size_t other = 1; other < modes.size(); other++)
    head.push_back(fmt::format("{}/{}", letters_of(modes[0].plan.mode), letters_of(modes[other].plan.mode)));
  if (modes.size() > 2) head.push_back(fmt::format("{}/best", letters_of(modes[0].plan.mode)));
  Table table(head);
  std::vector<std::vector<double>> ratios(head.size() - 1 - modes.size());
  for (const BenchResult* result : rows) {
    std::vector<std::string> cells = {result->workload};
    for (const Contender& contender : result->contenders) cells.push_back(cell(contender, figure));
    const std::vector<double> mine = ratios_of(*result, figure);
    for (size_t i = 0; i < mine.size(); i++) {
      ratios[i].push_back(mine[i]);
      cells.push_back(ratio_text(mine[i]));
    }
    table.row(cells);
  }
  std::vector<std::string> means = {"geometric mean"};
  means.resize(1 + modes.size());
  for (const std::vector<double>& column : ratios) means.push_back(ratio_text(geometric_mean(column)));
  if (modes.size() > 1) table.row(means);
  return table;
}

} // namespace

std::string BenchResult::trouble() const {
  if (!contenders[0].failure.empty()) return fmt::format("{} failed: {}", contenders[0].name(), contenders[0].failure);
  return difference.empty() ? "" : "result differs: " + difference;
}

std::vector<TitledTable> bench_tables(const std::vector<BenchResult>& results) {
  std::vector<TitledTable> tables;
  for (const std::string& at : heap_sizes(results))
    for (const Figure& figure : figures())
      if (in_tables(figure)) tables.push_back({fmt::format("{}, {}", figure.title, size_title(at)), figure_table(rows_at(results, at), figure)});
  return tables;
}

std::vector<TitledTable> bench_tables(const std::vector<BenchResult>& results, const Figure& figure) {
  std::vector<TitledTable> tables;
  for (const std::string& at : heap_sizes(results)) tables.push_back({fmt::format("{}, {}", figure.title, size_title(at)), figure_table(rows_at(results, at), figure)});
  return tables;
}

std::string bench_remarks(const std::vector<BenchResult>& results) {
  std::string all;
  for (const BenchResult& result : results) {
    for (const Contender& contender : result.contenders)
      if (!contender.failure.empty())
        all += fmt::format("{} at {}: {} failed: {}\n", result.workload, size_title(result.at), contender.name(), contender.failure);
    if (!result.difference.empty()) all += fmt::format("{} at {}: result DIFFERS: {}\n", result.workload, size_title(result.at), result.difference);
  }
  return all;
}

Json bench_json(const std::vector<BenchResult>& results) {
  Json all = Json::array();
  for (const BenchResult& result : results) {
    Json one = {{"workload", result.workload},
                {"at", result.at},
                {"min_heap_bytes", result.min_heap_bytes},
                {"paced", result.paced},
                {"difference", result.difference}};
    if (result.contenders[0].plan.limit_bytes) one["limit_bytes"] = *result.contenders[0].plan.limit_bytes;
    for (const Contender& contender : result.contenders) one["modes"].push_back(json_of(contender));
    all.push_back(one);
  }
  return all;
}

} // namespace garner::tool
