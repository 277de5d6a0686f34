#include "page.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include <fmt/format.h>

namespace garner::tool {
namespace {

struct Paint { const char *name, *light, *dark; };
constexpr Paint kPaints[] = {{"--grey", "#4c566a", "#9aa9c4"},   {"--orange", "#c0632f", "#f08a45"}, {"--blue", "#2f7fc0", "#5aa7f2"},  {"--green", "#2f9a5b", "#57c48b"},
                             {"--violet", "#8a4fb0", "#b892ef"}, {"--gold", "#b08a1f", "#e0b345"},   {"--faint", "#9aa3ad", "#66707b"}, {"--phase", "#a3c0e6", "#33506f"}};
static_assert(std::size(kPaints) == kColours);

struct Named { const char* name; Look look; };
const Named kLooks[] = {{"ps", {Colour::grey, {}}},   {"interleaved", {Colour::orange, {7, 3}}}, {"fragmented", {Colour::blue, {2, 3}}}, {"segregated", {Colour::green, {9, 3, 2, 3}}}, {"naps", {Colour::violet, {}}},
                        {"org", {Colour::grey, {2, 3}}}, {"aggressive", {Colour::orange, {9, 3, 2, 3}}}, {"hybrid", {Colour::blue, {}}}, {"relaxed", {Colour::green, {7, 3}}}};
const std::vector<int> kDashes[] = {{}, {7, 3}, {2, 3}, {9, 3, 2, 3}}; // those above too

constexpr const char* kStyle = R"(body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;background:var(--bg);color:var(--fg)}
h2{font-size:1.15em;margin:2em 0 .3em}p{margin:.3em 0}a{color:var(--link)}.soft,small{color:var(--soft)}code{overflow-wrap:anywhere}
table{border-collapse:collapse;margin:.6em 0}td,th{border-bottom:1px solid var(--line);padding:.2em .7em;text-align:left;vertical-align:top}.n{text-align:right}td.n{white-space:nowrap}
.wide{overflow-x:auto}@media(max-width:600px){td,th{padding:.2em .45em}.wide table{font-size:.88em}}
)";

// Also an interval, "0.25–0.31" or "1.05 (1.02–1.09)".
bool is_number(std::string cell) {
  for (size_t at; (at = cell.find("–")) != cell.npos;) cell.replace(at, std::strlen("–"), "-");
  return cell == "-" || (cell.find_first_of("0123456789") != cell.npos && cell.find_first_not_of("0123456789.,+-% ()") == cell.npos);
}

// A list of options may go on in the next line.
std::string breakable(std::string html) {
  for (size_t at = 0; (at = html.find(',', at)) != html.npos; at += 6) html.insert(at + 1, "<wbr>");
  return html;
}

} // namespace

const char* light_of(Colour colour) { return kPaints[size_t(colour)].light; }
std::string variable_of(Colour colour) { return kPaints[size_t(colour)].name; }

std::vector<Look> looks_of(const std::vector<std::string>& names) {
  std::vector<Look> looks;
  unsigned taken = 0, next = 0; // taken: a bit for each colour
  const auto known = [](const std::string& name) { return std::find_if(std::begin(kLooks), std::end(kLooks), [&](const Named& one) { return one.name == name; }); };
  for (const std::string& name : names)
    if (const Named* one = known(name); one != std::end(kLooks)) taken |= 1u << unsigned(one->look.colour);
  for (const std::string& name : names) {
    Look look;
    if (const Named* one = known(name); one != std::end(kLooks)) look = one->look;
    else {
      for (unsigned tries = 0; tries < kSeriesColours && (taken >> next % kSeriesColours & 1) != 0; tries++) next++;
      look.colour = Colour(next++ % kSeriesColours);
    }
    const auto has = [&](auto same) { return std::any_of(looks.begin(), looks.end(), [&](const Look& other) { return other.colour == look.colour && same(other); }); };
    const auto same_dash = [&](const Look& other) { return other.dash == look.dash; };
    for (unsigned colours = 0; colours < kSeriesColours && has(same_dash); colours++) { // a pattern that is free, else another colour
      for (size_t tries = 0; tries < std::size(kDashes) && has(same_dash); tries++) look.dash = kDashes[tries];
      if (has(same_dash)) look = {Colour((unsigned(look.colour) + 1) % kSeriesColours), {}};
    }
    look.mark = unsigned(looks.size() % kMarks);
    for (unsigned tries = 0; tries < kMarks && has([&](const Look& other) { return other.mark == look.mark; }); tries++) look.mark = (look.mark + 1) % kMarks;
    looks.push_back(std::move(look));
  }
  return looks;
}

std::string page_head(const std::string& title, const std::string& own_style) {
  std::string light, dark;
  for (const Paint& paint : kPaints) light += fmt::format(";{}:{}", paint.name, paint.light), dark += fmt::format(";{}:{}", paint.name, paint.dark);
  return fmt::format("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>Garner: {}</title><style>\n"
                     ":root{{color-scheme:light dark;--bg:#fff;--fg:#1f2328;--soft:#59636e;--line:#d8dee4;--card:#f6f8fa;--link:#1f5fa8{}}}\n"
                     "@media(prefers-color-scheme:dark){{:root{{--bg:#10151b;--fg:#e4e8ec;--soft:#9ba5b0;--line:#313840;--card:#181f27;--link:#5aa7f2{}}}}}\n{}{}</style></head><body>\n",
                     escape(title), light, dark, kStyle, own_style);
}

std::string html_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<bool> right;
  for (size_t column = 0; !rows.empty() && column < rows[0].size(); column++) {
    const auto number = [&](const std::vector<std::string>& row) { return column < row.size() && is_number(row[column]); };
    const auto fits = [&](const std::vector<std::string>& row) { return number(row) || (column < row.size() && row[column].empty()); };
    right.push_back(std::any_of(rows.begin() + 1, rows.end(), number) && std::all_of(rows.begin() + 1, rows.end(), fits));
  }
  std::string out = "<div class=\"wide\"><table>\n";
  for (size_t r = 0; r < rows.size(); r++) {
    out += "<tr>";
    for (size_t c = 0; c < rows[r].size(); c++) out += fmt::format("<{0}{1}>{2}</{0}>", r == 0 ? "th" : "td", c < right.size() && right[c] ? " class=\"n\"" : "", breakable(escape(rows[r][c])));
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string escape(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

std::string json_element(const std::string& id, std::string json) {
  for (size_t at = 0; (at = json.find('<', at)) != std::string::npos; at += 6) json.replace(at, 1, "\\u003c");
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id, json);
}

std::string mark_text(double value, double step) {
  int digits = 0;
  for (double s = step; digits < 9 && std::abs(s - std::round(s)) > 1e-6 * s; s *= 10) digits++;
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (value >= 1e4)
    for (size_t at = std::min(text.find('.'), text.size()); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string date_text(std::time_t when) {
  std::tm parts = {};
  char text[32] = "";
  if (gmtime_r(&when, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts);
  return text;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == std::round(value) && std::abs(value) < 1e6) return fmt::format("{:.0f}", value);
  if (std::abs(value) < 0.1) return fmt::format("{:.{}f}", value, std::min(1 - int(std::floor(std::log10(std::abs(value)))), 9)); // two digits that say something
  return std::abs(value) >= 100 ? fmt::format("{:.0f}", value) : std::abs(value) >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

std::string short_time(double ms) { return ms < 1000 ? short_number(ms) + " ms" : short_number(ms / 1000) + " s"; }

} // namespace garner::tool
