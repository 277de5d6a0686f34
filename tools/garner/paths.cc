#include "paths.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "errors.h"

namespace garner::tool {

fs::path executable_directory() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::current_path() : self.parent_path();
}

std::vector<fs::path> library_places() {
  fs::path prefix = executable_directory().parent_path();
  constexpr const char* name = "libgarner-dotnet.so";
  return {prefix / "lib" / name, prefix / "lib" / "garner" / name};
}

fs::path find_library(const std::string& given) {
  std::error_code error;
  if (!given.empty()) {
    if (!fs::is_regular_file(given, error)) throw UsageError(fmt::format("no library at '{}'", given));
    return fs::absolute(given);
  }
  for (const fs::path& place : library_places())
    if (fs::is_regular_file(place, error)) return place;
  throw UsageError(fmt::format("the collector's library is not at '{}'; --lib PATH tells where it is", library_places()[0].string()));
}

fs::path find_bench_directory(const std::string& given) {
  std::error_code error;
  if (!given.empty()) {
    if (!fs::is_directory(given, error)) throw UsageError(fmt::format("no directory '{}'", given));
    return fs::absolute(given);
  }
  for (fs::path at = executable_directory(); at != at.root_path(); at = at.parent_path())
    if (fs::is_regular_file(at / "bench" / "dotnet" / "roslyn.bench", error)) return at / "bench" / "dotnet"; // not build/bench/dotnet, its output
  throw UsageError("no bench/dotnet above this executable; --bench-dir DIR tells where the workloads are");
}

fs::path find_recording(const std::string& name) {
  std::error_code error;
  const std::string file = name + ".garner-heap";
  for (fs::path at = executable_directory(); at != at.root_path(); at = at.parent_path())
    for (const fs::path& place : {at / "tests" / "data", at / "share" / "garner" / "recordings"})
      if (fs::is_regular_file(place / file, error)) return place / file;
  throw UsageError(fmt::format("no recording {} above this executable", file));
}

bool read_file(const fs::path& path, std::string& text) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  std::ostringstream all;
  all << in.rdbuf();
  text = all.str();
  return !in.bad();
}

std::string file_digest(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return "missing";
  uint64_t hash = 0xcbf29ce484222325, bytes = 0;
  std::vector<char> block(1 << 16);
  while (in.read(block.data(), std::streamsize(block.size())), in.gcount() > 0) {
    for (std::streamsize i = 0; i < in.gcount(); i++) hash = (hash ^ uint8_t(block[size_t(i)])) * 0x100000001b3;
    bytes += uint64_t(in.gcount());
  }
  return fmt::format("{} bytes, {:016x}", bytes, hash);
}

void write_file(const fs::path& path, const std::string& text) {
  fs::path next = path;
  next += ".new";
  std::error_code error;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  std::ofstream out(next, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) fs::rename(next, path, error);
  if (!out || error) throw std::runtime_error(fmt::format("cannot write '{}': {}", path.string(), error ? error.message() : std::strerror(errno)));
}

TempDirectory::TempDirectory() {
  std::error_code error;
  fs::path base = fs::temp_directory_path(error);
  if (error || base.string().find(',') != std::string::npos) base = "/tmp"; // a comma would end the log's path in an option list
  std::string name = (base / "garner-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(fmt::format("no temporary directory '{}': {}", name, std::strerror(errno)));
  path_ = name;
}

TempDirectory::~TempDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

} // namespace garner::tool
