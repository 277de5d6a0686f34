// The environment of each mode, and how options of GARNER and of the command line become one list.
#include <gtest/gtest.h>

#include "collector_args.h"
#include "errors.h"
#include "modes.h"
#include "options/parse.h"

namespace garner::tool {
namespace {

std::string value(const Environment& changes, const std::string& name) {
  auto at = changes.find(name);
  return at == changes.end() ? "(kept)" : at->second.value_or("(taken out)");
}

TEST(Modes, NamesAndLetters) {
  for (const ModeRow& row : mode_rows()) {
    EXPECT_EQ(parse_mode(row.name), row.mode);
    EXPECT_EQ(parse_mode(row.letters), row.mode);
    EXPECT_STREQ(name_of(row.mode), row.name);
  }
  EXPECT_THROW(parse_mode("stok"), UsageError);
  EXPECT_THROW(parse_modes({"garner", "wsn", "stock-workstation"}), UsageError);
}

TEST(Modes, GarnerLeavesTheProgramsOwnSettings) {
  Environment e = environment_for(Mode::garner, "/lib/x.so", "workers=2", 256 << 20);
  EXPECT_EQ(value(e, "DOTNET_GCPath"), "/lib/x.so");
  EXPECT_EQ(value(e, "DOTNET_GCName"), "(taken out)");
  EXPECT_EQ(value(e, "COMPlus_GCPath"), "(taken out)");
  EXPECT_EQ(value(e, "GARNER"), "workers=2");
  EXPECT_EQ(value(e, "DOTNET_GCHeapHardLimit"), "10000000");
  EXPECT_EQ(value(e, "DOTNET_gcServer"), "(kept)");
}

TEST(Modes, StockAsTheProgramHasItTakesOutOnlyWhatNamesACollector) {
  Environment e = environment_for(Mode::own, "", "", std::nullopt);
  for (const char* name : {"DOTNET_GCPath", "DOTNET_GCName", "COMPlus_GCPath"}) EXPECT_EQ(value(e, name), "(taken out)");
  for (const char* name : {"DOTNET_gcServer", "COMPlus_gcServer", "DOTNET_gcConcurrent", "DOTNET_GCDynamicAdaptationMode", "DOTNET_GCHeapHardLimit"}) EXPECT_EQ(value(e, name), "(kept)");
}

TEST(Modes, StockModesSetTheirTwoSwitchesAndTakeEverythingElseOut) {
  struct Row { Mode mode; const char *server, *concurrent, *adaptation; };
  for (Row row : {Row{Mode::workstation, "0", "0", "(taken out)"}, {Mode::concurrent, "0", "1", "(taken out)"}, {Mode::server, "1", "(taken out)", "0"},
                  {Mode::server_datas, "1", "(taken out)", "1"}}) {
    Environment e = environment_for(row.mode, "", "", std::nullopt);
    EXPECT_EQ(value(e, "DOTNET_gcServer"), row.server) << name_of(row.mode);
    EXPECT_EQ(value(e, "DOTNET_gcConcurrent"), row.concurrent) << name_of(row.mode);
    EXPECT_EQ(value(e, "DOTNET_GCDynamicAdaptationMode"), row.adaptation) << name_of(row.mode);
    EXPECT_EQ(value(e, "DOTNET_GCPath"), "(taken out)");
    EXPECT_EQ(value(e, "COMPlus_gcServer"), "(taken out)");
    EXPECT_EQ(value(e, "DOTNET_GCHeapHardLimit"), "(kept)");
    EXPECT_EQ(value(e, "GARNER"), "(kept)");
  }
}

TEST(Modes, Sizes) {
  EXPECT_EQ(parse_size("512m", "--limit"), 512u << 20);
  for (const char* bad : {"", "0", "many", "5q", "-1"}) EXPECT_THROW(parse_size(bad, "--limit"), UsageError) << bad;
}

std::string error_of(const CollectorArgs& args, const char* existing) {
  try {
    merge_options(args, existing);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Modes, TheCommandLineWinsOverTheEnvironment) {
  CollectorArgs args;
  args.options = {"workers=5", "trim=on,retain=off"};
  args.workers = 3;
  args.preset = "naps";
  CollectorOptions merged = merge_options(args, "workers=9,verify=both");
  EXPECT_EQ(merged.text, "workers=9,verify=both,preset=naps,workers=3,workers=5,trim=on,retain=off");
  Settings settings;
  ASSERT_TRUE(settings.parse(merged.text.c_str()));
  EXPECT_EQ(settings.get(Opt::workers), 5);
  EXPECT_EQ(settings.as<VerifyWhen>(Opt::verify), VerifyWhen::both);
  EXPECT_FALSE(merged.names_log);
}

TEST(Modes, ALogThatTheUserNamesIsSeen) {
  CollectorOptions merged = merge_options({}, "log=/tmp/x,log_format=json");
  EXPECT_TRUE(merged.names_log);
  EXPECT_TRUE(merged.json);
  EXPECT_EQ(merged.log, "/tmp/x");
  EXPECT_EQ(merge_options({}, nullptr).text, "");
}

TEST(Modes, MistakesSayWhereTheyStand) {
  EXPECT_EQ(error_of({}, "colour=blue"), "in the environment variable GARNER: unknown option 'colour'; 'garner options' lists them");
  CollectorArgs args;
  args.preset = "best";
  EXPECT_EQ(error_of(args, ""), "--preset: unknown value 'best' for option general.preset: one of garner|ps|interleaved|naps|fragmented|ps_fragopt|segregated|org|aggressive|hybrid|relaxed");
  args = {};
  args.workers = 5000;
  EXPECT_NE(error_of(args, nullptr).find("--workers: value out of range"), std::string::npos);
}

TEST(Modes, AnIllegalPairIsSoughtInTheWholeList) {
  CollectorArgs args;
  args.options = {"term_exit=literal"};
  EXPECT_EQ(error_of(args, "preset=ps"), "") << "legal beside what the preset sets";
  EXPECT_NE(error_of(args, "").find("term_exit=literal needs work.sync=monitor"), std::string::npos);
}

TEST(Modes, TheLogsPathMustFitIntoAList) {
  EXPECT_EQ(with_log("workers=2", "/tmp/a b"), "workers=2,log=/tmp/a b,log_format=json,log_detail=plain");
  EXPECT_EQ(with_log("", "/x"), "log=/x,log_format=json,log_detail=plain");
  EXPECT_EQ(with_log("log_detail=full", "/x"), "log_detail=full,log=/x,log_format=json") << "who asks for it gets it";
  EXPECT_THROW(with_log("", "/tmp/a,b"), UsageError);
  EXPECT_THROW(with_log("", "/tmp/" + std::string(600, 'x')), UsageError);
}

} // namespace
} // namespace garner::tool
