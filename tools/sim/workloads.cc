// The table of workloads, and the one program behind them (workloads.h).
#include "sim/workloads.h"

#include <algorithm>

namespace garner::simulation {

namespace {
constexpr u32 kStretch = 10'000; // ns of computing between two safepoints
} // namespace

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> kAll = [] {
    std::vector<Pattern> all;
    auto add = [&](const char* name, const char* like) -> Pattern& {
      all.push_back({});
      all.back().name = name;
      all.back().like = like;
      return all.back();
    };
    // The papers' programs on 48 threads: eden is 55 MiB for each GiB of the paper's heap (naps.md, table 3), what lives is in proportion to it.
    { // the largest working set of the paper; objects refer to what other threads made
      Pattern& p = add("jbb", "SPECjbb2005: warehouses, one per thread, orders that live for a while");
      p.eden = 192 * MiB, p.collections = 3, p.ring = 768, p.stack = 64, p.across_percent = 30, p.long_lived = 6144, p.static_percent = 1;
    }
    { // a tree is read and another one made from it; both die; fixed work. It computes so long that under ps 30 % of the time is spent collecting,
      // the most that the paper's rounded figures of it allow (time -28 %, own time -26 %, pause 14 to 9.2 ms: 18 to 30 %)
      Pattern& p = add("xml-transform", "SPECjvm2008 XML Transform: builds a tree, reads it, builds another");
      p.eden = 56 * MiB, p.tree = 1100, p.fan = 6, p.bytes = 72, p.garbage = 600, p.rereads = 2, p.ring = 8, p.stack = 3, p.ring_percent = 30, p.stack_percent = 70, p.work_ns = 800'000;
    }
    {
      Pattern& p = add("xml-validation", "SPECjvm2008 XML Validation: builds a tree and walks it against a schema");
      p.eden = 112 * MiB, p.collections = 3, p.tree = 300, p.fan = 6, p.bytes = 64, p.garbage = 60, p.rereads = 1, p.old_reads = 40, p.ring = 42, p.stack = 14, p.ring_percent = 40, p.stack_percent = 60;
    }
    {
      Pattern& p = add("compiler", "SPECjvm2008 Compiler.Sunflow: syntax trees and tables that grow");
      p.eden = 112 * MiB, p.collections = 3, p.tree = 80, p.bytes = 56, p.garbage = 60, p.ring = 224, p.stack = 28, p.long_lived = 2048, p.shared = 2048, p.shared_percent = 20, p.work_ns = 4000;
    }
    { // allocates much, almost nothing survives
      Pattern& p = add("aes", "SPECjvm2008 Crypto AES: buffers that die at once");
      p.eden = 56 * MiB, p.tree = 4, p.garbage = 2, p.leaf_bytes = 4096, p.ring = 4, p.stack = 4, p.ring_percent = 5, p.stack_percent = 20, p.work_ns = 4000;
    }
    {
      Pattern& p = add("eclipse", "DaCapo Eclipse: a small heap, shared tables");
      p.eden = 28 * MiB, p.tree = 20, p.garbage = 30, p.ring = 36, p.stack = 12, p.shared = 512, p.shared_percent = 30, p.set_up_threads = 1;
    }
    { // pages come from two nodes mainly
      Pattern& p = add("tradesoap", "DaCapo Tradesoap: a small heap, many weak references");
      p.eden = 28 * MiB, p.tree = 16, p.garbage = 40, p.ring = 24, p.stack = 12, p.weak_percent = 40, p.set_up_threads = 2, p.shared = 256, p.shared_percent = 15;
    }
    // topology.md: 64 threads on another machine. Old data holds lists of what was added over time: sub-graphs found through cards are deep (3, 7).
    { // a query keeps the paths that it has found until it ends, so what survives is in proportion to what is allocated
      Pattern& p = add("neo4j", "Neo4j with a social graph (R-MAT), all-paths queries");
      p.threads = 64, p.eden = 64 * MiB, p.collections = 3, p.graph = 80'000, p.walk = 24, p.tree = 12, p.garbage = 12, p.ring = 192, p.stack = 16, p.long_lived = 1024, p.ring_percent = 70, p.stack_percent = 30, p.ring_chain = 64;
    }
    {
      Pattern& p = add("jbb2013", "SPECjbb2013: as jbb, with more between threads");
      p.threads = 64, p.eden = 96 * MiB, p.collections = 3, p.ring = 384, p.long_lived = 2048, p.stack = 48, p.ring_chain = 8, p.shared = 4096, p.shared_percent = 20, p.across_percent = 20, p.message_percent = 5;
    }
    {
      Pattern& p = add("avrora", "DaCapo avrora: threads that communicate all the time, little garbage");
      p.threads = 64, p.eden = 10 * MiB, p.ring_chain = 8, p.tree = 6, p.garbage = 2, p.message_percent = 90, p.ring = 4, p.stack = 2, p.work_ns = 200;
    }
    {
      Pattern& p = add("pmd", "DaCapo pmd: syntax trees, shared symbol tables");
      p.threads = 64, p.eden = 10 * MiB, p.ring_chain = 8, p.tree = 40, p.garbage = 20, p.shared = 1024, p.shared_percent = 30, p.ring = 8, p.stack = 4;
    }
    {
      Pattern& p = add("xalan", "DaCapo xalan: documents, each one thread's");
      p.threads = 64, p.eden = 10 * MiB, p.ring_chain = 8, p.tree = 60, p.fan = 6, p.garbage = 30, p.ring = 4, p.stack = 4, p.shared = 128, p.shared_percent = 5;
    }
    { // the best locality that the paper reports
      Pattern& p = add("sunflow", "DaCapo sunflow: rays, each one thread's, nothing shared");
      p.threads = 64, p.eden = 10 * MiB, p.ring_chain = 8, p.tree = 8, p.garbage = 60, p.ring = 2, p.stack = 16, p.ring_percent = 5, p.stack_percent = 60;
    }
    { // the worst: one thread allocates what all use
      Pattern& p = add("h2", "DaCapo h2: a master allocates, the others read");
      p.threads = 64, p.eden = 10 * MiB, p.ring_chain = 8, p.tree = 30, p.garbage = 10, p.shared = 2048, p.shared_percent = 60, p.ring = 16, p.stack = 4, p.master = true;
    }
    {
      Pattern& p = add("lusearch", "DaCapo lusearch: searches, each one thread's, much garbage");
      p.threads = 64, p.eden = 10 * MiB, p.ring_chain = 8, p.tree = 10, p.garbage = 60, p.leaf_bytes = 1024, p.ring = 4, p.stack = 4, p.shared = 128, p.shared_percent = 3;
    }
    {
      Pattern& p = add("jython", "DaCapo jython: small objects, few threads' worth of sharing");
      p.threads = 64, p.eden = 10 * MiB, p.ring_chain = 8, p.tree = 12, p.bytes = 40, p.garbage = 40, p.ring = 16, p.stack = 12, p.shared = 512, p.shared_percent = 8, p.static_percent = 2;
    }
    return all;
  }();
  return kAll;
}

