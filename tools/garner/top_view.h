// What `garner top` shows, as lines of styled text: the live view at any width and height, and the same without bounds for `--once`.
//
// A function of its arguments alone, so tests compare it as text. No line is wider than the frame, and there are no more lines than it has rows; where
// there is little room the chart and the workers go first, then what is said about the heap beside its total.
#pragma once
#include <string>
#include <vector>

#include "live_process.h"

namespace garner::tool {

enum class Style { plain, title, faint, used, holes, young, full, alarm };
struct StyledText {
  std::string text; // UTF-8; each character is one column wide
  Style style;
};
using StyledLine = std::vector<StyledText>;

struct TopFrame {
  size_t width = 80, height = 24; // height 0: as many lines as there are, and no line about keys
  bool blocks = true;             // whether the terminal shows block elements; else '#' and '='
  bool frozen = false;
  double interval_s = 1;
};
struct TopSubject {
  int64_t pid;
  std::string command; // printable; each character is one column wide
  uint64_t now_ns;     // when the figures were read, by the clock of the page
};

std::vector<StyledLine> top_lines(const LiveFigures& figures, const TopSubject& subject, const TopFrame& frame);
// Without styles; a newline behind each line, no spaces before it.
std::string plain_text(const std::vector<StyledLine>& lines);

// The command in so many columns: where it is longer, arguments lose their directories first, then it is cut.
std::string short_command(const std::string& command, size_t columns);

// Figures as the view shows them, at most 6 and 5 characters: "31.6M", "1.2G"; "812", "1.2M".
std::string short_bytes(uint64_t bytes);
std::string short_count(uint64_t count);

} // namespace garner::tool
