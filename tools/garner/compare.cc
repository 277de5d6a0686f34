// `garner compare`: one program on several collectors, run in turn, and the ratios of the medians.
//
// Exit code 1 when a run failed or outputs differ; the table is printed all the same.
#include <cstdlib>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "collector_args.h"
#include "command.h"
#include "measure.h"
#include "paths.h"
#include "report.h"
#include "say.h"
#include "table.h"

namespace garner::tool {
namespace {

struct CompareArgs {
  CollectorArgs collector;
  std::string mode = "garner", limit, json, markdown;
  std::vector<std::string> with = {"stock-workstation"}, files;
  int runs = 5, warmups = 1;
  double time_limit_s = 0;
  bool trace_pauses = false;
};

std::vector<Contender> contenders_of(const CompareArgs& args, const std::vector<std::string>& program) {
  std::vector<std::string> names = {args.mode};
  names.insert(names.end(), args.with.begin(), args.with.end());
  std::vector<Contender> contenders;
  std::string options = merge_options(args.collector, std::getenv("GARNER")).text;
  for (Mode mode : parse_modes(names)) {
    Plan plan;
    plan.mode = mode;
    plan.program = program;
    plan.options = options;
    plan.time_limit_s = args.time_limit_s;
    plan.files = args.files;
    plan.trace_pauses = args.trace_pauses;
    if (mode == Mode::garner) plan.library = find_library(args.collector.library).string();
    if (!args.limit.empty()) plan.limit_bytes = parse_size(args.limit, "--limit");
    contenders.push_back({plan, {}, ""});
  }
  return contenders;
}

int compare(const CompareArgs& args, const Invocation& invocation) {
  want_places_for(args.json, args.markdown);
  std::vector<Contender> contenders = contenders_of(args, invocation.program);
  run_in_turn(contenders, args.warmups, args.runs, Progress(), "compare");
  Comparison result{contenders, agreement_of(contenders)};

  say_out("{}", result.table().text(colours_on(1)));
  say_out("{}", result.remarks());
  if (!args.json.empty()) write_file(args.json, result.json(invocation.program).dump(2) + "\n");
  if (!args.markdown.empty()) write_file(args.markdown, result.table().markdown() + "\n" + result.remarks());
  return result.good() ? 0 : kExitFailed;
}

} // namespace

Command add_compare(CLI::App& root) {
  CLI::App* app = root.add_subcommand("compare", "Run a program on this and on stock collectors in turn, and compare");
  auto args = std::make_shared<CompareArgs>();
  add_collector_args(*app, args->collector);
  app->add_option("--with", args->with, "What to compare with, separated by commas: " + mode_names(", "))
      ->type_name("MODES")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  app->add_option("--mode", args->mode, "What is compared with them")->type_name("MODE")->capture_default_str();
  app->add_option("--runs", args->runs, "Runs of each that count")->type_name("N")->check(CLI::Range(1, 1000))->capture_default_str();
  app->add_option("--warmup", args->warmups, "Runs of each before those")->type_name("N")->check(CLI::Range(0, 1000))->capture_default_str();
  app->add_option("--limit", args->limit, "Most memory the managed heap may use, the same for all (DOTNET_GCHeapHardLimit)")->type_name("SIZE");
  app->add_option("--timeout", args->time_limit_s, "Seconds after which a run is killed and counts as failed; 0: never")
      ->type_name("S")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--compare-files", args->files, "Files that the program writes and that must be equal too, separated by commas")
      ->type_name("FILES")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_flag("--trace-pauses", args->trace_pauses, "Measure pauses from outside, with the runtime's event pipe: for .NET programs that do not tell them");
  app->add_option("--json", args->json, "Write all figures to this file")->type_name("FILE");
  app->add_option("--md", args->markdown, "Write the table to this file, as markdown")->type_name("FILE");
  expects_program(*app);
  app->footer("Figures are medians. Output is equal when the checksums of the programs' JSON lines are, or, without such a line, when stdout is the same\n"
              "byte by byte. A program that prints a JSON line with \"gc\": {\"pause_total_ms\", \"pause_max_ms\"} has its pauses compared too;\n"
              "--trace-pauses measures those of any .NET program.\n"
              "The program reads nothing from stdin, and helpers that it leaves running are ended with it.\n"
              "The exit code is 1 when a run failed or outputs differ.");
  return {app, [args](const Invocation& invocation) { return compare(*args, invocation); }};
}

} // namespace garner::tool
