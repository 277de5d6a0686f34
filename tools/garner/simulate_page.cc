#include "simulate_page.h"

#include <algorithm>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "charts.h"
#include "log_data.h"
#include "log_page.h"
#include "reproduce.h"
#include "sim/log_lines.h"

namespace garner::tool {
namespace {

struct Curve { const char *title, *axis, *unit; double (*value)(const ReplayRow&); };
constexpr Curve kCurves[] = {{"Pause", "pause, ms", "ms", [](const ReplayRow& r) { return r.pause_ms; }},
                             {"Throughput", "GB/s copied or marked", "GB/s", [](const ReplayRow& r) { return r.copied_gb_per_s; }},
                             {"Bytes from other nodes", "% of what passed the caches", "%", [](const ReplayRow& r) { return 100 * r.remote; }},
                             {"Imbalance of bytes by node", "imbalance, 0: all equal", "", [](const ReplayRow& r) { return r.imbalance; }},
                             {"Workers without work", "% of their time", "%", [](const ReplayRow& r) { return 100 * r.idle; }}};

// A value for each number of workers, also where there is none, so that curves go side by side.
Chart chart_of(const ReplayPlan& plan, const std::vector<ReplayRow>& rows, const Curve& curve) {
  Chart chart{Chart::Kind::lines, curve.title, "collector threads", curve.axis, curve.unit};
  const std::vector<Look> looks = looks_of(plan.presets);
  const std::set<u32> ascending(plan.workers.begin(), plan.workers.end());
  for (size_t i = 0; i < plan.presets.size(); i++) {
    ChartSet set{plan.presets[i], looks[i]};
    for (u32 n : ascending) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const ReplayRow& r) { return r.preset == plan.presets[i] && r.workers == n; });
      set.points.push_back({double(n), row == rows.end() ? kNone : curve.value(*row), ""});
    }
    chart.sets.push_back(set);
  }
  chart.x_end = *std::max_element(plan.workers.begin(), plan.workers.end());
  return chart;
}

std::string section(const std::string& title, const std::string& element) { return fmt::format("<section><h2>{} <span class=\"soft\">simulated</span></h2>\n{}</section>\n", escape(title), element); }

} // namespace

std::string draw_replays(const ReplayPlan& plan, const std::vector<ReplayRow>& rows) {
  const std::string title = fmt::format("A recorded heap on {}, simulated", plan.machine.name);
  Charts charts;
  std::string page = page_head(title, Charts::style()) + fmt::format("<h1>{}</h1>\n<p>{}</p>\n<p class=\"soft\">machine {}; seed {}</p>\n", escape(title), escape(plan_line(plan)), escape(plan.machine.name), plan.seed);
  for (const Curve& curve : kCurves) page += section(curve.title, charts.add(chart_of(plan, rows, curve)));
  std::vector<std::vector<std::string>> cells = {row_head()};
  for (const ReplayRow& row : rows) cells.push_back(row_cells(row));
  page += html_table(cells);
  for (const std::string& preset : plan.presets) {
    const ReplayRow* best = nullptr;
    for (const ReplayRow& row : rows)
      if (row.preset == preset && (best == nullptr || row.pause_ms < best->pause_ms)) best = &row;
    if (best == nullptr) continue;
    std::istringstream lines(simulation::log_lines(best->measures, preset));
    page += section(fmt::format("{}: its shortest pause, {:.3f} ms with {} threads", preset, best->pause_ms, best->workers), charts.add(workers_chart(read_log(lines, preset))));
  }
  return page + charts.scripts() + "</body></html>\n";
}

} // namespace garner::tool
