// The schema of machine files, key by key; docs/machines.md says the same in words.
#include "machine_file.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "errors.h"
#include "paths.h"
#include "strict_json.h"

namespace garner::tool {
namespace {

using sim::Costs;
using sim::Shape;

constexpr u32 kUniformCoresMost = 1024; // of a node
constexpr u64 kMostCacheKib = 4 << 20; // of all caches together, each line of which is simulated

enum Model : u32 { kUniform = 1, kFull = 2, kBoth = 3 };
struct CostKey {
  const char* key;
  u64 Costs::* field;
  u32 models;
};
constexpr CostKey kCosts[] = {
  {"slot_load_ns", &Costs::slot_load, kUniform}, {"slot_store_ns", &Costs::slot_store, kUniform}, {"line_in_ns", &Costs::line_in, kUniform},
  {"read_line_ns", &Costs::read_line, kUniform}, {"write_line_ns", &Costs::write_line, kUniform}, {"copy_from_line_ns", &Costs::copy_from_line, kUniform},
  {"copy_to_line_ns", &Costs::copy_to_line, kUniform}, {"stream_to_line_ns", &Costs::stream_to_line, kUniform}, {"line_fetch_ns", &Costs::line_fetch, kUniform},
  {"line_take_ns", &Costs::line_take, kUniform}, {"prefetch_ns", &Costs::prefetch, kBoth}, {"atomic_load_ns", &Costs::atomic_load, kBoth},
  {"atomic_own_ns", &Costs::atomic_own, kBoth}, {"pause_ns", &Costs::pause, kBoth}, {"yield_ns", &Costs::yield, kBoth}, {"park_call_ns", &Costs::park_call, kBoth},
  {"wake_call_ns", &Costs::wake_call, kBoth}, {"wake_latency_ns", &Costs::wake_latency, kBoth}, {"futex_lock_ns", &Costs::futex_lock, kFull},
  {"page_fault_ns", &Costs::page_fault, kBoth}, {"page_lock_ns", &Costs::page_lock, kFull}, {"reserve_call_ns", &Costs::reserve_call, kBoth},
  {"bind_call_ns", &Costs::bind_call, kBoth}, {"discard_page_ns", &Costs::discard_page, kBoth}, {"page_query_ns", &Costs::page_query, kBoth}, {"query_call_ns", &Costs::query_call, kBoth},
  {"clock_read_ns", &Costs::clock_read, kBoth}, {"pin_call_ns", &Costs::pin_call, kBoth}, {"start_thread_ns", &Costs::start_thread, kBoth},
};

// One file on its way into a MachineFile.
class Reading {
 public:
  Reading(const std::string& text, const std::string& file) : file_(file), all_(parse_strictly(text, file)) { machine.text = text; }

