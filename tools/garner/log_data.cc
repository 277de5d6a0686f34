#include "log_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "errors.h"
#include "page.h"
#include "paths.h"
#include "sim/traffic.h"
#include "strict_json.h"

namespace garner::tool {
namespace {

using json = nlohmann::json;

constexpr unsigned kNodesSeen = 64, kWorkersSeen = 1024, kPhasesSeen = 16;
constexpr size_t kLineMost = 1 << 16; // a record has at most 4095 bytes

struct NoRecord {};

// Times and counts of a log are 64 bits wide: a larger number is none of them, and sums of them stay finite.
bool is_count(double value) { return value >= 0 && value < 0x1p64; }

double number(const json& r, const char* key) {
  const auto at = r.find(key);
  if (at == r.end() || !at->is_number()) throw NoRecord();
  const double value = at->get<double>();
  if (!is_count(value)) throw NoRecord();
  return value;
}
double number_or(const json& r, const char* key, double otherwise) { return r.contains(key) ? number(r, key) : otherwise; }
// The same to the last digit, as the log's counts are whole.
u64 count_or_none(const json& r, const char* key) {
  const auto at = r.find(key);
  return at != r.end() && at->is_number_unsigned() ? at->get<u64>() : u64(std::min(number_or(r, key, 0), 1e18)); // more is no count
}
std::string text_or(const json& r, const char* key, const char* otherwise) {
  const auto at = r.find(key);
  return at != r.end() && at->is_string() ? at->get<std::string>() : otherwise;
}
unsigned below(const json& r, const char* key, unsigned most) {
  const double value = number(r, key);
  if (value >= most) throw NoRecord();
  return unsigned(value);
}
std::vector<double> list(const json& r, const char* key, size_t most) {
  const auto at = r.find(key);
  if (at == r.end() || !at->is_array() || at->size() > most) throw NoRecord();
  std::vector<double> all;
  for (const json& v : *at) {
    if (!v.is_number() || !is_count(v.get<double>())) throw NoRecord();
    all.push_back(v.get<double>());
  }
  return all;
}

void add_row(LogData& log, Matrix& m, unsigned row, const std::vector<double>& values) {
  log.nodes = std::max({log.nodes, row + 1, unsigned(values.size())});
  m.resize(std::max<size_t>(m.size(), row + 1));
  m[row].resize(std::max(m[row].size(), values.size()));
  for (size_t i = 0; i < values.size(); i++) m[row][i] += values[i];
}

uint64_t pid_in(const json& r) {
  const double pid = number_or(r, "pid", 0);
  if (pid >= 0x1p32) throw NoRecord();
  return uint64_t(pid);
}

CycleSeen& cycle_of(LogData& log, const json& r) {
  const uint64_t pid = pid_in(r), index = uint64_t(number(r, "index"));
  return log.cycles[{log.newest.try_emplace(pid, pid).first->second, index}];
}

// A heap of a pid that is known is another process's: its collections count from 1 again.
uint64_t begun(LogData& log, const json& r) {
  const auto [known, first] = log.newest.try_emplace(pid_in(r), pid_in(r));
  return first ? known->second : known->second += uint64_t(1) << 32;
}

void take_ready(LogData& log, const json& r) {
  const double made = number_or(r, "start_ns", 0);
  log.made_ns[begun(log, r)] = made;
  log.nodes = std::max(log.nodes, unsigned(std::min(number_or(r, "nodes", 1), double(kNodesSeen))));
  log.simulated = text_or(r, "door", "") == "simulated";
  log.preset = text_or(r, "preset", "");
  log.door = text_or(r, "door", "");
  log.workers_allowed = std::max(log.workers_allowed, unsigned(std::min(number_or(r, "workers", 0), double(kWorkersSeen))));
  if (r.contains("limit_bytes")) log.limit_bytes = number(r, "limit_bytes");
}

void add_phase(WorkerSeen& worker, unsigned node, const std::string& phase, const WorkerStats& one) {
  const auto plus = [](u64 a, u64 b) { return a > ~u64(0) - b ? ~u64(0) : a + b; };
  worker.node = node;
  worker.records.push_back({phase, one});
  const bool first = worker.phase_ns.empty();
  worker.sum.start_ns = first ? one.start_ns : std::min(worker.sum.start_ns, one.start_ns);
  worker.sum.end_ns = std::max(worker.sum.end_ns, one.end_ns);
  for (const WorkerKey& key : kWorkerKeys) worker.sum.*key.at = plus(worker.sum.*key.at, one.*key.at);
  if (worker.phase_ns.size() == kPhasesSeen && worker.phase_ns.count(phase) == 0) return;
  u64& ns = worker.phase_ns[phase];
  ns = plus(ns, one.end_ns - std::min(one.start_ns, one.end_ns));
}

void take_worker(LogData& log, const json& r) {
  const unsigned node = below(r, "node", kNodesSeen), worker = below(r, "worker", kWorkersSeen);
  const double steals = number_or(r, "steals", 0), remote = std::min(steals, number_or(r, "steals_remote", 0)), begin = number(r, "start_ns"), end = number(r, "end_ns");
  WorkerStats one{.start_ns = count_or_none(r, "start_ns"), .end_ns = count_or_none(r, "end_ns")};
  for (const WorkerKey& key : kWorkerKeys) one.*key.at = count_or_none(r, key.name);
  CycleSeen& c = cycle_of(log, r);
  add_phase(c.work[worker], node, text_or(r, "phase", ""), one);
  log.nodes = std::max(log.nodes, node + 1);
  log.workers = std::max(log.workers, worker + 1);
  log.moved[node] += number_or(r, "bytes_copied", 0) + number_or(r, "bytes_marked", 0);
  log.steals_far += remote;
  log.steals_near += steals - remote;
  if (end <= begin) return;
  c.spans.push_back({worker, kWholePhase, begin, end});
  const std::string phase = text_or(r, "phase", "");
  if (phase.empty() || (c.phases.count(phase) == 0 && c.phases.size() == kPhasesSeen)) return;
  auto& when = c.phases.try_emplace(phase, begin, end).first->second;
  when = {std::min(when.first, begin), std::max(when.second, end)};
}

void take_spans(LogData& log, const json& r) {
  const unsigned worker = below(r, "worker", kWorkersSeen);
  const std::vector<double> total = list(r, "total_ns", kActivities);
  const auto spans = r.find("spans");
  if (spans == r.end() || !spans->is_array()) throw NoRecord();
  std::vector<SpanSeen> seen;
  for (const json& s : *spans) {
    if (!s.is_array() || s.size() != 3 || !s[0].is_string() || !s[1].is_number() || !s[2].is_number() || !is_count(s[1].get<double>()) || !is_count(s[2].get<double>())) throw NoRecord();
    unsigned what = 0;
    while (what < kActivities && s[0] != name_of(Activity(what))) what++;
    if (what < kActivities && s[2].get<double>() >= s[1].get<double>()) seen.push_back({worker, what, s[1].get<double>(), s[2].get<double>()});
  }
  CycleSeen& c = cycle_of(log, r);
  log.workers = std::max(log.workers, worker + 1);
  c.total_ns[worker] = total;
  c.spans.insert(c.spans.end(), seen.begin(), seen.end());
}

void take_cycle(LogData& log, const json& r) {
  const double start = number(r, "start_ns"), pause = number(r, "pause_ns"), stop = number_or(r, "stop_ns", 0);
  std::vector<std::pair<std::string, double>> phase_ns;
  for (const char* phase : {"gather", "cards", "evacuate", "mark", "weak", "compact", "finish"})
    if (const double ns = number_or(r, (std::string(phase) + "_ns").c_str(), 0); ns > 0) phase_ns.push_back({phase, ns});
  CycleSeen& c = cycle_of(log, r);
  log.twice += c.pause_ns > 0;
  c.phase_ns = phase_ns;
  log.tells_slid = log.tells_slid || r.contains("slid");
  for (const CycleKey& key : kCycleKeys) c.figures.*key.at = count_or_none(r, key.name);
  const auto en_masse = r.find("en_masse");
  c.start_ns = start, c.pause_ns = pause, c.stop_ns = stop, c.kind = printable(text_or(r, "kind", "")), c.cause = printable(text_or(r, "cause", ""));
  c.en_masse = en_masse != r.end() && en_masse->is_boolean() && en_masse->get<bool>();
}

void take(LogData& log, const json& r) {
  const std::string event = text_or(r, "event", "");
  if (event.empty()) throw NoRecord();
  log.lost_records += unsigned(std::min(number_or(r, "lost_before", 0), 1e9));
  if (event == "heap_ready") take_ready(log, r);
  else if (event == "worker_phase") take_worker(log, r);
  else if (event == "spans") take_spans(log, r);
  else if (event == "node_distances") {
    const unsigned node = below(r, "node", kNodesSeen);
    if (node < log.distances.size()) log.distances[node].clear(); // of another process on the same machine
    add_row(log, log.distances, node, list(r, "to", kNodesSeen));
  } else if (event == "steals") add_row(log, log.steals, below(r, "node", kNodesSeen), list(r, "from", kNodesSeen));
  else if (event == "locality") add_row(log, log.locality, below(r, "node", kNodesSeen), list(r, "objects", kNodesSeen));
  else if (event == "node_uses") {
    const unsigned node = below(r, "node", kNodesSeen);
    const std::vector<double> accesses = list(r, "accesses", kNodesSeen), bytes = list(r, "bytes", kNodesSeen);
    const std::string space = text_or(r, "space", "");
    add_row(log, log.accesses[space], node, accesses);
    add_row(log, log.bytes[space], node, bytes);
  } else if (event == "node_bytes") {
    const std::vector<double> bytes = list(r, "bytes", kNodesSeen);
    std::vector<double>& sum = log.held[text_or(r, "space", "")];
    sum.resize(std::max(sum.size(), bytes.size()));
    for (size_t i = 0; i < bytes.size(); i++) sum[i] += bytes[i];
    log.held_times[text_or(r, "space", "")]++;
    log.nodes = std::max(log.nodes, unsigned(bytes.size()));
  } else if (event == "cycle_end") {
    take_cycle(log, r);
  }
}

// False at the end. A line that is too long for a record is read to its end and left out.
bool next_line(std::istream& file, std::string& line, bool& too_long) {
  std::streambuf& from = *file.rdbuf(); // the stream's own get() costs as much as parsing
  line.clear();
  too_long = false;
  int c = from.sbumpc();
  if (c == EOF) return false;
  for (; c != EOF && c != '\n'; c = from.sbumpc())
    if (line.size() < kLineMost) line.push_back(char(c));
    else too_long = true;
  return true;
}

void whole_phases_only_where_needed(CycleSeen& c) {
  const auto whole = [](const SpanSeen& s) { return s.what == kWholePhase; };
  if (!std::all_of(c.spans.begin(), c.spans.end(), whole)) std::erase_if(c.spans, whole);
}

// Totals tell copies, marks and slides as one. They are divided as spans are, which may have lost some of their number.
void add_work(LogData& log, const CycleSeen& c) {
  std::map<unsigned, std::vector<double>> seen_ns; // by worker, of what its total calls copies
  const std::vector<PhaseTime> phases = phases_of(c);
  for (const SpanSeen& s : c.spans) {
    if (s.what != unsigned(Activity::copies)) continue;
    std::vector<double>& seen = seen_ns[s.worker];
    seen.resize(kWorks);
    seen[work_of(c, phases, s)] += s.end_ns - s.begin_ns;
  }
  for (const auto& [worker, total] : c.total_ns) {
    std::vector<double>& sums = log.work_ns[worker];
    sums.resize(kWorks);
    std::vector<double>& seen = seen_ns[worker];
    seen.resize(kWorks);
    double all = 0;
    for (double ns : seen) all += ns;
    if (all == 0) seen[c.kind == "full" ? kMarking : unsigned(Activity::copies)] = all = 1;
    for (unsigned what = 0; what < total.size(); what++) {
      if (what != unsigned(Activity::copies)) sums[what] += total[what];
      else for (unsigned work = 0; work < kWorks; work++) sums[work] += total[what] * seen[work] / all;
    }
  }
}

// All records of a collection stand before its end.
class Longest {
 public:
  explicit Longest(LogData& log) : log_(log) {}
  void ended(CycleSeen& c) {
    add_work(log_, c);
    c.total_ns.clear();
    if (longest_ != nullptr && c.pause_ns < longest_->pause_ns) return drop(c);
    if (longest_ != nullptr && longest_ != &c && c.pause_ns > longest_->pause_ns) drop(*longest_);
    longest_ = &c; // of two as long both stay, as which is drawn depends on their order
  }

