#include "top_screen.h"

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <langinfo.h>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

#define NCURSES_NOMACROS
#include <curses.h>

#include <fmt/format.h>

#include "errors.h"
#include "strict_json.h"
#include "table.h"

namespace garner::tool {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH};
volatile sig_atomic_t last_signal = 0, size_changed = 0;

void note(int signal) { (signal == SIGWINCH ? size_changed : last_signal) = signal; }

attr_t attributes_of(Style style, bool coloured) {
  const auto colour = [&](short pair, attr_t otherwise) { return coloured ? attr_t(COLOR_PAIR(pair)) : otherwise; };
  switch (style) {
    case Style::plain: return A_NORMAL;
    case Style::title: return A_BOLD;
    case Style::faint: return A_DIM;
    case Style::used: return colour(1, A_NORMAL);
    case Style::holes: return colour(2, A_DIM);
    case Style::young: return colour(3, A_NORMAL);
    case Style::full: return colour(4, A_BOLD);
    case Style::alarm: return colour(5, A_BOLD) | A_BOLD;
  }
  return A_NORMAL;
}

bool take_colours() {
  if (!colours_on(1) || !has_colors() || start_color() == ERR) return false;
  const short ground = use_default_colors() == ERR ? COLOR_BLACK : -1;
  const short colours[] = {COLOR_GREEN, COLOR_YELLOW, COLOR_CYAN, COLOR_MAGENTA, COLOR_RED};
  for (short i = 0; i < 5; i++) init_pair(short(i + 1), colours[i], ground);
  return true;
}

} // namespace

bool shows_blocks() {
  std::setlocale(LC_CTYPE, "");
  return std::string_view(nl_langinfo(CODESET)) == "UTF-8";
}

TopScreen::TopScreen() : typed_(isatty(0) != 0) {
  const char* type = std::getenv("TERM");
  if (type != nullptr && std::string_view(type) == "dumb") throw UsageError("a terminal of type 'dumb' has no screen; --once prints the figures without one");
  catch_signals(); // first: the library leaves handlers alone that it finds, and would not take back its own
  screen_ = newterm(nullptr, stdout, stdin);
  if (screen_ == nullptr) {
    give_signals_back();
    throw UsageError(fmt::format("the terminal type '{}' is not known here; --once prints the figures without a screen", shortened(type == nullptr ? "" : type)));
  }
  coloured_ = take_colours();
  cbreak();
  noecho();
  nodelay(stdscr, true);
  keypad(stdscr, true);
  curs_set(0);
}

TopScreen::~TopScreen() {
  endwin();
  delscreen(static_cast<SCREEN*>(screen_));
  give_signals_back();
}

void TopScreen::give_signals_back() {
  for (const auto& [signal, action] : handlers_) sigaction(signal, &action, nullptr);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void TopScreen::catch_signals() {
  last_signal = 0;
  size_changed = 0;
  sigset_t ours;
  sigemptyset(&ours);
  for (int signal : kSignals) sigaddset(&ours, signal);
  sigprocmask(SIG_BLOCK, &ours, &before_);
  for (int signal : kSignals) sigdelset(&before_, signal); // blocked by whoever started us: then nothing could end us but a key
  for (int signal : kSignals) {
    struct sigaction action = {}, had = {};
    action.sa_handler = note;
    sigaction(signal, &action, &had);
    handlers_.emplace_back(signal, had);
  }
}

size_t TopScreen::width() const { return size_t(std::max(getmaxx(stdscr), 1)); }
size_t TopScreen::height() const { return size_t(std::max(getmaxy(stdscr), 1)); }

void TopScreen::take_size() {
  winsize size = {};
  if (ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) resizeterm(size.ws_row, size.ws_col);
  clearok(stdscr, true); // what the terminal made of the old picture is not known
}

void TopScreen::draw(const std::vector<StyledLine>& lines) {
  werase(stdscr);
  for (size_t row = 0; row < lines.size() && row < height(); row++) {
    wmove(stdscr, int(row), 0);
    for (const StyledText& piece : lines[row]) {
      wattrset(stdscr, int(attributes_of(piece.style, coloured_)));
      waddstr(stdscr, piece.text.c_str());
    }
  }
  wattrset(stdscr, A_NORMAL);
  wrefresh(stdscr);
}

TopScreen::Event TopScreen::wait(double timeout_s, int& value) {
  const double whole = std::floor(std::max(timeout_s, 0.0));
  const timespec timeout = {time_t(whole), long((std::max(timeout_s, 0.0) - whole) * 1e9)};
  pollfd input = {typed_ ? 0 : 1, short(typed_ ? POLLIN : 0), 0}; // the screen alone tells of its end too
  int ready = last_signal != 0 || size_changed != 0 ? -1 : ppoll(&input, 1, &timeout, &before_);
  if (ready > 0) { // ppoll lets no signal in when there is input at once
    sigset_t blocked;
    sigprocmask(SIG_SETMASK, &before_, &blocked);
    sigprocmask(SIG_SETMASK, &blocked, nullptr);
  }
  if (last_signal != 0) {
    value = last_signal;
    return Event::signal;
  }
  if (size_changed != 0) {
    size_changed = 0;
    take_size();
    return Event::resized;
  }
  if (ready <= 0) return Event::nothing;
  if ((input.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return Event::closed; // with POLLIN, which never ends, where the terminal is gone
  value = wgetch(stdscr);
  return value != ERR ? Event::key : Event::nothing;
}

} // namespace garner::tool
