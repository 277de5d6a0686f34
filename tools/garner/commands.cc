// The application: name, version, and the list of commands.
#include "command.h"
#include "help.h"

#include <fmt/format.h>

#ifndef GARNER_VERSION
#define GARNER_VERSION "0.0"
#endif

namespace garner::tool {

CLI::Validator not_negative() {
  return CLI::Validator([](std::string& text) {
    double value = 0;
    return CLI::detail::lexical_cast(text, value) && value >= 0 ? std::string() : text + " is no number from 0 on";
  }, "");
}

void expects_program(CLI::App& app) {
  app.add_option_function<std::vector<std::string>>(
         "PROGRAM", [](const std::vector<std::string>&) {}, "The program to run and its arguments, after --")
      ->option_text("-- PROGRAM [ARGUMENTS]");
}

namespace {

// No option is asked for with an empty text: it would count as not given, or as a file without a name.
void want_values(CLI::App& app) {
  const CLI::Validator said([](std::string& text) { return text.empty() ? std::string("is empty") : std::string(); }, "");
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() > 0 && !option->get_positional()) option->check(said);
  for (CLI::App* below : app.get_subcommands({})) want_values(*below);
}

} // namespace

std::vector<Command> add_commands(CLI::App& root) {
  root.name("garner");
  root.formatter(std::make_shared<HelpFormatter>()); // commands inherit it
  root.description("Runs .NET programs on the Garner collector, watches them, and compares them with the stock collector.");
  root.set_version_flag("--version", fmt::format("garner {}", version()), "Print the version and exit");
  root.get_help_ptr()->description("Print this help and exit");
  root.require_subcommand(0, 1);
  std::vector<Command> commands = {add_run(root), add_compare(root), add_bench(root), add_marks(root), add_options(root), add_doctor(root), add_machine(root), add_record(root), add_simulate(root), add_advise(root), add_reproduce(root), add_report(root), add_top(root)};
  for (const Command& command : commands) command.app->group("Commands");
  want_values(root);
  return commands;
}

const char* version() { return GARNER_VERSION; }

} // namespace garner::tool
