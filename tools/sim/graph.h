// A heap as numbers, and the program that makes it anew on a simulated machine and collects it: recordings and generators both give one.
//
// Objects are numbered from 0. What a graph says of an object: bytes, references, the thread that allocated it, its age (0 eden, 1 survived
// a collection, 2 old). Contents are not part of it. The replay has one thread per number, on the nodes in turn, those that filled most of eden first: who
// runs a collection is mostly the thread that filled eden, and the model lets it run on the first seat. Each allocates its objects in the order of their numbers, the oldest age first, with collections between, so that ages are made by the collector itself and
// pages lie where the placement policy puts what that thread allocates. Then the figures begin, one young collection runs (or `kind`),
// and they end.
// Deviates: an object takes a word more than its references and 24 bytes at least (the synthetic host's layout).
#pragma once
#include <string>
#include <vector>

#include "sim/program.h"

namespace garner::simulation {

struct Graph {
  static constexpr u32 kNone = ~0u;
  enum class RootFrom : u8 { stack, statics };
  struct Root { u32 object; u16 thread; RootFrom from; };

  std::vector<u32> bytes;        // per object
  std::vector<u16> thread;       // per object: who allocated it
  std::vector<u8> age;           // per object: 0 … 2
  std::vector<u64> edge_begin;   // per object and one more: where its references begin
  std::vector<u32> edges;        // object or kNone
  std::vector<Root> roots;
  std::vector<u32> weak;         // objects with a weak handle

  u32 objects() const { return u32(bytes.size()); }
  u32 threads() const;           // 1 + the highest thread number
  u64 total_bytes() const;
  // One line on what is wrong (lengths that disagree, an edge or root to no object, an age above 2, more than 4096 threads), or empty.
  std::string trouble() const;
};

// What a graph comes from.
class GraphSource {
 public:
  virtual ~GraphSource() = default;
  virtual const Graph& graph() = 0;
};

class Replay : public Program {
 public:
  explicit Replay(const Graph& graph, Kind kind = Kind::young1);
  u32 threads() const override { return max_of(graph_.threads(), 1u); }
  u32 seat(u32 thread) const override { return seats_[thread]; }
  void run(Thread& thread) override;
  // Eden that holds all the graph's objects: a smaller one collects while the heap is built, and ages are then no longer the graph's.
  static u64 eden_for(const Graph& graph);

 private:
  void allocate(Thread& thread, u8 age);
  void link(Thread& thread);
  void take_roots(Thread& thread);

  const Graph& graph_;
  Kind kind_;
  std::vector<std::vector<u32>> mine_; // each thread's objects
  std::vector<u32> seats_;             // by thread
};

} // namespace garner::simulation
