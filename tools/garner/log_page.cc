#include "log_page.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "json_text.h"
#include "log_pauses.h"
#include "log_series.h"
#include "stats.h"
#include "table.h"

namespace garner::tool {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kProcessesNamed = 12; // at the page's head
constexpr size_t kSpaces = 4;
constexpr const char* kSpace[kSpaces] = {"eden", "from", "to", "old"};
constexpr const char* kSpaceNames[kSpaces] = {"eden", "from-space", "to-space", "old space"};
struct Named { const char* name; Look look; };
const Named kLooks[] = {{"eden", {Colour::blue}}, {"from", {Colour::orange}}, {"to", {Colour::green}}, {"old", {Colour::violet}}, // of spaces, the same in every figure
                        {"young", {Colour::blue, {5, 3}}}, {"full", {Colour::orange}}, {"heap", {Colour::green}}, {"large", {Colour::gold}}, {"committed", {Colour::faint}}, {"limit", {Colour::grey, {7, 3}}},
                        {"copied", {Colour::blue}}, {"promoted", {Colour::violet}}, {"promoted en masse", {Colour::gold, {}, 2}}};
// What workers do, by Activity and what log_data.h adds to it.
constexpr Colour kWorkColours[kWorks] = {Colour::gold, Colour::violet, Colour::green, Colour::orange, Colour::faint, Colour::green, Colour::blue, Colour::grey};
constexpr unsigned kShown[kWorks] = {1, 2, kMarking, kSliding, 3, 0, 4, kWholePhase}; // in this order

constexpr const char* kStyle = R"(:root{--heat:8 63 122;--in:#000;--on:#fff}@media(prefers-color-scheme:dark){:root{--heat:90 167 242;--in:#fff;--on:#000}}
.tiles{display:flex;flex-wrap:wrap;gap:.8em;margin:1em 0}.tile{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.5em .9em}
.tile b{display:block;font-size:1.35em;font-weight:600}.tile span{color:var(--soft);font-size:.85em}
.heats{display:flex;flex-wrap:wrap;gap:0 2.2em}.heats section{min-width:0}.heat td,.heat th{border:1px solid var(--bg);padding:.1em;text-align:center;min-width:2.4em;font-size:.85rem}.heat th{color:var(--soft);font-weight:400}
.heat td{background:rgb(var(--heat)/var(--v));color:var(--in)}.heat .on{color:var(--on)}.heat .none{color:var(--soft)}.many td,.many th{min-width:.7em;height:.7em;padding:0}
.scale{font-size:.85rem}.scale i{display:inline-block;width:9em;height:.75em;margin:0 .5em;background:linear-gradient(90deg,rgb(var(--heat)/.06),rgb(var(--heat)))}
)";

// ---- their numbers ----

std::vector<std::string> node_names(unsigned nodes) {
  std::vector<std::string> names;
  for (unsigned n = 0; n < nodes; n++) names.push_back(std::to_string(n));
  return names;
}

std::vector<double> scaled(std::vector<double> values, double by, size_t size) {
  values.resize(std::max(values.size(), size));
  for (double& v : values) v *= by;
  return values;
}

json percentiles_figure(const LogData& log) {
  const std::vector<RunSeen> runs = runs_of(log);
  double ran_ns = 0;
  for (const RunSeen& run : runs) ran_ns += run.ns();
  const bool timed = ran_ns > 0 && runs.size() == log.processes.size();
  json rows = json::array();
  for (const PauseRow& r : pause_rows(log))
    rows.push_back({{"kind", r.kind}, {"count", r.count}, {"p50_ms", r.p50_ms}, {"p90_ms", r.p90_ms}, {"p99_ms", r.p99_ms}, {"p99_9_ms", r.p999_ms}, {"longest_ms", r.longest_ms}, {"total_ms", r.total_ms}});
  json figure = {{"title", "Percentiles of pauses"}, {"draw", "percentiles"}};
  if (timed) {
    figure["logged_s"] = ran_ns / 1e9;
    for (json& row : rows) row["share"] = row["total_ms"].get<double>() * 1e6 / ran_ns;
  }
  figure["rows"] = rows;
  return figure;
}

