// `garner doctor`: the machine, the container, the .NET runtimes, the library and the settings in force, one line each: ok, note or problem.
//
// A problem is what would keep a program from running on the collector; the exit code is 1 then. A note is what one should know. After them, what one would
// set and why (counsel.h): from the machine and the environment, and from a program's log where one is given.
#include <cstdlib>
#include <memory>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

#include "command.h"
#include "counsel.h"
#include "doctor_environment.h"
#include "host/dotnet/known_settings.h"
#include "host_facts.h"
#include "paths.h"
#include "probes.h"
#include "process.h"
#include "say.h"
#include "strict_json.h"
#include "table.h"

namespace garner::tool {
namespace {

constexpr const char* kSupported = "10."; // versions of the runtime that the library accepts begin so

class Report {
 public:
  void ok(const std::string& what, const std::string& text) { line("ok", "32", what, text); }
  void note(const std::string& what, const std::string& text) { line("note", "33", what, text); }
  void set(const std::string& what, const std::string& text) { line("set", "36", what, text); }
  void problem(const std::string& what, const std::string& text) {
    line("problem", "31", what, text);
    problems_++;
  }
  void tell(bool good, const std::string& what, const std::string& text) { good ? ok(what, text) : note(what, text); }
  int problems() const { return problems_; }

