#include "log_series.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "page.h"
#include "table.h"

namespace garner::tool {
namespace {

using json = nlohmann::ordered_json;

// Equal parts of the time from one moment to another; none where collections are few enough to be shown one by one.
struct Bins {
  double begin_ns = 0, width_ns = 0;

  Bins(double begin, double end, size_t collections) : begin_ns(begin), width_ns(collections > kCollectionsShown ? std::max(end - begin, 1.0) / kBins : 0) {}
  bool any() const { return width_ns > 0; }
  size_t of(double ns) const { return std::min(size_t(std::max(ns - begin_ns, 0.0) / width_ns), kBins - 1); }
  double middle_s(size_t bin, double first) const { return (begin_ns + (double(bin) + 0.5) * width_ns - first) / 1e9; }
};

Bins bins_of(const std::vector<const CycleSeen*>& cycles) {
  double begin = std::numeric_limits<double>::max(), end = 0;
  for (const CycleSeen* c : cycles) begin = std::min(begin, c->start_ns), end = std::max(end, c->start_ns + c->pause_ns);
  return Bins(begin, end, cycles.size());
}

std::vector<const CycleSeen*> cycles_of(const LogData& log, const uint64_t* process = nullptr) {
  std::vector<const CycleSeen*> all;
  for (const auto& [name, c] : log.cycles)
    if (process == nullptr || name.first == *process) all.push_back(&c);
  return all;
}

struct Size { const char* name; u64 CycleEnd::*before; u64 CycleEnd::*after; };
// In this order from top to bottom, since young ones come and go with every collection and would hide the others.
constexpr Size kSizes[] = {{"limit", nullptr, &CycleEnd::limit}, {"committed", nullptr, &CycleEnd::committed}, {"old", nullptr, &CycleEnd::old_after}, {"large", nullptr, &CycleEnd::large_after},
                           {"young", &CycleEnd::young_before, &CycleEnd::young_after}, {"heap", &CycleEnd::heap_before, &CycleEnd::heap_after}};

json size_of_each(const Size& size, const std::vector<const CycleSeen*>& cycles, double first) {
  json values = json::array();
  for (const CycleSeen* c : cycles) {
    if (size.before != nullptr) values.push_back({(c->start_ns - first) / 1e9, double(c->figures.*size.before) / kMegabyte});
    values.push_back({(c->start_ns + c->pause_ns - first) / 1e9, double(c->figures.*size.after) / kMegabyte});
  }
  return values;
}

// A band for what every collection changes, else the highest: bands upon one another are told apart by nobody.
json size_of_bins(const Size& size, const std::vector<const CycleSeen*>& cycles, const Bins& bins, double first) {
  std::map<size_t, std::pair<u64, u64>> range;
  for (const CycleSeen* c : cycles) {
    const u64 after = c->figures.*size.after, before = size.before != nullptr ? c->figures.*size.before : after;
    auto& [low, high] = range.try_emplace(bins.of(c->start_ns), after, after).first->second;
    low = std::min({low, before, after}), high = std::max({high, before, after});
  }
  json values = json::array();
  for (const auto& [bin, ends] : range) {
    values.push_back({bins.middle_s(bin, first), double(ends.second) / kMegabyte});
    if (size.before != nullptr) values.back().push_back(double(ends.first) / kMegabyte);
  }
  return values;
}

// Its pid; of a later one of the same pid, a text.
json named(uint64_t process) { return pid_of(process) == process ? json(process) : json(process_name(process)); }

// Of several processes, that which the log follows longest.
uint64_t longest_process(const LogData& log) {
  std::map<uint64_t, std::pair<double, double>> times;
  for (const auto& [name, c] : log.cycles) {
    auto& time = times.try_emplace(name.first, c.start_ns, c.start_ns).first->second;
    time = {std::min(time.first, c.start_ns), std::max(time.second, c.start_ns)};
  }
  return std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second.second - a.second.first < b.second.second - b.second.first; })->first;
}

} // namespace

double first_start(const LogData& log) {
  return std::min_element(log.cycles.begin(), log.cycles.end(), [](const auto& a, const auto& b) { return a.second.start_ns < b.second.start_ns; })->second.start_ns;
}

json series_figure(const char* title, const char* draw, const char* x, const std::string& y, const char* unit) {
  return {{"title", title}, {"draw", draw}, {"x", x}, {"y", y}, {"unit", unit}, {"xs", json::array()}, {"series", json::object()}};
}

