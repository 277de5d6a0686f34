// Lists of options: bad input gives a sentence, presets yield to single options, later items win, illegal pairs are named.
#include <gtest/gtest.h>

#include <string>

#include "options/parse.h"

namespace garner {
namespace {

std::string error_of(const char* list) {
  Settings settings;
  return settings.parse(list) ? "" : settings.error();
}

Settings parsed(const char* list) {
  Settings settings;
  EXPECT_TRUE(settings.parse(list)) << settings.error();
  return settings;
}

TEST(OptionsParsing, BadInputGivesASentenceThatNamesIt) {
  EXPECT_EQ(error_of("colour=blue"), "unknown option 'colour'; 'garner options' lists them");
  EXPECT_EQ(error_of("workers"), "expected name=value, found 'workers'");
  EXPECT_EQ(error_of("verify=sometimes"), "unknown value 'sometimes' for option cycle.verify: one of off|before|after|both");
  EXPECT_EQ(error_of("trim=maybe"), "unknown value 'maybe' for option heap.trim: on or off");
  EXPECT_EQ(error_of("workers=-1"), "malformed value '-1' for option general.workers: 0 to 1024 threads");
  EXPECT_EQ(error_of("workers=5000"), "value out of range '5000' for option general.workers: 0 to 1024 threads");
  EXPECT_EQ(error_of("workers=4x"), "malformed value '4x' for option general.workers: 0 to 1024 threads");
  EXPECT_EQ(error_of("preset=fastest"), "unknown value 'fastest' for option general.preset: one of garner|ps|interleaved|naps|fragmented|ps_fragopt|segregated|org|aggressive|hybrid|relaxed");
  EXPECT_NE(error_of("region=100000").find("not a power of two"), std::string::npos);
  EXPECT_NE(error_of("limit=99999999999999999999999g"), "");
  EXPECT_NE(error_of("log="), "");
}

TEST(OptionsParsing, ALongBadValueIsCutNotOverrun) {
  std::string item = "workers=" + std::string(5000, '9');
  EXPECT_LT(error_of(item.c_str()).size(), Settings::kTextBytes);
  EXPECT_NE(error_of(("log=" + std::string(5000, 'x')).c_str()), "");
}

TEST(OptionsParsing, WhatStandsBeforeAMistakeIsInForce) {
  Settings settings;
  EXPECT_FALSE(settings.parse("workers=3,colour=blue,trim=on"));
  EXPECT_EQ(settings.get(Opt::workers), 3);
  EXPECT_FALSE(settings.on(Opt::trim));
}

TEST(OptionsParsing, EmptyItemsAndBlanksAroundItemsAreFine) {
  Settings settings = parsed(" , workers=3 ,, trim=on,");
  EXPECT_EQ(settings.get(Opt::workers), 3);
  EXPECT_TRUE(settings.on(Opt::trim));
}

TEST(OptionsParsing, TheLaterOfTwoValuesWins) { EXPECT_EQ(parsed("workers=3,general.workers=5").get(Opt::workers), 5); }

TEST(OptionsParsing, SingleOptionsWinOverAPresetWhereverItStands) {
  for (const char* list : {"preset=naps,space_old=firsttouch", "space_old=firsttouch,preset=naps"}) {
    Settings settings = parsed(list);
    EXPECT_EQ(settings.as<SpacePolicy>(Opt::space_old), SpacePolicy::firsttouch) << list;
    EXPECT_EQ(settings.as<TaskQueueKind>(Opt::task_queue), TaskQueueKind::msqueue) << list;
    EXPECT_FALSE(settings.given(Opt::task_queue)) << list;
  }
}

TEST(OptionsParsing, EveryPresetSetsItsValuesAndIsLegal) {
  for (i64 preset = 0; preset <= i64(Preset::relaxed); preset++) {
    char name[64];
    Settings of_name;
    of_name.set(Opt::preset, preset);
    of_name.print(Opt::preset, name, sizeof name);
    Settings settings = parsed((std::string("preset=") + name).c_str());
    for (const OptRow& row : kTable) {
      const PresetValue* value = preset_row(Preset(preset), row.id);
      EXPECT_TRUE(row.id == Opt::preset || settings.get(row.id) == (value == nullptr ? row.value : value->value)) << name << " " << row.name;
    }
    EXPECT_EQ(settings.illegal(), nullptr) << name;
  }
}

TEST(OptionsParsing, ALaterPresetReplacesAnEarlierOne) {
  Settings twice = parsed("preset=interleaved,preset=garner"), once = parsed("preset=garner");
  for (const OptRow& row : kTable) EXPECT_EQ(twice.get(row.id), once.get(row.id)) << row.name;
}

TEST(OptionsParsing, EveryIllegalPairIsFoundWithASentenceAndATag) {
  EXPECT_EQ(Settings().illegal(), nullptr);
  for (const IllegalPair& pair : kIllegal) {
    Settings settings;
    settings.set(pair.a, pair.a_value);
    settings.set(pair.b, pair.b_value);
    const IllegalPair* found = settings.illegal();
    ASSERT_NE(found, nullptr) << pair.sentence;
    EXPECT_GT(strlen(found->sentence), 20u);
    EXPECT_GT(strlen(found->tag), 1u);
    std::string sentence = pair.sentence;
    EXPECT_NE(sentence.find(strchr(kTable[usize(pair.a)].name, '.') + 1), std::string::npos) << sentence;
    EXPECT_NE(sentence.find(strchr(kTable[usize(pair.b)].name, '.') + 1), std::string::npos) << sentence;
  }
}

TEST(OptionsParsing, SizesTakeUnits) {
  for (auto [text, bytes] :
       {std::pair("0", i64(0)), {"512", 512}, {"3k", 3 << 10}, {"3K", 3 << 10}, {"3kb", 3 << 10}, {"3KiB", 3 << 10}, {"64m", 64 << 20}, {"2g", i64(2) << 30}}) {
    i64 value = -1;
    EXPECT_TRUE(parse_bytes(text, strlen(text), value)) << text;
    EXPECT_EQ(value, bytes) << text;
  }
  for (const char* text : {"", "k", "3x", "3kk", "3 k", "-3", "3kib2", "99999999g"}) {
    i64 value;
    EXPECT_FALSE(parse_bytes(text, strlen(text), value)) << text;
  }
}

TEST(OptionsParsing, AliasesOfThePapersAreNames) {
  Settings settings = parsed("naps.gc_threads=7,naps.space.perm=interleaved");
  EXPECT_EQ(settings.get(Opt::workers), 7);
  EXPECT_EQ(settings.as<SpacePolicy>(Opt::space_old), SpacePolicy::interleaved);
}

} // namespace
} // namespace garner
