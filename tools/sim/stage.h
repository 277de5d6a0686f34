// Stage: one simulation while it runs: machine, host, threads, and the note-taking around collections. What simulation.h promises is made here.
//
// The notes are taken at three places: the host's observer (world stopped, before and after), the collector's events, and the machine's
// watcher (spots of workers). None of them charges a clock.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <unordered_set>

#include "sim/simulation.h"

namespace garner::simulation {

class Stage {
 public:
  Stage(const Spec& spec, Program& program);
  Measures run();

 private:
  friend class Thread;
  struct Entry { Stage* stage; u32 thread; };
  struct Before { Role role; };

  bool prepare();
  void wear(Opt policy_of, u64 whole, const std::vector<u32>& nodes);
  std::vector<u32> nodes_of(u32 workers) const;
  void wear_old();
  void wear_copies(u64 bytes);
  void live(u32 thread);
  void fail(std::string sentence);
  void meet(Thread& thread);
  void cool_caches() { machine_.cool(); }
  void begin_measuring();
  void end_measuring();

  // notes
  void collection_begins();
  void collection_ends();
  void event(EventId id, const void* payload);
  void reached(u32 worker, u32 spot, u64 ps);
  void program_uses(Ref ref, u32 node);
  void visited(Where where, u64 ps);
  void tell_lines();
  void close_span(u32 worker, u64 ns);
  void read_traffic();
  void follow_roots();
  std::vector<u64> asked() const;
  u64 allocated() const;

  const Spec& spec_;
  Program& program_;
  Settings settings_;
  Sim machine_;
  std::unique_ptr<Host> host_;
  std::deque<Entry> entries_;
  std::vector<Thread*> threads_;
  Measures measures_;
  bool failed_ = false, measuring_ = false, collecting_ = false;
  std::map<std::pair<const char*, u32>, LineVisits> lines_; // by where the compiler put the file's name: told in another order
  u32 left_ = 0; // threads that have not ended
  u32 here_ = 0; // … have come to the meeting
  Sim::Atomic<u32> meeting_;
  u64 began_ns_ = 0, allocated_before_ = 0;
  // Of the collection under way.
  Collection now_;
  std::vector<Role> roles_;
  std::vector<u64> asked_before_;
  std::unordered_set<word> program_pages_; // those that the program has come to
  struct Open { bool on = false; Activity activity{}; u64 begin_ns = 0; };
  std::vector<Open> open_;
};

} // namespace garner::simulation
