// Where things are: beside this executable (a build tree or an installation), and in a temporary directory that cleans up after itself.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace garner::tool {

namespace fs = std::filesystem;

// The directory of the running executable.
fs::path executable_directory();
// The collector's library for .NET: `given` when not empty (must exist), else beside the executable. Absolute. UsageError when there is none.
fs::path find_library(const std::string& given);
// Where it is looked for when not given; the first that exists counts.
std::vector<fs::path> library_places();
// The directory with the workloads' NAME.bench files: `given` when not empty, else that of the tree the executable was built in.
fs::path find_bench_directory(const std::string& given);
// The recording NAME.garner-heap that comes with the tree or the installation. UsageError when there is none.
fs::path find_recording(const std::string& name);
// The whole file; false when it cannot be read.
bool read_file(const fs::path& path, std::string& text);
// "812 bytes, 5f3a…": size and FNV-1a digest, enough to tell two results of one program apart, not meant against malice. "missing" when
// it cannot be read.
std::string file_digest(const fs::path& path);
// UsageError when there is no directory to write this file in, when it is a directory, or when none can be made there; for commands that work long before they
// write. Tries it, with a file that is gone again. An empty path is none to write.
void want_place_for(const fs::path& path);
// The same for two outputs, which cannot be one file; but /dev/null takes both, since nobody reads it.
void want_places_for(const fs::path& one, const fs::path& other);
// A device has no end to be read to. False for what is not there.
bool is_device(const fs::path& path);
// Replaces the file in one step, and the one a symbolic link leads to; what is no regular file, and where stdout or stderr goes, is written in place. Makes no
// directory: UsageError as above. std::runtime_error with a sentence when it cannot be written.
void write_file(const fs::path& path, const std::string& text);
// The same, below directories that need not be there yet.
void write_file_and_directories(const fs::path& path, const std::string& text);

// A new directory in TMPDIR, /tmp or /dev/shm, whichever takes one and has room in it first; absolute; removed with all that is in it. std::runtime_error where none does.
class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

} // namespace garner::tool
