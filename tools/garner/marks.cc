// `garner marks`: every figure that the project sets itself a mark for, against the stock collectors, by one command: its mark, what was reached, whether it
// holds, and where it loses. With --ablation what each choice of the design gives instead.
//
// What is chosen is made of parts (marks_parts.h); each is measured unless it is kept from before. Verdicts come from the parts alone (marks_rows.h).
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "collector_args.h"
#include "command.h"
#include "json_text.h"
#include "marks_ablation.h"
#include "marks_parts.h"
#include "marks_rows.h"
#include "paths.h"
#include "say.h"

namespace garner::tool {
namespace {

using Json = nlohmann::ordered_json;

struct MarksArgs {
  CollectorArgs collector;
  std::vector<std::string> names, rows, workloads, at;
  std::string size = "normal", bench_directory, out, json, markdown;
  int runs = 0;
  double time_limit_s = 0;
  bool ablation = false, again = false, told = false, list = false, check = false;
};

MeasuringArgs measuring_args(const MarksArgs& args) {
  return {find_bench_directory(args.bench_directory), args.out, args.size, find_library(args.collector.library).string(), merge_options(args.collector, std::getenv("GARNER")).text, args.time_limit_s, args.again};
}

// Text for the terminal and the same as markdown.
class Pages {
 public:
  void title(int level, const std::string& text) {
    plain_ += (plain_.empty() ? "" : "\n") + text + "\n";
    markdown_ += fmt::format("{}{} {}\n", markdown_.empty() ? "" : "\n", std::string(size_t(level), '#'), text);
  }
  void table(const Table& table) {
    plain_ += table.text(colours_on(1));
    markdown_ += "\n" + table.markdown();
  }
  void line(const std::string& text) {
    plain_ += text + "\n";
    markdown_ += "\n" + text + "\n";
  }
  void items(const std::string& head, const std::vector<std::string>& all) {
    if (all.empty()) return;
    plain_ += head + "\n";
    markdown_ += "\n" + head + "\n\n";
    for (const std::string& one : all) plain_ += "  " + one + "\n", markdown_ += "- " + one + "\n";
  }
  const std::string& plain() const { return plain_; }
  const std::string& markdown() const { return markdown_; }

 private:
  std::string plain_, markdown_;
};

class Marks {
 public:
  explicit Marks(const MarksArgs& args) : args_(args) {
    if (!args.list) measuring_.emplace(measuring_args(args)); // of a list nothing is needed but the command
    want_places_for(args.json, args.markdown);
    std::vector<std::string> names = args.names;
    names.insert(names.end(), args.rows.begin(), args.rows.end());
    for (const std::string& at : args.at) factor_of(at);
    selection_ = {args.workloads, args.at, args.runs};
    if (args.ablation) choices_ = choices_named(names);
    else {
      rows_ = rows_named(names);
      if (selection_.workloads.empty()) selection_.workloads = workloads_of_rows();
      if (selection_.at.empty()) selection_.at = sizes_of_rows();
    }
    for (const Choice& choice : choices_) want_options(choice);
    for (const Row& row : rows_) add(row.parts(selection_));
    for (const Choice& choice : choices_) add(parts_of(choice, selection_));
  }

  int run() {
    if (args_.list) return list();
    want_workloads();
    measure_from(0);
    for (const Row& row : rows_) {
      const size_t first = plans_.size();
      if (row.again != nullptr) add(row.again(selection_, parts_));
      measure_from(first);
    }
    const Json json = args_.ablation ? tell_choices() : tell_rows();
    say_out("{}", pages_.plain());
    if (!args_.markdown.empty()) write_file(args_.markdown, pages_.markdown());
    if (!args_.json.empty()) write_file(args_.json, json_text(json, 2) + "\n");
    return args_.check && !good_ ? kExitFailed : 0;
  }

 private:
  // Rows share parts; each is measured once.
  void add(const std::vector<PartPlan>& parts) {
    for (const PartPlan& part : parts)
      if (std::none_of(plans_.begin(), plans_.end(), [&](const PartPlan& known) { return known.name == part.name; })) plans_.push_back(part);
  }

  void measure_from(size_t first) {
    for (size_t i = first; i < plans_.size(); i++) one(plans_[i], i + 1);
  }

