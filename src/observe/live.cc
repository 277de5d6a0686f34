// Making and filling the live page; what it promises the program is listed in live.h.
#include "observe/live.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/held.h"
#include "base/print.h"

namespace garner {
namespace {

constexpr unsigned kNoExec = 8; // MFD_NOEXEC_SEAL, of Linux 6.3; allows other seals too

// Never 0, 1 or 2, even where the program was started with those closed. Not under a limit on file sizes that the page would pass: giving it its size would end
// the program (SIGXFSZ).
int make_memory() {
  rlimit most;
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < sizeof(LivePage)) return errno = EFBIG, -1;
  int fd = memfd_create(kLiveName, MFD_CLOEXEC | kNoExec); // some systems refuse what could be run as a program
  if (fd < 0 && errno == EINVAL) fd = memfd_create(kLiveName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || fd > 2) return fd;
  int above = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  int error = errno;
  ::close(fd);
  errno = error;
  return above;
}

// All of it now, as memory that the system cannot give at a later store ends the program (SIGBUS), and no smaller ever again, as whoever may open the page could
// cut it, with the same end. Systems without these orders have a page too.
bool give_size(int fd) {
  int failed;
  do failed = fallocate(fd, 0, 0, sizeof(LivePage));
  while (failed != 0 && errno == EINTR);
  if (failed != 0 && (errno != EOPNOTSUPP || ftruncate(fd, sizeof(LivePage)) != 0)) return false;
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  return true;
}

// Word by word: a reader sees each as it was or as it is. Relaxed: the order among them is publish's affair.
void store_words(void* to, const void* from, usize bytes) {
  auto* out = static_cast<u64*>(to);
  auto* in = static_cast<const u64*>(from);
  for (usize i = 0; i < bytes / sizeof(u64); i++) __atomic_store_n(&out[i], in[i], __ATOMIC_RELAXED);
}
template <class T> void store(T& to, const T& from) {
  static_assert(sizeof(T) % sizeof(u64) == 0 && alignof(T) == alignof(u64));
  store_words(&to, &from, sizeof(T));
}

template <usize n> void copy_text(char (&to)[n], const char* from) {
  usize length = from == nullptr ? 0 : min_of(strlen(from), n - 1);
  if (length != 0) memcpy(to, from, length);
  memset(to + length, 0, n - length);
}

void add_to(LiveWork& sum, const LiveWork& w) {
  sum = {sum.objects + w.objects, sum.bytes + w.bytes, sum.promoted + w.promoted, sum.steals + w.steals, sum.idle_ns + w.idle_ns, sum.ns + w.ns};
}

} // namespace

bool Live::open(const Settings& settings, u64 start_ns) {
  if (!settings.on(Opt::live)) return false;
  SavedErrno keep;
  int fd = make_memory();
  void* memory = MAP_FAILED;
  if (fd >= 0 && give_size(fd)) memory = mmap(nullptr, sizeof(LivePage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    const char* why = strerrordesc_np(errno);
    if (settings.on(Opt::notices))
      Line().text("garner: no page for 'garner top' (").text(why == nullptr ? "unknown error" : why).text("); general.live=off asks for none").flush(2);
    if (fd >= 0) ::close(fd);
    return false;
  }
  fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE); // Linux 5.1: nobody but this mapping writes
  page_ = static_cast<LivePage*>(memory);
  fd_ = fd;
  pid_ = u32(getpid());
  start_ns_ = start_ns;
  return true;
}

void Live::close() {
  if (page_ == nullptr) return;
  munmap(page_, sizeof(LivePage));
  ::close(fd_);
  page_ = nullptr;
  fd_ = -1;
}

void Live::receive(void* self, EventId id, const void* payload) {
  Live& live = *static_cast<Live*>(self);
  if (live.page_ == nullptr) return;
  switch (id) {
    case EventId::worker_phase: live.add(*static_cast<const WorkerPhase*>(payload)); return; // the world stands; no page is touched
    case EventId::heap_parts: live.add(*static_cast<const HeapParts*>(payload)); return; // told by the cycle_end that follows
    case EventId::heap_ready:
    case EventId::cycle_end:
    case EventId::limit_changed:
    case EventId::out_of_memory: break;
    default: return;
  }
  if (u32(getpid()) != live.pid_) return; // a forked child: the page is its parent's
  switch (id) {
    case EventId::heap_ready: live.ready(*static_cast<const HeapReady*>(payload)); return;
    case EventId::cycle_end: live.add(*static_cast<const CycleEnd*>(payload)); return;
    case EventId::limit_changed:
      live.now_.limit = static_cast<const LimitChanged*>(payload)->after;
      live.publish([&](LivePage& page) { store(page.now, live.now_); });
      return;
    // Relaxed: a count on its own; a reader may see it before or after the figures around it.
    default: __atomic_fetch_add(&live.page_->out_of_memory, 1, __ATOMIC_RELAXED); return;
  }
}

