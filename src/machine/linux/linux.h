// The real machine: every verb is the plain instruction it names, every page call one system call.
//
// Invariants: no verb makes a system call, but for a long wait, which gives the processor up; Atomic is base/atomic.h itself. Placement calls that the system refuses (seccomp in
// containers: EPERM, ENOSYS; cpusets: EINVAL) answer `refused`, and the caller says so once. Nodes are numbered densely from 0 here;
// the system's own numbers (which may have holes) stay inside linux.cc.
// Implements the machine side of N17 (futex), N18, N19 (bind, interleave), N25 (pin), T5 (which node a page is on), T14 (distances).
#pragma once
#include "base/atomic.h"
#include "seam/machine.h"

namespace garner {

class Linux {
 public:
  template <class T> using Atomic = ::garner::Atomic<T>;
  using Lock = SpinLock;

  struct Self {
    Self(Linux& machine, u32 worker) : index(worker), node(machine.node_of_worker(worker)), random(mix64(machine.seed() + worker)) {}
    u32 index, node;
    Random random;

    GARNER_INLINE Ref load(Slot slot) const { return {__atomic_load_n(reinterpret_cast<word*>(slot.at), __ATOMIC_RELAXED)}; }
    GARNER_INLINE void store(Slot slot, Ref ref) const { __atomic_store_n(reinterpret_cast<word*>(slot.at), ref.at, __ATOMIC_RELAXED); }
    GARNER_INLINE word header(Header h) const { return __atomic_load_n(reinterpret_cast<word*>(h.at), __ATOMIC_ACQUIRE); }
    GARNER_INLINE void set_header(Header h, word w) const { __atomic_store_n(reinterpret_cast<word*>(h.at), w, __ATOMIC_RELAXED); }
    GARNER_INLINE word forward(Header h, word seen, word desired) const {
      __atomic_compare_exchange_n(reinterpret_cast<word*>(h.at), &seen, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
      return seen;
    }
    // Two workers may copy one object; when the winner of its header finds no memory it rewrites the object's slots where they are, while the
    // other still reads them. What that one has read is thrown away, since its compare-and-swap of the header fails (N7, N14).
    GARNER_INLINE void copy(word to, word from, usize bytes) const {
#if defined(__SANITIZE_THREAD__)
      for (usize i = 0; i < bytes; i += kWordBytes) store_word(to + i, __atomic_load_n(reinterpret_cast<const word*>(from + i), __ATOMIC_RELAXED));
      return;
#endif
      if (GARNER_LIKELY(bytes <= 128)) return copy_small(to, from, bytes);
      memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    }
    // Most objects: from both ends to the middle, without a call and without a loop, whose last turn no processor foresees where sizes vary. bytes >= 16.
    static GARNER_INLINE void copy_small(word to, word from, usize bytes) {
      using Two [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = u64;
      auto move = [&](usize at) { *reinterpret_cast<Two*>(to + at) = *reinterpret_cast<const Two*>(from + at); };
      move(0);
      if (bytes > 32) {
        move(16);
        if (bytes > 64) move(32), move(48), move(bytes - 64), move(bytes - 48);
        move(bytes - 32);
      }
      move(bytes - 16);
    }
    GARNER_INLINE void slide(word to, word from, usize bytes) const {
      if (GARNER_LIKELY(bytes <= 128 && to < from)) { // word by word, not as copy(), since the ranges may overlap: downwards a word is read before it is written over
        for (usize i = 0; i < bytes; i += kWordBytes) store_word(to + i, load_word(from + i));
        return;
      }
      memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
    }
    void stream(word to, word from, usize bytes) const;
    GARNER_INLINE void read(word, usize) const {}
    GARNER_INLINE void write(word, usize) const {}
    GARNER_INLINE void touch(word at) const { __builtin_prefetch(reinterpret_cast<const void*>(at), 1, 3); }
    GARNER_INLINE void touch_to_read(word at) const { __builtin_prefetch(reinterpret_cast<const void*>(at), 0, 3); }
    GARNER_INLINE void pause() const { cpu_relax(); }
    void yield() const;
    u64 now() const;
  };

  // Reads nodes and processors once. Seeds the workers' generators.
  explicit Linux(u64 seed = 1);

  void park(Self&, Atomic<u32>& futex, u32 expected);
  void wake(Self&, Atomic<u32>& futex, u32 sleepers);
  u64 now() const;
  bool start(void (*entry)(void*), void* arg); // a detached thread with signals blocked
  word reserve(usize bytes, usize alignment);
  word reserve_large(usize bytes);
  bool open(word at, usize bytes);
  void release(word at, usize bytes);
  void discard(word at, usize bytes);
  void spare(word at, usize bytes); // what lies there is zero or of no interest: its pages go, but where the program has locked them
  Placed bind(word at, usize bytes, u32 node);
  Placed interleave(word at, usize bytes);
  bool want_huge_pages(word at, usize bytes, bool everywhere = false); // false when the system refuses; everywhere: also where pages go round the nodes
  void want_small_pages(word at, usize bytes); // takes that back; pages that are there stay as they are
  void bring(word at, usize bytes); // of the pages in the range, those that nobody has written to yet, as if somebody did; before Linux 5.14 they come when they are touched
  // Every processor that runs a thread of this process passes a full barrier before this returns. False: the system cannot (seccomp, before Linux 4.14).
  bool order_all();
  u32 nodes() const { return nodes_; }
  static constexpr u32 kPatience = 256;
  void relax(u32 turns) const {
    for (u32 i = 0; i < turns; i++) cpu_relax();
    if (turns >= kPatience) sched_yield(); // whoever is waited for may have no other processor than this one
  }
  u32 current_node() const;
  u32 node_of_worker(u32 worker) const { return working_[worker % working_count_]; } // round the nodes that have processors for us (N25)
  bool pin(Self& self, u32 node);
  u32 distance(u32 from, u32 to) const { return distance_[from][to]; } // as the firmware says it: 10 is here
  void ask_nodes(const word* at, u32 count, u8* nodes) const;           // one call of move_pages that only asks
  u32 interleaved_node(word at) const { return u32(at / kPageBytes % nodes_); } // of a page in an interleaved range, once touched
  u32 processors() const { return processors_; } // that this process might use when it started, by its affinity
  u32 processor() const;                         // of the calling thread
  u32 thread() const;                            // the system's number of the calling thread
  u64 affinity(u32 thread) const;                // a bit for each processor that it may use; 0 where one of them has no bit, or the system refuses
  bool set_affinity(u32 thread, u64 processors);
  u64 seed() const { return seed_; }
  void set_seed(u64 seed) { seed_ = seed; } // before the first Self

 private:
  static constexpr u32 kMaxNodes = 64;
  u64 seed_;
  u32 nodes_ = 1, processors_ = 1;
  bool huge_ = false; // huge pages were asked for
  u32 ordering_ = 0;  // order_all: 0 not asked for yet, 1 registered, 2 refused; by one thread at a time
  u32 system_node_[kMaxNodes] = {}; // dense number -> the kernel's
  u8 dense_node_[1024] = {};        // the kernel's -> dense
  u8 working_[kMaxNodes] = {};      // nodes with processors that this process may use
  u32 working_count_ = 1;
  u8 distance_[kMaxNodes][kMaxNodes] = {};

  void read_nodes(); // more than one node: who has processors, and distances
};

// Bytes: memory that this process may use, the smaller of physical memory and every cgroup limit on the path to the root.
struct MemoryFacts { u64 physical, container, available, cgroup_used; bool known; }; // known: the system's files could be read, as they cannot by who has no descriptor left; container = 0 when there is no limit; cgroup_used without file pages that nobody has looked at for a while
MemoryFacts memory_facts();
// Size of the largest data cache of processor 0, 0 when unknown.
u64 last_cache_bytes();
// Address space this process may still map, ~0 when unlimited.
u64 address_space_left();

static_assert(Machine<Linux> && TellsProcessors<Linux>);

} // namespace garner
