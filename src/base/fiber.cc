// Stacks, first entry and sanitizer announcements of fibers; the switch itself is fiber_switch.S, one per instruction set.
//
// Invariant: the words aim() lays at the top of a stack are exactly those that the tail of the switch pops, so the first entry
// is an ordinary resume whose return address is garner_fiber_start.
#include "base/fiber.h"

#include <new>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/check.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

extern "C" {
// Stores the stack pointer to *save, continues at `load`; returns there what the last switch passed.
garner::Fiber* garner_fiber_switch(garner::word* save, garner::word load, garner::Fiber* pass);
void garner_fiber_start();
[[noreturn]] __attribute__((visibility("hidden"))) void garner_fiber_begin(garner::Fiber* from, garner::Fiber* self);
}

namespace garner {
namespace {

// What the switch pops, lowest address first. Keep in step with fiber_switch.S.
#if defined(__x86_64__)
struct Frame {
  u32 mxcsr;
  u16 x87_control, unused;
  word r15, r14, r13, r12, rbx, rbp, return_to;
};
void fill(Frame& frame, Fiber* self) {
  asm("stmxcsr %0" : "=m"(frame.mxcsr));
  asm("fnstcw %0" : "=m"(frame.x87_control));
  frame.r12 = reinterpret_cast<word>(self);
  frame.return_to = reinterpret_cast<word>(&garner_fiber_start);
}
#elif defined(__aarch64__)
struct Frame {
  word x19_to_x28[10], x29, x30;
  word d8_to_d15[8];
  word fpcr, unused;
};
void fill(Frame& frame, Fiber* self) {
  asm("mrs %0, fpcr" : "=r"(frame.fpcr));
  frame.x19_to_x28[0] = reinterpret_cast<word>(self);
  frame.x30 = reinterpret_cast<word>(&garner_fiber_start);
}
#else
#error "fibers are written for x86-64 and aarch64"
#endif

constexpr usize kColourBytes = 4 * kLineBytes;

} // namespace

// The first thing on the new stack after every switch.
void fiber_arrive(Fiber* from, Fiber* self) {
#if defined(__SANITIZE_ADDRESS__)
  const void* from_low = nullptr;
  size_t from_bytes = 0;
  __sanitizer_finish_switch_fiber(self->asan_frames_, &from_low, &from_bytes);
  if (from->low_ == 0) { // a thread's own stack: only the sanitizer knows its bounds
    from->low_ = reinterpret_cast<word>(from_low);
    from->high_ = from->low_ + from_bytes;
  }
#else
  (void)from, (void)self;
#endif
}

void fiber_begin(Fiber* from, Fiber* self) {
  fiber_arrive(from, self);
  self->entry_(self->arg_);
  die("a fiber's entry returned", __FILE__, __LINE__);
}

Fiber* Fiber::create(usize stack_bytes) {
  usize bytes = align_up(stack_bytes + 16 * kColourBytes + sizeof(Fiber), kPageBytes) + kPageBytes;
  char* at = static_cast<char*>(map_own(bytes));
  if (at == nullptr) return nullptr;
  if (mprotect(at, kPageBytes, PROT_NONE) != 0) {
    unmap_own(at, bytes);
    return nullptr;
  }
  word object = align_down(reinterpret_cast<word>(at) + bytes - sizeof(Fiber), kLineBytes);
  Fiber* fiber = new (reinterpret_cast<void*>(object)) Fiber();
  fiber->low_ = reinterpret_cast<word>(at) + kPageBytes;
  // Tops of equal mappings would all fall into the same cache sets; a few lines of difference keep many stacks warm at once.
  word colour = fiber->low_ / bytes % 16;
  fiber->high_ = object - colour * kColourBytes;
  fiber->mapped_bytes_ = bytes;
  return fiber;
}

void Fiber::destroy(Fiber* fiber) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(reinterpret_cast<void*>(fiber->low_), fiber->high_ - fiber->low_);
#endif
#if defined(__SANITIZE_THREAD__)
  if (fiber->tsan_ != nullptr) __tsan_destroy_fiber(fiber->tsan_);
#endif
  unmap_own(reinterpret_cast<void*>(fiber->guard()), fiber->mapped_bytes_);
}

void Fiber::aim(Entry entry, void* arg) {
  entry_ = entry;
  arg_ = arg;
  asan_frames_ = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(reinterpret_cast<void*>(low_), high_ - low_); // frames of the last entry never returned
#endif
#if defined(__SANITIZE_THREAD__)
  // Its shadow call stack still holds those frames; it has room for many such, and a new one is dear.
  if (aims_++ % 64 == 0) {
    if (tsan_ != nullptr) __tsan_destroy_fiber(tsan_);
    tsan_ = __tsan_create_fiber(0);
  }
#endif
  saved_sp_ = high_ - kLineBytes - sizeof(Frame); // after the pops the stack pointer is a line below high_, 16-byte aligned
  Frame* frame = new (reinterpret_cast<void*>(saved_sp_)) Frame{};
  fill(*frame, this);
}

void Fiber::switch_to(Fiber& from, Fiber& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&from.asan_frames_, reinterpret_cast<void*>(to.low_), to.high_ - to.low_);
#endif
#if defined(__SANITIZE_THREAD__)
  if (from.low_ == 0) from.tsan_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.tsan_, 0);
#endif
  Fiber* before = garner_fiber_switch(&from.saved_sp_, to.saved_sp_, &from);
  fiber_arrive(before, &from);
}

void Fiber::leave(Fiber& from, Fiber& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(nullptr, reinterpret_cast<void*>(to.low_), to.high_ - to.low_); // null: frees the frames
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(to.tsan_, 0);
#endif
  garner_fiber_switch(&from.saved_sp_, to.saved_sp_, &from);
  die("a fiber that had left was resumed", __FILE__, __LINE__);
}

FiberPool::~FiberPool() {
  while (idle_ != nullptr) Fiber::destroy(take());
}

Fiber* FiberPool::take() {
  if (idle_ == nullptr) return Fiber::create(stack_bytes_);
  Fiber* one = idle_;
  idle_ = one->next_;
  return one;
}

void FiberPool::give(Fiber* one) {
  one->next_ = idle_;
  idle_ = one;
}

} // namespace garner

extern "C" void garner_fiber_begin(garner::Fiber* from, garner::Fiber* self) {
  garner::fiber_begin(from, self);
  __builtin_unreachable();
}
