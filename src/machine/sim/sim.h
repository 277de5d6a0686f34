// The simulated machine: collectors run unchanged, on one thread of the host, as fibers with virtual clocks.
//
//   start()   makes a fiber, from outside or from another fiber
//   run()     runs until every fiber ended, or none can go on, or the budget of operations is used up
//   digest()  folds (fiber, operation, word, clock) of every visible operation: same seed, same digest, on any host
//
// A verb does the real access on real bytes, adds its price to the clock of the running fiber, and may hand control to another.
// It hands over *before* the access: when the fiber comes back the access happens, at a moment that the schedule chose.
//   visible operations   atomics, header, set_header, forward, lock, park, wake, pause, yield: every picker may switch here
//   plain verbs          load, store, copy, read, write, …: `earliest` lets them run ahead by sim::Config::slack_ps, the others
//                        never switch here, since by the contract of seam/machine.h no two workers race on them
// Clocks: under `earliest` each fiber has its own, and visible operations happen in clock order. Under `seeded` and `every` the
// fibers take turns on one time line, as if on one core, so that now() never runs backwards between two of them.
//
// How a run is kept repeatable: fibers are numbers, words are offsets or order of first use (lines.h), every choice comes from
// the seed or the chooser. One file-static thread_local pointer in sim.cc leads an Atomic to the Sim that runs on this thread;
// it is null outside run(), where atomics and verbs are plain accesses without cost. So two Sims on two threads do not meet.
// An Atomic constructed by a fiber is a new word even at an old address. Memory that is mapped, used for atomics without
// construction, unmapped and mapped again within one run must be declared with adopt() and forget().
//
// Invariants: exactly one fiber is `running` inside run(); a fiber that is `ready` is known to the picker and to nobody else;
// one that is `parked` or `locked` stands once in waiting_, in order of arrival.
// Orders: interleavings are sequentially consistent; the order in an operation's name counts when Config::races asks for it (races.h).
// Deviates: a run that did not finish leaves fibers where they stand, and the destructors of their frames never run. Not thread-safe: one
// thread per Sim.
#pragma once
#include "base/fiber.h"
#include "base/print.h"
#include "base/random.h"
#include "machine/sim/config.h"
#include "machine/sim/fabric.h"
#include "machine/sim/fair.h"
#include "machine/sim/model.h"
#include "machine/sim/races.h"
#include "machine/sim/ready.h"
#include "seam/machine.h"

namespace garner {

class Sim {
 public:
  class Self;
  class Lock;
  template <class T> class Atomic;

  using Config = sim::Config;
  using Outcome = sim::Outcome;

  explicit Sim(const Config& config);
  ~Sim();
  Sim(const Sim&) = delete;
  Sim& operator=(const Sim&) = delete;
  // As if destroyed and made again, but keeps stacks and tables: much cheaper. Not inside run().
  void reset(const Config& config);

  // Runs what was started. After `finished` more may be started and run; after anything else only reset() is left.
  Outcome run();
  u64 digest() const { return digest_; }
  u64 steps() const { return steps_; }       // visible operations so far
  u64 switches() const { return switches_; }
  u64 faults(sim::Fault kind) const { return fault_counts_[usize(kind)]; }
  u32 preemptions() const { return preemptions_; }
  const Config& config() const { return config_; }

