#include "measure.h"

#include <chrono>
#include <ctime>
#include <glob.h>
#include <sstream>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "collector_args.h"
#include "log_reader.h"
#include "pause_trace.h"
#include "paths.h"
#include "say.h"
#include "stats.h"
#include "strict_json.h"
#include "table.h"

namespace garner::tool {
namespace {

using Json = nlohmann::json;

// The clock of file times, which goes in ticks: behind the fine one for as long as the processor that counts them stands still.
fs::file_time_type coarse_now() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return std::chrono::file_clock::from_sys(std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec)));
}

// A file that is older than the run was not written by it.
std::string file_text(const fs::path& path, fs::file_time_type begun) {
  std::error_code error;
  fs::file_time_type written = fs::last_write_time(path, error);
  if (error) return "missing";
  if (written + std::chrono::milliseconds(20) < begun) return "not written"; // file systems count time in ticks of up to 10 ms
  return file_digest(path);
}

// The files that a pattern means now, as paths relative to `directory`.
std::vector<std::string> matching(const fs::path& directory, const std::string& pattern) {
  glob_t found = {};
  std::vector<std::string> all;
  if (glob((directory / pattern).c_str(), 0, nullptr, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc; i++) all.push_back(fs::path(found.gl_pathv[i]).lexically_relative(directory).string());
  globfree(&found);
  return all;
}

fs::path directory_of(const Plan& plan) { return plan.directory.empty() ? fs::current_path() : fs::path(plan.directory); }

std::vector<std::string> file_results(const Plan& plan, fs::file_time_type begun) {
  std::vector<std::string> all;
  for (const std::string& pattern : plan.files) {
    std::vector<std::string> files = matching(directory_of(plan), pattern);
    if (files.empty()) all.push_back(pattern + ": missing");
    for (const std::string& file : files) all.push_back(fmt::format("{}: {}", file, file_text(directory_of(plan) / file, begun)));
  }
  return all;
}

bool is_result(const std::string& file) { return !file.ends_with(": missing") && !file.ends_with(": not written"); }

// The last lines that say something, as one line.
std::string last_lines(const std::string& text, size_t count) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) lines.push_back(line);
  size_t first = lines.size() > count ? lines.size() - count : 0;
  return fmt::format("{}", fmt::join(lines.begin() + std::ptrdiff_t(first), lines.end(), " "));
}

constexpr size_t kSameBefore = 40; // bytes of a line that both have, before where they differ

std::string first_difference(const std::string& a, const std::string& b) {
  size_t line = 1, at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) line += a[at++] == '\n';
  size_t begin = at == 0 ? 0 : a.rfind('\n', at - 1) + 1; // the same in both: npos + 1 is 0
  if (at - begin > kSameBefore) begin = at - kSameBefore; // of a long line what is about the difference
  while (begin < at && !begins_character(a[begin])) begin++;
  auto shown = [&](const std::string& s) { return shortened(s.substr(begin, s.find('\n', begin) - begin)); };
  return fmt::format("line {}: '{}' and '{}'", line, shown(a), shown(b));
}

double number(const Json& object, const char* key, double otherwise) {
  auto at = object.find(key);
  return at != object.end() && at->is_number() ? at->get<double>() : otherwise;
}

std::string why_not(const Plan& plan, const Finished& end, const LogReader& log, const Sample& sample) {
  if (!end.good()) {
    std::string said = last_lines(end.errors, 2);
    return end.trouble() + (said.empty() ? "" : ": " + said);
  }
  if (plan.mode == Mode::garner && !log.loaded()) return "the program never loaded the collector";
  if (plan.mode != Mode::garner && log.loaded())
    return "the program loads Garner by itself (its runtimeconfig.json names it), so this was not the stock collector";
  if (!plan.compare_stdout && plan.files.empty() && sample.checksum.empty()) return "the program printed no JSON line with the keys to compare";
  for (const std::string& file : sample.files)
    if (!is_result(file)) return "file " + file;
  return "";
}

} // namespace

