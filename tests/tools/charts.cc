// Charts and what pages share: what a chart's data become, that nothing in them ends their element, colours of series, cells of tables.
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "charts.h"
#include "option_text.h"

namespace garner::tool {
namespace {

using json = nlohmann::ordered_json;

json data_in(const std::string& page) {
  const std::string open = "id=\"charts\">";
  const size_t begin = page.find(open) + open.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(Charts, ACurveKeepsItsGapsItsDashesAndTheTitlesOfItsAxes) {
  Chart chart{Chart::Kind::lines, "Pause", "threads", "pause, ms", "ms"};
  chart.sets.push_back({"naps", {Colour::violet, {7, 3}}, {}, {{1, 10.5, ""}, {8, NAN, ""}, {48, 2, "best"}}});
  Charts charts;
  const std::string element = charts.add(chart);
  EXPECT_NE(element.find("<canvas id=\"chart1\" role=\"img\" aria-label=\"Pause. pause, ms by threads. naps: 2 values from 2 to 10.5 ms.\">Pause."), std::string::npos) << element;
  const json one = data_in(charts.scripts())[0], set = one["data"]["datasets"][0];
  EXPECT_EQ(one["type"], "line");
  EXPECT_EQ(one["options"]["scales"]["x"]["title"]["text"], "threads");
  EXPECT_EQ(one["options"]["scales"]["y"]["title"]["text"], "pause, ms");
  EXPECT_EQ(set["data"], json::parse(R"([{"x":1.0,"y":10.5},{"x":8.0,"y":null},{"x":48.0,"y":2.0,"says":"best"}])"));
  EXPECT_EQ(set["colour"], "--violet");
  EXPECT_EQ(set["borderDash"], (json{7, 3}));
}

TEST(Charts, AnAxisThatBeginsAboveNothingIsLogarithmicAndALongCurveHasNoMarks) {
  Chart chart{Chart::Kind::lines, "Least share", "window, ms", "%", "%"};
  chart.x_begin = 1, chart.x_end = 1000;
  chart.sets.push_back({"few", {Colour::blue}, {}, std::vector<ChartPoint>(kMarkedPoints, {1, 1, ""})});
  chart.sets.push_back({"many", {Colour::green}, {}, std::vector<ChartPoint>(kMarkedPoints + 1, {1, 1, ""})});
  Charts charts;
  charts.add(chart);
  const json one = data_in(charts.scripts())[0], x = one["options"]["scales"]["x"];
  EXPECT_EQ(x["type"], "logarithmic");
  EXPECT_EQ(x["min"], 1.0);
  EXPECT_EQ(x["max"], 1000.0);
  EXPECT_FALSE(x.contains("beginAtZero"));
  EXPECT_EQ(one["data"]["datasets"][0]["pointRadius"], 4);
  EXPECT_EQ(one["data"]["datasets"][1]["pointRadius"], 0);
}

TEST(Charts, ABandIsTwoSetsOfWhichTheSecondOnlyBoundsTheFirst) {
  Chart chart{Chart::Kind::lines, "Heap", "s", "MB", "MB"};
  chart.sets.push_back({"young", {Colour::blue}, {}, {{0, 16, "", 2}, {1, 18, "", 3}}});
  chart.sets.push_back({"old", {Colour::violet}, {}, {{0, 4, ""}, {1, 5, ""}}});
  Charts charts;
  EXPECT_NE(charts.add(chart).find("young: 4 values from 2 to 18 MB"), std::string::npos);
  const json sets = data_in(charts.scripts())[0]["data"]["datasets"];
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets[0]["fill"]["target"], "+1");
  EXPECT_EQ(sets[0]["data"][1], json::parse(R"({"x":1.0,"y":18.0,"low":3.0})"));
  EXPECT_EQ(sets[1]["lower"], true);
  EXPECT_EQ(sets[1]["data"][1], json::parse(R"({"x":1.0,"y":3.0})"));
  EXPECT_EQ(sets[1]["colour"], sets[0]["colour"]);
  EXPECT_FALSE(sets[2].contains("fill"));
}

TEST(Charts, ALogarithmicAxisOfValuesBeginsAndEndsAtRoundNumbers) {
  const auto y_of = [](const Chart& chart) {
    Charts charts;
    charts.add(chart);
    return data_in(charts.scripts())[0]["options"]["scales"]["y"];
  };
  Chart pauses{Chart::Kind::scatter, "Pauses", "s", "ms", "ms"};
  pauses.log_y = true;
  pauses.sets.push_back({"young", {}, {}, {{0, 0.13, ""}, {1, 61, ""}}});
  EXPECT_EQ(y_of(pauses)["type"], "logarithmic");
  EXPECT_EQ(y_of(pauses)["min"], 0.1);
  EXPECT_EQ(y_of(pauses)["max"], 100.0);
  pauses.sets[0].points = {{0, 0.02, ""}};
  EXPECT_LT(y_of(pauses)["min"].get<double>(), y_of(pauses)["max"].get<double>() / 4);
  Chart counts{Chart::Kind::bars, "Lengths", "ms", "collections", "collections", {"1", "2", "3"}, {{"young", {}, {100'000, 0, 1}}}};
  counts.log_y = counts.counts = true;
  EXPECT_LT(y_of(counts)["min"].get<double>(), 1) << "so that one is a bar";
  EXPECT_EQ(y_of(counts)["max"], 100'000.0);
  counts.sets[0].values = {0, 0, 0};
  EXPECT_FALSE(y_of(counts).contains("type")) << "nothing to draw";
}

TEST(Charts, PlacesOnTheAxisHaveNamesAndPointsIntervals) {
  Chart chart{Chart::Kind::scatter, "Wall s", "limit", "wall s", "s"};
  chart.x_marks = {"1.5×", "no limit"};
  chart.sets.push_back({"garner", {Colour::green, {}, 2}, {}, {{0, 1, "run 1"}, {1, 2, "median", 1.5, 2.5}}});
  Charts charts;
  charts.add(chart);
  const json one = data_in(charts.scripts())[0], x = one["options"]["scales"]["x"];
  EXPECT_EQ(one["marks"], (json{"1.5×", "no limit"}));
  EXPECT_EQ(x["min"], -0.5);
  EXPECT_EQ(x["max"], 1.5);
  EXPECT_EQ(one["data"]["datasets"][0]["pointStyle"], "triangle");
  EXPECT_EQ(one["data"]["datasets"][0]["data"][1], json::parse(R"({"x":1.0,"y":2.0,"low":1.5,"high":2.5,"says":"median"})"));
}

TEST(Charts, CountsStandAtWholeNumbers) {
  Chart chart{Chart::Kind::bars, "Lengths", "ms", "collections", "collections", {"1 to 2"}, {{"young", {Colour::blue}, {1}}}};
  Charts charts;
  charts.add(chart);
  chart.counts = true;
  charts.add(chart);
  const json both = data_in(charts.scripts());
  EXPECT_FALSE(both[0]["options"]["scales"]["y"]["ticks"].contains("precision"));
  EXPECT_EQ(both[1]["options"]["scales"]["y"]["ticks"]["precision"], 0);
}

TEST(Charts, SpansLieInTheirRowsAndHaveFiveDigits) {
  Chart chart{Chart::Kind::spans, "Workers", "time, ms", "worker", "ms"};
  chart.rows = 2, chart.rows_above = 1, chart.x_end = 3;
  chart.sets.push_back({"copy", {Colour::green}, {}, {}, {{1, 0.123456789, 2.5, ""}}});
  chart.sets.push_back({"phases", {Colour::phase}, {}, {}, {{-1, 0, 3, "mark"}}, 20});
  Charts charts;
  charts.add(chart);
  const json one = data_in(charts.scripts())[0];
  EXPECT_EQ(one["data"]["datasets"][0]["data"], json::parse("[[1.0,0.12346,2.5]]"));
  EXPECT_EQ(one["data"]["datasets"][1]["data"], json::parse(R"([[-1.0,0.0,3.0,"mark"]])"));
  EXPECT_EQ(one["options"]["scales"]["y"]["min"], -1.5);
  EXPECT_EQ(one["options"]["scales"]["y"]["max"], 1.5);
}

TEST(Charts, NothingInTheDataEndsTheirElement) {
  Chart chart{Chart::Kind::bars, "</script><b>", "\"x\"", "y", "ms"};
  chart.names = {"<!--"};
  chart.sets.push_back({"</canvas>", {}, {1}});
  Charts charts;
  const std::string element = charts.add(chart), scripts = charts.scripts();
  EXPECT_EQ(element.find("<b>"), std::string::npos);
  EXPECT_EQ(element.find("</canvas>"), element.rfind("</canvas>")) << "the element's own";
  EXPECT_EQ(data_in(scripts)[0]["title"], "</script><b>");
  size_t ends = 0;
  for (size_t at = 0; (at = scripts.find("</script", at)) != std::string::npos; at++) ends++;
  EXPECT_EQ(ends, 2u) << "of the data and of the script, so that the library's text has none either";
  EXPECT_EQ(Charts().scripts(), "") << "a page without charts has no script";
}

TEST(Pages, AConfigurationHasItsColourAndAnotherSeriesOneThatIsFree) {
  const std::vector<Look> looks = looks_of({"garner", "ps", "other", "naps"});
  EXPECT_EQ(looks[1].colour, Colour::grey);
  EXPECT_EQ(looks[3].colour, Colour::violet);
  EXPECT_EQ(looks[0].colour, Colour::orange) << "the first that neither ps nor naps has";
  EXPECT_EQ(looks[2].colour, Colour::blue);
  EXPECT_EQ(looks_of(std::vector<std::string>(9, "many")).size(), 9u) << "more series than colours";
}

TEST(Pages, NoTwoSeriesOfAChartLookAlike) {
  std::vector<std::string> presets = preset_names(), many(12, "many"), mixed = preset_names();
  ASSERT_GE(presets.size(), 11u);
  for (int i = 0; i < 4; i++) mixed.push_back("another");
  for (const std::vector<std::string>& names : {presets, std::vector<std::string>(presets.rbegin(), presets.rend()), many, mixed}) {
    const std::vector<Look> looks = looks_of(names);
    std::set<std::pair<Colour, std::vector<int>>> lines;
    std::set<std::pair<Colour, unsigned>> points;
    for (size_t i = 0; i < names.size(); i++) {
      EXPECT_TRUE(lines.insert({looks[i].colour, looks[i].dash}).second) << names[i] << ", as line";
      EXPECT_TRUE(points.insert({looks[i].colour, looks[i].mark}).second) << names[i] << ", as a point";
      EXPECT_LT(looks[i].mark, kMarks);
    }
  }
}

TEST(Pages, NumbersAndPercentagesStandAtTheRight) {
  const std::string html = html_table({{"preset", "ms", "share", "mixed"}, {"a,b", "1,234", "12.0 %", "3"}, {"<c>", "-", "+5 %", "none"}});
  EXPECT_NE(html.find("<th>preset</th><th class=\"n\">ms</th><th class=\"n\">share</th><th>mixed</th>"), std::string::npos) << html;
  EXPECT_NE(html.find("<td>&lt;c&gt;</td><td class=\"n\">-</td><td class=\"n\">+5 %</td><td>none</td>"), std::string::npos) << html;
  EXPECT_NE(html.find("<td>a,<wbr>b</td>"), std::string::npos) << "a list goes on in the next line";
  const std::string ratios = html_table({{"mode", "wall s", "overhead", "none"}, {"garner", "1.20", "1.05 (1.02–1.09)", ""}, {"  95 % interval", "0.25–0.31", "", ""}});
  EXPECT_NE(ratios.find("<th class=\"n\">wall s</th><th class=\"n\">overhead</th><th>none</th>"), std::string::npos) << "intervals too, and cells of nothing: " << ratios;
}

} // namespace
} // namespace garner::tool
