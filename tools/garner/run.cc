// `garner run`: a program on the collector, as if started without us, and a summary on stderr when it has ended.
//
// The exit code is the program's (128+n when signal n ended it); 127 and 126 as shells use them where it cannot be started.
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "collector_args.h"
#include "command.h"
#include "errors.h"
#include "json_text.h"
#include "log_reader.h"
#include "modes.h"
#include "options/parse.h"
#include "paths.h"
#include "process.h"
#include "say.h"
#include "stats.h"
#include "table.h"

namespace garner::tool {
namespace {

using Json = nlohmann::ordered_json;

struct RunArgs {
  CollectorArgs collector;
  std::string mode = "garner", log, limit;
  bool json = false;
};

// Where the collector logs in this run, and who reads it.
struct LogUse {
  std::optional<TempDirectory> temporary;
  std::optional<LogReader> reader;
  std::string options;   // the value for GARNER
  std::string why_none;  // why there is no reader
  std::string run;       // by which records are known in a log that others may write to
};

// A log goes to a regular file, new or old: the collector would write to a device or a FIFO too, but nothing could be read back from it.
void check_log(const fs::path& path) {
  auto refuse = [&](const char* what) { throw UsageError(fmt::format("--log needs a file; '{}' is {}", path.string(), what)); };
  std::error_code error;
  fs::file_type type = fs::status(path, error).type();
  switch (type) {
    case fs::file_type::regular: break;
    case fs::file_type::directory: refuse("a directory"); break;
    case fs::file_type::fifo: refuse("a FIFO"); break;
    case fs::file_type::socket: refuse("a socket"); break;
    case fs::file_type::block:
    case fs::file_type::character: refuse("a device"); break;
    case fs::file_type::not_found: {
      fs::path directory = path.parent_path();
      if (fs::is_directory(directory, error)) break;
      if (fs::exists(directory, error)) refuse("in no directory");
      throw UsageError(fmt::format("--log '{}': the directory '{}' does not exist", path.string(), directory.string()));
    }
    default:
      throw UsageError(fmt::format("--log '{}' cannot be used{}", path.string(), type == fs::file_type::none ? ": " + error.message() : ""));
  }
  bool there = fs::exists(path, error);
  if (access(there ? path.c_str() : path.parent_path().c_str(), there ? W_OK : W_OK | X_OK) != 0)
    throw UsageError(fmt::format("--log '{}' cannot be written: {}", path.string(), std::strerror(errno)));
}

// What would be ignored is refused.
void want_meaning(const RunArgs& args, Mode mode) {
  const CollectorArgs& own = args.collector;
  if (mode != Mode::garner && !args.log.empty()) throw UsageError(fmt::format("--log: {} writes no log; only this collector does", name_of(mode)));
  if (mode != Mode::garner && (!own.options.empty() || !own.preset.empty() || own.workers >= 0 || !own.library.empty()))
    throw UsageError(fmt::format("--option, --preset, --workers and --lib are of this collector; {} has none of them", name_of(mode)));
  if (args.log.empty()) return;
  for (const std::string& option : own.options)
    if (Settings settings; settings.parse(option.c_str()) && settings.given(Opt::log)) throw UsageError(fmt::format("--log {} and the option {}: the log goes to one file", args.log, option));
}

void read_from_end(LogUse& use, const fs::path& path) {
  std::error_code error;
  uint64_t size = fs::file_size(path, error);
  use.reader.emplace(path, error ? 0 : size, false);
  use.run = fmt::format("{}-{}", getpid(), std::chrono::system_clock::now().time_since_epoch().count());
  use.reader->only(use.run);
}

// What nobody asked to keep must not keep the program from running either.
void read_temporary(LogUse& use) {
  try {
    fs::path path = use.temporary.emplace().path() / "log";
    use.options = with_log(use.options, path.string());
    use.reader.emplace(path, 0, true);
  } catch (const UsageError&) {
    throw; // of the options
  } catch (const std::runtime_error& error) {
    use.why_none = fmt::format("{}, so there are no figures of collections here", error.what());
  }
}

void plan_log(const RunArgs& args, LogUse& use) {
  CollectorOptions merged = merge_options(args.collector, std::getenv("GARNER"));
  use.options = merged.text;
  if (!args.log.empty()) {
    fs::path path = fs::absolute(args.log);
    use.options = with_log(merged.text, path.string());
    check_log(path);
    read_from_end(use, path);
  } else if (!merged.names_log || merged.log == "off") {
    read_temporary(use);
  } else if (merged.json && merged.log != "stderr") {
    fs::path path = fs::absolute(merged.log);
    std::error_code error;
    if (!fs::exists(path, error) || fs::is_regular_file(path, error))
      read_from_end(use, path);
    else
      use.why_none = fmt::format("the log goes to {}, which is no file, so there are no figures of collections here", merged.log);
  } else {
    use.why_none = fmt::format("the log goes to {} as the options say, so there are no figures of collections here", merged.log);
  }
}

// Reading what is there must not cost the program its exit code: a log that cannot be read (no memory) is given up, and the summary says so.
void read_more(LogUse& use) {
  try {
    if (use.reader) use.reader->more();
  } catch (const std::exception& error) {
    use.reader.reset();
    use.why_none = fmt::format("the log could not be read ({}), so there are no figures of collections here", error.what());
  }
}

struct Pauses {
  double p50, p99, longest, total;
};
Pauses pauses_of(const LogReader& log) {
  const std::vector<double>& ms = log.pauses_ms();
  return {percentile(ms, 50), percentile(ms, 99), maximum(ms), sum(ms)};
}

void tell_collections(const LogReader& log, double wall_s) {
  if (!log.loaded()) {
    say_err("garner: the program never loaded the collector\n");
    return;
  }
  std::string kinds;
  for (const auto& [kind, count] : log.kinds()) kinds += fmt::format("{}{} {}", kinds.empty() ? " (" : ", ", count, kind);
  if (!kinds.empty()) kinds += ")";
  std::string line = count_text(log.collections(), "collection", "collections") + kinds;
  if (log.heaps().size() > 1) line += fmt::format(" in {} processes", log.heaps().size());
  if (log.collections() > 0) {
    Pauses p = pauses_of(log);
    line += fmt::format(", pauses p50 {} ms, p99 {} ms, longest {} ms, {} ms in all", milliseconds_text(p.p50), milliseconds_text(p.p99), milliseconds_text(p.longest), milliseconds_text(p.total));
    if (log.heaps().size() <= 1) line += fmt::format(": {:.1f} % of {} s", wall_s > 0 ? p.total / 10 / wall_s : 0, seconds_text(wall_s)); // several may pause at once
  }
  if (log.out_of_memory() > 0) line += fmt::format(", out of memory {}", count_text(log.out_of_memory(), "time", "times"));
  if (log.lost_records() + log.bad_lines() > 0) line += fmt::format(", {} lost or cut: the figures are not complete", count_text(log.lost_records() + log.bad_lines(), "record", "records"));
  say_err("garner: {}\n", line);
}

void tell_process(const Finished& end, const LogReader* log) {
  std::string heap =
      log != nullptr && log->collections() > 0 ? fmt::format(", heap{} {} MB after the last collection", log->heaps().size() > 1 ? "s of all processes" : "", megabytes_text(double(log->heap_after()))) : "";
  std::string trouble = end.signal != 0 ? ", " + end.trouble() : "";
  say_err("garner: {} s, CPU {} s ({} user, {} system), peak memory {}{} MB{}{}\n", seconds_text(end.wall_s), seconds_text(end.cpu_s()), seconds_text(end.user_s),
             seconds_text(end.system_s), end.peak_is_ours() ? "at most " : "", megabytes_text(double(end.peak_bytes)), heap, trouble);
}

Json json_of(Mode mode, const Invocation& invocation, const Finished& end, const LogReader* log) {
  Json all = {{"program", invocation.program}, {"mode", name_of(mode)}, {"exit_code", end.exit_code}, {"signal", end.signal}, {"wall_s", end.wall_s},
              {"user_s", end.user_s}, {"system_s", end.system_s}, {"peak_bytes", end.peak_bytes}};
  if (log == nullptr) return all;
  Pauses p = pauses_of(*log);
  all["loaded"] = log->loaded();
  all["processes"] = log->heaps().size();
  all["collections"] = log->collections();
  all["collections_by_kind"] = log->kinds();
  all["pause_ms"] = {{"p50", p.p50}, {"p99", p.p99}, {"max", p.longest}, {"total", p.total}};
  if (log->heaps().size() <= 1) all["pause_share"] = end.wall_s > 0 ? p.total / 1000 / end.wall_s : 0; // several may pause at once
  all["heap_after_bytes"] = log->heap_after();
  all["out_of_memory"] = log->out_of_memory();
  all["records_lost"] = log->lost_records() + log->bad_lines();
  return all;
}

int run(const RunArgs& args, const Invocation& invocation) {
  Mode mode = parse_mode(args.mode);
  std::optional<uint64_t> limit;
  if (!args.limit.empty()) limit = parse_size(args.limit, "--limit");
  want_meaning(args, mode);
  LogUse use;
  std::string library;
  if (mode == Mode::garner) {
    library = find_library(args.collector.library).string();
    plan_log(args, use);
  }
  Program program;
  program.arguments = invocation.program;
  program.environment = environment_for(mode, library, use.options, limit);
  if (!use.run.empty()) program.environment["GARNER_RUN"] = use.run;
  program.group = Group::shared;
  if (use.reader) program.each_second = [&use] { read_more(use); };
  Finished end = run_program(program);
  want_started(end, invocation.program[0]);
  read_more(use);

  const LogReader* log = use.reader ? &*use.reader : nullptr;
  if (args.json) {
    say_err("{}\n", json_text(json_of(mode, invocation, end, log)));
    return end.exit_code;
  }
  if (log != nullptr) tell_collections(*log, end.wall_s);
  if (!use.why_none.empty()) say_err("garner: {}\n", use.why_none);
  tell_process(end, log);
  return end.exit_code;
}

} // namespace

Command add_run(CLI::App& root) {
  CLI::App* app = root.add_subcommand("run", "Run a program on the collector and sum up what happened, on stderr");
  auto args = std::make_shared<RunArgs>();
  add_collector_args(*app, args->collector);
  app->add_option("--mode", args->mode, "The collector to run on: " + mode_names(", "))->type_name("MODE")->capture_default_str();
  app->add_option("--limit", args->limit, "Most memory the managed heap may use (DOTNET_GCHeapHardLimit)")->type_name("SIZE");
  app->add_option("--log,--record-log", args->log, "Append the collector's records to this file, as JSON lines; with log_detail=plain, unless an option says otherwise")->type_name("FILE");
  app->add_flag("--json", args->json, "Print the summary as one JSON object, on stderr");
  expects_program(*app);
  app->footer("The exit code is the program's, 128+n when signal n ended it, 127 when it was not found.\n"
              "Options in the environment variable GARNER are in force too; those given here win.");
  return {app, [args](const Invocation& invocation) { return run(*args, invocation); }};
}

} // namespace garner::tool
