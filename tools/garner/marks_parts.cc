#include "marks_parts.h"

#include <fmt/format.h>

#include "errors.h"
#include "json_text.h"
#include "paths.h"

namespace garner::tool {
namespace {

using Json = nlohmann::ordered_json;

const std::map<std::string, Piece>& own_pieces() {
  // Eden has room for all that is made between two collections, so that each is the one asked for.
  static const Environment large_eden = {{"DOTNET_GCgen0size", "0x10000000"}};
  static const std::map<std::string, Piece> all = {
    {"survivors", {"survivors", "", "objects=1000000 bytes=48 rounds=100 threads=2 seed=1", large_eden, {{"ns per object", "figures/ns_per_object"}}}},
    {"surviving-arrays",
     {"survivors", "objects=8000 bytes=8192", "rounds=100 threads=2 seed=1", large_eden,
      {{"MB/s", "figures/mb_per_s"}, {"copying MB/s", "figures/copying_mb_per_s"}}}},
    {"random-graph",
     {"random-graph", "dropped=0", "nodes=8000000 changed=1 rounds=3 threads=2 seed=1", {},
      {{"not compacting ms", "figures/sweeping_ms/median"}, {"compacting ms", "figures/compacting_ms/median"}}}},
    {"request-server", {"request-server", "", "", {}, {{"p99.9 us", "latency_us/p99.9"}}}},
    {"request-server-300", {"request-server", "", "megabytes=300 requests=80000", {}, {{"p99.9 us", "latency_us/p99.9"}}}},
    {"hello", {"hello", "megabytes=0"}},
    {"hello-20", {"hello", "megabytes=20"}},
  };
  return all;
}

// "weak", "weak half", "weak quarter"
Piece old_entries(const std::string& words) {
  const std::vector<std::string> all = split_words(words);
  const int share = all.size() < 2 ? 1 : all[1] == "half" ? 2 : 4;
  const int count = (all[0] == "pinned" ? 100000 : 1000000) / share;
  return {"old-entries", "kind=" + all[0], fmt::format("count={} megabytes=1500 threads=1 seed=1", count), {}, {{"young pause ms", "figures/young_pause_ms/median"}}};
}

Json saved(const Contender& contender) {
  Json all = {{"mode", name_of(contender.plan.mode)}, {"label", contender.plan.label}, {"options", contender.plan.options}, {"failure", contender.failure}, {"samples", Json::array()}};
  if (contender.plan.limit_bytes) all["limit_bytes"] = *contender.plan.limit_bytes;
  for (const Sample& sample : contender.samples) {
    Json one = {{"failure", sample.failure}};
    for (const Figure& figure : figures()) one[figure.key] = sample.*figure.at;
    if (!sample.line.empty()) one["line"] = Json::parse(sample.line);
    if (sample.most_committed >= 0) one["most_committed"] = sample.most_committed;
    if (sample.most_left >= 0) one["most_left"] = sample.most_left;
    all["samples"].push_back(one);
  }
  return all;
}

Contender read_contender(const Json& json) {
  Contender contender;
  contender.plan.mode = parse_mode(json.at("mode").get<std::string>());
  contender.plan.label = json.at("label").get<std::string>();
  contender.plan.options = json.at("options").get<std::string>();
  contender.failure = json.at("failure").get<std::string>();
  if (json.contains("limit_bytes")) contender.plan.limit_bytes = json["limit_bytes"].get<uint64_t>();
  for (const Json& one : json.at("samples")) {
    Sample sample;
    sample.failure = one.at("failure").get<std::string>();
    for (const Figure& figure : figures()) sample.*figure.at = one.at(figure.key).get<double>();
    if (one.contains("line")) sample.line = one["line"].dump();
    sample.most_committed = one.value("most_committed", -1.0), sample.most_left = one.value("most_left", -1.0);
    contender.samples.push_back(std::move(sample));
  }
  return contender;
}

} // namespace

Piece piece_named(const std::string& name) {
  if (name.starts_with("old-entries ")) return old_entries(name.substr(12));
  auto own = own_pieces().find(name);
  return own == own_pieces().end() ? Piece{name} : own->second;
}

std::string with_words(const std::string& base, const std::string& over) {
  auto key = [](const std::string& word) { return word.substr(0, word.find('=')); };
  std::vector<std::string> words = split_words(base);
  for (const std::string& word : split_words(over)) {
    bool replaced = false;
    for (std::string& earlier : words)
      if (key(earlier) == key(word)) earlier = word, replaced = true;
    if (!replaced) words.push_back(word);
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::optional<BenchResult> PartsFile::find(const std::string& key) const {
  if (anew_ && kept_now_.count(key) == 0) return std::nullopt;
  const Json all = object_in(path_);
  auto at = all.find(key);
  if (at == all.end()) return std::nullopt;
  BenchResult part;
  try {
    part.workload = at->at("workload").get<std::string>();
    part.at = at->at("at").get<std::string>();
    part.min_heap_bytes = at->at("min_heap_bytes").get<uint64_t>();
    part.paced = at->at("paced").get<bool>();
    part.difference = at->at("difference").get<std::string>();
    for (const Json& contender : at->at("contenders")) part.contenders.push_back(read_contender(contender));
  } catch (const std::exception&) {
    return std::nullopt; // written by another version: measured anew
  }
  if (part.contenders.empty()) return std::nullopt;
  return part;
}

void PartsFile::keep(const std::string& key, const BenchResult& part) {
  Json one = {{"workload", part.workload},     {"at", part.at},
              {"min_heap_bytes", part.min_heap_bytes}, {"paced", part.paced},
              {"difference", part.difference}, {"contenders", Json::array()}};
  for (const Contender& contender : part.contenders) one["contenders"].push_back(saved(contender));
  kept_now_.insert(key);
  keep_in(path_, key, one);
}

Measuring::Measuring(const MeasuringArgs& args)
    : args_(args),
      setup_(args.bench_directory, args.size),
      baselines_(setup_.output() / "baselines.json"),
      parts_((args.out.empty() ? setup_.output() / "marks" : fs::absolute(args.out)) / "parts.json", args.anew),
      collector_(file_digest(args.library)) {}

Workload Measuring::workload_of(const PartPlan& part) const {
  Workload workload = load_workloads(args_.bench_directory, {part.piece.workload})[0];
  for (auto& [size, words] : workload.parameters) {
    words = with_words(words, part.piece.parameters);
    if (size == "normal") words = with_words(words, part.piece.normal);
  }
  return workload;
}

std::string Measuring::key_of(const PartPlan& part, const Workload& workload, const Baseline& baseline) const {
  std::string key = fmt::format("{} | {} | {} | at {}", part.name, args_.size, setup_.key_of(workload), part.at);
  if (factor_of(part.at) > 0) key += fmt::format(" of {} bytes", baseline.min_heap_bytes);
  key += fmt::format(" | collector {} | options {} | runs {}", collector_, args_.options, part.runs);
  if (args_.time_limit_s > 0) key += fmt::format(" | {} s at most", args_.time_limit_s);
  for (const auto& [name, value] : part.piece.environment) key += fmt::format(" | {}={}", name, value.value_or(""));
  for (const Entrant& entrant : part.entrants) key += fmt::format(" | {} {}", name_of(entrant.mode), entrant.options);
  return key;
}

std::optional<BenchResult> Measuring::kept(const PartPlan& part) const {
  const Workload workload = workload_of(part);
  const std::optional<Baseline> baseline = baselines_.find(setup_.key_of(workload));
  return baseline ? parts_.find(key_of(part, workload, *baseline)) : std::nullopt;
}

BenchResult Measuring::known(const PartPlan& part, bool& was_kept) {
  const Workload workload = workload_of(part);
  Plan plan = setup_.ready(workload, progress_);
  for (const auto& [name, value] : part.piece.environment) plan.environment[name] = value;
  const Baseline baseline = setup_.baseline_of(workload, plan, baselines_, factor_of(part.at) > 0, false, progress_);
  const std::string key = key_of(part, workload, baseline);
  std::optional<BenchResult> result = parts_.find(key);
  was_kept = result.has_value();
  if (was_kept) return *result;
  result = measured(part, plan, baseline);
  result->paced = workload.paced;
  // A build that replaces the library meanwhile would give one part the figures of two collectors.
  if (file_digest(args_.library) != collector_) throw UsageError(fmt::format("{} was changed while it was measured", args_.library));
  parts_.keep(key, *result);
  return *result;
}

BenchResult Measuring::measured(const PartPlan& part, const Plan& plan, const Baseline& baseline) const {
  BenchResult result;
  result.workload = part.piece.workload;
  result.at = part.at;
  result.min_heap_bytes = baseline.min_heap_bytes;
  for (const Entrant& entrant : part.entrants) {
    Plan mine = limited(plan, baseline, part.at, args_.time_limit_s);
    mine.mode = entrant.mode;
    mine.label = entrant.label;
    mine.library = entrant.mode == Mode::garner ? args_.library : "";
    mine.options = args_.options;
    if (!entrant.options.empty()) mine.options += (mine.options.empty() ? "" : ",") + entrant.options;
    result.contenders.push_back({mine, {}, ""});
  }
  run_in_turn(result.contenders, 0, part.runs, progress_, part.name);
  result.difference = difference_of(baseline.reference, result.contenders);
  return result;
}

} // namespace garner::tool
