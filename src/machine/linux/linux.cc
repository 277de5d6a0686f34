// The verbs of the real machine that are more than an instruction: time, waiting, threads, pages (linux.h). Nodes are in nodes.cc.
#include "machine/linux/linux.h"

#include <cerrno>
#include <climits>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace garner {
namespace {

u64 monotonic_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return u64(t.tv_sec) * 1000000000ull + u64(t.tv_nsec);
}

// One bit per kernel node number, from MPOL_F_MEMS_ALLOWED: it already reflects the cpuset.
bool allowed_nodes(unsigned long (&mask)[1024 / 64]) {
  memset(mask, 0, sizeof mask);
  return syscall(SYS_get_mempolicy, nullptr, mask, 1024ul, nullptr, MPOL_F_MEMS_ALLOWED) == 0;
}

} // namespace

void Linux::Self::stream(word to, word from, usize bytes) const {
#if defined(__x86_64__)
  if (is_aligned(to, 16) && bytes >= 256) {
    usize i = 0;
    for (; i + 16 <= bytes; i += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    for (; i < bytes; i += kWordBytes) store_word(to + i, load_word(from + i));
    _mm_sfence(); // streaming stores are not ordered by coherence
    return;
  }
#endif
  memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
}

void Linux::Self::yield() const { sched_yield(); }
u64 Linux::Self::now() const { return monotonic_ns(); }
u64 Linux::now() const { return monotonic_ns(); }

Linux::Linux(u64 seed) : seed_(seed) {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) processors_ = max_of(1, CPU_COUNT(&cpus));
  unsigned long mask[1024 / 64];
  if (!allowed_nodes(mask)) return; // refused or no NUMA kernel: one node
  u32 found = 0;
  for (u32 n = 0; n < 1024 && found < kMaxNodes; n++)
    if ((mask[n / 64] >> (n % 64)) & 1) {
      dense_node_[n] = u8(found);
      system_node_[found++] = n;
    }
  nodes_ = max_of(found, 1u);
  if (nodes_ > 1) read_nodes();
}

void Linux::park(Self&, Atomic<u32>& futex, u32 expected) {
  syscall(SYS_futex, futex.address(), FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void Linux::wake(Self&, Atomic<u32>& futex, u32 sleepers) {
  syscall(SYS_futex, futex.address(), FUTEX_WAKE_PRIVATE, sleepers > INT_MAX ? INT_MAX : int(sleepers), nullptr, nullptr, 0);
}

bool Linux::start(void (*entry)(void*), void* arg) {
  struct Start { void (*entry)(void*); void* arg; Atomic<u32> taken; };
  Start start{entry, arg, Atomic<u32>{0}};
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); // the program's signals stay with the program's threads
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, [](void* p) -> void* {
    auto* s = static_cast<Start*>(p);
    void (*run)(void*) = s->entry;
    void* with = s->arg;
    s->taken.store_release(1); // pairs with the load below: `start` lives on the creator's stack until then
    run(with);
    return nullptr;
  }, &start);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error != 0) return false;
  while (start.taken.load_acquire() == 0) sched_yield();
  return true;
}

bool Linux::order_all() {
  if (ordering_ == 0) ordering_ = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 ? 1 : 2;
  return ordering_ == 1 && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

word Linux::reserve(usize bytes, usize alignment) {
  usize asked = bytes + alignment;
  // Inaccessible until opened: writers of dumps walk what is accessible, and a system that does not overcommit charges it.
  void* at = mmap(nullptr, asked, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return 0;
  word begin = word(at), aligned = align_up(begin, alignment);
  if (aligned > begin) munmap(at, aligned - begin);
  if (begin + asked > aligned + bytes) munmap(reinterpret_cast<void*>(aligned + bytes), begin + asked - aligned - bytes);
  return aligned;
}

// Counted against the system's pool here and now, so that no touch can fail later.
word Linux::reserve_large(usize bytes) {
  constexpr int kTwoMegabytes = 21 << 26; // MAP_HUGE_2MB
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | kTwoMegabytes, -1, 0);
  return at == MAP_FAILED ? 0 : word(at);
}

bool Linux::open(word at, usize bytes) {
  word begin = align_down(at, kPageBytes);
  return mprotect(reinterpret_cast<void*>(begin), align_up(at + bytes, kPageBytes) - begin, PROT_READ | PROT_WRITE) == 0;
}

void Linux::release(word at, usize bytes) { munmap(reinterpret_cast<void*>(at), bytes); }

// Pages that the program has locked (mlockall) stay: the system refuses, and they read as zero all the same.
void Linux::discard(word at, usize bytes) {
  if (madvise(reinterpret_cast<void*>(at), bytes, MADV_DONTNEED) != 0) memset(reinterpret_cast<void*>(at), 0, bytes);
}

void Linux::spare(word at, usize bytes) { madvise(reinterpret_cast<void*>(at), bytes, MADV_DONTNEED); }

void Linux::bring(word at, usize bytes) {
  constexpr int kPopulateWrite = 23; // MADV_POPULATE_WRITE; headers of Debian 11 do not have it
  const word begin = align_down(at, kPageBytes);
  madvise(reinterpret_cast<void*>(begin), align_up(at + bytes, kPageBytes) - begin, kPopulateWrite);
}

bool Linux::want_huge_pages(word at, usize bytes, bool everywhere) {
  huge_ = huge_ || everywhere;
  return madvise(reinterpret_cast<void*>(at), bytes, MADV_HUGEPAGE) == 0;
}

void Linux::want_small_pages(word at, usize bytes) { madvise(reinterpret_cast<void*>(at), bytes, MADV_NOHUGEPAGE); }

// Preferred, not bound: where the node is full the system takes a page of another, which costs its distance. Bound to it, the program would be killed with memory left.
Placed Linux::bind(word at, usize bytes, u32 node) {
  if (nodes_ == 1) return Placed::one_node;
  unsigned long mask[1024 / 64] = {};
  u32 n = system_node_[node % nodes_];
  mask[n / 64] = 1ul << (n % 64);
  return syscall(SYS_mbind, at, bytes, MPOL_PREFERRED, mask, 1024ul, 0u) == 0 ? Placed::yes : Placed::refused;
}

Placed Linux::interleave(word at, usize bytes) {
  if (nodes_ == 1) return Placed::one_node;
  unsigned long mask[1024 / 64] = {};
  for (u32 i = 0; i < nodes_; i++) mask[system_node_[i] / 64] |= 1ul << (system_node_[i] % 64);
  // Where transparent huge pages are on for everybody, one fault would put all of a huge page on one node: nothing would go round, and the
  // node of an address would not be what arithmetic says (tests/qemu/numa_guest.cc). Refused only by kernels that know no huge pages.
  if (!huge_) madvise(reinterpret_cast<void*>(at), bytes, MADV_NOHUGEPAGE);
  return syscall(SYS_mbind, at, bytes, MPOL_INTERLEAVE, mask, 1024ul, 0u) == 0 ? Placed::yes : Placed::refused;
}

} // namespace garner
