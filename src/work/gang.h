// Gang: up to `workers` workers and the one way to run a parallel phase with them. The room's door; read this first.
//
// A PHASE, join=late (the default)                          A PHASE, join=fixed (the papers')
//   conductor: 1. opens queue, roster, termination word       1. the same, joined = all wanted; tasks = roots, N steal, one final
//              2. stamp := epoch, wakes wanted - 1            2. stamp := epoch, wakes all (or notifies the GC monitor)
//   workers:   3. joins while the phase is not over           3. -
//              4. takes root tasks, draining after each       4. takes root tasks, draining after each
//              5. steals; nothing found: leave(), offer       5. takes a steal task: steals; nothing found: leave(), offer
//              6. idle: withdraws when it sees work           6. the same; sees the phase over: asks the queue again
//   end:       7. the offer that makes idle == joined is the  7. whoever gets the final task is the final worker
//                 end; nobody waits for anybody to park       8. sync=monitor: the final worker waits for all others at a barrier
//   The conductor is worker 0 and works (conductor=works), or sleeps until the final worker wakes it (waits).
//   A phase for one worker with a working conductor is a plain loop: no atomic word is touched, nobody woken, no lock, no system call.
//
// WHAT THE CALLER OF run() MAY RELY ON. When run() returns, everything any worker wrote before its last offer is visible to the caller
// and nobody writes any more. Working conductor: it saw the termination word over with acquire, and every worker's last change of
// that word (acq_rel) followed its writes (termination.h). Otherwise: the final worker saw that, and hands it on through
// done (release/acquire) or the VM monitor's lock. In literal mode the barrier's counter, under the GC lock, takes the word's place.
// The other way: what the caller wrote before run() reaches workers through stamp (release/acquire) or the GC lock, and a second time
// through the termination word, which every member reads with acquire before it looks at anything else.
//
// AFTER ITS LAST OFFER a worker may be arbitrarily late. It then touches only the termination word, its node's count of active workers, the head of the task
// queue, deques' ends and visits (to look), the stamp and the bell: never the body, the job, the heap or its statistics. Hence leave() must flush.
//
// MANY WORKERS (join=late, the conductor works). Whatever all of them change at once must not be compared and swapped: n that fail and try again
// are n*n/2 transfers of one line. Tasks are taken by addition (task_queue.h); idle workers are counted by node and nodes in the common word (crews.h);
// sleepers are counted by addition and lie on their node's bell, and the end wakes one of each, who wakes the next. With victim=nearest
// one worker of six of a node at a time goes to other nodes (a scout), with steal_half one thief at a time goes to a victim, and an owner shares when it has some
// to share (deque.h). The exception is a node's word in crews.h, where who loses stands back.
//
// WHERE THEY RUN. On several nodes workers may be pinned to theirs (config.pin). On one, where they are as many as the processors, the conductor binds each to a processor
// of its own before it wakes them, and none to the one that it runs on itself (config.seats; seats.h): else they may be woken onto its run queue and come too late.
//
// IDLE WORKERS spin (1, 2, 4, … 64 pauses between looks, some 5 µs in all), then yield (1, 2, 4, … 32 times between looks); with
// join=late they go to sleep after that, until somebody publishes entries or the phase ends (bell.h), so that on an oversubscribed
// machine, or under a processor quota, idle workers cost nothing.
//
// QUEUES PER NODE (config.mail; node_queue.h, post.h). A phase under rules.mail shares work out by node: bodies post roots and requests, and
// a worker without tasks takes, in this order: a root of its node (T7), requests to its node (N23), a reference from a deque it may
// steal from, and where the rules or a long wait allow it a whole root of another node, never an interior reference. A node on which
// nobody works in this phase is served by the nearest that has workers (T14); with join=late, where that is not known
// beforehand, by anybody until one of its own has joined. A phase of one worker (solo) is not shared out.
//
// A worker has one queue, one WorkerStats and one list of victims, all indexed by its Self's `index`.
#pragma once
#include <concepts>

#include "event/event.h"
#include "seam/machine.h"
#include "work/config.h"
#include "work/crews.h"
#include "work/deque.h"
#include "work/neighbours.h"
#include "work/parking.h"
#include "work/post.h"
#include "work/seats.h"
#include "work/task_queue.h"
#include "work/termination.h"
#include "work/timeline.h"
#include "work/victims.h"

