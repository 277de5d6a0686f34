// Lines of log_lines.h. N27 T15.
#include "sim/log_lines.h"

#include <algorithm>

#include "observe/log.h"

namespace garner::simulation {
namespace {

template <class Payload> void add_record(std::string& out, EventId id, const Payload& payload) {
  Line line;
  if (json_record(line, id, &payload, {0, 0, 0})) out.append(line.c_str(), line.size()).push_back('\n');
}

void add_spans(std::string& out, const Collection& c, const WorkerLine& worker) {
  std::vector<Span> spans;
  u64 total[kActivities] = {};
  for (const WorkerSpan& s : c.spans) {
    if (s.worker != worker.worker) continue;
    spans.push_back(s.span);
    total[u8(s.span.what)] += s.span.end_ns - s.span.begin_ns;
  }
  for (usize from = 0; from < spans.size(); from += kSpansAtOnce)
    add_record(out, EventId::spans, WorkerSpans{c.end.index, worker.worker, worker.node, total, &spans[from], u32(std::min<usize>(spans.size() - from, kSpansAtOnce))});
}

void add_uses(std::string& out, const Collection& c, u32 nodes) {
  for (u32 s = 0; s < kSpaceKinds && !c.traffic.empty(); s++)
    for (u32 n = 0; n < nodes; n++) {
      std::vector<u64> accesses, bytes;
      for (u32 m = 0; m < nodes; m++) {
        const Uses& u = c.traffic.at(SpaceKind(s), n, m);
        accesses.push_back(u.reads + u.writes), bytes.push_back(u.bytes_read + u.bytes_written);
      }
      add_record(out, EventId::node_uses, NodeUses{c.end.index, SpaceKind(s), n, nodes, accesses.data(), bytes.data()});
    }
}

void add_collection(std::string& out, const Collection& c, u32 nodes) {
  const bool several = nodes > 1;
  if (several && !c.eden_pages.empty()) {
    std::vector<u64> bytes = c.eden_pages;
    for (u64& n : bytes) n *= kPageBytes;
    add_record(out, EventId::node_bytes, NodeBytes{c.end.index, SpaceKind::eden, nodes, 0, 0, bytes.data()});
  }
  if (c.locality.all.nodes() != 0)
    for (u32 n = 0; n < nodes; n++) {
      std::vector<u64> row;
      for (u32 m = 0; m < nodes; m++) row.push_back(c.locality.all.count(n, m));
      if (std::any_of(row.begin(), row.end(), [](u64 v) { return v != 0; })) add_record(out, EventId::locality, NodeLocality{c.end.index, n, nodes, row.data()});
    }
  for (const WorkerLine& w : c.workers) add_record(out, EventId::worker_phase, WorkerPhase{c.end.index, w.phase, w.worker, w.node, &w.stats});
  std::vector<u32> told; // a worker of two phases has one timeline
  for (const WorkerLine& w : c.workers)
    if (std::find(told.begin(), told.end(), w.worker) == told.end()) add_spans(out, c, w), told.push_back(w.worker);
  if (several) {
    add_uses(out, c, nodes);
    for (u32 n = 0; n < nodes && !c.steals.empty(); n++)
      if (const u64* row = &c.steals[n * nodes]; std::any_of(row, row + nodes, [](u64 v) { return v != 0; })) add_record(out, EventId::steals, Steals{c.end.index, n, nodes, row});
  }
  add_record(out, EventId::cycle_end, c.end);
}

} // namespace

std::string log_lines(const Measures& m, const std::string& preset) {
  std::string out;
  HeapReady ready{};
  ready.workers = m.workers, ready.nodes = m.nodes, ready.door = "simulated", ready.preset = preset.c_str();
  add_record(out, EventId::heap_ready, ready);
  for (u32 n = 0; n < m.nodes && m.nodes > 1 && !m.distances.empty(); n++) add_record(out, EventId::node_distances, NodeDistances{n, m.nodes, &m.distances[n * m.nodes]});
  for (const Collection& c : m.collections) add_collection(out, c, m.nodes);
  return out;
}

} // namespace garner::simulation