const Pattern* find_pattern(const std::string& name) {
  for (const Pattern& p : patterns())
    if (name == p.name) return &p;
  return nullptr;
}

Pattern scaled(Pattern p, u32 percent, u32 graph_percent, u32 eden_percent) {
  p.eden = max_of<u64>(align_up(p.eden * percent / 100, MiB), min_of<u64>(p.eden, 8 * MiB));
  p.long_lived = max_of(p.long_lived * percent / 100, 1u);
  p.ring = max_of(p.ring * percent / 100, 1u);
  p.stack = max_of(p.stack * percent / 100, min_of(p.stack, 2u));
  p.graph = p.graph * graph_percent / 100 * percent / 100;
  p.eden = p.eden * eden_percent / 100;
  p.collections = max_of(p.collections * 100 / eden_percent, 1u);
  return p;
}

Spec spec_of(const Pattern& pattern, bool from_start) {
  Spec spec;
  spec.eden = pattern.eden;
  if (!from_start) spec.worn_old = pattern.eden * 5 / 2;
  return spec;
}

// ---- the program ----
// What takes time or may start a collection stands in a statement of its own: which argument of a call comes first is the compiler's choice, and the same seed has one output.

void Transactions::run(Thread& thread) {
  if (thread.index == 0) {
    cells_.resize(p_.threads);
    if (from_start_) thread.begin_measuring();
  }
  thread.meet();
  set_up(thread);
  const u64 share = p_.eden / (p_.master ? 1 : p_.threads);
  run_until(thread, from_start_ ? share * p_.collections : 2 * share); // two edens: until ring and survivors are what they will be
  thread.meet();
  if (!from_start_) {
    if (thread.index == 0) ended_ = false, done_ = 0, thread.begin_measuring();
    thread.meet();
    run_until(thread, share * p_.collections);
    thread.meet();
  }
  if (thread.index == 0) thread.end_measuring();
}