  // The machine of seam/machine.h.
  bool start(void (*entry)(void*), void* arg); // false: no memory, or more than 64 fibers under `every`
  GARNER_INLINE void park(Self&, Atomic<u32>& word_, u32 expected);
  GARNER_INLINE void wake(Self&, Atomic<u32>& word_, u32 count);
  u64 now();
  word reserve_large(usize bytes) { return reserve(bytes, 2 * MiB); }
  bool open(word, usize) { return true; } // reserved space is usable at once
  word reserve(usize bytes, usize align);
  void release(word at, usize bytes);
  void discard(word at, usize bytes);
  Placed bind(word at, usize bytes, u32 node);
  Placed interleave(word at, usize bytes);
  u32 nodes() const { return config_.nodes; }
  void relax(u32 turns) { give_way(Op::pause, turns * config_.costs.pause); }
  u32 current_node() const { return current_ == sim::kNoFiber ? 0 : tasks_[current_].node; }
  u32 node_of_worker(u32 worker) const { return full_ ? fabric_.node_of_worker(worker) : worker % config_.nodes; } // spread round the nodes (N25)
  bool pin(Self& self, u32 node);
  u32 processors() const { return full_ ? fabric_.threads() : config_.nodes * config_.cores_per_node; }
  u32 distance(u32 from, u32 to) const { return full_ ? u32(fabric_.distance(from, to)) : from == to ? 100 : u32(config_.costs.remote_percent); }
  void ask_nodes(const word* at, u32 count, u8* nodes); // one call for them all, a price for each
  u32 interleaved_node(word at) { // what a collector would work out
    u32 node = node_of_page(at);
    return node == kNoNode ? 0 : node;
  }
  u32 ask_node(word at); // the node of a page by system call (move_pages that only asks); kNoNode while untouched
  u64 seed() const { return config_.seed; }

  // For tables that something else mapped: treats them as a range, line by line and page by page.
  bool adopt(word at, usize bytes);
  void forget(word at);

  // For tests and reports.
  static constexpr u32 kNoNode = sim::Model::kNoNode;
  void settle_page(word at, u32 node) { // touched before the beginning by a thread on that node; no clock moves
    if (sim::Range* range = model_.places().find(at); range != nullptr) model_.places().touch(*range, (at - range->base) / kPageBytes, node);
  }
  void cool() { // see Fabric::cool; the uniform machine has no caches
    if (full_) fabric_.cool();
  }
  u32 node_of_page(word at) { return model_.node_of_page(at); } // kNoNode while untouched
  u64 offset_of(word at) { return id_of(at); }                  // simulated address
  const sim::Fabric& fabric() const { return fabric_; }         // of a machine with a Shape: who asked how much of whom
  sim::Fabric& fabric() { return fabric_; }                     // to meter it
  // Told where a worker is in a phase (work/config.h Spot) and whom it stole from; sees clocks and changes none (N27).
  struct Watcher {
    void (*reached)(void* self, u32 worker, u32 spot, u64 ps) = nullptr;
    void (*stole)(void* self, u32 worker, u32 from_node) = nullptr;
    void* self = nullptr;
    void (*visited)(void* self, Where where, u64 ps) = nullptr; // an atomic operation of a fiber, and what it took
  };
  void watch(const Watcher& watcher) { watcher_ = watcher; } // what it is told moves no clock
  // every, of a case of which a part is to be searched: false: until true nobody is preempted, and of several who may go on the first does. reset() makes it true.
  void choose(bool on) { chooses_ = on; }
  u32 current_fiber() const { return current_; }                // kNoFiber outside run()
  static void fence_acquire();                                  // of the fiber that runs; collectors have none, tests of the detector do
  static void fence_release();

  // What seam/watch.h tells; nothing outside run().
  static bool mutated(Trap trap);
  static void saw(Access access, const volatile void* at, usize bytes, Where where);
  static void guesses(const volatile void* at, usize bytes, Where where);
  static void guessed(bool right);

 private:
  enum class Op : u8 { look = 1, take, header, set_header, forward, lock, unlock, park, wake, pause, yield, start, end, page };
  enum class State : u8 { ready, running, parked, locked, ended };
  struct Task {
    Fiber* fiber;
    void (*entry)(void*);
    void* arg;
    u64 clock;
    u64 waits_since;    // clock at which it began to wait
    word waits_on;      // host address of the futex or lock, while parked or locked
    u32 node, worker;   // worker is sim::kNoFiber until a Self was made
    u32 storm;          // visible operations at which it still gives way
    State state;
    bool in_turn;       // every: stands before a visible operation, not inside one
    bool yielded;       // every: its last operation was a pause or a yield
    i64 priority;       // priority: the highest goes on
  };

