// What import reads: made-up sysfs trees, lscpu's JSON, hwloc's XML; and that a draft of each is a right machine file.
#include <gtest/gtest.h>

#include <fstream>

#include "errors.h"
#include "machine_draft.h"
#include "machine_file.h"
#include "paths.h"

namespace garner::tool {
namespace {

class MachineFactsTest : public testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) {
    const fs::path at = root() / path;
    fs::create_directories(at.parent_path());
    std::ofstream(at) << text << "\n";
  }
  // `nodes` nodes of `cores` cores with two threads each; the second threads are numbered after all first ones. Two packages.
  void box(u32 nodes, u32 cores) {
    const u32 all = nodes * cores;
    for (u32 n = 0; n < nodes; n++) {
      const std::string node = "sys/devices/system/node/node" + std::to_string(n);
      file(node + "/cpulist", std::to_string(n * cores) + "-" + std::to_string((n + 1) * cores - 1) + "," + std::to_string(all + n * cores) + "-" + std::to_string(all + (n + 1) * cores - 1));
      file(node + "/meminfo", "Node " + std::to_string(n) + " MemTotal:       33554432 kB");
      std::string row;
      for (u32 m = 0; m < nodes; m++) row += (m == 0 ? "" : " ") + std::to_string(m == n ? 10 : m / (nodes / 2) == n / (nodes / 2) ? 12 : 32);
      file(node + "/distance", row);
    }
    for (u32 c = 0; c < 2 * all; c++) {
      const std::string cpu = "sys/devices/system/cpu/cpu" + std::to_string(c);
      file(cpu + "/topology/core_cpus_list", std::to_string(c % all) + "," + std::to_string(c % all + all));
      file(cpu + "/topology/physical_package_id", std::to_string(c % all / (all / 2)));
    }
    const char* caches[][4] = {{"1", "Data", "32K", "0,16"}, {"1", "Instruction", "64K", "0,16"}, {"2", "Unified", "1024K", "0,16"}, {"3", "Unified", "32768K", "0-1,16-17"}};
    for (u32 i = 0; i < 4; i++) {
      const std::string cache = "sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i);
      file(cache + "/level", caches[i][0]), file(cache + "/type", caches[i][1]), file(cache + "/size", caches[i][2]), file(cache + "/shared_cpu_list", caches[i][3]);
    }
    file("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3700000");
  }
  const fs::path& root() const { return temporary_.path(); }
  TempDirectory temporary_;
};

MachineFile drafted(const MachineFacts& facts) { return parse_machine(machine_text(draft_machine(facts, "drafted")), "drafted"); }