 private:
  static void drop(CycleSeen& c) { c.spans = {}, c.phases.clear(), c.phase_ns = {}, c.work.clear(); }
  LogData& log_;
  CycleSeen* longest_ = nullptr; // cycles of a map stay where they are
};

} // namespace

LogData read_log(const std::string& path, Keep keep, const ReadSoFar& told, Without without) {
  std::error_code none;
  if (path == "-") throw UsageError("-: a log is a file, and stdin is not read");
  if (std::filesystem::is_directory(path, none)) throw UsageError(fmt::format("{}: a log is a file, and this is a directory", path));
  if (is_device(path)) throw UsageError(fmt::format("{}: a log is a file, and this is a device", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(fmt::format("'{}' cannot be read", path));
  LogData log = read_log(file, path, keep, told, without);
  struct stat facts = {};
  if (stat(path.c_str(), &facts) == 0) log.written = date_text(facts.st_mtime);
  log.name = std::filesystem::path(path).filename().string();
  return log;
}

LogData read_log(std::istream& lines, const std::string& name, Keep keep, const ReadSoFar& told, Without without) {
  constexpr uint64_t kTellBytes = 1 << 20;
  LogData log;
  Longest longest(log);
  bool too_long = false;
  uint64_t bytes = 0, next = kTellBytes;
  for (std::string line; next_line(lines, line, too_long);) {
    if (bytes += line.size() + 1; told && bytes >= next) told(bytes), next = bytes + kTellBytes;
    if (line.empty()) continue;
    const json r = too_long ? json(json::value_t::discarded) : json::parse(line, nullptr, false);
    try {
      if (!r.is_object()) throw NoRecord();
      take(log, r);
      if (keep == Keep::longest && text_or(r, "event", "") == "cycle_end") longest.ended(cycle_of(log, r));
    } catch (const NoRecord&) {
      log.bad_lines++;
    }
  }
  std::erase_if(log.cycles, [](const auto& one) { return one.second.pause_ns <= 0; }); // begun when the log ended
  if (log.cycles.empty() && (log.made_ns.empty() || without == Without::refused))
    throw UsageError(fmt::format("{}: no collection in it ({})", name, log.made_ns.empty() ? "a log is written with log=FILE,log_format=json" : "a heap was made, and not collected as far as the log goes"));
  uint64_t before = 0;
  for (auto& [number, cycle] : log.cycles) {
    whole_phases_only_where_needed(cycle);
    add_work(log, cycle);
    if (log.processes.empty() || log.processes.back() != number.first) log.processes.push_back(number.first);
    else log.missing += number.second - before - 1;
    before = number.second;
  }
  return log;
}

std::string damage_of(const LogData& log) {
  std::string all;
  auto add = [&](uint64_t count, const char* one, const char* several) {
    if (count != 0) all += fmt::format("{}{} {}", all.empty() ? "" : ", ", count, count == 1 ? one : several);
  };
  add(log.bad_lines, "line of the log is no record", "lines of the log are no records");
  add(log.missing, "collection between others is missing", "collections between others are missing");
  add(log.twice, "collection is told again, as by processes of one pid at the same time", "collections are told again, as by processes of one pid at the same time");
  add(log.lost_records, "record could not be written", "records could not be written");
  return all;
}

std::vector<std::pair<std::string, double>> parts_of(const CycleSeen& cycle) {
  std::vector<std::pair<std::string, double>> parts = {{"stopping threads", cycle.stop_ns}};
  parts.insert(parts.end(), cycle.phase_ns.begin(), cycle.phase_ns.end());
  double rest = cycle.pause_ns;
  for (const auto& part : parts) rest -= part.second;
  parts.emplace_back("the rest", rest);
  return parts;
}

const CycleSeen& LogData::longest() const {
  return std::max_element(cycles.begin(), cycles.end(), [](const auto& a, const auto& b) { return a.second.pause_ns < b.second.pause_ns; })->second;
}

std::map<double, double> LogData::steals_by_distance() const {
  std::map<double, double> sums;
  for (size_t i = 0; i < steals.size(); i++)
    for (size_t j = 0; j < steals[i].size(); j++)
      if (i < distances.size() && j < distances[i].size()) sums[distances[i][j]] += steals[i][j];
  return sums;
}

std::vector<PhaseTime> phases_of(const CycleSeen& c) {
  std::vector<PhaseTime> all;
  double at = c.stop_ns, traced = c.stop_ns, seen = 0;
  unsigned traces = 0;
  for (const auto& [name, when] : c.phases) seen = std::max(seen, std::min(when.second - c.start_ns, c.pause_ns));
  for (const auto& [name, ns] : c.phase_ns) {
    at += ns;
    if (name == "evacuate" || name == "mark") traced = at, traces++;
  }
  if (traces == 1 && at <= c.pause_ns) {
    at = c.stop_ns + std::min(std::max(seen - traced, 0.0), c.pause_ns - at);
    for (const auto& [name, ns] : c.phase_ns) all.push_back({name, at, at + ns}), at += ns;
    return all;
  }
  for (const auto& [name, when] : c.phases)
    if (when.first >= c.start_ns && when.second <= c.start_ns + c.pause_ns) all.push_back({name, when.first - c.start_ns, when.second - c.start_ns});
  return all;
}

unsigned work_of(const CycleSeen& c, const std::vector<PhaseTime>& phases, const SpanSeen& span) {
  if (span.what != unsigned(Activity::copies)) return span.what;
  const double middle = (span.begin_ns + span.end_ns) / 2;
  std::string phase;
  for (const PhaseTime& p : phases)
    if (c.start_ns + p.begin_ns <= middle && middle <= c.start_ns + p.end_ns) phase = p.name;
  if (const auto worker = c.work.find(span.worker); worker != c.work.end()) // its own clock is the better witness
    for (const PhaseSeen& one : worker->second.records)
      if (double(one.stats.start_ns) <= middle && middle <= double(one.stats.end_ns)) phase = one.phase;
  if (phase == "compact" || phase == "update") return kSliding;
  const bool moves = phase == "gather" || phase == "cards" || phase == "evacuate";
  return phase == "mark" || (c.kind == "full" && !moves) ? kMarking : span.what; // weak handles and finalizers, in a full collection, lead to marks
}

void each_worker(const LogData& log, const std::function<void(const std::string& line)>& take) {
  for (const auto& [number, cycle] : log.cycles)
    for (const auto& [worker, seen] : cycle.work) {
      nlohmann::ordered_json line = {{"event", "worker"}, {"pid", pid_of(number.first)}, {"index", number.second}, {"kind", cycle.kind}, {"cause", cycle.cause}, {"pause_ns", u64(std::min(cycle.pause_ns, 1e18))},
                                     {"worker", worker}, {"node", seen.node}, {"start_ns", seen.sum.start_ns}, {"end_ns", seen.sum.end_ns}, {"phase_ns", seen.phase_ns}};
      if (const uint64_t before = number.first >> 32; before != 0) line["process"] = before + 1;
      for (const WorkerKey& key : kWorkerKeys) {
        line[key.name] = seen.sum.*key.at;
        if (key.at == &WorkerStats::steals) line["steals_near"] = seen.sum.steals - std::min(seen.sum.steals, seen.sum.steals_remote);
      }
      if (const auto total = cycle.total_ns.find(worker); total != cycle.total_ns.end())
        for (unsigned what = 0; what < total->second.size(); what++) line["activity_ns"][name_of(Activity(what))] = u64(std::min(total->second[what], 1e18));
      take(line.dump());
    }
}

std::string process_name(uint64_t process) { return process >> 32 == 0 ? std::to_string(process) : fmt::format("{}#{}", pid_of(process), (process >> 32) + 1); }

double sum_of(const Matrix& m) {
  double sum = 0;
  for (const auto& row : m)
    for (double v : row) sum += v;
  return sum;
}

double remote_share(const Matrix& m) {
  const double all = sum_of(m);
  double own = 0;
  for (size_t i = 0; i < m.size(); i++) own += i < m[i].size() ? m[i][i] : 0;
  return all == 0 ? 0 : 1 - own / all;
}

std::vector<double> columns_of(const Matrix& m) {
  std::vector<double> sums;
  for (const auto& row : m) {
    sums.resize(std::max(sums.size(), row.size()));
    for (size_t i = 0; i < row.size(); i++) sums[i] += row[i];
  }
  return sums;
}

double imbalance(const std::vector<double>& by_node) {
  std::vector<u64> whole;
  for (double n : by_node) whole.push_back(u64(std::min(n, 1e18))); // more is no count
  return simulation::imbalance_of(whole);
}

} // namespace garner::tool
