// The terminal of `garner top`: drawing lines with ncurses, keys, signals, and the terminal as it was before on every way out.
//
// One at a time. While it lives SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGWINCH are blocked except in wait(), which turns them into events: nothing is drawn
// half, and no handler does more than note a number. The destructor gives back terminal, signals and masks.
#pragma once
#include <csignal>
#include <string>
#include <vector>

#include "top_view.h"

namespace garner::tool {

class TopScreen {
 public:
  // UsageError when the terminal's type is not known here.
  TopScreen();
  ~TopScreen();
  TopScreen(const TopScreen&) = delete;
  TopScreen& operator=(const TopScreen&) = delete;

  size_t width() const;
  size_t height() const;
  void draw(const std::vector<StyledLine>& lines);

  enum class Event { nothing, key, resized, signal, closed };
  // Until something happens, `timeout_s` at most. key and signal: `value` says which. closed: nobody types any more.
  Event wait(double timeout_s, int& value);

 private:
  void catch_signals();
  void give_signals_back();
  void take_size();
  bool typed_ = false;   // stdin is a terminal
  bool coloured_ = false;
  sigset_t before_{};
  std::vector<std::pair<int, struct sigaction>> handlers_;
  void* screen_ = nullptr;
};

// Whether the locale, which is set from the environment here, has block elements.
bool shows_blocks();

} // namespace garner::tool