const std::vector<Figure>& figures() {
  static const std::vector<Figure> all = {
    {"wall_s", "wall s", &Sample::wall_s, seconds_text},
    {"cpu_s", "CPU s", &Sample::cpu_s, seconds_text},
    {"peak_bytes", "peak MB", &Sample::peak_bytes, megabytes_text},
    {"pause_total_ms", "stopped ms", &Sample::pause_total_ms, milliseconds_text},
    {"pause_max_ms", "longest ms", &Sample::pause_max_ms, milliseconds_text},
  };
  return all;
}

void read_json_line(Sample& sample, const std::vector<std::string>& keys) {
  std::string_view left(sample.printed());
  while (!left.empty()) {
    size_t newline = left.rfind('\n');
    std::string_view line = newline == std::string_view::npos ? left : left.substr(newline + 1);
    left = newline == std::string_view::npos ? std::string_view() : left.substr(0, newline);
    if (line.empty() || line[0] != '{') continue;
    Json object = Json::parse(line, nullptr, false);
    if (!object.is_object()) continue;
    std::string checksum;
    for (const std::string& key : keys)
      if (auto at = object.find(key); at != object.end())
        checksum += fmt::format("{}{} {}", checksum.empty() ? "" : ", ", key, at->is_string() ? at->get<std::string>() : at->dump());
    auto gc = object.find("gc");
    bool has_gc = gc != object.end() && gc->is_object();
    if (!has_gc && checksum.empty()) continue;
    sample.line = line;
    sample.checksum = checksum;
    if (!has_gc) return;
    sample.pause_total_ms = number(*gc, "pause_total_ms", sample.pause_total_ms);
    sample.pause_max_ms = number(*gc, "pause_max_ms", sample.pause_max_ms);
    return;
  }
}

double figure_at(const Sample& sample, const std::string& path) {
  if (sample.line.empty()) return -1;
  const Json::json_pointer pointer("/" + path);
  const Json object = Json::parse(sample.line, nullptr, false);
  return object.is_object() && object.contains(pointer) && object[pointer].is_number() ? object[pointer].get<double>() : -1;
}

Sample run_once(const Plan& plan) {
  TempDirectory temporary;
  fs::path log_path = temporary.path() / "log";
  Program program;
  program.arguments = plan.program;
  program.directory = plan.directory;
  program.streams = Streams::capture;
  program.time_limit_s = plan.time_limit_s;
  program.environment = plan.environment;
  if (plan.trace_pauses)
    for (const auto& [name, value] : pause_trace_settings(temporary.path())) program.environment[name] = value;
  for (const auto& [name, value] : environment_for(plan.mode, plan.library, with_log(plan.options, log_path.string()), plan.limit_bytes))
    program.environment[name] = value;

  if (plan.remove_files)
    for (const std::string& pattern : plan.files)
      for (const std::string& file : matching(directory_of(plan), pattern)) fs::remove(directory_of(plan) / file);
  const fs::file_time_type begun = coarse_now();
  Finished end = run_program(program);
  if (plan.must_start) want_started(end, plan.program[0]);
  LogReader log(log_path, 0, true);
  log.more();

  Sample sample;
  sample.output = std::make_shared<const std::string>(std::move(end.output));
  sample.exit_code = end.exit_code;
  sample.wall_s = end.wall_s;
  sample.cpu_s = end.cpu_s();
  sample.peak_bytes = double(end.peak_bytes);
  if (log.loaded()) {
    sample.pause_total_ms = sum(log.pauses_ms());
    sample.pause_max_ms = maximum(log.pauses_ms());
    if (log.most_committed() > 0) sample.most_committed = double(log.most_committed());
    if (log.most_left() > 0) sample.most_left = double(log.most_left());
  }
  read_json_line(sample, plan.keys); // the program's own figures are taken the same way in every mode, so they come first
  if (std::vector<double> traced; plan.trace_pauses && read_pause_traces(temporary.path(), traced)) {
    sample.pause_total_ms = sum(traced);
    sample.pause_max_ms = maximum(traced);
  }
  if (end.peak_is_ours()) sample.peak_bytes = figure_at(sample, "gc/peak_rss_bytes");
  sample.files = file_results(plan, begun);
  sample.failure = why_not(plan, end, log, sample);
  if (!plan.compare_stdout) sample.output.reset();
  return sample;
}