  // A choice must not clash with options of the command line, which is told before hours have been spent.
  void want_options(const Choice& choice) const {
    CollectorArgs with = args_.collector;
    with.options.push_back(choice.options);
    merge_options(with, std::getenv("GARNER"));
  }

  void want_workloads() const {
    std::vector<std::string> names;
    for (const PartPlan& plan : plans_) names.push_back(plan.piece.workload);
    load_workloads(find_bench_directory(args_.bench_directory), names);
  }

  int list() const {
    Table table({"row", "figure", "mark"});
    table.left(1), table.left(2);
    for (const Row& row : rows_)
      for (const Verdict& verdict : row.judge(selection_, {})) table.row({fmt::format("{} {}", row.id, row.name), verdict.figure, verdict.mark});
    if (!rows_.empty()) say_out("{}", table.text(colours_on(1)));
    Table given({"choice", "what happens then", "shown on"});
    given.left(1), given.left(2);
    for (const Choice& choice : choices_) given.row({choice.options, choice.without, choice.where});
    if (!choices_.empty()) say_out("{}", given.text(colours_on(1)));
    return 0;
  }

  void one(const PartPlan& plan, size_t number) {
    if (args_.told) {
      if (std::optional<BenchResult> part = measuring_->kept(plan)) parts_[plan.name] = *part;
      else missing_.push_back(plan.name);
      return;
    }
    try {
      bool was_kept = false;
      const BenchResult& part = parts_[plan.name] = measuring_->known(plan, was_kept);
      const std::string trouble = part.trouble();
      if (!was_kept) say_err("garner: {} of {}: {}: {}\n", number, plans_.size(), plan.name, trouble.empty() ? "done" : trouble);
    } catch (const UsageError&) {
      throw;
    } catch (const std::runtime_error& error) {
      missing_.push_back(fmt::format("{}: {}", plan.name, error.what()));
      say_err("garner: {} of {}: {}\n", number, plans_.size(), missing_.back());
    }
  }

  Json head(const std::string& title) {
    const std::string options = merge_options(args_.collector, std::getenv("GARNER")).text;
    pages_.title(1, title);
    pages_.line(fmt::format("{}; size {}; library {}; options of the collector: {}", measuring_->setup().machine(), args_.size, measuring_->collector(), options.empty() ? "the defaults" : options));
    if (args_.size != "normal") pages_.line("Marks are for size normal: what is reached at any other says nothing of them.");
    return {{"size", args_.size}, {"machine", measuring_->setup().machine()}, {"library", measuring_->collector()}, {"options", options}, {"missing", missing_}};
  }

  Json tell_rows() {
    Json json = head("Figures and their marks");
    Table table({"figure", "mark", "reached", "holds"});
    for (size_t column : {1, 2, 3}) table.left(column);
    std::vector<std::vector<Verdict>> judged;
    for (const Row& row : rows_) {
      judged.push_back(row.judge(selection_, parts_));
      for (const Verdict& verdict : judged.back()) {
        table.row({fmt::format("{} {}", row.id, verdict.figure), verdict.mark, verdict.reached.empty() ? "-" : verdict.reached, word_of(verdict.holds)});
        good_ &= verdict.holds == Holds::yes || verdict.holds == Holds::unmarked;
      }
    }
    pages_.table(table);
    pages_.items("Not measured:", missing_);
    for (size_t i = 0; i < rows_.size(); i++) json["rows"].push_back(tell_row(rows_[i], judged[i]));
    tell_parts(json);
    return json;
  }

  Json tell_row(const Row& row, const std::vector<Verdict>& verdicts) {
    Json json = {{"id", row.id}, {"name", row.name}, {"sentence", row.sentence}, {"figures", Json::array()}};
    pages_.title(2, fmt::format("{} {}: {}", row.id, row.name, row.sentence));
    for (const Verdict& verdict : verdicts) {
      pages_.items(fmt::format("Loses: {}:", verdict.figure), verdict.losses);
      Json one = {{"figure", verdict.figure}, {"mark", verdict.mark}, {"reached", verdict.reached}, {"holds", word_of(verdict.holds)}, {"losses", verdict.losses}};
      if (verdict.value) one["value"] = *verdict.value;
      json["figures"].push_back(one);
    }
    for (const TitledTable& table : row.tables(selection_, parts_)) {
      pages_.title(3, table.title);
      pages_.table(table.table);
    }
    return json;
  }

