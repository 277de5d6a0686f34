// Makes workloads ready to run: finds their files, builds their projects, runs their prepare steps once, and expands their commands.
//
// Everything is written below the bench output directory, build/bench/dotnet of the tree that holds the .bench files:
//   PROJECT/          the built programs (their Directory.Build.props says so)
//   work/NAME-SIZE/   working directory of a workload; kept, with a stamp of what made it, until that changes
#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "bench_file.h"
#include "measure.h"
#include "min_heap.h"

namespace garner::tool {

// The workloads with these names (all when empty), in alphabetical order. UsageError for a name that is not there.
std::vector<Workload> load_workloads(const std::filesystem::path& directory, const std::vector<std::string>& names);

class BenchSetup {
 public:
  BenchSetup(std::filesystem::path directory, std::string size);

  const std::filesystem::path& output() const { return output_; }
  std::string machine() const; // "2 cores, 23 GB, Linux 6.18, SDK 10.0.401": where the figures are from

  // Builds and prepares, then says how to run it (mode, limit and collector options are left to the caller).
  // Pauses are traced where the workload does not tell its own. std::runtime_error with the end of the failing step's output.
  Plan ready(const Workload& workload, const Progress& progress);
  // Everything that the workload's result and heap depend on, as a text: after ready(), for the built program is part of it.
  std::string key_of(const Workload& workload) const;
  // The workload's reference run and, where `searching`, its minimum heap: those that are kept, unless `anew`, else found now and kept. `plan` comes from ready().
  Baseline baseline_of(const Workload& workload, const Plan& plan, BaselineFile& kept, bool searching, bool anew, const Progress& progress) const;

 private:
  std::filesystem::path work_of(const Workload& workload) const;
  void build(const std::string& project, const Progress& progress);
  void prepare(const Workload& workload, const std::filesystem::path& work, const Progress& progress);
  std::map<std::string, std::string> names_for(const Workload& workload, const std::filesystem::path& work) const;
  void step(const std::vector<std::string>& command, const std::filesystem::path& directory) const;

  std::filesystem::path directory_, output_;
  std::string size_, sdk_, sdk_version_;
  std::set<std::string> built_;
};

} // namespace garner::tool
