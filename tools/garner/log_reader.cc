#include "log_reader.h"

#include <algorithm>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace garner::tool {
namespace {

using Json = nlohmann::json;

uint64_t number(const Json& record, const char* key) {
  auto at = record.find(key);
  return at != record.end() && at->is_number_unsigned() ? at->get<uint64_t>() : 0;
}

std::string word(const Json& record, const char* key) {
  auto at = record.find(key);
  return at != record.end() && at->is_string() ? at->get<std::string>() : "";
}

class OpenFile {
 public:
  explicit OpenFile(const std::filesystem::path& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

} // namespace

void LogReader::more() {
  OpenFile file(path_, (temporary_ ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_NOCTTY); // opening a FIFO waits for whoever writes
  struct stat status;
  if (file.fd() < 0 || fstat(file.fd(), &status) != 0 || !S_ISREG(status.st_mode)) return; // not made yet, or a device that reads without end
  uint64_t begun = offset_;
  std::vector<char> block(1 << 16);
  for (ssize_t n; (n = pread(file.fd(), block.data(), block.size(), off_t(offset_))) > 0; offset_ += uint64_t(n)) {
    for (const char* at = block.data(), *end = at + n; at != end;) {
      const char* line_end = at;
      while (line_end != end && *line_end != '\n') line_end++;
      rest_.append(at, line_end);
      if (line_end == end) break;
      record(rest_);
      rest_.clear();
      at = line_end + 1;
    }
  }
  if (temporary_ && offset_ > begun)
    fallocate(file.fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, off_t(offset_));  // where it is not offered, the file stays
}

uint64_t LogReader::heap_after() const {
  uint64_t all = 0;
  for (const auto& [pid, heap] : heaps_) all += heap.heap_after;
  return all;
}

void LogReader::record(const std::string& line) {
  if (line.empty()) return; // the end of a cut record
  bool of_worker = (line.starts_with("{\"event\":\"worker_phase\"") || line.starts_with("{\"event\":\"spans\"")) && line.back() == '}';
  if (of_worker && line.find("\"lost_before\"") == std::string::npos) return; // most records are these, and nothing in them is summed up
  Json record = Json::parse(line, nullptr, false);
  if (!record.is_object()) {
    bad_lines_++;
    return;
  }
  std::string event = word(record, "event");
  uint64_t pid = number(record, "pid");
  const bool begins = event == "heap_ready";
  if (!run_.empty() && (begins ? word(record, "run") != run_ : heaps_.count(pid) == 0)) {
    if (begins) heaps_.erase(pid); // the number is another's now
    return;
  }
  lost_ += number(record, "lost_before");
  if (begins) {
    heaps_[pid] = {number(record, "limit_bytes"), number(record, "reserved_bytes"), 0, unsigned(number(record, "workers")), unsigned(number(record, "nodes")),
                   word(record, "door"), word(record, "preset")};
  } else if (event == "cycle_end") {
    kinds_[word(record, "kind")]++;
    pauses_ms_.push_back(double(number(record, "pause_ns")) / 1e6);
    const uint64_t after = number(record, "heap_after");
    if (auto heap = heaps_.find(pid); heap != heaps_.end()) heap->second.heap_after = after;
    most_committed_ = std::max(most_committed_, number(record, "committed"));
    if (word(record, "kind") == "full") most_left_ = std::max(most_left_, after);
  } else if (event == "out_of_memory") {
    out_of_memory_++;
  }
}

} // namespace garner::tool
