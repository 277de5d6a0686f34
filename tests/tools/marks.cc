// `garner marks`: how verdicts come out of made-up parts, how words of parameters are replaced, and that every row and choice is whole.
#include <gtest/gtest.h>

#include <set>

#include <fmt/format.h>

#include "collector_args.h"
#include "errors.h"
#include "marks_ablation.h"
#include "marks_parts.h"
#include "marks_rows.h"
#include "paths.h"

namespace garner::tool {
namespace {

const std::vector<Mode> kModes = {Mode::garner, Mode::workstation, Mode::concurrent, Mode::server, Mode::server_datas};

Contender contender(Mode mode, double cpu_s) {
  Contender one;
  one.plan.mode = mode;
  Sample sample;
  sample.cpu_s = cpu_s;
  if (cpu_s < 0) one.failure = sample.failure = "exit code 3";
  one.samples = {sample};
  return one;
}

// One part with these CPU seconds, in the order of kModes; negative ones failed.
BenchResult part(const std::string& at, const std::vector<double>& cpu_s) {
  BenchResult result;
  result.workload = "trees";
  result.at = at;
  for (size_t i = 0; i < cpu_s.size(); i++) result.contenders.push_back(contender(kModes[i], cpu_s[i]));
  return result;
}

const Selection kTwo = {{"trees"}, {"2", "unlimited"}, 0};
const Row& row(const std::string& name) {
  for (const Row& one : rows())
    if (one.name == name) return one;
  throw std::logic_error(name);
}
std::vector<Verdict> cpu(const Parts& parts) { return row("cpu").judge(kTwo, parts); }

TEST(Marks, MeansAreOverWorkloadsAndSizesAndBestIsChosenInEachPart) {
  const std::vector<Verdict> verdicts = cpu({{"trees at 2", part("2", {8, 10, 16, 20, 20})}, {"trees unlimited", part("unlimited", {9, 12, 10, 18, 18})}});
  ASSERT_EQ(verdicts.size(), 4u);
  EXPECT_EQ(verdicts[0].reached, "0.77: 0.80 at 2, 0.75 unlimited");
  EXPECT_EQ(verdicts[0].holds, Holds::yes);
  EXPECT_TRUE(verdicts[0].losses.empty());
  EXPECT_EQ(verdicts[1].reached, "0.85: 0.80 at 2, 0.90 unlimited") << "at 2 the best is workstation, without a limit concurrent";
  EXPECT_EQ(verdicts[1].holds, Holds::yes);
  EXPECT_EQ(verdicts[2].reached, "0.80 at most, 0 of 2 above");
  EXPECT_EQ(verdicts[2].holds, Holds::yes);
  EXPECT_EQ(verdicts[3].reached, "0.90 at most, 0 of 2 above") << "of the best of each part";
  EXPECT_EQ(verdicts[3].holds, Holds::unmarked);
}

TEST(Marks, WhatOneRunSaysOfASinglePartIsToldByMoreRuns) {
  Parts parts = {{"trees at 2", part("2", {12, 10, 16, 20, 20})}, {"trees unlimited", part("unlimited", {9, 10, 12, 18, 18})}};
  const std::vector<PartPlan> again = row("cpu").again(kTwo, parts);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].name, "trees at 2, again");
  EXPECT_EQ(again[0].runs, 3);
  EXPECT_TRUE(row("cpu").again({{"trees"}, {"2", "unlimited"}, 3}, parts).empty()) << "as many runs as that were asked for";
  EXPECT_EQ(cpu(parts)[2].holds, Holds::no) << "where it has not been measured the one run counts";
  parts["trees at 2, again"] = part("2", {10.5, 10});
  const std::vector<Verdict> verdicts = cpu(parts);
  EXPECT_EQ(verdicts[2].reached, "1.05 at most, 0 of 2 above");
  EXPECT_EQ(verdicts[2].holds, Holds::yes);
  EXPECT_EQ(verdicts[0].reached, "1.04: 1.20 at 2, 0.90 unlimited") << "means are of the one run";
  parts["trees at 2, again"] = part("2", {-1, 10});
  EXPECT_EQ(cpu(parts)[2].holds, Holds::no);
  parts["trees at 2, again"] = part("2", {11.5, 10});
  EXPECT_EQ(cpu(parts)[2].reached, "1.15 at most, 1 of 2 above");
  parts.erase("trees at 2, again");
  parts["trees at 2"] = part("2", {10.5, 10, 16, 20, 20});
  EXPECT_EQ(cpu(parts)[2].holds, Holds::unmeasured) << "what one run says, and is to be repeated, holds nothing";
}

