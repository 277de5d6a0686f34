#include "bench_setup.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "errors.h"
#include "host_facts.h"
#include "paths.h"
#include "say.h"
#include "strict_json.h"
#include "table.h"

namespace garner::tool {
namespace {

// Numbers of a version, for comparing: "10.0.401" is newer than "10.0.99".
std::vector<int> numbers_of(const std::string& version) {
  std::vector<int> all;
  std::istringstream in(version);
  for (std::string part; std::getline(in, part, '.');) all.push_back(std::atoi(part.c_str()));
  return all;
}

// Directory of the newest SDK of .NET 10.0, from lines "10.0.401 [DIRECTORY]".
std::string newest_sdk(const std::string& list, std::string& version) {
  std::string directory;
  std::istringstream in(list);
  for (std::string line; std::getline(in, line);) {
    size_t open = line.find(" ["), close = line.rfind(']');
    if (open == std::string::npos || close == std::string::npos) continue;
    std::string found = line.substr(0, open);
    if (found.rfind("10.0.", 0) != 0 || (!version.empty() && numbers_of(found) < numbers_of(version))) continue;
    version = found;
    directory = line.substr(open + 2, close - open - 2) + "/" + found;
  }
  return directory;
}

// Changes when any of the built program's files does. Builds are deterministic, so building the same source again changes nothing.
std::string program_digest(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error))
    if (entry.path().extension() == ".dll") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) all += fmt::format("{}: {}; ", file.filename().string(), file_digest(file));
  return all;
}

// One build at a time below build/: commands beside each other, and scripts (scripts/setup.sh), may want the same project. Without a file to lock it goes on.
class BuildLock {
 public:
  explicit BuildLock(const fs::path& path) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    while (fd_ >= 0 && flock(fd_, LOCK_EX) != 0 && errno == EINTR) {}
  }
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;
  ~BuildLock() {
    if (fd_ >= 0) close(fd_);
  }

 private:
  int fd_;
};

} // namespace

std::vector<Workload> load_workloads(const fs::path& directory, const std::vector<std::string>& names) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory))
    if (entry.path().extension() == ".bench") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Workload> all;
  std::set<std::string> wanted(names.begin(), names.end());
  for (const fs::path& file : files) {
    std::string text, name = file.stem().string();
    if (!names.empty() && wanted.erase(name) == 0) continue;
    if (!read_file(file, text)) throw UsageError(fmt::format("cannot read '{}'", file.string()));
    all.push_back(parse_bench_file(text, file.filename().string()));
    if (all.back().name != name) throw UsageError(fmt::format("{}: the name in it is '{}'", file.filename().string(), all.back().name));
  }
  std::string known;
  for (const fs::path& file : files) known += (known.empty() ? "" : ", ") + file.stem().string();
  if (!wanted.empty()) throw UsageError(fmt::format("no workload '{}' in {}: {}", *wanted.begin(), directory.string(), known));
  if (all.empty()) throw UsageError(fmt::format("no .bench files in {}", directory.string()));
  return all;
}

BenchSetup::BenchSetup(fs::path directory, std::string size)
    : directory_(std::move(directory)), output_((directory_ / "../../build/bench/dotnet").lexically_normal()), size_(std::move(size)) {
  sdk_ = newest_sdk(captured({"dotnet", "--list-sdks"}), sdk_version_);
}

std::string BenchSetup::key_of(const Workload& workload) const {
  auto parameters = workload.parameters.find(size_);
  std::string key =
      fmt::format("{} | {} | {} | {}", workload.name, workload.command, parameters == workload.parameters.end() ? "" : parameters->second, machine());
  if (!workload.project.empty()) key += " | " + program_digest(output_ / workload.project);
  if (workload.result == ResultKind::files) key += " | " + work_of(workload).string(); // compilers write paths into their output
  return key;
}

std::string BenchSetup::machine() const {
  return fmt::format("{}, SDK {}", machine_text("/"), sdk_version_);
}

