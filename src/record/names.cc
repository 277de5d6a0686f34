// Names of what a recording holds (format.h).
#include "record/format.h"

namespace garner::record {

const char* name_of(RootClass c) {
  static constexpr const char* kNames[] = {"stack", "stack_interior", "stack_pinned", "inside", "strong", "pinned", "async_pinned", "counted", "sized", "variable",
                                           "dependent", "weak_short", "weak_long", "weak_other", "finalizable", "ready", "dead_holder"};
  static_assert(sizeof(kNames) / sizeof(kNames[0]) == kRootClasses);
  return kNames[u32(c)];
}

} // namespace garner::record
