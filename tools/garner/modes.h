// The collectors a .NET program can run on: Garner, and the stock collector's four modes, each as changes to the environment.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "process.h"

namespace garner::tool {

enum class Mode { garner, workstation, concurrent, server, server_datas, own };

struct ModeRow {
  Mode mode;
  const char* name;
  const char* letters; // short name
  const char* sentence;
};
const std::vector<ModeRow>& mode_rows();

const char* name_of(Mode mode);
Mode parse_mode(const std::string& name);              // by name or letters; UsageError lists the names
std::vector<Mode> parse_modes(const std::vector<std::string>& names);
std::string mode_names(const char* separator);

// What a program needs in its environment to run in `mode`. `library` is for Mode::garner; `options` is the value of GARNER, which the
// stock modes get too, so that a program that brings Garner along shows itself by its log.
Environment environment_for(Mode mode, const std::string& library, const std::string& options, std::optional<uint64_t> limit_bytes);

// Takes every setting of any collector out of the environment.
Environment no_collector_settings();

// "512m", "2g", "1048576", as the options table reads sizes. UsageError with `what` when malformed or 0.
uint64_t parse_size(const std::string& text, const std::string& what);

} // namespace garner::tool
