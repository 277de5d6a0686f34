// Traffic: what collector threads did to the heap, by space, by the node they ran on and by the node of the page (N27), and the
// figures that are made of it: non-locality and imbalance (naps.md section 4), the property table (N26).
#pragma once
#include <array>
#include <vector>

#include "event/event.h"

namespace garner::simulation {

struct Uses { u64 reads = 0, writes = 0, bytes_read = 0, bytes_written = 0; };

// The program's own accesses, by whether the page lay on the node that the thread ran on (N26): the first of a page, later ones to objects in eden and to copies in
// survivor space.
struct ProgramUses {
  u64 near = 0, far = 0;
  double far_share() const { return near + far == 0 ? 0 : double(far) / double(near + far); }
};
enum class ProgramColumn : u8 { first, fresh, survivors };
inline constexpr usize kProgramColumns = 3;

// Population standard deviation of the shares over their mean: 0 when all are equal, sqrt(K - 1) when one has all. 0 for nothing at all.
double imbalance_of(const std::vector<u64>& by_node);

class Traffic {
 public:
  Traffic() = default;
  explicit Traffic(u32 nodes) : nodes_(nodes) {
    for (auto& space : spaces_) space.resize(usize(nodes) * nodes);
  }
  u32 nodes() const { return nodes_; }
  bool empty() const { return nodes_ == 0; }
  Uses& at(SpaceKind space, u32 core, u32 home) { return spaces_[usize(space)][core * nodes_ + home]; }
  const Uses& at(SpaceKind space, u32 core, u32 home) const { return spaces_[usize(space)][core * nodes_ + home]; }
  void add(const Traffic& other);

  enum class Way : u8 { all, reads, writes };
  u64 accesses(SpaceKind space, Way way = Way::all) const;
  u64 remote(SpaceKind space, Way way = Way::all) const;
  double non_locality(SpaceKind space, Way way = Way::all) const; // remote / all; 0 for nothing at all
  std::vector<u64> by_home(SpaceKind space) const;               // accesses
  double imbalance(SpaceKind space) const { return imbalance_of(by_home(space)); }

 private:
  u32 nodes_ = 0;
  std::array<std::vector<Uses>, kSpaceKinds> spaces_;
};

} // namespace garner::simulation
