// The text of the log's records (log.h), in both formats. Field lists stand here once; the order is the order of the payload structs.
#include <cstdlib>

#include "observe/log.h"

namespace garner {
namespace {

template <class T, class Payload> struct Field {
  const char* name;
  T Payload::*at;
};

constexpr Field<u64, CycleEnd> kCycleTimes[] = {
  {"index", &CycleEnd::index}, {"start_ns", &CycleEnd::start_ns}, {"pause_ns", &CycleEnd::pause_ns}, {"stop_ns", &CycleEnd::stop_ns},
};
constexpr Field<u64, CycleEnd> kCycleFigures[] = {
  {"heap_before", &CycleEnd::heap_before}, {"heap_after", &CycleEnd::heap_after}, {"young_before", &CycleEnd::young_before},
  {"young_after", &CycleEnd::young_after}, {"old_after", &CycleEnd::old_after}, {"large_after", &CycleEnd::large_after},
  {"committed", &CycleEnd::committed}, {"limit", &CycleEnd::limit}, {"fragmented", &CycleEnd::fragmented},
  {"promoted", &CycleEnd::promoted}, {"copied", &CycleEnd::copied}, {"kept", &CycleEnd::kept}, {"moved", &CycleEnd::moved}, {"slid", &CycleEnd::slid}, {"pinned", &CycleEnd::pinned}, {"roots", &CycleEnd::roots},
  {"finalize_pending", &CycleEnd::finalize_pending}, {"allocated_total", &CycleEnd::allocated_total}, {"eden_next", &CycleEnd::eden_next},
  {"gather_ns", &CycleEnd::gather_ns}, {"evacuate_ns", &CycleEnd::evacuate_ns}, {"weak_ns", &CycleEnd::weak_ns},
  {"mark_ns", &CycleEnd::mark_ns}, {"compact_ns", &CycleEnd::compact_ns}, {"finish_ns", &CycleEnd::finish_ns}, {"cards_ns", &CycleEnd::cards_ns},
  {"resize_ns", &CycleEnd::resize_ns},
};
constexpr Field<u64, WorkerStats> kWorkerFigures[] = {
  {"start_ns", &WorkerStats::start_ns}, {"end_ns", &WorkerStats::end_ns}, {"idle_ns", &WorkerStats::idle_ns},
  {"tasks", &WorkerStats::tasks}, {"roots", &WorkerStats::roots}, {"objects_copied", &WorkerStats::objects_copied},
  {"bytes_copied", &WorkerStats::bytes_copied}, {"objects_promoted", &WorkerStats::objects_promoted},
  {"bytes_promoted", &WorkerStats::bytes_promoted}, {"objects_marked", &WorkerStats::objects_marked},
  {"bytes_marked", &WorkerStats::bytes_marked}, {"slots", &WorkerStats::slots}, {"cards", &WorkerStats::cards},
  {"steals", &WorkerStats::steals}, {"steals_remote", &WorkerStats::steals_remote}, {"steal_attempts", &WorkerStats::steal_attempts},
  {"overflows", &WorkerStats::overflows}, {"lost_races", &WorkerStats::lost_races}, {"buffers", &WorkerStats::buffers},
  {"offers", &WorkerStats::offers}, {"withdrawals", &WorkerStats::withdrawals}, {"waits_ns", &WorkerStats::waits_ns},
  {"roots_posted", &WorkerStats::roots_posted}, {"roots_taken", &WorkerStats::roots_taken}, {"roots_remote", &WorkerStats::roots_remote},
  {"requests_sent", &WorkerStats::requests_sent}, {"requests_served", &WorkerStats::requests_served}, {"flushes", &WorkerStats::flushes}, {"lookups", &WorkerStats::lookups}, {"lookup_calls", &WorkerStats::lookup_calls},
};

// One JSON object, written left to right.
class JsonObject {
 public:
  JsonObject(Line& out, const char* event, u32 pid) : out_(out) {
    out_.text("{\"event\":").json_string(event);
    num("pid", pid);
  }
  void num(const char* key, u64 value) { name(key).num(value); }
  void flag(const char* key, bool value) { name(key).text(value ? "true" : "false"); }
  void list(const char* key, const u64* values, u32 count) {
    name(key).text("[");
    for (u32 i = 0; i < count; i++) out_.text(i == 0 ? "" : ",").num(values[i]);
    out_.text("]");
  }
  void spans(const char* key, const Span* spans, u32 count) {
    name(key).text("[");
    for (u32 i = 0; i < count; i++) out_.text(i == 0 ? "[\"" : ",[\"").text(name_of(spans[i].what)).text("\",").num(spans[i].begin_ns).text(",").num(spans[i].end_ns).text("]");
    out_.text("]");
  }
  void text(const char* key, const char* value) { name(key).json_string(value == nullptr ? "" : value); }
  template <class Payload, usize n> void all(const Field<u64, Payload> (&fields)[n], const Payload& from) {
    for (const Field<u64, Payload>& field : fields) num(field.name, from.*field.at);
  }
  void end(u64 lost) {
    if (lost != 0) num("lost_before", lost);
    out_.text("}");
  }

