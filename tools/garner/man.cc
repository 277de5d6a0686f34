#include "man.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "help.h"
#include "option_text.h"

namespace garner::tool {
namespace {

// Text as troff takes it literally.
std::string troff(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (out.empty() || out.back() == '\n')
      if (c == '.' || c == '\'') out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if (c == ',' && i + 1 < text.size() && text[i + 1] != ' ') out += ",\\:"; // a long list may be broken here
    else out += c;
  }
  return out;
}

std::string heading(const std::string& title) { return fmt::format(".SH \"{}\"\n", title); }
std::string paragraph(const std::string& text) { return fmt::format(".PP\n{}\n", troff(text)); }
std::string item(const std::string& term, const std::string& text) { return fmt::format(".TP\n{}\n{}\n", term, troff(text)); }
std::string bold(const std::string& text) { return fmt::format("\\fB{}\\fR", troff(text)); }

// The options that --help shows.
std::string options_of(const CLI::App& app) {
  std::string all;
  for (const CLI::Option* option : app.get_options([](const CLI::Option* o) { return o->nonpositional() && !o->get_group().empty(); })) {
    std::string value = value_name(*option), standard = default_text(*option);
    all += item(bold(option->get_name(false, true)) + (value.empty() ? "" : fmt::format(" \\fI{}\\fR", troff(value))),
                option->get_description() + (standard.empty() ? "." : fmt::format(" (default {}).", standard)));
  }
  return all;
}

std::vector<const CLI::App*> commands_of(const CLI::App& root) {
  return root.get_subcommands([](const CLI::App*) { return true; });
}

std::string positionals_of(const CLI::App& command) {
  std::string all;
  for (const CLI::Option* option : command.get_options([](const CLI::Option* o) { return o->get_positional(); }))
    all += item(bold(option->get_name()), option->get_description() + ".");
  return all;
}

std::string collector_options() {
  std::string all =
      heading("OPTIONS OF THE COLLECTOR") +
      paragraph("A list name=value,name=value. The part before the dot may be left out where the rest is unique. Later items win; presets are applied first.");
  for (const OptRow& row : kTable) {
    std::string more = *row.alias != 0 ? fmt::format(" Also known as {}.", row.alias) : "";
    all += item(fmt::format("{} ({}; default {})", bold(row.name), troff(range_text(row)), troff(value_text(row.id, row.value))), row.sentence + more);
  }
  all += heading("PRESETS");
  for (const std::string& name : preset_names()) all += item(bold(name), preset_values(name).empty() ? "The defaults." : preset_values(name));
  return all;
}

} // namespace

std::string man_page(const CLI::App& root) {
  std::string all = ".TH GARNER 1\n.ad l\n" + heading("NAME") + "garner \\- " + troff(root.get_description()) + "\n" + heading("SYNOPSIS");
  for (const CLI::App* command : commands_of(root)) all += fmt::format("{} {}\n.br\n", bold("garner " + command->get_name()), troff(usage_line(*command)));
  all += heading("COMMANDS");
  for (const CLI::App* command : commands_of(root)) {
    all += fmt::format(".SS {}\n", command->get_name()) + paragraph(command->get_description() + ".") + positionals_of(*command) + options_of(*command);
    for (const CLI::App* inner : commands_of(*command)) {
      const std::string usage = bold(command->get_name() + " " + inner->get_name()) + " " + troff(usage_line(*inner));
      all += item(usage, inner->get_description() + ".") + ".RS\n" + positionals_of(*inner) + options_of(*inner) + ".RE\n";
    }
    std::string footer = command->get_footer();
    while (!footer.empty() && footer[0] == '\n') footer.erase(0, 1);
    if (!footer.empty()) all += paragraph(footer);
  }
  all += collector_options();
  all += heading("ENVIRONMENT") + item(bold("GARNER"), "Options of the collector, a list as above.") +
         item(bold("DOTNET_GCPath"), "The collector's library, for programs that are started without garner run.") +
         item(bold("NO_COLOR"), "When set, nothing is coloured, even on a terminal.");
  all += heading("EXIT STATUS") +
         paragraph("garner run and record: that of the program. Otherwise 0; 1 when something failed or differed, of bench and marks with --check; 2 when the command line or the options are wrong.");
  return all;
}

} // namespace garner::tool