TEST(Marks, EachStockModeHasItsMeans) {
  const std::vector<TitledTable> tables = row("cpu").tables(kTwo, {{"trees at 2", part("2", {8, 10, 16, 20, 20})}, {"trees unlimited", part("unlimited", {9, 12, 10, 18, -1})}});
  ASSERT_FALSE(tables.empty());
  EXPECT_EQ(tables[0].title, "CPU s, of each stock mode");
  using Cells = std::vector<std::vector<std::string>>;
  EXPECT_EQ(tables[0].table.cells(), (Cells{{"of", "2", "unlimited", "with a limit", "all"},
                                            {"stock-workstation", "0.80", "0.75", "0.80", "0.77"},
                                            {"stock-concurrent", "0.50", "0.90", "0.50", "0.67"},
                                            {"stock-server", "0.40", "0.50", "0.40", "0.45"},
                                            {"stock-server-datas", "0.40", "-", "0.40", "0.40"},
                                            {"the best of them", "0.80", "0.90", "0.80", "0.85"}}));
}

// By the collector's own log, whatever others take.
TEST(Marks, TheHeapIsHeldAgainstItsLimitAndWhatLives) {
  auto alone = [](const std::string& at, double committed, double left, double peak) {
    BenchResult result = part(at, {1});
    Sample& sample = result.contenders[0].samples[0];
    sample.most_committed = committed, sample.most_left = left, sample.peak_bytes = peak;
    if (at != "unlimited") result.contenders[0].plan.limit_bytes = 100 << 20;
    return result;
  };
  const double mb = 1 << 20;
  std::vector<Verdict> verdicts = row("heap").judge(kTwo, {{"trees at 2, alone", alone("2", 99 * mb, 40 * mb, 140 * mb)}, {"trees unlimited, alone", alone("unlimited", 150 * mb, 100 * mb, 190 * mb)}});
  ASSERT_EQ(verdicts.size(), 4u);
  EXPECT_EQ(verdicts[0].reached, "0.99 at most, 0 of 1 above");
  EXPECT_EQ(verdicts[0].holds, Holds::yes);
  EXPECT_EQ(verdicts[1].reached, "1.90 at most, 0 of 1 above");
  EXPECT_EQ(verdicts[1].holds, Holds::yes);
  EXPECT_EQ(verdicts[2].reached, "1.90 at most, 0 of 1 above");
  EXPECT_EQ(verdicts[2].holds, Holds::unmarked);
  verdicts = row("heap").judge(kTwo, {{"trees at 2, alone", alone("2", 101 * mb, 40 * mb, 140 * mb)}, {"trees unlimited, alone", alone("unlimited", 150 * mb, 50 * mb, 120 * mb)}});
  EXPECT_EQ(verdicts[0].holds, Holds::no);
  EXPECT_EQ(verdicts[1].reached, "2.40 at most, 1 of 1 above");
  EXPECT_EQ(verdicts[1].losses, (std::vector<std::string>{"trees unlimited: 2.40 of what lives"}));
  EXPECT_EQ(verdicts[2].reached, "") << "little lives";
}

TEST(Marks, AnotherResultThanStocksHoldsNoMarkHoweverFast) {
  Parts parts = {{"trees at 2", part("2", {8, 10, 16, 20, 20})}, {"trees unlimited", part("unlimited", {8, 12, 10, 18, 18})}};
  EXPECT_EQ(cpu(parts)[0].holds, Holds::yes);
  parts["trees at 2"].difference = "another checksum";
  for (size_t i = 0; i < 3; i++) EXPECT_EQ(cpu(parts)[i].holds, Holds::no) << i;
  EXPECT_EQ(cpu(parts)[0].reached.substr(0, 4), "0.67") << "of the other";
}

