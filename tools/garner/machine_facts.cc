#include "machine_facts.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "errors.h"
#include "host_facts.h"
#include "paths.h"
#include "strict_json.h"

namespace garner::tool {
namespace {

constexpr u32 kCpusMost = 8192, kThreadsMost = 8; // of a machine; of a core

[[noreturn]] void fail(const std::string& file, const std::string& what) { throw UsageError(fmt::format("{}: {}", file, what)); }

u64 number_in(const std::string& text) { // the first number of a text, 0 when there is none
  const size_t at = text.find_first_of("0123456789");
  u64 value = 0;
  if (at != std::string::npos) std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

// "512K", "32 MiB (1 instance)", "1.5 MiB".
u64 size_in(const std::string& text) {
  std::istringstream in(text);
  double value = 0;
  std::string unit;
  in >> value >> unit;
  const char c = unit.empty() ? ' ' : unit[0];
  value *= c == 'K' || c == 'k' ? 1024.0 : c == 'M' ? 1024.0 * 1024 : c == 'G' ? 1024.0 * 1024 * 1024 : 1.0;
  return value > 0 && value < 1e15 ? u64(value) : 0;
}

std::vector<u32> numbers_in(const std::string& text) {
  std::istringstream in(text);
  std::vector<u32> all;
  for (u32 n; in >> n;) all.push_back(n);
  return all;
}

// The file that is made of it is JSON.
void want_utf8(const std::string& text, const std::string& file, const char* what) {
  try {
    StrictJson(text).dump();
  } catch (const StrictJson::exception&) {
    fail(file, fmt::format("{} is not UTF-8", what));
  }
}

void check_nodes(const MachineFacts& facts, const std::string& file) {
  if (facts.nodes.empty()) fail(file, "names no node with memory");
  if (facts.nodes.size() > 64) fail(file, fmt::format("has {} nodes; at most 64 can be simulated", facts.nodes.size()));
  u64 cores = 0;
  for (const MachineFacts::Node& node : facts.nodes) cores += node.cores;
  if (cores == 0) fail(file, "names no core");
}

// Rows as long as the machine has nodes, or none at all.
void settle_distances(MachineFacts& facts) {
  bool good = true;
  for (const MachineFacts::Node& node : facts.nodes) good = good && node.distance.size() == facts.nodes.size();
  for (size_t a = 0; good && a < facts.nodes.size(); a++)
    for (size_t b = 0; b < facts.nodes.size(); b++) good = good && facts.nodes[a].distance[b] >= 1 && facts.nodes[a].distance[b] <= 1000;
  if (good) return;
  for (MachineFacts::Node& node : facts.nodes) node.distance.clear();
}

} // namespace

bool MachineFacts::distances_told() const { return !nodes.empty() && !nodes[0].distance.empty(); }

std::vector<u32> read_cpu_list(const std::string& text, const std::string& file) {
  std::vector<u32> all;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    u32 first = 0, last = 0;
    const char *at = part.data(), *end = at + part.size();
    auto low = std::from_chars(at, end, first);
    last = first;
    if (low.ec == std::errc() && low.ptr != end && *low.ptr == '-') low = std::from_chars(low.ptr + 1, end, last);
    if (low.ec != std::errc() || low.ptr != end || last < first || last >= kCpusMost) fail(file, fmt::format("'{}' is no list of processors", shortened(text)));
    for (u32 c = first; c <= last; c++) all.push_back(c);
  }
  return all;
}

// ---- sysfs ----

MachineFacts read_sysfs(const std::filesystem::path& given) {
  std::error_code error;
  const fs::path root = fs::is_directory(given / "sys", error) ? given / "sys" : given;
  const fs::path nodes = root / "devices/system/node", cpus = root / "devices/system/cpu";
  MachineFacts facts;
  facts.read_from = "sysfs";
  std::vector<std::pair<int, fs::path>> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(nodes, error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("node", 0) == 0 && name.size() > 4 && std::all_of(name.begin() + 4, name.end(), ::isdigit) && name.size() < 10) found.push_back({std::stoi(name.substr(4)), entry.path()});
  }
  std::sort(found.begin(), found.end());
  if (found.empty()) fail(given.string(), "no devices/system/node/node* below it");
  u32 first_cpu = ~0u;
  for (const auto& [id, at] : found) {
    MachineFacts::Node node;
    node.id = id;
    const std::vector<u32> list = read_cpu_list(first_line(at / "cpulist"), (at / "cpulist").string());
    std::set<std::string> cores; // by the list of its threads
    for (u32 c : list) {
      const fs::path cpu = cpus / fmt::format("cpu{}", c);
      std::string threads = first_line(cpu / "topology/core_cpus_list");
      if (threads.empty()) threads = first_line(cpu / "topology/thread_siblings_list");
      if (threads.empty()) threads = std::to_string(c);
      cores.insert(threads);
      facts.threads_per_core = std::max(facts.threads_per_core, u32(read_cpu_list(threads, (cpu / "topology").string()).size()));
      node.package = u32(number_in(first_line(cpu / "topology/physical_package_id")));
    }
    node.cores = u32(cores.size());
    if (!list.empty()) first_cpu = std::min(first_cpu, list[0]);
    // "Node 0 MemTotal: 123 kB"
    node.memory_bytes = meminfo_bytes(at / "meminfo", fmt::format("Node {} MemTotal", id));
    if (node.memory_bytes == 0) node.memory_bytes = meminfo_bytes(at / "meminfo", "MemTotal");
    node.distance = numbers_in(first_line(at / "distance"));
    node.read_latency_ns = number_in(first_line(at / "access0/initiators/read_latency"));
    node.read_mb_per_s = number_in(first_line(at / "access0/initiators/read_bandwidth"));
    facts.nodes.push_back(node);
  }
  check_nodes(facts, given.string());
  settle_distances(facts);
  const fs::path cpu = cpus / fmt::format("cpu{}", first_cpu);
  for (u32 i = 0; i < 8; i++) {
    const fs::path cache = cpu / fmt::format("cache/index{}", i);
    const std::string level = first_line(cache / "level"), type = first_line(cache / "type");
    const u64 bytes = size_in(first_line(cache / "size"));
    if (level == "1" && type == "Data") facts.l1_bytes = bytes;
    if (level == "2") facts.l2_bytes = bytes;
    if (level != "3") continue;
    facts.l3_bytes = bytes;
    const std::string shared = first_line(cache / "shared_cpu_list");
    if (!shared.empty()) facts.cluster_cores = u32(div_up(read_cpu_list(shared, cache.string()).size(), facts.threads_per_core));
  }
  facts.clock_mhz = number_in(first_line(cpu / "cpufreq/cpuinfo_max_freq")) / 1000;
  return facts;
}

