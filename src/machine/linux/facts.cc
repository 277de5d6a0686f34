// What this machine and its container allow: memory limits on the path of control groups, caches, address space.
//
// Reads /proc and /sys with plain system calls; a file that is missing or unreadable means "no limit known", but for want of a descriptor nothing is known.
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "machine/linux/linux.h"

namespace garner {
namespace {

struct Text {
  char bytes[4096];
  usize used = 0;
  // short_of: set where the file may well be there, and it is descriptors or memory that are not.
  bool read(const char* path, bool* short_of = nullptr) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && short_of != nullptr && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) *short_of = true;
    if (fd < 0) return false;
    used = 0;
    for (ssize_t n; used < sizeof bytes - 1 && (n = ::read(fd, bytes + used, sizeof bytes - 1 - used)) > 0;) used += usize(n);
    close(fd);
    bytes[used] = 0;
    return used > 0;
  }
};

u64 digits_at(const char* p) {
  u64 value = 0;
  for (; *p >= '0' && *p <= '9'; p++) value = value > (~0ull - 9) / 10 ? ~0ull : value * 10 + u64(*p - '0');
  return value;
}

bool number_in(const char* path, u64& out, bool* short_of) {
  Text text;
  if (!text.read(path, short_of) || text.bytes[0] < '0' || text.bytes[0] > '9') return false; // "max" is no limit
  out = digits_at(text.bytes);
  return true;
}

// Bytes of the line "Key:   123 kB" of /proc/meminfo.
u64 meminfo(const char* text, const char* key) {
  const char* at = strstr(text, key);
  if (at == nullptr) return 0;
  at += strlen(key);
  while (*at == ' ' || *at == ':') at++;
  return digits_at(at) * KiB;
}

struct Path {
  char bytes[2048];
  usize used = 0;
  bool add(const char* s, usize n) {
    if (used + n >= sizeof bytes) return false;
    memcpy(bytes + used, s, n);
    used += n;
    bytes[used] = 0;
    return true;
  }
  bool add(const char* s) { return add(s, strlen(s)); }
};

// Bytes of the line "key 123" of a group's memory.stat; 0 where there is none.
u64 statistic_in(const char* path, const char* key, bool* short_of) {
  Text text;
  if (!text.read(path, short_of)) return 0;
  const usize n = strlen(key);
  const char* at = strstr(text.bytes, key);
  while (at != nullptr && ((at != text.bytes && at[-1] != '\n') || at[n] != ' ')) at = strstr(at + n, key); // a part of another key
  return at == nullptr ? 0 : digits_at(at + n + 1);
}

struct GroupFiles {
  const char *limit, *use, *cache; // cache: the key in memory.stat of file pages that the system drops first
};
constexpr GroupFiles kSecond = {"memory.max", "memory.current", "inactive_file"};
constexpr GroupFiles kFirst = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

// The smallest limit, and what the group with it uses without such a cache, walking from the own group up to the mount.
void walk_up(const char* mount, const char* group, usize group_bytes, const GroupFiles& files, u64& limit, u64& used, bool* short_of) {
  for (usize n = group_bytes;; ) {
    Path path;
    u64 value;
    bool fits = path.add(mount) && path.add(group, n == 1 ? 0 : n) && path.add("/");
    usize stem = path.used;
    if (fits && path.add(files.limit) && number_in(path.bytes, value, short_of) && value < (1ull << 60) && (limit == 0 || value < limit)) {
      limit = value;
      path.used = stem;
      if (path.add(files.use) && number_in(path.bytes, value, short_of)) used = value;
      path.used = stem;
      if (path.add("memory.stat")) used -= min_of(used, statistic_in(path.bytes, files.cache, short_of));
    }
    if (n <= 1) break;
    while (n > 1 && group[n - 1] != '/') n--;
    if (n > 1) n--;
  }
}

} // namespace

MemoryFacts memory_facts() {
  MemoryFacts facts{};
  Text text;
  bool short_of = false;
  const bool read = text.read("/proc/meminfo", &short_of);
  if (read) {
    facts.physical = meminfo(text.bytes, "MemTotal");
    facts.available = meminfo(text.bytes, "MemAvailable");
  }
  if (facts.physical == 0) facts.physical = u64(sysconf(_SC_PHYS_PAGES)) * kPageBytes;
  if (text.read("/proc/self/cgroup", &short_of)) {
    for (const char* line = text.bytes; *line != 0;) {
      const char* end = strchr(line, '\n');
      if (end == nullptr) end = line + strlen(line);
      const char* first = strchr(line, ':');
      const char* second = first == nullptr ? nullptr : strchr(first + 1, ':');
      if (second != nullptr && second < end) {
        usize controllers = usize(second - first - 1);
        const char* group = second + 1;
        usize group_bytes = usize(end - group);
        if (controllers == 0) {
          walk_up("/sys/fs/cgroup", group, group_bytes, kSecond, facts.container, facts.cgroup_used, &short_of);
          walk_up("/sys/fs/cgroup/unified", group, group_bytes, kSecond, facts.container, facts.cgroup_used, &short_of);
        } else if (controllers == 6 && memcmp(first + 1, "memory", 6) == 0) {
          walk_up("/sys/fs/cgroup/memory", group, group_bytes, kFirst, facts.container, facts.cgroup_used, &short_of);
        }
      }
      line = *end == 0 ? end : end + 1;
    }
  }
  if (facts.container >= facts.physical) facts.container = 0;
  facts.known = read && !short_of;
  return facts;
}

u64 last_cache_bytes() {
  u64 largest = 0;
  for (int i = 0; i < 8; i++) {
    Path path;
    char index[2] = {char('0' + i), 0};
    if (!path.add("/sys/devices/system/cpu/cpu0/cache/index") || !path.add(index) || !path.add("/size")) break;
    Text text;
    if (!text.read(path.bytes)) break;
    u64 value = 0;
    const char* p = text.bytes;
    while (*p >= '0' && *p <= '9') value = value * 10 + u64(*p++ - '0');
    value *= *p == 'K' ? KiB : *p == 'M' ? MiB : 1;
    largest = max_of(largest, value);
  }
  return largest;
}

u64 address_space_left() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return ~0ull;
  Text text;
  u64 pages = 0;
  if (text.read("/proc/self/statm"))
    for (const char* p = text.bytes; *p >= '0' && *p <= '9'; p++) pages = pages * 10 + u64(*p - '0');
  u64 used = pages * kPageBytes;
  return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

} // namespace garner
