// Arguments of the programs here, read as those of the garner command are: --help is an answer, and what is wrong is one line and exit code 2.
#pragma once
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "errors.h"
#include "machine_file.h"
#include "options/parse.h"
#include "say.h"
#include "strict_json.h"

namespace garner::bench {

// Reads `app`, then runs `body`; the program's exit code. UsageError from within is such a line too.
inline int run_with(CLI::App& app, int count, char** args, const std::function<int()>& body) {
  const auto tell = [&](std::string what) {
    std::replace(what.begin(), what.end(), '\n', ' ');
    fprintf(stderr, "%s: %s\n", app.get_name().c_str(), tool::printable(what).c_str());
    return tool::kExitUsage;
  };
  const auto whole = [&](int code) { return tool::code_of_output(app.get_name().c_str(), code); };
  try {
    app.parse(count, args);
    return whole(body());
  } catch (const CLI::Success& wish) { // --help
    return whole(app.exit(wish));
  } catch (const CLI::ParseError& error) {
    return tell(std::string(error.what()) + "; --help tells more");
  } catch (const tool::UsageError& error) {
    return tell(error.what());
  }
}

// --workers N,N,…: numbers that the machine has threads for.
inline void add_workers(CLI::App& app, std::vector<u32>& workers) {
  app.add_option("--workers", workers, "Numbers of collector threads")->delimiter(',')->allow_extra_args(false)->type_name("N,N,…")->capture_default_str();
}
// Of those that were not named by anybody the ones that the machine has.
inline void check_workers(const CLI::App& app, const tool::MachineFile& file, std::vector<u32>& workers) {
  const u32 most = file.threads();
  if (app.get_option("--workers")->count() == 0) std::erase_if(workers, [&](u32 n) { return n > most; });
  for (u32 n : workers)
    if (n < 1 || n > most) throw tool::UsageError("--workers " + std::to_string(n) + ": " + file.name + " has 1 to " + std::to_string(most) + " hardware threads for them");
}

// Options that these programs decide, or that a simulation leaves out, would seem to have been tried.
inline Settings settings_of(const std::string& text) {
  Settings settings;
  if (!settings.parse(text.c_str())) throw tool::UsageError(std::string("--options: ") + settings.error());
  if (settings.illegal() != nullptr) throw tool::UsageError(std::string("--options: ") + settings.illegal()->sentence);
  if (settings.given(Opt::workers)) throw tool::UsageError("--options: workers have an argument of their own here, --workers");
  for (Opt option : {Opt::log, Opt::log_format, Opt::log_detail, Opt::limit, Opt::limit_percent, Opt::record_file})
    if (settings.given(option)) throw tool::UsageError(std::string("--options: ") + kTable[usize(option)].name + " has no effect in a simulation");
  return settings;
}

} // namespace garner::bench
