// Mutex: a sleeping lock on a futex, for waits of the .NET host. 0 free, 1 held, 2 held with waiters.
#pragma once
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"

namespace garner::dotnet {

inline void futex_wait(Atomic<u32>& futex, u32 expected) { syscall(SYS_futex, futex.address(), FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0); }
// Until then, by Linux::now(), at the latest; ~0: for ever. A signal may end it sooner.
inline void futex_wait_until(Atomic<u32>& futex, u32 expected, u64 until_ns) {
  const timespec until{i64(until_ns / 1'000'000'000), i64(until_ns % 1'000'000'000)};
  syscall(SYS_futex, futex.address(), FUTEX_WAIT_BITSET_PRIVATE, expected, until_ns == ~u64(0) ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
}
inline void futex_wake_all(Atomic<u32>& futex) { syscall(SYS_futex, futex.address(), FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0); }

class Mutex {
 public:
  void lock() {
    u32 state = 0;
    if (word_.cas_acq_rel(state, 1)) return; // acquire: pairs with unlock
    for (u32 spins = 0; spins < 64; spins++) {
      cpu_relax();
      state = 0;
      if (word_.cas_acq_rel(state, 1)) return;
    }
    while (word_.exchange_acq_rel(2) != 0) futex_wait(word_, 2);
  }
  void unlock() {
    if (word_.exchange_acq_rel(0) == 2) syscall(SYS_futex, word_.address(), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

 private:
  Atomic<u32> word_{0};
};

} // namespace garner::dotnet
