#include "stats.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

std::vector<size_t> Drawing::of(size_t samples) {
  std::vector<size_t> some(samples);
  for (size_t& one : some) one = random_() % samples;
  return some;
}

double median_of(const std::vector<double>& samples, const std::vector<size_t>& drawn) {
  std::vector<double> some;
  for (size_t at : drawn) some.push_back(samples[at]);
  return median(std::move(some));
}

Interval interval_of(const std::function<double(Drawing&)>& figure) {
  constexpr int kDrawings = 4000;
  Drawing drawing;
  std::vector<double> figures(kDrawings);
  for (double& one : figures) one = figure(drawing);
  return Interval{percentile(figures, 2.5), percentile(figures, 97.5)};
}

std::optional<Interval> ratio_interval(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3 || b.size() < 3 || minimum(b) <= 0) return std::nullopt;
  return interval_of([&](Drawing& drawing) {
    const double of_a = median_of(a, drawing.of(a.size()));
    return of_a / median_of(b, drawing.of(b.size()));
  });
}

} // namespace garner::tool
