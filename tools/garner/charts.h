// Charts of the command's pages: the one place that knows Chart.js, which draws them in the browser.
//
// The build embeds the library's text (chart_js.S, written by CMakeLists.txt from the file of Debian's libjs-chart.js); a page holds it once, with its licence,
// and asks the network for nothing. A page is made so: `Charts charts`, then `charts.add` for each canvas where it stands, then `charts.scripts()` at the end of
// the body. What is drawn stands in the page as JSON; the only script reads that, takes colours from the page's style (page.h), and takes them anew when the
// screen turns light or dark. Nothing is animated: a time line of 192 workers has tens of thousands of spans.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "page.h"

namespace garner::tool {

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();
// says: what a tooltip tells before the value; may be empty. NaN for y: none. low: the least of a band whose most is y; high too: y's interval, of scatter
struct ChartPoint { double x, y; std::string says; double low = kNoValue, high = kNoValue; };
struct ChartSpan { double row, from, to; std::string says; };   // says: written into the span where it has room

inline constexpr size_t kMarkedPoints = 60; // a curve of more points is a line without marks

// What has one colour and one entry in the legend. Which of the vectors counts is the chart's kind.
struct ChartSet {
  std::string name;
  Look look;
  std::vector<double> values = {};     // bars, stacked: one for each of the chart's names
  std::vector<ChartPoint> points = {}; // lines, scatter
  std::vector<ChartSpan> spans = {};   // spans
  double thick = 0;                    // spans: pixels; 0: as much as a row has
};

struct Chart {
  // stacked: bars from left to right, a row for each name. spans: bars from one value of x to another, in rows counted from 0 at the top; rows below 0 lie above.
  enum class Kind { lines, scatter, bars, stacked, spans } kind = Kind::lines;
  std::string title;
  std::string x, y, unit; // titles of axes, with their units; the unit of a value in tooltips
  std::vector<std::string> names = {};
  std::vector<ChartSet> sets = {};
  bool legend = true;     // false: the title says what it is
  double height = 280;    // pixels, with axes and legend
  bool counts = false;    // bars: values are whole, and so are the axis's numbers
  double rows = 0;        // spans: how many
  double rows_above = 0;  // spans: how many more stand above them
  bool log_y = false;     // lines, scatter, bars: the axis is logarithmic; values are above 0, but for bars of nothing
  std::vector<std::string> x_marks = {}; // scatter: names of 0, 1, 2, … on x, which tell more than the numbers
  double x_begin = 0;     // where the axis begins; not 0: it is logarithmic
  double x_end = 0;       // where the axis ends; 0: at a round number
};

class Charts {
 public:
  std::string add(const Chart& chart); // its element
  std::string scripts() const;         // data and script; empty without charts
  static std::string style();          // for page_head

 private:
  nlohmann::ordered_json all_ = nlohmann::ordered_json::array();
};

// In words, for who cannot see it: the sets with their number of values, the smallest and the largest.
std::string describe(const Chart& chart);

} // namespace garner::tool
