// Atomic<T>: one word shared by threads, with the memory order in the name of every operation, so that no call site is silent about it.
//
// This is the type of the real machine. The simulated machine has one with the same operations that also charges the
// access and may switch worker. `cas_*` returns true on success; on failure `expected` holds what was found.
#pragma once
#include <sched.h>

#include "base/words.h"

namespace garner {

template <class T> class Atomic {
 public:
  constexpr Atomic() = default;
  constexpr explicit Atomic(T value) : value_(value) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  GARNER_INLINE T load_relaxed() const { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
  GARNER_INLINE T load_acquire() const { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }
  GARNER_INLINE void store_relaxed(T v) { __atomic_store_n(&value_, v, __ATOMIC_RELAXED); }
  GARNER_INLINE void store_release(T v) { __atomic_store_n(&value_, v, __ATOMIC_RELEASE); }
  GARNER_INLINE T exchange_acq_rel(T v) { return __atomic_exchange_n(&value_, v, __ATOMIC_ACQ_REL); }
  GARNER_INLINE bool cas_acq_rel(T& expected, T v) {
    return __atomic_compare_exchange_n(&value_, &expected, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
  // Total order among the operations so named: needed where a store must not pass a later load (deque pop against steal).
  GARNER_INLINE bool cas_seq_cst(T& expected, T v) {
    return __atomic_compare_exchange_n(&value_, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
  GARNER_INLINE bool cas_relaxed(T& expected, T v) {
    return __atomic_compare_exchange_n(&value_, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
  GARNER_INLINE T load_seq_cst() const { return __atomic_load_n(&value_, __ATOMIC_SEQ_CST); }
  GARNER_INLINE void store_seq_cst(T v) { __atomic_store_n(&value_, v, __ATOMIC_SEQ_CST); }
  GARNER_INLINE T fetch_add_seq_cst(T v) { return __atomic_fetch_add(&value_, v, __ATOMIC_SEQ_CST); }
  GARNER_INLINE T fetch_add_relaxed(T v) { return __atomic_fetch_add(&value_, v, __ATOMIC_RELAXED); }
  GARNER_INLINE T fetch_sub_relaxed(T v) { return __atomic_fetch_sub(&value_, v, __ATOMIC_RELAXED); }
  GARNER_INLINE T fetch_add_acq_rel(T v) { return __atomic_fetch_add(&value_, v, __ATOMIC_ACQ_REL); }
  GARNER_INLINE T fetch_sub_acq_rel(T v) { return __atomic_fetch_sub(&value_, v, __ATOMIC_ACQ_REL); }
  GARNER_INLINE T fetch_or_relaxed(T v) { return __atomic_fetch_or(&value_, v, __ATOMIC_RELAXED); }
  GARNER_INLINE T fetch_or_acq_rel(T v) { return __atomic_fetch_or(&value_, v, __ATOMIC_ACQ_REL); }

  // The address, for park and wake only.
  GARNER_INLINE T* address() { return &value_; }

 private:
  T value_{};
};

GARNER_INLINE void cpu_relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  asm volatile("yield" ::: "memory");
#endif
}

// A short spin lock for code that can be entered from any thread of a foreign program, signal-free and allocation-free.
// Never held across anything that can wait for a collection: a stopped thread must not own it.
class SpinLock {
 public:
  void lock() {
    while (true) {
      if (held_.exchange_acq_rel(1) == 0) return; // pairs with unlock's release
      // A holder that lost its processor gets this one: with few of them it may be the only one. A hint, and free of errors.
      for (u32 looks = 1; held_.load_relaxed() != 0; looks++) {
        cpu_relax();
        if (looks % kLooks == 0) sched_yield();
      }
    }
  }
  bool try_lock() { return held_.exchange_acq_rel(1) == 0; }
  void unlock() { held_.store_release(0); }

 private:
  static constexpr u32 kLooks = 1024; // some 20 to 50 us
  Atomic<u32> held_;
};

template <class Lock> class Locked {
 public:
  explicit Locked(Lock& lock) : lock_(lock) { lock_.lock(); }
  ~Locked() { lock_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  Lock& lock_;
};

} // namespace garner