  MachineFile take() {
    Keys top(all_, file_, "");
    top.version("garner_machine", 1);
    machine.name = top.text("name", 100);
    if (machine.name.empty() || machine.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_.") != std::string::npos)
      top.fail("name", "must be small letters, digits, '-', '_' and '.'");
    machine.about = top.text("about", 1000);
    machine.uniform = top.has("uniform");
    if (machine.uniform) uniform(top);
    else full(top);
    sources(top);
    return std::move(machine);
  }

 private:
  void uniform(Keys& top) {
    Keys keys = top.object("uniform");
    machine.shape.nodes = u32(keys.whole("nodes", 1, sim::kNodesMax));
    machine.cores_per_node = u32(keys.whole("cores_per_node", 1, kUniformCoresMost));
    keys.done();
    costs(top, kUniform);
  }

  void full(Keys& top) {
    core(top.object("core"));
    memories(top);
    distances(top);
    nodes(top);
    distance_table(top);
    memset(machine.shape.step, sim::kNoStep, sizeof machine.shape.step);
    links(top);
    if (top.has("routes")) routes(top);
    find_ways(top);
    machine.shape.page_bytes = top.whole("page_kib", 4, 1 << 20) * KiB;
    if (!is_power_of_two(machine.shape.page_bytes)) top.fail("page_kib", "must be a power of two");
    costs(top, kFull);
    if (top.has("curves")) curves(top);
    if (const char* wrong = check_shape(machine.shape)) top.fail("", wrong);
  }

  void core(Keys keys) {
    Shape& s = machine.shape;
    keys.whole("clock_mhz", 1, 100'000);
    s.threads = u32(keys.whole("threads", 1, 8));
    s.busy_percent = u32(keys.whole("busy_percent", 100, 800));
    s.own_lines = lines(keys.whole("own_cache_kib", 1, 1 << 20));
    s.costs.slot_load = keys.picoseconds("own_hit_ns");
    s.cluster_cores = u32(keys.whole("cluster_cores", 1, sim::kCoresMax));
    s.shared_lines = lines(keys.whole("shared_cache_kib", 1, 4 << 20));
    s.shared_hit = keys.picoseconds("shared_hit_ns");
    s.line_work = keys.picoseconds("line_work_ns");
    s.prefetch_lines = u32(keys.whole("prefetch_lines", 1, 64));
    keys.done();
  }
  static u32 lines(u64 kib) { return u32(kib * KiB / kLineBytes); }

  void memories(Keys& top) {
    top.each_member("memories", 1, sim::kMemoriesMax, [&](const std::string& name, Keys keys) {
      sim::Memory& m = machine.shape.memory[machine.shape.memories++];
      machine.memories.push_back(name);
      m.tier = u32(keys.whole("tier", 0, 15));
      m.read_ps_per_kib = keys.rate("read_gb_per_s");
      m.write_ps_per_kib = keys.rate("write_gb_per_s");
      m.granule = u32(keys.whole("granule_bytes", kLineBytes, kPageBytes));
      if (!is_power_of_two(m.granule)) keys.fail(keys.path_of("granule_bytes"), "must be a power of two");
      m.stream_lines = u32(keys.whole("stream_lines", 1, 1024));
      m.random_extra = keys.picoseconds("random_extra_ns");
      m.stream_extra = keys.picoseconds("stream_extra_ns");
      keys.done();
    });
  }

  void distances(Keys& top) {
    top.each_member("distances", 1, sim::kDistancesMax, [&](const std::string& name, Keys keys) {
      sim::Distance& d = machine.shape.distance[machine.shape.distances++];
      machine.distances.push_back(name);
      d.memory = keys.picoseconds("memory_ns");
      d.load_dirty = keys.picoseconds("load_dirty_ns");
      d.load_clean = keys.picoseconds("load_clean_ns");
      d.store_dirty = keys.picoseconds("store_dirty_ns");
      d.store_clean = keys.picoseconds("store_clean_ns");
      d.swap_dirty = keys.picoseconds("swap_dirty_ns");
      d.swap_clean = keys.picoseconds("swap_clean_ns");
      keys.done();
    });
    u32 within;
    top.one_of("within_cluster", machine.distances, within);
    machine.shape.within = u8(within);
  }

  void nodes(Keys& top) {
    u64 cores = 0;
    top.each("nodes", 1, sim::kShapeNodesMax, [&](const StrictJson& value, const std::string& path) {
      Keys keys(value, file_, path);
      sim::NodeShape& node = machine.shape.node[machine.shape.nodes++];
      keys.whole("package", 0, 1023);
      node.cores = u32(keys.whole("cores", 0, sim::kCoresMax));
      keys.one_of("memory", machine.memories, node.memory);
      keys.whole("memory_gib", 1, 1 << 20);
      keys.done();
      cores += node.cores;
    });
    if (cores == 0 || cores > sim::kCoresMax) top.fail("nodes", fmt::format("must have 1 to {} cores together, not {}", sim::kCoresMax, cores));
    bound_caches(top, cores);
  }

  void bound_caches(const Keys& top, u64 cores) {
    const Shape& s = machine.shape;
    u64 clusters = 0;
    for (u32 n = 0; n < s.nodes; n++) clusters += div_up(s.node[n].cores, s.cluster_cores);
    const u64 own = u64(s.own_lines) * kLineBytes / KiB * cores, shared = u64(s.shared_lines) * kLineBytes / KiB * clusters;
    if (own + shared > kMostCacheKib)
      top.fail(own > shared ? "core.own_cache_kib" : "core.shared_cache_kib", fmt::format("the caches of {} cores and {} clusters have {} KiB together; at most {} can be simulated", cores, clusters, own + shared, kMostCacheKib));
  }

  void distance_table(Keys& top) {
    Shape& s = machine.shape;
    top.each("distance", s.nodes, s.nodes, [&](const StrictJson& row, const std::string& path) {
      const usize from = row_number_++;
      if (!row.is_array() || row.size() != s.nodes) top.fail(path, fmt::format("must be a list of {} names, one for each node", s.nodes));
      for (usize to = 0; to < s.nodes; to++) {
        const std::string at = fmt::format("{}[{}]", path, to);
        if (!row[to].is_string()) top.fail(at, "must be the name of a distance");
        const auto found = std::find(machine.distances.begin(), machine.distances.end(), row[to].get<std::string>());
        if (found == machine.distances.end()) top.fail(at, fmt::format("'{}' is none of: {}", shortened(row[to].get<std::string>()), listed(machine.distances)));
        s.distance_of[from][to] = u8(found - machine.distances.begin());
      }
    });
    for (u32 a = 0; a < s.nodes; a++)
      for (u32 b = 0; b < s.nodes; b++) {
        if (s.distance_of[a][b] != s.distance_of[b][a])
          top.fail(fmt::format("distance[{}][{}]", a, b), fmt::format("is '{}', but distance[{}][{}] is '{}'", shortened(machine.distances[s.distance_of[a][b]]), b, a, shortened(machine.distances[s.distance_of[b][a]])));
        if (s.node[a].cores != 0 && s.distance[s.distance_of[a][b]].memory < s.distance[s.distance_of[a][a]].memory)
          top.fail(fmt::format("distance[{}][{}]", a, b), "is nearer than the node's own memory");
      }
  }

  // A pair of nodes that differ.
  void pair_of(const Keys& top, const StrictJson& list, const std::string& path, u32& from, u32& to) {
    if (!list.is_array() || list.size() != 2) top.fail(path, "must be a list of two nodes");
    from = node_number(top, list[0], path + "[0]");
    to = node_number(top, list[1], path + "[1]");
    if (from == to) top.fail(path, "joins a node with itself");
  }
  u32 node_number(const Keys& top, const StrictJson& value, const std::string& path) {
    if (!value.is_number_unsigned() || value.get<u64>() >= machine.shape.nodes)
      top.fail(path, fmt::format("must be a node from 0 to {}, not {}", machine.shape.nodes - 1, shortened(value.dump())));
    return value.get<u32>();
  }

  void links(Keys& top) {
    Shape& s = machine.shape;
    top.each("links", 0, sim::kLinksMax / 2, [&](const StrictJson& value, const std::string& path) {
      Keys keys(value, file_, path);
      u32 from, to;
      pair_of(keys, keys.any("between"), keys.path_of("between"), from, to);
      for (u32 i = 0; i < s.links; i++)
        if (s.link[i].from == from && s.link[i].to == to) keys.fail(keys.path_of("between"), fmt::format("nodes {} and {} have a link already", from, to));
      const u64 there = keys.rate("gb_per_s"), back = keys.has("back_gb_per_s") ? keys.rate("back_gb_per_s") : there;
      keys.done();
      s.link[s.links++] = {u8(from), u8(to), there};
      s.link[s.links++] = {u8(to), u8(from), back};
    });
  }

  void routes(Keys& top) {
    Shape& s = machine.shape;
    top.each("routes", 0, 4096, [&](const StrictJson& value, const std::string& path) {
      if (!value.is_array() || value.size() < 2 || value.size() > s.nodes) top.fail(path, "must be a list of nodes from the first to the last");
      const u32 to = node_number(top, value.back(), fmt::format("{}[{}]", path, value.size() - 1));
      for (usize i = 0; i + 1 < value.size(); i++) {
        const u32 at = node_number(top, value[i], fmt::format("{}[{}]", path, i)), next = node_number(top, value[i + 1], fmt::format("{}[{}]", path, i + 1));
        bool linked = false;
        for (u32 k = 0; k < s.links; k++) linked = linked || (s.link[k].from == at && s.link[k].to == next);
        if (!linked) top.fail(fmt::format("{}[{}]", path, i), fmt::format("there is no link from node {} to node {}", at, next));
        u8& step = s.step[at][to];
        if (step != sim::kNoStep && step != next) top.fail(fmt::format("{}[{}]", path, i), fmt::format("another route leads from node {} to node {} by node {}", at, to, step));
        step = u8(next);
      }
    });
  }

  void find_ways(const Keys& top) {
    u32 from, to;
    if (!find_routes(machine.shape, from, to)) top.fail("links", fmt::format("there is no way from node {} to node {}", from, to));
  }

  void costs(Keys& top, u32 model) {
    Keys keys = top.object("costs");
    for (const CostKey& row : kCosts)
      if ((row.models & model) != 0) machine.shape.costs.*row.field = keys.picoseconds(row.key, row.models == kUniform ? kMostAccessNs : kMostCallNs);
    for (const auto& [key, price] : {std::pair{"pause_ns", machine.shape.costs.pause}, {"yield_ns", machine.shape.costs.yield}})
      if (price == 0) keys.fail(keys.path_of(key), "must be above 0: with it, whoever waits would wait in no time and for ever");
    if (model == kUniform) machine.shape.costs.remote_percent = keys.whole("remote_percent", 100, 10'000);
    keys.done();
  }

  // Kept with the machine and checked, not used by the model.
  void curves(Keys& top) {
    top.each("curves", 0, 1000, [&](const StrictJson& value, const std::string& path) {
      Keys keys(value, file_, path);
      u32 memory;
      keys.one_of("memory", machine.memories, memory);
      keys.text("pattern");
      keys.whole("bytes", 1, 1 << 30);
      usize points = 0;
      keys.each("threads", 1, 100, [&](const StrictJson& n, const std::string& at) {
        if (!n.is_number_unsigned() || n.get<u64>() == 0 || n.get<u64>() > 4096) keys.fail(at, "must be a number of threads from 1 to 4096");
        points++;
      });
      keys.each("gb_per_s", points, points, [&](const StrictJson& n, const std::string& at) {
        if (!n.is_number() || n.get<double>() <= 0 || n.get<double>() > 1e5) keys.fail(at, "must be a rate in GB/s above 0");
      });
      keys.done();
    });
  }

  // ---- where values come from ----

  static bool covers(const std::string& source, const std::string& path) {
    return path.compare(0, source.size(), source) == 0 && (path.size() == source.size() || path[source.size()] == '.' || path[source.size()] == '[');
  }
  void find_values(const StrictJson& value, const std::string& path, std::vector<std::string>& values) {
    if (value.is_object())
      for (const auto& [name, member] : value.items()) find_values(member, path.empty() ? name : path + "." + name, values);
    else if (value.is_array())
      for (usize i = 0; i < value.size(); i++) find_values(value[i], fmt::format("{}[{}]", path, i), values);
    else values.push_back(path);
  }
  void sources(Keys& top) {
    const StrictJson& list = top.any("sources");
    Keys keys(list, file_, "sources");
    for (const auto& [path, value] : list.items()) {
      const std::string text = keys.text(path.c_str()), kind = text.substr(0, text.find(':'));
      if (std::find(std::begin(kSourceClasses), std::end(kSourceClasses), kind) == std::end(kSourceClasses))
        top.fail(keys.path_of(path), fmt::format("must begin with one of: {}", fmt::join(kSourceClasses, ", ")));
      machine.sources.push_back({path, text});
    }
    top.done(); // before it is asked where a value comes from that no machine has
    std::vector<std::string> values;
    for (const auto& [name, value] : all_.items())
      if (name != "garner_machine" && name != "name" && name != "about" && name != "sources") find_values(value, name, values);
    for (const std::string& path : values)
      if (std::none_of(machine.sources.begin(), machine.sources.end(), [&](const auto& s) { return covers(s.first, path); }))
        top.fail(path, fmt::format("nothing in sources says where it comes from; an entry '{}' would", shortened(path.substr(0, path.find('[')))));
    for (const auto& source : machine.sources)
      if (std::none_of(values.begin(), values.end(), [&](const std::string& path) { return covers(source.first, path); }))
        top.fail(keys.path_of(source.first), "there is no such value");
  }

  std::string file_;
  StrictJson all_;
  usize row_number_ = 0;

 public:
  MachineFile machine;
};

constexpr const char* kUniformPrefix = "uniform-";

// A number without sign, spaces or leading zeros, from 1 to `most`.
bool plain_number(std::string_view text, u32 most, u32& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && text[0] != '0' && number >= 1 && number <= most;
}

// "uniform-8" or "uniform-4x6"; false for a name that does not begin like one.
bool uniform_name(const std::string& name, u32& nodes, u32& cores) {
  if (!name.starts_with(kUniformPrefix)) return false;
  const std::string_view rest = std::string_view(name).substr(std::string_view(kUniformPrefix).size());
  const usize by = rest.find('x');
  nodes = 1;
  if ((by != rest.npos && !plain_number(rest.substr(0, by), sim::kNodesMax, nodes)) || !plain_number(by == rest.npos ? rest : rest.substr(by + 1), kUniformCoresMost, cores))
    throw UsageError(fmt::format("no machine '{}'; uniform-N has N cores on one node, uniform-KxC has K nodes of C cores: K from 1 to {}, N and C from 1 to {}", shortened(name), sim::kNodesMax, kUniformCoresMost));
  return true;
}

} // namespace

u32 MachineFile::cores() const {
  if (uniform) return shape.nodes * cores_per_node;
  u32 sum = 0;
  for (u32 n = 0; n < shape.nodes; n++) sum += shape.node[n].cores;
  return sum;
}

u32 MachineFile::threads() const { return uniform ? cores() : cores() * shape.threads; }

sim::Config MachineFile::config() const {
  sim::Config config;
  config.nodes = shape.nodes;
  config.costs = shape.costs;
  if (uniform) config.cores_per_node = cores_per_node;
  else config.shape = &shape;
  return config;
}

MachineFile parse_machine(const std::string& text, const std::string& called) { return Reading(text, called).take(); }

std::string uniform_machine(u32 nodes, u32 cores_per_node) {
  StrictJson all;
  all["garner_machine"] = 1;
  all["name"] = nodes == 1 ? fmt::format("uniform-{}", cores_per_node) : fmt::format("uniform-{}x{}", nodes, cores_per_node);
  all["about"] = "Memory is near or far, a line is mine or another's; no caches, controllers or links";
  all["uniform"] = {{"nodes", nodes}, {"cores_per_node", cores_per_node}};
  const Costs costs;
  for (const CostKey& row : kCosts) {
    if ((row.models & kUniform) == 0) continue;
    const u64 ps = costs.*row.field;
    if (ps % 1000 == 0) all["costs"][row.key] = ps / 1000;
    else all["costs"][row.key] = double(ps) / 1000;
  }
  all["costs"]["remote_percent"] = costs.remote_percent;
  all["sources"] = {{"uniform", "guessed: generated for the name"}, {"costs", "derived: one die of an Opteron 6172; src/machine/sim/config.h has each value's source"}};
  return all.dump(2) + "\n";
}

std::filesystem::path machines_directory() {
  std::error_code error;
  for (fs::path at = executable_directory(); at != at.root_path(); at = at.parent_path())
    for (const char* place : {"machines", "share/garner/machines"})
      if (fs::is_regular_file(at / place / "amd48.json", error)) return at / place;
  throw UsageError("no machines directory above this executable");
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(machines_directory(), error))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

MachineFile find_machine(const std::string& wanted) {
  std::string text;
  std::error_code error;
  if (wanted.find('/') != std::string::npos || wanted.ends_with(".json")) {
    if (!fs::is_regular_file(wanted, error) || !read_file(wanted, text)) throw UsageError(fmt::format("{}: cannot be read", printable(wanted)));
    return parse_machine(text, wanted);
  }
  u32 nodes, cores;
  if (uniform_name(wanted, nodes, cores)) return parse_machine(uniform_machine(nodes, cores), wanted);
  const fs::path file = machines_directory() / (wanted + ".json");
  if (!read_file(file, text)) throw UsageError(fmt::format("no machine '{}'; garner machine list names those that come with the program, and a file is told by a slash or .json: {}", shortened(wanted),
                                                           fs::is_regular_file(wanted, error) ? "./" + printable(wanted) : "./FILE"));
  return parse_machine(text, file.string());
}

bool find_machine(const std::string& wanted, MachineFile& machine, std::string& trouble) {
  try {
    machine = find_machine(wanted);
    return true;
  } catch (const std::exception& error) {
    trouble = error.what();
    return false;
  }
}

} // namespace garner::tool
