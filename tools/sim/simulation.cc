// Running a simulation (stage.h): fibers of the program's threads, meetings, the measured stretch. The notes are in notes.cc.
#include "sim/simulation.h"

#include <algorithm>
#include <ctime>

#include "sim/stage.h"

namespace garner::simulation {
namespace {

SyntheticShape shape_of(const Spec& spec) {
  SyntheticShape shape;
  shape.reserve = spec.reserve;
  shape.eden = spec.eden;
  shape.eden_min = spec.eden_min != 0 ? spec.eden_min : spec.eden;
  shape.eden_max = spec.eden_max != 0 ? spec.eden_max : spec.eden;
  shape.limit = spec.limit != 0 ? spec.limit : 64 * GiB; // old space may grow by an eighth of it before a full collection is due
  return shape;
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) / 1e9;
}

} // namespace

Measures simulate(const Spec& spec, Program& program) { return Stage(spec, program).run(); }

u64 Measures::copied_bytes() const {
  u64 sum = 0;
  for (const Collection& c : collections) sum += c.end.copied;
  return sum;
}

u64 Measures::copied_objects() const {
  u64 sum = 0;
  for (const Collection& c : collections)
    for (const WorkerLine& w : c.workers) sum += w.stats.objects_copied;
  return sum;
}

Traffic Measures::traffic() const {
  Traffic sum;
  for (const Collection& c : collections) sum.add(c.traffic);
  return sum;
}

AskedBytes Measures::asked() const {
  AskedBytes sum;
  for (const Collection& c : collections)
    for (u32 a = 0; a < nodes; a++)
      for (u32 b = 0; b < nodes && !c.memory_bytes.empty(); b++) {
        sum.all += c.memory_bytes[a * nodes + b];
        if (a != b) sum.remote += c.memory_bytes[a * nodes + b];
      }
  return sum;
}

double Measures::remote_share() const {
  const AskedBytes sum = asked();
  return sum.all == 0 ? 0 : double(sum.remote) / double(sum.all);
}

std::vector<u64> Measures::steals_by_distance(const sim::Shape& shape) const {
  std::vector<u64> sums;
  for (const Collection& c : collections)
    for (u32 a = 0; a < nodes; a++)
      for (u32 b = 0; b < nodes && !c.steals.empty(); b++) {
        usize links = 0;
        for (u32 at = a; at != b; at = shape.nodes == nodes ? shape.step[at][b] : b) links++;
        if (sums.size() <= links) sums.resize(links + 1);
        sums[links] += c.steals[a * nodes + b];
      }
  return sums;
}

// ---- the stage ----

Stage::Stage(const Spec& spec, Program& program) : spec_(spec), program_(program), machine_([&] {
  sim::Config config = spec.machine;
  config.seed = spec.seed;
  return config;
}()) {
  measures_.nodes = machine_.nodes();
  for (u32 a = 0; a < machine_.nodes(); a++)
    for (u32 b = 0; b < machine_.nodes(); b++) measures_.distances.push_back(machine_.distance(a, b));
  measures_.workers = spec.workers;
}

void Stage::fail(std::string sentence) {
  if (!failed_) measures_.error = std::move(sentence);
  failed_ = true;
}