  // Visible operations of Atomic and Lock, which have no Self: they find the running Sim themselves.
  static Sim* running(); // null outside run()
  static void atomic_look(const volatile void* at, sim::Order order, Where where);
  static void atomic_take(const volatile void* at, sim::Order order, sim::Effect effect, Where where);
  static void atomic_tried(const volatile void* at, bool won, sim::Order order, Where where); // after a take that is `undecided`
  static void atomic_made(const volatile void* at);
  static void lock_acquire(u32* holder);
  static bool lock_try(u32* holder);
  static void lock_release(u32* holder);

  // races.h. The first three return at once when nobody asked.
  GARNER_INLINE void watch(Access access, word at, usize bytes, Where where) {
    if (GARNER_UNLIKELY(config_.races)) meet(access, at, bytes, where);
  }
  GARNER_INLINE void watch_store(Slot slot, Ref ref, Where where) {
    if (GARNER_UNLIKELY(config_.races)) meet(load_word(slot.at) == ref.at ? Access::loose : Access::store, slot.at, kWordBytes, where);
  }
  GARNER_INLINE void watch_copy(word to, word from, usize bytes, Where where) {
    if (GARNER_LIKELY(!config_.races)) return;
    meet(Access::loose, from, bytes, where);
    meet(Access::write, to, bytes, where);
  }
  GARNER_INLINE void order(word at, sim::Order order, sim::Effect effect, Where where) {
    if (GARNER_UNLIKELY(config_.races)) ordered(at, order, effect, where);
  }
  GARNER_COLD void meet(Access access, word at, usize bytes, Where where);
  GARNER_COLD void ordered(word at, sim::Order order, sim::Effect effect, Where where);
  void describe_race();
  void describe_side(const sim::Race::Side& side);

  // Verbs of Self that are too long to be inline.
  void visit(Op op, word at, sim::Use use, Where where = Where::here());
  void give_way(Op op, u64 price);
  void park_on(u32* at, u32 expected);
  void wake_on(u32* at, u32 count);
  enum class Call : u8 { plain, map }; // map: under the lock of the address space
  void system_call(u64 price, Call kind = Call::plain);
  void hired(u32 worker, u32 node);
  u64 futex_call(word at, u64 price) { return full_ ? fabric_.futex_call(clock_, fabric_.id_of(at), price) : clock_ + price; }
  u64 worked(u64 price) const { return full_ ? fabric_.work(price) : price; }
  using Visit = sim::Model::Visit;
  Visit priced(word at, sim::Use use); // what a visible operation costs from now on, and its word's id
  void places_changed();
  u64 id_of(word at) { return full_ ? fabric_.id_of(at) : model_.id_of(at); }

  // fabric_verbs.cc: the plain verbs on a machine in full. A word in the core's own caches is a matter of its own; anything else waits
  // until this fiber has the earliest clock.
  void full_word(word at, bool write) {
    if (current_ == sim::kNoFiber || fabric_.hit(clock_, at, write)) return;
    full_miss(at, write);
  }
  void full_page(word at); // gives way, takes the page's fault if there is one to take, and gives way again
  void full_miss(word at, bool write);
  void full_sequence(word at, usize bytes, sim::Fabric::Pass pass);
  void full_copy(word to, word from, usize bytes, sim::Fabric::Pass pass);
  void full_touch(word at);

  GARNER_INLINE void before_visible() {
    if (GARNER_UNLIKELY(clock_ >= until_)) turn();
  }
  GARNER_INLINE void before_plain() {
    if (GARNER_UNLIKELY(clock_ >= until_plain_)) turn_plain();
  }
  GARNER_INLINE void before_miss() {
    if (GARNER_UNLIKELY(clock_ >= until_miss_)) turn_plain();
  }
  void mark(Op op, u64 id);

  // sim.cc: the life of fibers.
  void clear();
  static void fiber_entry(void* sim);
  void make_ready(u32 fiber, u64 clock);
  void block();
  void resume(u32 fiber);
  void switch_to(u32 fiber);
  [[noreturn]] void end_fiber();
  void stop(sim::End end);
  void release_waiters(word at, State state, u32 count, u64 clock);
  void describe_waits();
  void describe_budget();

