// What the figures of one machine say of each other, whoever measured them: a core's own cache answers no later than the shared one, that no later than
// memory or a core beside it, near memory no later than far, and no memory takes writes faster than it gives reads.
//
// Whatever disturbs a measurement makes a time longer, never shorter. So of two times that contradict each other the one that should be shorter was disturbed, and
// put_in_order() gives it the other's value: the most that it can be. A rate of reading may have been disturbed, and one of writing may be that of caches, which
// short rounds write to instead of memory: a rate of writing gets that of reading.
#pragma once
#include <string>
#include <vector>

#include "strict_json.h"

namespace garner::tool {

struct BrokenOrder {
  std::string better, than; // paths of values in a machine file: `better` should be no worse, and is
};
// Of a drafted file (machine_draft.h), those orders that its values break; empty when there is no contradiction.
std::vector<BrokenOrder> broken_orders(const StrictJson& machine);

// Makes the values of a drafted file keep to them, and their sources tell so. Where the other figure is a guess and this one was measured, the guess gives way.
// One sentence for each value that changed.
std::vector<std::string> put_in_order(StrictJson& machine);

} // namespace garner::tool
