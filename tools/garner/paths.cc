#include "paths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "errors.h"

namespace garner::tool {

fs::path executable_directory() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::current_path() : self.parent_path();
}

std::vector<fs::path> library_places() {
  fs::path prefix = executable_directory().parent_path();
  constexpr const char* name = "libgarner-dotnet.so";
  return {prefix / "lib" / name, prefix / "lib" / "garner" / name};
}

fs::path find_library(const std::string& given) {
  std::error_code error;
  if (!given.empty()) {
    if (!fs::is_regular_file(given, error)) throw UsageError(fmt::format("no library at '{}'", given));
    return fs::absolute(given);
  }
  for (const fs::path& place : library_places())
    if (fs::is_regular_file(place, error)) return place;
  throw UsageError(fmt::format("the collector's library is not at '{}'; --lib PATH tells where it is", library_places()[0].string()));
}

fs::path find_bench_directory(const std::string& given) {
  std::error_code error;
  if (!given.empty()) {
    if (!fs::is_directory(given, error)) throw UsageError(fmt::format("no directory '{}'", given));
    return fs::absolute(given);
  }
  for (fs::path at = executable_directory(); at != at.root_path(); at = at.parent_path())
    if (fs::is_regular_file(at / "bench" / "dotnet" / "roslyn.bench", error)) return at / "bench" / "dotnet"; // not build/bench/dotnet, its output
  throw UsageError("no bench/dotnet above this executable; --bench-dir DIR tells where the workloads are");
}

fs::path find_recording(const std::string& name) {
  std::error_code error;
  const std::string file = name + ".garner-heap";
  for (fs::path at = executable_directory(); at != at.root_path(); at = at.parent_path())
    for (const fs::path& place : {at / "tests" / "data", at / "share" / "garner" / "recordings"})
      if (fs::is_regular_file(place / file, error)) return place / file;
  throw UsageError(fmt::format("no recording {} above this executable", file));
}

bool read_file(const fs::path& path, std::string& text) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  std::ostringstream all;
  all << in.rdbuf();
  text = all.str();
  return !in.bad();
}

std::string file_digest(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return "missing";
  uint64_t hash = 0xcbf29ce484222325, bytes = 0;
  std::vector<char> block(1 << 16);
  while (in.read(block.data(), std::streamsize(block.size())), in.gcount() > 0) {
    for (std::streamsize i = 0; i < in.gcount(); i++) hash = (hash ^ uint8_t(block[size_t(i)])) * 0x100000001b3;
    bytes += uint64_t(in.gcount());
  }
  return fmt::format("{} bytes, {:016x}", bytes, hash);
}

namespace {

// ENOENT where the directory is there: it is one like /proc.
std::string sentence_of(int error) { return error == ENOENT ? "no file can be made in its directory" : std::strerror(error); }

[[noreturn]] void cannot_write(const fs::path& path, int error) { throw std::runtime_error(fmt::format("cannot write '{}': {}", path.string(), sentence_of(error))); }

// Where symbolic links lead, also when nothing is there yet.
fs::path target_of(fs::path path) {
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(path, error)); links++) {
    if (links == 40) cannot_write(path, ELOOP);
    const fs::path link = fs::read_symlink(path, error);
    if (error) cannot_write(path, error.value());
    path = path.parent_path() / link; // link alone when it is absolute
  }
  return path;
}

// Writes all to fd and closes it; 0 or what went wrong.
int write_all(int fd, const std::string& text) {
  int error = 0;
  for (size_t at = 0; at < text.size() && error == 0;) {
    const ssize_t n = write(fd, text.data() + at, text.size() - at);
    if (n >= 0) at += size_t(n);
    else if (errno != EINTR) error = errno;
  }
  if (close(fd) != 0 && error == 0) error = errno;
  return error;
}

// What is no file of its own: a device, a FIFO, a directory (which is refused), or the file that stdout or stderr goes to, whose place in it counts.
bool is_in_place(const struct stat& there, int& fd) {
  fd = -1;
  struct stat stream;
  for (int known : {1, 2})
    if (fd < 0 && fstat(known, &stream) == 0 && stream.st_dev == there.st_dev && stream.st_ino == there.st_ino) fd = known;
  return fd >= 0 || !S_ISREG(there.st_mode);
}