  Json tell_choices() {
    Json json = head("What each choice gives: the collector with an option changed, as a ratio to the collector as it is");
    for (const Choice& choice : choices_) {
      const std::vector<PartPlan> plans = parts_of(choice, selection_);
      const TitledTable table = table_of(choice, plans, parts_);
      pages_.title(2, table.title);
      pages_.table(table.table);
      json["choices"].push_back(json_of(choice, plans, parts_));
    }
    pages_.items("Not measured:", missing_);
    for (const auto& [name, part] : parts_) good_ &= part.trouble().empty();
    good_ &= missing_.empty();
    tell_parts(json);
    return json;
  }

  void tell_parts(Json& json) {
    std::vector<BenchResult> all;
    for (const auto& [name, part] : parts_) all.push_back(part);
    json["parts"] = bench_json(all);
    size_t i = 0;
    for (const auto& [name, part] : parts_) json["parts"][i++]["part"] = name;
  }

  const MarksArgs& args_;
  std::optional<Measuring> measuring_;
  Selection selection_;
  std::vector<Row> rows_;
  std::vector<Choice> choices_;
  std::vector<PartPlan> plans_;
  Parts parts_;
  std::vector<std::string> missing_;
  Pages pages_;
  bool good_ = true;
};

void add_marks_args(CLI::App& app, MarksArgs& args) {
  app.add_option("NAME", args.names, "Rows by name or number, or with --ablation choices by their options; all of them when none is named")->expected(-1);
  auto add_list = [&app](const char* name, std::vector<std::string>& list, const char* type, const char* words) {
    app.add_option(name, list, words)->type_name(type)->delimiter(',')->allow_extra_args(false);
  };
  add_list("--rows", args.rows, "LIST", "The same, separated by commas");
  add_list("--workloads", args.workloads, "LIST", "Workloads of the rows over many, or of the choices, separated by commas, instead of their own");
  add_list("--at", args.at, "LIST", "Heap limits of those as multiples of the minimum heap, separated by commas, or unlimited (1.5,2,3,unlimited; choices: 2)");
  app.add_option("--size", args.size, "Parameters of the workloads: small, normal, large; marks are for normal")
      ->type_name("SIZE")
      ->check(CLI::IsMember({"small", "normal", "large"}))
      ->capture_default_str();
  app.add_option("--runs", args.runs, "Runs of each collector in a part (1 for rows over many workloads, 3 for others and choices, 15 for start)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  app.add_option("--timeout", args.time_limit_s, "Seconds after which a run is killed; 0: 20 times the reference run and a minute")
      ->type_name("S")
      ->check(not_negative())
      ->capture_default_str();
  app.add_option("--out", args.out, "Directory where parts are kept (default: marks in the bench output directory)")->type_name("DIR");
  app.add_option("--bench-dir", args.bench_directory, "Directory of the NAME.bench files (default: bench/dotnet of the tree this program was built in)")->type_name("DIR");
  app.add_option("--md", args.markdown, "Write the tables to this file, as markdown")->type_name("FILE");
  app.add_option("--json", args.json, "Write verdicts and all figures to this file")->type_name("FILE");
  CLI::Option* again = app.add_flag("--again", args.again, "Measure anew also what is kept");
  app.add_flag("--told", args.told, "Measure nothing: tell what is kept, and what is missing")->excludes(again);
  app.add_flag("--ablation", args.ablation, "Instead of the rows, tell what each choice of the design gives");
  app.add_flag("--list", args.list, "Only list the rows with their marks, or with --ablation the choices");
  app.add_flag("--check", args.check, "Exit with 1 unless every row holds; of choices, unless every run was good");
}

} // namespace

Command add_marks(CLI::App& root) {
  CLI::App* app = root.add_subcommand("marks", "Measure every figure that has a mark against the stock collectors, and tell which hold");
  auto args = std::make_shared<MarksArgs>();
  add_collector_args(*app, args->collector);
  add_marks_args(*app, *args);
  app->footer("Everything takes hours. Each part is kept when it is done, under the workload, the machine, the collector's library, its options and the runs, and a command that was interrupted\n"
              "goes on where it was. 'best' is the stock mode with the least of a figure, for each workload and heap size. Means are geometric.");
  return {app, [args](const Invocation&) { return Marks(*args).run(); }};
}

} // namespace garner::tool
