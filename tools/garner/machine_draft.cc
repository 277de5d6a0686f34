#include "machine_draft.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "machine/sim/shape.h"

namespace garner::tool {
namespace {

constexpr double kNsPerDistance = 9, kGbPerCore = 4, kGbPerNodeLeast = 12;
constexpr u32 kAssumedNear = 10, kAssumedFar = 20;

double tenth(double value) { return std::round(value * 10) / 10; }

// The system's distances, symmetric: of two that differ the larger.
class Distances {
 public:
  explicit Distances(const MachineFacts& facts) : facts_(facts) {
    std::set<u32> found;
    for (size_t a = 0; a < facts.nodes.size(); a++)
      for (size_t b = 0; b < facts.nodes.size(); b++) found.insert(between(a, b));
    classes_.assign(found.begin(), found.end());
    // More than can be told apart: neighbours by value become one, from the far end.
    while (classes_.size() > sim::kDistancesMax) classes_.erase(classes_.end() - 2);
  }
  u32 between(size_t a, size_t b) const {
    if (!facts_.distances_told()) return a == b ? kAssumedNear : kAssumedFar;
    return std::max(facts_.nodes[a].distance[b], facts_.nodes[b].distance[a]);
  }
  const std::vector<u32>& classes() const { return classes_; }
  std::string name_of(size_t a, size_t b) const {
    const u32 wanted = between(a, b);
    return fmt::format("distance {}", *std::lower_bound(classes_.begin(), classes_.end() - 1, wanted));
  }
  bool linked(size_t a, size_t b) const {
    for (size_t k = 0; k < facts_.nodes.size(); k++)
      if (k != a && k != b && between(a, k) < between(a, b) && between(k, b) < between(a, b) && between(a, k) + between(k, b) <= between(a, b) + kAssumedNear) return false;
    return a != b;
  }

