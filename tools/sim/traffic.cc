// Sums and ratios of traffic.h. N26 N27.
#include "sim/traffic.h"

#include <cmath>

namespace garner::simulation {

double imbalance_of(const std::vector<u64>& by_node) {
  double sum = 0, squares = 0;
  for (u64 n : by_node) sum += double(n);
  if (sum == 0) return 0;
  const double mean = 1.0 / double(by_node.size());
  for (u64 n : by_node) squares += (double(n) / sum - mean) * (double(n) / sum - mean);
  return std::sqrt(squares / double(by_node.size())) / mean;
}

void Traffic::add(const Traffic& other) {
  if (other.empty()) return;
  if (empty()) *this = Traffic(other.nodes_);
  for (usize s = 0; s < kSpaceKinds; s++)
    for (usize i = 0; i < spaces_[s].size(); i++) {
      Uses& to = spaces_[s][i];
      const Uses& from = other.spaces_[s][i];
      to.reads += from.reads, to.writes += from.writes, to.bytes_read += from.bytes_read, to.bytes_written += from.bytes_written;
    }
}

namespace {
u64 of(const Uses& uses, Traffic::Way way) {
  return way == Traffic::Way::reads ? uses.reads : way == Traffic::Way::writes ? uses.writes : uses.reads + uses.writes;
}
} // namespace

u64 Traffic::accesses(SpaceKind space, Way way) const {
  u64 sum = 0;
  for (const Uses& one : spaces_[usize(space)]) sum += of(one, way);
  return sum;
}

u64 Traffic::remote(SpaceKind space, Way way) const {
  u64 sum = 0;
  for (u32 core = 0; core < nodes_; core++)
    for (u32 home = 0; home < nodes_; home++)
      if (core != home) sum += of(at(space, core, home), way);
  return sum;
}

double Traffic::non_locality(SpaceKind space, Way way) const {
  const u64 all = accesses(space, way);
  return all == 0 ? 0 : double(remote(space, way)) / double(all);
}

std::vector<u64> Traffic::by_home(SpaceKind space) const {
  std::vector<u64> sums(nodes_);
  for (u32 core = 0; core < nodes_; core++)
    for (u32 home = 0; home < nodes_; home++) sums[home] += of(at(space, core, home), Way::all);
  return sums;
}

} // namespace garner::simulation
