// Reads the collector's JSON log (src/observe/README.md), also while it is still being written: call more() as often as wished.
//
// Keeps one number per collection. A line that is no record is counted and skipped; a last line without a newline waits for the next call.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace garner::tool {

// One process that made a heap.
struct HeapSeen {
  uint64_t limit_bytes = 0, reserved_bytes = 0, heap_after = 0;
  unsigned workers = 0, nodes = 0;
  std::string door, preset;
};

class LogReader {
 public:
  // Begins at `from`. When the file is our own temporary one, what was read is given back to the disk, so that the log of a program
  // that runs for weeks takes no room.
  LogReader(std::filesystem::path path, uint64_t from, bool temporary) : path_(std::move(path)), offset_(from), temporary_(temporary) {}
  void more();
  // Of a log that others write to as well: only processes whose heap_ready has this run count, and none that began before. Before more().
  void only(const std::string& run) { run_ = run; }

  bool loaded() const { return !heaps_.empty(); }
  const std::map<uint64_t, HeapSeen>& heaps() const { return heaps_; } // by process
  const std::map<std::string, uint64_t>& kinds() const { return kinds_; }
  const std::vector<double>& pauses_ms() const { return pauses_ms_; }
  uint64_t collections() const { return pauses_ms_.size(); }
  uint64_t heap_after() const; // sum over the processes, after the last collection of each
  uint64_t most_committed() const { return most_committed_; } // by the heap that had most
  uint64_t most_left() const { return most_left_; }           // by a full collection, of the heap of which most lives
  uint64_t out_of_memory() const { return out_of_memory_; }
  uint64_t bad_lines() const { return bad_lines_ + (rest_.empty() ? 0 : 1); } // the last with them while it lacks its end: of a program that is gone it was cut, by a full disk
  uint64_t lost_records() const { return lost_; }

 private:
  void record(const std::string& line);

  std::filesystem::path path_;
  uint64_t offset_;
  bool temporary_;
  std::string rest_; // the begun line
  std::string run_;  // empty: all processes count
  std::map<uint64_t, HeapSeen> heaps_;
  std::map<std::string, uint64_t> kinds_;
  std::vector<double> pauses_ms_;
  uint64_t most_committed_ = 0, most_left_ = 0;
  uint64_t out_of_memory_ = 0, bad_lines_ = 0, lost_ = 0;
};

} // namespace garner::tool
