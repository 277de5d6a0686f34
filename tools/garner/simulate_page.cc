// Drawing of simulate_page.h. Curves are those of the experiments (reproduce_page.cc), workers' time lines those of reports (log_page.cc).
#include "simulate_page.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "log_data.h"
#include "log_page.h"
#include "reproduce.h"
#include "sim/log_lines.h"

namespace garner::tool {
namespace {

using Value = double (*)(const ReplayRow&);

Figure curves(const ReplayPlan& plan, const std::vector<ReplayRow>& rows, const char* title, const char* unit, Value value) {
  Figure figure{Figure::Kind::lines, title, "collector threads", unit, {}, {}, false};
  for (u32 n : plan.workers) figure.xs.push_back(std::to_string(n));
  for (const std::string& preset : plan.presets) {
    Series series{preset, std::vector<double>(plan.workers.size(), kNone)};
    for (const ReplayRow& row : rows)
      if (row.preset == preset) series.values[size_t(std::find(plan.workers.begin(), plan.workers.end(), row.workers) - plan.workers.begin())] = value(row);
    figure.series.push_back(series);
  }
  return figure;
}

} // namespace

std::string draw_replays(const ReplayPlan& plan, const std::vector<ReplayRow>& rows) {
  Plates page;
  page.title = "A recorded heap on " + plan.machine.name;
  page.intro = plan_line(plan);
  page.caption = fmt::format("simulated; machine {}; seed {}", plan.machine.name, plan.seed);
  page.figures = {curves(plan, rows, "Pause", "ms", [](const ReplayRow& r) { return r.pause_ms; }),
                  curves(plan, rows, "Throughput", "GB/s copied or marked", [](const ReplayRow& r) { return r.copied_gb_per_s; }),
                  curves(plan, rows, "Bytes from other nodes", "% of what passed the caches", [](const ReplayRow& r) { return 100 * r.remote; }),
                  curves(plan, rows, "Imbalance of bytes by node", "0 all equal", [](const ReplayRow& r) { return r.imbalance; }),
                  curves(plan, rows, "Workers without work", "% of their time", [](const ReplayRow& r) { return 100 * r.idle; })};
  page.table.push_back({"preset", "threads", "took part", "pause ms", "GB/s", "remote %", "imbalance", "uneven", "idle %", "thefts"});
  for (const ReplayRow& r : rows)
    page.table.push_back({r.preset, std::to_string(r.workers), std::to_string(r.worked), fmt::format("{:.3f}", r.pause_ms), fmt::format("{:.2f}", r.copied_gb_per_s), fmt::format("{:.1f}", 100 * r.remote), fmt::format("{:.2f}", r.imbalance),
                          fmt::format("{:.2f}", r.uneven), fmt::format("{:.1f}", 100 * r.idle), std::to_string(r.steals)});
  page.more_style = worker_style();
  for (const std::string& preset : plan.presets) {
    const ReplayRow* best = nullptr;
    for (const ReplayRow& row : rows)
      if (row.preset == preset && (best == nullptr || row.pause_ms < best->pause_ms)) best = &row;
    if (best == nullptr) continue;
    std::istringstream lines(simulation::log_lines(best->measures, preset));
    page.more += fmt::format("<section><h2>{}: its shortest pause, {:.3f} ms with {} threads (simulated)</h2>\n<div class=\"wide\">{}</div></section>\n", escape(preset), best->pause_ms, best->workers, draw_workers(read_log(lines, preset)));
  }
  return draw_plates(page);
}

} // namespace garner::tool
