// JSON read strictly: one object at a time, every key asked for, every unknown key refused, every error one line with its key path.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/words.h"

namespace garner::tool {

using StrictJson = nlohmann::ordered_json;

// Throws UsageError "FILE: what" for text that is not JSON, or in which an object has one key twice.
StrictJson parse_strictly(const std::string& text, const std::string& file);

inline constexpr u64 kMostAccessNs = 1'000'000; // simulated clocks do not overflow
inline constexpr u64 kMostCallNs = 10'000'000;  // of a system call

// In UTF-8: whether a character begins with this byte, so that text may be cut before it.
inline bool begins_character(char c) { return (u8(c) & 0xc0) != 0x80; }
// Control characters as \n, \x1b or \u009b: what comes from a file or a command line can be said on a terminal.
std::string printable(const std::string& text);
// The same, and what is longer than 60 characters ends in an ellipsis: how an error quotes a value, a name or a key, of which a file may hold any amount.
std::string shortened(const std::string& text);
// Names as an error lists them.
std::string listed(const std::vector<std::string>& names);

class Keys {
 public:
  Keys(const StrictJson& object, std::string file, std::string path);

  bool has(const char* key) const { return object_.contains(key); }
  u64 whole(const char* key, u64 low, u64 high);
  void version(const char* key, u64 known);
  u64 picoseconds(const char* key, u64 most_ns = kMostAccessNs); // a number of nanoseconds
  u64 rate(const char* key);        // a number of 10^9 bytes per second, as picoseconds per KiB
  std::string text(const char* key, usize most = 10'000); // one line of so many characters
  std::string one_of(const char* key, const std::vector<std::string>& names, u32& number);
  Keys object(const char* key);
  // Calls fn(element, path) for each element of an array with `least` to `most` of them.
  void each(const char* key, usize least, usize most, const std::function<void(const StrictJson&, const std::string&)>& fn);
  // Calls fn(name, object) for each member, `least` to `most` of them.
  void each_member(const char* key, usize least, usize most, const std::function<void(const std::string&, Keys)>& fn);
  const StrictJson& any(const char* key);
  void done() const; // refuses what nobody asked for

  std::string path_of(const std::string& key) const { return path_.empty() ? shortened(key) : path_ + "." + shortened(key); }
  [[noreturn]] void fail(const std::string& path, const std::string& what) const;

 private:
  double number(const char* key);
  const StrictJson& object_;
  std::string file_, path_;
  std::set<std::string> asked_;
};

} // namespace garner::tool
