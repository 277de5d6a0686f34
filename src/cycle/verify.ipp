// Verifier: walks the whole heap and dies with one line at the first thing that cannot be.
//
// Checked: every root as the host reports it once more; every region in use is walkable to its top; every object is plausible; every reference (slots, handles, finalization
// lists) is null, outside, or the start of an object; every slot whose object is younger than the slot's region is on a dirty card
// with a dirty bundle; no header carries a forwarding; large runs and labels agree with roles; what object starts say.
// Uses the mark table as scratch (clear before, clear after). World stopped, outside tracing.
#pragma once
#include "base/print.h"
#include "heap/finalizers.h"
#include "heap/handles.h"
#include "heap/starts.h"

namespace garner {

template <class H, class M> class Verifier {
 public:
  Verifier(Heap<M>& heap, H& host, const char* when, u64 index) : heap_(heap), host_(host), when_(when), index_(index) {}

  // A root, as the host reports it. The host's gather() calls this between mark_starts() and the end of run().
  void root(Slot slot, word value, RootKind how) {
    if (!heap_.contains(value)) return;
    roots_++;
    if (how == RootKind::interior || how == RootKind::pinned_interior) {
      u32 index = heap_.index_at(value - kHeadBytes);
      if (how == RootKind::interior && heap_.region(index).role == Role::free) fail("interior root into a free region", slot.at, value);
      return;
    }
    check_ref(slot.at, Ref{value});
  }

  // Returns the number of live or dead objects seen. gather(sink) has the host report its roots; the world stands.
  template <class Gather> u64 run(Gather gather) {
    mark_starts();
    heap_.each_region([&](u32 index, auto& r) { check_region(index, r); });
    check_tables();
    gather(*this);
    heap_.each_region([&](u32 index, auto& r) {
      if (r.role != Role::large) heap_.marks().clear(heap_.begin_of(index), heap_.end_of(index));
    });
    return objects_;
  }

 private:
  [[noreturn]] void fail(const char* what, word where, word value) {
    Line line;
    line.text("verify ").text(when_).text(" collection ").num(index_).text(": ").text(what).text(" at 0x").hex(where).text(" value 0x").hex(value);
    if (heap_.contains(where + kHeadBytes)) describe(line, " in ", heap_.index_at(where));
    if (heap_.contains(value)) describe(line, " to ", heap_.index_at(value - kHeadBytes));
    die(line.c_str(), __FILE__, __LINE__);
  }
  void describe(Line& line, const char* how, u32 index) {
    auto& r = heap_.region(index);
    line.text(how).text(name_of(r.role)).text(" region ").num(index).text(" label ").num(u32(heap_.label(index))).text(" used ").num(u64(r.top.load_relaxed() - heap_.begin_of(index)));
  }

  template <class F> void each_object(u32 index, Region<M>& r, F fn) {
    word begin = heap_.begin_of(index);
    if (r.role == Role::large) return fn(begin, r.object_bytes);
    word top = r.top.load_relaxed();
    if (top > heap_.end_of(index)) fail("top outside region", begin, top);
    each_block(heap_, host_, index, [&](word block) {
      Ref ref = ref_of(block);
      if (!host_.plausible(ref)) fail("not an object", ref.at, load_word(ref.at));
      usize bytes = host_.size(ref);
      if (bytes < kMinObjectBytes || bytes % kWordBytes != 0 || bytes > top - block) fail("object does not fit its region", ref.at, bytes);
      fn(block, bytes);
      return true;
    });
  }

  void mark_starts() {
    heap_.each_region([&](u32 index, auto& r) {
      if (r.role != Role::large && !r.unswept) check_starts(index, r);
      each_object(index, r, [&](word block, usize bytes) {
        objects_++;
        if (is_forward(load_word(block))) fail("forwarding left in a header", block, load_word(block));
        if (r.role != Role::large && !host_.filler(ref_of(block))) heap_.marks().mark(block, bytes);
      });
    });
  }

  void check_starts(u32 index, Region<M>& r) {
    const word begin = heap_.begin_of(index), top = r.top.load_relaxed();
    memset(starts_, 0, sizeof starts_);
    each_object(index, r, [&](word block, usize) { starts_[(block - begin) / kWordBytes / 64] |= u64(1) << ((block - begin) / kWordBytes % 64); });
    for (word card = begin; card < top; card += kCardBytes) {
      const word block = start_before(heap_, index, card);
      const usize at = (block - begin) / kWordBytes;
      if (block > card || (starts_[at / 64] >> at % 64 & 1) == 0) fail("no object starts where a card's says", card, block);
    }
  }

  void check_ref(word where, Ref ref) {
    if (!heap_.contains(ref.at)) return;
    u32 index = heap_.index_of(ref);
    auto& r = heap_.region(index);
    bool good = r.role == Role::large ? block_of(ref) == heap_.begin_of(index) : r.role != Role::free && r.role != Role::large_tail && is_start(block_of(ref), index);
    if (!good) fail("reference to no object", where, ref.at);
  }
  bool is_start(word block, u32 index) {
    if (block % kWordBytes != 0 || !heap_.marks().is_marked(block)) return false;
    return block == heap_.begin_of(index) || !heap_.marks().is_marked(block - kWordBytes);
  }

  void check_region(u32 index, Region<M>& r) {
    u8 label = heap_.label(index);
    u8 expected = r.role == Role::eden ? kLabelEden : r.role == Role::survivor ? kLabelSurvivor : kLabelOld;
    if (label != expected) fail("label does not fit the role", heap_.begin_of(index), label);
    each_object(index, r, [&](word block, usize) {
      Ref holder = ref_of(block);
      host_.each_slot(holder, [&](Slot slot) {
        Ref ref{load_word(slot.at)};
        check_ref(slot.at, ref);
        check_card(slot.at, ref, label);
      });
      Ref edge = host_.hidden_edge(holder);
      check_ref(holder.at, edge);
      check_card(holder.at, edge, label);
    });
  }
  void check_card(word where, Ref ref, u8 label) {
    if (!heap_.contains(ref.at) || heap_.label_of(ref) >= label) return;
    if (*heap_.card_of(where) == 0) fail("reference to a younger object on a clean card", where, ref.at);
    if (*heap_.bundle_of(where) == 0) fail("dirty card in a clean bundle", where, ref.at);
  }

  void check_tables() {
    HandleTable& handles = host_.handles();
    for (usize k = 0; k < kHandleKinds; k++)
      for (u32 i = 0; i < handles.chunks(HandleKind(k)); i++)
        handles.chunk(HandleKind(k), i)->each([&](word* slot) {
          // Threads that do not stop may be destroying handles.
          check_ref(word(slot), {__atomic_load_n(slot, __ATOMIC_RELAXED)});
          if (HandleKind(k) == HandleKind::dependent) check_ref(word(slot + 1), {__atomic_load_n(slot + 1, __ATOMIC_RELAXED)});
        });
    host_.finalizers().each_registered([&](Ref& ref) { check_ref(word(&ref), ref); });
    host_.finalizers().each_ready([&](Ref& ref) { check_ref(word(&ref), ref); });
  }

  Heap<M>& heap_;
  H& host_;
  const char* when_;
  u64 index_, objects_ = 0, roots_ = 0;
  u64 starts_[512 * KiB / kWordBytes / 64]; // a bit for each word of a region
};

} // namespace garner