// The first threads allocate one eden together: the program's own tables, every thread's long-lived data, and what dies on the way.
void Transactions::set_up(Thread& thread) {
  if (thread.index < p_.set_up_threads) {
    if (thread.index == 0) {
      shared_at_ = thread.add_static(thread.make(max_of(p_.shared, 1u), 0));
      last_at_ = thread.add_static(thread.make(p_.threads, 0));
      graph_at_ = thread.add_static(thread.make(max_of(p_.graph, 1u), 0));
      for (u32 t = 0; t < p_.threads; t++) thread.add_static({0}); // each thread's own
      own_at_ = graph_at_ + 1;
      for (u32 t = 0; t < p_.threads; t++) { // long-lived data of everybody
        thread.set_static(own_at_ + t, thread.make(max_of(p_.long_lived, 1u), 0));
        for (u32 i = 0; i < p_.long_lived; i++) {
          const Ref made = thread.make(2, p_.bytes);
          thread.set(thread.get_static(own_at_ + t), i, made);
        }
      }
    }
    const u64 until = p_.eden / p_.set_up_threads;
    while (thread.allocated_bytes() < until) thread.make(0, 256);
  }
  thread.meet();
  prepare(thread);
  if (p_.graph != 0) make_graph(thread);
  thread.meet();
}

void Transactions::prepare(Thread& thread) {
  Cells& mine = cells_[thread.index];
  mine.data = thread.hold(thread.get_static(own_at_ + thread.index));
  mine.stack = thread.hold({0});
  for (u32 i = 1; i < p_.stack; i++) thread.hold({0});
  thread.meet();
  if (thread.index == 0) // from now on a static is what the thread puts there
    for (u32 t = 0; t < p_.threads; t++) thread.set_static(own_at_ + t, {0});
}

// Recursive matrix: each bit of a node's number is drawn with the usual weights, so few nodes have many edges.
u32 Transactions::rmat(Random& random) const {
  u32 at = 0;
  for (u32 size = 1; size < p_.graph; size *= 2) at = 2 * at + (random.below(100) < 76 ? 0 : 1);
  return at % p_.graph;
}

void Transactions::make_graph(Thread& thread) {
  for (u32 i = thread.index; i < p_.graph; i += p_.threads) {
    const Ref node = thread.make(p_.graph_edges, 96); // before the table is read: making one may move it
    thread.set(thread.get_static(graph_at_), i, node);
  }
  thread.meet();
  for (u32 i = thread.index; i < p_.graph; i += p_.threads)
    for (u32 e = 1; e < p_.graph_edges; e++) { // edge 0 is for what queries hang there
      const Ref to = thread.get(thread.get_static(graph_at_), rmat(thread.random));
      thread.set(thread.get(thread.get_static(graph_at_), i), e, to);
    }
  thread.meet();
  for (u32 i = 0; i < 2 && thread.index == 0; i++) thread.collect(Kind::young1); // the graph becomes old
}

void Transactions::run_until(Thread& thread, u64 bytes) {
  if (p_.master && thread.index != 0) {
    while (!ended_) serve(thread);
    return;
  }
  const u64 end = thread.allocated_bytes() + bytes;
  while (thread.allocated_bytes() < end) {
    const u64 before = thread.allocated_bytes();
    transact(thread);
    if (thread.allocated_bytes() == before) return; // out of memory: said already
  }
  if (p_.master) ended_ = true;
}

