#include "log_pauses.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "stats.h"

namespace garner::tool {
namespace {

constexpr double kMs = 1e6; // in ns
constexpr double kSteps[] = {1, 1.6, 2.5, 4, 6.3}; // of a power of ten: as far from each other on a log scale, but for rounding

double edge(int step) {
  const int size = int(std::size(kSteps)), power = step >= 0 ? step / size : -((-step + size - 1) / size);
  const double mantissa = kSteps[step - power * size];
  return power >= 0 ? mantissa * std::pow(10, power) : mantissa / std::pow(10, -power); // so that 0.63 is 0.63
}

int bucket_of(double ms) {
  ms = std::max(ms, 1e-6); // no clock tells less than a nanosecond
  int step = int(std::floor(std::log10(ms) * double(std::size(kSteps)))); // or a neighbour
  while (edge(step) > ms) step--;
  while (edge(step + 1) <= ms) step++;
  return step;
}

// Of the run up to a moment, how long it was stopped: `before[i]` is the sum of the pauses before the i-th.
double stopped_until(const RunSeen& run, const std::vector<double>& before, double at) {
  const size_t next = size_t(std::upper_bound(run.pauses.begin(), run.pauses.end(), at, [](double t, const auto& pause) { return t < pause.first; }) - run.pauses.begin());
  return next == 0 ? 0 : before[next - 1] + std::min(at, run.pauses[next - 1].second) - run.pauses[next - 1].first;
}

PauseRow row_of(const char* kind, const std::vector<double>& ms) {
  return {kind, ms.size(), sum(ms), percentile(ms, 50), percentile(ms, 90), percentile(ms, 99), percentile(ms, 99.9), maximum(ms)};
}

} // namespace

double RunSeen::stopped_ns() const {
  double all = 0;
  for (const auto& [from, to] : pauses) all += to - from;
  return all;
}

std::vector<RunSeen> runs_of(const LogData& log) {
  std::map<uint64_t, RunSeen> runs;
  std::map<uint64_t, double> begins;
  if (log.simulated) return {};
  for (const auto& [name, c] : log.cycles) {
    const auto made = log.made_ns.find(name.first);
    const double begin = name.second == 1 && made != log.made_ns.end() ? std::min(made->second, c.start_ns) : c.start_ns;
    const auto known = begins.try_emplace(name.first, begin).first;
    known->second = std::min(known->second, begin);
    runs[name.first].pauses.push_back({c.start_ns, c.start_ns + c.pause_ns});
  }
  std::vector<RunSeen> all;
  for (auto& [process, run] : runs) {
    std::sort(run.pauses.begin(), run.pauses.end());
    std::vector<std::pair<double, double>> apart;
    for (const auto& pause : run.pauses)
      if (apart.empty() || pause.first > apart.back().second) apart.push_back(pause);
      else apart.back().second = std::max(apart.back().second, pause.second);
    run = {pid_of(process), begins[process], apart.back().second, std::move(apart)};
    if (run.ns() > run.stopped_ns()) all.push_back(std::move(run));
  }
  return all;
}

// A window that begins within a pause loses nothing by beginning with it: it gains on the left as much as it can lose on the right. One that begins while the
// program runs loses nothing by beginning later, with the next pause. So no others need a look; one that ends after the run holds what the run's last window does,
// or less.
double least_running(const RunSeen& run, double window_ns) {
  if (window_ns <= 0 || window_ns > run.ns()) return 1;
  std::vector<double> before = {0};
  for (const auto& [from, to] : run.pauses) before.push_back(before.back() + to - from);
  double most = 0;
  for (size_t i = 0; i < run.pauses.size(); i++) most = std::max(most, stopped_until(run, before, run.pauses[i].first + window_ns) - before[i]);
  return std::max(0.0, 1 - most / window_ns);
}

std::vector<LeastRunning> least_running(const std::vector<RunSeen>& runs) {
  double longest = 0;
  for (const RunSeen& run : runs) longest = std::max(longest, run.ns());
  std::vector<LeastRunning> all;
  const auto add = [&](double window_ns) {
    double least = 1;
    for (const RunSeen& run : runs) least = std::min(least, least_running(run, window_ns));
    all.push_back({window_ns, least});
  };
  for (int step = 0; kMs * std::pow(10, step / 10.0) < longest; step++) add(kMs * std::pow(10, step / 10.0));
  if (longest > 0) add(longest);
  return all;
}

std::vector<PauseRow> pause_rows(const LogData& log) {
  std::vector<double> young, full, all;
  for (const auto& [name, c] : log.cycles) {
    (c.kind == "full" ? full : young).push_back(c.pause_ns / kMs);
    all.push_back(c.pause_ns / kMs);
  }
  std::vector<PauseRow> rows;
  if (!young.empty()) rows.push_back(row_of("young", young));
  if (!full.empty()) rows.push_back(row_of("full", full));
  if (rows.size() > 1) rows.push_back(row_of("together", all));
  return rows;
}

std::vector<PauseBucket> pause_buckets(const LogData& log) {
  std::map<int, PauseBucket> found;
  for (const auto& [name, c] : log.cycles) {
    const int step = bucket_of(c.pause_ns / kMs);
    PauseBucket& bucket = found.try_emplace(step, PauseBucket{edge(step), edge(step + 1)}).first->second;
    (c.kind == "full" ? bucket.full : bucket.young)++;
  }
  std::vector<PauseBucket> all;
  for (int step = found.begin()->first; step <= found.rbegin()->first; step++) {
    const auto at = found.find(step);
    all.push_back(at != found.end() ? at->second : PauseBucket{edge(step), edge(step + 1)});
  }
  return all;
}

std::vector<CauseRow> cause_rows(const LogData& log) {
  std::map<std::string, CauseRow> by_cause;
  for (const auto& [name, c] : log.cycles) {
    CauseRow& row = by_cause[c.cause];
    row.cause = c.cause.empty() ? "-" : c.cause;
    row.count++;
    row.full += c.kind == "full";
    row.total_ms += c.pause_ns / kMs;
    row.longest_ms = std::max(row.longest_ms, c.pause_ns / kMs);
  }
  std::vector<CauseRow> rows;
  for (auto& [cause, row] : by_cause) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [](const CauseRow& a, const CauseRow& b) { return a.total_ms > b.total_ms; });
  return rows;
}

} // namespace garner::tool
