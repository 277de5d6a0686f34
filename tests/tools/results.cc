// What counts as the result of a run, when two results agree, and what a comparison says of it.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <set>

#include "bench_report.h"
#include "json_text.h"
#include "paths.h"
#include "report.h"

namespace garner::tool {
namespace {

Sample with_output(const std::string& output, const std::vector<std::string>& keys = {"checksum"}) {
  Sample sample;
  sample.output = std::make_shared<const std::string>(output);
  read_json_line(sample, keys);
  return sample;
}

TEST(Results, TheLastJsonLineWithFiguresCounts) {
  Sample sample =
      with_output("{\"checksum\":\"old\"}\ntext {\n{\"other\":1}\n{\"checksum\":\"5f\",\"gc\":{\"pause_total_ms\":12.5,\"pause_max_ms\":3}}\n{\"not json\n");
  EXPECT_EQ(sample.checksum, "checksum 5f");
  EXPECT_EQ(sample.pause_total_ms, 12.5);
  EXPECT_EQ(sample.pause_max_ms, 3);
}

TEST(Results, SeveralKeys) {
  EXPECT_EQ(with_output("{\"checksum\":\"5f\",\"operations\":12}", {"checksum", "operations"}).checksum, "checksum 5f, operations 12");
  EXPECT_EQ(with_output("{\"operations\":12}", {"checksum", "operations"}).checksum, "operations 12");
}

TEST(Results, OutputWithoutJsonIsTheResult) {
  EXPECT_EQ(with_output("hello\n").checksum, "");
  EXPECT_EQ(with_output("").pause_total_ms, -1);
  EXPECT_EQ(result_text(with_output("hello\n")), "stdout, 6 bytes");
}

TEST(Results, Differences) {
  EXPECT_EQ(difference_of(with_output("a\n"), with_output("a\n")), "");
  EXPECT_EQ(difference_of(with_output("a\nbc\n"), with_output("a\nbd\n")), "line 2: 'bc' and 'bd'");
  EXPECT_EQ(difference_of(with_output("a"), with_output("")), "line 1: 'a' and ''");
  EXPECT_EQ(difference_of(with_output("x {\n{\"checksum\":1}"), with_output("y\n{\"checksum\":1}")), "") << "a checksum stands for the rest";
  EXPECT_EQ(difference_of(with_output("{\"checksum\":1}"), with_output("{\"checksum\":2}")), "'checksum 1' and 'checksum 2'");
  EXPECT_EQ(difference_of(with_output("{\"checksum\":1}"), with_output("no")), "'checksum 1' and ''");
}

Contender contender(Mode mode, std::vector<std::string> outputs, double cpu) {
  Contender c;
  c.plan.mode = mode;
  for (const std::string& output : outputs) {
    c.samples.push_back(with_output(output));
    c.samples.back().cpu_s = cpu++;
  }
  return c;
}

TEST(Results, AllEqual) {
  Agreement agreement = agreement_of({contender(Mode::garner, {"a", "a"}, 1), contender(Mode::workstation, {"a"}, 1)});
  EXPECT_TRUE(agreement.known);
  EXPECT_EQ(agreement.difference, "");
}

TEST(Results, TheStockModeIsTheReference) {
  EXPECT_EQ(agreement_of({contender(Mode::garner, {"a", "b"}, 1), contender(Mode::workstation, {"a"}, 1)}).difference,
            "stock-workstation and garner: line 1: 'a' and 'b'");
  EXPECT_EQ(agreement_of({contender(Mode::garner, {"a"}, 1), contender(Mode::workstation, {"a", "b"}, 1)}).difference,
            "two runs of stock-workstation: line 1: 'a' and 'b'");
}

TEST(Results, FailedRunsHaveNoResult) {
  std::vector<Contender> contenders = {contender(Mode::garner, {"a"}, 1), contender(Mode::workstation, {"b"}, 1)};
  contenders[1].samples[0].failure = contenders[1].failure = "exit code 3";
  Comparison comparison{contenders, agreement_of(contenders)};
  EXPECT_TRUE(comparison.agreement.known);
  EXPECT_EQ(comparison.agreement.difference, "");
  EXPECT_FALSE(comparison.good());
  EXPECT_NE(comparison.remarks().find("stock-workstation failed: exit code 3\n"), std::string::npos);
}

TEST(Results, MediansAndRatios) {
  std::vector<Contender> contenders = {contender(Mode::garner, {"a", "a", "a"}, 1), contender(Mode::workstation, {"a"}, 4)};
  Comparison comparison{contenders, agreement_of(contenders)};
  auto json = comparison.json({"p"});
  EXPECT_EQ(json["modes"][0]["cpu_s"]["median"], 2);
  EXPECT_EQ(json["modes"][0]["cpu_s"]["max"], 3);
  EXPECT_EQ(json["ratios"]["garner/stock-workstation"]["cpu_s"], 0.5);
  EXPECT_FALSE(json["ratios"]["garner/stock-workstation"].contains("pause_max_ms")) << "unknown, so left out";
  EXPECT_TRUE(json["output_equal"]);
}

TEST(Results, WhoSetsTheBoundIsNeverBelowIt) {
  std::vector<Contender> all = {contender(Mode::garner, {"a", "a", "a"}, 1), contender(Mode::workstation, {"a", "a", "a"}, 1)};
  for (size_t i = 0; i < 3; i++) {
    all[0].samples[i].wall_s = 10 + double(i), all[0].samples[i].pause_total_ms = 1000; // each by itself is 1.09 to 1.11 of what it would be without pauses
    all[1].samples[i].wall_s = 20 + double(i), all[1].samples[i].pause_total_ms = 500;
  }
  const auto own = overhead_interval(all[0], all), other = overhead_interval(all[1], all);
  ASSERT_TRUE(own && other);
  EXPECT_GE(own->low, 12 / 11. - 1e-9);
  EXPECT_LE(own->high, 10 / 9. + 1e-9);
  EXPECT_GT(other->low, 20 / 11. - 1e-9);
  EXPECT_LT(other->high, 22 / 9. + 1e-9);
  all[0].samples.pop_back();
  EXPECT_FALSE(overhead_interval(all[0], all));
}

TEST(Results, WhatIsPrintedAgainIsKeptOnce) {
  Plan plan;
  plan.mode = Mode::workstation;
  plan.program = {"/bin/sh", "-c", "printf 'one\\ntwo %s\\n' \"$GARNER_TEST_WORD\""};
  plan.environment["GARNER_TEST_WORD"] = "three";
  std::vector<Contender> all(2);
  all[0].plan = all[1].plan = plan;
  run_in_turn(all, 0, 2, Progress(), "test");
  ASSERT_EQ(all[1].samples.size(), 2u);
  EXPECT_EQ(all[0].samples[0].printed(), "one\ntwo three\n");
  EXPECT_EQ(all[0].samples[0].output, all[1].samples[1].output) << "one text, not four";
  EXPECT_EQ(all[0].samples[0].output, all[0].samples[1].output);
}

TEST(Results, WhoRunsFirstDiffersFromOneComparisonToTheNext) {
  std::set<std::string> begun;
  for (int i = 0; i < 12; i++) {
    TempDirectory directory;
    std::vector<Contender> all(2);
    for (size_t k = 0; k < 2; k++) {
      all[k].plan.mode = k == 0 ? Mode::workstation : Mode::server;
      all[k].plan.directory = directory.path();
      all[k].plan.program = {"/bin/sh", "-c", "echo $DOTNET_gcServer >> order; cat order"};
    }
    run_in_turn(all, 0, 2, Progress(), "part " + std::to_string(i));
    std::string order;
    ASSERT_TRUE(read_file(directory.path() / "order", order));
    EXPECT_TRUE(order == "0\n1\n1\n0\n" || order == "1\n0\n0\n1\n") << order;
    begun.insert(order);
  }
  EXPECT_EQ(begun.size(), 2u);
}

TEST(Results, OfALongLineTheDifferenceIsShown) {
  const std::string same(200, '-'), umlauts = [] { std::string s; for (int i = 0; i < 50; i++) s += "é"; return s; }();
  EXPECT_EQ(difference_of(with_output(same + "a\n"), with_output(same + "b\n")), "line 1: '" + std::string(40, '-') + "a' and '" + std::string(40, '-') + "b'");
  const std::string cut = difference_of(with_output("x" + umlauts + "a"), with_output("x" + umlauts + "b"));
  EXPECT_EQ(cut.substr(0, 11), "line 1: 'é") << "no half of a character: " << cut;
}

TEST(Results, BytesThatAreNoTextAreJsonToo) {
  EXPECT_EQ(json_text(nlohmann::ordered_json{{"said", "caf\xe9"}}), "{\"said\":\"caf\xef\xbf\xbd\"}");
  Comparison comparison{{contender(Mode::garner, {"caf\xe9"}, 1), contender(Mode::workstation, {"caf\xe8"}, 1)}, {}, ""};
  comparison.agreement = agreement_of(comparison.contenders);
  EXPECT_FALSE(comparison.agreement.difference.empty());
  EXPECT_NE(json_text(comparison.json({"caf\xe9"}), 2).find("caf\xef\xbf\xbd"), std::string::npos);
}

TEST(Results, OverheadIsOverTheLeastThatAnyWouldTakeWithoutPauses) {
  std::vector<Contender> all = {contender(Mode::garner, {"a", "a", "a"}, 1), contender(Mode::workstation, {"a", "a", "a"}, 1), contender(Mode::server, {"a"}, 1)};
  for (size_t i = 0; i < 3; i++) {
    all[0].samples[i].wall_s = 10, all[0].samples[i].pause_total_ms = 1000;
    all[1].samples[i].wall_s = 12, all[1].samples[i].pause_total_ms = 4000; // 8 s without them
  }
  all[2].samples[0].wall_s = 9, all[2].samples[0].pause_total_ms = -1; // tells no pauses
  EXPECT_DOUBLE_EQ(lower_bound_overhead(all[0], all), 10 / 8.);
  EXPECT_DOUBLE_EQ(lower_bound_overhead(all[1], all), 12 / 8.);
  EXPECT_DOUBLE_EQ(lower_bound_overhead(all[2], all), 9 / 8.);
  all[2].samples[0].wall_s = 4; // all of that is a bound: nobody is below it
  EXPECT_DOUBLE_EQ(lower_bound_overhead(all[0], all), 10 / 4.);
  EXPECT_DOUBLE_EQ(lower_bound_overhead(all[2], all), 1);
  for (size_t i = 0; i < 3; i++) all[0].samples[i].pause_total_ms = all[1].samples[i].pause_total_ms = -1; // nobody tells any
  EXPECT_LT(lower_bound_overhead(all[0], all), 0);
  Comparison comparison{{all[0], all[1]}, {}, "2"};
  auto json = comparison.json({"p"});
  EXPECT_EQ(json["at"], "2");
  EXPECT_NEAR(json["intervals"]["garner/stock-workstation"]["wall_s"][0].get<double>(), 10 / 12., 1e-9);
  EXPECT_NE(comparison.table().text(false).find("95 % interval                   0.83–0.83"), std::string::npos) << comparison.table().text(false);
}

TEST(Results, FilesMustBeWrittenByTheRun) {
  TempDirectory temporary;
  std::ofstream(temporary.path() / "old.txt") << "x";
  fs::last_write_time(temporary.path() / "old.txt", fs::file_time_type::clock::now() - std::chrono::minutes(1));
  Plan plan;
  plan.mode = Mode::workstation;
  plan.program = {"sh", "-c", "echo 1 > a.txt; echo 2 > b.txt"};
  plan.directory = temporary.path().string();
  plan.files = {"*.txt"};
  EXPECT_EQ(run_once(plan).failure, "file old.txt: not written");
  plan.files = {"[ab].txt"};
  Sample first = run_once(plan), second = run_once(plan);
  EXPECT_EQ(first.failure, "");
  ASSERT_EQ(first.files.size(), 2u);
  EXPECT_TRUE(first.files[0].starts_with("a.txt: 2 bytes, ")) << first.files[0];
  EXPECT_EQ(difference_of(first, second), "");
  plan.program[2] = "echo 1 > a.txt; echo 3 > b.txt";
  EXPECT_NE(difference_of(first, run_once(plan)), "");
  plan.files = {"c.txt"};
  EXPECT_EQ(run_once(plan).failure, "file c.txt: missing");
}

TEST(Results, BenchTablesHaveRatiosAndMeans) {
  std::vector<BenchResult> results(2);
  for (int i = 0; i < 2; i++) {
    results[size_t(i)].workload = i == 0 ? "one" : "two";
    results[size_t(i)].at = "2";
    results[size_t(i)].contenders = {contender(Mode::garner, {"a"}, 1), contender(Mode::workstation, {"a"}, i == 0 ? 1 : 4), contender(Mode::server, {}, 0)};
    results[size_t(i)].contenders[2].failure = "exit code 3";
  }
  std::vector<TitledTable> tables = bench_tables(results);
  ASSERT_FALSE(tables.empty());
  EXPECT_EQ(tables[0].title, "CPU s, 2x the minimum heap");
  EXPECT_EQ(tables[0].table.text(false),
            "workload         gar   wsn     srv  gar/wsn  gar/srv  gar/best\n"
            "one             1.00  1.00  failed     1.00        -      1.00\n"
            "two             1.00  4.00  failed     0.25        -      0.25\n"
            "geometric mean                         0.50        -      0.50\n");
  EXPECT_EQ(results[0].trouble(), "") << "a stock mode that fails is not our trouble";
  EXPECT_NE(bench_remarks(results).find("one at 2x the minimum heap: stock-server failed: exit code 3"), std::string::npos);
}

} // namespace
} // namespace garner::tool
