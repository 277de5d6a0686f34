// garner_sim_bench: one young collection of a large graph, by the real collector, on a simulated machine and on this one.
//
//   garner_sim_bench [--machine FILE|NAME] [--workers N,N,…] [--objects N] [--options LIST] [--native] [--why]
//
// The graph: objects of 56 bytes with three references, to random others, all held by tables of 500, these by such tables, which are roots; one thread builds it, so that
// under first touch all of it lies on that thread's node (N18), which is what the papers' baseline looks like. The pause is virtual
// time; "host s" is the processor time that simulating it took; with --native the same graph is collected by real threads, one and two,
// and "slowdown" is the processor time of the simulation over that of one native worker. Virtual figures repeat to the last digit, host seconds do not.
// --why tells what the workers of the evacuation did with their time, when they had work, and the serial part of the pause: what lies outside the evacuation, and
// the time in it when no more than one worker was at work.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "arguments.h"
#include "host/synthetic/synthetic.h"
#include "machine/linux/linux.h"
#include "machine/sim/sim.h"
#include "machine_file.h"

namespace garner::bench {
namespace {

struct Options {
  std::string machine = "amd48", more;
  std::vector<u32> workers = {1, 8, 16, 48};
  u64 objects = 1'000'000;
  bool native = false, why = false;
};

// What the workers of a pause's longest parallel phase did, from what the simulated machine sees of them: watching moves no clock.
struct Why {
  static constexpr u32 kColumns = 20;
  struct Step { u64 ps; u32 worker, spot; };
  std::vector<Step> steps;
  PhaseDone longest{};
  u64 tasks = 0, attempts = 0, steals = 0, far = 0, offers = 0, workers = 0;

