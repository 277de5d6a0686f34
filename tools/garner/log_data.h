// What `garner report` takes from a JSON log (src/observe/README.md): sums over its collections, and the collections themselves.
//
// A log may be cut off, written by several processes, or no log at all. Lines that are no records are counted and passed over, whatever is
// in them; numbers outside what a machine has (64 nodes, 1024 workers) count as no record. Only a file without a single collection is refused, unless heaps without any are asked for.
#pragma once
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "event/event.h"

namespace garner::tool {

using Matrix = std::vector<std::vector<double>>; // [row][column], both by node; empty: not in the log

// How pages name a worker's time: by Activity, where a log tells no more than the whole of a phase by that, and copies by what their phase does with objects.
inline constexpr unsigned kWholePhase = kActivities, kMarking = kActivities + 1, kSliding = kActivities + 2, kWorks = kActivities + 3;

struct SpanSeen { unsigned worker; unsigned what; double begin_ns, end_ns; }; // what: an Activity, or kWholePhase
struct PhaseSeen { std::string phase; WorkerStats stats; };
// What one worker did in one collection: its records of phases added up, and each of them.
struct WorkerSeen {
  unsigned node = 0;
  std::vector<PhaseSeen> records;
  WorkerStats sum{}; // but start_ns is the first phase's, and end_ns the last one's
  std::map<std::string, uint64_t> phase_ns; // from the worker's begin to its end of each phase
};
struct CycleSeen {
  double start_ns = 0, pause_ns = 0, stop_ns = 0;
  std::string kind, cause;
  bool en_masse = false; // all that was young was promoted where it lies, with the dead among it
  CycleEnd figures{}; // those of kCycleKeys
  std::vector<SpanSeen> spans;
  std::map<std::string, std::pair<double, double>> phases; // seen at workers: from the first one's begin to the last one's end
  std::vector<std::pair<std::string, double>> phase_ns;    // as the collection measured them, in their order
  std::map<unsigned, std::vector<double>> total_ns; // by worker, then by Activity
  std::map<unsigned, WorkerSeen> work;              // by worker
};

// A process is known by its pid and, above 32 bits, by how many of that pid began before it in the log: in containers the first is always 1.
inline uint64_t pid_of(uint64_t process) { return uint32_t(process); }
std::string process_name(uint64_t process); // "7"; "7#2" is the second of that pid

struct LogData {
  std::string name, written;                       // the file, and when it was last written to; empty: not from a file
  std::map<std::pair<uint64_t, uint64_t>, CycleSeen> cycles; // by process and number
  std::vector<uint64_t> processes;                 // in order
  std::map<uint64_t, uint64_t> newest;             // by pid: the process that has it now
  std::map<uint64_t, double> made_ns; // by process: when its heap was made
  unsigned nodes = 1, workers = 0;
  bool simulated = false, tells_slid = false;    // tells_slid: what full collections slid; logs of before lack it
  std::string preset, door;                      // of heap_ready, as are
  unsigned workers_allowed = 0;
  std::optional<double> limit_bytes;             // 0: none
  std::map<unsigned, std::vector<double>> work_ns; // by worker, then by what pages name it: all collections together
  Matrix distances;                              // as the machine counts them
  std::map<unsigned, double> moved;              // bytes copied or marked, by the worker's node
  std::map<std::string, std::vector<double>> held; // bytes of a space by node, summed over collections
  std::map<std::string, unsigned> held_times;    // how many collections that are
  std::map<std::string, Matrix> accesses, bytes; // by space: [node of the worker][node of the page]
  Matrix steals, locality;                       // [thief][victim], [node of the root][node of the object]
  double steals_near = 0, steals_far = 0;        // as workers count them, also on one node
  unsigned bad_lines = 0, lost_records = 0;
  uint64_t missing = 0, twice = 0;               // collections of a process between others of it that are not here; those that came again

