// Seats: where workers are as many as processors, each worker gets a processor of its own, and none gets the conductor's.
//
// WHY. A thread that is woken goes to an idle processor only where the system knows which processors share a cache. Many virtual machines do not say; there it
// goes to where it slept, or to where it is woken from, busy or not. A worker that slept on the conductor's processor then stands behind the conductor, who does
// not stop working: it comes some milliseconds late, when the system evens its queues out, or both share the processor for the length of a short phase.
//
// HOW. Each thread of the gang says which it is when it begins to live. Before the conductor wakes anybody it looks where it runs itself, and binds whoever has no
// seat yet, and whoever sits there, to a processor that nobody has: no system call besides while the conductor stays, one or two when it has moved.
//
// INVARIANTS. - After assign() no two threads sit on one processor, and none sits where a working conductor ran when it asked. A waiting one takes no seat: it sleeps.
//   - A thread gets only what it was allowed when it began: of a thread that was told where to run (GCHeapAffinitizeMask), that.
//   - The conductor is a thread of the program and is never bound. It may be moved in the middle of a phase; the next phase sees that.
//   - Who else binds a thread of ours wins. When a thread is found where we did not put it, or the system refuses (seccomp, a cpuset that has changed), seats are given
//     up for good, and who still sits where we put it gets back what it was allowed.
//
// Threads stay bound between phases, when they sleep. On a processor that is busy with something else they are no worse off than Server GC's, which are bound for
// life: the system moves the others, which are not. Where processors are more than workers, a seat could be taken from an idle processor's neighbour to a busy
// one, and the system, which sees who is idle, chooses better; where they are fewer, there are no seats for all. Nothing is bound there.
//
// DEVIATION. The papers bind threads to nodes (N25) or leave them to the system. On several nodes, or under pin=rr, this is switched off.
#pragma once
#include "seam/machine.h"

namespace garner {

// For machines that do not tell processors apart: nothing.
template <class M> class Seats {
 public:
  void start(M&, u32, u32, bool) {}
  void enter(u32) {}
  void assign() {}
};

template <TellsProcessors M> class Seats<M> {
 public:
  static constexpr u32 kMost = 64; // processors have a bit of a word each

  // Before any thread is made: their numbers will be `first` to `workers` - 1. first: 1 where the conductor is a worker himself, else 0.
  void start(M& machine, u32 first, u32 workers, bool wanted) {
    machine_ = &machine;
    first_ = first;
    workers_ = wanted && workers > 1 && workers <= kMost && workers == machine.processors() ? workers : 0;
    given_up_ = false;
    for (Seat& seat : seats_) {
      seat.thread.store_relaxed(0); // no thread exists; their creation publishes this
      seat.allowed = seat.at = 0;
    }
  }

  // By thread `index` itself, when it begins to live. One that may use more processors than there are workers, or fewer, gets no seat.
  void enter(u32 index) {
    if (workers_ == 0) return;
    const u32 thread = machine_->thread();
    seats_[index].allowed = machine_->affinity(thread);
    if (u32(__builtin_popcountll(seats_[index].allowed)) != workers_) return;
    seats_[index].thread.store_release(thread); // pairs with assign's acquire: brings `allowed`
  }

  // By the conductor, before it wakes the others. A thread that has not entered yet is left to the system this time.
  void assign() {
    if (workers_ == 0 || given_up_) return;
    u64 taken = first_ != 0 ? bit(machine_->processor()) : 0, homeless = 0;
    for (u32 i = first_; i < workers_; i++) {
      if (seats_[i].thread.load_acquire() == 0) continue; // pairs with enter's release
      if ((seats_[i].at & ~taken) != 0) taken |= seats_[i].at;
      else homeless |= bit(i);
    }
    for (; homeless != 0; homeless &= homeless - 1)
      if (!move(seats_[__builtin_ctzll(homeless)], taken)) return give_up();
  }

 private:
  struct Seat {
    typename M::template Atomic<u32> thread; // 0 until it has entered; written once, by the thread itself
    u64 allowed = 0;                         // what it might use when it entered; likewise, before `thread`
    u64 at = 0;                              // the processor it is bound to, 0: none yet. The conductor's
  };
  static constexpr u64 bit(u32 number) { return number < kMost ? u64(1) << number : 0; }

  // There is a free one: of the `workers_` processors it is allowed, the others and the conductor have one each.
  bool move(Seat& seat, u64& taken) {
    const u32 thread = seat.thread.load_relaxed(); // acquired by assign
    const u64 free = seat.allowed & ~taken, lowest = free & (0 - free);
    if (!is_ours(seat) || !machine_->set_affinity(thread, lowest)) return false;
    taken |= seat.at = lowest;
    return true;
  }

  bool is_ours(Seat& seat) const { return machine_->affinity(seat.thread.load_relaxed()) == (seat.at != 0 ? seat.at : seat.allowed); }

  void give_up() {
    given_up_ = true;
    for (Seat& seat : seats_)
      if (seat.at != 0 && is_ours(seat)) machine_->set_affinity(seat.thread.load_relaxed(), seat.allowed);
  }

  M* machine_ = nullptr;
  u32 first_ = 0, workers_ = 0; // workers_ == 0: no seats. Both stay as start() has set them
  bool given_up_ = false;       // the conductor's
  Seat seats_[kMost];
};

} // namespace garner
