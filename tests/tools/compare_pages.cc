// The page of `garner compare`: every run of every heap size is drawn, also without a limit, with the medians' intervals; how the figures were made stands on it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "compare_page.h"

namespace garner::tool {
namespace {

using json = nlohmann::ordered_json;

Contender contender(Mode mode, const std::vector<double>& walls) {
  Contender one;
  one.plan.mode = mode;
  for (double wall : walls) {
    Sample sample;
    sample.wall_s = wall, sample.pause_total_ms = 100;
    one.samples.push_back(sample);
  }
  return one;
}

json charts_in(const std::string& page) {
  const std::string open = "id=\"charts\">";
  const size_t begin = page.find(open) + open.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

std::vector<Comparison> comparisons(const std::vector<std::string>& at) {
  std::vector<Comparison> all;
  for (const std::string& one : at) all.push_back({{contender(Mode::garner, {1, 1.1, 1.2}), contender(Mode::workstation, {2, 2.1, 2.2})}, {}, one});
  return all;
}

TEST(ComparePages, RunsWithoutALimitHaveAPlaceBesideTheOthers) {
  const json chart = charts_in(draw_comparisons(comparisons({"1.5", "3", "unlimited"}), {"app"}))[0];
  EXPECT_EQ(chart["marks"], (json{"1.5×", "3×", "no limit"}));
  const json data = chart["data"]["datasets"][0]["data"];
  ASSERT_EQ(data.size(), 3u * (3 + 1)) << "runs and medians";
  size_t unlimited = 0, intervals = 0;
  for (const json& point : data) unlimited += point["x"].get<double>() > 1.5, intervals += point.contains("high");
  EXPECT_EQ(unlimited, 4u);
  EXPECT_EQ(intervals, 3u);
  EXPECT_LE(data[3]["low"].get<double>(), data[3]["y"].get<double>());
  EXPECT_GE(data[3]["high"].get<double>(), data[3]["y"].get<double>());
  EXPECT_EQ(chart["options"]["scales"]["x"]["min"], -0.5);
}

TEST(ComparePages, RunsOfOneSizeStandInTheirOrderAndTheMedianBehindThem) {
  const json chart = charts_in(draw_comparisons(comparisons({""}), {"app"}))[0];
  EXPECT_EQ(chart["marks"], (json{"1", "2", "3", "median"}));
  EXPECT_EQ(chart["data"]["datasets"][0]["data"].back()["says"].get<std::string>().rfind("garner, median, 95 % from ", 0), 0u);
}

TEST(ComparePages, EachRemarkIsALineAndNothingIsSaidOfChartsThatAreNotThere) {
  std::vector<Comparison> all = comparisons({""});
  const auto has = [&](const char* text) { return draw_comparisons(all, {"app"}).find(text) != std::string::npos; };
  EXPECT_TRUE(has("<p>Every run; "));
  for (Contender& one : all[0].contenders) one.samples.clear(), one.failure = "exit code <1>";
  EXPECT_TRUE(has("<p>garner failed: exit code &lt;1&gt;</p>\n<p>stock-workstation failed: exit code &lt;1&gt;</p>\n"));
  EXPECT_FALSE(has("<p>Every run; "));
}

TEST(ComparePages, HowItWasMadeStandsOnItAndOverheadHasAnInterval) {
  const std::string page = draw_comparisons(comparisons({""}), {"app", "<1>"}, {"2026-01-02 03:04 UTC; 2 cores", "3 runs <each>"});
  EXPECT_NE(page.find("<p class=\"soft\">2026-01-02 03:04 UTC; 2 cores</p>"), std::string::npos);
  EXPECT_NE(page.find("3 runs &lt;each&gt;"), std::string::npos);
  EXPECT_NE(page.find("<td class=\"n\">1.10 (1.09–1.11)</td>"), std::string::npos) << page.substr(page.find("<table>"), 900);
}

} // namespace
} // namespace garner::tool