TEST_F(MachineFactsTest, Sysfs) {
  box(4, 4);
  const MachineFacts facts = read_sysfs(root());
  ASSERT_EQ(facts.nodes.size(), 4u);
  EXPECT_EQ(facts.nodes[2].cores, 4u);
  EXPECT_EQ(facts.nodes[2].package, 1u);
  EXPECT_EQ(facts.nodes[1].memory_bytes, 32 * GiB);
  EXPECT_EQ(facts.threads_per_core, 2u);
  EXPECT_EQ(facts.cluster_cores, 2u);
  EXPECT_EQ(facts.clock_mhz, 3700u);
  EXPECT_EQ(facts.l1_bytes + facts.l2_bytes, 1056 * KiB);
  EXPECT_EQ(facts.nodes[0].distance, (std::vector<u32>{10, 12, 32, 32}));
  const MachineFile m = drafted(facts);
  EXPECT_EQ(m.cores(), 16u);
  EXPECT_EQ(m.threads(), 32u);
  EXPECT_EQ(m.shape.distance[m.shape.distance_of[0][2]].memory, 32 * 9'000u);
  EXPECT_LT(m.shape.distance[m.shape.within].load_dirty, m.shape.distance[m.shape.distance_of[0][0]].load_dirty);
  EXPECT_EQ(read_sysfs(root() / "sys").nodes.size(), 4u);
}

TEST_F(MachineFactsTest, MemoryWithoutCoresIsASlowTier) {
  box(2, 4);
  file("sys/devices/system/node/node7/cpulist", "");
  file("sys/devices/system/node/node7/meminfo", "Node 7 MemTotal:  16777216 kB");
  file("sys/devices/system/node/node7/distance", "20 30 10");
  file("sys/devices/system/node/node7/access0/initiators/read_bandwidth", "24000");
  file("sys/devices/system/node/node0/distance", "10 32 20");
  file("sys/devices/system/node/node1/distance", "32 10 30");
  const MachineFile m = drafted(read_sysfs(root()));
  EXPECT_EQ(m.shape.nodes, 3u);
  EXPECT_EQ(m.shape.node[2].cores, 0u);
  EXPECT_EQ(m.shape.memory[m.shape.node[2].memory].tier, 1u);
  EXPECT_EQ(m.shape.memory[m.shape.node[2].memory].read_ps_per_kib, sim::rate_of(24'000));
}

TEST_F(MachineFactsTest, WhatIsMissingOrStrangeInSysfs) {
  EXPECT_THROW(read_sysfs(root()), UsageError);
  box(2, 2);
  file("sys/devices/system/node/node0/distance", "10");
  EXPECT_FALSE(read_sysfs(root()).distances_told());
  drafted(read_sysfs(root()));
  file("sys/devices/system/node/node0/cpulist", "0-99999999");
  EXPECT_THROW(read_sysfs(root()), UsageError);
  file("sys/devices/system/node/node0/cpulist", "many");
  EXPECT_THROW(read_sysfs(root()), UsageError);
}

constexpr const char* kLscpu = R"x({"lscpu": [
  {"field": "Architecture:", "data": "x86_64"}, {"field": "CPU(s):", "data": "48"}, {"field": "Thread(s) per core:", "data": "1"}, {"field": "Core(s) per socket:", "data": "12"},
  {"field": "Socket(s):", "data": "4"}, {"field": "NUMA node(s):", "data": "2"}, {"field": "CPU max MHz:", "data": "2100.0000"},
  {"field": "Model name:", "data": "AMD Opteron(tm) Processor 6172", "children": [{"field": "L1d cache:", "data": "3 MiB (48 instances)"}]},
  {"field": "L2 cache:", "data": "24 MiB (48 instances)"}, {"field": "L3 cache:", "data": "40 MiB (8 instances)"},
  {"field": "NUMA node0 CPU(s):", "data": "0-23"}, {"field": "NUMA node1 CPU(s):", "data": "24-47"}]})x";

TEST_F(MachineFactsTest, Lscpu) {
  const MachineFacts facts = read_lscpu(kLscpu, "l.json");
  EXPECT_EQ(facts.model, "AMD Opteron(tm) Processor 6172");
  ASSERT_EQ(facts.nodes.size(), 2u);
  EXPECT_EQ(facts.nodes[1].cores, 24u);
  EXPECT_EQ(facts.cluster_cores, 6u);
  EXPECT_EQ(facts.l1_bytes, 64 * KiB);
  EXPECT_EQ(facts.l2_bytes, 512 * KiB);
  EXPECT_EQ(facts.l3_bytes, 5 * MiB);
  EXPECT_EQ(facts.clock_mhz, 2100u);
  EXPECT_EQ(drafted(facts).cores(), 48u);
  for (const char* bad : {"{}", "{\"lscpu\": 3}", "[]", "{\"lscpu\": []}", "{\"lscpu\": [{\"field\": \"CPU(s):\", \"data\": \"none\"}]}"}) EXPECT_THROW(read_lscpu(bad, "l.json"), UsageError) << bad;
}