// ---- lscpu ----

namespace {

using Fields = std::map<std::string, std::string>; // by name, without the colon

std::string stripped(const std::string& text, const char* of) {
  const size_t first = text.find_first_not_of(of);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(of) - first + 1);
}

void flatten(const StrictJson& list, Fields& fields, u32 depth) {
  if (!list.is_array() || depth > 8) return;
  for (const StrictJson& entry : list) {
    if (!entry.is_object()) continue;
    const auto field = entry.find("field"), data = entry.find("data"), children = entry.find("children");
    if (field != entry.end() && field->is_string() && data != entry.end() && (data->is_string() || data->is_null())) // null: nothing stands behind the colon
      fields[stripped(field->get<std::string>(), ": ")] = data->is_string() ? data->get<std::string>() : "";
    if (children != entry.end()) flatten(*children, fields, depth + 1);
  }
}

// "Name:   data", a line each. On a terminal lines are indented below titles, and caches are called L1d, L2 and L3 alone.
Fields fields_of_text(const std::string& text) {
  Fields fields;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (const size_t colon = line.find(':'); colon != std::string::npos) fields[stripped(line.substr(0, colon), " \t")] = stripped(line.substr(colon + 1), " \t\r");
  for (const char* cache : {"L1d", "L2", "L3"})
    if (const auto at = fields.find(cache); at != fields.end()) fields.try_emplace(std::string(cache) + " cache", at->second);
  return fields;
}

// Its first character that is no space.
char first_of(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string::npos ? 0 : text[first];
}

// A count that lscpu tells, 1 when it does not; "-" is how it says that it does not know. With a number that cannot be, the rest is not to be believed either.
u32 count_in(Fields& fields, const char* name, u32 most, const std::string& file) {
  const std::string& text = fields[name];
  if (text.empty() || text == "-") return 1;
  u32 count = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || count < 1 || count > most) fail(file, fmt::format("'{}' must be a number from 1 to {}, not '{}'", name, most, shortened(text)));
  return count;
}

