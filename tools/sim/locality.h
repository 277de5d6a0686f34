// Locality: the matrix of T15. Before a collection every root is followed through the objects that will be collected, and the nodes of
// the root's object and of everything below it are recorded.
//
// a[i][j]: objects on node j in sub-graphs whose root is on node i. An object counts for the root that reaches it first: per kind of root
// in a walk of its own, and overall in the order old-to-young, stacks, statics, which is that of the collector's tasks.
// Positions are those before copying; objects on pages that nobody touched yet do not count.
#pragma once
#include <array>
#include <vector>

#include "base/words.h"

namespace garner::simulation {

enum class RootSource : u8 { old_to_young, stack, statics };
inline constexpr usize kRootSources = 3;
inline constexpr const char* kRootSourceNames[kRootSources] = {"old-to-young", "stack", "static"};

class LocalityMatrix {
 public:
  LocalityMatrix() = default;
  explicit LocalityMatrix(u32 nodes) : nodes_(nodes), counts_(usize(nodes) * nodes) {}
  u32 nodes() const { return nodes_; }
  void record(u32 root_node, u32 object_node) { counts_[root_node * nodes_ + object_node]++; }
  u64 count(u32 root_node, u32 object_node) const { return counts_[root_node * nodes_ + object_node]; }
  void add(const LocalityMatrix& other);
  // Percent of the row; 0 in a row without roots.
  double share(u32 root_node, u32 object_node) const;
  u32 rows_used() const;
  double trace() const;   // 0 … rows_used() * 100
  double locality() const { return rows_used() == 0 ? 0 : trace() / (rows_used() * 100.0); } // loc(A), 0 … 1

 private:
  u32 nodes_ = 0;
  std::vector<u64> counts_;
};

struct Locality {
  LocalityMatrix all;
  std::array<LocalityMatrix, kRootSources> by_source;
  void add(const Locality& other) {
    all.add(other.all);
    for (usize i = 0; i < kRootSources; i++) by_source[i].add(other.by_source[i]);
  }
};

} // namespace garner::simulation
