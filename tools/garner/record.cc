// `garner record`: a .NET program on the collector, which saves the heap before some collections as graphs (docs/recordings.md).
//
// The collector in the program's process writes the files, each in one step; here they are asked for, waited for, read back and told. The exit code is
// the program's, or 1 when that is 0 and nothing was recorded; a part of what was asked for is enough, and a line says what is missing.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "collector_args.h"
#include "command.h"
#include "errors.h"
#include "heap_file.h"
#include "live_process.h"
#include "log_reader.h"
#include "modes.h"
#include "paths.h"
#include "process.h"
#include "say.h"

namespace garner::tool {
namespace {

constexpr const char* kEnding = ".garner-heap";

struct RecordArgs {
  CollectorArgs collector;
  std::string output, at, most, limit;
  int time_ms = 0;
  bool largest = false;
};

// "app.garner-heap" after the last argument that is a program: of "dotnet exec app.dll x" it is app.
fs::path default_output(const std::vector<std::string>& program) {
  std::string name = fs::path(program[0]).filename();
  for (const std::string& argument : program)
    if (fs::path(argument).extension() == ".dll") {
      name = fs::path(argument).stem();
      break;
    }
  return name + kEnding;
}

std::vector<uint64_t> parse_at(const std::string& text) {
  std::vector<uint64_t> numbers;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    if (part.empty() || part.size() > 17 || part.find_first_not_of("0123456789") != std::string::npos || std::stoull(part) == 0)
      throw UsageError(fmt::format("--at '{}': expected numbers of collections, from 1, like 3,7", text));
    if (const uint64_t number = std::stoull(part); std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
    at = end + 1;
  }
  if (numbers.size() > 64) throw UsageError("--at takes 64 numbers at most");
  return numbers;
}

void check_output(const fs::path& path) {
  std::error_code error;
  const fs::path directory = path.parent_path();
  if (!fs::is_directory(directory, error)) throw UsageError(fmt::format("--output '{}': the directory '{}' does not exist", path.string(), directory.string()));
  const auto type = fs::status(path, error).type();
  if (type != fs::file_type::regular && type != fs::file_type::not_found) throw UsageError(fmt::format("--output '{}' is no file", path.string()));
  if (access(directory.c_str(), W_OK | X_OK) != 0) throw UsageError(fmt::format("--output '{}' cannot be written: {}", path.string(), std::strerror(errno)));
}

// What tells one version of a file from another.
struct Version {
  ino_t inode = 0;
  timespec time{};
  bool operator==(const Version& other) const { return inode == other.inode && time.tv_sec == other.time.tv_sec && time.tv_nsec == other.time.tv_nsec; }
};
Version version_of(const fs::path& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return {};
  return {status.st_ino, status.st_mtim};
}

// Recordings of these files that nobody has finished yet, and by whom they are written: FILE.PID.part.
std::map<fs::path, int64_t> parts_of(const std::vector<fs::path>& files) {
  std::map<fs::path, int64_t> parts;
  std::error_code error;
  for (fs::directory_iterator it(files[0].parent_path(), error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".part") continue;
    const fs::path named = it->path().stem(); // FILE.PID
    const std::string pid = named.extension().string();
    if (pid.size() < 2 || pid.size() > 11 || pid.find_first_not_of("0123456789", 1) != std::string::npos) continue;
    if (std::find(files.begin(), files.end(), it->path().parent_path() / named.stem()) != files.end()) parts[it->path()] = std::stoll(pid.substr(1));
  }
  return parts;
}

struct Plan {
  std::vector<fs::path> files;      // that may be written
  std::vector<uint64_t> at;         // which collection each is of; empty: the heap with the most alive in it
  std::map<fs::path, Version> before;
  std::map<fs::path, int64_t> parts; // left behind by somebody else
  std::string options;
};

Plan make_plan(const RecordArgs& args, const Invocation& invocation, const fs::path& log) {
  Plan plan;
  if (args.largest && !args.at.empty()) throw UsageError("--largest and --at exclude each other");
  const fs::path output = fs::absolute(args.output.empty() ? default_output(invocation.program) : fs::path(args.output)).lexically_normal();
  check_output(output);
  if (!args.at.empty()) plan.at = parse_at(args.at);
  std::string numbers;
  for (uint64_t n : plan.at) {
    numbers += fmt::format("{}{}", numbers.empty() ? "" : "+", n);
    if (plan.at.size() == 1) continue;
    const bool ends = output.extension() == kEnding;
    plan.files.push_back(fmt::format("{}.{}{}", (ends ? fs::path(output).replace_extension() : output).string(), n, ends ? kEnding : ""));
  }
  if (plan.files.empty()) plan.files.push_back(output);
  for (const fs::path& file : plan.files) plan.before[file] = version_of(file);
  plan.parts = parts_of(plan.files);
  CollectorArgs collector = args.collector;
  if (output.string().find(',') != std::string::npos) throw UsageError(fmt::format("the path '{}' cannot stand in an option list (a comma)", output.string()));
  collector.options.push_back("record.file=" + output.string());
  collector.options.push_back("record.at=" + (numbers.empty() ? "largest" : numbers));
  if (!args.most.empty()) {
    collector.options.push_back("record.most=" + args.most);
    check_list(collector.options.back(), "--max-bytes");
  }
  if (args.time_ms != 0) collector.options.push_back(fmt::format("record.time={}", args.time_ms));
  plan.options = with_log(merge_options(collector, std::getenv("GARNER")).text, log.string());
  return plan;
}

// What the program was killed in the middle of. Where another process was killed with it, its end may take a moment; one that goes on (the program's child) will finish what it writes.
void remove_parts(const Plan& plan) {
  for (const auto& [part, pid] : parts_of(plan.files)) {
    if (plan.parts.count(part) != 0) continue;
    for (int tries = 0; tries < 100 && lives(pid); tries++) usleep(20'000);
    std::error_code error;
    if (lives(pid) || !fs::remove(part, error)) continue; // or it has been finished meanwhile
    say_err("garner: a recording was cut off by the program's end; {} is removed\n", part.filename().string());
  }
}

// How many files are new, each said in a line; what is wrong with one is said too. `missing`: the collections that were asked for and are in none.
int tell_files(const Plan& plan, std::vector<uint64_t>& missing) {
  int fresh = 0;
  for (usize i = 0; i < plan.files.size(); i++) {
    const fs::path& file = plan.files[i];
    if (i < plan.at.size()) missing.push_back(plan.at[i]);
    if (version_of(file) == plan.before.at(file)) continue;
    record::Recording recording;
    try {
      read_heap(file, recording);
      fresh++;
      if (i < plan.at.size()) missing.pop_back();
      say_err("garner: {}: {}, {} bytes\n", file.string(), heap_line(recording), fs::file_size(file));
    } catch (const UsageError& error) {
      say_err("garner: {}\n", error.what());
    }
  }
  return fresh;
}

void tell_none(const LogReader& log, const RecordArgs& args, const Finished& end) {
  std::string why = "no collection was recorded, see above";
  if (!log.loaded()) why = "the program never loaded the collector";
  else if (log.collections() == 0) why = end.signal != 0 ? "the program ended before its first collection" : "the program had no collection";
  else if (!args.at.empty()) why = fmt::format("the program had {} collection{}, and none of those asked for was recorded", log.collections(), log.collections() == 1 ? "" : "s");
  say_err("garner: nothing was recorded: {}\n", why);
}

void tell_missing(const LogReader& log, const std::vector<uint64_t>& missing) {
  std::string never, failed;
  for (uint64_t n : missing) {
    std::string& list = n > log.collections() ? never : failed;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", n);
  }
  if (!never.empty()) never += fmt::format(" never came, as the program had {} collection{}", log.collections(), log.collections() == 1 ? "" : "s");
  if (!failed.empty()) failed += " came and is not recorded, see above";
  say_err("garner: of the collections asked for {}{}{}\n", never, never.empty() || failed.empty() ? "" : "; ", failed);
}

int record(const RecordArgs& args, const Invocation& invocation) {
  TempDirectory temporary;
  const fs::path log = temporary.path() / "log";
  const Plan plan = make_plan(args, invocation, log);
  std::optional<uint64_t> limit;
  if (!args.limit.empty()) limit = parse_size(args.limit, "--limit");
  Program program;
  program.arguments = invocation.program;
  program.environment = environment_for(Mode::garner, find_library(args.collector.library).string(), plan.options, limit);
  program.group = Group::shared;
  LogReader reader(log, 0, true);
  program.each_second = [&reader] { reader.more(); };
  const Finished end = run_program(program);
  want_started(end, invocation.program[0]);
  reader.more();
  if (end.signal != 0) say_err("garner: the program was {}\n", end.trouble());
  remove_parts(plan);
  std::vector<uint64_t> missing;
  const int fresh = tell_files(plan, missing);
  if (fresh == 0) tell_none(reader, args, end);
  else if (!missing.empty()) tell_missing(reader, missing);
  return end.exit_code == 0 && fresh == 0 ? kExitFailed : end.exit_code;
}

} // namespace

Command add_record(CLI::App& root) {
  CLI::App* app = root.add_subcommand("record", "Run a .NET program and save its heap, before some collections, as a graph without contents");
  auto args = std::make_shared<RecordArgs>();
  app->add_option("-o,--output", args->output, "The file; if not given, the program's name with .garner-heap. Of several collections each has its number before the ending")->type_name("FILE");
  app->add_option("--at", args->at, "The numbers of the collections to record, from 1")->type_name("N,M");
  app->add_flag("--largest", args->largest, "Record the heap with the most alive in it: looked at when the heap has grown by an eighth, and now and then otherwise (so without --at)");
  app->add_option("--max-bytes", args->most, "Most bytes of a file; of a larger heap whole sub-graphs are left out (64m)")->type_name("SIZE");
  app->add_option("--max-ms", args->time_ms, "Longest time the program stands for one recording (10000)")->type_name("MS")->check(CLI::Range(1, 600000));
  app->add_option("--limit", args->limit, "Most memory the managed heap may use (DOTNET_GCHeapHardLimit)")->type_name("SIZE");
  add_collector_args(*app, args->collector, "--option");
  expects_program(*app);
  app->footer("The exit code is the program's, or 1 when that is 0 and nothing was recorded; where some of the collections of --at were, a line names the others.\n"
              "The program stands while its heap is recorded; that time is part of the collection's pause.");
  return {app, [args](const Invocation& invocation) { return record(*args, invocation); }};
}

} // namespace garner::tool
