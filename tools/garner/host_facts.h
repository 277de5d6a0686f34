// What the machine and its container allow, read from /proc and /sys below `root` ("/" in earnest, a made-up tree under test).
//
// A file that is missing or unreadable means "not known", never an error.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace garner::tool {

// A limit and the file that sets it.
template <class T> struct Limit {
  T value;
  std::string file;
};

struct CgroupFacts {
  std::string version = "none"; // of the hierarchy that rules memory: "v1", "v2", "none"
  std::optional<Limit<uint64_t>> memory, memory_high; // the smallest on the way from the own group to the root
  std::optional<Limit<double>> cpus;                  // likewise: quota / period
};
CgroupFacts read_cgroups(const std::filesystem::path& root);

struct NodeFacts {
  int id = 0;
  std::string cpus; // as the kernel lists them; empty for memory without processors
  uint64_t memory_bytes = 0;
};
std::vector<NodeFacts> read_nodes(const std::filesystem::path& root);

// The "model name" of a /proc/cpuinfo-like file; empty where the system tells none, as on ARM.
std::string processor_name(const std::filesystem::path& file);
// "2 cores (AMD EPYC 7763), 23 GB, Linux 6.18": where figures are from. Processor and memory as `root` tells them.
std::string machine_text(const std::filesystem::path& root);
std::string first_line(const std::filesystem::path& path);
// The word in brackets of "always [madvise] never".
std::string chosen_word(const std::string& text);
// "Key:  123 kB" of a /proc/meminfo-like file, in bytes; 0 when it is not there.
uint64_t meminfo_bytes(const std::filesystem::path& file, const std::string& key);
// The file below root that `path` (absolute) names.
std::filesystem::path below(const std::filesystem::path& root, const std::string& path);

} // namespace garner::tool
