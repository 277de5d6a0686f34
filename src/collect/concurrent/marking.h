// Marking beside the program: finds what is dead in old space while the program runs, and sweeps it where it lies (collect.marking=auto|concurrent).
//
// What happens (cycle/beside.ipp calls it; "workers" marks what runs on the gang, "thread" what runs beside the program):
//   first pause   after a young collection. begin; gather and seed (workers): what roots, handles and young objects refer to in old space is marked. The program's
//                 barrier notes written pages from here on
//   between       thread: follows references from old object to old object, and enters those that begin a card (heap/starts.h). Then it revises: pages written meanwhile are cleaned and their marked objects read
//                 again, in rounds, until few pages would be found, or nearly as many as when the round began. Young collections come and go; the thread is held while they run
//   last pause    after a young collection, when the thread is done or old space cannot wait for it; the host may have the thread ask for it (seam/host.h). What it has not come to, gather, roots, young objects, written pages, and the closure (workers); weak things; how much of each region lives (workers); regions
//                 without a live object are freed. Where memory is short, or collect.sweep_beside is off: sweep (workers), and clean (workers)
//   sweeping      else: thread. It makes fillers of what is dead, region by region, and gives the holes to old space. Young collections come and go
//   settling      after the first young collection that finds all swept: clean (workers), or the search for what moves. Where something is to move the host may have the thread ask for this one too, and for
//                 those that move
//
// WHY NOTHING DEAD IS FOLLOWED WHILE IT WAITS TO BE SWEPT. It may refer to what has been freed, and be of a type that is no more. A region in which something waits is Region::unswept, and nothing
// new comes into it. Only cards lead there: young collections look at marked objects alone on such a card, and an object that contains a pointer is asked of the marks (heap/starts.h).
// Who uses the marks otherwise has what is left swept first (Cycle::sweep_rest): full collections and the next marking. Where details of the log or recordings are wanted nothing is left. Walks for tools, and the verifier, go by the marks (each_block); who walks outside a collection
// holds the thread (Cycle::hold_beside).
//
// Where regions are worth emptying (moving.h) the thread goes on when all is swept: all old objects are read once more for references into these, and young
// collections then move what lives there, until none is left. Marks and the program's watching stay that long.
//
// WHY NOTHING LIVE IS LOST (incremental update). At the last pause every old object that the program can reach is reached by a path from a root, a handle or a young
// object; all of these are followed there. Take the first object on the path that is not marked. Its predecessor P is marked, old, and refers to it. P was read
// after it was marked (its entry on the stack), or was born marked. If the reference was there when P was last read, it was followed. If it was stored later, the store
// noted P's page, and P's page was read again afterwards: by a revision, or in the last pause. So there is no such object. Deletions need no barrier: what is
// cut off after it was marked floats until the next marking.
//
// RACES AND THEIR GUARDS, each with the mistake that leaves the guard out (Trap, seam/watch.h), which tests/collect/marking_explored.cc must find, and marking_traps.cc all but walked_dead:
//   - the program stores a white object into one that was read already, and drops every other reference: the barrier (unwatched_store)
//   - a store comes between the reading of a page and its cleaning: pages are cleaned first, then every processor passes a barrier, then they are read
//     (late_cleaning; the barrier: heap/written.h). Where the system refuses the barrier, pages are noted again and left to the last pause
//   - a large object, one of the pinned heap, or one that a young collection promotes comes into old space: it is born marked, and what a promotion copied is noted as
//     written (born_white); so is what becomes old where it lies with all that was young (unseen_white)
//   - what is dead and not swept is walked over on a card: its references lead to freed memory, and into what lies there now (walked_dead)
//   - a weak handle's object is reached through a page written last: weak things come after the closure of the last pause (early_weak)
//   - a full collection moves and frees what stands on the stack: it abandons the marking, stack and pages with it (stale_stack)
//   - a thread comes by its only reference after the first pause, from a weak handle say: roots and pins are asked for again in the last one (roots_once)
//
// Invariants:
//  - Old objects do not move while state() is running or ready; their references to young ones are not followed: young objects all live, as of the last pause's young collection.
//  - Marks lie in a table of their own: young collections use the other one for what stays in place.
//  - A claimed object is on the stack, in a ring or complete: its run of bits is made when it is read. Who meets an incomplete run may pass over it: it will be read later.
// Deviation from full collections: of old space only what moving.h chooses is compacted; cards stay as they are; eden's survivors stay young.
#pragma once
#include "collect/concurrent/moving.h"
#include "work/turns.h"

