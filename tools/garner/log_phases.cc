#include "log_phases.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "page.h"
#include "table.h"

namespace garner::tool {

const char* const kLimitWords = "evacuate: 1.5 lines of each object read at random, as one of 48 bytes lies on one or two, and its bytes copied; mark: 1.5 lines of each object; compact: bytes that move copied, others read, which takes half as long";

namespace {

constexpr double kLinesOfObject = 1.5;
constexpr const char* kKinds[] = {"young", "full", "marked"};
enum KindSeen : size_t { kYoung, kFull, kMarked };
constexpr const char* kPhases[] = {"stopping threads", "gather", "cards", "evacuate", "mark", "weak", "compact", "finish", "the rest", "pause"}; // in this order

KindSeen kind_of(const CycleSeen& c) { return c.kind != name_of(Kind::full) ? kYoung : c.cause == name_of(Cause::marked) ? kMarked : kFull; }

// What workers' records of a phase come to; of all phases without a name.
double sum_of(const CycleSeen& c, const char* phase, u64 WorkerStats::*what) {
  double sum = 0;
  for (const auto& [worker, seen] : c.work)
    for (const PhaseSeen& record : seen.records)
      if (phase == nullptr || record.phase == phase) sum += double(record.stats.*what);
  return sum;
}

// Where a collection asks for roots twice, at the begin and the end of a marking, its own count has those of the first time, and workers' records of phases those of both.
double roots_of(const CycleSeen& c) { return std::max(double(c.figures.roots), sum_of(c, nullptr, &WorkerStats::roots)); }

void add_work(PhaseRow& row, const CycleSeen& c) {
  const char* const phase = row.phase.c_str();
  const auto add = [&](double PhaseRow::*to, const char* of, u64 WorkerStats::*what) { row.*to += sum_of(c, of, what); };
  if (row.phase == "gather") {
    row.roots += roots_of(c);
  } else if (row.phase == "evacuate") {
    add(&PhaseRow::objects, phase, &WorkerStats::objects_copied), add(&PhaseRow::slots, phase, &WorkerStats::slots), add(&PhaseRow::cards, phase, &WorkerStats::cards);
    add(&PhaseRow::bytes, phase, &WorkerStats::bytes_copied), add(&PhaseRow::moved, phase, &WorkerStats::bytes_copied);
  } else if (row.phase == "mark") {
    add(&PhaseRow::objects, phase, &WorkerStats::objects_marked), add(&PhaseRow::slots, phase, &WorkerStats::slots), add(&PhaseRow::bytes, phase, &WorkerStats::bytes_marked);
  } else if (row.phase == "compact" && kind_of(c) == kFull) { // reads and rewrites all that lives
    add(&PhaseRow::objects, "mark", &WorkerStats::objects_marked), add(&PhaseRow::bytes, "mark", &WorkerStats::bytes_marked);
    row.moved += double(c.figures.slid);
  } else if (row.phase == "compact") {
    row.bytes += double(c.figures.moved), row.moved += double(c.figures.moved);
  }
}

std::string count_text(double value) { return value > 0 ? short_number(value) : "-"; }
std::string per_text(double value, double of) { return value > 0 && of > 0 ? short_number(value / of) : "-"; }

// What the table says of itself, a line each.
std::vector<std::string> remarks_on(const LogData& log, const std::optional<MemoryRates>& rates) {
  std::vector<std::string> all = {"ms: of the pause, all workers together; ns each: of a root in gather, else of an object; objects: copied, marked, or in compact alive; MB: theirs, and of them what got another place"};
  if (log.simulated) all.push_back("times are the simulated machine's: what this machine can do says nothing of them");
  if (!rates) return all;
  all.push_back(fmt::format("limits: this machine copies {} GB/s and reads {} million lines of 64 bytes at random a second, measured now with {} thread{}{}", short_number(rates->copied_gb), short_number(rates->lines_per_us), rates->threads,
                            rates->threads == 1 ? "" : "s", rates->threads < log.workers ? fmt::format(" (the log's collections had {} workers)", log.workers) : ""));
  all.push_back(kLimitWords);
  all.push_back("limit / time: above 100 % objects were in caches");
  return all;
}

} // namespace

double PhaseRow::limit_ns(const MemoryRates& rates) const {
  if (!moved_known) return 0;
  const double lines = phase == "evacuate" || phase == "mark" ? kLinesOfObject * objects : 0; // those of compact come in sequence
  const double copied = phase == "compact" ? (bytes + moved) / 2 : phase == "evacuate" ? moved : 0;
  return (lines > 0 ? lines / rates.lines_per_us * 1000 : 0) + (copied > 0 ? copied / rates.copied_gb : 0);
}

std::vector<PhaseRow> phase_rows(const LogData& log) {
  std::map<std::pair<size_t, size_t>, PhaseRow> rows;
  bool any = false;
  for (const auto& [number, c] : log.cycles) {
    const size_t kind = kind_of(c);
    const auto add = [&](const std::string& phase, double ns) {
      if (ns < 1) return; // no clock tells less
      const size_t place = size_t(std::find(std::begin(kPhases), std::end(kPhases), phase) - std::begin(kPhases));
      PhaseRow& row = rows[{kind, place}];
      row.kind = kKinds[kind], row.phase = phase;
      row.count++;
      row.ns += ns;
      row.moved_known = log.tells_slid || kind != kFull || phase != "compact";
      add_work(row, c);
    };
    if (std::any_of(c.phase_ns.begin(), c.phase_ns.end(), [](const auto& phase) { return phase.second >= 1; })) any = true;
    for (const auto& [part, ns] : parts_of(c)) add(part, ns);
    add("pause", c.pause_ns);
  }
  std::vector<PhaseRow> all;
  for (auto& [place, row] : rows) all.push_back(std::move(row));
  return any ? all : std::vector<PhaseRow>();
}

std::string phases_text(const LogData& log, const std::optional<MemoryRates>& rates, bool markdown, bool colour) {
  std::vector<std::string> head = {"collections", "phase", "number", "ms", "roots", "objects", "slots", "cards", "MB", "MB moved", "ns each", "GB/s"};
  if (rates) head.insert(head.end(), {"limit, ms", "limit / time"});
  Table table(head);
  table.left(1);
  for (const PhaseRow& r : phase_rows(log)) {
    std::vector<std::string> cells = {r.kind, r.phase, std::to_string(r.count), short_number(r.ns / 1e6)};
    for (double value : {r.roots, r.objects, r.slots, r.cards, r.bytes / kMegabyte}) cells.push_back(count_text(value));
    cells.push_back(r.moved_known ? count_text(r.moved / kMegabyte) : "-");
    cells.push_back(per_text(r.ns, r.roots > 0 ? r.roots : r.objects));
    cells.push_back(per_text(r.bytes, r.ns));
    if (const double limit = rates ? r.limit_ns(*rates) : 0; limit > 0) cells.insert(cells.end(), {short_number(limit / 1e6), fmt::format("{:.0f} %", 100 * limit / r.ns)});
    else if (rates) cells.insert(cells.end(), {"-", "-"});
    table.row(cells);
  }
  std::string text = (markdown ? table.markdown() : table.text(colour)) + "\n";
  for (const std::string& remark : remarks_on(log, rates)) text += fmt::format("{}{}\n", markdown ? "- " : "", remark);
  return text;
}

} // namespace garner::tool
