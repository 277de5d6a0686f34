#include "report.h"

#include <algorithm>

#include <fmt/format.h>

namespace garner::tool {

using Json = nlohmann::ordered_json;

double ratio_of(double a, double b) { return a >= 0 && b > 0 ? a / b : -1; }

const Contender* best_of_others(const std::vector<Contender>& all, const Figure& figure) {
  const Contender* best = nullptr;
  for (size_t other = 1; other < all.size(); other++) {
    const double mine = all[other].failure.empty() ? all[other].median_of(figure) : -1;
    if (mine >= 0 && (best == nullptr || mine < best->median_of(figure))) best = &all[other];
  }
  return best;
}

namespace {

// How long each good run took, or would have without its pauses; where none are told, all of its time is a bound too.
std::vector<double> times_of(const Contender& contender, bool without_pauses) {
  std::vector<double> values;
  for (const Sample& sample : contender.samples)
    if (sample.failure.empty() && sample.wall_s >= 0) values.push_back(sample.wall_s - (without_pauses ? std::max(sample.pause_total_ms, 0.0) / 1000 : 0));
  return values;
}

// Which none can be below: the least of all modes' times without their pauses. Empty where no pauses are known.
std::vector<double> least_times(const std::vector<Contender>& all) {
  bool pauses_known = false;
  std::vector<double> least;
  for (const Contender& c : all) {
    for (const Sample& sample : c.samples) pauses_known |= sample.failure.empty() && sample.wall_s >= 0 && sample.pause_total_ms >= 0;
    if (std::vector<double> mine = times_of(c, true); !mine.empty() && median(mine) > 0 && (least.empty() || median(mine) < median(least))) least = std::move(mine);
  }
  return pauses_known ? least : std::vector<double>();
}

std::string interval_text(const Interval& interval) { return fmt::format("{}–{}", ratio_text(interval.low), ratio_text(interval.high)); }

} // namespace

double lower_bound_overhead(const Contender& contender, const std::vector<Contender>& all) {
  const std::vector<double> mine = times_of(contender, false), least = least_times(all);
  return mine.empty() || least.empty() ? -1 : ratio_of(median(mine), median(least));
}

// A run's time and what it would be without its pauses are of one drawing, and each drawing has its own least: else the mode that sets the bound could seem to be below it.
std::optional<Interval> overhead_interval(const Contender& contender, const std::vector<Contender>& all) {
  const std::vector<double> least = least_times(all), mine = times_of(contender, false);
  if (mine.size() < 3 || least.size() < 3 || minimum(least) <= 0) return std::nullopt;
  std::vector<std::vector<double>> bounds;
  for (const Contender& c : all) bounds.push_back(times_of(c, true));
  return interval_of([&](Drawing& drawing) {
    double bound = 0, own = 0;
    for (size_t i = 0; i < all.size(); i++) {
      const std::vector<size_t> runs = drawing.of(bounds[i].size());
      if (runs.empty()) continue;
      if (&all[i] == &contender) own = median_of(mine, runs);
      if (const double its = median_of(bounds[i], runs); its > 0 && (bound == 0 || its < bound)) bound = its;
    }
    return own / bound;
  });
}

Agreement agreement_of(const std::vector<Contender>& contenders) {
  Agreement result;
  const Contender* owner = nullptr;
  const Sample* reference = nullptr;
  for (size_t i = 0; i < contenders.size(); i++) {
    const Contender& contender = contenders[(i + 1) % contenders.size()]; // the first one last
    for (const Sample& sample : contender.samples)
      if (sample.failure.empty() && reference == nullptr) {
        reference = &sample;
        owner = &contender;
      }
  }
  if (reference == nullptr) return result;
  result.known = true;
  result.result = result_text(*reference);
  for (const Contender& contender : contenders)
    for (const Sample& sample : contender.samples) {
      if (!sample.failure.empty() || !result.difference.empty()) continue;
      std::string difference = difference_of(*reference, sample);
      if (difference.empty()) continue;
      result.difference = &contender == owner ? fmt::format("two runs of {}: {}", owner->name(), difference)
                                              : fmt::format("{} and {}: {}", owner->name(), contender.name(), difference);
    }
  return result;
}

bool Comparison::good() const {
  for (const Contender& contender : contenders)
    if (!contender.failure.empty()) return false;
  return agreement.known && agreement.difference.empty();
}

Table Comparison::table() const {
  std::vector<std::string> head = {"mode", "runs"};
  for (const Figure& figure : figures()) head.push_back(figure.title);
  head.push_back("overhead");
  Table table(head);
  for (const Contender& contender : contenders) {
    std::vector<std::string> cells = {contender.name(), contender.failure.empty() ? std::to_string(contender.samples.size()) : "failed"};
    for (const Figure& figure : figures()) cells.push_back(figure.show(contender.median_of(figure)));
    const auto interval = overhead_interval(contender, contenders);
    cells.push_back(ratio_text(lower_bound_overhead(contender, contenders)) + (interval ? " (" + interval_text(*interval) + ")" : ""));
    table.row(cells);
  }
  for (size_t other = 1; other < contenders.size(); other++) {
    std::vector<std::string> cells = {fmt::format("{} / {}", contenders[0].name(), contenders[other].name()), ""};
    for (const Figure& figure : figures()) cells.push_back(ratio_text(ratio_of(contenders[0].median_of(figure), contenders[other].median_of(figure))));
    table.row(cells);
    cells = {"  95 % interval", ""};
    bool known = false;
    for (const Figure& figure : figures()) {
      const auto interval = ratio_interval(contenders[0].all_of(figure), contenders[other].all_of(figure));
      known |= interval.has_value();
      cells.push_back(interval ? interval_text(*interval) : "-");
    }
    if (known) table.row(cells);
  }
  return table;
}

std::string Comparison::remarks() const {
  std::string all = interrupted ? "Interrupted: these are the runs until then.\n" : "";
  if (!not_begun.empty()) all += fmt::format("Interrupted before anything was measured at {}.\n", not_begun);
  for (const Contender& contender : contenders)
    if (!contender.failure.empty()) all += fmt::format("{} failed: {}\n", contender.name(), contender.failure);
  if (!agreement.known) return all;
  all += agreement.difference.empty() ? fmt::format("Output equal: {}.\n", agreement.result) : fmt::format("Output DIFFERS: {}.\n", agreement.difference);
  return all;
}

Json json_of(const Contender& contender) {
  Json all = {{"mode", contender.name()}, {"failure", contender.failure}};
  for (const Figure& figure : figures()) {
    std::vector<double> values = contender.all_of(figure);
    if (values.empty()) continue;
    all[figure.key] = {{"median", median(values)}, {"min", minimum(values)}, {"max", maximum(values)}, {"runs", values}};
  }
  return all;
}

Json Comparison::json(const std::vector<std::string>& program) const {
  Json all = {{"program", program},
              {"output_equal", agreement.known && agreement.difference.empty()},
              {"output", agreement.result},
              {"difference", agreement.difference}};
  if (contenders[0].plan.limit_bytes) all["limit_bytes"] = *contenders[0].plan.limit_bytes;
  if (!at.empty()) all["at"] = at;
  if (interrupted) all["interrupted"] = true;
  if (!not_begun.empty()) all["interrupted_before"] = not_begun;
  for (const Contender& contender : contenders) {
    all["modes"].push_back(json_of(contender));
    if (double overhead = lower_bound_overhead(contender, contenders); overhead > 0) all["modes"].back()["lower_bound_overhead"] = overhead;
    if (const auto interval = overhead_interval(contender, contenders)) all["modes"].back()["lower_bound_overhead_interval"] = {interval->low, interval->high};
  }
  for (size_t other = 1; other < contenders.size(); other++) {
    Json ratios;
    for (const Figure& figure : figures())
      if (double ratio = ratio_of(contenders[0].median_of(figure), contenders[other].median_of(figure)); ratio > 0) ratios[figure.key] = ratio;
    const std::string pair = fmt::format("{}/{}", contenders[0].name(), contenders[other].name());
    all["ratios"][pair] = ratios;
    for (const Figure& figure : figures())
      if (auto interval = ratio_interval(contenders[0].all_of(figure), contenders[other].all_of(figure))) all["intervals"][pair][figure.key] = {interval->low, interval->high};
  }
  return all;
}

} // namespace garner::tool
