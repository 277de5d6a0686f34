// Figures and the report of `garner reproduce`: SVG drawn here, one HTML page that needs nothing else, JSON and a table for the documents.
#include "reproduce.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "page.h"

namespace garner::tool {
namespace {

constexpr double kWidth = 640, kBase = 278, kLeft = 62, kRight = 150, kTop = 34; // kBase: y of 0

struct Ink { std::string colour, dash; };
Ink ink_of(const Plot& f, size_t series) {
  std::vector<std::string> names;
  for (const Series& s : f.series) names.push_back(s.name);
  const Look look = looks_of(names)[series];
  return {light_of(look.colour), fmt::format("{}", fmt::join(look.dash, " "))};
}

struct Canvas {
  std::string out;
  double top = 1, step = 0.25;
  double below = 62; // kBase: for the names of x, its label, the caption
  double height() const { return kBase + below; }
  double y(double value) const { return kBase - (kBase - kTop) * value / top; }
  void text(double x, double at, const std::string& what, const char* more) { out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, at, more, escape(what)); }
};

// Where the points of lines lie: in proportion to their numbers, so that a curve bends where it bends; evenly where these are no numbers or have no room.
std::vector<double> places(const std::vector<std::string>& xs) {
  constexpr double kFrom = kLeft + 10, kLong = kWidth - kRight - kLeft - 20, kRoom = 20;
  std::vector<double> values, even, scaled;
  for (size_t i = 0; i < xs.size(); i++) {
    char* end = nullptr;
    values.push_back(std::strtod(xs[i].c_str(), &end));
    if (*end != 0) values.back() = kNone;
    even.push_back(kFrom + kLong * double(i) / std::max<double>(double(xs.size()) - 1, 1));
  }
  for (size_t i = 0; i < xs.size(); i++) {
    scaled.push_back(kFrom + kLong * (values[i] - values[0]) / (values.back() - values[0]));
    if (!std::isfinite(scaled[i]) || (i > 0 && scaled[i] - scaled[i - 1] < kRoom)) return even;
  }
  return scaled;
}

void axes(Canvas& c, const Plot& f, const std::string& caption) {
  c.text(kLeft, 18, f.title + " (simulated)", "font-size=\"14\" font-weight=\"bold\"");
  for (double value = 0; value < c.top * 1.001; value += c.step) {
    c.out += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>\n", kLeft, kWidth - kRight, c.y(value));
    c.text(kLeft - 6, c.y(value) + 4, mark_text(value, c.step), "class=\"y\" text-anchor=\"end\"");
  }
  if (f.against_one) c.out += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#555\"/>\n", kLeft, kWidth - kRight, c.y(1)); // neither gained nor lost
  c.text(14, (kTop + kBase) / 2, f.y_label, fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 14 {})\"", (kTop + kBase) / 2).c_str());
  if (!f.x_label.empty()) c.text((kLeft + kWidth - kRight) / 2, c.height() - 26, f.x_label, "text-anchor=\"middle\"");
  c.text(kLeft, c.height() - 8, caption, "fill=\"#666\" font-size=\"10\"");
  for (size_t s = 0; s < f.series.size(); s++) {
    const double at = kTop + 10 + 18 * double(s);
    const bool any = std::any_of(f.series[s].values.begin(), f.series[s].values.end(), [](double v) { return std::isfinite(v); });
    const Ink ink = ink_of(f, s);
    if (f.kind == Plot::Kind::lines) c.out += fmt::format("<path class=\"key\" d=\"M{} {:.1f}h18\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>\n", kWidth - kRight + 8, at - 4, ink.colour, ink.dash);
    else c.out += fmt::format("<rect class=\"key\" x=\"{}\" y=\"{:.1f}\" width=\"12\" height=\"10\" fill=\"{}\"/>\n", kWidth - kRight + 12, at - 9, ink.colour);
    c.text(kWidth - kRight + 30, at, f.series[s].name + (any ? "" : " (n/a)"), "");
  }
}

