// The names of the roles of regions, for messages (region.h).
#include "heap/region.h"

namespace garner {
const char* name_of(Role role) {
  static const char* const names[] = {"free", "eden", "survivor", "old", "large", "large tail", "pinned"};
  return names[u8(role)];
}
} // namespace garner