json causes_figure(const LogData& log) {
  json rows = json::array();
  for (const CauseRow& r : cause_rows(log)) rows.push_back({{"cause", r.cause}, {"count", r.count}, {"full", r.full}, {"total_ms", r.total_ms}, {"longest_ms", r.longest_ms}});
  return {{"title", "Why collections began"}, {"draw", "causes"}, {"rows", rows}};
}

json least_running_figure(const LogData& log) {
  const std::vector<RunSeen> runs = runs_of(log);
  json figure = series_figure("Minimum mutator utilisation", "lines", "length of the window, ms", "least share of a window, %", "%");
  figure["log"] = true;
  figure["processes"] = runs.size();
  for (const LeastRunning& one : least_running(runs)) figure["xs"].push_back(one.window_ns / 1e6), figure["series"]["program runs"].push_back({one.window_ns / 1e6, 100 * one.share});
  return figure;
}

json activities_figure(const LogData& log) {
  json rows = json::array();
  for (const auto& [worker, ns] : log.work_ns) rows.push_back({{"worker", worker}, {"ms", scaled(ns, 1e-6, kWorks)}});
  return {{"title", "What workers' time in collections went into"}, {"draw", "activities"}, {"by_worker", rows}};
}

// Spans that touch each other and are narrower than can be seen become one, of what most of it was. A simulation's may be tens of thousands.
std::vector<SpanSeen> joined(const CycleSeen& c, const std::vector<PhaseTime>& phases) {
  std::vector<SpanSeen> all;
  const double narrow = c.pause_ns / 1000;
  double parts[kWorks] = {};
  for (SpanSeen s : c.spans) {
    s.what = work_of(c, phases, s);
    if (!all.empty() && all.back().worker == s.worker && all.back().end_ns == s.begin_ns && (s.what == all.back().what || s.end_ns - all.back().begin_ns < narrow)) {
      all.back().end_ns = s.end_ns;
    } else {
      all.push_back(s);
      std::fill(std::begin(parts), std::end(parts), 0);
    }
    parts[s.what] += s.end_ns - s.begin_ns;
    all.back().what = unsigned(std::max_element(std::begin(parts), std::end(parts)) - std::begin(parts));
  }
  return all;
}

json timeline_figure(const LogData& log) {
  const CycleSeen& c = log.longest();
  unsigned workers = 0;
  json spans = json::array(), phases = json::array();
  const std::vector<PhaseTime> found = phases_of(c);
  for (const SpanSeen& s : joined(c, found)) {
    workers = std::max(workers, s.worker + 1);
    spans.push_back({s.worker, s.what, s.begin_ns - c.start_ns, s.end_ns - c.start_ns});
  }
  for (const PhaseTime& p : found) phases.push_back({p.name, p.begin_ns, p.end_ns});
  json figure = {{"title", fmt::format("Workers in the longest collection ({}, {}, {} ms)", c.kind, c.cause, short_number(c.pause_ns / 1e6))}, {"draw", "timeline"}, {"workers", workers}, {"pause_ns", c.pause_ns}, {"stop_ns", std::min(c.stop_ns, c.pause_ns)}, {"phases", phases}, {"spans", spans}};
  if (std::all_of(c.spans.begin(), c.spans.end(), [](const SpanSeen& s) { return s.what == kWholePhase; })) figure["plain"] = true;
  return figure;
}

json bars_figure(const char* title, const char* x, const char* unit, std::vector<std::string> xs) {
  return {{"title", title}, {"draw", "bars"}, {"x", x}, {"unit", unit}, {"xs", xs}, {"series", json::object()}};
}

json heat_figure(const std::string& title, const Matrix& m, unsigned nodes, bool percent, const char* unit, const char* lines, const char* columns) {
  return {{"title", title}, {"draw", "heat"}, {"nodes", nodes}, {"percent", percent}, {"unit", unit}, {"lines", lines}, {"columns", columns}, {"rows", m}};
}

