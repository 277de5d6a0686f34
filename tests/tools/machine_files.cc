// Machine files: those that come with the program are right, and every way of being wrong is one line with the key's path.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "errors.h"
#include "machine_file.h"
#include "paths.h"
#include "strict_json.h"

namespace garner::tool {
namespace {

std::string good_text() {
  std::string text;
  EXPECT_TRUE(read_file(machines_directory() / "amd48.json", text));
  return text;
}

// What the reader says of a text; empty when it takes it.
std::string trouble_of(const std::string& text) {
  try {
    parse_machine(text, "some.json");
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

std::string trouble_after(const std::function<void(StrictJson&)>& change) {
  StrictJson all = StrictJson::parse(good_text());
  change(all);
  return trouble_of(all.dump());
}

void expect_line(const std::string& trouble, const std::string& part) {
  EXPECT_EQ(trouble.rfind("some.json: ", 0), 0u) << trouble;
  EXPECT_NE(trouble.find(part), std::string::npos) << "'" << part << "' is not in: " << trouble;
  EXPECT_EQ(trouble.find('\n'), std::string::npos) << trouble;
  EXPECT_LT(trouble.size(), 500u);
}

TEST(MachineFiles, AllThatComeWithTheProgramAreRight) {
  const std::vector<std::string> names = machine_names();
  for (const char* wanted : {"amd48", "amd48a", "amd64", "xeon-2s", "epyc-2s", "cxl-box", "optane-server"})
    EXPECT_NE(std::find(names.begin(), names.end(), wanted), names.end()) << wanted;
  for (const std::string& name : names) {
    const MachineFile m = find_machine(name);
    EXPECT_EQ(m.name, name);
    EXPECT_EQ(check_shape(m.shape), nullptr) << name;
    EXPECT_EQ(m.config().shape, &m.shape);
  }
  EXPECT_EQ(find_machine("amd48").cores(), 48u);
  EXPECT_EQ(find_machine("epyc-2s").threads(), 384u);
}

TEST(MachineFiles, NumbersArriveAsTheyStand) {
  const MachineFile m = find_machine("amd48");
  EXPECT_EQ(m.shape.distance[0].memory, 65'000u);
  EXPECT_EQ(m.shape.memory[0].read_ps_per_kib, 81'920u); // 12.5 GB/s
  EXPECT_EQ(m.shape.own_lines, 576u * 16);
  EXPECT_EQ(m.shape.links, 32u);
  EXPECT_EQ(m.shape.step[0][3], 1u); // the lowest-numbered common neighbour
  EXPECT_EQ(m.shape.step[3][0], 1u);
  EXPECT_EQ(m.shape.step[7][0], 1u);
  EXPECT_EQ(m.distances, (std::vector<std::string>{"die", "package", "hop", "two hops"}));
  const MachineFile slow = find_machine("optane-server");
  EXPECT_EQ(slow.shape.memory[1].tier, 1u);
  EXPECT_EQ(slow.shape.memory[1].granule, 256u);
}

TEST(MachineFiles, UniformMachinesAreGeneratedAndReadLikeOthers) {
  const MachineFile one = find_machine("uniform-48"), four = find_machine("uniform-4x6");
  EXPECT_TRUE(one.uniform);
  EXPECT_EQ(one.threads(), 48u);
  EXPECT_EQ(four.shape.nodes, 4u);
  EXPECT_EQ(four.config().cores_per_node, 6u);
  EXPECT_EQ(four.config().shape, nullptr);
  const sim::Costs standard, read = four.config().costs;
  EXPECT_EQ(memcmp(&standard, &read, sizeof standard), 0) << "the generated file says what the model's defaults are";
  expect_line(trouble_of(uniform_machine(65, 1)), "uniform.nodes: must be a whole number from 1 to 64, not 65");
}

TEST(MachineFiles, TruncatedTextIsNotJson) {
  const std::string text = good_text();
  for (usize cut = 0; cut < text.size() - 2; cut += 97) {
    const std::string trouble = trouble_of(text.substr(0, cut));
    expect_line(trouble, "not JSON");
  }
  expect_line(trouble_of("[]"), "must be an object, not array");
  expect_line(trouble_of(text + "x"), "not JSON");
}

TEST(MachineFiles, AKeyTwiceIsRefused) {
  std::string text = good_text();
  const usize at = text.find("\"threads\": 1,");
  text.insert(at, "\"threads\": 2,");
  expect_line(trouble_of(text), "threads: stands twice");
}

TEST(MachineFiles, EveryMissingKeyIsNamed) {
  const StrictJson all = StrictJson::parse(good_text());
  for (const auto& [key, value] : all.items()) {
    std::string name = key;
    expect_line(trouble_after([&](StrictJson& j) { j.erase(name); }), name == "sources" ? "sources: is missing" : name + ": is missing");
  }
  for (const char* object : {"core", "costs"})
    for (const auto& [key, value] : all[object].items()) {
      std::string name = key;
      expect_line(trouble_after([&](StrictJson& j) { j[object].erase(name); }), std::string(object) + "." + name + ": is missing");
    }
}

TEST(MachineFiles, UnknownKeysAreNamed) {
  expect_line(trouble_after([](StrictJson& j) { j["colour"] = 1; }), "colour: is no key of a machine file");
  expect_line(trouble_after([](StrictJson& j) { j["colour"] = 1, j["sources"]["colour"] = "guessed"; }), "colour: is no key of a machine file");
  expect_line(trouble_after([](StrictJson& j) { j["core"]["clock"] = 1; }), "core.clock: is no key");
  expect_line(trouble_after([](StrictJson& j) { j["nodes"][3]["core"] = 1; }), "nodes[3].core: is no key");
  expect_line(trouble_after([](StrictJson& j) { j["costs"]["line_in_ns"] = 1; }), "costs.line_in_ns: is no key");
}

TEST(MachineFiles, WrongTypesAndNumbersAreNamed) {
  expect_line(trouble_after([](StrictJson& j) { j["core"]["threads"] = "one"; }), "core.threads: must be a whole number from 1 to 8, not text");
  expect_line(trouble_after([](StrictJson& j) { j["core"]["threads"] = 1.5; }), "core.threads: must be a whole number from 1 to 8, not 1.5");
  expect_line(trouble_after([](StrictJson& j) { j["core"]["threads"] = -1; }), "core.threads");
  expect_line(trouble_after([](StrictJson& j) { j["core"]["own_hit_ns"] = -0.5; }), "core.own_hit_ns: must be from 0 to 1000000 nanoseconds, not -0.5");
  expect_line(trouble_after([](StrictJson& j) { j["core"]["own_hit_ns"] = 1e300; }), "core.own_hit_ns");
  expect_line(trouble_after([](StrictJson& j) { j["core"]["own_hit_ns"] = nullptr; }), "core.own_hit_ns: must be a number, not null");
  expect_line(trouble_after([](StrictJson& j) { j["core"]["own_cache_kib"] = 1ull << 60; }), "core.own_cache_kib");
  expect_line(trouble_after([](StrictJson& j) { j["memories"]["ddr3"]["read_gb_per_s"] = 0; }), "memories.ddr3.read_gb_per_s");
  expect_line(trouble_after([](StrictJson& j) { j["memories"]["ddr3"]["granule_bytes"] = 96; }), "memories.ddr3.granule_bytes: must be a power of two");
  expect_line(trouble_after([](StrictJson& j) { j["page_kib"] = 12; }), "page_kib: must be a power of two");
  expect_line(trouble_after([](StrictJson& j) { j["nodes"] = 8; }), "nodes: must be a list, not 8");
  expect_line(trouble_after([](StrictJson& j) { j["nodes"][2]["memory"] = "sram"; }), "nodes[2].memory: 'sram' is none of: ddr3");
  expect_line(trouble_after([](StrictJson& j) { for (auto& node : j["nodes"]) node["cores"] = 0; }), "nodes: must have 1 to 2048 cores together, not 0");
  expect_line(trouble_after([](StrictJson& j) { j["name"] = "Ein Name"; }), "name: must be small letters");
  expect_line(trouble_after([](StrictJson& j) { j["about"] = "two\nlines"; }), "about: must be one line");
  expect_line(trouble_after([](StrictJson& j) { j["garner_machine"] = 2; }), "garner_machine: this program reads version 1, not 2");
  expect_line(trouble_of(R"({"garner_machine": 1, "name": "x", "about": "", "uniform": 1e999})"), "not JSON");
}

// A file may hold a text of any length in any place, and what is said of it stays a line that can be read.
TEST(MachineFiles, AnErrorQuotesSixtyCharacters) {
  EXPECT_EQ(shortened(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(shortened(std::string(61, 'x')), std::string(60, 'x') + "…");
  EXPECT_EQ(shortened("a\x1b[31m\n"), "a\\x1b[31m\\n");
  std::string umlauts;
  for (int i = 0; i < 61; i++) umlauts += "ü";
  EXPECT_EQ(shortened(umlauts), umlauts.substr(0, 120) + "…") << "characters, not bytes";
  const std::string giant(100000, 'x'), name(100, 'x');
  const std::function<void(StrictJson&)> bad[] = {
    [&](StrictJson& j) { j["garner_machine"] = giant; }, [&](StrictJson& j) { j["name"] = giant; }, [&](StrictJson& j) { j["about"] = giant; }, [&](StrictJson& j) { j["core"]["threads"] = giant; },
    [&](StrictJson& j) { j["core"]["own_hit_ns"] = giant; }, [&](StrictJson& j) { j["within_cluster"] = giant.substr(0, 9999); }, [&](StrictJson& j) { j["nodes"][2]["memory"] = giant.substr(0, 9999); },
    [&](StrictJson& j) { j["nodes"] = giant; }, [&](StrictJson& j) { j["distance"][0][1] = giant; }, [&](StrictJson& j) { j["links"][0]["between"] = {0, giant}; }, [&](StrictJson& j) { j["links"][0]["between"] = giant; },
    [&](StrictJson& j) { j["links"][0]["between"][1] = StrictJson::array({giant, giant}); }, [&](StrictJson& j) { j["routes"] = {{0, giant}}; }, [&](StrictJson& j) { j[giant] = 1; }, [&](StrictJson& j) { j["core"][giant] = 1; },
    [&](StrictJson& j) { j["sources"][giant] = "guessed"; }, [&](StrictJson& j) { j["sources"][giant] = 1; }, [&](StrictJson& j) { j["sources"][giant] = "somebody"; }, [&](StrictJson& j) { j["memories"][giant] = j["memories"]["ddr3"]; },
    [&](StrictJson& j) { for (char c : {'a', 'b', 'c', 'd'}) j["distances"][name + c] = j["distances"]["die"]; }, [&](StrictJson& j) { j["sources"]["core"] = giant; },
    [&](StrictJson& j) { for (char c : {'a', 'b', 'c', 'd'}) j["distances"][name.substr(1) + c] = j["distances"]["die"]; j["within_cluster"] = giant.substr(0, 9999); },
    [&](StrictJson& j) { j["memories"][name] = giant; }, [&](StrictJson& j) { j["memories"][name] = j["memories"]["ddr3"], j["memories"][name][giant] = 1; },
  };
  for (const auto& change : bad) {
    const std::string trouble = trouble_after(change);
    expect_line(trouble, "");
    EXPECT_EQ(trouble.find(std::string(61, 'x')), std::string::npos) << trouble;
  }
  expect_line(trouble_after([&](StrictJson& j) { j["links"][0]["between"] = {0, giant}; }), "links[0].between[1]: must be a node from 0 to 7, not \"" + std::string(59, 'x') + "…");
  for (const std::string& text : {"{\"" + giant + "\" 1}", "{\"a\": \"" + giant, "{\"a\": 1" + std::string(100000, '1') + "}", "{\"" + giant + "\": 1, \"" + giant + "\": 2}", "[1, " + giant, "\x01\x02" + giant}) {
    const std::string trouble = trouble_of(text);
    expect_line(trouble, "");
    EXPECT_EQ(trouble.find(std::string(61, 'x')), std::string::npos) << trouble;
  }
}

TEST(MachineFiles, TablesMustFitTheNodesAndBeSymmetric) {
  expect_line(trouble_after([](StrictJson& j) { j["distance"].erase(7); }), "distance: must have 8 entries, not 7");
  expect_line(trouble_after([](StrictJson& j) { j["distance"][2].erase(7); }), "distance[2]: must be a list of 8 names");
  expect_line(trouble_after([](StrictJson& j) { j["distance"][0][1] = "hop"; }), "distance[0][1]: is 'hop', but distance[1][0] is 'package'");
  expect_line(trouble_after([](StrictJson& j) { j["distance"][0][1] = "mile"; }), "distance[0][1]: 'mile' is none of: die, package, hop, two hops");
  expect_line(trouble_after([](StrictJson& j) { j["distances"]["hop"]["memory_ns"] = 1; }), "is nearer than the node's own memory");
}

TEST(MachineFiles, LinksAndRoutesMustLeadSomewhere) {
  expect_line(trouble_after([](StrictJson& j) { j["links"] = StrictJson::array(), j["sources"].erase("links"); }), "links: there is no way from node 1 to node 0");
  expect_line(trouble_after([](StrictJson& j) { j["links"][0]["between"] = {0, 8}; }), "links[0].between[1]: must be a node from 0 to 7, not 8");
  expect_line(trouble_after([](StrictJson& j) { j["links"][0]["between"] = {3, 3}; }), "links[0].between: joins a node with itself");
  expect_line(trouble_after([](StrictJson& j) { j["links"][1]["between"] = {1, 0}; }), "links[1].between: nodes 1 and 0 have a link already");
  expect_line(trouble_after([](StrictJson& j) { j["routes"] = {{0, 7}}, j["sources"]["routes"] = "guessed"; }), "routes[0][0]: there is no link from node 0 to node 7");
  expect_line(trouble_after([](StrictJson& j) { j["routes"] = {{0, 1, 3}, {0, 2, 3}}, j["sources"]["routes"] = "guessed"; }), "routes[1][0]: another route leads from node 0 to node 3 by node 1");
  EXPECT_EQ(trouble_after([](StrictJson& j) { j["routes"] = {{0, 2, 3}}, j["sources"]["routes"] = "guessed"; }), "");
}

TEST(MachineFiles, EveryValueSaysWhereItComesFrom) {
  expect_line(trouble_after([](StrictJson& j) { j["sources"].erase("within_cluster"); }), "within_cluster: nothing in sources says where it comes from; an entry 'within_cluster' would");
  expect_line(trouble_after([](StrictJson& j) { j["routes"] = {{0, 2, 3}}; }), "routes[0][0]: nothing in sources says where it comes from; an entry 'routes' would");
  expect_line(trouble_after([](StrictJson& j) { j["sources"]["core.clock_mhz"] = "somebody said so"; }), "sources.core.clock_mhz: must begin with one of: published");
  expect_line(trouble_after([](StrictJson& j) { j["sources"]["core.cloc"] = "guessed"; }), "sources.core.cloc: there is no such value");
}

} // namespace
} // namespace garner::tool
