// The full cost model: cores with caches, nodes with memory controllers, links, and the ways between them (shape.h says how many).
//
// Used instead of model.h when sim::Config::shape is given. What an access costs is decided in three steps.
//   1. Who has the line?   fetch(): the core's own caches, its cluster's, another core, or memory. Each line has a word of state
//      {version, holder, dirty, many}: the holder is the core that fetched or wrote it last, and a cache's copy counts only with the
//      line's present version (tags.h). So a write makes all other copies stale in constant time.
//   2. What does that take, unloaded?   A latency by distance: Distance, from the machine file. A single access waits for all of
//      it. In a sequence `stream_lines` are under way at once, so each line takes (latency + work) / stream_lines. A touch()
//      waits for nothing; what comes after it on the same line waits for the rest.
//   3. Who else wants the same?   Controllers, each direction of a link, a contended line and the kernel's locks are Servers: busy
//      until a moment, first come first served. An access that needs several has all of them from the same moment on, since its
//      lines stream through; it ends at max(clock + unloaded, when the last of them is through). (Taking one after the other would
//      reserve the later ones ahead of requests that reach them first, and lose a tenth of the links.) Workers wait for their
//      answers, so load limits itself.
//
// Reservations: a single access takes its line (or the device's granule); sequences take what lies in one 4 KiB page at once, up to
// 64 lines. The grain matters (docs/simulator.md), so it depends on nothing else. The first write to a line since it came from memory
// pays for writing it back right away, without waiting for that, wherever the line is; stores that pass the caches only write.
// Order: Sim lets a fiber come here only when nobody has an earlier clock, unless it stays within its own caches, and again after
// anything that took long (a fault, a wait for a prefetch's place). So servers are reserved in the order of time: one reserved ahead
// would stand idle until then while earlier requests wait. A transfer that waits for its line takes up its links when it asks.
// Takes from Costs: slot_load (a hit), prefetch, atomic_load, atomic_own, the *_lock parts, page_fault; Sim takes the calls.
//
// Invariants: answers never lie before the clock given; they depend on offsets and numbers, never on host addresses; for each
// memory the bytes asked by all nodes are the bytes its controller served (conserves()).
// Deviates: no TLB, no snoop traffic on links, no banks or rows; a line's copies age out by this model's own replacement; a request
// reaches the memory for free, only data takes up links.
#pragma once
#include "machine/sim/model.h"
#include "machine/sim/shape.h"
#include "machine/sim/tags.h"

namespace garner::sim {

class Fabric {
 public:
  using Visit = Model::Visit;
  static constexpr u64 kStranger = Model::kStranger;
  enum class Pass : u8 { read, write, around }; // around: stores past the caches

  [[nodiscard]] bool reset(const Shape& shape, Places& places);
  void begin_run() { strangers_.forget(); }
  void places_changed() { seen_.bytes = 0; }

  // -- fibers and where they run --
  [[nodiscard]] bool add_fiber(u32 fiber);
  void seat_worker(u32 fiber, u32 worker);  // workers go round the nodes, then round each node's cores, then round their threads
  void cool();                              // all caches are empty, as after other data has passed through them; no clock moves
  void move_to_node(u32 fiber, u32 node);   // to the thread there with the fewest fibers; has_cores(node)
  void set_active(u32 fiber, bool active);  // it works, or waits and leaves its core to others
  void enter(u32 fiber);                    // the operations that follow are this fiber's
  void leave() { core_ = nullptr; }
  u32 threads() const { return u32(seats_.size()); }
  u32 node_of_worker(u32 worker) const { return cores_[seats_[worker % seats_.size()].core].node; }
  u32 node_of_fiber(u32 fiber) const { return cores_[seats_[fibers_[fiber].seat].core].node; }
  u32 core_of_fiber(u32 fiber) const { return seats_[fibers_[fiber].seat].core; }
  u64 distance(u32 from, u32 to) const { return shape_.distance[shape_.distance_of[from][to]].memory; } // of a core and a memory, unloaded
  bool has_cores(u32 node) const { return shape_.node[node].cores != 0; }