 private:
  void line(const char* status, const char* colour, const std::string& what, const std::string& text) const {
    std::string shown = fmt::format("{:<7}", status);
    if (colour_) shown = fmt::format("\x1b[{}m{}\x1b[0m", colour, shown);
    say_out("{}  {}: {}\n", shown, what, text);
  }
  bool colour_ = colours_on(1);
  int problems_ = 0;
};

std::string size_text(uint64_t bytes) { return bytes >= uint64_t(10) << 30 ? fmt::format("{} GB", bytes >> 30) : fmt::format("{} MB", bytes >> 20); }

void check_kernel(Report& report) {
  utsname names = {};
  uname(&names);
  report.ok("kernel", fmt::format("{} {} on {}", names.sysname, names.release, names.machine));
}

void check_cores(Report& report, const CgroupFacts& cgroups) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  int may = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  report.tell(may >= online || may == 0, "cores", fmt::format("{} online, {} allowed by affinity", online, may == 0 ? "unknown" : std::to_string(may)));
  if (cgroups.cpus) report.note("cpu quota", fmt::format("{:.2f} cores ({})", cgroups.cpus->value, cgroups.cpus->file));
  else report.ok("cpu quota", "none");
}

void check_memory(Report& report, const CgroupFacts& cgroups, const fs::path& root) {
  report.ok("memory", fmt::format("{}, {} available", size_text(meminfo_bytes(below(root, "/proc/meminfo"), "MemTotal")),
                                  size_text(meminfo_bytes(below(root, "/proc/meminfo"), "MemAvailable"))));
  if (cgroups.memory)
    report.note("memory limit", fmt::format("{} (cgroup {}, {}): the heap may take {} unless a limit or a smaller GCTotalPhysicalMemory is given, {} % of it", size_text(cgroups.memory->value), cgroups.version, cgroups.memory->file,
                                            size_text(dotnet::limit_in_container(cgroups.memory->value)), dotnet::kContainerShare));
  else report.ok("memory limit", fmt::format("none (cgroup {})", cgroups.version));
  if (cgroups.memory_high)
    report.note("memory.high",
                fmt::format("{} ({}): the system slows the program down above it", size_text(cgroups.memory_high->value), cgroups.memory_high->file));
}

void check_nodes(Report& report, const fs::path& root) {
  std::vector<NodeFacts> nodes = read_nodes(root);
  if (nodes.empty()) return report.note("nodes", "unknown: no /sys/devices/system/node; one is assumed");
  std::string all;
  uint64_t sum = 0;
  for (const NodeFacts& node : nodes) {
    sum += node.memory_bytes;
    all += fmt::format("{}node {} {} {}", all.empty() ? "" : ", ", node.id, node.cpus.empty() ? "without cores" : "cores " + node.cpus,
                       size_text(node.memory_bytes));
  }
  const uint64_t whole = meminfo_bytes(below(root, "/proc/meminfo"), "MemTotal");
  if (sum > whole - whole / 8) return report.ok("nodes", fmt::format("{}: {}", nodes.size(), all));
  report.note("nodes", fmt::format("{}: {}; /proc/meminfo has {}: of memory that comes and goes, as in some virtual machines, /sys tells only what is there", nodes.size(), all, size_text(whole)));
}

void check_pages(Report& report, const fs::path& root) {
  std::string huge = chosen_word(first_line(below(root, "/sys/kernel/mm/transparent_hugepage/enabled")));
  report.tell(!huge.empty() && huge != "never", "huge pages", huge.empty() ? "unknown" : huge == "never" ? "never: heap.huge_pages has no effect" : huge + ": the heap takes some where heap.huge_pages says so (auto, on)");
  std::string overcommit = first_line(below(root, "/proc/sys/vm/overcommit_memory"));
  report.tell(overcommit != "2", "overcommit",
              overcommit == "2" ? "2 (strict): address space that is only reserved may be refused; heap.reserve makes it smaller" : overcommit);
  std::string maps = first_line(below(root, "/proc/sys/vm/max_map_count"));
  report.tell(std::atol(maps.c_str()) >= 65530, "max_map_count", maps.empty() ? "unknown" : maps);
  rlimit limit = {};
  getrlimit(RLIMIT_AS, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) report.ok("address space", "unlimited");
  else report.note("address space", fmt::format("limited to {} (ulimit -v): the heap reserves less", size_text(limit.rlim_cur)));
}

void check_calls(Report& report) {
  for (auto [name, answer, without] : {std::tuple("mbind", try_mbind(), "memory cannot be placed on nodes"),
                                       std::tuple("move_pages", try_move_pages(), "the node of a page cannot be asked for"),
                                       std::tuple("membarrier", try_membarrier(), "stopping threads costs more")})
    report.tell(answer.good, name, answer.good ? answer.text : fmt::format("{}: {}", answer.text, without));
}

// The `dotnet` command: of DOTNET_ROOT, else whatever PATH has.
std::string dotnet_command() {
  const char* root = std::getenv("DOTNET_ROOT");
  std::error_code error;
  if (root != nullptr && *root != 0 && fs::exists(fs::path(root) / "dotnet", error)) return fs::path(root) / "dotnet";
  return "dotnet";
}

// The directories of those that are supported.
std::vector<fs::path> check_runtimes(Report& report) {
  std::vector<fs::path> supported;
  Program list;
  list.arguments = {dotnet_command(), "--list-runtimes"};
  list.streams = Streams::capture;
  list.time_limit_s = 60;
  Finished end = run_program(list);
  if (!end.good()) {
    report.problem(".NET", fmt::format("'{}' {}; a .NET 10 runtime is needed", list.arguments[0], end.trouble()));
    return supported;
  }
  for (const auto& [version, place] : runtimes_in(end.output)) {
    bool fits = version.rfind(kSupported, 0) == 0;
    if (const size_t open = place.find('['), shut = place.rfind(']'); fits && open != std::string::npos && shut > open) supported.push_back(fs::path(place.substr(open + 1, shut - open - 1)) / version);
    report.tell(fits, ".NET", fmt::format("{}{}: {}", version, place, fits ? "supported" : "not supported, programs on it must stay on the stock collector"));
  }
  if (supported.empty()) report.problem(".NET", "no supported runtime found; a .NET 10 runtime is needed");
  return supported;
}

void check_library(Report& report, const std::string& given) {
  std::string path;
  try {
    path = find_library(given).string();
  } catch (const UsageError& error) {
    return report.problem("library", error.what());
  }
  Answer answer = try_library(path);
  if (answer.good) report.ok("library", fmt::format("{} {}", path, answer.text));
  else report.problem("library", fmt::format("{}: {}", path, answer.text));
}

void check_environment(Report& report, const std::vector<fs::path>& runtimes, const fs::path& root) {
  const Surroundings around = {runtimes, meminfo_bytes(below(root, "/proc/meminfo"), "HugePages_Free") / 1024 * (2 << 20)}; // a number of pages
  for (const Finding& one : findings_of(own_variables(), around)) {
    if (one.severity == Severity::problem) report.problem(one.what, one.text);
    else report.tell(one.severity == Severity::ok, one.what, one.text);
  }
}

void counsel(Report& report, const CgroupFacts& cgroups, const fs::path& root, const std::string& log, const LogData& data) {
  const char* options = std::getenv("GARNER");
  std::vector<Counsel> all = counsel_of(cgroups, chosen_word(first_line(below(root, "/sys/kernel/mm/transparent_hugepage/enabled"))), options == nullptr ? "" : options);
  if (!log.empty()) {
    report.ok(printable(log), sum_text(data));
    if (const std::string damage = damage_of(data); !damage.empty()) report.note(printable(log), damage);
    std::vector<Counsel> of_log = counsel_of(data);
    all.insert(all.begin(), of_log.begin(), of_log.end());
  }
  for (const Counsel& one : all) report.set(one.what, one.text);
  if (all.empty()) report.ok("to set", log.empty() ? "nothing; --log FILE looks at what a program does" : "nothing: no figure stands out");
}

int doctor(const std::string& library, const std::string& log) {
  const LogData data = log.empty() ? LogData{} : read_log(log, Keep::all, {}, Without::taken); // before anything is printed: it may be refused
  Report report;
  const fs::path root = "/";
  CgroupFacts cgroups = read_cgroups(root);
  check_kernel(report);
  check_cores(report, cgroups);
  check_memory(report, cgroups, root);
  check_nodes(report, root);
  check_pages(report, root);
  check_calls(report);
  const std::vector<fs::path> runtimes = check_runtimes(report);
  check_library(report, library);
  check_environment(report, runtimes, root);
  counsel(report, cgroups, root, log, data);
  return report.problems() > 0 ? kExitFailed : 0;
}

} // namespace

Command add_doctor(CLI::App& root) {
  CLI::App* app = root.add_subcommand("doctor", "Look at the machine, the .NET runtimes, the library and the settings in force, and say what to set and why");
  struct Wanted { std::string library, log; };
  auto wanted = std::make_shared<Wanted>();
  app->add_option("--lib", wanted->library, "The collector's library, if not the one beside this program")->type_name("PATH");
  app->add_option("--log", wanted->log, "A program's log, written by 'garner run --log' or with log=FILE,log_format=json: says what to set for it")->type_name("FILE");
  app->footer("Each line is ok, note, problem, or set: what one would set, and why; GARNER= and DOTNET_ settings stand in the environment of the program. The exit code is 1 when a problem would keep programs from running on the collector.");
  return {app, [wanted](const Invocation&) { return doctor(wanted->library, wanted->log); }};
}

} // namespace garner::tool