TEST(Marks, WhatIsWorseIsNamedTheWorstFirst) {
  const std::vector<Verdict> verdicts = cpu({{"trees at 2", part("2", {10.5, 10, 11, 12, 12})}, {"trees unlimited", part("unlimited", {12, 10, 8, 18, 18})}});
  EXPECT_EQ(verdicts[0].holds, Holds::no);
  EXPECT_EQ(verdicts[0].losses, (std::vector<std::string>{"trees unlimited: 1.20 of stock-workstation", "trees at 2: 1.05 of stock-workstation"}));
  EXPECT_EQ(verdicts[1].losses[0], "trees unlimited: 1.50 of stock-concurrent");
  EXPECT_EQ(verdicts[2].holds, Holds::no);
  EXPECT_EQ(verdicts[2].losses, std::vector<std::string>{"trees unlimited: 1.20 of stock-workstation"}) << "only what is above the mark";
  EXPECT_EQ(verdicts[2].reached, "1.20 at most, 1 of 2 above (2 of 4 parts)") << "both are to be repeated";
}

TEST(Marks, ForcedMarkingStandsBesideTheModesThatMarkSo) {
  for (const auto& [name, options, modes] : {std::tuple("longest-stopped", "collect.marking=stopped", std::vector<Mode>{Mode::workstation, Mode::server}),
                                             {"concurrent-always", "collect.marking=concurrent", {Mode::concurrent}}}) {
    const std::vector<PartPlan> plans = row(name).parts(kTwo);
    ASSERT_EQ(plans.size(), 2u);
    EXPECT_EQ(plans[0].name, fmt::format("trees at 2, {}", options));
    ASSERT_EQ(plans[0].entrants.size(), modes.size() + 1);
    EXPECT_EQ(plans[0].entrants[0].options, options);
    for (size_t i = 0; i < modes.size(); i++) EXPECT_EQ(plans[0].entrants[i + 1].mode, modes[i]);
    Parts parts = {{plans[0].name, part("2", {8, 10, 16, 20, 20})}, {plans[1].name, part("unlimited", {9, 12, 10, 18, 18})}};
    for (auto& [where, result] : parts)
      for (Contender& one : result.contenders) one.samples[0].pause_max_ms = one.samples[0].cpu_s;
    for (const Verdict& verdict : row(name).judge(kTwo, parts)) EXPECT_NE(verdict.holds, Holds::unmeasured) << name << ": looks at parts of another name";
  }
}

TEST(Marks, WhatIsMissingIsNotMeasuredUnlessItIsBrokenAlready) {
  EXPECT_EQ(cpu({})[0].holds, Holds::unmeasured);
  std::vector<Verdict> verdicts = cpu({{"trees at 2", part("2", {8, 10, 16, 20, 20})}});
  EXPECT_EQ(verdicts[0].holds, Holds::unmeasured);
  EXPECT_EQ(verdicts[0].reached, "0.80 (1 of 2 parts)");
  EXPECT_EQ(verdicts[2].holds, Holds::unmeasured);
  verdicts = cpu({{"trees at 2", part("2", {12, 10, 16, 20, 20})}});
  EXPECT_EQ(verdicts[0].holds, Holds::unmeasured) << "the other may mend a mean";
  EXPECT_EQ(verdicts[2].holds, Holds::no);
}

TEST(Marks, AFailureWhereAStockModeFinishesBreaksARowWhateverTheMean) {
  const std::vector<Verdict> verdicts = cpu({{"trees at 2", part("2", {-1, 10, 16, 20, 20})}, {"trees unlimited", part("unlimited", {1, 10, 10, 18, 18})}});
  EXPECT_EQ(verdicts[0].holds, Holds::no);
  EXPECT_EQ(verdicts[0].losses, std::vector<std::string>{"trees at 2: garner failed"});
  EXPECT_EQ(verdicts[2].holds, Holds::no);
}

