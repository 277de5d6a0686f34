#include "probes.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <linux/membarrier.h>
#include <linux/mempolicy.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace garner::tool {
namespace {

Answer permitted(long result) { return result >= 0 ? Answer{true, "permitted"} : Answer{false, std::strerror(errno)}; }

void* touched_page() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  *static_cast<volatile char*>(page) = 1;
  return page;
}

} // namespace

Answer in_child(const std::function<Answer()>& ask) {
  int ends[2];
  if (pipe(ends) != 0) return {false, std::strerror(errno)};
  pid_t child = fork();
  if (child < 0) return {false, std::strerror(errno)};
  if (child == 0) {
    Answer answer = ask();
    std::string told = (answer.good ? "+" : "-") + answer.text;
    ssize_t written = write(ends[1], told.data(), told.size());
    _exit(written == ssize_t(told.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string told;
  char block[512];
  for (ssize_t n; (n = read(ends[0], block, sizeof block)) > 0;) told.append(block, size_t(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return {false, fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))};
  if (told.empty()) return {false, "no answer"};
  return {told[0] == '+', told.substr(1)};
}

Answer try_mbind() {
  return in_child([] {
    void* page = touched_page();
    return permitted(page == nullptr ? -1 : syscall(SYS_mbind, page, 4096, MPOL_DEFAULT, nullptr, 0, 0));
  });
}

Answer try_move_pages() {
  return in_child([] {
    void* page = touched_page();
    int where = 0;
    return permitted(page == nullptr ? -1 : syscall(SYS_move_pages, 0, 1, &page, nullptr, &where, 0)); // asks only, moves nothing
  });
}

Answer try_membarrier() {
  return in_child([] {
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) < 0) return permitted(-1);
    return permitted(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0));
  });
}

Answer try_library(const std::string& path) {
  return in_child([&path]() -> Answer {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return {false, dlerror()};
    struct Version {
      uint32_t major, minor, build;
      const char* name;
    } version = {4, 0, 0, nullptr}; // the runtime's interface version goes in, the collector's comes out
    void* ask = dlsym(library, "GC_VersionInfo");
    for (const char* name : {"GC_VersionInfo", "GC_Initialize"})
      if (dlsym(library, name) == nullptr) return {false, fmt::format("does not export {}", name)};
    reinterpret_cast<void (*)(Version*)>(ask)(&version);
    return {true, fmt::format("loads: {}, GC interface {}.{}", version.name == nullptr ? "no name" : version.name, version.major, version.minor)};
  });
}

std::vector<NetRuntime> runtimes_in(const std::string& listing) {
  std::vector<NetRuntime> all;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    NetRuntime one;
    words >> name >> one.version;
    std::getline(words, one.place);
    if (name == "Microsoft.NETCore.App") all.push_back(std::move(one));
  }
  return all;
}

} // namespace garner::tool
