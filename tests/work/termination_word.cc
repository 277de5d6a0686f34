// N10: what the termination word allows and refuses.
#include "crew.h"

namespace garner::test {
namespace {

using Term = Termination<Linux>;

TEST(Termination, N10OverIsSticky) {
  Term term;
  term.open(5, 2);
  EXPECT_FALSE(Term::over(term.look()));
  EXPECT_FALSE(Term::over(term.offer()));
  EXPECT_TRUE(term.withdraw(5));
  EXPECT_FALSE(Term::over(term.offer()));
  EXPECT_TRUE(Term::over(term.offer()));
  u32 ordinal = 9;
  EXPECT_FALSE(term.withdraw(5)) << "a straggler re-opened a finished phase";
  EXPECT_FALSE(term.join(5, 9, ordinal));
  EXPECT_FALSE(term.doze(5));
  EXPECT_TRUE(Term::over(term.look()));
}

TEST(Termination, N10OtherEpochsAreLeftAlone) {
  Term term;
  term.open(6, 3);
  term.offer();
  u64 before = term.look();
  u32 ordinal = 9;
  EXPECT_FALSE(term.withdraw(5)) << "a straggler changed the next phase's count";
  EXPECT_FALSE(term.join(5, 9, ordinal));
  EXPECT_FALSE(term.doze(5));
  EXPECT_EQ(term.look(), before);
}

TEST(Termination, N10LateJoin) {
  Term term;
  term.open(1, 1);
  u32 ordinal = 9;
  EXPECT_TRUE(term.join(1, 3, ordinal));
  EXPECT_EQ(ordinal, 1u);
  EXPECT_TRUE(term.join(1, 3, ordinal));
  EXPECT_EQ(ordinal, 2u);
  EXPECT_FALSE(term.join(1, 3, ordinal)) << "more than wanted joined";
  EXPECT_FALSE(Term::over(term.offer()));
  EXPECT_FALSE(Term::over(term.offer()));
  EXPECT_TRUE(Term::over(term.offer()));
}

TEST(Termination, N10WaitingConductorIsNotAMember) {
  Term term;
  term.open(1, 0);
  EXPECT_FALSE(Term::over(term.look())) << "0 of 0 idle is not an end";
  u32 ordinal = 9;
  EXPECT_TRUE(term.join(1, 2, ordinal));
  EXPECT_EQ(ordinal, 0u);
  EXPECT_TRUE(Term::over(term.offer()));
}

// The room left for messages: a word with pending > 0 is not over (N23, T13).
TEST(Termination, N23PendingMessagesKeepThePhaseOpen) {
  Term term;
  term.open(1, 2);
  term.offer();
  u64 all_idle = term.offer();
  EXPECT_TRUE(Term::over(all_idle));
  EXPECT_FALSE(Term::over(all_idle + Term::kPending));
  EXPECT_EQ(Term::pending_of(all_idle + 3 * Term::kPending), 3u);
}

TEST(Termination, FieldsHoldTheirLargestValues) {
  Term term;
  term.open(kEpochMax, kWorkersMax);
  for (u32 i = 0; i < kWorkersMax; i++) {
    EXPECT_FALSE(Term::over(term.look()));
    term.offer();
  }
  u64 w = term.look();
  EXPECT_TRUE(Term::over(w));
  EXPECT_EQ(Term::epoch_of(w), kEpochMax);
  EXPECT_EQ(Term::joined_of(w), kWorkersMax);
  EXPECT_EQ(Term::idle_of(w), kWorkersMax);
  EXPECT_EQ(Term::pending_of(w), 0u);
  EXPECT_FALSE(Term::dozed(w));
}

// Six threads offer and withdraw as fast as they can; once anybody has seen the end, it stays.
TEST(Termination, N10StressOfferAndWithdraw) {
  constexpr u32 kThreads = 6;
  Term term;
  for (u32 epoch = 1; epoch < 300; epoch++) {
    term.open(epoch, kThreads);
    std::atomic<bool> seen_over{false}, reopened{false};
    std::vector<std::thread> threads;
    for (u32 t = 0; t < kThreads; t++)
      threads.emplace_back([&, t] {
        Random random(epoch * 100 + t);
        while (true) {
          if (Term::over(term.offer())) seen_over = true;
          while (true) {
            bool before = seen_over;
            bool over = Term::over(term.look());
            if (before && !over) reopened = true;
            if (over) return void(seen_over = true);
            if (random.one_in(20) && term.withdraw(epoch)) break;
            if (random.one_in(8)) std::this_thread::yield();
          }
        }
      });
    for (std::thread& t : threads) t.join();
    ASSERT_FALSE(reopened);
    ASSERT_EQ(Term::idle_of(term.look()), kThreads);
  }
}

} // namespace
} // namespace garner::test
