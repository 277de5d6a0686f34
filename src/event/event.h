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
  heap_parts = 15,    // HeapParts, before cycle_end
  // Only for sinks that ask for details:
  node_distances = 9, // NodeDistances, after heap_ready, one per node; with several nodes, as the next four
  node_bytes = 10,    // NodeBytes, one per space that holds something, as the collection finds it
  node_uses = 11,     // NodeUses, one per space and node of workers
  steals = 12,        // Steals, one per node of workers
  locality = 13,      // NodeLocality, one per node that roots lead to
  spans = 14,         // WorkerSpans, one per worker and collection, or several where one record would be too long
};

// eden_full: a young collection. Where eden is full and all is collected instead, old_growth: old space has grown, or would have, as far as it may; no_room: it leaves
// young collections too little. marked: the last pause of a marking beside the program; moves: a young collection for what moves behind one.
enum class Cause : u8 { eden_full, large_budget, induced, memory_limit, low_memory, no_gc_region, stress, idle, promotion_failed, marked, old_growth, no_room, moves };
inline constexpr u32 kCauses = 13;
enum class Kind : u8 { young0, young1, full };            // condemned generation 0, 1, 2
enum class Phase : u8 { gather, evacuate, mark, compact, update, clean, verify, weak, cards };
// What a worker does at a moment. waits: for the queue of tasks. roots: a root task. copies: follows references, and in a full collection marks or
// slides. steals: looks for work. terminates: has offered the end, until the phase is over or there is work again.
enum class Activity : u8 { waits, roots, copies, steals, terminates };
inline constexpr u32 kActivities = 5;
// Where collected objects lie, for figures by node: from and to are what survivors lie in before and after; old has large and pinned ones too.
enum class SpaceKind : u8 { eden, from, to, old };
inline constexpr u32 kSpaceKinds = 4;
// What the heap consists of, by what its regions are for.
enum class HeapPart : u8 { eden, survivor, old, large, pinned };
inline constexpr u32 kHeapParts = 5;

const char* name_of(Cause);
const char* name_of(Kind);
const char* name_of(Phase);
const char* name_of(Activity);
const char* name_of(SpaceKind);
const char* name_of(HeapPart);
const char* name_of(EventId);

struct HeapReady { u64 reserved_bytes, limit_bytes, region_bytes; u32 workers, nodes; const char* door; const char* preset; };
struct CycleBegin { u64 index, start_ns; Kind kind; Cause cause; u64 heap_bytes, young_bytes; };
struct PhaseDone { u64 index; Phase phase; u64 start_ns, ns; u32 workers_woken; };

// Per worker and phase, filled by the worker itself, published once at the end of the phase.
struct WorkerStats {
  u64 start_ns, end_ns, idle_ns; // end_ns: of the phase, or of its work where that ended later; idle_ns: of this span without work
  u64 tasks, roots, objects_copied, bytes_copied, objects_promoted, bytes_promoted, objects_marked, bytes_marked;
  u64 slots, cards, steals, steals_remote, steal_attempts, overflows, lost_races, buffers, offers, withdrawals, waits_ns;
  u64 roots_posted, roots_taken, roots_remote, requests_sent, requests_served, flushes, lookups, lookup_calls; // queues per node: T3, T5, T6, N23
};
struct WorkerPhase { u64 index; Phase phase; u32 worker, node; const WorkerStats* stats; };

// Matrices are told row by row; an array has `nodes` numbers, by node. Nodes are the machine's, numbered densely; at most 64.
struct NodeDistances { u32 node, nodes; const u64* to; }; // as the machine counts them; a node is nearest to itself
// Bytes of the space's regions by the node that their pages are on. `asked`: of first-touched pages only so many were asked for, spread evenly, and speak for
// the others; 0 when addresses told it all. `unknown`: bytes on pages nobody knows of.
struct NodeBytes { u64 index; SpaceKind space; u32 nodes; u64 asked, unknown; const u64* bytes; };
// What workers of one node did with the space's objects by the objects' node: references followed to them; bytes copied from them (to, old: copied there).
struct NodeUses { u64 index; SpaceKind space; u32 node, nodes; const u64* accesses; const u64* bytes; };
struct Steals { u64 index; u32 node, nodes; const u64* from; }; // successful thefts by the victim's node
struct NodeLocality { u64 index; u32 node, nodes; const u64* objects; }; // objects by node, below roots whose object is on `node` (T15)
struct Span { Activity what; u64 begin_ns, end_ns; };
// total_ns: by Activity, of the whole collection, the same in each record of a worker. Spans follow each other in time.
struct WorkerSpans { u64 index; u32 worker, node; const u64* total_ns; const Span* spans; u32 count; };
inline constexpr u32 kSpansAtOnce = 64;

struct CycleEnd {
  u64 index, start_ns, pause_ns, stop_ns;   // stop_ns: from the request until every mutator stood
  Kind kind;
  Cause cause;
  bool compacted, promotion_failed;
  bool en_masse; // all that was young was promoted where it lies, unseen: copied nothing, kept == promoted, the dead among it
  u32 workers;
  u64 heap_before, heap_after, young_before, young_after, old_after, large_after, committed, limit, fragmented;
  u64 promoted, copied, kept, moved, slid, pinned, roots, finalize_pending, allocated_total, eden_next;
  u64 gather_ns, evacuate_ns, weak_ns, mark_ns, compact_ns, finish_ns, cards_ns;
  u64 resize_ns; // making eden another size (N21, N22)
};
// By HeapPart, when the collection is over: up to where regions are filled, and what of that is free between objects that stayed.
struct HeapParts { u64 index; const u64* taken; const u64* holes; };
struct LimitChanged { u64 before, after; };
struct Notice { const char* text; };
struct OutOfMemory { u64 asked, committed, limit; };

// How much a sink wants to know: collections and phases; also nodes and spans, which take time and memory in every collection; also locality, for
// which every root is followed before each collection.
enum class Detail : u8 { plain, full, roots };

// A sink is called from inside collections and from mutators: no waiting, no managed memory. One sink may chain to another.
struct Sink {
  void (*emit)(void* self, EventId id, const void* payload) = nullptr;
  void* self = nullptr;
  Detail detail = Detail::plain;
};

class Emitter {
 public:
  static constexpr usize kSinks = 4;
  // Before the first collection, or with the world stopped.
  bool add(Sink sink) {
    if (count_ == kSinks) return false;
    sinks_[count_++] = sink;
    if (sink.detail > detail_) detail_ = sink.detail;
    return true;
  }
  template <class Payload> GARNER_INLINE void emit(EventId id, const Payload& payload) const {
    for (usize i = 0; i < count_; i++) sinks_[i].emit(sinks_[i].self, id, &payload);
  }

  Detail detail() const { return detail_; } // the most that a sink wants

 private:
  Sink sinks_[kSinks];
  Detail detail_ = Detail::plain;
  usize count_ = 0;
};

} // namespace garner