namespace garner {

// What a phase does. root: one root task; entries go to gang.queue(self.index). drain: pops and processes until that queue is empty.
// take: processes one stolen entry (drain follows). Optional: enter, once, on joining; leave, before every offer of termination:
// whatever is private and must be seen by others is written back here; the worker may get work again afterwards.
template <class Body, class Self> concept GangBody = requires(Body& body, Self& self, u32 task, u64 entry) {
  body.root(self, task);
  body.drain(self);
  body.take(self, entry);
};

// One phase, for events and pacing.
struct PhaseRecord {
  Phase phase;
  u32 wanted;  // as asked
  u32 joined;  // workers that took part
  u32 woken;   // sleepers the conductor asked to wake
  u64 start_ns, end_ns;
};

template <class M> class Gang {
 public:
  using Self = typename M::Self;
  using Spawn = bool (*)(void (*entry)(void*), void* arg, void* spawn_arg); // a new thread; false when refused

  // False, with one line on stderr, when the configuration is illegal or there is no memory. No thread is made yet.
  // spawn == nullptr: machine.start. Machine and gang outlive the threads.
  bool start(M& machine, const GangConfig& config, Spawn spawn = nullptr, void* spawn_arg = nullptr);

  // Makes missing threads so that phases of n workers can run; called before the world stops. Returns how many workers there are,
  // the working conductor included, at least 1. Fewer than asked: one notice, and phases run with those.
  u32 ensure(u32 n);

  // One phase: tasks 0 … root_tasks-1, and whatever they push, by at most `wanted` workers. One call at a time; self.index is 0.
  // A working conductor may have pushed entries to queue(0) before; they are worked off too.
  template <class Body> requires GangBody<Body, Self>
  void run(Self& self, Phase phase, u32 wanted, u32 root_tasks, Body& body);

  // Ends the threads and gives the memory back, between phases. start() may follow.
  void stop(Self& self);

  Deque<M>& queue(u32 worker) { return workers_[worker].deque; }
  // Written by the worker itself from joining to its last offer; readable by the caller of run() afterwards.
  WorkerStats& stats(u32 worker) { return workers_[worker].stats; }
  bool took_part(u32 worker) const { return run_ != 0 && reads<M>(workers_[worker].run) == run_; } // in the last phase
  const PhaseRecord& last() const { return record_; }
  u32 workers() const { return max_of(first_thread() + threads_, 1u); }    // that exist
  u32 node(u32 worker) const { return workers_[worker].node; }
  // Between phases: whom `worker` may steal from, see victims.h. Null: everybody. A list lives until stop().
  void set_victims(u32 worker, const u32* list, u32 count) { workers_[worker].victims_next.set(list, count); }
  // Between phases: from here on every worker's timeline begins anew, or none is kept. False: no memory for them, and none is kept.
  bool keep_timelines(bool on);
  // Between phases; null when none is kept.
  const Timeline* timeline(u32 worker) const { return workers_[worker].timeline; }
  // Between phases: what the phases that follow may do.
  void set_rules(const PhaseRules& rules) { rules_ = rules; }

  // -- inside a phase, by its workers --
  bool parted() const { return job_.rules.mail; }                // this phase shares work out by node
  u32 nodes() const { return nodes_; }
  u32 server(u32 of) const { return job_.server[of]; }           // the node whose workers work for node `of`; parted phases
  // Whether the caller works for node `of`: it is its server, or nobody works there yet.
  bool serves(Self& self, u32 of) const { return server(of) == workers_[self.index].node || unserved(server(of), epoch_); }
  // An entry for the workers of server(of): the body's take() gets it. Kept back until a batch is full or the worker runs out of work;
  // roots are sent at the end of every task.
  void post(Self& self, Mail kind, u32 of, u64 entry) {
    Worker& me = workers_[self.index];
    u32 to = server(of);
    if (post_.add(term_, me.index, kind, to, entry, me.stats)) call_node(self, to);
  }
  NodeQueue<M>& mail(Mail kind, u32 of) { return post_.queue(kind, of); } // for tests and figures

  // How often the two monitors' locks were taken since start, and the time waited for them (N15).
  LockCounts gc_lock(Self& self) { return parking_.gc_monitor().counts(self); }
  LockCounts vm_lock(Self& self) { return parking_.vm_monitor().counts(self); }

 private:
  struct alignas(kLineBytes) Worker {
    Deque<M> deque;
    // steal_half: odd while somebody takes from the deque, and others go elsewhere; relaxed, guards nothing. Of fifty thieves who all try for the few entries that
    // the only worker with work shows, each makes it wait for its own deque's line when it wants to show more.
    alignas(kLineBytes) typename M::template Atomic<u32> visits;
    alignas(kLineBytes) WorkerStats stats;
    Victims<M> victims;      // the worker's own copy: it may still look at the list when the conductor sets the next one
    Victims<M> victims_next; // what set_victims() left for the next phase
    Gang* gang = nullptr;
    Timeline* timeline = nullptr; // null unless somebody wants to know; a spot then costs one look at this
    Activity tasks_are = Activity::roots; // what a root task of the phase is
    u64 overflows_before = 0; // the deque's count when this phase began
    u64 run = 0;      // number of the run() it took part in last
    u32 index = 0, node = 0;
    u32 ordinal = 0;  // its place in the roster; late: of the last phase it joined; fixed: its index
    u32 seen = 0;     // epoch at its creation
    PhaseRules rules; // the phase's, its own copy for the same reason as victims
    Worker* watched = nullptr; // somebody else's visit there has been seen to last since …
    u32 watched_visit = 0;
    u64 watched_ns = 0;
    bool desperate = false; // has been idle for so long that it may take another node's root
  };
  // Written by the conductor before it releases the workers, read by members before their last offer.
  struct Job {
    bool (*work)(Gang& gang, Worker& me, Self& self, u32 epoch);
    void* body;
    u32 root_tasks, groups; // a group is every groups-th root task from its own number on, taken at once
    u32 steal_tasks;                     // fixed: one per worker, then the final task; late: 0
    PhaseRules rules;
    u8 server[kNodesMost];               // rules.mail: who works for a node
  };
  enum class Idle : u8 { work, over, leave };

  static constexpr u32 kSpinTurns = 7, kYieldTurns = 6, kLiteralTurns = 6;
  static constexpr u32 kLostPauses = 16;
  static constexpr u64 kVisitNs = 20'000; // a theft takes a microsecond or two
  static constexpr u32 kWorkersPerScout = 6; // with one scout for 24 workers these starved in the last half of a phase
  static constexpr u32 kHalfMost = 128, kRequestsMost = 32; // entries of one theft, requests taken at once
  static constexpr usize kKeptOverflowBytes = MiB; // overflow memory a worker keeps between phases

  u32 first_thread() const { return config_.conductor == Conductor::works ? 1 : 0; }
  bool works() const { return config_.conductor == Conductor::works; }
  bool late() const { return config_.join == JoinKind::late; }
  bool by_node() const { return config_.term_count == TermCount::by_node && late() && works(); }
  bool conducts(const Worker& me) const { return works() && me.index == 0; }
  bool make_tables();
  void free_tables();

  // gang.ipp, the threads
  static void thread_entry(void* arg);
  void live(Worker& me, Self& self);
  bool admit(Self& self, Worker& me, u32 epoch);
  void pin(Self& self, u32 worker);
  void notice(const char* sentence);

  // gang.ipp, the phase
  template <class Body> void solo(Self& self, u32 root_tasks, Body& body);
  void open(Self& self, u32 epoch, u32 members);
  void close(Self& self);
  void begin(Worker& me, Self& self, Share share);
  GARNER_INLINE void doing(Self& self, Worker& me, Activity what) {
    if (GARNER_UNLIKELY(me.timeline != nullptr)) line_of(me).enter(what, self.now());
  }
  static Timeline& line_of(Worker& me) { // its first word stands for all of it
    saw<M>(Access::write, me.timeline, kWordBytes);
    return *me.timeline;
  }
  template <class Body> static bool work(Gang& gang, Worker& me, Self& self, u32 epoch);
  template <class Body> void run_task(Self& self, Worker& me, Body& body, u32 task);
  template <class Body> void run_group(Self& self, Worker& me, Body& body, u32 group);
  void finish_fixed(Self& self, Worker& me, u32 epoch, u32 members);
  bool join(Self& self, Worker& me, u32 epoch);
  bool withdraw(Worker& me, u32 epoch) { return by_node() ? crews_.arrive(*machine_, term_, epoch, me.node) : term_.withdraw(epoch); }
  u32 joined() const {
    if (!by_node()) return Termination<M>::joined_of(term_.look());
    const u32 limit = limit_.load_relaxed(); // first: of two arguments of one call the compiler would choose, and simulated clocks with it
    return min_of(entered_.load_relaxed(), limit);
  }

  // steal.ipp, work for those who have none
  template <class Body> bool steal_until_over(Self& self, Worker& me, u32 epoch, Body& body);
  template <class Body> void settle(Self& self, Worker& me, Body& body);
  bool offer(Self& self, Worker& me);
  bool find(Self& self, Worker& me, u32 epoch, Worker* hint, u64& entry);
  bool find_near(Self& self, Worker& me, u64& entry);
  Worker* find_in(Self& self, Worker& me, Neighbours::Ring ring, u64& entry);
  bool attempt(Self& self, Worker& me, Worker& victim, u64& entry);
  // steal.ipp, queues per node
  bool take_mail(Self& self, Worker& me, u32 epoch, u64& entry);
  bool take_from_node(Self& self, Worker& me, Mail kind, u32 of, u64& entry);
  bool sees_mail(Worker& me, u32 epoch, bool asleep_next);
  bool sees_foreign_root(Worker& me);
  bool flush(Self& self, Worker& me, Mail kind);
  void call_node(Self& self, u32 node);
  bool unserved(u32 node, u32 epoch) const { return late() && joined_on_[node].load_relaxed() != epoch; } // relaxed: a hint; being wrong costs locality
  void map_servers(u32 members);
  static bool tied(const PhaseRules& rules) { return rules.mail || rules.local; }
  Bell<M>& bell_of(const Worker& me) { return bells_[tied(me.rules) || by_node() ? me.node : 0]; }
  u32 candidates(const Worker& me) const { // whom it may steal from, of those who have joined
    u32 there = joined();
    return there == 0 ? 0 : me.victims.count(there);
  }
  bool in_rings(const Worker& me) const { return me.rules.local || config_.victim == Victim::nearest; }
  u32 scouts_of(const Worker& me) const { return max_of(neighbours_.ring(me.node, 0).count / kWorkersPerScout, 1u); } // who may look elsewhere at a time
  u32 rings_of(const Worker& me) const { return me.rules.local ? 1 : neighbours_.rings(me.node); }
  bool visited(Self& self, Worker& me, Worker& victim);
  bool shows(Self& self, Worker& me, Worker& victim, bool asleep_next);
  Worker* sees_work(Self& self, Worker& me, u32 epoch, bool asleep_next);
  Worker* sees_near(Self& self, Worker& me, bool asleep_next);
  Idle idle(Self& self, Worker& me, u32 epoch, u64 offered_ns, Worker*& hint);
  void back_off(Self& self, Worker& me, u32 epoch, u32 turn, bool awake);
  void doze(Self& self, Worker& me, u32 epoch);

  M* machine_ = nullptr;
  GangConfig config_;
  Spawn spawn_ = nullptr;
  void* spawn_arg_ = nullptr;
  Worker* workers_ = nullptr;          // config_.workers of them, constructed at start
  typename Roster<M>::Entry* roster_entries_ = nullptr;
  Timeline* timelines_ = nullptr;      // one per worker, made when first wanted
  u32 threads_ = 0;                    // made so far: workers first_thread() … first_thread() + threads_ - 1
  u32 epoch_ = 0;                      // of the last parallel phase
  u64 run_ = 0;                        // calls of run()
  Job job_ = {};
  PhaseRecord record_ = {};

  Roster<M> roster_;
  TaskQueue<M> tasks_;
  Termination<M> term_;
  Crews<M> crews_;
  [[no_unique_address]] Seats<M> seats_;
  Parking<M> parking_;
  Bell<M> bells_[kNodesMost]; // under local rules, with mail and with term_count=by_node each node's workers sleep on their own; else all on the first
  Post<M> post_;
  Neighbours neighbours_;
  PhaseRules rules_;          // of the phases to come
  u32 nodes_ = 1;
  // victim=nearest. out: workers of the node that look for work on other nodes; who finds enough of them waits for what they bring. rich: the node, plus one, that
  // the last of them brought something from, or 0. Both relaxed: they guard nothing.
  struct alignas(kLineBytes) Scout { typename M::template Atomic<u32> out, rich; };
  Scout scouts_[kNodesMost];
  // late: the last phase that somebody of the node joined.
  typename M::template Atomic<u32> joined_on_[kNodesMost];
  // late: most workers of the phase. Relaxed: written before the stamp's release; a worker that reads the limit of a later phase
  // holds an epoch that is past, and its join fails on that.
  alignas(kLineBytes) typename M::template Atomic<u32> limit_;
  // by_node: workers that have been counted in, the conductor too; those above the limit leave at once. Set before the termination word is opened, raised by
  // members only, who are of this phase. Relaxed: numbers for the roster, whose entries bring their own order; a reader that sees fewer looks at fewer.
  alignas(kLineBytes) typename M::template Atomic<u32> entered_;
  typename M::template Atomic<u32> stopping_; // release before the last stamp, acquire after it
  typename M::template Atomic<u32> gone_;     // threads that will not touch the gang again; release/acquire with stop()
  typename M::template Atomic<u32> noticed_;  // the notice has been printed; pairs with nothing
};

} // namespace garner

#include "work/gang.ipp"
