// The man page garner(1), in troff: commands and their options from CLI11's own data, the collector's options from the table.
#pragma once
#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace garner::tool {

std::string man_page(const CLI::App& root);

} // namespace garner::tool
