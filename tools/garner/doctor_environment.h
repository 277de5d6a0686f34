// What the environment says to .NET programs on the collector, judged before one runs: `garner doctor` prints it.
//
// A problem is a setting with which no program starts; the rules are the library's (host/dotnet/known_settings.h, options/parse.h) and the runtime's: numbers are
// hexadecimal, DOTNET_ wins over COMPlus_, an empty variable is none.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace garner::tool {

enum class Severity { ok, note, problem };
struct Finding {
  Severity severity;
  std::string what, text;
};

// The machine's side of the rules.
struct Surroundings {
  std::vector<std::filesystem::path> runtimes; // directories of the supported ones
  uint64_t huge_pages_free = 0;                // set aside by the system (vm.nr_hugepages), bytes
};

using Variables = std::map<std::string, std::string>;
Variables own_variables();
std::vector<Finding> findings_of(const Variables& variables, const Surroundings& around);

} // namespace garner::tool
