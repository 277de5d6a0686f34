#include "doctor_environment.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "host/dotnet/known_settings.h"
#include "options/parse.h"
#include "probes.h"
#include "strict_json.h"
#include "table.h"

extern char** environ;

namespace garner::tool {
namespace {

namespace fs = std::filesystem;
constexpr const char* kPrefixes[] = {"DOTNET_", "COMPlus_"}; // the first that has a setting counts
constexpr const char* kNothingStarts = "no .NET program starts";
constexpr const char* kNoNumber = ": no hexadecimal number, the runtime does not read it";

// Judges one environment; findings in the order in which they are made.
class Judge {
 public:
  Judge(const Variables& variables, const Surroundings& around) : variables_(variables), around_(around) {}
  std::vector<Finding> all();

  void path(const std::string& name, const std::string& value);
  void collector_name(const std::string& name, const std::string& value);
  void affinity(const std::string& name, const std::string& value);
  void hard_limit(const std::string& name, const std::string& value);
  void large_pages(const std::string& name, const std::string& value);
  void nothing(const std::string&, const std::string&) {} // told of elsewhere

 private:
  void say(Severity severity, const std::string& what, const std::string& text) { findings_.push_back({severity, what, text}); }
  void in_force(const std::string& name, const std::string& value) { say(Severity::note, name, printable(value) + " is in force"); }
  void options();
  void options_of(const std::string& name, const std::string& value);
  void log_place(const std::string& name);
  void stock(const std::string& name, const std::string& bare, const std::string& value);
  const std::string* find(const std::string& bare) const;
  uint64_t number(const std::string& bare) const;
  bool limited() const;

