// `garner machine`: the machines that can be simulated. list, show, check and bench are here; calibrate and import have files of their own.
#include <memory>

#include <fmt/format.h>

#include "command.h"
#include "machine_calibrate.h"
#include "machine_file.h"
#include "machine_import.h"
#include "paths.h"
#include "placement_bench.h"
#include "say.h"
#include "strict_json.h"
#include "table.h"

namespace garner::tool {
namespace {

std::string gb(u64 ps_per_kib) { return fmt::format("{:.1f}", 1024e3 / double(ps_per_kib)); } // GB/s
std::string ns(u64 ps) { return fmt::format("{:.1f}", double(ps) / 1000); }

int list_machines() {
  Table table({"machine", "nodes", "cores", "threads", "what it is"});
  table.left(4);
  for (const std::string& name : machine_names()) {
    const MachineFile m = find_machine(name);
    table.row({m.name, std::to_string(m.shape.nodes), std::to_string(m.cores()), std::to_string(m.threads()), m.about});
  }
  table.row({"uniform-N", "1", "N", "N", "Generated: no caches, controllers or links; uniform-KxC has K nodes of C cores"});
  say_out("{}", table.text(colours_on(1)));
  return 0;
}

void show_full(const MachineFile& m) {
  const sim::Shape& s = m.shape;
  Table memory({"memory", "tier", "read GB/s", "write GB/s", "granule B", "lines in flight", "random +ns", "stream +ns"});
  for (u32 i = 0; i < s.memories; i++) {
    const sim::Memory& one = s.memory[i];
    memory.row({m.memories[i], std::to_string(one.tier), gb(one.read_ps_per_kib), gb(one.write_ps_per_kib), std::to_string(one.granule), std::to_string(one.stream_lines), ns(one.random_extra), ns(one.stream_extra)});
  }
  Table distance({"distance", "memory ns", "load dirty", "load clean", "store dirty", "store clean", "swap dirty", "swap clean"});
  for (u32 i = 0; i < s.distances; i++) {
    const sim::Distance& d = s.distance[i];
    distance.row({m.distances[i], ns(d.memory), ns(d.load_dirty), ns(d.load_clean), ns(d.store_dirty), ns(d.store_clean), ns(d.swap_dirty), ns(d.swap_clean)});
  }
  std::vector<std::string> head = {"from \\ to"};
  for (u32 n = 0; n < s.nodes; n++) head.push_back(std::to_string(n));
  Table ways(head);
  for (u32 a = 0; a < s.nodes; a++) {
    std::vector<std::string> row = {std::to_string(a)};
    for (u32 b = 0; b < s.nodes; b++) {
      std::string way;
      for (u32 at = a; at != b; at = s.step[at][b]) way += fmt::format("{}{}", way.empty() ? "" : "-", s.step[at][b]);
      row.push_back(a == b ? "." : way);
    }
    ways.row(row);
  }
  say_out("{}\n{}\nways between nodes, by the nodes passed\n{}", memory.text(colours_on(1)), distance.text(colours_on(1)), ways.text(colours_on(1)));
}

int show_machine(const std::string& name, bool json) {
  const MachineFile m = find_machine(name);
  if (json) {
    say_out("{}", m.text);
    return 0;
  }
  say_out("{}: {}\n{} nodes, {} cores, {} threads\n\n", m.name, m.about, m.shape.nodes, m.cores(), m.threads());
  if (!m.uniform) show_full(m);
  say_out("\nwhere the values come from\n");
  for (const auto& [path, source] : m.sources) say_out("  {}: {}\n", path, source);
  return 0;
}

int check_machine(const std::string& file) {
  const MachineFile m = find_machine(file);
  say_out("{}: good: {}, {} nodes, {} cores\n", printable(file), m.name, m.shape.nodes, m.cores());
  return 0;
}

struct BenchOptions {
  std::string machine;
  std::vector<u32> threads; // empty: those of the paper's figure that the machine has, or up to all of a larger one
  u64 megabytes = 48;
};

std::vector<u32> usual_threads(u32 all) {
  std::vector<u32> threads;
  for (u32 t : {1u, 4u, 8u, 16u, 24u, 32u, 40u, 48u, 64u, 96u, 128u, 192u})
    if (t < all) threads.push_back(t);
  threads.push_back(all);
  return threads;
}

int bench_machine(BenchOptions options) {
  const MachineFile m = find_machine(options.machine);
  if (options.threads.empty()) options.threads = usual_threads(m.threads());
  std::vector<std::string> head = {"GB/s (simulated)"};
  for (u32 t : options.threads) {
    if (t == 0 || t > m.threads()) throw UsageError(fmt::format("{} has 1 to {} threads, not {}", m.name, m.threads(), t));
    head.push_back(std::to_string(t));
  }
  head.push_back("knee");
  Table table(head);
  for (Placement placement : kPlacements) {
    std::vector<PlacementPoint> curve;
    std::vector<std::string> row = {placement_name(placement)};
    for (u32 t : options.threads) {
      curve.push_back(run_placement(m.config(), placement, t, options.megabytes << 20));
      row.push_back(fmt::format("{:.1f}", curve.back().gb_per_s()));
    }
    row.push_back(std::to_string(knee_of(curve, 3)));
    table.row(row);
  }
  say_out("{}", table.text(colours_on(1)));
  return 0;
}

} // namespace

Command add_machine(CLI::App& root) {
  CLI::App* app = root.add_subcommand("machine", "Machines that can be simulated: list, show, check, bench, calibrate, import");
  app->require_subcommand(1);
  app->footer("A machine is a name from the list, uniform-N, or a file (docs/machines.md). calibrate measures this machine, import reads a description of another.");
  using Run = std::function<int()>;
  auto chosen = std::make_shared<Run>();
  auto name = std::make_shared<std::string>();
  auto sub = [&](const char* word, const char* what, Run run) {
    CLI::App* one = app->add_subcommand(word, what);
    one->callback([chosen, run] { *chosen = run; });
    return one;
  };
  sub("list", "The machines that come with the program", list_machines);
  auto json = std::make_shared<bool>(false);
  CLI::App* show = sub("show", "A machine's memories, distances, ways, and where the values come from", [=] { return show_machine(*name, *json); });
  show->add_option("MACHINE", *name, "Name or file")->required()->option_text("MACHINE");
  show->add_flag("--json", *json, "The file itself");
  sub("check", "Whether a machine file is right", [=] { return check_machine(*name); })->add_option("FILE", *name, "Name or file")->required()->option_text("FILE");
  auto bench = std::make_shared<BenchOptions>();
  CLI::App* bench_app = sub("bench", "The placement micro-benchmark on the simulated machine: bandwidth by threads and placement", [=] { return bench_machine(*bench); });
  bench_app->add_option("MACHINE", bench->machine, "Name or file")->required()->option_text("MACHINE");
  bench_app->add_option("--threads", bench->threads, "How many threads, one column each; otherwise some up to all")->delimiter(',')->type_name("N,N");
  bench_app->add_option("--megabytes", bench->megabytes, "Read in all, for each cell")->check(CLI::Range(1, 4096))->type_name("N")->capture_default_str();
  add_machine_calibrate(*app, chosen);
  add_machine_import(*app, chosen);
  return {app, [chosen](const Invocation&) { return (*chosen)(); }};
}

} // namespace garner::tool
