// What a gang is told at start, which combinations are refused, and the points at which a fault injector may hold a worker.
//
// The fields are the options of floor `work` (options/table.h), one for one; cycle/ fills them from Settings.
#pragma once
#include "options/table.h"

namespace garner {

// Whom a phase waits for. fixed (the papers'): all wanted workers, from the start. late: the conductor alone; others count from
// the moment they wake up and join, so a phase never waits for a thread that the system has not run yet.
using JoinKind = Join;

// How much of a worker's deque thieves can see. lazy: the older half, more of it published when what they see is less than half of the rest.
// eager: all of it at once, the classical deque (every pop then costs a full fence). none: nothing (one worker, or steal=off).
enum class Share : u8 { lazy, eager, none };

inline constexpr u32 kWorkersMax = 1024; // width of the fields in termination.h
inline constexpr u32 kNodesMost = 64;    // nodes that are told apart

// Phases are numbered 1, 2, … 2^24-1, 2, 3, …: 24 bits, because the number is a field of two atomic words (termination.h,
// task_queue.h). 0 is "none yet". Coming round to 2 and not 1 keeps odd and even alternating, which msqueue's two chains use.
inline constexpr u32 kEpochBits = 24, kEpochMax = (1u << kEpochBits) - 1;
constexpr u32 next_epoch(u32 epoch) { return epoch == kEpochMax ? 2 : epoch + 1; }

// What the next phases may do, set by the conductor between them (Gang::set_rules). Phases of a gang without mail know none of it.
struct PhaseRules {
  bool mail = false;     // entries may be posted to nodes (T3, N23)
  bool local = false;    // deques are stolen from on the own node only (T7, N23)
  bool take_any = false; // roots may be taken from every node's queue (T8 relaxed)
};

struct GangConfig {
  u32 workers = 1;                 // most workers, the conductor included where it works; 1 … kWorkersMax
  TaskQueueKind task_queue = TaskQueueKind::array;
  SyncKind sync = SyncKind::futex;
  TermExit term_exit = TermExit::count_only;
  TermCount term_count = TermCount::by_node; // flat where a phase waits for all wanted workers, or the conductor is none of them
  LockKind lock = LockKind::posix;
  Order order = Order::owner_lifo;
  bool steal = true;
  u32 queue_capacity = 1 << 17;    // entries, a power of two
  Conductor conductor = Conductor::works;
  JoinKind join = JoinKind::late;
  Share share = Share::lazy;       // lazy or eager; order=fifo is always eager, steal=off always none
  Pinning pin = Pinning::none;     // not automatic: cycle/ says what that stands for
  bool pin_asked = true;           // by the user: a refusal is told
  bool seats = true;               // where workers are as many as processors, each gets its own (seats.h); not with pin=rr or on several nodes
  bool notices = true;             // print the one-line notices
  Victim victim = Victim::random;
  bool steal_half = false;         // a theft takes half of what the victim shows, and one thief at a time goes to a victim
  u32 share_from = 2;              // private entries of a deque that are shared at once (lazy)
  bool mail = false;               // nodes have queues of roots and requests (post.h)
  u32 mail_capacity = 1 << 14;     // entries of each, a power of two; more spill
  u32 root_flush = 100, request_batch = 1; // entries for one node that are handed over at once
  u32 last_resort_us = 0;          // idle time after which roots of other nodes may be taken; 0: never
  u32 first_epoch = 0;             // tests start close to the wrap
};

// One sentence why the values cannot stand together, or null.
constexpr const char* refusal(const GangConfig& c) {
  if (c.workers == 0 || c.workers > kWorkersMax) return "work: between 1 and 1024 workers";
  if (!is_power_of_two(c.queue_capacity)) return "work.queue_capacity must be a power of two";
  if (c.sync == SyncKind::futex && c.term_exit == TermExit::literal)
    return "work.term_exit=literal needs work.sync=monitor: without the final barrier a worker that leaves early would still move objects "
           "while the program runs (N10)";
  if (c.sync == SyncKind::monitor && c.join == JoinKind::late)
    return "work.join=late needs work.sync=futex: the monitor's final barrier counts every worker (N11)";
  if (c.mail && c.term_exit == TermExit::literal)
    return "work.term_exit=literal does not go with queues per node: workers that leave because all deques look empty would leave roots and requests behind (T13)";
  if (c.mail && !is_power_of_two(c.mail_capacity)) return "work.root_capacity must be a power of two";
  if (c.share == Share::none) return "work: share is lazy or eager; steal=off is how sharing is switched off";
  return nullptr;
}

// Places where the stories of this room happen. A machine whose Self has `reached(u32)` is called there (tests and the simulated
// machine's faults hold a worker up); for any other machine the call is nothing.
enum class Spot : u32 {
  woken,       // saw a new phase, has not joined it
  joined,      // counted in, has done nothing
  offered,     // counted idle
  left,        // leaves termination; in the fixed mode it will ask the queue once more
  final,       // is the final worker of the phase
  parking,     // about to sleep until the next phase
  dozing,      // about to sleep until there is something to steal
  asking,      // asks the queue of root tasks
  root,        // begins a root task
  tracing,     // begins to work off what a root task or a theft brought
  stealing,    // looks for a victim
  visiting,    // is about to take from one, and others go elsewhere (steal_half)
};
template <class Self> GARNER_INLINE void reached(Self& self, Spot spot) {
  if constexpr (requires { self.reached(u32(spot)); }) self.reached(u32(spot));
}
// Likewise: an entry was taken from a worker of that node.
template <class Self> GARNER_INLINE void stole(Self& self, u32 from_node) {
  if constexpr (requires { self.stole(from_node); }) self.stole(from_node);
}

} // namespace garner
