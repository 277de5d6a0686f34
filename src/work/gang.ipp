// Bodies of gang.h: start and end of the threads, and the phase. Stealing and termination are in steal.ipp.
#pragma once
#include <new>

#include "base/print.h"
#include "work/deque.ipp"
#include "work/gang.h"
#include "work/task_queue.ipp"

namespace garner {

// -- start and end --

template <class M> bool Gang<M>::start(M& machine, const GangConfig& config, Spawn spawn, void* spawn_arg) {
  if (const char* sentence = refusal(config); sentence != nullptr && !mutated<M>(Trap::literal_with_futex)) {
    say(sentence);
    return false;
  }
  machine_ = &machine;
  config_ = config;
  spawn_ = spawn;
  spawn_arg_ = spawn_arg;
  threads_ = 0;
  run_ = 0;
  record_ = {};
  epoch_ = config.first_epoch;
  stopping_.store_relaxed(0); // no thread exists; thread creation publishes these
  gone_.store_relaxed(0);
  noticed_.store_relaxed(0);
  limit_.store_relaxed(0);
  entered_.store_relaxed(0);
  parking_.start(machine, config.sync, config.lock, epoch_);
  nodes_ = min_of(machine.nodes(), kNodesMost);
  rules_ = {};
  for (u32 i = 0; i < kNodesMost; i++) {
    bells_[i].start(machine);
    bells_[i].stand_among(bells_, nodes_);
    joined_on_[i].store_relaxed(0);
    scouts_[i].out.store_relaxed(0);
    scouts_[i].rich.store_relaxed(0);
  }
  term_.open(epoch_, 0);
  seats_.start(machine, first_thread(), config.workers, config.seats && config.pin != Pinning::rr && nodes_ == 1); // with several, whom to keep where is pin's
  if (make_tables()) return true;
  free_tables();
  say("work: no memory for the workers' tables");
  return false;
}

template <class M> bool Gang<M>::make_tables() {
  workers_ = static_cast<Worker*>(map_own(config_.workers * sizeof(Worker)));
  using Name = typename Roster<M>::Entry;
  roster_entries_ = static_cast<Name*>(map_own(config_.workers * sizeof(Name)));
  if (workers_ == nullptr || roster_entries_ == nullptr) return false;
  for (u32 i = 0; i < config_.workers; i++) {
    Worker& w = *new (&workers_[i]) Worker;
    new (&roster_entries_[i]) Name;
    w.gang = this;
    w.index = w.ordinal = i;
    w.node = machine_->node_of_worker(i) % nodes_;
  }
  roster_.start(roster_entries_);
  auto node_of = [&](u32 i) { return workers_[i].node; };
  if (!neighbours_.make(config_.workers, nodes_, node_of, [&](u32 a, u32 b) { return machine_->distance(a, b); })) return false;
  if (config_.mail && !post_.start(*machine_, nodes_, config_.workers, config_.mail_capacity, config_.root_flush, config_.request_batch)) return false;
  // Worker 0 is the conductor, or stands in when no thread can be made.
  return workers_[0].deque.start(*machine_, config_.queue_capacity, config_.order) && tasks_.start(*machine_, config_.task_queue, parking_.gc_monitor());
}

template <class M> void Gang<M>::free_tables() {
  tasks_.stop();
  post_.stop();
  neighbours_.release();
  if (workers_ != nullptr) {
    for (u32 i = 0; i < config_.workers; i++) {
      workers_[i].deque.stop();
      workers_[i].~Worker();
    }
    unmap_own(writes<M>(workers_), config_.workers * sizeof(Worker));
  }
  if (timelines_ != nullptr) unmap_own(timelines_, config_.workers * sizeof(Timeline));
  timelines_ = nullptr;
  if (roster_entries_ != nullptr) unmap_own(roster_entries_, config_.workers * sizeof(typename Roster<M>::Entry));
  workers_ = nullptr;
  roster_entries_ = nullptr;
}

template <class M> u32 Gang<M>::ensure(u32 n) {
  n = min_of(n, config_.workers);
  while (first_thread() + threads_ < n) {
    Worker& w = workers_[first_thread() + threads_];
    w.seen = epoch_;
    bool made = w.deque.started() || w.deque.start(*machine_, config_.queue_capacity, config_.order);
    made = made && (spawn_ != nullptr ? spawn_(&thread_entry, &w, spawn_arg_) : machine_->start(&thread_entry, &w));
    if (!made) {
      notice("work: the system refuses another collector thread; collecting with fewer");
      break;
    }
    threads_++;
  }
  return workers();
}

template <class M> void Gang<M>::stop(Self& self) {
  stopping_.store_release(1);
  epoch_ = next_epoch(epoch_);
  parking_.release(self, epoch_, ~u32(0));
  // Looking and not sleeping, so that a thread's last touch of the gang is one addition and no wake on memory that is going away.
  while (gone_.load_acquire() != threads_) self.yield();
  free_tables();
  threads_ = 0;
}

template <class M> bool Gang<M>::keep_timelines(bool on) {
  if (on && timelines_ == nullptr) timelines_ = static_cast<Timeline*>(map_own(config_.workers * sizeof(Timeline)));
  on = on && timelines_ != nullptr;
  for (u32 i = 0; i < workers(); i++) {
    workers_[i].timeline = on ? &timelines_[i] : nullptr;
    if (on) timelines_[i].clear();
  }
  return on;
}

template <class M> void Gang<M>::notice(const char* sentence) {
  if (noticed_.exchange_acq_rel(1) == 0 && config_.notices) say(sentence);
}

// -- a thread's life --

template <class M> void Gang<M>::thread_entry(void* arg) {
  Worker& me = *static_cast<Worker*>(arg);
  Gang& gang = *me.gang;
  Self self(*gang.machine_, me.index);
  gang.live(me, self);
  reads<M>(gang.workers_);
  gang.gone_.fetch_add_acq_rel(1); // the last touch; pairs with stop()'s acquire
}

template <class M> void Gang<M>::live(Worker& me, Self& self) {
  pin(self, me.index);
  seats_.enter(me.index);
  u32 seen = me.seen;
  bool arriving = false; // sync=monitor: owes an arrival at the final barrier
  while (true) {
    u32 epoch = parking_.await(self, seen, arriving);
    if (stopping_.load_acquire() != 0) return;
    seen = epoch;
    arriving = false;
    reached(self, Spot::woken);
    if (!admit(self, me, epoch)) continue;
    reached(self, Spot::joined);
    bool final = reads<M>(job_).work(*this, me, self, epoch);
    arriving = parking_.locks() && !final;
  }
}

// Whether `me` belongs to the phase. fixed: the word keeps its epoch while a member has not offered, so a member always reads its own.
template <class M> bool Gang<M>::admit(Self& self, Worker& me, u32 epoch) {
  if (late()) {
    if (!join(self, me, epoch)) return false;
    roster_.enter(epoch, me.ordinal, me.index);
    joined_on_[me.node].store_relaxed(epoch); // see unserved()
    return true;
  }
  u64 w = term_.look();
  return Termination<M>::epoch_of(w) == epoch && me.index < Termination<M>::joined_of(w);
}

// by_node: first counted in, so that the phase cannot end, then numbered; there may be one too many.
template <class M> bool Gang<M>::join(Self& self, Worker& me, u32 epoch) {
  if (!by_node()) return term_.join(epoch, limit_.load_relaxed(), me.ordinal);
  if (entered_.load_relaxed() >= limit_.load_relaxed() || !crews_.arrive(*machine_, term_, epoch, me.node)) return false;
  me.ordinal = entered_.fetch_add_relaxed(1);
  if (me.ordinal < limit_.load_relaxed()) return true;
  offer(self, me);
  return false;
}

template <class M> void Gang<M>::pin(Self& self, u32 worker) {
  if (config_.pin == Pinning::rr && !machine_->pin(self, machine_->node_of_worker(worker)) && config_.pin_asked)
    notice("work.pin: the system refuses to pin collector threads to nodes; going on unpinned");
}

// -- a phase --

template <class M> template <class Body> requires GangBody<Body, typename M::Self>
void Gang<M>::run(Self& self, Phase phase, u32 wanted, u32 root_tasks, Body& body) {
  writes<M>(run_)++;
  u32 members = clamp_to(wanted, 1u, workers());
  record_ = {phase, wanted, members, 0, self.now(), 0};
  if (threads_ == 0 || (works() && members == 1)) return solo(self, root_tasks, body);

  // Root tasks are handed out in groups when there are more than the queue's words can number.
  u32 shift = 0;
  while ((u64(root_tasks) + (u64(1) << shift) - 1) >> shift > TaskQueue<M>::kTasksMax - kWorkersMax - 1) shift++;
  u32 groups = u32((u64(root_tasks) + (u64(1) << shift) - 1) >> shift);
  writes<M>(job_) = {&Gang::work<Body>, &body, root_tasks, groups, late() ? 0 : members, rules_, {}};
  if (!config_.mail) job_.rules.mail = false;
  if (job_.rules.mail) map_servers(members);

  u32 epoch = next_epoch(epoch_);
  open(self, epoch, members);
  if (!works()) {
    parking_.await_done(self, epoch);
  } else {
    bool final = work<Body>(*this, workers_[0], self, epoch);
    workers_[0].deque.bind(nullptr, nullptr); // `self` may not live until the next phase
    if (!late() && !final) {
      if (parking_.locks()) parking_.arrive(self);
      parking_.await_done(self, epoch);
    }
  }
  close(self);
}

// One worker, the caller: the phase without its machinery. Nobody else can come in: all epochs are past.
template <class M> template <class Body> void Gang<M>::solo(Self& self, u32 root_tasks, Body& body) {
  Worker& me = workers_[0];
  job_.rules = {};
  begin(me, self, Share::none);
  me.deque.bind(nullptr, nullptr);
  if constexpr (requires { body.enter(self); }) body.enter(self);
  if (!me.deque.empty()) body.drain(self);
  for (u32 task = 0; task < root_tasks; task++) run_task(self, me, body, task);
  me.stats.tasks = root_tasks;
  settle(self, me, body);
  if (me.timeline != nullptr) line_of(me).close(me.stats.end_ns);
  me.deque.trim(kKeptOverflowBytes);
  record_.joined = 1;
  record_.end_ns = me.stats.end_ns;
}

// Everything of a phase that workers read is in place before the stamp (or the GC lock) lets them in.
template <class M> void Gang<M>::open(Self& self, u32 epoch, u32 members) {
  epoch_ = epoch;
  u32 first = first_thread(); // 1 when the caller is a member itself
  if (late()) {
    limit_.store_relaxed(members);
    if (works()) {
      roster_.enter(epoch, 0, 0);
      joined_on_[workers_[0].node].store_relaxed(epoch);
    }
    tasks_.open(self, epoch, job_.groups);
    entered_.store_relaxed(first);
    if (by_node()) crews_.open(epoch, nodes_, workers_[0].node);
    term_.open(epoch, by_node() ? nodes_ : first, by_node() ? nodes_ - 1 : 0);
    record_.woken = members - first;
    seats_.assign();
    parking_.release(self, epoch, record_.woken);
    return;
  }
  for (u32 i = 0; i < members; i++) roster_.enter(epoch, i, i);
  tasks_.open(self, epoch, job_.groups + members + 1); // root tasks, a steal task each, the final task (N6)
  term_.open(epoch, members);
  record_.woken = threads_;
  seats_.assign();
  parking_.release(self, epoch, ~u32(0));
}

// The phase is over and everybody's statistics are readable: adds what the workers could not know, the wait after their last offer. Their span ends with it,
// so that what of it was idle is part of it.
template <class M> void Gang<M>::close(Self& self) {
  record_.end_ns = self.now();
  record_.joined = joined();
  for (u32 i = 0; i < workers(); i++) {
    if (!took_part(i)) continue;
    Worker& w = workers_[i];
    if (w.timeline != nullptr) line_of(w).close(record_.end_ns);
    const u64 offered_ns = reads<M>(w.stats).end_ns;
    if (record_.end_ns > offered_ns) {
      writes<M>(w.stats).idle_ns += record_.end_ns - offered_ns;
      w.stats.end_ns = record_.end_ns;
    }
    w.deque.trim(kKeptOverflowBytes);
  }
}

template <class M> void Gang<M>::begin(Worker& me, Self& self, Share share) {
  writes<M>(me.run) = reads<M>(run_);
  writes<M>(me.stats) = {};
  me.stats.start_ns = self.now();
  if (me.timeline != nullptr) line_of(me).enter(Activity::waits, me.stats.start_ns);
  me.tasks_are = record_.phase == Phase::compact || record_.phase == Phase::update || record_.phase == Phase::clean ? Activity::copies : Activity::roots;
  me.overflows_before = me.deque.overflows();
  me.victims = me.victims_next;
  me.rules = job_.rules;
  me.desperate = false;
  // Buffers come from where the worker runs; where a node is told what to work on, from that node.
  bool placed = (config_.pin == Pinning::rr && !conducts(me)) || tied(me.rules);
  self.node = placed ? me.node : machine_->current_node();
  me.deque.share(share, config_.share_from);
  me.deque.bind(late() ? &bell_of(me) : nullptr, &self, !tied(me.rules));
}

// One member's part. True when it was the final worker.
template <class M> template <class Body> bool Gang<M>::work(Gang& gang, Worker& me, Self& self, u32 epoch) {
  reads<M>(gang.job_);
  const Job job = gang.job_; // a copy: after the last offer the conductor may be writing the next one
  Body& body = *static_cast<Body*>(job.body);
  gang.begin(me, self, gang.config_.steal ? gang.config_.share : Share::none);
  if constexpr (requires { body.enter(self); }) body.enter(self);
  if (!me.deque.empty()) body.drain(self);
  bool offered = false;
  while (true) {
    u64 waited = 0;
    reached(self, Spot::asking);
    if (!offered) gang.doing(self, me, Activity::waits); // afterwards it may be later than the end of the phase
    u32 task = gang.late() ? gang.tasks_.take_within(self, epoch, waited) : gang.tasks_.take(self, epoch, waited);
    if (task >= job.groups) {
      // Literal exit only: those who left early may have taken this worker's steal task too, and it comes here without an offer.
      if (!gang.late() && !offered && task - job.groups >= job.steal_tasks) gang.settle(self, me, body);
      if (task == kNoTask && !gang.late()) return false;
      if (task == job.groups + job.steal_tasks) {
        reached(self, Spot::final);
        gang.finish_fixed(self, me, epoch, job.steal_tasks);
        return true;
      }
      me.stats.waits_ns += waited;
      offered = true;
      bool ended = gang.steal_until_over(self, me, epoch, body);
      reached(self, Spot::left);
      if (!gang.late()) continue; // asks once more: the final task is still there, and in literal mode others' steal tasks
      if (ended) reached(self, Spot::final);
      if (ended && !gang.works()) gang.parking_.finish(self, epoch);
      return ended;
    }
    me.stats.waits_ns += waited;
    gang.run_group(self, me, body, task);
  }
}

// One root task and all that it pushes and nobody steals.
template <class M> template <class Body> void Gang<M>::run_task(Self& self, Worker& me, Body& body, u32 task) {
  reached(self, Spot::root);
  doing(self, me, me.tasks_are);
  body.root(self, task);
  reached(self, Spot::tracing);
  if (!me.deque.empty()) doing(self, me, Activity::copies);
  body.drain(self);
}

template <class M> template <class Body> void Gang<M>::run_group(Self& self, Worker& me, Body& body, u32 group) {
  for (u64 task = group; task < reads<M>(job_).root_tasks; task += job_.groups) { // not neighbours: the largest tasks come first, and are for as many workers
    run_task(self, me, body, u32(task));
    if (me.rules.mail) flush(self, me, Mail::root); // T6: at the end of the task
    me.stats.tasks++;
  }
}

// T14: a node without workers belongs to the nearest that has some. late: any of those that exist may join.
template <class M> void Gang<M>::map_servers(u32 members) {
  bool has[kNodesMost] = {};
  for (u32 i = 0; i < (late() ? workers() : members); i++) has[workers_[i].node] = true;
  for (u32 n = 0; n < nodes_; n++) {
    u32 best = kNodesMost;
    for (u32 m = 0; m < nodes_; m++)
      if (has[m] && (best == kNodesMost || machine_->distance(n, m) < machine_->distance(n, best))) best = m;
    job_.server[n] = u8(has[n] ? n : best);
  }
}

// The final worker of the fixed mode (N11, T10): with a monitor it waits until all others have arrived; then it wakes the conductor,
// unless it is the conductor.
template <class M> void Gang<M>::finish_fixed(Self& self, Worker& me, u32 epoch, u32 members) {
  if (parking_.locks()) parking_.await_arrivals(self, members - 1);
  if (!conducts(me)) parking_.finish(self, epoch);
}

} // namespace garner

#include "work/steal.ipp"
