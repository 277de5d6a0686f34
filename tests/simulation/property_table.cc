// The table of locality and balance (N26), from counters: each sign, for the four placements. What it says of old space is "n/a" for the two that have fragments; for the two
// others, whose copies to it and scans of it are far, old space has been used before, by workers of all nodes, as that of a program that has run for a while has.
#include <gtest/gtest.h>

#include "machine_file.h"
#include "sim/simulation.h"
#include "sim/workloads.h"

namespace garner::simulation {
namespace {

Traffic traffic_under(const std::string& preset) {
  const tool::MachineFile machine = tool::find_machine("amd48");
  Pattern pattern = *find_pattern("xml-transform");
  pattern.threads = 16, pattern.eden = 8 * MiB, pattern.collections = 3;
  Spec spec;
  spec.machine = machine.config();
  spec.options = "preset=" + preset + ",cycle.resize=fixed,work.root_batch=4";
  spec.workers = 16;
  spec.eden = pattern.eden;
  spec.worn_old = pattern.eden * 5 / 2;
  Transactions program(pattern);
  const Measures m = simulate(spec, program);
  EXPECT_EQ(m.error, "") << preset;
  return m.traffic();
}

struct Row { const char* preset; bool balanced, scans_eden_near, copies_survivors_near, scans_survivors_near, tells_of_old; }; // of old: that copies and scans are far

TEST(PropertyTable, N26SignsOfTheCollectorsColumns) {
  const Row rows[] = {{"ps", false, false, false, false, true}, {"interleaved", true, false, false, false, true}, {"fragmented", true, false, true, false, false}, {"segregated", true, true, true, true, false}};
  for (const Row& row : rows) {
    const Traffic t = traffic_under(row.preset);
    ASSERT_FALSE(t.empty());
    if (row.balanced) EXPECT_LT(t.imbalance(SpaceKind::eden), 0.7) << row.preset;
    else EXPECT_GT(t.imbalance(SpaceKind::eden), 1.5) << row.preset;
    auto near = [&](SpaceKind space, Traffic::Way way, bool expected) {
      if (expected) EXPECT_LT(t.non_locality(space, way), 0.05) << row.preset << " " << name_of(space);
      else EXPECT_GT(t.non_locality(space, way), 0.3) << row.preset << " " << name_of(space);
    };
    near(SpaceKind::eden, Traffic::Way::reads, row.scans_eden_near);
    near(SpaceKind::to, Traffic::Way::writes, row.copies_survivors_near);
    near(SpaceKind::from, Traffic::Way::reads, row.scans_survivors_near);
    if (!row.tells_of_old) continue;
    EXPECT_GT(t.accesses(SpaceKind::old), 1000u) << row.preset;
    near(SpaceKind::old, Traffic::Way::writes, false);
    near(SpaceKind::old, Traffic::Way::reads, false);
  }
}

// Threads of all nodes make objects, keep some, and come back to what they kept: to new ones and, after a collection, to copies. One thread has touched all of eden first.
class Returning : public Program {
 public:
  explicit Returning(u64 eden) : eden_(eden) {}
  u32 threads() const override { return 16; }
  void run(Thread& thread) override {
    if (thread.index == 0)
      while (thread.allocated_bytes() < eden_) thread.make(0, 1024);
    thread.meet();
    for (u32 i = 0; i < kKept; i++) thread.hold({0});
    allocate(thread, eden_ / 16);
    thread.meet();
    if (thread.index == 0) thread.begin_measuring();
    thread.meet();
    allocate(thread, 3 * eden_ / 16);
    thread.meet();
    if (thread.index == 0) thread.end_measuring();
  }

 private:
  static constexpr u32 kKept = 256;
  static void allocate(Thread& thread, u64 bytes) {
    for (const u64 end = thread.allocated_bytes() + bytes; thread.allocated_bytes() < end;) {
      const Ref made = thread.make(2, 256);
      if (thread.random.one_in(4)) thread.set_held(u32(thread.random.below(kKept)), made);
      thread.read(thread.held(u32(thread.random.below(kKept))));
    }
  }
  const u64 eden_;
};

TEST(PropertyTable, N26SignsOfTheProgramsColumns) {
  struct Signs { const char* preset; bool first, fresh, survivors; };
  const tool::MachineFile machine = tool::find_machine("amd48");
  for (const Signs& row : {Signs{"ps", true, false, false}, {"interleaved", false, false, false}, {"fragmented", true, true, false}, {"segregated", true, true, true}}) {
    Spec spec;
    spec.machine = machine.config();
    spec.options = std::string("preset=") + row.preset + ",cycle.resize=fixed,work.root_batch=4";
    spec.workers = 16;
    spec.eden = 8 * MiB;
    spec.by_program = true;
    Returning program(spec.eden);
    const Measures m = simulate(spec, program);
    ASSERT_EQ(m.error, "") << row.preset;
    auto near = [&](ProgramColumn column, bool expected) {
      const ProgramUses& uses = m.program[usize(column)];
      EXPECT_GT(uses.near + uses.far, 300u) << row.preset << " column " << int(column);
      if (expected) EXPECT_LT(uses.far_share(), 0.05) << row.preset << " column " << int(column);
      else EXPECT_GT(uses.far_share(), 0.3) << row.preset << " column " << int(column);
    };
    near(ProgramColumn::first, row.first);
    near(ProgramColumn::fresh, row.fresh);
    near(ProgramColumn::survivors, row.survivors);
  }
}

// N18, E3: who allocates first decides where eden is, for as long as the program runs.
TEST(PropertyTable, N18FirstTouchKeepsEdenWhereItWasTouched) {
  const Traffic t = traffic_under("ps");
  EXPECT_GT(double(t.by_home(SpaceKind::eden)[0]), 0.9 * double(t.accesses(SpaceKind::eden)));
}

} // namespace
} // namespace garner::simulation
