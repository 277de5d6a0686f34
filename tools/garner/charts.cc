#include "charts.h"
#include "json_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

// The text of Chart.js, from its first byte to the one after its last (chart_js.S).
extern "C" const char garner_chart_js[], garner_chart_js_end[];

namespace garner::tool {
namespace {

using json = nlohmann::ordered_json;

// Configurations come whole from C++ but for what JSON cannot hold: colours of the screen's scheme, functions, spans as the library wants them.
constexpr const char* kScript = R"(
{
'use strict';
const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name).trim();
const number = v => v.toLocaleString('en', Math.abs(v) >= 100 ? {maximumFractionDigits: 0} : {maximumSignificantDigits: 3});

Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;
Object.assign(Chart.defaults.font, {family: 'system-ui, sans-serif', size: 12});
Chart.defaults.plugins.legend.align = 'start';
Chart.register({id: 'gap', beforeInit({legend}) { // between legend and chart the library has none
  const fit = legend.fit;
  legend.fit = function () { fit.call(this); this.height += 8; };
}});

// A band is two sets, its upper edge and its lower one. They have one entry in the legend and one line in a tooltip.
const legend = Chart.defaults.plugins.legend, toggle = legend.onClick;
legend.labels.filter = (item, data) => !data.datasets[item.datasetIndex].lower;
legend.onClick = function (event, item, legend) {
  toggle.call(this, event, item, legend);
  const chart = legend.chart, next = item.datasetIndex + 1, set = chart.data.datasets[next];
  if (set && set.lower) { chart.setDatasetVisibility(next, chart.isDatasetVisible(item.datasetIndex)); chart.update(); }
};

// Of a configuration, or of a chart that is drawn: its own scales keep what they began with.
const paint = ({data, options}) => {
  Chart.defaults.color = colour('--soft');
  Chart.defaults.borderColor = colour('--line');
  for (const scale of Object.values(options.scales)) {
    scale.title.color = scale.ticks.color = colour('--soft');
    scale.grid.color = scale.grid.borderColor = colour('--line');
  }
  Chart.defaults.plugins.legend.labels.color = colour('--fg');
  const tooltip = Chart.defaults.plugins.tooltip;
  tooltip.backgroundColor = colour('--fg');
  tooltip.titleColor = tooltip.bodyColor = tooltip.footerColor = colour('--bg');
  for (const set of data.datasets) { set.backgroundColor = colour(set.colour); set.borderColor = colour(set.says ? '--bg' : set.colour); if (set.fill) set.fill.above = set.fill.below = colour(set.colour) + '50'; }
};

// What a datum is and its value, as a tooltip tells it.
const kinds = {
  line: chart => ({
    title: items => `${chart.options.scales.x.title.text}: ${items[0].label}`,
    label: i => `${i.dataset.label}: ${i.raw.low === undefined ? '' : `${number(i.raw.low)} to `}${number(i.parsed.y)} ${chart.unit}`,
  }),
  scatter: chart => ({label: i => `${i.raw.says || i.dataset.label}: ${number(i.parsed.y)} ${chart.unit}`}),
  bar: chart => ({title: items => `${chart.options.scales.x.title.text}: ${items[0].label}`, label: i => `${i.dataset.label}: ${number(i.parsed.y)} ${chart.unit}`}),
  stacked: chart => ({
    title: items => `${chart.options.scales.y.title.text} ${items[0].label}`,
    label: i => `${i.dataset.label}: ${number(i.parsed.x)} ${chart.unit}`,
    footer: items => `together: ${number(items.reduce((sum, i) => sum + i.parsed.x, 0))} ${chart.unit}`,
  }),
  spans: chart => ({
    title: () => '',
    label: i => `${i.raw.says || `${chart.options.scales.y.title.text} ${i.raw.y}: ${i.dataset.label}`}: ${number(i.raw.x[1] - i.raw.x[0])} ${chart.unit}`,
  }),
};

// As many numbers of rows as have room, at equal distances. Legend and the other axis take up to 140 pixels.
const number_rows = (axis, rows) => {
  let step = 1;
  while (step * (axis.chart.height - 140) / (axis.max - axis.min) < 13) step *= 2;
  axis.ticks = [];
  for (let row = 0; row < rows; row += step) axis.ticks.push({value: row});
};

// Powers of ten; on a short axis also twice and five times as much. Of counts, whole numbers.
const mark_powers = (axis, least) => {
  const steps = axis.max / axis.min > 500 ? [1] : [1, 2, 5];
  axis.ticks = [];
  for (let power = Math.floor(Math.log10(axis.min)); power <= Math.log10(axis.max); power++)
    for (const step of steps) {
      const value = Number(`${step}e${power}`);
      if (value >= Math.max(axis.min, least) && value <= axis.max) axis.ticks.push({value});
    }
};

Chart.register({id: 'intervals', afterDatasetsDraw(chart) {
  const ctx = chart.ctx, y = chart.scales.y;
  ctx.save();
  ctx.lineWidth = 2;
  chart.data.datasets.forEach((set, i) => {
    if (!chart.isDatasetVisible(i)) return;
    ctx.strokeStyle = colour(set.colour);
    for (const [j, point] of chart.getDatasetMeta(i).data.entries()) {
      const {low, high} = set.data[j];
      if (high === undefined) continue;
      const [top, bottom] = [y.getPixelForValue(high), y.getPixelForValue(low)];
      ctx.beginPath();
      for (const [x1, y1, x2, y2] of [[0, top, 0, bottom], [-4, top, 4, top], [-4, bottom, 4, bottom]]) { ctx.moveTo(point.x + x1, y1); ctx.lineTo(point.x + x2, y2); }
      ctx.stroke();
    }
  });
  ctx.restore();
}});

Chart.register({id: 'says', afterDatasetsDraw(chart) {
  const ctx = chart.ctx;
  ctx.save();
  Object.assign(ctx, {font: '11px system-ui, sans-serif', fillStyle: colour('--fg'), textAlign: 'center', textBaseline: 'middle'});
  chart.data.datasets.forEach((set, i) => {
    if (!set.says || !chart.isDatasetVisible(i)) return;
    for (const [j, bar] of chart.getDatasetMeta(i).data.entries()) {
      const says = set.data[j].says;
      if (says && ctx.measureText(says).width + 8 < Math.abs(bar.width)) ctx.fillText(says, (bar.x + bar.base) / 2, bar.y + 0.5);
    }
  });
  ctx.restore();
}});

const all = JSON.parse(document.getElementById('charts').textContent), shown = [];
for (const chart of all) {
  paint(chart);
  chart.data.datasets.forEach(set => {
    if (chart.kind === 'spans') set.data = set.data.map(([y, from, to, says]) => ({y, x: [from, to], says}));
  });
  if (chart.kind === 'spans') chart.options.scales.y.afterBuildTicks = axis => number_rows(axis, chart.rows);
  for (const scale of Object.values(chart.options.scales))
    if (scale.type === 'logarithmic') { scale.afterBuildTicks = axis => mark_powers(axis, chart.counts ? 1 : 0); scale.ticks.callback = number; }
  if (chart.marks) {
    const x = chart.options.scales.x;
    x.afterBuildTicks = axis => { axis.ticks = chart.marks.map((_, value) => ({value})); };
    x.ticks.callback = value => chart.marks[value];
  }
  chart.options.plugins.tooltip = {callbacks: kinds[chart.kind](chart), filter: item => !item.dataset.lower};
  shown.push(new Chart(document.getElementById(chart.id), {type: chart.type, data: chart.data, options: chart.options}));
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
  for (const chart of shown) { paint(chart); chart.update(); }
});
addEventListener('beforeprint', () => shown.forEach(chart => chart.resize()));
}
)";

