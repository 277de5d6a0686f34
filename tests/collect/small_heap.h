// SmallHeap: a heap with one mutator, for tests that build a graph by hand and look at single objects.
//
// Everything happens on the calling thread, inside the program; collections are asked for. Options are text as users write it; the
// verifier is on unless the text says otherwise. References returned are good until the next collection; cells follow.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "host/synthetic/synthetic.h"
#include "machine/linux/linux.h"
#include "machine/sim/sim.h"

namespace garner::test {

inline Settings settings_of(const std::string& text) {
  Settings settings;
  EXPECT_TRUE(settings.parse(("workers=1,verify=both,region=64k," + text).c_str())) << settings.error();
  EXPECT_EQ(settings.illegal(), nullptr);
  return settings;
}

template <class M> class SmallHeapOn {
 public:
  using Self = typename M::Self;
  explicit SmallHeapOn(M& m, const std::string& options = "", const SyntheticShape& shape = roomy(), const synthetic::Manners& manners = {})
      : machine(m), host(m, settings_of(options), manners), self(m, 0), mutator(host) {
    EXPECT_TRUE(host.start(shape));
    host.add(mutator);
    host.program.come_in(self);
  }
  ~SmallHeapOn() {
    host.program.go_out(self);
    host.stop_workers(self);
  }
  static SyntheticShape roomy() {
    SyntheticShape shape;
    shape.eden = shape.eden_min = shape.eden_max = 8 * MiB; // collections come when asked for
    return shape;
  }

  // -- objects --
  Ref make(u64 type, bool pinned_heap = false, u32 loader = 0) {
    Ref ref = mutator.allocate(self, {type, next_id++, loader, pinned_heap});
    return ref;
  }
  Ref leaf(usize bytes = kMinObjectBytes) { return make(synthetic::make_type(synthetic::Shape::plain, 0, 0, bytes)); }
  Ref node(u32 slots, usize more_bytes = 0) { return make(synthetic::make_type(synthetic::Shape::plain, 0, slots, kMinObjectBytes + slots * kWordBytes + more_bytes)); }
  Ref array(usize slots) { return make(synthetic::make_type(synthetic::Shape::repeated, 0, synthetic::pattern(1, 0), kMinObjectBytes + slots * kWordBytes)); }
  Ref finalizable(u8 flags = 0) {
    Ref ref = make(synthetic::make_type(synthetic::Shape::plain, u8(synthetic::kFinalizable | flags), 1, 40));
    EXPECT_TRUE(host.finalize_queue.add_growing(host.generation_of(ref), ref));
    return ref;
  }
  static u32 id(Ref ref) { return synthetic::id_of(ref); }
  void set(Ref holder, usize slot, Ref value) { host.write(synthetic::slot_at(holder, slot), value); }
  static Ref get(Ref holder, usize slot) { return {load_word(synthetic::slot_at(holder, slot).at)}; }

  // -- roots: cells by number --
  usize root(Ref ref, RootKind kind = RootKind::exact, word inside = 0) {
    EXPECT_TRUE(mutator.cells.push({ref.at + inside, inside, id(ref), kind}));
    return mutator.cells.size() - 1;
  }
  Ref at(usize cell) { return mutator.cells[cell].object(); }
  void drop_roots() { mutator.cells.clear(); }
  void let_go(usize cell) { // the last cell takes its number
    mutator.cells[cell] = mutator.cells.back();
    mutator.cells.pop();
  }

  // -- collections --
  void collect(Kind kind, bool compact_all = false, bool give_back = false) {
    Request request;
    request.kind = kind;
    request.cause = Cause::induced;
    request.may_widen = false;
    request.compact_all = compact_all;
    request.give_back = give_back;
    mutator.collect(self, request);
  }
  // Of this kind and no other, for a cause that somebody else would have; with begin_marking it ends with the first pause of a marking beside the program.
  void ask(Kind kind, Cause cause, bool begin_marking = false) {
    Request request;
    request.kind = kind;
    request.cause = cause;
    request.may_widen = false;
    request.begin_marking = begin_marking;
    mutator.collect(self, request);
  }
  void young0() { collect(Kind::young0); }
  void young() { collect(Kind::young1); }
  void full(bool compact_all = true) { collect(Kind::full, compact_all); }
  CycleEnd last() { return host.cycle->last_any().end; }

  // -- looking --
  Heap<M>& heap() { return host.heap(); }
  Role role(Ref ref) { return heap().region_of(ref).role; }
  u32 generation(Ref ref) { return host.generation_of(ref); }
  u8 card(Slot slot) { return *heap().card_of(slot.at); }
  // Calls fn(ref) for every object in the heap, fillers too.
  template <class F> void each_object(F fn) {
    heap().each_region([&](u32 index, auto& r) {
      if (r.role == Role::large) fn(ref_of(heap().begin_of(index)));
      else each_block(heap(), host, index, [&](word block) { return fn(ref_of(block)), true; });
    });
  }
  // Regions that the marking's thread has yet to sweep. Whoever walks through old space by sizes on a machine with threads waits until there are none (swept).
  u32 unswept() {
    u32 n = 0;
    host.cycle->hold_beside();
    heap().each_region([&](u32, auto& r) { n += r.unswept; });
    host.cycle->let_beside_go();
    return n;
  }
  void swept() {
    for (const u64 end = self.now() + kPatience; unswept() != 0 && self.now() < end;) self.yield();
    ASSERT_EQ(unswept(), 0u);
  }
  // Until the marking's thread has nothing left to do but to wait for that. A collection before only holds it up.
  void rested(Awaits what) {
    for (const u64 end = self.now() + kPatience; host.cycle->awaits() != what && self.now() < end;) self.yield();
    ASSERT_EQ(host.cycle->awaits(), what);
  }
  u64 objects() {
    u64 n = 0;
    each_object([&](Ref ref) { n += !host.filler(ref); });
    return n;
  }
  void close_buffers() { mutator.close_buffer(); }

  static constexpr u64 kPatience = 60'000'000'000; // ns: longer than a busy system keeps a thread waiting

  M& machine;
  Synthetic<M> host;
  Self self;
  synthetic::Mutator<M> mutator;
  u32 next_id = 1;
};

// On real threads, with a machine of its own.
struct WithLinux { Linux machine; };
class SmallHeap : private WithLinux, public SmallHeapOn<Linux> {
 public:
  explicit SmallHeap(const std::string& options = "", const SyntheticShape& shape = roomy(), const synthetic::Manners& manners = {})
      : SmallHeapOn<Linux>(WithLinux::machine, options, shape, manners) {}
  using SmallHeapOn<Linux>::machine;
};

// Runs body(heap) on a fiber of a simulated machine.
inline void on_sim(const SimConfig& config, const std::string& options, const std::function<void(SmallHeapOn<Sim>&)>& body,
                   const SyntheticShape& shape = SmallHeapOn<Sim>::roomy()) {
  Sim machine(config);
  std::function<void()> run = [&] {
    SmallHeapOn<Sim> heap(machine, options, shape);
    body(heap);
  };
  machine.start([](void* at) { (*static_cast<std::function<void()>*>(at))(); }, &run);
  Sim::Outcome outcome = machine.run();
  EXPECT_EQ(outcome.end, sim::End::finished) << outcome.text;
}

} // namespace garner::test
