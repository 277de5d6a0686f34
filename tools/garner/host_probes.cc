#include "host_probes.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <iterator>
#include <linux/futex.h>
#include <linux/mempolicy.h>
#include <memory>
#include <new>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "base/random.h"

namespace garner::tool {
namespace {

constexpr u32 kRounds = 7;
constexpr usize kPage = 4096, kLine = 64;
constexpr u32 kAnywhere = ~u32(0); // for a processor: wherever the system puts the thread

double now_ns() { return double(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count()); }

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The calling thread on one processor, and back where it was.
class Bound {
 public:
  explicit Bound(u32 cpu) {
    sched_getaffinity(0, sizeof before_, &before_);
    if (cpu == kAnywhere) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~Bound() { sched_setaffinity(0, sizeof before_, &before_); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

 private:
  cpu_set_t before_;
};

class Memory {
 public:
  Memory(u64 bytes, int node) : bytes_(bytes) {
    at_ = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (at_ == MAP_FAILED) throw std::bad_alloc();
    madvise(at_, bytes, MADV_HUGEPAGE); // so that translations do not count
    if (node < 0) return;
    unsigned long mask[16] = {};
    mask[usize(node) / 64] = 1ul << (usize(node) % 64);
    syscall(SYS_mbind, at_, bytes, MPOL_BIND, mask, 1024, 0); // where it is refused the system decides
  }
  ~Memory() { munmap(at_, bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  char* at() { return at_; }

 private:
  char* at_;
  u64 bytes_;
};

double best_of(const std::function<double()>& round) {
  double best = round();
  for (u32 i = 1; i < kRounds; i++) best = std::min(best, round());
  return best;
}

// Nanoseconds of one turn of `body`, which runs long enough to be seen.
double each_ns(double effort, const std::function<void()>& body) {
  const u64 turns = std::max<u64>(8, u64(20'000 * effort));
  return best_of([&] {
    const double began = now_ns();
    for (u64 i = 0; i < turns; i++) body();
    return (now_ns() - began) / double(turns);
  });
}

u64 sum_of(const char* at, u64 bytes) { // four lines' worth of independent adds per turn
  const u64* words = reinterpret_cast<const u64*>(at);
  u64 a = 0, b = 0, c = 0, d = 0;
  for (u64 i = 0; i < bytes / 8; i += 8) a += words[i], b += words[i + 2], c += words[i + 4], d += words[i + 6];
  return a + b + c + d;
}

// Runs body(i) on each processor at the same time; the seconds from the common start until the last is through.
double together_s(const std::vector<u32>& cpus, const std::function<void(usize)>& prepare, const std::function<void(usize)>& body) {
  std::atomic<u32> ready{0}, go{0};
  std::vector<std::thread> threads;
  for (usize i = 0; i < cpus.size(); i++)
    threads.emplace_back([&, i] {
      Bound bound(cpus[i]);
      prepare(i);
      ready.fetch_add(1);
      while (go.load() == 0) std::this_thread::yield();
      body(i);
    });
  while (ready.load() != cpus.size()) std::this_thread::yield();
  const double began = now_ns();
  go.store(1);
  for (std::thread& one : threads) one.join();
  return (now_ns() - began) / 1e9;
}

// Two threads that take turns: nanoseconds of a hand-over, in the best of many short chunks, so that a chunk in which somebody
// else had a processor does not count.
double best_chunk_ns(const std::vector<u32>& cpus, u32 turns, u32 chunks, const std::function<void(usize, u32)>& turn) {
  double best = 1e12;
  together_s(cpus, [](usize) {}, [&](usize me) {
    for (u32 c = 0; c < chunks; c++) {
      const double began = now_ns();
      for (u32 k = 0; k < turns; k++) turn(me, c * turns + k);
      if (me == 0) best = std::min(best, (now_ns() - began) / (2.0 * turns));
    }
  });
  return best;
}

} // namespace

double chase_ns(u32 cpu, int node, u64 bytes, double effort) {
  Bound bound(cpu);
  Memory memory(bytes, node);
  const u64 lines = bytes / kLine;
  std::vector<u32> order(lines);
  for (u64 i = 0; i < lines; i++) order[i] = u32(i);
  Random random(1);
  for (u64 i = lines - 1; i > 0; i--) std::swap(order[i], order[random.below(i + 1)]);
  for (u64 i = 0; i < lines; i++) *reinterpret_cast<char**>(memory.at() + u64(order[i]) * kLine) = memory.at() + u64(order[(i + 1) % lines]) * kLine;
  const u64 steps = 10'000, rounds = std::max<u64>(2, u64(200 * effort)); // short rounds: the best is one that nobody disturbed
  char* at = memory.at() + u64(order[0]) * kLine;
  auto walk = [&](u64 n) {
    for (u64 i = 0; i < n; i++) at = *reinterpret_cast<char* volatile*>(at);
  };
  walk(std::min<u64>(lines, 1 << 20)); // what is to be in a cache comes in
  double best = 1e12;
  for (u64 r = 0; r < rounds; r++) {
    const double began = now_ns();
    walk(steps);
    best = std::min(best, (now_ns() - began) / double(steps));
  }
  return best;
}

double bandwidth_gb(const std::vector<u32>& cpus, bool write, double effort) {
  const u64 bytes = u64(std::max(4.0, 256 * effort)) << 20;
  std::vector<std::unique_ptr<Memory>> memories(cpus.size());
  std::atomic<u64> keep{0};
  auto prepare = [&](usize i) {
    if (memories[i] != nullptr) return;
    memories[i] = std::make_unique<Memory>(bytes, -1); // by its own thread, so that it is near
    std::memset(memories[i]->at(), 1, bytes);
  };
  auto pass = [&](usize i) {
    if (write) std::memset(memories[i]->at(), 2, bytes);
    else keep.fetch_add(sum_of(memories[i]->at(), bytes));
  };
  const double seconds = best_of([&] { return together_s(cpus, prepare, pass); });
  return double(bytes) * double(cpus.size()) / seconds / 1e9;
}

namespace {

// Piece by piece: one large copy would pass by the caches, which a collector's copies of objects do not.
void copy_pieces(char* to, const char* from, u64 bytes) {
  constexpr u64 kPiece = 1024;
  for (u64 at = 0; at < bytes; at += kPiece) std::memcpy(to + at, from + at, std::min(kPiece, bytes - at));
}

// As a collector that traces does it: a line is asked for, and read when so many others have been asked for.
u64 read_lines(const char* at, u64 lines, u64 reads, u64 seed) {
  constexpr u32 kAsked = 32; // more than a processor keeps on their way
  const char* asked[kAsked];
  std::fill(std::begin(asked), std::end(asked), at);
  Random random(seed);
  u64 sum = 0;
  for (u64 i = 0; i < reads; i++) {
    const char*& next = asked[i % kAsked];
    sum += *reinterpret_cast<const u64*>(next);
    next = at + random.below(lines) * kLine;
    __builtin_prefetch(next);
  }
  return sum;
}

} // namespace

MemoryRates memory_rates(u32 threads, double effort) {
  const u64 bytes = u64(std::max(4.0, 256 * effort)) << 20, half = bytes / 2, share = half / threads / kLine * kLine, reads = u64(std::max(1e4, 1e6 * effort));
  Memory memory(bytes, -1);
  const std::vector<u32> anywhere(threads, kAnywhere);
  const auto nothing = [](usize) {};
  together_s(anywhere, nothing, [&](usize i) {
    for (char* part : {memory.at(), memory.at() + half}) std::memset(part + i * share, 1, share);
  });
  std::atomic<u64> keep{0};
  const double copying = best_of([&] { return together_s(anywhere, nothing, [&](usize i) { copy_pieces(memory.at() + half + i * share, memory.at() + i * share, share); }); });
  const double reading = best_of([&] { return together_s(anywhere, nothing, [&](usize i) { keep.fetch_add(read_lines(memory.at(), bytes / kLine, reads, i + 1)); }); });
  return {threads, double(share * threads) / copying / 1e9, double(reads * threads) / reading / 1e6};
}

double hand_over_ns(u32 a, u32 b, HandOver how, double effort) {
  alignas(128) static std::atomic<u32> ball;
  ball = 0;
  return best_chunk_ns({a, b}, 500, u32(std::max(2.0, 400 * effort)), [how](usize me, u32 turn) {
    const u32 mine = 2 * turn + u32(me);
    if (how == HandOver::polled) {
      while (ball.load(std::memory_order_acquire) != mine) relax();
      ball.store(mine + 1, std::memory_order_release);
    } else {
      for (u32 seen = mine; !ball.compare_exchange_strong(seen, mine + 1, std::memory_order_acq_rel); seen = mine) relax();
    }
  });
}

double addition_ns(u32 cpu, double effort) {
  Bound bound(cpu);
  std::atomic<u64> counter{0};
  return each_ns(effort, [&] { counter.fetch_add(1, std::memory_order_acq_rel); });
}

namespace {

// Half of a round trip between two sleepers, less the calls.
double wake_latency_ns(const std::vector<u32>& cpus, double effort, double call) {
  static std::atomic<u32> ball;
  ball = 0;
  const double hand_over = best_chunk_ns({cpus[0], cpus[1 % cpus.size()]}, 50, u32(std::max(2.0, 100 * effort)), [](usize me, u32) {
    for (u32 seen; (seen = ball.load()) % 2 != me;) syscall(SYS_futex, &ball, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
    ball.fetch_add(1);
    syscall(SYS_futex, &ball, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  });
  return std::max(0.0, hand_over - call);
}

void page_costs(CallCosts& costs, double effort) {
  const usize pages = usize(std::max(64.0, 16384 * effort));
  auto* at = static_cast<char*>(mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (at == MAP_FAILED) throw std::bad_alloc();
  madvise(at, pages * kPage, MADV_NOHUGEPAGE);
  costs.page_fault = costs.discard_page = 1e12;
  for (u32 r = 0; r < kRounds; r++) {
    double began = now_ns();
    for (usize p = 0; p < pages; p++) *static_cast<volatile char*>(at + p * kPage) = 1;
    costs.page_fault = std::min(costs.page_fault, (now_ns() - began) / double(pages));
    began = now_ns();
    madvise(at, pages * kPage, MADV_DONTNEED);
    costs.discard_page = std::min(costs.discard_page, (now_ns() - began) / double(pages));
  }
  std::memset(at, 1, pages * kPage);
  std::vector<void*> list(std::min<usize>(pages, 4096));
  std::vector<int> where(list.size());
  for (usize p = 0; p < list.size(); p++) list[p] = at + p * kPage;
  const bool asks = syscall(SYS_move_pages, 0, list.size(), list.data(), nullptr, where.data(), 0) == 0;
  costs.page_query = !asks ? -1 : best_of([&] {
    const double began = now_ns();
    syscall(SYS_move_pages, 0, list.size(), list.data(), nullptr, where.data(), 0);
    return (now_ns() - began) / double(list.size());
  });
  costs.query_call = !asks ? -1 : std::max(0.0, each_ns(effort, [&] { syscall(SYS_move_pages, 0, 1L, list.data(), nullptr, where.data(), 0); }) - costs.page_query);
  unsigned long mask[16] = {1};
  const bool binds = syscall(SYS_mbind, at, kPage, MPOL_PREFERRED, mask, 1024, 0) == 0;
  costs.bind_call = !binds ? -1 : each_ns(effort, [&] { syscall(SYS_mbind, at, kPage, MPOL_PREFERRED, mask, 1024, 0); });
  munmap(at, pages * kPage);
}

} // namespace

CallCosts call_costs(const std::vector<u32>& cpus, double effort) {
  Bound bound(cpus[0]);
  CallCosts costs{};
  static std::atomic<u32> word;
  costs.park_call = each_ns(effort, [] { syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, nullptr, nullptr, 0); });
  costs.wake_call = each_ns(effort, [] { syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); });
  costs.wake_latency = wake_latency_ns(cpus, effort, costs.wake_call);
  page_costs(costs, effort);
  costs.reserve_call = each_ns(effort, [] { munmap(mmap(nullptr, MiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), MiB); }) / 2;
  costs.clock_read = each_ns(effort, [] { (void)now_ns(); });
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpus[0], &one);
  costs.pin_call = each_ns(effort / 10, [&] { sched_setaffinity(0, sizeof one, &one); });
  costs.yield = each_ns(effort, [] { sched_yield(); });
  costs.pause = each_ns(effort, [] { relax(); });
  costs.start_thread = each_ns(effort / 100, [] { std::thread([] {}).join(); });
  return costs;
}

} // namespace garner::tool
