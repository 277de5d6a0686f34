#include "help.h"

namespace garner::tool {

std::string value_name(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  std::string name = option.get_type_name();
  return name.substr(0, name.find(':')); // behind it CLI11 puts its validators' descriptions
}

std::string default_text(const CLI::Option& option) {
  std::string text = option.get_default_str();
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  return text;
}

std::string usage_line(const CLI::App& command) {
  if (!command.get_subcommands([](const CLI::App*) { return true; }).empty()) return "COMMAND [OPTIONS]";
  std::string line = "[OPTIONS]";
  for (const CLI::Option* option : command.get_options([](const CLI::Option* o) { return o->get_positional(); }))
    line += " " + (option->get_option_text().empty() ? "[" + option->get_name() + " ...]" : option->get_option_text());
  return line;
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_positional()) return "";
  std::string value = value_name(*option);
  return value.empty() ? "" : " " + value;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::string standard = default_text(*option);
  return standard.empty() ? option->get_description() : option->get_description() + " (default " + standard + ")";
}

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  return "\nUsage: " + name + (app->get_parent() == nullptr ? " COMMAND [OPTIONS]" : " " + usage_line(*app)) + "\n";
}

} // namespace garner::tool
