// `garner top`: a live view of a process that runs on the collector, from the page of memory that it shows (observe/live_page.h); without a number, the
// processes that show one.
//
// Looking costs the process nothing: its figures are read, it is never stopped or asked. The screen is as before on every way out (top_screen.h).
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "command.h"
#include "errors.h"
#include "live_process.h"
#include "say.h"
#include "table.h"
#include "top_screen.h"
#include "top_view.h"

namespace garner::tool {
namespace {

constexpr double kIntervalLeast = 0.05, kIntervalMost = 3600;

struct TopArgs {
  int64_t pid = 0;
  double interval = 1;
  uint64_t count = 0;
  bool once = false;
  const CLI::Option *pid_given = nullptr, *interval_given = nullptr, *count_given = nullptr;
};

uint64_t after_s(double seconds) { return live_clock_ns() + uint64_t(seconds * 1e9); }

LiveFigures read_first(const LiveProcess& process) {
  std::optional<LiveFigures> figures = process.read();
  if (!figures) throw UsageError(fmt::format("the live page of process {} cannot be read: it changes all the time, or the process was stopped in the middle of a change", process.pid()));
  return *figures;
}

int tell_gone(const LiveProcess& process, const std::string& how) {
  say_out("process {} {}\n", process.pid(), how);
  return 0;
}

// Snapshots as text, an empty line between two.
int print(const LiveProcess& process, const TopArgs& args, uint64_t count) {
  const TopFrame frame = {80, 0, shows_blocks(), false, args.interval};
  for (uint64_t i = 0; i < count; i++) {
    if (i > 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(args.interval));
      if (std::string how = process.gone(); !how.empty()) return tell_gone(process, how);
    }
    const LiveFigures figures = read_first(process);
    say_out("{}{}", i > 0 ? "\n" : "", plain_text(top_lines(figures, {process.pid(), process.command(), live_clock_ns()}, frame)));
    if (std::ferror(stdout) != 0) break;
  }
  return 0;
}

// Until q, a signal, the process's end, or `count` pictures. What is to be said then is in `how`: it is for the terminal without the screen.
void watch(const LiveProcess& process, const TopArgs& args, std::string& how) {
  LiveFigures figures = read_first(process);
  TopFrame frame = {80, 24, shows_blocks(), false, args.interval};
  TopScreen screen;
  uint64_t next = after_s(args.interval), shown = 1, taken = live_clock_ns();
  while (true) {
    frame.width = screen.width();
    frame.height = screen.height();
    screen.draw(top_lines(figures, {process.pid(), process.command(), taken}, frame));
    const uint64_t now = live_clock_ns();
    int value = 0;
    const TopScreen::Event event = screen.wait(next > now ? double(next - now) / 1e9 : 0, value);
    if (event == TopScreen::Event::signal) throw Interrupted{value};
    if (event == TopScreen::Event::closed || (event == TopScreen::Event::key && (value == 'q' || value == 'Q'))) return;
    if (event == TopScreen::Event::key && value == ' ') frame.frozen = !frame.frozen;
    if (live_clock_ns() < next) continue;
    next = after_s(args.interval);
    if (how = process.gone(); !how.empty()) return;
    if (args.count != 0 && shown >= args.count) return;
    shown++;
    if (frame.frozen) continue;
    if (std::optional<LiveFigures> more = process.read()) figures = *more; // else the last ones stay
    taken = live_clock_ns();
  }
}

int list() {
  Table table({"pid", "heap", "committed", "collections", "last pause ms", "longest", "stopped", "command"});
  table.left(7);
  constexpr size_t kBeforeCommand = 66; // columns, with numbers of the usual length
  winsize size = {};
  const size_t room = ioctl(1, TIOCGWINSZ, &size) == 0 && size.ws_col > kBeforeCommand + 14 ? size.ws_col - kBeforeCommand : isatty(1) != 0 ? 14 : 4096;
  size_t rows = 0;
  for (int64_t pid : processes_with_page()) {
    try {
      LiveProcess process(pid);
      const LiveFigures f = read_first(process);
      uint64_t heap = 0;
      for (uint32_t part = 0; part < kHeapParts; part++) heap += f.now.taken[part] - std::min(f.now.holes[part], f.now.taken[part]);
      const uint64_t now = live_clock_ns(), age = now > f.start.start_ns ? now - f.start.start_ns : 0;
      table.row({std::to_string(pid), short_bytes(heap), short_bytes(f.now.committed), short_count(f.now.collections),
                 f.last.empty() ? "-" : milliseconds_text(double(f.last.back().pause_ns) / 1e6), milliseconds_text(double(f.now.longest_pause_ns) / 1e6),
                 age == 0 ? "-" : fmt::format("{:.1f} %", std::min(100.0, 100 * double(f.now.total_pause_ns) / double(age))), short_command(process.command(), room)});
      rows++;
    } catch (const UsageError&) {} // has ended meanwhile, or shows another one's page
  }
  if (rows == 0) say_err("garner: no process with a live page among those that may be looked at\n");
  else say_out("{}", table.text(colours_on(1)));
  return 0;
}

int top(const TopArgs& args) {
  shows_blocks(); // sets the locale, by which commands are read
  if (!(args.interval >= kIntervalLeast && args.interval <= kIntervalMost)) // not a number is neither
    throw UsageError(fmt::format("--interval takes {:g} to {:g} seconds", kIntervalLeast, kIntervalMost));
  if (args.count_given->count() != 0 && args.count == 0) throw UsageError("--count takes 1 or more");
  if (args.pid_given->count() == 0) {
    if (args.interval_given->count() + args.count_given->count() != 0) throw UsageError("--interval and --count need a process: garner top PID");
    return list();
  }
  if (args.pid <= 0) throw UsageError(fmt::format("{} is no number of a process", args.pid));
  LiveProcess process(args.pid);
  if (args.once || isatty(1) == 0) return print(process, args, std::max<uint64_t>(args.count, 1));
  std::string how;
  watch(process, args, how);
  return how.empty() ? 0 : tell_gone(process, how);
}

} // namespace

Command add_top(CLI::App& root) {
  CLI::App* app = root.add_subcommand("top", "Watch the heap, pauses and workers of a running process, or list those that can be watched");
  auto args = std::make_shared<TopArgs>();
  args->pid_given = app->add_option("PID", args->pid, "The process; without it, a list of those that can be watched")->option_text("[PID]");
  args->interval_given = app->add_option("--interval", args->interval, "Time between two pictures")->type_name("SECONDS")->capture_default_str();
  args->count_given = app->add_option("--count", args->count, "End after N pictures")->type_name("N");
  CLI::Option* once = app->add_flag("--once", args->once, "Print the figures as text, once");
  once->excludes(const_cast<CLI::Option*>(args->count_given));
  app->footer("Keys: q ends, space freezes the picture. Where stdout is no terminal, figures are printed as text: once, or N times with --count N.\n"
              "The process has the option general.live on, which it is unless switched off, and belongs to the same user. Figures are those of its last collection.");
  return {app, [args](const Invocation&) { return top(*args); }};
}

} // namespace garner::tool
