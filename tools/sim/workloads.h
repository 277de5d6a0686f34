// Workloads: programs with the allocation patterns of the papers' benchmarks, as data (naps.md and topology.md, section 4).
//
// All are one program, Transactions, with other numbers. What it does, and what of it stands for what:
//   set-up        some threads allocate one eden's worth, of it the long-lived data of all: "many programs initialise with one thread,
//                 which touches most of eden" (N18). Two threads where the paper says that pages come from two nodes
//   transaction   builds a tree, reads it, drops garbage beside it; keeps the tree in a stack slot, in the thread's ring, or nowhere
//   ring          places among the thread's long-lived objects that hold its last trees, or lists of them: those objects are old, so the trees are
//                 found through cards, all over the old space
//   shared        one table of chains that every thread prepends to: an old slot leads through objects of many threads
//   static        a slot of the program itself that a thread replaces now and then
//   messages      a tree goes to another thread, which reads and changes it
//   graph         an R-MAT graph in old space that transactions walk and hang new objects on
//   master        one thread allocates what all others read
// The numbers are chosen from what the papers say of a program (how much survives, heap size against others, who allocates). Sizes are scaled
// down; what was changed after results had been seen, and why, is in docs/reproduce.md.
// Same pattern and seed, same program on every machine and preset, but for the order in which threads take turns.
#pragma once
#include <string>
#include <vector>

#include "sim/simulation.h"

namespace garner::simulation {

struct Pattern {
  const char* name;
  const char* like;            // the program it stands for, and what of it
  u32 threads = 48;
  u64 eden = 32 * MiB;
  u32 collections = 5;         // edens to allocate while measuring
  u32 set_up_threads = 1;      // who allocates the first eden
  // A transaction.
  u32 tree = 24, fan = 4, bytes = 64; // objects of its result, references and bytes of each
  u32 garbage = 24;            // objects that die at once
  u32 leaf_bytes = 0;          // one array without references, dead at once; 0: none
  u32 rereads = 1;             // how often it reads its result
  u32 old_reads = 4;           // objects of the thread's long-lived data that it reads
  u32 work_ns = 500;           // computing between
  // Where results stay.
  u32 stack = 8, ring = 32;    // slots; the ring has at most as many as there are long-lived objects
  u32 ring_percent = 60, stack_percent = 40; // chances that a result goes there; the rest is dropped
  u32 ring_chain = 1;          // mean length of the list at a place of the ring: a result refers to the one that was there. 1: it replaces it
  u32 shared = 0, shared_percent = 0, chain = 8; // slots of the shared table; chance to prepend an entry; mean length of a chain
  u32 static_percent = 0, weak_percent = 0, message_percent = 0;
  u32 across_percent = 0;      // chance that a result refers to another thread's last one
  u32 long_lived = 512;        // objects per thread made in the set-up
  u32 graph = 0, graph_edges = 8, walk = 0; // nodes of the R-MAT graph, edges of each, steps of a transaction
  bool master = false;         // only thread 0 allocates; the others read what it made
};

// A smaller or larger heap, in percent of the pattern's: eden, what lives, and the graph (its own percentage besides). `percent` does not bring eden below what
// 64 threads' buffers of 64 KiB take twice, if the pattern's is larger: one of nothing but buffers measures the buffers. With `eden_percent` the same program gets another
// eden alone, with no such floor, and allocates as much as before in as many more or fewer collections.
Pattern scaled(Pattern pattern, u32 percent, u32 graph_percent = 100, u32 eden_percent = 100);

// What is the same for every simulation of a pattern, in the experiments and beside them: eden is the pattern's and stays (but for cycle.resize), and old space
// has been used before, unless the set-up is what is measured. Machine, options, workers and the rest are the caller's.
Spec spec_of(const Pattern& pattern, bool from_start);

// By name; null when there is none. The list is in the order of the papers.
const Pattern* find_pattern(const std::string& name);
const std::vector<Pattern>& patterns();

class Transactions : public Program {
 public:
  // from_start: the set-up belongs to what is measured (E3: the first collection; E2: eden's growth).
  explicit Transactions(const Pattern& pattern, bool from_start = false) : p_(pattern), from_start_(from_start) {}
  u32 threads() const override { return p_.threads; }
  void run(Thread& thread) override;
  u64 transactions() const { return done_; } // while measuring

 private:
  struct Cells { u32 data, stack; }; // of one thread
  void set_up(Thread& thread);
  void prepare(Thread& thread);
  void make_graph(Thread& thread);
  void run_until(Thread& thread, u64 bytes);
  void transact(Thread& thread);
  void keep(Thread& thread, Ref result);
  void walk_graph(Thread& thread);
  void serve(Thread& thread);
  Ref tree(Thread& thread, u32 objects);
  void read_tree(Thread& thread, Ref ref, u32 depth = 0);
  u32 rmat(Random& random) const;

  Pattern p_;
  bool from_start_;
  std::vector<Cells> cells_;
  u32 shared_at_ = 0, graph_at_ = 0, last_at_ = 0, own_at_ = 0; // numbers of statics
  bool ended_ = false;
  u64 done_ = 0;
};

} // namespace garner::simulation
