// A switch of fibers gives back every register that a call preserves, and the control bits of the floating-point unit.
#include <gtest/gtest.h>

#include "base/fiber.h"

namespace garner {
namespace {

Fiber* peer;
u32 rounds, differences;

// Loads the preserved registers with values only this caller uses, switches away, and counts what came back different.
#if defined(__x86_64__)
__attribute__((noinline)) void carry(Fiber* from, Fiber* to, word pattern) {
  register word b asm("rbx") = pattern;
  register word c asm("r12") = pattern + 1;
  register word d asm("r13") = pattern + 2;
  register word e asm("r15") = pattern + 3;
  word frame = reinterpret_cast<word>(&Fiber::switch_to);
  asm volatile(
      "lea -128(%%rsp), %%rsp\n\t"
      "push %%rbp\n\t"
      "mov %%rsp, %%r14\n\t" // r14 itself is preserved, or the stack is lost
      "and $-16, %%rsp\n\t"
      "mov %%rbx, %%rbp\n\t"
      "call *%%rax\n\t"
      "mov %%rbp, %%rax\n\t"
      "mov %%r14, %%rsp\n\t"
      "pop %%rbp\n\t"
      "lea 128(%%rsp), %%rsp"
      : "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+a"(frame), "+D"(from), "+S"(to)
      :
      : "r14", "rcx", "rdx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "memory", "cc");
  differences += (b != pattern) + (c != pattern + 1) + (d != pattern + 2) + (e != pattern + 3) + (frame != pattern);
}
u32 control() {
  u32 mxcsr;
  u16 x87;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(x87));
  return (mxcsr & 0xffc0) << 16 | x87;
}
void set_rounding(u32 mode) { // 0 nearest … 3 toward zero, in both units
  u32 mxcsr = 0x1f80 | mode << 13;
  u16 x87 = u16(0x037f | mode << 10);
  asm volatile("ldmxcsr %0" : : "m"(mxcsr));
  asm volatile("fldcw %0" : : "m"(x87));
}
#else
__attribute__((noinline)) void carry(Fiber* from, Fiber* to, word pattern) {
  register Fiber* first asm("x0") = from;
  register Fiber* second asm("x1") = to;
  register word b asm("x19") = pattern;
  register word c asm("x20") = pattern + 1;
  register word d asm("x27") = pattern + 2;
  register word e asm("x28") = pattern + 3;
  register double f asm("d8") = double(pattern);
  register double g asm("d15") = double(pattern) + 1;
  asm volatile("blr %8"
               : "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+w"(f), "+w"(g), "+r"(first), "+r"(second)
               : "r"(&Fiber::switch_to)
               : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x30",
                 "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
                 "v26", "v27", "v28", "v29", "v30", "v31", "memory", "cc");
  differences += (b != pattern) + (c != pattern + 1) + (d != pattern + 2) + (e != pattern + 3);
  differences += (f != double(pattern)) + (g != double(pattern) + 1);
}
u32 control() {
  word fpcr;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return u32(fpcr);
}
void set_rounding(u32 mode) { asm volatile("msr fpcr, %0" : : "r"(word(mode) << 22)); }
#endif

void ping(void* to) {
  set_rounding(2);
  const u32 mine = control();
  for (word i = 0;; i++) {
    carry(peer, static_cast<Fiber*>(to), 0x5000 + i * 16);
    differences += control() != mine;
  }
}

TEST(FiberKeepsRegisters, OverManySwitches) {
  Fiber here;
  peer = Fiber::create(64 * KiB);
  ASSERT_NE(peer, nullptr);
  peer->aim(&ping, &here);
  set_rounding(1);
  const u32 mine = control();
  for (word i = 0; i < 1000; i++) {
    carry(&here, peer, 0x9000'0000 + i * 16);
    differences += control() != mine;
    rounds++;
  }
  set_rounding(0);
  EXPECT_EQ(rounds, 1000u);
  EXPECT_EQ(differences, 0u);
  Fiber::destroy(peer);
}

} // namespace
} // namespace garner
