// Where fibers sit: workers on hardware threads, threads on cores, cores on nodes.
//
// Worker w takes the w-th seat of the order: every node in turn, on each its next core; when all cores have one, the cores' second
// threads in the same order; then from the start. Fibers that share a core slow each other down while both work: threads of one
// core by Shape::busy_percent, fibers of one thread in proportion to their number, as if the system cut time into small slices.
#include "machine/sim/fabric.h"

#include <cstring>

#include "base/check.h"

namespace garner::sim {

bool Fabric::make_cores() {
  u32 cores = 0, most = 0, clusters = 0;
  for (u32 n = 0; n < shape_.nodes; n++) {
    cores += shape_.node[n].cores;
    most = max_of(most, shape_.node[n].cores);
    clusters += u32(div_up(shape_.node[n].cores, shape_.cluster_cores));
  }
  const usize own_words = Tags::words_for(shape_.own_lines), shared_words = Tags::words_for(shape_.shared_lines);
  cores_.release();
  tag_memory_.release(); // fresh memory is zero: every cache is empty
  if (!cores_.resize(cores) || !shared_.resize(clusters) || !tag_memory_.resize(cores * own_words + clusters * shared_words)) return false;
  u32* tags = tag_memory_.begin();
  for (u32 c = 0; c < clusters; c++, tags += shared_words) shared_[c].use(tags, shape_.shared_lines);
  u32 index = 0, cluster = 0, first_of[kShapeNodesMax];
  for (u32 n = 0; n < shape_.nodes; n++) {
    first_of[n] = index;
    for (u32 i = 0; i < shape_.node[n].cores; i++, index++, tags += own_words) {
      Core& core = cores_[index];
      core.own.use(tags, shape_.own_lines);
      core.index = index;
      core.node = n;
      core.cluster = cluster + i / shape_.cluster_cores;
      core.percent = 100;
    }
    cluster += u32(div_up(shape_.node[n].cores, shape_.cluster_cores));
  }
  seats_.clear();
  for (u32 thread = 0; thread < shape_.threads; thread++)
    for (u32 i = 0; i < most; i++)
      for (u32 n = 0; n < shape_.nodes; n++)
        if (i < shape_.node[n].cores && !seats_.push({first_of[n] + i, 0})) return false;
  return true;
}

bool Fabric::add_fiber(u32 fiber) {
  GARNER_CHECK(fiber == fibers_.size(), "fibers are numbered in order");
  const u32 seat = fiber % u32(seats_.size());
  seats_[seat].fibers++;
  return fibers_.push({seat, false});
}

void Fabric::sit(u32 fiber, u32 seat) {
  FiberSeat& mine = fibers_[fiber];
  const bool active = mine.active;
  set_active(fiber, false);
  seats_[mine.seat].fibers--;
  seats_[seat].fibers++;
  mine.seat = seat;
  set_active(fiber, active);
}

void Fabric::seat_worker(u32 fiber, u32 worker) { sit(fiber, worker % u32(seats_.size())); }

void Fabric::cool() { memset(tag_memory_.begin(), 0, tag_memory_.size() * sizeof(u32)); }

void Fabric::move_to_node(u32 fiber, u32 node) {
  u32 best = kNoFiber;
  for (u32 s = 0; s < seats_.size(); s++) {
    if (cores_[seats_[s].core].node != node) continue;
    const u32 others = seats_[s].fibers - (fibers_[fiber].seat == s);
    if (best == kNoFiber || others < seats_[best].fibers - (fibers_[fiber].seat == best)) best = s;
  }
  GARNER_CHECK(best != kNoFiber, "a fiber cannot move to a node without cores");
  sit(fiber, best);
}

void Fabric::set_active(u32 fiber, bool active) {
  FiberSeat& mine = fibers_[fiber];
  if (mine.active == active) return;
  mine.active = active;
  Core& core = cores_[seats_[mine.seat].core];
  core.active += active ? 1 : u32(-1);
  count_active(core);
}

void Fabric::count_active(Core& core) {
  const u32 threads = shape_.threads, full = threads == 1 ? 100 : shape_.busy_percent;
  core.percent = core.active <= 1 ? 100 : core.active <= threads ? full : full * core.active / threads;
}

void Fabric::enter(u32 fiber) { core_ = &cores_[seats_[fibers_[fiber].seat].core]; }

} // namespace garner::sim