// A change of the page, as its readers see it: odd sequence, the new words, even sequence.
template <class Store> void Live::publish(Store store_all) {
  __atomic_store_n(&page_->sequence, sequence_ + 1, __ATOMIC_RELAXED);
  // Release, pairs with the acquire fence behind read_live's copying: a reader who copied one of the words that follow sees the odd sequence, or a later one,
  // when it looks again. Without it the words could become visible first, and a torn copy would pass for a whole one.
  __atomic_thread_fence(__ATOMIC_RELEASE);
  store_all(*page_);
  sequence_ += 2;
  // Release, pairs with the acquire fence behind read_live's first look: who sees the even sequence copies words that are at least as new.
  __atomic_store_n(&page_->sequence, sequence_, __ATOMIC_RELEASE);
}

void Live::ready(const HeapReady& heap) {
  now_.limit = heap.limit_bytes;
  LiveStart start{pid_, start_ns_, heap.reserved_bytes, heap.region_bytes, heap.workers, heap.nodes, {}, {}};
  copy_text(start.door, heap.door);
  copy_text(start.preset, heap.preset);
  publish([&](LivePage& page) {
    store(page.start, start);
    store(page.now, now_);
    page.version = kLiveVersion;
    page.bytes = sizeof(LivePage);
    // Release: whoever sees the magic number sees the version and size beside it. They never change again.
    __atomic_store_n(&page.magic, kLiveMagic, __ATOMIC_RELEASE);
  });
}

// A worker may take part in several phases of a collection: two kinds of them under one stop, or marking again for ephemerons.
void Live::add(const WorkerPhase& phase) {
  if (phase.worker >= kLiveWorkers) return;
  const WorkerStats& s = *phase.stats;
  LiveWork work{};
  if (phase.phase == Phase::mark) work = {s.objects_marked, s.bytes_marked, 0, s.steals, s.idle_ns, 0};
  else work = {s.objects_copied, s.bytes_copied, s.bytes_promoted, s.steals, s.idle_ns, 0};
  work.ns = s.end_ns > s.start_ns ? s.end_ns - s.start_ns : 0;
  LiveWorker& row = workers_[phase.worker];
  if (row.cycle != phase.index) {
    row.cycle = phase.index;
    row.cycles++;
    row.last = {};
  }
  row.node = phase.node;
  add_to(row.last, work);
  add_to(row.all, work);
  took_part_ |= u64(1) << phase.worker;
}

void Live::add(const HeapParts& parts) {
  for (u32 part = 0; part < kHeapParts; part++) {
    now_.taken[part] = parts.taken[part];
    now_.holes[part] = parts.holes[part];
  }
}

void Live::add(const CycleEnd& cycle) {
  now_.collections = cycle.index;
  now_.kinds[u8(cycle.kind)]++;
  now_.causes[u8(cycle.cause) % kLiveCauses]++;
  now_.total_pause_ns += cycle.pause_ns;
  now_.longest_pause_ns = max_of(now_.longest_pause_ns, cycle.pause_ns);
  now_.total_stop_ns += cycle.stop_ns;
  now_.compacted += cycle.compacted;
  now_.promotion_failed += cycle.promotion_failed;
  now_.limit = cycle.limit;
  now_.committed = cycle.committed;
  now_.eden_next = cycle.eden_next;
  now_.allocated = cycle.allocated_total;
  const u64 what = u64(cycle.kind) | u64(cycle.cause) << 8 | u64(cycle.compacted) << 16 | u64(cycle.promotion_failed) << 17;
  const LiveCycle entry{cycle.index, cycle.start_ns, cycle.pause_ns, cycle.stop_ns, what, cycle.heap_before, cycle.heap_after, cycle.copied};
  publish([&](LivePage& page) {
    store(page.now, now_);
    store(page.cycles[(cycle.index - 1) % kLiveCycles], entry);
    for (u32 i = 0; i < kLiveWorkers; i++)
      if ((took_part_ >> i & 1) != 0) store(page.workers[i], workers_[i]);
  });
  took_part_ = 0;
}

} // namespace garner
