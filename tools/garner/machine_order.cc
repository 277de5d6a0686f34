#include "machine_order.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "machine_draft.h"

namespace garner::tool {
namespace {

bool is_rate(const std::string& path) { return path.ends_with("_gb_per_s"); }
bool worse(const StrictJson& machine, const BrokenOrder& order) {
  const double mine = value_of(machine, order.better), other = value_of(machine, order.than);
  return is_rate(order.better) ? mine < other : mine > other;
}

// All that are asked of a drafted file; the drafts name their distances in the order of the system's figures, "cluster" apart.
std::vector<BrokenOrder> orders_of(const StrictJson& machine) {
  std::vector<BrokenOrder> all = {{"core.own_hit_ns", "core.shared_hit_ns"}};
  const std::string within = "distances." + machine.at("within_cluster").get<std::string>() + ".";
  for (const char* line : {"load_dirty_ns", "store_dirty_ns", "swap_dirty_ns"}) all.push_back({"core.shared_hit_ns", within + line});
  std::string nearer;
  for (const auto& [name, row] : machine.at("distances").items()) {
    if (name == "cluster") continue;
    const std::string memory = "distances." + name + ".memory_ns";
    all.push_back({nearer.empty() ? "core.shared_hit_ns" : nearer, memory});
    nearer = memory;
  }
  for (const auto& [name, row] : machine.at("memories").items()) all.push_back({"memories." + name + ".read_gb_per_s", "memories." + name + ".write_gb_per_s"});
  return all;
}

bool measured(const StrictJson& machine, const std::string& path) {
  const StrictJson& sources = machine.at("sources");
  return sources.contains(path) && sources.at(path).get<std::string>().rfind("measured", 0) == 0;
}

} // namespace

std::vector<BrokenOrder> broken_orders(const StrictJson& machine) {
  std::vector<BrokenOrder> all = orders_of(machine);
  std::erase_if(all, [&](const BrokenOrder& order) { return !worse(machine, order); });
  return all;
}

// Ends: a time that was measured, or has taken the value of such a one, only becomes shorter, and any other only longer; of rates only the writer's changes.
std::vector<std::string> put_in_order(StrictJson& machine) {
  const StrictJson before = machine;
  std::set<std::string> firm;
  std::vector<std::string> changed; // in the order of their first change
  auto is_firm = [&](const std::string& path) { return firm.count(path) != 0 || measured(before, path); };
  for (std::vector<BrokenOrder> broken; !(broken = broken_orders(machine)).empty();) {
    const auto certain = std::find_if(broken.begin(), broken.end(), [&](const BrokenOrder& one) { return !is_rate(one.than) && is_firm(one.than); });
    const bool yields = certain != broken.end(); // else the guess does, or the rate of writing
    const BrokenOrder& order = yields ? *certain : broken.front();
    const std::string &path = yields ? order.better : order.than, &from = yields ? order.than : order.better;
    if (yields) firm.insert(path);
    if (std::find(changed.begin(), changed.end(), path) == changed.end()) changed.push_back(path);
    set_value(machine, path, value_of(machine, from),
              fmt::format("derived: as {}, than which it cannot be {}; {} was {}", from, yields || is_rate(path) ? "larger" : "smaller", value_of(before, path), measured(before, path) ? "measured" : "a guess"));
  }
  std::vector<std::string> said;
  for (const std::string& path : changed) {
    const std::string source = machine.at("sources").at(path).get<std::string>();
    said.push_back(fmt::format("{} = {:.1f}: {}", path, value_of(machine, path), source.substr(source.find(": ") + 2)));
  }
  return said;
}

} // namespace garner::tool
