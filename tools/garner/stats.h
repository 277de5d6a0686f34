// The few figures of statistics that the reports use. All of them take their samples in any order; an empty set gives 0.
#pragma once
#include <optional>
#include <vector>

namespace garner::tool {

double median(std::vector<double> samples);
// Nearest rank: the smallest sample that at least `percent` of all samples do not exceed. percent in (0, 100].
double percentile(std::vector<double> samples, double percent);
double sum(const std::vector<double>& samples);
double maximum(const std::vector<double>& samples);
double minimum(const std::vector<double>& samples);
// Of positive samples; those that are not positive are left out.
double geometric_mean(const std::vector<double>& samples);

struct Interval { double low, high; };
// 95 % confidence interval of median(a) / median(b), by bootstrap: percentiles of the ratio of 4000 drawings with replacement from each. The same samples give the
// same interval. None for fewer than three samples of either, or when b holds what is not positive.
std::optional<Interval> ratio_interval(const std::vector<double>& a, const std::vector<double>& b);

} // namespace garner::tool
