#include "log_page.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "reproduce.h"
#include "stats.h"

namespace garner::tool {
namespace {

using json = nlohmann::ordered_json;

constexpr double kWide = 900, kLeft = 64, kReadable = 760; // a narrower screen scrolls a chart rather than shrink its letters below ten pixels
const std::string kSpaces[] = {"eden", "from", "to", "old"};
const char* const kSpaceNames[] = {"eden", "from-space", "to-space", "old space"}; // the order of collections, and of colours

// Colours by name, so that one page serves light and dark screens. s: series; a: activities, in their order, and the whole of a phase.
constexpr const char* kStyle = R"(:root{--bg:#fff;--fg:#1f2328;--soft:#59636e;--line:#d8dee4;--card:#f6f8fa;--heat:#083f7a;--in:#000;--on:#fff;
--s0:#1f6fbf;--s1:#c2571a;--s2:#2b8a57;--s3:#7d4fb5;--a0:#c9981a;--a1:#7d4fb5;--a2:#2b8a57;--a3:#c2571a;--a4:#9aa3ad;--a5:#2b8a57}
@media(prefers-color-scheme:dark){:root{--bg:#10151b;--fg:#e4e8ec;--soft:#9ba5b0;--line:#313840;--card:#181f27;--heat:#5aa7f2;--in:#fff;--on:#000;
--s0:#5aa7f2;--s1:#f08a45;--s2:#57c48b;--s3:#b892ef;--a0:#e0b345;--a1:#b892ef;--a2:#57c48b;--a3:#f08a45;--a4:#66707b;--a5:#57c48b}}
body{font:15px/1.5 system-ui,sans-serif;max-width:960px;margin:2em auto;padding:0 1em;background:var(--bg);color:var(--fg)}
h2{font-size:1.15em;margin:2em 0 .3em}p{margin:.3em 0}.soft{color:var(--soft)}
.tiles{display:flex;flex-wrap:wrap;gap:.8em;margin:1em 0}.tile{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.5em .9em}
.tile b{display:block;font-size:1.35em;font-weight:600}.tile span{color:var(--soft);font-size:.85em}
table{border-collapse:collapse;margin:.6em 0}td,th{border-bottom:1px solid var(--line);padding:.2em .8em;text-align:right}td:first-child,th:first-child{text-align:left}
.heats{display:flex;flex-wrap:wrap;gap:0 2.2em}.heats section{min-width:0}svg{max-width:100%;height:auto;display:block}svg text{fill:var(--fg);font:12px system-ui,sans-serif}svg .soft{fill:var(--soft)}svg .in{fill:var(--in)}svg .on{fill:var(--on)}
svg .grid{stroke:var(--line)}svg .phase{stroke:var(--soft)}svg .stop{fill:var(--line);fill-opacity:.5}
.wide{overflow-x:auto}@media(max-width:600px){td,th{padding:.2em .45em}.wide table{font-size:.88em}}
)";

std::string text_at(double x, double y, const std::string& what, const char* more = "") { return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, escape(what)); }
std::string open_svg(double width, double height) { return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" style=\"min-width:{2:.0f}px\">\n", width, height, std::min(width, kReadable)); }

struct Key { std::string name, colour; };

std::string legend(const std::vector<Key>& keys, double x, double y) {
  std::string out;
  for (const Key& key : keys) {
    out += fmt::format("<rect class=\"key\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"11\" height=\"11\" rx=\"2\" fill=\"var({})\"/>", x, y - 10, key.colour) + text_at(x + 16, y, key.name);
    x += 36 + 7.2 * double(key.name.size());
  }
  return out;
}

// Lines of the grid with their values, from the bottom up to `most`, an axis_end; `name` stands above the axis.
std::string y_axis(double top, double height, double most, const std::string& name) {
  std::string out = text_at(kLeft, top - 10, name, "class=\"soft\"");
  const double step = grid_step(most);
  for (double value = 0; value <= most * 1.0001; value += step) {
    const double y = top + height - height * value / most;
    out += fmt::format("<line class=\"grid\" x1=\"{:.0f}\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", kLeft, kWide - 10, y, y);
    out += text_at(kLeft - 8, y + 4, mark_text(value, step), "text-anchor=\"end\" class=\"soft y\"");
  }
  return out;
}

// Marks below a chart from 0, at `left`, to `most`, at round values.
std::string x_axis(double y, double left, double width, double most, const std::string& unit) {
  std::string out;
  const double step = grid_step(most);
  for (double value = 0; value <= most * 1.0001; value += step) {
    const double x = left + width * value / most;
    out += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>", x, y, y + 5) + text_at(x, y + 18, mark_text(value, step), "text-anchor=\"middle\" class=\"soft x\"");
  }
  return out + text_at((kLeft + kWide) / 2, y + 36, unit, "text-anchor=\"middle\" class=\"soft\"");
}

