// Queues per node as pieces (T4, T13, N23): a queue alone, and gangs on two nodes whose tasks post to the other node.
#pragma once
#include "piece.h"
#include "work/gang.h"

namespace garner::pieces {

// T4: an entry's cell is handed from who puts it in to who takes it, through the ring or spilled, and a slot's next entry comes after its last one was read.
// Each producer puts in batches of one and of kEach - 1; capacity 2 makes most of it spill. Pending falls back to zero with the last entry.
template <u32 kEach, u32 kProducers, u32 kCapacity, u32 kConsumers> struct NodeQueueHandsOver {
  static constexpr u32 kEntries = kEach * kProducers;
  explicit NodeQueueHandsOver(Sim& s) : sim(s) {
    term.open(1, kProducers + kConsumers);
    good = queue.start(sim, kCapacity);
    launch<NodeQueueHandsOver, &NodeQueueHandsOver::producer, 0>(sim, this);
    if (kProducers > 1) launch<NodeQueueHandsOver, &NodeQueueHandsOver::producer, 1>(sim, this);
    launch<NodeQueueHandsOver, &NodeQueueHandsOver::consumer, kProducers>(sim, this);
    if (kConsumers > 1) launch<NodeQueueHandsOver, &NodeQueueHandsOver::consumer, kProducers + 1>(sim, this);
  }
  ~NodeQueueHandsOver() { queue.stop(); }
  void producer(Sim::Self& self) {
    u64 entries[kEach];
    for (u32 i = 0; i < kEach; i++) {
      entries[i] = self.index * kEach + i;
      own(cells[entries[i]]);
    }
    queue.put(term, entries, 1);
    queue.put(term, entries + 1, kEach - 1);
  }
  void consumer(Sim::Self&) {
    u64 some[2];
    for (u32 i = 0; i < 2; i++) handed_on(some, queue.take(term, some, 1 + i));
  }
  void handed_on(const u64* entries, u32 n) {
    for (u32 i = 0; i < n; i++) own(cells[entries[i]]);
  }
  bool ok() {
    u64 rest[kEntries];
    while (u32 n = queue.take(term, rest, kEntries)) handed_on(rest, n);
    for (Cell& cell : cells) good = good && cell.value == 2;
    return good && Termination<Sim>::pending_of(term.look()) == 0 && !queue.looks_filled();
  }
  Sim& sim;
  Termination<Sim> term;
  NodeQueue<Sim> queue;
  Cell cells[kEntries];
  bool good = true;
};

// Story A in bell.h with a node's queue in the deque's place: whoever falls asleep is told of what is put in meanwhile, through the ring or spilled.
struct BellWakesForMail {
  static constexpr u32 kEntries = 3;
  explicit BellWakesForMail(Sim& s) : sim(s) {
    bell.start(sim);
    term.open(1, 2);
    good = queue.start(sim, 2);
    launch<BellWakesForMail, &BellWakesForMail::producer, 0>(sim, this);
    launch<BellWakesForMail, &BellWakesForMail::sleeper, 1>(sim, this);
  }
  ~BellWakesForMail() { queue.stop(); }
  void producer(Sim::Self& self) {
    const u64 entries[kEntries] = {0, 1, 2};
    for (Cell& cell : cells) own(cell);
    queue.put(term, entries, kEntries);
    if (bell.anyone_seq_cst()) bell.ring(self, ~0u);
  }
  void sleeper(Sim::Self& self) {
    u64 some[kEntries];
    for (u32 got = 0; got < kEntries;) {
      const u32 n = queue.take(term, some, kEntries);
      for (u32 i = 0; i < n; i++) own(cells[some[i]]);
      got += n;
      if (n != 0) continue;
      u32 heard = bell.listen();
      if (!queue.looks_filled_seq_cst()) bell.sleep(self, heard);
      bell.leave();
    }
  }
  bool ok() {
    for (Cell& cell : cells) good = good && cell.value == 2;
    return good && Termination<Sim>::pending_of(term.look()) == 0;
  }
  Sim& sim;
  Termination<Sim> term;
  Bell<Sim> bell;
  NodeQueue<Sim> queue;
  Cell cells[kEntries];
  bool good = true;
};

// What a mail gang's tasks post.
enum class Posts : u8 { both, roots, requests };

// T13, N23: a gang on two nodes. A task posts an entry to each node; every entry's cell is written once by the poster, once by who takes it, and both are
// there for the conductor after the phase.
template <u32 kWorkers, JoinKind kJoin, SyncKind kSync, u32 kTasks = 2, Posts kPosts = Posts::both, u32 kPhases = 2> struct MailGang {
  struct Body {
    MailGang& life;
    void enter(Sim::Self&) { look(life.job); }
    void root(Sim::Self& self, u32 task) {
      for (u32 node = 0; node < 2; node++) {
        own(life.cells[task * 2 + node]);
        const bool root = kPosts == Posts::roots || (kPosts == Posts::both && node == 0);
        if (life.gang.parted()) life.gang.post(self, root ? Mail::root : Mail::request, node, task * 2 + node);
        else take(self, task * 2 + node);
      }
    }
    void take(Sim::Self&, u64 entry) { own(life.cells[entry]); }
    void drain(Sim::Self& self) {
      u64 entry;
      while (life.gang.queue(self.index).pop(entry)) take(self, entry);
    }
  };
  explicit MailGang(Sim& s) : sim(s) { launch<MailGang, &MailGang::conduct, 0>(sim, this); }
  void conduct(Sim::Self& self) {
    GangConfig config;
    config.workers = kWorkers;
    config.join = kJoin;
    config.sync = kSync;
    config.task_queue = TaskQueueKind::array;
    config.queue_capacity = 8;
    config.mail = true;
    config.mail_capacity = 8;
    config.request_batch = 2;
    config.notices = false;
    if (!gang.start(sim, config)) return;
    gang.ensure(kWorkers);
    gang.set_rules({.mail = true, .local = true});
    for (u32 phase = 0; phase < kPhases; phase++) {
      own(job);
      Body body{*this};
      gang.run(self, Phase::mark, kWorkers, kTasks, body);
      for (Cell& cell : cells) {
        good = good && look(cell) == 2;
        own(cell), cell.value = 0;
      }
    }
    gang.stop(self);
    stopped = true;
  }
  bool ok() { return good && stopped; }
  Sim& sim;
  Gang<Sim> gang;
  Cell cells[2 * kTasks], job;
  bool good = true, stopped = false;
};

} // namespace garner::pieces
