#include "replay.h"

#include <algorithm>
#include <set>
#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include "errors.h"
#include "heap_file.h"
#include "host_facts.h"
#include "option_text.h"
#include "options/parse.h"
#include "say.h"
#include "sim/heap_graph.h"
#include "table.h"

namespace garner::tool {

using nlohmann::ordered_json;

namespace {

constexpr u64 kReservePer = 6; // address space over the graph's bytes: eden, copies of it, and old space

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::vector<std::string> parse_presets(const std::string& text) {
  const std::vector<std::string> known = preset_names();
  if (text.empty()) return known;
  std::vector<std::string> wanted;
  for (const std::string& name : split(text)) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string all;
      for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
      throw UsageError(fmt::format("--preset: '{}' is no preset; there are {}", name, all));
    }
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) throw UsageError(fmt::format("--preset '{}': {} stands there twice", text, name));
    wanted.push_back(name);
  }
  return wanted;
}

// Not given: one, a quarter of the cores, and all of them.
std::vector<u32> parse_workers(const std::string& text, u32 cores) {
  std::vector<u32> wanted;
  if (text.empty())
    for (u32 n : {1u, cores / 4, cores})
      if (n != 0 && (wanted.empty() || wanted.back() != n)) wanted.push_back(n);
  if (text.empty()) return wanted;
  for (const std::string& part : split(text)) {
    if (part.empty() || part.size() > 4 || part.find_first_not_of("0123456789") != std::string::npos || std::stoul(part) < 1 || std::stoul(part) > 1024)
      throw UsageError(fmt::format("--workers '{}': expected numbers from 1 to 1024, like 1,8,48", text));
    const u32 number = u32(std::stoul(part));
    if (std::find(wanted.begin(), wanted.end(), number) != wanted.end()) throw UsageError(fmt::format("--workers '{}': {} stands there twice", text, number));
    wanted.push_back(number);
  }
  return wanted;
}

Kind parse_kind(const std::string& text, const record::Recording& recording) {
  if (text.empty() || text == "recorded") return Kind(recording.head().generation);
  for (Kind kind : {Kind::young0, Kind::young1, Kind::full})
    if (text == name_of(kind)) return kind;
  throw UsageError(fmt::format("--kind '{}': expected recorded, young0, young1 or full", text));
}

std::string list_for(const ReplayPlan& plan, const std::string& preset) { return "preset=" + preset + (plan.options.empty() ? "" : "," + plan.options); }

Settings settings_for(const ReplayPlan& plan, const std::string& preset) {
  Settings settings;
  if (!settings.parse(list_for(plan, preset).c_str())) throw UsageError(fmt::format("--option: {}", settings.error()));
  return settings;
}

// Options that change nothing here, or what an argument of the command decides. Taken without a word they would seem to have been tried.
constexpr const char *kOneCollection = "a replay is one collection of a heap that is there, which asks for nothing of the kind", *kSizesItself = "a replay makes its heap as large as the recording needs",
                     *kNothingRecorded = "nothing is recorded in a replay", *kLogs = "garner simulate --log FILE writes the run as a log";
struct NotHere { Opt option; const char* why; };
constexpr NotHere kNotHere[] = {
  {Opt::preset, "presets have an argument of their own here, --preset"}, {Opt::workers, "workers have an argument of their own here, --workers"}, {Opt::seed, "the seed has an argument of its own here, --seed"},
  {Opt::log, kLogs}, {Opt::log_format, kLogs}, {Opt::log_detail, kLogs},
  {Opt::reserve, kSizesItself}, {Opt::limit, kSizesItself}, {Opt::limit_percent, kSizesItself}, {Opt::huge_pages, "the size of pages is the machine file's, page_kib"},
  {Opt::eden, kSizesItself}, {Opt::eden_min, kSizesItself}, {Opt::eden_max, kSizesItself}, {Opt::resize, kSizesItself}, {Opt::lean, kSizesItself},
  {Opt::pause_goal, kOneCollection}, {Opt::gc_share, kOneCollection}, {Opt::old_growth, kOneCollection}, {Opt::conserve, kOneCollection}, {Opt::stress_every, kOneCollection}, {Opt::stress_kind, kOneCollection},
  {Opt::record_file, kNothingRecorded}, {Opt::record_at, kNothingRecorded}, {Opt::record_most, kNothingRecorded}, {Opt::record_time, kNothingRecorded},
};