TEST(Marks, WhatNobodyFinishesAndWhatOnlyWeFinishHaveNoRatio) {
  const std::vector<Verdict> verdicts = cpu({{"trees at 2", part("2", {5, -1, -1, -1, -1})}, {"trees unlimited", part("unlimited", {8, 10, 10, 18, 18})}});
  EXPECT_EQ(verdicts[0].reached, "0.80");
  EXPECT_EQ(verdicts[0].holds, Holds::yes);
  EXPECT_EQ(cpu({{"trees at 2", part("2", {-1, -1, -1, -1, -1})}, {"trees unlimited", part("unlimited", {8, 10, 10, 18, 18})}})[0].holds, Holds::yes);
}

TEST(Marks, AFigureThatTheOtherSideHasNoneOfIsALossWithoutARatio) {
  const Compared all = compared(row("cpu").parts(kTwo), {{"trees at 2", part("2", {3, 0})}}, figure_named("cpu_s"), {Mode::workstation});
  EXPECT_TRUE(all.ratios.empty());
  EXPECT_EQ(all.only_we, std::vector<std::string>{"trees at 2: 3.00 where stock-workstation has none"});
  EXPECT_EQ(mean_verdict("x", 1, all).losses, all.only_we);
}

TEST(Marks, FinishingMeansWithStocksResultWhereAnyStockModeFinishes) {
  Parts parts = {{"trees at 2", part("2", {5, -1, 6, -1, -1})}, {"trees unlimited", part("unlimited", {-1, -1, -1, -1, -1})}, {"trees at 1.3", part("1.3", {5})}};
  std::vector<Verdict> verdicts = row("finishes").judge(kTwo, parts);
  ASSERT_EQ(verdicts.size(), 2u);
  EXPECT_EQ(verdicts[0].reached, "1 of 1") << "nobody finishes the other";
  EXPECT_EQ(verdicts[0].holds, Holds::yes);
  EXPECT_EQ(verdicts[1].holds, Holds::yes);
  parts["trees at 2"].difference = "stock and garner: 'a' and 'b'";
  parts["trees at 1.3"].contenders[0].failure = "exit code 3";
  verdicts = row("finishes").judge(kTwo, parts);
  EXPECT_EQ(verdicts[0].losses, std::vector<std::string>{"trees at 2: result differs: stock and garner: 'a' and 'b'"});
  EXPECT_EQ(verdicts[0].holds, Holds::no);
  EXPECT_EQ(verdicts[1].losses, std::vector<std::string>{"trees at 1.3: garner failed: exit code 3"});
  EXPECT_EQ(row("finishes").judge({{"trees"}, {"1.3", "2"}, 0}, parts).size(), 1u) << "1.3 is a size as any other then";
}

BenchResult with_lines(const std::vector<std::pair<Mode, std::string>>& lines) {
  BenchResult result = part("unlimited", {});
  for (const auto& [mode, line] : lines) {
    result.contenders.push_back(contender(mode, 1));
    result.contenders.back().samples[0].line = line;
  }
  return result;
}

TEST(Marks, RowsOfOneWorkloadReadItsFigures) {
  Parts parts = {{"survivors", with_lines({{Mode::garner, R"({"figures":{"ns_per_object":18.5}})"}, {Mode::server, R"({"figures":{"ns_per_object":16}})"}})},
                 {"surviving-arrays", with_lines({{Mode::garner, R"({"figures":{"mb_per_s":600,"copying_mb_per_s":1000}})"}})}};
  std::vector<Verdict> verdicts = row("survivors").judge(kTwo, parts);
  EXPECT_EQ(verdicts[0].holds, Holds::no);
  EXPECT_EQ(verdicts[0].losses, std::vector<std::string>{"survivors: 18.5 ns, stock-server has 16.0"});
  EXPECT_EQ(verdicts[1].holds, Holds::yes);
  EXPECT_EQ(verdicts[1].reached, "0.60: 600 of 1000 MB/s");
  parts["survivors"].contenders[0].samples[0].line = "{}";
  EXPECT_EQ(row("survivors").judge(kTwo, parts)[0].holds, Holds::unmeasured);
}