  // -- plain verbs --
  // A word whose line the core has in its own caches: the clock moves on, true. False: nothing happened.
  GARNER_INLINE bool hit(u64& clock, word at, bool write) {
    const usize inside = at - seen_.base;
    if (GARNER_UNLIKELY(inside >= seen_.bytes) || seen_.node_of_page[inside / kPageBytes] == 0) return false;
    u32& state = seen_.lines[inside / kLineBytes];
    const u64 line = (seen_.offset + inside) / kLineBytes;
    if (!core_->own.has(line, version_of(state))) return false;
    if (write && !write_freely(state)) return false; // also when its write-back is still to be paid: a controller is asked in order of time
    count(inside, write, kWordBytes);
    clock = arrived(clock, line) + work(shape_.costs.slot_load);
    return true;
  }
  bool fault(u64& clock, word at); // the first touch of a page: true, and the clock moves on. To be asked before what follows
  u64 access(u64 clock, word at, bool write);
  usize piece(word at, usize bytes); // how much of it a sequence may take at once
  u64 sequence(u64 clock, word at, usize bytes, Pass pass);
  bool has_touched(word at);         // a touch would find it in the own caches
  u64 place_for_touch(u64 clock) const; // when one more prefetch may start
  u64 touch(u64 clock, word at);

  // -- visible operations --
  Visit look(u64 clock, word at);
  Visit take(u64 clock, word at, Use use);
  void renew(word at) { strangers_.renew(at); }
  u64 id_of(word at);

  // -- calls --
  u64 work(u64 ps) const { return GARNER_LIKELY(core_->percent == 100) ? ps : ps * core_->percent / 100; }
  u64 map_call(u64 clock, u64 price) { return map_lock_.serve(clock, price); } // mmap, munmap, mbind: one at a time
  u64 futex_call(u64 clock, u64 id, u64 price) {                                // the part under the lock of the word's queue, then the rest
    return futex_locks_[id % kFutexLocks].serve(clock, shape_.costs.futex_lock) + price - min_of(price, shape_.costs.futex_lock);
  }

  // -- what happened --
  const Server& controller(u32 node) const { return controllers_[node]; }
  const Server& link(u32 index) const { return links_[index]; }
  u64 asked(u32 from, u32 memory) const { return asked_[from * shape_.nodes + memory]; } // bytes, by the node of the core
  bool conserves() const;
  u64 transfers() const { return transfers_; } // lines that came from another core
  const Shape& shape() const { return shape_; }
  // Counts, while switched on, who uses which page of the range that holds `at` (N27): plain verbs and visible operations, wherever the
  // line is found; prefetches are not uses. Changes no clock. False: no memory, or no such range.
  [[nodiscard]] bool meter(word at) { return places_->meter(at, shape_.nodes); }
  void counting(bool on) {
    counting_ = on;
    seen_.uses = on && seen_.bytes != 0 ? places_->find(seen_.base)->uses : nullptr; // the range used last stays: forgetting it would change who gives way
  }
  // Of one page of a metered range, by node of the core; the reader may zero what it has read. Null elsewhere.
  PageUse* uses_of_page(word at) {
    Range* range = places_->find(at);
    return range == nullptr || range->uses == nullptr ? nullptr : range->uses + (at - range->base) / kPageBytes * shape_.nodes;
  }

 private:
  static constexpr u32 kPrefetchesMax = 64, kBusyLines = 1 << 13, kFutexLocks = 64;
  static constexpr u64 kStrangerLine = u64(1) << 44; // line numbers of words outside every range begin here
  enum class Where : u8 { own, shared, core, memory };
  struct Found { Where where; bool dirty; u32 peer; bool soils; }; // soils: the first write since it came from memory
  struct Prefetch { u64 line, ready; };
  struct Core {
    Tags own;
    u32 index, node, cluster;
    u32 percent, active; // fibers that work here, and what that does to the speed of each
    u64 latest_ready;    // of the prefetches under way
    u32 next_prefetch;
    Prefetch prefetches[kPrefetchesMax];
  };
  struct Seat { u32 core, fibers; }; // a hardware thread
  struct FiberSeat { u32 seat; bool active; };
  struct BusyLine { u64 line, until; };
  struct Seen { // the range used last
    word base;
    usize bytes;
    u64 offset;
    u8* node_of_page;
    u32* lines;
    PageUse* uses; // null while nobody counts
  };
  struct Line { u64 number; u32* state; u32 home; }; // home kNoNode: outside every range
  static constexpr u32 kNoNode = ~0u;