void check_options(const ReplayPlan& plan) {
  Settings alone;
  if (!alone.parse(plan.options.c_str())) throw UsageError(fmt::format("--option: {}", alone.error()));
  for (const NotHere& row : kNotHere)
    if (alone.given(row.option) && !(row.option == Opt::resize && alone.as<Resize>(row.option) == Resize::fixed)) // fixed is what a replay does
      throw UsageError(fmt::format("--option {}: {}", kTable[usize(row.option)].name, row.why));
  for (const std::string& preset : plan.presets) {
    const Settings settings = settings_for(plan, preset);
    if (const IllegalPair* pair = settings.illegal()) throw UsageError(fmt::format("with preset {}: {}", preset, pair->sentence));
  }
}

// The model would share the hardware threads among more workers than there are. No collector is run like that, so it is a number given by mistake.
void check_workers(const ReplayPlan& plan) {
  const u32 most = *std::max_element(plan.workers.begin(), plan.workers.end());
  if (most > plan.machine.threads()) throw UsageError(fmt::format("--workers {}: {} has 1 to {} hardware threads for them", most, plan.machine.name, plan.machine.threads()));
}

// Segregated spaces need a worker on every node (N23). Where presets were not named those that cannot be are left out, and that is told.
void check_nodes(ReplayPlan& plan, bool named) {
  const u32 nodes = plan.machine.shape.nodes, least = *std::min_element(plan.workers.begin(), plan.workers.end());
  if (least >= nodes) return;
  std::vector<std::string> possible;
  std::string impossible;
  for (const std::string& preset : plan.presets) {
    const Settings settings = settings_for(plan, preset);
    if (settings.as<SpacePolicy>(Opt::space_eden) != SpacePolicy::segregated && settings.as<SpacePolicy>(Opt::space_survivor) != SpacePolicy::segregated) {
      possible.push_back(preset);
      continue;
    }
    if (named) throw UsageError(fmt::format("--workers {}: preset {} needs a worker on each of the {} nodes", least, preset, nodes));
    impossible += (impossible.empty() ? "" : ", ") + preset;
  }
  if (!impossible.empty()) plan.left_out = fmt::format("left out, as they need a worker on each of the {} nodes: {}", nodes, impossible);
  plan.presets = possible;
  if (possible.empty()) throw UsageError("--option: no preset is possible with it and so few workers");
}

// The replay's heap is real memory of this process: what it takes is compared with what there is before any of it is taken.
void check_memory(const record::Recording& recording) {
  const u64 needed = simulation::replay_bytes(recording);
  auto refuse = [&](u64 there, const char* whose) {
    if (needed > there) throw UsageError(fmt::format("to replay this recording takes about {} MB of memory, more than the {} MB {}", needed / MiB, there / MiB, whose));
  };
  refuse(u64(sysconf(_SC_PHYS_PAGES)) * u64(sysconf(_SC_PAGESIZE)), "that this machine has");
  if (rlimit limit{}; getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) refuse(limit.rlim_cur, "of the limit on address space (ulimit -v)");
  if (const CgroupFacts cgroups = read_cgroups("/"); cgroups.memory) refuse(cgroups.memory->value, "of the container's limit");
}

u64 sum_of(const simulation::Measures& m, u64 WorkerStats::*field) {
  u64 sum = 0;
  for (const auto& collection : m.collections)
    for (const auto& line : collection.workers) sum += line.stats.*field;
  return sum;
}

} // namespace

