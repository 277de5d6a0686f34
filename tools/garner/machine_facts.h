// What a system says of a machine: nodes, cores, caches, distances. Read from sysfs (or a copy of it), `lscpu` with or without `-J`, or
// hwloc's XML.
//
// Nodes are numbered densely from 0 in the order of their own numbers. A number that nobody gave is 0. UsageError with one line when
// the source cannot be understood.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/words.h"

namespace garner::tool {

struct MachineFacts {
  struct Node {
    int id = 0; // the system's number
    u32 package = 0, cores = 0;
    u64 memory_bytes = 0;
    u64 read_latency_ns = 0, read_mb_per_s = 0; // HMAT, from the best initiator
    std::vector<u32> distance;                  // to each node, the system's figures (10 is itself); empty: not told
  };
  std::string model;    // of the processor
  std::string read_from; // what this was, for the file's sources
  std::vector<Node> nodes;
  u32 threads_per_core = 1, cluster_cores = 0; // cores below one last-level cache; 0: not told
  u64 clock_mhz = 0, l1_bytes = 0, l2_bytes = 0, l3_bytes = 0;
  bool distances_told() const;
};

MachineFacts read_sysfs(const std::filesystem::path& root); // "/" or a directory with a sys/ below it, or sys itself
// Text, as lscpu prints it into a file or on a terminal, or its JSON: the same fields, the same facts. It must be in English (LC_ALL=C).
MachineFacts read_lscpu(const std::string& text, const std::string& file);
bool looks_like_lscpu(const std::string& text); // in either form
MachineFacts read_hwloc(const std::string& xml, const std::string& file);

// "0-3,8" as numbers; UsageError when it is something else.
std::vector<u32> read_cpu_list(const std::string& text, const std::string& file);

} // namespace garner::tool