  // A line's state: version from bit 20, paid 14, many 13, dirty 12, holder + 1 below. Paid: some cache has it changed, or handed it on changed,
  // and its write-back has been charged; a read that has to ask the memory finds it there, and the next write pays again.
  static constexpr u32 kHolder = 0xfff, kDirty = 1u << 12, kMany = 1u << 13, kPaid = 1u << 14, kVersionShift = 20;
  static u32 version_of(u32 state) { return state >> kVersionShift; }
  static u32 next_version(u32 state) { return version_of(state) + 1 == 1u << Tags::kVersionBits ? 1 : version_of(state) + 1; }
  bool only_mine(u32 state) const { return (state & (kHolder | kMany)) == core_->index + 1; }
  GARNER_INLINE bool write_freely(u32& state) const {
    if ((state & (kHolder | kMany | kPaid)) != (kPaid | (core_->index + 1))) return false;
    state |= kDirty;
    return true;
  }
  // A line in the own caches may still be under way.
  GARNER_INLINE u64 arrived(u64 clock, u64 line) const {
    if (GARNER_LIKELY(clock >= core_->latest_ready)) return clock;
    return wait_for(clock, line);
  }
  u64 wait_for(u64 clock, u64 line) const;

  GARNER_INLINE void count(usize inside, bool write, usize bytes) {
    if (GARNER_LIKELY(seen_.uses == nullptr)) return;
    PageUse& use = seen_.uses[inside / kPageBytes * shape_.nodes + core_->node];
    (write ? use.writes : use.reads)++;
    (write ? use.bytes_written : use.bytes_read) += u32(bytes);
  }
  bool make_cores();
  bool make_ways();
  void set_rules(Places& places) const;
  void sit(u32 fiber, u32 seat);
  void count_active(Core& core);
  bool see(word at);
  Line line_of(word at, u64* id);
  Found fetch(u64 line, u32& state, Use use);
  Found fetch_to_write(u64 line, u32& state, const Core* peer, bool mine);
  const Distance& to_peer(u32 peer) const {
    const Core& other = cores_[peer];
    return shape_.distance[other.cluster == core_->cluster ? shape_.within : shape_.distance_of[core_->node][other.node]];
  }
  u64 peer_price(const Found& found, Use use) const;
  u64 unloaded(const Found& found, Use use, u32 home) const;
  u64 loaded(u64 clock, const Found& found, u32 home, u64 ps);
  u64 bring(u64 clock, u32 home, u64 lines);
  void write_back(u64 clock, u32 home, u64 lines);
  u64 send(u64 clock, u32 home, u64 lines);
  u64 pass_links(u64 clock, u32 from, u32 to, u64 bytes);
  Visit visit(u64 clock, word at, Use use);
  const Memory& memory_of(u32 node) const { return shape_.memory[shape_.node[node].memory]; }

  Core* core_ = nullptr; // the running fiber's
  Seen seen_{};
  Shape shape_{};
  Places* places_ = nullptr;
  Vector<Core> cores_;
  Vector<Tags> shared_;      // by cluster
  Vector<u32> tag_memory_;
  Vector<Seat> seats_;
  Vector<FiberSeat> fibers_;
  Server controllers_[kShapeNodesMax], page_locks_[kShapeNodesMax], links_[kLinksMax], futex_locks_[kFutexLocks], map_lock_;
  Vector<u64> asked_;
  struct Way { u32 first, count; };
  Vector<Way> ways_;     // [from * nodes + to]
  Vector<u16> way_links_;
  Vector<BusyLine> busy_;
  Strangers<u32> strangers_;
  u64 transfers_ = 0;
  bool counting_ = false;
};

} // namespace garner::sim
