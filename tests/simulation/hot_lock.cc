// N15: the lock of the monitor as a cause, on the simulated 48-core machine: what it costs to ask for a task grows faster than the number of workers
// who ask; with another lock it is another figure; without a monitor no lock is taken.
#include <gtest/gtest.h>

#include "graphs.h"

namespace garner::simulation {
namespace {

struct Asking { double wait_ns; u64 taken; }; // for one acquisition, on average
Asking asking(const std::string& options, u32 workers) {
  static const tool::MachineFile machine = tool::find_machine("amd48");
  static const Graph graph = trees(48, 40, 0);
  const Measures m = collect(machine, graph, options, workers, false);
  EXPECT_EQ(m.error, "");
  return {m.gc_lock_taken == 0 ? 0 : double(m.gc_lock_wait_ns) / double(m.gc_lock_taken), m.gc_lock_taken};
}

TEST(HotLock, N15WaitingForItGrowsFasterThanTheWorkersAndDependsOnTheLock) {
  const std::string spin = "preset=ps,work.root_batch=1,work.lock=spin_cas_then_posix", posix = "preset=ps,work.root_batch=1,work.lock=posix";
  const Asking six = asking(spin, 6), twelve = asking(spin, 12), all = asking(spin, 48);
  RecordProperty("ns_6", std::to_string(six.wait_ns));
  RecordProperty("ns_12", std::to_string(twelve.wait_ns));
  RecordProperty("ns_48", std::to_string(all.wait_ns));
  EXPECT_GT(all.taken, 48u + 48u);
  EXPECT_GT(all.wait_ns, 8 * 1.2 * six.wait_ns);
  EXPECT_GT(all.wait_ns, 4 * 1.2 * twelve.wait_ns);
  const Asking slept = asking(posix, 48);
  RecordProperty("ns_48_posix", std::to_string(slept.wait_ns));
  EXPECT_GT(std::abs(slept.wait_ns - all.wait_ns), 0.1 * all.wait_ns);
}

TEST(HotLock, N15NapsTakesNone) {
  EXPECT_EQ(asking("preset=naps", 48).taken, 0u);
  EXPECT_EQ(asking("preset=naps,work.task_queue=array", 48).taken, 0u);
}

} // namespace
} // namespace garner::simulation
