// The parent's side of a child, with every signal of interest blocked and taken by sigtimedwait: no handlers, no races between a signal and
// the wait. The child restores mask and dispositions, so it starts as our own caller started us.
#include "process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "errors.h"
#include "paths.h"

extern char** environ;

namespace garner::tool {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// What our caller had set for the two signals whose disposition we change; children get it back.
struct CallersDispositions {
  struct sigaction child = {}, pipe = {};
  CallersDispositions() {
    sigaction(SIGCHLD, nullptr, &child);
    sigaction(SIGPIPE, nullptr, &pipe);
  }
};

// Blocks all signals that can be passed on, and SIGCHLD. SIGPIPE is ignored from the first child on: telling the result to nobody must not
// end us before the exit code.
class SignalGate {
 public:
  SignalGate() {
    static const CallersDispositions before;
    callers_ = &before;
    sigfillset(&taken_);
    for (int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT, SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE, SIGKILL, SIGSTOP})
      sigdelset(&taken_, fault);
    for (int signal = 1; signal < NSIG; signal++) {
      struct sigaction now = {};
      if (sigismember(&taken_, signal) == 1 && sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN && signal != SIGCHLD)
        sigdelset(&taken_, signal);
    }
    struct sigaction action = {};
    action.sa_handler = SIG_DFL; // where SIGCHLD is ignored, the kernel reaps the child and its figures are lost
    sigaction(SIGCHLD, &action, nullptr);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, nullptr);
    sigprocmask(SIG_BLOCK, &taken_, &mask_before_);
  }
  ~SignalGate() { sigprocmask(SIG_SETMASK, &mask_before_, nullptr); }
  SignalGate(const SignalGate&) = delete;
  SignalGate& operator=(const SignalGate&) = delete;

  // In the child: all as our caller had it.
  void restore() const {
    sigaction(SIGCHLD, &callers_->child, nullptr);
    sigaction(SIGPIPE, &callers_->pipe, nullptr);
    sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  // The next signal, or 0 after `seconds`.
  int next(double seconds, siginfo_t& info) const {
    timespec limit = {time_t(seconds), long((seconds - double(time_t(seconds))) * 1e9)};
    int signal = sigtimedwait(&taken_, &info, &limit);
    return signal > 0 ? signal : 0;
  }

 private:
  sigset_t taken_, mask_before_;
  const CallersDispositions* callers_;
};

// A file in memory that a child writes into: no directory is needed for it. A pipe would have to be emptied, and stays open as long as anybody holds it.
class Captured {
 public:
  Captured() : fd_(memfd_create("garner-output", MFD_CLOEXEC)) {
    if (fd_ < 0) throw std::runtime_error(fmt::format("no memory for what the program prints: {}", std::strerror(errno)));
  }
  ~Captured() { close(fd_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  int fd() const { return fd_; }
  std::string text() const {
    std::string all;
    char block[65536];
    off_t at = 0;
    for (ssize_t n; (n = pread(fd(), block, sizeof block, at)) > 0; at += n) all.append(block, size_t(n));
    return all;
  }

 private:
  int fd_;
};

std::vector<std::string> merged_environment(const Environment& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; entry++) {
    const char* equals = std::strchr(*entry, '=');
    if (equals == nullptr || changes.find(std::string(*entry, size_t(equals - *entry))) == changes.end()) all.emplace_back(*entry);
  }
  for (const auto& [name, value] : changes)
    if (value) all.push_back(name + "=" + *value);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (std::string& s : strings) all.push_back(s.data());
  all.push_back(nullptr);
  return all;
}

// Everything the child needs, made before the fork: after it only system calls are made.
struct Start {
  std::vector<std::string> argument_text, environment_text;
  std::vector<char*> arguments, environment;
  int failure_pipe[2] = {-1, -1};
  int out = -1, err = -1;

  explicit Start(const Program& program) : argument_text(program.arguments), environment_text(merged_environment(program.environment)) {
    arguments = pointers(argument_text);
    environment = pointers(environment_text);
    if (pipe2(failure_pipe, O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("no pipe: {}", std::strerror(errno)));
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;
  ~Start() {
    for (int fd : failure_pipe)
      if (fd >= 0) close(fd);
  }
  void close_write_end() {
    close(failure_pipe[1]);
    failure_pipe[1] = -1;
  }
};

[[noreturn]] void become(const Program& program, Start& start, const SignalGate& gate, pid_t parent) {
  if (program.group == Group::own) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kExitFailed);
    int none = open("/dev/null", O_RDONLY);
    if (none >= 0) dup2(none, 0);
    if (none > 2) close(none);
  }
  if (start.out >= 0) dup2(start.out, 1);
  if (start.err >= 0) dup2(start.err, 2);
  if (program.directory.empty() || chdir(program.directory.c_str()) == 0) {
    gate.restore();
    execvpe(start.arguments[0], start.arguments.data(), start.environment.data());
  }
  int error = errno;
  ssize_t told = write(start.failure_pipe[1], &error, sizeof error);
  _exit(told == sizeof error ? kExitNotFound : kExitFailed);
}

uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t size = 0, resident = 0;
  return file >> size >> resident ? resident * uint64_t(sysconf(_SC_PAGESIZE)) : 0;
}