void lines(Canvas& c, const Plot& f) {
  const std::vector<double> at = places(f.xs);
  for (size_t i = 0; i < f.xs.size(); i++) c.text(at[i], kBase + 16, f.xs[i], "text-anchor=\"middle\"");
  for (size_t s = 0; s < f.series.size(); s++) {
    std::string points;
    const Ink ink = ink_of(f, s);
    for (size_t i = 0; i < f.series[s].values.size(); i++) {
      const double v = f.series[s].values[i], x = at[i];
      if (!std::isfinite(v)) continue;
      points += fmt::format("{:.1f},{:.1f} ", x, c.y(v));
      c.out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{} {}: {}</title></circle>\n", x, c.y(v), ink.colour, escape(f.series[s].name), escape(f.xs[i]), short_number(v));
    }
    c.out += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>\n", points, ink.colour, ink.dash);
  }
}

size_t longest_name(const Plot& f) {
  size_t longest = 0;
  for (const std::string& x : f.xs) longest = std::max(longest, x.size());
  return longest;
}
// By how many degrees names of x must be turned to have room.
int slant(const Plot& f) {
  const bool fits = f.kind == Plot::Kind::lines || 6.2 * double(longest_name(f)) <= (kWidth - kRight - kLeft) / double(std::max<size_t>(f.xs.size(), 1));
  return fits ? 0 : longest_name(f) < 16 ? 25 : 55;
}

void bars(Canvas& c, const Plot& f) {
  const double group = (kWidth - kRight - kLeft) / double(std::max<size_t>(f.xs.size(), 1)), width = group * 0.8 / double(std::max<size_t>(f.series.size(), 1));
  for (size_t i = 0; i < f.xs.size(); i++) {
    const double x = kLeft + group * (double(i) + 0.5), y = kBase + 14;
    c.text(x, y, f.xs[i], slant(f) != 0 ? fmt::format("text-anchor=\"end\" font-size=\"10\" transform=\"rotate(-{} {:.1f} {:.1f})\"", slant(f), x, y).c_str() : "text-anchor=\"middle\" font-size=\"10\"");
    for (size_t s = 0; s < f.series.size(); s++) {
      const double v = i < f.series[s].values.size() ? f.series[s].values[i] : kNone;
      if (!std::isfinite(v)) continue;
      c.out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>{} {}: {}</title></rect>\n", kLeft + group * (double(i) + 0.1) + width * double(s), c.y(v), width,
                           std::max(0.0, c.y(0) - c.y(v)), ink_of(f, s).colour, escape(f.series[s].name), escape(f.xs[i]), short_number(v));
    }
  }
}

constexpr const char* kStyle = R"(:root{--holds:#dff2e3;--direction:#faf0cf;--fails:#f9dcd5;--open:#eee}@media(prefers-color-scheme:dark){:root{--holds:#173d26;--direction:#463a14;--fails:#552419;--open:#2a3138}}
tr.holds td:last-child{background:var(--holds)}tr.direction td:last-child{background:var(--direction)}tr.fails td:last-child{background:var(--fails)}tr.open td:last-child{background:var(--open)}
svg{max-width:100%;min-width:600px;height:auto;display:block}svg text{fill:var(--fg)}svg [fill="#fff"]{fill:var(--bg)}svg [fill="#666"]{fill:var(--soft)}svg [stroke="#ddd"]{stroke:var(--line)}svg [stroke="#555"]{stroke:var(--soft)}
@media(max-width:600px){.claims tr{display:grid;grid-template-columns:1fr 1fr 6em;margin-bottom:.6em}.claims td:first-child,.claims th:first-child{grid-column:1/-1}}
)";

// A figure's own colours are for light screens and for the files; the page has others for dark ones.
std::string page_colours() {
  std::string out;
  for (unsigned i = 0; i < kSeriesColours; i++) out += fmt::format("svg [fill=\"{0}\"]{{fill:var({1})}}svg [stroke=\"{0}\"]{{stroke:var({1})}}\n", light_of(Colour(i)), variable_of(Colour(i)));
  return out;
}

