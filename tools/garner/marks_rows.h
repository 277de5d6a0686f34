// The rows of `garner marks`: each figure with its mark, and how the verdict comes out of measured parts. No row measures anything, so a verdict depends on its
// parts only; tests give it made-up ones.
//
// A mean is over the parts in which both sides finished. Where this collector fails and one of those it is compared with does not, the row does not hold,
// whatever the mean of the rest; what no collector finishes says nothing. A row with parts that are missing is not measured, unless a part that is there breaks it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "bench_report.h"
#include "marks_parts.h"

namespace garner::tool {

enum class Holds { yes, no, unmeasured, unmarked }; // unmarked: a figure that is told, and has no mark
const char* word_of(Holds holds);

struct Verdict {
  std::string figure;
  std::string mark;
  std::string reached = {};            // in words, by size of the heap where there are several
  std::optional<double> value = {};    // what is compared with the mark, where it is known
  Holds holds = Holds::unmeasured;
  std::vector<std::string> losses = {}; // where it is worse than what it is compared with, the worst first: "kestrel at 1.5: 1.12 of stock-server"
};

// What was chosen on the command line.
struct Selection {
  std::vector<std::string> workloads, at; // of the rows over many workloads
  int runs = 0;                           // 0: as many as each row takes
};
std::vector<std::string> workloads_of_rows(); // those rows' own
std::vector<std::string> sizes_of_rows();

struct Row {
  const char *id, *name, *sentence;
  std::vector<PartPlan> (*parts)(const Selection&);
  std::vector<Verdict> (*judge)(const Selection&, const Parts&);
  std::vector<TitledTable> (*tables)(const Selection&, const Parts&);
  std::vector<PartPlan> (*again)(const Selection&, const Parts&) = nullptr; // what, by the parts that are measured, more runs must tell; null: nothing ever
};
const std::vector<Row>& rows();
// By id or name, in any case; all when none is named. UsageError for any other.
std::vector<Row> rows_named(const std::vector<std::string>& names);

// What verdicts are made of; here for their tests.
//
// This collector against the best of some modes in many parts, by one figure.
struct Ratio {
  std::string workload, at, of; // of: the mode
  double value;
};
struct Compared {
  std::vector<Ratio> ratios;
  std::vector<std::string> failed;  // parts that this collector alone did not finish, and why
  std::vector<std::string> only_we; // parts whose figure is 0 on the other side and not here: no ratio tells that
  size_t wanted = 0, measured = 0;
};
Compared compared(const std::vector<PartPlan>& plans, const Parts& parts, const Figure& figure, const std::vector<Mode>& with);
Verdict mean_verdict(const std::string& figure, double mark, const Compared& all);
Verdict most_verdict(const std::string& figure, double mark, const Compared& all); // none above the mark
// Of one part: `value` against a mark that it must not pass, or must reach.
Verdict at_most(const std::string& figure, const std::string& mark, double value, double most, const std::string& reached);
Verdict at_least(const std::string& figure, const std::string& mark, double value, double least, const std::string& reached);
const Figure& figure_named(const std::string& key);

} // namespace garner::tool
