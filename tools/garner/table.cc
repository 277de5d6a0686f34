#include "table.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

namespace garner::tool {
namespace {

size_t width_of(const std::string& text) {
  size_t width = 0;
  for (char c : text) width += (c & 0xC0) != 0x80; // continuation bytes take no column
  return width;
}

std::string figure(double value, const char* unit) {
  if (!(value >= 0)) return "-";
  return value >= 100 ? fmt::format("{:.0f}{}", value, unit) : value >= 10 ? fmt::format("{:.1f}{}", value, unit) : fmt::format("{:.2f}{}", value, unit);
}

} // namespace

void Table::row(std::vector<std::string> cells) {
  cells.resize(head_.size());
  rows_.push_back(std::move(cells));
}

bool Table::is_left(size_t column) const { return std::find(left_.begin(), left_.end(), column) != left_.end(); }

std::string Table::text(bool colour) const {
  std::vector<size_t> widths;
  for (size_t c = 0; c < head_.size(); c++) {
    size_t widest = width_of(head_[c]);
    for (const std::vector<std::string>& row : rows_) widest = std::max(widest, width_of(row[c]));
    widths.push_back(widest);
  }
  return lines({head_}, widths, colour) + lines(rows_, widths, false);
}

std::string Table::lines(const std::vector<std::vector<std::string>>& rows, const std::vector<size_t>& widths, bool colour) const {
  std::string out;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); c++) {
      std::string gap(widths[c] - width_of(row[c]), ' ');
      if (c > 0) line += "  ";
      line += is_left(c) ? row[c] + gap : gap + row[c];
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += colour ? fmt::format("\x1b[1m{}\x1b[0m\n", line) : line + "\n";
  }
  return out;
}

std::vector<std::vector<std::string>> Table::cells() const {
  std::vector<std::vector<std::string>> all = {head_};
  all.insert(all.end(), rows_.begin(), rows_.end());
  return all;
}

std::string Table::markdown() const {
  auto line = [](const std::vector<std::string>& cells) {
    std::string out = "|";
    for (const std::string& cell : cells) out += fmt::format(" {} |", markdown_cell(cell));
    return out + "\n";
  };
  std::string out = line(head_) + "|";
  for (size_t c = 0; c < head_.size(); c++) out += is_left(c) ? "---|" : "---:|";
  out += "\n";
  for (const std::vector<std::string>& row : rows_) out += line(row);
  return out;
}

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

bool redraws(int fd) {
  const char* terminal = std::getenv("TERM");
  return isatty(fd) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

bool colours_on(int fd) {
  const char* plain = std::getenv("NO_COLOR");
  return redraws(fd) && (plain == nullptr || *plain == 0);
}

std::string seconds_text(double seconds) { return figure(seconds, ""); }
std::string milliseconds_text(double ms) { return figure(ms, ""); }
std::string megabytes_text(double bytes) { return bytes < 0 ? "-" : figure(bytes / kMegabyte, ""); }
std::string ratio_text(double ratio) { return ratio > 0 ? fmt::format("{:.2f}", ratio) : "-"; }

std::string count_text(uint64_t count, const char* one, const char* many) { return fmt::format("{} {}", count, count == 1 ? one : many); }

} // namespace garner::tool
