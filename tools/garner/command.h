// What a command of `garner` is: a function that declares its options on the CLI11 application and returns what runs it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "errors.h"

namespace garner::tool {

// What stood after "--" on the command line: the program to run and its arguments.
struct Invocation {
  std::vector<std::string> program;
  const CLI::App* root = nullptr; // all commands and their options, for the man page
};

struct Command {
  CLI::App* app;
  std::function<int(const Invocation&)> run; // the exit code
};

Command add_run(CLI::App& root);
Command add_compare(CLI::App& root);
Command add_bench(CLI::App& root);
Command add_marks(CLI::App& root);
Command add_options(CLI::App& root);
Command add_doctor(CLI::App& root);
Command add_machine(CLI::App& root);
Command add_record(CLI::App& root);
Command add_simulate(CLI::App& root);
Command add_advise(CLI::App& root);
Command add_reproduce(CLI::App& root);
Command add_report(CLI::App& root);
Command add_top(CLI::App& root);

const char* version(); // "0.9", of the command
// A number from 0 on. CLI11's own says in its error how large a number may be, in 300 digits.
CLI::Validator not_negative();
// Declares that a command takes a program after "--".
void expects_program(CLI::App& app);
// The application with all commands, as main and the man page see it.
std::vector<Command> add_commands(CLI::App& root);

} // namespace garner::tool