// Every how many rows the worker's number stands before its row.
unsigned label_step(size_t workers, double row) {
  unsigned step = 1;
  while (double(step) * row < 13 || workers / step > 32) step *= 2;
  return step;
}

// Groups of bars, one series beside the other.
std::string bars(const std::vector<std::string>& xs, const std::vector<Series>& series, const std::string& x_name, const std::string& unit, bool named) {
  constexpr double kHeight = 170;
  const double top = named ? 46 : 28;
  double most = 0;
  size_t longest = 1;
  for (const std::string& x : xs) longest = std::max(longest, x.size());
  for (const Series& s : series)
    for (double v : s.values) most = std::max(most, v);
  most = axis_end(most);
  const double group = (kWide - 10 - kLeft) / double(std::max<size_t>(xs.size(), 1)), width = std::min(group * 0.8 / double(std::max<size_t>(series.size(), 1)), 60.0);
  std::string out = open_svg(kWide, top + kHeight + 44) + y_axis(top, kHeight, most, unit);
  std::vector<Key> keys;
  for (size_t s = 0; s < series.size(); s++) {
    const auto space = std::find(std::begin(kSpaces), std::end(kSpaces), series[s].name); // a space has its colour in every figure
    keys.push_back({series[s].name, fmt::format("--s{}", space != std::end(kSpaces) ? size_t(space - kSpaces) : s % 4)});
    for (size_t i = 0; i < series[s].values.size() && i < xs.size(); i++) {
      const double tall = kHeight * series[s].values[i] / most, x = kLeft + group * (double(i) + 0.5) + width * (double(s) - double(series.size()) / 2);
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"var({})\"><title>{} {}, {}: {} {}</title></rect>\n", x, top + kHeight - tall, std::max(width - 1, 1.0), tall, keys[s].colour, escape(x_name),
                         escape(xs[i]), escape(series[s].name), short_number(series[s].values[i]), escape(unit));
    }
  }
  const size_t step = size_t(std::ceil((7.2 * double(longest) + 6) / group)); // as many names as have room
  for (size_t i = 0; i < xs.size(); i += step) out += text_at(kLeft + group * (double(i) + 0.5), top + kHeight + 16, xs[i], "text-anchor=\"middle\"");
  out += text_at((kLeft + kWide) / 2, top + kHeight + 34, x_name, "text-anchor=\"middle\" class=\"soft\"");
  if (named) out += legend(keys, kLeft, 14);
  return out + "</svg>\n";
}

// ---- the figures ----

std::string draw_pauses(const json& figure) {
  constexpr double kTop = 46, kHeight = 180;
  double most = 0, last = 0;
  for (const json& p : figure["points"]) most = std::max(most, p["ms"].get<double>()), last = std::max(last, p["s"].get<double>());
  most = axis_end(most);
  if (last == 0) last = 1; // one collection has no time between it and another
  constexpr double kFrom = kLeft + 12, kLong = kWide - 24 - kFrom; // away from the numbers of the axis
  bool seen[2] = {};
  std::string out = open_svg(kWide, kTop + kHeight + 44) + y_axis(kTop, kHeight, most, "ms");
  out += x_axis(kTop + kHeight, kFrom, kLong, last, "seconds since the first collection");
  for (const json& p : figure["points"]) {
    const bool full = p["kind"] == "full";
    seen[full] = true;
    const double x = kFrom + p["s"].get<double>() / last * kLong, y = kTop + kHeight - kHeight * p["ms"].get<double>() / most;
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"var({})\" fill-opacity=\"0.75\"><title>collection {}, {}, {}: {} ms</title></circle>\n", x, y, full ? 5 : 3.5, full ? "--s1" : "--s0", p["index"].dump(),
                       escape(p["kind"].get<std::string>()), escape(p["cause"].get<std::string>()), short_number(p["ms"].get<double>()));
  }
  std::vector<Key> keys;
  if (seen[0]) keys.push_back({"young", "--s0"});
  if (seen[1]) keys.push_back({"full", "--s1"});
  return out + legend(keys, kLeft, 14) + "</svg>\n";
}

