#include "modes.h"

#include <cstring>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "errors.h"
#include "options/parse.h"

namespace garner::tool {

const std::vector<ModeRow>& mode_rows() {
  static const std::vector<ModeRow> rows = {
    {Mode::garner, "garner", "gar", "this collector, with the program's own workstation or Server setting"},
    {Mode::workstation, "stock-workstation", "wsn", "stock, gcServer=0 gcConcurrent=0"},
    {Mode::concurrent, "stock-concurrent", "wsc", "stock, gcServer=0 gcConcurrent=1: the runtime's default"},
    {Mode::server, "stock-server", "srv", "stock, gcServer=1 GCDynamicAdaptationMode=0"},
    {Mode::server_datas, "stock-server-datas", "dat", "stock, gcServer=1 with dynamic adaptation"},
    {Mode::own, "stock", "own", "stock, as the program's own settings have it"},
  };
  return rows;
}

const char* name_of(Mode mode) { return mode_rows()[size_t(mode)].name; }

std::string mode_names(const char* separator) {
  std::string all;
  for (const ModeRow& row : mode_rows()) all += (all.empty() ? "" : separator) + std::string(row.name);
  return all;
}

Mode parse_mode(const std::string& name) {
  for (const ModeRow& row : mode_rows())
    if (name == row.name || name == row.letters) return row.mode;
  throw UsageError(fmt::format("unknown mode '{}': one of {}", name, mode_names(", ")));
}

std::vector<Mode> parse_modes(const std::vector<std::string>& names) {
  std::vector<Mode> modes;
  for (const std::string& name : names) {
    Mode mode = parse_mode(name);
    for (Mode earlier : modes)
      if (earlier == mode) throw UsageError(fmt::format("mode '{}' is given twice", name_of(mode)));
    modes.push_back(mode);
  }
  return modes;
}

Environment environment_for(Mode mode, const std::string& library, const std::string& options, std::optional<uint64_t> limit_bytes) {
  Environment changes;
  // COMPlus_ is the old prefix, still read where DOTNET_ is not set.
  for (const char* prefix : {"DOTNET_", "COMPlus_"})
    for (const char* name : {"GCName", "GCPath"}) changes[std::string(prefix) + name] = std::nullopt;
  if (!options.empty()) changes["GARNER"] = options;
  if (limit_bytes) changes["DOTNET_GCHeapHardLimit"] = fmt::format("{:x}", *limit_bytes); // the runtime reads hexadecimal
  if (mode == Mode::garner) changes["DOTNET_GCPath"] = library;
  if (mode == Mode::garner || mode == Mode::own) return changes;
  for (const char* prefix : {"DOTNET_", "COMPlus_"})
    for (const char* name : {"gcServer", "gcConcurrent", "GCDynamicAdaptationMode"}) changes[std::string(prefix) + name] = std::nullopt;
  switch (mode) {
    case Mode::garner:
    case Mode::own: break;
    case Mode::workstation:
      changes["DOTNET_gcServer"] = "0";
      changes["DOTNET_gcConcurrent"] = "0";
      break;
    case Mode::concurrent:
      changes["DOTNET_gcServer"] = "0";
      changes["DOTNET_gcConcurrent"] = "1";
      break;
    case Mode::server:
      changes["DOTNET_gcServer"] = "1";
      changes["DOTNET_GCDynamicAdaptationMode"] = "0";
      break;
    case Mode::server_datas:
      changes["DOTNET_gcServer"] = "1";
      changes["DOTNET_GCDynamicAdaptationMode"] = "1";
      break;
  }
  return changes;
}

Environment no_collector_settings() {
  Environment changes = {{"GARNER", std::nullopt}};
  for (char** entry = environ; *entry != nullptr; entry++)
    for (std::string_view prefix : {"DOTNET_GC", "DOTNET_gc", "COMPlus_GC", "COMPlus_gc"})
      if (std::string_view(*entry).starts_with(prefix)) changes[std::string(*entry, std::strcspn(*entry, "="))] = std::nullopt;
  return changes;
}

uint64_t parse_size(const std::string& text, const std::string& what) {
  i64 bytes = 0;
  if (!parse_bytes(text.data(), text.size(), bytes) || bytes <= 0)
    throw UsageError(fmt::format("'{}' is no size for {}: a number of bytes, or with k, m, g", text, what));
  return uint64_t(bytes);
}

} // namespace garner::tool
