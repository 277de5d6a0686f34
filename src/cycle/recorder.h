// Recorder: writes the heap before a collection as a graph (record/format.h): the verifier's sibling that tells instead of checking.
//
// What is recorded is what the roots reach, all of it, young and old; the dead are gaps. In the order of its work:
//   1. roots     the host reports them once more; handle tables and finalization lists are read
//   2. reach     root by root, in the order of RootClass: what it reaches and no root before it did is its sub-graph. A sub-graph that does not fit into
//                the budget is left out whole; but first its top object is taken alone and each reference tried as a root, to kSplits levels, so that
//                one table that holds everything does not cost everything. Ephemerons to a fixpoint, after everything strong.
//   3. dead holders   before a young collection: cards of old objects that nothing reaches keep young objects alive all the same
//   4. number    objects are numbered by address: one bit a word of the heap, a count for each 64
//   5. encode    region by region, then the lists of roots. The budget is an estimate of bytes; when the file would pass its bound all the same, the
//                budget is lowered by what it was too much and 2 to 5 are done again, within half of the time that is left each time.
// Memory: 3/128 of the heap's used addresses, 24 bytes a root, 8 bytes an object of the largest sub-graph; from map_own, given back at the end.
// World stopped, buffers closed, outside tracing. Nothing of the heap is changed but object starts, a cache.
#pragma once
#include "heap/finalizers.h"
#include "heap/handles.h"
#include "heap/starts.h"
#include "record/writer.h"

namespace garner {

struct RecordBounds { u64 bytes; u64 ns; u64 exceed = 0; }; // exceed: a graph with no more bytes of objects is not wanted

// Who allocated what, and whose roots are being reported. Numbers from 1; 0: not known.
template <class T> concept RecordThreads = requires(T& threads, word block) {
  { threads.of(block) } -> std::same_as<u32>;      // asked in ascending order, over and over
  { threads.reporting() } -> std::same_as<u32>;
  { threads.count() } -> std::same_as<u32>;
};

template <class H, class M, class Threads> class Recorder {
 public:
  // progress(what, percent) is called now and then while it takes long.
  using Progress = void (*)(const char* what, u32 percent);
  Recorder(Heap<M>& heap, H& host, Threads& threads, RecordBounds bounds, Progress progress) : heap_(heap), host_(host), threads_(threads), bounds_(bounds), progress_(progress) {}
  ~Recorder();

  // Records into `out`, which is open, and publishes it. gather(sink) has the host report its roots. False: smaller(), or out.trouble() or trouble() says why, and
  // nothing is left of the file. tail() holds the figures.
  template <class Gather> bool run(const record::Head& head, record::Writer& out, Gather gather);
  const record::Tail& tail() const { return tail_; }
  const char* trouble() const { return trouble_; }
  bool smaller() const { return smaller_; }

  // The sink of gather().
  void root(Slot slot, word value, RootKind how);

 private:
  using RootClass = record::RootClass;
  struct Root { Ref object, second; RootClass how; u16 thread; bool tried; };
  struct Layout { u64 words, slots, run, skip; };
  struct ClassEntry { Layout layout; u32 number; }; // 0: free

  static constexpr u32 kSplits = 5;          // levels to which a sub-graph that does not fit is taken apart
  static constexpr u32 kFailuresMost = 200;  // sub-graphs that did not fit, after which nothing more is tried
  static constexpr u64 kTickNs = 2'000'000'000;

  // -- 1 --
  void add(Ref object, Ref second, RootClass how, u32 thread);
  void read_tables();
  // -- 2 and 3 --
  void reach();
  void ephemerons();
  void take(Ref ref, u32 level);
  bool take_graph(Ref top);
  bool take_alone(Ref ref);
  void dead_holders();
  void holder_card(u32 index, word low, word high);
  bool visit(Ref ref);
  void unmark(Ref ref);
  template <class F> void each_edge(Ref ref, F fn); // slots with something of the heap, then the hidden edge
  bool late();
  // -- 4 and 5 --
  void number();
  u32 number_of(Ref ref) const;
  void encode(const record::Head& head, record::Writer& out);
  void encode_region(u32 index, Region<M>& r, record::Writer& out);
  void encode_object(Ref ref, u64 gap_words, record::Writer& out);
  void encode_slots(Ref ref, record::Writer& out);
  void encode_roots(record::Writer& out);
  Layout layout_of(Ref ref);
  u32 class_number(const Layout& layout, bool& fresh);
  template <class F> void each_recorded(word begin, word end, F fn); // fn(block), ascending

  // -- bits: one for each word of [base, base + span) --
  bool prepare();
  u64 bit_of(word block) const { return (block - heap_.base()) / kWordBytes; }
  bool seen(Ref ref) const {
    u64 i = bit_of(block_of(ref));
    return (bits_[i / 64] >> (i % 64) & 1) != 0;
  }
  bool in_heap(Ref ref) const { return heap_.contains(ref.at) && block_of(ref) - heap_.base() < span_; }
  bool old(Ref ref) const { return generation_of_label(heap_.label_of(ref)) == 2; }

  Heap<M>& heap_;
  H& host_;
  Threads& threads_;
  RecordBounds bounds_;
  Progress progress_;
  const char* trouble_ = nullptr;
  record::Tail tail_{};
  Vector<Root> roots_;
  usize listed_ = 0;               // roots_ without those that dead_holders() adds
  Vector<Ref> queue_;
  u64* bits_ = nullptr;
  u32* counts_ = nullptr;          // recorded objects below each 64 bits
  ClassEntry* classes_ = nullptr;  // open addressing, twice kClassesMost
  usize span_ = 0;
  u64 budget_ = 0, spent_ = 0, start_ns_ = 0, tick_ns_ = 0, reach_ns_ = 0, reach_for_ns_ = 0;
  u32 failures_ = 0, since_clock_ = 0, classes_used_ = 0;
  u64 classes_defined_ = 0, last_region_ = 0;
  bool late_ = false, young_only_ = false, smaller_ = false;
};

} // namespace garner
