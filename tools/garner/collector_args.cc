#include "collector_args.h"

#include <fmt/format.h>

#include "errors.h"
#include "options/parse.h"

namespace garner::tool {

void check_list(const std::string& list, const std::string& where) {
  Settings settings;
  if (!settings.parse(list.c_str())) throw UsageError(fmt::format("{}: {}", where, settings.error()));
}

namespace {

void append(std::string& list, const std::string& item) {
  if (item.empty()) return;
  if (!list.empty()) list += ",";
  list += item;
}

} // namespace

void add_collector_args(CLI::App& app, CollectorArgs& args, const char* option) {
  app.add_option(option, args.options, "Set an option of the collector; may be repeated ('garner options' lists them)")
    ->type_name("NAME=VALUE")->allow_extra_args(false)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_option("--preset", args.preset, "A named set of options")->type_name("NAME");
  app.add_option("--workers", args.workers, "Collector threads that may take part in a pause")->type_name("N")->check(CLI::Range(0, int(kTable[size_t(Opt::workers)].high)));
  app.add_option("--lib", args.library, "The collector's library, if not the one beside this program")->type_name("PATH");
}

CollectorOptions merge_options(const CollectorArgs& args, const char* existing) {
  CollectorOptions merged;
  if (existing != nullptr && *existing != 0) {
    check_list(existing, "in the environment variable GARNER");
    append(merged.text, existing);
  }
  if (!args.preset.empty()) {
    check_list("preset=" + args.preset, "--preset");
    append(merged.text, "preset=" + args.preset);
  }
  if (args.workers >= 0) {
    check_list(fmt::format("workers={}", args.workers), "--workers");
    append(merged.text, fmt::format("workers={}", args.workers));
  }
  for (const std::string& option : args.options) {
    check_list(option, "--option");
    append(merged.text, option);
  }
  Settings settings;
  if (!settings.parse(merged.text.c_str())) throw UsageError(settings.error());
  if (const IllegalPair* pair = settings.illegal()) throw UsageError(pair->sentence);
  merged.names_log = settings.given(Opt::log);
  merged.log = settings.log_path();
  merged.json = settings.as<LogFormat>(Opt::log_format) == LogFormat::json;
  return merged;
}

std::string with_log(const std::string& text, const std::string& path) {
  std::string list = text, more = "log=" + path + ",log_format=json";
  Settings settings;
  const bool good = settings.parse(text.c_str());
  if (!settings.given(Opt::log_detail)) append(more, "log_detail=plain"); // what is measured with it is not to be slowed down by it, unless that was asked for
  append(list, more);
  if (!good || !settings.parse(more.c_str()) || settings.log_path() != path)
    throw UsageError(fmt::format("the path '{}' cannot stand in an option list (a comma, or too long)", path));
  return list;
}

} // namespace garner::tool
