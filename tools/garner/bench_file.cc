#include "bench_file.h"

#include <cstdlib>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "errors.h"

namespace garner::tool {
namespace {

constexpr const char* kSizes[] = {"small", "normal", "large"};

std::string trimmed(const std::string& text) {
  size_t first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

class Parser {
 public:
  Parser(const std::string& text, const std::string& file) : in_(text), file_(file) {}

  Workload all() {
    for (std::string line; std::getline(in_, line);) {
      at_++;
      line = trimmed(line);
      if (line.empty() || line[0] == '#') continue;
      if (line[0] == '[') section(line);
      else item(line);
    }
    finish();
    return workload_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw UsageError(fmt::format("{}:{}: {}", file_, at_, what)); }

  void section(const std::string& line) {
    if (line.back() != ']') fail("a section is [workload] or [SIZE]");
    section_ = line.substr(1, line.size() - 2);
    bool known = section_ == "workload";
    for (const char* name : kSizes) known |= section_ == name;
    if (!known) fail(fmt::format("unknown section [{}]: workload, small, normal or large", section_));
    if (!sections_.insert(section_).second) fail(fmt::format("section [{}] stands twice", section_));
    if (sections_.count("workload") == 0) fail("the first section is [workload]");
  }

  void item(const std::string& line) {
    size_t equals = line.find('=');
    if (equals == std::string::npos) fail(fmt::format("expected key = value, found '{}'", line));
    std::string key = trimmed(line.substr(0, equals)), value = trimmed(line.substr(equals + 1));
    if (section_.empty()) fail(fmt::format("'{}' stands before any section", key));
    if (value.empty()) fail(fmt::format("'{}' has no value", key));
    if (section_ == "workload") return workload_item(key, value);
    if (key == "least_mb") return least(value);
    if (key != "parameters") fail(fmt::format("unknown key '{}' in [{}]: parameters, least_mb", key, section_));
    if (!workload_.parameters.emplace(section_, value).second) fail(fmt::format("parameters of [{}] are given twice", section_));
  }

  void least(const std::string& value) {
    char* end = nullptr;
    const double mb = std::strtod(value.c_str(), &end);
    if (*end != 0 || !(mb >= 1 && mb <= 1e6)) fail(fmt::format("'least_mb' is a number of MB from 1 to 1000000, not '{}'", value));
    if (!workload_.least_mb.emplace(section_, mb).second) fail(fmt::format("least_mb of [{}] is given twice", section_));
  }

  void workload_item(const std::string& key, const std::string& value) {
    if (key == "name") once(workload_.name, key, value);
    else if (key == "stresses") once(workload_.stresses, key, value);
    else if (key == "project") once(workload_.project, key, value);
    else if (key == "command") once(workload_.command, key, value);
    else if (key == "prepare") workload_.prepare.push_back(value);
    else if (key == "result") workload_.result = choice(key, value, "json", "files") ? ResultKind::files : ResultKind::json;
    else if (key == "pace" && value == "schedule") workload_.paced = true;
    else if (key == "pace") fail(fmt::format("'pace' is schedule, not '{}'", value));
    else if (key == "compare") workload_.compare = split_words(value);
    else fail(fmt::format("unknown key '{}' in [workload]", key));
  }

  void once(std::string& kept, const std::string& key, const std::string& value) const {
    if (!kept.empty()) fail(fmt::format("'{}' is given twice", key));
    kept = value;
  }

  bool choice(const std::string& key, const std::string& value, const char* first, const char* second) const {
    if (value != first && value != second) fail(fmt::format("'{}' is {} or {}, not '{}'", key, first, second, value));
    return value == second;
  }

  void finish() {
    for (auto [key, value] : {std::pair("name", &workload_.name), std::pair("command", &workload_.command)})
      if (value->empty()) fail(fmt::format("no '{}' in [workload]", key));
    if (workload_.parameters.empty()) fail("no section [small], [normal] or [large]");
    if (workload_.compare.empty()) {
      if (workload_.result == ResultKind::files) fail("result = files needs 'compare', the patterns of the files");
      workload_.compare = {"checksum"};
    }
  }

  std::istringstream in_;
  const std::string& file_;
  int at_ = 0;
  std::string section_;
  std::set<std::string> sections_;
  Workload workload_;
};

} // namespace

Workload parse_bench_file(const std::string& text, const std::string& file) { return Parser(text, file).all(); }

std::vector<std::string> split_words(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> expand(const std::string& command, const std::map<std::string, std::string>& names) {
  std::vector<std::string> words;
  for (std::string word : split_words(command)) {
    if (auto parameters = names.find("parameters"); word == "{parameters}" && parameters != names.end()) {
      for (std::string& parameter : split_words(parameters->second)) words.push_back(std::move(parameter));
      continue;
    }
    for (size_t open = 0; (open = word.find('{', open)) != std::string::npos;) {
      size_t close = word.find('}', open);
      std::string name = close == std::string::npos ? word.substr(open + 1) : word.substr(open + 1, close - open - 1);
      auto found = names.find(name);
      if (close == std::string::npos || found == names.end()) throw UsageError(fmt::format("unknown name {{{}}} in '{}'", name, command));
      word.replace(open, close - open + 1, found->second);
      open += found->second.size();
    }
    words.push_back(word);
  }
  return words;
}

} // namespace garner::tool
