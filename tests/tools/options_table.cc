// Every row of the options table, as the parser reads it and as it prints itself.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "options/parse.h"

namespace garner {
namespace {

std::string printed(Opt option, i64 value) {
  Settings settings;
  settings.set(option, value);
  char text[Settings::kTextBytes];
  settings.print(option, text, sizeof text);
  return text;
}

void expect_reads_back(const OptRow& row, i64 value) {
  std::string item = std::string(row.name) + "=" + printed(row.id, value);
  Settings settings;
  EXPECT_TRUE(settings.parse(item.c_str())) << item << ": " << settings.error();
  EXPECT_EQ(settings.get(row.id), value) << item;
  EXPECT_TRUE(settings.given(row.id)) << item;
}

i64 choices_of(const OptRow& row) {
  i64 count = 1;
  for (const char* p = row.choices; *p != 0; p++) count += *p == '|';
  return count;
}

TEST(OptionsTable, EveryDefaultPrintsAndReadsBack) {
  for (const OptRow& row : kTable)
    if (row.type != OptType::text) expect_reads_back(row, row.value);
}

TEST(OptionsTable, EveryEndOfARangeAndEveryChoiceReadsBack) {
  for (const OptRow& row : kTable) switch (row.type) {
      case OptType::number:
      case OptType::bytes:
        expect_reads_back(row, row.low);
        expect_reads_back(row, row.high);
        break;
      case OptType::choice:
        for (i64 i = 0; i < choices_of(row); i++) expect_reads_back(row, i);
        break;
      case OptType::flag:
        expect_reads_back(row, 0);
        expect_reads_back(row, 1);
        break;
      case OptType::text: break;
    }
}

TEST(OptionsTable, EveryMoodIsAValueOfItsRow) {
  for (const OptRow& row : kTable)
    if (row.type != OptType::text) expect_reads_back(row, row.mood);
}

TEST(OptionsTable, BeyondTheRangeIsRefusedWithTheRangeInTheSentence) {
  for (const OptRow& row : kTable) {
    if (row.type != OptType::number && row.type != OptType::bytes) continue;
    std::string item = std::string(row.name) + "=" + std::to_string(row.high + 1);
    Settings settings;
    EXPECT_FALSE(settings.parse(item.c_str())) << item;
    std::string error = settings.error();
    EXPECT_NE(error.find(row.name), std::string::npos) << error;
    EXPECT_NE(error.find(std::to_string(row.high)), std::string::npos) << error;
    EXPECT_EQ(settings.get(row.id), row.value) << "a refused value is not in force";
  }
}

TEST(OptionsTable, NamesAndAliasesMeanOneRow) {
  std::set<std::string> seen;
  for (const OptRow& row : kTable) {
    std::string names = std::string(row.name) + " " + row.alias;
    for (size_t at = 0; at < names.size();) {
      size_t end = std::min(names.find(' ', at), names.size());
      std::string name = names.substr(at, end - at);
      at = end + 1;
      if (name.empty()) continue;
      EXPECT_TRUE(seen.insert(name).second) << name << " stands twice";
      EXPECT_EQ(find_option(name.data(), name.size()), &row) << name;
    }
  }
}

TEST(OptionsTable, TheFloorMayBeLeftOutWhereTheRestIsUnique) {
  for (const OptRow& row : kTable) {
    std::string rest = strchr(row.name, '.') + 1;
    int rows = 0;
    for (const OptRow& other : kTable) rows += rest == strchr(other.name, '.') + 1;
    EXPECT_EQ(find_option(rest.data(), rest.size()), rows == 1 ? &row : nullptr) << rest;
  }
}

TEST(OptionsTable, EveryRowHasASentence) {
  for (const OptRow& row : kTable) {
    std::string sentence = row.sentence;
    EXPECT_GT(sentence.size(), 10u) << row.name;
    EXPECT_EQ(sentence.back(), '.') << row.name;
  }
}

} // namespace
} // namespace garner
