// What a simulated machine is told before it runs, and what it says afterwards: plain data, no code that decides.
//
// Costs are those of a uniform machine: memory is near or far, a line is mine or another's, a system call has a price. A machine in
// full is a Shape (shape.h), whose Costs are its own. The defaults describe one die of the 48-core Opteron 6172 of the papers. Each is followed by its source: "1.3" and the like are
// sections of the project's table of machine parameters, "system" is a figure measured on Linux, "guess" is a guess.
// The uniform machine deviates from a real one: no caches beyond line ownership, no memory controllers, no links, 4 KiB pages only.
#pragma once
#include "base/arena.h"
#include "base/random.h"
#include "seam/watch.h"

namespace garner::sim {

inline constexpr u32 kNodesMax = 64;  // bits of a NodeSet
inline constexpr u32 kNoFiber = ~0u;

// All in picoseconds, except the percentage.
struct Costs {
  u64 slot_load = 1'900;         // a word of a line that is in the cache already: 4 cycles at 2.1 GHz (1.1)
  u64 slot_store = 1'900;        // the same (guess); an atomic store that is not seq_cst costs no more (on machines with a Shape: slot_load)
  u64 line_in = 65'000;          // a line that comes from memory: header(), forward(), an atomic used the first time (1.3)
  u64 read_line = 25'000;        // per 64 B of a sequential read: 2.56 GB/s for one core (1.6)
  u64 write_line = 25'000;       // per 64 B of a sequential write (guess: as reads)
  u64 copy_from_line = 25'000;   // per 64 B copied: the reading half (1.6)
  u64 copy_to_line = 25'000;     // and the writing half (guess: as reads)
  u64 stream_to_line = 16'000;   // the writing half with stores past the cache: 4 cores copy at 12.5 GB/s counting both halves (1.4)
  u64 prefetch = 500;            // one issue slot
  u64 atomic_load = 1'400;       // a load of a line that is here: 3 cycles (1.1)
  u64 atomic_own = 9'500;        // a read-modify-write or seq_cst store of a line that is mine: 20 cycles (1.5)
  u64 line_fetch = 38'600;       // a load of a line another core wrote: 81 cycles (1.5)
  u64 line_take = 52'400;        // a write to a line another core has: 110 cycles (1.5)
  u64 pause = 19'000;            // 40 cycles (guess)
  u64 yield = 500'000;           // sched_yield and back (guess)
  u64 park_call = 204'000;       // futex wait that finds a changed word (system)
  u64 wake_call = 188'000;       // futex wake without a sleeper (system); once more for each thread woken
  u64 wake_latency = 5'160'000;  // from the wake until the sleeper runs: half of a 10.7 us round trip less the call (system)
  u64 page_fault = 2'000'000;    // the first touch of a 4 KiB page (system: 1.9-2.1 us)
  u64 reserve_call = 1'000'000;  // mmap or munmap (guess)
  u64 bind_call = 900'000;       // mbind (system)
  u64 discard_page = 160'000;    // madvise DONTNEED per 4 KiB page (system)
  u64 clock_read = 20'000;       // now() (guess)
  u64 pin_call = 500'000;        // sched_setaffinity (guess)
  u64 start_thread = 20'000'000; // clone until the new thread runs; the caller pays a quarter (guess)
  u64 page_query = 120'000;      // move_pages that only asks, per page (system: 80-160 ns)
  u64 query_call = 270'000;      // and for the call itself, however many pages (system: one page takes 460 ns, each more 190)
  u64 remote_percent = 180;      // what far memory and a far owner cost, in percent of near: 118 ns / 65 ns (1.3)
  // Parts of the calls above during which a lock of the kernel is held; machines with a Shape only, the uniform one has none.
  u64 futex_lock = 0;            // of park_call and wake_call, by futex
  u64 page_lock = 0;             // of page_fault, by node
};

// What a visible operation does with its line: a store waits for no answer from it, a swap (any read-modify-write, and a seq_cst store) does.
enum class Use : u8 { load, store, swap };

enum class Picker : u8 {
  earliest, // the smallest clock runs next, ties by fiber number: to measure
  seeded,   // at each visible operation the seed decides who goes on: to hunt
  every,    // a chooser decides; explore() goes through all of its answers: to exhaust small cases
  priority, // the ready fiber with the highest priority, until it yields, or one of a few moments drawn from the seed lowers it: to hunt
            // for mistakes that need few preemptions at the right places (PCT)
};

// What the seed may do besides choosing who runs. Each happens once in so many opportunities; 0 is never.
// Used by `earliest` and `seeded`; `every` takes none.
struct FaultPlan {
  u32 delay_one_in = 0;           // at a visible operation the fiber falls behind …
  u64 delay_ps_max = 50'000'000;  // … by up to this much
  u32 spurious_wake_one_in = 0;   // at a visible operation some parked fiber is let go
  u32 park_returns_one_in = 0;    // a park that would sleep returns at once
  u32 storm_one_in = 0;           // at a visible operation the fiber starts to give way …
  u32 storm_operations_max = 40;  // … at each of up to so many of its following ones
  u32 bind_refused_one_in = 0;    // bind and interleave
  u32 reserve_refused_one_in = 0;