  static void reached(void* self, u32 worker, u32 spot, u64 ps) { static_cast<Why*>(self)->steps.push_back({ps, worker, spot}); }
  static void event(void* self, EventId id, const void* payload) {
    Why& to = *static_cast<Why*>(self);
    if (id == EventId::worker_phase) {
      const WorkerStats& one = *static_cast<const WorkerPhase*>(payload)->stats;
      to.workers++, to.tasks += one.tasks, to.attempts += one.steal_attempts, to.steals += one.steals, to.far += one.steals_remote, to.offers += one.offers;
    } else if (id == EventId::phase) {
      const auto& one = *static_cast<const PhaseDone*>(payload);
      if (one.ns > to.longest.ns) to.longest = one;
    }
  }
  static int activity(Spot spot) { // -1: not in the phase
    switch (spot) {
      case Spot::woken: case Spot::joined: case Spot::asking: return int(Activity::waits);
      case Spot::root: return int(Activity::roots);
      case Spot::tracing: return int(Activity::copies);
      case Spot::stealing: return int(Activity::steals);
      case Spot::offered: case Spot::dozing: return int(Activity::terminates);
      default: return -1;
    }
  }
  // How long two or more were at work.
  static double together(std::vector<std::pair<double, int>>& turns) {
    std::sort(turns.begin(), turns.end());
    double sum = 0, since = 0;
    int working = 0;
    for (const auto& [at, change] : turns) {
      if (working >= 2) sum += at - since;
      working += change, since = at;
    }
    return sum;
  }
  void print(u64 pause_ns) const {
    double all[kActivities] = {}, copying[kColumns] = {}, sum = 0;
    const double begin = double(longest.start_ns) * 1000, column = double(longest.ns) * 1000 / kColumns;
    std::map<u32, Step> last;
    std::vector<std::pair<double, int>> turns; // columns; who begins to work counts 1, who stops -1
    auto account = [&](const Step& from, double until) {
      const int what = activity(Spot(from.spot));
      double at = std::max((double(from.ps) - begin) / column, 0.0), end = std::min((until - begin) / column, double(kColumns));
      if (what < 0 || end <= at) return;
      all[what] += end - at, sum += end - at;
      const bool works = what <= int(Activity::copies) && what != int(Activity::waits);
      if (works) turns.insert(turns.end(), {{at, 1}, {end, -1}});
      for (u32 k = u32(at); works && k < end; k++) copying[k] += std::min(end, k + 1.0) - std::max(at, double(k));
    };
    for (const Step& step : steps) {
      if (auto it = last.find(step.worker); it != last.end()) account(it->second, double(step.ps));
      last[step.worker] = step;
    }
    for (const auto& [worker, step] : last) account(step, begin + column * kColumns);
    const double outside = double(pause_ns - longest.ns), alone = column / 1000 * (kColumns - together(turns));
    printf("  %s: %llu workers, %llu root tasks, %llu thefts of %llu tried, %llu on other nodes, %llu offers of termination; serial %.1f %% of the pause: %.3f ms outside it, %.3f ms in it with one at work or none\n",
           name_of(longest.phase), (unsigned long long)workers, (unsigned long long)tasks, (unsigned long long)steals, (unsigned long long)attempts, (unsigned long long)far, (unsigned long long)offers,
           100.0 * (outside + alone) / double(pause_ns), outside / 1e6, alone / 1e6);
    printf("  their time:");
    for (u32 a = 0; a < kActivities; a++) printf(" %s %.1f %%", name_of(Activity(a)), 100 * all[a] / std::max(sum, 1e-9));
    printf("\n  at work, by twentieths of the phase:");
    for (double c : copying) printf(" %.0f", c);
    printf("\n");
  }
};

struct Outcome {
  u64 pause_ns = 0, evacuate_ns = 0, copied_bytes = 0, copied_objects = 0, digest = 0, steals = 0, switches = 0;
  double host_s = 0;
  u64 read_remote = 0, read_all = 0; // bytes asked of memories during the collection
  std::string busiest;               // the server that worked most of that time
  u64 busiest_ps = 0, even_ps = 0;   // and all controllers, had they shared evenly
  Why why;                           // with --why
};

constexpr usize kTable = 500, kNodeBytes = 56;

// Processor time of this process: other programs on this machine do not reach it.
double seconds_now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + double(t.tv_nsec) / 1e9;
}

Settings with_workers(const Options& options, u32 workers) {
  Settings settings = settings_of(options.more);
  settings.set(Opt::workers, workers);
  return settings;
}

// The program: builds, collects once, and tells. One thread of either machine.
template <class M> class Program {
 public:
  Program(M& machine, const Options& options, u32 workers, u64 seed) : machine_(machine), options_(options), random_(seed), host_(machine, with_workers(options, workers), {}) {}

  bool start() {
    SyntheticShape shape;
    shape.reserve = align_up(8 * options_.objects * kNodeBytes + 256 * MiB, 64 * MiB);
    shape.eden = shape.eden_min = shape.eden_max = align_up(2 * options_.objects * kNodeBytes + 32 * MiB, 4 * MiB);
    return host_.start(shape);
  }
  void run(const std::function<void()>& before = {}, const std::function<void()>& after = {}) {
    typename M::Self self(machine_, 0);
    synthetic::Mutator<M> mutator(host_);
    host_.add(mutator);
    host_.program.come_in(self);
    build(self, mutator);
    Request request;
    request.kind = Kind::young1;
    request.cause = Cause::induced;
    request.may_widen = false;
    if (options_.why) host_.cycle->emitter().add({&Why::event, &outcome.why});
    if (before) before();
    const double began = seconds_now();
    mutator.collect(self, request);
    outcome.host_s = seconds_now() - began;
    if (after) after();
    const CycleEnd& end = host_.cycle->last_any().end;
    outcome.pause_ns = end.pause_ns;
    outcome.evacuate_ns = end.evacuate_ns;
    for (u32 w = 0; w < host_.cycle->gang().workers(); w++) {
      outcome.copied_bytes += host_.cycle->collecting(w).copied_bytes;
      outcome.copied_objects += host_.cycle->collecting(w).copied_objects;
    }
    host_.program.go_out(self);
    host_.stop_workers(self);
  }
  Outcome outcome;

 private:
  Ref make(typename M::Self& self, synthetic::Mutator<M>& mutator, synthetic::Shape shape, u64 detail, usize bytes) {
    Ref ref = mutator.allocate(self, {synthetic::make_type(shape, 0, detail, bytes), next_id_++});
    GARNER_CHECK(ref.at != 0, "the heap is too small for the graph");
    self.write(block_of(ref), bytes); // the program's own writing is charged here only: with it the pages become this thread's
    return ref;
  }
  void build(typename M::Self& self, synthetic::Mutator<M>& mutator) {
    const usize tables = div_up(options_.objects, kTable);
    std::vector<Ref> all;
    Ref top{0};
    for (usize t = 0; t < tables; t++) {
      if (t % kTable == 0) {
        top = make(self, mutator, synthetic::Shape::repeated, synthetic::pattern(1, 0), kMinObjectBytes + min_of(kTable, tables - t) * kWordBytes);
        GARNER_CHECK(mutator.cells.push({top.at, 0, 0, RootKind::exact}), "no memory");
      }
      Ref table = make(self, mutator, synthetic::Shape::repeated, synthetic::pattern(1, 0), kMinObjectBytes + kTable * kWordBytes);
      host_.write(synthetic::slot_at(top, t % kTable), table);
      for (usize i = 0; i < kTable; i++) {
        all.push_back(make(self, mutator, synthetic::Shape::plain, 3, kNodeBytes));
        host_.write(synthetic::slot_at(table, i), all.back());
      }
    }
    for (Ref one : all)
      for (usize slot = 0; slot < 3; slot++) host_.write(synthetic::slot_at(one, slot), all[random_.below(all.size())]);
  }

  M& machine_;
  const Options& options_;
  Random random_;
  Synthetic<M> host_;
  u32 next_id_ = 1;
};

// What each controller would have worked, had all shared evenly.
u64 even_of(const std::vector<sim::Server>& before, const std::vector<sim::Server>& after, u32 nodes) {
  u64 sum = 0;
  for (u32 n = 0; n < nodes && n < after.size(); n++) sum += after[n].busy_ps - before[n].busy_ps;
  return sum / max_of(nodes, 1u);
}

// Controllers, then links.
std::vector<sim::Server> servers_of(Sim& machine, const tool::MachineFile& file) {
  std::vector<sim::Server> all;
  if (file.uniform) return all;
  for (u32 n = 0; n < file.shape.nodes; n++) all.push_back(machine.fabric().controller(n));
  for (u32 i = 0; i < file.shape.links; i++) all.push_back(machine.fabric().link(i));
  return all;
}

// "link 0>2 4.1 ms": which worked longest, and how long.
std::string busiest_of(const std::vector<sim::Server>& before, const std::vector<sim::Server>& after, const tool::MachineFile& file, u64& most) {
  most = 0;
  std::string name;
  for (usize i = 0; i < after.size(); i++) {
    const u64 ps = after[i].busy_ps - before[i].busy_ps;
    if (ps <= most) continue;
    most = ps;
    const u32 link = u32(i - file.shape.nodes);
    name = i < file.shape.nodes ? "node " + std::to_string(i) : "link " + std::to_string(file.shape.link[link].from) + ">" + std::to_string(file.shape.link[link].to);
  }
  return most == 0 ? "-" : name + " " + std::to_string(most / 1'000'000'000) + "." + std::to_string(most / 100'000'000 % 10) + " ms";
}

Outcome simulated(const Options& options, const tool::MachineFile& file, u32 workers) {
  Sim machine(file.config());
  Program<Sim> program(machine, options, workers, 1);
  if (!program.start()) exit(1);
  u64 all = 0, remote = 0;
  auto count = [&](u64 sign) {
    if (file.uniform) return;
    for (u32 a = 0; a < machine.nodes(); a++)
      for (u32 b = 0; b < machine.nodes(); b++) {
        all += sign * machine.fabric().asked(a, b);
        if (a != b) remote += sign * machine.fabric().asked(a, b);
      }
  };
  std::vector<sim::Server> before;
  std::function<void()> body = [&] {
    program.run([&] { count(u64(-1)), before = servers_of(machine, file); },
                [&] {
                  const std::vector<sim::Server> after = servers_of(machine, file);
                  count(1), program.outcome.busiest = busiest_of(before, after, file, program.outcome.busiest_ps), program.outcome.even_ps = even_of(before, after, file.shape.nodes);
                });
  };
  if (options.why) {
    Sim::Watcher watcher;
    watcher.self = &program.outcome.why;
    watcher.reached = &Why::reached;
    machine.watch(watcher);
  }
  machine.start([](void* at) { (*static_cast<std::function<void()>*>(at))(); }, &body);
  const Sim::Outcome end = machine.run();
  if (end.end != sim::End::finished) {
    fprintf(stderr, "garner_sim_bench: %s\n", end.text);
    exit(1);
  }
  Outcome outcome = std::move(program.outcome);
  outcome.digest = machine.digest();
  outcome.switches = machine.switches();
  outcome.read_all = all;
  outcome.read_remote = remote;
  return outcome;
}

Outcome native(const Options& options, u32 workers) {
  Linux machine(1);
  Program<Linux> program(machine, options, workers, 1);
  if (!program.start()) exit(1);
  program.run();
  return program.outcome;
}

// of bound: the shortest pause that the machine allows over this one. No server can be passed, and so many workers do at best so many times the first line's.
// if even: the same had the bytes been spread evenly over all controllers, and links counted for nothing.
void print(const char* where, u32 workers, const Outcome& o, double alone_ms, u32 alone, double native_s) {
  const double ms = double(o.pause_ns) / 1e6;
  const auto of_bound = [&](u64 server_ps) { return std::max(double(server_ps) / 1e9, alone_ms * alone / workers) / ms; };
  printf("%-14s %7u %10.3f %10.3f %8.2f %8.2f", where, workers, ms, double(o.evacuate_ns) / 1e6, alone_ms / ms, double(o.copied_bytes) / double(o.pause_ns));
  if (o.read_all != 0) printf(" %7.1f%%", 100.0 * double(o.read_remote) / double(o.read_all));
  else printf(" %8s", "-");
  printf(" %17s %8.2f %8.2f", o.busiest.c_str(), of_bound(o.busiest_ps), of_bound(o.even_ps));
  printf(" %8.2f", o.host_s);
  if (native_s > 0) printf(" %8.1f", o.host_s / native_s);
  else printf(" %8s", "-");
  if (o.digest != 0) printf("  %016llx", static_cast<unsigned long long>(o.digest));
  printf("\n");
  fflush(stdout);
}

int bench(const Options& options, const tool::MachineFile& file) {
  printf("%llu objects of %zu bytes, young collection%s%s\n", static_cast<unsigned long long>(options.objects), kNodeBytes, options.more.empty() ? "" : ", ", options.more.c_str());
  printf("%-14s %7s %10s %10s %8s %8s %8s %17s %8s %8s %8s %8s\n", "machine", "workers", "pause ms", "evacuate", "speedup", "GB/s", "remote", "busiest", "of bound", "if even", "host s", "slowdown");
  double native_s = 0, native_ms = 0;
  if (options.native)
    for (u32 workers : {1u, 2u}) {
      const Outcome o = native(options, workers);
      if (workers == 1) native_s = o.host_s, native_ms = double(o.pause_ns) / 1e6;
      print("native", workers, o, native_ms, 1, 0);
    }
  double alone_ms = 0;
  for (u32 workers : options.workers) {
    const Outcome o = simulated(options, file, workers);
    if (alone_ms == 0) alone_ms = double(o.pause_ns) / 1e6;
    print(file.name.c_str(), workers, o, alone_ms, options.workers[0], native_s);
    if (options.why) o.why.print(o.pause_ns);
  }
  return 0;
}

// A graph takes memory of this process several times: eden, copies, and what lists them.
constexpr u64 kObjectsLeast = 1000, kObjectsMost = 50'000'000;

} // namespace
} // namespace garner::bench

int main(int count, char** args) {
  using namespace garner::bench;
  Options options;
  CLI::App app("One young collection of a large graph, by the real collector, on a simulated machine and on this one", "garner_sim_bench");
  app.add_option("--machine", options.machine, "A machine file, by name ('garner machine list') or path")->type_name("NAME|FILE")->capture_default_str();
  add_workers(app, options.workers);
  app.add_option("--objects", options.objects, "Objects of the graph")->type_name("N")->check(CLI::Range(kObjectsLeast, kObjectsMost))->capture_default_str();
  app.add_option("--options", options.more, "Options of the collector")->type_name("LIST");
  app.add_flag("--native", options.native, "Collect the same graph with real threads too, one and two");
  app.add_flag("--why", options.why, "Tell what the workers did with their time");
  return run_with(app, count, args, [&] {
    const garner::tool::MachineFile file = garner::tool::find_machine(options.machine);
    check_workers(app, file, options.workers);
    settings_of(options.more); // what is wrong with them is said before anything is printed
    return bench(options, file);
  });
}
