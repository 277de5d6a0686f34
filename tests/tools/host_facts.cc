// Control groups, nodes and pages, read from made-up /proc and /sys trees.
#include <gtest/gtest.h>

#include <fstream>

#include "host/dotnet/known_settings.h"
#include "host_facts.h"
#include "paths.h"

namespace garner::tool {
namespace {

class HostFacts : public testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) {
    fs::path at = below(root(), path);
    fs::create_directories(at.parent_path());
    std::ofstream(at) << text;
  }
  const fs::path& root() const { return temporary_.path(); }
  void v2(const std::string& group, const std::string& mount_root = "/") {
    file("/proc/self/cgroup", "0::" + group + "\n");
    file("/proc/self/mountinfo", "30 23 0:26 " + mount_root + " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  TempDirectory temporary_;
};

TEST_F(HostFacts, NothingKnown) {
  CgroupFacts facts = read_cgroups(root());
  EXPECT_EQ(facts.version, "none");
  EXPECT_FALSE(facts.memory);
  EXPECT_FALSE(facts.cpus);
  EXPECT_TRUE(read_nodes(root()).empty());
}

TEST_F(HostFacts, Version2TakesTheSmallestOnTheWayToTheRoot) {
  v2("/a/b/c");
  file("/sys/fs/cgroup/a/b/c/memory.max", "max\n");
  file("/sys/fs/cgroup/a/b/memory.max", "536870912\n");
  file("/sys/fs/cgroup/a/memory.max", "1073741824\n");
  file("/sys/fs/cgroup/a/b/c/memory.high", "400000000\n");
  file("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  file("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  CgroupFacts facts = read_cgroups(root());
  EXPECT_EQ(facts.version, "v2");
  ASSERT_TRUE(facts.memory && facts.memory_high && facts.cpus);
  EXPECT_EQ(facts.memory->value, 536870912u);
  EXPECT_TRUE(facts.memory->file.ends_with("/a/b/memory.max")) << facts.memory->file;
  EXPECT_EQ(facts.memory_high->value, 400000000u);
  EXPECT_DOUBLE_EQ(facts.cpus->value, 1.5);
}

TEST_F(HostFacts, AContainerSeesItsGroupAsTheRootOfTheMount) {
  v2("/docker/0123/inner", "/docker/0123");
  file("/sys/fs/cgroup/memory.max", "300000000\n");
  file("/sys/fs/cgroup/inner/memory.max", "max\n");
  EXPECT_EQ(read_cgroups(root()).memory->value, 300000000u);
}

TEST_F(HostFacts, AGroupOutsideOfTheMountReadsTheMount) {
  v2("/../../elsewhere");
  file("/sys/fs/cgroup/memory.max", "200000000\n");
  file("/sys/elsewhere/memory.max", "1\n");
  ASSERT_TRUE(read_cgroups(root()).memory);
  EXPECT_EQ(read_cgroups(root()).memory->value, 200000000u);
}

TEST_F(HostFacts, Version1) {
  file("/proc/self/cgroup", "5:memory:/box\n4:cpu,cpuacct:/box\n1:name=systemd:/x\n");
  file("/proc/self/mountinfo",
       "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
       "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:3 - cgroup cgroup rw,memory\n");
  file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  file("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "134217728\n");
  file("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "50000\n");
  file("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
  file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  CgroupFacts facts = read_cgroups(root());
  EXPECT_EQ(facts.version, "v1");
  ASSERT_TRUE(facts.memory && facts.cpus);
  EXPECT_EQ(facts.memory->value, 134217728u);
  EXPECT_DOUBLE_EQ(facts.cpus->value, 0.5);
}

TEST_F(HostFacts, Nodes) {
  for (int id : {10, 0, 33}) {
    std::string at = "/sys/devices/system/node/node" + std::to_string(id);
    file(at + "/cpulist", id == 33 ? "\n" : "0-3,8\n");
    file(at + "/meminfo", "Node " + std::to_string(id) + " MemTotal:       2048 kB\nNode 0 MemFree: 1 kB\n");
  }
  file("/sys/devices/system/node/online", "0,10,33\n");
  std::vector<NodeFacts> nodes = read_nodes(root());
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[1].id, 10);
  EXPECT_EQ(nodes[0].cpus, "0-3,8");
  EXPECT_EQ(nodes[2].cpus, "");
  EXPECT_EQ(nodes[0].memory_bytes, 2048u * 1024);
}

TEST_F(HostFacts, WhereFiguresAreFrom) {
  EXPECT_EQ(processor_name(below(root(), "/proc/cpuinfo")), "") << "nothing there";
  file("/proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 7763 64-Core Processor \nprocessor\t: 1\nmodel name\t: another\n");
  file("/proc/meminfo", "MemTotal:       25165824 kB\n");
  EXPECT_EQ(processor_name(below(root(), "/proc/cpuinfo")), "AMD EPYC 7763 64-Core Processor");
  EXPECT_NE(machine_text(root()).find(" cores (AMD EPYC 7763 64-Core Processor), 24 GB, Linux "), std::string::npos) << machine_text(root());
  file("/proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 50\nmodel name\n");
  EXPECT_EQ(processor_name(below(root(), "/proc/cpuinfo")), "") << "as on ARM";
}

TEST(KnownSettings, HowMuchMemoryMayBeUsedBeforeTheMachineIsShortOfIt) {
  EXPECT_EQ(dotnet::high_memory_percent(16 * GiB, 64), 90u);
  EXPECT_EQ(dotnet::high_memory_percent(512 * GiB, 64), 97u);
  EXPECT_EQ(dotnet::high_memory_percent(512 * GiB, 8), 92u);
  EXPECT_EQ(dotnet::high_memory_percent(512 * GiB, 2), 90u);
  EXPECT_EQ(dotnet::high_memory_percent(512 * GiB, 0), 90u) << "nobody knows how many";
}

TEST_F(HostFacts, TheChosenWord) {
  EXPECT_EQ(chosen_word("always [madvise] never"), "madvise");
  EXPECT_EQ(chosen_word(""), "");
  EXPECT_EQ(chosen_word("]["), "");
}

} // namespace
} // namespace garner::tool
