// Every lock-free piece of floor 4, and the verb that forwards, as small cases for the simulated machine: all() lists them. Those of src/work stand
// here, a node's queue and gangs with mail in mail_pieces.h, those of src/heap in heap_pieces.h. What each proves stands above it.
#pragma once
#include <vector>

#include "beside_pieces.h"
#include "heap_pieces.h"
#include "mail_pieces.h"
#include "piece.h"
#include "work/gang.h"

namespace garner::pieces {

// N8: an entry's cell is handed from the owner to whoever takes the entry; slots are used again after a steal.
// kMost: entries that a thief asks for.
template <Order kOrder, Share kShare, u32 kThieves, u32 kPushes, u32 kMost = 1> struct DequeHandsOver {
  explicit DequeHandsOver(Sim& s) : sim(s) {
    good = deque.start(sim, kMost == 1 ? 2 : 4, kOrder);
    deque.grow_old(~u32(0)); // indices wrap here
    deque.share(kShare);
    launch<DequeHandsOver, &DequeHandsOver::owner, 0>(sim, this);
    launch<DequeHandsOver, &DequeHandsOver::thief, 1>(sim, this);
    if (kThieves > 1) launch<DequeHandsOver, &DequeHandsOver::thief, 2>(sim, this);
  }
  ~DequeHandsOver() { deque.stop(); }
  void owner(Sim::Self&) {
    u64 entry;
    for (u32 i = 0; i < kPushes; i++) {
      own(cells[i]);
      deque.push(i);
      if (i == 2 && deque.pop(entry)) own(cells[entry]);
    }
    while (deque.pop(entry)) own(cells[entry]);
  }
  void thief(Sim::Self&) {
    u64 some[kMost];
    u32 got;
    for (u32 i = 0; i < 3; i++) {
      deque.steal(some, kMost, got);
      for (u32 k = 0; k < got; k++) own(cells[some[k]]);
    }
  }
  bool ok() {
    for (u32 i = 0; i < kPushes; i++) good = good && cells[i].value == 2;
    return good && deque.empty();
  }
  Sim& sim;
  Deque<Sim> deque;
  Cell cells[kPushes];
  bool good = true;
};

// N9: the owner publishes eight entries at once and, when its private ones are gone, takes half of them back; a thief who looks for the first time in that
// moment finds what is left through the lowered split alone.
struct DequeTakesBack {
  static constexpr u32 kPushes = 18;
  explicit DequeTakesBack(Sim& s) : sim(s) {
    good = deque.start(sim, 32, Order::owner_lifo);
    deque.share(Share::lazy);
    launch<DequeTakesBack, &DequeTakesBack::owner, 0>(sim, this);
    launch<DequeTakesBack, &DequeTakesBack::thief, 1>(sim, this);
  }
  ~DequeTakesBack() { deque.stop(); }
  void push(u32 i) {
    own(cells[i]);
    deque.push(i);
  }
  void pop_all() {
    for (u64 entry; deque.pop(entry);) own(cells[entry]);
  }
  void owner(Sim::Self&) {
    for (u32 i = 0; i < 2; i++) push(i); // publishes one, so that the next time comes after sixteen
    pop_all();
    for (u32 i = 2; i < kPushes; i++) push(i);
    pop_all();
  }
  void thief(Sim::Self&) {
    u64 some[4];
    u32 got;
    deque.steal(some, 4, got);
    for (u32 k = 0; k < got; k++) own(cells[some[k]]);
  }
  bool ok() {
    for (Cell& cell : cells) good = good && cell.value == 2;
    return good && deque.empty();
  }
  Sim& sim;
  Deque<Sim> deque;
  Cell cells[kPushes];
  bool good = true;
};

// N6, N16: a task's cell belongs to whoever takes the task; what the conductor wrote before it opened the queue is seen by him; a worker
// that comes late, for a phase that is past, gets nothing.
template <TaskQueueKind kKind> struct QueueHandsOut {
  static constexpr u32 kTasks = 2;
  explicit QueueHandsOut(Sim& s) : sim(s) {
    lock.start(sim, LockKind::posix);
    good = queue.start(sim, kKind, lock);
    launch<QueueHandsOut, &QueueHandsOut::conduct, 0>(sim, this);
    launch<QueueHandsOut, &QueueHandsOut::work, 1>(sim, this);
    launch<QueueHandsOut, &QueueHandsOut::work, 2>(sim, this);
  }
  ~QueueHandsOut() { queue.stop(); }
  void conduct(Sim::Self& self) {
    for (u32 epoch = 1; epoch <= 3; epoch++) {
      for (Cell& cell : cells) own(cell);
      queue.open(self, epoch, kTasks);
      u64 waited = 0;
      for (u32 task; (task = queue.take(self, epoch, waited)) != kNoTask;) taken(epoch, task);
      while (done.load_acquire() != epoch * kTasks) self.yield();
    }
  }
  void work(Sim::Self& self) {
    u64 waited = 0;
    for (u32 epoch = 1; epoch <= 2; epoch++) // asks for phases that may not be open yet, and for one that may be past
      if (u32 task = queue.take(self, epoch, waited); task != kNoTask) taken(epoch, task);
    if (u32 task = queue.take(self, 1, waited); task != kNoTask) taken(1, task);
  }
  void taken(u32 epoch, u32 task) {
    if (task >= kTasks) return void(good = false);
    own(cells[task]);
    good = good && epoch_of_task(task) == epoch;
    done.fetch_add_acq_rel(1); // hands the cell back to the conductor
  }
  u64 epoch_of_task(u32 task) const { return cells[task].value / 2; }
  bool ok() { return good && cells[0].value == 6 && cells[1].value == 6 && done.load_relaxed() == 3 * kTasks; }
  Sim& sim;
  Monitor<Sim> lock;
  TaskQueue<Sim> queue;
  Sim::Atomic<u32> done;
  Cell cells[kTasks];
  bool good = true;
};

// N10, N17: whoever sees the phase over may read what everybody wrote before its last offer; a withdrawal refused is an end; a newcomer
// is waited for.
struct TerminationGathers {
  explicit TerminationGathers(Sim& s) : sim(s) {
    launch<TerminationGathers, &TerminationGathers::conduct, 0>(sim, this);
    launch<TerminationGathers, &TerminationGathers::wavers, 1>(sim, this);
    launch<TerminationGathers, &TerminationGathers::newcomer, 2>(sim, this);
  }
  using Term = Termination<Sim>;
  void conduct(Sim::Self& self) {
    own(job);
    term.open(1, 2);
    own(cells[0]);
    if (!Term::over(term.offer()))
      while (Term::open_for(term.look(), 1)) self.yield();
    for (Cell& cell : cells) seen += look(cell);
    own(job); // the next phase's
  }
  void wavers(Sim::Self& self) {
    while (Term::epoch_of(term.look()) != 1) self.yield();
    look(job);
    own(cells[1]);
    if (Term::over(term.offer()) || !term.withdraw(1)) return;
    own(cells[1]);
    term.offer();
  }
  void newcomer(Sim::Self&) {
    u32 ordinal = 0;
    for (u32 i = 0; i < 3 && !joined; i++) joined = term.join(1, 3, ordinal);
    if (!joined) return;
    look(job);
    own(cells[2]);
    term.doze(1);
    term.offer();
  }
  bool ok() { return Term::over(term.look()) && seen == cells[0].value + cells[1].value + cells[2].value && joined == (cells[2].value != 0); }
  Sim& sim;
  Term term;
  Cell cells[3], job;
  u64 seen = 0;
  bool joined = false;
};

// N10 by node: the same as above with a word for each node. The second and third worker are of one node, so that they count it in and out for each other.
struct CrewsGather {
  explicit CrewsGather(Sim& s) : sim(s) {
    launch<CrewsGather, &CrewsGather::conduct, 0>(sim, this);
    launch<CrewsGather, &CrewsGather::wavers, 1>(sim, this);
    launch<CrewsGather, &CrewsGather::newcomer, 2>(sim, this);
  }
  using Term = Termination<Sim>;
  void conduct(Sim::Self& self) {
    own(job);
    crews.open(1, 2, 0);
    term.open(1, 2, 1);
    opened.store_release(1);
    own(cells[0]);
    if (!Term::over(crews.leave(term, 0)))
      while (Term::open_for(term.look(), 1)) self.yield();
    for (Cell& cell : cells) seen += look(cell);
    own(job); // the next phase's
  }
  void come_and_go(Sim::Self& self, u32 cell, u32 times) {
    while (opened.load_acquire() == 0) self.yield();
    for (u32 i = 0; i < times; i++) {
      if (!crews.arrive(sim, term, 1, 1)) return;
      look(job);
      own(cells[cell]);
      crews.leave(term, 1);
    }
  }
  void wavers(Sim::Self& self) { come_and_go(self, 1, 2); }
  void newcomer(Sim::Self& self) { come_and_go(self, 2, 1); }
  bool ok() {
    Sim::Self self(sim, 0);
    return Term::over(term.look()) && seen == cells[0].value + cells[1].value + cells[2].value && !crews.arrive(sim, term, 1, 0) && !crews.arrive(sim, term, 1, 1);
  }
  Sim& sim;
  Term term;
  Crews<Sim> crews;
  Sim::Atomic<u32> opened;
  Cell cells[3], job;
  u64 seen = 0;
};

// The bell, stories A and B: a sleeper takes what was published while it fell asleep; the end reaches it, which with eager sharing it may have to wait for.
template <Share kShare> struct BellWakes {
  explicit BellWakes(Sim& s) : sim(s) {
    bell.start(sim);
    good = deque.start(sim, 4, Order::owner_lifo);
    deque.share(kShare);
    launch<BellWakes, &BellWakes::owner, 0>(sim, this);
    launch<BellWakes, &BellWakes::sleeper, 1>(sim, this);
  }
  ~BellWakes() { deque.stop(); }
  void owner(Sim::Self& self) {
    deque.bind(&bell, &self);
    own(cells[1]);
    deque.push(1);
    own(cells[2]);
    deque.push(2); // publishes the first
    u64 entry;
    deque.bind(nullptr, nullptr);
    if (deque.pop(entry)) own(cells[entry]);
    own(last);
    bell.ring(self, ~0u);
  }
  void sleeper(Sim::Self& self) {
    u64 entry;
    while (deque.steal(entry) != Stolen::got) {
      u32 heard = bell.listen();
      if (!deque.looks_stealable_seq_cst()) bell.sleep(self, heard);
      bell.leave();
    }
    own(cells[entry]);
    got = true;
  }
  bool ok() { return good && got && cells[1].value == 2 && cells[2].value == 2; }
  Sim& sim;
  Bell<Sim> bell;
  Deque<Sim> deque;
  Cell cells[3], last;
  bool good = true, got = false;
};

// N5, N11, N17: what the conductor wrote before a phase is the worker's, and what the worker wrote is the conductor's afterwards.
template <SyncKind kSync, LockKind kLock = LockKind::posix> struct ParkingLetsGo {
  explicit ParkingLetsGo(Sim& s) : sim(s) {
    parking.start(sim, kSync, kLock, 0);
    launch<ParkingLetsGo, &ParkingLetsGo::conduct, 0>(sim, this);
    launch<ParkingLetsGo, &ParkingLetsGo::work, 1>(sim, this);
  }
  static constexpr u32 kPhases = 2;
  void conduct(Sim::Self& self) {
    for (u32 epoch = 1; epoch <= kPhases; epoch++) {
      own(job);
      parking.release(self, epoch, 1);
      parking.await_done(self, epoch);
      own(result);
    }
  }
  void work(Sim::Self& self) {
    for (u32 seen = 0; seen != kPhases;) {
      seen = parking.await(self, seen, false);
      look(job);
      own(result);
      parking.finish(self, seen);
    }
  }
  bool ok() { return job.value == kPhases && result.value == 2 * kPhases; }
  Sim& sim;
  Parking<Sim> parking;
  Cell job, result;
};

// N15: the monitor's lock, both kinds.
template <LockKind kKind> struct MonitorGuards {
  explicit MonitorGuards(Sim& s) : sim(s) {
    monitor.start(sim, kKind);
    launch<MonitorGuards, &MonitorGuards::work, 0>(sim, this);
    launch<MonitorGuards, &MonitorGuards::work, 1>(sim, this);
    launch<MonitorGuards, &MonitorGuards::work, 2>(sim, this);
  }
  void work(Sim::Self& self) {
    monitor.lock(self);
    own(cell);
    monitor.unlock(self);
  }
  bool ok() { return cell.value == 3; }
  Sim& sim;
  Monitor<Sim> monitor;
  Cell cell;
};

// N9: a name in the roster is written when its worker can be met.
struct RosterNames {
  explicit RosterNames(Sim& s) : sim(s) {
    roster.start(entries);
    launch<RosterNames, &RosterNames::newcomer, 0>(sim, this);
    launch<RosterNames, &RosterNames::thief, 1>(sim, this);
    launch<RosterNames, &RosterNames::thief, 2>(sim, this);
  }
  void newcomer(Sim::Self&) {
    own(cells[3]);
    roster.enter(7, 1, 3);
  }
  void thief(Sim::Self&) {
    u32 worker = roster.at(7, 1);
    if (worker != kWorkersMax) good = good && worker == 3 && look(cells[3]) == 1;
  }
  bool ok() { return good; }
  Sim& sim;
  Roster<Sim>::Entry entries[4];
  Roster<Sim> roster;
  Cell cells[4];
  bool good = true;
};

// N7: two workers copy one object; the loser of the header and a third who only looks read the winner's copy.
struct ForwardingPublishes {
  explicit ForwardingPublishes(Sim& s) : sim(s) {
    launch<ForwardingPublishes, &ForwardingPublishes::copies, 0>(sim, this);
    launch<ForwardingPublishes, &ForwardingPublishes::copies, 1>(sim, this);
    launch<ForwardingPublishes, &ForwardingPublishes::looks, 2>(sim, this);
  }
  void copies(Sim::Self& self) {
    const Header at{word(&header)};
    word seen = self.header(at);
    if (seen == 0) {
      word mine = word(copies_of[self.index]);
      self.copy(mine, word(from), sizeof from);
      seen = self.forward(at, 0, mine);
      if (seen == 0) return self.store(Slot{mine}, Ref{9}), void(winners++); // the winner works on with its copy
    }
    good = good && self.load(Slot{seen + kWordBytes}).at == 2;
  }
  void looks(Sim::Self& self) {
    if (word seen = self.header(Header{word(&header)}); seen != 0) good = good && self.load(Slot{seen + 2 * kWordBytes}).at == 3;
  }
  bool ok() { return good && winners == 1; }
  Sim& sim;
  word header = 0, from[3] = {1, 2, 3}, copies_of[2][3] = {};
  u32 winners = 0;
  bool good = true;
};

// A whole gang's life: every entry's and every task's cell, results read by the conductor after each phase.
template <u32 kWorkers> struct GangLife {
  struct Body {
    GangLife& life;
    void enter(Sim::Self& self) { look(life.job); own(life.private_of[self.index]); }
    void leave(Sim::Self& self) { own(life.private_of[self.index]); }
    void root(Sim::Self& self, u32 task) {
      own(life.cells[task]);
      for (u32 i = 0; i < 3; i++) {
        u64 entry = life.config_roots + task * 3 + i;
        own(life.cells[entry]);
        life.gang.queue(self.index).push(entry);
      }
    }
    void take(Sim::Self&, u64 entry) { own(life.cells[entry]); }
    void drain(Sim::Self& self) {
      u64 entry;
      while (life.gang.queue(self.index).pop(entry)) take(self, entry);
    }
  };
  GangLife(Sim& s, const GangConfig& c, u32 ph, u32 roots) : sim(s), config(c), phases(ph), config_roots(roots), cells(4 * roots) {
    config.workers = kWorkers;
    config.queue_capacity = 8;
    config.notices = false;
    launch<GangLife, &GangLife::conduct, 0>(sim, this);
  }
  void conduct(Sim::Self& self) {
    if (!gang.start(sim, config)) return;
    gang.ensure(kWorkers);
    for (u32 phase = 0; phase < phases; phase++) {
      own(job);
      Body body{*this};
      gang.run(self, Phase::mark, kWorkers, config_roots, body);
      for (u32 i = 0; i < cells.size(); i++) {
        good = good && look(cells[i]) == (i < config_roots ? 1 : 2) * (phase + 1);
        own(cells[i]), cells[i].value--; // it is the conductor's now
      }
      for (u32 i = 0; i < kWorkers; i++) look(private_of[i]);
    }
    gang.stop(self);
    stopped = true;
  }
  bool ok() { return good && stopped; }
  Sim& sim;
  GangConfig config;
  u32 phases, config_roots;
  Gang<Sim> gang;
  std::vector<Cell> cells;
  Cell job, private_of[kWorkers];
  bool good = true, stopped = false;
};

// Gangs need a configuration; one type each keeps the list plain.
template <u32 kWorkers, JoinKind kJoin, SyncKind kSync, TaskQueueKind kQueue> struct GangCase : GangLife<kWorkers> {
  explicit GangCase(Sim& on) : GangLife<kWorkers>(on, config_of(), 2, 1) {}
  static GangConfig config_of() {
    GangConfig c;
    c.task_queue = kQueue;
    c.sync = kSync;
    c.join = kJoin;
    c.share = kJoin == JoinKind::late ? Share::lazy : Share::eager;
    return c;
  }
};

inline std::vector<Piece> all() {
  return {
      piece<DequeHandsOver<Order::owner_lifo, Share::lazy, 1, 3>>("deque lazy, one thief", 5),
      piece<DequeHandsOver<Order::owner_lifo, Share::eager, 1, 3>>("deque eager, one thief", 5),
      piece<DequeHandsOver<Order::owner_lifo, Share::eager, 2, 5>>("deque eager, two thieves, overflow", 3),
      piece<DequeHandsOver<Order::owner_lifo, Share::lazy, 2, 5>>("deque lazy, two thieves, overflow", 3),
      piece<DequeHandsOver<Order::owner_lifo, Share::lazy, 1, 6, 4>>("deque lazy, several at once", 3),
      piece<DequeHandsOver<Order::owner_lifo, Share::lazy, 2, 6, 4>>("deque lazy, two thieves, several at once", 2),
      piece<DequeTakesBack>("deque lazy, half taken back", 2),
      piece<DequeHandsOver<Order::fifo, Share::eager, 2, 5>>("deque fifo, two thieves, overflow", 3),
      piece<QueueHandsOut<TaskQueueKind::array>>("task queue, array", 4),
      piece<QueueHandsOut<TaskQueueKind::msqueue>>("task queue, list", 2),
      piece<QueueHandsOut<TaskQueueKind::monitor>>("task queue, monitor", 3),
      piece<TerminationGathers>("termination", 4),
      piece<CrewsGather>("termination by node", 2),
      piece<BellWakes<Share::lazy>>("bell", 5),
      piece<BellWakes<Share::eager>>("bell, eager", 5),
      piece<ParkingLetsGo<SyncKind::futex>>("parking, futex", 6),
      piece<ParkingLetsGo<SyncKind::monitor>>("parking, monitor", 4),
      piece<MonitorGuards<LockKind::posix>>("monitor, posix", 6),
      piece<MonitorGuards<LockKind::spin_cas_then_posix>>("monitor, spinning", 4),
      piece<RosterNames>("roster", ~0u),
      piece<NodeQueueHandsOver<2, 1, 8, 2>>("node queue, two consumers", 3),
      piece<NodeQueueHandsOver<2, 2, 2, 1>>("node queue, two producers, spill", 3),
      piece<ForwardingPublishes>("forwarding", ~0u),
      piece<GangCase<2, JoinKind::late, SyncKind::futex, TaskQueueKind::array>>("gang, late join", 2),
      piece<GangCase<3, JoinKind::late, SyncKind::futex, TaskQueueKind::array>>("gang of three, late join", 1),
      piece<GangCase<2, JoinKind::fixed, SyncKind::futex, TaskQueueKind::msqueue>>("gang, fixed, list", 1),
      piece<GangCase<2, JoinKind::fixed, SyncKind::monitor, TaskQueueKind::monitor>>("gang, monitors", 1),
      piece<BellWakesForMail>("bell, mail", 5),
      piece<MailGang<2, JoinKind::late, SyncKind::futex, 1>>("gang with mail, late join", 1, 2),
      piece<MailGang<2, JoinKind::fixed, SyncKind::futex, 1>>("gang with mail, fixed", 1, 2),
      piece<SpaceHandsOut>("space", 2),
      piece<StartsGrow>("object starts", ~0u),
      piece<MarkHasOneWinner>("marks", ~0u),
      piece<BudgetHolds>("budget", 4),
      piece<TurnsAreTaken>("turns", 2),
      piece<WrittenPageIsReadAgain>("written pages", 3),
      piece<RunIsSeenWhole>("runs of marks", 4),
      piece<BornOldIsPublished>("born old", 4),
  };
}

} // namespace garner::pieces
