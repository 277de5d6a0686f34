// A little of everything on a machine in full, folded into one number: the digest of the schedule, the clocks, and what each memory served.
#pragma once
#include "shapes.h"
#include "team.h"

namespace garner {

inline sim::Picker picker_of(u64 seed) {
  const sim::Picker pickers[] = {sim::Picker::seeded, sim::Picker::earliest, sim::Picker::priority};
  return pickers[seed % 3];
}

inline u64 full_digest(u64 seed, sim::Picker picker = sim::Picker::earliest) {
  sim::Shape shape = line_of_nodes(4, 3);
  shape.threads = 2;
  shape.busy_percent = 140;
  shape.costs.futex_lock = 90'000;
  shape.memory[0].stream_lines = 3;
  shape.line_work = 7'001;
  SimConfig config;
  config.shape = &shape;
  config.seed = seed;
  config.picker = picker;
  config.faults = sim::FaultPlan::drawn(seed);
  Sim machine(config);
  Team team(machine);
  Sim::Atomic<u64> shared;
  Sim::Atomic<u32> bell;
  Sim::Lock lock;
  const word heap = machine.reserve(8 * MiB, 2 * MiB);
  machine.interleave(heap + 4 * MiB, 2 * MiB);
  for (u32 w = 0; w < 16; w++)
    team.start([&, w] {
      Sim::Self self(machine, w);
      for (u32 k = 0; k < 300; k++) {
        const word at = heap + self.random.below(1000) * 4096, other = heap + (1010 + self.random.below(1000)) * 4096 + 64 * self.random.below(60);
        self.touch(other);
        self.forward(Header{at}, self.header(Header{at}), k);
        self.store(Slot{at + 8}, self.load(Slot{other}));
        self.copy(at + 16, other, 24 + 8 * self.random.below(100));
        if (self.random.one_in(9)) self.stream(at, other, 3000);
        shared.fetch_add_acq_rel(1);
        if (self.random.one_in(16)) {
          Locked<Sim::Lock> held(lock);
          self.read(at, 5000);
        }
        if (self.random.one_in(32)) {
          bell.fetch_add_acq_rel(1);
          machine.wake(self, bell, ~0u);
        } else if (self.random.one_in(32)) {
          machine.park(self, bell, bell.load_acquire() - 1);
        }
        if (self.random.one_in(64)) machine.discard(at & ~word(4095), 4096);
      }
    });
  const Sim::Outcome end = machine.run();
  u64 fold = machine.digest() ^ mix64(end.ns) ^ u64(end.end);
  for (u32 a = 0; a < 4; a++)
    for (u32 b = 0; b < 4; b++) fold = mix64(fold ^ machine.fabric().asked(a, b));
  for (u32 i = 0; i < shape.links; i++) fold = mix64(fold ^ machine.fabric().link(i).busy_ps);
  return fold;
}

} // namespace garner
