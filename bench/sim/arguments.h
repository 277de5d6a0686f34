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
#include "strict_json.h"

namespace garner::bench {

// Reads `app`, then runs `body`; the program's exit code. UsageError from within is such a line too.
inline int run_with(CLI::App& app, int count, char** args, const std::function<int()>& body) {
  const auto tell = [&](std::string what) {
    std::replace(what.begin(), what.end(), '\n', ' ');
    fprintf(stderr, "%s: %s\n", app.get_name().c_str(), tool::printable(what).c_str());
    return tool::kExitUsage;
  };
  try {
    app.parse(count, args);
    return body();
  } catch (const CLI::Success& wish) { // --help
    return app.exit(wish);
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

} // namespace garner::bench