 private:
  Line& name(const char* key) { return out_.text(",\"").text(key).text("\":"); }
  Line& out_;
};

void json_cycle(JsonObject& json, const CycleEnd& cycle) {
  json.all(kCycleTimes, cycle);
  json.text("kind", name_of(cycle.kind));
  json.text("cause", name_of(cycle.cause));
  json.flag("compacted", cycle.compacted);
  json.flag("promotion_failed", cycle.promotion_failed);
  json.flag("en_masse", cycle.en_masse);
  json.num("workers", cycle.workers);
  json.all(kCycleFigures, cycle);
}

void json_ready(JsonObject& json, const HeapReady& ready, u64 start_ns) {
  json.num("format", Log::kFormat);
  json.num("start_ns", start_ns);
  json.num("reserved_bytes", ready.reserved_bytes);
  json.num("limit_bytes", ready.limit_bytes);
  json.num("region_bytes", ready.region_bytes);
  json.num("workers", ready.workers);
  json.num("nodes", ready.nodes);
  json.text("door", ready.door);
  json.text("preset", ready.preset);
  if (const char* run = getenv("GARNER_RUN"); run != nullptr && *run != 0 && strlen(run) < 64) json.text("run", run); // of `garner run`, which reads a log that others write to as well
}

void json_worker(JsonObject& json, const WorkerPhase& phase) {
  json.num("index", phase.index);
  json.text("phase", name_of(phase.phase));
  json.num("worker", phase.worker);
  json.num("node", phase.node);
  if (phase.stats != nullptr) json.all(kWorkerFigures, *phase.stats);
}

void json_spans(JsonObject& json, const WorkerSpans& one) {
  json.num("index", one.index);
  json.num("worker", one.worker);
  json.num("node", one.node);
  json.list("total_ns", one.total_ns, kActivities);
  json.spans("spans", one.spans, min_of(one.count, kSpansAtOnce));
}

// What only sinks that ask for details are told. False for other events.
bool json_detail(JsonObject& json, EventId id, const void* payload) {
  switch (id) {
    case EventId::node_distances: {
      const NodeDistances& row = *static_cast<const NodeDistances*>(payload);
      json.num("node", row.node);
      json.list("to", row.to, row.nodes);
      return true;
    }
    case EventId::node_bytes: {
      const NodeBytes& space = *static_cast<const NodeBytes*>(payload);
      json.num("index", space.index);
      json.text("space", name_of(space.space));
      json.num("asked", space.asked);
      json.num("unknown", space.unknown);
      json.list("bytes", space.bytes, space.nodes);
      return true;
    }
    case EventId::node_uses: {
      const NodeUses& row = *static_cast<const NodeUses*>(payload);
      json.num("index", row.index);
      json.text("space", name_of(row.space));
      json.num("node", row.node);
      json.list("accesses", row.accesses, row.nodes);
      json.list("bytes", row.bytes, row.nodes);
      return true;
    }
    case EventId::steals: {
      const Steals& row = *static_cast<const Steals*>(payload);
      json.num("index", row.index);
      json.num("node", row.node);
      json.list("from", row.from, row.nodes);
      return true;
    }
    case EventId::locality: {
      const NodeLocality& row = *static_cast<const NodeLocality*>(payload);
      json.num("index", row.index);
      json.num("node", row.node);
      json.list("objects", row.objects, row.nodes);
      return true;
    }
    case EventId::spans: json_spans(json, *static_cast<const WorkerSpans*>(payload)); return true;
    default: return false;
  }
}

// Bytes in the largest unit that leaves a whole part, with one decimal: "812", "1.5k", "40.2m", "3.0g".
void add_size(Line& out, u64 bytes) {
  static constexpr struct { u64 unit; const char* letter; } kUnits[] = {{GiB, "g"}, {MiB, "m"}, {KiB, "k"}};
  for (auto [unit, letter] : kUnits)
    if (bytes >= unit) {
      out.fixed(bytes / unit * 10 + bytes % unit * 10 / unit, 1).text(letter);
      return;
    }
  out.num(bytes);
}

void add_change(Line& out, const char* what, u64 before, u64 after) {
  out.text(", ").text(what).text(" ");
  add_size(out, before);
  out.text(" -> ");
  add_size(out, after);
}

void add_part(Line& out, const char* what, u64 bytes) {
  out.text(", ").text(what).text(" ");
  add_size(out, bytes);
}

void add_limit(Line& out, u64 bytes) {
  if (bytes == 0) out.text("none");
  else add_size(out, bytes);
}

void line_cycle(Line& out, const CycleEnd& cycle, u64 start_ns) {
  u64 since = cycle.start_ns > start_ns ? cycle.start_ns - start_ns : 0;
  out.text("[").fixed(since / 1000000, 3).text(" s] gc ").num(cycle.index).text(" ").text(name_of(cycle.kind)).text(" ").text(name_of(cycle.cause));
  out.text(": paused ").fixed(cycle.pause_ns / 1000, 3).text(" ms (stopping ").fixed(cycle.stop_ns / 1000, 3).text(")");
  add_change(out, "heap", cycle.heap_before, cycle.heap_after);
  add_change(out, "young", cycle.young_before, cycle.young_after);
  add_part(out, "old", cycle.old_after);
  add_part(out, "large", cycle.large_after);
  add_part(out, "copied", cycle.copied);
  add_part(out, "promoted", cycle.promoted);
  out.text(", pinned ").num(cycle.pinned).text(", workers ").num(cycle.workers);
  if (cycle.compacted) out.text(", compacted");
  if (cycle.en_masse) out.text(", en masse");
  if (cycle.moved != 0) add_part(out, "moved", cycle.moved);
  if (cycle.promotion_failed) out.text(", promotion failed"), add_part(out, "kept", cycle.kept);
}

void line_ready(Line& out, const HeapReady& ready) {
  out.text("heap ready: door ").text(ready.door == nullptr ? "?" : ready.door).text(", preset ").text(ready.preset == nullptr ? "?" : ready.preset);
  out.text(", limit ");
  add_limit(out, ready.limit_bytes);
  add_part(out, "reserved", ready.reserved_bytes);
  add_part(out, "regions of", ready.region_bytes);
  out.text(", workers ").num(ready.workers).text(", nodes ").num(ready.nodes);
}

} // namespace

bool json_record(Line& out, EventId id, const void* payload, const RecordContext& context) {
  JsonObject json(out, name_of(id), context.pid);
  switch (id) {
    case EventId::heap_ready: json_ready(json, *static_cast<const HeapReady*>(payload), context.start_ns); break;
    case EventId::cycle_end: json_cycle(json, *static_cast<const CycleEnd*>(payload)); break;
    case EventId::worker_phase: json_worker(json, *static_cast<const WorkerPhase*>(payload)); break;
    case EventId::limit_changed: {
      const LimitChanged& change = *static_cast<const LimitChanged*>(payload);
      json.num("before", change.before);
      json.num("after", change.after);
      break;
    }
    case EventId::out_of_memory: {
      const OutOfMemory& out_of = *static_cast<const OutOfMemory*>(payload);
      json.num("asked", out_of.asked);
      json.num("committed", out_of.committed);
      json.num("limit", out_of.limit);
      break;
    }
    default:
      if (!json_detail(json, id, payload)) return false;
  }
  json.end(context.lost);
  return true;
}

bool line_record(Line& out, EventId id, const void* payload, const RecordContext& context) {
  out.text("garner: ");
  switch (id) {
    case EventId::heap_ready: line_ready(out, *static_cast<const HeapReady*>(payload)); break;
    case EventId::cycle_end: line_cycle(out, *static_cast<const CycleEnd*>(payload), context.start_ns); break;
    case EventId::limit_changed: {
      const LimitChanged& change = *static_cast<const LimitChanged*>(payload);
      out.text("limit changed: ");
      add_limit(out, change.before);
      out.text(" -> ");
      add_limit(out, change.after);
      break;
    }
    case EventId::out_of_memory: {
      const OutOfMemory& out_of = *static_cast<const OutOfMemory*>(payload);
      out.text("out of memory: asked ");
      add_size(out, out_of.asked);
      add_part(out, "committed", out_of.committed);
      out.text(", limit ");
      add_limit(out, out_of.limit);
      break;
    }
    default: return false; // a worker's phase is for programs to read
  }
  if (context.lost != 0) out.text(", ").num(context.lost).text(context.lost == 1 ? " record" : " records").text(" lost before this one");
  return true;
}

} // namespace garner