namespace garner {

// What a collection is to do when the thread has nothing left to do: a marking's last pause; the next step of the compaction behind it, which a young collection takes.
enum class Awaits : u8 { nothing, last_pause, portion };

template <class H, class M> class Marking {
 public:
  using Self = typename M::Self;
  using Worker = Collecting<M>;
  // ready: the thread found nothing more to do; the next young collection may be the last pause. sweeping, swept: after it; swept: the next settles. finding, found: after that, see moving.h; found: the next may move.
  enum class State : u8 { idle, running, ready, sweeping, swept, finding, found };

  Marking(M& machine, Heap<M>& heap, H& host, Gang<M>& gang, Spaces<M>& spaces, Worker* workers, u32 worker_count, const Settings& settings)
      : machine_(machine), heap_(heap), host_(host), gang_(gang), spaces_(spaces), workers_(workers), worker_count_(worker_count),
        root_batch_(u32(settings.get(Opt::root_batch))), ahead_(u32(settings.get(Opt::ahead))), moving_(heap, host, spaces, workers, worker_count, settings) {
    turns_.start(machine);
  }

  // -- the thread: made by the first who needs it, while the program runs. False: the system refuses, and marking is not begun --
  bool ensure_thread(typename Gang<M>::Spawn spawn, void* spawn_arg);
  void stop_thread(Self& self); // returns when it will not touch anything again

  // -- a collection. No slice of the thread begins from call() to go(), and none runs from hold(), where the world is stopped --
  void call() { turns_.call(); }
  bool called() const { return turns_.wanted(); }
  void hold() { turns_.hold(); }
  void go(Self& self) { turns_.go(self, state_ == State::running || state_ == State::sweeping || state_ == State::finding); }
  State state() const { return state_; }
  u64 marked_for_ns() const { return marked_for_ns_; } // by the thread, since begin; in a pause
  bool marks() const { return state_ == State::running || state_ == State::ready; }
  u64 taken_over() const { return taken_over_; } // entries that last pauses found on the thread's stack, of all markings
  bool sweeps() const { return state_ == State::sweeping || state_ == State::swept; }
  Awaits awaits() const { return marks() ? Awaits::last_pause : state_ != State::idle && moving_.any() ? Awaits::portion : Awaits::nothing; } // in a pause
  bool rests() const { return turns_.rests(); } // any-thread, a hint: it has nothing to do until a collection comes

  // first pause: begin, gather_task by every worker, root_tasks, root_task (a tracing phase)
  void begin();
  void gather_task(Self& self, Kind kind);
  u32 root_tasks();
  void root_task(Self& self, u32 task);
  void seeded();      // the phase is over: the thread may go on
  void note_old();    // what is old now, for the round that goes on; after a young collection. Begun anew each time a round would not end where these come sooner
  // before all that is young becomes old where it lies: grow_tasks, grow_task
  u32 grow_tasks();
  void grow_task(u32 task);
  void abandon();     // nothing is known of old space any more
  // last pause: close, gather, root_tasks as above, weak things, measure_task, choose, finish, free_dead; then sweep_beside, or sweep_task, all_swept and what settling does: clean_task and rest, or find
  void close();
  u32 late_tasks() const { return u32(late_.size()); } // with a trap only: written pages after weak things
  void late_task(Self& self, u32 task);
  u32 sweep_tasks() const { return u32(div_up(heap_.high_water(), kRegionsPerTask)); }
  void measure_task(u32 task); // how much of each region lives
  void choose();               // which of them are to be emptied
  void finish();
  void sweep_beside();         // by the thread
  void sweep_task(u32 task);   // what is left of it
  void all_swept();
  usize unswept_bytes(Role role) const { return unswept_bytes_[role == Role::pinned]; } // in a pause: what will be holes of old or pinned space when it has been swept
  u32 clean_tasks() const { return sweep_tasks(); }
  void clean_task(u32 task);
  void free_dead();
  void rest();
  // -- regions that are to be emptied: find; then a collection each, the steps of moving(), until nothing of it is left: clean_task, rest; or stay, clean_task --
  void find();
  Moving<H, M>& moving() { return moving_; }
  void move_task(Self& self, u32 task) {
    moving_.update_task(self, task, [&](word page, auto fn) {
      each_on_page(page, [&](Ref ref, word low, word high) { host_.each_slot_in(ref, low, high, fn); });
    });
  }
  void stay(); // no more of them
  usize written_now() const; // pages, about

  // -- the body of every phase that traces (Gang::run) --
  void drain(Self& self);
  void take(Self& self, u64 entry) {
    if (GARNER_LIKELY(!seeding_)) return take(self, workers_[self.index], gang_.queue(self.index), entry);
    Locked<typename M::Lock> guard(lock_);
    stack_.push(entry);
  }

  // -- for weak things --
  Worker* workers() const { return workers_; }
  u32 worker_count() const { return worker_count_; }
  static constexpr bool moves_now = false;
  bool alive(Ref ref) const { return !old(ref) || heap_.old_marks().is_marked(block_of(ref)); }
  void expect(Ref ref) { // what alive() will look at is asked for
    if (old(ref)) __builtin_prefetch(&heap_.old_marks().entry_of(block_of(ref)));
  }
  Ref keep(Self& self, Ref ref) {
    if (old(ref)) mark(gang_.queue(self.index), ref);
    return ref;
  }
  void keep_in(Self& self, Ref& place) { keep(self, place); }
  void keep_second(Self& self, word*, Ref ref) { keep(self, ref); }
  Ref now_at(Ref ref) const { return ref; }
  Ref now_at_if_moved(Ref ref) const { return ref; }
  u32 generation_now(Ref ref) const { return heap_.contains(ref.at) ? generation_of_label(heap_.label_of(ref)) : 2; }
  u32 condemned() const { return 2; }

 private:
  static constexpr u32 kRegionsPerTask = 16, kChunksPerTask = 8, kYoungPerTask = 4, kLeftPerTask = 256;
  static constexpr usize kKept = 16 * 1024; // entries of each list that are kept for the next marking: 128 KB
  static constexpr u32 kPerLook = 16;      // entries or pages between two looks at who waits
  static constexpr u32 kRounds = 8;        // revisions at most; a program that writes faster than they go is left to the last pause
  static constexpr usize kFewPages = 64;   // a revision that would find fewer is left to the last pause
  static constexpr u32 kSweptAtOnce = 4;   // regions between two looks at who waits: some 10 us each
  static constexpr u32 kPassedAtOnce = 4096; // where nothing is to be swept
  static constexpr u32 kCountedAtOnce = 256; // regions of which written pages are counted: 16 KB of the table
  static constexpr u32 kRevisedAtOnce = 64; // regions whose pages are cleaned before one barrier
  // Queue entries: an object, or (bit 0) a part of a large one: 48 bits of address, 16 bits of part number.
  static constexpr u64 kPart = 1;
  static constexpr u32 kPartShift = 48;
  static constexpr usize kPartBytes = 32 * KiB;
  static constexpr usize part_bytes(usize bytes) { return max_of(kPartBytes, align_up(div_up(bytes, usize(1) << (64 - kPartShift)), kWordBytes)); }

  struct Part { u32 worker, first; };
  // Where the thread puts what it has marked.
  struct Stack {
    Vector<u64> entries;
    bool lost = false; // no memory for an entry: this marking leads to nothing
    GARNER_INLINE void push(u64 entry) {
      if (GARNER_UNLIKELY(!entries.push(entry))) lost = true;
    }
  };

  GARNER_INLINE bool old(Ref ref) const { return heap_.contains(ref.at) && heap_.label_of(ref) == kLabelOld; }
  template <class Q> void mark(Q& queue, Ref ref);
  template <class Q> void mark_later(Self& self, Worker& w, Q& queue, Ref ref);
  template <class Q> void open(Self& self, Worker& w, Q& queue, Ref ref);
  template <class Q> void visit(Self& self, Worker& w, Q& queue, Slot slot);
  template <class Q> void follow_edge(Q& queue, Ref ref);
  template <class Q> void take(Self& self, Worker& w, Q& queue, u64 entry);
  template <class Q> void read_page(Self& self, Worker& w, Q& queue, word page);
  template <class F> void each_on_page(word page, F fn);
  bool large(u32 index) const { return is_large(heap_.region(index).role); }

  static void thread_entry(void* marking);
  void live(Self& self);
  bool step(Self& self);
  bool revise();
  void list_old();
  bool sweep_some();
  template <class F> void each_swept(u32 task, F fn) {
    for (u32 index = task * kRegionsPerTask; index < min_of(heap_.high_water(), (task + 1) * kRegionsPerTask); index++)
      if (auto& r = heap_.region(index); r.role == Role::old || r.role == Role::pinned) fn(index, r);
  }
  void sweep(u32 index);
  void find_on(Self& self, word page);
  void ask_for_next_page(Self& self);
  void forget();
  void take_over();
  void clear_marks(u32 index);
  void list_young();

  M& machine_;
  Heap<M>& heap_;
  H& host_;
  Gang<M>& gang_;
  Spaces<M>& spaces_;
  Worker* workers_;
  u32 worker_count_, root_batch_, ahead_;
  Turns<M> turns_;       // orders everything below between the thread and collections
  State state_ = State::idle;
  bool thread_ = false;
  typename M::template Atomic<u32> gone_; // store_release by the thread's last step, load_acquire by stop_thread
  Worker own_;           // the thread's rings
  Stack stack_;
  Vector<word> pages_;   // cleaned, and not yet read
  Vector<word> read_;    // with a trap only: read, and not yet cleaned
  Vector<u32> regions_;  // that revisions look at
  usize cursor_ = 0;     // of a revision: the next region
  usize to_find_ = 0;    // pages that were written when it began, about; 0: none has begun
  u32 rounds_ = 0;       // left
  bool ordered_ = true;  // the system orders all processors when asked to, so pages can be read beside the program
  // -- of a pause --
  bool seeding_ = false; // what root tasks mark is for the thread
  typename M::Lock lock_; // guards stack_ while many seed it
  Vector<Part> root_parts_;
  Vector<u64> left_;     // entries that the thread did not come to
  u64 taken_over_ = 0, marked_for_ns_ = 0;
  usize unswept_bytes_[2] = {}; // old, pinned; changed by the thread while it sweeps
  Vector<u32> holes_;           // by region: bytes of the holes that it will have
  Vector<u32> young_, late_, dead_;
  Moving<H, M> moving_;
  u32 strong_tasks_[kHandleKinds] = {}, written_tasks_ = 0, left_tasks_ = 0;
};

} // namespace garner