json histogram_figure(const LogData& log) {
  json figure = bars_figure("Collections by length of their pause", "pause, ms", "collections", {});
  size_t young = 0, full = 0, least = SIZE_MAX, most = 0;
  json of_young = json::array(), of_full = json::array();
  for (const PauseBucket& b : pause_buckets(log)) {
    figure["xs"].push_back(fmt::format("{:g} to {:g}", b.from_ms, b.to_ms));
    of_young.push_back(b.young), of_full.push_back(b.full);
    young += b.young, full += b.full;
    for (size_t count : {b.young, b.full}) if (count > 0) least = std::min(least, count), most = std::max(most, count);
  }
  if (young > 0) figure["series"]["young"] = of_young;
  if (full > 0) figure["series"]["full"] = of_full;
  figure["named"] = figure["whole"] = true;
  if (double(most) >= kFarApart * double(least)) figure["log_y"] = true; // a few full collections beside many young ones
  return figure;
}

void add_steals(const LogData& log, json& all) {
  if (log.nodes == 1 || log.steals_near + log.steals_far + sum_of(log.steals) == 0) return; // of one node a tile has their number
  // What a machine counts in: a file's machine in picoseconds of a read, a uniform one in percent of a near read, a system in the firmware's tenths.
  const double near = log.distances.empty() || log.distances[0].empty() ? 0 : log.distances[0][0];
  const bool timed = log.simulated && near >= 1000;
  json by_distance = bars_figure("Steals by distance", timed ? "distance: a read of memory there, ns" : log.simulated ? "distance, % of a near read" : "distance, as firmware counts it (own node: 10)", "steals", {});
  std::vector<double> values;
  for (const auto& [distance, steals] : log.steals_by_distance())
    by_distance["xs"].push_back(short_number(timed ? distance / 1000 : distance) + (distance == near ? " (same node)" : "")), values.push_back(steals);
  if (values.empty()) by_distance["x"] = "of the thief and its victim", by_distance["xs"] = {"within a node", "between nodes"}, values = {log.steals_near, log.steals_far};
  by_distance["series"]["steals"] = values;
  all.push_back(by_distance);
  if (!log.steals.empty()) all.push_back(heat_figure("Steals by node", log.steals, log.nodes, false, "steals", "node of the thief", "node of the victim"));
}

void add_spaces(const LogData& log, json& all) {
  json held = bars_figure("Bytes of each space when a collection begins, mean", "node of the page", "MB", node_names(log.nodes)), accesses = bars_figure("Accesses by workers to each space", "node of the page", "accesses", node_names(log.nodes)),
       bytes = bars_figure("Bytes read or written by workers in each space", "node of the page", "MB", node_names(log.nodes));
  held["named"] = accesses["named"] = bytes["named"] = true; // which space it is, also where there is one
  json rows = json::array();
  for (const char* space : kSpace) {
    if (const auto found = log.held.find(space); found != log.held.end()) held["series"][space] = scaled(found->second, 1 / kMegabyte / std::max(log.held_times.at(space), 1u), log.nodes);
    const auto uses = log.accesses.find(space);
    if (uses == log.accesses.end()) continue;
    const Matrix& moved = log.bytes.at(space);
    accesses["series"][space] = scaled(columns_of(uses->second), 1, log.nodes);
    bytes["series"][space] = scaled(columns_of(moved), 1 / kMegabyte, log.nodes);
    rows.push_back({{"space", space}, {"accesses", sum_of(uses->second)}, {"bytes", sum_of(moved)}, {"remote_accesses", remote_share(uses->second)}, {"remote_bytes", remote_share(moved)},
                    {"imbalance", imbalance(scaled(columns_of(uses->second), 1, log.nodes))}});
  }
  if (!held["series"].empty()) all.push_back(held);
  if (rows.empty()) return;
  all.push_back({{"title", "Each space: how much of it is remote, how even"}, {"draw", "spaces"}, {"rows", rows}});
  all.push_back(accesses);
  all.push_back(bytes);
  for (size_t i = 0; i < kSpaces; i++)
    if (const auto found = log.accesses.find(kSpace[i]); found != log.accesses.end()) all.push_back(heat_figure(fmt::format("Accesses to {}, % of each row", kSpaceNames[i]), found->second, log.nodes, true, "%", "node of the worker", "node of the page"));
}

