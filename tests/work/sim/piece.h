// What a piece is: a small case for the simulated machine with plain data that only the piece's own orders protect. Who takes an entry, a task,
// a range, a phase's result writes or reads a cell, so a missing order or a double take is a race.
//
// A case is what machine/sim/explore.h asks for; pieces.h lists them all.
#pragma once
#include <cstdlib>
#include <string>

#include "machine/sim/explore.h"

namespace garner::pieces {

struct Cell { u64 value = 0; };
inline void own(Cell& cell) { writes<Sim>(cell.value)++; } // alone with it, ordered after everybody before
inline u64 look(Cell& cell) { return reads<Sim>(cell.value); }

// Starts a fiber that runs (case.*part)(self).
template <class Case, void (Case::*kPart)(Sim::Self&), u32 kWorker> void launch(Sim& sim, Case* one) {
  sim.start(
      [](void* at) {
        Case& c = *static_cast<Case*>(at);
        Sim::Self self(c.sim, kWorker);
        (c.*kPart)(self);
      },
      one);
}

struct Piece {
  const char* name;
  sim::Exploration (*explore)(const sim::Limits& limits);
  bool (*run)(Sim& sim, sim::Outcome& outcome); // once, on a machine that was just made or reset
  u32 preemptions;                              // exhaustive within so many; ~0: all schedules
  u32 nodes;                                    // at least
};
template <class Case> Piece piece(const char* name, u32 preemptions, u32 nodes = 1) {
  return {name, [](const sim::Limits& limits) { return sim::explore<Case>(limits); },
          [](Sim& sim, sim::Outcome& outcome) {
            Case one(sim);
            outcome = sim.run();
            return outcome.end == sim::End::finished && one.ok();
          },
          preemptions, nodes};
}

// GARNER_SCHEDULES: random schedules of each piece; ./test and its --quick and --soak set it.
inline u64 number_from(const char* name, u64 otherwise) {
  const char* value = getenv(name);
  return value == nullptr ? otherwise : strtoull(value, nullptr, 10);
}
inline u64 schedules_wanted() { return number_from("GARNER_SCHEDULES", 100'000); }

// The random schedule of a seed, on at least so many nodes: dice and priorities in turn, every fourth with faults.
inline SimConfig schedule(u64 seed, u32 nodes) {
  SimConfig config;
  config.seed = seed;
  config.races = true;
  config.steps_max = 1'000'000;
  config.picker = seed % 2 == 0 ? sim::Picker::seeded : sim::Picker::priority;
  config.changes = 1 + u32(seed / 2 % 5);
  config.changes_within = seed / 8 % 2 == 0 ? 60 : 600;
  config.nodes = max_of(1 + u32(seed % 3), nodes);
  if (seed % 4 == 2) config.faults = sim::FaultPlan::drawn(seed);
  return config;
}

} // namespace garner::pieces
