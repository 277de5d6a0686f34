#include "strict_json.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "errors.h"
#include "machine/sim/shape.h"

namespace garner::tool {

namespace {

constexpr double kMostGb = 1e5, kLeastGb = 1e-3;
constexpr int kDeepest = 64; // lists and objects in each other: the library copies what is read by recursion, of which a file must not decide the depth
constexpr usize kQuotedMost = 60;

std::string kind_of(const StrictJson& value) { return value.is_number() ? value.dump() : value.is_string() ? "text" : value.is_null() ? "null" : value.type_name(); }


// What the parser says, with its quotation of the file, "last read: '…'" or "parsing '…'", shortened.
std::string parser_line(std::string what) {
  if (const usize end = what.find("] "); what.rfind("[json", 0) == 0 && end != std::string::npos) what.erase(0, end + 2);
  for (char& c : what)
    if (c == '\n' || c == '\r') c = ' ';
  const usize open = what.find('\''), expects = what.rfind("'; expected"), close = expects != std::string::npos && expects > open ? expects : what.rfind('\'');
  if (open == std::string::npos || close == open) return what;
  return what.substr(0, open + 1) + shortened(what.substr(open + 1, close - open - 1)) + what.substr(close);
}

} // namespace

std::string printable(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    const u8 c = u8(text[i]), next = i + 1 < text.size() ? u8(text[i + 1]) : 0;
    if (c == '\n') out += "\\n";
    else if (c < 0x20 || c == 0x7f) out += fmt::format("\\x{:02x}", c);
    else if (c == 0xc2 && next >= 0x80 && next < 0xa0) out += fmt::format("\\u{:04x}", next), i++;
    else out += text[i];
  }
  return out;
}

std::string shortened(const std::string& text) {
  const std::string whole = printable(text);
  usize at = 0, characters = 0;
  for (; at < whole.size(); at++)
    if (begins_character(whole[at]) && characters++ == kQuotedMost) break;
  return at == whole.size() ? whole : whole.substr(0, at) + "…";
}

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + shortened(name);
  return all;
}

StrictJson parse_strictly(const std::string& text, const std::string& file) {
  std::vector<std::set<std::string>> open;
  std::string twice;
  auto watch = [&](int depth, StrictJson::parse_event_t event, StrictJson& parsed) {
    using Event = StrictJson::parse_event_t;
    if (depth >= kDeepest && (event == Event::array_start || event == Event::object_start)) throw UsageError(printable(fmt::format("{}: more than {} lists and objects lie in each other", file, kDeepest)));
    if (event == Event::object_start) open.emplace_back();
    if (event == Event::object_end) open.pop_back();
    if (event == Event::key && !open.back().insert(parsed.get<std::string>()).second && twice.empty()) twice = parsed.get<std::string>();
    return true;
  };
  StrictJson all;
  try {
    all = StrictJson::parse(text, watch);
  } catch (const StrictJson::exception& error) {
    throw UsageError(printable(fmt::format("{}: not JSON: {}", file, parser_line(error.what()))));
  }
  if (!twice.empty()) throw UsageError(printable(fmt::format("{}: {}: stands twice in one object", file, shortened(twice))));
  return all;
}

Keys::Keys(const StrictJson& object, std::string file, std::string path) : object_(object), file_(std::move(file)), path_(std::move(path)) {
  if (!object_.is_object()) fail(path_, fmt::format("must be an object, not {}", kind_of(object_)));
}

void Keys::fail(const std::string& path, const std::string& what) const {
  throw UsageError(printable(path.empty() ? fmt::format("{}: {}", file_, what) : fmt::format("{}: {}: {}", file_, path, what)));
}

const StrictJson& Keys::any(const char* key) {
  asked_.insert(key);
  auto at = object_.find(key);
  if (at == object_.end()) fail(path_of(key), "is missing");
  return *at;
}