// Whose collections these are, as far as the log tells: a program's name and its other options do not stand in it.
std::string identity(const LogData& log) {
  std::vector<std::string> parts;
  if (!log.written.empty()) parts.push_back("last written " + log.written);
  std::vector<std::string> pids;
  for (uint64_t process : log.processes) if (pids.size() < kProcessesNamed) pids.push_back(process_name(process));
  if (!log.simulated) parts.push_back(fmt::format("{} {}{}", log.processes.size() == 1 ? "process" : "processes", fmt::join(pids, ", "), log.processes.size() > pids.size() ? ", …" : ""));
  if (!log.door.empty() && !log.simulated) parts.push_back("host " + log.door);
  const std::string whose = log.processes.size() > 1 && !log.simulated ? " (the last one's)" : ""; // others may have had others
  if (!log.preset.empty()) parts.push_back("preset " + log.preset + whose);
  if (log.limit_bytes) parts.push_back((*log.limit_bytes == 0 ? "no limit" : fmt::format("limit {} MB", mark_text(*log.limit_bytes / kMegabyte, 1))) + whose);
  if (log.workers_allowed > 0) parts.push_back(fmt::format("{} worker{}", log.workers_allowed, log.workers_allowed == 1 ? "" : "s"));
  parts.push_back(fmt::format("{} node{}", log.nodes, log.nodes == 1 ? "" : "s"));
  double end = 0;
  for (const auto& [name, c] : log.cycles) end = std::max(end, c.start_ns + c.pause_ns);
  parts.push_back(fmt::format("{} collection{} in {}", mark_text(double(log.cycles.size()), 1), log.cycles.size() == 1 ? "" : "s", short_time((end - first_start(log)) / 1e6)));
  std::string out = log.name.empty() ? "<p>" : fmt::format("<p><code>{}</code>: ", escape(log.name));
  out += escape(fmt::format("{}", fmt::join(parts, "; ")));
  return out + (log.simulated ? "; times, accesses and bytes are the simulated machine's</p>\n" : "</p>\n");
}

