#include "machine_calibrate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include "errors.h"
#include "host_facts.h"
#include "host_probes.h"
#include "machine_draft.h"
#include "machine_file.h"
#include "machine_order.h"
#include "paths.h"
#include "say.h"

namespace garner::tool {
namespace {

struct CalibrateOptions {
  std::string out, name;
  double effort = 1;
};

// One step after the other, told on stderr; a terminal sees each step before it is done.
class Calibration {
 public:
  Calibration(const CalibrateOptions& options, MachineFacts facts, const std::string& name) : options_(options), facts_(std::move(facts)), machine_(draft_machine(facts_, name)) {
    machine_["about"] = "This machine, measured";
    for (const MachineFacts::Node& node : facts_.nodes) cpus_.push_back(cpus_of(node));
    for (const auto& cpus : cpus_) all_.insert(all_.end(), cpus.begin(), cpus.end());
    if (all_.empty()) throw UsageError("no processor of this machine may be used");
  }

  StrictJson run() {
    double load = 0;
    if (getloadavg(&load, 1) == 1 && load > 0.5 * double(all_.size()))
      say_err("the machine is busy (load {:.1f} on {} processors): figures may come out too large\n", load, all_.size());
    caches();
    distances();
    bandwidth();
    order();
    calls();
    return machine_;
  }

 private:
  // One thread of each core, of those this process may use.
  std::vector<u32> cpus_of(const MachineFacts::Node& node) const {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    std::vector<u32> cpus;
    for (u32 c : read_cpu_list(first_line(fmt::format("/sys/devices/system/node/node{}/cpulist", node.id)), "cpulist"))
      if (c < CPU_SETSIZE && CPU_ISSET(c, &allowed)) cpus.push_back(c);
    if (cpus.size() > node.cores) cpus.resize(node.cores); // siblings come after all first threads on the usual numbering
    return cpus;
  }
  void keep(const std::string& path, double value, const char* unit, const std::string& how = "") {
    const double rounded = std::max(0.0, std::round(value * 10) / 10);
    set_value(machine_, path, rounded, fmt::format("measured: {}", how.empty() ? "on this machine" : how));
    say_err("  {} = {:.1f} {}\n", path, rounded, unit);
  }
  // A figure that is measured once more when another one contradicts it.
  void measure(const std::string& path, const char* unit, const std::string& how, std::function<double()> once) {
    keep(path, once(), unit, how);
    again_[path] = {unit, how, std::move(once)};
  }
  void step(const std::string& what) { say_err("[{}/4] {} …\n", ++step_, what); }

  void caches() {
    step("caches");
    const u32 cpu = all_[0];
    measure("core.own_hit_ns", "ns", "chain of loads over 16 KiB", [=, this] { return chase_ns(cpu, -1, 16 * KiB, options_.effort); });
    const u64 own = u64(machine_["core"]["own_cache_kib"].get<double>()) * KiB, shared = u64(machine_["core"]["shared_cache_kib"].get<double>()) * KiB;
    if (shared > 4 * own) measure("core.shared_hit_ns", "ns", "chain of loads beyond the own caches", [=, this] { return chase_ns(cpu, -1, std::min(3 * own, shared / 2), options_.effort); });
  }

  // For each class of distance the first pair of nodes that has it.
  void distances() {
    step("latency and line transfer by distance");
    const StrictJson table = machine_["distance"], classes = machine_["distances"]; // copies: values change below
    const u64 bytes = std::max<u64>(64 * MiB, 4 * facts_.l3_bytes);
    for (const auto& [name, row] : classes.items()) {
      for (size_t a = 0; a < table.size(); a++) {
        size_t b = 0;
        while (b < table.size() && table[a][b] != name) b++;
        if (b == table.size() || cpus_[a].empty()) continue;
        pair(name, a, b, bytes);
        break;
      }
    }
  }
  void pair(const std::string& name, size_t a, size_t b, u64 bytes) {
    const std::string path = "distances." + name + ".";
    measure(path + "memory_ns", "ns", options_.effort < 1 ? "chain of loads over 8 MiB, which caches may hold (effort below 1)" : "chain of loads over memory",
            [=, this] { return chase_ns(cpus_[a][0], table_node(b), options_.effort < 1 ? 8 * MiB : bytes, options_.effort); });
    const std::vector<u32>& others = cpus_[b];
    const u32 other = a != b ? (others.empty() ? cpus_[a][0] : others[0]) : others.size() > 1 ? others[1] : others[0];
    if (other == cpus_[a][0]) return; // nobody to pass a line to
    const double line = hand_over_ns(cpus_[a][0], other, HandOver::polled, options_.effort), swap = hand_over_ns(cpus_[a][0], other, HandOver::swapped, options_.effort);
    keep(path + "load_dirty_ns", line, "ns", "a flag handed over by polling");
    keep(path + "store_dirty_ns", line, "ns", "as load_dirty_ns");
    keep(path + "swap_dirty_ns", swap, "ns", "a flag handed over by compare-and-swap");
    for (const char* clean : {"load_clean_ns", "store_clean_ns", "swap_clean_ns"}) {
      set_value(machine_, path + clean, std::round(10 * line * (clean[0] == 'l' ? 1 : 1.4)) / 10, "guessed: from load_dirty_ns");
    }
  }
  const char* few() const { return options_.effort < 1 ? ", over so little memory that caches may hold it (effort below 1)" : ""; }
  int table_node(size_t n) const { return facts_.nodes.size() == 1 ? -1 : facts_.nodes[n].id; }

