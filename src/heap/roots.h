// RootBuffer: the roots that one worker found, with the object each one held when nothing had moved.
//
// A record carries the object beside the slot, so that updating is idempotent: the runtime may report one slot to several workers.
#pragma once
#include "base/arena.h"
#include "seam/host.h"

namespace garner {

struct RootRecord {
  word slot;   // 0: the object is only kept alive
  Ref object;
  word inside; // what the slot held, minus the object: 0 unless interior
};

struct RootBuffer {
  Vector<RootRecord> records;
  Vector<Ref> pins;
  u64 reported = 0;
  void clear() {
    recent_records_.note(records.size());
    recent_pins_.note(pins.size());
    records.clear();
    pins.clear();
    reported = 0;
  }
  // What a burst made large goes back.
  void trim() {
    recent_records_.note(records.size());
    recent_pins_.note(pins.size());
    records.ease(recent_records_.fade(), kKept);
    pins.ease(recent_pins_.fade(), kKept);
  }

 private:
  static constexpr usize kKept = 1 << 14; // entries
  Recent recent_records_, recent_pins_;
};

} // namespace garner