std::string tiles(const LogData& log) {
  const PauseRow pauses = pause_rows(log).back(); // of all collections
  auto tile = [](const std::string& value, const std::string& what) { return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>", value, what); };
  std::string out = "<div class=\"tiles\">" + tile(mark_text(double(pauses.count), 1), pauses.count == 1 ? "collection" : "collections") + tile(short_time(pauses.total_ms), pauses.count == 1 ? "pause" : "paused in all");
  if (pauses.count > 1) out += tile(short_time(pauses.p50_ms), "median pause") + tile(short_time(pauses.longest_ms), "longest pause");
  out += tile(std::to_string(log.workers), "workers") + tile(std::to_string(log.nodes), log.nodes == 1 ? "node" : "nodes");
  if (log.steals_near + log.steals_far > 0) out += tile(mark_text(log.steals_near + log.steals_far, 1), "steals");
  Matrix all;
  for (const auto& [space, m] : log.accesses) {
    all.resize(std::max(all.size(), m.size()));
    for (size_t i = 0; i < m.size(); i++) {
      all[i].resize(std::max(all[i].size(), m[i].size()));
      for (size_t j = 0; j < m[i].size(); j++) all[i][j] += m[i][j];
    }
  }
  if (sum_of(all) > 0) out += tile(fmt::format("{:.1f} %", 100 * remote_share(all)), "of accesses remote") + tile(fmt::format("{:.2f}", imbalance(scaled(columns_of(all), 1, log.nodes))), "imbalance of accesses");
  return out + "</div>\n";
}

// ---- the figures ----

const char* work_name(unsigned what) {
  static constexpr const char* kMore[] = {"a phase, no details in the log", "mark", "slide"};
  return what < kActivities ? name_of(Activity(what)) : kMore[what - kActivities];
}

Look look_of(const std::string& name) {
  const auto found = std::find_if(std::begin(kLooks), std::end(kLooks), [&](const Named& one) { return one.name == name; });
  return found != std::end(kLooks) ? found->look : Look{Colour::blue};
}

// What stands for a process in a figure.
std::string process_text(const json& pid) { return pid.is_string() ? pid.get<std::string>() : pid.dump(); }

// Kinds have colours; of several processes, each has a colour and kinds have marks.
Chart pauses_chart(const json& figure) {
  static constexpr Colour kProcesses[kProcessesShown + 1] = {Colour::blue, Colour::orange, Colour::green, Colour::violet, Colour::gold, Colour::grey};
  Chart chart{Chart::Kind::scatter, figure["title"], "seconds since the first collection", "pause, ms", "ms"};
  chart.log_y = figure.contains("log_y");
  std::map<std::pair<bool, size_t>, ChartSet> sets; // full ones are few, and lie above
  for (const json& p : figure["points"]) {
    const bool full = p["kind"] == "full";
    size_t process = 0;
    std::string of;
    if (figure.contains("processes")) {
      const json& all = figure["processes"];
      process = size_t(std::find(all.begin(), all.end(), p["pid"]) - all.begin());
      of = process < kProcessesShown ? fmt::format(", process {}", process_text(p["pid"])) : ", other processes";
      process = std::min(process, kProcessesShown);
    }
    ChartSet& set = sets[{!full, process}];
    if (set.points.empty()) set.name = (full ? "full" : "young") + of, set.look = of.empty() ? Look{full ? Colour::orange : Colour::blue} : Look{kProcesses[process], {}, full ? 2u : 0u};
    const std::string among = p.value("count", 1) > 1 ? fmt::format(", longest of {}", p["count"].dump()) : "";
    set.points.push_back({p["s"], p["ms"], fmt::format("collection {}{}, {}, {}{}", p["index"].dump(), of.empty() ? "" : " of process " + process_text(p["pid"]), p["kind"].get<std::string>(), p["cause"].get<std::string>(), among)});
  }
  for (auto& [name, set] : sets) chart.sets.push_back(std::move(set));
  return chart;
}

// What each worker's time went into, all collections together.
Chart activities_chart(const json& figure) {
  Chart chart{Chart::Kind::stacked, figure["title"], "time in collections, ms", "worker", "ms"};
  const json& rows = figure["by_worker"];
  for (const json& w : rows) chart.names.push_back(w["worker"].dump());
  for (unsigned what : kShown) {
    ChartSet set{work_name(what), {kWorkColours[what]}};
    for (const json& w : rows) set.values.push_back(w["ms"][what]);
    if (what < kActivities || sum(set.values) > 0) chart.sets.push_back(set);
  }
  chart.height = 140 + (rows.size() > 32 ? 9 : 18) * double(rows.size());
  return chart;
}

// Who did what when; in a row above the workers which phase it was, and how long threads took to stand.
Chart timeline_chart(const json& figure) {
  constexpr double kMs = 1e-6;
  const double workers = figure["workers"], pause = figure["pause_ns"], stop = figure["stop_ns"], row = workers > 64 ? 5 : workers > 16 ? 10 : 20;
  Chart chart{Chart::Kind::spans, figure["title"], "time since the collection was asked for, ms", "worker", "ms"};
  chart.rows = workers, chart.rows_above = std::ceil(28 / row), chart.x_end = pause * kMs;
  chart.height = 140 + row * (chart.rows + chart.rows_above);
  for (unsigned what : kShown) {
    ChartSet set{work_name(what), {kWorkColours[what]}};
    for (const json& s : figure["spans"])
      if (s[1] == what && s[2] >= 0 && s[3] <= pause * 1.01) set.spans.push_back({s[0], s[2].get<double>() * kMs, std::min(s[3].get<double>(), pause) * kMs, ""}); // others are not of this collection
    if (!set.spans.empty()) chart.sets.push_back(set);
  }
  ChartSet phases{"phases", {Colour::phase}};
  phases.thick = 20;
  const double above = -0.5 - chart.rows_above / 2;
  if (stop > 0) phases.spans.push_back({above, 0, stop * kMs, "stopping threads"});
  for (const json& p : figure["phases"]) phases.spans.push_back({above, p[1].get<double>() * kMs, p[2].get<double>() * kMs, p[0]});
  if (!phases.spans.empty()) chart.sets.push_back(phases);
  return chart;
}

Chart bars_chart(const json& figure) {
  Chart chart{Chart::Kind::bars, figure["title"], figure["x"], figure["unit"], figure["unit"]};
  chart.names = figure["xs"];
  chart.counts = figure.contains("whole");
  chart.log_y = figure.contains("log_y");
  chart.legend = figure["series"].size() > 1 || figure.contains("named");
  for (const auto& [name, values] : figure["series"].items()) chart.sets.push_back({name, look_of(name), values.get<std::vector<double>>()});
  return chart;
}

Chart series_chart(const json& figure) {
  const bool lines = figure["draw"] == "lines";
  const json& xs = figure["xs"];
  Chart chart{lines ? Chart::Kind::lines : Chart::Kind::scatter, figure["title"], figure["x"], figure["y"], figure["unit"]};
  chart.legend = figure["series"].size() > 1;
  if (figure["series"].size() > 3) chart.height = 360; // curves that cross
  if (figure.contains("log")) chart.x_begin = xs.front(), chart.x_end = xs.back();
  for (const auto& [name, values] : figure["series"].items()) {
    ChartSet set{name, look_of(name)};
    for (size_t i = 0, next = 0; i < xs.size(); i++) { // a point for each x, so that tooltips tell what belongs together
      const bool has = next < values.size() && values[next][0] == xs[i];
      set.points.push_back({xs[i], has ? values[next][1].get<double>() : kNoValue, figure.contains("index") ? fmt::format("collection {}, {}", figure["index"][i].dump(), name) : ""});
      if (has && values[next].size() > 2) set.points.back().low = values[next][2];
      next += has;
    }
    chart.sets.push_back(set);
  }
  return chart;
}

// A matrix as a table whose cells are as dark as their values. Rows are scaled to their sums where `percent`, else the whole to its largest.
std::string draw_heat(const json& figure) {
  const json& rows = figure["rows"];
  const size_t nodes = figure["nodes"];
  const bool percent = figure["percent"], many = nodes > 16; // of many nodes numbers have no room
  const std::string unit = figure["unit"];
  double most = 0;
  for (const json& row : rows)
    for (const json& v : row) most = std::max(most, v.get<double>());
  std::string out = fmt::format("<p class=\"soft\">rows: {}; columns: {}</p>\n<div class=\"wide\"><table class=\"heat{}\">\n", escape(figure["lines"].get<std::string>()), escape(figure["columns"].get<std::string>()), many ? " many" : "");
  const auto head = [&](size_t node) { return fmt::format("<th>{}</th>", many ? std::string() : std::to_string(node)); };
  out += "<tr><th></th>";
  for (size_t j = 0; j < nodes; j++) out += head(j);
  out += "</tr>\n";
  for (size_t i = 0; i < nodes; i++) {
    const json row = i < rows.size() ? rows[i] : json::array();
    double sum = 0;
    for (const json& v : row) sum += v.get<double>();
    out += "<tr>" + head(i);
    for (size_t j = 0; j < nodes; j++) {
      const double v = j < row.size() ? row[j].get<double>() : 0, whole = percent ? sum : most, strength = whole == 0 ? 0 : v / whole;
      const std::string shown = sum == 0 || many ? "" : !percent ? short_number(v) : v > 0 && strength < 0.005 ? "<1" : fmt::format("{:.0f}", 100 * strength);
      const char* ink = v == 0 ? " class=\"none\"" : strength > 0.67 ? " class=\"on\"" : ""; // on and in are as easy to read there
      out += fmt::format("<td{} style=\"--v:{:.3f}\" title=\"{} to {}: {} {}\">{}</td>", ink, 0.06 + 0.94 * strength, i, j, percent ? fmt::format("{:.1f}", 100 * strength) : short_number(v), unit, escape(shown));
    }
    out += "</tr>\n";
  }
  return out + fmt::format("</table></div>\n<p class=\"soft scale\">0<i></i>{}</p>\n", percent ? "100 % of its row" : short_number(most) + " " + escape(unit));
}

std::string draw_spaces(const json& figure) {
  std::vector<std::vector<std::string>> cells = {{"space", "accesses", "remote accesses", "MB", "remote bytes", "imbalance"}};
  for (const json& r : figure["rows"])
    cells.push_back({r["space"], mark_text(r["accesses"], 1), fmt::format("{:.1f} %", 100 * r["remote_accesses"].get<double>()), fmt::format("{:.2f}", r["bytes"].get<double>() / kMegabyte), fmt::format("{:.1f} %", 100 * r["remote_bytes"].get<double>()),
                     fmt::format("{:.3f}", r["imbalance"].get<double>())});
  return html_table(cells) + "<p class=\"soft\">imbalance, of accesses by node of the page: 0 when all nodes have the same, the square root of nodes less one when one has all</p>\n";
}

std::string draw_percentiles(const json& figure) {
  std::vector<std::vector<std::string>> cells = {{"pauses", "number", "p50, ms", "p90, ms", "p99, ms", "p99.9, ms", "longest, ms", "total, ms", "of the time"}};
  for (const json& r : figure["rows"]) {
    std::vector<std::string> row = {r["kind"], r["count"].dump()};
    for (const char* key : {"p50_ms", "p90_ms", "p99_ms", "p99_9_ms", "longest_ms", "total_ms"}) row.push_back(short_number(r[key]));
    row.push_back(r.contains("share") ? fmt::format("{:.2f} %", 100 * r["share"].get<double>()) : "-");
    cells.push_back(row);
  }
  const std::string time = figure.contains("logged_s") ? fmt::format("; the time: {} s, as far as the log follows the program", short_number(figure["logged_s"])) : "";
  return html_table(cells) + fmt::format("<p class=\"soft\">a percentile is the shortest pause that so many percent do not exceed{}</p>\n", time);
}

std::string draw_causes(const json& figure) {
  std::vector<std::vector<std::string>> cells = {{"cause", "collections", "full ones", "total, ms", "longest, ms"}};
  for (const json& r : figure["rows"]) cells.push_back({r["cause"], r["count"].dump(), r["full"].dump(), short_number(r["total_ms"]), short_number(r["longest_ms"])});
  return html_table(cells);
}

// What stands below a chart.
std::string remark_on(const json& figure) {
  std::vector<std::string> words;
  const std::string title = figure["title"], draw = figure["draw"];
  if (figure.contains("log")) words.push_back("of all windows of this length within the logged time, the one in which the program was stopped longest");
  if (figure.contains("log") && figure["processes"] > 1) words.push_back(fmt::format("of {} processes the worst", figure["processes"].dump()));
  if (title == "Heap over time") words.push_back("young: eden and survivors; the heap includes holes between objects when a collection begins, and does not when it ends");
  if (figure.contains("bin_s")) {
    const std::string bin = short_time(figure["bin_s"].get<double>() * 1000);
    if (draw == "pauses") words.push_back(fmt::format("in each {} the longest of its kind; percentiles and lengths below are of all collections", bin));
    else words.push_back(title == "Heap over time" ? fmt::format("bands: from the lowest to the highest in each {}; lines: the highest", bin) : fmt::format("sums over {} each", bin));
  }
  if (figure.contains("limit_mb") && !figure["series"].contains("limit")) words.push_back(fmt::format("limit {} MB", mark_text(figure["limit_mb"], 1)));
  if (figure.contains("series") && figure["series"].contains("promoted en masse"))
    words.push_back("en masse: all of eden became old space where it lies, without a look at its objects; these bytes include what is dead in them");
  if (draw == "timeline" && figure.contains("plain")) words.push_back("what workers did within a phase is not in this log: run with -o log_detail=full for that");
  if (draw == "activities") words.push_back("copy, mark and slide: with an object in hand, by what the phase does with it");
  if (figure.contains("log_y")) words.push_back("the vertical axis is logarithmic");
  return words.empty() ? "" : fmt::format("<p class=\"soft\">{}</p>\n", escape(fmt::format("{}", fmt::join(words, "; "))));
}

std::string draw(const json& figure, Charts& charts) {
  const std::string how = figure["draw"];
  if (how == "heat") return draw_heat(figure);
  if (how == "spaces") return draw_spaces(figure);
  if (how == "percentiles") return draw_percentiles(figure);
  if (how == "causes") return draw_causes(figure);
  const Chart chart = how == "lines" || how == "scatter" ? series_chart(figure) : how == "pauses" ? pauses_chart(figure) : how == "activities" ? activities_chart(figure) : how == "timeline" ? timeline_chart(figure) : bars_chart(figure);
  return charts.add(chart) + remark_on(figure);
}

} // namespace

