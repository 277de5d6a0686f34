// What `garner doctor` says of environments: with which no program starts, what has no effect, and what is as it should be.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "doctor_environment.h"
#include "paths.h"

namespace garner::tool {
namespace {

class DoctorEnvironment : public ::testing::Test {
 protected:
  // Of all findings about `what`: the last one's verdict and text.
  std::string told(const Variables& variables, const std::string& what) const {
    std::string last = "nothing";
    for (const Finding& one : findings_of(variables, around_))
      if (one.what == what) last = std::string(one.severity == Severity::problem ? "problem " : one.severity == Severity::note ? "note " : "ok ") + one.text;
    return last;
  }
  std::string told(const std::string& name, const std::string& value) const { return told({{name, value}}, name); }
  bool problem(const std::string& name, const std::string& value) const { return told(name, value).starts_with("problem "); }

  TempDirectory scratch_;
  Surroundings around_ = {{scratch_.path()}, 8 << 20};
};

TEST_F(DoctorEnvironment, NumbersAreHexadecimal) {
  EXPECT_EQ(told("DOTNET_GCHeapHardLimit", "100"), "problem 100: 256 bytes, as the runtime reads it (hexadecimal); a limit below 4 MB is too small for .NET, no .NET program starts");
  EXPECT_EQ(told("DOTNET_GCHeapHardLimit", "0x10000000"), "note 0x10000000 is in force: 256 MB");
  EXPECT_TRUE(problem("COMPlus_GCHeapHardLimit", "3fffff"));
  EXPECT_FALSE(problem("DOTNET_GCHeapHardLimit", "400000"));
  EXPECT_FALSE(problem("DOTNET_GCHeapHardLimit", ""));
  EXPECT_FALSE(told({{"DOTNET_GCHeapHardLimit", "100"}, {"GARNER", "limit=64m"}}, "DOTNET_GCHeapHardLimit").starts_with("problem")) << "our own option wins";
  EXPECT_TRUE(told({{"DOTNET_GCHeapHardLimit", "10000000"}, {"GARNER", "limit=1m"}}, "GARNER").starts_with("problem heap.limit"));
  EXPECT_TRUE(problem("DOTNET_GCHeapHardLimitSOH", "100")) << "the sum is the limit";
}

TEST_F(DoctorEnvironment, OurOptionsInBothPlaces) {
  EXPECT_TRUE(told("DOTNET_GCGarner", "bogus=1").starts_with("problem unknown option")) << told("DOTNET_GCGarner", "bogus=1");
  EXPECT_TRUE(told("GARNER", "bogus=1").starts_with("problem unknown option"));
  EXPECT_EQ(told("DOTNET_GCGarner", "workers=2"), "note workers=2 is in force");
  EXPECT_EQ(told("GARNER", "workers=2"), "ok workers=2");
  EXPECT_EQ(told(Variables{}, "GARNER"), "ok not set: the defaults are in force");
  EXPECT_TRUE(told({{"DOTNET_GCGarner", "work.term_exit=literal"}, {"GARNER", "scheme=aggressive"}}, "GARNER").starts_with("problem ")) << "legal each, illegal together";
  EXPECT_TRUE(told("GARNER", "log=/nope/x.log").starts_with("note the log /nope/x.log cannot be written: ")) << told("GARNER", "log=/nope/x.log");
  EXPECT_EQ(told("GARNER", "log=stderr"), "ok log=stderr");
}

TEST_F(DoctorEnvironment, TheCollectorsFile) {
  EXPECT_TRUE(told("DOTNET_GCPath", "/etc/passwd").starts_with("problem /etc/passwd: no collector: ")) << told("DOTNET_GCPath", "/etc/passwd");
  EXPECT_TRUE(told("DOTNET_GCPath", "/nope/lib.so").starts_with("problem /nope/lib.so: no such file"));
  EXPECT_TRUE(told("DOTNET_GCPath", "lib.so").starts_with("problem lib.so: a bare name"));
  EXPECT_FALSE(problem("DOTNET_GCPath", ""));
  EXPECT_TRUE(told("DOTNET_GCName", "nosuch.so").starts_with("problem nosuch.so: not beside the runtime (" + scratch_.path().string())) << told("DOTNET_GCName", "nosuch.so");
  EXPECT_TRUE(problem("DOTNET_GCName", "a/b.so"));
  std::ofstream(scratch_.path() / "there.so") << "x";
  EXPECT_EQ(told("DOTNET_GCName", "there.so"), "note there.so is in force");
  EXPECT_EQ(told({{"DOTNET_GCName", "nosuch.so"}, {"DOTNET_GCPath", "/nope/lib.so"}}, "DOTNET_GCName"), "note nosuch.so: without effect, the path wins");
}

TEST_F(DoctorEnvironment, ProcessorsAndPages) {
  for (const char* bad : {"zz", "3-1", "1,,2", "2000", "1-"}) {
    EXPECT_TRUE(told("DOTNET_GCHeapAffinitizeRanges", bad).find("malformed") != std::string::npos && !problem("DOTNET_GCHeapAffinitizeRanges", bad)) << bad;
    EXPECT_TRUE(told({{"DOTNET_gcServer", "1"}, {"DOTNET_GCHeapAffinitizeRanges", bad}}, "DOTNET_GCHeapAffinitizeRanges").starts_with("problem ")) << bad;
  }
  EXPECT_FALSE(problem("DOTNET_GCHeapAffinitizeRanges", "0,2,4-7"));
  EXPECT_TRUE(problem("DOTNET_GCLargePages", "1"));
  EXPECT_FALSE(problem("DOTNET_GCLargePages", "0"));
  const auto with_limit = [&](const char* limit) { return told({{"DOTNET_GCLargePages", "1"}, {"DOTNET_GCHeapHardLimit", limit}}, "DOTNET_GCLargePages"); };
  EXPECT_EQ(with_limit("800000"), "note 1 is in force");
  EXPECT_TRUE(with_limit("c00000").starts_with("problem 1: the limit needs 6 pages of 2 MB, and the system has set 4 aside")) << with_limit("c00000");
}

TEST_F(DoctorEnvironment, WithoutEffectAndInForce) {
  EXPECT_EQ(told("DOTNET_GCDynamicAdaptationMode", "0"), "note 0: without effect on this collector");
  EXPECT_EQ(told("DOTNET_HeapVerify", "1"), "note 1: without effect on this collector");
  EXPECT_EQ(told("DOTNET_gcServer", "1"), "note 1 is in force");
  EXPECT_EQ(told({{"COMPlus_GCHeapCount", "2"}, {"DOTNET_GCHeapCount", "3"}}, "COMPlus_GCHeapCount"), "note 2: without effect, DOTNET_GCHeapCount wins");
  EXPECT_TRUE(told("CORECLR_ENABLE_PROFILING", "1").starts_with("note 1: a profiler is not told"));
  EXPECT_EQ(told("DOTNET_ROOT", "/x"), "nothing");
}

} // namespace
} // namespace garner::tool
