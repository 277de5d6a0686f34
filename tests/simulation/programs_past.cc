// What a simulated program brings along from before it is measured: old space that has been used (Spec::worn_old), and lists in old data.
// Both decide claims of the papers: where `ps` promotes to (E4, E5), and that sub-graphs found through cards are scattered (X2).
#include <gtest/gtest.h>

#include "machine_file.h"
#include "sim/simulation.h"
#include "sim/workloads.h"

namespace garner::simulation {
namespace {

Measures run(const char* machine_name, Pattern pattern, const std::string& options, u64 worn_old, bool locality) {
  const tool::MachineFile machine = tool::find_machine(machine_name);
  pattern.threads = 16, pattern.eden = 8 * MiB, pattern.collections = 3;
  Spec spec;
  spec.machine = machine.config();
  spec.options = options + ",cycle.resize=fixed,work.root_batch=4";
  spec.workers = 16;
  spec.eden = pattern.eden;
  spec.worn_old = worn_old;
  spec.locality = locality;
  Transactions program(pattern);
  Measures m = simulate(spec, program);
  EXPECT_EQ(m.error, "");
  return m;
}

// N18: a worker's promotion buffers lie on its own node while old space is fresh, and anywhere once it has been used by others.
TEST(ProgramsPast, N18OldSpaceThatHasBeenUsedIsNobodysNeighbour) {
  Pattern pattern = *find_pattern("jbb");
  pattern.ring = 192, pattern.stack = 16, pattern.long_lived = 512;
  auto writes_elsewhere = [&](const char* preset, u64 worn) { return run("amd48", pattern, std::string("preset=") + preset, worn, false).traffic().non_locality(SpaceKind::old, Traffic::Way::writes); };
  EXPECT_LT(writes_elsewhere("ps", 0), 0.3);
  EXPECT_NEAR(writes_elsewhere("ps", 32 * MiB), 0.875, 0.06);
  EXPECT_NEAR(writes_elsewhere("fragmented", 0), 0.875, 0.06); // old space is interleaved there, used or not
  EXPECT_NEAR(writes_elsewhere("fragmented", 32 * MiB), 0.875, 0.06);
}

double locality_of(const Measures& m, RootSource source) {
  Locality sum;
  for (const Collection& c : m.collections) sum.add(c.locality);
  return sum.by_source[usize(source)].locality();
}

TEST(ProgramsPast, T9ListsInOldDataAreScatteredAndStacksTreesAreNot) {
  Pattern pattern = *find_pattern("lusearch");
  const Measures lists = run("amd64", pattern, "preset=org", 0, true);
  EXPECT_LT(locality_of(lists, RootSource::old_to_young) + 0.2, locality_of(lists, RootSource::stack));
  pattern.ring_chain = 1;
  const Measures single = run("amd64", pattern, "preset=org", 0, true);
  EXPECT_NEAR(locality_of(single, RootSource::old_to_young), locality_of(single, RootSource::stack), 0.1);
}

// As many threads as eden has buffers: some come back from a collection when the others have taken everything again. That is no lack of memory: nothing is
// full here (the limit is 64 GiB, old space has been used for none of it), so no full collection may follow. With steps that do not ask who had been given
// memory, 3 of 9 collections of this program were full ones.
TEST(LateThreads, WhoIsBeatenToEdenAsksForNoFullCollection) {
  Pattern pattern = *find_pattern("tradesoap");
  pattern.threads = 48, pattern.eden = MiB, pattern.collections = 9, pattern.ring = 1, pattern.stack = 1, pattern.long_lived = 0, pattern.shared = 1;
  Spec spec;
  spec.machine = tool::find_machine("epyc-2s").config();
  spec.options = "preset=garner,cycle.resize=fixed,heap.tlab=32k";
  spec.workers = 48;
  spec.eden = pattern.eden;
  Transactions program(pattern);
  const Measures m = simulate(spec, program);
  ASSERT_EQ(m.error, "");
  ASSERT_GT(m.collections.size(), 4u);
  for (const Collection& c : m.collections) EXPECT_NE(c.end.kind, Kind::full) << name_of(c.end.cause);
}

} // namespace
} // namespace garner::simulation
