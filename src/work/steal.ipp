// Bodies of gang.h for workers without work: stealing (N9), offering and withdrawing (N10), waiting.
#pragma once
#include "work/gang.h"

namespace garner {

// Steals and drains until the phase is over. True when this worker's offer ended it.
template <class M> template <class Body> bool Gang<M>::steal_until_over(Self& self, Worker& me, u32 epoch, Body& body) {
  Worker* hint = nullptr;
  while (true) {
    u64 entry;
    reached(self, Spot::stealing);
    doing(self, me, Activity::steals);
    while (find(self, me, epoch, hint, entry)) {
      reached(self, Spot::tracing);
      doing(self, me, Activity::copies);
      body.take(self, entry);
      body.drain(self);
      hint = nullptr;
      reached(self, Spot::stealing);
      doing(self, me, Activity::steals);
    }
    if (me.rules.mail && (flush(self, me, Mail::root) | flush(self, me, Mail::request))) continue; // some of it may be for us
    me.stats.offers++;
    settle(self, me, body);
    const u64 offered_ns = me.stats.end_ns;
    if (offer(self, me)) return true;
    // From here on nothing of the phase may be touched, statistics neither, unless the offer is taken back.
    reached(self, Spot::offered);
    if (idle(self, me, epoch, offered_ns, hint) != Idle::work) return false;
    writes<M>(me.stats).withdrawals++;
    me.stats.idle_ns += self.now() - offered_ns;
  }
}

// Counts the caller idle. True when that ended the phase.
template <class M> bool Gang<M>::offer(Self& self, Worker& me) {
  u64 made = by_node() ? crews_.leave(term_, me.node) : term_.offer();
  if (!Termination<M>::over(made)) return false;
  if (Termination<M>::dozed(made))
    for (u32 i = 0; i < nodes_; i++)
      if (bells_[i].anyone()) bells_[i].ring(self, 1); // relaxed will do: story C in bell.h
  return true;
}

// Writes back everything private. The worker holds nothing and its deque is empty.
template <class M> template <class Body> void Gang<M>::settle(Self& self, Worker& me, Body& body) {
  GARNER_CHECK(me.deque.empty(), "a body's drain left entries behind");
  if constexpr (requires { body.leave(self); }) body.leave(self);
  writes<M>(me.stats).overflows = me.deque.overflows() - me.overflows_before;
  me.stats.end_ns = self.now();
  if (me.timeline != nullptr) line_of(me).enter(Activity::terminates, me.stats.end_ns);
}

// One entry from somebody else: from the queues of nodes (T7: roots before references), from `hint`, then from victims until twice as
// many attempts as there are candidates have failed in a row.
template <class M> bool Gang<M>::find(Self& self, Worker& me, u32 epoch, Worker* hint, u64& entry) {
  if (me.rules.mail && take_mail(self, me, epoch, entry)) return true;
  if (!config_.steal) return false;
  if (hint != nullptr && attempt(self, me, *hint, entry)) return true;
  if (in_rings(me)) return find_near(self, me, entry);
  u32 count = candidates(me);
  if (count == 0) return false;
  for (u32 i = 0; i < 2 * (count + 1); i++) {
    u32 victim = me.victims.at(u32(self.random.below(count)), roster_, epoch, me.ordinal);
    if (victim != kWorkersMax && (!config_.steal_half || workers_[victim].deque.looks_stealable()) && attempt(self, me, workers_[victim], entry)) return true;
  }
  return false;
}

// Ring by ring, at random within a ring; after the own node's first where its last theft from elsewhere succeeded: to look at all who are nearer takes longer than
// what one theft brings lasts. Those who have not joined are passed over by a look at their deque.
// Of each node only a few at a time go to other nodes: a victim of many thieves spends its time waiting for its own deque's lines.
template <class M> bool Gang<M>::find_near(Self& self, Worker& me, u64& entry) {
  const bool outward = rings_of(me) > 1;
  if (find_in(self, me, neighbours_.ring(me.node, 0), entry)) return true;
  auto& [out, rich] = scouts_[me.node];
  if (!outward || out.load_relaxed() >= scouts_of(me)) return false; // one too many now and then does no harm
  out.fetch_add_relaxed(1);
  const u32 last = rich.load_relaxed();
  Worker* from = last != 0 ? find_in(self, me, neighbours_.ring(last - 1, 0), entry) : nullptr;
  for (u32 r = 1, rings = rings_of(me); r < rings && from == nullptr; r++) from = find_in(self, me, neighbours_.ring(me.node, r), entry);
  if (u32 now = from != nullptr ? from->node + 1 : 0; now != last) rich.store_relaxed(now);
  out.fetch_sub_relaxed(1);
  return from != nullptr;
}

// Whom the entry was taken from, or null.
template <class M> typename Gang<M>::Worker* Gang<M>::find_in(Self& self, Worker& me, Neighbours::Ring ring, u64& entry) {
  for (u32 i = 0; i < 2 * ring.count; i++) {
    Worker& victim = workers_[ring.workers[self.random.below(ring.count)]];
    if (&victim != &me && victim.deque.looks_stealable() && attempt(self, me, victim, entry)) return &victim;
  }
  return nullptr;
}

// Whether somebody else is taking from `victim`. A hint: whoever has been there for longer than a theft takes has lost its processor, and the deque carries
// any number of thieves. One visit is watched at a time.
template <class M> bool Gang<M>::visited(Self& self, Worker& me, Worker& victim) {
  const u32 visit = victim.visits.load_relaxed();
  if (visit % 2 == 0) return false;
  if (me.watched != nullptr && me.watched->visits.load_relaxed() == me.watched_visit) return me.watched != &victim || self.now() - me.watched_ns < kVisitNs;
  me.watched = &victim;
  me.watched_visit = visit;
  me.watched_ns = self.now();
  return true;
}

template <class M> bool Gang<M>::attempt(Self& self, Worker& me, Worker& victim, u64& entry) {
  const bool half = config_.steal_half;
  if (half && visited(self, me, victim)) return false;
  u32 visit = half ? victim.visits.load_relaxed() : 1;
  const bool alone = visit % 2 == 0; // else beside somebody who does not get on
  if (alone && !victim.visits.cas_relaxed(visit, visit + 1)) return false;
  if (half) reached(self, Spot::visiting);
  me.stats.steal_attempts++;
  u64 some[kHalfMost];
  u32 got;
  Stolen outcome = victim.deque.steal(some, half ? kHalfMost : 1, got);
  if (alone) victim.visits.store_relaxed(visit + 2);
  if (outcome == Stolen::lost)
    for (u64 i = self.random.below(kLostPauses); i > 0; i--) self.pause(); // others want it too: not all at once again
  if (outcome != Stolen::got) return false;
  me.stats.steals++;
  stole(self, victim.node);
  if (GARNER_UNLIKELY(me.timeline != nullptr)) line_of(me).took(victim.node);
  if (victim.node != me.node) me.stats.steals_remote++;
  entry = some[0];
  for (u32 i = 1; i < got; i++) me.deque.push(some[i]);
  // The owner rings one sleeper when it publishes; whoever finds more than it can use passes the ring on.
  if (late() && victim.deque.looks_stealable()) bell_of(me).tell(self, !tied(me.rules));
  return true;
}

// Whether `me` would find something there. Before it falls asleep it counts what somebody else may take, too: story A in bell.h knows of no visits.
template <class M> bool Gang<M>::shows(Self& self, Worker& me, Worker& victim, bool asleep_next) {
  if (asleep_next) return victim.deque.looks_stealable_seq_cst();
  return victim.deque.looks_stealable() && !(config_.steal_half && visited(self, me, victim));
}

// A worker whom `me` may take from and whose deque does not look empty, or null. Starts at its own place in the roster, so that the
// idle do not all run to the same victim.
template <class M> typename Gang<M>::Worker* Gang<M>::sees_work(Self& self, Worker& me, u32 epoch, bool asleep_next) {
  if (!config_.steal) return nullptr;
  if (in_rings(me)) return sees_near(self, me, asleep_next);
  u32 count = candidates(me);
  for (u32 i = 0; i < count; i++) {
    u32 victim = me.victims.at((me.ordinal + i) % count, roster_, epoch, me.ordinal);
    if (victim == kWorkersMax) continue;
    if (shows(self, me, workers_[victim], asleep_next)) return &workers_[victim];
  }
  return nullptr;
}

template <class M> typename Gang<M>::Worker* Gang<M>::sees_near(Self& self, Worker& me, bool asleep_next) {
  for (u32 r = 0, rings = rings_of(me); r < rings; r++) {
    if (r == 1 && !asleep_next && scouts_[me.node].out.load_relaxed() >= scouts_of(me)) return nullptr;
    Neighbours::Ring ring = neighbours_.ring(me.node, r);
    for (u32 i = 0; i < ring.count; i++) {
      Worker& victim = workers_[ring.workers[(me.index + i) % ring.count]];
      if (&victim != &me && shows(self, me, victim, asleep_next)) return &victim;
    }
  }
  return nullptr;
}

// -- queues per node --

template <class M> bool Gang<M>::take_mail(Self& self, Worker& me, u32 epoch, u64& entry) {
  if (take_from_node(self, me, Mail::root, me.node, entry) || take_from_node(self, me, Mail::request, me.node, entry)) return true;
  for (u32 i = 1; i < nodes_; i++) {
    u32 n = neighbours_.node(me.node, i);
    bool alone = unserved(n, epoch); // nobody of that node has come: its queues are anybody's
    if ((alone || me.rules.take_any || me.desperate) && take_from_node(self, me, Mail::root, n, entry)) {
      me.desperate = false; // one whole root for one long wait
      return true;
    }
    if (alone && take_from_node(self, me, Mail::request, n, entry)) return true;
  }
  me.desperate = false;
  return false;
}

// Roots one at a time: who takes one follows it to its end before it takes another (T2). Requests as they were sent, a batch; but
// for the first they wait in the own deque, where the node's others may steal them.
template <class M> bool Gang<M>::take_from_node(Self& self, Worker& me, Mail kind, u32 of, u64& entry) {
  NodeQueue<M>& queue = post_.queue(kind, of);
  if (!queue.looks_filled()) return false;
  u64 some[kRequestsMost];
  u32 got = queue.take(term_, some, kind == Mail::root ? 1 : min_of(config_.request_batch, kRequestsMost));
  if (got == 0) return false;
  if (kind == Mail::root) {
    me.stats.roots_taken++;
    if (of != me.node) me.stats.roots_remote++;
  } else {
    me.stats.requests_served += got;
  }
  for (u32 i = got; i-- > 1;) me.deque.push(some[i]);
  entry = some[0];
  if (Bell<M>& bell = bell_of(me); late() && bell.anyone() && queue.looks_filled()) bell.ring(self, 1); // as for deques
  return true;
}

// Whether there is an entry that `me` may take (T13: a worker that withdrew for another would withdraw and offer for ever).
template <class M> bool Gang<M>::sees_mail(Worker& me, u32 epoch, bool asleep_next) {
  auto filled = [&](Mail kind, u32 of) {
    NodeQueue<M>& queue = post_.queue(kind, of);
    return asleep_next ? queue.looks_filled_seq_cst() : queue.looks_filled();
  };
  if (filled(Mail::root, me.node) || filled(Mail::request, me.node)) return true;
  bool some = false; // roots of nodes that have workers of their own
  for (u32 i = 1; i < nodes_; i++) {
    u32 n = neighbours_.node(me.node, i);
    if (unserved(n, epoch) && (filled(Mail::root, n) || filled(Mail::request, n))) return true;
    some = some || filled(Mail::root, n);
  }
  return some && (me.rules.take_any || mutated<M>(Trap::foreign_queues));
}

// Roots that another node's workers have not come to (last resort).
template <class M> bool Gang<M>::sees_foreign_root(Worker& me) {
  for (u32 n = 0; n < nodes_; n++)
    if (n != me.node && post_.queue(Mail::root, n).looks_filled()) return true;
  return false;
}

template <class M> bool Gang<M>::flush(Self& self, Worker& me, Mail kind) {
  bool any = false;
  for (u32 n = 0; n < nodes_; n++)
    if (post_.send(term_, me.index, kind, n, me.stats)) {
      any = true;
      call_node(self, n);
    }
  return any;
}

// Entries have been put into a queue of `node`: whoever sleeps and may take them wakes up (story A in bell.h). Where nobody of the node has
// joined that may be anyone.
template <class M> void Gang<M>::call_node(Self& self, u32 node) {
  if (!late()) return; // idle workers of the fixed mode do not sleep
  for (u32 n = 0; n < nodes_; n++)
    if ((n == node || job_.rules.take_any || unserved(node, epoch_)) && bells_[n].anyone_seq_cst()) bells_[n].ring(self, ~u32(0));
}

// -- waiting --

// Waits, counted idle, until the phase is over or there is work for this worker and the offer has been taken back.
template <class M> typename Gang<M>::Idle Gang<M>::idle(Self& self, Worker& me, u32 epoch, u64 offered_ns, Worker*& hint) {
  const bool mail = me.rules.mail, hopes = mail && config_.last_resort_us != 0;
  bool desperate = false;
  for (u32 turn = 0;; turn++) {
    if (!Termination<M>::open_for(term_.look(), epoch)) return Idle::over;
    if (config_.steal || mail) {
      if (hopes && !desperate) desperate = self.now() - offered_ns >= u64(config_.last_resort_us) * 1000;
      hint = sees_work(self, me, epoch, false);
      if (hint != nullptr || (mail && sees_mail(me, epoch, false)) || (desperate && sees_foreign_root(me))) {
        if (!withdraw(me, epoch)) return Idle::over; // only an end refuses a withdrawal
        me.desperate = desperate;
        return Idle::work;
      }
    } else if (late() && !conducts(me)) {
      return Idle::leave; // nothing can come any more; the phase ends without us
    }
    if (config_.term_exit == TermExit::literal && turn >= kLiteralTurns) return Idle::leave; // all deques look empty: the paper's exit
    back_off(self, me, epoch, turn, hopes && !desperate);
  }
}

// With `awake` it does not fall asleep: there is a moment to wait for that no bell tells of.
template <class M> void Gang<M>::back_off(Self& self, Worker& me, u32 epoch, u32 turn, bool awake) {
  if (turn < kSpinTurns) {
    for (u32 i = 0; i < (1u << turn); i++) self.pause();
  } else if (!late() || awake || turn < kSpinTurns + kYieldTurns) {
    for (u32 i = 0; i < (1u << min_of(turn - kSpinTurns, kYieldTurns - 1)); i++) self.yield();
  } else {
    doze(self, me, epoch);
  }
}

// Sleeps until something is published or the phase ends; the order of the four steps is that of the stories in bell.h.
template <class M> void Gang<M>::doze(Self& self, Worker& me, u32 epoch) {
  Bell<M>& bell = bell_of(me);
  u32 heard = bell.listen();
  if (term_.doze(epoch) && sees_work(self, me, epoch, true) == nullptr && !(me.rules.mail && sees_mail(me, epoch, true))) {
    reached(self, Spot::dozing);
    bell.sleep(self, heard);
  } else {
    self.yield(); // there is work for which somebody of this node has gone already
  }
  bell.leave();
  if (!Termination<M>::open_for(term_.look(), epoch) && bell.anyone()) bell.ring(self, 2); // story C
}

} // namespace garner
