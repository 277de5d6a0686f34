// `garner report`: one page from a JSON log: pauses, work and steals by node, and, where the log comes from a simulation, uses of each space by
// node, non-locality and imbalance (N27), every worker's timeline, and the locality matrix as a heat map (T15).
//
// The page needs nothing else: its figures are SVG drawn here. Lines that are no records are counted and told; a log without collections is refused.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "paths.h"
#include "reproduce.h"
#include "say.h"
#include "sim/traffic.h"

namespace garner::tool {
namespace {

using json = nlohmann::json;
using Matrix = std::vector<std::vector<double>>;

struct Span { unsigned worker; std::string what; double begin, end; };
struct Cycle {
  double start_ns = 0, pause_ns = 0;
  std::string kind;
  std::vector<Span> spans;
};
struct Log {
  std::map<unsigned long long, Cycle> cycles;
  std::map<unsigned, double> copied; // bytes by the worker's node
  std::map<std::string, Matrix> accesses, bytes; // by space: [node of the core][node of the page]
  Matrix steals, locality;
  double steals_near = 0, steals_far = 0;
  unsigned bad_lines = 0, nodes = 0;
};

void add_to(Matrix& sum, const json& rows) {
  if (!rows.is_array() || rows.size() > 64) return;
  sum.resize(std::max(sum.size(), rows.size()));
  for (size_t i = 0; i < rows.size(); i++) {
    if (!rows[i].is_array() || rows[i].size() > 64) continue;
    sum[i].resize(std::max(sum[i].size(), rows[i].size()));
    for (size_t j = 0; j < rows[i].size(); j++)
      if (rows[i][j].is_number()) sum[i][j] += rows[i][j].get<double>();
  }
}

void take_worker(Log& log, const json& r) {
  const unsigned node = r.value("node", 0u);
  log.nodes = std::max(log.nodes, std::min(node, 63u) + 1);
  log.copied[node] += r.value("bytes_copied", 0.0) + r.value("bytes_marked", 0.0);
  log.steals_far += r.value("steals_remote", 0.0);
  log.steals_near += r.value("steals", 0.0) - r.value("steals_remote", 0.0);
  Cycle& c = log.cycles[r.value("index", 0ull)];
  const double begin = r.value("start_ns", 0.0), end = r.value("end_ns", 0.0);
  const bool detailed = std::any_of(c.spans.begin(), c.spans.end(), [](const Span& s) { return s.what == "copy"; });
  if (!detailed && end > begin) c.spans.push_back({r.value("worker", 0u), "work", begin, end});
}

void take_spans(Log& log, const json& r) {
  Cycle& c = log.cycles[r.value("index", 0ull)];
  std::erase_if(c.spans, [](const Span& s) { return s.what == "work"; });
  for (const json& s : r.value("spans", json::array()))
    if (s.is_array() && s.size() == 3 && s[0].is_string() && s[1].is_number() && s[2].is_number()) c.spans.push_back({r.value("worker", 0u), s[0].get<std::string>(), s[1].get<double>(), s[2].get<double>()});
}

void take(Log& log, const json& r) {
  const std::string event = r.value("event", "");
  if (event == "heap_ready") log.nodes = std::max(log.nodes, std::min(r.value("nodes", 0u), 64u));
  else if (event == "worker_phase") take_worker(log, r);
  else if (event == "spans") take_spans(log, r);
  else if (event == "steals") add_to(log.steals, r.value("by_node", json()));
  else if (event == "locality") add_to(log.locality, r.value("objects", json()));
  else if (event == "node_uses") {
    add_to(log.accesses[r.value("space", "")], r.value("accesses", json()));
    add_to(log.bytes[r.value("space", "")], r.value("bytes", json()));
  } else if (event == "cycle_end") {
    Cycle& c = log.cycles[r.value("index", 0ull)];
    c.start_ns = r.value("start_ns", 0.0), c.pause_ns = r.value("pause_ns", 0.0), c.kind = r.value("kind", "");
  }
}

Log read_log(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UsageError(fmt::format("{}: cannot be read", path));
  Log log;
  for (std::string line; std::getline(file, line);) {
    const json r = json::parse(line, nullptr, false);
    try {
      if (r.is_object() && r.contains("event")) take(log, r);
      else log.bad_lines += !line.empty();
    } catch (const json::exception&) { // a key of another type
      log.bad_lines++;
    }
  }
  std::erase_if(log.cycles, [](const auto& one) { return one.second.pause_ns <= 0; });
  if (log.cycles.empty()) throw UsageError(fmt::format("{}: no collection in it (a log is written with log=FILE,log_format=json)", path));
  return log;
}

// ---- the page ----

const std::map<std::string, const char*> kActivityColours = {{"roots", "#8a4fb0"}, {"copy", "#2f9a5b"}, {"work", "#2f9a5b"}, {"steal", "#c0632f"}, {"wait", "#b08a1f"}, {"termination", "#c8ccd4"}};

std::string timeline(unsigned long long index, const Cycle& c) {
  unsigned workers = 0;
  for (const Span& s : c.spans) workers = std::max(workers, std::min(s.worker, 1023u) + 1);
  const double row = workers > 64 ? 4 : 9, width = 900, left = 40, height = 50 + row * workers;
  std::string out = fmt::format("<h2>Workers in the longest collection ({}, {}, {:.3f} ms)</h2>\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {:.0f}\" font-family=\"sans-serif\" font-size=\"11\">\n", index, c.kind == "full" ? "full" : "young",
                                c.pause_ns / 1e6, width + left + 10, height);
  for (const Span& s : c.spans) {
    const auto colour = kActivityColours.find(s.what);
    const double x = (s.begin - c.start_ns) / c.pause_ns * width, w = (s.end - s.begin) / c.pause_ns * width;
    if (s.worker < workers && x >= 0 && x + w <= width + 1)
      out += fmt::format("<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"/>", left + x, 20 + row * s.worker, w, row - 1, colour == kActivityColours.end() ? "#999" : colour->second);
  }
  double at = left;
  for (const auto& [name, colour] : kActivityColours) {
    out += fmt::format("\n<rect x=\"{0}\" y=\"2\" width=\"10\" height=\"10\" fill=\"{1}\"/><text x=\"{2}\" y=\"11\">{3}</text>", at, colour, at + 14, name);
    at += 100;
  }
  for (unsigned w = 0; w < workers; w += std::max(workers / 12, 1u)) out += fmt::format("<text x=\"2\" y=\"{:.1f}\">{}</text>", 28 + row * w, w);
  return out + fmt::format("\n<text x=\"{}\" y=\"{:.0f}\">0</text><text x=\"{}\" y=\"{:.0f}\" text-anchor=\"end\">{:.3f} ms</text></svg>\n", left, height - 8, left + width, height - 8, c.pause_ns / 1e6);
}

std::string heat_map(const std::string& title, const Matrix& m, bool rows_to_percent, const char* rows, const char* columns) {
  double most = 0;
  Matrix shown = m;
  for (auto& row : shown) {
    double sum = 0;
    for (double v : row) sum += v;
    if (rows_to_percent)
      for (double& v : row) v = sum == 0 ? 0 : 100 * v / sum;
    for (double v : row) most = std::max(most, v);
  }
  std::string out = fmt::format("<h2>{}</h2>\n<table class=\"heat\"><tr><th>{} \\ {}</th>", title, rows, columns);
  for (size_t j = 0; j < shown.size(); j++) out += fmt::format("<th>{}</th>", j);
  out += "</tr>\n";
  for (size_t i = 0; i < shown.size(); i++) {
    out += fmt::format("<tr><th>{}</th>", i);
    for (double v : shown[i]) out += fmt::format("<td style=\"background:rgba(47,127,192,{:.2f})\">{}</td>", most == 0 ? 0 : v / most, short_number(std::round(v * 10) / 10));
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string by_node(const Log& log) {
  Figure pauses{Figure::Kind::bars, "Pauses", "collection", "ms", {}, {{"pause", {}}}};
  for (const auto& [index, c] : log.cycles)
    if (log.cycles.size() <= 60 || c.pause_ns == std::max_element(log.cycles.begin(), log.cycles.end(), [](auto& a, auto& b) { return a.second.pause_ns < b.second.pause_ns; })->second.pause_ns)
      pauses.xs.push_back(std::to_string(index)), pauses.series[0].values.push_back(c.pause_ns / 1e6);
  Figure copied{Figure::Kind::bars, "Bytes copied or marked by workers of each node", "node", "MB", {}, {{"MB", {}}}};
  std::vector<u64> loads;
  for (unsigned n = 0; n < log.nodes; n++) {
    const auto found = log.copied.find(n);
    loads.push_back(found == log.copied.end() ? 0 : u64(found->second));
    copied.xs.push_back(std::to_string(n)), copied.series[0].values.push_back(double(loads.back()) / 1e6);
  }
  auto plain = [](std::string svg) { // measured or simulated: the log's to tell
    const size_t at = svg.find(" (simulated)");
    return at == std::string::npos ? svg : svg.erase(at, 12);
  };
  return plain(draw_svg(pauses, "")) + plain(draw_svg(copied, fmt::format("imbalance {:.2f}", simulation::imbalance_of(loads)))) +
         fmt::format("<p>Steals within a node {:.0f}, between nodes {:.0f}.</p>\n", log.steals_near, log.steals_far);
}

std::string spaces(const Log& log) {
  if (log.accesses.empty()) return "<p>Uses by node of memory are not in this log: a real machine does not count them, a simulation does.</p>\n";
  std::string out = "<h2>Uses of each space by collector threads (simulated)</h2>\n<table><tr><th>space</th><th>accesses</th><th>MB</th><th>non-locality</th><th>imbalance</th></tr>\n";
  for (const char* space : {"eden", "from", "to", "old"}) {
    const auto found = log.accesses.find(space);
    if (found == log.accesses.end()) continue;
    double all = 0, remote = 0, bytes = 0;
    std::vector<u64> homes(found->second.size());
    for (size_t i = 0; i < found->second.size(); i++)
      for (size_t j = 0; j < found->second[i].size(); j++) {
        all += found->second[i][j];
        if (i != j) remote += found->second[i][j];
        if (j < homes.size()) homes[j] += u64(found->second[i][j]);
      }
    for (const auto& row : log.bytes.at(space))
      for (double v : row) bytes += v;
    out += fmt::format("<tr><td>{}</td><td>{:.0f}</td><td>{:.1f}</td><td>{:.3f}</td><td>{:.3f}</td></tr>\n", space, all, bytes / 1e6, all == 0 ? 0 : remote / all, simulation::imbalance_of(homes));
  }
  out += "</table>\n";
  for (const char* space : {"eden", "from", "to", "old"})
    if (log.bytes.count(space) != 0) out += heat_map(fmt::format("Bytes in {}, %", space), log.bytes.at(space), true, "node of the worker", "node of the page");
  return out;
}

int report(const std::string& path, const std::string& out) {
  const Log log = read_log(path);
  const auto longest = std::max_element(log.cycles.begin(), log.cycles.end(), [](const auto& a, const auto& b) { return a.second.pause_ns < b.second.pause_ns; });
  std::string page = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Garner: collections</title><style>body{font:15px/1.45 sans-serif;max-width:1000px;margin:2em auto;padding:0 1em}"
                     "table{border-collapse:collapse;margin:1em 0}td,th{border:1px solid #ccc;padding:.2em .6em;text-align:right}svg{max-width:100%}</style></head><body>\n<h1>Collections</h1>\n";
  page += fmt::format("<p>{} collections{}.</p>\n", log.cycles.size(), log.bad_lines == 0 ? "" : fmt::format("; {} lines of the log are no records", log.bad_lines));
  page += by_node(log);
  if (!longest->second.spans.empty()) page += timeline(longest->first, longest->second);
  page += spaces(log);
  if (!log.steals.empty()) page += heat_map("Steals by node", log.steals, false, "thief", "victim");
  if (!log.locality.empty()) page += heat_map("Locality of rooted sub-graphs, % (T15)", log.locality, true, "node of the root", "node of the object");
  write_file(out, page + "</body></html>\n");
  return 0;
}

} // namespace

Command add_report(CLI::App& root) {
  CLI::App* app = root.add_subcommand("report", "One page from a JSON log: pauses, nodes, steals, workers' timeline, locality");
  auto log = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>("garner-report.html");
  app->add_option("LOG", *log, "A log written with log=FILE,log_format=json, or by a simulation")->required()->option_text("LOG");
  app->add_option("-o,--output", *out, "The page")->type_name("FILE")->capture_default_str();
  return {app, [log, out](const Invocation&) { return report(*log, *out); }};
}

} // namespace garner::tool
