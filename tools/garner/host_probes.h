// Measurements of this machine, each by the shortest program that shows it. Figures are the best of several rounds: what the machine does
// when nobody disturbs, which is what the model starts from.
//
// A thread is bound to one processor while it measures, but for memory_rates. `effort` 1 is in earnest; smaller shortens every round (tests).
#pragma once
#include <vector>

#include "base/words.h"

namespace garner::tool {

// A chain of dependent loads over `bytes` in random order by processor `cpu`, in memory of `node` (-1: wherever it comes from).
double chase_ns(u32 cpu, int node, u64 bytes, double effort);
// Bytes per second, in GB/s, that these processors read (or write) together, each in sequence in a buffer of its own.
double bandwidth_gb(const std::vector<u32>& cpus, bool write, double effort);
// What all threads together do with 256 MB in use, in huge pages where they are granted. Threads run where the system puts them, as a collector's do.
struct MemoryRates {
  u32 threads;
  double copied_gb;    // GB/s: bytes copied from one half to the other in sequence
  double lines_per_us; // lines of 64 bytes, read at random once they were asked for
};
MemoryRates memory_rates(u32 threads, double effort);
// A line between two processors: one hand-over of a flag that both poll with loads, or with compare-and-swap.
enum class HandOver : u8 { polled, swapped };
double hand_over_ns(u32 a, u32 b, HandOver how, double effort);
// One addition to a counter that nobody else has.
double addition_ns(u32 cpu, double effort);

struct CallCosts {
  double park_call, wake_call, wake_latency, page_fault, reserve_call, bind_call, discard_page, page_query, query_call, clock_read, pin_call, yield, pause, start_thread; // ns; negative: refused here
};
CallCosts call_costs(const std::vector<u32>& cpus, double effort);

} // namespace garner::tool
