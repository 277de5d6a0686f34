// Live: the sink that keeps the live page (live_page.h), from which `garner top` draws a process while it runs.
//
// Nothing is told to anybody: figures are stored in memory that others may map or read, and no reader can make the writer wait. What it must not do to the
// program that carries it:
//   - fail it: where the system gives no page there is one notice (general.notices), and everything else goes on;
//   - lengthen a pause: while the world stands, workers' figures are added up in memory of our own; the page is written when the program runs again;
//   - write as somebody else: the page is shared with a forked child, whose events are dropped;
//   - believe the page: before Linux 5.1 whoever may read it may be able to write to it, so sums are kept here and only copied there;
//   - end it: the page has all its memory from the start and cannot be cut short by others, as a store beyond its end would be a SIGBUS;
//   - touch descriptors later: after open() the page is a mapping. A program that closes our descriptor loses `garner top`, nothing else.
//
// Events come from whoever holds the collection lock, one at a time; out_of_memory alone comes from any thread.
#pragma once
#include "base/atomic.h"
#include "event/event.h"
#include "observe/live_page.h"
#include "options/parse.h"

namespace garner {

class Live {
 public:
  Live() = default;
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  // Makes the page, empty until heap_ready. False when general.live is off or the system refuses. Call once, before the sink is added to an Emitter.
  bool open(const Settings& settings, u64 start_ns);
  // Takes the page away; later events are dropped. Not while another thread may emit.
  void close();

  bool on() const { return page_ != nullptr; }
  int fd() const { return fd_; } // for readers in this process
  Sink sink() { return {&Live::receive, this, Detail::plain}; }

 private:
  static void receive(void* self, EventId id, const void* payload);
  void ready(const HeapReady& heap);
  void add(const WorkerPhase& phase);
  void add(const HeapParts& parts);
  void add(const CycleEnd& cycle);
  template <class Store> void publish(Store store);

  LivePage* page_ = nullptr;
  int fd_ = -1;
  u32 pid_ = 0;
  u64 start_ns_ = 0;
  u64 sequence_ = 0;   // as it stands in the page: even
  u64 took_part_ = 0;  // rows of workers_ that changed since the last collection's end, a bit each
  LiveNow now_{};
  LiveWorker workers_[kLiveWorkers]{};
};
static_assert(kLiveWorkers <= 64, "took_part_ has a bit for each");

} // namespace garner
