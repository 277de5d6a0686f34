// Game: a whole program on the synthetic host, played from a script, with its shadow examined around every collection.
//
// One player per thread, all on one graph: they allocate at the same time and change the graph one after the other, under `lock`. A
// reference in hand is good until the player's own next allocation or collection. The first player also starts, waits for the
// others, and at the end drops everything: what is left of the heap then must be nothing.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "dice.h"
#include "examiner.h"
#include "machine/linux/linux.h"
#include "machine/sim/sim.h"

namespace garner::test {

struct Script {
  u64 seed = 1;
  u32 threads = 1, operations = 1000; // operations of each player
  const u8* bytes = nullptr;          // when given, choices come from here
  usize byte_count = 0;
  Settings settings;
  synthetic::Manners manners;
  SyntheticShape shape;
  std::string context;                // printed with a failure
};

struct Result {
  std::string trouble; // empty when all went well; what the examiner finds ends the process instead
  u64 digest = 0;      // of what happened; on the simulated machine the same for the same script
  u64 collections[3] = {}, failed_promotions = 0, marked_beside = 0, en_masse = 0, moves = 0, out_of_memory = 0, most_objects = 0, allocated = 0, resurrected = 0;
  u64 overflows = 0, steals = 0;
};

// Plays the script to its end. On the simulated machine the machine is run by this call.
Result play(Linux& machine, const Script& script);
Result play(Sim& machine, const Script& script);

template <class M> class Player;

template <class M> class Game {
 public:
  using Self = typename M::Self;
  Game(M& machine, const Script& script);
  bool start();      // outside the simulated machine's run
  void conduct();    // the first player's thread: everything
  Result result();

  M& machine;
  const Script& script;
  Synthetic<M> host;
  Shadow shadow;
  Examiner<M> examiner;
  typename M::Lock lock;                      // guards shadow, examiner's lists, statics, handles' notes
  typename M::template Atomic<u32> next_id{1};
  u64 out_of_memory = 0;                      // guarded by lock
  bool uprooted = false;                      // the host's store; likewise
  std::vector<word> outside;                  // objects that are not in the heap
  static constexpr u32 kOutside = 8;
  word* native_word();                        // for a weak_interior handle; never moves

 private:
  friend class Player<M>;
  struct Seat { Game* game; u32 number; };
  static void player_thread(void* seat);
  static void vandal_thread(void* game);
  void make_outside_objects();
  void count(const WorkerStats& stats);
  void finale(Self& self, Player<M>& player);

  std::vector<std::unique_ptr<synthetic::Mutator<M>>> mutators_;
  std::vector<Seat> seats_;
  typename M::template Atomic<u32> playing_;  // futex: players that have not ended, but for the first
  typename M::template Atomic<u32> gone_;     // threads that will not touch the game again
  typename M::template Atomic<u32> bell_;     // futex: the vandal sleeps on it; bit 31: the end
  std::unique_ptr<word[]> native_;
  u32 native_used_ = 0;
  Result result_;
};

extern template class Game<Linux>;
extern template class Game<Sim>;

} // namespace garner::test
