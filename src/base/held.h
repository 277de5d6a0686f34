// What writing to a file must not do to the program that carries it: raise a signal, change errno, or take a stream's descriptor.
//
// For code on a thread that is not ours. No state of its own; each object belongs to one thread.
#pragma once
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace garner {

// Holds SIGPIPE and SIGXFSZ back from this thread, and takes away the one that a failed write raised: such a signal is always sent to
// the writing thread itself. One that was pending before (possible only where the program blocks it) is the program's and stays.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    sigaddset(&held_, SIGPIPE);
    sigaddset(&held_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &held_, &before_);
    sigset_t pending;
    if ((sigismember(&before_, SIGPIPE) != 0 || sigismember(&before_, SIGXFSZ) != 0) && sigpending(&pending) == 0) {
      if (sigismember(&pending, SIGPIPE) != 0) sigdelset(&held_, SIGPIPE);
      if (sigismember(&pending, SIGXFSZ) != 0) sigdelset(&held_, SIGXFSZ);
    }
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  void take_raised() {
    timespec none = {0, 0};
    while (sigtimedwait(&held_, nullptr, &none) > 0) {}
  }

 private:
  sigset_t held_, before_;
};

class SavedErrno {
 public:
  SavedErrno() : value_(errno) {}
  SavedErrno(const SavedErrno&) = delete;
  SavedErrno& operator=(const SavedErrno&) = delete;
  ~SavedErrno() { errno = value_; }

 private:
  int value_;
};

// Never 0, 1 or 2, even where the program was started with those closed: what it prints there would land in the log.
inline int open_above_streams(const char* path, int flags) {
  int fd = open(path, flags, 0644);
  if (fd < 0 || fd > 2) return fd;
  int above = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  int error = errno;
  ::close(fd);
  errno = error;
  return above;
}

} // namespace garner
