// Details: what a log that asks for it is told of a collection by node and by worker (Detail::full), and where the objects below each root
// lie (Detail::roots). N27 T15.
//
//   begin   the world stands, nothing has moved: the first time tables are made, and distances told; timelines and tables begin anew; bytes of each space by node; locality
//   end     the program runs again, nobody else collects: every worker's spans; uses and steals by node
// Without a sink that asks, none of it exists: no table, no look at the clock, one look at a null pointer at each spot of a worker.
// Figures by node are told where the machine has several. A node is found from the address where the policy decides it, else from the system,
// whose answers are kept (heap/page_nodes.h). Of a first-touched space only kPagesAsked pages are asked for; they speak for the rest.
// Memory: a table of uses per worker, a byte of address space for each page of the heap, and a matrix. Refused: one line, and the log goes on without.
#pragma once
#include "cycle/collector.h"
#include "collect/evacuate/evacuation.h"

namespace garner {

template <class H, class M> class Details {
 public:
  using Self = typename M::Self;

  Details(M& machine, H& host, Heap<M>& heap, Gang<M>& gang, Emitter& emitter) : machine_(machine), host_(host), heap_(heap), gang_(gang), emitter_(emitter) {}

  // Whether workers' uses are counted in young collections.
  bool counts() const { return uses_ != nullptr; }
  void begin(u64 index, Kind kind, Collecting<M>* workers, u32 count, bool notices);
  void end(u64 index);

 private:
  void start(Collecting<M>* workers, u32 count, bool notices);
  static constexpr u64 kPagesAsked = 256;
  void tell_bytes(u64 index, SpaceKind space);
  void tell_locality(u64 index, Kind kind);
  void tell_spans(u64 index);
  void tell_steals(u64 index);
  void tell_uses(u64 index);
  // Of the objects that a collection of this kind takes; large ones are never followed.
  bool collected(Ref ref, Kind kind) const;
  void meet(Ref ref, Kind kind, u8 root_node);
  void follow_root(Ref ref, Kind kind);
  void forget_marks();

  M& machine_;
  H& host_;
  Heap<M>& heap_;
  Gang<M>& gang_;
  Emitter& emitter_;
  u32 count_ = 0;
  NodeUse* uses_ = nullptr; // one per worker
  bool started_ = false;
  u64 (*locality_)[kMostNodes] = nullptr; // [node of the root][node of the object]
  Vector<word> to_follow_;
  bool short_of_memory_ = false; // this walk is given up
  u64 calls_ = 0; // to the system, for the nodes of pages
};

} // namespace garner
