// garner_seeds: random programs on random options, the heap compared with its shadow around every collection.
//
//   garner_seeds [--machine sim|linux] [--races on|off] [--seeds N] [--first S] [--time-limit SECONDS] [--jobs J]
//   garner_seeds --seed S [--machine …] [--races …]     plays one seed in this process and says what it was
//   garner_seeds --options S                            prints the options that a seed draws, as GARNER takes them, and plays nothing
// With --races every access of the simulated machine is held against the declared memory orders (machine/sim/races.h).
//
// Each seed is a script, a choice of options and, on the simulated machine, a scheduler with faults. A seed that fails (the verifier,
// the shadow, a check, a signal, a hang) is printed with its options and the command that plays it again. Every 50th seed of the
// simulated machine is played twice, and both digests must agree. Seeds are played by forked processes, so that one that dies takes
// nobody along; the processes are replaced every so many seeds. Last line: "N passed, N failed"; exit code 1 when any failed.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collect/draw.h"
#include "collect/forks.h"

namespace garner::test {
namespace {

struct Options {
  bool linux_machine = false, one = false, races = false, only_options = false;
  u64 seeds = 10'000, first = 1, seed = 0;
  u32 jobs = u32(sysconf(_SC_NPROCESSORS_ONLN)), time_limit = 0;
};

// Sums over all seeds that passed; shared by the processes.
struct Sums {
  Atomic<u64> collections[3], failed_promotions, marked_beside, en_masse, moves, out_of_memory, allocated, resurrected, overflows, steals;
  void add(const Result& result) {
    for (u32 k = 0; k < 3; k++) collections[k].fetch_add_relaxed(result.collections[k]);
    failed_promotions.fetch_add_relaxed(result.failed_promotions);
    marked_beside.fetch_add_relaxed(result.marked_beside);
    en_masse.fetch_add_relaxed(result.en_masse);
    moves.fetch_add_relaxed(result.moves);
    out_of_memory.fetch_add_relaxed(result.out_of_memory);
    allocated.fetch_add_relaxed(result.allocated);
    resurrected.fetch_add_relaxed(result.resurrected);
    overflows.fetch_add_relaxed(result.overflows);
    steals.fetch_add_relaxed(result.steals);
  }
};

constexpr u32 kDigestEvery = 50, kDescribedMost = 20;

using Number = unsigned long long; // for printf

Result play_seed(const Options& options, u64 seed) {
  Script script = draw_script(seed, options.linux_machine);
  if (options.linux_machine) {
    Linux machine(seed);
    return play(machine, script);
  }
  SimConfig config = draw_machine(seed);
  config.races = options.races;
  Sim machine(config);
  return play(machine, script);
}

// Empty when the seed passed.
std::string judge(const Options& options, u64 seed, Result& result) {
  result = play_seed(options, seed);
  if (!result.trouble.empty() || options.linux_machine || (seed % kDigestEvery != 0 && !options.one)) return result.trouble;
  Result again = play_seed(options, seed);
  if (again.trouble != result.trouble) return "played again it ended differently: " + again.trouble;
  return again.digest == result.digest ? "" : "two plays of one seed have different digests";
}

int play_many(const Options& options) {
  void* shared = mmap(nullptr, sizeof(Sums), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 2;
  Sums& sums = *static_cast<Sums*>(shared);
  Forks forks({.runs = options.seeds, .jobs = options.jobs, .seconds = options.time_limit});
  u32 described = 0;
  u64 failures = forks.run(
      [&](u64 number) {
        Result result;
        std::string trouble = judge(options, options.first + number, result);
        if (trouble.empty()) sums.add(result);
        return trouble.empty() ? "" : "seed " + std::to_string(options.first + number) + ": " + trouble;
      },
      [&](u64 number, const std::string& how) {
        if (described++ >= kDescribedMost) return;
        Number seed = options.first + number;
        printf("seed %llu failed%s%s: %s\n  replay: garner_seeds --seed %llu%s\n", seed, how.empty() ? "" : ", ", how.c_str(),
               describe(draw_script(seed, options.linux_machine)).c_str(), seed, options.linux_machine ? " --machine linux" : options.races ? " --races on" : "");
        fflush(stdout);
      });
  auto n = [](const Atomic<u64>& a) { return Number(a.load_relaxed()); };
  printf("%llu + %llu + %llu collections, %llu promotions failed, %llu ended a marking beside the program, %llu promoted en masse, %llu moved old objects, %llu times out of memory, %llu objects, %llu resurrected, %llu steals, %llu overflows\n",
         n(sums.collections[0]), n(sums.collections[1]), n(sums.collections[2]), n(sums.failed_promotions), n(sums.marked_beside), n(sums.en_masse), n(sums.moves), n(sums.out_of_memory), n(sums.allocated),
         n(sums.resurrected), n(sums.steals), n(sums.overflows));
  printf("%llu s, %llu seeds/s\n", Number(forks.elapsed_s()), Number(forks.passed() / max_of<u64>(forks.elapsed_s(), 1)));
  printf("%llu passed, %llu failed\n", Number(forks.passed()), Number(failures));
  return failures == 0 && forks.passed() > 0 ? 0 : 1;
}

int play_one(const Options& options) {
  printf("seed %llu: %s\n", Number(options.seed), describe(draw_script(options.seed, options.linux_machine)).c_str());
  fflush(stdout);
  Result result;
  std::string trouble = judge(options, options.seed, result);
  printf("%llu young, %llu ephemeral, %llu full, %llu promotions failed, %llu ended a marking, %llu promoted en masse, %llu moved old objects, %llu times out of memory, %llu objects, at most %llu in the heap, digest %016llx\n",
         Number(result.collections[0]), Number(result.collections[1]), Number(result.collections[2]),
         Number(result.failed_promotions), Number(result.marked_beside), Number(result.en_masse), Number(result.moves), Number(result.out_of_memory), Number(result.allocated),
         Number(result.most_objects), Number(result.digest));
  if (!trouble.empty()) printf("%s\n", trouble.c_str());
  printf("%d passed, %d failed\n", trouble.empty(), !trouble.empty());
  return trouble.empty() ? 0 : 1;
}

bool read_options(int count, char** args, Options& options) {
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return false;
    u64 number = strtoull(args[i + 1], nullptr, 10);
    if (strcmp(args[i], "--machine") == 0) options.linux_machine = strcmp(args[i + 1], "linux") == 0;
    else if (strcmp(args[i], "--races") == 0) options.races = strcmp(args[i + 1], "on") == 0;
    else if (strcmp(args[i], "--seeds") == 0) options.seeds = number;
    else if (strcmp(args[i], "--first") == 0) options.first = number;
    else if (strcmp(args[i], "--time-limit") == 0) options.time_limit = u32(number);
    else if (strcmp(args[i], "--jobs") == 0) options.jobs = u32(clamp_to<u64>(number, 1, 64));
    else if (strcmp(args[i], "--seed") == 0) options.seed = number, options.one = true;
    else if (strcmp(args[i], "--options") == 0) options.seed = number, options.only_options = true;
    else return false;
  }
  options.jobs = clamp_to(options.jobs, 1u, 64u);
  return true;
}

} // namespace
} // namespace garner::test

int main(int count, char** args) {
  garner::test::Options options;
  if (!garner::test::read_options(count, args, options)) {
    fprintf(stderr, "usage: garner_seeds [--machine sim|linux] [--races on|off] [--seeds N] [--first S] [--time-limit S] [--jobs J] | --seed S [--machine …] | --options S\n");
    return 2;
  }
  if (options.only_options) {
    printf("%s\n", garner::test::option_text(garner::test::draw_settings(options.seed)).c_str());
    return 0;
  }
  return options.one ? garner::test::play_one(options) : garner::test::play_many(options);
}
