// NAME.bench files: what is read, what is refused and with which sentence, and how commands become words.
#include <gtest/gtest.h>

#include "bench_file.h"
#include "errors.h"

namespace garner::tool {
namespace {

constexpr const char* kGood = R"(# a comment
[workload]
name = trees
stresses = Small objects.
project = workloads
prepare = dotnet {bin}/w.dll make out={work}
prepare = dotnet restore
command = dotnet {bin}/w.dll trees {parameters}
result = json
compare = checksum operations
pace = schedule

[small]
parameters = depth=15 seed=1
[large]
parameters = depth=20 seed=1
)";

std::string error_of(const std::string& text) {
  try {
    parse_bench_file(text, "x.bench");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

// kGood with one part replaced.
std::string with(const std::string& part, const std::string& other) {
  std::string text = kGood;
  size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), other);
}

TEST(BenchFile, EverythingIsRead) {
  Workload w = parse_bench_file(kGood, "x.bench");
  EXPECT_EQ(w.name, "trees");
  EXPECT_EQ(w.stresses, "Small objects.");
  EXPECT_EQ(w.project, "workloads");
  ASSERT_EQ(w.prepare.size(), 2u);
  EXPECT_EQ(w.prepare[1], "dotnet restore");
  EXPECT_EQ(w.result, ResultKind::json);
  EXPECT_EQ(w.compare, (std::vector<std::string>{"checksum", "operations"}));
  EXPECT_TRUE(w.paced);
  EXPECT_EQ(w.parameters.at("small"), "depth=15 seed=1");
  EXPECT_EQ(w.parameters.count("normal"), 0u);
}

TEST(BenchFile, TheLeastHeapFoundBefore) {
  Workload w = parse_bench_file(with("[large]\n", "least_mb = 6.5\n[large]\n"), "x.bench");
  EXPECT_EQ(w.least_mb.at("small"), 6.5);
  EXPECT_EQ(w.least_mb.count("large"), 0u);
  EXPECT_EQ(error_of(with("[large]\n", "least_mb = 6\nleast_mb = 7\n[large]\n")), "x.bench:16: least_mb of [small] is given twice");
  for (const char* wrong : {"0", "-1", "6 MB", "nan", "1e9"})
    EXPECT_EQ(error_of(with("[large]\n", std::string("least_mb = ") + wrong + "\n[large]\n")), std::string("x.bench:15: 'least_mb' is a number of MB from 1 to 1000000, not '") + wrong + "'");
  EXPECT_EQ(error_of(with("[large]\n", "heap = 1\n[large]\n")), "x.bench:15: unknown key 'heap' in [small]: parameters, least_mb");
}

TEST(BenchFile, WhatMayBeLeftOut) {
  Workload w = parse_bench_file("[workload]\nname = a\ncommand = b\n[normal]\nparameters = n=1\n", "a.bench");
  EXPECT_EQ(w.project, "");
  EXPECT_FALSE(w.paced);
  EXPECT_EQ(w.compare, (std::vector<std::string>{"checksum"}));
}

TEST(BenchFile, AMistakeIsNamedWithFileAndLine) {
  EXPECT_EQ(error_of(with("[small]", "[tiny]")), "x.bench:13: unknown section [tiny]: workload, small, normal or large");
  EXPECT_EQ(error_of(with("[small]", "[small")), "x.bench:13: a section is [workload] or [SIZE]");
  EXPECT_EQ(error_of(with("result = json", "result json")), "x.bench:9: expected key = value, found 'result json'");
  EXPECT_EQ(error_of(with("result = json", "result = xml")), "x.bench:9: 'result' is json or files, not 'xml'");
  EXPECT_EQ(error_of(with("pace = schedule", "pace = slow")), "x.bench:11: 'pace' is schedule, not 'slow'");
  EXPECT_EQ(error_of(with("pace = schedule", "pace =")), "x.bench:11: 'pace' has no value");
  EXPECT_EQ(error_of(with("pace", "peace")), "x.bench:11: unknown key 'peace' in [workload]");
  EXPECT_EQ(error_of(with("pace = schedule", "name = other")), "x.bench:11: 'name' is given twice");
  EXPECT_EQ(error_of(with("parameters = depth=15", "parameter = depth=15")), "x.bench:14: unknown key 'parameter' in [small]: parameters, least_mb");
  EXPECT_EQ(error_of(with("[workload]\n", "")), "x.bench:2: 'name' stands before any section");
  EXPECT_EQ(error_of(with("[workload]\n", "[small]\n")), "x.bench:2: the first section is [workload]");
  EXPECT_EQ(error_of(with("name = trees\n", "")), "x.bench:15: no 'name' in [workload]");
  EXPECT_EQ(error_of(with("[large]", "[small]")), "x.bench:15: section [small] stands twice");
  EXPECT_EQ(error_of(with("[large]\n", "")), "x.bench:15: parameters of [small] are given twice");
  EXPECT_EQ(error_of("[workload]\nname = a\ncommand = b\n"), "x.bench:3: no section [small], [normal] or [large]");
  EXPECT_EQ(error_of("[workload]\nname = a\ncommand = b\nresult = files\n[small]\nparameters = n=1\n"),
            "x.bench:6: result = files needs 'compare', the patterns of the files");
}

TEST(BenchFile, WordsAreSplitAtBlanksWithoutQuoting) {
  EXPECT_EQ(split_words("  a 'b \t c' "), (std::vector<std::string>{"a", "'b", "c'"}));
  EXPECT_TRUE(split_words("").empty());
}

TEST(BenchFile, NamesAreReplaced) {
  std::map<std::string, std::string> names = {{"bin", "/b in"}, {"parameters", "x=1 y=2"}, {"work", "{bin}"}};
  EXPECT_EQ(expand("run {bin}/w.dll {parameters} out={work}", names), (std::vector<std::string>{"run", "/b in/w.dll", "x=1", "y=2", "out={bin}"}));
  EXPECT_THROW(expand("run {sdk}", names), UsageError);
  EXPECT_THROW(expand("run {bin", names), UsageError);
}

} // namespace
} // namespace garner::tool