void want_directory_of(const fs::path& path, const fs::path& target) {
  const fs::path parent = target.parent_path();
  std::error_code error;
  if (!parent.empty() && !fs::is_directory(parent, error)) throw UsageError(fmt::format("cannot write '{}': {}: {}", path.string(), parent.string(), std::strerror(error ? error.value() : ENOTDIR)));
}

// Where the text goes before it takes the file's name. The process's own: another one may be writing the same file.
fs::path next_to(fs::path target) { return target += fmt::format(".{}.new", getpid()); }
int open_next(const fs::path& next, int more) { return open(next.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | more, 0666); }

} // namespace

void want_place_for(const fs::path& path) {
  if (path.empty()) return;
  struct stat there;
  int error = 0;
  if (int fd; stat(path.c_str(), &there) == 0 && is_in_place(there, fd)) {
    if (S_ISDIR(there.st_mode)) error = EISDIR;
  } else {
    const fs::path target = target_of(path), next = next_to(target);
    want_directory_of(path, target);
    const int made = open_next(next, O_EXCL);
    if (made >= 0) close(made), unlink(next.c_str());
    else if (errno != EEXIST) error = errno;
  }
  if (error != 0) throw UsageError(fmt::format("cannot write '{}': {}", path.string(), sentence_of(error)));
}

void want_places_for(const fs::path& one, const fs::path& other) {
  // Of other devices, and of what stdout and stderr go to, one text would end up in the other.
  struct stat there;
  const bool lost = stat(one.c_str(), &there) == 0 && S_ISCHR(there.st_mode) && there.st_rdev == makedev(1, 3); // Linux: the null device, under whatever name
  if (!one.empty() && one == other && !lost) throw UsageError(fmt::format("two outputs cannot go to one file, {}", one.string()));
  want_place_for(one), want_place_for(other);
}

bool is_device(const fs::path& path) {
  std::error_code none;
  return fs::is_character_file(path, none) || fs::is_block_file(path, none);
}

void write_file(const fs::path& path, const std::string& text) {
  struct stat there;
  if (int fd; stat(path.c_str(), &there) == 0 && is_in_place(there, fd)) {
    fd = fd < 0 ? open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY) : fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (const int error = fd < 0 ? errno : write_all(fd, text); error != 0) cannot_write(path, error);
    return;
  }
  const fs::path target = target_of(path), next = next_to(target);
  want_directory_of(path, target);
  const int fd = open_next(next, O_TRUNC);
  if (fd < 0) cannot_write(path, errno);
  int error = write_all(fd, text);
  if (error == 0 && rename(next.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return;
  unlink(next.c_str());
  cannot_write(path, error);
}

void write_file_and_directories(const fs::path& path, const std::string& text) {
  std::error_code ignored; // writing tells
  fs::create_directories(path.parent_path(), ignored);
  write_file(path, text);
}

namespace {

constexpr uint64_t kLeastRoom = 64 * 1024;

// Some file systems have room for a directory, and none for what a log takes. Those that do not tell, of which memory alone is the bound, have. Sets errno.
bool has_room(const std::string& directory) {
  struct statvfs facts {};
  if (statvfs(directory.c_str(), &facts) != 0 || facts.f_blocks == 0) return true;
  errno = ENOSPC;
  return (geteuid() == 0 ? facts.f_bfree : facts.f_bavail) * facts.f_frsize >= kLeastRoom;
}

} // namespace

TempDirectory::TempDirectory() {
  const char* chosen = std::getenv("TMPDIR");
  std::string tried;
  for (const std::string base : {chosen == nullptr ? "" : chosen, "/tmp", "/dev/shm"}) {
    if (base.empty() || base.find(',') != std::string::npos) continue; // a comma would end the log's path in an option list
    std::error_code nowhere; // the current directory may be gone
    std::string name = fs::absolute(fs::path(base) / "garner-XXXXXX", nowhere).string(); // programs run in other ones
    if (mkdtemp(name.data()) != nullptr) {
      if (has_room(name)) {
        path_ = name;
        return;
      }
      const int error = errno;
      rmdir(name.c_str());
      errno = error;
    }
    tried += fmt::format("{}{} ({})", tried.empty() ? "" : ", ", base, std::strerror(errno));
  }
  throw std::runtime_error("no temporary directory can be made in " + tried);
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

} // namespace garner::tool
