// `garner compare`: one program on several collectors, run in turn, and the ratios of the medians; at one limit, or at multiples of the program's minimum heap,
// which is searched on stock workstation non-concurrent.
//
// Exit code 1 when a run failed or outputs differ; the table is printed all the same.
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "collector_args.h"
#include "command.h"
#include "compare_page.h"
#include "host_facts.h"
#include "json_text.h"
#include "measure.h"
#include "min_heap.h"
#include "page.h"
#include "paths.h"
#include "probes.h"
#include "report.h"
#include "say.h"
#include "table.h"

namespace garner::tool {
namespace {

struct CompareArgs {
  CollectorArgs collector;
  std::string mode = "garner", limit, json, markdown, html;
  std::vector<std::string> with, also, also_library, files, at;
  int runs = 5, warmups = 1;
  double time_limit_s = 0;
  bool trace_pauses = false, only_min_heap = false;
};

constexpr const char* kWith = "stock"; // where nothing is named

// This collector once more, with other options and with other libraries. Each has its name in the tables by what is other.
void add_also(const CompareArgs& args, const Plan& plan, std::vector<Contender>& contenders) {
  auto add = [&](const std::string& label, const std::string& options, const std::string& library) {
    for (const Contender& earlier : contenders)
      if (label == earlier.name()) throw UsageError(fmt::format("'{}' is given twice", label));
    Plan other = plan;
    other.mode = Mode::garner, other.label = label, other.options = options, other.library = find_library(library).string();
    contenders.push_back({other, {}, ""});
  };
  for (const std::string& list : args.also) {
    check_list(list, "--also");
    CollectorArgs with = args.collector;
    with.options.push_back(list);
    add(list, merge_options(with, std::getenv("GARNER")).text, args.collector.library);
  }
  for (const std::string& library : args.also_library) add(library, plan.options, library);
}

std::vector<Contender> contenders_of(const CompareArgs& args, const std::vector<std::string>& program) {
  std::vector<std::string> names = {args.mode};
  names.insert(names.end(), args.with.begin(), args.with.end());
  if (args.with.empty() && args.also.empty() && args.also_library.empty()) names.push_back(kWith);
  std::vector<Contender> contenders;
  Plan plan;
  plan.program = program;
  plan.options = merge_options(args.collector, std::getenv("GARNER")).text;
  plan.time_limit_s = args.time_limit_s;
  plan.files = args.files;
  plan.trace_pauses = args.trace_pauses;
  plan.must_start = true;
  if (!args.limit.empty()) plan.limit_bytes = parse_size(args.limit, "--limit");
  for (Mode mode : parse_modes(names)) {
    plan.mode = mode;
    plan.library = mode == Mode::garner ? find_library(args.collector.library).string() : "";
    contenders.push_back({plan, {}, ""});
  }
  add_also(args, plan, contenders);
  return contenders;
}

struct Searched { Sample reference; uint64_t bytes = 0; };

// What the program gives on stock workstation non-concurrent, and the least heap in which it gives the same.
Searched search(const CompareArgs& args, const Invocation& invocation, const Progress& progress) {
  Plan plan;
  plan.program = invocation.program;
  plan.files = args.files;
  plan.time_limit_s = args.time_limit_s;
  plan.must_start = true;
  progress.show("compare: reference run");
  Searched found{reference_run(plan)};
  if (Sample again = reference_run(plan); !difference_of(found.reference, again).empty())
    throw std::runtime_error("two runs on the stock collector differ: " + difference_of(found.reference, again) + "; so no heap can be found where it still works");
  found.bytes = search_min_heap(plan, found.reference, progress, "compare");
  say_err("garner: minimum heap {} MB\n", megabytes_text(double(found.bytes)));
  return found;
}

// By what the figures can be had again.
std::vector<std::string> how_made(const CompareArgs& args, const std::vector<Contender>& contenders) {
  std::vector<std::string> runtimes;
  for (NetRuntime& one : runtimes_in(captured({"dotnet", "--list-runtimes"}))) runtimes.push_back(std::move(one.version));
  std::string where = fmt::format("{}; {}", date_text(std::time(nullptr)), machine_text("/"));
  if (!runtimes.empty()) where += fmt::format("; .NET {}", fmt::join(runtimes, ", "));
  where += fmt::format("; garner {}", version());
  std::string how = fmt::format("{} run{} of each after {} that {} not count", args.runs, args.runs == 1 ? "" : "s", args.warmups == 1 ? "one" : std::to_string(args.warmups), args.warmups == 1 ? "does" : "do");
  if (!args.limit.empty()) how += "; limit " + args.limit;
  for (const Contender& contender : contenders) {
    if (contender.plan.mode != Mode::garner) continue;
    std::error_code none;
    const uintmax_t size = std::filesystem::file_size(contender.plan.library, none);
    how += fmt::format("; {}: library {}{}, options {}", contender.name(), contender.plan.library, none ? "" : fmt::format(" ({} bytes)", size), contender.plan.options.empty() ? "none" : contender.plan.options);
  }
  return {std::move(where), std::move(how)};
}

void tell(const CompareArgs& args, const Invocation& invocation, const std::vector<Comparison>& all, uint64_t min_heap) {
  std::string markdown;
  for (const Comparison& one : all) {
    const std::string title = one.at.empty() ? "" : one.at == "unlimited" ? "without a limit" : one.at + " times the minimum heap";
    say_out("{}{}{}", title.empty() ? "" : title + "\n", one.table().text(colours_on(1)), one.remarks());
    if (&one != &all.back()) say_out("\n");
    markdown += (title.empty() ? "" : "## " + title + "\n") + one.table().markdown() + "\n" + one.remarks() + (title.empty() ? "" : "\n");
  }
  if (!args.json.empty()) {
    nlohmann::ordered_json json;
    if (args.at.empty()) json = all[0].json(invocation.program);
    else {
      json = {{"program", invocation.program}};
      if (min_heap != 0) json["min_heap_bytes"] = min_heap;
      for (const Comparison& one : all) json["comparisons"].push_back(one.json(invocation.program));
    }
    write_file(args.json, json_text(json, 2) + "\n");
  }
  if (!args.markdown.empty()) write_file(args.markdown, markdown);
  if (!args.html.empty()) write_file(args.html, draw_comparisons(all, invocation.program, how_made(args, all[0].contenders)));
}

int compare(const CompareArgs& args, const Invocation& invocation) {
  want_places_for(args.json, args.markdown), want_places_for(args.json, args.html), want_places_for(args.markdown, args.html);
  bool searching = args.only_min_heap;
  for (const std::string& at : args.at) searching |= factor_of(at) > 0;
  if (!args.limit.empty() && (args.only_min_heap || !args.at.empty())) throw UsageError("--limit: not with --at or --minheap, which search one");
  const Progress progress;
  const std::vector<Contender> contenders = args.only_min_heap ? std::vector<Contender>() : contenders_of(args, invocation.program);
  const uint64_t least = searching ? search(args, invocation, progress).bytes : 0;
  if (args.only_min_heap) {
    say_out("{}\n", least);
    return 0;
  }
  std::vector<Comparison> all;
  bool good = true;
  for (const std::string& at : args.at.empty() ? std::vector<std::string>{""} : args.at) {
    Comparison one{contenders, {}, at};
    for (Contender& contender : one.contenders) {
      contender.plan.must_start = all.empty(); // else there is something to tell
      if (!at.empty() && factor_of(at) > 0) contender.plan.limit_bytes = uint64_t(factor_of(at) * double(least));
    }
    try {
      run_in_turn(one.contenders, args.warmups, args.runs, progress, at.empty() ? "compare" : "compare at " + at);
    } catch (const Interrupted&) {
      progress.show("");
      one.agreement = agreement_of(one.contenders);
      one.interrupted = true;
      if (one.agreement.known) all.push_back(std::move(one));
      else if (all.empty()) throw;
      else all.back().not_begun = at;
      tell(args, invocation, all, least);
      throw;
    }
    one.agreement = agreement_of(one.contenders);
    good &= one.good();
    all.push_back(std::move(one));
  }
  tell(args, invocation, all, least);
  return good ? 0 : kExitFailed;
}

} // namespace

Command add_compare(CLI::App& root) {
  CLI::App* app = root.add_subcommand("compare", "Run a program on this and on stock collectors in turn, and compare");
  auto args = std::make_shared<CompareArgs>();
  add_collector_args(*app, args->collector);
  app->add_option("--with", args->with, fmt::format("What to compare with, separated by commas: {}. Where nothing else is named: {}", mode_names(", "), kWith))
      ->type_name("MODES")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_option("--also", args->also, "This collector once more, with these options besides; may be given again")->type_name("NAME=VALUE,...")->allow_extra_args(false);
  app->add_option("--also-lib", args->also_library, "This collector once more, from this library, as another build of it; may be given again")->type_name("FILE")->allow_extra_args(false);
  app->add_option("--mode", args->mode, "What is compared with them")->type_name("MODE")->capture_default_str();
  app->add_option("--runs", args->runs, "Runs of each that count")->type_name("N")->check(CLI::Range(1, 1000))->capture_default_str();
  app->add_option("--warmup", args->warmups, "Runs of each before those")->type_name("N")->check(CLI::Range(0, 1000))->capture_default_str();
  app->add_option("--limit", args->limit, "Most memory the managed heap may use, the same for all (DOTNET_GCHeapHardLimit)")->type_name("SIZE");
  app->add_option("--at", args->at, "Limits as multiples of the program's minimum heap, separated by commas, or unlimited; it must give the same result each time")
      ->type_name("LIST")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI::Option* only = app->add_flag("--minheap", args->only_min_heap, "Only find the minimum heap, and print its bytes");
  app->add_option("--timeout", args->time_limit_s, "Seconds after which a run is killed and counts as failed; 0: never")
      ->type_name("S")
      ->check(not_negative())
      ->capture_default_str();
  app->add_option("--compare-files", args->files, "Files that the program writes and that must be equal too, separated by commas")
      ->type_name("FILES")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_flag("--trace-pauses", args->trace_pauses, "Measure pauses from outside, with the runtime's event pipe: for .NET programs that do not tell them");
  app->add_option("--json", args->json, "Write all figures to this file")->type_name("FILE");
  app->add_option("--md", args->markdown, "Write the table to this file, as markdown")->type_name("FILE");
  app->add_option("--html", args->html, "Write a page to this file: the tables, and charts of every run")->type_name("FILE");
  for (const char* means_nothing : {"--option", "--preset", "--workers", "--lib", "--with", "--also", "--also-lib", "--mode", "--runs", "--warmup", "--at", "--trace-pauses", "--json", "--md", "--html"}) only->excludes(app->get_option(means_nothing));
  expects_program(*app);
  app->footer("Figures are medians; from three runs on, ratios have 95 % confidence intervals (bootstrap; of three runs, nearer to 90 %). overhead: the time taken over the least that any mode would\n"
              "take without its pauses. The minimum heap is the smallest DOTNET_GCHeapHardLimit, to 5 %, at which the program gives the same on stock workstation\n"
              "non-concurrent in at most five times its time without a limit and ten seconds.\n"
              "Output is equal when the checksums of the programs' JSON lines are, or, without such a line, when stdout is the same\n"
              "byte by byte. A program that prints a JSON line with \"gc\": {\"pause_total_ms\", \"pause_max_ms\"} has its pauses compared too;\n"
              "--trace-pauses measures those of any .NET program.\n"
              "The program reads nothing from stdin, and helpers that it leaves running are ended with it.\n"
              "The exit code is 1 when a run failed or outputs differ. A signal ends it after the runs until then are told.");
  return {app, [args](const Invocation& invocation) { return compare(*args, invocation); }};
}

} // namespace garner::tool