// Between lines of the grid, from 0: a round number, so that four to seven of them reach `most`.
double grid_step(double most) {
  if (!(most > 0)) return 0.25;
  const double power = std::pow(10, std::floor(std::log10(most)) - 1);
  for (double step : {2.0, 2.5, 5.0, 10.0, 20.0})
    if (most <= 6.001 * step * power) return step * power;
  return 20 * power;
}

std::string claims_html(const Section& section, bool own) {
  std::string out = fmt::format("<table class=\"claims\"><tr><th>claim</th><th>{}</th><th>ours (simulated)</th><th>verdict</th></tr>\n", own ? "wanted" : "paper");
  for (const Claim& c : section.claims)
    out += fmt::format("<tr class=\"{}\"><td>{}{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", c.outcome == Outcome::holds ? "holds" : c.outcome == Outcome::direction ? "direction" : c.outcome == Outcome::fails ? "fails" : "open", escape(c.text),
                       c.why.empty() ? "" : "<br><small>" + escape(c.why) + "</small>", escape(c.paper), escape(c.ours), verdict_name(c.outcome));
  return out + "</table>\n";
}

} // namespace

std::string caption_of(const Chapter& chapter) {
  std::string machines;
  for (const std::string& m : chapter.machines) machines += (machines.empty() ? "" : ", ") + m;
  return fmt::format("simulated; {}; machine {}; seed {}", chapter.experiment->id, machines, kReproduceSeed);
}

Claim claim(const std::string& text, const std::string& paper, const std::string& ours, bool holds, bool known, const std::string& why) {
  return {text, paper, known ? ours : "not available", !known ? Outcome::unavailable : holds ? Outcome::holds : Outcome::fails, why};
}

Claim gain_claim(const std::string& text, const std::string& paper_text, double paper, const std::string& ours_text, double ours) {
  Claim one = claim(text, paper_text, ours_text, ours - 1 >= (paper - 1) / 2 && ours - 1 <= 2 * (paper - 1), !std::isnan(ours));
  if (one.outcome == Outcome::fails && ours > 1.03) one.outcome = Outcome::direction;
  return one;
}

std::string tally(const size_t (&counts)[kOutcomes]) { return fmt::format("{} hold, {} in direction only, {} do not, {} cannot be judged", counts[0], counts[1], counts[2], counts[3]); }

std::string percent(double ratio) { return std::isnan(ratio) ? "-" : fmt::format("{:+.0f} %", 100 * (ratio - 1)); }

const char* verdict_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::holds: return "holds";
    case Outcome::direction: return "direction only";
    case Outcome::fails: return "does not hold";
    case Outcome::unavailable: break;
  }
  return "not available";
}

std::string draw_svg(const Plot& figure, const std::string& caption) {
  Canvas c;
  double most = 0;
  for (const Series& s : figure.series)
    for (double v : s.values)
      if (std::isfinite(v)) most = std::max(most, v);
  if (figure.against_one) most = std::max(most, 1.0);
  c.step = figure.against_one && most < 2 ? 0.25 : grid_step(most); // a line of the grid at 1
  c.top = c.step * std::max(std::ceil(most / c.step - 0.001), 1.0);
  if (const int turned = slant(figure); turned != 0) c.below += std::max((turned > 30 ? 4.6 : 2.6) * double(longest_name(figure)) - 12, 0.0);
  c.out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n", kWidth, c.height());
  axes(c, figure, caption);
  if (figure.kind == Plot::Kind::lines) lines(c, figure);
  else bars(c, figure);
  return c.out + "</svg>\n";
}

