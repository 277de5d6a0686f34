// Questions that only trying answers: may this process place memory, does the library load. Each is asked in a child, so that a filter that
// kills, or a library that crashes, is an answer too.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace garner::tool {

struct Answer {
  bool good = false;
  std::string text; // what was found, or why not
};

// Calls `ask` in a child of this process; "killed by signal …" when the child does not come back.
Answer in_child(const std::function<Answer()>& ask);

Answer try_mbind();
Answer try_move_pages();
Answer try_membarrier();
// Of what `dotnet --list-runtimes` prints, those that run programs, in its order. place: as printed, with its brackets.
struct NetRuntime { std::string version, place; };
std::vector<NetRuntime> runtimes_in(const std::string& listing);
// Loads the library as the runtime does, looks for the two entry points, and asks for the interface version.
Answer try_library(const std::string& path);

} // namespace garner::tool