json figures_of(const LogData& log) {
  json all = json::array();
  all.push_back(pauses_figure(log));
  all.push_back(percentiles_figure(log));
  all.push_back(histogram_figure(log));
  if (json f = least_running_figure(log); f["xs"].size() > 1) all.push_back(f);
  for (const json& f : {heap_figure(log), survivors_figure(log)})
    if (!f["series"].empty()) all.push_back(f);
  all.push_back(causes_figure(log));
  if (json f = activities_figure(log); !f["by_worker"].empty()) all.push_back(f);
  if (!log.longest().spans.empty()) all.push_back(timeline_figure(log));
  if (log.nodes > 1) {
    std::vector<double> moved(log.nodes);
    for (const auto& [node, bytes] : log.moved) moved[node] = bytes / kMegabyte;
    json by_node = bars_figure("Bytes copied or marked by workers of each node", "node of the worker", "MB", node_names(log.nodes));
    by_node["series"]["moved"] = moved;
    by_node["imbalance"] = imbalance(scaled(moved, kMegabyte, log.nodes));
    all.push_back(by_node);
    add_spaces(log, all);
  }
  add_steals(log, all);
  if (!log.locality.empty()) {
    json heat = heat_figure("Locality: where objects below roots lie, % of each row", log.locality, log.nodes, true, "%", "node of the root", "node of the object");
    heat["remote"] = remote_share(log.locality);
    all.push_back(heat);
  }
  return all;
}

