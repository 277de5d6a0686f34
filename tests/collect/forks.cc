#include "forks.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
// A report ends the process: otherwise it would change the exit code of a program that ends by exit, and these end by _exit, in which nobody looks for reports.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options(); // the sanitizer, a library, asks for it
extern "C" const char* __tsan_default_options() { return "halt_on_error=1:exitcode=66"; }
#endif

namespace garner::test {
namespace {
constexpr int kReported = 66; // the thread sanitizer's exit code
} // namespace

u64 monotonic_s() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return u64(t.tv_sec);
}

bool Forks::more() const {
  const u64 next = board_->next.load_relaxed();
  if (plan_.seconds != 0 && next != 0 && monotonic_s() - start_s_ >= plan_.seconds) return false; // one at least: a machine may stand still for all the time there is
  return plan_.runs == 0 || next < plan_.runs;
}

int Forks::child(Seat& seat, const Run& run) {
  for (u32 n = 0; n < plan_.runs_per_process && more(); n++) {
    u64 number = board_->next.fetch_add_relaxed(1);
    if (plan_.runs != 0 && number >= plan_.runs) return 0;
    seat.since_s.store_relaxed(monotonic_s());
    seat.playing.store_release(number + 1); // pairs with the parent's exchange
    std::string trouble = run(number);
    if (!trouble.empty()) {
      fprintf(stderr, "%s\n", trouble.c_str());
      return 1; // the seat still says which run it was
    }
    seat.playing.store_release(0);
    board_->passed.fetch_add_relaxed(1);
  }
  return 0;
}

void Forks::spawn(u32 i, const Run& run) {
  fflush(stdout);
  pids_[i] = fork();
  if (pids_[i] == 0) _exit(child(board_->seats[i], run));
}

void Forks::end_hangs() {
  for (u32 i = 0; i < plan_.jobs; i++) {
    Seat& seat = board_->seats[i];
    if (seat.playing.load_acquire() != 0 && monotonic_s() > seat.since_s.load_relaxed() + plan_.hang_seconds) kill(pids_[i], SIGKILL);
  }
}

u64 Forks::run(const Run& run, const Failed& failed) {
  plan_.jobs = clamp_to(plan_.jobs, 1u, 64u);
  void* shared = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  board_ = static_cast<Board*>(shared);
  pids_.assign(plan_.jobs, 0);
  start_s_ = monotonic_s();
  for (u32 i = 0; i < plan_.jobs; i++) spawn(i, run);
  for (u32 alive = plan_.jobs; alive > 0;) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) {
      usleep(20'000);
      if (plan_.hang_seconds != 0) end_hangs();
      continue;
    }
    for (u32 i = 0; i < plan_.jobs; i++) {
      if (pids_[i] != pid) continue;
      if (u64 playing = board_->seats[i].playing.exchange_acq_rel(0); playing != 0) {
        failures_++;
        failed(playing - 1, !WIFSIGNALED(status) ? (WEXITSTATUS(status) == kReported ? "a sanitizer's report" : "") : WTERMSIG(status) == SIGKILL ? "no end" : strsignal(WTERMSIG(status)));
      }
      if (more()) spawn(i, run);
      else alive--;
    }
  }
  passed_ = board_->passed.load_relaxed();
  elapsed_s_ = monotonic_s() - start_s_;
  munmap(shared, sizeof(Board));
  return failures_;
}

} // namespace garner::test
