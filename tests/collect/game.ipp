#pragma once
#include <cstdio>

#include "game.h"
#include "player.h"

namespace garner::test {

namespace {
inline constexpr u32 kNativeWords = 4096;
inline constexpr u32 kOver = u32(1) << 31;
} // namespace

template <class M> Game<M>::Game(M& m, const Script& s) : machine(m), script(s), host(m, s.settings, s.manners), examiner(host, shadow), native_(new word[kNativeWords]()) {
  examiner.context = s.context;
}

template <class M> word* Game<M>::native_word() { return native_used_ < kNativeWords ? &native_[native_used_++] : nullptr; }

template <class M> void Game<M>::make_outside_objects() {
  constexpr usize kWords = 5;
  outside.resize(kOutside * kWords);
  for (u32 i = 0; i < kOutside; i++) {
    Id id = next_id.fetch_add_relaxed(1);
    u64 type = synthetic::make_type(synthetic::Shape::plain, 0, 0, kWords * kWordBytes);
    shadow.add(id, type, 0).outside_at = synthetic::format(word(&outside[i * kWords]), type, id, 0).at;
  }
}

template <class M> bool Game<M>::start() {
  host.observer = examiner.observer();
  make_outside_objects();
  if (!host.start(script.shape)) return false;
  // Workers' statistics are readable when a phase's event comes. Half of the seeds ask for details, which must change nothing.
  bool added = host.cycle->emitter().add({[](void* self, EventId id, const void*) {
    Game& game = *static_cast<Game*>(self);
    if (id != EventId::phase) return;
    for (u32 w = 0; w < game.host.cycle->gang().workers(); w++)
      if (game.host.cycle->gang().took_part(w)) game.count(game.host.cycle->gang().stats(w));
  }, this, Detail(script.seed % 4 < 2 ? 0 : script.seed % 4 - 1)});
  examiner.on_before_self = this;
  examiner.on_before = [](void* self) { // the thread that nobody stops gets to work while the collection runs
    Game& game = *static_cast<Game*>(self);
    Self me(game.machine, 0);
    game.bell_.fetch_add_acq_rel(1);
    game.machine.wake(me, game.bell_, 1);
  };
  for (u32 i = 0; i < script.threads; i++) {
    mutators_.push_back(std::make_unique<synthetic::Mutator<M>>(host));
    host.add(*mutators_.back());
    seats_.push_back({this, i});
  }
  return added;
}

template <class M> void Game<M>::count(const WorkerStats& stats) {
  result_.overflows += stats.overflows;
  result_.steals += stats.steals;
}

template <class M> void Game<M>::player_thread(void* at) {
  Seat& seat = *static_cast<Seat*>(at);
  Game& game = *seat.game;
  Self self(game.machine, seat.number);
  Player<M>(game, self, *game.mutators_[seat.number], seat.number).play();
  if (game.playing_.fetch_sub_acq_rel(1) == 1) game.machine.wake(self, game.playing_, ~u32(0));
  game.gone_.fetch_add_acq_rel(1); // the last touch
}

// Destroys handles at its own pace, in particular in the middle of collections.
template <class M> void Game<M>::vandal_thread(void* at) {
  Game& game = *static_cast<Game*>(at);
  Self self(game.machine, 0);
  for (u32 heard = 0; (heard & kOver) == 0; heard = game.bell_.load_acquire()) {
    for (u64 n = self.random.below(4); n > 0 && game.host.destroy_doomed(); n--)
      for (u64 k = self.random.below(30); k > 0; k--) self.pause();
    game.machine.park(self, game.bell_, heard);
  }
  game.gone_.fetch_add_acq_rel(1);
}

template <class M> void Game<M>::conduct() {
  Self self(machine, 0);
  u32 threads = 0;
  for (u32 i = 1; i < script.threads; i++) {
    playing_.fetch_add_acq_rel(1);
    if (machine.start(&player_thread, &seats_[i])) threads++;
    else playing_.fetch_sub_acq_rel(1);
  }
  if (script.manners.preemptive_destroy) threads += machine.start(&vandal_thread, this);
  Player<M> player(*this, self, *mutators_[0], 0);
  player.play();
  for (u32 left; (left = playing_.load_acquire()) != 0;) machine.park(self, playing_, left);
  bell_.fetch_or_acq_rel(kOver);
  machine.wake(self, bell_, 1);
  while (gone_.load_acquire() != threads) self.yield();
  finale(self, player);
  host.stop_workers(self);
}

// Everything is dropped: a full collection, finalizers, and another one must leave nothing.
template <class M> void Game<M>::finale(Self& self, Player<M>& player) {
  host.program.come_in(self);
  Request full;
  full.kind = Kind::full;
  full.cause = Cause::induced;
  mutators_[0]->collect(self, full);
  full.give_back = true;
  // What a finalizer brought back, or an eager object's handle held, takes another round.
  for (u64 round = 0; round < 3 || (examiner.objects() != 0 && round < 40); round++) {
    player.drop_everything();
    mutators_[0]->collect(self, full);
  }
  if (examiner.objects() != 0) result_.trouble = "objects are left that nothing holds";
  else if (host.cycle->sizes().total() != 0) result_.trouble = "regions are left that hold nothing";
  else if (host.heap().budget().charged() != 0) result_.trouble = "memory is still charged to an empty heap";
  host.program.go_out(self);
}

template <class M> Result Game<M>::result() {
  result_.digest = examiner.digest();
  for (u32 k = 0; k < 3; k++) result_.collections[k] = examiner.collections(Kind(k));
  result_.failed_promotions = examiner.failed_promotions();
  result_.marked_beside = examiner.marked_beside();
  result_.en_masse = examiner.en_masse();
  result_.moves = examiner.moves();
  result_.out_of_memory = out_of_memory;
  result_.most_objects = examiner.most_objects();
  result_.allocated = shadow.count();
  result_.resurrected = examiner.resurrected();
  return result_;
}

} // namespace garner::test
