// A recording of a heap as the commands use it: read from a file as a whole, and described.
#pragma once
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "record/recording.h"

namespace garner::tool {

// UsageError "FILE: what is wrong" when it cannot be read or is no recording.
void read_heap(const std::filesystem::path& path, record::Recording& recording);
// "144,897 objects, 8.84 MB of a heap of 34.46 MB, before collection 4 (young1, eden_full)" and, where it was cut, by what.
std::string heap_line(const record::Recording& recording);
// All that the file says but the graph itself.
nlohmann::ordered_json heap_json(const record::Recording& recording);

// Objects by size and number of slots, at most so many kinds, those with the most bytes first.
nlohmann::ordered_json shapes_json(const record::Recording& recording, usize most);

} // namespace garner::tool
