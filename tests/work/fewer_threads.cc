// A system that refuses threads: phases run with those there are, one notice is printed, and with none at all the conductor works.
#include "crew.h"

namespace garner::test {
namespace {

struct Refusing {
  u32 allowed;
  std::vector<std::thread> threads;
  static bool spawn(void (*entry)(void*), void* arg, void* me) {
    auto& r = *static_cast<Refusing*>(me);
    if (r.threads.size() == r.allowed) return false;
    r.threads.emplace_back([=] { entry(arg); });
    return true;
  }
};

TEST(FewerThreads, RunsWithThoseThereAre) {
  alarm(120);
  for (GangConfig config : all_configs(4))
    for (u32 allowed : {0u, 1u, 2u}) {
      SCOPED_TRACE(describe(config) + ", threads " + std::to_string(allowed));
      Refusing refusing{allowed, {}};
      Real machine;
      Real::Self self(machine, 0);
      Gang<Real> gang;
      ASSERT_TRUE(gang.start(machine, config, &Refusing::spawn, &refusing));
      ::testing::internal::CaptureStderr();
      u32 exist = config.conductor == Conductor::works ? allowed + 1 : max_of(allowed, 1u);
      EXPECT_EQ(gang.ensure(4), exist);
      EXPECT_EQ(gang.ensure(4), exist);
      std::string said = ::testing::internal::GetCapturedStderr();
      EXPECT_NE(said.find("fewer"), std::string::npos);
      EXPECT_EQ(said.find("fewer"), said.rfind("fewer")) << "said more than once";
      Trees<Real> body(gang, 100);
      for (u32 i = 0; i < 50; i++) gang.run(self, Phase::mark, 4, 3, body);
      EXPECT_EQ(body.leaves(), 50 * 300u);
      EXPECT_LE(gang.last().joined, exist);
      gang.stop(self);
      for (std::thread& t : refusing.threads) t.join();
    }
}

// Threads come only when asked for.
TEST(FewerThreads, ThreadsAreMadeLazily) {
  Refusing refusing{100, {}};
  Real machine;
  Real::Self self(machine, 0);
  Gang<Real> gang;
  GangConfig config;
  config.workers = 5;
  ASSERT_TRUE(gang.start(machine, config, &Refusing::spawn, &refusing));
  EXPECT_EQ(gang.workers(), 1u);
  EXPECT_EQ(refusing.threads.size(), 0u);
  Trees<Real> body(gang, 10);
  gang.run(self, Phase::mark, 5, 3, body); // alone
  EXPECT_EQ(gang.ensure(3), 3u);
  EXPECT_EQ(refusing.threads.size(), 2u);
  gang.run(self, Phase::mark, 5, 3, body);
  EXPECT_EQ(gang.ensure(9), 5u);
  EXPECT_EQ(refusing.threads.size(), 4u);
  gang.run(self, Phase::mark, 5, 3, body);
  EXPECT_EQ(body.leaves(), 90u);
  gang.stop(self);
  for (std::thread& t : refusing.threads) t.join();
}

} // namespace
} // namespace garner::test
