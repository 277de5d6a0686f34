// `garner reproduce`: the experiments of both papers as data, and what is made of them.
//
// An Experiment names its Runs (what to simulate) and, from their Results, fills a Section: figures, tables, and a verdict for each claim about
// shape. Runs are the same for several experiments where they can be; each is simulated once, in a process of its own, as many at a time
// as there are processors. Results are JSON and repeat to the last byte; processor time is told on stderr only.
// Rules: the paper's values stand beside ours; no number of a workload or machine is adjusted to a figure; what a preset's absence
// or the paper's loss leaves open is said.
#pragma once
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "page.h"

namespace garner::tool {

struct Run {
  std::string machine = "amd48", workload, options; // workload "placement:NAME": the micro-benchmark of N28; "recording:NAME": one of tests/data
  unsigned workers = 48;
  unsigned percent = 100;     // of the workload's eden and of what lives in it (scaled(), sim/workloads.h); of a placement: MiB to read
  unsigned collections = 0;   // 0: the workload's own
  unsigned graph_percent = 100; // of the nodes of its graph, besides `percent`
  unsigned eden_percent = 100;  // of eden alone: the same program, which allocates as much, in another heap
  bool from_start = false, locality = false;
  unsigned long long eden_min_percent = 100, eden_max_percent = 100; // of eden, for adaptive sizes
  std::string key() const;
};

class Results {
 public:
  void put(const std::string& key, nlohmann::ordered_json result) { all_[key] = std::move(result); }
  bool has(const std::string& key) const { return all_.count(key) != 0; }
  // Null when it failed or was not asked for.
  const nlohmann::ordered_json* good(const Run& run) const;
  std::string error(const Run& run) const;
  // A number below the result ("mean_pause_ms", "spaces/eden/imbalance"); NaN where there is none.
  double number(const Run& run, const std::string& path) const;

 private:
  std::map<std::string, nlohmann::ordered_json> all_;
};

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Series { std::string name; std::vector<double> values; }; // NaN: no value
struct Plot {
  enum class Kind { lines, bars } kind = Kind::lines;
  std::string title, x_label, y_label;
  std::vector<std::string> xs;
  std::vector<Series> series;
  bool against_one = false; // ratios: 1 is neither gained nor lost
};

enum class Outcome { holds, direction, fails, unavailable }; // direction: the same way, but less than half or more than twice as far
inline constexpr size_t kOutcomes = 4;
struct Claim { std::string text, paper, ours; Outcome outcome; std::string why; };

struct Section {
  std::vector<Plot> figures;
  std::vector<std::vector<std::string>> table; // the first row is the head; empty: none
  std::vector<Claim> claims;
};

struct Scale {
  bool quick = false;
  unsigned percent() const { return quick ? 25 : 100; }
  unsigned collections() const { return quick ? 2 : 0; }
  std::vector<unsigned> workers() const { return quick ? std::vector<unsigned>{1, 8, 48} : std::vector<unsigned>{1, 8, 16, 24, 32, 40, 48}; }
};

struct Experiment {
  std::string id, title, paper, lost; // lost: what the paper did not report, or its text lost
  std::function<std::vector<Run>(const Scale&)> runs;
  std::function<Section(const Results&, const Scale&)> judge;
};

const std::vector<Experiment>& naps_experiments();
const std::vector<Experiment>& topology_experiments();
const std::vector<Experiment>& own_experiments(); // not of a paper; not among --all

// One run, in this process: the result, or {"error": one line}.
nlohmann::ordered_json execute(const Run& run);

std::string draw_svg(const Plot& figure, const std::string& caption);
struct Chapter { const Experiment* experiment; Section section; std::vector<std::string> machines; };
std::string caption_of(const Chapter& chapter); // of its figures: simulated, where, with which seed
std::string draw_report(const std::vector<Chapter>& chapters, const Scale& scale, unsigned long long seed);
nlohmann::ordered_json json_of(const Chapter& chapter, const Scale& scale, const Results& results);
std::string markdown_of(const std::vector<Chapter>& chapters); // a row for each claim, then the reasons

inline constexpr unsigned long long kReproduceSeed = 1;
// `known`: whether there are results; without them a claim is neither held nor failed. `why`: the reason, of our own claims; those of the papers have theirs in reasons().
Claim claim(const std::string& text, const std::string& paper, const std::string& ours, bool holds, bool known, const std::string& why = "");
// A gain, both as ratios above 1: held between half and twice the paper's, "direction only" if there is one at all (3 %).
Claim gain_claim(const std::string& text, const std::string& paper_text, double paper, const std::string& ours_text, double ours);
// By experiment and claim (reproduce_reasons.cc); "not tested" where none is known.
const std::map<std::pair<std::string, std::string>, std::string>& reasons();
std::string reason_of(const std::string& experiment, const std::string& claim);
std::string tally(const size_t (&counts)[kOutcomes]); // "61 hold, 5 in direction only, …"
std::string percent(double ratio); // how far a ratio is from 1, with its sign: 1.2 is "+20 %", 0.8 "-20 %"; "-" for none
const char* verdict_name(Outcome outcome);

} // namespace garner::tool
