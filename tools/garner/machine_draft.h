// A machine file made from what a system tells: facts where there are any, guesses that scale with them elsewhere, each marked so.
#pragma once
#include "machine_facts.h"
#include "strict_json.h"

namespace garner::tool {

// The file's JSON. Distances come from the system's table (10 is 90 ns), links join nodes that no third node lies between.
StrictJson draft_machine(const MachineFacts& facts, const std::string& name);

// Replaces one value: `path` is object.key or object.member.key; the source is set with it.
void set_value(StrictJson& machine, const std::string& path, double value, const std::string& source);
double value_of(const StrictJson& machine, const std::string& path);

// The text of a machine file: one line for each node, link and row.
std::string machine_text(const StrictJson& machine);

} // namespace garner::tool
