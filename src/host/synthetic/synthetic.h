// Synthetic: a program that exists to be collected (seam/host.h), on either machine.
//
// Its mutators allocate, link, root, pin and free through the same heap calls that the .NET host makes, with the runtime's own write
// barrier; its manners (manners.h) imitate what runtimes do at their worst. What the objects should look like is not kept here: tests
// keep a shadow of the graph and compare, through the Observer, while the world stands.
//
//   objects.h   the format of an object           world.h     stopping and resuming the threads of the program
//   manners.h   the bad habits, one switch each   mutator.h   a thread of the program: buffers, roots, barrier
//
// Order of the hooks is checked: enter stop begin (before_roots gather* after_strong side_tables)* finish resume leave; twice in the
// middle when promotion failed, never when all that is young is promoted en masse and no old objects move after it. The verifier's own walks (before_roots gather after_walk) may stand after begin and before finish. Who calls Cycle::collect goes out of the program and takes `collecting` first (Mutator::collect).
#pragma once
#include "cycle/cycle.h"
#include "host/synthetic/manners.h"
#include "host/synthetic/mutator.h"
#include "host/synthetic/objects.h"
#include "host/synthetic/world.h"
#include "work/monitor.h"

namespace garner {

// Sizes that are not options, in bytes. 0: derived.
struct SyntheticShape {
  u64 reserve = 64 * MiB, limit = 0;
  u64 eden = 0, eden_min = 0, eden_max = 0;
  u64 tight_eden = 48 * KiB; // with Manners::tight_eden
};

// Told with the world stopped and all buffers closed: before anything of the heap is touched, and when it is whole again.
struct SyntheticObserver {
  void (*before)(void* self, Kind kind) = nullptr;
  void (*after)(void* self, Kind asked, Kind done) = nullptr; // done differs from asked when promotion failed
  void* self = nullptr;
};

template <class M> class Synthetic {
 public:
  using Self = typename M::Self;
  using TheCycle = Cycle<Synthetic, M>;
  using Mutator = synthetic::Mutator<M>;
  struct SideEntry { u32 tag; Ref ref; };
  struct Loader { Handle handle; }; // a weak long handle: the object that lives while an object of its types lives

  Synthetic(M& of, const Settings& values, synthetic::Manners habits) : machine(of), settings(values), manners(habits) {}
  ~Synthetic();
  // Makes the cycle. False with one line on stderr.
  bool start(const SyntheticShape& shape);
  // Ends the collector's threads; by a thread that is outside the program.
  void stop_workers(Self& self) {
    cycle->stop_marking(self);
    cycle->gang().stop(self);
  }

  // -- Objects --
  GARNER_INLINE usize size(Ref ref) const { return synthetic::bytes_of(synthetic::type_of(ref)); }
  GARNER_INLINE bool leaf(Ref ref) const { return !synthetic::has_slots(synthetic::type_of(ref)) && synthetic::loader_of(ref) == 0; }
  GARNER_INLINE bool divides(Ref) const { return true; }
  template <class F> GARNER_INLINE void each_slot(Ref ref, F fn) const { synthetic::each_slot(ref, fn); }
  template <class F> GARNER_INLINE void each_slot_in(Ref ref, word low, word high, F fn) const { synthetic::each_slot_in(ref, low, high, fn); }
  GARNER_INLINE Ref hidden_edge(Ref ref) const {
    u32 loader = synthetic::loader_of(ref);
    if (GARNER_LIKELY(loader == 0) || synthetic::is_filler(ref)) return {0};
    return {__atomic_load_n(loaders[loader].handle, __ATOMIC_RELAXED)};
  }
  void fill(word at, usize bytes) const { synthetic::fill(at, bytes); }
  bool filler(Ref ref) const { return synthetic::is_filler(ref); }
  bool plausible(Ref ref) const { return synthetic::plausible(ref); }

  // -- Roots --
  static constexpr bool needs_gathered = true;
  static constexpr i64 kAhead = 12; // collect.ahead where it is not given: depth of requests on machines whose figures are compared with each other
  template <class Sink> void gather(Self& self, Sink& sink, Kind kind);

  // -- Weak --
  HandleTable& handles() { return table; }
  FinalizeQueue& finalizers() { return finalize_queue; }
  bool counted_alive(Ref ref) const { return synthetic::held(ref); }
  bool drop_eagerly(Ref ref);
  bool take_suppressed(Ref ref);
  bool critical(Ref ref) const { return (synthetic::flags_of(synthetic::type_of(ref)) & synthetic::kCritical) != 0; }

  // -- World --
  void enter() { follow(Step::apart, Step::entered); }
  void leave();
  void stop(Cause cause);
  void begin(Kind kind, Cause cause, u64 index);
  void before_roots(Kind kind);
  void after_walk();
  bool memory_short() const { return false; }
  void watch_writes(bool on) { watched_ = on; }
  void after_strong(Kind kind);
  template <class F> void side_tables(F resolve) {
    follow(step_ == Step::tables || step_ == Step::begun ? step_ : Step::strong, Step::tables); // once more where old objects move after a young collection, or only then where that promoted en masse
    for (SideEntry& entry : side_table)
      if (entry.ref.at != 0) entry.ref = resolve(entry.ref);
    passing.clear(); // they held what they held; nobody wrote a new address into them
  }
  void finish(Kind kind, Cause cause, u64 index);
  void resume();
  void release();

  // -- the program, for its mutators and for tests --
  Heap<M>& heap() { return cycle->heap(); }
  u32 generation_of(Ref ref) { return heap().contains(ref.at) ? generation_of_label(heap().label_of(ref)) : 2; }
  void add(Mutator& mutator);
  // What the runtime does for *slot = value: byte-region barrier. The slot lies in an object of the heap.
  void write(Slot slot, Ref value);
  // What it does for the type of an object that is born old, when the type has a loader.
  void wrote_type(Ref ref);
  // The same for a range, as the runtime's bulk copy: everything covered is marked, whatever is stored.
  void write_range(word to, word from, usize slots);
  // Hands a handle to the thread that nobody stops, and lets that thread destroy one. False: none is waiting, all are destroyed.
  void doom(Handle handle);
  bool destroy_doomed();
  bool doomed_left();

  M& machine;
  Settings settings;
  const synthetic::Manners manners;
  TheCycle* cycle = nullptr;
  synthetic::Program<M> program;
  Monitor<M> collecting;            // held by whoever collects
  HandleTable table;
  HandleOwner owner, store;         // handles of the program, and of a store that may be uprooted
  FinalizeQueue finalize_queue;
  SyntheticObserver observer;
  Vector<Mutator*> mutators;        // never removed
  Vector<word> statics;             // exact roots of the program itself
  Vector<word> passing;             // roots of the next tracing only
  Vector<word> ambiguous;           // words that may be references
  Vector<SideEntry> side_table;
  Vector<Loader> loaders;           // [0] is unused. At most a page of them: it must not move while old objects are marked beside the program
  Vector<u32> dropped, unsuppressed; // identities that drop_eagerly and take_suppressed answered yes for, since the last begin

 private:
  enum class Step : u8 { apart, entered, stopped, begun, roots, strong, tables, finished, resumed };
  void follow(Step from, Step to);
  template <class Sink> void report(Mutator& mutator, Sink& sink, bool pins);
  template <class Sink> void report_pinned_handles(HandleChunk& chunk, Sink& sink, Kind kind);
  HeapConfig heap_config(const SyntheticShape& shape) const;

  SyntheticShape shape_;
  Step step_ = Step::apart, before_walk_ = Step::apart;
  Kind asked_ = Kind::young1;
  bool watched_ = false;             // changes while the world stands
  typename M::Lock lock_;            // guards mutators and doomed_
  typename M::Lock told_;            // guards dropped and unsuppressed, while workers ask
  Vector<Handle> doomed_;
  typename M::template Atomic<u32> next_part_; // parts of the roots, claimed by whoever gathers
};

} // namespace garner

#include "host/synthetic/synthetic.ipp"