  // pick.cc: who goes on.
  void turn();
  void turn_plain();
  void set_until();
  u32 pick_next(); // the running fiber cannot go on; sim::kNoFiber when nobody can
  void turn_earliest();
  void turn_seeded();
  void turn_every();
  void turn_priority();
  u32 pick_seeded();
  u32 pick_priority();
  void lower_priority() { tasks_[current_].priority = --priority_low_; }
  void draw_changes();
  u32 pick_every(bool running);
  bool happens(u32 one_in, sim::Fault kind);
  u64 faults_at_operation(); // the delay, if that struck
  void ready_due();

  // Of the running fiber; what a verb touches stands first.
  u64 clock_ = 0;
  u64 until_plain_ = ~u64(0); // at this clock a plain verb must ask
  u64 until_ = ~u64(0);       // at this clock a visible operation must ask
  u64 until_miss_ = ~u64(0);  // full: at this clock a plain verb that leaves the own caches must ask
  bool full_ = false;         // config.shape was given: fabric_ tells the prices, not model_
  u64 digest_ = 0, steps_ = 0;
  u32 current_ = sim::kNoFiber;
  sim::Model model_;
  sim::Fabric fabric_;

  Config config_;
  Vector<Task> tasks_;
  Vector<u32> waiting_;    // parked and locked fibers, in order of arrival
  sim::Ready ready_;            // earliest
  Vector<u32> ready_list_; // seeded
  Vector<u32> late_;       // seeded: delayed fibers, ready once time has passed their clock
  u64 ready_mask_ = 0, ready_before_ = 0; // every
  sim::Fair fair_;                             // every
  bool chooses_ = true;                   // every
  bool settled_ = false;                  // every: the running fiber was chosen for the operation it comes to next
  Random random_;
  u32 switch_one_in_ = 2;
  static constexpr u32 kChangesMost = 16;
  u64 changes_[kChangesMost] = {};        // priority: counts of visible operations
  i64 priority_low_ = 0;
  sim::Races races_;
  u32 preemptions_ = 0;
  u32 live_ = 0, locked_ = 0;
  bool faulty_ = false; // the plan has faults at visible operations
  bool over_ = false;   // a run ended with fibers left
  sim::End end_ = sim::End::finished;
  u64 switches_ = 0, clock_max_ = 0;
  u64 fault_counts_[sim::kFaultKinds] = {};
  Fiber* host_ = nullptr; // the stack that called run()
  FiberPool stacks_;
  Line text_;
  Watcher watcher_;
};

// One worker of the machine. Any fiber may use it, one at a time; outside run() its verbs cost nothing.
class Sim::Self {
 public:
  Self(Sim& sim, u32 worker) : index(worker), node(sim.node_of_worker(worker)), random(mix64(sim.config_.seed) ^ worker), sim_(sim) {
    sim.hired(worker, node);
  }
  Self(const Self&) = delete;
  Self& operator=(const Self&) = delete;

  const u32 index;
  u32 node;
  Random random;

