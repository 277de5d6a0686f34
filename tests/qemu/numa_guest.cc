// The real collector on the real Linux of an eight-node guest (tests/qemu/placement.sh boots it): what the options of placement promise
// is what the kernel did, page by page (move_pages, /proc/self/numa_maps). N18, N19, N20, N23, N25. Function, not speed: the guest is emulated.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>

#include "collect/small_heap.h"

namespace garner::test {
namespace {

constexpr u32 kNodes = 8;

// The node of a page that has been touched, else a negative number.
int node_of(word at) {
  void* page = reinterpret_cast<void*>(align_down(at, kPageBytes));
  int status = -1;
  return syscall(SYS_move_pages, 0, 1ul, &page, nullptr, &status, 0) == 0 ? status : -1;
}

// A pinned thread may be pinned anew only to what it is allowed; each test begins with everything.
void allow_all() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (u32 cpu = 0; cpu < kNodes; cpu++) CPU_SET(cpu, &all);
  sched_setaffinity(0, sizeof all, &all);
}

struct Pages {
  std::array<u64, kNodes> by_node{};
  u64 wrong = 0, all = 0; // wrong: elsewhere than the heap says
  std::string first;      // of the wrong ones
};
Pages pages_of(SmallHeap& heap, Role role) {
  Pages pages;
  heap.close_buffers();
  heap.heap().each_region([&](u32 index, auto& r) {
    if (r.role != role) return;
    for (word at = heap.heap().begin_of(index); at < r.top.load_relaxed(); at += kPageBytes) {
      const int node = node_of(at);
      if (node < 0 || node >= int(kNodes)) continue;
      const u8 said = heap.heap().node_at(at);
      pages.by_node[u32(node)]++;
      pages.all++;
      if (said == kHomeFirstTouch || said == node) continue;
      if (pages.wrong++ == 0)
        pages.first = "region " + std::to_string(index) + ", page " + std::to_string((at - heap.heap().begin_of(index)) / kPageBytes) + ", home " +
                      std::to_string(heap.heap().home(index)) + ": said to be on " + std::to_string(said) + ", lies on " + std::to_string(node);
    }
  });
  return pages;
}

// Lines of /proc/self/numa_maps whose mapping begins inside the heap and whose policy begins so.
u64 maps_with(SmallHeap& heap, const std::string& policy) {
  std::ifstream maps("/proc/self/numa_maps");
  u64 n = 0;
  for (std::string line; std::getline(maps, line);) {
    const word at = strtoull(line.c_str(), nullptr, 16);
    n += at >= heap.heap().base() && at < heap.heap().end() && line.find(" " + policy) != std::string::npos;
  }
  return n;
}

// A wide tree, so that there is something to steal; its leaves die every second time.
void grow(SmallHeap& heap, u32 roots, u32 children) {
  for (u32 i = 0; i < roots; i++) {
    const usize cell = heap.root(heap.array(children));
    for (u32 k = 0; k < children; k++) {
      Ref leaf = heap.leaf(64 + k % 4 * 32);
      if (k % 2 == 0) heap.set(heap.at(cell), k, leaf);
    }
  }
}

u64 lost_leaves(SmallHeap& heap, u32 roots, u32 children) {
  u64 lost = 0;
  for (u32 i = 0; i < roots; i++)
    for (u32 k = 0; k < children; k += 2) {
      Ref leaf = SmallHeap::get(heap.at(i), k);
      lost += leaf.at == 0 || !synthetic::intact(leaf);
    }
  return lost;
}

TEST(EightNodes, N25TheMachineSeesThemAndPins) {
  Linux machine;
  ASSERT_EQ(machine.nodes(), kNodes);
  Linux::Self self(machine, 0);
  for (u32 node = 0; node < kNodes; node++) { // N25
    allow_all();
    EXPECT_TRUE(machine.pin(self, node));
    EXPECT_EQ(machine.current_node(), node);
    unsigned cpu = 0, where = 99;
    syscall(SYS_getcpu, &cpu, &where, nullptr);
    EXPECT_EQ(where, node);
    EXPECT_EQ(machine.node_of_worker(node), node);
  }
  allow_all();
}

// N25: what the kernel lets each collector thread run on. Threads are made in the order of workers, and so are their numbers.
TEST(EightNodes, N25EachWorkerMayRunOnItsNodeOnly) {
  const auto tasks = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); };
  for (const char* pin : {"rr", "none"}) {
    allow_all();
    while (tasks() > 1) sched_yield(); // a heap's threads end a little after it
    SmallHeap heap("workers=12,woken_per=0,join=fixed,conductor=waits,pin=" + std::string(pin));
    grow(heap, 8, 10);
    heap.young();
    std::map<u32, std::string> allowed; // by the thread's number
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream status(task.path() / "status");
      for (std::string line; std::getline(status, line);)
        if (line.rfind("Cpus_allowed_list:\t", 0) == 0) allowed[u32(std::stoul(task.path().filename()))] = line.substr(19);
    }
    allowed.erase(allowed.begin()); // the program's thread
    ASSERT_EQ(allowed.size(), 12u);
    u32 worker = 0;
    for (const auto& [thread, list] : allowed) { // node n has processor n
      EXPECT_EQ(list, pin[0] == 'n' ? "0-7" : std::to_string(worker % kNodes)) << "worker " << worker;
      worker++;
    }
  }
}

