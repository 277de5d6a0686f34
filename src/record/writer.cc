// Writer: buffer, part file, publication (writer.h).
#include "record/writer.h"

#include <cstring>
#include <sys/syscall.h>

#include "base/held.h"
#include "base/print.h"

namespace garner::record {

void Writer::fail(int error) {
  if (trouble_ != nullptr) return;
  trouble_ = strerrordesc_np(error);
  if (trouble_ == nullptr) trouble_ = "unknown error";
}

bool Writer::open(const char* path, u64 most) {
  SavedErrno keep;
  trouble_ = nullptr;
  most_ = most;
  usize length = strlen(path);
  if (length + 32 > kPathMost) {
    fail(ENAMETOOLONG);
    return false;
  }
  memcpy(path_, path, length + 1);
  Line part;
  part.text(path).text(".").num(u64(getpid())).text(".part");
  memcpy(part_, part.c_str(), part.size() + 1);
  return restart();
}

bool Writer::restart() {
  SavedErrno keep;
  if (fd_ >= 0) ::close(fd_);
  fd_ = open_above_streams(part_, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
  flushed_ = used_ = 0;
  checksum_ = {};
  if (fd_ < 0) fail(errno);
  return fd_ >= 0;
}

void Writer::flush() {
  SavedErrno keep;
  if (trouble_ == nullptr && flushed_ + used_ <= most_) {
    checksum_.add(buffer_, used_);
    HeldSignals held;
    for (usize done = 0; done < used_;) {
      ssize_t n = write(fd_, buffer_ + done, used_ - done);
      if (n > 0) {
        done += usize(n);
      } else if (n == 0 || errno != EINTR) {
        int error = n == 0 ? ENOSPC : errno;
        if (n < 0 && error == EFBIG) held.take_raised();
        fail(error);
        break;
      }
    }
  }
  flushed_ += used_;
  used_ = 0;
}

void Writer::abandon() {
  SavedErrno keep;
  if (fd_ < 0) return;
  ::close(fd_);
  fd_ = -1;
  unlink(part_);
}

bool Writer::publish(Tail& tail) {
  SavedErrno keep;
  if (over()) fail(EFBIG);
  bytes(&tail, sizeof tail - sizeof tail.checksum);
  // The checksum covers what is still in the buffer too; the buffer's earlier pieces were whole words.
  Checksum all = checksum_;
  all.add(buffer_, used_);
  u64 value = all.value();
  bytes(&value, sizeof value);
  flush();
  if (trouble_ == nullptr && syscall(SYS_rename, part_, path_) != 0) fail(errno);
  if (trouble_ != nullptr) {
    abandon();
    return false;
  }
  ::close(fd_);
  fd_ = -1;
  return true;
}

} // namespace garner::record
