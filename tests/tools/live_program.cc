// A program with a live page, for top.sh: collections that never were, one every 20 ms, until it is killed. Says "ready" when the page is there, after ten.
//   (nothing)  a page as a collector leaves it
//   fork       the same; a child that has the page too is its own process, whose number it prints
//   version    a page of a version to come
//   hostile    a page full of ones, whose head is right
//   torn       a page whose writer stopped in the middle of a change
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "observe/live.h"

using namespace garner;

namespace {

void say_ready(long number) {
  std::printf("ready %ld\n", number);
  std::fflush(stdout);
}

void collect(const Emitter& emitter, u64 index) {
  const u64 pause = 1'500'000;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  CycleEnd end{};
  end.index = index;
  end.start_ns = u64(now.tv_sec) * 1'000'000'000 + u64(now.tv_nsec) - pause;
  end.pause_ns = pause;
  end.stop_ns = 40'000;
  end.kind = index % 5 == 0 ? Kind::full : Kind::young0;
  end.cause = index % 5 == 0 ? Cause::induced : Cause::eden_full;
  end.committed = 96 * MiB;
  end.limit = 512 * MiB;
  end.eden_next = 64 * MiB;
  const u64 taken[kHeapParts] = {0, 3 * MiB, 30 * MiB, 0, 0}, holes[kHeapParts] = {0, 0, 5 * MiB, 0, 0};
  WorkerStats stats{};
  stats.objects_copied = stats.objects_marked = 1234;
  stats.bytes_copied = stats.bytes_marked = 2 * MiB;
  stats.steals = 7;
  for (u32 worker = 0; worker < 2; worker++) emitter.emit(EventId::worker_phase, WorkerPhase{index, end.kind == Kind::full ? Phase::mark : Phase::evacuate, worker, 0, &stats});
  emitter.emit(EventId::heap_parts, HeapParts{index, taken, holes});
  emitter.emit(EventId::cycle_end, end);
}

int show(const std::string& manner) {
  int fd = memfd_create(kLiveName, MFD_CLOEXEC);
  auto page = std::make_unique<LivePage>();
  if (manner == "hostile") std::memset(page.get(), 0xff, sizeof(LivePage));
  page->magic = kLiveMagic;
  page->version = manner == "version" ? kLiveVersion + 8 : kLiveVersion;
  page->bytes = sizeof(LivePage);
  page->sequence = manner == "torn" ? 3 : 2;
  page->start.pid = u64(getpid());
  if (write(fd, page.get(), sizeof(LivePage)) != ssize_t(sizeof(LivePage))) return 1;
  say_ready(getpid());
  while (true) pause();
}

} // namespace

int main(int argc, char** argv) {
  const std::string manner = argc > 1 ? argv[1] : "";
  if (manner != "" && manner != "fork") return show(manner);
  Settings settings;
  Live live;
  Emitter emitter;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!live.open(settings, u64(now.tv_sec) * 1'000'000'000)) return 1;
  emitter.add(live.sink());
  emitter.emit(EventId::heap_ready, HeapReady{256 * GiB, 512 * MiB, 256 * KiB, 2, 1, "none", "garner"});
  long told = getpid();
  if (manner == "fork") {
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
      while (getppid() == parent) usleep(10'000);
      return 0;
    }
    told = child;
  }
  for (u64 index = 1;; index++) {
    collect(emitter, index);
    if (index == 10) say_ready(told); // of both kinds there are some
    usleep(20'000);
  }
}