  GARNER_INLINE Ref load(Slot slot, Where where = Where::here()) {
    sim_.before_plain();
    if (sim_.full_) sim_.full_word(slot.at, false);
    else sim_.clock_ = sim_.model_.load(sim_.clock_, slot.at);
    sim_.watch(Access::read, slot.at, kWordBytes, where);
    return Ref{load_word(slot.at)};
  }
  GARNER_INLINE void store(Slot slot, Ref ref, Where where = Where::here()) {
    sim_.before_plain();
    if (sim_.full_) sim_.full_word(slot.at, true);
    else sim_.clock_ = sim_.model_.store(sim_.clock_, slot.at);
    sim_.watch_store(slot, ref, where);
    store_word(slot.at, ref.at);
  }
  word header(Header header, Where where = Where::here()) {
    sim_.visit(Op::header, header.at, sim::Use::load);
    sim_.order(header.at, sim::Order::acquire, sim::Effect::load, where);
    sim_.watch(Access::atomic_read, header.at, kWordBytes, where);
    return load_word(header.at);
  }
  void set_header(Header header, word value, Where where = Where::here()) {
    sim_.visit(Op::set_header, header.at, sim::Use::store);
    sim_.watch(Access::write, header.at, kWordBytes, where);
    store_word(header.at, value);
  }
  word forward(Header header, word seen, word desired, Where where = Where::here()) {
    sim_.visit(Op::forward, header.at, sim::Use::swap);
    word found = load_word(header.at);
    const bool won = found == seen;
    sim_.order(header.at, won ? sim::Order::acq_rel : sim::Order::acquire, won ? sim::Effect::change : sim::Effect::load, where);
    sim_.watch(won ? Access::atomic_write : Access::atomic_read, header.at, kWordBytes, where);
    if (won) store_word(header.at, desired);
    return found;
  }
  void copy(word to, word from, usize bytes, Where where = Where::here()) {
    sim_.before_plain();
    if (sim_.full_) sim_.full_copy(to, from, bytes, sim::Fabric::Pass::write);
    else sim_.clock_ = sim_.model_.copy(sim_.clock_, to, from, bytes);
    sim_.watch_copy(to, from, bytes, where);
    memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  }
  void slide(word to, word from, usize bytes, Where where = Where::here()) {
    sim_.before_plain();
    if (sim_.full_) sim_.full_copy(to, from, bytes, sim::Fabric::Pass::write);
    else sim_.clock_ = sim_.model_.copy(sim_.clock_, to, from, bytes);
    sim_.watch_copy(to, from, bytes, where);
    memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  }
  void stream(word to, word from, usize bytes, Where where = Where::here()) {
    sim_.before_plain();
    if (sim_.full_) sim_.full_copy(to, from, bytes, sim::Fabric::Pass::around);
    else sim_.clock_ = sim_.model_.stream(sim_.clock_, to, from, bytes);
    sim_.watch_copy(to, from, bytes, where);
    memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  }
  GARNER_INLINE void read(word at, usize bytes, Where where = Where::here()) {
    sim_.before_plain();
    if (sim_.full_) sim_.full_sequence(at, bytes, sim::Fabric::Pass::read);
    else sim_.clock_ = sim_.model_.read(sim_.clock_, at, bytes);
    sim_.watch(Access::read, at, bytes, where);
  }
  GARNER_INLINE void write(word at, usize bytes, Where where = Where::here()) {
    sim_.before_plain();
    if (sim_.full_) sim_.full_sequence(at, bytes, sim::Fabric::Pass::write);
    else sim_.clock_ = sim_.model_.write(sim_.clock_, at, bytes);
    sim_.watch(Access::write, at, bytes, where);
  }
  GARNER_INLINE void touch(word at) {
    if (sim_.full_) sim_.full_touch(at);
    else sim_.clock_ = sim_.model_.prefetch(sim_.clock_);
  }
  void pause() { sim_.relax(1); }
  void yield() { sim_.give_way(Op::yield, sim_.config_.costs.yield); }
  u64 now() { return sim_.now(); }
  void reached(u32 spot) {
    if (sim_.watcher_.reached != nullptr) sim_.watcher_.reached(sim_.watcher_.self, index, spot, sim_.clock_);
  }
  void stole(u32 from_node) {
    if (sim_.watcher_.stole != nullptr) sim_.watcher_.stole(sim_.watcher_.self, index, from_node);
  }