std::vector<Key> activity_keys(bool whole) {
  std::vector<Key> keys;
  if (whole) return {{"a phase, no details in the log", "--a5"}};
  for (unsigned i : {1u, 2u, 3u, 0u, 4u}) keys.push_back({name_of(Activity(i)), fmt::format("--a{}", i)});
  return keys;
}

// What each worker's time went into, all collections together.
std::string draw_activities(const json& figure) {
  const size_t workers = figure["by_worker"].size();
  const double row = workers > 32 ? 7 : 16, top = 36;
  const unsigned step = label_step(workers, row);
  double most = 0;
  for (const json& w : figure["by_worker"]) {
    double sum = 0;
    for (const json& v : w["ms"]) sum += v.get<double>();
    most = std::max(most, sum);
  }
  std::string out = open_svg(kWide, top + row * double(workers) + 42) + legend(activity_keys(false), kLeft, 14) + text_at(kLeft - 8, top - 8, "worker", "text-anchor=\"end\" class=\"soft\"");
  size_t at = 0;
  for (const json& w : figure["by_worker"]) {
    double x = kLeft;
    for (unsigned i : {1u, 2u, 3u, 0u, 4u}) {
      const double ms = w["ms"][i].get<double>(), wide = most == 0 ? 0 : ms / most * (kWide - 80 - kLeft);
      out += fmt::format("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"var(--a{})\"><title>worker {}, {}: {} ms</title></rect>", x, top + row * double(at), wide, row - 2, i, w["worker"].dump(), name_of(Activity(i)),
                         short_number(ms));
      x += wide;
    }
    if (row > 10) out += text_at(x + 6, top + row * double(at) + 11, short_number((x - kLeft) / (kWide - 80 - kLeft) * most) + " ms", "class=\"soft\"");
    if (at % step == 0) out += text_at(kLeft - 8, top + row * double(at) + row / 2 + 3, w["worker"].dump(), "text-anchor=\"end\" class=\"soft\"");
    at++;
  }
  return out + x_axis(top + row * double(workers), kLeft, kWide - 80 - kLeft, most, "milliseconds in collections") + "</svg>\n";
}

std::string draw_timeline(const json& figure) {
  const unsigned workers = figure["workers"].get<unsigned>();
  const double row = workers > 64 ? 5 : workers > 16 ? 10 : 20, top = 52, wide = kWide - 20 - kLeft, pause = figure["pause_ns"].get<double>(), stop = figure["stop_ns"].get<double>();
  const unsigned step = label_step(workers, row);
  std::string out = open_svg(kWide, top + row * workers + 42) + text_at(kLeft - 8, top - 8, "worker", "text-anchor=\"end\" class=\"soft\"");
  bool whole = false;
  // Above the workers which phase it is, behind them how long the program took to stand.
  const auto phase = [&](const std::string& name, double from, double to) {
    const double x1 = kLeft + from / pause * wide, x2 = kLeft + to / pause * wide;
    out += fmt::format("<path class=\"phase\" d=\"M{0:.1f} {2:.0f}v-5H{1:.1f}v5\" fill=\"none\"><title>{3}: {4} ms</title></path>", x1, x2, top - 4, escape(name), short_number((to - from) / 1e6));
    if (x2 - x1 > 7.2 * double(name.size())) out += text_at((x1 + x2) / 2, top - 13, name, "text-anchor=\"middle\" class=\"soft\"");
  };
  if (stop > 0) {
    out += fmt::format("<rect class=\"stop\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\"/>\n", kLeft, top, stop / pause * wide, row * workers);
    phase("stopping threads", 0, stop);
  }
  for (const json& p : figure["phases"]) phase(p[0].get<std::string>(), p[1].get<double>(), p[2].get<double>());
  for (const json& s : figure["spans"]) {
    const double from = s[2].get<double>(), to = s[3].get<double>();
    const unsigned what = s[1].get<unsigned>();
    whole = what == kActivities;
    if (from < 0 || to > pause * 1.01) continue; // not of this collection
    out += fmt::format("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"var(--a{})\"><title>worker {}: {}, {:.1f} us</title></rect>\n", kLeft + from / pause * wide, top + row * s[0].get<unsigned>(), std::max((to - from) / pause * wide, 0.3),
                       row - (row > 8 ? 2 : 1), what, s[0].dump(), what == kActivities ? "a phase" : name_of(Activity(what)), (to - from) / 1e3);
  }
  for (unsigned w = 0; w < workers; w += step) out += text_at(kLeft - 8, top + row * w + row / 2 + 3, std::to_string(w), "text-anchor=\"end\" class=\"soft\"");
  out += x_axis(top + row * workers, kLeft, wide, pause / 1e6, "milliseconds since the collection was asked for");
  return out + legend(activity_keys(whole), kLeft, 14) + "</svg>\n";
}

