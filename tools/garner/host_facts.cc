#include "host_facts.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <sstream>
#include <sys/utsname.h>
#include <unistd.h>

#include <fmt/format.h>

namespace garner::tool {
namespace {

namespace fs = std::filesystem;
using std::string;

std::vector<string> words(const string& line) {
  std::istringstream in(line);
  std::vector<string> all;
  for (string word; in >> word;) all.push_back(word);
  return all;
}

bool in_list(const string& list, const string& word) {
  std::istringstream in(list);
  for (string item; std::getline(in, item, ',');)
    if (item == word) return true;
  return false;
}

template <class T> std::optional<T> number(const string& text) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || text.empty()) return std::nullopt;
  return value;
}

// One mounted hierarchy, and where in it this process is.
struct Hierarchy {
  fs::path mount;  // below root
  fs::path group;  // the directory of the own group, below or at the mount
};

// The path of the own group from /proc/self/cgroup: of `controller`, or of version 2 when empty.
std::optional<string> own_group(const fs::path& root, const string& controller) {
  std::ifstream in(below(root, "/proc/self/cgroup"));
  for (string line; std::getline(in, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == string::npos || second == string::npos) continue;
    string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : in_list(controllers, controller)) return line.substr(second + 1);
  }
  return std::nullopt;
}

std::optional<Hierarchy> find_hierarchy(const fs::path& root, const string& controller) {
  std::optional<string> group = own_group(root, controller);
  if (!group) return std::nullopt;
  std::ifstream in(below(root, "/proc/self/mountinfo"));
  for (string line; std::getline(in, line);) {
    std::vector<string> fields = words(line);
    auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 6 || fields.end() - dash < 4) continue;
    bool fits = controller.empty() ? dash[1] == "cgroup2" : dash[1] == "cgroup" && in_list(dash[3], controller);
    if (!fits) continue;
    string mount_root = fields[3], inside = *group;
    // A container sees its own group as the mount's root, though /proc may still tell the path from the machine's root.
    if (mount_root != "/" && inside.rfind(mount_root, 0) == 0) inside = inside.substr(mount_root.size());
    fs::path mount = below(root, fields[4]).lexically_normal();
    fs::path own = (mount / fs::path(inside).relative_path()).lexically_normal();
    std::error_code error;
    bool inside_mount = own.string().rfind(mount.string() + "/", 0) == 0; // not where a namespace hides the way to it ("/../…")
    return Hierarchy{mount, inside_mount && fs::is_directory(own, error) ? own : mount};
  }
  return std::nullopt;
}

// Calls `look` with every directory from the own group up to the mount.
void walk_up(const Hierarchy& hierarchy, const std::function<void(const fs::path&)>& look) {
  for (fs::path at = hierarchy.group; at.string().size() >= hierarchy.mount.string().size(); at = at.parent_path()) {
    look(at);
    if (at == at.parent_path()) break;
  }
}

template <class T> void keep_smaller(std::optional<Limit<T>>& kept, std::optional<T> value, const fs::path& file) {
  if (value && (!kept || *value < kept->value)) kept = Limit<T>{*value, file.string()};
}

std::optional<uint64_t> memory_limit(const fs::path& file) {
  std::optional<uint64_t> value = number<uint64_t>(first_line(file)); // "max" is no number
  if (value && *value >= uint64_t(1) << 60) return std::nullopt;      // version 1 writes "none" as a huge number
  return value;
}

std::optional<double> cpu_share(std::optional<int64_t> quota, std::optional<int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return double(*quota) / double(*period);
}

void read_v1(const fs::path& root, CgroupFacts& facts) {
  if (std::optional<Hierarchy> memory = find_hierarchy(root, "memory")) {
    facts.version = "v1";
    walk_up(*memory, [&](const fs::path& at) { keep_smaller(facts.memory, memory_limit(at / "memory.limit_in_bytes"), at / "memory.limit_in_bytes"); });
  }
  if (std::optional<Hierarchy> cpu = find_hierarchy(root, "cpu"))
    walk_up(*cpu, [&](const fs::path& at) {
      keep_smaller(facts.cpus, cpu_share(number<int64_t>(first_line(at / "cpu.cfs_quota_us")), number<int64_t>(first_line(at / "cpu.cfs_period_us"))),
                   at / "cpu.cfs_quota_us");
    });
}

void read_v2(const fs::path& root, CgroupFacts& facts) {
  std::optional<Hierarchy> all = find_hierarchy(root, "");
  if (!all) return;
  if (facts.version == "none") facts.version = "v2";
  walk_up(*all, [&](const fs::path& at) {
    keep_smaller(facts.memory, memory_limit(at / "memory.max"), at / "memory.max");
    keep_smaller(facts.memory_high, memory_limit(at / "memory.high"), at / "memory.high");
    std::vector<string> quota = words(first_line(at / "cpu.max"));
    if (quota.size() == 2) keep_smaller(facts.cpus, cpu_share(number<int64_t>(quota[0]), number<int64_t>(quota[1])), at / "cpu.max");
  });
}

} // namespace

fs::path below(const fs::path& root, const string& path) { return root / fs::path(path).relative_path(); }

string first_line(const fs::path& path) {
  std::ifstream in(path);
  string line;
  std::getline(in, line);
  return line;
}

string chosen_word(const string& text) {
  size_t open = text.find('['), close = text.find(']');
  return open == string::npos || close == string::npos || close < open ? "" : text.substr(open + 1, close - open - 1);
}

uint64_t meminfo_bytes(const fs::path& file, const string& key) {
  std::ifstream in(file);
  for (string line; std::getline(in, line);) {
    size_t at = line.find(key + ":");
    if (at == string::npos) continue;
    std::vector<string> fields = words(line.substr(at + key.size() + 1));
    return fields.empty() ? 0 : number<uint64_t>(fields[0]).value_or(0) * 1024;
  }
  return 0;
}

CgroupFacts read_cgroups(const fs::path& root) {
  CgroupFacts facts;
  read_v1(root, facts);
  read_v2(root, facts); // a hybrid machine has both; each rules what it has
  return facts;
}

std::vector<NodeFacts> read_nodes(const fs::path& root) {
  std::vector<NodeFacts> nodes;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(below(root, "/sys/devices/system/node"), error)) {
    string name = entry.path().filename().string();
    if (name.rfind("node", 0) != 0) continue;
    std::optional<int> id = number<int>(name.substr(4));
    if (id) nodes.push_back({*id, first_line(entry.path() / "cpulist"), meminfo_bytes(entry.path() / "meminfo", "MemTotal")});
  }
  std::sort(nodes.begin(), nodes.end(), [](const NodeFacts& a, const NodeFacts& b) { return a.id < b.id; });
  return nodes;
}

string processor_name(const fs::path& file) {
  std::ifstream in(file);
  for (string line; std::getline(in, line);) {
    const size_t colon = line.find(':');
    if (line.rfind("model name", 0) != 0 || colon == string::npos) continue;
    const size_t first = line.find_first_not_of(" \t", colon + 1), last = line.find_last_not_of(" \t");
    return first == string::npos ? "" : line.substr(first, last - first + 1);
  }
  return "";
}

string machine_text(const fs::path& root) {
  utsname names = {};
  uname(&names);
  const string processor = processor_name(below(root, "/proc/cpuinfo"));
  return fmt::format("{} cores{}, {} GB, {} {}", sysconf(_SC_NPROCESSORS_ONLN), processor.empty() ? "" : " (" + processor + ")",
                     meminfo_bytes(below(root, "/proc/meminfo"), "MemTotal") >> 30, names.sysname, names.release);
}

} // namespace garner::tool