 private:
  friend class Sim;
  Sim& sim_;
};

// The operations of base/atomic.h. One fiber runs at a time, so each is a plain access at the moment the schedule chose.
template <class T> class Sim::Atomic {
 public:
  constexpr Atomic() {
    if (!__builtin_is_constant_evaluated()) Sim::atomic_made(&value_);
  }
  constexpr explicit Atomic(T value) : value_(value) {
    if (!__builtin_is_constant_evaluated()) Sim::atomic_made(&value_);
  }
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load_relaxed(Where w = Where::here()) const { return look(Order::relaxed, w); }
  T load_acquire(Where w = Where::here()) const { return look(Order::acquire, w); }
  T load_seq_cst(Where w = Where::here()) const { return look(Order::seq_cst, w); }
  void store_relaxed(T v, Where w = Where::here()) { take(Order::relaxed, Effect::store, w) = v; }
  void store_release(T v, Where w = Where::here()) { take(Order::release, Effect::store, w) = v; }
  void store_seq_cst(T v, Where w = Where::here()) { take(Order::seq_cst, Effect::store, w) = v; }
  T exchange_acq_rel(T v, Where w = Where::here()) {
    T& at = take(Order::acq_rel, Effect::change, w);
    T before = at;
    at = v;
    return before;
  }
  bool cas_acq_rel(T& expected, T v, Where w = Where::here()) { return cas(expected, v, Order::acq_rel, w); }
  bool cas_seq_cst(T& expected, T v, Where w = Where::here()) { return cas(expected, v, Order::seq_cst, w); }
  bool cas_relaxed(T& expected, T v, Where w = Where::here()) { return cas(expected, v, Order::relaxed, w); }
  T fetch_add_seq_cst(T v, Where w = Where::here()) { return add(v, Order::seq_cst, w); }
  T fetch_add_relaxed(T v, Where w = Where::here()) { return add(v, Order::relaxed, w); }
  T fetch_sub_relaxed(T v, Where w = Where::here()) { return add(T(T(0) - v), Order::relaxed, w); }
  T fetch_add_acq_rel(T v, Where w = Where::here()) { return add(v, Order::acq_rel, w); }
  T fetch_sub_acq_rel(T v, Where w = Where::here()) { return add(T(T(0) - v), Order::acq_rel, w); }
  T fetch_or_relaxed(T v, Where w = Where::here()) { return combine(v, Order::relaxed, w); }
  T fetch_or_acq_rel(T v, Where w = Where::here()) { return combine(v, Order::acq_rel, w); }

  // The address, for park and wake only.
  T* address() { return &value_; }

 private:
  using Order = sim::Order;
  using Effect = sim::Effect;
  const T& look(Order order, Where where) const {
    Sim::atomic_look(&value_, order, where);
    return value_;
  }
  T& take(Order order, Effect effect, Where where) {
    Sim::atomic_take(&value_, order, effect, where);
    return value_;
  }
  // A compare-and-swap that finds something else is a load, with the acquiring half of its order.
  bool cas(T& expected, T v, Order order, Where where) {
    T& at = take(order, Effect::undecided, where);
    const bool won = memcmp(&at, &expected, sizeof(T)) == 0;
    Sim::atomic_tried(&value_, won, order, where);
    if (won) at = v;
    else expected = at;
    return won;
  }
  T add(T v, Order order, Where where) {
    T& at = take(order, Effect::change, where);
    T before = at;
    at = T(at + v);
    return before;
  }
  T combine(T v, Order order, Where where) {
    T& at = take(order, Effect::change, where);
    T before = at;
    at = T(at | v);
    return before;
  }

  T value_{};
};

// Waits without spinning: a fiber that finds the lock held is not run until it is released, so a lock that nobody will release is
// a deadlock and not a hang. Not fair: everyone who waited tries again, as with a spin lock.
class Sim::Lock {
 public:
  constexpr Lock() {
    if (!__builtin_is_constant_evaluated()) Sim::atomic_made(&holder_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  void lock() { Sim::lock_acquire(&holder_); }
  bool try_lock() { return Sim::lock_try(&holder_); }
  void unlock() { Sim::lock_release(&holder_); }

 private:
  friend class Sim;
  u32 holder_ = 0; // fiber + 1; sim::kNoFiber for a caller outside run()
};

GARNER_INLINE void Sim::park(Self&, Atomic<u32>& word_, u32 expected) { park_on(word_.address(), expected); }
GARNER_INLINE void Sim::wake(Self&, Atomic<u32>& word_, u32 count) { wake_on(word_.address(), count); }

static_assert(Verbs<Sim::Self> && Machine<Sim>);

} // namespace garner
