// `garner reproduce`: chooses experiments, simulates what they need once, as many runs at a time as there are processors, and writes the report.
//
// What has been simulated is kept in runs.jsonl beside the report; --resume takes from there what the same program has written, and refuses no
// broken line: what cannot be read is simulated again.
// A run is a process of its own (fork): a check that fails in the collector ends one run and not the report. Its result comes back through a pipe.
#include "reproduce.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <memory>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "command.h"
#include "paths.h"
#include "say.h"
#include "table.h"

namespace garner::tool {
namespace {

struct Options {
  std::vector<std::string> wanted; // ids, or "list"
  std::string out = "garner-reproduce";
  bool all = false, quick = false, resume = false;
  unsigned jobs = 0;
};

std::vector<const Experiment*> every_experiment(bool own) {
  std::vector<const Experiment*> all;
  for (const auto* list : {&naps_experiments(), &topology_experiments(), &own_experiments()})
    for (const Experiment& e : *list)
      if (own || list != &own_experiments()) all.push_back(&e);
  return all;
}

int list_experiments() {
  Table table({"experiment", "what", "paper"});
  table.left(1);
  table.left(2);
  for (const Experiment* e : every_experiment(true)) table.row({e->id, e->title, e->paper});
  say_out("{}", table.text(colours_on(1)));
  return 0;
}

std::vector<const Experiment*> choose(const Options& options) {
  if (options.all && !options.wanted.empty()) throw UsageError(fmt::format("--all: every experiment of the papers, or those named ({}), not both", fmt::join(options.wanted, ", ")));
  if (options.wanted.empty()) {
    if (!options.all && !options.quick) throw UsageError("which experiments? --all, --quick, or names as in 'garner reproduce list'");
    return every_experiment(false);
  }
  std::vector<const Experiment*> chosen;
  for (const std::string& id : options.wanted) {
    const auto all = every_experiment(true);
    const auto found = std::find_if(all.begin(), all.end(), [&](const Experiment* e) { return e->id == id; });
    if (found == all.end()) throw UsageError(fmt::format("no experiment is called {} ('garner reproduce list' tells them)", id));
    if (std::find(chosen.begin(), chosen.end(), *found) != chosen.end()) throw UsageError(fmt::format("{} is named twice", id));
    chosen.push_back(*found);
  }
  return chosen;
}

// ---- the runs ----

struct Child { pid_t pid; int fd; Run run; std::string text; };

Child start_run(const Run& run) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error(fmt::format("no pipe for a run: {}", std::strerror(errno)));
  const pid_t command = getpid(), pid = fork();
  if (pid < 0) throw std::runtime_error(fmt::format("no process for a run: {}", std::strerror(errno)));
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody waits for the result of one whose command is gone
    if (getppid() != command) _exit(1);
    close(ends[0]);
    std::string text;
    try {
      text = execute(run).dump();
    } catch (const std::exception& e) {
      text = nlohmann::ordered_json{{"error", e.what()}}.dump();
    }
    for (size_t done = 0; done < text.size();) {
      const ssize_t n = write(ends[1], text.data() + done, text.size() - done);
      if (n <= 0) _exit(1);
      done += size_t(n);
    }
    _exit(0);
  }
  close(ends[1]);
  return {pid, ends[0], run, ""};
}

// True when the child has said all it had to say.
bool read_some(Child& child) {
  char buffer[65536];
  const ssize_t n = read(child.fd, buffer, sizeof buffer);
  if (n > 0) child.text.append(buffer, size_t(n));
  return n == 0 || (n < 0 && errno != EINTR);
}

nlohmann::ordered_json end_run(Child& child, double& seconds) {
  close(child.fd);
  int status = 0;
  rusage used{};
  while (wait4(child.pid, &status, 0, &used) < 0 && errno == EINTR) {}
  seconds = double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  nlohmann::ordered_json result = nlohmann::ordered_json::parse(child.text, nullptr, false);
  if (result.is_discarded()) return {{"error", WIFSIGNALED(status) ? fmt::format("the simulation was ended by signal {}", WTERMSIG(status)) : "the simulation ended without a result"}};
  return result;
}

