// `garner report`: one page from a JSON log: pauses and what they leave to the program, the heap over time, what workers did when, and on machines with several
// nodes bytes, accesses and steals by node, non-locality and imbalance (N27), and the locality matrix as a heat map (T15). With --json a record for each worker and
// collection, with --trace a trace, with --phases a table of phases, with --longest one of pauses. The numbers are log_data.h's and log_pauses.h's, the page log_page.h's, the trace log_trace.h's, the
// tables log_phases.h's and log_longest.h's.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>
#include <unistd.h>

#include "command.h"
#include "errors.h"
#include "log_data.h"
#include "log_longest.h"
#include "log_page.h"
#include "log_phases.h"
#include "log_trace.h"
#include "measure.h"
#include "paths.h"
#include "say.h"
#include "strict_json.h"
#include "table.h"

namespace garner::tool {
namespace {

constexpr size_t kManyCollections = 20'000; // drawing them takes a second

struct Wanted {
  std::string log, out = "garner-report.html";
  bool out_given = false, json = false, trace = false, phases = false, no_limits = false;
  size_t longest = 0; // 0: not asked for
  bool table() const { return phases || longest != 0; }
  bool printed() const { return out == "-" || (!out_given && (trace || table())); } // what is made goes to stdout
  bool page() const { return !trace && !table() && (!json || out_given); }
};

void write(const Wanted& wanted, const std::string& text) {
  if (wanted.printed()) std::fputs(text.c_str(), stdout);
  else write_file(wanted.out, text);
}

// Before the log is read, which takes a while and would be gone.
void check(const Wanted& wanted) {
  if (wanted.json + wanted.trace + wanted.phases + (wanted.longest != 0) > 1) throw UsageError("--json, --trace, --phases and --longest: one of them at a time");
  if (wanted.no_limits && !wanted.phases) throw UsageError("--no-limits is for --phases");
  if (wanted.json && wanted.page() && wanted.printed()) throw UsageError("-o -: the records of --json go to stdout, and the page cannot go there too");
  std::error_code none;
  if (!wanted.printed() && std::filesystem::equivalent(wanted.log, wanted.out, none)) throw UsageError(fmt::format("'{}' is the log itself, which would be lost; -o names another file", wanted.out));
}

// make(markdown, colour): for stdout as columns, into a file as markdown.
template <class F> void write_table(const Wanted& wanted, F make) {
  if (wanted.printed()) say_out("{}", make(false, colours_on(STDOUT_FILENO)));
  else write_file(wanted.out, make(true, false));
}

// Measures this machine, unless that was not asked for or says nothing of the log's.
void tell_phases(const Wanted& wanted, const LogData& data) {
  if (phase_rows(data).empty()) throw UsageError(wanted.log + ": no durations of phases in it");
  std::optional<MemoryRates> rates;
  if (!wanted.no_limits && !data.simulated) rates = memory_rates(std::clamp(data.workers, 1u, std::max(std::thread::hardware_concurrency(), 1u)), 1);
  write_table(wanted, [&](bool markdown, bool colour) { return phases_text(data, rates, markdown, colour); });
}

// Tells how far it is, once that has taken a while. A page needs details of the longest collection only.
LogData read_slowly(const Wanted& wanted, const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::error_code none;
  const uintmax_t found = std::filesystem::file_size(wanted.log, none);
  const double size = none ? 0 : double(found);
  LogData data = read_log(wanted.log, wanted.json || wanted.trace || wanted.table() ? Keep::all : Keep::longest, [&](uint64_t bytes) {
    if (Clock::now() - begin > std::chrono::milliseconds(500)) progress.show(fmt::format("report: reading {}: {:.0f} of {:.0f} MB", printable(wanted.log), double(bytes) / kMegabyte, std::max(size, double(bytes)) / kMegabyte));
  });
  progress.show("");
  return data;
}

int report(const Wanted& wanted) {
  check(wanted);
  const Progress progress;
  const LogData data = read_slowly(wanted, progress);
  const char* told = wanted.json ? "the records are of" : wanted.trace ? "the trace is of" : wanted.table() ? "the table is of" : "the page shows";
  if (wanted.trace) {
    write(wanted, trace_of(data));
  } else if (wanted.phases) {
    tell_phases(wanted, data);
  } else if (wanted.longest != 0) {
    write_table(wanted, [&](bool markdown, bool colour) { return longest_text(data, wanted.longest, markdown, colour); });
  } else if (wanted.page()) {
    if (data.cycles.size() > kManyCollections) progress.show("report: drawing");
    const std::string page = draw_log(data);
    write(wanted, page);
    progress.show("");
    if (!wanted.out_given) say_err("garner: {} written, {} KB\n", wanted.out, (page.size() + 999) / 1000);
    told = "the page shows";
  }
  if (wanted.json) each_worker(data, [](const std::string& line) { std::fputs((line + "\n").c_str(), stdout); });
  if (const std::string damage = damage_of(data); !damage.empty()) say_err("garner: {}: {}; {} the rest\n", printable(wanted.log), damage, told);
  return 0;
}

} // namespace

Command add_report(CLI::App& root) {
  CLI::App* app = root.add_subcommand("report", "One page from a JSON log: pauses, heap, workers' timeline, nodes, steals, locality; or a record for each worker and collection; or a trace; or a table of phases, or of the longest pauses");
  auto wanted = std::make_shared<Wanted>();
  app->add_option("LOG", wanted->log, "A log written with log=FILE,log_format=json, or by 'garner simulate --log'")->required()->option_text("LOG");
  CLI::Option* out = app->add_option("-o,--output", wanted->out, "The page, - for stdout; with --json one is made when this is given; with --trace, --phases or --longest what is printed when this is not given, a table as markdown")->type_name("FILE")->capture_default_str();
  app->add_flag("--json", wanted->json, "Print one record for each worker and collection, what it did in all phases: a JSON object a line");
  app->add_flag("--trace", wanted->trace, "Instead of a page, a trace that ui.perfetto.dev opens: pauses, phases, what workers did when, and sizes of the heap, as JSON");
  app->add_flag("--phases", wanted->phases, fmt::format("Instead of a page, a table by kind of collection and phase: time, roots, objects and bytes; and beside each time the least that this machine's memory allows for that work, which is measured for about a second, in 256 MB. {}", kLimitWords));
  app->add_flag("--no-limits", wanted->no_limits, "With --phases: measure nothing, and leave these limits out");
  app->add_option("--longest", wanted->longest, "Instead of a page, a table of so many longest pauses: kind and cause, the phases that took a twentieth of it or more, the heap before and after, and when memory was at its most")->type_name("N")->check(CLI::Range(1, 1'000'000));
  return {app, [wanted, out](const Invocation&) {
            wanted->out_given = out->count() != 0;
            return report(*wanted);
          }};
}

} // namespace garner::tool
