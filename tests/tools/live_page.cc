// The live page: what a collector's events leave in it, that nobody ever reads half a change, and what cannot be a page.
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "observe/live.h"

namespace garner {
namespace {

const HeapReady kReady = {256 << 20, 64 << 20, 256 << 10, 3, 1, "dotnet", "garner"};

CycleEnd cycle(u64 index, Kind kind = Kind::young0, Cause cause = Cause::eden_full) {
  CycleEnd end{};
  end.index = index;
  end.kind = kind;
  end.cause = cause;
  end.start_ns = 1000 * index;
  end.pause_ns = 10 * index;
  end.stop_ns = index;
  end.limit = 64 << 20;
  end.committed = 1000 + index;
  end.heap_before = 500 + index;
  end.heap_after = 400 + index;
  end.copied = index;
  return end;
}

void collect(const Emitter& emitter, const CycleEnd& end) {
  u64 taken[kHeapParts], holes[kHeapParts];
  for (u32 part = 0; part < kHeapParts; part++) {
    taken[part] = end.index * 100 + part;
    holes[part] = end.index + part;
  }
  emitter.emit(EventId::heap_parts, HeapParts{end.index, taken, holes});
  emitter.emit(EventId::cycle_end, end);
}

class LivePageTest : public testing::Test {
 protected:
  void open(const char* options = "") {
    Settings settings;
    ASSERT_TRUE(settings.parse(options)) << settings.error();
    if (live_.open(settings, 77)) emitter_.add(live_.sink());
  }
  void TearDown() override { live_.close(); }
  void work(u32 worker, u64 index, Phase phase, u64 objects, u64 steals) {
    WorkerStats stats{};
    stats.start_ns = 100;
    stats.end_ns = 150;
    stats.idle_ns = 20;
    stats.steals = steals;
    (phase == Phase::mark ? stats.objects_marked : stats.objects_copied) = objects;
    (phase == Phase::mark ? stats.bytes_marked : stats.bytes_copied) = objects * 8;
    emitter_.emit(EventId::worker_phase, WorkerPhase{index, phase, worker, 0, &stats});
  }
  LivePage& read() {
    EXPECT_EQ(read_live(live_.fd(), *page_), LiveRead::whole);
    return *page_;
  }