 private:
  const MachineFacts& facts_;
  std::vector<u32> classes_;
};

StrictJson distance_of(double memory) {
  const double line = std::max(30.0, memory * 0.7);
  return {{"memory_ns", tenth(memory)}, {"load_dirty_ns", tenth(line)}, {"load_clean_ns", tenth(line)}, {"store_dirty_ns", tenth(line * 1.05)},
          {"store_clean_ns", tenth(line * 1.5)}, {"swap_dirty_ns", tenth(line * 1.2)}, {"swap_clean_ns", tenth(line * 1.7)}};
}

} // namespace

StrictJson draft_machine(const MachineFacts& facts, const std::string& name) {
  const Distances distances(facts);
  const std::string read = "read: " + facts.read_from;
  StrictJson j, sources = StrictJson::object();
  j["garner_machine"] = 1;
  j["name"] = name;
  j["about"] = facts.model.empty() ? fmt::format("Drafted from {}", facts.read_from) : fmt::format("{} (drafted from {})", facts.model, facts.read_from);
  const u64 most_cores = std::max_element(facts.nodes.begin(), facts.nodes.end(), [](const auto& a, const auto& b) { return a.cores < b.cores; })->cores;
  const u64 cluster = facts.cluster_cores == 0 ? most_cores : std::min<u64>(facts.cluster_cores, most_cores);
  const u64 own_kib = std::max<u64>(1, (facts.l1_bytes + facts.l2_bytes) / KiB), shared_kib = std::max<u64>(1, facts.l3_bytes / KiB);
  j["core"] = {{"clock_mhz", facts.clock_mhz == 0 ? 2500 : facts.clock_mhz}, {"threads", facts.threads_per_core}, {"busy_percent", facts.threads_per_core == 1 ? 100 : 150},
               {"own_cache_kib", own_kib == 1 ? 1024 : own_kib}, {"own_hit_ns", 1.8}, {"cluster_cores", cluster}, {"shared_cache_kib", shared_kib == 1 ? 2048 * cluster : shared_kib},
               {"shared_hit_ns", 18}, {"line_work_ns", 8}, {"prefetch_lines", 12}};
  sources["core"] = "guessed: a usual server of today";
  sources["core.threads"] = read;
  if (facts.clock_mhz != 0) sources["core.clock_mhz"] = read;
  if (own_kib != 1) sources["core.own_cache_kib"] = read;
  if (facts.cluster_cores != 0) sources["core.cluster_cores"] = read;
  if (shared_kib != 1) sources["core.shared_cache_kib"] = read;

  const double node_gb = std::max(kGbPerNodeLeast, kGbPerCore * double(most_cores));
  bool alone = false;
  for (const MachineFacts::Node& node : facts.nodes) alone = alone || node.cores == 0;
  auto memory = [&](u32 tier, double gb) {
    return StrictJson{{"tier", tier}, {"read_gb_per_s", gb}, {"write_gb_per_s", gb}, {"granule_bytes", 64}, {"stream_lines", 20}, {"random_extra_ns", 0}, {"stream_extra_ns", 0}};
  };
  u64 told = 0, told_far = 0;
  for (const MachineFacts::Node& node : facts.nodes) (node.cores != 0 ? told : told_far) = std::max(node.cores != 0 ? told : told_far, node.read_mb_per_s);
  j["memories"]["dram"] = memory(0, told != 0 ? double(told) / 1000 : node_gb);
  sources["memories"] = fmt::format("guessed: {} GB/s per core, at least {}", kGbPerCore, kGbPerNodeLeast);
  if (told != 0) sources["memories.dram.read_gb_per_s"] = read + ", HMAT";
  if (alone) j["memories"]["far"] = memory(1, told_far != 0 ? double(told_far) / 1000 : 26);
  if (alone && told_far != 0) sources["memories.far.read_gb_per_s"] = read + ", HMAT";

  for (u32 value : distances.classes()) j["distances"][fmt::format("distance {}", value)] = distance_of(kNsPerDistance * value);
  sources["distances"] = fmt::format("guessed: {} ns for each unit of the system's table of distances, lines 0.7 of that", kNsPerDistance);
  if (cluster < most_cores && distances.classes().size() < sim::kDistancesMax) {
    j["distances"]["cluster"] = distance_of(43);
    j["within_cluster"] = "cluster";
  } else {
    j["within_cluster"] = distances.name_of(0, 0);
  }
  sources["within_cluster"] = "derived: from the caches";

  for (const MachineFacts::Node& node : facts.nodes)
    j["nodes"].push_back({{"package", node.package}, {"cores", node.cores}, {"memory", node.cores == 0 ? "far" : "dram"}, {"memory_gib", std::max<u64>(1, node.memory_bytes / GiB)}});
  sources["nodes"] = read;
  j["links"] = StrictJson::array();
  for (size_t a = 0; a < facts.nodes.size(); a++) {
    StrictJson row = StrictJson::array();
    for (size_t b = 0; b < facts.nodes.size(); b++) row.push_back(distances.name_of(a, b));
    j["distance"].push_back(row);
    for (size_t b = a + 1; b < facts.nodes.size(); b++)
      if (distances.linked(a, b)) j["links"].push_back({{"between", {a, b}}, {"gb_per_s", tenth(node_gb / 2)}});
  }
  sources["distance"] = facts.distances_told() ? read : "guessed: not told, 10 and 20";
  if (!j["links"].empty()) sources["links"] = "guessed: between nodes that no third one lies between, half of a memory's rate";
  j["page_kib"] = 4;
  sources["page_kib"] = "guessed: the usual";
  j["costs"] = {{"prefetch_ns", 0.5}, {"atomic_load_ns", 1.2}, {"atomic_own_ns", 6}, {"pause_ns", 15}, {"yield_ns", 400}, {"park_call_ns", 204}, {"wake_call_ns", 188}, {"wake_latency_ns", 5160},
                {"futex_lock_ns", 100}, {"page_fault_ns", 2000}, {"page_lock_ns", 200}, {"reserve_call_ns", 1000}, {"bind_call_ns", 900}, {"discard_page_ns", 160}, {"page_query_ns", 120}, {"query_call_ns", 270},
                {"clock_read_ns", 20}, {"pin_call_ns", 500}, {"start_thread_ns", 20000}};
  sources["costs"] = "guessed: Linux on a present-day server";
  j["sources"] = sources;
  return j;
}

void set_value(StrictJson& machine, const std::string& path, double value, const std::string& source) {
  StrictJson* at = &machine;
  std::istringstream in(path);
  for (std::string part; std::getline(in, part, '.');) at = &(*at)[part];
  if (value == std::floor(value)) *at = u64(value);
  else *at = value;
  machine["sources"][path] = source;
}

double value_of(const StrictJson& machine, const std::string& path) {
  const StrictJson* at = &machine;
  std::istringstream in(path);
  for (std::string part; std::getline(in, part, '.');) at = &at->at(part);
  return at->get<double>();
}

std::string machine_text(const StrictJson& machine) {
  std::string all = "{\n";
  size_t left = machine.size();
  for (const auto& [name, value] : machine.items()) {
    const char* comma = --left == 0 ? "" : ",";
    const std::string key = StrictJson(name).dump();
    if (!value.is_structured() || value.empty()) {
      all += fmt::format("  {}: {}{}\n", key, value.dump(), comma);
      continue;
    }
    all += fmt::format("  {}: {}\n", key, value.is_object() ? "{" : "[");
    size_t inner = value.size();
    for (const auto& [member, part] : value.items()) {
      const char* then = --inner == 0 ? "" : ",";
      if (value.is_object()) all += fmt::format("    {}: {}{}\n", StrictJson(member).dump(), part.dump(), then);
      else all += fmt::format("    {}{}\n", part.dump(), then);
    }
    all += fmt::format("  {}{}\n", value.is_object() ? "}" : "]", comma);
  }
  return all + "}\n";
}

} // namespace garner::tool
