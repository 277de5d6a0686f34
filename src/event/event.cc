// The names of causes, kinds, phases and events, as logs and messages write them (event.h).
#include "event/event.h"

namespace garner {

const char* name_of(Cause cause) {
  static const char* const names[] = {"eden_full", "large_budget", "induced", "memory_limit", "low_memory", "no_gc_region", "stress", "idle", "promotion_failed", "marked", "old_growth", "no_room", "moves"};
  static_assert(sizeof names / sizeof names[0] == kCauses);
  return names[u8(cause)];
}
const char* name_of(Kind kind) {
  static const char* const names[] = {"young0", "young1", "full"};
  return names[u8(kind)];
}
const char* name_of(Phase phase) {
  static const char* const names[] = {"gather", "evacuate", "mark", "compact", "update", "clean", "verify", "weak", "cards"};
  return names[u8(phase)];
}
const char* name_of(Activity activity) {
  static const char* const names[] = {"wait", "roots", "copy", "steal", "termination"};
  return names[u8(activity)];
}
const char* name_of(SpaceKind space) {
  static const char* const names[] = {"eden", "from", "to", "old"};
  return names[u8(space)];
}
const char* name_of(HeapPart part) {
  static const char* const names[] = {"eden", "survivor", "old", "large", "pinned"};
  return names[u8(part)];
}
const char* name_of(EventId id) {
  static const char* const names[] = {"?", "heap_ready", "cycle_begin", "cycle_end", "worker_phase", "limit_changed", "notice", "out_of_memory", "phase",
                                      "node_distances", "node_bytes", "node_uses", "steals", "locality", "spans", "heap_parts"};
  return names[u16(id)];
}

} // namespace garner