std::string draw_report(const std::vector<Chapter>& chapters, const Scale& scale, unsigned long long seed) {
  size_t counts[kOutcomes] = {};
  for (const Chapter& chapter : chapters)
    for (const Claim& c : chapter.section.claims) counts[size_t(c.outcome)]++;
  std::string out = page_head("experiments, simulated", kStyle + page_colours());
  out += fmt::format("<h1>Experiments on the simulated machine</h1>\n<p>Every figure here is <b>simulated</b>: the collector's own code on a model of the machine (seed {}{}). Workloads are generators with the stated allocation patterns, "
                     "on heaps scaled down to {} of their full size, which is itself about a fifth of the first paper's young spaces and a thousandth of the second's largest. Of the claims about shape {}.</p>\n",
                     seed, scale.quick ? ", the quick selection" : "", fmt::format("{} %", scale.percent()), tally(counts));
  out += "<p>";
  for (const Chapter& chapter : chapters) {
    size_t held = 0;
    for (const Claim& c : chapter.section.claims) held += c.outcome == Outcome::holds;
    out += fmt::format("<a href=\"#{0}\">{0}</a>&nbsp;<small>{1}&nbsp;of&nbsp;{2}&nbsp;hold</small>&ensp;\n", escape(chapter.experiment->id), held, chapter.section.claims.size());
  }
  out += "</p>\n";
  for (const Chapter& chapter : chapters) {
    const Experiment& e = *chapter.experiment;
    out += fmt::format("<h2 id=\"{0}\">{0}: {1}</h2>\n<p>{2}.{3}</p>\n", escape(e.id), escape(e.title), escape(e.paper), e.lost.empty() ? "" : " <i>Lost or not reported: " + escape(e.lost) + ".</i>");
    out += claims_html(chapter.section, e.id.rfind("ours/", 0) == 0);
    if (!chapter.section.table.empty()) out += html_table(chapter.section.table);
    for (const Plot& f : chapter.section.figures) out += "<div class=\"wide\">" + draw_svg(f, caption_of(chapter)) + "</div>\n";
    out += fmt::format("<p><small>{}. Again: <code>garner reproduce {}{}</code></small></p>\n", caption_of(chapter), e.id, scale.quick ? " --quick" : "");
  }
  return out + "</body></html>\n";
}

nlohmann::ordered_json json_of(const Chapter& chapter, const Scale& scale, const Results& results) {
  using json = nlohmann::ordered_json;
  auto number = [](double v) { return std::isfinite(v) ? json(v) : json(nullptr); };
  json claims = json::array(), figures = json::array(), runs = json::object();
  for (const Claim& c : chapter.section.claims) claims.push_back({{"claim", c.text}, {"paper", c.paper}, {"ours", c.ours}, {"verdict", verdict_name(c.outcome)}, {"why", c.why}});
  for (const Plot& f : chapter.section.figures) {
    json series = json::object();
    for (const Series& s : f.series) {
      json values = json::array();
      for (double v : s.values) values.push_back(number(v));
      series[s.name] = values;
    }
    figures.push_back({{"title", f.title}, {"x", f.x_label}, {"y", f.y_label}, {"xs", f.xs}, {"series", series}});
  }
  for (const Run& run : chapter.experiment->runs(scale)) {
    const json* good = results.good(run);
    runs[run.key()] = good != nullptr ? *good : json{{"error", results.error(run)}};
  }
  return {{"experiment", chapter.experiment->id}, {"title", chapter.experiment->title}, {"simulated", true}, {"machines", chapter.machines}, {"seed", kReproduceSeed}, {"quick", scale.quick},
          {"lost", chapter.experiment->lost}, {"claims", claims}, {"figures", figures}, {"table", chapter.section.table}, {"runs", runs}};
}

std::string markdown_of(const std::vector<Chapter>& chapters) {
  auto cell = [](std::string text) {
    for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
    return text;
  };
  std::string out = "| experiment | claim | paper | ours, simulated | verdict |\n|---|---|---|---|---|\n";
  for (const Chapter& chapter : chapters)
    for (const Claim& c : chapter.section.claims) out += fmt::format("| {} | {} | {} | {} | {} |\n", chapter.experiment->id, cell(c.text), cell(c.paper), cell(c.ours), verdict_name(c.outcome));
  std::string reasons;
  for (const Chapter& chapter : chapters)
    for (const Claim& c : chapter.section.claims)
      if (!c.why.empty()) reasons += fmt::format("| {} | {} | {} | {} |\n", chapter.experiment->id, cell(c.text), cell(c.ours), cell(c.why));
  if (!reasons.empty()) out += "\n| experiment | claim | ours | reason |\n|---|---|---|---|\n" + reasons;
  return out;
}

} // namespace garner::tool
