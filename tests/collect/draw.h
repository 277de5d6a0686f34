// Draw: the script, the options and the machine that belong to a seed.
#pragma once
#include "game.h"

namespace garner::test {

// Options: each row of the table keeps its default, takes its value for a bad mood, or any other; combinations are legal ones.
Settings draw_settings(u64 seed);
// Everything but operations and threads beyond what `real_threads` allows: sizes, manners, mixture.
Script draw_script(u64 seed, bool real_threads);
SimConfig draw_machine(u64 seed);

// The options that differ from their defaults, as the environment variable GARNER takes them; a preset by its values, not by its name.
std::string option_text(const Settings& settings);
// What was drawn, as text: these options, and the rest.
std::string describe(const Script& script);

} // namespace garner::test
