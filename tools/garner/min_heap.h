// The smallest managed heap in which a workload finishes on stock workstation non-concurrent, found by trying, and kept in a file.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "measure.h"

namespace garner::tool {

// The least size that works, at most `precision` (1.05) times too large. `works` is asked for falling sizes from `start` (raised until it
// works, eight times at most), then by bisection. None when nothing works. Each answer is asked for once. `near`: the start was the least once, so what lies
// just below it is asked for next, and two answers do where that is still so.
std::optional<uint64_t> least_working(uint64_t start, double precision, const std::function<bool(uint64_t)>& works, bool near = false);

// "2" or "1.5", as a factor of the minimum heap; 0 for "unlimited". UsageError, which names --at.
double factor_of(const std::string& text);

// What is known of a workload at one size.
struct Baseline {
  Sample reference; // a run without limit on stock workstation non-concurrent
  uint64_t min_heap_bytes = 0; // 0: not searched yet
};

// One run without limit. std::runtime_error when even that fails.
Sample reference_run(Plan plan);
// A run counts as finished when its result is the reference's and it took at most five times as long (and ten seconds); two in a row must, since the stock collector may finish by luck where it mostly fails.
// `found_before`: the bytes that were the least once, where the search begins; 0: nowhere. std::runtime_error when the size does not matter, as of what is no .NET program.
uint64_t search_min_heap(Plan plan, const Sample& reference, const Progress& progress, const std::string& name, uint64_t found_before = 0);
// The plan with the limit that `at` means, and with the time a run may take: `time_limit_s`, or when that is 0 twenty times the reference run and a minute.
Plan limited(Plan plan, const Baseline& baseline, const std::string& at, double time_limit_s);

// The object that a JSON file holds; an empty one where there is no such file, or it is damaged.
nlohmann::ordered_json object_in(const std::filesystem::path& file);
// Puts a value into it. The file is read again: another command may have kept some of its own meanwhile.
void keep_in(const std::filesystem::path& file, const std::string& key, const nlohmann::ordered_json& value);

// The file where baselines are kept, by a key that names everything they depend on. Saved at every change. A file that is damaged is begun anew.
class BaselineFile {
 public:
  explicit BaselineFile(std::filesystem::path path) : path_(std::move(path)) {}
  std::optional<Baseline> find(const std::string& key) const;
  void keep(const std::string& key, const Baseline& baseline) const;

 private:
  std::filesystem::path path_;
};

} // namespace garner::tool
