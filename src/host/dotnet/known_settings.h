// What is known of the runtime's settings before a program runs: least limit, those that are read, within what bounds, those without effect, how a list of processors is read.
// Of the host, which goes by it, and of `garner doctor`, which tells beforehand.
#pragma once
#include "base/words.h"

namespace garner::dotnet {

inline constexpr u64 kLeastLimit = 4 * MiB; // .NET does not start in less

// Of a container's limit, where nothing else gives the heap one.
inline constexpr u64 kContainerShare = 75, kContainerLeast = 20 * MiB; // percent
inline u64 limit_in_container(u64 bytes) { return bytes / 100 * kContainerShare > kContainerLeast ? bytes / 100 * kContainerShare : kContainerLeast; }

// From what share of memory on the machine counts as short of it, where GCHighMemPercent does not say: of much of it, on many processors, less may be left.
inline u32 high_memory_percent(u64 memory, u32 processors) {
  const u32 left = memory >= 80 * GiB ? 3 + 47 / (processors != 0 ? processors : 1) : 10;
  return 100 - (left < 10 ? left : 10);
}

// Stock settings that are numbers, beside the Bounded: those that the host reads.
inline constexpr const char* kRead[] = {
    "gcServer", "gcConcurrent", "GCRetainVM", "GCLargePages", "GCNoAffinitize", "gcConservative", "GCNumaAware", "GCHeapCount", "GCConserveMemory", "GCGen0MaxBudget", "GCLOHThreshold", "GCHighMemPercent",
    "GCHeapHardLimit", "GCHeapHardLimitSOH", "GCHeapHardLimitLOH", "GCHeapHardLimitPOH", "GCHeapHardLimitSOHPercent", "GCHeapHardLimitLOHPercent", "GCHeapHardLimitPOHPercent", "GCHeapAffinitizeMask",
};

// Those of which a value outside of [least, most] is ignored, and said to be; 0 asks for nothing.
struct Bounded { const char* private_key; const char* public_key; i64 least, most; const char* why; };
inline constexpr i64 kAnyMost = i64(~u64(0) >> 1);
inline constexpr Bounded kGen0Size{"GCgen0size", "System.GC.Gen0Size", i64(64 * KiB), kAnyMost, "is below 64 KB and is ignored"}; // no valid size for the runtime either
inline constexpr Bounded kLimitPercent{"GCHeapHardLimitPercent", "System.GC.HeapHardLimitPercent", 1, 99, "is not between 1 and 99 (hexadecimal 63) and is ignored"};
inline constexpr Bounded kTotalMemory{"GCTotalPhysicalMemory", nullptr, i64(kLeastLimit), kAnyMost, "is below 4 MB and is ignored"};
inline constexpr const Bounded* kBounded[] = {&kGen0Size, &kLimitPercent, &kTotalMemory};
inline constexpr bool within(const Bounded& setting, i64 value) { return value >= setting.least && value <= setting.most; }

// Stock settings that nothing here reads, and the value that asks for nothing.
struct Ignored { const char* private_key; const char* public_key; i64 harmless; };
inline constexpr Ignored kIgnored[] = {
    {"GCMaxHeapCount", "System.GC.MaxHeapCount", 0},
    {"GCgen1size", nullptr, 0},
    {"GCGen1MaxBudget", nullptr, 0},
    {"GCDynamicAdaptationMode", "System.GC.DynamicAdaptationMode", 1},
    {"GCDTargetTCP", "System.GC.DTargetTCP", 0},
    {"GCLOHCompact", nullptr, 0},
    {"gcForceCompact", nullptr, 0},
    {"GCSegmentSize", nullptr, 0},
    {"GCEnableSpecialRegions", nullptr, 0},
    {"GCLatencyLevel", nullptr, 1},
    {"GCStress", nullptr, 0},
    {"HeapVerify", nullptr, 0},
};
// Of these the notice is of their own: what they would change is not here.
inline constexpr const char* kNotHere[] = {"GCRegionRange", "GCRegionSize", "GCCpuGroup"};

inline constexpr const char* kOfProfilers = "a profiler is not told which objects moved or survived; after the first collection addresses it remembers are wrong";

// GCHeapAffinitizeRanges, "0,2,4-7": sets the bits of these processors, of 1024. False when malformed.
inline constexpr const char* kRangesMalformed = "malformed; expected a list like 0,2,4-7";
inline bool parse_processors(const char* text, u64 (&bits)[16]) {
  const char* p = text;
  auto digits = [&p](u32& out) {
    if (*p < '0' || *p > '9') return false;
    for (out = 0; *p >= '0' && *p <= '9' && out < 1024; p++) out = out * 10 + u32(*p - '0');
    return out < 1024;
  };
  bool good = *p != 0;
  while (good && *p != 0) {
    u32 low, high;
    good = digits(low);
    high = low;
    if (good && *p == '-') good = (p++, digits(high)) && high >= low;
    for (u32 c = low; good && c <= high; c++) bits[c / 64] |= u64(1) << (c % 64);
    if (*p == ',') p++;
    else if (*p != 0) good = false;
  }
  return good;
}

} // namespace garner::dotnet