class Wait {
 public:
  Wait(const Program& program, const SignalGate& gate, pid_t child) : program_(program), gate_(gate), child_(child) {}

  Finished until_end() {
    Finished result;
    while (!ended()) step(result);
    result.wall_s = seconds_since(start_);
    if (program_.group == Group::own) {
      take_late();
      kill(-child_, SIGKILL); // before it is reaped: its number is still its own
    }
    rusage use = {};
    int status = 0;
    while (wait4(child_, &status, 0, &use) < 0 && errno == EINTR) {}
    result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    result.exit_code = WIFSIGNALED(status) ? 128 + result.signal : WEXITSTATUS(status);
    result.user_s = double(use.ru_utime.tv_sec) + double(use.ru_utime.tv_usec) / 1e6;
    result.system_s = double(use.ru_stime.tv_sec) + double(use.ru_stime.tv_usec) / 1e6;
    result.peak_bytes = uint64_t(use.ru_maxrss) * 1024;
    if (interrupted_ != 0) throw Interrupted{interrupted_};
    return result;
  }

 private:
  bool ended() const {
    siginfo_t info = {};
    return waitid(P_PID, id_t(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child_;
  }

  void step(Finished& result) {
    double limit = program_.time_limit_s, passed = seconds_since(start_);
    if (limit > 0 && passed >= limit && !result.timed_out) {
      result.timed_out = true;
      kill_all();
    }
    double nap = program_.each_second ? 1 : 3600;
    if (limit > 0 && !result.timed_out) nap = std::min(nap, limit - passed + 0.001);
    siginfo_t info = {};
    int signal = gate_.next(nap, info);
    if (signal == 0 && program_.each_second) program_.each_second();
    if (signal != 0 && signal != SIGCHLD) received(signal, info);
  }

  // What came with the child's end, or when nobody waited yet, would end us when the gate opens, and what was measured until then would not be told.
  void take_late() {
    siginfo_t info = {};
    for (int signal; (signal = gate_.next(0, info)) != 0;) received(signal, info);
  }

  void received(int signal, const siginfo_t& info) {
    if (program_.group == Group::shared) {
      bool has_it = info.si_code == SI_KERNEL && getpgid(child_) == getpgrp(); // from the terminal: sent to the whole group
      if (!has_it) kill(child_, signal);
    } else if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT) {
      interrupted_ = signal;
      kill_all();
    }
  }

  void kill_all() const { kill(program_.group == Group::own ? -child_ : child_, SIGKILL); }

  const Program& program_;
  const SignalGate& gate_;
  pid_t child_;
  int interrupted_ = 0;
  Clock::time_point start_ = Clock::now();
};

} // namespace

void want_started(const Finished& end, const std::string& program) {
  if (end.start_error != 0) throw NotStarted(fmt::format("'{}' {}", program, end.trouble()), end.start_error == ENOENT ? kExitNotFound : kExitCannotRun);
}

std::string Finished::trouble() const {
  if (start_error != 0) return fmt::format("cannot be started: {}", std::strerror(start_error));
  if (timed_out) return "killed at the time limit";
  if (signal != 0) return fmt::format("killed by signal {} ({})", signal, strsignal(signal));
  return exit_code == 0 ? "" : fmt::format("exit code {}", exit_code);
}

Finished run_program(const Program& program) {
  Start start(program);
  std::optional<Captured> out, err;
  if (program.streams == Streams::capture) {
    start.out = out.emplace().fd();
    start.err = err.emplace().fd();
  }
  SignalGate gate;
  pid_t self = getpid();
  const uint64_t own = resident_bytes();
  pid_t child = fork();
  if (child < 0) throw std::runtime_error(fmt::format("cannot make a process: {}", std::strerror(errno)));
  if (child == 0) become(program, start, gate, self);
  if (program.group == Group::own) setpgid(child, child); // both sides: whoever is first
  start.close_write_end();

  Wait wait(program, gate, child);
  int error = 0;
  ssize_t told;
  while ((told = read(start.failure_pipe[0], &error, sizeof error)) < 0 && errno == EINTR) {}
  Finished result = wait.until_end();
  result.own_bytes = own;
  if (told == sizeof error) result.start_error = error;
  if (out) result.output = out->text();
  if (err) result.errors = err->text();
  return result;
}

std::string captured(const std::vector<std::string>& command) {
  Program program;
  program.arguments = command;
  program.streams = Streams::capture;
  program.time_limit_s = 120;
  Finished end = run_program(program);
  return end.good() ? end.output : "";
}

} // namespace garner::tool
