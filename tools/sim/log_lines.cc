// Lines of log_lines.h. N27 T15.
#include "sim/log_lines.h"

#include "observe/log.h"

namespace garner::simulation {
namespace {

template <class F> std::string matrix(u32 nodes, F at) {
  std::string out = "[";
  for (u32 i = 0; i < nodes; i++) {
    out += i == 0 ? "[" : ",[";
    for (u32 j = 0; j < nodes; j++) out += (j == 0 ? "" : ",") + std::to_string(at(i, j));
    out += "]";
  }
  return out + "]";
}

std::string head(const char* event, u64 index) { return std::string("{\"event\":\"") + event + "\",\"pid\":0,\"index\":" + std::to_string(index); }

template <class Payload> void add_record(std::string& out, EventId id, const Payload& payload) {
  Line line;
  if (json_record(line, id, &payload, {0, 0, 0})) out.append(line.c_str(), line.size()).push_back('\n');
}

void add_spans(std::string& out, const Collection& c, u32 workers) {
  for (u32 w = 0; w < workers; w++) {
    std::string spans;
    for (const Span& s : c.spans)
      if (s.worker == w) spans += std::string(spans.empty() ? "[\"" : ",[\"") + kActivityNames[usize(s.activity)] + "\"," + std::to_string(s.begin_ns) + "," + std::to_string(s.end_ns) + "]";
    if (!spans.empty()) out += head("spans", c.end.index) + ",\"worker\":" + std::to_string(w) + ",\"spans\":[" + spans + "]}\n";
  }
}

} // namespace

std::string log_lines(const Measures& m) {
  std::string out;
  HeapReady ready{};
  ready.workers = m.workers, ready.nodes = m.nodes, ready.door = "simulated", ready.preset = "";
  add_record(out, EventId::heap_ready, ready);
  for (const Collection& c : m.collections) {
    for (const WorkerLine& w : c.workers) add_record(out, EventId::worker_phase, WorkerPhase{c.end.index, Phase::evacuate, w.worker, w.node, &w.stats});
    add_spans(out, c, m.workers);
    for (usize s = 0; s < kSpaceKinds && !c.traffic.empty(); s++)
      out += head("node_uses", c.end.index) + ",\"space\":\"" + kSpaceNames[s] + "\",\"accesses\":" +
             matrix(m.nodes, [&](u32 i, u32 j) { const Uses& u = c.traffic.at(SpaceKind(s), i, j); return u.reads + u.writes; }) + ",\"bytes\":" +
             matrix(m.nodes, [&](u32 i, u32 j) { const Uses& u = c.traffic.at(SpaceKind(s), i, j); return u.bytes_read + u.bytes_written; }) + "}\n";
    if (!c.steals.empty()) out += head("steals", c.end.index) + ",\"by_node\":" + matrix(m.nodes, [&](u32 i, u32 j) { return c.steals[i * m.nodes + j]; }) + "}\n";
    if (c.locality.all.nodes() != 0) out += head("locality", c.end.index) + ",\"objects\":" + matrix(m.nodes, [&](u32 i, u32 j) { return c.locality.all.count(i, j); }) + "}\n";
    add_record(out, EventId::cycle_end, c.end);
  }
  return out;
}

} // namespace garner::simulation