Baseline BenchSetup::baseline_of(const Workload& workload, const Plan& plan, BaselineFile& kept, bool searching, bool anew, const Progress& progress) const {
  std::string key = key_of(workload);
  std::optional<Baseline> known = anew ? std::nullopt : kept.find(key);
  Baseline baseline = known.value_or(Baseline{});
  if (!known) {
    progress.show(workload.name + ": reference run");
    baseline.reference = reference_run(plan);
    kept.keep(key, baseline);
  }
  if (searching && baseline.min_heap_bytes == 0) {
    const auto before = workload.least_mb.find(size_);
    baseline.min_heap_bytes = search_min_heap(plan, baseline.reference, progress, workload.name, before == workload.least_mb.end() ? 0 : uint64_t(before->second * (1 << 20)));
    kept.keep(key, baseline);
    say_err("garner: {}: minimum heap {} MB\n", workload.name, megabytes_text(double(baseline.min_heap_bytes)));
  }
  return baseline;
}

fs::path BenchSetup::work_of(const Workload& workload) const { return output_ / "work" / (workload.name + "-" + size_); }

std::map<std::string, std::string> BenchSetup::names_for(const Workload& workload, const fs::path& work) const {
  auto parameters = workload.parameters.find(size_);
  if (parameters == workload.parameters.end()) throw UsageError(fmt::format("{} has no size '{}'", workload.name, size_));
  return {{"bin", output_.string()}, {"work", work.string()}, {"sdk", sdk_}, {"parameters", parameters->second}};
}

void BenchSetup::step(const std::vector<std::string>& command, const fs::path& directory) const {
  Program program;
  program.arguments = command;
  program.directory = directory.string();
  program.streams = Streams::capture;
  program.environment = no_collector_settings();
  program.environment["DOTNET_CLI_TELEMETRY_OPTOUT"] = "1";
  program.environment["DOTNET_NOLOGO"] = "1";
  Finished end = run_program(program);
  if (end.good()) return;
  std::string said = end.errors.empty() ? end.output : end.errors;
  size_t from = said.size() - std::min<size_t>(said.size(), 600);
  while (from < said.size() && !begins_character(said[from])) from++;
  throw std::runtime_error(fmt::format("'{}' {}: {}", fmt::join(command, " "), end.trouble(), said.substr(from)));
}

void BenchSetup::build(const std::string& project, const Progress& progress) {
  if (project.empty() || !built_.insert(project).second) return;
  progress.show(fmt::format("building {}", project));
  const BuildLock lock(output_ / "../../dotnet-build.lock");
  step({"dotnet", "build", (directory_ / project).string(), "-nologo", "-v:quiet", "-tl:off", "-nodeReuse:false", "-p:UseSharedCompilation=false"}, directory_);
}

void BenchSetup::prepare(const Workload& workload, const fs::path& work, const Progress& progress) {
  std::map<std::string, std::string> names = names_for(workload, work);
  std::string stamp = fmt::format("{}\n{}\n{}\n", names["parameters"], sdk_, work.string());
  for (const std::string& line : workload.prepare) stamp += line + "\n";
  if (!workload.project.empty() && !workload.prepare.empty()) stamp += program_digest(output_ / workload.project) + "\n";
  std::string before;
  fs::path stamp_file = work / ".prepared";
  if (read_file(stamp_file, before) && before == stamp) return;
  std::error_code error;
  fs::remove_all(work, error);
  fs::create_directories(work);
  for (const std::string& line : workload.prepare) {
    progress.show(fmt::format("{}: preparing", workload.name));
    step(expand(line, names), work);
  }
  write_file(stamp_file, stamp);
}

Plan BenchSetup::ready(const Workload& workload, const Progress& progress) {
  fs::path work = work_of(workload);
  std::map<std::string, std::string> names = names_for(workload, work);
  if (sdk_.empty() && workload.command.find("dotnet") != std::string::npos) throw UsageError("no SDK of .NET 10.0 found: 'dotnet --list-sdks' lists none");
  build(workload.project, progress);
  prepare(workload, work, progress);
  Plan plan;
  plan.environment = no_collector_settings(); // what the caller's shell sets for one mode or another is no part of what is compared
  plan.program = expand(workload.command, names);
  plan.directory = work.string();
  plan.compare_stdout = false;
  plan.trace_pauses = workload.result == ResultKind::files; // such workloads do not tell theirs
  plan.keys = workload.result == ResultKind::json ? workload.compare : std::vector<std::string>{};
  if (workload.result == ResultKind::files) plan.files = workload.compare;
  plan.own = true;
  plan.remove_files = true; // below the working directory, which is ours
  return plan;
}

} // namespace garner::tool
