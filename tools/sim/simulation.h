// Simulation: a program and the real collector on a simulated machine, and what can be said about its collections afterwards.
//
//   Spec spec; spec.machine = file.config(); spec.options = "preset=naps"; spec.workers = 48;
//   Measures m = simulate(spec, program);        if (!m.error.empty()) …
//
// The collector is the one of every door (cycle/, collect/, work/), compiled for machine/sim and host/synthetic. Figures are counted
// (accesses by node, steals) or read from virtual clocks; instrumentation changes no clock: with and without it the digest is the same.
// Same spec and program, same measures to the last digit. Not thread-safe within one process but for different Sims on different threads.
// Implements N27 (measures by node and space), T15 (locality.h).
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "event/event.h"
#include "sim/locality.h"
#include "sim/program.h"
#include "sim/traffic.h"

namespace garner::simulation {

struct Spec {
  sim::Config machine;            // of a machine file; refers to its shape, which must live as long
  std::string options;            // "preset=naps,heap.tlab=8k": general.workers is `workers`
  u32 workers = 1;                // collector threads, 1 … 1024
  u64 seed = 1;
  u64 eden = 16 * MiB;            // start size; and always with cycle.resize=fixed
  u64 eden_min = 0, eden_max = 0; // 0: eden
  u64 reserve = 4 * GiB;          // address space; costs nothing until touched
  u64 worn_old = 0;               // bytes of old space whose pages an earlier life of the program has touched (Stage::wear_old)
  bool retain = false;            // emptied pages are kept, as old space that has been used needs
  u64 limit = 0;                  // 0: none, and full collections only when asked for
  double survival = 0;            // share of eden that the collector expects to survive when measuring begins; 0: what it learned so far
  bool by_node = true;            // count accesses by node and space
  bool by_program = false;        // count the program's accesses by where the page is (N26); first ones from the start, others while measuring
  bool timeline = false;          // keep every worker's spans
  bool lines = false;             // keep what atomic operations took in collections, by their place in the source
  bool locality = false;          // follow every root before each collection (T15): slow
};

struct LineVisits { std::string place; u64 visits = 0, ps = 0; }; // place: file:line of the operation
struct WorkerSpan { u32 worker; Span span; };

struct PhaseTime { Phase phase; u64 start_ns, ns; };
struct WorkerLine { u32 worker, node; Phase phase; WorkerStats stats; };

struct Collection {
  CycleEnd end{};
  std::vector<PhaseTime> phases;
  std::vector<WorkerLine> workers;
  std::vector<u64> eden_pages;    // touched pages of eden by node, when the collection began (N27)
  Traffic traffic;                // by space, empty unless Spec::by_node
  std::vector<u64> memory_bytes;  // bytes asked of memories, [node of the core * nodes + node of the memory], caches behind them
  std::vector<u64> steals;        // [thief's node * nodes + victim's node]
  Locality locality;              // empty unless Spec::locality
  std::vector<WorkerSpan> spans;        // empty unless Spec::timeline
};

struct AskedBytes { u64 all = 0, remote = 0; }; // of memories, and of those of other nodes

struct Measures {
  std::string error;              // one line; empty when all went well
  u32 nodes = 0, workers = 0;
  std::vector<u64> distances;     // [from * nodes + to], as the machine counts them
  std::vector<Collection> collections; // those that were measured
  u64 wall_ns = 0;                // virtual time measured
  u64 pause_ns = 0;               // of it in collections
  u64 allocated = 0;              // bytes by the program meanwhile
  u64 resize_ns = 0;              // of the pauses in changing eden's size
  u64 digest = 0;                 // of the whole run
  u64 gc_lock_taken = 0, gc_lock_wait_ns = 0; // of the whole run (N15)
  std::array<ProgramUses, kProgramColumns> program; // zeros unless Spec::by_program
  std::vector<LineVisits> lines;  // the dearest first; empty unless Spec::lines
  double host_seconds = 0;        // processor time: the only figure that does not repeat

  u64 app_ns() const { return wall_ns - pause_ns; }
  double gc_throughput() const { return pause_ns == 0 ? 0 : double(allocated) / double(pause_ns); } // GB/s, naps.md section 4
  double mean_pause_ms() const { return collections.empty() ? 0 : double(pause_ns) / 1e6 / double(collections.size()); }
  u64 copied_bytes() const;
  u64 copied_objects() const;
  Traffic traffic() const;        // of all collections
  std::vector<u64> eden_pages_first() const { return collections.empty() ? std::vector<u64>() : collections.front().eden_pages; }
  AskedBytes asked() const;       // in all collections
  double remote_share() const;    // of these
  std::vector<u64> steals_by_distance(const sim::Shape& shape) const; // [links passed]
};

Measures simulate(const Spec& spec, Program& program);

} // namespace garner::simulation