// Rows are scaled to their sums where `percent`, else the whole to its largest.
std::string draw_heat(const json& figure) {
  const json& rows = figure["rows"];
  const size_t nodes = figure["nodes"].get<size_t>();
  const double cell = nodes > 16 ? 14 : 42, high = nodes > 16 ? 14 : 26, left = 44, top = 40, foot = 52;
  const std::string unit = figure["unit"];
  std::string out = open_svg(std::max(left + cell * double(nodes) + 10, 260.0), top + high * double(nodes) + foot);
  out += text_at(left, 14, figure["columns"].get<std::string>() + " →", "class=\"soft\"") + text_at(left, top + high * double(nodes) + 18, "↑ " + figure["lines"].get<std::string>(), "class=\"soft\"");
  double most = 0;
  const auto opacity = [](double strength) { return 0.06 + 0.94 * strength; };
  for (const json& row : rows)
    for (const json& v : row) most = std::max(most, v.get<double>());
  for (size_t i = 0; i < nodes; i++) {
    double sum = 0;
    for (size_t j = 0; i < rows.size() && j < rows[i].size(); j++) sum += rows[i][j].get<double>();
    if (nodes <= 16 || i % 8 == 0) {
      out += text_at(left + cell * (double(i) + 0.5), top - 6, std::to_string(i), "text-anchor=\"middle\" class=\"soft\"");
      out += text_at(left - 8, top + high * (double(i) + 0.5) + 4, std::to_string(i), "text-anchor=\"end\" class=\"soft\"");
    }
    for (size_t j = 0; j < nodes; j++) {
      const double v = i < rows.size() && j < rows[i].size() ? rows[i][j].get<double>() : 0;
      const double strength = figure["percent"] ? (sum == 0 ? 0 : v / sum) : most == 0 ? 0 : v / most;
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"var(--heat)\" fill-opacity=\"{:.3f}\"><title>{} to {}: {}{}</title></rect>", left + cell * double(j), top + high * double(i), cell - 1, high - 1,
                         opacity(strength), i, j, figure["percent"] ? fmt::format("{:.1f}", 100 * strength) : short_number(v), " " + unit);
      if (nodes <= 16) {
        const std::string shown = !figure["percent"] ? short_number(v) : v > 0 && strength < 0.005 ? "<1" : fmt::format("{:.0f}", 100 * strength);
        const char* more = v == 0 ? "text-anchor=\"middle\" class=\"soft\"" : strength > 0.67 ? "text-anchor=\"middle\" class=\"on\"" : "text-anchor=\"middle\" class=\"in\""; // where both are as easy to read
        if (sum != 0) out += text_at(left + cell * (double(j) + 0.5), top + high * (double(i) + 0.5) + 4, shown, more);
      }
    }
  }
  // The scale: what the lightest and the darkest cell mean.
  const double y = top + high * double(nodes) + 40;
  out += text_at(left + 8, y, "0", "text-anchor=\"end\" class=\"soft\"");
  for (int i = 0; i <= 10; i++) out += fmt::format("<rect class=\"key\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"12\" height=\"10\" fill=\"var(--heat)\" fill-opacity=\"{:.3f}\"/>", left + 14 + 12 * i, y - 9, opacity(i / 10.0));
  out += text_at(left + 14 + 12 * 11 + 6, y, figure["percent"] ? "100 % of its row" : short_number(most) + " " + unit, "class=\"soft\"");
  return out + "</svg>\n";
}

