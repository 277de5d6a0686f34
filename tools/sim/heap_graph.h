// From a recording of a heap (record/format.h) to the graph that is replayed.
//
// What becomes of what the graph cannot say: interior and pinned roots hold their object like others (nothing is pinned in the replay); strong handles,
// finalizable objects and statics inside objects are statics; the second object of a dependent handle is one more reference of the first;
// objects that only a dirty card of a dead object held are statics in a young replay and left out otherwise. Survivors of any age are 1.
#pragma once
#include "record/recording.h"
#include "sim/graph.h"

namespace garner::simulation {

struct HeapGraphOptions {
  // 0: as recorded; an object whose thread is not known goes to the recorded threads in turn, by region. Else that many threads: buffers, which are
  // what one thread allocated in a row within a region, 32 KiB of it at most, are dealt to them in turn.
  u32 threads = 0;
  bool young = true; // what is replayed
};

// Bytes of memory that a replay takes, about: the heap three times over and all tables. Asked of the recording alone, so that one that names more than it holds (a
// run of a thousand million nulls takes ten bytes) is refused before anything is made from it.
u64 replay_bytes(const record::Recording& recording);

// Empty when all is well, else one line: the recording is larger than a replay can be (an object of 2 GiB, 2^30 slots). Takes memory only for one that is not.
std::string graph_of(const record::Recording& recording, const HeapGraphOptions& options, Graph& graph);

} // namespace garner::simulation