  Live live_;
  Emitter emitter_;
  std::unique_ptr<LivePage> page_ = std::make_unique<LivePage>();
};

TEST_F(LivePageTest, IsAPageWhenTheHeapIsReady) {
  open();
  ASSERT_TRUE(live_.on());
  EXPECT_EQ(read_live(live_.fd(), *page_), LiveRead::none);
  emitter_.emit(EventId::heap_ready, kReady);
  const LiveStart& start = read().start;
  EXPECT_EQ(start.pid, u64(getpid()));
  EXPECT_EQ(start.start_ns, 77u);
  EXPECT_EQ(start.region_bytes, 256u << 10);
  EXPECT_EQ(start.workers, 3u);
  EXPECT_STREQ(start.door, "dotnet");
  EXPECT_STREQ(start.preset, "garner");
  EXPECT_EQ(page_->now.limit, 64u << 20);
  EXPECT_EQ(page_->now.collections, 0u);
}

TEST_F(LivePageTest, IsFoundByItsNameAndIsNotInherited) {
  open();
  char link[64] = {}, path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", live_.fd());
  ASSERT_GT(readlink(path, link, sizeof link - 1), 0);
  EXPECT_EQ(std::string(link), std::string("/memfd:") + kLiveName + " (deleted)");
  EXPECT_NE(fcntl(live_.fd(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_GT(live_.fd(), 2);
}

// What is stored into a mapping beyond its file's end ends the program.
TEST_F(LivePageTest, NobodyCutsItShort) {
  open();
  emitter_.emit(EventId::heap_ready, kReady);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", live_.fd());
  int other = ::open(path, O_RDWR | O_CLOEXEC);
  ASSERT_GE(other, 0);
  EXPECT_NE(ftruncate(other, 0), 0);
  ::close(other);
  EXPECT_NE(::truncate(path, 8), 0);
  struct stat status = {};
  ASSERT_EQ(fstat(live_.fd(), &status), 0);
  EXPECT_EQ(usize(status.st_size), sizeof(LivePage));
  EXPECT_GE(usize(status.st_blocks) * 512, sizeof(LivePage)) << "all of it is there before the first store";
  collect(emitter_, cycle(1));
  EXPECT_EQ(read().now.collections, 1u);
}

TEST_F(LivePageTest, OffIsNoPage) {
  open("live=off");
  EXPECT_FALSE(live_.on());
  EXPECT_EQ(live_.fd(), -1);
}

TEST_F(LivePageTest, SumsAndTheLastCollection) {
  open();
  emitter_.emit(EventId::heap_ready, kReady);
  collect(emitter_, cycle(1));
  collect(emitter_, cycle(2, Kind::full, Cause::induced));
  CycleEnd third = cycle(3);
  third.pause_ns = 5;
  collect(emitter_, third);
  emitter_.emit(EventId::out_of_memory, OutOfMemory{1, 2, 3});
  const LiveNow& now = read().now;
  EXPECT_EQ(now.collections, 3u);
  EXPECT_EQ(now.kinds[u8(Kind::young0)], 2u);
  EXPECT_EQ(now.kinds[u8(Kind::full)], 1u);
  EXPECT_EQ(now.causes[u8(Cause::eden_full)], 2u);
  EXPECT_EQ(now.causes[u8(Cause::induced)], 1u);
  EXPECT_EQ(now.total_pause_ns, 35u);
  EXPECT_EQ(now.longest_pause_ns, 20u);
  EXPECT_EQ(now.total_stop_ns, 6u);
  EXPECT_EQ(now.committed, 1003u);
  EXPECT_EQ(now.taken[u8(HeapPart::old)], 302u);
  EXPECT_EQ(now.holes[u8(HeapPart::pinned)], 7u);
  EXPECT_EQ(page_->out_of_memory, 1u);
  const LiveCycle& second = page_->cycles[1];
  EXPECT_EQ(second.index, 2u);
  EXPECT_EQ(second.pause_ns, 20u);
  EXPECT_EQ(second.what, u64(Kind::full) | u64(Cause::induced) << 8);
}

TEST_F(LivePageTest, ALimitThatChangesIsToldAtOnce) {
  open();
  emitter_.emit(EventId::heap_ready, kReady);
  emitter_.emit(EventId::limit_changed, LimitChanged{64 << 20, 32 << 20});
  EXPECT_EQ(read().now.limit, 32u << 20);
}

TEST_F(LivePageTest, WorkersOfTheLastCollectionAndInAll) {
  open();
  emitter_.emit(EventId::heap_ready, kReady);
  work(0, 1, Phase::evacuate, 10, 1);
  work(2, 1, Phase::evacuate, 20, 2);
  EXPECT_EQ(read().workers[0].cycles, 0u) << "the page changes when the collection is over";
  collect(emitter_, cycle(1));
  work(0, 2, Phase::evacuate, 3, 1); // promotion failed: a full collection follows under the same stop
  work(0, 2, Phase::mark, 4, 1);
  collect(emitter_, cycle(2, Kind::full));
  const LivePage& page = read();
  EXPECT_EQ(page.workers[0].last.objects, 7u);
  EXPECT_EQ(page.workers[0].last.bytes, 56u);
  EXPECT_EQ(page.workers[0].last.steals, 2u);
  EXPECT_EQ(page.workers[0].last.idle_ns, 40u);
  EXPECT_EQ(page.workers[0].last.ns, 100u);
  EXPECT_EQ(page.workers[0].all.objects, 17u);
  EXPECT_EQ(page.workers[0].cycles, 2u);
  EXPECT_EQ(page.workers[0].cycle, 2u);
  EXPECT_EQ(page.workers[1].cycles, 0u);
  EXPECT_EQ(page.workers[2].cycle, 1u);
  EXPECT_EQ(page.workers[2].last.objects, 20u);
}

TEST_F(LivePageTest, WorkersBeyondTheTableAreLeftOut) {
  open();
  emitter_.emit(EventId::heap_ready, kReady);
  work(kLiveWorkers - 1, 1, Phase::evacuate, 5, 0);
  work(kLiveWorkers, 1, Phase::evacuate, 6, 0);
  work(1023, 1, Phase::evacuate, 7, 0);
  collect(emitter_, cycle(1));
  EXPECT_EQ(read().workers[kLiveWorkers - 1].all.objects, 5u);
  u64 all = 0;
  for (const LiveWorker& worker : page_->workers) all += worker.all.objects;
  EXPECT_EQ(all, 5u);
}

TEST_F(LivePageTest, TheRingHoldsTheLastOnes) {
  open();
  emitter_.emit(EventId::heap_ready, kReady);
  const u64 count = 2 * kLiveCycles + 5;
  for (u64 i = 1; i <= count; i++) collect(emitter_, cycle(i));
  const LivePage& page = read();
  for (u64 i = count - kLiveCycles + 1; i <= count; i++) {
    const LiveCycle& entry = page.cycles[(i - 1) % kLiveCycles];
    EXPECT_EQ(entry.index, i);
    EXPECT_EQ(entry.heap_before, 500 + i);
  }
  EXPECT_EQ(page.now.collections, count);
}

// A reader sees the page as it was between two collections, never in one: all that the writer derives from one number must agree.
TEST_F(LivePageTest, NobodyReadsHalfAChange) {
  open();
  emitter_.emit(EventId::heap_ready, kReady);
  collect(emitter_, cycle(1));
  Atomic<u32> stop{0};
  std::thread writer([&] {
    for (u64 i = 2; stop.load_relaxed() == 0; i++) {
      for (u32 worker = 0; worker < 3; worker++) work(worker, i, Phase::evacuate, i, 0);
      collect(emitter_, cycle(i));
      for (int breath = 0; breath < 2000; breath++) cpu_relax();
    }
  });
  u64 whole = 0, different = 0, before = 0;
  for (int i = 0; i < 20000 || (i < 2'000'000 && different <= 10); i++) { // one processor may be all that there is
    LivePage& page = *page_;
    if (read_live(live_.fd(), page) != LiveRead::whole) continue;
    whole++;
    const u64 n = page.now.collections;
    different += n != before;
    ASSERT_GE(n, before);
    before = n;
    ASSERT_EQ(page.now.committed, 1000 + n);
    for (u32 part = 0; part < kHeapParts; part++) ASSERT_EQ(page.now.taken[part], n * 100 + part);
    ASSERT_EQ(page.cycles[(n - 1) % kLiveCycles].index, n);
    ASSERT_EQ(page.cycles[(n - 1) % kLiveCycles].pause_ns, 10 * n);
    ASSERT_EQ(page.now.total_pause_ns, 5 * n * (n + 1));
    if (n > 1)
      for (u32 worker = 0; worker < 3; worker++) ASSERT_EQ(page.workers[worker].last.objects, n);
  }
  stop.store_relaxed(1);
  writer.join();
  EXPECT_GT(whole, 1000u);
  EXPECT_GT(different, 10u) << "the writer wrote meanwhile";
}

// The same without chance: the writer is caught in the middle of a change, where it stores into a part of the page that it may not write, and the page is read there.
struct Caught {
  int fd;
  LivePage* page;
  char *from, *to;
  LiveRead result;
  u32 times;
} caught;

void read_in_the_middle(int) {
  caught.times++;
  caught.result = read_live(caught.fd, *caught.page);
  mprotect(caught.from, usize(caught.to - caught.from), PROT_READ | PROT_WRITE);
}

TEST_F(LivePageTest, InTheMiddleOfAChangeItIsBusy) {
  open();
  emitter_.emit(EventId::heap_ready, kReady);
  collect(emitter_, cycle(1));
  char* begin = nullptr;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(std::string("/memfd:") + kLiveName) != std::string::npos) begin = reinterpret_cast<char*>(std::stoull(line, nullptr, 16));
  ASSERT_NE(begin, nullptr);
  caught = {live_.fd(), page_.get(), begin + align_up(offsetof(LivePage, workers), kPageBytes), begin + align_up(sizeof(LivePage), kPageBytes), LiveRead::none, 0};
  ASSERT_EQ(mprotect(caught.from, usize(caught.to - caught.from), PROT_READ), 0);
  struct sigaction action = {}, before = {};
  action.sa_handler = read_in_the_middle;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGSEGV, &action, &before);
  work(kLiveWorkers - 1, 2, Phase::evacuate, 5, 0);
  collect(emitter_, cycle(2));
  sigaction(SIGSEGV, &before, nullptr);
  EXPECT_EQ(caught.times, 1u);
  EXPECT_EQ(caught.result, LiveRead::busy);
  EXPECT_EQ(page_->now.collections, 0u) << "what was read is nothing";
  EXPECT_EQ(read().now.collections, 2u);
  EXPECT_EQ(page_->workers[kLiveWorkers - 1].last.objects, 5u);
}

TEST_F(LivePageTest, AForkedChildDoesNotWrite) {
  open();
  emitter_.emit(EventId::heap_ready, kReady);
  collect(emitter_, cycle(1));
  pid_t child = fork();
  if (child == 0) {
    collect(emitter_, cycle(2));
    emitter_.emit(EventId::out_of_memory, OutOfMemory{1, 2, 3});
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read().now.collections, 1u);
  EXPECT_EQ(page_->out_of_memory, 0u);
}

TEST_F(LivePageTest, AProgramThatClosesEveryDescriptorGoesOn) {
  open();
  emitter_.emit(EventId::heap_ready, kReady);
  int other = dup(live_.fd());
  ::close(live_.fd());
  collect(emitter_, cycle(1));
  ASSERT_EQ(read_live(other, *page_), LiveRead::whole);
  EXPECT_EQ(page_->now.collections, 1u);
  ::close(other);
}

// No descriptor is left, or files may not become as large (which would end the program by a signal): one notice, or none where notices are off; events are dropped
// and errno is the program's.
TEST(LivePageRefused, IsANoticeAndNothingElse) {
  struct Case { const char* options; int limit; rlim_t most; };
  for (auto [options, limit, most] : {Case{"", RLIMIT_NOFILE, 3}, {"notices=off", RLIMIT_NOFILE, 3}, {"", RLIMIT_FSIZE, sizeof(LivePage) - 1}, {"notices=off", RLIMIT_FSIZE, 0}}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], 2);
      ::close(ends[0]);
      ::close(ends[1]);
      rlimit none = {most, most};
      setrlimit(limit, &none);
      Settings settings;
      bool parsed = settings.parse(options);
      Live live;
      Emitter emitter;
      errno = 12345;
      if (!parsed || live.open(settings, 1) || errno != 12345) _exit(1);
      emitter.add(live.sink());
      emitter.emit(EventId::heap_ready, kReady);
      collect(emitter, cycle(1));
      _exit(0);
    }
    ::close(ends[1]);
    std::string said;
    char buffer[4096];
    for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) said.append(buffer, size_t(n));
    ::close(ends[0]);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    if (*options != 0) EXPECT_EQ(said, "");
    else {
      EXPECT_EQ(said.find("garner: no page for 'garner top' ("), 0u) << said;
      EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
    }
  }
}

