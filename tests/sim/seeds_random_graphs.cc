// garner_seeds: random programs on random options, the heap compared with its shadow around every collection.
//
//   garner_seeds [--machine sim|linux] [--seeds N] [--first S] [--time-limit SECONDS] [--jobs J]
//   garner_seeds --seed S [--machine …]     plays one seed in this process and says what it was
//
// Each seed is a script, a choice of options and, on the simulated machine, a scheduler with faults. A seed that fails (the verifier,
// the shadow, a check, a signal, a hang) is printed with its options and the command that plays it again. Every 50th seed of the
// simulated machine is played twice, and both digests must agree. Seeds are played by forked processes, so that one that dies takes
// nobody along; the processes are replaced every so many seeds. Last line: "N passed, N failed"; exit code 1 when any failed.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "collect/draw.h"

namespace garner::test {
namespace {

struct Options {
  bool linux_machine = false, one = false;
  u64 seeds = 10'000, first = 1, seed = 0;
  u32 jobs = u32(sysconf(_SC_NPROCESSORS_ONLN)), time_limit = 0;
};

// What the processes share.
struct Board {
  struct Seat { Atomic<u64> playing; Atomic<u64> since_s; }; // seed + 1, 0: none
  Atomic<u64> next, passed, collections[3], failed_promotions, out_of_memory, allocated, resurrected, overflows, steals;
  Seat seats[64];
};

constexpr u32 kSeedsPerProcess = 40, kDigestEvery = 50, kHangSeconds = 240;

u64 seconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return u64(t.tv_sec);
}

Result play_seed(const Options& options, u64 seed) {
  Script script = draw_script(seed, options.linux_machine);
  if (options.linux_machine) {
    Linux machine(seed);
    return play(machine, script);
  }
  Sim machine(draw_machine(seed));
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

int child(const Options& options, Board& board, Board::Seat& seat) {
  for (u32 n = 0; n < kSeedsPerProcess; n++) {
    u64 i = board.next.fetch_add_relaxed(1);
    if (i >= options.seeds) return 0;
    u64 seed = options.first + i;
    seat.since_s.store_relaxed(seconds());
    seat.playing.store_release(seed + 1);
    Result result;
    std::string trouble = judge(options, seed, result);
    if (!trouble.empty()) {
      fprintf(stderr, "seed %llu: %s\n", (unsigned long long)(seed), trouble.c_str());
      return 1; // the seat still says which seed it was
    }
    seat.playing.store_release(0);
    board.passed.fetch_add_relaxed(1);
    for (u32 k = 0; k < 3; k++) board.collections[k].fetch_add_relaxed(result.collections[k]);
    board.failed_promotions.fetch_add_relaxed(result.failed_promotions);
    board.out_of_memory.fetch_add_relaxed(result.out_of_memory);
    board.allocated.fetch_add_relaxed(result.allocated);
    board.resurrected.fetch_add_relaxed(result.resurrected);
    board.overflows.fetch_add_relaxed(result.overflows);
    board.steals.fetch_add_relaxed(result.steals);
  }
  return 0;
}

void report_failure(const Options& options, u64 seed, const char* how) {
  printf("seed %llu failed%s: %s\n  replay: garner_seeds --seed %llu%s\n", (unsigned long long)(seed), how,
         describe(draw_script(seed, options.linux_machine)).c_str(), (unsigned long long)(seed), options.linux_machine ? " --machine linux" : "");
  fflush(stdout);
}

class Parent {
 public:
  Parent(const Options& options, Board& board) : options_(options), board_(board), pids_(options.jobs) {}

  u64 run() { // returns how many seeds failed
    u64 start = seconds();
    for (u32 i = 0; i < options_.jobs; i++) spawn(i);
    u32 alive = options_.jobs;
    while (alive > 0) {
      int status;
      pid_t pid = waitpid(-1, &status, WNOHANG);
      if (pid <= 0) {
        usleep(20'000);
        if (options_.time_limit != 0 && seconds() - start > options_.time_limit) board_.next.fetch_add_relaxed(u64(1) << 40); // no more seeds
        end_hangs();
        continue;
      }
      for (u32 i = 0; i < options_.jobs; i++) {
        if (pids_[i] != pid) continue;
        if (u64 playing = board_.seats[i].playing.exchange_acq_rel(0); playing != 0) failed(playing - 1, status);
        if (board_.next.load_relaxed() < options_.seeds) spawn(i);
        else alive--;
      }
    }
    return failures_;
  }

 private:
  void spawn(u32 i) {
    fflush(stdout);
    pids_[i] = fork();
    if (pids_[i] == 0) _exit(child(options_, board_, board_.seats[i]));
  }
  void end_hangs() {
    for (u32 i = 0; i < options_.jobs; i++) {
      Board::Seat& seat = board_.seats[i];
      if (seat.playing.load_acquire() != 0 && seconds() > seat.since_s.load_relaxed() + kHangSeconds) kill(pids_[i], SIGKILL);
    }
  }
  void failed(u64 seed, int status) {
    failures_++;
    char how[64] = "";
    if (WIFSIGNALED(status)) snprintf(how, sizeof how, " (%s)", WTERMSIG(status) == SIGKILL ? "no end" : strsignal(WTERMSIG(status)));
    if (failures_ <= 20) report_failure(options_, seed, how);
  }

  const Options& options_;
  Board& board_;
  std::vector<pid_t> pids_;
  u64 failures_ = 0;
};

int play_many(const Options& options) {
  auto* board = static_cast<Board*>(mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (board == MAP_FAILED) return 2;
  u64 start = seconds(), failures = Parent(options, *board).run();
  u64 spent = max_of<u64>(seconds() - start, 1), passed = board->passed.load_relaxed();
  auto n = [](const Atomic<u64>& a) { return (unsigned long long)(a.load_relaxed()); };
  printf("%llu + %llu + %llu collections, %llu promotions failed, %llu times out of memory, %llu objects, %llu resurrected, %llu steals, %llu overflows; %llu s, %llu seeds/s\n",
         n(board->collections[0]), n(board->collections[1]), n(board->collections[2]), n(board->failed_promotions), n(board->out_of_memory),
         n(board->allocated), n(board->resurrected), n(board->steals), n(board->overflows), (unsigned long long)(spent), (unsigned long long)(passed / spent));
  printf("%llu passed, %llu failed\n", (unsigned long long)(passed), (unsigned long long)(failures));
  return failures == 0 && passed > 0 ? 0 : 1;
}

int play_one(const Options& options) {
  printf("seed %llu: %s\n", (unsigned long long)(options.seed), describe(draw_script(options.seed, options.linux_machine)).c_str());
  fflush(stdout);
  Result result;
  std::string trouble = judge(options, options.seed, result);
  printf("%llu young, %llu ephemeral, %llu full, %llu promotions failed, %llu times out of memory, %llu objects, at most %llu in the heap, digest %016llx\n",
         (unsigned long long)(result.collections[0]), (unsigned long long)(result.collections[1]), (unsigned long long)(result.collections[2]),
         (unsigned long long)(result.failed_promotions), (unsigned long long)(result.out_of_memory), (unsigned long long)(result.allocated),
         (unsigned long long)(result.most_objects), (unsigned long long)(result.digest));
  if (!trouble.empty()) printf("%s\n", trouble.c_str());
  printf("%d passed, %d failed\n", trouble.empty(), !trouble.empty());
  return trouble.empty() ? 0 : 1;
}

bool read_options(int count, char** args, Options& options) {
  for (int i = 1; i < count; i += 2) {
    if (i + 1 == count) return false;
    u64 number = strtoull(args[i + 1], nullptr, 10);
    if (strcmp(args[i], "--machine") == 0) options.linux_machine = strcmp(args[i + 1], "linux") == 0;
    else if (strcmp(args[i], "--seeds") == 0) options.seeds = number;
    else if (strcmp(args[i], "--first") == 0) options.first = number;
    else if (strcmp(args[i], "--time-limit") == 0) options.time_limit = u32(number);
    else if (strcmp(args[i], "--jobs") == 0) options.jobs = u32(clamp_to<u64>(number, 1, 64));
    else if (strcmp(args[i], "--seed") == 0) options.seed = number, options.one = true;
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
    fprintf(stderr, "usage: garner_seeds [--machine sim|linux] [--seeds N] [--first S] [--time-limit S] [--jobs J] | --seed S [--machine …]\n");
    return 2;
  }
  return options.one ? garner::test::play_one(options) : garner::test::play_many(options);
}