  const CycleSeen& longest() const;
  std::map<double, double> steals_by_distance() const; // thefts by distance of thief and victim; empty without distances
};

// The numbers of a worker's record of a phase, as they are called in the log; times of begin and end are not among them.
struct WorkerKey { const char* name; u64 WorkerStats::*at; };
inline constexpr WorkerKey kWorkerKeys[] = {
  {"idle_ns", &WorkerStats::idle_ns}, {"waits_ns", &WorkerStats::waits_ns}, {"tasks", &WorkerStats::tasks}, {"roots", &WorkerStats::roots}, {"slots", &WorkerStats::slots}, {"cards", &WorkerStats::cards},
  {"objects_copied", &WorkerStats::objects_copied}, {"bytes_copied", &WorkerStats::bytes_copied}, {"objects_promoted", &WorkerStats::objects_promoted}, {"bytes_promoted", &WorkerStats::bytes_promoted},
  {"objects_marked", &WorkerStats::objects_marked}, {"bytes_marked", &WorkerStats::bytes_marked}, {"steals", &WorkerStats::steals}, {"steals_remote", &WorkerStats::steals_remote},
  {"steal_attempts", &WorkerStats::steal_attempts}, {"overflows", &WorkerStats::overflows}, {"lost_races", &WorkerStats::lost_races}, {"buffers", &WorkerStats::buffers}, {"offers", &WorkerStats::offers},
  {"withdrawals", &WorkerStats::withdrawals}, {"roots_posted", &WorkerStats::roots_posted}, {"roots_taken", &WorkerStats::roots_taken}, {"roots_remote", &WorkerStats::roots_remote},
  {"requests_sent", &WorkerStats::requests_sent}, {"requests_served", &WorkerStats::requests_served}, {"flushes", &WorkerStats::flushes}, {"lookups", &WorkerStats::lookups}, {"lookup_calls", &WorkerStats::lookup_calls},
};
static_assert(sizeof(kWorkerKeys) / sizeof(WorkerKey) == sizeof(WorkerStats) / sizeof(u64) - 2); // a field more is a key more

// What a collection did and found, and the sizes that it left, as they are called in the log.
struct CycleKey { const char* name; u64 CycleEnd::*at; };
inline constexpr CycleKey kCycleKeys[] = {
  {"heap_before", &CycleEnd::heap_before}, {"heap_after", &CycleEnd::heap_after}, {"young_before", &CycleEnd::young_before}, {"young_after", &CycleEnd::young_after}, {"old_after", &CycleEnd::old_after},
  {"large_after", &CycleEnd::large_after}, {"committed", &CycleEnd::committed}, {"limit", &CycleEnd::limit}, {"fragmented", &CycleEnd::fragmented}, {"promoted", &CycleEnd::promoted}, {"copied", &CycleEnd::copied},
  {"kept", &CycleEnd::kept}, {"moved", &CycleEnd::moved}, {"slid", &CycleEnd::slid}, {"pinned", &CycleEnd::pinned}, {"roots", &CycleEnd::roots}, {"finalize_pending", &CycleEnd::finalize_pending}, {"allocated_total", &CycleEnd::allocated_total}, {"eden_next", &CycleEnd::eden_next},
};

// Of which collections spans, phases and workers' records are kept. Sums over all are the same.
enum class Keep { all, longest };
// A log whose heaps were never collected: most have no use for it.
enum class Without { refused, taken };
using ReadSoFar = std::function<void(uint64_t bytes)>; // called now and then
// UsageError when the file cannot be read or holds no collection.
LogData read_log(const std::string& path, Keep keep = Keep::all, const ReadSoFar& told = {}, Without without = Without::refused);
LogData read_log(std::istream& lines, const std::string& name, Keep keep = Keep::all, const ReadSoFar& told = {}, Without without = Without::refused);
// What is not in the log that should be, and what should not: one line, empty for a log that is whole.
std::string damage_of(const LogData& log);

// Where the phases lie: one after another once threads stand, and what workers trace in not before they have ended. A collection that began as a young one and
// went on as a full one has each twice; of that, and of a log without durations, what was seen at workers. Since the collection was asked for.
struct PhaseTime { std::string name; double begin_ns, end_ns; };
std::vector<PhaseTime> phases_of(const CycleSeen& cycle);
// What a pause was made of, which adds up to it: `stopping threads`, the phases as the collection measured them, `the rest`.
std::vector<std::pair<std::string, double>> parts_of(const CycleSeen& cycle);
// How pages name what a span tells, below kWorks.
unsigned work_of(const CycleSeen& cycle, const std::vector<PhaseTime>& phases, const SpanSeen& span);

// One JSON object a line for each worker that took part in a collection, in the order of processes, collections and workers (docs/dotnet.md has the fields).
void each_worker(const LogData& log, const std::function<void(const std::string& line)>& take);

double sum_of(const Matrix& m);
// Share of 1 that is not on the diagonal; 0 for nothing at all.
double remote_share(const Matrix& m);
std::vector<double> columns_of(const Matrix& m);
// Population standard deviation of the shares over their mean (naps.md section 4): 0 all equal, sqrt(K - 1) one has all.
double imbalance(const std::vector<double>& by_node);

} // namespace garner::tool
