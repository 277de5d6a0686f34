// The options of a command that say how Garner shall run: --option, --preset, --workers, --lib; and the GARNER string they make.
#pragma once
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace garner::tool {

struct CollectorArgs {
  std::vector<std::string> options; // "name=value", each perhaps a list
  std::string preset, library;
  int workers = -1;
};
// `option`: how a single option is given; a command that needs -o for itself has --option alone.
void add_collector_args(CLI::App& app, CollectorArgs& args, const char* option = "-o,--option");

// The log that the collector is told to write, as the merged options have it.
struct CollectorOptions {
  std::string text;              // the value for GARNER, without the log
  bool names_log = false;        // the user said where the log goes, in GARNER or --option
  std::string log = "off";       // where, then
  bool json = false;             // and in which format
};

// UsageError that begins with `where` when the collector would not take the list. Names and values only: pairs are judged when the list is whole.
void check_list(const std::string& list, const std::string& where);
// What GARNER holds already, then the command line: later items win. Everything is read the way the collector reads it, so a mistake is a
// UsageError with its sentence here, not a line of the running program.
CollectorOptions merge_options(const CollectorArgs& args, const char* existing);
// `text` with a JSON log into `path`. UsageError when the path cannot stand in an option list.
std::string with_log(const std::string& text, const std::string& path);

} // namespace garner::tool