// Lines {"program", "run", "result"}; the program is told by size and digest of its file.
class Journal {
 public:
  Journal(const std::filesystem::path& directory, bool resume) : path_(directory / "runs.jsonl"), program_(file_digest("/proc/self/exe")) {
    if (!resume) write_file(path_, "");
  }
  void load(Results& results) const {
    std::string text;
    if (!read_file(path_, text)) return;
    if (!text.empty() && text.back() != '\n') write_file(path_, text + "\n"); // a disk was full: what comes next is a line of its own
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const auto line = nlohmann::ordered_json::parse(text.substr(at, end - at), nullptr, false);
      at = end + 1;
      if (line.is_object() && line.value("program", "") == program_ && line.contains("result") && line["result"].is_object()) results.put(line.value("run", ""), line["result"]);
    }
  }
  void add(const std::string& key, const nlohmann::ordered_json& result) const {
    std::FILE* file = std::fopen(path_.c_str(), "a");
    const std::string line = nlohmann::ordered_json{{"program", program_}, {"run", key}, {"result", result}}.dump() + "\n";
    bool good = file != nullptr && std::fputs(line.c_str(), file) >= 0;
    if (file != nullptr) good = std::fclose(file) == 0 && good;
    if (!good) throw std::runtime_error(fmt::format("{}: {}", path_.string(), std::strerror(errno)));
  }

 private:
  std::filesystem::path path_;
  std::string program_;
};

// Processor time by run, of those that were simulated now.
std::map<std::string, double> run_all(const std::vector<Run>& runs, unsigned jobs, const Journal& journal, Results& results) {
  std::map<std::string, double> seconds;
  std::deque<Child> children;
  size_t next = 0, done = 0;
  while (next < runs.size() || !children.empty()) {
    while (next < runs.size() && children.size() < jobs) children.push_back(start_run(runs[next++]));
    std::vector<pollfd> polls;
    for (const Child& child : children) polls.push_back({child.fd, POLLIN, 0});
    if (poll(polls.data(), nfds_t(polls.size()), -1) < 0 && errno != EINTR) throw std::runtime_error("cannot wait for a run");
    for (size_t i = polls.size(); i-- > 0;) {
      if (polls[i].revents == 0 || !read_some(children[i])) continue;
      const std::string key = children[i].run.key();
      nlohmann::ordered_json result = end_run(children[i], seconds[key]);
      say_err("[{}/{}] {:.1f} s {}{}\n", ++done, runs.size(), seconds[key], key, result.contains("error") ? ": " + result["error"].get<std::string>() : "");
      journal.add(key, result);
      results.put(key, std::move(result));
      children.erase(children.begin() + long(i));
    }
  }
  return seconds;
}

// An experiment's time is that of the runs it is the first to need; what repeats goes to stdout, this does not.
void tell_times(const std::vector<const Experiment*>& chosen, const Scale& scale, std::map<std::string, double> seconds) {
  if (seconds.empty()) return;
  double sum = 0;
  for (const Experiment* e : chosen) {
    double own = 0;
    size_t count = 0;
    for (const Run& run : e->runs(scale))
      if (const auto found = seconds.find(run.key()); found != seconds.end()) own += found->second, count++, seconds.erase(found);
    if (count != 0) say_err("{}: {} runs, {:.1f} s of processor time\n", e->id, count, own);
    sum += own;
  }
  say_err("together {:.1f} s of processor time\n", sum);
}

// ---- the report ----

void write_chapter(const Chapter& chapter, const Scale& scale, const Results& results, const std::filesystem::path& directory) {
  std::string name = chapter.experiment->id;
  std::replace(name.begin(), name.end(), '/', '-');
  write_file(directory / (name + ".json"), json_of(chapter, scale, results).dump(1) + "\n");
  for (size_t i = 0; i < chapter.section.figures.size(); i++)
    write_file(directory / fmt::format("{}-{}.svg", name, i + 1), draw_svg(chapter.section.figures[i], caption_of(chapter)));
}

