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
    while (config_.steal && find(self, me, epoch, hint, entry)) {
      reached(self, Spot::tracing);
      body.take(self, entry);
      body.drain(self);
      hint = nullptr;
      reached(self, Spot::stealing);
    }
    me.stats.offers++;
    settle(self, me, body);
    u64 made = term_.offer();
    // From here on nothing of the phase may be written, unless the offer is taken back.
    if (Termination<M>::over(made)) {
      if (Termination<M>::dozed(made)) bell_.ring(self, ~u32(0));
      return true;
    }
    reached(self, Spot::offered);
    if (idle(self, me, epoch, hint) != Idle::work) return false;
    me.stats.withdrawals++;
    me.stats.idle_ns += self.now() - me.stats.end_ns;
  }
}

// Writes back everything private. The worker holds nothing and its deque is empty.
template <class M> template <class Body> void Gang<M>::settle(Self& self, Worker& me, Body& body) {
  GARNER_CHECK(me.deque.empty(), "a body's drain left entries behind");
  if constexpr (requires { body.leave(self); }) body.leave(self);
  me.stats.overflows = me.deque.overflows() - me.overflows_before;
  me.stats.end_ns = self.now();
}

// One entry from somebody else: first from `hint`, then at random, until 2N attempts in a row have failed.
template <class M> bool Gang<M>::find(Self& self, Worker& me, u32 epoch, Worker* hint, u64& entry) {
  if (hint != nullptr && attempt(self, me, *hint, entry)) return true;
  u32 joined = Termination<M>::joined_of(term_.look()), candidates = me.victims.count(joined);
  if (candidates == 0) return false;
  for (u32 i = 0; i < 2 * (candidates + 1); i++) {
    u32 victim = me.victims.at(u32(self.random.below(candidates)), roster_, epoch, me.ordinal);
    if (victim != kWorkersMax && attempt(self, me, workers_[victim], entry)) return true;
  }
  return false;
}

template <class M> bool Gang<M>::attempt(Self& self, Worker& me, Worker& victim, u64& entry) {
  me.stats.steal_attempts++;
  if (victim.deque.steal(entry) != Stolen::got) return false;
  me.stats.steals++;
  stole(self, victim.node);
  if (victim.node != me.node) me.stats.steals_remote++;
  // The owner rings one sleeper when it publishes; whoever finds more than it can use passes the ring on.
  if (bell_.anyone() && victim.deque.looks_stealable()) bell_.ring(self, 1);
  return true;
}

// A worker whom `me` may take from and whose deque does not look empty, or null. Starts at its own place in the roster, so that the
// idle do not all run to the same victim.
template <class M> typename Gang<M>::Worker* Gang<M>::sees_work(Worker& me, u32 epoch, bool asleep_next) {
  u32 joined = Termination<M>::joined_of(term_.look()), candidates = joined == 0 ? 0 : me.victims.count(joined);
  for (u32 i = 0; i < candidates; i++) {
    u32 victim = me.victims.at((me.ordinal + i) % candidates, roster_, epoch, me.ordinal);
    if (victim == kWorkersMax) continue;
    Deque<M>& deque = workers_[victim].deque;
    if (asleep_next ? deque.looks_stealable_seq_cst() : deque.looks_stealable()) return &workers_[victim];
  }
  return nullptr;
}

// Waits, counted idle, until the phase is over or there is work for this worker and the offer has been taken back.
template <class M> typename Gang<M>::Idle Gang<M>::idle(Self& self, Worker& me, u32 epoch, Worker*& hint) {
  for (u32 turn = 0;; turn++) {
    if (!Termination<M>::open_for(term_.look(), epoch)) return Idle::over;
    if (config_.steal) {
      hint = sees_work(me, epoch, false);
      if (hint != nullptr) {
        if (term_.withdraw(epoch)) return Idle::work;
        return Idle::over; // only an end refuses a withdrawal
      }
    } else if (late() && !conducts(me)) {
      return Idle::leave; // nothing can come any more; the phase ends without us
    }
    if (config_.term_exit == TermExit::literal && turn >= kLiteralTurns) return Idle::leave; // all deques look empty: the paper's exit
    back_off(self, me, epoch, turn);
  }
}

template <class M> void Gang<M>::back_off(Self& self, Worker& me, u32 epoch, u32 turn) {
  if (turn < kSpinTurns) {
    for (u32 i = 0; i < (1u << turn); i++) self.pause();
  } else if (!late() || turn < kSpinTurns + kYieldTurns) {
    for (u32 i = 0; i < (1u << min_of(turn - kSpinTurns, kYieldTurns - 1)); i++) self.yield();
  } else {
    doze(self, me, epoch);
  }
}

// Sleeps until something is published or the phase ends; the order of the four steps is that of the stories in bell.h.
template <class M> void Gang<M>::doze(Self& self, Worker& me, u32 epoch) {
  u32 heard = bell_.listen();
  if (term_.doze(epoch) && (!config_.steal || sees_work(me, epoch, true) == nullptr)) {
    reached(self, Spot::dozing);
    bell_.sleep(self, heard);
  }
  bell_.leave();
}

} // namespace garner
