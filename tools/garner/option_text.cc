#include "option_text.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace garner::tool {
namespace {

std::vector<std::string> split(const std::string& list, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

} // namespace

std::string type_text(OptType type) {
  switch (type) {
    case OptType::number: return "number";
    case OptType::bytes: return "bytes";
    case OptType::choice: return "choice";
    case OptType::flag: return "flag";
    case OptType::text: return "text";
  }
  return "";
}

std::string value_text(Opt option, i64 value) {
  Settings settings;
  settings.set(option, value);
  char text[Settings::kTextBytes];
  settings.print(option, text, sizeof text);
  return text;
}

std::string range_text(const OptRow& row) {
  switch (row.type) {
    case OptType::number: return fmt::format("{} to {}{}{}", row.low, row.high, *row.unit != 0 ? " " : "", row.unit);
    case OptType::bytes: return fmt::format("{} to {}", value_text(row.id, row.low), value_text(row.id, row.high));
    case OptType::choice: return row.choices;
    case OptType::flag: return "on|off";
    case OptType::text: return "text";
  }
  return "";
}

std::vector<std::string> choices_of(const OptRow& row) { return split(row.choices, '|'); }
std::vector<std::string> words_of(const char* list) { return split(list, ' '); }
std::vector<const IllegalPair*> refusals() {
  std::vector<const IllegalPair*> all;
  for (const IllegalPair& pair : kIllegal) {
    bool said = false;
    for (const IllegalPair* other : all) said = said || std::string(other->sentence) == pair.sentence;
    if (!said) all.push_back(&pair);
  }
  return all;
}
std::vector<std::string> preset_names() { return choices_of(kTable[usize(Opt::preset)]); }

std::string preset_values(const std::string& preset) {
  std::vector<std::string> names = preset_names();
  auto which = Preset(std::find(names.begin(), names.end(), preset) - names.begin());
  std::string all;
  for (const OptRow& row : kTable)
    if (const PresetValue* value = preset_row(which, row.id))
      all += fmt::format("{}{}={}", all.empty() ? "" : ",", row.name, value_text(row.id, value->value));
  return all;
}

} // namespace garner::tool
