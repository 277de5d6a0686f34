// A workload's parameter file, NAME.bench: what to build, what to prepare, what to run, what to compare, in three sizes.
// The format is described in bench/dotnet/README.md.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace garner::tool {

enum class ResultKind { json, files };

struct Workload {
  std::string name, stresses;
  std::string project;              // directory beside the file that is built first; empty: none
  std::vector<std::string> prepare; // commands run once, in the working directory
  std::string command;              // the measured one, likewise
  ResultKind result = ResultKind::json;
  std::vector<std::string> compare; // keys of the JSON line, or patterns of files
  bool paced = false;               // a schedule sets how long it runs: its time says nothing
  std::map<std::string, std::string> parameters; // by size
  std::map<std::string, double> least_mb; // by size: the minimum heap as it was found once, where a search begins
};

// UsageError "FILE:LINE: …" when the text is not of the format.
Workload parse_bench_file(const std::string& text, const std::string& file);

// The words of a line, split at blanks; there is no quoting.
std::vector<std::string> split_words(const std::string& line);
// The words of `command` with {name} replaced; "{parameters}", where it is a word of its own, by all of its words.
// UsageError when a name is unknown.
std::vector<std::string> expand(const std::string& command, const std::map<std::string, std::string>& names);

} // namespace garner::tool
