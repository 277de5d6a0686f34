#pragma once
#include "player.h"

namespace garner::test {

namespace {
inline constexpr usize kCellsMost = 160;
} // namespace

template <class M> const typename Player<M>::Operation Player<M>::kOperations[] = {
  &Player::allocate_small, &Player::allocate_medium, &Player::allocate_large, &Player::allocate_pinned, &Player::allocate_garbage, &Player::build_list,
  &Player::build_wide, &Player::relink, &Player::unlink, &Player::bulk_copy, &Player::add_root, &Player::drop_roots, &Player::interior_root,
  &Player::pin_root, &Player::pass_root, &Player::ambiguous_words, &Player::set_static, &Player::make_handle, &Player::free_handle,
  &Player::store_handle, &Player::read_handle, &Player::toggle_held, &Player::make_ephemerons, &Player::make_finalizable, &Player::run_finalizers,
  &Player::suppress, &Player::make_eager, &Player::make_loader, &Player::make_hidden, &Player::side_entry, &Player::uproot, &Player::collect,
  &Player::change_limit};
template <class M> const u32 Player<M>::kWeights[] = {300, 20, 8, 10, 20, 3, 5, 100, 30, 20, 20, 12, 15, 8, 8, 3, 10, 20, 10, 10, 15, 5, 8, 15, 8, 4, 8, 2, 6, 6, 1, 16, 1};
template <class M> const usize Player<M>::kOperationCount = sizeof(kOperations) / sizeof(kOperations[0]);

template <class M>
Player<M>::Player(Game<M>& game, Self& self, synthetic::Mutator<M>& mutator, u32 number)
    : game_(game), host_(game.host), shadow_(game.shadow), self_(self), mutator_(mutator),
      dice_(game.script.bytes != nullptr ? Dice(game.script.bytes, game.script.byte_count) : Dice(mix64(game.script.seed) + number)) {
  static_assert(sizeof(kWeights) / sizeof(kWeights[0]) == sizeof(kOperations) / sizeof(kOperations[0]));
  // Every script has its own mixture, so that unusual things meet often in some of them.
  Random random(game.script.seed ^ 0x5c817);
  u32 sum = 0;
  for (usize i = 0; i < kOperationCount; i++) {
    u64 dice = random.below(6);
    mix_.push_back(sum += kWeights[i] * u32(dice == 0 ? 0 : dice == 5 ? 4 : 1) + (i == 0));
  }
}

template <class M> void Player<M>::play() {
  host_.program.come_in(self_);
  u32 most = game_.script.bytes != nullptr ? ~0u : game_.script.operations;
  for (u32 n = 0; n < most && !dice_.over() && !starved(); n++) {
    u64 dice = dice_.below(mix_.back());
    usize i = 0;
    while (mix_[i] <= dice) i++;
    const Operation operation = kOperations[i]; // by itself: gcc 12 indexes twice under the undefined sanitizer, once wrongly
    (this->*operation)();
    host_.program.safepoint(self_);
    if (mutator_.cells.size() > kCellsMost) {
      Locked<typename M::Lock> guard(game_.lock);
      let_go_all_but(kCellsMost / 2);
    }
  }
  host_.program.go_out(self_);
}

// ---- with the lock held ----

template <class M> typename Player<M>::Found Player<M>::find() {
  Found at{{0}, 0};
  if (dice_.one_in(40)) {
    Id id = 1 + Id(dice_.below(Game<M>::kOutside));
    return {{shadow_[id].outside_at}, id};
  }
  usize statics = host_.statics.size(), n = mutator_.cells.size() + statics;
  if (n == 0) return at;
  usize i = dice_.below(n);
  if (i < statics) at = {{host_.statics[i]}, game_.examiner.static_ids[i]};
  else at = {mutator_.cells[i - statics].object(), mutator_.cells[i - statics].tag};
  for (u64 steps = dice_.below(5); steps > 0 && at.id != 0 && !shadow_[at.id].slots.empty(); steps--) {
    usize slot = dice_.below(shadow_[at.id].slots.size());
    Id to = shadow_[at.id].slots[slot];
    if (to == 0) break;
    at = {{load_word(synthetic::slot_at(at.ref, slot).at)}, to};
    GARNER_CHECK(synthetic::id_of(at.ref) == to, "the graph and its shadow went different ways");
  }
  return at;
}

template <class M> typename Player<M>::Found Player<M>::find_with_slots() {
  for (u32 tries = 0; tries < 6; tries++)
    if (Found found = find(); found.id != 0 && !shadow_[found.id].slots.empty()) return found;
  return {{0}, 0};
}

template <class M> void Player<M>::link(Found holder, usize n, Found to) {
  host_.write(synthetic::slot_at(holder.ref, n), to.ref);
  shadow_[holder.id].slots[n] = to.id;
}

template <class M> void Player<M>::hold(Found what, word inside, RootKind kind) {
  GARNER_CHECK(mutator_.cells.push({what.ref.at + inside, inside, what.id, kind}), "no memory");
}

template <class M> void Player<M>::let_go(usize cell) {
  mutator_.cells[cell] = mutator_.cells.back();
  mutator_.cells.pop();
}

template <class M> void Player<M>::let_go_all_but(usize keep) {
  while (mutator_.cells.size() > keep) let_go(dice_.below(mutator_.cells.size()));
}

template <class M> Shadow::HandleNote* Player<M>::pick_note() {
  if (shadow_.handles.empty()) return nullptr;
  Shadow::HandleNote& note = shadow_.handles[dice_.below(shadow_.handles.size())];
  return note.doomed || note.owned || note.kind == HandleKind::count ? nullptr : &note;
}

template <class M> void Player<M>::new_handle(HandleKind kind, Found first, Found second, bool in_store) {
  Shadow::HandleNote note{nullptr, kind, first.id, second.id, false, in_store, nullptr, 0};
  word extra = kind == HandleKind::dependent ? second.ref.at : 0;
  if (kind == HandleKind::weak_interior && first.id != 0) {
    note.interior = game_.native_word();
    if (note.interior != nullptr) {
      note.inside = dice_.below(synthetic::body_words(shadow_[first.id].type) + 2) * kWordBytes;
      *note.interior = first.ref.at + note.inside;
      extra = word(note.interior);
    }
  }
  note.handle = host_.table.create(in_store ? host_.store : host_.owner, kind, first.ref, extra);
  GARNER_CHECK(note.handle != nullptr, "no memory for a handle");
  shadow_.handles.push_back(note);
}

template <class M> void Player<M>::forget(Shadow::HandleNote& note) {
  note.kind = HandleKind::count;
  note.first = note.second = 0;
}

template <class M> void Player<M>::register_finalizer(Found what) {
  GARNER_CHECK(host_.finalize_queue.add_growing(min_of(host_.generation_of(what.ref), 2u), what.ref), "no memory");
  shadow_[what.id].registered++;
}

// ---- allocation ----

template <class M> typename Player<M>::Found Player<M>::make(u64 type, Id loader_index, bool pinned_heap) {
  Id id = game_.next_id.fetch_add_relaxed(1);
  Ref ref = mutator_.allocate(self_, {type, id, loader_index, pinned_heap});
  Locked<typename M::Lock> guard(game_.lock);
  shadow_.add(id, type, loader_index == 0 ? 0 : shadow_.loaders[loader_index]);
  if (ref.at == 0) {
    game_.out_of_memory++;
    starved_++;
    let_go_all_but(mutator_.cells.size() / 4);
    for (usize i = 0; i < host_.statics.size(); i++) host_.statics[i] = game_.examiner.static_ids[i] = 0;
    return {{0}, 0};
  }
  hold({ref, id});
  return {ref, id};
}

// Some of the new object's slots lead into the graph, and the graph leads to it; its root may go.
template <class M> void Player<M>::connect(Found made) {
  if (made.id == 0) return;
  Locked<typename M::Lock> guard(game_.lock);
  for (usize i = 0, n = shadow_[made.id].slots.size(), some = min_of<usize>(n, 8); i < some; i++)
    if (dice_.one_in(2)) link(made, n == some ? i : dice_.below(n), find());
  if (dice_.one_in(2))
    if (Found holder = find_with_slots(); holder.id != 0) link(holder, dice_.below(shadow_[holder.id].slots.size()), made);
  if (dice_.one_in(2)) mutator_.cells.pop();
}

// An object of this size: a leaf, or one of the shapes with slots.
template <class M> u64 Player<M>::sized_type(usize bytes) {
  using namespace synthetic;
  usize words = bytes / kWordBytes - 3;
  switch (words == 0 ? 0 : dice_.below(6)) {
    case 0: return make_type(Shape::plain, 0, 0, bytes);
    case 1: return make_type(Shape::ends, 0, both_ends(dice_.below(min_of<u64>(words / 2, 9) + 1), dice_.below(min_of<u64>(words / 2, 9) + 1)), bytes);
    case 2: return make_type(Shape::repeated, 0, pattern(1 + dice_.below(4), dice_.below(4)), bytes);
    case 3: return make_type(Shape::repeated, 0, pattern(1, 0), bytes);
    default: return make_type(Shape::plain, 0, 1 + dice_.below(min_of<u64>(words, 20)), bytes);
  }
}
template <class M> u64 Player<M>::small_type() { return sized_type(kMinObjectBytes + dice_.skewed(60) * kWordBytes); }

// ---- operations ----

template <class M> void Player<M>::allocate_small() { connect(make(small_type())); }

template <class M> void Player<M>::allocate_medium() {
  connect(make(sized_type(align_up(512 + dice_.skewed(host_.heap().region_bytes() / 2 - 512), kWordBytes))));
}

template <class M> void Player<M>::allocate_large() {
  usize region = host_.heap().region_bytes();
  connect(make(sized_type(align_up(region / 2 + kWordBytes + dice_.skewed(region * 3), kWordBytes))));
}

template <class M> void Player<M>::allocate_pinned() {
  usize most = dice_.one_in(8) ? host_.heap().region_bytes() : 4096;
  connect(make(sized_type(kMinObjectBytes + align_up(dice_.skewed(most), kWordBytes)), 0, true));
}

template <class M> void Player<M>::allocate_garbage() {
  for (u64 n = dice_.between(10, 120); n > 0; n--) {
    if (make(small_type()).id == 0) return;
    Locked<typename M::Lock> guard(game_.lock);
    mutator_.cells.pop();
  }
}

// A list, deep enough to make a depth-first collector recurse; the newest element holds the rest.
template <class M> void Player<M>::build_list() {
  u64 type = synthetic::make_type(synthetic::Shape::plain, 0, 1, 32);
  for (u64 n = dice_.between(20, 400); n > 0; n--) {
    if (make(type).id == 0) return;
    Locked<typename M::Lock> guard(game_.lock);
    auto& cells = mutator_.cells;
    usize last = cells.size() - 1;
    if (last == 0 || cells[last - 1].kind != RootKind::exact) continue;
    link({cells[last].object(), cells[last].tag}, 0, {cells[last - 1].object(), cells[last - 1].tag});
    cells[last - 1] = cells[last];
    cells.pop();
  }
}

// A wide array whose slots lead to new objects, several to each.
template <class M> void Player<M>::build_wide() {
  u64 slots = dice_.between(16, dice_.one_in(4) ? 20000 : 500);
  Found array = make(synthetic::make_type(synthetic::Shape::repeated, 0, synthetic::pattern(1, 0), kMinObjectBytes + slots * kWordBytes));
  if (array.id == 0) return;
  usize root = mutator_.cells.size() - 1;
  for (u64 n = min_of<u64>(slots, 60); n > 0; n--) {
    Found child = make(small_type());
    if (child.id == 0) return;
    Locked<typename M::Lock> guard(game_.lock);
    auto& cell = mutator_.cells[root];
    for (u64 k = dice_.between(1, 4); k > 0; k--) link({cell.object(), cell.tag}, dice_.below(slots), child);
    mutator_.cells.pop();
  }
}

template <class M> void Player<M>::relink() {
  Locked<typename M::Lock> guard(game_.lock);
  for (u64 n = dice_.between(1, 8); n > 0; n--)
    if (Found holder = find_with_slots(); holder.id != 0) link(holder, dice_.below(shadow_[holder.id].slots.size()), find());
}

template <class M> void Player<M>::unlink() {
  Locked<typename M::Lock> guard(game_.lock);
  if (Found holder = find_with_slots(); holder.id != 0) link(holder, dice_.below(shadow_[holder.id].slots.size()), {{0}, 0});
}

// A range of slots of one object goes over a range of another's (or its own), as an array copy does it.
template <class M> void Player<M>::bulk_copy() {
  Locked<typename M::Lock> guard(game_.lock);
  Found from = find_with_slots(), to = find_with_slots();
  if (from.id == 0 || to.id == 0) return;
  auto run = [&](Found f) { // slots that lie one behind the other, from the first on
    u64 type = shadow_[f.id].type;
    if (synthetic::shape_of(type) == synthetic::Shape::plain) return synthetic::detail_of(type);
    if (synthetic::shape_of(type) == synthetic::Shape::ends) return synthetic::low_half(type);
    return synthetic::high_half(type) == 0 ? u64(shadow_[f.id].slots.size()) : min_of<u64>(synthetic::low_half(type), shadow_[f.id].slots.size());
  };
  u64 from_run = run(from), to_run = run(to);
  if (from_run == 0 || to_run == 0) return;
  u64 n = dice_.between(1, min_of(from_run, to_run)), a = dice_.below(from_run - n + 1), b = dice_.below(to_run - n + 1);
  host_.write_range(synthetic::slot_at(to.ref, b).at, synthetic::slot_at(from.ref, a).at, n);
  std::vector<Id> copied(shadow_[from.id].slots.begin() + i64(a), shadow_[from.id].slots.begin() + i64(a + n));
  std::copy(copied.begin(), copied.end(), shadow_[to.id].slots.begin() + i64(b));
}

template <class M> void Player<M>::add_root() {
  Locked<typename M::Lock> guard(game_.lock);
  if (Found found = find(); found.id != 0) hold(found);
}

template <class M> void Player<M>::drop_roots() {
  Locked<typename M::Lock> guard(game_.lock);
  if (mutator_.cells.empty()) return;
  let_go_all_but(mutator_.cells.size() - (dice_.one_in(10) ? dice_.below(mutator_.cells.size()) : dice_.below(min_of<usize>(mutator_.cells.size(), 6) + 1)));
}

template <class M> void Player<M>::interior_root() {
  Locked<typename M::Lock> guard(game_.lock);
  Found found = find();
  if (found.id == 0) return;
  usize room = synthetic::bytes_of(shadow_[found.id].type) - kHeadBytes; // one past the end is still inside
  hold(found, dice_.one_in(3) ? room : dice_.below(room), RootKind::interior);
}

template <class M> void Player<M>::pin_root() {
  Locked<typename M::Lock> guard(game_.lock);
  Found found = find();
  if (found.id == 0) return;
  usize room = synthetic::bytes_of(shadow_[found.id].type) - kHeadBytes;
  if (dice_.one_in(2)) hold(found, 0, RootKind::pinned);
  else hold(found, dice_.one_in(3) ? room : dice_.below(room), RootKind::pinned_interior);
}

template <class M> void Player<M>::pass_root() {
  if (!host_.manners.passing_roots) return;
  Locked<typename M::Lock> guard(game_.lock);
  Found found = find();
  if (found.id == 0) return;
  GARNER_CHECK(host_.passing.push(found.ref.at), "no memory");
  game_.examiner.passing_ids.push_back(found.id);
}

template <class M> void Player<M>::ambiguous_words() {
  if (!host_.manners.ambiguous_words) return;
  Locked<typename M::Lock> guard(game_.lock);
  host_.ambiguous.clear();
  Heap<M>& heap = host_.heap();
  word used = word(heap.high_water() + 2) * heap.region_bytes();
  for (u64 n = dice_.below(12); n > 0; n--) {
    word value = dice_.one_in(8) ? word(dice_.below(~u64(0))) : heap.base() + dice_.below(used);
    if (Found found = find(); found.id != 0 && dice_.one_in(4)) value = found.ref.at + dice_.below(64) - 16;
    GARNER_CHECK(host_.ambiguous.push(value), "no memory");
  }
}

template <class M> void Player<M>::set_static() {
  Locked<typename M::Lock> guard(game_.lock);
  if (host_.statics.size() < 12 && dice_.one_in(2)) {
    GARNER_CHECK(host_.statics.push(0), "no memory");
    game_.examiner.static_ids.push_back(0);
  }
  if (host_.statics.empty()) return;
  usize i = dice_.below(host_.statics.size());
  Found found = dice_.one_in(4) ? Found{{0}, 0} : find();
  host_.statics[i] = found.ref.at;
  game_.examiner.static_ids[i] = found.id;
}

// ---- handles ----

template <class M> void Player<M>::make_handle() {
  Locked<typename M::Lock> guard(game_.lock);
  HandleKind kind = HandleKind(dice_.below(kHandleKinds));
  Found first = dice_.one_in(10) ? Found{{0}, 0} : find();
  new_handle(kind, first, kind == HandleKind::dependent ? find() : Found{{0}, 0}, dice_.one_in(6));
}

template <class M> void Player<M>::free_handle() {
  Locked<typename M::Lock> guard(game_.lock);
  if (!host_.doomed_left())
    for (auto& note : shadow_.handles)
      if (note.doomed) {
        note.doomed = false;
        forget(note);
      }
  Shadow::HandleNote* note = pick_note();
  if (note == nullptr) return;
  if (host_.manners.preemptive_destroy && !note->in_store && dice_.one_in(2)) {
    note->doomed = true;
    host_.doom(note->handle);
    return;
  }
  host_.table.destroy(note->handle);
  forget(*note);
}

template <class M> void Player<M>::store_handle() {
  Locked<typename M::Lock> guard(game_.lock);
  Shadow::HandleNote* note = pick_note();
  if (note == nullptr || note->interior != nullptr) return;
  Found to = dice_.one_in(4) ? Found{{0}, 0} : find();
  if (note->kind == HandleKind::dependent) {
    if (note->first == 0) return;
    host_.table.set_extra(note->handle, to.ref.at);
    note->second = to.id;
    return;
  }
  if (dice_.one_in(2)) {
    host_.table.store(note->handle, to.ref);
  } else {
    Ref expected{*note->handle};
    GARNER_CHECK(host_.table.compare_exchange(note->handle, expected, to.ref), "a handle changed by itself");
  }
  note->first = to.id;
}

// What a weak handle still knows comes back into the graph.
template <class M> void Player<M>::read_handle() {
  Locked<typename M::Lock> guard(game_.lock);
  Shadow::HandleNote* note = pick_note();
  if (note == nullptr || note->first == 0) return;
  GARNER_CHECK(*note->handle != 0 && synthetic::id_of({*note->handle}) == note->first, "a handle holds something else");
  hold({{*note->handle}, note->first});
}

template <class M> void Player<M>::toggle_held() {
  Locked<typename M::Lock> guard(game_.lock);
  Found found = find();
  if (found.id == 0 || shadow_[found.id].outside_at != 0) return;
  synthetic::toggle_held(found.ref);
  shadow_[found.id].held = !shadow_[found.id].held;
  if (shadow_[found.id].held && dice_.one_in(2)) new_handle(HandleKind::counted, found, {{0}, 0});
}

// A chain of ephemerons over new objects, each keeping the next alive; sometimes closed to a cycle.
template <class M> void Player<M>::make_ephemerons() {
  usize first = mutator_.cells.size();
  u64 n = dice_.between(1, 6);
  for (u64 i = 0; i < n; i++)
    if (make(small_type()).id == 0) return;
  Locked<typename M::Lock> guard(game_.lock);
  auto at = [&](usize i) { return Found{mutator_.cells[first + i].object(), mutator_.cells[first + i].tag}; };
  // Backwards, so that one pass over the table does not reach the end of the chain.
  for (usize i = n - 1; i-- > 0;) new_handle(HandleKind::dependent, at(i), at(i + 1));
  if (dice_.one_in(2)) new_handle(HandleKind::dependent, at(n - 1), dice_.one_in(2) ? at(0) : find());
  bool keep_first = dice_.one_in(2);
  while (mutator_.cells.size() > first + keep_first) mutator_.cells.pop();
}

// ---- finalization ----

template <class M> void Player<M>::make_finalizable() {
  u64 type = small_type() | u64(synthetic::kFinalizable | (dice_.one_in(3) ? synthetic::kCritical : 0)) << 10;
  Found made = make(type, 0, dice_.one_in(12));
  if (made.id == 0) return;
  {
    Locked<typename M::Lock> guard(game_.lock);
    register_finalizer(made);
    if (dice_.one_in(5)) new_handle(dice_.one_in(2) ? HandleKind::weak_short : HandleKind::weak_long, made, {{0}, 0});
  }
  connect(made);
}

// Runs finalizers: each may bring its object back, and may register it again.
template <class M> void Player<M>::run_finalizers() {
  Locked<typename M::Lock> guard(game_.lock);
  for (u64 n = dice_.between(1, 12); n > 0; n--) {
    Ref ref = host_.finalize_queue.next_ready();
    if (ref.at == 0) return;
    Found found{ref, synthetic::id_of(ref)};
    GARNER_CHECK(shadow_[found.id].ready != 0, "a finalizer runs that was not due");
    shadow_[found.id].ready--;
    if (dice_.one_in(2)) hold(found);
    if (dice_.one_in(3)) register_finalizer(found);
    if (dice_.one_in(6)) set_static_to(found);
  }
}

template <class M> void Player<M>::set_static_to(Found found) {
  if (host_.statics.empty()) return;
  usize i = dice_.below(host_.statics.size());
  host_.statics[i] = found.ref.at;
  game_.examiner.static_ids[i] = found.id;
}

template <class M> void Player<M>::suppress() {
  Locked<typename M::Lock> guard(game_.lock);
  Found found = find();
  if (found.id == 0 || shadow_[found.id].registered == 0) return;
  word at = header_of(found.ref).at;
  store_word(at, load_word(at) | synthetic::kSuppressed);
  shadow_[found.id].suppressed = true;
}

// An object that needs no finalizer but owns a handle, which it frees from inside the collection that finds it dead.
template <class M> void Player<M>::make_eager() {
  if (!host_.manners.reentrant_hooks) return;
  Found made = make(synthetic::make_type(synthetic::Shape::plain, synthetic::kFinalizable | synthetic::kEager, 0, 32));
  if (made.id == 0) return;
  Locked<typename M::Lock> guard(game_.lock);
  const HandleKind kinds[] = {HandleKind::weak_short, HandleKind::weak_long, HandleKind::strong, HandleKind::dependent};
  new_handle(kinds[dice_.below(4)], find(), find());
  Shadow::HandleNote& note = shadow_.handles.back();
  if (note.kind != HandleKind::dependent) note.second = 0;
  note.in_store = false;
  shadow_[made.id].owned = u32(shadow_.handles.size() - 1);
  store_word(synthetic::body_of(made.ref), word(note.handle));
  note.owned = true;
  register_finalizer(made);
  if (dice_.one_in(2)) mutator_.cells.pop();
}

// ---- loaders, side entries, stores ----

template <class M> void Player<M>::make_loader() {
  Found made = make(small_type());
  if (made.id == 0) return;
  Locked<typename M::Lock> guard(game_.lock);
  if (shadow_.loaders.size() > 40) return;
  Handle handle = host_.table.create(host_.owner, HandleKind::weak_long, made.ref, 0);
  GARNER_CHECK(handle != nullptr && host_.loaders.push({handle}), "no memory");
  shadow_.loaders.push_back(made.id);
}

// An object whose type hangs on a loader; small, large or pinned.
template <class M> void Player<M>::make_hidden() {
  u32 loader = 0;
  {
    Locked<typename M::Lock> guard(game_.lock);
    if (shadow_.loaders.size() < 2) return;
    loader = u32(1 + dice_.below(shadow_.loaders.size() - 1));
    word at = *host_.loaders[loader].handle;
    if (at == 0) return; // gone, and its types with it
    hold({{at}, shadow_.loaders[loader]}); // whoever allocates knows the type, so its loader lives
  }
  u64 type = dice_.one_in(12) ? sized_type(host_.heap().region_bytes() / 2 + 64) : small_type();
  usize cell = mutator_.cells.size() - 1;
  Found made = make(type, loader, dice_.one_in(6));
  if (made.id == 0) return;
  {
    Locked<typename M::Lock> guard(game_.lock);
    mutator_.cells[cell] = mutator_.cells[cell + 1];
    mutator_.cells.pop();
  }
  connect(made);
}

template <class M> void Player<M>::side_entry() {
  Locked<typename M::Lock> guard(game_.lock);
  Found found = find();
  if (found.id == 0) return;
  for (auto& entry : host_.side_table)
    if (entry.tag == 0) {
      entry = {found.id, found.ref};
      return;
    }
  if (host_.side_table.size() < 200) GARNER_CHECK(host_.side_table.push({found.id, found.ref}), "no memory");
}

// The store's handles all die at once; later the store itself goes and a new one takes its place.
template <class M> void Player<M>::uproot() {
  host_.program.go_out(self_);
  host_.collecting.lock(self_); // no collection may be looking at its chunks
  {
    Locked<typename M::Lock> guard(game_.lock);
    game_.uprooted = !game_.uprooted;
    if (game_.uprooted) host_.table.uproot(host_.store);
    else host_.table.destroy_all(host_.store);
    for (auto& note : shadow_.handles)
      if (note.in_store) forget(note);
  }
  host_.collecting.unlock(self_);
  host_.program.come_in(self_);
}

// ---- collections ----

template <class M> void Player<M>::collect() {
  Request request;
  request.seen = host_.cycle->count();
  request.kind = Kind(dice_.below(3));
  request.cause = dice_.one_in(2) ? Cause::stress : Cause::induced; // after the first nothing young may be looked at (heap.en_masse)
  request.optional = dice_.one_in(4);
  request.may_widen = dice_.one_in(2);
  request.compact_all = dice_.one_in(3);
  request.give_back = dice_.one_in(6);
  request.begin_marking = dice_.one_in(2);
  mutator_.collect(self_, request);
}

template <class M> void Player<M>::change_limit() {
  if (game_.script.shape.limit == 0) return;
  host_.program.go_out(self_);
  host_.collecting.lock(self_);
  host_.cycle->set_limit(game_.script.shape.limit * dice_.between(8, 20) / 10);
  host_.collecting.unlock(self_);
  host_.program.come_in(self_);
}

template <class M> void Player<M>::drop_everything() {
  Locked<typename M::Lock> guard(game_.lock);
  for (auto* mutator : host_.mutators) mutator->cells.clear();
  for (usize i = 0; i < host_.statics.size(); i++) host_.statics[i] = game_.examiner.static_ids[i] = 0;
  host_.ambiguous.clear();
  host_.passing.clear();
  game_.examiner.passing_ids.clear();
  while (host_.destroy_doomed()) {}
  for (auto& note : shadow_.handles) {
    if (note.kind != HandleKind::count && !note.doomed) host_.table.destroy(note.handle); // an eager object's too: the second time changes nothing
    note.doomed = false;
    forget(note);
  }
  for (Ref ref; (ref = host_.finalize_queue.next_ready()).at != 0;) shadow_[synthetic::id_of(ref)].ready--;
}

} // namespace garner::test
