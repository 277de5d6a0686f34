// JSON as text, of values that hold what programs print and are called: bytes that are no UTF-8, which JSON must be, become U+FFFD instead of an exception behind hours of work.
#pragma once
#include <string>

namespace garner::tool {

// indent: spaces for each level; negative: all on one line. Json: of nlohmann.
template <class Json> std::string json_text(const Json& value, int indent = -1) { return value.dump(indent, ' ', false, Json::error_handler_t::replace); }

} // namespace garner::tool
