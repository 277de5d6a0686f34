#include "compare_page.h"

#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "charts.h"
#include "measure.h"
#include "page.h"

namespace garner::tool {
namespace {

// What a figure's numbers are divided by for its axis, as its title has its unit behind the last blank.
double unit_of(const Figure& figure) { return std::string_view(figure.key) == "peak_bytes" ? 1 << 20 : 1; }

// Over heap sizes where there are several, else over runs.
Chart chart_of(const Figure& figure, const std::vector<Comparison>& all) {
  const std::string title = figure.title;
  const std::string unit = title.substr(title.rfind(' ') + 1);
  Chart chart{.kind = Chart::Kind::scatter, .title = title, .x = all.size() > 1 ? "limit, times the minimum heap" : "run", .y = title, .unit = unit};
  std::vector<std::string> modes;
  for (const Contender& contender : all[0].contenders) modes.push_back(contender.name());
  const std::vector<Look> looks = looks_of(modes);
  for (size_t m = 0; m < modes.size(); m++) {
    ChartSet set{modes[m], looks[m]};
    for (const Comparison& comparison : all) {
      double run = 0;
      for (double value : comparison.contenders[m].all_of(figure)) {
        run++;
        const double x = all.size() > 1 ? std::strtod(comparison.at.c_str(), nullptr) : run;
        const double beside = (double(m) - double(modes.size() - 1) / 2) * (all.size() > 1 ? 0.04 : 0.12); // else equal values hide one another
        set.points.push_back({x + beside, value / unit_of(figure), comparison.at.empty() ? fmt::format("run {:.0f}", run) : fmt::format("{} times, run {:.0f}", comparison.at, run)});
      }
    }
    if (!set.points.empty()) chart.sets.push_back(std::move(set));
  }
  return chart;
}

std::string heading(const Comparison& comparison) {
  if (comparison.at.empty() || comparison.at == "unlimited") return comparison.at.empty() ? "" : "<h2>without a limit</h2>\n";
  const auto& limit = comparison.contenders[0].plan.limit_bytes;
  return fmt::format("<h2>{} times the minimum heap{}</h2>\n", escape(comparison.at), limit ? fmt::format(": {} MB", megabytes_text(double(*limit))) : "");
}

} // namespace

std::string draw_comparisons(const std::vector<Comparison>& all, const std::vector<std::string>& program) {
  Charts charts;
  std::string page = page_head("Collectors compared", Charts::style());
  page += fmt::format("<h1>Collectors compared</h1>\n<p><code>{}</code></p>\n", escape(fmt::format("{}", fmt::join(program, " "))));
  page += "<p>Medians of the runs, which took turns; below, the first mode's to each other one's, with 95 % confidence intervals (bootstrap) from three runs on. overhead: the time taken over the least that any mode would take without its pauses.</p>\n";
  std::vector<Comparison> sized; // those without a limit have no place on an axis of limits
  for (const Comparison& comparison : all) {
    page += heading(comparison) + html_table(comparison.table().cells());
    if (const std::string remarks = comparison.remarks(); !remarks.empty()) page += fmt::format("<p>{}</p>\n", escape(remarks));
    if (comparison.at != "unlimited") sized.push_back(comparison);
  }
  page += "<p>Every run:</p>\n";
  for (const Figure& figure : figures())
    if (Chart chart = chart_of(figure, sized.empty() ? all : sized); !chart.sets.empty()) page += fmt::format("<section><h2>{}</h2>\n{}</section>\n", escape(chart.title), charts.add(chart));
  return page + charts.scripts() + "</body></html>\n";
}

} // namespace garner::tool