// Where no list of a node's processors tells how many cores there are.
u32 cores_in_all(Fields& fields, const MachineFacts& facts, u32 sockets, const std::string& file) {
  if (!fields["CPU(s)"].empty()) return u32(div_up(count_in(fields, "CPU(s)", kCpusMost, file), facts.threads_per_core));
  if (!fields["Socket(s)"].empty() && !fields["Core(s) per socket"].empty()) return sockets * count_in(fields, "Core(s) per socket", kCpusMost, file);
  fail(file, "does not say how many cores there are: lscpu's lines 'NUMA node0 CPU(s)' and so on, or 'CPU(s)', are missing");
}

} // namespace

bool looks_like_lscpu(const std::string& text) {
  if (first_of(text) == '{') return true;
  const Fields fields = fields_of_text(text);
  return fields.count("CPU(s)") != 0 || fields.count("Socket(s)") != 0 || fields.count("NUMA node0 CPU(s)") != 0;
}

MachineFacts read_lscpu(const std::string& text, const std::string& file) {
  Fields fields;
  if (first_of(text) != '{') {
    want_utf8(text, file, "lscpu's text");
    fields = fields_of_text(text);
  } else {
    const StrictJson all = parse_strictly(text, file);
    if (all.is_object() && all.contains("lscpu")) flatten(all["lscpu"], fields, 0);
    if (fields.empty()) fail(file, "is not what lscpu -J prints");
  }
  if (fields.count("Thread(s) per core") == 0) fail(file, "lscpu's line 'Thread(s) per core' is missing: all of what LC_ALL=C lscpu prints is needed");
  MachineFacts facts;
  facts.read_from = "lscpu";
  facts.model = fields["Model name"];
  facts.threads_per_core = count_in(fields, "Thread(s) per core", kThreadsMost, file);
  const u32 sockets = count_in(fields, "Socket(s)", 64, file);
  facts.clock_mhz = number_in(fields.count("CPU max MHz") != 0 ? fields["CPU max MHz"] : fields["CPU MHz"]);
  // Sizes are of all instances together.
  auto each = [&](const char* name) {
    const std::string size = fields[name];
    const size_t bracket = size.find('(');
    return size_in(size) / std::max<u64>(1, bracket == std::string::npos ? 1 : number_in(size.substr(bracket)));
  };
  facts.l1_bytes = each("L1d cache"), facts.l2_bytes = each("L2 cache"), facts.l3_bytes = each("L3 cache");
  std::set<u32> seen;
  for (const auto& [name, data] : fields) {
    if (name.rfind("NUMA node", 0) != 0 || name.find(" CPU") == std::string::npos) continue;
    MachineFacts::Node node;
    node.id = int(number_in(name));
    const std::vector<u32> list = read_cpu_list(data, file);
    for (u32 c : list)
      if (!seen.insert(c).second) fail(file, fmt::format("lscpu names processor {} twice, with '{}'", c, shortened(name)));
    node.cores = u32(div_up(list.size(), facts.threads_per_core));
    facts.nodes.push_back(node);
  }
  std::sort(facts.nodes.begin(), facts.nodes.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  if (const u32 told = count_in(fields, "NUMA node(s)", 64, file); told > std::max<size_t>(1, facts.nodes.size()))
    fail(file, fmt::format("lscpu names {} nodes, and the processors of {} of them: lines 'NUMA node0 CPU(s)' and so on are missing", told, facts.nodes.size()));
  if (facts.nodes.empty()) facts.nodes.push_back({.cores = cores_in_all(fields, facts, sockets, file)});
  u64 cores = 0;
  for (size_t n = 0; n < facts.nodes.size(); n++) {
    cores += facts.nodes[n].cores;
    facts.nodes[n].package = u32(n * sockets / facts.nodes.size());
  }
  const u64 instances = fields["L3 cache"].find('(') == std::string::npos ? 0 : number_in(fields["L3 cache"].substr(fields["L3 cache"].find('(')));
  if (instances != 0) facts.cluster_cores = u32(std::max<u64>(1, cores / instances));
  check_nodes(facts, file);
  return facts;
}

// ---- hwloc's XML ----

namespace {

// What "amp", "#65" or "#x41" between & and ; stands for, as UTF-8; empty when it is none of XML's. Control characters become spaces: what is read is one line.
std::string entity(const std::string& name) {
  static const std::map<std::string, std::string> kNamed = {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}};
  if (const auto named = kNamed.find(name); named != kNamed.end()) return named->second;
  const bool hex = name.rfind("#x", 0) == 0;
  u32 code = 0;
  const char *at = name.data() + (hex ? 2 : 1), *end = name.data() + name.size();
  if (name.empty() || name[0] != '#' || at >= end) return "";
  const auto read = std::from_chars(at, end, code, hex ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != end || code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return "";
  if (code < 0x20 || code == 0x7f) return " ";
  if (code < 0x80) return {char(code)};
  if (code < 0x800) return {char(0xc0 | code >> 6), char(0x80 | (code & 63))};
  if (code < 0x10000) return {char(0xe0 | code >> 12), char(0x80 | (code >> 6 & 63)), char(0x80 | (code & 63))};
  return {char(0xf0 | code >> 18), char(0x80 | (code >> 12 & 63)), char(0x80 | (code >> 6 & 63)), char(0x80 | (code & 63))};
}

// Elements of an XML text in order, without a library: names, attributes, and the text that follows. Enough for what hwloc writes.
class Xml {
 public:
  Xml(const std::string& text, const std::string& file) : text_(text), file_(file) {}
  std::string name;
  bool closing = false, alone = false;
  std::map<std::string, std::string> attributes;
  std::string following; // text up to the next element

  bool next() {
    while (true) {
      const size_t open = text_.find('<', at_);
      if (open != std::string::npos && text_.compare(open, 4, "<!--") == 0) {
        at_ = text_.find("-->", open);
        if (at_ == std::string::npos) return false;
        continue;
      }
      const size_t end = open == std::string::npos ? open : end_of_tag(open);
      if (end == std::string::npos) return false;
      at_ = end + 1;
      if (text_[open + 1] == '?' || text_[open + 1] == '!') continue;
      std::string inside = text_.substr(open + 1, end - open - 1);
      closing = !inside.empty() && inside[0] == '/';
      alone = !inside.empty() && inside.back() == '/';
      if (closing) inside.erase(0, 1);
      if (alone) inside.pop_back();
      read(inside);
      const size_t then = text_.find('<', at_);
      following = text_.substr(at_, then == std::string::npos ? 0 : then - at_);
      return true;
    }
  }
  std::string get(const char* key) const {
    auto at = attributes.find(key);
    return at == attributes.end() ? "" : at->second;
  }

 private:
  void read(const std::string& inside) {
    attributes.clear();
    size_t at = inside.find_first_of(" \t\r\n");
    name = inside.substr(0, at);
    while (at != std::string::npos) {
      const size_t key = inside.find_first_not_of(" \t\r\n", at), equals = key == std::string::npos ? key : inside.find('=', key);
      const size_t open = equals == std::string::npos ? equals : inside.find('"', equals), close = open == std::string::npos ? open : inside.find('"', open + 1);
      if (close == std::string::npos) return;
      attributes[inside.substr(key, equals - key)] = value_of(inside.substr(open + 1, close - open - 1));
      at = close + 1;
    }
  }
  size_t end_of_tag(size_t open) const {
    for (bool quoted = false; open < text_.size(); open++) {
      if (text_[open] == '"') quoted = !quoted;
      if (text_[open] == '>' && !quoted) return open;
    }
    return std::string::npos;
  }
  std::string value_of(const std::string& raw) const {
    std::string value;
    for (size_t at = 0; at < raw.size(); at++) {
      if (raw[at] != '&') {
        value += raw[at];
        continue;
      }
      const size_t end = raw.find(';', at);
      const std::string name = raw.substr(at + 1, end == std::string::npos ? 12 : end - at - 1), text = end == std::string::npos ? "" : entity(name);
      if (text.empty()) fail(file_, fmt::format("hwloc's XML has '&{}', which stands for no character", end == std::string::npos ? name : name.substr(0, 40) + ";"));
      value += text;
      at = end;
    }
    return value;
  }

  const std::string &text_, &file_;
  size_t at_ = 0;
};

// The objects of the tree that matter, as they open and close.
class HwlocTree {
 public:
  MachineFacts facts;
  std::vector<u32> order; // of nodes in the matrix of distances, by the system's numbers
  std::vector<u32> matrix;

  void read(const std::string& xml, const std::string& file) {
    Xml at(xml, file);
    std::vector<std::string> open;
    while (at.next()) {
      if (at.name == "object") {
        if (!at.closing) enter(at);
        if (!at.closing && !at.alone) open.push_back(at.get("type"));
        if (at.closing && !open.empty()) leave(open.back()), open.pop_back();
      } else if (at.name == "info" && at.get("name") == "CPUModel") {
        facts.model = at.get("value");
      } else {
        distances(at);
      }
    }
    settle();
  }

 private:
  void enter(const Xml& at) {
    const std::string type = at.get("type");
    if (type == "Package" || type == "Socket") package_++;
    if (type == "Core") cores_++, threads_ = 0, core_set_.push_back(at.get("cpuset"));
    if (type == "PU") facts.threads_per_core = std::max(facts.threads_per_core, ++threads_);
    const u64 bytes = number_in(at.get("cache_size"));
    const std::string depth = at.get("depth");
    if (type == "L1Cache" || (type == "Cache" && depth == "1")) facts.l1_bytes = bytes;
    if (type == "L2Cache" || (type == "Cache" && depth == "2")) facts.l2_bytes = bytes;
    if (type == "L3Cache" || (type == "Cache" && depth == "3")) facts.l3_bytes = bytes, cores_at_l3_ = cores_;
    if (type != "NUMANode" || number_in(at.get("local_memory")) == 0) return;
    MachineFacts::Node node;
    node.id = int(number_in(at.get("os_index")));
    node.package = package_ == 0 ? 0 : package_ - 1;
    node.memory_bytes = number_in(at.get("local_memory"));
    facts.nodes.push_back(node);
    cpusets_.push_back(at.get("cpuset"));
  }
  void leave(const std::string& type) {
    if (type == "L3Cache") facts.cluster_cores = std::max(facts.cluster_cores, cores_ - cores_at_l3_);
  }
  void distances(const Xml& at) {
    if (at.name == "distances2" && !at.closing) in_nodes_ = at.get("type") == "NUMANode" && (number_in(at.get("kind")) & 4) != 0, order.clear(), matrix.clear();
    if (!in_nodes_ || at.closing) {
      if (at.name == "distances2") {
        if (in_nodes_ && kept_.empty()) kept_order_ = order, kept_ = matrix;
        in_nodes_ = false;
      }
      return;
    }
    if (at.name == "indexes")
      for (u32 n : numbers_in(at.following)) order.push_back(n);
    if (at.name == "u64values")
      for (u32 n : numbers_in(at.following)) matrix.push_back(n);
  }
  // Bits of "0x000000ff,0x00000000": words of 32 bits, the highest first.
  static std::vector<u32> bits(const std::string& set) {
    std::vector<u32> words, all;
    std::istringstream in(set);
    for (std::string part; std::getline(in, part, ',');) words.push_back(part.rfind("0x", 0) == 0 && part.size() > 2 ? u32(std::strtoull(part.c_str(), nullptr, 16)) : 0);
    for (size_t w = 0; w < words.size(); w++)
      for (u32 b = 0; b < 32; b++)
        if ((words[words.size() - 1 - w] >> b & 1) != 0) all.push_back(u32(w * 32 + b));
    return all;
  }
  void settle() {
    // A core belongs to every node whose set has it: the memory of a package may be several nodes, of which the first is its own.
    for (const std::string& core : core_set_) {
      const std::vector<u32> mine = bits(core);
      for (size_t n = 0; n < facts.nodes.size() && !mine.empty(); n++) {
        const std::vector<u32> set = bits(cpusets_[n]);
        if (std::find(set.begin(), set.end(), mine[0]) == set.end()) continue;
        facts.nodes[n].cores++;
        break;
      }
    }
    for (MachineFacts::Node& node : facts.nodes) {
      const size_t row = size_t(std::find(kept_order_.begin(), kept_order_.end(), u32(node.id)) - kept_order_.begin());
      for (const MachineFacts::Node& other : facts.nodes) {
        const size_t column = size_t(std::find(kept_order_.begin(), kept_order_.end(), u32(other.id)) - kept_order_.begin());
        if (row * kept_order_.size() + column < kept_.size() && row < kept_order_.size() && column < kept_order_.size()) node.distance.push_back(kept_[row * kept_order_.size() + column]);
      }
    }
  }

  std::vector<std::string> core_set_, cpusets_;
  std::vector<u32> kept_order_, kept_;
  u32 package_ = 0, cores_ = 0, threads_ = 0, cores_at_l3_ = 0;
  bool in_nodes_ = false;
};

} // namespace

MachineFacts read_hwloc(const std::string& xml, const std::string& file) {
  if (xml.find("<topology") == std::string::npos) fail(file, "is not hwloc's XML");
  want_utf8(xml, file, "hwloc's XML");
  HwlocTree tree;
  tree.facts.read_from = "hwloc XML";
  tree.read(xml, file);
  if (xml.find("</topology>") == std::string::npos) fail(file, "hwloc's XML is cut off");
  check_nodes(tree.facts, file);
  settle_distances(tree.facts);
  return tree.facts;
}

} // namespace garner::tool
