#include "top_view.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stats.h"

namespace garner::tool {
namespace {

constexpr size_t kWide = 78; // columns from which lines have their long form
constexpr size_t kChartLeast = 3, kLabel = 8;

size_t width_of(const std::string& text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}
size_t width_of(const StyledLine& line) {
  size_t width = 0;
  for (const StyledText& piece : line) width += width_of(piece.text);
  return width;
}

// The first `columns` characters of the line.
void cut(StyledLine& line, size_t columns) {
  for (size_t i = 0; i < line.size(); i++) {
    size_t width = width_of(line[i].text);
    if (width <= columns) {
      columns -= width;
      continue;
    }
    std::string& text = line[i].text;
    size_t at = 0;
    for (; at < text.size(); at++)
      if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80 && columns-- == 0) break;
    text.resize(at);
    line.resize(i + 1);
    return;
  }
}

std::string repeated(const char* text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; i++) all += text;
  return all;
}

// Left and right ends of a line; the left one gives way.
StyledLine two_ends(StyledLine left, StyledLine right, size_t width) {
  const size_t taken = width_of(right);
  if (taken + 2 > width) {
    cut(left, width);
    return left;
  }
  cut(left, width - taken - 1);
  left.push_back({std::string(width - taken - width_of(left), ' '), Style::plain});
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

double ms_of(uint64_t ns) { return double(ns) / 1e6; }
std::string ms_text(double ms) { return ms < 100 ? fmt::format("{:.2f}", ms) : ms < 1e6 ? fmt::format("{:.0f}", ms) : fmt::format("{:.0e}", ms); }
std::string percent_text(double part, double whole) { return whole > 0 ? fmt::format("{:.1f} %", std::min(100 * part / whole, 100.0)) : "-"; }

std::string time_text(uint64_t ns) {
  const uint64_t s = ns / 1'000'000'000;
  if (s >= 86400) return fmt::format("{}d {}:{:02}:{:02}", s / 86400, s / 3600 % 24, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

class View {
 public:
  View(const LiveFigures& figures, const TopSubject& subject, const TopFrame& frame)
      : f_(figures), subject_(subject), frame_(frame), width_(std::max<size_t>(frame.width, 1)), wide_(width_ >= kWide) {
    for (const LiveCollection& c : f_.last) pauses_.push_back(ms_of(c.pause_ns));
    for (uint32_t part = 0; part < kHeapParts; part++) {
      taken_ += f_.now.taken[part];
      holes_ += f_.now.holes[part];
    }
  }
  std::vector<StyledLine> lines();

 private:
  using Lines = std::vector<StyledLine>;
  uint64_t since(uint64_t ns) const { return subject_.now_ns > ns ? subject_.now_ns - ns : 0; }
  StyledLine title() const;
  StyledLine about() const;
  StyledLine keys() const;
  Lines heap(size_t rows) const;
  StyledLine heap_row(uint32_t part, uint64_t most, size_t room) const;
  StyledLine total() const;
  std::string last_collection() const;
  Lines pauses(size_t rows) const;
  template <class Name> std::string counts(const uint64_t* from, uint64_t known, size_t all, Name name) const;
  Lines chart(size_t rows) const;
  std::string bar_cell(double share, size_t row, size_t rows) const;
  Lines workers(size_t rows) const;
  StyledLine worker_row(const LiveWorkerRow& row) const;

  const LiveFigures& f_;
  const TopSubject& subject_;
  const TopFrame& frame_;
  size_t width_;
  bool wide_;
  std::vector<double> pauses_;
  uint64_t taken_ = 0, holes_ = 0;
};

StyledLine View::title() const {
  const std::string number = fmt::format("{} ", subject_.pid), up = "up " + time_text(since(f_.start.start_ns));
  const size_t others = width_of(number) + width_of(up) + 1;
  return two_ends({{number, Style::title}, {short_command(subject_.command, width_ > others ? width_ - others : 0), Style::plain}}, {{up, Style::faint}}, width_);
}

StyledLine View::about() const {
  std::string text = fmt::format("door {}, preset {}, {} {}", f_.door, f_.preset, f_.start.workers, f_.start.workers == 1 ? "worker" : "workers");
  if (f_.start.nodes > 1) text += fmt::format(", {} nodes", f_.start.nodes);
  if (wide_) text += fmt::format(", regions of {}, {} allocated in all", short_bytes(f_.start.region_bytes), short_bytes(f_.now.allocated));
  return {{text, Style::plain}};
}

StyledLine View::keys() const {
  const char* state = frame_.frozen ? "FROZEN" : "";
  return two_ends({{"q quit  space freeze", Style::faint}},
                  {{frame_.frozen ? state : fmt::format("every {:g} s", frame_.interval_s), frame_.frozen ? Style::alarm : Style::faint}}, width_);
}

std::string View::last_collection() const {
  if (f_.now.collections == 0) return "no collection yet";
  if (f_.last.empty()) return fmt::format("after collection {}", f_.now.collections);
  const LiveCollection& c = f_.last.back();
  if (!wide_) return fmt::format("after {}", short_count(c.index));
  return fmt::format("after collection {}, {} {}, {:.1f} s ago", c.index, name_of(c.kind), name_of(c.cause), double(since(c.start_ns + c.pause_ns)) / 1e9);
}

// Used without its holes, then the holes; a bar of both where there is room.
StyledLine View::heap_row(uint32_t part, uint64_t most, size_t room) const {
  const uint64_t taken = f_.now.taken[part], holes = std::min(f_.now.holes[part], taken);
  StyledLine line = {{fmt::format("  {:<9}{:>7}{:>8}  ", name_of(HeapPart(part)), short_bytes(taken - holes), short_bytes(holes)), Style::plain}};
  if (room == 0 || most == 0) return line;
  const auto cells = [&](uint64_t bytes) { return size_t(std::clamp(std::ceil(double(bytes) / double(most) * double(room) - 0.5), 0.0, double(room))); };
  const size_t whole = cells(taken), used = std::min(whole, cells(taken - holes));
  line.push_back({repeated(frame_.blocks ? "█" : "#", used), Style::used});
  line.push_back({repeated(frame_.blocks ? "░" : ".", whole - used), Style::holes});
  if (HeapPart(part) == HeapPart::eden && wide_ && f_.last.size() >= 2)
    if (const LiveCollection &last = f_.last.back(), &before = f_.last[f_.last.size() - 2]; last.index == before.index + 1 && last.heap_before > before.heap_after) // large objects count too
      line.push_back({fmt::format("  up to {} when it began", short_bytes(last.heap_before - before.heap_after)), Style::faint});
  return line;
}

StyledLine View::total() const {
  const std::string limit = f_.now.limit == 0 ? "none" : short_bytes(f_.now.limit);
  StyledLine line = {{fmt::format("  {:<9}{:>7}{:>8}  ", "all", short_bytes(taken_ - std::min(holes_, taken_)), short_bytes(holes_)), Style::title}};
  const bool tight = f_.now.limit != 0 && f_.now.committed > f_.now.limit / 10 * 9;
  if (!wide_) line.push_back({fmt::format("{}/{}", short_bytes(f_.now.committed), f_.now.limit == 0 ? "-" : limit), tight ? Style::alarm : Style::plain});
  else line.push_back({fmt::format("committed {}, limit {}, next eden {}", short_bytes(f_.now.committed), limit, short_bytes(f_.now.eden_next)), tight ? Style::alarm : Style::plain});
  return line;
}

View::Lines View::heap(size_t rows) const {
  if (rows == 0) return {};
  Lines all;
  if (rows >= kHeapParts + 2) {
    uint64_t most = 1;
    for (uint64_t taken : f_.now.taken) most = std::max(most, taken);
    all.push_back({{fmt::format("{:<11}{:>7}{:>8}  ", "heap", "used", "holes"), Style::title}, {last_collection(), Style::faint}});
    const size_t room = width_ > 32 ? width_ - 29 : 0;
    for (uint32_t part = 0; part < kHeapParts; part++) all.push_back(heap_row(part, most, room));
  }
  all.push_back(total());
  return all;
}

template <class Name> std::string View::counts(const uint64_t* from, uint64_t known, size_t all, Name name) const {
  std::string text;
  uint64_t others = 0;
  for (size_t i = 0; i < all; i++) {
    if (from[i] == 0) continue;
    if (i < known) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(i), short_count(from[i]));
    else others += from[i];
  }
  if (others != 0) text += fmt::format("{}other {}", text.empty() ? "" : ", ", short_count(others));
  return text.empty() ? "none" : text;
}

View::Lines View::pauses(size_t rows) const {
  const std::string of_all = percent_text(double(f_.now.total_pause_ns), double(since(f_.start.start_ns)));
  std::string last = "none yet", percentiles = "none yet";
  if (!pauses_.empty()) {
    const LiveCollection& c = f_.last.back();
    const std::string now = ms_text(ms_of(c.pause_ns)), longest = ms_text(ms_of(f_.now.longest_pause_ns)), of_last = percent_text(sum(pauses_), ms_of(since(f_.last.front().start_ns)));
    last = wide_ ? fmt::format("last {} ms ({} to stop), longest {} ms; {} of all time", now, ms_text(ms_of(c.stop_ns)), longest, of_all) : fmt::format("{}, longest {} ms, {}", now, longest, of_all);
    percentiles = fmt::format("p50 {1}{0}p90 {2}{0}p99 {3} ms", wide_ ? ", " : " ", ms_text(percentile(pauses_, 50)), ms_text(percentile(pauses_, 90)), ms_text(percentile(pauses_, 99)));
    if (wide_) percentiles += fmt::format("; {} since collection {}", of_last, f_.last.front().index);
  }
  std::string failures;
  if (f_.now.promotion_failed != 0) failures += fmt::format(", promotion failed {} x", short_count(f_.now.promotion_failed));
  if (f_.out_of_memory != 0) failures += fmt::format(", out of memory {} x", short_count(f_.out_of_memory));
  const auto head = [&](const char* text) { return StyledText{fmt::format("{:<{}}", text, wide_ ? 11 : 9), Style::title}; };
  Lines all = {{head("pauses"), {last, Style::plain}},
               {head(fmt::format("{} {}", "last", pauses_.size()).c_str()), {percentiles, Style::plain}},
               {head("kinds"), {counts(f_.now.kinds, 3, 3, [](size_t i) { return name_of(Kind(i)); }), Style::plain}, {failures, Style::alarm}},
               {head("causes"), {counts(f_.now.causes, kCauses, kLiveCauses, [](size_t i) { return name_of(Cause(i)); }), Style::plain}}};
  if (all.size() > rows) all.resize(rows);
  return all;
}

// One character of a bar `share` of the whole height, in row `row` from below.
std::string View::bar_cell(double share, size_t row, size_t rows) const {
  static const char* const kEighths[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double filled = share * double(rows) - double(row);
  if (!frame_.blocks) return filled >= 0.5 || (row == 0 && share > 0) ? "#" : " ";
  const size_t eighths = size_t(std::clamp(std::round(filled * 8), 0.0, 8.0));
  return kEighths[row == 0 && share > 0 ? std::max<size_t>(eighths, 1) : eighths]; // a pause is never nothing
}

// The last pauses, one column each, the newest at the right.
View::Lines View::chart(size_t rows) const {
  if (rows < kChartLeast || width_ < kLabel + 8) return {};
  const size_t columns = std::min(width_ - kLabel - 1, f_.last.size()), bars = rows - 1, first = f_.last.size() - columns;
  double most = 0;
  for (size_t i = first; i < f_.last.size(); i++) most = std::max(most, pauses_[i]);
  Lines all;
  const bool legend = width_ >= kWide;
  all.push_back(two_ends({{wide_ ? "last pauses, ms" : "pauses, ms", Style::title}}, legend ? StyledLine{{frame_.blocks ? "█ young  " : "# young  ", Style::young}, {frame_.blocks ? "█ full" : "F full", Style::full}} : StyledLine{}, width_));
  for (size_t row = bars; row-- > 0;) {
    const std::string label = row + 1 == bars ? ms_text(most) : row == 0 ? "0" : "";
    StyledLine line = {{fmt::format("{:>{}} ", label, kLabel - 1) + (frame_.blocks ? "│" : "|"), Style::faint}};
    for (size_t i = first; i < f_.last.size(); i++) {
      const bool is_full = f_.last[i].kind == Kind::full;
      std::string cell = bar_cell(most > 0 ? pauses_[i] / most : 0, row, bars);
      if (cell == "#" && is_full) cell = "F";
      const Style style = is_full ? Style::full : Style::young;
      if (line.back().style == style) line.back().text += cell;
      else line.push_back({cell, style});
    }
    all.push_back(line);
  }
  return all;
}

StyledLine View::worker_row(const LiveWorkerRow& row) const {
  const LiveWork none{}, &last = row.in_last ? row.figures.last : none, &all = row.figures.all;
  const auto idle = [](const LiveWork& w) { return w.ns == 0 ? std::string("-") : fmt::format("{:.0f} %", 100 * double(w.idle_ns) / double(w.ns)); };
  const std::string whole = fmt::format("{:>8}{:>8}{:>6}", short_bytes(all.bytes), short_count(all.steals), idle(all));
  std::string text = fmt::format("{:>6}{:>9}{}", row.worker, short_count(all.objects), whole);
  if (wide_)
    text = fmt::format("{:>6}{:>14}{:>8}{:>8}{:>6}{:>14}{}", row.worker, short_count(last.objects), short_bytes(last.bytes), short_count(last.steals), idle(last), short_count(all.objects), whole);
  return {{text, row.in_last ? Style::plain : Style::faint}};
}

View::Lines View::workers(size_t rows) const {
  if (rows < 2) return {};
  Lines all = {{{wide_ ? "worker last: objects   bytes  steals  idle  all: objects   bytes  steals  idle" : "worker  objects   bytes  steals  idle", Style::title}}};
  const size_t beyond = f_.start.workers > kLiveWorkers ? size_t(std::min<uint64_t>(f_.start.workers - kLiveWorkers, 1'000'000)) : 0;
  size_t shown = std::min(f_.workers.size(), rows - 1);
  size_t hidden = f_.workers.size() - shown + beyond;
  if (hidden != 0 && shown + 2 > rows && shown > 0) shown--, hidden++;
  for (size_t i = 0; i < shown; i++) all.push_back(worker_row(f_.workers[i]));
  if (hidden != 0 && all.size() < rows) all.push_back({{fmt::format("{:>6} more {}", hidden, beyond != 0 ? "are not shown" : "with more lines"), Style::faint}});
  return all;
}

// Rows are handed out in the order of importance, and shown in the order of reading.
View::Lines View::lines() {
  const bool endless = frame_.height == 0;
  size_t left = endless ? 1000 : frame_.height;
  const auto take = [&](size_t rows) { return rows = std::min(rows, left), left -= rows, rows; };
  take(1); // the title
  const bool keys_shown = !endless && frame_.height >= 6 && take(1) == 1;
  const size_t heap_rows = take(left >= kHeapParts + 3 ? kHeapParts + 2 : 1), pause_rows = take(4);
  const bool about_shown = take(1) == 1;
  const size_t wanted = 1 + f_.workers.size() + (f_.start.workers > kLiveWorkers), spaces = left >= 2 * kChartLeast + 3 ? 3 : 0;
  take(spaces);
  const size_t chart_rows = f_.last.empty() ? 0 : endless ? kChartLeast + 2 : left < kChartLeast ? 0 : std::max(left - std::min(wanted, left), kChartLeast);
  take(chart_rows);
  const size_t worker_rows = f_.workers.empty() ? 0 : left;

  Lines all = {title()};
  const auto add = [&](const Lines& more, bool space) {
    if (space && spaces != 0 && !more.empty()) all.push_back({});
    all.insert(all.end(), more.begin(), more.end());
  };
  if (about_shown) all.push_back(about());
  add(heap(heap_rows), true);
  add(pauses(pause_rows), true);
  add(chart(chart_rows), false);
  add(workers(worker_rows), true);
  if (keys_shown) {
    all.resize(frame_.height - 1);
    all.push_back(keys());
  }
  if (!endless && all.size() > frame_.height) all.resize(frame_.height);
  for (StyledLine& line : all) cut(line, width_);
  return all;
}

} // namespace

std::string short_bytes(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{}", bytes);
  double value = double(bytes);
  size_t unit = 0;
  for (; value >= 1023.95 && unit < 6; unit++) value /= 1024;
  return fmt::format("{:.1f}{}", value, " KMGTPE"[unit]);
}

std::string short_command(const std::string& command, size_t columns) {
  std::string text = command;
  if (width_of(text) > columns) {
    text.clear();
    for (size_t at = 0; at < command.size();) {
      const size_t end = std::min(command.find(' ', at), command.size()), slash = command.rfind('/', end - (end > at ? 1 : 0));
      const size_t from = slash != std::string::npos && slash >= at && slash + 1 < end ? slash + 1 : at;
      text += command.substr(from, end - from) + (end < command.size() ? " " : "");
      at = end + 1;
    }
  }
  StyledLine line = {{text, Style::plain}};
  cut(line, columns);
  return line[0].text;
}

std::string short_count(uint64_t count) {
  if (count < 100'000) return fmt::format("{}", count);
  double value = double(count);
  size_t unit = 0;
  for (; value >= 999.5 && unit < 6; unit++) value /= 1000;
  return fmt::format("{:.{}f}{}", value, value < 99.95 ? 1 : 0, " kMGTPE"[unit]);
}

std::vector<StyledLine> top_lines(const LiveFigures& figures, const TopSubject& subject, const TopFrame& frame) { return View(figures, subject, frame).lines(); }

std::string plain_text(const std::vector<StyledLine>& lines) {
  std::string all;
  for (const StyledLine& line : lines) {
    std::string text;
    for (const StyledText& piece : line) text += piece.text;
    text.resize(text.find_last_not_of(' ') + 1);
    all += text + "\n";
  }
  return all;
}

} // namespace garner::tool
