// A table of text, printed in aligned columns or as markdown. The first column is left-aligned, the others right.
//
// Widths count characters of UTF-8, not bytes. Colour: the head in bold, only where `colour` is true.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace garner::tool {

class Table {
 public:
  explicit Table(std::vector<std::string> head) : head_(std::move(head)) {}
  // Missing cells are empty; surplus ones are an error of the caller.
  void row(std::vector<std::string> cells);
  void left(size_t column) { left_.push_back(column); } // align one more column to the left
  std::string text(bool colour) const;
  std::string markdown() const;
  std::vector<std::vector<std::string>> cells() const; // the head first

 private:
  std::string lines(const std::vector<std::vector<std::string>>& rows, const std::vector<size_t>& widths, bool colour) const;
  bool is_left(size_t column) const;
  std::vector<std::string> head_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> left_ = {0};
};

// Text that can stand in a cell of a markdown table.
std::string markdown_cell(const std::string& text);

// Whether a line can be drawn again on the stream: a terminal, and not a dumb one.
bool redraws(int fd);

// Whether colours suit it: that, and NO_COLOR is not set.
bool colours_on(int fd);

// Figures as the tables show them; "-" for what is not known (negative).
std::string seconds_text(double seconds);
std::string milliseconds_text(double ms);
std::string megabytes_text(double bytes);
constexpr double kMegabyte = 1 << 20; // what MB means in every table and picture
std::string ratio_text(double ratio);
// "1 collection", "2 collections".
std::string count_text(uint64_t count, const char* one, const char* many);

} // namespace garner::tool
