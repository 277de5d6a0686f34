// Forks: many short runs in forked processes, so that one that dies takes nobody along and leaks stay small.
//
// Runs are numbered; each process takes the next number until it has done its share, and is replaced. A run fails when it returns
// a sentence, when its process dies in it, or when it does not end in time.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/atomic.h"

namespace garner::test {

struct ForkPlan {
  u64 runs = 0;                   // 0: until the time is up
  u32 jobs = 1, runs_per_process = 40;
  u32 seconds = 0, hang_seconds = 240; // 0: no limit
};

class Forks {
 public:
  using Run = std::function<std::string(u64 number)>;                  // empty: passed. In a process of its own
  using Failed = std::function<void(u64 number, const std::string& how)>; // in the calling process
  explicit Forks(const ForkPlan& plan) : plan_(plan) {}
  // How many failed.
  u64 run(const Run& run, const Failed& failed);
  u64 passed() const { return passed_; }
  u64 elapsed_s() const { return elapsed_s_; }

 private:
  struct Seat { Atomic<u64> playing, since_s; }; // number + 1, 0: none
  struct Board { Atomic<u64> next, passed; Seat seats[64]; };
  int child(Seat& seat, const Run& run);
  void spawn(u32 i, const Run& run);
  void end_hangs();
  bool more() const;

  ForkPlan plan_;
  Board* board_ = nullptr;
  std::vector<pid_t> pids_;
  u64 start_s_ = 0, passed_ = 0, failures_ = 0, elapsed_s_ = 0;
};

u64 monotonic_s();

} // namespace garner::test