TEST(EightNodes, N19InterleavedPagesGoRoundTheNodes) {
  SmallHeap heap("space_eden=interleaved,space_survivor=interleaved,space_old=interleaved,workers=8,woken_per=0,join=fixed");
  grow(heap, 100, 60);
  Pages eden = pages_of(heap, Role::eden);
  EXPECT_GT(eden.all, 80u);
  EXPECT_EQ(eden.wrong, 0u);
  for (u64 n : eden.by_node) EXPECT_LE(max_of(n, eden.by_node[0]) - min_of(n, eden.by_node[0]), 16u);
  for (u32 i = 0; i < 3; i++) heap.young();
  EXPECT_EQ(lost_leaves(heap, 100, 60), 0u);
  EXPECT_EQ(pages_of(heap, Role::survivor).wrong + pages_of(heap, Role::old).wrong, 0u);
  EXPECT_GT(maps_with(heap, "interleave:0-7"), 0u);
}

TEST(EightNodes, N20FragmentsAreOfTheirNode) {
  SmallHeap heap("space_eden=fragmented,space_survivor=fragmented,space_old=interleaved,workers=8,woken_per=0,join=fixed");
  auto& eden = heap.host.cycle->spaces().eden;
  for (u32 node = 0; node < kNodes; node++) {
    Range range = eden.take(8192, 16384, node);
    ASSERT_NE(range.begin, 0u);
    heap.heap().fill(range.begin, range.bytes());
    for (word at = range.begin; at < range.end; at += kPageBytes) *reinterpret_cast<volatile u8*>(at + 64) = 1;
    EXPECT_EQ(node_of(range.begin), int(node)) << "whoever touched it";
    heap.heap().fill(range.begin, range.bytes());
  }
  EXPECT_GE(maps_with(heap, "prefer:"), u64(kNodes));
  grow(heap, 100, 60);
  EXPECT_EQ(pages_of(heap, Role::eden).wrong, 0u);
  heap.young();
  Pages survivors = pages_of(heap, Role::survivor);
  EXPECT_GT(survivors.all, 0u);
  EXPECT_EQ(survivors.wrong, 0u);
  EXPECT_EQ(lost_leaves(heap, 100, 60), 0u);
}

TEST(EightNodes, N18FirstTouchIsTheTouchersNode) {
  Linux machine;
  Linux::Self self(machine, 0);
  allow_all();
  ASSERT_TRUE(machine.pin(self, 5));
  SmallHeap heap("space_eden=firsttouch,space_survivor=firsttouch,space_old=firsttouch");
  grow(heap, 40, 60);
  Pages eden = pages_of(heap, Role::eden);
  EXPECT_GT(eden.all, 40u);
  EXPECT_EQ(eden.by_node[5], eden.all);
  allow_all();
}

// N9: pinned workers of all nodes take from each other, and say how often from another node.
TEST(EightNodes, N9StealsAreCounted) {
  allow_all();
  SmallHeap heap("space_eden=interleaved,space_survivor=interleaved,workers=8,woken_per=0,join=fixed,pin=rr,queue_capacity=64");
  u64 steals = 0, remote = 0, attempts = 0;
  for (u32 round = 0; round < 20 && remote == 0; round++) {
    heap.drop_roots();
    grow(heap, 30, 200);
    heap.young();
    auto& gang = heap.host.cycle->gang();
    for (u32 i = 0; i < gang.workers(); i++) {
      steals += gang.stats(i).steals;
      remote += gang.stats(i).steals_remote;
      attempts += gang.stats(i).steal_attempts;
    }
    EXPECT_EQ(gang.workers(), 8u);
    for (u32 i = 0; i < gang.workers(); i++) EXPECT_EQ(gang.node(i), i % kNodes);
  }
  EXPECT_GE(attempts, steals);
  EXPECT_GT(remote, 0u);
  EXPECT_GE(steals, remote);
  EXPECT_EQ(lost_leaves(heap, 30, 200), 0u);
}