// The same machine as text: into a file, and with titles as on a terminal.
constexpr const char* kLscpuText = R"x(Architecture:                    x86_64
CPU op-mode(s):                  32-bit, 64-bit
CPU(s):                          48
On-line CPU(s) list:             0-47
Model name:                      AMD Opteron(tm) Processor 6172
Thread(s) per core:              1
Core(s) per socket:              12
Socket(s):                       4
CPU max MHz:                     2100.0000
Flags:                           fpu vme de pse
L1d cache:                       3 MiB (48 instances)
L1i cache:                       3 MiB (48 instances)
L2 cache:                        24 MiB (48 instances)
L3 cache:                        40 MiB (8 instances)
NUMA node(s):                    2
NUMA node0 CPU(s):               0-23
NUMA node1 CPU(s):               24-47
Vulnerability L1tf:              Not affected
Vulnerability Spectre v2:        Mitigation; Retpolines; STIBP disabled: all
)x";
constexpr const char* kLscpuTitles = R"x(Architecture:             x86_64
CPU(s):                   48
  On-line CPU(s) list:    0-47
Vendor ID:                AuthenticAMD
  Model name:             AMD Opteron(tm) Processor 6172
    Thread(s) per core:   1
    Core(s) per socket:   12
    Socket(s):            4
    CPU max MHz:          2100.0000
Caches (sum of all):      
  L1d:                    3 MiB (48 instances)
  L1i:                    3 MiB (48 instances)
  L2:                     24 MiB (48 instances)
  L3:                     40 MiB (8 instances)
NUMA:                     
  NUMA node(s):           2
  NUMA node0 CPU(s):      0-23
  NUMA node1 CPU(s):      24-47
Vulnerabilities:          
  L1tf:                   Not affected
)x";

