// `garner options`: the collector's options table as text, JSON, markdown (docs/options.md) or a man page. Nothing about an option is
// written here: names, ranges, sentences, presets and illegal combinations come from src/options/table.h.
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command.h"
#include "man.h"
#include "option_text.h"
#include "say.h"
#include "table.h"

namespace garner::tool {
namespace {

using Json = nlohmann::ordered_json;

std::string floor_of(const OptRow& row) {
  std::string name = row.name;
  return name.substr(0, name.find('.'));
}

std::string plain(const OptRow& row) {
  std::string more;
  if (*row.tags != 0) more += fmt::format(" [{}]", row.tags);
  if (*row.alias != 0) more += fmt::format(" (also {}{}{})", row.alias, row.values != nullptr ? " with " : "", row.values != nullptr ? row.values : "");
  return fmt::format("{} = {}   ({})\n    {}{}\n", row.name, value_text(row.id, row.value), range_text(row), row.sentence, more);
}

// By the names that the collector takes, or all of a group: "cycle".
std::string plain(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) {
    std::string found;
    if (const OptRow* row = find_option(name.data(), name.size())) found = plain(*row);
    else
      for (const OptRow& each : kTable)
        if (floor_of(each) == name) found += plain(each);
    if (found.empty()) throw UsageError(fmt::format("no option '{}'; garner options lists them", name));
    all += found;
  }
  return all;
}

std::string plain() {
  std::string all;
  for (const OptRow& row : kTable) all += plain(row);
  all += "\npresets\n";
  for (const std::string& name : preset_names()) all += fmt::format("    {}: {}\n", name, preset_values(name).empty() ? "the defaults" : preset_values(name));
  all += "\nnot allowed together\n";
  for (const IllegalPair* pair : refusals()) all += fmt::format("    {} [{}]\n", pair->sentence, pair->tag);
  return all;
}

Json json() {
  Json all;
  for (const OptRow& row : kTable) {
    Json option = {{"name", row.name}, {"type", type_text(row.type)}, {"unit", row.unit}};
    if (row.type == OptType::number || row.type == OptType::bytes) option.update({{"low", row.low}, {"high", row.high}});
    if (row.type == OptType::choice) option["choices"] = choices_of(row);
    option.update({{"default", value_text(row.id, row.value)}, {"sentence", row.sentence}, {"tags", words_of(row.tags)}, {"aliases", words_of(row.alias)}});
    all["options"].push_back(option);
  }
  for (const std::string& name : preset_names()) all["presets"][name] = preset_values(name);
  for (const IllegalPair& pair : kIllegal) all["illegal"].push_back({{"sentence", pair.sentence}, {"tag", pair.tag}});
  return all;
}

struct Shape {
  bool json = false, markdown = false, man = false;
  std::vector<std::string> names;
};

std::string markdown() {
  std::string all =
      "<!-- Printed by: garner options --md -->\n# Options of the collector\n\n"
      "Given as a list `name=value,name=value` in the environment variable `GARNER`, or with `garner run --option name=value`. The part before the\n"
      "dot may be left out where the rest is unique. Sizes take `k`, `m`, `g`; flags take `on` and `off`. Of two values for one option the later\n"
      "wins; a preset is applied before all single options. The last column names the mechanisms an option selects and the paper's own name for it.\n";
  std::string floor;
  for (const OptRow& row : kTable) {
    if (floor_of(row) != floor) {
      floor = floor_of(row);
      all += fmt::format("\n## {}\n| option | values | default | meaning | mechanisms, also known as |\n|---|---|---|---|---|\n", floor);
    }
    std::string also;
    for (const std::string& alias : words_of(row.alias)) also += fmt::format("{}`{}`", also.empty() ? "" : " ", alias);
    if (row.values != nullptr) also += fmt::format(" with {}", markdown_cell(row.values));
    all += fmt::format("| `{}` | {} | `{}` | {} | {} |\n", row.name, markdown_cell(range_text(row)), value_text(row.id, row.value), row.sentence,
                       *row.tags != 0 && !also.empty() ? fmt::format("{}; {}", row.tags, also) : row.tags + also);
  }
  all += "\n## Presets\n| preset | sets |\n|---|---|\n";
  for (const std::string& name : preset_names())
    all += fmt::format("| `{}` | {} |\n", name, preset_values(name).empty() ? "the defaults" : "`" + preset_values(name) + "`");
  all += "\n## Not allowed together\n";
  for (const IllegalPair* pair : refusals()) all += fmt::format("- {} ({})\n", pair->sentence, pair->tag);
  return all;
}

} // namespace

Command add_options(CLI::App& root) {
  CLI::App* app = root.add_subcommand("options", "List the collector's options");
  auto shape = std::make_shared<Shape>();
  CLI::Option* names = app->add_option("NAME", shape->names, "Only these, as pause_goal or cycle.pause_goal, or all of a group, as cycle");
  app->add_flag("--json", shape->json, "As JSON")->excludes(names);
  app->add_flag("--md", shape->markdown, "As markdown: docs/options.md")->excludes(names);
  app->add_flag("--man", shape->man, "As a man page of this program and the options: garner.1")->excludes(names);
  return {app, [shape](const Invocation& invocation) {
            if (shape->json + shape->markdown + shape->man > 1) throw UsageError("--json, --md and --man exclude each other");
            say_out("{}", shape->json ? json().dump(2) + "\n" : shape->markdown ? markdown() : shape->man ? man_page(*invocation.root) : shape->names.empty() ? plain() : plain(shape->names));
            return 0;
          }};
}

} // namespace garner::tool
