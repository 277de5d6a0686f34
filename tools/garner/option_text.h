// The rows of the options table as words, for every format in which `garner options` prints them.
#pragma once
#include <string>
#include <vector>

#include "options/parse.h"

namespace garner::tool {

std::string type_text(OptType type);
// A value the way the collector's own parser reads it.
std::string value_text(Opt option, i64 value);
// "0 to 1024 threads", "64k to 32m", "a|b|c", "on|off", "off, stderr or a path"
std::string range_text(const OptRow& row);
std::vector<std::string> choices_of(const OptRow& row);
std::vector<std::string> words_of(const char* list); // separated by blanks
std::vector<const IllegalPair*> refusals(); // combinations that are not allowed, each sentence once
std::vector<std::string> preset_names();
// "work.sync=monitor,…": what the preset sets beyond the defaults.
std::string preset_values(const std::string& preset);

} // namespace garner::tool