std::string draw_bars(const json& figure) {
  std::vector<Series> series;
  for (const auto& [name, values] : figure["series"].items()) series.push_back({name, values.get<std::vector<double>>()});
  return bars(figure["xs"].get<std::vector<std::string>>(), series, figure["x"].get<std::string>(), figure["unit"].get<std::string>(), series.size() > 1 || figure.contains("named"));
}

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
  json by_distance = bars_figure("Thefts by distance", timed ? "distance of the two nodes: a read of memory there, ns" : log.simulated ? "distance of the two nodes, % of a near read" : "distance of the two nodes, as the firmware counts it (own node: 10)", "thefts", {});
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
  for (const std::string& space : kSpaces) {
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
  for (size_t i = 0; i < std::size(kSpaces); i++)
    if (const auto found = log.accesses.find(kSpaces[i]); found != log.accesses.end()) all.push_back(heat_figure(fmt::format("Accesses to {}, % of each row", kSpaceNames[i]), found->second, log.nodes, true, "%", "node of the worker", "node of the page"));
}

std::string draw_spaces(const json& figure) {
  std::string out = "<table><tr><th>space</th><th>accesses</th><th>remote accesses</th><th>MB</th><th>remote bytes</th><th>imbalance</th></tr>\n";
  for (const json& r : figure["rows"])
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{:.1f} %</td><td>{:.2f}</td><td>{:.1f} %</td><td>{:.3f}</td></tr>\n", escape(r["space"].get<std::string>()), mark_text(r["accesses"].get<double>(), 1), 100 * r["remote_accesses"].get<double>(), r["bytes"].get<double>() / 1e6,
                       100 * r["remote_bytes"].get<double>(), r["imbalance"].get<double>());
  return out + "</table>\n<p class=\"soft\">imbalance, of accesses by node of the page: 0 when all nodes have the same, the square root of nodes less one when one has all</p>\n";
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

std::string draw(const json& figure) {
  const std::string how = figure["draw"];
  return how == "pauses" ? draw_pauses(figure) : how == "activities" ? draw_activities(figure) : how == "timeline" ? draw_timeline(figure) : how == "heat" ? draw_heat(figure) : how == "spaces" ? draw_spaces(figure) : draw_bars(figure);
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

std::string draw_workers(const LogData& log) { return draw_timeline(timeline_figure(log)); }

std::string worker_style() {
  return R"(:root{--a0:#c9981a;--a1:#7d4fb5;--a2:#2b8a57;--a3:#c2571a;--a4:#9aa3ad;--a5:#2b8a57}
@media(prefers-color-scheme:dark){:root{--a0:#e0b345;--a1:#b892ef;--a2:#57c48b;--a3:#f08a45;--a4:#66707b;--a5:#57c48b}}
section svg text{font:12px system-ui,sans-serif;fill:var(--fg)}section svg .soft{fill:var(--soft)}section svg .grid{stroke:var(--line)}section svg .phase{stroke:var(--soft)}section svg .stop{fill:var(--line);fill-opacity:.5}
)";
}

std::string draw_log(const LogData& log) {
  const json figures = figures_of(log);
  std::string page = fmt::format("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>Garner: collections</title><style>\n{}</style></head><body>\n<h1>Collections{}</h1>\n", kStyle,
                                 log.simulated ? " (simulated)" : "");
  if (!log.preset.empty()) page += fmt::format("<p>preset {}{}</p>\n", escape(log.preset), log.simulated ? "; times, accesses and bytes are the simulated machine's" : "");
  page += tiles(log);
  std::string remarks;
  if (log.processes.size() > 1) remarks += fmt::format("{} processes wrote to this log. ", log.processes.size());
  if (log.bad_lines != 0) remarks += fmt::format("{} lines of the log are no records. ", log.bad_lines);
  if (log.lost_records != 0) remarks += fmt::format("{} records could not be written. ", log.lost_records);
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
    page += fmt::format("<section><h2>{}{}</h2>\n<div class=\"wide\">{}</div></section>\n", escape(figure["title"].get<std::string>()), more.empty() ? "" : fmt::format(" <span class=\"soft\">{}</span>", more), draw(figure));
  }
  if (heats) page += "</div>\n";
  std::string data = figures.dump();
  for (size_t at = 0; (at = data.find('<', at)) != std::string::npos; at += 6) data.replace(at, 1, "\\u003c"); // nothing in it may end the element
  return page + "<script type=\"application/json\" id=\"figures\">" + data + "</script>\n</body></html>\n";
}

} // namespace garner::tool