Chart workers_chart(const LogData& log) { return timeline_chart(timeline_figure(log)); }

std::string draw_log(const LogData& log) {
  const json figures = figures_of(log);
  Charts charts;
  std::string page = page_head(log.name.empty() ? "collections" : log.name, Charts::style() + kStyle) + fmt::format("<h1>Collections{}</h1>\n", log.simulated ? " (simulated)" : "");
  page += identity(log) + tiles(log);
  std::string remarks;
  if (log.processes.size() > 1) remarks += fmt::format("{} processes wrote to this log. ", log.processes.size());
  if (const std::string damage = damage_of(log); !damage.empty()) remarks += damage + ". ";
  if (log.nodes > 1 && log.accesses.empty()) remarks += "Accesses by node are not in this log: log_detail=full tells them, of young collections. ";
  if (log.nodes > 1 && log.locality.empty()) remarks += "Locality is not in this log: log_detail=roots tells it. ";
  if (!remarks.empty()) page += fmt::format("<p class=\"soft\">{}</p>\n", remarks);
  bool heats = false; // neighbours share a line
  for (const json& figure : figures) {
    const bool heat = figure["draw"] == "heat";
    if (heat != heats) page += heat ? "<div class=\"heats\">\n" : "</div>\n";
    heats = heat;
    std::string more = log.simulated ? "simulated" : "";
    if (figure.contains("pid")) more += fmt::format("{}process {}, which the log follows longest", more.empty() ? "" : ", ", process_text(figure["pid"]));
    if (figure.contains("imbalance")) more += fmt::format("{}imbalance {:.2f}", more.empty() ? "" : ", ", figure["imbalance"].get<double>());
    page += fmt::format("<section><h2>{}{}</h2>\n{}</section>\n", escape(figure["title"].get<std::string>()), more.empty() ? "" : fmt::format(" <span class=\"soft\">{}</span>", more), draw(figure, charts));
  }
  if (heats) page += "</div>\n";
  return page + json_element("figures", json_text(figures)) + charts.scripts() + "</body></html>\n";
}

} // namespace garner::tool