class Hostile : public testing::Test {
 protected:
  Hostile() : fd_(memfd_create("hostile", MFD_CLOEXEC)) {
    page_->magic = kLiveMagic;
    page_->version = kLiveVersion;
    page_->bytes = sizeof(LivePage);
    page_->sequence = 2;
  }
  ~Hostile() override { close(fd_); }
  LiveRead answer(usize bytes = sizeof(LivePage)) {
    EXPECT_EQ(ftruncate(fd_, 0), 0);
    EXPECT_EQ(pwrite(fd_, page_.get(), bytes, 0), ssize_t(bytes));
    return read_live(fd_, *into_);
  }
  int fd_;
  std::unique_ptr<LivePage> page_ = std::make_unique<LivePage>(), into_ = std::make_unique<LivePage>();
};

TEST_F(Hostile, APageOfItsOwnMakingIsRead) { EXPECT_EQ(answer(), LiveRead::whole); }
TEST_F(Hostile, WhatIsTooShortIsNoPage) {
  for (usize bytes : {usize(0), usize(4), usize(16), usize(24), sizeof(LivePage) - 1}) EXPECT_NE(answer(bytes), LiveRead::whole) << bytes;
}
TEST_F(Hostile, AnotherVersionIsSaidWithItsNumber) {
  page_->version = 7;
  EXPECT_EQ(answer(16), LiveRead::version) << "only the head need be there";
  EXPECT_EQ(into_->version, 7u);
}
TEST_F(Hostile, ThisVersionInAnotherSizeIsNoPage) {
  page_->bytes = 64;
  EXPECT_EQ(answer(), LiveRead::none);
}
TEST_F(Hostile, AChangeThatNeverEndsIsNotWaitedFor) {
  page_->sequence = 3;
  EXPECT_EQ(answer(), LiveRead::busy);
  EXPECT_EQ(into_->magic, 0u);
}
TEST_F(Hostile, WhatIsNoFileIsNoPage) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(read_live(ends[0], *into_), LiveRead::none);
  EXPECT_EQ(read_live(-1, *into_), LiveRead::none);
  close(ends[0]);
  close(ends[1]);
}

} // namespace
} // namespace garner