bool Stage::prepare() {
  std::string text = "workers=" + std::to_string(spec_.workers) + ",seed=" + std::to_string(spec_.seed);
  if (spec_.worn_old != 0 || spec_.retain) text += ",heap.retain=on"; // or the pages would be given back
  if (!spec_.options.empty()) text += "," + spec_.options;
  if (!settings_.parse(text.c_str())) return fail(settings_.error()), false;
  if (const IllegalPair* pair = settings_.illegal(); pair != nullptr) return fail(pair->sentence), false;
  host_ = std::make_unique<Host>(machine_, settings_, synthetic::Manners{});
  if (!host_->start(shape_of(spec_))) return fail("no memory for the simulated heap"), false;
  if (spec_.by_node && spec_.machine.shape != nullptr && !machine_.fabric().meter(host_->heap().base())) return fail("no memory to count accesses by node"), false;
  wear_old();
  host_->observer.self = this;
  host_->observer.before = [](void* self, Kind) { static_cast<Stage*>(self)->collection_begins(); };
  host_->observer.after = [](void* self, Kind, Kind) { static_cast<Stage*>(self)->collection_ends(); };
  host_->cycle->emitter().add({[](void* self, EventId id, const void* payload) { static_cast<Stage*>(self)->event(id, payload); }, this});
  Sim::Watcher watcher;
  watcher.self = this;
  watcher.reached = [](void* self, u32 worker, u32 spot, u64 ps) { static_cast<Stage*>(self)->reached(worker, spot, ps); };
  watcher.stole = [](void* self, u32 worker, u32 from) {
    Stage& stage = *static_cast<Stage*>(self);
    if (stage.measuring_) stage.now_.steals[stage.machine_.node_of_worker(worker) * stage.machine_.nodes() + from]++;
  };
  if (spec_.lines) watcher.visited = [](void* self, Where where, u64 ps) { static_cast<Stage*>(self)->visited(where, ps); };
  machine_.watch(watcher);
  open_.resize(spec_.workers);
  return true;
}

// A space as after minutes: its pages were touched by whichever workers made copies there long ago (or lie where they are bound), have been free since, and were
// kept. A young simulation would copy to fresh pages only: under first touch each on its worker's own node, and with a page fault in the pause. Where
// homes are nodes, those of `nodes` get equal shares; first touch: chunks of a promotion buffer lie on one of them at random. No clock moves.
void Stage::wear(Opt policy_of, u64 whole, const std::vector<u32>& nodes) {
  if (whole == 0 || spec_.machine.shape == nullptr) return;
  Heap<Sim>& heap = host_->heap();
  const auto policy = host_->cycle->settings().as<SpacePolicy>(policy_of); // the cycle's: it has chosen where `auto` was asked for
  const bool old = policy_of == Opt::space_old;
  const usize chunk = max_of<usize>(usize(settings_.get(old ? Opt::plab_old : Opt::plab_young)), kPageBytes);
  Random random(mix64(spec_.seed ^ (old ? 0x01d : 0x5e1)));
  std::vector<u32> taken;
  for (u64 bytes = 0; bytes < whole; bytes += heap.region_bytes()) {
    const u32 node = nodes[taken.size() % nodes.size()];
    const u8 home = policy == SpacePolicy::firsttouch ? (old ? kHomeTouchedOld : kHomeTouchedSurvivor) : policy == SpacePolicy::interleaved ? kHomeInterleaved : u8(node);
    const u32 region = heap.take_region(old ? Role::old : Role::survivor, old ? kLabelOld : kLabelSurvivor, 0, home);
    if (region == kNoRegion) return fail("no memory for the simulated heap");
    taken.push_back(region);
    for (word at = heap.begin_of(region); at < heap.end_of(region); at += chunk) {
      const u32 toucher = nodes[random.below(nodes.size())];
      for (word page = at; page < min_of(at + chunk, heap.end_of(region)); page += kPageBytes) machine_.settle_page(page, toucher);
    }
  }
  for (u32 region : taken) heap.free_region(region);
}

// By any workers that there could have been; a node without processors has touched nothing.
void Stage::wear_old() { wear(Opt::space_old, spec_.worn_old, nodes_of(machine_.nodes())); }

