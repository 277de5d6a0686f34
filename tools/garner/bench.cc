// `garner bench`: the workloads of bench/dotnet on this and on the stock collectors, at multiples of each one's minimum heap.
//
// Per workload: build and prepare (cached), a reference run and the search for the minimum heap on stock workstation non-concurrent (cached),
// then the modes in turn. With --check the exit code is 1 when a run of the first mode failed, or when any result is not the reference's.
#include <cstdlib>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "bench_report.h"
#include "bench_setup.h"
#include "collector_args.h"
#include "command.h"
#include "json_text.h"
#include "measure.h"
#include "min_heap.h"
#include "paths.h"
#include "say.h"
#include "table.h"

namespace garner::tool {
namespace {

struct BenchArgs {
  CollectorArgs collector;
  std::vector<std::string> names, modes = {"garner", "stock-workstation", "stock-concurrent", "stock-server", "stock-server-datas"}, at = {"2"};
  std::string size = "normal", bench_directory, out;
  int runs = 3, warmups = 0;
  double time_limit_s = 0;
  bool only_min_heap = false, search_again = false, check = false, list = false, trace_pauses = false;
};

class Bench {
 public:
  explicit Bench(const BenchArgs& args)
      : args_(args),
        modes_(parse_modes(args.modes)),
        directory_(find_bench_directory(args.bench_directory)),
        workloads_(load_workloads(directory_, args.names)),
        options_(merge_options(args.collector, std::getenv("GARNER")).text),
        setup_(directory_, args.size),
        baselines_(setup_.output() / "baselines.json") {
    for (const std::string& at : args.at) factor_of(at);
    for (Mode mode : modes_)
      if (mode == Mode::garner && !args.only_min_heap && !args.list) library_ = find_library(args.collector.library).string();
  }

  int run() {
    if (args_.list) return list();
    want_places();
    for (const Workload& workload : workloads_) {
      try {
        one(workload);
      } catch (const UsageError&) {
        throw;
      } catch (const Interrupted&) {
        failures_.push_back("interrupted");
        tell(); // what took hours is not lost
        throw;
      } catch (const std::runtime_error& error) {
        failures_.push_back(fmt::format("{}: {}", workload.name, error.what()));
        say_err("garner: {}\n", failures_.back());
      }
    }
    tell();
    bool good = failures_.empty();
    for (const BenchResult& result : results_) good &= result.trouble().empty();
    const bool nothing = results_.empty() && min_heaps_.empty();
    return (args_.check && !good) || nothing ? kExitFailed : 0;
  }

 private:
  fs::path out() const { return args_.out.empty() ? setup_.output() / "results" : fs::absolute(args_.out); }

  // Before hours are spent.
  void want_places() const {
    if (args_.only_min_heap) return;
    std::error_code ignored; // the next line tells
    fs::create_directories(out(), ignored);
    want_places_for(out() / "bench.json", out() / "bench.md");
  }

  int list() const {
    for (const Workload& workload : workloads_) say_out("{}\n    {}\n", workload.name, workload.stresses);
    return 0;
  }

  void one(const Workload& workload) {
    Plan plan = setup_.ready(workload, progress_);
    plan.options = options_;
    plan.trace_pauses |= args_.trace_pauses;
    bool limits = args_.only_min_heap;
    for (const std::string& at : args_.at) limits |= factor_of(at) > 0;
    Baseline baseline = setup_.baseline_of(workload, plan, baselines_, limits, args_.search_again, progress_);
    if (args_.only_min_heap) {
      min_heaps_[workload.name] = baseline.min_heap_bytes;
      return;
    }
    for (const std::string& at : args_.at) results_.push_back(measured(workload, plan, baseline, at));
  }

  BenchResult measured(const Workload& workload, Plan plan, const Baseline& baseline, const std::string& at) {
    BenchResult result;
    result.workload = workload.name;
    result.at = at;
    result.min_heap_bytes = baseline.min_heap_bytes;
    result.paced = workload.paced;
    plan = limited(plan, baseline, at, args_.time_limit_s);
    for (Mode mode : modes_) {
      plan.mode = mode;
      plan.library = mode == Mode::garner ? library_ : "";
      result.contenders.push_back({plan, {}, ""});
    }
    run_in_turn(result.contenders, args_.warmups, args_.runs, progress_, fmt::format("{} at {}", workload.name, at));
    result.difference = difference_of(baseline.reference, result.contenders);
    std::string trouble = result.trouble();
    say_err("garner: {} at {}: {}\n", workload.name, at, trouble.empty() ? "done" : trouble);
    return result;
  }

