// What debuggers and writers of crash dumps are told: they look up the globals of the runtime's own collector through these pointers.
//
// Some of their code follows the pointers unasked (createdump dies of a null one, readers of dumps of a null one behind it), so all of them
// lead somewhere: to zeros, which say "no heaps, no objects", and to a flag that says the collector's structures cannot be walked. Stacks, threads, types and exceptions of a
// dump can be read; commands that walk the heap find none.
#pragma once
#include "host/dotnet/clr_types.h"

namespace garner::dotnet {

// Once, before the runtime uses the heap. Leaves what the runtime wrote (the versions) as it is.
void describe_to_debuggers(clr::GcDacVars& vars);

} // namespace garner::dotnet
