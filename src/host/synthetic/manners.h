// Manners: the bad habits of real runtimes that the synthetic host can take on, each by itself.
//
// They are .NET's and libgc's, which never run on the simulated machine: here they do.
#pragma once
#include "base/random.h"

namespace garner::synthetic {

struct Manners {
  bool passing_roots = false;      // roots without a slot: locals of the scanner that are gone when the report returns
  bool late_pins = false;          // a pinned object is reported unpinned first, and pinned later by whichever worker comes next
  bool ambiguous_words = false;    // pinned_interior words that may point anywhere: fillers, free regions, dead objects, nowhere
  bool shared_slots = false;       // statics are reported by every worker that gathers
  bool reentrant_hooks = false;    // drop_eagerly destroys handles in the middle of a collection
  bool preemptive_destroy = false; // a thread that nobody stops destroys handles while a collection runs
  bool tight_eden = false;         // eden ends after a few buffers, so that collections come at awkward moments
  bool slow_gather = false;        // gathering takes long enough for several workers to be asked

  static constexpr Manners all() { return {true, true, true, true, true, true, true, true}; }
  static constexpr Manners drawn(u64 seed) {
    Random random(seed ^ 0x4a117e55);
    if (random.one_in(6)) return {};
    auto flip = [&] { return random.one_in(2); };
    Manners m;
    m.passing_roots = flip();
    m.late_pins = flip();
    m.ambiguous_words = flip();
    m.shared_slots = flip();
    m.reentrant_hooks = flip();
    m.preemptive_destroy = flip();
    m.tight_eden = flip();
    m.slow_gather = random.one_in(4);
    return m;
  }
};

} // namespace garner::synthetic
