// What accesses cost on a machine with caches, controllers and links; fabric.h tells how. Where fibers sit: fabric_seats.cc.
#include "machine/sim/fabric.h"

#include "base/check.h"

namespace garner::sim {

bool Fabric::reset(const Shape& shape, Places& places) {
  shape_ = shape;
  places_ = &places;
  core_ = nullptr;
  seen_ = {};
  transfers_ = 0;
  counting_ = false;
  map_lock_ = {};
  for (Server& one : controllers_) one = {};
  for (Server& one : page_locks_) one = {};
  for (Server& one : links_) one = {};
  for (Server& one : futex_locks_) one = {};
  fibers_.clear();
  places.clear();
  set_rules(places);
  busy_.release();
  asked_.release();
  return strangers_.reset() && busy_.resize(kBusyLines) && asked_.resize(usize(shape.nodes) * shape.nodes) && make_cores() && make_ways();
}

void Fabric::set_rules(Places& places) const {
  Places::Rules rules{};
  for (u32 n = 0; n < shape_.nodes; n++)
    if (memory_of(n).tier == 0) rules.round[rules.round_nodes++] = u8(n);
  rules.page_bytes = shape_.page_bytes;
  rules.with_lines = true;
  places.set_rules(rules);
}

bool Fabric::make_ways() {
  ways_.clear();
  way_links_.clear();
  for (u32 from = 0; from < shape_.nodes; from++)
    for (u32 to = 0; to < shape_.nodes; to++) {
      Way way{u32(way_links_.size()), 0};
      for (u32 at = from; at != to; at = shape_.step[at][to]) {
        u32 link = 0;
        while (shape_.link[link].from != at || shape_.link[link].to != shape_.step[at][to]) link++;
        if (!way_links_.push(u16(link))) return false;
        way.count++;
      }
      if (!ways_.push(way)) return false;
    }
  return true;
}

// ---- finding a line ----

bool Fabric::see(word at) {
  if (GARNER_LIKELY(at - seen_.base < seen_.bytes)) return true;
  const Range* range = places_->find(at);
  if (range == nullptr) return false;
  seen_ = {range->base, range->bytes, range->offset, range->node_of_page, range->lines, counting_ ? range->uses : nullptr};
  return true;
}

// Under the lock of the node's free pages, and not while somebody changes the map of the address space. The zeroing is charged to the node's controller from now on,
// while the fault takes its time: reserved for when the lock is free, the controller would stand idle until then and keep others waiting.
bool Fabric::fault(u64& clock, word at) {
  if (!see(at)) return false;
  const usize page = (at - seen_.base) / kPageBytes;
  if (GARNER_LIKELY(seen_.node_of_page[page] != 0)) return false;
  const u32 home = places_->touch(*places_->find(at), page, core_->node);
  write_back(clock, home, shape_.page_bytes / kLineBytes);
  clock = max_of(clock, map_lock_.free_at);
  clock = page_locks_[home].serve(clock, shape_.costs.page_lock);
  clock += shape_.costs.page_fault - min_of(shape_.costs.page_fault, shape_.costs.page_lock);
  return true;
}

// Inside a range the page has been touched.
Fabric::Line Fabric::line_of(word at, u64* id) {
  if (see(at)) {
    const usize inside = at - seen_.base;
    if (id != nullptr) *id = seen_.offset + inside;
    return {(seen_.offset + inside) / kLineBytes, &seen_.lines[inside / kLineBytes], seen_.node_of_page[inside / kPageBytes] - 1u};
  }
  u64 number;
  u32* state = strangers_.find(at, number);
  GARNER_CHECK(state != nullptr, "the simulated machine is out of memory for its line table");
  if (id != nullptr) *id = kStranger | number;
  return {kStrangerLine + number, state, kNoNode};
}

u64 Fabric::id_of(word at) {
  if (const Range* range = places_->find(at)) return range->offset + (at - range->base);
  u64 number;
  return strangers_.find(at, number) != nullptr ? kStranger | number : 0;
}

// ---- who has it ----

// Brings a line into the own caches and says where it came from. To write is to be the only one that has it.
Fabric::Found Fabric::fetch(u64 line, u32& state, Use use) {
  const u32 me = core_->index + 1, holder = state & kHolder, version = version_of(state);
  const bool mine = core_->own.has(line, version), dirty = (state & kDirty) != 0;
  const Core* peer = holder != 0 && holder != me ? &cores_[holder - 1] : nullptr;
  if (use != Use::load) {
    const bool soils = (state & kPaid) == 0;
    if (mine && only_mine(state)) {
      state |= kDirty | kPaid;
      return {Where::own, false, 0, soils};
    }
    return fetch_to_write(line, state, peer, mine);
  }
  if (mine) return {Where::own, false, 0, false};
  const Tags& shared = shared_[core_->cluster];
  const bool peer_own = peer != nullptr && peer->own.holds(line, version);
  const bool far = peer_own || (peer != nullptr && peer->cluster != core_->cluster && shared_[peer->cluster].holds(line, version));
  Found found{Where::memory, dirty, holder - 1, false};
  if (peer_own && dirty) found.where = Where::core;
  else if (shared.has(line, version)) found.where = Where::shared;
  else if (far) found.where = Where::core;
  if (found.where == Where::memory) state &= ~(kPaid | kDirty);
  if (far) state |= kMany;
  if (peer != nullptr) state &= ~(kDirty | kHolder);
  state = (state & ~kHolder) | me;
  core_->own.put(line, version);
  if (found.where != Where::shared) shared.put(line, version);
  return found;
}

Fabric::Found Fabric::fetch_to_write(u64 line, u32& state, const Core* peer, bool mine) {
  const u32 version = version_of(state);
  const Tags& shared = shared_[core_->cluster];
  Found found{Where::memory, (state & kDirty) != 0, peer != nullptr ? peer->index : core_->index, false};
  if (mine) found = {Where::core, false, found.peer, false}; // others have it too: they must let it go
  else if (peer != nullptr && (peer->own.holds(line, version) || (peer->cluster != core_->cluster && shared_[peer->cluster].holds(line, version)))) found.where = Where::core;
  else if (shared.has(line, version)) found.where = Where::shared;
  found.soils = found.where == Where::memory || (state & kPaid) == 0;
  state = next_version(state) << kVersionShift | kDirty | kPaid | (core_->index + 1);
  core_->own.put(line, version_of(state));
  shared.put(line, version_of(state));
  return found;
}

u64 Fabric::peer_price(const Found& found, Use use) const {
  const Distance& d = to_peer(found.peer);
  switch (use) {
    case Use::load: return found.dirty ? d.load_dirty : d.load_clean;
    case Use::store: return found.dirty ? d.store_dirty : d.store_clean;
    case Use::swap: return found.dirty ? d.swap_dirty : d.swap_clean;
  }
  return 0;
}

// A single access from where the line was found, with nobody else about. A line outside every range counts as near.
u64 Fabric::unloaded(const Found& found, Use use, u32 home) const {
  switch (found.where) {
    case Where::own: return work(shape_.costs.slot_load);
    case Where::shared: return shape_.shared_hit;
    case Where::core: return peer_price(found, use);
    case Where::memory: {
      const u32 node = home == kNoNode ? core_->node : home;
      return shape_.distance[shape_.distance_of[core_->node][node]].memory + memory_of(node).random_extra;
    }
  }
  return 0;
}

// ---- servers ----

u64 Fabric::pass_links(u64 clock, u32 from, u32 to, u64 bytes) {
  const Way way = ways_[from * shape_.nodes + to];
  u64 through = clock;
  for (u32 i = 0; i < way.count; i++) {
    const u32 link = way_links_[way.first + i];
    through = max_of(through, links_[link].serve(clock, at_rate(bytes, shape_.link[link].ps_per_kib), bytes));
  }
  return through;
}

// So many lines from the memory of a node to the running core.
u64 Fabric::bring(u64 clock, u32 home, u64 lines) {
  const Memory& memory = memory_of(home);
  const u64 bytes = align_up(lines * kLineBytes, memory.granule);
  asked_[core_->node * shape_.nodes + home] += bytes;
  const u64 served = controllers_[home].serve(clock, at_rate(bytes, memory.read_ps_per_kib), bytes);
  return max_of(served, pass_links(clock, home, core_->node, lines * kLineBytes));
}

// And back.
u64 Fabric::send(u64 clock, u32 home, u64 lines) {
  const Memory& memory = memory_of(home);
  const u64 bytes = align_up(lines * kLineBytes, memory.granule);
  asked_[core_->node * shape_.nodes + home] += bytes;
  const u64 passed = pass_links(clock, core_->node, home, lines * kLineBytes);
  return max_of(passed, controllers_[home].serve(clock, at_rate(bytes, memory.write_ps_per_kib), bytes));
}

void Fabric::write_back(u64 clock, u32 home, u64 lines) { send(clock, home, lines); }

// The end of a single access that takes `ps` unloaded.
u64 Fabric::loaded(u64 clock, const Found& found, u32 home, u64 ps) {
  u64 through = clock;
  if (found.where == Where::memory && home != kNoNode) {
    through = bring(clock, home, 1);
  } else if (found.where == Where::core) {
    transfers_++;
    if (cores_[found.peer].node != core_->node) through = pass_links(clock, cores_[found.peer].node, core_->node, kLineBytes);
  }
  return max_of(clock + ps, through);
}

// ---- plain verbs ----

u64 Fabric::wait_for(u64 clock, u64 line) const {
  for (u32 i = 0; i < shape_.prefetch_lines; i++)
    if (core_->prefetches[i].line == line) return max_of(clock, core_->prefetches[i].ready);
  return clock;
}

u64 Fabric::access(u64 clock, word at, bool write) {
  if (!see(at)) return clock + work(shape_.costs.slot_load); // memory we know nothing of counts as cached
  count(at - seen_.base, write, kWordBytes);
  const Line line = line_of(at, nullptr);
  const Use use = write ? Use::store : Use::load;
  const Found found = fetch(line.number, *line.state, use);
  if (found.where == Where::own) {
    if (found.soils) write_back(clock, line.home, 1);
    return arrived(clock, line.number) + work(shape_.costs.slot_load);
  }
  const u64 end = loaded(clock, found, line.home, unloaded(found, use, line.home));
  if (found.soils) write_back(clock, line.home, 1);
  return end;
}

usize Fabric::piece(word at, usize bytes) {
  return min_of(bytes, kPageBytes - (see(at) ? (at - seen_.base) % kPageBytes : 0));
}

u64 Fabric::sequence(u64 clock, word at, usize bytes, Pass pass) {
  if (bytes == 0) return clock;
  if (!see(at)) return clock + work(div_up(bytes, kLineBytes) * (shape_.costs.slot_load + shape_.line_work) / shape_.memory[0].stream_lines);
  count(at - seen_.base, pass != Pass::read, bytes);
  const usize first = (at - seen_.base) / kLineBytes, last = (at + bytes - 1 - seen_.base) / kLineBytes, count = last - first + 1;
  const u32 home = seen_.node_of_page[(at - seen_.base) / kPageBytes] - 1u;
  const Memory& memory = memory_of(home);
  const u64 far = shape_.distance[shape_.distance_of[core_->node][home]].memory + memory.stream_extra;
  const Use use = pass == Pass::read ? Use::load : Use::store;
  u64 alone = work(count * shape_.line_work), missing = 0, soiled = 0, through = clock;
  for (usize i = first; i <= last; i++) {
    u32& state = seen_.lines[i];
    const u64 line = seen_.offset / kLineBytes + i;
    if (pass == Pass::around) { // whoever has it loses it
      state = next_version(state) << kVersionShift;
      continue;
    }
    const Found found = fetch(line, state, use);
    soiled += found.soils;
    if (found.where == Where::memory) {
      missing++;
      continue;
    }
    if (found.where == Where::own) clock = arrived(clock, line);
    if (found.where == Where::core) through = max_of(through, loaded(clock, found, home, 0));
    alone += unloaded(found, use, home);
  }
  if (pass == Pass::around) {
    through = send(clock, home, count);
    alone += count * far;
  } else if (missing != 0) {
    through = max_of(through, bring(clock, home, missing));
    alone += missing * far;
  }
  if (soiled != 0) write_back(clock, home, soiled);
  return max_of(clock + alone / memory.stream_lines, through);
}

bool Fabric::has_touched(word at) {
  if (!see(at)) return true;
  const usize inside = at - seen_.base;
  return seen_.node_of_page[inside / kPageBytes] == 0 || core_->own.has((seen_.offset + inside) / kLineBytes, version_of(seen_.lines[inside / kLineBytes]));
}

// A prefetch of memory that nobody touched yet does nothing, as with the real instruction.
u64 Fabric::place_for_touch(u64 clock) const { return max_of(clock, core_->prefetches[core_->next_prefetch].ready); }

u64 Fabric::touch(u64 clock, word at) {
  clock += work(shape_.costs.prefetch);
  if (has_touched(at)) return clock;
  Prefetch& slot = core_->prefetches[core_->next_prefetch];
  core_->next_prefetch = core_->next_prefetch + 1 == shape_.prefetch_lines ? 0 : core_->next_prefetch + 1;
  const Line line = line_of(at, nullptr);
  const Found found = fetch(line.number, *line.state, Use::load);
  slot = {line.number, loaded(clock, found, line.home, unloaded(found, Use::load, line.home))};
  core_->latest_ready = max_of(core_->latest_ready, slot.ready);
  return clock;
}

// ---- visible operations ----

Fabric::Visit Fabric::visit(u64 clock, word at, Use use) {
  Visit result{clock, 0};
  const Line line = line_of(at, &result.id);
  if (line.home != kNoNode) count(at - seen_.base, use != Use::load, kWordBytes);
  const Found found = fetch(line.number, *line.state, use);
  const u64 last = use == Use::load ? shape_.costs.atomic_load : use == Use::store ? shape_.costs.slot_load : shape_.costs.atomic_own;
  if (found.soils && line.home != kNoNode) write_back(clock, line.home, 1);
  if (GARNER_LIKELY(found.where == Where::own)) {
    result.clock = arrived(result.clock, line.number) + work(last);
    return result;
  }
  // A line passes from one to the next: who comes while it is on its way waits, and then has a way of its own. Readers of a line
  // that nobody changed do not keep each other.
  BusyLine& busy = busy_[line.number % kBusyLines];
  const u64 wait = busy.line == line.number && busy.until > clock ? busy.until - clock : 0;
  const u64 ps = unloaded(found, use, line.home) + (found.where == Where::core ? 0 : work(last));
  result.clock = loaded(clock, found, line.home, wait + ps);
  if (use != Use::load || found.dirty || found.where == Where::memory) busy = {line.number, result.clock};
  return result;
}

Fabric::Visit Fabric::look(u64 clock, word at) { return visit(clock, at, Use::load); }
Fabric::Visit Fabric::take(u64 clock, word at, Use use) { return visit(clock, at, use); }

bool Fabric::conserves() const {
  for (u32 m = 0; m < shape_.nodes; m++) {
    u64 sum = 0;
    for (u32 n = 0; n < shape_.nodes; n++) sum += asked(n, m);
    if (sum != controllers_[m].bytes) return false;
  }
  return true;
}

} // namespace garner::sim