int reproduce(const Options& options) {
  if (std::find(options.wanted.begin(), options.wanted.end(), "list") != options.wanted.end()) {
    if (options.wanted.size() > 1 || options.all || options.quick || options.resume) throw UsageError("list tells what experiments there are and stands alone: garner reproduce list");
    return list_experiments();
  }
  const Scale scale{options.quick};
  const std::vector<const Experiment*> chosen = choose(options);
  std::vector<Run> runs;
  std::map<std::string, bool> known;
  for (const Experiment* e : chosen)
    for (const Run& run : e->runs(scale))
      if (!known[run.key()]) known[run.key()] = true, runs.push_back(run);
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (error) throw UsageError(fmt::format("{}: {}", options.out, error.message()));
  Results results;
  const Journal journal(options.out, options.resume);
  if (options.resume) journal.load(results);
  const std::vector<Run> needed = runs; // each once, though several experiments may need it
  std::erase_if(runs, [&](const Run& run) { return results.has(run.key()); });
  const auto seconds = run_all(runs, options.jobs != 0 ? options.jobs : unsigned(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))), journal, results);
  tell_times(chosen, scale, seconds);
  std::vector<Chapter> chapters;
  size_t counts[kOutcomes] = {};
  Table table({"experiment", "claim", "paper", "ours, simulated", "verdict"});
  for (size_t column = 1; column < 5; column++) table.left(column);
  for (const Experiment* e : chosen) {
    Chapter chapter{e, e->judge(results, scale), {}};
    for (const Run& run : e->runs(scale))
      if (std::find(chapter.machines.begin(), chapter.machines.end(), run.machine) == chapter.machines.end()) chapter.machines.push_back(run.machine);
    for (Claim& c : chapter.section.claims)
      if (!scale.quick && c.why.empty() && !e->id.starts_with("ours/") && (c.outcome == Outcome::fails || c.outcome == Outcome::direction)) c.why = reason_of(e->id, c.text);
    write_chapter(chapter, scale, results, options.out);
    for (const Claim& c : chapter.section.claims) counts[size_t(c.outcome)]++, table.row({e->id, c.text, c.paper, c.ours, verdict_name(c.outcome)});
    chapters.push_back(std::move(chapter));
  }
  const std::filesystem::path directory = options.out;
  write_file(directory / "index.html", draw_report(chapters, scale, kReproduceSeed));
  write_file(directory / "claims.md", markdown_of(chapters));
  say_out("{}Of the claims {}; simulated, seed {}. The report: {}\n", table.text(colours_on(1)), tally(counts), kReproduceSeed, (directory / "index.html").string());
  size_t failed = 0;
  for (const Run& run : needed) failed += results.good(run) == nullptr;
  if (failed == 0) return 0;
  say_err("garner: {} of {} runs failed; the first lines above say why\n", failed, needed.size());
  return 1;
}

} // namespace

Command add_reproduce(CLI::App& root) {
  CLI::App* app = root.add_subcommand("reproduce", "The experiments of the papers on simulated machines, with a verdict for each claim about shape");
  app->footer("'garner reproduce list' tells the experiments. Writes index.html, and JSON and SVG for each experiment, into a directory. Everything is simulated and repeats to the byte.");
  auto options = std::make_shared<Options>();
  app->add_option("EXPERIMENT", options->wanted, "naps/E1 to topology/X7, ours/G1, ours/G2, or list")->option_text("[EXPERIMENT...|list]");
  app->add_flag("--all", options->all, "All experiments of both papers in full");
  app->add_flag("--quick", options->quick, "Smaller heaps and fewer points; alone: as with --all");
  app->add_flag("--resume", options->resume, "Take what an earlier call of the same program has simulated into the same directory");
  app->add_option("-o,--output", options->out, "Directory to write")->type_name("DIR")->capture_default_str();
  app->add_option("--jobs", options->jobs, "Simulations at a time; otherwise as many as processors")->check(CLI::Range(1, 256))->type_name("N");
  return {app, [options](const Invocation&) { return reproduce(*options); }};
}

} // namespace garner::tool
