// `garner`: dispatch only. Everything before the first "--" is ours and read by CLI11; everything after it is the program to run, untouched.
#include <csignal>
#include <cstdio>
#include <new>

#include <fmt/format.h>

#include "command.h"
#include "say.h"
#include "strict_json.h"

namespace garner::tool {
namespace {

constexpr const char* kProgramOption = "PROGRAM";

// What is wrong may name what came from the command line or a file: it stays one line of printable text.
int tell(const std::string& what, int code) {
  say_err("garner: {}\n", printable(what));
  return code;
}

int die_by(int signal) {
  ::signal(signal, SIG_DFL);
  raise(signal);
  return 128 + signal;
}

int dispatch(const std::vector<Command>& commands, const Invocation& invocation) {
  for (const Command& command : commands) {
    if (!command.app->parsed()) continue;
    CLI::Option* program = command.app->get_option_no_throw(kProgramOption);
    bool takes = program != nullptr;
    if (takes && program->count() > 0)
      throw UsageError(
          fmt::format("the program to run stands after --: garner {} [OPTIONS] -- {} …", command.app->get_name(), program->as<std::vector<std::string>>()[0]));
    if (takes && invocation.program.empty())
      throw UsageError(fmt::format("no program to run: garner {} [OPTIONS] -- PROGRAM [ARGUMENTS]", command.app->get_name()));
    if (!takes && !invocation.program.empty()) throw UsageError(fmt::format("'{}' runs no program, so nothing can stand after --", command.app->get_name()));
    return command.run(invocation);
  }
  std::fputs(invocation.root->help().c_str(), stderr);
  return kExitUsage;
}

// CLI11 says of a word that is no command only that one is needed.
void want_command(const CLI::App& root, const std::string& word) {
  if (!word.empty() && word[0] != '-' && root.get_subcommands([&](const CLI::App* command) { return command->check_name(word); }).empty()) throw UsageError(fmt::format("no command '{}'; garner --help lists them", word));
}

// "help" is --help, and "help run" is "run --help".
void ask_for_help(int arguments, char** argv) {
  static char asked[] = "--help";
  for (int i = 1; i + 1 < arguments; i++) argv[i] = argv[i + 1];
  argv[arguments - 1] = asked;
}

int run(int argc, char** argv) {
  Invocation invocation;
  int own = 1;
  while (own < argc && std::string_view(argv[own]) != "--") own++;
  if (own < argc) invocation.program.assign(argv + own + 1, argv + argc);

  CLI::App root;
  std::vector<Command> commands = add_commands(root);
  invocation.root = &root;
  try {
    if (own > 1 && std::string_view(argv[1]) == "help") ask_for_help(own, argv);
    want_command(root, own > 1 ? argv[1] : "");
    root.parse(own, argv);
    return dispatch(commands, invocation);
  } catch (const CLI::Success& wish) { // --help, --version
    return root.exit(wish);
  } catch (const CLI::ParseError& error) {
    std::string text = error.what();
    for (char& c : text)
      if (c == '\n') c = ' ';
    return tell(text + "; --help tells more", kExitUsage);
  } catch (const UsageError& error) {
    return tell(error.what(), kExitUsage);
  } catch (const NotStarted& error) {
    return tell(error.what(), error.code);
  } catch (const Interrupted& by) {
    return die_by(by.signal);
  } catch (const std::bad_alloc&) {
    return tell("out of memory", kExitFailed);
  } catch (const std::exception& error) {
    return tell(error.what(), kExitFailed);
  }
}

} // namespace
} // namespace garner::tool

// What run() itself does not catch: before its try, and in its handlers.
int main(int argc, char** argv) {
  try {
    return garner::tool::code_of_output("garner", garner::tool::run(argc, argv));
  } catch (const std::bad_alloc&) {
    std::fputs("garner: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "garner: %s\n", error.what());
  }
  return garner::tool::kExitFailed;
}
