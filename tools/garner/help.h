// How an option is shown in --help and in the man page: the same words, from CLI11's data.
#pragma once
#include <string>

#include <CLI/CLI.hpp>

namespace garner::tool {

std::string value_name(const CLI::Option& option);   // "FILE", "N"; empty for flags
std::string default_text(const CLI::Option& option); // "5"; empty when there is none to show
std::string usage_line(const CLI::App& command);     // "[OPTIONS] -- PROGRAM [ARGUMENTS]"

// --help with these words.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(26); }
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_usage(const CLI::App* app, std::string name) const override;
};

} // namespace garner::tool
