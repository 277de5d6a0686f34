// Starting one program, waiting for it, and what it cost. The process that calls this has one thread.
//
// Two ways, both with the resources of the child and of all its descendants that were waited for (wait4):
//   Group::shared  the child is as if started without us: our process group, stdin, stdout and stderr; every signal sent to us is sent on
//                  to it (not those of the terminal, which reach it by themselves). Ignored signals stay ignored.
//   Group::own     for measuring: a process group of its own, stdin is /dev/null. The whole group is killed at the time limit, when we are
//                  told to end (then Interrupted is thrown), and after the child's end, so that no helper it left behind disturbs the next run.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace garner::tool {

// Changes to the environment: a value, or none to take the variable out.
using Environment = std::map<std::string, std::optional<std::string>>;

enum class Group { shared, own };
enum class Streams { inherit, capture }; // stdout and stderr

struct Program {
  std::vector<std::string> arguments; // the first is looked up in PATH
  Environment environment;
  std::string directory; // empty: this one
  Group group = Group::own;
  Streams streams = Streams::inherit;
  double time_limit_s = 0;        // 0: none
  std::function<void()> each_second; // called about once a second while waiting, when set
};

struct Finished {
  int exit_code = 0; // of the child, or 128 + signal
  int signal = 0;    // that ended it
  bool timed_out = false;
  int start_error = 0; // errno of the exec that failed; nothing else is meaningful then
  double wall_s = 0, user_s = 0, system_s = 0;
  uint64_t peak_bytes = 0; // of the largest process, or of this command when it made that one: the system counts what a process was before it became another program
  uint64_t own_bytes = 0;  // of this command then
  std::string output, errors; // where captured

  double cpu_s() const { return user_s + system_s; }
  bool peak_is_ours() const { return peak_bytes < own_bytes + (1 << 20); } // so nothing is known of the program's
  bool good() const { return start_error == 0 && exit_code == 0 && !timed_out; }
  // Why it is not good, in a few words: "exit code 3", "killed by signal 11 (Segmentation fault)", …
  std::string trouble() const;
};

// std::runtime_error when the system refuses to make a process at all.
Finished run_program(const Program& program);
// NotStarted where there was no such program, or none that can run.
void want_started(const Finished& end, const std::string& program);
// What a command prints; empty when it cannot be started or fails.
std::string captured(const std::vector<std::string>& command);

} // namespace garner::tool