  const Variables& variables_;
  const Surroundings& around_;
  Settings settings_; // as the library reads them: the runtime's property, then GARNER
  bool good_ = true;  // both could be read
  std::vector<Finding> findings_;
};

// Settings of the runtime's about which more is known than that they are in force. Those without effect stand in known_settings.h.
struct Known { std::string_view bare; void (Judge::*judge)(const std::string& name, const std::string& value); };
constexpr Known kKnown[] = {
  {"GCPath", &Judge::path}, {"GCName", &Judge::collector_name}, {"GCGarner", &Judge::nothing}, {"GCHeapAffinitizeRanges", &Judge::affinity}, {"GCLargePages", &Judge::large_pages},
  {"GCHeapHardLimit", &Judge::hard_limit}, {"GCHeapHardLimitSOH", &Judge::hard_limit}, {"GCHeapHardLimitLOH", &Judge::hard_limit}, {"GCHeapHardLimitPOH", &Judge::hard_limit},
};

template <class List> bool names(const List& list, const std::string& bare) {
  return std::any_of(std::begin(list), std::end(list), [&](const char* each) { return bare == each; });
}

// As the runtime reads numbers: hexadecimal, with 0x or without.
std::optional<uint64_t> hex_number(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const uint64_t value = std::strtoull(text.c_str(), &end, 16);
  if (end == text.c_str() || errno == ERANGE) return {};
  return value;
}

const std::string* Judge::find(const std::string& bare) const {
  for (const char* prefix : kPrefixes)
    if (const auto at = variables_.find(prefix + bare); at != variables_.end() && !at->second.empty()) return &at->second;
  return nullptr;
}

uint64_t Judge::number(const std::string& bare) const {
  const std::string* text = find(bare);
  return text == nullptr ? 0 : hex_number(*text).value_or(0);
}

// Whether options or settings give the heap a limit, whatever it is.
bool Judge::limited() const {
  if (settings_.get(Opt::limit) != 0 || settings_.get(Opt::limit_percent) != 0) return true;
  for (const char* part : {"", "SOH", "LOH", "POH"})
    for (const char* form : {"", "Percent"})
      if (number(std::string("GCHeapHardLimit") + part + form) != 0) return true;
  return false;
}

void Judge::path(const std::string& name, const std::string& value) {
  const auto refuse = [&](const std::string& why) { say(Severity::problem, name, fmt::format("{}: {}; {}", printable(value), why, kNothingStarts)); };
  if (value.find('/') == std::string::npos) return refuse("a bare name, where a path is needed (an absolute one; DOTNET_GCName takes a bare name)");
  std::error_code error;
  if (!fs::is_regular_file(value, error)) return refuse("no such file");
  const Answer answer = try_library(value);
  std::string why = answer.text;
  if (why.rfind(value + ": ", 0) == 0) why.erase(0, value.size() + 2);
  if (!answer.good) return refuse("no collector: " + why);
  say(Severity::note, name, fmt::format("{}: every .NET program here runs on it", printable(value)));
}

void Judge::collector_name(const std::string& name, const std::string& value) {
  if (find("GCPath") != nullptr) return say(Severity::note, name, printable(value) + ": without effect, the path wins");
  if (value.find('/') != std::string::npos) return say(Severity::problem, name, fmt::format("{}: must be a bare file name; the runtime dies on a path (DOTNET_GCPath takes one)", printable(value)));
  std::error_code error;
  for (const fs::path& runtime : around_.runtimes)
    if (fs::exists(runtime / value, error)) return in_force(name, value);
  const std::string where = around_.runtimes.empty() ? "" : " (" + around_.runtimes.front().string() + ")";
  say(Severity::problem, name, fmt::format("{}: not beside the runtime{}; a program without a file of that name beside itself does not start", printable(value), where));
}

void Judge::affinity(const std::string& name, const std::string& value) {
  u64 processors[16] = {};
  if (dotnet::parse_processors(value.c_str(), processors)) return in_force(name, value);
  if (number("gcServer") != 0) return say(Severity::problem, name, fmt::format("{}: {}; {}", printable(value), dotnet::kRangesMalformed, kNothingStarts));
  say(Severity::note, name, fmt::format("{}: {}; it is ignored, but where a program asks for gcServer it does not start", printable(value), dotnet::kRangesMalformed));
}

// Of SOH, LOH and POH the sum counts, and takes the place of the whole; of our own options that is true of all.
void Judge::hard_limit(const std::string& name, const std::string& value) {
  const uint64_t parts = number("GCHeapHardLimitSOH") + number("GCHeapHardLimitLOH") + number("GCHeapHardLimitPOH");
  const bool whole = name.ends_with("GCHeapHardLimit");
  if (settings_.get(Opt::limit) != 0 || settings_.get(Opt::limit_percent) != 0 || (whole && parts != 0)) return say(Severity::note, name, printable(value) + ": without effect, another limit wins");
  const uint64_t limit = whole ? number("GCHeapHardLimit") : parts;
  if (limit != 0 && limit < dotnet::kLeastLimit)
    return say(Severity::problem, name, fmt::format("{}: {} bytes, as the runtime reads it (hexadecimal); a limit below 4 MB is too small for .NET, {}", printable(value), limit, kNothingStarts));
  if (!hex_number(value)) return say(Severity::note, name, printable(value) + kNoNumber);
  say(Severity::note, name, fmt::format("{} is in force: {} MB", printable(value), megabytes_text(double(limit))));
}

void Judge::large_pages(const std::string& name, const std::string& value) {
  if (number("GCLargePages") == 0) return in_force(name, value);
  if (!limited()) return say(Severity::problem, name, fmt::format("{}: needs a limit (DOTNET_GCHeapHardLimit): its pages are taken at start; {}", printable(value), kNothingStarts));
  const uint64_t limit = settings_.get(Opt::limit) != 0 ? uint64_t(settings_.get(Opt::limit)) : number("GCHeapHardLimit");
  if (limit > around_.huge_pages_free)
    return say(Severity::problem, name, fmt::format("{}: the limit needs {} pages of 2 MB, and the system has set {} aside (vm.nr_hugepages); {}", printable(value), (limit + 2 * MiB - 1) / (2 * MiB),
                                                   around_.huge_pages_free / (2 * MiB), kNothingStarts));
  in_force(name, value);
}

void Judge::options_of(const std::string& name, const std::string& value) {
  if (settings_.parse(value.c_str())) return say(name == "GARNER" ? Severity::ok : Severity::note, name, value.empty() ? "empty" : printable(value) + (name == "GARNER" ? "" : " is in force"));
  good_ = false;
  say(Severity::problem, name, fmt::format("{}; {}", settings_.error(), kNothingStarts));
}

// A log that cannot be written does not keep a program from running.
void Judge::log_place(const std::string& name) {
  const std::string log = settings_.log_path();
  if (log == "off" || log == "stderr" || log.empty()) return;
  const fs::path file = log, directory = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  const bool there = fs::exists(file, error);
  if (access(there ? file.c_str() : directory.c_str(), there ? W_OK : W_OK | X_OK) == 0 && !fs::is_directory(file, error)) return;
  say(Severity::note, name, fmt::format("the log {} cannot be written: {}; programs run without one", printable(log), fs::is_directory(file, error) ? "a directory" : std::strerror(errno)));
}

void Judge::options() {
  std::string last = "GARNER";
  for (const char* prefix : kPrefixes)
    if (const auto at = variables_.find(std::string(prefix) + "GCGarner"); at != variables_.end() && &at->second == find("GCGarner")) options_of(last = at->first, at->second);
  const auto own = variables_.find("GARNER");
  if (own == variables_.end()) say(Severity::ok, "GARNER", "not set: the defaults are in force");
  else if (good_) options_of(last = "GARNER", own->second); // else the library does not come to it
  if (!good_) return;
  if (const IllegalPair* pair = settings_.illegal()) return say(Severity::problem, last, fmt::format("{}; {}", pair->sentence, kNothingStarts));
  if (const int64_t limit = settings_.get(Opt::limit); limit != 0 && uint64_t(limit) < dotnet::kLeastLimit)
    say(Severity::problem, last, fmt::format("heap.limit: a limit below 4 MB is too small for .NET; {}", kNothingStarts));
  log_place(last);
}

void Judge::stock(const std::string& name, const std::string& bare, const std::string& value) {
  if (value.empty()) return say(Severity::note, name, "empty: as if it were not set");
  if (&value != find(bare)) return say(Severity::note, name, printable(value) + ": without effect, DOTNET_" + bare + " wins");
  for (const Known& known : kKnown)
    if (known.bare == bare) return (this->*known.judge)(name, value);
  const bool ignored = std::any_of(std::begin(dotnet::kIgnored), std::end(dotnet::kIgnored), [&](const dotnet::Ignored& each) { return each.private_key == bare; });
  if (ignored || names(dotnet::kNotHere, bare)) return say(Severity::note, name, printable(value) + ": without effect on this collector");
  const auto bounded = std::find_if(std::begin(dotnet::kBounded), std::end(dotnet::kBounded), [&](const dotnet::Bounded* each) { return bare == each->private_key; });
  if (bounded == std::end(dotnet::kBounded) && !names(dotnet::kRead, bare)) return say(Severity::note, name, printable(value) + ": no setting that this collector knows");
  const std::optional<uint64_t> number = hex_number(value);
  if (!number) return say(Severity::note, name, printable(value) + kNoNumber);
  if (bounded != std::end(dotnet::kBounded) && *number != 0 && !dotnet::within(**bounded, i64(*number)))
    return say(Severity::note, name, fmt::format("{}: {}, as the runtime reads it (hexadecimal), {}", printable(value), *number, (*bounded)->why));
  in_force(name, value);
}

std::vector<Finding> Judge::all() {
  options();
  for (const auto& [name, value] : variables_)
    for (const char* prefix : kPrefixes)
      if (name.starts_with(prefix)) {
        const std::string bare = name.substr(std::strlen(prefix));
        if (bare.starts_with("GC") || bare.starts_with("gc") || bare == "HeapVerify") stock(name, bare, value);
      }
  if (const auto at = variables_.find("CORECLR_ENABLE_PROFILING"); at != variables_.end() && at->second == "1") say(Severity::note, at->first, fmt::format("1: {}", dotnet::kOfProfilers));
  return std::move(findings_);
}

} // namespace

Variables own_variables() {
  Variables all;
  for (char** entry = environ; *entry != nullptr; entry++)
    if (const char* equals = std::strchr(*entry, '='); equals != nullptr) all.emplace(std::string(*entry, size_t(equals - *entry)), equals + 1); // of two the first counts, as for getenv
  return all;
}

std::vector<Finding> findings_of(const Variables& variables, const Surroundings& around) { return Judge(variables, around).all(); }

} // namespace garner::tool
