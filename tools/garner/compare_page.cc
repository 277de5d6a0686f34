#include "compare_page.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "charts.h"
#include "measure.h"
#include "page.h"
#include "stats.h"

namespace garner::tool {
namespace {

// What a figure's numbers are divided by for its axis, as its title has its unit behind the last blank.
double unit_of(const Figure& figure) { return std::string_view(figure.key) == "peak_bytes" ? kMegabyte : 1; }

std::string size_name(const Comparison& comparison) { return comparison.at == "unlimited" ? "no limit" : comparison.at + "×"; }

// A place on x for each heap size where there are several, else for each run and one for the medians. Modes stand beside one another, as equal values would hide.
Chart chart_of(const Figure& figure, const std::vector<Comparison>& all) {
  const std::string title = figure.title;
  const std::string unit = title.substr(title.rfind(' ') + 1);
  const bool sized = all.size() > 1;
  Chart chart{.kind = Chart::Kind::scatter, .title = title, .x = sized ? "limit, times the minimum heap" : "run", .y = title, .unit = unit};
  std::vector<std::string> modes;
  size_t runs = 0;
  for (const Contender& contender : all[0].contenders) modes.push_back(contender.name()), runs = std::max(runs, contender.samples.size());
  for (const Comparison& comparison : all)
    if (sized) chart.x_marks.push_back(size_name(comparison));
  for (size_t run = 1; !sized && run <= runs; run++) chart.x_marks.push_back(std::to_string(run));
  if (!sized) chart.x_marks.push_back("median");
  const std::vector<Look> looks = looks_of(modes);
  const double step = std::min(0.16, 0.8 / double(modes.size()));
  for (size_t m = 0; m < modes.size(); m++) {
    ChartSet set{modes[m], looks[m]};
    const double beside = (double(m) - double(modes.size() - 1) / 2) * step;
    for (size_t i = 0; i < all.size(); i++) {
      const std::string at = all[i].at.empty() ? "" : all[i].at == "unlimited" ? "no limit, " : all[i].at + " times, ";
      const std::vector<double> values = all[i].contenders[m].all_of(figure);
      for (size_t run = 0; run < values.size(); run++) set.points.push_back({double(sized ? i : run) + beside, values[run] / unit_of(figure), fmt::format("{}{}, run {}", at, modes[m], run + 1)});
      const auto interval = ratio_interval(values, {1, 1, 1}); // to a certain 1: of the median itself
      if (!interval) continue;
      const double low = interval->low / unit_of(figure), high = interval->high / unit_of(figure);
      set.points.push_back({(sized ? double(i) + step / 3 : double(runs)) + beside, median(values) / unit_of(figure), fmt::format("{}{}, median, 95 % from {} to {}", at, modes[m], short_number(low), short_number(high)), low, high});
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

std::string draw_comparisons(const std::vector<Comparison>& all, const std::vector<std::string>& program, const std::vector<std::string>& made) {
  Charts charts;
  std::string page = page_head("Collectors compared", Charts::style());
  page += fmt::format("<h1>Collectors compared</h1>\n<p><code>{}</code></p>\n", escape(fmt::format("{}", fmt::join(program, " "))));
  for (const std::string& line : made) page += fmt::format("<p class=\"soft\">{}</p>\n", escape(line));
  page += "<p>Medians of the runs, which took turns; below, the first mode's to each other one's, with 95 % confidence intervals (bootstrap; of three runs, the least, nearer to 90 %). overhead: the time taken over the least that any mode would take without its pauses, with its interval.</p>\n";
  for (const Comparison& comparison : all) {
    page += heading(comparison) + html_table(comparison.table().cells());
    std::istringstream remarks(comparison.remarks());
    for (std::string line; std::getline(remarks, line);) page += fmt::format("<p>{}</p>\n", escape(line));
  }
  std::string drawn;
  for (const Figure& figure : figures())
    if (Chart chart = chart_of(figure, all); !chart.sets.empty()) drawn += fmt::format("<section><h2>{}</h2>\n{}</section>\n", escape(chart.title), charts.add(chart));
  if (!drawn.empty()) page += "<p>Every run; from three on, whiskers are the 95 % confidence intervals of medians:</p>\n" + drawn;
  return page + charts.scripts() + "</body></html>\n";
}

} // namespace garner::tool
