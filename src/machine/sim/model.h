// What each access costs on the uniform machine; machines in full have fabric.h instead.
//
// The Sim tells it whose operations follow (enter) and asks, for each verb, at which clock the operation is over.
//   plain     load store read write copy stream prefetch  -> the clock afterwards
//   visible   look (a read of a contended word) and take (a write)  -> the same, and the word's machine-independent id
//
// The uniform model: memory is near or far by the node of its page; a line is fresh (comes from memory), mine, or another's (a
// transfer, during which nobody else gets it). The first touch of a page costs a fault and decides its node.
// Invariant: every answer is at least the clock given, and depends on offsets and numbers only, never on host addresses.
// Deviates: lines are counted as bytes / 64 rounded up per call, so that an object's position on its line does not matter.
#pragma once
#include "machine/sim/config.h"
#include "machine/sim/lines.h"
#include "machine/sim/places.h"

namespace garner::sim {

class Model {
 public:
  struct Visit {
    u64 clock; // when the operation is over
    u64 id;    // of the word: its offset, or kStranger | its number
  };
  static constexpr u64 kStranger = u64(1) << 63;

  [[nodiscard]] bool reset(const Costs& costs, u32 nodes);
  void begin_run() { lines_.forget_strangers(); } // what was constructed since the last run is new, whatever its address
  void enter(u32 fiber, u32 node); // the operations that follow are this fiber's
  void leave();                    // they are nobody's and cost nothing
  const Costs& costs() const { return costs_; }
  Places& places() { return places_; }
  void places_changed() { seen_.bytes = 0; } // after a range was made or dropped

  GARNER_INLINE u64 load(u64 clock, word at) { return slot(clock, at, kLoad); }
  GARNER_INLINE u64 store(u64 clock, word at) { return slot(clock, at, kStore); }
  GARNER_INLINE u64 read(u64 clock, word at, usize bytes) { return clock + sequence(kRead, at, bytes); }
  GARNER_INLINE u64 write(u64 clock, word at, usize bytes) { return clock + sequence(kWrite, at, bytes); }
  GARNER_INLINE u64 copy(u64 clock, word to, word from, usize bytes) {
    return clock + sequence(kCopyFrom, from, bytes) + sequence(kCopyTo, to, bytes);
  }
  GARNER_INLINE u64 stream(u64 clock, word to, word from, usize bytes) {
    return clock + sequence(kCopyFrom, from, bytes) + sequence(kStreamTo, to, bytes);
  }
  u64 prefetch(u64 clock) const { return fiber_ == kNoFiber ? clock : clock + costs_.prefetch; }

  Visit look(u64 clock, word at);
  Visit take(u64 clock, word at, Use use);
  void renew(word at); // a new atomic begins here

  u64 id_of(word at);         // of a word that look or take has seen, or may see
  u32 node_of_page(word at);  // kNoNode while untouched or outside every range
  static constexpr u32 kNoNode = ~0u;

 private:
  enum Kind : u8 { kLoad, kStore, kLineIn, kRead, kWrite, kCopyFrom, kCopyTo, kStreamTo, kKinds };
  // Prices seen from one node: [kind][node of the page + 1]; [kind][0] is 0 and means "not touched yet".
  struct Row {
    u64 price[kKinds][kNodesMax + 1];
  };
  struct Seen { // the range used last
    word base;
    usize bytes;
    u64 offset;
    u8* node_of_page;
  };

  GARNER_INLINE u64 slot(u64 clock, word at, Kind kind) {
    const usize inside = at - seen_.base;
    if (GARNER_LIKELY(inside < seen_.bytes)) {
      const u64 price = row_->price[kind][seen_.node_of_page[inside / kPageBytes]];
      if (GARNER_LIKELY(price != 0)) return clock + price;
    }
    return clock + page_price(kind, at);
  }
  GARNER_INLINE u64 sequence(Kind kind, word at, usize bytes) {
    const usize inside = at - seen_.base;
    if (GARNER_LIKELY(inside < seen_.bytes && inside % kPageBytes + bytes <= kPageBytes)) {
      const u64 price = row_->price[kind][seen_.node_of_page[inside / kPageBytes]];
      if (GARNER_LIKELY(price != 0)) return price * div_up(bytes, kLineBytes);
    }
    return sequence_price(kind, at, bytes);
  }
  u64 page_price(Kind kind, word at, u64 units = 1);
  u64 sequence_price(Kind kind, word at, usize bytes);
  bool see(word at);
  CacheLine& line_of(word at, Visit& visit, u64& fresh_price);
  u64 between(u64 price, const CacheLine& line) const { return line.node == node_ ? price : price * costs_.remote_percent / 100; }

  Costs costs_;
  u32 fiber_ = kNoFiber, node_ = 0;
  u64 bit_ = 0;
  Row* row_ = nullptr;
  Seen seen_{};
  Vector<Row> rows_;
  Places places_;
  Lines lines_;
};

} // namespace garner::sim
