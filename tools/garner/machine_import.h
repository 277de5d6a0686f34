// `garner machine import`: writes a machine file from what a system says of a machine: sysfs, a copy of it, lscpu, or hwloc's XML.
#pragma once
#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

namespace garner::tool {

void add_machine_import(CLI::App& machine, std::shared_ptr<std::function<int()>> chosen);

} // namespace garner::tool
