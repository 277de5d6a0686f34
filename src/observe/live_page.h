// The live page: what a collector shows to whoever looks at its process, and how it is read. Shared by the writer (live.h) and `garner top`.
//
// A page of memory without a file (memfd) named kLiveName, found as a link in /proc/PID/fd. It holds figures only, no contents of the program.
// All of it is 64-bit numbers and text; times are nanoseconds of CLOCK_MONOTONIC, sizes are bytes. A change of meaning or place raises kLiveVersion;
// `magic` and `version` stay where they are in every version, so a reader can always tell which it has.
//
// One writer, any number of readers, who never make it wait: `sequence` is odd while the page changes, and each word of what it guards is written
// and read as one atomic word. The writer's side of the orders is at Live::publish, the reader's at read_live below.
//
// A reader trusts nothing in here: the page belongs to another process, which may be hostile. Numbers of rows are the constants below, not fields.
#pragma once
#include <cerrno>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include "base/words.h"
#include "event/event.h"

namespace garner {

inline constexpr const char* kLiveName = "garner-live";
inline constexpr u64 kLiveMagic = 0x6576696c2d6e7267; // "grn-live"
inline constexpr u32 kLiveVersion = 1;
inline constexpr u32 kLiveCycles = 256, kLiveWorkers = 64, kLiveCauses = 16;

// Written once, when the heap is ready.
struct LiveStart {
  u64 pid; // as the process itself sees it: in a container another than outside
  u64 start_ns, reserved, region_bytes, workers, nodes;
  char door[16], preset[32];
};

// As of the last collection, and sums over all of them. total: pauses; stops are part of them.
struct LiveNow {
  u64 collections, kinds[3], causes[kLiveCauses];
  u64 total_pause_ns, longest_pause_ns, total_stop_ns;
  u64 compacted, promotion_failed;
  u64 limit, committed, eden_next, allocated;
  u64 taken[kHeapParts], holes[kHeapParts];
};

// One of the last collections. `what`: kind, cause << 8, compacted << 16, promotion_failed << 17.
struct LiveCycle {
  u64 index, start_ns, pause_ns, stop_ns, what, heap_before, heap_after, copied;
};

// Objects and bytes that were copied, young or promoted, by a young collection, or marked by a full one. ns: in phases that trace, idle_ns of it without work.
struct LiveWork {
  u64 objects, bytes, promoted, steals, idle_ns, ns;
};
// `cycle`: the last collection that it took part in; `last` is what it did there.
struct LiveWorker {
  u64 node, cycle, cycles;
  LiveWork last, all;
  u64 unused;
};

struct LivePage {
  u64 magic;
  u32 version, bytes;
  u64 sequence;      // see above; never 0 once there is something to read
  u64 out_of_memory; // outside the sequence: counted by any thread, at any time
  LiveStart start;
  LiveNow now;
  LiveCycle cycles[kLiveCycles]; // collection n stands in cycles[(n - 1) % kLiveCycles]
  LiveWorker workers[kLiveWorkers];
};
static_assert(sizeof(LiveCycle) == kLineBytes && sizeof(LiveWorker) == 2 * kLineBytes);
static_assert(sizeof(LivePage) <= 7 * kPageBytes && sizeof(LivePage) % sizeof(u64) == 0);

enum class LiveRead : u8 {
  whole,   // one moment of a page of this version
  none,    // not a page, or not one yet
  version, // a page of another version: only magic and version are filled
  busy,    // the writer never was outside a change: it was stopped in the middle, or plays games
};

namespace live_detail {
// Not a mapping: a page that shrinks under its reader is a short read here, there a SIGBUS.
inline bool read_at(int fd, void* into, usize bytes, usize at) {
  for (usize got = 0; got < bytes;) {
    ssize_t n = pread(fd, static_cast<char*>(into) + got, bytes - got, off_t(at + got));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    got += usize(n);
  }
  return true;
}
inline u64 sequence_of(int fd) {
  u64 value = 1; // odd: cannot be read
  read_at(fd, &value, sizeof value, offsetof(LivePage, sequence));
  return value;
}
} // namespace live_detail

// Copies the page out at a moment when it does not change; waits for that, a fifth of a second at most. `page` holds no torn figures afterwards: where
// the answer is not `whole`, what it holds is nothing.
inline LiveRead read_live(int fd, LivePage& page) {
  constexpr u32 kTries = 300, kEager = 100; // eager ones only give the processor away
  for (u32 i = 0; i < kTries; i++) {
    if (i > kEager) poll(nullptr, 0, 1);
    else if (i > 0) sched_yield();
    page = LivePage{};
    if (!live_detail::read_at(fd, &page, offsetof(LivePage, sequence), 0) || page.magic != kLiveMagic) return LiveRead::none;
    if (page.version != kLiveVersion || page.bytes != sizeof(LivePage)) return page.version != kLiveVersion ? LiveRead::version : LiveRead::none;
    u64 before = live_detail::sequence_of(fd);
    if ((before & 1) != 0) continue;
    // Acquire, pairs with the release store of the even sequence: what is read now is at least as new as that.
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (!live_detail::read_at(fd, &page, sizeof page, 0)) return LiveRead::none;
    // Acquire, pairs with the release fence behind the odd sequence: had a word of a later change been read, that sequence or a later one would be
    // seen below. The copying is the kernel's; on x86-64 loads are not reordered with each other, there as here.
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (live_detail::sequence_of(fd) == before && page.magic == kLiveMagic && page.version == kLiveVersion) return LiveRead::whole;
  }
  page = LivePage{};
  return LiveRead::busy;
}

} // namespace garner
