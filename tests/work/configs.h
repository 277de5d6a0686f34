// Every legal way to run a gang, for tests on any machine.
#pragma once
#include <cstdlib>
#include <string>
#include <vector>

#include "work/config.h"

namespace garner::test {

inline std::vector<GangConfig> all_configs(u32 workers) {
  std::vector<GangConfig> all;
  for (auto queue : {TaskQueueKind::monitor, TaskQueueKind::msqueue, TaskQueueKind::array})
    for (auto conductor : {Conductor::works, Conductor::waits})
      for (int way = 0; way < 6; way++) {
        GangConfig c;
        c.workers = workers;
        c.task_queue = queue;
        c.conductor = conductor;
        c.queue_capacity = 64;
        const bool late = way == 0 || way >= 4;
        c.sync = late || way == 1 ? SyncKind::futex : SyncKind::monitor;
        c.join = late ? JoinKind::late : JoinKind::fixed;
        c.term_count = way == 0 || way == 5 ? TermCount::by_node : TermCount::flat;
        c.victim = way == 5 ? Victim::nearest : Victim::random;
        c.steal_half = way >= 4;
        c.term_exit = way == 3 ? TermExit::literal : TermExit::count_only;
        c.share = late ? Share::lazy : Share::eager;
        c.lock = way == 2 ? LockKind::spin_cas_then_posix : LockKind::posix;
        if (refusal(c) != nullptr) abort();
        all.push_back(c);
      }
  return all;
}
inline std::string describe(const GangConfig& c) {
  const char* queue[] = {"monitor", "msqueue", "array"};
  return std::string(queue[int(c.task_queue)]) + (c.sync == SyncKind::futex ? " futex" : " monitor") +
         (c.join == JoinKind::late ? " late" : " fixed") + (c.term_count == TermCount::by_node ? " by node" : "") + (c.term_exit == TermExit::literal ? " literal" : "") + (c.victim == Victim::nearest ? " nearest" : "") + (c.steal_half ? " half" : "") + (c.conductor == Conductor::works ? " works" : " waits");
}

} // namespace garner::test