std::string refused_lscpu(const std::string& text) {
  try {
    read_lscpu(text, "l.txt");
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}
std::string without(std::string text, const std::string& name) { // the line that begins so
  const size_t at = text.find(name);
  return text.erase(at, text.find('\n', at) + 1 - at);
}

TEST_F(MachineFactsTest, LscpuTextIsTheMachineOfItsJson) {
  const std::string json = machine_text(draft_machine(read_lscpu(kLscpu, "l"), "drafted"));
  for (const std::string& text : {std::string(kLscpuText), std::string(kLscpuTitles)}) {
    EXPECT_TRUE(looks_like_lscpu(text));
    EXPECT_EQ(machine_text(draft_machine(read_lscpu(text, "l"), "drafted")), json);
    std::string windows;
    for (char c : text) windows += c == '\n' ? "\r\n" : std::string(1, c);
    EXPECT_EQ(machine_text(draft_machine(read_lscpu(windows, "l"), "drafted")), json);
  }
  EXPECT_TRUE(looks_like_lscpu(kLscpu));
  for (const char* other : {"", "nonsense", "model name : x\nprocessor : 0\n", "# CPU,Core,Socket,Node\n0,0,0,0\n"}) EXPECT_FALSE(looks_like_lscpu(other)) << other;
  // A node without processors is memory alone, in either form.
  const std::string alone = "{\"lscpu\": [{\"field\": \"Thread(s) per core:\", \"data\": \"1\"}, {\"field\": \"NUMA node0 CPU(s):\", \"data\": \"0-3\"}, {\"field\": \"NUMA node1 CPU(s):\", \"data\": null}]}";
  EXPECT_EQ(read_lscpu(alone, "l").nodes.size(), 2u);
  EXPECT_EQ(read_lscpu("Thread(s) per core: 1\nNUMA node0 CPU(s): 0-3\nNUMA node1 CPU(s):\n", "l").nodes[1].cores, 0u);
}

TEST_F(MachineFactsTest, LscpuTextThatIsNotEnoughIsOneLine) {
  const std::string no_nodes = without(without(without(kLscpuText, "NUMA node(s)"), "NUMA node0"), "NUMA node1");
  EXPECT_EQ(read_lscpu(no_nodes, "l").nodes[0].cores, 48u);
  EXPECT_EQ(read_lscpu(without(no_nodes, "CPU(s):"), "l").nodes[0].cores, 48u) << "sockets by cores of each";
  EXPECT_EQ(refused_lscpu(without(without(no_nodes, "CPU(s):"), "Socket(s)")), "l.txt: does not say how many cores there are: lscpu's lines 'NUMA node0 CPU(s)' and so on, or 'CPU(s)', are missing");
  EXPECT_EQ(refused_lscpu(without(kLscpuText, "NUMA node1")), "l.txt: lscpu names 2 nodes, and the processors of 1 of them: lines 'NUMA node0 CPU(s)' and so on are missing");
  EXPECT_EQ(refused_lscpu(without(kLscpuText, "Thread(s)")), "l.txt: lscpu's line 'Thread(s) per core' is missing: all of what LC_ALL=C lscpu prints is needed");
  EXPECT_EQ(refused_lscpu(without(kLscpuText, "Thread(s)") + "Thread(s) per core: many\n"), "l.txt: 'Thread(s) per core' must be a number from 1 to 8, not 'many'");
  EXPECT_EQ(refused_lscpu(without(kLscpuText, "NUMA node1") + "NUMA node1 CPU(s): " + std::string(100000, 'x')), "l.txt: '" + std::string(60, 'x') + "…' is no list of processors");
  EXPECT_EQ(refused_lscpu(without(kLscpuText, "NUMA node1") + "NUMA node1 CPU(s): 23-46\n"), "l.txt: lscpu names processor 23 twice, with 'NUMA node1 CPU(s)'");
  EXPECT_EQ(read_lscpu(without(kLscpuText, "L3 cache") + "L3 cache: 900000000000G\n", "l").l3_bytes, 0u) << "more than any number holds";
  EXPECT_EQ(refused_lscpu(std::string(kLscpuText) + "Model name: caf\xe9\n"), "l.txt: lscpu's text is not UTF-8");
}

// As hwloc 2 writes it, cut to what is read.
constexpr const char* kHwloc = R"x(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x0000000f" gp_index="1">
    <info name="CPUModel" value="Some CPU"/>
    <object type="Package" os_index="0" cpuset="0x00000003" gp_index="2">
      <object type="NUMANode" os_index="0" cpuset="0x00000003" local_memory="4294967296" gp_index="3"><page_type size="4096" count="1"/></object>
      <object type="L3Cache" cpuset="0x00000003" cache_size="8388608" depth="3" gp_index="4">
        <object type="Core" os_index="0" cpuset="0x00000001" gp_index="5"><object type="PU" os_index="0" cpuset="0x00000001" gp_index="6"/></object>
        <object type="Core" os_index="1" cpuset="0x00000002" gp_index="7"><object type="PU" os_index="1" cpuset="0x00000002" gp_index="8"/></object>
      </object>
    </object>
    <object type="Package" os_index="1" cpuset="0x0000000c" gp_index="9">
      <object type="NUMANode" os_index="5" cpuset="0x0000000c" local_memory="4294967296" gp_index="10"/>
      <object type="L3Cache" cpuset="0x0000000c" cache_size="8388608" depth="3" gp_index="11">
        <object type="Core" os_index="0" cpuset="0x00000004" gp_index="12"><object type="PU" os_index="2" cpuset="0x00000004" gp_index="13"/></object>
        <object type="Core" os_index="1" cpuset="0x00000008" gp_index="14"><object type="PU" os_index="3" cpuset="0x00000008" gp_index="15"/></object>
      </object>
    </object>
  </object>
  <distances2 type="NUMANode" nbobjs="2" kind="5" name="NUMALatency" indexing="os">
    <indexes length="3">0 5 </indexes>
    <u64values length="12">10 21 21 10 </u64values>
  </distances2>
</topology>)x";

TEST_F(MachineFactsTest, HwlocXml) {
  const MachineFacts facts = read_hwloc(kHwloc, "h.xml");
  ASSERT_EQ(facts.nodes.size(), 2u);
  EXPECT_EQ(facts.nodes[1].id, 5);
  EXPECT_EQ(facts.nodes[0].cores, 2u);
  EXPECT_EQ(facts.nodes[1].cores, 2u);
  EXPECT_EQ(facts.nodes[1].package, 1u);
  EXPECT_EQ(facts.cluster_cores, 2u);
  EXPECT_EQ(facts.l3_bytes, 8 * MiB);
  EXPECT_EQ(facts.model, "Some CPU");
  EXPECT_EQ(facts.nodes[0].distance, (std::vector<u32>{10, 21}));
  EXPECT_EQ(drafted(facts).cores(), 4u);
  const std::string text = kHwloc;
  for (usize cut = 0; cut + 2 < text.size(); cut += 53) EXPECT_THROW(read_hwloc(text.substr(0, cut), "h.xml"), UsageError) << cut;
}

