// Nodes of the real machine: which have processors for us, how far apart they are, where a thread runs, where a page lies.
//
// Read from /sys/devices/system/node once, at start, when there is more than one node. What cannot be read has a plain answer: every node has
// processors, and all others are equally far. Inside a container the files are the host's; processors are cut to what we may use.
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/linux/linux.h"

namespace garner {
namespace {

constexpr u8 kHere = 10, kElsewhere = 20; // of the firmware's table, where nothing better is known

// A file of one node, as text; empty when there is none.
struct NodeFile {
  char text[4096];
  NodeFile(u32 node, const char* name) {
    char path[96] = "/sys/devices/system/node/node", digits[16];
    usize n = strlen(path), d = 0;
    do digits[d++] = char('0' + node % 10);
    while (node /= 10);
    while (d > 0) path[n++] = digits[--d];
    memcpy(path + n, name, strlen(name) + 1);
    open_and_read(path);
  }
  explicit NodeFile(const char* path) { open_and_read(path); }

 private:
  void open_and_read(const char* path) {
    text[0] = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t got = ::read(fd, text, sizeof text - 1);
    close(fd);
    text[got < 0 ? 0 : got] = 0;
  }
};

bool digit(char c) { return c >= '0' && c <= '9'; }
u32 number_at(const char*& p) {
  u32 v = 0;
  while (digit(*p)) v = v * 10 + u32(*p++ - '0');
  return v;
}

// Calls fn(number) for every number of a list like "0-5,12".
template <class F> void each_in_list(const char* p, F fn) {
  while (digit(*p)) {
    u32 low = number_at(p), high = low;
    if (*p == '-') p++, high = number_at(p);
    for (u32 i = low; i <= high; i++) fn(i);
    if (*p == ',') p++;
  }
}

// The processors of a node that this thread may use. False when there are none or nobody says.
bool processors_of(u32 system_node, cpu_set_t& wanted) {
  cpu_set_t allowed;
  CPU_ZERO(&wanted);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  each_in_list(NodeFile(system_node, "/cpulist").text, [&](u32 c) {
    if (c < CPU_SETSIZE && CPU_ISSET(c, &allowed)) CPU_SET(c, &wanted);
  });
  return CPU_COUNT(&wanted) > 0;
}

} // namespace

void Linux::read_nodes() {
  working_count_ = 0;
  for (u32 n = 0; n < nodes_; n++) {
    cpu_set_t processors;
    if (processors_of(system_node_[n], processors)) working_[working_count_++] = u8(n);
  }
  if (working_count_ == 0)
    for (u32 n = 0; n < nodes_; n++) working_[working_count_++] = u8(n);
  // Row n of the table has one number for each node that is online, in the order of their numbers.
  NodeFile online("/sys/devices/system/node/online");
  for (u32 from = 0; from < nodes_; from++) {
    for (u32 to = 0; to < nodes_; to++) distance_[from][to] = from == to ? kHere : kElsewhere;
    NodeFile row(system_node_[from], "/distance");
    const char* p = row.text;
    each_in_list(online.text, [&](u32 node) {
      while (*p == ' ') p++;
      if (!digit(*p)) return;
      u32 far = number_at(p);
      for (u32 to = 0; to < nodes_; to++)
        if (system_node_[to] == node) distance_[from][to] = u8(min_of(far, 255u));
    });
  }
}

u32 Linux::current_node() const {
  if (nodes_ == 1) return 0;
  unsigned cpu = 0, node = 0;
  if (syscall(SYS_getcpu, &cpu, &node, nullptr) != 0 || node >= 1024) return 0;
  return dense_node_[node];
}

bool Linux::pin(Self& self, u32 node) {
  cpu_set_t wanted;
  self.node = node % nodes_;
  return processors_of(system_node_[node % nodes_], wanted) && sched_setaffinity(0, sizeof wanted, &wanted) == 0;
}

u32 Linux::processor() const {
  const int cpu = sched_getcpu(); // without a call to the system where the library has registered a restartable sequence
  return cpu >= 0 ? u32(cpu) : ~u32(0);
}

u32 Linux::thread() const { return u32(syscall(SYS_gettid)); }

u64 Linux::affinity(u32 thread) const {
  cpu_set_t allowed;
  if (sched_getaffinity(pid_t(thread), sizeof allowed, &allowed) != 0) return 0;
  u64 processors = 0;
  for (u32 i = 0; i < 64; i++)
    if (CPU_ISSET(i, &allowed)) processors |= u64(1) << i;
  return __builtin_popcountll(processors) == CPU_COUNT(&allowed) ? processors : 0;
}

bool Linux::set_affinity(u32 thread, u64 processors) {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  for (u64 left = processors; left != 0; left &= left - 1) CPU_SET(__builtin_ctzll(left), &wanted);
  return sched_setaffinity(pid_t(thread), sizeof wanted, &wanted) == 0;
}

// kNoNode for a page that is not there, on a node that is not ours, or when the system refuses (seccomp): nobody says, the caller guesses.
void Linux::ask_nodes(const word* at, u32 count, u8* nodes) const {
  constexpr u32 kAtOnce = 128;
  for (u32 first = 0; first < count; first += kAtOnce) {
    u32 n = min_of(count - first, kAtOnce);
    int status[kAtOnce];
    void* pages[kAtOnce];
    for (u32 i = 0; i < n; i++) pages[i] = reinterpret_cast<void*>(align_down(at[first + i], kPageBytes));
    bool good = syscall(SYS_move_pages, 0, long(n), pages, nullptr, status, 0) == 0;
    for (u32 i = 0; i < n; i++) nodes[first + i] = good && status[i] >= 0 && status[i] < 1024 ? dense_node_[status[i]] : u8(kNoNode);
  }
}

} // namespace garner
