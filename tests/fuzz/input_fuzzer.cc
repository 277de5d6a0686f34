// Fuzzing of the texts that the command reads besides recordings: machine files, what `machine import` takes (lscpu -J, hwloc's XML), and the collector's logs. Whatever
// an input was made from, every reader gets it: each must take it or refuse it by a UsageError, and what is taken must do for what comes next (a draft, a machine, a page).
//
// An input also fails that takes too much processor time, or memory out of proportion to its size: a line of a file must not decide how long the command is gone.
#include <malloc.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <sstream>
#include <string>

#include "errors.h"
#include "log_data.h"
#include "log_page.h"
#include "log_reader.h"
#include "log_trace.h"
#include "machine_draft.h"
#include "machine_file.h"
#include "strict_json.h"
#include "text_mutator.h"

namespace garner::test {
namespace {

// A reader of JSON takes some 100 bytes for a byte of "[[[["; sanitizers make everything slower and nothing larger, as their own blocks do not pass by `new`.
constexpr usize kBytesPerByte = 512, kBytesBesides = 64 * MiB;
#ifdef GARNER_DEBUG
constexpr long kSecondsMost = 60;
#else
constexpr long kSecondsMost = 10;
#endif

constexpr usize kLineMost = 1000; // of an error

usize live_bytes = 0, most_bytes = ~usize(0); // one thread only

[[noreturn]] void wrong(const std::string& what) {
  fprintf(stderr, "%s\n", what.c_str());
  abort();
}

// Ends the process by SIGPROF when an input takes longer, wherever it is then: processor time, so that other programs on the machine do not matter.
class Bounds {
 public:
  explicit Bounds(usize size) {
    most_bytes = live_bytes + kBytesBesides + kBytesPerByte * size;
    set(kSecondsMost);
  }
  ~Bounds() {
    set(0);
    most_bytes = ~usize(0);
  }

 private:
  static void set(long seconds) {
    const itimerval time{{0, 0}, {seconds, 0}};
    setitimer(ITIMER_PROF, &time, nullptr);
  }
};

// True when `read` went through. What a UsageError says is a line, as main.cc shows it, that stays one whatever the file holds; anything else thrown is a mistake.
template <class Fn> bool takes(const char* who, Fn read) {
  try {
    read();
    return true;
  } catch (const tool::UsageError& error) {
    const std::string line = tool::printable(error.what());
    if (line.empty() || line.size() > kLineMost) wrong(std::string(who) + " refuses it by what is no line: " + line.substr(0, kLineMost));
    return false;
  } catch (const std::exception& error) {
    wrong(std::string(who) + ": " + error.what());
  }
}

void check_machine(const tool::MachineFile& machine) {
  if (machine.threads() == 0 || machine.cores() == 0) wrong("a machine without threads");
  if (machine.sources.empty()) wrong("a machine of which nothing has a source");
  machine.config();
}

void read_machine(const std::string& text) {
  tool::MachineFile machine;
  if (takes("machine file", [&] { machine = tool::parse_machine(text, "machine.json"); })) check_machine(machine);
}

void import_machine(const std::string& text) {
  for (const auto read : {&tool::read_lscpu, &tool::read_hwloc}) {
    tool::MachineFacts facts;
    if (!takes("import", [&] { facts = read(text, "facts"); })) continue;
    if (facts.nodes.empty()) wrong("facts of no node");
    tool::MachineFile machine;
    if (takes("draft", [&] { machine = tool::parse_machine(tool::machine_text(tool::draft_machine(facts, "drafted")), "drafted"); })) check_machine(machine);
  }
}

// As `garner run` follows a log while it is written: what has been read in two parts is what is read at once.
class Followed {
 public:
  explicit Followed(const std::string& text, usize first) : file_(memfd_create("log", MFD_CLOEXEC)), reader_("/proc/self/fd/" + std::to_string(file_), 0, true) {
    put(text.substr(0, first));
    put(text.substr(first));
  }
  ~Followed() { close(file_); }
  const tool::LogReader& operator*() const { return reader_; }

 private:
  void put(const std::string& part) {
    for (usize done = 0; done < part.size();) {
      const ssize_t n = write(file_, part.data() + done, part.size() - done);
      if (n <= 0) wrong("no file in memory");
      done += usize(n);
    }
    reader_.more();
  }
  const int file_;
  tool::LogReader reader_;
};

void read_log(const std::string& text) {
  const Followed whole(text, text.size()), parts(text, text.size() / 2);
  if ((*whole).collections() != (*parts).collections() || (*whole).bad_lines() != (*parts).bad_lines() || (*whole).heap_after() != (*parts).heap_after()) wrong("a log that grows is read otherwise");
  std::istringstream lines(text);
  tool::LogData data;
  if (!takes("log", [&] { data = tool::read_log(lines, "log"); })) return;
  if (!tool::draw_log(data).ends_with("</html>\n")) wrong("a page without an end");
  if (!tool::trace_of(data).ends_with("]}\n")) wrong("a trace without an end");
  // What is no number stands in JSON as null. A log has none, and what is summed up of it is none either.
  if (tool::figures_of(data).dump().find("null") != std::string::npos && text.find("null") == std::string::npos) wrong("a figure of what is no number");
  tool::each_worker(data, [](const std::string& line) {
    if (line.find('\n') != std::string::npos || line.back() != '}') wrong("a record that is no line");
  });
}

} // namespace
} // namespace garner::test

// Every `new` is counted. The sanitizers still see malloc and free.
void* operator new(std::size_t bytes) {
  using namespace garner::test;
  if (bytes > most_bytes || live_bytes + bytes > most_bytes) wrong("memory out of proportion: " + std::to_string(bytes) + " bytes more");
  void* const at = std::malloc(bytes == 0 ? 1 : bytes);
  if (at == nullptr) throw std::bad_alloc();
  live_bytes += malloc_usable_size(at);
  return at;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { // what std::stable_sort asks for
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* at) noexcept {
  garner::test::live_bytes -= malloc_usable_size(at);
  std::free(at);
}
void operator delete(void* at, std::size_t) noexcept { operator delete(at); }
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete[](void* at) noexcept { operator delete(at); }
void operator delete[](void* at, std::size_t) noexcept { operator delete(at); }

extern "C" size_t LLVMFuzzerCustomMutator(unsigned char* data, size_t size, size_t most, unsigned seed) { return garner::test::mutate_text(data, size, most, seed); }

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  using namespace garner::test;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Bounds bounds(size);
  read_machine(text);
  import_machine(text);
  read_log(text);
  return 0;
}
