// What queueing theory says in closed form, the machine in full must do: one server, two links, conservation, latency by hops.
#include <gtest/gtest.h>

#include "shapes.h"
#include "team.h"

namespace garner {
namespace {

constexpr usize kPages = 256;

// Clients on `client_nodes` in turn read `lines` single lines each of memory on node 0, nothing cached; the time of the last.
struct Reads {
  u64 ps;
  bool conserves;
  u64 served;
};
Reads single_reads(const sim::Shape& shape, u32 clients, u32 lines, u32 first_worker = 0, u32 stride = 1) {
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  const usize bytes = usize(clients) * lines * kLineBytes;
  const word at = machine.reserve(bytes, 4096);
  machine.bind(at, bytes, 0);
  Team touchers(machine);
  touchers.start([&] {
    Sim::Self self(machine, 0);
    for (usize p = 0; p < bytes; p += 4096) self.touch(at + p), self.load(Slot{at + p});
  });
  machine.run();
  const u64 before = machine.now(), bytes_before = machine.fabric().controller(0).bytes;
  Team team(machine);
  for (u32 c = 0; c < clients; c++)
    team.start([&, c] {
      Sim::Self self(machine, first_worker + c * stride);
      // Far apart in time of use: a line is read once, so no cache can have it but the toucher's first of each page.
      for (u32 k = 0; k < lines; k++) self.load(Slot{at + (usize(k) * clients + c) * kLineBytes});
    });
  EXPECT_EQ(machine.run().end, sim::End::finished);
  return {(machine.now() - before) * 1000, machine.fabric().conserves(), machine.fabric().controller(0).bytes - bytes_before};
}

TEST(ServersClosedForm, OneServerWithManyClientsTakesNTimesItsService) {
  sim::Shape shape = line_of_nodes(1, 32);
  shape.memory[0].read_ps_per_kib = 16 * 50'000; // 50 ns for a line
  const u32 lines = 100, clients = 32;            // 32 clients that wait 100 ns ask for more than one line in 50 ns
  const Reads reads = single_reads(shape, clients, lines);
  const u64 served = reads.served / kLineBytes; // a few lines are in the toucher's caches
  EXPECT_GT(served, clients * lines * 9 / 10);
  EXPECT_NEAR(double(reads.ps), double(served * 50'000), 150'000); // the first and the last wait for nobody
  EXPECT_TRUE(reads.conserves);
}

TEST(ServersClosedForm, BelowItsRateAServerDelaysNobody) {
  sim::Shape shape = line_of_nodes(1, 2);
  shape.memory[0].read_ps_per_kib = 16 * 10'000; // two clients at 100 ns leave it idle four fifths of the time
  const Reads one = single_reads(shape, 1, 200), two = single_reads(shape, 2, 200);
  EXPECT_NEAR(double(two.ps), double(one.ps), 0.05 * double(one.ps));
}

TEST(ServersClosedForm, OfTwoLinksInARowTheSlowerDecides) {
  for (u32 slow = 0; slow < 2; slow++) {
    sim::Shape shape = line_of_nodes(3, 16);
    shape.memory[0].read_ps_per_kib = 16 * 1'000;
    for (u32 i = 0; i < shape.links; i++) {
      const bool first = shape.link[i].from == 0, second = shape.link[i].from == 1 && shape.link[i].to == 2;
      if (first) shape.link[i].ps_per_kib = 16 * (slow == 0 ? 60'000 : 20'000);
      if (second) shape.link[i].ps_per_kib = 16 * (slow == 1 ? 60'000 : 20'000);
    }
    // Workers 2, 5, 8, … sit on node 2.
    const Reads reads = single_reads(shape, 16, 100, 2, 3);
    EXPECT_NEAR(double(reads.ps), double(16 * 100 * 60'000), 0.02 * double(reads.ps)) << slow;
    EXPECT_TRUE(reads.conserves);
  }
}

TEST(ServersClosedForm, LatencyByHopsIsTheFilesNumber) {
  const sim::Shape shape = line_of_nodes(3, 1);
  SimConfig config;
  config.shape = &shape;
  for (u32 node = 0; node < 3; node++) {
    Sim machine(config);
    Team team(machine);
    const word at = machine.reserve(kPages * 4096, 4096);
    machine.bind(at, kPages * 4096, node);
    team.start([&] {
      Sim::Self self(machine, 0);
      for (usize p = 0; p < kPages; p++) self.load(Slot{at + p * 4096});
      const u64 before = machine.now();
      for (usize p = 0; p < kPages; p++) self.load(Slot{at + p * 4096 + 128});
      EXPECT_EQ(machine.now() - before - shape.costs.clock_read / 1000, kPages * shape.distance[node].memory / 1000) << node;
      const u64 again = machine.now();
      for (usize p = kPages - 8; p < kPages; p++) self.load(Slot{at + p * 4096 + 128});
      EXPECT_EQ(machine.now() - again - shape.costs.clock_read / 1000, 8 * 2u) << "in the own cache";
    });
    machine.run();
  }
}

// A sequence has `stream_lines` under way, a touched line costs what is left of its way.
TEST(ServersClosedForm, LinesInFlightOverlap) {
  sim::Shape shape = line_of_nodes(1, 1);
  shape.memory[0].stream_lines = 4;
  shape.line_work = 20'000;
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  const word at = machine.reserve(kPages * 4096, 4096);
  team.start([&] {
    Sim::Self self(machine, 0);
    for (usize p = 0; p < kPages; p++) self.load(Slot{at + p * 4096});
    const u64 clock = shape.costs.clock_read / 1000;
    u64 before = machine.now();
    self.read(at + 4096 + 64, 32 * 64);
    EXPECT_EQ(machine.now() - before - clock, 32 * (100 + 20) / 4u);
    before = machine.now();
    for (usize k = 0; k < 4; k++) self.touch(at + (k + 8) * 4096 + 64);
    for (usize k = 0; k < 4; k++) self.load(Slot{at + (k + 8) * 4096 + 64});
    EXPECT_LT(machine.now() - before - clock, 130u); // four latencies in the time of one
    before = machine.now();
    for (usize k = 0; k < 8; k++) self.touch(at + (k + 16) * 4096 + 64);
    for (usize k = 0; k < 8; k++) self.load(Slot{at + (k + 16) * 4096 + 64});
    EXPECT_GT(machine.now() - before - clock, 195u); // no more than four at a time
  });
  machine.run();
}

TEST(ServersClosedForm, EveryControllerServesWhatItWasAsked) {
  const sim::Shape shape = line_of_nodes(4, 4);
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  const word at = machine.reserve(kPages * 4096, 4096);
  machine.interleave(at, kPages * 4096);
  for (u32 w = 0; w < 16; w++)
    team.start([&, w] {
      Sim::Self self(machine, w);
      for (u32 k = 0; k < 400; k++) {
        const word one = at + self.random.below(kPages - 4) * 4096, other = at + self.random.below(kPages - 4) * 4096 + 1024;
        switch (self.random.below(5)) {
          case 0: self.copy(one, other, 512); break;
          case 1: self.stream(one, other, 512); break;
          case 2: self.read(one, 8000); break;
          case 3: self.write(one, 3000); break;
          default: self.store(Slot{one}, self.load(Slot{other}));
        }
      }
    });
  machine.run();
  EXPECT_TRUE(machine.fabric().conserves());
  u64 asked = 0, over_links = 0;
  for (u32 a = 0; a < 4; a++)
    for (u32 b = 0; b < 4; b++) asked += machine.fabric().asked(a, b);
  for (u32 i = 0; i < shape.links; i++) over_links += machine.fabric().link(i).bytes;
  EXPECT_GT(asked, 16 * 400 * 64u);
  EXPECT_GT(over_links, asked / 4);
}

// Whoever takes a fault reserves nothing at the far end of it: the others go on with the controller meanwhile.
TEST(ServersClosedForm, AFaultHoldsUpNobodyElse) {
  const sim::Shape shape = line_of_nodes(1, 8);
  SimConfig config;
  config.shape = &shape;
  auto reader_ns = [&](u32 faulting) {
    Sim machine(config);
    Team team(machine);
    const word at = machine.reserve(kPages * 4096, 4096), fresh = machine.reserve(8 * kPages * 4096, 4096);
    team.start([&] {
      Sim::Self self(machine, 0);
      for (usize p = 0; p < kPages; p++) self.load(Slot{at + p * 4096});
    });
    machine.run();
    u64 ns = 0;
    team.start([&] {
      Sim::Self self(machine, 0);
      const u64 before = machine.now();
      for (usize p = 0; p < kPages; p++) self.load(Slot{at + p * 4096 + 256});
      ns = machine.now() - before;
    });
    for (u32 w = 1; w <= faulting; w++)
      team.start([&, w] {
        Sim::Self self(machine, w);
        for (usize p = 0; p < 16; p++) self.store(Slot{fresh + (w * kPages + p) * 4096}, Ref{1});
      });
    machine.run();
    return ns;
  };
  // What remains is the zeroing of their pages: 4 KiB at 10 GB/s each, seven at a time.
  EXPECT_LT(reader_ns(1), reader_ns(0) * 135 / 100);
  EXPECT_LT(reader_ns(7), reader_ns(0) * 4);
}

// Reads and writes of one device share its time, and it moves whole granules.
TEST(ServersClosedForm, GranulesAndTwoRatesOnOneServer) {
  sim::Shape shape = line_of_nodes(1, 1);
  shape.memory[0] = {16 * 5'000, 16 * 20'000, 0, 0, 256, 1, 0};
  SimConfig config;
  config.shape = &shape;
  Sim machine(config);
  Team team(machine);
  const word at = machine.reserve(kPages * 4096, 4096);
  team.start([&] {
    Sim::Self self(machine, 0);
    self.load(Slot{at});
    self.load(Slot{at + 4096});
    const sim::Server before = machine.fabric().controller(0);
    self.load(Slot{at + 512});
    EXPECT_EQ(machine.fabric().controller(0).bytes - before.bytes, 256u);
    EXPECT_EQ(machine.fabric().controller(0).busy_ps - before.busy_ps, 4 * 5'000u);
    const sim::Server then = machine.fabric().controller(0);
    self.stream(at + 1024, at, 64);
    EXPECT_EQ(machine.fabric().controller(0).busy_ps - then.busy_ps, 4 * 20'000u);
  });
  machine.run();
}

} // namespace
} // namespace garner
