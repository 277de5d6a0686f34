// The live page of another process (observe/live_page.h): finding it, and its figures with everything checked.
//
// A page is what another process wrote. What comes out of here is safe to show whatever stood in it: text is printable and short, kinds and causes are known ones,
// collections are those that their numbers say, every count is a number of rows that are there. Sums may be nonsense where the page is; nothing crashes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/live_page.h"

namespace garner::tool {

struct LiveCollection {
  uint64_t index, start_ns, pause_ns, stop_ns, heap_before, heap_after, copied;
  Kind kind;
  Cause cause;
};
struct LiveWorkerRow {
  uint32_t worker;
  LiveWorker figures;
  bool in_last; // took part in the last collection that is told
};
struct LiveFigures {
  LiveStart start;
  LiveNow now;
  uint64_t out_of_memory;
  std::string door, preset;
  std::vector<LiveCollection> last; // oldest first, at most kLiveCycles
  std::vector<LiveWorkerRow> workers; // those that ever took part, at most kLiveWorkers
};
LiveFigures checked(const LivePage& page);

// Whether there is such a process, and it does not only wait for its parent.
bool lives(int64_t pid);

// The clock that the page's times are of.
uint64_t live_clock_ns();

// A process whose page is open. It stays readable when the process is gone.
class LiveProcess {
 public:
  // UsageError with the reason when there is no such process, it may not be looked at, or it has no page that this command reads.
  explicit LiveProcess(int64_t pid);
  ~LiveProcess();
  LiveProcess(const LiveProcess&) = delete;
  LiveProcess& operator=(const LiveProcess&) = delete;

  // What the page holds now; nothing when it is being written all the time.
  std::optional<LiveFigures> read() const;
  // Empty while the process has this page, else a sentence without its subject: "has ended".
  std::string gone() const;
  int64_t pid() const { return pid_; }
  const std::string& command() const { return command_; } // printable

 private:
  bool take_page(const std::string& link);
  int64_t pid_;
  int fd_ = -1;
  std::string link_, command_, started_;
  uint64_t inode_ = 0;
  uint32_t other_version_ = 0;
};

// All processes that may be looked at and seem to have a page, by number.
std::vector<int64_t> processes_with_page();

} // namespace garner::tool
