// What the command's HTML pages share: their head with its style, the colours of series, text and tables as HTML.
//
// A colour is a custom property of the style with a value for light screens and one for dark ones; whoever draws names it by variable_of. Only SVG files, which
// have no style, take its light value; a page that embeds one maps it back.
#pragma once
#include <ctime>
#include <string>
#include <vector>

namespace garner::tool {

enum class Colour : unsigned char { grey, orange, blue, green, violet, gold, faint, phase };
inline constexpr unsigned kColours = 8;
inline constexpr unsigned kSeriesColours = 6; // the first of them: told from each other and from the ground
const char* light_of(Colour colour);
std::string variable_of(Colour colour); // "--orange"

// A configuration has its colour in every figure, and a pattern of its own, so that lines one upon another are told apart; another series gets the first colour
// that none of `names` has. Of one chart's series, up to 24, no two have the same colour and pattern, nor the same colour and mark.
inline constexpr unsigned kMarks = 6;
struct Look { Colour colour = Colour::grey; std::vector<int> dash = {}; unsigned mark = 0; }; // dash: lengths of ink and gap in turn; empty: none. mark: the shape of points
std::vector<Look> looks_of(const std::vector<std::string>& names);

// Up to and with <body>.
std::string page_head(const std::string& title, const std::string& own_style = "");
// The first row is the head. A column whose cells are numbers, percentages, intervals or nothing is aligned to the right.
std::string html_table(const std::vector<std::vector<std::string>>& rows);
std::string escape(const std::string& text); // for HTML, in attributes too
// Data for a page's script, in an element with this id: nothing in them can end the element.
std::string json_element(const std::string& id, std::string json);
// Three digits, "-" for no number.
std::string short_number(double value);
std::string short_time(double ms); // "12.3 ms", "37.4 s"
std::string date_text(std::time_t when); // "2026-11-24 18:40 UTC"
// A line of a grid, with the digits of the step between lines; thousands apart.
std::string mark_text(double value, double step);

} // namespace garner::tool