double rounded(double value) { // five digits are more than a screen shows
  if (value == 0 || !std::isfinite(value)) return value;
  const double power = std::pow(10, 4 - std::floor(std::log10(std::abs(value))));
  return std::round(value * power) / power;
}

json axis(const std::string& title) { return {{"title", {{"display", true}, {"text", title}}}, {"ticks", json::object()}, {"grid", json::object()}, {"beginAtZero", true}}; }

bool is_band(const Chart& chart, const ChartSet& set) {
  return chart.kind == Chart::Kind::lines && std::any_of(set.points.begin(), set.points.end(), [](const ChartPoint& p) { return std::isfinite(p.low); });
}

// From one of 1, 2, 5, 10, … to another, with at least one more between them.
std::pair<double, double> powers_around(double least, double most) {
  static constexpr double kSteps[] = {1, 2, 5};
  const auto step = [](int n) { const int power = n >= 0 ? n / 3 : -((2 - n) / 3); return kSteps[n - 3 * power] * std::pow(10, power); };
  int low = 3 * int(std::floor(std::log10(least))) + 2, high = 3 * int(std::floor(std::log10(most)));
  while (step(low) > least) low--;
  while (step(high) < most || high < low + 2) high++;
  return {step(low), step(high)};
}

// Of a logarithmic axis of y; none without a value above 0.
std::optional<std::pair<double, double>> y_range(const Chart& chart) {
  double least = std::numeric_limits<double>::max(), most = 0;
  const auto take = [&](double value) { if (value > 0) least = std::min(least, value), most = std::max(most, value); }; // and not NaN
  for (const ChartSet& set : chart.sets) {
    for (double v : set.values) take(v);
    for (const ChartPoint& p : set.points) take(p.y), take(p.low), take(p.high);
  }
  if (most == 0) return std::nullopt;
  if (chart.kind != Chart::Kind::bars) return powers_around(least, most);
  return std::pair(least / 2, powers_around(least, most).second); // one of something is a bar that is seen
}