TEST(Marks, RatesAreTimesTheOtherWay) {
  const auto line = [](double ms) { return fmt::format(R"({{"figures":{{"sweeping_ms":{{"median":{}}},"compacting_ms":{{"median":{}}}}}}})", ms, ms); };
  const std::vector<Verdict> verdicts = row("full").judge(kTwo, {{"random-graph", with_lines({{Mode::garner, line(100)}, {Mode::workstation, line(210)}, {Mode::server, line(90)}})}});
  EXPECT_EQ(verdicts[0].reached, "2.10: 100 and 210 ms");
  EXPECT_EQ(verdicts[0].holds, Holds::yes);
  EXPECT_EQ(verdicts[1].holds, Holds::no);
  EXPECT_EQ(verdicts[1].losses, std::vector<std::string>{"random-graph, not compacting: 100 ms, stock-server has 90.0"});
  EXPECT_EQ(verdicts[2].holds, Holds::no) << "2.1 of 4";
  EXPECT_TRUE(verdicts[2].losses.empty()) << "short of the mark, but faster all the same";
}

TEST(Marks, OldEntriesAreALineOfWhichTheHighestPointCounts) {
  const auto line = [](double ms) { return fmt::format(R"({{"figures":{{"young_pause_ms":{{"median":{}}}}}}})", ms); };
  const auto ours = [&](double ms) { return with_lines({{Mode::garner, line(ms)}}); };
  Parts parts = {{"old-entries none", ours(0.5)},
                 {"old-entries weak quarter", ours(0.25)}, {"old-entries weak half", ours(0.25)}, {"old-entries weak", ours(0.125)},
                 {"old-entries finalizable quarter", ours(0.5)}, {"old-entries finalizable half", ours(1.75)}, {"old-entries finalizable", ours(0.5)},
                 {"old-entries conditional", ours(0.5)},
                 {"old-entries pinned", ours(2)}};
  const std::vector<Verdict> verdicts = row("old-entries").judge(kTwo, parts);
  EXPECT_EQ(verdicts[0].holds, Holds::yes);
  EXPECT_EQ(*verdicts[0].value, -0.25) << "differences may be negative";
  EXPECT_EQ(verdicts[1].holds, Holds::no);
  EXPECT_EQ(*verdicts[1].value, 1.25) << "not flat where half of them are";
  EXPECT_EQ(verdicts[2].holds, Holds::unmeasured) << "one point is no line";
  EXPECT_EQ(verdicts[3].holds, Holds::unmeasured);
  EXPECT_EQ(verdicts.back().holds, Holds::no) << "the points that are missing cannot mend it";
}

TEST(Marks, OldEntriesComeInShares) {
  EXPECT_EQ(piece_named("old-entries weak").normal, "count=1000000 megabytes=1500 threads=1 seed=1");
  EXPECT_EQ(piece_named("old-entries weak half").normal, "count=500000 megabytes=1500 threads=1 seed=1");
  EXPECT_EQ(piece_named("old-entries pinned quarter").normal, "count=25000 megabytes=1500 threads=1 seed=1");
  EXPECT_EQ(piece_named("old-entries pinned quarter").parameters, "kind=pinned");
}

TEST(Marks, RowsGoByNumberOrName) {
  EXPECT_EQ(rows_named({}).size(), rows().size());
  const std::vector<Row> some = rows_named({"full", "r2", "R2"});
  ASSERT_EQ(some.size(), 2u);
  EXPECT_STREQ(some[0].name, "cpu") << "in the order of the table";
  EXPECT_THROW(rows_named({"nothing"}), UsageError);
  for (const Row& one : rows()) {
    std::set<std::string> names;
    for (const PartPlan& plan : one.parts({workloads_of_rows(), sizes_of_rows(), 0})) EXPECT_TRUE(names.insert(plan.name).second) << plan.name;
    EXPECT_FALSE(names.empty()) << one.name;
    EXPECT_FALSE(one.judge({workloads_of_rows(), sizes_of_rows(), 0}, {}).empty());
    EXPECT_LE(one.tables({workloads_of_rows(), {}, 0}, {}).size(), 1u) << "tables of nothing";
  }
}

TEST(Marks, WordsAreReplacedByKey) {
  EXPECT_EQ(with_words("a=1 b=2", "b=3 c=4"), "a=1 b=3 c=4");
  EXPECT_EQ(with_words("a=1", ""), "a=1");
  EXPECT_EQ(with_words("", "kind=weak"), "kind=weak");
}

