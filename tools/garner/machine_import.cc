#include "machine_import.h"

#include <fmt/format.h>

#include "errors.h"
#include "machine_draft.h"
#include "machine_file.h"
#include "paths.h"
#include "say.h"
#include "strict_json.h"

namespace garner::tool {
namespace {

struct ImportOptions {
  std::string from = "/", name, out;
};

// What it is shows by its beginning, a directory, JSON, XML, or by lscpu's names for things.
MachineFacts read_facts(const std::string& from) {
  std::error_code error;
  if (fs::is_directory(from, error)) return read_sysfs(from);
  if (is_device(from)) throw UsageError(fmt::format("{}: is a device", from));
  std::string text;
  if (!fs::exists(from, error) || !read_file(from, text)) throw UsageError(fmt::format("{}: cannot be read", from));
  if (const size_t first = text.find_first_not_of(" \t\r\n"); first != std::string::npos && text[first] == '<') return read_hwloc(text, from);
  if (looks_like_lscpu(text)) return read_lscpu(text, from);
  throw UsageError(fmt::format("{}: is neither a directory with sysfs, nor what lscpu prints (with or without -J, in English: LC_ALL=C lscpu), nor hwloc's XML", from));
}

int import_machine(const ImportOptions& options) {
  std::string name = options.name;
  if (name.empty()) name = options.out.empty() ? "imported" : fs::path(options.out).stem().string();
  const std::string text = machine_text(draft_machine(read_facts(options.from), name));
  const MachineFile machine = parse_machine(text, printable(options.from) + " makes a machine file that cannot be simulated");
  if (options.out.empty()) {
    say_out("{}", text);
    return 0;
  }
  write_file(options.out, text);
  u32 guessed = 0;
  for (const auto& source : machine.sources) guessed += source.second.rfind("guessed", 0) == 0;
  say_out("{}: {} nodes, {} cores, {} threads; {} of {} sources are guesses, which the file marks\n", printable(options.out), machine.shape.nodes, machine.cores(), machine.threads(), guessed, machine.sources.size());
  return 0;
}

} // namespace

void add_machine_import(CLI::App& machine, std::shared_ptr<std::function<int()>> chosen) {
  CLI::App* app = machine.add_subcommand("import", "Write a machine file from what a system says of a machine");
  auto options = std::make_shared<ImportOptions>();
  app->add_option("FROM", options->from, "This machine's sysfs (/), a directory with a copy, a file of lscpu or lscpu -J, or hwloc's XML")->option_text("[FROM]")->capture_default_str();
  app->add_option("-o,--out", options->out, "The file; otherwise it is printed")->type_name("FILE");
  app->add_option("--name", options->name, "Of the machine; otherwise the file's")->type_name("NAME");
  app->callback([chosen, options] { *chosen = [options] { return import_machine(*options); }; });
}

} // namespace garner::tool
