// A fiber runs on its own stack, can be aimed again after it left, and runs into a guard page instead of over its end.
#include <gtest/gtest.h>

#include <csignal>
#include <sys/wait.h>
#include <vector>

#include "base/fiber.h"

namespace garner {
namespace {

struct Ring {
  Fiber host;
  std::vector<Fiber*> fibers;
  std::vector<u32> order;
  u32 laps = 0;
};
Ring* ring;

void member(void* number) {
  const usize me = reinterpret_cast<usize>(number);
  int local = 0;
  const word here = reinterpret_cast<word>(&local);
#if !defined(__SANITIZE_ADDRESS__) // which may keep locals elsewhere
  EXPECT_GE(here, ring->fibers[me]->low());
  EXPECT_LT(here, ring->fibers[me]->high());
#endif
  (void)here;
  for (u32 lap = 0; lap < ring->laps; lap++) {
    ring->order.push_back(u32(me));
    Fiber::switch_to(*ring->fibers[me], *ring->fibers[(me + 1) % ring->fibers.size()]);
  }
  Fiber::leave(*ring->fibers[me], ring->host);
}

TEST(FiberStacks, GoRoundAndAreAimedAgain) {
  FiberPool pool(64 * KiB);
  for (u32 use = 0; use < 3; use++) {
    Ring here;
    ring = &here;
    here.laps = 5;
    for (usize i = 0; i < 7; i++) {
      here.fibers.push_back(pool.take());
      ASSERT_NE(here.fibers.back(), nullptr);
      here.fibers.back()->aim(&member, reinterpret_cast<void*>(i));
    }
    Fiber::switch_to(here.host, *here.fibers[0]);
    ASSERT_EQ(here.order.size(), 35u);
    for (u32 i = 0; i < 35; i++) EXPECT_EQ(here.order[i], i % 7);
    for (Fiber* fiber : here.fibers) {
      EXPECT_GE(fiber->saved_sp(), fiber->low());
      EXPECT_LT(fiber->saved_sp(), fiber->high());
      pool.give(fiber);
    }
  }
}

// A signal other than abort's, or the exit of a sanitizer that caught it.
bool died_of_a_fault(int status) {
  return WIFSIGNALED(status) ? WTERMSIG(status) != SIGABRT : WEXITSTATUS(status) != 0;
}

u32 deep(u32 level) {
  volatile char room[512];
  room[0] = char(level);
  return level == 0 ? 0 : deep(level - 1) + u32(room[0] & 1);
}

void overflow(void*) {
  deep(1'000'000);
  abort();
}

TEST(FiberStacksDeath, OverflowIsAFault) {
  auto run = [] {
    Fiber here;
    Fiber* one = Fiber::create(32 * KiB);
    one->aim(&overflow, nullptr);
    Fiber::switch_to(here, *one);
  };
  EXPECT_EXIT(run(), died_of_a_fault, "");
}

TEST(FiberStacksDeath, TheGuardIsThereAndNotOnlyAGap) {
  Fiber* one = Fiber::create(32 * KiB);
  EXPECT_TRUE(is_aligned(one->guard(), kPageBytes));
  store_word(one->low(), 1);
  auto run = [&] {
    store_word(one->guard() + kPageBytes - kWordBytes, 1);
    abort();
  };
  EXPECT_EXIT(run(), died_of_a_fault, "");
  Fiber::destroy(one);
}

} // namespace
} // namespace garner