void Transactions::transact(Thread& thread) {
  done_++;
  const u32 result = thread.hold(tree(thread, p_.tree));
  for (u32 i = 0; i < p_.garbage; i++) thread.make(2, p_.bytes);
  if (p_.leaf_bytes != 0) thread.read(thread.make(0, p_.leaf_bytes));
  for (u32 i = 0; i < p_.rereads; i++) read_tree(thread, thread.held(result));
  for (u32 i = 0; i < p_.old_reads && p_.long_lived != 0; i++) thread.read(thread.get(thread.held(cells_[thread.index].data), u32(thread.random.below(p_.long_lived))));
  if (p_.walk != 0) walk_graph(thread);
  for (u32 ns = 0; ns < p_.work_ns; ns += kStretch) { // a collection need not wait for the end of it
    if (ns != 0) thread.breathe();
    thread.work(min_of(p_.work_ns - ns, kStretch));
  }
  if (thread.random.below(100) < p_.across_percent)
    thread.set(thread.held(result), p_.fan - 1, thread.get(thread.get_static(last_at_), u32(thread.random.below(p_.threads))));
  if (p_.across_percent + p_.message_percent != 0) { // what others may refer to: without references across of its own, or chains would grow
    const Ref shown = tree(thread, 3);
    thread.set(thread.get_static(last_at_), thread.index, shown);
  }
  keep(thread, thread.held(result));
  thread.drop(1);
}

void Transactions::keep(Thread& thread, Ref result) {
  const Cells& mine = cells_[thread.index];
  Random& random = thread.random;
  const u64 chance = random.below(100);
  if (chance < p_.ring_percent) {
    const u32 place = u32(random.below(max_of(p_.ring, 1u))) * max_of(p_.long_lived / max_of(p_.ring, 1u), 1u);
    const Ref holder = thread.get(thread.held(mine.data), place);
    if (p_.ring_chain > 1 && !random.one_in(p_.ring_chain)) thread.set(result, p_.fan - 1, thread.get(holder, 0));
    thread.set(holder, 0, result);
  }
  else if (chance < p_.ring_percent + p_.stack_percent) thread.set_held(mine.stack + u32(random.below(max_of(p_.stack, 1u))), result);
  if (random.below(100) < p_.static_percent) thread.set_static(own_at_ + thread.index, result);
  if (random.below(100) < p_.weak_percent) thread.weak(result);
  if (random.below(100) < p_.message_percent) thread.set(thread.get_static(last_at_), u32(random.below(p_.threads)), result);
  if (p_.message_percent != 0) { // what came for this thread
    const Ref came = thread.get(thread.get_static(last_at_), thread.index);
    thread.read(came);
    thread.write(came);
  }
  if (random.below(100) < p_.shared_percent) {
    const u32 slot = u32(random.below(p_.shared));
    const Ref entry = thread.make(2, 48), table = thread.get_static(shared_at_);
    if (!random.one_in(p_.chain)) thread.set(entry, 0, thread.get(table, slot)); // else the chain begins anew
    thread.set(table, slot, entry);
  }
}

void Transactions::walk_graph(Thread& thread) {
  Ref at = thread.get(thread.get_static(graph_at_), rmat(thread.random));
  for (u32 i = 0; i < p_.walk && at.at != 0; i++) {
    thread.read(at);
    at = thread.get(at, 1 + u32(thread.random.below(p_.graph_edges - 1)));
  }
  const Ref found = tree(thread, 4); // hung on a node of the graph, until another query comes by
  thread.set(thread.get(thread.get_static(graph_at_), rmat(thread.random)), 0, found);
}

// A slave reads what the master made last.
void Transactions::serve(Thread& thread) {
  const Ref table = thread.get_static(shared_at_);
  const u32 cell = thread.hold(thread.get(table, u32(thread.random.below(max_of(p_.shared, 1u)))));
  thread.read(thread.held(cell));
  thread.drop(1);
  thread.work(2000 + p_.work_ns);
  thread.breathe();
}

Ref Transactions::tree(Thread& thread, u32 objects) {
  Ref top = thread.make(p_.fan, p_.bytes);
  if (objects <= 1) return top;
  const u32 cell = thread.hold(top), below = objects - 1, children = min_of(below, p_.fan - 1); // the last reference stays free
  for (u32 i = 0; i < children; i++) {
    const Ref child = tree(thread, below / children + (i < below % children ? 1 : 0));
    thread.set(thread.held(cell), i, child);
  }
  top = thread.held(cell);
  thread.drop(1);
  return top;
}

void Transactions::read_tree(Thread& thread, Ref ref, u32 depth) {
  if (ref.at == 0 || depth > 16) return;
  thread.read(ref);
  for (u32 i = 0; i + 1 < p_.fan; i++) read_tree(thread, thread.get(ref, i), depth + 1);
}

} // namespace garner::simulation
