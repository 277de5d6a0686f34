// What `garner marks` measures, part by part, and the file where parts are kept.
//
// A part is one workload at one size of the heap, run by several collectors in turn. Rows of figures and choices of the design are made of parts; one that several
// need is measured once. Each is kept, when it is done, under all that its figures depend on, so a command that was interrupted goes on where it was, and
// another build of the collector is measured anew.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench_report.h"
#include "bench_setup.h"

namespace garner::tool {

// A number that only one workload's JSON line has; `path` as figure_at reads it.
struct OwnFigure {
  std::string title, path;
};

// A workload, with words instead of those that its file has.
struct Piece {
  std::string workload;
  std::string parameters = {}; // at every size
  std::string normal = {};     // at size normal only: small sizes are for tests
  Environment environment = {};
  std::vector<OwnFigure> figures = {};
};
// The pieces whose figures are about one thing only, by the names that rows and choices use; any other name is that of a workload as it is in its file.
Piece piece_named(const std::string& name);

struct Entrant {
  Mode mode = Mode::garner;
  std::string options = {}; // for GARNER, after those of the command line
  std::string label = {};
};

struct PartPlan {
  std::string name; // tells it from every other part
  Piece piece;
  std::string at = "unlimited";
  std::vector<Entrant> entrants; // the first is what is compared with the others
  int runs = 1;
};

// The words of `base` with those of `over` in the place of those with the same key, or after them: "a=1 b=2" and "b=3 c=4" give "a=1 b=3 c=4".
std::string with_words(const std::string& base, const std::string& over);

// Results by the names of their parts; what is not there has not been measured.
using Parts = std::map<std::string, BenchResult>;

// Saved at every change. With `anew` nothing is found but what was kept through this object.
class PartsFile {
 public:
  PartsFile(std::filesystem::path path, bool anew) : path_(std::move(path)), anew_(anew) {}
  std::optional<BenchResult> find(const std::string& key) const;
  void keep(const std::string& key, const BenchResult& part);

 private:
  std::filesystem::path path_;
  bool anew_;
  std::set<std::string> kept_now_;
};

struct MeasuringArgs {
  std::filesystem::path bench_directory, out; // out: where parts.json is; empty: `marks` in the bench output directory
  std::string size, library, options;
  double time_limit_s = 0;
  bool anew = false;
};

class Measuring {
 public:
  explicit Measuring(const MeasuringArgs& args);

  const BenchSetup& setup() const { return setup_; }
  const std::string& collector() const { return collector_; } // the digest of its library
  // What is kept of it; nothing is built, prepared or run.
  std::optional<BenchResult> kept(const PartPlan& part) const;
  // What is kept, else what is measured now, which is kept then. std::runtime_error when the workload cannot be built, or fails on the stock collector.
  BenchResult known(const PartPlan& part, bool& was_kept);

 private:
  Workload workload_of(const PartPlan& part) const;
  std::string key_of(const PartPlan& part, const Workload& workload, const Baseline& baseline) const;
  BenchResult measured(const PartPlan& part, const Plan& plan, const Baseline& baseline) const;

  MeasuringArgs args_;
  BenchSetup setup_;
  BaselineFile baselines_;
  PartsFile parts_;
  Progress progress_;
  std::string collector_; // digest of the library
};

} // namespace garner::tool
