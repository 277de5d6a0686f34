#include "stats.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace garner::tool {

double median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  size_t half = samples.size() / 2;
  return samples.size() % 2 != 0 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

double percentile(std::vector<double> samples, double percent) {
  if (samples.empty()) return 0;
  double rank = std::ceil(percent / 100 * double(samples.size()) - 1e-9);
  size_t at = size_t(std::clamp(rank, 1.0, double(samples.size()))) - 1;
  std::nth_element(samples.begin(), samples.begin() + std::ptrdiff_t(at), samples.end());
  return samples[at];
}

double sum(const std::vector<double>& samples) { return std::accumulate(samples.begin(), samples.end(), 0.0); }

double maximum(const std::vector<double>& samples) { return samples.empty() ? 0 : *std::max_element(samples.begin(), samples.end()); }

double minimum(const std::vector<double>& samples) { return samples.empty() ? 0 : *std::min_element(samples.begin(), samples.end()); }

double geometric_mean(const std::vector<double>& samples) {
  double logs = 0;
  size_t used = 0;
  for (double sample : samples)
    if (sample > 0) {
      logs += std::log(sample);
      used++;
    }
  return used == 0 ? 0 : std::exp(logs / double(used));
}

std::optional<Interval> ratio_interval(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr int kDrawings = 4000;
  if (a.size() < 3 || b.size() < 3 || minimum(b) <= 0) return std::nullopt;
  std::mt19937_64 random(1);
  auto drawn = [&random](const std::vector<double>& from) {
    std::vector<double> some(from.size());
    for (double& one : some) one = from[random() % from.size()];
    return median(std::move(some));
  };
  std::vector<double> ratios(kDrawings);
  for (double& ratio : ratios) {
    const double of_a = drawn(a);
    ratio = of_a / drawn(b);
  }
  return Interval{percentile(ratios, 2.5), percentile(ratios, 97.5)};
}

} // namespace garner::tool