  constexpr bool at_operations() const { return delay_one_in != 0 || spurious_wake_one_in != 0 || storm_one_in != 0; }
  // A plan drawn from a seed: each fault is off, rare or frequent. Reservations are never refused by it.
  static constexpr FaultPlan drawn(u64 seed) {
    Random random(seed ^ 0xfa17);
    auto rate = [&](u32 frequent, u32 rare) { return random.one_in(3) ? 0 : (random.one_in(2) ? frequent : rare); };
    FaultPlan plan;
    plan.delay_one_in = rate(50, 1000);
    if (plan.delay_one_in == 50) plan.delay_ps_max = 1'000'000; // about 50 operations: longer, and hardly two would ever meet
    plan.spurious_wake_one_in = rate(30, 500);
    plan.park_returns_one_in = rate(3, 20);
    plan.storm_one_in = rate(100, 1000);
    plan.bind_refused_one_in = rate(2, 10);
    return plan;
  }
};

enum class Fault : u8 { delay, spurious_wake, park_returns, storm, bind_refused, reserve_refused };
inline constexpr usize kFaultKinds = 6;

// Answers the `every` picker: a number below `options` (at least 2). Null: always 0, which is "go on with the same fiber".
struct Chooser {
  u32 (*choose)(void* self, u32 options) = nullptr;
  void* self = nullptr;
};

struct Shape; // shape.h

struct Config {
  u32 nodes = 1; // 1 … kNodesMax
  u32 cores_per_node = 6;
  Picker picker = Picker::earliest;
  u64 seed = 1;
  u32 switch_one_in = 0;                 // seeded: a switch at one visible operation in so many; 0: the seed draws 2, 4, 16 or 64
  u32 preemptions_max = ~0u;             // every: switches away from a fiber that could have gone on
  u32 changes = 3;                       // priority: moments at which the running fiber's priority becomes the lowest
  u64 changes_within = 2'000;            // priority: visible operations among which they are drawn
  u64 steps_max = 100'000'000'000;       // visible operations until the run is given up
  u64 slack_ps = 1'000'000;              // earliest: how far plain verbs may run ahead of the next fiber before they wait for it
  usize stack_bytes = 256 * KiB;
  Costs costs{};
  const Shape* shape = nullptr;          // a machine in full, copied by the Sim: it decides nodes, cores and costs. Null: uniform
  FaultPlan faults{};
  Chooser chooser{};
  bool races = false;                    // every access is held against the declared orders; a race ends the run (races.h); at most 64 fibers
  u32 traps = 0;                         // mistakes switched on: a bit for each Trap
  Where weakened{nullptr, 0};            // the atomic operations of this line count as relaxed,
  u32 weakened_lines = 1;                // and of the lines after it
  Vector<Where>* orders = nullptr;       // filled with the lines of atomic operations that are more than relaxed; the caller's
};

enum class End : u8 {
  finished,
  deadlock, // every fiber that lives is parked or waits for a lock
  budget,   // steps_max visible operations were done
  race,     // two accesses that no release and acquire orders, one of them a write
};

struct Outcome {
  End end;
  u64 steps;        // visible operations
  u64 ns;           // virtual time at the end
  const char* text; // one line: who waits for what, the fiber that was running, or both sides of a race; empty when finished. Owned by the Sim
};

} // namespace garner::sim

namespace garner {
using SimConfig = sim::Config;
} // namespace garner
