// N17: right after run() the caller reads everything the workers wrote with plain stores, and the next phase's workers see what the
// caller wrote. Under the thread sanitizer a missing release or acquire anywhere on the way is a report.
#include "crew.h"

namespace garner::test {
namespace {

constexpr u32 kTasks = 6, kWords = 64;

struct Writes : Draining<Real, Writes> {
  std::vector<u64> heap = std::vector<u64>(kTasks * kWords);  // plain
  std::vector<u64> left = std::vector<u64>(8 * 8);            // plain, written in leave()
  u64 salt = 0;                                               // plain, written by the caller between phases
  using Draining::Draining;
  void root(Real::Self& self, u32 task) {
    for (u32 i = 0; i < kWords; i++) gang->queue(self.index).push(task * kWords + i);
  }
  void take(Real::Self& self, u64 at) {
    heap[at] += at * salt; // reads what another worker, or the caller, wrote before
    if (self.random.one_in(64)) self.yield();
  }
  void leave(Real::Self& self) { left[self.index * 8] += salt; }
};

TEST(Gang, N17EverythingWrittenIsVisibleAfterRun) {
  for (const GangConfig& config : all_configs(4)) {
    SCOPED_TRACE(describe(config));
    Crew<Real> crew(config);
    crew.conduct([&](Real::Self& self) {
      Writes body(crew.gang);
      for (u32 phase = 0; phase < 300; phase++) {
        body.salt = phase * 2 + 1;
        std::fill(body.heap.begin(), body.heap.end(), 5);
        crew.gang.run(self, Phase::evacuate, 1 + phase % 4, kTasks, body);
        u64 sum = 0, expected = 0;
        for (u64 i = 0; i < body.heap.size(); i++) sum += body.heap[i], expected += 5 + i * body.salt;
        ASSERT_EQ(sum, expected) << "phase " << phase;
        for (u32 w = 0; w < 4; w++) {
          u64 leaves = body.left[w * 8];
          body.left[w * 8] = 0;
          if (crew.gang.took_part(w)) ASSERT_GE(leaves, body.salt);
          else ASSERT_EQ(leaves, 0u);
        }
      }
    });
  }
}

} // namespace
} // namespace garner::test
