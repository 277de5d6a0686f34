// Cycle: heap and gang at start, one collection from its cause to its end, the phases it is made of (cycle.h). N3 N4 N12 N14.
#pragma once
#include <new>

#include "base/print.h"
#include "collect/en_masse.h"
#include "cycle/beside.ipp"
#include "cycle/bodies.h"
#include "cycle/cycle.h"
#include "cycle/details.ipp"
#include "cycle/en_masse.ipp"
#include "cycle/verify.ipp"

namespace garner {

template <class H, class M> bool Cycle<H, M>::init(const HeapConfig& config, typename Gang<M>::Spawn spawn, void* spawn_arg) {
  Filler filler{[](void* host, word at, usize bytes) { static_cast<H*>(host)->fill(at, bytes); }, &host_};
  const bool pin_asked = settings_.as<Pinning>(Opt::pin) != Pinning::automatic;
  place_automatically(config.by_node);
  if (!heap_.init(machine_, config.shape, filler)) {
    say(config.shape.large_pages ? "the system has not set aside enough large pages for the heap's limit (vm.nr_hugepages)"
                                 : "no address space for the heap: raise the limit on virtual memory (ulimit -v) or set heap.reserve lower");
    return false;
  }
  spaces_.init(heap_, settings_);
  worker_count_ = config.workers;
  if (!fits_nodes()) return false;
  usize bytes = worker_count_ * sizeof(Collecting<M>);
  void* memory = map_own(bytes);
  if (memory == nullptr) {
    say("no memory for the collector's workers");
    return false;
  }
  workers_ = static_cast<Collecting<M>*>(memory);
  for (u32 i = 0; i < worker_count_; i++) new (&workers_[i]) Collecting<M>();
  new (evacuation_) Evacuation<H, M>(heap_, host_, gang_, spaces_, workers_, worker_count_, settings_);
  new (compaction_) Compaction<H, M>(heap_, host_, gang_, spaces_, workers_, worker_count_, settings_);
  if (config.shape.beside) {
    new (besides_) Marking<H, M>(machine_, heap_, host_, gang_, spaces_, workers_, worker_count_, settings_);
    beside_ = true;
    spawn_ = spawn;
    spawn_arg_ = spawn_arg;
  }
  GangConfig gang;
  gang.workers = worker_count_;
  gang.task_queue = settings_.as<TaskQueueKind>(Opt::task_queue);
  gang.sync = settings_.as<SyncKind>(Opt::sync);
  gang.term_exit = settings_.as<TermExit>(Opt::term_exit);
  gang.term_count = settings_.as<TermCount>(Opt::term_count);
  gang.lock = settings_.as<LockKind>(Opt::lock);
  gang.order = settings_.as<Order>(Opt::order);
  gang.steal = settings_.on(Opt::steal);
  gang.queue_capacity = u32(settings_.get(Opt::queue_capacity));
  gang.conductor = settings_.as<Conductor>(Opt::conductor);
  gang.join = settings_.as<Join>(Opt::join) == Join::late ? JoinKind::late : JoinKind::fixed;
  gang.pin = settings_.as<Pinning>(Opt::pin);
  gang.pin_asked = pin_asked;
  gang.seats = settings_.on(Opt::seats);
  gang.victim = settings_.as<Victim>(Opt::victim);
  gang.share_from = u32(settings_.get(Opt::share_from));
  gang.steal_half = settings_.on(Opt::steal_half);
  gang.mail = Evacuation<H, M>::wants_mail(settings_);
  gang.mail_capacity = u32(settings_.get(Opt::root_capacity));
  gang.root_flush = u32(settings_.get(Opt::flush_threshold));
  gang.request_batch = u32(settings_.get(Opt::request_batch));
  gang.last_resort_us = u32(settings_.get(Opt::last_resort));
  gang.notices = settings_.on(Opt::notices);
  if (!gang_.start(machine_, gang, spawn, spawn_arg)) return false;
  pace_.init(config.pace);
  spaces_.eden.set_limit(pace_.eden());
  start_ns_ = last_end_ns_ = last_full_ns_ = machine_.now();
  char preset[64];
  settings_.print(Opt::preset, preset, sizeof preset);
  emitter_.emit(EventId::heap_ready, HeapReady{heap_.reserved(), config.shape.limit, heap_.region_bytes(), worker_count_, machine_.nodes(), config.door, preset});
  return true;
}

// What `auto` stands for here: pages near the threads that use them, and threads that stay there, where there is a choice.
template <class H, class M> void Cycle<H, M>::place_automatically(bool by_node) {
  bool many = false; // nodes with processors: memory alone, as on a machine with CXL, is no choice
  for (u32 i = 1; by_node && i < kWorkersMax; i++) many = many || machine_.node_of_worker(i) != machine_.node_of_worker(0);
  for (Opt space : {Opt::space_eden, Opt::space_survivor, Opt::space_old})
    if (settings_.as<SpacePolicy>(space) == SpacePolicy::automatic) settings_.set(space, i64(many ? SpacePolicy::fragmented : SpacePolicy::firsttouch));
  if (settings_.as<Pinning>(Opt::pin) == Pinning::automatic) settings_.set(Opt::pin, i64(many ? Pinning::rr : Pinning::none));
}

// What the settings ask of the machine's nodes. False with one line on stderr.
template <class H, class M> bool Cycle<H, M>::fits_nodes() {
  if (Evacuation<H, M>::segregated_spaces(settings_) != 0) {
    u64 all = 0, ours = 0;
    for (u32 i = 0; i < kWorkersMax; i++) {
      u64 node = u64(1) << (machine_.node_of_worker(i) % kMostNodes);
      all |= node;
      if (i < worker_count_) ours |= node;
    }
    if (all != ours) {
      say("segregated spaces need a collector thread on every node: raise general.workers, or use heap.space_eden=fragmented and heap.space_survivor=fragmented (N23)");
      return false;
    }
  }
  bool asks = settings_.as<Scheme>(Opt::scheme) == Scheme::aggressive && settings_.as<NodeLookup>(Opt::node_lookup) != NodeLookup::syscall;
  if (!asks || heap_.start_page_nodes()) return true;
  say("no address space for the table of pages: use collect.node_lookup=syscall");
  return false;
}

template <class H, class M> bool Cycle<H, M>::set_limit(const PaceConfig& pace, bool (*may)(void*), void* arg) {
  host_.enter(); // pacing belongs to whoever holds the collection lock
  const bool good = may == nullptr || may(arg);
  if (good) {
    emitter_.emit(EventId::limit_changed, LimitChanged{heap_.budget().limit(), pace.limit});
    heap_.budget().set_limit(pace.limit);
    pace_.set_limit(pace);
  }
  host_.leave();
  return good;
}

template <class H, class M> void Cycle<H, M>::end_eden_floor(bool (*still)(void*), void* arg) {
  host_.enter(); // as above
  if (still == nullptr || still(arg)) {
    const u64 used = spaces_.eden.used();
    pace_.end_eden_floor(room_for_young(sizes()) + used);
    spaces_.eden.set_limit(max_of(pace_.eden(), used));
  }
  host_.leave();
}

template <class H, class M> bool Cycle<H, M>::is_alive(Ref ref) {
  switch (tracing_) {
    case Tracing::evacuating: return evacuation().alive(ref);
    case Tracing::compacting: return compaction().alive(ref);
    case Tracing::marking: return beside().alive(ref);
    case Tracing::none: break;
  }
  return true;
}

// ---- one collection ----

template <class H, class M> bool Cycle<H, M>::collect(const Request& request) {
  const u64 begun = begun_.load_acquire(); // pairs with the store below: what this thread has dropped before is seen dead by those that begin later
  host_.enter();
  if (has_come(request, begun)) {
    host_.leave();
    return false;
  }
  gang_.ensure(worker_count_);
  const bool might = beside_ && request.may_mark && (request.begin_marking || prefers_beside()); // what small heaps never do costs them no thread
  const bool may_mark = might && beside().ensure_thread(spawn_, spawn_arg_);
  CycleRecord record{};
  asked_ = &request;
  current_ = &record;
  record.end.start_ns = machine_.now(); // waiting for somebody else's collection is not this one's pause, nor is making threads, while the program runs
  if (beside_) beside().call();
  host_.stop(request.cause);
  if (beside_) beside().hold();
  record.end.stop_ns = machine_.now() - record.end.start_ns;
  Self self(machine_, 0);
  begun_.store_release(count() + 1);
  Kind kind = begin(self, request, may_mark, record);
  kind = perform(self, request, kind, record.end);
  tracing_ = Tracing::none;
  record.after = tally([&](auto fn) { heap_.each_region(self, fn); });
  after(kind, request, record.end, record);
  const bool over = finish(kind, request, record);
  if (beside_) beside().go(self);
  const u64 paused_ns = total_pause_ns_.load_relaxed();
  total_pause_ns_.store_relaxed(paused_ns + record.end.pause_ns); // as far as is known: whoever reads the new count next must not take this pause for a later one's
  host_.resume();
  const u64 now = machine_.now();
  host_.release();
  asked_ = nullptr, current_ = nullptr;
  record.end.pause_ns = now - record.end.start_ns;
  total_pause_ns_.store_relaxed(paused_ns + record.end.pause_ns);
  if (over) marking_number_ = 0;
  tell(now, request, record);
  pace_.set_short(host_.memory_short()); // reads files of the system, hence not while the program stands; the next collection goes by it
  host_.leave();
  return true;
}

// Somebody else was faster, or nothing is left to be done.
template <class H, class M> bool Cycle<H, M>::has_come(const Request& request, u64 begun) {
  if ((request.cause == Cause::marked && awaits() != Awaits::last_pause) || (request.cause == Cause::moves && awaits() != Awaits::portion)) return true; // it has come, or been given up
  if (request.optional && count() != request.seen) return true;
  return request.shared && (request.begin_marking ? marking() : (request.compact_all ? compacted_at_ : looked_at_[u32(request.kind)]) > begun);
}

// The world stands: what there is, and what kind of collection that asks for.
template <class H, class M> Kind Cycle<H, M>::begin(Self& self, const Request& request, bool may_mark, CycleRecord& record) {
  record.before = tally([&](auto fn) { heap_.each_region(self, fn); });
  const u64 index = count() + 1, young_before = record.before.bytes[0] + record.before.bytes[1];
  const Kind kind = decide(request, may_mark, young_before);
  CycleEnd& end = record.end;
  record.beside = ended_marking(); // also if its young collection fails: then a full one ends it
  record.number = number_for(index);
  end.index = index;
  end.kind = kind;
  end.cause = cause_of(request, kind, young_before);
  host_.begin(kind, request.cause, record.number);
  end.heap_before = record.before.total();
  end.young_before = young_before;
  emitter_.emit(EventId::cycle_begin, CycleBegin{index, end.start_ns, kind, end.cause, end.heap_before, end.young_before});
  details_.begin(index, kind, workers_, worker_count_, settings_.on(Opt::notices));
  evacuation().counting(details_.counts());
  auto when = settings_.as<VerifyWhen>(Opt::verify);
  if (when == VerifyWhen::before || when == VerifyWhen::both) verify("before");
  return kind;
}

// The world still stands. True: a marking is over with this collection, whether it led to anything or not.
template <class H, class M> bool Cycle<H, M>::finish(Kind kind, const Request& request, const CycleRecord& record) {
  const u64 index = record.end.index;
  if (!record.end.en_masse)
    for (u32 k = 0; k <= u32(record.beside ? Kind::young1 : kind); k++) looked_at_[k] = index; // what died since a marking began may be marked
  if (request.compact_all && kind == Kind::full && !record.beside) compacted_at_ = index;
  const bool over = marking_number_ != 0 && !beside().marks();
  gave_up_ = over && !record.beside;
  if (gave_up_) { // it was told to have begun
    given_up_++;
    for (auto& times : counts_) times.fetch_add_relaxed(1);
  }
  auto when = settings_.as<VerifyWhen>(Opt::verify);
  if (when == VerifyWhen::after || when == VerifyWhen::both) verify("after");
  if (beside_) next_.store_relaxed(u32(beside().awaits()));
  count_.store_release(index);
  host_.finish(kind, request.cause, record.number);
  condemned_ = 2;
  return over;
}

// The program runs since `now`: who asks for figures gets them, and memory that nobody needs goes back.
template <class H, class M> void Cycle<H, M>::tell(u64 now, const Request& request, CycleRecord& record) {
  CycleEnd& end = record.end;
  record.total_pause_ns = total_pause_ns_.load_relaxed();
  record.began_ns = record.beside ? marking_began_ns_ : end.start_ns;
  if (begins_marking()) first_pause_ns_ = now - marking_began_ns_;
  if (record.beside) record.first_pause_ns = first_pause_ns_;
  auto publish = [&] {
    Locked<typename M::Lock> guard(last_lock_);
    last_[record.beside ? 3 : end.kind == Kind::full ? 1 : 0] = record;
    last_[2] = record;
  };
  end.committed = heap_.budget().committed();
  publish(); // what is given back may take long, and the new count is told already
  heap_.trim(kept_free_, request.give_back); // the program runs: system calls, which for a large heap take longer than many a pause
  compaction().trim(request.give_back);
  evacuation().trim();
  if (const u64 committed = heap_.budget().committed(); committed != end.committed) {
    end.committed = committed;
    publish();
  }
  last_end_ns_ = now;
  details_.end(end.index);
  emitter_.emit(EventId::heap_parts, HeapParts{end.index, record.after.bytes, record.after.holes});
  emitter_.emit(EventId::cycle_end, end);
}

template <class H, class M> u64 Cycle<H, M>::number_for(u64 index) {
  if (step_ == Step::first) marking_number_ = index + given_up_;
  if (step_ == Step::last) return marking_number_;
  return index + given_up_ + (marking_number_ != 0 ? 1 : 0);
}

// Of a collection that ends a marking the kind is full: what it does to old space is.
template <class H, class M> Kind Cycle<H, M>::decide(const Request& request, bool may_mark, u64 young) {
  step_ = Step::none;
  waits_ = false;
  const bool due = request.may_widen && request.kind != Kind::full && pace_.full_due(old_bytes());
  const bool begins = may_mark && (request.begin_marking || prefers_beside());
  auto can_begin = [&] { return begins && !(due && pace_.pressed()) && heap_.mark_twice(); };
  auto no_room = [&] {
    const bool unseen = pace_.goes_unseen() && may_go_unseen();
    const u64 old = old_bytes() + (unseen ? passed_over(holes_for(young)) : 0), left = room();
    return unseen && pace_.full_due_instead(old, young, left);
  };
  const bool instead = request.may_widen && request.cause == Cause::eden_full && no_room();
  if (request.kind == Kind::full || !beside_) return due || instead ? Kind::full : request.kind;
  switch (beside().state()) {
    case State::idle:
      if (instead && !begins) return Kind::full;
      if (!due && !instead && !request.begin_marking && !(begins && request.may_widen && pace_.marking_due(old_bytes(), young, room()))) break;
      if (!can_begin()) return due || instead || request.begin_marking ? Kind::full : request.kind;
      step_ = Step::first;
      return Kind::young1;
    case State::sweeping:
    case State::swept:
    case State::finding:
    case State::found:
      waits_ = (due || instead) && begins && !request.begin_marking && waits_to_move();
      if (request.begin_marking || ((due || instead) && !waits_)) { // what has not moved by now stays
        if (!can_begin()) return Kind::full;
        if (moving()) pace_.begins_late(old_bytes());
        step_ = Step::first;
        return Kind::young1;
      }
      if (beside().state() == State::found) step_ = Step::move;
      break;
    case State::running:
      if (!due || !pace_.overdue(old_bytes())) break;
      [[fallthrough]]; // what is left to mark is marked in the pause
    case State::ready:
      if (!request.may_widen && request.cause != Cause::stress && request.cause != Cause::marked) break; // who asked for a young collection gets that
      step_ = Step::last;
      return Kind::full;
  }
  return request.kind;
}

// As the log has it: who asked because eden was full, and got more, is told what spoke for that. The host goes by the request.
template <class H, class M> Cause Cycle<H, M>::cause_of(const Request& request, Kind kind, u64 young) {
  const bool widened = request.cause == Cause::eden_full && request.kind != Kind::full && kind == Kind::full && step_ == Step::none;
  if (!widened) return request.cause;
  return pace_.due_by_growth(old_bytes(), young) ? Cause::old_growth : Cause::no_room;
}

// What a collection does with the heap; the kind that it turned out to be.
template <class H, class M> Kind Cycle<H, M>::perform(Self& self, const Request& request, Kind kind, CycleEnd& end) {
  const bool full_only = kind == Kind::full && step_ == Step::none;
  beside_ns_ = 0;
  passes_ = 1;
  const Kind first = step_ == Step::last ? Kind::young1 : kind;
  if (!full_only && promotes_en_masse(request, first, end)) {
    en_masse(self, end);
    do_beside(self, end);
    return step_ == Step::last ? Kind::full : Kind::young1;
  }
  if (!full_only) {
    condemned_ = u32(first);
    young(self, first, end);
    if (!evacuation().needs_full()) {
      const u64 before = machine_.now();
      if (step_ == Step::last || step_ == Step::move) passes_++;
      do_beside(self, end);
      beside_ns_ = machine_.now() - before;
      return kind;
    }
    end.cause = Cause::promotion_failed; // N14: no object is lost; the full collection runs under the same stop
    step_ = Step::none;
    passes_++;
  }
  condemned_ = 2;
  end.kind = Kind::full;
  full(self, !full_only || request.compact_all, end);
  return Kind::full;
}

// N4's phases of a young collection, one line each.
template <class H, class M> void Cycle<H, M>::young(Self& self, Kind kind, CycleEnd& end) {
  auto& e = evacuation();
  u32 most = gang_.workers(), few = workers_for(pace_.expected_survivors());
  host_.before_roots(kind);
  e.begin(self, u32(kind), end.cause == Cause::eden_full && pace_.promotes_at_once());
  tracing_ = Tracing::evacuating;
  u32 gatherers = last_roots_ns_ > 500'000 ? most : 1; // many or deep stacks: share them
  TaskBody gather{[&](Self& s, u32 task) { e.gather_task(s, task, gatherers, kind); }};
  end.gather_ns = phase(self, Phase::gather, gatherers, e.gather_tasks(gatherers), gather);
  last_roots_ns_ = end.gather_ns * gatherers;
  e.freeze();
  if (e.cards_apart()) end.cards_ns = find_cards(self, few);
  u32 tasks = e.evacuate_tasks();
  few = max_of(few, workers_for(e.card_bytes()));
  end.evacuate_ns = tracing_phase(self, Phase::evacuate, few, tasks, e, [&](Self& s, u32 task) { e.evacuate_task(s, task); });
  WeakThings<H, M, Evacuation<H, M>> weak(host_, e);
  weak_things(self, e, weak, kind, end);
  TaskBody put_back{[&](Self&, u32 task) { e.put_back_task(task); }};
  if (const u32 shared = e.put_back_tasks(); shared != 0) end.finish_ns += phase(self, Phase::clean, most, shared, put_back);
  e.put_back();
  host_.side_tables([&](Ref ref) { return e.alive(ref) ? e.now_at(ref) : Ref{0}; });
  totals(end);
  end.pinned += e.pinned_count();
  end.promotion_failed = e.failed();
  u64 before = machine_.now();
  TaskBody sweep{[&](Self&, u32 task) { e.sweep_task(task); }};
  if (const u32 shared = e.sweep_tasks(); shared != 0) phase(self, Phase::clean, most, shared, sweep);
  e.finish(self);
  end.finish_ns += machine_.now() - before;
}

template <class H, class M> void Cycle<H, M>::en_masse(Self& self, CycleEnd& end) {
  u64 before = machine_.now();
  condemned_ = 1;
  const bool marked = beside_ && beside().state() != State::idle && step_ != Step::first && heap_.marking();
  for (u32 i = 0; i < worker_count_; i++) workers_[i].reset(); // its sums are of this collection
  if (marked) {
    TaskBody grow{[&](Self&, u32 task) { beside().grow_task(task); }};
    const u32 tasks = beside().grow_tasks();
    end.mark_ns += phase(self, Phase::mark, workers_for(end.young_before), tasks, grow);
  }
  workers_[0].kept_bytes = workers_[0].promoted_bytes = promote_en_masse(self, heap_, spaces_);
  totals(end);
  end.en_masse = true;
  end.finish_ns = machine_.now() - before - end.mark_ns;
}

// T16: roots on cards are found before anything moves, in a phase whose time is its own.
template <class H, class M> u64 Cycle<H, M>::find_cards(Self& self, u32 few) {
  auto& e = evacuation();
  e.list_cards();
  e.discovering(true);
  TaskBody discover{[&](Self& s, u32 task) { e.discover_task(s, task); }};
  u64 ns = phase(self, Phase::cards, max_of(few, workers_for(e.card_bytes())), e.card_tasks(), discover);
  e.discovering(false);
  return ns;
}

// N13's phases of a full collection, one line each.
template <class H, class M> void Cycle<H, M>::full(Self& self, bool compact_all, CycleEnd& end) {
  auto& c = compaction();
  u32 most = workers_for(end.heap_before);
  if (beside_ && beside().sweeps()) end.compact_ns += sweep_rest(self);
  if (beside_ && beside().state() != State::idle) give_up_marking();
  host_.before_roots(Kind::full);
  c.begin();
  tracing_ = Tracing::compacting;
  TaskBody gather{[&](Self& s, u32) { c.gather_task(s, Kind::full); }};
  end.gather_ns += phase(self, Phase::gather, most, most, gather);
  TaskBody bring{[&](Self&, u32 task) { c.bring_task(task); }};
  if (c.bring_tasks() != 0) end.mark_ns += phase(self, Phase::clean, most, c.bring_tasks(), bring);
  end.mark_ns += tracing_phase(self, Phase::mark, most, c.mark_tasks(), c, [&](Self& s, u32 task) { c.mark_task(s, task); });
  WeakThings<H, M, Compaction<H, M>> weak(host_, c);
  weak_things(self, c, weak, Kind::full, end);
  TaskBody measure{[&](Self& s, u32 task) { c.measure_task(s, task); }};
  u64 ns = phase(self, Phase::compact, most, c.measure_tasks(), measure);
  // Who asks for a collection may look at what became of generations; who found no room needs all there is.
  const bool due = end.cause == Cause::eden_full || end.cause == Cause::old_growth || end.cause == Cause::no_room || end.cause == Cause::large_budget;
  c.choose(most * 2, compact_all, due || end.cause == Cause::stress);
  TaskBody plan{[&](Self& s, u32 task) { c.plan_task(s, task); }};
  ns += phase(self, Phase::compact, most, c.plan_tasks(), plan);
  weak.resort();
  TaskBody slide{[&](Self& s, u32 task) { c.slide_task(s, task); }};
  ns += phase(self, Phase::update, most, c.slide_tasks(), slide);
  host_.side_tables([&](Ref ref) { return c.alive(ref) ? c.now_at(ref) : Ref{0}; }); // the host looks at the objects' new places
  c.finish();
  TaskBody clean{[&](Self&, u32 task) { c.clean_task(task); }};
  ns += phase(self, Phase::clean, most, c.clean_tasks(), clean);
  c.free_dead();
  end.compact_ns += ns;
  end.slid = c.moved_bytes();
  end.compacted = compact_all || end.slid != 0; // asked for, it may have found nothing to move
  end.pinned += c.pinned_count();
  totals(end);
}

// The order is the contract (cycle/weak.ipp).
template <class H, class M> template <class T>
void Cycle<H, M>::weak_things(Self& self, T& tracer, WeakThings<H, M, T>& weak, Kind kind, CycleEnd& end) {
  u64 before = machine_.now();
  auto run = [&](u32 tasks, auto fn) { tracing_phase(self, Phase::weak, workers_for(u64(tasks) * 64 * KiB), tasks, tracer, fn); };
  weak.ephemerons(run);
  host_.after_strong(kind);
  weak.clear_short(run);
  if (weak.finalize(run) != 0) weak.ephemerons(run);
  weak.clear_long(run);
  end.weak_ns += machine_.now() - before;
}

// ---- phases ----

template <class H, class M> template <class Body>
u64 Cycle<H, M>::phase(Self& self, Phase name, u32 wanted, u32 tasks, Body& body) {
  u64 before = machine_.now();
  if (tasks != 0) gang_.run(self, name, min_of(wanted, tasks), tasks, body);
  u64 ns = machine_.now() - before;
  emitter_.emit(EventId::phase, PhaseDone{count() + 1, name, before, ns, wanted});
  return ns;
}

// Not inline: a call is nothing to a phase, and where compilers inline all of its kinds a change anywhere moves half of the collector's code.
template <class H, class M> template <class T, class F>
[[gnu::noinline]] u64 Cycle<H, M>::tracing_phase(Self& self, Phase name, u32 wanted, u32 tasks, T& tracer, F task) {
  u64 before = machine_.now();
  TracingBody<T, F> body{tracer, task};
  if (tasks != 0) gang_.run(self, name, wanted, tasks, body);
  if (tasks != 0 && (name == Phase::evacuate || name == Phase::mark)) report_workers(name);
  u64 ns = machine_.now() - before;
  emitter_.emit(EventId::phase, PhaseDone{count() + 1, name, before, ns, wanted});
  return ns;
}

// One record per worker that took part. The collector's counters are of this collection so far: copying and marking start from nothing.
template <class H, class M> void Cycle<H, M>::report_workers(Phase name) {
  for (u32 i = 0; i < gang_.workers(); i++) {
    if (!gang_.took_part(i)) continue;
    WorkerStats stats = gang_.stats(i);
    const Collecting<M>& w = workers_[i];
    stats.objects_copied = w.copied_objects;
    stats.bytes_copied = w.copied_bytes;
    stats.objects_promoted = w.promoted_objects;
    stats.bytes_promoted = w.promoted_bytes;
    stats.objects_marked = w.marked_objects;
    stats.bytes_marked = w.marked_bytes;
    stats.roots = w.roots.reported;
    stats.slots = w.slots;
    stats.cards = w.cards;
    stats.buffers = w.buffers_taken;
    stats.lost_races = w.lost_races;
    stats.lookups = w.lookups;
    stats.lookup_calls = w.lookup_calls;
    emitter_.emit(EventId::worker_phase, WorkerPhase{count() + 1, name, i, gang_.node(i), &stats});
  }
}

// No worker is woken without work for it.
template <class H, class M> u32 Cycle<H, M>::workers_for(u64 bytes) const {
  u64 per = u64(settings_.get(Opt::woken_per));
  u32 most = gang_.workers();
  return per == 0 ? most : u32(clamp_to<u64>(bytes / per + 1, 1, most));
}

template <class H, class M> void Cycle<H, M>::totals(CycleEnd& end) {
  for (u32 i = 0; i < worker_count_; i++) {
    Collecting<M>& w = workers_[i];
    end.copied += w.copied_bytes;
    end.kept += w.kept_bytes;
    end.promoted += w.promoted_bytes;
    end.roots += w.roots.reported;
  }
}

// ---- the end of a collection ----

template <class H, class M> GenerationSizes Cycle<H, M>::sizes() {
  return tally([&](auto fn) { heap_.each_region(fn); });
}

template <class H, class M> template <class Each> GenerationSizes Cycle<H, M>::tally(Each each_region) {
  GenerationSizes s{};
  each_region([&](u32 index, auto& r) {
    if (r.role == Role::large) {
      s.bytes[r.pinned_objects ? 4 : 3] += align_up(r.object_bytes, kPageBytes);
      return;
    }
    u32 g = r.role == Role::eden ? 0 : r.role == Role::survivor ? 1 : r.role == Role::old ? 2 : 4;
    s.bytes[g] += r.top.load_relaxed() - heap_.begin_of(index);
  });
  s.holes[0] = spaces_.eden.hole_bytes();
  s.holes[2] = spaces_.old.hole_bytes() + (beside_ ? beside().moving().hole_bytes() + beside().unswept_bytes(Role::old) : 0);
  s.holes[4] = spaces_.pinned.hole_bytes() + (beside_ ? beside().unswept_bytes(Role::pinned) : 0);
  return s;
}

// How much free memory may stay. Pages go back when they are asked for, when trimming is on, and when there is much more than the next eden needs.
template <class H, class M> usize Cycle<H, M>::kept_free(const Request& request, u64 old) {
  if (request.give_back || settings_.on(Opt::trim)) return 0;
  // A limit that was lowered, or lists that took of what is kept back: free pages go first.
  const u64 over = heap_.budget().over(), idle = heap_.free_charged();
  const usize most = over != 0 ? idle - min_of(idle, over) : ~usize(0);
  if (settings_.on(Opt::retain)) return most;
  u64 young = pace_.eden() + pace_.eden() / 4 + pace_.expected_survivors() + 4 * MiB, needed = young + old_demand(old);
  if (pace_.is_short()) return min_of<usize>(most, young);
  return min_of<usize>(most, idle > needed + needed / 2 ? needed : ~usize(0));
}

template <class H, class M> void Cycle<H, M>::rest() {
  for (u32 from = heap_.high_water(); from > 0;) { // a part at a time: who fills an eden meanwhile waits for one
    host_.enter();
    from = heap_.trim_some(0, from, true);
    host_.leave();
  }
  host_.enter();
  compaction().trim(true);
  host_.leave();
}

// What old and large space are likely to take until the next full collection: what they took before the last one.
template <class H, class M> u64 Cycle<H, M>::old_demand(u64 old) const {
  u64 grown = old - min_of(old, pace_.old_after_full());
  return old_growth_ - min_of(old_growth_, grown);
}

// What is free or could be: eden starts anew, holes between its pinned objects are its own, free regions are charged already. Survivors
// will be copied once more.
template <class H, class M> u64 Cycle<H, M>::room_for_young(const GenerationSizes& now) {
  const u64 there = room() + now.holes[0], all = there - min_of(there, now.bytes[1]), left = left_.load_relaxed();
  return max_of(all - min_of(all, left), min_of<u64>(all, kLeastLeft)); // threads without any eden would collect for each object; and what is waited for may be more than can be had
}

template <class H, class M> void Cycle<H, M>::after(Kind kind, const Request& request, CycleEnd& end, CycleRecord& record) {
  const GenerationSizes& s = record.after;
  u64 old = s.bytes[2] + s.bytes[3] + s.bytes[4] - s.holes[2] - s.holes[4];
  const u64 old_before = old_bytes();
  if (kind == Kind::full) {
    u64 had = max_of(old_before, old), grown = had - min_of(had, pace_.old_after_full());
    const u64 since = min_of(end.start_ns - min_of(end.start_ns, last_full_ns_), kGrowthNs); // what came once in a while will come again: pages that went back cost more than they are worth
    old_growth_ = max_of(grown, old_growth_ - u64(double(old_growth_ / 4) * double(since) / kGrowthNs));
  }
  old_bytes_.store_relaxed(old);
  end.heap_after = s.total() - s.total_holes();
  end.young_after = s.bytes[0] + s.bytes[1] - s.holes[0];
  end.old_after = s.bytes[2];
  end.large_after = s.bytes[3];
  end.fragmented = s.total_holes();
  end.limit = heap_.budget().limit();
  end.workers = worker_count_;
  end.finalize_pending = host_.finalizers().ready_count();
  if (end.limit != 0 && prefers_beside()) heap_.mark_twice(); // while eden is empty, which then leaves room for it
  u64 now = machine_.now(), pause = end.pause_ns = now - end.start_ns;
  if (kind == Kind::full) {
    const bool in_place = !record.beside && compaction().in_place();
    if (!record.beside) pace_.after_stop(in_place ? pause + pause / 2 : pause, end.heap_after, end.large_after); // one that moves takes half as long again
    if (!end.en_masse) pace_.after_full_look(record.before.bytes[0], in_place ? compaction().eden_lived() : s.bytes[1]); // else what waited is old now, and nobody has seen what of it lives
    const bool due = request.cause == Cause::eden_full || request.cause == Cause::large_budget;
    if (ended_marking()) pace_.after_marking(old_before - min_of(old_before, marking_began_old_), beside().marked_for_ns() / worker_count_ + end.mark_ns, end.heap_after);
    pace_.after_full(end.heap_after, old, room_for_young(s), pause, due ? now - last_full_ns_ : 0, record.beside || in_place ? s.holes[2] : 0);
    last_full_ns_ = now;
  } else if (end.en_masse) {
    pace_.after_en_masse(pause, end.start_ns - last_end_ns_, old, room_for_young(s));
  } else {
    YoungFacts facts{};
    facts.pause_ns = pause;
    facts.beside_ns = min_of(beside_ns_, pause);
    facts.interval_ns = end.start_ns - last_end_ns_;
    facts.eden_used = record.before.bytes[0];
    facts.fresh = spaces_.eden.used();
    facts.survived = end.copied + end.kept;
    facts.waited = kind == Kind::young1 ? record.before.bytes[1] : 0;
    facts.promoted = end.promoted;
    facts.old_bytes = old;
    facts.room = room_for_young(s);
    pace_.after_young(facts);
  }
  kept_free_ = kept_free(request, old);
  if (pace_.config().en_masse || settings_.as<EnMasse>(Opt::en_masse) == EnMasse::mostly) spaces_.last_resort.reset_used(); // nothing else asks for it
  const u64 copies = pace_.expected_copies(s.bytes[1], old, pace_.goes_unseen() && may_go_unseen()), filling = min_of(s.holes[2], min_of(pace_.expected_to_come_through(s.bytes[1]), copies)); // what is promoted fills holes first
  const u64 young_copies = copies == 0 ? 0 : copies - filling + copies / 16 + heap_.region_bytes(), moved = beside_ ? beside().moving().next_bytes() : 0;
  heap_.hold(pace_.is_short() ? 0 : young_copies + moved);
  end.eden_next = pace_.eden();
  end.allocated_total = allocated_.fetch_add_relaxed(spaces_.eden.used()) + spaces_.eden.used();
  spaces_.eden.reset_used();
  u64 before = machine_.now();
  const Pace::Soon soon = pace_.soon();
  spaces_.eden.set_limit(pace_.eden(), soon.bytes, before + soon.ns);
  end.resize_ns = machine_.now() - before;
  spaces_.eden.rest(pace_.eden()); // holes for later: no matter of eden's size
  for (u32 g = 0; g <= u32(kind); g++) counts_[g].fetch_add_relaxed(1);
  record.generation = u32(kind);
}

template <class H, class M> void Cycle<H, M>::verify(const char* when) {
  Self self(machine_, 0);
  host_.before_roots(Kind::full); // a walk of its own
  Verifier<H, M>(heap_, host_, when, count() + 1).run([&](auto& sink) { host_.gather(self, sink, Kind::full); });
  host_.after_walk();
}

} // namespace garner