json pauses_figure(const LogData& log) {
  const double first = first_start(log);
  const Bins bins = bins_of(cycles_of(log));
  struct Shown { std::pair<uint64_t, uint64_t> name; const CycleSeen* cycle; size_t count; };
  std::vector<Shown> shown;
  std::map<std::tuple<uint64_t, bool, size_t>, size_t> place; // in `shown`, by process, kind and bin; others are one process
  double least = std::numeric_limits<double>::max(), most = 0;
  for (const auto& [name, c] : log.cycles) {
    least = std::min(least, c.pause_ns), most = std::max(most, c.pause_ns);
    const size_t process = size_t(std::lower_bound(log.processes.begin(), log.processes.end(), name.first) - log.processes.begin());
    const auto [at, anew] = bins.any() ? place.try_emplace({std::min(process, kProcessesShown), c.kind == "full", bins.of(c.start_ns)}, shown.size()) : std::pair(place.end(), true);
    if (anew) shown.push_back({name, &c, 1});
    else if (Shown& one = shown[at->second]; one.count++, c.pause_ns > one.cycle->pause_ns) one.name = name, one.cycle = &c;
  }
  json points = json::array();
  for (const auto& [name, c, count] : shown) {
    points.push_back({{"pid", named(name.first)}, {"index", name.second}, {"s", (c->start_ns - first) / 1e9}, {"ms", c->pause_ns / 1e6}, {"kind", c->kind}, {"cause", c->cause}});
    if (bins.any()) points.back()["count"] = count;
  }
  json figure = {{"title", "Pauses"}, {"draw", "pauses"}};
  if (most >= kFarApart * least) figure["log_y"] = true;
  if (log.processes.size() > 1)
    for (uint64_t process : log.processes) figure["processes"].push_back(named(process));
  if (bins.any()) figure["bin_s"] = bins.width_ns / 1e9;
  figure["points"] = points;
  return figure;
}

json heap_figure(const LogData& log) {
  const double first = first_start(log);
  const uint64_t longest = longest_process(log);
  const std::vector<const CycleSeen*> cycles = cycles_of(log, &longest);
  const Bins bins = bins_of(cycles);
  json figure = series_figure("Heap over time", "lines", "seconds since the first collection", "MB", "MB");
  double most = 0, limit = 0;
  for (const CycleSeen* c : cycles) most = std::max({most, double(c->figures.committed), double(c->figures.heap_before)}), limit = std::max(limit, double(c->figures.limit));
  for (const Size& size : kSizes) {
    const bool any = std::any_of(cycles.begin(), cycles.end(), [&](const CycleSeen* c) { return c->figures.*size.after != 0 || (size.before != nullptr && c->figures.*size.before != 0); });
    if (!any || (size.after == &CycleEnd::limit && limit > 2 * most)) continue; // a limit far away does not scale the axis, and is told in words
    figure["series"][size.name] = bins.any() ? size_of_bins(size, cycles, bins, first) : size_of_each(size, cycles, first);
  }
  const Size& both = kSizes[std::size(kSizes) - 1]; // has a value wherever another has one
  for (const json& value : bins.any() ? size_of_bins(both, cycles, bins, first) : size_of_each(both, cycles, first)) figure["xs"].push_back(value[0]);
  if (limit > 0) figure["limit_mb"] = limit / kMegabyte;
  if (log.processes.size() > 1) figure["pid"] = named(longest);
  if (bins.any()) figure["bin_s"] = bins.width_ns / 1e9;
  return figure;
}

// A full collection copies nothing, unless it began as a young one. What is promoted en masse is neither copied nor told from the dead, and stands apart.
json survivors_figure(const LogData& log) {
  struct Sum { double s = 0, copied = 0, promoted = 0, en_masse = 0; uint64_t index = 0; };
  const double first = first_start(log);
  const Bins bins = bins_of(cycles_of(log));
  std::vector<Sum> sums;
  bool en_masse = false;
  for (size_t bin = 0; bins.any() && bin < kBins; bin++) sums.push_back({bins.middle_s(bin, first)});
  for (const auto& [name, c] : log.cycles) {
    if (c.figures.copied + c.figures.promoted == 0) continue;
    if (!bins.any()) sums.push_back({(c.start_ns - first) / 1e9});
    Sum& sum = bins.any() ? sums[bins.of(c.start_ns)] : sums.back();
    sum.index = name.second;
    sum.copied += double(c.figures.copied) / kMegabyte;
    (c.en_masse ? sum.en_masse : sum.promoted) += double(c.figures.promoted) / kMegabyte;
    en_masse |= c.en_masse;
  }
  json figure = bins.any() ? series_figure("Copied and promoted over time", "scatter", "seconds since the first collection", fmt::format("MB in {}", short_time(bins.width_ns / 1e6)), "MB")
                           : series_figure("Copied and promoted by each collection", "scatter", "seconds since the first collection", "MB", "MB");
  if (bins.any()) figure["bin_s"] = bins.width_ns / 1e9;
  else figure["index"] = json::array();
  const bool any = std::any_of(sums.begin(), sums.end(), [](const Sum& s) { return s.copied + s.promoted + s.en_masse > 0; });
  if (!any) return figure;
  for (const Sum& sum : sums) {
    figure["xs"].push_back(sum.s);
    if (!bins.any()) figure["index"].push_back(sum.index);
    const auto add = [&](const char* name, double mb) { if (mb > 0 || !bins.any()) figure["series"][name].push_back({sum.s, mb}); };
    add("copied", sum.copied), add("promoted", sum.promoted);
    if (en_masse) add("promoted en masse", sum.en_masse);
  }
  return figure;
}

} // namespace garner::tool