  void bandwidth() {
    step("bandwidth by number of threads");
    std::vector<u32> cpus;
    for (const auto& list : cpus_)
      if (cpus.empty()) cpus = list; // of the first node that has cores
    double best = 0;
    std::string curve;
    for (size_t n = 1; n <= cpus.size(); n = n == cpus.size() ? n + 1 : std::min(2 * n, cpus.size())) {
      const double gb = bandwidth_gb({cpus.begin(), cpus.begin() + long(n)}, false, options_.effort);
      say_err("  {} threads read {:.1f} GB/s\n", n, gb);
      curve += fmt::format("{}{}: {:.1f}", curve.empty() ? "" : ", ", n, gb);
      if (n == 1) alone_gb_ = gb;
      best = std::max(best, gb);
    }
    const std::string how = fmt::format("threads of one node in sequence{} ({} GB/s)", few(), curve);
    keep("memories.dram.read_gb_per_s", best, "GB/s", how);
    again_["memories.dram.read_gb_per_s"] = {"GB/s", how, [=, this] { return bandwidth_gb(cpus, false, options_.effort); }};
    keep("memories.dram.write_gb_per_s", bandwidth_gb(cpus, true, options_.effort), "GB/s", fmt::format("all threads of one node, memset{}", few()));
  }

  // Figures that contradict each other: short rounds beside other programs. Those that should be better are measured twice more, and the best counts; where that does not
  // help machine_order.h says which one gets the other's value.
  void order() {
    for (int round = 0; round < 2; round++) {
      std::map<std::string, std::string> broken; // a figure, and one that contradicts it
      for (const BrokenOrder& one : broken_orders(machine_)) broken.try_emplace(one.better, one.than);
      for (const auto& [path, than] : broken) {
        const auto found = again_.find(path);
        if (found == again_.end()) continue;
        const auto& [unit, how, once] = found->second;
        say_err("  {} contradicts {}, and is measured again\n", path, than);
        const double before = value_of(machine_, path), now = once();
        if (path.ends_with("_gb_per_s") ? now > before : now < before) keep(path, now, unit, how);
      }
    }
    for (const std::string& changed : put_in_order(machine_)) say_err("  {}\n", changed);
    const std::string near = machine_["distance"][0][0].get<std::string>();
    const double latency = machine_["distances"][near]["memory_ns"].get<double>() + machine_["core"]["line_work_ns"].get<double>();
    set_value(machine_, "memories.dram.stream_lines", std::clamp(std::round(alone_gb_ * latency / 64), 1.0, 1024.0), "derived: what one thread read, by the latency");
  }

  void calls() {
    step("system calls");
    const CallCosts c = call_costs(all_, options_.effort);
    const std::pair<const char*, double> rows[] = {{"park_call_ns", c.park_call}, {"wake_call_ns", c.wake_call}, {"wake_latency_ns", c.wake_latency}, {"page_fault_ns", c.page_fault},
      {"reserve_call_ns", c.reserve_call}, {"bind_call_ns", c.bind_call}, {"discard_page_ns", c.discard_page}, {"page_query_ns", c.page_query}, {"query_call_ns", c.query_call}, {"clock_read_ns", c.clock_read},
      {"pin_call_ns", c.pin_call}, {"yield_ns", c.yield}, {"pause_ns", c.pause}, {"start_thread_ns", c.start_thread}, {"atomic_own_ns", addition_ns(all_[0], options_.effort)}};
    for (const auto& [key, ns] : rows) {
      if (ns > kMostCallNs) keep(std::string("costs.") + key, kMostCallNs, "ns", "more than a file may say, beside other programs");
      else if (ns >= 0) keep(std::string("costs.") + key, ns, "ns");
      else say_err("  costs.{}: the call is refused here; the guess stays\n", key);
    }
  }

  const CalibrateOptions& options_;
  MachineFacts facts_;
  StrictJson machine_;
  std::vector<std::vector<u32>> cpus_; // by node
  std::vector<u32> all_;
  struct Again { const char* unit; std::string how; std::function<double()> once; };
  std::map<std::string, Again> again_; // by path
  double alone_gb_ = 0;                // what one thread reads
  u32 step_ = 0;
};

int calibrate(const CalibrateOptions& options) {
  want_place_for(options.out);
  std::string name = options.name;
  if (name.empty()) name = options.out.empty() ? "this" : fs::path(options.out).stem().string();
  const std::string text = machine_text(Calibration(options, read_sysfs("/"), name).run());
  const MachineFile machine = parse_machine(text, options.out.empty() ? name : options.out);
  if (options.out.empty()) {
    say_out("{}", text);
    return 0;
  }
  write_file(options.out, text);
  say_out("{}: {} nodes, {} cores, {} threads\n", printable(options.out), machine.shape.nodes, machine.cores(), machine.threads());
  return 0;
}

} // namespace

void add_machine_calibrate(CLI::App& machine, std::shared_ptr<std::function<int()>> chosen) {
  CLI::App* app = machine.add_subcommand("calibrate", "Measure this machine and write a machine file");
  auto options = std::make_shared<CalibrateOptions>();
  app->add_option("-o,--out", options->out, "The file; otherwise it is printed")->type_name("FILE");
  app->add_option("--name", options->name, "Of the machine; otherwise the file's")->type_name("NAME");
  app->add_option("--effort", options->effort, "How long each figure is measured, and below 1 over how much less memory, so that caches are measured too; 1 takes about half a minute")->check([](const std::string& text) { return text.find_first_not_of("0123456789.+-eE") == std::string::npos ? "" : fmt::format("'{}' is no number", shortened(text)); })->check(CLI::Range(0.001, 100.0))->type_name("X")->capture_default_str();
  app->callback([chosen, options] { *chosen = [options] { return calibrate(*options); }; });
}

} // namespace garner::tool
