// Recording: which collections of a .NET program are recorded, into which file, and which thread allocated what (record/format.h, cycle/recorder.h).
//
// A thread is the allocation context that took a buffer. note() keeps one entry for each buffer and for each object that got memory of its own, since
// the last collection; so the thread is known for objects of eden, and for large ones not older. What has moved, and buffers beyond kNotesMost,
// have none. Off, it costs a load and a branch for each buffer.
// note() from any thread of the program; everything else with the world stopped, by the thread that runs the collection.
#pragma once
#include "base/atomic.h"
#include "host/dotnet/clr.h"
#include "options/parse.h"
#include "record/writer.h"

namespace garner::dotnet {

class Recording {
 public:
  // False when record.at is malformed or there is no memory: `trouble` says which. Off, when record.file is.
  bool init(const Settings& settings, const char*& trouble);
  GARNER_INLINE bool on() const { return notes_ != nullptr; }

  GARNER_INLINE void note(const clr::gc_alloc_context* context, word begin, usize bytes) {
    if (GARNER_UNLIKELY(notes_ != nullptr)) put_down(context, begin, bytes);
  }
  void forget() { taken_.store_relaxed(0); } // after a collection: eden is empty, or its objects lie elsewhere

  // Whether this collection is to be recorded. `heap_bytes`: in use now.
  bool wants(u64 collection, u64 heap_bytes);
  // The file for it; valid until the next call.
  const char* path(u64 collection);
  void recorded(u64 heap_bytes) { largest_ = heap_bytes; }

  // -- RecordThreads --
  void begin_walk(); // notes are put in order
  void end_walk() { walking_ = false; }
  u32 of(word block);
  u32 reporting() { return number(reporting_); }
  u32 count() const { return threads_; }
  void report_for(const clr::gc_alloc_context* context) { // in a collection several workers claim at once, and nobody asks
    if (GARNER_UNLIKELY(walking_)) reporting_ = word(context);
  }

  record::Writer writer;

 private:
  struct Note { word begin, end, context; };
  struct Known { word context; u32 number; };
  static constexpr u64 kNotesMost = u64(1) << 20; // 24 MiB of addresses; touched as far as used
  static constexpr u32 kAtMost = 64;

  u32 number(word context);
  GARNER_COLD void put_down(const clr::gc_alloc_context* context, word begin, usize bytes);
  void sift(u64 from, u64 count);

  Note* notes_ = nullptr;
  Atomic<u64> taken_{0};
  u64 sorted_ = 0, hint_ = 0;
  Known known_[2 * record::kThreadsMost];
  u32 threads_ = 0;
  word reporting_ = 0;
  bool walking_ = false;
  const char* file_ = nullptr;
  char path_[record::Writer::kPathMost];
  u64 at_[kAtMost];
  u32 at_count_ = 0; // 0: the largest heap
  u64 largest_ = 0;
};

} // namespace garner::dotnet