std::vector<double> Contender::all_of(const Figure& figure) const {
  std::vector<double> values;
  for (const Sample& sample : samples)
    if (sample.failure.empty() && sample.*figure.at >= 0) values.push_back(sample.*figure.at);
  return values;
}

std::vector<double> Contender::all_at(const std::string& path) const {
  std::vector<double> values;
  for (const Sample& sample : samples)
    if (double value = sample.failure.empty() ? figure_at(sample, path) : -1; value >= 0) values.push_back(value);
  return values;
}

double Contender::median_of(const Figure& figure) const {
  std::vector<double> values = all_of(figure);
  return values.empty() ? -1 : median(values);
}

double Contender::median_at(const std::string& path) const {
  std::vector<double> values = all_at(path);
  return values.empty() ? -1 : median(values);
}

Progress::Progress() : on_(redraws(2)) {}

void Progress::show(const std::string& text) const {
  if (!on_) return;
  say_err("\r\x1b[K{}", text);
}

// What is printed each time is kept once: a program's peak is at least what the command that starts it has.
void share_output(Sample& sample, const std::vector<Contender>& contenders) {
  for (const Contender& contender : contenders)
    for (const Sample& other : contender.samples)
      if (other.printed() == sample.printed()) {
        sample.output = other.output;
        return;
      }
}

void run_in_turn(std::vector<Contender>& contenders, int warmups, int runs, const Progress& progress, const std::string& what) {
  // Each begins a round in its turn, for who runs first finds the machine another way; who begins the first one differs from one comparison to the next.
  const size_t first = std::hash<std::string>()(what) % contenders.size();
  for (int round = 0; round < warmups + runs; round++)
    for (size_t k = 0; k < contenders.size(); k++) {
      Contender& contender = contenders[(first + k + size_t(round)) % contenders.size()];
      if (!contender.failure.empty()) continue;
      bool warmup = round < warmups;
      progress.show(fmt::format("{}: {} {} of {}: {}", what, warmup ? "warm-up" : "run", warmup ? round + 1 : round - warmups + 1, warmup ? warmups : runs,
                                contender.name()));
      Sample sample = run_once(contender.plan);
      for (Contender& each : contenders) each.plan.must_start = false; // there is something to tell
      contender.failure = sample.failure;
      if (warmup) continue;
      share_output(sample, contenders);
      contender.samples.push_back(std::move(sample));
    }
  progress.show("");
}

std::string result_text(const Sample& sample) {
  std::string text = sample.checksum;
  if (text.empty() && (!sample.printed().empty() || sample.files.empty())) text = fmt::format("stdout, {} bytes", sample.printed().size());
  for (const std::string& file : sample.files) text += (text.empty() ? "" : "; ") + file;
  return text;
}

std::string difference_of(const Sample& reference, const Sample& other) {
  if (reference.checksum != other.checksum) return fmt::format("'{}' and '{}'", reference.checksum, other.checksum);
  if (reference.checksum.empty() && reference.printed() != other.printed()) return first_difference(reference.printed(), other.printed());
  if (reference.files.size() != other.files.size()) return fmt::format("{} files and {} files", reference.files.size(), other.files.size());
  for (size_t i = 0; i < reference.files.size(); i++)
    if (reference.files[i] != other.files[i]) return fmt::format("file {} and {}", reference.files[i], other.files[i]);
  return "";
}

std::string difference_of(const Sample& reference, const std::vector<Contender>& contenders) {
  for (const Contender& contender : contenders)
    for (const Sample& sample : contender.samples)
      if (std::string difference = sample.failure.empty() ? difference_of(reference, sample) : ""; !difference.empty())
        return fmt::format("stock and {}: {}", contender.name(), difference);
  return "";
}

} // namespace garner::tool