TEST(Marks, ChoicesAreOptionsThatTheCollectorTakes) {
  for (const Choice& choice : choices()) {
    CollectorArgs args;
    args.options = {choice.options};
    EXPECT_NO_THROW(merge_options(args, nullptr)) << choice.options;
    EXPECT_FALSE(parts_of(choice, {}).empty()) << choice.options;
  }
  EXPECT_THROW(choices_named({"colour=blue"}), UsageError);
}

TEST(Marks, APieceThatHasFiguresOfItsOwnHasNoLimit) {
  const std::vector<PartPlan> plans = parts_of({"workers=1", "One thread.", "survivors warehouse lru-cache@unlimited"}, {});
  ASSERT_EQ(plans.size(), 3u);
  EXPECT_EQ(plans[0].at, "unlimited");
  EXPECT_EQ(plans[1].name, "workers=1: warehouse at 2");
  EXPECT_EQ(plans[2].at, "unlimited");
  EXPECT_EQ(plans[0].entrants[1].label, "workers=1");
  const std::vector<PartPlan> chosen = parts_of({"workers=1", "One thread.", "survivors"}, {{"trees"}, {"2", "3"}, 7});
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_EQ(chosen[1].name, "workers=1: trees at 3");
  EXPECT_EQ(chosen[1].runs, 7);
}

TEST(Marks, ChoicesAreRatiosToTheCollectorAsItIs) {
  const Choice choice = {"workers=1", "One thread.", "trees"};
  const std::vector<PartPlan> plans = parts_of(choice, {{"trees", "others"}, {}, 1});
  BenchResult measured = part("2", {4, 5});
  measured.contenders[1].plan.mode = Mode::garner;
  const Table table = table_of(choice, plans, {{"workers=1: trees at 2", measured}}).table;
  EXPECT_EQ(table.cells()[1], (std::vector<std::string>{"trees at 2", "1.25", "-", "-", "-", ""}));
  EXPECT_EQ(table.cells()[2].back(), "not measured");
}

TEST(Marks, PartsAreKeptByKeyAndReadBackWhole) {
  TempDirectory temporary;
  const fs::path path = temporary.path() / "deep" / "parts.json";
  BenchResult one = part("2", {4, 5, -1});
  one.difference = "x", one.min_heap_bytes = 77;
  one.contenders[0].plan.limit_bytes = 154;
  one.contenders[0].samples[0].line = R"({"figures":{"a":{"b":1.5}}})";
  one.contenders[0].samples[0].most_left = 7;
  one.contenders[1].plan.label = "other";
  PartsFile(path, false).keep("key", one);
  PartsFile anew(path, true);
  EXPECT_FALSE(anew.find("key").has_value());
  anew.keep("key 2", one);
  EXPECT_TRUE(anew.find("key 2").has_value());
  const PartsFile file(path, false);
  EXPECT_FALSE(file.find("other").has_value());
  EXPECT_TRUE(file.find("key").has_value()) << "what another object kept is there still";
  const BenchResult back = *file.find("key");
  EXPECT_EQ(back.difference, "x");
  EXPECT_EQ(back.min_heap_bytes, 77u);
  EXPECT_EQ(*back.contenders[0].plan.limit_bytes, 154u);
  EXPECT_EQ(figure_at(back.contenders[0].samples[0], "figures/a/b"), 1.5);
  EXPECT_EQ(figure_at(back.contenders[0].samples[0], "figures/a/c"), -1);
  EXPECT_EQ(figure_at(back.contenders[1].samples[0], "figures/a/b"), -1);
  EXPECT_EQ(back.contenders[0].samples[0].most_left, 7);
  EXPECT_EQ(back.contenders[0].samples[0].most_committed, -1);
  EXPECT_STREQ(back.contenders[1].name(), "other");
  EXPECT_EQ(back.contenders[2].failure, "exit code 3");
  EXPECT_EQ(back.contenders[0].median_of(figure_named("cpu_s")), 4);
  write_file(path, "{\"key\": {\"workload\": 3}}");
  EXPECT_FALSE(file.find("key").has_value());
  write_file(path, "broken");
  EXPECT_FALSE(file.find("key").has_value());
}

} // namespace
} // namespace garner::tool
