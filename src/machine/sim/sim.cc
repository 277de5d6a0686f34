// The life of simulated fibers: start, run, wait, wake, end; and the visible operations. Who goes on is decided in pick.cc.
//
// Story of a park that must not sleep through its wake: (1) fiber A reads the word and decides to park; (2) fiber B changes the
// word and wakes nobody; (3) A parks. park_on compares and joins waiting_ without a switch in between, and its only switch point
// is before the comparison, so step 3 sees B's word and returns: the futex's own promise, no more. A caller that does not pass
// the value it decided on has the race for real, and the pickers find it.
#include "machine/sim/sim.h"

#include "base/check.h"

namespace garner {

using namespace sim;

namespace {

thread_local Sim* running_here = nullptr; // the Sim whose run() is active on this thread

word address_of(const volatile void* at) { return reinterpret_cast<word>(at); }

// So that later pushes up to `count` cannot fail.
template <class T> bool room_for(Vector<T>& list, usize count) {
  usize size = list.size();
  if (!list.resize(max_of(size, count))) return false;
  list.truncate(size);
  return true;
}

template <class T> void add(Vector<T>& list, const T& item) {
  GARNER_CHECK(list.push(item), "the simulated machine is out of memory");
}

} // namespace

Sim* Sim::running() { return running_here; }

Sim::Sim(const Config& config) : stacks_(config.stack_bytes) { reset(config); }

Sim::~Sim() { clear(); }

void Sim::clear() {
  GARNER_CHECK(current_ == kNoFiber, "a simulated machine cannot be reset while it runs");
  for (Task& task : tasks_)
    if (task.fiber != nullptr) stacks_.give(task.fiber);
  tasks_.clear();
  waiting_.clear();
  ready_list_.clear();
  late_.clear();
  ready_.clear();
  fair_.clear();
}

void Sim::reset(const Config& config) {
  GARNER_CHECK(config.nodes >= 1 && config.nodes <= kNodesMax, "a simulated machine has 1 to 64 nodes");
  clear();
  config_ = config;
  full_ = config.shape != nullptr;
  if (full_) {
    const char* wrong = check_shape(*config.shape);
    if (wrong != nullptr) die(wrong, __FILE__, __LINE__);
    config_.nodes = config.shape->nodes;
    config_.costs = config.shape->costs;
    config_.shape = nullptr; // the caller's; the Fabric has a copy
  }
  GARNER_CHECK(model_.reset(config_.costs, config_.nodes), "the simulated machine is out of memory");
  GARNER_CHECK(!full_ || fabric_.reset(*config.shape, model_.places()), "the simulated machine is out of memory for its caches");
  random_ = Random(config.seed);
  if (config.races) races_.forget();
  const u32 rates[] = {2, 4, 16, 64};
  switch_one_in_ = config.switch_one_in != 0 ? config.switch_one_in : rates[random_.below(4)];
  faulty_ = config.picker != Picker::every && config.faults.at_operations();
  clock_ = clock_max_ = 0;
  until_ = until_plain_ = until_miss_ = ~u64(0);
  digest_ = 0x67617266;
  steps_ = switches_ = 0;
  ready_mask_ = ready_before_ = 0;
  settled_ = over_ = false;
  chooses_ = true;
  preemptions_ = live_ = locked_ = 0;
  memset(fault_counts_, 0, sizeof fault_counts_);
  text_.clear();
  if (config.picker == Picker::priority) draw_changes();
}

bool Sim::start(void (*entry)(void*), void* arg) {
  const u32 number = u32(tasks_.size());
  if (config_.picker == Picker::every && number >= Fair::kFibersMax) return false;
  const usize count = number + 1;
  if (!room_for(tasks_, count) || !room_for(waiting_, count) || !room_for(ready_list_, count) || !room_for(late_, count) ||
      !ready_.room_for(u32(count)))
    return false;
  u64 born = clock_;
  if (current_ != kNoFiber) {
    mark(Op::start, number);
    born = clock_ + config_.costs.start_thread;
    clock_ += config_.costs.start_thread / 4;
  }
  Fiber* fiber = stacks_.take();
  if (fiber == nullptr) return false;
  if (full_ && !fabric_.add_fiber(number)) {
    stacks_.give(fiber);
    return false;
  }
  fiber->aim(&fiber_entry, this);
  const u32 node = full_ ? fabric_.node_of_fiber(number) : node_of_worker(number);
  const i64 priority = config_.picker == Picker::priority ? i64(random_.below(u64(1) << 32)) : 0;
  add(tasks_, Task{fiber, entry, arg, 0, 0, 0, node, kNoFiber, 0, State::ready, false, false, priority});
  if (config_.races) races_.born(number, current_);
  if (config_.picker == Picker::every) fair_.add();
  live_++;
  make_ready(number, born);
  return true;
}

void Sim::fiber_entry(void* sim) {
  Sim* self = static_cast<Sim*>(sim);
  const Task task = self->tasks_[self->current_];
  task.entry(task.arg);
  self->end_fiber();
}

Sim::Outcome Sim::run() {
  GARNER_CHECK(current_ == kNoFiber, "run() inside run()");
  GARNER_CHECK(!over_, "a run that did not finish leaves only reset()");
  Fiber host;
  host_ = &host;
  Sim* outer = running_here;
  running_here = this;
  end_ = End::finished;
  model_.begin_run();
  if (config_.races) races_.begin_run();
  if (full_) fabric_.begin_run();
  if (u32 first = pick_next(); first != kNoFiber) switch_to(first);
  running_here = outer;
  host_ = nullptr;
  current_ = kNoFiber;
  over_ = live_ != 0;
  clock_ = clock_max_ = max_of(clock_, clock_max_);
  until_ = until_plain_ = until_miss_ = ~u64(0);
  model_.leave();
  fabric_.leave();
  return {end_, steps_, clock_ / 1000, text_.c_str()};
}

// Ready again at `clock`, or now if its own clock is later.
void Sim::make_ready(u32 fiber, u64 clock) {
  Task& task = tasks_[fiber];
  task.clock = max_of(task.clock, clock);
  task.state = State::ready;
  if (full_) fabric_.set_active(fiber, true);
  switch (config_.picker) {
    case Picker::earliest: ready_.set(fiber, task.clock); break;
    case Picker::seeded:
    case Picker::priority: add(ready_list_, fiber); break;
    case Picker::every: ready_mask_ |= u64(1) << fiber; break;
  }
  if (current_ != kNoFiber) set_until();
}

// The running fiber waits for something; the caller wrote down what. Returns when it was made ready and chosen.
void Sim::block() {
  tasks_[current_].clock = tasks_[current_].waits_since = clock_;
  add(waiting_, current_);
  if (full_) fabric_.set_active(current_, false);
  u32 next = pick_next();
  if (next == kNoFiber) stop(End::deadlock);
  else switch_to(next);
}

// `fiber` was taken from the ready ones by a picker, or is the running one itself: its state, its clock and its prices hold now.
GARNER_INLINE void Sim::resume(u32 fiber) {
  Task& to = tasks_[fiber];
  clock_ = config_.picker == Picker::earliest ? to.clock : max_of(clock_, to.clock);
  to.state = State::running;
  settled_ = !to.in_turn;
  to.in_turn = false;
  if (fiber != current_) {
    switches_++;
    current_ = fiber;
    if (config_.races) races_.enter(fiber);
    if (full_) fabric_.enter(fiber);
    else model_.enter(fiber, to.node);
  }
  set_until();
}

void Sim::switch_to(u32 fiber) {
  Fiber& from = current_ == kNoFiber ? *host_ : *tasks_[current_].fiber;
  Fiber& to = *tasks_[fiber].fiber;
  resume(fiber);
  if (&from != &to) Fiber::switch_to(from, to);
}

void Sim::end_fiber() {
  mark(Op::end, 0);
  Task& task = tasks_[current_];
  task.state = State::ended;
  live_--;
  if (full_) fabric_.set_active(current_, false);
  clock_max_ = max_of(clock_max_, clock_);
  Fiber* mine = task.fiber;
  Fiber* to = host_;
  if (u32 next = pick_next(); next != kNoFiber) {
    to = tasks_[next].fiber;
    resume(next);
  } else if (live_ != 0) {
    end_ = End::deadlock;
    describe_waits();
  }
  task.fiber = nullptr;
  stacks_.give(mine);
  Fiber::leave(*mine, *to);
}

// Ends the run from inside a fiber, which is never resumed.
void Sim::stop(End end) {
  end_ = end;
  if (end == End::deadlock) describe_waits();
  if (end == End::budget) describe_budget();
  if (end == End::race) describe_race();
  Fiber::switch_to(*tasks_[current_].fiber, *host_);
}

void Sim::describe_waits() {
  text_.text("deadlock: ").num(live_).text(live_ == 1 ? " fiber waits for ever" : " fibers wait for ever");
  for (u32 fiber : waiting_) {
    const Task& task = tasks_[fiber];
    text_.text("; fiber ").num(fiber);
    if (task.worker != kNoFiber) text_.text(" (worker ").num(task.worker).text(")");
    const u64 id = id_of(task.waits_on);
    const u32 value = *reinterpret_cast<const u32*>(task.waits_on);
    text_.text(task.state == State::parked ? " parked on word " : " waits for lock ");
    if ((id & Model::kStranger) != 0) text_.text("#").num(id & ~Model::kStranger);
    else text_.text("+0x").hex(id);
    if (task.state == State::parked) text_.text(" = ").num(value);
    else text_.text(" held by fiber ").num(value - 1);
    text_.text(" since ").num(task.waits_since / 1000).text(" ns");
  }
}

void Sim::describe_budget() {
  text_.text("budget: ").num(steps_).text(" visible operations; fiber ").num(current_).text(" was running, ");
  text_.num(u64(waiting_.size())).text(" of ").num(live_).text(" were waiting");
}

// Folds one visible operation into the digest, at the clock at which it begins, and counts it.
GARNER_INLINE void Sim::mark(Op op, u64 id) {
  const u64 who = u64(current_) << 8 | u64(op);
  digest_ = ((digest_ << 25 | digest_ >> 39) ^ (id + who * 0x9e3779b97f4a7c15ull) ^ clock_ * 0xbf58476d1ce4e5b9ull) * 0x94d049bb133111ebull;
  if (GARNER_UNLIKELY(++steps_ >= config_.steps_max)) stop(End::budget);
}

GARNER_INLINE Sim::Visit Sim::priced(word at, sim::Use use) {
  if (full_) {
    if (GARNER_UNLIKELY(fabric_.fault(clock_, at))) before_miss();
    return use == sim::Use::load ? fabric_.look(clock_, at) : fabric_.take(clock_, at, use);
  }
  return use == sim::Use::load ? model_.look(clock_, at) : model_.take(clock_, at, use);
}

void Sim::visit(Op op, word at, sim::Use use, Where where) {
  if (GARNER_UNLIKELY(current_ == kNoFiber)) return;
  before_visible();
  const Visit visit = priced(at, use);
  mark(op, visit.id);
  if (GARNER_UNLIKELY(watcher_.visited != nullptr)) watcher_.visited(watcher_.self, where, visit.clock - clock_);
  clock_ = visit.clock;
}

void Sim::atomic_look(const volatile void* at, Order order, Where where) {
  Sim* self = running_here;
  if (self == nullptr) return;
  self->visit(Op::look, address_of(at), sim::Use::load, where);
  self->order(address_of(at), order, Effect::load, where);
}

void Sim::atomic_take(const volatile void* at, Order order, Effect effect, Where where) {
  Sim* self = running_here;
  if (self == nullptr) return;
  self->visit(Op::take, address_of(at), effect == Effect::store && order != Order::seq_cst ? sim::Use::store : sim::Use::swap, where);
  if (effect != Effect::undecided) self->order(address_of(at), order, effect, where);
}

void Sim::atomic_tried(const volatile void* at, bool won, Order order, Where where) {
  Sim* self = running_here;
  if (self == nullptr) return;
  if (!won && order == Order::acq_rel) order = Order::acquire;
  self->order(address_of(at), order, won ? Effect::change : Effect::load, where);
}

void Sim::atomic_made(const volatile void* at) {
  Sim* self = running_here;
  if (self == nullptr) return;
  if (self->full_) self->fabric_.renew(address_of(at));
  else self->model_.renew(address_of(at));
  if (self->config_.races) self->races_.renew(address_of(at));
}

void Sim::give_way(Op op, u64 price) {
  if (current_ == kNoFiber) return;
  Task& task = tasks_[current_];
  if (config_.picker == Picker::every) {
    // Nothing is accessed, so the choice comes before the next operation; two yields in a row need one between them.
    if (task.yielded) before_visible();
    tasks_[current_].yielded = true;
    settled_ = false;
  } else {
    if (op == Op::yield && config_.picker == Picker::seeded && task.storm == 0) task.storm = 1;
    if (config_.picker == Picker::priority) lower_priority();
    before_visible();
  }
  mark(op, 0);
  clock_ += worked(price);
}

void Sim::park_on(u32* at, u32 expected) {
  if (current_ == kNoFiber) return;
  before_visible();
  const Visit visit = priced(address_of(at), sim::Use::load);
  mark(Op::park, visit.id);
  clock_ = visit.clock;
  clock_ = futex_call(address_of(at), config_.costs.park_call);
  if (*at != expected) return;
  if (happens(config_.faults.park_returns_one_in, Fault::park_returns)) return;
  tasks_[current_].state = State::parked;
  tasks_[current_].waits_on = address_of(at);
  block();
}

void Sim::wake_on(u32* at, u32 count) {
  if (current_ == kNoFiber) return;
  before_visible();
  mark(Op::wake, id_of(address_of(at)));
  clock_ = futex_call(address_of(at), config_.costs.wake_call);
  release_waiters(address_of(at), State::parked, count, clock_ + config_.costs.wake_latency);
}

// Lets go up to `count` of those that wait on `at`: the first to arrive, or under `seeded` anyone.
void Sim::release_waiters(word at, State state, u32 count, u64 clock) {
  auto matches = [&](u32 fiber) { return tasks_[fiber].waits_on == at && tasks_[fiber].state == state; };
  while (count > 0) {
    usize matching = 0;
    for (u32 fiber : waiting_) matching += matches(fiber);
    if (matching == 0) return;
    usize skip = config_.picker == Picker::seeded ? random_.below(matching) : 0, i = 0;
    while (!matches(waiting_[i]) || skip-- > 0) i++;
    const u32 fiber = waiting_[i];
    for (; i + 1 < waiting_.size(); i++) waiting_[i] = waiting_[i + 1];
    waiting_.pop();
    make_ready(fiber, clock);
    count--;
    if (state != State::parked) continue;
    clock_ += config_.costs.wake_call; // one after the other
    clock += config_.costs.wake_call;
  }
}

void Sim::lock_acquire(u32* holder) {
  Sim* self = running_here;
  if (self == nullptr) {
    GARNER_CHECK(*holder == 0, "a lock of the simulated machine is held, and nobody runs who could release it");
    *holder = kNoFiber;
    return;
  }
  self->before_visible();
  while (true) {
    const Visit visit = self->priced(address_of(holder), sim::Use::swap);
    self->mark(Op::lock, visit.id);
    self->clock_ = visit.clock;
    if (*holder == 0) break;
    self->tasks_[self->current_].state = State::locked;
    self->tasks_[self->current_].waits_on = address_of(holder);
    self->locked_++;
    self->block();
    self->settled_ = false; // what it was chosen for is the attempt that follows, not its next operation
  }
  *holder = self->current_ + 1;
  self->order(address_of(holder), Order::acquire, Effect::load, Where::here());
}

bool Sim::lock_try(u32* holder) {
  Sim* self = running_here;
  if (self != nullptr) self->visit(Op::lock, address_of(holder), sim::Use::swap);
  if (*holder != 0) return false;
  if (self != nullptr) self->order(address_of(holder), Order::acquire, Effect::load, Where::here());
  *holder = self == nullptr ? kNoFiber : self->current_ + 1;
  return true;
}

void Sim::lock_release(u32* holder) {
  Sim* self = running_here;
  if (self != nullptr) {
    self->visit(Op::unlock, address_of(holder), sim::Use::swap);
    GARNER_CHECK(*holder == self->current_ + 1, "a lock is released by the fiber that holds it");
    self->order(address_of(holder), Order::release, Effect::store, Where::here());
  }
  *holder = 0;
  if (self == nullptr || self->locked_ == 0) return;
  const usize before = self->waiting_.size();
  self->release_waiters(address_of(holder), State::locked, ~0u, self->clock_);
  self->locked_ -= u32(before - self->waiting_.size());
}

void Sim::hired(u32 worker, u32 node) {
  if (current_ == kNoFiber) return;
  tasks_[current_].worker = worker;
  tasks_[current_].node = node;
  if (full_) fabric_.seat_worker(current_, worker), fabric_.enter(current_);
  else model_.enter(current_, node);
}

void Sim::system_call(u64 price, Call kind) {
  if (current_ == kNoFiber) return;
  if (full_) before_miss();
  else before_plain();
  mark(Op::page, 0);
  clock_ = full_ && kind == Call::map ? fabric_.map_call(clock_, price) : clock_ + price;
}

u64 Sim::now() {
  if (current_ != kNoFiber) {
    before_plain();
    clock_ += config_.costs.clock_read;
  }
  return clock_ / 1000;
}

bool Sim::pin(Self& self, u32 node) {
  if (node >= config_.nodes || (full_ && !fabric_.has_cores(node))) return false;
  system_call(config_.costs.pin_call);
  self.node = node;
  if (current_ == kNoFiber) return true;
  tasks_[current_].node = node;
  if (full_) fabric_.move_to_node(current_, node), fabric_.enter(current_);
  else model_.enter(current_, node);
  return true;
}

word Sim::reserve(usize bytes, usize align) {
  system_call(config_.costs.reserve_call, Call::map);
  if (happens(config_.faults.reserve_refused_one_in, Fault::reserve_refused)) return 0;
  word at = model_.places().reserve(bytes, align);
  places_changed();
  return at;
}

void Sim::release(word at, usize bytes) {
  system_call(config_.costs.reserve_call, Call::map);
  model_.places().release(at, bytes);
  places_changed();
  if (config_.races) races_.forget(at, bytes);
}

void Sim::discard(word at, usize bytes) {
  system_call(div_up(bytes, kPageBytes) * config_.costs.discard_page);
  model_.places().discard(at, bytes);
  if (config_.races) races_.forget(at, bytes);
}

Placed Sim::bind(word at, usize bytes, u32 node) {
  system_call(config_.costs.bind_call, Call::map);
  if (config_.nodes == 1) return Placed::one_node;
  if (node >= config_.nodes || happens(config_.faults.bind_refused_one_in, Fault::bind_refused)) return Placed::refused;
  model_.places().set_rule(at, bytes, u8(node + 1));
  return Placed::yes;
}

Placed Sim::interleave(word at, usize bytes) {
  system_call(config_.costs.bind_call, Call::map);
  if (config_.nodes == 1) return Placed::one_node;
  if (happens(config_.faults.bind_refused_one_in, Fault::bind_refused)) return Placed::refused;
  model_.places().set_rule(at, bytes, Places::kInterleave);
  return Placed::yes;
}

u32 Sim::ask_node(word at) {
  system_call(config_.costs.query_call + config_.costs.page_query);
  return node_of_page(at);
}

void Sim::ask_nodes(const word* at, u32 count, u8* nodes) {
  system_call(config_.costs.query_call + count * config_.costs.page_query);
  for (u32 i = 0; i < count; i++) {
    u32 node = node_of_page(at[i]);
    nodes[i] = node == kNoNode ? u8(garner::kNoNode) : u8(node);
  }
}

void Sim::places_changed() {
  model_.places_changed();
  fabric_.places_changed();
}

bool Sim::adopt(word at, usize bytes) {
  bool done = model_.places().adopt(at, bytes);
  places_changed();
  if (config_.races) races_.forget(at, bytes);
  return done;
}

void Sim::forget(word at) {
  model_.places().forget(at);
  places_changed();
}

} // namespace garner
