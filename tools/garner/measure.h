// Measured runs: one run of a program in a mode, several modes in turn (A B C B C A …), their medians, and whether their outputs agree.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modes.h"
#include "process.h"

namespace garner::tool {

// What is run, and how.
struct Plan {
  Mode mode = Mode::garner;
  std::string label;           // its name in tables, where several have one mode; empty: the mode's
  std::vector<std::string> program;
  std::string directory;       // empty: this one
  Environment environment;     // of the program itself, beside the mode's
  std::string library;         // for Mode::garner
  std::string options;         // for GARNER
  std::optional<uint64_t> limit_bytes;
  double time_limit_s = 0;
  bool trace_pauses = false; // measure them from outside (pause_trace.h), in every mode
  // What of the result is compared: these keys of the JSON line; stdout byte by byte when there is no such line; these files (patterns,
  // relative to `directory`) that the program writes.
  std::vector<std::string> keys = {"checksum"};
  bool compare_stdout = true;
  std::vector<std::string> files;
  bool remove_files = false; // before each run, where they are ours
  bool own = false;          // a workload of ours, whose exit codes have meanings
  bool must_start = false;   // where the program cannot be started NotStarted is thrown, and else it is a run that failed
};

// One run. What is not known is negative: the pauses of a program that does not tell them, on a stock mode.
struct Sample {
  double wall_s = -1, cpu_s = -1, peak_bytes = -1, pause_total_ms = -1, pause_max_ms = -1;
  std::shared_ptr<const std::string> output; // equal ones are one
  const std::string& printed() const {
    static const std::string none;
    return output ? *output : none;
  }
  double most_committed = -1, most_left = -1; // bytes, by this collector's log: what the heap had at its most, and what a full collection left at most
  std::string line;     // the JSON line that told the program's figures; empty when there is none
  std::string checksum; // the compared keys of the JSON line, "checksum 5f3a, operations 12"; empty when there is none
  std::vector<std::string> files; // "name: size, digest" of each
  std::string failure;  // why the run does not count; empty when it does
  int exit_code = 0;
};
Sample run_once(const Plan& plan);
// A number of the program's JSON line by its keys, "figures/young_pause_ms/median"; negative when there is none.
double figure_at(const Sample& sample, const std::string& path);

// The figures of a run, in the order of the reports.
struct Figure {
  const char* key;
  const char* title;
  double Sample::*at;
  std::string (*show)(double);
};
const std::vector<Figure>& figures();

struct Contender {
  Plan plan;
  std::vector<Sample> samples; // warm-ups left out
  std::string failure;         // of the run after which it was not run again

  const char* name() const { return plan.label.empty() ? name_of(plan.mode) : plan.label.c_str(); }
  double median_of(const Figure& figure) const; // of the good runs; negative when unknown
  double median_at(const std::string& path) const; // of a number of the JSON line, likewise
  std::vector<double> all_of(const Figure& figure) const;
  std::vector<double> all_at(const std::string& path) const;
};

// Tells what is being done, on a terminal only; one line that replaces itself.
class Progress {
 public:
  Progress();
  ~Progress() { show(""); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(const std::string& text) const;

 private:
  bool on_;
};

// All contenders one after the other, `warmups` + `runs` times over, each round from the next on. One that fails is not run again. `what` begins the progress line.
void run_in_turn(std::vector<Contender>& contenders, int warmups, int runs, const Progress& progress, const std::string& what);

// How the result of `other` differs from that of `reference`, in a few words; empty when it does not.
std::string difference_of(const Sample& reference, const Sample& other);
// The first difference of a good run of any contender from stock's reference, with the contender's name.
std::string difference_of(const Sample& reference, const std::vector<Contender>& contenders);
// "checksum 5f3a", "stdout, 1204 bytes", "out.dll: 812 bytes, …": what is compared.
std::string result_text(const Sample& sample);

// The last line of `output` that is a JSON object with a "gc" object or one of `keys`; its figures go into the sample.
void read_json_line(Sample& sample, const std::vector<std::string>& keys);

} // namespace garner::tool
