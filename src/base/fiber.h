// Fibers: stacks that one thread runs in turns, with a switch of our own, so that nothing of libc stands in the way.
//
// A Fiber is a stack and the point at which it stands still. switch_to(from, to) saves the registers that the ABI says a call
// preserves, with the control bits of the floating-point unit, on the stack of `from`, and goes on where `to` stopped. No system
// call is made and the signal mask is not touched: that is why this is not ucontext, which makes two system calls per switch.
//
// Layout of one mapping, low to high:   [ guard page | stack, grows down … | the Fiber object itself ]
//
// Invariants:
//   - of the fibers that one thread switches among, exactly one runs; only that one may be the `from` of a switch;
//   - while a fiber stands still, all its live registers lie in [saved_sp(), high()): a stack scanner need look nowhere else;
//   - an entry never returns: it leaves with leave(), after which the fiber may be aimed again;
//   - running over the stack's end hits the guard page and is a fault, never a silent overwrite.
// A fiber that stands still may be resumed by another thread, provided something orders the two switches.
// Deviates: floating-point status flags (inexact, …) are the thread's, not the fiber's: the ABI does not preserve them over a
// call either. Hardware shadow stacks are not supported; the object file does not claim them, so the loader leaves them off.
// Under the address and thread sanitizers each switch is announced to them.
#pragma once
#include "base/words.h"

namespace garner {

class Fiber {
 public:
  using Entry = void (*)(void* arg);

  // Stands for the calling thread on its own stack: something to switch away from and back to.
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // A fiber with a stack of at least `stack_bytes`; null when the system refuses. Touches two pages, the rest on use.
  static Fiber* create(usize stack_bytes);
  static void destroy(Fiber* fiber); // not the running one; what is on its stack is dropped, no destructor runs

  // The next switch to this fiber calls entry(arg) at the top of an empty stack. Whatever stood there is forgotten.
  void aim(Entry entry, void* arg);

  // Returns when somebody switches back to `from`.
  static void switch_to(Fiber& from, Fiber& to);
  // The last switch of `from`: its stack may be aimed again once `to` runs.
  [[noreturn]] static void leave(Fiber& from, Fiber& to);

  word low() const { return low_; }            // lowest usable address of the stack; 0 for a thread's own
  word high() const { return high_; }          // one past the highest
  word saved_sp() const { return saved_sp_; }  // valid while it stands still
  word guard() const { return low_ - kPageBytes; }

 private:
  friend void fiber_arrive(Fiber* from, Fiber* self);
  friend void fiber_begin(Fiber* from, Fiber* self);
  friend class FiberPool;

  word saved_sp_ = 0;
  word low_ = 0, high_ = 0;
  usize mapped_bytes_ = 0;
  Entry entry_ = nullptr;
  void* arg_ = nullptr;
  void* asan_frames_ = nullptr; // the address sanitizer's copies of this stack's frames, while it stands still
  void* tsan_ = nullptr;        // the thread sanitizer's name for it
  u32 aims_ = 0;
  Fiber* next_ = nullptr;       // in a pool
};

// Stacks kept for reuse: mapping and touching one costs more than a short fiber's whole life. Not thread-safe.
class FiberPool {
 public:
  explicit FiberPool(usize stack_bytes) : stack_bytes_(stack_bytes) {}
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;
  ~FiberPool();

  Fiber* take(); // null when the system refuses
  // May be called by the fiber itself just before it leaves, as long as nobody takes in between.
  void give(Fiber* one);

 private:
  usize stack_bytes_;
  Fiber* idle_ = nullptr; // a list through next_
};

} // namespace garner