// N27, T15: what a log is told by node is where the kernel has the pages, and adds up to what was copied.
struct Told {
  std::array<u64, kNodes> eden{};
  u64 read = 0, written = 0, written_far = 0, below_roots = 0, spans = 0, distances = 0, stolen = 0, thefts = 0;
  static void receive(void* self, EventId id, const void* payload) {
    Told& told = *static_cast<Told*>(self);
    if (id == EventId::node_distances) told.distances++;
    if (id == EventId::spans) told.spans++;
    if (id == EventId::worker_phase) told.stolen += static_cast<const WorkerPhase*>(payload)->stats->steals;
    if (id == EventId::node_bytes)
      if (const auto& held = *static_cast<const NodeBytes*>(payload); held.space == SpaceKind::eden)
        for (u32 n = 0; n < kNodes; n++) told.eden[n] = held.bytes[n];
    if (id == EventId::node_uses) {
      const auto& row = *static_cast<const NodeUses*>(payload);
      for (u32 n = 0; n < kNodes; n++) {
        if (row.space == SpaceKind::eden) told.read += row.bytes[n];
        if (row.space == SpaceKind::to) told.written += row.bytes[n], told.written_far += n == row.node ? 0 : row.bytes[n];
      }
    }
    if (id == EventId::steals)
      for (u32 n = 0; n < kNodes; n++) told.thefts += static_cast<const Steals*>(payload)->from[n];
    if (id == EventId::locality)
      for (u32 n = 0; n < kNodes; n++) told.below_roots += static_cast<const NodeLocality*>(payload)->objects[n];
  }
};
TEST(EightNodes, N27WhatALogIsToldByNodeIsTheKernels) {
  for (const char* policy : {"fragmented", "interleaved", "firsttouch"}) {
    allow_all();
    SmallHeap heap("space_eden=" + std::string(policy) + ",space_survivor=fragmented,space_old=interleaved,workers=8,woken_per=0,join=fixed,conductor=waits,pin=rr,tenure=fixed");
    Told told;
    ASSERT_TRUE(heap.host.cycle->emitter().add({&Told::receive, &told, Detail::roots}));
    grow(heap, 100, 60);
    const Pages pages = pages_of(heap, Role::eden);
    heap.young();
    for (u32 n = 0; n < kNodes; n++) EXPECT_NEAR(double(told.eden[n]), double(pages.by_node[n] * kPageBytes), 16.0 * kPageBytes) << policy << ", node " << n; // ends of regions
    EXPECT_EQ(told.distances, kNodes);
    EXPECT_EQ(told.read, heap.last().copied) << policy;
    EXPECT_EQ(told.written, heap.last().copied) << policy;
    EXPECT_EQ(told.written_far, 0u) << policy << ": copies go to the copier's node";
    EXPECT_EQ(told.below_roots, 100u * 31) << policy;
    EXPECT_GE(told.spans, 8u);
    EXPECT_EQ(told.thefts, told.stolen) << policy;
    EXPECT_EQ(lost_leaves(heap, 100, 60), 0u);
  }
  allow_all();
}

// Every policy that the options know (in the guest transparent huge pages are on for everybody, as on many systems): the graph survives young and full collections, and pages lie where the heap says.
class Policies : public ::testing::TestWithParam<const char*> {};
TEST_P(Policies, NothingIsLostAndPagesLieWhereTheHeapSays) {
  Settings settings;
  allow_all();
  ASSERT_TRUE(settings.parse(GetParam())) << settings.error();
  SmallHeap heap(std::string(GetParam()) + ",workers=8,woken_per=0");
  grow(heap, 60, 100);
  for (u32 i = 0; i < 3; i++) heap.young();
  heap.full();
  grow(heap, 20, 100);
  heap.young();
  EXPECT_EQ(lost_leaves(heap, 60, 100), 0u);
  for (Role role : {Role::eden, Role::survivor, Role::old}) {
    Pages pages = pages_of(heap, role);
    EXPECT_EQ(pages.wrong, 0u) << name_of(role) << ": " << pages.first << "; pages by node " << ::testing::PrintToString(pages.by_node);
  }
}
INSTANTIATE_TEST_SUITE_P(All, Policies, ::testing::Values("preset=ps", "preset=interleaved", "preset=naps", "preset=fragmented", "preset=ps_fragopt",
                                                          "space_eden=fragmented_hotspot", "preset=segregated", "preset=org",
                                                          "preset=aggressive", "preset=hybrid", "preset=relaxed"),
                         [](const auto& one) {
                           std::string name = one.param;
                           for (char& c : name)
                             if (c == '=') c = '_';
                           return name;
                         });

// As in a container whose filter refuses mbind: one line, and the program goes on. Also where nobody asked for a policy: the machine has nodes, and the default is to place.
class Refused : public ::testing::TestWithParam<const char*> {};
TEST_P(Refused, APolicyIsOneLine) {
  int out[2];
  ASSERT_EQ(pipe(out), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    dup2(out[1], 2);
    sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mbind, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    sock_fprog program{sizeof code / sizeof code[0], code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(3);
    u64 lost = 1;
    {
      SmallHeap heap(std::string(GetParam()) + "workers=4,notices=on");
      grow(heap, 40, 60);
      for (u32 i = 0; i < 3; i++) heap.young();
      heap.full();
      lost = lost_leaves(heap, 40, 60);
    }
    _exit(lost == 0 ? 0 : 4);
  }
  close(out[1]);
  std::string text;
  char bytes[512];
  for (ssize_t n; (n = read(out[0], bytes, sizeof bytes)) > 0;) text.append(bytes, usize(n));
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(text, "garner: the system refuses memory policies here (mbind); pages are placed where they are first touched\n");
}

INSTANTIATE_TEST_SUITE_P(AskedAndNot, Refused, ::testing::Values("space_eden=interleaved,space_survivor=fragmented,space_old=interleaved,", ""));

} // namespace
} // namespace garner::test
