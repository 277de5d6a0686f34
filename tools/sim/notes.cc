// What a stage notes around and inside collections (stage.h). N27 T15.
//
// Words that the collector holds in atomics of the machine are read at their address here: reading them as atomics would cost the
// conductor virtual time. So tables are walked to the end of the heap and not to its high-water mark.
#include "sim/stage.h"

#include <algorithm>

namespace garner::simulation {

namespace {
SpaceKind space_before(Role role) { return role == Role::eden ? SpaceKind::eden : role == Role::survivor ? SpaceKind::from : SpaceKind::old; }
word top_of(Heap<Sim>& heap, u32 region) { return *heap.region(region).top.address(); }
SpaceKind space_after(Role role) { return role == Role::survivor ? SpaceKind::to : SpaceKind::old; }
} // namespace

std::vector<u64> Stage::asked() const {
  std::vector<u64> all;
  if (spec_.machine.shape == nullptr) return all;
  const sim::Fabric& fabric = machine_.fabric();
  for (u32 a = 0; a < machine_.nodes(); a++)
    for (u32 b = 0; b < machine_.nodes(); b++) all.push_back(fabric.asked(a, b));
  return all;
}

void Stage::collection_begins() {
  if (!measuring_) return;
  collecting_ = true;
  const u32 nodes = machine_.nodes();
  now_ = {};
  now_.steals.resize(usize(nodes) * nodes);
  now_.eden_pages.resize(nodes);
  Heap<Sim>& heap = host_->heap();
  roles_.clear();
  for (u32 i = 0; i < heap.regions(); i++) {
    roles_.push_back(heap.region(i).role);
    if (roles_.back() != Role::eden) continue;
    for (word page = heap.begin_of(i); page < top_of(heap, i); page += kPageBytes)
      if (const u32 home = machine_.node_of_page(page); home != Sim::kNoNode) now_.eden_pages[home]++;
  }
  if (spec_.locality) follow_roots();
  asked_before_ = asked();
  if (spec_.by_node) machine_.fabric().counting(true);
}

void Stage::collection_ends() {
  collecting_ = false;
  if (!measuring_) return;
  if (spec_.by_node && spec_.machine.shape != nullptr) read_traffic();
  now_.memory_bytes = asked();
  for (usize i = 0; i < now_.memory_bytes.size(); i++) now_.memory_bytes[i] -= asked_before_[i];
}

// A page's uses go to the space it belonged to when the collection began, or, if it was free then, that it belongs to now.
void Stage::read_traffic() {
  sim::Fabric& fabric = machine_.fabric();
  fabric.counting(false);
  const u32 nodes = machine_.nodes();
  now_.traffic = Traffic(nodes);
  Heap<Sim>& heap = host_->heap();
  for (u32 i = 0; i < heap.regions(); i++) {
    const bool had = roles_[i] != Role::free;
    const Role role = had ? roles_[i] : heap.region(i).role;
    if (role == Role::free) continue;
    const SpaceKind space = had ? space_before(role) : space_after(role);
    for (word page = heap.begin_of(i); page < heap.end_of(i); page += kPageBytes) {
      const u32 home = machine_.node_of_page(page);
      sim::PageUse* uses = home == Sim::kNoNode ? nullptr : fabric.uses_of_page(page);
      if (uses == nullptr) continue;
      for (u32 core = 0; core < nodes; core++) {
        Uses& to = now_.traffic.at(space, core, home);
        to.reads += uses[core].reads, to.writes += uses[core].writes;
        to.bytes_read += uses[core].bytes_read, to.bytes_written += uses[core].bytes_written;
        uses[core] = {};
      }
    }
  }
}

void Stage::event(EventId id, const void* payload) {
  if (!measuring_) return;
  if (id == EventId::phase) {
    const PhaseDone& done = *static_cast<const PhaseDone*>(payload);
    now_.phases.push_back({done.phase, done.start_ns, done.ns});
  } else if (id == EventId::worker_phase) {
    const WorkerPhase& line = *static_cast<const WorkerPhase*>(payload);
    now_.workers.push_back({line.worker, line.node, line.phase, *line.stats});
  } else if (id == EventId::cycle_end) {
    now_.end = *static_cast<const CycleEnd*>(payload);
    for (u32 w = 0; w < open_.size(); w++) close_span(w, now_.end.start_ns + now_.end.pause_ns);
    measures_.pause_ns += now_.end.pause_ns;
    measures_.resize_ns += now_.end.resize_ns;
    measures_.collections.push_back(std::move(now_));
    now_ = {};
  }
}

// ---- the program ----

// After an access to an object by a thread on `node`. Nothing is charged.
void Stage::program_uses(Ref ref, u32 node) {
  if (!spec_.by_program || ref.at == 0) return;
  const word at = block_of(ref);
  const Role role = host_->heap().region_of(ref).role;
  ProgramColumn column = role == Role::eden ? ProgramColumn::fresh : ProgramColumn::survivors;
  if (program_pages_.insert(at / kPageBytes).second && role == Role::eden) column = ProgramColumn::first; // pages of copies were touched by the collector
  else if (!measuring_ || (role != Role::eden && role != Role::survivor)) return;
  const u32 home = machine_.node_of_page(at);
  if (home == Sim::kNoNode) return;
  ProgramUses& to = measures_.program[usize(column)];
  (home == node ? to.near : to.far)++;
}

// ---- the timeline ----

void Stage::close_span(u32 worker, u64 ns) {
  Open& open = open_[worker];
  if (open.on && ns > open.begin_ns) now_.spans.push_back({worker, {open.activity, open.begin_ns, ns}});
  open.on = false;
}

// A worker changes what it does at the gang's spots; what follows each is told by the spot alone.
void Stage::reached(u32 worker, u32 spot, u64 ps) {
  if (!measuring_ || !spec_.timeline || worker >= open_.size()) return;
  Activity activity;
  switch (Spot(spot)) {
    case Spot::asking: case Spot::joined: activity = Activity::waits; break;
    case Spot::root: activity = Activity::roots; break;
    case Spot::tracing: activity = Activity::copies; break;
    case Spot::stealing: activity = Activity::steals; break;
    case Spot::offered: activity = Activity::terminates; break;
    case Spot::left: case Spot::final: case Spot::parking: return close_span(worker, ps / 1000);
    default: return;
  }
  Open& open = open_[worker];
  if (open.on && open.activity == activity) return;
  close_span(worker, ps / 1000);
  open = {true, activity, ps / 1000};
}

// ---- lines that workers wait for ----

void Stage::visited(Where where, u64 ps) {
  if (!collecting_) return;
  LineVisits& line = lines_[{where.file, where.line}];
  line.visits++, line.ps += ps;
}

// One file's name may stand at several addresses: places are put together by what they say.
void Stage::tell_lines() {
  std::map<std::string, LineVisits> by_place;
  for (const auto& [at, line] : lines_) {
    const std::string file = at.first;
    LineVisits& to = by_place[file.substr(file.rfind('/') + 1) + ":" + std::to_string(at.second)];
    to.visits += line.visits, to.ps += line.ps;
  }
  for (auto& [place, line] : by_place) measures_.lines.push_back({place, line.visits, line.ps});
  std::stable_sort(measures_.lines.begin(), measures_.lines.end(), [](const LineVisits& a, const LineVisits& b) { return a.ps > b.ps; });
}

// ---- T15 ----

// Every root with the kind it is of, then the objects below it, each once. Plain reads of the real bytes: no clock moves.
void Stage::follow_roots() {
  Heap<Sim>& heap = host_->heap();
  const u32 nodes = machine_.nodes();
  struct Root { word object; RootSource source; };
  std::vector<Root> roots;
  auto young = [&](word at) { return heap.contains(at) && generation_of_label(heap.label_of({at})) != 2; };
  u32 used = 0;
  for (u32 i = 0; i < heap.regions(); i++) {
    const Role role = heap.region(i).role;
    if (role != Role::free) used = i + 1;
    if (role != Role::old && role != Role::pinned && role != Role::large) continue;
    const word top = role == Role::large ? heap.begin_of(i) + 1 : top_of(heap, i);
    for (word block = heap.begin_of(i); block < top; block += host_->size(ref_of(block)))
      synthetic::each_slot(ref_of(block), [&](Slot slot) {
        if (const word value = load_word(slot.at); young(value)) roots.push_back({value, RootSource::old_to_young});
      });
  }
  for (synthetic::Mutator<Sim>* mutator : host_->mutators)
    for (const auto& cell : mutator->cells)
      if (young(cell.value)) roots.push_back({cell.value, RootSource::stack});
  for (word value : host_->statics)
    if (young(value)) roots.push_back({value, RootSource::statics});

  auto walk = [&](LocalityMatrix& matrix, bool every, RootSource source) {
    matrix = LocalityMatrix(nodes);
    std::vector<bool> seen(usize(used) * heap.region_bytes() / kWordBytes);
    std::vector<word> stack;
    auto meet = [&](word at) {
      const usize i = (at - heap.base()) / kWordBytes;
      if (!young(at) || seen[i]) return;
      seen[i] = true;
      stack.push_back(at);
    };
    for (const Root& root : roots) {
      if (!every && root.source != source) continue;
      const u32 home = machine_.node_of_page(root.object);
      meet(root.object);
      while (!stack.empty()) {
        const word at = stack.back();
        stack.pop_back();
        const u32 node = machine_.node_of_page(at);
        if (home != Sim::kNoNode && node != Sim::kNoNode) matrix.record(home, node);
        synthetic::each_slot(Ref{at}, [&](Slot slot) {
          const word value = load_word(slot.at);
          if (every && young(value)) now_.locality.edges++, now_.locality.crossing += machine_.node_of_page(value) != node;
          meet(value);
        });
      }
    }
  };
  walk(now_.locality.all, true, RootSource::stack);
  for (usize s = 0; s < kRootSources; s++) walk(now_.locality.by_source[s], false, RootSource(s));
}

} // namespace garner::simulation
