#include "min_heap.h"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "errors.h"
#include "json_text.h"
#include "paths.h"

namespace garner::tool {
namespace {

constexpr uint64_t kSmallest = 1 << 20; // no .NET program starts with less
constexpr double kPrecision = 1.05;
constexpr int kProofs = 2; // runs that must finish
constexpr int kCorrupted = 4; // our workloads' word for lost or damaged objects: never a matter of the heap's size

} // namespace

double factor_of(const std::string& text) {
  if (text == "unlimited") return 0;
  char* end = nullptr;
  double factor = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !(factor >= 1 && factor <= 1000))
    throw UsageError(fmt::format("--at: '{}' is no multiple of the minimum heap: a number from 1, or unlimited", text));
  return factor;
}

std::optional<uint64_t> least_working(uint64_t start, double precision, const std::function<bool(uint64_t)>& works, bool near) {
  uint64_t high = std::max(start, kSmallest), low = 0;
  for (int tries = 0; !works(high); tries++, high *= 2) {
    if (tries == 8) return std::nullopt;
    low = high;
  }
  if (near && low == 0) {
    const uint64_t less = uint64_t(double(high) / precision) + 1; // near enough, where it does not work
    (works(less) ? high : low) = less;
  }
  while (low == 0) {
    uint64_t half = high / 2;
    if (half < kSmallest) return high;
    (works(half) ? high : low) = half;
  }
  while (double(high) > double(low) * precision) {
    uint64_t middle = uint64_t(std::sqrt(double(low) * double(high)));
    (works(middle) ? high : low) = middle;
  }
  return high;
}

Sample reference_run(Plan plan) {
  plan.mode = Mode::workstation;
  plan.limit_bytes.reset();
  Sample sample = run_once(plan);
  if (!sample.failure.empty()) throw std::runtime_error(fmt::format("'{}' fails on the stock collector: {}", fmt::join(plan.program, " "), sample.failure));
  return sample;
}

uint64_t search_min_heap(Plan plan, const Sample& reference, const Progress& progress, const std::string& name, uint64_t found_before) {
  plan.mode = Mode::workstation;
  plan.time_limit_s = reference.wall_s * 5 + 10;
  auto works = [&](uint64_t bytes) {
    progress.show(fmt::format("{}: minimum heap: trying {:.1f} MB", name, double(bytes) / (1 << 20)));
    plan.limit_bytes = bytes;
    for (int run = 0; run < kProofs; run++) { // once may be luck: the stock collector crashes now and then in small heaps
      Sample sample = run_once(plan);
      if (plan.own && sample.exit_code == kCorrupted) throw std::runtime_error(fmt::format("{} with {} bytes of heap: {}", name, bytes, sample.failure));
      if (!sample.failure.empty() || !difference_of(reference, sample).empty()) return false;
    }
    return true;
  };
  std::optional<uint64_t> least = least_working(found_before != 0 ? found_before : uint64_t(reference.peak_bytes), kPrecision, works, found_before != 0);
  const bool any = least && *least < 2 * kSmallest && works(kSmallest / 2);
  progress.show("");
  if (any) throw std::runtime_error(fmt::format("{}: works in half a megabyte too: the program never loaded the .NET runtime's collector", name));
  if (!least) throw std::runtime_error(fmt::format("{}: finishes without a limit, but with none that was tried", name));
  return *least;
}

Plan limited(Plan plan, const Baseline& baseline, const std::string& at, double time_limit_s) {
  if (double factor = factor_of(at); factor > 0) plan.limit_bytes = uint64_t(factor * double(baseline.min_heap_bytes));
  plan.time_limit_s = time_limit_s > 0 ? time_limit_s : baseline.reference.wall_s * 20 + 60;
  return plan;
}

nlohmann::ordered_json object_in(const std::filesystem::path& file) {
  std::string text;
  nlohmann::ordered_json all;
  if (read_file(file, text)) all = nlohmann::ordered_json::parse(text, nullptr, false);
  return all.is_object() ? all : nlohmann::ordered_json::object();
}

void keep_in(const std::filesystem::path& file, const std::string& key, const nlohmann::ordered_json& value) {
  nlohmann::ordered_json all = object_in(file);
  all[key] = value;
  write_file_and_directories(file, json_text(all, 1) + "\n");
}

std::optional<Baseline> BaselineFile::find(const std::string& key) const {
  const nlohmann::ordered_json all = object_in(path_);
  auto at = all.find(key);
  if (at == all.end() || !at->is_object()) return std::nullopt;
  Baseline baseline;
  try {
    if (at->at("proofs").get<int>() < kProofs) return std::nullopt;
    baseline.min_heap_bytes = at->at("min_heap_bytes").get<uint64_t>();
    baseline.reference.wall_s = at->at("wall_s").get<double>();
    baseline.reference.peak_bytes = at->at("peak_bytes").get<double>();
    baseline.reference.checksum = at->at("checksum").get<std::string>();
    baseline.reference.files = at->at("files").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt; // written by another version: measured anew
  }
  return baseline;
}

void BaselineFile::keep(const std::string& key, const Baseline& baseline) const {
  const Sample& reference = baseline.reference;
  keep_in(path_, key, {{"min_heap_bytes", baseline.min_heap_bytes},
                       {"proofs", kProofs},
                       {"wall_s", reference.wall_s},
                       {"peak_bytes", reference.peak_bytes},
                       {"checksum", reference.checksum},
                       {"files", reference.files}});
}

} // namespace garner::tool
