// Recorder: the five steps (recorder.h).
#pragma once
#include "cycle/recorder.h"

namespace garner {

template <class H, class M, class T> Recorder<H, M, T>::~Recorder() {
  if (bits_ != nullptr) unmap_own(bits_, span_ / 64);
  if (counts_ != nullptr) unmap_own(counts_, span_ / 128);
  if (classes_ != nullptr) unmap_own(classes_, 2 * record::kClassesMost * sizeof(ClassEntry));
}

template <class H, class M, class T> bool Recorder<H, M, T>::prepare() {
  span_ = usize(heap_.high_water()) * heap_.region_bytes();
  // Large runs may reach past the last region ever taken alone.
  heap_.each_region([&](u32 index, auto& r) { span_ = max_of(span_, usize(index + r.run) * heap_.region_bytes()); });
  span_ = align_up(max_of<usize>(span_, 1), MiB);
  bits_ = static_cast<u64*>(map_own(span_ / 64));
  counts_ = static_cast<u32*>(map_own(span_ / 128));
  classes_ = static_cast<ClassEntry*>(map_own(2 * record::kClassesMost * sizeof(ClassEntry)));
  if (bits_ != nullptr && counts_ != nullptr && classes_ != nullptr) return true;
  trouble_ = "no memory to record the heap";
  return false;
}

template <class H, class M, class T> template <class Gather>
bool Recorder<H, M, T>::run(const record::Head& head, record::Writer& out, Gather gather) {
  start_ns_ = tick_ns_ = heap_.machine().now();
  bool young = head.generation < 2, good = prepare();
  budget_ = bounds_.bytes;
  if (good) gather(*this);
  if (good) read_tables();
  listed_ = roots_.size();
  for (u32 attempt = 0; good && trouble_ == nullptr; attempt++) {
    reach();
    if (young) dead_holders();
    number();
    encode(head, out);
    if (!out.over() || out.trouble() != nullptr || trouble_ != nullptr) break;
    if (attempt == 8) {
      trouble_ = "the heap's outline alone is larger than record.most";
      break;
    }
    budget_ = u64((unsigned __int128)(min_of(budget_, spent_)) * bounds_.bytes / out.size() / 20 * 19);
    if (heap_.machine().now() - start_ns_ >= bounds_.ns) {
      trouble_ = "record.time is over, and what was recorded by then is larger than record.most";
      break;
    }
    good = out.restart();
  }
  smaller_ = good && trouble_ == nullptr && out.trouble() == nullptr && bounds_.exceed != 0 && tail_.object_bytes <= bounds_.exceed;
  if (!good || trouble_ != nullptr || smaller_) {
    out.abandon();
    return false;
  }
  return out.publish(tail_);
}

// ---- 1: roots ----

template <class H, class M, class T> void Recorder<H, M, T>::add(Ref object, Ref second, RootClass how, u32 thread) {
  if (object.at == 0 || !in_heap(object)) return;
  if (!roots_.push({object, second, how, u16(thread), false})) trouble_ = "no memory to record the heap";
}

template <class H, class M, class T> void Recorder<H, M, T>::root(Slot slot, word value, RootKind how) {
  if (value == 0 || !heap_.contains(value)) return;
  bool interior = how == RootKind::interior || how == RootKind::pinned_interior, pinned = how == RootKind::pinned || how == RootKind::pinned_interior;
  Ref object = interior ? object_containing(heap_, host_, value) : Ref{value};
  RootClass as = slot.at != 0 && heap_.contains(slot.at + kHeadBytes) ? RootClass::inside
                 : pinned                                             ? RootClass::stack_pinned
                 : interior                                           ? RootClass::stack_interior
                                                                      : RootClass::stack;
  add(object, {0}, as, record::has_thread(as) ? threads_.reporting() : 0);
}

template <class H, class M, class T> void Recorder<H, M, T>::read_tables() {
  static constexpr struct { HandleKind kind; RootClass how; } kPairs[] = {
    {HandleKind::strong, RootClass::strong}, {HandleKind::pinned, RootClass::pinned}, {HandleKind::async_pinned, RootClass::async_pinned},
    {HandleKind::counted, RootClass::counted}, {HandleKind::sized, RootClass::sized}, {HandleKind::variable, RootClass::variable},
    {HandleKind::dependent, RootClass::dependent}, {HandleKind::weak_short, RootClass::weak_short}, {HandleKind::weak_long, RootClass::weak_long},
    {HandleKind::weak_native, RootClass::weak_other}, {HandleKind::weak_interior, RootClass::weak_other}, {HandleKind::cross_reference, RootClass::weak_other}};
  HandleTable& table = host_.handles();
  for (auto& pair : kPairs)
    for (u32 i = 0; i < table.chunks(pair.kind); i++)
      table.chunk(pair.kind, i)->each([&](word* slot) {
        // Threads that do not stop may be destroying handles.
        Ref object{__atomic_load_n(slot, __ATOMIC_RELAXED)}, second{0};
        if (object.at == 0 || !in_heap(object)) return;
        if (pair.how == RootClass::dependent) second = {__atomic_load_n(slot + 1, __ATOMIC_RELAXED)};
        bool held = pair.how != RootClass::counted || host_.counted_alive(object);
        add(object, second, held ? pair.how : RootClass::weak_long, 0);
      });
  host_.finalizers().each_registered([&](Ref ref) { add(ref, {0}, RootClass::finalizable, 0); });
  host_.finalizers().each_ready([&](Ref ref) { add(ref, {0}, RootClass::ready, 0); });
}

// ---- 2: what they reach ----

template <class H, class M, class T> bool Recorder<H, M, T>::late() {
  if (++since_clock_ < 4096 || late_) return late_;
  since_clock_ = 0;
  u64 now = heap_.machine().now();
  late_ = now - reach_ns_ > reach_for_ns_;
  if (now - tick_ns_ > kTickNs) {
    tick_ns_ = now;
    progress_("reading", u32(min_of<u64>(100, spent_ * 100 / max_of<u64>(budget_, 1))));
  }
  return late_;
}

template <class H, class M, class T> template <class F> void Recorder<H, M, T>::each_edge(Ref ref, F fn) {
  host_.each_slot(ref, [&](Slot slot) {
    Ref target{load_word(slot.at)};
    if (target.at != 0 && in_heap(target)) fn(target);
  });
  Ref hidden = host_.hidden_edge(ref);
  if (hidden.at != 0 && in_heap(hidden)) fn(hidden);
}

// True when the object is new. The estimate: an object takes two bytes, a reference two.
template <class H, class M, class T> bool Recorder<H, M, T>::visit(Ref ref) {
  u64 i = bit_of(block_of(ref)), bit = u64(1) << (i % 64);
  if ((bits_[i / 64] & bit) != 0) return false;
  bits_[i / 64] |= bit;
  spent_ += 2;
  return true;
}

template <class H, class M, class T> void Recorder<H, M, T>::unmark(Ref ref) {
  const u64 i = bit_of(block_of(ref));
  bits_[i / 64] &= ~(u64(1) << (i % 64));
}

template <class H, class M, class T> bool Recorder<H, M, T>::take_graph(Ref top) {
  u64 before = spent_;
  queue_.clear();
  auto enter = [&](Ref ref) {
    if (queue_.push(ref)) return true;
    unmark(ref);
    return false;
  };
  bool room = visit(top) && enter(top);
  for (usize at = 0; room && at < queue_.size(); at++) {
    each_edge(queue_[at], [&](Ref target) {
      spent_ += 2;
      if (young_only_ && old(target)) return;
      if (room && visit(target)) room = enter(target);
    });
    room = room && spent_ <= budget_ && !late();
  }
  if (room) return true;
  for (Ref ref : queue_) unmark(ref);
  spent_ = before;
  return false;
}

template <class H, class M, class T> bool Recorder<H, M, T>::take_alone(Ref ref) {
  u64 before = spent_;
  visit(ref);
  each_edge(ref, [&](Ref) { spent_ += 2; });
  if (spent_ <= budget_) return true;
  unmark(ref);
  spent_ = before;
  return false;
}

template <class H, class M, class T> void Recorder<H, M, T>::take(Ref ref, u32 level) {
  if (seen(ref) || (young_only_ && old(ref))) return;
  bool over = failures_ >= kFailuresMost || late_;
  if (!over && take_graph(ref)) return;
  failures_ += !over;
  if (over || late_ || level == kSplits || !take_alone(ref)) {
    tail_.cut_graphs++;
    tail_.flags |= late_ ? record::kCutByTime : record::kCutBySize;
    return;
  }
  each_edge(ref, [&](Ref target) { take(target, level + 1); });
}

template <class H, class M, class T> void Recorder<H, M, T>::ephemerons() {
  for (bool again = true; again;) {
    again = false;
    for (usize i = 0; i < listed_; i++) {
      Root& r = roots_[i];
      if (r.how != RootClass::dependent || r.tried || !seen(r.object)) continue;
      r.tried = again = true;
      if (r.second.at != 0 && in_heap(r.second)) take(r.second, 0);
    }
  }
}

template <class H, class M, class T> void Recorder<H, M, T>::reach() {
  memset(bits_, 0, span_ / 64);
  roots_.truncate(listed_);
  tail_ = {};
  spent_ = failures_ = 0;
  late_ = false;
  reach_ns_ = heap_.machine().now();
  reach_for_ns_ = (bounds_.ns - min_of(reach_ns_ - start_ns_, bounds_.ns)) / 2; // the other half of what is left is for writing
  young_only_ = false;
  for (Root& r : roots_) r.tried = false;
  for (u32 c = 0; c < record::kRootClasses; c++)
    if (record::keeps(RootClass(c)))
      for (usize i = 0; i < listed_; i++)
        if (roots_[i].how == RootClass(c)) take(roots_[i].object, 0);
  ephemerons();
}

// ---- 3: cards of the dead ----

template <class H, class M, class T> void Recorder<H, M, T>::holder_card(u32 index, word low, word high) {
  auto& r = heap_.region(index);
  u32 head = heap_.head_of(index);
  bool large = heap_.region(head).role == Role::large;
  word top = large ? heap_.begin_of(head) + heap_.region(head).object_bytes : r.top.load_relaxed();
  if (low >= top) return;
  word block = heap_.begin_of(head);
  if (!large) block = block_covering(heap_, host_, index, low);
  for (usize bytes; block < min_of(high, top); block += bytes) {
    Ref holder = ref_of(block);
    bytes = large ? top - block : host_.size(holder);
    if (seen(holder) || host_.filler(holder)) continue;
    auto keep = [&](Ref target) {
      if (target.at == 0 || !in_heap(target) || old(target)) return;
      add(target, {0}, RootClass::dead_holder, 0);
      take(target, 0);
    };
    host_.each_slot_in(holder, low, high, [&](Slot slot) { keep({load_word(slot.at)}); });
    if (block >= low) keep(host_.hidden_edge(holder));
  }
}

// Only a large object's first card comes with its head; others are found through the tails.
template <class H, class M, class T> void Recorder<H, M, T>::dead_holders() {
  young_only_ = true;
  heap_.each_region([&](u32 index, auto& r) {
    if (heap_.label(index) != kLabelOld) return;
    for (u32 i = index, n = index + (r.role == Role::large ? r.run : 1); i < n; i++) {
      word end = heap_.end_of(i);
      for (word at = heap_.begin_of(i); at < end; at += kCardBytes)
        if (*heap_.card_of(at) != 0) holder_card(i, at, at + kCardBytes);
    }
  });
  young_only_ = false;
}

// ---- 4: numbers ----

template <class H, class M, class T> void Recorder<H, M, T>::number() {
  u64 count = 0;
  for (u64 i = 0, n = span_ / 512; i < n; i++) {
    counts_[i] = u32(count);
    count += set_bits(bits_[i]);
  }
  tail_.objects = count;
  if (count > record::kObjectsMost) trouble_ = "more objects than a recording can number; record.most bounds them";
}

template <class H, class M, class T> u32 Recorder<H, M, T>::number_of(Ref ref) const {
  u64 i = bit_of(block_of(ref));
  return counts_[i / 64] + u32(set_bits(bits_[i / 64] & ((u64(1) << (i % 64)) - 1)));
}

template <class H, class M, class T> template <class F> void Recorder<H, M, T>::each_recorded(word begin, word end, F fn) {
  for (u64 i = bit_of(begin) / 64, n = bit_of(end) / 64; i < n; i++)
    for (u64 b = bits_[i]; b != 0; b &= b - 1) fn(heap_.base() + (i * 64 + u32(__builtin_ctzll(b))) * kWordBytes);
}

// ---- 5: bytes ----

template <class H, class M, class T> auto Recorder<H, M, T>::layout_of(Ref ref) -> Layout {
  Layout l{host_.size(ref) / kWordBytes, 0, 0, 0};
  word before = 0;
  u64 now = 0;
  bool regular = true, gaps = false;
  host_.each_slot(ref, [&](Slot slot) {
    u64 gap = l.slots == 0 ? 0 : (slot.at - before) / kWordBytes - 1;
    if (gap != 0) {
      if (!gaps) l.run = now, l.skip = gap;
      else regular = regular && now == l.run && gap == l.skip;
      gaps = true;
      now = 0;
    }
    now++;
    l.slots++;
    before = slot.at;
  });
  if (!gaps || !regular || now > l.run) l.run = l.slots, l.skip = 0;
  if (host_.hidden_edge(ref).at != 0) {
    l.run += l.run == l.slots;
    l.slots++;
  }
  return l;
}

// 0: the table is full, and the definition stands at the object.
template <class H, class M, class T> u32 Recorder<H, M, T>::class_number(const Layout& l, bool& fresh) {
  u64 hash = mix64(l.words ^ mix64(l.slots ^ mix64(l.run ^ mix64(l.skip))));
  for (u64 i = hash;; i++) {
    ClassEntry& e = classes_[i % (2 * record::kClassesMost)];
    if (e.number == 0) {
      fresh = true;
      if (classes_used_ == record::kClassesMost) return 0;
      e = {l, ++classes_used_};
      return e.number;
    }
    if (e.layout.words == l.words && e.layout.slots == l.slots && e.layout.run == l.run && e.layout.skip == l.skip) {
      fresh = false;
      return e.number;
    }
  }
}

template <class H, class M, class T> void Recorder<H, M, T>::encode_slots(Ref ref, record::Writer& out) {
  u64 before = number_of(ref), nulls = 0;
  auto close = [&] {
    if (nulls == 1) out.byte(0);
    if (nulls > 1) {
      out.byte(1);
      out.number(nulls);
    }
    nulls = 0;
  };
  auto slot = [&](Ref target) {
    if (target.at == 0 || !in_heap(target) || !seen(target)) {
      nulls++;
      if (target.at == 0 || !in_heap(target)) tail_.nulls++;
      else tail_.dropped++;
      return;
    }
    close();
    u64 number = number_of(target);
    out.number(2 + record::zigzag(i64(number) - i64(before)));
    before = number;
    tail_.references++;
  };
  host_.each_slot(ref, [&](Slot s) { slot({load_word(s.at)}); });
  if (Ref hidden = host_.hidden_edge(ref); hidden.at != 0) slot(hidden);
  close();
}

template <class H, class M, class T> void Recorder<H, M, T>::encode_object(Ref ref, u64 gap_words, record::Writer& out) {
  Layout l = layout_of(ref);
  bool fresh;
  u32 number = class_number(l, fresh);
  out.number(u64(fresh ? 0 : number) << 1 | (gap_words != 0));
  if (gap_words != 0) out.number(gap_words);
  if (fresh) {
    for (u64 part : {l.words, l.slots, l.run, l.skip}) out.number(part);
    classes_defined_++;
  }
  tail_.object_bytes += l.words * kWordBytes;
  encode_slots(ref, out);
}

template <class H, class M, class T> void Recorder<H, M, T>::encode_region(u32 index, Region<M>& r, record::Writer& out) {
  using record::Place;
  word begin = heap_.begin_of(index), end = heap_.end_of(index);
  u64 objects = 0, runs = 0;
  u32 run_thread = 0;
  bool known = false;
  each_recorded(begin, end, [&](word block) {
    u32 thread = threads_.of(block);
    known = known || thread != 0;
    if (objects++ == 0 || thread != run_thread) runs++;
    run_thread = thread;
  });
  if (objects == 0) return;
  Place place = r.role == Role::eden ? Place::eden : r.role == Role::survivor ? Place::survivor : r.role == Role::large ? Place::large : r.role == Role::pinned ? Place::pinned : Place::old;
  out.number(u64(index) - last_region_ + (tail_.regions == 0 ? 1 : 0));
  last_region_ = index;
  tail_.regions++;
  u8 home = heap_.home(index);
  out.byte(u8(place));
  out.byte(place == Place::survivor ? r.age : place == Place::large && r.pinned_objects);
  out.number(home < kMostNodes ? home + 1u : 0u);
  out.number(objects);
  out.number(known ? runs : 0);
  if (known) {
    u64 length = 0;
    each_recorded(begin, end, [&](word block) {
      u32 thread = threads_.of(block);
      if (length != 0 && thread != run_thread) {
        out.number(length);
        out.number(run_thread);
        length = 0;
      }
      run_thread = thread;
      length++;
    });
    out.number(length);
    out.number(run_thread);
  }
  word at = begin;
  each_recorded(begin, end, [&](word block) {
    encode_object(ref_of(block), (block - at) / kWordBytes, out);
    at = block + host_.size(ref_of(block));
  });
}

template <class H, class M, class T> void Recorder<H, M, T>::encode_roots(record::Writer& out) {
  for (u32 c = 0; c < record::kRootClasses; c++) {
    u64 count = 0, before = 0;
    for (Root& r : roots_)
      if (r.how == RootClass(c)) {
        count += seen(r.object);
        tail_.cut_roots += record::keeps(RootClass(c)) && !seen(r.object);
      }
    tail_.roots[c] = count;
    out.number(count);
    for (Root& r : roots_) {
      if (r.how != RootClass(c) || !seen(r.object)) continue;
      u64 number = number_of(r.object);
      out.number(record::zigzag(i64(number) - i64(before)));
      before = number;
      if (record::has_thread(RootClass(c))) out.number(r.thread);
      if (RootClass(c) == RootClass::dependent) out.number(r.second.at != 0 && in_heap(r.second) && seen(r.second) ? number_of(r.second) + u64(1) : 0);
    }
  }
}

template <class H, class M, class T> void Recorder<H, M, T>::encode(const record::Head& head, record::Writer& out) {
  memset(static_cast<void*>(classes_), 0, 2 * record::kClassesMost * sizeof(ClassEntry));
  classes_used_ = 0;
  classes_defined_ = 0;
  last_region_ = 0;
  out.bytes(&head, sizeof head);
  heap_.each_region([&](u32 index, auto& r) {
    if (trouble_ != nullptr) return;
    encode_region(index, r, out);
    u64 now = heap_.machine().now();
    if (now - start_ns_ > bounds_.ns) trouble_ = "it took longer than record.time";
    if (now - tick_ns_ > kTickNs) {
      tick_ns_ = now;
      progress_("writing", u32(u64(index) * 100 / max_of(heap_.high_water(), 1u)));
    }
  });
  out.byte(0);
  encode_roots(out);
  tail_.classes = classes_defined_;
  tail_.threads = threads_.count();
  tail_.body_bytes = out.size() - sizeof head;
}

} // namespace garner