void add_replay_args(CLI::App& app, ReplayArgs& args) {
  app.add_option("FILE", args.file, "A recording, as 'garner record' writes it")->required();
  app.add_option("--machine", args.machine, "A machine file, by name ('garner machine list') or path")->type_name("NAME|FILE")->capture_default_str();
  app.add_option("--preset", args.presets, "The presets to try, separated by commas; if not given, all")->type_name("NAMES");
  app.add_option("--workers", args.workers, "Numbers of collector threads; if not given, 1, a quarter of the machine's cores, and all")->type_name("N,M");
  app.add_option("--option", args.options, "More options of the collector, the same for every preset; may be repeated")->type_name("NAME=VALUE")->join(',');
  app.add_option("--kind", args.kind, "What is collected: recorded (as in the program), young0, young1 or full")->type_name("KIND");
  app.add_option("--threads", args.threads, "Deal the objects to so many allocating threads; if not given, those recorded")->type_name("N")->check(CLI::Range(1, 4096));
  app.add_option("--seed", args.seed, "Seed of every random choice")->type_name("N")->check([](const std::string& text) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    return digits && text.size() < 19 ? "" : "must be a whole number below 10^18, not " + text; // more digits are cut off without a word
  });
}

void make_plan(const ReplayArgs& args, ReplayPlan& plan) {
  read_heap(args.file, plan.recording);
  if (plan.recording.objects() == 0) throw UsageError(fmt::format("{}: the recording holds no objects", args.file));
  plan.machine = find_machine(args.machine);
  plan.presets = parse_presets(args.presets);
  plan.workers = parse_workers(args.workers, plan.machine.cores());
  plan.options = args.options;
  plan.kind = parse_kind(args.kind, plan.recording);
  plan.seed = args.seed;
  check_options(plan);
  check_workers(plan);
  check_nodes(plan, !args.presets.empty());
  check_memory(plan.recording);
  const std::string trouble = simulation::graph_of(plan.recording, {args.threads, plan.kind != Kind::full}, plan.graph);
  if (!trouble.empty()) throw UsageError(fmt::format("{}: {}", args.file, trouble));
}

namespace {

// From the notes of the one collection to the row's figures.
void read_figures(ReplayRow& row) {
  const simulation::Measures& m = row.measures;
  const simulation::Collection& c = m.collections[0];
  const u64 trace_ns = c.end.evacuate_ns + c.end.mark_ns, moved = sum_of(m, &WorkerStats::bytes_copied) + sum_of(m, &WorkerStats::bytes_marked);
  row.pause_ms = double(c.end.pause_ns) / 1e6;
  row.trace_ms = double(trace_ns) / 1e6;
  row.copied_gb_per_s = c.end.pause_ns == 0 ? 0 : double(moved) / double(c.end.pause_ns);
  row.remote = m.remote_share();
  std::vector<u64> by_node(m.nodes);
  for (usize i = 0; i < c.memory_bytes.size(); i++) by_node[i % m.nodes] += c.memory_bytes[i];
  row.imbalance = simulation::imbalance_of(by_node);
  u64 most = 0, idle = 0, entered = 0, began = 0;
  for (const simulation::PhaseTime& phase : c.phases)
    if (phase.phase == Phase::evacuate || phase.phase == Phase::mark) began = phase.start_ns;
  std::set<u32> took_part;
  for (const simulation::WorkerLine& line : c.workers) {
    most = std::max(most, line.stats.bytes_copied + line.stats.bytes_marked);
    idle += line.stats.idle_ns;
    entered += line.stats.start_ns - std::min(began, line.stats.start_ns);
    took_part.insert(line.worker);
  }
  const u64 waits = sum_of(m, &WorkerStats::waits_ns);
  row.uneven = moved == 0 ? 0 : double(most) * double(std::max<size_t>(c.workers.size(), 1)) / double(moved);
  row.worked = u32(took_part.size());
  row.idle = trace_ns * row.worked == 0 ? 0 : double(idle) / (double(trace_ns) * row.worked); // from a worker's last entry to the end of the phase counts too
  row.lock_wait = c.end.pause_ns == 0 ? 0 : double(waits) / (double(c.end.pause_ns) * row.workers);
  row.steals = sum_of(m, &WorkerStats::steals);
  const double each = 1e6 * std::max(row.worked, 1u);
  row.enter_ms = double(entered) / each, row.idle_ms = double(idle) / each, row.lock_ms = double(waits) / each;
  row.work_ms = row.trace_ms - row.enter_ms - row.idle_ms - row.lock_ms;
}

} // namespace

