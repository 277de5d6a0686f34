#include "log_longest.h"

#include <algorithm>

#include <fmt/format.h>

#include "page.h"
#include "table.h"

namespace garner::tool {
namespace {

constexpr double kLeastPart = 0.05;

std::string megabytes(u64 bytes) { return short_number(double(bytes) / kMegabyte); }
bool is_full(const CycleSeen& c) { return c.kind == name_of(Kind::full); }

double began_ns(const LogData& log, uint64_t process) {
  if (const auto made = log.made_ns.find(process); made != log.made_ns.end()) return made->second;
  return log.cycles.lower_bound({process, 0})->second.start_ns;
}

std::string which(const LogData& log, const PauseSeen& pause) {
  return log.processes.size() > 1 ? fmt::format("{} of process {}", pause.index, process_name(pause.process)) : std::to_string(pause.index);
}

// The collection with the most of it; the first of several.
template <class F> PauseSeen most(const LogData& log, F of) {
  PauseSeen best = {0, 0, nullptr};
  for (const auto& [number, c] : log.cycles)
    if (best.cycle == nullptr || of(c) > of(*best.cycle)) best = {number.first, number.second, &c};
  return best;
}

// Where a log tells sizes, when the heap was largest; empty for one that does not.
std::string memory_text(const LogData& log) {
  const PauseSeen committed = most(log, [](const CycleSeen& c) { return c.figures.committed; });
  if (committed.cycle->figures.committed == 0) return "";
  std::string text = fmt::format("memory at its most: {} MB committed after collection {}, of them {} in the heap before it, {} young", megabytes(committed.cycle->figures.committed), which(log, committed),
                                 megabytes(committed.cycle->figures.heap_before), megabytes(committed.cycle->figures.young_before));
  const PauseSeen left = most(log, [](const CycleSeen& c) { return is_full(c) ? c.figures.heap_after : 0; });
  if (is_full(*left.cycle)) text += fmt::format("; the most that a full collection left: {} MB, by collection {}", megabytes(left.cycle->figures.heap_after), which(log, left));
  return text;
}

} // namespace

std::vector<PauseSeen> longest_pauses(const LogData& log, size_t count) {
  std::vector<PauseSeen> all;
  for (const auto& [number, c] : log.cycles) all.push_back({number.first, number.second, &c});
  std::stable_sort(all.begin(), all.end(), [](const PauseSeen& a, const PauseSeen& b) { return a.cycle->pause_ns > b.cycle->pause_ns; });
  all.resize(std::min(count, all.size()));
  return all;
}

std::string parts_text(const CycleSeen& cycle) {
  std::vector<std::pair<std::string, double>> parts = parts_of(cycle);
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, ns] : parts)
    if (ns > 0 && ns >= kLeastPart * cycle.pause_ns) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, short_number(ns / 1e6));
  return text;
}

std::string longest_text(const LogData& log, size_t count, bool markdown, bool colour) {
  Table table({"collection", "at, s", "pause, ms", "kind", "cause", "of it, ms", "heap before and after, MB", "young", "copied", "moved", "promoted"});
  for (size_t column : {3, 4, 5}) table.left(column);
  for (const PauseSeen& pause : longest_pauses(log, count)) {
    const CycleSeen& c = *pause.cycle;
    const CycleEnd& f = c.figures;
    table.row({which(log, pause), short_number((c.start_ns - began_ns(log, pause.process)) / 1e9), short_number(c.pause_ns / 1e6), c.kind, c.cause, parts_text(c), megabytes(f.heap_before) + ", " + megabytes(f.heap_after),
               megabytes(f.young_before), megabytes(f.copied), megabytes(f.moved + f.slid), megabytes(f.promoted) + (c.en_masse ? " where it lay" : "")});
  }
  std::string text = (markdown ? table.markdown() : table.text(colour)) + "\n";
  std::vector<std::string> remarks = {"MB of eden and of what waits (young), of young objects that another place was found for (copied) or that became old (promoted), and of old ones that another place was found for (moved)"};
  if (log.simulated) remarks.insert(remarks.begin(), "times are the simulated machine's");
  if (const std::string memory = memory_text(log); !memory.empty()) remarks.push_back(memory);
  for (const std::string& remark : remarks) text += fmt::format("{}{}\n", markdown ? "- " : "", remark);
  return text;
}

} // namespace garner::tool
