// Everything the collector tells the outside: one number per event, never reused, one payload struct each, one sink.
//
// Who consumes: observe/ (log, live page, traces), doors (a runtime's own events). Emitting with no sink costs one load and a branch.
// Times are nanoseconds of the machine's monotone clock; sizes are bytes. Payloads are plain data, valid during the call only.
#pragma once
#include "base/words.h"

namespace garner {

enum class EventId : u16 {
  heap_ready = 1,     // HeapReady, once
  cycle_begin = 2,    // CycleBegin
  cycle_end = 3,      // CycleEnd
  worker_phase = 4,   // WorkerPhase, one per worker and parallel phase
  limit_changed = 5,  // LimitChanged
  notice = 6,         // Notice: one sentence, also printed
  out_of_memory = 7,  // OutOfMemory
  phase = 8,          // PhaseDone, sequential view of a phase
};

enum class Cause : u8 { eden_full, large_budget, induced, memory_limit, low_memory, no_gc_region, stress, idle, promotion_failed };
enum class Kind : u8 { young0, young1, full };            // condemned generation 0, 1, 2
enum class Phase : u8 { gather, evacuate, mark, compact, update, clean, verify, weak };

const char* name_of(Cause);
const char* name_of(Kind);
const char* name_of(Phase);
const char* name_of(EventId);

struct HeapReady { u64 reserved_bytes, limit_bytes, region_bytes; u32 workers, nodes; const char* door; const char* preset; };
struct CycleBegin { u64 index, start_ns; Kind kind; Cause cause; u64 heap_bytes, young_bytes; };
struct PhaseDone { u64 index; Phase phase; u64 start_ns, ns; u32 workers_woken; };

// Per worker and phase, filled by the worker itself, published once at the end of the phase.
struct WorkerStats {
  u64 start_ns, end_ns, idle_ns;
  u64 tasks, roots, objects_copied, bytes_copied, objects_promoted, bytes_promoted, objects_marked, bytes_marked;
  u64 slots, cards, steals, steals_remote, steal_attempts, overflows, lost_races, buffers, offers, withdrawals, waits_ns;
};
struct WorkerPhase { u64 index; Phase phase; u32 worker, node; const WorkerStats* stats; };

struct CycleEnd {
  u64 index, start_ns, pause_ns, stop_ns;   // stop_ns: from the request until every mutator stood
  Kind kind;
  Cause cause;
  bool compacted, promotion_failed;
  u32 workers;
  u64 heap_before, heap_after, young_before, young_after, old_after, large_after, committed, limit, fragmented;
  u64 promoted, copied, kept, pinned, roots, finalize_pending, allocated_total, eden_next;
  u64 gather_ns, evacuate_ns, weak_ns, mark_ns, compact_ns, finish_ns, resize_ns; // resize_ns: making eden another size (N21, N22)
};
struct LimitChanged { u64 before, after; };
struct Notice { const char* text; };
struct OutOfMemory { u64 asked, committed, limit; };

// A sink is called from inside collections and from mutators: no waiting, no managed memory. One sink may chain to another.
struct Sink {
  void (*emit)(void* self, EventId id, const void* payload) = nullptr;
  void* self = nullptr;
};

class Emitter {
 public:
  static constexpr usize kSinks = 4;
  // Before the first collection, or with the world stopped.
  bool add(Sink sink) {
    if (count_ == kSinks) return false;
    sinks_[count_++] = sink;
    return true;
  }
  template <class Payload> GARNER_INLINE void emit(EventId id, const Payload& payload) const {
    for (usize i = 0; i < count_; i++) sinks_[i].emit(sinks_[i].self, id, &payload);
  }

 private:
  Sink sinks_[kSinks];
  usize count_ = 0;
};

} // namespace garner
