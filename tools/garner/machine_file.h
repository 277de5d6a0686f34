// Machine files: JSON text that describes a machine, read strictly into the plain numbers of the simulated one (schema: docs/machines.md).
//
// A file is right or it is refused: errors are UsageError with one line "FILE: KEY.PATH: what is wrong". Nothing has a default: what a
// machine costs is in its file, and every value has an entry under "sources" that says where it comes from.
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "machine/sim/shape.h"

namespace garner::tool {

struct MachineFile {
  std::string name, about;
  std::string text;        // the file
  bool uniform = false;    // no shape: nodes, cores and costs of the simple model
  sim::Shape shape{};      // costs also when uniform
  u32 cores_per_node = 0;  // uniform
  std::vector<std::string> distances, memories; // names, by number
  std::vector<std::pair<std::string, std::string>> sources; // key path or its beginning, "class: where from"

  u32 threads() const; // hardware threads in all
  u32 cores() const;
  // What the simulated machine is told; refers to this object's shape.
  sim::Config config() const;
};

// How well a value is known; the first word of each source.
inline constexpr const char* kSourceClasses[] = {"published", "recalled", "derived", "guessed", "measured", "read"};

MachineFile parse_machine(const std::string& text, const std::string& called);
// By name (amd48, uniform-8, uniform-4x6) or path (anything with a slash or ending in .json).
MachineFile find_machine(const std::string& name_or_path);
// The same for callers without exceptions: false, and what is wrong in `trouble`.
bool find_machine(const std::string& name_or_path, MachineFile& machine, std::string& trouble);
std::filesystem::path machines_directory();
std::vector<std::string> machine_names(); // of the files that come with the program, sorted
// Text of the machine file of a uniform machine.
std::string uniform_machine(u32 nodes, u32 cores_per_node);

} // namespace garner::tool