  void tell() const {
    if (args_.only_min_heap) return tell_min_heaps();
    if (results_.empty()) return;
    std::string markdown = fmt::format("# Workloads, size {}, {} runs each, medians\n{}\n\nOptions of the collector: {}\n", args_.size, args_.runs, setup_.machine(),
                                       options_.empty() ? "the defaults" : "`" + options_ + "`");
    for (const TitledTable& table : bench_tables(results_)) {
      say_out("{}\n{}\n", table.title, table.table.text(colours_on(1)));
      markdown += fmt::format("\n## {}\n{}", table.title, table.table.markdown());
    }
    std::string remarks = bench_remarks(results_);
    for (const std::string& failure : failures_) remarks += failure + "\n";
    say_out("{}", remarks);
    for (const ModeRow& row : mode_rows())
      markdown += fmt::format("{}- {}: {}, {}\n", row.mode == Mode::garner ? "\n" : "", row.letters, row.name, row.sentence);
    nlohmann::ordered_json json = {{"size", args_.size},  {"runs", args_.runs},    {"machine", setup_.machine()},
                                   {"options", options_}, {"failures", failures_}, {"results", bench_json(results_)}};
    write_file_and_directories(out() / "bench.json", json_text(json, 2) + "\n");
    write_file(out() / "bench.md", markdown + (remarks.empty() ? "" : "\n" + remarks));
    say_err("garner: written: {}, {}\n", (out() / "bench.md").string(), (out() / "bench.json").string());
  }

  void tell_min_heaps() const {
    Table table({"workload", "minimum heap MB"});
    for (const auto& [name, bytes] : min_heaps_) table.row({name, megabytes_text(double(bytes))});
    say_out("{}", table.text(colours_on(1)));
  }

  const BenchArgs& args_;
  std::vector<Mode> modes_;
  fs::path directory_;
  std::vector<Workload> workloads_;
  std::string options_, library_;
  BenchSetup setup_;
  BaselineFile baselines_;
  Progress progress_;
  std::vector<BenchResult> results_;
  std::map<std::string, uint64_t> min_heaps_;
  std::vector<std::string> failures_;
};

void add_bench_args(CLI::App& app, BenchArgs& args) {
  app.add_option("NAME", args.names, "Workloads, all of them when none is named")->expected(-1);
  app.add_option("--size", args.size, "Parameters of the workloads: small, normal, large")
      ->type_name("SIZE")
      ->check(CLI::IsMember({"small", "normal", "large"}))
      ->capture_default_str();
  app.add_option("--modes", args.modes, "Collectors, separated by commas; the first is compared with the others: " + mode_names(", "))
      ->type_name("MODES")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--at", args.at, "Heap limits as multiples of the minimum heap, separated by commas, or unlimited")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  app.add_option("--runs", args.runs, "Runs of each that count")->type_name("N")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--warmup", args.warmups, "Runs of each before those")->type_name("N")->check(CLI::Range(0, 1000))->capture_default_str();
  app.add_option("--timeout", args.time_limit_s, "Seconds after which a run is killed; 0: 20 times the reference run and a minute")
      ->type_name("S")
      ->check(not_negative())
      ->capture_default_str();
  app.add_option("--out", args.out, "Directory for bench.json and bench.md (default: results in the bench output directory)")->type_name("DIR");
  app.add_option("--bench-dir", args.bench_directory, "Directory of the NAME.bench files (default: bench/dotnet of the tree this program was built in)")
      ->type_name("DIR");
  app.add_flag("--minheap", args.only_min_heap, "Only find and print the minimum heaps");
  app.add_flag("--search-again", args.search_again, "Forget the kept reference runs and minimum heaps of these workloads");
  app.add_flag("--check", args.check, "Exit with 1 when a run of the first mode fails or a result differs from stock's");
  app.add_flag("--trace-pauses", args.trace_pauses, "Measure pauses from outside also where workloads tell them (of the others they always are)");
  app.add_flag("--list", args.list, "Only list the workloads");
}

} // namespace

Command add_bench(CLI::App& root) {
  CLI::App* app = root.add_subcommand("bench", "Run the workloads of bench/dotnet at multiples of their minimum heaps, and compare");
  auto args = std::make_shared<BenchArgs>();
  add_collector_args(*app, args->collector);
  add_bench_args(*app, *args);
  app->footer("The minimum heap is the smallest DOTNET_GCHeapHardLimit, to 5 %, at which a workload finishes with its result on stock workstation\n"
              "non-concurrent in at most five times its time without a limit and ten seconds. It is searched once and kept; so are the prepared inputs.");
  return {app, [args](const Invocation&) { return Bench(*args).run(); }};
}

} // namespace garner::tool