json data_of(const ChartSet& set) {
  json data = json::array();
  for (double v : set.values) data.push_back(v);
  for (const ChartPoint& p : set.points) {
    data.push_back({{"x", p.x}, {"y", p.y}}); // the library leaves null out, and that is what JSON makes of NaN
    if (std::isfinite(p.low)) data.back()["low"] = p.low;
    if (std::isfinite(p.high)) data.back()["high"] = p.high;
    if (!p.says.empty()) data.back()["says"] = p.says;
  }
  for (const ChartSpan& s : set.spans) {
    data.push_back({s.row, rounded(s.from), rounded(s.to)});
    if (!s.says.empty()) data.back().push_back(s.says);
  }
  return data;
}

json set_of(const Chart& chart, const ChartSet& set) {
  static constexpr const char* kPointStyles[] = {"circle", "rect", "triangle", "rectRot", "crossRot", "star"};
  static_assert(std::size(kPointStyles) == kMarks);
  json out = {{"label", set.name}, {"colour", variable_of(set.look.colour)}, {"data", data_of(set)}};
  switch (chart.kind) {
    case Chart::Kind::lines: out.update({{"borderDash", set.look.dash}, {"pointStyle", kPointStyles[set.look.mark]}, {"borderWidth", 2}, {"pointRadius", set.points.size() > kMarkedPoints ? 0 : 4}, {"pointBorderWidth", 2}, {"spanGaps", true}, {"clip", 8}}); break;
    case Chart::Kind::scatter: out.update({{"pointRadius", 4}, {"pointStyle", kPointStyles[set.look.mark]}, {"pointBorderWidth", 2}, {"clip", 8}}); break;
    case Chart::Kind::bars: out.update({{"maxBarThickness", 60}}); break;
    case Chart::Kind::stacked: break;
    case Chart::Kind::spans:
      out.update({{"grouped", false}, {"barPercentage", 0.9}, {"categoryPercentage", 1}});
      if (set.thick > 0) out.update({{"barThickness", set.thick}, {"says", true}, {"borderWidth", 1}, {"borderSkipped", false}}); // an edge, for one follows the other
      break;
  }
  return out;
}

json scales_of(const Chart& chart) {
  json x = axis(chart.x), y = axis(chart.y);
  if (chart.kind == Chart::Kind::lines || chart.kind == Chart::Kind::scatter || chart.kind == Chart::Kind::spans) x["type"] = "linear";
  if (chart.x_begin > 0) x["type"] = "logarithmic", x["min"] = chart.x_begin, x.erase("beginAtZero");
  if (chart.x_end > 0) x["max"] = chart.x_end;
  if (chart.kind == Chart::Kind::lines || chart.kind == Chart::Kind::scatter) x["grid"] = {{"drawOnChartArea", false}};
  if (chart.kind == Chart::Kind::bars) x["grid"] = {{"display", false}};
  if (!chart.x_marks.empty()) x["min"] = -0.5, x["max"] = double(chart.x_marks.size()) - 0.5, x["ticks"] = {{"autoSkip", false}};
  if (const auto range = chart.log_y ? y_range(chart) : std::nullopt; range) y["type"] = "logarithmic", y["min"] = range->first, y["max"] = range->second, y.erase("beginAtZero");
  if (chart.counts) y["ticks"] = {{"precision", 0}};
  if (chart.kind == Chart::Kind::stacked || chart.kind == Chart::Kind::spans) y["grid"] = {{"display", false}};
  if (chart.kind == Chart::Kind::stacked) x["stacked"] = y["stacked"] = true;
  if (chart.kind == Chart::Kind::spans) x["ticks"] = {{"includeBounds", false}}; // only round numbers
  if (chart.kind == Chart::Kind::spans) y.update({{"type", "linear"}, {"offset", false}, {"reverse", true}, {"min", -0.5 - chart.rows_above}, {"max", chart.rows - 0.5}, {"ticks", {{"autoSkip", false}}}});
  return {{"x", x}, {"y", y}};
}

