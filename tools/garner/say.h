// Text for people: to stdout (results) and stderr (everything else). A stream that nobody reads or that is full must not change what a
// command does, so errors are ignored here, which fmt::print would throw; code_of_output() tells at the end whether the results went out.
#pragma once
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "errors.h"

namespace garner::tool {

template <class... Args> void say_to(std::FILE* stream, fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(fmt::format(format, std::forward<Args>(args)...).c_str(), stream);
  std::fflush(stream);
}
template <class... Args> void say_out(fmt::format_string<Args...> format, Args&&... args) { say_to(stdout, format, std::forward<Args>(args)...); }
template <class... Args> void say_err(fmt::format_string<Args...> format, Args&&... args) { say_to(stderr, format, std::forward<Args>(args)...); }

// At a program's end: whoever asked for output and did not get all of it is told, as half of a JSON text looks like one. The exit code.
inline int code_of_output(const char* program, int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "%s: the output could not be written\n", program);
  return code != 0 ? code : kExitFailed;
}

} // namespace garner::tool
