// How a command fails. UsageError is bad input (one line on stderr, exit code 2); any other std::exception is a failure (one line, exit code
// 1); NotStarted is one line and the code that a shell gives; Interrupted ends the process by the signal it names, after its child is gone and temporary files are removed.
#pragma once
#include <stdexcept>

namespace garner::tool {

inline constexpr int kExitFailed = 1, kExitUsage = 2, kExitCannotRun = 126, kExitNotFound = 127;

struct UsageError : std::runtime_error {
  using runtime_error::runtime_error;
};
struct NotStarted : std::runtime_error {
  NotStarted(const std::string& what, int its_code) : runtime_error(what), code(its_code) {}
  int code;
};
struct Interrupted {
  int signal;
};

} // namespace garner::tool