double Keys::number(const char* key) {
  const StrictJson& value = any(key);
  if (!value.is_number()) fail(path_of(key), fmt::format("must be a number, not {}", kind_of(value)));
  const double found = value.get<double>();
  if (!std::isfinite(found)) fail(path_of(key), "must be a finite number");
  return found;
}

u64 Keys::whole(const char* key, u64 low, u64 high) {
  const StrictJson& value = any(key);
  const bool fits = value.is_number_unsigned() && value.get<u64>() >= low && value.get<u64>() <= high;
  if (!fits) fail(path_of(key), fmt::format("must be a whole number from {} to {}, not {}", low, high, kind_of(value)));
  return value.get<u64>();
}

void Keys::version(const char* key, u64 known) {
  const StrictJson& value = any(key);
  if (!value.is_number_unsigned() || value.get<u64>() != known) fail(path_of(key), fmt::format("this program reads version {}, not {}", known, kind_of(value)));
}

u64 Keys::picoseconds(const char* key, u64 most_ns) {
  const double ns = number(key);
  if (ns < 0 || ns > double(most_ns)) fail(path_of(key), fmt::format("must be from 0 to {} nanoseconds, not {}", most_ns, kind_of(any(key))));
  return u64(std::llround(ns * 1000));
}

u64 Keys::rate(const char* key) {
  const double gb = number(key);
  if (gb < kLeastGb || gb > kMostGb) fail(path_of(key), fmt::format("must be from {} to {:.0f} GB/s, not {}", kLeastGb, kMostGb, kind_of(any(key))));
  return sim::rate_of(u64(std::llround(gb * 1000)));
}

std::string Keys::text(const char* key, usize most) {
  const StrictJson& value = any(key);
  if (!value.is_string()) fail(path_of(key), fmt::format("must be text, not {}", kind_of(value)));
  const std::string found = value.get<std::string>();
  if (printable(found) != found) fail(path_of(key), "must be one line of printable text");
  const usize characters = usize(std::count_if(found.begin(), found.end(), begins_character));
  if (characters > most) fail(path_of(key), fmt::format("must have at most {} characters, not {}", most, characters));
  return found;
}

std::string Keys::one_of(const char* key, const std::vector<std::string>& names, u32& number_of) {
  const std::string found = text(key);
  for (number_of = 0; number_of < names.size(); number_of++)
    if (names[number_of] == found) return found;
  fail(path_of(key), fmt::format("'{}' is none of: {}", shortened(found), listed(names)));
}

Keys Keys::object(const char* key) { return Keys(any(key), file_, path_of(key)); }

void Keys::each(const char* key, usize least, usize most, const std::function<void(const StrictJson&, const std::string&)>& fn) {
  const StrictJson& list = any(key);
  if (!list.is_array()) fail(path_of(key), fmt::format("must be a list, not {}", kind_of(list)));
  if (list.size() < least || list.size() > most)
    fail(path_of(key), least == most ? fmt::format("must have {} entries, not {}", least, list.size()) : fmt::format("must have {} to {} entries, not {}", least, most, list.size()));
  for (usize i = 0; i < list.size(); i++) fn(list[i], fmt::format("{}[{}]", path_of(key), i));
}

void Keys::each_member(const char* key, usize least, usize most, const std::function<void(const std::string&, Keys)>& fn) {
  const StrictJson& members = any(key);
  if (!members.is_object()) fail(path_of(key), fmt::format("must be an object, not {}", kind_of(members)));
  if (members.size() < least || members.size() > most) fail(path_of(key), fmt::format("must have {} to {} members, not {}", least, most, members.size()));
  for (const auto& [name, value] : members.items())
    if (printable(name) != name || name.size() > 100) fail(path_of(key), "a name must be one line of printable text, at most 100 bytes");
  for (const auto& [name, value] : members.items()) fn(name, Keys(value, file_, path_of(key) + "." + shortened(name)));
}

void Keys::done() const {
  for (const auto& [name, value] : object_.items())
    if (asked_.count(name) == 0) fail(path_of(name), "is no key of a machine file");
}

} // namespace garner::tool
