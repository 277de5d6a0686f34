// Opening and writing of the log; what must not happen to the program is listed in log.h, each point where it is kept.
#include "observe/log.h"

#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/held.h"

namespace garner {

bool Log::open(const Settings& settings, u64 start_ns) {
  const char* path = settings.log_path();
  if (strcmp(path, "off") == 0) return false;
  SavedErrno keep;
  own_file_ = strcmp(path, "stderr") != 0;
  int fd = own_file_ ? open_above_streams(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : 2;
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) {
    const char* why = strerrordesc_np(errno);
    Line().text("garner: the log '").text(path).text("' cannot be written: ").text(why == nullptr ? "unknown error" : why).text("; logging is off").flush(2);
    if (own_file_ && fd >= 0) ::close(fd);
    return false;
  }
  device_ = status.st_dev;
  inode_ = status.st_ino;
  may_wait_ = !own_file_ || !S_ISREG(status.st_mode); // stderr may be another file by the time we write
  format_ = settings.as<LogFormat>(Opt::log_format);
  detail_ = format_ == LogFormat::json ? settings.as<Detail>(Opt::log_detail) : Detail::plain;
  notices_ = settings.on(Opt::notices);
  start_ns_ = start_ns;
  pid_ = u32(getpid());
  fd_.store_relaxed(fd);
  return true;
}

void Log::close() {
  int fd = fd_.exchange_acq_rel(-1);
  if (fd >= 0 && own_file_ && still_ours(fd)) ::close(fd);
}

void Log::receive(void* self, EventId id, const void* payload) {
  Log& log = *static_cast<Log*>(self);
  if (!log.on()) return;
  u64 lost = log.lost_.exchange_acq_rel(0); // taken: told by this record, or put back
  bool torn = log.torn_.exchange_acq_rel(0) != 0;
  Line record;
  if (torn) record.text("\n");
  RecordContext context = {log.start_ns_, lost, log.pid_};
  bool any = log.format_ == LogFormat::json ? json_record(record, id, payload, context) : line_record(record, id, payload, context);
  if (any && log.write_record(record)) return;
  if (torn) log.torn_.store_relaxed(1);
  log.lost_.fetch_add_relaxed(any ? lost + 1 : lost);
}

// The program may close every descriptor it does not know and open files of its own: their numbers may be ours.
bool Log::still_ours(int fd) const {
  struct stat status;
  return fstat(fd, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

// False when a write would wait, or when nobody is left to read; the second ends logging.
bool Log::takes_now(int fd) {
  pollfd ask = {fd, POLLOUT, 0};
  if (poll(&ask, 1, 0) <= 0) return false;
  if ((ask.revents & (POLLERR | POLLHUP | POLLNVAL)) == 0) return (ask.revents & POLLOUT) != 0;
  fd_.store_relaxed(-1);
  return false;
}

// A record that is lost for good may have none after it that tells: one notice, where stderr takes it now. A cut one has this before the next.
void Log::notice(int error) {
  if (!notices_ || !own_file_ || (error != ENOSPC && error != EDQUOT && error != EFBIG && error != EIO) || noticed_.exchange_acq_rel(1) != 0) return;
  pollfd ask = {2, POLLOUT, 0};
  if (poll(&ask, 1, 0) <= 0 || ask.revents != POLLOUT) return;
  Line().text("garner: the log cannot be written: ").text(strerrordesc_np(error)).text("; records are lost").flush(2);
}

bool Log::write_record(Line& record) {
  SavedErrno keep;
  int fd = fd_.load_relaxed();
  if (own_file_ && !still_ours(fd)) {
    fd_.store_relaxed(-1);
    return false;
  }
  if (may_wait_ && !takes_now(fd)) return false;

  record.text("\n");
  HeldSignals held;
  ssize_t written = write(fd, record.c_str(), record.size());
  if (written == ssize_t(record.size())) return true;
  if (written > 0) torn_.store_relaxed(1);
  if (written >= 0) return false;
  const int error = errno;
  notice(error);
  if (error == EPIPE || error == EFBIG) held.take_raised();
  if (error == EPIPE || error == EBADF) fd_.store_relaxed(-1);
  return false;
}

} // namespace garner