json config_of(const Chart& chart) {
  static constexpr const char* kKinds[] = {"line", "scatter", "bar", "stacked", "spans"};
  static constexpr const char* kTypes[] = {"line", "scatter", "bar", "bar", "bar"};
  const size_t kind = size_t(chart.kind);
  const bool points = chart.kind == Chart::Kind::lines || chart.kind == Chart::Kind::scatter, sideways = chart.kind == Chart::Kind::stacked || chart.kind == Chart::Kind::spans;
  json sets = json::array();
  for (const ChartSet& set : chart.sets) {
    sets.push_back(set_of(chart, set));
    if (!is_band(chart, set)) continue;
    sets.back().update({{"fill", {{"target", "+1"}}}, {"borderWidth", 1.5}});
    ChartSet lower = set;
    for (ChartPoint& p : lower.points) p.y = p.low, p.low = kNoValue;
    sets.push_back(set_of(chart, lower));
    sets.back().update({{"lower", true}, {"borderWidth", 1.5}});
  }
  json data = {{"datasets", sets}};
  if (!chart.names.empty()) data["labels"] = chart.names;
  json options = {{"scales", scales_of(chart)}, {"plugins", {{"legend", {{"display", chart.legend}, {"labels", {{"usePointStyle", points}, {"boxWidth", points ? 7 : 12}, {"boxHeight", points ? 7 : 11}}}}}}}};
  if (sideways) options["indexAxis"] = "y";
  if (chart.kind != Chart::Kind::scatter && chart.kind != Chart::Kind::spans) options["interaction"] = {{"mode", "index"}, {"axis", sideways ? "y" : "x"}, {"intersect", false}};
  json out = {{"title", chart.title}, {"kind", kKinds[kind]}, {"type", kTypes[kind]}, {"unit", chart.unit}, {"data", data}, {"options", options}};
  if (chart.kind == Chart::Kind::spans) out["rows"] = chart.rows;
  if (chart.counts) out["counts"] = true;
  if (!chart.x_marks.empty()) out["marks"] = chart.x_marks;
  return out;
}

} // namespace

std::string describe(const Chart& chart) {
  std::string out = fmt::format("{}. {} by {}.", chart.title, chart.kind == Chart::Kind::stacked || chart.kind == Chart::Kind::spans ? chart.x : chart.y, chart.kind == Chart::Kind::stacked || chart.kind == Chart::Kind::spans ? chart.y : chart.x);
  for (const ChartSet& set : chart.sets) {
    std::vector<double> values;
    for (double v : set.values) values.push_back(v);
    for (const ChartPoint& p : set.points) values.push_back(p.y), values.push_back(is_band(chart, set) ? p.low : kNoValue);
    for (const ChartSpan& s : set.spans) values.push_back(s.to - s.from);
    values.erase(std::remove_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); }), values.end());
    if (values.empty()) continue;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (values.size() == 1) out += fmt::format(" {}: {} {}.", set.name, short_number(*least), chart.unit);
    else out += fmt::format(" {}: {} values from {} to {} {}.", set.name, values.size(), short_number(*least), short_number(*most), chart.unit);
  }
  return out;
}

std::string Charts::add(const Chart& chart) {
  const std::string id = fmt::format("chart{}", all_.size() + 1), words = escape(describe(chart));
  json config = config_of(chart);
  config["id"] = id;
  all_.push_back(std::move(config));
  return fmt::format("<div class=\"chart\" style=\"height:{:.0f}px\"><canvas id=\"{}\" role=\"img\" aria-label=\"{}\">{}</canvas></div>\n", chart.height, id, words, words);
}

std::string Charts::scripts() const {
  if (all_.empty()) return "";
  const std::string_view library(garner_chart_js, size_t(garner_chart_js_end - garner_chart_js));
  return fmt::format("<noscript><p>The charts of this page are drawn by a script in it, which is switched off here.</p></noscript>\n{}<script>\n{}{}</script>\n", json_element("charts", json_text(all_)), library, kScript);
}

std::string Charts::style() { return ".chart{position:relative;min-width:0}\n"; }

} // namespace garner::tool
