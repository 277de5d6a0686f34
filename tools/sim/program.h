// What a simulated program is made of: a Program, and the Thread through which each of its threads allocates, links, reads and holds roots.
//
// Threads run on the simulated machine as fibers beside the collector's: what they write and read has a price and touches pages, so who
// allocated where decides which node's memory it is (N18, N20), and the time between collections is virtual too.
// Rules: a Ref is good until the next make() of the same thread, since that may collect; what must live longer stands in a cell (a
// stack root) or in a static. Everything is drawn from the thread's own random numbers: same seed, same bytes. No exceptions in run().
#pragma once
#include <string>
#include <vector>

#include "host/synthetic/synthetic.h"
#include "machine/sim/sim.h"

namespace garner::simulation {

using Host = Synthetic<Sim>;

class Stage;

class Thread {
 public:
  Thread(Stage& stage, u32 index, u32 seat);

  const u32 index;
  u32 node() const { return node_; }
  Random random;

  // A new object of so many references, null, and at least `bytes` (raised to what the references need). Its bytes are written by this
  // thread. 0 when memory is out, which also ends the simulation with a message.
  Ref make(u32 references, usize bytes);
  Ref get(Ref holder, u32 slot);
  void set(Ref holder, u32 slot, Ref value); // with the write barrier
  void read(Ref ref);                        // all of it, as a sequence
  void write(Ref ref);                       // likewise
  void breathe();                            // a safepoint: lets a collection stop this thread; refs are void afterwards
  void work(u64 ns);                         // computes: time that touches no memory

  // Stack roots of this thread.
  u32 hold(Ref ref);
  Ref held(u32 cell) const;
  void set_held(u32 cell, Ref ref);
  void drop(u32 cells); // the last so many

  // Roots of the program itself, made by one thread before others use them.
  u32 add_static(Ref ref);
  Ref get_static(u32 number);
  void set_static(u32 number, Ref ref);
  void drop_statics(u32 count); // the last so many
  // A weak short handle: it keeps nothing alive and costs the collector a visit. Of each thread's the last 256 stay.
  void weak(Ref ref);

  void collect(Kind kind);
  // Waits until all threads of the program have come here.
  void meet();
  // The figures begin, or end, here: by one thread, between two meet().
  void cool_caches(); // other data has passed through all of them
  void wear_copies(u64 bytes); // as many bytes of earlier copies have been where the next collection's will go: with Spec::retain
  void begin_measuring();
  void end_measuring();

  u64 allocated_bytes() const { return allocated_; }

 private:
  friend class Stage;
  void sit(); // back to the own seat, when this thread has conducted a collection on worker 0's
  Stage& stage_;
  Sim::Self self_;
  synthetic::Mutator<Sim> mutator_;
  u32 seat_, node_;
  std::vector<Handle> weak_;
  u64 weak_made_ = 0;
  u64 allocated_ = 0, seen_collections_ = 0;
};

// Threads are given seats as workers are: 0, 1, 2, … go round the nodes, unless a program says otherwise.
class Program {
 public:
  virtual ~Program() = default;
  virtual u32 threads() const = 0;
  virtual u32 seat(u32 thread) const { return thread; }
  virtual void run(Thread& thread) = 0;
};

} // namespace garner::simulation
