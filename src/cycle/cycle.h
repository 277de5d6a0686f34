// Cycle: the conductor. Owns a heap, its spaces and its gang, and runs collections as a narrated list of phases.
//
// Invariants between collections: every region is walkable or unswept (heap/region.h), cset is all zero, marks are clear, no header carries a forwarding.
// Implements N3 N4 N12 N14; the phases themselves are collect/evacuate, collect/compact and cycle/weak.ipp.
// Deviation from the paper's N4: with conductor=works the thread that runs the collection is worker 0 and does not sleep.
#pragma once
#include "collect/compact/compaction.h"
#include "collect/concurrent/marking.h"
#include "cycle/collector.h"
#include "cycle/details.h"
#include "cycle/weak.ipp"

namespace garner {

struct HeapConfig {
  HeapShape shape;
  PaceConfig pace;
  u32 workers;
  const char* door;
  bool by_node = true; // false: what is `auto` is chosen as on a machine of one node
};

template <class H, class M> class Cycle final : public Collector {
 public:
  using Self = typename M::Self;

  Cycle(M& machine, H& host, const Settings& settings) : machine_(machine), host_(host), settings_(settings) {}

  // False with one line on stderr when there is no address space or no memory for the tables.
  bool init(const HeapConfig& config, typename Gang<M>::Spawn spawn, void* spawn_arg);
  Heap<M>& heap() { return heap_; }
  Spaces<M>& spaces() { return spaces_; }
  Gang<M>& gang() { return gang_; }
  Emitter& emitter() { return emitter_; }
  const Settings& settings() const { return settings_; }

  bool collect(const Request& request) override;
  GenerationSizes sizes() override;
  u64 count() const override { return count_.load_acquire(); }
  u64 count_of(u32 generation) const override { return counts_[generation].load_relaxed(); }
  CycleRecord last(Kind kind) const override { return record_of(kind == Kind::full ? 1 : 0); }
  CycleRecord last_any() const override { return record_of(2); }
  CycleRecord last_beside() const override { return record_of(3); }
  u64 total_pause_ns() const override { return total_pause_ns_.load_relaxed(); }
  Pace& pace() override { return pace_; }
  bool set_limit(const PaceConfig& pace, bool (*may)(void*) = nullptr, void* arg = nullptr) override;
  void set_limit(u64 bytes) { // and nothing else
    PaceConfig pace = pace_.config();
    pace.limit = bytes;
    set_limit(pace);
  }
  void end_eden_floor(bool (*still)(void*) = nullptr, void* arg = nullptr); // a promise of Pace::set_eden_floor, when no collection runs; where still(arg) says so then, if one asks
  bool is_alive(Ref ref) override;
  u32 condemned() const override { return condemned_; }
  // Bytes in old, large and pinned regions, kept current by takers of large objects; for pacing.
  u64 old_bytes() const { return old_bytes_.load_relaxed(); }
  u64 start_ns() const { return start_ns_; }
  // Whether old space may be marked beside the program; whether it is. Any-thread, the second a hint.
  bool marks_beside() const { return beside_; }
  // Whether an old collection that nobody asked for, with `bytes` more in old space, does; any-thread.
  bool prefers_beside(u64 bytes = 0) const { return beside_ && (settings_.as<MarkingWhen>(Opt::marking) != MarkingWhen::automatic || pace_.long_to_stop(old_bytes() + bytes)); }
  bool marking() const { return next() == Awaits::last_pause; }
  // No slice of the marking's thread runs between the two. By who stands outside a collection, while the program stands for another reason and no collection can begin.
  void hold_beside();
  void let_beside_go();
  // Whether regions are still to be emptied behind a marking; what the marking's thread has left to a collection, and waits for. Any-thread, hints.
  bool moving() const { return next() == Awaits::portion; }
  // Another marking that is due waits for what is to move behind the last one. Any-thread.
  bool waits_to_move() const { return moving() && pace_.may_wait(old_bytes()); }
  Awaits awaits() { return next() != Awaits::nothing && beside().rests() ? next() : Awaits::nothing; }
  // Whether the collection that is being run, or was run last, swept what was marked beside the program. By whoever runs it.
  bool ended_marking() const { return step_ == Step::last; }
  // For the host, from begin() to release(): the number of the marking that this collection begins, finds or ends, 0 for none; whether it begins there. From finish()
  // on: whether the marking came to nothing, because everything stopped for a full collection or there was no memory for it.
  u64 marking_number() const { return marking_number_; }
  bool begins_marking() const { return step_ == Step::first; }
  bool gave_up_marking() const { return gave_up_; }
  bool beside_is_called() { return !beside_ || beside().called(); } // from stop() on: no slice of the marking's thread begins, and one that runs soon ends
  u64 left_to_pauses() { return beside_ ? beside().taken_over() : 0; } // see Marking::taken_over
  u32 passes() const { return passes_; } // of that collection over roots and weak things: 2 when a full one followed a young one under the same stop
  void rest(); // all free memory goes back to the system; by a thread that may collect
  void stop_marking(Self& self); // its thread's end; by a thread that is outside the program, before the gang's
  // Bytes that edens leave from the next collection on: a large object waits for them, and other threads would be faster. Any-thread; who has them left takes that back.
  void leave(u64 bytes) { left_.fetch_add_relaxed(bytes); }
  void take_back(u64 bytes) { left_.fetch_sub_relaxed(bytes); }
  void grew_old(u64 bytes) {
    old_bytes_.fetch_add_relaxed(bytes);
    allocated_.fetch_add_relaxed(bytes);
  }
  // What one worker did in the last collection's last tracing; with the world stopped, or by whoever ran it.
  const Collecting<M>& collecting(u32 worker) const { return workers_[worker]; }
  // For the host, from its stop() to its release(): what was asked for, and what is known of the collection so far.
  const Request& asked() const { return *asked_; }
  const CycleRecord& current() const { return *current_; }

 private:
  Awaits next() const { return Awaits(next_.load_relaxed()); }

  enum class Tracing : u8 { none, evacuating, compacting, marking };
  using State = typename Marking<H, M>::State;
  static constexpr usize kFewFinalizable = 64; // young objects whose finalizers may wait for a full collection
  static constexpr u64 kLeastLeft = MiB; // of eden, whatever large objects wait for
  static constexpr u64 kFewHoles = 32; // the part of old space that holes may be and not matter
  enum class Step : u8 { none, first, last, move }; // what a collection does for the marking beside the program, and for the compaction that follows

  bool has_come(const Request& request, u64 begun);
  Kind begin(Self& self, const Request& request, bool may_mark, CycleRecord& record);
  bool finish(Kind kind, const Request& request, const CycleRecord& record);
  void tell(u64 now, const Request& request, CycleRecord& record);
  Kind decide(const Request& request, bool may_mark, u64 young);
  Cause cause_of(const Request& request, Kind kind, u64 young);
  u64 number_for(u64 index);
  Kind perform(Self& self, const Request& request, Kind kind, CycleEnd& end);
  void young(Self& self, Kind kind, CycleEnd& end);
  bool promotes_en_masse(const Request& request, Kind kind, const CycleEnd& end);
  bool lies_well();
  bool many_finalizable();
  bool may_go_unseen() { return lies_well() && !many_finalizable(); } // as far as is known before the next collection: what keeps one from it mostly keeps the next
  u64 holes_for(u64 young);
  u64 passed_over(u64 holes) { return pace_.passes_over(holes, old_bytes()) ? holes : 0; }
  void en_masse(Self& self, CycleEnd& end);
  void full(Self& self, bool compact_all, CycleEnd& end);
  void begin_marking(Self& self, CycleEnd& end);
  void end_marking(Self& self, CycleEnd& end);
  u64 clean_marks(Self& self);
  u64 sweep_rest(Self& self);
  bool may_sweep_beside();
  void settle(Self& self, CycleEnd& end);
  void move(Self& self, CycleEnd& end);
  void do_beside(Self& self, CycleEnd& end);
  void go_on_marking(Self& self, CycleEnd& end);
  void give_up_marking();
  void watch_program(bool on);
  template <class T> void weak_things(Self& self, T& tracer, WeakThings<H, M, T>& weak, Kind kind, CycleEnd& end);
  template <class Body> u64 phase(Self& self, Phase name, u32 wanted, u32 tasks, Body& body);
  template <class T, class F> u64 tracing_phase(Self& self, Phase name, u32 wanted, u32 tasks, T& tracer, F task);
  void report_workers(Phase name);
  u32 workers_for(u64 bytes) const;
  void place_automatically(bool by_node);
  bool fits_nodes();
  u64 find_cards(Self& self, u32 few);
  void after(Kind kind, const Request& request, CycleEnd& end, CycleRecord& record);
  void totals(CycleEnd& end);
  template <class Each> GenerationSizes tally(Each each_region);
  void verify(const char* when);
  CycleRecord record_of(usize i) const {
    Locked<typename M::Lock> guard(last_lock_);
    return last_[i];
  }
  usize kept_free(const Request& request, u64 old);
  u64 room() { return heap_.budget().room() + heap_.free_charged(); } // bytes that the budget leaves, and those that are free and charged
  u64 room_for_young(const GenerationSizes& now);
  u64 old_demand(u64 old) const;

  M& machine_;
  H& host_;
  Settings settings_;
  Heap<M> heap_;
  Spaces<M> spaces_;
  Gang<M> gang_;
  Emitter emitter_;
  Details<H, M> details_{machine_, host_, heap_, gang_, emitter_};
  Pace pace_;
  Collecting<M>* workers_ = nullptr;
  u32 worker_count_ = 1;
  alignas(Evacuation<H, M>) char evacuation_[sizeof(Evacuation<H, M>)];
  alignas(Compaction<H, M>) char compaction_[sizeof(Compaction<H, M>)];
  Evacuation<H, M>& evacuation() { return *reinterpret_cast<Evacuation<H, M>*>(evacuation_); }
  Compaction<H, M>& compaction() { return *reinterpret_cast<Compaction<H, M>*>(compaction_); }
  alignas(Marking<H, M>) char besides_[sizeof(Marking<H, M>)];
  Marking<H, M>& beside() { return *reinterpret_cast<Marking<H, M>*>(besides_); }
  bool beside_ = false;         // besides_ stands; set at start
  Step step_ = Step::none;
  bool waits_ = false;          // this collection would begin another marking, which waits for what is to move behind the last one
  bool gave_up_ = false;
  bool watches_ = false;        // the program's barrier notes pages
  u64 marking_number_ = 0, given_up_ = 0; // see CycleRecord::number; markings that came to nothing have had numbers too
  u64 marking_began_ns_ = 0, marking_began_old_ = 0, first_pause_ns_ = 0, beside_ns_ = 0; // beside_ns_: what this collection's pause has been longer by for a marking
  u32 passes_ = 1;
  Atomic<u32> next_{u32(Awaits::nothing)}; // relaxed: a hint, an Awaits, as of the last collection's end
  typename Gang<M>::Spawn spawn_ = nullptr;
  void* spawn_arg_ = nullptr;
  Tracing tracing_ = Tracing::none;
  u32 condemned_ = 2;
  const Request* asked_ = nullptr;       // of the thread that collects; null when the program runs
  const CycleRecord* current_ = nullptr; // likewise
  Atomic<u64> count_{0};        // release after a collection's figures are written; acquire by requesters
  Atomic<u64> begun_{0};        // index of the last collection that has begun; see collect()
  u64 looked_at_[3] = {};       // by kind: index of the last that looked at all that was as young, or more; under the collection lock
  u64 compacted_at_ = 0;        // index of the last that was to compact everything; likewise
  Atomic<u64> left_{0};         // relaxed, pairs with nothing: a number, which the next collection goes by
  Atomic<u64> counts_[3];
  Atomic<u64> total_pause_ns_{0};
  Atomic<u64> old_bytes_{0};
  Atomic<u64> allocated_{0};    // bytes handed out to the program up to the last collection, large ones up to now
  mutable typename M::Lock last_lock_; // guards last_: written when the program runs again
  CycleRecord last_[4] = {};    // ephemeral, full, any, marked beside the program
  u64 start_ns_ = 0, last_end_ns_ = 0, last_full_ns_ = 0, last_roots_ns_ = 0;
  static constexpr u64 kGrowthNs = 1'000'000'000; // so long after the one before a full collection forgets a quarter of what old space has grown by
  usize kept_free_ = 0; // of the collection that is being run: bytes of free memory that stay ours
  u64 old_growth_ = 0; // old and large bytes that came between full collections: the most of it, which fades (kGrowthNs)
};

} // namespace garner
