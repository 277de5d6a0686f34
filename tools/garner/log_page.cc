#include "log_page.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "stats.h"

namespace garner::tool {
namespace {

using json = nlohmann::ordered_json;

constexpr size_t kSpaces = 4;
constexpr const char* kSpace[kSpaces] = {"eden", "from", "to", "old"};
constexpr const char* kSpaceNames[kSpaces] = {"eden", "from-space", "to-space", "old space"};
constexpr Colour kSpaceColours[kSpaces] = {Colour::blue, Colour::orange, Colour::green, Colour::violet}; // the same in every figure
// By Activity, and the whole of a phase where the log has no more.
constexpr Colour kActivityColours[kActivities + 1] = {Colour::gold, Colour::violet, Colour::green, Colour::orange, Colour::faint, Colour::green};
constexpr unsigned kShown[kActivities + 1] = {1, 2, 3, 0, 4, kActivities}; // in this order

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

json pauses_figure(const LogData& log) {
  double first = log.cycles.begin()->second.start_ns;
  for (const auto& [name, c] : log.cycles) first = std::min(first, c.start_ns);
  json points = json::array();
  for (const auto& [name, c] : log.cycles) points.push_back({{"pid", name.first}, {"index", name.second}, {"s", (c.start_ns - first) / 1e9}, {"ms", c.pause_ns / 1e6}, {"kind", c.kind}, {"cause", c.cause}});
  return {{"title", "Pauses"}, {"draw", "pauses"}, {"points", points}};
}

json activities_figure(const LogData& log) {
  std::map<unsigned, std::vector<double>> sums;
  for (const auto& [name, c] : log.cycles)
    for (const auto& [worker, total] : c.total_ns) {
      sums[worker].resize(kActivities);
      for (size_t i = 0; i < total.size() && i < kActivities; i++) sums[worker][i] += total[i] / 1e6;
    }
  json rows = json::array();
  for (const auto& [worker, ms] : sums) rows.push_back({{"worker", worker}, {"ms", ms}});
  return {{"title", "What workers' time in collections went into"}, {"draw", "activities"}, {"by_worker", rows}};
}

// Spans that touch each other and are narrower than can be seen become one, of what most of it was. A simulation's may be tens of thousands.
std::vector<SpanSeen> joined(const CycleSeen& c) {
  std::vector<SpanSeen> all;
  const double narrow = c.pause_ns / 1000;
  double parts[kActivities + 1] = {};
  for (const SpanSeen& s : c.spans) {
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

// Where the phases lie: one after another once threads stand, and what workers trace in not before they have ended. A collection that began as a young one and
// went on as a full one has each twice; of that, and of a log without durations, what was seen at workers.
json phases_of(const CycleSeen& c) {
  json all = json::array();
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

json timeline_figure(const LogData& log) {
  const CycleSeen& c = log.longest();
  unsigned workers = 0;
  json spans = json::array();
  for (const SpanSeen& s : joined(c)) {
    workers = std::max(workers, s.worker + 1);
    spans.push_back({s.worker, s.what, s.begin_ns - c.start_ns, s.end_ns - c.start_ns});
  }
  return {{"title", fmt::format("Workers in the longest collection ({}, {}, {} ms)", c.kind, c.cause, short_number(c.pause_ns / 1e6))}, {"draw", "timeline"}, {"workers", workers}, {"pause_ns", c.pause_ns}, {"stop_ns", std::min(c.stop_ns, c.pause_ns)}, {"phases", phases_of(c)}, {"spans", spans}};
}

json bars_figure(const char* title, const char* x, const char* unit, std::vector<std::string> xs) {
  return {{"title", title}, {"draw", "bars"}, {"x", x}, {"unit", unit}, {"xs", xs}, {"series", json::object()}};
}

json heat_figure(const std::string& title, const Matrix& m, unsigned nodes, bool percent, const char* unit, const char* lines, const char* columns) {
  return {{"title", title}, {"draw", "heat"}, {"nodes", nodes}, {"percent", percent}, {"unit", unit}, {"lines", lines}, {"columns", columns}, {"rows", m}};
}

void add_steals(const LogData& log, json& all) {
  if (log.steals_near + log.steals_far + sum_of(log.steals) == 0) return;
  // What a machine counts in: a file's machine in picoseconds of a read, a uniform one in percent of a near read, a system in the firmware's tenths.
  const double near = log.distances.empty() || log.distances[0].empty() ? 0 : log.distances[0][0];
  const bool timed = log.simulated && near >= 1000;
  json by_distance = bars_figure("Thefts by distance", timed ? "distance: a read of memory there, ns" : log.simulated ? "distance, % of a near read" : "distance, as firmware counts it (own node: 10)", "thefts", {});
  std::vector<double> values;
  for (const auto& [distance, thefts] : log.steals_by_distance())
    by_distance["xs"].push_back(short_number(timed ? distance / 1000 : distance) + (distance == near ? " (same node)" : "")), values.push_back(thefts);
  if (values.empty()) by_distance["x"] = "of the thief and its victim", by_distance["xs"] = {"within a node", "between nodes"}, values = {log.steals_near, log.steals_far};
  by_distance["series"]["thefts"] = values;
  all.push_back(by_distance);
  if (!log.steals.empty()) all.push_back(heat_figure("Thefts by node", log.steals, log.nodes, false, "thefts", "node of the thief", "node of the victim"));
}

void add_spaces(const LogData& log, json& all) {
  json held = bars_figure("Bytes of each space when a collection begins, mean", "node of the page", "MB", node_names(log.nodes)), accesses = bars_figure("Accesses by workers to each space", "node of the page", "accesses", node_names(log.nodes)),
       bytes = bars_figure("Bytes read or written by workers in each space", "node of the page", "MB", node_names(log.nodes));
  held["named"] = accesses["named"] = bytes["named"] = true; // which space it is, also where there is one
  json rows = json::array();
  for (const char* space : kSpace) {
    if (const auto found = log.held.find(space); found != log.held.end()) held["series"][space] = scaled(found->second, 1e-6 / std::max(log.held_times.at(space), 1u), log.nodes);
    const auto uses = log.accesses.find(space);
    if (uses == log.accesses.end()) continue;
    const Matrix& moved = log.bytes.at(space);
    accesses["series"][space] = scaled(columns_of(uses->second), 1, log.nodes);
    bytes["series"][space] = scaled(columns_of(moved), 1e-6, log.nodes);
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

std::string tiles(const LogData& log) {
  std::vector<double> pauses;
  double total = 0;
  for (const auto& [name, c] : log.cycles) pauses.push_back(c.pause_ns / 1e6), total += c.pause_ns / 1e6;
  std::sort(pauses.begin(), pauses.end());
  auto tile = [](const std::string& value, const std::string& what) { return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>", value, what); };
  std::string out = "<div class=\"tiles\">" + tile(std::to_string(pauses.size()), pauses.size() == 1 ? "collection" : "collections") + tile(short_number(total) + " ms", pauses.size() == 1 ? "pause" : "paused in all");
  if (pauses.size() > 1) out += tile(short_number(median(pauses)) + " ms", "median pause") + tile(short_number(pauses.back()) + " ms", "longest pause");
  out += tile(std::to_string(log.workers), "workers") + tile(std::to_string(log.nodes), log.nodes == 1 ? "node" : "nodes");
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

const char* activity_name(unsigned what) { return what == kActivities ? "a phase, no details in the log" : name_of(Activity(what)); }

Chart pauses_chart(const json& figure) {
  Chart chart{Chart::Kind::scatter, figure["title"], "seconds since the first collection", "pause, ms", "ms"};
  ChartSet young{"young", {Colour::blue}}, full{"full", {Colour::orange}};
  for (const json& p : figure["points"])
    (p["kind"] == "full" ? full : young).points.push_back({p["s"], p["ms"], fmt::format("collection {}, {}, {}", p["index"].dump(), p["kind"].get<std::string>(), p["cause"].get<std::string>())});
  for (ChartSet* set : {&full, &young}) // full ones are few, and lie above
    if (!set->points.empty()) chart.sets.push_back(*set);
  return chart;
}

// What each worker's time went into, all collections together.
Chart activities_chart(const json& figure) {
  Chart chart{Chart::Kind::stacked, figure["title"], "time in collections, ms", "worker", "ms"};
  const json& rows = figure["by_worker"];
  for (const json& w : rows) chart.names.push_back(w["worker"].dump());
  for (unsigned what : kShown) {
    if (what == kActivities) continue;
    ChartSet set{activity_name(what), {kActivityColours[what]}};
    for (const json& w : rows) set.values.push_back(w["ms"][what]);
    chart.sets.push_back(set);
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
    ChartSet set{activity_name(what), {kActivityColours[what]}};
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
  chart.legend = figure["series"].size() > 1 || figure.contains("named");
  for (const auto& [name, values] : figure["series"].items()) {
    const size_t space = size_t(std::find(kSpace, kSpace + kSpaces, name) - kSpace);
    chart.sets.push_back({name, {space < kSpaces ? kSpaceColours[space] : Colour::blue}, values.get<std::vector<double>>()});
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
    cells.push_back({r["space"], mark_text(r["accesses"], 1), fmt::format("{:.1f} %", 100 * r["remote_accesses"].get<double>()), fmt::format("{:.2f}", r["bytes"].get<double>() / 1e6), fmt::format("{:.1f} %", 100 * r["remote_bytes"].get<double>()),
                     fmt::format("{:.3f}", r["imbalance"].get<double>())});
  return html_table(cells) + "<p class=\"soft\">imbalance, of accesses by node of the page: 0 when all nodes have the same, the square root of nodes less one when one has all</p>\n";
}

std::string draw(const json& figure, Charts& charts) {
  const std::string how = figure["draw"];
  if (how == "heat") return draw_heat(figure);
  if (how == "spaces") return draw_spaces(figure);
  return charts.add(how == "pauses" ? pauses_chart(figure) : how == "activities" ? activities_chart(figure) : how == "timeline" ? timeline_chart(figure) : bars_chart(figure));
}

} // namespace

json figures_of(const LogData& log) {
  json all = json::array();
  all.push_back(pauses_figure(log));
  if (json f = activities_figure(log); !f["by_worker"].empty()) all.push_back(f);
  if (!log.longest().spans.empty()) all.push_back(timeline_figure(log));
  if (log.nodes > 1) {
    std::vector<double> moved(log.nodes);
    for (const auto& [node, bytes] : log.moved) moved[node] = bytes / 1e6;
    json by_node = bars_figure("Bytes copied or marked by workers of each node", "node of the worker", "MB", node_names(log.nodes));
    by_node["series"]["moved"] = moved;
    by_node["imbalance"] = imbalance(scaled(moved, 1e6, log.nodes));
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
  std::string page = page_head("collections", Charts::style() + kStyle) + fmt::format("<h1>Collections{}</h1>\n", log.simulated ? " (simulated)" : "");
  if (!log.preset.empty()) page += fmt::format("<p>preset {}{}</p>\n", escape(log.preset), log.simulated ? "; times, accesses and bytes are the simulated machine's" : "");
  page += tiles(log);
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
    if (figure.contains("imbalance")) more += fmt::format("{}imbalance {:.2f}", more.empty() ? "" : ", ", figure["imbalance"].get<double>());
    page += fmt::format("<section><h2>{}{}</h2>\n{}</section>\n", escape(figure["title"].get<std::string>()), more.empty() ? "" : fmt::format(" <span class=\"soft\">{}</span>", more), draw(figure, charts));
  }
  if (heats) page += "</div>\n";
  return page + json_element("figures", figures.dump()) + charts.scripts() + "</body></html>\n";
}

} // namespace garner::tool
