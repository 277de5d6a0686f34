// Sums and ratios of locality.h. T15.
#include "sim/locality.h"

namespace garner::simulation {

void LocalityMatrix::add(const LocalityMatrix& other) {
  if (other.nodes_ == 0) return;
  if (nodes_ == 0) *this = LocalityMatrix(other.nodes_);
  for (usize i = 0; i < counts_.size(); i++) counts_[i] += other.counts_[i];
}

double LocalityMatrix::share(u32 root_node, u32 object_node) const {
  u64 sum = 0;
  for (u32 j = 0; j < nodes_; j++) sum += count(root_node, j);
  return sum == 0 ? 0 : 100.0 * double(count(root_node, object_node)) / double(sum);
}

u32 LocalityMatrix::rows_used() const {
  u32 used = 0;
  for (u32 i = 0; i < nodes_; i++)
    for (u32 j = 0; j < nodes_; j++)
      if (count(i, j) != 0) {
        used++;
        break;
      }
  return used;
}

double LocalityMatrix::trace() const {
  double sum = 0;
  for (u32 i = 0; i < nodes_; i++) sum += share(i, i);
  return sum;
}

} // namespace garner::simulation
