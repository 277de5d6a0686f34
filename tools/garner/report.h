// What `garner compare` tells: the table of medians with the first contender's ratio to each other one and its confidence interval, remarks, and the same as JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "measure.h"
#include "stats.h"
#include "table.h"

namespace garner::tool {

// Whether all good runs of all contenders had the same result.
struct Agreement {
  bool known = false;     // at least one run was good
  std::string result;     // of the reference: the first good run, a stock mode's before the first contender's
  std::string difference; // the first one found; empty when there is none
};
Agreement agreement_of(const std::vector<Contender>& contenders);

struct Comparison {
  std::vector<Contender> contenders; // the first is what is compared with the others
  Agreement agreement;
  std::string at = {}; // "1.5", "unlimited": the limit as a multiple of the minimum heap; empty where none was asked for
  bool interrupted = false; // by a signal, before all runs were done
  std::string not_begun;    // the size that should have followed, when the signal came before anything was known of it

  bool good() const; // no run failed, and outputs agree
  Table table() const;
  std::string remarks() const; // lines: failures, whether outputs are equal, how the ratios read
  nlohmann::ordered_json json(const std::vector<std::string>& program) const;
};

// Lower-bound overhead: the time it takes over the least that any of them would take without its pauses, which no collector can be below. A lower bound since
// what a collector costs outside its pauses stays in it. Negative where no pauses are known.
double lower_bound_overhead(const Contender& contender, const std::vector<Contender>& all);
// Its 95 % confidence interval, from three runs on. `contender` is one of `all`.
std::optional<Interval> overhead_interval(const Contender& contender, const std::vector<Contender>& all);
// a / b where both are known and b > 0, else negative.
double ratio_of(double a, double b);
// The one of `all` but the first with the least of a figure, of those that did not fail and tell it; null when there is none.
const Contender* best_of_others(const std::vector<Contender>& all, const Figure& figure);
// One contender as JSON: medians, and every run.
nlohmann::ordered_json json_of(const Contender& contender);

} // namespace garner::tool