// Nodes on which so many workers run.
std::vector<u32> Stage::nodes_of(u32 workers) const {
  std::vector<u32> nodes;
  for (u32 w = 0; w < workers; w++)
    if (const u32 node = machine_.node_of_worker(w); std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

// Room for `bytes` of copies, by the workers of this simulation, in survivor and old space.
void Stage::wear_copies(u64 bytes) {
  const std::vector<u32> nodes = nodes_of(spec_.workers);
  const u64 room = bytes + bytes / 4 + spec_.workers * host_->heap().region_bytes(); // not every worker copies the same
  for (Opt space : {Opt::space_survivor, Opt::space_old}) wear(space, room, nodes);
}

Measures Stage::run() {
  const double began = processor_seconds();
  if (!prepare()) return std::move(measures_);
  left_ = program_.threads();
  threads_.resize(left_);
  for (u32 t = 0; t < program_.threads(); t++) entries_.push_back({this, t});
  for (Entry& entry : entries_)
    if (!machine_.start([](void* at) { static_cast<Entry*>(at)->stage->live(static_cast<Entry*>(at)->thread); }, &entry)) {
      fail("no memory for the simulated program's threads");
      return std::move(measures_);
    }
  const Sim::Outcome end = machine_.run();
  if (end.end != sim::End::finished && !failed_) fail(end.text);
  tell_lines();
  measures_.digest = machine_.digest();
  measures_.host_seconds = processor_seconds() - began;
  return std::move(measures_);
}

// A thread of the program, from its first to its last moment. The last to end takes the collector's threads with it.
void Stage::live(u32 number) {
  Thread thread(*this, number, program_.seat(number));
  threads_[number] = &thread;
  host_->add(thread.mutator_);
  host_->program.come_in(thread.self_);
  meet(thread);
  program_.run(thread);
  meet(thread);
  host_->program.go_out(thread.self_);
  if (--left_ != 0) return;
  const LockCounts lock = host_->cycle->gang().gc_lock(thread.self_);
  measures_.gc_lock_taken = lock.acquisitions;
  measures_.gc_lock_wait_ns = lock.wait_ns;
  host_->stop_workers(thread.self_);
}

// Outside the program while waiting: a collection may come meanwhile.
void Stage::meet(Thread& thread) {
  host_->program.go_out(thread.self_);
  const u32 round = meeting_.load_acquire(); // the round cannot end before this thread has been counted
  if (++here_ == program_.threads()) {
    here_ = 0;
    meeting_.store_release(round + 1); // pairs with the load below
    machine_.wake(thread.self_, meeting_, ~u32(0));
  } else {
    while (meeting_.load_acquire() == round) machine_.park(thread.self_, meeting_, round);
  }
  host_->program.come_in(thread.self_);
  thread.sit();
}

void Stage::begin_measuring() {
  measures_.collections.clear();
  measures_.pause_ns = measures_.resize_ns = 0;
  allocated_before_ = allocated();
  began_ns_ = machine_.now();
  if (spec_.survival > 0) host_->cycle->pace().remember_survival(spec_.survival);
  measuring_ = true;
}

void Stage::end_measuring() {
  measures_.wall_ns = machine_.now() - began_ns_;
  measures_.allocated = allocated() - allocated_before_;
  measuring_ = false;
}

u64 Stage::allocated() const {
  u64 sum = 0;
  for (const Thread* thread : threads_) sum += thread->allocated_;
  return sum;
}

// ---- a thread's verbs ----

Thread::Thread(Stage& stage, u32 number, u32 seat)
    : index(number), random(mix64(stage.spec_.seed ^ 0x7ead) ^ mix64(number + 1)), stage_(stage), self_(stage.machine_, seat), mutator_(*stage.host_), seat_(seat), node_(self_.node) {}

void Thread::sit() {
  if (const u64 count = stage_.host_->cycle->count(); count != seen_collections_) {
    seen_collections_ = count;
    Sim::Self again(stage_.machine_, seat_);
  }
}

Ref Thread::make(u32 references, usize bytes) {
  bytes = align_up(max_of<usize>(bytes, kMinObjectBytes + usize(references) * kWordBytes), kWordBytes);
  if (stage_.failed_) return {0};
  const u64 type = references <= synthetic::kDetailMost ? synthetic::make_type(synthetic::Shape::plain, 0, references, bytes)
                                                        : synthetic::make_type(synthetic::Shape::repeated, 0, synthetic::pattern(1, 0), kMinObjectBytes + usize(references) * kWordBytes);
  const Ref ref = mutator_.allocate(self_, {type, 1 + u32(mix64(random.next()) >> 33)});
  sit();
  if (ref.at == 0) {
    stage_.fail("the simulated program is out of memory");
    return ref;
  }
  self_.write(block_of(ref), synthetic::bytes_of(type));
  allocated_ += synthetic::bytes_of(type);
  stage_.program_uses(ref, node_);
  return ref;
}

Ref Thread::get(Ref holder, u32 slot) { return holder.at == 0 ? Ref{0} : self_.load(synthetic::slot_at(holder, slot)); }

void Thread::set(Ref holder, u32 slot, Ref value) {
  if (holder.at == 0) return; // out of memory: said already
  const Slot at = synthetic::slot_at(holder, slot);
  stage_.host_->write(at, value);
  self_.store(at, value);
}

void Thread::read(Ref ref) {
  if (ref.at == 0) return;
  self_.read(block_of(ref), synthetic::bytes_of(synthetic::type_of(ref)));
  stage_.program_uses(ref, node_);
}

void Thread::write(Ref ref) {
  if (ref.at == 0) return;
  self_.write(block_of(ref), synthetic::bytes_of(synthetic::type_of(ref)));
  stage_.program_uses(ref, node_);
}

void Thread::breathe() {
  stage_.host_->program.safepoint(self_);
  sit();
}

void Thread::work(u64 ns) {
  const u64 price = max_of<u64>(stage_.machine_.config().costs.yield, 1);
  for (u64 ps = 0; ps < ns * 1000; ps += price) self_.yield();
}

u32 Thread::hold(Ref ref) {
  if (!mutator_.cells.push({ref.at, 0, 0, RootKind::exact})) stage_.fail("no memory for a root");
  return u32(mutator_.cells.size() - 1);
}
Ref Thread::held(u32 cell) const { return mutator_.cells[cell].object(); }
void Thread::set_held(u32 cell, Ref ref) { mutator_.cells[cell].value = ref.at; }
void Thread::drop(u32 cells) {
  while (cells-- > 0) mutator_.cells.pop();
}

u32 Thread::add_static(Ref ref) {
  if (!stage_.host_->statics.push(ref.at)) stage_.fail("no memory for a root");
  return u32(stage_.host_->statics.size() - 1);
}
Ref Thread::get_static(u32 number) { return {stage_.host_->statics[number]}; }
void Thread::set_static(u32 number, Ref ref) { stage_.host_->statics[number] = ref.at; }
void Thread::drop_statics(u32 count) {
  while (count-- > 0) stage_.host_->statics.pop();
}
void Thread::weak(Ref ref) {
  constexpr u64 kHandles = 256;
  if (ref.at == 0) return;
  const Handle handle = stage_.host_->table.create(stage_.host_->owner, HandleKind::weak_short, ref, 0);
  if (handle == nullptr) return stage_.fail("no memory for a weak handle");
  if (weak_.size() < kHandles) return weak_.push_back(handle);
  Handle& oldest = weak_[weak_made_++ % kHandles];
  stage_.host_->table.destroy(oldest);
  oldest = handle;
}

void Thread::collect(Kind kind) {
  Request request;
  request.kind = kind;
  request.cause = Cause::induced;
  request.may_widen = false;
  mutator_.collect(self_, request);
  sit();
}

void Thread::meet() { stage_.meet(*this); }
void Thread::begin_measuring() { stage_.begin_measuring(); }
void Thread::cool_caches() { stage_.cool_caches(); }
void Thread::wear_copies(u64 bytes) { stage_.wear_copies(bytes); }
void Thread::end_measuring() { stage_.end_measuring(); }

} // namespace garner::simulation
