// Pauses of a .NET program measured from outside, the same way on every collector: the runtime's event pipe writes when threads are stopped
// and when they run again (environment settings only, no change to the program), and this reads the trace files.
//
// Costs the program a buffer and some twenty events per collection; without the list of methods at its end ("rundown") nothing to speak of.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "process.h"

namespace garner::tool {

// What makes every .NET process started with it write its trace into `directory`.
Environment pause_trace_settings(const std::filesystem::path& directory);

// Adds the length of every stop for a collection that the trace tells, in milliseconds. False when `bytes` is no such trace; one that was
// cut, because its program was killed, is read up to there.
bool read_pause_trace(const std::string& bytes, std::vector<double>& pauses_ms);

// All trace files of the directory. False when there is none.
bool read_pause_traces(const std::filesystem::path& directory, std::vector<double>& pauses_ms);

} // namespace garner::tool
