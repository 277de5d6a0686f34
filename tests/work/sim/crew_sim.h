// What the tests of this floor on the simulated machine share: a body that counts, and one gang's life as a case.
#pragma once
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../configs.h"
#include "machine/sim/explore.h"
#include "work/gang.h"

namespace garner::simtest {

using test::all_configs, test::describe;

// Root tasks push a tree; an entry n > 1 is cut into two, an entry 1 is a leaf.
struct Trees {
  Gang<Sim>& gang;
  u64 size;
  u32 slow = 0;              // yields before a root pushes: the others run out of work and fall asleep
  u64 roots = 0, leaves = 0; // plain: fibers switch at visible operations only
  void root(Sim::Self& self, u32) {
    roots++;
    for (u32 i = 0; i < slow; i++) self.yield();
    take(self, size);
  }
  void take(Sim::Self& self, u64 n) {
    if (n == 1) return void(leaves++);
    gang.queue(self.index).push(n / 2);
    gang.queue(self.index).push(n - n / 2);
  }
  void drain(Sim::Self& self) {
    u64 entry;
    while (gang.queue(self.index).pop(entry)) take(self, entry);
  }
};

struct Plan { GangConfig config; u32 phases, roots; u64 size; u32 slow = 0; };

// The whole life: start, phases with all workers, stop. ok() when nothing was lost or done twice.
struct Life {
  Life(Sim& s, const Plan& p) : sim(s), plan(p) { sim.start(&conduct, this); }
  static void conduct(void* at) {
    auto& life = *static_cast<Life*>(at);
    Sim::Self self(life.sim, 0);
    if (!life.gang.start(life.sim, life.plan.config)) return;
    life.gang.ensure(life.plan.config.workers);
    for (u32 phase = 0; phase < life.plan.phases; phase++) {
      Trees body{life.gang, life.plan.size, life.plan.slow};
      life.gang.run(self, Phase::mark, life.plan.config.workers, life.plan.roots, body);
      life.good = life.good && body.roots == life.plan.roots && body.leaves == life.plan.roots * life.plan.size;
    }
    life.gang.stop(self);
    life.stopped = true;
  }
  bool ok() { return good && stopped; }
  Sim& sim;
  Plan plan;
  Gang<Sim> gang;
  bool good = true, stopped = false;
};

} // namespace garner::simtest
