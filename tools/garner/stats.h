// The few figures of statistics that the reports use. All of them take their samples in any order; an empty set gives 0.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
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
// Draws with replacement: the numbers of as many of so many samples. Begins the same each time.
class Drawing {
 public:
  std::vector<size_t> of(size_t samples);

 private:
  std::mt19937_64 random_{1};
};
double median_of(const std::vector<double>& samples, const std::vector<size_t>& drawn);
// 95 % confidence interval of a figure, by bootstrap: percentiles of what `figure` makes of 4000 drawings. The same samples give the same interval.
Interval interval_of(const std::function<double(Drawing&)>& figure);
// That of median(a) / median(b), which are drawn apart. None for fewer than three samples of either, or when b holds what is not positive.
std::optional<Interval> ratio_interval(const std::vector<double>& a, const std::vector<double>& b);

} // namespace garner::tool