// `text` with the first `what` replaced.
std::string with(std::string text, const std::string& what, const std::string& by) { return text.replace(text.find(what), what.size(), by); }
std::string refusal(auto read) {
  try {
    read();
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST_F(MachineFactsTest, LscpuCountsThatCannotBe) {
  const std::string threads = "\"Thread(s) per core:\", \"data\": \"", sockets = "\"Socket(s):\", \"data\": \"";
  for (const char* bad : {"99999999999999999999", "-2", "0", "9", "two", "2x", " 2", "1.5"}) {
    EXPECT_EQ(refusal([&] { read_lscpu(with(kLscpu, threads + "1", threads + bad), "l.json"); }), "l.json: 'Thread(s) per core' must be a number from 1 to 8, not '" + std::string(bad) + "'");
    EXPECT_NE(refusal([&] { read_lscpu(with(kLscpu, sockets + "4", sockets + bad + "0"), "l.json"); }), "") << bad;
    EXPECT_NE(refusal([&] { read_lscpu("{\"lscpu\": [{\"field\": \"CPU(s):\", \"data\": \"" + std::string(bad) + (bad[0] == '9' ? "999" : "") + "\"}]}", "l.json"); }), "") << bad;
  }
  EXPECT_EQ(read_lscpu(with(kLscpu, threads + "1", threads + "2"), "l.json").threads_per_core, 2u);
  EXPECT_EQ(read_lscpu(with(kLscpu, sockets + "4", sockets + "-"), "l.json").nodes[1].package, 0u); // not known
}

TEST_F(MachineFactsTest, HwlocEntities) {
  auto model = [](const std::string& text) { return read_hwloc(with(kHwloc, "Some CPU", text), "h.xml").model; };
  EXPECT_EQ(model("A&amp;B &lt;8&gt; &quot;&apos;"), "A&B <8> \"'");
  EXPECT_EQ(model("&#x41;&#66;&#xe4;&#x20ac;&#128421;"), "AB\u00e4\u20ac\U0001f5a5");
  EXPECT_EQ(model("one&#10;line"), "one line");
  EXPECT_EQ(model("a > b"), "a > b");
  EXPECT_EQ(drafted(read_hwloc(with(kHwloc, "Some CPU", "A&amp;B &#x20ac;"), "h.xml")).cores(), 4u);
  for (const char* bad : {"&nbsp;", "&;", "&#;", "&#x;", "&#0;", "&#xd800;", "&#x110000;", "&#99999999999;", "&#x4g;", "&#-5;", "& b", "a&amp"})
    EXPECT_NE(refusal([&] { model(bad); }).find("which stands for no character"), std::string::npos) << bad;
  EXPECT_EQ(refusal([&] { model("caf\xe9"); }), "h.xml: hwloc's XML is not UTF-8");
  EXPECT_EQ(read_hwloc(with(kHwloc, "<topology version", "<!-- <object type=\"NUMANode\" local_memory=\"1\"/> > --><topology version"), "h.xml").nodes.size(), 2u);
}

TEST_F(MachineFactsTest, ManyDistancesAreTakenTogether) {
  MachineFacts facts;
  facts.read_from = "test";
  for (u32 n = 0; n < 12; n++) {
    MachineFacts::Node node{.id = int(n), .cores = 2};
    for (u32 m = 0; m < 12; m++) node.distance.push_back(n == m ? 10 : 10 + 3 * (n > m ? n - m : m - n));
    facts.nodes.push_back(node);
  }
  const MachineFile m = drafted(facts);
  EXPECT_LE(m.shape.distances, sim::kDistancesMax);
  EXPECT_EQ(m.shape.links, 2u * 11); // neighbours: between any others a third lies on the way
}

} // namespace
} // namespace garner::tool