ReplayRow replay(const ReplayPlan& plan, const std::string& preset, u32 workers, bool timeline, bool locality) {
  simulation::Spec spec;
  spec.machine = plan.machine.config();
  spec.options = list_for(plan, preset);
  spec.workers = workers;
  spec.seed = plan.seed;
  spec.eden = simulation::Replay::eden_for(plan.graph);
  // N21 gives each node its share of eden and no more; one thread may have filled most of it.
  if (settings_for(plan, preset).as<SpacePolicy>(Opt::space_eden) == SpacePolicy::fragmented_hotspot) spec.eden *= std::max(1u, plan.machine.config().nodes);
  spec.reserve = align_up(kReservePer * spec.eden + 256 * MiB, 64 * MiB);
  spec.retain = true;
  // A collector that had run the program would expect about what survives; how many workers are woken depends on it.
  u64 young = 0;
  for (u32 o = 0; o < plan.graph.objects(); o++) young += plan.graph.age[o] == 2 ? 0 : plan.graph.bytes[o];
  spec.survival = double(young) / double(spec.eden);
  spec.timeline = timeline;
  spec.locality = locality;
  simulation::Replay program(plan.graph, plan.kind);
  ReplayRow row;
  row.preset = preset;
  row.workers = workers;
  row.measures = simulation::simulate(spec, program);
  const simulation::Measures& m = row.measures;
  if (!m.error.empty()) throw std::runtime_error(fmt::format("preset {}, {} workers: {}", preset, workers, m.error));
  if (m.collections.size() != 1) throw std::runtime_error(fmt::format("preset {}, {} workers: the replay made {} collections, not one", preset, workers, m.collections.size()));
  read_figures(row);
  row.digest = m.digest;
  return row;
}

std::vector<ReplayRow> replay_all(const ReplayPlan& plan, bool timeline, bool locality) {
  std::vector<ReplayRow> rows;
  const bool tell = isatty(2) != 0;
  for (u32 workers : plan.workers)
    for (const std::string& preset : plan.presets) {
      if (tell) say_err("\r\033[K{} of {}: {}, {} workers", rows.size() + 1, plan.workers.size() * plan.presets.size(), preset, workers);
      rows.push_back(replay(plan, preset, workers, timeline, locality));
    }
  if (tell) say_err("\r\033[K");
  return rows;
}

std::string plan_line(const ReplayPlan& plan) {
  const u32 threads = plan.graph.threads();
  return fmt::format("{}\nsimulated on {}: {} collection, objects of {} thread{}, seed {}{}\n{}", heap_line(plan.recording), plan.machine.name, name_of(plan.kind), threads,
                     threads == 1 ? "" : "s", plan.seed, plan.options.empty() ? "" : ", " + plan.options,
                     plan.left_out.empty() ? "" : plan.left_out + "\n");
}

std::string unused_line(const std::vector<ReplayRow>& rows) {
  std::string list;
  for (const ReplayRow& row : rows)
    if (row.worked < row.workers) list += fmt::format("{}{} {} of {}", list.empty() ? "" : ", ", row.preset, row.worked, row.workers);
  if (list.empty()) return "";
  return fmt::format("workers that took part: {}; one is woken for so much expected work as cycle.woken_per says (0: all), and one that wakes up late may find it done (work.join=fixed waits for it)\n", list);
}

