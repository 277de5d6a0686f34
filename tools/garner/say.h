// Text for people: to stdout (results) and stderr (everything else). A stream that nobody reads or that is full must not change what a
// command does, so errors are ignored here, which fmt::print would throw; main.cc asks at the end whether the results went out.
#pragma once
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace garner::tool {

template <class... Args> void say_to(std::FILE* stream, fmt::format_string<Args...> format, Args&&... args) {
  std::fputs(fmt::format(format, std::forward<Args>(args)...).c_str(), stream);
  std::fflush(stream);
}
template <class... Args> void say_out(fmt::format_string<Args...> format, Args&&... args) { say_to(stdout, format, std::forward<Args>(args)...); }
template <class... Args> void say_err(fmt::format_string<Args...> format, Args&&... args) { say_to(stderr, format, std::forward<Args>(args)...); }

} // namespace garner::tool
