// `garner machine calibrate`: measures this machine and writes a machine file.
#pragma once
#include <functional>
#include <memory>

#include <CLI/CLI.hpp>

namespace garner::tool {

void add_machine_calibrate(CLI::App& machine, std::shared_ptr<std::function<int()>> chosen);

} // namespace garner::tool