ordered_json plan_json(const ReplayPlan& plan) {
  return {{"simulated", true}, {"machine", plan.machine.name}, {"nodes", plan.machine.shape.nodes}, {"cores", plan.machine.cores()},
          {"kind", name_of(plan.kind)}, {"threads", plan.graph.threads()}, {"seed", plan.seed}, {"options", plan.options}, {"left_out", plan.left_out}, {"replayed_bytes", plan.graph.total_bytes()},
          {"recording", heap_json(plan.recording)}};
}

ordered_json row_json(const ReplayRow& row) {
  const simulation::Measures& m = row.measures;
  const simulation::Collection& c = m.collections[0];
  ordered_json all = {{"preset", row.preset}, {"workers", row.workers}, {"worked", row.worked}, {"pause_ns", c.end.pause_ns}, {"trace_ns", c.end.evacuate_ns + c.end.mark_ns},
                      {"gather_ns", c.end.gather_ns}, {"weak_ns", c.end.weak_ns}, {"compact_ns", c.end.compact_ns}, {"finish_ns", c.end.finish_ns},
                      {"copied_bytes", sum_of(m, &WorkerStats::bytes_copied)}, {"marked_bytes", sum_of(m, &WorkerStats::bytes_marked)}, {"copied_gb_per_s", row.copied_gb_per_s},
                      {"remote_share", row.remote}, {"imbalance", row.imbalance}, {"uneven_workers", row.uneven}, {"idle_share", row.idle}, {"lock_wait_share", row.lock_wait},
                      {"enter_ms", row.enter_ms}, {"idle_ms", row.idle_ms}, {"lock_ms", row.lock_ms}, {"work_ms", row.work_ms}, {"steals", row.steals}, {"digest", fmt::format("{:016x}", row.digest)}, {"memory_bytes", c.memory_bytes}};
  ordered_json workers = ordered_json::array();
  for (const simulation::WorkerLine& line : c.workers) {
    ordered_json spans = ordered_json::array();
    for (const auto& [worker, span] : c.spans)
      if (worker == line.worker) spans.push_back({name_of(span.what), span.begin_ns - c.end.start_ns, span.end_ns - c.end.start_ns});
    workers.push_back({{"worker", line.worker}, {"node", line.node}, {"objects_copied", line.stats.objects_copied}, {"bytes_copied", line.stats.bytes_copied},
                       {"bytes_marked", line.stats.bytes_marked}, {"steals", line.stats.steals}, {"steals_remote", line.stats.steals_remote}, {"idle_ns", line.stats.idle_ns},
                       {"spans", spans}});
  }
  all["by_worker"] = workers;
  return all;
}

ordered_json replays_json(const ReplayPlan& plan, const std::vector<ReplayRow>& rows) {
  ordered_json all = plan_json(plan);
  all["rows"] = ordered_json::array();
  for (const ReplayRow& row : rows) all["rows"].push_back(row_json(row));
  return all;
}

std::vector<std::string> row_head() { return {"preset", "workers", "took part", "pause ms", "trace ms", "GB/s", "remote", "imbalance", "uneven", "idle", "lock wait", "steals"}; }

std::vector<std::string> row_cells(const ReplayRow& row) {
  const auto share = [](double of_one) { return fmt::format("{:.1f} %", 100 * of_one); };
  return {row.preset, std::to_string(row.workers), std::to_string(row.worked), fmt::format("{:.3f}", row.pause_ms), fmt::format("{:.3f}", row.trace_ms), fmt::format("{:.2f}", row.copied_gb_per_s),
          share(row.remote), fmt::format("{:.2f}", row.imbalance), fmt::format("{:.2f}", row.uneven), share(row.idle), share(row.lock_wait), std::to_string(row.steals)};
}

} // namespace garner::tool
