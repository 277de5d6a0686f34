#include "live_process.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <cwchar>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sstream>
#include <sys/stat.h>

#include <fmt/format.h>

#include "errors.h"
#include "paths.h"
#include "strict_json.h"

namespace garner::tool {
namespace {

std::string proc(int64_t pid, const char* what) { return fmt::format("/proc/{}/{}", pid, what); }

// Text of a fixed field that need not end with a zero: ASCII, others as '?'.
std::string plain_text(const char* field, size_t most) {
  std::string text(field, strnlen(field, most));
  for (char& c : text)
    if (c < 0x20 || c > 0x7e) c = '?';
  return text;
}

// The same of text in the locale's own characters: those of one column stay.
std::string plain_command(const std::string& text) {
  std::string shown;
  std::mbstate_t state = {};
  for (size_t at = 0; at < text.size();) {
    wchar_t c = 0;
    const size_t bytes = std::mbrtowc(&c, text.data() + at, text.size() - at, &state);
    const bool whole = bytes != 0 && bytes <= text.size() - at;
    if (!whole) state = {};
    if (whole && wcwidth(c) == 1) shown.append(text, at, bytes);
    else shown += '?';
    at += whole ? bytes : 1;
  }
  return shown;
}

// The command line with spaces between arguments; the short name of a process that has none.
std::string command_of(int64_t pid) {
  std::string text;
  if (!read_file(proc(pid, "cmdline"), text) || text.empty()) read_file(proc(pid, "comm"), text);
  while (!text.empty() && (text.back() == 0 || text.back() == '\n')) text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  text.resize(std::min(text.size(), size_t(4096)));
  return plain_command(text);
}

// When the process was started, and whether it has ended and only waits for its parent. The name before it may hold anything, parentheses too.
std::string start_of(int64_t pid, bool& ended) {
  std::string text;
  ended = true;
  if (!read_file(proc(pid, "stat"), text)) return "";
  size_t close = text.rfind(')');
  if (close == std::string::npos) return "";
  std::istringstream fields(text.substr(close + 1));
  std::string state, field;
  fields >> state;
  for (int i = 4; i <= 22; i++) fields >> field; // the 22nd of proc(5)
  ended = state == "Z" || state == "X";
  return field;
}

// The number that the process has for itself: the innermost one of a process in a container.
uint64_t own_pid(int64_t pid) {
  std::string text;
  read_file(proc(pid, "status"), text);
  size_t at = text.find("\nNSpid:");
  if (at == std::string::npos) return uint64_t(pid);
  std::istringstream numbers(text.substr(at + 7, text.find('\n', at + 1) - at - 7));
  uint64_t innermost = uint64_t(pid);
  for (uint64_t number; numbers >> number;) innermost = number;
  return innermost;
}

bool names_page(const fs::directory_entry& entry) {
  std::error_code error;
  return fs::read_symlink(entry.path(), error).string() == fmt::format("/memfd:{} (deleted)", kLiveName);
}

// Links in /proc/PID/fd that may be pages. errno is EACCES or EPERM in `error` when nobody may look.
std::vector<std::string> links_of(int64_t pid, std::error_code& error) {
  std::vector<std::string> links;
  for (fs::directory_iterator i(proc(pid, "fd"), error), end; !error && i != end; i.increment(error))
    if (names_page(*i)) links.push_back(i->path().string());
  return links;
}

} // namespace

bool lives(int64_t pid) {
  bool ended;
  start_of(pid, ended);
  return !ended;
}

uint64_t live_clock_ns() {
  timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1'000'000'000 + uint64_t(t.tv_nsec);
}

LiveFigures checked(const LivePage& page) {
  LiveFigures f = {page.start, page.now, page.out_of_memory, plain_text(page.start.door, sizeof page.start.door),
                   plain_text(page.start.preset, sizeof page.start.preset), {}, {}};
  const uint64_t all = page.now.collections, kept = std::min<uint64_t>(all, kLiveCycles);
  for (uint64_t index = all - kept; index != all; index++) { // counted from 0 here
    const LiveCycle& c = page.cycles[index % kLiveCycles];
    const uint64_t kind = c.what & 0xff, cause = c.what >> 8 & 0xff;
    if (c.index != index + 1 || kind > uint64_t(Kind::full) || cause >= kCauses) continue;
    f.last.push_back({c.index, c.start_ns, c.pause_ns, c.stop_ns, c.heap_before, c.heap_after, c.copied, Kind(kind), Cause(cause)});
  }
  for (uint32_t i = 0; i < kLiveWorkers; i++)
    if (page.workers[i].cycles != 0) f.workers.push_back({i, page.workers[i], page.workers[i].cycle == all});
  return f;
}

LiveProcess::LiveProcess(int64_t pid) : pid_(pid) {
  bool ended = false;
  started_ = start_of(pid, ended);
  if (started_.empty()) throw UsageError(fmt::format("there is no process {}", pid));
  if (ended) throw UsageError(fmt::format("process {} has ended", pid));
  command_ = command_of(pid);
  std::error_code error;
  std::vector<std::string> links = links_of(pid, error);
  if (error == std::errc::permission_denied || error == std::errc::operation_not_permitted)
    throw UsageError(fmt::format("process {} may not be looked at: it is another user's, or protected", pid));
  errno = 0;
  for (const std::string& link : links)
    if (take_page(link)) return;
  if (errno == EACCES || errno == EPERM) throw UsageError(fmt::format("the live page of process {} may not be read", pid));
  if (other_version_ != 0)
    throw UsageError(fmt::format("the live page of process {} has format {}; this command reads format {}: use the garner of that collector", pid, other_version_, kLiveVersion));
  throw UsageError(fmt::format("process {} has no live page: it does not run on the collector, has just been started, or general.live is off", pid));
}

LiveProcess::~LiveProcess() {
  if (fd_ >= 0) close(fd_);
}

// A descriptor by that name need not be a page, and a page need not be this process's: a child has its parent's until it runs a program.
bool LiveProcess::take_page(const std::string& link) {
  int fd = open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;
  struct stat status = {};
  auto page = std::make_unique<LivePage>();
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    LiveRead result = read_live(fd, *page);
    if (result == LiveRead::version) other_version_ = page->version;
    if (result == LiveRead::busy || (result == LiveRead::whole && page->start.pid == own_pid(pid_))) {
      fd_ = fd;
      link_ = link;
      inode_ = status.st_ino;
      return true;
    }
  }
  close(fd);
  return false;
}

std::optional<LiveFigures> LiveProcess::read() const {
  auto page = std::make_unique<LivePage>();
  if (read_live(fd_, *page) != LiveRead::whole) return {};
  return checked(*page);
}

std::string LiveProcess::gone() const {
  bool ended = false;
  if (start_of(pid_, ended) != started_ || ended) return "has ended";
  struct stat status = {};
  if (stat(link_.c_str(), &status) != 0 || status.st_ino != inode_) return "has closed its live page, or runs another program now";
  return "";
}

std::vector<int64_t> processes_with_page() {
  std::vector<int64_t> found;
  std::error_code error;
  for (fs::directory_iterator i("/proc", error), end; !error && i != end; i.increment(error)) {
    const std::string name = i->path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; }) || name.size() > 18) continue;
    std::error_code closed;
    if (!links_of(std::stoll(name), closed).empty()) found.push_back(std::stoll(name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace garner::tool
